//! Rasters of the surface and of the flow: any rectangle at any level.
//!
//! If leaves have the raster's level, its cells are theirs; if leaves are finer, its cells are
//! means over them, so that depths keep the volume; if leaves are coarser, they are interpolated,
//! or downscaled through sub-grid columns.

use crate::probe::cursor::{Cursor, DischargeNeed};
use crate::probe::error::{WINDOW_CELLS_MAX, WINDOW_LEVEL_MAX};
use crate::probe::sum::CellSum;
use crate::probe::{Query, QueryError};
use rayon::prelude::*;
use thalweg_engine::grid::LeafId;
use thalweg_engine::grid::cells::CellPlace;
use thalweg_engine::grid::{TILE_CELLS, TILE_WIDTH};

/// A rectangle of cells of one level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// Level of its cells: 0 is the finest of the terrain, simulated or not.
    pub level: u8,
    /// South-west cell of the window, among the cells of that level.
    pub corner: CellPlace,
    /// Columns.
    pub width: usize,
    /// Rows.
    pub height: usize,
}

impl Window {
    pub(super) fn check(&self) -> Result<(), QueryError> {
        let Self { level, corner, width, height } = *self;
        if level > WINDOW_LEVEL_MAX {
            return Err(QueryError::Level(level));
        }
        let is_placed = |count: usize, at: u32| (1..=(u32::MAX - at) as usize).contains(&count);
        let is_placed = is_placed(width, corner.x) && is_placed(height, corner.y);
        let fits = width.checked_mul(height).is_some_and(|cells| cells <= WINDOW_CELLS_MAX);
        if is_placed && fits { Ok(()) } else { Err(QueryError::Window { width, height }) }
    }

    /// Returns a plane over the window in bands: the rows in one row of tiles each.
    fn bands<'a>(&self, plane: &'a mut [f32]) -> Vec<&'a mut [f32]> {
        let (first, rest) = plane.split_at_mut(self.first_rows() * self.width);
        std::iter::once(first).chain(rest.chunks_mut(TILE_WIDTH * self.width)).collect()
    }

    /// Returns the number of rows of the first band.
    fn first_rows(&self) -> usize {
        (TILE_WIDTH - self.corner.indices()[1] % TILE_WIDTH).min(self.height)
    }

    /// Returns the cells of a band: column and row in the window, and index in the band. They are
    /// ordered tile by tile along the curve of Morton, so that cells within one coarse cell follow
    /// each other.
    fn cells_of_band(&self, band: usize) -> impl Iterator<Item = (usize, usize, usize)> {
        let Self { corner, width, height, .. } = *self;
        let south = match band {
            0 => 0,
            _ => self.first_rows() + (band - 1) * TILE_WIDTH,
        };
        // Columns and rows of the first tile before the band's south-west cell.
        let [west, first] = corner.indices();
        let [skip_x, skip_y] = [west, first + south].map(|v| v % TILE_WIDTH);
        let rows = (TILE_WIDTH - skip_y).min(height - south);
        let tiles = (skip_x + width).div_ceil(TILE_WIDTH);
        (0..tiles * TILE_CELLS).filter_map(move |index| {
            let along = index % TILE_CELLS;
            let x = (index / TILE_CELLS * TILE_WIDTH + unspread(along)).checked_sub(skip_x)?;
            let y = unspread(along >> 1).checked_sub(skip_y)?;
            (x < width && y < rows).then_some((x, south + y, y * width + x))
        })
    }

    /// Returns the column `x` and row `y` of the window among the cells of its level.
    pub(super) fn cell(&self, x: usize, y: usize) -> (i64, i64) {
        let at = |corner: u32, step: usize| {
            i64::from(corner) + i64::try_from(step).expect("2²⁸ cells at most")
        };
        (at(self.corner.x, x), at(self.corner.y, y))
    }
}

/// Bed, depth and stage of a rectangle, rows from south to north; NaN outside the world.
#[derive(Debug, Clone)]
pub struct SurfaceRaster {
    /// Rectangle of the raster.
    pub window: Window,
    /// Bed, m.
    pub bed_m: Vec<f32>,
    /// Depth, m; 0 if it is dry.
    pub depth_m: Vec<f32>,
    /// Stage, m; NaN if it is dry.
    pub stage_m: Vec<f32>,
}

