//! Water that enters and leaves inside the world: rain, evaporation, infiltration, inflows.
//!
//! ```text
//! layer        every cell of a leaf, at the rate of its class: rain, evaporation, infiltration
//! Green–Ampt   f = K (1 + ψΔθ / F), F the depth infiltrated so far; implicit in F, in f32
//! inflow       a volume shared out evenly over some cells
//! ```
//!
//! A cell that is partly outside the world gets and gives water for the ground it has: the whole
//! units of its share of all that a layer deposited since the beginning.
//!
//! Guarantees: a layer deposits whole units that add up to its rate exactly ([`RateSeries`]); sinks
//!             take no more than the cell contains; a cell at the ceiling takes no more; all of it
//!             is booked.
//! Limits:     rates do not depend on the water, except Green–Ampt's; a column with a table gives
//!             as from all its area if any of it is wet.
//! Source:     Green & Ampt (1911) in the form of Chow, Maidment & Mays (1988), backward Euler.

use crate::flow::transfer::Dither;
use crate::flow::versions::InstructionSet;
use crate::grid::LeafId;
use crate::grid::cells::{CellPlace, column_row};
use crate::grid::{TILE_CELLS, TILE_WIDTH};
use crate::sim::cell_store::CellStore;
use crate::sim::forcing::rows::{LayerRows, SoilRows};
use crate::sim::ledger::{AccountIndex, Bookings};
use crate::sim::tracers::TracerBooks;
use crate::structure::weather::Direction;
use crate::tile::{CowPlane, Ground};
use crate::units::{CEILING, RateSeries, SimTime, maths};
use serde::Serialize;
use std::sync::Arc;

mod rows;

pub(super) use rows::infiltration;

/// Class of a cell under a layer: an index into its rates.
pub type LayerClass = u16;

/// Classes of the cells of a tile under a layer, or by their roughness.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CellClasses {
    /// All cells are of this class.
    One(LayerClass),
    /// Class 1 if the bit of a row and a column is set, else 0.
    Marked(Arc<[u64; TILE_WIDTH]>),
    /// The class of each cell.
    Each(Arc<[LayerClass]>),
}

/// Returns the class of a cell by the bits of rows.
#[inline(always)]
fn mark(rows: &[u64; TILE_WIDTH], cell: usize) -> LayerClass {
    LayerClass::from(rows[cell / TILE_WIDTH] >> (cell % TILE_WIDTH) & 1 == 1)
}

impl CellClasses {
    /// Returns the class of a cell.
    #[inline(always)]
    #[must_use]
    pub fn at(&self, cell: usize) -> LayerClass {
        match self {
            Self::One(class) => *class,
            Self::Marked(rows) => mark(rows, cell),
            Self::Each(classes) => classes[cell],
        }
    }

    /// Returns its size in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        match self {
            Self::One(_) => 0,
            Self::Marked(rows) => size_of_val(&**rows),
            Self::Each(classes) => size_of_val(&**classes),
        }
    }
}

impl From<Vec<LayerClass>> for CellClasses {
    fn from(classes: Vec<LayerClass>) -> Self {
        match classes.iter().all(|&class| class == classes[0]) {
            true => Self::One(classes[0]),
            false => Self::Each(classes.into()),
        }
    }
}

/// Classes of the cells of a leaf by layer of forcing; `None` if all are of class 0.
pub type ForcingClasses = Box<[Option<CellClasses>]>;

/// A rate over every cell.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ForcingLayer {
    /// Account on which it is booked.
    pub account: AccountIndex,
    /// Direction of the water.
    pub direction: Direction,
    /// Rate of each class, vertical units per second.
    pub rates: Vec<RateSeries>,
}

/// Infiltration that slows as the ground fills.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct GreenAmptLaw {
    /// Account on which it is booked.
    pub account: AccountIndex,
    /// Saturated hydraulic conductivity K, m/s.
    pub conductivity_m_s: f64,
    /// Suction head times moisture deficit ψΔθ, m.
    pub suction_m: f64,
}

/// A discharge into some cells.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LaidInflow {
    /// Account on which it is booked.
    pub account: AccountIndex,
    /// Vertical units × cells of the base level per second.
    pub rate: RateSeries,
    /// Cells of the inflow, by their places in the base level.
    pub places: Vec<CellPlace>,
    /// Leaf and cell of each place.
    #[serde(skip)]
    pub cells: Vec<(LeafId, u16)>,
    /// Number of faces between its cells and cells that are not its own, counted on the base level.
    pub outline: u32,
}

