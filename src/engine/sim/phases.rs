//! The steps of a cycle, levels one inside the other, as a list of phases.
//!
//! ```text
//! step of level L    1  links, boundary, solids, intervals; those beside finer ones note it
//!                    2  twice (once beyond the K-th level):
//!                         show the moment to finer leaves → step of level L − 1 → collect
//!                    3  leaves beside finer ones take the content that came; kernel of every
//!                       awake leaf: transfers, depths, discharges
//! ```
//!
//! Level L steps with `Δt₀ · 2^min(L, K)`, levels counted from the finest that is awake. Leaves of
//! one level step in parallel: each reads the old water of all and writes its own new water, to
//! which all switch at the end. So the list may pause between any two phases, and between any two
//! leaves of one.
//!
//! Guarantees: the same bits in one go and in any parts.

use crate::flow::params::StepParams;
use crate::forest::interfaces::{ForestLeaves, LeafInterfaces};
use crate::grid::{LeafId, TILE_CELLS};
use crate::sim::boundary_step::step_boundary;
use crate::sim::leaf::StepContext;
use crate::sim::leaf_steps;
use crate::sim::links::LinkStep;
use crate::sim::maps::LeafMaps;
use crate::sim::params::Params;
use crate::sim::schedule::CyclePlan;
use crate::sim::settings::Settings;
use crate::sim::solids::covered::CoveredForcing;
use crate::sim::solids::look::SolidLook;
use crate::sim::stacks::Rims;
use crate::sim::state::SimulationState;
use crate::sim::table::{LeafTable, LeafWork, pick};
use crate::units::SimTime;
use rayon::prelude::*;
use std::fmt;
use std::ops::Range;

/// Cells of one leaf, as budgets count them.
pub const CELLS_OF_LEAF: u64 = TILE_CELLS as u64;

/// Leaves for each thread between two checks whether time is left.
const LEAVES_BETWEEN_QUESTIONS: usize = 2;

/// Amount of work that may be done on the steps of a cycle now.
pub enum Allowance<'a> {
    /// All steps, to their end.
    Whole,
    /// This number of cell-steps; a leaf is stepped as a whole or not.
    CellSteps(u64),
    /// Steps while the function returns true; it is called after some leaves, and before all but
    /// the first.
    While(&'a mut dyn FnMut() -> bool, bool),
}

impl<'a> Allowance<'a> {
    /// Returns an allowance that lasts while `is_time_left` returns true.
    #[must_use]
    pub fn while_so(is_time_left: &'a mut dyn FnMut() -> bool) -> Self {
        Self::While(is_time_left, true)
    }

    /// Charges the work done for leaves that took no step, in cell-steps for each.
    pub fn charge(&mut self, leaves: usize, cell_steps: u64) {
        match self {
            Self::Whole => {}
            Self::CellSteps(left) => *left = left.saturating_sub(leaves as u64 * cell_steps),
            Self::While(_, is_first) => *is_first = false,
        }
    }

    /// Returns true if this number of cell-steps for each of these leaves may be spent on different
    /// work.
    #[must_use]
    pub fn bears(&mut self, leaves: usize, cell_steps: u64) -> bool {
        match self {
            Self::Whole => true,
            Self::CellSteps(left) => *left >= leaves as u64 * cell_steps,
            Self::While(is_time_left, is_first) => *is_first || is_time_left(),
        }
    }

    /// Returns how many of these leaves may be stepped now.
    fn take(&mut self, leaves: usize) -> usize {
        match self {
            Self::Whole => leaves,
            Self::CellSteps(left) => {
                let most = usize::try_from(*left / CELLS_OF_LEAF).unwrap_or(usize::MAX);
                let taken = leaves.min(most);
                *left -= taken as u64 * CELLS_OF_LEAF;
                taken
            }
            Self::While(is_time_left, is_first) => {
                // The first leaves are stepped even if no time is left, so that each call makes
                // progress.
                let may_go = std::mem::take(is_first) || is_time_left();
                let most = LEAVES_BETWEEN_QUESTIONS * rayon::current_num_threads();
                if may_go { leaves.min(most) } else { 0 }
            }
        }
    }
}

