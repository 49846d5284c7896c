//! Thin walls that move take water along.

use crate::support::{basin, check_books, from_disk, terrain};
use thalweg::body::{Body, BodyId, Motion, Pose, Solid};
use thalweg::check::violations;
use thalweg::glam::{DQuat, DVec3};
use thalweg::world::{World, WorldBuilder};
use thalweg_engine::grid::cells::CellPlace;
use thalweg_engine::sim::schedule::FixedStep;

const RATE: u32 = 60;

/// One cycle with an upright box of 4 m that moves.
fn push(world: &mut World, [long, wide]: [f64; 2], [x, y]: [f64; 2], turn: f64, motion: Motion) {
    put(world, [long, wide], [x, y], turn, motion);
    world.run_cycle(FixedStep::try_new(1, RATE).expect("a step"));
    check_books(world);
}

fn put(world: &mut World, [long, wide]: [f64; 2], [x, y]: [f64; 2], turn: f64, motion: Motion) {
    let pose = Pose { rotation: DQuat::from_rotation_z(turn), ..Pose::at([x, y, 1.5]) };
    let solid = Solid::cuboid([long, wide, 4.0]).expect("a box");
    let body = Body { id: BodyId(1), solid, pose, motion, mass_kg: None };
    world.structures_mut().put_bodies(vec![body]).expect("a body");
}

fn along(speed: f64) -> Motion {
    Motion { linear: speed * DVec3::X, ..Motion::default() }
}

/// Water from a column on, m³.
fn beyond_m3(world: &World, column: u32) -> f64 {
    let (width, height) = world.size();
    let [width, height] = [width, height].map(|count| u32::try_from(count).expect("small"));
    let places = (0..height).flat_map(|y| (column..width).map(move |x| CellPlace { x, y }));
    places.filter_map(|place| world.water().depth_m(place)).sum()
}

/// Highest depth, m.
fn deepest_m(world: &World) -> f64 {
    let (width, height) = world.size();
    let [width, height] = [width, height].map(|count| u32::try_from(count).expect("small"));
    let places = (0..height).flat_map(|y| (0..width).map(move |x| CellPlace { x, y }));
    places.filter_map(|place| world.water().depth_m(place)).fold(0.0, f64::max)
}

/// Goal: the water ahead of a piston moves with it, however thick it is. Method: what a piston of
/// 0.5 m/s in 0.5 m of water sends past a section, against the bore that keeps mass and momentum:
/// 0.6187 m deep.
#[test]
fn a_thin_piston_pushes_a_bore() {
    for thick in [0.3, 0.7, 1.0] {
        let mut world = WorldBuilder::new(terrain(64, 2, 1.0, |_, _| 0.0))
            .initial_stage(|_| 0.5)
            .manning(0.0)
            .build()
            .expect("a good world");
        let mut seen = [0.0; 2];
        for cycle in 1..=18 * RATE {
            let front = 10.0 + 0.5 * f64::from(cycle) / f64::from(RATE);
            push(&mut world, [thick, 4.0], [front - 0.5 * thick, 1.0], 0.0, along(0.5));
            if cycle == 10 * RATE {
                seen[0] = beyond_m3(&world, 22);
            }
        }
        seen[1] = beyond_m3(&world, 22);
        let (found, exact) = ((seen[1] - seen[0]) / 8.0, 0.5 * 0.6187 * 2.0);
        let off = found / exact - 1.0;
        assert!(off.abs() < 0.02, "{thick} m thick: {off:+.4} of {exact} m³/s");
    }
}

/// Goal: a wall that shakes between two stages gives back what it takes along, but for a tenth off
/// the centres of cells and a fifth over them. Method: what is beyond a thin wall that goes 0.3 m
/// to and fro, after ten times, less after one; each time it takes along 0.6 m³ more than it would
/// of the lower stage.
#[test]
fn a_wall_that_shakes_pumps_little() {
    for (first, part) in [(10.06, 0.12), (10.35, 0.24)] {
        let mut world = basin(20, 2, |_, _| 0.0, |x, _| if x < 10 { 2.0 } else { 1.0 });
        let mut beyond = Vec::new();
        for cycle in 0..=10 * RATE {
            let phase = std::f64::consts::TAU * f64::from(cycle) / f64::from(RATE);
            let (sin, cos) = phase.sin_cos();
            let motion = along(0.15 * std::f64::consts::TAU * sin);
            push(&mut world, [0.1, 4.0], [first + 0.15 * (1.0 - cos), 1.0], 0.0, motion);
            if cycle % RATE == 0 {
                beyond.push(beyond_m3(&world, 10));
            }
        }
        let pumped = beyond[10] - beyond[1];
        assert!(pumped.abs() < 9.0 * 0.6 * part, "{pumped} m³ past a wall from {first} m on");
    }
}

/// Goal: whatever moves, and however fast, no water is lost, and none is piled up to a tower.
/// Method: walls straight, slanting, turning and much too fast.
#[test]
fn walls_that_move_in_any_way_keep_all_water() {
    let slanting = 17.0_f64.to_radians();
    let cases = [(0.0, 2.0, 0.0), (slanting, 2.0, 0.0), (slanting, 0.0, 1.5), (0.0, 50.0, 0.0)];
    for (angle, speed, turn) in cases {
        let mut world = basin(24, 16, |_, _| 0.0, |_, _| 1.0);
        for cycle in 0..3 * RATE {
            let time = f64::from(cycle) / f64::from(RATE);
            let x = (8.0 + speed * time).min(20.0);
            let angular = turn * DVec3::Z;
            let linear = if x < 20.0 { speed * DVec3::X } else { DVec3::ZERO };
            let motion = Motion { linear, angular };
            push(&mut world, [0.3, 10.0], [x, 8.2], angle + turn * time, motion);
            let deepest = deepest_m(&world);
            assert!(deepest < 6.0, "{deepest} m of water at {time} s, {speed} m/s");
        }
        assert_eq!(violations(&world), Vec::<String>::new(), "{angle} {speed} {turn}");
    }
}

/// Goal: a velocity counts for one cycle, and a file holds it, with the water behind a wall.
/// Method: a piston that is saved between its solids and the cycle.
#[test]
fn a_piston_goes_on_from_a_file() {
    let mut world = basin(24, 3, |_, _| 0.0, |_, _| 1.0);
    let at = |cycle: u32| [8.0 + 0.02 * f64::from(cycle), 1.5];
    (0..40).for_each(|cycle| push(&mut world, [0.3, 5.0], at(cycle), 0.0, along(1.2)));
    put(&mut world, [0.3, 5.0], at(40), 0.0, along(1.2));
    assert!(world.simulation().solids().region.cells.iter().any(|cell| cell.held != 0));
    let mut copy = from_disk("piston", &world);
    assert_eq!(copy.state_hash(), world.state_hash());
    for world in [&mut world, &mut copy] {
        world.run_cycle(FixedStep::try_new(1, RATE).expect("a step"));
        let faces = &world.simulation().solids().solids.faces;
        assert!(faces.iter().all(|face| face.speed == 0), "it stands");
        (41..60).for_each(|cycle| push(world, [0.3, 5.0], at(cycle), 0.0, along(1.2)));
    }
    assert_eq!(copy.state_hash(), world.state_hash());
}
