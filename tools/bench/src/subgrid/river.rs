//! A river 12 m wide and 3 m deep, through cells of 8 to 64 m.
//!
//! ```text
//! west   inflow of 30 m³/s into seven metres of the river, from the first moment on
//! x      128, 256, 384 m: stages of the cells that hold the river's middle
//! east   open; the last 64 m run straight towards it
//! ```
//!
//! A dry valley of 512 × 192 m that falls by 1 in 1000 to the east, meanders of 256 m, rough banks.
//! The result of each size of cells is compared with that of cells of 1 m in the same run. The
//! flood arrives when half the inflow leaves in the east.
//!
//! Source:     own.

use crate::accuracy::case::percent;
use crate::subgrid::columns::{CoarseColumns, KINDS, above, stage_m, with_columns};
use crate::suite::{Bench, BenchError, BenchResult, Context};
use crate::table::Measurement;
use crate::world::{WorldPlan, check_books, noise, out_m3};
use std::f64::consts::TAU;
use thalweg::units::SimTime;
use thalweg::world::{EdgeKind, EdgePlace, World, WorldBuilder};
use thalweg_engine::grid::Side;
use thalweg_engine::sim::{Settings, Solver};

/// Stages, discharge, stored water and arrival.
pub const BENCH: Bench = Bench {
    ids: &[
        "subgrid.river",
        "subgrid.river.discharge",
        "subgrid.river.stored",
        "subgrid.river.arrival",
    ],
    what: "a river 12 m wide through cells of 8 to 64 m: worst errors against cells of 1 m",
    is_long: true,
    measure,
};

const PLAN: WorldPlan =
    WorldPlan { width: 512, height: 192, cell_m: 1.0, exponent: 20, datum_m: 0.0 };
const LEVELS: [u8; 4] = [3, 4, 5, 6];
const SLOPE: f64 = 0.001;
const WIDTH_M: f64 = 12.0;
const DEPTH_M: f64 = 3.0;
/// Amplitude and length of the meanders, m.
const SWING_M: f64 = 45.0;
const WAVE_M: f64 = 256.0;
/// Start of the straight part of the river, m: it runs to the east.
const STRAIGHT_M: f64 = 448.0;
const MANNING: f64 = 0.03;
const INFLOW_M3_S: f64 = 30.0;
/// Time simulated, s.
pub const END_S: f64 = 2400.0;
/// Time between two reads of the outflow, s.
const LOOK_S: f64 = 5.0;
/// Number of reads at the end that count as steady.
const STEADY_LOOKS: usize = 20;
/// Places where stages are compared, m from the west.
const STATIONS_M: [f64; 3] = [128.0, 256.0, 384.0];

/// Returns the middle of the river, m from the south, and its lean.
fn middle_m(x_m: f64) -> (f64, f64) {
    let phase = TAU * x_m.min(STRAIGHT_M) / WAVE_M;
    let middle = 0.5 * PLAN.height as f64 + SWING_M * phase.sin();
    (middle, SWING_M * TAU / WAVE_M * phase.cos())
}

fn bed_m(x: usize, y: usize) -> f64 {
    let (x_m, y_m) = (x as f64 + 0.5, y as f64 + 0.5);
    let (middle, lean) = middle_m(x_m);
    let away = (y_m - middle).abs() / lean.hypot(1.0);
    let plain = 10.0 - SLOPE * x_m + 0.004 * away;
    if away < 0.5 * WIDTH_M {
        plain - DEPTH_M * (1.0 - (2.0 * away / WIDTH_M).powi(4))
    } else {
        // 5 cm as a standard deviation.
        plain + 0.05 * 12.0_f64.sqrt() * (noise(1, x as i64, y as i64) - 0.5)
    }
}

/// Returns the finest cell in the river's middle.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "inside the valley")]
fn station(x_m: f64) -> (usize, usize) {
    (x_m as usize, middle_m(x_m).0 as usize)
}

/// Values of a run.
struct RiverResult {
    outflow_m3_s: f64,
    arrival_s: f64,
    stored_m3: f64,
    stages_m: [f64; 3],
}

impl RiverResult {
    /// Returns the errors of another run: the first three as parts.
    fn errors(&self, other: &Self) -> RiverErrors {
        let stages_m = [0, 1, 2].map(|i| other.stages_m[i] - self.stages_m[i]);
        RiverErrors {
            discharge: other.outflow_m3_s / self.outflow_m3_s - 1.0,
            stored: other.stored_m3 / self.stored_m3 - 1.0,
            arrival: other.arrival_s / self.arrival_s - 1.0,
            stages_m,
        }
    }
}

struct RiverErrors {
    discharge: f64,
    stored: f64,
    arrival: f64,
    stages_m: [f64; 3],
}

