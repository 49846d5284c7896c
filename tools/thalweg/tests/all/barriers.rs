//! Worlds with barriers and links, from a scenario to a run that goes on.
//!
//! Goal: a run that is saved goes on with its gate and its breach, its culvert and its pump as one
//!       run at once; `info` lists them.
//! Method: a basin with a gate by rule and a levee that breaches after the moment of the save; one
//!         whose pump starts after it.

use std::fs;
use std::path::Path;

use serde_json::Value;
use tempfile::TempDir;
use testkit::{Program, grid, holds};

const THALWEG: Program = Program(env!("CARGO_BIN_EXE_thalweg"));

#[track_caller]
fn water(folder: &Path, world: &str) -> Value {
    THALWEG.json(folder, &format!("info {world} --hash"))["water"].clone()
}

/// Lets `flood-preview` run over `s.toml` and save a world.
/// Cycles end at its frames, one a minute, as those of `thalweg run` do.
fn preview(folder: &Path, minutes: u32, world: &str) {
    let at = |name: &str| folder.join(name).to_string_lossy().into_owned();
    let words = [
        "flood-preview",
        &at("s.toml"),
        "--quiet",
        "--frames",
        &minutes.to_string(),
        "--for",
        &format!("{minutes}min"),
        "--world",
        &at(world),
        "--out",
        &at("maps"),
    ];
    let words = words.map(Into::into).to_vec();
    flood_preview::run::run(words).expect("a sound run");
}

/// A folder with the map of a flat basin.
fn basin() -> TempDir {
    testkit::folder(&[("dem.asc", grid((40, 24), 5.0, |_, _| 5))])
}

#[test]
fn a_world_with_barriers_runs_on_as_one_run() {
    let folder = basin();
    let at = folder.path();
    let scenario = r#"
        [map]
        file = "dem.asc"
        [edges]
        all = "wall"
        [[inflow]]
        edge = "west"
        discharge = "60m3/s"
        [[barrier]]
        name = "levee"
        path = [[1100, 2120], [1100, 2000]]
        crest = [8, 8.5]
        [barrier.breach]
        stage = 5.8
        at = [1050, 2060]
        bottom = 5.2
        width = 20
        over = "1min"
        [[barrier]]
        name = "gate"
        path = [[1150, 2120], [1150, 2000]]
        crest = 8
        [barrier.gap]
        rule = [[5.5, 0], [6.5, "40cm"]]
        at = [1050, 2060]
    "#;
    fs::write(at.join("s.toml"), scenario).expect("writable");
    preview(at, 2, "part.thalweg");
    preview(at, 4, "once.thalweg");
    let before = water(at, "part.thalweg");
    let breach = &before["barriers"][0]["breach"];
    assert!(breach["begun_s"].is_null() && breach["width_m"] == 20.0, "{before}");
    THALWEG.done(at, "run part.thalweg --until 4min");
    let (part, once) = (water(at, "part.thalweg"), water(at, "once.thalweg"));
    assert_eq!(part["state_hash"], once["state_hash"]);
    assert_eq!(part["barriers"], once["barriers"]);
    let begun_s = part["barriers"][0]["breach"]["begun_s"].as_f64();
    assert!(begun_s.is_some_and(|at| (121.0..200.0).contains(&at)), "{part}");
    let text = THALWEG.done(at, "info part.thalweg");
    holds(
        &text,
        &[
            "  barriers levee: 120 m long, crest at 8 to 8.5 m, a breach 20 m wide down to 5.2 m \
             at a stage of 5.8 m, begun at 2 min ",
            "           gate: 120 m long, crest at 8 m, a gap up to 0.4 m open, by rule\n",
        ],
    );
}

#[test]
fn a_world_with_links_runs_on_as_one_run() {
    let folder = basin();
    let at = folder.path();
    let scenario = r#"
        [map]
        file = "dem.asc"
        [edges]
        all = "wall"
        [[inflow]]
        edge = "west"
        discharge = "60m3/s"
        [[barrier]]
        name = "levee"
        path = [[1100, 2120], [1100, 2000]]
        crest = 8
        [[culvert]]
        name = "pipe"
        from = [1090, 2060]
        to = [1110, 2060]
        diameter = "1m"
        flap = true
        [[pump]]
        name = "station"
        from = [1120, 2060]
        to = [1080, 2060]
        discharge = "1.5m3/s"
        on = 5.01
        off = 5.005
        [[drain]]
        name = "gully"
        at = [1060, 2060]
        diameter = "50cm"
    "#;
    fs::write(at.join("s.toml"), scenario).expect("writable");
    preview(at, 2, "part.thalweg");
    preview(at, 4, "once.thalweg");
    let drained = |world: &Value| {
        let accounts = world["accounts"].as_array().expect("accounts").clone();
        let gully = accounts.into_iter().find(|account| account["name"] == "gully");
        gully.map_or(0.0, |account| account["out_m3"].as_f64().expect("a volume"))
    };
    let before = drained(&water(at, "part.thalweg"));
    THALWEG.done(at, "run part.thalweg --until 4min");
    let (part, once) = (water(at, "part.thalweg"), water(at, "once.thalweg"));
    assert_eq!((&part["state_hash"], &part["links"]), (&once["state_hash"], &once["links"]));
    assert!(drained(&part) > before + 0.1, "{before} m³ at first: {part}");
    let text = THALWEG.done(at, "info part.thalweg");
    holds(
        &text,
        &[
            "  links    culvert pipe: a pipe of 1 m, straight, from 5 m to 5 m, with a flap\n",
            "           pump station: 1.5 m³/s, on from a stage of 5.01 m, off below 5.005 m\n",
            "           drain gully: 0.1963 m² with a rim of 1.5708 m at the ground\n",
        ],
    );
}
