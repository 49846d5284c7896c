//! Bodies that are none, and bodies where none can be: what is said, and that the water stays.

#![expect(clippy::cast_possible_truncation, reason = "small numbers, drawn")]

use crate::boxes::{Boxes, Crate};
use crate::support::{basin, check_books, held, terrain, terrain_of};
use thalweg::body::{Body, BodyId, LoadParams, Motion, Pose, Solid};
use thalweg::check::violations;
use thalweg::glam::{DQuat, DVec3};
use thalweg::terrain::TerrainOptions;
use thalweg::units::{CEILING, SimTime, VerticalScale};
use thalweg::world::{Budget, ColumnKind, EdgeKind, Progress, UnblockedBody, World, WorldBuilder};
use thalweg_engine::sim::schedule::FixedStep;
use thalweg_engine::sim::{Order, Solver};
use thalweg_engine::units::hash::scramble;

fn good(id: u64) -> Body {
    Crate::new(id, [1.0; 3], [5.3, 5.4, 1.0], Some(500.0)).expect("a box").body
}

/// Goal: an impossible body is refused with its number, its fault and the remedy, and not a bit of
/// the world changes.
#[test]
fn what_is_no_body_is_refused() {
    let mut world = basin(12, 12, |_, _| 0.0, |_, _| 1.5);
    world.structures_mut().put_bodies(vec![good(1)]).expect("a good body");
    world.run_cycle(thalweg::units::SimTime::MAX);
    let (nan, inf) = (f64::NAN, f64::INFINITY);
    let pose = |position: [f64; 3], rotation: [f64; 4]| {
        let rotation = DQuat::from_array(rotation);
        Body { pose: Pose { rotation, ..Pose::at(position) }, ..good(7) }
    };
    let motion = |linear: [f64; 3], angular: [f64; 3]| {
        let (linear, angular) = (linear.into(), angular.into());
        Body { motion: Motion { linear, angular }, ..good(7) }
    };
    let mass = |mass_kg: f64| Body { mass_kg: Some(mass_kg), ..good(7) };
    let (here, level) = ([5.0; 3], [0.0, 0.0, 0.0, 1.0]);
    let (position, turn, speed) = ("is nowhere", "quaternion of length 1", "up to 10,000");
    for (bad, says) in [
        (pose([nan, 5.0, 5.0], level), position),
        (pose([5.0, inf, 5.0], level), position),
        (pose([5.0, 5.0, -inf], level), position),
        (pose([5.0, 5.0, 1.0e300], level), position),
        (pose(here, [0.0; 4]), turn),
        (pose(here, [0.0, 0.0, 0.5, 0.5]), turn),
        (pose(here, [nan, 0.0, 0.0, 1.0]), turn),
        (motion([nan, 0.0, 0.0], [0.0; 3]), speed),
        (motion([0.0; 3], [0.0, 0.0, inf]), speed),
        (motion([0.0, 2.0e4, 0.0], [0.0; 3]), speed),
        (mass(0.0), "above 0"),
        (mass(-3.0), "above 0"),
        (mass(nan), "above 0"),
        (mass(inf), "above 0"),
        (Body { id: BodyId(1), ..good(1) }, "twice"),
    ] {
        let (hash, report) = (world.state_hash(), world.structures().body_report());
        let line = world
            .structures_mut()
            .put_bodies(vec![good(1), bad.clone()])
            .expect_err("none")
            .to_string();
        assert!(line.contains(says), "{line}");
        assert!(line.contains(&format!("body {}", bad.id.0)), "{line}");
        let mut boxes = Boxes { all: vec![], ground_m: |_: f64, _: f64| 0.0, dt_s: 0.1 };
        for body in [good(1), bad] {
            let (lengths_m, load) = (DVec3::ONE, Default::default());
            boxes.all.push(Crate { body, lengths_m, load });
        }
        let step = FixedStep::try_new(1, 10).expect("a fraction");
        world.run_cycle_with(step, &mut boxes).expect_err("none");
        assert_eq!(
            (hash, report),
            (world.state_hash(), world.structures().body_report()),
            "{line}"
        );
    }
    let params = LoadParams { density_kg_m3: nan, ..LoadParams::default() };
    let line = world.structures_mut().set_load_params(params).expect_err("no number").to_string();
    assert!(line.contains("finite"), "{line}");
}

