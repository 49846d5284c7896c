//! The law of a face between two nodes: its discharge under their heads.
//!
//! ```text
//! q*  = q − g a Δt/Δ (max(H_r, s) − max(H_l, s))     s the sill, a the depth from it to the roof
//! q   = 2 q* / (1 + √(1 + 4 k |q*|))                 k = Δt (g a n²/M² + K/(2 a Δ))
//! M   = min(a^(5/3), O (O/2)^(2/3))                  conveyance; O the height of the opening
//! K   = r_d² − p r_u² + max(1/c − r_d, 0)²           r = a/h of the water down- and upstream
//! c   = 0.61 + 0.39 (a/h_u)³                         contraction
//! |q| ≤ y √(2 g (E − y))                             where the tail stands below s + y
//! E   = H_u − s + u²/2g,   y = min(⅔ E, c O, H_u − s)
//! ```
//!
//! K is the head of the opening that a change of section takes: velocity head gained, r_d² − r_u²,
//! and lost behind the contraction (Borda and Carnot). If a stream widens K may be below 0: then it
//! gains head, taken from the discharge of a step ago. Flow from the side has no velocity along the
//! axis: p is the square of the part that is straight. If none can be, since that side is closed,
//! the strongest stream from a different side or from above counts as straight: a bend keeps its
//! velocity head, and two streams that meet there gain none. The conveyance does not fall while an
//! opening fills, so no discharge has two depths; the bound is that of a weir, of a sluice, and
//! continuous between.
//!
//! A [`fluid`](crate::flow::fluid) with viscosity has 1 + c in place of 1, with c as between two
//! plates if it fills the opening; one with a yield stress has no intervals.
//!
//! Source: own, after Weisbach's contraction, Borda and Carnot's loss, and Bernoulli over a crest;
//!         the capped conveyance: `prototypes/stacked_columns.py`, case 2.

use crate::sim::solids::law::StepNumbers;
use crate::units::maths;

/// Depth over a sill below which nothing passes, m.
const DRY_M: f64 = 1.0e-9;

/// A face in a step: numbers from its present state.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct PassageLaw {
    /// Discharge at the start of the step, m²/s.
    pub q: f64,
    /// Discharge that a metre of fall adds, m/s: g a Δt/Δ; 0 of a dry or closed face.
    pub push: f64,
    /// Sill, m above the datum.
    pub sill: f64,
    /// Resistance k to a discharge onward and back, s/m².
    pub k: [f64; 2],
    /// Contracted opening onward and back, m.
    pub jet: [f64; 2],
    /// Velocity head of the flow from before, and from behind, m.
    pub velocity_head: [f64; 2],
    /// Largest discharge, m²/s: all the water over the sill in a step.
    pub most: f64,
    /// Depth over the sill, m.
    pub depth: f64,
    /// c of a [`fluid`](crate::flow::fluid).
    pub laminar: f64,
}

/// One side of a face.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EndWater {
    /// Stage, m above the datum: of a full interval its ceiling.
    pub stage: f64,
    /// Depth, m.
    pub depth: f64,
}

/// A face and the water at its ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FaceWater {
    /// Water before and behind.
    pub ends: [EndWater; 2],
    /// Sill and roof, m above the datum.
    pub sill: f64,
    /// The roof.
    pub roof: f64,
    /// Manning's n squared, s²/m^(2/3).
    pub n2: f64,
    /// Discharge of the last step, m²/s.
    pub q: f64,
    /// Inflow that counts as straight into the cell before, from before it, and into the cell
    /// behind, from behind it, m²/s; `None` for open water, which always does.
    pub straight: [Option<f64>; 2],
}

