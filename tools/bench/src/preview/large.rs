//! First answer of `flood-preview` on large maps: its time, and its agreement with the requested
//! cells.
//!
//! ```text
//! first_s    from the command to the first report of the whole event, s; two threads
//! csi        cells deeper than 0.3 m in it and in the last level / those in either
//! ```
//!
//! Rain and a river on the Black Forest: a million of its cells of 75 m, all 5.8 million, and 25
//! million of 36 m between which its heights are interpolated. The first run is ended after its
//! first level; the last level is then run alone, on all threads.
//!
//! Limits:     interpolated ground has no brooks of its own: cells of 36 m see the brooks of 75 m.

use super::levels::{LOOKS_EVERY, depths, done, index};
use crate::beside::program;
use crate::suite::{Bench, BenchError, BenchResult, Context};
use crate::table::Measurement;
use rasters::{Grid, Hints, RasterBand};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

/// First answers on three maps.
pub const BENCH: Bench = Bench {
    ids: &[
        "preview.large.1m.first_s",
        "preview.large.1m.csi",
        "preview.large.6m.first_s",
        "preview.large.6m.csi",
        "preview.large.25m.first_s",
        "preview.large.25m.csi",
    ],
    what: "first report of flood-preview on 1, 6 and 25 million cells on two threads, rain and a \
           river, and its index against the cells asked for",
    is_long: true,
    measure,
};

/// Heights of the map's lowest and highest sample, m.
const HEIGHTS_M: &str = "85..4180.94";

/// Width of its cells, m.
const CELL_M: f64 = 75.0;

/// Columns and rows of the interpolated map, and the width of its cells, m.
const FINE: (usize, f64) = (5000, 36.0);

/// An hour of rain, and a river into a valley.
const EVENT: &str =
    "--rain 60mm/h --rain-for 1h --for 2h --inflow river:63337.5,94537.5=500m3/s --frames 0";

/// A map, its options and the target of the first report, s.
struct LargeMapCase<'a> {
    path: &'a Path,
    options: String,
    target: &'static str,
    what: &'static str,
}

fn measure(context: &Context) -> BenchResult {
    let folder = tempfile::tempdir()?;
    let forest = context.data("heightmaps/black_forest_2401_u16.png")?;
    let fine = folder.path().join("forest_36m.tif");
    interpolate(&forest, &fine)?;
    let own = format!("--map-cell {CELL_M} --height-range {HEIGHTS_M}");
    let part = format!("{own} --area 30000,60000,105000,135000");
    let stories = [
        LargeMapCase {
            path: &forest,
            options: part,
            target: "<= 2",
            what: "1000 × 1000 cells of 75 m",
        },
        LargeMapCase {
            path: &forest,
            options: own,
            target: "<= 8",
            what: "2401 × 2401 cells of 75 m",
        },
        LargeMapCase {
            path: &fine,
            options: String::new(),
            target: "<= 30",
            what: "5000 × 5000 cells of 36 m",
        },
    ];
    let mut found = Vec::new();
    for (story, ids) in stories.iter().zip(BENCH.ids.as_chunks::<2>().0) {
        let (first_s, first) = first(story)?;
        let last = last(story)?;
        let cells = first.len();
        let csi = index(&first, &last);
        let line = format!("{}; one machine, {:.0} GB/s", story.what, gigabytes_per_s(context));
        let first = Measurement::new(ids[0], first_s, "s").target(story.target);
        found.push(first.cells(cells).note(line));
        found.push(Measurement::new(ids[1], csi, "1").target(">= 0.4").cells(cells));
    }
    Ok(found)
}

fn gigabytes_per_s(context: &Context) -> f64 {
    context.triad_bytes_per_s() / 1.0e9
}

/// Writes the map in finer cells, its heights interpolated between the centres of its own.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "indices of a small map, heights in f32"
)]
fn interpolate(from: &Path, to: &Path) -> Result<(), BenchError> {
    let (low, high) = HEIGHTS_M.split_once("..").ok_or("no range")?;
    let range = Some((low.parse()?, high.parse()?));
    let hints = Hints { cell_m: Some((CELL_M, CELL_M)), height_range: range, ..Hints::default() };
    let mut source = rasters::open(from, &hints)?;
    let (grid, heights) = rasters::read_all(source.as_mut())?;
    let (side, cell_m) = FINE;
    let target = Grid::metric((side, side), (0.0, side as f64 * cell_m), cell_m);
    let last = grid.width - 1;
    let place = |index: usize| {
        let at = ((index as f64 + 0.5) * cell_m / CELL_M - 0.5).clamp(0.0, last as f64);
        let below = (at as usize).min(last - 1);
        (below, (at - below as f64) as f32)
    };
    rasters::write_geotiff(to, &target, RasterBand::ELEVATION, |row, cells| {
        let (north, down) = place(row);
        for (column, height) in cells.iter_mut().enumerate() {
            let (west, right) = place(column);
            let at = |row: usize, column: usize| heights[row * grid.width + column];
            let mix = |row: usize| at(row, west) + right * (at(row, west + 1) - at(row, west));
            *height = mix(north) + down * (mix(north + 1) - mix(north));
        }
    })?;
    Ok(())
}

/// Returns a run with the options of a story.
fn command(story: &LargeMapCase, options: &str, folder: &Path) -> Result<Command, BenchError> {
    let mut command = Command::new(program("flood-preview")?);
    command.arg(story.path).args(story.options.split_whitespace());
    command.args(EVENT.split(' ')).args(options.split(' ')).arg("--out").arg(folder);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    Ok(command)
}

/// Returns the time of the first report, s, and the depths of its level, m.
fn first(story: &LargeMapCase) -> Result<(f64, Vec<f32>), BenchError> {
    let folder = tempfile::tempdir()?;
    let start = Instant::now();
    let options = "--quality fine --threads 2";
    let mut child = command(story, options, folder.path())?.spawn()?;
    let mut first_s = None;
    while done(&folder.path().join("summary.json")).is_empty() {
        if first_s.is_none() && folder.path().join("report.html").exists() {
            first_s = Some(start.elapsed().as_secs_f64());
        }
        if let Some(status) = child.try_wait()? {
            return Err(format!("flood-preview ended with {status}").into());
        }
        std::thread::sleep(LOOKS_EVERY);
    }
    child.kill()?;
    child.wait()?;
    let first_s = first_s.unwrap_or_else(|| start.elapsed().as_secs_f64());
    Ok((first_s, depths(&folder.path().join("max_depth.tif"))?))
}

/// Returns the depths of the requested cells, run alone, m.
fn last(story: &LargeMapCase) -> Result<Vec<f32>, BenchError> {
    let folder = tempfile::tempdir()?;
    let status = command(story, "--quality fine --only-last", folder.path())?.status()?;
    if !status.success() {
        return Err(format!("flood-preview ended with {status}").into());
    }
    depths(&folder.path().join("max_depth.tif"))
}
