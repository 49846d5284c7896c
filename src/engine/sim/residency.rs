//! Residency: the choice of the leaves whose planes are evicted from memory between cycles, and of
//! those that get them back before a step.
//!
//! ```text
//! between cycles   leaves asleep, with all around them, for some cycles ──► a few are let go
//!                  leaves a little farther than what a step reads ──► their ground is expected
//! in a cycle       leaves awake, and all around them ──► brought, by all threads, before a step
//! at any time      whoever reads or writes a leaf gets it: see [`Resident`]
//! ```
//!
//! Guarantees: the place of planes is no part of the state: no hash, file, ledger, plan or number
//!             of a change depends on it (`tests/saved/resident.rs`); a step finds all planes that
//!             it reads in memory.
//! Limits:     the ground stays unless it is in a file and may be evicted ([`Residency::InFile`]).
//!             A leaf is brought back whole, even if a neighbour needs a few rows.

use crate::grid::{LeafId, TileKey};
use crate::sim::maps::{LeafMaps, MapPlanes};
use crate::sim::table::LeafTable;
use crate::tile::resident::{AwayPlace, Resident};
use crate::tile::{CowPlane, Ground, Water};
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Number of cycles, at least, in which each leaf is considered once for eviction.
const TURN_CYCLES: usize = 32;

/// Leaves that are considered in a cycle, at most.
const VISITS_MOST: usize = 256;

/// Leaves that are evicted in a cycle, at most.
const LEAVES_MOST: usize = 4;

/// Largest distance, in leaves, beyond the leaves that a step reads, of leaves that are expected to
/// be needed soon.
// Waking spreads by a leaf in a cycle, so there are three cycles to read ahead from a file.
const EXPECTED_LEAVES: usize = 3;

/// Changes of the world for which a leaf and all around it must have been unchanged before the leaf
/// is evicted: each cycle is one.
const STILL_CHANGES: u64 = 8;

/// Storage of the planes of sleeping leaves. Results do not depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Residency {
    /// In memory as they are, as the planes of leaves that are awake.
    Kept,
    /// Packed, a few leaves in each cycle: the first some cycles after a leaf fell asleep. Their
    /// ground stays.
    #[default]
    Packed,
    /// Packed, and their ground with its tables in the world's file, if beds stay there: less
    /// memory. Leaves that wake without an awake neighbour, as under rain that begins, wait for the
    /// file, and tables that are not in the file are made once more. A page that cannot be read
    /// again ends the call that needs it in a panic.
    InFile,
    /// The same as [`Residency::InFile`], for all leaves after every cycle: the least memory, and
    /// the most work.
    PackedAtOnce,
}

impl Residency {
    /// Returns true if the ground of leaves is evicted, too, if it has a place.
    pub fn lets_ground_go(self) -> bool {
        matches!(self, Self::InFile | Self::PackedAtOnce)
    }
}

/// Finds places for planes that are evicted.
pub trait Packer: Sync {
    /// Returns the place of the ground of a leaf; `None` if it stays in memory.
    fn ground(&self, key: TileKey, ground: &Ground) -> Option<Arc<dyn AwayPlace<Ground>>>;

    /// Returns the place of the water of a leaf on this ground.
    fn water(&self, key: TileKey, water: &Water, ground: &Ground) -> Arc<dyn AwayPlace<Water>>;

    /// Returns the place of an infiltrated depth.
    fn infiltrated(&self, plane: &CowPlane<i32>) -> Arc<dyn AwayPlace<CowPlane<i32>>>;

    /// Returns the place of the flood maps of a leaf on this ground.
    fn maps(&self, key: TileKey, maps: &LeafMaps, ground: &Ground)
    -> Arc<dyn AwayPlace<MapPlanes>>;

    /// Notes that the ground of these leaves will be read soon.
    fn expect(&self, leaves: &[TileKey]);
}

/// Leaves whose planes are about to be read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Needed {
    /// Leaves whose water is read.
    pub water: Vec<LeafId>,
    /// Leaves whose infiltrated depth and flood maps are read.
    pub rest: Vec<LeafId>,
}

/// Round over all leaves, some in each cycle.
#[derive(Debug, Default)]
pub struct Round {
    next: usize,
}

