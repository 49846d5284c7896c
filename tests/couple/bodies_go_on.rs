//! Worlds in which bodies have moved, or stand where water comes and goes, go on as their copies.

use crate::support::{check_books, held, in_memory, reloaded, seconds, terrain};
use thalweg::body::{Body, Motion};
use thalweg::glam::DVec3;
use thalweg::world::{Drain, SaveFile, World, WorldBuilder};
use thalweg_engine::grid::cells::CellPlace;
use thalweg_engine::sim::schedule::FixedStep;
use thalweg_engine::store::Layer;
use thalweg_engine::structure::weather::Direction;

/// A box that moves to the east, m/s.
fn driven(lengths: [f64; 3], position: [f64; 3], speed: f64) -> Body {
    let motion = Motion { linear: speed * DVec3::X, ..Motion::default() };
    Body { motion, ..held(1, lengths, position) }
}

fn step(world: &mut World) {
    world.run_cycle(FixedStep::try_new(1, 60).expect("a fraction"));
    check_books(world);
}

fn copy(world: &World) -> World {
    let copy = reloaded(world, Vec::new());
    assert_eq!(copy.state_hash(), world.state_hash());
    copy
}

fn goes_on_alike(world: &mut World, what: &str) {
    let mut copy = copy(world);
    for cycle in 0..3 {
        step(world);
        step(&mut copy);
        assert_eq!(copy.state_hash(), world.state_hash(), "{what}, cycle {cycle}");
    }
}

/// Goal: rain that ran off ahead of a box that moved runs off to the nearest side when the box
/// stops, in the world and in its copy. Method: rain on a box that is driven for five cycles.
#[test]
fn run_off_forgets_a_motion_that_is_over() {
    let builder = WorldBuilder::new(terrain(40, 16, 1.0, |_, _| 0.0));
    let builder = builder.initial_stage(|_| 0.5);
    let builder = builder.rain("rain", &[(0.0, 1.0e-3)]).expect("rain");
    let mut world = builder.build().expect("a good world");
    for cycle in 0..5 {
        let east = 10.0 + f64::from(cycle) / 60.0;
        let body = driven([6.4, 4.4, 4.0], [east, 8.1, 1.9], 1.0);
        world.structures_mut().put_bodies(vec![body]).expect("a body");
        step(&mut world);
    }
    goes_on_alike(&mut world, "a box");
}

/// Water that dries up around a thin wall which was moved for some cycles and stopped, until more
/// is held in a cell than it has; then rain.
fn dried(from: f64, cycles: u32, stages_m: [f64; 2]) -> World {
    let stage = move |place: CellPlace| stages_m[usize::from(place.x >= 8)];
    let sun = [(0.0, 0.0), (1.5, 0.1), (40.0, 0.0)];
    let builder = WorldBuilder::new(terrain(24, 3, 1.0, |_, _| 0.0)).manning(0.05);
    let builder = builder.initial_stage(stage);
    let builder = builder.layer("sun", Direction::Out, &sun).expect("evaporation");
    let rain = [(0.0, 0.0), (45.0, 0.002), (95.0, 0.0)];
    let mut world = builder.rain("rain", &rain).expect("rain").build().expect("a good world");
    for cycle in 0..cycles {
        let east = from + 1.2 / 60.0 * f64::from(cycle);
        world
            .structures_mut()
            .put_bodies(vec![driven([0.1, 5.0, 4.0], [east, 1.5, 1.5], 1.2)])
            .expect("a wall");
        step(&mut world);
    }
    world
}

/// Goal: the volume behind a wall that stopped is cut to the water there is, at the same moment in
/// a world and in its copy. Method: the first cycle in which a cell has less than it holds.
#[test]
fn what_a_wall_holds_is_no_more_than_there_is() {
    let mut world = dried(8.2, 20, [1.0, 1.0]);
    let is_over = |world: &World| {
        let cells = &world.simulation().solids().region.cells;
        cells.iter().any(|cell| cell.held.abs() > cell.depth)
    };
    while !is_over(&world) {
        assert!(world.time() < seconds(60.0), "nothing was held by more than there is");
        step(&mut world);
    }
    goes_on_alike(&mut world, "a wall");
}

