//! Decompression of one block (strip or tile), as a stream.
//!
//! Guarantees: a Zstandard frame gets no larger window than its block can use.
//! Source:     TIFF revision 6.0 (1992), sections 9 (PackBits) and 13 (LZW); Adobe Photoshop TIFF
//!             technical notes (2002), Deflate; RFC 8878, section 3.1.1.1 (Zstandard frames).

use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::sync::Arc;

use flate2::bufread::ZlibDecoder;
use ruzstd::decoding::{FrameDecoder, StreamingDecoder};
use weezl::LzwStatus;
use weezl::decode::{Configuration, Decoder};

use super::whole::{self, BlockShape, Wrapping, damaged};

/// Bytes read from the file at a time.
const READ_BYTES: usize = 1 << 15;

/// Compression of blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Compression {
    /// No compression.
    None,
    /// Lempel-Ziv-Welch, high bits first.
    Lzw,
    /// Zlib streams.
    Deflate,
    /// Byte runs.
    PackBits,
    /// Zstandard frames.
    Zstandard,
    /// Pictures of one colour.
    Jpeg,
    /// Pictures of three colours and perhaps an opacity.
    WebP,
    /// Heights in steps of an allowed error, or exact ones.
    Lerc(Wrapping),
}

impl Compression {
    /// Returns the most bytes that one compressed byte can represent.
    pub(super) fn ratio_max(self) -> u64 {
        match self {
            Self::None => 1,
            Self::PackBits => 64,
            Self::Deflate => 1032,
            // Codes have at least nine bits and represent at most 4096 bytes.
            Self::Lzw => 4096,
            // A run of four bytes, header included, represents 128 KiB.
            Self::Zstandard => 1 << 15,
            // The size that they claim is checked before they are decoded.
            Self::Jpeg | Self::WebP | Self::Lerc(_) => u64::MAX,
        }
    }

    /// Returns whether a block is decoded as a whole, into little-endian samples.
    pub(super) fn is_whole(self) -> bool {
        matches!(self, Self::Jpeg | Self::WebP | Self::Lerc(_))
    }
}

/// A block: its place in the file and its content.
pub(super) struct PackedBlock<'a> {
    pub(super) file: &'a Arc<File>,
    pub(super) offset: u64,
    /// Bytes in the file.
    pub(super) count: u64,
    pub(super) shape: BlockShape,
    /// JPEG tables that all blocks share.
    pub(super) tables: &'a [u8],
}

/// Returns the uncompressed bytes of a block.
pub(super) fn unpack(
    block: &PackedBlock,
    compression: Compression,
) -> io::Result<Box<dyn Read + Send>> {
    let stretch =
        FileStretch { file: Arc::clone(block.file), offset: block.offset, left: block.count };
    let packed = BufReader::with_capacity(READ_BYTES, stretch);
    Ok(match compression {
        Compression::None => Box::new(packed),
        Compression::Deflate => Box::new(ZlibDecoder::new(packed)),
        Compression::PackBits => Box::new(PackBits { packed, run: PackBitsRun::Ended }),
        Compression::Lzw => Box::new(Lzw {
            packed,
            decoder: Configuration::with_tiff_size_switch(weezl::BitOrder::Msb, 8)
                .with_yield_on_full_buffer(true)
                .build(),
        }),
        Compression::Zstandard => Box::new(zstandard(packed, block.shape.bytes() as u64)?),
        Compression::Jpeg => {
            decoded(packed, |bytes| whole::jpeg(&bytes, block.tables, block.shape))?
        }
        Compression::WebP => decoded(packed, |bytes| whole::webp(&bytes, block.shape))?,
        Compression::Lerc(wrapping) => {
            decoded(packed, |bytes| whole::lerc(bytes, wrapping, block.shape))?
        }
    })
}

/// Returns the samples of a block that is decoded as a whole.
fn decoded(
    mut packed: impl Read,
    decode: impl FnOnce(Vec<u8>) -> io::Result<Vec<u8>>,
) -> io::Result<Box<dyn Read + Send>> {
    let mut bytes = Vec::new();
    packed.read_to_end(&mut bytes)?;
    Ok(Box::new(Cursor::new(decode(bytes)?)))
}

/// Largest window of a Zstandard frame, bytes: that of level 22.
const WINDOW_MAX: u64 = 1 << 27;
/// Least window in which a block of a Zstandard frame may be as large as it can be.
const WINDOW_MIN: u64 = 1 << 17;

/// Returns the content of a Zstandard frame of at most `unpacked` bytes.
pub(super) fn zstandard(
    mut packed: impl Read + Send + 'static,
    unpacked: u64,
) -> io::Result<impl Read + Send> {
    let mut head = [0; 6];
    packed.read_exact(&mut head)?;
    let [.., descriptor, window] = &mut head;
    let has_window = *descriptor & 0x20 == 0;
    let needed = unpacked.clamp(WINDOW_MIN, WINDOW_MAX).next_power_of_two();
    let exponent = needed.ilog2() - 10;
    // Writers that do not count in advance request windows that no block needs.
    if has_window && unpacked <= needed && u32::from(*window >> 3) >= exponent {
        *window = u8::try_from(exponent << 3).expect("at most 17 in five bits");
    }
    let frame = Cursor::new(head).chain(packed);
    let decoder = StreamingDecoder::new_with_max_window_size(frame, needed).map_err(damaged)?;
    Ok(Zstandard { decoder })
}

struct Zstandard<R: Read> {
    decoder: StreamingDecoder<R, FrameDecoder>,
}

impl<R: Read> Read for Zstandard<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.decoder.read(buffer).map_err(damaged)
    }
}

/// Some bytes of a file that several readers share.
struct FileStretch {
    file: Arc<File>,
    offset: u64,
    left: u64,
}

impl Read for FileStretch {
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

/// Remainder of the present run.
enum PackBitsRun {
    Ended,
    Literal(usize),
    Repeat(usize, u8),
}

struct PackBits<R> {
    packed: R,
    run: PackBitsRun,
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
            0..=127 => PackBitsRun::Literal(usize::from(header) + 1),
            128 => PackBitsRun::Ended,
            129..=255 => {
                let value = self.byte()?.ok_or(io::ErrorKind::UnexpectedEof)?;
                PackBitsRun::Repeat(257 - usize::from(header), value)
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
                PackBitsRun::Ended => {
                    if !self.start_run()? {
                        return Ok(0);
                    }
                }
                PackBitsRun::Literal(left) => {
                    let most = left.min(buffer.len());
                    let count = self.packed.read(&mut buffer[..most])?;
                    self.run = if count == left {
                        PackBitsRun::Ended
                    } else {
                        PackBitsRun::Literal(left - count)
                    };
                    return Ok(count);
                }
                PackBitsRun::Repeat(left, value) => {
                    let count = left.min(buffer.len());
                    buffer[..count].fill(value);
                    self.run = if count == left {
                        PackBitsRun::Ended
                    } else {
                        PackBitsRun::Repeat(left - count, value)
                    };
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
        let mut reader = PackBits { packed: &packed[..], run: PackBitsRun::Ended };
        reader.read_to_end(&mut unpacked).unwrap();
        assert_eq!(unpacked, expected);
    }
}
