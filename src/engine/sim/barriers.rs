//! Barriers of a world, laid over its leaves.
//!
//! A barrier's face passes nothing by itself: the leaf that owns it replaces its own discharge by
//! that of the barrier's law, and every leaf that reads the face, in its halo too, gets the
//! transfer. So the limiter, tracers, sections and maps treat it like any face, and the discharges
//! are all its state except for breaches and rules.
//!
//! Guarantees: volume is the kernel's; if two barriers share a face the later one counts.
//! Limits:     faces between levels, and of cells beside a different level, let nothing pass, not
//!             even over the crest: leaves along a barrier stay on one level as far as the budget
//!             allows.

use crate::forest::Forest;
use crate::grid::cells::{CellPlace, TILE_WIDTH_U32, column_row};
use crate::grid::{Axis, LeafId, Side, TILE_CELLS, TileKey};
use crate::sim::table::LeafTable;
use crate::structure::barrier::{
    BarrierFace, BarrierLaw, GapLaw, GateInputs, OpeningLaw, Strip, TriggerLaw,
};
use crate::structure::path::cuts;
use crate::units::SimTime;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// A leaf, and a cell of it.
pub type CellAt = (LeafId, u16);

/// A barrier and its state.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StandingBarrier {
    /// The barrier.
    pub barrier: BarrierLaw,
    /// State of the barrier.
    pub state: BarrierState,
}

/// State of a barrier.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct BarrierState {
    /// Time at which its breach began.
    pub begun: Option<SimTime>,
    /// Opening that the rule has given the gate, vertical units.
    pub opened: i32,
}

impl BarrierState {
    fn moment(self, time: SimTime) -> GateInputs {
        GateInputs { time, begun: self.begun, opened: self.opened }
    }
}

impl StandingBarrier {
    /// Returns a barrier that nothing has happened to.
    #[must_use]
    pub fn new(barrier: BarrierLaw) -> Self {
        Self { barrier, state: BarrierState::default() }
    }

    /// Checks its trigger and its rule; returns true if its breach begins, or a rule moves its
    /// gate.
    fn begin(&mut self, time: SimTime, stage: &dyn Fn(CellPlace) -> Option<i32>) -> bool {
        let Self { barrier, state } = self;
        let was_whole = state.begun.is_none();
        if let (Some(breach), None) = (&barrier.breach, state.begun) {
            state.begun = match breach.trigger {
                // The time of the breach, not of the cycle: growth is the same however time is cut.
                TriggerLaw::At(at) => (at <= time).then_some(at),
                TriggerLaw::Stage(place, least) => {
                    stage(place).filter(|stage| *stage >= least).map(|_| time)
                }
            };
        }
        let Some(GapLaw { opening: OpeningLaw::Rule(place, rule), .. }) = &barrier.gap else {
            return was_whole && state.begun.is_some();
        };
        let asked = stage(*place).map_or(0, |stage| rule.at(stage)).max(0);
        let differs = (asked - state.opened).abs();
        // To shut, a gate moves by any difference: a rest in the dead band would leak for ever.
        let is_moved = differs > barrier.dead_band || (differs > 0 && asked == 0);
        if is_moved {
            state.opened = asked;
        }
        is_moved || (was_whole && state.begun.is_some())
    }
}

/// A face of a barrier between two cells of one level.
#[derive(Debug, Clone)]
pub struct ClosedFace {
    /// Index of its barrier.
    pub barrier: usize,
    /// The face.
    pub face: BarrierFace,
    /// The cell whose west or south face it is.
    pub behind: CellAt,
    /// The cell west or south of it.
    pub before: CellAt,
    /// True if nothing passes, because a leaf of a different level is beside one of its cells.
    pub is_sealed: bool,
    /// Open parts of the face in this cycle.
    pub strips: Vec<Strip>,
}

impl ClosedFace {
    /// Returns true if the stage on a side whose ground is lower than the crest is above the crest
    /// less `below`, vertical units.
    #[must_use]
    pub fn is_overtopped(&self, leaves: &LeafTable, below: i32) -> bool {
        let crest = self.face.crest;
        [self.before, self.behind].into_iter().any(|(leaf, cell)| {
            let (ground, cell) = (&leaves.grounds[leaf], usize::from(cell));
            let depth = leaves.water[leaf].depth[cell];
            let is_over = || ground.stage(cell, depth) > crest.saturating_sub(below);
            depth > 0 && ground.bed[cell] < crest && is_over()
        })
    }
}

