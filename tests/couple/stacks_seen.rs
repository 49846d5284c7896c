//! Stacked columns, as they are seen at points: in a cave, in rock, above and below.

use thalweg::body::{Bodies, Body, BodyId, Load, Motion, Pose, Solid};
use thalweg::glam::DVec3;
use thalweg::probe::{QueryError, Sample};
use thalweg::terrain::Terrain;
use thalweg::units::SimTime;
use thalweg::world::{CellPlace, Voids, World, WorldBuilder};
use thalweg_engine::sim::Solver;
use thalweg_engine::sim::schedule::FixedStep;

use crate::stacks::awake;
use crate::support::held;

/// Ground of the hill, and the storeys of the cell that is looked at, m.
const GROUND_M: f64 = 10.0;
const CELLAR_M: [f64; 2] = [1.0, 3.0];
const GALLERY_M: [f64; 2] = [5.0, 8.0];
const CELL: CellPlace = CellPlace { x: 5, y: 4 };

/// A hill with two storeys in one cell, the lower one full under pressure, the upper one half full.
fn storeys() -> World {
    let mut voids = Voids::new();
    voids.interval(CELL, CELLAR_M).interval(CELL, GALLERY_M);
    let terrain = Terrain::from_heights([12, 8], 2.0, |_, _| GROUND_M).expect("a hill");
    WorldBuilder::new(terrain)
        .voids(voids)
        .initial_stage_below(|_, [bed_m, _]| if bed_m < 4.0 { 4.5 } else { 6.5 })
        .initial_depth(|_| 0.25)
        .build()
        .expect("a good world")
}

#[track_caller]
fn seen(world: &World, point_m: [f64; 3]) -> Sample {
    world.stacks().at(point_m).expect("finite").expect("in the world")
}

#[test]
fn a_point_is_answered_by_the_interval_that_it_lies_in() {
    let world = storeys();
    let cases = [
        // In the cellar, from its bed to below its ceiling; in the gallery's water and air.
        (1.0, 1.0, 2.0, Some(4.5)),
        (2.999, 1.0, 2.0, Some(4.5)),
        (5.0, 5.0, 1.5, Some(6.5)),
        (7.9, 5.0, 1.5, Some(6.5)),
        // Below all, in the rock between and over them, on the ground and high above.
        (0.5, 10.0, 0.25, Some(10.25)),
        (3.0, 10.0, 0.25, Some(10.25)),
        (4.0, 10.0, 0.25, Some(10.25)),
        (9.0, 10.0, 0.25, Some(10.25)),
        (10.0, 10.0, 0.25, Some(10.25)),
        (1.0e6, 10.0, 0.25, Some(10.25)),
    ];
    for (z, bed_m, depth_m, stage_m) in cases {
        let sample = seen(&world, [11.0, 9.0, z]);
        let found = (sample.bed_m, sample.depth_m, sample.stage_m);
        assert_eq!(found, (bed_m, depth_m, stage_m), "at {z} m");
        assert_eq!((sample.wetness, sample.normal), (1.0, [0.0, 0.0, 1.0]), "at {z} m");
    }
}

#[test]
fn beside_all_intervals_the_answer_is_that_of_the_open_water() {
    let world = storeys();
    for [x, y] in [[9.9, 9.0], [12.1, 9.0], [11.0, 7.9], [11.0, 10.1], [-1.0, 3.0], [24.1, 3.0]] {
        let open = world.query().at([x, y]);
        assert_eq!(world.stacks().at([x, y, 2.0]), open, "at {x}, {y}");
    }
    let open =
        WorldBuilder::new(Terrain::from_heights([4, 4], 1.0, |x, _| x as f64).expect("fine"));
    let open = open.initial_stage(|_| 1.5).build().expect("a good world");
    assert_eq!(open.stacks().at([1.3, 2.0, -5.0]), open.query().at([1.3, 2.0]));
}

#[test]
fn a_point_that_is_none_is_refused() {
    let world = storeys();
    let at = |point: [f64; 3]| world.stacks().at(point);
    assert!(matches!(at([11.0, 9.0, f64::NAN]), Err(QueryError::Height(z)) if z.is_nan()));
    assert_eq!(at([11.0, 9.0, f64::INFINITY]), Err(QueryError::Height(f64::INFINITY)));
    let east = f64::NEG_INFINITY;
    let refused = at([east, 9.0, 2.0]).expect_err("no place");
    assert_eq!(refused, QueryError::Place { index: 0, place_m: [east, 9.0] });
    let said = at([11.0, 9.0, f64::INFINITY]).expect_err("no height").to_string();
    assert!(said.contains("inf m") && said.contains("give finite metres"), "{said}");
}

/// Weight of the water that buoys up a box of 1 m³ in the hill, by the height of its middle, as a
/// part of all that it could be.
fn buoyed(world: &mut World, z: f64) -> f64 {
    let bodies = vec![held(1, [1.0; 3], [11.0, 9.0, z])];
    world.structures_mut().put_bodies(bodies).expect("a box");
    let loads = world.structures().loads(0.02);
    let weight = 1000.0 * world.settings().gravity;
    loads[0].1.force.z / weight
}

