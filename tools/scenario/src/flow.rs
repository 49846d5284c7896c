//! The values of `[flow]`: the equations that move the water, and the forces besides gravity.
//!
//! Guarantees: values read are in the range that the engine takes. Angles are turned into numbers
//!             by arithmetic only, so a scenario means the same bits on every processor.

use std::fmt;
use std::str::FromStr;

use crate::quantity::{Diffusivity, Quantity, Speed, read_as_typed};
use crate::spelling::meant;

read_as_typed!(SolverChoice, StepsChoice, EddyViscosity, Wind, Latitude);

/// Equations that move the water.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SolverChoice {
    /// Virtual pipes (local inertia): gravity and friction, no transport of momentum.
    Pipe,
    /// Full shallow water equations.
    #[default]
    Swe,
}

impl FromStr for SolverChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "pipe" => Ok(Self::Pipe),
            "swe" => Ok(Self::Swe),
            _ => {
                let meant = meant(text, ["swe", "pipe"]);
                Err(format!("`{text}` is no solver{meant}: write swe or pipe"))
            }
        }
    }
}

impl fmt::Display for SolverChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Pipe => "pipe",
            Self::Swe => "swe",
        })
    }
}

/// The water that sets the length of time steps.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum StepsChoice {
    /// The fastest on the whole map.
    #[default]
    Map,
    /// The fastest in each tile of 64 × 64 cells.
    Tile,
}

impl FromStr for StepsChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "map" => Ok(Self::Map),
            "tile" => Ok(Self::Tile),
            _ => {
                let meant = meant(text, ["map", "tile"]);
                Err(format!("the steps `{text}` are invalid{meant}: write map or tile"))
            }
        }
    }
}

impl fmt::Display for StepsChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Map => "map",
            Self::Tile => "tile",
        })
    }
}

/// Eddy viscosity, by eddies smaller than a cell: `0.5m2/s` or `smagorinsky:0.2`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum EddyViscosity {
    /// The same everywhere, m²/s.
    Constant(f64),
    /// After Smagorinsky, by the local strain: his coefficient.
    Smagorinsky(f64),
}

const VISCOSITY_MOST: f64 = 10_000.0;

impl FromStr for EddyViscosity {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Some(number) = text.trim().strip_prefix("smagorinsky:") {
            let coefficient = number.trim().parse().ok().filter(|c| (0.0..=1.0).contains(c));
            return coefficient.map(Self::Smagorinsky).ok_or_else(|| {
                format!(
                    "`{number}` is no coefficient of Smagorinsky: it lies in 0…1, mostly 0.1…0.3"
                )
            });
        }
        let viscosity = text.parse::<Diffusivity>();
        let viscosity = viscosity.map_err(|wrong| format!("{wrong}, or smagorinsky:0.2"))?.si();
        if (0.0..=VISCOSITY_MOST).contains(&viscosity) {
            Ok(Self::Constant(viscosity))
        } else {
            Err(format!(
                "the viscosity `{text}` is out of range: it lies in 0…{VISCOSITY_MOST} m2/s"
            ))
        }
    }
}

impl fmt::Display for EddyViscosity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Constant(viscosity) => write!(f, "{viscosity} m²/s"),
            Self::Smagorinsky(coefficient) => write!(f, "Smagorinsky, coefficient {coefficient}"),
        }
    }
}

/// Wind at 10 m above the water: `15m/s from 270`, degrees clockwise from north.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Wind {
    /// Speed, m/s.
    pub speed_m_s: f64,
    /// Direction from which it blows, degrees clockwise from north: 270 is a wind from the west.
    pub from_degrees: f64,
}

const WIND_MOST_M_S: f64 = 100.0;

impl Wind {
    /// Returns the components of the wind, towards the east and towards the north, m/s.
    #[must_use]
    pub fn towards_m_s(&self) -> [f64; 2] {
        let Self { speed_m_s, from_degrees } = *self;
        let towards = |sine: f64| 0.0 - speed_m_s * sine; // never −0
        [towards(sine(from_degrees)), towards(sine(from_degrees + 90.0))]
    }
}

impl FromStr for Wind {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let form = "write a speed and where it blows from in degrees, like 15m/s from 270";
        let (speed, from) =
            text.split_once(" from ").ok_or_else(|| format!("`{text}` is no wind: {form}"))?;
        let speed_m_s = speed.parse::<Speed>()?.si();
        if !(0.0..=WIND_MOST_M_S).contains(&speed_m_s) {
            return Err(format!("the wind `{text}` is out of range: 0 to {WIND_MOST_M_S} m/s"));
        }
        let from = from.trim();
        let degrees = from.strip_suffix('°').unwrap_or(from).parse().ok();
        let degrees = degrees.filter(|degrees| (0.0..=360.0).contains(degrees));
        let from_degrees = degrees.ok_or_else(|| {
            format!("`{from}` is no direction of the wind: 0 to 360 degrees, 270 is from the west")
        })?;
        Ok(Self { speed_m_s, from_degrees })
    }
}