/// A face of a barrier as a leaf sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FaceView {
    /// Axis across the face: it is a west or a south face.
    pub axis: Axis,
    /// Column of the cell behind it in the padded tile.
    pub column: i32,
    /// Row of that cell.
    pub row: i32,
    /// Index of the face; `None` if nothing ever passes.
    pub face: Option<u32>,
}

impl FaceView {
    /// Returns the leaf's own cell to which the face belongs.
    #[must_use]
    pub fn own_cell(&self) -> Option<usize> {
        let is_own = |at: i32| (0..64).contains(&at);
        let place = CellPlace { x: self.column.unsigned_abs(), y: self.row.unsigned_abs() };
        (is_own(self.column) && is_own(self.row)).then(|| place.index_in_tile())
    }

    /// Returns which west and south faces of the cells of a leaf are among these.
    #[must_use]
    pub fn own_faces(views: &[Self]) -> [[bool; 2]; TILE_CELLS] {
        let mut is_barred = [[false; 2]; TILE_CELLS];
        for at in views {
            if let Some(cell) = at.own_cell() {
                is_barred[cell][at.axis] = true;
            }
        }
        is_barred
    }
}

/// All barriers of a simulation.
#[derive(Debug, Clone, Default)]
pub struct Barriers {
    list: Vec<StandingBarrier>,
    faces: Vec<ClosedFace>,
    /// The barriers of faces between leaves of two levels: nothing passes them.
    edges: Vec<usize>,
    views: BTreeMap<LeafId, Vec<FaceView>>,
}

impl Barriers {
    /// Returns these barriers, laid over the present leaves.
    #[must_use]
    pub fn new(list: Vec<StandingBarrier>, leaves: &LeafTable) -> Self {
        let mut barriers = Self { list, ..Self::default() };
        barriers.lay(leaves);
        barriers
    }

    /// Returns the barriers.
    #[must_use]
    pub fn all(&self) -> &[StandingBarrier] {
        &self.list
    }

    /// Returns the faces of the barriers.
    #[must_use]
    pub fn faces(&self) -> &[ClosedFace] {
        &self.faces
    }

    /// Returns the leaves on both sides of the faces.
    pub(super) fn beside(&self) -> impl Iterator<Item = LeafId> {
        self.faces.iter().flat_map(|face| [face.before.0, face.behind.0])
    }

    /// Returns the count of the faces between leaves of two levels that a barrier closes.
    #[must_use]
    pub fn interfaces_of(&self, barrier: usize) -> usize {
        self.edges.iter().filter(|&&edge| edge == barrier).count()
    }

    /// Returns the crests over the faces of the base level, vertical units above the datum, by the
    /// place of the cell behind and the axis.
    #[must_use]
    pub fn crests(&self, forest: &Forest) -> BTreeMap<(CellPlace, u8), i32> {
        let on_base = |face: &&ClosedFace| forest.leaves()[face.behind.0].level == forest.base();
        let crest = |face: &ClosedFace| {
            let axis = u8::from(face.face.axis == Axis::Y);
            ((face.face.place, axis), face.face.crest)
        };
        self.faces.iter().filter(on_base).map(crest).collect()
    }

    /// Returns a face.
    #[must_use]
    pub fn face(&self, index: u32) -> &ClosedFace {
        &self.faces[index as usize]
    }

    /// Returns the barrier of a face.
    #[must_use]
    pub fn barrier(&self, face: &ClosedFace) -> &BarrierLaw {
        &self.list[face.barrier].barrier
    }

    /// Returns the faces that a leaf sees in its padded tile, including faces of the halo.
    #[must_use]
    pub fn faces_in(&self, leaf: LeafId) -> Option<&[FaceView]> {
        if self.views.is_empty() {
            return None;
        }
        self.views.get(&leaf).map(Vec::as_slice)
    }

