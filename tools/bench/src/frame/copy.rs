//! A copy of a world.

use crate::frame::act::{WHOLE, lakes};
use crate::suite::{Bench, BenchResult, Context};
use crate::table::Measurement;
use std::hint::black_box;
use std::time::Instant;
use thalweg_engine::sim::schedule::FixedStep;

/// Cost of a copy, and of the cycles of both that follow it.
pub const BENCH: Bench = Bench {
    ids: &["frame.copy_ms", "frame.copy_cycle"],
    what: "a copy of a world of 1,024 leaves of hills and lakes, and the first cycle of the world \
           while the copy is held, against one without: planes are copied when they are written",
    is_long: false,
    measure,
};

const ROUNDS: u32 = 12;

fn measure(context: &Context) -> BenchResult {
    let mut world = lakes(context)?;
    let frame = FixedStep::try_new(1, 60)?;
    world.run_cycle(frame);
    let (mut copy_s, mut beside_s, mut alone_s) = (0.0, 0.0, 0.0);
    for _ in 0..ROUNDS {
        let clock = Instant::now();
        let copy = black_box(world.try_clone()?);
        copy_s += clock.elapsed().as_secs_f64();
        let clock = Instant::now();
        world.run_cycle(frame);
        beside_s += clock.elapsed().as_secs_f64();
        drop(copy);
        let clock = Instant::now();
        world.run_cycle(frame);
        alone_s += clock.elapsed().as_secs_f64();
    }
    let copy_ms = 1.0e3 * copy_s / f64::from(ROUNDS);
    Ok(vec![
        Measurement::new("frame.copy_ms", copy_ms, "ms").cells(WHOLE.cells()),
        Measurement::new("frame.copy_cycle", beside_s / alone_s, "x").cells(WHOLE.cells()),
    ])
}
