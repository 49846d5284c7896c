//! Rain, inflows, links and flood maps among bodies.

use crate::support::{
    check_books, from_disk, held, moved, on_threads, pipe, report, seconds, stages, terrain,
    two_basins,
};
use thalweg::body::Body;
use thalweg::check::violations;
use thalweg::world::{Drain, MapKinds, NotKept, World, WorldBuilder};
use thalweg_engine::grid::cells::CellPlace;
use thalweg_engine::sim::Solver;
use thalweg_engine::sim::solids::region::place_of_key;
use thalweg_engine::structure::weather::Direction;

const WIDTH: u32 = 70;
const HEIGHT: u32 = 12;

/// A beach from 2 m below the datum in the west to 1.5 m above it in the east, over two leaves, and
/// a lake up to the datum.
fn beach(solver: Solver) -> WorldBuilder {
    let bed = |x: usize, _: usize| -2.0 + 0.05 * x as f64;
    WorldBuilder::new(terrain(WIDTH as usize, HEIGHT as usize, 1.0, bed))
        .solver(solver)
        .initial_stage(|_| 0.0)
        .manning(0.05)
}

/// A barge afloat, a crate under water, a house on the beach across two leaves, a bridge over dry
/// ground, and a thin wall.
fn bodies() -> Vec<Body> {
    vec![
        held(1, [7.3, 4.2, 1.0], [8.1, 5.7, 0.1]),
        held(2, [3.0, 3.0, 0.8], [17.5, 3.5, -0.9]),
        held(3, [6.4, 4.4, 4.0], [63.9, 6.1, 1.9]),
        held(4, [4.0, 6.2, 0.3], [51.9, 6.0, 1.4]),
        held(5, [0.2, 5.0, 3.0], [30.3, 4.0, 0.0]),
    ]
}

/// Sum over all cells that solids touch.
fn over_touched(world: &World, of: impl Fn(CellPlace) -> f64) -> f64 {
    let cells = world.simulation().solids().region.cells.iter();
    cells.filter(|cell| cell.is_touched).map(|cell| of(place_of_key(cell.key))).sum()
}

/// Goal: rain falls on all of the area, bodies or not, and all wet ground evaporates: to the unit.
/// Method: the books of a beach with bodies against those of the same without; houses shed what
/// falls on them.
#[test]
fn it_rains_on_bodies_to_the_unit() {
    for solver in [Solver::Pipe, Solver::ShallowWater] {
        let run = |bodies: Vec<Body>| {
            let builder = beach(solver).rain("rain", &[(0.0, 2.0e-4)]).expect("a rate");
            let mut world = builder
                .tracer("dye", |place| if place.x < 9 { 0.5 } else { 0.0 })
                .tracer_source("dye", "rain", 0.25)
                .build()
                .expect("a good world");
            world.structures_mut().put_bodies(bodies).expect("bodies");
            while world.time() < seconds(20.0) {
                world.run_cycle(seconds(20.0));
                check_books(&world);
            }
            assert!(violations(&world).is_empty(), "{:?}", violations(&world));
            world
        };
        let (with, without) = (run(bodies()), run(Vec::new()));
        let booked = |world: &World| world.water().ledger().accounts().to_vec();
        assert_eq!(booked(&with), booked(&without), "{solver:?}");
        let rain = |world: &World| moved(world, "rain").0;
        let exact = 20.0 * 2.0e-4 * f64::from(WIDTH * HEIGHT);
        assert!((rain(&with) / exact - 1.0).abs() < 1.0e-3, "{} m³, not {exact}", rain(&with));
        let region = &with.simulation().solids().region;
        let roofs = region.cells.iter().filter(|cell| cell.is_apart && cell.high > 1 << 20);
        assert!(roofs.clone().count() > 40, "roofs of the house and the bridge");
        let wet: Vec<_> = roofs.filter(|cell| cell.upper > 0).collect();
        assert!(wet.is_empty(), "{wet:?}");
        let dye = |world: &World| world.water().tracer_stored("dye").expect("dye");
        assert_eq!(dye(&with), dye(&without));
    }
}

