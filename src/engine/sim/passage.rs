//! The law of a passage between two nodes: its discharge under their heads.
//!
//! ```text
//! q*  = q − g A Δt/Δ (max(H_r, s) − max(H_l, s))     s the sill, a the depth from it to the roof,
//! q   = 2 q* / (1 + √(1 + 4 k |q*|))                 A = w a, w the open part of the face's width
//! k   = Δt (g a n²/(M² w) + K/(2 A Δ))
//! M   = min(a^(5/3), O (O/2)^(2/3))                  conveyance; O the height of the opening
//! K   = r_d² − p r_u² + max(1/c − r_d, 0)²           r = A/h of the water down- and upstream
//! c   = 0.61 + 0.39 (A/h_u)³                         contraction
//! |q| ≤ w y √(2 g (E − y))                           if the tail is below s + y
//! E   = H_u − s + u²/2g,   y = min(⅔ E, c O, H_u − s)
//! ```
//!
//! K is the head of the opening that a change of section takes: velocity head gained, r_d² − r_u²,
//! and lost behind the contraction (Borda and Carnot). A slot in the width of a face acts as one of
//! equal area in its height. If a stream widens K may be below 0: then it gains head, taken from
//! the discharge of a step ago. Flow from the side has no velocity along the axis: p is the square
//! of the part that is straight. If none can be, since that side is closed, the strongest stream
//! from a different side or from above counts as straight: a bend keeps its velocity head, and two
//! streams that meet there gain none. The conveyance does not fall while an opening fills, so no
//! discharge has two depths; the bound is that of a weir, of a sluice, and continuous between.
//!
//! Walls as thick as a cell end in a broad crest, 1.705 H^1.5 in SI units: the bound, which is a
//! coefficient of discharge of 1/√3, [`BROAD`](crate::structure::aperture::BROAD). A thin wall has
//! a sharp crest, 1.831 H^1.5, with [`SHARP`](crate::structure::aperture::SHARP): its steady
//! discharge is that of [`aperture`](crate::structure::aperture), as over a barrier, so it has a
//! loss in place of K and no bound:
//!
//! ```text
//! k   = Δt (g a n²/(M² w) + g A/Δ · fall/q_w²)       so that q_w is steady under the fall
//! ```
//!
//! A [`fluid`](crate::flow::fluid) with viscosity has 1 + c in place of 1, with c as between two
//! plates if it fills the opening. A yield stress takes y A from the discharge without resistance,
//! and below that nothing passes; worlds of such a fluid have no intervals.
//!
//! Guarantees: equal heads move nothing that is at rest; drowned slots of equal area have one K, be
//!             they narrow or low.
//! Limits:     it finds no heads ([`stacks`](crate::sim::stacks) and
//!             [`solids`](crate::sim::solids) do). If the tail is about as high as the jet, the
//!             bound may apply in one step and not in the next, as it depends on the speed of the
//!             last one: under fixed heads the discharge then varies by up to 4 %.
//! Source:     own, after Weisbach's contraction, Borda and Carnot's loss, and Bernoulli over a
//!             crest; the capped conveyance: `prototypes/stacked_columns.py`, case 2.

use crate::sim::step_numbers::StepNumbers;
use crate::structure::aperture::CONTRACTION;
use crate::units::maths;

/// Depth over a sill below which nothing passes, m.
const DRY_M: f64 = 1.0e-9;

/// A face in a step: numbers from its present state.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct PassageLaw {
    /// Discharge at the start of the step, m²/s, with the gain of a stream that widens.
    pub q: f64,
    /// Discharge that a metre of fall adds, m/s: g A Δt/Δ; 0 of a dry or closed face.
    pub push: f64,
    /// Sill, m above the datum.
    pub sill: f64,
    /// Resistance k to a discharge onward and back, s/m².
    pub k: [f64; 2],
    /// Height of the contracted opening onward and back, m; 0 between thin walls, whose loss is
    /// all that bounds the discharge.
    pub jet: [f64; 2],
    /// Velocity head of the flow from before, and from behind, m.
    pub velocity_head: [f64; 2],
    /// Largest discharge, m²/s: all the water over the sill in a step.
    pub most: f64,
    /// Depth over the sill, m.
    pub depth: f64,
    /// Part of the width of the face that is open.
    pub width: f64,
    /// c of a [`fluid`](crate::flow::fluid).
    pub laminar: f64,
    /// Discharge that the yield stress of a fluid takes, m²/s.
    pub held: f64,
}

