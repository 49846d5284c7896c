//! The planner: criteria, and the budget of cells.

use crate::forest::Coverage;
use crate::forest::cover::minimum_cover;
use crate::forest::criteria::{Criterion, Request, Scale};
use crate::forest::facts::LeafFacts;
use crate::grid::{TILE_CELLS, TileKey};
use std::fmt;

/// Settings of a planner.
#[derive(Debug, Clone)]
pub struct PlannerSettings {
    /// Most cells of all leaves together, 4096 a leaf.
    pub budget_cells: u64,
    /// Cycles after which a leaf may be merged.
    pub min_age_cycles: u32,
    /// Criteria that request detail.
    pub criteria: Vec<Box<dyn Criterion>>,
}

/// Reason why a planner is invalid.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum PlanError {
    /// Even the coarsest leaves exceed the budget.
    Budget {
        /// Cells allowed.
        budget_cells: u64,
        /// Cells of the fewest leaves that cover the ground.
        minimum_cells: u64,
    },
    /// A streamed world needs more bytes than allowed.
    Bytes {
        /// Bytes allowed.
        budget: u64,
        /// Bytes that the leaves of the minimum cover need.
        minimum: u64,
    },
}

impl fmt::Display for PlanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Budget { budget_cells, minimum_cells } => write!(
                f,
                "a budget of {budget_cells} cells is less than the {minimum_cells} of the coarsest \
                 leaves that cover this world: allow at least those, or coarser leaves"
            ),
            Self::Bytes { budget, minimum } => write!(
                f,
                "leaves of so many cells need {minimum} bytes, and the world is streamed within \
                 {budget}: choose fewer cells, or open it with more bytes"
            ),
        }
    }
}

impl std::error::Error for PlanError {}

/// Planner of the leaves that a forest should have.
#[derive(Debug, Clone)]
pub struct Planner {
    scale: Scale,
    settings: PlannerSettings,
    /// Criteria that apply in addition to those of the settings.
    own: Vec<Box<dyn Criterion>>,
    /// Leaves of the minimum cover.
    minimum: u64,
}

impl Planner {
    /// Creates the planner of a world; `cover` returns for any tile whether it has ground and may
    /// be a leaf.
    ///
    /// # Errors
    ///
    /// [`PlanError::Budget`] names the minimum if the budget is smaller.
    pub fn try_new(
        scale: Scale,
        settings: PlannerSettings,
        cover: &dyn Fn(TileKey) -> Coverage,
    ) -> Result<Self, PlanError> {
        let minimum = minimum_cover(&scale, cover).len() as u64;
        let budget_cells = settings.budget_cells;
        let mut planner = Self { scale, settings, own: Vec::new(), minimum };
        planner.set_budget(budget_cells)?;
        Ok(planner)
    }

    /// Counts the coarsest leaves anew, after the set of possible leaves has changed.
    pub fn count_minimum(&mut self, cover: &dyn Fn(TileKey) -> Coverage) {
        self.minimum = minimum_cover(&self.scale, cover).len() as u64;
    }

    /// Sets criteria that [`Planner::criteria_mut`] does not affect.
    pub fn set_own(&mut self, criteria: Vec<Box<dyn Criterion>>) {
        self.own = criteria;
    }

    /// Returns the levels and the extent of the world.
    #[must_use]
    pub fn scale(&self) -> &Scale {
        &self.scale
    }

    /// Returns the most cells of all leaves together.
    #[must_use]
    pub fn budget_cells(&self) -> u64 {
        self.settings.budget_cells
    }

    /// Returns the cells of the coarsest leaves that cover the ground: the least budget.
    #[must_use]
    pub fn minimum_cells(&self) -> u64 {
        self.minimum * TILE_CELLS as u64
    }

    /// Changes the budget. Plans follow one level at a time, the least urgent leaves first.
    ///
    /// # Errors
    ///
    /// [`PlanError::Budget`] names the minimum if the budget is smaller; then the old one stays.
    pub fn set_budget(&mut self, budget_cells: u64) -> Result<(), PlanError> {
        self.check_budget(budget_cells)?;
        self.settings.budget_cells = budget_cells;
        Ok(())
    }

    /// Checks a budget.
    ///
    /// # Errors
    ///
    /// [`PlanError::Budget`] names the minimum if the budget is smaller.
    pub fn check_budget(&self, budget_cells: u64) -> Result<(), PlanError> {
        let minimum_cells = self.minimum_cells();
        let is_enough = budget_cells >= minimum_cells;
        is_enough.then_some(()).ok_or(PlanError::Budget { budget_cells, minimum_cells })
    }

    /// Returns the number of cycles after which a leaf may be merged.
    #[must_use]
    pub fn min_age_cycles(&self) -> u32 {
        self.settings.min_age_cycles
    }

    /// Returns the criteria of the game.
    #[must_use]
    pub fn criteria(&self) -> &[Box<dyn Criterion>] {
        &self.settings.criteria
    }

    /// Returns the criteria, to change; a moving observer is replaced here.
    pub fn criteria_mut(&mut self) -> &mut Vec<Box<dyn Criterion>> {
        &mut self.settings.criteria
    }

    /// Calls `take` with the request of each criterion for a place.
    pub(super) fn for_each_request(&self, leaf: &LeafFacts, mut take: impl FnMut(Request)) {
        for criterion in self.settings.criteria.iter().chain(&self.own) {
            take(criterion.request(leaf, &self.scale).tidy(&self.scale));
        }
    }
}
