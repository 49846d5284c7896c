//! Reasons why bytes cannot be decoded as a plane.

use std::fmt;

/// Reason why bytes cannot be decoded as a plane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Corrupt {
    /// The bytes end early.
    TooShort,
    /// The bytes continue after the end of the plane.
    TooLong {
        /// Bytes left over.
        left: usize,
    },
    /// Byte 0 is not the number of a form.
    Form(u8),
    /// The plane is a depth over a bed, and is read without the bed.
    NeedsBed,
    /// Cells are shifted by more than 31 bits.
    Shift(u8),
    /// The residuals of a group have more than 32 bits.
    Width {
        /// The group.
        group: usize,
        /// Width found.
        width: u8,
    },
}

impl fmt::Display for Corrupt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooShort => write!(f, "the plane ends before its last cell"),
            Self::TooLong { left } => write!(f, "{left} bytes follow the end of the plane"),
            Self::Form(form) => write!(f, "the plane has form {form}, of which nothing is known"),
            Self::NeedsBed => write!(f, "the plane is a depth that is read over its bed alone"),
            Self::Shift(shift) => write!(f, "the cells are shifted by {shift} bits, at most 31"),
            Self::Width { group, width } => {
                write!(f, "the cells of group {group} have {width} bits, at most 32")
            }
        }
    }
}

impl std::error::Error for Corrupt {}
