//! Text that reaches the terminal: the real program on names that would command it.
//!
//! Goal: no byte below 0x20 but the end of a line, no 0x7f, no C1 control and no mark that turns
//!       the direction of writing, whatever a scenario, a map, a table or a file's name holds; help
//!       without escape codes where it is no terminal that reads it.
//! Method: each name is put wherever a scenario, a map or the command line takes one.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use tempfile::TempDir;
use thalweg::units::plain::is_obeyed;

/// Clears the screen, sets the title, forges a line, turns the direction of writing.
const HOSTILE: &str = "a\u{1b}[2J\u{1b}]0;b\u{7}\n\u{9b}1m\u{202e}\u{2066}\u{7f}\r\u{85}c";

/// The hostile name in a file's name, which holds no line end here.
const PATH: &str = "p\u{1b}[2J\u{9b}\u{202e}\u{7f}";

/// As TOML writes a text.
fn toml(text: &str) -> String {
    let shown = |c: char| match c.is_ascii_graphic() && c != '"' && c != '\\' {
        true => c.to_string(),
        false => format!("\\U{:08x}", u32::from(c)),
    };
    text.chars().map(shown).collect()
}

fn dem(last: &str) -> String {
    let mut text = "ncols 12\nnrows 10\nxllcorner 1000\nyllcorner 2000\ncellsize 5\n\
                    NODATA_value -9999\n"
        .to_owned();
    for row in 0..10 {
        let cell =
            |col: usize| if (row, col) == (9, 11) { last.into() } else { (20 - col).to_string() };
        text += &((0..12).map(cell).collect::<Vec<_>>().join(" ") + "\n");
    }
    text
}

/// A scenario that names all that has a name.
fn scenario(name: &str) -> String {
    let name = toml(name);
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
    let folder = tempfile::tempdir().expect("a temporary folder");
    let write = |name: &str, text: &str| {
        fs::write(folder.path().join(name), text).expect("writable");
    };
    write("dem.asc", &dem("9"));
    write("s.toml", &scenario(HOSTILE));
    write("q.csv", &format!("time [{HOSTILE}], {HOSTILE}\n0,1\n"));
    write("bad.asc", &dem(PATH));
    write("dem.thalweg", "none");
    folder
}

fn run(folder: &Path, words: &[&OsStr]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_flood-preview"))
        .args(words)
        .current_dir(folder)
        .output()
        .expect("the program starts")
}

/// Fails where a terminal would obey something of what was printed.
#[track_caller]
fn check(folder: &Path, line: &str, code: i32) -> String {
    let words: Vec<OsString> =
        line.split(' ').map(|word| word.replace("%20", " ").into()).collect();
    let output = run(folder, &words.iter().map(OsString::as_os_str).collect::<Vec<_>>());
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
    // What follows a line end in a name is no line of its own.
    assert!(!out.lines().chain(err.lines()).any(|line| line.starts_with("\\u{9b}1m")), "{out:?}");
    out + &err
}

#[test]
fn names_of_a_scenario_do_not_command_the_terminal() {
    let folder = folder();
    let at = folder.path();
    for line in ["s.toml --check", "s.toml --out o --world w.thalweg -vvv", "s.toml --out o2"] {
        let said = check(at, line, 0);
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
        check(at, "twice.toml --check", 2);
        let odd = text.replacen(
            &format!("[[{key}]]\n"),
            &format!("[[{key}]]\n\"{}\" = 1\n", toml(HOSTILE)),
            1,
        );
        fs::write(at.join("odd.toml"), odd).expect("writable");
        check(at, "odd.toml --check", 2);
        // As bytes, which no TOML may hold.
        fs::write(at.join("raw.toml"), text.replacen(&toml(HOSTILE), HOSTILE, 2))
            .expect("writable");
        check(at, "raw.toml --check", 2);
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
        check(at, &line, 2);
    }
}

#[test]
fn a_world_is_no_map_and_the_refusal_names_the_commands_that_are_meant() {
    let folder = folder();
    let said = check(folder.path(), "dem.thalweg", 2);
    for words in ["a world, and no map", "thalweg run dem.thalweg --for 1h", "viewer dem.thalweg"] {
        assert!(said.contains(words), "{said}");
    }
    let said = check(folder.path(), &format!("{PATH}.thalweg --check"), 2);
    assert!(said.contains("thalweg run"), "{said}");
}

#[test]
fn help_in_a_file_has_no_escape_codes() {
    let folder = folder();
    for line in ["--help", "-h", "--version"] {
        let said = check(folder.path(), line, 0);
        assert!(said.contains("flood-preview"), "{said}");
    }
}
