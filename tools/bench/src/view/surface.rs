//! The surface of a valley of 2 km × 2 km at one metre while a flood wave runs through it.

use crate::suite::{Bench, BenchResult, Context};
use crate::table::Measurement;
use crate::world::{WorldPlan, fractal};
use std::time::Instant;
use thalweg::probe::{Surface, SurfaceMesh, Window};
use thalweg::world::{ColumnKind, EdgeKind, World, WorldBuilder};
use thalweg_engine::grid::cells::CellPlace;
use thalweg_engine::sim::Settings;
use thalweg_engine::sim::schedule::FixedStep;

/// Cost of the surface in a frame.
pub const BENCH: Bench = Bench {
    ids: &[
        "view.surface_ms",
        "view.surface_state_ms",
        "view.subgrid_ms",
        "view.subgrid_state_ms",
        "view.mesh_ms",
    ],
    what: "the surface of a 4 M-cell view, brought up to date every frame while a flood runs; the \
           finest cells below sub-grid columns of 4 m, and the meshes of these",
    is_long: false,
    measure,
};

const SIDE: usize = 2048;
const WHOLE: WorldPlan =
    WorldPlan { width: SIDE, height: SIDE, cell_m: 1.0, exponent: 20, datum_m: 100.0 };
/// Fall of the valley's floor to the south.
const SLOPE: f64 = 0.004;
/// Half the width of the river and of its plain, m.
const RIVER_M: f64 = 25.0;
const PLAIN_M: f64 = 180.0;
/// Row at the southern end of the wave at the beginning, and its depth over the floor, m.
const DAM: f64 = 1400.0;
const WAVE_M: f64 = 5.0;
/// Frames and cycles a second, cycles before the measured ones, and frames measured.
const FRAMES_PER_S: u32 = 60;
const CYCLES_PER_S: u32 = 15;
const WARM: u32 = 20 * CYCLES_PER_S;
const FRAMES: u32 = 480;

/// Returns the distance from the middle of the river, m.
fn off_middle_m(x: f64, y: f64) -> f64 {
    (x - (1024.0 + 260.0 * (y / 210.0).sin())).abs()
}

fn bed_m(x: usize, y: usize) -> f64 {
    let (x, y) = (x as f64 + 0.5, y as f64 + 0.5);
    let off = off_middle_m(x, y);
    let plain = 1.5 * ((off - RIVER_M) / 8.0).clamp(0.0, 1.0) + 0.004 * (off - RIVER_M).max(0.0);
    let hills = (0.2 * (off - PLAIN_M).max(0.0)).min(60.0);
    SLOPE * y + plain + hills + 0.4 * fractal(5, x, y)
}

/// Makes the valley in cells of a level: of 1 m, or of sub-grid columns.
fn flooded(context: &Context, level: u8) -> Result<World, crate::suite::BenchError> {
    let cell_m = f64::from(1_u32 << level);
    let stage = move |p: CellPlace| {
        let (x, y) = (cell_m * (f64::from(p.x) + 0.5), cell_m * (f64::from(p.y) + 0.5));
        match off_middle_m(x, y) {
            off if y >= DAM && off < PLAIN_M + 60.0 => SLOPE * DAM + WAVE_M,
            off if off < RIVER_M => SLOPE * y + 1.2,
            _ => f64::NAN,
        }
    };
    let settings =
        Settings { solver: context.solver, manning_n: vec![0.03], ..Settings::default() };
    let builder = WorldBuilder::new(WHOLE.terrain(bed_m)?).settings(settings);
    let columns = if level > 0 { ColumnKind::SubGrid } else { ColumnKind::Flat };
    Ok(builder.level(level).columns(columns).edges(EdgeKind::Open).initial_stage(stage).build()?)
}

/// Times of updates, ms.
#[derive(Debug, Default)]
struct UpdateTimes {
    sum: f64,
    largest: f64,
    count: u32,
}

