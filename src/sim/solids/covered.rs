//! Rain, evaporation, infiltration and inflows in cells that solids touch.
//!
//! The kernel's leaves take these cells for ground outside the world, so what falls on them, comes
//! up in them and goes from them is moved here, after the solids' part of a step: the same whole
//! units, in the same order, booked in the same accounts.
//!
//! | | from, or to |
//! | --- | --- |
//! | rain | the water over solids, or that under them, or the open cell beside ([`cell_parts`]) |
//! | evaporation | the water over solids, then that under them |
//! | infiltration | the water under solids |
//! | inflows | the water under solids, or as rain |
//!
//! Guarantees: it rains and evaporates on all of the area, solids or not; all of it is booked; the
//!             same bits for any number of threads (`tests/couple/covered.rs`).
//! Limits:     in a cell covered in part all of its water evaporates; run-off is at the nearest
//!             open cell at once.
//! Source:     own.
//!
//! [`cell_parts`]: super::cell_parts

use crate::flow::transfer::Dither;
use crate::grid::cells::{CellPlace, column_row};
use crate::sim::Simulation;
use crate::sim::forcing::{Classes, Direction, Doses, Forcing, infiltration};
use crate::sim::ledger::AccountIndex;
use crate::sim::solids::cell_parts::CellPart;
use crate::sim::solids::region::{Region, RegionCell, key_of, place_of_key};
use crate::sim::table::{LeafOwn, LeafScratch};
use crate::sim::tracers::Tracers;
use crate::tile::{Ground, Water};
use crate::units::SimTime;

/// All that forcing reads and writes where solids touch cells.
struct CoveredForcing<'a> {
    region: &'a mut Region,
    water: &'a mut [Water],
    own: &'a mut [LeafOwn],
    scratch: &'a mut [LeafScratch],
    grounds: &'a [Ground],
    classes: &'a [Classes],
    asleep: &'a [bool],
    forcing: &'a Forcing,
    tracers: &'a Tracers,
}

impl Simulation {
    /// Applies all forcing of a step to cells that solids touch.
    pub(in crate::sim) fn force_covered_cells(&mut self, level: u8, from: SimTime, to: SimTime) {
        let base = self.state.leaves.forest.base();
        if self.state.solids.region.cells.is_empty()
            || level != base
            || self.state.forcing.is_none()
        {
            return;
        }
        let doses = self.state.forcing.doses(from, to, 1.0 / self.params.unit_m);
        let springs = self.springs_under_solids(&doses);
        let mut covered = CoveredForcing {
            region: &mut self.state.solids.region,
            water: &mut self.state.leaves.water,
            own: &mut self.state.leaves.own,
            scratch: &mut self.state.leaves.scratch,
            grounds: &self.state.leaves.grounds,
            classes: &self.state.leaves.classes,
            asleep: &self.state.leaves.asleep,
            forcing: &self.state.forcing,
            tracers: &self.state.tracers,
        };
        for layer in 0..covered.forcing.layers.len() {
            covered.apply_layer(layer, &doses);
        }
        for (cell, account, units) in springs {
            let part = covered.region.above_ground(cell);
            covered.fill(part, account, units);
        }
        covered.soak(&doses, &Dither::new(self.params.settings.seed, level, 0, 0, from.ticks()));
    }

    /// Water that inflows bring to touched cells in a step: cell, account and units.
    fn springs_under_solids(&self, doses: &Doses) -> Vec<(u32, AccountIndex, i32)> {
        let cells = &self.state.solids.region.cells;
        let mut springs = Vec::new();
        for &leaf in &self.state.activity.awake[usize::from(self.state.leaves.forest.base())] {
            let corner = self.state.leaves.forest.leaves()[leaf as usize].corner();
            for share in &self.state.leaves.scratch[leaf as usize].shares {
                let (column, row) = column_row(usize::from(share.cell));
                let place = key_of(CellPlace { x: corner.x + column, y: corner.y + row });
                let found = cells.binary_search_by_key(&place, |cell| cell.key);
                let units = doses.of_share(share);
                if let Ok(at) = found
                    && cells[at].is_touched
                    && units != 0
                {
                    let at = u32::try_from(at).expect("2³² cells at most");
                    springs.push((
                        at,
                        self.state.forcing.inflows[share.inflow as usize].account,
                        units,
                    ));
                }
            }
        }
        springs
    }
}

impl CoveredForcing<'_> {
    /// The touched cells of leaves that are awake.
    fn cells(&self) -> Vec<u32> {
        let is_awake = |cell: &RegionCell| cell.is_touched && !self.asleep[cell.leaf as usize];
        let cells = (0..).zip(&self.region.cells);
        cells.filter(|(_, cell)| is_awake(cell)).map(|(at, _)| at).collect()
    }

    fn apply_layer(&mut self, index: usize, doses: &Doses) {
        if doses.is_dry(index) {
            return;
        }
        let layer = &self.forcing.layers[index];
        for at in self.cells() {
            let cell = self.region.cells[at as usize];
            let classes = &self.classes[cell.leaf as usize][index];
            let class =
                classes.as_ref().map_or(0, |classes| usize::from(classes[usize::from(cell.cell)]));
            let units = doses.of_layer(index, class);
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

    /// Green–Ampt, under solids.
    #[expect(clippy::cast_possible_truncation, reason = "bounded by the depth, an i32")]
    fn soak(&mut self, doses: &Doses, dither: &Dither) {
        let (Some(ground), Some(soil)) = (self.forcing.green_ampt, doses.green_ampt()) else {
            return;
        };
        for at in self.cells() {
            let cell = self.region.cells[at as usize];
            let lower = cell.lower();
            let Some(plane) = &self.own[cell.leaf as usize].infiltrated else { continue };
            if lower == 0 {
                continue;
            }
            let before = f64::from(plane[usize::from(cell.cell)]);
            let wanted = infiltration(before, soil).min(f64::from(lower)) as f32;
            let place = place_of_key(cell.key);
            let (x, y) = (place.x.cast_signed(), place.y.cast_signed());
            let soaked = dither.round_ground(x, y, wanted).clamp(0, lower);
            self.take(CellPart { cell: at, is_upper: false }, ground.account, soaked);
            self.count_soaked(&cell, soaked);
        }
    }

    /// Counts what the ground of a cell took.
    fn count_soaked(&mut self, cell: &RegionCell, units: i32) {
        if let Some(plane) = &mut self.own[cell.leaf as usize].infiltrated {
            let soaked = &mut plane[usize::from(cell.cell)];
            *soaked = soaked.saturating_add(units);
        }
    }

    /// Puts what fits of an account's water into a part, and books it.
    fn fill(&mut self, part: CellPart, account: AccountIndex, units: i32) {
        let leaf = &mut self.scratch[self.region.cells[part.cell as usize].leaf as usize];
        let store = self.region.store(part, self.grounds, self.water);
        let units = self.tracers.books(&mut leaf.content_bookings).fill(store, account, units);
        leaf.bookings.add_in(account, i64::from(units));
    }

    /// Takes what there is out of a part of a touched cell, and books it; returns how much.
    fn take(&mut self, part: CellPart, account: AccountIndex, units: i32) -> i32 {
        let leaf = &mut self.scratch[self.region.cells[part.cell as usize].leaf as usize];
        let store = self.region.store(part, self.grounds, self.water);
        let units = self.tracers.books(&mut leaf.content_bookings).drain(store, account, units);
        leaf.bookings.add_out(account, i64::from(units));
        units
    }
}
