//! Levels of a run of `flood-preview`: the time of each, and its agreement with the last.
//!
//! ```text
//! first_s    from the command to the first report of the whole event, s
//! csi        cells deeper than 0.3 m in a level and in the last / those in either; of the first
//! overhead   time before the last level begins / time of the last
//! ```
//!
//! One run a map, as a user starts it; `summary.json` states the level of the files, and
//! `max_depth.tif` is copied after each level.
//!
//! Limits:     the time of a level includes writing the results of the one before.

use crate::beside::program;
use crate::suite::{Bench, BenchError, BenchResult, Context};
use crate::table::Measurement;
use rasters::{Hints, MetresPerDegree};
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Ids for a town below hills, then for mountains.
const IDS: [&str; 6] = [
    "preview.first_s",
    "preview.csi",
    "preview.overhead",
    "preview.first_s.mountains",
    "preview.csi.mountains",
    "preview.overhead.mountains",
];

/// Levels on two maps.
pub const BENCH: Bench = Bench {
    ids: &IDS,
    what: "levels of flood-preview on a town below hills and on mountains: first report, its \
           index against the last level, all time before the last over its time",
    is_long: true,
    measure,
};

/// Depth from which cells count, m.
const DEEP_M: f32 = 0.3;

/// Time between two checks of the folder of results.
pub(super) const LOOKS_EVERY: Duration = Duration::from_millis(2);

/// A level as it was written.
struct Came {
    after_s: f64,
    cell_m: f64,
    depths_m: Vec<f32>,
}

fn measure(context: &Context) -> BenchResult {
    let stories = [
        ("boscastle_10m.asc", "--rain 60mm/h --rain-for 1h --for 2h"),
        ("bigtujunga.tif", "--rain 60mm/h --for 1h"),
    ];
    let mut found = Vec::new();
    for ((name, options), ids) in stories.into_iter().zip(IDS.as_chunks::<3>().0) {
        let came = levels(&context.data(&format!("heightmaps/{name}"))?, options)?;
        let [first, .., before, last] = &*came else {
            return Err(format!("{name} has {} levels", came.len()).into());
        };
        let line = came.iter().map(|level| {
            let index = index(&level.depths_m, &last.depths_m);
            format!("{} m after {:.1} s: {index:.2}", level.cell_m, level.after_s)
        });
        let line = format!("{name}: {}", line.collect::<Vec<_>>().join("; "));
        let csi = index(&first.depths_m, &last.depths_m);
        let overhead = before.after_s / (last.after_s - before.after_s);
        let cells = last.depths_m.len();
        let first = Measurement::new(ids[0], first.after_s, "s").target("<= 2");
        found.push(first.cells(cells).note(line));
        found.push(Measurement::new(ids[1], csi, "1").target(">= 0.4").cells(cells));
        found.push(Measurement::new(ids[2], overhead, "1").target("<= 0.1").cells(cells));
    }
    Ok(found)
}

/// Runs the program, and reads the files of each level.
fn levels(map: &Path, options: &str) -> Result<Vec<Came>, BenchError> {
    let folder = tempfile::tempdir()?;
    let start = Instant::now();
    let mut child = Command::new(program("flood-preview")?)
        .arg(map)
        .args(options.split(' '))
        .args(["--frames", "0", "--quality", "fine", "--out"])
        .arg(folder.path())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    let mut came: Vec<Came> = Vec::new();
    loop {
        let ended = child.try_wait()?;
        let after_s = start.elapsed().as_secs_f64();
        let written = done(&folder.path().join("summary.json"));
        if let Some(&cell_m) = written.get(came.len()) {
            let depths_m = depths(&folder.path().join("max_depth.tif"))?;
            came.push(Came { after_s, cell_m, depths_m });
        }
        match ended {
            Some(status) if status.success() => return Ok(came),
            Some(status) => return Err(format!("flood-preview ended with {status}").into()),
            None => std::thread::sleep(LOOKS_EVERY),
        }
    }
}

/// Returns the widths of the cells of the levels in a summary, m; empty before the first is
/// written.
pub(super) fn done(path: &Path) -> Vec<f64> {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let summary: Value = serde_json::from_str(&text).unwrap_or_default();
    let levels = summary["levels"].as_array().cloned().unwrap_or_default();
    levels.iter().filter_map(|level| level["cell_m"].as_f64()).collect()
}

pub(super) fn depths(path: &Path) -> Result<Vec<f32>, BenchError> {
    let hints = Hints { metres_per_degree: MetresPerDegree::Auto, ..Hints::default() };
    let mut source = rasters::open(path, &hints)?;
    Ok(rasters::read_all(source.as_mut())?.1)
}

/// Returns the critical success index of the cells that are deep; dry ones have no value.
pub(super) fn index(one: &[f32], other: &[f32]) -> f64 {
    let pairs = || one.iter().zip(other).map(|(one, other)| [one, other].map(|h| *h >= DEEP_M));
    let both = pairs().filter(|[one, other]| *one && *other).count();
    let either = pairs().filter(|[one, other]| *one || *other).count();
    both as f64 / either.max(1) as f64
}
