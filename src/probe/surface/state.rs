//! A state of a world, as surfaces read it.

use crate::forest::Beside;
use crate::grid::LeafId;
use crate::probe::{LeafMaps, Query};
use crate::units::SimTime;

/// A state of a world, as surfaces read it.
pub(crate) struct State<'a> {
    /// Leaves of the state, with the velocities of their maps.
    pub query: Query<'a>,
    /// Their maps.
    pub maps: &'a [LeafMaps],
    /// Number of the last change of a leaf.
    pub changed_at: &'a dyn Fn(LeafId) -> u64,
    /// Number of the last change of any.
    pub revision: u64,
    /// When.
    pub time: SimTime,
}

impl State<'_> {
    /// True where a leaf or one that touches it has changed after `revision`.
    pub fn has_changed_around(&self, leaf: LeafId, revision: u64) -> bool {
        let is_later = |leaf: LeafId| leaf != LeafId::NONE && (self.changed_at)(leaf) > revision;
        self.query.forest.beside(leaf).iter().any(|beside| match *beside {
            Beside::Nothing => false,
            Beside::Same(leaf) | Beside::Coarser(leaf) => is_later(leaf),
            Beside::Finer(pair) => pair.into_iter().any(is_later),
        })
    }
}
