//! Outcome of a finished run for the writers: plain numbers, no files and no solver.
//!
//! Maps are row-major planes on the grid of the world's finest cells, northernmost row first, NaN
//! outside the world. [`crate::output::write_all`] turns one [`FloodOutcome`] into the folder the
//! user opens.
//!
//! Guarantees: [`FloodLedger::balance`] is equality of integers, never a tolerance.
//! Limits:     moments are kept reduced (see [`DepthFrame::reduced`]); maps are kept whole.

pub mod before;
mod faults;
mod figure;
mod frame;
mod headline;
mod level;
mod observed;
mod open_edges;
mod outlet;
mod pits;
mod reduction;
mod rock;
#[cfg(test)]
pub(crate) mod sample;
mod section;
mod structures;
mod sure;
mod varied;

use std::sync::Arc;

use rasters::Grid;
use scenario::place::MapSide;
use scenario::plan::Backdrop;

pub use before::CellBefore;
pub use faults::TerrainFault;
pub use figure::{Figure, FigureRange};
pub use frame::{DepthFrame, FramePatch, FrameShape};
pub use headline::{HAZARDS_M2_S, Headline, HeadlineSpot, SPEED_PERCENTILE};
pub use level::{RunLevel, RunLevels};
pub use observed::{Fit, Observed, ObservedPair, ObservedQuantity};
pub use outlet::{InflowCells, Outlet, OutletFace, outlets};
pub use reduction::{PARTS, factor, painted, reduce};
pub use rock::{MappedRock, WaterBelow};
pub use section::SectionRecord;
pub use structures::{BarrierPassage, LinkPassage, PassageReadings};
pub use sure::{BELIEVED, FAR, SURELY_DRY, SURELY_FLOODED, Sure, UNSURE};
pub use varied::Drafts;

/// Words that a note on water which left into `NoData` has after the percentage: the page puts it
/// before all remaining notes.
pub const LOST: &str = "% of the water";

/// One finished (or interrupted) run.
///
/// Every `Vec<f32>` has `grid.width * grid.height` values.
#[derive(Debug, Clone, PartialEq)]
pub struct FloodOutcome {
    /// Name of the simulation in a few words: the heading of every map and of the report.
    pub title: String,
    /// The command that repeats this run exactly.
    pub command: String,
    /// Requested and chosen settings, as shown to the user: name and value with unit.
    pub settings: Vec<(String, String)>,
    /// Omissions, assumptions and warnings of the run: one sentence each.
    pub notes: Vec<String>,

    /// The grid of the maps: square cells, the finest of the world, simulated or not.
    pub grid: Grid,
    /// The grid of the GeoTIFFs: the input's. Each of its cells takes the value of the cell of
    /// `grid` that contains its centre.
    pub output_grid: Grid,
    /// Parts of the boundary that water crosses somewhere: open, or kept at a stage.
    pub open_sides: Vec<MapSide>,
    /// The cells that were simulated, if they are not those of `grid`.
    pub coarse: Option<Coarse>,
    /// Depth from which a cell counts as flooded in `arrival_s` and `duration_s`, m.
    pub wet_depth_m: f32,
    /// Limits of the classes in which depths are drawn, rising, m.
    pub depth_classes_m: Vec<f32>,
    /// Requested and chosen settings, in SI units, for programs.
    pub inputs: serde_json::Value,

    /// State of each cell before the event: the headline counts no water before as flooded.
    pub before: Vec<CellBefore>,
    /// Cells of the maps in which an inflow enters, rising.
    pub inflow_cells: Vec<usize>,
    /// Cells of the maps without data that the ground encloses, rising.
    pub holes: Vec<usize>,
    /// Bed elevation, m; NaN outside the world.
    pub bed_m: Vec<f32>,
    /// Largest depth, m.
    pub max_depth_m: Vec<f32>,
    /// Largest depth-averaged speed, m/s.
    pub max_speed_m_s: Vec<f32>,
    /// Largest `h · (v + 0.5)`, m²/s.
    pub hazard_m2_s: Vec<f32>,
    /// Time until the cell was first flooded, s; NaN if it never was.
    pub arrival_s: Vec<f32>,
    /// Time for which the cell was flooded, s.
    pub duration_s: Vec<f32>,
    /// Depth at the end, m.
    pub final_depth_m: Vec<f32>,
    /// Water below the ground, if cells have intervals there: under decks, in tunnels.
    pub below: Option<WaterBelow>,

