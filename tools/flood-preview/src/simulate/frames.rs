//! Frames of the report: the depth at one moment, drawn at the size of the display.
//!
//! Cells under water are drawn tile by tile, on all threads, into the pixels that they cover; dry
//! ground is not visited. Finest cells below coarse ones are drawn as
//! [`downscaled`](super::downscaled) maps show them, if that can be seen: if a coarse cell is wider
//! than a pixel, and its water deep enough to be painted. Elsewhere the water is level in its cell.

use rayon::prelude::*;
use scenario::plan::Plan;
use scenario::quantity::metres;
use thalweg::probe::Query;
use thalweg::units::VerticalScale;
use thalweg::world::{FineMaps, TILE_WIDTH, World};

use super::downscaled;
use super::planes::{MappedTile, tiles};
use crate::outcome::{DepthFrame, FramePatch, FrameShape};
use crate::output::scale::ColourScale;

/// Depth from which finest cells are drawn as the maps show them, in parts of the depth from which
/// they are painted: joined to its neighbours, a film may be deeper at one side of its coarse cell.
const JOINED_FROM: f64 = 0.5;

/// Pixels of the frames of a plan; `None` if it keeps none. `plane` is NaN outside the world.
pub(super) fn shape(plan: &Plan, plane: &[f32]) -> Option<FrameShape> {
    let wet_depth_m = metres(plan.output.wet_depth_m);
    let limits_m = ColourScale::depth(&plan.output.depth_classes_m, wet_depth_m).limits();
    (plan.output.frames > 0).then(|| FrameShape::new(plan.map.size(), plane, limits_m))
}

/// Returns the frame of the present moment.
pub(super) fn frame(world: &World, fine: Option<&FineMaps>, shape: &FrameShape) -> DepthFrame {
    let drawing = Drawing {
        shape,
        query: downscaled::present(world, fine),
        scale: world.scale(),
        size: downscaled::size(world),
    };
    let tiles = tiles(world, fine);
    let patches: Vec<FramePatch> = tiles.par_iter().filter_map(|tile| drawing.tile(tile)).collect();
    shape.frame(world.time().seconds(), patches)
}

/// A frame that is drawn.
struct Drawing<'a> {
    shape: &'a FrameShape,
    query: Query<'a>,
    scale: VerticalScale,
    /// Columns and rows of the finest cells.
    size: (usize, usize),
}

impl Drawing<'_> {
    /// Returns the pixels of a tile; `None` if it is dry.
    fn tile(&self, tile: &MappedTile<'_>) -> Option<FramePatch> {
        if tile.depth.iter().all(|depth| *depth == 0) {
            return None;
        }
        let ((width, height), level) = (self.size, tile.key.level);
        let [west, south] = tile.key.corner().indices().map(|at| at << level);
        let side = TILE_WIDTH << level;
        let (east, north) = ((west + side).min(width), (south + side).min(height));
        let mut patch = self.shape.patch(west..east, height - north..height - south);
        let depth_m = |units: i32| metres(self.scale.depth_m(units));
        if level == 0 {
            for (cell, &depth) in tile.depth.iter().enumerate().filter(|(_, depth)| **depth > 0) {
                let (x, y) = (west + cell % TILE_WIDTH, south + cell / TILE_WIDTH);
                patch.add(x, height - 1 - y, depth_m(depth));
            }
            return Some(patch);
        }
        let cells = 1_usize << level;
        let joined_from = match self.shape.factor() < cells {
            true => self.scale.depth_units(JOINED_FROM * f64::from(self.shape.first_m())),
            // In a pixel as large as a coarse cell the slope of its surface is invisible.
            false => Some(i32::MAX),
        };
        self.query.depths_below(tile.key, joined_from.unwrap_or(1), |cell, depths| {
            let corner = [cell % TILE_WIDTH, cell / TILE_WIDTH].map(|at| at << level);
            for (at, &depth) in depths.iter().enumerate().filter(|(_, depth)| **depth > 0) {
                let (x, y) = (west + corner[0] + at % cells, south + corner[1] + at / cells);
                if x < width && y < height {
                    patch.add(x, height - 1 - y, depth_m(depth));
                }
            }
        });
        Some(patch)
    }
}
