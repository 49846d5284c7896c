//! Detail of a world: the criteria and the budget that its leaves follow, between cycles.

use crate::world::cells::WorldCells;
use crate::world::setup::AdaptiveNumbers;
use crate::world::{World, WorldError};
use thalweg_engine::forest::PlanError;
use thalweg_engine::forest::criteria::Criterion;

impl World {
    /// Returns the criteria, to change between cycles: a moved observer replaces its old self.
    /// Inflows and parts of edges add theirs. `None` if the world's leaves do not change.
    pub fn criteria_mut(&mut self) -> Option<&mut Vec<Box<dyn Criterion>>> {
        Some(self.adaptive.as_mut()?.criteria_mut())
    }

    /// Returns the most cells that all leaves together may have; `None` if the world's leaves do
    /// not change.
    #[must_use]
    pub fn budget_cells(&self) -> Option<u64> {
        self.adaptive.as_ref().map(|adaptive| adaptive.budget_cells())
    }

    /// Changes the most cells that all leaves together may have; does nothing if the world's leaves
    /// do not change.
    ///
    /// # Errors
    ///
    /// [`PlanError::Budget`] names the least that covers the world, [`PlanError::Bytes`] the bytes
    /// that a streamed one would need. Then nothing has changed.
    pub fn set_budget(&mut self, budget_cells: u64) -> Result<(), PlanError> {
        let Some(adaptive) = &self.adaptive else { return Ok(()) };
        adaptive.check_budget(budget_cells)?;
        check_bytes(self, budget_cells)?;
        if let Some(adaptive) = &mut self.adaptive {
            adaptive.set_budget(budget_cells)?;
        }
        Ok(())
    }

    /// Makes new requests for the cells that the world itself needs on the base level.
    pub(super) fn ask_again(&mut self) {
        let Some(adaptive) = &mut self.adaptive else { return };
        adaptive.ask_again(&self.site, &self.bodies.blocks, &self.setup);
    }

    /// Requests a plan if leaves are adaptive and bodies touch different cells than before.
    pub(super) fn ask_for_bodies(&mut self) {
        let solids = &self.simulation.solids().solids;
        if self.adaptive.is_some() && self.bodies.note_blocks(solids) {
            self.ask_again();
        }
    }

    /// Plans and regrids if either is due, after a cycle. Criteria are called while the world is
    /// whole: one that panics costs a plan.
    pub(super) fn adapt(&mut self) {
        let Self { simulation, site, adaptive: Some(adaptive), .. } = self else { return };
        if adaptive.plan_after_cycle(WorldCells { simulation, site }) {
            self.change(|world| {
                let Self { simulation, site, adaptive: Some(adaptive), .. } = world else { return };
                adaptive.change_leaves(simulation, site);
                world.watches.find_again();
            });
        }
    }
}

/// Checks that a streamed world may have `budget_cells`; present and planned leaves count, since
/// leaves go one step at a time.
pub(super) fn check_bytes(world: &World, budget_cells: u64) -> Result<(), PlanError> {
    let (Some(numbers), Some(_)) = (world.setup.adaptive, world.site.relief().in_file()) else {
        return Ok(());
    };
    let mut setup = world.setup.clone();
    setup.adaptive = Some(AdaptiveNumbers { budget_cells, ..numbers });
    let planned = world.adaptive.as_ref().and_then(|adaptive| adaptive.pending());
    let planned = planned.map_or(0, |change| change.leaves.len());
    let leaves = world.simulation.forest().leaves().len().max(planned);
    let bytes = (world.site.class_bytes(), world.budget_bytes);
    match world.site.relief().check_budget(&setup, leaves, bytes) {
        Err(WorldError::Bytes { budget, minimum }) => Err(PlanError::Bytes { budget, minimum }),
        _ => Ok(()),
    }
}
