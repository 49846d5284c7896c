//! The town: a terrace on the south bank, streets, houses, a market square with a church.
//!
//! Streets run with the raster, so that at the map's cell width each house is a clean block of
//! cells that water has to go around.

use crate::course::Watercourse;
use crate::lattice::CellLattice;
use crate::noise::{Noise, ramp};

/// Use of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Use {
    /// Ground outside the town.
    Land,
    /// Streets, yards and gardens.
    Open,
    /// A house.
    House,
}

/// Place of the town.
#[derive(Debug, Clone, Copy)]
pub struct Town {
    /// Local `x` of the market square's north-west corner, m east.
    pub x: f64,
    /// Local `y` of the market square's north-west corner, m south.
    pub y: f64,
}

/// Offset from [`Town`]'s place, the corner of the square at the church, to its middle, m.
pub const SQUARE_MIDDLE: (f64, f64) = (25.0, 12.5);

/// Half the length of the terrace along the river, m.
const HALF_LENGTH_M: f64 = 250.0;
/// Distance from the river's middle to the quay, m.
const QUAY_M: f64 = 20.0;
/// Distance from the river's middle to the back of the town, m.
const BACK_M: f64 = 215.0;
/// The quay above the valley floor, m.
const QUAY_RISE_M: f64 = 0.2;
/// Rise of the terrace away from the river, m/m.
const TERRACE_SLOPE: f64 = 0.005;
/// Blocks of the street plan, eastwards and southwards; the market square is the middle one.
const BLOCKS: (usize, usize) = (16, 12);
/// Cells from one street to the next, streets two cells wide.
const BLOCK: (usize, usize) = (9, 7);
/// Cells of a house.
const HOUSE: (usize, usize) = (3, 2);
/// Cells from a house to the next in its block.
const YARD: (usize, usize) = (4, 3);

impl Town {
    /// Makes the town beside the river south of a place.
    #[must_use]
    pub fn beside(river: &Watercourse, x: f64, y: f64) -> Self {
        let bank = river.points[river.nearest(x, y)];
        Self { x: bank.x, y: bank.y + 95.0 }
    }

    /// Levels the terrace, sets the houses on it and records the new cover of each cell.
    pub fn build(
        &self,
        lattice: &CellLattice,
        heights: &mut [f64],
        river: &Watercourse,
        seed: u64,
    ) -> Vec<Use> {
        let strip = river.strip(lattice, BACK_M + 60.0);
        let mut uses = vec![Use::Land; lattice.count()];
        for cell in lattice.cells_near(self.x, self.y, HALF_LENGTH_M + 120.0) {
            let offset = strip.offset_m[cell];
            if !(0.0..BACK_M + 60.0).contains(&offset) {
                continue;
            }
            let (x, _) = lattice.centre(cell);
            let floor_m = river.along(strip.place[cell], |p| p.level_m);
            let terrace_m = floor_m + QUAY_RISE_M + TERRACE_SLOPE * (offset - QUAY_M);
            let share = ramp((x - self.x).abs(), HALF_LENGTH_M + 60.0, HALF_LENGTH_M)
                * ramp(offset, QUAY_M - 8.0, QUAY_M)
                * ramp(offset, BACK_M + 60.0, BACK_M);
            let ground = heights[cell];
            let is_slope = ramp(ground - terrace_m, 1.0, 5.0);
            heights[cell] += share * (1.0 - is_slope) * (terrace_m - ground);
            if share > 0.9 && is_slope < 0.2 {
                uses[cell] = Use::Open;
            }
        }
        self.settle(lattice, heights, &mut uses, seed);
        uses
    }

    /// Puts houses on the blocks between the streets, fewer towards the outskirts.
    fn settle(&self, lattice: &CellLattice, heights: &mut [f64], uses: &mut [Use], seed: u64) {
        let draws = Noise::new(seed, 8);
        let Some(market) = lattice.cell_at(self.x, self.y) else {
            return;
        };
        let (market_column, market_row) = (market % lattice.width, market / lattice.width);
        for number in 0..4 * BLOCKS.0 * BLOCKS.1 {
            let (block, corner) = (number / 4, number % 4);
            let (block_east, block_south) = (block % BLOCKS.0, block / BLOCKS.0);
            let column = (market_column + block_east * BLOCK.0 + corner % 2 * YARD.0)
                .checked_sub(BLOCKS.0 / 2 * BLOCK.0);
            let row = (market_row + block_south * BLOCK.1 + corner / 2 * YARD.1)
                .checked_sub(BLOCKS.1 / 2 * BLOCK.1);
            let (Some(column), Some(row)) = (column, row) else {
                continue;
            };
            if column + HOUSE.0 > lattice.width || row + HOUSE.1 > lattice.height {
                continue;
            }
            let is_square = (block_east, block_south) == (BLOCKS.0 / 2, BLOCKS.1 / 2);
            let is_church = is_square && corner == 0;
            let (x, y) = lattice.centre(row * lattice.width + column);
            let (dx, dy) = ((x - self.x) / HALF_LENGTH_M, (y - self.y) / 130.0);
            let outward = (dx * dx + dy * dy).sqrt();
            let is_built = draws.draw(2 * number as u64) > 0.15 + 0.6 * ramp(outward, 0.3, 1.0);
            let cells = (0..HOUSE.0 * HOUSE.1)
                .map(|i| (row + i / HOUSE.0) * lattice.width + column + i % HOUSE.0);
            let is_free = cells.clone().all(|cell| uses[cell] == Use::Open);
            if !is_free || is_square && !is_church || !is_church && !is_built {
                continue;
            }
            let storeys = 1.0 + (2.4 * draws.draw(2 * number as u64 + 1)).floor();
            for cell in cells {
                uses[cell] = Use::House;
                heights[cell] += if is_church { 16.0 } else { 2.5 + 2.5 * storeys };
            }
        }
    }
}
