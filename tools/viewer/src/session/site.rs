//! Facts about a world that do not change while it is looked at.

use rasters::{Grid, HorizontalUnit};

/// Facts that the window needs before the first state.
#[derive(Debug, Clone, PartialEq)]
pub struct Site {
    /// Title of the world.
    pub title: String,
    /// Lengths of the world eastward and northward, m.
    pub size_m: [f64; 2],
    /// Width of the cells of level 0, m.
    pub finest_m: f64,
    /// The finest level of its leaves.
    pub base: u8,
    /// The coarsest level there may be.
    pub coarsest: u8,
    /// Lowest and highest bed, m.
    pub bed_m: [f64; 2],
    /// Names of its tracers.
    pub tracers: Vec<String>,
    /// The file that it can be saved into, if it came from one.
    pub file: Option<std::path::PathBuf>,
    /// Where it lies on its map, if it does.
    pub map: Option<MapPlace>,
}

/// Where a world lies on its map.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MapPlace {
    /// Coordinates of its south-west corner.
    pub corner: [f64; 2],
    /// Coordinates eastward and northward for each metre of the world.
    pub per_m: [f64; 2],
    /// Unit of the map's coordinates.
    pub unit: HorizontalUnit,
    /// From one of its finest cells to the next.
    pub step: f64,
}

impl MapPlace {
    /// That of a world whose finest cells are those of a grid, and so wide.
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

    /// Coordinates of a place of the world.
    #[must_use]
    pub fn at(&self, at_m: [f64; 2]) -> [f64; 2] {
        [0, 1].map(|axis| self.corner[axis] + at_m[axis] * self.per_m[axis])
    }
}
