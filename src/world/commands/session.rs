//! A world that is changed by commands alone.

use crate::world::actions::WAYS_BACK_BYTES;
use crate::world::commands::{Command, CommandError, WIRE_VERSION};
use crate::world::{Action, Budget, BudgetError, Done, Progress, Undo, World};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use std::collections::BTreeMap;
use thalweg_engine::forest::criteria::{
    Criterion, CriterionError, Observer, ObserverOptions, Scale,
};
use thalweg_engine::sim::CycleReport;
use thalweg_engine::sim::schedule::FixedStep;

/// Maximum number of ways back that are kept.
const WAYS_BACK_MOST: usize = 4096;

/// Maximum number of observers of a world: each plan evaluates all of them for every leaf.
const OBSERVERS_MOST: usize = 1024;

/// Maximum number of cycles of one command: more would block all players.
const CYCLES_MOST: u32 = 10_000;

/// A world that is changed by commands.
#[derive(Debug)]
pub struct Session {
    world: World,
    /// Number of the next command.
    next: u64,
    /// Ways back, by the number of the command.
    ways_back: BTreeMap<u64, Undo>,
    /// Number of the last mark; 0 at the beginning.
    marked: u64,
    observers: Vec<ObserverOptions>,
}

/// A command that was done.
#[derive(Debug)]
pub struct Applied {
    /// Number of the command.
    pub id: u64,
    /// Result of the command.
    pub outcome: Outcome,
}

/// Result of a command.
#[derive(Debug)]
#[non_exhaustive]
pub enum Outcome {
    /// An action or an undo was carried out.
    Acted(Done<()>),
    /// Cycles were run: the report of the last one, if any.
    Ran(Option<CycleReport>),
    /// A setting was changed.
    Set,
}

/// The state that a peer needs, in addition to a save of a world, to continue from a
/// [`Command::Mark`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Checkpoint {
    /// [`WIRE_VERSION`]; texts of version 1 contain none.
    #[serde(default = "current", deserialize_with = "version")]
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 2)))]
    version: u32,
    /// Number of the mark.
    #[serde(deserialize_with = "number")]
    id: u64,
    /// Observers since the last [`Command::Observe`], at most as many as it accepts.
    #[serde(deserialize_with = "few")]
    observers: Vec<ObserverOptions>,
    /// Bytes that all ways back may take: they decide which commands can be undone.
    #[serde(default = "usual_ways_back_bytes")]
    ways_back_bytes: u64,
}

/// Returns the bytes that all ways back of a world may take, unless a host sets a different limit.
fn usual_ways_back_bytes() -> u64 {
    WAYS_BACK_BYTES as u64
}

/// Reads no more observers than a world may have.
fn few<'a, D: Deserializer<'a>>(from: D) -> Result<Vec<ObserverOptions>, D::Error> {
    let observers = Vec::deserialize(from)?;
    let asked = observers.len();
    let many = || {
        D::Error::custom(format!(
            "the checkpoint names {asked} observers, and a world has {OBSERVERS_MOST} at most: \
             take the checkpoint of another mark"
        ))
    };
    (asked <= OBSERVERS_MOST).then_some(observers).ok_or_else(many)
}

/// Returns the version that this program writes.
fn current() -> u32 {
    WIRE_VERSION
}

/// Reads a version up to [`WIRE_VERSION`], which the checkpoint has from now on.
fn version<'a, D: Deserializer<'a>>(from: D) -> Result<u32, D::Error> {
    let version = u32::deserialize(from)?;
    let unknown = || {
        D::Error::custom(format!(
            "the checkpoint has version {version}, and this program reads 1 to {WIRE_VERSION}: \
             use a program as new as the one that wrote it"
        ))
    };
    (1..=WIRE_VERSION).contains(&version).then_some(WIRE_VERSION).ok_or_else(unknown)
}

