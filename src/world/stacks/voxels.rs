//! Grids of voxels: rock and air by cell and layer.

use crate::world::stacks::rock::RockError;
use crate::world::stacks::steps::{GROUND_MOST, check_area};
use crate::world::stacks::voids::Voids;
use thalweg_engine::grid::cells::CellPlace;
use thalweg_engine::terrain::Terrain;

/// Place of a grid of voxels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VoxelFrame {
    /// South-west cell, of the simulated level; each cell has one column of voxels.
    pub low: CellPlace,
    /// Columns, rows and layers.
    pub size: [u32; 3],
    /// Height of the floor, m; everything below it is rock.
    pub floor_m: f64,
    /// Height of a voxel, m.
    pub voxel_m: f64,
}

impl VoxelFrame {
    /// Returns the height of the lower side of a layer, m.
    #[must_use]
    pub fn height_m(&self, layer: u32) -> f64 {
        self.floor_m + self.voxel_m * f64::from(layer)
    }

    pub(super) fn check(&self) -> Result<(), RockError> {
        let Self { low, size, floor_m, voxel_m } = *self;
        let is_within =
            low.x.checked_add(size[0]).is_some() && low.y.checked_add(size[1]).is_some();
        let top_m = floor_m + voxel_m * f64::from(size[2]);
        if size.contains(&0) || !is_within || !(voxel_m > 0.0 && top_m.is_finite()) {
            return Err(RockError::Grid { size, floor_m, voxel_m });
        }
        check_area(f64::from(size[0]) * f64::from(size[1]), GROUND_MOST)
    }
}

/// Rock and air by cell and layer, as runs of air.
///
/// The ground of a cell is the top of its highest rock; air below that becomes intervals.
///
/// # Examples
///
/// ```
/// use thalweg::prelude::*;
/// // Rock up to 6 m, with a cave of 10 × 10 × 3 voxels and a shaft that leads down to it.
/// let low = CellPlace { x: 0, y: 0 };
/// let frame = VoxelFrame { low, size: [32, 32, 16], floor_m: 0.0, voxel_m: 0.5 };
/// let is_cave = |x, y, z| (10..20).contains(&x) && (10..20).contains(&y) && (2..5).contains(&z);
/// let is_shaft = |x, y, z| x == 9 && y == 15 && z >= 2;
/// let rock = |x, y, z| z < 12 && !is_cave(x, y, z) && !is_shaft(x, y, z);
/// let grid = VoxelGrid::from_fn(frame, rock)?;
/// assert_eq!(grid.ground_m(CellPlace { x: 12, y: 12 }), Some(6.0));
/// assert_eq!(grid.ground_m(CellPlace { x: 9, y: 15 }), Some(1.0));
/// let world = WorldBuilder::new(grid.terrain(1.0)?).voids(grid.voids());
/// let mut world = world.initial_depth(|place| if place.x < 4 { 1.0 } else { 0.0 }).build()?;
/// world.run_until(SimTime::from_seconds(120.0));
/// assert!(world.stacks().volume_m3() > 5.0, "water runs down the shaft into the cave");
/// # Ok::<(), thalweg::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct VoxelGrid {
    frame: VoxelFrame,
    /// Index of the first run of each cell, row by row, and the total number of runs.
    first: Vec<usize>,
    /// Runs of air, from the lowest to the highest: the first layer, and the first above.
    runs: Vec<[u32; 2]>,
}

impl VoxelGrid {
    /// Creates a grid from a function that returns true for rock, by column, row and layer.
    ///
    /// # Errors
    ///
    /// [`RockError::Grid`] if the frame is invalid.
    pub fn from_fn(
        frame: VoxelFrame,
        is_rock: impl Fn(u32, u32, u32) -> bool,
    ) -> Result<Self, RockError> {
        let layers = frame.size[2];
        Self::from_runs(frame, |x, y| {
            let mut runs: Vec<[u32; 2]> = Vec::new();
            for z in (0..layers).filter(|&z| !is_rock(x, y, z)) {
                match runs.last_mut().filter(|run| run[1] == z) {
                    Some(run) => run[1] = z + 1,
                    None => runs.push([z, z + 1]),
                }
            }
            runs
        })
    }

    /// Creates a grid from an array: x fastest, then y, then z; a number other than 0 is rock.
    ///
    /// # Errors
    ///
    /// [`RockError::Count`] if the array does not have one number for each voxel,
    /// [`RockError::Grid`] if the frame is invalid.
    pub fn from_slice(frame: VoxelFrame, rock: &[u8]) -> Result<Self, RockError> {
        frame.check()?;
        let size @ [width, height, layers] = frame.size.map(|size| size as usize);
        let count = width.checked_mul(height).and_then(|area| area.checked_mul(layers));
        if count != Some(rock.len()) {
            return Err(RockError::Count { found: rock.len(), size: frame.size });
        }
        let at =
            |x: u32, y: u32, z: u32| (z as usize * size[1] + y as usize) * size[0] + x as usize;
        Self::from_fn(frame, |x, y, z| rock[at(x, y, z)] != 0)
    }

