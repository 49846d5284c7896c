//! Links between two places: culverts, pumps and drains.
//!
//! ```text
//! step of the coarser end's level   1  stages at both ends, and the law's discharge
//!                                   2  volume Q Δt, rounded to whole units of the coarser end
//!                                   3  no more than the donor has over its sill, half of its depth
//!                                      at most, and than fits below the receiver's ceiling
//!                                   4  moved; a finer end moves 4^(difference) as many of its own
//! ```
//!
//! A link runs before the boundary of its level does, when leaves of all finer levels are at the
//! same moment. It rests while one of its ends sleeps, and wakes both if something would flow.
//! Contents move with the water; a coarser receiver's leaf keeps the content that is no whole unit
//! in its carry.
//!
//! Guarantees: not a unit is lost between two places, and water that leaves the world is booked;
//!             the same bits for any number of threads (`tests/couple`).
//! Limits:     each end is one cell. Links run one after the other: hundreds, not millions.
//! Source:     own; the laws are those of [`structure`](crate::structure).

use crate::flow::transfer::round_link;
use crate::forest::Forest;
use crate::grid::LeafId;
use crate::grid::cells::CellPlace;
use crate::sim::StillWaterDamping;
use crate::sim::cell_store::CellStore;
use crate::sim::ledger::AccountIndex;
use crate::sim::params::Params;
use crate::sim::solids::mouths::SolidMouth;
use crate::sim::solids::region::SolidRegion;
use crate::sim::table::LeafTable;
use crate::structure::end::{Course, DrivenFlow, LawStep, LinkStages};
use crate::structure::{LinkLaw, LinkState};
use crate::tile::Ground;
use crate::units::{SimTime, Volume, limits, maths};
use serde::Serialize;

/// One end of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct LinkEnd {
    /// Place of the end in the base level.
    pub place: CellPlace,
    /// Stage below which no water enters, vertical units; the ground's lowest bed if that is
    /// higher.
    pub sill: i32,
    /// Leaf of the cell.
    #[serde(skip)]
    pub leaf: LeafId,
    /// Index of the cell in the leaf.
    #[serde(skip)]
    pub cell: u16,
}

impl LinkEnd {
    /// Returns an end at a place; its cell is found when its link is added.
    #[must_use]
    pub fn new(place: CellPlace, sill: i32) -> Self {
        Self { place, sill, leaf: LeafId::NONE, cell: 0 }
    }

    /// Finds its cell among the leaves.
    fn locate(&mut self, forest: &Forest) {
        let (leaf, cell) = forest.locate(self.place).expect("a place inside the world");
        self.leaf = leaf;
        self.cell = u16::try_from(cell).expect("4096 cells");
    }

    /// Returns the stage above which water enters here, vertical units.
    fn sill_on(&self, ground: &Ground) -> i32 {
        self.sill.max(ground.dry_stage(usize::from(self.cell)))
    }
}

/// A link between two places, or out of the world.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PlacedLink {
    /// Number of the link, unique in a world.
    pub number: u32,
    /// Law of the link.
    pub law: LinkLaw,
    /// First end.
    pub from: LinkEnd,
    /// Second end; `None` out of the world.
    pub to: Option<LinkEnd>,
    /// Account of a link that leads out of the world.
    pub account: Option<AccountIndex>,
    /// State of the link.
    pub state: LinkState,
}

impl PlacedLink {
    /// Returns a link at rest.
    #[must_use]
    pub fn new(number: u32, law: LinkLaw, from: LinkEnd, to: Option<LinkEnd>) -> Self {
        Self { number, law, from, to, account: None, state: LinkState::default() }
    }

    /// Finds its cells among the leaves.
    fn locate(&mut self, forest: &Forest) {
        self.from.locate(forest);
        if let Some(to) = &mut self.to {
            to.locate(forest);
        }
    }

    /// Returns the ends of the link.
    pub fn ends(&self) -> impl Iterator<Item = &LinkEnd> {
        [&self.from].into_iter().chain(&self.to)
    }

    /// Returns the level of its coarser end.
    fn level(&self, forest: &Forest) -> u8 {
        let level = |end: &LinkEnd| forest.leaves()[end.leaf].level;
        self.ends().map(level).max().expect("it has an end")
    }
}

/// Flow of a link, and stages at its ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LinkView {
    /// Discharge from the first end to the second, m³/s.
    pub discharge: f64,
    /// Stages, or lowest beds of dry cells, at its ends, m above the datum's unit; `None` out of
    /// the world.
    pub stages_m: [Option<f64>; 2],
    /// Course of the flow; a pump that runs is full.
    pub course: Course,
}

/// Links in the order of their numbers.
#[derive(Debug, Clone, Default)]
pub struct Links(Vec<PlacedLink>);

