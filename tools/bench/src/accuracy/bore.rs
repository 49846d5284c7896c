//! Bores of three strengths that run into still water.
//!
//! The water behind begins with the depth and velocity of the exact bore, 4 m from the western
//! wall. Waves that this wall sends after the bore do not reach it before it is measured: a
//! straight line through its places from 6 m to 9 m.

use crate::accuracy::case::{Case, percent};
use crate::accuracy::ladder::Ladder;
use crate::accuracy::scheme::{Scheme, channel, profile, run_to};
use crate::suite::{Bench, BenchError};
use exact::Bore;
use thalweg::world::WorldBuilder;
use thalweg_engine::grid::cells::CellPlace;

/// Speed against Rankine–Hugoniot.
pub const BENCH: Bench = Bench {
    ids: &["accuracy.bore"],
    what: "speed of bores of three strengths: worst relative error, 400 cells",
    is_long: false,
    measure: |context| Ok(context.show(case()?)),
};

const SIDES: [usize; 4] = [100, 200, 400, 800];
const PROMISED: usize = 400;
const LENGTH_M: f64 = 10.0;
const AHEAD_M: f64 = 0.1;
/// Depth behind over depth ahead.
const STRENGTHS: [f64; 3] = [1.2, 2.0, 6.0];
/// Start of the bore, and range in which it is measured, m.
const START_M: f64 = 4.0;
const FROM_M: f64 = 6.0;
const TO_M: f64 = 9.0;
const LOOKS: u32 = 40;

fn case() -> Result<Case, BenchError> {
    let ladder = Ladder::climb(1, SIDES, PROMISED, |cells, scheme| {
        let mut errors = [0.0; 3];
        for (error, strength) in errors.iter_mut().zip(STRENGTHS) {
            let bore = Bore::new(strength * AHEAD_M, AHEAD_M);
            *error = speed_m_s(bore, cells, scheme)? / bore.speed_m_s() - 1.0;
        }
        Ok(errors)
    })?;
    let worst = |errors: &[f64; 3]| errors.iter().fold(0.0_f64, |worst, e| worst.max(e.abs()));
    let each: Vec<String> = STRENGTHS
        .iter()
        .zip(ladder.promised())
        .map(|(strength, error)| format!("{strength} times as deep behind: {}", percent(*error)))
        .collect();
    Ok(Case {
        title: "Bores",
        about: "A step of depth runs into still water 0.1 m deep; its speed against the \
                Rankine–Hugoniot condition, the worst of three strengths. Stoker (1957), *Water \
                Waves*.",
        rows: vec![ladder.row("accuracy.bore", worst).target("<= 0.003").remark(&each.join(", "))],
        plots: Vec::new(),
    })
}

/// Returns the slope of a straight line through the bore's places, m/s.
fn speed_m_s(bore: Bore, cells: usize, scheme: Scheme) -> Result<f64, BenchError> {
    let plan = channel(cells, LENGTH_M);
    let is_behind = move |cell: CellPlace| (f64::from(cell.x) + 0.5) * plan.cell_m < START_M;
    let depth = move |cell| if is_behind(cell) { bore.behind_m() } else { AHEAD_M };
    let velocity = move |cell| (if is_behind(cell) { bore.velocity_m_s() } else { 0.0 }, 0.0);
    let mut world = WorldBuilder::new(plan.terrain(|_, _| 0.0)?)
        .settings(scheme.settings(0.0))
        .initial_depth(depth)
        .initial_velocity(velocity)
        .build()?;
    let middle_m = f64::midpoint(bore.behind_m(), AHEAD_M);
    let mut places = Vec::new();
    for look in 0..=LOOKS {
        let to_m = FROM_M + (TO_M - FROM_M) * f64::from(look) / f64::from(LOOKS);
        run_to(&mut world, (to_m - START_M) / bore.speed_m_s());
        let profile = profile(&world, 0.0, |_| AHEAD_M);
        // From the east: the first pair of cells with the middle depth between their depths.
        let step = profile.windows(2).rev().find(|pair| pair[0].depth_m >= middle_m);
        let step = step.ok_or("the bore is gone")?;
        let part = (step[0].depth_m - middle_m) / (step[0].depth_m - step[1].depth_m);
        places.push((world.time().seconds(), step[0].x_m + part * plan.cell_m));
    }
    Ok(slope(&places))
}

/// Returns the slope of the straight line with the least squares.
fn slope(points: &[(f64, f64)]) -> f64 {
    let count = points.len() as f64;
    let mean = |pick: fn(&(f64, f64)) -> f64| points.iter().map(pick).sum::<f64>() / count;
    let (x, y) = (mean(|point| point.0), mean(|point| point.1));
    let product = |point: &(f64, f64)| (point.0 - x) * (point.1 - y);
    let square = |point: &(f64, f64)| (point.0 - x) * (point.0 - x);
    points.iter().map(product).sum::<f64>() / points.iter().map(square).sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slope_of_a_line_with_noise_on_both_sides() {
        assert!((slope(&[(0.0, 1.0), (1.0, 2.5), (2.0, 6.0), (3.0, 7.5)]) - 2.3).abs() < 1.0e-12);
    }
}
