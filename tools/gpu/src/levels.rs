//! Interfaces between levels, and between leaves with different steps, on a card, for one cycle.
//!
//! ```text
//! ranks          leaves that step together: those of a level, or some of these with the same steps
//! halo tiles     where leaves of another level or with other steps lie beside those awake: slots
//!                of tiles of the level of these, of which the kernels fill the cells within reach
//! guests         leaves that the processor steps beside those awake here: their transfers are
//!                worked out within reach, as in halo tiles
//! words          registers of coarse sides, discharges over far sides: state, which goes to the
//!                card with every cycle and comes back with its reports
//! ```

use crate::beyond::{TOLERANT_APART, TOLERANT_COLUMNS};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use thalweg_engine::forest::Neighbour;
use thalweg_engine::forest::interfaces::{LeafAcross, LeafInterfaces};
use thalweg_engine::grid::{Axis, LeafId, Side, TILE_WIDTH, TileKey};
use thalweg_engine::sim::apart::Apart;
use thalweg_engine::sim::phases::Rank;
use thalweg_engine::sim::state::SimulationState;
use thalweg_engine::sim::table::LeafTable;

/// Sentinel for no place: all bits.
pub const NONE: u32 = u32::MAX;

/// Leaves that are awake and step together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AwakeRank {
    /// The level.
    pub level: u8,
    /// Number of doublings from the shortest step of the level to the step of these leaves.
    pub doublings: u8,
    /// Records of its leaves.
    pub leaves: Range<usize>,
    /// Records of its halo tiles, counted after all leaves.
    pub halo: Range<usize>,
    /// True if columns of its leaves are sub-grid.
    pub has_columns: bool,
}

impl AwakeRank {
    /// Returns the logarithm of the count of finest cells in a cell, a power of two.
    pub fn finest_log2(&self) -> u32 {
        2 * u32::from(self.level)
    }

    /// Returns whether the next finer level has sub-grid columns, too: the finest has none.
    pub fn has_finer_columns(&self) -> bool {
        self.has_columns && self.level > 1
    }

    /// Returns the level and the number of doublings of its shortest step.
    pub fn rank(&self) -> Rank {
        (self.level, self.doublings)
    }

    /// Returns the rank of leaves of the level with the next longer steps.
    pub fn slower(&self) -> Rank {
        (self.level, self.doublings + 1)
    }
}

/// Leaf or leaves at the place of a halo tile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lies {
    /// A coarser leaf.
    Coarser,
    /// Finer leaves.
    Finer,
    /// A leaf of the same level with longer steps.
    Slower(LeafId),
    /// A leaf of the same level with shorter steps.
    Faster(LeafId),
    /// A leaf apart, in a slot of its own.
    Guest(LeafId),
}

/// A tile of a level in the halo of leaves that are awake, at a place of leaves of another level or
/// with different steps.
#[derive(Debug)]
pub struct HaloTile {
    /// The tile.
    pub key: TileKey,
    /// Index of the rank that sees it.
    pub rank: usize,
    /// Leaf or leaves at its place.
    pub lies: Lies,
    /// Places around it with leaves of that rank that are stepped here: bits.
    pub near: u32,
    /// The slot.
    pub slot: u32,
}

impl HaloTile {
    /// Returns the leaf apart at this place, in a slot of its own, if any.
    pub fn guest(&self) -> Option<LeafId> {
        match self.lies {
            Lies::Guest(guest) => Some(guest),
            _ => None,
        }
    }

    /// Returns whether a leaf with longer steps is here: leaves beside it move the water.
    pub fn is_slower(&self) -> bool {
        matches!(self.lies, Lies::Coarser | Lies::Slower(_))
    }
}

