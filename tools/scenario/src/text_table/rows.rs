//! Rows of a table over time, from text to SI units.
//!
//! Guarantees: times rise from 0 on, values are finite and have a stated unit; a depth that adds up
//!             is never summed unless this is requested.

use std::collections::BTreeMap;

use super::columns::TableColumns;
use super::dates::DateStamp;
use super::exports;
use super::name::{DepthSums, TableName};
use super::numerals::{Decimal, Question};
use super::record::{Mistake, TableRecord};
use super::sheet::TableSheet;
use super::sums::{is_restart, suspicion};
use super::times::{RowTimes, TimeColumn};
use super::values::{RowValue, ValueColumn};
use crate::moment::Moment;
use crate::quantity::{Quantity, Seconds};
use crate::units::is_us;

/// Parts of names of columns whose values add up.
const SUM_NAMES: &[&str] =
    &["cumul", "kumul", "accum", "akkum", "aufsummiert", "running total", "cum."];

/// Treatment of rows without a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Gaps {
    /// The neighbours are joined over them.
    Joined,
    /// They count as 0.
    Zero,
    /// They are left out.
    LeftOut,
}

/// Contents of a table over time.
#[derive(Debug, PartialEq)]
pub(crate) struct TableRows {
    /// Times in s and values in SI units.
    pub points: Vec<(f64, f64)>,
    /// Line of the file of each row that has a value.
    pub lines: Vec<usize>,
    /// The date from which the times count, if they are dates.
    pub begin: Option<Moment>,
    /// Heading of the values without its unit, if the table has a heading.
    pub value_name: Option<String>,
    /// Assumptions.
    pub notes: Vec<String>,
}

/// Reads the rows of a table in SI units.
pub(crate) fn parse<Q: Quantity>(
    text: &str,
    name: &TableName,
    gaps: Gaps,
) -> Result<TableRows, Mistake> {
    let sheet = sheet_of::<Q>(text, name)?;
    let mut notes = sheet.notes.clone();
    let columns = TableColumns::choose::<Q>(&sheet, name, &mut notes)?;
    if sheet.records.is_empty() {
        return Err((None, "holds no rows: write a time and a value in each line".into()));
    }
    check_widths(&sheet, &columns)?;
    let is_us = columns.value_unit.as_deref().is_some_and(is_us);
    let decimal = decimal_of(&sheet, &columns, name, is_us, &mut notes)?;
    let is_dated = DateStamp::read(&columns.time_of(&sheet, 0)).is_some();
    let times: Vec<(usize, String)> = (0..sheet.records.len())
        .map(|row| (sheet.records[row].line, columns.time_of(&sheet, row)))
        .collect();
    let without_unit =
        |what: &str| without_unit::<Q>((&sheet, &columns), (what, is_dated), &name.short());
    let column = TimeColumn {
        cells: &times,
        unit: columns.time_unit.as_deref(),
        decimal,
        order: name.facts.order,
        is_us,
        without_unit: &without_unit("times"),
    };
    let RowTimes { seconds, mut begin } = column.read(&mut notes)?;
    if !is_dated && name.facts.order.is_some() {
        return Err((None, "#dmy and #mdy choose the order of dates: it has no dates".into()));
    }
    let cells: Vec<(usize, &str)> = sheet
        .records
        .iter()
        .map(|row| (row.line, row.fields.get(columns.value).map_or("", String::as_str)))
        .collect();
    let values = ValueColumn {
        cells: &cells,
        unit: columns.value_unit.as_deref(),
        decimal,
        width_m: name.facts.width_m,
        gap_words: gap_words(gaps, is_sum(&columns, name)),
        end_words: end_words::<Q>(gaps),
        without_unit: &without_unit("values"),
    };
    let values = values.read::<Q>(&mut notes)?;
    let with_value = cells.iter().zip(&values).filter(|(_, value)| **value != RowValue::Gap);
    let lines = with_value.map(|((line, _), _)| *line).collect();
    let mut course = TimedValues { rows: seconds.into_iter().zip(values).collect(), gaps };
    let (points, earlier_s) =
        course.read::<Q>((&sheet, &columns, name), begin.is_some(), &mut notes)?;
    begin.iter_mut().for_each(|begin| begin.seconds -= earlier_s);
    let value_name = columns.names.map(|[_, value]| value);
    Ok(TableRows { points, lines, begin, value_name, notes })
}

