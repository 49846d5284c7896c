//! Criteria for water that may be on coarser cells.
//!
//! Four coarse cells may take the place of a block of cells if they represent nearly the same: all
//! of it is wet and deep beside the relief of its bed, and its stages and velocities are alike. A
//! tile may be as coarse as all its blocks may. Shores, films and steep or fast water stay fine,
//! and so does dry ground: it sleeps, and a front never enters a coarse leaf. Tiles that a section
//! passes stay fine, so that no cell changes its side of the line.

use thalweg::criteria::{Criterion, LeafFacts, Request, Scale};
use thalweg::world::{FineMaps, FineTile, TILE_WIDTH, TileKey, World};

use rayon::prelude::*;
use std::collections::HashMap;

/// Depth of a block of two by two coarse cells, in its relief.
const RELIEFS: i64 = 2;

/// Difference of stage in such a block, in parts of its depth.
const STAGE_PARTS: i64 = 25;

/// Difference of velocity in such a block, in parts of the speed of waves there.
const SPEED_PART: f64 = 0.1;

/// Replaces the criteria for coarse water.
pub(super) fn renew(world: &mut World, fine: &FineMaps) {
    let smooth = Smooth::of(world, fine);
    if let Some(criteria) = world.criteria_mut() {
        // The first criterion is ours; the rest are the engine's, for inflows.
        criteria[0] = Box::new(smooth);
    }
}

/// Coarsest levels of each tile of the simulated level: at which its water may stay, and up to
/// which finer leaves are made coarser, by limits twice as tight.
#[derive(Debug, Clone)]
struct Smooth {
    may: HashMap<TileKey, [u8; 2]>,
}

impl Smooth {
    fn of(world: &World, fine: &FineMaps) -> Self {
        let unit_m = world.scale().unit_m();
        let steps = world.extent().coarsest() - world.extent().base();
        // All leaves begin on the base level, and these stay there.
        let passed = world.leaves().on_sections();
        let coarse = |tile: &FineTile| {
            if passed.contains(&tile.key()) {
                return None;
            }
            let may = coarsest(tile, steps, 1, unit_m);
            let welcome = if may == 0 { 0 } else { coarsest(tile, may, 2, unit_m) };
            (may > 0).then(|| (tile.key(), [may, welcome].map(|steps| tile.key().level + steps)))
        };
        Self { may: fine.tiles().par_iter().filter_map(coarse).collect() }
    }
}

impl Criterion for Smooth {
    fn request(&self, leaf: &LeafFacts, world: &Scale) -> Request {
        let (mut needs, mut keeps) = (world.coarsest(), world.coarsest());
        let steps = leaf.key.level - world.base();
        let count = 1_u32 << steps;
        let (columns, rows) = world.tiles(world.base());
        for y in leaf.key.y << steps..((leaf.key.y << steps) + count).min(rows) {
            for x in leaf.key.x << steps..((leaf.key.x << steps) + count).min(columns) {
                let key = TileKey { level: world.base(), x, y };
                let [may, welcome] = self.may.get(&key).copied().unwrap_or([key.level; 2]);
                (needs, keeps) = (needs.min(may), keeps.min(welcome));
            }
        }
        Request { needs, keeps, priority: 0.0 }
    }
}

/// Returns the number of levels, `most` at most, by which a tile may be coarser, with limits
/// `strict` times as tight.
fn coarsest(tile: &FineTile, most: u8, strict: i32, unit_m: f64) -> u8 {
    let may = |steps: u8| {
        let width = 2_usize << steps;
        let along = || (0..TILE_WIDTH).step_by(width);
        along().all(|y| along().all(|x| is_smooth(tile, y * TILE_WIDTH + x, width, strict, unit_m)))
    };
    (1..=most).take_while(|&steps| may(steps)).last().unwrap_or(0)
}

/// True if a block of cells may be four.
fn is_smooth(tile: &FineTile, first: usize, width: usize, strict: i32, unit_m: f64) -> bool {
    let (ground, strict_units) = (tile.ground(), i64::from(strict));
    let block = || FineTile::block(first, width);
    let depths = || block().map(|cell| tile.depth()[cell]);
    let least = depths().min().unwrap_or(0);
    if least == 0 || block().any(|cell| !ground.is_inside(cell)) {
        return false;
    }
    let surfaces = || block().map(|cell| ground.surface(cell, tile.depth()[cell]));
    // Sub-grid columns are like flat cells if water covers all of their ground.
    if surfaces().any(|surface| surface.slope > 1.0) {
        return false;
    }
    let stages = || surfaces().map(|surface| surface.stage);
    let range = i64::from(stages().max().unwrap_or(0) - stages().min().unwrap_or(0));
    let depth = i64::from(least);
    let is_deep = depth >= strict_units * RELIEFS * i64::from(tile.relief(first, width));
    let is_flat = strict_units * STAGE_PARTS * range <= depth;
    let spread = tile.velocity().into_iter().map(|plane| {
        let speeds = || block().map(|cell| plane[cell]);
        f64::from(speeds().fold(f32::MIN, f32::max) - speeds().fold(f32::MAX, f32::min))
    });
    let wave_m_s = (9.81 * f64::from(least) * unit_m).sqrt();
    let is_even = spread.fold(0.0, f64::max) * f64::from(strict) <= SPEED_PART * wave_m_s;
    is_deep && is_flat && is_even
}
