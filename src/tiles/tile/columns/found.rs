//! Table entries that a step of a leaf looks up.
//!
//! A table that was not read for a while is far away. So a face outside the piece that is kept is
//! noted while its table is fetched, and looked up some rows of work later.

use crate::grid::{Axis, TILE_WIDTH};
use crate::tile::columns::openings::{FaceHead, OpeningPiece};
use crate::tile::columns::stages::StagePiece;
use crate::tile::columns::{Columns, FaceOpening, Openings};
use crate::tile::padded::index;
use crate::tile::prefetch::fetch;

/// Which faces of a tile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FaceRow {
    /// The west (0) or south (1) faces of its cells.
    Of(Axis),
    /// The faces along its east (0) or north (1) side.
    Far(Axis),
}

impl FaceRow {
    /// Returns the axis, and place in a padded plane, of a face in a row that was looked up as a
    /// whole.
    #[expect(clippy::cast_possible_wrap, clippy::cast_possible_truncation, reason = "below 4096")]
    fn place(self, face: usize) -> (Axis, usize) {
        let (column, row) = ((face % TILE_WIDTH) as i32, (face / TILE_WIDTH) as i32);
        match self {
            Self::Of(axis) => (axis, index(column, row)),
            Self::Far(axis) => {
                debug_assert_eq!(
                    axis,
                    Axis::Y,
                    "east faces are asked one by one, and looked up at once"
                );
                (axis, index(column, TILE_WIDTH as i32))
            }
        }
    }
}

/// Pieces that a step of a leaf had to look up.
#[derive(Debug, Clone, Default)]
pub struct FoundPieces {
    pub(super) stages: Vec<(usize, StagePiece)>,
    pub(super) openings: Vec<(FaceRow, usize, OpeningPiece)>,
    /// Faces that are yet to be looked up, and the water over them.
    lost: Vec<(FaceRow, usize, FaceHead)>,
}

impl FoundPieces {
    /// True if nothing was looked up, so nothing is to be kept. A face that is noted counts once
    /// [`FoundPieces::find`] has looked it up.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.stages.is_empty() && self.openings.is_empty()
    }

    /// Empties the lists.
    pub fn clear(&mut self) {
        self.stages.clear();
        self.openings.clear();
        self.lost.clear();
    }

    /// Notes a face that is to be looked up for the water over it.
    pub(super) fn lose(&mut self, faces: (FaceRow, &Openings), face: usize, head: FaceHead) {
        fetch(&faces.1.faces[face]);
        self.lost.push((faces.0, face, head));
    }

    /// Looks up the noted faces: calls `tell` with axis, place in a padded plane, and opening.
    pub fn find(&mut self, tables: &Columns, mut tell: impl FnMut(Axis, usize, FaceOpening)) {
        for (which, face, head) in self.lost.drain(..) {
            let openings = match which {
                FaceRow::Of(axis) => &tables.faces[axis],
                FaceRow::Far(axis) => &tables.far[axis],
            };
            let (piece, (axis, at)) = (openings.piece(face, head.height), which.place(face));
            tell(axis, at, head.through(&piece));
            self.openings.push((which, face, piece));
        }
    }
}
