//! A circular dam break on wet ground: every cell is wet, cells ahead of the bore are at rest.
//!
//! ```text
//! 10,240 × 10,240 m, cells of 10 m, flat, walls around, n = 0.03
//! 10 m of water within 2,000 m of the middle, 2 m around it; 100 s
//! ```
//!
//! Limits:     the bore does not reach the walls. The comparison does not record its radius; this
//!             one gives the cell-steps of its run (`src/guide/peers.md`).
//! Source:     own.

use crate::peers::bench;
use crate::peers::work::{PeerWork, on_threads};
use crate::suite::{Bench, BenchResult, Context};
use crate::world::WorldPlan;
use thalweg::world::{MapKinds, WorldBuilder};
use thalweg_engine::grid::cells::CellPlace;
use thalweg_engine::sim::{Settings, Solver};

/// The dam break with shallow water.
pub const SWE: Bench = bench(
    &["peers.dam.swe"],
    "dam break on wet ground, 1.05 million cells, 100 s, shallow water: processor time",
    |context| measure(context, "peers.dam.swe", Solver::ShallowWater),
);

/// The dam break with the pipe method.
pub const PIPE: Bench = bench(
    &["peers.dam.pipe"],
    "dam break on wet ground, 1.05 million cells, 100 s, pipe method: processor time",
    |context| measure(context, "peers.dam.pipe", Solver::Pipe),
);

const PLAN: WorldPlan =
    WorldPlan { width: 1024, height: 1024, cell_m: 10.0, exponent: 20, datum_m: 0.0 };
const MANNING: f64 = 0.03;
const RADIUS_M: f64 = 2000.0;
const BEHIND_M: f64 = 10.0;
const AHEAD_M: f64 = 2.0;
const END_S: f64 = 100.0;

/// Returns the stage before the dam breaks, m.
fn stage_m(place: CellPlace) -> f64 {
    let from_middle = |i: u32, side: usize| (f64::from(i) + 0.5 - 0.5 * side as f64) * PLAN.cell_m;
    let (x, y) = (from_middle(place.x, PLAN.width), from_middle(place.y, PLAN.height));
    if x.hypot(y) < RADIUS_M { BEHIND_M } else { AHEAD_M }
}

fn measure(context: &Context, id: &'static str, solver: Solver) -> BenchResult {
    on_threads(context, || {
        let settings = Settings { solver, manning_n: vec![MANNING], ..Settings::default() };
        let builder = WorldBuilder::new(PLAN.terrain(|_, _| 0.0)?).settings(settings);
        let mut world = builder.maps(MapKinds::DEPTH).initial_stage(stage_m).build()?;
        Ok(vec![PeerWork::of(&mut world, END_S)?.measurement(id, PLAN.cells())])
    })
}
