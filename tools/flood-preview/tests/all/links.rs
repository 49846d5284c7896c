//! Culverts, pumps and drains of a scenario, from their sections to the report.
//!
//! Goal: a link carries what its law says from place to place or out of the map; the report says
//!       when and how much; a bad one is refused in one line.
//! Method: a flat basin that a wall parts, with an inflow in the west and a town in the east.

use std::fs;
use std::path::Path;

use serde_json::Value;
use tempfile::TempDir;
use testkit::{Program, grid, holds, number, raster};

const FLOOD: Program = Program(env!("CARGO_BIN_EXE_flood-preview"));

const WIDTH: usize = 40;
const HEIGHT: usize = 24;

/// A basin of 5 m cells at 5 m, its south-west corner at 1000, 2000; its north-east is `NoData`.
fn basin() -> String {
    grid((WIDTH, HEIGHT), 5.0, |col, row| if col > 35 && row < 4 { "-9999" } else { "5" })
}

/// 20 m³/s raise the water west of the wall by 1 m in ten minutes.
const WATER: &str = "[map]\nfile = \"dem.asc\"\n[edges]\nall = \"wall\"\n\
                     [[inflow]]\nname = \"river\"\nedge = \"west\"\ndischarge = \"20m3/s\"\n\
                     [[barrier]]\nname = \"wall\"\ncrest = 9\n\
                     path = [[1100, 2000], [1100, 2120]]\n";

const PIPE: &str = "[[culvert]]\nname = \"pipe\"\nfrom = [1092, 2061]\nto = [1108, 2061]\n\
                    diameter = \"50cm\"\n";

fn folder(links: &str) -> TempDir {
    testkit::folder(&[("dem.asc", basin()), ("s.toml", format!("{WATER}{links}"))])
}

/// Output of a run, its list of links, and the volume that left the map, m³.
#[track_caller]
fn flood(folder: &Path, options: &str) -> (String, Value, f64) {
    let said = FLOOD.said(folder, &format!("s.toml --frames 1 {options}"));
    assert!(said.contains("to the unit"), "{said}");
    let read = |name: &str| -> Value {
        let text = fs::read_to_string(folder.join("flood-preview-out").join(name));
        serde_json::from_str(&text.expect("a file")).expect("JSON")
    };
    let ledger = said.split(" in − ").nth(1).and_then(|rest| rest.split_once(" out"));
    let out_m3 = ledger.expect("a ledger").0.parse().expect("a volume");
    (said, read("links.json"), out_m3)
}

/// Volume in the town at the end, m³.
fn town_m3(folder: &Path) -> f64 {
    let map = folder.join("flood-preview-out/final_depth.tif");
    let (_, depth) = raster(&map);
    let town = depth.iter().enumerate().filter(|(at, _)| at % WIDTH >= WIDTH / 2);
    town.filter(|(_, depth)| depth.is_finite()).map(|(_, depth)| f64::from(*depth) * 25.0).sum()
}

#[test]
fn a_culvert_carries_water_through_a_wall() {
    let folder = folder(PIPE);
    let (said, list, _) = flood(folder.path(), "--for 10min");
    let link = &list[0];
    // 1 m of water over 0.5 m of pipe of 16 m: full, by its losses 1.5 + 2 g n² L / R^(4/3) heads.
    let losses = 1.5 + 2.0 * 9.81 * 0.012 * 0.012 * 16.0 / 0.125_f64.powf(4.0 / 3.0);
    let head = number(link, "largest_head_m");
    let most = 0.0625 * std::f64::consts::PI * (2.0 * 9.81 * head / losses).sqrt();
    let peak = number(link, "peak_discharge_m3_s");
    assert!(peak > 0.75 * most && peak < 1.02 * most, "{peak} m³/s, by losses {most}: {said}");
    let (began, full) = (number(link, "began_s"), number(link, "full_s"));
    assert!(began > 5.0 && full > began + 60.0 && full < 600.0, "{link}");
    let (passed, stored) = (number(link, "forwards_m3"), town_m3(folder.path()));
    assert!((passed / stored - 1.0).abs() < 0.01, "{passed} m³ passed, {stored} m³ stand there");
    assert!(number(link, "backwards_m3") <= 0.0);
    holds(&said, &["culvert pipe: peak 0.", " m³ to its end, began at ", ", full first at "]);
    let out = folder.path().join("flood-preview-out");
    let page = fs::read_to_string(out.join("report.html")).expect("a report");
    let words =
        "culvert pipe</th><td>a pipe of 0.5 m, straight, from the ground to the ground</td>";
    assert!(page.contains(words) && page.contains("\"full_s\":"));
    let series = fs::read_to_string(out.join("links.csv")).expect("a table");
    assert!(series.lines().nth(1).is_some_and(|line| line == "0,pipe,0,5,5"), "{series}");
}

