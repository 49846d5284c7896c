//! Sub-grid columns of a padded tile: its stages and openings, row by row.
//!
//! A cell of a tile takes its table from that tile, so both tiles at an edge see the same. Cells of
//! another level stand in the frame as flat columns; the faces between them and the tile's own
//! cells are those of the tile's tables.

use crate::grid::TILE_WIDTH;
use crate::tile::Ground;
use crate::tile::columns::Columns;
use crate::tile::columns::Openings;
use crate::tile::halo::Beyond;
use crate::tile::halo::CENTRE;
use crate::tile::halo::Neighbourhood;
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
            stage_new: heights(),
            slope_new: plane(1.0),
            quantum: heights(),
        }
    }
}

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
    let width = TILE_WIDTH as i32;
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
                for i in 0..run.count {
                    let (bed, depth) = (tile.bed[from + i], tile.depth[from + i]);
                    let here = stages.surface(run.first + i, bed, depth);
                    planes.stage[from + i] = here.stage;
                    planes.slope[from + i] = here.slope;
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

/// Openings of the west faces −3 … 67 and the south faces −4 … 67 of one row at the start of the
/// step, once it and the row to its south stand.
#[inline(always)]
pub fn open_row(tile: &mut Padded, around: &Neighbourhood<'_>, row: i32) {
    let planes = &mut tile.columns;
    for run in runs(around, row) {
        let at = index(run.column, row);
        let (first, count) = (run.first, run.count);
        let (before, south) = (tables(run.before), tables(run.south));
        let skip = usize::from(run.column == -4);
        let row_of = first / TILE_WIDTH;
        let ColumnPlanes { stage, open: [open_x, open_y], sill: [sill_x, sill_y], .. } = planes;
        let mut x = Sight { stage, bed: &tile.bed, open: open_x, sill: sill_x, step: 1 };
        match (tables(run.ground), before) {
            (Some(own), _) => x.through(&own.faces[0], first + skip, at + skip..at + count),
            (None, Some(before)) => {
                x.through(&before.far[0], row_of, at..at + 1);
                x.flat(at + 1..at + count);
            }
            (None, None) => x.flat(at + skip..at + count),
        }
        let mut y = Sight { stage, bed: &tile.bed, open: open_y, sill: sill_y, step: STRIDE };
        match (tables(run.ground), south) {
            (Some(own), _) => y.through(&own.faces[1], first, at..at + count),
            (None, Some(south)) => y.through(&south.far[1], first % TILE_WIDTH, at..at + count),
            (None, None) => y.flat(at..at + count),
        }
    }
}

/// A row of faces that is being looked at.
struct Sight<'a> {
    stage: &'a Plane<i32>,
    bed: &'a Plane<i32>,
    open: &'a mut Plane<i32>,
    sill: &'a mut Plane<i32>,
    /// From a cell to the one before its face.
    step: usize,
}

impl Sight<'_> {
    /// Faces of a tile from `first` on.
    #[inline(always)]
    fn through(&mut self, tables: &Openings, first: usize, faces: Range<usize>) {
        for (face, at) in (first..).zip(faces) {
            let stages = (self.stage[at - self.step], self.stage[at]);
            self.open[at] = tables.between(face, stages).area;
            self.sill[at] = tables.sill[face];
        }
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
                for i in 0..count {
                    let (bed, depth) = (tile.bed[from + i], tile.depth_new[from + i]);
                    let here = stages.surface(run.first + skip + i, bed, depth);
                    planes.stage_new[from + i] = here.stage;
                    planes.slope_new[from + i] = here.slope;
                    planes.quantum[from + i] = here.quantum;
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
    let Some(own) = ground_of(around, CENTRE).and_then(|ground| ground.columns.as_deref()) else {
        return;
    };
    let first = row.unsigned_abs() as usize % TILE_WIDTH * TILE_WIDTH;
    let at = index(0, row);
    let planes = &mut tile.columns;
    let mut set = |axis: usize, tables: &Openings, face: usize, at: usize| {
        let before = at - [1, STRIDE][axis];
        let opening = tables.between(face, (planes.stage_new[before], planes.stage_new[at]));
        planes.open_new[axis][at] = opening.area;
        planes.conveying[axis][at] = opening.conveying;
    };
    if row == TILE_WIDTH as i32 {
        (0..TILE_WIDTH).for_each(|i| set(1, &own.far[1], i, at + i));
        return;
    }
    (0..TILE_WIDTH).for_each(|i| set(0, &own.faces[0], first + i, at + i));
    (0..TILE_WIDTH).for_each(|i| set(1, &own.faces[1], first + i, at + i));
    if east {
        set(0, &own.far[0], first / TILE_WIDTH, at + TILE_WIDTH);
    }
}
