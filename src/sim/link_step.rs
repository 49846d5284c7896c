//! The links' part of a step: their water, before the boundary moves its own.

use crate::flow::transfer::round_link;
use crate::sim::Simulation;
use crate::sim::cell_store::CellStore;
use crate::sim::links::{Link, LinkEnd};
use crate::units::{SimTime, Volume};

/// Water on its way from one end of a link to the other: so many units of cells of the coarser end.
#[derive(Debug, Clone, Copy)]
struct Parcel {
    units: i32,
    /// Cells of each end's leaf in one of the coarser end's, as a power of two: of who gives, and
    /// of who takes.
    cells_log2: [u8; 2],
}

impl Simulation {
    /// Steps all links whose coarser end is of `level` and whose ends are awake.
    pub(super) fn step_links(&mut self, level: u8, from: SimTime, to: SimTime) {
        for index in 0..self.state.links.len() {
            let link = &self.state.links[index];
            let is_asleep = link.ends().any(|end| self.state.leaves.asleep[end.leaf as usize]);
            if link.level(&self.state.leaves.forest) == level && !is_asleep {
                self.step_link(index, level, from, to);
            }
        }
    }

    #[expect(clippy::cast_possible_truncation, reason = "bounded where it is rounded")]
    fn step_link(&mut self, index: usize, level: u8, from: SimTime, to: SimTime) {
        let dt_s = SimTime::from_ticks(to.since(from)).seconds();
        let mut state = self.wanted(&self.state.links[index], dt_s);
        let link = &self.state.links[index];
        let width = self.params.width_of(level);
        let x = state.flow.discharge * dt_s / (width * width * self.params.unit_m);
        let wanted = round_link(self.params.settings.seed, link.number, from.ticks(), x as f32);
        let moved = self.move_along(index, level, wanted);
        if moved != wanted {
            let part = if moved == 0 { 0.0 } else { f64::from(moved) / f64::from(wanted) };
            state.flow.discharge = state.flow.discharge * part + 0.0;
        }
        self.state.links[index].state = state;
    }

    /// Moves up to `wanted` units of cells of `level` along a link; returns how many it moved.
    fn move_along(&mut self, index: usize, level: u8, wanted: i32) -> i32 {
        let Link { from, to, account, .. } = self.state.links[index];
        if wanted == 0 {
            return 0;
        }
        let finer = |end: &LinkEnd| {
            2 * (level - self.state.leaves.forest.leaves()[end.leaf as usize].level)
        };
        let Some(to) = to else {
            let units = wanted.clamp(0, self.spare(&from));
            let account = account.expect("a link that leads out has an account");
            self.take_out(&from, account, units);
            return units;
        };
        if (from.leaf, from.cell) == (to.leaf, to.cell) {
            return 0;
        }
        let (giver, taker) = if wanted > 0 { (from, to) } else { (to, from) };
        let cells_log2 = [finer(&giver), finer(&taker)];
        let room = self.store_at(&taker, true).room();
        let most = (self.spare(&giver) >> cells_log2[0]).min(room >> cells_log2[1]);
        let units = wanted.abs().min(most);
        if units > 0 {
            self.carry_over((&giver, &taker), Parcel { units, cells_log2 });
        }
        units * wanted.signum()
    }

    /// Volume that an end may give, units of its cell: the water above its sill, half of the depth
    /// at most.
    fn spare(&self, end: &LinkEnd) -> i32 {
        if let Some(mouth) = self.mouth(end) {
            return self.spare_at_mouth(mouth, self.sill_of(end));
        }
        let (leaf, cell) = (end.leaf as usize, usize::from(end.cell));
        let (ground, depth) =
            (&self.state.leaves.grounds[leaf], self.state.leaves.water[leaf].depth[cell]);
        let above = depth - ground.holds(cell, end.sill_on(ground));
        above.min(depth / 2).max(0)
    }

    /// Takes units and their contents out of the world.
    fn take_out(&mut self, end: &LinkEnd, account: u32, units: i32) {
        let contents = self.store_at(end, false).take_all(units);
        let leaf = &mut self.state.leaves.scratch[end.leaf as usize];
        for (gone, bookings) in contents.into_iter().zip(&mut leaf.content_bookings) {
            bookings.add_out(account, gone);
        }
        leaf.bookings.add_out(account, i64::from(units));
    }

    /// Moves a parcel and its contents from one end to the other.
    fn carry_over(&mut self, (giver, taker): (&LinkEnd, &LinkEnd), parcel: Parcel) {
        let [give_log2, take_log2] = parcel.cells_log2;
        let contents = self.store_at(giver, false).take_all(parcel.units << give_log2);
        self.store_at(taker, true)
            .give(parcel.units << take_log2, |tracer| contents[tracer] >> give_log2 << take_log2);
        let fine_level = self.state.leaves.forest.leaves()[giver.leaf as usize].level;
        let rest = (1_i64 << give_log2) - 1;
        let carry = &mut self.state.leaves.own[taker.leaf as usize].carry;
        for (carried, content) in carry.contents.iter_mut().zip(contents) {
            // What is no whole unit in a coarser cell.
            *carried += Volume::from(content & rest) << (2 * fine_level);
        }
    }

    /// The water that a link takes from at an end, or the one that takes what a link brings.
    fn store_at(&mut self, end: &LinkEnd, brings: bool) -> CellStore<'_> {
        if let Some(mouth) = self.mouth(end) {
            return self.store_at_mouth(mouth, brings);
        }
        let (leaf, cell) = (end.leaf as usize, usize::from(end.cell));
        let full = self.state.leaves.grounds[leaf].room(cell);
        CellStore::open(&mut self.state.leaves.water[leaf], cell).full_at(full)
    }
}
