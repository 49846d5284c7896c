//! Panics in what a user brings, caught by the game: the world is as it was, or says that it is
//! broken and refuses to be saved.

use crate::support::{check_saved, in_memory, loaded, terrain};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use thalweg::body::{Bodies, Body, BodyId, Load, Motion, Pose, Solid};
use thalweg::criteria::{Criterion, Request, Scale};
use thalweg::units::SimTime;
use thalweg::world::{AdaptiveOptions, ColumnKind, SaveFile, World, WorldBuilder};
use thalweg_engine::forest::LeafFacts;

/// Asks for fine leaves in the west, and panics while a switch is on.
#[derive(Debug, Clone)]
struct Moody(Arc<AtomicBool>);

impl Criterion for Moody {
    fn request(&self, leaf: &LeafFacts, _: &Scale) -> Request {
        assert!(!self.0.load(Ordering::Relaxed), "the criterion is in a mood");
        Request::level(u8::from(leaf.key.x > 0), 0.0)
    }
}

/// A lake in leaves that change.
fn lake(criteria: Vec<Box<dyn Criterion>>, ahead_cycles: u32) -> World {
    lake_of(criteria, ahead_cycles, 1)
}

/// A lake planned anew after so many cycles.
fn lake_of(criteria: Vec<Box<dyn Criterion>>, ahead_cycles: u32, interval_cycles: u32) -> World {
    let ground = terrain([256, 128], 10, |x, y| 0.01 * (x as f64 - 90.0).abs() + 0.02 * y as f64);
    let options = AdaptiveOptions {
        coarsest: 1,
        budget_cells: 1 << 20,
        interval_cycles,
        min_age_cycles: 1,
        ahead_cycles,
        leaves_a_cycle: 4,
        criteria,
    };
    WorldBuilder::new(ground)
        .initial_stage(|place| if place.x < 60 { 1.5 } else { 1.0 })
        .columns(ColumnKind::Flat)
        .adaptive(options)
        .build()
        .expect("a good world")
}

/// Goal: a criterion that panics in a cycle which the game catches costs the world a plan and
/// nothing else: it keeps its criteria, goes on, is saved and loaded. Method: against a world
/// that is loaded from a save of the moment right after each panic.
#[test]
fn a_criterion_that_panics_costs_a_plan_and_nothing_else() {
    for ahead in [0, 2] {
        let mood = Arc::new(AtomicBool::new(false));
        let asks = || vec![Box::new(Moody(Arc::clone(&mood))) as Box<dyn Criterion>];
        let mut world = lake(asks(), ahead);
        let mut panics = 0;
        for cycle in 0..12 {
            mood.store(cycle % 3 != 2, Ordering::Relaxed);
            let ran = catch_unwind(AssertUnwindSafe(|| world.run_cycle(SimTime::MAX)));
            panics += u32::from(ran.is_err());
            mood.store(false, Ordering::Relaxed);
            assert!(!world.is_broken(), "ahead {ahead}, cycle {cycle}");
            assert_eq!(
                world.water().stored(),
                world.water().ledger().expected(),
                "ahead {ahead}, cycle {cycle}"
            );
            assert_eq!(world.criteria_mut().map(|own| own.len()), Some(1), "cycle {cycle}");
            let case = format!("ahead {ahead}, cycle {cycle}");
            check_saved(&mut world, asks, &case);
        }
        assert!(panics >= 3, "{panics} panics");
        let leaves = world.simulation().forest().leaves();
        let levels: Vec<u8> = leaves.iter().map(|key| key.level).collect();
        assert!(levels.contains(&0) && levels.contains(&1), "it asks still: {levels:?}");
    }
}

/// Goal: a criterion that panics is asked again in the next cycle, however long it is to the next
/// plan.
#[test]
fn a_criterion_that_panics_is_asked_again_in_the_next_cycle() {
    let mood = Arc::new(AtomicBool::new(false));
    let mut world = lake_of(vec![Box::new(Moody(Arc::clone(&mood)))], 0, 5);
    let mut panics = Vec::new();
    for cycle in 0..20 {
        mood.store(panics.len() < 2 && cycle > 0, Ordering::Relaxed);
        let ran = catch_unwind(AssertUnwindSafe(|| world.run_cycle(SimTime::MAX)));
        panics.extend(ran.is_err().then_some(cycle));
    }
    assert!(panics.len() == 2 && panics[1] == panics[0] + 1, "{panics:?}");
}