/// Returns the sheet of a text: of LISFLOOD, or of rows and columns.
fn sheet_of<Q: Quantity>(text: &str, name: &TableName) -> Result<TableSheet, Mistake> {
    let chosen = (name.facts.column.as_deref(), &*name.short());
    let is_boundary = name.path.extension().is_some_and(|end| end.eq_ignore_ascii_case("bdy"))
        || text.to_lowercase().contains("lisflood");
    let block = match is_boundary {
        true => exports::lisflood(text, chosen, block_unit::<Q>(name))?,
        false => None,
    };
    block.map_or_else(|| TableSheet::read(text), Ok)
}

/// Whether times end the periods of their values: by the user's choice, or by the type of a HEC
/// export.
fn ends_periods<Q: Quantity>(
    kind: Option<&str>,
    name: &TableName,
    notes: &mut Vec<String>,
) -> Result<bool, Mistake> {
    if name.facts.is_ends && Q::COLUMN.0 != "rain" {
        return Err((None, "#ends is for rain: leave it out".into()));
    }
    if name.facts.is_ends {
        return Ok(true);
    }
    let period = kind.filter(|kind| kind.starts_with("PER-"));
    notes
        .extend(period.map(|kind| format!("its type is {kind}: each value counts until its time")));
    Ok(period.is_some())
}

/// Returns the unit of the values of a LISFLOOD block: the user's, else that of the format, which
/// has no rain.
fn block_unit<Q: Quantity>(name: &TableName) -> Option<&str> {
    name.facts.unit.as_deref().or(match Q::COLUMN.0 {
        "discharge" => Some("m2/s"),
        "stage" => Some("m"),
        _ => None,
    })
}

/// Returns the treatment of a gap, for the note.
fn gap_words(gaps: Gaps, is_sum: bool) -> &'static str {
    match gaps {
        Gaps::Joined => "a straight line joins its neighbours",
        Gaps::Zero if is_sum => "its neighbours are joined over it",
        Gaps::Zero => "nothing falls there",
        Gaps::LeftOut => "it is no reading",
    }
}

/// Returns the treatment of a gap in the first or last row, for the note, if it differs.
fn end_words<Q: Quantity>(gaps: Gaps) -> Option<&'static str> {
    match (gaps, Q::COLUMN.0) {
        (Gaps::Joined, "discharge") => {
            Some("nothing flows until its first value or after its last")
        }
        (Gaps::Joined, _) => Some("the nearest value counts there"),
        (Gaps::Zero | Gaps::LeftOut, _) => None,
    }
}

impl TableColumns {
    /// Returns the date or time of a row, with the clock and the zone of columns of their own.
    fn time_of(&self, sheet: &TableSheet, row: usize) -> String {
        let fields = &sheet.records[row].fields;
        let columns = [Some(self.time), self.clock, self.zone];
        let texts = columns.into_iter().flatten().filter_map(|column| fields.get(column));
        let time = texts.map(String::as_str).collect::<Vec<_>>().join(" ");
        let is_unzoned = DateStamp::read(&time).is_some_and(|stamp| stamp.offset_s.is_none());
        match &self.zone_name {
            Some(zone) if is_unzoned => format!("{time} {zone}"),
            _ => time,
        }
    }
}

/// Returns the number of columns of a row without empty ones at its end.
fn width_of(record: &TableRecord) -> usize {
    record.fields.iter().rposition(|field| !field.is_empty()).map_or(0, |at| at + 1)
}

/// Returns the number of columns that most rows have; the smaller of two that are as frequent.
fn usual_width(sheet: &TableSheet) -> usize {
    let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
    sheet.records.iter().for_each(|record| *counts.entry(width_of(record)).or_default() += 1);
    let most = counts.iter().max_by_key(|(width, count)| (**count, std::cmp::Reverse(**width)));
    most.map_or(0, |(width, _)| *width)
}

