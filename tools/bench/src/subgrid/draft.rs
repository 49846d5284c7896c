//! Results of `flood-preview --quality draft` against `--quality fine`, on real maps.
//!
//! ```text
//! index = cells flooded in both / cells flooded in one of them         critical success index
//! error = median of |depth of the draft − depth of the fine map| over the same cells
//! ```
//!
//! Both runs write the largest depths on the map's own cells. Cells count as flooded from 5 cm on,
//! as they do in the program's report; cells that the draft leaves out count as dry.

use crate::beside::program;
use crate::measured::columns;
use crate::suite::{Bench, BenchError, BenchResult, Context};
use crate::table::Measurement;
use rasters::{Grid, Hints, MetresPerDegree};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

/// Flooded area and depths of the draft.
pub const BENCH: Bench = Bench {
    ids: &["subgrid.draft", "subgrid.draft.depth", "subgrid.draft.faster"],
    what: "flood-preview --quality draft against fine on three maps: worst critical success \
           index, worst median error of depth, least speed-up",
    is_long: true,
    measure,
};

/// Flooded area in mountains.
pub const BROOKS: Bench = Bench {
    ids: &["subgrid.draft.brooks"],
    what: "flood-preview --quality draft against fine in mountains whose brooks are as narrow as a \
           cell: critical success index",
    is_long: true,
    measure: measure_brooks,
};

const FLOODED_M: f64 = 0.05;

/// A map and the options for it.
struct DraftCase {
    name: &'static str,
    map: PathBuf,
    options: Vec<String>,
}

fn words(line: &str) -> Vec<String> {
    line.split(' ').map(str::to_owned).collect()
}

/// Makes a valley below a failing dam, drafted on level 2.
fn valley(context: &Context, folder: &Path) -> Result<DraftCase, BenchError> {
    let inputs = context.data("ea_test5")?;
    let sources = columns(&inputs.join("ea5-10m.bci"), [1, 2])?;
    let [x, y] = sources[sources.len() / 2];
    let mut table = String::new();
    for [time, per_m] in columns(&inputs.join("ea5.bdy"), [1, 0])? {
        writeln!(table, "{time},{}", 10.0 * per_m * sources.len() as f64)?;
    }
    let hydrograph = folder.join("breach.csv");
    std::fs::write(&hydrograph, table)?;
    let breach = format!("breach:{x},{y}={}", hydrograph.display());
    let mut options = words("--nodata -9999 --edges wall --manning 0.04 --for 3h --inflow");
    options.push(breach);
    Ok(DraftCase { name: "valley flood (ea5)", map: inputs.join("ea5-10m.asc.gz"), options })
}

/// Makes rain on hills, drafted on level 1, until it has run together.
fn hills(context: &Context) -> Result<DraftCase, BenchError> {
    let map = context.data("heightmaps/enogeo.tif")?;
    let options = words("--metres-per-degree auto --rain 40mm/h --rain-for 1h --for 3h");
    Ok(DraftCase { name: "rain on hills (enogeo)", map, options })
}

/// Makes a lake that breaks its dam and runs down a canyon to the coast, drafted on level 2.
fn coast(context: &Context) -> Result<DraftCase, BenchError> {
    let inputs = context.data("malpasset")?;
    let mut options = words("--edges wall --manning 0.033 --for 4000s --initial-depth");
    options.push(inputs.join("malpasset_h0_10m.tif").display().to_string());
    let map = inputs.join("malpasset_dem_10m.tif");
    Ok(DraftCase { name: "lake to coast (malpasset)", map, options })
}

/// Makes the default cloudburst on mountains; drafted on level 1.
fn brooks(context: &Context) -> Result<DraftCase, BenchError> {
    let map = context.data("heightmaps/bigtujunga.tif")?;
    Ok(DraftCase { name: "cloudburst on mountains (bigtujunga)", map, options: Vec::new() })
}

/// Largest depths of a run, m, rows from the north, and its time, s.
struct Depths {
    grid: Grid,
    depths_m: Vec<f32>,
    wall_s: f64,
}

