//! Tables as text: exports of gauges, spreadsheets and models, outlines, land cover.
//!
//! ```text
//! bytes ─ encoding ─ text ─ sheet (separator, quotes, comments, heading) ─ records with lines
//!                               └ exports: RDB, Environment Agency, LISFLOOD, SFINCS
//! columns by role ─ numerals (decimal sign once a file) ─ times, dates ─ values, gaps ─ rows
//! ```
//!
//! Guarantees: each assumption is a note; an ambiguity is an error with its line, and the addition
//!             to the file's name that resolves it, as [`name`] lists them.
//! Limits:     a table is one text file; workbooks have to be saved as CSV.

mod columns;
mod dates;
mod encoding;
mod exports;
mod name;
mod numerals;
mod record;
mod rows;
mod sheet;
pub(crate) mod sums;
mod times;
mod values;

#[cfg(test)]
mod exports_tests;
#[cfg(test)]
mod tests;

use std::path::Path;

use kit::error::UserError;

use crate::typed::file_of;

pub(crate) use name::TableName;
pub(crate) use numerals::Decimal;
pub(crate) use record::{Mistake, TableRecord};
pub(crate) use rows::{Gaps, TableRows, parse};
pub(crate) use sheet::TableSheet;

/// Endings of tables.
const ENDINGS: [&str; 10] = ["csv", "txt", "tsv", "dat", "rdb", "bdy", "dis", "bzs", "bnd", "xy"];

/// True for a file that is a table by its ending, or by an addition to its name after `#`.
pub(crate) fn is_table(typed: &Path) -> bool {
    let typed = typed.to_string_lossy();
    let file = file_of(&typed);
    let ending = Path::new(file).extension().unwrap_or_default().to_string_lossy();
    file.len() < typed.len() || ENDINGS.contains(&&*ending.to_ascii_lowercase())
}

/// Reads the text of a table, which an error calls `kind`. Notes an encoding that is assumed.
///
/// # Errors
///
/// If the file cannot be read or is no text.
pub(crate) fn text_of(
    path: &Path,
    kind: &str,
    notes: &mut Vec<String>,
) -> Result<String, UserError> {
    let what = || format!("cannot read the {kind} {}", path.display());
    let bytes = std::fs::read(path)
        .map_err(|error| UserError::new(what(), format!("{error}; check the name")))?;
    let decoded = encoding::decode(&bytes)
        .ok_or_else(|| UserError::new(what(), "it is no text: save it as CSV"))?;
    notes.extend(decoded.assumed.map(|name| format!("read as {name}, for it is not UTF-8")));
    Ok(decoded.text)
}
