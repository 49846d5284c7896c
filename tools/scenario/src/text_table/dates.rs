//! Dates with a time of day, as loggers, agencies and spreadsheets write them.
//!
//! ```text
//! 2024-01-05 13:00   2024-01-05T13:00:00.000Z   2024-01-05T13:00+01:00   2024/01/05 13:00
//! 05.01.2024 13:00   05/01/2024 13:00 (#dmy)    1/5/2024 1:00 PM (#mdy)  05Jan2024 1300
//! 20240105 1300      5 January 2024 13:00 UTC   Jan 5, 2024 1:00 PM      2024-01-05 (midnight)
//! 2024-01-05 13:00-13:15 (a period)
//! ```
//!
//! Guarantees: 24:00 is midnight of the next day. The order of day and month stays open if the text
//!             leaves it open; points mean the day first. `13:00-14:00` is a period and no zone,
//!             unless seconds, a `T` or a space show the zone.
//! Limits:     zones are offsets and the abbreviations of North America, Europe and Australia.

use super::name::DayOrder;
use crate::moment::day_s;

/// Examples of the forms that are read, for a refusal.
pub(super) const FORMS: &str = "2024-01-05 13:00, 2024-01-05T13:00:00Z, 2024-01-05T13:00+01:00, \
                                2024/01/05 13:00, 20240105 1300, 05.01.2024 13:00, \
                                1/5/2024 1:00 PM, 05Jan2024 1300 or 5 January 2024 13:00 CET";

/// Abbreviations of zones and their hours ahead of UTC.
const ZONES: &[(&str, f64)] = &[
    ("z", 0.0),
    ("utc", 0.0),
    ("gmt", 0.0),
    ("wet", 0.0),
    ("west", 1.0),
    ("bst", 1.0),
    ("cet", 1.0),
    ("mez", 1.0),
    ("cest", 2.0),
    ("mesz", 2.0),
    ("eet", 2.0),
    ("eest", 3.0),
    ("ast", -4.0),
    ("adt", -3.0),
    ("est", -5.0),
    ("edt", -4.0),
    ("cst", -6.0),
    ("cdt", -5.0),
    ("mst", -7.0),
    ("mdt", -6.0),
    ("pst", -8.0),
    ("pdt", -7.0),
    ("akst", -9.0),
    ("akdt", -8.0),
    ("hst", -10.0),
    ("jst", 9.0),
    ("aest", 10.0),
    ("aedt", 11.0),
    ("nzst", 12.0),
    ("nzdt", 13.0),
];

/// Abbreviations that several countries use for zones of their own, and the one that is meant here.
const SHARED: &[(&str, &str)] = &[
    ("ast", "Atlantic Standard Time of America, not Arabia's"),
    ("bst", "British Summer Time, not Bangladesh's"),
    ("cst", "Central Standard Time of America, not China's or Cuba's"),
    ("est", "Eastern Standard Time of America, not Australia's"),
];

/// Years in which a number of eight digits is a date.
const YEARS: std::ops::RangeInclusive<i16> = 1700..=2200;

/// Beginnings of the names of months in English and German.
const MONTHS: &[(&str, i8)] = &[
    ("jan", 1),
    ("jän", 1),
    ("feb", 2),
    ("mar", 3),
    ("mär", 3),
    ("mrz", 3),
    ("apr", 4),
    ("may", 5),
    ("mai", 5),
    ("jun", 6),
    ("jul", 7),
    ("aug", 8),
    ("sep", 9),
    ("oct", 10),
    ("okt", 10),
    ("nov", 11),
    ("dec", 12),
    ("dez", 12),
];

/// A date as it is written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct DateStamp {
    year: i16,
    day: Day,
    /// Seconds since midnight; `None` for a date alone.
    pub clock_s: Option<f64>,
    /// Lead of the clock over UTC, s.
    pub offset_s: Option<f64>,
    /// Whether the clock has AM or PM.
    pub is_half_day: bool,
    /// End of a period, seconds since midnight.
    pub until_s: Option<f64>,
}

/// Month and day as they are written.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Day {
    /// Month and day.
    Known(i8, i8),
    /// Two numbers in an order that the file decides.
    Open(i8, i8),
}

