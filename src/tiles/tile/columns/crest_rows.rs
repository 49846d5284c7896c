//! Crests of the cells of a tile and of the cells around it, as its faces read them.
//!
//! A face needs the bounds on the flow in both its cells, and a cell has four faces. Two rows of
//! cells are kept, so each cell is looked at once if faces are read row by row.
//!
//! Guarantees: the crests of a cell depend on its own beds alone, so two tiles at an edge find the
//!             same sills (`neighbours_agree_on_their_faces`).

use crate::grid::cells::WorldCell;
use crate::grid::{Axis, Side, TILE_WIDTH};
use crate::tile::columns::crests::{Approach, Crests, sills_between};
use crate::units::OUTSIDE;

/// Cells of a row that are kept: the cells of a tile and one more on either side.
const COLUMNS: usize = TILE_WIDTH + 2;

/// Returns the place at which the crests of a cell are kept.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 131")]
fn kept_at((x, y): WorldCell) -> usize {
    // Even and odd rows take turns. The 66 columns of a tile and the cells beside it are
    // consecutive, so all their remainders differ.
    let columns = COLUMNS as i64;
    (y.rem_euclid(2) * columns + x.rem_euclid(columns)) as usize
}

/// Crests of two rows of cells.
#[derive(Debug)]
pub struct CrestRows {
    /// Finest cells along a side of a cell.
    width: usize,
    crests: Crests,
    /// Whose crests are kept.
    kept: Vec<Option<WorldCell>>,
    divided: Vec<i64>,
    lowest: Vec<i32>,
    /// Pour levels and narrows before the four sides of each.
    levels: Vec<i32>,
    beds: Vec<i32>,
}

impl CrestRows {
    /// Returns empty rows for cells that are `width` finest cells wide.
    #[must_use]
    pub fn new(width: usize) -> Self {
        let cells = 2 * COLUMNS;
        Self {
            width,
            crests: Crests::default(),
            kept: vec![None; cells],
            divided: vec![0; cells],
            lowest: vec![0; cells],
            levels: vec![0; cells * 8 * width],
            beds: Vec::new(),
        }
    }

    /// Looks at a cell, unless it is kept; `beds_of` adds the finest beds of one, row by
    /// row.
    fn look(&mut self, cell: WorldCell, beds_of: impl Fn(WorldCell, &mut Vec<i32>)) -> usize {
        let kept = kept_at(cell);
        if self.kept[kept] == Some(cell) {
            return kept;
        }
        self.beds.clear();
        beds_of(cell, &mut self.beds);
        self.crests.look(&self.beds);
        (self.kept[kept], self.divided[kept]) = (Some(cell), self.crests.divided());
        self.lowest[kept] = self.beds.iter().fold(OUTSIDE, |low, &z| low.min(z));
        for side in Side::ALL {
            let Approach { pour, narrows } = self.crests.approach_to(side);
            let at = self.first(kept, side);
            self.levels[at..at + self.width].copy_from_slice(pour);
            self.levels[at + self.width..at + 2 * self.width].copy_from_slice(narrows);
        }
        kept
    }

    fn first(&self, kept: usize, side: Side) -> usize {
        (8 * kept + 2 * side as usize) * self.width
    }

    fn approach(&self, kept: usize, side: Side) -> Approach<'_> {
        let both = &self.levels[self.first(kept, side)..][..2 * self.width];
        let (pour, narrows) = both.split_at(self.width);
        Approach { pour, narrows }
    }

    /// Computes the sills of the west (0) or south (1) face of a cell; returns the fall of the
    /// lowest bed from the cell before it, vertical units.
    pub fn face(
        &mut self,
        axis: Axis,
        (x, y): WorldCell,
        beds_of: impl Fn(WorldCell, &mut Vec<i32>),
        sills: &mut Vec<i32>,
    ) -> i32 {
        let (before, sides) = match axis {
            Axis::X => ((x - 1, y), [Side::East, Side::West]),
            Axis::Y => ((x, y - 1), [Side::North, Side::South]),
        };
        let (before, own) = (self.look(before, &beds_of), self.look((x, y), &beds_of));
        sills_between(self.approach(before, sides[0]), self.approach(own, sides[1]), sills);
        self.lowest[before].saturating_sub(self.lowest[own])
    }

    /// Computes the sills of a face to the outside from its own cell: [`Crests::boundary_sills`].
    pub fn boundary_face(
        &mut self,
        side: Side,
        cell: WorldCell,
        beds_of: impl Fn(WorldCell, &mut Vec<i32>),
        sills: &mut Vec<i32>,
    ) {
        self.beds.clear();
        beds_of(cell, &mut self.beds);
        self.crests.look(&self.beds);
        self.crests.boundary_sills(side, sills);
    }

    /// Returns the water that a crest divides in a cell, vertical units times finest cells:
    /// [`Crests::divided`].
    pub fn divided(&mut self, cell: WorldCell, beds_of: impl Fn(WorldCell, &mut Vec<i32>)) -> i64 {
        let kept = self.look(cell, beds_of);
        self.divided[kept]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::{TILE_CELLS, TileKey};
    use crate::tile::columns::build::{BedPlanes, LevelBeds};
    use crate::tile::columns::{Columns, Openings};
    use crate::units::hash::scramble;

    /// A finest bed: rough ground with walls across it, none in the south-west and beyond.
    fn finest(x: i64, y: i64) -> i32 {
        if x < 0 || y < 0 || (x < 70 && y < 30) {
            return OUTSIDE;
        }
        let rough =
            i32::try_from(scramble((x << 32 | y).cast_unsigned()) % 1000).expect("below 1000");
        let is_wall = (3 * x + y) % 37 < 3 && (x + y) % 23 > 2;
        rough + if is_wall { 5000 } else { 0 }
    }

    fn tables(level: u8, x: u32, y: u32) -> Columns {
        let plane = |level: u8, bed: &dyn Fn(i64, i64) -> i32| -> (Vec<i32>, usize) {
            let width = (2 * TILE_WIDTH) << level;
            let beds = (0..width * width).map(|i| bed((i % width) as i64, (i / width) as i64));
            (beds.collect(), width)
        };
        // A cell is outside where its corner is.
        let coarse = plane(0, &|x, y| finest(x << level, y << level));
        let finest = plane(level, &finest);
        let [coarse, finest] = [&coarse, &finest].map(|(bed, width)| LevelBeds::new(bed, *width));
        Columns::of(TileKey { level, x, y }, &BedPlanes { coarse, finest })
    }

    /// Faces `first`, `first + step` … of a tile and the same ones of another.
    fn assert_same(a: (&Openings, usize, usize), b: (&Openings, usize, usize)) {
        for i in 0..TILE_WIDTH {
            let at = [a.1 + i * a.2, b.1 + i * b.2];
            assert_eq!(a.0.faces[at[0]], b.0.faces[at[1]], "face {i}");
        }
    }

    #[test]
    fn neighbours_agree_on_their_faces() {
        for level in [1, 2, 3] {
            let (own, east, north) =
                (tables(level, 0, 0), tables(level, 1, 0), tables(level, 0, 1));
            assert_same((&own.far[0], 0, 1), (&east.faces[0], 0, TILE_WIDTH));
            assert_same((&own.far[1], 0, 1), (&north.faces[1], 0, 1));
            let divided = own.divided.iter().filter(|&&bits| bits > 9).count();
            assert!(level == 1 || (1..TILE_CELLS).contains(&divided), "{divided} divided cells");
        }
    }
}
