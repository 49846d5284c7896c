//! `--area`: the part of the map that is simulated, a rectangle or the polygons of a file.
//!
//! ```text
//! 512000,180000,514000,182000     west, south, east, north in the map's coordinates
//! catchment.geojson               Polygon, MultiPolygon, Feature or FeatureCollection
//! outline.csv                     a corner, x and y, in each line; an empty line ends a ring
//! ```
//!
//! Guarantees: corners are finite and each ring has three; a point is inside a polygon if a ray
//!             from it crosses the polygon's rings an odd number of times, so a ring in a ring is a
//!             hole; it is inside the area if it is inside any polygon. The rings of a text are one
//!             polygon.
//! Limits:     coordinates are taken as the map's, even if a GeoJSON file names a different system.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use kit::error::UserError;
use rasters::quoted;
use serde::de::{self, Deserialize, Deserializer, SeqAccess, Visitor};
use serde_json::Value;

use super::place::MapPoint;
use super::text_table::{Decimal, Mistake, TableName, TableSheet, is_table, text_of};

/// The part of the map that is simulated.
#[derive(Debug, Clone, PartialEq)]
pub enum SimulatedArea {
    /// A rectangle.
    Rectangle(MapRectangle),
    /// A file of polygons.
    File(PathBuf),
}

/// A rectangle in the map's coordinates.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MapRectangle {
    /// Least x.
    pub west: f64,
    /// Least y.
    pub south: f64,
    /// Largest x.
    pub east: f64,
    /// Largest y.
    pub north: f64,
}

impl MapRectangle {
    fn try_new([west, south, east, north]: [f64; 4]) -> Result<Self, String> {
        let rectangle = Self { west, south, east, north };
        if west < east && south < north && [west, south, east, north].iter().all(|v| v.is_finite())
        {
            return Ok(rectangle);
        }
        Err(format!(
            "the area {rectangle} is empty: write WEST,SOUTH,EAST,NORTH in the map's coordinates, \
             the smaller x and y first"
        ))
    }
}

impl fmt::Display for MapRectangle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { west, south, east, north } = self;
        write!(f, "{west},{south},{east},{north}")
    }
}

impl FromStr for SimulatedArea {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers: Vec<Option<f64>> =
            text.split(',').map(|part| part.trim().parse().ok()).collect();
        if let [Some(west), Some(south), Some(east), Some(north)] = numbers[..] {
            return MapRectangle::try_new([west, south, east, north]).map(Self::Rectangle);
        }
        let ending = Path::new(text).extension().and_then(|ending| ending.to_str());
        if ending.is_some_and(|ending| ending.starts_with(|c: char| c.is_ascii_alphabetic())) {
            return Ok(Self::File(PathBuf::from(text)));
        }
        Err(format!(
            "`{text}` is no area: write WEST,SOUTH,EAST,NORTH in the map's coordinates, like \
             512000,180000,514000,182000, or the name of a GeoJSON file"
        ))
    }
}

impl<'de> Deserialize<'de> for SimulatedArea {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(AreaText)
    }
}

struct AreaText;

impl<'de> Visitor<'de> for AreaText {
    type Value = SimulatedArea;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[west, south, east, north] or the name of a GeoJSON file")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<SimulatedArea, E> {
        text.parse().map_err(E::custom)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<SimulatedArea, A::Error> {
        let mut numbers = Vec::new();
        while let Some(number) = list.next_element::<f64>()? {
            numbers.push(number);
        }
        let count = numbers.len();
        let sides = numbers.try_into().map_err(|_| {
            de::Error::custom(format!(
                "the area has {count} numbers: write [west, south, east, north]"
            ))
        })?;
        MapRectangle::try_new(sides).map(SimulatedArea::Rectangle).map_err(de::Error::custom)
    }
}

/// A ring of corners.
type CornerRing = Vec<MapPoint>;

/// The rings of a polygon.
type PolygonRings = Vec<CornerRing>;

