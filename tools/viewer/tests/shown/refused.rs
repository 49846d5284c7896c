//! Bad input ends with one line and exit code 2.

use testkit::{Display, holds, wait_until};

use crate::program::{error, viewer};

const SCRIPT: &str = "size = [64, 64]\nframes_per_s = 1\n[[scene]]\nfor_s = 1\n";

#[test]
fn without_a_display_it_says_so() {
    let home = tempfile::tempdir().expect("a folder");
    let output = viewer(None, home.path(), &["worlds/valley.toml"]).output().expect("it runs");
    let said = error(&output);
    assert!(said.contains("no display") && said.contains("DISPLAY"), "{said}");
}

#[test]
fn without_a_graphics_driver_it_says_so() {
    let Some(display) = Display::open() else { return };
    let home = tempfile::tempdir().expect("a folder");
    let mut command = viewer(Some(&display), home.path(), &["worlds/valley.toml"]);
    let nothing = home.path().join("no-driver.json");
    let output = command
        .env("VK_ICD_FILENAMES", &nothing)
        .env("VK_DRIVER_FILES", &nothing)
        .output()
        .expect("it runs");
    let said = error(&output);
    assert!(said.contains("graphics driver") && said.contains("Vulkan"), "{said}");
}

#[test]
fn scripts_and_files_that_are_none_are_refused_before_any_window() {
    let home = tempfile::tempdir().expect("a folder");
    let path = |name: &str| home.path().join(name).to_str().expect("plain words").to_owned();
    std::fs::write(path("good.toml"), SCRIPT).expect("room");
    std::fs::write(path("bad.toml"), format!("{SCRIPT}sped = 3\n")).expect("room");
    std::fs::write(path("torn.thalweg"), [0x89, b'T', b'L', b'W', 1, 2, 3]).expect("room");
    let (good, bad, frames) = (path("good.toml"), path("bad.toml"), path("frames"));
    let (missing, torn) = (path("missing.tif"), path("torn.thalweg"));
    for (words, expected) in [
        (vec!["--script", &bad, "--frames", &frames], "unknown field `sped`"),
        (vec!["--script", &missing, "--frames", &frames], "check the name"),
        (vec![&*missing, "--script", &good, "--frames", &frames], "check the name"),
        (vec![&*torn], "torn.thalweg"),
        (vec!["--frames", &frames], "--script"),
        (vec!["--colour"], "--colour"),
    ] {
        let output = viewer(None, home.path(), &words).output().expect("it runs");
        let said = error(&output);
        assert!(said.contains(expected), "{words:?}: {said}");
    }
    assert!(!home.path().join("frames").exists(), "nothing is written");
}

/// Command lines in a folder of small files, and what their errors say.
const CASES: &[(&str, &[&str])] = &[
    ("--size 0x0", &["--size", "64 to 8192"]),
    ("--size wide", &["--size", "1280x720"]),
    ("--speed 0", &["--speed", "0.01 to 10000"]),
    ("--speed fast", &["--speed", "0.01 to 10000"]),
    ("--budget 1", &["--budget", "16..=1048576"]),
    ("--quality best", &["`best`", "draft, normal or fine"]),
    ("--solver euler", &["`euler`", "swe or pipe"]),
    ("--limit-memory 0", &["--limit-memory", "1..=1048576"]),
    ("dem.asc more", &["'more'", "--help"]),
    ("dem.asc --rain 40", &["--rain", "like 40mm/h"]),
    ("dem.asc --rain-for 5mim", &["--rain-for", "did you mean 5min?"]),
    ("dem.asc --cell-size 1", &["--cell-size 1 m", "finer"]),
    ("dem.asc --edges river", &["`river`", "open, wall"]),
    ("dem.asc --area 1,2,3", &["--area", "WEST,SOUTH,EAST,NORTH"]),
    ("dem.asc --manning rough", &["`rough`", "like 0.03"]),
    ("folder", &["folder is a folder", "name a heightmap"]),
    ("empty", &["empty", "again"]),
    ("text.doc", &["text.doc", "no raster", "gdal_translate"]),
    ("missing.tif", &["missing.tif", "check the name"]),
    ("--script good.toml", &["--frames <FOLDER>"]),
    ("--frames out", &["--script <FILE>"]),
    ("--script none.toml --frames out", &["none.toml", "[[scene]]"]),
    ("--script fly.toml --frames out", &["fly.toml, line 5", "`water`"]),
    ("--script heat.toml --frames out", &["heat.toml", "scene 1", "choose one of none, depth"]),
    ("--script minus.toml --frames out", &["minus.toml", "-1 s", "more than 0 s"]),
    ("--script keys.toml --frames out", &["keys.toml", "\"hyper\"", "list of all keys"]),
    ("--script side.toml --frames out", &["side.toml, line 1", "length 2"]),
];

/// Goal: an invalid line is refused before any window, and nothing is written.
#[test]
fn wrong_usage_is_told_in_a_line() {
    let home = tempfile::tempdir().expect("a folder");
    let put = |name: &str, text: &str| std::fs::write(home.path().join(name), text).expect("room");
    let scene = |lines: &str| format!("{SCRIPT}{lines}\n");
    put("dem.asc", "ncols 2\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 5\n1 2\n3 4\n");
    put("good.toml", SCRIPT);
    put("none.toml", "size = [64, 64]\n");
    put("fly.toml", &scene("do = [{ fly = { at = [0, 0] } }]"));
    put("heat.toml", &scene("overlay = \"heat\""));
    put("minus.toml", &SCRIPT.replace("for_s = 1", "for_s = -1"));
    put("keys.toml", &scene("keys = [\"hyper\"]"));
    put("side.toml", &SCRIPT.replace("[64, 64]", "[64]"));
    put("empty", "");
    put("text.doc", "hello\n");
    std::fs::create_dir(home.path().join("folder")).expect("room");
    for (line, parts) in CASES {
        let words: Vec<&str> = line.split(' ').collect();
        let mut command = viewer(None, home.path(), &words);
        let output = command.current_dir(home.path()).output().expect("it runs");
        let said = error(&output);
        holds(&said, parts);
        assert!(!home.path().join("out").exists(), "{line} writes nothing");
    }
}

#[test]
fn a_window_that_is_told_to_end_leaves_nothing_behind() {
    let Some(display) = Display::open() else { return };
    let home = tempfile::tempdir().expect("a folder");
    let scratch = home.path().join("scratch");
    std::fs::create_dir(&scratch).expect("room");
    let mut running = viewer(Some(&display), home.path(), &["worlds/valley.toml"])
        .env("TMPDIR", &scratch)
        .spawn()
        .expect("it runs");
    let left = || std::fs::read_dir(&scratch).expect("a folder").count();
    // Its moments are there as soon as the world runs.
    wait_until("moments", || left() > 0 || running.try_wait().expect("its state").is_some());
    assert_eq!(left(), 1, "moments are kept while it runs");
    let ended = std::process::Command::new("kill").arg(running.id().to_string()).status();
    assert!(ended.expect("kill").success());
    assert_eq!(running.wait().expect("its end").code(), Some(130));
    assert_eq!(left(), 0, "nothing is left");
}