/// Reads the number of a command: below 2⁵³. With a number near the largest `u64`, the numbers of
/// the commands that follow would overflow.
fn number<'a, D: Deserializer<'a>>(from: D) -> Result<u64, D::Error> {
    let id = u64::deserialize(from)?;
    let none = || D::Error::custom(format!("no session has {id} commands"));
    (id < 1 << 53).then_some(id).ok_or_else(none)
}

impl Checkpoint {
    /// Returns the number of the mark: commands of higher numbers follow.
    #[must_use]
    pub fn id(&self) -> u64 {
        self.id
    }

    /// Returns the observers as criteria to load the world with.
    ///
    /// # Errors
    ///
    /// [`CriterionError`] if an observer does not fit the world.
    pub fn criteria(&self, world: &Scale) -> Result<Vec<Box<dyn Criterion>>, CriterionError> {
        criteria(&self.observers, world)
    }
}

fn criteria(
    observers: &[ObserverOptions],
    world: &Scale,
) -> Result<Vec<Box<dyn Criterion>>, CriterionError> {
    let of = |options| -> Result<Box<dyn Criterion>, CriterionError> {
        Ok(Box::new(Observer::try_new(options, world)?))
    };
    observers.iter().map(of).collect()
}

impl Session {
    /// Creates a session of a world in its present state: its first command is number 1. If leaves
    /// change, make that command [`Command::Observe`]: a checkpoint contains observers from
    /// commands alone.
    #[must_use]
    pub fn new(world: World) -> Self {
        let (ways_back, observers) = (BTreeMap::new(), Vec::new());
        Self { world, next: 1, ways_back, marked: 0, observers }
    }

    /// Continues from a mark, with the world that was saved there. Its ways back may take as many
    /// bytes as those of the host.
    #[must_use]
    pub fn resume(mut world: World, checkpoint: Checkpoint) -> Self {
        let Checkpoint { id, observers, ways_back_bytes, .. } = checkpoint;
        let most_bytes = usize::try_from(ways_back_bytes).unwrap_or(usize::MAX);
        world.edits().set_ways_back_bytes(most_bytes);
        Self { world, next: id + 1, ways_back: BTreeMap::new(), marked: id, observers }
    }

    /// Returns the world.
    #[must_use]
    pub fn world(&self) -> &World {
        &self.world
    }

    /// Returns the world, for changes that no command makes: peers make the same ones at the same
    /// place.
    pub fn world_mut(&mut self) -> &mut World {
        &mut self.world
    }

    /// Returns the world and ends the session.
    #[must_use]
    pub fn into_world(self) -> World {
        self.world
    }

    /// Returns the number of the next command.
    #[must_use]
    pub fn next_id(&self) -> u64 {
        self.next
    }

    /// Returns the state that a peer needs in addition to a save of the present world: right after
    /// a [`Command::Mark`], and `None` at any other time.
    #[must_use]
    pub fn checkpoint(&self) -> Option<Checkpoint> {
        let is_marked = self.marked + 1 == self.next && self.marked > 0;
        is_marked.then(|| Checkpoint {
            version: WIRE_VERSION,
            id: self.marked,
            observers: self.observers.clone(),
            ways_back_bytes: self.world.ways_back.most_bytes() as u64,
        })
    }

