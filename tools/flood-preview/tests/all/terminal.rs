//! Text that reaches the terminal: the real program on names that would command it.
//!
//! Goal: no byte below 0x20 but the end of a line, no 0x7f, no C1 control and no mark that turns
//!       the direction of writing, whatever a scenario, a map, a table or a file's name holds; help
//!       without escape codes where it is no terminal that reads it.
//! Method: each name is put wherever a scenario, a map or the command line takes one.

use std::fs;

use tempfile::TempDir;
use testkit::{HOSTILE, Program, grid, holds, toml_escaped};

/// The hostile name in a file's name, which holds no line end here.
const PATH: &str = "p\u{1b}[2J\u{9b}\u{202e}\u{7f}";

const FLOOD: Program = Program(env!("CARGO_BIN_EXE_flood-preview"));

fn dem(last: &str) -> String {
    let cell = |col, row| if (row, col) == (9, 11) { last.into() } else { (20 - col).to_string() };
    grid((12, 10), 5.0, cell)
}

/// A scenario that names all that has a name.
fn scenario(name: &str) -> String {
    let name = toml_escaped(name);
    format!(
        "title = \"{name}\"\n[map]\nfile = \"dem.asc\"\n[run]\nfor = \"1min\"\n\
         [[rain]]\nname = \"{name} rain\"\nrate = \"60mm/h\"\n\
         [[inflow]]\nname = \"{name} inflow\"\nat = [1022, 2022]\ndischarge = \"0.1m3/s\"\n\
         [[edge]]\nname = \"{name} edge\"\nside = \"east\"\nfrom = 2010\nto = 2030\n\
         condition = \"wall\"\n\
         [[barrier]]\nname = \"{name} wall\"\npath = [[1030, 2005], [1030, 2045]]\ncrest = 16\n\
         [[drain]]\nname = \"{name} drain\"\nat = [1042, 2022]\ndiameter = \"50cm\"\n\
         [[gauge]]\nname = \"{name} gauge\"\nat = [1022, 2032]\n"
    )
}

fn folder() -> TempDir {
    testkit::folder(&[
        ("dem.asc", dem("9")),
        ("s.toml", scenario(HOSTILE)),
        ("q.csv", format!("time [{HOSTILE}], {HOSTILE}\n0,1\n")),
        ("bad.asc", dem(PATH)),
        ("dem.thalweg", "none".to_owned()),
    ])
}

#[test]
fn names_of_a_scenario_do_not_command_the_terminal() {
    let folder = folder();
    let at = folder.path();
    for line in ["s.toml --check", "s.toml --out o --world w.thalweg -vvv", "s.toml --out o2"] {
        let said = FLOOD.plain(at, line, 0);
        assert!(said.contains("a\\u{1b}[2J") && said.contains("wall"), "{said}");
    }
}

#[test]
fn refusals_do_not_command_the_terminal() {
    let folder = folder();
    let at = folder.path();
    for key in ["rain", "inflow", "edge", "barrier", "drain", "gauge"] {
        let text = scenario(HOSTILE);
        let part = text.split("[[").find(|part| part.starts_with(key)).expect("there");
        fs::write(at.join("twice.toml"), format!("{text}[[{part}")).expect("writable");
        FLOOD.plain(at, "twice.toml --check", 2);
        let odd = text.replacen(
            &format!("[[{key}]]\n"),
            &format!("[[{key}]]\n\"{}\" = 1\n", toml_escaped(HOSTILE)),
            1,
        );
        fs::write(at.join("odd.toml"), odd).expect("writable");
        FLOOD.plain(at, "odd.toml --check", 2);
        // As bytes, which no TOML may hold.
        fs::write(at.join("raw.toml"), text.replacen(&toml_escaped(HOSTILE), HOSTILE, 2))
            .expect("writable");
        FLOOD.plain(at, "raw.toml --check", 2);
    }
    for line in [
        format!("{PATH}.tif"),
        format!("{PATH}.toml"),
        format!("dem.asc --gauge {PATH}=1,2"),
        format!("dem.asc --gauge {PATH}=1022,2022 --gauge {PATH}=1022,2022"),
        format!("dem.asc --rain {PATH}"),
        format!("dem.asc --rain {PATH}.csv"),
        format!("dem.asc --{PATH}"),
        format!("dem.asc --edge {PATH}=wall"),
        format!("dem.asc --inflow 1022,2022={PATH}.csv"),
        "dem.asc --inflow 1022,2022=q.csv".to_owned(),
        format!("dem.asc --land-cover {PATH}.tif"),
        format!("dem.asc --out dem.asc/{PATH}"),
        "bad.asc --check".to_owned(),
    ] {
        FLOOD.plain(at, &line, 2);
    }
}

#[test]
fn a_world_is_no_map_and_the_refusal_names_the_commands_that_are_meant() {
    let folder = folder();
    let said = FLOOD.plain(folder.path(), "dem.thalweg", 2);
    holds(
        &said,
        &["a world, and no map", "thalweg run dem.thalweg --for 1h", "viewer dem.thalweg"],
    );
    let said = FLOOD.plain(folder.path(), &format!("{PATH}.thalweg --check"), 2);
    assert!(said.contains("thalweg run"), "{said}");
}

#[test]
fn help_in_a_file_has_no_escape_codes() {
    let folder = folder();
    for line in ["--help", "-h", "--version"] {
        let said = FLOOD.plain(folder.path(), line, 0);
        assert!(said.contains("flood-preview"), "{said}");
    }
}