impl DateStamp {
    /// Reads a date, with or without a time of day.
    pub fn read(text: &str) -> Option<Self> {
        let lower = text.trim().to_lowercase();
        let lower = lower.trim_end_matches(" uhr");
        if !lower.contains(|c: char| c.is_ascii_digit()) {
            return None;
        }
        let (rest, offset_s) = split_zone(lower);
        let (rest, until) = split_period(rest);
        let until_s = match until {
            Some(until) => Some(seconds_of(until, None)?),
            None => None,
        };
        let (rest, half) = split_half(rest);
        let (date, clock) = split_clock(rest);
        let clock_s = match clock {
            Some(clock) => Some(seconds_of(clock, half)?),
            None if half.is_some() => return None,
            None => None,
        };
        let (year, day) = day_of(date)?;
        Some(Self { year, day, clock_s, offset_s, is_half_day: half.is_some(), until_s })
    }

    /// Returns the order that the numbers of the date decide: one above 12 is a day.
    pub fn order(&self) -> Option<DayOrder> {
        match self.day {
            Day::Open(first, _) if first > 12 => Some(DayOrder::DayFirst),
            Day::Open(_, second) if second > 12 => Some(DayOrder::MonthFirst),
            _ => None,
        }
    }

    /// True if the calendar has the day in one order of the two.
    pub fn is_day(&self) -> bool {
        let orders = [DayOrder::DayFirst, DayOrder::MonthFirst];
        (YEARS.contains(&self.year)) && orders.iter().any(|order| self.seconds(*order).is_some())
    }

    /// True if the text leaves the order of day and month open.
    pub fn is_open(&self) -> bool {
        matches!(self.day, Day::Open(..))
    }

    /// Returns the length of a period that the text names, s; one that ends at or before its begin
    /// ends on the next day.
    pub fn period_s(&self) -> Option<f64> {
        let length_s = self.until_s? - self.clock_s?;
        Some(if length_s <= 0.0 { length_s + 86_400.0 } else { length_s })
    }

    /// Returns the seconds since 1970 of its own clock; `None` if the calendar has no such day.
    pub fn seconds(&self, order: DayOrder) -> Option<f64> {
        let (month, day) = match (self.day, order) {
            (Day::Known(month, day), _) => (month, day),
            (Day::Open(day, month), DayOrder::DayFirst) => (month, day),
            (Day::Open(month, day), DayOrder::MonthFirst) => (month, day),
        };
        Some(day_s(self.year, month, day)? + self.clock_s.unwrap_or(0.0))
    }
}

/// Returns the lead of a zone's clock over UTC, s.
pub(super) fn zone_s(name: &str) -> Option<f64> {
    let name = name.trim().to_lowercase();
    let known = ZONES.iter().find(|(zone, _)| *zone == name);
    known.map(|(_, hours)| hours * 3600.0).or_else(|| {
        let offset = name.strip_prefix("utc").or(name.strip_prefix("gmt")).unwrap_or(&name);
        let sign = match offset.chars().next()? {
            '+' => 1.0,
            '-' | '\u{2212}' => -1.0,
            _ => return None,
        };
        let digits = offset.trim_start_matches(['+', '-', '\u{2212}']);
        let (hours, minutes) = match (digits.split_once(':'), digits.len()) {
            (Some(parts), _) => parts,
            // A text may have letters of several bytes.
            (None, 4) => digits.split_at_checked(2)?,
            (None, 1 | 2) => (digits, "00"),
            _ => return None,
        };
        let (hours, minutes) = (number(hours, 1, 2)?, number(minutes, 2, 2)?);
        // Zones differ from whole hours by 30 or 45 minutes only.
        (hours <= 14 && matches!(minutes, 0 | 30 | 45))
            .then(|| sign * (f64::from(hours) * 3600.0 + f64::from(minutes) * 60.0))
    })
}

