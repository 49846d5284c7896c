//! Cells wider than the map's, by `--cell-size`: tables of the ground in them, or flat ones.
//!
//! Goal: whatever a scenario has works on them, on a map that is no whole number of them wide or
//!       high and has NoData; maps have the map's own grid; flat ones are had on request.

use std::fs;
use std::path::Path;

use serde_json::Value;
use testkit::{Program, grid, holds, raster};

const FLOOD: Program = Program(env!("CARGO_BIN_EXE_flood-preview"));

/// Columns and rows of the map, of cells of 5 m: no multiple of 2.
const WIDTH: usize = 61;
const HEIGHT: usize = 43;

/// A valley to the east with a ditch one cell wide, NoData in its north-western corner.
fn bed(column: usize, row: usize) -> f64 {
    if column < 7 && row < 5 {
        return -9999.0;
    }
    let aside = row.abs_diff(21) as f64;
    let ditch = if row == 21 { 1.5 } else { 0.0 };
    10.0 - 0.02 * column as f64 + 0.05 * aside - ditch
}

/// Every kind of water, ground and structure that wide cells take. The gauge stands in the last
/// column and the first row.
const ALL: &str = r#"
[map]
file = "dem.asc"
nodata = "-9999"
[run]
for = "20min"
[[rain]]
rate = "60mm/h"
for = "10min"
[[inflow]]
name = "spring"
at = [1060, 2107]
discharge = "1m3/s"
[[inflow]]
name = "brook"
edge = "west"
from = 2100
to = 2115
discharge = "1m3/s"
[edges]
all = "wall"
east = "stage:9"
nodata = "open"
[[edge]]
name = "corner"
side = "north"
from = 1280
to = 1305
condition = "open"
[[barrier]]
name = "levee"
path = [[1150, 2000], [1150, 2215]]
crest = 11
gap = { sill = 9, opening = "1m" }
[[culvert]]
name = "pipe"
from = [1200, 2080]
to = [1250, 2107]
diameter = "60cm"
[ground]
manning = "rough.asc"
green_ampt = "K=10mm/h,psi=11cm,dtheta=0.3"
[[gauge]]
name = "last"
at = [1303, 2213]
"#;

fn folder() -> tempfile::TempDir {
    let rough = |column: usize, _: usize| if column < 30 { 0.03 } else { 0.06 };
    testkit::folder(&[
        ("dem.asc", grid((WIDTH, HEIGHT), 5.0, bed)),
        ("rough.asc", grid((WIDTH, HEIGHT), 5.0, rough)),
        ("s.toml", ALL.to_owned()),
    ])
}

/// Accounts into the world, m³, after a check that the books balance to the unit.
#[track_caller]
fn came_in_m3(folder: &Path, account: &str) -> f64 {
    let text = fs::read_to_string(folder.join("flood-preview-out/ledger.json"));
    let ledger: Value = serde_json::from_str(&text.expect("a ledger")).expect("sound JSON");
    let units = |value: &Value| value.as_str().expect("text").parse::<i128>().expect("an integer");
    let sum = |way: &str| ledger[way].as_object().expect("accounts").values().map(units).sum();
    let (into, out): (i128, i128) = (sum("in"), sum("out"));
    assert_eq!(units(&ledger["initial"]) + into - out, units(&ledger["stored"]), "{ledger}");
    units(&ledger["in"][account]) as f64 * ledger["unit_m3"].as_f64().expect("a number")
}