/// Goal: evaporation and the ground take from the water at bodies what they take from that
/// elsewhere. Method: the books of a lake with a barge and a crate afloat, against the same
/// without.
#[test]
fn water_at_bodies_evaporates_and_soaks() {
    let run = |bodies: Vec<Body>, sink: &str| {
        let builder = WorldBuilder::new(terrain(20, 12, 1.0, |_, _| 0.0));
        let builder = builder.initial_stage(|_| 2.0);
        let rate = [(0.0, 1.0e-4)];
        let builder = match sink {
            "evaporation" => builder.layer(sink, Direction::Out, &rate),
            "ground" => builder.layer(sink, Direction::Ground, &rate),
            _ => builder.green_ampt(1.0e-4, 0.1),
        };
        let mut world = builder.expect("a rate").build().expect("a good world");
        world.structures_mut().put_bodies(bodies).expect("bodies");
        while world.time() < seconds(20.0) {
            world.run_cycle(seconds(20.0));
            check_books(&world);
        }
        assert!(violations(&world).is_empty(), "{:?}", violations(&world));
        let accounts = world.water().ledger().accounts();
        accounts.iter().map(|account| account.out).sum::<i128>()
    };
    let afloat =
        || vec![held(1, [7.3, 4.2, 1.0], [8.1, 5.7, 2.1]), held(2, [2.0; 3], [15.5, 4.5, 2.6])];
    for sink in ["evaporation", "ground", "Green–Ampt"] {
        let (with, without) = (run(afloat(), sink), run(Vec::new(), sink));
        assert!(with > 0, "{sink}");
        // Green–Ampt is implicit: it depends on the steps.
        let most = if sink == "Green–Ampt" { without / 1000 } else { 0 };
        assert!((with - without).abs() <= most, "{sink}: {with} and {without}");
    }
}

/// Goal: where all water of a leaf stands in cells that bodies touch, it does not sleep while that
/// evaporates. Method: a pit of one cell with a post in it.
#[test]
fn a_puddle_around_a_post_dries_up() {
    let bed = |x: usize, y: usize| if (x, y) == (5, 5) { -1.0 } else { 0.0 };
    let builder = WorldBuilder::new(terrain(12, 12, 1.0, bed));
    let builder = builder.initial_stage(|_| -0.9);
    let builder = builder.layer("sun", Direction::Out, &[(0.0, 1.0e-4)]).expect("a rate");
    let mut world = builder.build().expect("a good world");
    world
        .structures_mut()
        .put_bodies(vec![held(1, [0.5, 0.5, 4.0], [5.5, 5.5, 0.0])])
        .expect("a post");
    world.run_until(seconds(900.0));
    let left_m = world.water().depth_m(CellPlace { x: 5, y: 5 }).expect("inside");
    assert!((left_m - 0.01).abs() < 1.0e-5, "{left_m} m");
    check_books(&world);
}

/// Goal: a source goes on under a crate that stands on it, and under a barge, to the unit.
#[test]
fn sources_go_on_under_bodies() {
    for (stage_m, body) in [
        (0.0, held(1, [3.0, 3.0, 2.0], [10.5, 6.5, 1.0])),
        (1.0, held(1, [3.0, 3.0, 0.6], [10.5, 6.5, 0.3])),
        (1.5, held(1, [5.0, 5.0, 1.0], [10.5, 6.5, 1.6])),
    ] {
        let run = |bodies: Vec<Body>| {
            let cells = [CellPlace { x: 10, y: 6 }, CellPlace { x: 15, y: 6 }];
            let builder = WorldBuilder::new(terrain(20, 12, 1.0, |_, _| 0.0))
                .initial_stage(move |_| stage_m)
                .inflow("spring", &[(0.0, 0.8)], &cells);
            let mut world = builder.expect("a rate").build().expect("a good world");
            world.structures_mut().put_bodies(bodies).expect("bodies");
            while world.time() < seconds(60.0) {
                world.run_cycle(seconds(60.0));
                check_books(&world);
            }
            assert!(violations(&world).is_empty(), "{:?}", violations(&world));
            world
        };
        let (with, without) = (run(vec![body]), run(Vec::new()));
        assert_eq!(moved(&with, "spring"), moved(&without, "spring"), "{stage_m} m");
        let far = |world: &World| world.water().stage_m(CellPlace { x: 1, y: 1 }).expect("wet");
        let risen = 48.0 / 240.0;
        assert!(far(&with) > stage_m + 0.9 * risen, "{} m from {stage_m} m", far(&with));
    }
}

