//! Quiet water: the motion that a leaf may have when it falls asleep under a tolerance ε.
//!
//! ```text
//! a leaf is active where
//! waves     ⟨u² h/g⟩ + ⟨(η − η̄)²⟩  > ½ (ε/2)²   energy of waves of the amplitude ε/2, through
//!                                              water deeper than ε/2; η̄ is the mean along a row
//!                                              or column as far as it hangs together
//! swift     u √(h/g)              > 2 ε        at a face deeper than ε/16
//! runoff    n² u² h^(−4/3) · L    > ε/2        head that friction takes over the leaf, L wide, or
//!                                              viscosity and yield stress of its fluid take,
//!                                              over six faces one behind the other deeper than
//!                                              ε/16, or one deeper than 2 ε
//! border    |Δη|                  > ε          to a leaf that sleeps (`src/engine/sim/borders.rs`)
//! and it must be quiet for  2 L/√(g h),  or longer
//! ```
//!
//! Waves turn round, and their energy is as great where they turn as where they run fastest. The
//! time is that in which a wave crosses the leaf twice. Water that a fall F of its surface over the
//! leaf sets in motion, or wind that would hold up such a fall, is by then as fast as in a wave of
//! the amplitude 2 F: so water at rest on a slope does not sleep before it runs, and the turn of a
//! swell longer than the leaf is not taken for its end. Runoff does not turn round: a film is thin
//! enough for all that, but friction takes from it all the head that it falls by, and so runoff
//! keeps it awake. Friction is as strong where waves wet a shore, but for a cell or two. A wave
//! that meets a sleeping leaf is reflected and is twice as high there: so a border may be steeper
//! than waves are high.
//!
//! Sums of squares are taken from a running mean, after Welford (1962): in f32 and in a fixed
//! order, so that a card gets the same.
//!
//! Guarantees: never stricter than the rule without a tolerance, which is checked first.
//! Limits:     a lake that fills slowly, or under wind, may lean by 1.2 ε for each leaf across, and
//!             one of n leaves may fall asleep with a swell of n ε/6. Water thinner than ε/16
//!             counts as wet ground. Trickles across the grid, narrower than six cells and thinner
//!             than 2 ε, may fall asleep though they run; so may shallows that have deep water
//!             beside them in their leaf, where their surface falls by a few ε.

use crate::flow::face::{FaceParams, FlowDepth};
use crate::flow::params::StepParams;
use crate::flow::tables::TableFaces;
use crate::grid::{Axis, TILE_WIDTH};
use crate::tile::padded::{Padded, STRIDE, index};
use crate::tile::{Ground, Water};
use crate::units::limits;

/// Part of the tolerance below which water counts as wet ground.
const FILM_PART: f64 = 1.0 / 16.0;

/// Part of the tolerance that waves and runoff may reach.
const QUIET_PART: f64 = 0.5;

/// Parts of the tolerance from which water is no film, and from which it is no trickle.
const SHALLOW_PART: f64 = 0.5;
const TRICKLE_PART: f64 = 2.0;

/// Widths of a leaf that a wave crosses before it sleeps.
const CROSSINGS: f64 = 2.0;

/// Square of the ratio of the speed allowed at a single face, beside solids and in openings, to
/// that of the waves of the whole leaf.
const SWIFT: f32 = 16.0;

/// Faces one behind the other that runoff takes at least.
const RUNOFF_FACES: u32 = 6;

/// Values from which the bounds of a level follow.
#[derive(Debug, Clone, Copy)]
pub struct QuietInput {
    /// Tolerance ε, m.
    pub tolerance_m: f64,
    /// Width of a cell, m.
    pub cell_width_m: f64,
    /// Metres per vertical unit.
    pub unit_m: f64,
    /// Gravity, m/s².
    pub gravity: f64,
}