    /// Depth over time, in order of time; may be empty.
    pub frames: Vec<DepthFrame>,
    /// Series at named places.
    pub gauges: Vec<GaugeRecord>,
    /// Water that passed the sections.
    pub sections: Vec<SectionRecord>,
    /// Water that passed the edges of the map, as the ledger has it.
    pub edges: Vec<SectionRecord>,
    /// Stretches of the edges over which most of the water left, the largest first.
    pub outlets: Vec<Outlet>,
    /// Passages of the barriers.
    pub barriers: Vec<BarrierPassage>,
    /// Passages of culverts, pumps and drains.
    pub links: Vec<LinkPassage>,
    /// Tunnels and bridges.
    pub rocks: Vec<MappedRock>,
    /// Backdrop of the maps: a picture below the water, or lines over it.
    pub backdrop: Option<Arc<Backdrop>>,
    /// Volumes of all water that entered or left the world, with their sources and sinks.
    pub ledger: FloodLedger,
    /// Faults of the terrain; the faults that decide most of the event are first.
    pub faults: Vec<TerrainFault>,
    /// True if the terrain was searched for faults.
    pub is_searched: bool,

    /// Simulated time, s.
    pub simulated_s: f64,
    /// Time the run took on this machine, s.
    pub wall_s: f64,
    /// True if the run was stopped before its end.
    pub interrupted: bool,
    /// The levels of the run so far, this outcome's the last; none if it was run alone.
    pub levels: Vec<RunLevel>,
    /// The headline, once it was counted and nothing that it counts changes any more.
    pub counted: Option<Headline>,
    /// Certainty of its figures and maps; `None` for the first level, if nothing was varied.
    pub sure: Option<Sure>,
}

/// Simulated cells over several of the maps'.
#[derive(Debug, Clone, PartialEq)]
pub struct Coarse {
    /// Their width, m.
    pub cell_m: f64,
    /// Description of the coarse cells and of their effect, for the reader of the report.
    pub words: String,
}

/// A series recorded at a named place. The four series have one length.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct GaugeRecord {
    /// Name, as given by the user.
    pub name: String,
    /// East coordinate in the grid's CRS.
    pub x: f64,
    /// North coordinate in the grid's CRS.
    pub y: f64,
    /// Bed elevation of the gauge's cell, m.
    pub bed_m: f32,
    /// Simulated time, s, rising.
    pub time_s: Vec<f64>,
    /// Water-surface elevation, m.
    pub stage_m: Vec<f32>,
    /// Depth, m.
    pub depth_m: Vec<f32>,
    /// Depth-averaged speed, m/s; NaN in dry cells.
    pub speed_m_s: Vec<f32>,
    /// Depths or stages of the real event.
    pub observed: Option<Observed>,
}

/// Volumes over the whole run, in exact units.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FloodLedger {
    /// Cubic metres per unit.
    pub unit_m3: f64,
    /// Stored at the start, units.
    pub initial: i128,
    /// Stored at the end, units.
    pub stored: i128,
    /// Volume that entered by each source or edge, units.
    pub into: Vec<(String, i128)>,
    /// Volume that left by each sink or edge, units.
    pub out: Vec<(String, i128)>,
}

impl FloodLedger {
    /// Returns the volume at the end, m³, rounded.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "for reading, beside the exact units")]
    pub fn stored_m3(&self) -> f64 {
        self.stored as f64 * self.unit_m3
    }

    /// Returns the sum of all volumes that entered, units; `None` if it does not fit.
    #[must_use]
    pub fn total_in(&self) -> Option<i128> {
        sum(&self.into)
    }

    /// Returns the sum of all volumes that left, units; `None` if it does not fit.
    #[must_use]
    pub fn total_out(&self) -> Option<i128> {
        sum(&self.out)
    }

    /// Returns `stored − (initial + Σ in − Σ out)`, units; `None` if a sum does not fit.
    #[must_use]
    pub fn difference(&self) -> Option<i128> {
        let expected =
            self.initial.checked_add(self.total_in()?)?.checked_sub(self.total_out()?)?;
        self.stored.checked_sub(expected)
    }

    /// True if `initial + Σ in − Σ out = stored`, to the unit.
    #[must_use]
    pub fn balance(&self) -> bool {
        self.difference() == Some(0)
    }
}

fn sum(entries: &[(String, i128)]) -> Option<i128> {
    entries.iter().try_fold(0_i128, |total, (_, units)| total.checked_add(*units))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ledger_balances_to_the_unit() {
        let mut ledger = FloodLedger {
            unit_m3: 1.0e-6,
            initial: 5,
            stored: 11,
            into: vec![("rain".into(), 10)],
            out: vec![("east edge".into(), 3), ("infiltration".into(), 1)],
        };
        assert!(ledger.balance());
        ledger.stored += 1;
        assert_eq!(ledger.difference(), Some(1));
        assert!(!ledger.balance());
    }

    #[test]
    fn a_ledger_that_overflows_does_not_balance() {
        let ledger = FloodLedger {
            into: vec![("a".into(), i128::MAX), ("b".into(), 1)],
            ..FloodLedger::default()
        };
        assert!(!ledger.balance());
    }
}
