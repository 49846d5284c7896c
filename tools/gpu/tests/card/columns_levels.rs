//! Sub-grid columns on several levels on a card.

use crate::columns::{METHODS, draw, rough};
use crate::levels::{
    FOLLOWING, check_badlands, check_edges, check_following, check_one_and_several, check_weather,
    looks_at, methods, rained_on,
};
use crate::regrid::{Loss, check_loss};
use crate::saved::check_saved;
use crate::support::{card, check, check_running, shrunk};
use std::collections::BTreeSet;
use thalweg::prelude::*;
use thalweg::units::SimTime;
use thalweg::world::{AdaptiveOptions, ColumnKind, FixedStep, MapKinds, Order, Settings, Solver};
use thalweg_engine::grid::TileKey;

/// Quarters of four tiles of a level: each a leaf or four finer ones.
fn quarters(level: u8, fine: [bool; 4]) -> Vec<TileKey> {
    let quarters = (0..4).map(|i| TileKey { level, x: i % 2, y: i / 2 });
    let leaves = quarters.zip(fine).flat_map(|(key, is_fine)| match is_fine {
        true => (0..4).map(|child| key.child(child)).collect(),
        false => vec![key],
    });
    leaves.collect()
}

/// Some water that stands and runs.
fn some_water(place: CellPlace) -> f64 {
    match draw(place.x as usize / 9, place.y as usize / 9, 2) {
        part if part < 0.3 => 0.0,
        part if part < 0.6 => 1.0e-3 * part,
        part => 4.0 * (part - 0.5),
    }
}

/// Goal: columns of two levels side by side have the same bits, the fine ones on any side of the
/// coarse ones. Method: rough ground on which some water stands and runs, now and then in steps of
/// half a second, of which levels take odd counts.
#[track_caller]
fn check_two_levels(method: (Solver, Order), coarse: u8, fine: [bool; 4], cycles: u32) {
    let long = FixedStep::try_new(4, 1).expect("a good length");
    let world = || {
        let builder = rough([2 << (6 + coarse); 2], method).columns(ColumnKind::SubGrid);
        let builder = builder.leaves(quarters(coarse, fine)).initial_depth(some_water);
        builder.maps(MapKinds::ALL).build().expect("a good world")
    };
    check_running(world, cycles, |cycle, world| match cycle % 4 {
        3 => world.run_cycle(long),
        _ => world.run_cycle(SimTime::MAX),
    });
}

/// Fine leaves to the east, to the west and south, in one quarter, and in two over against each
/// other.
const MIXES: [[bool; 4]; 4] = [
    [false, true, false, true],
    [true, true, true, false],
    [false, false, true, false],
    [true, false, false, true],
];

#[test]
fn two_levels_of_pipes_have_the_same_bits() {
    MIXES.into_iter().for_each(|fine| check_two_levels(METHODS[0], 2, fine, shrunk(12)));
}

#[test]
fn two_levels_of_shallow_water_have_the_same_bits() {
    for (method, fine) in METHODS[1..].iter().cycle().zip(MIXES) {
        check_two_levels(*method, 2, fine, shrunk(12));
    }
}

/// Flat columns of the finest level lie beside sub-grid ones.
#[test]
fn the_finest_level_has_the_same_bits() {
    for (method, fine) in METHODS.iter().cycle().zip(MIXES) {
        check_two_levels(*method, 1, fine, shrunk(12));
    }
}

#[test]
fn badlands_on_three_levels_have_the_same_bits() {
    for (seed, method) in (1..).zip(methods()) {
        check_badlands(ColumnKind::SubGrid, method, seed, shrunk(12).max(3));
    }
}

#[test]
fn weather_on_two_levels_has_the_same_bits() {
    methods().for_each(|method| check_weather(ColumnKind::SubGrid, method, shrunk(30)));
}

#[test]
#[cfg_attr(not(full_card), ignore = "long: see src/guide/card.md")]
fn edges_on_three_levels_have_the_same_bits() {
    for (seed, method) in (11..).zip(methods()) {
        check_edges(ColumnKind::SubGrid, method, seed, shrunk(12));
    }
}

/// Goal: leaves fall asleep and wake beside others of another level. Method: waves in a lake over
/// rough ground, near the boundary between levels on either side of it, run towards leaves that
/// sleep.
#[track_caller]
fn check_sleep(method: (Solver, Order), coarse: u8, fine: [bool; 4]) {
    let width = 2_u32 << (6 + coarse);
    let world = || {
        let scaled =
            move |place: CellPlace| [place.x, place.y].map(|at| f64::from(128 * at / width));
        let is_patch = move |x: f64, y: f64| (42.0..51.0).contains(&x) && (20.0..29.0).contains(&y);
        let height = move |place: CellPlace| {
            let [x, y] = scaled(place);
            if is_patch(x, y) || is_patch(127.0 - x, 127.0 - y) { 0.08 } else { 0.0 }
        };
        let (solver, order) = method;
        let settings = Settings { solver, order, sleep_after_cycles: 1, ..Settings::default() };
        let builder = rough([width as usize; 2], method).settings(settings);
        let builder = builder.columns(ColumnKind::SubGrid).leaves(quarters(coarse, fine));
        let builder = builder.initial_stage(move |place| 34.2 + height(place));
        builder.maps(MapKinds::NONE).build().expect("a good world")
    };
    let awake: Vec<_> = check(world, 14).iter().map(|report| report.awake).collect();
    println!("{method:?}: {awake:?}");
    let (fell, woke) =
        (awake.windows(2).any(|n| n[1] < n[0]), awake.windows(2).any(|n| n[1] > n[0]));
    assert!(awake.is_empty() || (fell && woke), "{awake:?}");
}

