//! Numbers with a unit, as people type them: `40mm/h`, `1h30`, `1:30`, `12m3/s`, `1cm`, `500cfs`.
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

use crate::typed::file_of;
use crate::units::{DISCHARGE, DURATION, LENGTH, QuantityKind, RAIN_DEPTH, RATE, SPEED, VISCOSITY};

/// A quantity that can be read from text in one of its units.
pub trait Quantity: Copy + FromStr<Err = String> {
    /// Returns the value in SI units.
    fn si(self) -> f64;

    /// Returns the value of `number` in the unit called `unit`; `None` if the unit is unknown.
    fn in_unit(number: f64, unit: &str) -> Option<Self>;

    /// Returns the unit that an unknown name may mean.
    fn meant(unit: &str) -> Option<&'static str>;

    /// Returns the names of all units.
    fn units() -> String;

    /// Returns the names of all units of a column in a table, including depths in a step.
    fn column_units() -> String;

    /// Heading of a column of this quantity in a table, and a unit that such a column often has.
    const COLUMN: (&'static str, &'static str);

    /// Returns the value of `number`, a depth in the unit called `unit` that falls in a step of
    /// `step_s`.
    fn in_step(number: f64, unit: &str, step_s: f64) -> Option<Self>;
}

macro_rules! quantity {
    ($(#[$doc:meta])* $name:ident, $kind:expr, $column:expr, $of_step:expr) => {
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

            fn meant(unit: &str) -> Option<&'static str> {
                $kind.meant(unit)
            }

            fn units() -> String {
                $kind.names()
            }

            fn column_units() -> String {
                let of_step: Option<QuantityKind> = $of_step;
                let of_step = of_step.map(|kind| format!(", or, in a step, {}", kind.names()));
                $kind.names() + &of_step.unwrap_or_default()
            }

            const COLUMN: (&'static str, &'static str) = $column;

            fn in_step(number: f64, unit: &str, step_s: f64) -> Option<Self> {
                let of_step: Option<QuantityKind> = $of_step;
                let factor = of_step.filter(|_| !unit.is_empty())?.factor(unit)?;
                Some(Self(number * factor / step_s))
            }
        }

    };
}

quantity!(
    /// A length, depth, stage or elevation, m.
    Metres,
    LENGTH,
    ("stage", "m"),
    None
);
quantity!(
    /// A span of time, s.
    Seconds,
    DURATION,
    ("time", "s"),
    None
);
quantity!(
    /// Rain, infiltration or evaporation, m/s.
    Rate,
    RATE,
    ("rain", "mm/h"),
    Some(RAIN_DEPTH)
);
quantity!(
    /// Water through a section or into an area, m³/s.
    Discharge,
    DISCHARGE,
    ("discharge", "m3/s"),
    None
);

quantity!(
    /// Speed of the wind, m/s.
    Speed,
    SPEED,
    ("speed", "m/s"),
    None
);
quantity!(
    /// Eddy viscosity, m²/s.
    Diffusivity,
    VISCOSITY,
    ("viscosity", "m2/s"),
    None
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
pub enum ValueOrFile<Q> {
    /// One value everywhere and always.
    Value(Q),
    /// Path of a table or raster; which of the two is meant depends on the key.
    File(PathBuf),
}

impl<Q: FromStr<Err = String>> FromStr for ValueOrFile<Q> {
    type Err = String;

    /// Reads a quantity if the text is one; otherwise a name with an extension is a file.
    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = match text.parse() {
            Ok(value) => return Ok(Self::Value(value)),
            Err(wrong) => wrong,
        };
        // The part of a table's name after `#` is not part of its ending.
        let is_file = [file_of(text), text].into_iter().any(|name| {
            let extension = Path::new(name).extension().and_then(|name| name.to_str());
            extension.is_some_and(|name| name.starts_with(|c: char| c.is_ascii_alphabetic()))
        });
        // A folder of rasters is one raster.
        if is_file || text.ends_with('/') {
            return Ok(Self::File(PathBuf::from(text)));
        }
        Err(format!("{wrong}, or the name of a file with its extension"))
    }
}

impl<'de, Q: FromStr<Err = String>> Deserialize<'de> for ValueOrFile<Q> {
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

/// Rounds a value to the precision of the maps.
#[expect(clippy::cast_possible_truncation, reason = "a map in f32")]
#[must_use]
pub fn metres(value: f64) -> f32 {
    value as f32
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
        check::<Metres>("10ft", 3.048);
        check::<Metres>("-2in", -0.0508);
        check::<Seconds>("90min", 5400.0);
        check::<Seconds>("1h30", 5400.0);
        check::<Seconds>("2d6", 194_400.0);
        check::<Seconds>("1:30", 5400.0);
        check::<Seconds>("0:00:45", 45.0);
        check::<Rate>("1.5in/h", 0.0381 / 3600.0);
        check::<Discharge>("1000cfs", 28.316_846_592);
        check::<Discharge>("1ft3/s", 0.028_316_846_592);
        check::<Speed>("10mph", 4.4704);
    }

    #[test]
    fn what_is_no_quantity_is_refused_with_the_units() {
        for text in ["", "40", "mm/h", "40mn/h", "nanmm/h", "infmm/h", "1e999mm/h", "4 0mm/h"] {
            let wrong = text.parse::<Rate>().expect_err(text);
            assert!(wrong.contains("mm/h, mm/min"), "{text}: {wrong}");
        }
        for text in ["60", "1h30m", "h", "nan", "1 fortnight", "1:75"] {
            assert!(text.parse::<Seconds>().is_err(), "{text}");
        }
        for text in ["nan", "inf", "1.5e", "--1", "1.2.3"] {
            assert!(text.parse::<Metres>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_value_or_a_file() {
        let given = |text: &str| text.parse::<ValueOrFile<Rate>>();
        assert_eq!(given("0.5m/s"), Ok(ValueOrFile::Value(Rate(0.5))));
        assert_eq!(given("storm.csv"), Ok(ValueOrFile::File("storm.csv".into())));
        assert_eq!(given("40mm.csv"), Ok(ValueOrFile::File("40mm.csv".into())));
        for table in ["q.csv#Flow", "q.csv#Water Level [m3/s]#dmy", "gauge#2.csv"] {
            assert_eq!(given(table), Ok(ValueOrFile::File(table.into())), "{table}");
        }
        assert!(given("storm").is_err_and(|wrong| wrong.contains("units:")));
        assert!(given("0.5furlong/h").is_err());
    }
}
