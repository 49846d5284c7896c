//! Carrying out actions, and undoing them.

use crate::world::accounts::BY_HAND;
use crate::world::actions::change::{ConcentrationRecord, WaterRecord, WorldChange};
use crate::world::actions::inflow::check_room;
use crate::world::actions::packed_amounts::Amounts;
use crate::world::actions::tile_amounts::{TileAmount, cell_amounts};
use crate::world::actions::undo_log::{UndoStep, ValuesBefore};
use crate::world::actions::way_back::{Undo, UndoChanges};
use crate::world::cells::WorldCells;
use crate::world::{ActionError, Edits, World};
use thalweg_engine::sim::Simulation;
use thalweg_engine::sim::edits::{CellAmount, SimulationEdit};
use thalweg_engine::sim::snapshot::LeafSnapshot;
use thalweg_engine::sim::touched::TouchedFaces;
use thalweg_engine::units::Volume;

/// Result of an action: with its way back, or without one if it was done for good.
#[derive(Debug)]
pub struct Done<U = Undo> {
    /// The way back.
    pub undo: U,
    /// Volume added to the world, m³, negative for volume removed; for a colour, the volume of the
    /// tracer.
    pub moved_m3: f64,
    /// Volume that could not be moved, m³: above the ceiling, no longer there, or less than the
    /// last unit of a cell.
    pub unmet_m3: f64,
    /// Number of cells whose water or bed changed.
    pub cells: usize,
    /// Number of faces that took less of a push, because none may flow faster than 50 m/s.
    pub held: usize,
}

impl Done<UndoChanges> {
    /// Adds the result of the next change.
    fn add(&mut self, next: Self) {
        self.undo.extend(next.undo);
        self.moved_m3 += next.moved_m3;
        self.unmet_m3 += next.unmet_m3;
        self.cells += next.cells;
        self.held += next.held;
    }

    /// Returns the result with its way back: the last change first.
    fn sealed(self, edits: &mut Edits<'_>) -> Done {
        let Self { undo: mut changes, moved_m3, unmet_m3, cells, held } = self;
        changes.reverse();
        Done { undo: edits.keep(changes), moved_m3, unmet_m3, cells, held }
    }
}

/// Result of a change.
#[derive(Debug, Clone, Copy, Default)]
struct ChangeTotals {
    /// Volume added to the world, vertical units × finest cells, or 2⁻²⁴ of them.
    moved: Volume,
    unmet: Volume,
    cells: usize,
    held: usize,
}

