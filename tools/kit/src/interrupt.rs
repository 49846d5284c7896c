//! Ctrl-C and SIGTERM.
//!
//! | the program | the first | the second |
//! | --- | --- | --- |
//! | calls [`listen`] | is noted: what runs looks at [`is_asked`] and comes to its end | ends it |
//! | makes an output ([`crate::output::under_way`]) and listens for nothing | ends it | |
//! | has called [`ignore`] | is answered: the results are being written | the same |
//! | writes on the way ([`hold`]) | is answered, and noted when they are written | the same |
//!
//! Guarantees: if the program ends at once, files that are being made are removed, and so is a
//!             folder of results that it made and that is empty.
//! Limits:     if the system allows no handler, Ctrl-C ends the program as usual.

use std::process;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, Once, PoisonError};

use crate::command::EXIT_INTERRUPTED;
use crate::error::UserError;
use crate::output::under_way;
use crate::terminal::complain;

static IS_ASKED: AtomicBool = AtomicBool::new(false);
static IS_DELIVERING: AtomicBool = AtomicBool::new(false);
/// Ctrl-C was pressed while results were being written.
static WAS_ASKED: AtomicBool = AtomicBool::new(false);
static LISTENING: Once = Once::new();

/// Answer to the first Ctrl-C; `None` if it ends the program.
static NOTED: Mutex<Option<Noted>> = Mutex::new(None);

#[derive(Debug, Clone, Copy)]
struct Noted {
    /// Printed then.
    words: Option<&'static str>,
}

/// Notes the first Ctrl-C from now on and prints `words`; the second ends the program. One that was
/// pressed while results were being written counts.
pub fn listen(words: Option<&'static str>) {
    IS_DELIVERING.store(false, Ordering::Relaxed);
    *NOTED.lock().unwrap_or_else(PoisonError::into_inner) = Some(Noted { words });
    LISTENING.call_once(|| {
        if let Err(error) = ctrlc::set_handler(answer) {
            complain(format!("Ctrl-C will end the program at once: {error}"));
        }
    });
}

/// From now on, if Ctrl-C ends the program, outputs under way are removed.
pub(crate) fn listen_to_take_back() {
    LISTENING.call_once(|| {
        let _ = ctrlc::set_handler(answer);
    });
}

fn answer() {
    let noted = *NOTED.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(Noted { words }) = noted else { end() };
    if IS_DELIVERING.load(Ordering::Relaxed) {
        WAS_ASKED.store(true, Ordering::Relaxed);
        complain("the results are being written; this takes a moment");
    } else if IS_ASKED.swap(true, Ordering::Relaxed) || WAS_ASKED.load(Ordering::Relaxed) {
        end();
    } else if let Some(words) = words {
        complain(words);
    }
}

fn end() -> ! {
    // No output begins until the program has ended.
    let _held = under_way::take_back();
    process::exit(EXIT_INTERRUPTED.into());
}

/// Defers Ctrl-C while results are written, until the program listens again and it counts: ending
/// halfway would leave incomplete files.
pub fn ignore() {
    IS_DELIVERING.store(true, Ordering::Relaxed);
}

/// Writes results during the run, to the end: Ctrl-C counts when they are written.
pub fn hold<T>(write: impl FnOnce() -> T) -> T {
    IS_DELIVERING.store(true, Ordering::Relaxed);
    let written = write();
    IS_DELIVERING.store(false, Ordering::Relaxed);
    written
}

/// Returns true once Ctrl-C was pressed.
#[must_use]
pub fn is_asked() -> bool {
    let was_asked = WAS_ASKED.load(Ordering::Relaxed) && !IS_DELIVERING.load(Ordering::Relaxed);
    IS_ASKED.load(Ordering::Relaxed) || was_asked
}

/// Ends reading or building once Ctrl-C was pressed.
///
/// # Errors
///
/// [`UserError::stopped`] if Ctrl-C was pressed.
pub fn check() -> Result<(), UserError> {
    if is_asked() { Err(UserError::stopped()) } else { Ok(()) }
}