/// Bounds of quiet water in the leaves of a level: in numbers that are the same on every machine,
/// as cards use them, too.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Quiet {
    /// Depth below which water counts as wet ground, m.
    pub film_m: f32,
    /// Depth below which differences of stage do not count, m.
    pub shallow_m: f32,
    /// Depth below which runoff counts only over several faces, m.
    pub trickle_m: f32,
    /// Largest fall of the stage over one face, and to a leaf that sleeps, vertical units.
    pub fall_most: i32,
    /// Largest squared speed times depth at a face, m³/s².
    pub swift_most: f32,
    /// Largest energy of waves a face, m²: half of that along their axis, as there are two.
    pub wave_most: f32,
    /// One over gravity, s²/m.
    pub per_gravity: f32,
    /// Metres per vertical unit.
    pub unit_m: f32,
    /// Largest slope of friction.
    pub friction_most: f32,
}

impl Quiet {
    /// Returns the bounds of a tolerance in leaves of a level.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "rounded to f32 on purpose")]
    pub fn new(input: &QuietInput) -> Self {
        let QuietInput { tolerance_m, cell_width_m, unit_m, gravity } = *input;
        let quiet_m = QUIET_PART * tolerance_m;
        let leaf_m = cell_width_m * TILE_WIDTH as f64;
        Self {
            // This bound and `fall_most` are at least those without a tolerance, because borders to
            // leaves asleep are checked by these alone.
            film_m: ((FILM_PART * tolerance_m) as f32).max(limits::DEPTH_DRY_M),
            shallow_m: (SHALLOW_PART * tolerance_m) as f32,
            trickle_m: (TRICKLE_PART * tolerance_m) as f32,
            fall_most: ((tolerance_m / unit_m) as i32).max(limits::SLEEP_STAGE_DIFFERENCE),
            // u² h > 16 g (ε/2)² is the same as u √(h/g) > 2 ε.
            swift_most: SWIFT * (gravity * quiet_m * quiet_m) as f32,
            wave_most: (0.25 * quiet_m * quiet_m) as f32,
            per_gravity: (1.0 / gravity) as f32,
            unit_m: unit_m as f32,
            friction_most: (quiet_m / leaf_m) as f32,
        }
    }

    /// Returns the time for which water must be quiet, s: in which a wave crosses a leaf of this
    /// width, m, twice, at this depth, m.
    #[must_use]
    pub fn time_s(leaf_m: f64, depth_m: f64, gravity: f64) -> f64 {
        CROSSINGS * leaf_m / (gravity * depth_m).sqrt()
    }

    /// Returns true if water with this speed, m/s, over an edge along which the stage rises by
    /// `rise` units must not sleep; n² in s²/m^(2/3).
    #[must_use]
    pub fn is_active(&self, speed: f32, here: &FlowDepth, rise: i32, n2: f32) -> bool {
        self.is_deep(here)
            && (rise.wrapping_abs() > self.fall_most
                || self.is_swift(speed, here)
                || self.runs_off(speed, here, n2))
    }

    /// Returns true if this depth of water, vertical units, is more than the tolerance.
    #[must_use]
    pub const fn is_beyond(&self, units: i32) -> bool {
        units > self.fall_most
    }

    /// Returns true if a passage beside solids or over a barrier keeps water awake: of this depth,
    /// m, and this fall of the stage through it, units. Water falls through, or is swift.
    #[must_use]
    pub fn is_passing(&self, speed: f64, depth_m: f64, fall: f64) -> bool {
        let is_deep = depth_m >= f64::from(self.film_m);
        let falls = speed > 0.0 && fall > f64::from(self.fall_most);
        is_deep && (falls || speed * speed * depth_m > f64::from(self.swift_most))
    }

