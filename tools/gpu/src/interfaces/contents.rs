//! Tables of the places where contents cross between levels, for the kernels.

use crate::interfaces::{Interfaces, RankTables};
use crate::kernels::levels::table;
use crate::levels::{AwakeRank, HaloTile, Lies, NONE, word};
use thalweg_engine::grid::{LeafId, Side};

impl Interfaces<'_> {
    /// Adds the tables of the contents of tracers, on a level.
    pub(super) fn add_contents(&self, level: &AwakeRank, own: &mut RankTables) {
        let tiles = &self.levels.tiles[level.halo.clone()];
        let coarse = tiles.iter().filter(|tile| tile.lies == Lies::Coarser);
        coarse.for_each(|tile| self.add_shown(tile, own));
        for record in level.leaves.clone() {
            let leaf = self.levels.awake[record];
            if self.leaves.interfaces[leaf].is_some() {
                self.add_settled(leaf, word(record), own);
                self.add_drawn(leaf, own);
            }
        }
    }

    /// Returns the registers of the sides of a leaf.
    fn registers(&self, leaf: LeafId) -> [u32; 4] {
        Side::ALL.map(|side| self.words.register(leaf, side))
    }

    fn add_shown(&self, tile: &HaloTile, own: &mut RankTables) {
        let coarse = self.leaves.forest.covering(tile.key).expect("a coarser leaf lies there");
        let [a, b, c, d] = self.registers(coarse);
        let halves = [tile.key.x & 1, tile.key.y & 1];
        let slot = self.slot(Some(coarse));
        own.add(table::SHOWN_TILES, [tile.slot, tile.near, slot, halves[0], halves[1], a, b, c, d]);
    }

    fn add_settled(&self, leaf: LeafId, record: u32, own: &mut RankTables) {
        let registers = self.registers(leaf);
        if registers == [NONE; 4] {
            return;
        }
        let [a, b, c, d] = registers;
        let [e, f, g, h] = Side::ALL.map(|side| self.faces(leaf, side)[0]);
        let slot = self.slot(Some(leaf));
        own.add(table::SETTLED_SIDES, [record, slot, a, b, c, d, e, f, g, h]);
    }

    fn add_drawn(&self, leaf: LeafId, own: &mut RankTables) {
        for side in Side::ALL {
            let Some(coarser) = self.leaves.forest.coarser(leaf, side) else { continue };
            if self.leaves.asleep[coarser.beyond] {
                continue;
            }
            let [a, b, c, d] = self.registers(coarser.beyond);
            let entry = [
                self.words.register(coarser.beyond, side.opposite()),
                word(coarser.first),
                self.faces(leaf, side)[0],
                self.slot(Some(leaf)),
                side as u32,
                self.slot(Some(coarser.beyond)),
                a,
                b,
                c,
                d,
                self.words.crossing(leaf),
            ];
            own.add(table::DRAWN_SIDES, entry);
        }
    }
}
