//! The engine's maps as planes of the whole grid: row-major, northernmost row first, NaN outside.

use thalweg::grid::TILE_CELLS;
use thalweg::probe::LeafMaps;
use thalweg::tile::{Ground, Water};
use thalweg::world::World;

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

/// One leaf as the engine holds it.
struct Leaf<'a> {
    ground: &'a Ground,
    water: &'a Water,
    maps: &'a LeafMaps,
}

/// Reads all maps.
pub(super) fn maps(world: &World) -> Maps {
    let scale = world.scale();
    Maps {
        bed_m: plane(world, |leaf, cell| metres(scale.metres(leaf.ground.bed[cell]))),
        max_depth_m: plane(world, |leaf, cell| metres(scale.depth_m(leaf.maps.depth_max[cell]))),
        max_speed_m_s: plane(world, |leaf, cell| leaf.maps.speed_max[cell]),
        hazard_m2_s: plane(world, |leaf, cell| leaf.maps.hazard_max[cell]),
        arrival_s: plane(world, |leaf, cell| {
            let arrival = leaf.maps.arrival_s[cell];
            if arrival.is_finite() { arrival } else { f32::NAN }
        }),
        duration_s: plane(world, |leaf, cell| metres(leaf.maps.duration_s[cell])),
    }
}

/// Depth now, m.
pub(super) fn depth_m(world: &World) -> Vec<f32> {
    let scale = world.scale();
    plane(world, |leaf, cell| metres(scale.depth_m(leaf.water.depth[cell])))
}

/// Area of the cells at least `depth_m` deep, m².
#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
pub(super) fn wet_m2(world: &World, depth_m: f64) -> f64 {
    let simulation = world.simulation();
    let units = world.scale().depth_units(depth_m).unwrap_or(1);
    let leaves = 0..simulation.forest().leaves().len();
    let wet = leaves.map(|leaf| {
        let depths = simulation.water(leaf).depth.iter();
        depths.filter(|&&depth| depth >= units).count()
    });
    wet.sum::<usize>() as f64 * world.cell_width_m() * world.cell_width_m()
}

/// Walks leaf by leaf, because that is how the engine keeps its planes.
fn plane(world: &World, value: impl Fn(&Leaf<'_>, usize) -> f32) -> Vec<f32> {
    let (width, height) = world.size();
    let mut plane = vec![f32::NAN; width * height];
    let simulation = world.simulation();
    let forest = simulation.forest();
    for index in 0..forest.leaves().len() {
        let ground = simulation.ground(index);
        let mut inside = (0..TILE_CELLS).filter(|&cell| ground.is_inside(cell)).peekable();
        let first = inside.peek().map(|&cell| forest.place_of(index, cell));
        let Some((maps, _)) = first.and_then(|place| world.maps_at(place)) else { continue };
        let leaf = Leaf { ground, water: simulation.water(index), maps };
        for cell in inside {
            let place = forest.place_of(index, cell);
            plane[index_of(place, width, height)] = value(&leaf, cell);
        }
    }
    plane
}
