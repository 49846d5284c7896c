//! Leaves of a cycle with their slots, for as long as the same leaves are awake.

use crate::failure::Failure;
use crate::levels::{AwakeRank, AwakeRanks, HaloTile};
use crate::place::HeldCard;
use crate::slots::Slots;
use rayon::prelude::*;
use thalweg_engine::forest::Neighbour;
use thalweg_engine::grid::{LeafId, Side, TileKey};
use thalweg_engine::sim::table::LeafTable;

/// Leaves that are awake, the leaves beside them, and the slots of all.
#[derive(Debug)]
pub struct Roll {
    /// Leaves that are awake, in the order of their records.
    pub awake: Vec<LeafId>,
    /// Leaves that are awake and all beside them, in ascending order.
    near: Vec<LeafId>,
    /// Tiles of the leaves of `near`: if they are the same, so are the leaves around.
    keys: Vec<TileKey>,
    /// Slots of the leaves of `near`.
    numbers: Vec<u32>,
    /// Slots of the leaves of its level around each awake leaf, south-west first, its own in the
    /// middle.
    pub around: Vec<[u32; 9]>,
    /// Sides of each awake leaf beyond which leaves sleep: bits, west, east, south, north.
    pub asleep: Vec<u32>,
    /// Leaves that are awake, in ascending order.
    pub ascending: Vec<LeafId>,
    /// Record of each leaf of `ascending`.
    pub records: Vec<usize>,
    /// Leaves asleep or apart beside the leaves of each level, if columns are sub-grid, with the
    /// slots around them: the card computes their stages, too.
    pub beside: Vec<Vec<(LeafId, [u32; 9])>>,
    /// Leaves apart beside leaves that are awake, in ascending order.
    guests: Vec<LeafId>,
    /// The ranks.
    ranks: Vec<AwakeRank>,
    /// Leaves of the world.
    count: usize,
}

impl Roll {
    /// Gives slots to leaves that are awake, to the leaves beside them, with these `near`, and to
    /// their halo tiles.
    ///
    /// # Errors
    ///
    /// The card has no memory for all of them.
    pub fn of(
        (slots, holder): (&mut Slots, &mut HeldCard),
        (leaves, near): (&LeafTable, Vec<LeafId>),
        levels: &mut AwakeRanks,
    ) -> Result<Self, Failure> {
        let awake = levels.awake.clone();
        let (numbers, halo) = slots.assign(holder, (leaves, &near), levels)?;
        let keys = near.iter().map(|leaf| leaves.forest.leaves()[*leaf]).collect();
        let mut of_leaf = vec![0; leaves.count()];
        for (leaf, number) in near.iter().zip(&numbers) {
            of_leaf[leaf.index()] = *number;
        }
        levels.take_slots(&halo, |leaf| of_leaf[leaf.index()]);
        let mut guests: Vec<LeafId> = levels.tiles.iter().filter_map(HaloTile::guest).collect();
        guests.sort_unstable();
        let around = |leaf: &LeafId| {
            let around = leaves.forest.around(*leaf);
            around.map(|beside| beside.known().map_or(0, |beside| of_leaf[beside.index()]))
        };
        let beside_level = |level: &AwakeRank| {
            let key = |leaf: LeafId| leaves.forest.leaves()[leaf];
            let stands = |leaf: LeafId| leaves.asleep[leaf] || guests.binary_search(&leaf).is_ok();
            let is_beside = |leaf: &&LeafId| stands(**leaf) && key(**leaf).level == level.level;
            let own = near.iter().filter(|leaf| level.has_columns && is_beside(leaf));
            own.map(|leaf| (*leaf, around(leaf))).collect()
        };
        let beside = levels.all.iter().map(beside_level).collect();
        let around = awake.iter().map(around).collect();
        let asleep = awake.iter().map(|&leaf| sides_asleep(leaves, leaf)).collect();
        let mut records: Vec<usize> = (0..awake.len()).collect();
        records.sort_unstable_by_key(|&record| awake[record]);
        let ascending = records.iter().map(|&record| awake[record]).collect();
        let (ranks, count) = (levels.all.clone(), leaves.count());
        Ok(Self {
            awake,
            near,
            keys,
            numbers,
            around,
            asleep,
            ascending,
            records,
            beside,
            guests,
            ranks,
            count,
        })
    }

