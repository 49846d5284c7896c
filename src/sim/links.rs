//! What joins two places: culverts, pumps and drains.
//!
//! ```text
//! step of the coarser end's level   1  stages at both ends, and the law's discharge
//!                                   2  volume Q Δt, rounded to whole units of the coarser end
//!                                   3  no more than the donor has over its sill, half of its depth
//!                                      at most, and than fits below the receiver's ceiling
//!                                   4  moved; a finer end moves 4^(difference) as many of its own
//! ```
//!
//! A link runs before the rim of its level does, when leaves of all finer levels stand at the same
//! moment. It rests while one of its ends sleeps, and wakes both where something would flow.
//! Contents go along; of what is no whole unit in a coarser receiver its leaf takes care in its
//! carry.
//!
//! Guarantees: not a unit is lost between two places, and what leaves the world is booked; the same
//!             bits for any number of threads (`tests/couple`).
//! Limits:     each end is one cell. Links run one after the other: hundreds, not millions.
//! Source:     own; the laws are those of [`structure`](crate::structure).

use crate::forest::{Forest, LeafIndex};
use crate::grid::cells::CellPlace;
use crate::sim::ledger::AccountIndex;
use crate::sim::{Settling, Simulation};
use crate::structure::end::{Course, Flow, Stages, Step};
use crate::structure::{LinkLaw, LinkState};
use crate::tile::Ground;
use crate::units::limits;
use serde::Serialize;

/// One end of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct LinkEnd {
    /// Its place in the base level.
    pub place: CellPlace,
    /// Water below it stays, vertical units; the ground's lowest bed where that is higher.
    pub sill: i32,
    /// The leaf that holds it.
    #[serde(skip)]
    pub leaf: LeafIndex,
    /// Its cell there.
    #[serde(skip)]
    pub cell: u16,
}

impl LinkEnd {
    /// An end at a place; its cell is found when its link is put.
    #[must_use]
    pub fn new(place: CellPlace, sill: i32) -> Self {
        Self { place, sill, leaf: 0, cell: 0 }
    }

    /// Finds its cell among the leaves.
    fn locate(&mut self, forest: &Forest) {
        let (leaf, cell) = forest.locate(self.place).expect("a place inside the world");
        self.leaf = LeafIndex::try_from(leaf).expect("2⁴⁰ cells at most");
        self.cell = u16::try_from(cell).expect("4096 cells");
    }

    /// What water must stand above to enter here, vertical units.
    pub(super) fn sill_on(&self, ground: &Ground) -> i32 {
        self.sill.max(ground.dry_stage(usize::from(self.cell)))
    }
}

/// A link between two places, or out of the world.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Link {
    /// Its number: no two of a world have the same.
    pub number: u32,
    /// Its law.
    pub law: LinkLaw,
    /// Where it begins.
    pub from: LinkEnd,
    /// Where it ends; `None` out of the world.
    pub to: Option<LinkEnd>,
    /// Where it is booked that leads out of the world.
    pub account: Option<AccountIndex>,
    /// Its state.
    pub state: LinkState,
}

impl Link {
    /// A link at rest.
    #[must_use]
    pub fn new(number: u32, law: LinkLaw, from: LinkEnd, to: Option<LinkEnd>) -> Self {
        Self { number, law, from, to, account: None, state: LinkState::default() }
    }

    /// Its ends.
    pub fn ends(&self) -> impl Iterator<Item = &LinkEnd> {
        [&self.from].into_iter().chain(&self.to)
    }

    /// Level of its coarser end.
    pub(super) fn level(&self, forest: &Forest) -> u8 {
        let level = |end: &LinkEnd| forest.leaves()[end.leaf as usize].level;
        self.ends().map(level).max().expect("it has an end")
    }
}

/// What a link would do at this moment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LinkView {
    /// What flows, from its first end to its second, m³/s.
    pub discharge: f64,
    /// Stages, or lowest beds where it is dry, at its ends, m above the datum's unit; `None` out of
    /// the world.
    pub stages_m: [Option<f64>; 2],
    /// How it passes; a pump that runs is full.
    pub course: Course,
}

/// Largest discharge that a file may tell of, m³/s.
const DISCHARGE_MOST: f64 = 1.0e9;

/// Largest head that it may, m.
const DRIVE_MOST: f64 = 1.0e5;

impl Simulation {
    /// The links, in the order of their numbers.
    #[must_use]
    pub fn links(&self) -> &[Link] {
        &self.state.links
    }

    /// Puts a link into the world, and opens the account `name` for it where it leads out.
    ///
    /// # Panics
    ///
    /// If an end lies outside the world, or there is a link of that number.
    pub fn put_link(&mut self, mut link: Link, name: &str) {
        let after = self.state.links.partition_point(|other| other.number < link.number);
        assert!(
            self.state.links.get(after).is_none_or(|next| next.number > link.number),
            "a new number"
        );
        link.from.locate(&self.state.leaves.forest);
        if let Some(to) = &mut link.to {
            to.locate(&self.state.leaves.forest);
        } else {
            let account = self.state.ledger.open(name);
            self.state.tracers.open(name);
            link.account = Some(account);
        }
        self.state.links.insert(after, link);
        self.state.leaves.bump_revision();
    }