/// Ranks with leaves that are awake, and their halo tiles.
#[derive(Debug, Default)]
pub struct AwakeRanks {
    /// The ranks, the finest level first; within a level, the shortest steps first.
    pub all: Vec<AwakeRank>,
    /// Leaves that are awake, rank by rank.
    pub awake: Vec<LeafId>,
    /// Halo tiles, rank by rank.
    pub tiles: Vec<HaloTile>,
    /// Halo tiles by rank and place.
    by_key: BTreeMap<(usize, TileKey), usize>,
    /// The rank of each leaf; [`NO_RANK`] if it is not stepped here. Empty without interfaces.
    ranks: Vec<u16>,
    /// True if columns of some leaf that is awake, or beside one, are sub-grid.
    pub has_columns: bool,
    /// Leaves beside guests, by rank.
    pub beside_guests: Vec<Vec<LeafId>>,
}

/// No rank.
const NO_RANK: u16 = u16::MAX;

impl AwakeRanks {
    /// Returns the levels of the leaves that are listed as awake, perhaps under a tolerance of
    /// sleep, beside the leaves apart.
    ///
    /// # Errors
    ///
    /// Name of something about these leaves that no card does.
    pub fn of(
        state: &SimulationState,
        is_tolerant: bool,
        apart: Option<&Apart>,
    ) -> Result<Self, &'static str> {
        let SimulationState { leaves, activity, .. } = state;
        let all = || activity.awake.par_iter().flatten();
        let has_columns = |leaf: LeafId| leaves.grounds[leaf].columns.is_some();
        let near = |leaf: LeafId| leaves.forest.near(leaf).chain([leaf]);
        let some = all().any(|&leaf| near(leaf).any(has_columns));
        let is_coarse = |leaf: LeafId| leaves.forest.leaves()[leaf].level > 0;
        let is_of_level = |leaf| has_columns(leaf) == (some && is_coarse(leaf));
        debug_assert!(all().all(|&leaf| near(leaf).all(is_of_level)), "columns go by level");
        if all().any(|&leaf| is_edge_at_interface(leaves, leaf)) {
            return Err("open edges one cell from another level or other steps");
        }
        let mut levels = Self { has_columns: some, ..Self::default() };
        for rank in activity.ranks() {
            let first = levels.awake.len();
            levels.awake.extend(activity.stepped(rank));
            let (level, doublings) = rank;
            let has_columns = some && level > 0;
            let leaves = first..levels.awake.len();
            levels.all.push(AwakeRank { level, doublings, leaves, halo: 0..0, has_columns });
        }
        if apart.is_some() || levels.awake.iter().any(|leaf| leaves.interfaces[*leaf].is_some()) {
            levels.note_ranks(leaves);
        }
        for rank in 0..levels.all.len() {
            let first_tile = levels.tiles.len();
            levels.add_tiles(leaves, rank);
            let beside = levels.add_guests(leaves, rank, apart);
            levels.beside_guests.push(beside);
            levels.all[rank].halo = first_tile..levels.tiles.len();
        }
        let is_one = levels.all.len() == 1 && !levels.has_halo();
        match levels.awake.is_empty() {
            true => Err("no water"),
            false if some && is_tolerant => Err(TOLERANT_COLUMNS),
            false if apart.is_some() && is_tolerant => Err(TOLERANT_APART),
            false if is_tolerant && !is_one => Err("a tolerance of sleep on several levels"),
            false => Ok(levels),
        }
    }

    /// Returns the leaves of a rank.
    fn of_rank(&self, rank: usize) -> &[LeafId] {
        &self.awake[self.all[rank].leaves.clone()]
    }

    fn note_ranks(&mut self, leaves: &LeafTable) {
        let mut ranks = vec![NO_RANK; leaves.count()];
        for (rank, level) in (0..).zip(&self.all) {
            self.awake[level.leaves.clone()].iter().for_each(|leaf| ranks[leaf.index()] = rank);
        }
        self.ranks = ranks;
    }

    /// Returns the rank of a leaf if it is stepped here, in a world with interfaces.
    pub fn rank_of(&self, leaf: LeafId) -> Option<usize> {
        let rank = self.ranks.get(leaf.index()).copied().filter(|&rank| rank != NO_RANK);
        rank.map(usize::from)
    }

    fn add_tiles(&mut self, leaves: &LeafTable, rank: usize) {
        let mut tiles = BTreeMap::new();
        let own = self.of_rank(rank).iter().copied();
        for leaf in own.filter(|leaf| leaves.interfaces[*leaf].is_some()) {
            let key = leaves.forest.leaves()[leaf];
            for (place, beside) in leaves.forest.beside(leaf).iter().enumerate() {
                let lies = match (*beside, leaves.view().beside(leaf, place)) {
                    (Neighbour::Coarser(_), _) => Lies::Coarser,
                    (Neighbour::Finer(_), _) => Lies::Finer,
                    (Neighbour::Same(there), LeafAcross::Slower) => Lies::Slower(there),
                    (Neighbour::Same(there), LeafAcross::Faster) => Lies::Faster(there),
                    _ => continue,
                };
                tiles.insert(beside_of(key, place).expect("there are leaves"), lies);
            }
        }
        for (key, lies) in tiles {
            let near = self.near_to(key, leaves, rank);
            self.by_key.insert((rank, key), self.tiles.len());
            self.tiles.push(HaloTile { key, rank, lies, near, slot: NONE });
        }
    }

    /// Returns the places around a tile with leaves of a rank that are stepped on the card: bits.
    fn near_to(&self, key: TileKey, leaves: &LeafTable, rank: usize) -> u32 {
        let is_stepped = |place: &usize| {
            let leaf = beside_of(key, *place).and_then(|key| leaves.forest.find(key));
            leaf.is_some_and(|leaf| self.rank_of(leaf) == Some(rank))
        };
        (0..9).filter(is_stepped).map(|place| 1 << place).sum()
    }

    /// Adds leaves apart beside some of a rank; returns the leaves of the rank beside them.
    fn add_guests(
        &mut self,
        leaves: &LeafTable,
        rank: usize,
        apart: Option<&Apart>,
    ) -> Vec<LeafId> {
        let Some(apart) = apart else { return Vec::new() };
        let guests_of = |leaf: LeafId| leaves.forest.near(leaf).filter(|beside| apart.has(*beside));
        let own = self.of_rank(rank).iter().copied();
        let beside: Vec<LeafId> = own.filter(|&leaf| guests_of(leaf).next().is_some()).collect();
        let guests: BTreeSet<LeafId> = beside.iter().flat_map(|&leaf| guests_of(leaf)).collect();
        for guest in guests {
            let key = leaves.forest.leaves()[guest];
            let near = self.near_to(key, leaves, rank);
            self.tiles.push(HaloTile { key, rank, lies: Lies::Guest(guest), near, slot: NONE });
        }
        beside
    }

    /// Returns whether leaves of another level or with different steps are beside the awake leaves.
    pub fn has_halo(&self) -> bool {
        !self.by_key.is_empty()
    }

    /// Gives the halo tiles their slots, and the guests the slots of their leaves.
    pub fn take_slots(&mut self, slots: &[u32], of_leaf: impl Fn(LeafId) -> u32) {
        let mut slots = slots.iter().copied();
        for tile in &mut self.tiles {
            tile.slot = match tile.guest() {
                Some(guest) => of_leaf(guest),
                None => slots.next().expect("one for each"),
            };
        }
    }

    /// Returns the guests of a rank.
    pub fn guests(&self, level: usize) -> impl Iterator<Item = (LeafId, u32)> {
        let tiles = &self.tiles[self.all[level].halo.clone()];
        tiles.iter().filter_map(|tile| Some((tile.guest()?, tile.slot)))
    }

    /// Returns the halo tile that a rank sees in a place, if any.
    pub fn tile_at(&self, rank: usize, key: Option<TileKey>) -> Option<&HaloTile> {
        key.and_then(|key| self.by_key.get(&(rank, key))).map(|&tile| &self.tiles[tile])
    }

    /// Returns whether each halo tile has faces with tables of sub-grid columns.
    pub fn tiles_with_tables(&self) -> impl Iterator<Item = bool> {
        let own = self.tiles.iter().filter(|tile| tile.guest().is_none());
        own.map(|tile| self.has_columns && tile.key.level > 0)
    }

    /// Returns the index of a rank.
    pub fn index_of(&self, rank: Rank) -> Option<usize> {
        self.all.iter().position(|own| own.rank() == rank)
    }

    /// Returns the record of each leaf.
    pub fn records(&self) -> BTreeMap<LeafId, usize> {
        self.awake.iter().enumerate().map(|(record, &leaf)| (leaf, record)).collect()
    }
}

