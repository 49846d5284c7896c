//! Units by name, and numbers with a unit as people type them.
//!
//! Guarantees: values read are finite; an error lists the units, and says which one may be meant.
//! Source:     foot, inch and gallon: international yard and pound (1959), US liquid gallon.

use crate::spelling::nearest;

/// A kind of quantity: what it is called and how its units convert to SI.
pub(crate) struct Kind {
    what: &'static str,
    example: &'static str,
    units: &'static [(&'static str, f64)],
    /// SI value of a number without a unit, if that is allowed.
    plain: Option<f64>,
    /// Whether it is a time: parts add up, as in `1h30min`, and clocks are read.
    is_time: bool,
}

const FOOT_M: f64 = 0.3048;
const INCH_M: f64 = 0.0254;
const GALLON_M3: f64 = 3.785_411_784e-3;
const HOUR_S: f64 = 3600.0;
const DAY_S: f64 = 86_400.0;

pub(crate) const LENGTH: Kind = Kind {
    what: "a length",
    example: "2.5m",
    units: &[
        ("m", 1.0),
        ("cm", 0.01),
        ("mm", 0.001),
        ("km", 1000.0),
        ("ft", FOOT_M),
        ("in", INCH_M),
    ],
    plain: Some(1.0),
    is_time: false,
};

pub(crate) const DURATION: Kind = Kind {
    what: "a duration",
    example: "1h30min",
    units: &[("s", 1.0), ("min", 60.0), ("h", HOUR_S), ("d", DAY_S)],
    plain: None,
    is_time: true,
};

pub(crate) const RATE: Kind = Kind {
    what: "a rate of depth",
    example: "40mm/h",
    units: &[
        ("mm/h", 1.0e-3 / HOUR_S),
        ("mm/min", 1.0e-3 / 60.0),
        ("mm/s", 1.0e-3),
        ("mm/d", 1.0e-3 / DAY_S),
        ("mm/day", 1.0e-3 / DAY_S),
        ("cm/h", 1.0e-2 / HOUR_S),
        ("m/h", 1.0 / HOUR_S),
        ("m/s", 1.0),
        ("in/h", INCH_M / HOUR_S),
        ("in/d", INCH_M / DAY_S),
        ("in/day", INCH_M / DAY_S),
    ],
    plain: None,
    is_time: false,
};

pub(crate) const DISCHARGE: Kind = Kind {
    what: "a discharge",
    example: "12m3/s",
    units: &[
        ("m3/s", 1.0),
        ("m³/s", 1.0),
        ("m3/h", 1.0 / HOUR_S),
        ("m3/d", 1.0 / DAY_S),
        ("l/s", 1.0e-3),
        ("cfs", FOOT_M * FOOT_M * FOOT_M),
        ("ft3/s", FOOT_M * FOOT_M * FOOT_M),
        ("ft³/s", FOOT_M * FOOT_M * FOOT_M),
        ("gpm", GALLON_M3 / 60.0),
    ],
    plain: None,
    is_time: false,
};

pub(crate) const SPEED: Kind = Kind {
    what: "a speed",
    example: "12m/s",
    units: &[
        ("m/s", 1.0),
        ("km/h", 1.0 / 3.6),
        ("kn", 1852.0 / HOUR_S),
        ("mph", 5280.0 * FOOT_M / HOUR_S),
        ("ft/s", FOOT_M),
    ],
    plain: None,
    is_time: false,
};

pub(crate) const VISCOSITY: Kind = Kind {
    what: "a viscosity",
    example: "0.5m2/s",
    units: &[("m2/s", 1.0), ("m²/s", 1.0)],
    plain: None,
    is_time: false,
};

/// Other names of units, which are no units here but say what is meant.
const OTHER_NAMES: &[(&str, &str)] = &[
    ("metres", "m"),
    ("meters", "m"),
    ("metre", "m"),
    ("meter", "m"),
    ("feet", "ft"),
    ("foot", "ft"),
    ("inches", "in"),
    ("inch", "in"),
    ("seconds", "s"),
    ("second", "s"),
    ("sec", "s"),
    ("minutes", "min"),
    ("minute", "min"),
    ("mins", "min"),
    ("hours", "h"),
    ("hour", "h"),
    ("hrs", "h"),
    ("hr", "h"),
    ("days", "d"),
    ("day", "d"),
    ("litres", "l"),
    ("liters", "l"),
    ("cumecs", "m3/s"),
    ("cumec", "m3/s"),
    ("cms", "m3/s"),
    ("knots", "kn"),
    ("kph", "km/h"),
    ("kmh", "km/h"),
    ("mmph", "mm/h"),
    ("mmh", "mm/h"),
    ("iph", "in/h"),
];

impl Kind {
    /// The SI value of a text.
    pub(crate) fn parse(&self, text: &str) -> Result<f64, String> {
        let clock = self.is_time.then(|| clock_s(text.trim())).flatten();
        if let Some(seconds) = clock {
            return Ok(seconds);
        }
        let mut rest = text.trim();
        let (mut total, mut last) = (0.0, None);
        loop {
            let (number, after) = split_number(rest);
            let value: f64 = number.parse().map_err(|_| self.refuse(text))?;
            let after = after.trim_start();
            let end = match self.is_time {
                true => after.find(|c: char| c.is_ascii_digit()).unwrap_or(after.len()),
                false => after.len(),
            };
            let (unit, next) = after.split_at(end);
            let unit = match (unit.trim(), last) {
                // `1h30` is half past one.
                ("", Some("d")) => "h",
                ("", Some("h")) => "min",
                ("", Some("min")) => "s",
                (unit, _) => unit,
            };
            total += value * self.factor(unit).ok_or_else(|| self.refuse(text))?;
            if next.is_empty() {
                break;
            }
            (rest, last) = (next, Some(unit));
        }
        if total.is_finite() { Ok(total) } else { Err(self.refuse(text)) }
    }