impl Depths {
    fn of(story: &DraftCase, quality: &str, folder: &Path) -> Result<Self, BenchError> {
        let out = folder.join(quality);
        let clock = Instant::now();
        let status = Command::new(program("flood-preview")?)
            .arg(&story.map)
            .args(&story.options)
            .args(["--frames", "12", "--only-last", "--quality", quality, "--out"])
            .arg(&out)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()?;
        let wall_s = clock.elapsed().as_secs_f64();
        if !status.success() {
            return Err(format!("flood-preview on {} ended with {status}", story.name).into());
        }
        let hints = Hints { metres_per_degree: MetresPerDegree::Auto, ..Hints::default() };
        let mut source = rasters::open(&out.join("max_depth.tif"), &hints)?;
        let (grid, mut depths_m) = rasters::read_all(source.as_mut())?;
        // Dry cells have no value.
        depths_m.iter_mut().filter(|depth| depth.is_nan()).for_each(|depth| *depth = 0.0);
        Ok(Self { grid, depths_m, wall_s })
    }
}

/// Results of a draft.
struct DraftVerdict {
    /// Critical success index.
    index: f64,
    /// Median error of depths, m.
    error_m: f64,
    faster: f64,
    cells: usize,
    line: String,
}

fn judge(story: &DraftCase, folder: &Path) -> Result<DraftVerdict, BenchError> {
    let draft = Depths::of(story, "draft", folder)?;
    let fine = Depths::of(story, "fine", folder)?;
    if (draft.grid.width, draft.grid.height) != (fine.grid.width, fine.grid.height) {
        return Err(format!("{}: the two maps differ in size", story.name).into());
    }
    let (mut both, mut flooded, mut drafted, mut errors) = (0_u32, 0_u32, 0_u32, Vec::new());
    for (&fine, &draft) in fine.depths_m.iter().zip(&draft.depths_m) {
        if fine.is_nan() {
            continue;
        }
        let (fine, draft) = (f64::from(fine), if draft.is_nan() { 0.0 } else { draft.into() });
        let [is_fine, is_draft] = [fine, draft].map(|depth: f64| depth >= FLOODED_M);
        flooded += u32::from(is_fine);
        drafted += u32::from(is_draft);
        both += u32::from(is_fine && is_draft);
        if is_fine || is_draft {
            errors.push((fine - draft).abs());
        }
    }
    errors.sort_by(f64::total_cmp);
    let [error_m, ninth] =
        [5, 9].map(|tenths| errors.get(errors.len() * tenths / 10).copied().unwrap_or(f64::NAN));
    let index = f64::from(both) / errors.len() as f64;
    let faster = fine.wall_s / draft.wall_s;
    let line = format!(
        "{}: index {index:.3}, drafted over flooded {:.3}; error of depth {error_m:.3} m, nine \
         tenths below {ninth:.3} m; {:.0} s instead of {:.0} s",
        story.name,
        f64::from(drafted) / f64::from(flooded),
        draft.wall_s,
        fine.wall_s
    );
    Ok(DraftVerdict { index, error_m, faster, cells: fine.depths_m.len(), line })
}

fn measure(context: &Context) -> BenchResult {
    let folder = tempfile::tempdir()?;
    let stories = [valley(context, folder.path())?, hills(context)?, coast(context)?];
    let verdicts = stories.iter().map(|story| judge(story, folder.path()));
    let verdicts = verdicts.collect::<Result<Vec<_>, _>>()?;
    let worst = |of: fn(&DraftVerdict) -> f64, worse: fn(f64, f64) -> f64, best: f64| {
        verdicts.iter().map(of).fold(best, worse)
    };
    let cells = verdicts.iter().map(|verdict| verdict.cells).sum();
    let lines: Vec<_> = verdicts.iter().map(|verdict| verdict.line.as_str()).collect();
    Ok(vec![
        Measurement::new("subgrid.draft", worst(|v| v.index, f64::min, 1.0), "1")
            .target(">= 0.85")
            .cells(cells)
            .note(lines.join("\n")),
        Measurement::new("subgrid.draft.depth", worst(|v| v.error_m, f64::max, 0.0), "m")
            .target("<= 0.15")
            .cells(cells),
        Measurement::new("subgrid.draft.faster", worst(|v| v.faster, f64::min, f64::INFINITY), "x")
            .cells(cells),
    ])
}

fn measure_brooks(context: &Context) -> BenchResult {
    let folder = tempfile::tempdir()?;
    let brooks = judge(&brooks(context)?, folder.path())?;
    Ok(vec![
        Measurement::new("subgrid.draft.brooks", brooks.index, "1")
            .target(">= 0.85")
            .cells(brooks.cells)
            .note(brooks.line),
    ])
}
