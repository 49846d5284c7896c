//! Unit and direction of the values of a heightmap.
//!
//! Source:     names of units as in EPSG's registry, GDAL and PROJ.

use std::fmt;
use std::str::FromStr;

use serde::Deserialize;

use crate::length::LengthUnit;

/// Higher or lower is no terrain but an unmarked NoData value (or centimetres).
pub(crate) const HEIGHT_MAX_M: f64 = 20_000.0;

/// Names of units, without spaces and signs, in small letters, and EPSG's codes.
const NAMES: [(&str, u16); 47] = [
    ("m", 9001),
    ("metre", 9001),
    ("metres", 9001),
    ("meter", 9001),
    ("meters", 9001),
    ("mtr", 9001),
    ("ft", 9002),
    ("foot", 9002),
    ("feet", 9002),
    ("ift", 9002),
    ("ftint", 9002),
    ("intft", 9002),
    ("internationalfoot", 9002),
    ("internationalfeet", 9002),
    ("footinternational", 9002),
    ("ftus", 9003),
    ("usft", 9003),
    ("sft", 9003),
    ("footus", 9003),
    ("usfoot", 9003),
    ("usfeet", 9003),
    ("feetus", 9003),
    ("ussurveyfoot", 9003),
    ("ussurveyfeet", 9003),
    ("surveyfoot", 9003),
    ("surveyfeet", 9003),
    ("footussurvey", 9003),
    ("cm", 1033),
    ("centimetre", 1033),
    ("centimetres", 1033),
    ("centimeter", 1033),
    ("centimeters", 1033),
    ("mm", 1025),
    ("millimetre", 1025),
    ("millimetres", 1025),
    ("millimeter", 1025),
    ("millimeters", 1025),
    ("km", 9036),
    ("kilometre", 9036),
    ("kilometres", 9036),
    ("kilometer", 9036),
    ("kilometers", 9036),
    ("yd", 9096),
    ("yard", 9096),
    ("yards", 9096),
    ("fathom", 9014),
    ("fathoms", 9014),
];

/// Names of units that EPSG does not list, and their metres.
const UNLISTED: [(&str, f64); 6] = [
    ("dm", 0.1),
    ("decimetre", 0.1),
    ("decimetres", 0.1),
    ("decimeter", 0.1),
    ("decimeters", 0.1),
    ("in", 0.0254),
];

/// Returns the unit of heights with a name; `None` if the name is not one of a length.
pub(crate) fn unit_named(text: &str) -> Option<LengthUnit> {
    let letters = text.chars().filter(|c| c.is_alphanumeric());
    let name: String = letters.flat_map(char::to_lowercase).collect();
    // Other signs change the meaning: `m/s` is not `ms`.
    let is_word = text.chars().all(|c| c.is_alphanumeric() || " -_.()[]".contains(c));
    let listed = NAMES.iter().find(|(known, _)| *known == name);
    let unlisted = || UNLISTED.iter().find(|(known, _)| *known == name);
    match listed {
        _ if !is_word => None,
        Some((_, code)) => LengthUnit::of_code(*code),
        None => unlisted().and_then(|(_, metres)| LengthUnit::of_metres(*metres)),
    }
}

/// Unit of a heightmap's values, as a user states it (`--height-unit`).
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(try_from = "String")]
pub struct HeightUnit(pub(crate) LengthUnit);

impl FromStr for HeightUnit {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        unit_named(text).map(Self).ok_or_else(|| {
            format!("`{text}` is not a unit of heights: write m, ft, us-ft, cm, mm, dm or km")
        })
    }
}

impl TryFrom<String> for HeightUnit {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl fmt::Display for HeightUnit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Direction in which the values of a heightmap grow (`--heights-are`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub enum HeightDirection {
    /// Heights: positive upwards.
    #[serde(rename = "heights")]
    Up,
    /// Depths below a datum, as on charts: positive downwards.
    #[serde(rename = "depths")]
    Down,
}

impl FromStr for HeightDirection {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "heights" => Ok(Self::Up),
            "depths" => Ok(Self::Down),
            _ => Err(format!("`{text}` is not a direction: write heights or depths")),
        }
    }
}

impl fmt::Display for HeightDirection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Up => "up, heights",
            Self::Down => "down, depths",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_have_many_names() {
        for (text, metres) in [
            ("m", 1.0),
            ("Metre", 1.0),
            ("[m]", 1.0),
            ("US survey foot", 1200.0 / 3937.0),
            ("us-ft", 1200.0 / 3937.0),
            ("foot_us", 1200.0 / 3937.0),
            ("ft (US)", 1200.0 / 3937.0),
            ("Feet", 0.3048),
            ("cm", 0.01),
            ("dm", 0.1),
            ("km", 1000.0),
        ] {
            let unit = unit_named(text).map(LengthUnit::metres);
            assert!(unit.is_some_and(|unit| (unit - metres).abs() < 1.0e-12), "{text}: {unit:?}");
        }
        for text in ["", "m/s", "mm/h", "%", "furlongs"] {
            assert!(unit_named(text).is_none(), "{text}");
        }
    }

    #[test]
    fn every_name_has_its_unit() {
        for name in NAMES.map(|(name, _)| name).into_iter().chain(UNLISTED.map(|(name, _)| name)) {
            assert!(unit_named(name).is_some(), "{name}");
        }
    }
}
