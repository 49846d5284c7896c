//! Levels of a run: the whole event in cells of several widths, and how far two of them agree.
//!
//! ```text
//! shared = cells that this level and the one before flooded / cells that either flooded
//! ```
//!
//! Guarantees: all levels are compared on the same cells, the finest of the world.
//! Limits:     two levels may be wrong alike: a dam that both lack is in neither.

use std::hash::{DefaultHasher, Hasher};

use super::FloodOutcome;
use super::sure::LevelFacts;
use super::varied::Varied;
use crate::faults::GroundFault;
use crate::vary::{Thing, Vary};

/// A level of a run that is done.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RunLevel {
    /// Width of its simulated cells, m.
    pub cell_m: f64,
    /// Their width over that of the requested cells.
    pub times: f64,
    /// Time it took, s.
    pub wall_s: f64,
    /// Cells of the maps that it flooded.
    pub flooded: usize,
    /// Part of the cells flooded by this level or the one before that both flooded; `None` for the
    /// first level, and if neither flooded any.
    pub shared: Option<f64>,
}

/// The levels of a run so far.
#[derive(Debug, Clone, Default)]
pub struct RunLevels {
    done: Vec<RunLevel>,
    /// Facts of the last of them.
    seen: Option<LevelFacts>,
    /// Effect of drafts, of the level that they vary.
    varied: Option<Varied>,
    /// Hash of the beds of the last of them.
    ground: u64,
    /// Faults of a ground, and the hash of its beds: levels on one ground are searched once.
    faults: Option<(u64, Vec<GroundFault>)>,
}

impl RunLevels {
    /// True before the first level is added.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.done.is_empty()
    }

    /// Returns the finest level done.
    #[must_use]
    pub fn last(&self) -> Option<&RunLevel> {
        self.done.last()
    }

    /// Adds the outcome of a finer level, in cells of `cell_m` on the way to cells of `asked_m`.
    /// The outcome then has all levels up to its own, how sure it is, and the faults of its terrain
    /// if its ground was [searched](Self::search).
    pub fn add(&mut self, outcome: &mut FloodOutcome, (cell_m, asked_m): (f64, f64)) {
        let headline = outcome.headline();
        let seen = LevelFacts::of(outcome, &headline);
        let before = self.seen.as_ref().zip(self.done.last());
        let step = before.map(|(before, level)| (before, level.cell_m / cell_m));
        outcome.sure = seen.sure(step, self.varied.as_ref(), &outcome.bed_m);
        let shared = before.and_then(|(before, _)| shared(before.flooded(), seen.flooded()));
        let flooded = headline.flooded;
        self.done.push(RunLevel {
            cell_m,
            times: cell_m / asked_m,
            wall_s: outcome.wall_s,
            flooded,
            shared,
        });
        self.seen = Some(seen);
        self.ground = hash(&outcome.bed_m);
        outcome.counted = Some(headline);
        outcome.levels.clone_from(&self.done);
        self.weigh(outcome);
    }

    /// Searches the ground of the outcome that was added last for faults, if that was not done yet,
    /// and weighs them by its water. This takes seconds on large maps.
    pub fn search(&mut self, outcome: &mut FloodOutcome) {
        if self.faults.as_ref().is_none_or(|(known, _)| *known != self.ground) {
            self.faults = Some((self.ground, outcome.ground_faults()));
            self.weigh(outcome);
        }
    }

    /// Weighs the faults of the ground of an outcome if they have been found.
    fn weigh(&self, outcome: &mut FloodOutcome) {
        let known = self.faults.as_ref().filter(|(ground, _)| *ground == self.ground);
        outcome.is_searched = known.is_some();
        outcome.faults = known.map(|(_, faults)| outcome.weighed(faults)).unwrap_or_default();
    }

    /// Adds drafts of the last level, each with the thing that is varied, in the order in which
    /// they are given; `vary` contains the parts by which they are varied.
    ///
    /// # Errors
    ///
    /// Errors of a draft; the levels then contain no draft.
    ///
    /// # Panics
    ///
    /// If no level has been added.
    pub fn vary<E>(
        &mut self,
        vary: Vary,
        drafts: impl Iterator<Item = Result<(Thing, FloodOutcome), E>>,
    ) -> Result<(), E> {
        let known = self.seen.as_ref().zip(self.last());
        let (seen, level) = known.expect("drafts vary a level that is done");
        let mut varied = Varied::new(seen.figures(), seen.cells(), vary, level.cell_m);
        for draft in drafts {
            let (thing, draft) = draft?;
            let draft = LevelFacts::of(&draft, &draft.headline());
            varied.add(thing, seen.figures(), draft.figures(), draft.under_water());
        }
        self.varied = Some(varied);
        Ok(())
    }

    /// Adds the effect of its drafts to the outcome of the first level.
    ///
    /// # Panics
    ///
    /// Before the first level.
    pub fn tell(&self, outcome: &mut FloodOutcome) {
        let seen = self.seen.as_ref().expect("a level is done");
        outcome.sure = seen.sure(None, self.varied.as_ref(), &outcome.bed_m);
    }
}

/// Returns the hash of the bits of a plane.
fn hash(plane: &[f32]) -> u64 {
    let mut hasher = DefaultHasher::new();
    plane.iter().for_each(|value| hasher.write_u32(value.to_bits()));
    hasher.finish()
}

/// Returns the part of the cells of either that both share; `None` if neither has any.
#[expect(clippy::cast_precision_loss, reason = "cells are far below 2^53")]
fn shared(one: impl Iterator<Item = bool>, other: impl Iterator<Item = bool>) -> Option<f64> {
    let (mut both, mut either) = (0_usize, 0_usize);
    for (one, other) in one.zip(other) {
        both += usize::from(one && other);
        either += usize::from(one || other);
    }
    (either > 0).then(|| both as f64 / either as f64)
}

impl FloodOutcome {
    /// Returns the last two levels, and the part of the ground flooded in either that both flooded.
    #[must_use]
    pub fn agreement(&self) -> Option<(&RunLevel, &RunLevel, f64)> {
        let [.., before, last] = &*self.levels else { return None };
        Some((before, last, last.shared?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_share_what_both_flooded() {
        let cells = |flooded: &'static str| flooded.bytes().map(|cell| cell == b'x');
        for (one, other, expected) in [
            ("xxxx....", "..xx....", Some(0.5)),
            ("..xx....", "xxxx....", Some(0.5)),
            ("xxxx....", "....xxxx", Some(0.0)),
            ("........", "........", None),
            ("x.x.x.x.", "x.x.x.x.", Some(1.0)),
        ] {
            assert_eq!(shared(cells(one), cells(other)), expected, "{one} and {other}");
        }
    }
}
