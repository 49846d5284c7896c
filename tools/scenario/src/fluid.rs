//! The values of `[fluid]`: density, viscosity and yield stress of the fluid.

use std::fmt;
use std::str::FromStr;

use kit::words::short;
use thalweg::world::Fluid;

use crate::quantity::read_as_typed;
use crate::units::{DENSITY, DYNAMIC_VISCOSITY, STRESS};

read_as_typed!(Density, DynamicViscosity, Stress);

/// Density, kg/m³.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Density(pub f64);

/// Dynamic viscosity, Pa·s.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DynamicViscosity(pub f64);

/// Stress, Pa.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stress(pub f64);

impl FromStr for Density {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        DENSITY.parse(text).map(Self)
    }
}

impl FromStr for DynamicViscosity {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        DYNAMIC_VISCOSITY.parse(text).map(Self)
    }
}

impl FromStr for Stress {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        STRESS.parse(text).map(Self)
    }
}

/// A fluid in words, as the plan and the report print it.
#[derive(Debug, Clone, Copy)]
pub struct FluidWords(pub Fluid);

impl fmt::Display for FluidWords {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Fluid { density_kg_m3, viscosity_pa_s, yield_stress_pa, resistance } = self.0;
        let [density, viscosity, stress, resistance] =
            [density_kg_m3, viscosity_pa_s, yield_stress_pa, resistance].map(short);
        write!(f, "density {density} kg/m³, viscosity {viscosity} Pa·s, ")?;
        write!(f, "yield stress {stress} Pa, laminar resistance {resistance}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_of_a_fluid_are_read() {
        let density = |text: &str| text.parse().map(|Density(value)| value);
        let viscosity = |text: &str| text.parse().map(|DynamicViscosity(value)| value);
        let stress = |text: &str| text.parse().map(|Stress(value)| value);
        for (text, read, si) in [
            ("1550kg/m3", density("1550kg/m3"), 1550.0),
            ("1.6 g/cm³", density("1.6 g/cm³"), 1600.0),
            ("1.6t/m3", density("1.6t/m3"), 1600.0),
            ("2Pa.s", viscosity("2Pa.s"), 2.0),
            ("2 Pa·s", viscosity("2 Pa·s"), 2.0),
            ("2 Pa s", viscosity("2 Pa s"), 2.0),
            ("50mPa.s", viscosity("50mPa.s"), 0.05),
            ("50 cP", viscosity("50 cP"), 0.05),
            ("60Pa", stress("60Pa"), 60.0),
            ("0.4 kPa", stress("0.4 kPa"), 400.0),
            ("60 N/m²", stress("60 N/m²"), 60.0),
            ("40 dyn/cm2", stress("40 dyn/cm2"), 4.0),
        ] {
            let is_close = read.as_ref().is_ok_and(|read: &f64| (read / si - 1.0).abs() < 1.0e-12);
            assert!(is_close, "{text}: {read:?}");
        }
        for (text, said) in [
            ("1550", density("1550")),
            ("60", stress("60")),
            ("2m2/s", viscosity("2m2/s")),
            ("2MPas", viscosity("2MPas")),
        ] {
            assert!(said.expect_err(text).contains("write a number and a unit"), "{text}");
        }
    }
}
