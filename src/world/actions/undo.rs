//! The way back, and doing what was worked out.

use crate::grid::LeafId;
use crate::sim::Simulation;
use crate::sim::edits::CellAmount;
use crate::sim::ledger::AccountSide;
use crate::sim::snapshot::LeafSnapshot;
use crate::structure::LinkState;
use crate::terrain::{EditPlan, Shape};
use crate::units::Volume;
use crate::world::accounts::BY_HAND;
use crate::world::actions::inflow::{InflowRecord, check_room};
use crate::world::actions::tile_amounts::{TileAmount, cell_amounts};
use crate::world::actions::undo_log::{Before, Step};
use crate::world::cells::Cells;
use crate::world::saved::Saved;
use crate::world::structures::PlacedBarrier;
use crate::world::{ActionError, Edits, Link, World};
use std::sync::{Arc, Weak};

/// The way back of an action, for [`Edits::undo`]. It is small: what it holds grows with the cells
/// that the action changed.
#[derive(Clone)]
pub struct Undo {
    world: Weak<Saved>,
    what: What,
    /// The number of the step that it takes back.
    step: u64,
}

/// Without its cells.
impl std::fmt::Debug for Undo {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let name = match &self.what {
            What::Water(WaterRecord { pours: true, .. }) => "water to pour",
            What::Water(_) => "water to draw",
            What::Concentration(_) => "concentration",
            What::Push { .. } => "push",
            What::Terrain(_) => "terrain",
            What::Barrier { .. } => "barrier",
            What::Link { .. } => "link",
            What::Inflow(_) => "inflow",
        };
        f.debug_tuple("Undo").field(&name).finish()
    }
}

/// Result of an action.
#[derive(Debug)]
pub struct Done {
    /// The way back.
    pub undo: Undo,
    /// Volume that came into the world, m³, negative for volume that left; of a colour the volume
    /// of the tracer.
    pub moved_m3: f64,
    /// Volume that was to be moved and could not be: above the ceiling, not there any more, or less
    /// than the last unit of a cell.
    pub unmet_m3: f64,
    /// Cells whose water or bed it changed.
    pub cells: usize,
    /// Faces that took less of a push, so as not to flow faster than 50 m/s.
    pub held: usize,
}

/// Change to carry out.
#[derive(Debug, Clone)]
pub(super) enum What {
    Water(WaterRecord),
    Concentration(ConcentrationRecord),
    Push { area: Shape, by_m_s: [f64; 2] },
    Terrain(EditPlan),
    Barrier { name: String, placed: Option<Box<PlacedBarrier>> },
    Link { number: u32, placed: Option<(Link, LinkState)> },
    Inflow(InflowRecord),
}

/// Water to be moved, or that was.
#[derive(Debug, Clone)]
pub(super) struct WaterRecord {
    /// Where it is booked, or taken off again.
    pub side: AccountSide,
    /// Into the cells; else out of them.
    pub pours: bool,
    pub tile_amounts: Vec<TileAmount>,
    /// All that is wanted, vertical units × finest cells.
    pub asked: Volume,
}

/// Content to be changed, or that was.
#[derive(Debug, Clone)]
pub(super) struct ConcentrationRecord {
    pub tracer: usize,
    pub tile_amounts: Vec<TileAmount>,
    /// Whether the change takes off a booked volume.
    pub is_undo: bool,
}

/// Result of a change.
#[derive(Debug, Clone, Copy, Default)]
struct ChangeTotals {
    /// Into the world, vertical units × finest cells, or 2⁻²⁴ of them.
    moved: Volume,
    unmet: Volume,
    cells: usize,
    held: usize,
}

