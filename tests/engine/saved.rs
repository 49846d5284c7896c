//! A world that is saved and opened goes on as the one that was not: P1 and P3 through a file.

use crate::adaptive::{dig, flooded_builder, jump, observers};
use crate::conserve::busy;
use crate::determinism::{coast_builder, flood_builder, valleys};
use crate::support::{TempFile, in_memory, reloaded, shrunk};
use crate::tracer_levels::tracked;
use std::io::ErrorKind;
use thalweg::check::violations;
use thalweg::criteria::Criterion;
use thalweg::units::SimTime;
use thalweg::world::{ColumnKind, SaveFile, World};
use thalweg_engine::sim::schedule::FixedStep;
use thalweg_engine::sim::{Order, Solver};
use thalweg_engine::store::backend::faulty::{FaultyDisk, InjectedFault};
use thalweg_engine::store::backend::memory::Memory;
use thalweg_engine::store::{Key, Layer, Store};
use thalweg_engine::units::hash::scramble;

/// The criteria that a world has after a cycle.
type Asks<'a> = dyn Fn(&World, u64) -> Vec<Box<dyn Criterion>> + 'a;

/// Runs a world, saves it again and again, and compares each opened copy with it, then and some
/// cycles later. `act` runs cycle number n; `asks` are the criteria after it.
#[track_caller]
fn check(name: &str, mut world: World, act: &dyn Fn(&mut World, u64), asks: &Asks<'_>) {
    let path = TempFile::new(name);
    let mut file = SaveFile::create(&path.0, &world).expect("a new file");
    let mut cycle = 0;
    let pauses: &[u64] = if crate::QUICK { &[3] } else { &[0, 1, 2, 11] };
    for &pause in pauses {
        for _ in 0..pause {
            act(&mut world, cycle);
            cycle += 1;
        }
        file.save(&world).expect("saved");
        let opened = |name: &str| {
            let mut file = SaveFile::read(&path.0).expect("a file");
            let asks = asks(&world, cycle.wrapping_sub(1));
            file.load(asks).unwrap_or_else(|error| panic!("{name}, cycle {cycle}: {error}"))
        };
        let mut copy = opened(name);
        assert_eq!(copy.state_hash(), world.state_hash(), "{name}: opened after cycle {cycle}");
        let found = violations(&copy);
        assert!(found.is_empty(), "{name}, cycle {cycle}: {found:#?}");
        for _ in 0..shrunk(4, 2) {
            act(&mut copy, cycle);
            act(&mut world, cycle);
            cycle += 1;
        }
        assert_eq!(copy.state_hash(), world.state_hash(), "{name}: on to cycle {cycle}");
        assert_eq!(
            copy.water().stored(),
            copy.water().ledger().expected(),
            "{name}: cycle {cycle}"
        );
    }
    assert!(world.time() > SimTime::ZERO, "{name}: time passes");
}

fn no_criteria(_: &World, _: u64) -> Vec<Box<dyn Criterion>> {
    Vec::new()
}

/// Automatic cycles, with some of a fixed length and a change of solver.
fn cycles(world: &mut World, cycle: u64) {
    let frame = FixedStep::try_new(1, 3).expect("a fraction");
    match cycle {
        5 => world.set_solver(Solver::ShallowWater, Order::First),
        20 => world.set_solver(Solver::Pipe, Order::Second),
        _ => {}
    }
    if cycle % 5 > 2 {
        world.run_cycle(frame);
    } else {
        world.run_cycle(SimTime::from_seconds(1.0e6));
    }
}

#[test]
fn floods_go_on() {
    let flood = flood_builder(99).build().expect("a good world");
    check("flood", flood, &cycles, &no_criteria);
    let busy = busy(5, Solver::ShallowWater).build().expect("a good world");
    check("busy", busy, &cycles, &no_criteria);
}

/// Goal: leaves that sleep, wake and stay asleep are the same ones after opening.
#[test]
fn what_sleeps_goes_on_sleeping() {
    let coast = coast_builder().build().expect("a good world");
    let slowly = |world: &mut World, _| {
        for _ in 0..8 {
            world.run_cycle(SimTime::from_seconds(1500.0));
        }
    };
    check("coast", coast, &slowly, &no_criteria);
}

#[test]
fn sub_grid_columns_go_on() {
    check("valleys", valleys(), &cycles, &no_criteria);
}