/// New places of the planes of a leaf; `None` for a plane that has a place already, or does not
/// exist.
struct ResidentPlaces {
    ground: Option<Arc<dyn AwayPlace<Ground>>>,
    water: Option<Arc<dyn AwayPlace<Water>>>,
    infiltrated: Option<Arc<dyn AwayPlace<CowPlane<i32>>>>,
    maps: Option<Arc<dyn AwayPlace<MapPlanes>>>,
}

impl LeafTable {
    /// Fetches the planes of these leaves, which are awake, and the water around them.
    pub(super) fn bring_ahead(&mut self, awake: &[LeafId]) {
        if !self.has_let_go {
            return;
        }
        let is_away = |leaf: &LeafId| !self.is_whole(*leaf);
        let own: Vec<LeafId> = awake.iter().copied().filter(is_away).collect();
        own.par_iter().for_each(|&leaf| {
            self.grounds[leaf].bring_ahead();
            bring(&self.water[leaf]);
            self.own[leaf].infiltrated.iter().for_each(bring);
            self.maps_of(leaf).iter().for_each(|maps| bring(maps.planes()));
        });
        let near = awake.iter().flat_map(|&leaf| self.forest.near(leaf));
        let is_away =
            |leaf: &LeafId| !self.water[*leaf].is_ready() || !self.grounds[*leaf].is_here();
        let mut ring: Vec<LeafId> = near.filter(is_away).collect();
        ring.sort_unstable();
        ring.dedup();
        ring.par_iter().for_each(|&leaf| {
            self.grounds[leaf].bring_ahead();
            bring(&self.water[leaf]);
        });
        self.expected = self.beyond(&ring);
    }

    /// Evicts planes of sleeping leaves, as their turn and `residency` allow; a leaf that will be
    /// read soon waits.
    pub(super) fn let_go(
        &mut self,
        residency: Residency,
        round: &mut Round,
        packer: &dyn Packer,
        is_needed: &dyn Fn(LeafId) -> bool,
    ) {
        let expected = std::mem::take(&mut self.expected);
        if !expected.is_empty() {
            packer.expect(&expected);
        }
        let leaves = match residency {
            Residency::Kept => return,
            Residency::Packed | Residency::InFile => self.next_still(residency, round, is_needed),
            Residency::PackedAtOnce => {
                let has_here = |&leaf: &LeafId| self.asleep[leaf] && self.has_here(leaf, residency);
                self.forest.ids().filter(has_here).collect()
            }
        };
        if leaves.is_empty() {
            return;
        }
        self.has_let_go = true;
        // Water is packed over its ground, so all places are made before any ground goes.
        let places: Vec<ResidentPlaces> =
            leaves.par_iter().map(|&leaf| self.places_of(leaf, residency, packer)).collect();
        for (leaf, places) in leaves.into_iter().zip(places) {
            let is_at_once = residency == Residency::PackedAtOnce;
            if residency.lets_ground_go() {
                put(&mut self.grounds[leaf], places.ground, is_at_once);
            }
            put(&mut self.water[leaf], places.water, is_at_once);
            if let Some(plane) = &mut self.own[leaf].infiltrated {
                put(plane, places.infiltrated, is_at_once);
            }
            if let Some(maps) = self.maps.get_mut(leaf.index()) {
                maps.put_away(|planes| put(planes, places.maps, is_at_once));
            }
        }
    }

    /// Fetches the ground of these leaves, and all that a change of them is compared with.
    pub fn bring_grounds(&self, leaves: &[LeafId]) {
        if self.has_let_go {
            let all = self.near(&self.near(leaves));
            all.par_iter().for_each(|&leaf| self.grounds[leaf].bring_ahead());
        }
    }

    /// Returns the leaves of a change, and around them, whose ground is away.
    pub fn away_around(&self, leaves: &[LeafId]) -> Vec<TileKey> {
        let away = self.near(leaves).into_iter().filter(|&leaf| !self.grounds[leaf].is_here());
        away.map(|leaf| self.forest.leaves()[leaf]).collect()
    }

    /// Returns the leaves around these, up to some leaves away, whose ground is away: waking
    /// spreads by one leaf in each cycle.
    fn beyond(&self, ring: &[LeafId]) -> Vec<TileKey> {
        let (mut all, mut last) = (BTreeSet::new(), ring.to_vec());
        for _ in 0..EXPECTED_LEAVES {
            let near = last.iter().flat_map(|&leaf| self.forest.near(leaf));
            let away: Vec<LeafId> = near.filter(|&leaf| !self.grounds[leaf].is_here()).collect();
            last = away.into_iter().filter(|&leaf| all.insert(leaf)).collect();
        }
        all.into_iter().map(|leaf| self.forest.leaves()[leaf]).collect()
    }

