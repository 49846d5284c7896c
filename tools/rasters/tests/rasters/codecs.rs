//! GeoTIFF: Zstandard, LERC, WebP and JPEG; opacity and colours; channels apart and together.
//!
//! The blocks come from encoders of other crates, and `gdal/*.hex` are whole files that GDAL 3.6
//! made of the same small synthetic ramp.

use std::io::Write;

use flate2::write::ZlibEncoder;
use image_webp::{ColorType, WebPEncoder};
use lerc::bitmask::BitMask;
use lerc::{Precision, encode_slice_masked};
use rasters::{Encoding, Hints, open};
use ruzstd::encoding::{CompressionLevel, compress_to_vec};

use crate::tiff_file::{Content, Packing, Sample, TiffFile};
use crate::{Folder, PEAK, assert_values, complaint, read};

const WIDTH: usize = 21;
const HEIGHT: usize = 15;

/// Column 5 of row 3 is the void.
const VOID: usize = 3 * WIDTH + 5;

fn ramp(index: usize) -> f64 {
    let (column, row) = (index % WIDTH, index / WIDTH);
    (column * column % 41) as f64 + row as f64 * 0.75
}

/// The ramp as a reader finds it, its void NoData.
#[expect(clippy::cast_possible_truncation, reason = "f32 is what `read_all` gives")]
fn expected(height: impl Fn(usize) -> f64) -> Vec<f32> {
    (0..WIDTH * HEIGHT).map(|i| if i == VOID { f32::NAN } else { height(i) as f32 }).collect()
}

/// A file with each block encoded anew from its little-endian samples and its rows.
fn encoded(
    file: &TiffFile,
    number: u16,
    encode: impl Fn(&[u8], usize, usize) -> Vec<u8>,
) -> TiffFile {
    let channels = if file.planar { 1 } else { file.channels };
    let width = file.tile.map_or(file.width, |tile| tile.0);
    let blocks = TiffFile { packing: Packing::None, ..file.clone() }.packed_blocks();
    let row_bytes = width * channels * file.sample.size();
    let blocks = blocks.iter().map(|block| encode(block, width, block.len() / row_bytes));
    let file = TiffFile { blocks: Some(blocks.collect()), ..file.clone() };
    file.with_tag(259, Content::Shorts(vec![number]))
}

/// A LERC blob of numbers; NaN is left out by its mask.
fn lerc_blob(sample: Sample, block: &[u8], (width, height): (usize, usize)) -> Vec<u8> {
    fn pack<T: lerc::Sample, const N: usize>(
        block: &[u8],
        (width, height): (usize, usize),
        from: impl Fn([u8; N]) -> T,
    ) -> Vec<u8> {
        let values: Vec<T> = block.as_chunks().0.iter().map(|bytes| from(*bytes)).collect();
        let mut mask = BitMask::all_valid(values.len());
        for (cell, value) in values.iter().enumerate() {
            if value.to_f64().is_nan() {
                mask.set_invalid(cell);
            }
        }
        let (width, height) = (width.try_into().unwrap(), height.try_into().unwrap());
        encode_slice_masked(width, height, &values, &mask, Precision::Lossless).unwrap()
    }
    let size = (width, height);
    match sample {
        Sample::U8 => pack(block, size, u8::from_le_bytes),
        Sample::I8 => pack(block, size, i8::from_le_bytes),
        Sample::U16 => pack(block, size, u16::from_le_bytes),
        Sample::I16 => pack(block, size, i16::from_le_bytes),
        Sample::U32 => pack(block, size, u32::from_le_bytes),
        Sample::I32 => pack(block, size, i32::from_le_bytes),
        Sample::F32 => pack(block, size, f32::from_le_bytes),
        Sample::F64 => pack(block, size, f64::from_le_bytes),
        _ => panic!("LERC has no {sample:?}"),
    }
}

/// LERC of a file's samples, packed once more in the second parameter's way.
pub fn lerc_file(file: &TiffFile, wrapping: u16) -> TiffFile {
    let file = encoded(file, 34_887, |block, width, height| {
        let blob = lerc_blob(file.sample, block, (width, height));
        match wrapping {
            0 => blob,
            1 => {
                let mut zlib = ZlibEncoder::new(Vec::new(), flate2::Compression::default());
                zlib.write_all(&blob).unwrap();
                zlib.finish().unwrap()
            }
            _ => compress_to_vec(blob.as_slice(), CompressionLevel::Fastest),
        }
    });
    file.with_tag(50_674, Content::Shorts(vec![4, wrapping]))
}

