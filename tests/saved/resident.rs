//! Leaves asleep that are packed: whatever was where, the same world.
//!
//! `THALWEG_RESIDENT=5000 cargo test --release --test saved where_planes_are` runs as many rounds
//! as are asked for.

use crate::calls::{call, run};
use crate::draws::Draws;
use crate::support::{each_round, in_memory, terrain};
use crate::things::{Map, Whim};
use crate::worlds::{Beds, Drawn, Kind, builder, drawn_maps, world_with};
use rayon::ThreadPool;
use std::sync::atomic::{AtomicU64, Ordering};
use thalweg::criteria::Criterion;
use thalweg::terrain::{Edit, Shape};
use thalweg::world::{
    AdaptiveOptions, ColumnKind, FixedStep, MapKinds, Residency, ResidencyCounters, SaveFile, Undo,
    World, WorldBuilder,
};
use thalweg_engine::grid::TILE_CELLS;
use thalweg_engine::grid::cells::CellPlace;
use thalweg_engine::sim::Settings;
use thalweg_engine::store::Key;
use thalweg_engine::tile::{Resident, Water};
use thalweg_engine::units::hash::scramble;

/// A world of a round, and all that is done to it.
struct Played {
    drawn: Drawn,
    draws: Draws,
    undos: Vec<Undo>,
    file: Option<SaveFile>,
}

/// Result of a step of a round.
type Shown = (String, Option<String>, u64, i128);

/// Ponds between hills, eight tiles long: most of them sleep while something happens in one. They
/// keep these flood maps, or drawn ones.
pub fn ponds(maps: Option<MapKinds>, (draws, beds): (&mut Draws, Beds)) -> Drawn {
    let kinds =
        [Kind::OneLevel, Kind::Adaptive, Kind::SubGrid, Kind::AdaptiveSubGrid, Kind::Streamed];
    let (kind, whim) = (*draws.pick(&kinds), Whim(draws.seed()));
    let seed = draws.seed();
    let rough = move |x: usize, y: usize| (scramble(seed ^ (x << 8 | y) as u64) % 97) as f64 / 97.0;
    let bed = |x: usize, y: usize| 1.0 + 0.5 * (x as f64 / 40.0).sin() + 0.2 * rough(x, y);
    let is_sub_grid = matches!(kind, Kind::SubGrid | Kind::AdaptiveSubGrid)
        || (kind == Kind::Streamed && draws.once_in(2));
    let settings = Settings { sleep_after_cycles: 1 + draws.below(4), ..Settings::default() };
    let (builder, file) = builder(kind, terrain([512, 64], 10, bed), beds);
    let mut builder = builder
        .settings(settings)
        .columns(if is_sub_grid { ColumnKind::SubGrid } else { ColumnKind::Flat })
        .initial_stage(|_| 1.1)
        .maps(maps.unwrap_or(drawn_maps(seed)))
        .tracer("dye", |place| f64::from(place.x % 50) / 50.0);
    if kind.is_adaptive() {
        let criteria: Vec<Box<dyn Criterion>> = vec![Box::new(whim)];
        let options = AdaptiveOptions { coarsest: 1, criteria, ..AdaptiveOptions::default() };
        builder = builder.adaptive(options);
    }
    if draws.once_in(3) {
        builder = builder.green_ampt(1.0e-7, 0.05).expect("good numbers");
    }
    let map = Map { size_m: [1024.0, 128.0], cell_m: 2.0, low_m: 0.5, high_m: 2.0 };
    Drawn { kind, world: builder.build().expect("a good world"), map, whim, file }
}

impl Played {
    fn of(seed: u64, residency: Residency) -> Self {
        let mut draws = Draws::of(seed ^ 0xa51e_e900);
        let kind = *draws.pick(&Kind::ALL);
        let beds = if residency == Residency::Kept { Beds::InMemory } else { Beds::Held };
        let mut drawn = match seed % 3 {
            0 => {
                let drawn = (0..20).find_map(|_| world_with(kind, None, (&mut draws, beds)).ok());
                drawn.expect("a world")
            }
            _ => ponds(None, (&mut draws, beds)),
        };
        drawn.world.set_residency(residency);
        Self { drawn, draws, undos: Vec::new(), file: None }
    }

    fn step(&mut self) -> Shown {
        let Self { drawn, draws, undos, .. } = self;
        run(&mut drawn.world, draws);
        // Long enough for leaves to fall asleep, and some that do to be left alone.
        let frame = FixedStep::try_new(1, 2).expect("a fraction");
        let still = if draws.once_in(2) { draws.below(24) } else { 0 };
        (0..still).for_each(|_| _ = drawn.world.run_cycle(frame));
        let came = call(drawn, undos, draws);
        (came.call, came.refused, drawn.world.state_hash(), drawn.world.water().stored())
    }

