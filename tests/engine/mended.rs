//! Files of worlds: what was found to go wrong, each once.

use crate::determinism::{coast_builder, flood_builder};
use crate::streamed::{file_of, flooded, hills, square, step};
use crate::support::{in_memory, reloaded, scale, shrunk, terrain};
use std::io::ErrorKind;
use thalweg::terrain::{Edit, Shape};
use thalweg::units::SimTime;
use thalweg::world::{
    AdaptiveOptions, ColumnKind, MapKinds, SaveFile, StreamOptions, World, WorldBuilder,
};
use thalweg_engine::grid::TileKey;
use thalweg_engine::grid::cells::CellPlace;
use thalweg_engine::store::backend::faulty::{FaultyDisk, InjectedFault};
use thalweg_engine::store::{Key, Layer};
use thalweg_engine::structure::weather::Direction;

const OPTIONS: StreamOptions = StreamOptions { budget_bytes: 256 << 20 };

/// Goal: a streamed world whose file fails is saved elsewhere, with its terrain.
#[test]
fn a_streamed_world_is_saved_in_any_file() {
    let (_path, file) = file_of("anywhere", &hills());
    let mut world = flooded(file.builder(OPTIONS).expect("a terrain")).build().expect("good");
    (0..3).for_each(|cycle| step(&mut world, cycle));
    assert_eq!(reloaded(&world, Vec::new()).state_hash(), world.state_hash());
}

/// Goal: a streamed world is not saved over a terrain that another world has changed there: the
/// file gets the terrain of the one that is saved.
#[test]
fn the_terrain_of_a_save_is_its_worlds() {
    let (_path, mut file) = file_of("edited-below", &hills());
    let streamed = flooded(file.builder(OPTIONS).expect("a terrain")).build().expect("good");
    file.save(&streamed).expect("saved");
    let mut held = file.load(Vec::new()).expect("a world");
    let shape = Shape::Disc { centre_m: [400.0, 400.0], radius_m: 60.0, rim_m: 10.0 };
    held.edits().edit(&Edit::Raise { shape, by_m: 3.0 }).expect("ground");
    file.save(&held).expect("saved");
    file.save(&streamed).expect("saved");
    let copy = file.load(Vec::new()).expect("a world");
    assert_eq!(copy.state_hash(), streamed.state_hash());
}

/// Goal: a moment that was to be kept is kept though the save after it failed.
#[test]
fn a_moment_stays_kept_after_a_save_that_failed() {
    let disk = FaultyDisk::default();
    let mut world = flood_builder(4).build().expect("a good world");
    let mut file = SaveFile::create_on(Box::new(disk.clone()), &world).expect("no fault yet");
    let hash = world.state_hash();
    file.keep().expect("kept");
    let kept = file.store().generation();
    world.run_cycle(SimTime::MAX);
    let call = disk.count();
    disk.fail(InjectedFault { call, kind: ErrorKind::StorageFull, written: 0, lasts: true });
    file.save(&world).expect_err("a full disk");
    disk.mend();
    file.save(&world).expect("room again");
    assert_eq!(file.moments().expect("a list"), [(kept, SimTime::ZERO)]);
    assert_eq!(file.load_at(kept, Vec::new()).expect("kept").state_hash(), hash);
}

/// Goal: a moment is kept once, however often it is saved and kept; the next one is another.
#[test]
fn a_moment_is_kept_once() {
    let mut world = flood_builder(4).build().expect("a good world");
    let mut file = in_memory(&world);
    for _ in 0..3 {
        file.keep().expect("kept");
        file.save(&world).expect("saved");
    }
    assert_eq!(file.moments().expect("a list").len(), 1);
    world.run_cycle(SimTime::MAX);
    file.save(&world).expect("saved");
    file.keep().expect("kept");
    file.save(&world).expect("saved");
    let moments = file.moments().expect("a list");
    assert_eq!(moments.len(), 2);
    // The first one once more, with nothing written since the second.
    let first = file.load_at(moments[0].0, Vec::new()).expect("kept");
    file.save(&first).expect("saved");
    file.keep().expect("kept");
    assert_eq!(file.moments().expect("a list").len(), 3);
}

