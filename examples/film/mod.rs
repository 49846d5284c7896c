//! Animated PNG, which browsers play.

use std::error::Error;
use std::fs::File;
use std::io::BufWriter;
use std::path::Path;
use thalweg::glam::DVec3;

/// Writes frames of the given size in pixels, rows from the top down, three bytes a pixel, at a
/// number of frames a second.
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

/// Returns the colour at a part of the way from one to a second one, each 0 to 255.
pub fn mix(from: [f64; 3], to: [f64; 3], part: f64) -> [u8; 3] {
    let mixed = DVec3::from(from).lerp_monotonic(DVec3::from(to), part.clamp(0.0, 1.0));
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 255")]
    mixed.to_array().map(|part| part as u8)
}