/// Goal: a body is buoyed up by the water of the interval that it is in, and by no other.
#[test]
fn a_box_floats_in_the_interval_that_it_is_in() {
    let mut world = storeys();
    let cases = [
        // Under pressure in the cellar; in the gallery above its water, at its surface, and below.
        (2.0, 1.0),
        (7.25, 0.0),
        (6.5, 0.5),
        (6.25, 0.75),
        (5.75, 1.0),
        // On the hill, in its film of water.
        (10.5, 0.25),
        (12.0, 0.0),
    ];
    for (z, part) in cases {
        let found = buoyed(&mut world, z);
        assert!((found - part).abs() < 1.0e-3, "at {z} m: {found}, not {part}");
    }
    // A dry cellar below a lake.
    let mut voids = Voids::new();
    voids.interval(CELL, CELLAR_M);
    let terrain = Terrain::from_heights([12, 8], 2.0, |_, _| GROUND_M).expect("a hill");
    let lake = WorldBuilder::new(terrain).voids(voids).initial_depth(|_| 3.0);
    let mut lake = lake.build().expect("a good world");
    let [dry, above] = [2.0, 13.0].map(|z| buoyed(&mut lake, z));
    assert!(dry.abs() < 1.0e-9 && (above - 0.5).abs() < 1.0e-3, "{dry}, {above}");
}

/// A crate of a cubic metre, as heavy as half of its water.
struct Crate {
    solid: Solid,
    at: DVec3,
    speed: DVec3,
}

impl Bodies for Crate {
    fn solids(&mut self, put: &mut dyn FnMut(Body)) {
        let motion = Motion { linear: self.speed, ..Motion::default() };
        let (solid, pose) = (self.solid.clone(), Pose::at(self.at));
        put(Body { id: BodyId(1), solid, pose, motion, mass_kg: Some(500.0) });
    }

    fn loads(&mut self, loads: &[(BodyId, Load)]) {
        let (force, _) = loads[0].1.for_engine(500.0, 9.81, self.at);
        self.speed += (force / 500.0 - 9.81 * DVec3::Z) / 60.0;
        self.at += self.speed / 60.0;
    }
}

/// Goal: a crate that falls in a gallery below a lake comes to rest at the gallery's water.
#[test]
fn a_crate_comes_to_rest_on_the_water_of_a_gallery() {
    let mut world = storeys();
    let solid = Solid::cuboid([1.0; 3]).expect("a box");
    let mut falling = Crate { solid, at: DVec3::new(11.0, 9.0, 7.4), speed: DVec3::ZERO };
    for _ in 0..1800 {
        let step = FixedStep::try_new(1, 60).expect("a sixtieth");
        world.run_cycle_with(step, &mut falling).expect("it goes on");
    }
    assert!((falling.at.z - 6.5).abs() < 0.02, "{}", falling.at);
    assert!((falling.at.x - 11.0).abs() < 0.1 && falling.speed.length() < 0.02);
    assert_eq!(world.water().stored(), world.water().ledger().expected());
}

/// Goal: the velocity of a full tunnel is its discharge over its height, and its head falls from
/// pond to pond.
#[test]
fn a_tunnel_between_ponds_flows_as_its_discharge_says() {
    for solver in [Solver::Pipe, Solver::ShallowWater] {
        let ground = |x: usize| if (20..44).contains(&x) { 10.0 } else { 0.0 };
        let terrain = Terrain::from_heights([64, 8], 1.0, |x, _| ground(x)).expect("a hill");
        let mut voids = Voids::new();
        voids.carve(CellPlace { x: 20, y: 3 }, CellPlace { x: 44, y: 5 }, [0.0, 1.0]);
        let builder = WorldBuilder::new(terrain).settings(awake(solver)).voids(voids);
        let ponds = builder.initial_stage(|place| if place.x < 20 { 6.0 } else { 2.0 });
        let mut world = ponds.build().expect("a good world");
        world.run_until(SimTime::from_seconds(8.0));
        let mut last_m = f64::INFINITY;
        for x in [22_u32, 30, 41] {
            let at = f64::from(x) + 0.5;
            let sample = seen(&world, [at, 3.5, 0.5]);
            let own = |x: u32| world.stacks().intervals_at(CellPlace { x, y: 3 })[0];
            let flow = 0.5 * (own(x).flow_m2_s[0] + own(x + 1).flow_m2_s[0]);
            let [u, v] = sample.velocity_m_s;
            assert!((u - flow / sample.depth_m).abs() < 1.0e-9, "{solver:?}, {x}: {u} and {flow}");
            assert!(u > 0.5 && v.abs() < 0.2 * u, "{solver:?}, {x}: {u}, {v}");
            let head_m = sample.stage_m.expect("water");
            // At its end the head is that of the pond, which the jet draws down a little.
            assert!((1.5..6.0).contains(&head_m) && head_m < last_m, "{solver:?}, {x}: {head_m}");
            assert!((sample.depth_m - 1.0).abs() < 0.01, "{solver:?}, {x}: full");
            last_m = head_m;
            // The hill above is dry.
            assert!(!seen(&world, [at, 3.5, 5.0]).is_wet(), "{solver:?}, {x}");
        }
    }
}