    /// Creates a grid from the runs of air of each column and row: from the lowest to the highest,
    /// each from its first layer to the first above it, with rock between.
    ///
    /// # Errors
    ///
    /// [`RockError::Run`] names the first invalid run, [`RockError::Grid`] an invalid frame.
    pub fn from_runs<R: IntoIterator<Item = [u32; 2]>>(
        frame: VoxelFrame,
        mut runs_of: impl FnMut(u32, u32) -> R,
    ) -> Result<Self, RockError> {
        frame.check()?;
        let [width, height, layers] = frame.size;
        let (mut first, mut runs) = (vec![0], Vec::new());
        for (x, y) in (0..height).flat_map(|y| (0..width).map(move |x| (x, y))) {
            let mut from = 0;
            for run in runs_of(x, y) {
                if run[0] < from || run[0] >= run[1] || run[1] > layers {
                    let place = CellPlace { x: frame.low.x + x, y: frame.low.y + y };
                    return Err(RockError::Run { place, run, from, layers });
                }
                runs.push(run);
                // Without a layer of rock between them, two runs would be one.
                from = run[1].saturating_add(1);
            }
            first.push(runs.len());
        }
        runs.shrink_to_fit();
        Ok(Self { frame, first, runs })
    }

    /// Returns the place of the grid.
    #[must_use]
    pub fn frame(&self) -> VoxelFrame {
        self.frame
    }

    /// Returns the runs of air of a cell, from the lowest to the highest: the first layer, and the
    /// first above it. The last one reaches up to the number of layers if the cell is open to the
    /// sky. Empty outside the grid.
    #[must_use]
    pub fn runs(&self, place: CellPlace) -> &[[u32; 2]] {
        self.index(place).map_or(&[], |index| &self.runs[self.first[index]..self.first[index + 1]])
    }

    /// Returns the top of the highest rock of a cell, m: the floor if it has none. `None` outside
    /// the grid.
    #[must_use]
    pub fn ground_m(&self, place: CellPlace) -> Option<f64> {
        self.index(place)?;
        Some(self.height_m(self.ground_layer(place)))
    }

    /// Returns the height of the lower side of a layer, m.
    #[must_use]
    pub fn height_m(&self, layer: u32) -> f64 {
        self.frame.height_m(layer)
    }

    /// Returns a terrain of the grounds of a grid that covers a whole map.
    ///
    /// # Errors
    ///
    /// [`RockError::Corner`] if it does not begin at cell 0, 0; [`RockError::Terrain`] if its
    /// heights make no valid terrain.
    pub fn terrain(&self, cell_width_m: f64) -> Result<Terrain, RockError> {
        let VoxelFrame { low, size: [width, height, _], .. } = self.frame;
        if low != (CellPlace { x: 0, y: 0 }) {
            return Err(RockError::Corner { low });
        }
        let ground_m = |x: usize, y: usize| {
            let place = [x, y].map(|at| u32::try_from(at).expect("within the grid"));
            self.ground_m(place.into()).expect("within the grid")
        };
        let map = ([width as usize, height as usize], cell_width_m);
        let terrain = Terrain::from_heights_over(self.frame.floor_m, map, ground_m);
        terrain.map_err(RockError::Terrain)
    }

    /// Returns the air below the ground, as carved parts.
    #[must_use]
    pub fn voids(&self) -> Voids {
        let [width, height, layers] = self.frame.size;
        let low = self.frame.low;
        let places = (0..height).flat_map(|y| (0..width).map(move |x| [x + low.x, y + low.y]));
        let closed = places.flat_map(|place| {
            let runs = self.runs(place.into()).iter().filter(|run| run[1] < layers);
            runs.map(move |&run| (place.into(), run.map(|layer| self.height_m(layer))))
        });
        closed.collect()
    }

    fn index(&self, place: CellPlace) -> Option<usize> {
        let VoxelFrame { low, size: [width, height, _], .. } = self.frame;
        let x = place.x.checked_sub(low.x).filter(|&x| x < width)?;
        let y = place.y.checked_sub(low.y).filter(|&y| y < height)?;
        Some(y as usize * width as usize + x as usize)
    }

    /// Returns the first layer above the highest rock of a cell.
    fn ground_layer(&self, place: CellPlace) -> u32 {
        let layers = self.frame.size[2];
        self.runs(place).last().filter(|run| run[1] == layers).map_or(layers, |run| run[0])
    }
}
