//! GeoTIFF: every kind of sample, packing and layout; placement; what is refused.

use rasters::{Hints, HorizontalUnit, MetresPerDegree, RasterValues};

use crate::tiff_file::{Content, PACKINGS, Packing, SAMPLES, Sample, TiffFile};
use crate::{Folder, assert_values, complaint, read};

/// Values that differ everywhere and that the kind can hold, so any mix-up of cells shows.
fn values(sample: Sample, count: usize) -> Vec<f64> {
    let whole = |i: usize| (i * i % 127) as f64;
    (0..count)
        .map(|i| match sample {
            Sample::U8 => whole(i),
            Sample::I8 => whole(i) - 63.0,
            Sample::U16 | Sample::U32 | Sample::U64 => whole(i) * 150.0,
            Sample::I16 | Sample::I32 | Sample::I64 => whole(i) * 150.0 - 9_000.0,
            Sample::F16 => whole(i) * 4.0 - 250.0,
            Sample::F32 | Sample::F64 => whole(i) * 12.34 - 333.3,
        })
        .collect()
}

/// Goal: a map reads the same however it was stored.
/// Method: the whole cross product, against what went in.
#[test]
#[expect(clippy::cast_possible_truncation, reason = "f32 is what `read_all` gives")]
fn every_way_to_store_a_map() {
    let folder = Folder::new();
    let (width, height) = (37, 29);
    let mut cases = 0;
    for sample in SAMPLES {
        let values = values(sample, width * height);
        let expected: Vec<f32> = values.iter().map(|&value| value as f32).collect();
        for packing in PACKINGS {
            let predictors: &[u16] = match (packing, sample.is_float()) {
                (Packing::None | Packing::PackBits, _) => &[1],
                (_, false) => &[1, 2],
                (_, true) => &[1, 2, 3],
            };
            for &predictor in predictors {
                for variant in 0..12 {
                    let file = TiffFile {
                        packing,
                        predictor,
                        big_endian: variant % 2 == 1,
                        big_tiff: variant / 2 % 2 == 1,
                        tile: (variant / 4 == 0).then_some((16, 32)),
                        rows_per_strip: if variant / 4 == 1 { 7 } else { height },
                        ..TiffFile::new(width, height, sample, values.clone())
                    };
                    let path = folder.file("map.tif", file.bytes());
                    let what = format!("{sample:?} {packing:?} {predictor} variant {variant}");
                    let (grid, found) =
                        read(&path, &Hints::default()).unwrap_or_else(|e| panic!("{what}: {e}"));
                    assert_eq!((grid.west, grid.north, grid.step_x), (500.0, 900.0, 10.0));
                    assert_values(&found, &expected, &what);
                    cases += 1;
                }
            }
        }
    }
    assert_eq!(cases, 12 * (8 * 8 + 3 * 11));
}

/// The `tiff` crate's writer, so that not all files are our own.
#[test]
fn files_of_another_writer() {
    use tiff::encoder::colortype::{Gray16, Gray32Float, GrayI16};
    use tiff::encoder::{Compression, DeflateLevel, Predictor, TiffEncoder};
    let folder = Folder::new();
    let hints = Hints { cell_m: Some((5.0, 5.0)), ..Hints::default() };
    let (width, height) = (311, 157);
    let count = width * height;
    for compression in [
        Compression::Lzw,
        Compression::Deflate(DeflateLevel::Balanced),
        Compression::Packbits,
        Compression::Uncompressed,
    ] {
        let name = compression_name(compression);
        let predictors = match compression {
            Compression::Lzw | Compression::Deflate(_) => {
                vec![Predictor::None, Predictor::Horizontal]
            }
            _ => vec![Predictor::None],
        };
        for predictor in predictors {
            let path = folder.path().join("other.tif");
            let encoder = || {
                TiffEncoder::new(std::fs::File::create(&path).unwrap())
                    .unwrap()
                    .with_compression(compression)
                    .with_predictor(predictor)
            };
            let unsigned: Vec<u16> = (0..count).map(|i| (i * 7 % 20_000) as u16).collect();
            encoder().write_image::<Gray16>(311, 157, &unsigned).unwrap();
            let expected: Vec<f32> = unsigned.iter().map(|&v| f32::from(v)).collect();
            assert_values(&read(&path, &hints).unwrap().1, &expected, name);

            let signed: Vec<i16> = unsigned.iter().map(|&v| 9_999 - v as i16).collect();
            encoder().write_image::<GrayI16>(311, 157, &signed).unwrap();
            let expected: Vec<f32> = signed.iter().map(|&v| f32::from(v)).collect();
            assert_values(&read(&path, &hints).unwrap().1, &expected, name);

            if predictor == Predictor::None {
                let floats: Vec<f32> = expected.iter().map(|v| v * 0.123).collect();
                encoder().write_image::<Gray32Float>(311, 157, &floats).unwrap();
                assert_values(&read(&path, &hints).unwrap().1, &floats, name);
            }
        }
    }
}