impl Edits<'_> {
    /// Undoes an action; the result's way back repeats the action. Undos may follow in any order:
    /// the opposite change is made to the water, and barriers, links and inflows are found by name:
    /// the one that has the name now is replaced by the one that had it before the action.
    ///
    /// # Errors
    ///
    /// [`ActionError`] if the undo is impossible: a different thing has its name or its place now,
    /// or newer ways back needed its bytes ([`ActionError::Forgotten`]). Nothing has changed then.
    pub fn undo(&mut self, undo: Undo) -> Result<Done, ActionError> {
        let changes = undo.changes(&self.world.saved)?;
        // An undo has no limit of bytes: they depend on the order of the undos.
        self.all(changes, usize::MAX, |edits, (what, step)| {
            edits.world.change(|world| world.edits().perform(what, Some(step)))
        })
    }

    /// Carries out all changes or none; returns their sum and the way back of all. They are refused
    /// if leaves of more than `most_bytes` change before the last. Surplus ways back are removed at
    /// the end, when none is needed any more to revert the list.
    pub(super) fn all<T>(
        &mut self,
        changes: impl IntoIterator<Item = T>,
        most_bytes: usize,
        mut each: impl FnMut(&mut Self, T) -> Result<Done<UndoChanges>, ActionError>,
    ) -> Result<Done, ActionError> {
        let mut all = self.done(Vec::new(), ChangeTotals::default(), false);
        // The log also has the steps of earlier actions: only the bytes of this list are limited,
        // and only its steps are removed if it is refused.
        let (before, bytes) = (self.world.undo_log.last(), self.world.undo_log.bytes());
        let mut each_done = changes.into_iter().map(|change| {
            let has_room = self.world.undo_log.bytes() <= bytes.saturating_add(most_bytes);
            has_room.then_some(()).ok_or(ActionError::Long { most_bytes })?;
            each(self, change)
        });
        let refused = each_done.find_map(|done| done.map(|done| all.add(done)).err());
        drop(each_done);
        let mut undone = Ok(());
        if refused.is_some() {
            // These changes were made just now, so all that they met is still there.
            while let Some((what, step)) = all.undo.pop() {
                let back = self.world.change(|world| world.edits().perform(what, Some(step)));
                undone = undone.and(back.map(drop));
            }
            // The ways forward are not used, so older ways back make no room for them.
            self.world.undo_log.let_go_after(before);
        }
        self.world.undo_log.trim();
        undone?;
        refused.map_or_else(|| Ok(all.sealed(self)), Err)
    }

    /// Carries out a change. An undo names a step; if that step led to the present scene, the scene
    /// before it is restored.
    pub(super) fn perform(
        &mut self,
        mut what: WorldChange,
        undoes: Option<u64>,
    ) -> Result<Done<UndoChanges>, ActionError> {
        let World { simulation, adaptive, undo_log, setup, .. } = &mut *self.world;
        let numbers = setup.links.len();
        let from = undo_log.now(simulation.revision());
        let step = undo_log.take(undoes, from);
        let has_asked = adaptive.as_ref().is_some_and(|adaptive| adaptive.has_asked_again());
        simulation.begin_act();
        // An exact undo restores planes from its snapshot, so no amounts are applied to cells.
        if step.is_none() {
            what.amounts().into_iter().for_each(Amounts::unpack);
        }
        let mut snapshot = match &step {
            Some(step) => step.before.snapshot.again(simulation.state()),
            None => {
                let touched = self.world.cells().touched(&what);
                LeafSnapshot::of(self.world.simulation.state(), touched.leaves())
            }
        };
        let done = if step.is_some() { self.turn(what) } else { self.carry_out(what) };
        let World { simulation, adaptive, undo_log, setup, .. } = &mut *self.world;
        let (mut back, totals, is_content) = match done {
            Ok(done) => done,
            Err(error) => {
                undo_log.put_back(undoes, step);
                return Err(error);
            }
        };
        // Only now is it known which leaves the act woke.
        snapshot.take_stirred(simulation.state());
        let to = match step {
            Some(step) => {
                simulation.go_back(step.before.snapshot);
                if let Some(adaptive) = adaptive {
                    adaptive.go_back_to_asking(step.before.has_asked);
                }
                // The numbers of links that the action gave are free again: the next link gets the
                // number that it would have without the action.
                setup.links.resize(step.before.numbers, None);
                undo_log.return_to(simulation.revision(), step.from);
                step.from
            }
            None => {
                simulation.bump_revision();
                undo_log.now(simulation.revision())
            }
        };
        let before = ValuesBefore { snapshot, has_asked, numbers };
        let step = undo_log.keep(UndoStep { from, to, before });
        back.amounts().into_iter().for_each(Amounts::pack);
        Ok(self.done(vec![(back, step)], totals, is_content))
    }

    /// Carries out a change for good.
    pub(super) fn perform_for_good(&mut self, what: WorldChange) -> Result<Done<()>, ActionError> {
        self.world.simulation.begin_act();
        let (_, totals, is_content) = self.carry_out(what)?;
        // The scene has a new number, so no earlier step can be undone exactly from here.
        self.world.simulation.bump_revision();
        Ok(self.done((), totals, is_content))
    }

    /// Returns a result with a way back, its volumes in m³.
    fn done<U>(&self, undo: U, totals: ChangeTotals, is_content: bool) -> Done<U> {
        let unit_m3 = self.world.cells().unit_m3();
        Done {
            undo,
            moved_m3: in_m3(totals.moved, is_content, unit_m3),
            unmet_m3: in_m3(totals.unmet, is_content, unit_m3),
            cells: totals.cells,
            held: totals.held,
        }
    }

    /// Carries out a change; returns its way back, its totals, and whether they count content.
    fn carry_out(
        &mut self,
        what: WorldChange,
    ) -> Result<(WorldChange, ChangeTotals, bool), ActionError> {
        let World { simulation, site, .. } = &mut *self.world;
        match what {
            WorldChange::Water(record) => {
                check_room(simulation.ledger())?;
                let (back, totals) = move_water(simulation, record);
                Ok((WorldChange::Water(back), totals, false))
            }
            WorldChange::Concentration(record) => {
                check_room(simulation.ledger())?;
                let (back, totals) = change_contents(simulation, record);
                Ok((WorldChange::Concentration(back), totals, true))
            }
            WorldChange::Push { area, by_m_s } => {
                let reach = WorldCells { simulation, site }.reach(&area)?;
                let cells = reach.cells().count();
                let bytes = cells * size_of::<f64>();
                let push = move |edit: &mut SimulationEdit<'_>, reach| edit.push(&reach, by_m_s);
                let held = simulation.edit_repeatably(bytes, reach, push);
                let back = WorldChange::Push { area, by_m_s: by_m_s.map(|by| -by) };
                let totals = ChangeTotals { held, cells, ..ChangeTotals::default() };
                Ok((back, totals, false))
            }
            structure => self.turn(structure),
        }
    }

    /// Changes beds and structures, whose way back is the same change reversed; for water, only
    /// returns the way back.
    fn turn(
        &mut self,
        what: WorldChange,
    ) -> Result<(WorldChange, ChangeTotals, bool), ActionError> {
        let none = ChangeTotals::default();
        match what {
            WorldChange::Water(record) => {
                let (back, totals) = record.turned();
                Ok((WorldChange::Water(back), totals, false))
            }
            WorldChange::Concentration(record) => {
                let (back, totals) = record.turned();
                Ok((WorldChange::Concentration(back), totals, true))
            }
            WorldChange::Push { area, by_m_s } => {
                let cells = self.world.cells().reach(&area)?.cells().count();
                let back = WorldChange::Push { area, by_m_s: by_m_s.map(|by| -by) };
                Ok((back, ChangeTotals { cells, ..none }, false))
            }
            WorldChange::Terrain(plan) => {
                let (_, back) = self.follow_plan(&plan)?;
                let cells = back.cells().count();
                Ok((WorldChange::Terrain(back), ChangeTotals { cells, ..none }, false))
            }
            WorldChange::Stack(record) => {
                let cells = record.count();
                let back = self.world.reshape(&record)?;
                Ok((WorldChange::Stack(back), ChangeTotals { cells, ..none }, false))
            }
            WorldChange::Barrier { name, placed } => {
                let before =
                    self.world.structures_mut().set_barrier(&name, placed.map(|placed| *placed));
                Ok((WorldChange::Barrier { name, placed: before.map(Box::new) }, none, false))
            }
            WorldChange::Link { name, number, placed } => {
                let number = self.world.structures().number_again(&name, number, placed.is_some());
                let before = self.world.structures_mut().set_link(number, placed)?;
                Ok((WorldChange::Link { name, number, placed: before }, none, false))
            }
            WorldChange::Inflow(record) => {
                let before = self.world.structures_mut().set_inflow(record)?;
                Ok((WorldChange::Inflow(before), none, false))
            }
            WorldChange::Weather(record) => {
                let before = self.world.structures_mut().set_weather(record)?;
                Ok((WorldChange::Weather(before), none, false))
            }
            WorldChange::Condition(record) => {
                let before = self.world.structures_mut().set_condition(record);
                Ok((WorldChange::Condition(before), none, false))
            }
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "a number to read")]
fn in_m3(volume: Volume, is_content: bool, unit_m3: f64) -> f64 {
    // Content counts in 2⁻²⁴ of a unit of water.
    let units = if is_content { volume as f64 / 16_777_216.0 } else { volume as f64 };
    units * unit_m3
}

