//! A valley that cells without data cut off, across it or obliquely, or that ends at corners of the
//! map.

use crate::edge::{SOLVERS, run, settings};
use crate::suite::{Bench, BenchError, BenchResult, Context};
use crate::table::Measurement;
use crate::world::{WorldPlan, place};
use rayon::prelude::*;
use thalweg::world::{EdgeKind, WorldBuilder};
use thalweg_engine::grid::cells::CellPlace;
use thalweg_engine::sim::Solver;

/// A valley on a map that ends across it, obliquely, or at its corners.
pub const BENCH: Bench = Bench {
    ids: &["edge.cut_off", "edge.oblique", "edge.corner"],
    what: "a river that comes in where NoData cuts its valley off, 6 or 12 cells wide, between \
           steep and gentle banks, at 0 to 80°: most that leaves uphill; the same if NoData leans \
           by 27 to 56° from across, and through a corner of the map",
    is_long: true,
    measure,
};

const PLAN: WorldPlan =
    WorldPlan { width: 200, height: 200, cell_m: 5.0, exponent: 20, datum_m: 0.0 };
/// Distance from the middle of the map to an end of the valley, and to the river near a corner.
const HALF_M: f64 = 400.0;
const TO_CORNER_M: f64 = 660.0;
const MANNING_N: f64 = 0.03;
const UNIT_DISCHARGE_M2_S: f64 = 1.0;
const ANGLES: [f64; 9] = [0.0, 10.0, 15.0, 20.0, 30.0, 45.0, 60.0, 75.0, 80.0];
const SLOPES: [f64; 2] = [0.001, 0.0005];
/// Widths of the floor, m, with slopes of its banks.
const FLOORS: [(f64, f64); 3] = [(60.0, 100.0), (30.0, 100.0), (60.0, 0.1)];
const BANK_M: f64 = 4.0;
/// Metres by which an end is farther down for each one aside.
const LEANS: [f64; 4] = [0.5, -0.8, 1.5, -1.5];
const OBLIQUE_ANGLES: [f64; 3] = [0.0, 20.0, 60.0];
/// Directions of valleys through the middle of a square that end at its corners, or beside them.
const CORNER_ANGLES: [f64; 4] = [45.0, 44.0, 42.0, 47.0];
const END_S: f64 = 3600.0;

/// End of a valley.
#[derive(Debug, Clone, Copy)]
enum ValleyEnd {
    /// At cells without data, along a line that runs `lean` metres down the valley per metre aside.
    CutOff { lean: f64 },
    /// At the sides of the map.
    Corner,
}

/// A valley through the middle of the map.
#[derive(Debug, Clone, Copy)]
struct CutOffValley {
    end: ValleyEnd,
    degrees: f64,
    slope: f64,
    /// Width of its floor, m, and slope of its banks.
    floor: (f64, f64),
}

impl CutOffValley {
    /// Returns metres down the valley from the middle of the map to the middle of a cell, and
    /// aside.
    fn down_aside(self, x: usize, y: usize) -> (f64, f64) {
        let (sine, cosine) = self.degrees.to_radians().sin_cos();
        let middle = |at: usize, cells: usize| (at as f64 + 0.5 - 0.5 * cells as f64) * PLAN.cell_m;
        let (east, north) = (middle(x, PLAN.width), middle(y, PLAN.height));
        (east * cosine + north * sine, north * cosine - east * sine)
    }

    fn bed_m(self, x: usize, y: usize) -> f64 {
        let (down, aside) = self.down_aside(x, y);
        let (width, bank) = self.floor;
        let bank = (bank * (aside.abs() - 0.5 * width).max(0.0)).min(BANK_M);
        if self.before_end(down, aside) < 0.0 { f64::NAN } else { bank - self.slope * down }
    }

    /// Returns metres from a place to the nearer end, along the valley.
    fn before_end(self, down: f64, aside: f64) -> f64 {
        match self.end {
            ValleyEnd::CutOff { lean } => HALF_M - (down - lean * aside).abs(),
            ValleyEnd::Corner => f64::INFINITY,
        }
    }