/// Goal: shapes that are none are refused where they are made, with the place of the fault.
#[test]
fn what_is_no_solid_is_refused() {
    let corners = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    let faces = |count: usize| [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]][..count].to_vec();
    assert!(Solid::mesh(corners.clone(), faces(4)).is_ok());
    for (solid, says) in [
        (Solid::mesh(corners.clone(), faces(3)), ""),
        (Solid::mesh(corners.clone(), faces(0)), ""),
        (Solid::mesh(Vec::<DVec3>::new(), faces(4)), ""),
        (Solid::mesh(corners, vec![[0, 1, 2]; 4]), "two triangles on one side"),
        (Solid::cuboid([1.0, 0.0, 1.0]), "above 0"),
        (Solid::cuboid([1.0, -1.0, 1.0]), "above 0"),
        (Solid::cuboid([f64::NAN, 1.0, 1.0]), "above 0"),
        (Solid::cuboid([f64::INFINITY, 1.0, 1.0]), "above 0"),
        (Solid::compound(&[]), "no pieces"),
    ] {
        let line = solid.expect_err("no solid").to_string();
        assert!(line.len() > 30 && line.contains(says), "{line}");
    }
}

/// Runs a few cycles with bodies and a few without, by both solvers.
#[track_caller]
fn survives(world: &mut World, bodies: &[Body], what: &str) {
    for solver in [Solver::ShallowWater, Solver::Pipe] {
        world.set_solver(solver, Order::Second);
        for cycle in 0..12 {
            let put = if cycle < 6 { bodies.to_vec() } else { Vec::new() };
            world
                .structures_mut()
                .put_bodies(put)
                .unwrap_or_else(|error| panic!("{what}: {error}"));
            world.run_cycle(FixedStep::try_new(1, 10).expect("a fraction"));
            is_valid(world, &format!("{what}, {solver:?}, cycle {cycle}"));
        }
    }
}

/// Fails where water is lost, a number is none, or a stage is above the ceiling.
#[track_caller]
fn is_valid(world: &World, what: &str) {
    let found = violations(world);
    assert!(found.is_empty(), "{what}: {found:?}");
    let simulation = world.simulation();
    for leaf in simulation.forest().ids() {
        let (ground, water) = (simulation.ground(leaf), simulation.water(leaf));
        for (cell, (&bed, &depth)) in ground.bed.iter().zip(&water.depth).enumerate() {
            let stage = i64::from(bed) + i64::from(depth);
            assert!(stage <= i64::from(CEILING), "{what}: cell {cell} stands at {stage}");
        }
    }
    for (id, load) in world.structures().loads(0.1) {
        let vectors = [load.force, load.torque, load.added_mass_kg];
        assert!(vectors.into_iter().all(DVec3::is_finite), "{what}: {id:?} bears {load:?}");
    }
}

/// Goal: bodies of any size at any place leave the water valid, and go again without a trace.
#[test]
fn bodies_anywhere_leave_the_water_valid() {
    let ground = |x: usize, y: usize| if x.abs_diff(12) + y.abs_diff(9) < 4 { 2.5 } else { 0.0 };
    let mut world = basin(24, 20, ground, |_, _| 1.5);
    let middle = [12.2, 9.7, 1.0];
    for (what, lengths, position) in [
        ("as large as the world", [24.0, 20.0, 6.0], [12.0, 10.0, 1.0]),
        ("larger than the world", [400.0, 300.0, 0.5], middle),
        ("a thousand kilometres", [1.0e6; 3], middle),
        ("a needle", [1.0e-6, 1.0e-6, 9.0], [4.3, 4.4, 1.0]),
        ("a speck", [1.0e-9; 3], [4.3, 4.4, 1.0]),
        ("a sheet", [30.0, 1.0e-6, 9.0], middle),
        ("outside", [2.0; 3], [-40.0, 9.0, 1.0]),
        ("far outside", [2.0; 3], [9.0e8, -9.0e8, 1.0]),
        ("in the corner", [3.0; 3], [0.0, 0.0, 1.0]),
        ("below the ground", [4.0, 4.0, 1.0], [6.0, 6.0, -3.0]),
        ("far below", [4.0, 4.0, 1.0], [6.0, 6.0, -9.0e8]),
        ("above the ceiling", [4.0, 4.0, 1.0], [6.0, 6.0, 5000.0]),
        ("far above", [4.0, 4.0, 1.0], [6.0, 6.0, 9.0e8]),
        ("from ground to ceiling", [4.0, 4.0, 9.0e5], [6.0, 6.0, 0.0]),
    ] {
        for mass_kg in [None, Some(1.0e-9), Some(1.0e15)] {
            let mut body = Crate::new(3, lengths, position, None).expect("a box").body;
            body.mass_kg = mass_kg;
            let (linear, angular) = (DVec3::new(1.0e4, -1.0e4, 1.0e4), DVec3::splat(1.0e4));
            body.motion = Motion { linear, angular };
            survives(&mut world, &[body.clone()], what);
            body.pose.rotation = DQuat::from_xyzw(0.5, 0.5, -0.5, 0.5);
            survives(&mut world, &[body], what);
        }
    }
}

