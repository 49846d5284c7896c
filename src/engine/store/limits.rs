//! Limits on the memory and space that a file or a server may take in this process.
//!
//! A file or a stream from outside gives its own size: a head of 48 bytes may describe 17 billion
//! cells, and a stream may send frames without end. Every function that loads, streams or mirrors a
//! world takes [`Limits`], and checks them before it takes memory or writes.
//!
//! ```
//! use thalweg_engine::store::Limits;
//! let limits = Limits::default().bytes(16 << 30);
//! assert_eq!(limits.frames, Limits::default().frames);
//! ```
//!
//! Guarantees: a load over a limit is refused before memory is taken for it, and the error names
//!             the limit (`tests/limits`).
//! Limits:     the memory of a load is estimated, within a factor of three; the memory of a world
//!             later, when its leaves change, is bounded by its cells alone.

use std::fmt;

/// Limits on the memory and space that a file or a server may take in this process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Bytes of memory that loading a world may take; of a mirror, bytes of the extents of a
    /// commit. 4 GiB by default, a quarter of the memory of an ordinary computer: the library does
    /// not examine the machine.
    pub bytes: u64,
    /// Cells that the leaves of a world may have together, now or after they change: 2²⁸ by
    /// default.
    pub cells: u64,
    /// Frames of a commit that a mirror takes: 2¹³ by default, twice the frames of 4 GiB.
    pub frames: u32,
}

impl Default for Limits {
    fn default() -> Self {
        // A frame of 2 MiB has no room for a second extent of 1 MiB: 4 GiB may need 2¹² frames.
        Self { bytes: 4 << 30, cells: 1 << 28, frames: 1 << 13 }
    }
}

impl Limits {
    /// No limits: for worlds that this process wrote itself.
    pub const NONE: Self = Self { bytes: u64::MAX, cells: u64::MAX, frames: u32::MAX };

    /// Sets the limit on bytes.
    #[must_use]
    pub const fn bytes(mut self, bytes: u64) -> Self {
        self.bytes = bytes;
        self
    }

    /// Sets the limit on cells.
    #[must_use]
    pub const fn cells(mut self, cells: u64) -> Self {
        self.cells = cells;
        self
    }

    /// Sets the limit on frames.
    #[must_use]
    pub const fn frames(mut self, frames: u32) -> Self {
        self.frames = frames;
        self
    }

    /// Returns an error if more bytes are needed.
    ///
    /// # Errors
    ///
    /// [`OverLimit`].
    pub fn check_bytes(&self, what: &'static str, needs: u64) -> Result<(), OverLimit> {
        check(Limit::Bytes, what, needs, self.bytes)
    }

    /// Returns an error if more cells are needed.
    ///
    /// # Errors
    ///
    /// [`OverLimit`].
    pub fn check_cells(&self, what: &'static str, needs: u64) -> Result<(), OverLimit> {
        check(Limit::Cells, what, needs, self.cells)
    }

    /// Returns an error if more frames are needed.
    ///
    /// # Errors
    ///
    /// [`OverLimit`].
    pub fn check_frames(&self, what: &'static str, needs: u64) -> Result<(), OverLimit> {
        check(Limit::Frames, what, needs, self.frames.into())
    }
}

/// Part of [`Limits::bytes`] taken so far.
#[derive(Debug, Clone)]
pub struct Tally {
    limits: Limits,
    bytes: u64,
}

impl Tally {
    /// Creates a tally of which nothing is taken yet.
    pub fn of(limits: Limits) -> Self {
        Self { limits, bytes: 0 }
    }

    /// Returns the limits.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// True if this many more bytes may be taken.
    pub fn has_room(&self, bytes: u64) -> bool {
        self.bytes.saturating_add(bytes) <= self.limits.bytes
    }

    /// Counts bytes that are about to be taken.
    ///
    /// # Errors
    ///
    /// [`OverLimit`], whose `needs` includes all bytes taken before.
    pub fn take(&mut self, what: &'static str, bytes: u64) -> Result<(), OverLimit> {
        let all = self.bytes.saturating_add(bytes);
        self.limits.check_bytes(what, all)?;
        self.bytes = all;
        Ok(())
    }
}

fn check(limit: Limit, what: &'static str, needs: u64, most: u64) -> Result<(), OverLimit> {
    if needs <= most { Ok(()) } else { Err(OverLimit { limit, what, needs, most }) }
}

/// Kind of limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Limit {
    /// The limit [`Limits::bytes`].
    Bytes,
    /// The limit [`Limits::cells`].
    Cells,
    /// The limit [`Limits::frames`].
    Frames,
}

/// The error of exceeding a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OverLimit {
    /// The limit.
    pub limit: Limit,
    /// Thing that would exceed the limit.
    pub what: &'static str,
    /// Smallest amount that it needs.
    pub needs: u64,
    /// Largest amount allowed.
    pub most: u64,
}

impl fmt::Display for OverLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { limit, what, needs, most } = *self;
        match limit {
            Limit::Bytes => write!(
                f,
                "{what} takes {}, and `Limits::bytes` allows {}: allow more if you trust where it \
                 comes from",
                BytesInWords(needs),
                BytesInWords(most)
            ),
            Limit::Cells => write!(
                f,
                "{what} has {needs} cells, and `Limits::cells` allows {most}: allow more if you \
                 trust where it comes from"
            ),
            Limit::Frames => write!(
                f,
                "{what} comes in {needs} frames or more, and `Limits::frames` allows {most}: allow \
                 more if you trust where it comes from"
            ),
        }
    }
}

impl std::error::Error for OverLimit {}

/// Bytes in words.
#[derive(Debug, Clone, Copy)]
struct BytesInWords(u64);

impl fmt::Display for BytesInWords {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        #[expect(clippy::cast_precision_loss, reason = "two digits are shown")]
        let bytes = self.0 as f64;
        let [kib, gib] = [1024.0, 1024.0 * 1024.0 * 1024.0];
        match bytes {
            _ if bytes < kib => write!(f, "{} bytes", self.0),
            _ if bytes < kib * kib => write!(f, "{:.1} KiB", bytes / kib),
            _ if bytes < gib => write!(f, "{:.1} MiB", bytes / (kib * kib)),
            _ => write!(f, "{:.1} GiB", bytes / gib),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_over_a_limit_is_named() {
        let limits = Limits::default().bytes(3 << 20).cells(9).frames(2);
        assert!(limits.check_bytes("it", 3 << 20).is_ok());
        let over = |check: Result<(), OverLimit>| check.expect_err("over").to_string();
        let line = over(limits.check_bytes("a world", 5 << 30));
        assert!(line.starts_with("a world takes 5.0 GiB, and `Limits::bytes` allows 3.0 MiB:"));
        let line = over(limits.check_cells("a world", 10));
        assert!(line.starts_with("a world has 10 cells, and `Limits::cells` allows 9:"), "{line}");
        let line = over(limits.check_frames("a commit", 3));
        assert!(line.contains("`Limits::frames` allows 2"), "{line}");
    }
}
