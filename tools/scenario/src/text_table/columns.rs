//! Choice of the columns of time and value, and their units.
//!
//! The time is the column of dates, else the one called so or with a unit of time, else the first.
//! The value is the column that the user names, else the only one with a unit of the quantity, else
//! the one that is called as the quantity usually is.
//!
//! Guarantees: of several columns that fit, none is taken silently.

use super::dates::{DateStamp, zone_s};
use super::exports;
use super::name::TableName;
use super::record::{Mistake, TableRecord};
use super::sheet::{TableSheet, begins_with_number};
use crate::quantity::{Discharge, Metres, Quantity, Rate, Seconds};
use crate::units::clock_s;

/// Usual names of columns of times.
const TIMES: &[&str] = &[
    "time",
    "t",
    "date",
    "datetime",
    "date time",
    "date_time",
    "date/time",
    "timestamp",
    "zeit",
    "zeitpunkt",
    "zeitstempel",
    "datum",
    "uhrzeit",
    "hhmm",
    "hour",
    "hours",
    "minutes",
    "seconds",
    "days",
];

/// Usual names of columns of time zones.
const ZONES: &[&str] = &["tz_cd", "tz", "zone", "timezone", "time zone", "zeitzone"];

/// Usual words in names of columns of values, by the name of the quantity.
const VALUES: &[(&str, &[&str])] = &[
    ("discharge", &["discharge", "flow", "q", "abfluss", "durchfluss"]),
    ("rain", &["rain", "rainfall", "precip", "precipitation", "niederschlag", "regen"]),
    ("stage", &["stage", "level", "wasserstand", "w", "gage height", "height", "elevation"]),
];

/// Columns of a table over time, counted from 0.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct TableColumns {
    /// Dates or times.
    pub time: usize,
    /// Times of day, if they have a column of their own.
    pub clock: Option<usize>,
    /// Time zones, if they have a column of their own.
    pub zone: Option<usize>,
    /// Time zone that the heading of the dates names, like `Time (UTC)`.
    pub zone_name: Option<String>,
    /// Values.
    pub value: usize,
    /// Unit of the times.
    pub time_unit: Option<String>,
    /// Unit of the values.
    pub value_unit: Option<String>,
    /// Names of the time and the value, if the table has a heading.
    pub names: Option<[String; 2]>,
}

/// A sheet in which columns are chosen.
struct Choice<'a> {
    sheet: &'a TableSheet,
    name: &'a TableName,
    first: &'a TableRecord,
}

impl TableColumns {
    /// Chooses the columns of time and value; notes a choice among several.
    pub fn choose<Q: Quantity>(
        sheet: &TableSheet,
        name: &TableName,
        notes: &mut Vec<String>,
    ) -> Result<Self, Mistake> {
        let heading = sheet.heading.as_ref();
        let Some(first) = sheet.records.first().or(heading) else {
            return Err((None, "holds no rows: write a time and a value in each line".into()));
        };
        if first.fields.len() < 2 {
            let what = "one column: write a time and a value in each line";
            return Err((Some(first.line), what.into()));
        }
        let choice = Choice { sheet, name, first };
        let (time, clock, zone) = choice.times();
        let used = [Some(time), clock, zone];
        let others: Vec<usize> =
            (0..choice.width()).filter(|column| !used.contains(&Some(*column))).collect();
        let value = choice.value::<Q>(&others, notes)?;
        if clock.is_none() && value != time + 1 && choice.may_be_clock(time, time + 1) {
            notes.push(format!(
                "column {} beside its dates has no name and is not read: call it `time` if it has \
                 times of day",
                time + 2
            ));
        }
        let ending = name.path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
        let implied = exports::ending_units(&ending).filter(|_| heading.is_none());
        if let Some((time, value)) = implied {
            notes.push(format!("without a heading, .{ending} is read as [{time}] and [{value}]"));
        }
        let time_unit = choice.unit::<Seconds>(time).filter(|unit| !is_clock(unit));
        let is_zone = |unit: &String| zone.is_none() && zone_s(unit).is_some();
        let zone_name = time_unit.clone().filter(is_zone);
        // Above dates a bracket may describe their form.
        let is_date = DateStamp::read(choice.cell(time)).is_some_and(|stamp| stamp.is_day());
        let is_known = |unit: &String| !is_date || Seconds::in_unit(1.0, unit).is_some();
        let time_unit = time_unit.filter(is_known);
        let time_unit = time_unit.or_else(|| choice.named_unit(time).filter(|_| !is_date));
        if !is_date {
            let line = heading.map(|heading| heading.line);
            choice.check_whole(time, &others).map_err(|what| (line, what))?;
        }
        let time_unit = time_unit.or(implied.map(|(time, _)| time.to_owned()));
        let value_unit = name.facts.unit.clone().or_else(|| choice.unit::<Q>(value));
        let value_unit = value_unit.or(implied.map(|(_, value)| value.to_owned()));
        if let Some(unit) = value_unit.as_ref().filter(|_| choice.is_by_convention(value)) {
            notes.push(format!("its values count as [{unit}], as usual in this export"));
        }
        let is_time = |unit: &str| Seconds::in_unit(1.0, unit).is_some();
        let line = heading.map(|heading| heading.line);
        if let Some(unit) = time_unit.as_ref().filter(|unit| !is_time(unit)) {
            return Err((line, unknown::<Seconds>(unit)));
        }
        if let Some(unit) = &value_unit {
            exports::check_direction(unit).map_err(|what| (line, what))?;
        }
        if let Some(unit) = value_unit.as_ref().filter(|unit| !is_unit::<Q>(unit)) {
            let is_named = name.facts.unit.is_some();
            return Err((line.filter(|_| !is_named), unknown::<Q>(unit)));
        }
        let names = heading.map(|_| [time, value].map(|column| choice.short_name(column)));
        Ok(Self { time, clock, zone, zone_name, value, time_unit, value_unit, names })
    }
}

