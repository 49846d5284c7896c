//! Bodies in the water.

use crate::support::{basin, check_books, held, seconds, terrain};
use thalweg::glam::DQuat;
use thalweg::world::{Fluid, World, WorldBuilder};
use thalweg_engine::grid::cells::CellPlace;
use thalweg_engine::sim::schedule::FixedStep;

/// Goal: water around bodies comes to rest, and stays there. Method: a lake with a box held
/// afloat, one on the ground under water and a thin wall, until all of it sleeps; then the surface
/// stands higher by what they displace, and not a unit moves.
#[test]
fn water_around_bodies_comes_to_rest() {
    let mut world = basin(24, 24, |_, _| 0.0, |_, _| 2.0);
    let bodies = vec![
        held(1, [3.3, 2.7, 1.0], [6.1, 6.2, 2.2]),
        held(2, [4.0, 4.0, 0.8], [16.5, 6.5, 0.4]),
        held(3, [0.2, 6.0, 6.0], [12.3, 17.0, 0.0]),
    ];
    world.structures_mut().put_bodies(bodies).expect("bodies");
    world.run_until(seconds(3000.0));
    check_books(&world);
    assert_eq!(world.simulation().awake().count(), 0, "it sleeps");
    let stage = world.water().stage_m(CellPlace { x: 1, y: 1 }).expect("wet");
    // (576 − 3.3 · 2.7 − 0.2 · 6) η = 576 · 2 + 4 · 4 · 0.8 − 3.3 · 2.7 · 1.7
    let expected = (1152.0 + 12.8 - 8.91 * 1.7) / (576.0 - 8.91 - 1.2);
    assert!((stage - expected).abs() < 2.0e-4, "{stage} is not {expected}");
    let depths = |world: &World| -> Vec<Option<f64>> {
        (0..24 * 24).map(|i| world.water().depth_m(CellPlace { x: i % 24, y: i / 24 })).collect()
    };
    let before = depths(&world);
    world.run_until(seconds(3600.0));
    assert_eq!(before, depths(&world));
}

/// Goal: a box on the ground that is lifted out leaves a surface lower by what it took. Method: the
/// surface in a corner, once all sleeps; sleep lets 0.12 mm stand between two cells.
#[test]
fn a_box_that_is_lifted_out_leaves_its_volume() {
    let mut world = basin(20, 20, |_, _| 0.0, |_, _| 2.0);
    let wait = |world: &mut World| {
        world.run_until(world.time().after(seconds(2000.0).ticks()));
        check_books(world);
        world.water().stage_m(CellPlace { x: 1, y: 1 }).expect("wet")
    };
    world
        .structures_mut()
        .put_bodies(vec![held(1, [4.0, 5.0, 1.0], [10.0, 10.5, 0.5])])
        .expect("a body");
    let with = wait(&mut world);
    world.structures_mut().put_bodies(Vec::new()).expect("no bodies");
    let without = wait(&mut world);
    assert!((with - without - 20.0 / 400.0).abs() < 5.0e-4, "{with} {without}");
}

/// Goal: bodies feel the density of the world's fluid, and a mud beside and under them is kept to
/// the unit and comes to rest. Method: the lift of a box that is held half under, against the
/// weight of what it displaces, in water and in two fluids, which then run until they sleep.
#[test]
fn bodies_feel_the_density_of_the_fluid() {
    let fluid = |density_kg_m3, yield_stress_pa| Fluid {
        density_kg_m3,
        viscosity_pa_s: 0.002 * yield_stress_pa,
        yield_stress_pa,
        ..Fluid::WATER
    };
    let put = |fluid: Fluid| {
        let mut world = WorldBuilder::new(terrain(20, 20, 1.0, |_, _| 0.0))
            .fluid(fluid)
            .manning(1.0)
            .initial_depth(|place| if place.x < 15 { 2.0 } else { 0.5 })
            .build()
            .expect("a good world");
        let body = held(1, [3.0, 3.0, 1.0], [7.3, 10.1, 2.0]);
        world.structures_mut().put_bodies(vec![body]).expect("a body");
        // Bodies displace water from the next cycle on.
        world.run_until(seconds(0.01));
        let (_, load) = world.structures().loads(0.1)[0];
        let (lift, weight) = (load.force.z, load.submerged_m3 * fluid.density_kg_m3 * 9.81);
        assert!(load.submerged_m3 > 4.5, "{} m³ in {fluid:?}", load.submerged_m3);
        assert!((lift / weight - 1.0).abs() < 1.0e-3, "{lift} N, not {weight} N in {fluid:?}");
        (world, lift)
    };
    let (_, in_water) = put(Fluid::WATER);
    for mud in [fluid(1800.0, 0.0), fluid(1800.0, 500.0)] {
        let (mut world, lift) = put(mud);
        if !mud.resists() {
            assert!((lift / in_water - 1.8).abs() < 1.0e-9, "{lift} N in {mud:?}");
        }
        world.run_until(seconds(3000.0));
        check_books(&world);
        assert_eq!(world.simulation().awake().count(), 0, "{mud:?}: it sleeps");
    }
}

