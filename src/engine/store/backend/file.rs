//! A world file: read and written at places.
//!
//! Extents that are read together are decoded where they stand, from a map of their part of the
//! file (`mapping.rs` beside this page), by the process that has the file's lock: nobody else
//! writes them over meanwhile. All else is copied and then checked: a single extent, which that
//! costs less, and what another process may write over. On Windows the copies come from a map of
//! the whole file, because the writer's lock would keep other processes from reading it otherwise;
//! there a mapped file cannot be cut off.
//!
//! A file that is written is locked, and *then* looked for again under its path: between the
//! opening and the lock somebody may have replaced it. Whatever replaces a world takes that world's
//! lock first ([`Claim`](crate::store::Claim)), so afterwards only tools without locks can take the
//! name away (`rm`, `mv`); each commit checks whether they have. On Windows the system itself
//! refuses them while the file is open.
//!
//! Guarantees: a file that another process cuts off is an error, not the end of the process, but
//!             for the moment of a look at a map ([`Reading`]; `tests/store/files.rs`); a file that
//!             is open to be written and has another file, or none, under its path, says so
//!             (`tests/store/names.rs`).

#[cfg(windows)]
use crate::store::backend::beyond;
use crate::store::backend::mapping::Mapping;
use crate::store::backend::{Backend, Look, Span, copied};
use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

/// How often a file is opened that is replaced before it has been locked.
const OPEN_TRIES: u32 = 8;

/// A file that is open, and its lock where it has one. The lock goes with it at once: a process
/// that is just being started may hold a copy of the descriptor, and with it the lock, a moment
/// longer.
#[derive(Debug)]
pub struct OpenFile(File);

impl OpenFile {
    /// Metadata of the file, from the operating system.
    pub fn metadata(&self) -> io::Result<std::fs::Metadata> {
        self.0.metadata()
    }
}

impl Drop for OpenFile {
    fn drop(&mut self) {
        // Where this fails the system lets go once the last copy is closed.
        let _ = self.0.unlock();
    }
}

/// A file.
#[derive(Debug)]
pub struct WorldFile {
    file: OpenFile,
    /// Where it was opened, from the root on: the working folder may change.
    path: PathBuf,
    /// Bytes that were there when the file was mapped last; none of an empty file.
    #[cfg(windows)]
    map: std::sync::RwLock<Option<memmap2::Mmap>>,
    /// Whoever reads or writes has the place in the file to itself.
    #[cfg(not(any(unix, windows)))]
    cursor: std::sync::Mutex<()>,
    mapping: Mapping,
    /// Nobody else writes it.
    is_locked: bool,
    /// Extents that are read together are not mapped.
    is_positioned: AtomicBool,
}

/// How extents of a file that are read together are read by the process that writes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Reading {
    /// From a map of their part of the file, where the system populates maps on request: Linux from
    /// version 5.14 on. Elsewhere as [`Reading::Positioned`].
    #[default]
    Mapped,
    /// Each with a read at its place. A file that a program without locks cuts off or writes over
    /// in just that moment, and on Linux a medium that fails in it, are then errors like others;
    /// a look at a map that meets the first or the last ends the process.
    Positioned,
}

impl WorldFile {
    /// A new file, to be written.
    ///
    /// # Errors
    ///
    /// `AlreadyExists` where there is one; `WouldBlock` where another process took it meanwhile;
    /// what the operating system says.
    pub fn create(path: &Path) -> io::Result<Self> {
        let path = std::path::absolute(path)?;
        let file = OpenFile(to_write().create_new(true).open(&path)?);
        lock(&file)?;
        if is_at(&file, &path)? { Ok(Self::of(file, path, true)) } else { Err(in_use()) }
    }

    /// A file that is there, to be written.
    ///
    /// # Errors
    ///
    /// `WouldBlock` where another process writes it, or replaces it again and again; what the
    /// operating system says.
    pub fn open(path: &Path) -> io::Result<Self> {
        let path = std::path::absolute(path)?;
        let file = locked(&path, &to_write())?;
        Ok(Self::of(file, path, true))
    }