/// Refuses rows that have more or fewer columns than they may; between spaces an empty cell would
/// shift all that follow.
fn check_widths(sheet: &TableSheet, columns: &TableColumns) -> Result<(), Mistake> {
    let most = sheet.heading.as_ref().map_or(usize::MAX, |heading| heading.fields.len());
    let usual = usual_width(sheet);
    for record in &sheet.records {
        let width = width_of(record);
        if record.fields.len() < 2 {
            let what = "one column: write a time and a value in each line";
            return Err((Some(record.line), what.into()));
        }
        if width > most {
            return Err((
                Some(record.line),
                format!(
                    "{width} columns below a heading of {most}: separate them by semicolons if \
                     commas are decimal, and put texts with the separator in quotes"
                ),
            ));
        }
        if sheet.separator == ' ' && width != usual {
            return Err((
                Some(record.line),
                format!(
                    "{width} columns, and {usual} in most rows: separate the columns by semicolons \
                     or tabs, and leave the cell of a missing value empty"
                ),
            ));
        }
        if columns.time.max(columns.clock.unwrap_or(0)) >= record.fields.len() {
            return Err((Some(record.line), "no time in its column: add it".into()));
        }
    }
    Ok(())
}

/// Decides the decimal sign of the whole file.
fn decimal_of(
    sheet: &TableSheet,
    columns: &TableColumns,
    name: &TableName,
    is_us: bool,
    notes: &mut Vec<String>,
) -> Result<Decimal, Mistake> {
    let is_asked = |column: usize| column == columns.time || column == columns.value;
    let is_number = |column: usize, text: &str| {
        let is_plain = is_asked(column) || !text.contains(char::is_alphabetic);
        is_plain && Some(column) != columns.clock && DateStamp::read(text).is_none()
    };
    let cells = sheet.records.iter().flat_map(|record| {
        let fields = record.fields.iter().enumerate();
        fields
            .filter(|(column, text)| is_number(*column, text))
            .map(|(_, text)| (record.line, text.as_str()))
    });
    let values = sheet.records.iter().filter_map(|record| record.fields.get(columns.value));
    let question = Question {
        cells: cells.collect(),
        values: values.map(String::as_str).collect(),
        separator: sheet.separator,
        is_us,
        given: name.facts.decimal,
    };
    question.decide(notes)
}

/// Returns advice on the heading to write.
fn without_unit<Q: Quantity>(
    (sheet, columns): (&TableSheet, &TableColumns),
    (what, is_dated): (&str, bool),
    file: &str,
) -> String {
    // A unit in the advice would be copied where another one is true.
    let (column, open) = (Q::COLUMN.0, "unit");
    let names = columns.names.clone();
    let [time, value] = names.unwrap_or(["time".to_owned(), column.to_owned()]);
    let time_unit = match (is_dated, columns.time_unit.as_deref()) {
        (true, _) => String::new(),
        (false, unit) => format!(" [{}]", unit.unwrap_or(open)),
    };
    let value_unit = columns.value_unit.as_deref().unwrap_or(open);
    let comma = if sheet.separator == ';' { ';' } else { ',' };
    let named = match what {
        "values" => format!(", or add it to the file's name, like {file}#[{open}]"),
        _ => String::new(),
    };
    format!(
        "the {what} have no unit: write a heading that names the units, like \
         `{time}{time_unit}{comma} {value} [{value_unit}]`{named} (times: {}; values: {})",
        Seconds::units(),
        Q::column_units()
    )
}

/// True for depths that add up, by the user's choice or the name of the column.
fn is_sum(columns: &TableColumns, name: &TableName) -> bool {
    let heading = columns.names.as_ref().map_or(String::new(), |[_, value]| value.to_lowercase());
    match name.facts.sums {
        Some(sums) => sums == DepthSums::Cumulative,
        None => SUM_NAMES.iter().any(|part| heading.contains(part)),
    }
}

/// Times and values of all rows.
struct TimedValues {
    rows: Vec<(f64, RowValue)>,
    gaps: Gaps,
}

