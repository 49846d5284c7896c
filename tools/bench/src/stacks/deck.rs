//! A road on an embankment across a deep river: a culvert below the deck, a weir over it.
//!
//! ```text
//!   ≈≈≈≈≈≈≈≈≈ ┌─────┐             below   a √(2 g ΔH / (0.5 + K_out + friction)), or free a weir
//!             │deck │ ≈≈≈≈ tail           of 1.705 H^1.5 while the culvert is not full
//!             └─────┘             above   1.705 H^1.5 (1 − (h/H)^1.5)^0.385   (Villemonte)
//!             ▁▁▁▁▁▁▁
//! ```

use crate::suite::{Bench, BenchError, BenchResult, Context};
use crate::table::Measurement;
use crate::world::{WorldPlan, check_books, place};
use thalweg::units::SimTime;
use thalweg::world::{EdgeKind, EdgePlace, Voids, WorldBuilder};
use thalweg_engine::grid::Side;
use thalweg_engine::sim::{Settings, Solver};

/// Discharge under and over a deck.
pub const BENCH: Bench = Bench {
    ids: &["stacks.deck_pipe", "stacks.deck_swe", "stacks.deck_mean_pipe", "stacks.deck_mean_swe"],
    what: "a culvert under a deck that may be overtopped, from free to drowned, nine cases: \
           discharge over the textbook's at the same lake, the worst and the mean, with either \
           solver",
    is_long: false,
    measure,
};

const GRAVITY: f64 = 9.81;
/// Underside and top of the deck over the culvert's bed, bed of the river, m, cells along the deck.
const SOFFIT_M: f64 = 2.0;
const DECK_M: f64 = 2.6;
const BED_M: f64 = -6.0;
const LENGTH: usize = 5;
const LAKE: usize = 20;
const TAIL: usize = 8;

/// Returns the discharge of the textbook from a lake at this stage, m²/s.
fn textbook_m2_s(lake_m: f64, tail_m: f64) -> f64 {
    let friction = 2.0 * GRAVITY * 0.01 * 0.01 * LENGTH as f64;
    let leave = if tail_m > SOFFIT_M { (1.0 - SOFFIT_M / (tail_m - BED_M)).powi(2) } else { 1.0 };
    let below = if lake_m > 1.2 * SOFFIT_M || tail_m > SOFFIT_M {
        let fall = (lake_m - tail_m.max(SOFFIT_M)).max(0.0);
        SOFFIT_M * (2.0 * GRAVITY * fall / (0.5 + leave + friction)).sqrt()
    } else {
        1.705 * lake_m.max(0.0).powf(1.5)
    };
    let (high, drowned) = ((lake_m - DECK_M).max(0.0), (tail_m - DECK_M).max(0.0));
    let drowned = (drowned / high.max(1.0e-9)).min(1.0);
    below + 1.705 * high.powf(1.5) * (1.0 - drowned.powf(1.5)).powf(0.385)
}

/// Returns the discharge over the textbook's under the resulting lake.
fn ratio(solver: Solver, q_m2_s: f64, tail_m: f64) -> Result<f64, BenchError> {
    let width = LAKE + LENGTH + TAIL;
    let plan = WorldPlan { width, height: 2, cell_m: 1.0, exponent: 20, datum_m: -10.0 };
    let on_deck = move |x: usize| (LAKE..LAKE + LENGTH).contains(&x);
    let mut voids = Voids::new();
    voids.carve(place(LAKE, 0), place(LAKE + LENGTH, 2), [0.0, SOFFIT_M]);
    let cells: Vec<_> = (0..LAKE).flat_map(|x| [place(x, 0), place(x, 1)]).collect();
    let settings = Settings { manning_n: vec![0.01], solver, ..Settings::default() };
    let tail = EdgeKind::Stage(vec![(0.0, tail_m)]);
    let mut world =
        WorldBuilder::new(plan.terrain(|x, _| if on_deck(x) { DECK_M } else { BED_M })?)
            .settings(settings)
            .initial_stage(move |at| if on_deck(at.x as usize) { f64::NAN } else { tail_m })
            .voids(voids)
            .initial_stage_below(move |_, _| tail_m)
            .inflow("springs", &[(0.0, 0.0), (120.0, 2.0 * q_m2_s), (1.0e6, 2.0 * q_m2_s)], &cells)?
            .edge("tail", EdgePlace::Side(Side::East), tail)
            .build()?;
    let mut lake_m = 0.0;
    for second in 1..=240 {
        world.run_until(SimTime::from_seconds(f64::from(second)));
        if second > 180 {
            lake_m += world.water().stage_m(place(2, 0)).ok_or("the lake is dry")? / 60.0;
        }
    }
    check_books(&world)?;
    Ok(q_m2_s / textbook_m2_s(lake_m, tail_m))
}

fn measure(_: &Context) -> BenchResult {
    let mut lines = Vec::new();
    for (id, solver) in [(0, Solver::Pipe), (1, Solver::ShallowWater)] {
        let (mut worst, mut mean) = (1.0_f64, 0.0);
        for tail_m in [1.0, 2.3, 2.9] {
            for q_m2_s in [4.0, 8.0, 12.0] {
                let ratio = ratio(solver, q_m2_s, tail_m)?;
                mean += ratio / 9.0;
                if (ratio - 1.0).abs() > (worst - 1.0).abs() {
                    worst = ratio;
                }
            }
        }
        lines.push(Measurement::new(BENCH.ids[id], worst, "x").target("0.95..1.05"));
        lines.push(Measurement::new(BENCH.ids[id + 2], mean, "x").target("0.95..1.05"));
    }
    Ok(lines)
}
