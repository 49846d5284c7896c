//! Demand: requests of criteria for the leaves, as tiles that should be split.
//!
//! Every split tile is kept by the most urgent criterion that keeps something in it finer than the
//! tile; every leaf is requested by the most urgent criterion that needs it finer. So the priority
//! of a place does not depend on the size of the part that is examined at once, as it would if
//! priorities were added before levels are compared.

use crate::forest::balance::{NO_TILE, SplitTiles, TileNumber};
use crate::forest::criteria::Request;
use crate::forest::facts::LeafFacts;
use crate::forest::{Coverage, Planner};
use crate::grid::TileKey;
use std::cmp::Ordering;

/// Priority of a tile that no criterion keeps split.
const NOBODY: f32 = f32::NEG_INFINITY;

/// Priority of a tile whose merging would let water fall across a crest: the tile stays split while
/// the budget has room.
const APART: f32 = f32::MIN / 2.0; // above `YOUNG`: the merely young give way first

/// Priority of a tile with leaves too young to be merged: the tile stays split while the budget has
/// room.
const YOUNG: f32 = f32::MIN;

/// Margin of urgency by which a split tile is preferred to one that is not split.
const MARGIN: f32 = 0.25; // without it, leaves of like urgency flicker if cells are scarce

/// A tile that should be split.
#[derive(Debug, Clone, Copy)]
pub(super) struct SplitDemand {
    pub(super) tile: TileNumber,
    priority: f32,
    level: u8,
    morton: u128,
}

impl SplitDemand {
    /// Compares two items: the more urgent is served first, then the larger, then the first in the
    /// order of keys.
    pub(super) fn order(&self, other: &Self) -> Ordering {
        let priority = other.priority.total_cmp(&self.priority);
        // No two items compare equal, so an unstable sort has one result.
        priority.then(other.level.cmp(&self.level)).then(self.morton.cmp(&other.morton))
    }
}

/// All requests for a forest.
#[derive(Debug, Default)]
pub(super) struct Demand {
    /// Split tiles that cannot be leaves.
    pub(super) forced: Vec<TileNumber>,
    /// Split tiles that are kept.
    pub(super) held: Vec<SplitDemand>,
    /// Leaves that should be split.
    pub(super) requested: Vec<SplitDemand>,
}

impl Demand {
    /// Returns the demand of `planner` for the leaves with these facts; `parents` are their
    /// parents. `None` if the leaves already meet it, with `most` leaves or fewer.
    pub(super) fn of(
        planner: &Planner,
        tiles: &mut SplitTiles<'_>,
        parents: &[TileNumber],
        facts: &[LeafFacts],
        most: u64,
    ) -> Option<Self> {
        let mut holds = vec![NOBODY; tiles.as_slice().len()];
        let mut requests = Vec::new();
        let mut merged = vec![None; holds.len()];
        // The highest priority that keeps each level.
        let mut asked = vec![NOBODY; usize::from(tiles.top()) + 1];
        for (leaf, &parent) in facts.iter().zip(parents) {
            let is_too_coarse = leaf.key.level > planner.scale().coarsest()
                || tiles.cover(leaf.key) == Coverage::Ragged;
            // More urgent than all criteria, whose priorities are finite.
            let mut urgency = if is_too_coarse { f32::INFINITY } else { NOBODY };
            asked.fill(NOBODY);
            planner.for_each_request(leaf, |request| {
                urgency = urgency.max(urgency_of(request, leaf.key));
                // A request for nothing keeps the coarsest level and so no tile split: a tile reads
                // the next finer level, and tiles above the coarsest level are forced.
                let asked = &mut asked[usize::from(request.keeps.max(leaf.key.level))];
                *asked = asked.max(request.priority);
            });
            hold(&mut holds, tiles, parent, &asked);
            if leaf.age_cycles < planner.min_age_cycles() && parent != NO_TILE {
                let hold = &mut holds[parent];
                *hold = hold.max(YOUNG);
            }
            if leaf.crest_separates && parent != NO_TILE {
                let hold = &mut holds[parent];
                *hold = hold.max(APART);
            }
            join(&mut merged, parent, leaf);
            if urgency > NOBODY {
                requests.push((leaf.key, urgency));
            }
        }
        let is_forced = settle(planner, tiles, merged, &mut holds);
        let is_settled = |(&hold, &is_forced): (&f32, &bool)| hold > NOBODY || is_forced;
        let is_met = requests.is_empty() && holds.iter().zip(&is_forced).all(is_settled);
        if is_met && facts.len() as u64 <= most {
            return None;
        }
        let mut demand = Self::default();
        demand.list(tiles, &holds, &is_forced);
        let request = |(key, priority): (TileKey, f32)| SplitDemand {
            tile: tiles.number(key),
            priority,
            level: key.level,
            morton: key.morton(),
        };
        demand.requested = requests.into_iter().map(request).collect();
        Some(demand)
    }

    fn list(&mut self, tiles: &SplitTiles<'_>, holds: &[f32], is_forced: &[bool]) {
        for ((number, tile), (&hold, &is_forced)) in
            (0..).zip(tiles.as_slice()).zip(holds.iter().zip(is_forced))
        {
            if is_forced {
                self.forced.push(number);
            } else if hold > NOBODY {
                let (level, morton) = (tile.key.level, tile.key.morton());
                let priority = if hold > YOUNG { hold + MARGIN } else { YOUNG };
                self.held.push(SplitDemand { tile: number, priority, level, morton });
            }
        }
    }
}

/// Returns the priority with which a request for the place of a tile splits it.
fn urgency_of(request: Request, key: TileKey) -> f32 {
    if request.needs < key.level { request.priority } else { NOBODY }
}

/// Keeps the ancestors of a leaf split, each with the priority that keeps the next finer level.
fn hold(holds: &mut [f32], tiles: &SplitTiles<'_>, parent: TileNumber, asked: &[f32]) {
    let mut number = parent;
    while let Some(tile) = tiles.as_slice().get(number) {
        let hold = &mut holds[number];
        *hold = hold.max(asked[usize::from(tile.key.level - 1)]);
        number = tile.parent;
    }
}

/// Keeps tiles that would be split again at once if they were merged, then lets each tile keep its
/// parent split. Returns whether each tile is forced to be split.
fn settle(
    planner: &Planner,
    tiles: &SplitTiles<'_>,
    mut merged: Vec<Option<LeafFacts>>,
    holds: &mut [f32],
) -> Vec<bool> {
    let mut is_forced = vec![false; holds.len()];
    // Backwards: a parent has a smaller number than its quarters, so the quarters are settled
    // first.
    for (number, tile) in tiles.as_slice().iter().enumerate().rev() {
        let key = tile.key;
        if let Some(facts) = merged[number] {
            let hold = &mut holds[number];
            planner.for_each_request(&facts, |request| *hold = hold.max(urgency_of(request, key)));
            join(&mut merged, tile.parent, &facts);
        }
        is_forced[number] = is_forced[number]
            || key.level > planner.scale().coarsest()
            || tiles.cover(key) == Coverage::Ragged;
        if tile.parent != NO_TILE {
            let parent = tile.parent;
            holds[parent] = holds[parent].max(holds[number]);
            is_forced[parent] |= is_forced[number];
        }
    }
    is_forced
}

/// Adds the facts of a leaf or a tile to the facts that its parent would have.
fn join(merged: &mut [Option<LeafFacts>], parent: TileNumber, quarter: &LeafFacts) {
    match merged.get_mut(parent) {
        Some(Some(facts)) => facts.join(&quarter.coarser()),
        Some(facts) => *facts = Some(quarter.coarser()),
        None => {}
    }
}
