//! Levees, gates and breaches of a scenario, from `[[barrier]]` to the report.
//!
//! Goal: a barrier stands where the map says and passes what its crest, gap or breach lets through;
//!       the report says when and how much; a bad one is refused in one line.
//! Method: a flat basin with an inflow in the west and a town in the east.

use std::fs;
use std::path::Path;

use serde_json::Value;
use tempfile::TempDir;
use testkit::{Program, grid, holds, number, raster};

const FLOOD: Program = Program(env!("CARGO_BIN_EXE_flood-preview"));

const WIDTH: usize = 40;
const HEIGHT: usize = 24;
/// First column of the town: the levee stands along its west side.
const TOWN: usize = 20;

/// A basin of 5 m cells at 5 m, its south-west corner at 1000, 2000; `hole` is NoData.
fn basin(hole: impl Fn(usize, usize) -> bool) -> String {
    grid((WIDTH, HEIGHT), 5.0, |col, row| if hole(col, row) { "-9999" } else { "5" })
}

/// 60 m³/s for ten minutes raise the water west of the levee by 3 m.
const WATER: &str = "[map]\nfile = \"dem.asc\"\n[edges]\nall = \"wall\"\n\
                     [[inflow]]\nname = \"river\"\nedge = \"west\"\ndischarge = \"60m3/s\"\n";

const LEVEE: &str =
    "[[barrier]]\nname = \"levee\"\npath = [[1100, 2000], [1100, 2120]]\ncrest = 8\n";

fn folder(barrier: &str) -> TempDir {
    let hole = |col, row| col > 35 && row < 4;
    testkit::folder(&[
        ("dem.asc", basin(hole)),
        ("s.toml", format!("{WATER}{barrier}")),
        ("gate.csv", "time [min], opening [m]\n0,0\n5,0\n6,1\n".to_owned()),
        ("wide.csv", "time_s,width_m\n0,0\n60,2000000\n".to_owned()),
    ])
}

/// Output of a run of some minutes, its list of barriers, and the largest depths in the town.
#[track_caller]
fn flood(folder: &Path, minutes: u32) -> (String, Value, Vec<f32>) {
    let said = FLOOD.said(folder, &format!("s.toml --for {minutes}min --frames 1"));
    let out = folder.join("flood-preview-out");
    // Without barriers there is no list of them.
    let list = fs::read_to_string(out.join("barriers.json")).unwrap_or("null".to_owned());
    let (_, depth) = raster(&out.join("max_depth.tif"));
    let town = depth.iter().enumerate().filter(|(at, _)| at % WIDTH >= TOWN);
    let town = town.map(|(_, depth)| *depth).filter(|depth| depth.is_finite()).collect();
    assert!(said.contains("to the unit"), "{said}");
    (said, serde_json::from_str(&list).expect("JSON"), town)
}

fn deepest(depth: &[f32]) -> f64 {
    f64::from(depth.iter().copied().fold(0.0, f32::max))
}

#[test]
fn a_levee_protects_a_town_until_it_is_overtopped() {
    let bare = folder("");
    let (_, none, town) = flood(bare.path(), 5);
    assert!(deepest(&town) > 0.5 && none.is_null());

    let folder = folder(LEVEE);
    let (said, list, town) = flood(folder.path(), 9);
    assert!(town.is_empty(), "{} m in the town", deepest(&town));
    assert!(said.contains("barrier levee: nothing passed"), "{said}");
    assert!(list[0]["overtopped_s"].is_null());
    assert!((number(&list[0], "length_m") - 120.0).abs() < 1.0e-6);

    let (said, list, town) = flood(folder.path(), 20);
    // All but the hole.
    assert_eq!(town.len(), (WIDTH - TOWN) * HEIGHT - 4 * 4);
    let overtopped = number(&list[0], "overtopped_s");
    assert!((overtopped - 600.0).abs() < 10.0, "{said}");
    assert!(said.contains("overtopped first at "), "{said}");
    // In the end it passes what flows in; the town holds what has passed.
    assert!((number(&list[0], "peak_discharge_m3_s") - 60.0).abs() < 15.0, "{list}");
    let out = folder.path().join("flood-preview-out");
    let (_, last) = raster(&out.join("final_depth.tif"));
    let cells = last.iter().enumerate().filter(|(at, _)| at % WIDTH >= TOWN);
    let town_m3: f64 =
        cells.filter(|(_, d)| d.is_finite()).map(|(_, d)| f64::from(*d) * 25.0).sum();
    let passed = number(&list[0], "to_right_m3") - number(&list[0], "to_left_m3");
    assert!((passed / town_m3 - 1.0).abs() < 0.01, "{passed} m³ passed, {town_m3} m³ stand there");

    let page = fs::read_to_string(out.join("report.html")).expect("a report");
    holds(&page, &["barrier levee</th><td>120 m long, crest at 8 m</td>", "\"overtopped_s\":"]);
    let series = fs::read_to_string(out.join("barriers.csv")).expect("a table");
    assert!(series.lines().nth(1).is_some_and(|line| line == "0,levee,0,,"), "{series}");
}

