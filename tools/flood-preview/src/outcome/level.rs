//! Levels of a run: the whole event in cells of several widths, and how far two of them agree.
//!
//! ```text
//! shared = cells that this level and the one before flooded / cells that either flooded
//! ```
//!
//! Guarantees: all levels are compared on the same cells, the finest of the world.
//! Limits:     two levels may be wrong alike: a dam that both lack is in neither.

use std::hash::{DefaultHasher, Hasher};

use super::Outcome;
use super::sure::Seen;
use crate::faults::Fault;

/// A level of a run that is done.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Level {
    /// Width of its simulated cells, m.
    pub cell_m: f64,
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
pub struct Levels {
    done: Vec<Level>,
    /// Facts of the last of them.
    seen: Option<Seen>,
    /// Faults of the ground, and a hash of its beds: levels on one ground are searched once.
    faults: Option<(u64, Vec<Fault>)>,
}

impl Levels {
    /// True before the first.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.done.is_empty()
    }

    /// The finest one done.
    #[must_use]
    pub fn last(&self) -> Option<&Level> {
        self.done.last()
    }

    /// Adds the outcome of a finer level, which then knows all levels up to its own, how sure it
    /// is, and the faults of its terrain.
    pub fn add(&mut self, outcome: &mut Outcome, cell_m: f64) {
        let headline = outcome.headline();
        let seen = Seen::of(outcome, &headline);
        let before = self.seen.as_ref().zip(self.done.last());
        outcome.sure = before
            .map(|(before, level)| seen.beside(before, level.cell_m / cell_m, &outcome.bed_m));
        let shared = before.and_then(|(before, _)| shared(before.flooded(), seen.flooded()));
        let ground = hash(&outcome.bed_m);
        if self.faults.as_ref().is_none_or(|(known, _)| *known != ground) {
            self.faults = Some((ground, outcome.ground_faults()));
        }
        let faults = self.faults.as_ref().map(|(_, faults)| outcome.weighed(faults));
        outcome.faults = faults.unwrap_or_default();
        let flooded = headline.flooded;
        self.done.push(Level { cell_m, wall_s: outcome.wall_s, flooded, shared });
        self.seen = Some(seen);
        outcome.levels.clone_from(&self.done);
    }
}

/// Hash of the bits of a plane.
fn hash(plane: &[f32]) -> u64 {
    let mut hasher = DefaultHasher::new();
    plane.iter().for_each(|value| hasher.write_u32(value.to_bits()));
    hasher.finish()
}

/// Part of the cells of either that are of both; `None` if there are none.
#[expect(clippy::cast_precision_loss, reason = "cells are far below 2^53")]
fn shared(one: impl Iterator<Item = bool>, other: impl Iterator<Item = bool>) -> Option<f64> {
    let (mut both, mut either) = (0_usize, 0_usize);
    for (one, other) in one.zip(other) {
        both += usize::from(one && other);
        either += usize::from(one || other);
    }
    (either > 0).then(|| both as f64 / either as f64)
}

impl Outcome {
    /// The last two levels, and the part of what either flooded that both did.
    #[must_use]
    pub fn agreement(&self) -> Option<(&Level, &Level, f64)> {
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
