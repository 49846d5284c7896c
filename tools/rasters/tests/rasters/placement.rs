//! GeoTIFF: where cells lie, and which way they run.

use rasters::{Hints, RasterValues, open};

use crate::tiff_file::{Content, Packing, Sample, TiffFile};
use crate::{Folder, assert_values, complaint, read};

const WIDTH: usize = 37;
const HEIGHT: usize = 29;

/// Columns and rows to coordinates: x = a c + b r + west, y = d c + e r + north.
fn matrix([a, b, west, d, e, north]: [f64; 6]) -> Content {
    let mut numbers = vec![a, b, 0.0, west, d, e, 0.0, north];
    numbers.extend([0.0; 7]);
    numbers.push(1.0);
    Content::Doubles(numbers)
}

fn height(column: usize, row: usize) -> f64 {
    (column * column % 41) as f64 + (row * 3) as f64 / 4.0
}

/// A map whose heights give column and row, with one void.
pub fn map(place: [f64; 6]) -> TiffFile {
    let cells = (0..HEIGHT).flat_map(|row| (0..WIDTH).map(move |column| (column, row)));
    let values = cells.map(|cell| if cell == (5, 3) { f64::NAN } else { height(cell.0, cell.1) });
    let mut file = TiffFile::new(WIDTH, HEIGHT, Sample::F32, values.collect());
    file.tags.clear();
    file.with_tag(34_264, matrix(place))
}

/// The stored heights with rows and columns in the order of the map.
#[expect(clippy::cast_possible_truncation, reason = "f32 is what `read_all` gives")]
fn turned(file: &TiffFile, from_south: bool, from_east: bool) -> Vec<f32> {
    let mut rows: Vec<Vec<f32>> = file
        .values
        .chunks(WIDTH)
        .map(|row| row.iter().map(|&value| value as f32).collect())
        .collect();
    if from_south {
        rows.reverse();
    }
    if from_east {
        rows.iter_mut().for_each(|row| row.reverse());
    }
    rows.concat()
}

/// Goal: rasters that begin in the south or east come north up, however they are stored.
/// Method: strips of one row, of a few and of all, tiles, packed and not; each order of rows and
/// columns; all at once and with rows passed over.
#[test]
fn south_up_and_east_first_maps_are_turned() {
    let folder = Folder::new();
    for (a, e) in [(2.0, -3.0), (2.0, 3.0), (-2.0, -3.0), (-2.0, 3.0)] {
        for (tile, rows_per_strip) in
            [(None, 1), (None, 4), (None, HEIGHT), (Some((16, 16)), HEIGHT)]
        {
            for packing in [Packing::None, Packing::Deflate, Packing::Zstandard] {
                let file = map([a, 0.0, 700.0, 0.0, e, 50.0]);
                let file = TiffFile { tile, rows_per_strip, packing, ..file };
                let path = folder.file("map.tif", file.bytes());
                let (grid, found) = read(&path, &Hints::default()).unwrap();
                let expected = turned(&file, e > 0.0, a < 0.0);
                let what = format!("{a} {e} {tile:?} {rows_per_strip} {packing:?}");
                assert_values(&found, &expected, &what);
                let west = if a > 0.0 { 700.0 } else { 700.0 - 2.0 * WIDTH as f64 };
                let north = if e < 0.0 { 50.0 } else { 50.0 + 3.0 * HEIGHT as f64 };
                let place = (grid.west, grid.north, grid.step_x, grid.step_y);
                assert_eq!(place, (west, north, 2.0, 3.0), "{what}");

                let mut source = open(&path, &Hints::default()).unwrap();
                let mut row = vec![0.0; WIDTH];
                source.skip_rows(HEIGHT - 9).unwrap();
                source.next_row(&mut row).unwrap();
                #[expect(clippy::cast_possible_truncation, reason = "they were f32")]
                let row: Vec<f32> = row.iter().map(|&value| value as f32).collect();
                assert_values(&row, &expected[(HEIGHT - 9) * WIDTH..][..WIDTH], &what);
            }
        }
    }
}