#[test]
fn a_levee_may_reach_beyond_the_map() {
    let longer = LEVEE.replace("[1100, 2000], [1100, 2120]", "[1100, 1950], [1100, 2151]");
    let folder = folder(&longer);
    let (said, _, town) = flood(folder.path(), 5);
    assert!(town.is_empty(), "{} m in the town", deepest(&town));
    assert!(said.contains("barrier `levee` reaches 50 m beyond the simulated ground"), "{said}");
}

/// Each way to let water through begins when it should, and drawn the other way round its discharge
/// has the other sign.
#[test]
fn gates_and_breaches_let_water_through_when_they_should() {
    let other_way = LEVEE.replace("[1100, 2000], [1100, 2120]", "[1100, 2120], [1100, 2000]");
    let gate = "[barrier.gap]\nopening = \"gate.csv\"\n";
    let rule = "[barrier.gap]\nsill = 5\nrule = [[6, 0], [6.2, \"50cm\"]]\nat = [1050, 2060]\n";
    let timed = "[barrier.breach]\ntime = \"5min\"\nalong = 30\nwidth = 20\nbottom = 5.5\n\
                 over = \"1min\"\n";
    let staged = "[barrier.breach]\nstage = 6\nat = [1050, 2060]\nvolume = 500\nbottom = 5\n";
    // A breach reaches down to the water after a while: Froehlich's takes 150 s to its 3 m.
    for (barrier, sign, from_s, begun_s) in [
        (format!("{LEVEE}{gate}"), 1.0, 300.0, None),
        (format!("{other_way}{gate}"), -1.0, 300.0, None),
        (format!("{LEVEE}{rule}"), 1.0, 200.0, None),
        (format!("{LEVEE}{timed}"), 1.0, 336.0, Some(300.0)),
        (format!("{other_way}{staged}"), -1.0, 280.0, Some(200.0)),
    ] {
        let folder = folder(&barrier);
        let (said, list, town) = flood(folder.path(), 8);
        assert!(number(&list[0], "peak_discharge_m3_s") * sign > 3.0, "{barrier}{said}");
        assert!(deepest(&town) > 0.05 && list[0]["overtopped_s"].is_null(), "{barrier}{said}");
        let series = fs::read_to_string(folder.path().join("flood-preview-out/barriers.csv"));
        let series = series.expect("a table");
        let reading = |line: &str| -> (f64, f64) {
            let words: Vec<&str> = line.split(',').collect();
            (words[0].parse().expect("a time"), words[2].parse().expect("a discharge"))
        };
        let mut readings = series.lines().skip(1).map(reading);
        let (first_s, _) = readings.find(|(_, q)| q.abs() > 0.0).expect("water");
        assert!((first_s - from_s).abs() < 20.0, "{barrier}: from {first_s} s");
        match (list[0]["breached_s"].as_f64(), begun_s) {
            (None, None) => {}
            (Some(at), Some(begun_s)) => {
                assert!((at - begun_s).abs() < 10.0, "{barrier}: it began at {at} s");
            }
            (at, _) => panic!("{barrier}: began at {at:?}"),
        }
    }
}

