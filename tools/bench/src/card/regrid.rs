//! The rhythm of cycles on a card while leaves change.

use crate::adaptive::{observer, quantile};
use crate::card::{card, check};
use crate::stream::walk::{SPEED, make, thalweg_m};
use crate::suite::{Bench, BenchError, BenchResult, Context};
use crate::table::Measurement;
use std::path::Path;
use std::time::Instant;
use thalweg::world::{AdaptiveOptions, ColumnKind, SaveFile, StreamOptions, World};
use thalweg_engine::grid::cells::CellPlace;
use thalweg_engine::sim::schedule::FixedStep;

/// The slowest cycles of a streamed world whose leaves follow observers.
pub const BENCH: Bench = Bench {
    ids: &["gpu.regrid_p999"],
    what: "99.9th percentile of the cycle time on the card against its median: eight observers at \
           50 m/s through a streamed world of 16 × 16 km",
    is_long: true,
    measure,
};

/// Cycles, and the first that count: leaves change one level at a time.
const CYCLES: usize = 2400;
const FIRST: usize = 200;
/// Length of a cycle, s: a fraction.
const CYCLE: (u32, u32) = (25, 1000);
const OBSERVERS: u32 = 8;
const BUDGET_BYTES: u64 = 2 << 30;

/// Opens the valley of the walk with water in its river, streamed.
fn open(path: &Path) -> Result<World, BenchError> {
    let options = AdaptiveOptions { coarsest: 5, budget_cells: 8 << 20, ..Default::default() };
    let world = SaveFile::open(path)?
        .builder(StreamOptions { budget_bytes: BUDGET_BYTES })?
        .columns(ColumnKind::Flat)
        .adaptive(options)
        .initial_depth(|place: CellPlace| {
            let away = (f64::from(place.y) - thalweg_m(f64::from(place.x))).abs();
            if away < 60.0 { 2.0 } else { 0.0 }
        })
        .build()?;
    Ok(world)
}

/// Returns the times of the cycles, ms, and the number of them that changed leaves.
fn walk(world: &mut World) -> Result<(Vec<f64>, u32), BenchError> {
    let frame = FixedStep::try_new(CYCLE.0, CYCLE.1)?;
    let (scale, mut forest) = (world.extent(), world.simulation().forest().leaves().to_vec());
    let (mut times, mut changes) = (Vec::new(), 0);
    for cycle in 0..CYCLES {
        let gone = SPEED * world.time().seconds();
        let criteria = world.criteria_mut().ok_or("an adaptive world")?;
        criteria.clear();
        for i in 0..OBSERVERS {
            let x = 500.0 + 1600.0 * f64::from(i) + gone;
            let radii = [(0, 120.0), (1, 300.0), (2, 700.0)];
            criteria.push(observer([x, thalweg_m(x)], &radii, &scale)?);
        }
        let clock = Instant::now();
        world.run_cycle(frame);
        if cycle >= FIRST {
            times.push(1.0e3 * clock.elapsed().as_secs_f64());
        }
        let leaves = world.simulation().forest().leaves();
        if leaves != forest {
            (forest, changes) = (leaves.to_vec(), changes + 1);
        }
    }
    Ok((times, changes))
}

fn measure(_: &Context) -> BenchResult {
    let (card, log, name) = card()?;
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("wide.thalweg");
    make(&path)?;
    let mut plain = open(&path)?;
    let (mut without, _) = walk(&mut plain)?;
    let expected = plain.state_hash();
    // The file is open for one world at a time.
    drop(plain);
    let mut world = open(&path)?;
    world.set_card(Some(Box::new(card)));
    let (mut times, changes) = walk(&mut world)?;
    check(&log, CYCLES as u64)?;
    if expected != world.state_hash() {
        return Err("the card ends with another state than the processor".into());
    }
    let mut of = |part: f64| (quantile(&mut times, part), quantile(&mut without, part));
    let [median, slow, longest] = [0.5, 0.999, 1.0].map(&mut of);
    let note = format!(
        "{name}; {CYCLES} cycles of 25 ms, of which {changes} change leaves ({} in the end); \
         median {:.2} ms, 99.9th percentile {:.2} ms, longest {:.2} ms; the same on {} threads: \
         {:.2}, {:.2} and {:.2} ms; equal state hash in the end",
        world.simulation().forest().leaves().len(),
        median.0,
        slow.0,
        longest.0,
        rayon::current_num_threads(),
        median.1,
        slow.1,
        longest.1
    );
    Ok(vec![Measurement::new("gpu.regrid_p999", slow.0 / median.0, "1").target("<= 3").note(note)])
}
