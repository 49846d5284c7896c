//! The first water of one leaf.
//!
//! ```text
//! depth of a cell = max(stage to volume, depth)
//! stage η:  sub-grid columns   as much as their table holds up to η
//!           flat ones          η − z on leaves that stay, and on the finest ones; on coarser
//!                              ones that will be split Σ max(η − z, 0) / 4^L over the beds z of L
//!                              levels below, 3 at most, as far as leaves go
//! ```
//!
//! If all beds of a flat coarse cell are under the stage, its stage is exactly this stage, as where
//! leaves [merge](thalweg_engine::tile::coarsen): its own bed is a rounded mean.
//!
//! Guarantees: leaves up to three levels coarser than the finest contain the water that leaves of
//!             the finest level would, within half a unit of depth in each cell, and as much for
//!             each level where the lake covers it (`tests/engine/first_water.rs`).
//! Limits:     if leaves are adaptive, the water over flat coarse cells at a shore is above the
//!             lake, and runs off into it in the first cycles; each such leaf reads up to 64 tiles.
//!             For leaves more than three levels coarser, means of the finest beds are used.

use crate::world::WorldError;
use crate::world::classes::CellClass;
use crate::world::site::WorldSite;
use thalweg_engine::forest::Coverage;
use thalweg_engine::grid::{TILE_CELLS, TILE_WIDTH, TileKey};
use thalweg_engine::tile::Ground;
use thalweg_engine::tile::halo_plane::PlaceIn;
use thalweg_engine::units::{CEILING, OUTSIDE};

/// Levels below a leaf whose beds are summed over: 64 tiles of them.
const LEVELS_BELOW: u8 = 3;

/// A leaf, and the requested first water of its world.
pub(super) struct LeafStart<'a> {
    /// Requested stage and depth, m.
    pub stage_m: Option<&'a CellClass<f64>>,
    pub depth_m: Option<&'a CellClass<f64>>,
    pub site: &'a WorldSite,
    pub key: TileKey,
    pub ground: &'a Ground,
    /// Leaves of the world will be split and merged.
    pub will_change: bool,
}

impl LeafStart<'_> {
    /// Puts the depths of all cells with ground into `depth`.
    ///
    /// # Errors
    ///
    /// [`WorldError::Stage`] and [`WorldError::Number`] for a stage or depth out of range.
    pub fn fill(self, depth: &mut [i32]) -> Result<(), WorldError> {
        let Self { stage_m, depth_m, site, key, ground, will_change } = self;
        let inside = || (0..TILE_CELLS).filter(|&cell| ground.is_inside(cell));
        if let Some(stage_m) = stage_m {
            let mut stages = vec![None; TILE_CELLS];
            for cell in inside() {
                stages[cell] = self.stage(stage_m(site.place(ground, key, cell)))?;
                depth[cell] = stages[cell].map_or(0, |stage| ground.holds(cell, stage));
            }
            if will_change && ground.columns.is_none() && key.level > site.base() {
                self.sum_over_beds(&stages, depth);
            }
        }
        if let Some(depth_m) = depth_m {
            for cell in inside() {
                let units = self.depth(depth_m(site.place(ground, key, cell)), cell)?;
                depth[cell] = depth[cell].max(ground.over_cell(cell, units));
            }
        }
        Ok(())
    }

    /// Converts a stage to vertical units; `None` if NaN leaves a cell dry.
    fn stage(&self, stage_m: f64) -> Result<Option<i32>, WorldError> {
        let scale = self.site.scale();
        let units = (!stage_m.is_nan()).then(|| scale.elevation(stage_m, scale.exponent()));
        units.transpose().map_err(|reason| {
            let name = "initial stage".to_owned();
            WorldError::Stage { name, reason }
        })
    }

    /// Converts a depth over a cell to vertical units, 0 for NaN.
    fn depth(&self, depth_m: f64, cell: usize) -> Result<i32, WorldError> {
        if depth_m.is_nan() {
            return Ok(0);
        }
        let room = CEILING - self.ground.bed[cell];
        let units = self.site.scale().depth_units(depth_m).filter(|&units| units <= room);
        units.ok_or(WorldError::Number {
            what: "an initial depth, in metres,",
            value: depth_m,
            range: "0 up to the world's ceiling",
        })
    }

    /// Gives flat coarse cells with a stage the water over the beds below them.
    fn sum_over_beds(&self, stages: &[Option<i32>], depth: &mut [i32]) {
        let Self { site, key, ground, .. } = *self;
        if stages.iter().all(Option::is_none) {
            return;
        }
        let levels = LEVELS_BELOW.min(key.level - site.base());
        let (mut sums, mut are_covered) = ([0_i64; TILE_CELLS], [true; TILE_CELLS]);
        for tile in tiles_below(key, levels) {
            if site.cover(tile) == Coverage::Outside {
                continue;
            }
            let (beds, place) = (site.beds(tile), PlaceIn::of(tile, key));
            for (below, &bed) in beds.iter().enumerate().filter(|(_, bed)| **bed != OUTSIDE) {
                let cell = place.cell(below % TILE_WIDTH, below / TILE_WIDTH);
                let Some(stage) = stages[cell] else { continue };
                sums[cell] += i64::from(stage.saturating_sub(bed).max(0));
                are_covered[cell] &= stage >= bed;
            }
        }
        let count = 1_i64 << (2 * levels);
        for (cell, stage) in stages.iter().enumerate() {
            let Some(stage) = stage else { continue };
            // Half a unit is rounded up, as in the means of beds.
            let mean = (2 * sums[cell] + count) / (2 * count);
            depth[cell] = match are_covered[cell] {
                true => stage - ground.bed[cell],
                false => i32::try_from(mean).expect("no more than the deepest"),
            };
        }
    }
}

/// Returns the tiles `levels` levels below a tile, inside it.
fn tiles_below(key: TileKey, levels: u8) -> impl Iterator<Item = TileKey> {
    let (level, width) = (key.level - levels, 1_u32 << levels);
    let [west, south] = [key.x, key.y].map(|tile| tile << levels);
    let at = move |i: u32| TileKey { level, x: west + i % width, y: south + i / width };
    (0..width * width).map(at)
}
