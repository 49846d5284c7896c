//! `flood-preview`: see the library of the same name.

use std::process::ExitCode;

use flood_preview::run::{self, Ending};
use kit::{interrupt, terminal};

/// Exit code for anything the user has to mend.
const EXIT_REFUSED: u8 = 2;

fn main() -> ExitCode {
    match run::run(std::env::args_os().collect()) {
        Ok(Ending::Done) => ExitCode::SUCCESS,
        Ok(Ending::Interrupted) => ExitCode::from(interrupt::EXIT_CODE),
        Err(error) if error.is_stop() => {
            terminal::complain("flood-preview", &error);
            ExitCode::from(interrupt::EXIT_CODE)
        }
        Err(error) => {
            terminal::complain("flood-preview", &error);
            ExitCode::from(EXIT_REFUSED)
        }
    }
}
