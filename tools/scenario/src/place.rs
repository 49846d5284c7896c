//! Places of a scenario: points, sides of the map, and the conditions there.
//!
//! Each type parses the text that a user types, so a word means the same on the command line and in
//! a scenario file. Nothing here reads files or the map.

use std::fmt;
use std::str::FromStr;

use crate::quantity::{Discharge, Metres, ValueOrFile, read_as_typed};
use crate::spelling::meant;

read_as_typed!(MapSide, Condition);

/// Part of the world's boundary: a side of the map, or the border of NoData inside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MapSide {
    /// The first column.
    West,
    /// The last column.
    East,
    /// The last row.
    South,
    /// The first row.
    North,
    /// Faces between valid cells and NoData that reaches the frame of the map.
    NoData,
    /// Faces between valid cells and NoData that the ground encloses.
    Holes,
}

impl MapSide {
    /// Every part, in the order in which they are printed.
    pub const ALL: [Self; 6] =
        [Self::West, Self::East, Self::South, Self::North, Self::NoData, Self::Holes];

    /// True for a side of the map, false for a border of NoData inside it.
    #[must_use]
    pub fn is_of_frame(self) -> bool {
        !matches!(self, Self::NoData | Self::Holes)
    }
}

impl FromStr for MapSide {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let side = Self::ALL.into_iter().find(|side| side.to_string() == text);
        side.ok_or_else(|| {
            let names = Self::ALL.map(|side| side.to_string());
            let meant = meant(text, names.iter().map(String::as_str));
            format!("`{text}` is no side{meant}: write west, east, south, north, nodata or holes")
        })
    }
}

impl fmt::Display for MapSide {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::West => "west",
            Self::East => "east",
            Self::South => "south",
            Self::North => "north",
            Self::NoData => "nodata",
            Self::Holes => "holes",
        })
    }
}

/// Condition at an edge.
#[derive(Debug, Clone, PartialEq)]
pub enum Condition {
    /// Water and waves leave freely.
    Open,
    /// Nothing crosses.
    Wall,
    /// The stage outside is given, constant or by a table; water flows both ways.
    Stage(ValueOrFile<Metres>),
}

impl FromStr for Condition {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once(':') {
            None if text == "open" => Ok(Self::Open),
            None if text == "wall" => Ok(Self::Wall),
            Some(("stage", stage)) => stage.parse().map(Self::Stage),
            other => {
                let word = other.map_or(text, |(word, _)| word);
                let meant = meant(word, ["open", "wall", "stage:12.5"]);
                Err(format!(
                    "`{text}` is no edge condition{meant}: write open, wall, stage:12.5 or \
                     stage:tide.csv"
                ))
            }
        }
    }
}

/// A condition for one side: `north=open`.
#[derive(Debug, Clone, PartialEq)]
pub struct SideCondition {
    /// The side.
    pub side: MapSide,
    /// Condition at that side.
    pub condition: Condition,
}

impl FromStr for SideCondition {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (side, condition) = text
            .split_once('=')
            .ok_or_else(|| format!("`{text}` names no side: write it like north=open"))?;
        Ok(Self { side: side.parse()?, condition: condition.parse()? })
    }
}

/// A place in the map's coordinates.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MapPoint {
    /// East coordinate.
    pub x: f64,
    /// North coordinate.
    pub y: f64,
}

impl FromStr for MapPoint {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("`{text}` is no place: write X,Y in the map's coordinates");
        let (x, y) = text.split_once(',').ok_or_else(wrong)?;
        let number = |part: &str| part.trim().parse().ok().filter(|v: &f64| v.is_finite());
        Ok(Self { x: number(x).ok_or_else(wrong)?, y: number(y).ok_or_else(wrong)? })
    }
}

impl fmt::Display for MapPoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{}", self.x, self.y)
    }
}

/// A gauge on the command line: `NAME=X,Y`.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedPoint {
    /// Name of the series.
    pub name: String,
    /// Place of the gauge.
    pub at: MapPoint,
}

impl FromStr for NamedPoint {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, at) = text.split_once('=').ok_or_else(|| {
            format!("`{text}` has no name: write NAME=X,Y, like bridge=512300,181200")
        })?;
        Ok(Self { name: name.trim().to_owned(), at: at.parse()? })
    }
}

/// A section on the command line: `NAME=X,Y,X,Y`, with two or more points.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedLine {
    /// Name of the section.
    pub name: String,
    /// Points of the line.
    pub line: Vec<MapPoint>,
}

