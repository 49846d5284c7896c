//! Folders of outputs under way, which are taken back where the program is stopped.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use std::{fs, io, thread};

use crate::interrupt;
use crate::terminal::complain;

static ALL: Mutex<Vec<Entry>> = Mutex::new(Vec::new());

#[derive(Debug)]
struct Entry {
    folder: PathBuf,
    end: End,
}

/// End of a folder where the program is stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// The folder goes with all that is in it.
    Removed,
    /// The folder goes if it is empty.
    RemovedIfEmpty,
    /// The folder stays: a later process goes on with it.
    Kept,
}

/// Makes a folder, known at once to whoever stops the program, which comes to this `end`.
///
/// # Errors
///
/// Errors of `made`.
pub fn begin(made: impl FnOnce() -> io::Result<PathBuf>, end: End) -> io::Result<PathBuf> {
    interrupt::listen_to_take_back();
    // Stopping waits as long as this is held.
    let mut all = all();
    let folder = made()?;
    all.push(Entry { folder: folder.clone(), end });
    Ok(folder)
}

/// Makes a folder again that may have been removed meanwhile.
///
/// # Errors
///
/// Errors of the system.
pub(super) fn make_again(folder: &Path) -> io::Result<()> {
    // Not between taking it back and the program's end.
    let _held = all();
    fs::create_dir_all(folder)
}

/// From now on a later process can go on with a folder, and stopping leaves it.
pub(super) fn keep(folder: &Path) {
    let mut all = all();
    let own = all.iter_mut().filter(|entry| entry.folder == folder);
    own.for_each(|entry| entry.end = End::Kept);
}

/// From now on stopping leaves a folder, and nothing is said of it.
pub fn leave(folder: &Path) {
    all().retain(|entry| entry.folder != folder);
}

fn all() -> MutexGuard<'static, Vec<Entry>> {
    ALL.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Takes away what is under way, the last first, but what can be gone on with, and says so. As long
/// as what is returned lives, nothing is begun.
pub(crate) fn take_back() -> impl Drop {
    let all = all();
    for Entry { folder, end } in all.iter().rev() {
        match end {
            End::Removed => take_away(folder),
            End::RemovedIfEmpty => {
                // Fails, as it should, where the folder holds results.
                let _ = fs::remove_dir(folder);
            }
            End::Kept => {
                let folder = folder.display();
                let how = "the same command goes on from here";
                complain(format!("stopped; {how}: delete {folder} to begin anew"));
            }
        }
    }
    all
}

/// Takes a folder away into which the program goes on writing: a file that it makes meanwhile
/// would hold the folder.
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
