//! Reader of a scenario file: from the text to [`Scenario`].
//!
//! Guarantees: an unknown key, a wrong type or an invalid text is an error that names the file and
//!             the line, and suggests a correction. Relative paths count from the file's folder.

use std::io::ErrorKind;
use std::path::Path;

use kit::error::UserError;

use super::area::SimulatedArea;
use super::barrier::BarrierTable;
use super::file::Scenario;
use super::place::Condition;
use crate::quantity::ValueOrFile;
use crate::spelling::meant;

/// Reads a scenario file.
///
/// # Errors
///
/// If the file cannot be read, is no TOML, or contains an unknown key or an invalid value; the
/// error names the line.
pub fn read(path: &Path) -> Result<Scenario, UserError> {
    let text = std::fs::read_to_string(path).map_err(|error| {
        UserError::new(
            format!("cannot read the scenario {}", path.display()),
            match error.kind() {
                ErrorKind::InvalidData => "it is no text: save it as UTF-8".to_owned(),
                _ => format!("{error}; check the name"),
            },
        )
    })?;
    let mut scenario = parse(&text)
        .map_err(|(line, what)| UserError::new(format!("{} line {line}", path.display()), what))?;
    rebase(&mut scenario, path.parent().unwrap_or(Path::new("")));
    Ok(scenario)
}

/// Reads the text of a scenario; an error has its line, counted from 1.
pub(crate) fn parse(text: &str) -> Result<Scenario, (usize, String)> {
    toml::from_str(text).map_err(|error| {
        let start = error.span().map_or(0, |span| span.start);
        let before = text.get(..start).unwrap_or(text);
        let line = before.matches('\n').count() + 1;
        (line, mended(error.message(), text, line))
    })
}

/// Examples of the values of keys: section, or an empty text if all sections agree; key; value.
const EXAMPLES: &[(&str, &str, &str)] = &[
    ("rain", "from", "\"10min\""),
    ("edge", "from", "512300"),
    ("edge", "to", "512400"),
    ("inflow", "from", "512300"),
    ("inflow", "to", "512400"),
    ("bridge", "width", "\"8m\""),
    ("", "at", "[512300, 181200]"),
    ("", "from", "[512300, 181200]"),
    ("", "to", "[512400, 181300]"),
    ("", "path", "[[512300, 181200], [512400, 181300]]"),
    ("", "polygon", "[[0, 0], [100, 0], [50, 80]]"),
    ("", "rectangle", "[512300, 181200, 512400, 181300]"),
    ("", "observed", "\"depth:mill.csv\""),
    ("", "crest", "12.5"),
    ("", "deck", "12.5"),
    ("", "floor", "8.5"),
    ("", "base", "8.5"),
    ("", "bottom", "8.5"),
    ("", "on", "12.5"),
    ("", "rate", "\"40mm/h\""),
    ("", "discharge", "\"12m3/s\""),
    ("", "condition", "\"open\""),
    ("", "side", "\"north\""),
    ("", "name", "\"mill\""),
    ("", "file", "\"dem.tif\""),
    ("", "for", "\"2h\""),
    ("", "rule", "[[12.5, 0], [13, 1.5]]"),
    ("", "curve", "[[\"1m\", \"2m3/s\"], [\"5m\", \"0m3/s\"]]"),
    ("", "diameter", "\"80cm\""),
    ("", "box", "[2, 1.5]"),
    ("", "arch", "[2, 1.5]"),
    ("", "frames", "48"),
    ("", "seed", "0"),
    ("", "threads", "4"),
    ("", "adaptive", "true"),
    ("", "manning", "0.035"),
];

/// Returns an example line of a key, for a mistake in a line of a text.
fn example(key: &str, text: &str, line: usize) -> Option<String> {
    let lines: Vec<&str> = text.lines().take(line).collect();
    let section = lines.iter().rev().find_map(|line| line.trim().strip_prefix('['));
    let section = section.unwrap_or_default().trim_matches(['[', ']']);
    let fits = |of: &str| of.is_empty() || of == section;
    let (.., value) = EXAMPLES.iter().find(|(of, known, _)| *known == key && fits(of))?;
    Some(format!("{key} = {value}"))
}

/// Returns the key of a line of a text.
fn key_of(text: &str, line: usize) -> Option<&str> {
    let (key, _) = text.lines().nth(line.checked_sub(1)?)?.split_once('=')?;
    Some(key.trim())
}

