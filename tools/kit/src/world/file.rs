//! A world as a file, for `thalweg` and for games.
//!
//! Guarantees: the guarantees of every file that is made ([`Partial`]); the request is tested
//!             before the run.
//! Limits:     the file contains the moment at which the run ended or was stopped: a process that
//!             is killed leaves no world. `thalweg run --save-every` saves during the run.

use std::fs;
use std::path::{Path, PathBuf};

use thalweg::file::{Store, write_georeference};
use thalweg::world::{FileError, SaveFile, StoreError, World};

use crate::error::UserError;
use crate::output::Replacing;
use crate::output::partial::{Partial, unwritten};

/// Ending of a world's name.
const ENDING: &str = "thalweg";

/// A world file that is to be made.
#[derive(Debug)]
pub struct NewWorldFile {
    target: PathBuf,
    partial: Partial,
}

impl NewWorldFile {
    /// Tests that a world can be made at `target`.
    ///
    /// # Errors
    ///
    /// If its name is not that of a world, a file there may not be replaced or is being written, or
    /// its folder cannot be written to.
    pub fn claim(target: &Path, replacing: Replacing) -> Result<Self, UserError> {
        let is_named = target.extension().is_some_and(|word| word.eq_ignore_ascii_case(ENDING));
        if !target.is_dir() && !is_named {
            return Err(UserError::new(
                format!("{} is no name of a world", target.display()),
                format!("end it in .{ENDING}"),
            ));
        }
        Ok(Self { target: target.to_owned(), partial: Partial::begin(target, replacing)? })
    }

    /// Writes a world and its place on the globe in the hidden folder, and replaces a world that
    /// was written before.
    ///
    /// # Errors
    ///
    /// Errors of the system, in one line.
    pub fn write(&self, world: &World, placement: &str) -> Result<(), UserError> {
        // Somebody may have removed the hidden folder as rubbish during a long run.
        self.partial.make_again()?;
        // Remove the world of an earlier moment, if any.
        let _ = fs::remove_file(self.partial.path());
        let write = || -> Result<(), FileError> {
            let mut store = Store::create(&self.partial.path())?;
            write_georeference(placement, &mut store)?;
            SaveFile::of(store).save(world)?;
            Ok(())
        };
        write().map_err(|error| match error {
            FileError::Store(StoreError::Io { source, .. }) => unwritten(&self.target, &source),
            other => UserError::from_sentence(format!("{}: {other}", self.target.display())),
        })
    }

    /// Gives it its final name.
    ///
    /// # Errors
    ///
    /// As [`Partial::finish`].
    pub fn finish(self) -> Result<(), UserError> {
        self.partial.finish()
    }
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
            .initial_depth(move |_| depth_m)
            .build()
            .expect("a good world")
    }

    /// Goal: two runs of one name do not write into each other's file; the last one to finish has
    /// the name, and nothing else is left.
    #[test]
    fn runs_of_one_name_do_not_meet() {
        let folder = tempfile::tempdir().expect("a folder");
        let target = folder.path().join("flood.thalweg");
        let claim = || NewWorldFile::claim(&target, Replacing::Allowed).expect("free");
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

    /// Goal: no error names an option that only one of the tools has.
    #[test]
    fn errors_name_no_option_of_one_tool() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        fs::write(at("taken.thalweg"), "somebody's").expect("room");
        for (name, mend) in
            [("plain.png", "end it in .thalweg"), ("taken.thalweg", "choose another name")]
        {
            let refused = NewWorldFile::claim(&at(name), Replacing::Never);
            let text = refused.expect_err(name).to_string();
            assert!(text.contains(mend) && !text.contains("--"), "{text}");
        }
    }

    /// Goal: a run of hours whose name was taken meanwhile keeps its world beside, and says where.
    #[test]
    fn a_world_whose_name_was_taken_is_kept_beside() {
        let folder = tempfile::tempdir().expect("a folder");
        let target = folder.path().join("flood.thalweg");
        let made = world(0.5);
        let run = NewWorldFile::claim(&target, Replacing::Refused).expect("free");
        // Somebody removes the hidden folder as rubbish, too.
        fs::remove_dir_all(run.partial.path().parent().expect("hidden")).expect("there");
        run.write(&made, "").expect("room");
        fs::write(&target, "somebody's").expect("room");
        let text = run.finish().expect_err("taken").to_string();
        assert!(text.contains("is there already") && text.contains("flood-saved-1"), "{text}");
        assert_eq!(fs::read_to_string(&target).expect("there"), "somebody's");
        let mut kept = SaveFile::read(&folder.path().join("flood-saved-1.thalweg")).expect("kept");
        let copy = kept.load(Vec::new()).expect("a world");
        assert_eq!(copy.state_hash(), made.state_hash());
        assert_eq!(fs::read_dir(folder.path()).expect("there").count(), 2);
        // A world that somebody writes is not replaced.
        let busy = folder.path().join("flood-saved-1.thalweg");
        let _open = SaveFile::open(&busy).expect("free");
        let text = NewWorldFile::claim(&busy, Replacing::Allowed).expect_err("in use").to_string();
        assert!(text.contains("being written"), "{text}");
    }
}