/// JPEG of a file's bytes, its tables in a stream of their own.
pub fn jpeg_file(file: &TiffFile) -> TiffFile {
    let jpeg = |block: &[u8], width: usize, height: usize| {
        let mut stream = Vec::new();
        let (width, height) = (width.try_into().unwrap(), height.try_into().unwrap());
        let encoder = jpeg_encoder::Encoder::new(&mut stream, 100);
        encoder.encode(block, width, height, jpeg_encoder::ColorType::Luma).unwrap();
        stream
    };
    let tables = apart(&jpeg(&[0; 64], 8, 8)).0;
    let file = encoded(file, 7, |block, width, height| apart(&jpeg(block, width, height)).1);
    file.with_tag(347, Content::Opaque(tables))
}

/// The tables of a JPEG stream, and the rest of it.
fn apart(stream: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let (mut tables, mut rest) = (vec![0xff, 0xd8], vec![0xff, 0xd8]);
    let mut at = 2;
    while stream[at + 1] != 0xda {
        let end = at + 2 + usize::from(u16::from_be_bytes([stream[at + 2], stream[at + 3]]));
        let is_table = matches!(stream[at + 1], 0xc4 | 0xdb);
        if is_table { &mut tables } else { &mut rest }.extend_from_slice(&stream[at..end]);
        at = end;
    }
    rest.extend_from_slice(&stream[at..]);
    tables.extend([0xff, 0xd9]);
    (tables, rest)
}

/// Lossless WebP of a file's colours.
pub fn webp_file(file: &TiffFile) -> TiffFile {
    let kind = if file.channels == 4 { ColorType::Rgba8 } else { ColorType::Rgb8 };
    encoded(file, 50_001, |block, width, height| {
        let mut picture = Vec::new();
        let (width, height) = (width.try_into().unwrap(), height.try_into().unwrap());
        WebPEncoder::new(&mut picture).encode(block, width, height, kind).unwrap();
        picture
    })
}

/// The ramp in steps of 1/256 m as the colours of Terrarium.
pub fn terrarium(channels: usize) -> TiffFile {
    let mut values = Vec::new();
    for index in 0..WIDTH * HEIGHT {
        let number = 256.0 * (ramp(index) + 32_768.0);
        values.extend([
            (number / 65_536.0).floor(),
            (number / 256.0).floor() % 256.0,
            number % 256.0,
        ]);
        values.extend((channels == 4).then_some(if index == VOID { 0.0 } else { 255.0 }));
    }
    let file = TiffFile::new(WIDTH, HEIGHT, Sample::U8, vec![0.0; WIDTH * HEIGHT]);
    let file = TiffFile { channels, values, ..file };
    file.with_tag(262, Content::Shorts(vec![2]))
}

fn said() -> Hints {
    Hints { encoding: Some(Encoding::Terrarium), ..Hints::default() }
}

/// Strips of one row, of a few and of all, and tiles.
fn layouts(file: &TiffFile) -> [TiffFile; 4] {
    [(None, 1), (None, 4), (None, HEIGHT), (Some((16, 16)), HEIGHT)]
        .map(|(tile, rows_per_strip)| TiffFile { tile, rows_per_strip, ..file.clone() })
}

#[test]
fn lerc_of_every_sample() {
    let folder = Folder::new();
    for sample in [
        Sample::U8,
        Sample::I8,
        Sample::U16,
        Sample::I16,
        Sample::U32,
        Sample::I32,
        Sample::F32,
        Sample::F64,
    ] {
        let height =
            |index: usize| if sample.is_float() { ramp(index) } else { ramp(index).floor() };
        let mut values: Vec<f64> = (0..WIDTH * HEIGHT).map(height).collect();
        let mut expected = expected(height);
        if sample.is_float() {
            values[VOID] = f64::NAN;
        } else {
            #[expect(clippy::cast_possible_truncation, reason = "a small number")]
            let height = height(VOID) as f32;
            expected[VOID] = height;
        }
        for file in layouts(&TiffFile::new(WIDTH, HEIGHT, sample, values)) {
            for wrapping in 0..3 {
                let path = folder.file("map.tif", lerc_file(&file, wrapping).bytes());
                let what = format!("{sample:?} {:?} {} {wrapping}", file.tile, file.rows_per_strip);
                let (_, found) =
                    read(&path, &Hints::default()).unwrap_or_else(|e| panic!("{what}: {e}"));
                assert_values(&found, &expected, &what);
            }
        }
    }
}

