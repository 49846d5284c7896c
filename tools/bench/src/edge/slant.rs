//! A river that meets the edges at an angle, from 2 to 16 cells wide.

use crate::edge::{SOLVERS, out_by_side, run, settings};
use crate::suite::{Bench, BenchError, BenchResult, Context};
use crate::table::Measurement;
use crate::world::{WorldPlan, place};
use exact::UniformFlow;
use thalweg::world::{EdgeKind, EdgePlace, WorldBuilder};
use thalweg_engine::grid::cells::CellPlace;
use thalweg_engine::sim::Solver;

/// A river across two open edges.
pub const BENCH: Bench = Bench {
    ids: &["edge.slant", "edge.slant_stage"],
    what: "a river 2 to 16 cells wide that comes in near one open edge and leaves over another, at \
           0 to 60°: most that leaves uphill, and stage ten widths from the edge off that on a map \
           that reaches 100 cells farther",
    is_long: true,
    measure,
};

const CELL_M: f64 = 5.0;
const SLOPE: f64 = 0.002;
const MANNING_N: f64 = 0.03;
const UNIT_DISCHARGE_M2_S: f64 = 2.7;
const BANK_M: f64 = 4.0;
const WIDTHS: [usize; 4] = [2, 4, 8, 16];
const ANGLES: [f64; 5] = [0.0, 15.0, 30.0, 45.0, 60.0];
/// Rows from the edge beside which the water flows in.
const SOURCE_ROWS: usize = 3;
const END_S: f64 = 3600.0;

/// A river of a width in cells at an angle to the normal of the edges, on a map that begins some
/// rows south of its outlet.
#[derive(Debug, Clone, Copy)]
struct River {
    width: usize,
    degrees: f64,
    farther: usize,
}

impl River {
    fn lean(self) -> f64 {
        self.degrees.to_radians().tan()
    }

    /// Returns the number of rows of the shorter map: a reach of 30 widths, and no shorter than
    /// falls look.
    #[expect(clippy::cast_possible_truncation, reason = "some thousand cells")]
    fn rows(self) -> usize {
        let reach = 30.0 * self.width as f64 * self.degrees.to_radians().cos();
        160.max(reach as usize)
    }

    #[expect(clippy::cast_possible_truncation, reason = "some thousand cells")]
    fn plan(self) -> WorldPlan {
        let height = self.rows() + self.farther;
        let width = (height as f64 * self.lean()) as usize + 8 * self.width + 80;
        WorldPlan { width, height, cell_m: CELL_M, exponent: 20, datum_m: 0.0 }
    }

    /// Returns cells from the middle of the river, and along it from its outlet on the shorter map.
    fn across_along(self, x: usize, y: usize) -> (f64, f64) {
        let (sine, cosine) = self.degrees.to_radians().sin_cos();
        let north = y as f64 + 0.5 - self.farther as f64;
        let start = (4 * self.width + 40) as f64 + self.farther as f64 * self.lean();
        let east = x as f64 + 0.5 - start;
        (east * cosine - north * sine, east * sine + north * cosine)
    }

    fn is_in(self, x: usize, y: usize) -> bool {
        self.across_along(x, y).0.abs() <= 0.5 * self.width as f64
    }

    fn bed_m(self, x: usize, y: usize) -> f64 {
        let bank = if self.is_in(x, y) { 0.0 } else { BANK_M };
        SLOPE * CELL_M * self.across_along(x, y).1 + bank
    }

    /// Returns the share of the outflow that left uphill, and the stage ten widths from the outlet
    /// over the bed there, m.
    fn measure(self, solver: Solver) -> Result<[f64; 2], BenchError> {
        let plan = self.plan();
        let source = plan.height - 1 - SOURCE_ROWS;
        let sources: Vec<CellPlace> =
            (0..plan.width).filter(|&x| self.is_in(x, source)).map(|x| place(x, source)).collect();
        let discharge = UNIT_DISCHARGE_M2_S * self.width as f64 * CELL_M;
        let mut world = WorldBuilder::new(plan.terrain(|x, y| self.bed_m(x, y))?)
            .settings(settings(solver, MANNING_N))
            .edge("open", EdgePlace::All, EdgeKind::Open)
            .inflow("river", &[(0.0, discharge)], &sources)?
            .build()?;
        run(&mut world, END_S)?;
        let out = out_by_side(&world)?;
        let uphill = (out.iter().sum::<f64>() - out[2]) / out.iter().sum::<f64>();
        Ok([uphill, self.stage_m(&world)])
    }

    /// Returns the mean depth of the river's cells within a width of ten widths from the outlet, m.
    fn stage_m(self, world: &thalweg::world::World) -> f64 {
        let plan = self.plan();
        let far = 10.0 * self.width as f64;
        let is_there = |&(x, y): &(usize, usize)| {
            self.is_in(x, y) && (self.across_along(x, y).1 - far).abs() <= self.width as f64
        };
        let cells = (0..plan.height).flat_map(|y| (0..plan.width).map(move |x| (x, y)));
        let depths: Vec<f64> = cells
            .filter(is_there)
            .filter_map(|(x, y)| world.water().depth_m(place(x, y)))
            .collect();
        depths.iter().sum::<f64>() / depths.len() as f64
    }
}

fn measure(context: &Context) -> BenchResult {
    let normal_m =
        UniformFlow { manning_n: MANNING_N, slope: SLOPE, discharge_m2_s: UNIT_DISCHARGE_M2_S }
            .depth_m();
    let (mut most, mut farthest) = ([(0.0, String::new()), (0.0, String::new())], 0);
    let mut all = Vec::new();
    for (name, solver) in SOLVERS {
        for width in WIDTHS {
            for degrees in ANGLES {
                let near = River { width, degrees, farther: 0 };
                let far = River { farther: 100, ..near };
                let [uphill, stage] = near.measure(solver)?;
                let [_, beyond] = far.measure(solver)?;
                let case = format!(
                    "{name}, {width} cells at {degrees}°: {:.2} % uphill, {:+.1} cm of the longer \
                     map, {:+.1} cm of normal depth",
                    100.0 * uphill,
                    100.0 * (stage - beyond),
                    100.0 * (stage - normal_m)
                );
                if context.is_verbose {
                    all.push(case.clone());
                }
                for (most, value) in most.iter_mut().zip([uphill, (stage - beyond).abs()]) {
                    if value >= most.0 {
                        *most = (value, case.clone());
                    }
                }
                farthest = farthest.max(far.plan().cells());
            }
        }
    }
    let [mut uphill, stage] = most;
    if context.is_verbose {
        uphill.1 = all.join("; ");
    }
    Ok(vec![
        Measurement::new("edge.slant", uphill.0, "1")
            .target("<= 0.01")
            .cells(farthest)
            .note(uphill.1),
        Measurement::new("edge.slant_stage", stage.0, "m")
            .target("<= 0.05")
            .cells(farthest)
            .note(stage.1),
    ])
}
