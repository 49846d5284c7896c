//! Why numbers for the eye are refused.

use std::fmt;

/// Why numbers for the eye are refused.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum LooksError {
    /// A coordinate is not a finite number.
    Place {
        /// Index of the place, from 0.
        index: usize,
        /// The place, m.
        place_m: [f64; 2],
    },
    /// A span of time is negative, infinite or not a number.
    Seconds(f64),
    /// A number is out of its range.
    Number {
        /// Name of the number, with its unit.
        name: &'static str,
        /// The number.
        value: f64,
        /// Range of the number.
        range: &'static str,
    },
}

impl LooksError {
    /// Refuses a number that is not above 0, or infinite.
    pub(super) fn unless_positive(name: &'static str, value: f64) -> Result<(), Self> {
        let range = "a finite number above 0";
        if value.is_finite() && value > 0.0 {
            Ok(())
        } else {
            Err(Self::Number { name, value, range })
        }
    }

    /// Refuses a number that is negative, or infinite.
    pub(super) fn if_negative(name: &'static str, value: f64) -> Result<(), Self> {
        let range = "a finite number, 0 or more";
        if value.is_finite() && value >= 0.0 {
            Ok(())
        } else {
            Err(Self::Number { name, value, range })
        }
    }
}

impl fmt::Display for LooksError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Place { index, place_m: [x, y] } => write!(
                f,
                "place {index} (from 0) is at {x}, {y}: give finite metres east and north of the \
                 world's south-west corner"
            ),
            Self::Seconds(seconds) => {
                write!(f, "nothing drifts for {seconds} s: give a finite span, 0 or more")
            }
            Self::Number { name, value, range } => write!(f, "{name} is {value}: give {range}"),
        }
    }
}

impl std::error::Error for LooksError {}
