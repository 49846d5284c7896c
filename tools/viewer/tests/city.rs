//! The city-builder, played by scripts.
//!
//! Goal: with nothing done the town is lost, with the right works it is won, by the code that the
//! window plays; a bad script or no display is one line and exit code 2.
//! Method: the game's own module, and the program itself, which `cargo test` builds beside this.

#[expect(dead_code, reason = "its `main` is that of the program")]
#[path = "../../../examples/city.rs"]
mod city;

use city::GameEnding;
use city::script::{CityOptions, tell};
use std::path::PathBuf;
use std::process::Command;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

fn options(words: &[&str]) -> Result<CityOptions, String> {
    let words = words.iter().map(|&word| word.to_owned());
    CityOptions::of(words).map_err(|reason| reason.to_string())
}

#[track_caller]
fn plays_to(script: &str, expected: GameEnding) {
    let path = format!("{ROOT}/examples/city/{script}");
    let options = options(&["--script", &path]).expect("a good script");
    assert_eq!(tell(options).expect("moves that can be done"), expected, "{script}");
}

#[test]
fn a_town_that_does_nothing_is_lost() {
    plays_to("lost.txt", GameEnding::Lost);
}

#[test]
fn levees_a_dam_and_pumps_win() {
    plays_to("won.txt", GameEnding::Won);
}

#[test]
fn a_bad_script_is_refused_with_its_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("moves.txt");
    for (moves, expected) in [
        ("# moves\nday 3 house 500 260\nday 4 levi 1 2 3 4", "line 3: `levi` is unknown"),
        ("day 4 levee 1 2 3", "line 1: 3 numbers do not fit `levee`"),
        ("day 4 dam 1 2 3 x", "line 1: `x` is no number"),
        ("day 4 drain 1 nan", "line 1: `nan` is no number"),
        ("day 4 levee 1 2 3 4 -5", "line 1: a levee of -5 m would be paid for"),
        ("\nday soon undo", "line 2: `soon` is no day"),
        ("day 4\n", "line 1: `day 4` is no move"),
        ("day 4 undo\nday 3 undo", "line 2: day 3 comes after a later one"),
    ] {
        std::fs::write(&path, moves).expect("a file");
        let error = options(&["--script", &path.to_string_lossy()]).expect_err(moves);
        assert!(error.contains(expected) && !error.contains('\n'), "{moves}: {error}");
    }
    for (words, expected) in [
        (&["--script"][..], "--script needs a value"),
        (&["--scrip", "x"], "--scrip is unknown"),
        (&["--shot", "3"], "--shot DAY=PICTURE.png"),
        (&["--script", "nowhere.txt"], "nowhere.txt cannot be read"),
    ] {
        let error = options(words).expect_err("bad words");
        assert!(error.contains(expected), "{words:?}: {error}");
    }
}

/// The program, its exit code and what it says.
fn program(words: &[&str]) -> (Option<i32>, String) {
    let own = std::env::current_exe().expect("this test");
    let target = own.parent().and_then(|deps| deps.parent()).expect("target/debug/deps");
    let path: PathBuf =
        target.join("examples").join(format!("city{}", std::env::consts::EXE_SUFFIX));
    assert!(
        path.exists(),
        "there is no {}: build it as this test, with `cargo build -p viewer --examples`",
        path.display()
    );
    let mut command = Command::new(path);
    command.args(words).env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY");
    let output = command.output().expect("it starts");
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

const DAM: &str = "day 1 dam 200 160 200 320 4.5";
const PUMP: &str = "day 1 pump 640 255 690 235";

#[test]
fn the_program_says_what_is_wrong_in_one_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("moves.txt");
    for (moves, expected) in [
        ("day 4 levi 1 2 3 4", "line 1: `levi` is unknown"),
        ("day 1 dam 10 10 900 10 9", "day 1: a dam costs"),
        ("day 1 levee 10 10 10 10 2", "day 1: "),
        ("day 1 drain 10 1e9", "day 1: "),
        ("day 1 remove 900 10", "day 1: nothing was built there"),
        ("day 1 redo", "day 1: nothing was done"),
        // What is taken back is paid back, and what is done again is paid again.
        (&format!("{DAM}\nday 1 undo\n{DAM}\nday 2 redo"), "day 2: nothing was done"),
        (&format!("{DAM}\nday 1 undo\nday 1 redo\n{DAM}"), "day 1: a dam costs"),
        (&format!("{DAM}\nday 10 undo"), "day 10: nothing was done"),
        (&format!("{DAM}\nday 1 remove 205 240\nday 1 remove 205 240"), "nothing was built there"),
        (&format!("{PUMP}\nday 1 remove 690 235\nday 1 remove 640 255"), "nothing was built there"),
    ] {
        std::fs::write(&path, moves).expect("a file");
        let (code, says) = program(&["--script", &path.to_string_lossy()]);
        let is_one_line = says.lines().count() == 1 && says.starts_with("city: ");
        assert!(code == Some(2) && is_one_line && says.contains(expected), "{moves}: {says}");
    }
    if cfg!(target_os = "linux") {
        let (code, says) = program(&[]);
        assert!(
            says.starts_with("city: no window opens: there is no display")
                && says.lines().count() == 1,
            "{says}"
        );
        assert_eq!(code, Some(2));
    }
}
