//! Records and tables of the places where leaves of several levels or with different steps meet,
//! for the kernels.

mod contents;

use crate::kernels::levels::{LevelCounts, TABLES, table};
use crate::kernels::{KernelMethod, LeafRecord, marks};
use crate::levels::{
    AwakeRank, AwakeRanks, HaloTile, InterfaceWords, Lies, NONE, beside_of, beyond_of, word,
};
use std::collections::BTreeMap;
use thalweg_engine::forest::Neighbour;
use thalweg_engine::forest::interfaces::LeafAcross;
use thalweg_engine::grid::{Axis, LeafId, Side, TileKey};
use thalweg_engine::sim::phases::faster;
use thalweg_engine::sim::table::LeafTable;

/// Words of the entries of each table.
const ENTRY_WORDS: [usize; TABLES] = [31, 10, 6, 6, 6, 6, 3, 10, 9, 11, 5];

/// Bounds of transfers, as in the text of the kernels.
mod bound {
    pub const DRAWS_UP: u32 = 0;
    pub const DRAWS_DOWN: u32 = 1;
    pub const CLOSED: u32 = 2;
    pub const GIVEN_UP: u32 = 3;
    pub const GIVEN_DOWN: u32 = 4;
}

/// Ends of steps, as in the text of the kernels.
mod ends {
    pub const MEANS: u32 = 0;
    pub const UNEVEN_COARSER: u32 = 1;
    pub const UNEVEN_FINER: u32 = 2;
    pub const SETTLED: u32 = 3;
}

/// Interfaces of the leaves that are awake.
#[derive(Clone, Copy)]
pub struct Interfaces<'a> {
    /// All leaves.
    pub leaves: &'a LeafTable,
    /// Ranks of leaves that are awake.
    pub levels: &'a AwakeRanks,
    /// State of the interfaces.
    pub words: &'a InterfaceWords,
    /// Slots of leaves, in ascending order of leaves.
    pub slots: (&'a [LeafId], &'a [u32]),
    /// Method of the steps.
    pub method: KernelMethod,
}

/// Tables of a rank.
struct RankTables([Vec<u32>; TABLES]);

impl RankTables {
    fn add<const N: usize>(&mut self, table: usize, entry: [u32; N]) {
        let words = &mut self.0[table];
        words.extend(entry);
        words.resize(words.len().next_multiple_of(ENTRY_WORDS[table]), 0);
    }
}

