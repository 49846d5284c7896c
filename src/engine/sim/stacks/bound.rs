//! Bounds of transfers: no face takes more than the height of water over its sill, no node gives
//! more than it contains, and none takes more than fits.
//!
//! A receiver's inflows are cut by the units that would be above its ceiling. That leaves more with
//! their donors, which may then be too full themselves: so donors are checked in turn, until none
//! is over. Each turn takes from transfers and adds to none, so there is an end.

use crate::sim::bounds::{NodePassage, share_out};
use crate::sim::stacks::net::{Now, StackNet};

impl StackNet {
    /// Bounds all transfers of a step.
    pub(super) fn bound(&self, now: &mut Now) {
        self.bound_donors(now);
        let mut over: Vec<u32> =
            self.nodes_awake(now).filter(|&at| self.over(at, now) > 0).collect();
        while !over.is_empty() {
            let mut donors = Vec::new();
            for &node in &over {
                self.cut_inflows(node, now, &mut donors);
            }
            donors.sort_unstable();
            donors.dedup();
            donors.retain(|&node| self.over(node, now) > 0);
            over = donors;
        }
    }

    /// Returns the nodes of leaves that are awake.
    fn nodes_awake(&self, now: &Now) -> impl Iterator<Item = u32> {
        let covered = self.now.awake.iter().flat_map(|&slot| self.slots[slot].intervals.clone());
        covered
            .chain(now.open.iter().copied())
            .map(|node| u32::try_from(node).expect("fewer than 2³²"))
    }

    fn bound_donors(&self, now: &mut Now) {
        for at in self.now.awake.iter().flat_map(|&slot| self.slots[slot].passages.clone()) {
            let units = now.moved[at];
            if units == 0 {
                continue;
            }
            let donor = self.passages[at].ends[usize::from(units < 0)] as usize;
            let [sill, _] = self.opening(at, now);
            let stands = now.stage[donor].saturating_sub(sill).max(0);
            now.moved[at] = units.abs().min(stands).min(now.depth[donor]) * units.signum();
        }
        let nodes: Vec<u32> = self.nodes_awake(now).collect();
        for node in nodes {
            let passages = self.passages_of(node as usize).iter().map(|&at| {
                let is_before = self.passages[at as usize].ends[1] != node;
                NodePassage { at: at as usize, is_before }
            });
            share_out(now.depth[node as usize], &mut now.moved, passages);
        }
    }

    /// Returns the units that a passage brings to a node.
    pub(super) fn into(&self, passage: u32, node: usize, moved: &[i32]) -> i32 {
        let moved = moved[passage as usize];
        if self.passages[passage as usize].ends[1] as usize == node { moved } else { -moved }
    }

    /// Returns the units by which a node would be too full.
    fn over(&self, node: u32, now: &Now) -> i64 {
        let own = &self.nodes[node as usize];
        let gain: i64 = self
            .passages_of(node as usize)
            .iter()
            .map(|&at| i64::from(self.into(at, node as usize, &now.moved)))
            .sum();
        let held = i64::from(now.depth[node as usize]) + gain;
        if own.is_open {
            return held - i64::from(self.mouth_of(node as usize, now).full);
        }
        held - i64::from(own.ceiling - own.bed)
    }

    /// Cuts the inflows of a node that would be too full, and lists the donors that keep the units
    /// cut.
    fn cut_inflows(&self, node: u32, now: &mut Now, donors: &mut Vec<u32>) {
        let over = self.over(node, now);
        let faces = self.passages_of(node as usize);
        let inflow: i64 = faces
            .iter()
            .map(|&at| i64::from(self.into(at, node as usize, &now.moved).max(0)))
            .sum();
        if over <= 0 || inflow == 0 {
            return;
        }
        for &at in faces {
            let size = i64::from(self.into(at, node as usize, &now.moved));
            if size > 0 {
                // Rounded up: together the cuts are no less than the excess.
                let less = size.min((over * size + inflow - 1) / inflow);
                let moved = &mut now.moved[at as usize];
                *moved = i32::try_from(size - less).expect("less than it was") * moved.signum();
                let [a, b] = self.passages[at as usize].ends;
                donors.push(if a == node { b } else { a });
            }
        }
    }
}
