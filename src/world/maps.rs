//! The flood maps of a world: extremes and times of its water so far.

use crate::probe::{LeafMaps, Query};
use crate::world::World;
use thalweg_engine::grid::cells::CellPlace;
use thalweg_engine::sim::maps::HighestWater;
use thalweg_engine::state::IntervalState;
use thalweg_engine::tile::{MapKinds, NotKept};
use thalweg_engine::units::hash::StateHasher;

/// The flood maps of a world: [`World::maps`].
#[derive(Debug, Clone, Copy)]
pub struct MapsView<'a> {
    pub(super) world: &'a World,
}

/// The highest water that an interval below the ground has seen so far: [`MapsView::below`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct IntervalMaxima {
    /// Lowest place, m above the datum.
    pub bed_m: f64,
    /// Highest place.
    pub ceiling_m: f64,
    /// Largest depth, m.
    pub depth_m: f64,
    /// Highest stage, or head if it was full, m above the datum; the bed if it stayed dry.
    pub head_m: f64,
}

impl World {
    /// Counts the time since the last look of maps at leaves that sleep. Call it before reading
    /// durations. A cycle under way ends first.
    pub fn bring_maps_up_to_date(&mut self) {
        self.finish_cycle();
        let before = self.simulation.revision();
        self.simulation.bring_maps_up_to_date();
        // Maps are no state: earlier actions can still be undone exactly.
        self.undo_log.stay(before, self.simulation.revision());
    }

    /// Returns the flood maps: extremes and times of the water so far.
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

    /// Returns the flood maps around a cell: of its leaf, with the cell's index in them; `None`
    /// outside the world. Maps of a sleeping leaf are from its last look: durations end there,
    /// until [`World::bring_maps_up_to_date`] counts the time since.
    #[must_use]
    pub fn at(self, place: CellPlace) -> Option<(&'a LeafMaps, usize)> {
        let (leaf, cell) = self.world.cells().locate(place)?;
        Some((self.world.simulation.maps_of(leaf), cell))
    }

    /// Returns the highest water that the intervals of a cell have seen so far, from the lowest to
    /// the highest; empty outside the world. Depth and head each have their own time. An interval
    /// that is dug anew, or gets another bed or ceiling, begins anew.
    ///
    /// # Errors
    ///
    /// [`NotKept`] if the world does not keep [`MapKinds::DEPTH`].
    ///
    /// # Examples
    ///
    /// ```
    /// use thalweg::prelude::*;
    /// use thalweg::world::MapKinds;
    /// let mut voids = Voids::new();
    /// voids.carve(CellPlace { x: 2, y: 2 }, CellPlace { x: 4, y: 3 }, [1.0, 4.0]);
    /// let terrain = Terrain::from_heights([8, 8], 1.0, |_, _| 9.0)?;
    /// let builder = WorldBuilder::new(terrain).voids(voids).maps(MapKinds::DEPTH);
    /// let stage = |place: CellPlace, _| if place.x == 2 { 3.0 } else { 0.0 };
    /// let mut world = builder.initial_stage_below(stage).build()?;
    /// world.run_until(SimTime::from_seconds(60.0));
    /// let [maxima] = world.maps().below(CellPlace { x: 2, y: 2 })?[..] else { panic!("one") };
    /// assert_eq!((maxima.depth_m, maxima.head_m), (2.0, 3.0));
    /// assert!(world.stacks().intervals_at(CellPlace { x: 2, y: 2 })[0].depth_m < 1.2);
    /// # Ok::<(), thalweg::Error>(())
    /// ```
    pub fn below(self, place: CellPlace) -> Result<Vec<IntervalMaxima>, NotKept> {
        self.kinds().check(MapKinds::DEPTH)?;
        let World { simulation, site, .. } = self.world;
        let Some((leaf, cell)) = self.world.cells().locate(place) else { return Ok(Vec::new()) };
        let Some(stack) = &simulation.leaves().own[leaf].stack else { return Ok(Vec::new()) };
        let (scale, seen) = (site.scale(), simulation.maps_of(leaf).below()?);
        let maxima = |own: &IntervalState| {
            let HighestWater { bed, ceiling, depth_max, surface_max, .. } = seen.of(own);
            let [bed_m, ceiling_m, head_m] =
                [bed, ceiling, surface_max].map(|units| scale.metres(units));
            IntervalMaxima { bed_m, ceiling_m, depth_m: scale.depth_m(depth_max), head_m }
        };
        let cell = u16::try_from(cell).expect("4096 cells");
        Ok(stack.of_cell(cell).iter().map(maxima).collect())
    }

    /// Returns the hash of the flood maps of these kinds in all leaves: equal if they are the same,
    /// to the bit. Neither further kinds nor the state of a world have a part in it.
    ///
    /// # Errors
    ///
    /// [`NotKept`] if the world does not keep one of the kinds.
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

    /// Returns a query of the highest water that each cell has seen so far, each at its own time.
    /// Velocities are 0: the maps have the largest speeds.
    ///
    /// Over sub-grid columns a raster of level 0 shows the largest depths on the finest cells of
    /// the terrain, as [`World::query`] shows the present ones.
    ///
    /// # Errors
    ///
    /// [`NotKept`] if the world does not keep [`MapKinds::DEPTH`].
    pub fn maxima(self) -> Result<Query<'a>, NotKept> {
        self.kinds().check(MapKinds::DEPTH)?;
        Ok(self.world.query().at_peak(self.world.simulation.maps()))
    }
}
