//! Dates with a time of day, as loggers write them: `2004-08-16 12:30`.
//!
//! Guarantees: differences are right over months and leap years.
//! Limits:     no time zones but `Z`, no leap seconds: times of one table are of one clock.
//! Source:     days of the proleptic Gregorian calendar, as ISO 8601 counts them.

use std::fmt;

use crate::units::clock_s;

/// A moment of the calendar.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Moment {
    /// Seconds since the beginning of the year 0.
    pub seconds: f64,
}

/// Reads a date with a time of day.
pub(super) fn moment(text: &str) -> Option<Moment> {
    let (date, clock) = text.trim_end_matches('Z').split_once(['T', ' '])?;
    let parts: Vec<&str> = date.split('-').collect();
    let [year, month, day] = parts[..] else { return None };
    let number = |part: &str, digits: usize| {
        let is_number = part.len() == digits && part.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| part.parse::<u32>().ok()).flatten()
    };
    let (year, month, day) = (number(year, 4)?, number(month, 2)?, number(day, 2)?);
    let seconds = clock_s(clock.trim()).filter(|seconds| *seconds < 86_400.0)?;
    if !(1..=12).contains(&month) || !(1..=days_of(year, month)).contains(&day) {
        return None;
    }
    Some(Moment { seconds: f64::from(days(year, month, day)) * 86_400.0 + seconds })
}

impl fmt::Display for Moment {
    /// To the second, like `2004-08-16 12:30:00`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "from the year 0 to 9999"
        )]
        let all = self.seconds.round() as u64;
        let (mut year, mut month, second) = (0, 1, all % 86_400);
        let mut day = u32::try_from(all / 86_400).expect("years have four digits");
        while day >= days(year + 1, 1, 1) - days(year, 1, 1) {
            day -= days(year + 1, 1, 1) - days(year, 1, 1);
            year += 1;
        }
        while day >= days_of(year, month) {
            day -= days_of(year, month);
            month += 1;
        }
        let (hour, minute) = (second / 3600, second / 60 % 60);
        write!(f, "{year:04}-{month:02}-{:02} {hour:02}:{minute:02}:{:02}", day + 1, second % 60)
    }
}

fn is_leap(year: u32) -> bool {
    year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
}

fn days_of(year: u32, month: u32) -> u32 {
    match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days since the beginning of the year 0.
fn days(year: u32, month: u32, day: u32) -> u32 {
    let leaps = year.div_ceil(4) - year.div_ceil(100) + year.div_ceil(400);
    let months: u32 = (1..month).map(|month| days_of(year, month)).sum();
    365 * year + leaps + months + day - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::float_cmp, reason = "whole seconds")]
    fn differences_are_right_over_months_and_leap_years() {
        for (from, to, days) in [
            ("2004-02-28 12:00", "2004-03-01 12:00", 2.0),
            ("2003-02-28T12:00:00Z", "2003-03-01T12:00:00Z", 1.0),
            ("1999-12-31 23:00", "2000-01-01 23:00", 1.0),
            ("2000-01-01 00:00", "2001-01-01 00:00", 366.0),
            ("1900-01-01 00:00", "1901-01-01 00:00", 365.0),
            ("2026-01-01 06:00", "2026-11-22 18:00", 325.5),
        ] {
            let at = |text| moment(text).expect(text).seconds;
            assert_eq!(at(to) - at(from), days * 86_400.0, "{from} to {to}");
        }
    }

    #[test]
    fn moments_are_written_as_they_are_read() {
        for text in ["0000-01-01 00:00:00", "2004-02-29 23:59:59", "2025-12-31 06:30:00"] {
            assert_eq!(moment(text).expect(text).to_string(), text);
        }
    }

    #[test]
    fn what_is_no_date_is_none() {
        for text in [
            "2004-02-30 12:00",
            "2003-02-29 12:00",
            "2004-13-01 12:00",
            "2004-08-16",
            "2004-08-16 25:00",
            "16.08.2004 12:00",
            "12:00",
        ] {
            assert_eq!(moment(text), None, "{text}");
        }
    }
}