/// A culvert with its ends exchanged: negative without a flap, nothing with one.
#[test]
fn a_flap_lets_nothing_back() {
    let back = PIPE.replace("from =", "there =").replace("to =", "from =").replace("there", "to");
    for (culvert, passes) in [(back.clone(), true), (format!("{back}flap = true\n"), false)] {
        let folder = folder(&culvert);
        let (said, list, _) = flood(folder.path(), "--for 6min");
        let peak = number(&list[0], "peak_discharge_m3_s");
        assert_eq!(peak < -0.1, passes, "{said}");
        assert_eq!(number(&list[0], "backwards_m3") > 10.0, passes, "{list}");
        assert_eq!(said.contains("pipe: nothing passed"), !passes, "{said}");
        assert!(number(&list[0], "forwards_m3") <= 0.0, "{list}");
    }
}

/// A pump runs between its two stages, along its curve, into the town; a drain takes water out of
/// the map; both on wider cells too.
#[test]
fn pumps_and_drains_move_what_they_say() {
    let pump = "[[pump]]\nname = \"station\"\nfrom = [1090, 2060]\nto = [1150, 2060]\n\
                curve = [[0, \"4m3/s\"], [2, \"2m3/s\"]]\non = 5.5\noff = 5.2\noutlet = 6.5\n";
    let drain = "[[drain]]\nname = \"gully\"\nat = [1060, 2030]\nbox = [\"1m\", \"50cm\"]\n";
    let outwards =
        "[[pump]]\nname = \"out\"\nfrom = [1070, 2030]\ndischarge = \"1.5m3/s\"\non = 5.2\n";
    let folder = folder(&format!("{pump}{drain}{outwards}"));
    let (said, list, out_m3) = flood(folder.path(), "--for 10min");
    let by_name = |name: &str| {
        let found = list.as_array().expect("a list").iter().find(|link| link["name"] == name);
        found.unwrap_or_else(|| panic!("no {name} in {list}"))
    };
    let (station, gully, out) = (by_name("station"), by_name("gully"), by_name("out"));
    // It lifts over 6.5 m: 1 m at first, less as the water rises.
    let peak = number(station, "peak_discharge_m3_s");
    assert!((3.0..=3.7).contains(&peak), "{said}");
    let began = number(station, "began_s");
    assert!((began - 300.0).abs() < 60.0 && station["full_s"].is_null(), "{said}");
    assert!((number(out, "peak_discharge_m3_s") - 1.5).abs() < 0.01, "{said}");
    let sums = number(gully, "forwards_m3") + number(out, "forwards_m3");
    assert!(number(gully, "forwards_m3") > 100.0, "{said}");
    assert!((sums / out_m3 - 1.0).abs() < 0.02, "{sums} m³ by readings, {out_m3} m³ in the ledger");
    holds(&said, &["pump station: peak 3.", "drain gully: peak ", " m³ out, began at "]);
    assert_eq!(out["path"].as_array().map(Vec::len), Some(1));
    let said = FLOOD.said(folder.path(), "s.toml --check");
    holds(
        &said,
        &["up to 4 m³/s, on from a stage of 5.5 m, off below 5.2 m", "1.5 m³/s out of the"],
    );
}

