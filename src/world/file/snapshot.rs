//! A world at one moment, to be written while the world runs on.
//!
//! Planes are shared with the world until it writes into them. A snapshot leaves out leaves that
//! have not changed since the save before.

use crate::probe::LeafMaps;
use crate::world::file::leaf::leaf_extents;
use crate::world::file::maps::maps_bytes;
use crate::world::file::run::{RunRecord, facts_bytes};
use crate::world::file::solids::solids_bytes;
use crate::world::saved::Saved;
use crate::world::setup::Setup;
use crate::world::site::WorldSite;
use crate::world::{FileError, Link, World};
use rayon::prelude::*;
use std::sync::Arc;
use thalweg_engine::body::Solids;
use thalweg_engine::grid::TileKey;
use thalweg_engine::sim::run_state::RunState;
use thalweg_engine::sim::solids::memory::SolidMemory;
use thalweg_engine::state::LeafState;
use thalweg_engine::store::terrain::{renew_tables, widen_head};
use thalweg_engine::store::{Extents, Key, Layer, Store, StoreError, Tally};
use thalweg_engine::tile::CowPlane;
use thalweg_engine::units::OUTSIDE;

/// Bytes of a part of a record that is longer than an extent.
const PART_BYTES: usize = 1 << 19;

/// Maximum number of parts of a record: 1 GiB.
const PARTS_MOST: u16 = 2048;

/// Maximum number of bytes in memory for a byte of text, except for `null`: an empty list is two
/// characters and a comma, with room for it and for the same again.
const TEXT_FACTOR: u64 = 16;

/// Bytes in memory for a byte of the list of solids, including the state of the water among them.
const LISTS_FACTOR: u64 = 16;

/// Number of leaves that are encoded together.
const BATCH: usize = 64;

/// Threads that encode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EncodingThreads {
    /// All threads.
    Together,
    /// The writing thread alone.
    Alone,
}

/// A world at one moment.
#[derive(Debug)]
pub struct Snapshot {
    /// World of the snapshot.
    pub(super) world: Arc<Saved>,
    /// Number of the world's last change.
    pub(super) revision: u64,
    /// All leaves of the world at that moment.
    pub(super) forest: Vec<TileKey>,
    /// Records, as a layer and all its bytes.
    records: Vec<(Layer, Vec<u8>)>,
    /// Tiles of terrain that were edited, and their range of beds.
    terrain: Vec<(Key, Vec<u8>)>,
    beds: Option<(i32, i32)>,
    pub(super) leaves: Vec<ChangedLeaf>,
    solids: Option<Box<(Solids, SolidMemory)>>,
}

/// A leaf that changed.
#[derive(Debug)]
pub(super) struct ChangedLeaf {
    pub(super) key: TileKey,
    /// Water of the leaf and the bed below; `None` if only its maps changed, because it sleeps.
    pub(super) water: Option<(CowPlane<i32>, LeafState)>,
    /// Flood maps, if the world keeps some.
    pub(super) maps: Option<LeafMaps>,
}

impl Snapshot {
    /// Returns the changes of a world after `revision`, with the parts that always change.
    ///
    /// # Errors
    ///
    /// [`FileError::Broken`] if the world is broken.
    pub(super) fn of(world: &World, revision: u64) -> Result<Self, FileError> {
        if world.is_broken() {
            return Err(FileError::Broken);
        }
        let simulation = &world.simulation;
        let forest = simulation.forest();
        let leaves = forest.ids().filter_map(|leaf| {
            let is_changed = simulation.leaves().changed_at(leaf) >= revision;
            let ground = &simulation.leaves().grounds[leaf];
            let bed = || ground.look_at_planes(|ground| ground.bed.clone());
            let water = || (bed(), simulation.leaves().state(leaf));
            let (key, maps) = (forest.leaves()[leaf], simulation.leaves().maps_of(leaf));
            let are_newer = maps.is_some_and(|maps| maps.changed >= revision);
            (is_changed || are_newer).then(|| ChangedLeaf {
                key,
                water: is_changed.then(water),
                maps: maps.cloned(),
            })
        });
        let leaves: Vec<ChangedLeaf> = leaves.collect();
        let plans = world.adaptive.as_ref().map(|adaptive| adaptive.record());
        let state = RunState::of(simulation.state());
        let run = RunRecord::of(&state, plans);
        let text = |record: Result<Vec<u8>, _>| record.expect("numbers and names");
        let mut records = vec![
            (Layer::Setup, text(serde_json::to_vec(&setup_now(world)))),
            (Layer::Run, text(serde_json::to_vec(&run))),
        ];
        if let Some(adaptive) = &world.adaptive {
            let (facts, is_stale) = adaptive.facts();
            records.push((Layer::Facts, facts_bytes(facts, is_stale)));
        }
        let edited = world.edited.iter().filter(|(_, at)| **at >= revision).map(|(tile, _)| *tile);
        let edited: Vec<TileKey> = edited.collect();
        let terrain = edited.iter().map(|&tile| world.site.edited_extents(tile));
        let terrain: Vec<_> = terrain.collect::<Result<_, _>>()?;
        Ok(Self {
            world: Arc::clone(&world.saved),
            revision: simulation.revision() + 1,
            forest: forest.leaves().to_vec(),
            records,
            terrain: terrain.into_iter().flatten().collect(),
            beds: range_of(&world.site, &edited),
            leaves,
            solids: state.solids,
        })
    }

