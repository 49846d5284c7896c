//! Discharges of passages between solids, as lines in the heads on both sides.
//!
//! ```text
//! q = q₀ + s₀ (H₀ − H₀') − s₁ (H₁ − H₁')             ' present heads; q₀, s of the passage's law
//! ```
//!
//! The line is the law of the passage (`sim/passage.rs`), whose resistance is linear around the
//! discharge at the start of the step: a step finds all heads from lines, each taken once. A crest
//! of a thin body, or of a barrier among solids, is a thin wall; all further walls are thick, for a
//! body that fills a cell is as thick as the cell is wide.
//!
//! A side that does not reach the sill does not restrain the flow, nor does the tail while the
//! crest or the lip bounds it: their slope is 0, so water that drops into a pit does not depend on
//! the stage in the pit.
//!
//! In a [`fluid`](crate::flow::fluid) with a yield stress nothing passes under the present heads if
//! they are too level, and only fluid that solids press out passes.

use crate::sim::passage::{EndWater, FaceWater, PassageFlow, PassageLaw, PassageWalls};
use crate::sim::solids::region::{SolidNode, SolidPassage, larger, smaller};
use crate::sim::step_numbers::StepNumbers;
use crate::structure::aperture::{Aperture, ApertureSides, CONTRACTION, Coefficients, SHARP};
use crate::units::maths;

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

/// Returns the line of a passage between two nodes with these heads, m above the datum; n² in
/// s²/m^(2/3).
#[must_use]
pub fn line(
    passage: &SolidPassage,
    ends: [&SolidNode; 2],
    heads: [f64; 2],
    n2: f64,
    step: &StepNumbers,
) -> DischargeLine {
    let SolidPassage { sill, lip, width, is_crest, q, .. } = *passage;
    let water = |side: usize| {
        // A node that is just full may have its roof a few units below the lip: the lip counts, so
        // that the passage is full too.
        let stage = smaller(heads[side], larger(ends[side].roof(), lip));
        EndWater { stage, depth: larger(stage - ends[side].floor, 0.0) }
    };
    let walls = match is_crest {
        true => PassageWalls::Thin { loss: crest_loss(passage, ends, heads, step.gravity) },
        false => PassageWalls::Thick,
    };
    let face = FaceWater {
        ends: [water(0), water(1)],
        sill,
        roof: lip,
        width,
        walls,
        is_stream: heads[0] <= lip && heads[1] <= lip,
        n2,
        q,
        // All flow counts as straight: a stream that bends around a body keeps its velocity head.
        straight: [None; 2],
    };
    DischargeLine::of(&PassageLaw::of(&face, step), heads, step.gravity)
}

/// Returns the loss over a thin crest, and under a lip above it: the fall over the square of the
/// steady discharge, s²/m³; 0 without a fall.
#[expect(clippy::cast_possible_truncation, reason = "heights over a sill in f32")]
fn crest_loss(passage: &SolidPassage, ends: [&SolidNode; 2], heads: [f64; 2], gravity: f64) -> f64 {
    let SolidPassage { sill, lip, width, .. } = *passage;
    let is_falling = heads[0] >= heads[1];
    let [high, low] = if is_falling { heads } else { [heads[1], heads[0]] };
    let donor = ends[usize::from(!is_falling)];
    let over = |height: f64| (height - sill) as f32;
    let law = Coefficients {
        weir: Coefficients::weir_of(SHARP, gravity) as f32,
        contraction: CONTRACTION as f32,
        gravity: gravity as f32,
    };
    let sides = ApertureSides {
        stage: [over(high), over(low)],
        bed: [maths::min(over(donor.floor), 0.0); 2],
    };
    let aperture = Aperture { sill: 0.0, lip: over(lip), crest: f32::MAX };
    let steady = f64::from(aperture.through(&sides, &law).steady) * width;
    // In f32 as the discharge is: of heads that are nearly level both would be rounded differently.
    let fall = f64::from(over(high)) - larger(over(low).into(), 0.0);
    if steady > 0.0 { fall / (steady * steady) } else { 0.0 }
}

impl DischargeLine {
    /// Returns the line of a law, with its bound at two heads, m above the datum.
    #[must_use]
    pub fn of(law: &PassageLaw, heads: [f64; 2], gravity: f64) -> Self {
        let PassageFlow { q, slope, is_bounded } = law.linear(heads, gravity);
        let tail = usize::from(heads[0] >= heads[1]);
        let slopes = [0, 1].map(|side| {
            let is_loose = heads[side] <= law.sill || is_bounded && side == tail;
            if is_loose { 0.0 } else { slope }
        });
        Self {
            constant: q - slopes[0] * heads[0] + slopes[1] * heads[1],
            slopes,
            area: law.depth * law.width,
            most: law.most,
        }
    }

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::solids::region::{NodeId, RegionCellId};
    use crate::structure::aperture::BROAD;

    const STEP: StepNumbers = StepNumbers::SAMPLE;