impl fmt::Debug for Allowance<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole => f.write_str("Whole"),
            Self::CellSteps(left) => f.debug_tuple("CellSteps").field(left).finish(),
            Self::While(..) => f.write_str("While"),
        }
    }
}

/// Leaves that step together: their level, and how often the shortest step of the level is doubled
/// to theirs.
pub type Rank = (u8, u8);

/// Returns the leaves that move the water over faces to those of a rank: leaves of the same level
/// with shorter steps, or finer ones.
#[must_use]
pub fn faster((level, doublings): Rank) -> Option<Rank> {
    match doublings {
        0 => level.checked_sub(1).map(|finer| (finer, 0)),
        _ => Some((level, doublings - 1)),
    }
}

/// Part of the steps of a cycle.
#[derive(Debug, Clone, PartialEq)]
pub enum Phase {
    /// Movements before the kernel of a step of leaves over some finest steps.
    Begin {
        /// The leaves.
        rank: Rank,
        /// The finest steps.
        steps: Range<u32>,
    },
    /// Leaves report to neighbours with shorter steps which part of their own step has passed.
    Show {
        /// The leaves.
        rank: Rank,
        /// The part.
        elapsed: f32,
    },
    /// Leaves collect the water that neighbours with shorter steps moved.
    Collect {
        /// The leaves.
        rank: Rank,
    },
    /// Leaves beside finer ones add the content that has crossed.
    Settle {
        /// The leaves.
        rank: Rank,
    },
    /// The kernel of leaves.
    Leaves {
        /// The leaves.
        rank: Rank,
        /// The finest steps.
        steps: Range<u32>,
    },
}

/// The steps of a cycle, and the progress in them.
#[derive(Debug, Clone)]
pub struct Phases {
    plan: CyclePlan,
    start: SimTime,
    list: Vec<Phase>,
    /// The next phase, or the present one.
    next: usize,
    /// Leaves of it that were stepped.
    stepped: usize,
    /// Cell-steps so far: cells stepped, each counted once for each step.
    pub cell_steps: u64,
}

impl Phases {
    /// Returns the phases of a cycle of no length that begins at `start`.
    #[must_use]
    pub fn none(start: SimTime) -> Self {
        let plan = CyclePlan { ticks: 0, steps: 1 };
        Self { plan, start, list: Vec::new(), next: 0, stepped: 0, cell_steps: 0 }
    }

    /// Returns the phases of a cycle that begins now.
    #[must_use]
    pub fn of(state: &SimulationState, params: &Params, plan: CyclePlan) -> Self {
        let mut phases = Self { plan, ..Self::none(state.clock.time) };
        let ranks = ranks(state, params);
        if let Some(first) = ranks.first() {
            let longest = 1 << first.log2;
            let mut current = vec![0..0; ranks.len()];
            for from in (0..plan.steps).step_by(longest as usize) {
                let steps = from..plan.steps.min(from + longest);
                phases.list_rank((&ranks, 0), steps, &mut current);
            }
        }
        phases
    }

    /// Returns all phases, in their order.
    #[must_use]
    pub fn list(&self) -> &[Phase] {
        &self.list
    }

    /// Returns the division of the cycle into steps.
    #[must_use]
    pub fn plan(&self) -> CyclePlan {
        self.plan
    }

    /// Skips all phases, which a card has done.
    pub(super) fn pass(&mut self, cell_steps: u64) {
        self.next = self.list.len();
        self.cell_steps += cell_steps;
    }

    /// Returns the moment at which finest step `step` begins.
    #[must_use]
    pub fn at(&self, step: u32) -> SimTime {
        self.start.after(self.plan.start_of(step))
    }

