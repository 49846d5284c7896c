//! Parts of a cycle that a card does, one after the other, and the buffers where levels stand.

use crate::levels::Levels;
use std::ops::Range;
use thalweg::sim::phases::{Phase, Phases};

/// Part of a cycle on one of the levels with leaves that are awake.
#[derive(Debug, Clone, PartialEq)]
pub struct Act {
    /// The kind of the part.
    pub what: What,
    /// Which of the levels it is.
    pub level: usize,
    /// The finest steps of the level's step.
    pub steps: Range<u32>,
    /// Part of that step that has passed.
    pub elapsed: f32,
    /// Phases of the cycle up to that of the act.
    pub phase: usize,
    /// The water of the level stands in the other of two buffers than at the start.
    pub is_turned: bool,
    /// Bits: that of the next coarser and of the next finer level stands in the other of two
    /// buffers than that of the level.
    pub turns: u32,
}

impl Act {
    /// Whether it asks for what comes and goes, on a level with open edges or without.
    pub fn is_forced(&self, has_edges: bool) -> bool {
        self.what == What::Step || self.what == What::Begin && has_edges
    }
}

/// Kinds of parts of a cycle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum What {
    /// Before all: discharges over far sides are put in place.
    Open,
    /// Coarse leaves note the water of finer ones.
    Begin,
    /// They show the moment.
    Show,
    /// Leaves step.
    Step,
    /// Behind all: discharges over far sides are kept.
    Close,
}

/// Everything that is done in a cycle, and how many steps each level takes.
pub fn acts(levels: &Levels, phases: &Phases) -> (Vec<Act>, Vec<u32>) {
    let mut acts = Vec::new();
    let mut counts = vec![0_u32; levels.all.len()];
    let mut steps = vec![0..1; levels.all.len()];
    let act = |what, phase, level: usize, steps: Range<u32>, elapsed, counts: &[u32]| {
        let own = levels.all[level].level;
        let is_turned = |level: usize| counts[level] % 2 == 1;
        let differs = |beside: Option<usize>| {
            beside.is_some_and(|beside| is_turned(beside) != is_turned(level))
        };
        let coarser = differs(levels.index_of(own + 1));
        let finer = differs(own.checked_sub(1).and_then(|finer| levels.index_of(finer)));
        let turns = u32::from(coarser) | u32::from(finer) << 1;
        Act { what, level, steps, elapsed, phase, is_turned: is_turned(level), turns }
    };
    for level in 0..levels.all.len() {
        acts.push(act(What::Open, 0, level, 0..1, 0.0, &counts));
    }
    for (number, phase) in (1..).zip(phases.list()) {
        let (level, what) = match phase {
            Phase::Begin { rank: (level, _), steps: of_level } => {
                if let Some(index) = levels.index_of(*level) {
                    steps[index] = of_level.clone();
                }
                (level, What::Begin)
            }
            Phase::Show { rank: (level, _), .. } => (level, What::Show),
            // Steps of finer leaves end with the one; contents alone settle.
            Phase::Collect { .. } | Phase::Settle { .. } => continue,
            Phase::Leaves { rank: (level, _), .. } => (level, What::Step),
        };
        // Of leaves asleep nothing is done.
        let Some(level) = levels.index_of(*level) else { continue };
        let elapsed = if let Phase::Show { elapsed, .. } = phase { *elapsed } else { 0.0 };
        acts.push(act(what, number, level, steps[level].clone(), elapsed, &counts));
        counts[level] += u32::from(what == What::Step);
    }
    for (level, steps) in steps.into_iter().enumerate() {
        acts.push(act(What::Close, phases.list().len(), level, steps, 0.0, &counts));
    }
    (acts, counts)
}
