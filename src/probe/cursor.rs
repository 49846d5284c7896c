//! Reading cells of any level from leaves of any level.

use crate::probe::Query;
use crate::probe::below::{CellsBelow, StageAndRise, StandBeside};
use crate::probe::sum::CellSum;
use thalweg_engine::grid::cells::CellPlace;
use thalweg_engine::grid::{LeafId, TILE_CELLS, TileKey};

/// Whether discharges are needed: they require four more cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DischargeNeed {
    Wanted,
    Unwanted,
}

/// A query that keeps the leaf it read last: neighbouring cells mostly share one.
#[derive(Debug, Clone)]
pub(super) struct Cursor<'a> {
    pub(super) query: Query<'a>,
    near: LeafId,
    pub(super) flows: DischargeNeed,
    pub(super) below: CellsBelow,
    stands: Stands,
}

/// The stages of one leaf's cells read so far: each is needed by all cells around it.
#[derive(Debug, Clone)]
struct Stands {
    leaf: LeafId,
    /// Empty if nothing is kept.
    cells: Vec<Option<Option<StageAndRise>>>, // outer: whether it was read; inner: whether wet
}

/// Leaves that cover a tile.
enum LeavesAt {
    /// This leaf, of the tile's level or a coarser one.
    Leaf(LeafId),
    /// Leaves of finer levels.
    Finer,
    /// No ground.
    Nothing,
}

impl<'a> Cursor<'a> {
    pub fn new(query: Query<'a>, near: LeafId, flows: DischargeNeed) -> Self {
        let stands = Stands { leaf: LeafId::NONE, cells: Vec::new() };
        Self { query, near, flows, below: CellsBelow::default(), stands }
    }

    /// Returns a cursor for the cells of whole leaves: the stages of each are read once.
    pub fn of_leaves(query: Query<'a>, near: LeafId, flows: DischargeNeed) -> Self {
        let stands = Stands { leaf: LeafId::NONE, cells: vec![None; TILE_CELLS] };
        Self { stands, ..Self::new(query, near, flows) }
    }

    /// Returns the level of the world's simulated cells.
    pub fn base(&self) -> u8 {
        self.query.forest.base()
    }

