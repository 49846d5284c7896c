//! `viewer`: see the library of the same name.

use std::process::ExitCode;

fn main() -> ExitCode {
    kit::command::main("viewer", viewer::run::run)
}
