//! Colour pictures whose colours stand for heights, through the real program.

use std::fs;

use testkit::Program;

const FLOOD: Program = Program(env!("CARGO_BIN_EXE_flood-preview"));

/// A plane of 24 × 16 cells that falls eastwards from 120 m, as the colours of Terrarium.
fn terrarium() -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, 24, 16);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let colours: Vec<u8> =
        (0..16).flat_map(|_| (0..24).flat_map(|column| [128, 120 - column, 128])).collect();
    encoder.write_header().expect("a header").write_image_data(&colours).expect("colours");
    bytes
}

/// Goal: a web tile is a map, and whoever does not say how its colours are meant learns how.
#[test]
fn a_colour_png_runs_with_an_encoding_and_asks_for_one() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("tile.png"), terrarium()).expect("writable");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();

    let asked = FLOOD.run(folder.path(), "tile.png --map-cell 5");
    let stderr = text(&asked.stderr);
    assert_eq!(asked.status.code(), Some(2), "{stderr}");
    for word in ["tile.png", "--encoding terrarium or --encoding mapbox"] {
        assert!(stderr.contains(word), "no `{word}` in: {stderr}");
    }
    let unknown = FLOOD.run(folder.path(), "tile.png --map-cell 5 --encoding rgb");
    let stderr = text(&unknown.stderr);
    assert_eq!(unknown.status.code(), Some(2), "{stderr}");
    assert!(stderr.contains("write terrarium or mapbox"), "{stderr}");

    let found = FLOOD.run(folder.path(), "tile.png --map-cell 5 --encoding terrarium --check");
    let said = text(&found.stdout) + &text(&found.stderr);
    assert_eq!(found.status.code(), Some(0), "{said}");
    assert!(said.contains("97.5 to 120.5 m"), "{said}");

    let scenario = "[map]\nfile = \"tile.png\"\ncell = 5\nencoding = \"terrarium\"\n";
    fs::write(folder.path().join("tile.toml"), "encoding = \"mapbox\"\n").expect("writable");
    fs::write(folder.path().join("flood.toml"), scenario).expect("writable");
    let found = FLOOD.run(folder.path(), "flood.toml --check");
    let said = text(&found.stdout) + &text(&found.stderr);
    assert_eq!(found.status.code(), Some(0), "{said}");
    assert!(said.contains("97.5 to 120.5 m"), "{said}");
}
