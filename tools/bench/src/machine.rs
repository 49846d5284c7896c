//! The machine's own memory bandwidth: the yardstick of kernels.
//!
//! ```text
//! triad   aᵢ = bᵢ + s cᵢ        3 arrays × 4 bytes move for each i
//! ```
//!
//! Limits:     write-allocate traffic is not counted, as is the custom.
//! Source:     McCalpin (1995), Memory bandwidth and machine balance (STREAM).

use crate::suite::{Bench, Context};
use crate::table::Measurement;
use rayon::prelude::*;
use std::hint::black_box;
use std::time::Instant;

/// Measurements of the machine.
pub const BENCHES: &[Bench] = &[Bench {
    ids: &["machine.triad"],
    what: "memory bandwidth of all threads",
    is_long: false,
    measure: |context| Ok(vec![triad(context)]),
}];

/// Elements of each array: 256 MiB, far larger than any cache.
const ELEMENTS: usize = 1 << 26;
/// Elements that a thread processes at a time.
const BLOCK: usize = 1 << 16;
const REPETITIONS: usize = 10;

fn triad(context: &Context) -> Measurement {
    let note = format!("best of {REPETITIONS}, three arrays of 256 MiB, 12 bytes an element");
    Measurement::new("machine.triad", context.triad_bytes_per_s(), "bytes/s").note(note)
}

/// Returns the bytes per second of the triad, all threads of the current pool, the best of several
/// runs.
#[must_use]
pub fn triad_bytes_per_s() -> f64 {
    let filled = |value: f32| -> Vec<f32> {
        // Each thread touches its pages first, so that they are near it.
        let mut array = vec![0.0; ELEMENTS];
        array.par_chunks_mut(BLOCK).for_each(|block| block.fill(value));
        array
    };
    let (mut a, b, c) = (filled(0.0), filled(1.0), filled(2.0));
    let mut best = f64::INFINITY;
    for _ in 0..REPETITIONS {
        let start = Instant::now();
        let scale = black_box(3.0);
        a.par_chunks_mut(BLOCK)
            .zip(b.par_chunks(BLOCK))
            .zip(c.par_chunks(BLOCK))
            .for_each(|((a, b), c)| add_scaled(a, b, c, scale));
        best = best.min(start.elapsed().as_secs_f64());
        black_box(&a);
    }
    12.0 * ELEMENTS as f64 / best
}

fn add_scaled(a: &mut [f32], b: &[f32], c: &[f32], scale: f32) {
    for ((a, b), c) in a.iter_mut().zip(b).zip(c) {
        *a = b + scale * c;
    }
}

/// Returns the peak memory of this program, MiB; `None` if the system does not report it.
#[must_use]
pub fn peak_mib() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.split_whitespace().next()?.parse::<f64>().ok()? / 1024.0)
}

/// Returns the processor time that all threads of this program have used, s; `None` if the system
/// does not report it.
#[must_use]
pub fn cpu_s() -> Option<f64> {
    let mut nanoseconds = 0.0;
    for task in std::fs::read_dir("/proc/self/task").ok()? {
        let times = std::fs::read_to_string(task.ok()?.path().join("schedstat")).ok()?;
        nanoseconds += times.split_whitespace().next()?.parse::<f64>().ok()?;
    }
    Some(nanoseconds * 1.0e-9)
}
