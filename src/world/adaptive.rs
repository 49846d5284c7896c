//! Adaptive leaves: planning between cycles, and the facts that a plan needs.
//!
//! Guarantees: the plan depends on the state, the criteria and the budget alone; if nothing that it
//!             reads has changed, no plan is made.

use crate::world::cells::WorldCells;
use crate::world::relief::{new_leaves, old_leaves};
use crate::world::setup::{AdaptiveNumbers, ColumnKind, Setup};
use crate::world::site::WorldSite;
use crate::world::structures::own_criteria;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use thalweg_engine::forest::change::{Change, Origin};
use thalweg_engine::forest::criteria::{Criterion, Scale};
use thalweg_engine::forest::facts::LeafFacts;
use thalweg_engine::forest::{Coverage, Forest, PlanError, Planner};
use thalweg_engine::grid::cells::CellPlace;
use thalweg_engine::grid::{LeafId, TileKey};
use thalweg_engine::sim::Simulation;
use thalweg_engine::sim::residency::Needed;
use thalweg_engine::tile::crest_separation::crest_separates;
use thalweg_engine::units::VerticalScale;
use thalweg_engine::units::hash::StateHasher;

/// Options of adaptive leaves: which leaves are refined and coarsened, and when.
#[derive(Debug)]
pub struct AdaptiveOptions {
    /// The coarsest level that a leaf may have.
    pub coarsest: u8,
    /// Cells of all leaves together at most.
    pub budget_cells: u64,
    /// Cycles between two plans; if criteria change, plans follow at once.
    pub interval_cycles: u32,
    /// Cycles after which a leaf may be merged.
    pub min_age_cycles: u32,
    /// Cycles from a plan to the change of leaves. If beds are read from a file, their pages are
    /// read meanwhile: eight cycles are enough for a disk.
    pub ahead_cycles: u32,
    /// New leaves in one cycle, and at least the leaves of one tile: a change of more leaves
    /// continues in the next cycles, so that no cycle takes much longer than the rest.
    pub leaves_a_cycle: u32,
    /// Criteria that request detail.
    pub criteria: Vec<Box<dyn Criterion>>,
}

impl Default for AdaptiveOptions {
    /// Returns six levels, four million cells, a plan every eight cycles, done from then on, 16
    /// leaves a cycle.
    fn default() -> Self {
        Self {
            coarsest: 5,
            budget_cells: 4 << 20,
            interval_cycles: 8,
            min_age_cycles: 32,
            ahead_cycles: 0,
            leaves_a_cycle: 16,
            criteria: Vec::new(),
        }
    }
}

/// Depth over a cell, m, from which water must not fall across a crest because of a merge: a leaf
/// whose merge would let it fall waits. Less depth than this is within the error of a mean bed.
const CLEAR_M: f64 = 0.05;

/// Returns the clear depth in vertical units, at least 1.
#[expect(clippy::cast_possible_truncation, reason = "saturates")]
fn clear_units(scale: VerticalScale) -> i32 {
    ((CLEAR_M / scale.unit_m()) as i32).max(1)
}

/// State of the planner of changing leaves, apart from facts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlansRecord {
    /// Cycles since the last plan.
    pub since_plan: u32,
    /// Nothing was planned, and nothing has changed since.
    pub is_settled: bool,
    /// Plans follow cycle by cycle until one is empty.
    pub is_eager: bool,
    /// Facts were taken.
    pub has_facts: bool,
    /// Cycles until a change that is planned, and its leaves: level, column, row.
    pub pending: Option<(u32, Vec<[u32; 3]>)>,
    /// Criteria of the game, by number alone.
    #[serde(default, skip_serializing_if = "is_none")]
    pub criteria: u64,
}

/// True if there are no criteria: the record omits them then.
fn is_none(criteria: &u64) -> bool {
    *criteria == 0
}

/// The planner of a world and its facts.
#[derive(Debug, Clone)]
pub(super) struct Adaptive {
    planner: Planner,
    interval: u32,
    /// Cycles since the last plan: state.
    since_plan: u32,
    /// Facts of each leaf: state.
    facts: Vec<LeafFacts>,
    /// Leaves that were awake since their facts were taken, or when: state.
    is_stale: Vec<bool>,
    /// Nothing was planned, and nothing that a plan looks at has changed since.
    is_settled: bool,
    /// Criteria or budget have changed: plans follow cycle by cycle until one is empty.
    is_eager: bool,
    /// Structures, inflows or bodies have changed: plans follow as above. A separate field, because
    /// the undo of an action takes back the requests of this action only.
    is_own_eager: bool,
    /// Cycles from a plan to its change.
    ahead: u32,
    /// New leaves in one cycle.
    leaves_a_cycle: u32,
    /// The planned change, or the remaining part of it, and the cycles until then: state.
    pending: Option<(u32, Change)>,
    /// Criteria that the world had when it was saved, until the game looks at them.
    expected_criteria: u64,
}

