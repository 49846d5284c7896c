//! Nodes and passages that are awake, in pieces that threads take.

use crate::sim::stacks::net::{Slot, StackNet};
use std::ops::Range;

/// Nodes or passages that one thread takes at once.
pub(super) const AT_ONCE: usize = 1024;

/// Nodes or passages of a slot that stand side by side.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Piece {
    /// The slot.
    pub slot: usize,
    /// Where they are among all.
    pub range: Range<usize>,
}

impl StackNet {
    /// The passages of slots that are awake; pieces ascend.
    pub(super) fn passages_awake(&self) -> Vec<Piece> {
        self.pieces_awake(|slot| &slot.passages)
    }

    /// The intervals of slots that are awake; pieces ascend.
    pub(super) fn intervals_awake(&self) -> Vec<Piece> {
        self.pieces_awake(|slot| &slot.intervals)
    }

    fn pieces_awake(&self, range: impl Fn(&Slot) -> &Range<usize>) -> Vec<Piece> {
        let of_slot = |&slot: &usize| {
            let &Range { start, end } = range(&self.slots[slot]);
            let starts = (start..end).step_by(AT_ONCE);
            starts.map(move |at| Piece { slot, range: at..end.min(at + AT_ONCE) })
        };
        self.now.awake.iter().flat_map(of_slot).collect()
    }
}

/// The parts of a column that pieces have.
pub(super) fn parts<'a, T>(all: &'a mut [T], pieces: &[Piece]) -> Vec<&'a mut [T]> {
    let (mut rest, mut at) = (all, 0);
    let mut parts = Vec::with_capacity(pieces.len());
    for Piece { range, .. } in pieces {
        let (_, behind) = rest.split_at_mut(range.start - at);
        let (own, behind) = behind.split_at_mut(range.len());
        (rest, at) = (behind, range.end);
        parts.push(own);
    }
    parts
}