/// Method: rain falls on the ground's area and on nothing else, whatever the cells; the books
/// balance; maps have the map's own cells, NoData where it has.
#[test]
fn wide_cells_take_all_that_a_scenario_has() {
    let folder = folder();
    let ground = WIDTH * HEIGHT - 7 * 5;
    for cell_m in [5, 10, 20, 40] {
        let line = format!("s.toml --cell-size {cell_m} --frames 2");
        let said = FLOOD.said(folder.path(), &line);
        let is_wide = cell_m > 5;
        assert_eq!(said.contains("each with a table of the ground"), is_wide, "{cell_m}: {said}");
        let rain_m3 = came_in_m3(folder.path(), "rain");
        let expected_m3 = 25.0 * ground as f64 * 0.01;
        assert!((rain_m3 / expected_m3 - 1.0).abs() < 1.0e-3, "{cell_m} m: {rain_m3} m³");
        for inflow in ["spring", "brook"] {
            let came_m3 = came_in_m3(folder.path(), inflow);
            assert!((came_m3 - 1200.0).abs() < 1.0, "{cell_m} m: {inflow} {came_m3} m³");
        }
        let (found, depth_m) = raster(&folder.path().join("flood-preview-out/max_depth.tif"));
        assert_eq!((found.width, found.height), (WIDTH, HEIGHT), "{cell_m} m");
        let wet = |column: usize, row: usize| depth_m[row * WIDTH + column] > 0.3;
        assert!(wet(20, 21) && !wet(20, 24), "{cell_m} m: the ditch alone is deep");
        assert!(depth_m[0].is_nan(), "{cell_m} m: NoData");
        let gauges = fs::read_to_string(folder.path().join("flood-preview-out/gauges.csv"));
        assert!(gauges.expect("a table").contains("last"), "{cell_m} m");
    }
}

/// Goal: water of a raster of depths that wide cells spread over a wall within them is told once,
/// with its volume and what mends it; a level lake, and the map's own cells, need no note.
/// Method: 4 m of water within a rim one cell wide, over the corner of four cells of 20 m.
#[test]
fn initial_depths_that_wide_cells_move_are_told() {
    let is_inside = |at: usize| (6..10).contains(&at);
    let is_rim = |column: usize, row: usize| {
        let near = |at: usize| (5..11).contains(&at);
        near(column) && near(row) && !(is_inside(column) && is_inside(row))
    };
    let tank = |column: usize, row: usize| if is_rim(column, row) { 10.0 } else { 0.0 };
    let depth = |column: usize, row: usize| {
        if is_inside(column) && is_inside(row) { 4.0 } else { 0.0 }
    };
    let size = (16, 16);
    let folder = testkit::folder(&[
        ("tank.asc", grid(size, 5.0, tank)),
        ("depth.asc", grid(size, 5.0, depth)),
        ("lake.asc", grid(size, 5.0, |_, _| 1.0)),
        ("flat.asc", grid(size, 5.0, |_, _| 0.0)),
    ]);
    for (line, is_told) in [
        ("tank.asc --initial-depth depth.asc --cell-size 20", true),
        ("tank.asc --initial-depth depth.asc", false),
        ("flat.asc --initial-depth lake.asc --cell-size 20", false),
    ] {
        let said = FLOOD.said(folder.path(), &format!("{line} --for 10s --frames 0"));
        let words = "m³ of 1600 m³ at once: the water of a simulated cell of 20 m begins with one \
                     level, over walls within the cell too; --cell-size 5 leaves it";
        assert_eq!(said.contains(words), is_told, "{line}: {said}");
        assert_eq!(said.matches("at once: ").count(), usize::from(is_told), "{line}: {said}");
    }
}

#[test]
fn flat_cells_are_had_on_request_and_told() {
    let folder = folder();
    let flat = "s.toml --cell-size 20 --columns flat --frames 0";
    holds(&FLOOD.said(folder.path(), flat), &["cells of 20 m are flat", "--columns flat"]);
    let (found, depth_m) = raster(&folder.path().join("flood-preview-out/max_depth.tif"));
    assert_eq!((found.width, found.height), (WIDTH, HEIGHT));
    let [ditch_m, bank_m] = [21, 23].map(|row| depth_m[row * WIDTH + 22]);
    assert!(
        ditch_m > 0.0 && ditch_m.to_bits() == bank_m.to_bits(),
        "one depth in a cell: {ditch_m} m and {bank_m} m"
    );
    let own = "s.toml --columns sub-grid --check";
    holds(&FLOOD.said(folder.path(), own), &["--columns sub-grid changes nothing"]);
}
