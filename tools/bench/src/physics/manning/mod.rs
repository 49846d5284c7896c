//! Uniform flow against Manning's law `q = √S h^(5/3) / n`, 1 mm to 10 m deep, slopes 0.0001 to
//! 0.1, along an axis and obliquely, at any step.
//!
//! ```text
//! face    the discharge law alone, depth and slope held fixed, at every step and cell width
//! ring    the whole kernel on one tile that is its own neighbour on all sides: the mean of its
//!         integer transfers, from rest
//! plane   a world with an inflow and an open edge: the depth half-way down
//! ```

mod face;
mod plane;
mod ring;

use crate::suite::{Bench, BenchError, BenchResult, Context};
use crate::table::Measurement;
use rayon::prelude::*;
use thalweg_engine::sim::Solver;

/// Worst relative error of uniform flow.
pub const BENCH: Bench = Bench {
    ids: &["physics.manning"],
    what: "worst relative error of uniform flow against Manning",
    is_long: false,
    measure,
};

const MANNING: f64 = 0.03;
const GRAVITY: f64 = 9.81;
const EXPONENT: i32 = 20;
const DEPTHS_M: [f64; 5] = [0.001, 0.01, 0.1, 1.0, 10.0];
const SLOPES: [f64; 4] = [0.0001, 0.001, 0.01, 0.1];
const DEGREES: [f64; 3] = [0.0, 30.0, 45.0];

/// One uniform flow.
#[derive(Debug, Clone, Copy, PartialEq)]
struct ManningFlow {
    depth_m: f64,
    slope: f64,
    /// Direction of the fall, degrees from the east.
    degrees: f64,
    cell_m: f64,
    /// Δt·(|u| + |v| + √(2 g h))/Δ of the uniform flow.
    courant: f64,
    solver: Solver,
}

impl ManningFlow {
    /// Returns the metres in a vertical unit.
    fn unit_m() -> f64 {
        0.5_f64.powi(EXPONENT)
    }

    /// Returns the fall of the bed eastward and northward, m/m.
    fn falls(&self) -> (f64, f64) {
        let (sin, cos) = self.degrees.to_radians().sin_cos();
        (self.slope * cos, self.slope * sin)
    }

    /// Returns Manning's discharge, m²/s.
    fn normal_q(&self) -> f64 {
        self.slope.sqrt() * self.depth_m.powf(5.0 / 3.0) / MANNING
    }

    fn step_s(&self) -> f64 {
        let u = self.normal_q() / self.depth_m;
        let (sin, cos) = self.degrees.to_radians().sin_cos();
        let speed = u * (sin + cos) + (2.0 * GRAVITY * self.depth_m).sqrt();
        self.courant * self.cell_m / speed
    }

    /// Returns the steps from rest until tanh(t/T), T = u/(g S), is 1 to 10⁻⁵. Beyond a Courant
    /// number of 0.9 of its waves time runs slower in a flow, by the square.
    fn steps_to_equilibrium(&self) -> f64 {
        let scale_s = self.normal_q() / self.depth_m / (GRAVITY * self.slope);
        let waves = (2.0 * GRAVITY * self.depth_m).sqrt() * self.step_s() / self.cell_m;
        let slowness = (waves / 0.9).powi(2).max(1.0);
        (6.0 * scale_s * slowness / self.step_s()).max(400.0)
    }

    /// Returns whether water crosses at most a cell in a step; nothing can be faster.
    fn is_within_a_cell(&self) -> bool {
        let (sin, cos) = self.degrees.to_radians().sin_cos();
        let speed = self.normal_q() / self.depth_m * sin.max(cos);
        speed * self.step_s() <= self.cell_m
    }
}

impl std::fmt::Display for ManningFlow {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { depth_m, slope, degrees, cell_m, courant, .. } = self;
        write!(
            f,
            "{depth_m} m deep, slope {slope}, {degrees}°, {cell_m} m cells, Courant {courant}"
        )
    }
}

/// Results of one flow.
struct ManningResult {
    what: &'static str,
    flow: ManningFlow,
    error: f64,
    /// Side results in words.
    note: String,
}

fn flows(solver: Solver, cells_m: &[f64], courants: &[f64]) -> Vec<ManningFlow> {
    let mut flows = Vec::new();
    for depth_m in DEPTHS_M {
        for slope in SLOPES {
            for degrees in DEGREES {
                for &cell_m in cells_m {
                    let flow =
                        |&courant| ManningFlow { depth_m, slope, degrees, cell_m, courant, solver };
                    flows.extend(courants.iter().map(flow));
                }
            }
        }
    }
    flows
}

fn measure(context: &Context) -> BenchResult {
    let all = |what,
               flows: Vec<ManningFlow>,
               run: fn(&ManningFlow) -> Result<(f64, String), BenchError>| {
        let found = flows.into_par_iter().map(|flow| {
            let (error, note) = run(&flow)?;
            Ok(ManningResult { what, flow, error, note })
        });
        found.collect::<Result<Vec<ManningResult>, BenchError>>()
    };
    let mut faces = flows(context.solver, &[1.0, 10.0, 100.0], &[0.1, 0.5, 0.9, 2.0, 8.0]);
    faces.retain(ManningFlow::is_within_a_cell);
    let mut found = all("face", faces, face::error)?;
    let ring =
        flows(context.solver, &[1.0, 10.0], &[0.5]).into_iter().filter(ring::is_short).collect();
    found.extend(all("ring", ring, ring::error)?);
    let axis = |flow: &ManningFlow| flow.degrees == 0.0;
    let planes = flows(context.solver, &[10.0], &[0.5]).into_iter().filter(axis).collect();
    found.extend(all("plane", planes, plane::error)?);
    Ok(vec![table(found, context.is_verbose)])
}

/// Makes a row of the worst of `found`, with the rest in the note.
fn table(mut found: Vec<ManningResult>, is_verbose: bool) -> Measurement {
    // A NaN is the worst of all.
    found.sort_by(|a, b| b.error.abs().total_cmp(&a.error.abs()));
    let worst = found.first().map_or(f64::NAN, |first| first.error.abs());
    let mut note = format!("{} flows;", found.len());
    for what in ["face", "ring", "plane"] {
        let of_kind = || found.iter().filter(|f| f.what == what);
        if let Some(first) = of_kind().next() {
            let missed = of_kind().filter(|f| f.error.abs() > 0.005).count();
            let count = of_kind().count();
            note +=
                &format!(" {what}: worst {:+.4}, {missed} of {count} beyond 0.005;", first.error);
        }
    }
    let shown = if is_verbose { found.len() } else { 3 };
    for ManningResult { what, flow, error, note: side } in found.iter().take(shown) {
        note += &format!("\n{error:+.5} {what}: {flow}{side}");
    }
    Measurement::new("physics.manning", worst, "1").target("<= 0.005").note(note)
}
