//! Files that are no maps, or were until something happened to them.
//!
//! Goal: whatever the bytes, rows or an error of one line; no panic, and no memory for a length
//! that only a header claims.
//! Method: small sound files of every format, some bytes of them overwritten, cut or repeated.

use std::io::Write;
use std::path::Path;
use std::sync::LazyLock;

use proptest::prelude::*;
use rasters::{Encoding, Format, Hints, MetresPerDegree, open};

use crate::tiff_file::{Content, PACKINGS, Packing, Sample, TiffFile};
use crate::{Folder, PEAK, codecs, complaint, placement};

/// Memory that all tests of this program together may take while a small file is read.
const MEMORY_MAX: usize = 96 << 20;

/// First bytes by which a reader takes a file for its own.
const MAGICS: &[&[u8]] = &[
    b"II*\0",
    b"MM\0*",
    b"II+\0\x08\0\0\0",
    b"\x1f\x8b\x08",
    b"\x89PNG\r\n\x1a\n",
    b"ncols ",
    b"",
];

/// Sound files of every format: name and content.
static SOUND_FILES: LazyLock<Vec<(String, Vec<u8>)>> = LazyLock::new(sound_files);

fn sound_files() -> Vec<(String, Vec<u8>)> {
    let values: Vec<f64> = (0..23 * 17).map(|i| f64::from(i * i % 251)).collect();
    let mut files = Vec::new();
    for (index, packing) in PACKINGS.into_iter().enumerate() {
        for (tile, sample) in [(None, Sample::I16), (Some((16, 16)), Sample::F32)] {
            let predictor = match (index, sample.is_float()) {
                (0 | 3, _) => 1,
                (_, false) => 2,
                (_, true) => 3,
            };
            let file = TiffFile {
                packing,
                predictor,
                tile,
                big_endian: index % 2 == 1,
                big_tiff: index >= 2,
                ..TiffFile::new(23, 17, sample, values.clone())
            }
            .with_tag(34_735, Content::Shorts(vec![1, 1, 0, 1, 3072, 0, 1, 32_611]))
            .with_tag(42_113, Content::Text("-9999".into()));
            files.push((format!("{packing:?}.tif"), file.bytes()));
        }
    }
    for (name, file) in [
        ("lerc.tif", codecs::lerc_file(&TiffFile::new(23, 17, Sample::F32, values.clone()), 0)),
        ("lerc.tif", codecs::lerc_file(&TiffFile::new(23, 17, Sample::U8, values.clone()), 1)),
        ("lerc.tif", codecs::lerc_file(&TiffFile::new(23, 17, Sample::I16, values.clone()), 2)),
        ("jpeg.tif", codecs::jpeg_file(&TiffFile::new(23, 17, Sample::U8, values))),
        ("web.tif", codecs::webp_file(&codecs::terrarium(4))),
        ("web.tif", TiffFile { planar: true, ..codecs::terrarium(3) }),
        ("turned.tif", placement::map([0.0, 3.0, 500.0, 3.0, 0.0, 900.0])),
        ("south.tif", placement::map([3.0, 0.0, 500.0, 0.0, 3.0, 900.0])),
    ] {
        files.push((name.into(), file.bytes()));
    }
    let rows = "1 2 3.5 -4e1 5 6 7 8\n".repeat(6);
    let text = format!("ncols 8\nnrows 6\nxllcorner 10\nyllcorner 20\ncellsize 5\n{rows}");
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    packed.write_all(text.as_bytes()).unwrap();
    files.push(("grid.asc".into(), text.into_bytes()));
    files.push(("grid.asc.gz".into(), packed.finish().unwrap()));

    let mut picture = Vec::new();
    let mut encoder = png::Encoder::new(&mut picture, 9, 7);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.set_depth(png::BitDepth::Sixteen);
    let samples: Vec<u8> = (0..126).map(|i| i * 2).collect();
    encoder.write_header().unwrap().write_image_data(&samples).unwrap();
    files.push(("game.png".into(), picture));
    files.push(("game.r16".into(), samples.clone()));
    files.push(("game.raw".into(), samples.clone()));
    files.push(("N48E007.hgt".into(), samples));
    files
}

/// Everything the formats could lack, except the size of headerless samples that fits.
fn generous() -> Hints {
    Hints { cell_m: Some((5.0, 5.0)), metres_per_degree: MetresPerDegree::Auto, ..Hints::default() }
}

