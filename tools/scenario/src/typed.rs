//! Name of a file as a user types it, with additions after `#` that are not part of the file's own
//! name.
//!
//! Guarantees: a file whose own name contains `#` is found first.

use std::path::Path;

/// Returns the file of a name as it was typed, without the additions after `#`.
pub(crate) fn file_of(typed: &str) -> &str {
    match split(typed) {
        Some((file, _)) if !Path::new(typed).exists() => file,
        _ => typed,
    }
}

/// Splits at the first `#` that has an existing file before it, else at the first.
pub(crate) fn split(typed: &str) -> Option<(&str, &str)> {
    let mut places = typed.match_indices('#').map(|(at, _)| at);
    let first = places.clone().next()?;
    let at = places.find(|&at| Path::new(&typed[..at]).is_file()).unwrap_or(first);
    Some((&typed[..at], &typed[at + 1..]))
}