/// Goal: a cell that a wall parts, and that fell dry, takes rain and water from beside as others.
#[test]
fn a_cell_with_a_wall_that_fell_dry_fills_again() {
    let mut world = dried(8.52, 5, [3.0, 1.0]);
    while world.time() < seconds(160.0) {
        step(&mut world);
    }
    for x in 5..12 {
        let depth = world.water().depth_m(CellPlace { x, y: 1 }).expect("inside");
        assert!(depth > 0.05, "{depth} m in column {x} after 0.1 m of rain");
    }
}

/// Goal: a velocity counts for one cycle, where nothing is blocked too.
#[test]
fn a_velocity_beyond_the_ground_is_over_after_a_cycle() {
    let ground = terrain(40, 16, 1.0, |x, _| if x > 20 { f64::NAN } else { 0.0 });
    let builder = WorldBuilder::new(ground).initial_stage(|_| 0.5);
    let mut world = builder.build().expect("a good world");
    world
        .structures_mut()
        .put_bodies(vec![driven([4.0; 3], [30.0, 8.1, 1.9], 1.0)])
        .expect("a body");
    let is_driven = |world: &World| {
        let faces = &world.simulation().solids().solids.faces;
        faces.iter().any(|face| face.speed != 0)
    };
    assert!(is_driven(&world));
    step(&mut world);
    assert!(!is_driven(&world));
}

/// Goal: a drain that a crate shuts keeps no leaf awake that sleeps without it, and reports the
/// stage around. Method: a crate off the grid, which sleeps, and one on it, by whose sides stands
/// the water around.
#[test]
fn a_drain_that_is_shut_keeps_nobody_awake() {
    for (width, sleeps) in [(4.6, true), (5.0, false)] {
        let grate = Drain {
            name: "grate".to_owned(),
            place: [8.5, 8.5],
            area_m2: 0.2,
            perimeter_m: 2.0,
            ..Drain::default()
        };
        let builder = WorldBuilder::new(terrain(16, 16, 1.0, |_, _| 0.0)).manning(0.05);
        let builder = builder.initial_stage(|_| 0.5).link(grate);
        let mut world = builder.build().expect("a good world");
        world
            .structures_mut()
            .put_bodies(vec![held(1, [width, width, 4.0], [8.5, 8.5, 2.0])])
            .expect("a crate");
        let mut awake = 1;
        for _ in 0..if crate::QUICK { 3000 } else { 6000 } {
            awake = world.run_cycle(seconds(1.0e6)).awake;
        }
        check_books(&world);
        let flow = world.structures().link_flow("grate").expect("it is there");
        assert!(flow.discharge_m3_s.abs() < 1.0e-12, "{flow:?}");
        if sleeps {
            assert_eq!(awake, 0);
        } else {
            let around = world.water().stage_m(CellPlace { x: 1, y: 1 }).expect("wet");
            assert!((flow.from_stage_m - around).abs() < 0.01, "{flow:?} in {around} m");
        }
    }
}

/// Goal: numbers that no run writes do no harm: what is held in deep water, far below nothing.
#[test]
fn a_crafted_wall_in_deep_water_is_borne() {
    let builder = WorldBuilder::new(terrain(12, 12, 1.0, |_, _| -1000.0));
    let mut world = builder.initial_stage(|_| 900.0).build().expect("a good world");
    world
        .structures_mut()
        .put_bodies(vec![held(1, [0.2, 30.0, 3000.0], [6.3, 6.0, 0.0])])
        .expect("a wall");
    step(&mut world);
    let mut store = in_memory(&world).into_store();
    let key = store.keys_of(Layer::Solids).expect("keys")[0];
    let mut bytes = Vec::new();
    assert!(store.get(key, &mut bytes).expect("there"));
    let count = |at: usize| {
        let field = bytes[1 + 4 * at..5 + 4 * at].try_into().expect("four bytes");
        u32::from_le_bytes(field) as usize
    };
    let [cells, faces, known] = [count(1), count(2), count(3)];
    for at in (0..known).map(|known| 21 + 20 * cells + 29 * faces + 33 * known + 12) {
        bytes[at..at + 4].copy_from_slice(&(1 - (1_i32 << 30)).to_le_bytes());
    }
    store.put(key, &bytes).expect("in memory");
    let mut crafted = SaveFile::of(store).load(Vec::new()).expect("numbers within range");
    step(&mut crafted);
}