impl PassageLaw {
    /// Returns the law of a face in a step.
    #[must_use]
    pub fn of(face: &FaceWater, step: &StepNumbers) -> Self {
        let FaceWater { ends, sill, roof, n2, q, straight } = *face;
        let a = ends[0].stage.max(ends[1].stage).min(roof) - sill;
        if a <= DRY_M {
            return Self { sill, ..Self::default() };
        }
        let gravity = step.gravity;
        let opening = roof - sill;
        let contraction = ends.map(|end| {
            let part = (a / end.depth.max(a)).min(1.0);
            0.61 + 0.39 * part * part * part
        });
        // Between floor and roof the hydraulic radius is half of the height. An open stream conveys
        // as much from 0.76 of the height on.
        let shut = opening * two_thirds(0.5 * opening);
        let conveyance = (a * two_thirds(a)).min(shut);
        let rough = step.dt_s * gravity * a * n2 / (conveyance * conveyance);
        let local = 0.5 * step.ratio() / a;
        let [_, laminar] = step.fluid.at(a, a >= opening);
        // Of a flow from `up`: head that the change of section takes, and head that it brings.
        let lost = |up: usize| {
            let [up, down] = [ends[up], ends[1 - up]].map(|end| (end, contraction[up]));
            let over = (up.0.stage - sill).max(0.0);
            let jet = (over * (2.0 / 3.0)).min(up.1 * opening);
            // In the air the jet is as deep as it leaves.
            let tail = down.0.depth.max(jet);
            let [r_u, r_d] = [(a / up.0.depth.max(a)).min(1.0), a / tail.max(DRY_M)];
            let behind = (1.0 / up.1 - r_d).max(0.0);
            (r_d * r_d + behind * behind, r_u * r_u)
        };
        let straight_part = |up: usize| match straight[up] {
            Some(inflow) if inflow < q.abs() => {
                let part = (inflow / q.abs()).max(0.0);
                part * part
            }
            _ => 1.0,
        };
        let k = [0, 1].map(|up| {
            let (lost, brought) = lost(up);
            lost - straight_part(up) * brought
        });
        let backward = usize::from(q < 0.0);
        // A gain is explicit: if k were below 0, the implicit law might have no root.
        let gain = (-k[backward]).max(0.0) * local * q * q;
        let velocity_head = ends.map(|end| {
            let u = q / end.depth.max(a);
            u * u / (2.0 * gravity)
        });
        Self {
            q: if q < 0.0 { q - gain } else { q + gain },
            push: gravity * a * step.ratio(),
            sill,
            k: k.map(|k| rough + local * k.max(0.0)),
            jet: contraction.map(|part| part * opening),
            velocity_head,
            most: a / step.ratio(),
            depth: a,
            laminar,
        }
    }

    /// Returns the discharge under two heads, m above the datum, and its gain with a metre of fall.
    #[inline]
    #[must_use]
    pub fn carried(&self, heads: [f64; 2], gravity: f64) -> (f64, f64) {
        if self.push == 0.0 {
            return (0.0, 0.0);
        }
        let wet = heads.map(|head| (head - self.sill).max(0.0));
        let free = self.q + self.push * (wet[0] - wet[1]);
        let up = usize::from(free < 0.0);
        let k = self.k[up];
        let c = 1.0 + self.laminar;
        let root = (c * c + 4.0 * k * free.abs()).sqrt();
        // q solves k |q| q + c q = free; its derivative by free is 1/(c + 2 k |q|) = 1/root.
        let (q, mut slope) = (2.0 * free / (c + root), self.push / root);
        let mut most = self.most;
        let energy = wet[up] + self.velocity_head[up];
        let y = (energy * (2.0 / 3.0)).min(self.jet[up]).min(wet[up]);
        if wet[1 - up] < y {
            let speed = (2.0 * gravity * (energy - y).max(0.0)).sqrt();
            if y * speed < most {
                most = y * speed;
                if q.abs() > most {
                    slope = slope.max(gravity * y / speed.max(1.0e-6)); // d(y √(2 g (E − y)))/dE
                }
            }
        }
        let q = if q.abs() > most { most.copysign(free) } else { q };
        (q, slope)
    }
}

