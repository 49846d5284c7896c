//! Roughness and losses.

use std::collections::BTreeMap;
use std::path::Path;

use kit::error::UserError;
use kit::words::mm_per_hour;

use super::super::file;
use super::super::terms::GreenAmptSoil;
use super::field::{Field, note_cover};
use super::map::MapPlan;
use crate::plausible::event::frictionless;
use crate::quantity::{Manning, Quantity, ValueOrFile};
use crate::text_table::{Decimal, Mistake, TableName, TableRecord, TableSheet, text_of};

/// Default Manning's n: short grass, farmland.
const MANNING_DEFAULT: f64 = 0.035;
const MANNING_MAX: f64 = 1.0;

/// Roughness and losses.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedGround {
    /// Manning's n.
    pub roughness: Roughness,
    /// Water that seeps away.
    pub infiltration: Infiltration,
    /// Water that evaporates, m/s.
    pub evaporation_m_s: f64,
}

/// Manning's n, s/m^(1/3).
#[derive(Debug, Clone, PartialEq)]
pub struct Roughness {
    /// Value everywhere, or where the raster has no value.
    pub manning: f64,
    /// Values by place.
    pub field: Option<Field>,
}

/// Water that seeps away.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Infiltration {
    /// No infiltration.
    None,
    /// At a constant rate, m/s.
    Rate(f64),
    /// After Green and Ampt.
    GreenAmpt(GreenAmptSoil),
}

pub(super) fn resolve(
    ground: &file::GroundTable,
    map: &MapPlan,
    notes: &mut Vec<String>,
) -> Result<PlannedGround, UserError> {
    let evaporation_m_s = ground.evaporation.map_or(0.0, Quantity::si);
    let infiltration = match (ground.infiltration.map(Quantity::si), ground.green_ampt) {
        (None, None) => Infiltration::None,
        (Some(rate), None) => Infiltration::Rate(rate),
        (None, Some(soil)) => Infiltration::GreenAmpt(soil),
        (Some(_), Some(_)) => {
            return Err(UserError::new(
                "infiltration is given as a constant rate and after Green-Ampt",
                "keep one of --infiltration and --green-ampt",
            ));
        }
    };
    let rate = match infiltration {
        Infiltration::Rate(rate) => rate,
        _ => 0.0,
    };
    for (what, rate) in [("infiltration", rate), ("evaporation", evaporation_m_s)] {
        if rate < 0.0 {
            return Err(UserError::new(
                format!("--{what} is {}", mm_per_hour(rate)),
                "a loss is at least 0 mm/h",
            ));
        }
    }
    Ok(PlannedGround { roughness: roughness(ground, map, notes)?, infiltration, evaporation_m_s })
}

fn roughness(
    ground: &file::GroundTable,
    map: &MapPlan,
    notes: &mut Vec<String>,
) -> Result<Roughness, UserError> {
    let (constant, raster) = match &ground.manning {
        None => (None, None),
        Some(ValueOrFile::Value(Manning(n))) => {
            let n = check_manning(*n).map_err(UserError::from_sentence)?;
            (Some(n), None)
        }
        Some(ValueOrFile::File(path)) => (None, Some(path)),
    };
    let field = match (raster, &ground.land_cover, &ground.land_cover_table) {
        (None, None, None) => None,
        (Some(raster), None, None) => {
            Some(Field::read(raster, "roughness", (map, notes), check_manning)?)
        }
        (None, Some(cover), Some(table)) => {
            let classes = read_classes(table, notes)?;
            let table = table.display().to_string();
            let of_class = move |class| manning_of(class, &classes, &table);
            Some(Field::read(cover, "land cover", (map, notes), of_class)?)
        }
        (Some(_), _, _) => {
            return Err(UserError::new(
                "roughness is given by a raster of Manning's n and by land cover",
                "keep one of the two",
            ));
        }
        (None, _, _) => {
            return Err(UserError::new(
                "land cover needs a raster of classes and a table of their Manning's n",
                "give both --land-cover and --land-cover-table",
            ));
        }
    };
    let manning = constant.unwrap_or(MANNING_DEFAULT);
    if manning <= 0.0 {
        notes.push(frictionless("everywhere"));
    }
    if let Some(field) = &field {
        if field.range().is_some_and(|(least, _)| least <= 0.0) {
            notes.push(frictionless(format!("in a part of {}", field.path().display())));
        }
        note_cover(field, map, &format!("Manning's n is {manning} there"), notes);
    }
    Ok(Roughness { manning, field })
}