impl WorldCells<'_> {
    /// Returns the faces of the cells whose water or bed changes.
    fn touched(self, what: &WorldChange) -> TouchedFaces {
        let forest = self.simulation.forest();
        let of_amounts = |tile_amounts: &[TileAmount]| {
            let amounts = cell_amounts(self.simulation, tile_amounts);
            TouchedFaces::of(forest, amounts.iter().map(|amount| (amount.leaf, amount.cell)))
        };
        match what {
            WorldChange::Water(record) => of_amounts(&record.tile_amounts.list()),
            WorldChange::Concentration(record) => of_amounts(&record.tile_amounts.list()),
            WorldChange::Push { area, .. } => self.reach(area).map_or_else(
                |_| TouchedFaces::default(),
                |reach| TouchedFaces::of(forest, reach.cells().map(|(leaf, cell, _)| (leaf, cell))),
            ),
            WorldChange::Terrain(plan) => {
                let changes = plan.changes();
                let cells = self.leaves_on(&changes).into_iter().flat_map(|leaf| {
                    let key = forest.leaves()[leaf];
                    let block = changes.block(key);
                    block
                        .into_iter()
                        .flat_map(move |block| block.cells_in(key))
                        .map(move |cell| (leaf, cell))
                });
                TouchedFaces::of(forest, cells)
            }
            WorldChange::Stack(record) => {
                let cells = record.cells(self.simulation);
                let near = self.simulation.near_stacks(&cells);
                // A reshape may change any interval of these leaves. The snapshot takes whole
                // leaves, so one cell of each is enough.
                TouchedFaces::of(forest, near.into_iter().map(|leaf| (leaf, 0)))
            }
            WorldChange::Barrier { .. }
            | WorldChange::Link { .. }
            | WorldChange::Inflow(_)
            | WorldChange::Weather(_)
            | WorldChange::Condition(_) => TouchedFaces::default(),
        }
    }
}

