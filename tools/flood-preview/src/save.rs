//! The run's last moment as a world file, for `thalweg` and for games.
//!
//! It is written in a hidden folder beside its final name, which no other run has, and renamed when
//! all other results stand.
//!
//! Guarantees: a world appears under its name when it is whole, and replaces another only when that
//!             was asked for; what was asked for is tested before the run.
//! Limits:     it holds the moment at which the run ended or was stopped: a process that is killed
//!             leaves its hidden folder, `.NAME.….part`, and no world. `thalweg run --save-every`
//!             saves on the way.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use tempfile::TempDir;
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
    /// Where it is written.
    written: PathBuf,
    /// Goes with all that is left in it.
    _folder: TempDir,
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
        // Runs of one name must not write into each other's file.
        let folder = tempfile::Builder::new()
            .prefix(&format!(".{name}."))
            .suffix(".part")
            .tempdir_in(parent(target))
            .map_err(|error| refused(target, &error))?;
        let written = folder.path().join(&*name);
        Ok(Self { target: target.to_owned(), written, _folder: folder, replacing })
    }

    /// Writes a world, and where it lies on the globe, in the hidden folder.
    ///
    /// # Errors
    ///
    /// What the system says, in one line.
    pub fn write(&self, world: &World, placement: &str) -> Result<(), Refusal> {
        let write = || -> Result<(), FileError> {
            let mut store = Store::create(&self.written)?;
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
        fs::rename(&self.written, &self.target).map_err(|error| refused(&self.target, &error))
    }
}

/// The folder that a file is to stand in.
fn parent(target: &Path) -> &Path {
    match target.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
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
}
