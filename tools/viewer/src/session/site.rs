//! Facts about a world that do not change during a session.

use rasters::{Grid, HorizontalUnit};

/// Facts that the window needs before the first state.
#[derive(Debug, Clone, PartialEq)]
pub struct ViewerSite {
    /// Title of the world.
    pub title: String,
    /// Lengths of the world eastward and northward, m.
    pub size_m: [f64; 2],
    /// Width of the cells of level 0, m.
    pub finest_m: f64,
    /// Finest level of the world's leaves.
    pub base: u8,
    /// Coarsest level that a leaf can have.
    pub coarsest: u8,
    /// Lowest and highest bed, m.
    pub bed_m: [f64; 2],
    /// Names of the world's tracers.
    pub tracers: Vec<String>,
    /// File that the world can be saved into, if it was opened from one.
    pub file: Option<std::path::PathBuf>,
    /// Place of the world on its map, if it has one.
    pub map: Option<MapPlace>,
}

/// Place of a world on its map.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MapPlace {
    /// Coordinates of the world's south-west corner.
    pub corner: [f64; 2],
    /// Coordinates eastward and northward for each metre of the world.
    pub per_m: [f64; 2],
    /// Unit of the map's coordinates.
    pub unit: HorizontalUnit,
    /// Distance from one of the finest cells to the next, in the map's unit.
    pub step: f64,
}

impl MapPlace {
    /// Returns the place of a world with the cells of a grid, `cell_m` wide, as its finest ones.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
    pub fn of(grid: &Grid, cell_m: f64) -> Self {
        Self {
            corner: [grid.west, grid.north - grid.height as f64 * grid.step_y],
            per_m: [grid.step_x / cell_m, grid.step_y / cell_m],
            unit: grid.unit,
            step: grid.step_x.min(grid.step_y),
        }
    }

    /// Returns the map's coordinates of a place of the world.
    #[must_use]
    pub fn at(&self, at_m: [f64; 2]) -> [f64; 2] {
        [0, 1].map(|axis| self.corner[axis] + at_m[axis] * self.per_m[axis])
    }
}