impl TimedValues {
    /// Reads times and values in SI units, and by how much they begin earlier than the first row,
    /// s.
    fn read<Q: Quantity>(
        &mut self,
        (sheet, columns, name): (&TableSheet, &TableColumns, &TableName),
        is_dated: bool,
        notes: &mut Vec<String>,
    ) -> Result<(Vec<(f64, f64)>, f64), Mistake> {
        let unit = columns.value_unit.as_deref().unwrap_or_default();
        let kind = exports::value_type(sheet).filter(|_| Q::COLUMN.0 == "rain");
        let is_ends = ends_periods::<Q>(kind.as_deref(), name, notes)?;
        let said = match kind.as_deref() {
            Some("INST-CUM") => Some(DepthSums::Cumulative),
            _ => is_ends.then_some(DepthSums::Steps),
        };
        let said = name.facts.sums.or(said);
        if self.sums(columns, name, said, notes)? == DepthSums::Cumulative {
            if name.facts.is_ends {
                let what = "#ends is for the depths of steps, and these count from the beginning: \
                            leave it out";
                return Err((None, what.into()));
            }
            return Ok((self.of_sums::<Q>(unit, sheet, notes)?, 0.0));
        }
        let earlier_s = if is_ends { self.begin_periods(is_dated, notes)? } else { 0.0 };
        let points = self.points::<Q>(unit).map_err(|what| (None, what))?;
        Ok((points, earlier_s))
    }

    /// Whether depths add up: by the user's choice, by the column's name, else refused if they may.
    fn sums(
        &self,
        columns: &TableColumns,
        name: &TableName,
        said: Option<DepthSums>,
        notes: &mut Vec<String>,
    ) -> Result<DepthSums, Mistake> {
        let depth = |(_, value): &(f64, RowValue)| match value {
            RowValue::InStep(depth) => Some(*depth),
            RowValue::Of(value) => (*value == 0.0).then_some(0.0),
            RowValue::Gap => None,
        };
        let depths: Vec<f64> = self.rows.iter().filter_map(depth).collect();
        let has_depths = self.rows.iter().any(|(_, value)| matches!(value, RowValue::InStep(_)));
        if !has_depths {
            return match said {
                Some(DepthSums::Cumulative) => Err((
                    None,
                    "#cumulative is for depths of rain, like [mm]: leave it out".to_owned(),
                )),
                _ => Ok(DepthSums::Steps),
            };
        }
        if let Some(sums) = said {
            return Ok(sums);
        }
        let heading =
            columns.names.as_ref().map_or(String::new(), |[_, value]| value.to_lowercase());
        if is_sum(columns, name) {
            notes.push(format!("`{heading}` adds up: rain is what each row adds to the one above"));
            return Ok(DepthSums::Cumulative);
        }
        if let Some(why) = suspicion(&depths) {
            let file = name.short();
            return Err((
                None,
                format!(
                    "its {} depths {why}: write {file}#cumulative if they count from the \
                     beginning or from a fall to 0, or {file}#steps if each fell in its own step",
                    depths.len()
                ),
            ));
        }
        Ok(DepthSums::Steps)
    }

