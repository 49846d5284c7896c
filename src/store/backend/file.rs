//! A world file: mapped to be read, written at places.
//!
//! A mapped page that vanishes stops the process, so the length of the file is asked for before
//! each read.
//!
//! Limits:     a file that another process cuts off *between* that and the read stops the process
//!             (SIGBUS). Nothing of ours ever cuts a file off.

use crate::store::backend::Backend;
use crate::store::backend::beyond;
use memmap2::Mmap;
use std::fs::File;
use std::fs::OpenOptions;
use std::fs::TryLockError;
use std::io;
use std::path::Path;
use std::sync::PoisonError;
use std::sync::RwLock;

/// A file.
#[derive(Debug)]
pub struct WorldFile {
    file: File,
    /// What was there when it was mapped last; none of an empty file.
    map: RwLock<Option<Mmap>>,
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
        Ok(Self { file: File::open(path)?, map: RwLock::new(None) })
    }

    fn to_write(file: File) -> io::Result<Self> {
        match file.try_lock() {
            Ok(()) => Ok(Self { file, map: RwLock::new(None) }),
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

    fn read_at(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let end = offset.checked_add(out.len() as u64).ok_or_else(beyond)?;
        if end > self.size()? {
            return Err(beyond());
        }
        let from = usize::try_from(offset).map_err(|_| beyond())?;
        let to = from + out.len();
        {
            let map = self.map.read().unwrap_or_else(PoisonError::into_inner);
            if let Some(part) = map.as_ref().and_then(|map| map.get(from..to)) {
                out.copy_from_slice(part);
                return Ok(());
            }
        }
        // SAFETY: the bytes may change below us, by our own writes and by those of a process that
        // writes while we read. They are only ever copied, and what was copied is checked.
        let map = unsafe { Mmap::map(&self.file)? };
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
