//! A scenario as written down: the keys of a `scenario.toml`, before anything is checked.
//!
//! Every key may be missing. The command line is laid over the same structure, so a key of the
//! file and a flag that mean the same are checked in the same place ([`super::plan`]).
//!
//! Guarantees: an unknown key, a wrong type or a text that does not read is an error that names
//!             the file and the line. Relative paths count from the file's folder.
//! Limits:     no defaults and no cross-checks here; `src/guide/scenario.md` describes each key.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::barrier::Barrier;
use super::classes::DepthClasses;
use super::flow::{Latitude, Solver, Viscosity, Wind};
use super::link::{Culvert, Drain, Pump};
use super::place::{Condition, Side};
use super::terms::{CellSize, DegreeLength, GreenAmpt, HeightRange, MapSize, Quality};
use crate::quantity::{Discharge, Given, Manning, Metres, Rate, Seconds};
use crate::refusal::Refusal;

/// Everything a scenario can say.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Scenario {
    /// Heading of the maps and the report.
    pub title: Option<String>,
    /// The heightmap.
    pub map: Map,
    /// How long and how finely to simulate.
    pub run: Run,
    /// Equations.
    pub flow: Flow,
    /// Rains; they add up.
    pub rain: Vec<Rain>,
    /// Inflows.
    pub inflow: Vec<Inflow>,
    /// Water at the start.
    pub initial: Initial,
    /// Conditions of whole sides.
    pub edges: Edges,
    /// Conditions of parts of a side; later ones win.
    pub edge: Vec<Stretch>,
    /// Levees, weirs, gates and bridge decks; where two share a face the later one stands.
    pub barrier: Vec<Barrier>,
    /// Culverts and pipes.
    pub culvert: Vec<Culvert>,
    /// Pumps.
    pub pump: Vec<Pump>,
    /// Drains.
    pub drain: Vec<Drain>,
    /// Roughness and losses.
    pub ground: Ground,
    /// Places whose series are recorded.
    pub gauge: Vec<Gauge>,
    /// What is written, and where.
    pub output: Output,
}

/// `[map]`: the heightmap and what its file does not say itself.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[expect(missing_docs, reason = "named like the keys; the guide describes each")]
pub struct Map {
    pub file: Option<PathBuf>,
    pub format: Option<String>,
    pub cell: Option<CellSize>,
    pub size: Option<MapSize>,
    pub height_range: Option<HeightRange>,
    pub encoding: Option<rasters::Encoding>,
    pub nodata: Option<f64>,
    pub metres_per_degree: Option<DegreeLength>,
}

/// `[run]`: duration, resolution and numbers.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[expect(missing_docs, reason = "named like the keys; the guide describes each")]
pub struct Run {
    #[serde(rename = "for")]
    pub duration: Option<Seconds>,
    pub quality: Option<Quality>,
    pub cell_size: Option<Metres>,
    pub adaptive: Option<bool>,
    pub threads: Option<i64>,
    pub seed: Option<u64>,
    pub datum: Option<Metres>,
    pub exponent: Option<i64>,
    pub bed_exponent: Option<i64>,
    pub headroom: Option<Metres>,
}

/// `[flow]`: which equations move the water.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[expect(missing_docs, reason = "named like the keys; the guide describes each")]
pub struct Flow {
    pub solver: Option<Solver>,
    pub order: Option<i64>,
    pub viscosity: Option<Viscosity>,
    pub wind: Option<Wind>,
    pub latitude: Option<Latitude>,
}

/// `[[rain]]`: one rain.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "named like the keys; the guide describes each")]
pub struct Rain {
    pub name: Option<String>,
    pub rate: Given<Rate>,
    pub from: Option<Seconds>,
    #[serde(rename = "for")]
    pub duration: Option<Seconds>,
    pub weights: Option<PathBuf>,
}

/// `[[inflow]]`: one inflow, at exactly one of four kinds of place.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "named like the keys; the guide describes each")]
pub struct Inflow {
    pub name: Option<String>,
    pub discharge: Given<Discharge>,
    pub at: Option<[f64; 2]>,
    pub rectangle: Option<[f64; 4]>,
    pub polygon: Option<Vec<[f64; 2]>>,
    pub edge: Option<Side>,
    pub from: Option<f64>,
    pub to: Option<f64>,
    pub slope: Option<f64>,
    pub depth: Option<Metres>,
}

/// `[initial]`: water at the start.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[expect(missing_docs, reason = "named like the keys; the guide describes each")]
pub struct Initial {
    pub stage: Option<Given<Metres>>,
    pub depth: Option<Given<Metres>>,
}

