//! The current pieces of the tables of cells and faces.
//!
//! Water rises and falls by little in a step, and a table is straight for a while. So a leaf keeps
//! the piece that was found last for each of its cells and faces, and a kernel reads these alone,
//! side by side. If a piece does not contain the stage the table is looked up: a cell's at once,
//! the tables of a row of faces some rows of work later, when they have been fetched
//! ([`FoundPieces`]). The step notes the pieces that it found; [`LeafColumns::keep`] takes them in
//! once no thread reads.
//!
//! Guarantees: a piece follows from its table and from the stage, so keeping it changes no bit
//!             (`what_is_kept_changes_nothing`).

use crate::grid::{Axis, TILE_CELLS, TILE_WIDTH};
use crate::tile::columns::blocks::{BLOCK, OpeningBlock, StageBlock, blocks_of};
use crate::tile::columns::found::{FaceRow, FoundPieces};
use crate::tile::columns::openings::{ColumnSides, FaceHead};
use crate::tile::columns::{CellSurface, Columns, FaceOpening, Openings};
use crate::tile::padded::{PaddedPlane, run};
use crate::tile::prefetch::fetch;
use std::ops::{Deref, Range};
use std::sync::Arc;

/// Blocks in a row of a tile.
pub(super) const BLOCKS: usize = TILE_WIDTH / BLOCK;

/// The columns of a leaf: the tables of its tile, and the current pieces of its water in them.
#[derive(Debug, Clone)]
pub struct LeafColumns {
    tables: Arc<Columns>,
    stages: Arc<[StageBlock]>,
    faces: [Arc<[OpeningBlock]>; 2],
    far: [Arc<[OpeningBlock]>; 2],
}

impl Deref for LeafColumns {
    type Target = Columns;

    fn deref(&self) -> &Columns {
        &self.tables
    }
}

/// Compares the tables alone: the current pieces follow from the tables and the water.
impl PartialEq for LeafColumns {
    fn eq(&self, other: &Self) -> bool {
        self.tables == other.tables
    }
}

impl From<Columns> for LeafColumns {
    fn from(tables: Columns) -> Self {
        Self::new(Arc::new(tables))
    }
}

impl LeafColumns {
    /// Returns columns of these tables; nothing was looked up yet.
    #[must_use]
    pub fn new(tables: Arc<Columns>) -> Self {
        let stages = vec![StageBlock::NONE; TILE_CELLS / BLOCK].into();
        let faces = Axis::ALL.map(|axis| blocks_of(&tables.faces[axis], TILE_CELLS));
        let far = Axis::ALL.map(|axis| blocks_of(&tables.far[axis], TILE_WIDTH));
        Self { tables, stages, faces, far }
    }

    /// Returns the tables, to share: they are not written while they are shared.
    #[must_use]
    pub fn tables(&self) -> &Arc<Columns> {
        &self.tables
    }

    /// Fetches the pieces of some blocks of a row of cells from `first` on, and of their faces.
    #[inline(always)]
    pub fn fetch(&self, first: usize, blocks: Range<usize>) {
        for block in blocks {
            let at = first / BLOCK + block;
            fetch(&self.stages[at]);
            self.faces.iter().for_each(|faces| fetch(&faces[at]));
        }
    }

    /// Returns the cells of the leaf.
    #[inline(always)]
    #[must_use]
    pub fn cells(&self) -> PieceCells<'_> {
        PieceCells { columns: self, blocks: &self.stages }
    }

    /// Returns the west (0) or south (1) faces of its cells.
    #[inline(always)]
    #[must_use]
    pub fn faces_of(&self, axis: Axis) -> PieceFaces<'_> {
        let (which, tables) = (FaceRow::Of(axis), &self.tables.faces[axis]);
        PieceFaces { which, tables, blocks: &self.faces[axis] }
    }

    /// Returns the faces along its east (0) or north (1) side.
    #[inline(always)]
    #[must_use]
    pub fn faces_beyond(&self, axis: Axis) -> PieceFaces<'_> {
        let (which, tables) = (FaceRow::Far(axis), &self.tables.far[axis]);
        PieceFaces { which, tables, blocks: &self.far[axis] }
    }

    /// Keeps the pieces that a step of the leaf found, and clears them there.
    pub fn keep(&mut self, found: &mut FoundPieces) {
        if !found.stages.is_empty() {
            let stages = Arc::make_mut(&mut self.stages);
            for (cell, piece) in found.stages.drain(..) {
                stages[cell / BLOCK].put(cell % BLOCK, piece);
            }
        }
        for (which, face, piece) in found.openings.drain(..) {
            let blocks = match which {
                FaceRow::Of(axis) => &mut self.faces[axis],
                FaceRow::Far(axis) => &mut self.far[axis],
            };
            Arc::make_mut(blocks)[face / BLOCK].put(face % BLOCK, piece);
        }
    }

    /// Bytes of the pieces that are kept.
    pub const BYTES_OF_PIECES: usize = TILE_CELLS / BLOCK * size_of::<StageBlock>()
        + 2 * (TILE_CELLS + TILE_WIDTH) / BLOCK * size_of::<OpeningBlock>();
}

