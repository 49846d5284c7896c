//! Revision of a world in files.

use std::sync::atomic::{AtomicU64, Ordering};

/// The identity of a world, and the progress of its saves. Files note it, from any thread; the
/// world's state does not depend on it.
#[derive(Debug, Default)]
pub struct Saved {
    /// Changes from this number on are not in the file that has it last.
    revision: AtomicU64,
    bytes: AtomicU64,
}

impl Saved {
    /// Notes that a file contains the world except for changes from a number on.
    pub fn note(&self, revision: u64, bytes: u64) {
        self.revision.store(revision, Ordering::Relaxed);
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Changes from this number on are in no file, or not in the last one.
    pub fn revision(&self) -> u64 {
        self.revision.load(Ordering::Relaxed)
    }

    /// Returns the bytes that saves have written.
    pub fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }
}
