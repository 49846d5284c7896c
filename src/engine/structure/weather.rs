//! Rain, evaporation and infiltration: rates over all cells, by class.
//!
//! Limits: rates do not depend on the water; for Green–Ampt infiltration, which does, see
//!         `src/engine/sim/forcing.rs`.

use crate::structure::error::{Fault, Number, StructureError, StructureKind};
use crate::units::RateSeries;
use crate::units::rate::RateCourse;
use serde::{Deserialize, Serialize};

/// Saturated hydraulic conductivity of the ground.
pub const CONDUCTIVITY: Number = Number::new(("K", "hydraulic conductivity"), [0.0, 1.0], " m/s");

/// Suction head times moisture deficit of the ground.
pub const SUCTION: Number =
    Number::new(("psi", "suction head times moisture deficit"), [0.0, 100.0], " m");

/// Direction in which a layer moves water.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Direction {
    /// Into the world: rain.
    Into,
    /// Out of the world: evaporation.
    Out,
    /// Into the ground: out of the world, and counted in the plane `infiltrated`.
    Ground,
}

/// A rate over all cells, as in a world's file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WeatherLayer {
    /// Name of the layer, and of its account.
    pub name: String,
    /// Direction of the layer.
    pub direction: Direction,
    /// Seconds and m/s, each value until the next point, by class.
    pub rates: Vec<Vec<(f64, f64)>>,
    /// True if cells have classes.
    pub has_classes: bool,
}

impl WeatherLayer {
    /// Returns the rate of each class as a series, in units of 1/`units_per_m` m.
    ///
    /// # Errors
    ///
    /// [`Fault::Series`] names the first point that is out of order or out of range.
    pub fn series(&self, units_per_m: f64) -> Result<Vec<RateSeries>, StructureError> {
        let series = |points: &Vec<_>| RateSeries::scaled(points, units_per_m, RateCourse::Steps);
        let all: Result<_, _> = self.rates.iter().map(series).collect();
        all.map_err(|reason| StructureKind::Weather.error(&self.name, Fault::Series(reason)))
    }
}
