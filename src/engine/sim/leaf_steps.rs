//! Steps by leaf: the length of the steps of each leaf in a cycle.
//!
//! ```text
//! shortest    the step of the leaf's level: beside another level, at links and barriers, near
//!             bodies and intervals, and if the pace of the leaf is not known
//! own         shortest · 2^n, the longest that the pace of the leaf and the length of the cycle
//!             allow; the pace is the largest of its cells at the end of its last cycle
//! graded      n differs by 1 at most between neighbours
//! ```
//!
//! A face between two leaves of one level belongs to the one with the shorter steps, as a face
//! between levels belongs to the finer one: registers, allowances and the water of the moment are
//! those of [`interfaces`](crate::forest::interfaces). All leaves end a cycle at the same moment,
//! so the pace is the only state.
//!
//! Guarantees: the promises of levels; the same state gives the same steps on every machine.
//! Limits:     worlds with tracers take the steps of levels. A leaf with longer steps keeps them to
//!             the end of the cycle if swift water runs into it meanwhile.
//! Source:     own; local time steps: Osher & Sanders (1983), Math. Comp. 41; Sanders (2008), Adv.
//!             Water Resour. 31.

use crate::forest::Neighbour;
use crate::forest::interfaces::border::Border;
use crate::forest::interfaces::{AT_REST, LeafAcross};
use crate::grid::{LeafId, Side, TILE_WIDTH};
use crate::sim::params::Params;
use crate::sim::schedule::CyclePlan;
use crate::sim::settings::StepsOf;
use crate::sim::state::SimulationState;
use crate::sim::structure_leaves::{with_bodies, with_structures};
use crate::sim::table::LeafTable;
use std::cmp::Ordering;

/// Begins a cycle in which each leaf that is awake takes its own steps, if the settings select
/// that.
pub(super) fn begin(state: &mut SimulationState, params: &Params, plan: CyclePlan) {
    let is_by_leaf = params.settings.steps == StepsOf::Leaf && state.tracers.is_empty();
    let Some((finest, _)) = state.activity.levels_awake().filter(|_| is_by_leaf) else { return };
    let doublings = doublings(state, params, plan, finest);
    // Without longer steps these are the steps of levels, whose lists are there already.
    if doublings.iter().all(|&doublings| doublings == 0) {
        return;
    }
    let SimulationState { leaves, activity, .. } = state;
    let shortest = |leaf: LeafId| params.steps_log2(leaves.forest.leaves()[leaf].level - finest);
    let of_leaf = |leaf: LeafId| match leaves.asleep[leaf] {
        true => AT_REST,
        false => shortest(leaf) + doublings[leaf.index()],
    };
    leaves.steps_log2 = leaves.forest.ids().map(of_leaf).collect();
    let awake: Vec<LeafId> = activity.awake.iter().flatten().copied().collect();
    activity.by_steps.clear();
    for leaf in awake {
        let level = leaves.forest.leaves()[leaf].level;
        let doublings = doublings[leaf.index()];
        let group = activity.by_steps.entry((level, doublings)).or_default();
        group.leaves.push(leaf);
        // Corners count, too, because halos read the cells there.
        let has_faster = (0..9).any(|at| leaves.view().beside(leaf, at) == LeafAcross::Faster);
        if has_faster {
            group.coarse_sides.push(leaf);
        }
        if leaves.open_steps(leaf) {
            // `grade` lets neighbours differ by one doubling only, so the longer steps are these.
            activity.by_steps.entry((level, doublings + 1)).or_default().beside.push(leaf);
        }
    }
}

/// Copies to leaves the discharges over their far sides to leaves with longer steps, whose planes
/// have them: the processor is about to step these. If a card does, those planes may be there.
pub(super) fn take_discharges(state: &mut SimulationState) {
    let SimulationState { leaves, activity, .. } = state;
    if leaves.steps_log2.is_empty() {
        return;
    }
    for &leaf in activity.awake.iter().flatten() {
        leaves.take_discharges(leaf);
    }
}

/// Ends a cycle in which leaves took their own steps.
pub(super) fn end(state: &mut SimulationState) {
    let SimulationState { leaves, activity, .. } = state;
    if leaves.steps_log2.is_empty() {
        return;
    }
    leaves.steps_log2.clear();
    activity.by_steps.clear();
    for &leaf in activity.awake.iter().flatten() {
        leaves.close_steps(leaf);
    }
}

