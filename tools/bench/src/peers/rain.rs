//! A cloudburst on mountains: 60 mm/h for 18 minutes, which runs down and stays, walls around.
//!
//! Big Tujunga, 1,197 × 643 cells of 30 m that rise by two kilometres; n = 0.035, and nothing seeps
//! away.
//!
//! Limits:     the comparison does not record its roughness; this one gives the steps of its run
//!             (`src/guide/peers.md`).
//! Source:     own.

use crate::peers::bench;
use crate::peers::work::{PeerWork, on_threads};
use crate::suite::{Bench, BenchResult, Context};
use crate::world::terrain_of;
use rasters::Hints;
use thalweg::units::VerticalScale;
use thalweg::world::{MapKinds, WorldBuilder};
use thalweg_engine::sim::{Settings, Solver};

/// The cloudburst with shallow water.
pub const SWE: Bench = bench(
    &["peers.rain.swe"],
    "rain of 60 mm/h on 770,000 cells of mountains, 18 min, shallow water: processor time",
    |context| measure(context, "peers.rain.swe", Solver::ShallowWater),
);

/// The cloudburst with the pipe method.
pub const PIPE: Bench = bench(
    &["peers.rain.pipe"],
    "rain of 60 mm/h on 770,000 cells of mountains, 18 min, pipe method: processor time",
    |context| measure(context, "peers.rain.pipe", Solver::Pipe),
);

const MANNING: f64 = 0.035;
const RAIN_MM_H: f64 = 60.0;
const END_S: f64 = 18.0 * 60.0;

fn measure(context: &Context, id: &'static str, solver: Solver) -> BenchResult {
    on_threads(context, || {
        let map = context.data("heightmaps/bigtujunga.tif")?;
        let mut source = rasters::open(&map, &Hints::default())?;
        let scale = |low, high| Ok(VerticalScale::choose(low, high, 200.0)?);
        let (grid, terrain) = terrain_of(source.as_mut(), scale)?;
        let settings = Settings { solver, manning_n: vec![MANNING], ..Settings::default() };
        let mut world = WorldBuilder::new(terrain)
            .settings(settings)
            .maps(MapKinds::DEPTH)
            .rain("storm", &[(0.0, RAIN_MM_H / 3.6e6)])?
            .build()?;
        let work = PeerWork::of(&mut world, END_S)?;
        Ok(vec![work.measurement(id, grid.width * grid.height)])
    })
}
