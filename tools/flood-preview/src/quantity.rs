//! Numbers with a unit, as people type them: `40mm/h`, `1h30min`, `12m3/s`, `1cm`.
//!
//! One parser serves the command line and the scenario file, so both accept the same texts and
//! give the same answer. Everything becomes SI: metres, seconds, m/s, m³/s.
//!
//! Guarantees: a value that was read is finite; a number without a unit is taken only where one
//!             unit is beyond doubt (metres); an error lists the accepted units.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use serde::de::{self, Deserialize, Deserializer, Visitor};

/// A kind of quantity: what it is called and how its units convert to SI.
struct Kind {
    what: &'static str,
    example: &'static str,
    units: &'static [(&'static str, f64)],
    /// SI value of a number without a unit, if that is allowed.
    plain: Option<f64>,
    /// Whether parts add up, as in `1h30min`.
    is_compound: bool,
}

const LENGTH: Kind = Kind {
    what: "a length",
    example: "2.5m",
    units: &[("m", 1.0), ("cm", 0.01), ("mm", 0.001), ("km", 1000.0)],
    plain: Some(1.0),
    is_compound: false,
};

const DURATION: Kind = Kind {
    what: "a duration",
    example: "1h30min",
    units: &[("s", 1.0), ("min", 60.0), ("h", 3600.0), ("d", 86_400.0)],
    plain: None,
    is_compound: true,
};

const RATE: Kind = Kind {
    what: "a rate of depth",
    example: "40mm/h",
    units: &[
        ("mm/h", 1.0e-3 / 3600.0),
        ("mm/min", 1.0e-3 / 60.0),
        ("mm/s", 1.0e-3),
        ("mm/d", 1.0e-3 / 86_400.0),
        ("mm/day", 1.0e-3 / 86_400.0),
        ("cm/h", 1.0e-2 / 3600.0),
        ("m/h", 1.0 / 3600.0),
        ("m/s", 1.0),
    ],
    plain: None,
    is_compound: false,
};

const DISCHARGE: Kind = Kind {
    what: "a discharge",
    example: "12m3/s",
    units: &[
        ("m3/s", 1.0),
        ("m³/s", 1.0),
        ("m3/h", 1.0 / 3600.0),
        ("m3/d", 1.0 / 86_400.0),
        ("l/s", 1.0e-3),
    ],
    plain: None,
    is_compound: false,
};

const SPEED: Kind = Kind {
    what: "a speed",
    example: "12m/s",
    units: &[("m/s", 1.0), ("km/h", 1.0 / 3.6), ("kn", 1852.0 / 3600.0)],
    plain: None,
    is_compound: false,
};

const VISCOSITY: Kind = Kind {
    what: "a viscosity",
    example: "0.5m2/s",
    units: &[("m2/s", 1.0), ("m²/s", 1.0)],
    plain: None,
    is_compound: false,
};

impl Kind {
    fn parse(&self, text: &str) -> Result<f64, String> {
        let mut rest = text.trim();
        let mut total = 0.0;
        loop {
            let (number, after) = split_number(rest);
            let value: f64 = number.parse().map_err(|_| self.refuse(text))?;
            let after = after.trim_start();
            let end = match self.is_compound {
                true => after.find(|c: char| c.is_ascii_digit()).unwrap_or(after.len()),
                false => after.len(),
            };
            let (unit, next) = after.split_at(end);
            total += value * self.factor(unit.trim()).ok_or_else(|| self.refuse(text))?;
            if next.is_empty() {
                break;
            }
            rest = next;
        }
        if total.is_finite() { Ok(total) } else { Err(self.refuse(text)) }
    }

    fn factor(&self, unit: &str) -> Option<f64> {
        if unit.is_empty() {
            return self.plain;
        }
        let found = self.units.iter().find(|(name, _)| *name == unit);
        found.map(|(_, factor)| *factor)
    }

    fn refuse(&self, text: &str) -> String {
        let units: Vec<&str> = self.units.iter().map(|(name, _)| *name).collect();
        let Self { what, example, .. } = self;
        format!(
            "`{text}` is not {what}: write a number and a unit, like {example} (units: {})",
            units.join(", ")
        )
    }
}

/// The longest prefix that can be a decimal number, and the rest.
fn split_number(text: &str) -> (&str, &str) {
    let bytes = text.as_bytes();
    let mut end = 0;
    while end < bytes.len() {
        let next = bytes.get(end + 1).copied().unwrap_or(b' ');
        let is_part = match bytes[end] {
            b'0'..=b'9' | b'.' => true,
            b'+' | b'-' => end == 0 || matches!(bytes[end - 1], b'e' | b'E'),
            b'e' | b'E' => end > 0 && (next.is_ascii_digit() || next == b'-' || next == b'+'),
            _ => false,
        };
        if !is_part {
            break;
        }
        end += 1;
    }
    text.split_at(end)
}

/// A quantity that can be read from text in one of its units.
pub trait Quantity: Copy + FromStr<Err = String> {
    /// The value in SI units.
    fn si(self) -> f64;

    /// The value of `number` in the unit called `unit`, if that unit is known.
    fn in_unit(number: f64, unit: &str) -> Option<Self>;

    /// Name of the unit that a table column without a unit has.
    const COLUMN_UNIT: &'static str;
}

