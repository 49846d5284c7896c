//! World on its own thread: commands in, states out.
//!
//! ```text
//! ViewerSession::send ──► commands ──► Runner: world, bodies, surface ──► one state ──► try_state
//! ```
//!
//! `pace` sets when the next state is due: ten times a second, at whole multiples of a tenth of the
//! speed. A slower machine takes longer for each; a state that takes too long is sent half-way, and
//! the world continues to the same moment.
//!
//! Guarantees: the world is at most one state ahead of the window. The result of
//!             [`ViewerCommand::Advance`] depends on the commands alone, not on the machine
//!             (`the_same_script_is_the_same_world` in `tests/session.rs`). Nothing is saved
//!             without a request. A panic of the world is reported as [`ViewerState::broken`].

mod canvas;
mod crates;
mod cut;
mod gauges;
mod history;
mod looks;
pub mod message;
mod pace;
mod report;
mod runner;
mod saving;
pub mod site;
mod sketch;
mod strokes;
mod view;

pub use message::{
    BodyShape, Figures, GaugeSeries, Inspected, LeafMark, LineKind, Looks, NamedPlace, PlaceKind,
    StructureLine, ViewerCommand, ViewerState, WetPatch, WindowLook, WindowPatch,
};
pub use site::ViewerSite;

use std::any::Any;
use std::panic::{self, AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel, sync_channel};
use std::sync::{Arc, Once};
use std::thread::{self, JoinHandle};

use kit::error::UserError;
use rayon::ThreadPoolBuilder;

use crate::opening::OpenedWorld;
use runner::Runner;

/// Prefix of the names of the world's threads.
const THREAD: &str = "world";

/// World that runs on a thread of its own, until this is dropped.
#[derive(Debug)]
pub struct ViewerSession {
    site: ViewerSite,
    commands: Option<Sender<ViewerCommand>>,
    states: Option<Receiver<ViewerState>>,
    sent: AtomicU64,
    is_over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl ViewerSession {
    /// Starts the thread; the first state arrives at once, and time does not pass yet.
    ///
    /// # Errors
    ///
    /// If the look's window is invalid, or no thread can be started.
    pub fn start(opened: OpenedWorld, look: WindowLook) -> Result<Self, UserError> {
        let site = opened.site();
        let (commands, orders) = channel();
        // One state waits; the world waits with the next until it is taken.
        let (report, states) = sync_channel(1);
        let is_over = Arc::new(AtomicBool::new(false));
        let runner = Runner::try_new(opened, look, Arc::clone(&is_over))?;
        let threads = ThreadPoolBuilder::new().thread_name(|number| format!("{THREAD} {number}"));
        let threads = threads.build().map_err(unstarted)?;
        hush();
        let (last, mut runner) = (report.clone(), runner);
        let work = move || {
            let run = || threads.install(move || runner.run(&orders, &report));
            let ran = catch_unwind(AssertUnwindSafe(run));
            if let Err(panic) = ran {
                let state = runner::broken(look, words(&*panic));
                let _ = last.send(state);
            }
        };
        let thread = thread::Builder::new().name(THREAD.to_owned()).spawn(work);
        let thread = thread.map_err(unstarted)?;
        Ok(Self {
            site,
            commands: Some(commands),
            states: Some(states),
            sent: AtomicU64::new(0),
            is_over,
            thread: Some(thread),
        })
    }

    /// Returns the facts about the world that do not change.
    #[must_use]
    pub fn site(&self) -> &ViewerSite {
        &self.site
    }

    /// Sends a command.
    pub fn send(&self, command: ViewerCommand) {
        if let Some(commands) = &self.commands {
            // A world that has ended answers nothing: its last state reported the end.
            let _ = commands.send(command);
        }
        self.sent.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns the number of sent commands: a state includes [`ViewerState::answered`] of them.
    #[must_use]
    pub fn sent(&self) -> u64 {
        self.sent.load(Ordering::Relaxed)
    }

    /// Returns the next state, if it is ready. All states have to be taken, in their order: the
    /// patches of each are the changes since the one before.
    #[must_use]
    pub fn try_state(&self) -> Option<ViewerState> {
        self.states.as_ref()?.try_recv().ok()
    }

    /// Waits for the next state; returns `None` if the world has ended. While time is stopped,
    /// states arrive only after commands.
    #[must_use]
    pub fn wait_state(&self) -> Option<ViewerState> {
        self.states.as_ref()?.recv().ok()
    }
}

impl Drop for ViewerSession {
    /// Ends the thread, after its present cycle.
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        self.commands = None;
        self.states = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn unstarted(error: impl std::fmt::Display) -> UserError {
    UserError::new(format!("cannot start a thread: {error}"), "close other programs")
}

/// Keeps the message of a panic on the world's threads for its last state, instead of printing it.
fn hush() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |what| {
            let is_own = thread::current().name().is_some_and(|name| name.starts_with(THREAD));
            if !is_own {
                before(what);
            }
        }));
    });
}

/// Returns the message of a panic.
fn words(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
    let text = text.unwrap_or_else(|| "it did not say why".to_owned());
    format!("the world ended by a fault of this program ({text}): report it; what was saved stands")
}
