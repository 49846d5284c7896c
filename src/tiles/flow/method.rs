//! A numerical method: the faces' part in a step.
//!
//! A [`Method`] computes the transfers that the faces of a row propose, and the discharges that
//! follow from the new stages; rounding, limiter and depths are the same for all methods. A step
//! leaves out blocks of a row that no water reaches ([`WaterReach`]).

use crate::flow::face::ColumnSums;
use crate::flow::params::StepParams;
use crate::grid::Axis;
use crate::tile::padded::{BLOCK, Padded};
use crate::tile::water_reach::WaterReach;

/// A numerical method on a padded tile, row by row; all of it is inlined into one step.
pub trait Method {
    /// Values carried from row to row.
    type Memory: Default;
    /// True if stages and openings are read from tables: the tile has sub-grid columns.
    const COLUMNS: bool;
    /// Openings of faces beyond the tile at the start of the step are read.
    const OPENS_HALO: bool;
    /// True if a face whose transfer was cut gives up the same part of its discharge.
    const CUTS_DISCHARGES: bool;

    /// Advances to a row, once it and the row to its south are gathered; the row to its south is
    /// then ready for transfers.
    fn ready_row(
        tile: &mut Padded,
        row: i32,
        params: &StepParams,
        reach: &WaterReach,
        memory: &mut Self::Memory,
    );

    /// Computes the transfers that a block of faces, from the column and row of `place` on,
    /// proposes, vertical units.
    fn propose(
        tile: &Padded,
        axis: Axis,
        place: (i32, i32),
        params: &StepParams,
        wanted: &mut [f32; BLOCK],
    );

    /// Prepares for the discharges of rows from `row` on: computes the values that the rows to its
    /// south carry along.
    fn begin(
        tile: &Padded,
        row: i32,
        params: &StepParams,
        reach: &WaterReach,
        memory: &mut Self::Memory,
    );

    /// Computes the new discharges of one of the tile's own rows, once its depths and the depths to
    /// the south are new, and all transfers of the row to the north are limited.
    fn discharge_rows(
        tile: &Padded,
        row: i32,
        params: &StepParams,
        reach: &WaterReach,
        memory: &mut Self::Memory,
        out: (&mut [f32; 64], &mut [f32; 64]),
        sums: &mut ColumnSums,
    );

    /// Returns the new discharge over the east face of the last cell of a row, after the discharges
    /// of the row.
    fn discharge_east(
        tile: &Padded,
        row: i32,
        params: &StepParams,
        memory: &mut Self::Memory,
        sums: &mut ColumnSums,
    ) -> f32;

    /// Computes the new discharges over the north faces of the last row, after the discharges of
    /// all rows.
    fn discharge_north(
        tile: &Padded,
        params: &StepParams,
        reach: &WaterReach,
        memory: &mut Self::Memory,
        out: &mut [f32; 64],
        sums: &mut ColumnSums,
    );
}
