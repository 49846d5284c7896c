//! Fluids with viscosity and a yield stress, against the law of their resistance.

use crate::support::{TempFile, on_threads, scale, terrain};
use std::f64::consts::FRAC_1_SQRT_2;
use thalweg::units::SimTime;
use thalweg::world::{Drain, SaveFile, World, WorldBuilder};
use thalweg_engine::flow::versions::versions;
use thalweg_engine::grid::cells::CellPlace;
use thalweg_engine::sim::{Fluid, Settings, Solver};

const SOLVERS: [Solver; 2] = [Solver::Pipe, Solver::ShallowWater];
const GRAVITY: f64 = 9.81;

fn fluid(density_kg_m3: f64, viscosity_pa_s: f64, yield_stress_pa: f64) -> Fluid {
    Fluid { density_kg_m3, viscosity_pa_s, yield_stress_pa, ..Fluid::WATER }
}

fn settings(solver: Solver, fluid: Fluid, n: f64) -> Settings {
    Settings { solver, fluid, manning_n: vec![n], ..Settings::default() }
}

/// A plane of 100 × 100 m that falls in a direction, under a layer of one depth.
fn layer(slope: f64, [east, north]: [f64; 2], depth_m: f64, settings: Settings) -> World {
    let ground = terrain(100, 100, 1.0, scale(20, 0.0), |x, y| {
        -slope * (east * (x as f64 - 50.0) + north * (y as f64 - 50.0))
    });
    let builder = WorldBuilder::new(ground).settings(settings);
    builder.initial_depth(move |_| depth_m).build().expect("a good world")
}

const MIDDLE: CellPlace = CellPlace { x: 50, y: 50 };

const DIRECTIONS: [[f64; 2]; 3] = [[1.0, 0.0], [0.8, 0.6], [FRAC_1_SQRT_2; 2]];

/// Goal: a laminar film runs as V = ρ g S h²/(K μ/8), in any direction to the grid.
/// Method: a layer on a plane, in its middle, before anything from its edges arrives.
#[test]
fn a_film_runs_as_the_laminar_law_has_it() {
    for (slope, direction) in
        [0.01, 0.1, 0.3].into_iter().flat_map(|slope| DIRECTIONS.map(|to| (slope, to)))
    {
        // So viscous that the film runs at 0.2 m/s.
        let (depth_m, density, speed): (f64, f64, f64) = (0.2, 1400.0, 0.2);
        let viscosity = density * GRAVITY * slope * depth_m * depth_m / (3.0 * speed);
        for solver in SOLVERS {
            let settings = settings(solver, fluid(density, viscosity, 0.0), 0.0);
            let mut world = layer(slope, direction, depth_m, settings);
            world.run_until(SimTime::from_seconds(20.0));
            check_speed(&world, speed, direction, &format!("{solver:?}, slope {slope}"));
        }
    }
}

/// Goal: yield stress, viscosity and roughness slow a flow down together, by the sum of their
/// slopes.
#[test]
fn a_mud_runs_as_the_quadratic_law_has_it() {
    let (slope, depth_m, n): (f64, f64, f64) = (0.1, 0.5, 0.05);
    let mud = fluid(1600.0, 60.0, 300.0);
    let weight = mud.density_kg_m3 * GRAVITY * depth_m;
    let a = n * n / depth_m.powf(4.0 / 3.0);
    let b = 24.0 * mud.viscosity_pa_s / (8.0 * weight * depth_m);
    let c = mud.yield_stress_pa / weight - slope;
    let speed = ((b * b - 4.0 * a * c).sqrt() - b) / (2.0 * a);
    for (solver, direction) in
        SOLVERS.into_iter().flat_map(|solver| DIRECTIONS.map(|direction| (solver, direction)))
    {
        let mut world = layer(slope, direction, depth_m, settings(solver, mud, n));
        world.run_until(SimTime::from_seconds(12.0));
        check_speed(&world, speed, direction, &format!("{solver:?}"));
    }
}

#[track_caller]
fn check_speed(world: &World, speed: f64, direction: [f64; 2], case: &str) {
    let [u, v] = world.water().velocity_m_s(MIDDLE).expect("inside");
    let along = u * direction[0] + v * direction[1];
    let across = u * direction[1] - v * direction[0];
    println!("{case}, to {direction:?}: {:+.2} %", 100.0 * (along / speed - 1.0));
    assert!((along / speed - 1.0).abs() < 0.02, "{case}, to {direction:?}: {along} m/s");
    assert!(across.abs() < 0.02 * speed, "{case}, to {direction:?}: {across} m/s across");
}

