//! Frames as one animated PNG: browsers play it.
//!
//! Each frame but the first contains only the pixels that have changed, so still parts cost little.

use std::error::Error;
use std::fs::File;
use std::io::BufWriter;
use std::path::Path;

/// An animated PNG that is being written.
pub struct Animated {
    writer: png::Writer<BufWriter<File>>,
    before: Vec<u8>,
}

impl Animated {
    /// Begins a file for a number of frames of a size, and a number of frames per second.
    ///
    /// # Errors
    ///
    /// If it cannot be written.
    pub fn create(
        path: &Path,
        [width, height]: [u32; 2],
        (frames, per_second): (u32, u16),
    ) -> Result<Self, Box<dyn Error>> {
        let mut encoder = png::Encoder::new(BufWriter::new(File::create(path)?), width, height);
        encoder.set_color(png::ColorType::Rgba);
        encoder.set_compression(png::Compression::High);
        encoder.set_animated(frames, 0)?;
        encoder.set_frame_delay(1, per_second)?;
        encoder.set_blend_op(png::BlendOp::Over)?;
        Ok(Self { writer: encoder.write_header()?, before: Vec::new() })
    }

    /// Writes the next frame, three bytes a pixel.
    ///
    /// # Errors
    ///
    /// If it cannot be written.
    pub fn push(&mut self, rgb: Vec<u8>) -> Result<(), Box<dyn Error>> {
        self.writer.write_image_data(&changed(&self.before, &rgb))?;
        self.before = rgb;
        Ok(())
    }

    /// Ends the file.
    ///
    /// # Errors
    ///
    /// If there are fewer frames than were announced, or the file cannot be written.
    pub fn finish(self) -> Result<(), Box<dyn Error>> {
        Ok(self.writer.finish()?)
    }
}

/// Returns pixels with their opacity: transparent if they are as before.
fn changed(before: &[u8], rgb: &[u8]) -> Vec<u8> {
    let pixels = rgb.chunks_exact(3);
    let mut old = before.chunks_exact(3);
    let pixel = |new: &[u8]| match old.next() {
        Some(old) if old == new => [0; 4],
        _ => [new[0], new[1], new[2], 255],
    };
    pixels.flat_map(pixel).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_changes_is_written() {
        assert_eq!(changed(&[], &[1, 2, 3]), [1, 2, 3, 255]);
        assert_eq!(changed(&[1, 2, 3, 4, 5, 6], &[1, 2, 3, 4, 5, 7]), [0, 0, 0, 0, 4, 5, 7, 255]);
    }
}
