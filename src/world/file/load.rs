//! Loading a world from its file.

use crate::probe::LeafMaps;
use crate::world::classes::{CellClass, ClassSource};
use crate::world::detail::check_bytes;
use crate::world::file::classes::read_classes;
use crate::world::file::leaf;
use crate::world::file::maps::take_maps;
use crate::world::file::needs::LoadNeeds;
use crate::world::file::run::{RunRecord, facts_of};
use crate::world::file::snapshot::{read_record, record_key};
use crate::world::file::solids::solids_of;
use crate::world::setup::Setup;
use crate::world::{FileError, World, WorldBuilder, WorldError};
use rayon::prelude::*;
use serde::de::DeserializeOwned;
use thalweg_engine::body::Solids;
use thalweg_engine::forest::criteria::Criterion;
use thalweg_engine::grid::TileKey;
use thalweg_engine::sim::run_state::StateMismatch;
use thalweg_engine::sim::solids::memory::SolidMemory;
use thalweg_engine::state::LeafState;
use thalweg_engine::store::terrain::{StoredBeds, TerrainOutline, read_terrain};
use thalweg_engine::store::{Extents, Key, Layer, Limits, StoreError, Tally};
use thalweg_engine::tile::Ground;

/// Contents of a file about its world, within its limits.
struct FileContents {
    setup: Setup,
    run: RunRecord,
    outline: TerrainOutline,
    leaves: Vec<TileKey>,
    class_keys: Vec<Key>,
}

impl FileContents {
    /// Reads the contents of a store.
    fn read(store: &dyn Extents, tally: &mut Tally) -> Result<Self, FileError> {
        let run = run_of(store, tally)?;
        let setup = setup_of(store, tally)?;
        let outline = StoredBeds::open(store)?.outline();
        if setup.level > outline.head().coarsest {
            return Err(record_fault(Layer::Setup, "the map has no such level"));
        }
        let leaves = leaf_keys(store, |tile| outline.head().has(tile))?;
        let class_keys = store.keys_of(Layer::Classes)?;
        Ok(Self { setup, run, outline, leaves, class_keys })
    }

    /// Returns the memory that the world takes.
    fn needs(&self) -> LoadNeeds<'_> {
        LoadNeeds {
            setup: &self.setup,
            outline: &self.outline,
            leaves: self.leaves.len() as u64,
            class_planes: self.class_keys.len() as u64,
            account_bytes: self.setup.account_bytes() + self.run.account_bytes(),
        }
    }
}

/// Loads the world of a store.
pub(super) fn load(
    store: &dyn Extents,
    limits: &Limits,
    criteria: Vec<Box<dyn Criterion>>,
) -> Result<World, FileError> {
    let mut tally = Tally::of(*limits);
    let contents = FileContents::read(store, &mut tally)?;
    // The memory is counted from head, records and directory, before the terrain is read.
    contents.needs().take_held(&mut tally)?;
    let builder = WorldBuilder::new(read_terrain(store, limits)?);
    build((store, &mut tally), builder, contents, criteria)
}

/// Loads on a builder of a world whose beds stay in this store.
pub(super) fn load_on(
    store: &dyn Extents,
    limits: &Limits,
    builder: WorldBuilder,
    criteria: Vec<Box<dyn Criterion>>,
) -> Result<World, FileError> {
    let mut tally = Tally::of(*limits);
    let contents = FileContents::read(store, &mut tally)?;
    builder.relief.check_kind(&contents.setup)?;
    let bytes = (0, builder.budget_bytes);
    builder.relief.check_budget(&contents.setup, contents.leaves.len(), bytes)?;
    contents.needs().take_streamed(&mut tally)?;
    build((store, &mut tally), builder, contents, criteria)
}

