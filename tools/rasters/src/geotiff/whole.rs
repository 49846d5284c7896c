//! Blocks that are decoded as a whole: LERC, WebP and JPEG.
//!
//! Guarantees: nothing is allocated for a size that the block itself and the directory do not
//!             agree on; `TiffLayout` bounds that size.
//! Limits:     grey JPEG of 8 bits; lossless WebP.
//! Source:     Esri, LERC2; LERC and WebP in TIFF: libtiff's codecs; JPEG in TIFF: Adobe Photoshop
//!             TIFF technical note 2 (1995).

use std::error::Error;
use std::io::{self, Cursor, Read};

use flate2::bufread::ZlibDecoder;
use image_webp::WebPDecoder;
use zune_jpeg::JpegDecoder;
use zune_jpeg::zune_core::colorspace::ColorSpace;
use zune_jpeg::zune_core::options::DecoderOptions;

use super::directory::TiffByteOrder;
use super::sample::TiffSample;
use super::unpack;

/// Second packing of LERC blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wrapping {
    /// No second packing.
    None,
    /// Packing as zlib streams.
    Deflate,
    /// Packing as Zstandard frames.
    Zstandard,
}

/// Shape that a decoded block must have.
#[derive(Debug, Clone, Copy)]
pub(super) struct BlockShape {
    /// Columns.
    pub(super) width: usize,
    /// Rows.
    pub(super) height: usize,
    /// Values of a cell.
    pub(super) channels: usize,
    pub(super) sample: TiffSample,
    /// The order of the file.
    pub(super) order: TiffByteOrder,
}

impl BlockShape {
    fn cells(self) -> usize {
        self.width * self.height
    }

    /// Bytes of all samples.
    pub(super) fn bytes(self) -> usize {
        self.cells() * self.channels * self.sample.bytes()
    }

    /// Refuses another size.
    fn check(self, format: &str, (width, height): (usize, usize)) -> io::Result<()> {
        if (width, height) == (self.width, self.height) {
            return Ok(());
        }
        Err(damaged(format!(
            "{format} of {width} x {height} cells where {} x {} belong",
            self.width, self.height
        )))
    }
}

/// Makes the error of a damaged block; the text is one line.
pub(super) fn damaged(e: impl Into<Box<dyn Error + Send + Sync>>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, e)
}

/// Makes the error of a block that this crate does not read, with the reason.
fn unsupported(kind: &str) -> io::Error {
    let mend = "convert it losslessly with gdal_translate -co COMPRESS=DEFLATE from its original";
    io::Error::new(io::ErrorKind::Unsupported, format!("{kind}: {mend}"))
}

/// Returns the samples of a LERC block, little-endian; NaN if its mask leaves a cell out.
///
/// libtiff gives LERC the samples in the file's order, on little-endian machines.
pub(super) fn lerc(packed: Vec<u8>, wrapping: Wrapping, shape: BlockShape) -> io::Result<Vec<u8>> {
    // A block that does not shrink is stored as it is, behind a header and a mask.
    let most = 2 * shape.bytes() as u64 + 4096;
    let unwrapped = |reader: &mut dyn Read| {
        let mut blob = Vec::new();
        reader.take(most).read_to_end(&mut blob).map(|_| blob)
    };
    let blob = match wrapping {
        Wrapping::None => packed,
        Wrapping::Deflate => unwrapped(&mut ZlibDecoder::new(packed.as_slice()))?,
        Wrapping::Zstandard => {
            let frame = unpack::zstandard(Cursor::new(packed), most)?;
            unwrapped(&mut { frame })?
        }
    };
    let info = lerc::decode_info(&blob).map_err(damaged)?;
    shape.check("LERC", (info.width as usize, info.height as usize))?;
    // An opacity that is all or nothing is stored as the mask.
    let is_masked = shape.channels > 1 && info.depth as usize == shape.channels - 1;
    if info.bands != 1 || !(is_masked || info.depth as usize == shape.channels) {
        let (depth, bands) = (info.depth, info.bands);
        return Err(damaged(format!("LERC with {depth} values a cell in {bands} bands")));
    }
    match shape.sample {
        TiffSample::Unsigned(1) if is_masked => opaque(&blob, shape),
        TiffSample::Unsigned(1) => numbers(&blob, shape, u8::to_le_bytes, None),
        TiffSample::Signed(1) => numbers(&blob, shape, i8::to_le_bytes, None),
        TiffSample::Unsigned(2) => numbers(&blob, shape, u16::to_le_bytes, None),
        TiffSample::Signed(2) => numbers(&blob, shape, i16::to_le_bytes, None),
        TiffSample::Unsigned(4) => numbers(&blob, shape, u32::to_le_bytes, None),
        TiffSample::Signed(4) => numbers(&blob, shape, i32::to_le_bytes, None),
        TiffSample::Float(4) => {
            numbers(&blob, shape, f32::to_le_bytes, Some(f32::NAN.to_le_bytes()))
        }
        TiffSample::Float(8) => {
            numbers(&blob, shape, f64::to_le_bytes, Some(f64::NAN.to_le_bytes()))
        }
        _ => Err(damaged("LERC of samples that it does not have")),
    }
}

