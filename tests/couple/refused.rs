//! Links that cannot be are refused in one line that says how to mend them.

use crate::support::{pipe, stages, terrain, two_basins};
use thalweg::structure::Section;
use thalweg::world::{Culvert, Drain, Link, Pump, WorldBuilder};

fn pump() -> Pump {
    Pump {
        name: "lift".to_owned(),
        from: [12.5, 12.5],
        to: Some([182.5, 12.5]),
        curve: vec![(0.0, 1.0), (5.0, 0.5)],
        on_stage_m: 2.0,
        off_stage_m: 1.0,
        outlet_m: None,
    }
}

fn drain() -> Drain {
    Drain {
        name: "grate".to_owned(),
        place: [12.5, 12.5],
        area_m2: 0.5,
        perimeter_m: 3.0,
        ..Drain::default()
    }
}

fn bad() -> Vec<(Link, [&'static str; 2])> {
    let nan = f64::NAN;
    let round = |diameter_m| Section::Circle { diameter_m };
    let long = |length_m| Culvert { length_m: Some(length_m), ..pipe(1.0) };
    vec![
        (
            Culvert { from: [-1.0, 5.0], ..pipe(1.0) }.into(),
            ["pipe: its end at -1, 5 m", "200 by 50"],
        ),
        (Culvert { to: [200.0, 5.0], ..pipe(1.0) }.into(), ["its end at 200, 5 m", "onto ground"]),
        (Culvert { to: [nan, 5.0], ..pipe(1.0) }.into(), ["NaN, 5 m", "outside"]),
        (Culvert { to: [81.0, 26.0], ..pipe(1.0) }.into(), ["one cell of 5 m", "apart"]),
        (Culvert { section: round(0.0), ..pipe(1.0) }.into(), ["its diameter is 0", "0.001 to"]),
        (Culvert { section: round(nan), ..pipe(1.0) }.into(), ["its diameter is NaN", "100 m"]),
        (
            Culvert { section: Section::Box { width_m: 1.0, height_m: -2.0 }, ..pipe(1.0) }.into(),
            ["its height is -2", "0.001 to"],
        ),
        (long(-3.0).into(), ["its length is -3", "0.001 to"]),
        (Culvert { manning_n: -0.01, ..pipe(1.0) }.into(), ["Manning's n is -0.01", "0 to 1"]),
        (Culvert { inlet_loss: nan, ..pipe(1.0) }.into(), ["its inlet loss is NaN", "0 to 100"]),
        (Culvert { outlet_loss: -1.0, ..pipe(1.0) }.into(), ["its outlet loss is -1", "0 to 100"]),
        (
            Culvert { from_invert_m: nan, ..pipe(1.0) }.into(),
            ["its invert: elevation NaN", "outside"],
        ),
        (
            Culvert { to_invert_m: 1.1, ..pipe(1.0) }.into(),
            ["its invert of 1.1 m hangs more than its height of 1 m", "ground of 0 m at 117.5"],
        ),
        (Pump { curve: vec![], ..pump() }.into(), ["lift: its curve has no points", "give"]),
        (
            Pump { curve: vec![(0.0, 1.0), (3.0, 1.0), (2.0, 0.0)], ..pump() }.into(),
            ["point 3 of its curve", "sort"],
        ),
        (
            Pump { curve: vec![(0.0, -1.0)], ..pump() }.into(),
            ["a discharge of its curve is -1", "0"],
        ),
        (Pump { curve: vec![(nan, 1.0)], ..pump() }.into(), ["a height of its curve is NaN", "m"]),
        (Pump { off_stage_m: 2.5, ..pump() }.into(), ["stops below 2.5 m", "from 2 m"]),
        (Pump { to: Some([12.0, 12.0]), ..pump() }.into(), ["one cell", "apart"]),
        (Drain { area_m2: 0.0, ..drain() }.into(), ["grate: its area is 0", "m²"]),
        (Drain { perimeter_m: -1.0, ..drain() }.into(), ["its perimeter is -1", "m"]),
        (Drain { rim_m: Some(1.0e9), ..drain() }.into(), ["grate: its rim: elevation", "outside"]),
        (Drain { place: [1.0, 99.0], ..drain() }.into(), ["its end at 1, 99 m", "onto ground"]),
    ]
}

/// Goal: before and while the world runs; a world that refused goes on as if nothing had been
/// asked.
#[test]
fn bad_links_are_refused_and_change_nothing() {
    let builder = || two_basins().initial_stage(stages(20, 2.0, 1.0));
    let mut world = builder().build().expect("a good world");
    world.run_cycle(thalweg::units::SimTime::MAX);
    let before = world.state_hash();
    for (link, words) in bad() {
        let running =
            world.structures_mut().put_link(link.clone()).expect_err("a bad link").to_string();
        let building = builder().link(link).build().expect_err("a bad link").to_string();
        assert!(words.iter().all(|word| running.contains(word)), "{running}");
        assert_eq!(running, building);
    }
    assert_eq!(world.state_hash(), before);
    assert_eq!(world.structures().links().count(), 0);
}

#[test]
fn an_end_on_nodata_is_refused() {
    let ground = terrain(20, 10, 5.0, |x, _| if x > 12 { f64::NAN } else { 0.0 });
    let error = WorldBuilder::new(ground)
        .link(Culvert { from: [12.5, 12.5], to: [92.5, 12.5], ..pipe(1.0) })
        .build()
        .expect_err("a bad link")
        .to_string();
    assert!(error.contains("92.5, 12.5 m") && error.contains("NoData"), "{error}");
}
