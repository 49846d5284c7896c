//! The boundary of the world: the laws at faces between inside and outside.
//!
//! A boundary face keeps its outward discharge q. At the start of a step it computes a new one and
//! moves its water, before the inner faces do, so that outflow has left when they read the stages.
//!
//! ```text
//! open    q* = w + (C − 1)/(C + 1) (w' − q) + D,   C = √(g h) Δt/Δ
//!         D  = g h Δt S  where S > 10⁻³,  else  max(g h Δt S, k w'|w'| (1 − max(0, S)/10⁻³))
//!         q' = 2 q* / (1 + √(1 + 4 k |q*|)),                         k = g Δt n² / h^(7/3)
//!         |w'| and |q*| with the discharge along the edge, √(q² + p²)
//! stage   the face law of the pipe against still water at the given stage; at most critical
//! inflow  q = −Q · part, by the conveyance of the face: see [`intake`](crate::sim::intake)
//! ```
//!
//! w is the gain of the cell in the last step, w' that gain and how much more its inner faces bring
//! in this one, p the mean discharge along the edge through its cell, S the fall of the valley
//! towards the edge. The first two terms let long waves out; the last settles a steady flow at its
//! normal depth on the slope or, if the ground does not fall, at the arriving flow. Of an inward
//! discharge only the part that is a wave is let in, and at most the volume that has left before.
//! The outflow is at most critical, or normal if that is faster. If the ground rises towards it by
//! more than 10⁻³, an open edge is a wall, as the land beyond would be. If a valley surely rises
//! towards it more gently, it is a wall for water that is less than eight times as deep as the
//! valley is seen to rise: so a river can enter there, and a low bar before an outlet keeps no lake
//! back.
//!
//! The inflow over a stage edge is at most critical, or the discharge of a weir of that head if the
//! water inside is lower by more than an eighth of its depth. It has the velocity of the water
//! behind it across the edge, and none along it. The outflow is at most critical, or as fast as
//! water arrives.
//!
//! If the sea of a stage edge continues beyond an open one, nothing enters there, and nothing
//! leaves while the sea is above the dam between them and the water inside is less than 1/16 of the
//! sea's depth higher. Otherwise a current along the coast would never end, because the outside has
//! no slope against it; and an ebb outside is as late as that inside. Higher water is not from the
//! tide.
//!
//! Guarantees: an edge takes no more than its cell contains; still water at an edge that does not
//!             fall, or at its own stage, stays still; all of it is booked.
//! Limits:     a wave that meets an open edge at an angle is partly reflected.
//! Source:     radiation: Mur (1981), IEEE Trans. EMC 23, eq. (15), for long waves; own blend.

use crate::flow::face::{Face, FaceParams, FlowDepth, froude_most};
use crate::flow::params::StepParams;
use crate::flow::pipe::{OldFace, advance_face, advance_fluid};
use crate::flow::transfer::{Dither, scaled};
use crate::grid::cells::column_row;
use crate::grid::{Axis, Side, TILE_WIDTH};
use crate::sim::forcing::LeafWater;
use crate::sim::ledger::AccountIndex;
use crate::sim::quiet::Quiet;
use crate::state::BoundaryFaceState;
use crate::tile::columns::CellSurface;
use crate::tile::{Ground, Water};
use crate::units::{CEILING, RateSeries, SimTime, StageSeries, maths};
use serde::Serialize;

/// Law of a boundary face that is no wall.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub enum BoundaryLaw {
    /// Water leaves.
    Open,
    /// The world ends in still water of this stage.
    Stage(StageSeries),
    /// A river enters: see [`intake`](crate::sim::intake).
    Inflow(BoundaryInflow),
}

impl BoundaryLaw {
    /// Returns the size of its series in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        match self {
            Self::Open => 0,
            Self::Stage(stages) => stages.bytes(),
            Self::Inflow(inflow) => inflow.discharge.bytes(),
        }
    }

    /// Returns the stage of the law at `time`; 0 if it has no stage.
    #[must_use]
    pub fn stage_at(&self, time: SimTime) -> i32 {
        match self {
            Self::Open | Self::Inflow(_) => 0,
            Self::Stage(series) => series.at(time),
        }
    }

    /// Returns true if the fall of the ground towards its faces counts.
    #[must_use]
    pub fn needs_fall(&self) -> bool {
        match self {
            Self::Open => true,
            Self::Stage(_) => false,
            Self::Inflow(inflow) => inflow.entry == BoundaryEntry::Normal,
        }
    }

    /// Returns true if the law gives the stage outside.
    #[must_use]
    pub fn is_stage(&self) -> bool {
        matches!(self, Self::Stage(_))
    }

    /// Returns true if its stage changes between two moments, or water enters.
    #[must_use]
    pub fn moves(&self, from: SimTime, to: SimTime) -> bool {
        match self {
            Self::Open => false,
            Self::Stage(series) => series.at(from) != series.at(to),
            Self::Inflow(inflow) => inflow.discharge.deposited(from, to) > 0,
        }
    }
}

