//! Bores that a dam break of a metre sends into water of every depth: how far they overshoot.
//!
//! ```text
//! overshoot           (highest stage behind the bore − exact one)/height of the bore   the worst
//! overshoot.oblique   the same where the dam lies at 45° to the grid
//! ```
//!
//! Limits:     what stands above the plateau from a fiftieth of the channel behind the fan on;
//!             water that is too low there shows in the error of depth alone.

use crate::accuracy::case::{Case, Curve, Division, Ink, Plot, Row, percent};
use crate::accuracy::ladder::Ladder;
use crate::accuracy::scheme::{Pair, Scheme, channel, profile, relative_l1, run_to, square};
use crate::suite::{Bench, BenchError};
use crate::table::Measurement;
use crate::world::{Plan, places};
use exact::Stoker;
use std::f64::consts::FRAC_1_SQRT_2;
use thalweg::grid::cells::CellPlace;
use thalweg::world::{World, WorldBuilder};

/// How far bores overshoot.
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
/// The fan's head has run 1.75 m of the 5 m to the wall.
const END_S: f64 = 0.559;
/// Behind the fan's tail that much is left out, m.
const BEYOND_TAIL_M: f64 = 0.02 * LENGTH_M;
/// Of a dam at 45°: half the window across and along it, m.
const ACROSS_M: f64 = 3.0;
const ALONG_M: f64 = 0.5;
/// The dam whose picture the page shows.
const SHOWN: usize = 2;

/// Water behind each dam's bore.
struct Dams([Vec<Pair>; 6]);

impl Dams {
    fn run(run: impl Fn(Stoker) -> Result<Vec<Pair>, BenchError>) -> Result<Self, BenchError> {
        let mut all: [Vec<Pair>; 6] = Default::default();
        for (pairs, ahead_m) in all.iter_mut().zip(AHEAD_M) {
            *pairs = run(Stoker::new(BEHIND_M, ahead_m))?;
        }
        Ok(Self(all))
    }

    fn overshoots(&self) -> [f64; 6] {
        std::array::from_fn(|dam| overshoot(&self.0[dam], Stoker::new(BEHIND_M, AHEAD_M[dam])))
    }

    fn worst(&self) -> f64 {
        self.overshoots().into_iter().fold(f64::MIN, f64::max)
    }

    /// Overshoot and error of depth of each dam, in words.
    fn words(&self) -> String {
        let one = |(pairs, over): (&Vec<Pair>, f64)| {
            format!("{} ({})", percent(over), percent(relative_l1(pairs)))
        };
        self.0.iter().zip(self.overshoots()).map(one).collect::<Vec<_>>().join(", ")
    }
}

/// Highest water on the plateau above it, over the height of the bore.
fn overshoot(pairs: &[Pair], exact: Stoker) -> f64 {
    let (bore, wave) = (exact.bore(), |depth_m: f64| (exact::GRAVITY * depth_m).sqrt());
    let tail_m = (bore.velocity_m_s() - wave(bore.behind_m())) * END_S;
    let behind = pairs.iter().filter(|pair| pair.x_m > tail_m + BEYOND_TAIL_M);
    let highest_m = behind.map(|pair| pair.depth_m).fold(0.0, f64::max);
    (highest_m - bore.behind_m()) / (bore.behind_m() - bore.ahead_m())
}

fn case() -> Result<Case, BenchError> {
    let ladder = Ladder::climb(1, SIDES, PROMISED, |cells, scheme| {
        Dams::run(|exact| aligned(exact, cells, scheme))
    })?;
    let line = |what: &str, dams: &Dams| format!("{what}: {}", dams.words());
    let each =
        SIDES.iter().zip(ladder.each()).map(|(side, dams)| line(&format!("{side} cells"), dams));
    let mut lines: Vec<String> = each.collect();
    lines.push(line("first order", &ladder.first));
    let heads = AHEAD_M.map(|ahead_m| format!("{ahead_m}"));
    lines.insert(0, format!("onto {} m, in parts of the bore (error of depth)", heads.join(", ")));
    let row = ladder.row("accuracy.overshoot", Dams::worst).target("<= 0.01");

    let [second, first] = [Scheme::Second, Scheme::First]
        .map(|scheme| Dams::run(|exact| oblique(exact, PROMISED, scheme)));
    let (second, first) = (second?, first?);
    let oblique: Row = Measurement::new("accuracy.overshoot.oblique", second.worst(), "1")
        .target("<= 0.01")
        .cells(PROMISED * PROMISED)
        .note([line("at 45°", &second), line("first order", &first)].join("\n"))
        .into();
    let exact = Stoker::new(BEHIND_M, AHEAD_M[SHOWN]);
    let window = |pairs: &[Pair]| -> Vec<(f64, f64)> {
        let near = pairs.iter().filter(|pair| pair.x_m.abs() < 2.5);
        near.map(|pair| (pair.x_m, pair.depth_m)).collect()
    };
    let shown = &ladder.promised().0[SHOWN];
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
                Curve::new(
                    "exact",
                    Ink::Reference,
                    shown
                        .iter()
                        .filter(|p| p.x_m.abs() < 2.5)
                        .map(|p| (p.x_m, exact.at(p.x_m, END_S).depth_m)),
                ),
                Curve::new("shallow water", Ink::Dots, window(shown)),
            ],
        }],
    })
}

fn aligned(exact: Stoker, cells: usize, scheme: Scheme) -> Result<Vec<Pair>, BenchError> {
    let plan = channel(cells, LENGTH_M);
    let along = move |cell: CellPlace| (f64::from(cell.x) + 0.5) * plan.cell_m - 0.5 * LENGTH_M;
    let mut world = world(plan, scheme, exact, along)?;
    run_to(&mut world, END_S);
    Ok(profile(&world, 0.5 * LENGTH_M, |x_m| exact.at(x_m, END_S).depth_m))
}

fn oblique(exact: Stoker, side: usize, scheme: Scheme) -> Result<Vec<Pair>, BenchError> {
    let plan = square(side, LENGTH_M);
    let across = move |cell: CellPlace| {
        ((f64::from(cell.x) + f64::from(cell.y) + 1.0) * plan.cell_m - LENGTH_M) * FRAC_1_SQRT_2
    };
    let mut world = world(plan, scheme, exact, across)?;
    run_to(&mut world, END_S);
    let is_seen = |cell: &CellPlace| {
        let along_m = (f64::from(cell.x) - f64::from(cell.y)) * plan.cell_m * FRAC_1_SQRT_2;
        across(*cell).abs() < ACROSS_M && along_m.abs() < ALONG_M
    };
    let pair = |cell| {
        let x_m = across(cell);
        let depth_m = world.water().depth_m(cell).unwrap_or(f64::NAN);
        Pair { x_m, depth_m, exact_m: exact.at(x_m, END_S).depth_m }
    };
    Ok(places(&world).filter(is_seen).map(pair).collect())
}

/// Water behind a dam, where `across` is negative, and ahead of it.
fn world(
    plan: Plan,
    scheme: Scheme,
    exact: Stoker,
    across: impl Fn(CellPlace) -> f64 + Send + Sync + 'static,
) -> Result<World, BenchError> {
    let ahead_m = exact.bore().ahead_m();
    let depth = move |cell| if across(cell) < 0.0 { BEHIND_M } else { ahead_m };
    Ok(WorldBuilder::new(plan.terrain(|_, _| 0.0)?)
        .settings(scheme.settings(0.0))
        .initial_depth(depth)
        .build()?)
}