/// The second tie point of GDAL's older files: a scale below zero.
#[test]
fn a_scale_below_zero_runs_west() {
    let folder = Folder::new();
    let file = map([1.0, 0.0, 0.0, 0.0, -1.0, 0.0]);
    let expected = turned(&file, false, true);
    let mut file = file
        .with_tag(33_550, Content::Doubles(vec![-10.0, 10.0, 0.0]))
        .with_tag(33_922, Content::Doubles(vec![0.0, 0.0, 0.0, 500.0, 900.0, 0.0]));
    file.tags.retain(|(tag, _)| *tag != 34_264);
    let (grid, found) = read(&folder.file("a.tif", file.bytes()), &Hints::default()).unwrap();
    assert_values(&found, &expected, "columns");
    assert_eq!((grid.west, grid.north), (500.0 - 10.0 * WIDTH as f64, 900.0));
}

/// Quarter turns move heights and interpolate nothing.
#[test]
fn quarter_turns_are_exact() {
    let folder = Folder::new();
    for (place, at) in [
        // Columns run north, rows east; columns run south, rows west.
        ([0.0, 10.0, 500.0, 10.0, 0.0, 900.0], (|c, r| (r, WIDTH - 1 - c)) as Turn),
        ([0.0, -10.0, 790.0, -10.0, 0.0, 1270.0], |c, r| (HEIGHT - 1 - r, c)),
        ([0.0, 10.0, 500.0, -10.0, 0.0, 1270.0], |c, r| (r, c)),
    ] {
        let file = map(place);
        let path = folder.file("map.tif", file.bytes());
        let (grid, found) = read(&path, &Hints::default()).unwrap();
        assert_eq!((grid.width, grid.height), (HEIGHT, WIDTH), "{place:?}");
        assert_eq!((grid.west, grid.north, grid.step_x), (500.0, 1270.0, 10.0), "{place:?}");
        let mut expected = vec![0.0; WIDTH * HEIGHT];
        for (row, heights) in turned(&file, false, false).chunks(WIDTH).enumerate() {
            for (column, &height) in heights.iter().enumerate() {
                let (east, south) = at(column, row);
                expected[south * HEIGHT + east] = height;
            }
        }
        assert_values(&found, &expected, &format!("{place:?}"));
    }
}

type Turn = fn(usize, usize) -> (usize, usize);

/// Goal: a plane stays the plane it is, however its raster is turned or sheared.
/// Method: heights that are linear in x and y; bilinear weights keep them between centres.
#[test]
fn askew_maps_are_brought_onto_the_axes() {
    let folder = Folder::new();
    for place in [
        [8.66, 5.0, 500.0, 5.0, -8.66, 900.0],
        [10.0, 4.0, 500.0, 0.0, -10.0, 900.0],
        [7.0, -7.0, 500.0, 7.0, 7.0, 900.0],
    ] {
        let plane = |x: f64, y: f64| 0.125 * (x - 500.0) - 0.25 * (y - 900.0);
        let mut file = map(place);
        let [a, b, west, d, e, north] = place;
        for (index, value) in file.values.iter_mut().enumerate() {
            let (c, r) = ((index % WIDTH) as f64 + 0.5, (index / WIDTH) as f64 + 0.5);
            *value = plane(a * c + b * r + west, d * c + e * r + north);
        }
        let path = folder.file("map.tif", file.bytes());
        let (grid, found) = read(&path, &Hints::default()).unwrap();
        let area = (a * e - b * d).abs();
        assert!((grid.step_x * grid.step_y - area).abs() < 1.0e-9 * area, "{place:?}");
        let inside = found.iter().filter(|height| !height.is_nan()).count();
        assert!(inside.abs_diff(WIDTH * HEIGHT) < 2 * (WIDTH + HEIGHT), "{place:?}: {inside}");
        let mut near_plane = 0;
        for (index, &height) in found.iter().enumerate() {
            let (column, row) = (index % grid.width, index / grid.width);
            let off = f64::from(height) - plane(grid.easting(column), grid.northing(row));
            // Within half a cell of the border the height is that of the border.
            assert!(height.is_nan() || off.abs() < 2.5, "{place:?}: {off} at {column}, {row}");
            near_plane += usize::from(off.abs() < 1.0e-4);
        }
        assert!(near_plane + 2 * (WIDTH + HEIGHT) > inside, "{place:?}: {near_plane}, {inside}");
        let remark = open(&path, &Hints::default()).unwrap().remarks().join("; ");
        assert!(remark.contains("askew") && remark.contains("bilinear"), "{remark}");
    }
}

