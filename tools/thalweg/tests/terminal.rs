//! Text that reaches the terminal: the real program on worlds and files whose names would command
//! it.
//!
//! Goal: no byte below 0x20 but the end of a line, no 0x7f, no C1 control and no mark that turns
//!       the direction of writing; JSON says the names as they are; pictures and help without
//!       escape codes where no terminal reads them.
//! Method: a world of which everything has such a name, made by `flood-preview` itself.

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;
use thalweg::units::plain::is_obeyed;

/// Clears the screen, sets the title, forges a line, turns the direction of writing.
const HOSTILE: &str = "a\u{1b}[2J\u{1b}]0;b\u{7}\n\u{9b}1m\u{202e}\u{2066}\u{7f}\r\u{85}c";

/// The hostile name in a file's name.
const PATH: &str = "p\u{1b}[2J\u{9b}\u{202e}\u{7f}.thalweg";

/// A folder with `flood.thalweg`, and the same world under a name that would command a terminal.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let at = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let mut map = "ncols 70\nnrows 66\nxllcorner 1000\nyllcorner 2000\ncellsize 5\n".to_owned();
    (0..66).for_each(|_| map += &("1 ".repeat(70) + "\n"));
    fs::write(at("dem.asc"), map).expect("writable");
    let shown = |c: char| match c.is_ascii_graphic() {
        true => c.to_string(),
        false => format!("\\U{:08x}", u32::from(c)),
    };
    let name: String = HOSTILE.chars().map(shown).collect();
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

/// Fails where a terminal would obey something of what was printed; returns it.
#[track_caller]
fn check(folder: &Path, line: &str, code: i32) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_thalweg"))
        .args(line.split(' '))
        .current_dir(folder)
        .output()
        .expect("the program starts");
    let [out, err] = [output.stdout, output.stderr]
        .map(|bytes| String::from_utf8(bytes).expect("nothing but UTF-8"));
    assert_eq!(output.status.code(), Some(code), "{line:?}: {err:?}");
    for text in [&out, &err] {
        let is_bad = |c: char| c != '\n' && is_obeyed(c);
        assert!(!text.contains(is_bad), "{line:?}: {text:?}");
    }
    if code == 2 {
        assert_eq!(err.trim_end().lines().count(), 1, "{line:?}: {err:?}");
    }
    assert!(!out.lines().chain(err.lines()).any(|line| line.starts_with("\\u{9b}1m")), "{out:?}");
    out + &err
}

#[test]
fn names_in_a_world_do_not_command_the_terminal() {
    let folder = folder();
    let at = folder.path();
    let info = check(at, "info flood.thalweg", 0);
    for words in ["a\\u{1b}[2J", "rain: ", "wall: 40 m long", "drain: "] {
        assert!(info.contains(words), "no `{words}` in {info}");
    }
    let json: Value =
        serde_json::from_str(&check(at, "info flood.thalweg --json", 0)).expect("JSON");
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
        check(at, &line, 0);
    }
    check(at, &format!("diff flood.thalweg {PATH}"), 1);
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
        check(at, &line, 2);
    }
}

#[test]
fn pictures_are_drawn_on_a_terminal_alone_and_help_in_a_file_has_no_escape_codes() {
    let folder = folder();
    let at = folder.path();
    let info = check(at, "info flood.thalweg", 0);
    assert!(info.starts_with("flood.thalweg\n") && !info.contains(['░', '█', '≈', '▀']), "{info}");
    for line in ["--help", "help", "run --help", "--version"] {
        assert!(check(at, line, 0).contains("thalweg"));
    }
}