/// Builds the world of these contents, on a builder that has its terrain.
fn build(
    (store, tally): (&dyn Extents, &mut Tally),
    mut builder: WorldBuilder,
    contents: FileContents,
    criteria: Vec<Box<dyn Criterion>>,
) -> Result<World, FileError> {
    let FileContents { setup, run, leaves, class_keys, .. } = contents;
    let none = || record_fault(Layer::Run, "one of its numbers is out of range");
    let mut state = run.state().ok_or_else(none)?;
    state.solids = read_solids(store, tally)?.map(Box::new);
    if setup.adaptive.is_none() && !criteria.is_empty() {
        return Err(FileError::Criteria);
    }
    setup.check()?;
    if state.woken.iter().any(|&key| !builder.relief.has(key)) {
        return Err(none());
    }
    let tracers = setup.tracers.len();
    for account in state.ledger.accounts() {
        builder.ledger.open(&account.name); // first, in order: faces name accounts by index
    }
    builder.leaves = Some(leaves);
    builder.criteria = criteria;
    builder.concentrations = setup.tracers.iter().map(|_| nothing()).collect();
    take_classes(store, &class_keys, &setup, &mut builder)?;
    (builder.columns, builder.setup) = (Some(setup.columns), setup);
    let mut world = builder.build()?;

    let forest: Vec<TileKey> = world.simulation.forest().leaves().to_vec();
    let simulation = &world.simulation;
    let each = simulation.forest().par_ids().zip(&forest);
    let states: Vec<_> =
        each.map(|(leaf, &key)| read_leaf(store, key, simulation.ground(leaf), tracers)).collect();
    let states = checked(states, &forest, world.simulation.forest().base())?;
    let maps: Vec<Result<LeafMaps, FileError>> = (simulation.maps().par_iter().zip(&forest))
        .map(|(maps, &key)| read_maps(store, key, maps))
        .collect();
    let maps = maps.into_iter().collect::<Result<_, _>>()?;
    world.simulation.keep_maps(maps);
    world.simulation.restore(state, states).map_err(|StateMismatch { leaf, what }| match leaf {
        Some(leaf) => FileError::Leaf { key: forest[leaf], what },
        None => FileError::StateMismatch(what),
    })?;
    world.pin_stacks();
    world.ask_for_bodies();
    match (&mut world.adaptive, run.adaptive) {
        (None, None) => {}
        (Some(adaptive), Some(plans)) => {
            let bytes = read_record(store, Layer::Facts, tally)?.unwrap_or_default();
            let known = if plans.has_facts { &forest[..] } else { &[] };
            let facts = facts_of(known, &bytes);
            let facts = facts.ok_or_else(|| record_fault(Layer::Facts, "they are invalid"))?;
            let gone_on = adaptive.restore(plans, facts, (world.simulation.forest(), &world.site));
            gone_on.ok_or(FileError::StateMismatch("it planned a change that cannot be"))?;
        }
        _ => {
            return Err(FileError::StateMismatch(
                "its leaves change, or do not, as it was asked to be",
            ));
        }
    }
    // Requests the pages of a change that was planned before the world was saved.
    if let Some(adaptive) = &world.adaptive
        && adaptive.pending().is_some()
    {
        check_bytes(&world, adaptive.budget_cells()).map_err(WorldError::Plan)?;
        adaptive.ask_ahead(world.cells());
    }
    Ok(world)
}

/// Returns the states of leaves, or the first error in their order; leaves with stacked columns
/// must be of the base level.
fn checked(
    states: Vec<Result<LeafState, FileError>>,
    forest: &[TileKey],
    base: u8,
) -> Result<Vec<LeafState>, FileError> {
    let check = |(state, &key): (Result<LeafState, FileError>, &TileKey)| {
        let state = state?;
        let is_coarse = state.stack.is_some() && key.level != base;
        let what = "it has stacked columns on a coarser level";
        if is_coarse { Err(FileError::Leaf { key, what }) } else { Ok(state) }
    };
    states.into_iter().zip(forest).map(check).collect()
}

/// Returns the leaves in a store, in the order of a forest; an error if one is not on the map.
pub(super) fn leaf_keys(
    store: &dyn Extents,
    is_on_map: impl Fn(TileKey) -> bool,
) -> Result<Vec<TileKey>, FileError> {
    let keys = store.keys_of(Layer::Water)?;
    let mut leaves: Vec<TileKey> =
        keys.iter().filter(|key| key.part == 0).map(|key| key.tile).collect();
    if let Some(&key) = leaves.iter().find(|&&key| !is_on_map(key)) {
        return Err(FileError::Leaf { key, what: "the map has no such tile" });
    }
    leaves.sort_unstable();
    Ok(leaves)
}

