//! Goal: many rasters on one grid are read as one, and those on another are named.
//! Method: a map cut into files, whole ones and ones that overlap, in a folder, a list and a VRT;
//!         then each thing that can be wrong with one of them.

use std::fmt::Write;
use std::path::Path;

use rasters::{Crs, Grid, Hints, RasterBand, files, open, write_geotiff};

use crate::tiff_file::{Content, Sample, TiffFile};
use crate::{Folder, assert_values, complaint, read};

const CELL_M: f64 = 5.0;

fn grid((col, row): (usize, usize), (width, height): (usize, usize)) -> Grid {
    Grid {
        crs: Some(Crs::projected(32632)),
        ..Grid::metric(
            (width, height),
            (4.0e5 + CELL_M * col as f64, 5.2e6 - CELL_M * row as f64),
            CELL_M,
        )
    }
}

/// Height of a cell of the whole map.
fn height(col: usize, row: usize) -> f32 {
    100.0 + col as f32 + row as f32 / 128.0
}

/// Writes a part of the map, `lift` m higher.
fn part(path: &Path, at: (usize, usize), size: (usize, usize), lift: f32) {
    write_geotiff(path, &grid(at, size), RasterBand::ELEVATION, |row, cells| {
        for (col, cell) in cells.iter_mut().enumerate() {
            *cell = height(at.0 + col, at.1 + row) + lift;
        }
    })
    .expect("writable");
}

/// The whole map, 30 × 20 cells, where nothing is missing.
fn whole() -> Vec<f32> {
    (0..20).flat_map(|row| (0..30).map(move |col| height(col, row))).collect()
}

/// A VRT of these parts: name, column, row, width, height.
fn vrt(parts: &[(&str, [usize; 4])]) -> String {
    let mut text = "<VRTDataset rasterXSize=\"30\" rasterYSize=\"20\">\n\
                    <GeoTransform> 4.0e5, 5.0, 0.0, 5.2e6, 0.0, -5.0</GeoTransform>\n\
                    <VRTRasterBand dataType=\"Float32\" band=\"1\">\n\
                    <NoDataValue>-9999</NoDataValue>\n"
        .to_owned();
    for (name, [col, row, width, height]) in parts {
        let size = format!("xSize=\"{width}\" ySize=\"{height}\"");
        writeln!(
            text,
            "<ComplexSource><SourceFilename relativeToVRT=\"1\">{name}</SourceFilename>\
             <SourceBand>1</SourceBand><SrcRect xOff=\"0\" yOff=\"0\" {size} />\
             <DstRect xOff=\"{col}\" yOff=\"{row}\" {size} /><NODATA>-9999</NODATA></ComplexSource>"
        )
        .expect("a text");
    }
    text + "</VRTRasterBand></VRTDataset>"
}

const QUARTERS: [(&str, [usize; 4]); 4] = [
    ("a/b.tif", [17, 0, 13, 9]),
    ("a/d.tif", [17, 9, 13, 11]),
    ("a/a.tif", [0, 0, 17, 9]),
    ("a/c.tif", [0, 9, 17, 11]),
];

fn quarters(folder: &Folder) {
    std::fs::create_dir(folder.path().join("a")).expect("writable");
    for (name, [col, row, width, height]) in QUARTERS {
        part(&folder.path().join(name), (col, row), (width, height), 0.0);
    }
}

#[test]
fn a_map_in_quarters_is_whole() {
    let folder = Folder::new();
    quarters(&folder);
    folder.file("a/notes.pdf", "no raster");
    folder.file("list.txt", "# quarters\na/d.tif\n\n a/c.tif\na/b.tif\r\na/a.tif");
    folder.file("all.vrt", vrt(&QUARTERS));
    for (name, count) in [("a", 4), ("list.txt", 5), ("all.vrt", 5)] {
        let path = folder.path().join(name);
        let (found, values) = read(&path, &Hints::default()).expect(name);
        assert_eq!(found, grid((0, 0), (30, 20)), "{name}");
        assert_values(&values, &whole(), name);
        assert_eq!(files(&path, &Hints::default()).expect(name).len(), count, "{name}");
    }
}