/// The walls of a passage.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum PassageWalls {
    /// Walls about as thick as a cell is wide: their top is a broad crest.
    Thick,
    /// A wall without thickness, and its loss: the fall over the square of the steady discharge
    /// under it, s²/m³; 0 without a fall.
    Thin {
        /// The loss.
        loss: f64,
    },
}

/// Discharge of a passage under two heads.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct PassageFlow {
    /// Discharge, m²/s.
    pub q: f64,
    /// Gain of the discharge with a metre of fall, m/s.
    pub slope: f64,
    /// Whether the crest or the lip bounds it: then the tail does not count.
    pub is_bounded: bool,
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
    /// Part of the width of the face that is open.
    pub width: f64,
    /// Walls of the opening.
    pub walls: PassageWalls,
    /// Whether the surface is free on both sides, and momentum is not carried from face to face:
    /// then the speed of long waves is a bound.
    pub is_stream: bool,
    /// Manning's n squared, s²/m^(2/3).
    pub n2: f64,
    /// Discharge of the last step, m²/s.
    pub q: f64,
    /// Inflow that counts as straight into the cell before, from before it, and into the cell
    /// behind, from behind it, m²/s; `None` for open water, which always does.
    pub straight: [Option<f64>; 2],
}

impl FaceWater {
    /// Returns the contractions of a flow onward and back through an opening of this area.
    fn contraction(&self, area: f64) -> [f64; 2] {
        self.ends.map(|end| {
            let part = (area / end.depth.max(area)).min(1.0);
            CONTRACTION + (1.0 - CONTRACTION) * part * part * part
        })
    }

    /// Returns K of a flow onward and back through an opening of this area.
    fn change_of_section(&self, area: f64, contraction: [f64; 2]) -> [f64; 2] {
        let Self { ends, sill, roof, width, q, straight, .. } = *self;
        // Head that the change of section takes, and head that the flow brings.
        let lost = |up: usize| {
            let [up, down] = [ends[up], ends[1 - up]].map(|end| (end, contraction[up]));
            let over = (up.0.stage - sill).max(0.0);
            let jet = (over * (2.0 / 3.0)).min(up.1 * (roof - sill));
            // In the air the jet is as deep as it leaves.
            let tail = down.0.depth.max(jet * width);
            let [r_u, r_d] = [(area / up.0.depth.max(area)).min(1.0), area / tail.max(DRY_M)];
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
        [0, 1].map(|up| {
            let (lost, brought) = lost(up);
            lost - straight_part(up) * brought
        })
    }
}

impl PassageLaw {
    /// Returns the law of a face in a step.
    #[must_use]
    pub fn of(face: &FaceWater, step: &StepNumbers) -> Self {
        let FaceWater { ends, sill, roof, width, n2, q, .. } = *face;
        let a = ends[0].stage.max(ends[1].stage).min(roof) - sill;
        if a <= DRY_M {
            return Self { sill, ..Self::default() };
        }
        let (gravity, opening, area) = (step.gravity, roof - sill, a * width);
        let contraction = face.contraction(area);
        // Between floor and roof the hydraulic radius is half of the height. An open stream conveys
        // as much from 0.76 of the height on.
        let shut = opening * two_thirds(0.5 * opening);
        let conveyance = (a * two_thirds(a)).min(shut);
        let rough = step.dt_s * gravity * a * n2 / (conveyance * conveyance * width);
        let local = 0.5 * step.ratio() / area;
        let push = gravity * area * step.ratio();
        let (k, gain, jet) = match face.walls {
            PassageWalls::Thick => {
                let k = face.change_of_section(area, contraction);
                let backward = usize::from(q < 0.0);
                // Explicit: with k below 0 the root of the implicit law might not exist.
                let gain = (-k[backward]).max(0.0) * local * q * q;
                let jet = contraction.map(|part| part * opening);
                (k.map(|k| rough + local * k.max(0.0)), gain, jet)
            }
            PassageWalls::Thin { loss } => ([rough + push * loss; 2], 0.0, [0.0; 2]),
        };
        let velocity_head = ends.map(|end| {
            let u = q / end.depth.max(area);
            u * u / (2.0 * gravity)
        });
        let all = area / step.ratio();
        let [held, laminar] = step.fluid.at(a, a >= opening);
        Self {
            q: if q < 0.0 { q - gain } else { q + gain },
            push,
            sill,
            k,
            jet,
            velocity_head,
            most: if face.is_stream { all.min(area * (gravity * a).sqrt()) } else { all },
            depth: a,
            width,
            laminar,
            held: held * area,
        }
    }

