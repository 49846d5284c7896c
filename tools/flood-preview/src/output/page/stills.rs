//! The maps as pictures inside the page: for readers without scripts, and for paper.

use std::io::{self, Write};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use kit::picture::png::Effort;
use rayon::prelude::*;

use super::super::layer::{MapLayer, layers};
use super::super::map::ShadedGround;
use super::super::sheet::sheet;
use super::markup::escaped;
use crate::outcome::FloodOutcome;

/// A map that is drawn: its heading, its remark and its PNG.
#[derive(Debug)]
pub struct StillPicture {
    /// Name of its file: `max_depth.png`.
    pub file_name: &'static str,
    /// Heading: `Maximum depth`.
    pub heading: &'static str,
    /// Remark for the reader.
    pub remark: String,
    /// The file, encoded.
    pub png: Vec<u8>,
}

/// Draws the maps of `outcome`; files take some effort to be small.
///
/// # Errors
///
/// If one is too large for a PNG.
pub fn pictures(outcome: &FloodOutcome, effort: Effort) -> io::Result<Vec<StillPicture>> {
    let ground = ShadedGround::new(outcome);
    let picture = |layer: MapLayer<'_>| {
        let mut png = Vec::new();
        sheet(outcome, &ground, &layer).encode(&mut png, effort)?;
        let (file_name, heading, remark) = (layer.file_name, layer.heading, layer.remark);
        Ok(StillPicture { file_name, heading, remark, png })
    };
    layers(outcome).into_par_iter().map(picture).collect()
}

/// Writes the pictures as figures.
///
/// # Errors
///
/// Errors of writing to `target`.
pub fn write(pictures: &[StillPicture], target: &mut dyn Write) -> io::Result<()> {
    for StillPicture { heading, remark, png, .. } in pictures {
        let (heading, remark) = (escaped(heading), escaped(remark));
        write!(
            target,
            "<figure><img decoding=\"async\" alt=\"Map: {heading}. {remark}\" \
             src=\"data:image/png;base64,{}\"></figure>",
            STANDARD.encode(png)
        )?;
    }
    Ok(())
}