/// Returns the setup of a store's world.
pub(super) fn setup_of(store: &dyn Extents, tally: &mut Tally) -> Result<Setup, FileError> {
    read_text(store, Layer::Setup, tally)?.ok_or(FileError::NoWater)
}

/// Returns the record of the run in a store.
pub(super) fn run_of(store: &dyn Extents, tally: &mut Tally) -> Result<RunRecord, FileError> {
    read_text(store, Layer::Run, tally)?.ok_or(FileError::NoWater)
}

fn nothing() -> CellClass<f64> {
    Box::new(|_| 0.0)
}

pub(super) fn record_fault(layer: Layer, what: &str) -> FileError {
    FileError::Record { key: record_key(layer, 0), what: what.to_owned() }
}

/// Reads a record that is JSON.
fn read_text<T: DeserializeOwned>(
    store: &dyn Extents,
    layer: Layer,
    tally: &mut Tally,
) -> Result<Option<T>, FileError> {
    let Some(bytes) = read_record(store, layer, tally)? else { return Ok(None) };
    let record = serde_json::from_slice(&bytes);
    record.map(Some).map_err(|error| record_fault(layer, &error.to_string()))
}

/// Reads the solids of a store, if it has any.
pub(super) fn read_solids(
    store: &dyn Extents,
    tally: &mut Tally,
) -> Result<Option<(Solids, SolidMemory)>, FileError> {
    let Some(bytes) = read_record(store, Layer::Solids, tally)? else { return Ok(None) };
    let known = solids_of(&bytes);
    known.map(Some).map_err(|_| record_fault(Layer::Solids, "it does not decode"))
}

/// Gives a builder the classes of cells.
fn take_classes(
    store: &dyn Extents,
    keys: &[Key],
    setup: &Setup,
    builder: &mut WorldBuilder,
) -> Result<(), StoreError> {
    if setup.has_roughness {
        // A class without a value is refused when the world is built.
        builder.roughness = Some(ClassSource::Held(read_classes(store, keys, 0)?));
    }
    for (part, layer) in (1..=u16::MAX).zip(&setup.layers) {
        let map = layer.has_classes.then(|| read_classes(store, keys, part)).transpose()?;
        builder.layer_classes.push(map.map(ClassSource::Held));
    }
    Ok(())
}

fn read_leaf(
    store: &dyn Extents,
    key: TileKey,
    ground: &Ground,
    tracers: usize,
) -> Result<LeafState, FileError> {
    let state = read_water(store, key, &ground.bed, tracers)?;
    let fault = |what| FileError::Leaf { key, what };
    leaf::fault(&state, ground, key.level).map_or(Ok(state), |what| Err(fault(what)))
}

/// Reads the state of a leaf over its bed from a store, without a check that it is valid.
pub(super) fn read_water(
    store: &dyn Extents,
    key: TileKey,
    bed: &[i32],
    tracers: usize,
) -> Result<LeafState, FileError> {
    let fault = |what| FileError::Leaf { key, what };
    let mut bytes = Vec::new();
    let part = |part| Key { layer: Layer::Water, tile: key, part };
    if !store.get(part(0), &mut bytes)? {
        return Err(fault("it is missing"));
    }
    let mut state: LeafState = leaf::leaf_of(&bytes, bed).map_err(fault)?;
    if state.carry.contents.len() != tracers {
        return Err(fault("it has other tracers"));
    }
    for tracer in (1..=u16::MAX).take(tracers) {
        if !store.get(part(tracer), &mut bytes)? {
            return Err(fault("the content of a tracer is missing"));
        }
        state.water.contents.push(leaf::content_of(&bytes).map_err(fault)?);
    }
    Ok(state)
}

fn read_maps(store: &dyn Extents, key: TileKey, dry: &LeafMaps) -> Result<LeafMaps, FileError> {
    let (mut maps, mut bytes) = (dry.clone(), Vec::new());
    let fault = |what| FileError::Record { key: Key::of_tile(Layer::Maps, key), what };
    if !store.get(Key::of_tile(Layer::Maps, key), &mut bytes)? {
        return Err(fault("they are missing".to_owned()));
    }
    take_maps(&bytes, &mut maps).map_err(|what| fault(what.to_owned()))?;
    Ok(maps)
}
