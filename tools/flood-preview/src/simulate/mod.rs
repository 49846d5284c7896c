//! Simulation of a plan: a plan in, an outcome out.
//!
//! `heights` chooses the vertical unit, `setting` builds the engine's world from the plan,
//! `initial` fills it, `trial` foretells how long it takes, `course` runs it and records gauges and
//! the water that passes structures, sections and edges, `observed` puts observed series beside
//! them, `frames` draws its moments, `outlet` reads the places at which water left, `planes` reads
//! its maps, `downscaled` the maps of coarse cells. The engine counts rows from the south, rasters
//! from the north: the turn happens in `ground`, `initial`, `outlet`, `planes`, `frames` and
//! `downscaled`, nowhere else.
//!
//! Guarantees: the ledger of the outcome is the engine's, unrounded.

mod adaptive;
mod barrier;
mod before;
mod course;
mod downscaled;
mod frames;
mod gauge;
mod link;
mod observed;
mod outlet;
mod planes;
mod section;
mod trial;

use std::time::Instant;

use kit::device::{DeviceName, Seat};
use kit::error::UserError;
use kit::progress::CommandProgress;
use kit::threads::on_threads;
use kit::words::short;
use rasters::Grid;
use scenario::build::{Setting, build, index_of};
use scenario::place::MapSide;
use scenario::plan::{EdgeCondition, EdgePlan, MapPlan, Plan};
use scenario::quantity::metres;
use scenario::survey::Survey;

use crate::outcome::{
    Coarse, FloodLedger, FloodOutcome, FrameShape, LOST, MappedRock, Outlet, SectionRecord,
};
pub use trial::{Forecast, ForecastTimes, forecast};

use barrier::BarrierRecorder;
use before::GroundBefore;
use course::PreviewState;
use link::LinkRecorder;
use thalweg::units::VerticalScale;
use thalweg::world::{CellPlace, FineMaps, World};

/// Work on the world at the end of a run, before its maps are read.
pub type AtEnd<'a> = &'a (dyn Fn(&World) -> Result<(), UserError> + Sync);

/// Simulates the plan on as many threads as it gives, for a command on a device.
///
/// # Errors
///
/// If heights, stages or rates do not fit the engine's ranges, a source has no cell, or the user
/// stops before the run begins; errors of `at_end`.
pub fn simulate(
    plan: &Plan,
    survey: &Survey,
    (command, device): (String, DeviceName),
    progress: CommandProgress,
    at_end: AtEnd<'_>,
) -> Result<FloodOutcome, UserError> {
    on_threads(plan.numbers.threads, || run(plan, survey, (command, device), progress, at_end))
}

fn run(
    plan: &Plan,
    survey: &Survey,
    (command, device): (String, DeviceName),
    mut progress: CommandProgress,
    at_end: AtEnd<'_>,
) -> Result<FloodOutcome, UserError> {
    let start = Instant::now();
    let Setting { mut world, gauges, inflows, notes } = built(plan, survey, &mut progress)?;
    let fine = plan.is_adaptive.then(|| planes::fine(&world, plan.output.wet_depth_m));
    let seat = Seat::take(&mut world, device);
    let (was_wet, shape) = begun(plan, &world, fine.as_ref());
    let meters = outlet::Meters::new(&world);
    let mut course = PreviewState::new(plan, gauges, (fine, shape), progress);
    course.run(&mut world, seat);
    at_end(&world)?;
    course.bring_maps_up_to_date(&mut world);
    let ledger = ledger(plan, &world);
    let maps = planes::maps(&world, course.fine.as_ref(), plan.output.wet_depth_m);
    let (grid, inflow_cells, holes) = places(plan, &world, &inflows);
    let cells = (&*was_wet, &*inflow_cells, &*holes);
    let (before, of_before) =
        GroundBefore::new((plan, &grid), (&maps.bed_m, world.scale()), cells).before();
    let (mut sections, edges) = course.sections.finish();
    let (gauges, of_observed) = observed::beside(plan, course.gauges, &mut sections);
    let outlets = meters.outlets(&world, (plan, &grid), &inflows);
    let of_edges = notes_of_edges(plan, &ledger, (&edges, &outlets));
    Ok(FloodOutcome {
        title: plan.title.clone(),
        command,
        settings: settings(plan, world.scale()),
        notes: [plan.notes.clone(), notes, of_edges, of_before, of_observed].concat(),
        grid,
        output_grid: plan.map.input.clone(),
        open_sides: open_sides(plan),
        coarse: coarse(&plan.map),
        wet_depth_m: metres(plan.output.wet_depth_m),
        depth_classes_m: plan.output.depth_classes_m.clone(),
        inputs: plan.inputs(),
        before,
        inflow_cells,
        holes,
        bed_m: maps.bed_m,
        max_depth_m: maps.max_depth_m,
        max_speed_m_s: maps.max_speed_m_s,
        hazard_m2_s: maps.hazard_m2_s,
        arrival_s: maps.arrival_s,
        duration_s: maps.duration_s,
        below: planes::below(&world),
        final_depth_m: planes::depth_m(&world, course.fine.as_ref()),
        frames: course.frames,
        sections,
        edges,
        outlets,
        barriers: course.barriers.into_iter().map(BarrierRecorder::finish).collect(),
        links: course.links.into_iter().map(LinkRecorder::finish).collect(),
        rocks: rocks(plan),
        backdrop: plan.output.backdrop.clone(),
        gauges,
        ledger,
        simulated_s: world.time().seconds(),
        wall_s: start.elapsed().as_secs_f64(),
        interrupted: course.is_interrupted,
        levels: Vec::new(),
        counted: None,
        sure: None,
        faults: Vec::new(),
        is_searched: false,
    })
}