    /// Returns true if the water of a leaf that was just stepped is active by its faces.
    #[must_use]
    pub fn is_any_active(
        &self,
        leaf: &LeafAtEnd<'_>,
        is_closed: impl Fn(usize, Axis) -> bool,
        params: &StepParams,
    ) -> bool {
        let mut all = WaveSums::default();
        let mut is_line_active = |axis: Axis, line: usize| {
            let (mut waves, mut run) = (WaveSums::default(), WaterRun::default());
            let is_active = (0..=TILE_WIDTH).any(|place| {
                let cell = match axis {
                    Axis::X => line * TILE_WIDTH + place,
                    Axis::Y => place * TILE_WIDTH + line,
                };
                let is_closed = place < TILE_WIDTH && is_closed(cell, axis);
                match leaf.face(axis, [place, line], params).filter(|_| !is_closed) {
                    Some(face) if self.is_deep(&face.depth) => run.go_on(self, &face, &mut waves),
                    _ => {
                        waves.add(std::mem::take(&mut run));
                        false
                    }
                }
            });
            waves.add(run);
            all.add_line(waves);
            is_active
        };
        Axis::ALL.into_iter().any(|axis| (0..TILE_WIDTH).any(|line| is_line_active(axis, line)))
            || all.are_high(self)
    }

    /// Returns true if water flows over a face that is more than wet ground.
    fn is_deep(&self, here: &FlowDepth) -> bool {
        here.opening > 0 && here.flowing >= self.film_m
    }

    fn is_swift(&self, speed: f32, here: &FlowDepth) -> bool {
        speed * speed * here.flowing > self.swift_most
    }

    fn runs_off(&self, speed: f32, here: &FlowDepth, n2: f32) -> bool {
        speed * speed * n2 * here.drag > self.friction_most
    }
}

/// A leaf after its step.
#[derive(Debug, Clone, Copy)]
pub struct LeafAtEnd<'a> {
    /// Ground of the leaf.
    pub ground: &'a Ground,
    /// The leaf and its surroundings.
    pub padded: &'a Padded,
    /// Water that the step made.
    pub new: &'a Water,
    /// Whether the leaf has the faces on its east and north sides, as those beside coarser leaves.
    pub has_far: [bool; 2],
}

/// A face of a leaf after its step.
struct FaceAtEnd {
    /// Speed of the water, m/s.
    speed: f32,
    /// Flow depth of the face.
    depth: FlowDepth,
    /// Rise of the stage over it, vertical units.
    rise: i32,
    /// n² of Manning, s²/m^(2/3).
    n2: f32,
    /// Slope that viscosity and yield stress take.
    of_fluid: f32,
}

impl LeafAtEnd<'_> {
    /// Returns the face on the west, or south, of a place along a line; `None` if the leaf has no
    /// face there, or both sides are dry.
    fn face(
        &self,
        axis: Axis,
        [place, line]: [usize; 2],
        params: &StepParams,
    ) -> Option<FaceAtEnd> {
        let Self { ground, padded, new, has_far } = *self;
        let [column, row] = match axis {
            Axis::X => [place, line],
            Axis::Y => [line, place],
        };
        let q = if place < TILE_WIDTH {
            [&new.flow_x, &new.flow_y][axis][row * TILE_WIDTH + column]
        } else {
            // If nothing flows there, the cells beyond may not have been read.
            Some([&padded.east, &padded.north][axis][line])
                .filter(|q| has_far[axis] && *q != 0.0)?
        };
        let [x, y] = [column, row].map(|i| i32::try_from(i).expect("64 at most"));
        let behind = index(x, y);
        let before = behind - [1, STRIDE][axis];
        if padded.depth_new[before] == 0 && padded.depth_new[behind] == 0 {
            return None;
        }
        let (depth, rise) = new_face(ground, padded, (axis, before, behind), &params.face);
        let n2 = 0.5 * (padded.roughness[before] + padded.roughness[behind]);
        let speed = q.abs() * depth.per_depth;
        let of_fluid = params.fluid.slope(speed, depth.flowing, &params.face);
        Some(FaceAtEnd { speed, depth, rise, n2, of_fluid })
    }
}