/// Stages, slopes and quanta of some cells, to be written.
pub type SurfacesOut<'a, const N: usize> = (&'a mut [i32; N], &'a mut [f32; N], &'a mut [i32; N]);

/// Cells of a leaf with tables.
#[derive(Debug, Clone, Copy)]
pub struct PieceCells<'a> {
    columns: &'a LeafColumns,
    blocks: &'a [StageBlock],
}

impl PieceCells<'_> {
    /// Computes the surfaces of a row of cells from `first` on: from beds and depths, stages,
    /// slopes and quanta, as [`CellSurface`]. Pieces that had to be looked up are added to `found`.
    #[inline(always)]
    pub fn row(
        &self,
        first: usize,
        (bed, depth): (&[i32; TILE_WIDTH], &[i32; TILE_WIDTH]),
        (stage, slope, quantum): SurfacesOut<'_, TILE_WIDTH>,
        mut found: Option<&mut FoundPieces>,
    ) {
        let blocks: &[_; BLOCKS] =
            self.blocks[first / BLOCK..].first_chunk().expect("within the tile");
        let (bed, depth) = (bed.as_chunks::<BLOCK>().0, depth.as_chunks::<BLOCK>().0);
        let stage = stage.as_chunks_mut::<BLOCK>().0;
        let slope = slope.as_chunks_mut::<BLOCK>().0;
        let quantum = quantum.as_chunks_mut::<BLOCK>().0;
        for i in 0..BLOCKS {
            let (water, out) =
                ((&bed[i], &depth[i]), (&mut stage[i], &mut slope[i], &mut quantum[i]));
            let found = found.as_deref_mut();
            self.some::<BLOCK, 0>(&blocks[i], first + BLOCK * i, water, out, found);
        }
    }

    /// Computes the surfaces of `N` cells; the first, `first`, is number `AT` of its block.
    #[inline(always)]
    pub fn few<const N: usize, const AT: usize>(
        &self,
        first: usize,
        water: (&[i32; N], &[i32; N]),
        out: SurfacesOut<'_, N>,
    ) {
        self.some::<N, AT>(&self.blocks[first / BLOCK], first, water, out, None);
    }

    #[inline(always)]
    fn some<const N: usize, const AT: usize>(
        &self,
        block: &StageBlock,
        first: usize,
        (bed, depth): (&[i32; N], &[i32; N]),
        (stage, slope, quantum): SurfacesOut<'_, N>,
        found: Option<&mut FoundPieces>,
    ) {
        let mut is_any_lost = 0;
        for i in 0..N {
            let piece = block.at(AT + i);
            is_any_lost |= u32::from(!piece.holds(depth[i]));
            stage[i] = piece.stage(bed[i], depth[i]);
            slope[i] = 1.0 + piece.rise;
            quantum[i] = piece.quantum;
        }
        if is_any_lost != 0 {
            self.look_up(first, (bed, depth), (stage, slope, quantum), found);
        }
    }

    /// Returns the surface of one cell.
    #[inline(always)]
    #[must_use]
    pub fn one(&self, cell: usize, bed: i32, depth: i32) -> CellSurface {
        let piece = self.blocks[cell / BLOCK].at(cell % BLOCK);
        if piece.holds(depth) {
            piece.surface(bed, depth)
        } else {
            self.columns.tables.stages.surface(cell, bed, depth)
        }
    }

    /// Computes the surfaces of the cells outside the pieces that are kept.
    #[cold]
    #[inline(never)]
    fn look_up(
        &self,
        first: usize,
        (bed, depth): (&[i32], &[i32]),
        (stage, slope, quantum): (&mut [i32], &mut [f32], &mut [i32]),
        mut found: Option<&mut FoundPieces>,
    ) {
        for (i, (&bed, &depth)) in bed.iter().zip(depth).enumerate() {
            let cell = first + i;
            if self.blocks[cell / BLOCK].at(cell % BLOCK).holds(depth) {
                continue;
            }
            let piece = self.columns.tables.stages.piece(cell, depth);
            let surface = piece.surface(bed, depth);
            (stage[i], slope[i], quantum[i]) = (surface.stage, surface.slope, surface.quantum);
            // A piece for one depth alone is not kept: `holds` is false for it, so it would be
            // looked up again in any case.
            if let Some(found) = &mut found
                && piece.holds(depth)
            {
                found.stages.push((cell, piece));
            }
        }
    }
}

