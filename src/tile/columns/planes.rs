//! Sub-grid columns of a padded tile: its stages and openings, row by row.
//!
//! A cell of a tile takes its table from that tile, so both tiles at an edge see the same. Cells of
//! another level stand in the frame as flat columns; the faces between them and the tile's own
//! cells are those of the tile's tables.

use crate::grid::TILE_WIDTH;
use crate::tile::Ground;
use crate::tile::columns::Columns;
use crate::tile::columns::Openings;
use crate::tile::columns::Stages;
use crate::tile::halo::Beyond;
use crate::tile::halo::CENTRE;
use crate::tile::halo::Neighbourhood;
use crate::tile::padded::FRAME;
use crate::tile::padded::Padded;
use crate::tile::padded::Plane;
use crate::tile::padded::STRIDE;
use crate::tile::padded::index;
use crate::tile::padded::plane;
use std::ops::Range;

/// What a step knows of the sub-grid columns of a padded tile.
#[derive(Debug, Clone)]
pub struct ColumnPlanes {
    /// Stage of cells at the start of the step, vertical units.
    pub stage: Plane<i32>,
    /// How fast it rises with the depth; 1 where the column is covered or flat.
    pub slope: Plane<f32>,
    /// Openings of west and of south faces at the start of the step, vertical units.
    pub open: [Plane<i32>; 2],
    /// The same at the end of the step, of the tile's own faces.
    pub open_new: [Plane<i32>; 2],
    /// Their conveying depths, vertical units.
    pub conveying: [Plane<f32>; 2],
    /// Lowest sills of west and of south faces, vertical units.
    pub sill: [Plane<i32>; 2],
    /// Difference of stage that a unit of depth may make then; nobody asks for it.
    quantum_old: Plane<i32>,
    /// Falls of the ground over west and south faces: lowest bed before over that behind, vertical
    /// units.
    pub fall: [Plane<i32>; 2],
    /// Stage of cells at the end of the step, vertical units.
    pub stage_new: Plane<i32>,
    /// How fast it rises with the depth.
    pub slope_new: Plane<f32>,
    /// Difference of stage that a unit of depth may make at the end of the step, vertical units.
    pub quantum: Plane<i32>,
}

impl Default for ColumnPlanes {
    fn default() -> Self {
        let heights = || plane(0);
        Self {
            stage: heights(),
            slope: plane(1.0),
            open: [heights(), heights()],
            open_new: [heights(), heights()],
            conveying: [plane(0.0), plane(0.0)],
            sill: [heights(), heights()],
            quantum_old: heights(),
            fall: [heights(), heights()],
            stage_new: heights(),
            slope_new: plane(1.0),
            quantum: heights(),
        }
    }
}

/// Rows of a tile.
const WIDTH: i32 = 64;

/// A part of a padded row that lies in one tile: first column there, how many, and the first cell
/// in the tile's planes.
struct Run<'a> {
    ground: Option<&'a Ground>,
    /// Its cells stand in the frame already.
    is_filled: bool,
    /// The ground before it, where that is another one.
    before: Option<&'a Ground>,
    /// The ground south of it, where that is another one.
    south: Option<&'a Ground>,
    column: i32,
    count: usize,
    first: usize,
}

fn ground_of<'a>(around: &Neighbourhood<'a>, place: usize) -> Option<&'a Ground> {
    match around[place] {
        Beyond::Tile(patch) => Some(patch.ground),
        Beyond::Outside | Beyond::Filled => None,
    }
}

fn tables(ground: Option<&Ground>) -> Option<&Columns> {
    ground.and_then(|ground| ground.columns.as_deref())
}

fn runs<'a>(around: &Neighbourhood<'a>, row: i32) -> [Run<'a>; 3] {
    let width = WIDTH;
    let third = usize::from(row >= 0) + usize::from(row >= width);
    let within = row.rem_euclid(width).unsigned_abs() as usize;
    let starts = [(-4, 4, 60), (0, 64, 0), (64, 4, 0)];
    std::array::from_fn(|i| {
        let (column, count, at) = starts[i];
        let place = 3 * third + i;
        Run {
            ground: ground_of(around, place),
            is_filled: matches!(around[place], Beyond::Filled),
            before: if i > 0 { ground_of(around, place - 1) } else { None },
            south: if third > 0 && within == 0 { ground_of(around, place - 3) } else { None },
            column,
            count,
            first: within * TILE_WIDTH + at,
        }
    })
}

