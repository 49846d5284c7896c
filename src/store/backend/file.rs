//! A world file: read and written at places.
//!
//! On Windows it is mapped to be read, because the writer's lock would keep other processes from
//! reading it otherwise; there a mapped file cannot be cut off. Elsewhere a mapped page that
//! vanishes stops the process (SIGBUS), while a read at a place is an error; and since all that is
//! read is copied out and checked, a map gains nothing there.
//!
//! Guarantees: a file that another process cuts off is an error, not the end of the process
//!             (`tests/store/files.rs`).

use crate::store::backend::Backend;
#[cfg(windows)]
use crate::store::backend::beyond;
use std::fs::File;
use std::fs::OpenOptions;
use std::fs::TryLockError;
use std::io;
use std::path::Path;

/// A file.
#[derive(Debug)]
pub struct WorldFile {
    file: File,
    /// What was there when it was mapped last; none of an empty file.
    #[cfg(windows)]
    map: std::sync::RwLock<Option<memmap2::Mmap>>,
}

impl WorldFile {
    /// A new file, to be written.
    ///
    /// # Errors
    ///
    /// `AlreadyExists` where there is one; what the operating system says.
    pub fn create(path: &Path) -> io::Result<Self> {
        let file = OpenOptions::new().read(true).write(true).create_new(true).open(path)?;
        Self::to_write(file)
    }

    /// A file that is there, to be written.
    ///
    /// # Errors
    ///
    /// `WouldBlock` where another process writes it; what the operating system says.
    pub fn open(path: &Path) -> io::Result<Self> {
        Self::to_write(OpenOptions::new().read(true).write(true).open(path)?)
    }

    /// A file that is there, to be read.
    ///
    /// # Errors
    ///
    /// What the operating system says.
    pub fn read(path: &Path) -> io::Result<Self> {
        Ok(Self::of(File::open(path)?))
    }

    fn of(file: File) -> Self {
        Self {
            file,
            #[cfg(windows)]
            map: std::sync::RwLock::new(None),
        }
    }

    fn to_write(file: File) -> io::Result<Self> {
        match file.try_lock() {
            Ok(()) => Ok(Self::of(file)),
            Err(TryLockError::WouldBlock) => Err(io::ErrorKind::WouldBlock.into()),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }
}

/// Makes the name of a new file last.
///
/// # Errors
///
/// What the operating system says.
pub(in crate::store) fn sync_folder_of(path: &Path) -> io::Result<()> {
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
        std::os::unix::fs::FileExt::read_exact_at(&self.file, out, offset)
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
        let map = unsafe { memmap2::Mmap::map(&self.file)? };
        out.copy_from_slice(map.get(from..to).ok_or_else(beyond)?);
        *self.map.write().unwrap_or_else(PoisonError::into_inner) = Some(map);
        Ok(())
    }

    #[cfg(unix)]
    fn write_at(&self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        std::os::unix::fs::FileExt::write_all_at(&self.file, bytes, offset)
    }

    #[cfg(windows)]
    fn write_at(&self, mut offset: u64, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            let count = std::os::windows::fs::FileExt::seek_write(&self.file, bytes, offset)?;
            if count == 0 {
                return Err(io::ErrorKind::WriteZero.into());
            }
            offset += count as u64;
            bytes = &bytes[count..];
        }
        Ok(())
    }

    fn sync(&self) -> io::Result<()> {
        self.file.sync_data()
    }
}