impl FromStr for NamedLine {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = |what: String| {
            format!(
                "{what}: write NAME=X,Y,X,Y with two or more points, like \
                 weir=512300,181200,512340,181260"
            )
        };
        let (name, points) =
            text.split_once('=').ok_or_else(|| wrong("a section has no name".to_owned()))?;
        if name.trim().is_empty() {
            return Err(wrong("a section has no name".to_owned()));
        }
        let numbers: Vec<&str> = points.split(',').map(str::trim).collect();
        let is_number = |text: &&str| text.parse::<f64>().is_ok_and(f64::is_finite);
        if let Some(other) = numbers.iter().find(|text| !is_number(text)) {
            return Err(wrong(format!("`{other}` is not a coordinate")));
        }
        let (pairs, rest) = numbers.as_chunks::<2>();
        if let [rest] = rest {
            return Err(wrong(format!("{rest}, the last coordinate, has no y")));
        }
        if pairs.len() < 2 {
            return Err(wrong("a section needs two points".to_owned()));
        }
        let point = |[x, y]: &[&str; 2]| format!("{x},{y}").parse();
        let line = pairs.iter().map(point).collect::<Result<Vec<MapPoint>, String>>()?;
        Ok(Self { name: name.trim().to_owned(), line })
    }
}

/// An inflow on the command line: `[NAME:]X,Y=DISCHARGE`.
#[derive(Debug, Clone, PartialEq)]
pub struct PointInflow {
    /// Name in the ledger.
    pub name: Option<String>,
    /// Place where the water enters.
    pub at: MapPoint,
    /// Discharge: a value or a hydrograph.
    pub discharge: ValueOrFile<Discharge>,
}

impl FromStr for PointInflow {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (place, discharge) = text.split_once('=').ok_or_else(|| {
            format!("`{text}` has no discharge: write X,Y=12m3/s or X,Y=hydrograph.csv")
        })?;
        let (name, at) = match place.split_once(':') {
            Some((name, at)) => (Some(name.trim().to_owned()), at),
            None => (None, place),
        };
        Ok(Self { name, at: at.parse()?, discharge: discharge.parse()? })
    }
}

/// Place where an inflow enters.
#[derive(Debug, Clone, PartialEq)]
pub enum EntryPlace {
    /// The cell that contains a point.
    At(MapPoint),
    /// All cells with a centre in a polygon.
    Polygon(Vec<MapPoint>),
    /// Along a side of the map, between two coordinates along that side.
    Edge {
        /// The side.
        side: MapSide,
        /// Lower and upper coordinate along the side, in the map's coordinates.
        range: Option<(f64, f64)>,
        /// Depth of the river there.
        entry: RiverEntry,
    },
}

/// Depth of a river where it enters along a side.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum RiverEntry {
    /// At normal depth on the slope of the ground.
    Normal,
    /// At normal depth on this slope.
    Slope(f64),
    /// At this depth over the lowest bed along the side, m.
    Depth(f64),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_has_a_name_and_two_points() {
        let section: NamedLine = "weir=1,2,3,4.5".parse().expect("a section");
        let ends = [MapPoint { x: 1.0, y: 2.0 }, MapPoint { x: 3.0, y: 4.5 }];
        assert_eq!((&*section.name, &section.line[..]), ("weir", &ends[..]));
        for (wrong, what) in [
            ("weir", "a section has no name"),
            ("1,2,3,4", "a section has no name"),
            ("=1,2,3,4", "a section has no name"),
            ("weir=1,2", "a section needs two points"),
            ("weir=1,2,3", "3, the last coordinate, has no y"),
            ("weir=1,2,3,north", "`north` is not a coordinate"),
            ("weir=1,2,3,", "`` is not a coordinate"),
        ] {
            let error = wrong.parse::<NamedLine>().expect_err(wrong);
            assert!(error.starts_with(what) && error.contains(": write NAME=X,Y,X,Y"), "{error}");
        }
    }

    #[test]
    fn places_read_as_typed() {
        let point = MapPoint { x: -10.5, y: 2e3 };
        assert_eq!("-10.5, 2e3".parse(), Ok(point));
        let inflow: PointInflow = "mill:1,2=q.csv".parse().expect("an inflow");
        assert_eq!(inflow.name.as_deref(), Some("mill"));
        assert_eq!(inflow.discharge, ValueOrFile::File("q.csv".into()));
        let inflow: PointInflow = "1,2=12m3/s".parse().expect("an inflow");
        assert_eq!(inflow.discharge, ValueOrFile::Value(Discharge(12.0)));
        let gauge: NamedPoint = "town bridge=1,2".parse().expect("a gauge");
        assert_eq!(gauge.name, "town bridge");
        let edge: SideCondition = "nodata=stage:-1.5".parse().expect("an edge");
        assert_eq!(edge.side, MapSide::NoData);
        assert_eq!(edge.condition, Condition::Stage(ValueOrFile::Value(Metres(-1.5))));
    }

    #[test]
    fn what_is_no_place_is_refused() {
        for text in ["", "1", "1,2,3", "1,nan", "inf,2", "a,b"] {
            assert!(text.parse::<MapPoint>().is_err(), "{text}");
        }
        for text in ["1,2", "1,2=12", "1=12m3/s", "a:1,2=", "1,2=12m3/s=3"] {
            assert!(text.parse::<PointInflow>().is_err(), "{text}");
        }
        for text in ["", "ope", "stage", "stage:", "stage:12 furlong", "wall:1"] {
            assert!(text.parse::<Condition>().is_err(), "{text}");
        }
        for text in ["open", "top=open", "north", "north="] {
            assert!(text.parse::<SideCondition>().is_err(), "{text}");
        }
    }
}
