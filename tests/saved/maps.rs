//! Flood maps, each kind by itself: what a world keeps does not depend on what else it keeps.
//!
//! `THALWEG_MAPS=2000 cargo test --release --test saved kinds_of_maps` runs as many rounds as are
//! asked for.

use crate::calls::{call, run};
use crate::draws::Draws;
use crate::resident::ponds;
use crate::support::{each_round, in_memory};
use crate::things::Whim;
use crate::worlds::{Beds, Drawn, Kind, STREAM, drawn_maps, world_with};
use std::sync::atomic::{AtomicU64, Ordering};
use thalweg::world::{FileError, FixedStep, MapKinds, Residency, SaveFile, Undo, World};
use thalweg_engine::store::{Layer, Store};

/// A world that keeps some kinds, and all that is done to it.
struct Played {
    drawn: Drawn,
    draws: Draws,
    undos: Vec<Undo>,
}

impl Played {
    fn of(seed: u64, kinds: MapKinds) -> Self {
        let mut draws = Draws::of(seed ^ 0x3a95_0000);
        let kind = *draws.pick(&Kind::ALL);
        let mut drawn = || world_with(kind, Some(kinds), (&mut draws, Beds::Held)).ok();
        let drawn = match seed % 2 {
            0 => (0..20).find_map(|_| drawn()).expect("a world"),
            _ => ponds(Some(kinds), (&mut draws, Beds::Held)),
        };
        Self { drawn, draws, undos: Vec::new() }
    }

    /// The world runs, and something is called.
    fn step(&mut self) -> (String, Option<String>) {
        let Self { drawn, draws, undos } = self;
        run(&mut drawn.world, draws);
        let came = call(drawn, undos, draws);
        (came.call, came.refused)
    }

    /// Half a second, at the end of which leaves may change: others are asked for now and then.
    fn cycle(&mut self) {
        if self.draws.once_in(3) {
            self.drawn.whim = Whim(self.draws.seed());
            // Without criteria all becomes coarse.
            let is_whim = self.draws.once_in(2);
            let criteria = if is_whim { self.drawn.criteria() } else { Vec::new() };
            if let Some(before) = self.drawn.world.criteria_mut() {
                *before = criteria;
            }
        }
        self.drawn.world.run_cycle(FixedStep::try_new(1, 2).expect("a fraction"));
    }

    /// Saves the world and goes on with what its file has.
    fn reopen(&mut self) {
        let Self { drawn, undos, .. } = self;
        let mut file = match drawn.file.take() {
            Some(mut file) => {
                file.save(&drawn.world).expect("saved");
                file
            }
            None => in_memory(&drawn.world),
        };
        let keys = file.store().keys().expect("keys");
        let has_maps = keys.iter().any(|key| key.layer == Layer::Maps);
        assert_eq!(has_maps, !drawn.world.maps().kinds().is_empty(), "extents of maps");
        drawn.world = match drawn.kind {
            Kind::Streamed => file.stream(drawn.criteria(), STREAM).expect("streamed"),
            _ => file.load(drawn.criteria()).expect("loaded"),
        };
        drawn.file = Some(file);
        undos.clear();
    }
}

/// The kinds that a world keeps are those of one that keeps all; the others are named errors.
#[track_caller]
fn check_maps(some: &World, all: &World, kinds: MapKinds, case: &str) {
    assert_eq!(some.maps().kinds(), kinds, "{case}: the choice");
    for kind in MapKinds::EACH {
        match some.maps().hash(kind) {
            Ok(hash) => {
                assert!(kinds.has(kind), "{case}: {kind} is not kept");
                assert_eq!(Ok(hash), all.maps().hash(kind), "{case}: {kind}");
            }
            Err(error) => {
                assert!(!kinds.has(kind), "{case}: {kind} is kept");
                let name = kind.names().last().expect("a name");
                assert!(error.to_string().contains(name), "{case}: {error}");
            }
        }
    }
    assert_eq!(some.maps().maxima().is_ok(), kinds.has(MapKinds::DEPTH), "{case}: maxima");
}

/// Cycles that ended with other leaves, and planes of leaves that were packed.
#[derive(Default)]
struct Counts {
    regrids: AtomicU64,
    packed: AtomicU64,
}

