//! A file that appears whole or not at all: it is written in a hidden folder beside its final name
//! and renamed.
//!
//! Guarantees: a file under the final name is whole; a file that was there before stays until then,
//!             and nobody writes it; errors leave nothing, except that a whole file which cannot
//!             have its name is kept under a different one, named in the error. Ctrl-C and SIGTERM
//!             leave nothing except outputs to be continued ([`Partial::keep`]), which are
//!             reported.
//! Limits:     a process that is killed leaves its hidden folder: `.NAME.part`, or `.NAME.….part`
//!             if no process can continue it; the next output of the name removes the latter
//!             (`abandoned`).

use std::path::{Path, PathBuf};
use std::{fs, io};

use thalweg::file::{Claim, Store};
use thalweg::world::StoreError;

use crate::error::UserError;
use crate::output::Replacing;
use crate::output::abandoned::{self, Owner};
use crate::output::under_way::{self, FolderEnd};

/// A file that is being made.
#[derive(Debug)]
pub struct Partial {
    /// Hidden folder, removed with its content.
    folder: PathBuf,
    target: PathBuf,
    name: PathBuf,
    replacing: Replacing,
    /// `None` once the file has its name.
    claim: Option<Claim>,
    /// Lock of the folder, as long as this process writes in it.
    owner: Option<Owner>,
    is_ours: bool,
}

impl Partial {
    /// Begins a file with the final name `target`.
    ///
    /// # Errors
    ///
    /// If a file exists there and may not be replaced, or its folder cannot be written to.
    pub fn begin(target: &Path, replacing: Replacing) -> Result<Self, UserError> {
        not_a_folder(target)?;
        Self::under_way(target, replacing, claimed(target, replacing)?)
    }

    /// Begins a file that is to take the place of a world that is open to be written.
    ///
    /// # Errors
    ///
    /// The errors of [`Partial::begin`], and an error if the world has lost its name.
    pub fn in_place(target: &Path, store: &Store) -> Result<Self, UserError> {
        let replacing = Replacing::Allowed;
        let claim = Claim::of_open(target, store).map_err(|e| taken(target, replacing, e))?;
        Self::under_way(target, replacing, claim)
    }

    fn under_way(target: &Path, replacing: Replacing, claim: Claim) -> Result<Self, UserError> {
        let name = name_of(&claim);
        let prefix = format!(".{}.", name.display());
        let inside = parent(claim.path()).to_path_buf();
        abandoned::remove(&inside, &name);
        let mut owner = None;
        let made = || {
            let mut folder = tempfile::Builder::new();
            let folder = folder.prefix(&prefix).suffix(".part").tempdir_in(inside)?;
            owner = Some(abandoned::own(folder.path(), &name)?);
            Ok(folder.keep())
        };
        let mut partial = Self::at(made, target, replacing, claim)?;
        partial.owner = owner;
        Ok(partial)
    }

    /// Begins an output in a folder where a later process finds it again, with the content that an
    /// earlier process left there.
    ///
    /// # Errors
    ///
    /// The errors of [`Partial::begin`].
    pub fn find(target: &Path, replacing: Replacing) -> Result<Self, UserError> {
        not_a_folder(target)?;
        let claim = claimed(target, replacing)?;
        let folder = parent(claim.path()).join(format!(".{}.part", name_of(&claim).display()));
        let made = || match fs::create_dir(&folder) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
            _ => Ok(folder),
        };
        Self::at(made, target, replacing, claim)
    }

    /// Begins an output in a folder that is made, and registered for the case of a stop, at once.
    fn at(
        made: impl FnOnce() -> io::Result<PathBuf>,
        target: &Path,
        replacing: Replacing,
        claim: Claim,
    ) -> Result<Self, UserError> {
        let folder =
            under_way::begin(made, FolderEnd::Removed).map_err(|e| unwritten(target, &e))?;
        let name = name_of(&claim);
        let (target, claim) = (target.into(), Some(claim));
        Ok(Self { folder, target, name, replacing, claim, owner: None, is_ours: true })
    }

    /// Returns the path at which the file is written.
    #[must_use]
    pub fn path(&self) -> PathBuf {
        self.folder.join(&self.name)
    }

    /// Makes the hidden folder again: somebody may have removed it as rubbish during a long run.
    ///
    /// # Errors
    ///
    /// Errors of the system.
    pub fn make_again(&self) -> Result<(), UserError> {
        under_way::make_again(&self.folder).map_err(|error| unwritten(&self.target, &error))
    }

    /// Keeps the folder if the program is stopped, so that a later process can continue it.
    pub fn keep(&self) {
        under_way::keep(&self.folder);
    }

    /// Leaves the partial output to a different process: this one does not remove it.
    pub fn leave(&mut self) {
        self.is_ours = false;
        under_way::leave(&self.folder);
    }

    /// Gives the file its final name.
    ///
    /// # Errors
    ///
    /// If the system refuses, or a file with that name exists by now and may not be replaced; the
    /// error names the place of the new file.
    pub fn finish(mut self) -> Result<(), UserError> {
        let made = self.path();
        let given = self.claim.take().map_or(Ok(()), |claim| claim.give(&made));
        given.map_err(|error| {
            kept_beside(&self.target, &made, taken(&self.target, self.replacing, error))
        })
    }

    /// Finishes an output of open worlds: they are closed once the file has its name, so that no
    /// other process begins to write one of them meanwhile.
    ///
    /// # Errors
    ///
    /// The errors of [`Partial::finish`].
    pub fn finish_open(self, stores: Vec<Store>) -> Result<(), UserError> {
        // Windows cannot rename an open file.
        let stores = if cfg!(windows) { Vec::new() } else { stores };
        let finished = self.finish();
        drop(stores);
        finished
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        self.owner = None;
        if self.is_ours {
            let _ = fs::remove_dir_all(&self.folder);
        }
        self.leave();
    }
}

