//! Tunnels and bridges of a scenario, from their sections to the maps.
//!
//! Goal: water passes through a tunnel and below a deck, and over it, and is on the maps; a bad one
//!       is refused in one line.
//! Method: a flat basin that a ridge of the map parts, with an inflow in the west and a town in the
//!         east.

use std::path::Path;

use tempfile::TempDir;
use testkit::{Program, grid, holds, raster};

const FLOOD: Program = Program(env!("CARGO_BIN_EXE_flood-preview"));

const WIDTH: usize = 40;
const HEIGHT: usize = 24;

/// 20 m³/s raise the water west of the ridge by 1 m in ten minutes.
const WATER: &str = "[map]\nfile = \"dem.asc\"\n[edges]\nall = \"wall\"\n\
                     [[inflow]]\nname = \"river\"\nedge = \"west\"\ndischarge = \"20m3/s\"\n";

const TUNNEL: &str = "[[tunnel]]\nname = \"t\"\npath = [[1090, 2061], [1110, 2068]]\nfloor = 5\n\
                      box = [6, \"1.5m\"]\n";

/// Through the gap in the ridge, where the ground is at 5 m.
const BRIDGE: &str = "[[bridge]]\nname = \"b\"\npath = [[1100, 2012], [1100, 2038]]\ndeck = 6.5\n\
                      width = \"10m\"\n";

/// Cells of 5 m at 5 m, the south-west corner at 1000, 2000, with a ridge of 12 m that may have a
/// gap of four cells; the north-east is `NoData`.
fn folder(rocks: &str, has_gap: bool) -> TempDir {
    let is_ridge =
        |col: usize, row: usize| (19..21).contains(&col) && !(has_gap && (17..21).contains(&row));
    let basin = grid((WIDTH, HEIGHT), 5.0, |col, row| match (col, row) {
        (36.., ..4) => "-9999",
        _ if is_ridge(col, row) => "12",
        _ => "5",
    });
    testkit::folder(&[("dem.asc", basin), ("s.toml", format!("{WATER}{rocks}"))])
}

/// Volume in the town at the end, and on the ridge, m³.
fn volumes_m3(folder: &Path) -> [f64; 2] {
    let said = FLOOD.said(folder, "s.toml --frames 1 --for 10min");
    assert!(said.contains("to the unit"), "{said}");
    let (_, depth) = raster(&folder.join("flood-preview-out/final_depth.tif"));
    let volume_m3 = |columns: std::ops::Range<usize>| -> f64 {
        let own = depth.iter().enumerate().filter(|(at, _)| columns.contains(&(at % WIDTH)));
        own.filter(|(_, depth)| depth.is_finite()).map(|(_, depth)| f64::from(*depth) * 25.0).sum()
    };
    [volume_m3(21..WIDTH), volume_m3(19..21)]
}

#[test]
fn a_tunnel_carries_water_through_a_ridge() {
    let [without, _] = volumes_m3(folder("", false).path());
    assert!(without <= 0.0, "{without} m³ through the ridge");
    let folder = folder(TUNNEL, false);
    let [town, _] = volumes_m3(folder.path());
    assert!(town > 500.0, "{town} m³ through the tunnel");
    let said = FLOOD.said(folder.path(), "s.toml --check");
    holds(&said, &["tunnel t", "box of 6 x 1.5 m, floor at 5 m"]);
}

/// The lower the deck, the less passes; and over a low one water flows as well.
#[test]
fn a_deck_dams_the_flood() {
    let town = |bridge: &str| volumes_m3(folder(bridge, true).path());
    let high = town(BRIDGE);
    let low = town(&format!("{}thickness = \"1.3m\"\n", BRIDGE.replace("6.5", "6.4")));
    let walled =
        town(&format!("{}thickness = \"1.3m\"\nparapet = 5\n", BRIDGE.replace("6.5", "6.4")));
    let over = town(&format!("{}thickness = \"10cm\"\n", BRIDGE.replace("6.5", "5.2")));
    assert!(high[0] > 1.3 * low[0] && low[0] > 100.0, "{high:?}, {low:?}");
    assert!(high[1] <= 0.0 && over[1] > 1.0, "water on the deck: {high:?}, {over:?}");
    assert!(walled[0] <= 1.01 * low[0], "{walled:?}, {low:?}");
    let said = FLOOD.said(folder(BRIDGE, true).path(), "s.toml --check");
    holds(&said, &["bridge b", "10 m wide, 0.5 m thick, parapets of 0 m, deck at 6.5 m"]);
}

/// A stage at the start stands below a deck too: nothing moves.
#[test]
fn a_lake_stands_below_a_deck() {
    let lake = BRIDGE.to_owned() + "[initial]\nstage = 5.8\n";
    let folder = folder(&lake, true);
    let still = WATER.split("[[inflow]]").next().expect("a map");
    std::fs::write(folder.path().join("s.toml"), format!("{still}{lake}")).expect("a file");
    FLOOD.said(folder.path(), "s.toml --frames 1 --for 5min");
    let (_, depth) = raster(&folder.path().join("flood-preview-out/final_depth.tif"));
    let wet = depth.iter().filter(|depth| depth.is_finite() && **depth > 0.0);
    assert!(wet.clone().count() > 500);
    assert!(wet.clone().all(|depth| (depth - 0.8).abs() < 1.0e-3), "{:?}", wet.clone().next());
}

