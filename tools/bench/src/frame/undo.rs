//! Memory of undo: thousands of acts over the whole map, one after the other.

use crate::counted::bytes_now;
use crate::frame::act::{SIDE, WHOLE, lakes};
use crate::suite::{Bench, BenchError, BenchResult, Context};
use crate::table::Measurement;
use crate::world::{check_books, noise};
use std::time::Instant;
use thalweg::terrain::Shape;
use thalweg::world::{Action, ActionError, Amount, Undo, World};

/// Memory of undo.
pub const BENCH: Bench = Bench {
    ids: &["frame.undo_mb", "frame.undo_rims_mb"],
    what: "memory in use after 200 pours over 4.2 million cells, one after the other, each kept \
           with its undo, a fiftieth of what 10,000 may take: of one depth; and after 200 with \
           rims, so that nearly every cell gets another amount",
    is_long: true,
    measure,
};

/// Number of pours: each takes the same memory, and tenths of a second: 10,000 take an hour.
const POURS: u32 = 200;
/// Pours of a rim: after a few tens of them, undo has reached the limit of its memory.
const RIM_POURS: u32 = 200;
/// Undos of each end that are tried.
const TRIED: usize = 20;
const MEGABYTE: f64 = 1.0e6;

/// Returns a pour of some thousandths of a metre over the whole map.
fn even(number: u32) -> Action {
    let far = 2.0 * SIDE as f64;
    let area = Shape::Disc { centre_m: [0.5 * SIDE as f64; 2], radius_m: far, rim_m: 0.0 };
    pour(area, number)
}

/// Returns a pour over the whole map that is less deep towards its rim.
fn rimmed(number: u32) -> Action {
    let at = |axis: i64| SIDE as f64 * noise(5, i64::from(number), axis);
    let far = 2.0 * SIDE as f64;
    pour(Shape::Disc { centre_m: [at(0), at(1)], radius_m: far, rim_m: far }, number)
}

fn pour(area: Shape, number: u32) -> Action {
    let depth_m = 0.001 * (1.0 + noise(7, i64::from(number), 2));
    Action::AddWater { area, amount: Amount::DepthM(depth_m) }
}

/// Memory and time that pours took.
struct UndoCost {
    megabytes: f64,
    /// Pours that can be undone, and pours that were discarded.
    kept: usize,
    gone: usize,
    ms_a_pour: f64,
    counted_megabytes: f64,
}

/// Runs pours, and undoes the last and the first; the first may have been discarded.
fn pours(context: &Context, count: u32, act: fn(u32) -> Action) -> Result<UndoCost, BenchError> {
    let mut world = lakes(context)?;
    let before = world.state_hash();
    // Memory that the first act makes for all later ones does not count for undo.
    world.edits().act_for_good(act(0))?;
    let in_use = bytes_now();
    let clock = Instant::now();
    let mut undos: Vec<Undo> = Vec::new();
    for number in 1..=count {
        undos.push(world.edits().act(act(number))?.undo);
    }
    let ms_a_pour = 1.0e3 * clock.elapsed().as_secs_f64() / f64::from(count);
    let megabytes = (bytes_now() - in_use) / MEGABYTE;
    let counted_megabytes = world.edits().ways_back_bytes() as f64 / MEGABYTE;
    check_books(&world)?;
    if world.state_hash() == before {
        return Err("the pours changed nothing".into());
    }
    let (kept, gone) = undo(&mut world, undos)?;
    check_books(&world)?;
    Ok(UndoCost { megabytes, kept, gone, ms_a_pour, counted_megabytes })
}

/// Undoes some of the last acts, then some of the first that can be undone; returns the number of
/// acts that can be, and of acts that cannot any more.
fn undo(world: &mut World, mut undos: Vec<Undo>) -> Result<(usize, usize), BenchError> {
    for last in undos.split_off(undos.len() - TRIED).into_iter().rev() {
        world.edits().undo(last)?;
    }
    let mut gone = 0;
    let mut tried = 0;
    let all = undos.len() + TRIED;
    for first in undos {
        match world.edits().undo(first) {
            Ok(_) => tried += 1,
            Err(ActionError::Forgotten { .. }) => gone += 1,
            Err(error) => return Err(error.into()),
        }
        if tried == TRIED {
            break;
        }
    }
    Ok((all - gone, gone))
}

fn measurement(
    (id, target): (&'static str, &'static str),
    taken: &UndoCost,
    count: u32,
) -> Measurement {
    let UndoCost { megabytes, kept, gone, ms_a_pour, counted_megabytes } = taken;
    Measurement::new(id, *megabytes, "MB").target(target).cells(WHOLE.cells()).note(format!(
        "{count} pours of {ms_a_pour:.1} ms each; {kept} can be undone, {gone} were let go of; \
         counted by the world as {counted_megabytes:.0} MB"
    ))
}

fn measure(context: &Context) -> BenchResult {
    let evenly = pours(context, POURS, even)?;
    let with_rims = pours(context, RIM_POURS, rimmed)?;
    Ok(vec![
        measurement(("frame.undo_mb", "<= 10.24"), &evenly, POURS),
        measurement(("frame.undo_rims_mb", "<= 512"), &with_rims, RIM_POURS),
    ])
}
