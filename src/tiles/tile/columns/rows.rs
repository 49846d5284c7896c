//! Sub-grid columns of a padded tile: its stages and openings, row by row.
//!
//! A cell of a tile takes its table from that tile, so both tiles at an edge see the same. Cells of
//! a different level are flat columns in the halo; the faces between them and the tile's own cells
//! have the tile's tables.

use crate::grid::{Axis, TILE_WIDTH};
use crate::tile::columns::ColumnPlanes;
use crate::tile::columns::blocks::BLOCK;
use crate::tile::columns::found::FoundPieces;
use crate::tile::columns::pieces::{BLOCKS, LeafColumns, PieceFaces, RowSides};
use crate::tile::halo::{CENTRE, HaloNeighbour, Neighbourhood};
use crate::tile::padded::{HALO, Padded, PaddedPlane, STRIDE, index, run, run_mut};
use std::ops::Range;

/// Rows of a tile.
const WIDTH: i32 = 64;
/// Number of the first cell of the halo west of a tile in its block.
const WEST_AT: usize = BLOCK - HALO;

/// The columns of a tile and of its neighbours, from south-west to north-east.
#[derive(Debug, Clone, Copy)]
pub struct ColumnsAround<'a> {
    /// Columns of the tiles that have tables.
    columns: [Option<&'a LeafColumns>; 9],
    /// Whether the cells are in the halo already.
    is_filled: [bool; 9],
}

impl<'a> ColumnsAround<'a> {
    /// Returns the columns of a neighbourhood.
    #[must_use]
    pub fn of(around: &Neighbourhood<'a>) -> Self {
        let columns = around.map(|beyond| beyond.patch()?.ground.columns.as_ref());
        Self { columns, is_filled: around.map(|beyond| matches!(beyond, HaloNeighbour::Filled)) }
    }

    /// Fetches the pieces in which the cells and faces of a row are looked up.
    #[inline(always)]
    pub fn fetch(&self, row: i32) {
        let (place, first) = Self::of_row(row);
        for (third, blocks) in [BLOCKS - 1..BLOCKS, 0..BLOCKS, 0..1].into_iter().enumerate() {
            if let Some(columns) = self.columns[place + third] {
                columns.fetch(first, blocks);
            }
        }
    }

    /// Returns the first of the three tiles that contain a padded row, and the first cell of the
    /// row in their planes.
    #[inline(always)]
    fn of_row(row: i32) -> (usize, usize) {
        let third = usize::from(row >= 0) + usize::from(row >= WIDTH);
        (3 * third, row.rem_euclid(WIDTH).unsigned_abs() as usize * TILE_WIDTH)
    }
}

/// Computes the stages of one row, −4 … 67, from its depths.
#[inline(always)]
pub fn stand_row(tile: &mut Padded, around: &ColumnsAround<'_>, row: i32) {
    let (place, first) = ColumnsAround::of_row(row);
    let Padded { bed, depth, columns: planes, .. } = tile;
    // Only the quanta of the new stages are read.
    let ColumnPlanes { stage, slope, quantum_old: quantum, .. } = planes;
    let mut stand = StageLookup { bed, depth, stage, slope, quantum };
    let [west, own, east] = [-4, 0, 64].map(|column| index(column, row));
    match around.columns[place] {
        Some(columns) => stand.few::<HALO, WEST_AT>(columns, first + TILE_WIDTH - HALO, west),
        None if around.is_filled[place] => {}
        None => stand.flat(west..west + HALO),
    }
    match around.columns[place + 1] {
        Some(columns) => stand.row(columns, first, own, None),
        None if around.is_filled[place + 1] => {}
        None => stand.flat(own..east),
    }
    match around.columns[place + 2] {
        Some(columns) => stand.few::<HALO, 0>(columns, first, east),
        None if around.is_filled[place + 2] => {}
        None => stand.flat(east..east + HALO),
    }
}

/// Computes the stages of the cells −1 … 63 of one row at the end of the step, and of the cell
/// `east` of it, once their depths are new.
#[inline(always)]
pub fn stand_new_row(tile: &mut Padded, around: &ColumnsAround<'_>, row: i32, east: bool) {
    let (place, first) = ColumnsAround::of_row(row);
    let [west, own, beyond] = [-1, 0, 64].map(|column| index(column, row));
    for (i, cells) in [(0, west..own), (1, own..beyond), (2, beyond..beyond + usize::from(east))] {
        if around.columns[place + i].is_none() {
            let is_filled = around.is_filled[place + i];
            tile.columns.gain(&tile.depth, &tile.depth_new, cells, is_filled);
        }
    }
    let Padded { bed, depth_new: depth, columns: planes, .. } = tile;
    let ColumnPlanes { stage_new: stage, slope_new: slope, quantum, found, .. } = planes;
    let mut stand = StageLookup { bed, depth, stage, slope, quantum };
    if let Some(columns) = around.columns[place] {
        stand.few::<1, { BLOCK - 1 }>(columns, first + TILE_WIDTH - 1, west);
    }
    if let Some(columns) = around.columns[place + 1] {
        let found = (0..WIDTH).contains(&row).then_some(found);
        stand.row(columns, first, own, found);
    }
    if let Some(columns) = around.columns[place + 2].filter(|_| east) {
        stand.few::<1, 0>(columns, first, beyond);
    }
}

