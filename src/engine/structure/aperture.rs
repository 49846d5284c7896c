//! Flow through a closed face: over its crest, and through its gap.
//!
//! ```text
//!            ~~~~ η₁          weir     q = m H₁^(3/2) (1 − (H₂/H₁)^(3/2))^0.385          (1)
//!                 │ crest     orifice  q² = 2 g y² H₁² / (H₁ + y),  y = C_c b            (2)
//!                 ┃ lip       drowned  h₃ = H₁ − ½ x (1/y² − 1/H₁²),  x = q²/g           (3)
//!      →      b          ~~~ η₂        h₃² = H₂² + 2 x (1/H₂ − 1/y)
//!   ▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓ sill
//! ```
//!
//! These discharges are steady. In unsteady flow the water in the opening is driven by the fall of
//! the stage, and slowed by a loss such that the steady flow is that of (1) to (3):
//!
//! ```text
//! s  = q + g Δt/Δ Σ A D,   c = (g Δt/Δ Σ A D) / q_w² + k    D the fall, A the depth it is on
//! q' = 2 s / (1 + √(1 + 4 c |s|))                                                        (4)
//! ```
//!
//! so that level water in two basins does not oscillate, though (1) is infinitely steep there.
//!
//! Guarantees: `q = 0` stays so if the stages are equal, or below all openings; no −0, no NaN; the
//!             loss never reverses a flow.
//! Limits:     the velocity of approach counts under a gate, as in (2), and not over a crest; the
//!             jet behind a face is always normal to the face.
//! Source:     (1) Poleni (1717), Villemonte (1947), Eng. News Record 139; (2), (3) energy to the
//!             contracted jet and momentum behind it: Rajaratnam & Subramanya (1967), J. Irrig.
//!             Drain. Div. 93; (4) own.

use crate::units::maths;
use serde::Serialize;

/// Coefficient of discharge C_d over a sharp crest.
pub const SHARP: f64 = 0.62;

/// Coefficient of discharge C_d over a broad crest, on which the flow is critical: 1/√3.
// ⅔ √(2g)/√3 = √(8g/27): the discharge √(g y³) at the critical depth y = ⅔ H.
pub const BROAD: f64 = 0.577_350_269_189_625_8;

/// Coefficient of contraction C_c behind a gap in a high wall.
pub const CONTRACTION: f64 = 0.61;

/// The open part of a face, m above the datum of the two stages.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Aperture {
    /// Bottom of the gap.
    pub sill: f32,
    /// Top of the gap; not above the sill if the face has no gap.
    pub lip: f32,
    /// Top of the structure.
    pub crest: f32,
}

/// Coefficients of the laws.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Coefficients {
    /// `m` of (1), m^(1/2)/s: ⅔ C_d √(2g).
    pub weir: f32,
    /// C_c of (2).
    pub contraction: f32,
    /// g, m/s².
    pub gravity: f32,
}

/// Stages and beds on the two sides of a face, m; the side of the higher stage first.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ApertureSides {
    /// Stages.
    pub stage: [f32; 2],
    /// Beds.
    pub bed: [f32; 2],
}

/// Flow through an opening at given stages, per metre of width.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct OpeningFlow {
    /// Steady unit discharge from the higher to the lower stage, m²/s.
    pub steady: f32,
    /// Depth of the openings, m.
    pub area: f32,
    /// Depth of the openings times the fall that acts on them, m².
    pub push: f32,
}

/// Part of its head by which a crest may stand below the bed before it takes no head any more.
const CREST_LOW: f32 = 0.02;
/// The least height of a crest over the bed, as a part of the head over it.
const CREST_LEAST: f32 = 1.0e-3;

impl Aperture {
    /// Returns the flow over the crest.
    #[must_use]
    pub fn over(&self, sides: &ApertureSides, law: &Coefficients) -> OpeningFlow {
        weir(self.crest_on(sides), sides, law)
    }

    /// Returns the flow through the gap.
    #[must_use]
    pub fn through(&self, sides: &ApertureSides, law: &Coefficients) -> OpeningFlow {
        let sill = maths::max(self.sill, ground(sides));
        let lip = maths::min(self.lip, self.crest_on(sides));
        if lip <= sill {
            OpeningFlow::default()
        } else if sides.stage[0] <= lip {
            weir(sill, sides, law)
        } else {
            orifice(sill, lip, sides.stage, law)
        }
    }

    /// Returns the crest of the face, or the ground if that is higher.
    fn crest_on(&self, sides: &ApertureSides) -> f32 {
        maths::max(self.crest, ground(sides))
    }
}

