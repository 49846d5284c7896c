//! Many bodies that fall, float, block, turn, go and come again.

#![expect(clippy::cast_possible_truncation, reason = "small numbers, drawn")]

use crate::boxes::{Boxes, Crate};
use crate::support::{basin, check_books, from_disk, on_threads, seconds, terrain};
use thalweg::body::{Body, Pose};
use thalweg::check::violations;
use thalweg::glam::DVec3;
use thalweg::world::{World, WorldBuilder};
use thalweg_engine::grid::cells::CellPlace;
use thalweg_engine::sim::schedule::FixedStep;
use thalweg_engine::sim::solids::region::{SolidNode, place_of_key};
use thalweg_engine::sim::{Order, Solver};
use thalweg_engine::units::hash::scramble;

const WIDTH: u32 = 80;
const HEIGHT: u32 = 40;
const BODIES: u64 = 200;
const WALLS: u64 = 12;
/// Cycles a second.
const FRAMES: u32 = 15;

type Ground = fn(f64, f64) -> f64;

/// Hills, hollows and an island, m.
fn ground_m(x: f64, y: f64) -> f64 {
    let hill = (0.31 * x).sin() * (0.23 * y).cos() + 0.4 * (0.9 * x + 1.3 * y).sin();
    let island = 3.0 - 0.02 * ((x - 55.0) * (x - 55.0) + (y - 20.0) * (y - 20.0));
    hill.max(island)
}

/// A number in [0, 1) for a moment and a place in it.
fn draw(n: u64, place: u64) -> f64 {
    (scramble(scramble(n) ^ place) >> 11) as f64 / 9_007_199_254_740_992.0
}

/// 200 boxes, a few of them away.
#[derive(Clone)]
struct Crowd {
    there: Vec<Crate>,
    away: Vec<Crate>,
}

/// Somewhere over the world.
fn place(n: u64, salt: u64) -> DVec3 {
    let along = |axis: u64, most: u32| draw(n, salt + axis) * f64::from(most);
    DVec3::new(along(0, WIDTH), along(1, HEIGHT), 2.0 + 6.0 * draw(n, salt + 2))
}

impl Crowd {
    fn new() -> Self {
        let of = |id: u64| {
            let side = |axis: u64| 0.3 + 1.6 * draw(id, axis);
            let density = 80.0 + 2400.0 * draw(id, 3);
            if id < WALLS {
                let mut wall = Crate::new(id, [9.0, 0.3, 5.0], place(id, 10), None)?;
                wall.body.motion.angular =
                    DVec3::new(0.0, 0.02 * draw(id, 4), 0.8 * draw(id, 5) - 0.4);
                Ok(wall)
            } else {
                Crate::new(id, [side(0), side(1), side(2)], place(id, 10), Some(density))
            }
        };
        let all: Result<_, thalweg::body::SolidError> = (0..BODIES).map(of).collect();
        Self { there: all.expect("boxes"), away: Vec::new() }
    }

    /// Actions before cycle `n`.
    fn act(&mut self, n: u64) {
        let drop = |one: &mut Crate, salt: u64| {
            one.body.pose.position = place(n, salt);
            one.body.motion.linear = DVec3::ZERO;
        };
        if n.is_multiple_of(7) {
            let pick = |many: usize| (draw(n, 1) * many as f64) as usize;
            if self.away.len() < 20 {
                self.away.push(self.there.swap_remove(pick(self.there.len())));
            } else {
                let mut back = self.away.swap_remove(pick(self.away.len()));
                drop(&mut back, 2);
                self.there.push(back);
            }
        }
        for one in &mut self.there {
            let DVec3 { x, y, z } = one.body.pose.position;
            let is_out = |at: f64, most: u32| !(-2.0..f64::from(most) + 2.0).contains(&at);
            if is_out(x, WIDTH) || is_out(y, HEIGHT) || z < -5.0 {
                drop(one, 7 + one.body.id.0);
            }
            if one.body.mass_kg.is_none() {
                // Gates that go up and down.
                let is_up = (n / 90 + one.body.id.0).is_multiple_of(2);
                one.body.motion.linear.z = if is_up { 0.7 } else { -0.7 };
            }
        }
    }

    fn cycle(&mut self, world: &mut World, n: u64) -> u32 {
        self.act(n);
        let dt_s = 1.0 / f64::from(FRAMES);
        let all = std::mem::take(&mut self.there);
        let mut boxes = Boxes { all, ground_m: ground_m as Ground, dt_s };
        let step = FixedStep::try_new(1, FRAMES).expect("a fraction");
        let report = world.run_cycle_with(step, &mut boxes).expect("good bodies");
        self.there = boxes.all;
        report.steps
    }
}