    /// Returns the value, and derivatives by cells eastward and northward, at a place in cells of
    /// `level` from the south-west corner: bilinear between the centres of four cells.
    pub fn stencil(&mut self, level: u8, place: [f64; 2]) -> [CellSum; 3] {
        let at = place.map(|v| v - 0.5);
        let [x, y] = at.map(whole);
        #[expect(clippy::cast_precision_loss, reason = "below 2³³")]
        let [s, t] = [at[0] - x as f64, at[1] - y as f64];
        let mut sums = [CellSum::default(); 3];
        for (i, j) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
            let cell = self.cell(level, x + i, y + j);
            let (along_x, slope_x) = if i == 0 { (1.0 - s, -1.0) } else { (s, 1.0) };
            let (along_y, slope_y) = if j == 0 { (1.0 - t, -1.0) } else { (t, 1.0) };
            sums[0].add(along_x * along_y, &cell);
            sums[1].add(slope_x * along_y, &cell);
            sums[2].add(along_x * slope_y, &cell);
        }
        sums
    }

    /// Returns the cell of `level` in column `x` and row `y`: itself, the mean of finer cells,
    /// downscaled, or interpolated at its centre between coarser ones.
    pub fn cell(&mut self, level: u8, x: i64, y: i64) -> CellSum {
        let Some(place) = cell_place(x, y) else { return CellSum::default() };
        match self.cover(TileKey::of_cell(level, place)) {
            LeavesAt::Nothing => CellSum::default(),
            LeavesAt::Finer => self.mean(level, x, y),
            LeavesAt::Leaf(leaf) => {
                let own = self.query.forest.leaves()[leaf].level;
                if own == level {
                    return self.own(leaf, place.index_in_tile());
                }
                if self.tables(leaf).is_some() {
                    return if level == 0 {
                        self.finest(leaf, place)
                    } else {
                        self.mean(level, x, y)
                    };
                }
                let cells = f64::from(1_u32 << (own - level));
                let centre = [place.x, place.y].map(|v| (f64::from(v) + 0.5) / cells);
                self.stencil(own, centre)[0]
            }
        }
    }

    /// True if the cell is interpolated between coarser ones.
    pub fn is_interpolated(&mut self, level: u8, x: i64, y: i64) -> bool {
        let Some(place) = cell_place(x, y) else { return false };
        match self.cover(TileKey::of_cell(level, place)) {
            LeavesAt::Leaf(leaf) => {
                self.query.forest.leaves()[leaf].level > level && self.tables(leaf).is_none()
            }
            _ => false,
        }
    }

    /// Returns the level of the leaf that contains the cell, of the same level or a coarser one.
    pub fn leaf_level(&mut self, level: u8, x: i64, y: i64) -> Option<u8> {
        match self.cover(TileKey::of_cell(level, cell_place(x, y)?)) {
            LeavesAt::Leaf(leaf) => Some(self.query.forest.leaves()[leaf].level),
            _ => None,
        }
    }

    fn mean(&mut self, level: u8, x: i64, y: i64) -> CellSum {
        let mut mean = CellSum::default();
        for (i, j) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
            mean.add(0.25, &self.cell(level - 1, 2 * x + i, 2 * y + j));
        }
        mean
    }

    fn cover(&mut self, key: TileKey) -> LeavesAt {
        let leaves = self.query.forest.leaves();
        let holds = |leaf: &TileKey| leaf.level >= key.level && key.ancestor(leaf.level) == *leaf;
        if self.near.known().is_some_and(|near| holds(&leaves[near])) {
            return LeavesAt::Leaf(self.near);
        }
        if let Some(leaf) = self.query.forest.covering(key) {
            self.near = leaf;
            return LeavesAt::Leaf(leaf);
        }
        // The tiles within a tile follow right after it in the order.
        let next = leaves.get(leaves.partition_point(|leaf| *leaf < key));
        match next {
            Some(leaf) if leaf.level < key.level && leaf.ancestor(key.level) == key => {
                LeavesAt::Finer
            }
            _ => LeavesAt::Nothing,
        }
    }

    /// Returns a cell of a leaf.
    pub fn own(&self, leaf: LeafId, cell: usize) -> CellSum {
        let ground = self.query.leaves.ground(leaf);
        if !ground.is_inside(cell) {
            return CellSum::default();
        }
        let (bed, depth) = (ground.bed[cell], self.query.depth(leaf)[cell]);
        let mut sum = CellSum { inside: 1.0, bed: f64::from(bed), ..CellSum::default() };
        if self.query.is_wet(leaf, cell) {
            sum.wet = 1.0;
            sum.depth = f64::from(depth);
            sum.stage = f64::from(ground.stage(cell, depth));
            if self.flows == DischargeNeed::Wanted {
                let depth_m = sum.depth * self.query.scale.unit_m();
                sum.flow = self.velocity(leaf, cell).map(|velocity| velocity * depth_m);
            }
        }
        sum
    }

    /// Makes `leaf` the leaf whose stages are kept from now on.
    pub fn go_to(&mut self, leaf: LeafId) {
        if self.stands.leaf != leaf {
            self.stands.leaf = leaf;
            self.stands.cells.fill(None);
        }
    }

    /// Returns the stages of a cell of a leaf, if it is wet.
    pub fn stand(&mut self, leaf: LeafId, cell: usize) -> Option<StageAndRise> {
        if self.stands.leaf != leaf || self.stands.cells.is_empty() {
            return self.query.stand(leaf, cell);
        }
        let query = &self.query;
        *self.stands.cells[cell].get_or_insert_with(|| query.stand(leaf, cell))
    }

    /// Returns the stages of the cell at a place, if it is wet, and which cell it is if it is of
    /// `level`; for finer leaves the mean stage.
    pub fn stand_at(&mut self, level: u8, place: CellPlace) -> Option<StandBeside> {
        match self.cover(TileKey::of_cell(level, place)) {
            LeavesAt::Nothing => None,
            LeavesAt::Finer => {
                let child = |(x, y)| {
                    let child = CellPlace { x: 2 * place.x + x, y: 2 * place.y + y };
                    let leaf = self.query.forest.find(TileKey::of_cell(level - 1, child))?;
                    self.stand(leaf, child.index_in_tile())
                };
                let children = [(0, 0), (1, 0), (0, 1), (1, 1)].into_iter().filter_map(child);
                Some((StageAndRise::mean(children)?, None))
            }
            LeavesAt::Leaf(leaf) => {
                let shift = self.query.forest.leaves()[leaf].level - level;
                let cell = CellPlace { x: place.x >> shift, y: place.y >> shift }.index_in_tile();
                Some((self.stand(leaf, cell)?, (shift == 0).then_some((leaf, cell))))
            }
        }
    }
}

/// Returns a place among cells, if it is not beyond the numbers.
pub(super) fn cell_place(x: i64, y: i64) -> Option<CellPlace> {
    Some(CellPlace { x: u32::try_from(x).ok()?, y: u32::try_from(y).ok()? })
}

#[expect(clippy::cast_possible_truncation, reason = "places lie below 2³³")]
fn whole(place: f64) -> i64 {
    place.floor() as i64
}