    /// Returns whether the river flows in at a place.
    fn is_source(self, down: f64, aside: f64) -> bool {
        let after_end = match self.end {
            ValleyEnd::CutOff { lean } => HALF_M + down - lean * aside,
            ValleyEnd::Corner => TO_CORNER_M + down,
        };
        (5.0..15.0).contains(&after_end) && aside.abs() < 0.25 * self.floor.0
    }

    /// Returns the share of the outflow that left in the upper half of the map.
    fn uphill(self, solver: Solver) -> Result<f64, BenchError> {
        let is_source = |&(x, y): &(usize, usize)| {
            let (down, aside) = self.down_aside(x, y);
            self.is_source(down, aside)
        };
        let cells = (0..PLAN.height).flat_map(|y| (0..PLAN.width).map(move |x| (x, y)));
        let sources: Vec<CellPlace> = cells.filter(is_source).map(|(x, y)| place(x, y)).collect();
        let discharge = UNIT_DISCHARGE_M2_S * self.floor.0;
        let mut world = WorldBuilder::new(PLAN.terrain(|x, y| self.bed_m(x, y))?)
            .settings(settings(solver, MANNING_N))
            .edges(EdgeKind::Open)
            .inflow("river", &[(0.0, discharge)], &sources)?
            .build()?;
        run(&mut world, END_S)?;
        // The meters of a dry world begin at 0.
        let mut out = [0.0; 2];
        for meter in world.water().edge_meters() {
            let (down, _) = self.down_aside(meter.place.x as usize, meter.place.y as usize);
            out[usize::from(down > 0.0)] += meter.reading as f64;
        }
        let [up, down] = out;
        if down > 0.0 { Ok(up / (up + down)) } else { Err("no water left downhill".into()) }
    }
}

/// Makes valleys of all floors and slopes that end so, in these directions.
fn valleys(ends: &[ValleyEnd], angles: &[f64]) -> Vec<CutOffValley> {
    let mut all = Vec::new();
    for floor in FLOORS {
        for slope in SLOPES {
            for &end in ends {
                all.extend(angles.iter().map(|&degrees| CutOffValley {
                    end,
                    degrees,
                    slope,
                    floor,
                }));
            }
        }
    }
    all
}

/// Returns the most that leaves uphill of any of these valleys.
fn most(
    id: &'static str,
    valleys: &[CutOffValley],
    context: &Context,
) -> Result<Measurement, BenchError> {
    let (mut most, mut all) = ((0.0, String::new()), Vec::new());
    for (name, solver) in SOLVERS {
        // Small worlds: side by side they take a third of the time.
        let uphill: Vec<_> = valleys.par_iter().map(|valley| valley.uphill(solver)).collect();
        for (valley, uphill) in valleys.iter().zip(uphill) {
            let (uphill, CutOffValley { end, degrees, slope, floor: (width, bank) }) =
                (uphill?, valley);
            let case = format!(
                "{name}, {width} m between banks of {bank}, {slope} at {degrees}°, {end:?}: \
                 {:.2} % uphill",
                100.0 * uphill
            );
            if context.is_verbose {
                all.push(case.clone());
            }
            if uphill >= most.0 {
                most = (uphill, case);
            }
        }
    }
    if context.is_verbose {
        most.1 = all.join("; ");
    }
    let row = Measurement::new(id, most.0, "1").target("<= 0.01");
    Ok(row.cells(PLAN.cells()).note(most.1))
}

fn measure(context: &Context) -> BenchResult {
    let oblique = LEANS.map(|lean| ValleyEnd::CutOff { lean });
    let rows = [
        ("edge.cut_off", valleys(&[ValleyEnd::CutOff { lean: 0.0 }], &ANGLES)),
        ("edge.oblique", valleys(&oblique, &OBLIQUE_ANGLES)),
        ("edge.corner", valleys(&[ValleyEnd::Corner], &CORNER_ANGLES)),
    ];
    rows.into_iter().map(|(id, valleys)| most(id, &valleys, context)).collect()
}