/// Goal: classes have no mean: an askew raster of some has no others.
#[test]
fn askew_classes_stay_classes() {
    let folder = Folder::new();
    let mut file = map([8.66, 5.0, 500.0, 5.0, -8.66, 900.0]);
    for (index, value) in file.values.iter_mut().enumerate() {
        *value = [11.0, 42.0][index % 2];
    }
    let path = folder.file("cover.tif", file.bytes());
    for (values, are_classes) in [(RasterValues::Others, true), (RasterValues::Lengths, false)] {
        let hints = Hints { values, ..Hints::default() };
        let (_, found) = read(&path, &hints).unwrap();
        let is_class = |value: &f32| value.is_nan() || [11.0, 42.0].contains(value);
        assert_eq!(found.iter().all(is_class), are_classes, "{values:?}");
        let remark = open(&path, &hints).unwrap().remarks().join("; ");
        assert_eq!(remark.contains("nearest value"), are_classes, "{remark}");
    }
}

/// Goal: what all rows alone show is remarked, and rows in another order are not interpolated.
#[test]
fn infinite_cells_of_turned_maps_are_counted() {
    let folder = Folder::new();
    for place in [[8.66, 5.0, 500.0, 5.0, -8.66, 900.0], [0.0, 10.0, 500.0, -10.0, 0.0, 1270.0]] {
        let mut file = map(place);
        file.values[7] = f64::INFINITY;
        let mut source =
            open(&folder.file("map.tif", file.bytes()), &Hints::default()).expect("sound");
        let mut row = vec![0.0; source.grid().width];
        source.next_row(&mut row).expect("a row");
        let remarks = source.remarks().join("; ");
        assert!(remarks.contains("1 cells are infinite"), "{place:?}: {remarks}");
    }
    let path = folder.file("a.r32", [0_u8; 48]);
    folder.file("a.wld", "10\n0\n0\n10\n505\n875\n");
    let (size, height_range) = (Some((4, 3)), Some((0.0, 9.0)));
    let hints = Hints { size, height_range, ..Hints::default() };
    let remarks = open(&path, &hints).expect("from the south").remarks().join("; ");
    assert!(!remarks.contains("interpolated"), "{remarks}");
}

#[test]
fn askew_voids_stay_voids() {
    let folder = Folder::new();
    let place = [0.0, 10.0, 500.0, -10.0, 0.0, 1270.0];
    let (_, found) = read(&folder.file("a.tif", map(place).bytes()), &Hints::default()).unwrap();
    assert!(found[5 * HEIGHT + 3].is_nan());
    assert_eq!(found.iter().filter(|height| height.is_nan()).count(), 1);
    let upright = map([2.0, 1.0e-9, 700.0, 1.0e-9, -3.0, 50.0]);
    let path = folder.file("b.tif", upright.bytes());
    assert!(open(&path, &Hints::default()).unwrap().remarks().is_empty(), "rounding is no turn");
}

#[test]
fn what_cannot_be_turned_is_named() {
    let folder = Folder::new();
    for (place, expected) in [
        ([2.0, 4.0, 700.0, 1.0, 2.0, 50.0], "cells without an area"),
        ([0.0, 0.0, 700.0, 0.0, 0.0, 50.0], "sizes are positive"),
        ([2.0, f64::NAN, 700.0, 1.0, 2.0, 50.0], "cells without an area"),
        ([1.0, 1.0e9, 700.0, 0.0, -1.0, 50.0], "claims"),
    ] {
        let line = complaint(&folder.file("a.tif", map(place).bytes()), &Hints::default());
        assert!(line.contains(expected), "{place:?}: {line}");
    }
    let large = TiffFile {
        width: 1 << 14,
        height: 1 << 14,
        tile: Some((1 << 12, 1 << 12)),
        sparse: (0..16).collect(),
        blocks: Some(vec![Vec::new(); 16]),
        ..TiffFile::new(1, 1, Sample::F32, vec![0.0])
    };
    let mut large = large.with_tag(34_264, matrix([3.0, 4.0, 0.0, 4.0, -3.0, 0.0]));
    large.tags.retain(|(tag, _)| *tag == 34_264);
    let line = complaint(&folder.file("large.tif", large.bytes()), &Hints::default());
    assert!(line.contains("gdalwarp -r bilinear") && line.contains("large.upright.tif"), "{line}");
}
