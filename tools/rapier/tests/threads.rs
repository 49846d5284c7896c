//! Crates of rapier in the water of a world.
//!
//! Goal: two runs on different counts of threads have the same hash, and not a unit is lost.
//! Method: crates of several densities fall into a basin with a wave in it, float, meet each other
//! and its floor.

use rapier3d::prelude::*;
use thalweg::terrain::{TerrainBuilder, TerrainOptions};
use thalweg::units::VerticalScale;
use thalweg::world::{CellPlace, FixedStep, World, WorldBuilder};
use thalweg_rapier::{RapierLink, Up};

const WIDTH: u16 = 70;
const HEIGHT: u16 = 20;

fn basin() -> World {
    let scale = VerticalScale::try_new(20, 0.0).expect("a scale");
    let (width, height) = (usize::from(WIDTH), usize::from(HEIGHT));
    let options = TerrainOptions { width, height, cell_width_m: 1.0, scale, bed_exponent: 20 };
    let mut terrain = TerrainBuilder::try_new(options).expect("options");
    for _ in 0..height {
        terrain.push_row(&vec![0.0; width]).expect("a row");
    }
    let stage = |place: CellPlace| if place.x < 20 { 2.6 } else { 2.0 };
    WorldBuilder::new(terrain.finish().expect("ground"))
        .initial_stage(stage)
        .build()
        .expect("a world")
}

fn run(cycles: u32) -> (World, Vec<[f32; 3]>) {
    let mut world = basin();
    let mut engine = PhysicsWorld::new();
    engine.gravity = Vector::new(0.0, 0.0, -9.81);
    engine.integration_parameters.dt = 1.0 / 60.0;
    let mut link = RapierLink::new(Up::Z);
    let [far, side] = [WIDTH, HEIGHT].map(|cells| 0.5 * f32::from(cells));
    let floor = RigidBodyBuilder::fixed().translation(Vector::new(far, side, -0.5));
    let floor = engine.insert(floor, ColliderBuilder::cuboid(far, side, 0.5)).0;
    link.leave_out(floor);
    let crates: Vec<RigidBodyHandle> = (0..24_u8)
        .map(|number| {
            let at = f32::from(number);
            let place = Vector::new(4.0 + 2.6 * at, 3.0 + 0.6 * at, 3.0 + 0.1 * at);
            let turn = Vector::new(0.1 * at, 0.3, 0.05 * at);
            let body = RigidBodyBuilder::dynamic().translation(place).rotation(turn);
            let shape = ColliderBuilder::cuboid(0.9, 0.7, 0.5).density(100.0 + 60.0 * at);
            engine.insert(body, shape).0
        })
        .collect();
    let frame = FixedStep::try_new(1, 60).expect("a frame");
    for _ in 0..cycles {
        let mut bodies = link.join(&mut engine.bodies, &engine.colliders);
        world.run_cycle_with(frame, &mut bodies).expect("good bodies");
        assert_eq!(world.water().stored(), world.water().ledger().expected());
        engine.step();
    }
    let places = crates.iter().map(|&body| engine.bodies[body].translation().to_array());
    (world, places.collect())
}

#[test]
fn threads_change_no_bit_with_rapier() {
    let cycles = if option_env!("THALWEG_FULL").is_none() { 60 } else { 600 };
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        pool.expect("threads").install(|| run(cycles))
    };
    let ((one, places), (four, others)) = (on(1), on(4));
    assert_eq!(one.state_hash(), four.state_hash());
    assert_eq!(places, others);
    // They swim, or lie on the floor: none has fallen out of the world.
    assert!(places.iter().all(|place| place[2] > 0.2), "{places:?}");
    assert!(one.structures().body_report().cells > 24, "{:?}", one.structures().body_report());
}