/// Goal: a barge over the mouth of a culvert does not shut it, nor over its end; a crate that
/// stands on its mouth does. Method: what passes in 20 s between two lakes.
#[test]
fn culverts_go_on_under_barges() {
    let passed = |bodies: Vec<Body>| -> (f64, f64) {
        let builder = two_basins()
            .initial_stage(stages(20, 4.0, 2.0))
            .link(pipe(1.0))
            .tracer("dye", |place| if place.x < 20 { 0.3 } else { 0.0 });
        let mut world = builder.build().expect("a good world");
        world.structures_mut().put_bodies(bodies).expect("bodies");
        let east = |world: &World| -> f64 {
            let places = (22..40).flat_map(|x| (0..10).map(move |y| CellPlace { x, y }));
            places.filter_map(|place| world.water().depth_m(place)).sum::<f64>() * 25.0
        };
        let before = east(&world);
        let dye = world.water().tracer_stored("dye");
        while world.time() < seconds(20.0) {
            world.run_cycle(seconds(20.0));
            check_books(&world);
        }
        assert_eq!(dye, world.water().tracer_stored("dye"));
        (east(&world) - before, report(&world).discharge_m3_s)
    };
    let barge = |id, x, up_m| held(id, [20.0, 20.0, 2.0], [x, 27.5, up_m]);
    let (free, _) = passed(Vec::new());
    assert!(free > 40.0, "{free} m³");
    let (most, rate) = passed(vec![barge(1, 80.0, 4.0), barge(2, 120.0, 2.1)]);
    assert!((most / free - 1.0).abs() < 0.1 && rate > 2.0, "{most} m³ and {free} m³, {rate} m³/s");
    let shut = passed(vec![held(1, [10.0, 10.0, 2.0], [82.5, 27.5, 1.0])]);
    assert_eq!(shut, (0.0, 0.0));
    let (over, _) = passed(vec![held(1, [10.0, 10.0, 1.0], [117.5, 27.5, 0.5])]);
    assert!((over / free - 1.0).abs() < 0.1, "{over} m³ and {free} m³");
}

fn kept<T>(plane: Result<T, NotKept>) -> T {
    plane.expect("kept")
}

/// Goal: a boat leaves no dry hole in flood maps. Method: a dam break on a shore with bodies; the
/// maps against the world's answers after each cycle, cell by cell.
#[test]
fn flood_maps_have_no_holes_under_bodies() {
    for solver in [Solver::Pipe, Solver::ShallowWater] {
        let mut world =
            WorldBuilder::new(terrain(WIDTH as usize, HEIGHT as usize, 1.0, |_, _| 0.0))
                .solver(solver)
                .initial_stage(|place| if place.x < 40 { 2.0 } else { 0.0 })
                .manning(0.03)
                .maps(MapKinds::ALL)
                .build()
                .expect("a good world");
        let above = |id, lengths, x, z| held(id, lengths, [x, 6.1, z]);
        let bodies =
            vec![above(1, [8.0, 6.0, 1.0], 50.0, 1.3), above(2, [5.0, 5.0, 0.3], 64.0, 0.15)];
        world.structures_mut().put_bodies(bodies).expect("bodies");
        let all = || (0..HEIGHT).flat_map(|y| (0..WIDTH).map(move |x| CellPlace { x, y }));
        let depth = |world: &World, place| world.water().depth_m(place).expect("inside");
        let mut most: Vec<f64> = all().map(|place| depth(&world, place)).collect();
        let mut fastest = 0.0_f64;
        while world.time() < seconds(30.0) {
            world.run_cycle(seconds(30.0));
            for (most, place) in most.iter_mut().zip(all()) {
                *most = most.max(depth(&world, place));
            }
            let east = |place| world.water().velocity_m_s(place).expect("inside")[0];
            fastest = fastest.max(over_touched(&world, east));
        }
        let scale = world.scale();
        for (most, place) in most.into_iter().zip(all()) {
            let (maps, cell) = world.maps().at(place).expect("inside");
            let seen = scale.depth_m(kept(maps.depth_max())[cell]);
            assert!(
                (seen - most).abs() < 1.0e-9,
                "{solver:?}: {seen} m at {place:?}, not {most} m"
            );
            let arrival_s = kept(maps.arrival_s())[cell];
            let (speed_max, hazard_max) = (kept(maps.speed_max()), kept(maps.hazard_max()));
            let dry = [speed_max[cell] == 0.0, hazard_max[cell] == 0.0, most < 0.05];
            assert!(
                arrival_s.is_finite() && !dry.contains(&true),
                "{solver:?}: {place:?}, {dry:?}"
            );
            let wet_last_s = kept(maps.wet_last_s())[cell];
            assert!((wet_last_s - 30.0).abs() < 1.0e-3, "{solver:?}: {place:?}");
            let wet_s = kept(maps.duration_s())[cell];
            assert!((wet_s + f64::from(arrival_s) - 30.0).abs() < 1.0, "{wet_s} s at {place:?}");
        }
        assert!(fastest > 60.0, "{solver:?}: {fastest} m/s in all touched cells");
    }
}