#[test]
fn colours_in_every_packing_apart_and_together() {
    let folder = Folder::new();
    for channels in [3, 4] {
        let mut expected = expected(ramp);
        if channels == 3 {
            #[expect(clippy::cast_possible_truncation, reason = "a small number")]
            let height = ramp(VOID) as f32;
            expected[VOID] = height;
        }
        for file in layouts(&terrarium(channels)) {
            let what = format!("{channels} {:?} {}", file.tile, file.rows_per_strip);
            let mut files = vec![webp_file(&file)];
            for (packing, predictor) in [
                (Packing::None, 1),
                (Packing::Lzw, 2),
                (Packing::Deflate, 2),
                (Packing::Zstandard, 1),
                (Packing::Zstandard, 2),
            ] {
                for planar in [false, true] {
                    files.push(TiffFile { packing, predictor, planar, ..file.clone() });
                }
            }
            files.push(lerc_file(&TiffFile { planar: true, ..file.clone() }, 2));
            for file in files {
                let path = folder.file("map.tif", file.bytes());
                let what = format!("{what} {:?} {} {}", file.packing, file.predictor, file.planar);
                let (_, found) = read(&path, &said()).unwrap_or_else(|e| panic!("{what}: {e}"));
                assert_values(&found, &expected, &what);
            }
        }
    }
}

#[test]
fn transparent_cells_are_voids() {
    let folder = Folder::new();
    for sample in [Sample::U8, Sample::I16, Sample::F16, Sample::F32, Sample::F64] {
        let height =
            |index: usize| if sample.is_float() { ramp(index) } else { ramp(index).floor() };
        let opaque = |index: usize| if index == VOID { 0.0 } else { 255.0_f64.min(100.0) };
        let values = (0..WIDTH * HEIGHT).flat_map(|index| [height(index), opaque(index)]).collect();
        let file = TiffFile::new(WIDTH, HEIGHT, sample, vec![0.0; WIDTH * HEIGHT]);
        let file = TiffFile { channels: 2, values, ..file };
        let predictor = if sample.is_float() { 3 } else { 2 };
        for file in layouts(&file.with_tag(338, Content::Shorts(vec![2]))) {
            for (planar, big_endian) in [(false, false), (true, false), (false, true), (true, true)]
            {
                let packing = Packing::Deflate;
                let file = TiffFile { planar, big_endian, packing, predictor, ..file.clone() };
                let path = folder.file("map.tif", file.bytes());
                let (_, found) = read(&path, &Hints::default()).unwrap();
                let what = format!("{sample:?} {:?} {planar} {big_endian}", file.tile);
                assert_values(&found, &expected(height), &what);
            }
        }
    }
}

#[test]
fn grey_jpeg_with_tables_apart() {
    let folder = Folder::new();
    let height = |index: usize| (2 * (index % WIDTH) + 3 * (index / WIDTH)) as f64;
    let values = (0..WIDTH * HEIGHT).map(height).collect();
    for file in layouts(&TiffFile::new(WIDTH, HEIGHT, Sample::U8, values)) {
        let path = folder.file("map.tif", jpeg_file(&file).bytes());
        let (_, found) = read(&path, &Hints::default()).unwrap();
        for (index, &found) in found.iter().enumerate() {
            // Beyond the raster tiles are 77, and JPEG blurs within blocks of eight cells.
            let off = (f64::from(found) - height(index)).abs();
            assert!(off <= 3.0, "{:?} {index}: {found}", file.tile);
        }
    }
}

/// Name, content in hexadecimal digits, heights by cell.
type Case<'a> = (&'a str, &'a str, &'a dyn Fn(usize) -> f64);

