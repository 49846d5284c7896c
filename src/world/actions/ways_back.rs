//! Bytes that a world keeps for ways back of actions.
//!
//! ```text
//! Undo ──► changes ◄── WaysBack of the world, the oldest first
//!          bytes       over the limit the oldest lose their changes
//! ```
//!
//! Guarantees: all ways back of a world take [`WAYS_BACK_BYTES`] at most, or the bytes of the last
//!             action alone; the oldest are removed first, and their undo is refused by name
//!             (`old_ways_back_go_first`). The count of bytes is the same on every machine.

use std::collections::VecDeque;
use std::fmt::Debug;
use std::sync::Weak;

/// Bytes that all ways back of a world take at most, unless another limit is set.
pub(in crate::world) const WAYS_BACK_BYTES: usize = 256 << 20;

/// Number of new ways back between two removals of the ones that the game has dropped.
const PRUNED_EVERY: u64 = 4096;

/// Changes of one way back.
pub(super) trait WayBack: Debug + Send + Sync {
    /// Returns the bytes that the changes take; the same number on every machine.
    fn bytes(&self) -> usize;

    /// Removes the changes; the way back is refused from then on.
    fn let_go(&self);
}

/// Ways back of a world, the oldest first: no part of its state, only a way to it.
#[derive(Debug)]
pub(in crate::world) struct WaysBack {
    all: VecDeque<Weak<dyn WayBack>>,
    /// Upper bound of the bytes of all: it may include ways back that the game has dropped.
    bytes: usize,
    most_bytes: usize,
    /// Number of ways back that were kept so far.
    keeps: u64,
}

impl WaysBack {
    /// Creates an empty list whose ways back may take `most_bytes` together.
    pub fn new(most_bytes: usize) -> Self {
        Self { all: VecDeque::new(), bytes: 0, most_bytes, keeps: 0 }
    }

    /// Returns the bytes that they may take together.
    pub fn most_bytes(&self) -> usize {
        self.most_bytes
    }

    /// Returns the bytes that they take together now.
    pub(super) fn bytes(&self) -> usize {
        self.all.iter().filter_map(Weak::upgrade).map(|kept| kept.bytes()).sum()
    }

    /// Sets the bytes that they may take together, and removes the oldest beyond that.
    pub(super) fn set_most_bytes(&mut self, most_bytes: usize) {
        self.most_bytes = most_bytes;
        self.trim();
    }

    /// Keeps changes of `bytes` bytes, and removes the oldest if all take too many. From time to
    /// time it removes ways back that the game has dropped: each takes memory until then.
    pub(super) fn keep(&mut self, kept: Weak<dyn WayBack>, bytes: usize) {
        self.all.push_back(kept);
        self.bytes += bytes;
        self.keeps += 1;
        // The sum may include ways back that are gone: `trim` sums up anew before it removes any.
        if self.bytes > self.most_bytes || self.keeps.is_multiple_of(PRUNED_EVERY) {
            self.trim();
        }
    }

    /// Counts the bytes anew, and removes the oldest, except the last one.
    fn trim(&mut self) {
        self.all.retain(|kept| kept.strong_count() > 0);
        self.bytes = self.bytes();
        while self.bytes > self.most_bytes && self.all.len() > 1 {
            if let Some(oldest) = self.all.pop_front().and_then(|kept| kept.upgrade()) {
                self.bytes -= oldest.bytes();
                oldest.let_go();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    /// Way back of one byte.
    #[derive(Debug)]
    struct Byte;

    impl WayBack for Byte {
        fn bytes(&self) -> usize {
            1
        }

        fn let_go(&self) {}
    }

    /// Goal: ways back that the game has dropped take memory for a while only.
    #[test]
    fn ways_back_of_nobody_are_removed() {
        let mut ways_back = WaysBack::new(1 << 30);
        let keep = |ways_back: &mut WaysBack| {
            let own = Arc::new(Byte);
            let weak: Weak<Byte> = Arc::downgrade(&own);
            ways_back.keep(weak, 1);
            own
        };
        let kept = keep(&mut ways_back);
        for _ in 0..3 * PRUNED_EVERY {
            drop(keep(&mut ways_back));
            assert!(ways_back.all.len() as u64 <= PRUNED_EVERY + 1);
        }
        assert_eq!(ways_back.bytes(), kept.bytes());
    }
}