/// Returns the final name of the claimed file.
fn name_of(claim: &Claim) -> PathBuf {
    claim.path().file_name().unwrap_or_default().into()
}

fn not_a_folder(target: &Path) -> Result<(), UserError> {
    if target.is_dir() || target.file_name().is_none() {
        let what = format!("{} is a folder", target.display());
        return Err(UserError::new(what, "name a file in it"));
    }
    Ok(())
}

/// Claims the name of a file that is made aside: an existing file is locked until it is replaced.
fn claimed(target: &Path, replacing: Replacing) -> Result<Claim, UserError> {
    let claim = match replacing {
        Replacing::Allowed => Claim::to_replace(target),
        Replacing::Refused | Replacing::Never => Claim::to_make(target),
    };
    claim.map_err(|error| taken(target, replacing, error))
}

/// Makes the one-line error for a file that cannot have its name.
fn taken(target: &Path, replacing: Replacing, error: StoreError) -> UserError {
    let shown = target.display();
    match error {
        StoreError::Io { source, .. } if source.kind() == io::ErrorKind::AlreadyExists => {
            there_already(target, replacing)
        }
        StoreError::Io { source, .. } => unwritten(target, &source),
        StoreError::InUse => UserError::new(
            format!("{shown} is being written, here or in another process"),
            "wait until it is closed there, or choose another name",
        ),
        other => UserError::from_sentence(format!("{shown}: {other}")),
    }
}

/// Keeps a file under a name beside the one that it cannot have, and adds that to the error.
fn kept_beside(target: &Path, made: &Path, reason: UserError) -> UserError {
    let kept = Claim::to_make_beside(target).and_then(|claim| {
        let path = claim.path().to_owned();
        claim.give(made).map(|()| path)
    });
    match kept {
        Ok(path) => UserError::new(reason, format!("what was made is in {}", path.display())),
        Err(_) => reason,
    }
}

/// Returns an error if `target` exists and may not be replaced.
pub fn check_free(target: &Path, replacing: Replacing) -> Result<(), UserError> {
    if replacing == Replacing::Allowed || !target.exists() {
        return Ok(());
    }
    Err(there_already(target, replacing))
}

fn there_already(target: &Path, replacing: Replacing) -> UserError {
    let mend = match replacing {
        Replacing::Never => "choose another name",
        Replacing::Allowed | Replacing::Refused => {
            "choose another name, or replace it with --force"
        }
    };
    UserError::new(format!("{} is there already", target.display()), mend)
}

/// Makes the one-line error for a file that cannot be written.
#[must_use]
pub fn unwritten(target: &Path, error: &io::Error) -> UserError {
    let mend = match error.kind() {
        io::ErrorKind::NotFound => "make its folder first, or choose another",
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => "free some space",
        io::ErrorKind::NotADirectory => "a file is in the way: choose another folder",
        _ => "choose a folder you may write to",
    };
    UserError::new(format!("cannot write {}: {error}", target.display()), mend)
}

fn parent(target: &Path) -> &Path {
    match target.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listing(folder: &Path) -> usize {
        fs::read_dir(folder).expect("readable").count()
    }

    #[test]
    fn a_file_appears_when_it_is_finished() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let target = folder.path().join("a");
        let partial = Partial::begin(&target, Replacing::Refused).expect("writable");
        fs::write(partial.path(), "new").expect("writable");
        assert!(!target.exists());
        partial.finish().expect("renamed");
        assert_eq!(
            (fs::read_to_string(&target).expect("there"), listing(folder.path())),
            ("new".into(), 1)
        );

        let error = Partial::begin(&target, Replacing::Refused).expect_err("taken").to_string();
        assert!(error.contains("--force"), "{error}");
        let partial = Partial::begin(&target, Replacing::Allowed).expect("writable");
        fs::write(partial.path(), "half").expect("writable");
        drop(partial);
        assert_eq!(
            (fs::read_to_string(&target).expect("there"), listing(folder.path())),
            ("new".into(), 1)
        );
    }

    #[test]
    fn what_came_meanwhile_stays() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let target = folder.path().join("a");
        let partial = Partial::begin(&target, Replacing::Refused).expect("writable");
        fs::write(partial.path(), "new").expect("writable");
        fs::write(&target, "other").expect("writable");
        assert!(partial.finish().is_err());
        assert_eq!(fs::read_to_string(&target).expect("there"), "other");
    }
}