/// Goal: a run that is scrubbed back shares its terrain and its sleeping leaves with what is kept,
/// time after time, after a save that failed and in the background too. Method: bytes of the file
/// beside those of the terrain; hashes of all moments.
#[test]
fn going_back_writes_what_changes_after_it() {
    let disk = FaultyDisk::default();
    let spring = [CellPlace { x: 300, y: 300 }];
    let builder = WorldBuilder::new(hills()).inflow("spring", &[(0.0, 10.0)], &spring);
    let mut world = builder.expect("a good series").build().expect("good");
    let mut file = SaveFile::create_on(Box::new(disk.clone()), &world).expect("saved");
    let mut moments = Vec::new();
    for _ in 0..2 {
        world.run_cycle(SimTime::MAX);
        let generation = file.save(&world).expect("saved");
        file.keep().expect("kept");
        moments.push((generation, world.state_hash()));
    }
    let entries = file.store().reader();
    let of_terrain = entries.entries().map(|extent| extent.expect("whole"));
    let of_terrain = of_terrain.filter(|extent| extent.key.layer <= Layer::Parts);
    let terrain: u64 = of_terrain.map(|extent| u64::from(extent.bytes)).sum();
    drop(entries);
    let (before, mut changed) = (file.store().file_bytes().expect("works"), 0);
    for turn in 0..6 {
        let (generation, hash) = moments[turn % 2];
        let mut then = file.load_at(generation, Vec::new()).expect("kept");
        assert_eq!(then.state_hash(), hash, "turn {turn}");
        assert_eq!(file.changed_leaves(&then), 0, "turn {turn}");
        then.run_cycle(SimTime::MAX);
        changed = file.changed_leaves(&then);
        if turn == 2 {
            let call = disk.count() + 3;
            disk.fail(InjectedFault {
                call,
                kind: ErrorKind::StorageFull,
                written: 0,
                lasts: true,
            });
            file.save(&then).expect_err("a full disk");
            disk.mend();
        }
        if turn == 3 {
            let mut saver = file.in_background().expect("a thread");
            assert!(saver.save(&then).expect("a world that it holds"));
            saver.wait().expect("under way").expect("saved");
            file = saver.finish().expect("the file");
        } else {
            file.save(&then).expect("saved");
        }
        let copy = file.load(Vec::new()).expect("a world");
        assert_eq!(copy.state_hash(), then.state_hash(), "turn {turn}");
        // The other end goes on as well, though it is not what was saved last.
        assert_eq!(file.changed_leaves(&world), 0, "turn {turn}");
    }
    assert!(changed > 0);
    let grown = file.store().file_bytes().expect("works") - before;
    assert!(grown < terrain / 2, "{grown} bytes; the terrain has {terrain}");
    assert!(file.store().verify(|_, _| {}).expect("works").is_clean());
}

/// Goal: the hash of a world whose rates have classes and whose leaves changed is that of its copy.
#[test]
fn classes_of_rates_go_on_while_leaves_change() {
    let rates = [vec![(0.0, 1.0e-5)], vec![(0.0, 3.0e-5)]];
    let class = |place: CellPlace| u16::from(place.x.is_multiple_of(7));
    let options = AdaptiveOptions { coarsest: 4, ..AdaptiveOptions::default() };
    let builder = WorldBuilder::new(hills()).columns(ColumnKind::Flat).adaptive(options);
    let builder = builder.layer_classes("rain", Direction::Into, &rates, class).expect("good");
    let mut world = builder.build().expect("a good world");
    let first = world.simulation().forest().leaves().len();
    (0..shrunk(20, 6)).for_each(|cycle| step(&mut world, 20 * cycle));
    assert_ne!(world.simulation().forest().leaves().len(), first, "leaves change");
    assert_eq!(reloaded(&world, Vec::new()).state_hash(), world.state_hash());
}

/// Goal: a class that no leaf would show yet, and no budget that is too large, stop no program.
/// Method: a world of 2,048 × 2,048 cells whose finest tiles take more than the bytes allowed.
#[test]
fn what_cannot_be_saved_or_streamed_is_a_line() {
    let bad = Box::new(|place: CellPlace| u8::from((place.x, place.y) == (5, 5)) * 9);
    let options = AdaptiveOptions { coarsest: 4, ..AdaptiveOptions::default() };
    let square = WorldBuilder::new(square()).columns(ColumnKind::Flat).adaptive(options);
    let built = square.manning_classes(vec![0.03], bad).build();
    let line = built.map(drop).expect_err("a class without a value").to_string();
    assert!(line.contains("roughness class 9"), "{line}");

    let broad = terrain(2048, 2048, 4.0, scale(20, 0.0), |x, _| 0.01 * x as f64);
    let (_path, file) = file_of("budgets", &broad);
    let options =
        AdaptiveOptions { coarsest: 4, budget_cells: 1 << 18, ..AdaptiveOptions::default() };
    let builder =
        file.builder(OPTIONS).expect("a terrain").columns(ColumnKind::Flat).adaptive(options);
    let builder = builder.initial_depth(|p| if p.x < 300 { 1.0 } else { 0.0 });
    let mut world = builder.build().expect("good");
    for cells in [1 << 30, u64::MAX] {
        let line = world.set_budget(cells).expect_err("too many cells").to_string();
        assert!(line.contains("choose fewer cells"), "{line}");
    }
    world.set_budget(1 << 19).expect("so many have room");
}

