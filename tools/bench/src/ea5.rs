//! Benchmark 5 of the UK Environment Agency: its valley below a failing dam, and its points.
//!
//! Source: Néelz & Pender (2013), EA SC120002; published runs: Shaw et al. (2021),
//!         doi 10.5281/zenodo.4066824.

use crate::measured::{cell_of, columns};
use crate::suite::{BenchError, Context};
use crate::world::terrain_of;
use rasters::{Hints, RowSource};
use thalweg::units::VerticalScale;
use thalweg::world::{MapKinds, World, WorldBuilder};
use thalweg_engine::grid::cells::CellPlace;
use thalweg_engine::sim::Settings;

/// Points of the benchmark.
pub const POINTS: usize = 7;
/// Index of the point in the pond at the valley's end, where water still rises after hours.
pub const RISING: usize = 4;
/// Peak depths of points 1 to 7 of LISFLOOD-FP's discontinuous-Galerkin run at 10 m, m; point 5
/// still rises.
pub const PEAKS_10M_M: [f64; POINTS] = [3.453, 3.478, 5.357, 5.621, f64::NAN, 1.494, 2.911];

/// Roughness, s/m^(1/3).
pub const MANNING: f64 = 0.04;
/// Width of cells of the published files, m: their discharges are per metre.
const MAP_CELL_M: f64 = 10.0;

/// The valley at one resolution.
#[derive(Debug)]
pub struct Benchmark5Valley {
    /// World of the valley: dry, and the dam about to fail.
    pub world: World,
    /// Cells of points 1 to 7.
    pub gauges: Vec<CellPlace>,
}

impl Benchmark5Valley {
    /// Reads the benchmark onto cells of `cell_m`, for a world with these settings.
    ///
    /// # Errors
    ///
    /// If its files are missing or cannot be read.
    pub fn read(context: &Context, cell_m: f64, settings: Settings) -> Result<Self, BenchError> {
        Self::read_with(context, cell_m, 0, |builder| builder.settings(settings))
    }

    /// Reads the benchmark onto finest cells of `cell_m`, simulated on `level`; `with` adds to the
    /// world before it is built.
    ///
    /// # Errors
    ///
    /// If its files are missing or cannot be read.
    pub fn read_with(
        context: &Context,
        cell_m: f64,
        level: u8,
        with: impl FnOnce(WorldBuilder) -> WorldBuilder,
    ) -> Result<Self, BenchError> {
        let folder = context.data("ea_test5")?;
        let mut source = rasters::open(&folder.join("ea5-10m.asc.gz"), &Hints::default())?;
        if cell_m > MAP_CELL_M {
            source = rasters::resample(source, cell_m)?;
        }
        let scale = |low, high| Ok(VerticalScale::choose(low, high, 200.0)?);
        let (grid, terrain) = terrain_of(source.as_mut() as &mut dyn RowSource, scale)?;
        let cells = |points: Vec<[f64; 2]>| -> Result<Vec<CellPlace>, BenchError> {
            let cell = |point| {
                let CellPlace { x, y } = cell_of(&grid, point)?;
                Ok(CellPlace { x: x >> level, y: y >> level })
            };
            points.into_iter().map(cell).collect()
        };
        let points = columns(&folder.join("ea5-10m.bci"), [1, 2])?;
        let width_m = MAP_CELL_M * points.len() as f64;
        let sources = cells(points)?;
        let gauges = cells(columns(&folder.join("ea5.stage"), [0, 1])?)?;
        let per_m = columns(&folder.join("ea5.bdy"), [1, 0])?;
        let hydrograph: Vec<(f64, f64)> = per_m.iter().map(|&[t, q]| (t, q * width_m)).collect();
        let builder =
            WorldBuilder::new(terrain).level(level).inflow("breach", &hydrograph, &sources)?;
        let builder = builder.maps(MapKinds::DEPTH | MapKinds::ARRIVAL);
        Ok(Self { world: with(builder).build()?, gauges })
    }

    /// Returns the largest depth so far at a point, m, and its time, s: infinite if it stayed dry.
    ///
    /// # Panics
    ///
    /// If the point does not exist.
    #[must_use]
    pub fn peak_and_arrival(&self, index: usize) -> (f64, f64) {
        let (maps, cell) = self.world.maps().at(self.gauges[index]).expect("a point in the valley");
        let depth_max = maps.depth_max().expect("kept from the beginning")[cell];
        let arrival_s = maps.arrival_s().expect("kept from the beginning")[cell];
        (self.world.scale().depth_m(depth_max), f64::from(arrival_s))
    }

    /// Returns the depth at a point, m.
    ///
    /// # Panics
    ///
    /// If the point does not exist.
    #[must_use]
    pub fn depth_m(&self, index: usize) -> f64 {
        self.world.water().depth_m(self.gauges[index]).expect("a point in the valley")
    }

    /// Returns the number of cells of the map, including cells outside the valley.
    #[must_use]
    pub fn cells(&self) -> usize {
        let (width, height) = self.world.size();
        width * height
    }
}