/// Cells whose stages are looked up.
struct StageLookup<'a> {
    bed: &'a PaddedPlane<i32>,
    depth: &'a PaddedPlane<i32>,
    stage: &'a mut PaddedPlane<i32>,
    slope: &'a mut PaddedPlane<f32>,
    quantum: &'a mut PaddedPlane<i32>,
}

impl StageLookup<'_> {
    /// Looks up a row of a tile from its cell `first` on, which begins at `at` in the planes.
    #[inline(always)]
    fn row(
        &mut self,
        columns: &LeafColumns,
        first: usize,
        at: usize,
        found: Option<&mut FoundPieces>,
    ) {
        let water = (run(self.bed, at), run(self.depth, at));
        let (stage, quantum) = (run_mut(self.stage, at), run_mut(self.quantum, at));
        columns.cells().row(first, water, (stage, run_mut(self.slope, at), quantum), found);
    }

    /// Looks up `N` cells of a tile.
    #[inline(always)]
    fn few<const N: usize, const AT: usize>(
        &mut self,
        from: &LeafColumns,
        first: usize,
        at: usize,
    ) {
        let water = (run(self.bed, at), run(self.depth, at));
        let (stage, quantum) = (run_mut(self.stage, at), run_mut(self.quantum, at));
        from.cells().few::<N, AT>(first, water, (stage, run_mut(self.slope, at), quantum));
    }

    /// Computes the stages of flat columns.
    #[inline(always)]
    fn flat(&mut self, cells: Range<usize>) {
        for at in cells {
            self.stage[at] = self.bed[at].wrapping_add(self.depth[at]);
            self.slope[at] = 1.0;
        }
    }
}

/// Computes the sills of the west and south faces −3 … 67 of one row, and their openings at the
/// start of the step, once the stages of the row and of the row to its south are computed. Openings
/// of faces beyond the tile, except along its sides, are left out unless `OPENS_HALO`.
#[inline(always)]
pub fn open_row<const OPENS_HALO: bool>(tile: &mut Padded, around: &ColumnsAround<'_>, row: i32) {
    let ColumnPlanes { stage, open, sill, fall, .. } = &mut tile.columns;
    let ([open_x, open_y], [sill_x, sill_y], [fall_x, fall_y]) = (open, sill, fall);
    let (stage, bed, depth) = (&*stage, &tile.bed, &tile.depth);
    let mut x = FaceLookup { stage, bed, depth, open: open_x, sill: sill_x, fall: fall_x, step: 1 };
    x.open::<OPENS_HALO, 0>(around, row);
    let mut y =
        FaceLookup { stage, bed, depth, open: open_y, sill: sill_y, fall: fall_y, step: STRIDE };
    y.open::<OPENS_HALO, 1>(around, row);
}

/// A row of faces that is being looked at.
struct FaceLookup<'a> {
    stage: &'a PaddedPlane<i32>,
    bed: &'a PaddedPlane<i32>,
    depth: &'a PaddedPlane<i32>,
    open: &'a mut PaddedPlane<i32>,
    sill: &'a mut PaddedPlane<i32>,
    fall: &'a mut PaddedPlane<i32>,
    /// Step from a cell to the one before its face.
    step: usize,
}

