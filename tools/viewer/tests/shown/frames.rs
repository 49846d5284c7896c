//! The frames of a script are those that are stored.

use std::path::{Path, PathBuf};

use testkit::Display;

use crate::program::viewer;

/// Largest mean difference of a channel, and part of the pixels that may differ by more than
/// [`CLEAR`]: versions of a driver round differently.
pub const MEAN_MOST: f64 = 1.5;
pub const PART_MOST: f64 = 0.005;
const CLEAR: u8 = 24;

pub struct Picture {
    size: [u32; 2],
    rgb: Vec<u8>,
}

pub fn read(path: &Path) -> Picture {
    let file = std::fs::File::open(path).unwrap_or_else(|error| panic!("{path:?}: {error}"));
    let mut reader = png::Decoder::new(std::io::BufReader::new(file)).read_info().expect("a PNG");
    let mut rgb = vec![0; reader.output_buffer_size().expect("a small picture")];
    let info = reader.next_frame(&mut rgb).expect("a frame");
    assert_eq!(info.color_type, png::ColorType::Rgb);
    Picture { size: [info.width, info.height], rgb }
}

/// Mean difference of a channel, and part of the pixels that differ clearly.
pub fn difference(a: &Picture, b: &Picture) -> (f64, f64) {
    assert_eq!(a.size, b.size, "size");
    let both = || a.rgb.iter().zip(&b.rgb).map(|(a, b)| a.abs_diff(*b));
    let sum: u64 = both().map(u64::from).sum();
    let channels: Vec<u8> = both().collect();
    let clear = channels.chunks(3).filter(|pixel| pixel.iter().any(|d| *d > CLEAR)).count();
    let count = channels.len() as f64;
    (sum as f64 / count, 3.0 * clear as f64 / count)
}

fn stored(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/frames").join(name)
}

#[test]
fn frames_are_those_that_are_stored() {
    let Some(display) = Display::open() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let frames = folder.path().join("frames");
    let script = stored("valley.toml");
    let words = ["worlds/valley.toml", "--script", script.to_str().expect("plain words")];
    let words = [&words[..], &["--frames", frames.to_str().expect("plain words")]].concat();
    let output = viewer(Some(&display), folder.path(), &words).output().expect("it runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut seen = Vec::new();
    for (frame, name) in [(2, "above.png"), (4, "aslant.png"), (6, "speeds.png")] {
        let path = frames.join(format!("frame-{frame:04}.png"));
        if std::env::var_os("THALWEG_KEEP_FRAMES").is_some() {
            std::fs::copy(&path, stored(name)).expect("room");
        }
        let (mean, part) = difference(&read(&path), &read(&stored(name)));
        println!("{name}: mean difference {mean:.3}, {:.3} % of pixels", 100.0 * part);
        assert!(mean <= MEAN_MOST && part <= PART_MOST, "{name}: {mean} {part}");
        seen.push(read(&path));
    }
    assert!(!frames.join("frame-0007.png").exists(), "six frames are asked for");
    // The comparison sees what changes between two scenes.
    let (mean, part) = difference(&seen[0], &seen[1]);
    assert!(mean > MEAN_MOST && part > PART_MOST, "{mean} {part}");
}
