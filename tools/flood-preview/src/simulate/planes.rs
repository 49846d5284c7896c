//! The engine's maps as planes of the whole grid: row-major, northernmost row first, NaN outside.
//!
//! The grid is that of the finest cells of the world. If these are simulated, planes are those of
//! the leaves; if coarser ones are, see [`downscaled`](super::downscaled).

use rayon::prelude::*;
use scenario::build::index_of;
use scenario::quantity::metres;
use thalweg::probe::LeafMaps;
use thalweg::units::OUTSIDE;
use thalweg::world::{CellPlace, FineMaps, FineTile, Ground, LeafView, NotKept, TileKey, World};

use super::downscaled;
use crate::outcome::WaterBelow;

/// The maps of a whole run.
#[derive(Debug)]
pub(super) struct Maps {
    pub bed_m: Vec<f32>,
    pub max_depth_m: Vec<f32>,
    pub max_speed_m_s: Vec<f32>,
    pub hazard_m2_s: Vec<f32>,
    pub arrival_s: Vec<f32>,
    pub duration_s: Vec<f32>,
}

/// A tile of the simulated level: beds and depths in vertical units, and its maps.
#[derive(Debug, Clone, Copy)]
pub(super) struct MappedTile<'a> {
    pub key: TileKey,
    pub ground: &'a Ground,
    pub depth: &'a [i32],
    pub maps: &'a LeafMaps,
}

/// Returns the maps on the simulated cells of a world that keeps all.
pub(super) fn fine(world: &World, wet_depth_m: f64) -> FineMaps {
    kept(FineMaps::new(world, wet_depth_m))
}

/// Returns a map of a world that keeps all maps.
pub(super) fn kept<T>(map: Result<T, NotKept>) -> T {
    map.expect("the world of a scenario keeps all flood maps")
}

impl MappedTile<'_> {
    /// Returns the cells of the tile inside the world.
    pub fn inside(&self) -> impl Iterator<Item = usize> {
        (0..).zip(&*self.ground.bed).filter(|(_, bed)| **bed != OUTSIDE).map(|(cell, _)| cell)
    }

    /// Returns the place of a cell.
    pub fn place(&self, cell: usize) -> CellPlace {
        self.key.place(cell)
    }
}

/// Returns all tiles of the simulated level: the leaves themselves, or the tiles in `fine`.
pub(super) fn tiles<'a>(world: &'a World, fine: Option<&'a FineMaps>) -> Vec<MappedTile<'a>> {
    if let Some(fine) = fine {
        let of_tile = |(tile, maps): (&'a FineTile, &'a LeafMaps)| MappedTile {
            key: tile.key(),
            ground: tile.ground(),
            depth: tile.depth(),
            maps,
        };
        return fine.tiles().iter().zip(fine.maps()).map(of_tile).collect();
    }
    let of_leaf = |leaf: LeafView<'a>| MappedTile {
        key: leaf.key(),
        ground: leaf.ground(),
        depth: leaf.depth(),
        maps: leaf.maps(),
    };
    world.leaves().iter().map(of_leaf).collect()
}

/// Reads all maps; cells count as wet from `wet_depth_m` on.
pub(super) fn maps(world: &World, fine: Option<&FineMaps>, wet_depth_m: f64) -> Maps {
    if downscaled::is_needed(world) {
        return downscaled::maps(world, fine, wet_depth_m);
    }
    let scale = world.scale();
    let plane = |value: &dyn Fn(&MappedTile<'_>, usize) -> f32| plane(world, fine, value);
    Maps {
        bed_m: plane(&|tile, cell| metres(scale.metres(tile.ground.bed[cell]))),
        max_depth_m: plane(&|tile, cell| metres(scale.depth_m(kept(tile.maps.depth_max())[cell]))),
        max_speed_m_s: plane(&|tile, cell| kept(tile.maps.speed_max())[cell]),
        hazard_m2_s: plane(&|tile, cell| kept(tile.maps.hazard_max())[cell]),
        arrival_s: plane(&|tile, cell| known(kept(tile.maps.arrival_s())[cell])),
        duration_s: plane(&|tile, cell| metres(kept(tile.maps.duration_s())[cell])),
    }
}

/// Returns a time of arrival; NaN if the water never arrived.
pub(super) fn known(arrival_s: f32) -> f32 {
    if arrival_s.is_finite() { arrival_s } else { f32::NAN }
}

/// Returns the depth now, m.
pub(super) fn depth_m(world: &World, fine: Option<&FineMaps>) -> Vec<f32> {
    if downscaled::is_needed(world) {
        return downscaled::depth_m(world, fine);
    }
    let scale = world.scale();
    plane(world, fine, &|tile, cell| metres(scale.depth_m(tile.depth[cell])))
}

/// Returns the highest water below the ground; `None` if no cell has an interval. Intervals are in
/// cells of the map, even if leaves are coarser.
pub(super) fn below(world: &World) -> Option<WaterBelow> {
    if world.stacks().count() == 0 || downscaled::is_needed(world) {
        return None;
    }
    let ((width, height), scale) = (world.size(), world.scale());
    let nothing = vec![f32::NAN; width * height];
    let mut below = WaterBelow { max_depth_m: nothing.clone(), max_stage_m: nothing };
    for leaf in world.leaves().iter() {
        for highest in kept(leaf.maps().below()).all() {
            let at = index_of(leaf.key().place(usize::from(highest.cell)), width, height);
            let depth_m = metres(scale.depth_m(highest.depth_max));
            if below.max_depth_m[at].is_nan() || depth_m > below.max_depth_m[at] {
                below.max_depth_m[at] = depth_m;
                below.max_stage_m[at] = metres(scale.metres(highest.surface_max));
            }
        }
    }
    Some(below)
}

/// Returns the area of the water that is at least `depth_m` deep at its deepest, m².
pub(super) fn wet_m2(world: &World, fine: Option<&FineMaps>, depth_m: f64) -> f64 {
    let units = world.scale().depth_units(depth_m).unwrap_or(1);
    let of_tile = |tile: &MappedTile<'_>| {
        if tile.ground.columns.is_none() {
            return count(tile.depth.iter().filter(|&&h| h >= units).count());
        }
        let wet = |(cell, &depth): (usize, &i32)| {
            let surface = tile.ground.surface(cell, depth);
            let is_wet = depth > 0 && surface.stage - tile.ground.dry_stage(cell) >= units;
            if is_wet { 1.0 / f64::from(surface.slope) } else { 0.0 }
        };
        tile.depth.iter().enumerate().map(wet).sum()
    };
    let cells: f64 = tiles(world, fine).par_iter().map(of_tile).sum();
    cells * world.cell_width_m() * world.cell_width_m()
}

#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
fn count(cells: usize) -> f64 {
    cells as f64
}

/// Walks tile by tile, because that is how the engine keeps its planes.
fn plane(
    world: &World,
    fine: Option<&FineMaps>,
    value: &dyn Fn(&MappedTile<'_>, usize) -> f32,
) -> Vec<f32> {
    let (width, height) = world.size();
    let mut plane = vec![f32::NAN; width * height];
    for tile in tiles(world, fine) {
        for cell in tile.inside() {
            plane[index_of(tile.place(cell), width, height)] = value(&tile, cell);
        }
    }
    plane
}
