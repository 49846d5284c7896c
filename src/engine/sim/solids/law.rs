//! Forces on the water of a passage, as a line in the heads on both sides.
//!
//! ```text
//! q' = (q + l |q| q + r A D) / (1 + 2 l |q|)          r = g Δt/Δ, D the fall, A the depth it is on
//! l  = r A D / q_w² + k                               q_w by the weir or the gate, k friction
//! ```
//!
//! A [`fluid`](crate::flow::fluid) with viscosity or a yield stress adds 1 + c in place of 1, and
//! subtracts y from the discharge without resistance: below y nothing passes under the present
//! heads, and only fluid that solids press out passes.
//!
//! The loss is that of [`aperture`](crate::structure::aperture), taken linear around q, so that the
//! steady flow is q_w; D becomes that of the future heads when they are found.

use crate::flow::fluid::FluidNumbers;
use crate::sim::params::Params;
use crate::sim::solids::region::{SolidNode, SolidPassage, larger, smaller};
use crate::structure::aperture::{Aperture, ApertureSides, Coefficients, OpeningFlow};
use crate::units::{SimTime, maths};

/// Numbers of a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StepNumbers {
    /// Length of the step, s.
    pub dt_s: f64,
    /// Width of cells, m.
    pub cell_width_m: f64,
    /// Metres in a vertical unit.
    pub unit_m: f64,
    /// Gravitational acceleration, m/s².
    pub gravity: f64,
    /// Numbers of the fluid.
    pub fluid: FluidNumbers,
}

impl StepNumbers {
    /// Numbers of a step of the base level between two moments.
    #[must_use]
    pub fn of(params: &Params, from: SimTime, to: SimTime) -> Self {
        let dt_s = SimTime::from_ticks(to.since(from)).seconds();
        Self {
            dt_s,
            cell_width_m: params.width_of(params.base),
            unit_m: params.unit_m,
            gravity: params.settings.gravity,
            fluid: FluidNumbers::new(&params.settings.fluid, dt_s),
        }
    }

    /// Returns Δt/Δ, s/m.
    #[must_use]
    pub fn ratio(&self) -> f64 {
        self.dt_s / self.cell_width_m
    }
}

/// A discharge as a line in two heads: `q = constant + slopes[0] H₀ − slopes[1] H₁`.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct DischargeLine {
    /// Discharge at heads of 0, m²/s.
    pub constant: f64,
    /// Rise with the first head, and fall with the second, m/s.
    pub slopes: [f64; 2],
    /// Depth of the opening times its width, m.
    pub area: f64,
    /// Largest discharge, m²/s.
    pub most: f64,
}

/// Height of a node over the lip of a passage, as a part of the height of the passage, from which
/// the lip restrains its water.
const NARROWS: f64 = 0.05;

/// Coefficient of discharge of a crest: ⅔ C_d √2 with C_d = 0.62, times √g gives m of Poleni.
const CREST: f64 = 0.584_5;

/// Coefficient of contraction under a lip.
const CONTRACTION: f32 = 0.61;

/// Friction of a full conduit, which has a roof, over that of an open channel of its height.
// 2^(4/3): the hydraulic radius is half of the height under a roof, all of it in an open channel,
// and friction goes with R^(−4/3).
const ROOF: f64 = 2.52;

