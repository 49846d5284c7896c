//! Storage for the bytes of a world: a file, memory, or a failing disk for tests.

pub mod faulty;
pub mod file;
mod mapping;
pub mod memory;

pub use file::Reading;

use std::fmt::Debug;
use std::io;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

/// A run of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ByteSpan {
    /// Offset of the first byte.
    pub offset: u64,
    /// Number of bytes.
    pub length: usize,
}

impl ByteSpan {
    /// Returns the range of offsets.
    #[must_use]
    pub fn bytes(&self) -> Range<u64> {
        self.offset..self.offset.saturating_add(self.length as u64)
    }
}

/// A function that takes the number of a span and its bytes, or the error of reading them.
pub type SpanLook<'a> = dyn FnMut(usize, io::Result<&[u8]>) + 'a;

/// Bytes that any thread can read, write at an offset, and make durable. A read beside a write of
/// the same bytes may see any mixture of old and new bytes.
pub trait Backend: Debug + Send + Sync {
    /// Returns the number of bytes.
    ///
    /// # Errors
    ///
    /// Errors of the operating system.
    fn size(&self) -> io::Result<u64>;

    /// Reads all of `out` from `offset` on.
    ///
    /// # Errors
    ///
    /// `UnexpectedEof` beyond the end, and errors of the operating system.
    fn read_at(&self, offset: u64, out: &mut [u8]) -> io::Result<()>;

    /// Shows the bytes of each span once: in place if they are mapped, else a copy. No thread or
    /// process writes them meanwhile.
    fn show(&self, spans: &[ByteSpan], look: &mut SpanLook<'_>) {
        copied(self, spans, look);
    }

    /// Sets how [`Backend::show`] reads, if there are several ways.
    fn set_reading(&self, _: Reading) {}

    /// Writes all of `bytes` from `offset` on; a write beyond the end makes the file longer.
    ///
    /// # Errors
    ///
    /// Errors of the operating system; any part of `bytes` may have been written.
    fn write_at(&self, offset: u64, bytes: &[u8]) -> io::Result<()>;

    /// Returns once all earlier writes would survive a crash.
    ///
    /// # Errors
    ///
    /// Errors of the operating system; bytes written before may be lost, then or later.
    fn sync(&self) -> io::Result<()>;

    /// Returns the name under which the bytes are no longer found, because the file was deleted,
    /// moved or replaced. `None` if they are found, or never had a name.
    ///
    /// # Errors
    ///
    /// Errors of the operating system; then the state of the name is unknown.
    fn lost_name(&self) -> io::Result<Option<PathBuf>>;
}

impl<B: Backend> Backend for Arc<B> {
    fn size(&self) -> io::Result<u64> {
        self.as_ref().size()
    }

    fn read_at(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.as_ref().read_at(offset, out)
    }

    fn show(&self, spans: &[ByteSpan], look: &mut SpanLook<'_>) {
        self.as_ref().show(spans, look);
    }

    fn set_reading(&self, reading: Reading) {
        self.as_ref().set_reading(reading);
    }

    fn write_at(&self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        self.as_ref().write_at(offset, bytes)
    }

    fn sync(&self) -> io::Result<()> {
        self.as_ref().sync()
    }

    fn lost_name(&self) -> io::Result<Option<PathBuf>> {
        self.as_ref().lost_name()
    }
}

/// Shows a copy of the bytes of each span.
fn copied(backend: &(impl Backend + ?Sized), spans: &[ByteSpan], look: &mut SpanLook<'_>) {
    let mut bytes = Vec::new();
    for (number, span) in spans.iter().enumerate() {
        bytes.clear();
        bytes.resize(span.length, 0);
        let read = backend.read_at(span.offset, &mut bytes);
        look(number, read.map(|()| bytes.as_slice()));
    }
}

/// Returns the error of a read beyond the end.
fn beyond() -> io::Error {
    io::Error::new(io::ErrorKind::UnexpectedEof, "the file ends before what it should hold")
}