/// Returns a note on the meaning of the zone at the end of a text, if several countries use its
/// name.
pub(super) fn shared_zone(text: &str) -> Option<String> {
    let word = text.split_whitespace().last()?.trim_matches(['(', ')']);
    let lower = word.to_lowercase();
    let (_, meaning) = SHARED.iter().find(|(zone, _)| *zone == lower)?;
    let hours = zone_s(&lower)? / 3600.0;
    Some(format!(
        "`{word}` counts as UTC{hours:+}, {meaning}: write the offset, like 2024-01-05 13:00 \
         UTC{hours:+}, if it is another"
    ))
}

/// Splits a zone off the end: a word after a space, `Z`, or an offset behind a clock.
fn split_zone(text: &str) -> (&str, Option<f64>) {
    if let Some((rest, last)) = text.rsplit_once(' ')
        && let Some(offset) = zone_s(last.trim_matches(['(', ')']))
    {
        return (rest.trim_end(), Some(offset));
    }
    if let Some(rest) = text.strip_suffix('z').filter(|rest| rest.ends_with(char::is_numeric)) {
        return (rest, Some(0.0));
    }
    let at = text.rfind(['+', '-']).filter(|&at| text[..at].contains(':'));
    let at = at.or_else(|| text.rfind('+')).filter(|&at| is_zone_place(text, at));
    match at.and_then(|at| zone_s(&text[at..]).map(|offset| (at, offset))) {
        Some((at, offset)) => (text[..at].trim_end(), Some(offset)),
        None => (text, None),
    }
}

/// True for a sign that begins a zone and not the end of a period: every plus; a minus behind
/// seconds, a `T`, AM or PM, or before four digits.
fn is_zone_place(text: &str, at: usize) -> bool {
    let (before, after) = text.split_at(at);
    let is_iso = before.split_once('t').is_some_and(|(date, _)| date.ends_with(is_digit));
    let is_compact = after.len() == 5 && after[1..].bytes().all(|byte| byte.is_ascii_digit());
    let is_long = before.matches(':').count() > 1 || before.ends_with('m');
    after.starts_with('+') || is_iso || is_compact || is_long
}

fn is_digit(c: char) -> bool {
    c.is_ascii_digit()
}

/// Splits the end of a period off, like `13:15` of `13:00-13:15`.
fn split_period(text: &str) -> (&str, Option<&str>) {
    let Some((begin, end)) = text.rsplit_once(['-', '\u{2013}']) else { return (text, None) };
    let (begin, end) = (begin.trim_end(), end.trim_start());
    let is_clock = |clock: &str| clock.contains(':') && seconds_of(clock, None).is_some();
    let begins = begin.rsplit([' ', 't']).next().is_some_and(is_clock);
    if begins && is_clock(end) { (begin, Some(end)) } else { (text, None) }
}

/// Splits AM or PM off the end: hours to add.
fn split_half(text: &str) -> (&str, Option<f64>) {
    for (word, hours) in [("am", 0.0), ("a.m.", 0.0), ("pm", 12.0), ("p.m.", 12.0)] {
        if let Some(rest) = text.strip_suffix(word) {
            return (rest.trim_end(), Some(hours));
        }
    }
    (text, None)
}

/// Splits the time of day off the end.
fn split_clock(text: &str) -> (&str, Option<&str>) {
    let is_clock = |tail: &str| {
        let is_compact = matches!(tail.len(), 4 | 6) && tail.bytes().all(|b| b.is_ascii_digit());
        tail.contains(':') || is_compact
    };
    if matches!(text.len(), 12 | 14) && text.chars().all(is_digit) {
        return (&text[..8], Some(&text[8..]));
    }
    let split = text.rsplit_once(' ').or_else(|| {
        let (date, clock) = text.split_once('t')?;
        date.ends_with(|c: char| c.is_ascii_digit()).then_some((date, clock))
    });
    match split {
        // `5 January 2024` ends in a year.
        Some((date, tail)) if is_clock(tail) && date.contains(|c: char| c.is_ascii_digit()) => {
            let is_year = !tail.contains(':') && day_of(date.trim()).is_none();
            if is_year { (text, None) } else { (date.trim(), Some(tail)) }
        }
        _ => (text, None),
    }
}