/// Returns a complaint of the TOML reader about a line of a text, with advice on its correction.
fn mended(message: &str, text: &str, line: usize) -> String {
    let message = message
        .replace('\n', " ")
        .replace("expected i64", "expected a whole number")
        .replace("expected u64", "expected a whole number")
        .replace("expected f64", "expected a number");
    let quoted: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
    let of = |start: &str| message.starts_with(start);
    let written = |key: Option<&str>| key.and_then(|key| example(key, text, line));
    let mend = match quoted.split_first() {
        Some((&"file", known)) if of("unknown field") && known.contains(&"path") => {
            return format!(
                "{message}: write the corners of the line, like {}",
                example("path", "", 0).unwrap_or_default()
            );
        }
        Some((name, known)) if of("unknown field") || of("unknown variant") => {
            return format!("{message}{}", meant(name, known.iter().copied()));
        }
        Some((name, _)) if of("missing field") => {
            let line = written(Some(name)).unwrap_or_else(|| format!("{name} = …"));
            return format!("{message}: add it, like {line}");
        }
        _ if of("duplicate key") => ": keep one of them",
        _ if of("invalid type: map") || of("invalid type: sequence, expected struct") => {
            ": a section that may be repeated has two brackets, like [[rain]], another has one \
             bracket, like [run]"
        }
        _ if of("invalid type") || of("invalid length") || of("invalid value") => {
            return match written(key_of(text, line)) {
                Some(line) => format!("{message}: write it like {line}"),
                None => format!("{message}: write what is expected here"),
            };
        }
        // The parser of a value already explains how to write it.
        _ if message.contains(": ") => "",
        _ => ": this is no TOML, write key = value, and text in quotes",
    };
    format!("{message}{mend}")
}

