//! Heads of a step: a full interval stays within its ceiling, or its head rises above it.
//!
//! ```text
//! depth' = depth + Δt/Δ Σ ±q(H)  ≤  capacity      complementary to      H ≥ ceiling
//! ```
//!
//! Free water has the head of its present stage; if its waves are fast for the step it follows the
//! step's end instead. Two red–black sweeps and a correction of all heads together
//! ([`newton`](super::newton)) take turns; intervals that the heads found so far would overfill
//! join. A remainder is no loss: whole transfers are bounded by the water and the room of the
//! nodes.
//!
//! Water that is stopped at once would push without end: it does not yield. So no head is above the
//! highest water around by more than half of the height between the lowest wet bed and that water;
//! the excess is cut from transfers.

use crate::sim::bounds::highest;
use crate::sim::passage::PassageLaw;
use crate::sim::stacks::net::{Now, StackNet, StackSlot};
use crate::sim::stacks::pieces::{AT_ONCE, SlotPiece};
use crate::sim::step_numbers::StepNumbers;
use rayon::prelude::*;

/// Turns of sweeps and corrections in a step at most.
const TURNS_MOST: u32 = 6;

/// Sweeps in a turn.
const SWEEPS: u32 = 1;

/// Part of the band by which depths may be off if sweeps alone find heads, and if heads were
/// corrected together: an error in a step swings the heads of a tunnel in the next.
const STEADY_PART: f64 = 1.0 / 256.0;
pub(super) const CORRECTED_PART: f64 = 1.0 / 8.0;

/// Part of the way to the middle of the band that a full interval moves in a step: the effect of
/// random draws of transfers would swing the heads of a mine by metres if it were removed at once.
const GOAL_PART: f64 = 0.05;

/// Courant number of waves, over both axes, from which free water follows the step's end.
const FAST_WAVES: f64 = 0.5;

/// A node in the search.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct SoughtNode {
    /// The node.
    pub node: u32,
    /// Bed, stage of the present depth, and ceiling, m above the datum.
    pub bed: f64,
    pub low: f64,
    pub top: f64,
    /// Largest head allowed, m.
    pub most: f64,
    /// Whether the depth of free water follows its head within the step.
    pub is_soft: bool,
    /// Depth at the step's end of an interval that is full, m.
    pub goal: Option<f64>,
}

/// The balance of a node under given heads.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct NodeBalance {
    /// Depth at the end of the step, m.
    pub filled: f64,
    /// Depth that leaves with each metre of its head.
    pub stiff: f64,
}

/// The search in a step.
#[derive(Debug)]
pub(super) struct Search<'a> {
    pub net: &'a StackNet,
    pub laws: &'a [PassageLaw],
    pub depth: &'a [i32],
    /// Highest heads by group of leaves, m.
    pub most: Vec<f64>,
    pub numbers: StepNumbers,
}

impl StackNet {
    /// Returns the highest heads that nodes may have in a step, by group of leaves, m.
    pub(super) fn highest(&self, now: &Now, unit_m: f64) -> Vec<f64> {
        let count = self.groups.len();
        let (mut high, mut low) = (vec![i32::MIN; count], vec![i32::MAX; count]);
        for &slot in &self.now.awake {
            let StackSlot { group, ref passages, .. } = self.slots[slot];
            for at in passages.clone() {
                for node in self.passages[at].ends.map(|end| end as usize) {
                    if now.depth[node] > 0 {
                        high[group] = high[group].max(now.stage[node]);
                        low[group] = low[group].min(self.nodes[node].bed);
                    }
                }
            }
        }
        (0..count)
            .map(|group| {
                let [high, low] = [high[group], low[group]].map(f64::from);
                highest(high, low, f64::INFINITY) * unit_m
            })
            .collect()
    }
}

