//! The cells of a world, to read: its leaves and their site.

use crate::world::site::WorldSite;
use thalweg_engine::grid::LeafId;
use thalweg_engine::grid::cells::CellPlace;
use thalweg_engine::sim::Simulation;
use thalweg_engine::units::VerticalScale;

/// The leaves of a world with their ground, water and places.
#[derive(Debug, Clone, Copy)]
pub(super) struct WorldCells<'a> {
    pub simulation: &'a Simulation,
    pub site: &'a WorldSite,
}

impl WorldCells<'_> {
    /// Returns the leaf and the cell that contain a place; `None` outside the world.
    pub fn locate(self, place: CellPlace) -> Option<(LeafId, usize)> {
        let (leaf, cell) = self.simulation.forest().locate(place)?;
        self.simulation.ground(leaf).is_inside(cell).then_some((leaf, cell))
    }

    /// Returns the columns and rows of the simulated level.
    pub fn size(self) -> (usize, usize) {
        self.site.size(self.site.base())
    }

    /// Returns the width of the simulated cells, m.
    pub fn cell_width_m(self) -> f64 {
        self.site.relief().cell_width_m(self.site.base())
    }

    /// Returns the vertical unit and datum.
    pub fn scale(self) -> VerticalScale {
        self.site.scale()
    }

    /// Returns the cubic metres in a unit of volume.
    pub fn unit_m3(self) -> f64 {
        let finest = self.cell_width_m() / f64::from(1_u32 << self.site.base());
        finest * finest * self.scale().unit_m()
    }
}
