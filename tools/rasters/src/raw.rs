//! Samples without a header, as game engines export them: north row first, little-endian unless
//! `--byte-order big` is given.
//!
//! 16-bit samples (`.r16`, `.raw`) spread over the height range. 32-bit floats (`.r32`, `.raw`) are
//! heights, or spread from 0 to 1 over the height range if one is given; floats that are all from 0
//! to 1 need one. Signed 16-bit samples (`--map-format int16`) are heights.
//!
//! Guarantees: the file has exactly as many samples as the size states, or it is refused.

use std::fs::File;
use std::io::{BufReader, ErrorKind, Read, Seek};
use std::path::Path;

use crate::beside::CrsFiles;
use crate::error::RasterError;
use crate::facts::{Claims, Fact, FactSource};
use crate::hints::{ByteOrder, Format, Hints};
use crate::locating::{self, OwnPlacement};
use crate::plain::{PlainRows, PlainSample};
use crate::samples::Spread;
use crate::screen::Precision;
use crate::source::RowSource;
use crate::{sidecar, single};

/// Opens headerless samples; `format` is `None` if the length of the file has to decide (`.raw`).
pub(crate) fn open(
    path: &Path,
    mut file: File,
    format: Option<Format>,
    options: &Hints,
) -> Result<Box<dyn RowSource>, RasterError> {
    let hints = sidecar::merge(path, options)?;
    let length = file.metadata().map_err(|e| RasterError::io("read", path, e))?.len();
    let Some(size) = hints.size else {
        return Err(missing_size(path, length, format));
    };
    let sample = sample_of(path, length, size, format)?;
    let beside = CrsFiles::read(path)?;
    let located = locating::locate(path, size, OwnPlacement::default(), (&hints, &beside))?;
    let needs_range = sample == PlainSample::Unsigned16;
    let (located, measures) =
        sidecar::place(path, (size, located), (&hints, &beside), needs_range)?;
    let order = hints.byte_order.unwrap_or(ByteOrder::Little);
    if sample == PlainSample::Float32 && measures.height_range.is_none() {
        file = refuse_fractions(path, file, order)?;
    }
    let spread = match (sample, measures.height_range) {
        (_, None) => None,
        (PlainSample::Float32, Some(range_m)) => Some(Spread { stored_max: 1.0, range_m }),
        (PlainSample::Unsigned16, Some(range_m)) => Some(Spread { stored_max: 65_535.0, range_m }),
        (PlainSample::Signed16, Some(_)) => {
            let what = "has signed samples, which are heights: leave --height-range out";
            return Err(RasterError::hint(path, what));
        }
    };
    let mut settled = single::settle(path, (&hints, Some(&located)), None, spread)?;
    settled.facts.extend(facts_of_file(&hints, size, order));
    if sample == PlainSample::Float32 {
        settled.meaning.precision = Precision::Single;
    }
    let rows = PlainRows::new(path, file, (sample, order), size.0);
    single::screened(path, (size, located), rows, settled, &hints)
}

/// Columns and rows, and the order of the bytes, with their sources.
fn facts_of_file(hints: &Hints, size: (usize, usize), order: ByteOrder) -> Vec<Fact> {
    let words = |(columns, rows): (usize, usize)| format!("{columns} x {rows}");
    let size = Claims::of("size")
        .add(hints.origin(FactSource::SIZE), Some(words(size)))
        .add(FactSource::Sidecar, hints.of_sidecar(|keys| keys.size).map(words));
    let said = hints.origin(FactSource::BYTE_ORDER);
    let order = Claims::of("byte order")
        .add(said, hints.byte_order)
        .add(FactSource::Sidecar, hints.of_sidecar(|keys| keys.byte_order))
        .add(FactSource::Guess, Some(order));
    let facts = [size.settle().map(|(_, fact)| fact), order.settle().map(|(_, fact)| fact)];
    facts.into_iter().flatten().collect()
}

/// Refuses floats that are all from 0 to 1: engines export heights as fractions of a range that the
/// file does not state.
fn refuse_fractions(path: &Path, file: File, order: ByteOrder) -> Result<File, RasterError> {
    let failed = |e| RasterError::io("read", path, e);
    let mut samples = BufReader::with_capacity(1 << 16, file);
    let mut bytes = [0; 4];
    let (mut low, mut high) = (f32::INFINITY, f32::NEG_INFINITY);
    while (0.0..=1.0).contains(&low.min(1.0)) && high <= 1.0 {
        match samples.read_exact(&mut bytes) {
            Ok(()) => {}
            Err(e) if e.kind() == ErrorKind::UnexpectedEof && low >= high => break,
            Err(e) if e.kind() == ErrorKind::UnexpectedEof && high < f32::MIN_POSITIVE => {
                let order = order.other().typed();
                return Err(RasterError::hint(
                    path,
                    format!(
                        "has no sample above {high:e}, as whole metres have in the other order of \
                         bytes: say --byte-order {order} (byte_order = \"{order}\")"
                    ),
                ));
            }
            Err(e) if e.kind() == ErrorKind::UnexpectedEof => {
                return Err(RasterError::hint(
                    path,
                    format!(
                        "has samples from {low} to {high}, as engines export fractions of a range: \
                         say which heights 0 and 1 mean with --height-range 0..512, or \
                         --height-range 0..1 if they are metres (height_min_m and height_max_m in \
                         {})",
                        path.with_extension("toml").display()
                    ),
                ));
            }
            Err(e) => return Err(failed(e)),
        }
        let sample = match order {
            ByteOrder::Little => f32::from_le_bytes(bytes),
            ByteOrder::Big => f32::from_be_bytes(bytes),
        };
        (low, high) = (low.min(sample), high.max(sample));
    }
    let mut file = samples.into_inner();
    file.rewind().map_err(failed)?;
    Ok(file)
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
) -> Result<PlainSample, RasterError> {
    // The size was checked with the hints, so the product of the three fits.
    let cells = width as u64 * height as u64;
    let candidates: &[PlainSample] = match format {
        Some(Format::Raw16) => &[PlainSample::Unsigned16],
        Some(Format::Int16) => &[PlainSample::Signed16],
        Some(Format::Raw32) => &[PlainSample::Float32],
        _ => &[PlainSample::Unsigned16, PlainSample::Float32],
    };
    let length_of = |sample: PlainSample| cells * sample.bytes() as u64;
    let fits = |sample: &&PlainSample| length_of(**sample) == length;
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
