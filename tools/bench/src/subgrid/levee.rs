//! A levee 4 m wide in the middle of cells of 32 m, whole and with a gap of 10 m.
//!
//! ```text
//! north  open          plain of 512 × 256 m, falls by 1 in 1000 to the north
//!        ───────┤ ├──────────   crest 3 m over the plain, y = 110 to 114 m; gap from x = 267 m
//! south  gap:   a stage that rises to 1.5 m over the plain and stays
//!        whole: an inflow of 150 m³/s along all of the side
//! ```
//!
//! The gap's flow is the water that collects beyond y = 128 m and leaves in the north. The whole
//! levee is to be dry behind while the inflow would fill the south to half a metre below its crest.
//! It counts as overtopped when 1000 m³ are behind it.
//!
//! Source:     own.

use crate::accuracy::case::percent;
use crate::subgrid::columns::{CoarseColumns, KINDS, with_columns};
use crate::suite::{Bench, BenchError, BenchResult, Context};
use crate::table::Measurement;
use crate::world::{WorldPlan, out_m3, place};
use thalweg::units::SimTime;
use thalweg::world::{EdgeKind, EdgePlace, World, WorldBuilder};
use thalweg_engine::grid::Side;
use thalweg_engine::sim::{Settings, Solver};

/// Flow of the gap, and depth behind the whole levee.
pub const BENCH: Bench = Bench {
    ids: &["subgrid.levee", "subgrid.levee.behind"],
    what: "a levee 4 m wide in cells of 32 m: relative error of its gap's flow, depth behind it",
    is_long: true,
    measure,
};

const PLAN: WorldPlan =
    WorldPlan { width: 512, height: 256, cell_m: 1.0, exponent: 20, datum_m: 0.0 };
const LEVEL: u8 = 5;
const MANNING: f64 = 0.03;
/// Rows of the levee, and columns of its gap.
const LEVEE: std::ops::Range<usize> = 110..114;
const GAP: std::ops::Range<usize> = 267..277;
const CREST_M: f64 = 3.0;
/// First row behind the cells that contain the levee.
const BEHIND: usize = 128;

/// Stage in the south, m over time, and the times between which the gap's flow is measured.
const STAGES: [(f64, f64); 3] = [(0.0, 10.0), (200.0, 11.4), (900.0, 11.4)];
const GAP_LOOKS_S: [f64; 2] = [600.0, 900.0];
const INFLOW_M3_S: f64 = 150.0;
/// Time at which the inflow is half a metre below the crest, s.
const BELOW_CREST_S: f64 = 920.0;
const END_S: f64 = 1400.0;
const OVERTOPPED_M3: f64 = 1000.0;

fn plain_m(y: usize) -> f64 {
    10.0 - 0.001 * (y as f64 + 0.5)
}

/// Returns the bed of the plain with its levee, whole or with its gap.
fn bed_m(has_gap: bool) -> impl Fn(usize, usize) -> f64 {
    move |x, y| {
        let is_crest = LEVEE.contains(&y) && !(has_gap && GAP.contains(&x));
        plain_m(y) + if is_crest { CREST_M } else { 0.0 }
    }
}

/// Makes a world with its levee, and with its inflow or stage in the south.
fn world(
    level: u8,
    columns: CoarseColumns,
    solver: Solver,
    has_gap: bool,
) -> Result<World, BenchError> {
    let mut builder = WorldBuilder::new(PLAN.terrain(bed_m(has_gap))?)
        .level(level)
        .settings(Settings { solver, manning_n: vec![MANNING], ..Settings::default() })
        .edge("north", EdgePlace::Side(Side::North), EdgeKind::Open);
    builder = if has_gap {
        builder.edge("south", EdgePlace::Side(Side::South), EdgeKind::Stage(STAGES.to_vec()))
    } else {
        let cells: Vec<_> = (0..PLAN.width >> level).map(|x| place(x, 0)).collect();
        builder.inflow("south", &[(0.0, INFLOW_M3_S)], &cells)?
    };
    Ok(with_columns(builder, columns).build()?)
}

/// Returns the water that has reached the cells behind the levee's, m³, and the largest depth
/// there, m.
fn behind(world: &World, level: u8) -> (f64, f64) {
    let width = PLAN.width >> level;
    let rows = BEHIND >> level..PLAN.height >> level;
    let depths =
        rows.flat_map(|y| (0..width).filter_map(move |x| world.water().depth_m(place(x, y))));
    let (sum, most) = depths.fold((0.0, 0.0_f64), |(sum, most), h| (sum + h, most.max(h)));
    (sum * world.cell_width_m().powi(2) + out_m3(world, "north"), most)
}

/// Returns the flow of the gap, m³/s.
fn gap_m3_s(level: u8, columns: CoarseColumns, solver: Solver) -> Result<f64, BenchError> {
    let mut world = world(level, columns, solver, true)?;
    let [from, to] = GAP_LOOKS_S.map(|moment| {
        world.run_until(SimTime::from_seconds(moment));
        behind(&world, level).0
    });
    Ok((to - from) / (GAP_LOOKS_S[1] - GAP_LOOKS_S[0]))
}

/// Returns the largest depth behind the whole levee while the water is below its crest, m, and the
/// time of overtopping, s.
fn whole(level: u8, columns: CoarseColumns, solver: Solver) -> Result<(f64, f64), BenchError> {
    let mut world = world(level, columns, solver, false)?;
    let (mut deepest, mut overtopped) = (0.0_f64, f64::INFINITY);
    while world.time().seconds() < END_S {
        let next = world.time().seconds() + 5.0;
        world.run_until(SimTime::from_seconds(next));
        let (volume, depth) = behind(&world, level);
        if next <= BELOW_CREST_S {
            deepest = deepest.max(depth);
        }
        if volume >= OVERTOPPED_M3 {
            overtopped = overtopped.min(next);
        }
    }
    Ok((deepest, overtopped))
}

fn measure(_: &Context) -> BenchResult {
    let (mut error, mut deepest, mut lines) = (0.0_f64, 0.0_f64, Vec::new());
    for solver in [Solver::Pipe, Solver::ShallowWater] {
        let fine = gap_m3_s(0, CoarseColumns::Flat, solver)?;
        let (leak, over) = whole(0, CoarseColumns::Flat, solver)?;
        lines.push(format!(
            "{solver:?}, 1 m: {fine:.2} m³/s through the gap; {leak:.4} m behind the whole levee, \
             overtopped at {over:.0} s"
        ));
        for &columns in KINDS {
            let gap = gap_m3_s(LEVEL, columns, solver)?;
            let (leak, over) = whole(LEVEL, columns, solver)?;
            lines.push(format!(
                "{solver:?}, {columns}, 32 m: {gap:.2} m³/s through the gap ({}); {leak:.4} m \
                 behind the whole levee, overtopped at {over:.0} s",
                percent(gap / fine - 1.0)
            ));
            if KINDS.last() == Some(&columns) {
                error = error.max((gap / fine - 1.0).abs());
                deepest = deepest.max(leak);
            }
        }
    }
    Ok(vec![
        Measurement::new("subgrid.levee", error, "1")
            .target("<= 0.2")
            .cells(PLAN.cells())
            .note(lines.join("\n")),
        Measurement::new("subgrid.levee.behind", deepest, "m").target("<= 0").cells(PLAN.cells()),
    ])
}
