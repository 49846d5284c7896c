//! A claim to a name for a new file, which is written under another name and then replaces the file
//! that has the name now.
//!
//! ```text
//! claim ── what stands there is locked ── a file is made beside it ── give: renamed ── unlocked
//! ```
//!
//! Guarantees: a world that is about to be replaced is not written, and a world that is being
//!             written is not replaced; the file behind a symbolic link is replaced, not the link
//!             (`tests/store/names.rs`).
//! Limits:     on Windows the lock is released just before the file is renamed, since the system
//!             does not rename a file over an open one. Tools without locks may take any name.

use crate::store::backend::file::{self, OpenFile};
use crate::store::disk::Disk;
use crate::store::{Store, StoreError};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{fs, io};

/// Longest chain of symbolic links that is followed.
// As in Linux (path_resolution(7)).
const LINKS_MOST: usize = 40;

/// A claim to a name for a file that is written elsewhere first. The file that has the name now is
/// locked until then, as if it were being written.
#[derive(Debug)]
pub struct Claim {
    path: PathBuf,
    held: ClaimedFile,
    /// True if a file that takes the name before [`Claim::give`] may be replaced as well.
    replaces: bool,
}

/// File under a name.
#[derive(Debug)]
enum ClaimedFile {
    Nothing,
    File(OpenFile),
    /// A world that is open for writing, and locked for that.
    World(Arc<Disk>),
}

impl Claim {
    /// Claims an unused name.
    ///
    /// # Errors
    ///
    /// [`StoreError::Io`], of the kind `AlreadyExists` if the path exists.
    pub fn to_make(path: &Path) -> Result<Self, StoreError> {
        let path = real(path).map_err(failed)?;
        match path.symlink_metadata() {
            Ok(_) => Err(failed(io::ErrorKind::AlreadyExists.into())),
            Err(error) if file::is_nothing(&error) => {
                Ok(Self { path, held: ClaimedFile::Nothing, replaces: false })
            }
            Err(error) => Err(failed(error)),
        }
    }

    /// Claims an unused name beside a file: `river-saved-1.thalweg` beside `river.thalweg`.
    ///
    /// # Errors
    ///
    /// The errors of [`Claim::to_make`].
    pub fn to_make_beside(path: &Path) -> Result<Self, StoreError> {
        Self::to_make(&file::name_beside(path))
    }

    /// Claims a name, whose file, if any, will be replaced.
    ///
    /// # Errors
    ///
    /// [`StoreError::InUse`] if another process writes that file; [`StoreError::ManyNames`];
    /// [`StoreError::Io`], of the kind `InvalidInput` if the path leads to something that is not a
    /// file.
    pub fn to_replace(path: &Path) -> Result<Self, StoreError> {
        let path = real(path).map_err(failed)?;
        let held = hold(&path)?;
        Ok(Self { path, held, replaces: true })
    }

    /// Claims the name of a world that is open for writing, to replace it by a new one.
    ///
    /// # Errors
    ///
    /// [`StoreError::ReadOnly`]; [`StoreError::Lost`]; [`StoreError::ManyNames`];
    /// [`StoreError::Io`].
    pub fn of_open(path: &Path, store: &Store) -> Result<Self, StoreError> {
        store.must_write()?;
        store.disk.check_name()?;
        let path = real(path).map_err(failed)?;
        has_one_name(&fs::metadata(&path).map_err(failed)?)?;
        Ok(Self { path, held: ClaimedFile::World(Arc::clone(&store.disk)), replaces: true })
    }

    /// Returns the name, behind all symbolic links: the new file must be made in the same folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Gives a file the name, and makes this durable.
    ///
    /// # Errors
    ///
    /// The errors of the function that made the claim, if another file has taken the name since;
    /// [`StoreError::Io`]. That file then keeps the name, and `made` keeps its own.
    pub fn give(self, made: &Path) -> Result<(), StoreError> {
        let Self { path, mut held, replaces } = self;
        if !held.is_at(&path)? {
            // A tool without locks has changed the path.
            // If the name was claimed as unused, `name_anew` below refuses the file that has come.
            held = if replaces { hold(&path)? } else { ClaimedFile::Nothing };
        }
        if matches!(held, ClaimedFile::Nothing) {
            name_anew(made, &path).map_err(failed)?;
        } else {
            if cfg!(windows) {
                held = ClaimedFile::Nothing;
            }
            fs::rename(made, &path).map_err(failed)?;
            // Unlocked only now: a writer that gets the lock of the old file must find that its
            // name is gone.
            drop(held);
        }
        file::sync_folder_of(&path).map_err(failed)
    }
}

impl ClaimedFile {
    /// Whether the file is still the one under a name.
    fn is_at(&self, path: &Path) -> Result<bool, StoreError> {
        match self {
            Self::Nothing => Ok(path.symlink_metadata().is_err()),
            Self::File(file) => file::is_at(file, path).map_err(failed),
            // The caller has made a copy of exactly this world.
            Self::World(disk) => disk.check_name().map(|()| true),
        }
    }
}

fn failed(error: io::Error) -> StoreError {
    match error.kind() {
        io::ErrorKind::WouldBlock => StoreError::InUse,
        _ => StoreError::io("give the file its name")(error),
    }
}

/// Locks the file under a name.
fn hold(path: &Path) -> Result<ClaimedFile, StoreError> {
    match fs::metadata(path) {
        Err(error) if file::is_nothing(&error) => return Ok(ClaimedFile::Nothing),
        Err(error) => return Err(failed(error)),
        // Opening a pipe would block.
        Ok(found) if !found.is_file() => return Err(failed(io::ErrorKind::InvalidInput.into())),
        Ok(_) => {}
    }
    match file::locked(path, &file::kept_in_place()) {
        Err(error) if file::is_nothing(&error) => Ok(ClaimedFile::Nothing),
        Err(error) => Err(failed(error)),
        Ok(file) => {
            has_one_name(&file.metadata().map_err(failed)?)?;
            Ok(ClaimedFile::File(file))
        }
    }
}

/// Refuses a file that has further names: they would keep the old content.
fn has_one_name(file: &fs::Metadata) -> Result<(), StoreError> {
    #[cfg(unix)]
    let count = std::os::unix::fs::MetadataExt::nlink(file);
    // The standard library does not report it there.
    #[cfg(not(unix))]
    let count = u64::from(file.is_file());
    if count > 1 { Err(StoreError::ManyNames { count }) } else { Ok(()) }
}

/// Gives a file an unused name.
fn name_anew(made: &Path, path: &Path) -> io::Result<()> {
    // A link fails if the name exists, in one step. A look followed by `rename` would replace a
    // file that appears in between.
    match fs::hard_link(made, path) {
        Ok(()) => fs::remove_file(made),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(error),
        // Not every file system has links.
        Err(_) if path.symlink_metadata().is_err() => fs::rename(made, path),
        Err(_) => Err(io::ErrorKind::AlreadyExists.into()),
    }
}

/// Returns the path to which symbolic links lead, whether it exists or not.
fn real(path: &Path) -> io::Result<PathBuf> {
    let mut path = std::path::absolute(path)?;
    for _ in 0..LINKS_MOST {
        let Ok(to) = fs::read_link(&path) else { return Ok(path) };
        // A relative target counts from the folder of its link; `join` returns an absolute one
        // unchanged.
        path = path.parent().unwrap_or(Path::new("")).join(to);
    }
    Err(io::Error::other("its symbolic links lead in a circle"))
}