/// Adds or removes water.
fn move_water(simulation: &mut Simulation, record: WaterRecord) -> (WaterRecord, ChangeTotals) {
    let WaterRecord { side, pours, tile_amounts, asked } = record;
    let amounts = cell_amounts(simulation, &tile_amounts.list());
    let bytes = amounts.len() * (size_of::<CellAmount>() + 8 * simulation.tracers().len());
    let mut amounts = simulation.edit_repeatably(bytes, amounts, move |edit, mut amounts| {
        let account = edit.open_account(BY_HAND);
        if pours {
            edit.pour(account, side, &mut amounts);
        } else {
            edit.draw(account, side, &mut amounts);
        }
        amounts
    });
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
    let tile_amounts = Amounts::Listed(tile_amounts);
    (WaterRecord { side, pours: !pours, tile_amounts, asked: moved }, totals)
}

/// Changes content.
fn change_contents(
    simulation: &mut Simulation,
    record: ConcentrationRecord,
) -> (ConcentrationRecord, ChangeTotals) {
    let ConcentrationRecord { tracer, tile_amounts, is_undo } = record;
    let tile_amounts = tile_amounts.list();
    let asked: Volume = tile_amounts.iter().map(|tile_amount| tile_amount.content(tracer)).sum();
    let amounts = cell_amounts(simulation, &tile_amounts);
    let change = |amount: &CellAmount| (amount.leaf, amount.cell, amount.contents[tracer]);
    let changes: Vec<_> = amounts.iter().map(change).collect();
    let bytes = size_of_val(&changes[..]);
    let mut changes = simulation.edit_repeatably(bytes, changes, move |edit, mut changes| {
        let account = edit.open_account(BY_HAND);
        edit.change_contents(account, tracer, &mut changes, is_undo);
        changes
    });
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
    let tile_amounts = Amounts::Listed(back);
    (ConcentrationRecord { tracer, tile_amounts, is_undo: !is_undo }, totals)
}

impl WaterRecord {
    /// Returns the record of the way back, and the result if nothing else has changed.
    fn turned(self) -> (Self, ChangeTotals) {
        let sign = if self.pours { 1 } else { -1 };
        let (moved, cells) = (sign * self.asked, self.tile_amounts.count());
        (
            Self { pours: !self.pours, ..self },
            ChangeTotals { moved, cells, ..ChangeTotals::default() },
        )
    }
}

impl ConcentrationRecord {
    /// Returns the same for content.
    fn turned(self) -> (Self, ChangeTotals) {
        let amounts = self.tile_amounts.list();
        let moved = amounts.iter().map(|tile_amount| tile_amount.content(self.tracer)).sum();
        let cells = amounts.len();
        let tile_amounts = Amounts::Listed(amounts.iter().map(TileAmount::turned).collect());
        let back = Self { tile_amounts, is_undo: !self.is_undo, ..self };
        (back, ChangeTotals { moved, cells, ..ChangeTotals::default() })
    }
}
