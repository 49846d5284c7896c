//! Commands: all that is done to a world, as data with numbers, so that it can be sent, kept and
//! done again.
//!
//! ```text
//! Command ──apply──► Session ──► the world, and the number of the command
//!    │                  │
//!    └──► CommandLog    └──► Checkpoint, beside a save ──► a peer that comes later
//! ```
//!
//! A player pours, another takes it back by its number, and a log of all that leads to the same
//! hash:
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
//! **Peers** apply the same commands in the same order, and compare hashes when they like. A
//! command that is refused has changed nothing, takes no number, and is refused by all.
//!
//! **A peer that comes later** loads a save and goes on from it. For that, some player sends
//! [`Command::Mark`] from time to time, and keeps a save and the [`Checkpoint`] of the last mark
//! ([`Session::checkpoint`]). The peer loads them ([`Session::resume`]) and applies what came
//! since. A mark forgets all ways back from before it, so that the peer can follow every
//! [`Command::Undo`] that the others can: players take back what they did since the last mark.
//!
//! Guarantees: the same commands lead to the same hash, on every machine, for any number of
//!             threads, from the beginning or from a checkpoint (`tests/couple/commands.rs`).
//! Limits:     a way back is kept for the last 4,096 commands at most, and for those whose ways
//!             back take 256 MiB together. A checkpoint carries another limit of bytes
//!             (`Edits::set_ways_back_bytes`) to peers that come later; peers from the beginning
//!             set the same one before their first command. Bodies are the game's: it puts them
//!             itself, in all worlds alike ([`Session::world_mut`]), as it does with whatever no
//!             command does.

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

/// Something that is done to a world.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[non_exhaustive]
pub enum Command {
    /// Actions of a player, all of them or none.
    Act(Vec<Action>),
    /// Takes back a command: its actions, or what it took back.
    Undo {
        /// Number of that command.
        id: u64,
    },
    /// Runs cycles of a fixed length.
    Run {
        /// Length of each.
        step: FixedStep,
        /// How many.
        cycles: u32,
    },
    /// Puts observers in the place of all criteria of the game.
    Observe(Vec<ObserverOptions>),
    /// Goes on with another solver.
    Solve {
        /// Equations.
        solver: Solver,
        /// Order of shallow water.
        order: Order,
    },
    /// Changes the most cells that all leaves together may have.
    SetBudget {
        /// Cells.
        cells: u64,
    },
    /// A place from which a peer can go on; see the [page](crate::world::commands).
    Mark,
}
