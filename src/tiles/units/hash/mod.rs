//! A 64-bit hash of the state, the same on every machine.
//!
//! Guarantees: equal states have equal hashes on every target; a changed bit changes the hash with
//!             probability 1 − 2⁻⁶⁴.
//! Limits:     not a cryptographic hash: it finds accidents, not forgeries.
//! Source:     own chain over the finaliser of SplitMix64 (Steele, Lea & Flood 2014).

pub mod fields;

/// Applies the finaliser of SplitMix64: every bit of the result depends on every bit of `x`.
#[inline(always)]
#[must_use]
pub const fn scramble(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// A hasher that collects the state word by word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StateHasher(u64);

impl StateHasher {
    /// Returns a hasher of no words.
    #[must_use]
    pub const fn new() -> Self {
        // The first 64 bits of the fraction of π. `scramble(0)` is 0, so from 0 on any count of
        // words of 0 would give the same hash.
        Self(0x243f_6a88_85a3_08d3)
    }

    /// Adds a word.
    #[inline]
    pub fn add(&mut self, word: u64) {
        self.0 = scramble(self.0.rotate_left(23) ^ word.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    }

    /// Adds a 128-bit integer.
    #[expect(clippy::cast_possible_truncation, reason = "low half, then high half")]
    pub fn add_wide(&mut self, word: i128) {
        self.add(word.cast_unsigned() as u64);
        self.add((word.cast_unsigned() >> 64) as u64);
    }

    /// Adds a text.
    pub fn add_text(&mut self, text: &str) {
        text.bytes().for_each(|byte| self.add(u64::from(byte)));
        // With the length behind the bytes, "ab" and "c" give other words than "a" and "bc".
        self.add(text.len() as u64);
    }

    /// Returns the hash so far.
    #[must_use]
    pub const fn finish(self) -> u64 {
        self.0
    }
}

impl Default for StateHasher {
    fn default() -> Self {
        Self::new()
    }
}