    /// Returns whether these leaves are awake, and the leaves around them are the same, without
    /// halo tiles, which have different slots in each cycle, and guests: if guests fall asleep, the
    /// leaves around are the same, but sleep.
    pub fn is_of(&self, leaves: &LeafTable, levels: &AwakeRanks) -> bool {
        let keys = leaves.forest.leaves();
        levels.tiles.is_empty()
            && self.guests.is_empty()
            && self.count == keys.len()
            && self.awake == levels.awake
            && self.ranks == levels.all
            && self.near.iter().zip(&self.keys).all(|(leaf, key)| keys[*leaf] == *key)
    }

    /// Returns the leaves with slots, in ascending order, and the slots.
    pub fn slots(&self) -> (&[LeafId], &[u32]) {
        (&self.near, &self.numbers)
    }

    /// Returns whether a leaf is apart.
    pub fn is_guest(&self, leaf: LeafId) -> bool {
        self.guests.binary_search(&leaf).is_ok()
    }

    /// Returns the slot of the leaf of a record.
    pub fn slot(&self, record: usize) -> u32 {
        self.around[record][4]
    }

    /// Returns the leaves whose slots lack planes of theirs, with these slots.
    pub fn lacking(&self, slots: &Slots, leaves: &LeafTable) -> Vec<(LeafId, u32)> {
        found(self.near.len(), FEW_LEAVES, |i| {
            let (leaf, number) = (self.near[i], self.numbers[i]);
            let has_all = match self.is_guest(leaf) {
                true => slots.has_ground(number, &leaves.grounds[leaf]),
                false => slots.has_all(number, (leaves, leaf)),
            };
            (!has_all).then_some((leaf, number))
        })
    }
}

/// Leaves that one thread visits faster than several threads that must wake up first.
pub const FEW_LEAVES: usize = 2048;

/// Leaves that a thread visits in one go, if more exist.
const LEAVES_AT_ONCE: usize = 256;

/// Collects all results over `count` indices, on one thread if they are few.
pub fn found<T: Send>(
    count: usize,
    few: usize,
    look: impl Fn(usize) -> Option<T> + Send + Sync,
) -> Vec<T> {
    if count <= few {
        return (0..count).filter_map(look).collect();
    }
    let at_once = LEAVES_AT_ONCE.min(few / 2);
    (0..count).into_par_iter().with_min_len(at_once).filter_map(look).collect()
}

/// Runs `work` on each item.
pub fn each<T: Send>(all: Vec<T>, work: impl Fn(T) + Send + Sync) {
    if all.len() <= FEW_LEAVES {
        all.into_iter().for_each(work);
    } else {
        all.into_par_iter().with_min_len(LEAVES_AT_ONCE).for_each(work);
    }
}

/// Returns the sides beyond which leaves sleep: bits, west, east, south, north.
fn sides_asleep(leaves: &LeafTable, leaf: LeafId) -> u32 {
    let is_asleep = |side: Side| match leaves.forest.across(leaf, side) {
        Neighbour::Same(beside) => leaves.asleep[beside],
        // Faces beyond far sides close with their halo tile.
        Neighbour::Coarser(beside) => !side.is_far() && leaves.asleep[beside],
        Neighbour::Nothing | Neighbour::Finer(_) => false,
    };
    let sides = [Side::West, Side::East, Side::South, Side::North];
    (0..).zip(sides).map(|(bit, side)| u32::from(is_asleep(side)) << bit).sum()
}
