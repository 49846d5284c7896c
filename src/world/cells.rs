//! The cells of a world, to read: its leaves as they stand on its site.

use crate::world::site::Site;
use thalweg_engine::grid::LeafId;
use thalweg_engine::grid::cells::CellPlace;
use thalweg_engine::sim::Simulation;
use thalweg_engine::units::VerticalScale;

/// The leaves of a world with their ground and water, and where they stand.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cells<'a> {
    pub simulation: &'a Simulation,
    pub site: &'a Site,
}

impl Cells<'_> {
    /// The leaf and the cell that hold a place; `None` outside the world.
    pub fn locate(self, place: CellPlace) -> Option<(LeafId, usize)> {
        let (leaf, cell) = self.simulation.forest().locate(place)?;
        self.simulation.ground(leaf).is_inside(cell).then_some((leaf, cell))
    }

    /// Columns and rows of the simulated level.
    pub fn size(self) -> (usize, usize) {
        self.site.size(self.site.base())
    }

    /// Width of the simulated cells, m.
    pub fn cell_width_m(self) -> f64 {
        self.site.relief().cell_width_m(self.site.base())
    }

    /// Vertical unit and datum.
    pub fn scale(self) -> VerticalScale {
        self.site.scale()
    }

    /// Cubic metres in a unit of volume.
    pub fn unit_m3(self) -> f64 {
        let finest = self.cell_width_m() / f64::from(1_u32 << self.site.base());
        finest * finest * self.scale().unit_m()
    }
}
