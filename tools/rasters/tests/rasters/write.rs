//! Writing: what comes back, and what is left when it fails.

use rasters::{Crs, Grid, Hints, RasterBand, write_geotiff};
use testkit::holds;
use tiff::decoder::{Decoder, DecodingResult};
use tiff::tags::Tag;

use crate::tiff_file::{Content, Sample, TiffFile};
use crate::{Folder, assert_values, read};

fn grid(width: usize, height: usize) -> Grid {
    Grid {
        crs: Some(Crs::projected(32_611)),
        ..Grid::metric((width, height), (376_313.655_454, 3_807_917.827_628), 30.0)
    }
}

/// Several strips, all cells different, with NoData.
fn values(grid: &Grid) -> Vec<f32> {
    let depth = |i: usize| if i % 11 == 3 { f32::NAN } else { (i as f32).sin() * 7.5 };
    (0..grid.width * grid.height).map(depth).collect()
}

fn write(path: &std::path::Path, grid: &Grid, values: &[f32]) {
    write_geotiff(path, grid, RasterBand::ELEVATION, |row, cells| {
        cells.copy_from_slice(&values[row * grid.width..][..grid.width]);
    })
    .unwrap();
}

#[test]
fn what_was_written_comes_back() {
    let folder = Folder::new();
    for (width, height) in [(1, 1), (300, 1), (1, 300), (701, 433)] {
        let grid = grid(width, height);
        let values = values(&grid);
        let path = folder.path().join("depth.tif");
        write(&path, &grid, &values);
        let (found_grid, found) = read(&path, &Hints::default()).unwrap();
        assert_eq!(found_grid, grid);
        assert_values(&found, &values, "depth");
    }
}

/// The `tiff` crate reads it too, so it is not only we who understand our files.
#[test]
fn another_reader_understands_it() {
    let folder = Folder::new();
    let grid = grid(701, 433);
    let mut values = values(&grid);
    let path = folder.path().join("depth.tif");
    write(&path, &grid, &values);
    let mut decoder = Decoder::new(std::fs::File::open(&path).unwrap()).unwrap();
    assert_eq!(decoder.dimensions().unwrap(), (701, 433));
    assert_eq!(decoder.get_tag_ascii_string(Tag::GdalNodata).unwrap(), "-9999");
    let keys = decoder.get_tag_u16_vec(Tag::GeoKeyDirectoryTag).unwrap();
    assert!(keys.chunks(4).any(|key| key == [3072, 0, 1, 32_611]), "{keys:?}");
    let tie = decoder.get_tag_f64_vec(Tag::ModelTiepointTag).unwrap();
    assert_eq!(tie, [0.0, 0.0, 0.0, grid.west, grid.north, 0.0]);
    let DecodingResult::F32(found) = decoder.read_image().unwrap() else {
        panic!("not single precision");
    };
    for value in values.iter_mut().filter(|value| value.is_nan()) {
        *value = -9999.0;
    }
    assert_values(&found, &values, "depth");
}

/// A system without a code survives: all keys, numbers and texts.
#[test]
fn the_input_s_reference_system_is_the_output_s() {
    let folder = Folder::new();
    let texts = "Valley grid|WGS 84|";
    let keys = [
        [1024, 0, 1, 1],
        [1025, 0, 1, 1],
        [1026, 34_737, 12, 0],
        [2048, 0, 1, 4326],
        [3072, 0, 1, 32_767],
        [3076, 0, 1, 9001],
        [3080, 34_736, 1, 1],
        [3092, 34_736, 1, 0],
    ];
    let head = [1, 1, 0, 8];
    let directory = head.iter().chain(keys.iter().flatten()).copied().collect();
    let file = TiffFile::new(2, 1, Sample::F32, vec![1.0, 2.0])
        .with_tag(34_735, Content::Shorts(directory))
        .with_tag(34_736, Content::Doubles(vec![0.9996, 9.0]))
        .with_tag(34_737, Content::Text(texts.into()));
    let (grid, values) = read(&folder.file("in.tif", file.bytes()), &Hints::default()).unwrap();
    assert_eq!(grid.crs.as_ref().unwrap().to_string(), "Valley grid");
    let path = folder.path().join("out.tif");
    write(&path, &grid, &values);
    assert_eq!(read(&path, &Hints::default()).unwrap(), (grid, values));
}

#[test]
fn nothing_is_left_of_a_failure() {
    let folder = Folder::new();
    let there = folder.file("there.tif", "precious");
    assert!(write_geotiff(&there, &grid(0, 5), RasterBand::ELEVATION, |_, _| ()).is_err());
    assert_eq!(std::fs::read(&there).unwrap(), b"precious");

    let missing = folder.path().join("missing").join("depth.tif");
    let error = write_geotiff(&missing, &grid(2, 2), RasterBand::ELEVATION, |_, _| ())
        .unwrap_err()
        .to_string();
    assert!(error.starts_with("cannot write ") && error.contains("depth.tif"), "{error}");

    let in_the_way = folder.path().join("in-the-way.tif");
    std::fs::create_dir(&in_the_way).unwrap();
    assert!(write_geotiff(&in_the_way, &grid(2, 2), RasterBand::ELEVATION, |_, _| ()).is_err());

    let stopped = std::panic::catch_unwind(|| {
        write_geotiff(&there, &grid(2, 2), RasterBand::ELEVATION, |row, _| assert!(row < 1, "stop"))
    });
    assert!(stopped.is_err());
    assert_eq!(std::fs::read(&there).unwrap(), b"precious");

    let mut names: Vec<String> = std::fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names, ["in-the-way.tif", "there.tif"]);
}

