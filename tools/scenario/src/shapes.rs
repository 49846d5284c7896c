//! Shapes of a map to look at: points, lines and outlines of a GeoJSON file, with their names.
//!
//! Guarantees: coordinates are finite; a line has two points, an outline three.
//! Limits:     coordinates are those of the map, or a file that names its system names the map's.

use rasters::Crs;
use serde_json::Value;

/// Properties that may contain a name, in the order of the search.
const NAMES: [&str; 3] = ["name", "Name", "NAME"];

/// End of the names that GeoJSON files have for degrees of WGS 84, longitude first.
const DEGREES: &str = "CRS84";

/// Kind of a shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShapeKind {
    /// A place.
    Point,
    /// A line.
    Line,
    /// The rings of areas.
    Outline,
}

/// A shape in the map's coordinates.
#[derive(Debug, Clone, PartialEq)]
pub struct MapShape {
    /// Name, if it has one.
    pub name: Option<String>,
    /// Kind.
    pub kind: ShapeKind,
    /// A place, or the points of a line or a ring.
    pub path: Vec<[f64; 2]>,
}

/// Shapes of a file, and the system that it names.
#[derive(Debug, PartialEq)]
pub(crate) struct Shapes {
    pub all: Vec<MapShape>,
    /// System that the file names, if it names one.
    pub system: Option<NamedSystem>,
}

/// Reference system that a file of shapes names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NamedSystem {
    /// Longitudes and latitudes, of WGS 84 by name: programs write them for those of any geographic
    /// system.
    Degrees,
    /// EPSG's code of a system.
    Code(u16),
}

impl NamedSystem {
    /// Returns the system, if it certainly differs from that of a map.
    pub fn other_than(self, of_map: &Crs) -> Option<Crs> {
        let own = match self {
            Self::Degrees if of_map.is_geographic() => return None,
            Self::Degrees => Crs::geographic(4326),
            Self::Code(code) => Crs::coded(code),
        };
        own.is_other_than(of_map).then_some(own)
    }
}

impl Shapes {
    /// Reads the text of a GeoJSON file.
    pub fn parse(text: &str) -> Result<Self, String> {
        let json: Value = serde_json::from_str(text)
            .map_err(|error| format!("is no GeoJSON ({error}): write it again"))?;
        let mut all = Vec::new();
        collect(&json, None, &mut all)?;
        if all.is_empty() {
            return Err("has no points, lines or polygons: draw some, or leave it out".to_owned());
        }
        Ok(Self { all, system: system(&json)? })
    }
}

/// Returns the system that a file names, as files from before 2016 do: `EPSG:25832`,
/// `urn:ogc:def:crs:EPSG::25832` or `http://www.opengis.net/def/crs/EPSG/0/25832`.
fn system(json: &Value) -> Result<Option<NamedSystem>, String> {
    let Some(name) = json["crs"]["properties"]["name"].as_str() else { return Ok(None) };
    let plain = name.trim().to_ascii_uppercase();
    if plain.ends_with(DEGREES) {
        return Ok(Some(NamedSystem::Degrees));
    }
    let last = plain.rsplit([':', '/']).next().filter(|_| plain.contains("EPSG"));
    let code = last.and_then(|code| code.parse().ok()).map(NamedSystem::Code);
    code.map(Some).ok_or_else(|| {
        format!(
            "names the reference system `{name}`, which has no code of EPSG: reproject it to that \
             of the map with ogr2ogr -t_srs EPSG:CODE out.geojson in.geojson"
        )
    })
}

/// Returns the name of a feature, which may be a number.
fn name_of(feature: &Value) -> Option<String> {
    let text = |key: &&str| match &feature["properties"][*key] {
        Value::String(name) => Some(name.clone()),
        Value::Number(name) => Some(name.to_string()),
        _ => None,
    };
    NAMES.iter().find_map(text).filter(|name| !name.trim().is_empty())
}

/// Adds all shapes in a GeoJSON object; `name` is that of the feature around it.
fn collect(json: &Value, name: Option<&str>, all: &mut Vec<MapShape>) -> Result<(), String> {
    let coordinates = &json["coordinates"];
    let list = |key: &str| json[key].as_array().into_iter().flatten();
    let mut add = |kind: ShapeKind, path: Result<Vec<[f64; 2]>, String>| {
        let least = match kind {
            ShapeKind::Point => 1,
            ShapeKind::Line => 2,
            ShapeKind::Outline => 3,
        };
        let path = path?;
        let shape = MapShape { name: name.map(str::to_owned), kind, path };
        all.extend((shape.path.len() >= least).then_some(shape));
        Ok(())
    };
    match json["type"].as_str() {
        Some("FeatureCollection") => {
            list("features").try_for_each(|feature| collect(feature, None, all))
        }
        Some("Feature") => collect(&json["geometry"], name_of(json).as_deref(), all),
        Some("GeometryCollection") => {
            list("geometries").try_for_each(|part| collect(part, name, all))
        }
        Some("Point") => add(ShapeKind::Point, place(coordinates).map(|at| vec![at])),
        Some("MultiPoint") => parts(coordinates)
            .try_for_each(|at| add(ShapeKind::Point, place(at).map(|at| vec![at]))),
        Some("LineString") => add(ShapeKind::Line, path(coordinates)),
        Some("MultiLineString") => {
            parts(coordinates).try_for_each(|line| add(ShapeKind::Line, path(line)))
        }
        Some("Polygon") => {
            parts(coordinates).try_for_each(|ring| add(ShapeKind::Outline, path(ring)))
        }
        Some("MultiPolygon") => parts(coordinates)
            .flat_map(parts)
            .try_for_each(|ring| add(ShapeKind::Outline, path(ring))),
        _ => Ok(()),
    }
}