/// Polygons; the module's page defines their inside.
#[derive(Debug, Clone, PartialEq)]
pub struct AreaOutline {
    polygons: Vec<PolygonRings>,
}

impl AreaOutline {
    /// Reads the polygons of a file; notes assumptions.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, has a different format, or contains no polygon.
    pub fn read(typed: &Path, notes: &mut Vec<String>) -> Result<Self, UserError> {
        let refuse =
            |what: String| UserError::from_sentence(format!("{}: {what}", typed.display()));
        let is_text = is_table(typed);
        let name = match is_text {
            true => TableName::try_new(typed).map_err(&refuse)?,
            false => TableName::plain(typed),
        };
        let path = &*name.path;
        let ending = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        if !is_text && !matches!(ending.as_str(), "geojson" | "json") {
            return Err(refuse(format!(
                "is no area that can be read: convert it with ogr2ogr -f GeoJSON {} {}",
                quoted(path.with_extension("geojson").as_os_str()),
                quoted(path.as_os_str())
            )));
        }
        let mut assumed = Vec::new();
        let text = text_of(path, "area", &mut assumed)?;
        let polygons = match is_text {
            true => {
                let decimal = name.decimal_alone().map_err(&refuse)?;
                of_lines(&text, decimal, &mut assumed).map(|rings| vec![rings])
            }
            false => of_json(&text),
        };
        let polygons = polygons.map_err(&refuse)?;
        notes.extend(assumed.into_iter().map(|note| format!("{}: {note}", path.display())));
        let corners = polygons.iter().flatten().map(Vec::len).min().unwrap_or(0);
        if corners < 3 {
            return Err(refuse(format!(
                "its outline has {corners} corners: give at least three, x and y of each"
            )));
        }
        Ok(Self { polygons })
    }

    /// Returns the rectangle around all corners.
    #[must_use]
    pub fn around(&self) -> MapRectangle {
        let points = || self.polygons.iter().flatten().flatten();
        let least = |of: fn(&MapPoint) -> f64| points().map(of).fold(f64::INFINITY, f64::min);
        let most = |of: fn(&MapPoint) -> f64| points().map(of).fold(f64::NEG_INFINITY, f64::max);
        MapRectangle {
            west: least(|p| p.x),
            south: least(|p| p.y),
            east: most(|p| p.x),
            north: most(|p| p.y),
        }
    }

    /// Returns the x at which a line of constant y enters and leaves, rising.
    #[must_use]
    pub fn crossings(&self, y: f64) -> Vec<f64> {
        let mut spans: Vec<[f64; 2]> =
            self.polygons.iter().flat_map(|polygon| spans_of(polygon, y)).collect();
        spans.sort_by(|a, b| a[0].total_cmp(&b[0]));
        let mut crossings: Vec<f64> = Vec::new();
        for [enters, leaves] in spans {
            match crossings.last_mut() {
                Some(last) if enters <= *last => *last = last.max(leaves),
                _ => crossings.extend([enters, leaves]),
            }
        }
        crossings
    }
}

/// Returns the parts of a line of constant y within a polygon.
fn spans_of(polygon: &[CornerRing], y: f64) -> Vec<[f64; 2]> {
    let mut crossings: Vec<f64> = polygon.iter().flat_map(|ring| crossings_of(ring, y)).collect();
    crossings.sort_by(f64::total_cmp);
    crossings.chunks_exact(2).map(|pair| [pair[0], pair[1]]).collect()
}

/// Returns the x at which a line of constant y crosses a ring.
pub fn crossings_of(ring: &[MapPoint], y: f64) -> impl Iterator<Item = f64> {
    ring.iter()
        .zip(ring.iter().cycle().skip(1))
        .filter(move |(a, b)| (a.y > y) != (b.y > y))
        .map(move |(a, b)| a.x + (y - a.y) / (b.y - a.y) * (b.x - a.x))
}

