//! Values of the rows: numbers in the heading's unit or with their own, and gaps.
//!
//! A gap is an empty cell, a word like `Ice` or `NA`, or a number that programs write for a missing
//! one, like -9999, if it is far from all others.
//!
//! Guarantees: every gap is in a note, with its count and its first line.

use super::columns::is_per_width;
use super::numerals::Decimal;
use super::record::Mistake;
use crate::quantity::Quantity;

/// Words that stand for a missing value.
const GAPS: &[&str] = &[
    "",
    "-",
    "--",
    "---",
    "----",
    "*",
    "**",
    "***",
    "?",
    "x",
    "m",
    "na",
    "n/a",
    "n.a.",
    "#n/a",
    "nan",
    "null",
    "nil",
    "none",
    "missing",
    "msg",
    "gap",
    "nodata",
    "no data",
    "ice",
    "eqp",
    "bkw",
    "dis",
    "mnt",
    "rat",
    "ssn",
    "zfl",
    "tst",
    "fld",
    "pmp",
    "k.a.",
    "kein wert",
    "fehlt",
    "lücke",
];

/// Sizes of numbers that stand for a missing value.
const SENTINELS: &[f64] = &[
    99.0,
    99.9,
    99.99,
    999.0,
    999.9,
    999.99,
    999.999,
    6999.0,
    7999.0,
    8888.0,
    9999.0,
    9999.9,
    9999.99,
    32_767.0,
    32_768.0,
    99_999.0,
    99_999.9,
    999_999.0,
    9_999_999.0,
];

/// How far a sentinel is from all values: so many times the largest, or below them so many times
/// their range.
const FAR: f64 = 10.0;

/// Value of a row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Value {
    /// In SI units.
    Of(f64),
    /// A number in the heading's unit, a depth of a step or of all steps so far.
    InStep(f64),
    /// No value.
    Gap,
}

/// Least and largest of the numbers that are surely values, in the unit of the column.
#[derive(Debug, Clone, Copy)]
struct Extent {
    least: f64,
    largest: f64,
}

impl Extent {
    /// Extent of numbers; without any, the least is infinite.
    fn of(numbers: impl Iterator<Item = f64>) -> Self {
        let empty = Self { least: f64::INFINITY, largest: f64::NEG_INFINITY };
        numbers.fold(empty, |extent, number| Self {
            least: extent.least.min(number),
            largest: extent.largest.max(number),
        })
    }

    /// True for a number that is far from all values. Among values of at least 0 every number
    /// below 0 is far: stages of a gauge at 312 m never fall to -999 m.
    fn is_far(self, number: f64) -> bool {
        let Self { least, largest } = self;
        if number < 0.0 && (least >= 0.0 || least - number > FAR * (largest - least).max(1.0)) {
            return true;
        }
        least.is_finite() && number.abs() > FAR * least.abs().max(largest.abs())
    }
}

/// Cells of a column of values, and how they are read.
pub(super) struct ValueColumn<'a> {
    /// Line and text of every row.
    pub cells: &'a [(usize, &'a str)],
    /// Unit of numbers.
    pub unit: Option<&'a str>,
    /// Decimal sign of numbers.
    pub decimal: Decimal,
    /// Width along which a discharge per metre enters, m.
    pub width_m: Option<f64>,
    /// Treatment of a gap, for the note.
    pub gap_words: &'a str,
    /// Treatment of a gap in the first or last row, for the note, if it differs.
    pub end_words: Option<&'a str>,
    /// Refusal of a number without a unit.
    pub without_unit: &'a str,
}

impl ValueColumn<'_> {
    /// Reads all values; notes the gaps.
    pub fn read<Q: Quantity>(&self, notes: &mut Vec<String>) -> Result<Vec<Value>, Mistake> {
        let mut numbers = Vec::with_capacity(self.cells.len());
        for &(line, text) in self.cells {
            let number = self.decimal.number(text).map_err(|what| (Some(line), what))?;
            numbers.push(number);
        }
        let is_sentinel = |number: f64| SENTINELS.iter().any(|s| (number.abs() - s).abs() < 1e-9);
        let real = numbers.iter().flatten().copied().filter(|number| !is_sentinel(*number));
        let extent = Extent::of(real);
        let (mut values, mut gaps) = (Vec::with_capacity(numbers.len()), Vec::new());
        for (&(line, text), number) in self.cells.iter().zip(&numbers) {
            let wrong = |what: String| (Some(line), what);
            let is_gap = match number {
                Some(number) if number.abs() < 100.0 && *number > 0.0 => false,
                Some(number) => is_sentinel(*number) && extent.is_far(*number),
                None => GAPS.contains(&&*text.trim().to_lowercase()),
            };
            values.push(match number {
                _ if is_gap => {
                    gaps.push((line, text));
                    Value::Gap
                }
                Some(number) => self.value::<Q>(*number).map_err(wrong)?,
                None => {
                    let plain = self.decimal.plain(text);
                    let plain = plain.unwrap_or_else(|| text.to_owned());
                    plain.parse::<Q>().map(|value| Value::Of(value.si())).map_err(wrong)?
                }
            });
        }
        if let Some((line, text)) = gaps.first() {
            let text = if text.is_empty() { "an empty cell" } else { text };
            let (count, words) = (gaps.len(), self.gap_words);
            if count == values.len() {
                let what = format!("contains no values, {count} gaps: choose another column");
                return Err((None, what));
            }
            notes.push(match count {
                1 => format!("`{text}` in line {line} is a gap: {words}"),
                _ => format!("{count} gaps, the first `{text}` in line {line}: {words}"),
            });
            let is_at_end = [values.first(), values.last()].contains(&Some(&Value::Gap));
            let end_words = self.end_words.filter(|_| is_at_end);
            notes.extend(end_words.map(|words| format!("its first or last row is a gap: {words}")));
        }
        Ok(values)
    }

    fn value<Q: Quantity>(&self, number: f64) -> Result<Value, String> {
        let Some(unit) = self.unit else {
            return match number == 0.0 {
                true => Ok(Value::Of(0.0)),
                false => Err(self.without_unit.to_owned()),
            };
        };
        if is_per_width::<Q>(unit) {
            let width_m = self.width_m.ok_or_else(|| {
                "its values are m2/s, a discharge for each metre of width: add #width=10m to the \
                 file's name, the width along which it enters, or #[m3/s] if they are m3/s"
                    .to_owned()
            })?;
            return Ok(Value::Of(number * width_m));
        }
        Ok(match Q::in_unit(number, unit) {
            _ if number == 0.0 => Value::Of(0.0),
            Some(value) => Value::Of(value.si()),
            None => Value::InStep(number),
        })
    }
}