impl RiverErrors {
    /// Returns the sizes: the worst stage, discharge, stored water, arrival.
    fn sizes(&self) -> [f64; 4] {
        let stage = self.stages_m.iter().fold(0.0_f64, |worst, e| worst.max(e.abs()));
        [stage, self.discharge.abs(), self.stored.abs(), self.arrival.abs()]
    }
}

/// Makes the dry valley, with cells of a level.
///
/// # Errors
///
/// If the world cannot be built.
pub fn world(level: u8, columns: CoarseColumns, solver: Solver) -> Result<World, BenchError> {
    let (x, y) = station(0.5);
    let mut cells: Vec<_> = (y - 3..=y + 3).map(|y| above(x, y, level)).collect();
    cells.dedup();
    let builder = WorldBuilder::new(PLAN.terrain(bed_m)?)
        .level(level)
        .settings(Settings { solver, manning_n: vec![MANNING], ..Settings::default() })
        .edge("east", EdgePlace::Side(Side::East), EdgeKind::Open)
        .inflow("river", &[(0.0, INFLOW_M3_S)], &cells)?;
    Ok(with_columns(builder, columns).build()?)
}

fn run(level: u8, columns: CoarseColumns, solver: Solver) -> Result<RiverResult, BenchError> {
    let mut world = world(level, columns, solver)?;
    let (mut out, mut rates) = (0.0, vec![0.0]);
    while world.time().seconds() < END_S {
        let next = world.time().seconds() + LOOK_S;
        world.run_until(SimTime::from_seconds(next));
        let now = out_m3(&world, "east");
        rates.push((now - out) / LOOK_S);
        out = now;
    }
    let half = 0.5 * INFLOW_M3_S;
    let passed = rates.windows(2).position(|pair| pair[1] > half);
    // A rate is the mean since the read before: it is valid half-way between them.
    let arrival = passed.map(|at| {
        let part = (half - rates[at]) / (rates[at + 1] - rates[at]);
        (at as f64 - 0.5 + part) * LOOK_S
    });
    let steady = &rates[rates.len() - STEADY_LOOKS..];
    let mut stages_m = [0.0; 3];
    for (stage, x_m) in stages_m.iter_mut().zip(STATIONS_M) {
        let (x, y) = station(x_m);
        let place = above(x, y, level);
        *stage = stage_m(&world, place).or(world.bed_m(place)).ok_or("a station lies outside")?;
    }
    check_books(&world)?;
    Ok(RiverResult {
        outflow_m3_s: steady.iter().sum::<f64>() / steady.len() as f64,
        arrival_s: arrival.unwrap_or(f64::INFINITY),
        stored_m3: world.water().stored() as f64 * world.water().unit_m3(),
        stages_m,
    })
}

fn measure(_: &Context) -> BenchResult {
    let (mut worst, mut lines) = ([0.0_f64; 4], Vec::new());
    for solver in [Solver::Pipe, Solver::ShallowWater] {
        let fine = run(0, CoarseColumns::Flat, solver)?;
        let RiverResult { outflow_m3_s, arrival_s, stored_m3, stages_m } = fine;
        lines.push(format!(
            "{solver:?}, 1 m: {outflow_m3_s:.3} m³/s leave, from {arrival_s:.0} s on, \
             {stored_m3:.0} m³ stay, stages {stages_m:.3?} m"
        ));
        for &columns in KINDS {
            let mut sizes = [0.0_f64; 4];
            for level in LEVELS {
                let errors = fine.errors(&run(level, columns, solver)?);
                lines.push(line(level, columns, solver, &errors));
                let found = errors.sizes();
                sizes.iter_mut().zip(found).for_each(|(most, size)| *most = most.max(size));
            }
            if KINDS.last() == Some(&columns) {
                worst.iter_mut().zip(sizes).for_each(|(most, size)| *most = most.max(size));
            }
        }
    }
    let [stage, discharge, stored, arrival] = worst;
    let [of_stage, of_discharge, of_stored, of_arrival] = BENCH.ids else {
        return Err("four ids".into());
    };
    let row = |id, value, unit, target| {
        Measurement::new(id, value, unit).target(target).cells(PLAN.cells())
    };
    Ok(vec![
        row(of_stage, stage, "m", "<= 0.08").note(lines.join("\n")),
        row(of_discharge, discharge, "1", "<= 0.005"),
        row(of_stored, stored, "1", "<= 0.02"),
        row(of_arrival, arrival, "1", "<= 0.05"),
    ])
}

fn line(level: u8, columns: CoarseColumns, solver: Solver, errors: &RiverErrors) -> String {
    let RiverErrors { discharge, stored, arrival, stages_m } = errors;
    format!(
        "{solver:?}, {columns}, {} m: discharge {}, stored water {}, arrival {}, stages \
         {stages_m:+.3?} m",
        1_u32 << level,
        percent(*discharge),
        percent(*stored),
        percent(*arrival)
    )
}
