//! Saving of the world: into its own file, or into a different one.

use std::path::{Path, PathBuf};

use kit::error::UserError;
use kit::output::Replacing;
use kit::world::file::NewWorldFile;
use kit::world::rescue::{self, Rescued};
use kit::world::water::refused;
use thalweg::world::SaveFile;

use crate::session::runner::Runner;

impl Runner {
    /// Saves the world; returns a sentence with the outcome.
    pub fn save(&mut self, path: Option<PathBuf>) -> String {
        let saved = match path {
            None => self.save_own(),
            Some(path) if self.file.is_some() && path == self.path => self.save_own(),
            Some(path) => self.save_as(&path),
        };
        match saved {
            Ok(path) => {
                self.is_unsaved = false;
                format!("saved in {}", path.display())
            }
            Err(error) => format!("not saved: {error}"),
        }
    }

    fn save_own(&mut self) -> Result<PathBuf, UserError> {
        let Some(file) = &mut self.file else {
            return Err(UserError::new(
                "this world has no file yet",
                "say where, in a file that ends in .thalweg",
            ));
        };
        match file.save(&self.world) {
            Ok(_) => {}
            Err(error) if rescue::is_lost(&error) => {
                let own = (self.path.as_path(), &self.world);
                let Rescued { file, path } = rescue::rescue(file, own, &error)?;
                let words = rescue::moved(&self.path, &path).to_string();
                self.notices.push(words);
                (self.file, self.path) = (Some(file), path);
            }
            Err(error) => return Err(refused(&self.path, &error)),
        }
        Ok(self.path.clone())
    }

    /// Saves the world in a new file, which becomes its own if it had none.
    fn save_as(&mut self, path: &Path) -> Result<PathBuf, UserError> {
        let file = NewWorldFile::claim(path, Replacing::Never)?;
        file.write(&self.world, self.placement.as_deref().unwrap_or_default())?;
        file.finish()?;
        if self.file.is_none()
            && let Ok(file) = SaveFile::open(path)
        {
            (self.file, self.path) = (Some(file), path.to_owned());
        }
        Ok(path.to_owned())
    }
}