    /// Returns the discharge under two heads, m above the datum, and its gain with a metre of fall.
    #[inline]
    #[must_use]
    pub fn carried(&self, heads: [f64; 2], gravity: f64) -> (f64, f64) {
        let PassageFlow { q, slope, .. } = self.flow(heads, gravity);
        (q, slope)
    }

    /// Returns the flow under two heads, m above the datum.
    #[inline]
    #[must_use]
    pub fn flow(&self, heads: [f64; 2], gravity: f64) -> PassageFlow {
        self.bounded(heads, gravity, |free, k, c| {
            let root = (c * c + 4.0 * k * free.abs()).sqrt();
            // q solves k |q| q + c q = free; its derivative by free is 1/(c + 2 k |q|) = 1/root.
            (2.0 * free / (c + root), self.push / root)
        })
    }

    /// Returns the flow under two heads, m above the datum, with the resistance taken linear around
    /// the discharge at the start of the step: a steady flow is the same.
    // For heads that are found from this line. The present ones may be far from them: a full cell
    // that has lost a few units has a free surface until the step fills it, so the flow into it
    // starts with a fall of all the pressure, at which the slope of the law is much too low.
    #[must_use]
    pub fn linear(&self, heads: [f64; 2], gravity: f64) -> PassageFlow {
        self.bounded(heads, gravity, |free, k, c| {
            let resistance = k * self.q.abs();
            let part = 1.0 / (c + 2.0 * resistance);
            // A free discharge of 0: the yield stress is not exceeded, and nothing moves.
            let q = if free == 0.0 { 0.0 } else { (free + resistance * self.q) * part };
            (q, self.push * part)
        })
    }

