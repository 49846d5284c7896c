//! Reading back the data of a save before it is committed.
//!
//! Guarantees: records that could not be loaded again are not committed, in any build; in debug
//!             builds neither are leaves and maps.
//! Limits:     whether a world as a whole loads, with its classes and with a planned change of
//!             leaves, is checked by `tests/saved`.

use crate::probe::LeafMaps;
use crate::world::file::leaf;
use crate::world::file::load::{read_solids, read_water, record_fault, run_of, setup_of};
use crate::world::file::maps::take_maps;
use crate::world::file::run::facts_of;
use crate::world::file::snapshot::{ChangedLeaf, Snapshot, read_record};
use crate::world::{FileError, World};
use rayon::prelude::*;
use thalweg_engine::state::LeafState;
use thalweg_engine::store::terrain::read_head;
use thalweg_engine::store::{Extents, Key, Layer, Limits, Tally};

/// Returns a tally without a limit: the world is in memory already.
fn trusted() -> Tally {
    Tally::of(Limits::NONE)
}

/// Checks that the data of a snapshot can be loaded, with the loader's own functions.
///
/// # Errors
///
/// [`FileError::Unreadable`] with the error that loading would report; [`FileError::Store`] if the
/// file cannot be read.
pub(super) fn check(snapshot: &Snapshot, store: &dyn Extents) -> Result<(), FileError> {
    check_records(snapshot, store).map_err(unreadable)
}

/// Returns an error of loading the world as an error of a save.
fn unreadable(reason: FileError) -> FileError {
    match reason {
        FileError::Store(_) => reason,
        reason => FileError::Unreadable(Box::new(reason)),
    }
}

fn check_records(snapshot: &Snapshot, store: &dyn Extents) -> Result<(), FileError> {
    read_head(store)?;
    let tally = &mut trusted();
    let setup = setup_of(store, tally)?;
    setup.check()?;
    let none = || record_fault(Layer::Run, "one of its numbers is out of range");
    let run = run_of(store, tally)?;
    run.state().ok_or_else(none)?;
    if let Some(plans) = &run.adaptive {
        let bytes = read_record(store, Layer::Facts, tally)?.unwrap_or_default();
        let known = if plans.has_facts { &snapshot.forest[..] } else { &[] };
        facts_of(known, &bytes).ok_or_else(|| record_fault(Layer::Facts, "they are invalid"))?;
    }
    let solids = read_solids(store, tally)?;
    if solids.is_some_and(|(solids, memory)| !solids.is_good() || !memory.is_good()) {
        return Err(record_fault(Layer::Solids, "one of its numbers is out of range"));
    }
    if cfg!(any(test, debug_assertions)) {
        snapshot.leaves.iter().try_for_each(|own| check_leaf(own, store, setup.tracers.len()))?;
    }
    Ok(())
}

/// Checks that a leaf reads back as it is.
fn check_leaf(own: &ChangedLeaf, store: &dyn Extents, tracers: usize) -> Result<(), FileError> {
    let fault = |what| FileError::Leaf { key: own.key, what };
    let mut bytes = Vec::new();
    if let Some((bed, state)) = &own.water {
        let found: LeafState = read_water(store, own.key, bed, tracers)?;
        if found != *state {
            return Err(fault("it reads as another one"));
        }
    }
    let Some(mut maps): Option<LeafMaps> = own.maps.clone() else { return Ok(()) };
    store.get(Key::of_tile(Layer::Maps, own.key), &mut bytes)?;
    take_maps(&bytes, &mut maps).map_err(fault)
}

/// Checks that leaves are valid for a file.
///
/// # Errors
///
/// [`FileError::Unreadable`] names the first invalid leaf.
pub(super) fn check_leaves(world: &World, leaves: &[ChangedLeaf]) -> Result<(), FileError> {
    let forest = world.simulation.forest();
    let fault = |own: &ChangedLeaf| {
        let (_, state) = own.water.as_ref()?;
        let ground = world.simulation.ground(forest.find(own.key)?);
        let what = leaf::fault(state, ground, own.key.level)?;
        Some(FileError::Leaf { key: own.key, what })
    };
    leaves.par_iter().find_map_first(fault).map_or(Ok(()), |reason| Err(unreadable(reason)))
}
