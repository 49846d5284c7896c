//! The planes of one tile.

use crate::grid::{Axis, Side, TILE_WIDTH};
use crate::tile::columns::{CellSurface, ColumnSides, InsideParts, LeafColumns};
use crate::tile::cow_plane::CowPlane;
use crate::units::{CEILING, OUTSIDE, Volume};

/// The concentration 1 of a tracer: the content of a cell is at most this times its depth.
pub const ONE: i64 = 1 << 24;

/// Planes that change in every step: depths and discharges.
///
/// Rows from south to north, cells from west to east. West and south faces belong to a tile's
/// cells; its east and north sides belong to the neighbour.
#[derive(Debug, Clone, PartialEq)]
pub struct Water {
    /// Depth of cells, vertical units.
    pub depth: CowPlane<i32>,
    /// Unit discharge through west faces, m²/s, positive eastward.
    pub flow_x: CowPlane<f32>,
    /// Unit discharge through south faces, m²/s, positive northward.
    pub flow_y: CowPlane<f32>,
    /// Content of cells by tracer, 2⁻²⁴ vertical units.
    pub contents: Vec<CowPlane<i64>>,
}

impl Water {
    /// Returns a dry tile of a world without tracers.
    #[must_use]
    pub fn dry() -> Self {
        Self::dry_with(0)
    }

    /// Returns a dry tile of a world with `tracers` tracers.
    #[must_use]
    pub fn dry_with(tracers: usize) -> Self {
        Self {
            contents: vec![CowPlane::zeros(); tracers],
            depth: CowPlane::zeros(),
            flow_x: CowPlane::zeros(),
            flow_y: CowPlane::zeros(),
        }
    }

    /// Returns the sum of the depths, vertical units, or of the content of tracer `plane − 1`.
    #[must_use]
    pub fn sum_of(&self, plane: usize) -> Volume {
        // 4096 depths below 2³¹ fit 64 bits, 4096 contents of up to 2⁵⁵ do not.
        match plane.checked_sub(1) {
            None => Volume::from(self.depth.iter().map(|&h| i64::from(h)).sum::<i64>()),
            Some(tracer) => self.contents[tracer].iter().map(|&c| Volume::from(c)).sum(),
        }
    }

    /// Makes the planes unshared, to be written as a whole: if they were shared, their numbers are
    /// arbitrary from then on.
    pub fn renew(&mut self) {
        self.depth.renew();
        self.flow_x.renew();
        self.flow_y.renew();
        self.contents.iter_mut().for_each(CowPlane::renew);
    }

    /// Releases the planes.
    pub fn give_back(self) {
        self.depth.give_back();
        self.flow_x.give_back();
        self.flow_y.give_back();
        self.contents.into_iter().for_each(CowPlane::give_back);
    }

    /// Stops all discharges.
    pub fn stop(&mut self) {
        self.flow_x.fill(0.0);
        self.flow_y.fill(0.0);
    }
}

/// Bed and stage of a cell, vertical units above the datum, and its depth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CellLevels {
    /// Mean bed; [`OUTSIDE`] beyond the world.
    pub bed: i32,
    /// Stage; of a dry cell its lowest bed.
    pub stage: i32,
    /// Volume over area, vertical units.
    pub depth: i32,
}

impl CellLevels {
    /// Beyond the world.
    pub const OUTSIDE: Self = Self { bed: OUTSIDE, stage: OUTSIDE, depth: 0 };

    /// Returns the flow depth between two flat columns, vertical units; 0 if the face is closed.
    #[inline]
    #[must_use]
    pub fn opening(self, other: Self) -> i32 {
        (self.stage.max(other.stage) - self.bed.max(other.bed)).max(0)
    }
}

/// A face of a tile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaceAt {
    /// The west (0) or south (1) face of a cell.
    Of {
        /// Which of the two.
        axis: Axis,
        /// The cell.
        cell: usize,
    },
    /// The face along the east (0) or north (1) side.
    Far {
        /// Which of the two.
        axis: Axis,
        /// Place of the face along the side.
        i: usize,
    },
}

impl FaceAt {
    /// Returns face `i` along a side of a tile.
    #[must_use]
    pub fn along(side: Side, i: usize) -> Self {
        match side {
            Side::West => Self::Of { axis: Axis::X, cell: i * TILE_WIDTH },
            Side::East => Self::Far { axis: Axis::X, i },
            Side::South => Self::Of { axis: Axis::Y, cell: i },
            Side::North => Self::Far { axis: Axis::Y, i },
        }
    }

    /// Returns the side of a tile that the face is on, and its place there.
    #[must_use]
    pub fn side(self) -> Option<(Side, usize)> {
        match self {
            Self::Far { axis, i } => Some((Side::of(axis)[1], i)),
            Self::Of { axis, cell } => {
                let place = [cell % TILE_WIDTH, cell / TILE_WIDTH];
                (place[axis] == 0).then(|| (Side::of(axis)[0], place[axis.across()]))
            }
        }
    }

