//! Hidden folders of outputs whose process was killed.
//!
//! ```text
//! .NAME.a1b2c3.part/     NAME          the output, half written
//!                        .NAME.lock    locked as long as the process lives that writes it
//! ```
//!
//! The system releases a lock when the process that has it ends, for any reason. So no process can
//! continue with a folder whose lock is free, and the next output of the name removes it.
//!
//! Guarantees: no folder is removed that a living process of this machine writes: a lock has its
//!             name only once it is locked (`folders_of_the_living_stay`).
//! Limits:     a folder without a lock stays: one of an older build, one on a file system that has
//!             no locks, or one whose process was killed before it had locked it. Processes of
//!             other machines are seen only if the file system shares its locks with them.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// Letters and digits between the name and `.part`.
const RANDOM: usize = 6;

/// Lock of a hidden folder, which ends with the process.
#[derive(Debug)]
pub(super) struct Owner(#[expect(dead_code, reason = "the open file is the lock")] File);

/// Locks a hidden folder for this process.
///
/// # Errors
///
/// Errors of the system.
pub(super) fn own(folder: &Path, name: &Path) -> io::Result<Owner> {
    let lock = lock_of(folder, name);
    let unnamed = lock.with_extension("unlocked");
    let file = File::create_new(&unnamed)?;
    // Without locks no process takes the folder for an abandoned one.
    if file.try_lock().is_ok() {
        fs::rename(&unnamed, &lock)?;
    } else {
        fs::remove_file(&unnamed)?;
    }
    Ok(Owner(file))
}

/// Removes the hidden folders of outputs of this name whose process has ended.
pub(super) fn remove(inside: &Path, name: &Path) {
    let Ok(entries) = fs::read_dir(inside) else { return };
    let folders = entries.filter_map(|entry| Some(entry.ok()?.path()));
    for folder in folders.filter(|folder| is_of(folder, name)) {
        // A network's file system locks only files that are open to be written.
        let lock = File::options().read(true).write(true).open(lock_of(&folder, name));
        let Ok(file) = lock else { continue };
        if file.try_lock().is_ok() {
            // Windows removes no file that is open.
            let held = (!cfg!(windows)).then_some(file);
            let _ = fs::remove_dir_all(&folder);
            drop(held);
        }
    }
}

/// Returns true for a folder of an output of this name that no process can continue.
fn is_of(folder: &Path, name: &Path) -> bool {
    let own = folder.file_name().and_then(|own| own.to_str());
    let random = own.zip(name.to_str()).and_then(|(own, name)| {
        own.strip_prefix('.')?.strip_prefix(name)?.strip_prefix('.')?.strip_suffix(".part")
    });
    let is_random = |random: &str| {
        random.len() == RANDOM && random.bytes().all(|byte| byte.is_ascii_alphanumeric())
    };
    random.is_some_and(is_random)
}

fn lock_of(folder: &Path, name: &Path) -> PathBuf {
    folder.join(format!(".{}.lock", name.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_of_the_living_stay() {
        let inside = tempfile::tempdir().expect("a temporary folder");
        let name = Path::new("river.thalweg");
        let make = |folder: &str| {
            let folder = inside.path().join(folder);
            fs::create_dir(&folder).expect("writable");
            fs::write(folder.join(name), "half").expect("writable");
            folder
        };
        let alive = make(".river.thalweg.abc123.part");
        let owner = own(&alive, name).expect("writable");
        // Its process has ended, and so has its lock.
        let dead = make(".river.thalweg.Xyz789.part");
        drop(own(&dead, name).expect("writable"));
        // A folder of a different name, one that a later process continues, and one without a lock.
        let others = [
            ".river.thalweg.part",
            ".river.thalweg.bench.abc123.part",
            ".river.abc123.part",
            ".river.thalweg.noLock.part",
        ]
        .map(make);
        drop(own(&others[0], name).expect("writable"));
        drop(own(&others[1], Path::new("river.thalweg.bench")).expect("writable"));
        remove(inside.path(), name);
        assert!(!dead.exists() && alive.join(name).exists());
        assert!(others.iter().all(|folder| folder.join(name).exists()));
        drop(owner);
        remove(inside.path(), name);
        assert!(!alive.exists());
    }
}