/// Goal: a layer stays at rest below its yield slope and runs above it, whatever the direction, and
/// one at rest sleeps.
#[test]
fn a_layer_yields_at_one_slope_in_every_direction() {
    let depth_m = 0.5;
    for (solver, direction) in
        SOLVERS.into_iter().flat_map(|solver| DIRECTIONS.map(|direction| (solver, direction)))
    {
        for (part, runs) in [(0.97, false), (1.03, true)] {
            let (density, slope) = (1500.0, 0.08);
            let stress = density * GRAVITY * depth_m * slope / part;
            let mud = fluid(density, 50.0, stress);
            let mut world = layer(slope, direction, depth_m, settings(solver, mud, 0.03));
            world.run_until(SimTime::from_seconds(4.0));
            let speed = world.water().speed_m_s(MIDDLE).expect("inside");
            let case = format!("{solver:?}, to {direction:?}, {part} of the yield: {speed} m/s");
            assert_eq!(speed > 0.0, runs, "{case}");
        }
    }
}

/// A mud behind a dam at the west end of a flat channel of so many cells a metre.
fn dam(solver: Solver, mud: Fluid) -> World {
    let ground = terrain(128, 4, 0.25, scale(20, 0.0), |_, _| 0.0);
    WorldBuilder::new(ground)
        .settings(settings(solver, mud, 0.0))
        .initial_depth(|place| if place.x < 40 { 2.0 } else { 0.0 })
        .build()
        .expect("a good world")
}

/// Runs a world until all of it sleeps.
#[track_caller]
fn until_asleep(world: &mut World, most_s: f64) {
    let end = SimTime::from_seconds(most_s);
    while world.run_cycle(end).awake > 0 {
        assert!(world.time() < end, "still awake after {most_s} s");
        assert_eq!(world.water().stored(), world.water().ledger().expected());
    }
}

/// Goal: a very viscous Bingham mud that a dam lets go ends as h = √(2 τ_y (L − x)/(ρ g)).
#[test]
fn a_dam_break_of_mud_ends_at_its_yield_profile() {
    let mud = fluid(1500.0, 8_000.0, 1_000.0);
    for solver in SOLVERS {
        let mut world = dam(solver, mud);
        until_asleep(&mut world, 4_000.0);
        let rise = 2.0 * mud.yield_stress_pa / (mud.density_kg_m3 * GRAVITY);
        // Volume of the profile per metre of width: ⅔ √rise L^(3/2).
        let length = (20.0 * 1.5 / rise.sqrt()).powf(2.0 / 3.0);
        let mut worst = 0.0_f64;
        for x in 0..128 {
            let depth = world.water().depth_m(CellPlace { x, y: 2 }).expect("inside");
            let left = length - 0.25 * (f64::from(x) + 0.5);
            let wanted = (rise * left.max(0.0)).sqrt();
            // The last cells before the front are coarse for a profile that is upright there.
            if left > 1.0 {
                worst = worst.max((depth - wanted).abs());
            }
        }
        let at = world.time().seconds();
        println!("{solver:?}: {worst:.4} m off after {at:.0} s, front at {length:.2} m");
        assert!(worst < 0.06, "{solver:?}: {worst} m of 2 m");
    }
}

/// A heap of mud on a valley side that falls at an angle to the grid.
fn heap(solver: Solver) -> World {
    let ground = terrain(150, 100, 2.0, scale(20, 0.0), |x, y| {
        let (x, y) = (x as f64, y as f64);
        0.12 * (0.8 * x + 0.6 * y) + 0.3 * ((0.2 * x).sin() + (0.17 * y).cos())
    });
    let from = |x: u32, y: u32| (f64::from(x) - 100.0).hypot(f64::from(y) - 60.0);
    WorldBuilder::new(ground)
        .settings(settings(solver, fluid(1700.0, 80.0, 900.0), 0.04))
        .initial_depth(move |place| (4.0 - 0.25 * from(place.x, place.y)).max(0.0))
        .build()
        .expect("a good world")
}

/// Goal: a mud runs down a slope, stops on it, sleeps, and stays as it is for ever, to the unit.
#[test]
fn a_mud_stops_on_a_slope_and_sleeps() {
    for solver in SOLVERS {
        let mut world = heap(solver);
        let start = world.water().stored();
        until_asleep(&mut world, 2_000.0);
        let (stopped, hash) = (world.time().seconds(), world.state_hash());
        let deepest = deepest(&world);
        let (x, _) = deepest.1;
        println!("{solver:?}: asleep after {stopped:.0} s, {:.2} m in column {x}", deepest.0);
        assert!(deepest.0 > 0.4, "{solver:?}: it lies on the slope");
        assert!((5.0..2_000.0).contains(&stopped), "{solver:?}: {stopped} s");
        assert_eq!(world.water().stored(), start, "{solver:?}");
        let depths = depths(&world);
        for _ in 0..50 {
            let end = SimTime::from_seconds(world.time().seconds() + 1_000.0);
            assert_eq!(world.run_cycle(end).awake, 0, "{solver:?}: it sleeps");
        }
        assert_ne!(world.state_hash(), hash, "time goes on");
        assert_eq!(self::depths(&world), depths, "{solver:?}");
    }
}

fn depths(world: &World) -> Vec<f64> {
    let places = (0..100).flat_map(|y| (0..150).map(move |x| CellPlace { x, y }));
    places.map(|place| world.water().depth_m(place).expect("inside")).collect()
}

