//! Leaves for measurements: strips of several levels side by side, and patches.

use crate::suite::BenchError;
use crate::world::WorldPlan;
use std::collections::HashSet;
use thalweg::terrain::Terrain;
use thalweg::world::World;
use thalweg_engine::grid::cells::{CellPlace, column_row};
use thalweg_engine::grid::{TILE_CELLS, TILE_WIDTH, TileKey};

/// Leaves that cover a rectangle, on cells of 1 m at level 0.
#[derive(Debug, Clone)]
pub struct LevelMesh {
    /// The leaves.
    pub leaves: Vec<TileKey>,
    /// Columns and rows of the base level.
    pub size: (u32, u32),
    known: HashSet<TileKey>,
}

/// A cell of a leaf as it is now.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LeafCell {
    /// Centre of the cell, m.
    pub at: [f64; 2],
    /// Level of the cell.
    pub level: u8,
    /// Depth of the cell, m.
    pub depth_m: f64,
    /// Unit discharges over its west and south faces, m²/s.
    pub flow: [f64; 2],
}

impl LeafCell {
    /// Returns the width of the cell, m and base cells.
    #[must_use]
    pub fn width(&self) -> usize {
        1 << self.level
    }

    /// Returns the column and row of the base cell in its south-west corner.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "a place in a mesh")]
    pub fn corner(&self) -> (usize, usize) {
        let half = 0.5 * self.width() as f64;
        ((self.at[0] - half) as usize, (self.at[1] - half) as usize)
    }
}

impl LevelMesh {
    fn of(leaves: Vec<TileKey>, size: (u32, u32)) -> Self {
        let known = leaves.iter().copied().collect();
        Self { leaves, size, known }
    }

    /// Makes segments from west to east, each of a level and some base columns; `rows` of the base
    /// level.
    #[must_use]
    pub fn strip(segments: &[(u8, u32)], rows: u32) -> Self {
        let (mut leaves, mut from) = (Vec::new(), 0);
        for &(level, columns) in segments {
            let width = 64 << level;
            let is_whole = |cells: u32| cells.is_multiple_of(width);
            assert!(is_whole(from) && is_whole(columns) && is_whole(rows), "whole tiles");
            let (first, count) = (from / width, columns / width);
            for y in 0..rows / width {
                leaves.extend((first..first + count).map(|x| TileKey { level, x, y }));
            }
            from += columns;
        }
        Self::of(leaves, (from, rows))
    }

    /// Makes a square of `tiles`² of level 1; leaves from `from` to before `to` in both directions
    /// are of level 0.
    #[must_use]
    pub fn patch(tiles: u32, from: u32, to: u32) -> Self {
        let mut leaves = Vec::new();
        for (x, y) in (0..tiles).flat_map(|y| (0..tiles).map(move |x| (x, y))) {
            let key = TileKey { level: 1, x, y };
            if (from..to).contains(&x) && (from..to).contains(&y) {
                leaves.extend((0..4).map(|quadrant| key.child(quadrant)));
            } else {
                leaves.push(key);
            }
        }
        Self::of(leaves, (128 * tiles, 128 * tiles))
    }

    /// Returns a copy of the ground on leaves of one level.
    #[must_use]
    pub fn uniform(&self, level: u8) -> Self {
        Self::strip(&[(level, self.size.0)], self.size.1)
    }

    /// Returns the leaves with x and y exchanged.
    #[must_use]
    pub fn turned(&self) -> Self {
        let turned = |key: &TileKey| TileKey { level: key.level, x: key.y, y: key.x };
        Self::of(self.leaves.iter().map(turned).collect(), (self.size.1, self.size.0))
    }

    /// Returns the cells of all leaves.
    #[must_use]
    pub fn cells(&self) -> usize {
        self.leaves.len() * TILE_CELLS
    }

    /// Returns the level of the leaf that contains a base cell.
    #[must_use]
    pub fn level_at(&self, place: CellPlace) -> u8 {
        let base = TileKey::of_cell(0, place);
        (0..8).find(|&level| self.known.contains(&base.ancestor(level))).unwrap_or(0)
    }

    /// Returns the centre of the leaf's cell that contains a base cell, and its width, m.
    #[must_use]
    pub fn centre(&self, place: CellPlace) -> ([f64; 2], f64) {
        let level = self.level_at(place);
        let width = f64::from(1_u32 << level);
        let centre = |at: u32| (f64::from(at >> level) + 0.5) * width;
        ([centre(place.x), centre(place.y)], width)
    }

    /// Makes terrain of this size with beds in metres by place in metres.
    ///
    /// # Errors
    ///
    /// If the beds do not fit the vertical unit.
    pub fn terrain(
        &self,
        exponent: u8,
        bed_m: impl Fn([f64; 2]) -> f64,
    ) -> Result<Terrain, BenchError> {
        let (width, height) = (self.size.0 as usize, self.size.1 as usize);
        let plan = WorldPlan { width, height, cell_m: 1.0, exponent, datum_m: 0.0 };
        plan.terrain(|x, y| bed_m([x as f64 + 0.5, y as f64 + 0.5]))
    }
}

/// Returns all cells of a world, whose base cells are 1 m wide.
pub fn cells(world: &World) -> impl Iterator<Item = LeafCell> + '_ {
    let simulation = world.simulation();
    let leaves = simulation.forest().iter();
    leaves.flat_map(move |(leaf, key)| {
        let water = simulation.water(leaf);
        let width = f64::from(1_u32 << key.level);
        (0..TILE_CELLS).map(move |cell| {
            let (column, row) = column_row(cell);
            let centre = |tile: u32, at: u32| {
                (f64::from(tile) * TILE_WIDTH as f64 + f64::from(at) + 0.5) * width
            };
            LeafCell {
                at: [centre(key.x, column), centre(key.y, row)],
                level: key.level,
                depth_m: world.scale().depth_m(water.depth[cell]),
                flow: [f64::from(water.flow_x[cell]), f64::from(water.flow_y[cell])],
            }
        })
    })
}
