//! The engine's maps as planes of the whole grid: row-major, northernmost row first, NaN outside.

use rayon::prelude::*;
use thalweg::grid::TileKey;
use thalweg::grid::cells::{CellPlace, column_row};
use thalweg::probe::LeafMaps;
use thalweg::units::OUTSIDE;
use thalweg::world::World;

use super::fine::FineMaps;
use super::ground::index_of;
use super::metres;

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
pub(super) struct Tile<'a> {
    pub key: TileKey,
    pub bed: &'a [i32],
    pub depth: &'a [i32],
    pub maps: &'a LeafMaps,
}

impl Tile<'_> {
    /// Its cells inside the world.
    pub fn inside(&self) -> impl Iterator<Item = usize> {
        (0..).zip(self.bed).filter(|(_, bed)| **bed != OUTSIDE).map(|(cell, _)| cell)
    }

    /// Where a cell lies.
    pub fn place(&self, cell: usize) -> CellPlace {
        place(self.key, cell)
    }
}

/// Where a cell of a tile lies among the cells of its level.
pub(super) fn place(key: TileKey, cell: usize) -> CellPlace {
    let (corner, (column, row)) = (key.corner(), column_row(cell));
    CellPlace { x: corner.x + column, y: corner.y + row }
}

/// All tiles of the simulated level: the leaves themselves, or those that `fine` keeps.
fn tiles<'a>(world: &'a World, fine: Option<&'a FineMaps>) -> Vec<Tile<'a>> {
    if let Some(fine) = fine {
        return fine.tiles().collect();
    }
    let simulation = world.simulation();
    let of_leaf = |(leaf, &key): (usize, &TileKey)| {
        let bed = &*simulation.ground(leaf).bed;
        let first = bed.iter().position(|&bed| bed != OUTSIDE)?;
        let (maps, _) = world.maps_at(place(key, first))?;
        Some(Tile { key, bed, depth: &simulation.water(leaf).depth, maps })
    };
    simulation.forest().leaves().iter().enumerate().filter_map(of_leaf).collect()
}

/// Reads all maps.
pub(super) fn maps(world: &World, fine: Option<&FineMaps>) -> Maps {
    let scale = world.scale();
    let plane = |value: &dyn Fn(&Tile<'_>, usize) -> f32| plane(world, fine, value);
    Maps {
        bed_m: plane(&|tile, cell| metres(scale.metres(tile.bed[cell]))),
        max_depth_m: plane(&|tile, cell| metres(scale.depth_m(tile.maps.depth_max[cell]))),
        max_speed_m_s: plane(&|tile, cell| tile.maps.speed_max[cell]),
        hazard_m2_s: plane(&|tile, cell| tile.maps.hazard_max[cell]),
        arrival_s: plane(&|tile, cell| {
            let arrival = tile.maps.arrival_s[cell];
            if arrival.is_finite() { arrival } else { f32::NAN }
        }),
        duration_s: plane(&|tile, cell| metres(tile.maps.duration_s[cell])),
    }
}

/// Depth now, m.
pub(super) fn depth_m(world: &World, fine: Option<&FineMaps>) -> Vec<f32> {
    let scale = world.scale();
    plane(world, fine, &|tile, cell| metres(scale.depth_m(tile.depth[cell])))
}

/// Area of the cells at least `depth_m` deep, m².
#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
pub(super) fn wet_m2(world: &World, fine: Option<&FineMaps>, depth_m: f64) -> f64 {
    let units = world.scale().depth_units(depth_m).unwrap_or(1);
    let tiles = tiles(world, fine);
    let wet = tiles.par_iter().map(|tile| tile.depth.iter().filter(|&&h| h >= units).count());
    wet.sum::<usize>() as f64 * world.cell_width_m() * world.cell_width_m()
}

/// Walks tile by tile, because that is how the engine keeps its planes.
fn plane(
    world: &World,
    fine: Option<&FineMaps>,
    value: &dyn Fn(&Tile<'_>, usize) -> f32,
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
