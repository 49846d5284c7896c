//! Bores that a dam break of a metre sends into water of every depth, and their overshoot.
//!
//! ```text
//! overshoot           (highest stage behind the bore − exact one)/height of the bore   the worst
//! overshoot.oblique   the same where the dam lies at 45° to the grid
//! ```
//!
//! Limits:     water above the plateau from a fiftieth of the channel behind the fan on; water that
//!             is too low there shows in the error of depth alone.

use crate::accuracy::case::{Case, CaseRow, Curve, Division, Ink, Plot, percent};
use crate::accuracy::front::Front;
use crate::accuracy::ladder::Ladder;
use crate::accuracy::scheme::{DepthPair, Scheme, relative_l1};
use crate::suite::{Bench, BenchError};
use crate::table::Measurement;
use exact::Stoker;

/// Overshoot of bores.
pub const BENCH: Bench = Bench {
    ids: &["accuracy.overshoot", "accuracy.overshoot.oblique"],
    what: "dam breaks of 1 m onto 0.99 to 0.01 m: water above the plateau, over the bore's height",
    is_long: false,
    measure: |context| Ok(context.show(case()?)),
};

const SIDES: [usize; 4] = [100, 200, 400, 1600];
const PROMISED: usize = 400;
const LENGTH_M: f64 = 10.0;
const BEHIND_M: f64 = 1.0;
const AHEAD_M: [f64; 6] = [0.99, 0.9, 0.7, 0.4, 0.1, 0.01];
/// End of the run, s: the fan's head has run 1.75 m of the 5 m to the wall.
const END_S: f64 = 0.559;
/// Distance behind the fan's tail that is left out, m.
const BEYOND_TAIL_M: f64 = 0.02 * LENGTH_M;
/// Half the window of a dam at 45° across it, and along it as a difference of x and y, m.
const ACROSS_M: f64 = 3.0;
const APART_M: f64 = 0.7;
/// The dam whose picture the page shows.
const SHOWN: usize = 2;
/// Half the width of that picture, m.
const SHOWN_M: f64 = 2.5;

/// Water behind each dam's bore.
struct OvershootDams([Vec<DepthPair>; 6]);

impl OvershootDams {
    fn run(run: impl Fn(Front) -> Result<Vec<DepthPair>, BenchError>) -> Result<Self, BenchError> {
        let mut all: [Vec<DepthPair>; 6] = Default::default();
        for (pairs, ahead_m) in all.iter_mut().zip(AHEAD_M) {
            let exact = Stoker::new(BEHIND_M, ahead_m);
            let front = Front { exact, behind_m: BEHIND_M, length_m: LENGTH_M, end_s: END_S };
            *pairs = run(front)?;
        }
        Ok(Self(all))
    }

    fn overshoots(&self) -> [f64; 6] {
        std::array::from_fn(|dam| overshoot(&self.0[dam], Stoker::new(BEHIND_M, AHEAD_M[dam])))
    }

    fn worst(&self) -> f64 {
        self.overshoots().into_iter().fold(f64::MIN, f64::max)
    }

    /// Describes overshoot and error of depth of each dam.
    fn words(&self) -> String {
        let one = |(pairs, over): (&Vec<DepthPair>, f64)| {
            format!("{} ({})", percent(over), percent(relative_l1(pairs)))
        };
        self.0.iter().zip(self.overshoots()).map(one).collect::<Vec<_>>().join(", ")
    }
}

/// Returns the highest water on the plateau above it, over the height of the bore.
fn overshoot(pairs: &[DepthPair], exact: Stoker) -> f64 {
    let (bore, wave) = (exact.bore(), |depth_m: f64| (exact::GRAVITY * depth_m).sqrt());
    let tail_m = (bore.velocity_m_s() - wave(bore.behind_m())) * END_S;
    let behind = pairs.iter().filter(|pair| pair.x_m > tail_m + BEYOND_TAIL_M);
    let highest_m = behind.map(|pair| pair.depth_m).fold(0.0, f64::max);
    (highest_m - bore.behind_m()) / (bore.behind_m() - bore.ahead_m())
}

fn case() -> Result<Case, BenchError> {
    let ladder = Ladder::climb(1, SIDES, PROMISED, |cells, scheme| {
        OvershootDams::run(|front| front.aligned(cells, scheme))
    })?;
    let line = |what: &str, dams: &OvershootDams| format!("{what}: {}", dams.words());
    let each =
        SIDES.iter().zip(ladder.each()).map(|(side, dams)| line(&format!("{side} cells"), dams));
    let mut lines: Vec<String> = each.collect();
    lines.push(line("first order", &ladder.first));
    let heads = AHEAD_M.map(|ahead_m| format!("{ahead_m}"));
    lines.insert(0, format!("onto {} m, in parts of the bore (error of depth)", heads.join(", ")));
    let row = ladder.row("accuracy.overshoot", OvershootDams::worst).target("<= 0.01");

    let [second, first] = [Scheme::Second, Scheme::First].map(|scheme| {
        OvershootDams::run(|front| front.oblique(PROMISED, scheme, (ACROSS_M, APART_M)))
    });
    let (second, first) = (second?, first?);
    let oblique: CaseRow = Measurement::new("accuracy.overshoot.oblique", second.worst(), "1")
        .target("<= 0.01")
        .cells(PROMISED * PROMISED)
        .note([line("at 45°", &second), line("first order", &first)].join("\n"))
        .into();
    let curve = |depth_m: fn(&DepthPair) -> f64| -> Vec<(f64, f64)> {
        let pairs = &ladder.promised().0[SHOWN];
        let near = pairs.iter().filter(|pair| pair.x_m.abs() < SHOWN_M);
        near.map(|pair| (pair.x_m, depth_m(pair))).collect()
    };
    Ok(Case {
        title: "Bores on wet ground",
        about: "A metre of water falls onto 0.99, 0.9, 0.7, 0.4, 0.1 and 0.01 m, the dam in the \
                middle of 10 m or on the diagonal of a square: how far the highest water behind \
                the bore stands above the plateau, in parts of the bore's height. Stoker (1957), \
                *Water Waves*.",
        rows: vec![row.remark(&lines.join("\n")), oblique],
        plots: vec![Plot {
            file: "bore.svg",
            caption: "Dam break of 1 m onto 0.7 m",
            axes: ["distance from the dam, m", "depth, m"],
            division: Division::Linear,
            curves: vec![
                Curve::new("exact", Ink::Reference, curve(|pair| pair.exact_m)),
                Curve::new("shallow water", Ink::Dots, curve(|pair| pair.depth_m)),
            ],
        }],
    })
}
