//! Commands: every change to a world as numbered data, which can be sent, kept and repeated.
//!
//! ```text
//! Command ──apply──► Session ──► the world, and the number of the command
//!    │                  │
//!    └──► CommandLog    └──► Checkpoint, beside a save ──► a peer that comes later
//! ```
//!
//! A player adds water, a second one undoes that by its number, and a log of all commands leads to
//! the same hash:
//!
//! ```
//! use thalweg::prelude::*;
//! use thalweg::world::{Amount, Command, CommandLog, Session};
//! let plain = Terrain::from_heights([100, 100], 2.0, |x, _| 0.01 * x as f64)?;
//! let build = || WorldBuilder::new(plain.clone()).build();
//! let (mut session, mut log) = (Session::new(build()?), CommandLog::new());
//!
//! let area = Shape::Disc { centre_m: [100.0, 100.0], radius_m: 20.0, rim_m: 0.0 };
//! let pour = Command::Act(vec![Action::AddWater { area, amount: Amount::DepthM(0.5) }]);
//! let run = Command::Run { step: FixedStep::try_new(1, 30)?, cycles: 60 };
//! let poured = log.apply(&mut session, pour)?.id;
//! for command in [run.clone(), Command::Undo { id: poured }, run] {
//!     log.apply(&mut session, command)?;
//! }
//!
//! let mut file = Vec::new();
//! log.write(&mut file)?;
//! let mut peer = Session::new(build()?);
//! CommandLog::read(&*file)?.replay(&mut peer)?;
//! assert_eq!(peer.world().state_hash(), session.world().state_hash());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! **Peers** apply the same commands in the same order, and compare hashes at any time. A command
//! that is refused has changed nothing, takes no number, and is refused by all peers.
//!
//! **A peer that joins later** loads a save and continues from it. For this, one of the players
//! sends [`Command::Mark`] from time to time, and keeps a save and the [`Checkpoint`] of the last
//! mark ([`Session::checkpoint`]). The peer loads them ([`Session::resume`]) and applies the
//! commands since then. A mark removes all earlier ways back, so that the peer can follow every
//! [`Command::Undo`] that its peers can: players undo only commands since the last mark.
//!
//! Guarantees: the same commands lead to the same hash, on every machine, for any number of
//!             threads, from the beginning or from a checkpoint (`tests/couple/commands.rs`).
//! Limits:     ways back are kept for the last 4,096 commands at most, and only as long as they
//!             take 256 MiB together at most. A checkpoint carries a different limit of bytes
//!             (`Edits::set_ways_back_bytes`) to peers that join later; peers from the beginning
//!             set the same limit before their first command. Bodies belong to the game: it adds
//!             them itself, in the same way in all worlds ([`Session::world_mut`]), as it does with
//!             every change for which no command exists.

mod error;
mod log;
mod session;

pub use error::{CommandError, LogError};
pub use log::{CommandLog, Entry};
pub use session::{Applied, Checkpoint, Outcome, Session};

use crate::world::Action;
use serde::{Deserialize, Serialize};
use thalweg_engine::forest::criteria::ObserverOptions;
use thalweg_engine::sim::schedule::FixedStep;
use thalweg_engine::sim::{Order, Solver};

/// Version of the text of commands, watches, events and checkpoints.
///
/// Keys are in snake case, and those of places, heights and times end in their unit; words that are
/// values are in kebab case. In version 1 the keys of barriers, watches and events, and the names
/// of actions, were in kebab case too, and some lacked their unit: texts of version 1 are still
/// read.
pub const WIRE_VERSION: u32 = 2;

/// A change to a world.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[non_exhaustive]
pub enum Command {
    /// Actions of a player, all of them or none.
    Act(Vec<Action>),
    /// Undoes a command: its actions, or its undo.
    Undo {
        /// Number of the command to undo.
        id: u64,
    },
    /// Runs cycles of a fixed length.
    Run {
        /// Length of each cycle.
        step: FixedStep,
        /// Number of cycles.
        cycles: u32,
    },
    /// Replaces all criteria of the game with observers.
    Observe(Vec<ObserverOptions>),
    /// Continues with a different solver.
    Solve {
        /// Equations.
        solver: Solver,
        /// Order of shallow water.
        order: Order,
    },
    /// Changes the maximum number of cells that all leaves together may have.
    #[serde(alias = "set-budget")]
    SetBudget {
        /// Maximum number of cells.
        cells: u64,
    },
    /// Marks a place from which a peer can continue; as the page on commands describes.
    Mark,
}