/// Returns the error on a unit that is unknown, or that of a different quantity, with the units
/// that fit.
fn unknown<Q: Quantity>(unit: &str) -> String {
    let others = [
        (Discharge::COLUMN.0, Discharge::in_unit(1.0, unit).is_some()),
        (Metres::COLUMN.0, Metres::in_unit(1.0, unit).is_some()),
    ];
    let (wanted, units) = (Q::COLUMN.0, Q::column_units());
    let is_other = |(other, is_it): &&(&str, bool)| *is_it && *other != wanted;
    // A time in [m] is in minutes.
    if let Some((other, _)) = others.iter().find(is_other).filter(|_| wanted != "time") {
        return format!(
            "the heading's unit [{unit}] is that of a {other}, but a {wanted} is needed here: give \
             the table where a {other} is meant, or write one of {units}"
        );
    }
    let meant = Q::meant(unit).map_or(String::new(), |unit| format!("did you mean [{unit}]? "));
    format!("the heading's unit [{unit}] is not known: {meant}write one of {units}")
}

/// True for a unit of the quantity, of its depth in a step, or of its part along a width.
pub(super) fn is_unit<Q: Quantity>(unit: &str) -> bool {
    Q::in_unit(1.0, unit).is_some()
        || Q::in_step(1.0, unit, 1.0).is_some()
        || is_per_width::<Q>(unit)
}

/// True for a discharge per metre of width.
pub(super) fn is_per_width<Q: Quantity>(unit: &str) -> bool {
    Q::COLUMN.0 == "discharge" && matches!(unit, "m2/s" | "m²/s" | "m^2/s")
}

