//! Text that reaches the terminal: the real program on worlds and files whose names would command
//! it.
//!
//! Goal: no byte below 0x20 but the end of a line, no 0x7f, no C1 control and no mark that turns
//!       the direction of writing; JSON says the names as they are; pictures and help without
//!       escape codes where no terminal reads them.
//! Method: a world of which everything has such a name, made by `flood-preview` itself.

use std::ffi::OsString;
use std::fs;

use serde_json::Value;
use tempfile::TempDir;
use testkit::{HOSTILE, Program, grid, holds, toml_escaped};

const THALWEG: Program = Program(env!("CARGO_BIN_EXE_thalweg"));

/// The hostile name in a file's name.
const PATH: &str = "p\u{1b}[2J\u{9b}\u{202e}\u{7f}.thalweg";

/// A folder with `flood.thalweg`, and the same world under a name that would command a terminal.
fn folder() -> TempDir {
    let folder = testkit::folder(&[("dem.asc", grid((70, 66), 5.0, |_, _| 1))]);
    let at = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let name = toml_escaped(HOSTILE);
    let scenario = format!(
        "title = \"{name}\"\n[map]\nfile = \"dem.asc\"\n[run]\nfor = \"10s\"\n\
         [[rain]]\nname = \"{name} rain\"\nrate = \"60mm/h\"\n\
         [[barrier]]\nname = \"{name} wall\"\npath = [[1030, 2005], [1030, 2045]]\ncrest = 16\n\
         [[drain]]\nname = \"{name} drain\"\nat = [1042, 2022]\ndiameter = \"50cm\"\n"
    );
    fs::write(at("s.toml"), scenario).expect("writable");
    let words = ["flood-preview", &at("s.toml"), "--quiet", "--out", &at("maps"), "--world"];
    let words = words.map(OsString::from).into_iter().chain([at("flood.thalweg").into()]);
    flood_preview::run::run(words.collect()).expect("a sound run");
    fs::copy(at("flood.thalweg"), at(PATH)).expect("a name like any other");
    folder
}

#[test]
fn names_in_a_world_do_not_command_the_terminal() {
    let folder = folder();
    let at = folder.path();
    let info = THALWEG.plain(at, "info flood.thalweg", 0);
    holds(&info, &["a\\u{1b}[2J", "rain: ", "wall: 40 m long", "drain: "]);
    let json: Value =
        serde_json::from_str(&THALWEG.plain(at, "info flood.thalweg --json", 0)).expect("JSON");
    assert_eq!(json["water"]["barriers"][0]["name"], format!("{HOSTILE} wall"));
    for line in [
        format!("info {PATH}"),
        format!("info {PATH} --json"),
        format!("verify {PATH}"),
        format!("run {PATH} --for 1s"),
        format!("export {PATH} {PATH}.tif"),
        format!("compact {PATH}"),
        format!("compact {PATH} b{PATH}"),
        format!("bench {PATH}"),
    ] {
        THALWEG.plain(at, &line, 0);
    }
    THALWEG.plain(at, &format!("diff flood.thalweg {PATH}"), 1);
    for line in [
        format!("info no{PATH}"),
        format!("export {PATH} {PATH}.{PATH}"),
        format!("export {PATH} {PATH}.tif"),
        format!("export {PATH} x.tif --level 99"),
        format!("info {PATH} --png {PATH}"),
        format!("compact {PATH} {PATH}"),
        PATH.to_owned(),
        format!("import none{PATH}.tif x.thalweg"),
        format!("run {PATH} --until {PATH}"),
    ] {
        THALWEG.plain(at, &line, 2);
    }
}

#[test]
fn pictures_are_drawn_on_a_terminal_alone_and_help_in_a_file_has_no_escape_codes() {
    let folder = folder();
    let at = folder.path();
    let info = THALWEG.plain(at, "info flood.thalweg", 0);
    assert!(info.starts_with("flood.thalweg\n") && !info.contains(['░', '█', '≈', '▀']), "{info}");
    for line in ["--help", "help", "run --help", "--version"] {
        assert!(THALWEG.plain(at, line, 0).contains("thalweg"));
    }
}
