//! The run's last moment as a world file, for `thalweg` and for games.
//!
//! It is written in a hidden folder beside its final name, which no other run has, and renamed when
//! all other results stand.
//!
//! Guarantees: a world appears under its name when it is whole, and replaces another only when that
//!             was asked for; what was asked for is tested before the run, and a world that is to
//!             be replaced is locked from then on. What was made and cannot have its name is kept
//!             under another, which the error names.
//! Limits:     it holds the moment at which the run ended or was stopped: a process that is killed
//!             leaves its hidden folder, `.NAME.….part`, and no world. `thalweg run --save-every`
//!             saves on the way.

use std::path::{Path, PathBuf};
use std::{fs, io};

use tempfile::TempDir;
use thalweg::store::terrain::write_georeference;
use thalweg::store::{Claim, Store, StoreError};
use thalweg::world::{FileError, SaveFile, World};

use crate::error::UserError;
use crate::output::Replacing;

/// Ending of a world's name.
const ENDING: &str = "thalweg";

/// A world file that is to be made.
#[derive(Debug)]
pub struct WorldFile {
    target: PathBuf,
    claim: Claim,
    /// Where it is written.
    written: PathBuf,
    /// Goes with all that is left in it.
    folder: TempDir,
}

impl WorldFile {
    /// Tests that a world can be made at `target`.
    ///
    /// # Errors
    ///
    /// If its name is none of a world, something stands there that may not be replaced or that
    /// somebody writes, or its folder cannot be written to.
    pub fn claim(target: &Path, replacing: Replacing) -> Result<Self, UserError> {
        let shown = target.display();
        let name = target.file_name().unwrap_or_default().to_string_lossy();
        if target.is_dir() {
            return Err(UserError::new(format!("{shown} is a folder"), "name a file in it"));
        }
        if target.extension().is_none_or(|ending| !ending.eq_ignore_ascii_case(ENDING)) {
            return Err(UserError::new(
                format!("--world {shown} is no name of a world"),
                format!("end it in .{ENDING}"),
            ));
        }
        let claim = claimed(target, replacing)?;
        // Runs of one name must not write into each other's file.
        let folder = tempfile::Builder::new()
            .prefix(&format!(".{name}."))
            .suffix(".part")
            .tempdir_in(claim.path().parent().unwrap_or(Path::new(".")))
            .map_err(|error| refused(target, &error))?;
        let written = folder.path().join(&*name);
        Ok(Self { target: target.to_owned(), claim, written, folder })
    }

    /// Writes a world, and where it lies on the globe, in the hidden folder.
    ///
    /// # Errors
    ///
    /// What the system says, in one line.
    pub fn write(&self, world: &World, placement: &str) -> Result<(), UserError> {
        // A long run may have outlived a hidden folder that somebody took for rubbish.
        fs::create_dir_all(self.folder.path()).map_err(|error| refused(&self.target, &error))?;
        let write = || -> Result<(), FileError> {
            let mut store = Store::create(&self.written)?;
            write_georeference(placement, &mut store)?;
            SaveFile::of(store).save(world)?;
            Ok(())
        };
        write().map_err(|error| match error {
            FileError::Store(StoreError::Io { source, .. }) => refused(&self.target, &source),
            other => UserError::from_sentence(format!("{}: {other}", self.target.display())),
        })
    }

    /// Gives it its final name.
    ///
    /// # Errors
    ///
    /// If the system refuses, or something stands there by now and may not be replaced; the error
    /// says where the world is instead.
    pub fn finish(self) -> Result<(), UserError> {
        let given = self.claim.give(&self.written);
        given.map_err(|error| kept_beside(&self.target, &self.written, error))
    }
}

/// Claims the name of a file that is made aside: what stands there is locked until it is replaced.
///
/// # Errors
///
/// If something stands there that may not be replaced, or that somebody writes.
pub fn claimed(target: &Path, replacing: Replacing) -> Result<Claim, UserError> {
    let claim = match replacing {
        Replacing::Allowed => Claim::to_replace(target),
        Replacing::Refused => Claim::to_make(target),
    };
    claim.map_err(|error| taken(target, error))
}

/// Says in one line why a file cannot have its name.
#[must_use]
pub fn taken(target: &Path, error: StoreError) -> UserError {
    let shown = target.display();
    match error {
        StoreError::Io { source, .. } if source.kind() == io::ErrorKind::AlreadyExists => {
            UserError::new(
                format!("{shown} is there already"),
                "choose another name, or replace it with --force",
            )
        }
        StoreError::Io { source, .. } => refused(target, &source),
        StoreError::InUse => UserError::new(
            format!("{shown} is being written, here or in another process"),
            "wait until it is closed there, or choose another name",
        ),
        other => UserError::from_sentence(format!("{shown}: {other}")),
    }
}

