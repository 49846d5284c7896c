//! Folders of outputs under way, which are removed if the program is stopped.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use std::{fs, io, thread};

use crate::interrupt;
use crate::terminal::complain;

static ALL: Mutex<Vec<FolderUnderWay>> = Mutex::new(Vec::new());

#[derive(Debug)]
struct FolderUnderWay {
    folder: PathBuf,
    end: FolderEnd,
}

/// Treatment of a folder if the program is stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FolderEnd {
    /// The folder is removed with its content.
    Removed,
    /// The folder is removed if it is empty.
    RemovedIfEmpty,
    /// The folder stays: a later process continues it.
    Kept,
}

/// Makes a folder and registers it at once: if the program is stopped, it is treated as `end`
/// states.
///
/// # Errors
///
/// Errors of `made`.
pub fn begin(made: impl FnOnce() -> io::Result<PathBuf>, end: FolderEnd) -> io::Result<PathBuf> {
    interrupt::listen_to_take_back();
    // Stopping the program waits for this lock.
    let mut all = all();
    let folder = made()?;
    all.push(FolderUnderWay { folder: folder.clone(), end });
    Ok(folder)
}

/// Makes a folder again that may have been removed meanwhile.
///
/// # Errors
///
/// Errors of the system.
pub(super) fn make_again(folder: &Path) -> io::Result<()> {
    // Not between the removal of the folder and the end of the program.
    let _held = all();
    fs::create_dir_all(folder)
}

/// Marks a folder as one that a later process can continue: stopping the program leaves it.
pub(super) fn keep(folder: &Path) {
    let mut all = all();
    let own = all.iter_mut().filter(|entry| entry.folder == folder);
    own.for_each(|entry| entry.end = FolderEnd::Kept);
}

/// Unregisters a folder: stopping the program leaves it without a message.
pub fn leave(folder: &Path) {
    all().retain(|entry| entry.folder != folder);
}

fn all() -> MutexGuard<'static, Vec<FolderUnderWay>> {
    ALL.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes the outputs under way, the last first, except those that a later process can continue:
/// these are reported. No output can begin while the returned guard lives.
pub(crate) fn take_back() -> impl Drop {
    let all = all();
    for FolderUnderWay { folder, end } in all.iter().rev() {
        match end {
            FolderEnd::Removed => take_away(folder),
            FolderEnd::RemovedIfEmpty => {
                // Fails, as it should, if the folder contains results.
                let _ = fs::remove_dir(folder);
            }
            FolderEnd::Kept => {
                let folder = folder.display();
                let how = "the same command goes on from here";
                complain(format!("stopped; {how}: delete {folder} to begin anew"));
            }
        }
    }
    all
}

/// Removes a folder into which the program is still writing: a file that it makes meanwhile would
/// keep the folder from being removed.
fn take_away(folder: &Path) {
    for _ in 0..100 {
        match fs::remove_dir_all(folder) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                thread::sleep(Duration::from_millis(5));
            }
            _ => return,
        }
    }
}