fn parts(json: &Value) -> impl Iterator<Item = &Value> {
    json.as_array().into_iter().flatten()
}

fn path(json: &Value) -> Result<Vec<[f64; 2]>, String> {
    parts(json).map(place).collect()
}

fn place(json: &Value) -> Result<[f64; 2], String> {
    let number = |index: usize| json.get(index).and_then(Value::as_f64).filter(|v| v.is_finite());
    let place = number(0).zip(number(1)).map(|(x, y)| [x, y]);
    place.ok_or_else(|| {
        let shown: String = json.to_string().chars().take(40).collect();
        format!("the place {shown} is no pair of numbers: write it again")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_of_all_kinds_are_read_with_their_names() {
        let feature = |name: &str, geometry: &str| {
            format!(
                r#"{{"type": "Feature", "properties": {{"name": {name}}}, "geometry": {geometry}}}"#
            )
        };
        let features = [
            feature("\"Mill\"", r#"{"type": "Point", "coordinates": [1, 2, 300]}"#),
            feature(
                "null",
                r#"{"type": "MultiLineString", "coordinates": [[[0,0],[1,1]], [[5,5]]]}"#,
            ),
            feature("12", r#"{"type": "Point", "coordinates": [1, 2]}"#),
            feature("\" \"", r#"{"type": "MultiPolygon", "coordinates": [[[[0,0],[9,0],[9,9]]]]}"#),
        ];
        let crs =
            r#""crs": {"type": "name", "properties": {"name": "urn:ogc:def:crs:EPSG::32611"}}"#;
        let all = features.join(",");
        let text = format!(r#"{{"type": "FeatureCollection", {crs}, "features": [{all}]}}"#);
        let shapes = Shapes::parse(&text).expect("shapes");
        assert_eq!(shapes.system, Some(NamedSystem::Code(32_611)));
        let found: Vec<_> =
            shapes.all.iter().map(|s| (s.name.as_deref(), s.kind, s.path.len())).collect();
        let expected = [
            (Some("Mill"), ShapeKind::Point, 1),
            (None, ShapeKind::Line, 2),
            (Some("12"), ShapeKind::Point, 1),
            (None, ShapeKind::Outline, 3),
        ];
        assert_eq!(found, expected);
    }

    /// Goal: names of systems are read in all their forms, and no file in degrees is refused on a
    /// map in degrees for the name that its program writes.
    #[test]
    fn a_system_is_compared_with_that_of_the_map() {
        let utm = Crs::projected(25_832);
        let [wgs, etrs, gda] = [4326, 4258, 7844].map(Crs::geographic);
        for (name, of_map, is_other) in [
            ("http://www.opengis.net/def/crs/EPSG/0/25832", &utm, false),
            ("http://www.opengis.net/def/crs/EPSG/0/25833", &utm, true),
            ("urn:ogc:def:crs:EPSG::25832", &utm, false),
            ("epsg:25832", &utm, false),
            ("EPSG:4258", &etrs, false),
            ("EPSG:7844", &gda, false),
            ("EPSG:7844", &utm, true),
            ("EPSG:4267", &wgs, true),
            ("urn:ogc:def:crs:OGC:1.3:CRS84", &wgs, false),
            ("urn:ogc:def:crs:OGC:1.3:CRS84", &etrs, false),
            ("http://www.opengis.net/def/crs/OGC/1.3/CRS84", &gda, false),
            ("urn:ogc:def:crs:OGC:1.3:CRS84", &utm, true),
        ] {
            let json = serde_json::json!({"type": "Point", "coordinates": [1, 2],
                "crs": {"type": "name", "properties": {"name": name}}});
            let shapes = Shapes::parse(&json.to_string()).expect(name);
            let other = shapes.system.expect(name).other_than(of_map);
            assert_eq!(other.is_some(), is_other, "{name} on {of_map}");
        }
        assert!(Crs::coded(4171).is_geographic() && !Crs::coded(25_832).is_geographic());
    }

    #[test]
    fn what_is_no_shape_is_refused() {
        for (text, words) in [
            ("", "is no GeoJSON"),
            ("{}", "has no points, lines or polygons"),
            (r#"{"type": "LineString", "coordinates": [[0, 0]]}"#, "has no points"),
            (r#"{"type": "Point", "coordinates": ["a", 2]}"#, "the place [\"a\",2] is no pair"),
            (
                r#"{"type": "Point", "coordinates": [1, 2],
                    "crs": {"properties": {"name": "local grid"}}}"#,
                "`local grid`, which has no code",
            ),
        ] {
            let refused = Shapes::parse(text).expect_err(text);
            assert!(refused.contains(words), "{text}: {refused}");
        }
    }
}