/// Fall of the ground towards a face.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct GroundFall {
    /// Fall, negative if the ground rises towards the face.
    pub slope: f32,
    /// Vertical units by which a valley surely rises towards it; 0 if it does not.
    pub rise: i32,
}

/// A river that enters over an edge.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BoundaryInflow {
    /// Vertical units × cells of the base level per second.
    pub discharge: RateSeries,
    /// Depth of the river.
    pub entry: BoundaryEntry,
}

/// Depth of a river that enters over an edge.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub enum BoundaryEntry {
    /// At normal depth on the slope of the ground.
    Normal,
    /// At normal depth on this slope.
    Slope(f64),
    /// This depth over the lowest bed along the edge, vertical units.
    Depth(i32),
}

/// A sea that may be beyond an open face.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutsideSea {
    /// Index of the law that gives its stage.
    pub law: u32,
    /// Stage above which the sea reaches the face, vertical units.
    pub dam: i32,
}

impl OutsideSea {
    /// Returns the value for a face of this law without a sea beyond: its dam is the ceiling, which
    /// no sea is above.
    #[must_use]
    pub fn none(law: u32) -> Self {
        Self { law, dam: CEILING }
    }
}

/// Intake of a river by a face, in one cycle.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Intake {
    /// Part of the river's discharge that a metre of the face lets in, 1/m.
    pub part_per_m: f32,
    /// Depth of the river there, m.
    pub depth_m: f32,
    /// Velocity of the river there, m/s.
    pub speed_m_s: f32,
}

impl Intake {
    /// Returns true if the river is supercritical there.
    #[must_use]
    pub fn is_swift(&self, gravity: f32) -> bool {
        self.speed_m_s * self.speed_m_s > gravity * self.depth_m
    }
}

/// One face of the boundary.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BoundaryFace {
    /// Cell of the face in the leaf.
    pub cell: u16,
    /// The side of the cell that it closes.
    pub side: Side,
    /// Index of its law.
    pub law: u32,
    /// Table of the face in the columns of its leaf, if these have tables.
    pub table: u32,
    /// Account on which it is booked.
    pub account: AccountIndex,
    /// Fall of the ground towards the edge, negative if it rises.
    pub slope: f32,
    /// Vertical units by which a valley surely rises towards it; 0 if it does not.
    pub rise: i32,
    /// The sea beyond an open face.
    pub sea: OutsideSea,
    /// Part of the water arriving in its cell that leaves here: see [`share_cells`].
    pub share: f32,
    /// Outward unit discharge, m²/s: state.
    pub q: f32,
    /// Inflow into the cell that the discharges of a step ago should bring, m²/s: state.
    pub expected: f32,
    /// Depth of its cell after the last transfers over the boundary, vertical units: state.
    pub left: i32,
    /// Units per flow of the last step: state; 0 before the first.
    pub units_per_flow: f32,
    /// Vertical units that it moved outward in this step.
    pub moved: i32,
    /// Volume that an open edge may still let in, vertical units: the volume that has left through
    /// it, and [`CREDIT_DEPTHS`] of the water in its cell at the beginning: state.
    pub credit: i64,
    /// Intake of a river in this cycle.
    pub intake: Intake,
    /// Volume that a river has brought before the inner faces move, vertical units.
    pub early: i32,
}

impl BoundaryFace {
    /// Returns a face at rest.
    #[must_use]
    pub fn new(cell: u16, side: Side, law: u32, account: AccountIndex) -> Self {
        Self {
            cell,
            side,
            law,
            table: 0,
            account,
            slope: 0.0,
            rise: 0,
            sea: OutsideSea::none(law),
            share: 1.0,
            q: 0.0,
            expected: 0.0,
            left: 0,
            units_per_flow: 0.0,
            moved: 0,
            credit: 0,
            intake: Intake::default(),
            early: 0,
        }
    }

