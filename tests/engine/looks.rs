//! Looks of worlds that run: a river that falls over a step, and a lake.

use thalweg::looks::{
    DriftState, Drifters, EmitterOptions, Emitters, FallOptions, Falls, Wetness, WetnessOptions,
};
use thalweg::prelude::*;
use thalweg::probe::Surface;
use thalweg::world::{EdgePlace, Entry, Side};

const CELL_M: f64 = 2.0;
const DISCHARGE_M3_S: f64 = 60.0;

fn window() -> Window {
    Window { level: 0, corner: CellPlace { x: 0, y: 0 }, width: 120, height: 12 }
}

fn world(bed_m: impl Fn(usize, usize) -> f64) -> WorldBuilder {
    let Window { width, height, .. } = window();
    let terrain = Terrain::from_heights([width, height], CELL_M, bed_m).expect("good");
    WorldBuilder::new(terrain)
}

/// Goal: the sheet of a river over a step of 6 m has the river's discharge and width, and falls
/// from its stage to that of the pool where the jet lands; falls that are kept are those made anew.
#[test]
fn a_river_over_a_step_has_one_sheet_with_its_discharge() {
    let river =
        EdgeKind::Inflow { discharge: vec![(0.0, DISCHARGE_M3_S)], entry: Entry::Slope(0.005) };
    let step = |x: usize, _| if x < 60 { 6.3 - 0.005 * x as f64 } else { 0.0 };
    let mut world = world(step)
        .edge("river", EdgePlace::Side(Side::West), river)
        .edge("sea", EdgePlace::Side(Side::East), EdgeKind::Stage(vec![(0.0, 1.5)]))
        .initial_stage(|_| 1.5)
        .build()
        .expect("good");
    let mut surface = Surface::try_new(window()).expect("good");
    let new = || {
        let falls = Falls::try_new(CELL_M, FallOptions::default()).expect("good");
        (falls, Emitters::try_new(CELL_M, EmitterOptions::default()).expect("good"))
    };
    let (mut falls, mut emitters) = new();
    let mut wetness = Wetness::try_new(WetnessOptions::default()).expect("good");
    let mut drifters = Drifters::default();
    for round in 0..60 {
        world.run_until(world.time().after(SimTime::from_seconds(5.0).ticks()));
        let changed = surface.update(&world);
        let has_changed = falls.update(&surface, &changed);
        emitters.update(&surface, &falls, &changed);
        wetness.update(&surface, &changed, world.time());
        let (mut falls_anew, mut emitters_anew) = new();
        falls_anew.update(&surface, &[]);
        emitters_anew.update(&surface, &falls_anew, &[]);
        let is_same = falls.vertices() == falls_anew.vertices()
            && falls.sheets() == falls_anew.sheets()
            && emitters.all() == emitters_anew.all();
        assert!(is_same, "round {round}: falls are not those made anew");
        assert!(has_changed || round < 20, "round {round}");
        if round == 40 {
            drifters.try_add(&[[60.0, 12.0], [100.0, 5.0], [200.0, 20.0]]).expect("good");
        }
        drifters.advance(&world.query(), 5.0).expect("good");
    }
    let [sheet] = falls.sheets() else { panic!("{} sheets", falls.sheets().len()) };
    let near = |found: f32, expected: f64, share: f64, name: &str| {
        let found = f64::from(found);
        assert!((found - expected).abs() < share * expected, "{name}: {found}, not {expected}");
    };
    near(sheet.width_m, 24.0, 1.0e-6, "width");
    near(sheet.discharge_m3_s, DISCHARGE_M3_S, 0.05, "discharge");
    let stage_m = |x: f64| {
        let sample = world.query().at([x, 12.0]).expect("a place").expect("in the world");
        sample.stage_m.expect("wet")
    };
    // The highest sheet, in the middle of the cell where it lands.
    let feet = || falls.vertices().iter();
    let foot = feet().max_by(|a, b| a.height_m().total_cmp(&b.height_m())).expect("some");
    let foot_x = 2.0 * ((f64::from(foot.foot_m[0]) / 2.0).floor() + 0.5);
    assert!(foot_x > 121.0, "a jet of a swift river lands farther out than the next cell");
    near(sheet.height_m, stage_m(119.0) - stage_m(foot_x), 0.02, "height");
    // ρ g Q h over all feet.
    let power_w: f32 = emitters.falls().iter().map(|foot| foot.power_w_m * 2.0).sum();
    near(power_w, 9810.0 * DISCHARGE_M3_S * f64::from(sheet.height_m), 0.06, "power");
    assert!(wetness.wetness().iter().all(|wetness| *wetness >= 1.0), "all is under water");
    // Over the step, and out to sea.
    assert_eq!(drifters.states()[2], DriftState::Gone);
    assert!(drifters.places_m().iter().all(|[x, _]| *x > 120.0), "{:?}", drifters.places_m());
}

#[test]
fn a_lake_at_rest_has_no_looks_but_wet_ground() {
    let bowl = |x: usize, y: usize| 0.3 * (x as f64 - 60.0).abs() + 2.0 * (y as f64 - 6.0).abs();
    let mut world = world(bowl).initial_stage(|_| 12.0).build().expect("good");
    let mut surface = Surface::try_new(window()).expect("good");
    let mut falls = Falls::try_new(CELL_M, FallOptions::default()).expect("good");
    let mut emitters = Emitters::try_new(CELL_M, EmitterOptions::default()).expect("good");
    let mut wetness = Wetness::try_new(WetnessOptions::default()).expect("good");
    for _ in 0..3 {
        let changed = surface.update(&world);
        falls.update(&surface, &changed);
        emitters.update(&surface, &falls, &changed);
        wetness.update(&surface, &changed, world.time());
        world.run_until(world.time().after(SimTime::from_seconds(60.0).ticks()));
    }
    assert!(falls.sheets().is_empty() && emitters.all().is_empty());
    for (wetness, depth_m) in wetness.wetness().iter().zip(surface.depth_m()) {
        assert_eq!(*wetness > 0.0, *depth_m > 0.0, "{wetness}, {depth_m} m");
    }
}
