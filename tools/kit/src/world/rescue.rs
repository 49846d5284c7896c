//! A world whose file has lost its name is saved in another one.
//!
//! Guarantees: the state that was reached stands in a file that is named, as long as one can be
//!             made anywhere (`tests/names.rs`).

use std::path::{Path, PathBuf};

use crate::error::UserError;
use thalweg::file::Claim;
use thalweg::world::{FileError, SaveFile, StoreError, World};

use crate::world::water::refused;

/// A world in another file than its own.
#[derive(Debug)]
pub struct Rescued {
    /// The file.
    pub file: SaveFile,
    /// Where it stands.
    pub path: PathBuf,
}

/// Whether an error says that a file has lost its name.
#[must_use]
pub fn is_lost(error: &FileError) -> bool {
    matches!(error, FileError::Store(StoreError::Lost { .. }))
}

/// Saves a world beside the file that has lost its name; where that folder is gone, in the working
/// folder; where that cannot be written, in the one for temporary files.
///
/// # Errors
///
/// The error that the save had, where there is no room anywhere.
pub fn rescue(
    file: &SaveFile,
    (own, world): (&Path, &World),
    lost: &FileError,
) -> Result<Rescued, UserError> {
    let name = Path::new(own.file_name().unwrap_or_default());
    let places =
        [Some(own.to_owned()), Some(name.to_owned()), Some(std::env::temp_dir().join(name))];
    for place in places.into_iter().flatten() {
        let Ok(claim) = Claim::to_make_beside(&place) else { continue };
        if let Ok(file) = file.save_as(claim.path(), world) {
            return Ok(Rescued { file, path: claim.path().to_owned() });
        }
    }
    Err(refused(own, lost))
}

/// Says in one line that a file has lost its name, and where its world is now.
#[must_use]
pub fn moved(own: &Path, to: &Path) -> UserError {
    UserError::new(
        format!(
            "{} was deleted, moved or replaced while it was written: its world is saved in {}",
            own.display(),
            to.display()
        ),
        "give that file the name that you want",
    )
}
