//! Place of a raster as a text that another file can carry.
//!
//! ```toml
//! west = 512000.0
//! north = 181400.0
//! step = [5.0, 5.0]
//! unit = "metre"
//! [crs]
//! directory = [1, 1, 0, 1, 3072, 0, 1, 32611]
//! doubles = []
//! ascii = ""
//! ```

use serde::{Deserialize, Serialize};

use crate::crs::Crs;
use crate::error::RasterError;
use crate::grid::{Grid, HorizontalUnit};
use crate::length::LengthUnit;

#[derive(Debug, Serialize, Deserialize)]
struct Placement {
    west: f64,
    north: f64,
    step: (f64, f64),
    unit: Unit,
    /// Metres that a unit of the coordinates has, if `unit` is a length.
    unit_m: Option<f64>,
    crs: Option<Keys>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Unit {
    Metre,
    Length,
    Degree,
    Unknown,
}

/// The three tags of a GeoTIFF.
#[derive(Debug, Serialize, Deserialize)]
struct Keys {
    directory: Vec<u64>,
    doubles: Vec<f64>,
    ascii: String,
}

impl Grid {
    /// Returns the place as a text for [`Grid::placed`].
    ///
    /// # Errors
    ///
    /// If the grid has a number that no text can represent.
    pub fn placement(&self) -> Result<String, RasterError> {
        let unit = match self.unit {
            HorizontalUnit::Metre => Unit::Metre,
            HorizontalUnit::Length(_) => Unit::Length,
            HorizontalUnit::Degree => Unit::Degree,
            HorizontalUnit::Unknown => Unit::Unknown,
        };
        let crs = self.crs.as_ref().map(|crs| {
            let (keys, doubles, ascii) = crs.to_keys();
            let directory = keys.into_iter().map(u64::from).collect();
            Keys { directory, doubles: doubles.to_vec(), ascii: ascii.to_owned() }
        });
        let step = (self.step_x, self.step_y);
        let unit_m = self.unit.metres().filter(|_| matches!(unit, Unit::Length));
        let placement = Placement { west: self.west, north: self.north, step, unit, unit_m, crs };
        toml::to_string(&placement)
            .map_err(|e| RasterError::Request(format!("the raster's place makes no text: {e}")))
    }

    /// Returns the grid of a raster of `width` × `height` cells with the place in a text of
    /// [`Grid::placement`]; `cell_m` is unknown.
    ///
    /// # Errors
    ///
    /// If `text` does not have this form.
    pub fn placed(text: &str, width: usize, height: usize) -> Result<Self, RasterError> {
        let refused =
            |what: &str| RasterError::Request(format!("this is no raster's place: {what}"));
        let Placement { west, north, step: (step_x, step_y), unit, unit_m, crs } =
            toml::from_str(text).map_err(|e| refused(e.message()))?;
        let is_step = |step: f64| step.is_finite() && step > 0.0;
        if !(west.is_finite() && north.is_finite() && is_step(step_x) && is_step(step_y)) {
            return Err(refused("its numbers are not finite, or its cells not positive"));
        }
        let unit = match unit {
            Unit::Metre => HorizontalUnit::Metre,
            Unit::Length => {
                let unit = unit_m.and_then(LengthUnit::of_metres);
                unit.map(HorizontalUnit::of_length)
                    .ok_or_else(|| refused("its `unit_m` is not a positive number of metres"))?
            }
            Unit::Degree => HorizontalUnit::Degree,
            Unit::Unknown => HorizontalUnit::Unknown,
        };
        let crs = crs.map(|Keys { directory, doubles, ascii }| {
            Crs::from_keys(&directory, doubles, ascii)
                .ok_or_else(|| refused("a key of its reference system points nowhere"))
        });
        let crs = crs.transpose()?;
        Ok(Self { width, height, west, north, step_x, step_y, cell_m: None, unit, crs })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_comes_back() {
        let keys = [1, 1, 0, 2, 1024, 0, 1, 1, 1026, 34_737, 10, 0];
        let foreign = Crs::from_keys(&keys, vec![0.1], "\"Own\" grid|".into()).expect("sound");
        let foot = LengthUnit::of_metres(0.3048).expect("positive");
        let cases = [
            (HorizontalUnit::Metre, Some(Crs::projected(32_611))),
            (HorizontalUnit::of_length(foot), Some(Crs::projected(2222))),
            (HorizontalUnit::Degree, Some(Crs::geographic(4326))),
            (HorizontalUnit::Unknown, Some(foreign)),
            (HorizontalUnit::Unknown, None),
        ];
        for (unit, crs) in cases {
            let (width, height) = (7, 5);
            let (west, north, step_x, step_y) = (-0.1, 4.8e6 + 1.0 / 3.0, 1.0 / 3600.0, 5.0);
            let grid = Grid { width, height, west, north, step_x, step_y, cell_m: None, unit, crs };
            let text = grid.placement().expect("a text");
            assert_eq!(Grid::placed(&text, width, height).expect("a place"), grid, "{text}");
        }
    }

    #[test]
    fn what_is_no_place_is_refused() {
        let text = "west = 1.0\nnorth = 2.0\nstep = [5.0, 5.0]\nunit = \"metre\"\n";
        assert!(Grid::placed(text, 2, 2).is_ok());
        for (from, to) in [
            ("1.0", "nan"),
            ("[5.0,", "[0.0,"),
            ("metre", "mile"),
            ("metre", "length"),
            ("west", "wets"),
            ("\"\n", "\"\n[crs]\ndirectory = [1, 1, 0, 9]\ndoubles = []\nascii = \"\"\n"),
        ] {
            let text = text.replacen(from, to, 1);
            assert!(Grid::placed(&text, 2, 2).is_err(), "{text}");
        }
    }
}
