//! Two basins with a wall between them, and what joins them.

#[path = "../common/mod.rs"]
mod common;

pub use common::ground::terrain_of;
pub use common::memory::{in_memory, terrain_in_memory};
pub use common::{TempFile, from_disk, moved, on_threads, reloaded, seconds};

use thalweg::body::{Body, BodyId, Motion, Pose, Solid};
use thalweg::structure::Section;
use thalweg::terrain::{Terrain, TerrainOptions};
use thalweg::units::{SimTime, VerticalScale};
use thalweg::world::{Culvert, LinkFlow, World, WorldBuilder};
use thalweg_engine::grid::cells::CellPlace;

/// A terrain from heights by column and row from the south; NaN is NoData.
pub fn terrain(
    width: usize,
    height: usize,
    cell_width_m: f64,
    bed_m: impl Fn(usize, usize) -> f64,
) -> Terrain {
    let scale = VerticalScale::try_new(20, 0.0).expect("a good scale");
    let options = TerrainOptions { width, height, cell_width_m, scale, bed_exponent: 20 };
    terrain_of(options, bed_m)
}

/// 40 × 10 cells of 5 m, level at 0 m, with a wall of 20 m in columns 18 to 21.
pub fn two_basins() -> WorldBuilder {
    let wall = |x: usize, _| if (18..22).contains(&x) { 20.0 } else { 0.0 };
    WorldBuilder::new(terrain(40, 10, 5.0, wall))
}

/// A stage in the west and one in the east of a column.
pub fn stages(
    column: u32,
    west_m: f64,
    east_m: f64,
) -> Box<dyn Fn(CellPlace) -> f64 + Send + Sync> {
    Box::new(move |place| if place.x < column { west_m } else { east_m })
}

/// A pipe of concrete through the wall, with square edges.
pub fn pipe(diameter_m: f64) -> Culvert {
    Culvert {
        name: "pipe".to_owned(),
        from: [82.5, 27.5],
        to: [117.5, 27.5],
        from_invert_m: 0.0,
        to_invert_m: 0.0,
        section: Section::Circle { diameter_m },
        length_m: None,
        manning_n: 0.013,
        inlet_loss: 0.5,
        outlet_loss: 1.0,
        has_flap: false,
    }
}

/// Flow through the first link of a world.
pub fn report(world: &World) -> LinkFlow {
    world
        .structures()
        .link_flow(world.structures().links().next().expect("a link").name())
        .expect("a link")
}

/// Depth of a cell, m.
pub fn depth(world: &World, x: u32, y: u32) -> f64 {
    world.water().depth_m(CellPlace { x, y }).expect("ground")
}

/// Fails where a unit of water came from nowhere.
#[track_caller]
pub fn check_books(world: &World) {
    assert_eq!(world.water().stored(), world.water().ledger().expected());
}

/// One cycle, after which not a unit is missing.
#[track_caller]
pub fn cycle(world: &mut World) {
    world.run_cycle(SimTime::MAX);
    assert_eq!(
        world.water().stored(),
        world.water().ledger().expected(),
        "at {} s",
        world.time().seconds()
    );
}

/// Water of a stage over a bed, both by column and row, on cells of 1 m between walls; shallow
/// water.
pub fn basin(
    width: usize,
    height: usize,
    bed_m: impl Fn(usize, usize) -> f64,
    stage_m: impl Fn(u32, u32) -> f64 + Send + Sync + 'static,
) -> World {
    WorldBuilder::new(terrain(width, height, 1.0, bed_m))
        .initial_stage(move |place| stage_m(place.x, place.y))
        .manning(1.0)
        .build()
        .expect("a good world")
}

/// A box that is held.
pub fn held(id: u64, lengths: [f64; 3], position: [f64; 3]) -> Body {
    let solid = Solid::cuboid(lengths).expect("a box");
    Body {
        id: BodyId(id),
        solid,
        pose: Pose::at(position),
        motion: Motion::default(),
        mass_kg: None,
    }
}