/// Stages of one row, −4 … 67, from the depths that stand there.
#[inline(always)]
pub fn stand_row(tile: &mut Padded, around: &Neighbourhood<'_>, row: i32) {
    for run in runs(around, row) {
        let from = index(run.column, row);
        let planes = &mut tile.columns;
        match tables(run.ground) {
            Some(Columns { stages, .. }) => {
                // Of the quanta only those of the new stages are read.
                let out = [&mut planes.stage, &mut planes.quantum_old];
                let (water, at) = ((&tile.bed, &tile.depth), (run.first, from));
                match run.count {
                    TILE_WIDTH => stand::<TILE_WIDTH>(stages, at, water, out, &mut planes.slope),
                    _ => stand::<FRAME>(stages, at, water, out, &mut planes.slope),
                }
            }
            None if run.is_filled => {}
            None => {
                for at in from..from + run.count {
                    planes.stage[at] = tile.bed[at].wrapping_add(tile.depth[at]);
                    planes.slope[at] = 1.0;
                }
            }
        }
    }
}

/// Openings of the west and south faces −4 … 67 of one row at the start of the
/// step, once it and the row to its south stand.
#[inline(always)]
pub fn open_row(tile: &mut Padded, around: &Neighbourhood<'_>, row: i32) {
    let planes = &mut tile.columns;
    for run in runs(around, row) {
        let (at, first) = (index(run.column, row), run.first);
        let faces = at..at + run.count;
        let is_own = run.count == TILE_WIDTH;
        let ColumnPlanes { stage, open, sill, fall, .. } = &mut *planes;
        let ([open_x, open_y], [sill_x, sill_y], [fall_x, fall_y]) = (open, sill, fall);
        let (stage, bed) = (&*stage, &tile.bed);
        let mut x = Sight { stage, bed, open: open_x, sill: sill_x, fall: fall_x, step: 1 };
        match (tables(run.ground), tables(run.before)) {
            (Some(own), _) if is_own => x.through::<TILE_WIDTH>(&own.faces[0], first, at),
            (Some(own), _) => x.through::<FRAME>(&own.faces[0], first, at),
            (None, Some(before)) => {
                x.through::<1>(&before.far[0], first / TILE_WIDTH, at);
                x.flat(at + 1..faces.end);
            }
            (None, None) => x.flat(faces.clone()),
        }
        let mut y = Sight { stage, bed, open: open_y, sill: sill_y, fall: fall_y, step: STRIDE };
        let along = first % TILE_WIDTH;
        match (tables(run.ground), tables(run.south)) {
            (Some(own), _) if is_own => y.through::<TILE_WIDTH>(&own.faces[1], first, at),
            (Some(own), _) => y.through::<FRAME>(&own.faces[1], first, at),
            (None, Some(south)) if is_own => y.through::<TILE_WIDTH>(&south.far[1], along, at),
            (None, Some(south)) => y.through::<FRAME>(&south.far[1], along, at),
            (None, None) => y.flat(faces),
        }
    }
}

/// A row of faces that is being looked at.
struct Sight<'a> {
    stage: &'a Plane<i32>,
    bed: &'a Plane<i32>,
    open: &'a mut Plane<i32>,
    sill: &'a mut Plane<i32>,
    fall: &'a mut Plane<i32>,
    /// From a cell to the one before its face.
    step: usize,
}

impl Sight<'_> {
    /// `N` faces of a tile from `first` on.
    #[inline(always)]
    fn through<const N: usize>(&mut self, tables: &Openings, first: usize, at: usize) {
        let stages = (row_of::<_, N>(self.stage, at - self.step), row_of(self.stage, at));
        let mut conveying = [0.0; N];
        tables.openings(first, stages, (row_of_mut(self.open, at), &mut conveying));
        let sills: &[i32; N] = tables.sill[first..].first_chunk().expect("within the tile");
        *row_of_mut(self.sill, at) = *sills;
        let falls: &[i32; N] = tables.fall[first..].first_chunk().expect("within the tile");
        *row_of_mut(self.fall, at) = *falls;
    }

    /// Faces between flat columns.
    #[inline(always)]
    fn flat(&mut self, faces: Range<usize>) {
        for at in faces {
            let stage = self.stage[at].max(self.stage[at - self.step]);
            self.sill[at] = self.bed[at].max(self.bed[at - self.step]);
            self.open[at] = stage.wrapping_sub(self.sill[at]).max(0);
        }
    }
}

