//! A blob of a tracer on a lake that turns like a wheel.

use crate::accuracy::case::{Case, CaseRow, Curve, Division, Ink, Plot, Refinement, percent};
use crate::accuracy::wheel::Wheel;
use crate::suite::{Bench, BenchError};
use crate::table::Measurement;
use thalweg_engine::sim::Order;

/// Ten turns.
pub const ROTATION: Bench = Bench {
    ids: &["accuracy.tracer_rotation", "accuracy.tracer_rotation.peak"],
    what: "tracer, ten turns of a blob: relative L1, and the part of its peak that it keeps, 128²",
    is_long: false,
    measure: |context| Ok(context.show(rotation()?)),
};

/// Counts of tiles along a side, and the one whose figures are promised.
const TILES: [u32; 4] = [1, 2, 3, 4];
const PROMISED: u32 = 2;
const TURNS: u32 = 10;

fn rotation() -> Result<Case, BenchError> {
    let second = TILES.map(|tiles| turned(tiles, Order::Second));
    let first = turned(PROMISED, Order::First);
    if !second.iter().chain([&first]).all(Wheel::is_exact_and_bounded) {
        return Err(BenchError::Failed("a tracer lost or made content, or left its bounds".into()));
    }
    let refined = |of: fn(&Wheel) -> f64| Refinement {
        dimensions: 2,
        points: TILES.iter().map(|&tiles| 64 * tiles as usize).zip(second.iter().map(of)).collect(),
    };
    let side = 64 * PROMISED as usize;
    let errors = refined(Wheel::relative_l1);
    let at = |refinement: &Refinement| refinement.at(side).unwrap_or(f64::NAN);
    let off = Measurement::new("accuracy.tracer_rotation", at(&errors), "1")
        .cells(side * side)
        .note(format!("{errors}\nfirst order {}", percent(first.relative_l1())));
    let peaks = refined(Wheel::peak_kept);
    let list: Vec<String> =
        peaks.points.iter().map(|&(side, peak)| format!("{side}²: {}", percent(peak))).collect();
    let peak = Measurement::new("accuracy.tracer_rotation.peak", at(&peaks), "1")
        .cells(side * side)
        .note(format!("{}\nfirst order {}", list.join(", "), percent(first.peak_kept())));
    Ok(Case {
        title: "A tracer on a wheel",
        about: "A hump of a fifth of the width in radius turns ten times with a lake, at a Courant \
                number of 0.6 at the rim, and should be what it was. Transfers are given, as \
                differences of an integer stream function; content is exact and within its \
                bounds throughout.",
        rows: vec![
            CaseRow { measurement: off, refinement: Some(errors) },
            CaseRow { measurement: peak, refinement: None },
        ],
        plots: vec![plot(&second[1], &first)],
    })
}

fn turned(tiles: u32, order: Order) -> Wheel {
    let mut wheel = Wheel::new(tiles);
    wheel.turn(order, TURNS);
    wheel
}

fn plot(second: &Wheel, first: &Wheel) -> Plot {
    let curve = |name: &str, ink, points| Curve { name: name.to_owned(), ink, points };
    let along = |wheel: &Wheel, which: usize| {
        wheel.profile().into_iter().map(|(x, pair)| (x, pair[which])).collect::<Vec<_>>()
    };
    Plot {
        file: "tracer_rotation.svg",
        caption: "Through the middle of the blob after ten turns, 128² cells",
        axes: ["place, widths of the lake", "concentration"],
        division: Division::Linear,
        curves: vec![
            curve("first order", Ink::Line, along(first, 0)),
            curve("before", Ink::Reference, along(second, 1)),
            curve("second order", Ink::Dots, along(second, 0)),
        ],
    }
}
