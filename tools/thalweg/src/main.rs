//! `thalweg`: see the library `thalweg_tool`.

use std::process::ExitCode;

use kit::interrupt::EXIT_CODE;
use kit::terminal;
use thalweg_tool::run::{self, Ending};

/// Exit code of a world that is damaged, and of two that differ.
const EXIT_OTHERWISE: u8 = 1;
/// Exit code for anything else that the user has to mend.
const EXIT_REFUSED: u8 = 2;

fn main() -> ExitCode {
    match run::run(std::env::args_os()) {
        Ok(Ending::Done) => ExitCode::SUCCESS,
        Ok(Ending::Damaged | Ending::Different) => ExitCode::from(EXIT_OTHERWISE),
        Ok(Ending::Interrupted) => ExitCode::from(EXIT_CODE),
        Err(error) => {
            terminal::complain("thalweg", &error);
            ExitCode::from(EXIT_REFUSED)
        }
    }
}