    /// All extents of the world's file after a save.
    fn saved(&mut self) -> Vec<(Key, Vec<u8>)> {
        let world = &self.drawn.world;
        match &mut self.file {
            Some(file) => drop(file.save(world).expect("saved again")),
            None => {
                self.file = Some(in_memory(world));
            }
        }
        let store = self.file.as_ref().expect("saved").store();
        let extent = |key: &Key| {
            let mut bytes = Vec::new();
            assert!(store.get(*key, &mut bytes).expect("read"), "{key:?} is there");
            (*key, bytes)
        };
        store.keys().expect("keys").iter().map(extent).collect()
    }
}

/// Planes that were packed in all rounds, that came back ahead, and that someone waited for.
#[derive(Default)]
struct Counts([AtomicU64; 3]);

impl Counts {
    fn add(&self, counters: &ResidencyCounters) {
        let ResidencyCounters { packed, ahead, waits, .. } = *counters;
        for (all, one) in self.0.iter().zip([packed, ahead, waits]) {
            all.fetch_add(one, Ordering::Relaxed);
        }
    }
}

fn round(seed: u64, pools: &[ThreadPool], counts: &Counts) {
    let residency = match seed % 7 {
        0 => Residency::Packed,
        1 | 2 => Residency::InFile,
        _ => Residency::PackedAtOnce,
    };
    let pool = &pools[usize::try_from(seed / 3 % 3).expect("small")];
    let mut kept = Played::of(seed, Residency::Kept);
    let mut packed = pool.install(|| Played::of(seed, residency));
    let case = format!("seed {seed}, {:?}, {residency:?}", kept.drawn.kind);
    for step in 0..6 {
        let found = pool.install(|| packed.step());
        assert_eq!(found, kept.step(), "{case}, step {step}");
        if (seed + step).is_multiple_of(3) {
            let found = pool.install(|| packed.saved());
            assert!(found == kept.saved(), "{case}, step {step}: the files differ");
        }
    }
    let found = pool.install(|| packed.saved());
    assert!(found == kept.saved(), "{case}: the files differ at the end");
    counts.add(&packed.drawn.world.residency());
    assert_eq!(kept.drawn.world.residency(), ResidencyCounters::default(), "{case}");
}

/// Goal: where planes are changes nothing. Method: random worlds of all kinds, random calls of
/// every public setter and act with cycles between, once with leaves that are let go, with beds
/// that stay in their file among them, and once with all in memory: the same refusals, hashes and
/// volumes after every step, the same extents in files that are saved again and again; 1, 2 and 7
/// threads.
#[test]
fn where_planes_are_changes_nothing() {
    let asked = std::env::var("THALWEG_RESIDENT").ok().and_then(|text| text.parse().ok());
    let rounds: u64 = asked.unwrap_or(if crate::QUICK { 20 } else { 50 });
    let pool = |&threads: &usize| {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads")
    };
    let pools: Vec<ThreadPool> = [1, 2, 7].iter().map(pool).collect();
    let counts = Counts::default();
    let seeds: Vec<u64> = (0..rounds).collect();
    each_round(&seeds, |seed| round(seed, &pools, &counts));
    let [packed, ahead, waits] = counts.0.map(AtomicU64::into_inner);
    println!("{rounds} rounds: {packed} packed, {ahead} brought ahead, {waits} waited for");
    assert!(packed > rounds && ahead > rounds && waits > rounds, "the rounds let go of too little");
}

/// Whether leaves are of one level.
#[derive(Debug, Clone, Copy)]
enum Levels {
    One,
    Change,
}

/// A lake over rough ground, 16 tiles long and two wide, that a river enters for some seconds.
fn lake(columns: ColumnKind, levels: Levels, beds: Beds) -> World {
    let bed = |x: usize, y: usize| 0.9 * ((x * 37 + y * 101) % 97) as f64 / 97.0;
    let (builder, _) = builder(Kind::Streamed, terrain([1024, 128], 10, bed), beds);
    let builder = builder
        .settings(Settings { sleep_after_cycles: 12, ..Settings::default() })
        .columns(columns)
        .level(if columns == ColumnKind::SubGrid { 1 } else { 0 })
        .initial_stage(|_| 2.0)
        .tracer("dye", |place| f64::from(place.x % 50) / 50.0);
    let builder = match levels {
        Levels::Change => {
            builder.level(0).adaptive(AdaptiveOptions { coarsest: 1, ..AdaptiveOptions::default() })
        }
        Levels::One => builder,
    };
    let river = [(0.0, 0.0), (30.0, 0.0), (31.0, 80.0), (45.0, 80.0), (46.0, 0.0)];
    builder
        .inflow("river", &river, &[CellPlace { x: 3, y: 32 }])
        .and_then(WorldBuilder::build)
        .expect("a good world")
}

