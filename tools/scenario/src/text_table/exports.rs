//! Exports whose units and columns follow a convention that the file itself does not write down.
//!
//! | export | convention |
//! |---|---|
//! | USGS RDB | a row of formats below the heading; parameters as codes, explained in comments |
//! | Environment Agency | column `value`, in the unit at the end of its measure, like `m3_s` |
//! | HEC-DSSVue | a row of types below the units: `PER-CUM` is a depth until its time |
//! | LISFLOOD `.bdy` | blocks of a name, `count unit`, and rows of value and time |
//! | SFINCS `.dis`, `.bzs` | no heading: seconds, and a column of m³/s or m for each source |
//!
//! Source: USGS Water Services (RDB); Environment Agency hydrology API; LISFLOOD-FP user manual,
//!         boundary condition files; SFINCS user manual, input files.

use super::record::{Mistake, TableRecord};
use super::sheet::{TableSheet, is_rdb, is_type};

/// Units of the parameters of the USGS that are read without their description.
const USGS: &[(&str, &str)] =
    &[("00060", "ft3/s"), ("00061", "ft3/s"), ("00065", "ft"), ("00045", "in")];

/// Words behind the unit of a measure of the Environment Agency.
const AGENCY_STATES: &[&str] = &["qualified", "unqualified", "logged", "dipped"];

/// Returns the units of time and value that the ending of a file without a heading implies.
pub(super) fn ending_units(ending: &str) -> Option<(&'static str, &'static str)> {
    match ending {
        "dis" => Some(("s", "m3/s")),
        "bzs" => Some(("s", "m")),
        _ => None,
    }
}

/// Returns the unit that the heading `name` of a sheet has by the convention of an export; `metric`
/// is the unit of an agency whose measure names no unit.
pub(super) fn unit(sheet: &TableSheet, name: &str, metric: &str) -> Option<String> {
    let heading = sheet.heading.as_ref()?;
    if is_rdb(std::slice::from_ref(heading)) {
        return usgs(sheet, name);
    }
    let measure = heading.fields.iter().position(|field| field == "measure")?;
    let measure = sheet.records.first()?.fields.get(measure)?;
    if name != "value" || !measure.to_lowercase().contains("environment.data.gov.uk") {
        return None;
    }
    // `…-flow--i-15_min-m3_s` or `…-flow-i-900-m3s-qualified`.
    let parts = measure.rsplit('/').next()?.split('-').collect::<Vec<_>>();
    let unit = parts.iter().rev().find(|part| !AGENCY_STATES.contains(part));
    Some(match unit {
        Some(unit) if parts.len() > 1 => unit.replace('_', "/"),
        _ => metric.to_owned(),
    })
}

/// Refuses a unit of an export whose values are no heights.
pub(super) fn check_direction(unit: &str) -> Result<(), String> {
    match unit.eq_ignore_ascii_case("mBDAT") {
        true => Err("its values are m below a datum (mBDAT), positive down: write stages, the \
                     datum's elevation minus these, and add #[m] to the file's name"
            .to_owned()),
        false => Ok(()),
    }
}

/// Returns the type of HEC-DSSVue that a sheet names above its values, in capitals.
pub(super) fn value_type(sheet: &TableSheet) -> Option<String> {
    let above = sheet.unread.iter().chain(&sheet.heading).flat_map(|record| &record.fields);
    let texts = above.chain(&sheet.comments);
    let mut words = texts.flat_map(|text| text.split([' ', ',', ';', ':', '[', ']', '(', ')']));
    words.find(|word| is_type(word)).map(str::to_uppercase)
}

/// Returns the unit of a USGS column, by the comment that describes its code, else by the code.
fn usgs(sheet: &TableSheet, name: &str) -> Option<String> {
    if name.ends_with("_cd") {
        return None;
    }
    let code = usgs_code(name)?;
    let described = usgs_description(sheet, name).filter(|comment| comment.contains(','));
    let known = USGS.iter().find(|(known, _)| *known == code);
    match known {
        Some((_, unit)) => Some((*unit).to_owned()),
        None => described.and_then(|comment| {
            let unit = comment.rsplit(',').next()?.trim();
            Some(unit.to_owned())
        }),
    }
}