fn hills(solver: Solver) -> World {
    let bed = |x: usize, y: usize| ground_m(x as f64 + 0.5, y as f64 + 0.5);
    WorldBuilder::new(terrain(WIDTH as usize, HEIGHT as usize, 1.0, bed))
        .solver(solver)
        .initial_stage(|_| 1.0)
        .build()
        .expect("a good world")
}

/// Goal: not a unit of water is lost among bodies, and no number goes wrong. Method: 200 bodies
/// over hills, with one solver after the other, for 1,200 steps; the ledger after every cycle.
#[test]
fn two_hundred_bodies_lose_nothing() {
    let most = if crate::QUICK { 300 } else { 1_200 };
    let (mut world, mut crowd) = (hills(Solver::Pipe), Crowd::new());
    let (mut touched, mut steps, mut n) = (0, 0, 0);
    while steps < most {
        n += 1;
        let solver = [Solver::ShallowWater, Solver::Pipe][usize::from(steps * 8 / most % 2 == 1)];
        world.set_solver(solver, Order::Second);
        steps += crowd.cycle(&mut world, n);
        check_books(&world);
        touched += world.structures().body_report().cells;
        if n % 20 == 0 {
            let found = violations(&world);
            assert!(found.is_empty(), "cycle {n}: {found:?}");
        }
        for one in &crowd.there {
            let Body { motion, .. } = one.body;
            let vectors = [one.load.force, one.load.torque, motion.linear, motion.angular];
            assert!(vectors.into_iter().all(DVec3::is_finite), "cycle {n}: {one:?}");
        }
    }
    assert!(touched as u64 > 200 * n, "{touched} cells in {n} cycles");
    assert!(violations(&world).is_empty());
}

/// Goal: P3 with bodies: threads change no bit, and a world that is saved and opened among them
/// goes on as the one that was not.
#[test]
fn threads_and_files_change_no_bit_among_bodies() {
    let cycles = if crate::QUICK { 40 } else { 150 };
    for solver in [Solver::ShallowWater, Solver::Pipe] {
        let run = || {
            let (mut world, mut crowd) = (hills(solver), Crowd::new());
            for n in 0..cycles {
                crowd.cycle(&mut world, n);
            }
            (world, crowd)
        };
        let (mut world, mut crowd) = on_threads(1, run);
        let (other, _) = on_threads(4, run);
        assert_eq!(world.state_hash(), other.state_hash(), "{solver:?}");

        let mut copy = from_disk("bodies", &world);
        assert_eq!(copy.state_hash(), world.state_hash(), "{solver:?}");
        let mut again = crowd.clone();
        for n in cycles..cycles + cycles / 2 {
            crowd.cycle(&mut world, n);
            again.cycle(&mut copy, n);
            assert_eq!(copy.state_hash(), world.state_hash(), "{solver:?}, cycle {n}");
        }
        assert!(again.there.iter().zip(&crowd.there).all(|(a, b)| a.body == b.body));
    }
}

/// Goal: a lake asleep wakes where a body moves, and sleeps again.
#[test]
fn a_lake_wakes_when_a_body_moves() {
    let mut world = basin(70, 10, |_, _| 0.0, |_, _| 2.0);
    let body = |up_m: f64| {
        vec![Crate::new(1, [2.0, 2.0, 1.0], [8.2, 5.1, up_m], None).expect("a box").body]
    };
    world.structures_mut().put_bodies(body(2.0)).expect("a body");
    world.run_until(seconds(3000.0));
    assert_eq!(world.simulation().awake().count(), 0, "it sleeps");
    world.structures_mut().put_bodies(body(2.0)).expect("the same body");
    world.run_until(seconds(3001.0));
    assert_eq!(world.simulation().awake().count(), 0, "what does not move wakes nobody");
    world.structures_mut().put_bodies(body(1.8)).expect("the same body, lower");
    world.run_cycle(seconds(3002.0));
    assert!(world.simulation().awake().count() > 0, "it woke");
    world.run_until(seconds(6000.0));
    assert_eq!(world.simulation().awake().count(), 0, "it sleeps again");
    check_books(&world);
}

/// Highest head of all nodes that hold water, m above the datum.
fn highest(world: &World) -> f64 {
    let region = &world.simulation().solids().region;
    let is_wet = |node: &SolidNode| {
        let cell = &region.cells[node.cell];
        match (cell.is_touched, node.is_upper) {
            (false, _) => {
                world.water().depth_m(place_of_key(cell.key)).is_some_and(|depth| depth > 0.0)
            }
            (true, true) => cell.upper > 0,
            (true, false) => cell.depth > cell.upper,
        }
    };
    let wet = region.nodes.iter().filter(|node| is_wet(node));
    wet.map(|node| node.head).fold(f64::NEG_INFINITY, f64::max)
}