    /// A file that is there, to be read.
    ///
    /// # Errors
    ///
    /// Errors of the operating system.
    pub fn read(path: &Path) -> io::Result<Self> {
        let path = std::path::absolute(path)?;
        // Another process may write over what is looked at.
        Ok(Self::of(OpenFile(File::open(&path)?), path, false))
    }

    fn of(file: OpenFile, path: PathBuf, is_locked: bool) -> Self {
        Self {
            file,
            path,
            #[cfg(windows)]
            map: std::sync::RwLock::new(None),
            #[cfg(not(any(unix, windows)))]
            cursor: std::sync::Mutex::new(()),
            mapping: Mapping::default(),
            is_locked,
            is_positioned: AtomicBool::new(false),
        }
    }
}

/// The file under a path, locked; the one that is there once it is locked.
///
/// # Errors
///
/// `WouldBlock` where another process has locked it, or replaces it again and again; what the
/// operating system says.
pub fn locked(path: &Path, options: &OpenOptions) -> io::Result<OpenFile> {
    for _ in 0..OPEN_TRIES {
        let file = OpenFile(options.open(path)?);
        lock(&file)?;
        if is_at(&file, path)? {
            return Ok(file);
        }
    }
    Err(in_use())
}

/// How a file is opened that is written.
fn to_write() -> OpenOptions {
    let mut options = kept_in_place();
    options.read(true).write(true);
    options
}

/// How a file is opened that is to keep its name while it is open. Windows sees to that where it is
/// not shared to be deleted; elsewhere [`is_at`] finds out.
pub fn kept_in_place() -> OpenOptions {
    let mut options = OpenOptions::new();
    #[cfg(windows)]
    {
        const SHARED_TO_READ_AND_WRITE: u32 = 1 | 2;
        let shared = SHARED_TO_READ_AND_WRITE;
        std::os::windows::fs::OpenOptionsExt::share_mode(&mut options, shared);
    }
    options.read(true);
    options
}

fn in_use() -> io::Error {
    io::ErrorKind::WouldBlock.into()
}

