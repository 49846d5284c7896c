//! Reference systems as text: WKT of version 1, of ESRI and of version 2, and the `.prj` files of
//! ARC/INFO.
//!
//! ```text
//! PROJCS["NAD_1983_UTM_Zone_11N",GEOGCS[...],...,UNIT["Meter",1.0]]
//! ```
//!
//! The reader takes the kind of the system, its name, EPSG's code and the units of its axes: it
//! passes over the projection itself, because nothing is reprojected.
//!
//! Guarantees: any text that cannot be read gives `None` and no panic; nesting is limited.
//! Source:     OGC 01-009 (WKT 1), OGC 18-010r7 (WKT 2); ARC/INFO as GDAL's `importFromESRI`.

mod node;

use self::node::{Parser, WktNode};
use crate::heights::{HeightDirection, unit_named};
use crate::length::LengthUnit;
use crate::stated::Stated;
use crate::vertical;

/// Longest text that is read, bytes.
const TEXT_MAX: usize = 1 << 18;
/// Relative difference up to which a unit has the length of its name: writers round differently.
const SAME_NAME: f64 = 1.0e-6;
/// Keywords of a system that has heights.
const COMPOUND: [&str; 2] = ["COMPD_CS", "COMPOUNDCRS"];

/// Kind of a reference system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CrsKind {
    /// Coordinates on a plane.
    Projected,
    /// Longitude and latitude.
    Geographic,
    /// Coordinates from the centre of the Earth.
    Geocentric,
    /// A plane of its own, like the one of a building site.
    Local,
}

/// Heights of a reference system.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct SystemHeights {
    /// EPSG's code.
    pub(crate) code: Option<u16>,
    /// Unit of heights.
    pub(crate) unit: Option<LengthUnit>,
    /// Direction in which heights grow.
    pub(crate) direction: Option<HeightDirection>,
}

impl SystemHeights {
    /// Returns unit and direction by the text, and by EPSG's code if the text lacks them.
    pub(crate) fn stated(&self) -> Stated {
        let listed = self.code.and_then(vertical::heights_of_vertical);
        Stated {
            unit: self.unit.or(listed.map(|(unit, _)| unit)),
            direction: self.direction.or(listed.map(|(_, direction)| direction)),
            ..Stated::default()
        }
    }
}

/// A reference system that a text describes.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct System {
    pub(crate) kind: CrsKind,
    pub(crate) name: String,
    /// EPSG's code.
    pub(crate) code: Option<u16>,
    /// Metres, or radians, that a unit of the coordinates has.
    pub(crate) unit: Option<f64>,
    pub(crate) heights: Option<SystemHeights>,
}

