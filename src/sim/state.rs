//! The state of a simulation apart from what it is made of, to keep it and to go on from it.
//!
//! Ground, forcing and laws come from the terrain and from what was asked for; all else that
//! decides how a run goes on stands here. Planes are shared with the simulation until it writes
//! into them, so taking the state of a leaf copies its rim and its edges only.
//!
//! Guarantees: a simulation that goes on from a state goes on as the one it was taken from, to the
//!             bit (`tests/engine/saved.rs`).
//! Limits:     between cycles only.

use crate::body::Solids;
use crate::forest::LeafIndex;
use crate::forest::edges::Row;
use crate::grid::{Side, TILE_WIDTH, TileKey};
use crate::sim::Simulation;
use crate::sim::barriers::BarrierState;
use crate::sim::ledger::Ledger;
use crate::sim::links::LinkState;
use crate::sim::rim::RimFace;
use crate::sim::schedule::FixedStep;
use crate::sim::solids::memory::SolidMemory;
use crate::sim::tracers::Tracer;
use crate::tile::{Carry, Sheet, Water};
use crate::units::SimTime;

/// What a simulation keeps beside its leaves.
#[derive(Debug, Clone, PartialEq)]
pub struct RunState {
    /// The moment.
    pub time: SimTime,
    /// Length of the last automatic step, ticks.
    pub previous_step: u64,
    /// The run of fixed cycles that is under way.
    pub fixed_run: Option<FixedRun>,
    /// Largest speed for the Courant number by level, m/s, at the end of the last cycle.
    pub speeds: Vec<f64>,
    /// Leaves that were touched since the last cycle.
    pub roused: Vec<TileKey>,
    /// Where every unit came from and went.
    pub ledger: Ledger,
    /// The same of each tracer.
    pub tracers: Vec<Ledger>,
    /// What barriers remember, in their order.
    pub barriers: Vec<BarrierState>,
    /// What links do, by their numbers.
    pub links: Vec<(u32, LinkState)>,
    /// Solids, and what is remembered of the water among them; `None` where there are none.
    pub solids: Option<Box<(Solids, SolidMemory)>>,
}

/// A run of fixed cycles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FixedRun {
    /// When it began.
    pub start: SimTime,
    /// Cycles since.
    pub cycle: u64,
    /// Length of a cycle.
    pub step: FixedStep,
}

/// All state of a leaf.
#[derive(Debug, Clone, PartialEq)]
pub struct LeafState {
    /// Its water.
    pub water: Water,
    /// What belongs to it and is in none of its cells.
    pub carry: Carry,
    /// Depth its ground took so far, vertical units, where the ground takes water.
    pub infiltrated: Option<Sheet<i32>>,
    /// Its faces to the outside that are no walls, in their order.
    pub rim: Vec<RimState>,
    /// Unit discharges over its east and its north faces to coarser leaves, m²/s.
    pub beyond: [Option<Row<f32>>; 2],
    /// What came over its sides from finer leaves and is under way.
    pub registers: [Option<RegisterState>; 4],
    /// Cycles it has been quiet.
    pub quiet: u32,
    /// Largest flow depth of its last step, m.
    pub flow_depth_max: f32,
    /// It sleeps.
    pub is_asleep: bool,
    /// Some cell held water at its last step.
    pub is_wet: bool,
}

/// State of a rim face; see [`RimFace`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RimState {
    /// Its cell.
    pub cell: u16,
    /// The side of the cell that it closes.
    pub side: Side,
    /// Fall of the ground towards the edge.
    pub slope: f32,
    /// Outward unit discharge, m²/s.
    pub q: f32,
    /// What the discharges of a step ago were to bring into its cell, m²/s.
    pub expected: f32,
    /// Depth of its cell after the rim's last transfers, vertical units.
    pub left: i32,
    /// Units per flow of the last step.
    pub units_per_flow: f32,
    /// What an open edge may still let in, vertical units.
    pub credit: i64,
}

