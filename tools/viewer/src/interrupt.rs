//! Ctrl-C and SIGTERM close the window as a person would, so that nothing is left behind.

use std::process;
use std::sync::atomic::{AtomicBool, Ordering};

use kit::terminal::complain;

/// Exit code of what was stopped from outside: 128 + SIGINT.
pub const EXIT_CODE: u8 = 130;

static IS_ASKED: AtomicBool = AtomicBool::new(false);

/// Starts to listen; the second time ends the program at once. Where that is not possible, the
/// first does.
pub fn listen() {
    let heard = ctrlc::set_handler(|| {
        if IS_ASKED.swap(true, Ordering::Relaxed) {
            process::exit(EXIT_CODE.into());
        }
    });
    if let Err(error) = heard {
        complain("viewer", format!("Ctrl-C will end the program at once: {error}"));
    }
}

/// True once somebody asked it to stop.
#[must_use]
pub fn is_asked() -> bool {
    IS_ASKED.load(Ordering::Relaxed)
}