    /// Writes the snapshot; the caller commits. `before` are the leaves in the file. Returns the
    /// bytes written.
    pub(super) fn write(
        &self,
        store: &mut Store,
        before: &[TileKey],
        encoding: EncodingThreads,
    ) -> Result<u64, StoreError> {
        let mut written = 0;
        for (layer, bytes) in &self.records {
            written += put_record(store, *layer, bytes)?;
        }
        match &self.solids {
            Some(known) => {
                let bytes = solids_bytes(&known.0, &known.1);
                written += put_record(store, Layer::Solids, &bytes)?;
            }
            None => remove_parts(store, Layer::Solids, 0)?,
        }
        for (key, bytes) in &self.terrain {
            store.put(*key, bytes)?;
            written += bytes.len() as u64;
        }
        if let Some(beds) = self.beds {
            widen_head(store, beds)?;
        }
        let edited: Vec<TileKey> = self.terrain.iter().map(|(key, _)| key.tile).collect();
        renew_tables(store, &edited)?;
        for key in before.iter().filter(|key| self.forest.binary_search(key).is_err()) {
            remove_leaf(store, *key)?;
        }
        // All extents together would take as much memory as room in the file.
        for batch in self.leaves.chunks(BATCH) {
            let encoded: Vec<Vec<(Key, Vec<u8>)>> = match encoding {
                EncodingThreads::Together => batch.par_iter().map(ChangedLeaf::extents).collect(),
                EncodingThreads::Alone => batch.iter().map(ChangedLeaf::extents).collect(),
            };
            for (key, bytes) in encoded.into_iter().flatten() {
                store.put(key, &bytes)?;
                written += bytes.len() as u64;
            }
        }
        Ok(written)
    }

    /// Releases all planes: the ones that the world no longer uses are spare from now on.
    pub(super) fn give_back(self) {
        for leaf in self.leaves {
            leaf.maps.into_iter().for_each(LeafMaps::give_back);
            let Some((_, state)) = leaf.water else { continue };
            state.water.give_back();
            if let Some(plane) = state.infiltrated {
                plane.give_back();
            }
        }
    }

    /// Returns the number of leaves in the snapshot.
    #[must_use]
    pub fn changed_leaves(&self) -> usize {
        self.leaves.len()
    }
}

impl ChangedLeaf {
    fn extents(&self) -> Vec<(Key, Vec<u8>)> {
        let key = |layer, part| Key { layer, tile: self.key, part };
        let mut extents = Vec::new();
        if let Some(maps) = &self.maps {
            maps.planes().bring_ahead();
            extents.push((key(Layer::Maps, 0), maps_bytes(maps)));
        }
        if let Some((bed, state)) = &self.water {
            let forms = (state.stack.is_some(), state.pace.is_some());
            for (part, bytes) in (0..).zip(leaf_extents(state, bed, forms)) {
                extents.push((key(Layer::Water, part), bytes));
            }
        }
        extents
    }
}

