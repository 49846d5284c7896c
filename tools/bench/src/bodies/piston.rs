//! A piston across a channel that is pushed into still water: a bore runs ahead of it.
//!
//! ```text
//!        piston →        bore →              ahead of the piston: depth h₁, velocity u
//! ≈≈≈≈≈≈≈≈┌──┐▒▒▒▒▒▒▒▒▒▒▒▒▒▒┐                mass       c (h₁ − h₀) = u h₁
//!         │  │▒▒▒▒▒▒▒▒▒▒▒▒▒▒└───────────     momentum   c = √(½ g h₁ (h₁ + h₀) / h₀)
//! ────────┴──┴──────────────────────────
//! ```
//!
//! The value is the largest deviation of the discharge past a section, of the depth and of the
//! bore's speed from these.

use crate::bodies::boxes::held;
use crate::suite::{Bench, BenchError, BenchResult, Context};
use crate::table::Measurement;
use crate::world::{WorldPlan, check_books, column_depth_m};
use thalweg::body::{Body, Motion};
use thalweg::glam::DVec3;
use thalweg::world::{World, WorldBuilder};
use thalweg_engine::sim::schedule::FixedStep;
use thalweg_engine::sim::{Settings, Solver};

/// A piston and its bore.
pub const BENCH: Bench = Bench {
    ids: &["bodies.piston", "bodies.piston_thin"],
    what: "a piston that sweeps 1 m³/s: largest deviation of its bore's discharge, depth and speed",
    is_long: false,
    measure,
};

const PLAN: WorldPlan =
    WorldPlan { width: 240, height: 4, cell_m: 1.0, exponent: 20, datum_m: 0.0 };
const GRAVITY: f64 = 9.81;
const SOLVERS: [Solver; 2] = [Solver::Pipe, Solver::ShallowWater];
const STILL_M: f64 = 0.5;
/// Speed of the piston: with 4 m of width and 0.5 m of water it sweeps 1 m³/s.
const SPEED_M_S: f64 = 0.5;
/// First place of its front, m.
const START_M: f64 = 30.0;
const CYCLES_PER_S: u32 = 60;
/// A section that the bore has passed before, and the piston never reaches.
const SECTION: u32 = 64;
/// Times between which it is measured, s.
const LOOK_S: [u32; 2] = [25, 45];

/// Returns the depth behind the bore and its speed.
fn bore() -> [f64; 2] {
    let speed = |depth: f64| (0.5 * GRAVITY * depth * (depth + STILL_M) / STILL_M).sqrt();
    let (mut low, mut high) = (STILL_M, 10.0 * STILL_M);
    for _ in 0..80 {
        let depth = f64::midpoint(low, high);
        let excess = speed(depth) * (depth - STILL_M) - SPEED_M_S * depth;
        if excess > 0.0 { high = depth } else { low = depth }
    }
    [low, speed(low)]
}

/// Returns the effects of a piston of some thickness: discharge past the section, depth ahead of
/// the piston, speed of the bore.
fn push(solver: Solver, thick_m: f64) -> Result<[f64; 3], BenchError> {
    let settings = Settings { manning_n: vec![0.0], solver, ..Settings::default() };
    let mut world = WorldBuilder::new(PLAN.terrain(|_, _| 0.0)?)
        .settings(settings)
        .initial_depth(|_| STILL_M)
        .build()?;
    let step = FixedStep::try_new(1, CYCLES_PER_S)?;
    let width = PLAN.height as f64;
    let piston = held(1, [thick_m, width + 2.0, 4.0], [0.0, 0.5 * width, 1.5], 0.0)?;
    let motion = Motion { linear: SPEED_M_S * DVec3::X, ..Motion::default() };
    let [first, last] = LOOK_S.map(|time| time * CYCLES_PER_S);
    let mut seen = [[0.0; 2]; 2];
    for cycle in 1..=last {
        let mut pose = piston.pose;
        let front = START_M + SPEED_M_S * f64::from(cycle) / f64::from(CYCLES_PER_S);
        pose.position.x = front - 0.5 * thick_m;
        world.structures_mut().put_bodies(vec![Body { pose, motion, ..piston.clone() }])?;
        world.run_cycle(step);
        if cycle == first || cycle == last {
            seen[usize::from(cycle == last)] = [beyond_m3(&world), front_m(&world)];
        }
    }
    check_books(&world)?;
    let span = f64::from(LOOK_S[1] - LOOK_S[0]);
    let [flow, speed] = [0, 1].map(|i| (seen[1][i] - seen[0][i]) / span);
    let depths: Vec<f64> = (SECTION..SECTION + 20).map(|x| column_depth_m(&world, x)).collect();
    Ok([flow, depths.iter().sum::<f64>() / depths.len() as f64, speed])
}

/// Returns the water beyond the section, m³.
fn beyond_m3(world: &World) -> f64 {
    let columns = SECTION..u32::try_from(PLAN.width).expect("a short channel");
    columns.map(|x| column_depth_m(world, x)).sum::<f64>() * PLAN.height as f64
}

/// Returns the place of the bore, m: at half of its rise.
fn front_m(world: &World) -> f64 {
    let half = f64::midpoint(STILL_M, bore()[0]);
    let last = u32::try_from(PLAN.width).expect("a short channel") - 2;
    let mut x = last;
    while x > 0 && column_depth_m(world, x) < half {
        x -= 1;
    }
    let [high, low] = [x, x + 1].map(|x| column_depth_m(world, x));
    f64::from(x) + 0.5 + (high - half) / (high - low)
}

fn measure(_: &Context) -> BenchResult {
    let [depth, celerity] = bore();
    let flow = SPEED_M_S * depth * PLAN.height as f64;
    let mut rows = Vec::new();
    for (id, thick) in [("bodies.piston", [2.3, 3.7]), ("bodies.piston_thin", [0.3, 1.0])] {
        let (mut worst, mut told) = (0.0_f64, Vec::new());
        for (solver, thick_m) in SOLVERS.into_iter().flat_map(|s| thick.map(|thick| (s, thick))) {
            let (found, exact) = (push(solver, thick_m)?, [flow, depth, celerity]);
            let parts: [f64; 3] = std::array::from_fn(|i| found[i] / exact[i] - 1.0);
            // Virtual pipes carry no momentum: their bore is different.
            if solver == Solver::ShallowWater {
                worst = parts.iter().fold(worst, |worst, part| worst.max(part.abs()));
            }
            let [flow, depth, speed] = parts;
            told.push(format!("{thick_m} m {solver:?} {flow:+.4} {depth:+.4} {speed:+.4}"));
        }
        let note = format!(
            "{SPEED_M_S} m/s into {STILL_M} m of water; ledger exact; discharge, depth and speed \
             of the bore, shallow water counts: {}",
            told.join("; ")
        );
        let row = Measurement::new(id, worst, "1").target("<= 0.01");
        rows.push(row.cells(PLAN.cells()).note(note));
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bore_keeps_mass_and_momentum() {
        let [depth, celerity] = bore();
        assert!((celerity * (depth - STILL_M) - SPEED_M_S * depth).abs() < 1.0e-9);
        // The water receives the force of the pressure.
        let force = 0.5 * GRAVITY * (depth * depth - STILL_M * STILL_M);
        assert!((force - celerity * STILL_M * SPEED_M_S).abs() < 1.0e-9);
    }
}
