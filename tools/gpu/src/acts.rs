//! Parts of a cycle that a card does in order, and the buffers that contain the water of levels.

use crate::levels::AwakeRanks;
use std::ops::Range;
use thalweg_engine::sim::phases::{Phase, Phases, Rank, faster};

/// Part of a cycle of one of the ranks of leaves that are awake.
#[derive(Debug, Clone, PartialEq)]
pub struct RankAct {
    /// The kind of the part.
    pub what: ActKind,
    /// Index of the rank.
    pub level: usize,
    /// Range of finest steps that the rank's step covers.
    pub steps: Range<u32>,
    /// Part of that step that has passed.
    pub elapsed: f32,
    /// Phases of the cycle up to that of the act.
    pub phase: usize,
    /// True if the rank's water has changed buffers, of two, since the start.
    pub is_turned: bool,
    /// Bits of [`turns`].
    pub turns: u32,
}

/// Bits of [`RankAct::turns`]: leaves whose water is in a different buffer from that of the rank.
pub mod turns {
    /// The water of the next coarser level.
    pub const COARSER: u32 = 1;
    /// The water of the leaves that move the water over faces to the rank.
    pub const FASTER: u32 = 2;
    /// The water of leaves of the same level with longer steps.
    pub const SLOWER: u32 = 4;
    /// A bit that is not about water: registers of the rank count whole cells, because the faster
    /// leaves are of the same level.
    pub const WHOLE: u32 = 8;
}

impl RankAct {
    /// Returns whether the act needs forcing, on a level with open edges or without.
    pub fn is_forced(&self, has_edges: bool) -> bool {
        self.what == ActKind::Step || self.what == ActKind::Begin && has_edges
    }
}

/// Kinds of parts of a cycle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ActKind {
    /// Before all acts: discharges over far sides are put in place.
    Open,
    /// Leaves note the water of faster leaves.
    Begin,
    /// Leaves show faster ones the water of this moment.
    Show,
    /// Leaves step.
    Step,
    /// After all acts: discharges over far sides are kept.
    Close,
}

/// Returns all acts of a cycle, and the number of steps of each rank.
pub fn acts(levels: &AwakeRanks, phases: &Phases) -> (Vec<RankAct>, Vec<u32>) {
    let mut acts = Vec::new();
    let mut counts = vec![0_u32; levels.all.len()];
    let mut steps = vec![0..1; levels.all.len()];
    let act = |what, phase, level: usize, steps: Range<u32>, elapsed, counts: &[u32]| {
        let own = &levels.all[level];
        let is_turned = |level: usize| counts[level] % 2 == 1;
        let differs = |beside: Option<usize>| {
            beside.is_some_and(|beside| is_turned(beside) != is_turned(level))
        };
        let finds = |rank: Rank, bit: u32| if differs(levels.index_of(rank)) { bit } else { 0 };
        let turns = finds((own.level + 1, 0), turns::COARSER)
            | faster(own.rank()).map_or(0, |faster| finds(faster, turns::FASTER))
            | finds(own.slower(), turns::SLOWER)
            | if own.doublings > 0 { turns::WHOLE } else { 0 };
        RankAct { what, level, steps, elapsed, phase, is_turned: is_turned(level), turns }
    };
    for level in 0..levels.all.len() {
        acts.push(act(ActKind::Open, 0, level, 0..1, 0.0, &counts));
    }
    for (number, phase) in (1..).zip(phases.list()) {
        let (rank, what) = match phase {
            Phase::Begin { rank, steps: of_rank } => {
                if let Some(index) = levels.index_of(*rank) {
                    steps[index] = of_rank.clone();
                }
                (rank, ActKind::Begin)
            }
            Phase::Show { rank, .. } => (rank, ActKind::Show),
            // Steps of faster leaves end with their own act; only contents settle.
            Phase::Collect { .. } | Phase::Settle { .. } => continue,
            Phase::Leaves { rank, .. } => (rank, ActKind::Step),
        };
        // Leaves asleep need no act.
        let Some(level) = levels.index_of(*rank) else { continue };
        let elapsed = if let Phase::Show { elapsed, .. } = phase { *elapsed } else { 0.0 };
        acts.push(act(what, number, level, steps[level].clone(), elapsed, &counts));
        counts[level] += u32::from(what == ActKind::Step);
    }
    for (level, steps) in steps.into_iter().enumerate() {
        acts.push(act(ActKind::Close, phases.list().len(), level, steps, 0.0, &counts));
    }
    (acts, counts)
}