impl fmt::Display for Wind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} m/s from {}°", self.speed_m_s, self.from_degrees)
    }
}

/// Degrees of latitude, positive on the northern half of the Earth.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Latitude(pub f64);

/// Turning of the Earth Ω, 1/s.
const EARTH_TURNING: f64 = 7.292_115e-5;

impl Latitude {
    /// Returns the Coriolis parameter, f = 2 Ω sin φ, 1/s.
    #[must_use]
    pub fn coriolis_per_s(self) -> f64 {
        2.0 * EARTH_TURNING * sine(self.0)
    }
}

impl FromStr for Latitude {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let degrees = text.trim().parse().ok().filter(|degrees| (-90.0..=90.0).contains(degrees));
        degrees.map(Self).ok_or_else(|| {
            format!("`{text}` is no latitude: write -90 to 90 degrees, north is positive")
        })
    }
}

/// Returns the sine of an angle in degrees, the same bits everywhere; exact at whole quarters of a
/// turn.
///
/// Method: the angle is folded into −90°…90°, then x − x³/3! + x⁵/5! − …, whose first term left out
/// is below 10⁻¹⁶.
pub(crate) fn sine(degrees: f64) -> f64 {
    let turned = degrees % 360.0;
    let folded = match turned {
        d if d > 270.0 => d - 360.0,
        d if d > 90.0 => 180.0 - d,
        d if d < -270.0 => d + 360.0,
        d if d < -90.0 => -180.0 - d,
        d => d,
    };
    if folded.abs() >= 90.0 {
        return folded.signum();
    }
    let x = folded * (std::f64::consts::PI / 180.0);
    let nested = (1..=10).rev().fold(1.0, |rest, n| {
        let n = 2.0 * f64::from(n);
        1.0 - x * x / (n * (n + 1.0)) * rest
    });
    x * nested
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sines_are_right() {
        for (degrees, exact) in
            [(0.0, 0.0), (90.0, 1.0), (180.0, 0.0), (270.0, -1.0), (360.0, 0.0), (-90.0, -1.0)]
        {
            assert!((sine(degrees) - exact).abs() <= 0.0, "{degrees}: {}", sine(degrees));
        }
        for tenth in -7200..=7200 {
            let degrees = f64::from(tenth) / 10.0;
            let error = sine(degrees) - degrees.to_radians().sin();
            assert!(error.abs() < 2.0e-15, "{degrees}: {error}");
        }
    }

    #[test]
    fn wind_blows_from_where_it_is_said_to() {
        let towards = |text: &str| text.parse::<Wind>().expect(text).towards_m_s();
        for (text, [east, north]) in [
            ("10m/s from 270", [10.0, 0.0]),
            ("36 km/h from 180°", [0.0, 10.0]),
            ("10m/s from 0", [0.0, -10.0]),
            ("10m/s from 45", [-50.0_f64.sqrt(), -50.0_f64.sqrt()]),
        ] {
            let got = towards(text);
            let is_close = (got[0] - east).abs() < 1.0e-14 && (got[1] - north).abs() < 1.0e-14;
            assert!(is_close, "{text}: {got:?}");
        }
    }

    #[test]
    fn the_earth_turns_as_it_does() {
        let turning = |degrees| Latitude(degrees).coriolis_per_s();
        assert!((turning(45.0) - 1.031_261e-4).abs() < 1.0e-10, "{}", turning(45.0));
        assert!((turning(-45.0) + turning(45.0)).abs() <= 0.0);
        assert!(turning(0.0).abs() <= 0.0);
    }

    #[test]
    fn what_is_out_of_range_is_refused_with_the_range() {
        let latitude = |text: &str| text.parse::<Latitude>().map(drop);
        let wind = |text: &str| text.parse::<Wind>().map(drop);
        let viscosity = |text: &str| text.parse::<EddyViscosity>().map(drop);
        for (text, result, range) in [
            ("91", latitude("91"), "-90 to 90"),
            ("nan", latitude("nan"), "-90 to 90"),
            ("150m/s from 270", wind("150m/s from 270"), "0 to 100 m/s"),
            ("15m/s from 361", wind("15m/s from 361"), "0 to 360"),
            ("15m/s from west", wind("15m/s from west"), "0 to 360"),
            ("15m/s", wind("15m/s"), "like 15m/s from 270"),
            ("15 from 270", wind("15 from 270"), "km/h"),
            ("-1m2/s", viscosity("-1m2/s"), "0…10000 m2/s"),
            ("1", viscosity("1"), "smagorinsky:0.2"),
            ("smagorinsky:-0.1", viscosity("smagorinsky:-0.1"), "0…1"),
        ] {
            let said = result.expect_err(text);
            assert!(said.contains(range), "{text}: {said}");
        }
        assert_eq!("smagorinsky:0.2".parse(), Ok(EddyViscosity::Smagorinsky(0.2)));
        assert_eq!("0.5m2/s".parse(), Ok(EddyViscosity::Constant(0.5)));
    }
}
