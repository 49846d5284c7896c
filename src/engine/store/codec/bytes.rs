//! Reading numbers from the front of a slice.

use crate::store::codec::Corrupt;

/// Bytes not yet read.
#[derive(Debug, Clone, Copy)]
pub struct Bytes<'a>(pub &'a [u8]);

impl<'a> Bytes<'a> {
    /// Takes the next byte.
    ///
    /// # Errors
    ///
    /// [`Corrupt::TooShort`] if no byte is left; all `take` functions return this error.
    pub fn take_byte(&mut self) -> Result<u8, Corrupt> {
        self.take_array().map(|[byte]| byte)
    }

    /// Takes the next `N` bytes.
    ///
    /// # Errors
    ///
    /// The errors of [`Self::take_byte`].
    pub fn take_array<const N: usize>(&mut self) -> Result<[u8; N], Corrupt> {
        let (taken, rest) = self.0.split_first_chunk().ok_or(Corrupt::TooShort)?;
        self.0 = rest;
        Ok(*taken)
    }

    /// Takes the next `count` bytes.
    ///
    /// # Errors
    ///
    /// The errors of [`Self::take_byte`].
    pub fn take(&mut self, count: usize) -> Result<&'a [u8], Corrupt> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or(Corrupt::TooShort)?;
        self.0 = rest;
        Ok(taken)
    }

    /// Checks that no bytes are left.
    ///
    /// # Errors
    ///
    /// [`Corrupt::TooLong`] if bytes are left.
    pub fn end(self) -> Result<(), Corrupt> {
        if self.0.is_empty() { Ok(()) } else { Err(Corrupt::TooLong { left: self.0.len() }) }
    }
}