/// Goal: under a deck that water does not reach, and beside it, maps show the speed of the stream.
/// Method: mean discharge over depth, in a steady stream through two leaves, the deck over both.
#[test]
fn maps_show_the_speed_under_a_deck() {
    let west: Vec<CellPlace> = (0..HEIGHT).map(|y| CellPlace { x: 0, y }).collect();
    let drain = |y: u32| Drain {
        name: format!("drain {y}"),
        place: [69.5, f64::from(y) + 0.5],
        area_m2: 1.0,
        perimeter_m: 0.5,
        ..Drain::default()
    };
    let builder = WorldBuilder::new(terrain(WIDTH as usize, HEIGHT as usize, 1.0, |_, _| 0.0))
        .initial_stage(|_| 1.0)
        .manning(0.03)
        .inflow("stream", &[(0.0, 7.2)], &west)
        .expect("a rate");
    let builder = (0..HEIGHT).fold(builder, |builder, y| builder.link(drain(y)));
    let mut world = builder.build().expect("a good world");
    world
        .structures_mut()
        .put_bodies(vec![held(1, [6.0, 20.0, 0.5], [64.0, 6.0, 6.0])])
        .expect("bodies");
    world.run_until(seconds(400.0));
    assert!(over_touched(&world, |_| 1.0) > 70.0, "the deck covers cells");
    let discharge = |x: u32, y: u32| -> f64 {
        let place = CellPlace { x, y };
        let leaf = world.simulation().forest().locate(place).expect("inside").0;
        f64::from(world.simulation().water(leaf).flow_x[place.index_in_tile()])
    };
    for (x, y) in (58..68).flat_map(|x| (1..HEIGHT - 1).map(move |y| (x, y))) {
        let place = CellPlace { x, y };
        let mean = f64::midpoint(discharge(x, y), discharge(x + 1, y));
        let exact = mean / world.water().depth_m(place).expect("inside");
        let seen = world.water().velocity_m_s(place).expect("inside")[0];
        assert!(seen > 0.1 && (seen / exact - 1.0).abs() < 0.05, "{seen} {exact} {place:?}");
    }
}

/// Goal: P3 for all of it: threads change no bit of the state nor of the maps, and a world that was
/// saved under way goes on as the other.
#[test]
fn threads_and_files_change_no_bit_in_the_rain() {
    let drifting = |n: u32| {
        let mut bodies = bodies();
        bodies[0].pose.position.x += 0.11 * f64::from(n);
        bodies[1].pose.position.z += 0.02 * f64::from(n % 20);
        bodies
    };
    let cycle = |world: &mut World, n: u32| {
        world.structures_mut().put_bodies(drifting(n)).expect("bodies");
        world.run_cycle(seconds(1000.0));
        check_books(world);
    };
    let build = || {
        let cells =
            [CellPlace { x: 17, y: 3 }, CellPlace { x: 9, y: 6 }, CellPlace { x: 63, y: 6 }];
        let drain = Drain {
            name: "grate".to_owned(),
            place: [10.5, 5.5],
            area_m2: 0.2,
            perimeter_m: 1.5,
            ..Drain::default()
        };
        beach(Solver::ShallowWater)
            .rain("rain", &[(0.0, 1.0e-4)])
            .and_then(|builder| builder.layer("sun", Direction::Out, &[(0.0, 2.0e-5)]))
            .and_then(|builder| builder.green_ampt(1.0e-5, 0.1))
            .and_then(|builder| builder.inflow("spring", &[(0.0, 0.4)], &cells))
            .expect("rates")
            .tracer("dye", |place| if place.x < 9 { 0.5 } else { 0.0 })
            .tracer_source("dye", "spring", 0.7)
            .link(drain)
            .maps(MapKinds::ALL)
            .build()
            .expect("a good world")
    };
    let run = || {
        let mut world = build();
        (0..40).for_each(|n| cycle(&mut world, n));
        world
    };
    let (mut world, other) = (on_threads(1, run), on_threads(4, run));
    assert_eq!(world.state_hash(), other.state_hash());
    assert!(moved(&world, "grate").1 > 0.0);
    let same_maps = |a: &World, b: &World| {
        for place in [CellPlace { x: 0, y: 0 }, CellPlace { x: 66, y: 0 }] {
            let [a, b] = [a, b].map(|world| world.maps().at(place).expect("inside").0);
            assert!(kept(a.depth_max()) == kept(b.depth_max()));
            assert!(kept(a.speed_max()) == kept(b.speed_max()));
            assert!(kept(a.hazard_max()) == kept(b.hazard_max()));
            assert!(kept(a.duration_s()) == kept(b.duration_s()));
        }
    };
    same_maps(&world, &other);

    let mut copy = from_disk("forcing", &world);
    assert_eq!(copy.state_hash(), world.state_hash());
    for n in 40..60 {
        cycle(&mut world, n);
        cycle(&mut copy, n);
        assert_eq!(copy.state_hash(), world.state_hash(), "cycle {n}");
    }
    same_maps(&world, &copy);
    assert!(violations(&world).is_empty(), "{:?}", violations(&world));
}