/// The columns before and behind a row of faces, as [`ColumnSides`].
#[derive(Debug, Clone, Copy)]
pub struct RowSides<'a, const N: usize> {
    /// Stages.
    pub stages: (&'a [i32; N], &'a [i32; N]),
    /// Depths.
    pub depths: (&'a [i32; N], &'a [i32; N]),
    /// Falls along the faces.
    pub across: (&'a [i32; N], &'a [i32; N]),
}

impl<'a, const N: usize> RowSides<'a, N> {
    /// Returns the columns that begin at these places of planes of stages and depths.
    #[inline(always)]
    #[must_use]
    pub fn of(
        stage: &'a PaddedPlane<i32>,
        depth: &'a PaddedPlane<i32>,
        before: usize,
        behind: usize,
    ) -> Self {
        Self {
            stages: (run(stage, before), run(stage, behind)),
            depths: (run(depth, before), run(depth, behind)),
            across: (&[0; N], &[0; N]),
        }
    }

    /// Returns the columns of one face.
    #[inline(always)]
    #[must_use]
    pub fn at(&self, i: usize) -> ColumnSides {
        let at = |(before, behind): (&[i32; N], &[i32; N])| (before[i], behind[i]);
        ColumnSides { stages: at(self.stages), depths: at(self.depths), across: at(self.across) }
    }
}

/// Faces of a leaf with tables.
#[derive(Debug, Clone, Copy)]
pub struct PieceFaces<'a> {
    which: FaceRow,
    tables: &'a Openings,
    blocks: &'a [OpeningBlock],
}