impl Adaptive {
    pub(super) fn new(planner: Planner, numbers: &AdaptiveNumbers) -> Self {
        Self {
            planner,
            interval: numbers.interval_cycles.max(1),
            since_plan: 0,
            facts: Vec::new(),
            is_stale: Vec::new(),
            is_settled: false,
            is_eager: true,
            is_own_eager: false,
            ahead: numbers.ahead_cycles,
            leaves_a_cycle: numbers.leaves_a_cycle,
            pending: None,
            expected_criteria: 0,
        }
    }

    /// Counts the criteria of the saved world that are missing since its load.
    pub(super) fn missing_criteria(&self) -> usize {
        let here = self.planner.criteria().len();
        usize::try_from(self.expected_criteria).unwrap_or(usize::MAX).saturating_sub(here)
    }

    /// Returns the world as criteria see it.
    pub(super) fn scale(&self) -> &Scale {
        self.planner.scale()
    }

    /// Returns the most cells of all leaves together.
    pub(super) fn budget_cells(&self) -> u64 {
        self.planner.budget_cells()
    }

    /// Takes criteria that stay; plans follow.
    pub(super) fn set_own(&mut self, criteria: Vec<Box<dyn Criterion>>) {
        self.planner.set_own(criteria);
        self.is_own_eager = true;
    }

    /// Makes new requests for the cells that the world itself needs on the base level; bodies touch
    /// the `blocks`.
    pub(super) fn ask_again(&mut self, site: &WorldSite, blocks: &[CellPlace], setup: &Setup) {
        let own = own_criteria((site, blocks), self.scale(), setup);
        self.set_own(own.expect("all places are checked"));
    }

    /// Returns the criteria of the game, to change; plans follow.
    pub(super) fn criteria_mut(&mut self) -> &mut Vec<Box<dyn Criterion>> {
        (self.is_eager, self.expected_criteria) = (true, 0);
        self.planner.criteria_mut()
    }

    /// Checks that all leaves together may have `budget_cells` cells.
    pub(super) fn check_budget(&self, budget_cells: u64) -> Result<(), PlanError> {
        self.planner.check_budget(budget_cells)
    }

    /// Changes the most cells that all leaves together may have; plans follow.
    pub(super) fn set_budget(&mut self, budget_cells: u64) -> Result<(), PlanError> {
        self.planner.set_budget(budget_cells)?;
        self.is_eager = true;
        Ok(())
    }

    /// Plans follow cycle by cycle until one is empty.
    fn is_eager(&self) -> bool {
        self.is_eager || self.is_own_eager
    }

    /// True if structures, inflows or bodies have made new requests and no plan has answered yet.
    pub(super) fn has_asked_again(&self) -> bool {
        self.is_own_eager
    }

    /// Restores the requests, or their absence, of an earlier moment.
    pub(super) fn go_back_to_asking(&mut self, has_asked: bool) {
        self.is_own_eager = has_asked;
    }

    /// Counts the least number of cells anew, after a change of the tiles that may be leaves.
    pub(super) fn take_cover(&mut self, site: &WorldSite) {
        self.planner.count_minimum(&|key| site.cover(key));
    }

    /// Returns the state of the planner, apart from facts.
    pub(super) fn record(&self) -> PlansRecord {
        let Self { since_plan, is_settled, .. } = *self;
        // One flag is enough in a file: the two are kept apart only for undos, and a loaded world
        // has no actions to undo.
        let is_eager = self.is_eager();
        let key = |(key, _): &(TileKey, Origin)| [u32::from(key.level), key.x, key.y];
        let pending = self.pending.as_ref();
        let pending =
            pending.map(|(left, change)| (*left, change.leaves.iter().map(key).collect()));
        let has_facts = !self.facts.is_empty();
        let criteria = (self.planner.criteria().len() as u64).max(self.expected_criteria);
        PlansRecord { since_plan, is_settled, is_eager, has_facts, pending, criteria }
    }

    /// Returns the facts of each leaf, and whether it is stale.
    pub(super) fn facts(&self) -> (&[LeafFacts], &[bool]) {
        (&self.facts, &self.is_stale)
    }

    /// True if the facts of a leaf will be taken from its planes.
    pub(super) fn is_stale(&self, leaf: LeafId) -> bool {
        self.is_stale.get(leaf.index()).is_some_and(|is_stale| *is_stale)
    }

    /// Returns the change that is planned.
    pub(super) fn pending(&self) -> Option<&Change> {
        self.pending.as_ref().map(|(_, change)| change)
    }

