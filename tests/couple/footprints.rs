//! Water at the footprints of buildings, and at a dam.

#![expect(clippy::float_cmp, reason = "the same numbers, or whole ones")]

use crate::actions::disc;
use crate::support::{cycle, from_disk, seconds, stages, terrain, two_basins};
use thalweg::terrain::Shape;
use thalweg::world::{Action, Amount, Barrier, MapKinds, World, WorldBuilder};

/// 6 × 4 m, along the cells of 2 m.
const HOUSE: [[f64; 2]; 4] = [[40.0, 40.0], [46.0, 40.0], [46.0, 44.0], [40.0, 44.0]];

fn plain() -> World {
    let builder = WorldBuilder::new(terrain(64, 64, 2.0, |_, _| 0.0));
    builder.maps(MapKinds::ALL).build().expect("good")
}

fn over_house(amount: Amount) -> Action {
    Action::AddWater { area: Shape::Polygon { corners_m: HOUSE.to_vec() }, amount }
}

/// Goal: depths, share, hazard and times of a house in a flood that comes and goes.
#[test]
fn a_house_is_dry_wet_and_dry_again() {
    let mut world = plain();
    let dry = world.maps().footprint(&HOUSE).expect("a polygon");
    assert_eq!((dry.wet_share(), dry.now.area_m2), (0.0, 24.0));
    assert_eq!((dry.deepest_s, dry.arrival_s, dry.wet_last_s), (None, None, None));
    assert_eq!(
        (dry.hazard_max, dry.since_first_wet_s(), dry.since_last_wet_s()),
        (0.0, None, None)
    );
    world.run_until(seconds(100.0));

    world.edits().act(over_house(Amount::DepthM(1.0))).expect("good");
    let now = world.maps().footprint(&HOUSE).expect("a polygon");
    assert_eq!((now.now.depth_max_m, now.now.depth_mean_m(), now.wet_share()), (1.0, 1.0, 1.0));
    assert_eq!((now.now.volume_m3, now.hazard_now), (24.0, 0.5));
    assert_eq!(now.since_last_wet_s(), Some(0.0));
    let look = world.run_cycle(seconds(101.5)).time.seconds();
    world.run_until(seconds(140.0));
    let all = Shape::Rectangle { low_m: [0.0, 0.0], high_m: [128.0, 128.0] };
    let last = world.time().seconds();
    let wet = world.maps().footprint(&HOUSE).expect("a polygon");
    assert!(wet.since_last_wet_s() == Some(0.0) && wet.hazard_max > 0.2, "{wet:?}");
    world
        .edits()
        .act(Action::RemoveWater { area: all, amount: Amount::StageM(0.0) })
        .expect("good");
    assert_eq!(world.water().stored(), 0);
    while world.time() < seconds(200.0) {
        cycle(&mut world);
    }
    let after = world.maps().footprint(&HOUSE).expect("a polygon");
    // Maps are kept as binary32.
    let close = |time: Option<f64>, exact: f64| {
        let time = time.expect("there was water");
        assert!((time - exact).abs() < 1e-4, "{time}, not {exact}");
    };
    close(after.arrival_s, look);
    close(after.deepest_s, look);
    close(after.wet_last_s, last);
    close(after.since_last_wet_s(), world.time().seconds() - last);
    assert_eq!((after.wet_share(), after.hazard_now), (0.0, 0.0));
    assert!(after.peak.depth_max_m > 0.1 && after.peak.depth_max_m < 1.0, "{after:?}");
    // What was wet at a look counts until the next one, a cycle later.
    let spare_s = after.duration_s - (last - look);
    assert!((0.0..10.0).contains(&spare_s), "{spare_s}: {after:?}");
}

/// Goal: the answers for a footprint are kept in the world's file.
#[test]
fn a_saved_world_knows_its_footprints() {
    let mut world = plain();
    world.edits().act(over_house(Amount::VolumeM3(50.0))).expect("good");
    (0..40).for_each(|_| cycle(&mut world));
    let mut copy = from_disk("footprint", &world);
    let tell = |world: &World| world.maps().footprint(&HOUSE).expect("a polygon");
    assert_eq!(tell(&copy), tell(&world));
    (0..5).for_each(|_| cycle(&mut world));
    (0..5).for_each(|_| cycle(&mut copy));
    assert_eq!(tell(&copy), tell(&world));
}

