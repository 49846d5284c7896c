//! The real program, driven from a fresh folder.
//!
//! Goal: every kind of bad input ends with exit code 2 and one line that says what, where and how
//!       to mend it, and leaves nothing behind.
//! Method: a table of command lines over small maps; each is run in a folder of its own.

use std::fs;
use std::path::Path;

use tempfile::TempDir;
use testkit::{Program, grid, holds, listing, names, put};

const FLOOD: Program = Program(env!("CARGO_BIN_EXE_flood-preview"));

/// A fresh folder with a sound map `dem.asc`: 12 × 10 cells of 5 m, a plane that falls eastwards.
fn folder() -> TempDir {
    testkit::folder(&[("dem.asc", grid((12, 10), 5.0, |col, _| 20 - col))])
}

/// Runs `line` over `files` and expects an error that contains each of `words`.
#[track_caller]
fn check(files: &[(&str, &str)], line: &str, words: &[&str]) {
    let folder = folder();
    put(folder.path(), files);
    FLOOD.mistaken(folder.path(), line, words);
}

#[test]
fn bad_maps_are_refused() {
    let plane = |value: &'static str| {
        grid((4, 3), 5.0, |col, row| match (col, row) {
            (2, 1) => value.to_owned(),
            _ => "10".to_owned(),
        })
    };
    let (nan, infinite, wild) = (plane("nan"), plane("-1.#INF"), plane("1e9"));
    let empty = grid((4, 3), 5.0, |_, _| "-9999".to_owned());
    let single = grid((1, 1), 5.0, |_, _| "5".to_owned());
    let none = grid((0, 0), 5.0, |_, _| String::new());
    let whole = grid((4, 3), 5.0, |_, _| "10".to_owned());
    let truncated = &whole[..whole.len() - 12];
    let files = [
        ("wild.asc", wild.as_str()),
        ("empty.asc", &empty),
        ("single.asc", &single),
        ("none.asc", &none),
        ("truncated.asc", truncated),
        ("magic.tif", "this is no TIFF at all, whatever its name says"),
        ("short.tif", "II*\0"),
        ("zero.tif", ""),
    ];
    check(&files, "missing.tif", &["missing.tif"]);
    for (name, _) in files {
        check(&files, name, &[name]);
    }
    // A cell that is not a number is NoData or an error, as the format has it; never a crash.
    check(&[("nan.asc", &nan)], "nan.asc --gauge a=1012,2007", &["1012,2007"]);
    check(&[("inf.asc", &infinite)], "inf.asc --gauge a=1012,2007", &["1012,2007"]);
}

#[test]
fn bad_water_is_refused() {
    let files = [
        ("unsorted.csv", "time_s,q_m3_s\n0,0\n600,300\n300,0\n"),
        ("empty.csv", "# nothing\n"),
        ("nan.csv", "0,0\n60,nan\n"),
        ("negative.csv", "time_s,rain_mm_h\n0,1\n60,-1\n"),
        ("storm.csv", "time_s,rain_mm_h\n0,40\n600,0\n"),
    ];
    let cases: &[(&str, &[&str])] = &[
        ("dem.asc --rain -5mm/h", &["-5", "at least 0"]),
        ("dem.asc --rain 40", &["mm/h"]),
        ("dem.asc --check --rain 1e30mm/h", &["1.000e30 mm/h", "10000 mm/h", "--rain"]),
        (
            "dem.asc --check --inflow 1010,2010=1e9m3/s",
            &["1.000e9 m3/s", "1000000 m3/s", "--inflow"],
        ),
        ("dem.asc --check --stage 300 --headroom 10", &["300 m", "--headroom 280"]),
        ("dem.asc --check --stage 9000 --exponent 20", &["-1009 to 1039 m", "--exponent"]),
        ("dem.asc --check --edges stage:1e6", &["`west edge` is 1000000 m", "correct it"]),
        ("dem.asc --edge west=wall --edge west=open", &["west side twice"]),
        ("dem.asc --rain infmm/h", &["infmm/h"]),
        ("dem.asc --rain negative.csv", &["60 s"]),
        ("dem.asc --inflow 1010,2010=unsorted.csv", &["unsorted.csv", "line 4", "sort"]),
        ("dem.asc --inflow 1010,2010=empty.csv", &["empty.csv", "no rows"]),
        ("dem.asc --inflow 1010,2010=nan.csv", &["nan.csv", "line 2"]),
        ("dem.asc --inflow 1010,2010=absent.csv", &["absent.csv"]),
        ("dem.asc --inflow 1010,2010=-3m3/s", &["-3", "at least 0"]),
        ("dem.asc --inflow 10,10=3m3/s", &["outside the map", "1000", "2050"]),
        ("dem.asc --gauge mill=1070,2010", &["mill", "outside the map"]),
        ("dem.asc --gauge mill=1010", &["X,Y"]),
        ("dem.asc --edge top=open", &["top", "north"]),
        ("dem.asc --infiltration=-1mm/h", &["--infiltration is -1 mm/h", "at least 0"]),
        ("dem.asc --manning -0.03", &["Manning"]),
        ("dem.asc --initial-depth absent.tif", &["absent.tif"]),
        ("dem.asc --rain storm.csv --rain-for 10min", &["hyetograph"]),
        ("dem.asc --rain-for 10min", &["--rain"]),
    ];
    for (line, words) in cases {
        check(&files, line, words);
    }
}