/// Returns the bytes of all numbers; `none` replaces the numbers that the mask leaves out.
fn numbers<T: lerc::Sample, const N: usize>(
    blob: &[u8],
    shape: BlockShape,
    to_bytes: impl Fn(T) -> [u8; N],
    none: Option<[u8; N]>,
) -> io::Result<Vec<u8>> {
    let mut values = vec![T::default(); shape.cells() * shape.channels];
    let found = lerc::decode_into(blob, &mut values).map_err(damaged)?;
    let mut samples: Vec<u8> = values.into_iter().flat_map(to_bytes).collect();
    if shape.order == TiffByteOrder::Big {
        samples.chunks_exact_mut(N).for_each(<[u8]>::reverse);
    }
    for mask in found.valid_masks.iter().filter(|mask| !mask.is_all_valid()) {
        for (cell, samples) in samples.chunks_exact_mut(N * shape.channels).enumerate() {
            if !mask.is_valid(cell) {
                let none = none.ok_or_else(|| unsupported("LERC that leaves out whole numbers"))?;
                samples.chunks_exact_mut(N).for_each(|sample| sample.copy_from_slice(&none));
            }
        }
    }
    Ok(samples)
}

/// Colours and their opacity, which is the mask.
fn opaque(blob: &[u8], shape: BlockShape) -> io::Result<Vec<u8>> {
    let mut values = vec![0_u8; shape.cells() * (shape.channels - 1)];
    let found = lerc::decode_into(blob, &mut values).map_err(damaged)?;
    let mask = found.valid_masks.first();
    let mut samples = Vec::with_capacity(shape.bytes());
    for (cell, colours) in values.chunks_exact(shape.channels - 1).enumerate() {
        let is_valid = mask.is_none_or(|mask| mask.is_valid(cell));
        samples.extend_from_slice(colours);
        samples.push(if is_valid { 255 } else { 0 });
    }
    Ok(samples)
}

/// Returns the colours of a WebP block, with as many values a cell as the shape has.
pub(super) fn webp(packed: &[u8], shape: BlockShape) -> io::Result<Vec<u8>> {
    let mut decoder = WebPDecoder::new(Cursor::new(packed)).map_err(damaged)?;
    let (width, height) = decoder.dimensions();
    shape.check("WebP", (width as usize, height as usize))?;
    if decoder.is_animated() {
        return Err(damaged("WebP that is animated"));
    }
    if decoder.is_lossy() {
        return Err(unsupported("lossy WebP, which leaves no heights in colours"));
    }
    let channels = if decoder.has_alpha() { 4 } else { 3 };
    let mut colours = vec![0; shape.cells() * channels];
    decoder.read_image(&mut colours).map_err(damaged)?;
    Ok(match (channels, shape.channels) {
        (3, 4) => colours.chunks_exact(3).flat_map(|c| [c[0], c[1], c[2], 255]).collect(),
        (4, 3) => colours.chunks_exact(4).flat_map(|c| [c[0], c[1], c[2]]).collect(),
        _ => colours,
    })
}

/// Returns the grey values of a JPEG block, whose tables may be in a stream of their own.
pub(super) fn jpeg(packed: &[u8], tables: &[u8], shape: BlockShape) -> io::Result<Vec<u8>> {
    // Each stream is between marks of two bytes.
    let stream = match (tables.len().checked_sub(2), packed.get(2..)) {
        (Some(end), Some(rest)) if end > 2 => [&tables[..end], rest].concat(),
        _ => packed.to_vec(),
    };
    let options = DecoderOptions::default()
        .jpeg_set_out_colorspace(ColorSpace::Luma)
        .set_max_width(shape.width)
        .set_max_height(shape.height);
    let mut decoder = JpegDecoder::new_with_options(Cursor::new(stream), options);
    decoder.decode_headers().map_err(damaged)?;
    let info = decoder.info().ok_or_else(|| damaged("JPEG without a header"))?;
    shape.check("JPEG", (usize::from(info.width), usize::from(info.height)))?;
    if info.components != 1 {
        return Err(damaged(format!("JPEG with {} colours", info.components)));
    }
    let grey = decoder.decode().map_err(damaged)?;
    if grey.len() != shape.bytes() {
        return Err(damaged(format!("JPEG of {} samples, not {}", grey.len(), shape.bytes())));
    }
    Ok(grey)
}