    /// Returns the leaves whose planes are away, in part at least.
    #[must_use]
    pub fn count_away(&self) -> usize {
        if !self.has_let_go {
            return 0;
        }
        self.forest.ids().filter(|&leaf| !self.is_whole(leaf)).count()
    }

    /// Returns the leaves whose ground is away.
    #[must_use]
    pub fn count_grounds_away(&self) -> usize {
        self.grounds.iter().filter(|ground| !ground.is_here()).count()
    }

    /// Returns the next leaves whose turn it is, and that have been still for some cycles.
    fn next_still(
        &self,
        residency: Residency,
        round: &mut Round,
        is_needed: &dyn Fn(LeafId) -> bool,
    ) -> Vec<LeafId> {
        let count = self.count();
        let mut still = Vec::new();
        for _ in 0..count.div_ceil(TURN_CYCLES).min(VISITS_MOST) {
            // The round begins again after the last leaf, or if a change of levels has left fewer.
            round.next = if round.next < count { round.next } else { 0 };
            let leaf = LeafId::new(round.next);
            round.next += 1;
            let has_turn = self.asleep[leaf] && self.has_here(leaf, residency) && !is_needed(leaf);
            // A step reads the planes of all around its leaf: evicted ones would be back at once.
            if has_turn && self.forest.near(leaf).all(|near| self.is_still(near)) {
                still.push(leaf);
                if still.len() == LEAVES_MOST {
                    break;
                }
            }
        }
        still
    }

    /// Returns true if the leaf sleeps, and has not changed for some cycles.
    fn is_still(&self, leaf: LeafId) -> bool {
        self.asleep[leaf] && self.changed_at(leaf) + STILL_CHANGES <= self.revision
    }

    /// Returns true if a step finds all planes of a leaf.
    fn is_whole(&self, leaf: LeafId) -> bool {
        self.grounds[leaf].is_here()
            && self.water[leaf].is_ready()
            && self.own[leaf].infiltrated.iter().all(Resident::is_ready)
            && self.maps_of(leaf).is_none_or(|maps| maps.planes().is_ready())
    }

    /// Returns true if some planes of a leaf that may be evicted are in memory.
    fn has_here(&self, leaf: LeafId, residency: Residency) -> bool {
        let ground = &self.grounds[leaf];
        (residency.lets_ground_go() && ground.is_here() && ground.place().is_some())
            || self.water[leaf].is_here()
            || self.own[leaf].infiltrated.iter().any(Resident::is_here)
            || self.maps_of(leaf).is_some_and(|maps| maps.planes().is_here())
    }

    /// Returns places for the planes of a leaf that have no place yet.
    fn places_of(&self, leaf: LeafId, residency: Residency, packer: &dyn Packer) -> ResidentPlaces {
        let (key, ground) = (self.forest.leaves()[leaf], &self.grounds[leaf]);
        let (water, infiltrated) = (&self.water[leaf], &self.own[leaf].infiltrated);
        let infiltrated = infiltrated.as_ref().filter(|plane| plane.place().is_none());
        let maps = self.maps_of(leaf).filter(|maps| maps.planes().place().is_none());
        let goes = residency.lets_ground_go() && ground.place().is_none();
        ResidentPlaces {
            ground: goes.then(|| packer.ground(key, ground)).flatten(),
            water: water.place().is_none().then(|| packer.water(key, water, ground)),
            infiltrated: infiltrated.map(|plane| packer.infiltrated(plane)),
            maps: maps.map(|maps| packer.maps(key, maps, ground)),
        }
    }
}

/// Fetches planes for a step, unless it can read them at their place.
fn bring<T>(planes: &Resident<T>) {
    if !planes.is_ready() {
        planes.bring_ahead();
    }
}

/// Evicts planes that have a new place, or a copy of planes whose old place is still valid.
fn put<T>(planes: &mut Resident<T>, place: Option<Arc<dyn AwayPlace<T>>>, is_at_once: bool) {
    match place {
        Some(place) => planes.let_go(place),
        None if is_at_once => planes.release_at_once(),
        None => {
            planes.release();
        }
    }
}
