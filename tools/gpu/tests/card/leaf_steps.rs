//! Steps by leaf on a card: the same state hash after every cycle.

use crate::levels::{METHODS, methods};
use crate::support::{card, check_logged, shrunk};
use thalweg::prelude::*;
use thalweg::units::SimTime;
use thalweg::world::{ColumnKind, EdgeKind, MapKinds, Order, SaveFile, Settings, Solver, StepsOf};
use thalweg_engine::grid::TileKey;
use thalweg_engine::store::backend::memory::Memory;

/// A valley of so many cells that falls to the west, with hills.
fn valley(cells: [usize; 2], (solver, order): (Solver, Order)) -> WorldBuilder {
    let terrain = Terrain::from_heights(cells, 5.0, |x, y| {
        let (x, y) = (x as f64, y as f64);
        let hills = (0.11 * x).sin() * (0.07 * y).cos() + 0.3 * (0.31 * x + 0.17 * y).sin();
        0.15 * x + 2.0 * hills
    });
    let settings = Settings { solver, order, steps: StepsOf::Leaf, ..Settings::default() };
    WorldBuilder::new(terrain.expect("a good terrain")).settings(settings)
}

/// A reservoir 30 m deep in one leaf, a pond, and films elsewhere.
fn depth(place: CellPlace) -> f64 {
    match (place.x, place.y) {
        (0..60, 0..60) => 30.0,
        (200..220, _) => 1.0,
        _ => 0.01,
    }
}

/// Runs a world with and without a card, in which leaves of so many kinds by level and steps meet.
#[track_caller]
fn check(world: impl Fn() -> World, cycles: u32, least: u64) {
    let run = |_, world: &mut World| world.run_cycle(SimTime::MAX);
    let (reports, log) = check_logged(world, shrunk(cycles), run);
    let Some(log) = log else { return };
    println!("{} kinds of leaves, {} cycles", log.ranks, reports.len());
    assert!(log.ranks >= least, "{log:?}");
}

/// Goal: leaves of other steps beside each other. Method: a dam breaks into films, with rain, over
/// ground of two roughnesses; flood maps.
#[test]
fn a_flood_through_leaves_of_other_steps_has_the_same_bits() {
    for method in methods() {
        let world = || {
            let world = valley([320, 256], method)
                .manning_classes(vec![0.03, 0.1], |place| u8::from(place.y % 7 == 0))
                .maps(MapKinds::ALL)
                .initial_depth(depth)
                .rain("rain", &[(0.0, 2.0e-5)]);
            world.expect("one point").build().expect("a good world")
        };
        check(world, 36, 3);
    }
}

/// Goal: open edges beside leaves of other steps. Method: the flood in a world without walls, with
/// a river.
#[test]
fn open_edges_beside_leaves_of_other_steps_have_the_same_bits() {
    for method in methods() {
        let world = || {
            let world = valley([320, 256], method)
                .edges(EdgeKind::Open)
                .initial_depth(depth)
                .inflow("river", &[(0.0, 50.0)], &[CellPlace { x: 130, y: 127 }]);
            world.expect("one point").build().expect("a good world")
        };
        check(world, 30, 3);
    }
}

/// Goal: other levels as well. Method: the flood in a world whose east is coarse.
#[test]
fn leaves_of_other_steps_and_other_levels_have_the_same_bits() {
    for method in methods() {
        let world = || {
            let coarse = (0..8).map(|i| TileKey { level: 1, x: i % 4, y: i / 4 });
            let leaves = coarse.flat_map(|key| match key.x {
                0 | 1 => (0..4).map(|child| key.child(child)).collect(),
                _ => vec![key],
            });
            let builder = valley([512, 256], method).leaves(leaves.collect());
            builder.initial_depth(depth).build().expect("a good world")
        };
        check(world, 36, 4);
    }
}