impl LaidInflow {
    /// Returns its size in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        size_of::<Self>()
            + self.rate.bytes()
            + size_of_val(&self.places[..])
            + size_of_val(&self.cells[..])
    }
}

/// All forcing of a simulation.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Forcing {
    /// Rain, evaporation and constant infiltration, in the order they act.
    pub layers: Vec<ForcingLayer>,
    /// Green–Ampt infiltration.
    pub green_ampt: Option<GreenAmptLaw>,
    /// Inflows.
    pub inflows: Vec<LaidInflow>,
}

/// One cell's share of an inflow, as its leaf keeps it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InflowCell {
    /// Index of the inflow.
    pub inflow: u32,
    /// Index of the cell in the leaf.
    pub cell: u16,
    /// Index among the inflow's cells.
    pub rank: u32,
    /// Cells of the base level in a cell of the leaf, as a power of two.
    pub cells_log2: u8,
}

/// Depths that a layer deposits in one step, by class.
#[derive(Debug, Clone, Default)]
struct LayerStep {
    /// Units.
    units: Vec<i32>,
    /// Totals since the beginning, before and after the step, of which cells get a share.
    totals: Vec<[u128; 2]>,
}

impl LayerStep {
    fn of(rates: &[RateSeries], from: SimTime, to: SimTime) -> Self {
        let total = |rate: &RateSeries| [from, to].map(|time| rate.deposited_by(time));
        let totals: Vec<_> = rates.iter().map(total).collect();
        Self {
            units: totals.iter().map(|&[before, after]| step_units(after - before)).collect(),
            totals,
        }
    }
}

/// Returns units limited to the most that a cell may get at once.
fn step_units(units: u128) -> i32 {
    i32::try_from(units).unwrap_or(CEILING).min(CEILING)
}

/// Depths that one step deposits: computed once, read by all leaves.
#[derive(Debug, Clone, Default)]
pub struct StepDepths {
    layers: Vec<LayerStep>,
    /// Total of each inflow before and after the step, units × cells, and its count of cells.
    inflows: Vec<[u128; 3]>,
    /// K Δt and ψΔθ, units.
    green_ampt: Option<[f32; 2]>,
}

impl Forcing {
    /// Returns true if the ground takes water, so that leaves carry a plane `infiltrated`.
    #[must_use]
    pub fn has_ground(&self) -> bool {
        self.green_ampt.is_some() || self.layers.iter().any(|l| l.direction == Direction::Ground)
    }

    /// Returns true if no forcing is set.
    pub(super) fn is_none(&self) -> bool {
        self.layers.is_empty() && self.green_ampt.is_none() && self.inflows.is_empty()
    }

    /// Returns the layers that move water between two moments, either those that bring water
    /// (`is_rain`) or those that take it, and which of their classes do.
    #[must_use]
    pub fn moving(&self, is_rain: bool, from: SimTime, to: SimTime) -> Vec<(usize, Vec<bool>)> {
        let moving = |(layer, own): (usize, &ForcingLayer)| {
            let is_of = (own.direction == Direction::Into) == is_rain;
            let moves: Vec<bool> =
                own.rates.iter().map(|rate| is_of && rate.deposited(from, to) > 0).collect();
            moves.contains(&true).then_some((layer, moves))
        };
        self.layers.iter().enumerate().filter_map(moving).collect()
    }

    /// Computes the depths that the step between two moments deposits.
    #[must_use]
    pub fn step_depths(&self, from: SimTime, to: SimTime, units_per_m: f64) -> StepDepths {
        let total = |inflow: &LaidInflow| [from, to].map(|time| inflow.rate.deposited_by(time));
        let dt_s = SimTime::from_ticks(to.since(from)).seconds();
        #[expect(clippy::cast_possible_truncation, reason = "rounded to f32 on purpose")]
        let rounded = |units: f64| maths::flush(units as f32);
        StepDepths {
            layers: self.layers.iter().map(|l| LayerStep::of(&l.rates, from, to)).collect(),
            inflows: self
                .inflows
                .iter()
                .map(|i| [total(i)[0], total(i)[1], i.cells.len() as u128])
                .collect(),
            green_ampt: self
                .green_ampt
                .map(|g| [g.conductivity_m_s * dt_s * units_per_m, g.suction_m * units_per_m])
                .map(|soil| soil.map(rounded)),
        }
    }
}

