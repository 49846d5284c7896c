//! The state hash, brought up to date.

use crate::frame::act::{WHOLE, lakes, stroke};
use crate::suite::{Bench, BenchResult, Context};
use crate::table::Measurement;
use std::hint::black_box;
use std::time::Instant;
use thalweg_engine::sim::schedule::FixedStep;

/// Cost of the state hash.
pub const BENCH: Bench = Bench {
    ids: &["frame.hash_us", "frame.hash_cycle_ms"],
    what: "the state hash of 1,024 leaves of hills and lakes after an act of a radius of 6 m, the \
           dearest kind, and after a cycle, when all leaves that are awake are hashed anew",
    is_long: false,
    measure,
};

const STROKES: u32 = 25;
const CYCLES: u32 = 8;

fn measure(context: &Context) -> BenchResult {
    let mut world = lakes(context)?;
    let frame = FixedStep::try_new(1, 60)?;
    let (mut cycle_s, mut act_s, mut awake) = (0.0, [0.0; 4], 0);
    for _ in 0..CYCLES {
        awake = world.run_cycle(frame).awake;
        let clock = Instant::now();
        black_box(world.state_hash());
        cycle_s += clock.elapsed().as_secs_f64();
    }
    for number in 0..STROKES {
        for (kind, act_s) in act_s.iter_mut().enumerate() {
            world.edits().act_for_good(stroke(kind, number))?;
            let clock = Instant::now();
            black_box(world.state_hash());
            *act_s += clock.elapsed().as_secs_f64();
        }
    }
    let act_us = act_s.into_iter().fold(0.0, f64::max) * 1.0e6 / f64::from(STROKES);
    Ok(vec![
        Measurement::new("frame.hash_us", act_us, "us").target("<= 1000").cells(WHOLE.cells()),
        Measurement::new("frame.hash_cycle_ms", cycle_s * 1.0e3 / f64::from(CYCLES), "ms")
            .cells(WHOLE.cells())
            .note(format!("{awake} leaves awake")),
    ])
}
