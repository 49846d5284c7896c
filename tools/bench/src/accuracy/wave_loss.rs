//! Standing waves between two walls, and the part of them left after five periods.
//!
//! ```text
//! wave_loss.N     1 − amplitude of the wave N cells long after five periods, over that before
//! ```
//!
//! Limits:     a wave that arrives late counts as lost in part.

use crate::accuracy::case::{Case, CaseRow, percent};
use crate::accuracy::scheme::{Scheme, channel, profile, run_to};
use crate::suite::{Bench, BenchError};
use crate::table::Measurement;
use std::f64::consts::TAU;
use thalweg::world::WorldBuilder;
use thalweg_engine::grid::cells::CellPlace;

/// Loss of standing waves.
pub const BENCH: Bench = Bench {
    ids: &["accuracy.wave_loss.20", "accuracy.wave_loss.40", "accuracy.wave_loss.80"],
    what: "standing waves of 20, 40 and 80 cells: part of their height lost in five periods",
    is_long: false,
    measure: |context| Ok(context.show(case()?)),
};

/// Cells along a wave, and the part of it that may be lost.
const WAVES: [(usize, &str, &str); 3] = [
    (20, "accuracy.wave_loss.20", "<= 0.09"),
    (40, "accuracy.wave_loss.40", "<= 0.025"),
    (80, "accuracy.wave_loss.80", "<= 0.01"),
];
const DEPTH_M: f64 = 1.0;
const HEIGHT_M: f64 = 0.01;
const PERIODS: f64 = 5.0;

fn case() -> Result<Case, BenchError> {
    let row = |(cells, id, target)| -> Result<CaseRow, BenchError> {
        let loss = loss(cells, Scheme::Second)?;
        let [first, pipe] = [Scheme::First, Scheme::Pipe].map(|scheme| self::loss(cells, scheme));
        let note = format!("first order {}, pipe method {}", percent(first?), percent(pipe?));
        let row = Measurement::new(id, loss, "of the wave").target(target).cells(2 * cells);
        Ok(row.note(note).into())
    };
    Ok(Case {
        title: "Standing waves",
        about: "A wave of 1 cm on water 1 m deep between two walls, two lengths of it, without \
                friction: what is lost of its height after five periods of linear theory.",
        rows: WAVES.into_iter().map(row).collect::<Result<_, BenchError>>()?,
        plots: Vec::new(),
    })
}

/// Returns the part of its height that a wave of some cells loses.
fn loss(cells: usize, scheme: Scheme) -> Result<f64, BenchError> {
    let plan = channel(2 * cells, 2.0 * cells as f64);
    let shape = move |x_m: f64| (TAU * x_m / cells as f64).cos();
    let depth = move |cell: CellPlace| DEPTH_M + HEIGHT_M * shape(f64::from(cell.x) + 0.5);
    let mut world = WorldBuilder::new(plan.terrain(|_, _| 0.0)?)
        .settings(scheme.settings(0.0))
        .initial_depth(depth)
        .build()?;
    run_to(&mut world, PERIODS * cells as f64 / (exact::GRAVITY * DEPTH_M).sqrt());
    let pairs = profile(&world, 0.0, |x_m| DEPTH_M + HEIGHT_M * shape(x_m));
    let left: f64 = pairs.iter().map(|pair| (pair.depth_m - DEPTH_M) * shape(pair.x_m)).sum();
    Ok(1.0 - left / (HEIGHT_M * cells as f64))
}
