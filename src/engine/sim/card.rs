//! Leaves that are stored and stepped outside the processor: on a graphics card.
//!
//! ```text
//! phases 1, 2, 3     processor      who is awake, how long steps are
//! phase 4            card           all steps of the cycle at once, where it can do all of them
//!                    processor      where it cannot: planes come back as somebody reads them
//! phases 5, 6        processor      ledger, idle times, from what the card says of each leaf
//! ```
//!
//! The planes of a leaf that is stepped there are *away* ([`Resident`]): a read brings them back, a
//! write makes the copy in memory the only one, and the card takes them again before the next
//! cycle. So the rest of the program does not depend on where a leaf is stored.
//!
//! A card may be lost at any moment. Its world keeps a [`CardCheckpoint`]: a state whose planes are
//! in memory, the cycles since, and the acts between them: changes of games in every frame
//! (`RepeatableAct`). Planes that can no longer be read are computed from the same changes and
//! cycles, run again on the processor. Any different change makes a new checkpoint.
//!
//! Guarantees: the same bits with a card, without one, and with one that is lost on the way
//!             (`tools/gpu/tests/`).
//! Limits:     a cycle that is stepped in parts, frame by frame, is stepped on the processor.
//!
//! [`Resident`]: crate::tile::Resident

use crate::sim::cycle;
use crate::sim::edits::SimulationEdit;
use crate::sim::params::Params;
use crate::sim::phases::Phases;
use crate::sim::residency::Needed;
use crate::sim::schedule::CycleEnd;
use crate::sim::state::SimulationState;
use crate::sim::table::LeafTable;
use std::fmt::{self, Debug, Formatter};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};

/// A device that steps leaves outside the processor.
pub trait Card: Debug + Send + Sync {
    /// Returns true if nothing that lasts for many cycles prevents it from stepping such a world.
    fn can(&mut self, state: &SimulationState, params: &Params) -> bool;

    /// Keeps all planes that it stepped and that belong to leaves now asleep, or are shared: a
    /// cycle without phases is about to count. Returns whether that was possible.
    fn keep(&mut self, state: &SimulationState) -> bool;

    /// Fetches the planes of these leaves from the card into memory, all at once, because they are
    /// about to be read.
    fn bring_ahead(&self, leaves: &LeafTable, needed: &Needed);

    /// Runs all phases of a cycle, none of which was done yet; or leaves everything as it is.
    fn step(&mut self, cycle: CardCycle<'_>) -> CardOutcome;
}

/// Result of a card's attempt at the phases of a cycle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CardOutcome {
    /// The card did them.
    Done {
        /// Cell-steps done: cells stepped, each counted once for each step.
        cell_steps: u64,
    },
    /// The card cannot do some of them, or it is lost.
    Left,
}

/// A cycle whose phases a card may do.
#[derive(Debug)]
pub struct CardCycle<'a> {
    /// All parts that change.
    pub state: &'a mut SimulationState,
    /// Values that are constant over the cycle.
    pub params: &'a Params,
    /// The phases.
    pub phases: &'a mut Phases,
    /// Checkpoint from which planes of this cycle are computed if the card is lost.
    pub checkpoint: &'a Arc<CardCheckpoint>,
}

/// A state, and the cycles that were run since.
#[derive(Debug)]
pub struct CardCheckpoint {
    state: SimulationState,
    params: Params,
    runs: Mutex<Vec<RepeatableCycle>>,
    again: OnceLock<Box<SimulationState>>,
}

/// A cycle, and the acts before it.
#[derive(Debug)]
struct RepeatableCycle {
    acts: Vec<RepeatableAct>,
    end: CycleEnd,
}