    /// Restores the planner from a record; returns `None` if the planned leaves are invalid.
    pub(super) fn restore(
        &mut self,
        plans: PlansRecord,
        (facts, is_stale): (Vec<LeafFacts>, Vec<bool>),
        (forest, site): (&Forest, &WorldSite),
    ) -> Option<()> {
        (self.since_plan, self.is_settled) = (plans.since_plan, plans.is_settled);
        (self.is_eager, self.is_own_eager) = (plans.is_eager, false);
        (self.facts, self.is_stale) = (facts, is_stale);
        self.expected_criteria = plans.criteria;
        if let Some((left, leaves)) = plans.pending {
            // The file may be wrong: the planned leaves must be possible, cover all ground, and
            // differ from the present ones by one level at most.
            let key = |&[level, x, y]: &[u32; 3]| {
                let level = u8::try_from(level).ok()?;
                let key = TileKey { level, x, y };
                (site.ground_cover(key) == Coverage::Whole).then_some(key)
            };
            let leaves: Vec<TileKey> = leaves.iter().map(key).collect::<Option<_>>()?;
            site.check(&Forest::try_of_leaves(forest.base(), leaves.clone()).ok()?).ok()?;
            self.pending = Some((left, Change::between(forest, &leaves)?));
        }
        Some(())
    }

    /// Adds the parts that are state to a hash; criteria are inputs, as observers are.
    pub(super) fn add_to(&self, hash: &mut StateHasher) {
        let plan = (self.since_plan, self.is_settled, self.is_eager(), self.interval, self.ahead);
        let planner = (self.planner.budget_cells(), self.planner.min_age_cycles());
        hash.add_fields(&(plan, planner, self.scale().coarsest(), self.leaves_a_cycle));
        hash.add(u64::from(self.pending.is_some()));
        if let Some((left, change)) = &self.pending {
            hash.add(u64::from(*left));
            change.leaves.iter().for_each(|(key, _)| hash.add_fields(key));
        }
        hash.add_fields(&(&self.facts, &self.is_stale));
    }
}

/// Returns the change from a forest to the leaves of a planned one, or to some of them.
fn between(forest: &Forest, leaves: &[TileKey]) -> Change {
    Change::between(forest, leaves).expect("a plan changes each tile by one level at most")
}

impl WorldCells<'_> {
    /// Returns the facts from the planes of a leaf.
    fn facts_of(self, key: TileKey, leaf: LeafId) -> LeafFacts {
        let (ground, water) = (self.simulation.ground(leaf), self.simulation.water(leaf));
        let scale = self.site.scale();
        let crest_separates = self.site.columns() == ColumnKind::SubGrid
            && crest_separates(ground, water, clear_units(scale));
        LeafFacts { crest_separates, ..LeafFacts::of(key, ground, water, scale, 1) }
    }
}

impl Adaptive {
    /// Plans if a plan is due, and requests the pages of a new plan; returns true if the planned
    /// change is due.
    pub(super) fn plan_after_cycle(&mut self, world: WorldCells<'_>) -> bool {
        let has_planned = self.look_and_plan(world);
        // The count follows the planning, so that a plan with 0 cycles ahead is due in this cycle.
        let due = self.count_down();
        if has_planned {
            self.ask_ahead(world);
        }
        due == Some(0)
    }

    /// Requests the pages of the change that is planned.
    pub(super) fn ask_ahead(&self, world: WorldCells<'_>) {
        let Some(change) = self.pending() else { return };
        let (relief, columns) = (world.site.relief(), world.site.columns());
        relief.ask_for(&new_leaves(change), columns);
        let old = world.simulation.leaves().away_around(&old_leaves(change));
        relief.ask_for_grounds(&old, columns);
    }

    /// Makes the planned change, or its first part: the next cycle continues with the rest.
    pub(super) fn change_leaves(&mut self, simulation: &mut Simulation, site: &WorldSite) {
        let Some((_, whole)) = self.pending.take() else { return };
        let part = whole.first_part(simulation.forest(), self.leaves_a_cycle);
        let part = part.map(|leaves| between(simulation.forest(), &leaves));
        let change = part.as_ref().unwrap_or(&whole);
        // `has_pages` waits for pages that have not arrived, because the result must not depend on
        // the time at which they do.
        if !site.relief().has_pages(&new_leaves(change), site.columns()) {
            // The leaves stay as they are, and the world reports why.
            self.is_settled = false;
            return;
        }
        // Intervals may have been dug since it was planned.
        let merged = |(key, origin): &(TileKey, Origin)| {
            matches!(origin, Origin::Merged(_)) && site.cover(*key) != Coverage::Whole
        };
        if change.leaves.iter().any(merged) {
            (self.is_settled, self.is_own_eager) = (false, true);
            return;
        }
        if !change.is_empty() {
            simulation.regrid(change, site);
            self.follow(change, WorldCells { simulation, site });
        }
        if part.is_some() {
            let leaves: Vec<TileKey> = whole.leaves.iter().map(|(key, _)| *key).collect();
            // 0 cycles are left: the rest follows in the next cycle, without the cycles ahead of a
            // new plan.
            self.pending = Some((0, between(simulation.forest(), &leaves)));
            // Different pages may have pushed out the pages that were requested with the plan.
            self.ask_ahead(WorldCells { simulation, site });
        }
    }

