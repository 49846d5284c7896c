//! The solvers, and the step they share.
//!
//! The state between steps is the same for every [`Method`], so a world can change its solver
//! at any moment.
//!
//! Guarantees: both tiles at an edge move the same water over it
//!             (`neighbours_agree_on_new_depths`).

use crate::flow::depth::{depth_east, depth_row, level_finer};
use crate::flow::face::{ColumnSums, FaceSummary};
use crate::flow::limiter::limit_row;
use crate::flow::method::Method;
use crate::flow::params::StepParams;
use crate::flow::transfer::{Dither, transfer_row};
use crate::grid::Axis;
use crate::tile::Water;
use crate::tile::columns::rows::{
    ColumnsAround, find_openings, open_new_row, open_row, stand_new_row, stand_row,
};
use crate::tile::halo::{Neighbourhood, ROWS_IN_REACH, gather_dry_row, gather_row};
use crate::tile::interface_faces::InterfaceFaces;
use crate::tile::padded::{FIRST, Padded, STRIDE, part, part_mut, within_mut};
use crate::tile::water_reach::WaterReach;
use serde::{Deserialize, Serialize};
use std::ops::Range;

pub use crate::flow::params::Order;

/// Which equations move the water.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Solver {
    /// Virtual pipes (local inertia): gravity and friction, no transport of momentum. For rain and
    /// slow floods.
    Pipe,
    /// Full shallow water: dam breaks, bores, jets, jumps, run-up.
    ShallowWater,
}

/// Report of one tile-step.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct StepSummary {
    /// Extremes on the tile's faces.
    pub faces: FaceSummary,
    /// Cells whose outflow was limited.
    pub limited: u32,
    /// Cells of the blocks that the step computed: the ones that water may reach.
    pub cells: u64,
}

/// Planes of a padded tile that are read after its step, in rows that no water reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShownPlanes {
    /// No plane: they contain arbitrary values.
    Nothing,
    /// Bed, depths, discharges and transfers: the values of dry ground at rest.
    Planes,
    /// These, and stages and openings of faces of sub-grid columns: all are looked up.
    Columns,
}

impl ShownPlanes {
    /// Returns the parts whose stages and openings are looked up; `reach` contains the parts that
    /// water reaches.
    #[inline(always)]
    fn standing(self, reach: &WaterReach) -> WaterReach {
        match self {
            Self::Columns => WaterReach::EVERYWHERE,
            Self::Planes | Self::Nothing => *reach,
        }
    }

    /// Returns the rows of the padded tile that are set to rest, except the rows of `walk`.
    #[inline(always)]
    fn resting(self, walk: &Range<i32>) -> Range<i32> {
        match self {
            Self::Nothing => walk.start - BESIDE..walk.end + BESIDE,
            Self::Planes | Self::Columns => ROWS_IN_REACH,
        }
    }
}

/// Inputs of a tile-step.
#[derive(Debug, Clone, Copy)]
pub struct TileStep<'a> {
    /// The tile and its eight neighbours.
    pub around: &'a Neighbourhood<'a>,
    /// Constants of the step.
    pub params: &'a StepParams,
    /// Draws of the tile and the step.
    pub dither: &'a Dither,
    /// Faces between levels, if the tile has any.
    pub interfaces: Option<&'a InterfaceFaces>,
    /// Planes of the padded tile that are read afterwards.
    pub shown: ShownPlanes,
    /// Parts that the step computes, the rest being dry and still; if absent, the parts that water
    /// may reach.
    pub reach: Option<&'a WaterReach>,
}

/// Rows that are gathered before they are read: a row read at once waits for its own stores.
const AHEAD: i32 = 5;

/// Rows from the newest whose transfers are limited to the one whose discharges are new: its depths
/// are final for a while then.
const BEHIND: i32 = 2;

/// Rows that a step reads on each side of the rows that it computes: the bores look farthest.
const BESIDE: i32 = 4;

/// Rows that each phase of a step computes.
struct StepRows {
    ready: Range<i32>,
    /// Over west faces one less.
    transfer: Range<i32>,
    limit: Range<i32>,
}

impl StepRows {
    const NEW: Range<i32> = -1..64;
    const OWN: Range<i32> = 0..64;

    /// Returns the rows, one more if the tile owns the faces to its north: faces of their far cells
    /// count then, as they do in all columns to the east.
    #[inline(always)]
    fn of(owns_north: bool) -> Self {
        // A new depth in row −1 needs the limits of row −2, and these the transfers over all its
        // faces: over the south ones water comes from row −3, by its depth half a step on.
        let more = i32::from(owns_north);
        Self { ready: -3..67 + more, transfer: -2..66 + more, limit: -2..65 + more }
    }

