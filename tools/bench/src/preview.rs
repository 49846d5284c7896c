//! The shipped `flood-preview` as a user runs it: wall time and memory of a first answer.
//!
//! Limits:     memory is the largest resident set that the system saw (`VmHWM`), Linux only.

mod frames;
mod large;
mod levels;
mod sure;

use crate::beside::program;
use crate::suite::{Bench, BenchError, BenchResult, Context};
use crate::table::Measurement;
use crate::world::fractal;
use rasters::Grid;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// Measurements of the program.
pub const BENCHES: &[Bench] = &[DRAFT, levels::BENCH, frames::BENCH, sure::BENCH, large::BENCH];

const DRAFT: Bench = Bench {
    ids: &["preview.draft.seconds", "preview.draft.peak_mib"],
    what: "flood-preview --quality draft on a map of 2048 × 2048 cells",
    is_long: false,
    measure,
};

const SIDE: usize = 2048;
const CELL_M: f64 = 5.0;

fn measure(_: &Context) -> BenchResult {
    let program = program("flood-preview")?;
    let folder = tempfile::tempdir()?;
    let map = folder.path().join("fractal.tif");
    write_map(&map)?;
    let start = Instant::now();
    let mut child = Command::new(program)
        .arg(&map)
        .args(["--quality", "draft", "--out"])
        .arg(folder.path().join("out"))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    let (status, peak_mib) = watch(&mut child)?;
    let seconds = start.elapsed().as_secs_f64();
    if !status.success() {
        return Err(format!("flood-preview ended with {status}").into());
    }
    for name in ["max_depth.tif", "report.html", "ledger.json"] {
        if !folder.path().join("out").join(name).exists() {
            return Err(format!("flood-preview left no {name}").into());
        }
    }
    let cells = SIDE * SIDE;
    let note = "one-hour cloudburst on fractal terrain, cells of 5 m; all outputs written";
    Ok(vec![
        Measurement::new("preview.draft.seconds", seconds, "s")
            .target("<= 30")
            .cells(cells)
            .note(note),
        Measurement::new("preview.draft.peak_mib", peak_mib, "MiB").target("<= 1024").cells(cells),
    ])
}

/// Makes hills of 150 m, 2.5 km apart, with finer ones on them.
#[expect(clippy::cast_possible_truncation, reason = "a map in f32")]
fn write_map(path: &Path) -> Result<(), BenchError> {
    let side_m = SIDE as f64 * CELL_M;
    let grid = Grid::metric((SIDE, SIDE), (500_000.0, 5_000_000.0 + side_m), CELL_M);
    rasters::write_geotiff(path, &grid, rasters::RasterBand::ELEVATION, |row, cells| {
        for (column, height) in cells.iter_mut().enumerate() {
            let (x, y) = (column as f64, row as f64);
            let hills = fractal(11, x / 8.0, y / 8.0);
            *height = (150.0 * hills + 5.0 * fractal(23, x, y)) as f32;
        }
    })?;
    Ok(())
}

/// Waits for the end; returns the largest resident set seen, MiB.
fn watch(child: &mut Child) -> Result<(ExitStatus, f64), BenchError> {
    let path = format!("/proc/{}/status", child.id());
    let mut peak_kib = 0.0_f64;
    loop {
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kib = line.and_then(|line| line.split_whitespace().next()?.parse().ok());
        peak_kib = peak_kib.max(kib.unwrap_or(0.0));
        if let Some(status) = child.try_wait()? {
            if peak_kib == 0.0 {
                return Err("this system does not report the memory of a program".into());
            }
            return Ok((status, peak_kib / 1024.0));
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}
