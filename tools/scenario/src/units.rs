//! Units by name, and numbers with a unit as people type them.
//!
//! Guarantees: values read are finite; an error lists the units, and suggests the one that is
//!             meant.
//! Source:     foot, inch and gallon: international yard and pound (1959), US liquid gallon.

use crate::spelling::nearest;

/// A kind of quantity: its name and the conversion of its units to SI.
pub(crate) struct QuantityKind {
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
const LITRE_M3: f64 = 1.0e-3;
const HECTARE_M2: f64 = 1.0e4;
const HOUR_S: f64 = 3600.0;
const DAY_S: f64 = 86_400.0;

pub(crate) const LENGTH: QuantityKind = QuantityKind {
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

pub(crate) const DURATION: QuantityKind = QuantityKind {
    what: "a duration",
    example: "1h30min",
    units: &[("s", 1.0), ("min", 60.0), ("h", HOUR_S), ("d", DAY_S)],
    plain: None,
    is_time: true,
};

pub(crate) const RATE: QuantityKind = QuantityKind {
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
        ("l/m2/h", LITRE_M3 / HOUR_S),
        ("l/m2/min", LITRE_M3 / 60.0),
        ("l/m2/d", LITRE_M3 / DAY_S),
        ("l/s/ha", LITRE_M3 / HECTARE_M2),
    ],
    plain: None,
    is_time: false,
};

/// Depth of rain in a step of a table: a litre on a square metre is 1 mm.
pub(crate) const RAIN_DEPTH: QuantityKind = QuantityKind {
    what: "a depth of rain",
    example: "5mm",
    units: &[
        ("mm", 0.001),
        ("cm", 0.01),
        ("m", 1.0),
        ("in", INCH_M),
        ("ft", FOOT_M),
        ("l/m2", LITRE_M3),
    ],
    plain: None,
    is_time: false,
};

pub(crate) const DISCHARGE: QuantityKind = QuantityKind {
    what: "a discharge",
    example: "12m3/s",
    units: &[
        ("m3/s", 1.0),
        ("m³/s", 1.0),
        ("m3/h", 1.0 / HOUR_S),
        ("m3/d", 1.0 / DAY_S),
        ("m3/min", 1.0 / 60.0),
        ("l/s", 1.0e-3),
        ("l/min", 1.0e-3 / 60.0),
        ("ML/d", 1.0e3 / DAY_S),
        ("cfs", FOOT_M * FOOT_M * FOOT_M),
        ("ft3/s", FOOT_M * FOOT_M * FOOT_M),
        ("ft³/s", FOOT_M * FOOT_M * FOOT_M),
        ("kcfs", 1.0e3 * FOOT_M * FOOT_M * FOOT_M),
        ("gpm", GALLON_M3 / 60.0),
        ("MGD", 1.0e6 * GALLON_M3 / DAY_S),
    ],
    plain: None,
    is_time: false,
};

pub(crate) const SPEED: QuantityKind = QuantityKind {
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

pub(crate) const VISCOSITY: QuantityKind = QuantityKind {
    what: "a viscosity",
    example: "0.5m2/s",
    units: &[("m2/s", 1.0), ("m²/s", 1.0)],
    plain: None,
    is_time: false,
};

pub(crate) const DENSITY: QuantityKind = QuantityKind {
    what: "a density",
    example: "1550kg/m3",
    units: &[
        ("kg/m3", 1.0),
        ("kg/m³", 1.0),
        ("g/cm3", 1000.0),
        ("g/cm³", 1000.0),
        ("t/m3", 1000.0),
        ("t/m³", 1000.0),
    ],
    plain: None,
    is_time: false,
};

pub(crate) const DYNAMIC_VISCOSITY: QuantityKind = QuantityKind {
    what: "a dynamic viscosity",
    example: "2Pa.s",
    units: &[
        ("Pa.s", 1.0),
        ("Pas", 1.0),
        ("mPa.s", 1.0e-3),
        ("mPas", 1.0e-3),
        ("P", 0.1),
        ("cP", 1.0e-3),
    ],
    plain: None,
    is_time: false,
};

pub(crate) const STRESS: QuantityKind = QuantityKind {
    what: "a stress",
    example: "60Pa",
    units: &[("Pa", 1.0), ("kPa", 1000.0), ("N/m2", 1.0), ("N/m²", 1.0), ("dyn/cm2", 0.1)],
    plain: None,
    is_time: false,
};

/// Units that are usual in the United States alone, where commas group thousands.
const US: &[&str] = &["cfs", "ft3/s", "ft³/s", "kcfs", "gpm", "MGD", "ft", "in", "in/h", "in/d"];

/// Alternative names of units and of their parts.
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
    ("metern", "m"),
    ("millimetres", "mm"),
    ("millimeters", "mm"),
    ("millimeter", "mm"),
    ("centimetres", "cm"),
    ("centimeters", "cm"),
    ("zoll", "in"),
    ("sekunden", "s"),
    ("sekunde", "s"),
    ("secs", "s"),
    ("minuten", "min"),
    ("stunden", "h"),
    ("stunde", "h"),
    ("std", "h"),
    ("tage", "d"),
    ("tag", "d"),
    ("m3s", "m3/s"),
    ("kubikmeter", "m3"),
    ("cubicmetres", "m3"),
    ("cubicmeters", "m3"),
    ("cubicmeter", "m3"),
    ("cubicfeet", "ft3"),
    ("cubicfoot", "ft3"),
    ("cusecs", "cfs"),
    ("mld", "ML/d"),
    ("masd", "m"),
    ("maod", "m"),
    ("masl", "m"),
    ("mnhn", "m"),
    ("mnn", "m"),
    ("münn", "m"),
    ("münhn", "m"),
    ("ftnavd88", "ft"),
    ("ftngvd29", "ft"),
    ("mnavd88", "m"),
    ("litres", "l"),
    ("liters", "l"),
    ("litre", "l"),
    ("liter", "l"),
    ("qm", "m2"),
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

impl QuantityKind {
    /// Returns the SI value of a text.
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

    /// Returns the SI value of one of a unit.
    pub(crate) fn factor(&self, unit: &str) -> Option<f64> {
        if unit.is_empty() {
            return self.plain;
        }
        let of_name = |wanted: &str| {
            let found = self.units.iter().find(|(name, _)| *name == wanted);
            found.map(|(_, factor)| *factor)
        };
        of_name(unit).or_else(|| of_name(self.spelt(unit)?))
    }

    /// Returns the unit of an alternative spelling: `m^3 s-1`, `CMS`, `inches`, `mm per hour`.
    fn spelt(&self, unit: &str) -> Option<&'static str> {
        // A thousandth and a million differ in their capitals alone.
        if unit.starts_with("ml") || unit.starts_with("Mm") || unit.starts_with("MP") {
            return None;
        }
        let plain = respelt(unit);
        let same = |name: &&&str| name.eq_ignore_ascii_case(&plain);
        let renamed = |part: &str| {
            let found = OTHER_NAMES.iter().find(|(name, _)| *name == part);
            found.map_or(part, |(_, name)| name).to_owned()
        };
        let parts = plain.split('/').map(renamed).collect::<Vec<_>>().join("/");
        let whole = renamed(&plain);
        let names = self.units.iter().map(|(name, _)| name);
        let mut found = names.filter(|name| {
            same(name) || name.eq_ignore_ascii_case(&parts) || name.eq_ignore_ascii_case(&whole)
        });
        found.next().copied()
    }

    /// Returns the unit that an unknown name may mean.
    pub(crate) fn meant(&self, unit: &str) -> Option<&'static str> {
        let lower = respelt(unit);
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

    /// Returns the names of all units.
    pub(crate) fn names(&self) -> String {
        self.units.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
    }
}

/// Returns a unit in small letters without powers as signs: `m3/s` for `m³ s⁻¹`, `m^3/s` and
/// `m3 per s`.
fn respelt(unit: &str) -> String {
    let lower = unit.to_lowercase();
    let lower = lower.replace('³', "3").replace('²', "2").replace("⁻¹", "-1").replace("**", "");
    let lower = lower.replace(['^', '.', '{', '}'], "").replace(['·', '*'], " ");
    let words = lower.split_whitespace().map(|word| match word.strip_suffix("-1") {
        Some(divisor) if lower.contains(' ') => format!("/{divisor}"),
        Some(divisor) => match divisor.strip_suffix(['s', 'h', 'd']) {
            Some(rest) => format!("{rest}/{}", &divisor[rest.len()..]),
            None => word.to_owned(),
        },
        None if matches!(word, "per" | "pro" | "je") => "/".to_owned(),
        None => word.to_owned(),
    });
    words.collect()
}

/// True for the name of a unit of a quantity that tables contain.
pub(crate) fn is_known(unit: &str) -> bool {
    let kinds = [&DURATION, &LENGTH, &RATE, &RAIN_DEPTH, &DISCHARGE];
    !unit.is_empty() && kinds.iter().any(|kind| kind.factor(unit).is_some())
}

/// True for a unit that is usual in the United States alone.
pub(crate) fn is_us(unit: &str) -> bool {
    let kinds = [&DISCHARGE, &LENGTH, &RATE];
    US.contains(&unit) || kinds.iter().any(|kind| kind.spelt(unit).is_some_and(|u| US.contains(&u)))
}

/// Returns the seconds of `h:mm` or `h:mm:ss`.
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

/// Returns the longest prefix that can be a decimal number, and the rest.
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
            (&RATE, "40mmm/h", "did you mean 40mm/h?"),
            (&RATE, "40mm", "did you mean 40mm/h?"),
            (&LENGTH, "10 feets", "did you mean 10ft?"),
            (&DURATION, "5mim", "did you mean 5min?"),
            (&DISCHARGE, "12m3/ss", "did you mean 12m3/s?"),
            (&DISCHARGE, "12ml/d", "did you mean 12ML/d?"),
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
    fn other_spellings_are_units() {
        for (kind, texts, si) in [
            (
                &RATE,
                &["36 mm/hr", "36MM/H", "36 mm per hour", "36 mm h-1", "36mmh", "36 mm h⁻¹"][..],
                1e-5,
            ),
            (&RATE, &["2 inches/hour", "2 in/hr", "2 iph"], 0.0508 / HOUR_S),
            (&RATE, &["36 l/m2/h", "36 l/m²/h", "36 L/m^2/hr", "36 Liter/m²/Stunde"], 1e-5),
            (&RATE, &["0.6 l/m2/min", "864 l/m²/d", "100 l/s/ha"], 1e-5),
            (&RAIN_DEPTH, &["5 l/m2", "5 l/m²", "5 L/m^2", "5 Liter/qm", "5mm", "0.5 cm"], 5e-3),
            (&DURATION, &["2 hours", "2 Stunden", "120 minutes", "120 mins"], 7200.0),
            (
                &DISCHARGE,
                &[
                    "12m^3/s",
                    "12 cumecs",
                    "12 CMS",
                    "12 m3 s-1",
                    "12 m³/sec",
                    "12 m³ s⁻¹",
                    "12m3s-1",
                    "12 m**3/s",
                    "12 cubic metres per second",
                    "12 Kubikmeter/s",
                    "12 m3s",
                ],
                12.0,
            ),
            (
                &DISCHARGE,
                &["1000 CFS", "1 kcfs", "1000 ft^3/s", "1000 cubic feet per second"],
                28.316_846_592,
            ),
            (&DISCHARGE, &["86.4 ML/d", "86.4 Ml/day", "86.4 megalitres/day"][..2], 1.0),
            (&DISCHARGE, &["1 mgd", "1 MGD"], 1.0e6 * GALLON_M3 / DAY_S),
            (&LENGTH, &["3 feet", "36 inches", "3 FT", "3 ft NAVD88"], 0.9144),
            (&LENGTH, &["3 Metres", "3 mAOD", "3 m NHN", "3 m ü. NHN"], 3.0),
            (&SPEED, &["36kmh", "36 km/hour"], 10.0),
        ] {
            for text in texts {
                let got = kind.parse(text);
                let is_close = got.as_ref().is_ok_and(|got| (got - si).abs() < 1e-12 * si);
                assert!(is_close, "{text}: {got:?}, expected {si}");
            }
        }
        assert!(DISCHARGE.parse("5 ml/d").is_err() && LENGTH.parse("5 Mm").is_err());
        assert!(is_us("CFS") && is_us("inches") && !is_us("m3/s") && !is_us("mm/h"));
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
