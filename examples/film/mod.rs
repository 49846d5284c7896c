//! Animated PNG: browsers play it.

use std::error::Error;
use std::fs::File;
use std::io::BufWriter;
use std::path::Path;

/// Writes frames of so many pixels, rows from the top down, three bytes a pixel; so many play in a
/// second.
pub fn write(
    path: &Path,
    [width, height]: [u32; 2],
    per_second: u16,
    frames: &[Vec<u8>],
) -> Result<(), Box<dyn Error>> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let file = BufWriter::new(File::create(path)?);
    let mut encoder = png::Encoder::new(file, width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_animated(u32::try_from(frames.len())?, 0)?;
    encoder.set_frame_delay(1, per_second)?;
    let mut writer = encoder.write_header()?;
    frames.iter().try_for_each(|frame| writer.write_image_data(frame))?;
    Ok(writer.finish()?)
}
