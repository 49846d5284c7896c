//! A world file, read and written at offsets.
//!
//! The process that has the file's lock decodes extents that are read together in place, from a map
//! of their part of the file (`mapping.rs` beside this page): no other process overwrites them
//! meanwhile. All remaining reads are copied and then checked: single extents, for which a copy is
//! cheaper, and bytes that another process may overwrite. On Windows the copies are taken from a
//! map of the whole file, because the writer's lock would otherwise keep other processes from
//! reading it; a mapped file cannot be cut off there.
//!
//! A file that is opened for writing is locked, and *then* looked up again under its path: another
//! process may have replaced it between the opening and the lock. Every replacement of a world
//! takes that world's lock first ([`Claim`](crate::store::Claim)), so afterwards only tools without
//! locks can take the name away (`rm`, `mv`); each commit checks for that. On Windows the system
//! itself refuses them while the file is open.
//!
//! Guarantees: if another process cuts a file off, the result is an error, not the end of the
//!             process, except during a look at a map ([`Reading`]; `tests/store/files.rs`); if a
//!             file is open for writing and its path leads to a different file or to no file, this
//!             is reported (`tests/store/names.rs`).

#[cfg(windows)]
use crate::store::backend::beyond;
use crate::store::backend::mapping::Mapping;
use crate::store::backend::{Backend, ByteSpan, SpanLook, copied};
use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

/// Number of attempts to open a file that is replaced before it has been locked.
const OPEN_TRIES: u32 = 8;

/// An open file, and its lock if it has one. The lock is released as soon as the file is dropped: a
/// process that is just being started may keep a copy of the descriptor, and with it the lock, a
/// moment longer.
#[derive(Debug)]
pub(crate) struct OpenFile(File);

impl OpenFile {
    /// Returns the metadata of the file, from the operating system.
    pub(crate) fn metadata(&self) -> io::Result<std::fs::Metadata> {
        self.0.metadata()
    }
}

impl Drop for OpenFile {
    fn drop(&mut self) {
        // If this fails, the system releases the lock once the last copy is closed.
        let _ = self.0.unlock();
    }
}

/// A file of a world.
#[derive(Debug)]
pub(crate) struct FileBackend {
    file: OpenFile,
    /// Absolute path at the opening: the working folder may change.
    path: PathBuf,
    /// Bytes of the file when it was mapped last; `None` for an empty file.
    #[cfg(windows)]
    map: std::sync::RwLock<Option<memmap2::Mmap>>,
    /// Lock of the file's cursor, for one reader or writer at a time.
    #[cfg(not(any(unix, windows)))]
    cursor: std::sync::Mutex<()>,
    mapping: Mapping,
    /// True if only this process writes the file.
    is_locked: bool,
    /// True if extents that are read together are not mapped.
    is_positioned: AtomicBool,
}

/// How the process that writes a file reads extents of it together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Reading {
    /// From a map of their part of the file, if the system populates maps on request: Linux from
    /// version 5.14 on. Elsewhere the same as [`Reading::Positioned`].
    #[default]
    Mapped,
    /// From one read per extent, at its offset. If a program without locks cuts off or overwrites
    /// the file in just that moment, or on Linux if a medium fails in it, the result is then an
    /// ordinary error; during a look at a map, a file that is cut off or a medium that fails ends
    /// the process.
    Positioned,
}

impl FileBackend {
    /// Creates a file and opens it for writing.
    ///
    /// # Errors
    ///
    /// `AlreadyExists` if the file exists; `WouldBlock` if another process locked it meanwhile;
    /// errors of the operating system.
    pub fn create(path: &Path) -> io::Result<Self> {
        let path = std::path::absolute(path)?;
        let file = OpenFile(to_write().create_new(true).open(&path)?);
        lock(&file)?;
        if is_at(&file, &path)? { Ok(Self::of(file, path, true)) } else { Err(in_use()) }
    }

    /// Opens an existing file for writing.
    ///
    /// # Errors
    ///
    /// `WouldBlock` if another process writes the file, or replaces it again and again; errors of
    /// the operating system.
    pub fn open(path: &Path) -> io::Result<Self> {
        let path = std::path::absolute(path)?;
        let file = locked(&path, &to_write())?;
        Ok(Self::of(file, path, true))
    }