/// Returns the seconds since midnight of a clock like `13:00`, `1:00:05.25` or `1300`.
fn seconds_of(clock: &str, half: Option<f64>) -> Option<f64> {
    let (whole, fraction) = match clock.split_once(['.', ',']) {
        Some((whole, fraction)) => (whole, number(fraction, 1, 9).map(|_| fraction)?),
        None => (clock, "0"),
    };
    let parts: Vec<&str> = match whole.contains(':') {
        true => whole.split(':').collect(),
        false => (0..whole.len()).step_by(2).map(|at| &whole[at..at + 2]).collect(),
    };
    let (hour, minute, second) = match parts[..] {
        [hour, minute] => (hour, minute, "00"),
        [hour, minute, second] => (hour, minute, second),
        _ => return None,
    };
    let fraction: f64 = format!("0.{fraction}").parse().ok()?;
    let (hour, minute) = (f64::from(number(hour, 1, 2)?), f64::from(number(minute, 2, 2)?));
    let second = f64::from(number(second, 2, 2)?) + fraction;
    let hour = match half {
        Some(_) if !(1.0..=12.0).contains(&hour) => return None,
        Some(add) => hour % 12.0 + add,
        None => hour,
    };
    let total = hour * 3600.0 + minute * 60.0 + second;
    (minute < 60.0 && second < 60.0 && total <= 86_400.0).then_some(total)
}

/// Returns the year, and month and day, of a date.
fn day_of(text: &str) -> Option<(i16, Day)> {
    let mut runs: Vec<&str> = Vec::new();
    let (mut rest, mut between) = (text, String::new());
    while let Some(first) = rest.chars().next() {
        let kind = |c: char| (c.is_ascii_digit(), c.is_alphabetic());
        let end = rest.find(|c| kind(c) != kind(first)).unwrap_or(rest.len());
        let (run, next) = rest.split_at(end);
        match first.is_ascii_digit() || first.is_alphabetic() {
            true => runs.push(run),
            false => between.push_str(run),
        }
        rest = next;
    }
    let month_of = |name: &str| {
        let known = MONTHS.iter().find(|(month, _)| name.starts_with(month));
        known.map(|(_, month)| *month)
    };
    let small = |text: &str| number(text, 1, 2).and_then(|n| i8::try_from(n).ok());
    let year = |text: &str| number(text, 4, 4).and_then(|n| i16::try_from(n).ok());
    match runs[..] {
        [all] if all.len() == 8 && between.is_empty() => {
            Some((year(&all[..4])?, Day::Known(small(&all[4..6])?, small(&all[6..])?)))
        }
        [first, second, third] if month_of(second).is_some() => {
            let month = month_of(second)?;
            match year(first) {
                Some(year) => Some((year, Day::Known(month, small(third)?))),
                None => Some((year(third)?, Day::Known(month, small(first)?))),
            }
        }
        [month, day, third] if month_of(month).is_some() => {
            Some((year(third)?, Day::Known(month_of(month)?, small(day)?)))
        }
        [first, second, third] if matches!(&*between, "--" | "//" | "..") => {
            if let Some(year) = year(first) {
                return Some((year, Day::Known(small(second)?, small(third)?)));
            }
            let short = |text: &str| number(text, 2, 2).filter(|_| between != "--");
            // A year of two digits is of 1970 to 2069.
            let full = |two: u32| if two < 70 { 2000 + two } else { 1900 + two };
            let year = year(third).or_else(|| i16::try_from(full(short(third)?)).ok())?;
            let (first, second) = (small(first)?, small(second)?);
            Some((
                year,
                match &*between {
                    ".." => Day::Known(second, first),
                    _ => Day::Open(first, second),
                },
            ))
        }
        _ => None,
    }
}