    /// Lists one step of the leaves of a rank over some finest steps, and within it the steps of
    /// all later ranks, which are no longer; `current` has the present step of each rank.
    fn list_rank(
        &mut self,
        (ranks, at): (&[Ranked], usize),
        steps: Range<u32>,
        current: &mut [Range<u32>],
    ) {
        let Ranked { rank, log2, .. } = ranks[at];
        current[at] = steps.clone();
        let slower = (0..at).filter(|&slower| ranks[slower].faster == Some(rank));
        let (same_level, coarser): (Vec<usize>, Vec<usize>) =
            slower.partition(|&slower| ranks[slower].rank.0 == rank.0);
        for &slower in &coarser {
            self.show(ranks[slower].rank, &current[slower], steps.start);
        }
        self.list.push(Phase::Begin { rank, steps: steps.clone() });
        // Movements before the kernel change discharges that leaves of one level share.
        for &slower in &same_level {
            self.show(ranks[slower].rank, &current[slower], steps.start);
        }
        self.list_within((ranks, at + 1), log2, steps.clone(), current);
        self.list.push(Phase::Settle { rank });
        self.list.push(Phase::Leaves { rank, steps });
        for slower in same_level.into_iter().chain(coarser) {
            self.list.push(Phase::Collect { rank: ranks[slower].rank });
        }
    }

    /// Lists that leaves report to neighbours with shorter steps the moment at which a finest step
    /// begins, within a step of their own.
    fn show(&mut self, rank: Rank, own: &Range<u32>, step: u32) {
        let (from, to) = (self.at(own.start), self.at(own.end));
        #[expect(clippy::cast_precision_loss, reason = "a part of a step")]
        let elapsed = self.at(step).since(from) as f32 / (to.since(from) as f32).max(1.0);
        self.list.push(Phase::Show { rank, elapsed });
    }

    /// Lists the steps of a rank, and of those behind it, within a longer one of 2^`log2` finest
    /// steps, which a cycle that ends before may cut.
    fn list_within(
        &mut self,
        (ranks, at): (&[Ranked], usize),
        log2: u8,
        steps: Range<u32>,
        current: &mut [Range<u32>],
    ) {
        let Some(own) = ranks.get(at) else { return };
        let count = steps.end - steps.start;
        if own.log2 == log2 || count == 1 {
            return self.list_rank((ranks, at), steps, current);
        }
        let middle = steps.start + count.div_ceil(2);
        for part in [steps.start..middle, middle..steps.end] {
            self.list_within((ranks, at), log2 - 1, part, current);
        }
    }

    /// Returns the cell-steps that are left.
    #[must_use]
    pub fn cell_steps_left(&self, state: &SimulationState) -> u64 {
        let leaves = self.list[self.next..].iter().map(|phase| match phase {
            Phase::Leaves { rank, .. } => state.activity.stepped(*rank).len(),
            _ => 0,
        });
        (leaves.sum::<usize>() - self.stepped) as u64 * CELLS_OF_LEAF
    }

    /// Continues within the allowance; returns true if all phases are done.
    pub fn advance(
        &mut self,
        state: &mut SimulationState,
        params: &Params,
        allowance: &mut Allowance<'_>,
    ) -> bool {
        while self.next < self.list.len() {
            if !self.advance_by_one(state, params, allowance) {
                return false;
            }
        }
        true
    }

    /// Continues the next phase within the allowance; returns true if it is done.
    ///
    /// # Panics
    ///
    /// If all phases are done.
    pub fn advance_by_one(
        &mut self,
        state: &mut SimulationState,
        params: &Params,
        allowance: &mut Allowance<'_>,
    ) -> bool {
        let _span = tracing::trace_span!("phase", number = self.next).entered();
        if self.next == 0 {
            leaf_steps::take_discharges(state);
        }
        match self.list[self.next].clone() {
            Phase::Begin { rank, steps } => self.begin(state, params, rank, &steps),
            Phase::Show { rank, elapsed } => {
                each_interface(state, rank, |interfaces, leaves, leaf| {
                    interfaces.show(leaves, leaf, elapsed);
                });
            }
            Phase::Collect { rank } => each_interface(state, rank, LeafInterfaces::collect),
            Phase::Settle { rank } => {
                let SimulationState { leaves, activity, tracers, .. } = &mut *state;
                leaves.settle_contents(rank.0, activity.coarse_sides(rank), tracers.len());
            }
            Phase::Leaves { rank, steps } => {
                if !self.step_leaves(state, params, (rank, &steps), allowance) {
                    return false;
                }
            }
        }
        self.next += 1;
        true
    }