impl System {
    /// Parses a text; `None` if the text describes no reference system.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let text = trimmed(text);
        if text.len() > TEXT_MAX {
            return None;
        }
        if text.get(..10).is_some_and(|start| start.eq_ignore_ascii_case("projection")) {
            return Self::of_arc_info(text);
        }
        let mut parser = Parser::of(text);
        let root = parser.node()?;
        let mut system = Self::of_node(&root)?;
        // ESRI puts the heights behind the system and a comma.
        if let Some(node) = parser.take(',').then(|| parser.node()).flatten() {
            system.heights = system.heights.or_else(|| heights(&node));
        }
        Some(system)
    }

    fn of_node(node: &WktNode) -> Option<Self> {
        let kind = match node.keyword.as_str() {
            "PROJCS" | "PROJCRS" | "PROJECTEDCRS" | "DERIVEDPROJCRS" => CrsKind::Projected,
            "GEOGCS" | "GEOGCRS" | "GEOGRAPHICCRS" => CrsKind::Geographic,
            "GEODCRS" | "GEODETICCRS" => match node.child(&["CS"])?.text()? {
                axes if axes.eq_ignore_ascii_case("ellipsoidal") => CrsKind::Geographic,
                _ => CrsKind::Geocentric,
            },
            "GEOCCS" => CrsKind::Geocentric,
            "LOCAL_CS" | "ENGCRS" | "ENGINEERINGCRS" => CrsKind::Local,
            "BOUNDCRS" => return Self::of_node(node.child(&["SOURCECRS"])?.nodes().next()?),
            keyword if COMPOUND.contains(&keyword) => {
                let mut system = node.nodes().find_map(Self::of_node)?;
                system.heights = node.nodes().find_map(heights);
                return Some(system);
            }
            _ => return None,
        };
        let name = node.text()?.to_owned();
        let code = node.code().or_else(|| utm_zone(&name).filter(|_| kind == CrsKind::Projected));
        Some(Self { kind, code, unit: unit(node), heights: None, name })
    }

    /// Reads lines of a keyword and a value, like `Units  FEET`. `Zunits` is the unit of heights: a
    /// name, or its number in a metre; `NO` states none.
    fn of_arc_info(text: &str) -> Option<Self> {
        let value = |key: &str| {
            let mut words = text.lines().map(str::split_whitespace);
            words.find_map(|mut words| {
                words.next().filter(|word| word.eq_ignore_ascii_case(key))?;
                words.next()
            })
        };
        let name = value("projection")?.to_owned();
        let kind = match name.to_ascii_uppercase().as_str() {
            "GEOGRAPHIC" => CrsKind::Geographic,
            _ => CrsKind::Projected,
        };
        let length = |text: &str| match text.to_ascii_uppercase().as_str() {
            "METERS" | "METRES" => Some(1.0),
            "FEET" => LengthUnit::of_code(9003).map(LengthUnit::metres),
            count => {
                count.parse::<f64>().ok().filter(|count| *count > 0.0).map(|count| 1.0 / count)
            }
        };
        let unit = match value("units")?.to_ascii_uppercase().as_str() {
            "DD" => 1.0_f64.to_radians(),
            "DM" => (1.0 / 60.0_f64).to_radians(),
            "DS" => (1.0 / 3600.0_f64).to_radians(),
            text => length(text)?,
        };
        let heights = match value("zunits") {
            Some(text) if !["NO", "NONE"].contains(&text.to_ascii_uppercase().as_str()) => {
                let unit = Some(LengthUnit::of_metres(length(text)?)?);
                Some(SystemHeights { code: None, unit, direction: None })
            }
            _ => None,
        };
        let name = match value("zone") {
            Some(zone) => format!("{name} zone {zone}"),
            None => name,
        };
        Some(Self { kind, name, code: None, unit: Some(unit), heights })
    }
}

fn trimmed(text: &str) -> &str {
    text.trim_start_matches('\u{feff}').trim()
}

/// Returns the part of a text that describes the horizontal system; `None` if the text has no such
/// part, or describes heights in it.
pub(crate) fn horizontal(text: &str) -> Option<&str> {
    let text = trimmed(text);
    let mut parser = Parser::of(text);
    let root = parser.node()?;
    let mut part = text;
    if COMPOUND.contains(&root.keyword.as_str()) {
        // The horizontal system is the first part behind the name.
        parser = Parser::of(text.get(text.find(['[', '('])? + 1..)?);
        parser.argument()?;
        parser.take(',');
        part = parser.rest().trim_start();
        parser.node()?;
    }
    let part = part.get(..part.len() - parser.rest().len())?;
    let is_flat = System::parse(part).is_some_and(|system| system.heights.is_none());
    is_flat.then_some(part)
}

/// Returns the size of the unit of a system: that of the unit's name, if the number is the same but
/// for its rounding.
fn unit(node: &WktNode) -> Option<f64> {
    let stated = node.unit()?;
    let named = node.unit_name().and_then(unit_named).map(LengthUnit::metres);
    let is_same = |named: &f64| (named - stated).abs() <= SAME_NAME * stated;
    Some(named.filter(is_same).unwrap_or(stated))
}

fn heights(node: &WktNode) -> Option<SystemHeights> {
    let is_vertical =
        ["VERT_CS", "VERTCS", "VERTCRS", "VERTICALCRS"].contains(&node.keyword.as_str());
    let unit = unit(node).and_then(LengthUnit::of_metres);
    is_vertical.then(|| SystemHeights { code: node.code(), unit, direction: node.direction() })
}

