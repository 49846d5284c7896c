//! One row of a block: from uncompressed bytes to values.
//!
//! Guarantees: every stored value of up to 32 bits, and every 64-bit float, is kept exactly.
//! Source:     TIFF revision 6.0 (1992), section 14 (horizontal differences); Adobe Photoshop TIFF
//!             technical note 3 (2005), floating point predictor.

use half::f16;

use super::directory::TiffByteOrder;

/// Kinds of samples by SampleFormat and bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TiffSample {
    /// One bit, eight in a byte; of masks alone.
    Bit,
    /// Unsigned, this many bytes: 1, 2, 4 or 8.
    Unsigned(usize),
    /// Two's complement, this many bytes: 1, 2, 4 or 8.
    Signed(usize),
    /// IEEE 754, this many bytes: 2, 4 or 8.
    Float(usize),
}

impl TiffSample {
    /// Returns the kind with this SampleFormat and BitsPerSample.
    pub(super) fn new(format: u64, bits: u64) -> Option<Self> {
        let bytes = match bits {
            8 => 1,
            16 => 2,
            32 => 4,
            64 => 8,
            _ => return None,
        };
        match format {
            1 | 4 => Some(Self::Unsigned(bytes)),
            2 => Some(Self::Signed(bytes)),
            3 if bytes >= 2 => Some(Self::Float(bytes)),
            _ => None,
        }
    }

    /// Bytes of one sample, or of eight bits.
    pub(super) fn bytes(self) -> usize {
        match self {
            Self::Bit => 1,
            Self::Unsigned(bytes) | Self::Signed(bytes) | Self::Float(bytes) => bytes,
        }
    }

    /// Returns the bytes of a row of `count` samples.
    pub(super) fn row_bytes(self, count: usize) -> usize {
        if self == Self::Bit { count.div_ceil(8) } else { count * self.bytes() }
    }

    /// Fills `values` from the little-endian samples in `bytes`.
    pub(super) fn values(self, bytes: &[u8], values: &mut [f64]) {
        match self {
            Self::Bit => {
                for (index, value) in values.iter_mut().enumerate() {
                    *value = f64::from(bytes[index / 8] >> (7 - index % 8) & 1);
                }
            }
            Self::Unsigned(1) => fill(bytes, values, |b| f64::from(u8::from_le_bytes(b))),
            Self::Unsigned(2) => fill(bytes, values, |b| f64::from(u16::from_le_bytes(b))),
            Self::Unsigned(4) => fill(bytes, values, |b| f64::from(u32::from_le_bytes(b))),
            Self::Unsigned(_) => fill(bytes, values, |b| u64::from_le_bytes(b) as f64),
            Self::Signed(1) => fill(bytes, values, |b| f64::from(i8::from_le_bytes(b))),
            Self::Signed(2) => fill(bytes, values, |b| f64::from(i16::from_le_bytes(b))),
            Self::Signed(4) => fill(bytes, values, |b| f64::from(i32::from_le_bytes(b))),
            Self::Signed(_) => fill(bytes, values, |b| i64::from_le_bytes(b) as f64),
            Self::Float(2) => fill(bytes, values, |b| f64::from(f16::from_le_bytes(b))),
            Self::Float(4) => fill(bytes, values, |b| f64::from(f32::from_le_bytes(b))),
            Self::Float(_) => fill(bytes, values, f64::from_le_bytes),
        }
    }
}

fn fill<const N: usize>(bytes: &[u8], values: &mut [f64], value: impl Fn([u8; N]) -> f64) {
    let (samples, _) = bytes.as_chunks();
    for (cell, sample) in values.iter_mut().zip(samples) {
        *cell = value(*sample);
    }
}

/// Prediction that was applied to a row before it was compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Predictor {
    /// No prediction.
    None,
    /// Every sample became its difference from the one before.
    Horizontal,
    /// Bytes were sorted by significance, then every byte became its difference.
    Float,
}

/// Storage of the samples of a row in the file.
#[derive(Debug, Clone, Copy)]
pub(super) struct SampleStorage {
    /// Bytes of a sample.
    pub(super) size: usize,
    /// Values of a cell, side by side.
    pub(super) channels: usize,
    pub(super) order: TiffByteOrder,
}