/// Goal: no step waits. Method: waves that run through a lake which sleeps and is packed, flat and
/// sub-grid, of one level and adaptive, in memory and with its ground in a file: nobody waits for a
/// plane, nor for a page, leaves were away and came back ahead, and the hash is that of the same
/// lake in memory; where all of it is there, neither hash nor volume brings anything back.
#[test]
fn waves_over_a_lake_that_is_packed_wait_for_nothing() {
    use ColumnKind::{Flat, SubGrid};
    let worlds = [
        (Flat, Levels::One, Beds::InMemory),
        (SubGrid, Levels::One, Beds::InMemory),
        (Flat, Levels::Change, Beds::InMemory),
        (Flat, Levels::One, Beds::Held),
        (SubGrid, Levels::One, Beds::Held),
        (SubGrid, Levels::Change, Beds::Held),
    ];
    for (columns, levels, beds) in worlds.into_iter().skip(if crate::QUICK { 5 } else { 0 }) {
        let case = format!("{columns:?}, {levels:?}, {beds:?}");
        let mut kept = lake(columns, levels, Beds::InMemory);
        let mut packed = lake(columns, levels, beds);
        kept.set_residency(Residency::Kept);
        packed.set_residency(Residency::InFile);
        let frame = FixedStep::try_new(1, 2).expect("a fraction");
        let (mut most, mut grounds) = (0, 0);
        for cycle in 0..300 {
            kept.run_cycle(frame);
            packed.run_cycle(frame);
            let counters = packed.residency();
            (most, grounds) = (most.max(counters.leaves_away), grounds.max(counters.grounds_away));
            if cycle % 50 == 49 {
                let hash = packed.state_hash();
                assert_eq!(hash, kept.state_hash(), "{case}, cycle {cycle}");
                let stored = packed.water().stored();
                assert_eq!(stored, packed.water().ledger().expected(), "{case}, cycle {cycle}");
            }
        }
        let counters = packed.residency();
        let leaves = packed.simulation().forest().leaves().len() as u64;
        println!("{case}: {leaves} leaves, {most} away at most, {counters:?}");
        assert_eq!(counters.waits, 0, "{case}");
        let stalls = packed.stream().counters().map_or(0, |counters| counters.stalls);
        assert_eq!(stalls, 0, "{case}: waits for pages");
        assert!(most > leaves / 2 && counters.ahead > 0, "{case}: {most} away, {counters:?}");
        assert!(counters.packed_bytes < 4 * leaves * TILE_CELLS as u64, "{case}: {counters:?}");
        let grounds_may_go = beds == Beds::Held;
        assert_eq!(grounds > leaves / 2, grounds_may_go, "{case}: {grounds} grounds away");
    }
}

/// Goal: an edit under a leaf asleep is the same wherever its ground and its water are, and packed
/// water is what it was, whatever becomes of the ground below meanwhile. Method: a lake with its
/// beds in a file, at rest and with what waves leave behind, against the same in memory; somebody
/// takes hold of the water of its leaves, as a save in the background does, and the ground below is
/// raised: all have the depths from before, and both worlds go on alike.
#[test]
fn an_edit_under_leaves_asleep_changes_no_water() {
    let depths = |all: &[Resident<Water>]| -> Vec<Vec<i32>> {
        all.iter().map(|water| water.copied().depth.to_vec()).collect()
    };
    let kinds = [ColumnKind::Flat, ColumnKind::SubGrid];
    let cases = kinds.into_iter().flat_map(|columns| [(columns, 30), (columns, 300)]);
    let (first, count) = if crate::QUICK { (1, 2) } else { (0, 4) };
    for (columns, cycles) in cases.skip(first).take(count) {
        let case = format!("{columns:?}, {cycles} cycles");
        let mut kept = lake(columns, Levels::Change, Beds::InMemory);
        let mut world = lake(columns, Levels::Change, Beds::Held);
        kept.set_residency(Residency::Kept);
        world.set_residency(Residency::PackedAtOnce);
        let frame = FixedStep::try_new(1, 2).expect("a fraction");
        let run = |kept: &mut World, world: &mut World, cycles| {
            (0..cycles).for_each(|_| {
                kept.run_cycle(frame);
                world.run_cycle(frame);
            });
        };
        run(&mut kept, &mut world, cycles);
        let leaves = world.simulation().leaves();
        let away = leaves.forest.ids().find(|&leaf| !leaves.grounds[leaf].is_here());
        let key = leaves.forest.leaves()[away.expect("some ground is away")];
        let width_m = 2.0 * f64::from(64 << key.level);
        let low_m = [key.x, key.y].map(|at| (f64::from(at) + 0.3) * width_m);
        let shape = Shape::Rectangle { low_m, high_m: low_m.map(|low| low + 0.5 * width_m) };
        let held = leaves.water.clone();
        let before = depths(&held);
        let raised = Edit::Raise { shape, by_m: 0.5 };
        kept.edits().edit(&raised).expect("good");
        world.edits().edit(&raised).expect("good");
        assert_eq!(depths(&held), before, "{case}: held before");
        assert_eq!(depths(&world.simulation().leaves().water), before, "{case}: its own");
        assert_eq!(world.state_hash(), kept.state_hash(), "{case}");
        run(&mut kept, &mut world, 40);
        assert_eq!(world.state_hash(), kept.state_hash(), "{case}: they go on");
    }
}
