//! A moment of the calendar, to which the times of tables with dates refer.
//!
//! Guarantees: differences are right over months, leap years and time zones.
//! Limits:     no leap seconds.

use std::fmt;

use jiff::SignedDuration;
use jiff::civil::{Date, DateTime, date};

/// Day from which moments count.
const EPOCH: Date = date(1970, 1, 1);

/// A moment of the calendar.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Moment {
    /// Seconds since the beginning of 1970, in UTC if the zone is given, else of the local clock.
    pub seconds: f64,
    /// Lead of the local clock over UTC, s, if the table names it.
    pub offset_s: Option<f64>,
}

/// Returns the seconds from 1970 to a day; `None` if the calendar has no such day.
pub(crate) fn day_s(year: i16, month: i8, day: i8) -> Option<f64> {
    let day = Date::new(year, month, day).ok()?;
    Some(day.duration_since(EPOCH).as_secs_f64())
}

impl Moment {
    /// Returns the date and the time of the local clock.
    pub(crate) fn local(&self) -> Option<DateTime> {
        let seconds = (self.seconds + self.offset_s.unwrap_or(0.0)).round();
        let since = SignedDuration::try_from_secs_f64(seconds).ok()?;
        EPOCH.at(0, 0, 0, 0).checked_add(since).ok()
    }
}

impl fmt::Display for Moment {
    /// Writes the moment to the second, like `2004-08-16 12:30:00`, and the zone if it is given.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.local() {
            Some(local) => write!(f, "{} {}", local.date(), local.time())?,
            None => write!(f, "{} s since 1970", self.seconds)?,
        }
        match self.offset_s.map(|offset| offset / 60.0) {
            None => Ok(()),
            Some(0.0) => f.write_str(" UTC"),
            Some(minutes) => {
                let sign = if minutes < 0.0 { '-' } else { '+' };
                let minutes = minutes.abs();
                write!(f, " UTC{sign}{:02.0}:{:02.0}", (minutes / 60.0).floor(), minutes % 60.0)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_written_with_their_zone() {
        let seconds = day_s(2004, 2, 29).expect("a day") + 86_399.0;
        for (offset_s, text) in [
            (None, "2004-02-29 23:59:59"),
            (Some(0.0), "2004-02-29 23:59:59 UTC"),
            (Some(-16_200.0), "2004-02-29 19:29:59 UTC-04:30"),
            (Some(3600.0), "2004-03-01 00:59:59 UTC+01:00"),
        ] {
            assert_eq!(Moment { seconds, offset_s }.to_string(), text);
        }
        assert_eq!(day_s(2003, 2, 29), None);
    }
}
