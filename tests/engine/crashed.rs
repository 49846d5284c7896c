//! A disk that crashes under a world that is saved, kept, gone back to and dug: P7 for all that a
//! world is.
//!
//! Goal: whenever the disk crashes, the file opens, each of its extents is whole, and its world and
//!       the moments it keeps are those of the last save that was reported, or of the one under
//!       way; the world goes on from there.
//! Method: every call of a story on a disk that fails, with all unsynced writes, none, and seeded
//!         parts of them.

use crate::support::{fractal, scale, shrunk, terrain};
use std::collections::BTreeMap;
use thalweg::check::violations;
use thalweg::terrain::{Edit, Shape};
use thalweg::units::SimTime;
use thalweg::world::{
    AdaptiveOptions, ColumnKind, EdgeKind, FileError, SaveFile, World, WorldBuilder,
};
use thalweg_engine::grid::cells::CellPlace;
use thalweg_engine::store::Store;
use thalweg_engine::store::backend::faulty::{Call, Fate, FaultyDisk, image};
use thalweg_engine::store::backend::memory::Memory;
use thalweg_engine::store::terrain::check_terrain;
use thalweg_engine::units::hash::scramble;

/// A valley of four tiles with rain, a spring and a dye; its leaves may change.
fn valley(is_adaptive: bool) -> World {
    let ground = terrain(110, 80, 2.0, scale(20, 0.0), |x, y| {
        0.02 * x as f64 + 2.0 * fractal(3, x as f64, y as f64)
    });
    let spring = CellPlace { x: 80, y: 40 };
    let mut builder = WorldBuilder::new(ground)
        .edges(EdgeKind::Open)
        .initial_depth(|place| if place.x < 30 { 1.5 } else { 0.0 })
        .rain("rain", &[(0.0, 1.0e-5)])
        .and_then(|builder| builder.inflow("spring", &[(0.0, 3.0)], &[spring]))
        .expect("good series");
    if is_adaptive {
        let options = AdaptiveOptions {
            coarsest: 1,
            interval_cycles: 1,
            min_age_cycles: 2,
            ahead_cycles: 2,
            ..AdaptiveOptions::default()
        };
        builder = builder.columns(ColumnKind::Flat).adaptive(options);
    }
    builder.build().expect("a good world")
}

fn run(world: &mut World, cycles: u32) {
    (0..cycles).for_each(|_| _ = world.run_cycle(SimTime::MAX));
}

fn dig(world: &mut World, x: f64) {
    let shape = Shape::Disc { centre_m: [x, 60.0], radius_m: 14.0, rim_m: 4.0 };
    world.edits().edit(&Edit::Lower { shape, by_m: 1.25 }).expect("ground");
}

/// Contents of a file: the hash of its world, if it has one, and the commits that are kept.
type Held = (Option<u64>, Vec<u64>);

/// A story: the calls of its disk, and after how many of them which save was reported.
struct Story {
    calls: Vec<Call>,
    saves: Vec<(usize, Held)>,
    /// The hash of the world of each commit.
    hashes: BTreeMap<u64, u64>,
}

impl Story {
    fn save(&mut self, file: &mut SaveFile, disk: &FaultyDisk, world: &World) {
        let generation = file.save(world).expect("a disk that works");
        let hash = world.state_hash();
        self.hashes.insert(generation, hash);
        self.saves.push((disk.count(), (Some(hash), kept(file))));
    }
}

fn kept(file: &SaveFile) -> Vec<u64> {
    let moments = file.moments().expect("whole");
    moments.into_iter().map(|(generation, _)| generation).collect()
}

