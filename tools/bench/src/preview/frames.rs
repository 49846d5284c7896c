//! Moments of the report of `flood-preview`: their time, against a run without them.
//!
//! ```text
//! frames_share   time with 48 moments / time with none, less 1; the least of three runs of each
//! ```
//!
//! Limits:     wall time: on a busy machine the share is a guess.

use crate::beside::program;
use crate::suite::{Bench, BenchError, BenchResult, Context};
use crate::table::Measurement;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

/// A draft on mountains.
pub const BENCH: Bench = Bench {
    ids: &["preview.frames_share"],
    what: "moments of the report over the water, of a draft of flood-preview on mountains",
    is_long: true,
    measure,
};

/// Moments of a report by default.
const MOMENTS: u32 = 48;

/// Runs of each kind.
const RUNS: u32 = 3;

fn measure(context: &Context) -> BenchResult {
    let map = context.data("heightmaps/bigtujunga.tif")?;
    let [mut without_s, mut with_s] = [f64::INFINITY; 2];
    for _ in 0..RUNS {
        without_s = without_s.min(timed(&map, 0)?);
        with_s = with_s.min(timed(&map, MOMENTS)?);
    }
    let line = format!("{without_s:.1} s without moments, {with_s:.1} s with {MOMENTS}");
    let share = with_s / without_s - 1.0;
    Ok(vec![Measurement::new(BENCH.ids[0], share, "1").target("<= 0.1").note(line)])
}

/// Returns the time of one run, s.
fn timed(map: &Path, moments: u32) -> Result<f64, BenchError> {
    let folder = tempfile::tempdir()?;
    let start = Instant::now();
    let status = Command::new(program("flood-preview")?)
        .arg(map)
        .args(["--rain", "60mm/h", "--for", "1h", "--quality", "draft", "--only-last"])
        .args(["--frames", &moments.to_string(), "--out"])
        .arg(folder.path())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()?;
    if !status.success() {
        return Err(format!("flood-preview ended with {status}").into());
    }
    Ok(start.elapsed().as_secs_f64())
}