fn deepest(world: &World) -> (f64, (u32, u32)) {
    let places = (0..100).flat_map(|y| (0..150).map(move |x| (x, y)));
    let depth = |(x, y)| world.water().depth_m(CellPlace { x, y }).expect("inside");
    places.map(|at| (depth(at), at)).fold((0.0, (0, 0)), |a, b| if b.0 > a.0 { b } else { a })
}

/// Goal: mud that flows wakes the tiles beside it, and no sleeper beyond whose mud its yield stress
/// holds, until that would move.
/// Method: three tiles of a slope under a layer at rest; a spring in the third, then one in the
/// second at the border of the first.
#[test]
fn mud_at_rest_sleeps_beside_mud_that_is_awake() {
    for solver in SOLVERS {
        let ground = terrain(192, 64, 1.0, scale(20, 0.0), |x, _| 0.03 * x as f64);
        let mud = fluid(1500.0, 20.0, 1500.0 * GRAVITY * 0.5 * 0.08);
        let at = |x| CellPlace { x, y: 32 };
        let mut world = WorldBuilder::new(ground)
            .settings(settings(solver, mud, 0.03))
            .initial_depth(|_| 0.5)
            .inflow("far", &[(0.0, 0.0), (100.0, 0.0), (101.0, 2.0), (300.0, 2.0)], &[at(180)])
            .and_then(|b| {
                b.inflow("near", &[(0.0, 0.0), (160.0, 0.0), (161.0, 2.0), (300.0, 2.0)], &[at(67)])
            })
            .and_then(WorldBuilder::build)
            .expect("a good world");
        let until = |world: &mut World, end_s: f64| {
            let (end, mut most) = (SimTime::from_seconds(end_s), 0);
            while world.time() < end {
                most = most.max(world.run_cycle(end).awake);
            }
            most
        };
        let depth = |world: &World| world.water().depth_m(at(62)).expect("inside");
        until(&mut world, 90.0);
        assert_eq!(until(&mut world, 100.0), 0, "{solver:?}: all of it sleeps");
        let before = depth(&world);
        assert_eq!(until(&mut world, 160.0), 2, "{solver:?}: the first tile sleeps on");
        assert_eq!(until(&mut world, 240.0), 3, "{solver:?}: it wakes");
        let profile: Vec<f64> =
            (55..80).map(|x| world.water().depth_m(at(x)).expect("inside")).collect();
        assert!(depth(&world) > before + 0.05, "{solver:?}: {before} m, {profile:.3?}");
        assert_eq!(world.water().stored(), world.water().ledger().expected(), "{solver:?}");
    }
}

/// Goal: what no fluid is, and links beside a mud, are refused with what to do.
#[test]
fn what_a_fluid_cannot_be_is_refused() {
    let water = Fluid::WATER;
    for (fluid, said) in [
        (Fluid { density_kg_m3: 1.5, ..water }, "the density of the fluid is 1.5: choose 100 to"),
        (Fluid { density_kg_m3: f64::NAN, ..water }, "the density of the fluid is NaN"),
        (Fluid { viscosity_pa_s: -1.0, ..water }, "the viscosity of the fluid is -1: choose 0"),
        (Fluid { yield_stress_pa: 2.0e6, ..water }, "the yield stress of the fluid is 2000000"),
        (Fluid { resistance: 0.0, ..water }, "the laminar resistance of the fluid is 0"),
    ] {
        let error = Settings { fluid, ..Settings::default() }.check().expect_err(said).to_string();
        assert!(error.starts_with(said), "{error}");
    }
    let ground = terrain(20, 20, 1.0, scale(20, 0.0), |_, _| 0.0);
    let drain = Drain { name: "gully".into(), place: [5.5, 5.5], ..Drain::default() };
    let builder = WorldBuilder::new(ground).fluid(fluid(1500.0, 1.0, 0.0)).link(drain);
    let error = builder.build().map(drop).expect_err("a drain of mud").to_string();
    assert!(error.contains("gully") && error.contains("take it out, or choose"), "{error}");
}

fn cycles(world: &mut World, count: u32) {
    for _ in 0..count {
        world.run_cycle(SimTime::MAX);
    }
}

/// Goal: the same bits from any number of threads and any instruction set, and after a file.
#[test]
fn a_fluid_has_the_same_bits_everywhere() {
    for solver in SOLVERS {
        let mut first = heap(solver);
        cycles(&mut first, 40);
        let digest = first.state_hash();
        for version in versions() {
            let mut world = heap(solver);
            world.set_version(version);
            on_threads(3, || cycles(&mut world, 40));
            assert_eq!(world.state_hash(), digest, "{solver:?}, {}", version.name);
        }
        let path = TempFile::new("fluid");
        let mut half = heap(solver);
        cycles(&mut half, 20);
        SaveFile::create(&path.0, &half).expect("a new file").save(&half).expect("saved");
        let mut opened =
            SaveFile::read(&path.0).expect("a file").load(Vec::new()).expect("a world");
        assert_eq!(opened.settings(), half.settings(), "{solver:?}");
        cycles(&mut opened, 20);
        assert_eq!(opened.state_hash(), digest, "{solver:?}: from a file");
    }
}
