//! Weirs and sluice gates over a range of heads.
//!
//! Source: Poleni (1717), Villemonte (1947); energy and momentum at a gate: Rajaratnam &
//!         Subramanya (1967).

use crate::bodies::channel::{SteadyDischarge, WIDTH, across, steady};
use crate::suite::{Bench, BenchResult, Context};
use crate::table::Measurement;
use thalweg::world::{Barrier, Gap, Opening};
use thalweg_engine::sim::Solver;

/// Discharge over a thin weir.
pub const WEIR: Bench = Bench {
    ids: &["bodies.weir"],
    what: "largest deviation from Poleni and Villemonte: heads of 0.06 to 1.5 m, free and drowned",
    is_long: false,
    measure: weir,
};

/// Discharge under a sluice gate.
pub const GATE: Bench = Bench {
    ids: &["bodies.gate"],
    what: "largest deviation from the contracted jet under a gate, free and drowned",
    is_long: false,
    measure: gate,
};

const CREST_M: f64 = 2.0;
const GRAVITY: f64 = 9.81;
const SOLVERS: [Solver; 2] = [Solver::Pipe, Solver::ShallowWater];

/// The largest deviation, and its case.
#[derive(Default)]
struct Worst {
    part: f64,
    case: String,
}

impl Worst {
    fn take(&mut self, part: f64, case: String) {
        if part.abs() > self.part {
            *self = Self { part: part.abs(), case };
        }
    }

    fn measurement(self, id: &'static str, count: usize) -> Measurement {
        let note = format!("{count} steady flows; the largest: {}", self.case);
        Measurement::new(id, self.part, "1").target("<= 0.05").cells(100 * WIDTH).note(note)
    }
}

fn weir_m2_s([up, down]: [f64; 2]) -> f64 {
    let (head, tail) = (up - CREST_M, (down - CREST_M).max(0.0));
    let drowned = (1.0 - (tail / head).powf(1.5)).powf(0.385);
    2.0 / 3.0 * 0.62 * (2.0 * GRAVITY).sqrt() * head.powf(1.5) * drowned
}

fn weir(_: &Context) -> BenchResult {
    let mut worst = Worst::default();
    let cases = [
        (0.03, 0.3),
        (0.1, 0.3),
        (0.3, 0.5),
        (1.0, 1.0),
        (2.0, 1.5),
        (3.0, 1.8),
        (0.3, 2.1),
        (1.0, 2.3),
        (1.0, 2.6),
        (2.0, 2.9),
    ];
    for (solver, (q, tail)) in SOLVERS.into_iter().flat_map(|s| cases.map(|case| (s, case))) {
        let head = (q / 1.831_f64).powf(2.0 / 3.0);
        let up = (CREST_M + head).max(tail + 0.02);
        let flow = steady(solver, Barrier::wall("weir", across(), CREST_M), q, [up, tail])?;
        let SteadyDischarge { discharge_m2_s, stage_m } = flow;
        let part = discharge_m2_s / weir_m2_s(stage_m) - 1.0;
        let [up, down] = stage_m.map(|stage| stage - CREST_M);
        let case =
            format!("{part:+.3} at {up:.3} m over the crest, {down:.3} m behind, {solver:?}");
        worst.take(part, case);
    }
    Ok(vec![worst.measurement("bodies.weir", 2 * cases.len())])
}

/// Returns the discharge under a gate by energy to the jet and momentum behind it, found by
/// bisection.
fn gate_m2_s(open: f64, [up, down]: [f64; 2]) -> f64 {
    let jet = 0.61 * open;
    let free = jet * (2.0 * GRAVITY * up).sqrt() / (1.0 + jet / up).sqrt();
    // Depth over the jet that momentum behind it needs, less the depth that energy leaves.
    let excess = |q: f64| {
        let x = q * q / GRAVITY;
        let over = (down * down + 2.0 * x * (1.0 / down - 1.0 / jet)).max(0.0).sqrt();
        over - (up - 0.5 * x * (1.0 / (jet * jet) - 1.0 / (up * up)))
    };
    if down <= jet || excess(free) < 0.0 {
        return free;
    }
    let (mut low, mut high) = (0.0, free);
    for _ in 0..80 {
        let middle = 0.5 * (low + high);
        if excess(middle) < 0.0 { low = middle } else { high = middle }
    }
    low
}

fn gate(_: &Context) -> BenchResult {
    let mut worst = Worst::default();
    let cases = [
        (0.25, 0.5, 0.15),
        (0.25, 1.0, 0.15),
        (0.5, 1.0, 0.2),
        (0.5, 2.0, 0.3),
        (0.5, 1.0, 1.5),
        (0.5, 1.5, 2.5),
        (1.0, 3.0, 0.5),
        (1.0, 2.0, 2.5),
    ];
    for (solver, case) in SOLVERS.into_iter().flat_map(|s| cases.map(|case| (s, case))) {
        let (open, q, tail) = case;
        let gap = Gap { sill_m: None, opening: Opening::Fixed(open) };
        let gate = Barrier { gap: Some(gap), ..Barrier::wall("gate", across(), 15.0) };
        let head = (q / (0.55 * open)).powi(2) / (2.0 * GRAVITY);
        let flow = steady(solver, gate, q, [head.max(tail + 0.1), tail])?;
        let part = flow.discharge_m2_s / gate_m2_s(open, flow.stage_m) - 1.0;
        let [up, down] = flow.stage_m;
        worst.take(
            part,
            format!("{part:+.3} at {open} m open, {up:.2} m to {down:.2} m, {solver:?}"),
        );
    }
    Ok(vec![worst.measurement("bodies.gate", 2 * cases.len())])
}