/// Goal: leaves that change, ground that is dug, tracers at edges between levels.
#[test]
fn leaves_that_change_go_on() {
    for (seed, kind, has_tracers) in
        [(11, ColumnKind::Flat, false), (12, ColumnKind::SubGrid, true)]
    {
        let act = |world: &mut World, cycle: u64| {
            if cycle.is_multiple_of(5) {
                jump(world, seed, cycle / 5);
            }
            if cycle % 7 == 3 {
                dig(world, seed, cycle);
            }
            world.run_cycle(SimTime::from_seconds(1.0e6));
        };
        let asks = |world: &World, cycle: u64| match cycle {
            u64::MAX => Vec::new(),
            _ => observers(seed, cycle / 5, &world.extent()),
        };
        let builder = || flooded_builder(seed, Solver::ShallowWater).columns(kind);
        let world = match has_tracers {
            true => tracked(builder, Order::Second),
            false => builder().build().expect("a good world"),
        };
        check(&format!("adaptive {kind:?}"), world, &act, &asks);
    }
}

/// Goal: an edit between two cycles is in the file, with the water on it, and the leaves that it
///             woke.
#[test]
fn an_edit_is_saved_before_a_cycle_runs() {
    let path = TempFile::new("edit");
    let mut world = flooded_builder(3, Solver::Pipe).build().expect("a good world");
    let mut file = SaveFile::create(&path.0, &world).expect("a new file");
    world.run_cycle(SimTime::MAX);
    file.save(&world).expect("saved");
    (0..4).for_each(|count| dig(&mut world, 3, count));
    file.save(&world).expect("saved");
    let mut copy = SaveFile::read(&path.0).and_then(|mut file| file.load(Vec::new()));
    let copy = copy.as_mut().expect("a world");
    assert_eq!(copy.state_hash(), world.state_hash());
    for _ in 0..4 {
        world.run_cycle(SimTime::MAX);
        copy.run_cycle(SimTime::MAX);
    }
    assert_eq!(copy.state_hash(), world.state_hash());
}

/// Goal: a save writes what has changed, not the world. Method: bytes of the file and generations
/// of its extents while most of a lake sleeps.
#[test]
fn a_save_writes_what_has_changed() {
    let path = TempFile::new("little");
    let mut world = coast_builder().build().expect("a good world");
    let mut file = SaveFile::create(&path.0, &world).expect("a new file");
    while world.run_cycle(SimTime::from_seconds(890.0)).awake > 0 {}
    file.save(&world).expect("saved");
    let before = file.changed_leaves(&world);
    assert_eq!(before, 0, "all sleep");
    world.run_until(SimTime::from_seconds(905.0));
    let changed = file.changed_leaves(&world);
    let all = world.simulation().forest().leaves().len();
    assert!(changed > 0 && changed < all, "{changed} of {all} leaves");
    file.save(&world).expect("saved");
    let mut copy = SaveFile::read(&path.0).and_then(|mut file| file.load(Vec::new()));
    let copy = copy.as_mut().expect("a world");
    assert_eq!(copy.state_hash(), world.state_hash());
}

/// Goal: what a save in the background keeps is the moment at which it was asked for, though the
/// world ran on, dug and changed its leaves. Method: the file of each save is opened and compared
/// with the hash of that moment.
#[test]
fn a_save_in_the_background_keeps_one_moment() {
    let path = TempFile::new("aside");
    let mut world = tracked(|| flooded_builder(21, Solver::ShallowWater), Order::Second);
    let file = SaveFile::create(&path.0, &world).expect("a new file");
    let mut saver = file.in_background().expect("a thread");
    let (mut saves, mut cycle) = (0, 0);
    let mut run = |world: &mut World, count: u64| {
        for _ in 0..count {
            jump(world, 21, cycle / 4);
            if cycle % 5 == 3 {
                dig(world, 21, cycle);
            }
            world.run_cycle(SimTime::from_seconds(1.0e6));
            cycle += 1;
        }
    };
    let pauses: &[u64] = if crate::QUICK { &[1, 3] } else { &[1, 3, 2, 5] };
    for &pause in pauses {
        run(&mut world, pause);
        let hash = world.state_hash();
        assert!(saver.save(&world).expect("the world that it holds"), "none is under way");
        assert!(!saver.save(&world).expect("the world that it holds"), "one is under way");
        run(&mut world, shrunk(4, 2));
        assert_ne!(world.state_hash(), hash, "the world goes on");
        saver.wait().expect("one is under way").expect("saved");
        let asks = observers(21, (saves + 1) / 4, &world.extent());
        let copy = SaveFile::read(&path.0).and_then(|mut file| file.load(asks));
        let copy = copy.expect("a world");
        assert_eq!(copy.state_hash(), hash, "save {saves}");
        assert!(violations(&copy).is_empty());
        saves += 1;
    }
    let mut file = saver.finish().expect("the file");
    file.save(&world).expect("saved");
    let copy = SaveFile::read(&path.0).and_then(|mut file| file.load(Vec::new()));
    assert_eq!(copy.expect("a world").state_hash(), world.state_hash());
}