/// Keeps a file that was made under a name beside the one that it cannot have, and says so.
#[must_use]
pub fn kept_beside(target: &Path, made: &Path, error: StoreError) -> UserError {
    let reason = taken(target, error);
    let kept = Claim::to_make_beside(target).and_then(|claim| {
        let path = claim.path().to_owned();
        claim.give(made).map(|()| path)
    });
    match kept {
        Ok(path) => UserError::new(reason, format!("what was made is in {}", path.display())),
        Err(_) => reason,
    }
}

fn refused(target: &Path, error: &io::Error) -> UserError {
    let mend = match error.kind() {
        io::ErrorKind::NotFound => "make its folder first, or choose another",
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => "free some space",
        io::ErrorKind::NotADirectory => "a file is in the way: choose another folder",
        _ => "choose a folder you may write to",
    };
    UserError::new(format!("cannot write the world {}: {error}", target.display()), mend)
}

#[cfg(test)]
mod tests {
    use super::*;
    use thalweg::terrain::{TerrainBuilder, TerrainOptions};
    use thalweg::units::VerticalScale;
    use thalweg::world::WorldBuilder;

    fn world(depth_m: f64) -> World {
        let scale = VerticalScale::choose(0.0, 4.0, 20.0).expect("a range");
        let options =
            TerrainOptions { width: 9, height: 5, cell_width_m: 1.0, scale, bed_exponent: 10 };
        let mut terrain = TerrainBuilder::try_new(options).expect("a map");
        (0..5).for_each(|_| terrain.push_row(&[0.0; 9]).expect("a row"));
        WorldBuilder::new(terrain.finish().expect("a map"))
            .initial_depth(Box::new(move |_| depth_m))
            .build()
            .expect("a good world")
    }

    /// Goal: two runs of one name do not write into each other's file; the last one to finish has
    /// the name, and nothing else is left.
    #[test]
    fn runs_of_one_name_do_not_meet() {
        let folder = tempfile::tempdir().expect("a folder");
        let target = folder.path().join("flood.thalweg");
        let claim = || WorldFile::claim(&target, Replacing::Allowed).expect("free");
        let (first, second, third) = (claim(), claim(), claim());
        let (shallow, deep) = (world(0.5), world(1.5));
        first.write(&shallow, "").expect("room");
        second.write(&deep, "").expect("room");
        drop(third);
        for (run, world) in [(first, shallow), (second, deep)] {
            run.finish().expect("its own");
            let mut file = SaveFile::read(&target).expect("a world");
            let copy = file.load(Vec::new()).expect("a world");
            assert_eq!(copy.state_hash(), world.state_hash());
        }
        assert_eq!(fs::read_dir(folder.path()).expect("there").count(), 1);
    }

    /// Goal: a run of hours whose name was taken meanwhile keeps its world beside, and says where.
    #[test]
    fn a_world_whose_name_was_taken_is_kept_beside() {
        let folder = tempfile::tempdir().expect("a folder");
        let target = folder.path().join("flood.thalweg");
        let made = world(0.5);
        let run = WorldFile::claim(&target, Replacing::Refused).expect("free");
        // Somebody took the hidden folder for rubbish, too.
        fs::remove_dir_all(run.folder.path()).expect("there");
        run.write(&made, "").expect("room");
        fs::write(&target, "somebody's").expect("room");
        let text = run.finish().expect_err("taken").to_string();
        assert!(text.contains("is there already") && text.contains("flood-saved-1"), "{text}");
        assert_eq!(fs::read_to_string(&target).expect("there"), "somebody's");
        let mut kept = SaveFile::read(&folder.path().join("flood-saved-1.thalweg")).expect("kept");
        let copy = kept.load(Vec::new()).expect("a world");
        assert_eq!(copy.state_hash(), made.state_hash());
        assert_eq!(fs::read_dir(folder.path()).expect("there").count(), 2);
        // And one that somebody writes is not replaced.
        let busy = folder.path().join("flood-saved-1.thalweg");
        let _open = SaveFile::open(&busy).expect("free");
        let text = WorldFile::claim(&busy, Replacing::Allowed).expect_err("in use").to_string();
        assert!(text.contains("being written"), "{text}");
    }
}
