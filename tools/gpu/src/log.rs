//! The log of a card.

use crate::failure::Failure;
use std::sync::{Arc, Mutex, PoisonError};

/// Log of a card: for messages, shared with all its readers.
#[derive(Debug, Clone, Default)]
pub struct CardLog(Arc<Mutex<CardEvents>>);

/// Events on a card.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CardEvents {
    /// Cycles that the card did.
    pub cycles: u64,
    /// Cycles among them in which the processor stepped leaves apart.
    pub apart: u64,
    /// Leaves whose planes were written to it between steps, counted once per write.
    pub written: u64,
    /// Parts of leaves that were read from it between steps, counted once per read: water, the
    /// depth that the ground took, flood maps.
    pub read: u64,
    /// Leaves whose water was exchanged with the card within a step, along leaves apart.
    pub exchanged: u64,
    /// Most kinds of leaves, by level and length of their steps, in a cycle that it did.
    pub ranks: u64,
    /// First thing that it could not do, if any.
    pub refused: Option<String>,
    /// Reason why it is no longer used.
    pub lost: Option<Failure>,
}

impl CardLog {
    /// Returns the events so far.
    #[must_use]
    pub fn events(&self) -> CardEvents {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Notes something that the card cannot do.
    pub(crate) fn refuse(&self, beyond: &str) {
        self.note(|log| {
            log.refused.get_or_insert_with(|| beyond.to_owned());
        });
    }

    pub(crate) fn note(&self, note: impl FnOnce(&mut CardEvents)) {
        note(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }
}