#[test]
fn the_same_rows_give_the_same_bytes() {
    let folder = Folder::new();
    let grid = grid(64, 64);
    let (a, b) = (folder.path().join("a.tif"), folder.path().join("b.tif"));
    write(&a, &grid, &values(&grid));
    write(&b, &grid, &values(&grid));
    assert_eq!(std::fs::read(a).unwrap(), std::fs::read(b).unwrap());
}

/// Every overview that a reader finds, against what the raster's own cells give; and the order of
/// the parts, which is what makes a file cheap to read over a network.
#[test]
fn overviews_are_means_of_what_has_a_value() {
    let folder = Folder::new();
    let grid = grid(701, 433);
    // A river in the west, a film with holes in the east, dry ground between them.
    let value = |x: usize, y: usize| match x {
        ..90 => 4.0 + (y as f32).cos(),
        600.. if !(x * 7 + y * 3).is_multiple_of(5) => 0.002,
        _ => f32::NAN,
    };
    let cells = grid.width * grid.height;
    let values: Vec<f32> = (0..cells).map(|i| value(i % grid.width, i / grid.width)).collect();
    let path = folder.path().join("depth.tif");
    write(&path, &grid, &values);
    let mut decoder = Decoder::new(std::fs::File::open(&path).unwrap()).unwrap();
    let mut begins = Vec::new();
    for cell in [1, 2, 4] {
        let (width, height) = (grid.width.div_ceil(cell), grid.height.div_ceil(cell));
        let (columns, rows) = decoder.dimensions().unwrap();
        assert_eq!((columns as usize, rows as usize), (width, height));
        assert_eq!(decoder.get_tag_u32(Tag::NewSubfileType).unwrap(), u32::from(cell > 1));
        let offsets = decoder.get_tag_u64_vec(Tag::TileOffsets).unwrap();
        assert!(offsets.is_sorted());
        begins.push(offsets[0]);
        let DecodingResult::F32(found) = decoder.read_image().unwrap() else {
            panic!("not single precision");
        };
        for (index, &found) in found.iter().enumerate() {
            let (column, row) = (index % width * cell, index / width * cell);
            let columns = column..(column + cell).min(grid.width);
            let rows = row..(row + cell).min(grid.height);
            let area = columns.len() * rows.len();
            let below = rows.flat_map(|y| columns.clone().map(move |x| (x, y)));
            let known: Vec<f64> = below
                .map(|(x, y)| f64::from(values[y * grid.width + x]))
                .filter(|value| !value.is_nan())
                .collect();
            let mean = known.iter().sum::<f64>() / known.len() as f64;
            let expected = if 2 * known.len() >= area && area > 0 { mean } else { -9999.0 };
            let is_near = (f64::from(found) - expected).abs() < 1.0e-6;
            assert!(is_near, "{column}, {row} of {cell}: {found}, not {expected}");
        }
        if decoder.more_images() {
            decoder.next_image().unwrap();
        }
    }
    assert!(!decoder.more_images());
    // Directories first, then the coarsest overview, the raster last.
    let bytes = std::fs::read(&path).unwrap();
    assert_eq!(u32::from_le_bytes(bytes[4..8].try_into().unwrap()), 192);
    assert!(bytes[8..].starts_with(b"GDAL_STRUCTURAL_METADATA_SIZE=000140 bytes\nLAYOUT=IFDS_"));
    assert!(begins.is_sorted_by(|finer, coarser| finer > coarser), "{begins:?}");
}

#[test]
fn a_file_says_what_it_holds_and_in_which_unit() {
    let folder = Folder::new();
    let path = folder.path().join("speed.tif");
    let band = RasterBand { description: "Speed & <more>", unit: "m/s" };
    write_geotiff(&path, &grid(20, 10), band, |_, cells| cells.fill(1.0)).unwrap();
    let mut decoder = Decoder::new(std::fs::File::open(&path).unwrap()).unwrap();
    let said = decoder.get_tag_ascii_string(Tag::Unknown(42_112)).unwrap();
    holds(&said, &["role=\"unittype\">m/s<", "role=\"description\">Speed &amp; &lt;more&gt;<"]);
    assert_eq!(decoder.get_tag_ascii_string(Tag::ImageDescription).unwrap(), "Speed & <more>");
}

#[test]
fn a_value_that_means_nodata_is_refused() {
    let folder = Folder::new();
    let path = folder.path().join("bed.tif");
    let fill = |row: usize, cells: &mut [f32]| {
        cells.fill(if row == 3 { -9999.0 } else { 1.0 });
    };
    let error = write_geotiff(&path, &grid(20, 10), RasterBand::ELEVATION, fill).unwrap_err();
    assert!(error.to_string().contains("row 3, column 0 is -9999"), "{error}");
    assert!(!path.exists());
}
