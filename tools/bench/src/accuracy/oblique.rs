//! Dam breaks at 45° across the grid, against the same dam break along it.
//!
//! A square of 10 m, the dam on a diagonal, 0.8 s. Waves from the walls do not reach the window:
//! 2.9 m to both sides of the dam, 1.06 m along it to both sides of the middle. The aligned run is
//! compared in the same window across the dam.

use crate::accuracy::case::{Case, percent};
use crate::accuracy::front::Front;
use crate::accuracy::ladder::Ladder;
use crate::accuracy::scheme::{Scheme, relative_l1};
use crate::suite::{Bench, BenchError};
use crate::table::Measurement;
use exact::Stoker;

/// Error across the grid over the error along it.
pub const BENCH: Bench = Bench {
    ids: &["accuracy.oblique", "accuracy.oblique.stoker", "accuracy.oblique.stoker_thin"],
    what: "dam breaks at 45°: error of depth over that of the aligned one, 400² cells",
    is_long: false,
    measure: |context| Ok(context.show(case()?)),
};

const SIDES: [usize; 4] = [100, 200, 400, 800];
const PROMISED: usize = 400;
const SIDE_M: f64 = 10.0;
const BEHIND_M: f64 = 0.5;
const END_S: f64 = 0.8;
/// Half the window across the dam, m.
const ACROSS_M: f64 = 2.9;
/// Half the window along the dam, as a difference of x and y, m.
const APART_M: f64 = 1.5;

/// Errors of one dam break.
#[derive(Debug, Clone, Copy)]
struct ObliqueErrors {
    oblique: f64,
    aligned: f64,
}

impl ObliqueErrors {
    fn ratio(self) -> f64 {
        self.oblique / self.aligned
    }
}

fn case() -> Result<Case, BenchError> {
    let ladder = |ahead_m| {
        let exact = Stoker::new(BEHIND_M, ahead_m);
        Ladder::climb(2, SIDES, PROMISED, |side, scheme| errors(exact, side, scheme))
    };
    let (stoker, thin) = (ladder(0.1)?, ladder(0.005)?);
    let words = |ladder: &Ladder<ObliqueErrors>| {
        let ratios = ladder.refinement(|errors| errors.ratio());
        let words: Vec<String> =
            ratios.points.iter().map(|&(side, ratio)| format!("{side}²: {ratio:.2}")).collect();
        words.join(", ")
    };
    let note = format!("onto 0.1 m {}\nonto 5 mm {}", words(&stoker), words(&thin));
    let worst = stoker.promised().ratio().max(thin.promised().ratio());
    let ratio = Measurement::new("accuracy.oblique", worst, "times the aligned error")
        .target("<= 1.7")
        .cells(PROMISED * PROMISED)
        .note(note);
    let row = |id, ladder: &Ladder<ObliqueErrors>| {
        let aligned = percent(ladder.promised().aligned);
        ladder.row(id, |errors| errors.oblique).remark(&format!("aligned {aligned}"))
    };
    Ok(Case {
        title: "Dam breaks across the grid",
        about: "Both dam breaks onto water with the dam at 45° to the grid, after 0.8 s, against \
                the aligned ones on cells of the same width, the worse of the two.",
        rows: vec![
            ratio.into(),
            row("accuracy.oblique.stoker", &stoker),
            row("accuracy.oblique.stoker_thin", &thin),
        ],
        plots: Vec::new(),
    })
}

fn errors(exact: Stoker, side: usize, scheme: Scheme) -> Result<ObliqueErrors, BenchError> {
    let front = Front { exact, behind_m: BEHIND_M, length_m: SIDE_M, end_s: END_S };
    let mut aligned = front.aligned(side, scheme)?;
    aligned.retain(|pair| pair.x_m.abs() < ACROSS_M);
    let oblique = front.oblique(side, scheme, (ACROSS_M, APART_M))?;
    Ok(ObliqueErrors { oblique: relative_l1(&oblique), aligned: relative_l1(&aligned) })
}
