//! A world as a game of voxels sees it: fills, digging and placing.

use crate::world::stacks::{RockError, VoxelFrame};
use crate::world::{Action, World};
use thalweg_engine::grid::cells::CellPlace;
use thalweg_engine::terrain::Shape;

/// Fill of a voxel that is full of water.
const FULL: f64 = 15.0;

/// A world by voxels: [`World::voxels`].
#[derive(Debug, Clone, Copy)]
pub struct VoxelView<'a> {
    world: &'a World,
    frame: VoxelFrame,
}

impl World {
    /// Returns the water by voxels of a frame, and actions upon them, for games whose ground
    /// consists of voxels.
    ///
    /// # Examples
    ///
    /// ```
    /// use thalweg::prelude::*;
    /// let low = CellPlace { x: 0, y: 0 };
    /// let frame = VoxelFrame { low, size: [16, 16, 8], floor_m: 0.0, voxel_m: 1.0 };
    /// // Rock of four layers, and a pit full of water.
    /// let grid = VoxelGrid::from_fn(frame, |x, y, z| z < 4 && (x, y) != (3, 3))?;
    /// let wet = |place: CellPlace| if (place.x, place.y) == (3, 3) { 2.5 } else { 0.0 };
    /// let world = WorldBuilder::new(grid.terrain(1.0)?).voids(grid.voids());
    /// let mut world = world.initial_depth(wet).build()?;
    /// assert_eq!(world.voxels(frame).fills([3, 3, 0], [1, 1, 4])?, [15, 15, 8, 0]);
    /// // A room in the rock beside it, of one voxel.
    /// let dig = world.voxels(frame).dig([4, 3, 0], [1; 3])?;
    /// world.edits().act(dig)?;
    /// world.run_until(SimTime::from_seconds(60.0));
    /// assert_eq!(world.voxels(frame).fills([3, 3, 0], [2, 1, 2])?, [15, 15, 8, 0]);
    /// # Ok::<(), thalweg::Error>(())
    /// ```
    #[must_use]
    pub fn voxels(&self, frame: VoxelFrame) -> VoxelView<'_> {
        VoxelView { world: self, frame }
    }
}

impl VoxelView<'_> {
    /// Returns the fill of each voxel of a block of `size` columns, rows and layers from its lowest
    /// south-west voxel: x fastest, then y, then z. 0 is dry and 15 is full, rounded; rock is 0,
    /// and so are voxels outside the world.
    ///
    /// # Errors
    ///
    /// [`RockError::Block`] if the block is not within the frame, [`RockError::Grid`] if the frame
    /// is invalid.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 15")]
    pub fn fills(self, low: [u32; 3], size: [u32; 3]) -> Result<Vec<u8>, RockError> {
        let (places, heights_m) = self.block(low, size)?;
        let area = places.len();
        let mut fills = vec![0; area * size[2] as usize];
        for (at, place) in places.into_iter().enumerate() {
            let spans = self.water_at(place);
            for (z, bounds) in heights_m.windows(2).enumerate() {
                let wet =
                    |&[from, to]: &[f64; 2]| (to.min(bounds[1]) - from.max(bounds[0])).max(0.0);
                let part = spans.iter().map(wet).sum::<f64>() / (bounds[1] - bounds[0]);
                fills[z * area + at] = (FULL * part.min(1.0)).round() as u8;
            }
        }
        Ok(fills)
    }

    /// Returns the action that removes the rock of a block of `size` voxels from its lowest
    /// south-west one.
    ///
    /// # Errors
    ///
    /// The errors of [`VoxelView::fills`].
    pub fn dig(self, low: [u32; 3], size: [u32; 3]) -> Result<Action, RockError> {
        let (area, span_m) = self.work(low, size)?;
        Ok(Action::CarveBelow { area, span_m })
    }

    /// Returns the action that fills a block of `size` voxels from its lowest south-west one with
    /// rock.
    ///
    /// # Errors
    ///
    /// The errors of [`VoxelView::fills`].
    pub fn place(self, low: [u32; 3], size: [u32; 3]) -> Result<Action, RockError> {
        let (area, span_m) = self.work(low, size)?;
        Ok(Action::FillBelow { area, span_m })
    }

    /// Returns the lowest and the highest place of each water of a cell, m.
    fn water_at(self, place: CellPlace) -> Vec<[f64; 2]> {
        let below = self.world.stacks().intervals_at(place);
        let mut spans: Vec<[f64; 2]> =
            below.iter().map(|own| [own.bed_m, own.bed_m + own.depth_m]).collect();
        let water = self.world.water();
        let open = water.stage_m(place).zip(water.depth_m(place));
        spans.extend(open.map(|(stage, depth)| [stage - depth, stage]));
        spans
    }

    /// Returns the cells of a block, row by row, and the heights between its layers, m.
    fn block(self, low: [u32; 3], size: [u32; 3]) -> Result<(Vec<CellPlace>, Vec<f64>), RockError> {
        self.frame.check()?;
        let all = self.frame.size;
        let is_within = |axis: usize| {
            size[axis] > 0 && low[axis].checked_add(size[axis]).is_some_and(|end| end <= all[axis])
        };
        if !(0..3).all(is_within) {
            return Err(RockError::Block { low, size, frame: all });
        }
        let corner = self.frame.low;
        let rows = low[1]..low[1] + size[1];
        let columns = low[0]..low[0] + size[0];
        let places = rows.flat_map(|y| columns.clone().map(move |x| (x, y)));
        let places = places.map(|(x, y)| CellPlace { x: corner.x + x, y: corner.y + y });
        let layers = low[2]..=low[2] + size[2];
        Ok((places.collect(), layers.map(|layer| self.frame.height_m(layer)).collect()))
    }

    /// Returns the area of a block, and its lowest and highest place, m.
    fn work(self, low: [u32; 3], size: [u32; 3]) -> Result<(Shape, [f64; 2]), RockError> {
        let (places, heights_m) = self.block(low, size)?;
        let width = self.world.cell_width_m();
        let edge = |place: &CellPlace, beyond: f64| {
            [place.x, place.y].map(|at| (f64::from(at) + beyond) * width)
        };
        let (first, last) = (places.first(), places.last());
        let (first, last) = first.zip(last).expect("a block of one voxel at least");
        let area = Shape::rectangle(edge(first, 0.0), edge(last, 1.0));
        Ok((area, [heights_m[0], heights_m[heights_m.len() - 1]]))
    }
}