#[test]
fn a_bad_barrier_is_one_clear_line() {
    let path = "path = [[1100, 2000], [1100, 2120]]\n";
    let after = |keys: &str| format!("[[barrier]]\nname = \"dyke\"\n{path}crest = 8\n{keys}");
    let cases: &[(String, &[&str])] = &[
        (after("crets = 3"), &["s.toml line 13", "unknown field `crets`", "`crest`"]),
        ("[[barrier]]\ncrest = 8\npath = [[1100, 2000]]".into(), &["`path` has 1 corners", "two"]),
        (format!("[[barrier]]\n{path}crest = [8, 8, 9]"), &["`crest` has 3", "2 corners"]),
        (
            format!("[[barrier]]\n{path}crest = \"8furlong\""),
            &["line 11", "8furlong", "is not a length"],
        ),
        (format!("[[barrier]]\n{path}"), &["missing field `crest`"]),
        (
            "[[barrier]]\nname = \"far\"\ncrest = 8\npath = [[1100, 2000], [1100, 2500]]".into(),
            &["barrier `far`: its `path` at 1100,2500", "outside the map", "y from 2000 to 2120"],
        ),
        (after("weir_coefficient = 7"), &["`dyke`: its `weir_coefficient` is 7", "0.1 to 2"]),
        (after("[barrier.gap]\nsill = 5"), &["`dyke`", "`gap`", "`opening`, or `rule` and `at`"]),
        (after("[barrier.gap]\nopening = -1"), &["`gap.opening` is -1", "0 to 1000"]),
        (after("[barrier.gap]\nrule = [[6, 1], [5, 2]]\nat = [1050, 2060]"), &["do not rise"]),
        (after("[barrier.gap]\nrule = [[6, 1]]"), &["looks nowhere", "`gap.at`"]),
        (
            after("[barrier.gap]\nrule = [[6, 1]]\nat = [1192, 2110]"),
            &["`dyke`: its `gap.at` 1192,2110 lies off the ground", "NoData"],
        ),
        (after("[barrier.gap]\nopening = \"no.csv\""), &["no.csv", "check the name"]),
        (after("[barrier.breach]\nbottom = 5\nwidth = 9"), &["`breach` needs one trigger"]),
        (after("[barrier.breach]\nbottom = 5\ntime = \"1h\""), &["no `width`", "`volume`"]),
        (after("[barrier.breach]\nbottom = 9\ntime = \"1h\"\nwidth = 9"), &["below the crest"]),
        (
            after("[barrier.breach]\nbottom = 5\ntime = \"1h\"\nwidth = 9\nalong = 121"),
            &["`breach.along` is 121", "0 to 120"],
        ),
        (
            after("[barrier.breach]\nbottom = 5\ntime = \"1h\"\nwidth = \"wide.csv\""),
            &["`breach.width` is 2000000"],
        ),
        (after("[[barrier]]\nname = \"dyke\"\ncrest = 9\npath = []"), &["two barriers", "`dyke`"]),
        (
            "[[barrier]]\nname = \"dot\"\ncrest = 8\npath = [[1101, 2001], [1102, 2002]]".into(),
            &["barrier `dot`: its `path` closes no face", "draw it longer"],
        ),
        (
            "[[barrier]]\nname = \"gone\"\ncrest = 8\npath = [[1190, 2000], [1190, 2120]]".into(),
            &["barrier `gone`: it runs past cell", "no ground", "end it where"],
        ),
        (
            "[[barrier]]\nname = \"sky\"\ncrest = 9000\npath = [[1100, 2000], [1100, 2120]]".into(),
            { &["the crest of barrier `sky` is 9000 m", "8192 m"] },
        ),
    ];
    for (barrier, words) in cases {
        let folder = folder(barrier);
        FLOOD.mistaken(folder.path(), "s.toml --for 1min --frames 0 --quiet", words);
        let told = FLOOD.plain(folder.path(), "s.toml --for 1min --frames 0", 2);
        words.iter().for_each(|word| assert!(told.contains(word), "no `{word}` in {told}"));
    }
}
