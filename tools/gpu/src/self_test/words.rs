//! Seeded words that lean to the edges.

use thalweg_engine::units::hash::scramble;

/// A stream of words, the same for the same seed.
#[derive(Debug)]
pub struct SeededWords(u64);

impl SeededWords {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns any 64 bits.
    pub fn wide(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        scramble(self.0)
    }

    /// Returns any word; each fourth is an edge: few bits, or all but few.
    #[expect(clippy::cast_possible_truncation, reason = "a half of the bits")]
    pub fn word(&mut self) -> u32 {
        let drawn = self.wide();
        let (word, shift) = (drawn as u32, (drawn >> 32) as u32 & 31);
        match drawn >> 61 {
            0 => word >> shift,
            1 => !(word >> shift),
            _ => word,
        }
    }

    /// Returns a number from 0 to `most`, of any magnitude.
    pub fn below(&mut self, most: u32) -> u32 {
        let word = self.word();
        if most == u32::MAX { word } else { word % (most + 1) }
    }

    /// Returns a positive float from 2^`least` to below 2^`above`; each fourth has a significand of
    /// few bits, or of all but few.
    pub fn positive(&mut self, least: i32, above: i32) -> f32 {
        let word = self.word();
        let count = (above - least).cast_unsigned();
        let exponent = (self.word() % count).wrapping_add_signed(least + 127);
        // The low bits of a word of few bits, or its high bits: significands near both ends.
        let significand = if self.wide() & 1 == 0 { word & 0x7f_ffff } else { word >> 9 };
        f32::from_bits((exponent << 23) | significand)
    }

    /// Returns a float of either sign from 2^`least` to below 2^`above`.
    pub fn float(&mut self, least: i32, above: i32) -> f32 {
        let size = self.positive(least, above);
        if self.wide() & 1 == 0 { size } else { -size }
    }

    /// Returns a number as [`float`](Self::float) does, or +0 for each sixteenth.
    pub fn float_or_zero(&mut self, least: i32, above: i32) -> f32 {
        if self.wide().is_multiple_of(16) { 0.0 } else { self.float(least, above) }
    }

    /// Returns a float a few units of the last place from `x`, or `x`.
    pub fn near(&mut self, x: f32) -> f32 {
        f32::from_bits(x.to_bits().wrapping_add(self.below(8)).wrapping_sub(4))
    }
}