/// Returns x^(2/3) of a positive x, the same on every machine.
fn two_thirds(x: f64) -> f64 {
    #[expect(clippy::cast_possible_truncation, reason = "a root of 5 digits is enough")]
    let x = x.clamp(1.0e-9, 1.0e9) as f32;
    f64::from(x * maths::inverse_cube_root(x))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flow::fluid::FluidNumbers;

    const STEP: StepNumbers = StepNumbers {
        dt_s: 0.05,
        cell_width_m: 1.0,
        unit_m: 1.0e-6,
        gravity: 9.81,
        fluid: FluidNumbers { stop: 0.0, laminar: 0.0 },
    };

    /// Returns the discharge to which a face settles under fixed heads, m²/s.
    fn steady(ends: [EndWater; 2], heads: [f64; 2], opening: (f64, f64), n2: f64) -> f64 {
        let mut q = 0.0;
        for _ in 0..4000 {
            let (sill, roof) = opening;
            let face = FaceWater { ends, sill, roof, n2, q, straight: [None; 2] };
            q = PassageLaw::of(&face, &STEP).carried(heads, STEP.gravity).0;
        }
        q
    }

    fn end(bed: f64, stage: f64) -> EndWater {
        EndWater { stage, depth: stage - bed }
    }

    /// Goal: the textbook's discharge through an opening in a wall between two lakes, over a weir
    /// and under a sluice. Method: fixed stages on both sides.
    #[test]
    fn openings_pass_as_textbooks_have_it() {
        let g = STEP.gravity;
        // Deep water on both sides: contracted, and all velocity head lost behind.
        let ends = [end(-500.0, 3.0), end(-500.0, 2.5)];
        let q = steady(ends, [3.0, 2.5], (0.0, 1.0), 0.0);
        let expected = 0.61 * (2.0 * g * 0.5_f64).sqrt();
        assert!((q / expected - 1.0).abs() < 0.01, "{q} {expected}");
        assert!((steady([ends[1], ends[0]], [2.5, 3.0], (0.0, 1.0), 0.0) + q).abs() < 1.0e-9);
        // Free: over a sill as Poleni has it, under a lip as a sluice.
        let free = [end(-50.0, 0.6), end(-50.0, -40.0)];
        let weir = (2.0_f64 / 3.0 * 0.6).powf(1.5) * g.sqrt();
        let q = steady(free, [0.6, -40.0], (0.0, 5.0), 0.0);
        assert!((q / weir - 1.0).abs() < 0.01, "{q} {weir}");
        let free = [end(-50.0, 6.0), end(-50.0, -40.0)];
        let sluice = 0.61 * (2.0 * g * (6.0 - 0.61)).sqrt();
        let q = steady(free, [6.0, -40.0], (0.0, 1.0), 0.0);
        assert!((q / sluice - 1.0).abs() < 0.01, "{q} {sluice}");
    }

    /// Goal: a pit that is dry and deep below a sill delays nothing. Method: a drop of 5 m with no
    /// water in it, and with some.
    #[test]
    fn a_dry_shaft_takes_what_a_weir_gives() {
        let weir = (2.0_f64 / 3.0 * 0.5).powf(1.5) * STEP.gravity.sqrt();
        for depth in [0.0, 0.01, 0.3, 4.0] {
            let ends = [end(-8.0, 0.5), end(-5.0, depth - 5.0)];
            let q = steady(ends, [0.5, depth - 5.0], (0.0, 6.0), 0.0);
            assert!((q / weir - 1.0).abs() < 0.01, "{depth} m: {q} {weir}");
        }
    }

    /// Goal: a pipe between two cells of one section loses nothing but friction. Method: full ends
    /// without roughness keep any discharge; with it, they settle to Manning's.
    #[test]
    fn a_section_that_stays_takes_friction_alone() {
        let ends = [end(0.0, 1.0); 2];
        let straight = [Some(2.0), Some(-2.0)];
        let face = FaceWater { ends, sill: 0.0, roof: 1.0, n2: 0.0, q: 2.0, straight };
        let law = PassageLaw::of(&face, &STEP);
        assert_eq!(law.carried([5.0, 5.0], STEP.gravity).0.to_bits(), 2.0_f64.to_bits());
        let n2 = 0.03 * 0.03;
        let q = steady(ends, [5.01, 5.0], (0.0, 1.0), n2);
        let manning = (0.01 / n2).sqrt() * 0.5_f64.powf(2.0 / 3.0);
        assert!((q / manning - 1.0).abs() < 1.0e-3, "{q} {manning}");
    }

    #[test]
    fn equal_heads_and_dry_faces_move_nothing() {
        for (stage, roof) in [(0.5, 1.0), (1.0, 1.0), (0.0, 1.0), (-1.0, 0.5)] {
            let ends = [end(-2.0, stage), end(-3.0, stage)];
            let straight = [Some(0.0); 2];
            let face = FaceWater { ends, sill: 0.0, roof, n2: 1.0e-3, q: 0.0, straight };
            let q = PassageLaw::of(&face, &STEP).carried([stage.max(0.7); 2], STEP.gravity).0;
            assert_eq!(q.to_bits(), 0, "stage {stage}");
        }
    }
}
