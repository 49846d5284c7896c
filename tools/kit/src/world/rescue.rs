//! Rescue of a world whose file has lost its name: it is saved in a different file.
//!
//! Guarantees: the state that was reached is in a file with a name, as long as one can be made
//!             anywhere (`tools/thalweg/tests/all/names.rs`).

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
    /// Path of the file.
    pub path: PathBuf,
}

/// Returns whether an error means that a file has lost its name.
#[must_use]
pub fn is_lost(error: &FileError) -> bool {
    matches!(error, FileError::Store(StoreError::Lost { .. }))
}

/// Saves a world beside the file that has lost its name; if that folder is gone, in the working
/// folder; if that cannot be written, in the folder for temporary files.
///
/// # Errors
///
/// The error that the save had, if no folder has room.
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

/// Makes the one-line error for a file that has lost its name, with the new path of its world.
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
