//! Colour pictures whose colours stand for heights, through the real program.

use testkit::{Program, put};

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
    let folder = testkit::folder(&[("tile.png", terrarium())]);
    let at = folder.path();
    let words = ["tile.png", "--encoding terrarium or --encoding mapbox"];
    FLOOD.mistaken(at, "tile.png --map-cell 5", &words);
    FLOOD.mistaken(at, "tile.png --map-cell 5 --encoding rgb", &["write terrarium or mapbox"]);
    let said = FLOOD.said(at, "tile.png --map-cell 5 --encoding terrarium --check");
    assert!(said.contains("97.5 to 120.5 m"), "{said}");

    let scenario = "[map]\nfile = \"tile.png\"\ncell = 5\nencoding = \"terrarium\"\n";
    put(at, &[("tile.toml", "encoding = \"mapbox\"\n"), ("flood.toml", scenario)]);
    let said = FLOOD.said(at, "flood.toml --check");
    assert!(said.contains("97.5 to 120.5 m"), "{said}");
}
