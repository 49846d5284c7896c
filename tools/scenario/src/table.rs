//! The rows of a table over time, from text to SI units; [`super::series`] says what is accepted.
//!
//! Guarantees: no number is taken for a unit that nobody wrote; 0 needs none.

use super::area::is_heading;
use super::moment::{Moment, moment};
use crate::quantity::{Quantity, Seconds};
use crate::units::clock_s;

/// Fault of a table, and its line, unless the table as a whole is at fault.
pub(super) type Mistake = (Option<usize>, String);

/// Units and names of the two columns, as far as a heading says them.
#[derive(Debug, Default)]
struct Heading {
    names: Option<[String; 2]>,
    time: Option<String>,
    value: Option<String>,
}

/// A value as a row says it.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Value {
    /// In SI units.
    Of(f64),
    /// A number in the heading's unit, which falls until the next row.
    InStep(f64),
}

/// Contents of a table.
#[derive(Debug, PartialEq)]
pub(super) struct Rows {
    /// Times and values in SI units.
    pub points: Vec<(f64, f64)>,
    /// The date from which the times count, if they are dates.
    pub begin: Option<Moment>,
}

/// Rows of the table in SI units.
pub(super) fn parse<Q: Quantity>(text: &str) -> Result<Rows, Mistake> {
    let mut heading = Heading::default();
    let mut rows: Vec<(f64, Value)> = Vec::new();
    let mut begin = None;
    let mut is_first = true;
    for (index, line) in text.lines().enumerate() {
        let wrong = |what: String| (Some(index + 1), what);
        let line = line.trim_start_matches('\u{feff}').trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let is_heading = std::mem::take(&mut is_first) && is_heading(line);
        let (time, value) = split(line)
            .ok_or_else(|| wrong("one column: write a time and a value in each line".into()))?;
        if is_heading {
            heading = Heading::read::<Q>(time, value).map_err(wrong)?;
            continue;
        }
        let time = heading.time::<Q>(time, rows.is_empty(), &mut begin).map_err(wrong)?;
        let value = heading.value::<Q>(value).map_err(wrong)?;
        if time < 0.0 {
            return Err(wrong(format!(
                "the time {time} s lies before the start: times count from the start, at 0"
            )));
        }
        if let Some((before, _)) = rows.last().filter(|(before, _)| *before >= time) {
            return Err(wrong(format!(
                "the time {time} s does not come after {before} s: sort the rows by time, and \
                 write the date before a clock time that passes midnight"
            )));
        }
        rows.push((time, value));
    }
    if rows.is_empty() {
        return Err((None, "holds no rows: write a time and a value in each line".into()));
    }
    let points = heading.values::<Q>(&rows).map_err(|what| (None, what))?;
    Ok(Rows { points, begin })
}

impl Heading {
    fn read<Q: Quantity>(time: &str, value: &str) -> Result<Self, String> {
        let names = [time, value].map(|column| name_of(column).to_owned());
        let find = |column: &str, is_known: &dyn Fn(&str) -> bool| {
            let written = unit_of(column).map(str::to_owned);
            written.or_else(|| suffix_of(column).into_iter().find(|unit| is_known(unit)))
        };
        let is_time = |unit: &str| Seconds::in_unit(1.0, unit).is_some();
        let is_value =
            |unit: &str| Q::in_unit(1.0, unit).is_some() || Q::in_step(1.0, unit, 1.0).is_some();
        let time = find(time, &is_time).filter(|unit| !is_clock(unit));
        let value = find(value, &is_value);
        let refuse = |unit: &String, meant: Option<&str>, units: String| {
            let meant = meant.map_or(String::new(), |unit| format!("did you mean [{unit}]? "));
            Err(format!("the heading's unit [{unit}] is not known: {meant}write one of {units}"))
        };
        if let Some(unit) = time.as_ref().filter(|unit| !is_time(unit)) {
            return refuse(unit, Seconds::meant(unit), Seconds::units());
        }
        if let Some(unit) = value.as_ref().filter(|unit| !is_value(unit)) {
            return refuse(unit, Q::meant(unit), Q::units());
        }
        Ok(Self { names: Some(names), time, value })
    }

    /// The time of a row since the start, s; the first date of a table is its start.
    fn time<Q: Quantity>(
        &self,
        text: &str,
        is_first: bool,
        start: &mut Option<Moment>,
    ) -> Result<f64, String> {
        let text = text.trim_matches('"').trim();
        if let Some(number) = number(text)? {
            let unit = self.time.as_deref().or((number == 0.0).then_some("s"));
            let unit = unit.ok_or_else(|| self.without_unit::<Q>("times"))?;
            return Seconds::in_unit(number, unit)
                .map(Quantity::si)
                .ok_or_else(|| format!("the unit [{unit}] is not known"));
        }
        if let Some(moment) = moment(text) {
            let first = *start.get_or_insert(moment);
            return Ok(moment.seconds - first.seconds);
        }
        if let Some(clock) = clock_s(text).filter(|clock| is_first && *clock > 0.0) {
            return Err(format!(
                "the table begins at {text} after the start, {clock} s of nothing: if these are \
                 times of day, write the date as well, like 2004-08-16 {text}; else begin at 0:00"
            ));
        }
        text.parse::<Seconds>().map(Quantity::si)
    }