    /// Returns the state of this face.
    pub(super) fn state(&self) -> BoundaryFaceState {
        let Self {
            cell,
            side,
            slope,
            q,
            expected,
            units_per_flow,
            left,
            credit,
            // Values that follow from the ground and the laws, and results of a step.
            law: _,
            table: _,
            account: _,
            rise: _,
            sea: _,
            share: _,
            moved: _,
            intake: _,
            early: _,
        } = *self;
        BoundaryFaceState { cell, side, slope, q, expected, units_per_flow, left, credit }
    }

    /// Restores a state of this face. The fall is always that of the ground: older files have one
    /// that was computed in a different way.
    pub(super) fn set_state(&mut self, state: BoundaryFaceState) {
        let BoundaryFaceState { cell, side, slope: _, q, expected, units_per_flow, left, credit } =
            state;
        crate::checked!((self.cell, self.side) == (cell, side));
        (self.q, self.expected) = (q, expected);
        (self.units_per_flow, self.left, self.credit) = (units_per_flow, left, credit);
        self.moved = 0;
    }
}

/// Flow through a cell.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct CellThroughflow {
    /// Flow into it, through all its faces except the ones to the outside, m²/s.
    pub arriving: f32,
    /// Mean discharge eastward and northward, m²/s.
    pub along: [f32; 2],
}

/// Parts of a step that all boundary faces share.
#[derive(Debug, Clone, Copy)]
pub struct BoundaryStep<'a> {
    /// The step.
    pub params: &'a StepParams,
    /// Stage of each law at the end of the step; unused if it has no stage.
    pub stages: &'a [i32],
    /// Discharge that each law lets in over the step, m³/s; 0 if it is not an inflow.
    pub discharges: &'a [f32],
    /// The laws.
    pub laws: &'a [BoundaryLaw],
    /// Gravitational acceleration, m/s².
    pub gravity: f32,
    /// Whether the kernel uses depths half a step on.
    pub is_second: bool,
    /// Bounds of quiet water, under a tolerance of sleep.
    pub quiet: Option<Quiet>,
}

impl BoundaryFace {
    /// Sets the initial discharge: the flow towards the face through the opposite side of its cell,
    /// of depth `depth`, if the same leaf owns that face.
    pub(super) fn begin(&mut self, water: &Water, depth: i32) {
        let (column, row) = self.column_row();
        let cell = usize::from(self.cell);
        let is_last = |i: i32| i.unsigned_abs() as usize == TILE_WIDTH - 1;
        let outward = match self.side {
            Side::West if !is_last(column) => -water.flow_x[cell + 1],
            Side::East => water.flow_x[cell],
            Side::South if !is_last(row) => -water.flow_y[cell + TILE_WIDTH],
            Side::North => water.flow_y[cell],
            Side::West | Side::South => 0.0,
        };
        if depth > 0 && outward > 0.0 {
            (self.q, self.expected) = (outward, outward);
        }
    }

    /// Returns true if an inflow makes it a wall.
    pub fn is_shut(&self) -> bool {
        self.rise > RISE_OF_GROUND
    }

    /// Returns true if a river enters over it in this cycle.
    #[must_use]
    pub fn is_river(&self) -> bool {
        self.intake.part_per_m > 0.0
    }

    /// Returns column and row of its cell.
    pub(super) fn column_row(&self) -> (i32, i32) {
        let (column, row) = column_row(usize::from(self.cell));
        (column.cast_signed(), row.cast_signed())
    }

