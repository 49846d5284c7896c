//! Acts of a player: one stroke of each kind at many places, for good and with its undo.

use crate::suite::{Bench, BenchError, BenchResult, Context};
use crate::table::Measurement;
use crate::world::{WorldPlan, check_books, fractal, noise};
use std::time::Instant;
use thalweg::terrain::{Edit, Shape};
use thalweg::world::{Action, Amount, World, WorldBuilder};
use thalweg_engine::sim::Settings;
use thalweg_engine::sim::schedule::FixedStep;

/// Cost of an act.
pub const BENCH: Bench = Bench {
    ids: &["frame.act_us", "frame.act_back_us"],
    what: "acts of a radius of 6 m on a world of 1,024 leaves of hills and lakes: the dearest kind \
           of pouring, drawing, pushing and raising the ground, for good and with its way back",
    is_long: false,
    measure,
};

/// Columns and rows.
pub const SIDE: usize = 2048;
/// The world of the suite.
pub const WHOLE: WorldPlan =
    WorldPlan { width: SIDE, height: SIDE, cell_m: 1.0, exponent: 20, datum_m: 0.0 };
const RADIUS_M: f64 = 6.0;
/// Stage of the lakes, m.
const STAGE_M: f64 = 10.0;
/// Rounds, each of one cycle and some strokes of each kind.
const ROUNDS: u32 = 10;
const STROKES: u32 = 20;
const KINDS: [&str; 4] = ["pour", "draw", "push", "raise"];

fn bed_m(x: usize, y: usize) -> f64 {
    20.0 * fractal(11, x as f64 * 0.25, y as f64 * 0.25)
}

/// Makes hills with lakes, and a layer of rain that does not fall yet.
///
/// # Errors
///
/// Errors of the world.
pub fn lakes(context: &Context) -> Result<World, BenchError> {
    let settings = Settings { solver: context.solver, ..Settings::default() };
    let builder = WorldBuilder::new(WHOLE.terrain(bed_m)?).settings(settings);
    Ok(builder.rain("rain", &[(0.0, 0.0)])?.initial_stage(|_| STAGE_M).build()?)
}

/// Returns a stroke of a kind at a place of its own.
pub fn stroke(kind: usize, number: u32) -> Action {
    let at = |axis: i64| 20.0 + (SIDE as f64 - 40.0) * noise(3, i64::from(number), axis);
    let area = Shape::Disc { centre_m: [at(0), at(1)], radius_m: RADIUS_M, rim_m: 2.0 };
    match kind {
        0 => Action::AddWater { area, amount: Amount::DepthM(0.2) },
        1 => Action::RemoveWater { area, amount: Amount::DepthM(0.2) },
        2 => Action::PushWater { area, by_m_s: [0.5, -0.25] },
        _ => Action::EditTerrain(Edit::Raise { shape: area, by_m: 0.5 }),
    }
}

/// Returns the mean time of a stroke of each kind, µs.
fn strokes(
    world: &mut World,
    frame: FixedStep,
    has_way_back: bool,
) -> Result<[f64; 4], BenchError> {
    let mut seconds = [0.0; 4];
    for round in 0..ROUNDS {
        world.run_cycle(frame);
        for (kind, seconds) in seconds.iter_mut().enumerate() {
            for number in 0..STROKES {
                let action = stroke(kind, number + STROKES * round);
                let clock = Instant::now();
                if has_way_back {
                    let done = world.edits().act(action)?;
                    *seconds += clock.elapsed().as_secs_f64();
                    drop(done);
                } else {
                    world.edits().act_for_good(action)?;
                    *seconds += clock.elapsed().as_secs_f64();
                }
            }
        }
    }
    check_books(world)?;
    Ok(seconds.map(|seconds| 1.0e6 * seconds / f64::from(ROUNDS * STROKES)))
}

fn measure(context: &Context) -> BenchResult {
    let mut world = lakes(context)?;
    let frame = FixedStep::try_new(1, 60)?;
    strokes(&mut world, frame, false)?;
    let good = strokes(&mut world, frame, false)?;
    let back = strokes(&mut world, frame, true)?;
    let most = |times: [f64; 4]| times.into_iter().fold(0.0, f64::max);
    let note = |times: [f64; 4]| {
        let each = KINDS.iter().zip(times).map(|(kind, us)| format!("{kind} {us:.1}"));
        format!("µs: {}", each.collect::<Vec<_>>().join(", "))
    };
    Ok(vec![
        Measurement::new("frame.act_us", most(good), "us")
            .target("<= 20")
            .cells(WHOLE.cells())
            .note(note(good)),
        Measurement::new("frame.act_back_us", most(back), "us")
            .target("<= 100")
            .cells(WHOLE.cells())
            .note(note(back)),
    ])
}