/// Goal: files of the writer that nearly everybody uses.
#[test]
fn files_of_gdal() {
    let folder = Folder::new();
    let quarters = |index: usize| (ramp(index) * 4.0).floor();
    let grey = |index: usize| (2 * (index % WIDTH) + 3 * (index / WIDTH)) as f64;
    let cases: [Case; 7] = [
        ("zstd", include_str!("gdal/zstd.hex"), &ramp),
        ("half", include_str!("gdal/half.hex"), &ramp),
        ("lerc_zstd", include_str!("gdal/lerc_zstd.hex"), &ramp),
        ("lerc_deflate_16", include_str!("gdal/lerc_deflate_16.hex"), &quarters),
        ("lerc_8", include_str!("gdal/lerc_8.hex"), &|index| ramp(index).floor()),
        ("webp", include_str!("gdal/webp.hex"), &ramp),
        ("jpeg", include_str!("gdal/jpeg.hex"), &grey),
    ];
    for (name, hex, height) in cases {
        let hex: Vec<u8> = hex.bytes().filter(u8::is_ascii_hexdigit).collect();
        let pair =
            |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap();
        let path = folder.file(name, hex.chunks(2).map(pair).collect::<Vec<u8>>());
        let hints = if name == "webp" { said() } else { Hints::default() };
        let (grid, found) = read(&path, &hints).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!((grid.west, grid.north, grid.step_x), (500.0, 900.0, 10.0), "{name}");
        let mut expected = expected(height);
        if matches!(name, "lerc_deflate_16" | "lerc_8" | "jpeg") {
            #[expect(clippy::cast_possible_truncation, reason = "a small number")]
            let height = height(VOID) as f32;
            expected[VOID] = height;
        }
        if name == "jpeg" {
            let near = |(a, b): (&f32, &f32)| (a - b).abs() <= 1.0;
            assert!(found.iter().zip(&expected).all(near), "{name}");
        } else {
            assert_values(&found, &expected, name);
        }
    }
}

#[test]
fn what_is_lost_in_colours_is_named() {
    let folder = Folder::new();
    let jpeg = terrarium(3).with_tag(259, Content::Shorts(vec![7]));
    let line = complaint(&folder.file("a.tif", jpeg.bytes()), &said());
    assert!(line.contains("which leaves no heights in them"), "{line}");
    let line = complaint(&folder.file("a.tif", terrarium(3).bytes()), &Hints::default());
    assert!(line.contains("--encoding terrarium or --encoding mapbox"), "{line}");
    let grey = TiffFile::new(WIDTH, HEIGHT, Sample::U8, vec![1.0; WIDTH * HEIGHT]);
    let line = complaint(&folder.file("a.tif", grey.bytes()), &said());
    assert!(line.contains("leave --encoding out"), "{line}");

    // A picture of another size than its block.
    let mut small = webp_file(&terrarium(3));
    small.height -= 1;
    small.values.truncate(small.width * small.height * 3);
    let line = complaint(&folder.file("a.tif", small.bytes()), &said());
    assert!(line.contains("WebP of 21 x 3 cells where 21 x 2 belong"), "{line}");
}

/// Goal: a frame that names a window of terabytes costs what its block costs.
/// Method: one raw block behind the largest window descriptor.
#[test]
fn a_zstandard_frame_gets_no_larger_window_than_its_block() {
    let folder = Folder::new();
    let row: Vec<u8> = (0..64_u8).collect();
    let mut frame = vec![0x28, 0xb5, 0x2f, 0xfd, 0x00, 0xff];
    frame.extend([0x01, 0x02, 0x00]);
    frame.extend(&row);
    let values: Vec<f64> = row.iter().map(|&value| value.into()).collect();
    let file = TiffFile {
        packing: Packing::Zstandard,
        blocks: Some(vec![frame]),
        ..TiffFile::new(64, 1, Sample::U8, values)
    };
    let path = folder.file("window.tif", file.bytes());
    PEAK.reset_peak_usage();
    let mut source = open(&path, &Hints::default()).unwrap();
    let mut found = vec![0.0; 64];
    source.next_row(&mut found).unwrap();
    assert!(found.iter().zip(&row).all(|(a, &b)| (a - f64::from(b)).abs() < 0.5), "{found:?}");
    assert!(PEAK.peak_usage() < 96 << 20, "{} bytes", PEAK.peak_usage());
}