/// Returns the code of the parameter in the name of a USGS column, like 00060 in `40346_00060`.
fn usgs_code(name: &str) -> Option<&str> {
    let is_code = |part: &&str| part.len() == 5 && part.bytes().all(|byte| byte.is_ascii_digit());
    name.split('_').skip(1).find(is_code)
}

/// Returns the comment that describes a USGS column.
pub(super) fn usgs_description<'a>(sheet: &'a TableSheet, name: &str) -> Option<&'a str> {
    let code = usgs_code(name)?;
    let mut comments = sheet.comments.iter().map(String::as_str);
    comments.find(|comment| comment.split_whitespace().any(|word| word == code))
}

/// Reads one block of a LISFLOOD `.bdy`: a sheet of time and value in the block's unit.
///
/// `column` chooses one of several blocks by its name; `value_unit` is the unit of the values, if
/// the format or the user has one for the quantity.
pub(super) fn lisflood(
    text: &str,
    (column, file): (Option<&str>, &str),
    value_unit: Option<&str>,
) -> Result<Option<TableSheet>, Mistake> {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let mut blocks: Vec<(String, String, Vec<TableRecord>)> = Vec::new();
    for (index, line) in lines.iter().enumerate().skip(1) {
        let Some((count, unit)) = block_size(line) else { continue };
        let name = lines[index - 1].to_owned();
        let rows = lines.iter().enumerate().skip(index + 1).take(count);
        let rows: Vec<TableRecord> = rows
            .filter(|(_, line)| !line.is_empty())
            .map(|(at, line)| {
                // The value is before the time.
                let fields = line.split_whitespace().take(2).map(str::to_owned);
                let fields = fields.collect::<Vec<_>>().into_iter().rev().collect();
                TableRecord { line: at + 1, fields, after_gap: false }
            })
            .collect();
        if rows.len() < count {
            let what = format!("announces {count} rows, {} follow: correct the count", rows.len());
            return Err((Some(index + 1), what));
        }
        blocks.push((name, unit.to_owned(), rows));
    }
    if blocks.is_empty() {
        return Ok(None);
    }
    let names = || blocks.iter().map(|(name, ..)| format!("{file}#{name}")).collect::<Vec<_>>();
    let chosen = match column {
        None if blocks.len() > 1 => {
            let names = names().join(", ");
            return Err((None, format!("contains {} series: write {names}", blocks.len())));
        }
        None => 0,
        Some(column) => {
            let found = blocks.iter().position(|(name, ..)| name.eq_ignore_ascii_case(column));
            found.ok_or_else(|| {
                (None, format!("has no series `{column}`: write {}", names().join(", ")))
            })?
        }
    };
    let (name, unit, records) = blocks.swap_remove(chosen);
    let value_unit = value_unit.ok_or_else(|| {
        let what = format!(
            "LISFLOOD boundary values are discharges or stages: add the unit to the file's name, \
             like {file}#[mm/h], if these are rain"
        );
        (None, what)
    })?;
    let heading = TableRecord {
        line: records.first().map_or(1, |row| row.line.saturating_sub(1)),
        fields: vec![format!("time [{unit}]"), format!("{name} [{value_unit}]")],
        after_gap: false,
    };
    let sheet = TableSheet {
        separator: ' ',
        heading: Some(heading),
        records,
        comments: Vec::new(),
        unread: Vec::new(),
        notes: vec![format!(
            "read as LISFLOOD boundary values: [{value_unit}], then time [{unit}]"
        )],
    };
    Ok(Some(sheet))
}

/// Returns the number of rows and the unit of time of a block's second line, like `3 seconds`.
fn block_size(line: &str) -> Option<(usize, &str)> {
    let (count, unit) = line.split_once(char::is_whitespace)?;
    let unit = unit.trim();
    let is_unit = matches!(unit, "seconds" | "minutes" | "hours" | "days");
    Some((count.parse().ok().filter(|_| is_unit)?, unit))
}