    /// Moves water through the face, with the draws of its leaf.
    pub fn transfer(
        &mut self,
        step: &BoundaryStep<'_>,
        water: &mut LeafWater<'_>,
        dither: &Dither,
    ) {
        (self.moved, self.early) = (0, 0);
        if self.q == 0.0 {
            return;
        }
        let wanted = self.wanted(step.params, dither);
        if self.is_river() {
            // Second order uses depths half a step on. If the river is swift half of its water
            // counts by then; if it is slow the stage behind does.
            let has_half = step.is_second && self.intake.is_swift(step.gravity);
            let early = if has_half { (0 - wanted).max(0) / 2 } else { 0 };
            self.early = self.take_in(water, early);
            self.moved = 0 - self.early;
            return;
        }
        let cell = usize::from(self.cell);
        let depth = water.depth[cell];
        let own = water.ground.surface(cell, depth);
        let sill = self.sill(water.ground);
        // A quarter for each face of the cell, as over inner faces.
        let room = (CEILING - own.stage) >> 2;
        let given = match step.laws[self.law as usize] {
            BoundaryLaw::Open => i32::try_from(self.credit.max(0)).unwrap_or(i32::MAX),
            BoundaryLaw::Stage(_) => (step.stages[self.law as usize] - sill).max(0),
            BoundaryLaw::Inflow(_) => return,
        };
        let mut moved = wanted.min(depth.min((own.stage - sill).max(0))).max(-room.min(given));
        if moved > 0 {
            // The booked volume is the one that the cell gave, for any proposal.
            moved = water.take::<true>(self.account, cell, moved);
            water.bookings.add_out(self.account, i64::from(moved));
        } else {
            moved = -water.add::<true>(self.account, cell, -moved);
            water.bookings.add_in(self.account, -i64::from(moved));
        }
        self.moved = moved;
        self.credit += i64::from(moved);
        self.q = scaled(self.q, wanted, moved);
    }

    /// Lets the rest of the water of a river in, after the inner faces moved theirs.
    pub(super) fn let_in(
        &mut self,
        params: &StepParams,
        water: &mut LeafWater<'_>,
        dither: &Dither,
    ) {
        let wanted = (0 - self.wanted(params, dither)).max(0);
        self.moved = 0 - self.early - self.take_in(water, wanted - self.early);
    }

    /// Adds units to its cell; returns how many it took.
    fn take_in(&self, water: &mut LeafWater<'_>, units: i32) -> i32 {
        let came = water.add::<true>(self.account, usize::from(self.cell), units);
        water.bookings.add_in(self.account, i64::from(came));
        came
    }

    /// Returns the volume that the face's discharge moves outward in a step, vertical units.
    fn wanted(&self, params: &StepParams, dither: &Dither) -> i32 {
        let (column, row) = self.column_row();
        let (axis, column, row) = match self.side {
            Side::West => (Axis::X, column, row),
            Side::East => (Axis::X, column + 1, row),
            Side::South => (Axis::Y, column, row),
            Side::North => (Axis::Y, column, row + 1),
        };
        dither.round_face(axis, column, row, self.q * params.units_per_flow)
    }

    /// Computes the new discharge; returns true if the face is too busy for its leaf to sleep.
    ///
    /// `depth` is the depth of its cell, vertical units, and n² its squared Manning's n.
    #[expect(clippy::cast_precision_loss, reason = "depths in metres")]
    pub fn discharge(
        &mut self,
        step: &BoundaryStep<'_>,
        ground: &Ground,
        (depth, n2): (i32, f32),
        through: CellThroughflow,
    ) -> bool {
        let own = ground.surface(usize::from(self.cell), depth);
        match &step.laws[self.law as usize] {
            BoundaryLaw::Stage(_) => {
                // Still water below the bed is out of reach: the cell ends in a free fall.
                let sill = self.sill(ground);
                let stage = step.stages[self.law as usize].max(sill);
                let here = self.flow_depth(step, ground, own.stage.max(stage), own.slope);
                let rise = stage - own.stage;
                // A unit of depth moves a stage by up to a quantum: a smaller difference is no
                // fall.
                let rise = if rise.abs() <= own.quantum { 0 } else { rise };
                let old = OldFace { q: self.q, p: 0.0, part: 1.0 };
                let face = stage_face(old, here, rise, n2, step.params);
                let is_falling = (own.stage - sill) >> WEIR_SHIFT < rise;
                let critical = (step.gravity * here.flowing).sqrt() * here.h_f;
                let most_in = if is_falling { WEIR * critical } else { critical };
                let most_out = maths::max(critical, through.arriving * self.share);
                self.q = maths::flush(maths::max(-most_in, maths::min(face.q, most_out)));
                let speed = self.q.abs() * here.per_depth;
                let is_active = |quiet: Quiet| quiet.is_active(speed, &here, rise, n2);
                face.is_active && step.quiet.is_none_or(is_active)
            }
            BoundaryLaw::Inflow(_) => {
                // `0.0 −`: the negative of a discharge of 0 would be −0, which no state has.
                self.q = 0.0 - step.discharges[self.law as usize] * self.intake.part_per_m;
                self.q != 0.0
            }
            BoundaryLaw::Open => {
                let expected = maths::flush(through.arriving * self.share);
                let has_stepped = self.units_per_flow > 0.0;
                let gain = if has_stepped {
                    (depth - self.left) as f32 * self.share / self.units_per_flow
                } else {
                    self.expected
                };
                let here = self.leaving(step, ground, (own, depth));
                let sea = step.stages[self.sea.law as usize];
                let has_sea = sea > self.sea.dam;
                let (stage, sill) = (own.stage, self.sill(ground));
                let is_closed = here.opening <= 0
                    || depth == 0
                    || self.is_uphill(stage - sill)
                    || has_sea && stage < sea + ((sea - sill) >> SEA_SHIFT);
                let arriving = maths::flush(gain + (expected - self.expected));
                let along = maths::flush(through.along[usize::from(self.side.axis() == Axis::X)]);
                self.q = match is_closed {
                    true => 0.0,
                    false => {
                        let (own, through) = ((self.slope, self.q), (gain, arriving, along));
                        open_fluid_discharge(own, &here, n2, through, step.params)
                    }
                };
                // The inflow drawn by a trough, beside a sea that is outside at times, enters over
                // the sea's own edge.
                let may_have_sea = self.sea.dam < CEILING;
                if may_have_sea && self.q < 0.0 {
                    self.q = 0.0;
                }
                self.expected = expected;
                self.q.abs() > here.h_f * BUSY_SPEED
            }
        }
    }

