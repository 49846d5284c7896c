//! View of the water that solids touch, for samples: the kernel does not see it.
//!
//! ```text
//! depth      all of a cell's water, over and under solids together
//! transfer   the sum of what the passages of a face moved in the step
//! ```
//!
//! They replace the kernel's own values, so that a sample computes in the same way everywhere: with
//! transfers and depths of the last step of a cycle.
//!
//! Guarantees: nothing here is state.
//! Limits:     water pressed out of closed gaps, taken along by walls, or brought by links and
//!             forcing is no transfer.
//! Source:     own.

use crate::grid::cells::{TILE_WIDTH_U32, column_row};
use crate::grid::{LeafId, TILE_WIDTH};
use crate::sim::solids::group::SolidGroup;
use crate::sim::solids::region::{PassageId, RegionCellId, SolidRegion};
use crate::tile::padded::{Padded, index};

/// A cell as a leaf sees it.
#[derive(Debug, Clone, Copy)]
struct CellLook {
    /// Place of the cell in the padded leaf.
    column: i32,
    row: i32,
    /// Depth at the start of the step and at its end, vertical units.
    before: i32,
    now: i32,
}

/// A face as a leaf sees it.
#[derive(Debug, Clone, Copy)]
struct FaceLook {
    /// Whether it is a west face, else a south face.
    is_west: bool,
    /// Place of its cell in the padded leaf.
    column: i32,
    row: i32,
    /// Volume that crossed the face, vertical units.
    moved: i32,
}

/// View of one leaf.
#[derive(Debug, Clone, Default)]
struct LeafLook {
    cells: Vec<CellLook>,
    faces: Vec<FaceLook>,
}

/// View of the water that solids touch, for samples.
#[derive(Debug, Default)]
pub struct SolidLook {
    /// The leaves of a region, in their order.
    leaves: Vec<LeafId>,
    /// View of each of the leaves.
    looks: Vec<LeafLook>,
}

/// Returns column and row of a cell in its leaf.
fn place(cell: u16) -> (i32, i32) {
    let (column, row) = column_row(usize::from(cell));
    (column.cast_signed(), row.cast_signed())
}

impl SolidLook {
    /// Returns the view of the water that solids touch in the leaves of a region, after its part of
    /// a step.
    pub(super) fn of(region: &SolidRegion, groups: &[SolidGroup], asleep: &[bool]) -> Self {
        let mut leaves: Vec<LeafId> = region.cells.iter().map(|cell| cell.leaf).collect();
        leaves.dedup();
        leaves.sort_unstable();
        leaves.dedup();
        let mut look = Self { looks: vec![LeafLook::default(); leaves.len()], leaves };
        let mut left = vec![0; region.cells.len()];
        look.add_faces(region, groups, &mut left);
        look.add_cells(region, &left, asleep);
        look
    }

    /// Returns the view of a leaf of the region.
    fn of_leaf(&mut self, leaf: LeafId) -> &mut LeafLook {
        let at = self.leaves.binary_search(&leaf).expect("a leaf of the region");
        &mut self.looks[at]
    }

    /// Adds the flow over the faces of all groups that are awake, and to `left` the outflow of each
    /// cell.
    fn add_faces(&mut self, region: &SolidRegion, groups: &[SolidGroup], left: &mut [i32]) {
        let face_of = |passage: PassageId| {
            let (key, axis, _) = region.passages[passage].place;
            (key, axis)
        };
        for group in groups.iter().filter(|group| !group.is_asleep) {
            let mut moved = group.moved.iter();
            for same in group.passages.chunk_by(|&a, &b| face_of(a) == face_of(b)) {
                let moved =
                    moved.by_ref().take(same.len()).fold(0, |a: i32, &b| a.saturating_add(b));
                let nodes = region.passages[same[0]].nodes;
                let [before, behind] = nodes.map(|node| region.nodes[node].cell);
                left[before] = left[before].saturating_add(moved);
                left[behind] = left[behind].saturating_sub(moved);
                let is_west = face_of(same[0]).1 == 0;
                let (column, row) = place(region.cells[behind].cell);
                let face = FaceLook { is_west, column, row, moved };
                self.of_leaf(region.cells[behind].leaf).faces.push(face);
                if region.cells[before].leaf != region.cells[behind].leaf {
                    let (column, row) = place(region.cells[before].cell);
                    let (column, row) = if is_west { (column + 1, row) } else { (column, row + 1) };
                    let face = FaceLook { column, row, ..face };
                    self.of_leaf(region.cells[before].leaf).faces.push(face);
                }
            }
        }
    }

    /// Adds touched cells of leaves that are awake, each to its leaf and to those beside it.
    fn add_cells(&mut self, region: &SolidRegion, left: &[i32], asleep: &[bool]) {
        for (at, cell) in region.cells.iter().enumerate() {
            if !cell.is_touched || asleep[cell.leaf] {
                continue;
            }
            let before = cell.depth.saturating_add(left[at]).max(0);
            let (column, row) = place(cell.cell);
            let own = CellLook { column, row, before, now: cell.depth };
            self.of_leaf(cell.leaf).cells.push(own);
            let steps = [(-1, 0), (0, -1), (1, 0), (0, 1)];
            for (beside, (east, north)) in region.beside[at].into_iter().zip(steps) {
                if beside != RegionCellId::NONE && region.cells[beside].leaf != cell.leaf {
                    let beside = &region.cells[beside];
                    let (column, row) = place(beside.cell);
                    let seen = CellLook { column: column - east, row: row - north, ..own };
                    self.of_leaf(beside.leaf).cells.push(seen);
                }
            }
        }
    }

    /// Adds to a padded leaf the flow over faces among solids, and the depths of the cells that
    /// they touch; returns its depths with theirs, if it has such cells.
    pub(in crate::sim) fn show(
        &self,
        leaf: LeafId,
        depth: &[i32],
        padded: &mut Padded,
    ) -> Option<Vec<i32>> {
        let LeafLook { cells, faces } = &self.looks[self.leaves.binary_search(&leaf).ok()?];
        for face in faces {
            let at = index(face.column, face.row);
            if face.is_west {
                padded.transfer_x[at] = face.moved;
            } else {
                padded.transfer_y[at] = face.moved;
            }
        }
        let mut whole = depth.to_vec();
        let is_own = |at: i32| u32::try_from(at).is_ok_and(|at| at < TILE_WIDTH_U32);
        for cell in cells {
            padded.depth[index(cell.column, cell.row)] = cell.before;
            if is_own(cell.column) && is_own(cell.row) {
                let (column, row) = (cell.column.unsigned_abs(), cell.row.unsigned_abs());
                whole[row as usize * TILE_WIDTH + column as usize] = cell.now;
            }
        }
        Some(whole)
    }
}
