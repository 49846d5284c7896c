//! Leaves that may become coarser.

use thalweg::criteria::{Criterion, LeafFacts, Request, Scale};
use thalweg::terrain::Terrain;
use thalweg::units::OUTSIDE;
use thalweg::world::{AdaptiveOptions, TILE_WIDTH, TileKey, WorldBuilder, WorldError};

/// Cycles between two checks of which water may be coarse.
pub const CYCLES_BETWEEN_LOOKS: u64 = 4;

/// Number of levels by which leaves may be coarser than the simulated one.
const STEPS: u8 = 3;

/// Criterion that keeps all leaves on the simulated level, until another criterion replaces it.
#[derive(Debug, Clone)]
struct Finest;

impl Criterion for Finest {
    fn request(&self, _: &LeafFacts, world: &Scale) -> Request {
        Request { needs: world.base(), keeps: world.base(), priority: 0.0 }
    }
}

/// Returns all tiles of a level that contain ground.
pub(super) fn leaves(terrain: &Terrain, level: u8) -> Vec<TileKey> {
    let Some(beds) = terrain.level(level) else { return Vec::new() };
    let count = |cells: usize| u32::try_from(cells.div_ceil(TILE_WIDTH)).unwrap_or(u32::MAX);
    let (columns, rows) = (count(beds.width()), count(beds.height()));
    let keys = (0..rows).flat_map(|y| (0..columns).map(move |x| TileKey { level, x, y }));
    let has_ground = |key: &TileKey| {
        let (west, south) = (key.x as usize * TILE_WIDTH, key.y as usize * TILE_WIDTH);
        let columns = west..(west + TILE_WIDTH).min(beds.width());
        (south..(south + TILE_WIDTH).min(beds.height()))
            .any(|y| columns.clone().any(|x| beds.ground_bed(x, y) != OUTSIDE))
    };
    keys.filter(has_ground).collect()
}

/// Allows leaves of `builder` to become coarser; all begin on the simulated level.
pub(super) fn allow(
    builder: WorldBuilder,
    level: u8,
    leaves: Vec<TileKey>,
) -> Result<WorldBuilder, WorldError> {
    let coarsest = level + STEPS.min(Terrain::LEVELS - 1 - level);
    let options = AdaptiveOptions {
        coarsest,
        budget_cells: u64::MAX,
        interval_cycles: u32::try_from(CYCLES_BETWEEN_LOOKS).unwrap_or(1),
        min_age_cycles: 16,
        ahead_cycles: 0,
        leaves_a_cycle: u32::MAX,
        criteria: vec![Box::new(Finest)],
    };
    Ok(builder.adaptive(options).leaves(leaves))
}