#[test]
fn contradictions_and_bad_numbers_are_refused() {
    let cases: &[(&str, &[&str])] = &[
        ("dem.asc --stage 12 --initial-stage dem.asc", &["--stage and --initial-stage"]),
        ("dem.asc --stage 12 --initial-depth dem.asc", &["--stage and --initial-depth"]),
        ("dem.asc --infiltration 1mm/h --green-ampt K=1mm/h,psi=1,dtheta=0.3", &["--green-ampt"]),
        ("dem.asc --manning dem.asc --land-cover dem.asc", &["keep one"]),
        ("dem.asc --land-cover dem.asc", &["--land-cover-table"]),
        ("dem.asc --quiet -v", &["--quiet"]),
        ("dem.asc other.asc", &["two maps"]),
        ("dem.asc --gauge a=1010,2010 --gauge a=1020,2010", &["`a`"]),
        ("dem.asc --for 0s", &["0 s", "--for"]),
        ("dem.asc --for -1h", &["--for"]),
        ("dem.asc --for 1", &["min"]),
        ("dem.asc --threads 0", &["threads"]),
        ("dem.asc --cell-size 0", &["--cell-size"]),
        ("dem.asc --cell-size -5", &["--cell-size"]),
        ("dem.asc --cell-size nan", &["nan"]),
        ("dem.asc --cell-size 2", &["finer"]),
        ("dem.asc --cell-size 500", &["--cell-size"]),
        ("dem.asc --exponent 30", &["--exponent is 30: choose from 18 to 24"]),
        ("dem.asc --frames -1", &["frames"]),
        ("dem.asc --wet-depth 0", &["--wet-depth"]),
        ("dem.asc --nodata five", &["five"]),
        ("dem.asc --rian 40mm/h", &["--rian", "--rain"]),
        ("dem.asc --quality best", &["draft, normal or fine"]),
        ("dem.asc --solver euler", &["--solver", "swe or pipe"]),
        ("dem.asc --steps tiel", &["`tiel`", "did you mean tile?", "map or tile"]),
    ];
    for (line, words) in cases {
        check(&[], line, words);
    }
}