#[test]
fn rows_that_are_passed_over_change_nothing() {
    let folder = Folder::new();
    quarters(&folder);
    let path = folder.path().join("a");
    let mut row = [0.0; 30];
    for first in 0..18 {
        for count in 0..20 - first - 1 {
            let mut source = open(&path, &Hints::default()).expect("a mosaic");
            for _ in 0..first {
                source.next_row(&mut row).expect("a row");
            }
            source.skip_rows(count).expect("rows");
            source.next_row(&mut row).expect("a row");
            let expected = height(29, first + count);
            assert!((row[29] - f64::from(expected)).abs() < 1.0e-9, "{count} rows after {first}");
            let left = 20 - first - count - 1;
            assert!(source.skip_rows(left + 1).is_err(), "{count} rows after {first}");
            source.skip_rows(left).expect("the rest");
            assert!(source.next_row(&mut row).is_err());
        }
    }
}

/// Gaps are NoData; the last on top, but where it has no value itself.
#[test]
fn gaps_and_overlaps() {
    let folder = Folder::new();
    let at = |name: &str| folder.path().join(name);
    part(&at("a.tif"), (3, 2), (10, 10), 0.0);
    part(&at("b.tif"), (8, 7), (10, 10), 1000.0);
    write_geotiff(&at("c.tif"), &grid((0, 0), (20, 18)), RasterBand::ELEVATION, |row, cells| {
        cells.fill(f32::NAN);
        cells[row] = 5.0;
    })
    .expect("writable");
    let expect = |order: [usize; 3]| -> Vec<f32> {
        let value = |file: usize, (col, row): (usize, usize)| match file {
            0 if (3..13).contains(&col) && (2..12).contains(&row) => Some(height(col, row)),
            1 if (8..18).contains(&col) && (7..17).contains(&row) => {
                Some(height(col, row) + 1000.0)
            }
            2 if col == row => Some(5.0),
            _ => None,
        };
        let cells = (0..18).flat_map(|row| (0..20).map(move |col| (col, row)));
        cells
            .map(|at| order.iter().rev().find_map(|&file| value(file, at)).unwrap_or(f32::NAN))
            .collect()
    };
    let (found, values) = read(folder.path(), &Hints::default()).expect("a mosaic");
    assert_eq!(found, grid((0, 0), (20, 18)));
    assert_values(&values, &expect([0, 1, 2]), "by name");
    let list = folder.file("list.txt", "c.tif\nb.tif\na.tif");
    let (_, values) = read(&list, &Hints::default()).expect("a mosaic");
    assert_values(&values, &expect([2, 1, 0]), "as listed");
}

#[test]
fn rasters_on_another_grid_are_named() {
    let base = grid((0, 0), (5, 5));
    let east = grid((5, 0), (5, 5));
    let cases = [
        ("b.tif", Grid { step_x: 5.1, ..east.clone() }, "cells of 5.1 x 5, not the 5 x 5 of"),
        ("b.tif", Grid { west: east.west + 2.0, ..east.clone() }, "0.400 columns and 0.000 rows"),
        ("b.tif", Grid { north: east.north + 1.0, ..east.clone() }, "-0.200 rows off"),
        ("b.tif", Grid { crs: Some(Crs::projected(32633)), ..east.clone() }, "32633"),
        ("b.tif", base.clone(), "lies exactly where"),
        ("b.tif", Grid { west: 9.0e8, ..east.clone() }, "at most 4194304 a side"),
    ];
    for (name, other, expected) in cases {
        let folder = Folder::new();
        let flat = |_: usize, cells: &mut [f32]| cells.fill(1.0);
        write_geotiff(&folder.path().join("a.tif"), &base, RasterBand::ELEVATION, flat)
            .expect("writable");
        write_geotiff(&folder.path().join(name), &other, RasterBand::ELEVATION, flat)
            .expect("writable");
        let line = complaint(folder.path(), &Hints::default());
        assert!(line.contains(expected), "{line}");
        let names = line.contains(name) || expected.contains("a side");
        assert!(names, "{line}");
    }
}

