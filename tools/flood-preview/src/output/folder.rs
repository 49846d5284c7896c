//! The output folder, tested before the run rather than after it.

use std::fs;
use std::path::{Path, PathBuf};

use kit::error::UserError;
use kit::output::under_way::{self, FolderEnd};

/// A folder that can be written to. A folder that was made here and stays empty is removed, even if
/// the program is stopped.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    is_new: bool,
}

impl Folder {
    /// Makes the folder if need be, and tests that a file can be written.
    ///
    /// # Errors
    ///
    /// If either is refused by the system.
    pub fn claim(path: &Path) -> Result<Self, UserError> {
        let is_new = !path.exists();
        let refuse = |error: std::io::Error| {
            UserError::new(
                format!("cannot write to the output folder {}: {error}", path.display()),
                "choose another with --out",
            )
        };
        let made = || fs::create_dir_all(path).map(|()| path.to_owned());
        if is_new { under_way::begin(made, FolderEnd::RemovedIfEmpty) } else { made() }
            .map_err(refuse)?;
        let folder = Self { path: path.to_owned(), is_new };
        let probe = path.join(format!(".flood-preview-{}", std::process::id()));
        fs::write(&probe, b"probe").map_err(refuse)?;
        fs::remove_file(&probe).map_err(refuse)?;
        Ok(folder)
    }

    /// Returns the folder's path.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if self.is_new {
            under_way::leave(&self.path);
            // This fails, as it should, if the folder contains results.
            let _ = fs::remove_dir(&self.path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unused_new_folder_goes_again_and_a_used_one_stays() {
        let base = tempfile::tempdir().expect("a temporary folder");
        let path = base.path().join("a/b");
        drop(Folder::claim(&path).expect("writable"));
        assert!(!path.exists());

        let folder = Folder::claim(&path).expect("writable");
        fs::write(folder.path().join("result"), b"1").expect("writable");
        drop(folder);
        assert!(path.join("result").exists());
    }

    #[test]
    fn a_file_in_the_way_is_refused() {
        let base = tempfile::tempdir().expect("a temporary folder");
        let file = base.path().join("file");
        fs::write(&file, b"1").expect("writable");
        for path in [file.clone(), file.join("out")] {
            let error = Folder::claim(&path).expect_err("no folder").to_string();
            assert!(error.contains("--out"), "{error}");
        }
        assert!(file.exists());
    }
}
