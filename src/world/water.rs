//! The water of a world as it is now: cell by cell, in all, and in its accounts.

use crate::probe::Query;
use crate::world::World;
use crate::world::holes::HoleCount;
use thalweg_engine::flow::tracer::ONE;
use thalweg_engine::grid::Side;
use thalweg_engine::grid::cells::{CellPlace, column_row};
use thalweg_engine::sim::boundary::BoundaryLaw;
use thalweg_engine::sim::ledger::Ledger;
use thalweg_engine::units::Volume;

/// The water of a world as it is now: [`World::water`].
#[derive(Debug, Clone, Copy)]
pub struct WaterView<'a> {
    pub(super) world: &'a World,
}

/// Meter of the water that leaves over a face at the edge of the world.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EdgeMeter<'a> {
    /// Account of the ledger in which the water is booked.
    pub account: &'a str,
    /// Level of the cell that the face closes.
    pub level: u8,
    /// Place of that cell in its level.
    pub place: CellPlace,
    /// Side of the cell.
    pub side: Side,
    /// Volume that has left, less the volume that has entered, vertical units × finest cells. It
    /// does not begin at 0: the difference of two readings is the volume between them.
    pub reading: Volume,
    /// True if the edge is open, but a wall here: an inflow enters at the end of this valley.
    pub is_shut: bool,
}

impl World {
    /// Returns the water as it is now, cell by cell and in all, and its ledger.
    #[must_use]
    pub fn water(&self) -> WaterView<'_> {
        WaterView { world: self }
    }
}

impl World {
    /// Returns a query that reads velocities from flood maps, if the world keeps them; cells count
    /// as wet as in flood maps.
    pub(super) fn flowing(&self) -> Query<'_> {
        let query = self.query().on(None).flowing(self.simulation.maps());
        query.wet_from(self.setup.wet_depth_m).expect("checked when the world was built")
    }
}

impl<'a> WaterView<'a> {
    /// Returns the depth in a cell, m: volume over area; `None` outside the world.
    #[must_use]
    pub fn depth_m(self, place: CellPlace) -> Option<f64> {
        let World { simulation, site, .. } = self.world;
        let (leaf, cell) = self.world.cells().locate(place)?;
        Some(site.scale().depth_m(simulation.water(leaf).depth[cell]))
    }

    /// Returns the stage of a cell, m above the datum; `None` if it is dry or outside the world.
    #[must_use]
    pub fn stage_m(self, place: CellPlace) -> Option<f64> {
        let World { simulation, site, .. } = self.world;
        let (leaf, cell) = self.world.cells().locate(place)?;
        let depth = simulation.water(leaf).depth[cell];
        let stage = || site.scale().metres(simulation.ground(leaf).stage(cell, depth));
        (depth > 0).then(stage)
    }

    /// Returns the speed in a cell, m/s, as [`WaterView::velocity_m_s`] has it.
    #[must_use]
    pub fn speed_m_s(self, place: CellPlace) -> Option<f64> {
        let [u, v] = self.velocity_m_s(place)?;
        Some((u * u + v * v).sqrt())
    }

    /// Returns the velocity in a cell, eastward and northward, m/s: over the last step, from the
    /// flow across its faces, or, in a world without [`MapKinds::VELOCITY`], at the beginning of
    /// the next step; 0 if the cell is not wet, `None` outside the world.
    ///
    /// [`MapKinds::VELOCITY`]: crate::world::MapKinds::VELOCITY
    #[must_use]
    pub fn velocity_m_s(self, place: CellPlace) -> Option<[f64; 2]> {
        let (leaf, cell) = self.world.cells().locate(place)?;
        Some(self.world.flowing().velocity_in(leaf, cell))
    }

    /// Returns the names of all tracers, in the order in which they were named.
    pub fn tracers(self) -> impl ExactSizeIterator<Item = &'a str> {
        self.world.simulation.tracers().all().iter().map(|tracer| tracer.name())
    }

    /// Returns the concentration of a tracer in a cell, from 0 to 1; 0 if it is dry, `None` outside
    /// the world and if no tracer has that name.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "a concentration to read")]
    pub fn concentration(self, tracer: &str, place: CellPlace) -> Option<f64> {
        let simulation = &self.world.simulation;
        let index = simulation.tracers().find(tracer)?;
        let (leaf, cell) = self.world.cells().locate(place)?;
        let water = simulation.water(leaf);
        let (content, depth) = (water.contents[index][cell], water.depth[cell]);
        Some(content as f64 / (f64::from(depth.max(1)) * ONE as f64))
    }

    /// Returns the volume on the ground, vertical units × finest cells; times
    /// [`WaterView::unit_m3`] it is m³.
    #[must_use]
    pub fn stored(self) -> Volume {
        self.world.simulation.leaves().stored()
    }

    /// Returns the ledger: the source and the destination of every unit.
    #[must_use]
    pub fn ledger(self) -> &'a Ledger {
        self.world.simulation.ledger()
    }

    /// Returns the meters of all faces at edges that are open or have a stage, leaf by leaf.
    ///
    /// If leaves merge or split their meters are added or halved, so that sums along an edge
    /// continue, to within less than a unit a face; if the outermost cells of a coarse leaf are
    /// partly outside the world, a meter begins anew there.
    pub fn edge_meters(self) -> impl Iterator<Item = EdgeMeter<'a>> {
        let World { simulation, .. } = self.world;
        let accounts = self.ledger().accounts();
        let leaves = simulation.forest().leaves().iter().zip(&simulation.leaves().own);
        leaves.flat_map(move |(&key, own)| {
            let laws = simulation.laws();
            let counts = |law: u32| !matches!(laws[law as usize], BoundaryLaw::Inflow(_));
            let faces = own.boundary.iter().filter(move |face| counts(face.law));
            faces.map(move |face| {
                let (column, row) = column_row(usize::from(face.cell));
                let corner = key.corner();
                EdgeMeter {
                    account: &accounts[face.account as usize].name,
                    level: key.level,
                    place: CellPlace { x: corner.x + column, y: corner.y + row },
                    side: face.side,
                    reading: Volume::from(face.credit) << (2 * key.level),
                    is_shut: laws[face.law as usize] == BoundaryLaw::Open && face.is_shut(),
                }
            })
        })
    }

    /// Counts the cells without data that the ground encloses; 0 if they have the same edge as the
    /// rest of the cells without data.
    #[must_use]
    pub fn holes(self) -> HoleCount {
        self.world.site.holes.count()
    }

    /// Returns the finest cells of all [`WaterView::holes`].
    pub fn cells_of_holes(self) -> impl Iterator<Item = CellPlace> {
        self.world.site.hole_cells()
    }

    /// Returns the cubic metres in a unit of volume.
    #[must_use]
    pub fn unit_m3(self) -> f64 {
        self.world.cells().unit_m3()
    }

    /// Returns the content of a tracer in the world, 2⁻²⁴ vertical units × finest cells; times
    /// [`WaterView::unit_m3`] and 2⁻²⁴ it is m³. `None` if no tracer has that name.
    #[must_use]
    pub fn tracer_stored(self, tracer: &str) -> Option<Volume> {
        let simulation = &self.world.simulation;
        Some(simulation.leaves().content_stored(simulation.tracers().find(tracer)?))
    }

    /// Returns the ledger of a tracer, under the names of the water's ledger.
    #[must_use]
    pub fn tracer_ledger(self, tracer: &str) -> Option<&'a Ledger> {
        let tracers = self.world.simulation.tracers();
        tracers.find(tracer).map(|index| tracers.all()[index].ledger())
    }
}