impl Coefficients {
    /// Returns `m` of (1) by a coefficient of discharge, m^(1/2)/s.
    #[must_use]
    pub fn weir_of(discharge: f64, gravity: f64) -> f64 {
        discharge * 2.0 / 3.0 * (2.0 * gravity).sqrt()
    }
}

impl OpeningFlow {
    /// Returns the sum of the two flows.
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        Self {
            steady: self.steady + other.steady,
            area: self.area + other.area,
            push: self.push + other.push,
        }
    }

    /// Returns the flow over a part of the width.
    #[must_use]
    pub fn times(&self, part: f32) -> Self {
        Self { steady: self.steady * part, area: self.area * part, push: self.push * part }
    }

    /// Returns the unit discharge after a step, m²/s, by (4): `q` is that before it; `sign` is 1 if
    /// the stage falls in the direction of q and −1 if it rises; `ratio` is g Δt/Δ, 1/s; `k` is the
    /// friction of the ground, s/m².
    #[inline]
    #[must_use]
    pub fn advance(&self, q: f32, sign: f32, ratio: f32, k: f32) -> f32 {
        if self.area <= 0.0 {
            return 0.0;
        }
        let push = self.push * ratio;
        let loss = if self.steady > 0.0 { push / (self.steady * self.steady) } else { 0.0 };
        let s = q + sign * push;
        // `+ 0.0` turns a −0 into a 0: discharges are state, which has no −0.
        2.0 * s / (1.0 + (1.0 + 4.0 * (loss + k) * s.abs()).sqrt()) + 0.0
    }
}

/// Returns the higher bed.
fn ground(sides: &ApertureSides) -> f32 {
    maths::max(sides.bed[0], sides.bed[1])
}

/// Returns the flow over a crest, by (1).
fn weir(crest: f32, sides: &ApertureSides, law: &Coefficients) -> OpeningFlow {
    let [head, tail] = sides.stage.map(|stage| stage - crest);
    if head <= 0.0 {
        return OpeningFlow::default();
    }
    let tail = maths::max(tail, 0.0);
    let free = law.weir * head * head.sqrt();
    let ratio = maths::min(tail / head, 1.0);
    let drowned = power_0_385(1.0 - ratio * ratio.sqrt());
    // A crest as low as the bed causes no loss of head.
    let height = maths::max(crest - sides.bed[0], CREST_LEAST * head);
    // This makes the discharge 1.01 times that of (1) if the crest is as high as the head, 1.41
    // times if it is a fiftieth as high, and 4.6 times at most.
    let low = (1.0 + CREST_LOW * head / height).sqrt();
    OpeningFlow { steady: free * drowned * low, area: head, push: head * (head - tail) }
}

/// Returns the flow through a gap whose lip is under water, by (2) and (3).
fn orifice(sill: f32, lip: f32, stage: [f32; 2], law: &Coefficients) -> OpeningFlow {
    let gap = lip - sill;
    let head = stage[0] - sill;
    let tail = maths::min(stage[1] - sill, head);
    let y = law.contraction * gap;
    // x = q²/g.
    let a = 0.5 * (1.0 / (y * y) - 1.0 / (head * head));
    // (2) is (3) with h₃ = y.
    let free = (head - y) / a;
    let mut x = free;
    if tail > y {
        let c = 1.0 / y - 1.0 / tail;
        // Both lines of (3) together give a² x² − 2 b x + fall = 0. The smaller root is computed
        // without a difference of two numbers that are nearly equal.
        let b = a * head - c;
        let fall = (head - tail) * (head + tail);
        let root = b * b - a * a * fall;
        // Without a positive root no depth h₃ satisfies both lines: the jet stays free.
        if b > 0.0 && root >= 0.0 {
            x = maths::min(fall / (b + root.sqrt()), free);
        }
    }
    let fall = head - maths::max(tail, y);
    OpeningFlow { steady: (law.gravity * x).sqrt(), area: gap, push: gap * maths::max(fall, 0.0) }
}

