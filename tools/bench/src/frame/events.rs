//! Events of a game: the cost of reports about buildings and gauges, and of queries of each.
//!
//! A cycle of no length wakes leaves and counts them as changed, and steps nothing: watches are
//! checked, and the cycle does little else. Its time with watches less its time without is theirs.

use crate::frame::act::{SIDE, WHOLE, lakes};
use crate::suite::{Bench, BenchError, BenchResult, Context};
use crate::table::Measurement;
use crate::world::{check_books, noise};
use std::time::Instant;
use thalweg::world::{Watch, World, WorldBuilder};
use thalweg_engine::sim::Settings;
use thalweg_engine::sim::schedule::FixedStep;

/// Cost of events.
pub const BENCH: Bench = Bench {
    ids: &["frame.events_us", "frame.events_ratio", "frame.events_asleep_us"],
    what: "2,000 footprints of 10 x 10 m and 100 gauges that are watched on a flood over all of a \
           world of 1,024 leaves: a cycle's events, against asking of each; and while all sleep",
    is_long: false,
    measure,
};

const FOOTPRINTS: u32 = 2000;
const GAUGES: u32 = 100;
/// Cycles of the flood with watches.
const ROUNDS: u32 = 6;
/// Cycles of no length; the middle one counts.
const REPEATS: usize = 31;

/// Makes a flood that runs off hills everywhere.
fn flood(context: &Context) -> Result<World, BenchError> {
    let settings = Settings { solver: context.solver, ..Settings::default() };
    let hills = |x: usize, y: usize| {
        let along = |at: usize| (at as f64 * 0.1).sin();
        4.0 + 2.0 * along(x) * along(y) + noise(5, x as i64, y as i64) * 0.2
    };
    let builder = WorldBuilder::new(WHOLE.terrain(hills)?).settings(settings);
    Ok(builder.initial_depth(|_| 0.3).build()?)
}

/// Returns a place of its own.
fn place_m(number: u32) -> [f64; 2] {
    [0, 1].map(|axis| 20.0 + (SIDE as f64 - 60.0) * noise(7, i64::from(number), axis))
}

fn watches() -> Vec<Watch> {
    let hysteresis_m = 0.02;
    let footprint = |number: u32| {
        let [x, y] = place_m(number);
        let corners_m = vec![[x, y], [x + 10.0, y], [x + 10.0, y + 10.0], [x, y + 10.0]];
        let depth_m = 0.2 + 0.6 * noise(9, i64::from(number), 0);
        Watch::Footprint { corners_m, depth_m, hysteresis_m }
    };
    let gauge = |number: u32| {
        let stage_m = 3.0 + 2.0 * noise(9, i64::from(number), 1);
        Watch::Gauge { at_m: place_m(FOOTPRINTS + number), stage_m, hysteresis_m }
    };
    (0..FOOTPRINTS).map(footprint).chain((0..GAUGES).map(gauge)).collect()
}

/// Returns the time of a cycle of no length, µs.
fn idle_us(world: &mut World) -> f64 {
    let mut times: Vec<f64> = Vec::with_capacity(REPEATS);
    for _ in 0..REPEATS {
        let now = world.time();
        let clock = Instant::now();
        world.run_cycle(now);
        times.push(1.0e6 * clock.elapsed().as_secs_f64());
    }
    times.sort_unstable_by(f64::total_cmp);
    times[REPEATS / 2]
}

/// Returns the time to query all, µs.
fn ask_us(world: &World, watches: &[Watch]) -> Result<f64, BenchError> {
    let clock = Instant::now();
    let (query, mut sum) = (world.query(), 0.0);
    for watch in watches {
        sum += match watch {
            Watch::Footprint { corners_m, .. } => query.over(corners_m)?.depth_max_m,
            Watch::Gauge { at_m, .. } => query.at(*at_m)?.map_or(0.0, |sample| sample.depth_m),
            _ => 0.0,
        };
    }
    if sum > 0.0 { Ok(1.0e6 * clock.elapsed().as_secs_f64()) } else { Err("no flood".into()) }
}

/// Returns the time of the watches in a cycle and of queries of all, µs, and events of all cycles;
/// time to watch.
fn awake(context: &Context, watches: &[Watch]) -> Result<([f64; 3], usize), BenchError> {
    let (mut world, frame) = (flood(context)?, FixedStep::try_new(1, 10)?);
    for _ in 0..3 {
        world.run_cycle(frame);
    }
    let alone = idle_us(&mut world);
    let clock = Instant::now();
    for watch in watches {
        world.watch(watch.clone())?;
    }
    let subscribed = 1.0e6 * clock.elapsed().as_secs_f64();
    let (mut told, mut asked, mut events) = (Vec::new(), 0.0, 0);
    for _ in 0..ROUNDS {
        let report = world.run_cycle(frame);
        if report.awake < 1024 {
            return Err("leaves sleep in the flood".into());
        }
        events += world.events().len();
        told.push(idle_us(&mut world) - alone);
        asked += ask_us(&world, watches)? / f64::from(ROUNDS);
    }
    check_books(&world)?;
    told.sort_unstable_by(f64::total_cmp);
    Ok(([told[told.len() / 2], asked, subscribed], events))
}

/// Returns the time of the watches in a cycle while all leaves sleep, µs.
fn asleep(context: &Context, watches: &[Watch]) -> Result<f64, BenchError> {
    let mut world = lakes(context)?;
    let frame = FixedStep::try_new(1, 10)?;
    let most = 4 * world.settings().sleep_after_cycles;
    let is_still = (0..most).any(|_| world.run_cycle(frame).awake == 0);
    if !is_still {
        return Err("lakes at rest do not sleep".into());
    }
    let alone = idle_us(&mut world);
    for watch in watches {
        world.watch(watch.clone())?;
    }
    world.run_cycle(frame);
    Ok(idle_us(&mut world) - alone)
}

fn measure(context: &Context) -> BenchResult {
    let watches = watches();
    let ([told, asked, subscribed], events) = awake(context, &watches)?;
    let note = format!(
        "asking {asked:.0} µs, watching all once {subscribed:.0} µs; {events} events in {ROUNDS} \
         cycles"
    );
    Ok(vec![
        Measurement::new("frame.events_us", told, "us")
            .target("<= 1000")
            .cells(WHOLE.cells())
            .note(note),
        Measurement::new("frame.events_ratio", asked / told, "x").target(">= 100"),
        Measurement::new("frame.events_asleep_us", asleep(context, &watches)?, "us")
            .target("<= 20")
            .cells(WHOLE.cells()),
    ])
}
