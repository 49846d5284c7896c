//! NoData as a user states it: values, or the absence of any.

use std::fmt;
use std::str::FromStr;

use serde::Deserialize;
use serde::de::{self, Deserializer, Visitor};

use crate::numbers::spelled;

/// Stored values that mean NoData, as a user states them (`--nodata`).
///
/// Read from text: `-9999`, `-inf`, `-9999,-500`; `none` undoes the NoData value and the mask that
/// the file declares; `none,-9999` puts another value in their place.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct NoData {
    /// Stored values, besides the values that the file declares.
    pub values: Vec<f64>,
    /// True if the value and the mask that the file declares do not count.
    pub is_undone: bool,
}

impl From<f64> for NoData {
    fn from(value: f64) -> Self {
        Self { values: vec![value], is_undone: false }
    }
}

impl FromStr for NoData {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut nodata = Self::default();
        for part in text.split(',').map(str::trim) {
            if part.eq_ignore_ascii_case("none") {
                nodata.is_undone = true;
                continue;
            }
            let value = spelled(part).ok_or_else(|| {
                format!(
                    "`{text}` is not a NoData value: write a number like -9999, several like \
                     -9999,-500, or none to undo what the file declares"
                )
            })?;
            nodata.values.push(value);
        }
        Ok(nodata)
    }
}

impl fmt::Display for NoData {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let none = self.is_undone.then(|| "none".to_owned()).into_iter();
        let values = self.values.iter().map(|value| StoredValue(*value).to_string());
        f.write_str(&none.chain(values).collect::<Vec<_>>().join(","))
    }
}

impl<'de> Deserialize<'de> for NoData {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AsTyped)
    }
}

/// Reads a number, or a text as on the command line.
struct AsTyped;

impl Visitor<'_> for AsTyped {
    type Value = NoData;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number like -9999, or \"none\"")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<NoData, E> {
        text.parse().map_err(E::custom)
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<NoData, E> {
        Ok(value.into())
    }

    #[expect(clippy::cast_precision_loss, reason = "samples are compared as floats")]
    fn visit_i64<E: de::Error>(self, value: i64) -> Result<NoData, E> {
        Ok((value as f64).into())
    }
}

/// A stored value; two NaNs are equal, and so are two spellings of the largest numbers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StoredValue(pub(crate) f64);

impl PartialEq for StoredValue {
    fn eq(&self, other: &Self) -> bool {
        let (a, b) = (self.0, other.0);
        // Texts shorten ±3.4e38 and ±1.8e308 to a few digits.
        let is_rounded = b.is_finite() && b.abs() > 1.0e30 && (a - b).abs() <= 1.0e-5 * b.abs();
        a == b || (a.is_nan() && b.is_nan()) || is_rounded
    }
}

impl fmt::Display for StoredValue {
    /// Writes the number, without hundreds of digits.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            number if number.is_finite() && number.abs() >= 1.0e9 => write!(f, "{number:e}"),
            number => write!(f, "{number}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodata_reads_as_typed() {
        for (text, values, is_undone) in [
            ("-9999", &[-9999.0][..], false),
            ("none", &[], true),
            ("NONE", &[], true),
            ("-inf", &[f64::NEG_INFINITY], false),
            ("-1.#INF, 0", &[f64::NEG_INFINITY, 0.0], false),
            ("none,-9999", &[-9999.0], true),
        ] {
            let expected = NoData { values: values.to_vec(), is_undone };
            assert_eq!(text.parse(), Ok(expected), "{text}");
        }
        for text in ["", "five", "-9999;0", "none,"] {
            assert!(text.parse::<NoData>().is_err_and(|wrong| wrong.contains("none to undo")));
        }
    }
}
