//! A name for a file that is made aside, and replaces what has the name now.
//!
//! ```text
//! claim ── what stands there is locked ── a file is made beside it ── give: renamed ── unlocked
//! ```
//!
//! Guarantees: nobody writes a world that is about to be replaced, and none is replaced that
//!             somebody writes; the file behind a symbolic link is replaced, not the link
//!             (`tests/store/names.rs`).
//! Limits:     on Windows the lock is let go just before the file is renamed, since the system
//!             renames nothing over a file that is open. Tools without locks may take any name.

use crate::store::backend::file::{self, OpenFile};
use crate::store::disk::Disk;
use crate::store::{Store, StoreError};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{fs, io};

/// Symbolic links that may lead from one to the next.
const LINKS_MOST: usize = 40;

/// A name that a file is to have which is made aside. What has the name now is locked until then,
/// as by somebody who writes it.
#[derive(Debug)]
pub struct Claim {
    path: PathBuf,
    held: Held,
    /// Whether a file that comes under the name until it is given may be replaced as well.
    replaces: bool,
}

/// File under a name.
#[derive(Debug)]
enum Held {
    Nothing,
    File(OpenFile),
    /// A world that is open to be written, and locked for that.
    World(Arc<Disk>),
}

impl Claim {
    /// A name that nothing has.
    ///
    /// # Errors
    ///
    /// [`StoreError::Io`], of the kind `AlreadyExists` where something is there.
    pub fn to_make(path: &Path) -> Result<Self, StoreError> {
        let path = real(path).map_err(failed)?;
        match path.symlink_metadata() {
            Ok(_) => Err(failed(io::ErrorKind::AlreadyExists.into())),
            Err(error) if file::is_nothing(&error) => {
                Ok(Self { path, held: Held::Nothing, replaces: false })
            }
            Err(error) => Err(failed(error)),
        }
    }

    /// A name beside a file that nothing has: `river-saved-1.thalweg` beside `river.thalweg`.
    ///
    /// # Errors
    ///
    /// As of [`Claim::to_make`].
    pub fn to_make_beside(path: &Path) -> Result<Self, StoreError> {
        Self::to_make(&file::name_beside(path))
    }

    /// A name that a file may have, which is replaced.
    ///
    /// # Errors
    ///
    /// [`StoreError::InUse`] where somebody writes that file; [`StoreError::ManyNames`];
    /// [`StoreError::Io`], of the kind `InvalidInput` where something else than a file is there.
    pub fn to_replace(path: &Path) -> Result<Self, StoreError> {
        let path = real(path).map_err(failed)?;
        let held = hold(&path)?;
        Ok(Self { path, held, replaces: true })
    }

    /// The name of a world that is open to be written, to put a new one in its place.
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
        Ok(Self { path, held: Held::World(Arc::clone(&store.disk)), replaces: true })
    }

    /// The name, behind all symbolic links: a file that is to have it must be made in the same
    /// folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Gives a file the name, and makes that last.
    ///
    /// # Errors
    ///
    /// As of the one that made the claim, where something has come under the name since;
    /// [`StoreError::Io`]. What has the name then keeps it, and the file its own.
    pub fn give(self, made: &Path) -> Result<(), StoreError> {
        let Self { path, mut held, replaces } = self;
        if !held.is_at(&path)? {
            // A tool without locks was here.
            held = if replaces { hold(&path)? } else { Held::Nothing };
        }
        if matches!(held, Held::Nothing) {
            name_anew(made, &path).map_err(failed)?;
        } else {
            if cfg!(windows) {
                held = Held::Nothing;
            }
            fs::rename(made, &path).map_err(failed)?;
            drop(held);
        }
        file::sync_folder_of(&path).map_err(failed)
    }
}

impl Held {
    /// Whether it is still what stands under a name.
    fn is_at(&self, path: &Path) -> Result<bool, StoreError> {
        match self {
            Self::Nothing => Ok(path.symlink_metadata().is_err()),
            Self::File(file) => file::is_at(file, path).map_err(failed),
            // Of that one the caller has made a copy, of nothing else.
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

/// File under a name, locked.
fn hold(path: &Path) -> Result<Held, StoreError> {
    match fs::metadata(path) {
        Err(error) if file::is_nothing(&error) => return Ok(Held::Nothing),
        Err(error) => return Err(failed(error)),
        // Opening a pipe would wait for somebody.
        Ok(found) if !found.is_file() => return Err(failed(io::ErrorKind::InvalidInput.into())),
        Ok(_) => {}
    }
    match file::locked(path, &file::kept_in_place()) {
        Err(error) if file::is_nothing(&error) => Ok(Held::Nothing),
        Err(error) => Err(failed(error)),
        Ok(file) => {
            has_one_name(&file.metadata().map_err(failed)?)?;
            Ok(Held::File(file))
        }
    }
}

/// Refuses a file that has further names: they would keep what it holds now.
fn has_one_name(file: &fs::Metadata) -> Result<(), StoreError> {
    #[cfg(unix)]
    let count = std::os::unix::fs::MetadataExt::nlink(file);
    // The standard library does not report it there.
    #[cfg(not(unix))]
    let count = u64::from(file.is_file());
    if count > 1 { Err(StoreError::ManyNames { count }) } else { Ok(()) }
}

/// Gives a file a name that nothing has.
fn name_anew(made: &Path, path: &Path) -> io::Result<()> {
    match fs::hard_link(made, path) {
        Ok(()) => fs::remove_file(made),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(error),
        // Not every file system has links.
        Err(_) if path.symlink_metadata().is_err() => fs::rename(made, path),
        Err(_) => Err(io::ErrorKind::AlreadyExists.into()),
    }
}

/// The path that symbolic links lead to, whether something is there or not.
fn real(path: &Path) -> io::Result<PathBuf> {
    let mut path = std::path::absolute(path)?;
    for _ in 0..LINKS_MOST {
        let Ok(to) = fs::read_link(&path) else { return Ok(path) };
        path = path.parent().unwrap_or(Path::new("")).join(to);
    }
    Err(io::Error::other("its symbolic links lead in a circle"))
}