impl Interfaces<'_> {
    /// Returns the slot of a leaf; all bits if it has no slot.
    fn slot(&self, leaf: Option<LeafId>) -> u32 {
        let (near, numbers) = self.slots;
        let found = leaf.and_then(|leaf| near.binary_search(&leaf).ok());
        found.map_or(NONE, |at| numbers[at])
    }

    fn key(&self, leaf: LeafId) -> TileKey {
        self.leaves.forest.leaves()[leaf]
    }

    /// Returns the slot of the halo tile that a rank sees in a place; all bits for no tile.
    fn tile(&self, rank: usize, key: Option<TileKey>) -> u32 {
        self.levels.tile_at(rank, key).map_or(NONE, |tile| tile.slot)
    }

    /// Returns the index of the rank of a leaf that is awake.
    fn rank(&self, leaf: LeafId) -> usize {
        self.levels.rank_of(leaf).expect("it is awake, and has interfaces")
    }

    /// Returns the slots of the nine tiles around a leaf or halo tile as a rank sees them; 0 for no
    /// tile.
    pub fn near(&self, rank: usize, key: TileKey) -> [u32; 9] {
        std::array::from_fn(|place| {
            let beside = beside_of(key, place);
            let tile = self.tile(rank, beside);
            // Around a halo tile are leaves that this rank does not step: it may not touch them.
            let is_of = |leaf: &LeafId| self.levels.rank_of(*leaf).is_none_or(|own| own == rank);
            let found = || {
                let leaf = beside.and_then(|key| self.leaves.forest.find(key));
                self.slot(leaf.filter(is_of))
            };
            let slot = if tile == NONE { found() } else { tile };
            if slot == NONE { 0 } else { slot }
        })
    }

    fn beside(&self, leaf: LeafId, side: Side) -> LeafAcross {
        self.leaves.view().beside(leaf, side.place())
    }

    /// Returns the marks of a leaf that is awake.
    pub fn marks(&self, leaf: LeafId) -> u32 {
        let is_faster = |side: Side| self.beside(leaf, side) == LeafAcross::Faster;
        let mut bits = 0;
        bits |= if is_faster(Side::West) { marks::FINER_WEST } else { 0 };
        bits |= if is_faster(Side::South) { marks::FINER_SOUTH } else { 0 };
        for side in Side::ALL {
            bits |= if is_faster(side) { marks::GIVEN_WEST << side as u32 } else { 0 };
            let is_other = self.leaves.forest.across(leaf, side).is_other_level();
            bits |= if is_other { marks::OTHER_WEST << side as u32 } else { 0 };
        }
        bits
    }

    /// Returns the slots of leaves of the same level with different steps, across the sides of an
    /// awake leaf; all bits for no leaf.
    pub fn others(&self, leaf: LeafId) -> [u32; 4] {
        Side::ALL.map(|side| match self.leaves.forest.across(leaf, side) {
            Neighbour::Same(beyond) if self.leaves.view().steps_beside(leaf, beyond).is_ne() => {
                self.slot(Some(beyond))
            }
            _ => NONE,
        })
    }

    /// Returns the slot of the halo tile that leaves with shorter steps see in the place of a leaf;
    /// all bits for no tile.
    pub fn shown_as(&self, leaf: LeafId) -> u32 {
        let faster = faster(self.levels.all[self.rank(leaf)].rank());
        let rank = faster.and_then(|faster| self.levels.index_of(faster));
        rank.map_or(NONE, |rank| self.tile(rank, Some(self.key(leaf))))
    }

    /// Returns the records of all halo tiles.
    pub fn halo_records(&self) -> Vec<LeafRecord> {
        if self.levels.tiles.is_empty() {
            return Vec::new();
        }
        let records = self.levels.records();
        self.levels.tiles.iter().map(|tile| self.halo_record(tile, &records)).collect()
    }

    fn halo_record(&self, tile: &HaloTile, records: &BTreeMap<LeafId, usize>) -> LeafRecord {
        let forest = &self.leaves.forest;
        let beside = |side| beyond_of(tile.key, side).and_then(|key| forest.find(key));
        let owner = |side: Side| {
            let record = beside(side).and_then(|leaf| records.get(&leaf));
            let own = &self.levels.all[tile.rank].leaves;
            let record = record.filter(|record| tile.is_slower() && own.contains(record));
            record.map_or(NONE, |&record| word(record))
        };
        let (owner_west, owner_south) = (owner(Side::West), owner(Side::South));
        let marks = self.halo_marks(tile);
        let rows = |near| parts(near, |group| ([0, 64], [4 * group, 4 * group + 4]));
        let blocks = |near| {
            parts(near, |group| {
                let (column, row) = (16 * (group % 4), 16 * (group / 4));
                ([column, column + 16], [row, row + 16])
            })
        };
        let of_method = |near| match self.method {
            KernelMethod::Pipe => rows(near),
            KernelMethod::ShallowWater(_) => blocks(near),
        };
        // Faces on a line are in the parts that a leaf before it is near to.
        let finished = if owner_west == NONE { 0 } else { of_method(1 << 3) }
            | if owner_south == NONE { 0 } else { of_method(1 << 1) };
        let corner = tile.key.corner();
        LeafRecord {
            near: self.near(tile.rank, tile.key),
            west: corner.x,
            south: corner.y,
            marks,
            moving: of_method(tile.near) | rows(tile.near) << 16,
            finished,
            owner_west,
            owner_south,
            ..LeafRecord::NONE
        }
    }

    fn halo_marks(&self, tile: &HaloTile) -> u32 {
        let forest = &self.leaves.forest;
        let beside = |side: &Side| beyond_of(tile.key, *side).and_then(|key| forest.find(key));
        let gives = |side: &Side| match tile.lies {
            Lies::Finer => beside(side).is_some(),
            Lies::Faster(_) => {
                beside(side).is_some_and(|leaf| self.levels.rank_of(leaf) == Some(tile.rank))
            }
            Lies::Coarser | Lies::Slower(_) | Lies::Guest(_) => false,
        };
        let given = Side::ALL.into_iter().filter(gives);
        let given: u32 = given.map(|side| marks::GIVEN_WEST << side as u32).sum();
        let is_closed = tile.lies == Lies::Coarser && {
            let coarse = forest.covering(tile.key).expect("a coarser leaf lies there");
            self.leaves.asleep[coarse]
        };
        let closed = if is_closed { marks::CLOSED_WEST | marks::CLOSED_SOUTH } else { 0 };
        let is_copy = matches!(tile.lies, Lies::Slower(_) | Lies::Faster(_));
        marks::HALO_TILE | given | closed | if is_copy { marks::COPY } else { 0 }
    }

    /// Puts the tables of a rank into all tables; returns the place of their list, and their
    /// counts.
    pub fn put(&self, level: &AwakeRank, tables: &mut Vec<u32>) -> (u32, LevelCounts) {
        let mut own = RankTables(std::array::from_fn(|_| Vec::new()));
        for tile in &self.levels.tiles[level.halo.clone()] {
            match tile.lies {
                Lies::Coarser => self.add_coarse_tile(tile, &mut own),
                Lies::Finer => self.add_finer_tile(tile, &mut own),
                Lies::Slower(leaf) | Lies::Faster(leaf) => self.add_copy(tile, leaf, &mut own),
                Lies::Guest(_) => {}
            }
        }
        for record in level.leaves.clone() {
            let leaf = self.levels.awake[record];
            if self.leaves.interfaces[leaf].is_some() {
                self.add_leaf(leaf, word(record), &mut own);
            }
        }
        if self.leaves.tracers() > 0 {
            self.add_contents(level, &mut own);
        }
        let at = tables.len();
        tables.resize(at + 2 * TABLES, 0);
        let mut entries = [0; TABLES];
        for (number, words) in own.0.iter().enumerate() {
            entries[number] = word(words.len() / ENTRY_WORDS[number]);
            tables[at + 2 * number] = word(tables.len());
            tables[at + 2 * number + 1] = entries[number];
            tables.extend(words);
        }
        (word(at), LevelCounts { halo_tiles: word(level.halo.len()), entries })
    }

    fn add_coarse_tile(&self, tile: &HaloTile, own: &mut RankTables) {
        let forest = &self.leaves.forest;
        let mut entry = [NONE; 31];
        (entry[0], entry[1]) = (tile.slot, tile.near);
        for place in 0..9 {
            let Some(key) = beside_of(tile.key, place) else { continue };
            entry[2 + place] = self.slot(forest.find(key));
            let coarse = forest.covering(key).filter(|&leaf| self.key(leaf).level > key.level);
            entry[11 + place] = self.slot(coarse);
            let beside = self.levels.tile_at(tile.rank, Some(key));
            let beside = beside.filter(|tile| tile.lies == Lies::Coarser);
            entry[20 + place] = beside.map_or(NONE, |tile| tile.slot);
        }
        (entry[29], entry[30]) = (tile.key.x & 1, tile.key.y & 1);
        own.add(table::COARSE_TILES, entry);
        for (axis, side) in [(Axis::X, Side::West), (Axis::Y, Side::South)] {
            let beside = beyond_of(tile.key, side).and_then(|key| forest.find(key));
            let row = beside.map_or(NONE, |leaf| self.words.row(leaf, axis));
            if row != NONE {
                own.add(table::BEYOND, [tile.slot, axis as u32, row]);
            }
        }
    }

    fn add_finer_tile(&self, tile: &HaloTile, own: &mut RankTables) {
        let child = |quadrant| self.slot(self.leaves.forest.find(tile.key.child(quadrant)));
        let [a, b, c, d] = [0, 1, 2, 3].map(child);
        let before = |side| beyond_of(tile.key, side).and_then(|key| self.leaves.forest.find(key));
        let [west, south] = [Side::West, Side::South].map(|side| self.slot(before(side)));
        let near = self.near(tile.rank, tile.key);
        let there = [Side::West, Side::South].map(|side| near[side.place()]);
        let own_words = [tile.slot, tile.near, a, b, c, d, west, south, there[0], there[1]];
        own.add(table::FINER_TILES, own_words);
    }

    /// Adds a halo tile in a leaf of the same level. Leaves before one with longer steps own its
    /// faces: bits, west and south.
    fn add_copy(&self, tile: &HaloTile, leaf: LeafId, own: &mut RankTables) {
        let is_owned = |side: Side| {
            let before = beyond_of(tile.key, side).and_then(|key| self.leaves.forest.find(key));
            before.is_some_and(|leaf| self.levels.rank_of(leaf) == Some(tile.rank))
        };
        let owned = u32::from(is_owned(Side::West)) | u32::from(is_owned(Side::South)) << 1;
        let is_slower = u32::from(tile.is_slower());
        own.add(table::COPIES, [tile.slot, tile.near, self.slot(Some(leaf)), is_slower, owned]);
    }

    /// Returns the slot and axis of the faces along a side of a leaf, of halo tiles beyond far
    /// sides.
    fn faces(&self, leaf: LeafId, side: Side) -> [u32; 2] {
        let slot = match side.is_far() {
            true => self.tile(self.rank(leaf), beyond_of(self.key(leaf), side)),
            false => self.slot(Some(leaf)),
        };
        [slot, side.axis() as u32]
    }

    fn add_leaf(&self, leaf: LeafId, record: u32, own: &mut RankTables) {
        let LeafTable { forest, asleep, .. } = self.leaves;
        let registers = Side::ALL.map(|side| self.words.register(leaf, side));
        let is_faster = |place: usize| self.leaves.view().beside(leaf, place) == LeafAcross::Faster;
        if (0..9).any(is_faster) {
            let sides = Side::ALL.into_iter().filter(|side| is_faster(side.place()));
            let [a, b, c, d] = registers;
            own.add(table::VIEWS, [record, sides.map(|side| 1 << side as u32).sum(), a, b, c, d]);
        }
        for (side, register) in Side::ALL.into_iter().zip(registers) {
            let [slot, axis] = self.faces(leaf, side);
            if let Some(slower) = self.leaves.view().slower(leaf, side) {
                let there = self.words.register(slower.beyond, side.opposite());
                let bound = match (asleep[slower.beyond], side.is_far()) {
                    (true, _) => bound::CLOSED,
                    (false, true) => bound::DRAWS_DOWN,
                    (false, false) => bound::DRAWS_UP,
                };
                let (first, is_coarser) = (word(slower.first), u32::from(slower.is_coarser()));
                own.add(table::BOUNDS, [slot, axis, bound, there, first, is_coarser]);
                if bound != bound::CLOSED {
                    let comes_up = u32::from(side.is_far());
                    own.add(table::COLLECTED, [there, first, slot, axis, comes_up, is_coarser]);
                }
            } else if register != NONE {
                let bound = if side.is_far() { bound::GIVEN_DOWN } else { bound::GIVEN_UP };
                own.add(table::BOUNDS, [slot, axis, bound, register, 0, 0]);
                own.add(table::ENDS, [ends::SETTLED, register]);
                self.add_means(leaf, side, own);
            }
            for faces in forest.faces(leaf, side).filter(|faces| asleep[faces.beyond]) {
                let what = match (faces.is_coarser(), faces.is_finer()) {
                    (true, _) => ends::UNEVEN_COARSER,
                    (_, true) => ends::UNEVEN_FINER,
                    _ => continue,
                };
                let (there, first) = (self.slot(Some(faces.beyond)), word(faces.first));
                own.add(table::ENDS, [what, record, side as u32, there, first]);
            }
        }
    }

    /// Adds the means over a west or south side of a leaf, whose faces faster ones own: two faces
    /// of finer leaves in one, or one of a leaf with shorter steps.
    fn add_means(&self, leaf: LeafId, side: Side, own: &mut RankTables) {
        let pair = match self.leaves.forest.across(leaf, side) {
            _ if side.is_far() => return,
            Neighbour::Finer(pair) => pair.map(LeafId::known).to_vec(),
            Neighbour::Same(faster) => vec![Some(faster)],
            Neighbour::Nothing | Neighbour::Coarser(_) => return,
        };
        let is_finer = u32::from(pair.len() == 2);
        for (first, faster) in [0, 32].into_iter().zip(pair) {
            let faster = faster.filter(|&faster| !self.leaves.asleep[faster]);
            let there = faster.map_or(NONE, |faster| self.faces(faster, side.opposite())[0]);
            let (slot, axis) = (self.slot(Some(leaf)), side.axis() as u32);
            own.add(table::ENDS, [ends::MEANS, slot, axis, first, there, is_finer]);
        }
    }
}

/// Returns the parts of a tile, by columns and rows, within reach of leaves in some places around
/// it: bits.
fn parts(near: u32, part: impl Fn(u32) -> ([u32; 2], [u32; 2])) -> u32 {
    let is_near = |group: &u32| {
        let ([west, east], [south, north]) = part(*group);
        let columns = [west < 4, true, east > 60];
        let rows = [south < 4, true, north > 60];
        (0..9).any(|place| near >> place & 1 == 1 && columns[place % 3] && rows[place / 3])
    };
    (0..16).filter(is_near).map(|group| 1 << group).sum()
}