impl Choice<'_> {
    fn width(&self) -> usize {
        let heading = self.sheet.heading.as_ref().map_or(0, |heading| heading.fields.len());
        self.first.fields.len().max(heading)
    }

    fn cell(&self, column: usize) -> &str {
        self.first.fields.get(column).map_or("", String::as_str)
    }

    fn heading(&self, column: usize) -> &str {
        let heading = self.sheet.heading.as_ref();
        heading.and_then(|heading| heading.fields.get(column)).map_or("", String::as_str)
    }

    /// Returns the name of a column without its unit.
    fn short_name(&self, column: usize) -> String {
        let heading = self.heading(column);
        heading.split(['[', '(']).next().unwrap_or(heading).trim().to_owned()
    }

    /// Returns the name of a column as a user may type it.
    fn typed_name(&self, column: usize) -> String {
        let is_twice = (0..self.width())
            .any(|other| other != column && self.heading(other) == self.heading(column));
        match self.heading(column) {
            heading if heading.is_empty() || is_twice => (column + 1).to_string(),
            heading => heading.to_owned(),
        }
    }

    /// True for a column without a name beside the dates, whose first cell may be a time of day of
    /// four digits.
    fn may_be_clock(&self, date: usize, column: usize) -> bool {
        column == date + 1 && self.heading(column).is_empty() && is_hhmm(self.cell(column))
    }

    /// True for such a column if each of its cells is a time of day, and if either the columns of
    /// values have names or a cell shows that it is no number, like 0130 or 2400.
    fn is_unnamed_clock(&self, date: usize, column: usize) -> bool {
        let cell = |record: &'_ TableRecord| record.fields.get(column).cloned().unwrap_or_default();
        let cells: Vec<String> = self.sheet.records.iter().map(cell).collect();
        let shows_it = |cell: &String| cell.starts_with('0') || cell == "2400";
        let is_sure = self.sheet.heading.is_some() || cells.iter().any(shows_it);
        self.may_be_clock(date, column) && is_sure && cells.iter().all(|cell| is_hhmm(cell))
    }

    /// Returns the columns of the date or time, of its clock, and of its zone.
    fn times(&self) -> (usize, Option<usize>, Option<usize>) {
        let is_named = |column: usize, names: &[&str]| {
            names.contains(&&*self.short_name(column).to_lowercase())
        };
        let columns = || 0..self.width();
        let stamp = |column: usize| {
            let is_number = self.cell(column).bytes().all(|byte| byte.is_ascii_digit());
            let is_counted = is_number && self.unit::<Seconds>(column).is_some();
            DateStamp::read(self.cell(column)).filter(|stamp| !is_counted && stamp.is_day())
        };
        let zone = columns()
            .find(|&column| is_named(column, ZONES) && zone_s(self.cell(column)).is_some());
        let dated = || columns().filter(|&column| stamp(column).is_some());
        let with_clock =
            dated().find(|&column| stamp(column).is_some_and(|stamp| stamp.clock_s.is_some()));
        let date = with_clock
            .or_else(|| dated().find(|&column| is_named(column, TIMES)))
            .or_else(|| dated().next());
        if let Some(date) = date {
            let is_clock = |column: &usize| {
                let joined = format!("{} {}", self.cell(date), self.cell(*column));
                let is_time = self.cell(*column).contains(':')
                    || is_named(*column, TIMES)
                    || self.is_unnamed_clock(date, *column);
                *column != date
                    && is_time
                    && DateStamp::read(&joined).is_some_and(|stamp| stamp.clock_s.is_some())
            };
            let clock = columns().find(is_clock).filter(|_| with_clock.is_none());
            return (date, clock, zone);
        }
        let is_time = |column: &usize| {
            self.unit::<Seconds>(*column).is_some_and(|unit| is_unit::<Seconds>(&unit))
        };
        let time = columns()
            .find(|&column| is_named(column, TIMES))
            .or_else(|| columns().find(is_time))
            .or_else(|| columns().find(|&column| self.named_unit(column).is_some()))
            .or_else(|| columns().find(|&column| clock_s(self.cell(column)).is_some()));
        (time.unwrap_or(0), None, zone)
    }

    /// Returns the unit that a column of times is called by: `hour`, `Minuten`. One letter may be
    /// anything.
    fn named_unit(&self, column: usize) -> Option<String> {
        let name = self.heading(column).trim().to_owned();
        (name.len() > 1 && Seconds::in_unit(1.0, &name).is_some()).then_some(name)
    }

    /// Refuses a time if another column has a part of it, like `hour,minute`.
    fn check_whole(&self, time: usize, others: &[usize]) -> Result<(), String> {
        let Some(unit) = self.named_unit(time) else { return Ok(()) };
        // `min` beside `max` is the least of something.
        let has_most =
            (0..self.width()).any(|column| self.short_name(column).to_lowercase() == "max");
        let part = others.iter().find_map(|&other| self.named_unit(other)).filter(|_| !has_most);
        part.map_or(Ok(()), |part| {
            Err(format!(
                "the columns `{unit}` and `{part}` have parts of the time: write it in one column, \
                 like 1:45 below `time [h:mm]`"
            ))
        })
    }

    /// Returns the unit of a column: in brackets, as a suffix, or by the convention of an export.
    fn unit<Q: Quantity>(&self, column: usize) -> Option<String> {
        let heading = self.heading(column);
        let metric = match Q::COLUMN.0 {
            "rain" => "mm",
            "stage" => "m",
            _ => "m3/s",
        };
        let bracketed = in_brackets(heading);
        let known = bracketed.iter().find(|unit| is_unit::<Q>(unit)).or(bracketed.first());
        let is_time = is_unit::<Q>("h");
        // A column of values may be called by its unit; one of days may contain dates.
        let is_called = !is_time && heading.len() > 1 && is_unit::<Q>(heading);
        let known = known.copied().or_else(|| is_called.then_some(heading));
        known.map(str::to_owned).or_else(|| {
            // The `h` of `rain_mm_h` is no time, that of `time_in_h` is one.
            let first = heading.split(['_', ' ']).next().unwrap_or("").to_lowercase();
            let may_be_rate = is_time && !TIMES.contains(&&*first);
            let is_rate = |end: &String| is_unit::<Rate>(end) || is_unit::<Discharge>(end);
            let ends = suffixes(heading).into_iter();
            let mut ends = ends.take_while(|end| !(may_be_rate && is_rate(end)));
            exports::unit(self.sheet, heading, metric)
                .or_else(|| ends.find(|unit| is_unit::<Q>(unit)))
        })
    }

    /// True for a column whose heading names no unit, in an export that has a usual one.
    fn is_by_convention(&self, column: usize) -> bool {
        let heading = self.heading(column);
        let is_chosen = self.name.facts.unit.is_some() || !in_brackets(heading).is_empty();
        !is_chosen && exports::unit(self.sheet, heading, "m").is_some()
    }

    /// Chooses the column of values among all that are no times.
    fn value<Q: Quantity>(
        &self,
        others: &[usize],
        notes: &mut Vec<String>,
    ) -> Result<usize, Mistake> {
        let line = self.sheet.heading.as_ref().map(|heading| heading.line);
        if let Some(asked) = &self.name.facts.column {
            let what = || format!("has no column `{asked}`: write one of {}", self.list(others));
            return self.named(asked, others).ok_or_else(|| (line, what()));
        }
        match *others {
            [] => {
                let what = "has no column of values: write a time and a value in each line";
                Err((line, what.into()))
            }
            [only] => Ok(only),
            [next, ..] if line.is_none() => self.without_heading(next, others),
            _ => {
                let chosen = self.of_several::<Q>(others).map_err(|what| (line, what))?;
                notes.push(format!(
                    "the values are its column `{}` (add # and another name to choose)",
                    self.heading(chosen)
                ));
                Ok(chosen)
            }
        }
    }

    /// Returns the columns as a user may add them to the name of the file.
    fn list(&self, columns: &[usize]) -> String {
        let file = self.name.short();
        let names = columns.iter().map(|column| format!("{file}#{}", self.typed_name(*column)));
        names.collect::<Vec<_>>().join(", ")
    }

    /// Chooses the only column of numbers below no heading, else the next; refuses several.
    fn without_heading(&self, next: usize, others: &[usize]) -> Result<usize, Mistake> {
        // The first row of a column of values may be a gap.
        let cells =
            |column: usize| self.sheet.records.iter().filter_map(move |row| row.fields.get(column));
        let is_number = |column: &usize| cells(*column).any(|cell| begins_with_number(cell));
        let numeric: Vec<usize> = others.iter().copied().filter(is_number).collect();
        match *numeric {
            [] => Ok(next),
            [only] => Ok(only),
            _ => {
                let (count, list) = (numeric.len(), self.list(&numeric));
                let what = format!("has {count} columns of values and no heading: write {list}");
                Err((Some(self.first.line), what))
            }
        }
    }

    /// Chooses by unit, by name, or as the only column of numbers.
    fn of_several<Q: Quantity>(&self, others: &[usize]) -> Result<usize, String> {
        let is_word = |column: &usize| self.is_called::<Q>(*column);
        let of_unit: Vec<usize> = others
            .iter()
            .copied()
            .filter(|column| self.unit::<Q>(*column).is_some_and(|unit| is_unit::<Q>(&unit)))
            .collect();
        let fitting = if of_unit.is_empty() { others } else { &of_unit };
        let called: Vec<usize> = fitting.iter().copied().filter(is_word).collect();
        let numeric: Vec<usize> = others
            .iter()
            .copied()
            .filter(|column| begins_with_number(self.cell(*column)))
            .collect();
        match (fitting, &*called, &*numeric) {
            ([only], ..) | (_, [only], _) => Ok(*only),
            (_, _, [only]) if of_unit.is_empty() && in_brackets(self.heading(*only)).is_empty() => {
                Ok(*only)
            }
            _ => {
                let (kind, often) = Q::COLUMN;
                let named = if of_unit.is_empty() { others } else { fitting };
                let count = match of_unit.len() {
                    0 => format!("no column that is sure to be a {kind} like [{often}]"),
                    count => format!("{count} columns that may be the {kind}"),
                };
                Err(format!("has {count}: write one of {}", self.list(named)))
            }
        }
    }

    /// Returns the column of a number or name: the whole heading, its name, or a part that is
    /// unique to it.
    fn named(&self, asked: &str, others: &[usize]) -> Option<usize> {
        let lower = asked.to_lowercase();
        let only = |is_it: &dyn Fn(usize) -> bool| {
            let mut found = others.iter().copied().filter(|column| is_it(*column));
            found.next().filter(|_| found.next().is_none())
        };
        let number = asked.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
        only(&|column| self.heading(column).to_lowercase() == lower)
            .or_else(|| only(&|column| self.short_name(column).to_lowercase() == lower))
            .or_else(|| number.filter(|number| others.contains(number)))
            .or_else(|| only(&|column| self.heading(column).to_lowercase().contains(&lower)))
            .or_else(|| only(&|column| self.is_value_called(column, &lower)))
    }

    /// True for a column whose name contains a text, unless it contains the codes of another
    /// column, which USGS marks by `_cd`.
    fn is_value_called(&self, column: usize, lower: &str) -> bool {
        let heading = self.heading(column).to_lowercase();
        heading.contains(lower) && !heading.ends_with("_cd")
    }

    /// True for a column that is called as columns of the quantity usually are.
    fn is_called<Q: Quantity>(&self, column: usize) -> bool {
        let described = exports::usgs_description(self.sheet, self.heading(column));
        let name = described.map_or_else(|| self.short_name(column), str::to_owned).to_lowercase();
        let known = VALUES.iter().find(|(quantity, _)| *quantity == Q::COLUMN.0);
        let mut words = name.split(|c: char| !c.is_alphanumeric());
        let is_value = name == "value";
        is_value
            || known.is_some_and(|(_, known)| {
                words.any(|word| known.contains(&word)) || known.contains(&&*name)
            })
    }
}