fn compression_name(compression: tiff::encoder::Compression) -> &'static str {
    match compression {
        tiff::encoder::Compression::Lzw => "LZW",
        tiff::encoder::Compression::Deflate(_) => "Deflate",
        tiff::encoder::Compression::Packbits => "PackBits",
        tiff::encoder::Compression::Uncompressed => "uncompressed",
    }
}

fn small() -> TiffFile {
    TiffFile::new(4, 3, Sample::F32, (0..12).map(f64::from).collect())
}

fn keys(list: &[[u16; 4]]) -> Content {
    let count = u16::try_from(list.len()).unwrap();
    let head = [1, 1, 0, count];
    Content::Shorts(head.iter().chain(list.iter().flatten()).copied().collect())
}

const UTM: [[u16; 4]; 3] = [[1024, 0, 1, 1], [1025, 0, 1, 1], [3072, 0, 1, 32_611]];

#[test]
fn projected_metres() {
    let folder = Folder::new();
    let path = folder.file("utm.tif", small().with_tag(34_735, keys(&UTM)).bytes());
    let (grid, _) = read(&path, &Hints::default()).unwrap();
    assert_eq!(grid.unit, HorizontalUnit::Metre);
    assert_eq!(grid.cell_m, Some((10.0, 10.0)));
    assert_eq!(grid.crs.unwrap().name(), "EPSG:32611");
    assert_eq!((grid.west, grid.north), (500.0, 900.0));
}

#[test]
fn tie_points_of_cell_centres_and_other_cells() {
    let folder = Folder::new();
    let mut point = UTM;
    point[1][3] = 2;
    let path = folder.file("point.tif", small().with_tag(34_735, keys(&point)).bytes());
    let (grid, _) = read(&path, &Hints::default()).unwrap();
    assert_eq!((grid.west, grid.north), (495.0, 905.0));

    let tie = Content::Doubles(vec![2.0, 1.0, 0.0, 520.0, 890.0, 0.0]);
    let path = folder.file("tie.tif", small().with_tag(33_922, tie).bytes());
    let (grid, _) = read(&path, &Hints::default()).unwrap();
    assert_eq!((grid.west, grid.north), (500.0, 900.0));
}

#[test]
fn degrees_are_refused_or_measured() {
    let folder = Folder::new();
    let geographic = [[1024, 0, 1, 2], [1025, 0, 1, 1], [2048, 0, 1, 4326]];
    let file = small()
        .with_tag(33_550, Content::Doubles(vec![0.001, 0.001, 0.0]))
        .with_tag(33_922, Content::Doubles(vec![0.0, 0.0, 0.0, 9.0, 45.0015, 0.0]))
        .with_tag(34_735, keys(&geographic));
    let path = folder.file("degrees.tif", file.bytes());
    let line = complaint(&path, &Hints::default());
    assert!(line.contains("is in degrees"), "{line}");
    assert!(line.contains("gdalwarp -t_srs EPSG:32632"), "{line}");
    assert!(line.contains("--metres-per-degree auto"), "{line}");

    let auto = Hints { metres_per_degree: MetresPerDegree::Auto, ..Hints::default() };
    let (grid, _) = read(&path, &auto).unwrap();
    let (x, y) = grid.cell_m.unwrap();
    assert!((x - 78.847).abs() < 0.001 && (y - 111.132).abs() < 0.001, "{x} {y}");
    assert_eq!(grid.unit, HorizontalUnit::Degree);
    assert_eq!(grid.crs.unwrap().name(), "EPSG:4326");
}

#[test]
fn lengths_are_converted_and_other_units_refused() {
    let folder = Folder::new();
    for (unit, cell_m) in [(9002, 3.048), (9003, 10.0 * 1200.0 / 3937.0), (9036, 10_000.0)] {
        let mut list = UTM.to_vec();
        list.push([3076, 0, 1, unit]);
        let path = folder.file("feet.tif", small().with_tag(34_735, keys(&list)).bytes());
        let (grid, _) = read(&path, &Hints::default()).unwrap();
        let (x, _) = grid.cell_m.expect("a size");
        assert!((x - cell_m).abs() < 1.0e-9 && (grid.west - 500.0).abs() < 1.0e-9, "{unit}: {x}");
    }
    let geographic = |key| keys(&[[1024, 0, 1, 2], [1025, 0, 1, 1], key]);
    for (what, list) in [
        ("units of code 9999", keys(&[&UTM[..], &[[3076, 0, 1, 9999]]].concat())),
        ("grads", geographic([2048, 0, 1, 4807])),
        ("arc-seconds", geographic([2054, 0, 1, 9104])),
    ] {
        let path = folder.file("other.tif", small().with_tag(34_735, list).bytes());
        let line = complaint(&path, &Hints::default());
        assert!(line.contains(&format!("coordinates in {what}")), "{what}: {line}");
        let said = Hints { cell_m: Some((5.0, 5.0)), ..Hints::default() };
        assert_eq!(read(&path, &said).unwrap().0.cell_m, said.cell_m, "{what}");
    }
}