/// Goal: autosaves come at their interval, and a file that holds another world is refused.
#[test]
fn autosaves_come_in_time() {
    let path = TempFile::new("auto");
    let mut world = flood_builder(2).build().expect("a good world");
    let file = SaveFile::create(&path.0, &world).expect("a new file");
    let first = file.store().generation();
    let mut saver = file.in_background().expect("a thread").every(SimTime::from_seconds(30.0));
    let stranger = flood_builder(3).build().expect("a good world");
    let refusal = saver.save(&stranger).expect_err("another world").to_string();
    assert!(refusal.contains("save it there once"), "{refusal}");
    let mut saved = 0;
    while world.time() < SimTime::from_seconds(200.0) {
        world.run_until(world.time().after(SimTime::from_seconds(5.0).ticks()));
        if let Some(generation) = saver.keep(&world) {
            assert_eq!(generation.expect("saved"), first + saved + 1);
            saved += 1;
        }
        saved += u64::from(saver.wait().is_some_and(|generation| generation.is_ok()));
    }
    assert!((5..=7).contains(&saved), "{saved} saves in 200 s, one each 30 s");
}

/// Goal: a full disk stops no world and costs no commit. Method: each write and sync of a save in
/// turn finds the disk full; the world runs on, is saved elsewhere, and the old file opens as it
/// was.
#[test]
fn a_full_disk_stops_no_world() {
    let flooded = || flood_builder(4).build().expect("a good world");
    let story = |world: &mut World| (0..3).for_each(|_| _ = world.run_cycle(SimTime::MAX));
    let disk = FaultyDisk::default();
    let mut world = flooded();
    let mut file = SaveFile::create_on(Box::new(disk.clone()), &world).expect("no fault yet");
    let (created, begun) = (disk.count(), world.state_hash());
    story(&mut world);
    file.save(&world).expect("no fault yet");
    let (end, ended) = (disk.count(), world.state_hash());
    assert!(end - created > 10, "{} calls", end - created);
    for call in (created..end).step_by(usize::try_from(shrunk(1, 4)).expect("small")) {
        let fault = InjectedFault { call, kind: ErrorKind::StorageFull, written: 7, lasts: true };
        let disk = FaultyDisk::failing(fault);
        let mut world = flooded();
        let mut file = SaveFile::create_on(Box::new(disk.clone()), &world).expect("fails later");
        story(&mut world);
        let line = file.save(&world).expect_err("a full disk").to_string();
        assert!(line.contains("the disk is full") && !line.contains('\n'), "{line}");
        let image = Memory::of(disk.bytes());
        let old = Store::open_on(Box::new(image)).map(SaveFile::of).expect("opens");
        let old = { old }.load(Vec::new()).expect("a world").state_hash();
        // The superblock of the new commit may be there where the last sync failed.
        assert!(old == begun || (call + 1 == end && old == ended), "call {call}");
        assert_eq!(reloaded(&world, Vec::new()).state_hash(), ended);
        world.run_cycle(SimTime::MAX);
        // With room again the same file takes it, unless a sync failed.
        disk.mend();
        match file.save(&world) {
            Ok(_) => {
                let copy = file.load(Vec::new()).expect("a world");
                assert_eq!(copy.state_hash(), world.state_hash(), "call {call}");
            }
            Err(error) => assert!(error.to_string().contains("save elsewhere"), "{error}"),
        }
    }
}

