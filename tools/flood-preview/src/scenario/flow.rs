//! The words of `[flow]`: which equations move the water.

use std::fmt;
use std::str::FromStr;

use crate::quantity::read_as_typed;

read_as_typed!(Solver);

/// Which equations move the water.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Solver {
    /// Virtual pipes: gravity and friction, no transport of momentum.
    Pipe,
    /// Full shallow water equations.
    #[default]
    Swe,
}

impl FromStr for Solver {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "pipe" => Ok(Self::Pipe),
            "swe" => Ok(Self::Swe),
            _ => Err(format!("`{text}` is no solver: write swe or pipe")),
        }
    }
}

impl fmt::Display for Solver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Pipe => "pipe",
            Self::Swe => "swe",
        })
    }
}