/// Bodies that panic when their solids are read, or when they get their loads.
struct Shy {
    solid: Solid,
    asked: bool,
    told: bool,
}

impl Bodies for Shy {
    fn solids(&mut self, put: &mut dyn FnMut(Body)) {
        let (pose, motion) = (Pose::at([40.0, 60.0, 1.0]), Motion::default());
        put(Body { id: BodyId(1), solid: self.solid.clone(), pose, motion, mass_kg: None });
        assert!(!self.asked, "not now");
    }

    fn loads(&mut self, _: &[(BodyId, Load)]) {
        assert!(!self.told, "not so heavy");
    }
}

/// Goal: bodies that panic when they are read, or when they get their loads, leave a whole world.
#[test]
fn bodies_that_panic_leave_a_whole_world() {
    for (asked, told) in [(true, false), (false, true)] {
        let mut world = lake(Vec::new(), 0);
        let solid = Solid::cuboid([6.0, 5.0, 4.0]).expect("a box");
        let mut bodies = Shy { solid, asked: false, told: false };
        world.run_cycle_with(SimTime::MAX, &mut bodies).expect("good bodies");
        (bodies.asked, bodies.told) = (asked, told);
        let ran = catch_unwind(AssertUnwindSafe(|| {
            world.run_cycle_with(SimTime::MAX, &mut bodies).map(drop)
        }));
        assert!(ran.is_err() && !world.is_broken(), "asked {asked}, told {told}");
        assert_eq!(world.water().stored(), world.water().ledger().expected());
        check_saved(&mut world, Vec::new, &format!("asked {asked}, told {told}"));
    }
}

/// Panics when a cycle is entered, as a fault of the engine would.
struct Faulty;

impl tracing::Subscriber for Faulty {
    fn enabled(&self, metadata: &tracing::Metadata<'_>) -> bool {
        metadata.name() == "cycle"
    }
    fn new_span(&self, _: &tracing::span::Attributes<'_>) -> tracing::span::Id {
        tracing::span::Id::from_u64(1)
    }
    fn record(&self, _: &tracing::span::Id, _: &tracing::span::Record<'_>) {}
    fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}
    fn event(&self, _: &tracing::Event<'_>) {}
    fn enter(&self, _: &tracing::span::Id) {
        panic!("a fault within a cycle");
    }
    fn exit(&self, _: &tracing::span::Id) {}
}

/// Goal: what breaks off a cycle half-way leaves a world that says that it is broken: it is saved
/// nowhere, runs no more, and the file keeps the moment before.
#[test]
fn a_cycle_that_is_broken_off_breaks_the_world_not_its_file() {
    let mut world = lake(Vec::new(), 0);
    world.run_cycle(SimTime::MAX);
    let mut file = in_memory(&world);
    let saved = world.state_hash();
    tracing::subscriber::with_default(Faulty, || {
        // Another thread that enters its first cycle now may say once that nobody listens.
        let is_broken_off = (0..100).any(|_| {
            tracing::callsite::rebuild_interest_cache();
            catch_unwind(AssertUnwindSafe(|| world.run_cycle(SimTime::MAX))).is_err()
        });
        assert!(is_broken_off && world.is_broken());
    });
    let path = std::env::temp_dir().join(format!("thalweg-broken-{}", std::process::id()));
    let created = SaveFile::create(&path, &world).map(drop);
    assert!(!path.exists(), "what could not be saved leaves no file");
    for error in [file.save(&world).map(drop), loaded(&world, Vec::new()).map(drop), created] {
        let error = error.expect_err("a broken world").to_string();
        assert!(error.contains("broken") && error.contains("load"), "{error}");
    }
    let again = catch_unwind(AssertUnwindSafe(|| world.run_cycle(SimTime::MAX)));
    assert!(again.is_err(), "it runs no more");
    let mut saver = file.in_background().expect("a thread");
    assert!(saver.save(&world).is_err(), "nor in the background");
    let mut file = saver.finish().expect("the file");
    let mut copy = file.load(Vec::new()).expect("the moment before");
    assert_eq!(copy.state_hash(), saved);
    check_saved(&mut copy, Vec::new, "the moment before");
}