impl StepDepths {
    /// Returns true if a layer moves nothing.
    #[must_use]
    pub fn is_dry(&self, layer: usize) -> bool {
        self.layers[layer].units.iter().all(|&units| units == 0)
    }

    /// Returns the units that a layer moves in flat cells, by class.
    #[must_use]
    pub fn by_class(&self, layer: usize) -> &[i32] {
        &self.layers[layer].units
    }

    /// Returns the units that a layer has moved before the step and after it, since the beginning,
    /// by class: cells that are partly outside the world get a share of them.
    #[must_use]
    pub fn totals(&self, layer: usize) -> &[[u128; 2]] {
        &self.layers[layer].totals
    }

    /// Returns the units that a layer moves in a flat cell of a class.
    pub(super) fn of_layer(&self, layer: usize, class: usize) -> i32 {
        self.layers[layer].units[class]
    }

    /// Returns the units that a share of an inflow brings to its cell.
    #[must_use]
    pub fn of_share(&self, share: &InflowCell) -> i32 {
        let [before, after, count] = self.inflows[share.inflow as usize];
        // ⌊(V + r)/n⌋ over r = 0 … n − 1 adds up to V (Hermite), so the cells together get all of
        // it. Totals are rounded, not the parts of a step: a rest comes with a later step.
        let by = |total: u128| ((total + u128::from(share.rank)) / count) >> share.cells_log2;
        i32::try_from(by(after) - by(before)).unwrap_or(CEILING)
    }

    /// Returns K Δt and ψΔθ, units.
    #[must_use]
    pub fn green_ampt(&self) -> Option<[f32; 2]> {
        self.green_ampt
    }
}

/// Parts of a leaf that forcing touches.
#[derive(Debug)]
pub struct LeafWater<'a> {
    /// Ground of the leaf.
    pub ground: &'a Ground,
    /// Classes of its cells by layer of forcing.
    pub classes: &'a [Option<CellClasses>],
    /// Depth of its cells, vertical units.
    pub depth: &'a mut [i32],
    /// Depth that its ground took so far, vertical units.
    pub infiltrated: Option<&'a mut [i32]>,
    /// Bookings of water.
    pub bookings: &'a mut Bookings,
    /// Content of its cells by tracer, 2⁻²⁴ vertical units.
    pub contents: &'a mut [CowPlane<i64>],
    /// Bookings of tracers.
    pub tracers: TracerBooks<'a>,
}