#[test]
fn a_bad_link_is_one_clear_line() {
    let culvert = |keys: &str| format!("[[culvert]]\nname = \"c\"\n{keys}");
    let ends = "from = [1092, 2061]\nto = [1108, 2061]\n";
    let pump = |keys: &str| format!("[[pump]]\nname = \"p\"\nfrom = [1092, 2061]\n{keys}");
    let drain = |keys: &str| format!("[[drain]]\nname = \"d\"\nat = [1092, 2061]\n{keys}");
    let cases: &[(String, &[&str])] = &[
        (format!("{PIPE}flop = true"), &["s.toml line 18", "unknown field `flop`", "`flap`"]),
        (culvert("from = [1, 2]\ndiameter = 1"), &["missing field `to`"]),
        (culvert(&format!("{ends}diameter = \"4inn\"")), &["line 17", "4inn", "is not a length"]),
        (culvert(ends), &["culvert `c`", "cross-section", "`diameter`, or `box`"]),
        (culvert(&format!("{ends}diameter = 1\nbox = [1, 1]")), &["`c`", "not both"]),
        (culvert(&format!("{ends}diameter = 0")), &["`c`: its `diameter` is 0", "0.001 to 100"]),
        (culvert(&format!("{ends}box = [1, -2]")), &["`c`: its `box` is -2", "0.001 to 100"]),
        (format!("{PIPE}length = 0"), &["`pipe`: its `length` is 0", "0.001 to 1000000"]),
        (format!("{PIPE}manning = nan"), &["`pipe`: its `manning` is NaN", "0 to 1"]),
        (format!("{PIPE}inlet_loss = -1"), &["its `inlet_loss` is -1", "0 to 100"]),
        (
            PIPE.replace("2061", "2500"),
            &[
                "culvert `pipe`: its `from` at 1092,2500 lies outside the map",
                "y from 2000 to 2120",
            ],
        ),
        (
            PIPE.replace("to = [1108, 2061]", "to = [1192, 2110]"),
            &["culvert `pipe`: its `to` 1192,2110 lies off the ground", "NoData"],
        ),
        (
            PIPE.replace("to = [1108, 2061]", "to = [1093, 2062]"),
            &["culvert `pipe`: both ends lie in one cell of 5 m", "--cell-size"],
        ),
        (
            format!("{PIPE}to_invert = 5.75"),
            &[
                "culvert `pipe`: its `to_invert` of 5.75 m hangs",
                "0.5 m",
                "5 m at 1108,2061: lower",
            ],
        ),
        (format!("{PIPE}from_invert = 9000"), &["`from_invert` of culvert `pipe` is", "8192 m"]),
        (format!("{PIPE}{PIPE}"), &["the name `pipe` of a culvert is empty or taken", "`name`"]),
        (pump("on = 5"), &["pump `p`", "`discharge`, or `curve`"]),
        (pump("on = 5\ndischarge = 3"), &["line 17", "is not a discharge", "m3/s"]),
        (pump("on = 5\ndischarge = \"-3m3/s\""), &["`p`: its `discharge` is -3", "0 to 100000"]),
        (pump("discharge = \"3m3/s\""), &["missing field `on`"]),
        (pump("on = 5\noff = 6\ndischarge = \"3m3/s\""), &["`off` of 6 m is above", "swap"]),
        (pump("on = 5\ncurve = []"), &["`p`: the lifts of its `curve` do not rise", "lowest"]),
        (pump("on = 5\ncurve = [[1, \"1m3/s\"], [1, \"0m3/s\"]]"), &["`curve` do not rise"]),
        (pump("on = 5\ncurve = [[1]]"), &["line 17"]),
        (
            pump("on = 5\ndischarge = \"3m3/s\"").replace("\"p\"", "\"river\""),
            &["the name `river` of a pump is empty or taken"],
        ),
        (drain(""), &["drain `d`: its opening needs one shape", "`area` with `perimeter`"]),
        (drain("area = 1"), &["`d`: its opening needs one shape"]),
        (drain("area = 0\nperimeter = 1"), &["`d`: its `area` is 0"]),
        (drain("diameter = 1\nrim = \"high\""), &["line 17", "is not a length"]),
        (
            drain("diameter = 1").replace("1092", "1192").replace("2061", "2110"),
            &["off the ground"],
        ),
    ];
    for (links, words) in cases {
        let folder = folder(links);
        FLOOD.mistaken(folder.path(), "s.toml --for 1min --frames 0 --quiet", words);
        let told = FLOOD.plain(folder.path(), "s.toml --for 1min --frames 0", 2);
        words.iter().for_each(|word| assert!(told.contains(word), "no `{word}` in {told}"));
    }
}