    /// Returns true if water of this depth over its lowest bed, vertical units, would leave uphill.
    fn is_uphill(&self, depth: i32) -> bool {
        // The shift does not overflow: `rise` is at most `RISE_MOST`, the ceiling shifted right.
        self.slope < -SLOPE_SURE || depth < self.rise << RISE_SHIFT
    }

    /// Returns the lowest bed along it, vertical units.
    pub(super) fn sill(&self, ground: &Ground) -> i32 {
        let cell = usize::from(self.cell);
        let columns = ground.columns.as_ref();
        columns.map_or(ground.bed[cell], |columns| columns.boundary.faces[self.table as usize].sill)
    }

    /// Returns the flow depth of the outflow from a column with that surface and depth.
    fn leaving(
        &self,
        step: &BoundaryStep<'_>,
        ground: &Ground,
        (own, depth): (CellSurface, i32),
    ) -> FlowDepth {
        let params = &step.params.face;
        let Some(columns) = &ground.columns else {
            return self.flow_depth(step, ground, own.stage, own.slope);
        };
        let fall = self.slope / params.slope_of_unit;
        let opening = columns.boundary.leaving(self.table as usize, (own.stage, depth), fall);
        FlowDepth::through(opening, [own.slope; 2], params)
    }

    /// Returns the flow depth at a stage, vertical units.
    fn flow_depth(
        &self,
        step: &BoundaryStep<'_>,
        ground: &Ground,
        stage: i32,
        slope: f32,
    ) -> FlowDepth {
        let params = &step.params.face;
        match &ground.columns {
            None => {
                let bed = ground.bed[usize::from(self.cell)];
                FlowDepth::of(stage - bed, params)
            }
            Some(columns) => {
                let opening = columns.boundary.at(self.table as usize, stage);
                FlowDepth::through(opening, [slope; 2], params)
            }
        }
    }
}

/// Returns the part of an inward discharge `q` that is let in, at the Courant number `courant` of
/// long waves: a wave's trough, but no runoff: little if friction is quicker than a wave crosses
/// three cells.
fn returning(courant: f32, k: f32, q: f32) -> f32 {
    let ratio = WAVE_CELLS * k * q.abs() / courant;
    1.0 / (1.0 + ratio * ratio)
}

/// Returns the largest outward speed over ground of this fall at depth `h` with waves of speed
/// `wave`, m/s: critical, or that of normal depth if it is more and the ground is not steep.
fn fastest(fall: f32, wave: f32, h: f32, n2: f32) -> f32 {
    let slope = maths::max(fall, 0.0);
    let steepest = wave * froude_most(slope);
    // u² = S h^(4/3) / n²
    let root = maths::inverse_cube_root(h);
    // If the ground is smooth, n = 0, `steepest` alone is the bound.
    let normal = (slope * h / (root * maths::max(n2, 1.0e-12))).sqrt();
    maths::max(wave, maths::min(normal, steepest))
}