/// Goal: momentum and tracers are kept where bodies come, move and go. Method: a lake with a
/// coloured half, through which a box that sinks is moved.
#[test]
fn colour_is_kept_around_bodies() {
    let mut world = WorldBuilder::new(terrain(20, 12, 1.0, |_, _| 0.0))
        .initial_stage(|_| 1.5)
        .tracer("dye", |place| if place.x < 10 { 1.0 } else { 0.0 })
        .build()
        .expect("a good world");
    let before = world.water().tracer_stored("dye").expect("dye");
    assert!(before > 0);
    for step in 0..80 {
        let along = f64::from(step);
        let position = [3.1 + 0.15 * along, 5.7, 2.6 - 0.03 * along];
        world
            .structures_mut()
            .put_bodies(vec![held(1, [2.6, 3.2, 1.0], position)])
            .expect("a body");
        world.run_cycle(seconds(1000.0));
        check_books(&world);
        assert_eq!(world.water().tracer_stored("dye"), Some(before), "step {step}");
    }
    world.structures_mut().put_bodies(Vec::new()).expect("none");
    world.run_until(seconds(200.0));
    assert_eq!(world.water().tracer_stored("dye"), Some(before));
    let mixed = world.water().concentration("dye", CellPlace { x: 12, y: 5 }).expect("inside");
    assert!((0.0..=1.0).contains(&mixed));
}

/// Goal: a wall without a gap is tight where a body that floats lies against it. Method: a thin
/// wall across a basin of two stages, and a barge moored to it on either side.
#[test]
fn a_wall_is_tight_beside_a_barge() {
    for barge_x in [11.6, 8.35] {
        let mut world = basin(20, 8, |_, _| 0.0, |x, _| if x < 10 { 2.0 } else { 1.0 });
        let east = |world: &World| -> f64 {
            let places = (10..20).flat_map(|x| (0..8).map(move |y| CellPlace { x, y }));
            places.filter_map(|place| world.water().depth_m(place)).sum()
        };
        let wall = held(1, [0.1, 9.0, 8.0], [10.0, 4.0, 2.0]);
        let barge = held(2, [3.0, 4.0, 1.5], [barge_x, 4.1, 1.4]);
        let before = east(&world);
        world.structures_mut().put_bodies(vec![wall, barge]).expect("bodies");
        world.run_until(seconds(60.0));
        check_books(&world);
        let leak = (east(&world) - before).abs();
        assert!(leak < 1.0e-5, "{leak} m³ beside a barge at {barge_x}");
    }
}

/// Goal: water under a crate on dry ground is pressed out, and all comes to rest.
#[test]
fn a_puddle_under_a_crate_is_pressed_out() {
    let in_middle = |x: u32, y: u32| (5..8).contains(&x) && (5..8).contains(&y);
    let mut world = basin(13, 13, |_, _| 0.0, move |x, y| if in_middle(x, y) { 0.5 } else { 0.0 });
    for top in [1.6, 1.45, 1.3, 1.2] {
        world
            .structures_mut()
            .put_bodies(vec![held(1, [3.0, 3.0, 1.0], [6.5, 6.5, top - 0.5])])
            .expect("a crate");
        world.run_until(world.time().after(seconds(30.0).ticks()));
        check_books(&world);
    }
    world.run_until(seconds(3000.0));
    let outside = world.water().depth_m(CellPlace { x: 1, y: 6 }).expect("inside");
    assert!(outside > 0.01, "{outside} m outside");
    assert_eq!(world.simulation().awake().count(), 0, "it sleeps");
}

/// Goal: a film that runs off bodies does not shorten the steps of a whole lake. Method: boxes of
/// many sizes are put into 5 m of water at once, so that it washes over them, and bob; a step of
/// 1/60 s is enough for water of that depth, however it falls.
#[test]
fn films_over_bodies_do_not_shorten_steps() {
    let mut world = basin(64, 64, |_, _| 0.0, |_, _| 5.0);
    let step = FixedStep::try_new(1, 60).expect("a fraction");
    for cycle in 0..24 {
        let phase = f64::from(cycle + 1) / 30.0;
        let [sway, heave] = [0.05 * phase.cos(), 0.1 * phase.sin()];
        let bodies = (0..16_u32).map(|index| {
            let [column, row] = [index % 4, index / 4].map(f64::from);
            let lengths = [1.0 + 0.77 * column, 1.3 + 0.81 * row, 1.0];
            let position = [8.3 + 15.9 * column + sway, 7.9 + 16.2 * row, 5.0 + heave];
            let mut body = held(u64::from(index), lengths, position);
            body.pose.rotation = DQuat::from_rotation_z(0.4 * f64::from(index));
            body
        });
        world.structures_mut().put_bodies(bodies.collect()).expect("bodies");
        let steps = world.run_cycle(step).steps;
        assert_eq!(steps, 1, "cycle {cycle}");
        check_books(&world);
    }
}
