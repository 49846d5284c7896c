//! Meaning of the bands of a raster of rain: the time over which a depth is summed, and the end of
//! it that the time of a band names.

use std::str::FromStr;

use crate::quantity::read_as_typed;

read_as_typed!(BandSums, Stamps);

/// Time over which a depth of rain is summed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BandSums {
    /// Each band contains the depth of its own step.
    EachStep,
    /// Each band contains the depth since the beginning of all.
    FromStart,
}

/// Moment of a period that the time of its band names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stamps {
    /// A band falls from its time on.
    Begin,
    /// A band falls until its time.
    End,
}

impl FromStr for BandSums {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.trim() {
            "each-step" => Ok(Self::EachStep),
            "from-start" => Ok(Self::FromStart),
            _ => Err(format!(
                "`{text}` does not say over which time rain is summed: write each-step or \
                 from-start"
            )),
        }
    }
}

impl FromStr for Stamps {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.trim() {
            "begin" => Ok(Self::Begin),
            "end" => Ok(Self::End),
            _ => Err(format!("`{text}` is no end of a period: write begin or end")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn meanings_of_bands_are_read_as_typed() {
        assert_eq!("each-step".parse(), Ok(BandSums::EachStep));
        assert_eq!("from-start".parse(), Ok(BandSums::FromStart));
        assert_eq!("begin".parse(), Ok(Stamps::Begin));
        assert_eq!("end".parse(), Ok(Stamps::End));
        assert!("total".parse::<BandSums>().is_err_and(|wrong| wrong.contains("from-start")));
        assert!("middle".parse::<Stamps>().is_err_and(|wrong| wrong.contains("begin or end")));
    }
}