impl UpdateTimes {
    fn add(&mut self, ms: f64) {
        self.sum += ms;
        self.largest = self.largest.max(ms);
        self.count += 1;
    }

    fn mean(&self) -> f64 {
        self.sum / f64::from(self.count)
    }
}

/// Draws the surface of all cells of 1 m, and, if the world's are coarser, the meshes of its
/// leaves.
fn drawn(context: &Context, level: u8) -> Result<SurfaceTimes, crate::suite::BenchError> {
    let mut world = flooded(context, level)?;
    let step = FixedStep::try_new(1, CYCLES_PER_S)?;
    (0..WARM).for_each(|_| _ = world.run_cycle(step));
    let corner = CellPlace { x: 0, y: 0 };
    let mut surface = Surface::try_new(Window { level: 0, corner, width: SIDE, height: SIDE })?;
    let mut mesh = SurfaceMesh::try_new([0.0; 2], [SIDE as f64; 2])?;
    let clock = Instant::now();
    let all = surface.update(&world).len();
    let first_ms = 1.0e3 * clock.elapsed().as_secs_f64();
    mesh.update(&world);
    let mut drawn = SurfaceTimes { all, first_ms, ..SurfaceTimes::default() };
    for frame in 0..FRAMES {
        let has_state = frame % (FRAMES_PER_S / CYCLES_PER_S) == 0;
        if has_state {
            world.run_cycle(step);
        }
        let clock = Instant::now();
        let changed = surface.update(&world).len();
        let ms = 1.0e3 * clock.elapsed().as_secs_f64();
        drawn.frames.add(ms);
        if has_state {
            drawn.states.add(ms);
            drawn.tiles += changed;
        }
        if has_state && level > 0 {
            let clock = Instant::now();
            mesh.update(&world);
            drawn.meshes.add(1.0e3 * clock.elapsed().as_secs_f64());
        }
    }
    drawn.wet = surface.depth_m().iter().filter(|&&depth_m| depth_m > 0.0).count();
    drawn.foam = surface.foam().iter().filter(|&&foam| foam > 0.0).count();
    Ok(drawn)
}

/// Times of a surface and of meshes, and the counts of drawn parts.
#[derive(Debug, Default)]
struct SurfaceTimes {
    frames: UpdateTimes,
    states: UpdateTimes,
    meshes: UpdateTimes,
    /// Tiles of the window, and tiles of these written at all states.
    all: usize,
    tiles: usize,
    first_ms: f64,
    wet: usize,
    foam: usize,
}

impl SurfaceTimes {
    fn note(&self, context: &Context) -> String {
        format!(
            "{:.0} of {} tiles written per state, {CYCLES_PER_S} states and {FRAMES_PER_S} frames \
             a second, {FRAMES} frames; {} cells wet, {} with foam; a frame with a new state: mean \
             {:.2} ms, largest {:.2} ms; the first update of all {:.0} ms; triad {:.1} GB/s",
            self.tiles as f64 / f64::from(self.states.count),
            self.all,
            self.wet,
            self.foam,
            self.states.mean(),
            self.states.largest,
            self.first_ms,
            context.triad_bytes_per_s() / 1.0e9
        )
    }
}

fn measure(context: &Context) -> BenchResult {
    let [flat, below] = [drawn(context, 0)?, drawn(context, 2)?];
    let measured = |id, ms: f64| Measurement::new(id, ms, "ms").cells(SIDE * SIDE);
    let states = "the same, over frames with a new state only";
    Ok(vec![
        measured("view.surface_ms", flat.frames.mean()).target("<= 2").note(flat.note(context)),
        measured("view.surface_state_ms", flat.states.mean()).target("<= 6").note(states),
        measured("view.subgrid_ms", below.frames.mean()).target("<= 2").note(below.note(context)),
        measured("view.subgrid_state_ms", below.states.mean()).target("<= 6").note(states),
        measured("view.mesh_ms", below.meshes.mean())
            .note("meshes of the leaves with columns, over frames with a new state"),
    ])
}