impl FaceLookup<'_> {
    #[inline(always)]
    fn open<const OPENS_HALO: bool, const AXIS: usize>(
        &mut self,
        around: &ColumnsAround<'_>,
        row: i32,
    ) {
        let (place, first) = ColumnsAround::of_row(row);
        for third in 0..3 {
            if let Some(own) = around.columns[place + third] {
                self.third::<OPENS_HALO>(own.faces_of(Axis::ALL[AXIS]), (first, row), third);
                continue;
            }
            // West of the halo is nothing.
            let (column, count) = [(-3, 3), (0, 64), (64, 4)][third];
            let at = index(column, row);
            self.flat(at..at + count);
            // The faces on the sides of a tile belong to it if its neighbour there has no tables.
            let before =
                if AXIS == 0 && third > 0 { around.columns[place + third - 1] } else { None };
            if let Some(before) = before {
                self.one(before.faces_beyond(Axis::X), first / TILE_WIDTH, at);
            }
            let is_along = AXIS == 1 && first == 0 && place > 0;
            if let Some(south) = around.columns[place + third - 3 * usize::from(is_along)]
                && is_along
            {
                self.third::<OPENS_HALO>(south.faces_beyond(Axis::Y), (0, row), third);
            }
        }
    }

    /// Computes the faces of a third of a row: the halo to the west, the tile, the halo to the
    /// east. Faces along the east and north side belong to the tile too, for users of the flow
    /// across them.
    #[inline(always)]
    fn third<const OPENS_HALO: bool>(
        &mut self,
        faces: PieceFaces<'_>,
        (first, row): (usize, i32),
        third: usize,
    ) {
        let opens = OPENS_HALO || (0..=WIDTH).contains(&row);
        let falls = (-1..=WIDTH + 1).contains(&row);
        match third {
            0 => {
                let (first, at) = (first + TILE_WIDTH - (HALO - 1), index(-3, row));
                self.few::<{ HALO - 1 }, { WEST_AT + 1 }>(faces, first, at, OPENS_HALO);
            }
            1 => self.row(faces, first, index(0, row), (opens, falls)),
            _ => self.few::<HALO, 0>(faces, first, index(64, row), opens),
        }
    }

    /// Computes a row of faces of a tile from `first` on, which begins at `at` in the planes.
    #[inline(always)]
    fn row(
        &mut self,
        faces: PieceFaces<'_>,
        first: usize,
        at: usize,
        (opens, falls): (bool, bool),
    ) {
        faces.sills(first, run_mut(self.sill, at));
        if falls {
            faces.falls(first, run_mut(self.fall, at));
        }
        if opens {
            let sides = RowSides::of(self.stage, self.depth, at - self.step, at);
            let out = (run_mut(self.open, at), &mut [0.0; TILE_WIDTH]);
            faces.row::<false>(first, sides, out, None);
        }
    }

    /// Computes `N` faces of a tile.
    #[inline(always)]
    fn few<const N: usize, const AT: usize>(
        &mut self,
        faces: PieceFaces<'_>,
        first: usize,
        at: usize,
        opens: bool,
    ) {
        for i in 0..N {
            (self.sill[at + i], self.fall[at + i]) = faces.sill_and_fall(first + i);
        }
        if opens {
            let sides = RowSides::of(self.stage, self.depth, at - self.step, at);
            faces.few::<N, AT>(first, sides, run_mut(self.open, at));
        }
    }

    /// Computes one face of a tile.
    #[inline(always)]
    fn one(&mut self, faces: PieceFaces<'_>, face: usize, at: usize) {
        (self.sill[at], self.fall[at]) = faces.sill_and_fall(face);
        let sides = RowSides::<1>::of(self.stage, self.depth, at - self.step, at);
        self.open[at] = faces.one(face, sides.at(0), None).area;
    }

    /// Computes faces between flat columns.
    #[inline(always)]
    fn flat(&mut self, faces: Range<usize>) {
        for at in faces {
            let stage = self.stage[at].max(self.stage[at - self.step]);
            self.sill[at] = self.bed[at].max(self.bed[at - self.step]);
            self.open[at] = stage.wrapping_sub(self.sill[at]).max(0);
            self.fall[at] = 0;
        }
    }
}

/// Computes the openings of the tile's own faces in a row at the end of the step, once the stages
/// of that row and of the row to its south are computed; with the face east of it, and in row 64
/// the faces north of the tile, if no tile of its level is beyond. Openings that have to be looked
/// up follow with [`find_openings`], except the one to the east.
#[inline(always)]
pub fn open_new_row(tile: &mut Padded, around: &ColumnsAround<'_>, row: i32, east: bool) {
    let Some(own) = around.columns[CENTRE] else { return };
    let first = row.unsigned_abs() as usize % TILE_WIDTH * TILE_WIDTH;
    let Padded { columns: planes, depth_new: depth, .. } = tile;
    let at = index(0, row);
    if row == WIDTH {
        planes.open_new_row::<1>(own.faces_beyond(Axis::Y), 0, depth, at);
        return;
    }
    planes.open_new_row::<0>(own.faces_of(Axis::X), first, depth, at);
    planes.open_new_row::<1>(own.faces_of(Axis::Y), first, depth, at);
    if east {
        let at = at + TILE_WIDTH;
        let across = (&planes.falls_along::<1, 0>(at - 1), &planes.falls_along::<1, 0>(at));
        let stands = RowSides::of(&planes.stage_new, depth, at - 1, at);
        let sides = RowSides { across, ..stands }.at(0);
        let faces = own.faces_beyond(Axis::X);
        let opening = faces.one(first / TILE_WIDTH, sides, Some(&mut planes.found));
        (planes.open_new[0][at], planes.conveying[0][at]) = (opening.area, opening.conveying);
    }
}

/// Looks up the new openings that [`open_new_row`] only noted.
#[inline(always)]
pub fn find_openings(tile: &mut Padded, around: &ColumnsAround<'_>) {
    let Some(own) = around.columns[CENTRE] else { return };
    let ColumnPlanes { open_new, conveying, found, .. } = &mut tile.columns;
    found.find(own, |axis, at, opening| {
        (open_new[axis][at], conveying[axis][at]) = (opening.area, opening.conveying);
    });
}
