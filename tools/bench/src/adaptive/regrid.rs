//! The rhythm of cycles while leaves change.

use crate::adaptive::{observer, quantile};
use crate::suite::{Bench, BenchResult, Context};
use crate::table::Measurement;
use crate::world::WorldPlan;
use std::time::Instant;
use thalweg::world::{AdaptiveOptions, ColumnKind, WorldBuilder};
use thalweg_engine::sim::Settings;
use thalweg_engine::sim::schedule::FixedStep;

/// The slowest cycles while leaves split and merge.
pub const BENCH: Bench = Bench {
    ids: &["forest.regrid_p999"],
    what: "99.9th percentile of the cycle time against its median, two observers on their way",
    is_long: true,
    measure,
};

const WHOLE: WorldPlan =
    WorldPlan { width: 4096, height: 4096, cell_m: 1.0, exponent: 18, datum_m: 0.0 };
const FRAMES: u32 = 3000;
/// Simulated time of a frame, s.
const FRAME: (u32, u32) = (1, 20);
/// Speed of the observers, m/s.
const SPEED_M_S: f64 = 20.0;

fn measure(context: &Context) -> BenchResult {
    let bed_m = |x: usize, y: usize| {
        let (x, y) = (x as f64, y as f64);
        3.0 * (x * 0.011).sin() * (y * 0.013).cos() + 0.5 * (x * 0.09).sin()
    };
    let builder = WorldBuilder::new(WHOLE.terrain(bed_m)?);
    let scale = builder.extent(4)?;
    let mut world = builder
        .settings(Settings { solver: context.solver, ..Settings::default() })
        .columns(ColumnKind::Flat)
        .adaptive(AdaptiveOptions { coarsest: 4, ..AdaptiveOptions::default() })
        .initial_stage(|place| 0.3 * (f64::from(place.x) * 0.01).sin())
        .build()?;
    let frame = FixedStep::try_new(FRAME.0, FRAME.1)?;
    let (mut times, mut changes, mut leaves) = (Vec::new(), 0, 0);
    for count in 0..FRAMES {
        let gone = f64::from(count) * SPEED_M_S * f64::from(FRAME.0) / f64::from(FRAME.1);
        let radii = [(0, 150.0), (1, 300.0), (2, 600.0)];
        let criteria = world.criteria_mut().ok_or("an adaptive world")?;
        criteria.clear();
        criteria.push(observer([500.0 + gone, 1000.0], &radii, &scale)?);
        criteria.push(observer([3000.0, 3600.0 - gone], &radii, &scale)?);
        let clock = Instant::now();
        world.run_cycle(frame);
        // The first leaves change one level at a time.
        if count >= 100 {
            times.push(1.0e3 * clock.elapsed().as_secs_f64());
        }
        let now = world.simulation().forest().leaves().len();
        changes += u32::from(now != leaves);
        leaves = now;
    }
    let (median, slow) = (quantile(&mut times, 0.5), quantile(&mut times, 0.999));
    let note = format!(
        "{FRAMES} frames of 1/20 s, {changes} of them change the count of leaves ({leaves} now); \
         median {median:.2} ms, 99th percentile {:.2} ms, 99.9th {slow:.2} ms, longest {:.2} ms",
        quantile(&mut times, 0.99),
        quantile(&mut times, 1.0)
    );
    Ok(vec![
        Measurement::new("forest.regrid_p999", slow / median, "1")
            .target("<= 3")
            .cells(WHOLE.cells())
            .note(note),
    ])
}