/// Goal: a footprint smaller than a cell is that of the cell in its middle; one on the edge counts
/// its part in the world; none is an error.
#[test]
fn small_and_bad_footprints() {
    let mut world = plain();
    world
        .edits()
        .act(Action::AddWater { area: disc([64.0, 64.0], 40.0), amount: Amount::DepthM(0.5) })
        .expect("good");
    cycle(&mut world);
    let hut = [[64.1, 64.1], [64.5, 64.1], [64.5, 64.5]];
    let water = world.maps().footprint(&hut).expect("a polygon");
    assert!(water.arrival_s.is_some() && water.hazard_max > 0.2, "{water:?}");
    let edge = [[-10.0, -10.0], [4.0, -10.0], [4.0, 4.0], [-10.0, 4.0]];
    assert_eq!(world.maps().footprint(&edge).expect("a polygon").now.area_m2, 16.0);
    let beside = [[-10.0, -10.0], [-4.0, -10.0], [-4.0, -4.0]];
    assert_eq!(world.maps().footprint(&beside).expect("a polygon").now.area_m2, 0.0);
    for (bad, word) in [
        (vec![[0.0, 0.0], [1.0, 1.0]], "needs 3"),
        (vec![[0.0, 0.0], [f64::NAN, 1.0], [5.0, 5.0]], "finite"),
        (vec![[0.0, 0.0], [5.0, 5.0], [5.0, 0.0], [0.0, 5.0]], "meet"),
    ] {
        let said = world.maps().footprint(&bad).expect_err("no polygon").to_string();
        assert!(said.contains(word), "{said}");
    }
}

/// Goal: head, flow and power at a dam, in the direction of its line.
#[test]
fn a_dam_has_a_head() {
    let wall = Barrier::wall("dam", vec![[50.0, 50.0], [50.0, 0.0]], 3.0);
    let mut world = two_basins()
        .initial_stage(stages(10, 3.5, 1.0))
        .barrier(wall.clone())
        .build()
        .expect("good");
    (0..3).for_each(|_| cycle(&mut world));
    let flow = world.structures().barrier_flow("dam").expect("it stands");
    // Drawn from the north to the south its left side is the east.
    let head = flow.head_m().expect("both are wet");
    assert!(head < -2.0 && flow.discharge_m3_s < 0.0, "{flow:?}");
    let power = 1000.0 * 9.81 * flow.discharge_m3_s * head;
    assert!(power > 0.0 && flow.power_w() == power, "{flow:?}");
    let dry = two_basins().initial_stage(stages(10, 2.0, f64::NAN)).barrier(wall);
    let flow = dry.build().expect("good").structures().barrier_flow("dam").expect("it stands");
    assert_eq!((flow.head_m(), flow.power_w()), (None, 0.0));
}

/// Goal: a footprint needs flood maps, but not that of velocities. Method: the answers of worlds
/// that keep all and that keep as many as it reads; worlds that keep one kind fewer refuse.
#[test]
fn footprints_read_the_maps_they_name() {
    let flooded = |kinds: MapKinds| {
        let builder = WorldBuilder::new(terrain(64, 64, 2.0, |_, _| 0.0)).maps(kinds);
        let mut world = builder.build().expect("good");
        world.edits().act(over_house(Amount::VolumeM3(50.0))).expect("good");
        (0..40).for_each(|_| cycle(&mut world));
        world
    };
    let [all, some] = [MapKinds::ALL, MapKinds::FOOTPRINT | MapKinds::VELOCITY].map(flooded);
    let tell = |world: &World| world.maps().footprint(&HOUSE);
    assert_eq!(tell(&some), tell(&all));
    let water = tell(&flooded(MapKinds::FOOTPRINT)).expect("enough");
    let all = tell(&all).expect("enough");
    assert_eq!((water.peak, water.duration_s), (all.peak, all.duration_s));
    let off = (water.hazard_now / all.hazard_now - 1.0).abs();
    assert!(all.hazard_now > 0.0 && off < 0.1, "{water:?} {all:?}");
    for kind in MapKinds::EACH.into_iter().filter(|&kind| MapKinds::FOOTPRINT.has(kind)) {
        let others = MapKinds::EACH.into_iter().filter(|&other| !other.has(kind));
        let error = tell(&flooded(others.collect())).expect_err("one is missing").to_string();
        let name = kind.names().last().expect("a kind has a name");
        assert!(error.contains(name) && error.contains("WorldBuilder::maps"), "{error}");
    }
}
