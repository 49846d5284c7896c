//! Shapes of a map to look at: points, lines and outlines of a GeoJSON file, with their names.
//!
//! Guarantees: coordinates are finite; a line has two points, an outline three.
//! Limits:     coordinates are those of the map, or a file that names its system names the map's.

use serde_json::Value;

/// Most names of a property, in the order in which one is looked for.
const NAMES: [&str; 3] = ["name", "Name", "NAME"];

/// Systems of names that GeoJSON files have for degrees of WGS 84.
const DEGREES: [&str; 2] = ["CRS84", "OGC:CRS84"];

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
pub struct Shape {
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
    pub all: Vec<Shape>,
    /// EPSG's code of the system that the file names.
    pub epsg: Option<u16>,
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
        Ok(Self { all, epsg: epsg(&json)? })
    }
}

/// EPSG's code of the system that a file names, as files from before 2016 do.
fn epsg(json: &Value) -> Result<Option<u16>, String> {
    let Some(name) = json["crs"]["properties"]["name"].as_str() else { return Ok(None) };
    if DEGREES.iter().any(|degrees| name.ends_with(degrees)) {
        return Ok(Some(4326));
    }
    let code = name.contains("EPSG").then(|| name.rsplit(':').next()?.parse().ok()).flatten();
    code.map(Some).ok_or_else(|| {
        format!(
            "names the reference system `{name}`, which has no code of EPSG: reproject it to that \
             of the map with ogr2ogr -t_srs EPSG:CODE out.geojson in.geojson"
        )
    })
}

/// Adds all shapes in a GeoJSON object; `name` is that of the feature around it.
fn collect(json: &Value, name: Option<&str>, all: &mut Vec<Shape>) -> Result<(), String> {
    let coordinates = &json["coordinates"];
    let list = |key: &str| json[key].as_array().into_iter().flatten();
    let mut add = |kind: ShapeKind, path: Result<Vec<[f64; 2]>, String>| {
        let least = match kind {
            ShapeKind::Point => 1,
            ShapeKind::Line => 2,
            ShapeKind::Outline => 3,
        };
        let path = path?;
        let shape = Shape { name: name.map(str::to_owned), kind, path };
        all.extend((shape.path.len() >= least).then_some(shape));
        Ok(())
    };
    match json["type"].as_str() {
        Some("FeatureCollection") => {
            list("features").try_for_each(|feature| collect(feature, None, all))
        }
        Some("Feature") => {
            let own = NAMES.iter().find_map(|key| json["properties"][*key].as_str());
            collect(&json["geometry"], own.filter(|own| !own.trim().is_empty()), all)
        }
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
            feature("\" \"", r#"{"type": "MultiPolygon", "coordinates": [[[[0,0],[9,0],[9,9]]]]}"#),
        ];
        let crs =
            r#""crs": {"type": "name", "properties": {"name": "urn:ogc:def:crs:EPSG::32611"}}"#;
        let all = features.join(",");
        let text = format!(r#"{{"type": "FeatureCollection", {crs}, "features": [{all}]}}"#);
        let shapes = Shapes::parse(&text).expect("shapes");
        assert_eq!(shapes.epsg, Some(32_611));
        let found: Vec<_> =
            shapes.all.iter().map(|s| (s.name.as_deref(), s.kind, s.path.len())).collect();
        let expected = [
            (Some("Mill"), ShapeKind::Point, 1),
            (None, ShapeKind::Line, 2),
            (None, ShapeKind::Outline, 3),
        ];
        assert_eq!(found, expected);
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
