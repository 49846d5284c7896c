//! Bad input ends with one line and exit code 2.

use crate::display::{Display, refusal, viewer};

const SCRIPT: &str = "size = [64, 64]\nframes_per_s = 1\n[[scene]]\nfor_s = 1\n";

#[test]
fn without_a_display_it_says_so() {
    let home = tempfile::tempdir().expect("a folder");
    let output = viewer(None, home.path(), &["worlds/valley.toml"]).output().expect("it runs");
    let said = refusal(&output);
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
    let said = refusal(&output);
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
        let said = refusal(&output);
        assert!(said.contains(expected), "{words:?}: {said}");
    }
    assert!(!home.path().join("frames").exists(), "nothing is written");
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
    for _ in 0..600 {
        if left() > 0 || running.try_wait().expect("its state").is_some() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    assert_eq!(left(), 1, "moments are kept while it runs");
    let told = std::process::Command::new("kill").arg(running.id().to_string()).status();
    assert!(told.expect("kill").success());
    assert_eq!(running.wait().expect("its end").code(), Some(130));
    assert_eq!(left(), 0, "nothing is left");
}
