//! The flood maps of a world: where its water has been so far.

use crate::grid::cells::CellPlace;
use crate::probe::{LeafMaps, Query};
use crate::tile::{MapKinds, NotKept};
use crate::units::hash::StateHasher;
use crate::world::World;

/// The flood maps of a world: [`World::maps`].
#[derive(Debug, Clone, Copy)]
pub struct MapsView<'a> {
    pub(super) world: &'a World,
}

impl World {
    /// Counts the time since the last look of maps at leaves that sleep. Call it before reading
    /// durations. A cycle under way ends first.
    pub fn bring_maps_up_to_date(&mut self) {
        self.finish_cycle();
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
    /// Kinds of flood maps that the world keeps: [`WorldBuilder::maps`] chose them.
    ///
    /// [`WorldBuilder::maps`]: crate::world::WorldBuilder::maps
    #[must_use]
    pub fn kinds(self) -> MapKinds {
        self.world.setup.maps
    }

    /// The flood maps around a cell: those of its leaf, and its index in them; `None` outside the
    /// world. Maps of a leaf that
    /// sleeps are those of its last look: durations end there, until
    /// [`World::bring_maps_up_to_date`] counts the time since.
    #[must_use]
    pub fn at(self, place: CellPlace) -> Option<(&'a LeafMaps, usize)> {
        let (leaf, cell) = self.world.cells().locate(place)?;
        Some((self.world.simulation.maps_of(leaf), cell))
    }

    /// Hash of the flood maps of these kinds in all leaves: equal where they are the same, to the
    /// bit, whatever other kinds the worlds keep. The state of a world has no part in it.
    ///
    /// # Errors
    ///
    /// [`NotKept`] where the world does not keep one of the kinds.
    pub fn hash(self, kinds: MapKinds) -> Result<u64, NotKept> {
        self.kinds().check(kinds)?;
        let mut hash = StateHasher::new();
        for (leaf, key) in self.world.simulation.forest().iter() {
            let numbers = [u32::from(key.level), key.x, key.y];
            numbers.into_iter().for_each(|number| hash.add(number.into()));
            self.world.simulation.maps_of(leaf).hash(kinds, &mut hash)?;
        }
        Ok(hash.finish())
    }

    /// A query of the highest water that each cell has seen so far, each at its own
    /// time. Velocities are 0: the maps have the largest speeds.
    ///
    /// Over sub-grid columns a raster of level 0 shows the largest depths on the finest cells of
    /// the terrain, as [`World::query`] shows the present ones.
    ///
    /// # Errors
    ///
    /// [`NotKept`] where the world does not keep [`MapKinds::DEPTH`].
    pub fn maxima(self) -> Result<Query<'a>, NotKept> {
        self.kinds().check(MapKinds::DEPTH)?;
        Ok(self.world.query().at_peak(self.world.simulation.maps()))
    }
}