    /// Returns the rates of depths that add up, also where a gauge starts again from 0; the last
    /// row ends them.
    fn of_sums<Q: Quantity>(
        &mut self,
        unit: &str,
        sheet: &TableSheet,
        notes: &mut Vec<String>,
    ) -> Result<Vec<(f64, f64)>, Mistake> {
        let lines: BTreeMap<u64, usize> = self
            .rows
            .iter()
            .zip(&sheet.records)
            .map(|(row, record)| (row.0.to_bits(), record.line))
            .collect();
        let depths: Vec<(f64, f64)> = self
            .rows
            .iter()
            .filter_map(|(time, value)| match value {
                RowValue::InStep(depth) => Some((*time, *depth)),
                RowValue::Of(depth) => Some((*time, *depth)),
                RowValue::Gap => None,
            })
            .collect();
        let (mut points, mut restarts) = (Vec::with_capacity(depths.len()), Vec::new());
        for pair in depths.windows(2) {
            let ((from, low), (to, high)) = (pair[0], pair[1]);
            let line = lines.get(&to.to_bits()).copied();
            let is_again = is_restart(low, high);
            let low = if is_again { 0.0 } else { low };
            restarts.extend(line.filter(|_| is_again));
            if high < low {
                return Err((
                    line,
                    format!(
                        "the cumulative depth falls from {low} to {high} {unit}: correct it, or \
                         write the depth of each step"
                    ),
                ));
            }
            let rate = Q::in_step(high - low, unit, to - from).map(Q::si);
            points.push((
                from,
                rate.ok_or_else(|| (line, format!("the unit [{unit}] is not known")))?,
            ));
        }
        let (Some(last), Some((_, first)), true) =
            (depths.last(), depths.first(), depths.len() > 1)
        else {
            let what = "a cumulative depth needs two rows: add one";
            return Err((None, what.into()));
        };
        if *first > 0.0 {
            notes.push(format!("{first} {unit} fell before its first row and do not count"));
        }
        if let Some(line) = restarts.first() {
            notes.push(format!(
                "its sums start again from 0 at {} place(s), the first in line {line}: what fell \
                 between the row above and the start does not count",
                restarts.len()
            ));
        }
        points.push((last.0, 0.0));
        Ok(points)
    }

    /// Sets the time of each value to the beginning of its period, if times end periods; the last
    /// time ends the table. Returns by how much the table begins earlier than its first time, s.
    fn begin_periods(&mut self, is_dated: bool, notes: &mut Vec<String>) -> Result<f64, Mistake> {
        let [(first_s, value), (second_s, _), ..] = self.rows[..] else {
            let what = "a single row has no period that ends at its time: add the row before it";
            return Err((None, what.into()));
        };
        let step_s = second_s - first_s;
        // Dates may begin earlier; times that are no dates count from the start of the run.
        let begin_s = if is_dated { first_s - step_s } else { (first_s - step_s).max(0.0) };
        let earlier_s = (-begin_s).max(0.0);
        let mut begin_s = begin_s + earlier_s;
        for row in &mut self.rows {
            let end_s = row.0 + earlier_s;
            row.0 = begin_s;
            begin_s = end_s;
        }
        self.rows.push((begin_s, RowValue::Of(0.0)));
        if !is_dated && first_s <= 0.0 {
            self.rows.remove(0);
            if !matches!(value, RowValue::Gap | RowValue::Of(0.0)) {
                notes.push("its first value ends at the start and does not count".into());
            }
        }
        Ok(earlier_s)
    }

    /// Returns the values in SI units; a depth of a step is a rate, and the last step is as long as
    /// the one before.
    fn points<Q: Quantity>(&self, unit: &str) -> Result<Vec<(f64, f64)>, String> {
        let rows = &self.rows;
        let step = |index: usize| match (rows.get(index + 1), index.checked_sub(1)) {
            (Some(next), _) => Some(next.0 - rows[index].0),
            (None, Some(before)) => Some(rows[index].0 - rows[before].0),
            (None, None) => None,
        };
        let mut points = Vec::with_capacity(rows.len() + 1);
        for (index, (time, value)) in rows.iter().enumerate() {
            let value = match value {
                RowValue::Of(value) => *value,
                RowValue::Gap if self.gaps == Gaps::Zero => 0.0,
                RowValue::Gap => continue,
                RowValue::InStep(number) => {
                    let step_s = step(index).ok_or_else(|| {
                        format!(
                            "a single row of [{unit}] has no step in which it falls: add a row \
                             that ends it, or write a rate like 40mm/h"
                        )
                    })?;
                    let rate = Q::in_step(*number, unit, step_s).map(Q::si);
                    rate.ok_or_else(|| format!("the unit [{unit}] is not known"))?
                }
            };
            points.push((*time, value));
        }
        if let (Some((time, RowValue::InStep(_))), Some(step_s)) =
            (rows.last(), step(rows.len() - 1))
        {
            points.push((time + step_s, 0.0));
        }
        Ok(points)
    }
}
