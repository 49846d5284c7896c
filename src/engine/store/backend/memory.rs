//! A world in memory.

use crate::store::backend::{Backend, beyond};
use std::io;
use std::path::PathBuf;
use std::sync::{PoisonError, RwLock, RwLockReadGuard};

/// Bytes in memory; they are lost when it is dropped.
#[derive(Debug, Default)]
pub struct Memory {
    bytes: RwLock<Vec<u8>>,
}

impl Clone for Memory {
    fn clone(&self) -> Self {
        Self::of(self.bytes().clone())
    }
}

impl Memory {
    /// Creates a world from existing bytes.
    #[must_use]
    pub fn of(bytes: Vec<u8>) -> Self {
        Self { bytes: RwLock::new(bytes) }
    }

    fn bytes(&self) -> RwLockReadGuard<'_, Vec<u8>> {
        self.bytes.read().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Reads from bytes.
pub(super) fn read(bytes: &[u8], offset: u64, out: &mut [u8]) -> io::Result<()> {
    let from = usize::try_from(offset).map_err(|_| beyond())?;
    let part = bytes.get(from..).and_then(|rest| rest.get(..out.len())).ok_or_else(beyond)?;
    out.copy_from_slice(part);
    Ok(())
}

/// Writes into bytes, which grow if necessary.
pub(super) fn write(bytes: &mut Vec<u8>, offset: u64, new: &[u8]) -> io::Result<()> {
    let full = |_| io::Error::from(io::ErrorKind::StorageFull);
    let from = usize::try_from(offset).map_err(full)?;
    let end = from + new.len();
    if bytes.len() < end {
        bytes.resize(end, 0);
    }
    bytes[from..end].copy_from_slice(new);
    Ok(())
}

impl Backend for Memory {
    fn size(&self) -> io::Result<u64> {
        Ok(self.bytes().len() as u64)
    }

    fn read_at(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        read(&self.bytes(), offset, out)
    }

    fn write_at(&self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        write(&mut self.bytes.write().unwrap_or_else(PoisonError::into_inner), offset, bytes)
    }

    fn sync(&self) -> io::Result<()> {
        Ok(())
    }

    fn lost_name(&self) -> io::Result<Option<PathBuf>> {
        Ok(None)
    }
}