/// `[edges]`: conditions of whole sides.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[expect(missing_docs, reason = "named like the keys; the guide describes each")]
pub struct Edges {
    pub all: Option<Condition>,
    pub west: Option<Condition>,
    pub east: Option<Condition>,
    pub south: Option<Condition>,
    pub north: Option<Condition>,
    pub nodata: Option<Condition>,
}

impl Edges {
    /// The condition that was given for one side, to read or to set.
    pub fn side(&mut self, side: Side) -> &mut Option<Condition> {
        match side {
            Side::West => &mut self.west,
            Side::East => &mut self.east,
            Side::South => &mut self.south,
            Side::North => &mut self.north,
            Side::NoData => &mut self.nodata,
        }
    }

    fn conditions(&mut self) -> impl Iterator<Item = &mut Condition> {
        let Self { all, west, east, south, north, nodata } = self;
        [all, west, east, south, north, nodata].into_iter().flatten()
    }
}

/// `[[edge]]`: the condition of a part of a side.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "named like the keys; the guide describes each")]
pub struct Stretch {
    pub name: Option<String>,
    pub side: Side,
    pub from: Option<f64>,
    pub to: Option<f64>,
    pub condition: Condition,
}

/// `[ground]`: roughness and losses.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[expect(missing_docs, reason = "named like the keys; the guide describes each")]
pub struct Ground {
    pub manning: Option<Given<Manning>>,
    pub land_cover: Option<PathBuf>,
    pub land_cover_table: Option<PathBuf>,
    pub infiltration: Option<Rate>,
    pub green_ampt: Option<GreenAmpt>,
    pub evaporation: Option<Rate>,
}

/// `[[gauge]]`: a place whose series is recorded.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "named like the keys; the guide describes each")]
pub struct Gauge {
    pub name: String,
    pub at: [f64; 2],
}

/// `[output]`: what is written, and where.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[expect(missing_docs, reason = "named like the keys; the guide describes each")]
pub struct Output {
    pub folder: Option<PathBuf>,
    pub world: Option<PathBuf>,
    pub frames: Option<i64>,
    pub wet_depth: Option<Metres>,
    pub classes: Option<DepthClasses>,
}

/// Reads a scenario file.
///
/// # Errors
///
/// If the file cannot be read, is no TOML, or holds an unknown key or a value that does not read:
/// with the line.
pub fn read(path: &Path) -> Result<Scenario, Refusal> {
    let text = std::fs::read_to_string(path).map_err(|error| {
        Refusal::new(
            format!("cannot read the scenario {}", path.display()),
            format!("{error}; check the name"),
        )
    })?;
    let mut scenario = parse(&text)
        .map_err(|(line, what)| Refusal::new(format!("{} line {line}", path.display()), what))?;
    rebase(&mut scenario, path.parent().unwrap_or(Path::new("")));
    Ok(scenario)
}

/// Reads the text of a scenario; an error has its line, counted from 1.
fn parse(text: &str) -> Result<Scenario, (usize, String)> {
    toml::from_str(text).map_err(|error| {
        let start = error.span().map_or(0, |span| span.start);
        let before = text.get(..start).unwrap_or(text);
        let line = before.matches('\n').count() + 1;
        (line, error.message().to_owned())
    })
}

/// Makes every relative path count from `folder`.
fn rebase(scenario: &mut Scenario, folder: &Path) {
    let Scenario { map, rain, inflow, initial, edges, edge, barrier, ground, output, .. } =
        scenario;
    let ground_files = [&mut ground.land_cover, &mut ground.land_cover_table];
    let single = [&mut map.file, &mut output.folder, &mut output.world].into_iter();
    let weights = rain.iter_mut().map(|rain| &mut rain.weights);
    for path in single.chain(ground_files).chain(weights).flatten() {
        *path = folder.join(&path);
    }
    for rain in rain {
        rebase_given(&mut rain.rate, folder);
    }
    for inflow in inflow {
        rebase_given(&mut inflow.discharge, folder);
    }
    for table in barrier.iter_mut().flat_map(Barrier::tables) {
        rebase_given(table, folder);
    }
    for water in [&mut initial.stage, &mut initial.depth].into_iter().flatten() {
        rebase_given(water, folder);
    }
    if let Some(manning) = &mut ground.manning {
        rebase_given(manning, folder);
    }
    for condition in edges.conditions() {
        rebase_condition(condition, folder);
    }
    for stretch in edge {
        rebase_condition(&mut stretch.condition, folder);
    }
}

fn rebase_condition(condition: &mut Condition, folder: &Path) {
    if let Condition::Stage(stage) = condition {
        rebase_given(stage, folder);
    }
}