    /// Returns the leaves that see some of the faces.
    pub(super) fn seen(&self) -> impl Iterator<Item = LeafId> {
        self.views.keys().copied()
    }

    /// Replaces the states of the barriers, in their order; returns false if their number differs.
    pub fn set_states(&mut self, states: &[BarrierState]) -> bool {
        for (standing, state) in self.list.iter_mut().zip(states) {
            standing.state = *state;
        }
        states.len() == self.list.len()
    }

    /// Sets the openings from `time` on. Returns the leaves beside gates that a rule has moved, and
    /// beside breaches that begin.
    pub(super) fn begin(&mut self, time: SimTime, leaves: &LeafTable) -> Vec<LeafId> {
        let LeafTable { forest, grounds, water, .. } = leaves;
        let width =
            |leaf: LeafId| f64::from(1_u32 << (forest.leaves()[leaf].level - forest.base()));
        let stage = |place: CellPlace| {
            let (leaf, cell) = forest.locate(place)?;
            let depth = water[leaf].depth[cell];
            (depth > 0).then(|| grounds[leaf].stage(cell, depth))
        };
        let is_moved: Vec<bool> =
            self.list.iter_mut().map(|standing| standing.begin(time, &stage)).collect();
        for face in &mut self.faces {
            let StandingBarrier { barrier, state } = &self.list[face.barrier];
            let (moment, width) = (state.moment(time), width(face.behind.0));
            barrier.strips(&face.face, &moment, width, &mut face.strips);
        }
        let moved = self.faces.iter().filter(|face| is_moved[face.barrier]);
        moved.flat_map(|face| [face.before.0, face.behind.0]).collect()
    }

    /// Returns the leaves beside faces of barriers that change by themselves between two moments.
    pub fn moving(&self, from: SimTime, to: SimTime) -> impl Iterator<Item = LeafId> {
        let moves = move |standing: &StandingBarrier| {
            let StandingBarrier { barrier, state } = standing;
            let starts = barrier.breach.as_ref().is_some_and(|breach| {
                state.begun.is_none() && matches!(breach.trigger, TriggerLaw::At(at) if at <= to)
            });
            starts || barrier.moves(from, to, state.begun)
        };
        let moving: Vec<bool> = self.list.iter().map(moves).collect();
        let faces = self.faces.iter().filter(move |face| moving[face.barrier]);
        faces.flat_map(|face| [face.before.0, face.behind.0])
    }
}

impl Barriers {
    /// Lays the barriers over the present leaves.
    pub(super) fn lay(&mut self, leaves: &LeafTable) {
        if self.list.is_empty() {
            return;
        }
        let forest = &leaves.forest;
        self.faces.clear();
        self.edges.clear();
        self.views.clear();
        let levels: BTreeSet<u8> = forest.leaves().iter().map(|key| key.level).collect();
        for level in levels {
            let mut faces: BTreeMap<(Axis, CellPlace), (usize, BarrierFace)> = BTreeMap::new();
            for (index, standing) in (0..).zip(&self.list) {
                for face in standing.barrier.faces(level - forest.base()) {
                    // Replaces the face of an earlier barrier: a gate is drawn over its levee.
                    faces.insert((face.axis, face.place), (index, face));
                }
            }
            for (barrier, face) in faces.into_values() {
                self.lay_face(leaves, level, (barrier, face));
            }
        }
        self.lay_interfaces(forest);
    }

    /// Closes faces between levels if a line crosses from the centre of a fine cell to that of the
    /// coarse cell beside it, so that the closed faces of both levels meet.
    fn lay_interfaces(&mut self, forest: &Forest) {
        for (leaf, key) in forest.iter() {
            for side in Side::ALL {
                // The finer leaf owns the faces of an interface.
                if !forest.across(leaf, side).is_coarser() {
                    continue;
                }
                let width = f64::from(1_u32 << (key.level - forest.base()));
                let at = |tile: u32, by: f64| (f64::from(tile) * 64.0 + by) * width;
                let [low, high] = [-2.0, 66.0].map(|by| [at(key.x, by), at(key.y, by)]);
                for barrier in 0..self.list.len() {
                    if self.list[barrier].barrier.is_near(low, high) {
                        self.lay_interface(forest, (key, side), barrier);
                    }
                }
            }
        }
    }

