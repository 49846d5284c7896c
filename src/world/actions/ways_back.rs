//! Ways back of actions, and the bytes that a world keeps for them.
//!
//! ```text
//! Undo ──► Kept ◄── WaysBack of the world, the oldest first
//!          changes, bytes      over the limit the oldest lose their changes
//! ```
//!
//! Guarantees: all ways back of a world take [`WAYS_BACK_BYTES`] at most, or those of the last
//!             action alone; the oldest are let go of first, and their undo is refused by name
//!             (`old_ways_back_go_first`). Bytes are counted the same on every machine.

use crate::world::actions::change::{WaterRecord, What};
use crate::world::saved::Saved;
use crate::world::{ActionError, Edits};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// Bytes that all ways back of a world take at most, if it is built without a limit of its own.
pub(in crate::world) const WAYS_BACK_BYTES: usize = 256 << 20;

/// Changes, and the number of the step that each takes back: the first one first.
pub(super) type Changes = Vec<(What, u64)>;

/// The way back of an action, or of several, for [`Edits::undo`](crate::world::Edits::undo). The
/// world keeps its bytes: they grow with the cells that the action changed, and the oldest ways
/// back of a world are let go of if all take too many.
#[derive(Clone)]
pub struct Undo {
    world: Weak<Saved>,
    kept: Arc<Kept>,
}

/// Changes of one way back.
struct Kept {
    /// `None` once they were let go of.
    changes: Mutex<Option<Changes>>,
    bytes: usize,
    /// Limit of all when they were let go of.
    most_bytes: usize,
}

impl Kept {
    fn changes(&self) -> MutexGuard<'_, Option<Changes>> {
        self.changes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Without its cells.
impl std::fmt::Debug for Undo {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let name = |(what, _): &(What, u64)| match what {
            What::Water(WaterRecord { pours: true, .. }) => "water to pour",
            What::Water(_) => "water to draw",
            What::Concentration(_) => "concentration",
            What::Push { .. } => "push",
            What::Terrain(_) => "terrain",
            What::Barrier { .. } => "barrier",
            What::Link { .. } => "link",
            What::Inflow(_) => "inflow",
            What::Weather(_) => "weather",
            What::Condition(_) => "wind, stage or roughness",
            What::Stack(_) => "intervals",
        };
        match &*self.kept.changes() {
            Some(changes) => f.debug_list().entries(changes.iter().map(name)).finish(),
            None => f.write_str("let go of"),
        }
    }
}

impl Undo {
    /// Returns the changes that take the action back.
    ///
    /// # Errors
    ///
    /// [`ActionError::OtherWorld`], and [`ActionError::Forgotten`] if they were let go of.
    pub(super) fn changes(&self, world: &Arc<Saved>) -> Result<Changes, ActionError> {
        if !self.world.ptr_eq(&Arc::downgrade(world)) {
            return Err(ActionError::OtherWorld);
        }
        let changes = self.kept.changes().clone();
        changes.ok_or(ActionError::Forgotten { most_bytes: self.kept.most_bytes })
    }
}

/// Ways back of a world, the oldest first. No state: only a way to it.
#[derive(Debug)]
pub(in crate::world) struct WaysBack {
    all: VecDeque<Weak<Kept>>,
    /// Upper bound of the bytes of all: ways back that nobody has any more may be in it.
    bytes: usize,
    most_bytes: usize,
}

impl std::fmt::Debug for Kept {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} bytes", self.bytes)
    }
}

impl WaysBack {
    /// Ways back that may take so many bytes together.
    pub fn new(most_bytes: usize) -> Self {
        Self { all: VecDeque::new(), bytes: 0, most_bytes }
    }

    /// Bytes that they may take together.
    pub fn most_bytes(&self) -> usize {
        self.most_bytes
    }

    /// Bytes that they take together now.
    fn bytes(&self) -> usize {
        self.all.iter().filter_map(Weak::upgrade).map(|kept| kept.bytes).sum()
    }

    /// Keeps changes, and lets the oldest go if all take too many bytes.
    pub(super) fn keep(&mut self, world: &Arc<Saved>, changes: Changes) -> Undo {
        let bytes = changes.iter().map(|(what, _)| what.bytes()).sum();
        let kept = Kept { changes: Some(changes).into(), bytes, most_bytes: self.most_bytes };
        let kept = Arc::new(kept);
        self.all.push_back(Arc::downgrade(&kept));
        self.bytes += bytes;
        if self.bytes > self.most_bytes {
            self.trim();
        }
        Undo { world: Arc::downgrade(world), kept }
    }

    /// Counts the bytes anew, and lets the oldest go but for the last.
    fn trim(&mut self) {
        self.all.retain(|kept| kept.strong_count() > 0);
        self.bytes = self.bytes();
        while self.bytes > self.most_bytes && self.all.len() > 1 {
            if let Some(oldest) = self.all.pop_front().and_then(|kept| kept.upgrade()) {
                *oldest.changes() = None;
                self.bytes -= oldest.bytes;
            }
        }
    }
}

impl Edits<'_> {
    /// Sets the bytes that all ways back of the world may take together, 256 MiB at first; the
    /// oldest are let go of if they take more, but for the last.
    pub fn set_ways_back_bytes(&mut self, most_bytes: usize) {
        self.world.ways_back.most_bytes = most_bytes;
        self.world.ways_back.trim();
    }

    /// Returns the bytes that all ways back of the world take, packed.
    #[must_use]
    pub fn ways_back_bytes(&self) -> usize {
        self.world.ways_back.bytes()
    }
}