/// Goal: the river under a bridge is on the maps: below the deck alone, as deep as beside it, and
///       its level; a run without a bridge leaves no such map.
#[test]
fn a_river_is_seen_below_its_bridge() {
    let folder = folder(BRIDGE, true);
    let out = folder.path().join("flood-preview-out");
    FLOOD.said(folder.path(), "s.toml --frames 1 --for 10min");
    let map = |name: &str| raster(&out.join(name)).1;
    let (open, below) = (map("max_depth.tif"), map("max_depth_below.tif"));
    let stage = map("max_stage_below.tif");
    let is_deck = |at: usize| (19..21).contains(&(at % WIDTH)) && (17..21).contains(&(at / WIDTH));
    for at in 0..WIDTH * HEIGHT {
        let (col, row) = (at % WIDTH, at / WIDTH);
        assert_eq!(below[at].is_finite(), is_deck(at), "{col}, {row}: {} m", below[at]);
        assert_eq!(stage[at].is_finite(), is_deck(at), "{col}, {row}");
        if is_deck(at) {
            assert!(open[at].is_nan(), "{col}, {row}: the deck stays dry");
            let beside = [open[row * WIDTH + 18], open[row * WIDTH + 21]];
            let (least, most) = (beside[0].min(beside[1]), beside[0].max(beside[1]));
            let is_between = (least - 0.05..=most + 0.05).contains(&below[at]);
            assert!(is_between && below[at] > 0.2, "{col}, {row}: {} in {beside:?}", below[at]);
            assert!((stage[at] - 5.0 - below[at]).abs() < 0.01, "{col}, {row}: {}", stage[at]);
        }
    }
    let summary = std::fs::read_to_string(out.join("summary.json")).expect("there");
    holds(&summary, &["\"max_depth_below\": {"]);
    let page = std::fs::read_to_string(out.join("report.html")).expect("there");
    holds(&page, &["max_stage_below.tif", "\"kind\":\"bridge\"", "Below decks and in tunnels"]);
    std::fs::write(folder.path().join("s.toml"), WATER).expect("a file");
    FLOOD.said(folder.path(), "s.toml --frames 1 --for 1min");
    let names = testkit::names(&out);
    assert!(!names.iter().any(|name| name.contains("below")), "{names:?}");
    let summary = std::fs::read_to_string(out.join("summary.json")).expect("there");
    assert!(!summary.contains("below"), "{summary}");
}

#[test]
fn a_bad_rock_is_one_clear_line() {
    let tunnel = |from: &str, to: &str| TUNNEL.replace(from, to);
    let bridge = |keys: &str| format!("{BRIDGE}{keys}");
    let cases: &[(String, &[&str])] = &[
        (tunnel("box =", "bex ="), &["unknown field `bex`", "`box`"]),
        (tunnel("box = [6, \"1.5m\"]", ""), &["tunnel `t`", "cross-section", "`arch`"]),
        (format!("{TUNNEL}diameter = 1\n"), &["tunnel `t`", "needs one shape"]),
        (tunnel("[6,", "[0,"), &["tunnel `t`: the width of the section is 0 m"]),
        (tunnel(", [1110, 2068]]", "]"), &["tunnel `t`: its `path` has 1 corners"]),
        (tunnel("floor = 5", "floor = [5, 6, 7]"), &["`floor` has 3 elevations for 2 corners"]),
        (tunnel("2061", "2500"), &["tunnel `t`: its `path` at 1090,2500 lies outside the map"]),
        (
            tunnel("2061", "2001").replace("[6,", "[40,"),
            &["tunnel `t`: cell ", ", -1 lies outside the map"],
        ),
        (tunnel("[1110, 2068]", "[1190, 2110]"), &["tunnel `t`: cell ", "lies outside the map"]),
        (tunnel("floor = 5", "floor = -9000"), &["`floor` of tunnel `t` is -9000 m", "8192 m"]),
        (format!("{TUNNEL}{}", BRIDGE.replace("\"b\"", "\"t\"")), &["the name `t` of a bridge"]),
        (bridge("thickness = 0\n"), &["bridge `b`: its `thickness` is 0 m", "more than 0 m"]),
        (bridge("parapet = -1\n"), &["bridge `b`: its `parapet` is -1 m"]),
        (BRIDGE.replace("width = \"10m\"\n", ""), &["missing field `width`"]),
    ];
    for (rocks, words) in cases {
        let folder = folder(rocks, true);
        FLOOD.mistaken(folder.path(), "s.toml --for 1min --frames 0 --quiet", words);
    }
}

#[test]
fn cells_together_are_refused() {
    let plain = grid((700, 500), 5.0, |_, _| "5");
    let scenario = format!("{WATER}{TUNNEL}");
    let folder = testkit::folder(&[("dem.asc", plain), ("s.toml", scenario)]);
    let words = ["tunnel `t`: cells of 10 m are simulated together", "quality = \"fine\"", "flat"];
    for wide in ["--quality draft", "--cell-size 10"] {
        FLOOD.mistaken(folder.path(), &format!("s.toml {wide} --check --quiet"), &words);
        FLOOD.said(folder.path(), &format!("s.toml {wide} --columns flat --check"));
    }
    FLOOD.said(folder.path(), "s.toml --quality fine --check");
}