/// State of a flux register; see [`Register`](crate::forest::edges::Register).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegisterState {
    /// Gained and not yet taken, vertical units × fine cells.
    pub gained: [i64; TILE_WIDTH],
    /// Content of that by tracer, 2⁻²⁴ vertical units × fine cells.
    pub contents: Vec<[i64; TILE_WIDTH]>,
}

/// Why a simulation cannot go on from a state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Misfit {
    /// Which leaf does not fit; `None` for what stands beside the leaves.
    pub leaf: Option<LeafIndex>,
    /// What does not fit.
    pub what: &'static str,
}

impl Simulation {
    /// What it keeps beside its leaves.
    #[must_use]
    pub fn run_state(&self) -> RunState {
        let fixed_run = self.fixed_run.map(|(start, cycle, step)| FixedRun { start, cycle, step });
        let leaves = self.forest.leaves();
        RunState {
            time: self.time,
            previous_step: self.previous_step,
            fixed_run,
            speeds: self.speeds.clone(),
            roused: self.roused.iter().map(|&leaf| leaves[leaf as usize]).collect(),
            ledger: self.ledger.clone(),
            tracers: self.tracers.all().iter().map(|tracer| tracer.ledger().clone()).collect(),
            barriers: self.barriers.all().iter().map(|standing| standing.state).collect(),
            links: self.links.iter().map(|link| (link.number, link.state)).collect(),
            solids: self.solids_of_run(),
        }
    }

    /// All state of a leaf.
    #[must_use]
    pub fn leaf_state(&self, leaf: usize) -> LeafState {
        let own = &self.leaves[leaf];
        let edges = self.edges[leaf].as_deref();
        let registers = edges.map(|edges| &edges.registers);
        LeafState {
            water: self.water[leaf].clone(),
            carry: own.carry.clone(),
            infiltrated: own.infiltrated.clone(),
            rim: own.rim.iter().map(RimState::of).collect(),
            beyond: edges.map_or([None, None], |edges| edges.beyond.clone()),
            registers: std::array::from_fn(|side| {
                let register = registers?[side].as_deref()?;
                let contents = register.contents.clone();
                Some(RegisterState { gained: register.gained, contents })
            }),
            quiet: own.quiet,
            flow_depth_max: own.flow_depth_max,
            is_asleep: self.asleep[leaf],
            is_wet: own.is_wet,
        }
    }

    /// Number of the last change of any leaf.
    #[must_use]
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// Number of the last change of a leaf: what it holds is what it held at every number from
    /// that on.
    #[must_use]
    pub fn changed_at(&self, leaf: usize) -> u64 {
        self.leaves[leaf].changed
    }

    /// Numbers a change of something that others keep beside the leaves.
    pub fn number_a_change(&mut self) -> u64 {
        self.revision += 1;
        self.revision
    }

    /// Numbers a change of these leaves.
    pub(super) fn mark(&mut self, leaves: impl IntoIterator<Item = LeafIndex>) {
        self.number_a_change();
        for leaf in leaves {
            self.leaves[leaf as usize].changed = self.revision;
        }
    }

