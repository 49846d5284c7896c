//! Units of a raster of rain, in the spellings of GDAL, netCDF and GRIB.
//!
//! A unit is a product of powers: `mm h-1`, `mm/h`, `kg m**-2 s**-1`, `inches per day`. Water of
//! 1 kg/m² is 1 mm deep.
//!
//! Source:     foot and inch: international yard and pound (1959).

use std::fmt;
use std::str::FromStr;

use crate::quantity::read_as_typed;

read_as_typed!(RainUnit);

/// Unit of the values of a raster of rain.
#[derive(Debug, Clone, PartialEq)]
pub struct RainUnit {
    /// The unit as it is spelled.
    name: String,
    /// One of the unit in metres, or in metres per second.
    pub si: f64,
    /// True if values are depths that fall in a step of time, and not rates.
    pub is_depth: bool,
}

/// Names, metres, and powers of length and of time.
const UNITS: [(&[&str], f64, i32, i32); 12] = [
    (&["mm", "millimetre", "millimetres", "millimeter", "millimeters"], 1.0e-3, 1, 0),
    (&["cm", "centimetre", "centimetres", "centimeter", "centimeters"], 1.0e-2, 1, 0),
    (&["m", "metre", "metres", "meter", "meters"], 1.0, 1, 0),
    (&["in", "inch", "inches"], 0.0254, 1, 0),
    (&["ft", "foot", "feet"], 0.3048, 1, 0),
    // The volume of a mass of water, m³.
    (&["kg", "kilogram", "kilograms"], 1.0e-3, 3, 0),
    (&["l", "litre", "litres", "liter", "liters"], 1.0e-3, 3, 0),
    (&["s", "sec", "second", "seconds"], 1.0, 0, 1),
    (&["min", "mins", "minute", "minutes"], 60.0, 0, 1),
    (&["h", "hr", "hrs", "hour", "hours"], 3600.0, 0, 1),
    (&["d", "day", "days"], 86_400.0, 0, 1),
    (&["1"], 1.0, 0, 0),
];

impl FromStr for RainUnit {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || {
            format!(
                "`{text}` is not a unit of rain: write mm/h, mm/d, in/h, mm, in, m/s or \
                 kg m-2 s-1"
            )
        };
        let (mut si, mut length, mut time) = (1.0, 0, 0);
        let plain = plain(text);
        for (index, side) in plain.split('/').enumerate() {
            let sign = if index == 0 { 1 } else { -1 };
            let words: Vec<&str> = side.split_whitespace().collect();
            if words.is_empty() {
                return Err(wrong());
            }
            for word in words {
                let (metres, of_length, of_time, power) = factor(word).ok_or_else(wrong)?;
                si *= metres.powi(sign * power);
                length += sign * power * of_length;
                time += sign * power * of_time;
            }
        }
        match (length, time) {
            (1, 0) => Ok(Self { name: text.trim().to_owned(), si, is_depth: true }),
            (1, -1) => Ok(Self { name: text.trim().to_owned(), si, is_depth: false }),
            _ => Err(wrong()),
        }
    }
}

/// Returns a unit in small letters with plain powers: `mm h-1` for `[mm·h⁻¹]`, `mm / h` for
/// `mm per hour`.
fn plain(text: &str) -> String {
    let pairs = [
        ("**", ""),
        ("^", ""),
        ("⁻", "-"),
        ("−", "-"),
        ("¹", "1"),
        ("²", "2"),
        ("³", "3"),
        ("[", " "),
        ("]", " "),
        ("(", " "),
        (")", " "),
        ("·", " "),
        ("*", " "),
        (" per ", " / "),
        ("\"", ""),
    ];
    let lower = text.trim().to_lowercase();
    pairs.iter().fold(lower, |text, (from, to)| text.replace(from, to))
}

/// Returns the factor of a word like `m-2` or `3h`, its powers of length and time, and the power of
/// all.
fn factor(word: &str) -> Option<(f64, i32, i32, i32)> {
    if let Ok(number) = word.parse::<f64>() {
        return (number.is_finite() && number > 0.0).then_some((number, 0, 0, 1));
    }
    let start = word.find(char::is_alphabetic)?;
    let (count, rest) = word.split_at(start);
    let end = rest.find(|c: char| !c.is_alphabetic()).unwrap_or(rest.len());
    let (name, power) = rest.split_at(end);
    let count =
        if count.is_empty() { 1.0 } else { count.parse::<f64>().ok().filter(|n| *n > 0.0)? };
    let power =
        if power.is_empty() { 1 } else { power.parse::<i32>().ok().filter(|p| p.abs() <= 3)? };
    let found = UNITS.iter().find(|(names, ..)| names.contains(&name))?;
    Some((count * found.1, found.2, found.3, power))
}

impl RainUnit {
    /// True if another spelling means the same.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        self.is_depth == other.is_depth && (self.si - other.si).abs() < 1.0e-9 * self.si
    }
}

impl fmt::Display for RainUnit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_read_in_any_common_spelling() {
        let (hour, day) = (1.0e-3 / 3600.0, 1.0e-3 / 86_400.0);
        for (text, si, is_depth) in [
            ("mm/h", hour, false),
            ("mm h-1", hour, false),
            ("mm/hr", hour, false),
            ("mm hr^-1", hour, false),
            ("[mm·h⁻¹]", hour, false),
            ("mm per hour", hour, false),
            ("mm/d", day, false),
            ("mm day-1", day, false),
            ("mm/day", day, false),
            ("inch/h", 0.0254 / 3600.0, false),
            ("in/hr", 0.0254 / 3600.0, false),
            ("kg m-2 s-1", 1.0e-3, false),
            ("kg/m2/s", 1.0e-3, false),
            ("kg/m^2/s", 1.0e-3, false),
            ("kg m**-2 s**-1", 1.0e-3, false),
            ("m s-1", 1.0, false),
            ("m/s", 1.0, false),
            ("mm/3h", hour / 3.0, false),
            ("mm/15min", 1.0e-3 / 900.0, false),
            ("mm", 1.0e-3, true),
            ("[mm]", 1.0e-3, true),
            ("Inches", 0.0254, true),
            ("kg m-2", 1.0e-3, true),
            ("l/m²", 1.0e-3, true),
            ("m", 1.0, true),
        ] {
            let unit: RainUnit = text.parse().expect(text);
            assert!((unit.si / si - 1.0).abs() < 1.0e-12, "{text}: {}", unit.si);
            assert_eq!(unit.is_depth, is_depth, "{text}");
        }
        for text in
            ["", "/", "h", "mm/h/h", "dBZ", "K", "mm/", "m2", "0mm", "mm/month", "kg", "mm9"]
        {
            assert!(text.parse::<RainUnit>().is_err(), "{text}");
        }
    }
}
