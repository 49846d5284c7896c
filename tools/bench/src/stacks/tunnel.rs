//! A flooded tunnel between two lakes, and one that fills.
//!
//! ```text
//!  ≈≈10 m≈≈                        q = a √(2 g ΔH / (K_in + K_out + 2 g n² L / R^(4/3)))
//!         ▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓
//!         ═══════════════════≈≈ tail    a = 1.5 m, R = a/2, K_in = 0.5, K_out = (1 − a/h)²
//!  ────┐  ▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓  ┌────
//! ```

use crate::suite::{Bench, BenchError, BenchResult, Context};
use crate::table::Measurement;
use crate::world::{WorldPlan, check_books, place};
use thalweg::units::SimTime;
use thalweg::world::{EdgeKind, EdgePlace, Voids, World, WorldBuilder};
use thalweg_engine::grid::Side;
use thalweg_engine::sim::{Settings, Solver};

/// Discharge through a flooded tunnel.
pub const BENCH: Bench = Bench {
    ids: &["stacks.tunnel", "stacks.tunnel_swe", "stacks.tunnel_fills"],
    what: "a flooded tunnel between two lakes: discharge over Manning's with its losses, the worst \
           of four, with either solver; a tunnel that fills slowly: largest change of discharge in \
           a cycle over the rise of the inflow",
    is_long: false,
    measure,
};

const GRAVITY: f64 = 9.81;
/// Stage of the upper lake, bed of both, height of the tunnel, m.
const LAKE_M: f64 = 10.0;
const BED_M: f64 = -6.0;
const HEIGHT_M: f64 = 1.5;
/// Columns of each lake.
const LAKE: usize = 8;

/// Length of a tunnel in cells of 1 m, Manning's n, and the tail, m.
const CASES: [(usize, f64, f64); 4] =
    [(100, 0.015, 3.0), (100, 0.015, 6.0), (30, 0.015, 3.0), (100, 0.03, 3.0)];

/// Makes a lake that springs fill, a tunnel, and a tail of fixed stage.
fn world(solver: Solver, case: (usize, f64, f64)) -> Result<World, BenchError> {
    let (length, n, tail_m) = case;
    let width = 2 * LAKE + length;
    let plan = WorldPlan { width, height: 2, cell_m: 1.0, exponent: 20, datum_m: -10.0 };
    let is_lake = move |x: usize| !(LAKE..LAKE + length).contains(&x);
    let mut voids = Voids::new();
    voids.carve(place(LAKE, 0), place(LAKE + length, 2), [0.0, HEIGHT_M]);
    let settings = Settings { manning_n: vec![n], solver, ..Settings::default() };
    let cells: Vec<_> = (0..LAKE).flat_map(|x| [place(x, 0), place(x, 1)]).collect();
    let tail = EdgeKind::Stage(vec![(0.0, tail_m)]);
    Ok(WorldBuilder::new(plan.terrain(|x, _| if is_lake(x) { BED_M } else { 40.0 })?)
        .settings(settings)
        .initial_stage(move |at| match at.x as usize {
            x if x < LAKE => LAKE_M,
            x if is_lake(x) => tail_m,
            _ => f64::NAN,
        })
        .voids(voids)
        .initial_stage_below(move |_, _| tail_m)
        .inflow("springs", &[(0.0, 2.0 * textbook_m2_s(case, LAKE_M))], &cells)?
        .edge("tail", EdgePlace::Side(Side::East), tail)
        .build()?)
}

/// Returns the discharge from a lake at this stage, m²/s.
fn textbook_m2_s((length, n, tail_m): (usize, f64, f64), lake_m: f64) -> f64 {
    let rough = 2.0 * GRAVITY * n * n * length as f64 / (0.5 * HEIGHT_M).powf(4.0 / 3.0);
    let exit = (1.0 - HEIGHT_M / (tail_m - BED_M)).powi(2);
    HEIGHT_M * (2.0 * GRAVITY * (lake_m - tail_m) / (0.5 + exit + rough)).sqrt()
}

