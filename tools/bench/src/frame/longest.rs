//! The longest frame of a busy game, and crates that only rest.

use crate::bodies::boxes::held;
use crate::suite::{Bench, BenchError, BenchResult, Context};
use crate::table::Measurement;
use crate::world::{WorldPlan, check_books, noise};
use std::time::Instant;
use thalweg::body::{Body, Motion};
use thalweg::criteria::{Criterion, Observer, ObserverOptions};
use thalweg::glam::DVec3;
use thalweg::world::{AdaptiveOptions, ColumnKind, World, WorldBuilder};
use thalweg_engine::sim::schedule::FixedStep;
use thalweg_engine::sim::{Settings, SleepTolerance};

/// The longest frame, and crates at rest.
pub const BENCH: Bench = Bench {
    ids: &["frame.p999", "frame.still_ms"],
    what: "10 observers that jump every 15 frames over 4 M cells of a lake and its shore, 1,000 \
           crates afloat and 1,000 on land that stand: the longest of 600 frames over their \
           median; what 1,000 crates on dry land cost a cycle (long)",
    is_long: true,
    measure,
};

const PLAN: WorldPlan =
    WorldPlan { width: 2048, height: 2048, cell_m: 1.0, exponent: 18, datum_m: -64.0 };
/// Start of the land, m from the west.
const SHORE_M: f64 = 1400.0;
const OBSERVERS: u32 = 10;
const JUMP: u32 = 15;
const CRATES: u32 = 1000;
/// Frames before the first that counts, and frames that count.
const WARM: u32 = 60;
const FRAMES: u32 = 600;

fn bed_m(x: f64) -> f64 {
    if x < SHORE_M { -4.0 } else { 2.0 }
}

/// Returns the places of observers after `jumps` jumps.
fn observers(jumps: u32) -> impl Iterator<Item = ObserverOptions> {
    (0..OBSERVERS).map(move |observer| {
        let number = i64::from(OBSERVERS * jumps + observer);
        let at = |axis| 2048.0 * noise(11, number, axis);
        ObserverOptions::at([at(0), at(1)], vec![(0, 100.0), (1, 220.0), (2, 500.0)])
    })
}

fn lake() -> Result<World, BenchError> {
    let settings = Settings {
        sleep_tolerance: Some(SleepTolerance { stage_m: 0.01, time_s: 5.0 }),
        ..Settings::default()
    };
    let builder = WorldBuilder::new(PLAN.terrain(|x, _| bed_m(x as f64))?)
        .settings(settings)
        .columns(ColumnKind::Flat)
        .initial_stage(|_| 0.0);
    let scale = builder.extent(3)?;
    let criteria =
        observers(0).map(|options| Ok(Box::new(Observer::try_new(&options, &scale)?) as _));
    let criteria = criteria.collect::<Result<Vec<Box<dyn Criterion>>, BenchError>>()?;
    let options = AdaptiveOptions {
        coarsest: 3,
        budget_cells: 1 << 21,
        criteria,
        ..AdaptiveOptions::default()
    };
    Ok(builder.adaptive(options).build()?)
}

/// Makes crates on a raster of places between two eastings, m, at a height, m.
fn crates(first: u32, [west, east]: [f64; 2], z_m: f64) -> Result<Vec<Body>, BenchError> {
    let (columns, rows) = (40, CRATES / 40);
    let one = |index: u32| {
        let part = |at: u32, of: u32| (f64::from(at) + 0.5) / f64::from(of);
        let x = west + (east - west) * part(index % columns, columns);
        let y = 2000.0 * part(index / columns, rows) + 20.0;
        held(u64::from(first + index), [2.0, 1.5, 1.0], [x, y, z_m], 0.3 * f64::from(index))
    };
    (0..CRATES).map(one).collect()
}

/// Returns crates that bob.
fn bobbing(bodies: &[Body], frame: u32) -> impl Iterator<Item = Body> {
    let time = f64::from(frame) / 30.0;
    (0..).zip(bodies).map(move |(index, body)| {
        let phase = 2.0 * time + f64::from(index);
        let mut pose = body.pose;
        pose.position.z += 0.05 * phase.sin();
        let linear = DVec3::new(0.0, 0.0, 0.1 * phase.cos());
        let motion = Motion { linear, ..Motion::default() };
        Body { pose, motion, mass_kg: Some(1500.0), ..body.clone() }
    })
}

/// Returns the longest and the median of the times of some frames, s.
fn longest_and_median(mut times: Vec<f64>) -> [f64; 2] {
    times.sort_unstable_by(f64::total_cmp);
    [times[times.len() - 1], times[times.len() / 2]]
}

/// Returns the times of frames of a busy game, s: the longest, and the median.
fn busy() -> Result<[f64; 2], BenchError> {
    let (mut world, step) = (lake()?, FixedStep::try_new(1, 30)?);
    let (afloat, on_land) =
        (crates(0, [60.0, 1340.0], 0.1)?, crates(CRATES, [1460.0, 2000.0], 2.5)?);
    let mut times = Vec::new();
    for frame in 0..WARM + FRAMES {
        let bodies: Vec<Body> = bobbing(&afloat, frame).chain(on_land.iter().cloned()).collect();
        let clock = Instant::now();
        if frame % JUMP == 0 {
            let scale = world.extent();
            let all = observers(frame / JUMP).map(|options| {
                Ok(Box::new(Observer::try_new(&options, &scale)?) as Box<dyn Criterion>)
            });
            let all = all.collect::<Result<Vec<_>, BenchError>>()?;
            if let Some(criteria) = world.criteria_mut() {
                *criteria = all;
            }
        }
        world.structures_mut().put_bodies(bodies)?;
        world.run_cycle(step);
        std::hint::black_box(world.structures().loads(1.0 / 30.0));
        if frame >= WARM {
            times.push(clock.elapsed().as_secs_f64());
        }
    }
    check_books(&world)?;
    Ok(longest_and_median(times))
}

/// Returns the median time of a cycle of a world that sleeps, with crates on dry land that are put
/// again each time, and without them, s.
fn still() -> Result<[f64; 2], BenchError> {
    let (mut world, step) = (lake()?, FixedStep::try_new(1, 30)?);
    let on_land = crates(0, [1460.0, 2000.0], 2.5)?;
    let mut medians = [0.0; 2];
    for (median, bodies) in medians.iter_mut().zip([&on_land[..], &[]]) {
        let mut times = Vec::new();
        for cycle in 0..2 * WARM {
            let asked = bodies.to_vec();
            let clock = Instant::now();
            world.structures_mut().put_bodies(asked)?;
            world.run_cycle(step);
            if cycle >= WARM {
                times.push(clock.elapsed().as_secs_f64());
            }
        }
        *median = longest_and_median(times)[1];
    }
    Ok(medians)
}

fn measure(_: &Context) -> BenchResult {
    let [longest, median] = busy()?;
    let [with, without] = still()?;
    let note = format!("longest {:.1} ms, median {:.1} ms", 1.0e3 * longest, 1.0e3 * median);
    let cells = PLAN.cells();
    Ok(vec![
        Measurement::new("frame.p999", longest / median, "ratio")
            .target("<= 2")
            .cells(cells)
            .note(note),
        Measurement::new("frame.still_ms", 1.0e3 * (with - without), "ms")
            .target("<= 0.2")
            .cells(cells),
    ])
}