/// Runs, is saved three times and kept twice, is dug, goes back to the first moment that is kept,
/// and goes on from there.
fn story(is_adaptive: bool) -> Story {
    let disk = FaultyDisk::default();
    let store = Store::create_on(Box::new(disk.clone())).expect("an empty disk");
    let mut story = Story {
        calls: Vec::new(),
        saves: vec![(disk.count(), (None, Vec::new()))],
        hashes: BTreeMap::new(),
    };
    let (mut file, mut world) = (SaveFile::of(store), valley(is_adaptive));
    story.save(&mut file, &disk, &world);
    for _ in 0..2 {
        file.keep().expect("a save");
        run(&mut world, 3);
        story.save(&mut file, &disk, &world);
    }
    dig(&mut world, 70.0);
    run(&mut world, 2);
    story.save(&mut file, &disk, &world);
    let first = kept(&file)[0];
    let mut world = file.load_at(first, Vec::new()).expect("it is kept");
    assert_eq!(world.state_hash(), story.hashes[&first]);
    run(&mut world, 1);
    story.save(&mut file, &disk, &world);
    dig(&mut world, 150.0);
    file.keep().expect("a save");
    story.save(&mut file, &disk, &world);
    story.calls = disk.calls();
    story
}

/// Opens what a crash left.
#[track_caller]
fn check(story: &Story, crash: usize, bytes: Vec<u8>, case: &str, is_thorough: bool) {
    let reported = story.saves.partition_point(|(calls, _)| *calls <= crash) - 1;
    let store = Store::open_on(Box::new(Memory::of(bytes)));
    let store = store.unwrap_or_else(|error| panic!("{case}: {error}"));
    let verified = store.verify(|_, _| {}).expect("memory");
    assert!(verified.is_clean(), "{case}: {verified:?}");
    let mut file = SaveFile::of(store);
    let (hash, world) = match file.load(Vec::new()) {
        Ok(world) => (Some(world.state_hash()), Some(world)),
        Err(FileError::NoWater) if reported == 0 => (None, None),
        Err(error) => panic!("{case}: {error}"),
    };
    let held = (hash, kept(&file));
    let next = (reported + 1).min(story.saves.len() - 1);
    let is_known = [reported, next].iter().any(|&save| story.saves[save].1 == held);
    assert!(is_known, "{case}: {held:?} is neither save {reported} nor {next}");
    let Some(mut world) = world else { return };
    if !is_thorough {
        return;
    }
    for generation in held.1 {
        let then = file.load_at(generation, Vec::new()).expect("it is kept").state_hash();
        assert_eq!(then, story.hashes[&generation], "{case}: the moment of commit {generation}");
    }
    let damage = check_terrain(file.store(), &mut |_| {}).expect("memory");
    assert!(damage.is_empty(), "{case}: {damage:?}");
    run(&mut world, 1);
    let found = violations(&world);
    assert!(found.is_empty(), "{case}: {found:#?}");
    file.save(&world).expect("memory");
    let again = file.load(Vec::new()).expect("a world").state_hash();
    assert_eq!(again, world.state_hash(), "{case}: going on");
}

#[test]
fn a_crash_leaves_a_world_that_was_saved() {
    for is_adaptive in [false, true] {
        let story = story(is_adaptive);
        let (begun, end) = (story.saves[0].0, story.calls.len());
        assert!(end - begun > 60, "only {} calls", end - begun);
        let parts = shrunk(4, 1);
        for crash in (begun..=end).step_by(usize::try_from(shrunk(1, 3)).expect("small")) {
            for way in 0..2 + parts {
                let fate = |write: usize| {
                    let word = scramble(scramble(way << 32 | crash as u64) ^ write as u64);
                    let bytes = usize::try_from(word >> 8 & 0x3fff).expect("14 bits");
                    match (way, word % 4) {
                        (0, _) => Fate::Kept,
                        (1, _) => Fate::Lost,
                        (_, 0) => Fate::Kept,
                        (_, 1) => Fate::Lost,
                        (_, 2) => Fate::Torn(bytes),
                        _ => Fate::TornBefore(bytes),
                    }
                };
                let bytes = image(&story.calls, crash, fate);
                let case = format!("adaptive: {is_adaptive}, crash {crash} of {end}, way {way}");
                let is_thorough = shrunk(1, u64::from(way == 2 && crash % 4 == 0)) == 1;
                check(&story, crash, bytes, &case, is_thorough);
            }
        }
    }
}