/// Reads to the end or to the first error, in the memory of one row.
fn swallow(path: &Path, hints: &Hints) -> Result<(), String> {
    let mut source = open(path, hints).map_err(|e| e.to_string())?;
    let mut row = vec![0.0; source.grid().width];
    // Wild sizes would only repeat what the first rows did.
    for _ in 0..source.grid().height.min(5000) {
        source.next_row(&mut row).map_err(|e| e.to_string())?;
    }
    Ok(())
}

/// Damage done to a file.
#[derive(Debug, Clone)]
enum Accident {
    /// Bytes at a place (in parts of the length) are overwritten.
    Overwrite(f64, Vec<u8>),
    /// Everything behind the place is lost.
    Cut(f64),
    /// Everything behind the place comes twice.
    Repeat(f64),
}

fn accident() -> impl Strategy<Value = Accident> {
    let place = 0.0..1.0_f64;
    let bytes = prop_oneof![
        proptest::collection::vec(any::<u8>(), 1..5),
        proptest::collection::vec(prop_oneof![Just(0_u8), Just(1), Just(127), Just(255)], 1..9),
    ];
    prop_oneof![
        6 => (place.clone(), bytes).prop_map(|(place, bytes)| Accident::Overwrite(place, bytes)),
        1 => place.clone().prop_map(Accident::Cut),
        1 => place.prop_map(Accident::Repeat),
    ]
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a part of a short length"
)]
fn suffer(file: &mut Vec<u8>, accident: &Accident) {
    let at = |place: f64| (place * file.len() as f64) as usize;
    match accident {
        Accident::Overwrite(place, bytes) => {
            let start = at(*place);
            for (old, new) in file[start..].iter_mut().zip(bytes) {
                *old = *new;
            }
        }
        Accident::Cut(place) => file.truncate(at(*place)),
        Accident::Repeat(place) => file.extend_from_within(at(*place)..),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn damaged_files_are_rows_or_one_line(
        which in any::<prop::sample::Index>(),
        accidents in proptest::collection::vec(accident(), 1..6),
    ) {
        let (name, mut content) = SOUND_FILES[which.index(SOUND_FILES.len())].clone();
        for accident in &accidents {
            suffer(&mut content, accident);
        }
        let folder = Folder::new();
        let path = folder.file(&name, &content);
        let game = Hints { height_range: Some((0.0, 1000.0)), size: Some((9, 7)), ..generous() };
        let web = Hints { encoding: Some(Encoding::Terrarium), ..generous() };
        for hints in [generous(), game, web] {
            PEAK.reset_peak_usage();
            if let Err(line) = swallow(&path, &hints) {
                prop_assert!(!line.contains('\n'), "{line}");
                prop_assert!(line.len() < 1000, "{line}");
            }
            prop_assert!(PEAK.peak_usage() < MEMORY_MAX, "{} bytes", PEAK.peak_usage());
        }
    }

    /// Nothing is known of the bytes; the format is forced upon them.
    #[test]
    fn noise_is_an_error(
        content in proptest::collection::vec(any::<u8>(), 0..300),
        magic in prop::sample::select(MAGICS),
    ) {
        let folder = Folder::new();
        let path = folder.file("noise", [magic, content.as_slice()].concat());
        for format in [Format::GeoTiff, Format::AsciiGrid, Format::Hgt, Format::Png] {
            let hints = Hints { format: Some(format), ..generous() };
            prop_assert!(swallow(&path, &hints).is_err());
        }
    }
}

#[test]
fn sound_files_are_sound() {
    let folder = Folder::new();
    for (name, content) in SOUND_FILES.iter() {
        let path = folder.file(name, content);
        let hints = match name.as_str() {
            "game.png" | "game.r16" | "game.raw" => {
                Hints { height_range: Some((0.0, 1000.0)), size: Some((9, 7)), ..generous() }
            }
            "web.tif" => Hints { cell_m: None, encoding: Some(Encoding::Terrarium), ..generous() },
            "N48E007.hgt" => continue,
            _ => Hints { cell_m: None, ..generous() },
        };
        assert_eq!(swallow(&path, &hints), Ok(()), "{name}");
    }
}

#[test]
fn what_is_no_raster() {
    let folder = Folder::new();
    for (name, content, expected) in [
        ("empty.tif", &b""[..], "is empty"),
        ("notes.txt", b"Dear all, the dam", "line 1 names 'Dear all, the dam'"),
        ("photo.tif", b"\xff\xd8\xff\xe0rest", "a JPEG picture"),
        ("maps.zip", b"PK\x03\x04rest", "unpack it"),
        ("short.tif", b"II*\0", "truncated"),
        ("far.tif", b"II*\0\xff\xff\xff\x7f", "lies beyond the end"),
        ("none.tif", b"II*\0\x08\0\0\0\0\0\0\0\0\0", "0 tags"),
        ("notes.txt.gz", b"\x1f\x8b\x08\0\0\0\0\0", "gunzip"),
    ] {
        let line = complaint(&folder.file(name, content), &Hints::default());
        assert!(line.contains(expected) && line.contains(name), "{name}: {line}");
    }
    let line = complaint(&folder.path().join("missing.tif"), &Hints::default());
    assert!(line.starts_with("cannot open ") && line.contains("missing.tif"), "{line}");
    let empty = folder.path().join("empty");
    std::fs::create_dir(&empty).expect("writable");
    assert!(complaint(&empty, &Hints::default()).contains("is a folder"));
}

/// A file that claims to be the size of a continent in a few bytes.
#[test]
fn claims_are_checked_before_memory_is_spent() {
    let folder = Folder::new();
    let claim = |width: usize, height: usize| {
        TiffFile {
            width,
            height,
            rows_per_strip: height,
            blocks: Some(vec![vec![0; 100]]),
            ..TiffFile::new(1, 1, Sample::F64, vec![0.0])
        }
        .bytes()
    };
    for (width, height, expected) in [
        (0, 2, "0 x 2 cells"),
        (0xffff_ffff, 0xffff_ffff, "claims"),
        (4_000_000, 16_000, "which cannot hold"),
        (2, 4_000_000, "which cannot hold"),
    ] {
        PEAK.reset_peak_usage();
        let line = complaint(&folder.file("claim.tif", claim(width, height)), &Hints::default());
        assert!(line.contains(expected), "{width} x {height}: {line}");
        assert!(PEAK.peak_usage() < MEMORY_MAX);
    }
}

/// Tiles that are left out cost nothing in the file, so their size is a claim too.
#[test]
fn rows_of_huge_tiles_are_refused() {
    let (width, height) = (1 << 20, 1 << 12);
    let file = TiffFile {
        width,
        height,
        tile: Some((width, height)),
        sparse: vec![0],
        blocks: Some(vec![Vec::new()]),
        ..TiffFile::new(1, 1, Sample::F64, vec![0.0])
    };
    let folder = Folder::new();
    let line = complaint(&folder.file("tiles.tif", file.bytes()), &Hints::default());
    assert!(line.contains("gdal_translate -co TILED=YES"), "{line}");
}

/// Goal: blocks that are decoded as a whole claim no more bytes than their cells can take; before,
/// a sparse file of 100 GB was read into memory.
#[test]
fn packed_blocks_of_any_length_are_refused() {
    let folder = Folder::new();
    let values = (0..12).map(f64::from).collect();
    let small = TiffFile { rows_per_strip: 4, ..TiffFile::new(3, 4, Sample::U8, values) };
    for sound in [codecs::lerc_file(&small, 0), codecs::jpeg_file(&small)] {
        let mut block = sound.packed_blocks()[0].clone();
        let mut path = folder.file("sound.tif", sound.bytes());
        crate::read(&path, &Hints::default()).expect("sound");
        block.resize(200_000, 0);
        path = folder.file("long.tif", TiffFile { blocks: Some(vec![block]), ..sound }.bytes());
        let line = complaint(&path, &Hints::default());
        assert!(line.contains("200000 bytes for 12") && line.contains("fetch"), "{line}");
    }
}

/// One strip of 160 MB: read a row at a time.
#[test]
fn a_single_strip_is_not_held_whole() {
    let (width, height) = (20_000, 2000);
    let row: Vec<u8> = 3.5_f32.to_le_bytes().repeat(width);
    let mut packed = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
    for _ in 0..height {
        packed.write_all(&row).unwrap();
    }
    let file = TiffFile {
        width,
        height,
        packing: Packing::Deflate,
        rows_per_strip: height,
        blocks: Some(vec![packed.finish().unwrap()]),
        ..TiffFile::new(1, 1, Sample::F32, vec![0.0])
    };
    let folder = Folder::new();
    let path = folder.file("strip.tif", file.bytes());
    PEAK.reset_peak_usage();
    let mut source = open(&path, &Hints::default()).unwrap();
    let mut row = vec![0.0; width];
    for _ in 0..height {
        source.next_row(&mut row).unwrap();
        assert!(row.iter().all(|&value| (value - 3.5).abs() < 1.0e-9));
    }
    assert!(PEAK.peak_usage() < MEMORY_MAX, "{} bytes", PEAK.peak_usage());
    let error = source.next_row(&mut row).unwrap_err().to_string();
    assert!(error.contains("all 2000 rows"), "{error}");
}
