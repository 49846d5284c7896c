//! The padded tile: the planes that a kernel sees.
//!
//! ```text
//!              64 cells           row −4 … 67, column −4 … 67
//!        ┌──┬────────────┬──┐
//!      4 │  │            │  │     cell  (i, j)  at  index(i, j)
//!        ├──┼────────────┼──┤     face x(i, j)  between cells (i−1, j) and (i, j)
//!     64 │  │    tile    │  │     face y(i, j)  between cells (i, j−1) and (i, j)
//!        ├──┼────────────┼──┤
//!      4 │  │            │  │     y grows to the north, x to the east
//!        └──┴────────────┴──┘
//! ```
//!
//! Rows are 80 wide so that a row begins on a cache line; the columns beyond the halo are never
//! meaningful. Cells outside the world have their bed at the ceiling and are dry, which closes
//! every face beside them without a test.
//!
//! Guarantees: nothing here allocates after [`Padded::new`].
//! Limits:     the halo is four cells wide, the reach of the second-order kernel; the pipe reads
//!             three of them.

pub mod layout;

use crate::grid::TILE_WIDTH;
use crate::tile::columns::ColumnPlanes;
pub use layout::{
    BLOCK, FIRST, HALO, PaddedPlane, ROWS, STRIDE, WEST, column_of, index, own_column_of, part,
    part_mut, plane, run, run_mut, span, within, within_mut,
};

/// The planes of one padded tile: gathered values, and values that a step computes on the way.
#[derive(Debug, Clone)]
pub struct Padded {
    /// Bed z of cells, vertical units.
    pub bed: PaddedPlane<i32>,
    /// Depth h of cells at the start of the step, vertical units.
    pub depth: PaddedPlane<i32>,
    /// Unit discharge q on west faces, m²/s; shallow water replaces it by its velocity, m/s, as
    /// soon as the row is complete.
    pub flow_x: PaddedPlane<f32>,
    /// Unit discharge q on south faces, treated alike.
    pub flow_y: PaddedPlane<f32>,
    /// Limited slope of the depth from west to east, vertical units a cell: shallow water. Like the
    /// next slopes and the half depths not written in rows that a step does not go over.
    pub slope_x: PaddedPlane<f32>,
    /// Limited slope of the depth from south to north, vertical units a cell: shallow water.
    pub slope_y: PaddedPlane<f32>,
    /// Square of Manning's n of cells, s²/m^(2/3).
    pub roughness: PaddedPlane<f32>,
    /// The uniform value of `roughness`, if it is uniform.
    pub roughness_uniform: Option<f32>,
    /// Depth of cells half a step on, vertical units: shallow water.
    pub depth_half: PaddedPlane<f32>,
    /// Marks of west and south faces that are closed, and of walls among them beside water that is
    /// deep enough: shallow water ([`walls`](crate::flow::walls)).
    pub closed: [PaddedPlane<u8>; 2],
    /// Transfers over west faces, vertical units.
    pub transfer_x: PaddedPlane<i32>,
    /// Transfers over south faces, vertical units.
    pub transfer_y: PaddedPlane<i32>,
    /// Depth of cells at the end of the step, vertical units.
    pub depth_new: PaddedPlane<i32>,
    /// New unit discharges over the east faces of the last column, m²/s, if the tile owns them.
    pub east: [f32; TILE_WIDTH],
    /// New unit discharges over the north faces of the last row, m²/s, if the tile owns them.
    pub north: [f32; TILE_WIDTH],
    /// Stages and openings of sub-grid columns, if the tile has some.
    pub columns: ColumnPlanes,
}

impl Padded {
    /// Returns a dry padded tile outside the world.
    #[must_use]
    pub fn new() -> Self {
        Self {
            bed: plane(crate::units::OUTSIDE),
            depth: plane(0),
            flow_x: plane(0.0),
            flow_y: plane(0.0),
            slope_x: plane(0.0),
            slope_y: plane(0.0),
            depth_half: plane(0.0),
            roughness: plane(0.0),
            roughness_uniform: Some(0.0),
            closed: [plane(0), plane(0)],
            transfer_x: plane(0),
            transfer_y: plane(0),
            depth_new: plane(0),
            east: [0.0; TILE_WIDTH],
            north: [0.0; TILE_WIDTH],
            columns: ColumnPlanes::default(),
        }
    }
}

impl Default for Padded {
    fn default() -> Self {
        Self::new()
    }
}
