//! Nodes and passages that are awake, in pieces for threads.

use crate::sim::stacks::net::{StackNet, StackSlot};
use std::ops::Range;

/// Number of nodes or passages that one thread processes at once.
pub(super) const AT_ONCE: usize = 1024;

/// Adjacent nodes or passages of a slot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SlotPiece {
    /// The slot.
    pub slot: usize,
    /// Their range among all.
    pub range: Range<usize>,
}

impl StackNet {
    /// Returns the passages of slots that are awake; pieces ascend.
    pub(super) fn passages_awake(&self) -> Vec<SlotPiece> {
        self.pieces_awake(|slot| &slot.passages)
    }

    /// Returns the intervals of slots that are awake; pieces ascend.
    pub(super) fn intervals_awake(&self) -> Vec<SlotPiece> {
        self.pieces_awake(|slot| &slot.intervals)
    }

    fn pieces_awake(&self, range: impl Fn(&StackSlot) -> &Range<usize>) -> Vec<SlotPiece> {
        let of_slot = |&slot: &usize| {
            let &Range { start, end } = range(&self.slots[slot]);
            let starts = (start..end).step_by(AT_ONCE);
            starts.map(move |at| SlotPiece { slot, range: at..end.min(at + AT_ONCE) })
        };
        self.now.awake.iter().flat_map(of_slot).collect()
    }
}

/// Returns the parts of a column for the pieces.
pub(super) fn parts<'a, T>(all: &'a mut [T], pieces: &[SlotPiece]) -> Vec<&'a mut [T]> {
    let (mut rest, mut at) = (all, 0);
    let mut parts = Vec::with_capacity(pieces.len());
    for SlotPiece { range, .. } in pieces {
        // Pieces ascend and share nothing, so each thread gets a slice of its own.
        let (_, behind) = rest.split_at_mut(range.start - at);
        let (own, behind) = behind.split_at_mut(range.len());
        (rest, at) = (behind, range.end);
        parts.push(own);
    }
    parts
}
