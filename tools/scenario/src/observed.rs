//! Observed series: a record of the real event at a gauge or a section, beside the simulated one.
//!
//! ```text
//! mill.csv                    the heading says what was observed: `depth [m]`, `level [m]`
//! depth:mill.csv              depths of the water
//! level:mill.csv#2[cm]        elevations of the water surface above the map's datum; also stage:
//! weir.csv                    discharges, of a section
//! ```
//!
//! The table is read as a hydrograph is ([`series`](crate::series)), but a row without a value is
//! no reading. Times count from the start of the run. Dates count from the first date of the tables
//! of rain, inflows and stages; if these have none, from the first date of all observed series.
//! Readings before the start or after the end of the run are left out.
//!
//! Guarantees: a series that is kept has a reading within the run; each reading is one that water
//!             can have ([`ObservedQuantity::limits`]); a depth is never taken for an elevation,
//!             nor an elevation for a depth.
//! Limits:     gauges that count from a zero of their own need the height of that zero added.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use kit::error::UserError;
use kit::words::{brief, time};
use rasters::quoted;

use crate::quantity::{Discharge, Metres, read_as_typed};
use crate::series::{Begin, Series, SeriesShape, WrittenSeries, count_from};
use crate::text_table::Gaps;

read_as_typed!(ObservedFile);

/// Quantity that was observed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ObservedQuantity {
    /// Depth of the water, m.
    Depth,
    /// Elevation of the water surface, m above the map's datum.
    Stage,
    /// Discharge through a section, m³/s.
    Discharge,
}

impl ObservedQuantity {
    /// Returns the key of the quantity in tables and figures, with its unit.
    #[must_use]
    pub const fn key(self) -> &'static str {
        match self {
            Self::Depth => "depth_m",
            Self::Stage => "stage_m",
            Self::Discharge => "discharge_m3_s",
        }
    }

    /// Returns the unit of the values.
    #[must_use]
    pub const fn unit(self) -> &'static str {
        match self {
            Self::Depth | Self::Stage => "m",
            Self::Discharge => "m³/s",
        }
    }

    /// Returns the word for the values, as users type it and read it.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Depth => "depth",
            Self::Stage => "level",
            Self::Discharge => "discharge",
        }
    }

    /// Returns the values that water on earth can have, from the least to the largest: the deepest
    /// shore is at −430 m, the highest lake at 6400 m, and the Amazon in flood carries less than
    /// 400,000 m³/s.
    #[must_use]
    pub const fn limits(self) -> [f64; 2] {
        match self {
            Self::Depth => [0.0, 1000.0],
            Self::Stage => [-500.0, 9000.0],
            Self::Discharge => [-1.0e6, 1.0e6],
        }
    }

    /// Returns the quantity of a word before a file's name.
    fn typed(word: &str) -> Option<Self> {
        match word.to_ascii_lowercase().as_str() {
            "depth" => Some(Self::Depth),
            "level" | "stage" => Some(Self::Stage),
            "discharge" => Some(Self::Discharge),
            _ => None,
        }
    }

    /// Returns the quantity that a heading names, if it names one alone.
    fn of_heading(heading: &str) -> Option<Self> {
        let heading = heading.to_lowercase();
        let words = heading.split(|letter: char| !letter.is_alphabetic());
        let mut named = words.filter_map(Self::typed).filter(|named| *named != Self::Discharge);
        let first = named.next()?;
        named.all(|other| other == first).then_some(first)
    }
}

/// A file of observed values as it was typed, with or without a word for their quantity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObservedFile {
    /// Quantity of the values, if it was typed.
    pub measured: Option<ObservedQuantity>,
    /// The table.
    pub path: PathBuf,
}

impl FromStr for ObservedFile {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let worded = text
            .split_once(':')
            .and_then(|(word, file)| Some((ObservedQuantity::typed(word.trim())?, file.trim())));
        let (measured, path) = worded.map_or((None, text), |(word, file)| (Some(word), file));
        if path.is_empty() {
            return Err(format!(
                "`{text}` names no table of observed values: write depth:mill.csv or level:mill.csv"
            ));
        }
        Ok(Self { measured, path: PathBuf::from(path) })
    }
}

/// An observed series on the command line: `NAME=[depth:|level:]FILE`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedObserved {
    /// Name of the gauge or the section.
    pub name: String,
    /// The table.
    pub file: ObservedFile,
}

impl FromStr for NamedObserved {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, file) = text.split_once('=').ok_or_else(|| {
            format!(
                "`{text}` names no gauge: write NAME=FILE, like mill=depth:mill.csv, with the name \
                 of a gauge or a section"
            )
        })?;
        Ok(Self { name: name.trim().to_owned(), file: file.parse()? })
    }
}

