//! The run's last moment as a world file, for `thalweg` and for games.
//!
//! It is written under a temporary name beside its final one, and renamed when all other results
//! stand.
//!
//! Guarantees: a world appears under its name when it is whole, and replaces another only when that
//!             was asked for; what was asked for is tested before the run.
//! Limits:     it holds the moment at which the run ended or was stopped: a process that is killed
//!             leaves none. `thalweg run --save-every` saves on the way.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use thalweg::store::terrain::write_georeference;
use thalweg::store::{Store, StoreError};
use thalweg::world::{FileError, SaveFile, World};

use crate::args::Replacing;
use crate::refusal::Refusal;

/// Ending of a world's name.
const ENDING: &str = "thalweg";

/// A world file that is to be made.
#[derive(Debug)]
pub struct WorldFile {
    target: PathBuf,
    temporary: PathBuf,
    replacing: Replacing,
}

impl WorldFile {
    /// Tests that a world can be made at `target`.
    ///
    /// # Errors
    ///
    /// If its name is none of a world, something stands there that may not be replaced, or its
    /// folder cannot be written to.
    pub fn claim(target: &Path, replacing: Replacing) -> Result<Self, Refusal> {
        let shown = target.display();
        let name = target.file_name().unwrap_or_default().to_string_lossy();
        if target.is_dir() {
            return Err(Refusal::new(format!("{shown} is a folder"), "name a file in it"));
        }
        if target.extension().is_none_or(|ending| !ending.eq_ignore_ascii_case(ENDING)) {
            return Err(Refusal::new(
                format!("--world {shown} is no name of a world"),
                format!("end it in .{ENDING}"),
            ));
        }
        check_free(target, replacing)?;
        let temporary = target.with_file_name(format!(".{name}.part"));
        let refuse = |error| refused(target, &error);
        fs::write(&temporary, b"probe").map_err(refuse)?;
        fs::remove_file(&temporary).map_err(refuse)?;
        Ok(Self { target: target.to_owned(), temporary, replacing })
    }

    /// Writes a world, and where it lies on the globe, under the temporary name.
    ///
    /// # Errors
    ///
    /// What the system says, in one line.
    pub fn write(&self, world: &World, placement: &str) -> Result<(), Refusal> {
        let write = || -> Result<(), FileError> {
            let mut store = Store::create(&self.temporary)?;
            write_georeference(placement, &mut store)?;
            SaveFile::of(store).save(world)?;
            Ok(())
        };
        write().map_err(|error| match error {
            FileError::Store(StoreError::Io { source, .. }) => refused(&self.target, &source),
            other => Refusal::from_sentence(format!("{}: {other}", self.target.display())),
        })
    }

    /// Gives it its final name.
    ///
    /// # Errors
    ///
    /// If the system refuses, or something stands there by now and may not be replaced.
    pub fn finish(self) -> Result<(), Refusal> {
        check_free(&self.target, self.replacing)?;
        fs::rename(&self.temporary, &self.target).map_err(|error| refused(&self.target, &error))
    }
}

impl Drop for WorldFile {
    fn drop(&mut self) {
        // Fails, as it should, where it has its final name or was never written.
        let _ = fs::remove_file(&self.temporary);
    }
}

fn check_free(target: &Path, replacing: Replacing) -> Result<(), Refusal> {
    if replacing == Replacing::Allowed || !target.exists() {
        return Ok(());
    }
    Err(Refusal::new(
        format!("{} is there already", target.display()),
        "choose another name, or replace it with --force",
    ))
}

fn refused(target: &Path, error: &io::Error) -> Refusal {
    let mend = match error.kind() {
        io::ErrorKind::NotFound => "make its folder first, or choose another",
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => "free some space",
        io::ErrorKind::NotADirectory => "a file is in the way: choose another folder",
        _ => "choose a folder you may write to",
    };
    Refusal::new(format!("cannot write the world {}: {error}", target.display()), mend)
}
