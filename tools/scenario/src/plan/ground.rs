//! Roughness and losses.

use std::collections::BTreeMap;
use std::path::Path;

use kit::error::UserError;
use kit::words::mm_per_hour;

use super::super::file;
use super::super::terms::GreenAmpt;
use super::field::{Field, note_cover};
use super::map::MapPlan;
use crate::plausible::event::frictionless;
use crate::quantity::{Given, Manning, Quantity};

/// Manning's n where nothing else is known: short grass, farmland.
const MANNING_DEFAULT: f64 = 0.035;
const MANNING_MAX: f64 = 1.0;

/// Roughness and losses.
#[derive(Debug, Clone, PartialEq)]
pub struct Ground {
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
    /// Everywhere, or where the raster has nothing.
    pub manning: f64,
    /// By place.
    pub field: Option<Field>,
}

/// Water that seeps away.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Infiltration {
    /// None.
    None,
    /// At a constant rate, m/s.
    Rate(f64),
    /// After Green and Ampt.
    GreenAmpt(GreenAmpt),
}

pub(super) fn resolve(
    ground: &file::Ground,
    map: &MapPlan,
    notes: &mut Vec<String>,
) -> Result<Ground, UserError> {
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
    Ok(Ground { roughness: roughness(ground, map, notes)?, infiltration, evaporation_m_s })
}

fn roughness(
    ground: &file::Ground,
    map: &MapPlan,
    notes: &mut Vec<String>,
) -> Result<Roughness, UserError> {
    let (constant, raster) = match &ground.manning {
        None => (None, None),
        Some(Given::Value(Manning(n))) => {
            let n = check_manning(*n).map_err(UserError::from_sentence)?;
            (Some(n), None)
        }
        Some(Given::File(path)) => (None, Some(path)),
    };
    let field = match (raster, &ground.land_cover, &ground.land_cover_table) {
        (None, None, None) => None,
        (Some(raster), None, None) => Some(Field::read(raster, "roughness", map, check_manning)?),
        (None, Some(cover), Some(table)) => {
            let classes = read_classes(table)?;
            let table = table.display().to_string();
            let of_class = move |class| manning_of(class, &classes, &table);
            Some(Field::read(cover, "land cover", map, of_class)?)
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
type Classes = BTreeMap<i64, f64>;

fn manning_of(class: f64, classes: &Classes, table: &str) -> Result<f64, String> {
    let found = classes.iter().find(|(code, _)| is_code(class, **code));
    let found = found.map(|(_, n)| *n);
    found.ok_or_else(|| format!("land cover class {class} is not in {table}: add a line for it"))
}

#[expect(clippy::cast_precision_loss, reason = "codes of classes are small")]
fn is_code(class: f64, code: i64) -> bool {
    (class - code as f64).abs() < 0.5
}

/// Reads a table of class codes and Manning's n; further columns, like a name, are ignored.
fn read_classes(path: &Path) -> Result<Classes, UserError> {
    let text = std::fs::read_to_string(path).map_err(|error| {
        UserError::new(
            format!("cannot read the land-cover table {}", path.display()),
            format!("{error}; check the name"),
        )
    })?;
    parse_classes(&text)
        .map_err(|what| UserError::new(format!("land-cover table {}", path.display()), what))
}

fn parse_classes(text: &str) -> Result<Classes, String> {
    let mut classes = Classes::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.trim_start_matches('\u{feff}').trim();
        let is_heading = classes.is_empty() && line.starts_with(|c: char| c.is_alphabetic());
        if line.is_empty() || line.starts_with('#') || is_heading {
            continue;
        }
        let place = index + 1;
        let mut columns = line.split([',', ';', '\t']).map(str::trim);
        let code = columns.next().and_then(|code| code.parse::<i64>().ok());
        let n = columns.next().and_then(|n| n.parse::<f64>().ok());
        let (Some(code), Some(n)) = (code, n) else {
            return Err(format!("line {place} is not `class, n`: write it like 311,0.12"));
        };
        let n = check_manning(n).map_err(|what| format!("line {place}: {what}"))?;
        if classes.insert(code, n).is_some() {
            return Err(format!("line {place} gives class {code} a second time: keep one"));
        }
    }
    if classes.is_empty() {
        return Err("it holds no classes: write lines like 311,0.12".to_owned());
    }
    Ok(classes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn land_cover_tables_read() {
        let classes = parse_classes("class,n,name\n# towns\n111,0.1,city\n512,0.03,lake\n");
        let classes = classes.expect("sound");
        assert_eq!(classes, BTreeMap::from([(111, 0.1), (512, 0.03)]));
        assert_eq!(manning_of(512.0, &classes, "t.csv"), Ok(0.03));
        let missing = manning_of(7.0, &classes, "t.csv").expect_err("no such class");
        assert!(missing.contains("class 7") && missing.contains("t.csv"), "{missing}");
    }

    #[test]
    fn broken_land_cover_tables_are_refused_with_the_line() {
        let cases = [
            ("1,0.03\n2", "line 2"),
            ("1,0.03\n1,0.04", "line 2"),
            ("1,-0.03", "line 1"),
            ("1,nan", "line 1"),
            ("class,n\n", "no classes"),
            ("1,0.03\nforest,0.1", "line 2"),
        ];
        for (text, what) in cases {
            let got = parse_classes(text).expect_err(text);
            assert!(got.contains(what), "{text}: {got}");
        }
    }
}