/// Makes every relative path count from `folder`.
fn rebase(scenario: &mut Scenario, folder: &Path) {
    let Scenario { map, rain, inflow, initial, edges, edge, barrier, ground, output, .. } =
        scenario;
    let (meshes, voxels) = (scenario.mesh.iter_mut(), scenario.voxels.iter_mut());
    let shapes = meshes.map(|mesh| &mut mesh.file).chain(voxels.map(|voxels| &mut voxels.file));
    shapes.for_each(|path| *path = folder.join(&path));
    let ground_files = [&mut ground.land_cover, &mut ground.land_cover_table];
    if let Some(SimulatedArea::File(path)) = &mut map.area {
        *path = folder.join(&path);
    }
    let outputs = [&mut output.folder, &mut output.world, &mut output.backdrop];
    let single = [&mut map.file, &mut output.permanent_water].into_iter().chain(outputs);
    let single = single.chain(ground_files);
    let weights = rain.iter_mut().map(|rain| &mut rain.weights);
    for path in single.chain(weights).flatten() {
        *path = folder.join(&path);
    }
    for rain in rain {
        rebase_given(&mut rain.rate, folder);
    }
    for inflow in inflow {
        rebase_given(&mut inflow.discharge, folder);
    }
    let gauges = scenario.gauge.iter_mut().map(|gauge| &mut gauge.observed);
    let sections = scenario.section.iter_mut().map(|section| &mut section.observed);
    for observed in gauges.chain(sections).flatten() {
        observed.path = folder.join(&observed.path);
    }
    for table in barrier.iter_mut().flat_map(BarrierTable::tables) {
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

fn rebase_given<Q>(given: &mut ValueOrFile<Q>, folder: &Path) {
    if let ValueOrFile::File(path) = given {
        *path = folder.join(&path);
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::super::flow::SolverChoice;
    use super::*;
    use crate::before::{SeaLevel, WaterClasses};
    use crate::quantity::{Manning, Seconds};

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
            sea = 0.5
            permanent_water = "cover.tif"
            water_classes = "40,41"
            "#,
        );
        let scenario = scenario.expect("sound");
        assert_eq!(scenario.run.duration, Some(Seconds(7200.0)));
        assert_eq!(scenario.flow.solver, Some(SolverChoice::Pipe));
        assert_eq!(scenario.ground.manning, Some(ValueOrFile::Value(Manning(0.03))));
        assert_eq!(scenario.edges.all, Some(Condition::Wall));
        assert_eq!(scenario.output.sea, Some(SeaLevel::At(0.5)));
        assert_eq!(scenario.output.water_classes, Some(WaterClasses(vec![40, 41])));
        assert_eq!(scenario.inflow[0].at, Some([1.0, 2.0]));
    }

    #[test]
    fn mistakes_are_named_with_their_line() {
        let cases = [
            ("title = \"a\"\n[map]\nfille = \"dem.tif\"", 3, "unknown field `fille`"),
            ("[run]\nfor = \"1 fortnight\"", 2, "is not a duration"),
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
            assert_eq!(got_line, line, "{text}: {got}");
            assert!(got.contains(what), "{text}: {got}");
        }
    }

    /// Goal: the examples in errors on mistakes are valid. Method: each is put into a table that
    /// lacks it, or has a value of a different type.
    #[test]
    fn examples_of_mistakes_read() {
        let cases = [
            ("[[barrier]]\ncrest = 5", "path"),
            ("[[barrier]]\npath = [[1, 2], [3, 4]]", "crest"),
            ("[[gauge]]\nname = \"a\"", "at"),
            ("[[gauge]]\nat = [1, 2]", "name"),
            ("[[culvert]]\nfrom = [1, 2]\ndiameter = 1", "to"),
            ("[[culvert]]\nto = [1, 2]\ndiameter = 1", "from"),
            ("[[pump]]\nfrom = [1, 2]\ndischarge = \"1m3/s\"", "on"),
            ("[[rain]]\nname = \"a\"", "rate"),
            ("[[inflow]]\nat = [1, 2]", "discharge"),
            ("[[edge]]\ncondition = \"open\"", "side"),
            ("[[edge]]\nside = \"west\"", "condition"),
            ("[[tunnel]]\npath = [[1, 2], [3, 4]]", "floor"),
            ("[[bridge]]\npath = [[1, 2], [3, 4]]\ndeck = 5", "width"),
            ("[[mesh]]\nfile = \"a.stl\"\nat = [1, 2]", "base"),
            ("[[voxels]]\nat = [1, 2]\nfloor = 5", "file"),
            ("[[barrier]]\npath = [[1, 2], [3, 4]]\ncrest = 5\n[barrier.breach]", "bottom"),
        ];
        for (text, key) in cases {
            let (_, what) = parse(text).expect_err(text);
            assert!(
                what.contains(&format!("missing field `{key}`: add it, like {key} = ")),
                "{what}"
            );
            let (_, line) = what.split_once(": add it, like ").expect("an example");
            let mended = format!("{text}\n{line}\n");
            assert!(parse(&mended).is_ok(), "{mended}: {:?}", parse(&mended));
        }
        for (text, key) in [
            ("[[rain]]\nrate = \"1mm/h\"\nfrom = [1]", "from"),
            ("[[edge]]\nside = \"west\"\ncondition = \"open\"\nfrom = \"a\"", "from"),
            ("[[gauge]]\nname = \"a\"\nat = 5", "at"),
            ("[[gauge]]\nname = \"a\"\nat = [1, 2]\nobserved = true", "observed"),
            ("[run]\nadaptive = 5", "adaptive"),
            ("[output]\nframes = \"many\"", "frames"),
        ] {
            let (_, what) = parse(text).expect_err(text);
            let (_, line) = what.split_once("write it like ").expect("an example");
            let mended = text.lines().filter(|line| !line.starts_with(key));
            let mended = mended.chain([line]).collect::<Vec<_>>().join("\n");
            assert!(parse(&mended).is_ok(), "{mended}: {:?}", parse(&mended));
        }
    }

    #[test]
    fn paths_count_from_the_file() {
        let text = "[map]\nfile = \"a.tif\"\n[edges]\nwest = \"stage:t.csv\"\n\
                    [initial]\ndepth = \"d.tif\"\n[[gauge]]\nname = \"mill\"\nat = [1, 2]\n\
                    observed = \"level:m.csv\"";
        let mut scenario = parse(text).expect("sound");
        rebase(&mut scenario, Path::new("worlds"));
        assert_eq!(scenario.map.file, Some(PathBuf::from("worlds/a.tif")));
        let tide = Condition::Stage(ValueOrFile::File("worlds/t.csv".into()));
        assert_eq!(scenario.edges.west, Some(tide));
        let observed = scenario.gauge[0].observed.as_ref().map(|observed| &observed.path);
        assert_eq!(observed, Some(&PathBuf::from("worlds/m.csv")));
        assert_eq!(scenario.initial.depth, Some(ValueOrFile::File("worlds/d.tif".into())));
    }
}