impl PieceFaces<'_> {
    /// Computes the openings of a row of faces from `first` on: areas, and conveying depths if
    /// `CONVEYS`, as [`FaceOpening`]. Faces that have to be looked up are left to
    /// [`FoundPieces::find`] if `found` is given.
    #[inline(always)]
    pub fn row<const CONVEYS: bool>(
        &self,
        first: usize,
        RowSides { stages, depths, across }: RowSides<'_, TILE_WIDTH>,
        (area, conveying): (&mut [i32; TILE_WIDTH], &mut [f32; TILE_WIDTH]),
        mut found: Option<&mut FoundPieces>,
    ) {
        let blocks: &[_; BLOCKS] =
            self.blocks[first / BLOCK..].first_chunk().expect("within the tile");
        let (before, behind) = (stages.0.as_chunks::<BLOCK>().0, stages.1.as_chunks::<BLOCK>().0);
        let depths = (depths.0.as_chunks::<BLOCK>().0, depths.1.as_chunks::<BLOCK>().0);
        let across = (across.0.as_chunks::<BLOCK>().0, across.1.as_chunks::<BLOCK>().0);
        let area = area.as_chunks_mut::<BLOCK>().0;
        let conveying = conveying.as_chunks_mut::<BLOCK>().0;
        for i in 0..BLOCKS {
            let (stages, depths) = ((&before[i], &behind[i]), (&depths.0[i], &depths.1[i]));
            let across = (&across.0[i], &across.1[i]);
            let sides = RowSides { stages, depths, across };
            let (out, found) = ((&mut area[i], &mut conveying[i]), found.as_deref_mut());
            self.some::<BLOCK, 0, CONVEYS>(&blocks[i], first + BLOCK * i, sides, out, found);
        }
    }

    /// Computes the areas of `N` faces; the first, `first`, is number `AT` of its block.
    #[inline(always)]
    pub fn few<const N: usize, const AT: usize>(
        &self,
        first: usize,
        sides: RowSides<'_, N>,
        area: &mut [i32; N],
    ) {
        let (block, mut none) = (&self.blocks[first / BLOCK], [0.0; N]);
        self.some::<N, AT, false>(block, first, sides, (area, &mut none), None);
    }

    #[inline(always)]
    fn some<const N: usize, const AT: usize, const CONVEYS: bool>(
        &self,
        block: &OpeningBlock,
        first: usize,
        sides: RowSides<'_, N>,
        (area, conveying): (&mut [i32; N], &mut [f32; N]),
        found: Option<&mut FoundPieces>,
    ) {
        let mut is_any_lost = 0;
        for i in 0..N {
            let at = AT + i;
            let head = FaceHead::over(block.sill[at], block.fall[at], sides.at(i));
            let piece = block.at(at);
            is_any_lost |= u32::from(!piece.holds(head.height));
            let opening = head.through(&piece);
            area[i] = opening.area;
            if CONVEYS {
                conveying[i] = opening.conveying;
            }
        }
        if is_any_lost != 0 {
            let conveying: &mut [f32] = if CONVEYS { conveying } else { &mut [] };
            self.look_up(first, |i| sides.at(i), area, conveying, found);
        }
    }

    /// Returns the opening of one face.
    #[inline(always)]
    #[must_use]
    pub fn one(
        &self,
        face: usize,
        sides: ColumnSides,
        found: Option<&mut FoundPieces>,
    ) -> FaceOpening {
        let (block, at) = (&self.blocks[face / BLOCK], face % BLOCK);
        let head = FaceHead::over(block.sill[at], block.fall[at], sides);
        let mut piece = block.at(at);
        if !piece.holds(head.height) {
            piece = self.tables.piece(face, head.height);
            if let Some(found) = found {
                found.openings.push((self.which, face, piece));
            }
        }
        head.through(&piece)
    }

    /// Copies the lowest sills of a row of faces from `first` on, vertical units.
    #[inline(always)]
    pub fn sills(&self, first: usize, sill: &mut [i32; TILE_WIDTH]) {
        let blocks = self.blocks[first / BLOCK..].iter();
        for (sill, block) in sill.as_chunks_mut::<BLOCK>().0.iter_mut().zip(blocks) {
            *sill = block.sill;
        }
    }

    /// Copies the falls of the ground over a row of faces from `first` on, vertical units.
    #[inline(always)]
    pub fn falls(&self, first: usize, fall: &mut [i32; TILE_WIDTH]) {
        let blocks = self.blocks[first / BLOCK..].iter();
        for (fall, block) in fall.as_chunks_mut::<BLOCK>().0.iter_mut().zip(blocks) {
            *fall = block.fall;
        }
    }

    /// Returns the lowest sill and fall of the ground of one face, vertical units.
    #[inline(always)]
    #[must_use]
    pub fn sill_and_fall(&self, face: usize) -> (i32, i32) {
        let block = &self.blocks[face / BLOCK];
        (block.sill[face % BLOCK], block.fall[face % BLOCK])
    }

    /// Looks up the openings of faces outside the pieces that are kept.
    #[cold]
    #[inline(never)]
    fn look_up(
        &self,
        first: usize,
        sides: impl Fn(usize) -> ColumnSides,
        area: &mut [i32],
        conveying: &mut [f32],
        mut found: Option<&mut FoundPieces>,
    ) {
        for (i, area) in area.iter_mut().enumerate() {
            let (face, block) = (first + i, &self.blocks[(first + i) / BLOCK]);
            let (sill, fall) = (block.sill[face % BLOCK], block.fall[face % BLOCK]);
            let head = FaceHead::over(sill, fall, sides(i));
            if block.at(face % BLOCK).holds(head.height) {
                continue;
            }
            if let Some(found) = &mut found {
                found.lose((self.which, self.tables), face, head);
                continue;
            }
            let opening = head.through(&self.tables.piece(face, head.height));
            *area = opening.area;
            if let Some(conveying) = conveying.get_mut(i) {
                *conveying = opening.conveying;
            }
        }
    }
}

#[cfg(test)]
mod tests;
