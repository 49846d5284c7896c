//! Meaning of a cell's values: a height, a height and its opacity, bands, colours that encode a
//! height.

use std::path::Path;

use super::directory::TiffDirectory;
use super::sample::TiffSample;
use super::tag;
use crate::encoding::Encoding;
use crate::error::RasterError;
use crate::hints::Hints;

/// PhotometricInterpretation of red, green and blue.
const RGB: u64 = 2;
/// ExtraSamples that are an opacity: with colours multiplied by it, and without.
pub(super) const OPACITY: [u64; 2] = [1, 2];

/// Most bands of a file.
const BANDS_MAX: usize = 1 << 16;

/// The values of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Channels {
    /// One.
    Height,
    /// A height, and an opacity; a wholly transparent cell is NoData.
    HeightAndOpacity,
    /// A height among a number of values.
    Band {
        /// Number of the value, from 0.
        index: usize,
        count: usize,
    },
    /// Red, green, blue and perhaps an opacity, 8 bits each, and the number of these values.
    Colours(Encoding, usize),
}

impl Channels {
    /// Parses the tags, or returns the reason why a cell is no height.
    pub(super) fn read(
        path: &Path,
        directory: &TiffDirectory,
        sample: TiffSample,
        hints: &Hints,
    ) -> Result<Self, RasterError> {
        let encoding = hints.encoding;
        let count = directory.unsigned(tag::SAMPLES_PER_PIXEL)?.unwrap_or(1);
        let extra = directory.unsigned(tag::EXTRA_SAMPLES)?;
        let compression = directory.unsigned(tag::COMPRESSION)?;
        let is_rgb = directory.unsigned(tag::PHOTOMETRIC)? == Some(RGB)
            && sample == TiffSample::Unsigned(1)
            && matches!(count, 3 | 4);
        if let Some(wrong) = hints.band.filter(|band| *band as u64 > count) {
            return Err(RasterError::hint(
                path,
                format!("has {count} bands, and --band is {wrong}: choose from 1 to {count}"),
            ));
        }
        match (count, encoding) {
            (1, None) => Ok(Self::Height),
            (2, None)
                if hints.band.unwrap_or(1) == 1
                    && extra.is_some_and(|kind| OPACITY.contains(&kind)) =>
            {
                Ok(Self::HeightAndOpacity)
            }
            (3 | 4, Some(_)) if matches!(compression, Some(6 | 7)) => {
                Err(RasterError::unsupported(
                    path,
                    "stores its colours as JPEG, which leaves no heights in them: fetch it without \
                     loss, for example as PNG",
                ))
            }
            (_, Some(encoding)) if is_rgb => {
                Ok(Self::Colours(encoding, if count == 3 { 3 } else { 4 }))
            }
            (_, None) if is_rgb && hints.band.is_none() => Err(RasterError::hint(
                path,
                format!(
                    "is a colour picture: if its colours stand for heights, say {}; if one of its \
                     {count} bands has the heights, say which, like --band 1",
                    Encoding::OPTIONS
                ),
            )),
            (_, None) => {
                let count = usize::try_from(count).ok().filter(|n| (1..=BANDS_MAX).contains(n));
                let count = count.ok_or_else(|| {
                    let what =
                        format!("claims no bands or more than {BANDS_MAX}: fetch the file again");
                    RasterError::damaged(path, what)
                })?;
                Ok(Self::Band { index: hints.band.unwrap_or(1) - 1, count })
            }
            (_, Some(encoding)) => Err(RasterError::hint(
                path,
                format!(
                    "holds {count} values a cell, and heights after {encoding} are red, green and \
                     blue of 8 bits: leave --encoding out"
                ),
            )),
        }
    }

    /// Values of a cell.
    pub(super) fn count(self) -> usize {
        match self {
            Self::Height => 1,
            Self::HeightAndOpacity => 2,
            Self::Band { count, .. } | Self::Colours(_, count) => count,
        }
    }

    /// Fills `cells` from the little-endian samples in `bytes`, cell by cell.
    pub(super) fn values(self, sample: TiffSample, bytes: &[u8], cells: &mut [f64]) {
        match self {
            Self::Height => sample.values(bytes, cells),
            Self::Band { index, count } => {
                let size = sample.bytes();
                for (cell, stored) in cells.iter_mut().zip(bytes.chunks_exact(count * size)) {
                    sample.values(&stored[index * size..][..size], std::slice::from_mut(cell));
                }
            }
            Self::HeightAndOpacity => {
                let pairs = bytes.chunks_exact(2 * sample.bytes());
                for (cell, stored) in cells.iter_mut().zip(pairs) {
                    let mut pair = [0.0; 2];
                    sample.values(stored, &mut pair);
                    *cell = if pair[1] == 0.0 { f64::NAN } else { pair[0] };
                }
            }
            Self::Colours(encoding, count) => {
                for (cell, colours) in cells.iter_mut().zip(bytes.chunks_exact(count)) {
                    *cell = encoding.height(colours);
                }
            }
        }
    }
}
