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
use crate::structure::culvert::{Course, Flow, Stages, Step};
use crate::structure::{Culvert, Drain, Pump};
use crate::tile::Ground;
use crate::units::limits;
use serde::Serialize;

/// What decides how much passes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub enum LinkLaw {
    /// A culvert or pipe.
    Culvert(Box<Culvert>),
    /// A pump.
    Pump(Pump),
    /// A drain out of the world.
    Drain(Drain),
}

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

/// What a link does that is state.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct LinkState {
    /// What flows, from its first end to its second, m³/s.
    pub flow: Flow,
    /// A pump runs.
    pub is_running: bool,
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
    pub(super) fn ends(&self) -> impl Iterator<Item = &LinkEnd> {
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

/// Speed in a culvert from which its leaves do not sleep, m/s.
const BUSY_SPEED: f64 = 1.0e-4;

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
        let course = match (&link.law, discharge == 0.0) {
            (_, true) => Course::Dry,
            (LinkLaw::Culvert(culvert), false) => culvert.steady(&self.stages_of(link)).course,
            (LinkLaw::Pump(_), false) => Course::Full,
            (LinkLaw::Drain(_), false) => Course::Free,
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
        let Stages { stages_m, sills_m } = self.stages_of(link);
        let sleepy = self.sleepy_head_m();
        let is_back = matches!(link.law, LinkLaw::Culvert(_)) && stages_m[0] < stages_m[1];
        let giver = link.to.as_ref().filter(|_| is_back).unwrap_or(&link.from);
        if self.mouth(giver).is_some_and(|mouth| self.is_shut(mouth)) {
            return false;
        }
        match &link.law {
            LinkLaw::Culvert(culvert) => {
                let flowing = link.state.flow.discharge.abs();
                let [a, b] = stages_m;
                let up = usize::from(a < b);
                let is_driven = (a - b).abs() > sleepy && stages_m[up] - sills_m[up] > sleepy;
                let water = Stages { stages_m, sills_m };
                flowing > BUSY_SPEED * culvert.area_m2()
                    || (is_driven && culvert.steady(&water).discharge != 0.0)
            }
            LinkLaw::Pump(pump) => {
                let to = link.to.map(|_| stages_m[1]);
                pump.runs(link.state.is_running, stages_m[0])
                    && stages_m[0] - sills_m[0] > sleepy
                    && pump.discharge(stages_m[0], to) > 0.0
            }
            LinkLaw::Drain(_) => stages_m[0] - sills_m[0] > sleepy,
        }
    }

    /// What a link wants to do in a step of `dt_s`.
    pub(super) fn wanted(&self, link: &Link, dt_s: f64) -> LinkState {
        let water = self.stages_of(link);
        let Stages { stages_m, sills_m } = water;
        let moving = |discharge: f64| Flow { discharge, drive: None };
        match &link.law {
            LinkLaw::Culvert(culvert) => {
                let to = link.to.as_ref().unwrap_or(&link.from);
                let settling_s = match self.params.settings.settling {
                    Settling::On => f64::from(limits::SETTLING_TIME_MAX_S),
                    Settling::Off => f64::INFINITY,
                };
                let areas_m2 = [&link.from, to].map(|end| self.area_m2(end));
                let step = Step { dt_s, areas_m2, settling_s };
                LinkState {
                    flow: culvert.advance(link.state.flow, &water, &step),
                    is_running: false,
                }
            }
            LinkLaw::Pump(pump) => {
                let is_running = pump.runs(link.state.is_running, stages_m[0]);
                let to = link.to.map(|_| stages_m[1]);
                let rate = if is_running { pump.discharge(stages_m[0], to) } else { 0.0 };
                LinkState { flow: moving(rate), is_running }
            }
            LinkLaw::Drain(drain) => {
                let rate = drain.discharge(stages_m[0] - sills_m[0]);
                LinkState { flow: moving(rate), is_running: false }
            }
        }
    }

    /// Area of the cell of an end, m².
    fn area_m2(&self, end: &LinkEnd) -> f64 {
        let width =
            self.params.width_of(self.state.leaves.forest.leaves()[end.leaf as usize].level);
        width * width
    }
}
