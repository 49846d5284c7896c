//! Times of the rows, s since the start: numbers, clocks, or dates of the calendar.
//!
//! Guarantees: times are finite, at least 0 and rising. Dates with zones count in UTC. The order of
//!             day and month is decided once a file: by a day above 12, by times that rise in
//!             one order alone, by a unit or clock of the United States with a note, or by the
//!             user.
//! Limits:     an hour that a change of clocks skips is a gap, with a note.

use jiff::civil::Date;
use kit::words::time as words;

use super::dates::{DateStamp, FORMS, shared_zone};
use super::name::DayOrder;
use super::numerals::Decimal;
use super::record::Mistake;
use crate::moment::{Moment, day_s};
use crate::quantity::{Quantity, Seconds};
use crate::units::clock_s;

const HOUR_S: f64 = 3600.0;
const DAY_S: f64 = 86_400.0;
/// Days of spreadsheets that are dates: the years 1954 to 2119.
const SERIAL_DAYS: std::ops::Range<f64> = 20_000.0..80_000.0;
/// Seconds since 1970 that are dates: the years 1985 to 2128.
const UNIX_SECONDS: std::ops::Range<f64> = 5.0e8..5.0e9;

/// Cells of a column of times, and the facts that decide how they are read.
pub(super) struct TimeColumn<'a> {
    /// Line and text of every row.
    pub cells: &'a [(usize, String)],
    /// Unit of numbers.
    pub unit: Option<&'a str>,
    /// Decimal sign of numbers.
    pub decimal: Decimal,
    /// Order of day and month that the user chose.
    pub order: Option<DayOrder>,
    /// Whether the values have a unit of the United States.
    pub is_us: bool,
    /// Refusal of a number without a unit.
    pub without_unit: &'a str,
}

/// Times of all rows.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct RowTimes {
    /// Since the start, s.
    pub seconds: Vec<f64>,
    /// The date from which they count, if they are dates.
    pub begin: Option<Moment>,
}