/// Stages of the cells −1 … 64 of one row at the end of the step, once their depths are new.
#[inline(always)]
pub fn stand_new_row(tile: &mut Padded, around: &Neighbourhood<'_>, row: i32) {
    for run in runs(around, row) {
        // Of the frame the cell beside the tile alone.
        let (skip, count) = match run.column {
            -4 => (3, 1),
            0 => (0, 64),
            _ => (0, 1),
        };
        let from = index(run.column, row) + skip;
        let planes = &mut tile.columns;
        match tables(run.ground) {
            Some(Columns { stages, .. }) => {
                let out = [&mut planes.stage_new, &mut planes.quantum];
                let (water, at) = ((&tile.bed, &tile.depth_new), (run.first + skip, from));
                match count {
                    TILE_WIDTH => {
                        stand::<TILE_WIDTH>(stages, at, water, out, &mut planes.slope_new);
                    }
                    _ => stand::<1>(stages, at, water, out, &mut planes.slope_new),
                }
            }
            None => {
                for at in from..from + count {
                    let gained = tile.depth_new[at].wrapping_sub(tile.depth[at]);
                    planes.stage_new[at] = planes.stage[at].wrapping_add(gained);
                    planes.slope_new[at] = planes.slope[at];
                    if !run.is_filled {
                        planes.quantum[at] = 0;
                    }
                }
            }
        }
    }
}

/// Openings of the tile's own faces in a row at the end of the step, once that row and the one to
/// its south stand; with the face east of it, and in row 64 those north of the tile, where no tile
/// of its level lies beyond.
#[inline(always)]
pub fn open_new_row(tile: &mut Padded, around: &Neighbourhood<'_>, row: i32, east: bool) {
    let Some(own) = tables(ground_of(around, CENTRE)) else { return };
    let first = row.unsigned_abs() as usize % TILE_WIDTH * TILE_WIDTH;
    let (at, planes) = (index(0, row), &mut tile.columns);
    if row == WIDTH {
        open_new::<TILE_WIDTH>(planes, 1, &own.far[1], 0, at);
        return;
    }
    open_new::<TILE_WIDTH>(planes, 0, &own.faces[0], first, at);
    open_new::<TILE_WIDTH>(planes, 1, &own.faces[1], first, at);
    if east {
        open_new::<1>(planes, 0, &own.far[0], first / TILE_WIDTH, at + TILE_WIDTH);
    }
}

/// New openings of `N` faces from `first` on, which stand at `at` in the planes.
#[inline(always)]
fn open_new<const N: usize>(
    planes: &mut ColumnPlanes,
    axis: usize,
    tables: &Openings,
    first: usize,
    at: usize,
) {
    let before = at - [1, STRIDE][axis];
    let stages = (row_of::<_, N>(&planes.stage_new, before), row_of(&planes.stage_new, at));
    let area = row_of_mut(&mut planes.open_new[axis], at);
    tables.openings(first, stages, (area, row_of_mut(&mut planes.conveying[axis], at)));
}

/// Surfaces of `N` cells of a tile from `first` on, which stand at `at` in the planes: of beds and
/// depths, stages, quanta and slopes.
#[inline(always)]
fn stand<const N: usize>(
    stages: &Stages,
    (first, at): (usize, usize),
    (bed, depth): (&Plane<i32>, &Plane<i32>),
    [stage, quantum]: [&mut Plane<i32>; 2],
    slope: &mut Plane<f32>,
) {
    let out = (row_of_mut(stage, at), row_of_mut(slope, at), row_of_mut(quantum, at));
    stages.surfaces::<N>(first, (row_of(bed, at), row_of(depth, at)), out);
}

/// `N` values of a plane.
#[inline(always)]
fn row_of<T, const N: usize>(plane: &Plane<T>, from: usize) -> &[T; N] {
    plane[from..].first_chunk().expect("within the plane")
}

#[inline(always)]
fn row_of_mut<T, const N: usize>(plane: &mut Plane<T>, from: usize) -> &mut [T; N] {
    plane[from..].first_chunk_mut().expect("within the plane")
}
