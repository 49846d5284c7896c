//! A heightmap becomes a world.

use std::fmt;
use std::path::PathBuf;
use std::time::Instant;

use flood_preview::args::{Args, MapArgs, RunArgs};
use flood_preview::refusal::Refusal;
use flood_preview::scenario::file::Scenario;
use flood_preview::scenario::overlay;
use flood_preview::scenario::plan::Plan;
use flood_preview::scenario::terms::Quality;
use flood_preview::simulate;
use flood_preview::survey::survey;
use indicatif::HumanBytes;
use serde::Serialize;
use thalweg::store::Store;
use thalweg::store::terrain::{write_georeference, write_terrain_watched};

use crate::args::ImportArgs;
use crate::partial::{Partial, check_free};
use crate::progress::Progress;
use crate::world::refused;

/// What was made.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Imported {
    /// The file.
    pub world: PathBuf,
    /// Columns of the finest level.
    pub width: usize,
    /// Rows of the finest level.
    pub height: usize,
    /// Width of the finest cells, m.
    pub cell_m: f64,
    /// Cells with ground.
    pub inside: usize,
    /// Whether the map was resampled to such cells.
    pub resampled: bool,
    /// Levels.
    pub levels: u8,
    /// Bytes of the file.
    pub file_bytes: u64,
    /// Bytes of the heights of the finest cells, four each.
    pub raw_bytes: u64,
    /// Time it took, s.
    pub seconds: f64,
}

/// Makes a world of a heightmap.
///
/// # Errors
///
/// If the map cannot be read to its end or its heights do not fit, or the world cannot be written;
/// what stood under its name before is then still there.
pub fn import(args: &ImportArgs, progress: &Progress) -> Result<Imported, Refusal> {
    let start = Instant::now();
    let path = &args.world;
    check_free(path, args.force)?;
    let plan = plan(args)?;
    if path.canonicalize().ok() == plan.map.path.canonicalize().ok() && path.exists() {
        return Err(Refusal::new(
            format!("{} is the map itself", path.display()),
            "choose another name for the world",
        ));
    }
    let partial = Partial::begin(path, args.force)?;
    let mut store = Store::create(&partial.path()).map_err(|error| refused(path, &error))?;
    progress.spin("looking at the map");
    let survey = survey(&plan)?;
    let scale = simulate::scale(&plan, &survey)?;
    let (height, mut watch) = (plan.map.world.height, progress.begin("reading heights"));
    #[expect(clippy::cast_precision_loss, reason = "a share of the rows")]
    let terrain = simulate::terrain(&plan, scale, &mut |rows| watch(rows as f64 / height as f64))?;

    let failed = |error| refused(path, &error);
    let watch = &mut progress.begin("writing tiles");
    write_terrain_watched(&terrain, &mut store, watch).map_err(failed)?;
    write_georeference(&plan.map.world.placement()?, &mut store).map_err(failed)?;
    progress.spin("making it last");
    store.commit().map_err(failed)?;
    let file_bytes = store.file_bytes().map_err(failed)?;
    drop(store);
    partial.finish()?;
    progress.finish();
    let beds = terrain.level(0).map_or((0, 0), |beds| (beds.width(), beds.height()));
    Ok(Imported {
        world: path.clone(),
        width: beds.0,
        height: beds.1,
        cell_m: terrain.cell_width_m(0),
        inside: terrain.inside_count(),
        resampled: plan.map.resample_m.is_some(),
        levels: terrain.coarsest() + 1,
        file_bytes,
        raw_bytes: beds.0 as u64 * beds.1 as u64 * 4,
        seconds: start.elapsed().as_secs_f64(),
    })
}

/// What the options mean for a run that keeps every cell.
fn plan(args: &ImportArgs) -> Result<Plan, Refusal> {
    let numbers = args.numbers.clone();
    let run = RunArgs { quality: Some(Quality::Fine), numbers, ..RunArgs::default() };
    let map: MapArgs = args.hints.clone();
    let mut scenario = Scenario::default();
    scenario.map.file = Some(args.map.clone());
    overlay::lay_over(&mut scenario, &Args { map, run, ..Args::default() })?;
    Plan::resolve(&scenario)
}

impl fmt::Display for Imported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { width, height, cell_m, .. } = self;
        let how = if self.resampled { ", by exact area means" } else { "" };
        write!(
            f,
            "{}: {width} × {height} cells of {} m{how}, {} levels, in {:.1} s; {} where the \
             heights alone are {}",
            self.world.display(),
            short(*cell_m),
            self.levels,
            self.seconds,
            HumanBytes(self.file_bytes),
            HumanBytes(self.raw_bytes)
        )
    }
}

/// To the millimetre, without zeros.
#[must_use]
pub fn short(metres: f64) -> String {
    ((metres * 1000.0).round() / 1000.0).to_string()
}