/// An observed series, in SI units.
#[derive(Debug, Clone, PartialEq)]
pub struct Observed {
    /// Quantity of the values.
    pub measured: ObservedQuantity,
    /// The table.
    pub path: PathBuf,
    /// Time since the start in s, and value; times rise.
    pub points: Vec<(f64, f64)>,
}

/// Place at which a series was observed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Station {
    /// A gauge, with depths or levels.
    Gauge,
    /// A section, with discharges.
    Section,
}

/// A series with the times of its table, before they are converted to those of the run.
#[derive(Debug)]
pub(crate) struct ObservedRecord {
    /// The place in words: gauge `mill`.
    owner: String,
    measured: ObservedQuantity,
    path: PathBuf,
    series: Series,
}

impl ObservedRecord {
    /// Reads the table of a station of a name.
    ///
    /// # Errors
    ///
    /// If the table cannot be read, if its quantity is unknown, or if a value is impossible.
    pub fn read(station: Station, name: &str, file: &ObservedFile) -> Result<Self, UserError> {
        let kind = "observed series";
        let owner = match station {
            Station::Gauge => format!("gauge `{name}`"),
            Station::Section => format!("section `{name}`"),
        };
        let gaps = (SeriesShape::Lines, Gaps::LeftOut);
        let WrittenSeries { series, heading, lines } = match station {
            Station::Gauge => Series::read_written::<Metres>(&file.path, kind, gaps)?,
            Station::Section => Series::read_written::<Discharge>(&file.path, kind, gaps)?,
        };
        let measured = measured(station, file, heading.as_deref())
            .map_err(|what| UserError::new(format!("{kind} of {owner}"), what))?;
        let [least, most] = measured.limits();
        let mut readings = lines.iter().zip(&series.points);
        if let Some((line, (at, value))) =
            readings.find(|(_, (_, value))| !(least..=most).contains(value))
        {
            let (word, unit, shown) = (measured.word(), measured.unit(), file.path.display());
            let what = format!(
                "{kind} {shown} line {line}: the {word} at {} is {} {unit}, and a {word} here is \
                 from {} to {} {unit}",
                time(*at),
                brief(*value),
                brief(least),
                brief(most)
            );
            let mend = match measured {
                ObservedQuantity::Depth if *value < 0.0 => {
                    "leave out the lines of readings without a value, or write level: before the \
                     file's name if the values are elevations of the water"
                }
                _ => "correct it, or leave out the lines of readings without a value",
            };
            return Err(UserError::new(what, mend));
        }
        Ok(Self { owner, measured, path: file.path.clone(), series })
    }

    /// Returns the date from which the times of the table count.
    pub fn begin(&self) -> Option<Begin> {
        self.series.begin.clone()
    }

    /// Returns the readings within a run that lasts `duration_s`, the dates of which count from
    /// `start`.
    ///
    /// # Errors
    ///
    /// If the run contains no reading.
    pub fn within(
        mut self,
        (start, duration_s): (Option<&Begin>, f64),
        notes: &mut Vec<String>,
    ) -> Result<Observed, UserError> {
        notes.append(&mut self.series.notes);
        if let Some(start) = start {
            count_from(&mut self.series, start, notes);
        }
        let all = self.series.points;
        let ends = [all.first(), all.last()].map(|end| end.map_or(0.0, |(at, _)| *at));
        let is_within = |(at, _): &(f64, f64)| (0.0..=duration_s).contains(at);
        let points: Vec<(f64, f64)> = all.into_iter().filter(is_within).collect();
        if points.is_empty() {
            let (owner, file) = (&self.owner, self.path.display());
            let [first, last] = ends.map(signed_time);
            return Err(UserError::new(
                format!(
                    "the observed series of {owner}, {file}, has no reading within the run: it \
                     goes from {first} to {last}, the run from 0 to {}",
                    time(duration_s)
                ),
                "let its times count from the start of the event, or simulate longer with --for",
            ));
        }
        Ok(Observed { measured: self.measured, path: self.path, points })
    }
}

/// Returns a time in words, which may be before the start.
fn signed_time(at_s: f64) -> String {
    let sign = if at_s < 0.0 { "−" } else { "" };
    format!("{sign}{}", time(at_s.abs()))
}

