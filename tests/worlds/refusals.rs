//! Refusals: which feature, in which kinds of world, with which error, and why. The one list.
//!
//! A cell that is refused and not listed fails, and so does one that is listed and not refused.
//! Who makes a cell work deletes its line, or the part of it that is true no longer.

use crate::kind::Kind;
use thalweg::Error;
use thalweg::world::{ActionError, FileError};

/// A refusal of some features in some kinds of world. Where several lines fit a cell, the first one
/// counts.
#[derive(Debug)]
pub struct Refusal {
    /// Names of the features; none for all of them.
    pub features: &'static [&'static str],
    pub is_refused_in: fn(Kind) -> bool,
    /// The error, as [`name_of`] names it.
    pub error: &'static str,
    /// Words that its sentence has.
    pub words: &'static str,
    pub reason: &'static str,
}

pub const REFUSALS: &[Refusal] = &[
    Refusal {
        features: &["16 observers"],
        is_refused_in: |kind| !kind.is_adaptive(),
        error: "FileError::Criteria",
        words: "leaves of this world do not change",
        reason: "leaves of one level do not change, so there is nothing to ask for; \
             `World::criteria_mut` is `None`",
    },
    Refusal {
        features: &["intervals"],
        is_refused_in: Kind::is_coarse,
        error: "WorldError::Stack",
        words: "lies in a leaf of level 1",
        reason: "intervals lie in cells of the simulated level, and such a world has no leaves of \
                 it",
    },
    Refusal {
        features: &["copy"],
        is_refused_in: Kind::is_streamed,
        error: "WorldError::Streamed",
        words: "a copy of itself",
        reason: "beds that stay in a file have one world that edits them: save it in another file, \
                 and open that",
    },
];

impl Refusal {
    /// The line for a feature in a kind of world, and its number.
    pub fn of(feature: &str, kind: Kind) -> Option<(usize, &'static Self)> {
        let fits = |(_, line): &(usize, &Self)| {
            let is_feature = line.features.is_empty() || line.features.contains(&feature);
            is_feature && (line.is_refused_in)(kind)
        };
        REFUSALS.iter().enumerate().find(fits)
    }

    /// Whether an error is this refusal.
    pub fn is(&self, error: &Error) -> bool {
        name_of(error) == self.error && error.to_string().contains(self.words)
    }
}

/// Name of the innermost error and its variant, as `WorldError::Streamed`.
pub fn name_of(error: &Error) -> String {
    let variant = |of: &str, debug: String| {
        let word = debug.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
        format!("{of}::{word}")
    };
    match error {
        Error::World(inner) => variant("WorldError", format!("{inner:?}")),
        Error::Edit(inner) => variant("EditError", format!("{inner:?}")),
        Error::File(inner) => match &**inner {
            FileError::World(inner) => variant("WorldError", format!("{inner:?}")),
            inner => variant("FileError", format!("{inner:?}")),
        },
        Error::Action(inner) => match &**inner {
            ActionError::Terrain(inner) => variant("EditError", format!("{inner:?}")),
            inner => variant("ActionError", format!("{inner:?}")),
        },
        other => format!("another error: {other}"),
    }
}