    fn value<Q: Quantity>(&self, text: &str) -> Result<Value, String> {
        let text = text.trim_matches('"').trim();
        let Some(number) = number(text)? else {
            return text.parse::<Q>().map(|value| Value::Of(value.si()));
        };
        match &self.value {
            _ if number == 0.0 => Ok(Value::Of(0.0)),
            None => Err(self.without_unit::<Q>("values")),
            Some(unit) => Ok(match Q::in_unit(number, unit) {
                Some(value) => Value::Of(value.si()),
                None => Value::InStep(number),
            }),
        }
    }

    /// Says which heading to write.
    fn without_unit<Q: Quantity>(&self, what: &str) -> String {
        let (column, often) = Q::COLUMN;
        let [time, value] = self.names.clone().unwrap_or(["time".to_owned(), column.to_owned()]);
        let time_unit = self.time.as_deref().unwrap_or("s");
        let value_unit = self.value.as_deref().unwrap_or(often);
        format!(
            "the {what} have no unit: write a heading that names the units, like `{time} \
             [{time_unit}], {value} [{value_unit}]` (times: {}; values: {})",
            Seconds::units(),
            Q::units()
        )
    }

    /// Values in SI units; a depth of a step is a rate, and the last step is as long as the one
    /// before.
    fn values<Q: Quantity>(&self, rows: &[(f64, Value)]) -> Result<Vec<(f64, f64)>, String> {
        let unit = self.value.as_deref().unwrap_or_default();
        let step = |index: usize| match (rows.get(index + 1), index.checked_sub(1)) {
            (Some(next), _) => Some(next.0 - rows[index].0),
            (None, Some(before)) => Some(rows[index].0 - rows[before].0),
            (None, None) => None,
        };
        let mut points = Vec::with_capacity(rows.len() + 1);
        for (index, (time, value)) in rows.iter().enumerate() {
            let value = match value {
                Value::Of(value) => *value,
                Value::InStep(number) => {
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
        if let (Some((time, Value::InStep(_))), Some(step_s)) = (rows.last(), step(rows.len() - 1))
        {
            points.push((time + step_s, 0.0));
        }
        Ok(points)
    }
}

/// First two columns of a line.
fn split(line: &str) -> Option<(&str, &str)> {
    let separator = [';', ',', '\t'].into_iter().find(|&c| line.contains(c));
    let mut columns: Box<dyn Iterator<Item = &str>> = match separator {
        Some(separator) => Box::new(line.split(separator).map(str::trim)),
        None => Box::new(line.split_whitespace()),
    };
    Some((columns.next()?, columns.next()?))
}

/// A plain number; what is one but not finite is refused.
fn number(text: &str) -> Result<Option<f64>, String> {
    match text.parse::<f64>() {
        Ok(number) if number.is_finite() => Ok(Some(number)),
        Ok(_) => Err(format!("`{text}` is not finite: write a number")),
        Err(_) => Ok(None),
    }
}

/// The unit in a heading like `time [h]` or `time(s)`.
fn unit_of(heading: &str) -> Option<&str> {
    let (_, rest) = heading.split_once(['[', '('])?;
    let (unit, _) = rest.split_once([']', ')'])?;
    Some(unit.trim())
}

/// Name of the column in a heading.
fn name_of(heading: &str) -> &str {
    heading.split(['[', '(']).next().unwrap_or(heading).trim_matches('"').trim()
}

/// The units that a heading like `rain_mm_h` may end in, the longest first: `mm/h`, `h`.
fn suffix_of(heading: &str) -> Vec<String> {
    let name = heading.trim_matches('"');
    let parts: Vec<&str> = name.split('_').collect();
    (1..parts.len()).map(|from| parts[from..].join("/")).collect()
}

/// A heading may say how clock times are written.
fn is_clock(unit: &str) -> bool {
    matches!(unit.to_ascii_lowercase().as_str(), "h:mm" | "hh:mm" | "h:mm:ss" | "hh:mm:ss")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quantity::{Discharge, Metres, Rate};

    #[track_caller]
    fn check<Q: Quantity>(text: &str, expected: &[(f64, f64)]) {
        let got = parse::<Q>(text).expect(text).points;
        let is_close = got.len() == expected.len()
            && got
                .iter()
                .zip(expected)
                .all(|(a, b)| (a.0 - b.0).abs() < 1e-9 && (a.1 - b.1).abs() <= 1e-12 * b.1.abs());
        assert!(is_close, "{text}: {got:?}");
    }

    #[test]
    fn tables_read_in_their_units() {
        check::<Discharge>("time [s], q [m3/s]\n0,0\n600,300\n", &[(0.0, 0.0), (600.0, 300.0)]);
        check::<Discharge>("time [h], q [l/s]\n0, 0\n1, 500", &[(0.0, 0.0), (3600.0, 0.5)]);
        check::<Rate>("# storm\nt_s\tr_mm_h\n0\t36\n\n45\t0", &[(0.0, 1e-5), (45.0, 0.0)]);
        check::<Metres>("time(s)\twater surface(m)\r\n0\t-1e-5\r\n", &[(0.0, -1e-5)]);
        check::<Metres>("time_s stage_ft\n0 0\n60 10", &[(0.0, 0.0), (60.0, 3.048)]);
        check::<Rate>("0min; 36mm/h\n30min; 0", &[(0.0, 1e-5), (1800.0, 0.0)]);
        check::<Metres>("0,1m,further,columns\n", &[(0.0, 1.0)]);
    }

    #[test]
    fn clocks_and_dates_are_times() {
        let points = [(0.0, 0.0), (5400.0, 2.0)];
        for text in [
            "time [h:mm], q [m3/s]\n0:00,0\n1:30,2\n",
            "time, q [m3/s]\n00:00:00,0\n01:30:00,2\n",
            "time, q [m3/s]\n2004-08-16 23:00,0\n2004-08-17 00:30,2\n",
            "time, q [m3/s]\n2003-12-31T23:00:00Z;0\n2004-01-01T00:30:00Z;2\n",
            "time, q [m3/s]\n0,0\n1h30,2\n",
            "time [min], q [m3/s]\n0,0\n90,2\n",
        ] {
            check::<Discharge>(text, &points);
        }
    }

    /// Goal: a first row in quotes is a row; before, it was taken for a heading.
    #[test]
    fn rows_in_quotes_are_rows() {
        let points = [(0.0, 1e-5), (3600.0, 0.0)];
        check::<Rate>("\"0:00\",\"36mm/h\"\n\"1:00\",\"0\"\n", &points);
        check::<Rate>("\"2004-08-16 23:00\";\"36mm/h\"\n\"2004-08-17 00:00\";\"0\"", &points);
        check::<Rate>("\"time [h]\",\"rain [mm/h]\"\n\"0\",\"36\"\n\"1\",\"0\"\n", &points);
    }

    /// Goal: gauges that report depths give the volume they measured.
    #[test]
    fn depths_of_steps_are_rates() {
        let rate = |mm: f64, s: f64| mm * 1e-3 / s;
        check::<Rate>(
            "time [min], rain [mm]\n0,5\n10,2\n30,0\n",
            &[(0.0, rate(5.0, 600.0)), (600.0, rate(2.0, 1200.0)), (1800.0, 0.0)],
        );
        check::<Rate>(
            "time [min], rain [in]\n0,1\n10,2\n",
            &[(0.0, 0.0254 / 600.0), (600.0, 0.0508 / 600.0), (1200.0, 0.0)],
        );
        let single = parse::<Rate>("time [s], rain [mm]\n0,5\n").expect_err("one row");
        assert!(single.1.contains("no step"), "{}", single.1);
        assert!(parse::<Discharge>("time [s], q [mm]\n0,5\n").is_err());
    }

    #[test]
    fn broken_tables_are_refused_with_the_line() {
        let cases = [
            ("t [s],q [m3/s]\n0,0\n600,300\n300,0", Some(4), "sort the rows"),
            ("t [s],q [m3/s]\n0,0\n0,1", Some(3), "sort the rows"),
            ("t [s],q [m3/s]\n-5,0", Some(2), "before the start"),
            ("0,nan", Some(1), "not finite"),
            ("0,1e999", Some(1), "not finite"),
            ("0,a", Some(1), "is not a discharge"),
            ("0", Some(1), "one column"),
            ("time [weeks], q", Some(1), "not known"),
            ("time [hours], q", Some(1), "did you mean [h]?"),
            ("time [s], q [m3s]", Some(1), "did you mean [m3/s]?"),
            ("time, q\n# nothing\n", None, "no rows"),
            ("", None, "no rows"),
            ("0,0\n600,300", Some(2), "`time [s], discharge [m3/s]`"),
            ("t [min],inflow\n0,0\n5,300", Some(3), "`t [min], inflow [m3/s]`"),
            ("t,q [l/s]\n0,0\n5,300", Some(3), "`t [s], q [l/s]`"),
            ("t,q [l/s]\n14:00,0\n15:00,300", Some(2), "write the date as well"),
        ];
        for (text, line, what) in cases {
            let (got_line, got) = parse::<Discharge>(text).expect_err(text);
            assert_eq!(got_line, line, "{text}: {got}");
            assert!(got.contains(what), "{text}: {got}");
        }
    }
}
