//! A world that is saved and opened goes on as the one that was not: P1 and P3 through a file.

use crate::adaptive::dig;
use crate::adaptive::flooded_builder;
use crate::adaptive::jump;
use crate::adaptive::observers;
use crate::conserve::busy;
use crate::determinism::coast_builder;
use crate::determinism::flood_builder;
use crate::determinism::valleys;
use crate::support::shrunk;
use crate::tracer_levels::tracked;
use std::path::PathBuf;
use thalweg::check::violations;
use thalweg::forest::criteria::Criterion;
use thalweg::sim::Order;
use thalweg::sim::Solver;
use thalweg::sim::schedule::FixedStep;
use thalweg::units::SimTime;
use thalweg::world::ColumnKind;
use thalweg::world::SaveFile;
use thalweg::world::World;

/// A file that is gone with the test.
struct TempFile(PathBuf);

impl TempFile {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("thalweg-{name}-{}", std::process::id()));
        let file = Self(path);
        let _ = std::fs::remove_file(&file.0);
        file
    }
}

impl Drop for TempFile {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Runs a world, saves it again and again, and compares each opened copy with it, then and some
/// cycles later. `act` runs cycle number n; `asks` are the criteria after it.
#[track_caller]
fn check(
    name: &str,
    mut world: World,
    act: &dyn Fn(&mut World, u64),
    asks: &dyn Fn(&World, u64) -> Vec<Box<dyn Criterion>>,
) {
    let path = TempFile::new(name);
    let mut file = SaveFile::create(&path.0, &world).expect("a new file");
    let (cycles, mut cycle) = (shrunk(48, 12), 0);
    for pause in [0, 1, 2, 9, 3, 17, 16] {
        for _ in 0..pause {
            if cycle < cycles {
                act(&mut world, cycle);
                cycle += 1;
            }
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
        // The other one is not disturbed by being watched.
        let mut other = opened(name);
        for next in cycle..cycle + shrunk(6, 2) {
            act(&mut copy, next);
            act(&mut other, next);
        }
        assert_eq!(copy.state_hash(), other.state_hash(), "{name}: two copies of cycle {cycle}");
        let mut again = world;
        for next in cycle..cycle + shrunk(6, 2) {
            act(&mut again, next);
        }
        assert_eq!(copy.state_hash(), again.state_hash(), "{name}: on from cycle {cycle}");
        assert_eq!(copy.stored(), copy.ledger().expected(), "{name}: cycle {cycle}");
        cycle += shrunk(6, 2);
        world = again;
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
        10 => world.set_solver(Solver::ShallowWater, Order::First),
        30 => world.set_solver(Solver::Pipe, Order::Second),
        _ => {}
    }
    if cycle % 9 > 6 {
        world.run_fixed(frame);
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

/// Goal: an edit between two cycles is in the file, with the water on it, and what it roused.
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
