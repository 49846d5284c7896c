//! Units of length that coordinates are in, by EPSG's codes and by their metres.
//!
//! Source:     EPSG dataset 11, table of units of measure, type length.

use std::fmt;

/// EPSG's code, name in the plural, and metres of a unit of length.
const UNITS: [(u16, &str, f64); 47] = [
    (9001, "metres", 1.0),
    (9002, "feet", 0.3048),
    (9003, "US survey feet", 1200.0 / 3937.0),
    (1025, "millimetres", 0.001),
    (1033, "centimetres", 0.01),
    (9005, "Clarke's feet", 0.304_797_265_4),
    (9014, "fathoms", 1.8288),
    (9030, "nautical miles", 1852.0),
    (9031, "German legal metres", 1.000_013_596_5),
    (9033, "US survey chains", 79_200.0 / 3937.0),
    (9034, "US survey links", 792.0 / 3937.0),
    (9035, "US survey miles", 6_336_000.0 / 3937.0),
    (9036, "kilometres", 1000.0),
    (9037, "Clarke's yards", 0.914_391_796_2),
    (9038, "Clarke's chains", 20.116_619_516_4),
    (9039, "Clarke's links", 0.201_166_195_164),
    (9040, "British yards (Sears 1922)", 36.0 / 39.370_147),
    (9041, "British feet (Sears 1922)", 12.0 / 39.370_147),
    (9042, "British chains (Sears 1922)", 792.0 / 39.370_147),
    (9043, "British links (Sears 1922)", 7.92 / 39.370_147),
    (9050, "British yards (Benoit 1895 A)", 0.914_399_2),
    (9051, "British feet (Benoit 1895 A)", 0.914_399_2 / 3.0),
    (9052, "British chains (Benoit 1895 A)", 20.116_782_4),
    (9053, "British links (Benoit 1895 A)", 0.201_167_824),
    (9060, "British yards (Benoit 1895 B)", 36.0 / 39.370_113),
    (9061, "British feet (Benoit 1895 B)", 12.0 / 39.370_113),
    (9062, "British chains (Benoit 1895 B)", 792.0 / 39.370_113),
    (9063, "British links (Benoit 1895 B)", 7.92 / 39.370_113),
    (9070, "British feet (1865)", 0.914_402_5 / 3.0),
    (9080, "Indian feet", 12.0 / 39.370_142),
    (9081, "Indian feet (1937)", 0.304_798_41),
    (9082, "Indian feet (1962)", 0.304_799_6),
    (9083, "Indian feet (1975)", 0.304_799_5),
    (9084, "Indian yards", 36.0 / 39.370_142),
    (9085, "Indian yards (1937)", 0.914_395_23),
    (9086, "Indian yards (1962)", 0.914_398_8),
    (9087, "Indian yards (1975)", 0.914_398_5),
    (9093, "miles", 1609.344),
    (9094, "Gold Coast feet", 6_378_300.0 / 20_926_201.0),
    (9095, "British feet (1936)", 0.304_800_749_1),
    (9096, "yards", 0.9144),
    (9097, "chains", 20.1168),
    (9098, "links", 0.201_168),
    (9099, "British yards (Sears 1922 truncated)", 0.914_398),
    (9300, "British feet (Sears 1922 truncated)", 0.914_398 / 3.0),
    (9301, "British chains (Sears 1922 truncated)", 20.116_756),
    (9302, "British links (Sears 1922 truncated)", 0.201_167_56),
];

/// Relative difference up to which two units are one: files round metres to nine digits or so.
const SAME: f64 = 2.0e-9;

/// A unit of length.
#[derive(Debug, Clone, Copy)]
pub struct LengthUnit {
    metres: f64,
}

impl LengthUnit {
    /// The metre.
    pub const METRE: Self = Self { metres: 1.0 };

    /// Makes a unit of `metres`; `None` unless `metres` is a positive number.
    #[must_use]
    pub fn of_metres(metres: f64) -> Option<Self> {
        (metres.is_normal() && metres > 0.0).then_some(Self { metres })
    }

    /// Returns the unit that has a code in EPSG's table; `None` if the table lacks the code.
    #[must_use]
    pub fn of_code(code: u16) -> Option<Self> {
        let found = UNITS.iter().find(|(known, ..)| *known == code);
        found.map(|&(.., metres)| Self { metres })
    }

    /// Returns the length of the unit, m.
    #[must_use]
    pub fn metres(self) -> f64 {
        self.metres
    }

    /// Returns EPSG's code of the unit; `None` if EPSG's table has no such unit.
    pub(crate) fn code(self) -> Option<u16> {
        self.known().map(|(code, ..)| code)
    }

    /// Returns the nearest unit of the table, if one is as long.
    fn known(self) -> Option<(u16, &'static str, f64)> {
        let off = |(.., metres): &(u16, &str, f64)| (metres - self.metres).abs();
        let nearest = UNITS.iter().min_by(|a, b| off(a).total_cmp(&off(b)))?;
        (off(nearest) <= SAME * self.metres).then_some(*nearest)
    }
}

impl PartialEq for LengthUnit {
    fn eq(&self, other: &Self) -> bool {
        (self.metres - other.metres).abs() <= SAME * self.metres
    }
}

impl fmt::Display for LengthUnit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.known() {
            Some((_, name, _)) => f.write_str(name),
            None => write!(f, "units of {} m", self.metres),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_have_their_names_and_lengths() {
        for (metres, code, name) in [
            (1.0, Some(9001), "metres"),
            (0.3048, Some(9002), "feet"),
            (0.304_800_609_601_219_2, Some(9003), "US survey feet"),
            (0.304_800_61, Some(9003), "US survey feet"),
            (20.116_765_121_552_632, Some(9042), "British chains (Sears 1922)"),
            (20.116_782_494_375_872, Some(9062), "British chains (Benoit 1895 B)"),
            (0.304_799_710_181_508_8, Some(9094), "Gold Coast feet"),
            (0.914_398_530_744_440_8, Some(9084), "Indian yards"),
            (2.5, None, "units of 2.5 m"),
        ] {
            let unit = LengthUnit::of_metres(metres).expect("positive");
            assert_eq!((unit.code(), unit.to_string().as_str()), (code, name), "{metres}");
            let by_code = code.map(|code| LengthUnit::of_code(code).expect("known"));
            assert!(by_code.is_none_or(|by_code| by_code == unit), "{metres}");
        }
        for wrong in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(LengthUnit::of_metres(wrong).is_none(), "{wrong}");
        }
    }
}
