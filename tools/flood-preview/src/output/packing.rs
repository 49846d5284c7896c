//! Planes of 16-bit counts as short text for the page, unpacked by `page/record.js`.
//!
//! ```text
//! counts − counts of the frame before → residuals against the median predictor → zigzag
//!     → all high bytes, then all low bytes → zlib → base64
//! ```
//!
//! A picture would do as well, but browsers that guard against fingerprinting alter the pixels a
//! page reads back; `DecompressionStream` gives the very bytes.
//!
//! A depth is as rough as the bed below it, but its change from frame to frame is smooth: so frames
//! are small.
//!
//! Guarantees: unpacking gives the same counts (`planes_survive`).
//! Source:     median predictor of LOCO-I, Weinberger, Seroussi & Sapiro (2000), IEEE TIP 9.

use std::io::{Read, Write};
use std::iter;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;

use super::scale::ColourScale;

/// The count that means no value: outside the world, or never.
pub const NOTHING: u16 = u16::MAX;

/// Level of zlib: 6, the usual one, takes three times as long for a tenth less.
const LEVEL: u32 = 3;

/// `value = offset + step · count`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Counting {
    /// Value of the count 0.
    pub offset: f64,
    /// Value of one count.
    pub step: f64,
}

impl Counting {
    /// Returns the steps of at least `finest` that are a power of ten times it and reach from `low`
    /// to `high`.
    #[must_use]
    pub fn covering(low: f64, high: f64, finest: f64) -> Self {
        let mut step = finest;
        while (high - low) / step > f64::from(NOTHING - 2) {
            step *= 10.0;
        }
        Self { offset: low, step }
    }

    /// The nearest count; [`NOTHING`] for NaN.
    #[must_use]
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "bounded to 0…65534 before it is converted"
    )]
    pub fn count(&self, value: f32) -> u16 {
        if value.is_nan() {
            return NOTHING;
        }
        let count = (f64::from(value) - self.offset) / self.step;
        count.round().clamp(0.0, f64::from(NOTHING - 1)) as u16
    }

    /// Returns the counts of a plane.
    #[must_use]
    pub fn counts(&self, plane: &[f32]) -> Vec<u16> {
        plane.iter().map(|&value| self.count(value)).collect()
    }

    /// Returns the counts of a plane that is drawn in classes: rounding neither lifts a value into
    /// the next class nor drops it into the one before, so the page and the maps agree about every
    /// cell.
    #[must_use]
    pub fn counts_in_classes(&self, plane: &[f32], scale: &ColourScale) -> Vec<u16> {
        let moved = |value: f32, count: u16, is_lifted: bool| {
            let rounded = self.offset + self.step * (f64::from(count) + 1.0e-4);
            let mut classes = scale.classes.iter();
            classes.any(|class| {
                let (is_in, is_drawn) = (value >= class.from, rounded >= f64::from(class.from));
                if is_lifted { is_drawn && !is_in } else { is_in && !is_drawn }
            })
        };
        let counts = plane.iter().map(|&value| (value, self.count(value)));
        let kept = |(value, count): (f32, u16)| match count {
            NOTHING => NOTHING,
            _ if moved(value, count, false) => count + 1,
            _ if count > 0 && moved(value, count, true) => count - 1,
            _ => count,
        };
        counts.map(kept).collect()
    }
}

/// Packs counts in rows of `width`, as their change from `before` (empty: from nought).
#[must_use]
pub fn pack(counts: &[u16], before: &[u16], width: usize) -> String {
    let before = before.iter().copied().chain(iter::repeat(0));
    let changes = counts.iter().zip(before);
    let changes: Vec<i16> =
        changes.map(|(now, before)| now.wrapping_sub(before).cast_signed()).collect();
    let mut high = Vec::with_capacity(counts.len());
    let mut low = Vec::with_capacity(counts.len());
    for (index, change) in changes.iter().enumerate() {
        let residual = change.wrapping_sub(predict(&changes, index, width));
        let [upper, lower] = zigzag(residual).to_be_bytes();
        high.push(upper);
        low.push(lower);
    }
    let mut packed = ZlibEncoder::new(Vec::new(), Compression::new(LEVEL));
    let written = packed
        .write_all(&high)
        .and_then(|()| packed.write_all(&low))
        .and_then(|()| packed.finish());
    STANDARD.encode(written.expect("writing to memory does not fail"))
}

/// Returns the value predicted from the cells to the west and north.
fn predict(changes: &[i16], index: usize, width: usize) -> i16 {
    let (column, row) = (index % width, index / width);
    match (column, row) {
        (0, 0) => 0,
        (_, 0) => changes[index - 1],
        (0, _) => changes[index - width],
        _ => {
            let (west, north) = (changes[index - 1], changes[index - width]);
            let corner = changes[index - width - 1];
            let (least, most) = (west.min(north), west.max(north));
            if corner >= most {
                least
            } else if corner <= least {
                most
            } else {
                west.wrapping_add(north).wrapping_sub(corner)
            }
        }
    }
}

