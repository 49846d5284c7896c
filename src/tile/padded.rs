//! The padded tile: what a kernel sees.
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
//! Rows are 80 wide so that a row begins on a cache line; the columns beyond the frame are never
//! meaningful. Cells outside the world have their bed at the ceiling and are dry, which closes
//! every face beside them without a test.
//!
//! Guarantees: nothing here allocates after [`Padded::new`].
//! Limits:     the frame is four cells wide, the reach of the second-order kernel; the pipe reads
//!             three of them.

use crate::grid::cells::TILE_WIDTH;
use crate::tile::columns::ColumnPlanes;

/// Width of the frame around a tile, cells.
pub const FRAME: usize = 4;
/// Columns of a padded row, the unused ones included.
pub const STRIDE: usize = 80;
/// Index of column 0 in a padded row.
pub const WEST: usize = 8;
/// Rows of a padded tile.
pub const ROWS: usize = TILE_WIDTH + 2 * FRAME;

/// Range of the columns `from..to` (tile columns, may be negative) in the flat plane at `row`.
#[inline(always)]
#[must_use]
pub fn span(row: i32, from: i32, to: i32) -> std::ops::Range<usize> {
    index(from, row)..index(to, row)
}

/// Flat index of the cell in tile column `column` and tile row `row`, −4 to 67 each; the unused
/// columns beyond count too.
#[inline(always)]
#[must_use]
#[expect(
    clippy::cast_sign_loss,
    clippy::cast_possible_truncation,
    reason = "row and column ≥ −4 by contract"
)]
pub fn index(column: i32, row: i32) -> usize {
    ((row + FRAME as i32) * STRIDE as i32 + column + WEST as i32) as usize
}

/// One plane of a padded tile, rows from south to north.
pub type Plane<T> = Box<[T; ROWS * STRIDE]>;

/// Allocates a plane filled with `value`.
#[must_use]
pub fn plane<T: Copy>(value: T) -> Plane<T> {
    match vec![value; ROWS * STRIDE].into_boxed_slice().try_into() {
        Ok(plane) => plane,
        Err(_) => unreachable!("the length is the one asked for"),
    }
}

/// The planes of one padded tile: what is gathered, and what a step computes on the way.
#[derive(Debug, Clone)]
pub struct Padded {
    /// Bed z of cells, vertical units.
    pub bed: Plane<i32>,
    /// Depth h of cells at the start of the step, vertical units.
    pub depth: Plane<i32>,
    /// Unit discharge q on west faces, m²/s; shallow water puts the velocity it stands for in its
    /// place, m/s, as soon as the row is complete.
    pub flow_x: Plane<f32>,
    /// Unit discharge q on south faces, treated alike.
    pub flow_y: Plane<f32>,
    /// Limited slope of the depth from west to east, vertical units a cell: shallow water.
    pub slope_x: Plane<f32>,
    /// Limited slope of the depth from south to north, vertical units a cell: shallow water.
    pub slope_y: Plane<f32>,
    /// Square of Manning's n of cells, s²/m^(2/3).
    pub roughness: Plane<f32>,
    /// The value `roughness` holds everywhere, if it does.
    pub roughness_uniform: Option<f32>,
    /// Depth of cells half a step on, vertical units: shallow water.
    pub depth_half: Plane<f32>,
    /// Transfers over west faces, vertical units.
    pub transfer_x: Plane<i32>,
    /// Transfers over south faces, vertical units.
    pub transfer_y: Plane<i32>,
    /// Depth of cells at the end of the step, vertical units.
    pub depth_new: Plane<i32>,
    /// New unit discharges over the east faces of the last column, m²/s, where the tile owns them.
    pub east: [f32; TILE_WIDTH],
    /// New unit discharges over the north faces of the last row, m²/s, where the tile owns them.
    pub north: [f32; TILE_WIDTH],
    /// Stages and openings of sub-grid columns, where the tile has some.
    pub columns: ColumnPlanes,
}

impl Padded {
    /// A dry padded tile outside the world.
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
