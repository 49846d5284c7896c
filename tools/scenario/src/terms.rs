//! Small values of a scenario besides places: qualities, columns, cell sizes, ranges, soils.
//!
//! Each type parses the text that a user types, so a word means the same on the command line and in
//! a scenario file. Nothing here reads files or the map.

use std::fmt;
use std::str::FromStr;

use crate::quantity::{Metres, Quantity, Rate, read_as_typed};
use crate::spelling::meant;

read_as_typed!(
    Quality,
    ColumnsChoice,
    CellSides,
    MapSize,
    HeightRange,
    DegreeLength,
    GreenAmptSoil
);

/// Number of cells that may be simulated for a first answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quality {
    /// At most 300,000 cells: an answer in seconds.
    Draft,
    /// At most 2.5 million cells.
    Normal,
    /// Every cell of the map.
    Fine,
}

impl Quality {
    /// Returns the largest number of cells, if it is limited.
    #[must_use]
    pub fn cells_max(self) -> Option<usize> {
        match self {
            Self::Draft => Some(300_000),
            Self::Normal => Some(2_500_000),
            Self::Fine => None,
        }
    }
}

impl FromStr for Quality {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "draft" => Ok(Self::Draft),
            "normal" => Ok(Self::Normal),
            "fine" => Ok(Self::Fine),
            _ => {
                let meant = meant(text, ["draft", "normal", "fine"]);
                Err(format!("`{text}` is no quality{meant}: write draft, normal or fine"))
            }
        }
    }
}

impl fmt::Display for Quality {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Draft => "draft",
            Self::Normal => "normal",
            Self::Fine => "fine",
        })
    }
}

/// Representation of the ground in simulated cells that are wider than the map's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ColumnsChoice {
    /// Tables of the ground in each cell, made of finer cells.
    #[default]
    SubGrid,
    /// The mean height of the ground in each cell.
    Flat,
}

impl FromStr for ColumnsChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "sub-grid" => Ok(Self::SubGrid),
            "flat" => Ok(Self::Flat),
            _ => {
                let meant = meant(text, ["sub-grid", "flat"]);
                Err(format!("`{text}` is no kind of columns{meant}: write sub-grid or flat"))
            }
        }
    }
}

impl fmt::Display for ColumnsChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::SubGrid => "sub-grid",
            Self::Flat => "flat",
        })
    }
}

/// Two positive numbers: `5` for both or `61x93`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CellSides {
    /// West to east, m.
    pub x: f64,
    /// North to south, m.
    pub y: f64,
}

impl FromStr for CellSides {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (x, y) = text.split_once('x').unwrap_or((text, text));
        let size = Self { x: x.parse::<Metres>()?.si(), y: y.parse::<Metres>()?.si() };
        if size.x > 0.0 && size.y > 0.0 {
            Ok(size)
        } else {
            Err(format!("`{text}` is no cell size: write metres above 0, like 5 or 61x93"))
        }
    }
}

/// Columns and rows: `1024x768`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MapSize {
    /// Number of columns.
    pub width: usize,
    /// Number of rows.
    pub height: usize,
}

impl FromStr for MapSize {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("`{text}` is no map size: write columns x rows, like 1025x1025");
        let (width, height) = text.split_once('x').ok_or_else(wrong)?;
        let count = |part: &str| part.trim().parse().ok().filter(|&count: &usize| count > 0);
        Ok(Self {
            width: count(width).ok_or_else(wrong)?,
            height: count(height).ok_or_else(wrong)?,
        })
    }
}

/// Lowest and highest elevation of a heightmap's samples: `0..512`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HeightRange {
    /// Elevation of sample 0, m.
    pub low: f64,
    /// Elevation of the largest sample, m.
    pub high: f64,
}

impl FromStr for HeightRange {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("`{text}` is no height range: write metres, like 0..512");
        let (low, high) = text.split_once("..").ok_or_else(wrong)?;
        let range = Self {
            low: low.parse::<Metres>().map_err(|_| wrong())?.si(),
            high: high.parse::<Metres>().map_err(|_| wrong())?.si(),
        };
        if range.low < range.high {
            Ok(range)
        } else {
            Err(format!(
                "`{text}` rises from {} to {}: write the lower end first",
                range.low, range.high
            ))
        }
    }
}

