//! Growth of the cost of a cycle with a world whose wet part and observers stay the same.

use crate::adaptive::{observer, quantile};
use crate::suite::{Bench, BenchError, BenchResult, Context};
use crate::table::Measurement;
use crate::world::WorldPlan;
use std::time::Instant;
use thalweg::units::SimTime;
use thalweg::world::{AdaptiveOptions, ColumnKind, World, WorldBuilder};
use thalweg_engine::sim::Settings;

/// The cost of a cycle as the world grows.
pub const BENCH: Bench = Bench {
    ids: &["forest.growth"],
    what: "time of a cycle as a world grows from 1 km to 8 km around the same pond",
    is_long: true,
    measure,
};

const CYCLES: usize = 150;
const SIDES: [usize; 4] = [1024, 2048, 4096, 8192];
/// Radius of the pond, m.
const POND_M: f64 = 180.0;

/// Makes a pond in the south-west, slopes beyond.
fn world(side: usize, context: &Context) -> Result<World, BenchError> {
    let plan = WorldPlan { width: side, height: side, cell_m: 1.0, exponent: 18, datum_m: 0.0 };
    let from_pond = |x: f64, y: f64| (x - 400.0).hypot(y - 400.0) - POND_M;
    let bed_m = |x: usize, y: usize| {
        let from = from_pond(x as f64, y as f64);
        (0.02 * from).clamp(-2.0, 60.0) + 0.2 * (x as f64 * 0.1).sin() * (y as f64 * 0.07).cos()
    };
    let builder = WorldBuilder::new(plan.terrain(bed_m)?);
    let scale = builder.extent(4)?;
    let near = observer([400.0; 2], &[(0, 250.0), (1, 400.0), (2, 600.0)], &scale)?;
    let settings = Settings { solver: context.solver, ..Settings::default() };
    let mut world = builder
        .settings(settings)
        .columns(ColumnKind::Flat)
        .adaptive(AdaptiveOptions {
            coarsest: 4,
            criteria: vec![near],
            ..AdaptiveOptions::default()
        })
        .initial_stage(move |place| {
            let (x, y) = (f64::from(place.x), f64::from(place.y));
            if from_pond(x, y) < 30.0 { 0.2 * (x * 0.02).sin() } else { f64::NAN }
        })
        .build()?;
    // Until dry leaves sleep; the pond sloshes on.
    let end = SimTime::from_seconds(1.0e9);
    (0..60).for_each(|_| _ = world.run_cycle(end));
    Ok(world)
}

fn measure(context: &Context) -> BenchResult {
    let mut worlds = Vec::new();
    for side in SIDES {
        worlds.push((world(side, context)?, Vec::new()));
    }
    let end = SimTime::from_seconds(1.0e9);
    let mut awake = Vec::new();
    for cycle in 0..CYCLES {
        for (world, times) in &mut worlds {
            let clock = Instant::now();
            let report = world.run_cycle(end);
            times.push(1.0e3 * clock.elapsed().as_secs_f64() / f64::from(report.steps));
            if cycle + 1 == CYCLES {
                awake.push((world.simulation().forest().leaves().len(), report.awake));
            }
        }
    }
    let medians: Vec<f64> = worlds.iter_mut().map(|(_, times)| quantile(times, 0.5)).collect();
    let growth = medians.windows(2).map(|pair| pair[1] / pair[0] - 1.0).fold(0.0, f64::max);
    let note = format!(
        "sides {SIDES:?} m; medians of {CYCLES} cycles in turn, ms a step: {medians:.3?}; leaves \
         and awake ones: {awake:?}"
    );
    Ok(vec![
        Measurement::new("forest.growth", growth, "1")
            .target("<= 0.1")
            .cells(SIDES[3] * SIDES[3])
            .note(note),
    ])
}