/// Goal: ten thousand bodies in one cell are one solid there.
#[test]
fn a_heap_of_bodies_in_one_cell_leaves_the_water_valid() {
    let count: u64 = if crate::QUICK { 500 } else { 10_000 };
    let mut world = basin(12, 12, |_, _| 0.0, |_, _| 1.5);
    let solid = Solid::cuboid([0.3, 0.2, 0.25]).expect("a box");
    let bodies: Vec<Body> = (0..count)
        .map(|id| {
            let part = |axis: u64| draw(id, axis);
            let position = [5.1 + 0.8 * part(0), 5.1 + 0.8 * part(1), 2.0 * part(2)];
            let pose = Pose { rotation: turned(id, 3), ..Pose::at(position) };
            let (motion, mass_kg) = (Motion::default(), Some(2.0));
            Body { id: BodyId(id), solid: solid.clone(), pose, motion, mass_kg }
        })
        .collect();
    survives(&mut world, &bodies, "a heap");
    world.structures_mut().put_bodies(bodies).expect("good bodies");
    assert_eq!(world.structures().body_report().bodies as u64, count);
}

/// A number in [0, 1) for a seed and a place.
fn draw(seed: u64, place: u64) -> f64 {
    (scramble(scramble(seed) ^ place) >> 11) as f64 / 9_007_199_254_740_992.0
}

/// A rotation for a seed and a place.
fn turned(seed: u64, place: u64) -> DQuat {
    let turn = DQuat::from_array([0, 1, 2, 3].map(|i| draw(seed, place + i) - 0.5));
    if turn.length() > 0.01 { turn / turn.length() } else { DQuat::IDENTITY }
}

/// A pond of 30 × 22 cells whose water stands up to a metre below the ceiling at 64 m.
fn brimming(seed: u64) -> World {
    let scale = VerticalScale::try_new(24, 0.0).expect("a good scale");
    let (width, height) = (30, 22);
    let options = TerrainOptions { width, height, cell_width_m: 1.0, scale, bed_exponent: 24 };
    let place = |x: usize, y: usize| 100 * (height - 1 - y) as u64 + x as u64;
    let terrain = terrain_of(options, |x, y| 57.0 + 5.0 * draw(seed, place(x, y)));
    let stage_m = 60.0 + 3.0 * draw(seed, 5);
    WorldBuilder::new(terrain).initial_stage(move |_| stage_m).build().expect("a good world")
}