/// Returns the discharge over the textbook's under the resulting lake.
fn ratio(solver: Solver, case: (usize, f64, f64)) -> Result<f64, BenchError> {
    let mut world = world(solver, case)?;
    let middle = place(LAKE + case.0 / 2, 0);
    let (mut sum, mut expected) = (0.0, 0.0);
    for second in 1..=180 {
        world.run_until(SimTime::from_seconds(f64::from(second)));
        if second > 120 {
            let lake_m = world.water().stage_m(place(0, 0)).ok_or("the lake is dry")?;
            sum += world.stacks().intervals_at(middle)[0].flow_m2_s[0];
            expected += textbook_m2_s(case, lake_m);
        }
    }
    check_books(&world)?;
    Ok(sum / expected)
}

/// Runs a tunnel on a slope whose inflow rises until it is full and beyond: returns the largest
/// change of its discharge in 0.1 s, over the discharge of the full tunnel.
fn fills() -> Result<f64, BenchError> {
    let (slope, n, head, length) = (0.002, 0.02, 40, 100);
    let width = head + length + 20;
    let plan = WorldPlan { width, height: 2, cell_m: 1.0, exponent: 20, datum_m: -10.0 };
    let bed = move |x: usize| -slope * (x as f64 + 0.5);
    let in_tunnel = move |x: usize| (head..head + length).contains(&x);
    let mut voids = Voids::new();
    for x in head..head + length {
        voids.carve(place(x, 0), place(x + 1, 2), [bed(x), bed(x) + 1.0]);
    }
    let cells = [place(0, 0), place(0, 1)];
    let end_m = bed(width - 1);
    let mut world =
        WorldBuilder::new(plan.terrain(|x, _| bed(x) + if in_tunnel(x) { 10.0 } else { 0.0 })?)
            .settings(Settings { manning_n: vec![n], ..Settings::default() })
            .initial_depth(move |at| if in_tunnel(at.x as usize) { 0.0 } else { 0.3 })
            .voids(voids)
            .initial_stage_below(|_, [bed_m, _]| bed_m + 0.3)
            .inflow("river", &[(0.0, 0.6), (750.0, 6.6)], &cells)?
            .edge("end", EdgePlace::Side(Side::East), EdgeKind::Stage(vec![(0.0, end_m + 0.5)]))
            .build()?;
    let mut before: Option<Vec<f64>> = None;
    let mut most = 0.0_f64;
    for tenth in 1..=9000_u32 {
        world.run_until(SimTime::from_seconds(f64::from(tenth) * 0.1));
        let flows: Vec<f64> = (head + 1..head + length)
            .map(|x| world.stacks().intervals_at(place(x, 0))[0].flow_m2_s[0])
            .collect();
        if let Some(before) = before.filter(|_| tenth > 1500) {
            let changes = flows.iter().zip(&before).map(|(now, before)| (now - before).abs());
            most = most.max(changes.fold(0.0, f64::max));
        }
        before = Some(flows);
    }
    check_books(&world)?;
    let full = 0.5_f64.powf(2.0 / 3.0) * f64::sqrt(slope) / n;
    Ok(most / full)
}

fn measure(_: &Context) -> BenchResult {
    let mut lines = Vec::new();
    for (id, solver) in [(0, Solver::Pipe), (1, Solver::ShallowWater)] {
        let mut worst = 1.0_f64;
        for case in CASES {
            let ratio = ratio(solver, case)?;
            if (ratio - 1.0).abs() > (worst - 1.0).abs() {
                worst = ratio;
            }
        }
        let line = Measurement::new(BENCH.ids[id], worst, "x");
        lines.push(line.target("0.96..1.04").cells(100));
    }
    lines.push(Measurement::new(BENCH.ids[2], fills()?, "x").cells(100));
    Ok(lines)
}