impl Search<'_> {
    /// Finds the heads of all nodes that are awake; the heads of free water are in `head` already.
    pub fn find(&self, head: &mut [f64]) {
        let mut sought = self.candidates(head);
        if sought.is_empty() {
            return;
        }
        let mut moved = f64::INFINITY;
        for turn in 0..TURNS_MOST {
            let part = if turn == 0 { STEADY_PART } else { CORRECTED_PART };
            let steady = part * self.band_m();
            if turn > 0 {
                let more = self.overfull(&sought, head);
                if !more.is_empty() {
                    sought.extend(more);
                    sought.sort_unstable_by_key(|own| own.node);
                } else if moved < steady {
                    break;
                }
            }
            for _ in 0..SWEEPS {
                moved = self.sweep(&sought, head);
                if moved < steady {
                    break;
                }
            }
            if moved >= steady {
                self.correct(&sought, head);
            }
        }
        self.anchor(head);
        for own in &sought {
            let head = &mut head[own.node as usize];
            // Whole units, as a file has them.
            *head = (*head / self.numbers.unit_m + 0.5).floor() * self.numbers.unit_m;
        }
    }

    /// Returns the nodes that are at least half full, or would overfill, or have fast waves; in
    /// their order.
    fn candidates(&self, head: &[f64]) -> Vec<SoughtNode> {
        let net = self.net;
        // √(2 g h) Δt/Δ = FAST_WAVES, solved for the depth h.
        let fast = FAST_WAVES * FAST_WAVES / (2.0 * self.numbers.gravity);
        let fast_m = fast / (self.numbers.ratio() * self.numbers.ratio());
        let of_piece = |SlotPiece { slot, range }: SlotPiece| {
            let candidate = move |node: usize| {
                let own = self.sought((node, net.slots[slot].group), fast_m);
                let capacity = net.nodes[node].ceiling - net.nodes[node].bed;
                let is_half = 2 * i64::from(self.depth[node]) >= i64::from(capacity);
                let is_in = own.is_soft || is_half || self.is_overfull(node, head);
                is_in.then_some(own)
            };
            range.filter_map(candidate).collect::<Vec<SoughtNode>>()
        };
        let lists: Vec<Vec<SoughtNode>> =
            net.intervals_awake().into_par_iter().map(of_piece).collect();
        lists.concat()
    }

    fn sought(&self, (node, group): (usize, usize), fast_m: f64) -> SoughtNode {
        let unit_m = self.numbers.unit_m;
        let own = &self.net.nodes[node];
        let depth = self.depth[node];
        let is_full = self.net.is_full(node, depth);
        SoughtNode {
            node: u32::try_from(node).expect("fewer than 2³²"),
            bed: f64::from(own.bed) * unit_m,
            low: f64::from(own.bed + depth) * unit_m,
            top: f64::from(own.ceiling) * unit_m,
            most: self.most[group].max(f64::from(own.bed + depth) * unit_m),
            is_soft: !is_full && f64::from(depth) * unit_m > fast_m,
            goal: is_full.then(|| self.goal(node)),
        }
    }

    /// Returns the depth that a full interval must have at the end of the step, m: its present one,
    /// brought nearer to the middle of the band by a part of the flow.
    fn goal(&self, node: usize) -> f64 {
        let (own, net) = (&self.net.nodes[node], self.net);
        let capacity = f64::from(own.ceiling - own.bed) * self.numbers.unit_m;
        let depth = f64::from(self.depth[node]) * self.numbers.unit_m;
        let flow: f64 =
            net.passages_of(node).iter().map(|&at| self.laws[at as usize].q.abs()).sum();
        // Half of the sum: water that passes through counts twice in it, in and out.
        let most = 0.5 * flow * self.numbers.ratio();
        let away = capacity - 0.5 * self.band_m().min(0.5 * capacity) - depth;
        depth + (GOAL_PART * away).clamp(-most, most)
    }

    fn is_overfull(&self, node: usize, head: &[f64]) -> bool {
        let own = &self.net.nodes[node];
        let room = f64::from(own.ceiling - own.bed) * self.numbers.unit_m;
        self.balance_under(node, head).filled > room
    }

    /// Returns the intervals that the heads would overfill and that are not in the search yet.
    fn overfull(&self, sought: &[SoughtNode], head: &[f64]) -> Vec<SoughtNode> {
        let net = self.net;
        // Only neighbours of nodes in the search see different heads than before.
        let near = |&SoughtNode { node, .. }: &SoughtNode| {
            let ends =
                net.passages_of(node as usize).iter().map(|&at| net.passages[at as usize].ends);
            ends.map(move |[a, b]| if a == node { b } else { a })
        };
        let is_new = |node: &u32| {
            let is_known = sought.binary_search_by_key(node, |own| own.node).is_ok();
            (*node as usize) < net.covered && !is_known
        };
        let mut nodes: Vec<u32> = sought.iter().flat_map(near).filter(is_new).collect();
        nodes.sort_unstable();
        nodes.dedup();
        nodes.retain(|&node| self.is_overfull(node as usize, head));
        let group = |node: usize| {
            let slot = net.slots.binary_search_by_key(&net.nodes[node].leaf, |slot| slot.leaf);
            net.slots[slot.expect("a leaf with intervals")].group
        };
        let nodes = nodes.into_iter().map(|node| node as usize);
        // No depth exceeds ∞, so none is soft: an interval that overfills has no free surface.
        nodes.map(|node| self.sought((node, group(node)), f64::INFINITY)).collect()
    }

    /// Returns the balance of a node under these heads.
    fn balance_under(&self, node: usize, head: &[f64]) -> NodeBalance {
        self.balance(node, |at| {
            let heads = self.net.passages[at].ends.map(|end| head[end as usize]);
            self.laws[at].carried(heads, self.numbers.gravity)
        })
    }

    /// Returns the balance of a node by the discharges of its passages, and their gain with a metre
    /// of fall.
    pub fn balance(&self, node: usize, carried: impl Fn(usize) -> (f64, f64)) -> NodeBalance {
        let ratio = self.numbers.ratio();
        let depth_m = f64::from(self.depth[node]) * self.numbers.unit_m;
        let mut balance = NodeBalance { filled: depth_m, stiff: 0.0 };
        for &at in self.net.passages_of(node) {
            let (q, slope) = carried(at as usize);
            let is_behind = self.net.passages[at as usize].ends[1] as usize == node;
            balance.filled += ratio * if is_behind { q } else { -q };
            balance.stiff += ratio * slope;
        }
        balance
    }

    /// Returns the depth by which a full node may fall short, m.
    pub fn band_m(&self) -> f64 {
        f64::from(self.net.band) * self.numbers.unit_m
    }

    /// Returns the depth that must leave a full node, m; 0 within the band.
    pub fn excess(&self, filled: f64, own: &SoughtNode) -> f64 {
        if let Some(goal) = own.goal {
            return filled - goal;
        }
        let capacity = own.top - own.bed;
        let band = self.band_m().min(0.5 * capacity);
        if filled > capacity || filled < capacity - band {
            filled - (capacity - 0.5 * band)
        } else {
            0.0
        }
    }

    /// Runs one sweep over both colours; returns the largest change as depth, m.
    fn sweep(&self, sought: &[SoughtNode], head: &mut [f64]) -> f64 {
        let mut moved = 0.0_f64;
        for colour in 0..2 {
            let of_colour = |own: &&SoughtNode| self.net.nodes[own.node as usize].colour == colour;
            // Nodes of one colour do not meet: each reads its own head and heads of the other
            // colour, so the order of threads changes no bit.
            let before = &*head;
            let found: Vec<(u32, f64, f64)> = sought
                .par_iter()
                .with_min_len(AT_ONCE)
                .filter(of_colour)
                .filter_map(|own| self.relaxed(own, before))
                .collect();
            for (node, new, change) in found {
                head[node as usize] = new;
                moved = moved.max(change);
            }
        }
        moved
    }

    /// Returns the head of a node that balances the present heads of its neighbours, and its change
    /// as depth, m.
    fn relaxed(&self, own: &SoughtNode, head: &[f64]) -> Option<(u32, f64, f64)> {
        let before = head[own.node as usize];
        let NodeBalance { filled, stiff } = self.balance_under(own.node as usize, head);
        if stiff <= 1.0e-12 {
            return None;
        }
        let mut new = (before + self.excess(filled, own) / stiff).max(own.low);
        if own.is_soft {
            // From H − bed = filled − stiff (H − before): the new depth is that of the new head.
            let free = (filled + own.bed + stiff * before) / (1.0 + stiff);
            new = if free <= own.top { free.max(own.bed) } else { new.max(own.top) };
        }
        let new = new.min(own.most);
        Some((own.node, new, stiff * (new - before).abs()))
    }

    /// Sets heads of full intervals that no free water touches, which are defined up to a constant:
    /// the least that leaves one at its ceiling.
    fn anchor(&self, head: &mut [f64]) {
        let net = self.net;
        let is_full = |node: usize| net.is_full(node, self.depth[node]);
        let mut is_seen = vec![false; net.covered];
        let mut group = Vec::new();
        for first in net.now.awake.iter().flat_map(|&slot| net.slots[slot].intervals.clone()) {
            if is_seen[first] || !is_full(first) {
                continue;
            }
            is_seen[first] = true;
            group.clear();
            group.push(first);
            let (mut next, mut is_free, mut spare) = (0, false, f64::INFINITY);
            while let Some(&node) = group.get(next) {
                next += 1;
                let low = f64::from(net.nodes[node].bed + self.depth[node]) * self.numbers.unit_m;
                spare = spare.min(head[node] - low);
                for &at in net.passages_of(node) {
                    if self.laws[at as usize].push == 0.0 {
                        continue;
                    }
                    let [a, b] = net.passages[at as usize].ends.map(|end| end as usize);
                    let other = if a == node { b } else { a };
                    if !is_full(other) {
                        is_free = true;
                    } else if !is_seen[other] {
                        is_seen[other] = true;
                        group.push(other);
                    }
                }
            }
            if !is_free && spare > 0.0 {
                group.iter().for_each(|&node| head[node] -= spare);
            }
        }
    }
}