#[test]
#[cfg_attr(not(full_card), ignore = "long: see src/guide/card.md")]
fn sleep_on_two_levels_has_the_same_bits() {
    check_sleep(METHODS[0], 1, MIXES[0]);
    check_sleep(METHODS[2], 1, MIXES[1]);
    check_sleep(METHODS[0], 2, MIXES[3]);
}

/// Hills and a few walls, with pools and a river in between: nothing keeps most leaves from being
/// merged.
fn valley(cells: [usize; 2], (solver, order): (Solver, Order)) -> WorldBuilder {
    let height = |x: usize, y: usize| {
        let (a, b) = (x as f64, y as f64);
        let wall = if x % 173 < 3 && y % 190 < 100 { 5.0 } else { 0.0 };
        20.0 + 3.0 * (0.041 * a).sin() * (0.053 * b).cos() + 0.004 * a + wall
    };
    let terrain = Terrain::from_heights(cells, 4.0, height).expect("a good terrain");
    let settings = Settings { solver, order, ..Settings::default() };
    let stage = |place: CellPlace| if place.x / 100 % 3 < 2 { 21.0 } else { f64::NAN };
    let builder = WorldBuilder::new(terrain).settings(settings).initial_stage(stage);
    builder.initial_velocity(|place| (2.0 * draw(place.x as usize / 9, 0, 3) - 1.0, 0.5))
}

/// The usual columns of adaptive worlds.
fn followed(method: (Solver, Order)) -> World {
    let builder = valley([1024, 512], method).maps(MapKinds::ALL).adaptive(FOLLOWING);
    rained_on(builder).build().expect("a good world")
}

#[test]
#[cfg_attr(not(full_card), ignore = "long: see src/guide/card.md")]
fn leaves_that_follow_have_the_same_bits() {
    let cycles = shrunk(36).max(7);
    methods().for_each(|method| check_following(|| followed(method), cycles));
}

#[test]
fn one_level_and_several_have_the_same_bits() {
    check_one_and_several(|| valley([256, 128], METHODS[0]));
}

/// Goal: leaves that stand where room for tables is needed make way. Method: a world of the finest
/// level alone gets a card, then half of it is merged.
#[test]
fn flat_leaves_make_way_for_tables() {
    let Some(turn) = card() else { return };
    let options = || AdaptiveOptions { coarsest: 1, min_age_cycles: 1, ..FOLLOWING };
    let world = || valley([512, 128], METHODS[0]).adaptive(options()).build();
    let mut worlds = [world(), world()].map(|world| world.expect("a good world"));
    let levels = |world: &World| {
        let leaves = world.simulation().forest().leaves();
        leaves.iter().map(|leaf| leaf.level).collect::<BTreeSet<_>>()
    };
    let run = |worlds: &mut [World; 2], radius_m: f64| {
        for world in worlds.iter_mut() {
            let observer = looks_at(world, [20.0, 256.0], radius_m);
            *world.criteria_mut().expect("an adaptive world") = vec![observer];
            (0..3).for_each(|_| {
                world.run_cycle(SimTime::MAX);
            });
        }
        let [plain, carded] = worlds.each_ref().map(|world| (world.state_hash(), levels(world)));
        assert_eq!(plain, carded);
        carded.1
    };
    assert_eq!(run(&mut worlds, 5000.0), BTreeSet::from([0]));
    let card = turn.card();
    let log = card.log();
    worlds[1].set_card(Some(Box::new(card)));
    assert_eq!(run(&mut worlds, 5000.0), BTreeSet::from([0]));
    assert_eq!(run(&mut worlds, 200.0), BTreeSet::from([0, 1]));
    assert_eq!((log.events().cycles, log.events().lost), (6, None));
}

#[test]
#[cfg_attr(not(full_card), ignore = "long: see src/guide/card.md")]
fn worlds_with_a_card_are_saved_and_opened() {
    check_saved(|| followed(METHODS[2]), shrunk(12));
}

#[test]
fn a_card_that_is_lost_loses_no_change_of_leaves() {
    check_loss(ColumnKind::SubGrid, METHODS[2], shrunk(18), Loss::AfterChange);
}

/// Goal: tables that an edit changes beside another level go to the card, with those along their
/// far sides. Method: a dam over leaves of two levels that is taken away again.
#[test]
fn edited_ground_has_the_same_bits() {
    let world = || {
        let builder = rough([512; 2], METHODS[2]).columns(ColumnKind::SubGrid);
        let builder = builder.leaves(quarters(2, MIXES[3])).maps(MapKinds::NONE);
        builder.initial_depth(some_water).build().expect("a good world")
    };
    let [low_m, high_m] = [[500.0, 100.0], [524.0, 900.0]];
    let bar = || Shape::Rectangle { low_m, high_m };
    check_running(world, 6, |cycle, world| {
        let edit = match cycle {
            2 => Some(Edit::Raise { shape: bar(), by_m: 3.0 }),
            4 => Some(Edit::Lower { shape: bar(), by_m: 2.5 }),
            _ => None,
        };
        edit.iter().for_each(|edit| {
            world.edits().edit(edit).expect("a good edit");
        });
        world.run_cycle(SimTime::MAX)
    });
}