fn check_manning(n: f64) -> Result<f64, String> {
    if (0.0..=MANNING_MAX).contains(&n) {
        Ok(n)
    } else {
        Err(format!("Manning's n is {n}: it lies in 0…{MANNING_MAX} s/m^(1/3), mostly 0.01…0.2"))
    }
}

/// Class codes and their Manning's n.
type ManningClasses = BTreeMap<i64, f64>;

fn manning_of(class: f64, classes: &ManningClasses, table: &str) -> Result<f64, String> {
    let found = classes.iter().find(|(code, _)| is_code(class, **code));
    let found = found.map(|(_, n)| *n);
    found.ok_or_else(|| format!("land cover class {class} is not in {table}: add a line for it"))
}

#[expect(clippy::cast_precision_loss, reason = "codes of classes are small")]
fn is_code(class: f64, code: i64) -> bool {
    (class - code as f64).abs() < 0.5
}

/// Usual names of the column of codes.
const CODES: &[&str] =
    &["class", "code", "value", "id", "gridcode", "grid code", "klasse", "lulc", "land cover"];

/// Usual names of the column of Manning's n.
const ROUGHNESSES: &[&str] = &[
    "n",
    "manning",
    "manning's n",
    "mannings n",
    "manning n",
    "manning_n",
    "roughness",
    "rauheit",
];

/// Reads a table of class codes and Manning's n; the columns are found by name.
fn read_classes(typed: &Path, notes: &mut Vec<String>) -> Result<ManningClasses, UserError> {
    let wrong = |place: String, what: String| {
        UserError::new(format!("land-cover table {}{place}", typed.display()), what)
    };
    let name = TableName::try_new(typed).map_err(|what| wrong(String::new(), what))?;
    let decimal = name.decimal_alone().map_err(|what| wrong(String::new(), what))?;
    let path = &name.path;
    let mut assumed = Vec::new();
    let text = text_of(path, "land-cover table", &mut assumed)?;
    let classes = parse_classes(&text, decimal, &mut assumed).map_err(|(line, what)| {
        wrong(line.map_or(String::new(), |line| format!(" line {line}")), what)
    })?;
    notes.extend(assumed.into_iter().map(|note| format!("{}: {note}", path.display())));
    Ok(classes)
}

fn parse_classes(
    text: &str,
    decimal: Option<Decimal>,
    notes: &mut Vec<String>,
) -> Result<ManningClasses, Mistake> {
    let mut sheet = TableSheet::read(text)?;
    begin_with_named_classes(&mut sheet);
    notes.extend(sheet.notes.iter().cloned());
    let decimal = sheet.decimal(decimal, notes)?;
    let number = |record: &TableRecord, column: usize| {
        let text = record.fields.get(column)?;
        decimal.number(text).ok().flatten()
    };
    let mut classes = ManningClasses::new();
    let Some(first) = sheet.records.first() else {
        return Err((None, "it holds no classes: write lines like 311,0.12".to_owned()));
    };
    let is_number = |column: usize| number(first, column).is_some();
    // Without a heading the name of a class may be the first field.
    let first_number = (0..first.fields.len()).find(|column| is_number(*column));
    let first_column = if sheet.heading.is_none() { first_number } else { None };
    let code = only_column(&sheet, CODES, is_number, "class")?;
    let code = code.or(first_column).unwrap_or(0);
    let n = match only_column(&sheet, ROUGHNESSES, is_number, "n")? {
        Some(n) => n,
        None => {
            let others = (0..first.fields.len()).filter(|column| *column != code);
            let numbers: Vec<usize> =
                others.filter(|column| number(first, *column).is_some()).collect();
            match *numbers {
                [n] => n,
                [] => 1,
                _ => {
                    let what = "several columns may be Manning's n: head one of them `n`";
                    return Err((Some(first.line), what.to_owned()));
                }
            }
        }
    };
    for record in &sheet.records {
        let wrong = |what: String| (Some(record.line), what);
        let class = record.fields.get(code).and_then(|code| code.parse::<i64>().ok());
        let (Some(class), Some(n)) = (class, number(record, n)) else {
            return Err(wrong("is not `class, n`: write it like 311,0.12".to_owned()));
        };
        let n = check_manning(n).map_err(wrong)?;
        if classes.insert(class, n).is_some() {
            return Err(wrong(format!("gives class {class} a second time: keep one")));
        }
    }
    Ok(classes)
}