/// Returns how often the shortest step of its level is doubled to that of each leaf.
fn doublings(state: &SimulationState, params: &Params, plan: CyclePlan, finest: u8) -> Vec<u8> {
    let SimulationState { leaves, activity, .. } = state;
    // The steps of a cycle differ by a tick at most: this is the longest.
    let step = plan.ticks.div_ceil(u64::from(plan.steps));
    // Doubled this often, a step is as long as the cycle or longer.
    let of_cycle = plan.steps.next_power_of_two().ilog2();
    let most =
        u8::try_from(of_cycle).map_or(u8::MAX, |log2| log2.min(params.settings.substeps_log2));
    let mut doublings = vec![0; leaves.count()];
    let mut is_shortest = vec![false; leaves.count()];
    // Bodies and intervals move the water of neighbours too.
    let near = leaves.near(&with_bodies(state).collect::<Vec<_>>());
    for leaf in with_structures(state).chain(near) {
        is_shortest[leaf.index()] = true;
    }
    let longest = |leaf: LeafId| {
        let level = leaves.forest.leaves()[leaf].level;
        leaves.own[leaf].pace.map(|pace| params.longest_step(level, f64::from(pace)))
    };
    let awake = || activity.awake.iter().flatten().copied();
    // A cycle grows by a quarter at most. If its steps are short for that reason, they count as
    // those of the fastest leaf: how much longer the rest are depends on water, not on the start of
    // a run.
    let of_fastest = awake().filter_map(|leaf| {
        let level = leaves.forest.leaves()[leaf].level;
        longest(leaf).map(|longest| longest >> params.steps_log2(level - finest))
    });
    let step = of_fastest.min().map_or(step, |fastest| step.max(fastest));
    for leaf in awake() {
        let Some(longest) = longest(leaf) else { continue };
        let is_beside_level = leaves.forest.beside(leaf).iter().any(|at| at.is_other_level());
        if is_shortest[leaf.index()] || is_beside_level {
            continue;
        }
        let shortest = params.steps_log2(leaves.forest.leaves()[leaf].level - finest);
        let bears = |n: u8| step << (shortest + n) <= longest;
        let longer = (1..=most.saturating_sub(shortest)).take_while(|&n| bears(n));
        doublings[leaf.index()] = longer.last().unwrap_or(0);
    }
    grade(leaves, awake(), &mut doublings);
    doublings
}

/// Lowers doublings until those of neighbours differ by 1 at most, from the shortest steps on.
fn grade(leaves: &LeafTable, awake: impl Iterator<Item = LeafId> + Clone, doublings: &mut [u8]) {
    let most = doublings.iter().copied().max().unwrap_or(0);
    // A leaf that is lowered gets `least + 1`, so the next round lowers its neighbours in turn.
    for least in 0..most {
        for leaf in awake.clone().filter(|leaf| !leaves.asleep[*leaf]) {
            if doublings[leaf.index()] != least {
                continue;
            }
            for beside in leaves.forest.beside(leaf) {
                let Neighbour::Same(beside) = *beside else { continue };
                let own = &mut doublings[beside.index()];
                *own = (*own).min(least + 1);
            }
        }
    }
}

impl LeafTable {
    /// Clears the pace of each leaf.
    pub(super) fn forget_paces(&mut self) {
        self.own.iter_mut().for_each(|own| own.pace = None);
        self.mark(self.forest.ids());
    }

    /// Opens the interfaces of a leaf to neighbours of its level with different steps; returns
    /// whether some have longer ones.
    fn open_steps(&mut self, leaf: LeafId) -> bool {
        let before = self.interfaces[leaf].take();
        let leaves = self.view();
        let same = |place: usize| match leaves.forest.beside(leaf)[place] {
            Neighbour::Same(other) => Some((other, leaves.steps_beside(leaf, other))),
            _ => None,
        };
        let has = |steps: Ordering| (0..9).filter_map(same).any(|(_, of)| of == steps);
        let (has_shorter, has_longer) = (has(Ordering::Less), has(Ordering::Greater));
        if !has_shorter && !has_longer {
            self.interfaces[leaf] = before;
            return false;
        }
        let mut own = before.unwrap_or_default();
        for side in Side::ALL {
            match same(side.place()) {
                Some((_, Ordering::Less)) => own.open_shorter(side),
                Some((_, Ordering::Greater)) => own.open_longer(side),
                _ => {}
            }
        }
        let spare = &mut self.spare;
        if has_shorter {
            own.coarse_view = Some(spare.view());
            own.moment = Some(spare.water());
        }
        own.before = has_longer.then(|| spare.water());
        self.interfaces[leaf] = Some(own);
        has_longer
    }

    /// Copies to a leaf the discharges over its far sides to leaves with longer steps.
    fn take_discharges(&mut self, leaf: LeafId) {
        for side in [Side::East, Side::North] {
            let Neighbour::Same(slower) = self.forest.across(leaf, side) else { continue };
            if self.view().steps_beside(leaf, slower).is_le() {
                continue;
            }
            let water = &self.water[slower];
            let of = |i: usize| match side {
                Side::East => water.flow_x[i * TILE_WIDTH],
                _ => water.flow_y[i],
            };
            let row = Some(Box::new(std::array::from_fn(of)));
            let own = self.interfaces[leaf].as_mut().expect("a leaf beside longer steps has some");
            own.beyond[side.axis()] = row;
        }
    }

    /// Closes the interfaces of a leaf to neighbours of its level.
    fn close_steps(&mut self, leaf: LeafId) {
        let beside = self.forest.beside(leaf);
        if let Some(own) = &mut self.interfaces[leaf] {
            self.spare.take(own);
        }
        if !beside.iter().any(|beside| beside.is_other_level()) {
            self.interfaces[leaf] = None;
            return;
        }
        let Some(own) = &mut self.interfaces[leaf] else { return };
        for side in Side::ALL {
            if matches!(beside[side.place()], Neighbour::Same(_)) {
                own.close_longer(side);
            }
        }
    }

    /// Keeps the water of these leaves for neighbours that begin a longer step.
    pub(super) fn keep_before(&mut self, beside: &[LeafId]) {
        self.each_interface(beside, |own, leaves, leaf| {
            let Some(before) = &mut own.before else { return };
            let border = Border::towards(|place| match leaves.forest.beside(leaf)[place] {
                Neighbour::Same(other) => leaves.steps_beside(leaf, other).is_gt(),
                _ => false,
            });
            border.copy(&leaves.water[leaf], before);
        });
    }
}
