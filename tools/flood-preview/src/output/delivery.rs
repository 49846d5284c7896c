//! Files that appear together: each is written under a temporary name beside its final one, and
//! all are renamed when the last is complete.
//!
//! Guarantees: before [`Delivery::finish`] no new file has its final name; if anything fails, the
//!             temporary files are removed (`a_failed_delivery_leaves_nothing`).
//! Limits:     a process that is killed leaves its `.NAME.part` files, which the next run
//!             overwrites; a rename that fails halfway leaves complete files only.

use std::borrow::Cow;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use kit::error::UserError;
use rasters::RasterError;

/// An output folder that is being filled.
#[derive(Debug)]
pub struct Delivery {
    folder: PathBuf,
    names: Vec<Cow<'static, str>>,
    /// Files that an earlier run may have left and this one does not write.
    absent: Vec<Cow<'static, str>>,
}

impl Delivery {
    /// Begins a delivery to `folder`, which is made if it does not exist.
    ///
    /// # Errors
    ///
    /// If that is not possible.
    pub fn begin(folder: &Path) -> Result<Self, UserError> {
        fs::create_dir_all(folder).map_err(|source| unmade(folder, &source))?;
        Ok(Self { folder: folder.into(), names: Vec::new(), absent: Vec::new() })
    }

    /// Writes one file through `fill`.
    ///
    /// # Errors
    ///
    /// Errors of the system, in its words.
    pub fn file(
        &mut self,
        name: impl Into<Cow<'static, str>>,
        fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), UserError> {
        let name = name.into();
        let target = self.temporary(name.clone());
        let write = || {
            let mut file = BufWriter::new(File::create(&target)?);
            fill(&mut file)?;
            file.into_inner()?.sync_all()
        };
        write().map_err(|source| unwritten(&self.path(&name), &source))
    }

    /// Writes one file if `is_any` is true; otherwise no file of its name is left in the end.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Self::file`].
    pub fn file_if(
        &mut self,
        is_any: bool,
        name: impl Into<Cow<'static, str>>,
        fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), UserError> {
        if is_any {
            return self.file(name, fill);
        }
        self.absent.push(name.into());
        Ok(())
    }

    /// Returns one line that explains why a raster of the folder could not be written.
    #[must_use]
    pub fn unwritten(&self, name: &str, error: &RasterError) -> UserError {
        let path = self.path(name);
        match error {
            RasterError::Io { source, .. } => unwritten(&path, source),
            _ => UserError::from_sentence(format!("cannot write {}: {error}", path.display())),
        }
    }

    /// Returns the temporary path at which a separate writer puts the file `name`.
    pub fn temporary(&mut self, name: impl Into<Cow<'static, str>>) -> PathBuf {
        let name = name.into();
        let path = self.folder.join(temporary_name(&name));
        self.names.push(name);
        path
    }

    /// Returns the path that the file `name` will have.
    #[must_use]
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Gives all files their final names, replacing older ones, and lists them.
    ///
    /// # Errors
    ///
    /// The error names the file that could not be renamed.
    pub fn finish(mut self) -> Result<Vec<PathBuf>, UserError> {
        let mut paths = Vec::new();
        for name in &self.names {
            let path = self.folder.join(&**name);
            if let Err(source) = fs::rename(self.folder.join(temporary_name(name)), &path) {
                return Err(unwritten(&path, &source));
            }
            paths.push(path);
        }
        self.names.clear();
        for name in &self.absent {
            let path = self.folder.join(&**name);
            match fs::remove_file(&path) {
                Err(source) if source.kind() != io::ErrorKind::NotFound => {
                    return Err(unwritten(&path, &source));
                }
                _ => {}
            }
        }
        Ok(paths)
    }
}

impl Drop for Delivery {
    fn drop(&mut self) {
        for name in &self.names {
            // A failure is ignored: the earlier error is the one worth reporting.
            let _ = fs::remove_file(self.folder.join(temporary_name(name)));
        }
    }
}

fn temporary_name(name: &str) -> String {
    format!(".{name}.part")
}

