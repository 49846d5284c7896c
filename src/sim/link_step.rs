//! The links' part of a step: their water, before the rim moves its own.

use crate::flow::tracer::share;
use crate::flow::transfer::round_link;
use crate::sim::Simulation;
use crate::sim::links::Link;
use crate::sim::links::LinkEnd;
use crate::sim::links::LinkState;
use crate::units::SimTime;
use crate::units::Volume;

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
        for index in 0..self.links.len() {
            let link = &self.links[index];
            let is_asleep = link.ends().any(|end| self.asleep[end.leaf as usize]);
            if link.level(&self.forest) == level && !is_asleep {
                self.step_link(index, level, from, to);
            }
        }
    }

    #[expect(clippy::cast_possible_truncation, reason = "bounded where it is rounded")]
    fn step_link(&mut self, index: usize, level: u8, from: SimTime, to: SimTime) {
        if self.is_under_solids(&self.links[index]) {
            self.links[index].state = LinkState::default();
            return;
        }
        let dt_s = SimTime::from_ticks(to.since(from)).seconds();
        let mut state = self.wanted(&self.links[index], dt_s);
        let link = &self.links[index];
        let width = self.width_of(level);
        let x = state.flow.discharge * dt_s / (width * width * self.unit_m);
        let wanted = round_link(self.settings.seed, link.number, from.ticks(), x as f32);
        let moved = self.move_along(index, level, wanted);
        if moved != wanted {
            let part = if moved == 0 { 0.0 } else { f64::from(moved) / f64::from(wanted) };
            state.flow.discharge = state.flow.discharge * part + 0.0;
        }
        self.links[index].state = state;
    }

    /// Moves up to `wanted` units of cells of `level` along a link; returns how many it moved.
    fn move_along(&mut self, index: usize, level: u8, wanted: i32) -> i32 {
        let Link { from, to, account, .. } = self.links[index];
        if wanted == 0 {
            return 0;
        }
        let finer = |end: &LinkEnd| 2 * (level - self.forest.leaves()[end.leaf as usize].level);
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
        let most = (self.spare(&giver) >> cells_log2[0]).min(self.room(&taker) >> cells_log2[1]);
        let units = wanted.abs().min(most);
        if units > 0 {
            self.carry_over((&giver, &taker), Parcel { units, cells_log2 });
        }
        units * wanted.signum()
    }

    /// What an end may give, units of its cell: what stands above its sill, half of the depth at
    /// most.
    fn spare(&self, end: &LinkEnd) -> i32 {
        let (leaf, cell) = (end.leaf as usize, usize::from(end.cell));
        let (ground, depth) = (&self.grounds[leaf], self.water[leaf].depth[cell]);
        let above = depth - ground.holds(cell, end.sill_on(ground));
        above.min(depth / 2).max(0)
    }

    /// What fits into the cell of an end, units of its cell.
    fn room(&self, end: &LinkEnd) -> i32 {
        let (leaf, cell) = (end.leaf as usize, usize::from(end.cell));
        (self.grounds[leaf].room(cell) - self.water[leaf].depth[cell]).max(0)
    }

    /// Takes units and their contents out of the world.
    fn take_out(&mut self, end: &LinkEnd, account: u32, units: i32) {
        let (index, cell) = (end.leaf as usize, usize::from(end.cell));
        let (leaf, water) = (&mut self.leaves[index], &mut self.water[index]);
        let depth = water.depth[cell];
        for (plane, bookings) in water.contents.iter_mut().zip(&mut leaf.content_bookings) {
            let gone = share(plane[cell], units, depth);
            plane[cell] -= gone;
            bookings.add_out(account, gone);
        }
        water.depth[cell] = depth - units;
        leaf.bookings.add_out(account, i64::from(units));
    }

    /// Moves a parcel and its contents from one end to the other.
    fn carry_over(&mut self, (giver, taker): (&LinkEnd, &LinkEnd), parcel: Parcel) {
        let [give_log2, take_log2] = parcel.cells_log2;
        let (leaf, cell) = (giver.leaf as usize, usize::from(giver.cell));
        let water = &mut self.water[leaf];
        let (depth, given) = (water.depth[cell], parcel.units << give_log2);
        let contents: Vec<i64> = water
            .contents
            .iter_mut()
            .map(|plane| {
                let gone = share(plane[cell], given, depth);
                plane[cell] -= gone;
                gone
            })
            .collect();
        water.depth[cell] = depth - given;
        let fine_level = self.forest.leaves()[leaf].level;
        let (leaf, cell) = (taker.leaf as usize, usize::from(taker.cell));
        let (water, carry) = (&mut self.water[leaf], &mut self.leaves[leaf].carry);
        water.depth[cell] += parcel.units << take_log2;
        let rest = (1_i64 << give_log2) - 1;
        for ((plane, carried), content) in
            water.contents.iter_mut().zip(&mut carry.contents).zip(contents)
        {
            plane[cell] += content >> give_log2 << take_log2;
            // What is no whole unit in a coarser cell.
            *carried += Volume::from(content & rest) << (2 * fine_level);
        }
    }
}