/// Returns the speed of water that moves across and along an edge.
fn with_along(q: f32, along: f32) -> f32 {
    (q * q + along * along).sqrt()
}

/// Returns the discharge of the open edge of the module page over a face of this fall, which had
/// the discharge `q`, from the flow that arrived before and arrives now, and runs along it.
fn open_discharge(
    (fall, q): (f32, f32),
    here: &FlowDepth,
    n2: f32,
    (arrived, arriving, along): (f32, f32, f32),
    params: &FaceParams,
) -> f32 {
    let FlowDepth { h_f: h, drag_of_q, flowing, .. } = *here;
    let k = params.friction * n2 * drag_of_q;
    let through = maths::flush(k * arriving * with_along(arriving, along));
    let radiated = leaving_wave((q, arrived, arriving), here, params);
    let wave = (params.gravity * flowing).sqrt();
    let returned = returning(wave / params.speed_max, k, radiated);
    let star = open_star(fall, radiated, (through, returned), (arriving, h), params);
    let out = 2.0 * star / (1.0 + (1.0 + 4.0 * k * with_along(star, along)).sqrt());
    let most = maths::min(fastest(fall, wave, flowing, n2) * h, h * params.speed_max);
    maths::flush(maths::max(-wave * h, maths::min(out, most)))
}

/// Applies the face law of the pipe over an edge with a stage, by the fluid.
fn stage_face(old: OldFace, here: FlowDepth, rise: i32, n2: f32, step: &StepParams) -> Face {
    match step.fluid.is_none() {
        true => advance_face(old, here, rise, n2, &step.face),
        false => advance_fluid(old, 0.0, here, rise, n2, step),
    }
}

/// Returns the discharge of [`open_discharge`] with the resistance of a
/// [`fluid`](crate::flow::fluid): arriving fluid is let through against all of it.
fn open_fluid_discharge(
    (fall, q): (f32, f32),
    here: &FlowDepth,
    n2: f32,
    (arrived, arriving, along): (f32, f32, f32),
    step: &StepParams,
) -> f32 {
    let (params, FlowDepth { h_f: h, drag, flowing, .. }) = (&step.face, *here);
    if step.fluid.is_none() {
        return open_discharge((fall, q), here, n2, (arrived, arriving, along), params);
    }
    let resistance = step.fluid.to_velocity(flowing, 1.0, params.friction * n2 * drag);
    let resistance = resistance.of_discharge(h);
    let lost = |q: f32| resistance.lost(q, along);
    let through = maths::flush(lost(arriving));
    let radiated = leaving_wave((q, arrived, arriving), here, params);
    let wave = (params.gravity * flowing).sqrt();
    let per_q = lost(radiated) / maths::max(radiated * radiated, f32::MIN_POSITIVE);
    let returned = returning(wave / params.speed_max, per_q.abs(), radiated);
    let star = open_star(fall, radiated, (through, returned), (arriving, h), params);
    let (out, _) = resistance.slowed(star, along);
    let most = maths::min(fastest(fall, wave, flowing, n2) * h, h * params.speed_max);
    maths::flush(maths::max(-wave * h, maths::min(out, most)))
}

/// Returns the first two terms of an open edge: the arrived flow, and the part that lets long waves
/// out.
fn leaving_wave(
    (q, arrived, arriving): (f32, f32, f32),
    here: &FlowDepth,
    params: &FaceParams,
) -> f32 {
    let courant = (params.gravity * here.flowing).sqrt() / params.speed_max;
    arrived + (courant - 1.0) / (courant + 1.0) * (arriving - q)
}

/// Returns the discharge of an open edge without friction, which takes `through` from the flow that
/// arrives in a step, if this part of an inward discharge is let in.
fn open_star(
    fall: f32,
    radiated: f32,
    (through, returned): (f32, f32),
    (arriving, h): (f32, f32),
    params: &FaceParams,
) -> f32 {
    let gravity = params.friction * h * maths::max(fall, 0.0);
    let is_sure = fall > SLOPE_SURE;
    // On a gentle fall arriving water is let through, a little less than friction would: so depths
    // below the normal one rise to it.
    let unsure = maths::max(1.0 - fall / SLOPE_SURE, 0.0);
    let least = if fall > 0.0 { through * unsure } else { through };
    let larger = if arriving > 0.0 { maths::max(gravity, least) } else { gravity + through };
    let drive = if is_sure { gravity } else { larger };
    let star = if radiated < 0.0 { radiated * returned } else { radiated };
    maths::flush(star + drive)
}