/// Returns whether the faces behind open edges on an east or north side are between levels or
/// leaves with different steps: no kernel reads the new depths beyond these faces.
fn is_edge_at_interface(leaves: &LeafTable, leaf: LeafId) -> bool {
    let is_other = |side: Side| {
        matches!(leaves.view().beside(leaf, side.place()), LeafAcross::Slower | LeafAcross::Faster)
    };
    leaves.own[leaf].boundary.iter().any(|face| {
        let cell = usize::from(face.cell);
        match face.side {
            Side::East => cell.is_multiple_of(TILE_WIDTH) && is_other(Side::West),
            Side::North => cell < TILE_WIDTH && is_other(Side::South),
            Side::West | Side::South => false,
        }
    })
}

/// Returns the tile in one of the nine places around a tile.
pub fn beside_of(key: TileKey, place: usize) -> Option<TileKey> {
    let step = |third: usize| i32::try_from(third).expect("below 3") - 1;
    key.beside(step(place % 3), step(place / 3))
}

/// Returns the tile beyond a side of a tile.
pub fn beyond_of(key: TileKey, side: Side) -> Option<TileKey> {
    beside_of(key, side.place())
}

/// State of interfaces as words of a buffer.
#[derive(Debug, Default)]
pub struct InterfaceWords {
    /// Place of the first in the buffer.
    pub first: usize,
    /// The words.
    pub all: Vec<u32>,
    /// Places of the registers of coarse sides.
    registers: BTreeMap<(LeafId, usize), usize>,
    /// Places of the discharges over far sides of leaves, by axis.
    rows: BTreeMap<(LeafId, usize), usize>,
    /// Places of the water that leaves show the halo tiles to their north.
    shown: BTreeMap<LeafId, usize>,
    /// Places of the contents that cross the sides of leaves beside coarser ones.
    crossing: BTreeMap<LeafId, usize>,
}