/// Sums over the faces that waves run over: line by line, as each is summed up separately.
#[derive(Debug, Clone, Copy, Default)]
struct WaveSums {
    /// Count of the faces.
    faces: u32,
    /// Squared speeds times depths, m³/s².
    running: f32,
    /// Squared differences of stages from their mean along runs, squares of vertical units.
    lifted: f32,
}

impl WaveSums {
    /// Adds a run that is over.
    fn add(&mut self, run: WaterRun) {
        self.faces += run.faces;
        self.lifted += run.lifted;
    }

    /// Adds a row or column.
    fn add_line(&mut self, line: Self) {
        self.faces += line.faces;
        self.running += line.running;
        self.lifted += line.lifted;
    }

    /// Returns true if their energy is that of waves higher than allowed.
    #[expect(clippy::cast_precision_loss, reason = "at most 8,192")]
    fn are_high(&self, quiet: &Quiet) -> bool {
        let lifted_m2 = self.lifted * quiet.unit_m * quiet.unit_m;
        self.running * quiet.per_gravity + lifted_m2 > quiet.wave_most * self.faces as f32
    }
}

/// Connected water along a row or column, up to the present face.
#[derive(Debug, Clone, Copy, Default)]
struct WaterRun {
    /// Stage over that of the first cell, vertical units.
    stage: i32,
    /// Faces that waves run over.
    faces: u32,
    /// Mean of the stages of all cells, and the sum of squared differences from it.
    mean: f32,
    lifted: f32,
    /// Faces up to the last that run off one behind the other.
    runoff: u32,
}

impl WaterRun {
    /// Adds the next face; returns true if the run is active with it.
    #[expect(clippy::cast_precision_loss, reason = "squares of differences that may be noise")]
    fn go_on(&mut self, quiet: &Quiet, face: &FaceAtEnd, waves: &mut WaveSums) -> bool {
        let FaceAtEnd { speed, ref depth, rise, n2, of_fluid } = *face;
        let runs_off = quiet.runs_off(speed, depth, n2) || of_fluid > quiet.friction_most;
        let runoff = if runs_off { self.runoff + 1 } else { 0 };
        let moves = runoff >= RUNOFF_FACES || quiet.is_swift(speed, depth);
        if depth.flowing < quiet.shallow_m {
            waves.add(std::mem::take(self));
            // Shallows end a run of waves, but not the faces that run off one behind the other.
            self.runoff = runoff;
            return moves;
        }
        self.runoff = runoff;
        self.stage = self.stage.saturating_add(rise);
        self.faces += 1;
        // The first cell, at 0, is one of them.
        let stage = self.stage as f32;
        let before = stage - self.mean;
        // Welford: with n cells m ← m + d/n, and the sum of squares grows by d (η − m), d the
        // difference from the mean before.
        self.mean += before / (self.faces + 1) as f32;
        self.lifted += before * (stage - self.mean);
        waves.running += speed * speed * depth.flowing;
        moves || runs_off && depth.flowing >= quiet.trickle_m
    }
}

/// Returns the flow depth of a face between two cells of a padded tile, and the rise of the stage
/// over it, units, at the end of the step.
#[must_use]
pub fn new_face(
    ground: &Ground,
    padded: &Padded,
    (axis, before, behind): (Axis, usize, usize),
    params: &FaceParams,
) -> (FlowDepth, i32) {
    match ground.columns {
        Some(_) => {
            let face = TableFaces::<1>::of(padded, axis, before, behind);
            (face.flow_depth(0, params), face.rise(0))
        }
        None => {
            let [a, b] = [before, behind].map(|at| padded.bed[at] + padded.depth_new[at]);
            let sill = padded.bed[before].max(padded.bed[behind]);
            (FlowDepth::of(a.max(b) - sill, params), b - a)
        }
    }
}
