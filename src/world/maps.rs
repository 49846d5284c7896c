//! The flood maps of a world: where its water has been so far.

use crate::grid::cells::CellPlace;
use crate::probe::{LeafMaps, Query};
use crate::world::World;

/// The flood maps of a world: [`World::maps`].
#[derive(Debug, Clone, Copy)]
pub struct MapsView<'a> {
    pub(super) world: &'a World,
}

impl World {
    /// Counts the time since the last look of maps at leaves that sleep. Call it before reading
    /// durations.
    pub fn bring_maps_up_to_date(&mut self) {
        let before = self.simulation.revision();
        self.simulation.bring_maps_up_to_date();
        self.undo_log.stay(before, self.simulation.revision());
    }

    /// The flood maps: where the water has been so far.
    #[must_use]
    pub fn maps(&self) -> MapsView<'_> {
        MapsView { world: self }
    }
}

impl<'a> MapsView<'a> {
    /// The flood maps around a cell: those of its leaf, and its index in them. Maps of a leaf that
    /// sleeps are those of its last look: durations end there, until
    /// [`World::bring_maps_up_to_date`] counts the time since.
    #[must_use]
    pub fn at(self, place: CellPlace) -> Option<(&'a LeafMaps, usize)> {
        let (leaf, cell) = self.world.cells().locate(place)?;
        Some((&self.world.simulation.maps()[leaf], cell))
    }

    /// A query of the highest water that each cell has seen so far, each at its own
    /// time. Velocities are 0: the maps have the largest speeds.
    ///
    /// Over sub-grid columns a raster of level 0 shows the largest depths on the finest cells of
    /// the terrain, as [`World::query`] shows the present ones.
    #[must_use]
    pub fn maxima(self) -> Query<'a> {
        self.world.query().at_peak(self.world.simulation.maps())
    }
}