/// Usual names of columns of x and y.
const NAMES: [&[&str]; 2] = [
    &["x", "e", "easting", "east", "lon", "long", "longitude", "rechtswert", "ostwert"],
    &["y", "n", "northing", "north", "lat", "latitude", "hochwert", "nordwert"],
];

fn of_lines(
    text: &str,
    decimal: Option<Decimal>,
    notes: &mut Vec<String>,
) -> Result<PolygonRings, String> {
    let at_line = |(line, what): Mistake| match line {
        Some(line) => format!("line {line}: {what}"),
        None => what,
    };
    let sheet = TableSheet::read(text).map_err(at_line)?;
    notes.extend(sheet.notes.iter().cloned());
    let decimal = sheet.decimal(decimal, notes).map_err(at_line)?;
    let [x, y] = columns_of_corners(&sheet, notes).map_err(at_line)?;
    let mut rings = vec![Vec::new()];
    for record in &sheet.records {
        if record.after_gap {
            rings.push(Vec::new());
        }
        let number = |column: usize| {
            let text = record.fields.get(column)?;
            decimal.number(text).ok().flatten()
        };
        let (Some(x), Some(y)) = (number(x), number(y)) else {
            return Err(format!("line {} is no corner: write x,y", record.line));
        };
        if let Some(ring) = rings.last_mut() {
            ring.push(MapPoint { x, y });
        }
    }
    rings.retain(|ring| !ring.is_empty());
    Ok(rings)
}

/// Returns the columns of x and y: by their names, else the only two.
fn columns_of_corners(sheet: &TableSheet, notes: &mut Vec<String>) -> Result<[usize; 2], Mistake> {
    let count = sheet.records.first().map_or(2, |record| record.fields.len());
    match (NAMES.map(|names| sheet.column(names)), &sheet.heading) {
        ([Some(x), Some(y)], _) => Ok([x, y]),
        ([None, None], None) => {
            if count > 2 {
                notes.push(format!("of its {count} columns the first two are x and y"));
            }
            Ok([0, 1])
        }
        ([None, None], Some(heading)) if count <= 2 => {
            notes.push(format!("below `{}` x comes first, then y", heading.fields.join(", ")));
            Ok([0, 1])
        }
        (_, heading) => {
            let named = heading.as_ref().map(|heading| heading.fields.join(", "));
            let what = format!(
                "the heading `{}` does not name the columns of corners: call them x and y",
                named.unwrap_or_default()
            );
            Err((heading.as_ref().map(|heading| heading.line), what))
        }
    }
}

fn of_json(text: &str) -> Result<Vec<PolygonRings>, String> {
    let json: Value = serde_json::from_str(text)
        .map_err(|error| format!("is no GeoJSON ({error}): write it again"))?;
    let mut polygons = Vec::new();
    collect(&json, &mut polygons)?;
    if polygons.is_empty() {
        return Err("holds no Polygon and no MultiPolygon: draw the area as one".into());
    }
    Ok(polygons)
}

/// Adds all polygons in a GeoJSON object.
fn collect(json: &Value, polygons: &mut Vec<PolygonRings>) -> Result<(), String> {
    let list = |key: &str| json.get(key).and_then(Value::as_array).into_iter().flatten();
    match json.get("type").and_then(Value::as_str) {
        Some("FeatureCollection") => list("features").try_for_each(|part| collect(part, polygons)),
        Some("GeometryCollection") => {
            list("geometries").try_for_each(|part| collect(part, polygons))
        }
        Some("Feature") => json.get("geometry").map_or(Ok(()), |part| collect(part, polygons)),
        Some("Polygon") => json.get("coordinates").map_or(Ok(()), |rings| push(rings, polygons)),
        Some("MultiPolygon") => list("coordinates").try_for_each(|rings| push(rings, polygons)),
        _ => Ok(()),
    }
}

/// Adds a polygon that has a ring.
fn push(rings: &Value, polygons: &mut Vec<PolygonRings>) -> Result<(), String> {
    let rings = rings.as_array().into_iter().flatten();
    let polygon = rings.map(ring).collect::<Option<PolygonRings>>();
    let polygon = polygon.ok_or("a corner of a polygon is no pair of numbers: write it again")?;
    polygons.extend((!polygon.is_empty()).then_some(polygon));
    Ok(())
}