#[test]
fn heights_in_feet_are_read_in_metres() {
    let folder = Folder::new();
    let heights = |unit: u16| {
        let mut list = UTM.to_vec();
        list.push([4099, 0, 1, unit]);
        let path = folder.file("up.tif", small().with_tag(34_735, keys(&list)).bytes());
        read(&path, &Hints::default()).expect("heights").1
    };
    let (metres, feet) = (heights(9001), heights(9002));
    assert_eq!(metres.len(), feet.len());
    for (metres, feet) in metres.iter().zip(&feet) {
        assert!((feet - 0.3048 * metres).abs() < 1.0e-4, "{feet} of {metres}");
    }
    assert!(metres.iter().any(|height| *height > 0.0));
}

/// Goal: a unit that GDAL's metadata names is the unit of the heights; before, feet were metres.
#[test]
fn heights_in_feet_by_metadata_are_read_in_metres() {
    let folder = Folder::new();
    let file = |key: Option<u16>, unit: &str| {
        let key = key.map(|code| [4099, 0, 1, code]);
        let list: Vec<[u16; 4]> = UTM.into_iter().chain(key).collect();
        let metadata = format!(
            "<GDALMetadata>\n<Item name=\"UNITTYPE\" sample=\"0\" role=\"unittype\">{unit}</Item>\n\
             <Item name=\"SCALE\" sample=\"0\" role=\"scale\">2</Item></GDALMetadata>"
        );
        let file = small().with_tag(34_735, keys(&list)).with_tag(42_112, Content::Text(metadata));
        folder.file("up.tif", file.bytes())
    };
    for (key, unit, metres) in [
        (None, "m", 1.0),
        (None, "metre", 1.0),
        (None, "", 1.0),
        (None, "ft", 0.3048),
        (None, "US survey foot", 1200.0 / 3937.0),
        (None, "us-ft", 1200.0 / 3937.0),
        (None, "cm", 0.01),
        (Some(9002), "foot", 0.3048),
        (Some(9002), "", 0.3048),
        (Some(9003), "ft", 1200.0 / 3937.0),
    ] {
        let (_, found) = read(&file(key, unit), &Hints::default()).expect(unit);
        for (stored, height) in (0..12).map(f64::from).zip(found) {
            assert!((f64::from(height) - 2.0 * stored * metres).abs() < 1.0e-5, "{unit}: {height}");
        }
    }
    for (key, unit, expected) in [
        (None, "m/s", "\"m/s\""),
        (Some(9001), "ft", "in metres (geo-key 4099"),
        (Some(9002), "m", "in feet (geo-key 4099"),
    ] {
        let path = file(key, unit);
        let line = complaint(&path, &Hints::default());
        assert!(line.contains(expected) && line.contains("--height-unit"), "{line}");
        let others = Hints { values: RasterValues::Others, ..Hints::default() };
        let (_, found) = read(&path, &others).expect("as they are stored");
        assert_values(&found[..2], &[0.0, 2.0], unit);
    }
}

#[test]
fn nodata_scale_and_blocks_left_out() {
    let folder = Folder::new();
    let nodata = Content::Text("-9999 ".into());
    let metadata = "<GDALMetadata>\n <Item name=\"OFFSET\" sample=\"0\" role=\"offset\">100</Item>\
                    <Item name=\"SCALE\" sample=\"0\" role=\"scale\">0.5</Item></GDALMetadata>";
    let file = TiffFile {
        sparse: vec![0],
        rows_per_strip: 1,
        ..TiffFile::new(2, 3, Sample::I16, vec![1.0, 2.0, -9999.0, 7.0, 8.0, 9.0])
    };
    let file = file.with_tag(42_113, nodata).with_tag(42_112, Content::Text(metadata.into()));
    let path = folder.file("marked.tif", file.bytes());
    let hints = Hints { nodata: Some(9.0.into()), ..Hints::default() };
    let none = f32::NAN;
    let (_, found) = read(&path, &hints).unwrap();
    assert_values(&found, &[none, none, none, 103.5, 104.0, none], "strips");
}

