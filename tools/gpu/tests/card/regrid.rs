//! Leaves that change between cycles: what that costs on a card, and what a loss leaves then.

use crate::levels::{METHODS, badlands, looks_at, observers};
use crate::support::{card, card_to_give_up, maps_hash, shrunk};
use gpu::Device;
use std::collections::BTreeSet;
use thalweg::criteria::{Criterion, LeafFacts, Request, Scale};
use thalweg::prelude::*;
use thalweg::units::SimTime;
use thalweg::world::{AdaptiveOptions, ColumnKind, MapKinds, Order, Settings, Solver};
use thalweg_engine::forest::Forest;
use thalweg_engine::grid::LeafId;
use thalweg_engine::structure::weather::Direction;

/// Water in motion over waves of ground, of some hundred leaves, whose leaves follow an observer;
/// facts are taken once, before the first plan.
fn sea() -> World {
    let options = AdaptiveOptions {
        coarsest: 2,
        budget_cells: 1 << 20,
        interval_cycles: 1000,
        min_age_cycles: 1,
        ahead_cycles: 0,
        leaves_a_cycle: 12,
        criteria: Vec::new(),
    };
    let terrain = Terrain::from_heights([1024, 768], 4.0, |x, y| {
        10.0 + (0.05 * x as f64).sin() * (0.07 * y as f64).cos()
    });
    WorldBuilder::new(terrain.expect("a good terrain"))
        .settings(Settings { solver: Solver::Pipe, ..Settings::default() })
        .maps(MapKinds::NONE)
        .columns(ColumnKind::Flat)
        .adaptive(options)
        .initial_stage(|place| 13.0 + 1.0e-3 * f64::from(place.x))
        .build()
        .expect("a good world")
}

/// Leaves of a forest that another lacks, and all that lie around them.
fn near_change(forest: &Forest, other: &Forest) -> u64 {
    let changed = forest.iter().filter(|(_, key)| other.find(*key).is_none());
    let near = changed.flat_map(|(leaf, _)| forest.near(leaf).chain([leaf]));
    near.collect::<BTreeSet<LeafId>>().len() as u64
}

/// Goal: a change of the leaves reads from the card what goes and what lies around that, and no
/// other leaf; nor are others written to it. Method: a sea all of which is awake, and an observer
/// who goes through it; counts of every cycle, after the first.
#[test]
fn a_change_reads_and_writes_what_lies_near() {
    let Some(turn) = card() else { return };
    let card = turn.card();
    let log = card.log();
    let (mut plain, mut carded) = (sea(), sea());
    carded.set_card(Some(Box::new(card)));
    let (mut changes, mut all_new) = (0, u64::MAX);
    for cycle in 0..shrunk(30).max(16) {
        for world in [&mut plain, &mut carded] {
            let observer = looks_at(world, [100.0 + 90.0 * f64::from(cycle), 1500.0], 500.0);
            *world.criteria_mut().expect("an adaptive world") = vec![observer];
        }
        plain.run_cycle(SimTime::MAX);
        let (before, old) = (carded.simulation().forest().clone(), log.events());
        let awake = carded.run_cycle(SimTime::MAX).awake;
        let (after, new) = (carded.simulation().forest(), log.events());
        let (near, near_new) = (near_change(&before, after), near_change(after, &before));
        let (read, written) = (new.read - old.read, new.written - old.written);
        println!("cycle {cycle}: {awake} awake, {near} near, {read} read, {written} written");
        assert!(cycle == 0 || read <= near, "cycle {cycle}: {near} near, {read} read");
        assert!(written <= all_new, "cycle {cycle}: {all_new} near, {written} written");
        changes += u32::from(near > 0);
        all_new = near_new;
    }
    assert_eq!(plain.state_hash(), carded.state_hash());
    assert!(changes > 5, "{changes} changes of leaves");
}

