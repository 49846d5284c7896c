//! Barriers of a world, laid over its leaves.
//!
//! A barrier's face passes nothing by itself: the leaf that owns it puts the discharge of the
//! barrier's law in the place of its own, and every leaf that reads the face, in its halo too, gets
//! the transfer. So the limiter, tracers, sections and maps make no difference, and the discharges
//! are all its state but for breaches and rules.
//!
//! Guarantees: volume is the kernel's; where two barriers share a face the later one stands.
//! Limits:     faces between levels, and of cells beside another level, let nothing pass, over the
//!             crest neither: leaves along a barrier stay on one level as far as the budget allows.

use crate::forest::{Forest, LeafIndex};
use crate::grid::cells::{CellPlace, TILE_WIDTH_U32};
use crate::sim::Simulation;
use crate::sim::solids::region::key_of;
use crate::structure::barrier::{
    BarrierFace, BarrierLaw, GapLaw, GateInputs, OpeningLaw, Strip, TriggerLaw,
};
use crate::units::SimTime;
use serde::Serialize;
use std::collections::BTreeMap;

/// A leaf, and a cell of it.
pub type CellAt = (LeafIndex, u16);

/// A barrier and its state.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Standing {
    /// The barrier.
    pub barrier: BarrierLaw,
    /// State of the barrier.
    pub state: BarrierState,
}

/// State of a barrier.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct BarrierState {
    /// When its breach began.
    pub begun: Option<SimTime>,
    /// How far its rule has opened its gate, vertical units.
    pub opened: i32,
}

impl BarrierState {
    fn moment(self, time: SimTime) -> GateInputs {
        GateInputs { time, begun: self.begun, opened: self.opened }
    }
}

impl Standing {
    /// A barrier that nothing has happened to.
    #[must_use]
    pub fn new(barrier: BarrierLaw) -> Self {
        Self { barrier, state: BarrierState::default() }
    }

    /// Looks at what it depends on; true where its breach begins, or a rule moves its gate.
    fn begin(&mut self, time: SimTime, stage: &dyn Fn(CellPlace) -> Option<i32>) -> bool {
        let Self { barrier, state } = self;
        let was_whole = state.begun.is_none();
        if let (Some(breach), None) = (&barrier.breach, state.begun) {
            state.begun = match breach.trigger {
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
        let is_moved = differs > barrier.dead_band || (differs > 0 && asked == 0);
        if is_moved {
            state.opened = asked;
        }
        is_moved || (was_whole && state.begun.is_some())
    }
}

/// A face of a barrier between two cells of one level.
#[derive(Debug, Clone)]
pub struct Barred {
    /// Index of its barrier.
    pub barrier: u32,
    /// The face.
    pub face: BarrierFace,
    /// The cell whose west or south face it is.
    pub behind: CellAt,
    /// The cell west or south of it.
    pub before: CellAt,
    /// Nothing passes: a leaf of another level is beside one of its cells.
    pub is_sealed: bool,
    /// Open parts of the face in this cycle.
    pub strips: Vec<Strip>,
}

/// A face of a barrier as a leaf sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seen {
    /// Whether it is a west (0) or a south (1) face.
    pub axis: usize,
    /// Column of the cell behind it in the padded tile.
    pub column: i32,
    /// Row of that cell.
    pub row: i32,
    /// Index of the face; `None` where nothing ever passes.
    pub barred: Option<u32>,
}

impl Seen {
    /// Cell of the leaf's own whose face it is.
    #[must_use]
    pub fn own_cell(&self) -> Option<usize> {
        let is_own = |at: i32| (0..64).contains(&at);
        let cell = self.row.unsigned_abs() * TILE_WIDTH_U32 + self.column.unsigned_abs();
        (is_own(self.column) && is_own(self.row)).then_some(cell as usize)
    }
}

/// All barriers of a simulation.
#[derive(Debug, Default)]
pub struct Barriers {
    pub(super) list: Vec<Standing>,
    pub(super) faces: Vec<Barred>,
    /// The barriers of faces between leaves of two levels: nothing passes them.
    pub(super) edges: Vec<u32>,
    pub(super) seen: BTreeMap<LeafIndex, Vec<Seen>>,
}

impl Barriers {
    /// These barriers, not laid out yet.
    #[must_use]
    pub fn new(list: Vec<BarrierLaw>) -> Self {
        Self { list: list.into_iter().map(Standing::new).collect(), ..Self::default() }
    }

    /// The barriers.
    #[must_use]
    pub fn all(&self) -> &[Standing] {
        &self.list
    }

    /// Their faces.
    #[must_use]
    pub fn faces(&self) -> &[Barred] {
        &self.faces
    }

    /// How many faces between leaves of two levels a barrier closes.
    #[must_use]
    pub fn edges_of(&self, barrier: usize) -> usize {
        self.edges.iter().filter(|&&edge| edge as usize == barrier).count()
    }

    /// Crests over the faces of the base level, vertical units above the datum, by the key of the
    /// cell behind and the axis.
    #[must_use]
    pub fn crests(&self, forest: &Forest) -> BTreeMap<(u64, u8), i32> {
        let on_base =
            |face: &&Barred| forest.leaves()[face.behind.0 as usize].level == forest.base();
        let crest = |face: &Barred| {
            let axis = u8::from(face.face.axis == 1);
            let key = key_of(face.face.place);
            ((key, axis), face.face.crest)
        };
        self.faces.iter().filter(on_base).map(crest).collect()
    }

