//! Ctrl-C and SIGTERM: the first stops the reading of files at the next row and the run at the next
//! cycle, the second ends the program; neither does anything while the results are written.

use std::process;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::error::UserError;
use crate::terminal::complain;

/// Exit code of a run that was stopped from outside: 128 + SIGINT.
pub const EXIT_CODE: u8 = 130;

static IS_ASKED: AtomicBool = AtomicBool::new(false);
static IS_DELIVERING: AtomicBool = AtomicBool::new(false);

/// Starts to listen for Ctrl-C and SIGTERM.
///
/// Where that is not possible, Ctrl-C ends the program at once.
pub fn listen() {
    let heard = ctrlc::set_handler(|| {
        if IS_DELIVERING.load(Ordering::Relaxed) {
            complain("flood-preview", "the results are being written; this takes a moment");
            return;
        }
        if IS_ASKED.swap(true, Ordering::Relaxed) {
            process::exit(EXIT_CODE.into());
        }
        complain("flood-preview", "stopping; Ctrl-C again ends at once");
    });
    if let Err(error) = heard {
        tracing::warn!("Ctrl-C will end the program without writing what there is: {error}");
    }
}

/// From now on the results are written: ending halfway would leave incomplete files.
pub fn ignore() {
    IS_DELIVERING.store(true, Ordering::Relaxed);
}

/// True once Ctrl-C was pressed.
#[must_use]
pub fn is_asked() -> bool {
    IS_ASKED.load(Ordering::Relaxed)
}

/// Ends what reads or builds once Ctrl-C was pressed.
///
/// # Errors
///
/// [`UserError::stopped`] if it was.
pub fn check() -> Result<(), UserError> {
    if is_asked() { Err(UserError::stopped()) } else { Ok(()) }
}
