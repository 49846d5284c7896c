//! Reading of files, up to the largest size that is allowed.

use std::fmt::Display;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use kit::error::UserError;

/// Bytes of the largest file that is read.
const BYTES_MOST: u64 = 256 << 20;

/// Most characters of a file that an error repeats.
const EXCERPT: usize = 40;

/// Reads a file.
///
/// # Errors
///
/// If it cannot be read, is empty, or is too large.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, UserError> {
    let failed = |error: std::io::Error| {
        let what = format!("cannot read the shape {}", path.display());
        UserError::new(what, format!("{error}; check the name"))
    };
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(failed)?;
    file.take(BYTES_MOST + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.is_empty() {
        return Err(wrong(path, "holds nothing", "export the shape again"));
    }
    if bytes.len() as u64 > BYTES_MOST {
        let what = format!("has more than {} MiB", BYTES_MOST >> 20);
        return Err(wrong(path, what, "make the shape coarser, or cut it into several files"));
    }
    Ok(bytes)
}

/// Returns the error on a fault of a file, with its remedy.
pub(crate) fn wrong(path: &Path, what: impl Display, mend: impl Display) -> UserError {
    UserError::new(format!("{} {what}", path.display()), mend)
}

/// Returns the beginning of a text of a file, in one line, for an error.
pub(crate) fn excerpt(text: &str) -> String {
    let mut characters = text.chars().map(|one| if one.is_control() { ' ' } else { one });
    let mut begin: String = characters.by_ref().take(EXCERPT).collect();
    if characters.next().is_some() {
        begin.push('…');
    }
    begin
}

/// Returns the ending of a file's name, in small letters.
pub(crate) fn ending(path: &Path) -> String {
    path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase()
}