fn lock(OpenFile(file): &OpenFile) -> io::Result<()> {
    match file.try_lock() {
        Ok(()) => Ok(()),
        Err(TryLockError::WouldBlock) => Err(in_use()),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// Whether a file is the one under a path.
#[cfg(unix)]
pub fn is_at(OpenFile(file): &OpenFile, path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    let open = file.metadata()?;
    match std::fs::metadata(path) {
        Ok(found) => Ok((found.dev(), found.ino()) == (open.dev(), open.ino())),
        Err(error) if is_nothing(&error) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Whether a file is the one under a path: it is where something is there, since a file that was
/// opened so keeps its name ([`kept_in_place`]).
#[cfg(windows)]
pub fn is_at(_: &OpenFile, path: &Path) -> io::Result<bool> {
    path.try_exists()
}

/// Whether a file is the one under a path: where the system does not tell files apart, it is where
/// something is there.
#[cfg(not(any(unix, windows)))]
pub fn is_at(_: &OpenFile, path: &Path) -> io::Result<bool> {
    path.try_exists()
}

/// Whether an error says that nothing is there.
pub fn is_nothing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// A name beside a file that nothing has.
pub fn name_beside(path: &Path) -> PathBuf {
    let [stem, ending] = [path.file_stem(), path.extension()].map(|part| part.unwrap_or_default());
    let name = |number: u32| {
        let mut name = stem.to_os_string();
        name.push(format!("-saved-{number}"));
        if !ending.is_empty() {
            name.push(".");
            name.push(ending);
        }
        path.with_file_name(name)
    };
    let is_free = |name: &PathBuf| name.symlink_metadata().is_err();
    (1..).map(name).find(is_free).expect("a number that no file has")
}

/// Makes the name of a new file last.
///
/// # Errors
///
/// Errors of the operating system.
pub fn sync_folder_of(path: &Path) -> io::Result<()> {
    // Elsewhere folders cannot be opened as files; names last with the file's own sync.
    if cfg!(unix) {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        File::open(folder.unwrap_or(Path::new(".")))?.sync_all()?;
    }
    Ok(())
}

impl Backend for WorldFile {
    fn size(&self) -> io::Result<u64> {
        Ok(self.file.metadata()?.len())
    }

    #[cfg(unix)]
    fn read_at(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        std::os::unix::fs::FileExt::read_exact_at(&self.file.0, out, offset)
    }

    #[cfg(windows)]
    fn read_at(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        use std::sync::PoisonError;
        let from = usize::try_from(offset).map_err(|_| beyond())?;
        let to = from.checked_add(out.len()).ok_or_else(beyond)?;
        {
            let map = self.map.read().unwrap_or_else(PoisonError::into_inner);
            if let Some(part) = map.as_ref().and_then(|map| map.get(from..to)) {
                out.copy_from_slice(part);
                return Ok(());
            }
        }
        // SAFETY: the bytes may change below us, by our own writes and by those of a process that
        // writes while we read. They are only ever copied, and what was copied is checked.
        let map = unsafe { memmap2::Mmap::map(&self.file.0)? };
        out.copy_from_slice(map.get(from..to).ok_or_else(beyond)?);
        *self.map.write().unwrap_or_else(PoisonError::into_inner) = Some(map);
        Ok(())
    }

    #[cfg(not(any(unix, windows)))]
    fn read_at(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        use std::io::{Read, Seek, SeekFrom};
        let _turn = self.cursor.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        (&self.file.0).seek(SeekFrom::Start(offset))?;
        (&self.file.0).read_exact(out)
    }

    fn show(&self, spans: &[Span], look: &mut Look<'_>) {
        let is_mapped = self.is_locked && !self.is_positioned.load(Ordering::Relaxed);
        let is_shown = is_mapped && spans.len() > 1 && self.mapping.show(&self.file.0, spans, look);
        if !is_shown {
            copied(self, spans, look);
        }
    }

    fn set_reading(&self, reading: Reading) {
        self.is_positioned.store(reading == Reading::Positioned, Ordering::Relaxed);
    }

    #[cfg(unix)]
    fn write_at(&self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        std::os::unix::fs::FileExt::write_all_at(&self.file.0, bytes, offset)
    }

    #[cfg(windows)]
    fn write_at(&self, mut offset: u64, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            let count = std::os::windows::fs::FileExt::seek_write(&self.file.0, bytes, offset)?;
            if count == 0 {
                return Err(io::ErrorKind::WriteZero.into());
            }
            offset += count as u64;
            bytes = &bytes[count..];
        }
        Ok(())
    }

    #[cfg(not(any(unix, windows)))]
    fn write_at(&self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        use std::io::{Seek, SeekFrom, Write};
        let _turn = self.cursor.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        (&self.file.0).seek(SeekFrom::Start(offset))?;
        (&self.file.0).write_all(bytes)
    }

    fn sync(&self) -> io::Result<()> {
        self.file.0.sync_data()
    }

    fn lost_name(&self) -> io::Result<Option<PathBuf>> {
        Ok(if is_at(&self.file, &self.path)? { None } else { Some(self.path.clone()) })
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    /// Goal: a world that is closed is free, even while a copy of its descriptor is open.
    #[test]
    fn a_lock_goes_with_its_file() {
        let folder = std::env::temp_dir().join(format!("thalweg-lock-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let path = folder.join("flood.thalweg");
        let file = WorldFile::create(&path).expect("room");
        let _copy = file.file.0.try_clone().expect("a descriptor");
        assert_eq!(WorldFile::open(&path).expect_err("locked").kind(), io::ErrorKind::WouldBlock);
        drop(file);
        WorldFile::open(&path).expect("free");
        std::fs::remove_dir_all(&folder).expect("ours");
    }
}
