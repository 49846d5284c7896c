//! Rain, evaporation, infiltration and inflows in cells that solids touch.
//!
//! The kernel's leaves take these cells for ground outside the world, so all water that falls on
//! them, rises in them and leaves them is moved here, after the solids' part of a step: the same
//! whole units, in the same order, booked in the same accounts.
//!
//! | | from, or to |
//! | --- | --- |
//! | rain | the water over solids, or that under them, or the open cell beside ([`cell_parts`]) |
//! | evaporation | the water over solids, then that under them |
//! | infiltration | the water under solids |
//! | inflows | the water under solids, or as rain |
//!
//! Guarantees: it rains and evaporates on all of the area, solids or not; all of it is booked; the
//!             same bits for any number of threads (`tests/couple/forcing.rs`).
//! Limits:     in a cell covered in part all of its water evaporates; run-off is at the nearest
//!             open cell at once.
//! Source:     own.
//!
//! [`cell_parts`]: super::cell_parts

use crate::flow::transfer::Dither;
use crate::grid::LeafId;
use crate::grid::cells::{CellPlace, column_row};
use crate::sim::forcing::{Forcing, StepDepths, infiltration};
use crate::sim::ledger::AccountIndex;
use crate::sim::params::Params;
use crate::sim::solids::cell_parts::CellPart;
use crate::sim::solids::region::{RegionCell, RegionCellId, SolidRegion, place_of_key};
use crate::sim::table::LeafTable;
use crate::sim::tracers::Tracers;
use crate::structure::weather::Direction;
use crate::units::{SimTime, maths};

/// All data that forcing reads and writes in cells touched by solids.
pub(in crate::sim) struct CoveredForcing<'a> {
    /// The cells.
    pub region: &'a mut SolidRegion,
    /// Their leaves.
    pub leaves: &'a mut LeafTable,
    /// Sources and sinks.
    pub forcing: &'a Forcing,
    /// Concentrations of sources.
    pub tracers: &'a Tracers,
}

/// Water that an inflow brings to a touched cell in a step.
struct Spring {
    cell: RegionCellId,
    account: AccountIndex,
    units: i32,
}

impl CoveredForcing<'_> {
    /// Applies all forcing of a step; `awake` are the leaves of the base level that are.
    pub fn apply(&mut self, awake: &[LeafId], params: &Params, from: SimTime, to: SimTime) {
        if self.region.cells.is_empty() || self.forcing.is_none() {
            return;
        }
        let step_depths = self.forcing.step_depths(from, to, 1.0 / params.unit_m);
        let springs = self.springs(awake, &step_depths);
        for layer in 0..self.forcing.layers.len() {
            self.apply_layer(layer, &step_depths);
        }
        for Spring { cell, account, units } in springs {
            self.fill(self.region.above_ground(cell), account, units);
        }
        self.soak(
            &step_depths,
            &Dither::new(params.settings.seed, params.base, 0, 0, from.ticks()),
        );
    }

    /// Returns the water that inflows bring to touched cells.
    fn springs(&self, awake: &[LeafId], step_depths: &StepDepths) -> Vec<Spring> {
        let mut springs = Vec::new();
        for &leaf in awake {
            let corner = self.leaves.forest.leaves()[leaf].corner();
            for share in &self.leaves.scratch[leaf].shares {
                let (column, row) = column_row(usize::from(share.cell));
                let place = CellPlace { x: corner.x + column, y: corner.y + row };
                let units = step_depths.of_share(share);
                if let Some(cell) = self.region.touched_at(place)
                    && units != 0
                {
                    let account = self.forcing.inflows[share.inflow as usize].account;
                    springs.push(Spring { cell, account, units });
                }
            }
        }
        springs
    }

    /// Returns the touched cells of leaves that are awake.
    fn cells(&self) -> Vec<RegionCellId> {
        let is_awake = |cell: &RegionCell| cell.is_touched && !self.leaves.asleep[cell.leaf];
        let cells = &self.region.cells;
        let cells = RegionCellId::all(cells.len()).zip(cells);
        cells.filter(|(_, cell)| is_awake(cell)).map(|(at, _)| at).collect()
    }

    fn apply_layer(&mut self, index: usize, step_depths: &StepDepths) {
        if step_depths.is_dry(index) {
            return;
        }
        let layer = &self.forcing.layers[index];
        for at in self.cells() {
            let cell = self.region.cells[at];
            let classes = &self.leaves.classes[cell.leaf][index];
            let class = classes
                .as_ref()
                .map_or(0, |classes| usize::from(classes.at(usize::from(cell.cell))));
            let units = step_depths.of_layer(index, class);
            let under = CellPart { cell: at, is_upper: false };
            match layer.direction {
                Direction::Into => {
                    let part = self.region.below_sky(at, units);
                    self.fill(part, layer.account, units);
                }
                Direction::Out => {
                    let over = CellPart { cell: at, is_upper: true };
                    let rest = units - self.take(over, layer.account, units);
                    self.take(under, layer.account, rest);
                }
                Direction::Ground => {
                    let soaked = self.take(under, layer.account, units);
                    self.count_soaked(&cell, soaked);
                }
            }
        }
    }

    /// Applies Green–Ampt, under solids.
    #[expect(clippy::cast_precision_loss, reason = "of depths that a draw rounds")]
    fn soak(&mut self, step_depths: &StepDepths, dither: &Dither) {
        let (Some(ground), Some(soil)) = (self.forcing.green_ampt, step_depths.green_ampt()) else {
            return;
        };
        for at in self.cells() {
            let cell = self.region.cells[at];
            let lower = cell.lower();
            let Some(plane) = &self.leaves.own[cell.leaf].infiltrated else { continue };
            if lower == 0 {
                continue;
            }
            let before = plane[usize::from(cell.cell)] as f32;
            let wanted = maths::min(infiltration(before, soil), lower as f32);
            let place = place_of_key(cell.key);
            let (x, y) = (place.x.cast_signed(), place.y.cast_signed());
            // A draw, or `lower` as an f32, may be rounded up to more than the water that is left.
            let soaked = dither.round_ground(x, y, wanted).clamp(0, lower);
            self.take(CellPart { cell: at, is_upper: false }, ground.account, soaked);
            self.count_soaked(&cell, soaked);
        }
    }

    /// Counts the units that the ground of a cell took.
    fn count_soaked(&mut self, cell: &RegionCell, units: i32) {
        if let Some(plane) = &mut self.leaves.own[cell.leaf].infiltrated {
            let soaked = &mut plane[usize::from(cell.cell)];
            *soaked = soaked.saturating_add(units);
        }
    }

    /// Adds an account's water to a part up to its room, and books it.
    fn fill(&mut self, part: CellPart, account: AccountIndex, units: i32) {
        let LeafTable { grounds, water, scratch, .. } = &mut *self.leaves;
        let leaf = &mut scratch[self.region.cells[part.cell].leaf];
        let store = self.region.store(part, grounds, water);
        let units = self.tracers.books(&mut leaf.content_bookings).fill(store, account, units);
        leaf.bookings.add_in(account, i64::from(units));
    }

    /// Takes available water out of a part of a touched cell, and books it; returns the units
    /// taken.
    fn take(&mut self, part: CellPart, account: AccountIndex, units: i32) -> i32 {
        let LeafTable { grounds, water, scratch, .. } = &mut *self.leaves;
        let leaf = &mut scratch[self.region.cells[part.cell].leaf];
        let store = self.region.store(part, grounds, water);
        let units = self.tracers.books(&mut leaf.content_bookings).drain(store, account, units);
        leaf.bookings.add_out(account, i64::from(units));
        units
    }
}
