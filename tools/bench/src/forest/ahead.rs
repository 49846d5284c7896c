//! Detail ahead of steep water: a criterion that is made anew between cycles.
//!
//! A criterion sees one leaf at a time, so a bore is in the next leaf before that leaf requests
//! detail, and leaves some noise there. This one reads blocks of cells, and requests the same level
//! within a margin around the steep ones.

use crate::suite::BenchError;
use thalweg::criteria::{Criterion, Place, Places, Rectangle};
use thalweg::world::World;
use thalweg_engine::grid::TILE_WIDTH;

/// Cells along a side of a block.
const BLOCK: usize = 8;

/// Steep water, and the level that it needs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ahead {
    /// Difference of stage between wet neighbour cells from which it is steep, m.
    pub step_m: f64,
    /// Distance around it that counts, m.
    pub margin_m: f64,
    /// Level that it needs.
    pub level: u8,
}

impl Ahead {
    /// Returns the criterion for the water as it is now.
    ///
    /// # Errors
    ///
    /// If the level is not one of the world's.
    pub fn criterion(&self, world: &World) -> Result<Box<dyn Criterion>, BenchError> {
        let simulation = world.simulation();
        let extent = world.extent();
        let most = world.scale().depth_units(self.step_m).unwrap_or(i32::MAX);
        let mut places = Vec::new();
        for (leaf, key) in simulation.forest().iter() {
            if simulation.asleep()[leaf] {
                continue;
            }
            let cells = simulation.ground(leaf).bed.iter().zip(&simulation.water(leaf).depth);
            let stages: Vec<Option<i32>> =
                cells.map(|(&bed, &depth)| (depth > 0).then_some(bed + depth)).collect();
            let cell_m = extent.cell_width_m(key.level);
            for block in blocks().filter(|&block| is_steep(&stages, block, most)) {
                let area = self.around(extent.area(key), block, cell_m);
                places.push(Place { area, level: self.level });
            }
        }
        let places = Places::try_new(&places, 0.0, &extent).map_err(|error| error.to_string())?;
        Ok(Box::new(places))
    }

    /// Returns a block of a leaf with its margin.
    fn around(&self, leaf: Rectangle, block: [usize; 2], cell_m: f64) -> Rectangle {
        let [west, south] = block.map(|at| at as f64 * cell_m - self.margin_m);
        let [east, north] = block.map(|at| (at + BLOCK) as f64 * cell_m + self.margin_m);
        Rectangle {
            west: leaf.west + west,
            south: leaf.south + south,
            east: leaf.west + east,
            north: leaf.south + north,
        }
    }
}

/// Returns the south-west cells of the blocks of a leaf.
fn blocks() -> impl Iterator<Item = [usize; 2]> {
    let along = || (0..TILE_WIDTH).step_by(BLOCK);
    along().flat_map(move |y| along().map(move |x| [x, y]))
}

/// Returns whether the stages of two wet neighbours in a block differ by more than `most` units.
fn is_steep(stages: &[Option<i32>], [west, south]: [usize; 2], most: i32) -> bool {
    let last = TILE_WIDTH - 1;
    (south..south + BLOCK).flat_map(|y| (west..west + BLOCK).map(move |x| (x, y))).any(|(x, y)| {
        let here = stages[y * TILE_WIDTH + x];
        let east = stages[y * TILE_WIDTH + (x + 1).min(last)];
        let north = stages[(y + 1).min(last) * TILE_WIDTH + x];
        let steep = |other: Option<i32>| here.zip(other).is_some_and(|(a, b)| (a - b).abs() > most);
        steep(east) || steep(north)
    })
}