    fn lay_interface(&mut self, forest: &Forest, (key, side): (TileKey, Side), barrier: usize) {
        let shift = key.level - forest.base();
        for i in 0..TILE_WIDTH_U32 {
            let (x, y) = (key.x * TILE_WIDTH_U32, key.y * TILE_WIDTH_U32);
            let last = TILE_WIDTH_U32 - 1;
            let (x, y) = match side {
                Side::West => (x, y + i),
                Side::East => (x + last, y + i),
                Side::South => (x + i, y),
                Side::North => (x + i, y + last),
            };
            let (dx, dy) = side.offset();
            // In halves of a cell of the base level the centres of all levels are whole numbers.
            let fine = [x, y].map(|at| (2 * i64::from(at) + 1) << shift);
            let beyond = [i64::from(x) + i64::from(dx), i64::from(y) + i64::from(dy)];
            let coarse = beyond.map(|at| (2 * (at >> 1) + 1) << (shift + 1));
            if !cuts(&self.list[barrier].barrier.corners, fine, coarse) {
                continue;
            }
            self.edges.push(barrier);
            let place = match side {
                Side::West | Side::South => CellPlace { x, y },
                Side::East => CellPlace { x: x + 1, y },
                Side::North => CellPlace { x, y: y + 1 },
            };
            self.show(forest, key.level, (side.axis(), place), None);
        }
    }

    fn lay_face(&mut self, leaves: &LeafTable, level: u8, (barrier, face): (usize, BarrierFace)) {
        let forest = &leaves.forest;
        let before = face.place.before(face.axis);
        let at = |place: CellPlace| -> Option<CellAt> {
            let key = TileKey::of_cell(level, place);
            let leaf = forest.find(key)?;
            let cell = u16::try_from(place.index_in_tile()).expect("4096 cells");
            leaves.grounds[leaf].is_inside(usize::from(cell)).then_some((leaf, cell))
        };
        // Faces between levels are distinguished.
        let (Some(before), Some(behind)) = (before.and_then(at), at(face.place)) else { return };
        let is_sealed = [before, behind].iter().any(|at| is_beside_level(forest, *at));
        let index = u32::try_from(self.faces.len()).expect("2³² faces at most");
        let at = (face.axis, face.place);
        let strips = Vec::new();
        self.faces.push(ClosedFace { barrier, face, behind, before, is_sealed, strips });
        self.show(forest, level, at, (!is_sealed).then_some(index));
    }

    /// Shows a face to all leaves of its level that see it.
    fn show(
        &mut self,
        forest: &Forest,
        level: u8,
        (axis, place): (Axis, CellPlace),
        face: Option<u32>,
    ) {
        let own = TileKey::of_cell(level, place);
        for (dx, dy) in (-1..=1).flat_map(|dy| (-1..=1).map(move |dx| (dx, dy))) {
            let beside = own.x.checked_add_signed(dx).zip(own.y.checked_add_signed(dy));
            let Some((x, y)) = beside else { continue };
            let key = TileKey { level, x, y };
            let Some(leaf) = forest.find(key) else { continue };
            let along = |place: u32, tile: u32| {
                i32::try_from(i64::from(place) - 64 * i64::from(tile)).expect("a tile away")
            };
            let (column, row) = (along(place.x, x), along(place.y, y));
            if (-2..=65).contains(&column) && (-2..=65).contains(&row) {
                let view = FaceView { axis, column, row, face };
                self.views.entry(leaf).or_default().push(view);
            }
        }
    }
}

/// Returns true if a leaf of a different level is beside a cell.
fn is_beside_level(forest: &Forest, (leaf, cell): CellAt) -> bool {
    let (column, row) = column_row(usize::from(cell));
    let last = TILE_WIDTH_U32 - 1;
    let is_along = |side: Side| match side {
        Side::West => column == 0,
        Side::East => column == last,
        Side::South => row == 0,
        Side::North => row == last,
    };
    Side::ALL
        .into_iter()
        .filter(|side| is_along(*side))
        .any(|side| forest.across(leaf, side).is_other_level())
}