/// Goal: the system and the unit of a VRT count for rasters that state neither.
#[test]
fn a_vrt_states_system_and_unit() {
    let foot = 1200.0 / 3937.0;
    let system = "PROJCS[\"Own\",UNIT[\"Foot_US\",0.3048006096012192]]";
    let wider = format!("COMPD_CS[\"Both\",{system},VERT_CS[\"d\",UNIT[\"Foot\",0.3048]]]");
    for (text, unit, cell_m, height_m) in [
        ("", "", 5.0, 1.0),
        (system, "", 5.0 * foot, 1.0),
        (system, "ft", 5.0 * foot, 0.3048),
        ("", "cm", 5.0, 0.01),
        (&wider, "", 5.0 * foot, 0.3048),
    ] {
        let folder = Folder::new();
        let tile = |west: usize| {
            format!("ncols 2\nnrows 1\nxllcorner {west}\nyllcorner 0\ncellsize 5\n1 1\n")
        };
        folder.file("a.asc", tile(600_000));
        folder.file("b.asc", tile(600_010));
        let source = |name: &str, column: usize| {
            let size = "xSize=\"2\" ySize=\"1\"";
            format!(
                "<SimpleSource><SourceFilename relativeToVRT=\"1\">{name}</SourceFilename>\
                 <SourceBand>1</SourceBand><SrcRect xOff=\"0\" yOff=\"0\" {size}/>\
                 <DstRect xOff=\"{column}\" yOff=\"0\" {size}/></SimpleSource>"
            )
        };
        let sources = source("a.asc", 0) + &source("b.asc", 2);
        let all = format!(
            "<VRTDataset rasterXSize=\"4\" rasterYSize=\"1\"><SRS>{text}</SRS>\
             <GeoTransform>600000, 5, 0, 5, 0, -5</GeoTransform>\
             <VRTRasterBand><UnitType>{unit}</UnitType>{sources}</VRTRasterBand></VRTDataset>"
        );
        let what = format!("{text} {unit}");
        let (found, values) = read(&folder.file("all.vrt", all), &Hints::default()).expect(&what);
        let (x_m, _) = found.cell_m.expect("a cell");
        assert!((x_m - cell_m).abs() < 1.0e-9, "{what}: {x_m}");
        assert_values(&values, &[height_m; 4], &what);
    }
}

/// Goal: what all rows alone show is remarked, once for all rasters of a mosaic.
#[test]
fn infinite_cells_of_a_mosaic_are_counted() {
    let folder = Folder::new();
    for (name, col, first) in [("a.tif", 0, true), ("b.tif", 3, false)] {
        let write = |_: usize, cells: &mut [f32]| {
            cells.fill(7.0);
            cells[0] = f32::INFINITY;
            cells[1] = if first { f32::INFINITY } else { 7.0 };
        };
        let size = grid((col, 0), (3, 2));
        write_geotiff(&folder.path().join(name), &size, RasterBand::ELEVATION, write)
            .expect("writable");
    }
    let mut source = open(folder.path(), &Hints::default()).expect("a mosaic");
    assert!(source.remarks().is_empty());
    let mut row = [0.0; 6];
    (0..2).for_each(|_| source.next_row(&mut row).expect("a row"));
    let remarks = source.remarks().join("; ");
    assert!(remarks.contains("4 cells are infinite"), "{remarks}");
    assert!(remarks.contains("the like of 1 more"), "{remarks}");
}

#[test]
fn what_a_vrt_may_not_have() {
    let folder = Folder::new();
    quarters(&folder);
    let sound = vrt(&QUARTERS);
    for (from, to, expected) in [
        ("rasterXSize=\"30\"", "rasterXSize=\"29\"", "does not place"),
        ("xOff=\"17\" yOff=\"9\"", "xOff=\"16\" yOff=\"9\"", "does not place"),
        ("xOff=\"17\" yOff=\"9\"", "xOff=\"16.5\" yOff=\"9\"", "between its cells"),
        ("<SrcRect xOff=\"0\"", "<SrcRect xOff=\"1\"", "takes a part of a/b.tif"),
        (" 5.0, 0.0, 5.2e6", " 6.0, 0.0, 5.2e6", "not the 6 x 5 of"),
        (" 5.0, 0.0, 5.2e6", " 5.0, 0.1, 5.2e6", "turned"),
        ("4.0e5", "400002", "-0.400 columns"),
        ("<NODATA>", "<ScaleRatio>2</ScaleRatio><NODATA>", "ScaleRatio"),
        ("<NoDataValue>", "<KernelFilteredSource/><NoDataValue>", "KernelFilteredSource"),
        ("<VRTRasterBand ", "<VRTRasterBand subClass=\"VRTDerivedRasterBand\" ", "Derived"),
        ("</VRTDataset>", "<VRTRasterBand/></VRTDataset>", "2 bands"),
        ("<SourceBand>1", "<SourceBand>2", "choose from 1 to 1"),
        ("a/b.tif", "a/z.tif", "a/z.tif"),
        ("a/b.tif", "all.vrt", "a VRT, which is a mosaic itself"),
        ("</VRTDataset>", "", "no sound XML"),
        ("rasterYSize=\"20\"", "", "no rasterYSize"),
    ] {
        assert!(sound.contains(from), "{from}");
        let path = folder.file("all.vrt", sound.replacen(from, to, 1));
        let line = complaint(&path, &Hints::default());
        assert!(line.contains(expected), "{to}: {line}");
    }
}

