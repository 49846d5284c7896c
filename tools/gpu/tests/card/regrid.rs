//! Leaves that change between cycles: what that costs on a card, and what a loss leaves then.

use crate::levels::looks_at;
use crate::support::card_to_lose;
use std::collections::BTreeSet;
use thalweg::forest::Forest;
use thalweg::grid::{LeafId, TileKey};
use thalweg::prelude::*;
use thalweg::units::SimTime;
use thalweg::world::{AdaptiveOptions, ColumnKind, MapKinds, Settings, Solver};

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

/// Leaves of a world.
fn leaves(world: &World) -> Vec<TileKey> {
    world.simulation().forest().leaves().to_vec()
}

/// Leaves that are no more, and all that lay around them.
fn near_change(before: &Forest, world: &World) -> usize {
    let now: BTreeSet<TileKey> = leaves(world).into_iter().collect();
    let goes = before.iter().filter(|(_, key)| !now.contains(key)).map(|(leaf, _)| leaf);
    let near = goes.flat_map(|leaf| before.near(leaf).chain([leaf]));
    near.collect::<BTreeSet<LeafId>>().len()
}

/// Goal: a change of the leaves reads planes of those that go and of some around them, of no
/// others; and writes those alone. Method: a sea all of which is awake; an observer who goes
/// through it.
#[test]
fn a_change_reads_what_it_changes() {
    let Some(turn) = card_to_lose() else { return };
    let card = turn.card();
    let log = card.log();
    let (mut plain, mut carded) = (sea(), sea());
    carded.set_card(Some(Box::new(card)));
    let (mut changes, mut most) = (0, 0);
    for cycle in 0..30 {
        for world in [&mut plain, &mut carded] {
            let observer = looks_at(world, [100.0 + 90.0 * f64::from(cycle), 1500.0], 500.0);
            *world.criteria_mut().expect("an adaptive world") = vec![observer];
        }
        plain.run_cycle(SimTime::MAX);
        let (before, events) = (carded.simulation().forest().clone(), log.events());
        let awake = carded.run_cycle(SimTime::MAX).awake;
        let now = log.events();
        let near = near_change(&before, &carded) as u64;
        let (read, written) = (now.read - events.read, now.written - events.written);
        println!("cycle {cycle}: {awake} awake, {near} near, {read} read, {written} written");
        changes += u32::from(near > 0);
        most = most.max(read);
    }
    assert_eq!(plain.state_hash(), carded.state_hash());
    assert!(changes > 10, "{changes} changes of leaves");
}