/// Goal: cells that a mask leaves out have no height, if the mask is in the file or beside it.
#[test]
fn masks_are_read_in_the_file_and_beside_it() {
    let folder = Folder::new();
    // The mask of 4 x 3 cells: one bit a cell, a byte a row.
    let mask = [0b1110_0000_u8, 0b1111_0000, 0b0111_0000];
    let behind = |subfile: u16| {
        let mut bytes = small().bytes();
        let data = u16::try_from(bytes.len()).unwrap();
        bytes.extend(mask);
        bytes.push(0);
        let next = u32::try_from(bytes.len()).unwrap();
        let end = usize::from(data) - 4;
        bytes[end..usize::from(data)].copy_from_slice(&next.to_le_bytes());
        let tags = [
            (254, subfile),
            (256, 4),
            (257, 3),
            (258, 1),
            (259, 1),
            (262, 4),
            (273, data),
            (277, 1),
            (278, 3),
            (279, 3),
        ];
        bytes.extend(u16::try_from(tags.len()).unwrap().to_le_bytes());
        for (tag, value) in tags {
            let entry: [u16; 6] = [tag, 3, 1, 0, value, 0];
            bytes.extend(entry.iter().flat_map(|word| word.to_le_bytes()));
        }
        bytes.extend([0; 4]);
        bytes
    };
    let masked = |found: &[f32]| -> Vec<usize> {
        let none = found.iter().enumerate().filter(|(_, height)| height.is_nan());
        none.map(|(cell, _)| cell).collect()
    };
    let path = folder.file("a.tif", behind(4));
    assert_eq!(masked(&read(&path, &Hints::default()).unwrap().1), [3, 8]);
    let undone = Hints { nodata: "none".parse().ok(), ..Hints::default() };
    assert_eq!(masked(&read(&path, &undone).unwrap().1), [0; 0]);
    // A smaller copy, and the mask of a smaller copy.
    for subfile in [1, 5] {
        let path = folder.file("b.tif", behind(subfile));
        assert_eq!(masked(&read(&path, &Hints::default()).unwrap().1), [0; 0]);
    }
    let mut values = vec![255.0; 12];
    values[5] = 0.0;
    folder.file("b.tif.msk", TiffFile::new(4, 3, Sample::U8, values).bytes());
    let path = folder.file("b.tif", small().bytes());
    assert_eq!(masked(&read(&path, &Hints::default()).unwrap().1), [5]);
    folder.file("b.tif.msk", TiffFile::new(2, 3, Sample::U8, vec![0.0; 6]).bytes());
    assert!(complaint(&path, &Hints::default()).contains("a mask of 2 x 3 cells for 4 x 3"));
}

#[test]
fn a_map_without_a_place() {
    let folder = Folder::new();
    let mut file = TiffFile::new(2, 1, Sample::U16, vec![0.0, 65_535.0]);
    file.tags.clear();
    let path = folder.file("export.tif", file.bytes());
    let line = complaint(&path, &Hints::default());
    assert!(line.contains("--map-cell 5"), "{line}");

    folder.file("export.toml", "cell_m = 4.0\nheight_min_m = -10.0\nheight_max_m = 90.0\n");
    let (grid, found) = read(&path, &Hints::default()).unwrap();
    assert_eq!((grid.cell_m, grid.north), (Some((4.0, 4.0)), 4.0));
    assert_values(&found, &[-10.0, 90.0], "spread");
}

#[test]
fn palettes_are_classes() {
    let folder = Folder::new();
    let file = TiffFile::new(3, 1, Sample::U8, vec![1.0, 7.0, 42.0])
        .with_tag(262, Content::Shorts(vec![3]))
        .with_tag(320, Content::Shorts(vec![0; 768]));
    let path = folder.file("cover.tif", file.bytes());
    let (_, found) = read(&path, &Hints::default()).unwrap();
    assert_values(&found, &[1.0, 7.0, 42.0], "classes");
}

#[test]
fn kinds_that_are_not_read() {
    let folder = Folder::new();
    let tagged = |tag: u16, value: u16| small().with_tag(tag, Content::Shorts(vec![value]));
    for (what, file, expected) in [
        ("12 bits", tagged(258, 12), "samples of 12 bits"),
        ("floats of 24 bits", tagged(258, 24), "gdal_translate -ot Float32"),
        ("old JPEG", tagged(259, 6), "old JPEG compression (6)"),
        ("LZMA", tagged(259, 34_925), "COMPRESS=DEFLATE"),
        ("complex", tagged(339, 6), "format 6"),
    ] {
        let line = complaint(&folder.file("kind.tif", file.bytes()), &Hints::default());
        assert!(line.contains(expected), "{what}: {line}");
    }
}
