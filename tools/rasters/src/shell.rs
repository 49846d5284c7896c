//! Names in lines that can be pasted into a shell.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Returns a word as a shell takes it: in quotes if it has more than letters, digits and
/// `-_./,:=+@%`.
#[must_use]
pub fn quoted(word: &OsStr) -> String {
    let word = word.to_string_lossy();
    let is_plain = |c: char| c.is_alphanumeric() || "-_./,:=+@%".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.into_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// Returns the names of a program's input and output: `path`, and `path` with another ending. The
/// output is never `path` itself, even if the file system ignores case.
pub(crate) fn from_to(path: &Path, ending: &str) -> (String, String) {
    let own = path.extension().unwrap_or_default();
    let to: PathBuf = match own.eq_ignore_ascii_case(ending) {
        true => path.with_extension(format!("converted.{ending}")),
        false => path.with_extension(ending),
    };
    (quoted(path.as_os_str()), quoted(to.as_os_str()))
}
