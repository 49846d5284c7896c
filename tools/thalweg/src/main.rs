//! `thalweg`: see the library `thalweg_tool`.

use std::process::ExitCode;

fn main() -> ExitCode {
    kit::command::main("thalweg", thalweg_tool::run::run)
}
