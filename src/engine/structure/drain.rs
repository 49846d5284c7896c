//! A drain: an opening in the ground that water falls into.
//!
//! ```text
//! weir along its rim   Q = 1.66 P h^(3/2)
//! orifice              Q = 0.67 A √(2 g h)          the less of the two
//! ```
//!
//! Limits: the space below the drain never fills.
//! Source: FHWA (2009), Urban Drainage Design Manual, HEC-22, eq. (4-26) and (4-27).

use crate::structure::end::{Course, EndSpec, FlowLaw, LawStep, LinkSpec, LinkStages, LinkState};
use crate::structure::error::{Fault, Number};
use crate::structure::frame::StructureFrame;
use crate::units::plain::short;
use serde::{Deserialize, Serialize};

/// Open area of a drain.
pub const AREA: Number = Number::new(("area", "its area"), [1.0e-6, 1.0e6], " m²");

/// Length of the rim of a drain.
pub const PERIMETER: Number = Number::new(("perimeter", "its perimeter"), [0.001, 1.0e5], " m");

/// Coefficient of the weir, m^(1/2)/s.
const WEIR: f64 = 1.66;

/// Coefficient of the orifice.
const ORIFICE: f64 = 0.67;

/// An opening in the ground, through which water leaves the world.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Drain {
    /// Name of the drain, and of its account.
    pub name: String,
    /// Place of the drain: m east and north of the world's south-west corner.
    #[serde(rename = "at_m", alias = "place")]
    pub place: [f64; 2],
    /// Open area, m².
    pub area_m2: f64,
    /// Length of the rim, m.
    pub perimeter_m: f64,
    /// Elevation of the rim, m; the ground if this is `None` or below the ground.
    #[serde(default)]
    pub rim_m: Option<f64>,
}

impl LinkSpec for Drain {
    fn kind(&self) -> &'static str {
        "drain"
    }

    fn name(&self) -> &str {
        &self.name
    }

    fn ends(&self) -> Vec<EndSpec> {
        let (point_m, elevation_m) = (self.place, self.rim_m);
        let (elevation_key, elevation_noun) = ("rim", "its rim");
        vec![EndSpec {
            key: "at",
            point_m,
            elevation_m,
            elevation_key,
            elevation_noun,
            is_sill: true,
            height_m: None,
        }]
    }

    fn check(&self) -> Result<(), Fault> {
        AREA.check(self.area_m2)?;
        PERIMETER.check(self.perimeter_m).map(|_| ())
    }

    fn elevations_m(&self) -> Vec<(&'static str, Option<f64>)> {
        vec![("rim", self.rim_m)]
    }

    fn words(&self, _: [bool; 2]) -> String {
        let rim = self.rim_m.map_or("the ground".into(), |rim| format!("{} m", short(rim)));
        let (area, perimeter) = (short(self.area_m2), short(self.perimeter_m));
        format!("{area} m² with a rim of {perimeter} m at {rim}")
    }
}

impl Drain {
    /// Returns the law of the drain.
    pub(super) fn law(&self, frame: &StructureFrame<'_>) -> Result<DrainLaw, Fault> {
        let Self { area_m2, perimeter_m, .. } = *self;
        Ok(DrainLaw { area_m2, perimeter_m, gravity: frame.gravity })
    }
}

/// A drain as its law.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DrainLaw {
    /// Open area, m².
    pub area_m2: f64,
    /// Length of the rim, m.
    pub perimeter_m: f64,
    /// Gravitational acceleration, m/s².
    pub gravity: f64,
}

impl FlowLaw for DrainLaw {
    fn advance(&self, _: LinkState, water: &LinkStages, _: &LawStep) -> LinkState {
        LinkState::moving(self.discharge(water.head_m()))
    }

    fn is_busy(&self, _: LinkState, water: &LinkStages, head_m: f64) -> bool {
        water.head_m() > head_m
    }

    fn course(&self, _: &LinkStages) -> Course {
        Course::Free
    }
}

impl DrainLaw {
    /// Returns the discharge into the drain from `head_m` of water over its rim, m³/s.
    #[must_use]
    pub fn discharge(&self, head_m: f64) -> f64 {
        if head_m > 0.0 {
            let weir = WEIR * self.perimeter_m * head_m * head_m.sqrt();
            let orifice = ORIFICE * self.area_m2 * (2.0 * self.gravity * head_m).sqrt();
            if weir < orifice { weir } else { orifice }
        } else {
            0.0
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drain_is_a_weir_first_and_an_orifice_then() {
        let drain = DrainLaw { area_m2: 0.36, perimeter_m: 2.4, gravity: 9.81 };
        for (head, expected) in [(-1.0, 0.0), (0.0, 0.0), (0.1, 0.125_98), (1.0, 1.068_4)] {
            let got = drain.discharge(head);
            assert!((got - expected).abs() < 1.0e-3, "{head} m: {got} m³/s, not {expected}");
        }
    }
}