/// Returns the quantity of a table: as typed, else by the heading of its values.
fn measured(
    station: Station,
    file: &ObservedFile,
    heading: Option<&str>,
) -> Result<ObservedQuantity, String> {
    let named = heading.and_then(ObservedQuantity::of_heading);
    let (typed, shown) = (file.measured, file.path.display());
    match (station, typed, named) {
        (Station::Section, None | Some(ObservedQuantity::Discharge), _) => {
            Ok(ObservedQuantity::Discharge)
        }
        (Station::Section, Some(_), _) => Err(format!(
            "a section has discharges: leave the word before {shown} out, or name a gauge"
        )),
        (Station::Gauge, Some(ObservedQuantity::Discharge), _) => Err(format!(
            "a gauge has depths or levels: write depth:{shown} or level:{shown}, or name a section"
        )),
        (Station::Gauge, Some(typed), Some(named)) if typed != named => Err(format!(
            "`{}:` contradicts the heading of the column, `{}`: leave one of them out, or choose \
             the column behind #, like {}",
            typed.word(),
            heading.unwrap_or_default(),
            advised(&file.path, typed)
        )),
        (Station::Gauge, Some(typed), _) | (Station::Gauge, None, Some(typed)) => Ok(typed),
        (Station::Gauge, None, None) => Err(format!(
            "{shown} does not say whether its values are depths or levels above the map's datum: \
             call its second column `depth [m]` or `level [m]`, or write depth:{shown} or \
             level:{shown}"
        )),
    }
}

