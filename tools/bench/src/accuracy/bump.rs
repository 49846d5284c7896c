//! Steady flow over a bump in a channel of 25 m.
//!
//! The channel continues at both ends, so that neither affects the window:
//!
//! ```text
//!   wall  20 m of inflow   5 m │ 25 m window with the bump │ 50 m, fall S, friction
//!   q(x) = q · (x + 25)/20     │          q                │ n² = S h^(10/3)/q²      open edge
//! ```
//!
//! Inflow brings no momentum, so `q(x)²/h + g h²/2` is the same along it; past the window the
//! flow is uniform, its friction balanced by the fall. With the exact solution over the bump, the
//! whole channel begins in its steady state, and only the waves by which the scheme finds its own
//! state are left. Friction damps them. The effect of the edge on the depth fades upstream over
//! `0.3 h (1 − Fr²)/S`. If the flow leaves faster than waves, nothing returns: there the rest is
//! level and smooth.

use crate::accuracy::case::{Case, CaseRow, Curve, Division, Ink, Plot, percent};
use crate::accuracy::ladder::Ladder;
use crate::accuracy::scheme::{
    CHANNEL_ROWS, DepthPair, Scheme, channel, profile, relative_l1, run_to,
};
use crate::suite::{Bench, BenchError};
use crate::table::Measurement;
use exact::{Bump, ExactFlow, Regime};
use thalweg::world::{EdgeKind, EdgePlace, World, WorldBuilder};
use thalweg_engine::grid::Side;
use thalweg_engine::grid::cells::CellPlace;

/// Flow slower than waves everywhere.
pub const SUBCRITICAL: Bench = Bench {
    ids: &["accuracy.bump_sub", "accuracy.bump_sub.discharge"],
    what: "steady flow over a bump, subcritical: relative L1 of depth, 200 cells",
    is_long: false,
    measure: |context| Ok(context.show(subcritical()?)),
};

/// Flow faster than waves behind the crest.
pub const TRANSCRITICAL: Bench = Bench {
    ids: &["accuracy.bump_trans", "accuracy.bump_trans.discharge"],
    what: "steady flow over a bump, transcritical: relative L1 of depth, 200 cells",
    is_long: false,
    measure: |context| Ok(context.show(transcritical()?)),
};

/// Flow faster than waves between the crest and a jump.
pub const JUMP: Bench = Bench {
    ids: &["accuracy.bump_jump", "accuracy.bump_jump.discharge"],
    what: "steady flow over a bump with a jump: relative L1 of depth, 200 cells",
    is_long: false,
    measure: |context| Ok(context.show(jump()?)),
};

/// Cells of the window.
const SIDES: [usize; 4] = [50, 100, 200, 400];
const PROMISED: usize = 200;
/// Length of the window and of the channel before it, m; the channel behind it is twice as long.
const WINDOW_M: f64 = 25.0;
/// Length of the inflow, m.
const INFLOW_M: f64 = 0.8 * WINDOW_M;
/// Distance from the jump from which the discharge counts, m.
const AWAY_M: f64 = 0.5;
const END_S: f64 = 100.0;
/// Fall of the bed past the window, if the flow is slower than waves.
const FALL: f64 = 0.08;

/// Results of a run.
struct BumpRun {
    pairs: Vec<DepthPair>,
    /// Largest deviation of the discharge from its constant away from the jump, as a fraction.
    discharge: f64,
}

fn subcritical() -> Result<Case, BenchError> {
    let bump = Bump::subcritical();
    let ladder = climb(bump)?;
    Ok(Case {
        title: "Flow over a bump, slower than waves",
        about: "4.42 m²/s over a bump of 0.2 m, 2 m deep, without friction, in its steady state. \
                SWASHES; Goutal & Maurel (1997).",
        rows: rows(&ladder, SUBCRITICAL.ids, "<= 0.001"),
        plots: Vec::new(),
    })
}

fn transcritical() -> Result<Case, BenchError> {
    let bump = Bump::transcritical();
    let ladder = climb(bump)?;
    Ok(Case {
        title: "Flow over a bump, faster than waves behind it",
        about: "1.53 m²/s over the same bump: the flow passes the speed of waves at the crest. \
                SWASHES; Goutal & Maurel (1997).",
        rows: rows(&ladder, TRANSCRITICAL.ids, "<= 0.005"),
        plots: Vec::new(),
    })
}

fn jump() -> Result<Case, BenchError> {
    let bump = Bump::with_jump();
    let ladder = climb(bump)?;
    Ok(Case {
        title: "Flow over a bump with a jump",
        about: "0.18 m²/s over the same bump against a stage of 0.33 m: behind the crest the \
                flow is faster than waves and falls back in a hydraulic jump. SWASHES; Goutal & \
                Maurel (1997).",
        rows: rows(&ladder, JUMP.ids, "<= 0.005"),
        plots: vec![plot(&ladder.promised().pairs)],
    })
}