/// Returns x^0.385 for 0 ≤ x ≤ 1 by square roots: ¼ + ⅛ + 1/128 + 1/512, so x^0.3848.
fn power_0_385(x: f32) -> f32 {
    // `powf` differs between machines; a square root is rounded correctly on all of them.
    let (mut root, mut product) = (x, 1.0);
    for power in 1..=9 {
        root = root.sqrt();
        if matches!(power, 2 | 3 | 7 | 9) {
            product *= root;
        }
    }
    product
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Aperture {
        fn passage(&self, sides: &ApertureSides, law: &Coefficients) -> OpeningFlow {
            self.over(sides, law).and(&self.through(sides, law))
        }
    }

    const LAW: Coefficients = Coefficients { weir: 1.83, contraction: 0.61, gravity: 9.81 };

    fn sides(stage: [f32; 2]) -> ApertureSides {
        ApertureSides { stage, bed: [0.0; 2] }
    }

    fn close(a: f32, b: f64, part: f64) {
        assert!((f64::from(a) - b).abs() <= part * b.abs(), "{a} is not {b}");
    }

    /// Goal: the textbook's discharges. Method: the same formulas in `f64` with powers, and for the
    /// drowned gate energy and momentum put back in.
    #[test]
    fn steady_discharges_are_the_textbooks() {
        let wall = Aperture { sill: 0.0, lip: 0.0, crest: 2.0 };
        for (up, down) in [(2.1_f32, 1.0_f32), (3.0, 2.0), (3.0, 2.5), (3.0, 2.9), (2.5, 2.499)] {
            let (head, tail) = (f64::from(up) - 2.0, (f64::from(down) - 2.0).max(0.0));
            let expected = 1.83 * head.powf(1.5) * (1.0 - (tail / head).powf(1.5)).powf(0.385);
            let found = wall.passage(&sides([up, down]), &LAW);
            close(found.steady, expected, 8.0e-3);
        }
        let gate = Aperture { sill: 0.0, lip: 0.5, crest: 9.0 };
        for up in [0.8_f32, 2.0, 5.0] {
            let (head, y) = (f64::from(up), 0.61 * 0.5);
            let expected = y * (2.0 * 9.81 * head).sqrt() / (1.0 + y / head).sqrt();
            close(gate.passage(&sides([up, 0.1]), &LAW).steady, expected, 1.0e-4);
        }
        for down in [1.8_f32, 1.9, 1.99] {
            let q = f64::from(gate.passage(&sides([2.0, down]), &LAW).steady);
            let down = f64::from(down);
            let (y, x) = (0.305, q * q / 9.81);
            let h3 = 2.0 - 0.5 * x * (1.0 / (y * y) - 0.25);
            let momentum = h3 * h3 - down * down - 2.0 * x * (1.0 / down - 1.0 / y);
            assert!(h3 >= y && momentum.abs() < 1.0e-2, "{down}: {momentum}");
        }
    }

    /// Goal: more fall never passes less, through all changes of regime, and the discharge is
    /// continuous except where the stage reaches the lip.
    #[test]
    fn discharge_rises_with_the_head() {
        let gate = Aperture { sill: 0.2, lip: 0.7, crest: 3.0 };
        let discharge = |up: f32, down: f32| gate.passage(&sides([up, down]), &LAW).steady;
        for step in 1..400_u16 {
            let up = 0.71 + 0.01 * f32::from(step);
            let before = up - 0.01;
            assert!(discharge(up, 0.0) >= discharge(before, 0.0), "free at {up}");
            for part in 1..100_u16 {
                let down = up * f32::from(part) / 100.0;
                let higher = up * f32::from(part + 1) / 100.0;
                let (low, high) = (discharge(up, higher), discharge(up, down));
                assert!(low <= high * 1.000_1, "{up} above {down}: {high}, then {low}");
            }
        }
    }

    /// Goal: a constant fall ends at the steady discharge; without a fall a flow only slows.
    #[test]
    fn a_steady_fall_ends_at_the_steady_discharge() {
        for aperture in [
            Aperture { sill: 0.0, lip: 0.0, crest: 2.0 },
            Aperture { sill: 0.0, lip: 0.5, crest: 9.0 },
            Aperture { sill: 0.0, lip: 0.5, crest: 2.2 },
        ] {
            let passage = aperture.passage(&sides([3.0, 2.4]), &LAW);
            let mut q = -1.0;
            for _ in 0..4000 {
                q = passage.advance(q, 1.0, 9.81 * 0.05, 0.0);
            }
            close(q, f64::from(passage.steady), 1.0e-3);
            let level = aperture.passage(&sides([3.0, 3.0]), &LAW);
            assert!(level.advance(0.0, 1.0, 0.5, 0.0).to_bits() == 0);
            let slowed = level.advance(1.0, 1.0, 0.5, 0.1);
            assert!(slowed > 0.0 && slowed < 1.0, "{slowed}");
        }
    }
}