macro_rules! quantity {
    ($(#[$doc:meta])* $name:ident, $kind:expr, $column:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
        pub struct $name(pub f64);

        impl FromStr for $name {
            type Err = String;

            fn from_str(text: &str) -> Result<Self, String> {
                $kind.parse(text).map(Self)
            }
        }

        impl Quantity for $name {
            fn si(self) -> f64 {
                self.0
            }

            fn in_unit(number: f64, unit: &str) -> Option<Self> {
                $kind.factor(unit).map(|factor| Self(number * factor))
            }

            const COLUMN_UNIT: &'static str = $column;
        }

    };
}

quantity!(
    /// A length, depth, stage or elevation, m.
    Metres,
    LENGTH,
    "m"
);
quantity!(
    /// A span of time, s.
    Seconds,
    DURATION,
    "s"
);
quantity!(
    /// Rain, infiltration or evaporation, m/s.
    Rate,
    RATE,
    "mm/h"
);
quantity!(
    /// Water through a section or into an area, m³/s.
    Discharge,
    DISCHARGE,
    "m3/s"
);

quantity!(
    /// Speed of the wind, m/s.
    Speed,
    SPEED,
    "m/s"
);
quantity!(
    /// Eddy viscosity, m²/s.
    Diffusivity,
    VISCOSITY,
    "m2/s"
);

/// Manning's n, s/m^(1/3): a plain number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Manning(pub f64);

impl FromStr for Manning {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number: Option<f64> = text.trim().parse().ok();
        number.filter(|n| n.is_finite()).map(Self).ok_or_else(|| {
            format!("`{text}` is not a Manning's n: write a plain number, like 0.03")
        })
    }
}

/// Either a value or a file to read it from: a table over time, or a raster over the map.
#[derive(Debug, Clone, PartialEq)]
pub enum Given<Q> {
    /// The same everywhere and always.
    Value(Q),
    /// Path of a table or raster; which of the two is meant depends on the key.
    File(PathBuf),
}

impl<Q: FromStr<Err = String>> FromStr for Given<Q> {
    type Err = String;

    /// What reads as a quantity is one; otherwise a name with an extension is a file.
    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = match text.parse() {
            Ok(value) => return Ok(Self::Value(value)),
            Err(wrong) => wrong,
        };
        let extension = Path::new(text).extension().and_then(|name| name.to_str());
        if extension.is_some_and(|name| name.starts_with(|c: char| c.is_ascii_alphabetic())) {
            return Ok(Self::File(PathBuf::from(text)));
        }
        Err(format!("{wrong}, or the name of a file with its extension"))
    }
}

impl<'de, Q: FromStr<Err = String>> Deserialize<'de> for Given<Q> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = from.deserialize_any(Text)?;
        text.parse().map_err(de::Error::custom)
    }
}

/// Reads types with a [`FromStr`] from TOML as they are typed: a string or a number.
macro_rules! read_as_typed {
    ($($type:ty),* $(,)?) => {$(
        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                let text = from.deserialize_any($crate::quantity::Text)?;
                text.parse().map_err(serde::de::Error::custom)
            }
        }
    )*};
}
pub(crate) use read_as_typed;

read_as_typed!(Metres, Seconds, Rate, Discharge);

/// Takes a TOML string, integer or float as the text a user would have typed.
pub(crate) struct Text;

impl Visitor<'_> for Text {
    type Value = String;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number or a text in quotes")
    }

    fn visit_str<E>(self, text: &str) -> Result<String, E> {
        Ok(text.to_owned())
    }

    fn visit_i64<E>(self, number: i64) -> Result<String, E> {
        Ok(number.to_string())
    }

    fn visit_f64<E>(self, number: f64) -> Result<String, E> {
        Ok(number.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check<Q: Quantity>(text: &str, si: f64) {
        let got = text.parse::<Q>().map(Q::si);
        let is_close = got.as_ref().is_ok_and(|g| (g - si).abs() <= 1e-12 * si.abs());
        assert!(is_close, "{text}: {got:?}, expected {si}");
    }

    #[test]
    fn units_convert_to_si() {
        check::<Metres>("12.5", 12.5);
        check::<Metres>("-3 m", -3.0);
        check::<Metres>("1cm", 0.01);
        check::<Metres>("1e-2m", 0.01);
        check::<Seconds>("1h", 3600.0);
        check::<Seconds>("1h30min", 5400.0);
        check::<Seconds>("2d 6h", 194_400.0);
        check::<Rate>("36mm/h", 1.0e-5);
        check::<Rate>("5mm/day", 5.0e-3 / 86_400.0);
        check::<Discharge>("12m3/s", 12.0);
        check::<Discharge>("250 l/s", 0.25);
        check::<Speed>("36km/h", 10.0);
        check::<Diffusivity>("0.5 m²/s", 0.5);
    }

    #[test]
    fn what_is_no_quantity_is_refused_with_the_units() {
        for text in ["", "40", "mm/h", "40mn/h", "nanmm/h", "infmm/h", "1e999mm/h", "4 0mm/h"] {
            let wrong = text.parse::<Rate>().expect_err(text);
            assert!(wrong.contains("mm/h, mm/min"), "{text}: {wrong}");
        }
        for text in ["60", "1h30", "h", "nan", "1 hour"] {
            assert!(text.parse::<Seconds>().is_err(), "{text}");
        }
        for text in ["nan", "inf", "1.5e", "--1", "1.2.3"] {
            assert!(text.parse::<Metres>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_value_or_a_file() {
        let given = |text: &str| text.parse::<Given<Rate>>();
        assert_eq!(given("0.5m/s"), Ok(Given::Value(Rate(0.5))));
        assert_eq!(given("storm.csv"), Ok(Given::File("storm.csv".into())));
        assert_eq!(given("40mm.csv"), Ok(Given::File("40mm.csv".into())));
        assert!(given("storm").is_err_and(|wrong| wrong.contains("units:")));
        assert!(given("0.5furlong/h").is_err());
    }
}