fn ring(ring: &Value) -> Option<CornerRing> {
    let corner = |corner: &Value| {
        let number = |index: usize| corner.get(index).and_then(Value::as_f64);
        Some(MapPoint { x: number(0)?, y: number(1)? })
            .filter(|p| p.x.is_finite() && p.y.is_finite())
    };
    ring.as_array()?.iter().map(corner).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn areas_read_as_typed() {
        let rectangle = MapRectangle { west: -1.5, south: 2.0, east: 3.0, north: 4e3 };
        assert_eq!("-1.5, 2,3,4e3".parse(), Ok(SimulatedArea::Rectangle(rectangle)));
        assert_eq!("a b.geojson".parse(), Ok(SimulatedArea::File("a b.geojson".into())));
        for text in ["", "1,2,3", "3,2,1,4", "1,4,3,2", "1,2,inf,4", "1,2,nan,4", "here"] {
            let wrong = text.parse::<SimulatedArea>().expect_err(text);
            assert!(wrong.contains("WEST,SOUTH,EAST,NORTH"), "{text}: {wrong}");
        }
    }

    #[test]
    fn outlines_are_read_from_lines_and_geojson() {
        let square = |from: f64, to: f64| {
            [(from, from), (to, from), (to, to), (from, to)]
                .map(|(x, y)| MapPoint { x, y })
                .to_vec()
        };
        let of_lines = |text: &str| of_lines(text, None, &mut Vec::new());
        let lines = "x,y\n0,0\n9,0\n9,9\n0,9\n\n# a hole\n3,3\n6,3\n6,6\n3,6\n";
        assert_eq!(of_lines(lines), Ok(vec![square(0.0, 9.0), square(3.0, 6.0)]));
        let polygon = r#"{"type": "Polygon", "coordinates": [[[0,0],[9,0],[9,9],[0,9]],
                          [[3,3],[6,3],[6,6],[3,6]]]}"#;
        let feature = format!(r#"{{"type": "Feature", "geometry": {polygon}}}"#);
        let all = format!(r#"{{"type": "FeatureCollection", "features": [{feature}]}}"#);
        for json in [polygon, &feature, &all] {
            assert_eq!(of_json(json), Ok(vec![vec![square(0.0, 9.0), square(3.0, 6.0)]]));
        }
        let multi = r#"{"type": "MultiPolygon", "coordinates": [[[[0,0],[9,0],[9,9],[0,9]]]]}"#;
        assert_eq!(of_json(multi), Ok(vec![vec![square(0.0, 9.0)]]));
        for json in [
            "",
            "{}",
            r#"{"type": "Point", "coordinates": [1, 2]}"#,
            r#"{"type": "Polygon", "coordinates": [[[0, "a"]]]}"#,
        ] {
            assert!(of_json(json).is_err(), "{json}");
        }
        // A first corner in quotes is no heading.
        let quoted = "\"0\",\"0\"\n\"9\",\"0\"\n\"9\",\"9\"\n\"0\",\"9\"\n";
        assert_eq!(of_lines(quoted), Ok(vec![square(0.0, 9.0)]));
        assert!(of_lines("0,0\n1").is_err_and(|wrong| wrong.contains("line 2")));
    }

    /// Goal: columns of corners have names, and assumptions are noted; before, the `id` of `id;E;N`
    /// was x.
    #[test]
    fn columns_of_corners_are_named_or_refused() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("a.csv");
        let read = |text: &str, added: &str| {
            std::fs::write(&path, text).expect("writable");
            let mut notes = Vec::new();
            let typed = format!("{}{added}", path.display());
            let outline = AreaOutline::read(Path::new(&typed), &mut notes)?;
            Ok::<_, UserError>((outline.around(), notes.join("; ")))
        };
        let around = MapRectangle { west: 1000.0, south: 2000.0, east: 3000.0, north: 4000.0 };
        for (text, words) in [
            ("id;E;N\n1;1000;2000\n2;3000;2000\n3;3000;4000\n", ""),
            ("N;E\n2000;1000\n2000;3000\n4000;3000\n", ""),
            ("1000;2000;7\n3000;2000;8\n3000;4000;9\n", "of its 3 columns the first two"),
            ("a;b\n1000;2000\n3000;2000\n3000;4000\n", "below `a, b` x comes first"),
            ("Site 5\n\nx;y\n1000;2000\n3000;2000\n3000;4000\n", "above its heading"),
            ("x;y\n1000,0;2000,0\n3000,0;2000,0\n3000,0;4000,0\n", "decimal commas"),
        ] {
            let (found, notes) = read(text, "").expect(text);
            assert_eq!(found, around, "{text}");
            assert!(notes.contains(words) && notes.is_empty() == words.is_empty(), "{notes}");
        }
        let open = "x;y\n1.000;2.000\n3.000;2.000\n3.000;4.000\n";
        assert_eq!(read(open, "#decimal-comma").expect("sound").0, around);
        let small = MapRectangle { west: 1.0, south: 2.0, east: 3.0, north: 4.0 };
        assert_eq!(read(open, "#decimal-point").expect("sound").0, small);
        for (text, added, what) in [
            ("id;a;b\n1;1000;2000\n", "", "line 1: the heading `id, a, b`"),
            ("x;b\n1000;2000\n", "", "call them x and y"),
            (open, "#mdy", "#decimal-point or #decimal-comma alone"),
        ] {
            let wrong = read(text, added).expect_err(text).to_string();
            assert!(wrong.contains(what), "{wrong}");
        }
    }

    /// Goal: polygons of several features are a union; before, the parts that overlap cancelled.
    #[test]
    fn polygons_that_overlap_are_a_union() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("a.geojson");
        let ring = |a: u8, b: u8| format!("[[{a},{a}],[{b},{a}],[{b},{b}],[{a},{b}]]");
        let feature = |rings: &[String]| {
            let polygon = format!(r#"{{"type": "Polygon", "coordinates": [{}]}}"#, rings.join(","));
            format!(r#"{{"type": "Feature", "geometry": {polygon}}}"#)
        };
        let (holed, whole) = (feature(&[ring(0, 9), ring(3, 7)]), feature(&[ring(5, 12)]));
        for (features, crossings) in [
            (vec![whole.clone(), whole.clone()], vec![5.0, 12.0]),
            (vec![holed.clone()], vec![0.0, 3.0, 7.0, 9.0]),
            (vec![holed.clone(), whole.clone()], vec![0.0, 3.0, 5.0, 12.0]),
            (vec![whole, holed.clone(), holed], vec![0.0, 3.0, 5.0, 12.0]),
        ] {
            let all = features.join(",");
            let json = format!(r#"{{"type": "FeatureCollection", "features": [{all}]}}"#);
            std::fs::write(&path, &json).expect("writable");
            let outline = AreaOutline::read(&path, &mut Vec::new()).expect("an outline");
            assert_eq!(outline.crossings(6.0), crossings, "{json}");
        }
    }

    #[test]
    fn a_ring_in_a_ring_is_a_hole() {
        let ring = |a: f64, b: f64| {
            [(a, a), (b, a), (b, b), (a, b)].map(|(x, y)| MapPoint { x, y }).to_vec()
        };
        let outline = AreaOutline { polygons: vec![vec![ring(0.0, 9.0), ring(3.0, 6.0)]] };
        assert_eq!(outline.crossings(1.0), [0.0, 9.0]);
        assert_eq!(outline.crossings(4.0), [0.0, 3.0, 6.0, 9.0]);
        assert!(outline.crossings(10.0).is_empty());
        let around = MapRectangle { west: 0.0, south: 0.0, east: 9.0, north: 9.0 };
        assert_eq!(outline.around(), around);
    }
}
