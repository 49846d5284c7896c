//! Commands of the program: a run, or a comparison.

use std::ffi::OsString;

use kit::command::Ending;
use kit::error::UserError;

use crate::{compare, run};

/// Runs the command `words`, the first of which is the program's name.
///
/// # Errors
///
/// Returns the errors of [`run::run`] and [`compare::run`].
pub fn run(words: Vec<OsString>) -> Result<Ending, UserError> {
    let is_comparison = words.get(1).is_some_and(|word| word == compare::WORD);
    if is_comparison { compare::run(words) } else { run::run(words) }
}
