//! Free memory: a run that does not fit is refused beforehand.
//!
//! Guarantees: none if the system does not report its free memory (`/proc/meminfo`): every run is
//!             then tried.

use std::fs;

use crate::error::UserError;

/// Returns the memory that is free for this process, bytes, if the system reports it.
#[must_use]
pub fn available() -> Option<f64> {
    let free = kilobytes("/proc/meminfo", "MemAvailable:");
    let group = cgroup_left();
    let space = address_space_left();
    [free, group, space].into_iter().flatten().reduce(f64::min)
}

/// Options that make a run smaller.
pub const FEWER: &str = "simulate fewer cells with --quality draft, --cell-size or --area";

/// Refuses a run that needs more bytes than are free; `mend` names a way to make it smaller.
///
/// # Errors
///
/// If the run needs more.
pub fn check_bytes(needed: f64, available: Option<f64>, mend: &str) -> Result<(), UserError> {
    match available {
        Some(available) if needed > available => Err(UserError::new(
            format!("this run needs about {}, and {} are free", words(needed), words(available)),
            mend,
        )),
        _ => Ok(()),
    }
}

/// Bytes in MB or GB.
#[must_use]
pub fn words(bytes: f64) -> String {
    if bytes < 1.0e9 {
        format!("{:.0} MB", bytes / 1.0e6)
    } else {
        format!("{:.1} GB", bytes / 1.0e9)
    }
}

/// Returns the number of kilobytes behind a word in a file of the system, in bytes.
fn kilobytes(path: &str, word: &str) -> Option<f64> {
    let text = fs::read_to_string(path).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(word))?;
    let number: f64 = line.split_whitespace().next()?.parse().ok()?;
    Some(number * 1024.0)
}

/// Returns the memory left under the limit of this process's control group.
fn cgroup_left() -> Option<f64> {
    let text = |name: &str| fs::read_to_string(format!("/sys/fs/cgroup/{name}")).ok();
    let stat = text("memory.stat").unwrap_or_default();
    left(&text("memory.max")?, &text("memory.current")?, &stat)
}

/// Returns the memory left to a control group: files cached in memory count as free.
fn left(max: &str, current: &str, stat: &str) -> Option<f64> {
    let number = |text: &str| text.trim().parse::<f64>().ok();
    let held = |name: &str| {
        stat.lines().find_map(|line| number(line.strip_prefix(name)?)).unwrap_or_default()
    };
    let (max, files) = (number(max)?, held("inactive_file ") + held("active_file "));
    Some((max - number(current)? + files).min(max))
}

/// Returns the memory left under the limit of this process's address space (`ulimit -v`).
fn address_space_left() -> Option<f64> {
    let limits = fs::read_to_string("/proc/self/limits").ok()?;
    let line = limits.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    let most: f64 = line.split_whitespace().next()?.parse().ok()?;
    Some(most - kilobytes("/proc/self/status", "VmSize:")?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_is_refused_with_both_numbers() {
        let refused = check_bytes(3.2e9, Some(512.0e6), FEWER).expect_err("too large").to_string();
        for words in ["3.2 GB", "512 MB", "--quality draft", "--area"] {
            assert!(refused.contains(words), "{refused}");
        }
        assert_eq!(check_bytes(3.2e9, Some(4.0e9), FEWER), Ok(()));
        assert_eq!(check_bytes(3.2e9, None, FEWER), Ok(()));
    }

    /// Goal: a group that has read large files may still use the memory that caches them.
    #[test]
    fn files_held_in_memory_count_as_free() {
        let stat = "anon 100\nfile 700\nactive_file 300\nworkingset_activate_file 9\n\
                    inactive_file 400\n";
        for (max, current, stat, expected) in [
            ("1000\n", "800\n", stat, Some(900.0)),
            ("1000", "800", "", Some(200.0)),
            ("1000", "600", stat, Some(1000.0)),
            ("max", "800", stat, None),
        ] {
            assert_eq!(left(max, current, stat), expected, "{max}, {current}");
        }
    }
}