/// Largest discharge that a file may have, m³/s.
const DISCHARGE_MOST: f64 = 1.0e9;

/// Largest head that it may, m.
const DRIVE_MOST: f64 = 1.0e5;

impl Links {
    /// Returns all links, in the order of their numbers.
    #[must_use]
    pub fn all(&self) -> &[PlacedLink] {
        &self.0
    }

    /// Adds a link, and finds its cells.
    ///
    /// # Panics
    ///
    /// If an end is outside the world, or the number of the link is in use.
    pub(super) fn put(&mut self, mut link: PlacedLink, forest: &Forest) {
        let after = self.0.partition_point(|other| other.number < link.number);
        assert!(self.0.get(after).is_none_or(|next| next.number > link.number), "a new number");
        link.locate(forest);
        // Links run in this order, so it must not depend on the order in which they were added.
        self.0.insert(after, link);
    }

    /// Removes a link; returns false if no link has this number.
    pub(super) fn remove(&mut self, number: u32) -> bool {
        let before = self.0.len();
        self.0.retain(|link| link.number != number);
        self.0.len() < before
    }

    /// Finds the cells of all links among new leaves.
    pub(super) fn relocate(&mut self, forest: &Forest) {
        self.0.iter_mut().for_each(|link| link.locate(forest));
    }

    /// Returns the states of the links, by their numbers.
    #[must_use]
    pub fn states(&self) -> Vec<(u32, LinkState)> {
        self.0.iter().map(|link| (link.number, link.state)).collect()
    }

    /// Replaces the states of the links; returns false if the links differ, or a value is not a
    /// number.
    pub(super) fn set_states(&mut self, states: &[(u32, LinkState)]) -> bool {
        let numbers = self.0.iter().map(|link| link.number);
        let is_good = |(_, state): &(u32, LinkState)| {
            let DrivenFlow { discharge, drive } = state.flow;
            // `<=` is false for NaN, too.
            discharge.abs() <= DISCHARGE_MOST && drive.is_none_or(|drive| drive.abs() <= DRIVE_MOST)
        };
        let fits = states.iter().map(|(number, _)| *number).eq(numbers);
        if !fits || !states.iter().all(is_good) {
            return false;
        }
        for (link, (_, state)) in self.0.iter_mut().zip(states) {
            link.state = *state;
        }
        true
    }

    /// Stops the links of leaves that sleep.
    pub(super) fn rest(&mut self, asleep: &[bool]) {
        for link in &mut self.0 {
            if link.ends().any(|end| asleep[end.leaf]) {
                link.state.flow = DrivenFlow::default();
            }
        }
    }
}

/// The water at the ends of links, as their laws need it.
#[derive(Debug, Clone, Copy)]
pub struct LinkSight<'a> {
    /// The leaves.
    pub leaves: &'a LeafTable,
    /// Cells that solids touch.
    pub region: &'a SolidRegion,
    /// Units and settings.
    pub params: &'a Params,
}

