//! A box in a lake, moved by rapier.
//!
//! Goal: a body floats as Archimedes says, whichever axis points up, the same bits every time.
//! Method: a lake that is flat; loads as a world would compute them.

use rapier3d::prelude::*;
use thalweg::body::{Afloat, Bodies, Inertia, LoadParams, Nearby, Panels, Surroundings, load};
use thalweg::glam::DVec2;
use thalweg_rapier::{RapierLink, Up};

struct Lake;

impl Surroundings for Lake {
    fn cell_m(&self, _: DVec2) -> f64 {
        1.0
    }
    fn near(&self, _: DVec2) -> Option<Nearby> {
        Some(Nearby::still(20.0, 0.0))
    }
}

const STEP_S: f64 = 1.0 / 60.0;

fn exchange(link: &mut RapierLink, engine: &mut PhysicsWorld) {
    let mut bodies = link.join(&mut engine.bodies, &engine.colliders);
    let mut loads = Vec::new();
    bodies.solids(&mut |body| {
        let panels = Panels::of(&body.solid, 1.0);
        let inertia = body.mass_kg.map(|mass_kg| Inertia { mass_kg, dt_s: STEP_S });
        let afloat = Afloat { pose: body.pose, motion: body.motion, inertia };
        loads.push((body.id, load(&panels, &afloat, &Lake, &LoadParams::default())));
    });
    bodies.loads(&loads);
}

fn engine(up: Up) -> PhysicsWorld {
    let mut engine = PhysicsWorld::new();
    if up == Up::Z {
        engine.gravity = Vector::new(0.0, 0.0, -9.81);
    }
    engine
}

fn axes(up: Up, [x, y, z]: [f32; 3]) -> Vector {
    if up == Up::Z { Vector::new(x, y, z) } else { Vector::new(x, z, -y) }
}

/// Boxes of several densities dropped side by side, some turned; their bits after each step.
fn run(up: Up, steps: usize) -> (PhysicsWorld, Vec<RigidBodyHandle>, Vec<u32>) {
    let mut engine = engine(up);
    let mut handles = Vec::new();
    for (index, density) in [20.0, 300.0, 500.0, 700.0].into_iter().enumerate() {
        let number = f32::from(u8::try_from(index).expect("four"));
        let at = axes(up, [2.0 + 5.0 * number, 3.0, 21.0]);
        let turn = axes(up, [0.2 * number, 0.1, 0.3]);
        let size = axes(up, [0.8, 0.7, 0.35]);
        let body = RigidBodyBuilder::dynamic().translation(at).rotation(turn);
        let shape = ColliderBuilder::cuboid(size.x.abs(), size.y.abs(), size.z.abs());
        handles.push(engine.insert(body, shape.density(density)).0);
    }
    engine.integration_parameters.dt = 1.0 / 60.0;
    let mut link = RapierLink::new(up).with_origin([100.0, 200.0, 0.0]);
    let mut bits = Vec::new();
    for _ in 0..steps {
        exchange(&mut link, &mut engine);
        engine.step();
        for handle in &handles {
            let pose = engine.bodies[*handle].position();
            let turn = pose.rotation;
            let parts = [turn.x, turn.y, turn.z, turn.w];
            bits.extend(
                pose.translation.to_array().iter().chain(&parts).map(|part| part.to_bits()),
            );
        }
    }
    (engine, handles, bits)
}

#[test]
fn boxes_float_at_archimedes_draught() {
    for up in [Up::Y, Up::Z] {
        let (engine, handles, _) = run(up, 1800);
        for (handle, density) in handles.into_iter().zip([20.0, 300.0, 500.0, 700.0]) {
            let at = engine.bodies[handle].translation();
            let height = f64::from(if up == Up::Z { at.z } else { at.y });
            let draught = 20.0 - (height - 0.35);
            let error = draught / (0.7 * density / 1000.0) - 1.0;
            assert!(error.abs() < 0.01, "{up:?}, {density} kg/m³: draught {draught} m");
        }
    }
}

#[test]
fn two_runs_are_the_same_bits() {
    let (_, _, first) = run(Up::Z, 300);
    let (_, _, second) = run(Up::Z, 300);
    assert_eq!(first, second);
}

/// Goal: solids are kept while nothing changes, made anew where a collider does; what is no solid
/// is named; sensors, removed bodies and what was left out are not put.
#[test]
fn solids_are_made_once() {
    let mut engine = engine(Up::Y);
    let floor = RigidBodyBuilder::fixed();
    let floor = engine.insert(floor, ColliderBuilder::cuboid(50.0, 1.0, 50.0)).0;
    let sea = engine
        .insert(
            RigidBodyBuilder::fixed(),
            ColliderBuilder::triangle(Vector::X, Vector::Y, Vector::Z),
        )
        .0;
    let sensor = ColliderBuilder::ball(1.0).sensor(true);
    engine.insert(RigidBodyBuilder::dynamic(), sensor);
    let (ball, shape) = engine.insert(RigidBodyBuilder::dynamic(), ColliderBuilder::ball(1.0));
    let mut link = RapierLink::new(Up::Y);
    link.leave_out(floor);
    let mut put = |engine: &mut PhysicsWorld| {
        let mut solids = Vec::new();
        let mut bodies = link.join(&mut engine.bodies, &engine.colliders);
        bodies.solids(&mut |body| solids.push((body.solid, body.mass_kg)));
        let refused: Vec<_> = link.refused().map(|(handle, _)| handle).collect();
        (solids, refused)
    };
    let (first, refused) = put(&mut engine);
    assert_eq!((first.len(), refused), (1, vec![sea]));
    assert!(first[0].1.is_some_and(|mass| (mass - 4.19).abs() < 0.01), "{:?}", first[0].1);
    let (second, _) = put(&mut engine);
    assert!(first[0].0.is(&second[0].0));
    engine.colliders[shape].set_shape(SharedShape::ball(2.0));
    let (third, _) = put(&mut engine);
    assert!((third[0].0.volume_m3() / first[0].0.volume_m3() - 8.0).abs() < 1.0e-9);
    engine.remove_body_with_colliders(ball, true);
    assert_eq!(put(&mut engine).0.len(), 0);
}

/// Goal: a body that floats at rest falls asleep, and a stage that falls wakes it.
#[test]
fn a_box_at_rest_falls_asleep_and_wakes() {
    let mut engine = engine(Up::Z);
    let body = RigidBodyBuilder::dynamic().translation(Vector::new(5.0, 5.0, 20.0));
    let shape = ColliderBuilder::cuboid(0.5, 0.5, 0.3).density(500.0);
    let handle = engine.insert(body, shape).0;
    let mut link = RapierLink::new(Up::Z);
    for _ in 0..900 {
        exchange(&mut link, &mut engine);
        engine.step();
    }
    assert!(engine.bodies[handle].is_sleeping());
    let mut bodies = link.join(&mut engine.bodies, &engine.colliders);
    let mut ids = Vec::new();
    bodies.solids(&mut |body| ids.push(body.id));
    bodies.loads(&[(ids[0], thalweg::body::Load::default())]);
    engine.step();
    assert!(engine.bodies[handle].translation().z < 20.0 && !engine.bodies[handle].is_sleeping());
}
