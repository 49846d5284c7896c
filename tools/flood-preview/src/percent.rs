//! A part of a whole, typed as a percentage: `95%`.

use std::fmt;
use std::str::FromStr;

/// A part of a whole, typed as a percentage.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Percent(pub f64);

impl fmt::Display for Percent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The value as typed, without the rounding error of the division.
        write!(f, "{}%", (self.0 * 1.0e10).round() / 1.0e8)
    }
}

impl FromStr for Percent {
    type Err = String;

    fn from_str(typed: &str) -> Result<Self, String> {
        let number = typed.trim().strip_suffix('%').map(|number| number.trim().parse::<f64>());
        match number {
            Some(Ok(percent)) if (0.01..=100.0).contains(&percent) => Ok(Self(percent / 100.0)),
            _ => Err("give a percentage from 0.01% to 100%, like 95%".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentage_is_a_part() {
        for (typed, expected) in
            [("95%", Some(0.95)), (" 12.5 % ", Some(0.125)), ("100%", Some(1.0))]
        {
            assert_eq!(typed.parse::<Percent>().ok(), expected.map(Percent), "{typed}");
        }
        for typed in ["95", "0%", "0.009%", "101%", "NaN%", "%", "-1%"] {
            assert!(typed.parse::<Percent>().is_err(), "{typed}");
        }
    }

    #[test]
    fn percentages_are_shown_as_they_are_typed() {
        for typed in ["95%", "57%", "0.01%", "99.99%", "100%"] {
            assert_eq!(typed.parse::<Percent>().expect(typed).to_string(), typed);
        }
    }
}
