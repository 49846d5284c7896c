//! A state of a world, as surfaces read it.

use crate::probe::{Query, Window};
use thalweg_engine::grid::LeafId;
use thalweg_engine::units::SimTime;

/// A state of a world, as surfaces read it.
pub(crate) struct SurfaceState<'a> {
    /// Leaves of the state, with the velocities of their maps, if maps are kept.
    pub query: Query<'a>,
    /// Number of the last change of a leaf.
    pub changed_at: &'a (dyn Fn(LeafId) -> u64 + Sync),
    /// Number of the last change of any leaf.
    pub revision: u64,
    /// Time of the state.
    pub time: SimTime,
}

/// The coarsest level of windows that show the finest cells below sub-grid columns: 16 of them are
/// read for each of its cells.
pub(crate) const BELOW_MOST: u8 = 2;

impl SurfaceState<'_> {
    /// True for a leaf with sub-grid columns, below which a window shows the finest cells.
    pub fn is_seen_through(&self, leaf: LeafId, window: &Window) -> bool {
        window.level <= BELOW_MOST
            && self.query.finest.is_some()
            && self.query.leaves.ground(leaf).columns.is_some()
    }

    /// True if a leaf or one that touches it has changed after `revision`.
    pub fn has_changed_around(&self, leaf: LeafId, revision: u64) -> bool {
        self.query.forest.near(leaf).any(|leaf| (self.changed_at)(leaf) > revision)
    }
}
