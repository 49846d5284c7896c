//! A cloudburst on a town: 60 mm/h for half an hour, which runs off roofs into streets and down
//! them, walls around.
//!
//! ```text
//! 1,280 × 896 m, cells of 2 m: sixteen times the streets of `gen-world --streets`, each beside its
//! mirror image, so that the ground is without steps; n = 0.03, and nothing seeps away
//! rain until 30 min, end at 60 min
//! ```
//!
//! Source:     own.

use crate::peers::bench;
use crate::peers::work::{PeerWork, on_threads};
use crate::suite::{Bench, BenchResult, Context};
use crate::world::WorldPlan;
use gen_world::streets::{SIZE, Streets};
use thalweg::world::{MapKinds, WorldBuilder};
use thalweg_engine::sim::{Settings, Solver};

/// The cloudburst with shallow water.
pub const SWE: Bench = bench(
    &["peers.town.swe"],
    "rain of 60 mm/h on a town, 290,000 cells of 2 m, 1 h, shallow water: processor time",
    |context| measure(context, "peers.town.swe", Solver::ShallowWater),
);

/// The cloudburst with the pipe method.
pub const PIPE: Bench = bench(
    &["peers.town.pipe"],
    "rain of 60 mm/h on a town, 290,000 cells of 2 m, 1 h, pipe method: processor time",
    |context| measure(context, "peers.town.pipe", Solver::Pipe),
);

const PLAN: WorldPlan =
    WorldPlan { width: 640, height: 448, cell_m: 2.0, exponent: 20, datum_m: 0.0 };
const SEED: u64 = 7;
const MANNING: f64 = 0.03;
const RAIN_M_S: f64 = 60.0 / 3.6e6;
const RAIN_END_S: f64 = 1800.0;
const END_S: f64 = 3600.0;

/// Returns the place along an axis within the streets, which repeat every `size` metres; every
/// second copy is mirrored.
fn folded(x: f64, size: usize) -> f64 {
    let size = size as f64;
    let within = x.rem_euclid(2.0 * size);
    within.min(2.0 * size - within)
}

fn measure(context: &Context, id: &'static str, solver: Solver) -> BenchResult {
    on_threads(context, || {
        let streets = Streets::from_seed(SEED);
        let middle = |cell: usize| (cell as f64 + 0.5) * PLAN.cell_m;
        let terrain = PLAN.terrain(|x, y| {
            let [width, height] = SIZE;
            streets.bed_m(folded(middle(x), width), folded(middle(y), height))
        })?;
        let settings = Settings { solver, manning_n: vec![MANNING], ..Settings::default() };
        let mut world = WorldBuilder::new(terrain)
            .settings(settings)
            .maps(MapKinds::DEPTH)
            .rain("cloudburst", &[(0.0, RAIN_M_S), (RAIN_END_S, 0.0)])?
            .build()?;
        Ok(vec![PeerWork::of(&mut world, END_S)?.measurement(id, PLAN.cells())])
    })
}