    /// Runs the movements before the kernel: over links, over the boundary, among solids and
    /// intervals; leaves beside finer ones note their water.
    fn begin(&self, state: &mut SimulationState, params: &Params, rank: Rank, steps: &Range<u32>) {
        let (from, to) = (self.at(steps.start), self.at(steps.end));
        let (level, doublings) = rank;
        let step = params.of_step(level, from, to);
        let SimulationState { leaves, links, solids, stacks, tracers, forcing, activity, .. } =
            &mut *state;
        let awake = activity.stepped(rank);
        // Leaves with ends of links take the shortest steps of their level (`leaf_steps`).
        if doublings == 0 {
            let region = &mut solids.region;
            LinkStep { leaves, region, params, level, from, to }.run(links);
        }
        step_boundary(leaves, tracers, params, awake, (&step, from, to));
        // Solids and intervals are in leaves of the base level only, which take its shortest steps.
        if rank == (params.base, 0) {
            solids.step(leaves, params, from, to);
            let region = &mut solids.region;
            CoveredForcing { region, leaves, forcing, tracers }.apply(awake, params, from, to);
            stacks.step(leaves, params, from, to);
        }
        if let Some(own) = activity.by_steps.get(&rank) {
            leaves.keep_before(&own.beside);
        }
        each_interface(state, rank, |interfaces, leaves, leaf| {
            interfaces.begin(leaves, leaf, step.units_per_flow);
        });
    }

    /// Steps leaves of a rank with the kernel, within the allowance; returns whether all were
    /// stepped. Then they switch to their new water.
    fn step_leaves(
        &mut self,
        state: &mut SimulationState,
        params: &Params,
        (rank, steps): (Rank, &Range<u32>),
        allowance: &mut Allowance<'_>,
    ) -> bool {
        let count = state.activity.stepped(rank).len();
        state.leaves.make_next(count);
        while self.stepped < count {
            let taken = allowance.take(count - self.stepped);
            if taken == 0 {
                return false;
            }
            self.step_some(state, params, (rank, steps), self.stepped..self.stepped + taken);
            self.stepped += taken;
            self.cell_steps += taken as u64 * CELLS_OF_LEAF;
        }
        self.stepped = 0;
        let awake = state.activity.stepped(rank);
        state.leaves.keep_found(awake);
        state.leaves.take_new(awake);
        true
    }

    /// Steps some leaves of a rank with the kernel; after the last step of a cycle their maps look.
    fn step_some(
        &self,
        state: &mut SimulationState,
        params: &Params,
        (rank, steps): (Rank, &Range<u32>),
        which: Range<usize>,
    ) {
        let (level, _) = rank;
        let (start, end) = (self.at(steps.start), self.at(steps.end));
        let is_last = steps.end == self.plan.steps;
        // Plans, sleep and reports use the last step.
        let step = &StepParams { looks: is_last, ..params.of_step(level, start, end) };
        let leaves = &mut state.leaves;
        let rims = if level == params.base { state.stacks.rims() } else { Rims::default() };
        let step_depths = state.forcing.step_depths(start, end, 1.0 / params.unit_m);
        let looks = is_last && level == params.base;
        let looks = looks && !leaves.maps.is_empty();
        let solids = if looks { state.solids.look(&leaves.asleep) } else { SolidLook::default() };
        let Settings { solver, .. } = params.settings;
        let awake = &state.activity.stepped(rank)[which.clone()];
        let LeafTable {
            forest,
            grounds,
            classes,
            water,
            interfaces,
            steps_log2,
            asleep,
            own,
            next,
            scratch,
            maps,
            ..
        } = leaves;
        let maps: Vec<Option<&mut LeafMaps>> = match is_last && !maps.is_empty() {
            true => pick(maps, awake).into_iter().map(Some).collect(),
            false => awake.iter().map(|_| None).collect(),
        };
        let context = StepContext {
            leaves: ForestLeaves { forest, grounds, water, interfaces, steps_log2 },
            classes,
            asleep,
            params,
            step,
            kernels: params.version.both(solver, params.extra()),
            start,
            end,
            forcing: &state.forcing,
            step_depths: &step_depths,
            tracers: &state.tracers,
            barriers: &state.barriers,
            sections: &state.sections,
            is_last,
            solids: &solids,
            rims: &rims,
            quiet: params.quiet(level),
        };
        let columns = pick(own, awake).into_iter().zip(pick(scratch, awake));
        let columns = columns.zip(&mut next[which]).zip(maps);
        let mut work: Vec<LeafWork<'_>> = awake
            .iter()
            .zip(columns)
            .map(|(&id, (((own, scratch), new), maps))| LeafWork { id, own, scratch, new, maps })
            .collect();
        work.par_iter_mut().for_each(|leaf| context.advance(leaf));
    }
}