/// Goal: leaves that sleep and wake beside leaves of other steps. Method: a dam breaks into dry
/// land.
#[test]
fn leaves_asleep_beside_other_steps_have_the_same_bits() {
    for method in methods() {
        let world = || {
            let steps = valley([320, 256], method);
            let settings = Settings {
                solver: method.0,
                order: method.1,
                steps: StepsOf::Leaf,
                sleep_after_cycles: 2,
                ..Settings::default()
            };
            let is_deep = |place: CellPlace| place.x < 90 && place.y < 90;
            let depth = move |place| if is_deep(place) { 30.0 } else { 0.0 };
            steps.settings(settings).initial_depth(depth).build().expect("a good world")
        };
        check(world, 60, 2);
    }
}

/// Goal: a leaf is left alone by those that do not see it. Method: five leaves in a row, of which
/// one has deep water behind a plateau with a film; the others run eastward. A leaf of the same
/// steps as the film's that took its depth for the neighbour's would hold them back.
#[test]
fn leaves_behind_neighbours_of_other_steps_have_the_same_bits() {
    for (method, fast) in methods().flat_map(|m| [0, 2, 4].map(|fast| (m, fast))) {
        let world = || {
            let is_fast = move |x: usize| x / 64 == fast;
            let is_plateau = move |x: usize| is_fast(x) && !(20..44).contains(&(x % 64));
            let bed = |x: usize, _: usize| if is_plateau(x) { 14.0 } else { 0.0 };
            let terrain = Terrain::from_heights([320, 64], 5.0, bed);
            let (solver, order) = method;
            let settings = Settings { solver, order, steps: StepsOf::Leaf, ..Settings::default() };
            let depth = move |place: CellPlace| match place.x as usize {
                x if is_plateau(x) => 0.001,
                x if is_fast(x) => 12.0,
                x => 3.0 - 0.006 * x as f64,
            };
            WorldBuilder::new(terrain.expect("a good terrain"))
                .settings(settings)
                .initial_depth(depth)
                .build()
                .expect("a good world")
        };
        check(world, 40, 2);
    }
}

/// Goal: sub-grid columns on both sides of faces between leaves of other steps. Method: the flood
/// with rain and open edges over columns that are two cells of the ground wide.
#[test]
fn columns_of_leaves_of_other_steps_have_the_same_bits() {
    for method in methods() {
        let world = || {
            let world = valley([640, 384], method)
                .columns(ColumnKind::SubGrid)
                .level(1)
                .edges(EdgeKind::Open)
                .initial_depth(depth)
                .rain("rain", &[(0.0, 2.0e-5)]);
            world.expect("one point").build().expect("a good world")
        };
        check(world, 24, 3);
    }
}

/// Goal: worlds are saved and opened between cycles of other steps. Method: the flood with a card
/// and without, saved and opened in its midst.
#[test]
fn a_flood_by_leaf_is_saved_and_opened() {
    let Some(turn) = card() else { return };
    let world = || {
        let builder = valley([256, 192], METHODS[0]).edges(EdgeKind::Open).initial_depth(depth);
        builder.build().expect("a good world")
    };
    let mut worlds = [world(), world()];
    for round in 0..2 {
        let card = turn.card();
        let log = card.log();
        worlds[1].set_card(Some(Box::new(card)));
        for _ in 0..5 {
            for world in &mut worlds {
                world.run_cycle(SimTime::MAX);
            }
        }
        assert_eq!(log.events().cycles, 5, "round {round}: {:?}", log.events());
        assert!(log.events().ranks > 1, "{:?}", log.events());
        worlds = worlds.map(|world| {
            let memory = Box::new(Memory::default());
            let mut file = SaveFile::create_on(memory, &world).expect("room in memory");
            file.save(&world).expect("room in memory");
            let opened = file.load(Vec::new()).expect("what was saved");
            assert_eq!(opened.state_hash(), world.state_hash(), "round {round}");
            opened
        });
        let hashes = worlds.each_ref().map(World::state_hash);
        assert_eq!(hashes[0], hashes[1], "round {round}");
    }
}
