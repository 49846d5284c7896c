//! The way back of an action, as the game keeps it.

use crate::world::actions::change::WorldChange;
use crate::world::actions::ways_back::WayBack;
use crate::world::saved::Saved;
use crate::world::{ActionError, Edits};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use thalweg_engine::sim::edits::CellMovement;

/// Changes, each with the number of the step that it undoes: the first one first.
pub(super) type UndoChanges = Vec<(WorldChange, u64)>;

/// The way back of an action, or of several, for [`Edits::undo`]. The world counts its bytes: they
/// grow with the cells that the action changed, and the world removes the oldest ways back if all
/// together take too many.
#[derive(Clone)]
pub struct Undo {
    world: Weak<Saved>,
    kept: Arc<KeptChanges>,
}

/// Changes of one way back.
struct KeptChanges {
    /// `None` once the world has removed them.
    changes: Mutex<Option<UndoChanges>>,
    bytes: usize,
    /// Bytes that all ways back may take.
    most_bytes: usize,
}

impl KeptChanges {
    fn changes(&self) -> MutexGuard<'_, Option<UndoChanges>> {
        // A poisoned lock is used all the same: each use is one read or one assignment, so a panic
        // leaves no half of a list.
        self.changes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl WayBack for KeptChanges {
    fn bytes(&self) -> usize {
        self.bytes
    }

    fn let_go(&self) {
        *self.changes() = None;
    }
}

/// Prints the record without its cells.
impl std::fmt::Debug for KeptChanges {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let name = |(what, _): &(WorldChange, u64)| match what {
            WorldChange::Cells(record) => match record.movement {
                CellMovement::Pour => "water to pour",
                CellMovement::Draw => "water to draw",
                CellMovement::Content(_) => "concentration",
            },
            WorldChange::Push { .. } => "push",
            WorldChange::Terrain(_) => "terrain",
            WorldChange::Barrier { .. } => "barrier",
            WorldChange::Link { .. } => "link",
            WorldChange::Inflow(_) => "inflow",
            WorldChange::Weather(_) => "weather",
            WorldChange::Condition(_) => "wind, stage or roughness",
            WorldChange::Stack(_) => "intervals",
        };
        match &*self.changes() {
            Some(changes) => f.debug_list().entries(changes.iter().map(name)).finish(),
            None => f.write_str("let go of"),
        }
    }
}

/// Prints the way back without its cells.
impl std::fmt::Debug for Undo {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.kept.fmt(f)
    }
}

impl Undo {
    /// Returns the changes that undo the action.
    ///
    /// # Errors
    ///
    /// [`ActionError::OtherWorld`], and [`ActionError::Forgotten`] if the world has removed them.
    pub(super) fn changes(&self, world: &Arc<Saved>) -> Result<UndoChanges, ActionError> {
        if !self.world.ptr_eq(&Arc::downgrade(world)) {
            return Err(ActionError::OtherWorld);
        }
        let changes = self.kept.changes().clone();
        changes.ok_or(ActionError::Forgotten { most_bytes: self.kept.most_bytes })
    }
}

impl Edits<'_> {
    /// Keeps the changes that undo an action.
    pub(super) fn keep(&mut self, changes: UndoChanges) -> Undo {
        let bytes = changes.iter().map(|(what, _)| what.bytes()).sum();
        let most_bytes = self.world.ways_back.most_bytes();
        let kept = Arc::new(KeptChanges { changes: Some(changes).into(), bytes, most_bytes });
        let counted: Weak<KeptChanges> = Arc::downgrade(&kept);
        self.world.ways_back.keep(counted, bytes);
        // The reference is weak, because a file forgets a world if only files hold its identity.
        Undo { world: Arc::downgrade(&self.world.saved), kept }
    }

    /// Sets the bytes that all ways back of the world may take together, 256 MiB at first. If they
    /// take more, the oldest are removed, except the last one.
    pub fn set_ways_back_bytes(&mut self, most_bytes: usize) {
        self.world.ways_back.set_most_bytes(most_bytes);
    }

    /// Returns the bytes that all ways back of the world count for: an upper bound, the same on
    /// every machine.
    #[must_use]
    pub fn ways_back_bytes(&self) -> usize {
        self.world.ways_back.bytes()
    }
}