/// Returns the setup of a world, with later changes.
fn setup_now(world: &World) -> Setup {
    let mut setup = world.setup.clone();
    setup.settings = world.settings().clone();
    if let (Some(numbers), Some(budget_cells)) = (&mut setup.adaptive, world.budget_cells()) {
        numbers.budget_cells = budget_cells;
    }
    setup
}

/// Returns the key of a part of a record.
pub(super) fn record_key(layer: Layer, part: u16) -> Key {
    Key { layer, ..Key::head(part) }
}

/// Puts the parts of a record that differ from the file, and removes the surplus parts in the file;
/// returns the bytes put.
fn put_record(store: &mut Store, layer: Layer, bytes: &[u8]) -> Result<u64, StoreError> {
    let (mut held, mut written) = (Vec::new(), 0);
    // An empty record must exist, too, but `chunks` yields no part of it.
    let parts = bytes.chunks(PART_BYTES).chain(bytes.is_empty().then_some(bytes));
    let mut part = 0;
    for piece in parts {
        let key = record_key(layer, part);
        // An unchanged part is not written: this commit shares it with earlier ones.
        if !store.get(key, &mut held)? || held != piece {
            store.put(key, piece)?;
            written += piece.len() as u64;
        }
        part += 1;
    }
    remove_parts(store, layer, part)?;
    Ok(written)
}

/// Removes the parts of a record from a part on.
fn remove_parts(store: &mut Store, layer: Layer, from: u16) -> Result<(), StoreError> {
    let mut part = from;
    while store.remove(record_key(layer, part))? {
        part += 1;
    }
    Ok(())
}

/// Returns all bytes of a record, or `None` if it does not exist. The memory for its contents is
/// counted before; a record that is too large is read to its end, to count it, but not kept.
pub(super) fn read_record(
    store: &dyn Extents,
    layer: Layer,
    tally: &mut Tally,
) -> Result<Option<Vec<u8>>, StoreError> {
    let (mut all, mut piece, mut made, mut parts) = (Vec::new(), Vec::new(), 0_u64, 0);
    while parts < PARTS_MOST && store.get(record_key(layer, parts), &mut piece)? {
        parts += 1;
        made = made.saturating_add(made_of(layer, &piece));
        match tally.has_room(made) {
            true => all.extend_from_slice(&piece),
            false => all = Vec::new(),
        }
    }
    tally.take(name_of(layer), made)?;
    Ok((parts > 0).then_some(all))
}

/// Returns the bytes that a piece of a record and its decoded contents take.
fn made_of(layer: Layer, piece: &[u8]) -> u64 {
    let bytes = piece.len() as u64;
    if !matches!(layer, Layer::Setup | Layer::Run) {
        return bytes.saturating_mul(LISTS_FACTOR);
    }
    // The shortest text of the largest content: a link that was removed.
    let nulls = piece.windows(4).filter(|text| text == b"null").count() as u64;
    bytes.saturating_mul(TEXT_FACTOR) + nulls.saturating_mul(2 * size_of::<Option<Link>>() as u64)
}

/// Returns the name of a record in errors.
fn name_of(layer: Layer) -> &'static str {
    match layer {
        Layer::Setup => "what this world was asked to be",
        Layer::Run => "the record of this world's run",
        Layer::Solids => "the record of this world's solids",
        _ => "a record of this world",
    }
}

/// Removes a leaf.
fn remove_leaf(store: &mut Store, tile: TileKey) -> Result<(), StoreError> {
    store.remove(Key::of_tile(Layer::Maps, tile))?;
    let mut part = 0;
    while store.remove(Key { layer: Layer::Water, tile, part })? {
        part += 1;
    }
    Ok(())
}

/// Returns the lowest and highest bed of some finest tiles, vertical units.
fn range_of(site: &WorldSite, tiles: &[TileKey]) -> Option<(i32, i32)> {
    // OUTSIDE is the ceiling: no bed is above it, and none below −OUTSIDE.
    let (mut low, mut high) = (OUTSIDE, -OUTSIDE);
    for &tile in tiles.iter().filter(|tile| tile.level == 0) {
        for &bed in site.beds(tile).iter().filter(|&&bed| bed != OUTSIDE) {
            (low, high) = (low.min(bed), high.max(bed));
        }
    }
    (low <= high).then_some((low, high))
}
