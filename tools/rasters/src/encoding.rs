//! Heights written into the three colours of a picture, as web maps deliver them.
//!
//! ```text
//! Terrarium:  height = 256 R + G + B / 256 - 32768 m           steps of 1/256 m
//! Mapbox:     height = (65536 R + 256 G + B) / 10 - 10000 m    steps of 1/10 m
//! ```
//!
//! Black, the lowest value of both, and cells that are wholly transparent are NoData.
//!
//! Source:     Tilezen Joerd, data formats, "Terrarium"; Mapbox, Terrain-RGB v1.

use std::fmt;
use std::str::FromStr;

use serde::Deserialize;

/// Encoding of heights in the colours of a picture (`--encoding`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Encoding {
    /// 256 R + G + B / 256 − 32768 m.
    Terrarium,
    /// (65536 R + 256 G + B) / 10 − 10000 m (Terrain-RGB).
    Mapbox,
}

impl Encoding {
    /// Both, for messages and help.
    pub(crate) const OPTIONS: &str = "--encoding terrarium or --encoding mapbox";

    /// Returns the height in metres of a cell's red, green and blue, and perhaps its opacity; NaN
    /// is NoData.
    pub(crate) fn height(self, cell: &[u8]) -> f64 {
        let &[red, green, blue, ref opacity @ ..] = cell else { return f64::NAN };
        if opacity.first() == Some(&0) || [red, green, blue] == [0; 3] {
            return f64::NAN;
        }
        let number = f64::from(u32::from_be_bytes([0, red, green, blue]));
        match self {
            Self::Terrarium => number / 256.0 - 32_768.0,
            Self::Mapbox => (number - 100_000.0) / 10.0,
        }
    }
}

impl FromStr for Encoding {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "terrarium" => Ok(Self::Terrarium),
            "mapbox" => Ok(Self::Mapbox),
            _ => Err(format!("`{text}` is no encoding: write terrarium or mapbox")),
        }
    }
}

impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Terrarium => "terrarium",
            Self::Mapbox => "mapbox",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Goal: the published formulas, and the examples that follow from them.
    #[test]
    #[expect(clippy::float_cmp, reason = "rounded once")]
    fn colours_are_heights() {
        for (encoding, cell, expected) in [
            (Encoding::Terrarium, &[128, 0, 0][..], 0.0),
            (Encoding::Terrarium, &[128, 1, 128], 1.5),
            (Encoding::Terrarium, &[127, 255, 0, 255], -1.0),
            (Encoding::Terrarium, &[162, 144, 64, 1], 8848.25),
            (Encoding::Mapbox, &[1, 134, 160], 0.0),
            (Encoding::Mapbox, &[1, 134, 161], 0.1),
            (Encoding::Mapbox, &[2, 224, 64], 8848.0),
            (Encoding::Mapbox, &[0, 0, 1], -9999.9),
        ] {
            assert_eq!(encoding.height(cell), expected, "{encoding} {cell:?}");
        }
        for none in [&[0, 0, 0][..], &[128, 3, 0, 0], &[]] {
            assert!(Encoding::Terrarium.height(none).is_nan(), "{none:?}");
        }
    }
}