/// Goal: keys of tiles that no map has are refused where a world is opened.
#[test]
fn tiles_of_no_map_are_refused() {
    let world = flood_builder(4).build().expect("a good world");
    for (level, x) in [(64, 0), (255, 3), (1, u32::MAX - 1), (0, u32::MAX)] {
        let mut store = in_memory(&world).into_store();
        let tile = TileKey { level, x, y: 0 };
        store.put(Key::of_tile(Layer::Water, tile), &[1, 2, 3]).expect("written");
        store.commit().expect("committed");
        let mut file = SaveFile::of(store);
        let line = file.load(Vec::new()).expect_err("no such tile").to_string();
        assert!(line.contains("the map has no such tile"), "{line}");
        let summary = file.summary().expect_err("no such tile").to_string();
        assert_eq!(summary, line);
    }
    // Of layers that a summary does not read it says nothing; a level of cells that no map has is
    // refused by both.
    let mut store = in_memory(&world).into_store();
    let setup = *store.keys_of(Layer::Setup).expect("whole").first().expect("one");
    let mut text = Vec::new();
    assert!(store.get(setup, &mut text).expect("whole"));
    let text = String::from_utf8(text).expect("JSON");
    let wrong = text.replacen("\"level\":0", "\"level\":70", 1);
    assert_ne!(wrong, text);
    store.put(setup, wrong.as_bytes()).expect("memory");
    let mut file = SaveFile::of(store);
    let line = file.summary().expect_err("no such level").to_string();
    assert!(line.contains("the map has no such level"), "{line}");
    file.load(Vec::new()).expect_err("no such level");
}

/// A coast whose leaves all sleep.
fn sleepers() -> World {
    let mut world = coast_builder().maps(MapKinds::ALL).build().expect("a good world");
    while world.run_cycle(SimTime::from_seconds(890.0)).awake > 0 {}
    world
}

/// Goal: maps that are brought up to date while their leaves sleep are saved so, and of those
/// leaves nothing else. Method: durations before and after a save, extents that it wrote.
#[test]
fn maps_of_sleepers_are_saved() {
    let mut world = sleepers();
    let mut file = in_memory(&world);
    world.run_until(SimTime::from_seconds(895.0));
    assert_eq!(file.changed_leaves(&world), 0, "all sleep");
    world.bring_maps_up_to_date();
    let before = file.store().generation();
    file.save(&world).expect("saved");
    let written = file.store().reader().written_since(before).expect("whole");
    let count = |layer| written.iter().filter(|extent| extent.key.layer == layer).count();
    assert!(count(Layer::Maps) > 0);
    assert_eq!(count(Layer::Water), 0);
    let copy = file.load(Vec::new()).expect("a world");
    let (width, height) = world.size();
    for at in (0..width * height).step_by(61) {
        let [x, y] = [at % width, at / width].map(|at| u32::try_from(at).expect("small"));
        let duration = |world: &World| {
            let (maps, cell) = world.maps().at(CellPlace { x, y })?;
            Some(maps.duration_s().expect("kept")[cell].to_bits())
        };
        assert_eq!(duration(&copy), duration(&world), "cell {x}, {y}");
    }
    world.bring_maps_up_to_date();
    assert_eq!(file.changed_leaves(&world), 0, "they are up to date");
}

/// Goal: whether a leaf sleeps is part of the state. Method: a file whose first leaf is said to be
/// awake.
#[test]
fn sleep_is_part_of_the_state() {
    let world = sleepers();
    let mut store = in_memory(&world).into_store();
    let keys = store.keys().expect("whole");
    let key = *keys.iter().find(|key| key.layer == Layer::Water).expect("it has leaves");
    let mut bytes = Vec::new();
    assert!(store.get(key, &mut bytes).expect("whole"));
    assert_eq!(bytes[1] & 1, 1, "it sleeps");
    bytes[1] &= !1;
    store.put(key, &bytes).expect("memory");
    let woken = SaveFile::of(store).load(Vec::new()).expect("a world");
    assert_ne!(woken.state_hash(), world.state_hash());
}
