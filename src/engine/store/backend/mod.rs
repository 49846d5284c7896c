//! Where the bytes of a world are kept.

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

/// Some bytes that follow each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// Place of the first.
    pub offset: u64,
    /// How many there are.
    pub length: usize,
}

impl Span {
    /// Their places.
    #[must_use]
    pub fn bytes(&self) -> Range<u64> {
        self.offset..self.offset.saturating_add(self.length as u64)
    }
}

/// Takes the bytes of a span, by the number of the span, or why they could not be read.
pub type Look<'a> = dyn FnMut(usize, io::Result<&[u8]>) + 'a;

/// Bytes that can be read, written at a place, and made to last, by any thread. A read beside a
/// write of the same bytes may see any mixture of what was and what will be there.
pub trait Backend: Debug + Send + Sync {
    /// How many there are.
    ///
    /// # Errors
    ///
    /// Errors of the operating system.
    fn size(&self) -> io::Result<u64>;

    /// Reads all of `out` from `offset` on.
    ///
    /// # Errors
    ///
    /// `UnexpectedEof` beyond the end, and what the operating system says.
    fn read_at(&self, offset: u64, out: &mut [u8]) -> io::Result<()>;

    /// Shows the bytes of each span once: in place where they are mapped, else a copy. Nobody
    /// writes them meanwhile.
    fn show(&self, spans: &[Span], look: &mut Look<'_>) {
        copied(self, spans, look);
    }

    /// Says how [`Backend::show`] reads where there is more than one way.
    fn set_reading(&self, _: Reading) {}

    /// Writes all of `bytes` from `offset` on; beyond the end there are more afterwards.
    ///
    /// # Errors
    ///
    /// Errors of the operating system; any part of `bytes` may have been written.
    fn write_at(&self, offset: u64, bytes: &[u8]) -> io::Result<()>;

    /// Returns once all that was written will be there after a crash.
    ///
    /// # Errors
    ///
    /// Errors of the operating system; bytes written before may be lost, then or later.
    fn sync(&self) -> io::Result<()>;

    /// The name under which the bytes are no longer found, because it was taken from them: of a
    /// file that was deleted or moved, or has been replaced. None where they are found, or never
    /// had a name.
    ///
    /// # Errors
    ///
    /// Errors of the operating system; then the answer is not known.
    fn lost_name(&self) -> io::Result<Option<PathBuf>>;
}

impl<B: Backend> Backend for Arc<B> {
    fn size(&self) -> io::Result<u64> {
        self.as_ref().size()
    }

    fn read_at(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.as_ref().read_at(offset, out)
    }

    fn show(&self, spans: &[Span], look: &mut Look<'_>) {
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
fn copied(backend: &(impl Backend + ?Sized), spans: &[Span], look: &mut Look<'_>) {
    let mut bytes = Vec::new();
    for (number, span) in spans.iter().enumerate() {
        bytes.clear();
        bytes.resize(span.length, 0);
        let read = backend.read_at(span.offset, &mut bytes);
        look(number, read.map(|()| bytes.as_slice()));
    }
}

/// The error of a read beyond the end.
fn beyond() -> io::Error {
    io::Error::new(io::ErrorKind::UnexpectedEof, "the file ends before what it should hold")
}