/// A flood over badlands with rain, ground that takes water and all maps, whose leaves follow
/// observers; facts are taken once, so that planes stay on the card.
fn flood(columns: ColumnKind, method: (Solver, Order)) -> World {
    let options = AdaptiveOptions {
        coarsest: 3,
        budget_cells: 1 << 19,
        interval_cycles: 1000,
        min_age_cycles: 1,
        ahead_cycles: 0,
        leaves_a_cycle: 12,
        criteria: Vec::new(),
    };
    let builder = badlands(method, 7, 2).maps(MapKinds::ALL).columns(columns);
    builder
        .adaptive(options)
        .layer("rain", Direction::Into, &[(0.0, 2.0e-5)])
        .and_then(|builder| builder.layer("soil", Direction::Ground, &[(0.0, 1.0e-6)]))
        .expect("one point each")
        .build()
        .expect("a good world")
}

/// Destroys a device when the next plan is made: between a cycle and a change of the leaves.
#[derive(Debug, Clone)]
struct Thief(Device);

impl Criterion for Thief {
    fn request(&self, _: &LeafFacts, _: &Scale) -> Request {
        self.0.give_up();
        Request::NOTHING
    }
}

/// When a card is lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loss {
    /// Between a cycle and the change of the leaves that follows.
    BeforeChange,
    /// After that change; all is read at once.
    AfterChange,
    /// After that change; other cycles and changes follow before all is read.
    BetweenCycles,
}

/// Goal: a card that is lost loses nothing, whatever changes of the leaves there were since the
/// checkpoint; nor do copies of the world. Method: a flood whose leaves follow observers that jump,
/// until the device is destroyed, and two cycles more; copies from before the last cycle and the
/// one before that.
#[track_caller]
pub fn check_loss(columns: ColumnKind, method: (Solver, Order), cycles: u32, loss: Loss) {
    let Some(turn) = card_to_give_up() else { return };
    let card = turn.card();
    let log = card.log();
    let (mut plain, mut carded) = (flood(columns, method), flood(columns, method));
    carded.set_card(Some(Box::new(card)));
    let (mut changes, mut copies) = (0, Vec::new());
    let forest = |world: &World| world.simulation().forest().leaves().to_vec();
    for cycle in 0..cycles {
        let before = forest(&plain);
        if cycle + 2 >= cycles {
            let copy = |world: &World| world.try_clone().expect("in memory");
            copies.push([copy(&plain), copy(&carded)]);
        }
        for world in [&mut plain, &mut carded] {
            *world.criteria_mut().expect("an adaptive world") =
                observers(cycle / 2, &world.extent());
        }
        if loss == Loss::BeforeChange && cycle + 1 == cycles {
            let thief = Box::new(Thief(turn.device().clone()));
            carded.criteria_mut().expect("an adaptive world").push(thief);
        }
        for world in [&mut plain, &mut carded] {
            world.run_cycle(SimTime::MAX);
        }
        changes += u32::from(forest(&plain) != before);
    }
    let what = format!("{method:?}, {loss:?}, {changes} changes in {cycles} cycles");
    assert_eq!((log.events().cycles, log.events().lost), (u64::from(cycles), None), "{what}");
    turn.device().give_up();
    if loss == Loss::AfterChange {
        assert_eq!(plain.state_hash(), carded.state_hash(), "{what}");
    }
    for cycle in cycles..cycles + 2 {
        for world in [&mut plain, &mut carded] {
            *world.criteria_mut().expect("an adaptive world") = observers(cycle, &world.extent());
            world.run_cycle(SimTime::MAX);
        }
    }
    assert_eq!(plain.state_hash(), carded.state_hash(), "{what}, two cycles later");
    assert_eq!(maps_hash(&plain), maps_hash(&carded), "{what}, two cycles later");
    for [plain, carded] in &copies {
        assert_eq!(plain.state_hash(), carded.state_hash(), "a copy, {what}");
        assert_eq!(maps_hash(plain), maps_hash(carded), "a copy, {what}");
    }
    assert!(changes > 0 && log.events().lost.is_some(), "{what}");
    println!("{what}");
}

#[test]
fn a_card_that_is_lost_loses_no_change_of_leaves() {
    let losses = [Loss::BeforeChange, Loss::AfterChange, Loss::BetweenCycles];
    let (all, some) = if !cfg!(full_card) { (3, 2) } else { (6, 0) };
    for (cycles, loss) in (2..).zip(losses.into_iter().cycle()).take(all) {
        check_loss(ColumnKind::Flat, METHODS[0], cycles, loss);
    }
    for &loss in &losses[some..] {
        check_loss(ColumnKind::Flat, METHODS[2], shrunk(30), loss);
    }
}