    /// Returns the axis across the face.
    #[must_use]
    pub fn axis(self) -> Axis {
        match self {
            Self::Of { axis, .. } | Self::Far { axis, .. } => axis,
        }
    }
}

/// Planes that stay: the ground.
#[derive(Debug, Clone, PartialEq)]
pub struct Ground {
    /// Bed of cells, vertical units above the datum; [`OUTSIDE`] beyond the world.
    pub bed: CowPlane<i32>,
    /// Class of Manning's n of cells, if the world has more than one.
    pub roughness: Option<CowPlane<u8>>,
    /// Tables of sub-grid columns; `None` for flat columns.
    pub columns: Option<LeafColumns>,
}

impl Ground {
    /// Returns the ground of flat columns and one roughness.
    #[must_use]
    pub fn flat(bed: CowPlane<i32>) -> Self {
        Self { bed, roughness: None, columns: None }
    }

    /// True if the cell belongs to the world.
    #[must_use]
    pub fn is_inside(&self, cell: usize) -> bool {
        self.bed[cell] != OUTSIDE
    }

    /// Returns the parts of its cells inside the world; `None` if each cell is wholly inside or
    /// wholly outside.
    #[must_use]
    pub fn parts(&self) -> Option<&InsideParts> {
        self.columns.as_ref()?.parts.as_ref()
    }

    /// True if a quarter of a cell has ground; south-west first.
    #[inline]
    #[must_use]
    pub fn has_quarter(&self, cell: usize, quarter: usize) -> bool {
        self.parts().is_none_or(|parts| parts.quarters(cell) >> quarter & 1 == 1)
    }

    /// Returns the depth below the ceiling in a cell that is dry, vertical units over the whole
    /// cell.
    #[inline]
    #[must_use]
    pub fn room(&self, cell: usize) -> i32 {
        self.over_cell(cell, CEILING - self.bed[cell])
    }

    /// Returns the depth over a whole cell of a depth over the ground it has, vertical units.
    #[inline]
    #[must_use]
    pub fn over_cell(&self, cell: usize, depth: i32) -> i32 {
        let over_cell = |parts: &InsideParts| parts.depth_over_cell(cell, depth.unsigned_abs());
        self.parts().map_or(depth, |parts| over_cell(parts).cast_signed())
    }

    /// Returns the surface over `depth` units of water in a cell: the one place where a depth
    /// becomes a stage outside the kernels.
    #[inline]
    #[must_use]
    pub fn surface(&self, cell: usize, depth: i32) -> CellSurface {
        let bed = self.bed[cell];
        match &self.columns {
            Some(columns) => columns.cells().one(cell, bed, depth),
            None => CellSurface { stage: bed + depth, slope: 1.0, quantum: 0 },
        }
    }

    /// Returns the stage of a cell with `depth` units of water, vertical units above the datum.
    #[inline]
    #[must_use]
    pub fn stage(&self, cell: usize, depth: i32) -> i32 {
        self.surface(cell, depth).stage
    }

    /// Returns the stage of a dry cell, vertical units above the datum: its lowest bed.
    #[inline]
    #[must_use]
    pub fn dry_stage(&self, cell: usize) -> i32 {
        let bed = self.bed[cell];
        self.columns.as_ref().map_or(bed, |columns| columns.stages.dry(cell, bed))
    }

    /// Returns the depth over the lowest bed of a cell with `depth` units of water, vertical units.
    #[inline]
    #[must_use]
    pub fn deepest(&self, cell: usize, depth: i32) -> i32 {
        if self.columns.is_none() { depth } else { self.stage(cell, depth) - self.dry_stage(cell) }
    }

    /// Returns the bed and stage of a cell with `depth` units of water.
    #[inline]
    #[must_use]
    pub fn standing(&self, cell: usize, depth: i32) -> CellLevels {
        CellLevels { bed: self.bed[cell], stage: self.stage(cell, depth), depth }
    }

    /// Returns the flow depth h_f of a face of a tile between the cells before and behind it,
    /// vertical units; 0 if it is closed.
    #[must_use]
    pub fn opening(&self, face: FaceAt, before: CellLevels, behind: CellLevels) -> i32 {
        let stages = (before.stage, behind.stage);
        let depths = (before.depth, behind.depth);
        let sides = ColumnSides { stages, depths, across: (0, 0) };
        match (&self.columns, face) {
            (None, _) => before.opening(behind),
            (Some(columns), FaceAt::Of { axis, cell }) => {
                columns.faces_of(axis).one(cell, sides, None).area
            }
            (Some(columns), FaceAt::Far { axis, i }) => {
                columns.faces_beyond(axis).one(i, sides, None).area
            }
        }
    }

    /// Returns the largest depth whose stage is at most `stage`, vertical units; 0 outside the
    /// world.
    #[must_use]
    pub fn holds(&self, cell: usize, stage: i32) -> i32 {
        let bed = self.bed[cell];
        match &self.columns {
            _ if bed == OUTSIDE => 0,
            Some(columns) => columns.stages.holds(cell, bed, stage),
            None => stage.saturating_sub(bed).max(0),
        }
    }
}
