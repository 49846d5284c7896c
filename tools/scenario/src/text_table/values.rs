//! Values of the rows: numbers in the heading's unit or with their own, and gaps.
//!
//! A gap is an empty cell, a word like `Ice` or `NA`, or a number that programs write for a missing
//! one, like -9999, if no value is near it.
//!
//! Guarantees: every gap is in a note, with its count and its first line, and so is every number
//!             that may mean a missing value and is kept.

use super::columns::is_per_width;
use super::numerals::Decimal;
use super::record::Mistake;
use crate::quantity::Quantity;

/// Words that mean a missing value.
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

/// Sizes of numbers that mean a missing value.
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

/// Numbers of HEC-DSS for a missing value: 901 is a usual discharge.
const SENTINELS_BELOW_0: &[f64] = &[-901.0, -902.0];

/// Share of the largest value within which a value is near a number.
const NEAR: f64 = 0.1;
/// Sentinels below this are also usual peaks: as a peak they are at most [`PEAK_TIMES`] the rest.
const USUAL_PEAK: f64 = 100.0;
/// Times that the peak of a rain or a flood is larger than the next largest value, at most.
const PEAK_TIMES: f64 = 10.0;

/// Value of a row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum RowValue {
    /// In SI units.
    Of(f64),
    /// A number in the heading's unit, a depth of a step or of all steps so far.
    InStep(f64),
    /// No value.
    Gap,
}

/// True for a number that programs write for a missing value.
fn is_sentinel(number: f64) -> bool {
    let is_near = |number: f64| move |sentinel: &f64| (number - sentinel).abs() < 1e-9;
    SENTINELS.iter().any(is_near(number.abs())) || SENTINELS_BELOW_0.iter().any(is_near(number))
}

/// The numbers that are surely values, rising, in the unit of the column.
struct KnownValues(Vec<f64>);

impl KnownValues {
    fn of(numbers: impl Iterator<Item = f64>) -> Self {
        let mut known: Vec<f64> = numbers.filter(|number| !is_sentinel(*number)).collect();
        known.sort_by(f64::total_cmp);
        Self(known)
    }

    /// True for a sentinel that is a missing value: a negative one among values of at least 0, for
    /// stages of a gauge at 312 m never fall to -999 m, else one that is isolated.
    fn is_missing<Q: Quantity>(&self, sentinel: f64) -> bool {
        let (Some(least), Some(largest)) = (self.0.first(), self.0.last()) else {
            return sentinel < 0.0;
        };
        if sentinel < 0.0 && *least >= 0.0 {
            return true;
        }
        // A table of 0, 99 and 0 may be a block of rain.
        let mut written: Vec<f64> = self.0.iter().copied().filter(|known| *known != 0.0).collect();
        written.dedup();
        let is_peak = sentinel > 0.0 && sentinel < USUAL_PEAK && Q::COLUMN.0 != "stage";
        if is_peak && (written.len() < 2 || sentinel <= PEAK_TIMES * largest) {
            return false;
        }
        let near = (largest - least).max(NEAR * least.abs().max(largest.abs()));
        self.0.iter().all(|known| (sentinel - known).abs() > near)
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
    pub fn read<Q: Quantity>(&self, notes: &mut Vec<String>) -> Result<Vec<RowValue>, Mistake> {
        let mut numbers = Vec::with_capacity(self.cells.len());
        for &(line, text) in self.cells {
            let number = self.decimal.number(text).map_err(|what| (Some(line), what))?;
            numbers.push(number);
        }
        let known = KnownValues::of(numbers.iter().flatten().copied());
        let (mut values, mut gaps, mut kept) =
            (Vec::with_capacity(numbers.len()), Vec::new(), Vec::new());
        for (&cell, number) in self.cells.iter().zip(&numbers) {
            let (line, text) = cell;
            let wrong = |what: String| (Some(line), what);
            let is_gap = match number {
                Some(number) if is_sentinel(*number) => {
                    let is_missing = known.is_missing::<Q>(*number);
                    kept.extend((!is_missing).then_some(cell));
                    is_missing
                }
                Some(_) => false,
                None => GAPS.contains(&&*text.trim().to_lowercase()),
            };
            values.push(match number {
                _ if is_gap => {
                    gaps.push(cell);
                    RowValue::Gap
                }
                Some(number) => self.value::<Q>(*number).map_err(wrong)?,
                None => {
                    let plain = self.decimal.plain(text);
                    let plain = plain.unwrap_or_else(|| text.to_owned());
                    plain.parse::<Q>().map(|value| RowValue::Of(value.si())).map_err(wrong)?
                }
            });
        }
        self.note_gaps::<Q>(&values, &gaps, notes)?;
        if let Some((line, text)) = kept.first() {
            notes.push(match kept.len() {
                1 => format!(
                    "`{text}` in line {line} often means a missing value, and counts as a value: \
                     empty the cell if it is missing"
                ),
                count => format!(
                    "{count} numbers that often mean a missing value, the first `{text}` in line \
                     {line}, count as values: empty the cells if they are missing"
                ),
            });
        }
        Ok(values)
    }

    /// Notes the gaps; refuses a column of gaps alone.
    fn note_gaps<Q: Quantity>(
        &self,
        values: &[RowValue],
        gaps: &[(usize, &str)],
        notes: &mut Vec<String>,
    ) -> Result<(), Mistake> {
        let Some((line, first)) = gaps.first() else { return Ok(()) };
        let text = if first.is_empty() { "an empty cell" } else { first };
        let (count, words) = (gaps.len(), self.gap_words);
        if count == values.len() {
            let what = format!("contains no values, {count} gaps: choose another column");
            return Err((None, what));
        }
        // A cell with a unit of its own is always a value.
        let number = gaps.iter().find(|gap| self.decimal.number(gap.1).is_ok_and(|n| n.is_some()));
        let unit = self.unit.filter(|unit| Q::in_unit(1.0, unit).is_some());
        let otherwise = number.zip(unit).map_or(String::new(), |((_, number), unit)| {
            format!(" (if {number} is a value, write it with its unit, {number}{unit})")
        });
        notes.push(match count {
            1 => format!("`{text}` in line {line} is a gap: {words}{otherwise}"),
            _ => format!("{count} gaps, the first `{text}` in line {line}: {words}{otherwise}"),
        });
        let is_at_end = [values.first(), values.last()].contains(&Some(&RowValue::Gap));
        let end_words = self.end_words.filter(|_| is_at_end);
        notes.extend(end_words.map(|words| format!("its first or last row is a gap: {words}")));
        Ok(())
    }

    fn value<Q: Quantity>(&self, number: f64) -> Result<RowValue, String> {
        let Some(unit) = self.unit else {
            return match number == 0.0 {
                true => Ok(RowValue::Of(0.0)),
                false => Err(self.without_unit.to_owned()),
            };
        };
        if is_per_width::<Q>(unit) {
            let width_m = self.width_m.ok_or_else(|| {
                "its values are m2/s, a discharge for each metre of width: add #width=10m to the \
                 file's name, the width along which it enters, or #[m3/s] if they are m3/s"
                    .to_owned()
            })?;
            return Ok(RowValue::Of(number * width_m));
        }
        Ok(match Q::in_unit(number, unit) {
            _ if number == 0.0 => RowValue::Of(0.0),
            Some(value) => RowValue::Of(value.si()),
            None => RowValue::InStep(number),
        })
    }
}