/// Returns the line of a passage between two nodes with these heads, m above the datum; n² in
/// s²/m^(2/3).
#[must_use]
#[expect(clippy::cast_possible_truncation, reason = "heights over a sill in f32")]
pub fn line(
    passage: &SolidPassage,
    ends: [&SolidNode; 2],
    heads: [f64; 2],
    n2: f64,
    step: &StepNumbers,
) -> DischargeLine {
    let SolidPassage { sill, lip, width, q, .. } = *passage;
    let is_falling = heads[0] >= heads[1];
    let [high, low] = if is_falling { heads } else { [heads[1], heads[0]] };
    let donor = ends[usize::from(!is_falling)];
    let depth = smaller(high, lip) - sill;
    if depth <= 0.0 {
        return DischargeLine::default();
    }
    let is_under = high > lip && donor.roof() > lip + NARROWS * (lip - sill);
    let is_over = passage.is_crest || sill - donor.floor > depth;
    let ratio = step.gravity * step.dt_s / step.cell_width_m;
    let over = |height: f64| (height - sill) as f32;
    let (weir, gravity) = ((CREST * step.gravity.sqrt()) as f32, step.gravity as f32);
    let law = Coefficients { weir, contraction: CONTRACTION, gravity };
    let sides = ApertureSides { stage: [over(high), over(low)], bed: [0.0; 2] };
    let (opening, tail) = if is_under {
        let aperture = Aperture { sill: 0.0, lip: over(lip), crest: f32::MAX };
        (aperture.through(&sides, &law), f64::from(CONTRACTION) * (lip - sill)) // height of the jet
    } else if is_over {
        let bed = [maths::min(over(donor.floor), 0.0); 2];
        let aperture = Aperture { sill: 0.0, lip: 0.0, crest: 0.0 };
        (aperture.over(&ApertureSides { bed, ..sides }, &law), 0.0)
    } else {
        let fall = high - larger(low, sill);
        let (area, push) = (depth as f32, (depth * fall) as f32);
        (OpeningFlow { steady: 0.0, area, push }, 0.0)
    };
    let [steady, area, push] =
        [opening.steady, opening.area, opening.push].map(|part| f64::from(part) * width);
    if area <= 0.0 {
        return DischargeLine::default();
    }
    let local = if steady > 0.0 {
        ratio * push / (steady * steady) // so q_w is the steady discharge
    } else {
        ratio * width * slot_loss(width) / (2.0 * step.gravity * depth) // ξ V²/2g, V = q/h
    };
    let roof = if high > lip { ROOF } else { 1.0 };
    let loss = local + step.gravity * step.dt_s * n2 * (drag(depth) / width) * roof;
    let [held, laminar] = step.fluid.at(depth, high > lip);
    let damp = 1.0 / (1.0 + laminar + 2.0 * loss * q.abs());
    let sign = if is_falling { 1.0 } else { -1.0 };
    let free = q + ratio * push * sign;
    let now = if held <= 0.0 || free.abs() > held * area {
        let taken = if held > 0.0 { (held * area).copysign(free) } else { 0.0 };
        (q + loss * q.abs() * q + ratio * push * sign - taken) * damp
    } else {
        0.0 // held; but what is pressed out must find a way
    };
    let slope = ratio * area * damp;
    // A side that does not reach the opening does not restrain it.
    let slopes = heads.map(|head| {
        let reaches = head >= high || head - sill > tail;
        if reaches { slope } else { 0.0 }
    });
    let constant = now - slopes[0] * heads[0] + slopes[1] * heads[1]; // gives `now` at these heads
    let courant = step.cell_width_m / step.dt_s;
    // Without transport of momentum nothing but this slows an open stream.
    let is_free = !is_under && high <= lip;
    let wave = (step.gravity * depth).sqrt();
    let most = area * if is_free { smaller(courant, wave) } else { courant };
    DischargeLine { constant, slopes, area, most }
}

/// Returns h^(−7/3) of a depth.
#[expect(clippy::cast_possible_truncation, reason = "a root of 5 digits is enough")]
fn drag(depth: f64) -> f64 {
    let root = f64::from(maths::inverse_cube_root(depth as f32));
    root * root * root * root * root * root * root
}

/// Returns the velocity heads of the whole face that are lost behind a slot of a part of its width,
/// by its contraction (Weisbach) and the widening behind it (Borda).
fn slot_loss(width: f64) -> f64 {
    let contraction = 0.63 + 0.37 * width * width * width;
    let widening = 1.0 / (contraction * width) - 1.0;
    widening * widening
}

impl DischargeLine {
    /// Returns the discharge at two heads, m²/s.
    #[must_use]
    pub fn at(&self, heads: [f64; 2]) -> f64 {
        self.constant + self.slopes[0] * heads[0] - self.slopes[1] * heads[1]
    }

    /// Returns the discharge on the line, no more than can pass.
    #[must_use]
    pub fn bounded(&self, heads: [f64; 2]) -> f64 {
        larger(-self.most, smaller(self.at(heads), self.most))
    }
}