    /// SI value of one of a unit.
    pub(crate) fn factor(&self, unit: &str) -> Option<f64> {
        if unit.is_empty() {
            return self.plain;
        }
        let found = self.units.iter().find(|(name, _)| *name == unit);
        found.map(|(_, factor)| *factor)
    }

    /// The unit that a name which is none may mean.
    pub(crate) fn meant(&self, unit: &str) -> Option<&'static str> {
        let lower = unit.to_lowercase().replace(['^', ' ', '.'], "").replace("per", "/");
        let renamed = |part: &str| {
            let others = || OTHER_NAMES.iter().map(|(name, _)| *name);
            let near = nearest(part, others()).filter(|name| name.len() > 3);
            let named = others().find(|name| *name == part).or(near);
            let found = OTHER_NAMES.iter().find(|(name, _)| Some(*name) == named);
            found.map_or(part.to_owned(), |(_, name)| (*name).to_owned())
        };
        let plain = lower.split('/').map(renamed).collect::<Vec<_>>().join("/");
        let names = || self.units.iter().map(|(name, _)| *name);
        let is_begun = |name: &&str| name.strip_prefix(&*plain).is_some_and(|n| n.starts_with('/'));
        let exact = names().find(|name| *name == plain);
        exact.or_else(|| names().find(is_begun)).or_else(|| nearest(&plain, names()))
    }

    fn refuse(&self, text: &str) -> String {
        let Self { what, example, .. } = self;
        let (number, unit) = split_number(text.trim());
        let is_number = number.parse::<f64>().is_ok_and(f64::is_finite);
        let is_word = unit.trim().starts_with(char::is_alphabetic);
        let meant = self.meant(unit.trim()).filter(|_| is_number && is_word);
        let meant = meant.map_or(String::new(), |unit| format!("did you mean {number}{unit}? "));
        format!(
            "`{text}` is not {what}: {meant}write a number and a unit, like {example} (units: {})",
            self.names()
        )
    }

    /// All units.
    pub(crate) fn names(&self) -> String {
        self.units.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
    }
}

/// Seconds of `h:mm` or `h:mm:ss`.
pub(crate) fn clock_s(text: &str) -> Option<f64> {
    let count = |part: &str, digits: std::ops::RangeInclusive<usize>| {
        let is_number = part.bytes().all(|byte| byte.is_ascii_digit());
        (is_number && digits.contains(&part.len())).then(|| part.parse::<f64>().ok()).flatten()
    };
    let sixty = |part: &str| count(part, 2..=2).filter(|value| *value < 60.0);
    let parts: Vec<&str> = text.split(':').collect();
    let (hours, minutes, seconds) = match parts[..] {
        [hours, minutes] => (hours, minutes, "00"),
        [hours, minutes, seconds] => (hours, minutes, seconds),
        _ => return None,
    };
    Some(count(hours, 1..=4)? * HOUR_S + sixty(minutes)? * 60.0 + sixty(seconds)?)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_be_meant_is_said() {
        for (kind, text, meant) in [
            (&RATE, "40mmh", "did you mean 40mm/h?"),
            (&RATE, "40 mm/hr", "did you mean 40mm/h?"),
            (&RATE, "40mm", "did you mean 40mm/h?"),
            (&LENGTH, "10 feets", "did you mean 10ft?"),
            (&RATE, "40MM/H", "did you mean 40mm/h?"),
            (&RATE, "2 inches/hour", "did you mean 2in/h?"),
            (&RATE, "40 mm per hour", "did you mean 40mm/h?"),
            (&DURATION, "2 hours", "did you mean 2h?"),
            (&DURATION, "90 minutes", "did you mean 90min?"),
            (&DURATION, "5mim", "did you mean 5min?"),
            (&DISCHARGE, "12m^3/s", "did you mean 12m3/s?"),
            (&DISCHARGE, "12 cumecs", "did you mean 12m3/s?"),
            (&LENGTH, "6 feet", "did you mean 6ft?"),
            (&LENGTH, "3 Metres", "did you mean 3m?"),
            (&SPEED, "30kmh", "did you mean 30km/h?"),
        ] {
            let wrong = kind.parse(text).expect_err(text);
            assert!(wrong.contains(meant), "{text}: {wrong}");
        }
        for (kind, text) in [(&RATE, "40"), (&RATE, "fast"), (&LENGTH, "3 furlongs")] {
            let wrong = kind.parse(text).expect_err(text);
            assert!(!wrong.contains("did you mean"), "{text}: {wrong}");
        }
    }

    #[test]
    fn clocks_are_times() {
        for (text, seconds) in
            [("0:30", 1800.0), ("1:30", 5400.0), ("00:00:05", 5.0), ("36:00", 129_600.0)]
        {
            assert_eq!(clock_s(text), Some(seconds), "{text}");
        }
        for text in ["1:5", "1:60", "1:30:60", ":30", "1:", "1:30:00:00", "-1:30", "a:30", "1"] {
            assert_eq!(clock_s(text), None, "{text}");
        }
    }
}