/// Goal: bytes that pass their checksum and are no world are refused with what and where, whatever
/// they are. Method: extents of a world replaced by damaged ones through the store, then loaded.
#[test]
fn crafted_worlds_are_refused_or_right() {
    let mut world = tracked(|| flooded_builder(8, Solver::ShallowWater), Order::First);
    (0..3).for_each(|_| _ = world.run_cycle(SimTime::MAX));
    let mut file = in_memory(&world);
    let hash = world.state_hash();
    let keys = file.store().keys().expect("keys");
    let ours = |key: &&Key| !matches!(key.layer, Layer::Head | Layer::Bed | Layer::Parts);
    let keys: Vec<Key> = keys.iter().filter(ours).copied().collect();
    let (mut refused, mut bytes) = (0, Vec::new());
    let cases = shrunk(120, 12);
    for case in 0..cases {
        let draw = |salt: u64| scramble(case << 8 | salt);
        let pick = |count: usize, salt| usize::try_from(draw(salt) % count as u64).expect("small");
        let key = keys[pick(keys.len(), 1)];
        let mut store = file.into_store();
        assert!(store.get(key, &mut bytes).expect("there"));
        match draw(2) % 4 {
            0 => bytes.truncate(pick(bytes.len() + 1, 3)),
            1 => bytes.extend([7; 9]),
            _ => {
                let at =
                    pick(bytes.len().max(1), 4).min(if draw(5) % 2 == 0 { 60 } else { 1 << 20 });
                if let Some(byte) = bytes.get_mut(at) {
                    *byte = u8::try_from(draw(6) % 256).expect("a byte");
                }
            }
        }
        store.put(key, &bytes).expect("in memory");
        file = SaveFile::of(store);
        match file.load(Vec::new()) {
            Err(error) => {
                let line = error.to_string();
                assert!(!line.contains('\n') && line.len() < 400, "{key}: {line}");
                refused += 1;
            }
            Ok(mut found) => {
                // Maps and such are no state; what is opened runs.
                assert_eq!(
                    found.water().stored(),
                    found.water().ledger().expected(),
                    "case {case}: {key}"
                );
                if found.state_hash() != hash {
                    (0..2).for_each(|_| _ = found.run_cycle(SimTime::MAX));
                    assert_eq!(
                        found.water().stored(),
                        found.water().ledger().expected(),
                        "case {case}: {key}"
                    );
                }
            }
        }
        let mut store = file.into_store();
        store.roll_back();
        file = SaveFile::of(store);
    }
    assert!(refused * 2 > cases, "{refused} of {cases} were refused");
}

/// Goal: a run is scrubbed back and goes on from any moment that was kept, to the bit. Method: a
/// file that keeps each of some saves, opened at each of them; what is forgotten is gone.
#[test]
fn a_run_goes_on_from_any_moment_that_is_kept() {
    let path = TempFile::new("history");
    let mut world = tracked(|| flooded_builder(31, Solver::ShallowWater), Order::First);
    let mut file = SaveFile::create(&path.0, &world).expect("a new file");
    let mut hashes = Vec::new();
    for _ in 0..4 {
        (0..2).for_each(|_| _ = world.run_cycle(SimTime::MAX));
        let generation = file.save(&world).expect("saved");
        file.keep().expect("kept");
        hashes.push((generation, world.time(), world.state_hash()));
    }
    file.save(&world).expect("saved");
    drop(file);
    let mut file = SaveFile::open(&path.0).expect("a file");
    let moments = file.moments().expect("a list");
    assert_eq!(moments, hashes.iter().map(|&(n, time, _)| (n, time)).collect::<Vec<_>>());
    for pair in hashes.windows(2) {
        let mut then = file.load_at(pair[0].0, Vec::new()).expect("kept");
        assert_eq!(then.state_hash(), pair[0].2);
        (0..2).for_each(|_| _ = then.run_cycle(SimTime::MAX));
        assert_eq!(then.state_hash(), pair[1].2, "on from commit {}", pair[0].0);
    }
    let line = file.load_at(hashes[0].0 - 1, Vec::new()).expect_err("not kept").to_string();
    assert!(line.contains("not kept") || line.contains("keep"), "{line}");
    // Another end of the story, from the second moment on.
    let mut other = file.load_at(hashes[1].0, Vec::new()).expect("kept");
    other.set_solver(Solver::Pipe, Order::First);
    other.run_cycle(SimTime::MAX);
    file.save(&other).expect("saved");
    assert_eq!(file.load(Vec::new()).expect("a world").state_hash(), other.state_hash());
    let last = file.load_at(hashes[3].0, Vec::new()).expect("still kept");
    assert_eq!(last.state_hash(), hashes[3].2);
}