/// EPSG's code of a zone of UTM, by the name that ESRI and EPSG give the zone.
fn utm_zone(name: &str) -> Option<u16> {
    let letters = name.chars().filter(|c| c.is_ascii_alphanumeric());
    let name: String = letters.map(|c| c.to_ascii_uppercase()).collect();
    let (datum, zone) = name.split_once("UTMZONE")?;
    let (number, side) = zone.split_at_checked(zone.len().checked_sub(1)?)?;
    let number: u16 = number.parse().ok()?;
    let (base, zones) = match (datum, side) {
        ("WGS1984" | "WGS84", "N") => (32_600, 1..=60),
        ("WGS1984" | "WGS84", "S") => (32_700, 1..=60),
        ("ETRS1989" | "ETRS89", "N") => (25_800, 28..=38),
        ("NAD1983" | "NAD83", "N") => (26_900, 1..=23),
        _ => return None,
    };
    zones.contains(&number).then_some(base + number)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ESRI: &str = r#"PROJCS["NAD_1983_StatePlane_New_York_Long_Island_FIPS_3104_Feet",
        GEOGCS["GCS_North_American_1983",DATUM["D_North_American_1983",SPHEROID["GRS_1980",
        6378137.0,298.257222101]],PRIMEM["Greenwich",0.0],UNIT["Degree",0.0174532925199433]],
        PROJECTION["Lambert_Conformal_Conic"],PARAMETER["False_Easting",984250.0],
        UNIT["Foot_US",0.3048006096012192]],VERTCS["NAVD_1988",VDATUM["x"],UNIT["Foot_US",
        0.3048006096012192]]"#;
    const OGC: &str = r#"COMPD_CS["NAD83 + NAVD88",PROJCS["NAD83 / UTM zone 11N",GEOGCS["NAD83",
        UNIT["degree",0.017453292519943,AUTHORITY["EPSG","9122"]],AUTHORITY["EPSG","4269"]],
        UNIT["metre",1,AUTHORITY["EPSG","9001"]],AXIS["Easting",EAST],AUTHORITY["EPSG","26911"]],
        VERT_CS["NAVD88 height (ftUS)",UNIT["US survey foot",0.304800609601219],
        AUTHORITY["EPSG","6360"]]]"#;
    const SECOND: &str = r#"PROJCRS["Texas ""south""",BASEGEOGCRS["NAD27",DATUM["d",ELLIPSOID["c",
        6378206.4,294.97,LENGTHUNIT["metre",1]]],ID["EPSG",4267]],CONVERSION["c",METHOD["Lambert"],
        PARAMETER["x",0,LENGTHUNIT["metre",1]]],CS[Cartesian,2],AXIS["(X)",east,ORDER[1],
        LENGTHUNIT["US survey foot",0.304800609601219]],AXIS["(Y)",north],ID["EPSG",32041]]"#;
    const DEGREES: &str = r#"GEODCRS["WGS 84",DATUM["World"],CS(ellipsoidal,2),AXIS["lat",north],
        ANGLEUNIT["degree",0.0174532925199433]]"#;
    const FOOT: f64 = 1200.0 / 3937.0;

    #[test]
    fn systems_of_all_versions_are_read() {
        let arc = "Projection    STATEPLANE\nZone 3104\nDatum NAD83\nUnits   FEET\n";
        for (text, kind, name, code, unit, heights) in [
            (ESRI, CrsKind::Projected, "NAD_1983_StatePlane", None, FOOT, Some((None, FOOT))),
            (OGC, CrsKind::Projected, "NAD83 / UTM", Some(26_911), 1.0, Some((Some(6360), FOOT))),
            (SECOND, CrsKind::Projected, "Texas \"south\"", Some(32_041), FOOT, None),
            (DEGREES, CrsKind::Geographic, "WGS 84", None, 0.017_453_292, None),
            (arc, CrsKind::Projected, "STATEPLANE zone 3104", None, FOOT, None),
            (
                "PROJCS[\"ETRS_1989_UTM_Zone_32N\",UNIT[\"Meter\",1]]",
                CrsKind::Projected,
                "ETRS",
                Some(25_832),
                1.0,
                None,
            ),
        ] {
            let system = System::parse(text).expect(text);
            assert!(system.name.starts_with(name), "{}", system.name);
            assert_eq!((system.kind, system.code), (kind, code), "{text}");
            assert!((system.unit.expect("a unit") - unit).abs() < 1.0e-9, "{system:?}");
            let found = system.heights.map(|heights| (heights.code, heights.unit));
            let heights = heights.map(|(code, unit)| (code, LengthUnit::of_metres(unit)));
            assert_eq!(found, heights, "{text}");
        }
    }

    /// Goal: unit and direction of heights are found in every spelling, with or without a code.
    #[test]
    fn heights_have_a_unit_and_a_direction() {
        let (down, up) = (Some(HeightDirection::Down), Some(HeightDirection::Up));
        for (vertical, metres, direction) in [
            ("VERTCS[\"MSL_Depth\",PARAMETER[\"Direction\",-1.0],UNIT[\"Meter\",1.0]]", 1.0, down),
            ("VERTCS[\"MSL\",PARAMETER[\"Direction\",1.0],UNIT[\"Meter\",1.0]]", 1.0, up),
            ("VERT_CS[\"d\",UNIT[\"metre\",1],AXIS[\"Depth\",DOWN]]", 1.0, down),
            ("VERTCRS[\"d\",AXIS[\"(D)\",down,LENGTHUNIT[\"metre\",1]]]", 1.0, down),
            ("VERT_CS[\"d\",AUTHORITY[\"EPSG\",\"6358\"]]", FOOT, down),
            ("VERTCS[\"NAVD\",UNIT[\"Foot_US\",0.3048006]]", FOOT, None),
            ("VERTCS[\"NAVD\",UNIT[\"Decimetre\",0.1]]", 0.1, None),
        ] {
            let part = "PROJCS[\"Own\",UNIT[\"Meter\",1.0]]";
            let behind = format!("{part},{vertical}");
            let inside = format!("COMPD_CS[\"Both, [x]\",{part},{vertical}]");
            for text in [behind, inside] {
                let stated = System::parse(&text).and_then(|s| s.heights).expect(&text).stated();
                assert_eq!(stated.unit, LengthUnit::of_metres(metres), "{text}");
                assert_eq!(stated.direction, direction, "{text}");
                assert_eq!(horizontal(&text), Some(part), "{text}");
            }
        }
        assert_eq!(horizontal("BOUNDCRS[SOURCECRS[COMPOUNDCRS[\"a\"]]]"), None);
    }

    /// Goal: `Zunits` of ARC/INFO are the unit of heights, and one that cannot be read is not
    /// passed over: the text is then no system, which a remark reports.
    #[test]
    fn arc_info_states_the_unit_of_heights() {
        for (zunits, expected) in [
            ("", Some(None)),
            ("Zunits NO", Some(None)),
            ("ZUNITS NONE", Some(None)),
            ("Zunits        METERS", Some(Some(1.0))),
            ("Zunits        FEET", Some(Some(FOOT))),
            ("Zunits        3.28084", Some(Some(1.0 / 3.28084))),
            ("zunits 10", Some(Some(0.1))),
            ("Zunits 0", None),
            ("Zunits FURLONGS", None),
        ] {
            let text = format!("Projection UTM\nZone 11\nDatum NAD83\n{zunits}\nUnits METERS\n");
            let system = System::parse(&text);
            let found = system.map(|system| system.heights.map(|heights| heights.stated().unit));
            let expected = expected.map(|metres| metres.map(LengthUnit::of_metres));
            assert_eq!(found, expected, "{zunits}");
        }
    }

    /// Goal: a rounded unit is that of its name, for coordinates as for heights; another length is
    /// not.
    #[test]
    fn rounded_units_are_those_of_their_names() {
        for (name, size, metres) in [
            ("Foot_US", "0.3048006", FOOT),
            ("US survey foot", "0.30480061", FOOT),
            ("Foot_US", "0.3048", 0.3048),
            ("Foot", "0.3048", 0.3048),
            ("Own", "0.3048006", 0.304_800_6),
        ] {
            let unit = format!("UNIT[\"{name}\",{size}]");
            let text = format!("PROJCS[\"Own\",{unit}],VERTCS[\"NAVD\",{unit}]");
            let system = System::parse(&text).expect(&text);
            let heights = system.heights.and_then(|heights| heights.unit).map(LengthUnit::metres);
            for found in [system.unit, heights] {
                assert!((found.expect("a unit") - metres).abs() < 1.0e-12, "{text}: {found:?}");
            }
        }
    }

    #[test]
    fn other_texts_are_no_systems() {
        let deep = "PROJCS[".repeat(1000);
        let cut: Vec<&str> = (0..OGC.len()).map(|end| &OGC[..end]).collect();
        let others = ["", "PROJCS", "PROJCS[]", "UNIT[\"a\",1]", "{}", "Projection", deep.as_str()];
        for text in others.into_iter().chain(cut) {
            assert_eq!(System::parse(text), None, "{text}");
        }
    }
}