    /// Opens an existing file for reading.
    ///
    /// # Errors
    ///
    /// Errors of the operating system.
    pub fn read(path: &Path) -> io::Result<Self> {
        let path = std::path::absolute(path)?;
        // Another process may overwrite the bytes during a look.
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

/// Opens and locks the file under a path: the one that has this path once it is locked.
///
/// # Errors
///
/// `WouldBlock` if another process has locked the file, or replaces it again and again; errors of
/// the operating system.
pub(crate) fn locked(path: &Path, options: &OpenOptions) -> io::Result<OpenFile> {
    for _ in 0..OPEN_TRIES {
        let file = OpenFile(options.open(path)?);
        lock(&file)?;
        if is_at(&file, path)? {
            return Ok(file);
        }
    }
    Err(in_use())
}

/// Returns the options for opening a file to write it.
fn to_write() -> OpenOptions {
    let mut options = kept_in_place();
    options.read(true).write(true);
    options
}

/// Returns the options for opening a file that is to keep its name while it is open. Windows
/// ensures this if the file is not shared for deletion; elsewhere [`is_at`] checks it.
pub(crate) fn kept_in_place() -> OpenOptions {
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
pub(crate) fn is_at(OpenFile(file): &OpenFile, path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    let open = file.metadata()?;
    match std::fs::metadata(path) {
        // Numbers of inodes are unique on one device only.
        Ok(found) => Ok((found.dev(), found.ino()) == (open.dev(), open.ino())),
        Err(error) if is_nothing(&error) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Whether a file is the one under a path: true if the path exists, since a file that was opened in
/// this way keeps its name ([`kept_in_place`]).
#[cfg(windows)]
pub(crate) fn is_at(_: &OpenFile, path: &Path) -> io::Result<bool> {
    path.try_exists()
}

/// Whether a file is the one under a path: true if the path exists, as the system cannot
/// distinguish files.
#[cfg(not(any(unix, windows)))]
pub(crate) fn is_at(_: &OpenFile, path: &Path) -> io::Result<bool> {
    path.try_exists()
}

/// Whether an error means that the path does not exist.
pub(crate) fn is_nothing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// Returns an unused name beside a file.
pub(crate) fn name_beside(path: &Path) -> PathBuf {
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

/// Makes the name of a new file durable.
///
/// # Errors
///
/// Errors of the operating system.
pub(crate) fn sync_folder_of(path: &Path) -> io::Result<()> {
    // Elsewhere folders cannot be opened as files; the file's own sync makes its name durable.
    if cfg!(unix) {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        File::open(folder.unwrap_or(Path::new(".")))?.sync_all()?;
    }
    Ok(())
}

impl Backend for FileBackend {
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
        // SAFETY: our own writes and the writes of another process may change these bytes while we
        // read. They are only ever copied, and the copies are checked.
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

    fn show(&self, spans: &[ByteSpan], look: &mut SpanLook<'_>) {
        // `Relaxed`: both ways give the same bytes, so a thread that misses the change reads
        // rightly too.
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
        // Unlike `sync_all`, `sync_data` leaves out times. It does write the length, without which
        // the data cannot be read (fdatasync(2)).
        self.file.0.sync_data()
    }

    fn lost_name(&self) -> io::Result<Option<PathBuf>> {
        Ok(if is_at(&self.file, &self.path)? { None } else { Some(self.path.clone()) })
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    /// Goal: a closed world is free, even while a copy of its descriptor is open.
    #[test]
    fn a_lock_goes_with_its_file() {
        let folder = std::env::temp_dir().join(format!("thalweg-lock-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let path = folder.join("flood.thalweg");
        let file = FileBackend::create(&path).expect("room");
        let _copy = file.file.0.try_clone().expect("a descriptor");
        assert_eq!(FileBackend::open(&path).expect_err("locked").kind(), io::ErrorKind::WouldBlock);
        drop(file);
        FileBackend::open(&path).expect("free");
        std::fs::remove_dir_all(&folder).expect("ours");
    }
}
