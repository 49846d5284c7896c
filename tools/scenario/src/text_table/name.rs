//! A table as a user names it: the file, and after `#` facts that the file does not state.
//!
//! ```text
//! storm.csv                       the columns by their headings
//! storm.csv#Flow                  the column called Flow
//! storm.csv#3                     the third column
//! storm.csv#Water Level [ft]      the column, and its unit
//! storm.csv#mdy                   the month first in 5/1/2024; dmy: the day first
//! storm.csv#rain#cumulative       the values add up; steps: each is of its own step
//! storm.csv#ends                  depths of rain fell until their time
//! storm.csv#decimal-comma         1,200 is 1.2; decimal-point: it is 1200
//! flow.bdy#width=10m              m2/s along so many metres
//! ```
//!
//! Guarantees: a file whose own name contains `#` is found first.

use std::path::{Path, PathBuf};

use super::numerals::Decimal;
use crate::quantity::{Metres, Quantity};
use crate::typed::split;

/// Order of day and month in dates like 5/1/2024.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DayOrder {
    /// Day, month, year.
    DayFirst,
    /// Month, day, year.
    MonthFirst,
}

/// Meaning of depths in a table of rain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DepthSums {
    /// Each value is the depth since the beginning of the table.
    Cumulative,
    /// Each value is the depth of its own step.
    Steps,
}

/// Facts that a user adds to the name of a table.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Facts {
    /// Name or number of the column of values.
    pub column: Option<String>,
    /// Unit of the values.
    pub unit: Option<String>,
    /// Order of day and month.
    pub order: Option<DayOrder>,
    /// Meaning of depths.
    pub sums: Option<DepthSums>,
    /// Whether times end their periods.
    pub is_ends: bool,
    /// Decimal sign of all numbers.
    pub decimal: Option<Decimal>,
    /// Width along which a discharge per metre enters, m.
    pub width_m: Option<f64>,
}

/// A file, and the facts added to its name.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TableName {
    /// The file.
    pub path: PathBuf,
    /// The facts.
    pub facts: Facts,
}

impl TableName {
    /// Splits a name as it was typed.
    ///
    /// # Errors
    ///
    /// If a fact is unknown or appears twice.
    pub fn try_new(typed: &Path) -> Result<Self, String> {
        let text = typed.to_string_lossy();
        let Some((path, added)) = split(&text).filter(|_| !typed.exists()) else {
            return Ok(Self::plain(typed));
        };
        let mut facts = Facts::default();
        added.split('#').try_for_each(|part| facts.add(part.trim()))?;
        Ok(Self { path: PathBuf::from(path), facts })
    }

    /// Returns a name without additions.
    pub fn plain(path: &Path) -> Self {
        Self { path: path.to_owned(), facts: Facts::default() }
    }

    /// Returns the decimal sign, for a table that is not over time.
    ///
    /// # Errors
    ///
    /// If a different fact was added.
    pub fn decimal_alone(&self) -> Result<Option<Decimal>, String> {
        let decimal = self.facts.decimal;
        match self.facts == (Facts { decimal, ..Facts::default() }) {
            true => Ok(decimal),
            false => Err("behind its name it takes #decimal-point or #decimal-comma alone: leave \
                          the rest out"
                .into()),
        }
    }

    /// Returns the name of the file without its folder, as advice repeats it.
    pub fn short(&self) -> String {
        let name = self.path.file_name().unwrap_or(self.path.as_os_str());
        name.to_string_lossy().into_owned()
    }
}

impl Facts {
    fn add(&mut self, part: &str) -> Result<(), String> {
        let twice = || Err(format!("`#{part}` contradicts an earlier `#`: keep one of them"));
        let is_new = match part.to_ascii_lowercase().as_str() {
            "" => return Err("`#` without a column: write its name or number after it".into()),
            "dmy" => self.order.replace(DayOrder::DayFirst).is_none(),
            "mdy" => self.order.replace(DayOrder::MonthFirst).is_none(),
            "cumulative" => self.sums.replace(DepthSums::Cumulative).is_none(),
            "steps" => self.sums.replace(DepthSums::Steps).is_none(),
            "ends" => !std::mem::replace(&mut self.is_ends, true),
            "decimal-comma" => self.decimal.replace(Decimal::Comma).is_none(),
            "decimal-point" => self.decimal.replace(Decimal::Point).is_none(),
            other => match other.strip_prefix("width=") {
                Some(width) => {
                    let width = width.parse::<Metres>()?.si();
                    if width <= 0.0 {
                        return Err(format!("`#{part}`: write a width above 0 m"));
                    }
                    self.width_m.replace(width).is_none()
                }
                None => return self.add_column(part).or_else(|()| twice()),
            },
        };
        if is_new { Ok(()) } else { twice() }
    }

    /// Adds a column, its unit in brackets, or both.
    fn add_column(&mut self, part: &str) -> Result<(), ()> {
        let (column, unit) = match part.strip_suffix(']').and_then(|part| part.rsplit_once('[')) {
            Some((column, unit)) => (column.trim(), Some(unit.trim())),
            None => (part, None),
        };
        let is_twice = (self.column.is_some() && !column.is_empty())
            || (self.unit.is_some() && unit.is_some());
        if is_twice {
            return Err(());
        }
        if !column.is_empty() {
            self.column = Some(column.to_owned());
        }
        if let Some(unit) = unit {
            self.unit = Some(unit.to_owned());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_are_read_from_the_name() {
        let facts = |text: &str| TableName::try_new(Path::new(text)).map(|name| name.facts);
        let column = |name: &str| Facts { column: Some(name.to_owned()), ..Facts::default() };
        assert_eq!(facts("a/q.csv"), Ok(Facts::default()));
        assert_eq!(facts("a/q.csv#Flow"), Ok(column("Flow")));
        let unit = Some("m3/s".to_owned());
        assert_eq!(facts("q.csv#Flow [m3/s]"), Ok(Facts { unit: unit.clone(), ..column("Flow") }));
        assert_eq!(facts("q.csv#[m3/s]"), Ok(Facts { unit, ..Facts::default() }));
        let all = Facts {
            order: Some(DayOrder::MonthFirst),
            sums: Some(DepthSums::Cumulative),
            is_ends: true,
            decimal: Some(Decimal::Comma),
            width_m: Some(10.0),
            ..column("2")
        };
        assert_eq!(facts("q.bdy#2#mdy#cumulative#ends#decimal-comma#width=10m"), Ok(all));
        for (text, what) in [
            ("q.csv#", "without a column"),
            ("q.csv#mdy#dmy", "keep one"),
            ("q.csv#A#B", "keep one"),
            ("q.csv#width=0m", "above 0 m"),
        ] {
            let wrong = facts(text).expect_err(text);
            assert!(wrong.contains(what), "{text}: {wrong}");
        }
    }

    #[test]
    fn a_file_with_a_hash_in_its_name_is_found() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("gauge#2.csv");
        std::fs::write(&path, "").expect("writable");
        let name = TableName::try_new(&path).expect("sound");
        assert_eq!((&name.path, &name.facts), (&path, &Facts::default()));
        let typed = format!("{}#Flow", path.display());
        let name = TableName::try_new(Path::new(&typed)).expect("sound");
        assert_eq!((&name.path, name.facts.column.as_deref()), (&path, Some("Flow")));
    }
}
