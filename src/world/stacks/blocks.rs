//! A world as a game of voxels has it: fills, digging and placing.

use crate::grid::cells::CellPlace;
use crate::terrain::Shape;
use crate::world::stacks::VoxelFrame;
use crate::world::{Action, World};

/// Fill of a voxel that is full of water.
const FULL: f64 = 15.0;

/// A world by voxels: [`World::voxels`].
#[derive(Debug, Clone, Copy)]
pub struct VoxelView<'a> {
    world: &'a World,
    frame: VoxelFrame,
}

impl World {
    /// The water by voxels of a frame, and actions upon them, for games that have their ground in
    /// voxels.
    ///
    /// # Examples
    ///
    /// ```
    /// use thalweg::prelude::*;
    /// let low = CellPlace { x: 0, y: 0 };
    /// let frame = VoxelFrame { low, size: [16, 16, 8], floor_m: 0.0, voxel_m: 1.0 };
    /// // Rock of four layers, and a pit full of water.
    /// let grid = VoxelGrid::from_fn(frame, |x, y, z| z < 4 && (x, y) != (3, 3))?;
    /// let wet = |place| if place == CellPlace { x: 3, y: 3 } { 2.5 } else { 0.0 };
    /// let world = WorldBuilder::new(grid.terrain(1.0)?).voids(grid.voids());
    /// let mut world = world.initial_depth(wet).build()?;
    /// assert_eq!(world.voxels(frame).fills([3, 3, 0], [1, 1, 4]), [15, 15, 8, 0]);
    /// // A room in the rock beside it, of one voxel.
    /// let dig = world.voxels(frame).dig([4, 3, 0], [1; 3]);
    /// world.edits().act(dig)?;
    /// world.run_until(SimTime::from_seconds(60.0));
    /// assert_eq!(world.voxels(frame).fills([3, 3, 0], [2, 1, 2]), [15, 15, 8, 0]);
    /// # Ok::<(), thalweg::Error>(())
    /// ```
    #[must_use]
    pub fn voxels(&self, frame: VoxelFrame) -> VoxelView<'_> {
        VoxelView { world: self, frame }
    }
}

impl VoxelView<'_> {
    /// Fill of each voxel of a block of so many columns, rows and layers from its south-west lowest
    /// one: x fastest, then y, then z. 0 is dry and 15 is full, rounded; rock is 0, and so are
    /// voxels outside the world.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 15")]
    pub fn fills(self, low: [u32; 3], [width, height, layers]: [u32; 3]) -> Vec<u8> {
        let area = width as usize * height as usize;
        let mut fills = vec![0; area * layers as usize];
        for (at, (y, x)) in (0..height).flat_map(|y| (0..width).map(move |x| (y, x))).enumerate() {
            let place = self.cell([low[0] + x, low[1] + y]);
            let spans = self.water_at(place);
            for z in 0..layers {
                let [bed, top] = [z, z + 1].map(|z| self.frame.height_m(low[2] + z));
                let wet = |&[from, to]: &[f64; 2]| (to.min(top) - from.max(bed)).max(0.0);
                let part = spans.iter().map(wet).sum::<f64>() / (top - bed);
                fills[z as usize * area + at] = (FULL * part.min(1.0)).round() as u8;
            }
        }
        fills
    }

    /// Takes the rock out of a block of so many voxels from its south-west lowest one.
    #[must_use]
    pub fn dig(self, low: [u32; 3], size: [u32; 3]) -> Action {
        let (area, span_m) = self.block(low, size);
        Action::CarveBelow { area, span_m }
    }

    /// Puts rock into a block of so many voxels from its south-west lowest one.
    #[must_use]
    pub fn place(self, low: [u32; 3], size: [u32; 3]) -> Action {
        let (area, span_m) = self.block(low, size);
        Action::FillBelow { area, span_m }
    }

    /// Lowest and highest place of each water of a cell, m.
    fn water_at(self, place: CellPlace) -> Vec<[f64; 2]> {
        let below = self.world.stacks().intervals_at(place);
        let mut spans: Vec<[f64; 2]> =
            below.iter().map(|own| [own.bed_m, own.bed_m + own.depth_m]).collect();
        let water = self.world.water();
        let open = water.stage_m(place).zip(water.depth_m(place));
        spans.extend(open.map(|(stage, depth)| [stage - depth, stage]));
        spans
    }

    fn block(self, low: [u32; 3], size: [u32; 3]) -> (Shape, [f64; 2]) {
        let width = self.world.cell_width_m();
        let corner = |x: u32, y: u32| {
            let CellPlace { x, y } = self.cell([x, y]);
            [f64::from(x) * width, f64::from(y) * width]
        };
        let high = [0, 1].map(|axis| low[axis] + size[axis]);
        let area = Shape::rectangle(corner(low[0], low[1]), corner(high[0], high[1]));
        (area, [low[2], low[2] + size[2]].map(|layer| self.frame.height_m(layer)))
    }

    fn cell(self, [x, y]: [u32; 2]) -> CellPlace {
        CellPlace { x: self.frame.low.x + x, y: self.frame.low.y + y }
    }
}