#[test]
fn bad_scenarios_are_refused_with_the_line() {
    let files = [
        ("key.toml", "[map]\nfile = \"dem.asc\"\n[run]\nforr = \"1h\"\n"),
        ("value.toml", "[map]\nfile = \"dem.asc\"\n\n[[rain]]\nrate = \"40\"\n"),
        ("syntax.toml", "[map\n"),
        ("nomap.toml", "[run]\nfor = \"1h\"\n"),
        ("both.toml", "[map]\nfile = \"dem.asc\"\n[initial]\nstage = 1\ndepth = 1\n"),
        ("solver.toml", "[map]\nfile = \"dem.asc\"\n[flow]\nsolver = \"pip\"\n"),
        ("places.toml", "[map]\nfile = \"dem.asc\"\n[[inflow]]\ndischarge = \"1m3/s\"\n"),
        ("gauge.toml", "[map]\nfile = \"dem.asc\"\n[[gauge]]\nname = \"far\"\nat = [1, 2]\n"),
    ];
    let cases: &[(&str, &[&str])] = &[
        ("key.toml", &["key.toml line 4", "forr"]),
        ("value.toml", &["value.toml line 5", "mm/h"]),
        ("syntax.toml", &["syntax.toml line 1"]),
        ("nomap.toml", &["heightmap"]),
        ("both.toml", &["stage and as depth"]),
        (
            "solver.toml",
            &["solver.toml line 4", "`pip` is no solver (did you mean pipe?): write swe or pipe"],
        ),
        ("places.toml", &["at, rectangle, polygon and edge"]),
        ("gauge.toml", &["far", "outside the map"]),
        ("absent.toml", &["absent.toml"]),
    ];
    for (line, words) in cases {
        check(&files, line, words);
    }
}

#[test]
fn bad_terms_are_refused_with_their_range() {
    let cases: &[(&str, &str, &[&str])] = &[
        ("viscosity = \"-1m2/s\"", "", &["line 4", "0…10000 m2/s"]),
        ("viscosity = \"smagorinsky:2\"", "", &["line 4", "0…1"]),
        ("wind = \"150m/s from 270\"", "", &["line 4", "0 to 100 m/s"]),
        ("wind = \"15m/s from 400\"", "", &["line 4", "0 to 360"]),
        ("latitude = 95", "", &["line 4", "-90 to 90"]),
        ("steps = \"leaf\"", "", &["line 4", "map or tile"]),
        ("order = 3", "", &["order", "is 3", "choose 2, or 1"]),
        ("order = 1", "--solver pipe", &["has no `order`", "--solver swe"]),
        ("viscosity = \"1m2/s\"", "--solver pipe", &["has no `viscosity`", "--solver swe"]),
        ("solver = \"pipe\"\nwind = \"15m/s from 270\"", "", &["has no `wind`", "leave"]),
        ("solver = \"pipe\"\nlatitude = 54.5", "", &["has no `latitude`", "[flow]"]),
    ];
    for (keys, options, words) in cases {
        let scenario = format!("[map]\nfile = \"dem.asc\"\n[flow]\n{keys}\n");
        check(&[("flow.toml", &scenario)], &format!("flow.toml {options}"), words);
    }
}

#[test]
fn bad_rasters_beside_the_map_are_refused() {
    let far = grid((4, 3), 5.0, |_, _| "1".to_owned()).replace("xllcorner 1000", "xllcorner 9000");
    let cover = grid((12, 10), 5.0, |col, _| (col / 6).to_string());
    let files = [
        ("far.asc", far.as_str()),
        ("below.asc", &grid((12, 10), 5.0, |col, _| (5 - col as i64).to_string())),
        ("cover.asc", &cover),
        ("classes.csv", "class,n,name\n0,0.03,meadow\n"),
        ("broken.csv", "class,n\n0,0.03\n1,much\n"),
    ];
    let cases: &[(&str, &[&str])] = &[
        ("dem.asc --initial-depth far.asc", &["far.asc", "overlap"]),
        ("dem.asc --initial-depth below.asc", &["below.asc", "row 0", "column 6", "below 0"]),
        ("dem.asc --rain below.asc", &["below.asc", "the rain is -1"]),
        ("dem.asc --manning below.asc", &["below.asc", "Manning"]),
        (
            "dem.asc --land-cover cover.asc --land-cover-table classes.csv",
            &["cover.asc", "class 1", "classes.csv"],
        ),
        ("dem.asc --land-cover cover.asc --land-cover-table broken.csv", &["broken.csv", "line 3"]),
    ];
    for (line, words) in cases {
        check(&files, line, words);
    }
}