/// Goal: P1 and P4 whatever bodies do. Method: random boxes of all sizes that jump about and into
/// each other, close below the ceiling, by both solvers.
#[test]
fn jumping_bodies_leave_the_water_valid() {
    let (seeds, cycles) = if crate::QUICK { (2, 40) } else { (6, 400) };
    for seed in 0..seeds {
        let mut world = brimming(seed);
        let mut known: Vec<Body> = Vec::new();
        for cycle in 0..cycles {
            let now = seed * 1000 + cycle;
            let solver = [Solver::ShallowWater, Solver::Pipe][(draw(now, 1) * 1.3) as usize];
            world.set_solver(solver, Order::Second);
            for body in &mut known {
                let id = 50 * body.id.0;
                if draw(now, id + 2) < 0.3 {
                    body.pose = somewhere(now, id + 10);
                    let speed = [3, 4, 5].map(|axis| 40.0 * draw(now, id + axis) - 20.0);
                    body.motion.linear = speed.into();
                }
            }
            known.retain(|body| draw(now, body.id.0) < 0.9);
            if draw(now, 6) < 0.7 {
                let size = [7, 8, 9].map(|axis| 0.02 * 900.0_f64.powf(draw(now, axis)));
                let mut body = Crate::new(now, size, [0.0; 3], Some(700.0)).expect("a box").body;
                body.pose = somewhere(now, 20);
                known.push(body);
            }
            world.structures_mut().put_bodies(known.clone()).expect("good bodies");
            let step = FixedStep::try_new(1, 8 + (draw(now, 30) * 50.0) as u32);
            world.run_cycle(step.expect("a fraction"));
            is_valid(&world, &format!("seed {seed}, cycle {cycle}, {} bodies", known.len()));
            check_books(&world);
        }
    }
}

/// A pose in and around the pond.
fn somewhere(seed: u64, place: u64) -> Pose {
    let at = |axis: u64, from: f64, span: f64| from + span * draw(seed, place + axis);
    let position = [at(0, -3.0, 36.0), at(1, -3.0, 28.0), at(2, 54.0, 14.0)];
    Pose { rotation: turned(seed, place + 4), ..Pose::at(position) }
}

/// Goal: a body that blocks nothing is counted in the report of each cycle and named by the world.
/// Method: one in the middle, one across an open edge, one beyond the map, over cells that can be
/// blocked and over sub-grid columns, which cannot; then none.
#[test]
fn bodies_that_block_nothing_are_reported() {
    let lake = |builder: WorldBuilder| {
        let builder = builder.edges(EdgeKind::Open).initial_stage(|_| 2.0);
        builder.build().expect("a good world")
    };
    let ground = || terrain(24, 24, 1.0, |_, _| 0.0);
    let bodies = || {
        let at = [[12.0, 12.0, 1.0], [12.0, 0.0, 1.0], [-40.0, 12.0, 1.0]];
        let mut bodies: Vec<Body> = (1..).zip(at).map(|(id, at)| held(id, [4.0; 3], at)).collect();
        bodies.iter_mut().for_each(|body| body.mass_kg = None);
        bodies
    };
    let named = |id, cells, unblocked| UnblockedBody { id: BodyId(id), cells, unblocked };
    let sub_grid = WorldBuilder::new(ground()).level(1).columns(ColumnKind::SubGrid);
    for (mut world, cells, all, names) in [
        (lake(WorldBuilder::new(ground())), 4, 1, vec![named(2, 8, 4), named(3, 0, 0)]),
        (lake(sub_grid), 6, 3, vec![named(1, 4, 4), named(2, 2, 2), named(3, 0, 0)]),
    ] {
        world.structures_mut().put_bodies(bodies()).expect("good bodies");
        let report = world.run_cycle(SimTime::MAX);
        assert_eq!((report.unblocked_cells, report.unblocked_bodies), (cells, all));
        assert_eq!(world.structures().unblocked_bodies(), names);
        assert_eq!(world.structures().body_report().unblocked, cells);
        let mut parts = world.run_within(SimTime::MAX, Budget::CellSteps(4096)).expect("a leaf");
        while let Progress::Paused(_) = parts {
            parts = world.run_within(SimTime::MAX, Budget::CellSteps(4096)).expect("a leaf");
        }
        let Progress::Done(report) = parts else { unreachable!("it does not rest") };
        assert_eq!((report.unblocked_cells, report.unblocked_bodies), (cells, all), "in parts");
        world.structures_mut().put_bodies(Vec::new()).expect("none");
        let report = world.run_cycle(SimTime::MAX);
        assert_eq!((report.unblocked_cells, report.unblocked_bodies), (0, 0));
        assert_eq!(world.structures().unblocked_bodies(), []);
    }
}