/// A change between two cycles that can run again.
struct RepeatableAct(Box<dyn Fn(&mut SimulationEdit<'_>) + Send + Sync>);

impl Debug for RepeatableAct {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("RepeatableAct")
    }
}

impl CardCheckpoint {
    /// Returns a checkpoint of a state as it is.
    fn of(state: &SimulationState, params: &Params) -> Self {
        let (runs, again) = (Mutex::default(), OnceLock::new());
        Self { state: state.clone(), params: params.clone(), runs, again }
    }

    /// Returns true if one more cycle may follow.
    fn has_room(&self) -> bool {
        self.lock().len() < CYCLES_AGAIN_MOST
    }

    /// Returns the state after the last of those cycles, run on the processor.
    ///
    /// # Panics
    ///
    /// If another thread panicked in here.
    #[must_use]
    pub fn again(&self) -> &SimulationState {
        self.again.get_or_init(|| {
            // The caller may be one of the threads that run cycles, and have locked resources that
            // further threads wait for: so new threads run these.
            std::thread::scope(|scope| scope.spawn(|| self.run_again()).join())
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })
    }

    /// Runs the cycles on threads of their own.
    fn run_again(&self) -> Box<SimulationState> {
        let run = || {
            let (mut again, mut params) = (Box::new(self.state.clone()), self.params.clone());
            for RepeatableCycle { acts, end } in &*self.lock() {
                let mut edit = SimulationEdit { state: &mut again, params: &mut params };
                acts.iter().for_each(|act| (act.0)(&mut edit));
                cycle::run(&mut again, &params, *end);
            }
            again
        };
        let threads = rayon::current_num_threads();
        match rayon::ThreadPoolBuilder::new().num_threads(threads).build() {
            Ok(pool) => pool.install(run),
            // One thread is enough.
            Err(_) => run(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<RepeatableCycle>> {
        self.runs.lock().expect("nobody panics while it is locked")
    }
}

/// The card of a simulation, and the checkpoint from which the planes there can be computed.
#[derive(Debug)]
pub(super) struct CardSeat {
    card: Box<dyn Card>,
    checkpoint: Option<Arc<CardCheckpoint>>,
    /// True if nothing but cycles and acts changed the simulation since the checkpoint.
    is_current: bool,
    /// Acts since the last cycle, if the checkpoint is current.
    acts: Vec<RepeatableAct>,
    /// Bytes of all acts since the checkpoint.
    bytes: usize,
    /// Cycles for which the card is not tried, and their number after its last refusal.
    rest: u32,
    rest_last: u32,
}

/// Cycles between two attempts with a card that refuses, at most.
const REST_MOST: u32 = 64;

/// Cycles that a lost card makes the processor run again, at most.
const CYCLES_AGAIN_MOST: usize = 64;

/// Bytes of the acts in a checkpoint, at most.
const BYTES_OF_ACTS_MOST: usize = 64 << 20;

impl CardSeat {
    /// Returns a seat for a card.
    pub fn new(card: Box<dyn Card>) -> Self {
        let (checkpoint, acts) = (None, Vec::new());
        Self { card, checkpoint, is_current: false, acts, bytes: 0, rest: 0, rest_last: 0 }
    }

    /// Notes that something else than a cycle or an act changes the simulation.
    pub fn outdate(&mut self) {
        self.is_current = false;
        self.acts.clear();
        self.bytes = 0;
    }

    /// Returns true if the checkpoint has room for an act of this size.
    pub fn has_room(&self, bytes: usize) -> bool {
        self.checkpoint.is_some() && self.is_current && self.bytes + bytes <= BYTES_OF_ACTS_MOST
    }

    /// Notes an act for which the checkpoint has room; its data have this size in bytes.
    pub fn note(
        &mut self,
        bytes: usize,
        run: impl Fn(&mut SimulationEdit<'_>) + Send + Sync + 'static,
    ) {
        self.bytes += bytes + size_of::<RepeatableAct>() + size_of_val(&run);
        self.acts.push(RepeatableAct(Box::new(run)));
    }

    /// Fetches planes from the card into memory, all at once.
    pub fn bring_ahead(&self, leaves: &LeafTable, needed: &Needed) {
        self.card.bring_ahead(leaves, needed);
    }

    /// Returns the checkpoint of the next cycle: the last one, or a new one; `None` if the card is
    /// not tried.
    pub fn checkpoint(
        &mut self,
        state: &SimulationState,
        params: &Params,
    ) -> Option<Arc<CardCheckpoint>> {
        let has_sections = !state.sections.all().is_empty();
        if self.rest > 0 || !self.card.can(state, params) || has_sections {
            self.rest = self.rest.saturating_sub(1);
            // It is no longer needed, and it has planes that change from now on.
            self.checkpoint = None;
            self.outdate();
            return None;
        }
        let last = self.checkpoint.as_ref().filter(|last| self.is_current && last.has_room());
        if let Some(last) = last {
            return Some(Arc::clone(last));
        }
        self.outdate();
        Some(Arc::new(CardCheckpoint::of(state, params)))
    }

    /// Notes a cycle without phases: leaves may have fallen asleep in it.
    pub fn pass(&mut self, state: &SimulationState, (start, end): (Arc<CardCheckpoint>, CycleEnd)) {
        let acts = std::mem::take(&mut self.acts);
        // Shared copies are older than this cycle.
        self.is_current = self.card.keep(state);
        if self.is_current {
            start.lock().push(RepeatableCycle { acts, end });
            self.checkpoint = Some(start);
        }
    }

    /// Tries to run the phases of a cycle on the card.
    pub fn step(
        &mut self,
        (state, params): (&mut SimulationState, &Params),
        phases: &mut Phases,
        (start, end): (Arc<CardCheckpoint>, CycleEnd),
    ) {
        let acts = std::mem::take(&mut self.acts);
        // If the card leaves the cycle to the processor, the checkpoint lacks it, and the next
        // cycle makes a new one.
        self.is_current = false;
        let cycle = CardCycle { state, params, phases, checkpoint: &start };
        if let CardOutcome::Done { cell_steps } = self.card.step(cycle) {
            phases.pass(cell_steps);
            start.lock().push(RepeatableCycle { acts, end });
            (self.checkpoint, self.is_current) = (Some(start), true);
            self.rest_last = 0;
        } else {
            // Each attempt copies the world.
            self.rest_last = (2 * self.rest_last + 1).min(REST_MOST);
            self.rest = self.rest_last;
        }
    }
}

/// Returns the name of something that moves water outside the planes of leaves; `None` if nothing
/// does.
#[must_use]
pub fn beside_planes(state: &SimulationState) -> Option<&'static str> {
    let SimulationState { links, solids, stacks, barriers, .. } = state;
    // Their cells are only found when the next cycle begins.
    let is_open = solids.is_stale && !solids.solids.is_empty();
    let has_bodies = is_open || !solids.region.cells.is_empty();
    [
        (!links.all().is_empty(), "links"),
        (!barriers.all().is_empty(), "barriers"),
        (has_bodies, "bodies"),
        (!stacks.is_empty(), "intervals"),
    ]
    .into_iter()
    .find_map(|(is_there, name)| is_there.then_some(name))
}
