//! A world with caves, cut open.

use testkit::Display;
use thalweg::world::SaveFile;

use crate::caves;
use crate::frames::{MEAN_MOST, PART_MOST, difference, read};
use crate::program::viewer;

/// A cut below the plateau's ground (10 m) and above the hall's stage, from above and aslant, and
/// all of it once more.
const SCRIPT: &str = r#"
size = [480, 270]
frames_per_s = 2
[[scene]]
for_s = 0.5
hud = false
[[scene]]
for_s = 1.0
keys = ["c"]
[[scene]]
for_s = 1.0
keys = ["c"]
[[scene]]
for_s = 1.0
keys = ["c"]
from = { slope_deg = 50.0, azimuth_deg = 20.0, width_m = 110.0 }
"#;

/// Goal: the caves are seen where the picture is cut, and what is whole again is as it was.
#[test]
fn a_cut_shows_caves_and_takes_nothing_else_away() {
    let Some(display) = Display::open() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_str().expect("plain words").to_owned();
    SaveFile::create(path("caves.thalweg").as_ref(), &caves::world()).expect("room");
    std::fs::write(path("cut.toml"), SCRIPT).expect("room");
    let (world, script, frames) = (path("caves.thalweg"), path("cut.toml"), path("frames"));
    let words = [&*world, "--script", &script, "--frames", &frames];
    let output = viewer(Some(&display), folder.path(), &words).output().expect("it runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let frame = |number: u32| read(&folder.path().join(format!("frames/frame-{number:04}.png")));
    let (mean, part) = difference(&frame(1), &frame(3));
    assert!(mean > 3.0 * MEAN_MOST && part > 0.3, "cut: {mean}, {part}");
    let (mean, part) = difference(&frame(1), &frame(5));
    assert!(mean <= MEAN_MOST && part <= PART_MOST, "whole again: {mean}, {part}");
}