    /// Carries out a command; a cycle under way ends first.
    ///
    /// # Errors
    ///
    /// [`CommandError`] names the reason if it is refused. The world is unchanged then, and the
    /// next command has the number that this one would have had.
    ///
    /// # Panics
    ///
    /// The panics of [`World::run_cycle`].
    pub fn apply(&mut self, command: Command) -> Result<Applied, CommandError> {
        self.world.finish_cycle();
        let outcome = match command {
            Command::Act(actions) => Outcome::Acted(self.act(actions)?),
            Command::Undo { id } => Outcome::Acted(self.undo(id)?),
            Command::Run { step, cycles } => {
                if cycles > CYCLES_MOST {
                    return Err(CommandError::Cycles { asked: cycles, most: CYCLES_MOST });
                }
                Outcome::Ran(self.world.run_cycles(step, cycles))
            }
            Command::Observe(observers) => {
                self.observe(observers)?;
                Outcome::Set
            }
            Command::Solve { solver, order } => {
                self.world.set_solver(solver, order);
                Outcome::Set
            }
            Command::SetBudget { cells } => {
                self.world.budget_cells().ok_or(CommandError::OneLevel)?;
                self.world.set_budget(cells).map_err(CommandError::Budget)?;
                Outcome::Set
            }
            Command::Mark => {
                self.mark();
                Outcome::Set
            }
        };
        let id = self.next;
        self.next += 1;
        Ok(Applied { id, outcome })
    }

    /// Continues the cycle under way, or begins one, within the budget ([`World::run_within`]). A
    /// cycle that begins is a command [`Command::Run`] of one cycle. Returns its number, if it
    /// began now, and the progress of the cycle.
    ///
    /// # Errors
    ///
    /// [`BudgetError`] if the budget permits no step of any leaf. Nothing was done then.
    ///
    /// # Panics
    ///
    /// The panics of [`World::run_cycle`].
    pub fn run_within(
        &mut self,
        step: FixedStep,
        budget: Budget<'_>,
    ) -> Result<(Option<u64>, Progress), BudgetError> {
        // This is asked before the run, because the run may end the cycle that it begins.
        let begins = !self.world.is_paused();
        let progress = self.world.run_within(step, budget)?;
        let begun = begins.then_some(self.next);
        self.next += u64::from(begins);
        Ok((begun, progress))
    }

    fn act(&mut self, actions: Vec<Action>) -> Result<Done<()>, CommandError> {
        let done = match <[Action; 1]>::try_from(actions) {
            // Errors of one action need no number.
            Ok([action]) => self.world.edits().act(action)?,
            Err(actions) => self.world.edits().act_all(actions)?,
        };
        Ok(self.keep(done))
    }

    fn undo(&mut self, id: u64) -> Result<Done<()>, CommandError> {
        let Some(way_back) = self.ways_back.get(&id) else {
            let ends = self.ways_back.first_key_value().zip(self.ways_back.last_key_value());
            let kept = ends.map(|((oldest, _), (newest, _))| (*oldest, *newest));
            return Err(CommandError::NoWayBack { id, kept });
        };
        let done = self.world.edits().undo(way_back.clone())?;
        // The way back stays until the undo is done, so a refused undo can be tried again.
        self.ways_back.remove(&id);
        Ok(self.keep(done))
    }

    /// Keeps the way back of the command under way.
    fn keep(&mut self, done: Done) -> Done<()> {
        let Done { undo, moved_m3, unmet_m3, cells, held } = done;
        self.ways_back.insert(self.next, undo);
        if self.ways_back.len() > WAYS_BACK_MOST {
            self.ways_back.pop_first();
        }
        Done { undo: (), moved_m3, unmet_m3, cells, held }
    }

    fn observe(&mut self, observers: Vec<ObserverOptions>) -> Result<(), CommandError> {
        if observers.len() > OBSERVERS_MOST {
            let (asked, most) = (observers.len(), OBSERVERS_MOST);
            return Err(CommandError::Observers { asked, most });
        }
        let extent = self.world.extent();
        let new = criteria(&observers, &extent).map_err(CommandError::Observer)?;
        *self.world.criteria_mut().ok_or(CommandError::OneLevel)? = new;
        self.observers = observers;
        Ok(())
    }

    /// Marks a place from which a peer may continue, and removes all ways back, which it lacks.
    fn mark(&mut self) {
        // A peer that joins here has no snapshots of earlier steps. If an undo were exact in one
        // world and not in the other, their hashes would differ.
        self.world.undo_log.forget();
        self.ways_back.clear();
        self.marked = self.next;
    }
}
