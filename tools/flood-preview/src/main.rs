//! `flood-preview`: see the library of the same name.

use std::process::ExitCode;

fn main() -> ExitCode {
    kit::command::main("flood-preview", flood_preview::command::run)
}