impl TimeColumn<'_> {
    /// Reads all times; notes assumptions.
    pub fn read(&self, notes: &mut Vec<String>) -> Result<RowTimes, Mistake> {
        let Some((_, first)) = self.cells.first() else {
            return Ok(RowTimes { seconds: Vec::new(), begin: None });
        };
        let number = self.decimal.number(first).ok().flatten();
        let is_counted = number.is_some() && self.unit.is_some();
        let is_date = DateStamp::read(first).is_some_and(|stamp| stamp.is_day());
        let unit_s = self.unit.and_then(|unit| Seconds::in_unit(1.0, unit)).map(Quantity::si);
        let times = match number {
            Some(days) if unit_s == Some(DAY_S) && SERIAL_DAYS.contains(&days) => {
                notes.push(format!(
                    "{first} days count as a date of a spreadsheet, from 1899-12-30"
                ));
                self.numbered(day_s(1899, 12, 30), DAY_S, None)?
            }
            Some(seconds) if unit_s == Some(1.0) && UNIX_SECONDS.contains(&seconds) => {
                notes.push(format!("{first} s count as a date, from 1970-01-01 UTC"));
                self.numbered(Some(0.0), 1.0, Some(0.0))?
            }
            _ if is_date && !is_counted => self.dated(notes)?,
            _ => self.elapsed()?,
        };
        self.check_rising(&times.seconds)?;
        Ok(times)
    }

    /// Reads dates that are numbers of a unit since a day.
    fn numbered(
        &self,
        origin_s: Option<f64>,
        unit_s: f64,
        offset_s: Option<f64>,
    ) -> Result<RowTimes, Mistake> {
        let mut seconds = Vec::with_capacity(self.cells.len());
        for (line, text) in self.cells {
            let number = self.decimal.number(text).map_err(|what| (Some(*line), what))?;
            let number = number.ok_or_else(|| (Some(*line), unread(text)))?;
            // Spreadsheets write days to about a millisecond.
            seconds.push((number * unit_s * 1.0e3).round() / 1.0e3);
        }
        let first = seconds[0];
        let begin = origin_s.map(|origin| Moment { seconds: origin + first, offset_s });
        seconds.iter_mut().for_each(|time| *time -= first);
        Ok(RowTimes { seconds, begin })
    }

    /// Reads times since the start of the run.
    fn elapsed(&self) -> Result<RowTimes, Mistake> {
        let mut seconds = Vec::with_capacity(self.cells.len());
        for (line, text) in self.cells {
            let wrong = |what: String| (Some(*line), what);
            let time = match self.decimal.number(text).map_err(wrong)? {
                Some(number) => {
                    let unit = self.unit.or((number == 0.0).then_some("s"));
                    let unit = unit.ok_or_else(|| wrong(self.without_unit.to_owned()))?;
                    Seconds::in_unit(number, unit).map(Quantity::si)
                }
                None => {
                    self.check_clock(text).map_err(wrong)?;
                    let is_first = seconds.is_empty();
                    if let Some(clock) = clock_s(text).filter(|clock| is_first && *clock > 0.0) {
                        return Err(wrong(format!(
                            "the table begins at {text} after the start, {clock} s of nothing: \
                             if these are times of day, write the date as well, like 2004-08-16 \
                             {text}; else begin at 0:00"
                        )));
                    }
                    let plain = self.decimal.plain(text).unwrap_or_default();
                    plain.parse::<Seconds>().ok().map(Quantity::si)
                }
            };
            let time = time.ok_or_else(|| wrong(unread(text)))?;
            if time < 0.0 {
                return Err(wrong(format!(
                    "the time {time} s lies before the start: times count from the start, at 0"
                )));
            }
            seconds.push(time);
        }
        Ok(RowTimes { seconds, begin: None })
    }

    /// Refuses a clock of two parts below minutes or seconds, where `1:30` may be a minute and a
    /// half.
    fn check_clock(&self, text: &str) -> Result<(), String> {
        let unit_s = self.unit.and_then(|unit| Seconds::in_unit(1.0, unit)).map(Quantity::si);
        let is_open = text.matches(':').count() == 1 && clock_s(text).is_some();
        let Some(unit) = self.unit.filter(|_| is_open && unit_s.is_some_and(|s| s < HOUR_S)) else {
            return Ok(());
        };
        Err(format!(
            "`{text}` below [{unit}] may be hours and minutes or minutes and seconds: head the \
             column `time [h:mm]`, or write 0:{} for minutes and seconds",
            if text.find(':') == Some(1) { format!("0{text}") } else { text.to_owned() }
        ))
    }

    /// Reads times that are dates of the calendar.
    fn dated(&self, notes: &mut Vec<String>) -> Result<RowTimes, Mistake> {
        let mut stamps = Vec::with_capacity(self.cells.len());
        for (line, text) in self.cells {
            let stamp = DateStamp::read(text).ok_or_else(|| (Some(*line), unread(text)))?;
            stamps.push(stamp);
        }
        let order = self.day_order(&stamps, notes)?;
        let mut seconds = Vec::with_capacity(stamps.len());
        for (stamp, (line, text)) in stamps.iter().zip(self.cells) {
            let time = stamp.seconds(order).ok_or_else(|| {
                (Some(*line), format!("the calendar has no day `{text}`: correct it"))
            })?;
            seconds.push(time - stamp.offset_s.unwrap_or(0.0));
        }
        let first = stamps[0];
        let odd = stamps.iter().position(|s| s.offset_s.is_some() != first.offset_s.is_some());
        if let Some(odd) = odd {
            let (line, text) = &self.cells[odd];
            return Err((
                Some(*line),
                format!(
                    "`{text}` and the first row differ in naming a time zone: name it in \
                         every row, or in none"
                ),
            ));
        }
        if first.offset_s.is_some() && stamps.iter().any(|s| s.offset_s != first.offset_s) {
            notes.push("its rows have several time zones: differences are those in UTC".into());
        }
        if first.offset_s.is_none() {
            self.mend_clocks(&mut seconds, notes);
        }
        for (_, text) in self.cells {
            let note = shared_zone(text).filter(|note| !notes.contains(note));
            notes.extend(note);
        }
        self.check_periods(&stamps, &seconds, notes)?;
        let begin = Moment { seconds: seconds[0], offset_s: first.offset_s };
        let seconds: Vec<f64> = seconds.iter().map(|time| time - begin.seconds).collect();
        self.note_gaps(&seconds, notes);
        Ok(RowTimes { seconds, begin: Some(begin) })
    }

    /// Notes that rows with periods count from the begin; refuses periods that overlap, which may
    /// be zones.
    fn check_periods(
        &self,
        stamps: &[DateStamp],
        seconds: &[f64],
        notes: &mut Vec<String>,
    ) -> Result<(), Mistake> {
        let Some(first) = stamps.iter().position(|stamp| stamp.until_s.is_some()) else {
            return Ok(());
        };
        for (index, pair) in seconds.windows(2).enumerate() {
            let step_s = pair[1] - pair[0];
            // The period in which clocks are put back seems to end before it begins.
            let period_s = stamps[index].period_s().filter(|period_s| *period_s < DAY_S - HOUR_S);
            if let Some(period_s) = period_s.filter(|period_s| (1.0..*period_s).contains(&step_s)) {
                let (line, text) = &self.cells[index];
                return Err((
                    Some(*line),
                    format!(
                        "`{text}` is a period of {}, and the next row begins {} later: correct \
                         its end; if it is a time zone, put a space before it",
                        words(period_s),
                        words(step_s)
                    ),
                ));
            }
        }
        notes.push(format!("`{}` is a period: its time is the begin", self.cells[first].1));
        Ok(())
    }

    /// Returns the order of day and month of all dates.
    fn day_order(
        &self,
        stamps: &[DateStamp],
        notes: &mut Vec<String>,
    ) -> Result<DayOrder, Mistake> {
        let Some(open) = stamps.iter().position(DateStamp::is_open) else {
            return Ok(DayOrder::DayFirst);
        };
        if let Some(order) = self.order {
            return Ok(order);
        }
        let find = |order| stamps.iter().position(|stamp| stamp.order() == Some(order));
        match (find(DayOrder::DayFirst), find(DayOrder::MonthFirst)) {
            (Some(day), Some(month)) => {
                let ((line, day), (other, month)) = (&self.cells[day], &self.cells[month]);
                return Err((
                    Some(*line),
                    format!(
                        "`{day}` has the day first, `{month}` in line {other} the month: write \
                         all dates in one order"
                    ),
                ));
            }
            (Some(_), None) => return Ok(DayOrder::DayFirst),
            (None, Some(_)) => return Ok(DayOrder::MonthFirst),
            (None, None) => {}
        }
        let text = &self.cells[open].1;
        let steps = |order| longest_step(stamps, order);
        let (day, month) = (steps(DayOrder::DayFirst), steps(DayOrder::MonthFirst));
        let is_short = |step: Option<f64>| step.is_some_and(|step| step <= DAY_S);
        let is_month = |step: Option<f64>| step.is_none_or(|step| step > 27.0 * DAY_S);
        let (order, why) = match (day, month) {
            _ if is_short(day) && is_month(month) => (DayOrder::DayFirst, "as its times rise"),
            _ if is_month(day) && is_short(month) => (DayOrder::MonthFirst, "as its times rise"),
            _ if stamps.iter().any(|stamp| stamp.is_half_day) => {
                (DayOrder::MonthFirst, "as usual beside AM and PM")
            }
            _ if self.is_us => (DayOrder::MonthFirst, "as usual beside its unit"),
            _ => {
                return Err((
                    Some(self.cells[open].0),
                    format!(
                        "`{text}` has the day or the month first, and no row decides: add #dmy \
                         (day first) or #mdy (month first) to the file's name"
                    ),
                ));
            }
        };
        let (first, other) = match order {
            DayOrder::DayFirst => ("day", "mdy"),
            DayOrder::MonthFirst => ("month", "dmy"),
        };
        notes.push(format!(
            "`{text}` has the {first} first, {why} (else add #{other} to the file's name)"
        ));
        Ok(order)
    }

    /// Adds an hour from the row on at which clocks were put back: once, in the months of changes,
    /// if the hour makes the step the same as the one before.
    fn mend_clocks(&self, seconds: &mut [f64], notes: &mut Vec<String>) {
        for index in 1..seconds.len() {
            let (before, time) = (seconds[index - 1], seconds[index]);
            let step = match index.checked_sub(2) {
                Some(earlier) => before - seconds[earlier],
                None => seconds.get(index + 1).map_or(f64::NAN, |next| next - time),
            };
            let is_back = time <= before && (time + HOUR_S - before - step).abs() < 1.0;
            if is_back && is_month_of_change(time) {
                seconds[index..].iter_mut().for_each(|time| *time += HOUR_S);
                notes.push(format!(
                    "`{}` in line {} repeats an hour: taken as the end of summer time, one hour \
                     is added from there on",
                    self.cells[index].1, self.cells[index].0
                ));
                return;
            }
        }
    }

    /// Notes rows that are missing in a table of regular steps.
    fn note_gaps(&self, seconds: &[f64], notes: &mut Vec<String>) {
        let steps: Vec<f64> = seconds.windows(2).map(|pair| pair[1] - pair[0]).collect();
        let mut sorted = steps.clone();
        sorted.sort_by(f64::total_cmp);
        let usual = sorted.get(sorted.len() / 2).copied().unwrap_or(0.0);
        let regular = steps.iter().filter(|step| (**step - usual).abs() < 1.0).count();
        if steps.len() < 4 || usual <= 0.0 || regular * 5 < steps.len() * 4 {
            return;
        }
        let long = || steps.iter().enumerate().filter(|(_, step)| **step > 1.5 * usual);
        if let Some((index, step)) = long().next() {
            notes.push(format!(
                "rows are missing at {} place(s), the first after line {}: {} where its steps are \
                 {}",
                long().count(),
                self.cells[index].0,
                words(*step),
                words(usual)
            ));
        }
    }

    fn check_rising(&self, seconds: &[f64]) -> Result<(), Mistake> {
        if seconds.len() > 2 && seconds.windows(2).all(|pair| pair[1] < pair[0]) {
            let what = "its times fall from row to row: sort the rows by time, the earliest first";
            return Err((self.cells.first().map(|(line, _)| *line), what.into()));
        }
        let falls = seconds.windows(2).position(|pair| pair[1] <= pair[0]);
        falls.map_or(Ok(()), |index| {
            let (line, text) = &self.cells[index + 1];
            let (before, time) = (seconds[index], seconds[index + 1]);
            Err((
                Some(*line),
                format!(
                    "the time {text} ({time} s) does not come after {before} s: sort the rows by \
                     time, and write the date before a clock time that passes midnight"
                ),
            ))
        })
    }
}

/// Returns the error on a text that is no time, with the forms that are read.
fn unread(text: &str) -> String {
    format!(
        "`{text}` is no time: write a number below a heading with its unit, like time [h], a \
         duration like 1h30min or 1:30, or a date like {FORMS}"
    )
}

/// Returns the longest step of dates in an order, s; `None` if they do not rise or are of no
/// calendar.
fn longest_step(stamps: &[DateStamp], order: DayOrder) -> Option<f64> {
    let seconds: Option<Vec<f64>> = stamps.iter().map(|stamp| stamp.seconds(order)).collect();
    let seconds = seconds?;
    let steps = seconds.windows(2).map(|pair| pair[1] - pair[0]);
    let is_rising = steps.clone().all(|step| step > -HOUR_S);
    is_rising.then(|| steps.fold(0.0, f64::max))
}

/// True in March, April and September to November, when clocks change.
fn is_month_of_change(seconds: f64) -> bool {
    let local = Moment { seconds, offset_s: None }.local();
    let month = local.map_or(0, |local| Date::from(local).month());
    matches!(month, 3 | 4 | 9..=11)
}