/// Returns the name of a table with the column that is called as a quantity.
fn advised(path: &Path, measured: ObservedQuantity) -> String {
    let path = path.to_string_lossy();
    let file = path.split('#').next().unwrap_or_default();
    quoted(format!("{}:{file}#{}", measured.word(), measured.word()).as_ref())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_may_have_a_word_before_its_name() {
        let file = |text: &str| text.parse::<ObservedFile>();
        for (text, measured, path) in [
            ("mill.csv", None, "mill.csv"),
            ("depth:mill.csv", Some(ObservedQuantity::Depth), "mill.csv"),
            ("level: a/mill.csv#2[cm]", Some(ObservedQuantity::Stage), "a/mill.csv#2[cm]"),
            ("Stage:mill.csv", Some(ObservedQuantity::Stage), "mill.csv"),
            ("c:mill.csv", None, "c:mill.csv"),
        ] {
            let expected = ObservedFile { measured, path: path.into() };
            assert_eq!(file(text), Ok(expected), "{text}");
        }
        for text in ["", "depth:", " level: "] {
            assert!(file(text).is_err_and(|what| what.contains("depth:mill.csv")), "{text}");
        }
        let named: NamedObserved = "old mill = depth:m.csv".parse().expect("a name and a file");
        assert_eq!(
            (&*named.name, named.file.measured),
            ("old mill", Some(ObservedQuantity::Depth))
        );
        assert!("mill.csv".parse::<NamedObserved>().is_err_and(|what| what.contains("NAME=FILE")));
    }

    /// Goal: nothing is guessed. Method: headings and words of all kinds, with the results.
    #[test]
    fn a_table_says_what_it_has() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let read = |station, word: &str, text: &str| {
            let path = folder.path().join("mill.csv");
            std::fs::write(&path, text).expect("writable");
            let file = format!("{word}{}", path.display()).parse().expect("a file");
            ObservedRecord::read(station, "mill", &file).map_err(|error| error.to_string())
        };
        for (station, word, text, expected) in [
            (Station::Gauge, "", "time [h],depth [cm]\n0,20\n1,50\n", ObservedQuantity::Depth),
            (Station::Gauge, "", "time_h,water_depth_m\n0,0.2\n1,0.5\n", ObservedQuantity::Depth),
            (Station::Gauge, "", "time [h],Water level [m]\n0,3\n1,4\n", ObservedQuantity::Stage),
            (Station::Gauge, "", "time [h],stage [m]\n0,-3\n1,-2\n", ObservedQuantity::Stage),
            (Station::Gauge, "level:", "0,3m\n1h,4m\n", ObservedQuantity::Stage),
            (Station::Gauge, "depth:", "time [h],Wasserstand [cm]\n0,3\n", ObservedQuantity::Depth),
            (Station::Section, "", "0,3m3/s\n1h,4m3/s\n", ObservedQuantity::Discharge),
            (
                Station::Section,
                "discharge:",
                "time [h],Q [l/s]\n0,3\n",
                ObservedQuantity::Discharge,
            ),
        ] {
            let record = read(station, word, text).expect(text);
            assert_eq!(record.measured, expected, "{text}");
        }
        for (station, word, text, words) in [
            (Station::Gauge, "", "0,3m\n1h,4m\n", "call its second column `depth [m]` or `level"),
            (Station::Gauge, "", "time [h],W [m]\n0,3\n", "or write depth:"),
            (Station::Gauge, "", "time [h],depth of level [m]\n0,3\n", "or write depth:"),
            (Station::Gauge, "", "time [h],depth\n0,3\n", "the values have no unit"),
            (Station::Gauge, "depth:", "time [h],level [m]\n0,3\n", "`depth:` contradicts"),
            (Station::Gauge, "discharge:", "0,3m\n", "a gauge has depths or levels"),
            (Station::Gauge, "", "time [h],depth [m]\n0,3\n1,-0.5\n", "the depth at 1 h is -0.5 m"),
            (Station::Gauge, "", "time [h],depth [m]\n0,3\n2,3\n1,3\n", "line 4"),
            (Station::Gauge, "", "time [h],depth [m]\n0,1e999\n", "line 2"),
            (
                Station::Gauge,
                "",
                "time [h],depth [m]\n0,1\n1,\n2,1200\n",
                "line 4: the depth at 2 h",
            ),
            (Station::Gauge, "", "time [h],level [m]\n0,1e200\n1,2\n", "line 2: the level at 0 s"),
            (Station::Gauge, "", "time [h],level [m]\n0,-3\n1,-1e200\n", "is -1.000e200 m, and a"),
            (Station::Gauge, "", "time [h],level [m]\n0,5\n1,-9999m\n", "from -500 to 9000 m: "),
            (Station::Gauge, "", "time [h],level [m]\n0,5\n1,9001\n", "leave out the lines of"),
            (Station::Section, "", "0,3m3/s\n1h,2e6m3/s\n", "from -1000000 to 1000000 m³/s"),
            (Station::Gauge, "", "time [h],depth [m3/s]\n0,3\n", "that of a discharge"),
            (Station::Section, "depth:", "0,3m3/s\n", "a section has discharges"),
            (Station::Section, "", "0,3m\n", "m3/s"),
        ] {
            let refused = read(station, word, text).expect_err(text);
            assert!(refused.contains(words), "{text}: {refused}");
        }
        let file = folder.path().join("none.csv").display().to_string().parse().expect("a file");
        let refused = ObservedRecord::read(Station::Gauge, "mill", &file).expect_err("no file");
        assert!(refused.to_string().contains("cannot read the observed series"), "{refused}");
    }

    /// Goal: each way in which records of gauges leave out a value is no reading, and noted once.
    #[test]
    fn missing_values_are_no_readings() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("mill.csv");
        for gap in ["", "nan", "NaN", "NA", "N/A", "-", "null", "-9999", "-999", "9999", "-99.9"] {
            let text = format!("time [h],level [m]\n0,7.5\n1,{gap}\n2,8\n3,{gap}\n4,7.2\n");
            std::fs::write(&path, text).expect("writable");
            let file = path.display().to_string().parse().expect("a file");
            let record = ObservedRecord::read(Station::Gauge, "mill", &file).expect(gap);
            let mut notes = Vec::new();
            let observed = record.within((None, 14_400.0), &mut notes).expect("readings");
            assert_eq!(observed.points, [(0.0, 7.5), (7200.0, 8.0), (14_400.0, 7.2)], "{gap}");
            assert_eq!(notes.len(), 1, "{gap}: {notes:?}");
            assert!(
                notes[0].contains("2 gaps, the first") && notes[0].contains("line 3"),
                "{notes:?}"
            );
        }
    }

    #[test]
    fn a_gap_is_no_reading_and_others_lie_within_the_run() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("mill.csv");
        std::fs::write(&path, "time [h],depth [m]\n0,1\n1,\n2,3\n9,5\n").expect("writable");
        let file = path.display().to_string().parse().expect("a file");
        let record = || ObservedRecord::read(Station::Gauge, "mill", &file).expect("sound");
        let mut notes = Vec::new();
        let observed = record().within((None, 7200.0), &mut notes).expect("an overlap");
        assert_eq!(observed.points, [(0.0, 1.0), (7200.0, 3.0)]);
        let note = notes.join("; ");
        assert!(note.contains("a gap: it is no reading"), "{note}");
        std::fs::write(&path, "time [h],depth [m]\n3,1\n4,1\n").expect("writable");
        let refused = record().within((None, 7200.0), &mut notes).expect_err("no overlap");
        let refused = refused.to_string();
        for words in ["gauge `mill`", "from 3 h to 4 h", "from 0 to 2 h", "--for"] {
            assert!(refused.contains(words), "{refused}");
        }
    }
}