/// Converts small differences of either sign to small numbers: 0, −1, 1, −2… → 0, 1, 2, 3…
fn zigzag(residual: i16) -> u16 {
    ((residual << 1) ^ (residual >> 15)).cast_unsigned()
}

/// Counts of a text that [`pack`] made of `count` of them, as the page unpacks it; `None` if it is
/// no such text.
#[must_use]
pub fn unpack(text: &str, before: &[u16], width: usize, count: usize) -> Option<Vec<u16>> {
    let bytes = STANDARD.decode(text).ok()?;
    let mut planes = Vec::new();
    let most = 2 * u64::try_from(count).ok()? + 1;
    ZlibDecoder::new(bytes.as_slice()).take(most).read_to_end(&mut planes).ok()?;
    if planes.len() != 2 * count || width == 0 {
        return None;
    }
    let (high, low) = planes.split_at(count);
    let mut changes = vec![0; count];
    for index in 0..count {
        let code = u16::from_be_bytes([high[index], low[index]]);
        let residual = ((code >> 1) ^ 0_u16.wrapping_sub(code & 1)).cast_signed();
        changes[index] = predict(&changes, index, width).wrapping_add(residual);
    }
    let before = before.iter().copied().chain(iter::repeat(0));
    let changes = changes.iter().zip(before);
    Some(changes.map(|(change, before)| before.wrapping_add(change.cast_unsigned())).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use kit::picture::colours::DEPTHS_M;

    #[test]
    fn planes_survive() {
        let smooth: Vec<u16> = (0..60 * 40).map(|i| 1000 + i % 60 * 3 + i / 60).collect();
        let wild: Vec<u16> = (0..35_u32)
            .map(|i| u16::try_from(i.wrapping_mul(2_654_435_761) >> 16).expect("16 bits"))
            .collect();
        for (counts, width) in [
            (vec![NOTHING], 1),
            (vec![0, NOTHING, 7, 65_534, 0, 1], 3),
            (vec![5; 9], 9),
            (vec![5, 6, 7], 1),
            (wild, 7),
            (smooth, 60),
        ] {
            let text = pack(&counts, &[], width);
            let count = counts.len();
            let unpacked = unpack(&text, &[], width, count);
            assert_eq!(unpacked.as_ref(), Some(&counts), "{count} × {width}");
            assert_eq!(unpack(&text, &[], width, count + 1), None);
            let before: Vec<u16> = counts.iter().rev().copied().collect();
            let text = pack(&counts, &before, width);
            assert_eq!(unpack(&text, &before, width, count), Some(counts), "{count} × {width}");
        }
    }

    #[test]
    fn smooth_planes_get_small() {
        let plane: Vec<u16> = (0..60_000).map(|i| 1000 + i % 400 * 3 + i / 400).collect();
        let size = pack(&plane, &[], 400).len();
        assert!(size < 4000, "{size} bytes");
    }

    /// The page draws, after rounding, the same classes as the maps.
    #[test]
    fn rounding_keeps_the_class() {
        let values: Vec<f32> = (0..30_000_u16).map(|i| f32::from(i) * 0.000_37).collect();
        for scale in [
            ColourScale::depth(&DEPTHS_M, 0.05),
            ColourScale::depth(&[0.033, 0.247, 1.111], 0.014),
            ColourScale::speed(),
            ColourScale::hazard(0.025),
        ] {
            let counting = Counting::covering(0.0, 12.0, 0.01);
            let counts = counting.counts_in_classes(&values, &scale);
            for (value, count) in values.iter().zip(counts) {
                // This is the rule of `classTable` of page/record.js.
                let first = |from: f32| (f64::from(from) / counting.step - 1.0e-4).ceil();
                let drawn = scale.classes.iter().rev();
                let mut drawn = drawn.filter(|class| f64::from(count) >= first(class.from));
                assert_eq!(drawn.next(), scale.class_of(*value), "{value} as {count}");
            }
        }
    }

    #[test]
    fn counts_cover_the_range() {
        let bed = Counting::covering(-12.0, 2500.0, 0.01);
        assert_eq!(
            (bed.count(-12.0), bed.count(2500.0), bed.count(f32::NAN)),
            (0, 25_120, NOTHING)
        );
        let depth = Counting::covering(0.0, 655.32, 0.01);
        assert_eq!((depth.count(655.32), depth.count(9999.0)), (65_532, 65_534));
        assert_eq!((depth.count(-1.0), depth.count(0.016)), (0, 2));
    }
}