    /// Takes a link away; false where there is none of that number.
    pub fn remove_link(&mut self, number: u32) -> bool {
        let before = self.state.links.len();
        self.state.links.retain(|link| link.number != number);
        self.state.leaves.bump_revision();
        self.state.links.len() < before
    }

    /// What the link of that number does; `None` where there is none.
    #[must_use]
    pub fn view_link(&self, number: u32) -> Option<LinkView> {
        let link = self.state.links.iter().find(|link| link.number == number)?;
        let stages_m = [Some(&link.from), link.to.as_ref()].map(|end| Some(self.stage_m(end?)));
        let discharge = link.state.flow.discharge;
        let course = match discharge == 0.0 {
            true => Course::Dry,
            false => link.law.law().course(&self.stages_of(link)),
        };
        Some(LinkView { discharge, stages_m, course })
    }

    /// Finds the cells of all links among new leaves.
    pub(super) fn relocate_links(&mut self) {
        for link in &mut self.state.links {
            link.from.locate(&self.state.leaves.forest);
            if let Some(to) = &mut link.to {
                to.locate(&self.state.leaves.forest);
            }
        }
    }

    /// Takes what links do; `None` where they are others, or something is no number.
    pub(super) fn set_links(&mut self, states: &[(u32, LinkState)]) -> Option<()> {
        let numbers = self.state.links.iter().map(|link| link.number);
        let is_good = |(_, state): &(u32, LinkState)| {
            let Flow { discharge, drive } = state.flow;
            discharge.abs() <= DISCHARGE_MOST && drive.is_none_or(|drive| drive.abs() <= DRIVE_MOST)
        };
        let fits = states.iter().map(|(number, _)| *number).eq(numbers);
        (fits && states.iter().all(is_good)).then_some(())?;
        for (link, (_, state)) in self.state.links.iter_mut().zip(states) {
            link.state = *state;
        }
        Some(())
    }

    /// The leaves that links keep awake: where something flows, or would.
    pub(super) fn linked(&self) -> Vec<LeafIndex> {
        let busy = self.state.links.iter().filter(|link| self.is_busy(link));
        busy.flat_map(|link| link.ends().map(|end| end.leaf)).collect()
    }

    /// Stops the links of leaves that sleep.
    pub(super) fn rest_links(&mut self) {
        for link in &mut self.state.links {
            let rests = [&link.from].into_iter().chain(&link.to);
            if rests.into_iter().any(|end| self.state.leaves.asleep[end.leaf as usize]) {
                link.state.flow = Flow::default();
            }
        }
    }

    /// Stage at an end, m above the datum's unit; of a dry cell its lowest bed, under solids the
    /// head there.
    fn stage_m(&self, end: &LinkEnd) -> f64 {
        if let Some(mouth) = self.mouth(end) {
            return self.head_at_mouth(mouth);
        }
        let (leaf, cell) = (end.leaf as usize, usize::from(end.cell));
        let depth = self.state.leaves.water[leaf].depth[cell];
        f64::from(self.state.leaves.grounds[leaf].stage(cell, depth)) * self.params.unit_m
    }

    /// Stages and sills at both ends of a link; of one that leads out of the world twice the same.
    fn stages_of(&self, link: &Link) -> Stages {
        let ends = [&link.from, link.to.as_ref().unwrap_or(&link.from)];
        Stages {
            stages_m: ends.map(|end| self.stage_m(end)),
            sills_m: ends.map(|end| f64::from(self.sill_of(end)) * self.params.unit_m),
            leads_out: link.to.is_none(),
        }
    }

    /// What water must stand above to enter at an end, vertical units.
    pub(super) fn sill_of(&self, end: &LinkEnd) -> i32 {
        match self.mouth(end) {
            Some(mouth) => end.sill.max(self.state.solids.region.cells[mouth as usize].bed),
            None => end.sill_on(&self.state.leaves.grounds[end.leaf as usize]),
        }
    }

    /// Head below which water at a link may sleep, m.
    fn sleepy_head_m(&self) -> f64 {
        f64::from(limits::SLEEP_STAGE_DIFFERENCE) * self.params.unit_m
    }

    /// True where so much flows through a link, or would, that its ends must not sleep.
    fn is_busy(&self, link: &Link) -> bool {
        let (law, water) = (link.law.law(), self.stages_of(link));
        let is_back = law.giver(&water) == 1;
        let giver = link.to.as_ref().filter(|_| is_back).unwrap_or(&link.from);
        let is_shut = self.mouth(giver).is_some_and(|mouth| self.is_shut(mouth));
        !is_shut && law.is_busy(link.state, &water, self.sleepy_head_m())
    }

    /// What a link wants to do in a step of `dt_s`.
    pub(super) fn wanted(&self, link: &Link, dt_s: f64) -> LinkState {
        let settling_s = match self.params.settings.settling {
            Settling::On => f64::from(limits::SETTLING_TIME_MAX_S),
            Settling::Off => f64::INFINITY,
        };
        let ends = [&link.from, link.to.as_ref().unwrap_or(&link.from)];
        let step = Step { dt_s, areas_m2: ends.map(|end| self.area_m2(end)), settling_s };
        link.law.law().advance(link.state, &self.stages_of(link), &step)
    }

    /// Area of the cell of an end, m².
    fn area_m2(&self, end: &LinkEnd) -> f64 {
        let width =
            self.params.width_of(self.state.leaves.forest.leaves()[end.leaf as usize].level);
        width * width
    }
}
