//! A world of ten thousand tiles of still water.

use crate::suite::{Bench, BenchResult, Context};
use crate::table::Measurement;
use crate::world::WorldPlan;
use std::time::Instant;
use thalweg::units::SimTime;
use thalweg::world::{AdaptiveOptions, ColumnKind, WorldBuilder};
use thalweg_engine::sim::Settings;

/// The cost of a world at rest.
pub const BENCH: Bench = Bench {
    ids: &["forest.rest_us"],
    what: "a cycle of a world of 10,000 tiles at rest",
    is_long: false,
    measure,
};

const WHOLE: WorldPlan =
    WorldPlan { width: 6400, height: 6400, cell_m: 1.0, exponent: 20, datum_m: 0.0 };
const CYCLES: u32 = 2000;

fn measure(context: &Context) -> BenchResult {
    let bed_m = |x: usize, y: usize| ((x / 8 + y / 8) % 7) as f64 * 0.5;
    let builder = WorldBuilder::new(WHOLE.terrain(bed_m)?);
    let scale = builder.extent(2)?;
    let middle = WHOLE.width as f64 / 2.0;
    let all = crate::adaptive::observer([middle; 2], &[(0, 1.0e5)], &scale)?;
    let mut world = builder
        .settings(Settings { solver: context.solver, ..Settings::default() })
        .columns(ColumnKind::Flat)
        .adaptive(AdaptiveOptions {
            coarsest: 2,
            budget_cells: 1 << 26,
            criteria: vec![all],
            ..AdaptiveOptions::default()
        })
        .initial_stage(|_| 2.0)
        .build()?;
    let end = SimTime::from_seconds(1.0e9);
    while world.run_cycle(end).awake > 0 {}
    // Plans settle once all leaves are old enough.
    (0..64).for_each(|_| _ = world.run_cycle(end));
    let tiles = world.simulation().forest().leaves().len();
    let clock = Instant::now();
    let awake: usize = (0..CYCLES).map(|_| world.run_cycle(end).awake).sum();
    let us = 1.0e6 * clock.elapsed().as_secs_f64() / f64::from(CYCLES);
    Ok(vec![
        Measurement::new("forest.rest_us", us, "µs")
            .target("<= 50")
            .cells(WHOLE.cells())
            .note(format!("{tiles} tiles, mean of {CYCLES} cycles, {awake} leaves awake in all")),
    ])
}
