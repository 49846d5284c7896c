//! The discharge law of one face, with depth and slope fixed.

use super::{GRAVITY, MANNING, ManningFlow};
use crate::suite::BenchError;
use thalweg_engine::flow::face::FlowDepth;
use thalweg_engine::flow::params::{StepInput, StepParams};
use thalweg_engine::flow::pipe::{OldFace, advance_face};
use thalweg_engine::flow::terms::Terms;

/// Largest number of steps; the slowest flow at the shortest step needs this many.
const STEPS_MAX: f64 = 2.0e7;

/// Returns the relative error of the discharge after many steps from rest.
///
/// In a uniform oblique flow all west faces are alike, and so are all south faces. So the discharge
/// along a west face is the one through a south face, and the other way round.
#[expect(clippy::cast_possible_truncation, reason = "small whole numbers")]
pub fn error(flow: &ManningFlow) -> Result<(f64, String), BenchError> {
    let params = StepParams::new(&StepInput {
        dt_s: flow.step_s(),
        cell_width_m: flow.cell_m,
        unit_m: ManningFlow::unit_m(),
        gravity: GRAVITY,
        damping: true,
        terms: Terms::NONE,
    });
    let units = |metres: f64| (metres / ManningFlow::unit_m()).round() as i32;
    let (fall_x, fall_y) = flow.falls();
    let (rise_x, rise_y) = (-units(fall_x * flow.cell_m), -units(fall_y * flow.cell_m));
    let opening = units(flow.depth_m);
    let here = FlowDepth::of(opening, &params.face);
    let n2 = (MANNING * MANNING) as f32;
    let (mut x, mut y) = (0.0, 0.0);
    let mut clamped = false;
    for _ in 0..flow.steps_to_equilibrium().min(STEPS_MAX) as u64 {
        let old = |q, p| OldFace { q, p, part: 1.0 };
        let west = advance_face(old(x, y), here, rise_x, n2, &params.face);
        let south = advance_face(old(y, x), here, rise_y, n2, &params.face);
        (x, y) = (west.q, south.q);
        clamped = west.clamped || south.clamped;
    }
    // Against the slope and depth that these whole units represent.
    let slope = f64::from(rise_x).hypot(f64::from(rise_y)) * ManningFlow::unit_m() / flow.cell_m;
    let depth_m = f64::from(opening) * ManningFlow::unit_m();
    let q = f64::from(x).hypot(f64::from(y));
    let normal = ManningFlow { slope, depth_m, ..*flow }.normal_q();
    Ok((q / normal - 1.0, if clamped { ", clamped".to_owned() } else { String::new() }))
}
