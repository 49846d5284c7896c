//! A storm on a slope of 2 %, through cells of 4 to 16 m.
//!
//! ```text
//! west   256 m of hill, 50 mm/h for a quarter of an hour; n = 0.05
//! east   open, and north where the hill falls to it: the hydrograph
//! ```
//!
//! Water runs a centimetre or two deep, over ground that falls by eight to thirty centimetres in a
//! cell. The hill falls along the grid, at 30° to it, or along it with a relief of 2 cm, which
//! retains a part of the rain and counts apart. Peak and time of the hydrograph, its mean and the
//! time when half of its peak is reached, are compared with the values of cells of 1 m of the same
//! run.
//!
//! Source:     own.

use crate::accuracy::case::percent;
use crate::subgrid::columns::{CoarseColumns, KINDS, with_columns};
use crate::suite::{Bench, BenchError, BenchResult, Context};
use crate::table::Measurement;
use crate::world::{WorldPlan, check_books, noise, out_m3};
use thalweg::units::SimTime;
use thalweg::world::{EdgeKind, EdgePlace, WorldBuilder};
use thalweg_engine::grid::Side;
use thalweg_engine::sim::{Settings, Solver};

/// Peak and time of runoff.
pub const BENCH: Bench = Bench {
    ids: &["subgrid.runoff", "subgrid.runoff.angle", "subgrid.runoff.relief"],
    what: "a storm on a slope of 2 %, cells of 4 to 16 m against 1 m: worst error of the \
           hydrograph's peak and times; along the grid, at 30°, with relief",
    is_long: true,
    measure,
};

const PLAN: WorldPlan =
    WorldPlan { width: 256, height: 64, cell_m: 1.0, exponent: 20, datum_m: 0.0 };
const LEVELS: [u8; 3] = [2, 3, 4];
const SLOPE: f64 = 0.02;
const MANNING: f64 = 0.05;
const RAIN_MM_H: f64 = 50.0;
const RAIN_S: f64 = 900.0;
const END_S: f64 = 5400.0;
/// Time between two reads of the outflow, s.
const LOOK_S: f64 = 20.0;

/// A hill: its angle to the grid, and its relief as a standard deviation.
struct Hill {
    name: &'static str,
    lean: f64,
    relief_m: f64,
}

const HILLS: [Hill; 3] = [
    Hill { name: "along the grid", lean: 0.0, relief_m: 0.0 },
    Hill { name: "at 30°", lean: 30.0, relief_m: 0.0 },
    Hill { name: "with relief", lean: 0.0, relief_m: 0.02 },
];

impl Hill {
    /// Returns the law of the north side: open if the hill falls to it.
    fn north(&self) -> EdgeKind {
        if self.lean > 0.0 { EdgeKind::Open } else { EdgeKind::Wall }
    }

    fn bed_m(&self, x: usize, y: usize) -> f64 {
        let (sin, cos) = self.lean.to_radians().sin_cos();
        let relief = self.relief_m * 12.0_f64.sqrt() * (noise(1, x as i64, y as i64) - 0.5);
        20.0 - SLOPE * (cos * x as f64 + sin * y as f64) + relief
    }
}

/// The hydrograph in three numbers.
struct RunoffHydrograph {
    /// Largest discharge, m³/s.
    peak_m3_s: f64,
    /// Mean time of the outflow, and time when half of the peak is reached, s.
    times_s: [f64; 2],
}

fn run(
    hill: &Hill,
    level: u8,
    columns: CoarseColumns,
    solver: Solver,
) -> Result<RunoffHydrograph, BenchError> {
    let builder = WorldBuilder::new(PLAN.terrain(|x, y| hill.bed_m(x, y))?)
        .level(level)
        .settings(Settings { solver, manning_n: vec![MANNING], ..Settings::default() })
        .edge("east", EdgePlace::Side(Side::East), EdgeKind::Open)
        .edge("north", EdgePlace::Side(Side::North), hill.north())
        .rain("storm", &[(0.0, RAIN_MM_H / 3.6e6), (RAIN_S, 0.0)])?;
    let mut world = with_columns(builder, columns).build()?;
    let (mut out, mut rates, mut moment) = (0.0, vec![0.0], 0.0);
    while world.time().seconds() < END_S {
        let next = world.time().seconds() + LOOK_S;
        world.run_until(SimTime::from_seconds(next));
        let now = out_m3(&world, "east") + out_m3(&world, "north");
        moment += (now - out) * (next - 0.5 * LOOK_S);
        rates.push((now - out) / LOOK_S);
        out = now;
    }
    check_books(&world)?;
    let peak_m3_s = rates.iter().copied().fold(0.0, f64::max);
    let half = 0.5 * peak_m3_s;
    let at = rates.windows(2).position(|pair| pair[1] > half).ok_or("nothing runs off")?;
    let part = (half - rates[at]) / (rates[at + 1] - rates[at]);
    Ok(RunoffHydrograph { peak_m3_s, times_s: [moment / out, (at as f64 - 0.5 + part) * LOOK_S] })
}

/// Runs a hill with both solvers; returns the worst error of sub-grid columns, and the results in
/// words.
fn compare(hill: &Hill) -> Result<(f64, Vec<String>), BenchError> {
    let (mut worst, mut lines) = (0.0_f64, Vec::new());
    for solver in [Solver::Pipe, Solver::ShallowWater] {
        let fine = run(hill, 0, CoarseColumns::Flat, solver)?;
        let [mean, half] = fine.times_s;
        lines.push(format!(
            "{solver:?}, {}, 1 m: peak {:.4} m³/s, mean time {mean:.0} s, half of the peak at \
             {half:.0} s",
            hill.name, fine.peak_m3_s
        ));
        for (&columns, level) in KINDS.iter().flat_map(|kind| LEVELS.map(|level| (kind, level))) {
            let seen = run(hill, level, columns, solver)?;
            let peak = seen.peak_m3_s / fine.peak_m3_s - 1.0;
            let [mean, half] = [0, 1].map(|i| seen.times_s[i] / fine.times_s[i] - 1.0);
            lines.push(format!(
                "{solver:?}, {}, {columns}, {} m: peak {}, mean time {}, half of the peak {}",
                hill.name,
                1_u32 << level,
                percent(peak),
                percent(mean),
                percent(half)
            ));
            if KINDS.last() == Some(&columns) {
                worst = [peak, mean, half].iter().fold(worst, |most, error| most.max(error.abs()));
            }
        }
    }
    Ok((worst, lines))
}

fn measure(_: &Context) -> BenchResult {
    let row = |(hill, &id): (&Hill, &'static &'static str)| {
        let (worst, lines) = compare(hill)?;
        let row = Measurement::new(id, 100.0 * worst, "%").cells(PLAN.cells());
        let row = row.note(lines.join("\n"));
        Ok(if hill.relief_m > 0.0 { row } else { row.target("<= 5") })
    };
    HILLS.iter().zip(BENCH.ids).map(row).collect()
}