/// Moves lines that begin with the name of a class, like `Water;11;0.02`, back to the rows: a sheet
/// takes them for a heading and lines above it.
fn begin_with_named_classes(sheet: &mut TableSheet) {
    let is_number = |field: &&String| field.starts_with(|c: char| c.is_ascii_digit());
    let is_class = |record: &TableRecord| record.fields.iter().filter(is_number).count() > 1;
    let mut above = std::mem::take(&mut sheet.unread);
    above.extend(sheet.heading.take());
    let first = above.iter().position(is_class).unwrap_or(above.len());
    let classes = above.split_off(first);
    sheet.heading = above.pop();
    if !classes.is_empty() {
        // The notes were on these lines.
        sheet.notes.clear();
        sheet.records.splice(0..0, classes);
    }
    sheet.unread = above;
}

/// Returns the column with one of the names; refuses several columns of numbers among them.
fn only_column(
    sheet: &TableSheet,
    names: &[&str],
    is_number: impl Fn(usize) -> bool,
    keep: &str,
) -> Result<Option<usize>, Mistake> {
    let named: Vec<usize> = sheet.columns(names).collect();
    let mut numeric = named.iter().copied().filter(|column| is_number(*column));
    let (first, second) = (numeric.next(), numeric.next());
    if let (Some(first), Some(second), Some(heading)) = (first, second, &sheet.heading) {
        let what = format!(
            "`{}` and `{}` may both be the column `{keep}`: rename one of them",
            heading.fields[first], heading.fields[second]
        );
        return Err((Some(heading.line), what));
    }
    Ok(first.or(named.first().copied()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn land_cover_tables_read() {
        let expected = ManningClasses::from([(111, 0.1), (512, 0.03)]);
        for text in [
            "class,n,name\n# towns\n111,0.1,city\n512,0.03,lake\n",
            "Code,Name,n\n111,\"Town, dense\",0.1\n512,Lake,0.03\n",
            "n;class\n0,1;111\n0,03;512\n",
            "111;0,1\n512;0,03\n",
            "111\tTown\t0,1\n512\tLake\t0,03\n",
            "111 0.1\n512 0.03\n",
            "class,value,n\ntown,111,0.1\nlake,512,0.03\n",
            "Town;111;0.1\nLake;512;0.03\n",
            "name;code;n\nTown;111;0.1\n2nd lake;512;0.03\n",
            "Town;111;0.1\n2nd lake;512;0.03\n",
        ] {
            assert_eq!(parse_classes(text, None, &mut Vec::new()), Ok(expected.clone()), "{text}");
        }
        assert_eq!(manning_of(512.0, &expected, "t.csv"), Ok(0.03));
        let missing = manning_of(7.0, &expected, "t.csv").expect_err("no such class");
        assert!(missing.contains("class 7") && missing.contains("t.csv"), "{missing}");
    }

    /// Goal: `#decimal-comma` decides as the advice states, and assumptions are shown.
    #[test]
    fn facts_and_notes_of_land_cover_tables_count() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("n.csv");
        std::fs::write(&path, "Survey of 2020\n\nclass;n\n11;0,020\n12;0,100\n").expect("writable");
        let read = |added: &str| {
            let mut notes = Vec::new();
            let typed = format!("{}{added}", path.display());
            read_classes(Path::new(&typed), &mut notes).map(|classes| (classes, notes.join("; ")))
        };
        let expected = ManningClasses::from([(11, 0.02), (12, 0.1)]);
        let (classes, notes) = read("").expect("sound");
        assert_eq!(classes, expected);
        assert!(notes.contains("line") && notes.contains("above its heading"), "{notes}");
        assert_eq!(read("#decimal-comma").expect("sound").0, expected);
        for added in ["#mdy", "#n"] {
            let wrong = read(added).expect_err(added).to_string();
            assert!(wrong.contains("#decimal-point or #decimal-comma alone"), "{wrong}");
        }
    }

    #[test]
    fn broken_land_cover_tables_are_refused_with_the_line() {
        let cases = [
            ("1,0.03\n2", Some(2), "is not"),
            ("1,0.03\n1,0.04", Some(2), "second time"),
            ("1,-0.03", Some(1), "0…1"),
            ("1,nan", Some(1), "is not"),
            ("class,n\n", None, "no classes"),
            ("1,0.03\nforest,0.1", Some(2), "is not"),
            ("1,0.03,0.04", Some(1), "head one of them `n`"),
            ("1;0,03\n2;0.04", Some(1), "decimal comma"),
            ("id,code,n\n1,111,0.1\n", Some(1), "`id` and `code`"),
            ("code,n,manning\n1,0.1,0.2\n", Some(1), "`n` and `manning`"),
        ];
        for (text, line, what) in cases {
            let (got_line, got) = parse_classes(text, None, &mut Vec::new()).expect_err(text);
            assert!(got_line == line && got.contains(what), "{text}: {got_line:?} {got}");
        }
    }
}