    /// Updates the facts and plans if a plan is due; returns true if a change was planned.
    fn look_and_plan(&mut self, world: WorldCells<'_>) -> bool {
        for leaf in world.simulation.awake() {
            if let Some(is_stale) = self.is_stale.get_mut(leaf.index()) {
                *is_stale = true;
            }
        }
        self.since_plan += 1;
        let is_time = self.since_plan >= self.interval;
        if is_time {
            self.look(world);
        }
        let is_planned = self.plan_where_due(world, is_time);
        // Only now: a criterion that panics is called again in the next cycle.
        if is_time {
            self.since_plan = 0;
        }
        is_planned
    }

    /// Plans a change, if none is under way and one is requested.
    fn plan_where_due(&mut self, world: WorldCells<'_>, is_time: bool) -> bool {
        if self.pending.is_some() || !(self.is_eager() || (is_time && !self.is_settled)) {
            return false;
        }
        if self.facts.is_empty() {
            self.look(world);
        }
        let cover = |key| world.site.cover(key);
        let change = self.planner.plan(world.simulation.forest(), &self.facts, &cover);
        let is_change = !change.is_empty();
        self.is_settled = !is_change && !self.has_young();
        self.is_eager = self.is_eager() && is_change;
        self.is_own_eager = false;
        self.pending = is_change.then_some((self.ahead, change));
        is_change
    }

    /// Counts a cycle; cycles that were left until the change that is planned, if one is.
    fn count_down(&mut self) -> Option<u32> {
        let (left, _) = self.pending.as_mut()?;
        let due = *left;
        *left = left.saturating_sub(1);
        Some(due)
    }

    /// Brings the facts up to date: of the leaves that were awake since, and of all at first.
    fn look(&mut self, world: WorldCells<'_>) {
        let forest = world.simulation.forest();
        let asleep = world.simulation.asleep();
        // Facts follow each change of leaves, so their number differs only before the first look.
        let is_new = self.facts.len() != forest.leaves().len();
        if is_new {
            self.facts = forest.leaves().iter().map(|&key| LeafFacts::dry(key)).collect();
            self.is_stale = vec![true; forest.leaves().len()];
        } else if self.is_settled && !self.is_stale.contains(&true) {
            // If leaves are settled, all are old enough to merge: their ages need not grow any
            // more.
            return;
        }
        self.is_settled = false;
        let stale = forest.ids().filter(|&leaf| self.is_stale[leaf]).collect();
        world.simulation.bring_ahead(&Needed { water: stale, rest: Vec::new() });
        let Self { interval, facts, is_stale, .. } = self;
        let known = forest.par_ids().zip(facts.par_iter_mut().zip(is_stale));
        known.for_each(|(leaf, (facts, is_stale))| {
            let age_cycles = facts.age_cycles.saturating_add(*interval);
            if *is_stale {
                *facts = world.facts_of(facts.key, leaf);
            }
            (facts.age_cycles, facts.is_asleep) = (age_cycles, asleep[leaf]);
            // The leaf may fall asleep, and its water be still, before the next look.
            *is_stale = !asleep[leaf];
        });
    }

    /// True if some leaf is too young to be merged yet.
    fn has_young(&self) -> bool {
        let least = self.planner.min_age_cycles();
        self.facts.iter().any(|facts| facts.age_cycles < least)
    }

    /// Takes the facts of the new leaves, in their order.
    fn follow(&mut self, change: &Change, world: WorldCells<'_>) {
        let each = world.simulation.forest().par_ids().zip(&change.leaves);
        let facts = each.map(|(new, &(key, origin))| match origin {
            Origin::Kept(leaf) => self.facts[leaf],
            Origin::Child { .. } | Origin::Merged(_) => world.facts_of(key, new),
        });
        let is_stale = change.leaves.iter().map(|(_, origin)| match *origin {
            Origin::Kept(leaf) => self.is_stale[leaf],
            Origin::Child { .. } | Origin::Merged(_) => true,
        });
        (self.facts, self.is_stale) = (facts.collect(), is_stale.collect());
    }
}
