//! A part of the map, and maps in a frame of NoData.

use std::fs;
use std::path::Path;

use rasters::{Grid, Hints};
use testkit::{grid, holds};

use super::kit::{FLOOD, folder};

fn raster(folder: &Path, name: &str) -> (Grid, Vec<f32>) {
    let path = folder.join("flood-preview-out").join(name);
    let mut source = rasters::open(&path, &Hints::default()).expect("a sound raster");
    rasters::read_all(&mut *source).expect("a sound raster")
}

/// Goal: NoData around the heights costs no resolution: before, this map of 40,000 cells in a frame
/// of 1.44 million was simulated in cells of 4 m.
#[test]
fn an_empty_frame_does_not_count_against_the_budget() {
    let inside = |at: usize| (600..800).contains(&at);
    let framed = grid((1200, 1200), 1.0, |col, row| {
        if inside(col) && inside(row) { 5.0 + 0.01 * (col + row) as f64 } else { -9999.0 }
    });
    let folder = folder(&[("framed.asc", framed.as_bytes())]);
    let text = FLOOD.said(folder.path(), "framed.asc --quality draft --check");
    // The width of the first column depends on the longest name of a setting.
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    holds(
        &text,
        &[
            "simulated cells 1 m duration",
            "cells with a height 40000 of 40804",
            "the heights lie in 202 × 202 of the map's 1200 × 1200 cells",
        ],
    );
}

/// Goal: cutting a frame off changes nothing: depths are those of the same map without a frame,
/// results have the map's own grid, and the border of the data is a border of NoData.
#[test]
fn a_framed_map_floods_like_the_same_map_alone() {
    let bed = |col: usize, row: usize| 10.0 + 0.3 * col as f64 + 0.1 * row as f64;
    let (width, height, frame) = (14, 11, 30);
    let framed = grid((width + 2 * frame, height + 2 * frame), 5.0, |col, row| {
        let inside =
            (frame..frame + width).contains(&col) && (frame..frame + height).contains(&row);
        if inside { bed(col - frame, row - frame) } else { -9999.0 }
    });
    let rimmed = grid((width + 2, height + 2), 5.0, |col, row| {
        let inside = (1..=width).contains(&col) && (1..=height).contains(&row);
        if inside { bed(col - 1, row - 1) } else { -9999.0 }
    });
    let depths = |map: &str, name: &str| {
        let folder = folder(&[(name, map.as_bytes())]);
        let line = format!("{name} --rain 100mm/h --for 10min --edge nodata=wall --frames 0");
        FLOOD.said(folder.path(), &line);
        raster(folder.path(), "max_depth.tif")
    };
    let (large, of_framed) = depths(&framed, "framed.asc");
    let (_, of_rimmed) = depths(&rimmed, "rimmed.asc");
    assert_eq!((large.width, large.height), (width + 2 * frame, height + 2 * frame));
    let valid = |values: &[f32]| -> Vec<f32> {
        values.iter().copied().filter(|value| !value.is_nan()).collect()
    };
    assert_eq!(valid(&of_framed), valid(&of_rimmed));
    assert_eq!(valid(&of_framed).len(), width * height);
}

/// Goal: a gauge on the frame is refused as one on NoData, and structures may reach into it.
#[test]
fn places_on_the_frame_are_known() {
    let framed = grid((60, 60), 5.0, |col, row| {
        if (20..40).contains(&col) && (20..40).contains(&row) { 20.0 } else { -9999.0 }
    });
    let levee = "[map]\nfile = \"framed.asc\"\n[[barrier]]\n\
                 path = [[1110, 2150], [1190, 2150]]\ncrest = 22\n";
    let folder = folder(&[("framed.asc", framed.as_bytes()), ("levee.toml", levee.as_bytes())]);
    let refused = FLOOD.unlike_a_mistake(
        folder.path(),
        "framed.asc --gauge a=1010,2010",
        &["gauge `a`", "lies on NoData"],
    );
    assert_eq!(refused, None);
    let text = FLOOD.said(folder.path(), "levee.toml --check");
    assert!(text.contains("the heights lie in"), "{text}");
}

#[test]
fn an_area_is_simulated_alone() {
    let polygon = r#"{"type": "Polygon",
        "coordinates": [[[1000, 2000], [1030, 2000], [1030, 2030], [1000, 2000]]]}"#;
    let files: &[(&str, &[u8])] = &[
        ("part.geojson", polygon.as_bytes()),
        ("part.toml", b"[map]\nfile = \"dem.asc\"\narea = [1010, 2010, 1040, 2030]\n"),
        ("poly.toml", b"[map]\nfile = \"dem.asc\"\narea = \"part.geojson\"\n"),
    ];
    let folder = folder(files);
    for (line, cells, heights) in [
        ("dem.asc --area 1010,2010,1040,2030", "24 of 24", "13 to 18 m"),
        ("dem.asc --area 0,0,1010,2010", "4 of 4", "19 to 20 m"),
        ("part.toml", "24 of 24", "13 to 18 m"),
        ("part.toml --area 1000,2000,1060,2050", "120 of 120", "9 to 20 m"),
        ("dem.asc --area part.geojson", "21 of 36", "15 to 20 m"),
        ("poly.toml", "21 of 36", "15 to 20 m"),
    ] {
        let text = FLOOD.said(folder.path(), &format!("{line} --check"));
        for words in [cells, heights] {
            assert!(text.contains(words), "{line}: no `{words}` in: {text}");
        }
    }
    FLOOD.said(folder.path(), "dem.asc --area 1010,2010,1040,2030 --for 1min --frames 0");
    let (grid, _) = raster(folder.path(), "max_depth.tif");
    let corner = [grid.west, grid.north];
    assert_eq!((grid.width, grid.height, corner), (6, 4, [1010.0, 2030.0]));
}

/// Goal: a row that is left over by `--cell-size` is simulated, whether cells keep tables of the
/// map's or their means.
#[test]
fn the_last_partial_row_is_simulated() {
    let map = grid((21, 13), 5.0, |col, row| (col + row) as f64);
    let folder = folder(&[("odd.asc", map.as_bytes())]);
    for (columns, heights, cells) in [
        ("sub-grid", "273 of 273", "--cell-size 20: 24 cells instead of 273."),
        ("flat", "24 of 24", "cells of 20 m are flat"),
    ] {
        let line = format!("odd.asc --cell-size 20 --columns {columns} --check");
        holds(&FLOOD.said(folder.path(), &line), &[heights, cells]);
    }
    fs::remove_file(folder.path().join("odd.asc")).expect("there");
}

/// Goal: a degree is shorter in the north: the check shows the cells in the middle of the part, and
/// those in the middle of the file.
#[test]
fn cells_of_a_part_in_degrees_are_its_own() {
    let mut text = "ncols 4\nnrows 4000\nxllcorner 8\nyllcorner 46\ncellsize 0.001\n".to_owned();
    (0..4000).for_each(|row| text += &format!("{row} 1 2 3\n").replace("3999", "39"));
    let folder = folder(&[("degrees.asc", text.as_bytes())]);
    let line = "degrees.asc --metres-per-degree auto --area 8,49.9,8.004,49.91 --check";
    let text = FLOOD.said(folder.path(), line);
    // By pyproj.Geod(ellps="WGS84"): metres of 0.001° at 49.905° and at 48° N.
    holds(&text, &["71.8369 x 111.2272 m in the middle of the part, 74.6254 x 111.1903 m in the"]);
    let text = FLOOD.said(folder.path(), "degrees.asc --metres-per-degree auto --check");
    assert!(!text.contains("middle of the part"), "{text}");
}
