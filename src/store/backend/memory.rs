//! A world in memory.

use crate::store::backend::Backend;
use crate::store::backend::beyond;
use std::io;

/// Bytes in memory; they last as long as it does.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Memory {
    bytes: Vec<u8>,
}

impl Memory {
    /// Bytes that are there already.
    #[must_use]
    pub fn of(bytes: Vec<u8>) -> Self {
        Self { bytes }
    }
}

/// Reads from bytes.
pub(super) fn read(bytes: &[u8], offset: u64, out: &mut [u8]) -> io::Result<()> {
    let from = usize::try_from(offset).map_err(|_| beyond())?;
    let part = bytes.get(from..).and_then(|rest| rest.get(..out.len())).ok_or_else(beyond)?;
    out.copy_from_slice(part);
    Ok(())
}

/// Writes into bytes, which grow where they must.
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
        Ok(self.bytes.len() as u64)
    }

    fn read_at(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        read(&self.bytes, offset, out)
    }

    fn write_at(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        write(&mut self.bytes, offset, bytes)
    }

    fn sync(&mut self) -> io::Result<()> {
        Ok(())
    }
}