impl InterfaceWords {
    /// Returns registers of awake leaves, and discharges over the far sides at halo tiles.
    pub fn of(leaves: &LeafTable, levels: &AwakeRanks, first: usize) -> Self {
        let mut words = Self { first, ..Self::default() };
        for &leaf in &levels.awake {
            let Some(interfaces) = &leaves.interfaces[leaf] else { continue };
            words.add_registers(leaf, interfaces);
            if leaves.view().slower(leaf, Side::North).is_some() {
                words.shown.insert(leaf, words.end());
                words.all.extend([0; 2 * TILE_WIDTH]);
            }
        }
        words.add_contents(leaves, levels);
        for tile in levels.tiles.iter().filter(|tile| tile.lies == Lies::Coarser) {
            for (axis, side) in [(Axis::X, Side::West), (Axis::Y, Side::South)] {
                let beside = beyond_of(tile.key, side).and_then(|key| leaves.forest.find(key));
                let Some(leaf) = beside else { continue };
                let interfaces = leaves.interfaces[leaf].as_ref();
                let Some(row) = interfaces.and_then(|own| own.beyond[axis].as_ref()) else {
                    continue;
                };
                words.rows.insert((leaf, axis as usize), words.end());
                words.all.extend(row.iter().map(|q| q.to_bits()));
            }
        }
        words
    }

    fn add_registers(&mut self, leaf: LeafId, interfaces: &LeafInterfaces) {
        for (side, register) in interfaces.registers.iter().enumerate() {
            let Some(register) = register else { continue };
            self.registers.insert((leaf, side), self.end());
            let pairs = register.gained.iter().chain(&register.drawn);
            self.all.extend(pairs.flat_map(|&pair| self::words(pair.cast_unsigned())));
            self.all.extend([0; TILE_WIDTH]);
            let contents = register.contents.iter().flatten();
            self.all.extend(contents.flat_map(|&pair| self::words(pair.cast_unsigned())));
        }
    }

