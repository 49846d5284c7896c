//! A cell of a halo that represents finer ones.

use crate::grid::TILE_WIDTH;
use crate::tile::{Ground, Water};
use crate::units::OUTSIDE;

/// A cell of a halo.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HaloCell {
    /// Index in the padded planes.
    pub at: usize,
    /// Bed, vertical units.
    pub bed: i32,
    /// Depth, vertical units.
    pub depth: i32,
    /// Stage, vertical units above the datum.
    pub stage: i32,
    /// Unit discharge over the west face, m²/s.
    pub flow_x: f32,
    /// Unit discharge over the south face, m²/s.
    pub flow_y: f32,
    /// Class of Manning's n.
    pub class: u8,
}

impl HaloCell {
    /// Creates a cell outside the world.
    #[must_use]
    pub fn outside(at: usize) -> Self {
        Self { at, bed: OUTSIDE, depth: 0, stage: OUTSIDE, flow_x: 0.0, flow_y: 0.0, class: 0 }
    }
}

/// Returns the four fine cells from the south-west one `cell` on as one coarse cell of a halo: at
/// their stage if all are wet, else of their mean depth; cells outside the world do not count. The
/// class is that of the north-eastern cell, as for coarse cells.
#[must_use]
pub fn restricted(ground: &Ground, water: &Water, cell: usize, at: usize) -> HaloCell {
    let cells = [cell, cell + 1, cell + TILE_WIDTH, cell + TILE_WIDTH + 1];
    let flow_x = 0.5 * (water.flow_x[cell] + water.flow_x[cell + TILE_WIDTH]);
    let flow_y = 0.5 * (water.flow_y[cell] + water.flow_y[cell + 1]);
    let class = ground.roughness.as_ref().map_or(0, |classes| classes[cells[3]]);
    let inside = || cells.into_iter().filter(|&cell| ground.is_inside(cell));
    let count = inside().count();
    if count == 0 {
        return HaloCell { flow_x, flow_y, class, ..HaloCell::outside(at) };
    }
    let mean = |sum: i64| i32::try_from((sum + 2).div_euclid(4)).expect("a mean of four i32");
    let beds: i64 = cells.iter().map(|&cell| i64::from(ground.bed[cell])).sum();
    let depths: i64 = cells.iter().map(|&cell| i64::from(water.depth[cell])).sum();
    let bed = mean(beds);
    let is_covered = cells.iter().all(|&cell| water.depth[cell] > 0);
    // `mean` rounds half up; of a sum less 2 it rounds down, so that no depth exceeds the water
    // there.
    let depth = if is_covered { (mean(beds + depths) - bed).max(0) } else { mean(depths - 2) };
    if ground.columns.is_none() && count == 4 {
        return HaloCell { at, bed, depth, stage: bed + depth, flow_x, flow_y, class };
    }
    // The stage of columns with tables is the mean of the wet ones, or else their lowest bed.
    let (mut stages, mut wet, mut lowest) = (0, 0, i32::MAX);
    for (stage, depth) in
        inside().map(|cell| (ground.stage(cell, water.depth[cell]), water.depth[cell]))
    {
        lowest = lowest.min(stage);
        if depth > 0 {
            (stages, wet) = (stages + i64::from(stage), wet + 1);
        }
    }
    let stage = match wet {
        0 => lowest,
        _ => i32::try_from((2 * stages + wet).div_euclid(2 * wet)).expect("a mean of four i32"),
    };
    HaloCell { at, bed: stage - depth, depth, stage, flow_x, flow_y, class }
}
