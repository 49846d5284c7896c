//! Decompression of one block (strip or tile), as a stream.
//!
//! Source:     TIFF revision 6.0 (1992), sections 9 (PackBits) and 13 (LZW); Adobe Photoshop TIFF
//!             technical notes (2002), Deflate.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::sync::Arc;

use flate2::bufread::ZlibDecoder;
use weezl::LzwStatus;
use weezl::decode::{Configuration, Decoder};

/// Bytes read from the file at a time.
const READ_BYTES: usize = 1 << 15;

/// How blocks are compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Compression {
    /// Not at all.
    None,
    /// Lempel-Ziv-Welch, high bits first.
    Lzw,
    /// Zlib streams.
    Deflate,
    /// Byte runs.
    PackBits,
}

impl Compression {
    /// The most bytes that one compressed byte can stand for.
    pub(super) fn ratio_max(self) -> u64 {
        match self {
            Self::None => 1,
            Self::PackBits => 64,
            Self::Deflate => 1032,
            // Codes have at least nine bits and stand for at most 4096 bytes.
            Self::Lzw => 4096,
        }
    }
}

/// The uncompressed bytes of the block in `count` bytes from `offset`.
pub(super) fn unpack(
    file: &Arc<File>,
    offset: u64,
    count: u64,
    compression: Compression,
) -> Box<dyn Read + Send> {
    let stretch = Stretch { file: Arc::clone(file), offset, left: count };
    let packed = BufReader::with_capacity(READ_BYTES, stretch);
    match compression {
        Compression::None => Box::new(packed),
        Compression::Deflate => Box::new(ZlibDecoder::new(packed)),
        Compression::PackBits => Box::new(PackBits { packed, run: Run::Ended }),
        Compression::Lzw => Box::new(Lzw {
            packed,
            decoder: Configuration::with_tiff_size_switch(weezl::BitOrder::Msb, 8)
                .with_yield_on_full_buffer(true)
                .build(),
        }),
    }
}

/// Some bytes of a file that several readers share.
struct Stretch {
    file: Arc<File>,
    offset: u64,
    left: u64,
}

impl Read for Stretch {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let most = usize::try_from(self.left).map_or(buffer.len(), |left| left.min(buffer.len()));
        if most == 0 {
            return Ok(0);
        }
        let count = read_at(&self.file, &mut buffer[..most], self.offset)?;
        self.offset += count as u64;
        self.left -= count as u64;
        Ok(count)
    }
}

#[cfg(unix)]
fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, buffer, offset)
}

#[cfg(windows)]
fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, buffer, offset)
}

struct Lzw<R> {
    packed: R,
    decoder: Decoder,
}

impl<R: BufRead> Read for Lzw<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        loop {
            let progress = self.decoder.decode_bytes(self.packed.fill_buf()?, buffer);
            self.packed.consume(progress.consumed_in);
            match progress.status {
                Ok(LzwStatus::Ok) if progress.consumed_out == 0 => {}
                // A block may lack its end code.
                Ok(LzwStatus::Ok | LzwStatus::Done | LzwStatus::NoProgress) => {
                    return Ok(progress.consumed_out);
                }
                Err(e) => return Err(io::Error::new(io::ErrorKind::InvalidData, e)),
            }
        }
    }
}

/// What is left of the present run.
enum Run {
    Ended,
    Literal(usize),
    Repeat(usize, u8),
}

struct PackBits<R> {
    packed: R,
    run: Run,
}

impl<R: BufRead> PackBits<R> {
    fn byte(&mut self) -> io::Result<Option<u8>> {
        let byte = self.packed.fill_buf()?.first().copied();
        self.packed.consume(usize::from(byte.is_some()));
        Ok(byte)
    }

    /// Starts the next run; false at the end of the block.
    fn start_run(&mut self) -> io::Result<bool> {
        let Some(header) = self.byte()? else {
            return Ok(false);
        };
        self.run = match header {
            0..=127 => Run::Literal(usize::from(header) + 1),
            128 => Run::Ended,
            129..=255 => {
                let value = self.byte()?.ok_or(io::ErrorKind::UnexpectedEof)?;
                Run::Repeat(257 - usize::from(header), value)
            }
        };
        Ok(true)
    }
}

impl<R: BufRead> Read for PackBits<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        loop {
            match self.run {
                Run::Ended => {
                    if !self.start_run()? {
                        return Ok(0);
                    }
                }
                Run::Literal(left) => {
                    let most = left.min(buffer.len());
                    let count = self.packed.read(&mut buffer[..most])?;
                    self.run = if count == left { Run::Ended } else { Run::Literal(left - count) };
                    return Ok(count);
                }
                Run::Repeat(left, value) => {
                    let count = left.min(buffer.len());
                    buffer[..count].fill(value);
                    self.run =
                        if count == left { Run::Ended } else { Run::Repeat(left - count, value) };
                    return Ok(count);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of the specification, section 9.
    #[test]
    fn packbits_as_specified() {
        let packed = [
            0xfe, 0xaa, 0x02, 0x80, 0x00, 0x2a, 0xfd, 0xaa, 0x03, 0x80, 0x00, 0x2a, 0x22, 0xf7,
            0xaa,
        ];
        let mut expected = vec![0xaa, 0xaa, 0xaa, 0x80, 0x00, 0x2a, 0xaa, 0xaa, 0xaa, 0xaa, 0x80];
        expected.extend([0x00, 0x2a, 0x22]);
        expected.extend([0xaa; 10]);
        let mut unpacked = Vec::new();
        let mut reader = PackBits { packed: &packed[..], run: Run::Ended };
        reader.read_to_end(&mut unpacked).unwrap();
        assert_eq!(unpacked, expected);
    }
}