fn rebase_given<Q>(given: &mut Given<Q>, folder: &Path) {
    if let Given::File(path) = given {
        *path = folder.join(&path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_section_reads() {
        let scenario = parse(
            r#"
            title = "A storm"
            [map]
            file = "dem.tif"
            cell = "61x93"
            [run]
            for = "2h"
            quality = "draft"
            [flow]
            solver = "pipe"
            [[rain]]
            rate = "40mm/h"
            for = "30min"
            [[inflow]]
            at = [1.0, 2]
            discharge = "q.csv"
            [edges]
            all = "wall"
            [[edge]]
            side = "north"
            condition = "stage:tide.csv"
            [ground]
            manning = 0.03
            [[gauge]]
            name = "bridge"
            at = [3, 4]
            [output]
            wet_depth = "1cm"
            "#,
        );
        let scenario = scenario.expect("sound");
        let found = (scenario.run.duration, scenario.flow.solver);
        assert_eq!(found, (Some(Seconds(7200.0)), Some(Solver::Pipe)));
        assert_eq!(scenario.ground.manning, Some(Given::Value(Manning(0.03))));
        let found = (scenario.edges.all, scenario.inflow[0].at);
        assert_eq!(found, (Some(Condition::Wall), Some([1.0, 2.0])));
    }

    #[test]
    fn mistakes_are_named_with_their_line() {
        let cases = [
            ("title = \"a\"\n[map]\nfille = \"dem.tif\"", 3, "unknown field `fille`"),
            ("[run]\nfor = \"1 hour\"", 2, "is not a duration"),
            ("[run]\nfor = 3600", 2, "is not a duration"),
            ("[run]\n\nquality = \"best\"", 3, "is no quality"),
            ("[flow]\nsolver = \"sew\"", 2, "swe or pipe"),
            ("[[rain]]\nname = \"a\"", 1, "missing field `rate`"),
            ("[[edge]]\nside = \"top\"\ncondition = \"open\"", 2, "is no side"),
            ("[edges]\nall = \"opn\"", 2, "is no edge condition"),
            ("[ground]\nmanning = nan", 2, "Manning"),
            ("[map\n", 1, ""),
        ];
        for (text, line, what) in cases {
            let (got_line, got) = parse(text).expect_err(text);
            assert!(got_line == line && got.contains(what), "{text}: {got_line}: {got}");
        }
    }

    #[test]
    fn paths_count_from_the_file() {
        let text = "[map]\nfile = \"a.tif\"\n[edges]\nwest = \"stage:t.csv\"\n\
                    [initial]\ndepth = \"d.tif\"";
        let mut scenario = parse(text).expect("sound");
        rebase(&mut scenario, Path::new("worlds"));
        assert_eq!(scenario.map.file, Some(PathBuf::from("worlds/a.tif")));
        let tide = Condition::Stage(Given::File("worlds/t.csv".into()));
        assert_eq!(scenario.edges.west, Some(tide));
        assert_eq!(scenario.initial.depth, Some(Given::File("worlds/d.tif".into())));
    }

    /// Goal: the guide is right. Every example reads, and every key of every section is described.
    #[test]
    fn the_guide_is_true() {
        let guide = include_str!("../../../../src/guide/scenario.md");
        let examples: Vec<&str> = guide.split("```toml\n").skip(1).collect();
        assert!(examples.len() >= 9, "{} examples", examples.len());
        for example in examples {
            let (example, _) = example.split_once("```").expect("a closed block");
            if let Err((line, what)) = parse(example) {
                panic!("line {line}: {what}\n{example}");
            }
        }
        for section in ["", "[map]", "[run]", "[flow]", "[[rain]]", "[[inflow]]", "[initial]"]
            .into_iter()
            .chain(["[edges]", "[[edge]]", "[[barrier]]", "[barrier.gap]", "[barrier.breach]"])
            .chain(["[[culvert]]", "[[pump]]", "[[drain]]", "[ground]", "[[gauge]]", "[output]"])
        {
            // A table of one element of a list is looked into before its element is whole.
            let list = if section.starts_with("[barrier.") { "[[barrier]]\n" } else { "" };
            let text = format!("{list}{section}\nno_such_key = 1");
            let (_, what) = parse(&text).expect_err(section);
            let keys = what.split('`').skip(3).step_by(2);
            for key in keys {
                let is_named =
                    guide.contains(&format!("`{key}`")) || guide.contains(&format!("[{key}]"));
                assert!(is_named, "{section} {key} is not described");
            }
        }
    }
}
