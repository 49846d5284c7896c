//! Samples without a header, as game engines export them: little-endian, north row first.
//!
//! 16-bit samples (`.r16`, `.raw`) spread over the height range. 32-bit floats (`.r32`, `.raw`)
//! are heights in metres, or spread from 0 to 1 over the height range where one is given.
//!
//! Guarantees: the file holds exactly as many samples as the size says, or it is refused.

use std::fs::File;
use std::path::Path;

use crate::error::RasterError;
use crate::hints::{Format, Hints};
use crate::locating::{self, Own};
use crate::plain::{PlainRows, Sample};
use crate::screen::{Meaning, Precision};
use crate::sidecar;
use crate::source::RowSource;

/// Opens headerless samples; `format` is `None` where the length of the file has to decide
/// (`.raw`).
pub(crate) fn open(
    path: &Path,
    file: File,
    format: Option<Format>,
    hints: &Hints,
) -> Result<Box<dyn RowSource>, RasterError> {
    let given = locating::source_of_cell(hints);
    let hints = sidecar::merge(path, hints)?;
    let length = file.metadata().map_err(|e| RasterError::io("read", path, e))?.len();
    let Some(size) = hints.size else {
        return Err(missing_size(path, length, format));
    };
    let sample = sample_of(path, length, size, format)?;
    let located = locating::locate(path, size, Own::default(), (&hints, given))?;
    let needs_range = sample == Sample::Unsigned16;
    let (located, measures) = sidecar::place(path, (size, located), (&hints, given), needs_range)?;
    let mut meaning = Meaning {
        nodata: hints.nodata.into_iter().collect(),
        precision: if sample == Sample::Float32 { Precision::Single } else { Precision::Double },
        scale: None,
    };
    if let Some(range) = measures.height_range {
        let stored_max = if sample == Sample::Float32 { 1.0 } else { 65_535.0 };
        meaning.spread(stored_max, range);
    }
    let rows = PlainRows::new(path, file, sample, size.0);
    located.screen(path, size, rows, meaning)
}

fn missing_size(path: &Path, length: u64, format: Option<Format>) -> RasterError {
    let bytes = if format == Some(Format::Raw32) { 4 } else { 2 };
    let side = (length / bytes).isqrt();
    let example = if side > 0 && side * side * bytes == length {
        format!("--map-size {side}x{side} would fit its length")
    } else {
        "for example --map-size 1025x1025".into()
    };
    RasterError::hint(
        path,
        format!(
            "has no header that says its size: add --map-size COLUMNSxROWS ({example}), or width \
             and height to a .toml file beside it"
        ),
    )
}

fn sample_of(
    path: &Path,
    length: u64,
    (width, height): (usize, usize),
    format: Option<Format>,
) -> Result<Sample, RasterError> {
    // The size was checked with the hints, so the product of the three fits.
    let cells = width as u64 * height as u64;
    let candidates: &[Sample] = match format {
        Some(Format::Raw16) => &[Sample::Unsigned16],
        Some(Format::Raw32) => &[Sample::Float32],
        _ => &[Sample::Unsigned16, Sample::Float32],
    };
    let length_of = |sample: Sample| cells * sample.bytes() as u64;
    let fits = |sample: &&Sample| length_of(**sample) == length;
    candidates.iter().find(fits).copied().ok_or_else(|| {
        let wanted: Vec<String> = candidates
            .iter()
            .map(|&sample| format!("{} of {} bits", length_of(sample), sample.bytes() * 8))
            .collect();
        RasterError::damaged(
            path,
            format!(
                "has {length} bytes, but {width} x {height} samples are {}: correct --map-size, \
                 or fetch the file again",
                wanted.join(" or ")
            ),
        )
    })
}