impl LinkSight<'_> {
    /// Returns the flow of a link, and the stages at its ends.
    #[must_use]
    pub fn view(&self, link: &PlacedLink) -> LinkView {
        let stages_m = [Some(&link.from), link.to.as_ref()].map(|end| Some(self.stage_m(end?)));
        let discharge = link.state.flow.discharge;
        let course = match discharge == 0.0 {
            true => Course::Dry,
            false => link.law.law().course(&self.stages_of(link)),
        };
        LinkView { discharge, stages_m, course }
    }

    /// Returns the leaves at the ends of links through which something flows, or would: these links
    /// keep them awake.
    pub(super) fn busy(&self, links: &Links) -> Vec<LeafId> {
        let busy = links.0.iter().filter(|link| self.is_busy(link));
        busy.flat_map(|link| link.ends().map(|end| end.leaf)).collect()
    }

    /// Returns the mouth of an end, if solids touch its cell.
    fn mouth(&self, end: &LinkEnd) -> Option<SolidMouth<'_>> {
        self.region.mouth(end.place, self.leaves)
    }

    /// Returns the stage at an end, m above the datum's unit; of a dry cell its lowest bed, under
    /// solids the head there.
    fn stage_m(&self, end: &LinkEnd) -> f64 {
        let unit_m = self.params.unit_m;
        if let Some(head) = self.region.head_at(end.place, self.leaves, unit_m) {
            return head;
        }
        let (leaf, cell) = (end.leaf, usize::from(end.cell));
        let depth = self.leaves.water[leaf].depth[cell];
        f64::from(self.leaves.grounds[leaf].stage(cell, depth)) * self.params.unit_m
    }

    /// Returns stages and sills at both ends of a link; if it leads out of the world twice the
    /// same.
    fn stages_of(&self, link: &PlacedLink) -> LinkStages {
        let ends = [&link.from, link.to.as_ref().unwrap_or(&link.from)];
        LinkStages {
            stages_m: ends.map(|end| self.stage_m(end)),
            sills_m: ends.map(|end| f64::from(self.sill_of(end)) * self.params.unit_m),
            leads_out: link.to.is_none(),
        }
    }

    /// Returns the stage above which water enters at an end, vertical units.
    fn sill_of(&self, end: &LinkEnd) -> i32 {
        match self.mouth(end) {
            Some(mouth) => end.sill.max(mouth.bed()),
            None => end.sill_on(&self.leaves.grounds[end.leaf]),
        }
    }

    /// Returns the volume that an end may give, units of its cell: the water above its sill, half
    /// of the depth at most.
    fn spare(&self, end: &LinkEnd) -> i32 {
        if let Some(mouth) = self.mouth(end) {
            return mouth.spare(self.sill_of(end), self.params.unit_m);
        }
        let (leaf, cell) = (end.leaf, usize::from(end.cell));
        let (ground, depth) = (&self.leaves.grounds[leaf], self.leaves.water[leaf].depth[cell]);
        let above = depth - ground.holds(cell, end.sill_on(ground));
        above.min(depth / 2).max(0)
    }

    /// Returns the head below which water at a link may sleep, m.
    fn sleepy_head_m(&self) -> f64 {
        f64::from(limits::SLEEP_STAGE_DIFFERENCE) * self.params.unit_m
    }

    /// Returns true if so strong a flow passes a link, or would, that its ends must not sleep.
    fn is_busy(&self, link: &PlacedLink) -> bool {
        let (law, water) = (link.law.law(), self.stages_of(link));
        let is_back = law.giver(&water) == 1;
        let giver = link.to.as_ref().filter(|_| is_back).unwrap_or(&link.from);
        let is_shut = self.mouth(giver).is_some_and(|mouth| mouth.is_shut());
        !is_shut && law.is_busy(link.state, &water, self.sleepy_head_m())
    }

    /// Returns the state of a link after a step of `dt_s`, before the water at its ends bounds it.
    pub(super) fn wanted(&self, link: &PlacedLink, dt_s: f64) -> LinkState {
        let damping_s = match self.params.settings.damping {
            StillWaterDamping::On => f64::from(limits::DAMPING_TIME_MAX_S),
            StillWaterDamping::Off => f64::INFINITY,
        };
        let ends = [&link.from, link.to.as_ref().unwrap_or(&link.from)];
        let step = LawStep { dt_s, areas_m2: ends.map(|end| self.area_m2(end)), damping_s };
        link.law.law().advance(link.state, &self.stages_of(link), &step)
    }

    /// Returns the area of the cell of an end, m².
    fn area_m2(&self, end: &LinkEnd) -> f64 {
        let width = self.params.width_of(self.leaves.forest.leaves()[end.leaf].level);
        width * width
    }
}

/// Water on its way from one end of a link to the opposite end, in units of cells of the coarser
/// end.
#[derive(Debug, Clone, Copy)]
struct LinkTransfer {
    units: i32,
    /// Cells of each end's leaf in one of the coarser end's, as a power of two: of the giver, and
    /// of the taker.
    cells_log2: [u8; 2],
}

/// Direction of the water at an end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WaterDirection {
    /// Into the link.
    In,
    /// Out of the link.
    Out,
}

/// A step of the links of one level, before the boundary of that level moves its water.
#[derive(Debug)]
pub(super) struct LinkStep<'a> {
    /// The leaves.
    pub leaves: &'a mut LeafTable,
    /// Cells that solids touch.
    pub region: &'a mut SolidRegion,
    /// Units and settings.
    pub params: &'a Params,
    /// The level.
    pub level: u8,
    /// Start of the step.
    pub from: SimTime,
    /// End of the step.
    pub to: SimTime,
}