/// Returns a whole number of `least` to `most` digits.
fn number(text: &str, least: usize, most: usize) -> Option<u32> {
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
    ((least..=most).contains(&text.len()) && is_number).then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn utc(text: &str, order: DayOrder) -> Option<f64> {
        let stamp = DateStamp::read(text)?;
        Some(stamp.seconds(order)? - stamp.offset_s.unwrap_or(0.0))
    }

    /// Goal: every form that [`FORMS`] and the page name is the same moment.
    #[test]
    fn all_forms_are_read() {
        let noon = day_s(2024, 1, 5).expect("a day") + 13.0 * 3600.0;
        for text in [
            "2024-01-05 13:00",
            "2024-01-05T13:00",
            "2024-01-05T13:00:00Z",
            "2024-01-05T13:00:00.000Z",
            "2024-01-05T14:00:00+01:00",
            "2024-01-05 14:00+0100",
            "2024-01-05T09:00:00-04:00",
            "2024-01-05 09:00 EDT",
            "2024-01-05 14:00 MEZ",
            "2024-01-05 15:00 UTC+2",
            "2024/01/05 13:00",
            "2024/1/5 1:00 PM",
            "05.01.2024 13:00",
            "05.01.2024 13:00 Uhr",
            "5.1.24 13:00:00",
            "20240105 1300",
            "202401051300",
            "20240105T130000Z",
            "05Jan2024 1300",
            "05-Jan-2024 13:00",
            "5 January 2024 13:00",
            "5. Januar 2024 13:00",
            "Jan 5, 2024 1:00 PM",
            "2024-Jan-05 1:00 p.m.",
        ] {
            assert_eq!(utc(text, DayOrder::DayFirst), Some(noon), "{text}");
        }
        for (text, order) in
            [("5/1/2024 13:00", DayOrder::DayFirst), ("1/5/2024 1:00PM", DayOrder::MonthFirst)]
        {
            assert_eq!(utc(text, order), Some(noon), "{text}");
        }
        let midnight = Some(noon - 13.0 * 3600.0);
        for text in ["2024-01-05", "05.01.2024", "05Jan2024", "20240105", "2024-01-05 12:00 AM"] {
            assert_eq!(utc(text, DayOrder::DayFirst), midnight, "{text}");
        }
        for text in ["2024-01-04 24:00", "04Jan2024 2400"] {
            assert_eq!(utc(text, DayOrder::DayFirst), midnight, "{text}");
        }
    }

    /// Goal: the end of a period is no zone; before, `00:00-00:15` was 00:15 UTC.
    #[test]
    fn periods_are_no_zones() {
        for (text, clock_min, period_min) in [
            ("01.01.2024 00:00-00:15", 0.0, 15.0),
            ("01.01.2024 13:00-14:00", 780.0, 60.0),
            ("01.01.2024 13:00 - 14:00", 780.0, 60.0),
            ("01.01.2024 13:00\u{2013}14:00 Uhr", 780.0, 60.0),
            ("01.01.2024 23:45-00:00", 1425.0, 15.0),
            ("01.01.2024 23:45-24:00", 1425.0, 15.0),
            ("2024-01-01 13:00:00-13:05:00", 780.0, 5.0),
            ("2024-01-01T00:00-00:15", 0.0, 15.0),
        ] {
            let stamp = DateStamp::read(text).expect(text);
            assert_eq!(stamp.offset_s, None, "{text}");
            assert_eq!(stamp.clock_s, Some(clock_min * 60.0), "{text}");
            assert_eq!(stamp.period_s(), Some(period_min * 60.0), "{text}");
        }
        for text in [
            "2024-01-01T13:00-04:00",
            "2024-01-01 13:00:00-04:00",
            "2024-01-01 13:00:00-04",
            "2024-01-01 13:00 -04:00",
            "2024-01-01 13:00-0400",
        ] {
            let stamp = DateStamp::read(text).expect(text);
            assert_eq!((stamp.offset_s, stamp.until_s), (Some(-14_400.0), None), "{text}");
        }
    }

    #[test]
    fn text_without_a_date_is_refused() {
        for text in [
            "2004-02-30 12:00",
            "2003-02-29 12:00",
            "2004-13-01 12:00",
            "2004-08-16 25:00",
            "2004-08-16 24:01",
            "2004-08-16 13:00 PM",
            "2004-08-16 13:00-1",
            "2004-08-16 13:00 UTC+0115",
            "12:00",
            "12:00 PM",
            "1h30",
            "1.5",
            "1.200.000",
            "1,200",
            "-5",
            "90min",
            "12 m3/s",
            "5 5 5",
            "+5°C",
            "Luft -5°C",
            "peak, est",
            "",
        ] {
            assert_eq!(utc(text, DayOrder::DayFirst), None, "{text}");
        }
    }
}
