//! ESRI ASCII grids: headers in all dialects, and where broken ones break.

use std::io::Write;

use flate2::write::GzEncoder;
use rasters::{Hints, HorizontalUnit};

use crate::{Folder, assert_values, complaint, read};

const PLAIN: &str = "ncols 3\nnrows 2\nxllcorner 100\nyllcorner 200\ncellsize 5\n\
                     NODATA_value -9999\n1 2 3\n4 -9999 6.5\n";

fn gzipped(text: &str) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

/// Every dialect describes the same map.
#[test]
fn dialects() {
    let folder = Folder::new();
    let none = f32::NAN;
    let shouting = PLAIN.to_uppercase();
    let wrapped = PLAIN.replace("1 2 3\n4 -9999 6.5", "1\n2 3 4\t-9999\r\n  6.5");
    let centred = PLAIN.replace("corner 100", "center 102.5").replace("corner 200", "center 202.5");
    let oblong = PLAIN.replace("cellsize 5", "dx 5.0\ndy 5.0");
    let unsaid = PLAIN.replace("NODATA_value -9999\n", "");
    let marked = format!("\u{feff}{PLAIN}");
    let shuffled = "cellsize 5\nyllcorner 200\nnodata_value -9999\nxllcorner 1e2\nnrows 2\n\
                    ncols 3\n1.0 2e0 3 4 nan 65e-1";
    for (what, content) in [
        ("plain", PLAIN.as_bytes().to_vec()),
        ("upper case", shouting.into_bytes()),
        ("wrapped lines", wrapped.into_bytes()),
        ("cell centres", centred.into_bytes()),
        ("dx and dy", oblong.into_bytes()),
        ("NoData by default", unsaid.into_bytes()),
        ("byte-order mark", marked.into_bytes()),
        ("shuffled", shuffled.as_bytes().to_vec()),
        ("gzipped", gzipped(PLAIN)),
    ] {
        // The ending says nothing: content decides.
        let path = folder.file("map.dat", content);
        let (grid, found) =
            read(&path, &Hints::default()).unwrap_or_else(|e| panic!("{what}: {e}"));
        assert_values(&found, &[1.0, 2.0, 3.0, 4.0, none, 6.5], what);
        assert_eq!(
            (grid.width, grid.height, grid.west, grid.north),
            (3, 2, 100.0, 210.0),
            "{what}"
        );
        assert_eq!((grid.step_x, grid.step_y, grid.cell_m), (5.0, 5.0, Some((5.0, 5.0))), "{what}");
        assert_eq!(grid.unit, HorizontalUnit::Unknown);
    }
}

#[test]
fn broken_grids_say_where() {
    let folder = Folder::new();
    let cut = gzipped(PLAIN);
    for (what, content, expected) in [
        ("cut short", PLAIN[..PLAIN.len() - 5].into(), "row 1, column 2"),
        ("header only", PLAIN.split_once("1 2 3").unwrap().0.into(), "ends after its header"),
        ("too many values", format!("{PLAIN} 7").into(), "line 9: there are more values"),
        ("word", PLAIN.replace("6.5", "water").into(), "line 8: row 1, column 2: 'water'"),
        ("decimal comma", PLAIN.replace("6.5", "6,5").into(), "decimals take a point"),
        ("no columns", PLAIN.replace("ncols 3\n", "").into(), "no ncols"),
        ("half a column", PLAIN.replace("ncols 3", "ncols 3.5").into(), "ncols 3.5"),
        ("no cells", PLAIN.replace("ncols 3", "ncols 0").into(), "0 x 2 cells"),
        ("too wide", PLAIN.replace("ncols 3", "ncols 4294967296").into(), "4294967296"),
        ("negative", PLAIN.replace("ncols 3", "ncols -3").into(), "ncols -3"),
        ("flat cells", PLAIN.replace("cellsize 5", "cellsize 0").into(), "cells of 0 x 0"),
        ("strange key", PLAIN.replace("cellsize", "cell-size").into(), "'cell-size' is no key"),
        ("too high", PLAIN.replace("6.5", "30000").into(), "--nodata 30000"),
        ("cut gzip", cut[..cut.len() - 20].into(), "truncated"),
        ("endless word", PLAIN.replace("6.5", &"9".repeat(1 << 20)).into(), "is not a number"),
    ] {
        let content: Vec<u8> = content;
        let line = complaint(&folder.file("map.asc", content), &Hints::default());
        assert!(line.contains(expected), "{what}: {line}");
        assert!(line.len() < 300, "{what}: {line}");
    }
}

#[test]
fn degrees_show_by_their_numbers() {
    let folder = Folder::new();
    let text = PLAIN
        .replace("cellsize 5", "cellsize 0.000833")
        .replace("corner 100", "corner 7.1")
        .replace("corner 200", "corner 48.2");
    let path = folder.file("map.asc", text);
    let line = complaint(&path, &Hints::default());
    assert!(line.contains("seems to be in degrees"), "{line}");
    assert!(line.contains("say --map-cell"), "{line}");

    let hints = Hints { cell_m: Some((0.000_833, 0.000_833)), ..Hints::default() };
    assert_eq!(read(&path, &hints).unwrap().0.cell_m, hints.cell_m);
}