/// Returns the cells of the maps that are wet at the start, and the pixels of the frames, if any
/// are kept.
fn begun(plan: &Plan, world: &World, fine: Option<&FineMaps>) -> (Vec<bool>, Option<FrameShape>) {
    if world.water().stored() == 0 && plan.output.frames == 0 {
        // Drawing the depths of a large map takes seconds, and this one is dry.
        let grid = plan.map.drawn();
        return (vec![false; grid.width * grid.height], None);
    }
    let (depth_m, wet_depth_m) = (planes::depth_m(world, fine), metres(plan.output.wet_depth_m));
    let was_wet = depth_m.iter().map(|depth_m| *depth_m >= wet_depth_m).collect();
    (was_wet, frames::shape(plan, &depth_m))
}

/// Builds the world of a plan, with its sections.
fn built(
    plan: &Plan,
    survey: &Survey,
    progress: &mut CommandProgress,
) -> Result<Setting, UserError> {
    let mut setting = build(plan, survey, &|builder| builder, progress)?;
    section::put(&mut setting.world, plan)?;
    let walls = outlet::walls(&setting.world, (plan, &plan.map.drawn()), &setting.inflows);
    setting.notes.extend(walls);
    Ok(setting)
}

/// Returns the notes on the water that left the map.
fn notes_of_edges(
    plan: &Plan,
    ledger: &FloodLedger,
    (edges, outlets): (&[SectionRecord], &[Outlet]),
) -> Vec<String> {
    let of_sea = outlet::sea_that_left(plan, edges, ledger.stored_m3());
    let inside = MapSide::ALL.into_iter().filter(|side| !side.is_of_frame());
    let all = inside.filter_map(|side| swallowed(plan, side, ledger)).chain(of_sea);
    all.chain(outlet::notes(plan, outlets)).collect()
}

/// Returns the requested and the chosen settings.
fn settings(plan: &Plan, scale: VerticalScale) -> Vec<(String, String)> {
    let mut settings = plan.settings();
    settings.push(("heights".to_owned(), scale_words(scale)));
    settings
}

/// Returns the parts of the boundary that water crosses somewhere.
fn open_sides(plan: &Plan) -> Vec<MapSide> {
    let is_open = |side: &MapSide| {
        let mut edges = plan.edges.iter().filter(|edge| edge.side == *side);
        edges.any(|edge| edge.kind != EdgeCondition::Wall)
    };
    MapSide::ALL.into_iter().filter(is_open).collect()
}

/// Returns the grid of the maps, its cells in which an inflow enters, and the cells without data
/// that the ground encloses.
fn places(
    plan: &Plan,
    world: &World,
    inflows: &[Vec<CellPlace>],
) -> (Grid, Vec<usize>, Vec<usize>) {
    let grid = plan.map.drawn();
    let inflow_cells = before::inflow_cells(plan, &grid, inflows);
    let holes = holes(world, &grid);
    (grid, inflow_cells, holes)
}

/// Returns the cells of the maps without data that the ground encloses, rising.
fn holes(world: &World, grid: &Grid) -> Vec<usize> {
    let cells = world.water().cells_of_holes();
    let mut cells: Vec<usize> =
        cells.map(|place| index_of(place, grid.width, grid.height)).collect();
    cells.sort_unstable();
    cells
}