    /// Returns the flow that crest or lip may bound; `resisted` returns the discharge, m²/s, and
    /// its gain with a metre of fall from the discharge without resistance, k and c.
    #[inline]
    fn bounded(
        &self,
        heads: [f64; 2],
        gravity: f64,
        resisted: impl Fn(f64, f64, f64) -> (f64, f64),
    ) -> PassageFlow {
        if self.push == 0.0 {
            return PassageFlow::default();
        }
        let wet = heads.map(|head| (head - self.sill).max(0.0));
        let mut free = self.q + self.push * (wet[0] - wet[1]);
        let up = usize::from(free < 0.0);
        if self.held > 0.0 {
            // The slope stays, because fluid that a body presses out must find a way.
            free = if free.abs() > self.held { free - self.held.copysign(free) } else { 0.0 };
        }
        let (q, mut slope) = resisted(free, self.k[up], 1.0 + self.laminar);
        let (mut most, mut is_bounded) = (self.most, false);
        let energy = wet[up] + self.velocity_head[up];
        let y = (energy * (2.0 / 3.0)).min(self.jet[up]).min(wet[up]);
        if wet[1 - up] < y {
            let speed = (2.0 * gravity * (energy - y).max(0.0)).sqrt();
            let critical = self.width * y * speed;
            if critical < most {
                most = critical;
                is_bounded = q.abs() > most;
                if is_bounded {
                    let gain = self.width * (gravity * y / speed.max(1.0e-6));
                    slope = slope.max(gain); // d(y √(2 g (E − y)))/dE
                }
            }
        }
        let q = if q.abs() > most { most.copysign(q) } else { q };
        PassageFlow { q, slope, is_bounded }
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
    use crate::structure::aperture::{BROAD, Coefficients};

    const STEP: StepNumbers = StepNumbers::SAMPLE;

    /// Returns a smooth passage of a whole face between thick walls, with water at rest.
    fn between(ends: [EndWater; 2], sill: f64, roof: f64) -> FaceWater {
        let (width, walls, straight) = (1.0, PassageWalls::Thick, [None; 2]);
        let (n2, q, is_stream) = (0.0, 0.0, false);
        FaceWater { ends, sill, roof, width, walls, is_stream, n2, q, straight }
    }

    /// Returns the discharge to which a face settles under fixed heads, m²/s.
    fn steady(ends: [EndWater; 2], heads: [f64; 2], opening: (f64, f64), n2: f64) -> f64 {
        let mut q = 0.0;
        for _ in 0..4000 {
            let (sill, roof) = opening;
            let face = FaceWater { n2, q, ..between(ends, sill, roof) };
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
        let weir = Coefficients::weir_of(BROAD, g) * 0.6_f64.powf(1.5);
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
        let face = FaceWater { q: 2.0, straight, ..between(ends, 0.0, 1.0) };
        let law = PassageLaw::of(&face, &STEP);
        assert_eq!(law.carried([5.0, 5.0], STEP.gravity).0.to_bits(), 2.0_f64.to_bits());
        let n2 = 0.03 * 0.03;
        let q = steady(ends, [5.01, 5.0], (0.0, 1.0), n2);
        let manning = (0.01 / n2).sqrt() * 0.5_f64.powf(2.0 / 3.0);
        assert!((q / manning - 1.0).abs() < 1.0e-3, "{q} {manning}");
    }

    /// Goal: a thin wall passes the discharge that its loss is made of, free and drowned.
    #[test]
    fn a_thin_wall_passes_the_discharge_of_its_loss() {
        for (tail, steady) in [(0.3, 0.7), (-40.0, 0.9), (0.5999, 0.02)] {
            let ends = [end(-50.0, 0.6), end(-50.0, tail)];
            let walls = PassageWalls::Thin { loss: (0.6 - tail.max(0.0)) / (steady * steady) };
            let mut q = 0.0;
            for _ in 0..8000 {
                let face = FaceWater { q, walls, ..between(ends, 0.0, 5.0) };
                q = PassageLaw::of(&face, &STEP).carried([0.6, tail], STEP.gravity).0;
            }
            assert!((q / steady - 1.0).abs() < 1.0e-6, "tail at {tail} m: {q}, not {steady}");
        }
    }

    /// Goal: a fluid with a yield stress moves under no smaller fall than it bears, and what is
    /// pressed out finds a way. Method: falls on both sides of y/(g Δt/Δ).
    #[test]
    fn a_yield_stress_bears_a_fall() {
        let fluid = FluidNumbers { stop: 0.01, laminar: 0.0 };
        let step = StepNumbers { fluid, ..STEP };
        let ends = [end(0.0, 1.0), end(0.0, 0.9)];
        let law = PassageLaw::of(&between(ends, 0.0, 5.0), &step);
        let borne = law.held / law.push;
        assert!((borne - 0.01 / (9.81 * 0.05)).abs() < 1.0e-12, "{borne}");
        let [below, above] = [0.9, 1.1].map(|part| law.flow([1.0, 1.0 - part * borne], 9.81));
        assert!(below.q == 0.0 && below.slope > 0.0, "{below:?}");
        assert!(above.q > 0.0, "{above:?}");
    }

    #[test]
    fn equal_heads_and_dry_faces_move_nothing() {
        for (stage, roof) in [(0.5, 1.0), (1.0, 1.0), (0.0, 1.0), (-1.0, 0.5)] {
            let ends = [end(-2.0, stage), end(-3.0, stage)];
            let straight = [Some(0.0); 2];
            let face = FaceWater { n2: 1.0e-3, straight, ..between(ends, 0.0, roof) };
            let q = PassageLaw::of(&face, &STEP).carried([stage.max(0.7); 2], STEP.gravity).0;
            assert_eq!(q.to_bits(), 0, "stage {stage}");
        }
    }
}