impl LeafWater<'_> {
    /// Adds water to a cell up to the ceiling; returns the units added. Contents follow if the
    /// water `CARRIES` any: a loop over cells that checks each time runs a third slower.
    pub fn add<const CARRIES: bool>(
        &mut self,
        account: AccountIndex,
        cell: usize,
        units: i32,
    ) -> i32 {
        self.fill::<CARRIES>(account, cell, units, self.ground.room(cell))
    }

    /// Fills a cell that has room for `most` when it is dry.
    #[inline(always)]
    fn fill<const CARRIES: bool>(
        &mut self,
        account: AccountIndex,
        cell: usize,
        units: i32,
        most: i32,
    ) -> i32 {
        crate::checked!(units >= 0, "what is taken away is booked elsewhere");
        let contents = if CARRIES { &mut *self.contents } else { &mut [] };
        let store = CellStore::new(&mut self.depth[cell], contents, cell).full_at(most);
        self.tracers.fill(store, account, units)
    }

    /// Takes available water from a cell; returns the units taken. Contents follow as in
    /// [`LeafWater::add`].
    pub fn take<const CARRIES: bool>(
        &mut self,
        account: AccountIndex,
        cell: usize,
        units: i32,
    ) -> i32 {
        let contents = if CARRIES { &mut *self.contents } else { &mut [] };
        let store = CellStore::new(&mut self.depth[cell], contents, cell);
        self.tracers.drain(store, account, units)
    }

    /// Applies all forcing of one step.
    pub fn force(
        &mut self,
        forcing: &Forcing,
        step_depths: &StepDepths,
        shares: &[InflowCell],
        dither: &Dither,
    ) {
        if self.tracers.is_empty() {
            self.force_all::<false>(forcing, step_depths, shares, dither);
        } else {
            self.force_all::<true>(forcing, step_depths, shares, dither);
        }
    }

    fn force_all<const CARRIES: bool>(
        &mut self,
        forcing: &Forcing,
        step_depths: &StepDepths,
        shares: &[InflowCell],
        dither: &Dither,
    ) {
        let classes = self.classes.iter().map(Option::as_ref);
        for ((layer, step), classes) in forcing.layers.iter().zip(&step_depths.layers).zip(classes)
        {
            self.apply_layer::<CARRIES>(layer, step, classes);
        }
        for share in shares {
            let units = step_depths.of_share(share);
            let account = forcing.inflows[share.inflow as usize].account;
            let taken = self.add::<CARRIES>(account, usize::from(share.cell), units);
            self.bookings.add_in(account, i64::from(taken));
        }
        // The ground comes last, so that it takes water of this step, too.
        if let (Some(ground), Some(soil)) = (forcing.green_ampt, step_depths.green_ampt) {
            match self.ground.parts() {
                None if !CARRIES => self.soak_rows(ground.account, soil, dither),
                None => self.soak::<CARRIES>(ground.account, soil, dither, |_| 1.0),
                Some(parts) => {
                    #[expect(clippy::cast_possible_truncation, reason = "rounded to f32")]
                    let share = |cell: usize| parts.share(cell) as f32;
                    self.soak::<CARRIES>(ground.account, soil, dither, share);
                }
            }
        }
    }

    fn apply_layer<const CARRIES: bool>(
        &mut self,
        layer: &ForcingLayer,
        step: &LayerStep,
        classes: Option<&CellClasses>,
    ) {
        let is_still = |class: usize| step.units[class] == 0;
        match classes {
            _ if step.units.iter().all(|&units| units == 0) => {}
            None => self.apply_by_class::<CARRIES>(layer, step, |_| 0),
            Some(CellClasses::One(class)) if is_still(usize::from(*class)) => {}
            Some(CellClasses::One(class)) => {
                let class = usize::from(*class);
                self.apply_by_class::<CARRIES>(layer, step, |_| class);
            }
            Some(CellClasses::Marked(rows)) => {
                self.apply_by_class::<CARRIES>(layer, step, |cell| usize::from(mark(rows, cell)));
            }
            Some(CellClasses::Each(classes)) => {
                self.apply_by_class::<CARRIES>(layer, step, |cell| usize::from(classes[cell]));
            }
        }
    }

    #[inline(always)]
    fn apply_by_class<const CARRIES: bool>(
        &mut self,
        layer: &ForcingLayer,
        step: &LayerStep,
        class: impl Fn(usize) -> usize,
    ) {
        let ground = self.ground;
        match ground.parts() {
            None if !CARRIES => {
                let units = |cell| step.units[class(cell)];
                let (direction, bed) = (layer.direction, &ground.bed[..]);
                let (depth, infiltrated) = (&mut *self.depth, self.infiltrated.as_deref_mut());
                let rows = LayerRows { direction, units, bed, depth, infiltrated };
                let moved = InstructionSet::fastest().run(rows);
                self.book(layer, moved);
            }
            None => self.move_layer::<CARRIES>(layer, |cell| {
                (step.units[class(cell)], CEILING - ground.bed[cell])
            }),
            Some(parts) => self.move_layer::<CARRIES>(layer, |cell| {
                let [before, after] = step.totals[class(cell)];
                let units = parts.over_cell(cell, after) - parts.over_cell(cell, before);
                (step_units(units), ground.room(cell))
            }),
        }
    }

    /// Moves the units of a layer into each cell, or out of it, up to the most that the cell may
    /// have.
    #[inline(always)]
    fn move_layer<const CARRIES: bool>(
        &mut self,
        layer: &ForcingLayer,
        of_cell: impl Fn(usize) -> (i32, i32),
    ) {
        let mut moved = 0_i64;
        for cell in 0..TILE_CELLS {
            let (units, most) = of_cell(cell);
            moved += i64::from(match layer.direction {
                Direction::Into => self.fill::<CARRIES>(layer.account, cell, units, most),
                Direction::Out => self.take::<CARRIES>(layer.account, cell, units),
                Direction::Ground => {
                    let soaked = self.take::<CARRIES>(layer.account, cell, units);
                    if let Some(plane) = &mut self.infiltrated {
                        plane[cell] = plane[cell].saturating_add(soaked);
                    }
                    soaked
                }
            });
        }
        self.book(layer, moved);
    }

    /// Books the units that a layer moved.
    fn book(&mut self, layer: &ForcingLayer, moved: i64) {
        match layer.direction {
            Direction::Into => self.bookings.add_in(layer.account, moved),
            Direction::Out | Direction::Ground => self.bookings.add_out(layer.account, moved),
        }
    }

    /// Applies Green–Ampt in cells that are ground throughout.
    fn soak_rows(&mut self, account: AccountIndex, soil: [f32; 2], dither: &Dither) {
        let Some(infiltrated) = self.infiltrated.as_deref_mut() else { return };
        let rows = SoilRows { soil, dither, depth: &mut *self.depth, infiltrated };
        let moved = InstructionSet::fastest().run(rows);
        self.bookings.add_out(account, moved);
    }

    /// Applies Green–Ampt; F is over the share of a cell that is ground, while planes contain
    /// depths over all of it.
    #[inline(always)]
    #[expect(clippy::cast_precision_loss, reason = "of depths that a draw rounds")]
    fn soak<const CARRIES: bool>(
        &mut self,
        account: AccountIndex,
        soil: [f32; 2],
        dither: &Dither,
        share: impl Fn(usize) -> f32,
    ) {
        let mut moved = 0_i64;
        for cell in 0..TILE_CELLS {
            let depth = self.depth[cell];
            if depth == 0 {
                continue;
            }
            let Some(plane) = &mut self.infiltrated else { return };
            let share = share(cell);
            let before = plane[cell] as f32 / share;
            let wanted = maths::min(infiltration(before, soil) * share, depth as f32);
            let (column, row) = column_row(cell);
            let (column, row) = (column.cast_signed(), row.cast_signed());
            // A depth above 2²⁴ may be rounded up as an f32.
            let soaked = dither.round_ground(column, row, wanted).clamp(0, depth);
            plane[cell] = plane[cell].saturating_add(soaked);
            moved += i64::from(self.take::<CARRIES>(account, cell, soaked));
        }
        self.bookings.add_out(account, moved);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the [`infiltration`] of the quadratic, in f64.
    fn exact(before: f64, [conductivity, suction]: [f64; 2]) -> f64 {
        let b = before + conductivity;
        0.5 * (b + (b * b + 4.0 * conductivity * suction).sqrt()) - before
    }

    /// Goal: f32 loses none of the water that soaks in. Method: grounds from clay to gravel, each
    /// in steps of 1 ms to 10 s, from dry ground on until a day is over: each step, and their sum,
    /// beside the quadratic in f64.
    #[test]
    #[expect(clippy::cast_possible_truncation, reason = "to f32, and a count of steps")]
    fn infiltration_in_f32_is_that_of_the_quadratic() {
        let units_per_m = f64::from(1 << 20);
        for (conductivity_m_s, suction_m) in [(1.0e-8, 0.1), (1.0e-6, 0.05), (1.0e-3, 0.001)] {
            for dt_s in [0.001, 0.1, 10.0] {
                let soil = [conductivity_m_s * dt_s, suction_m].map(|m| m * units_per_m);
                let soil_f32 = soil.map(|units| units as f32);
                let [mut before, mut sum] = [0.0; 2];
                let mut error = 0.0_f64;
                for _ in 0..(86_400.0_f64 / dt_s).min(200_000.0) as u32 {
                    let units = exact(before, soil);
                    let own = f64::from(infiltration(before as f32, soil_f32));
                    // The difference in f64 is off by a unit in the last place of F.
                    error = error.max(((own - units).abs() - 1.0e-15 * before).max(0.0) / units);
                    sum += f64::from(infiltration(sum as f32, soil_f32));
                    before += units;
                }
                let off = sum / before - 1.0;
                assert!(error < 4.0e-7, "{conductivity_m_s} m/s, {dt_s} s: {error:e} of a step");
                assert!(off.abs() < 2.0e-7, "{conductivity_m_s} m/s, {dt_s} s: {off:e} of all");
                println!(
                    "{conductivity_m_s} m/s, {dt_s} s: {error:.1e} of a step, {off:.1e} of all"
                );
            }
        }
    }
}
