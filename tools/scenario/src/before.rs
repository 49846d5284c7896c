//! Water that exists before the event, as a user gives it: the sea's level, classes of water.

use std::fmt;
use std::str::FromStr;

use crate::quantity::{Metres, Quantity, read_as_typed};

read_as_typed!(SeaLevel, WaterClasses);

/// The level of the sea before the event.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum SeaLevel {
    /// The level that the map and the tables of stages show.
    #[default]
    Auto,
    /// No sea: every cell that becomes wet counts as flooded.
    None,
    /// A level, m above the map's zero.
    At(f64),
}

impl FromStr for SeaLevel {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.trim() {
            "auto" => Ok(Self::Auto),
            "none" => Ok(Self::None),
            level => level.parse().map(Metres::si).map(Self::At).map_err(|wrong| {
                format!("`{text}` is no level of the sea: write auto, none or metres ({wrong})")
            }),
        }
    }
}

impl fmt::Display for SeaLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Auto => f.write_str("auto"),
            Self::None => f.write_str("none"),
            Self::At(level_m) => write!(f, "{level_m} m"),
        }
    }
}

/// Classes of a land-cover raster that are water: `1` or `40,41`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WaterClasses(pub Vec<i32>);

impl FromStr for WaterClasses {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let classes = text.split(',').map(|class| class.trim().parse());
        classes.collect::<Result<_, _>>().map(Self).map_err(|_| {
            format!("`{text}` are no classes: write their whole numbers, like 40 or 40,41")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_and_classes_are_read_as_typed() {
        for (text, expected) in [
            ("auto", SeaLevel::Auto),
            ("none", SeaLevel::None),
            ("-0.5", SeaLevel::At(-0.5)),
            ("20cm", SeaLevel::At(0.2)),
        ] {
            assert_eq!(text.parse(), Ok(expected));
        }
        assert!("high".parse::<SeaLevel>().is_err_and(|wrong| wrong.contains("auto, none")));
        assert_eq!("40, 41".parse(), Ok(WaterClasses(vec![40, 41])));
        for text in ["", "river", "1,,2", "1.5"] {
            assert!(text.parse::<WaterClasses>().is_err(), "{text}");
        }
    }
}
