//! Carrying out actions, and undoing them.
//!
//! ```text
//! undo before anything else has changed   snapshot of the leaves   to the bit; reads no amounts
//! undo later                              inverse of the change    to the unit; has no snapshot
//! ```
//!
//! The inverse of a change of water returns volumes and not states: a face that opens keeps its
//! discharge and one that closes its velocity, content leaves by rounded shares, and leaves wake.

use crate::world::accounts::BY_HAND;
use crate::world::actions::change::{CellsRecord, WorldChange};
use crate::world::actions::inflow::check_room;
use crate::world::actions::packed_amounts::Amounts;
use crate::world::actions::tile_amounts::{retain_moved, volume_of};
use crate::world::actions::undo_log::{UndoStep, ValuesBefore};
use crate::world::actions::way_back::{Undo, UndoChanges};
use crate::world::cells::WorldCells;
use crate::world::{ActionError, Edits, World};
use std::sync::Arc;
use thalweg_engine::sim::Simulation;
use thalweg_engine::sim::edits::{CellChange, SimulationEdit, TileCells};
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
            what.amounts().into_iter().for_each(|amounts| amounts.place(simulation));
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
            WorldChange::Cells(record) => {
                check_room(simulation.ledger())?;
                let is_content = record.is_of_content();
                let (back, totals) = change_cells(simulation, record);
                Ok((WorldChange::Cells(back), totals, is_content))
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
            WorldChange::Cells(record) => {
                // Nothing has changed since, so all of it moves.
                let (moved, cells) = (record.volume(), record.amounts.count());
                let is_content = record.is_of_content();
                let totals = ChangeTotals { moved, cells, ..none };
                Ok((WorldChange::Cells(record.inverse()), totals, is_content))
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
        match what {
            WorldChange::Cells(record) => {
                let tiles = record.amounts.list();
                let cells = tiles.iter().flat_map(|TileCells { key, cells, .. }| {
                    let leaf = forest.find(*key).expect("its amounts are on the present leaves");
                    cells.iter().map(move |&cell| (leaf, usize::from(cell)))
                });
                TouchedFaces::of(forest, cells)
            }
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

/// Changes the water of cells, or its content, within the water and the room of each; returns the
/// way back.
fn change_cells(simulation: &mut Simulation, record: CellsRecord) -> (CellsRecord, ChangeTotals) {
    let CellsRecord { movement, is_undo, amounts, asked } = record;
    let bytes = amounts.bytes();
    let change = CellChange { movement, is_undo, tiles: amounts.into_tiles() };
    // Shared: without a card nothing is copied; with one a copy runs, and the record runs again if
    // the card is lost.
    let change = Arc::new(change);
    let mut change = simulation.edit_repeatably(bytes, change, |edit, change| {
        let mut change = Arc::unwrap_or_clone(change);
        let account = edit.open_account(BY_HAND);
        edit.change_cells(account, &mut change);
        change
    });
    retain_moved(movement, &mut change.tiles);
    let moved = volume_of(movement, &change.tiles);
    let amounts = Amounts::Listed(change.tiles);
    let done = CellsRecord { movement, is_undo, amounts, asked: moved };
    let totals = ChangeTotals {
        moved: done.volume(),
        unmet: asked - moved,
        cells: done.amounts.count(),
        ..ChangeTotals::default()
    };
    (done.inverse(), totals)
}