/// Goal: the NoData of a VRT is shown as its own, and the value of its rasters counts besides.
#[test]
fn nodata_of_a_vrt_is_its_own() {
    for (own, words) in [(20.0, "20 (NODATA of the VRT)"), (90.0, "20 and 90 (NODATA of the VRT)")]
    {
        let folder = Folder::new();
        folder.file(
            "a.asc",
            format!(
                "ncols 4\nnrows 1\nxllcorner 600000\nyllcorner 0\ncellsize 5\nNODATA_value {own}\n\
                 1 20 90 2\n"
            ),
        );
        let size = "xOff=\"0\" yOff=\"0\" xSize=\"4\" ySize=\"1\"";
        let all = format!(
            "<VRTDataset rasterXSize=\"4\" rasterYSize=\"1\">\
             <GeoTransform>600000, 5, 0, 5, 0, -5</GeoTransform>\
             <VRTRasterBand><NoDataValue>20</NoDataValue><SimpleSource>\
             <SourceFilename relativeToVRT=\"1\">a.asc</SourceFilename><SourceBand>1</SourceBand>\
             <SrcRect {size}/><DstRect {size}/></SimpleSource></VRTRasterBand></VRTDataset>"
        );
        let path = folder.file("all.vrt", all);
        let facts = open(&path, &Hints::default()).expect("sound").facts();
        let nodata = facts.iter().find(|fact| fact.name == "NoData").expect("a fact");
        assert_eq!(nodata.to_string(), words);
        let (_, values) = read(&path, &Hints::default()).expect("sound");
        let ninety = if own > 50.0 { f32::NAN } else { 90.0 };
        assert_values(&values, &[1.0, f32::NAN, ninety, 2.0], words);
    }
}

/// Goal: the refusal of a raster names what is different in it: the system, its unit, or keys
/// beside one code.
#[test]
fn what_differs_in_a_mosaic_is_named() {
    let tile = |west: f64, keys: &[[u16; 4]]| {
        let count = u16::try_from(keys.len()).expect("few");
        let mut file = TiffFile::new(2, 2, Sample::F32, vec![1.0; 4])
            .with_tag(34_735, Content::Shorts([&[[1, 1, 0, count]], keys].concat().concat()));
        file.tags.retain(|(tag, _)| *tag != 33_922 && *tag != 33_550);
        file.with_tag(33_550, Content::Doubles(vec![5.0, 5.0, 0.0]))
            .with_tag(33_922, Content::Doubles(vec![0.0, 0.0, 0.0, west, 5.2e6, 0.0]))
            .bytes()
    };
    let projected = |code: u16| [1024, 0, 1, 1].into_iter().chain([3072, 0, 1, code]);
    let keys = |code: u16, more: &[u16]| -> Vec<[u16; 4]> {
        let all: Vec<u16> = projected(code).chain(more.iter().copied()).collect();
        all.chunks_exact(4).map(|key| [key[0], key[1], key[2], key[3]]).collect()
    };
    for (first, second, expected) in [
        (
            keys(32_632, &[]),
            keys(32_633, &[]),
            "has the reference system EPSG:32633 in metres, not EPSG:32632 in metres of",
        ),
        (
            keys(32_632, &[]),
            keys(32_632, &[3076, 0, 1, 9002]),
            "has the reference system EPSG:32632 in feet, not EPSG:32632 in metres of",
        ),
        (
            keys(32_632, &[4096, 0, 1, 5703]),
            keys(32_632, &[4096, 0, 1, 5773]),
            "has the reference system EPSG:32632 in metres, but with keys of heights or \
             parameters unlike those of",
        ),
    ] {
        let folder = Folder::new();
        folder.file("a.tif", tile(4.0e5, &first));
        folder.file("b.tif", tile(4.0e5 + 10.0, &second));
        let line = complaint(folder.path(), &Hints::default());
        assert!(line.contains(expected) && line.contains("b.tif"), "{line}");
    }
}
