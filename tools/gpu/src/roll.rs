//! Leaves of a cycle with their slots, for as long as the same leaves are awake.

use crate::failure::Failure;
use crate::levels::Levels;
use crate::place::Holder;
use crate::slots::Slots;
use rayon::prelude::*;
use thalweg::forest::Neighbour;
use thalweg::grid::{LeafId, Side, TileKey};
use thalweg::sim::table::LeafTable;

/// Leaves that are awake, those beside them, and the slots of all.
#[derive(Debug)]
pub struct Roll {
    /// Leaves that are awake, in the order of their records.
    pub awake: Vec<LeafId>,
    /// Leaves that are awake and all beside them, which ascend.
    near: Vec<LeafId>,
    /// The tiles of these: where they are the same, so are the leaves around.
    keys: Vec<TileKey>,
    /// Slots of these.
    numbers: Vec<u32>,
    /// Slots of the leaves of its level around each that is awake, south-west first, its own in the
    /// middle.
    pub around: Vec<[u32; 9]>,
    /// Sides beyond which leaves sleep, of each that is awake: bits, west, east, south, north.
    pub asleep: Vec<u32>,
    /// Record of each leaf of the world; all bits where it has none.
    records: Vec<u32>,
}

impl Roll {
    /// Gives slots to leaves that are awake, to those beside them, and to their halo tiles.
    ///
    /// # Errors
    ///
    /// The card has no memory for so many.
    pub fn of(
        (slots, holder): (&mut Slots, &mut Holder),
        leaves: &LeafTable,
        levels: &mut Levels,
    ) -> Result<Self, Failure> {
        let awake = levels.awake.clone();
        let near = leaves.near(&awake);
        let (numbers, halo) = slots.assign(holder, leaves, (&near, levels.tiles.len()))?;
        levels.take_slots(&halo);
        let keys = near.iter().map(|leaf| leaves.forest.leaves()[*leaf]).collect();
        let mut of_leaf = vec![0; leaves.count()];
        for (leaf, number) in near.iter().zip(&numbers) {
            of_leaf[leaf.index()] = *number;
        }
        let around = |leaf: &LeafId| {
            let around = leaves.forest.around(*leaf);
            around.map(|beside| beside.known().map_or(0, |beside| of_leaf[beside.index()]))
        };
        let around = awake.iter().map(around).collect();
        let asleep = awake.iter().map(|&leaf| sides_asleep(leaves, leaf)).collect();
        let mut records = vec![u32::MAX; leaves.count()];
        for (record, leaf) in (0..).zip(&awake) {
            records[leaf.index()] = record;
        }
        Ok(Self { awake, near, keys, numbers, around, asleep, records })
    }

    /// True where these leaves are awake, and the leaves around them are the same, without halo
    /// tiles: those have other slots in each cycle.
    pub fn is_of(&self, leaves: &LeafTable, levels: &Levels) -> bool {
        let keys = leaves.forest.leaves();
        levels.tiles.is_empty()
            && self.records.len() == keys.len()
            && self.awake == levels.awake
            && self.near.iter().zip(&self.keys).all(|(leaf, key)| keys[*leaf] == *key)
    }

    /// Leaves with slots, which ascend, and the slots.
    pub fn slots(&self) -> (&[LeafId], &[u32]) {
        (&self.near, &self.numbers)
    }

    /// Slots of the leaves that are awake.
    pub fn stepped(&self) -> impl IndexedParallelIterator<Item = u32> {
        self.around.par_iter().map(|around| around[4])
    }

    /// The slot and the record of each leaf of the world that is awake, by its id.
    pub fn by_leaf(&self) -> impl IndexedParallelIterator<Item = Option<(u32, usize)>> {
        self.records.par_iter().map(|&record| {
            let around = self.around.get(record as usize)?;
            Some((around[4], record as usize))
        })
    }

    /// Leaves whose slots lack something of theirs, with these.
    pub fn lacking(&self, slots: &Slots, leaves: &LeafTable) -> Vec<(LeafId, u32)> {
        let of_leaf = self.near.par_iter().zip(&self.numbers);
        let lacks =
            |(&leaf, &number)| (!slots.has_all(number, (leaves, leaf))).then_some((leaf, number));
        of_leaf.with_min_len(LEAVES_AT_ONCE).filter_map(lacks).collect()
    }
}

/// Leaves that a thread looks at in one go.
pub const LEAVES_AT_ONCE: usize = 256;

/// Sides beyond which leaves sleep: bits, west, east, south, north.
fn sides_asleep(leaves: &LeafTable, leaf: LeafId) -> u32 {
    let is_asleep = |side: Side| match leaves.forest.across(leaf, side) {
        Neighbour::Same(beside) => leaves.asleep[beside],
        // What lies beyond far sides closes with its halo tile.
        Neighbour::Coarser(beside) => !side.is_far() && leaves.asleep[beside],
        Neighbour::Nothing | Neighbour::Finer(_) => false,
    };
    let sides = [Side::West, Side::East, Side::South, Side::North];
    (0..).zip(sides).map(|(bit, side)| u32::from(is_asleep(side)) << bit).sum()
}