/// Returns one line that explains why a file of an output folder could not be written.
#[must_use]
pub fn unwritten(path: &Path, error: &io::Error) -> UserError {
    let (path, remedy) = (path.display(), remedy(error));
    UserError::from_sentence(format!("cannot write {path}: {error}; {remedy}"))
}

fn unmade(folder: &Path, error: &io::Error) -> UserError {
    let (folder, remedy) = (folder.display(), remedy(error));
    UserError::from_sentence(format!("cannot use {folder} as the output folder: {error}; {remedy}"))
}

/// Returns the remedy that the user has.
fn remedy(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            "free some space, or choose a folder on another disk with --out"
        }
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            "choose a folder you may write to with --out"
        }
        io::ErrorKind::NotADirectory | io::ErrorKind::AlreadyExists => {
            "a file is in the way: choose another folder with --out"
        }
        _ => "choose another folder with --out",
    }
}

#[cfg(test)]
mod tests {
    use testkit::names;

    use super::*;

    #[test]
    fn files_appear_together() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let mut delivery = Delivery::begin(&folder.path().join("a/b")).expect("makes the folders");
        delivery.file("one.txt", |file| file.write_all(b"1")).expect("written");
        assert_eq!(names(&folder.path().join("a/b")), [".one.txt.part"]);
        delivery.file("two.txt", |file| file.write_all(b"2")).expect("written");
        delivery.finish().expect("renamed");
        assert_eq!(names(&folder.path().join("a/b")), ["one.txt", "two.txt"]);
    }

    /// Goal: a table of an earlier run is not taken for one of this run.
    #[test]
    fn what_has_no_content_is_no_file() {
        let folder = tempfile::tempdir().expect("temporary folder");
        for (is_any, left) in [(true, vec!["a.csv", "b.csv"]), (false, vec!["b.csv"])] {
            let mut delivery = Delivery::begin(folder.path()).expect("exists");
            delivery.file_if(is_any, "a.csv", |file| file.write_all(b"a")).expect("written");
            delivery.file_if(true, "b.csv", |file| file.write_all(b"b")).expect("written");
            delivery.finish().expect("renamed");
            assert_eq!(names(folder.path()), left);
        }
    }

    #[test]
    fn a_failed_delivery_leaves_nothing() {
        let folder = tempfile::tempdir().expect("temporary folder");
        fs::write(folder.path().join("one.txt"), "old").expect("written");
        let mut delivery = Delivery::begin(folder.path()).expect("exists");
        delivery.file("one.txt", |file| file.write_all(b"new")).expect("written");
        let error = delivery
            .file("two.txt", |file| {
                file.write_all(b"half")?;
                Err(io::ErrorKind::StorageFull.into())
            })
            .expect_err("the disk is full");
        assert!(error.to_string().contains("two.txt"), "{error}");
        drop(delivery);
        assert_eq!(names(folder.path()), ["one.txt"]);
        let kept = fs::read_to_string(folder.path().join("one.txt")).expect("readable");
        assert_eq!(kept, "old");
    }

    #[test]
    fn a_file_in_the_way_of_the_folder_is_named() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let path = folder.path().join("taken");
        fs::write(&path, "").expect("written");
        let error = Delivery::begin(&path).expect_err("not a folder");
        assert!(error.to_string().contains("in the way"), "{error}");
    }

    #[test]
    fn each_error_says_what_where_and_how_to_mend() {
        let full = || io::Error::from(io::ErrorKind::StorageFull);
        let delivery = Delivery { folder: "out".into(), names: Vec::new(), absent: Vec::new() };
        let (action, path) = ("write", ".part".into());
        let raster = RasterError::Io { action, path, source: full() };
        let denied = io::ErrorKind::PermissionDenied.into();
        for (error, place, mend) in [
            (unwritten(Path::new("out/gauges.csv"), &full()), "out/gauges.csv", "free some space"),
            (unmade(Path::new("out"), &denied), "cannot use out", "you may write to"),
            (delivery.unwritten("hazard.tif", &raster), "out/hazard.tif", "free some space"),
        ] {
            let text = error.to_string();
            assert!(text.contains(place) && text.contains(mend), "{text}");
        }
    }
}
