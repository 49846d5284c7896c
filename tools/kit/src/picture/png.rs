//! Pictures as PNG.

use std::io::{self, Write};

use png::{BitDepth, ColorType, Compression, Encoder, EncodingError};

/// Effort to make a file smaller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effort {
    /// Little: for pictures that are soon replaced. They are twice as large.
    Quick,
    /// The usual effort.
    Usual,
}

/// Writes pixels of red, green and blue, in rows from the top down.
///
/// # Errors
///
/// Errors of writing to `out`.
pub fn write_rgb(
    out: impl Write,
    size: [usize; 2],
    pixels: &[u8],
    effort: Effort,
) -> io::Result<()> {
    let side = |pixels: usize| u32::try_from(pixels).map_err(io::Error::other);
    let mut encoder = Encoder::new(out, side(size[0])?, side(size[1])?);
    encoder.set_color(ColorType::Rgb);
    encoder.set_depth(BitDepth::Eight);
    encoder.set_compression(match effort {
        Effort::Quick => Compression::Fast,
        Effort::Usual => Compression::Balanced,
    });
    let written = encoder.write_header().and_then(|mut writer| {
        writer.write_image_data(pixels)?;
        writer.finish()
    });
    written.map_err(|error| match error {
        EncodingError::IoError(source) => source,
        other => io::Error::other(other),
    })
}
