//! Two basins joined by a flooded tunnel: water that swings from one to the other.
//!
//! ```text
//!  ~~~~                         crates as lids, their undersides 1 m above the ground
//!  │  │█████████████████████│  │
//!  │  │█████████████████████│~~│   T = 2π √((L + Δ) / (g (1/w₁ + 1/w₂)))
//!  │  └─────────────────────┘  │
//!  └───────────────────────────┘   L length of the tunnel, w widths of the basins, Δ a cell
//! ```
//!
//! Without friction the stages swing for ever; the losses at the ends of the tunnel take less than
//! a hundredth of such a small swing.

use crate::bodies::boxes::held;
use crate::suite::{Bench, BenchError, BenchResult, Context};
use crate::table::Measurement;
use crate::world::{WorldPlan, check_books, column_depth_m};
use std::f64::consts::TAU;
use thalweg::world::{World, WorldBuilder};
use thalweg_engine::sim::Settings;
use thalweg_engine::sim::schedule::FixedStep;

/// The swing of the water in a U-tube of crates.
pub const BENCH: Bench = Bench {
    ids: &["bodies.u_tube", "bodies.u_tube_kept", "bodies.u_tube_long", "bodies.u_tube_long_kept"],
    what: "two basins joined by a tunnel of 40 and of 160 cells under crates: period over the \
           textbook's, amplitude kept after three periods",
    is_long: false,
    measure,
};

const GRAVITY: f64 = 9.81;
/// Stage of both basins, rise of one of them above it, and the height of the tunnel, m.
pub const STILL_M: f64 = 5.0;
pub const RISE_M: f64 = 0.3;
pub const TUNNEL_M: f64 = 1.0;
const CYCLES_PER_S: u32 = 20;

/// Returns whole cycles in a time.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "some hundreds")]
fn cycles_of(time_s: f64) -> usize {
    (time_s * f64::from(CYCLES_PER_S)) as usize
}

/// Returns the period over the textbook's, and the part of the amplitude kept after three periods.
fn swing(length: usize) -> Result<[f64; 2], BenchError> {
    let plan = WorldPlan { width: length + 2, height: 2, cell_m: 1.0, exponent: 20, datum_m: 0.0 };
    let last = u32::try_from(length + 1)?;
    let depth = move |x: u32| match x {
        0 => STILL_M + RISE_M,
        x if x == last => STILL_M,
        _ => TUNNEL_M,
    };
    let mut world = WorldBuilder::new(plan.terrain(|_, _| 0.0)?)
        .settings(Settings { manning_n: vec![0.0], ..Settings::default() })
        .initial_depth(move |place| depth(place.x))
        .build()?;
    let high_m = 20.0;
    let lid = |x: usize| {
        let at = [x as f64 + 0.5, 1.0, TUNNEL_M + 0.5 * high_m];
        held(x as u64, [1.0, 2.0, high_m], at, 0.0)
    };
    let lids = (1..=length).map(lid).collect::<Result<Vec<_>, BenchError>>()?;
    world.structures_mut().put_bodies(lids)?;
    swing_in(world, length)
}

/// Returns the period over the textbook's, and the part of the amplitude kept after three periods,
/// in a world with a tunnel of `length` cells.
pub fn swing_in(mut world: World, length: usize) -> Result<[f64; 2], BenchError> {
    let step = FixedStep::try_new(1, CYCLES_PER_S)?;
    let textbook_s = TAU * ((length as f64 + 1.0) / (2.0 * GRAVITY)).sqrt();
    let cycles = cycles_of(3.6 * textbook_s);
    let mean_m = STILL_M + 0.5 * RISE_M;
    let mut off_m = Vec::with_capacity(cycles);
    for _ in 0..cycles {
        world.run_cycle(step);
        off_m.push(column_depth_m(&world, 0) - mean_m);
    }
    check_books(&world)?;
    // Times when it rises past the mean.
    let rises: Vec<f64> = (1..cycles)
        .filter(|&at| off_m[at - 1] < 0.0 && off_m[at] >= 0.0)
        .map(|at| at as f64 - off_m[at] / (off_m[at] - off_m[at - 1]))
        .collect();
    let period_s = match rises[..] {
        [first, .., last] => (last - first) / (rises.len() - 1) as f64 / f64::from(CYCLES_PER_S),
        _ => f64::INFINITY,
    };
    let most_m =
        off_m[cycles_of(2.6 * textbook_s)..].iter().copied().fold(f64::NEG_INFINITY, f64::max);
    Ok([period_s / textbook_s, most_m / (0.5 * RISE_M)])
}

fn measure(_: &Context) -> BenchResult {
    lines_of(&BENCH, swing)
}

/// Measures swings through tunnels of 40 and of 160 cells.
pub fn lines_of(bench: &Bench, swing: fn(usize) -> Result<[f64; 2], BenchError>) -> BenchResult {
    let mut lines = Vec::new();
    for (length, ids) in [(40, [0, 1]), (160, [2, 3])] {
        let [period, kept] = swing(length)?;
        let [of_period, of_kept] = ids.map(|id: usize| bench.ids[id]);
        lines.push(Measurement::new(of_period, period, "x").target("0.99..1.01").cells(length));
        lines.push(Measurement::new(of_kept, kept, "x").target(">= 0.98").cells(length));
    }
    Ok(lines)
}