    /// Returns a row whose water is moved, and whether over its west faces, too.
    #[inline(always)]
    fn moved(&self, row: i32) -> (i32, bool) {
        (row, row + 1 < self.transfer.end)
    }
}

/// Performs the step itself, inlined into each version.
///
/// Rows run in a staircase, so that each phase finds a row in the first cache: transfers need the
/// row to the south and, for slopes, the row to the north made ready; a row's depths need the
/// limited transfers of both its sides; its discharges need the depths of the row to the south.
/// Rows before the first and behind the last row near water are set to rest before.
#[inline(always)]
pub fn step_rows<M: Method>(
    tile: &mut Padded,
    step: &TileStep<'_>,
    out: &mut Water,
) -> StepSummary {
    // Copies, so that the compiler sees that no store into a plane changes them.
    let (around, params, dither) = (step.around, &{ *step.params }, &{ *step.dither });
    let interfaces = step.interfaces;
    let reach = &match step.reach {
        Some(reach) => *reach,
        None => WaterReach::of(tile, around, interfaces),
    };
    let standing = &step.shown.standing(reach);
    let mut memory = M::Memory::default();
    let mut limited = 0;
    let mut sums = ColumnSums::new();
    if M::COLUMNS {
        tile.columns.found.clear();
    }
    let columns = &ColumnsAround::of(around);
    let (depth, flow_x, flow_y) = (&mut *out.depth, &mut *out.flow_x, &mut *out.flow_y);
    let [owns_east, owns_north] = interfaces.map_or([false; 2], InterfaceFaces::owned);
    let rows = &StepRows::of(owns_north);
    let walk = standing.rows_near();
    let resting = step.shown.resting(&walk);
    rest_rows::<M>(tile, around, (&walk, &resting), (depth, flow_x, flow_y));
    let goes = |phase: &Range<i32>, row: i32| phase.contains(&row) && walk.contains(&row);
    let first_own = walk.start.max(0);
    // The first row is gathered AHEAD rows early, and the last is finished BEHIND rows late.
    for row in walk.start - AHEAD..walk.end + BEHIND {
        if goes(&rows.ready, row + 2) {
            M::ready_row(tile, row + 2, params, reach, &mut memory);
        }
        if goes(&rows.transfer, row + 1) {
            move_row::<M>(tile, rows.moved(row + 1), reach, params, dither, interfaces);
        }
        if goes(&rows.limit, row) && !reach.is_dry(row) {
            limited += limit_row::<M>(tile, row, interfaces);
        }
        if goes(&StepRows::NEW, row - 1) {
            new_row::<M>(tile, (interfaces, columns), row - 1, (reach, standing));
        }
        // Between the new openings and their use: their tables are fetched meanwhile.
        if goes(&ROWS_IN_REACH, row + AHEAD) {
            take_row::<M>(tile, (around, columns), row + AHEAD, (reach, standing));
        }
        let own = row - BEHIND;
        if !goes(&StepRows::OWN, own) {
            continue;
        }
        if M::COLUMNS {
            find_openings(tile, columns);
        }
        if own == first_own {
            M::begin(tile, own, params, reach, &mut memory);
        }
        let out = (&mut *depth, &mut *flow_x, &mut *flow_y);
        finish_row::<M>(tile, own, (params, reach), &mut memory, out, &mut sums);
        if owns_east && !reach.is_dry(own) {
            tile.east[own.unsigned_abs() as usize] =
                M::discharge_east(tile, own, params, &mut memory, &mut sums);
        }
    }
    if owns_north {
        let sides = (interfaces, columns);
        north_row::<M>(tile, sides, (reach, standing), params, &mut memory, &mut sums);
    }
    StepSummary { faces: sums.total(), limited, cells: u64::from(reach.own_cells()) }
}

/// Sets rows outside `walk`, which no water reaches, to depths and discharges of 0, and likewise
/// the rows of the padded tile in `resting`. Discharges over east faces begin at 0.
#[inline(always)]
fn rest_rows<M: Method>(
    tile: &mut Padded,
    around: &Neighbourhood<'_>,
    (walk, resting): (&Range<i32>, &Range<i32>),
    (depth, flow_x, flow_y): (&mut [i32], &mut [f32], &mut [f32]),
) {
    tile.east = [0.0; 64];
    for row in (ROWS_IN_REACH.start..walk.start).chain(walk.end..ROWS_IN_REACH.end) {
        if resting.contains(&row) {
            rest_row::<M>(tile, around, row);
        }
        if StepRows::OWN.contains(&row) {
            let at = 64 * row.unsigned_abs() as usize;
            *within_mut(depth, at) = [0; 64];
            *within_mut(flow_x, at) = [0.0; 64];
            *within_mut(flow_y, at) = [0.0; 64];
        }
    }
}