    /// Adds the words of contents: rows of contents that cross sides, and registers of coarser
    /// leaves asleep, which awake leaves read.
    fn add_contents(&mut self, leaves: &LeafTable, levels: &AwakeRanks) {
        let tracers = leaves.tracers();
        if tracers == 0 {
            return;
        }
        for &leaf in &levels.awake {
            if Side::ALL.iter().any(|&side| leaves.forest.across(leaf, side).is_coarser()) {
                self.crossing.insert(leaf, self.end());
                self.all.resize(self.all.len() + tracers * 2 * 4 * TILE_WIDTH, 0);
            }
        }
        let coarse = levels.tiles.iter().filter(|tile| tile.lies == Lies::Coarser);
        let coarse = coarse.filter_map(|tile| leaves.forest.covering(tile.key));
        let asleep: BTreeSet<LeafId> = coarse.filter(|&leaf| leaves.asleep[leaf]).collect();
        for leaf in asleep {
            if let Some(interfaces) = &leaves.interfaces[leaf] {
                self.add_registers(leaf, interfaces);
            }
        }
    }

    /// Returns the place of the contents that cross the sides of a leaf; all bits for no place.
    pub fn crossing(&self, leaf: LeafId) -> u32 {
        self.crossing.get(&leaf).map_or(NONE, |&place| word(place))
    }

    /// Returns the place of the register of a side; all bits if it has no register.
    pub fn register(&self, leaf: LeafId, side: Side) -> u32 {
        self.registers.get(&(leaf, side as usize)).map_or(NONE, |&place| word(place))
    }

    /// Returns the place of the discharges over a far side of a leaf; all bits if no tile needs
    /// them.
    pub fn row(&self, leaf: LeafId, axis: Axis) -> u32 {
        self.rows.get(&(leaf, axis as usize)).map_or(NONE, |&place| word(place))
    }

    /// Returns the place of the words that a leaf shows the halo tile to its north; all bits if
    /// none.
    pub fn shown(&self, leaf: LeafId) -> u32 {
        self.shown.get(&leaf).map_or(NONE, |&place| word(place))
    }

    fn end(&self) -> usize {
        self.first + self.all.len()
    }

    /// Gives the leaves that were stepped, in ascending order, the new words of their registers and
    /// far sides.
    pub fn take(&self, leaves: &mut LeafTable, words: &[u32], stepped: &[LeafId]) {
        let is_stepped = |leaf: LeafId| stepped.binary_search(&leaf).is_ok();
        for (&(leaf, side), &place) in &self.registers {
            if !is_stepped(leaf) {
                continue;
            }
            let register = leaves.interfaces[leaf].as_mut().and_then(|own| {
                let register = &mut own.registers[side];
                register.as_mut()
            });
            let register = register.expect("leaves stay in a cycle");
            let words = &words[place - self.first..];
            let of_water = register.gained.iter_mut().chain(&mut register.drawn);
            for (own, pair) in of_water.zip(words.chunks(2)) {
                *own = pair_of(pair);
            }
            let contents = words[5 * TILE_WIDTH..].chunks(2);
            for (own, pair) in register.contents.iter_mut().flatten().zip(contents) {
                *own = pair_of(pair);
            }
        }
        for (&(leaf, axis), &place) in &self.rows {
            if !is_stepped(leaf) {
                continue;
            }
            let row = leaves.interfaces[leaf].as_mut().and_then(|own| own.beyond[axis].as_mut());
            let row = row.expect("leaves stay in a cycle");
            let words = &words[place - self.first..][..TILE_WIDTH];
            row.iter_mut().zip(words).for_each(|(q, &word)| *q = f32::from_bits(word));
        }
    }
}

/// Writes a 64-bit word as the kernels read it: the low half first.
#[expect(clippy::cast_possible_truncation, reason = "halves")]
pub fn words(pair: u64) -> [u32; 2] {
    [pair as u32, (pair >> 32) as u32]
}

/// Returns the number that two such words form.
fn pair_of(words: &[u32]) -> i64 {
    i64::from(words[1].cast_signed()) << 32 | i64::from(words[0])
}

/// Returns a number as a word.
pub fn word(number: usize) -> u32 {
    u32::try_from(number).expect("tables are small")
}