fn climb(bump: Bump) -> Result<Ladder<BumpRun>, BenchError> {
    Ladder::climb(1, SIDES, PROMISED, |cells, scheme| {
        let mut world = world(bump, cells, scheme)?;
        run_to(&mut world, END_S);
        let mut pairs = profile(&world, WINDOW_M, |x_m| bump.at(x_m).depth_m);
        let mut discharge = 0.0_f64;
        for (x, pair) in (0..).zip(&pairs) {
            let is_away = match bump.regime() {
                Regime::Jump(jump_m) => (pair.x_m - jump_m).abs() > AWAY_M,
                Regime::Subcritical | Regime::Transcritical => true,
            };
            if is_away && (0.0..WINDOW_M).contains(&pair.x_m) {
                let found = discharge_m2_s(&world, x) / bump.discharge_m2_s();
                discharge = discharge.max((found - 1.0).abs());
            }
        }
        pairs.retain(|pair| (0.0..WINDOW_M).contains(&pair.x_m));
        Ok(BumpRun { pairs, discharge })
    })
}

/// Returns depth times velocity in a column, the mean of its rows, m²/s.
fn discharge_m2_s(world: &World, x: u32) -> f64 {
    let cell = |y| {
        let place = CellPlace { x, y };
        Some(world.water().velocity_m_s(place)?[0] * world.water().depth_m(place)?)
    };
    (0..).take(CHANNEL_ROWS).filter_map(cell).sum::<f64>() / CHANNEL_ROWS as f64
}

/// Makes the channel in its exact steady state.
fn world(bump: Bump, cells: usize, scheme: Scheme) -> Result<World, BenchError> {
    let plan = channel(4 * cells, 4.0 * WINDOW_M);
    let place = move |x: u32| (f64::from(x) + 0.5) * plan.cell_m - WINDOW_M;
    let flow = move |cell: CellPlace| -> ExactFlow {
        let x_m = place(cell.x);
        let share = ((x_m + WINDOW_M) / INFLOW_M).min(1.0);
        if x_m < 0.0 { bump.fed(share) } else { bump.at(x_m.min(WINDOW_M)) }
    };
    let fall = if bump.regime() == Regime::Transcritical { 0.0 } else { FALL };
    let bed = |x: usize, _| {
        let x_m = (x as f64 + 0.5) * plan.cell_m - WINDOW_M;
        Bump::bed_m(x_m) - fall * (x_m - WINDOW_M).max(0.0)
    };
    let (outlet_m, q) = (bump.at(WINDOW_M).depth_m, bump.discharge_m2_s());
    let manning_n = fall.sqrt() * outlet_m.powf(5.0 / 3.0) / q;
    let fed = u32::try_from(4 * cells / 5)?;
    let rows = u32::try_from(CHANNEL_ROWS)?;
    let sources: Vec<CellPlace> =
        (0..rows).flat_map(|y| (0..fed).map(move |x| CellPlace { x, y })).collect();
    let inflow = q * CHANNEL_ROWS as f64 * plan.cell_m;
    Ok(WorldBuilder::new(plan.terrain(bed)?)
        .settings(scheme.settings(0.0))
        .manning_classes(vec![0.0, manning_n], move |cell| u8::from(place(cell.x) > WINDOW_M))
        .edge("outlet", EdgePlace::Side(Side::East), EdgeKind::Open)
        .inflow("source", &[(0.0, inflow)], &sources)?
        .initial_depth(move |cell| flow(cell).depth_m)
        .initial_velocity(move |cell| (flow(cell).velocity_m_s, 0.0))
        .build()?)
}

fn rows(ladder: &Ladder<BumpRun>, ids: &[&'static str], target: &'static str) -> Vec<CaseRow> {
    let discharges = ladder.refinement(|run| run.discharge);
    let words: Vec<String> =
        discharges.points.iter().map(|&(side, off)| format!("{side}: {}", percent(off))).collect();
    let discharge = Measurement::new(ids[1], ladder.promised().discharge, "1")
        .target("<= 0.005")
        .cells(PROMISED)
        .note(format!("largest deviation from constant; {}", words.join(", ")));
    let depth = ladder.row(ids[0], |run| relative_l1(&run.pairs)).target(target);
    vec![depth, discharge.into()]
}

fn plot(pairs: &[DepthPair]) -> Plot {
    let shown = || pairs.iter().filter(|pair| (6.0..16.0).contains(&pair.x_m));
    let stage = |pair: &DepthPair, depth_m| (pair.x_m, Bump::bed_m(pair.x_m) + depth_m);
    Plot {
        file: "bump_jump.svg",
        caption: "Stage over a bump with a jump",
        axes: ["x, m", "elevation, m"],
        division: Division::Linear,
        curves: vec![
            Curve::new("bed", Ink::Ground, shown().map(|pair| stage(pair, 0.0))),
            Curve::new("exact", Ink::Reference, shown().map(|pair| stage(pair, pair.exact_m))),
            Curve::new(
                "shallow water, every cell",
                Ink::Dots,
                shown().map(|pair| stage(pair, pair.depth_m)),
            ),
        ],
    }
}