fn round(seed: u64, counts: &Counts) {
    let kinds = drawn_maps(seed);
    let (mut all, mut some) = (Played::of(seed, MapKinds::ALL), Played::of(seed, kinds));
    let case = format!("seed {seed}, {:?}, {kinds}", some.drawn.kind);
    all.drawn.world.set_residency(Residency::Kept);
    some.drawn.world.set_residency(Residency::PackedAtOnce);
    for step in 0..5 {
        let case = format!("{case}, step {step}");
        assert_eq!(some.step(), all.step(), "{case}");
        for cycle in 0..if (seed / 2 + step).is_multiple_of(2) { 16 } else { 4 } {
            let before = some.drawn.world.simulation().forest().leaves().to_vec();
            some.cycle();
            all.cycle();
            let (world, other) = (&some.drawn.world, &all.drawn.world);
            assert_eq!(world.state_hash(), other.state_hash(), "{case}: maps are no state");
            check_maps(world, other, kinds, &format!("{case}, cycle {cycle}"));
            let is_changed = world.simulation().forest().leaves() != before;
            counts.regrids.fetch_add(u64::from(is_changed), Ordering::Relaxed);
        }
        counts.packed.fetch_add(some.drawn.world.residency().packed, Ordering::Relaxed);
        if (seed + step).is_multiple_of(3) {
            some.reopen();
            all.reopen();
            some.drawn.world.set_residency(Residency::PackedAtOnce);
            check_maps(&some.drawn.world, &all.drawn.world, kinds, &format!("{case}, reopened"));
        }
    }
}

/// Goal: a kind of flood maps is the same whatever others are kept, none of them is state, and the
/// choice comes back from the file. Method: random worlds and sets of kinds beside the same world
/// that keeps all, the same random calls and cycles, changes of leaves, saves and loads; one has
/// its planes packed after each cycle, the other in memory.
#[test]
fn kinds_of_maps_do_not_touch_each_other() {
    let asked = std::env::var("THALWEG_MAPS").ok().and_then(|text| text.parse().ok());
    let rounds: u64 = asked.unwrap_or(if crate::QUICK { 8 } else { 30 });
    let counts = Counts::default();
    let seeds: Vec<u64> = (0..rounds).collect();
    each_round(&seeds, |seed| round(seed, &counts));
    let (regrids, packed) = (counts.regrids.into_inner(), counts.packed.into_inner());
    println!("{rounds} rounds, {regrids} cycles with changes of leaves, {packed} planes packed");
    assert!(regrids > rounds, "{regrids} cycles with changes of leaves");
    assert!(packed > 4 * rounds, "{packed} planes packed");
}

/// The file of a world that keeps these maps, as a store.
fn stored(kinds: MapKinds) -> Store {
    let mut draws = Draws::of(7);
    let drawn = world_with(Kind::OneLevel, Some(kinds), (&mut draws, Beds::Held)).expect("a world");
    in_memory(&drawn.world).into_store()
}

/// Goal: maps of other kinds than the set-up says are a named error, and a set-up without a word
/// about kinds keeps all. Method: the maps of one world in the file of another, an unknown kind.
#[test]
fn a_file_that_contradicts_itself_is_refused() {
    let get = |store: &Store, layer| {
        let keys = store.keys().expect("keys");
        let key = *keys.iter().find(|key| key.layer == layer).expect("an extent");
        let mut bytes = Vec::new();
        assert!(store.get(key, &mut bytes).expect("read"));
        (key, bytes)
    };
    let some = stored(MapKinds::DEPTH | MapKinds::HAZARD);
    let (_, other) = get(&some, Layer::Maps);
    assert_eq!(other[..2], [3, 0b1001], "the form of some kinds, and the kinds");
    let mut store = stored(MapKinds::ALL);
    let (key, own) = get(&store, Layer::Maps);
    assert_eq!(own[0], 2, "the form of all kinds is that of earlier builds");
    let (_, setup) = get(&store, Layer::Setup);
    assert!(!String::from_utf8_lossy(&setup).contains("maps"), "and so is the set-up");
    store.put(key, &other).expect("memory");
    let refused = SaveFile::of(store).load(Vec::new()).expect_err("other kinds");
    assert!(matches!(refused, FileError::Record { .. }), "{refused}");
    assert!(refused.to_string().contains("of other kinds"), "{refused}");

    let mut store = some;
    let (key, setup) = get(&store, Layer::Setup);
    let setup = String::from_utf8(setup).expect("text");
    assert!(setup.contains(r#""maps":["depth","hazard"]"#), "{setup}");
    store.put(key, setup.replace("hazard", "colour").as_bytes()).expect("memory");
    let refused = SaveFile::of(store).load(Vec::new()).expect_err("an unknown kind").to_string();
    assert!(refused.contains("colour"), "{refused}");
}