/// Divides the water that arrives in a cell among its boundary faces, which are adjacent in the
/// list, in proportion to their falls, as a uniform flow divides. A wall gets no share.
pub fn share_cells(boundary: &mut [BoundaryFace]) {
    let part = |face: &BoundaryFace| {
        let is_wall = face.rise >= RISE_OF_GROUND || face.slope < -SLOPE_SURE;
        if is_wall { 0.0 } else { maths::max(face.slope, SLOPE_LEAST) }
    };
    for faces in boundary.chunk_by_mut(|a, b| a.cell == b.cell) {
        let sum: f32 = faces.iter().map(part).sum();
        let alike = [1.0, 0.5, 1.0 / 3.0, 0.25][faces.len() - 1];
        for face in faces {
            face.share = if sum > 0.0 { part(face) / sum } else { alike };
        }
    }
}

/// Discharge of a broad-crested weir over that of critical flow as deep as its head, (2/3)^(3/2).
const WEIR: f32 = 0.544_331_1;

/// Part of the depth inside, 2⁻³: if the stage there is lower than outside by more, the discharge
/// of a weir bounds the inflow. That fall drives 0.8 times as much, and incoming waves fall less.
const WEIR_SHIFT: u32 = 3;

/// Fall from which the ground alone decides the depth at an edge; a smaller one may be noise.
const SLOPE_SURE: f32 = 1.0e-3;

/// Smallest fall of a face beside further faces of its cell: differences below are noise.
const SLOPE_LEAST: f32 = 1.0e-4;

/// Depths of its cell that an open edge may let in before anything has left: the trough of a wave
/// of 5 % that is some hundred cells long.
pub const CREDIT_DEPTHS: i64 = 16;

/// Times, 2³, by which water is deeper than its valley is seen to rise before it leaves uphill. A
/// river of depth h on a slope S is less deep if an eighth of the length of its backwater, h / S,
/// is seen; and a bar of 10 cm before an outlet on level ground keeps no more than 80 cm back.
const RISE_SHIFT: u32 = 3;

/// Most rise that counts, vertical units: no water is so deep.
pub const RISE_MOST: i32 = CEILING >> RISE_SHIFT;

/// Most rise that the ground gives, vertical units: a wall as well, and distinguished from one by
/// an inflow.
pub const RISE_OF_GROUND: i32 = RISE_MOST / 2;

/// Part of a sea's depth, 2⁻⁴, by which water inside may be above it before an open edge lets it
/// out: on an ebb of ±1 m in two hours 15 % of the tide left over open sides without this bound.
const SEA_SHIFT: u32 = 4;

/// Cells that a wave crosses before friction stops it.
const WAVE_CELLS: f32 = 3.0;

/// Outward speed beyond which a leaf does not sleep, m/s.
const BUSY_SPEED: f32 = 1.0e-4;

#[cfg(test)]
mod tests {
    use super::*;

    /// Goal: faces of a cell share the arriving flow by their falls; walls get no share, level
    /// ground as much as any. Method: cells with one to three faces.
    #[test]
    fn faces_of_a_cell_share_by_their_falls() {
        let wall = RISE_OF_GROUND;
        for (falls, wanted) in [
            (&[(0.02, 0)][..], &[1.0][..]),
            (&[(-0.0005, 90)], &[1.0]),
            (&[(0.03, 0), (0.01, 0)], &[0.75, 0.25]),
            (&[(0.004, 0), (0.0, wall)], &[1.0, 0.0]),
            (&[(0.004, 0), (-0.02, 0)], &[1.0, 0.0]),
            (&[(0.0, 0), (-1.0e-9, 0), (1.0e-9, 0)], &[1.0 / 3.0; 3]),
            (&[(0.0, wall), (0.0, RISE_MOST)], &[0.5; 2]),
        ] {
            let face = |&(slope, rise)| {
                let face = BoundaryFace::new(7, Side::West, 0, AccountIndex::default());
                BoundaryFace { slope, rise, ..face }
            };
            let mut faces: Vec<BoundaryFace> = falls.iter().map(face).collect();
            share_cells(&mut faces);
            for (face, wanted) in faces.iter().zip(wanted) {
                assert!((face.share - wanted).abs() < 1.0e-6, "{falls:?}: {}", face.share);
            }
        }
    }
}