    /// Goes on from a state: `leaves` has that of each leaf in the order of the forest.
    ///
    /// # Errors
    ///
    /// [`Misfit`] where the state is none of this simulation: others leaves, faces or accounts, or
    /// a sum that is not what the ledger says. The simulation is of no further use then.
    pub fn go_on_from(&mut self, run: RunState, leaves: Vec<LeafState>) -> Result<(), Misfit> {
        let misfit = |what| Misfit { leaf: None, what };
        if leaves.len() != self.leaves.len() {
            return Err(misfit("it has another count of leaves"));
        }
        let accounts = |ledger: &Ledger| -> Vec<String> {
            ledger.accounts().iter().map(|account| account.name.clone()).collect()
        };
        let own = accounts(&self.ledger);
        if run.tracers.len() != self.tracers.len()
            || run.tracers.iter().chain([&run.ledger]).any(|ledger| accounts(ledger) != own)
        {
            return Err(misfit("it has other accounts or tracers"));
        }
        if run.speeds.len() != self.speeds.len()
            || run.speeds.iter().any(|speed| !(0.0..1.0e9).contains(speed))
        {
            return Err(misfit("its speeds are none, or of other levels"));
        }
        if !self.barriers.set_states(&run.barriers) {
            return Err(misfit("it has another count of barriers"));
        }
        self.set_links(&run.links).ok_or(misfit("it has other links"))?;
        if let Some(solids) = run.solids {
            let (solids, memory) = *solids;
            if !self.recall_solids(solids, memory) {
                return Err(misfit("its solids are out of order, or no numbers"));
            }
        }
        self.roused.clear();
        for key in &run.roused {
            let leaf = self.forest.find(*key).ok_or(misfit("a leaf was roused that is none"))?;
            self.roused.push(LeafIndex::try_from(leaf).expect("2⁴⁰ cells at most"));
        }
        (self.time, self.previous_step, self.speeds) = (run.time, run.previous_step, run.speeds);
        self.fixed_run = run.fixed_run.map(|run| (run.start, run.cycle, run.step));
        self.ledger = run.ledger;
        self.tracers.set_ledgers(run.tracers);
        for (index, state) in leaves.into_iter().enumerate() {
            let leaf = LeafIndex::try_from(index).ok();
            self.set_leaf(index, state).map_err(|what| Misfit { leaf, what })?;
        }
        self.list_all_awake();
        let contents = (0..).zip(self.tracers.all());
        let is_kept = |(tracer, own): (usize, &Tracer)| -> bool {
            self.content_stored(tracer) == own.ledger().expected()
        };
        if self.stored() != self.ledger.expected() || !contents.into_iter().all(is_kept) {
            return Err(misfit("its water is not what its ledger says"));
        }
        Ok(())
    }

    fn set_leaf(&mut self, index: usize, state: LeafState) -> Result<(), &'static str> {
        let own = &mut self.leaves[index];
        if state.water.contents.len() != self.tracers.len()
            || state.carry.contents.len() != self.tracers.len()
            || state.infiltrated.is_some() != own.infiltrated.is_some()
        {
            return Err("it has other tracers, or another plane of what infiltrated");
        }
        if state.rim.len() != own.rim.len() {
            return Err("it has another count of faces to the outside");
        }
        for (face, state) in own.rim.iter_mut().zip(&state.rim) {
            if (face.cell, face.side) != (state.cell, state.side) {
                return Err("its faces to the outside are others");
            }
            state.put(face);
        }
        let edges = self.edges[index].as_deref_mut();
        let has_edges =
            state.beyond.iter().any(Option::is_some) || state.registers.iter().any(Option::is_some);
        if let Some(edges) = edges {
            for (own, state) in edges.beyond.iter_mut().zip(state.beyond) {
                if own.is_some() != state.is_some() {
                    return Err("its faces to coarser leaves are others");
                }
                *own = state;
            }
            for (own, state) in edges.registers.iter_mut().zip(state.registers) {
                match (own, state) {
                    (None, None) => {}
                    (Some(own), Some(state)) if own.contents.len() == state.contents.len() => {
                        (own.gained, own.contents) = (state.gained, state.contents);
                    }
                    _ => return Err("its registers are others"),
                }
            }
        } else if has_edges {
            return Err("it has faces to other levels where there are none");
        }
        (own.carry, own.infiltrated) = (state.carry, state.infiltrated);
        (own.quiet, own.flow_depth_max) = (state.quiet, state.flow_depth_max);
        own.is_wet = state.is_wet;
        self.water[index] = state.water;
        self.asleep[index] = state.is_asleep;
        Ok(())
    }
}

impl RimState {
    fn of(face: &RimFace) -> Self {
        Self {
            cell: face.cell,
            side: face.side,
            slope: face.slope,
            q: face.q,
            expected: face.expected,
            left: face.left,
            units_per_flow: face.units_per_flow,
            credit: face.credit,
        }
    }

    fn put(&self, face: &mut RimFace) {
        (face.slope, face.q, face.expected) = (self.slope, self.q, self.expected);
        (face.left, face.units_per_flow) = (self.left, self.units_per_flow);
        (face.credit, face.moved) = (self.credit, 0);
    }
}