impl LinkStep<'_> {
    /// Steps all links whose coarser end is of the level and whose ends are awake.
    pub(super) fn run(&mut self, links: &mut Links) {
        for link in &mut links.0 {
            let is_asleep = link.ends().any(|end| self.leaves.asleep[end.leaf]);
            if link.level(&self.leaves.forest) == self.level && !is_asleep {
                link.state = self.step(link);
                self.note_pace(link);
            }
        }
    }

    /// Adds the pace that the water at the ends of a link requires of the next steps: half of it
    /// flows along each axis, over two faces each.
    #[expect(clippy::cast_possible_truncation, reason = "rounded to f32 on purpose")]
    fn note_pace(&mut self, link: &PlacedLink) {
        let discharge = link.state.flow.discharge.abs();
        if discharge == 0.0 {
            return;
        }
        for end in link.ends() {
            let depth = self.leaves.water[end.leaf].depth[usize::from(end.cell)];
            let depth_m = f64::from(depth.max(1)) * self.params.unit_m;
            let level = self.leaves.forest.leaves()[end.leaf].level;
            let speed_m_s = 0.5 * discharge / (self.params.width_of(level) * depth_m);
            let pace = self.params.pace_at_end(speed_m_s, depth_m) as f32;
            let most = &mut self.leaves.scratch[end.leaf].pace_at_ends;
            *most = maths::max(*most, pace);
        }
    }

    fn sight(&self) -> LinkSight<'_> {
        LinkSight { leaves: self.leaves, region: self.region, params: self.params }
    }

    /// Moves the water of a link; returns its new flow.
    #[expect(clippy::cast_possible_truncation, reason = "bounded where it is rounded")]
    fn step(&mut self, link: &PlacedLink) -> LinkState {
        let dt_s = SimTime::from_ticks(self.to.since(self.from)).seconds();
        let mut state = self.sight().wanted(link, dt_s);
        let width = self.params.width_of(self.level);
        let x = state.flow.discharge * dt_s / (width * width * self.params.unit_m);
        let (seed, tick) = (self.params.settings.seed, self.from.ticks());
        let wanted = round_link(seed, link.number, tick, x as f32);
        let moved = self.move_along(link, wanted);
        if moved != wanted {
            let part = if moved == 0 { 0.0 } else { f64::from(moved) / f64::from(wanted) };
            state.flow.discharge = state.flow.discharge * part + 0.0;
        }
        state
    }

    /// Moves up to `wanted` units of cells of the level along a link; returns how many it moved.
    fn move_along(&mut self, link: &PlacedLink, wanted: i32) -> i32 {
        let PlacedLink { from, to, account, .. } = *link;
        if wanted == 0 {
            return 0;
        }
        let Some(to) = to else {
            let units = wanted.clamp(0, self.sight().spare(&from));
            self.take_out(&from, account.expect("a link that leads out has an account"), units);
            return units;
        };
        // A coarse cell may contain both ends, which are apart on the base level.
        if (from.leaf, from.cell) == (to.leaf, to.cell) {
            return 0;
        }
        let (giver, taker) = if wanted > 0 { (from, to) } else { (to, from) };
        let cells_log2 = [giver, taker].map(|end| {
            let level = self.leaves.forest.leaves()[end.leaf].level;
            2 * (self.level - level)
        });
        let room = self.store(&taker, WaterDirection::Out).room();
        let most = (self.sight().spare(&giver) >> cells_log2[0]).min(room >> cells_log2[1]);
        let units = wanted.abs().min(most);
        if units > 0 {
            self.carry_over([&giver, &taker], LinkTransfer { units, cells_log2 });
        }
        units * wanted.signum()
    }

    /// Takes units and their contents out of the world.
    fn take_out(&mut self, end: &LinkEnd, account: AccountIndex, units: i32) {
        let contents = self.store(end, WaterDirection::In).take_all(units);
        let leaf = &mut self.leaves.scratch[end.leaf];
        for (gone, bookings) in contents.into_iter().zip(&mut leaf.content_bookings) {
            bookings.add_out(account, gone);
        }
        leaf.bookings.add_out(account, i64::from(units));
    }

    /// Moves a transfer and its contents from the giver to the taker.
    fn carry_over(&mut self, [giver, taker]: [&LinkEnd; 2], transfer: LinkTransfer) {
        // One shift is 0: that of the coarser end, in whose cells the transfer is counted.
        let [give_log2, take_log2] = transfer.cells_log2;
        let contents = self.store(giver, WaterDirection::In).take_all(transfer.units << give_log2);
        self.store(taker, WaterDirection::Out)
            .give(transfer.units << take_log2, |tracer| contents[tracer] >> give_log2 << take_log2);
        let fine_level = self.leaves.forest.leaves()[giver.leaf].level;
        let rest = (1_i64 << give_log2) - 1;
        let carry = &mut self.leaves.own[taker.leaf].carry;
        for (carried, content) in carry.contents.iter_mut().zip(contents) {
            // The content that is no whole unit in a coarser cell.
            // A carry counts in finest cells, and a cell of the giver's level has 4^level of them.
            *carried += Volume::from(content & rest) << (2 * fine_level);
        }
    }

    /// Returns the water from which a link takes at an end, or into which it gives.
    fn store(&mut self, end: &LinkEnd, way: WaterDirection) -> CellStore<'_> {
        let LeafTable { grounds, water, .. } = &mut *self.leaves;
        let part = match way {
            WaterDirection::In => self.region.part_under(end.place),
            WaterDirection::Out => self.region.part_above_ground(end.place),
        };
        if let Some(part) = part {
            return self.region.store(part, grounds, water);
        }
        let (leaf, cell) = (end.leaf, usize::from(end.cell));
        CellStore::open(&mut water[leaf], cell).full_at(grounds[leaf].room(cell))
    }
}
