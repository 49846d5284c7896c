//! `viewer`: see the library of the same name.

use std::process::ExitCode;

/// Exit code for anything the user has to mend.
const EXIT_REFUSED: u8 = 2;

fn main() -> ExitCode {
    match viewer::run::run(std::env::args_os().collect()) {
        Ok(()) if viewer::interrupt::is_asked() => ExitCode::from(viewer::interrupt::EXIT_CODE),
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            kit::terminal::complain("viewer", &error);
            ExitCode::from(EXIT_REFUSED)
        }
    }
}