/// A trench of 40 m with 1.5 m of water in an open shaft at its west end, under a roof at 1 m.
fn culvert(is_open: bool) -> (World, Vec<Crate>) {
    let bed = |x: usize, y: usize| {
        let is_trench = (2..42).contains(&x) && (3..6).contains(&y);
        if is_trench { 0.0 } else { 4.0 }
    };
    let (from, stage_m) = if is_open { (6.0, 1.5) } else { (2.0, 1.0) };
    let world = basin(44, 9, bed, move |x, _| if x < 6 { stage_m } else { 1.0 });
    let roof = [0.5 * (from + 42.0), 4.5, 2.0];
    let roof = Crate::new(1, [42.0 - from, 3.0, 2.0], roof, None).expect("a roof");
    (world, vec![roof])
}

/// Goal: a crate dropped into a full closed culvert makes no great head and loses no water. Method:
/// it falls from under the roof to the floor at 2 m/s, in a culvert with an open shaft at its end,
/// and in one that is closed all around.
#[test]
fn a_crate_dropped_into_a_full_culvert_makes_no_great_head() {
    for is_open in [true, false] {
        let (mut world, bodies) = culvert(is_open);
        let step = FixedStep::try_new(1, 60).expect("a fraction");
        let still_m = if is_open { 1.5 } else { 1.0 };
        let (speed, dt_s) = (2.0, 1.0 / 60.0);
        let falling = Crate::new(2, [2.0, 2.0, 0.4], [25.0, 4.6, 1.2], None).expect("a crate");
        let mut boxes = Boxes { all: bodies, ground_m: |_: f64, _: f64| 0.0, dt_s };
        boxes.all.push(falling);
        let mut most = f64::NEG_INFINITY;
        for n in 0..600 {
            let down = if (60..84).contains(&n) { -speed } else { 0.0 };
            boxes.all[1].body.motion.linear.z = down;
            world.run_cycle_with(step, &mut boxes).expect("good bodies");
            check_books(&world);
            most = most.max(highest(&world));
            let low = boxes.all[1].body.pose.position.z - 0.2;
            assert!(low > 0.19, "it is still over the floor: {low}");
        }
        // In the end the shaft of 12 m² holds what the crate pushed out.
        let still_m = if is_open { still_m + 3.2 / 12.0 } else { still_m };
        let bound = 1.5 * still_m + speed * speed / (2.0 * 9.81);
        assert!(most <= bound, "open {is_open}: a head of {most} m, at most {bound}");
        assert!(violations(&world).is_empty());
    }
}

/// Goal: a crate dropped into a full basin makes no great head, and what it displaces runs over the
/// edge of the pit. Method: 12 t fall from 3 m above into a pit of 6 × 6 m, full to 1 cm.
#[test]
fn a_crate_dropped_into_a_full_basin_makes_no_great_head() {
    let is_pit = |x: u32, y: u32| (7..13).contains(&x) && (7..13).contains(&y);
    let bed = move |x: usize, y: usize| if is_pit(x as u32, y as u32) { 0.0 } else { 2.0 };
    let mut world = basin(20, 20, bed, move |x, y| if is_pit(x, y) { 1.99 } else { f64::NAN });
    let (step, dt_s) = (FixedStep::try_new(1, 60).expect("a fraction"), 1.0 / 60.0);
    let falling = Crate::new(1, [2.0, 2.0, 1.5], [10.0, 10.0, 5.7], Some(2000.0));
    let ground = |x: f64, y: f64| if is_pit(x as u32, y as u32) { 0.0 } else { 2.0 };
    let mut boxes = Boxes { all: vec![falling.expect("a crate")], ground_m: ground, dt_s };
    let (mut most, mut speed) = (f64::NEG_INFINITY, 0.0_f64);
    for _ in 0..6000 {
        world.run_cycle_with(step, &mut boxes).expect("good bodies");
        check_books(&world);
        most = most.max(highest(&world));
        // It falls along a guide, or it would come to lean on the rim.
        let Body { pose, motion, .. } = &mut boxes.all[0].body;
        *pose = Pose::at([10.0, 10.0, pose.position.z]);
        (motion.linear, motion.angular) = (motion.linear.z * DVec3::Z, DVec3::ZERO);
        speed = speed.max(-motion.linear.z);
    }
    let bound = 1.5 * 1.99 + speed * speed / (2.0 * 9.81);
    assert!(most <= bound, "a head of {most} m, at most {bound}");
    assert!(speed > 5.0, "it fell at {speed} m/s");
    assert!(boxes.all[0].body.pose.position.z < 0.8, "{:?}", boxes.all[0].body.pose);
    let cells = (0..400).map(|i| CellPlace { x: i % 20, y: i / 20 });
    let over: f64 = cells
        .filter(|place| !is_pit(place.x, place.y))
        .filter_map(|place| world.water().depth_m(place))
        .sum();
    // 5.1 m³ once all is level, which takes longer: 6 m³ displaced, 0.36 m³ of room, 36 of 400 m².
    assert!(over > 3.5, "{over} m³ ran over");
    assert!(violations(&world).is_empty());
}