impl Edits<'_> {
    /// Takes an action back; the result has the way forward again.
    ///
    /// # Errors
    ///
    /// [`ActionError`] where it cannot be: another thing has its name or its place now. Then
    /// nothing has changed.
    pub fn undo(&mut self, undo: Undo) -> Result<Done, ActionError> {
        if !undo.world.ptr_eq(&Arc::downgrade(&self.world.saved)) {
            return Err(ActionError::OtherWorld);
        }
        self.world.change(|world| world.edits().perform(undo.what, Some(undo.step)))
    }

    /// Does what was worked out. An undo names a step; where that led to the present scene, the
    /// scene before it comes back.
    pub(super) fn perform(&mut self, what: What, undoes: Option<u64>) -> Result<Done, ActionError> {
        let World { simulation, adaptive, undo_log, .. } = &mut *self.world;
        let from = undo_log.now(simulation.revision());
        let step = undo_log.take(undoes, from);
        let has_asked = adaptive.as_ref().is_some_and(|adaptive| adaptive.has_asked_again());
        let snapshot = match &step {
            Some(step) => step.before.snapshot.again(simulation.state()),
            None => {
                let touched = self.world.cells().touched(&what);
                LeafSnapshot::of(self.world.simulation.state(), &touched)
            }
        };
        let before = Before { snapshot, has_asked };
        let done = if step.is_some() { self.turn(what) } else { self.carry_out(what) };
        let World { simulation, adaptive, undo_log, .. } = &mut *self.world;
        let (back, totals, is_content) = match done {
            Ok(done) => done,
            Err(error) => {
                undo_log.put_back(undoes, step);
                return Err(error);
            }
        };
        let to = match step {
            Some(step) => {
                simulation.go_back(step.before.snapshot);
                if let Some(adaptive) = adaptive {
                    adaptive.go_back_to_asking(step.before.has_asked);
                }
                undo_log.return_to(simulation.revision(), step.from);
                step.from
            }
            None => {
                simulation.bump_revision();
                undo_log.now(simulation.revision())
            }
        };
        let step = undo_log.keep(Step { from, to, before });
        let world = Arc::downgrade(&self.world.saved);
        let unit_m3 = self.world.cells().unit_m3();
        Ok(Done {
            undo: Undo { world, what: back, step },
            moved_m3: in_m3(totals.moved, is_content, unit_m3),
            unmet_m3: in_m3(totals.unmet, is_content, unit_m3),
            cells: totals.cells,
            held: totals.held,
        })
    }

    /// Does it, step by step; the way back, what came of it, and whether that is content.
    fn carry_out(&mut self, what: What) -> Result<(What, ChangeTotals, bool), ActionError> {
        let World { simulation, site, .. } = &mut *self.world;
        match what {
            What::Water(record) => {
                check_room(simulation.ledger())?;
                let (back, totals) = move_water(simulation, record);
                Ok((What::Water(back), totals, false))
            }
            What::Concentration(record) => {
                check_room(simulation.ledger())?;
                let (back, totals) = change_contents(simulation, record);
                Ok((What::Concentration(back), totals, true))
            }
            What::Push { area, by_m_s } => {
                let reach = Cells { simulation, site }.reach(&area)?;
                let held = simulation.edit().push(&reach, by_m_s);
                let back = What::Push { area, by_m_s: by_m_s.map(|by| -by) };
                let totals =
                    ChangeTotals { held, cells: reach.cells().count(), ..ChangeTotals::default() };
                Ok((back, totals, false))
            }
            structure => self.turn(structure),
        }
    }

    /// Changes beds and structures, whose way back is the same thing turned round; of water only
    /// returns the way back.
    fn turn(&mut self, what: What) -> Result<(What, ChangeTotals, bool), ActionError> {
        let none = ChangeTotals::default();
        match what {
            What::Water(record) => {
                let (back, totals) = record.turned();
                Ok((What::Water(back), totals, false))
            }
            What::Concentration(record) => {
                let (back, totals) = record.turned();
                Ok((What::Concentration(back), totals, true))
            }
            What::Push { area, by_m_s } => {
                let cells = self.world.cells().reach(&area)?.cells().count();
                let back = What::Push { area, by_m_s: by_m_s.map(|by| -by) };
                Ok((back, ChangeTotals { cells, ..none }, false))
            }
            What::Terrain(plan) => {
                let back = self.world.site.with_base(|base| base.plan_back(&plan))?;
                self.follow_plan(&plan)?;
                let cells = back.cells().count();
                Ok((What::Terrain(back), ChangeTotals { cells, ..none }, false))
            }
            What::Barrier { name, placed } => {
                let before =
                    self.world.structures_mut().set_barrier(&name, placed.map(|placed| *placed));
                Ok((What::Barrier { name, placed: before.map(Box::new) }, none, false))
            }
            What::Link { number, placed } => {
                let before = self.world.structures_mut().set_link(number, placed)?;
                Ok((What::Link { number, placed: before }, none, false))
            }
            What::Inflow(record) => {
                let before = self.world.structures_mut().set_inflow(record)?;
                Ok((What::Inflow(before), none, false))
            }
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "a number to read")]
fn in_m3(volume: Volume, is_content: bool, unit_m3: f64) -> f64 {
    let units = if is_content { volume as f64 / 16_777_216.0 } else { volume as f64 };
    units * unit_m3
}