/// Returns the texts in brackets of a heading like `time [h]` or `time(s)`.
fn in_brackets(heading: &str) -> Vec<&str> {
    let parts = heading.split(['[', '(']).skip(1);
    parts.filter_map(|part| part.split([']', ')']).next().map(str::trim)).collect()
}

/// Returns the units that a heading may end in, the longest first: `mm/h`, `h` of `rain_mm_h`;
/// `cubic feet per second` of `Flow, cubic feet per second`; `cfs` of `Flow cfs`.
///
/// The word after *per* is no unit of its own: `mm/hour` of `Depth mm per hour`.
fn suffixes(heading: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    found.extend(heading.rsplit_once(',').map(|(_, unit)| unit.trim().to_owned()));
    let words: Vec<&str> = heading.split([' ', '_', '-', ',']).filter(|w| !w.is_empty()).collect();
    let is_per = |word: &str| matches!(&*word.to_lowercase(), "per" | "pro");
    if let Some(per) = words.iter().rposition(|word| is_per(word)) {
        let both = per.checked_sub(1).and_then(|before| words.get(before).zip(words.get(per + 1)));
        found.extend(both.map(|(what, time)| format!("{what}/{time}")));
        return found;
    }
    let parts: Vec<&str> = heading.split('_').collect();
    found.extend((1..parts.len()).map(|from| parts[from..].join("/")));
    let last = heading.rsplit_once([' ', '-']).map(|(_, word)| word.to_owned());
    // `Water in` and `Stage m` are too short to be sure of.
    found.extend(last.filter(|word| word.len() > 2 || word == "ft" || word == "mm"));
    found
}

/// True for a time of day of four digits, from 0000 to 2400.
fn is_hhmm(cell: &str) -> bool {
    let is_number = cell.len() == 4 && cell.bytes().all(|byte| byte.is_ascii_digit());
    is_number && cell <= "2400" && &cell[2..] < "60"
}

/// True for a unit that states how clock times are written, as a heading may.
fn is_clock(unit: &str) -> bool {
    matches!(unit.to_ascii_lowercase().as_str(), "h:mm" | "hh:mm" | "h:mm:ss" | "hh:mm:ss")
}