/// Leaves that step together, in the order of their steps.
#[derive(Debug, Clone, Copy)]
struct Ranked {
    rank: Rank,
    /// Finest steps in one of theirs, as a power of two.
    log2: u8,
    /// The leaves that move the water over faces to these: finer ones, or leaves of the same level
    /// with shorter steps.
    faster: Option<Rank>,
}

/// Returns all ranks with leaves that are awake, from the longest steps on, and the coarsest leaves
/// first.
fn ranks(state: &SimulationState, params: &Params) -> Vec<Ranked> {
    let activity = &state.activity;
    let Some((finest, _)) = activity.levels_awake() else { return Vec::new() };
    let ranked = |rank: Rank| {
        let log2 = params.steps_log2(rank.0 - finest) + rank.1;
        Ranked { rank, log2, faster: faster(rank) }
    };
    let mut ranks: Vec<Ranked> = activity.ranks().map(ranked).collect();
    ranks.sort_by_key(|own| std::cmp::Reverse((own.log2, own.rank.0)));
    ranks
}

/// Applies a function to the interfaces of each leaf of a rank beside finer leaves, or beside
/// leaves with shorter steps.
fn each_interface(
    state: &mut SimulationState,
    rank: Rank,
    act: impl Fn(&mut LeafInterfaces, &ForestLeaves<'_>, LeafId) + Send + Sync,
) {
    let SimulationState { leaves, activity, .. } = state;
    leaves.each_interface(activity.coarse_sides(rank), act);
}

impl LeafTable {
    /// Applies a function to the interfaces of each of these leaves.
    pub(super) fn each_interface(
        &mut self,
        coarse_sides: &[LeafId],
        act: impl Fn(&mut LeafInterfaces, &ForestLeaves<'_>, LeafId) + Send + Sync,
    ) {
        if coarse_sides.is_empty() {
            return;
        }
        // Each reads the edges of further leaves: so it is out of the table while it changes.
        let mut taken: Vec<_> =
            coarse_sides.iter().map(|&leaf| (leaf, self.interfaces[leaf].take())).collect();
        let leaves = self.view();
        taken.par_iter_mut().for_each(|(leaf, interfaces)| {
            if let Some(interfaces) = interfaces {
                act(interfaces, &leaves, *leaf);
            }
        });
        for (leaf, interfaces) in taken {
            self.interfaces[leaf] = interfaces;
        }
    }

    /// Keeps the table entries that these leaves, which are awake, looked up.
    fn keep_found(&mut self, awake: &[LeafId]) {
        // Neighbours read the tables during a step, so entries that it looked up are kept after it.
        let has_found = |&&leaf: &&LeafId| !self.scratch[leaf].found.is_empty();
        let found: Vec<LeafId> = awake.iter().filter(has_found).copied().collect();
        if found.is_empty() {
            return;
        }
        let leaves = pick(&mut self.scratch, &found);
        let grounds = pick(&mut self.grounds, &found);
        leaves.into_par_iter().zip(grounds).for_each(|(leaf, ground)| {
            if let Some(columns) = &mut ground.columns {
                columns.keep(&mut leaf.found);
            }
        });
    }

    /// Switches these leaves, which were stepped, to their new water.
    fn take_new(&mut self, awake: &[LeafId]) {
        for (&leaf, next) in awake.iter().zip(&mut self.next) {
            std::mem::swap(&mut *self.water[leaf], next);
            if let Some(interfaces) = &mut self.interfaces[leaf] {
                self.scratch[leaf].transfers.swap(interfaces);
                interfaces.settle();
            }
        }
    }
}