impl Cells<'_> {
    /// The leaves whose water something changes.
    fn touched(self, what: &What) -> Vec<LeafId> {
        let leaves_of = |tile_amounts: &[TileAmount]| -> Vec<LeafId> {
            let mut leaves: Vec<LeafId> = cell_amounts(self.simulation, tile_amounts)
                .iter()
                .map(|amount| amount.leaf)
                .collect();
            leaves.dedup();
            leaves
        };
        match what {
            What::Water(record) => leaves_of(&record.tile_amounts),
            What::Concentration(record) => leaves_of(&record.tile_amounts),
            What::Push { area, .. } => self.reach(area).map_or(Vec::new(), |reach| reach.leaves()),
            What::Terrain(plan) => match self.site.with_base(|base| base.plan_back(plan)) {
                Ok(back) => self.leaves_on(&back.changes()),
                // What cannot be read will not be done.
                Err(_) => Vec::new(),
            },
            What::Barrier { .. } | What::Link { .. } | What::Inflow(_) => Vec::new(),
        }
    }
}

/// Pours or draws water.
fn move_water(simulation: &mut Simulation, record: WaterRecord) -> (WaterRecord, ChangeTotals) {
    let WaterRecord { side, pours, tile_amounts, asked } = record;
    let account = simulation.edit().open_account(BY_HAND);
    let mut amounts = cell_amounts(simulation, &tile_amounts);
    if pours {
        simulation.edit().pour(account, side, &mut amounts);
    } else {
        simulation.edit().draw(account, side, &mut amounts);
    }
    amounts.retain(|amount| amount.units != 0);
    let tile_amount = |amount: &CellAmount| TileAmount::of(simulation, amount);
    let tile_amounts: Vec<TileAmount> = amounts.iter().map(tile_amount).collect();
    let moved: Volume = tile_amounts.iter().map(TileAmount::volume).sum();
    let sign = if pours { 1 } else { -1 };
    let totals = ChangeTotals {
        moved: sign * moved,
        unmet: asked - moved,
        cells: tile_amounts.len(),
        ..ChangeTotals::default()
    };
    (WaterRecord { side, pours: !pours, tile_amounts, asked: moved }, totals)
}

/// Changes content.
fn change_contents(
    simulation: &mut Simulation,
    record: ConcentrationRecord,
) -> (ConcentrationRecord, ChangeTotals) {
    let ConcentrationRecord { tracer, tile_amounts, is_undo } = record;
    let account = simulation.edit().open_account(BY_HAND);
    let asked: Volume = tile_amounts.iter().map(|tile_amount| tile_amount.content(tracer)).sum();
    let amounts = cell_amounts(simulation, &tile_amounts);
    let change = |amount: &CellAmount| (amount.leaf, amount.cell, amount.contents[tracer]);
    let mut changes: Vec<_> = amounts.iter().map(change).collect();
    simulation.edit().change_contents(account, tracer, &mut changes, is_undo);
    changes.retain(|(.., change)| *change != 0);
    let mut moved = 0;
    let mut back = Vec::with_capacity(changes.len());
    for &(leaf, cell, change) in &changes {
        let mut contents = vec![0; simulation.tracers().len()];
        contents[tracer] = change;
        let tile_amount =
            TileAmount::of(simulation, &CellAmount { leaf, cell, units: 0, contents });
        moved += tile_amount.content(tracer);
        back.push(tile_amount.turned());
    }
    let (cells, unmet) = (back.len(), asked - moved);
    let totals = ChangeTotals { moved, unmet, cells, ..ChangeTotals::default() };
    (ConcentrationRecord { tracer, tile_amounts: back, is_undo: !is_undo }, totals)
}

impl WaterRecord {
    /// Record of the way back, and the result when all is as it was.
    fn turned(self) -> (Self, ChangeTotals) {
        let sign = if self.pours { 1 } else { -1 };
        let (moved, cells) = (sign * self.asked, self.tile_amounts.len());
        (
            Self { pours: !self.pours, ..self },
            ChangeTotals { moved, cells, ..ChangeTotals::default() },
        )
    }
}

impl ConcentrationRecord {
    /// As of water.
    fn turned(self) -> (Self, ChangeTotals) {
        let moved =
            self.tile_amounts.iter().map(|tile_amount| tile_amount.content(self.tracer)).sum();
        let cells = self.tile_amounts.len();
        let tile_amounts = self.tile_amounts.iter().map(TileAmount::turned).collect();
        let back = Self { tile_amounts, is_undo: !self.is_undo, ..self };
        (back, ChangeTotals { moved, cells, ..ChangeTotals::default() })
    }
}
