//! A flood wave in a river while observers are at its end, are elsewhere, or jump about.
//!
//! ```text
//! near     at the outlet
//! far      in the hills: all of the river is as coarse as it may be
//! jumping  every 150 s to another place of the river, the outlet among them
//! ```
//!
//! The lowest 4 km of the valley of `forest.valley` on cells of 2 to 32 m; the inflow rises to two
//! and a half times its first value. The outflow in the south in each 100 s is compared between the
//! runs: it should not depend on observers.

use crate::adaptive::observer;
use crate::adaptive::valley::{RiverValley, normal};
use crate::subgrid::columns::{CoarseColumns, KINDS, with_columns};
use crate::suite::{Bench, BenchError, BenchResult, Context};
use crate::table::Measurement;
use crate::world::{check_books, out_m3};
use std::time::Instant;
use thalweg::units::SimTime;
use thalweg::world::AdaptiveOptions;
use thalweg_engine::sim::Solver;

/// Difference of discharges.
pub const BENCH: Bench = Bench {
    ids: &["subgrid.observers"],
    what: "a flood wave through 4 km of valley with observers near, far and jumping: largest \
           difference of the discharge at the outlet",
    is_long: true,
    measure,
};

/// The lowest part of the valley.
pub const VALLEY: RiverValley = RiverValley { side_m: 4096, cell_m: 2 };
/// The coarsest level.
pub const COARSEST: u8 = 4;
/// Radii of an observer by level, m.
pub const RADII_M: [(u8, f64); 3] = [(0, 100.0), (1, 200.0), (2, 400.0)];
/// Inflow in parts of the normal flow of a straight river, over seconds.
pub const INFLOW: [(f64, f64); 4] = [(0.0, 0.4), (100.0, 0.4), (400.0, 1.0), (END_S, 1.0)];
/// End of a run, s.
pub const END_S: f64 = 4800.0;
/// Time over which discharges are means, s.
pub const WINDOW_S: f64 = 100.0;
/// The first window that counts.
const FIRST: usize = 2;
/// Time between two jumps, s: a multiple of half of [`WINDOW_S`].
const STAY_S: f64 = 150.0;
/// Places of jumps, m from the south.
const JUMPS_M: [f64; 5] = [200.0, 3000.0, 1200.0, 3800.0, 2100.0];

/// Places of observers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ObserverPlaces {
    Near,
    Far,
    Jumping,
}

impl ObserverPlaces {
    /// Returns their place after `stays` stays, m.
    fn place_m(self, stays: usize) -> [f64; 2] {
        let river = |y| [VALLEY.middle_m(y), y];
        match self {
            Self::Near => river(JUMPS_M[0]),
            Self::Far => [100.0, 4000.0],
            Self::Jumping => river(JUMPS_M[stays % JUMPS_M.len()]),
        }
    }
}

/// Returns the discharges at the outlet over windows, m³/s, and the time of the run, s.
fn run(
    watch: ObserverPlaces,
    columns: CoarseColumns,
    solver: Solver,
) -> Result<(Vec<f64>, f64), BenchError> {
    let builder = VALLEY.builder(&INFLOW)?.settings(VALLEY.settings(solver));
    let scale = builder.extent(COARSEST)?;
    let look = |stays| observer(watch.place_m(stays), &RADII_M, &scale);
    let criteria = vec![look(0)?];
    let options = AdaptiveOptions { coarsest: COARSEST, criteria, ..AdaptiveOptions::default() };
    let mut world = with_columns(builder.adaptive(options), columns).build()?;
    let (mut discharges, mut out, mut stays) = (Vec::new(), 0.0, 0);
    let clock = Instant::now();
    while world.time().seconds() < END_S {
        let now = world.time().seconds();
        if now >= STAY_S * (stays + 1) as f64 {
            stays += 1;
            *world.criteria_mut().ok_or("an adaptive world")? = vec![look(stays)?];
        }
        world.run_until(SimTime::from_seconds(now + 0.5 * WINDOW_S));
        if world.time().seconds() >= WINDOW_S * (discharges.len() + 1) as f64 {
            let now = out_m3(&world, "south");
            discharges.push((now - out) / WINDOW_S);
            out = now;
        }
    }
    check_books(&world)?;
    Ok((discharges, clock.elapsed().as_secs_f64()))
}

/// Returns the largest difference of two series of windows, part of the first.
#[must_use]
pub fn off(near: &[f64], other: &[f64]) -> f64 {
    let pairs = near.iter().zip(other).skip(FIRST);
    pairs.map(|(a, b)| (b / a - 1.0).abs()).fold(0.0, f64::max)
}

fn measure(context: &Context) -> BenchResult {
    let (mut last, mut lines) = (None, Vec::new());
    for &columns in KINDS {
        let mut runs = Vec::new();
        for watch in [ObserverPlaces::Near, ObserverPlaces::Far, ObserverPlaces::Jumping] {
            let (discharges, wall_s) = run(watch, columns, context.solver)?;
            lines.push(format!("{columns}, {watch:?}: {discharges:.0?} m³/s, {wall_s:.0} s"));
            runs.push(discharges);
        }
        let worst = off(&runs[0], &runs[1]).max(off(&runs[0], &runs[2]));
        last = Some(worst.max(off(&runs[1], &runs[2])));
    }
    lines.push(format!("normal flow {:.0} m³/s; windows of {WINDOW_S} s", normal().1));
    let worst = last.ok_or("no kind of columns")?;
    Ok(vec![
        Measurement::new("subgrid.observers", 100.0 * worst, "%")
            .target("<= 2")
            .cells(VALLEY.plan().cells())
            .note(lines.join("\n")),
    ])
}