/// Conversion of a map in degrees to metres.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum DegreeLength {
    /// By the map's mean latitude.
    Auto,
    /// Metres for one degree of longitude and of latitude.
    Fixed(f64),
}

impl FromStr for DegreeLength {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "auto" {
            return Ok(Self::Auto);
        }
        match text.parse::<Metres>() {
            Ok(Metres(length)) if length > 0.0 => Ok(Self::Fixed(length)),
            _ => {
                Err(format!("`{text}` is no length of a degree: write auto or metres, like 111320"))
            }
        }
    }
}

/// Infiltration after Green and Ampt: `K=10mm/h,psi=11cm,dtheta=0.3`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GreenAmptSoil {
    /// Hydraulic conductivity K, m/s.
    pub conductivity_m_s: f64,
    /// Suction head at the wetting front ψ, m.
    pub suction_m: f64,
    /// Free pore space Δθ, a fraction.
    pub deficit: f64,
}

impl FromStr for GreenAmptSoil {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let form = "write K=10mm/h,psi=11cm,dtheta=0.3";
        let (mut conductivity, mut suction, mut deficit) = (None, None, None);
        for part in text.split(',') {
            let (key, value) = part
                .split_once('=')
                .ok_or_else(|| format!("`{part}` in `{text}` has no value: {form}"))?;
            match key.trim() {
                "K" => conductivity = Some(value.parse::<Rate>()?.si()),
                "psi" => suction = Some(value.parse::<Metres>()?.si()),
                "dtheta" => deficit = value.trim().parse().ok(),
                other => return Err(format!("`{other}` is no part of Green-Ampt: {form}")),
            }
        }
        let (Some(conductivity_m_s), Some(suction_m), Some(deficit)) =
            (conductivity, suction, deficit)
        else {
            return Err(format!("`{text}` lacks K, psi or dtheta: {form}"));
        };
        let is_sound =
            conductivity_m_s >= 0.0 && suction_m >= 0.0 && (0.0..=1.0).contains(&deficit);
        if !is_sound {
            return Err(format!(
                "`{text}` is out of range: K and psi are at least 0, dtheta lies in 0…1"
            ));
        }
        Ok(Self { conductivity_m_s, suction_m, deficit })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_read_as_typed() {
        assert_eq!("flat".parse(), Ok(ColumnsChoice::Flat));
        assert_eq!(ColumnsChoice::default().to_string().parse(), Ok(ColumnsChoice::SubGrid));
        assert_eq!("5".parse(), Ok(CellSides { x: 5.0, y: 5.0 }));
        assert_eq!("61x93".parse(), Ok(CellSides { x: 61.0, y: 93.0 }));
        assert_eq!("1025x513".parse(), Ok(MapSize { width: 1025, height: 513 }));
        let range = HeightRange { low: -5.0, high: 4181.0 };
        assert_eq!("-5..4181".parse(), Ok(range));
        assert_eq!("auto".parse(), Ok(DegreeLength::Auto));
        assert_eq!("111320".parse(), Ok(DegreeLength::Fixed(111_320.0)));
        let soil: GreenAmptSoil = "K=36mm/h, psi=11cm, dtheta=0.3".parse().expect("a soil");
        assert!((soil.conductivity_m_s - 1.0e-5).abs() < 1.0e-12);
        assert!((soil.suction_m - 0.11).abs() < 1.0e-12);
    }

    #[test]
    fn what_is_no_term_is_refused() {
        for text in ["0", "-5", "5x0", "x5", "nan", "5x5x5"] {
            assert!(text.parse::<CellSides>().is_err(), "{text}");
        }
        for text in ["10", "0x10", "-1x10", "10x"] {
            assert!(text.parse::<MapSize>().is_err(), "{text}");
        }
        for text in ["10..5", "5..5", "5", "a..b", "nan..5"] {
            assert!(text.parse::<HeightRange>().is_err(), "{text}");
        }
        for text in ["", "K=1mm/h", "K=-1mm/h,psi=1,dtheta=0.3", "K=1mm/h,psi=1,dtheta=1.5"] {
            assert!(text.parse::<GreenAmptSoil>().is_err(), "{text}");
        }
    }
}