/// Sets a row far from water to rest: its bed, and no water, before the step and after it.
#[inline(always)]
fn rest_row<M: Method>(tile: &mut Padded, around: &Neighbourhood<'_>, row: i32) {
    gather_dry_row(tile, around, row);
    for plane in [&mut tile.transfer_x, &mut tile.transfer_y, &mut tile.depth_new] {
        *part_mut(plane, FIRST, row) = [0; STRIDE];
    }
    if M::COLUMNS {
        for open in &mut tile.columns.open {
            *part_mut(open, FIRST, row) = [0; STRIDE];
        }
    }
}

/// Gathers a row, and its stages and openings, which are looked up in the parts of `standing`.
#[inline(always)]
fn take_row<M: Method>(
    tile: &mut Padded,
    (around, columns): (&Neighbourhood<'_>, &ColumnsAround<'_>),
    row: i32,
    (reach, standing): (&WaterReach, &WaterReach),
) {
    if reach.is_dry(row) {
        gather_dry_row(tile, around, row);
    } else {
        gather_row(tile, around, row);
    }
    if M::COLUMNS && ROWS_IN_REACH.contains(&(row + 1)) {
        columns.fetch(row + 1);
    }
    if M::COLUMNS && standing.is_near(row) {
        stand_row(tile, columns, row);
    }
    // The falls of dry rows may belong to another tile: only faces in dry rows look at them.
    if M::COLUMNS && row > -4 {
        if standing.is_dry(row) {
            for open in &mut tile.columns.open {
                *part_mut(open, FIRST, row) = [0; STRIDE];
            }
        } else if M::OPENS_HALO {
            open_row::<true>(tile, columns, row);
        } else {
            open_row::<false>(tile, columns, row);
        }
    }
}

/// Computes the transfers of a row, over west faces only if `has_west`.
#[inline(always)]
fn move_row<M: Method>(
    tile: &mut Padded,
    (row, has_west): (i32, bool),
    reach: &WaterReach,
    params: &StepParams,
    dither: &Dither,
    interfaces: Option<&InterfaceFaces>,
) {
    let here = (row, reach.row(row));
    if has_west {
        transfer_row::<M>(tile, Axis::X, here, params, dither, interfaces);
    }
    transfer_row::<M>(tile, Axis::Y, here, params, dither, interfaces);
}

/// Computes the depths of a row at the end of the step, and its stages.
#[inline(always)]
fn new_row<M: Method>(
    tile: &mut Padded,
    (interfaces, columns): (Option<&InterfaceFaces>, &ColumnsAround<'_>),
    row: i32,
    (reach, standing): (&WaterReach, &WaterReach),
) {
    if reach.is_dry(row) {
        *part_mut(&mut tile.depth_new, FIRST, row) = [0; STRIDE];
    } else {
        depth_row(tile, row);
    }
    let is_own = (0..64).contains(&row);
    let owns_east = is_own && interfaces.is_some_and(|interfaces| interfaces.owns_east);
    if owns_east {
        depth_east(tile, row);
    }
    if M::COLUMNS && standing.is_near(row) {
        stand_new_row(tile, columns, row, owns_east);
    }
    if let Some(interfaces) = interfaces.filter(|_| is_own) {
        level_finer::<M>(tile, row, interfaces);
    }
    if M::COLUMNS && row >= 0 && !standing.is_dry(row) {
        open_new_row(tile, columns, row, owns_east);
    }
}

/// Computes the discharges over the north faces of the last row.
#[inline(always)]
fn north_row<M: Method>(
    tile: &mut Padded,
    (interfaces, columns): (Option<&InterfaceFaces>, &ColumnsAround<'_>),
    (reach, standing): (&WaterReach, &WaterReach),
    params: &StepParams,
    memory: &mut M::Memory,
    sums: &mut ColumnSums,
) {
    tile.north = [0.0; 64];
    if reach.is_dry(64) {
        return;
    }
    new_row::<M>(tile, (interfaces, columns), 64, (reach, standing));
    if M::COLUMNS {
        find_openings(tile, columns);
    }
    let mut north = [0.0; 64];
    M::discharge_north(tile, params, reach, memory, &mut north, sums);
    tile.north = north;
}

/// Computes the discharges of one of the tile's own rows, whose depths are new, and copies both
/// out.
#[inline(always)]
fn finish_row<M: Method>(
    tile: &mut Padded,
    row: i32,
    (params, reach): (&StepParams, &WaterReach),
    memory: &mut M::Memory,
    (depth, flow_x, flow_y): (&mut [i32], &mut [f32], &mut [f32]),
    sums: &mut ColumnSums,
) {
    let at = 64 * row.unsigned_abs() as usize;
    let out = (within_mut(flow_x, at), within_mut(flow_y, at));
    M::discharge_rows(tile, row, params, reach, memory, out, sums);
    *within_mut::<_, 64>(depth, at) = *part(&tile.depth_new, 0, row);
}