#[test]
fn rasters_beside_the_map_are_read() {
    let folder = folder();
    let files = [
        ("cover.asc", grid((12, 10), 5.0, |col, _| (col / 6).to_string())),
        ("classes.csv", "0;0.03\n1;0.12;forest\n".to_owned()),
        ("depth.asc", grid((12, 5), 5.0, |col, _| col.to_string())),
        (
            "radar.asc",
            grid((24, 20), 5.0, |col, _| (col % 3).to_string())
                .replace("cellsize 5", "cellsize 2.5"),
        ),
    ];
    put(folder.path(), &files);
    let line = "dem.asc --land-cover cover.asc --land-cover-table classes.csv \
                --initial-depth depth.asc --rain radar.asc --check";
    let text = FLOOD.said(folder.path(), line);
    holds(&text, &["cover.asc (0.03 to 0.12)", "mm/h, by radar.asc", "does not reach over"]);
}

#[test]
fn an_unwritable_folder_is_refused_before_the_run() {
    check(&[("taken", "a file")], "dem.asc --out taken", &["taken", "--out"]);
    check(&[("taken", "a file")], "dem.asc --out taken/out", &["taken/out", "--out"]);
}

#[test]
fn check_prints_the_plan_and_writes_nothing() {
    let folder = folder();
    let before = listing(folder.path());
    let line = "dem.asc --rain 40mm/h --rain-for 30min --for 2h --edge east=stage:5 --check";
    let text = FLOOD.said(folder.path(), line);
    holds(&text, &["40 mm/h from 0 s to 30 min", "2 h", "held at 5 m", "120 of 120", "9 to 20 m"]);
    assert_eq!(listing(folder.path()), before);
}

#[test]
fn what_is_said_by_default_is_true() {
    let cases: &[(&str, &str)] = &[
        ("dem.asc --check --for 1min", "falls for 1 min "),
        ("dem.asc --check --for 2h", "falls for 1 h "),
        ("dem.asc --check --stage 300", "still water up to 300 m"),
        ("dem.asc --check --initial-depth 2m", "2 m deep everywhere"),
        ("dem.asc --check --map-cell 5 --title=", "Cloudburst over dem"),
    ];
    for (line, words) in cases {
        holds(&FLOOD.said(folder().path(), line), &[words]);
    }
}

#[test]
fn options_are_laid_over_the_scenario() {
    let folder = folder();
    let scenario = "title = \"Old\"\n[map]\nfile = \"dem.asc\"\n[run]\nfor = \"3h\"\n\
                    [[rain]]\nrate = \"10mm/h\"\n[[gauge]]\nname = \"a\"\nat = [1010, 2010]\n";
    fs::write(folder.path().join("s.toml"), scenario).expect("writable");
    let text = FLOOD.said(folder.path(), "s.toml --rain 25mm/h --gauge b=1020,2010 --check");
    holds(&text, &["Old", "3 h", "25 mm/h", "1010,2010", "1020,2010"]);
    assert!(!text.contains("10 mm/h"), "{text}");
}

#[test]
fn the_solver_is_the_option_s_then_the_file_s_then_swe() {
    let folder = folder();
    let scenario = "[map]\nfile = \"dem.asc\"\n[flow]\nsolver = \"pipe\"\n";
    fs::write(folder.path().join("s.toml"), scenario).expect("writable");
    for (line, solver) in [
        ("dem.asc --check", "swe"),
        ("dem.asc --solver pipe --check", "pipe"),
        ("s.toml --check", "pipe"),
        ("s.toml --solver swe --check", "swe"),
    ] {
        let text = FLOOD.said(folder.path(), line);
        let said = text.lines().find_map(|line| line.trim().strip_prefix("solver"));
        assert_eq!(said.map(str::trim), Some(solver), "{line}: {text}");
    }
}

#[test]
fn every_sample_scenario_is_sound() {
    let worlds = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../worlds");
    let folder = folder();
    let mut count = 0;
    for name in names(&worlds).iter().filter(|name| name.ends_with(".toml")) {
        let line = format!("{} --check", worlds.join(name).display());
        FLOOD.said(folder.path(), &line);
        count += 1;
    }
    assert!(count >= 8, "{count} scenarios in {}", worlds.display());
    // Without anything named, the sample is found wherever one stands.
    let text = FLOOD.said(folder.path(), "--check");
    assert!(text.contains("valley.tif"), "{text}");
}

#[test]
fn help_lists_every_group() {
    let folder = folder();
    let text = FLOOD.said(folder.path(), "--help");
    holds(&text, &["Water:", "Ground:", "Map:", "Run:", "Output:", "Examples:", "--green-ampt"]);
}
