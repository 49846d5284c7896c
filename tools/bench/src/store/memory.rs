//! How much memory this process has had.

use crate::suite::Absence;

/// The most at once so far, MiB.
///
/// # Errors
///
/// Where the system does not tell.
pub fn peak_mib() -> Result<f64, Absence> {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib: f64 = line
        .and_then(|line| line.trim().strip_suffix(" kB"))
        .and_then(|kib| kib.trim().parse().ok())
        .ok_or("the system does not tell how much memory a process has had")?;
    Ok(kib / 1024.0)
}