/// Velocity of a rectangle, rows from south to north; NaN outside the world, 0 if it is dry.
#[derive(Debug, Clone)]
pub struct FlowRaster {
    /// Rectangle of the raster.
    pub window: Window,
    /// Velocity eastward, m/s.
    pub east_m_s: Vec<f32>,
    /// Velocity northward, m/s.
    pub north_m_s: Vec<f32>,
}

impl Query<'_> {
    /// Returns the bed, depth and stage of a rectangle, in parallel.
    ///
    /// # Errors
    ///
    /// [`QueryError::Window`] for a rectangle without cells or with more than 2²⁸,
    /// [`QueryError::Level`] for a level beyond 20.
    #[expect(clippy::cast_possible_truncation, reason = "rounded to f32 on purpose")]
    pub fn surface(&self, window: Window) -> Result<SurfaceRaster, QueryError> {
        window.check()?;
        let plane = || vec![f32::NAN; window.width * window.height];
        let (mut bed_m, mut depth_m, mut stage_m) = (plane(), plane(), plane());
        let bands = [&mut bed_m, &mut depth_m, &mut stage_m].map(|plane| window.bands(plane));
        let [bed, depth, stage] = bands;
        let bands = bed.into_par_iter().zip(depth).zip(stage).enumerate();
        bands.for_each(|(band, ((bed_m, depth_m), stage_m))| {
            let mut cursor = Cursor::of_leaves(*self, LeafId::NONE, DischargeNeed::Unwanted);
            for (x, y, at) in window.cells_of_band(band) {
                let (sum, depth) = cursor.raster_cell(&window, x, y);
                let Some(bed) = sum.bed_mean() else { continue };
                bed_m[at] = self.elevation_m(bed) as f32;
                depth_m[at] = (depth * self.scale.unit_m()) as f32;
                if let Some(stage) = sum.stage_mean().filter(|_| depth > 0.0) {
                    stage_m[at] = self.elevation_m(stage) as f32;
                }
            }
        });
        Ok(SurfaceRaster { window, bed_m, depth_m, stage_m })
    }

    /// Returns the velocity of a rectangle, in parallel.
    ///
    /// # Errors
    ///
    /// The errors of [`Query::surface`].
    #[expect(clippy::cast_possible_truncation, reason = "rounded to f32 on purpose")]
    pub fn flow(&self, window: Window) -> Result<FlowRaster, QueryError> {
        window.check()?;
        let plane = || vec![f32::NAN; window.width * window.height];
        let (mut east_m_s, mut north_m_s) = (plane(), plane());
        let [east, north] = [&mut east_m_s, &mut north_m_s].map(|plane| window.bands(plane));
        east.into_par_iter().zip(north).enumerate().for_each(|(band, (east, north))| {
            let mut cursor = Cursor::of_leaves(*self, LeafId::NONE, DischargeNeed::Wanted);
            for (x, y, at) in window.cells_of_band(band) {
                let (sum, depth) = cursor.raster_cell(&window, x, y);
                if sum.inside > 0.0 {
                    let velocity = if depth > 0.0 { self.velocity(&sum) } else { [0.0; 2] };
                    [east[at], north[at]] = velocity.map(|v| v as f32);
                }
            }
        });
        Ok(FlowRaster { window, east_m_s, north_m_s })
    }
}

/// Extracts every second bit of a place along the curve within a tile.
fn unspread(along: usize) -> usize {
    (0..6).map(|bit| (along >> (2 * bit) & 1) << bit).sum()
}

impl Cursor<'_> {
    /// Returns a cell of a raster, and its depth in vertical units: a mean over leaf cells, or at
    /// its centre within a coarser one.
    pub fn raster_cell(&mut self, window: &Window, x: usize, y: usize) -> (CellSum, f64) {
        let (x, y) = window.cell(x, y);
        let sum = self.cell(window.level, x, y);
        let is_interpolated = self.is_interpolated(window.level, x, y);
        let depth = if is_interpolated { sum.depth_at() } else { sum.depth_mean() };
        (sum, depth)
    }
}