    /// A face.
    #[must_use]
    pub fn face(&self, barred: u32) -> &Barred {
        &self.faces[barred as usize]
    }

    /// The barrier of a face.
    #[must_use]
    pub fn barrier(&self, barred: &Barred) -> &BarrierLaw {
        &self.list[barred.barrier as usize].barrier
    }

    /// The faces that a leaf sees in its padded tile, the frame included.
    #[must_use]
    pub fn seen_by(&self, leaf: usize) -> Option<&[Seen]> {
        if self.seen.is_empty() {
            return None;
        }
        let leaf = LeafIndex::try_from(leaf).expect("2⁴⁰ cells at most");
        self.seen.get(&leaf).map(Vec::as_slice)
    }

    /// Takes the states of the barriers, in their order; false where there are more or fewer.
    pub fn set_states(&mut self, states: &[BarrierState]) -> bool {
        for (standing, state) in self.list.iter_mut().zip(states) {
            standing.state = *state;
        }
        states.len() == self.list.len()
    }

    /// Sets what is open from `time` on; `stage` returns the stage of a cell of the base level,
    /// `None` where it is dry. Returns the leaves beside gates that a rule has moved, and beside
    /// breaches that begin.
    pub fn begin(
        &mut self,
        time: SimTime,
        width: &dyn Fn(LeafIndex) -> f64,
        stage: &dyn Fn(CellPlace) -> Option<i32>,
    ) -> Vec<LeafIndex> {
        let is_moved: Vec<bool> =
            self.list.iter_mut().map(|standing| standing.begin(time, stage)).collect();
        for face in &mut self.faces {
            let Standing { barrier, state } = &self.list[face.barrier as usize];
            let (moment, width) = (state.moment(time), width(face.behind.0));
            barrier.strips(&face.face, &moment, width, &mut face.strips);
        }
        let moved = self.faces.iter().filter(|face| is_moved[face.barrier as usize]);
        moved.flat_map(|face| [face.before.0, face.behind.0]).collect()
    }

    /// The leaves beside faces of barriers that change by themselves between two moments.
    pub fn moving(&self, from: SimTime, to: SimTime) -> impl Iterator<Item = LeafIndex> {
        let moves = move |standing: &Standing| {
            let Standing { barrier, state } = standing;
            let starts = barrier.breach.as_ref().is_some_and(|breach| {
                state.begun.is_none() && matches!(breach.trigger, TriggerLaw::At(at) if at <= to)
            });
            starts || barrier.moves(from, to, state.begun)
        };
        let moving: Vec<bool> = self.list.iter().map(moves).collect();
        let faces = self.faces.iter().filter(move |face| moving[face.barrier as usize]);
        faces.flat_map(|face| [face.before.0, face.behind.0])
    }
}

impl Simulation {
    /// Lays the barriers over the leaves there are.
    pub(super) fn lay_barriers(&mut self) {
        if self.state.barriers.list.is_empty() {
            return;
        }
        let grounds = &self.state.leaves.grounds;
        self.state.barriers.lay(&self.state.leaves.forest, &|(leaf, cell)| {
            grounds[leaf as usize].is_inside(usize::from(cell))
        });
    }

    /// Takes what barriers let through in the cycle that begins, and wakes who is beside a gate
    /// that moved.
    pub(super) fn begin_barriers(&mut self) {
        if self.state.barriers.list.is_empty() {
            return;
        }
        let mut barriers = std::mem::take(&mut self.state.barriers);
        let width = |leaf: LeafIndex| {
            let shift = self.state.leaves.forest.leaves()[leaf as usize].level
                - self.state.leaves.forest.base();
            f64::from(1_u32 << shift)
        };
        let moved = barriers.begin(self.state.clock.time, &width, &|place| {
            let (leaf, cell) = self.state.leaves.forest.locate(place)?;
            let depth = self.state.leaves.water[leaf].depth[cell];
            (depth > 0).then(|| self.state.leaves.grounds[leaf].stage(cell, depth))
        });
        self.state.barriers = barriers;
        for &leaf in &moved {
            self.state.leaves.own[leaf as usize].quiet = 0;
        }
        self.state.activity.roused.extend(moved);
    }

    /// Puts other barriers in the place of those there are, with their states. Who is beside one
    /// wakes.
    pub fn set_barriers(&mut self, list: Vec<Standing>) {
        let beside = |barriers: &Barriers| -> Vec<LeafIndex> {
            barriers.faces.iter().flat_map(|face| [face.before.0, face.behind.0]).collect()
        };
        self.forget_region();
        let mut touched = beside(&self.state.barriers);
        self.state.barriers = Barriers { list, ..Barriers::default() };
        self.lay_barriers();
        touched.extend(beside(&self.state.barriers));
        touched.sort_unstable();
        touched.dedup();
        for &leaf in &touched {
            self.state.leaves.own[leaf as usize].quiet = 0;
        }
        self.state.leaves.mark(touched.iter().copied());
        self.state.activity.roused.extend(touched);
    }

    /// The barriers, and their faces.
    #[must_use]
    pub fn barriers(&self) -> &Barriers {
        &self.state.barriers
    }
}
