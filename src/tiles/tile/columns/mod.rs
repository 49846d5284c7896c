//! Sub-grid columns: the form in which a coarse cell represents the terrain below it.
//!
//! ```text
//!   bed of a coarse cell          stage η of a depth h            opening a of a face
//!  ▓▓        ▓▓▓▓▓▓▓▓▓
//!  ▓▓▓  η   ▓▓▓▓▓▓▓▓▓▓      η = bed + h − D(h)              a = mean of max(0, η − sill)
//!  ▓▓▓▓~~~~▓▓▓▓▓▓▓▓▓▓▓      D falls to 0 where the          over the finest places along it
//!  ▓▓▓▓▓~▓▓▓▓▓▓▓▓▓▓▓▓▓      highest bed is covered
//! ```
//!
//! The state of a cell does not change: an integer depth, volume over area. A flat column has one
//! knot: η = bed + h, a = η − the higher bed. Tables have few knots at fixed relative places, so
//! that a kernel finds its segment without a search.
//!
//! A cell that is partly outside the world belongs to it with its area inside: its bed is the mean
//! of its ground, its depth is still its volume over the whole cell, so its stage rises faster than
//! its depth. Faces are as wide as the ground on both sides of them. The cell has a face to the
//! outside if the cell beyond has no ground at all; there its outline replaces its side. Elsewhere
//! its outline is a wall, under any law of edges: a hole of NoData that is smaller than a cell, or
//! a border with ground in the next cell.
//!
//! Guarantees: a stage rises with the depth by at least as much, so no two depths share a stage and
//!             [`Stages::holds`] is exact; the same bits everywhere.
//! Limits:     water in a cell has one level stage: water behind a crest within the cell is part of
//!             it. Faces count the crests inside their cells ([`crests`]), so water from beyond
//!             stays there until it rises above them.
//! Source:     Casulli (2009), Int. J. Numer. Meth. Fluids 60, for volume and opening over a fine
//!             bed; the tables own.

pub mod blocks;
pub mod build;
pub mod crest_rows;
pub mod crests;
pub mod fit;
pub mod flood;
pub mod found;
pub mod numbers;
pub mod openings;
pub mod parts;
pub mod pieces;
pub mod planes;
pub mod rows;
pub mod stages;

use crate::grid::Side;
pub use openings::{ColumnSides, FaceOpening, Openings};
pub use parts::InsideParts;
pub use pieces::LeafColumns;
pub use planes::ColumnPlanes;
pub use stages::{CellSurface, Stages};

/// The tables of one tile.
#[derive(Debug, Clone, PartialEq)]
pub struct Columns {
    /// Stage against depth of the cells.
    pub stages: Stages,
    /// Parts of its cells inside the world, if some are partly outside.
    pub parts: Option<InsideParts>,
    /// Division of each cell by a crest: the bits of the depth, over the whole cell, of the water
    /// that the crest could keep on either side while the opposite side is dry; 0 for none. So at
    /// least 2^(bits − 1) vertical units: see [`Columns::divided_by`].
    pub divided: Box<[u8]>,
    /// Openings of the west and of the south faces of the cells.
    pub faces: [Openings; 2],
    /// Openings of faces to the outside: over the beds of their own cells.
    pub boundary: Openings,
    /// Cell and side of each boundary face, in order.
    pub boundary_faces: Box<[(u16, Side)]>,
    /// Openings of the faces along the tile's east and along its north side.
    pub far: [Openings; 2],
}

impl Columns {
    /// Returns the table in `boundary` of the face on a side of a cell, if that face is one to the
    /// outside.
    #[must_use]
    pub fn boundary_face(&self, cell: u16, side: Side) -> Option<u32> {
        let at = self.boundary_faces.binary_search(&(cell, side)).ok()?;
        u32::try_from(at).ok()
    }

    /// Returns the water that a crest divides in a cell, vertical units over its area, rounded down
    /// to a power of two: of its two sides the smaller, of all crests the largest. 0 for none.
    #[must_use]
    pub fn divided_by(&self, cell: usize) -> i32 {
        self.divided[cell].checked_sub(1).map_or(0, |log2| 1 << log2)
    }

    /// Returns the bytes of its tables.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let faces = self.faces.iter().chain(&self.far).chain([&self.boundary]).map(Openings::bytes);
        let parts = self.parts.as_ref().map_or(0, InsideParts::bytes);
        self.divided.len() + self.stages.bytes() + parts + faces.sum::<usize>()
    }
}