/// Returns a note if more than a hundredth of all water left into NoData of one kind that is open.
fn swallowed(plan: &Plan, side: MapSide, ledger: &FloodLedger) -> Option<String> {
    let is_open = |edge: &&EdgePlan| edge.side == side && edge.kind == EdgeCondition::Open;
    let name = &plan.edges.iter().find(is_open)?.name;
    let (_, units) = ledger.out.iter().find(|(account, _)| account == name)?;
    let all = ledger.initial.checked_add(ledger.total_in()?)?;
    if *units <= all / 100 {
        return None;
    }
    #[expect(clippy::cast_precision_loss, reason = "for reading")]
    let (lost, all) = (*units as f64, all as f64);
    let (share, lost_m3) = (lost / all, lost * ledger.unit_m3);
    Some(swallowed_words(share, lost_m3, (side, plan.map.has_outline())))
}

/// Returns the words of that note. If the heights end by the user's own outline no ground is
/// missing; otherwise it may be.
fn swallowed_words(share: f64, lost_m3: f64, (side, has_outline): (MapSide, bool)) -> String {
    let water = format!("{:.0} {LOST} ({lost_m3:.0} m³)", 100.0 * share);
    if side == MapSide::Holes {
        return format!(
            "{water} ran into holes of NoData in the ground and is gone: if they are houses, or \
             ground that lacks its heights, leave --edge holes=... and `holes` below [edges] out: \
             holes are walls by default"
        );
    }
    let (what, mend) = match has_outline {
        true => (
            "left over the outline of --area",
            "if it would come back or do harm there, draw the area larger",
        ),
        false => (
            "left into cells without a height (NoData) that reach the frame of the map",
            "if the map ends there, as one cut out along a watershed does, that is how an open \
             edge works; houses that the frame cuts are such cells, too",
        ),
    };
    format!(
        "{water} {what}: {mend}; --edge nodata=wall (nodata = \"wall\" below [edges]) makes it a \
         wall"
    )
}

/// Tunnels and bridges as they are drawn; meshes and voxels have no line.
fn rocks(plan: &Plan) -> Vec<MappedRock> {
    let grid = plan.map.drawn();
    let drawn = |rock: &scenario::plan::RockPlan| {
        let path = rock.path.iter().map(|at| [at.x, at.y]).collect();
        MappedRock::new(rock.kind(), &rock.name, path, rock.deck_m(), &grid)
    };
    plan.rocks.iter().filter(|rock| rock.path.len() > 1).map(drawn).collect()
}

fn coarse(map: &MapPlan) -> Option<Coarse> {
    map.coarse_words().map(|words| Coarse { cell_m: map.cell_m(), words })
}

fn scale_words(scale: VerticalScale) -> String {
    let (k, datum) = (scale.exponent(), short(scale.datum_m()));
    format!("whole multiples of 2^-{k} m above {datum} m")
}

/// Returns the engine's accounts: sources under `into`, the rest under `out`, and flow in the
/// opposite direction in addition.
fn ledger(plan: &Plan, world: &World) -> FloodLedger {
    let rains = plan.rains.iter().map(|rain| rain.name.as_str());
    let sources: Vec<&str> =
        rains.chain(plan.inflows.iter().map(|inflow| inflow.name.as_str())).collect();
    let (mut into, mut out) = (Vec::new(), Vec::new());
    for account in world.water().ledger().accounts() {
        let is_source = sources.contains(&account.name.as_str());
        if is_source || account.into != 0 {
            into.push((account.name.clone(), account.into));
        }
        if !is_source || account.out != 0 {
            out.push((account.name.clone(), account.out));
        }
    }
    FloodLedger {
        unit_m3: world.water().unit_m3(),
        initial: world.water().ledger().initial(),
        stored: world.water().stored(),
        into,
        out,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Goal: the user's own outline is not taken for ground that lacks heights, nor is the frame of
    /// a map that ends at a watershed.
    #[test]
    fn water_over_an_outline_is_not_missing_ground() {
        let outlined = swallowed_words(0.25, 1200.4, (MapSide::NoData, true));
        let open = swallowed_words(0.25, 1200.4, (MapSide::NoData, false));
        for words in [&outlined, &open] {
            assert!(words.starts_with("25 % of the water (1200 m³) "), "{words}");
            assert!(words.contains(LOST), "{words}");
            assert!(words.contains("--edge nodata=wall ("), "{words}");
        }
        assert!(outlined.contains("outline of --area") && !outlined.contains("watershed"));
        assert!(open.contains("along a watershed"), "{open}");
        let holes = swallowed_words(0.25, 1200.4, (MapSide::Holes, true));
        assert!(holes.contains("holes are walls by default") && !holes.contains("nodata=wall"));
    }
}