    /// Returns a passage over the whole width of a face.
    fn passage(sill: f64, lip: f64) -> SolidPassage {
        let (nodes, place) = ([NodeId::NONE; 2], (0, 0, 0));
        SolidPassage { nodes, place, sill, lip, width: 1.0, is_crest: false, q: 0.0 }
    }

    /// Returns open water over a floor.
    fn node(floor: f64) -> SolidNode {
        let (low, high) = (f64::INFINITY, f64::INFINITY);
        let (cell, is_upper, head) = (RegionCellId::NONE, false, floor);
        SolidNode { cell, is_upper, floor, low, high, share: 0.0, head }
    }

    /// Returns the line of a smooth passage between two nodes over one floor.
    fn line_over(passage: &SolidPassage, floor: f64, heads: [f64; 2]) -> DischargeLine {
        line(passage, [&node(floor); 2], heads, 0.0, &STEP)
    }

    /// Returns the discharge that steps lead to.
    fn settled(step: impl Fn(f64) -> f64) -> f64 {
        (0..4000).fold(0.0, |q, _| step(q))
    }

    /// Goal: a passage between solids passes as much as the textbook has it, and as much as one of
    /// the same opening between intervals. Method: fixed heads on both sides; the whole table again
    /// with the heads exchanged.
    #[test]
    fn passages_between_solids_pass_what_those_between_intervals_do() {
        let g = STEP.gravity;
        let weir = |c_d: f64, head: f64| Coefficients::weir_of(c_d, g) * head.powf(1.5);
        let crest = SolidPassage { is_crest: true, ..passage(0.0, f64::INFINITY) };
        let drowned = (1.0 - 0.5_f64.powf(1.5)).powf(0.385);
        // A quarter of the width or of the depth: c = 0.6161, r = 0.25 and 0.2632.
        let slot = 0.5 * (2.0 * g * 0.1 / 1.8567_f64).sqrt();
        let narrow = SolidPassage { width: 0.25, ..passage(0.0, f64::INFINITY) };
        let cases = [
            ("a broad crest", passage(0.0, f64::INFINITY), -50.0, [0.6, -40.0], weir(BROAD, 0.6)),
            ("a sharp crest", crest, -50.0, [0.6, -40.0], weir(SHARP, 0.6)),
            ("a drowned crest", crest, -50.0, [1.0, 0.5], weir(SHARP, 1.0) * drowned),
            ("a hole", passage(0.0, 1.0), -500.0, [3.0, 2.5], 0.61 * (2.0 * g * 0.5).sqrt()),
            ("a gate", passage(0.0, 1.0), -50.0, [6.0, -40.0], 0.61 * (2.0 * g * 5.39).sqrt()),
            ("a narrow slot", narrow, 0.0, [2.0, 1.9], slot),
            ("a low slot", passage(0.0, 0.5), 0.0, [2.0, 1.9], slot),
        ];
        for (name, passage, floor, heads, expected) in cases {
            let of = |q: f64| line_over(&SolidPassage { q, ..passage }, floor, heads);
            let q = settled(|q| of(q).bounded(heads));
            assert!((q / expected - 1.0).abs() < 0.01, "{name}: {q}, not {expected}");
            let back = [heads[1], heads[0]];
            let of = |q: f64| line_over(&SolidPassage { q, ..passage }, floor, back);
            let returned = settled(|q| of(q).bounded(back));
            assert!((returned + q).abs() < 1.0e-9, "{name}: {q} there, {returned} back");
            if passage.is_crest {
                continue; // intervals have no thin walls
            }
            let SolidPassage { sill, lip, width, .. } = passage;
            let ends = heads.map(|stage| EndWater { stage, depth: (stage - floor).max(0.0) });
            let (walls, straight) = (PassageWalls::Thick, [None; 2]);
            let between = settled(|q| {
                let (roof, n2, is_stream) = (lip, 0.0, false);
                let face = FaceWater { ends, sill, roof, width, walls, is_stream, n2, q, straight };
                PassageLaw::of(&face, &STEP).carried(heads, g).0
            });
            assert!((between - q).abs() < 1.0e-9, "{name}: {q}, between intervals {between}");
        }
    }

    /// Goal: water that drops into a pit does not depend on the stage there; in level water both
    /// heads count, and nothing moves.
    #[test]
    fn a_tail_below_the_opening_has_no_slope() {
        for (sill, lip) in [(0.0, f64::INFINITY), (0.0, 0.2)] {
            let moving = SolidPassage { q: 2.0, ..passage(sill, lip) };
            for tail in [-2.0, 0.1] {
                let free = line_over(&moving, -3.0, [1.0, tail]);
                assert!(free.slopes[0] > 0.0 && free.slopes[1] == 0.0, "{tail} m: {free:?}");
            }
            let level = line_over(&passage(sill, lip), -3.0, [1.0, 1.0]);
            assert!(level.slopes.iter().all(|slope| *slope > 0.0), "{level:?}");
            assert!(level.at([1.0, 1.0]).abs() < 1.0e-12, "{level:?}");
        }
        let dry = line_over(&passage(0.0, 1.0), -3.0, [-0.5, -1.0]);
        assert_eq!(dry, DischargeLine::default());
    }
}