impl Predictor {
    /// Turns a whole row of a block into little-endian samples, in place.
    ///
    /// `scratch` is overwritten if it is needed.
    pub(super) fn undo(self, row: &mut [u8], stored: SampleStorage, scratch: &mut Vec<u8>) {
        let SampleStorage { size, channels, order } = stored;
        if self == Self::Float {
            undo_float(row, size, channels, scratch);
            return;
        }
        if order == TiffByteOrder::Big {
            row.chunks_exact_mut(size).for_each(<[u8]>::reverse);
        }
        if self == Self::Horizontal {
            match size {
                1 => sum(row, channels, u8::from_le_bytes, u8::wrapping_add, u8::to_le_bytes),
                2 => sum(row, channels, u16::from_le_bytes, u16::wrapping_add, u16::to_le_bytes),
                4 => sum(row, channels, u32::from_le_bytes, u32::wrapping_add, u32::to_le_bytes),
                _ => sum(row, channels, u64::from_le_bytes, u64::wrapping_add, u64::to_le_bytes),
            }
        }
    }
}

/// Adds to every sample the one of the same channel in the cell before.
fn sum<const N: usize, T: Copy + Default>(
    row: &mut [u8],
    channels: usize,
    from: impl Fn([u8; N]) -> T,
    add: impl Fn(T, T) -> T,
    to: impl Fn(T) -> [u8; N],
) {
    let (samples, _) = row.as_chunks_mut();
    for first in 0..channels {
        let mut last = T::default();
        for sample in samples.iter_mut().skip(first).step_by(channels) {
            last = add(last, from(*sample));
            *sample = to(last);
        }
    }
}

fn undo_float(row: &mut [u8], size: usize, channels: usize, scratch: &mut Vec<u8>) {
    sum(row, channels, u8::from_le_bytes, u8::wrapping_add, u8::to_le_bytes);
    scratch.clear();
    scratch.extend_from_slice(row);
    let count = row.len() / size;
    for (index, sample) in row.chunks_exact_mut(size).enumerate() {
        // The most significant bytes of all samples are first.
        for (significance, byte) in sample.iter_mut().rev().enumerate() {
            *byte = scratch[significance * count + index];
        }
    }
}

/// Applies the floating point predictor to a row of single-precision samples; fills `bytes`.
pub(super) fn predict_floats(row: &[f32], bytes: &mut Vec<u8>) {
    bytes.clear();
    for significance in 0..4 {
        bytes.extend(row.iter().map(|sample| sample.to_be_bytes()[significance]));
    }
    for index in (1..bytes.len()).rev() {
        bytes[index] = bytes[index].wrapping_sub(bytes[index - 1]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stored(size: usize, channels: usize, order: TiffByteOrder) -> SampleStorage {
        SampleStorage { size, channels, order }
    }

    #[test]
    fn the_float_predictor_is_its_own_inverse() {
        let row = [1.5, -2.25, f32::MIN, 0.0, -0.0, 3.0e-40, f32::NAN];
        let (mut bytes, mut scratch) = (Vec::new(), Vec::new());
        predict_floats(&row, &mut bytes);
        Predictor::Float.undo(&mut bytes, stored(4, 1, TiffByteOrder::Big), &mut scratch);
        let expected: Vec<u8> = row.iter().flat_map(|sample| sample.to_le_bytes()).collect();
        assert_eq!(bytes, expected);
    }

    #[test]
    fn differences_wrap() {
        let mut row = [250, 10, 246];
        Predictor::Horizontal.undo(&mut row, stored(1, 1, TiffByteOrder::Little), &mut Vec::new());
        assert_eq!(row, [250, 4, 250]);
        Predictor::Horizontal.undo(&mut row, stored(1, 2, TiffByteOrder::Little), &mut Vec::new());
        assert_eq!(row, [250, 4, 244]);
        let mut row = [0xff, 0xf0, 0x00, 0x20];
        Predictor::Horizontal.undo(&mut row, stored(2, 1, TiffByteOrder::Big), &mut Vec::new());
        assert_eq!(row, [0xf0, 0xff, 0x10, 0x00]);
    }
}
