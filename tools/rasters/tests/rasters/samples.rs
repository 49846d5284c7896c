//! Bare samples: PNG, RAW and SRTM tiles, and the `.toml` file beside them.

use rasters::{Encoding, Format, Hints, HorizontalUnit, MetresPerDegree};

use crate::{Folder, assert_values, complaint, read};

fn png(
    width: u32,
    height: u32,
    kind: png::ColorType,
    depth: png::BitDepth,
    samples: &[u8],
) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width, height);
    encoder.set_color(kind);
    encoder.set_depth(depth);
    encoder.write_header().unwrap().write_image_data(samples).unwrap();
    bytes
}

const GREY: png::ColorType = png::ColorType::Grayscale;

fn hints() -> Hints {
    Hints {
        cell_m: Some((61.0, 93.0)),
        height_range: Some((0.0, 65_535.0 / 16.0)),
        ..Hints::default()
    }
}

#[test]
fn png_of_16_and_8_bits() {
    let folder = Folder::new();
    let samples: Vec<u8> = [0_u16, 16, 1600, 65_520, 65_535, 1].map(u16::to_be_bytes).concat();
    let path = folder.file("a.png", png(3, 2, GREY, png::BitDepth::Sixteen, &samples));
    let (grid, found) = read(&path, &hints()).unwrap();
    assert_values(&found, &[0.0, 1.0, 100.0, 4095.0, 4095.9375, 0.0625], "16 bits");
    assert_eq!((grid.cell_m, grid.north), (Some((61.0, 93.0)), 186.0));
    assert_eq!(grid.unit, HorizontalUnit::Metre);

    let path = folder.file("b.png", png(3, 1, GREY, png::BitDepth::Eight, &[0, 51, 255]));
    let said = Hints { height_range: Some((-5.0, 505.0)), nodata: Some(255.0.into()), ..hints() };
    assert_values(&read(&path, &said).unwrap().1, &[-5.0, 97.0, f32::NAN], "8 bits");
}

/// The samples of a 2 x 2 picture in Adam7 order, which the `png` crate does not write: pass 1 has
/// (0, 0), pass 6 (1, 0), pass 7 the second row; every row of a pass begins with filter 0.
#[test]
fn interlaced_png() {
    use std::io::Write;
    let folder = Folder::new();
    let chunk = |name: &[u8], content: &[u8]| -> Vec<u8> {
        let mut crc = flate2::Crc::new();
        crc.update(name);
        crc.update(content);
        let length = u32::try_from(content.len()).unwrap();
        [&length.to_be_bytes(), name, content, &crc.sum().to_be_bytes()].concat()
    };
    let mut packed = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
    packed.write_all(&[0, 10, 0, 20, 0, 30, 40]).unwrap();
    let file = [
        b"\x89PNG\r\n\x1a\n".to_vec(),
        chunk(b"IHDR", &[0, 0, 0, 2, 0, 0, 0, 2, 8, 0, 0, 0, 1]),
        chunk(b"IDAT", &packed.finish().unwrap()),
        chunk(b"IEND", &[]),
    ]
    .concat();
    let said = Hints { height_range: Some((0.0, 255.0)), ..hints() };
    let (_, found) = read(&folder.file("a.png", file), &said).unwrap();
    assert_values(&found, &[10.0, 20.0, 30.0, 40.0], "interlaced");
}

#[test]
fn what_a_png_lacks_is_named() {
    let folder = Folder::new();
    let grey = png(2, 1, GREY, png::BitDepth::Sixteen, &[0; 4]);
    let path = folder.file("a.png", &grey);
    let line = complaint(&path, &Hints::default());
    for part in ["--map-cell 5", "--height-range 0..512", "cell_m, height_min_m", "a.toml"] {
        assert!(line.contains(part), "{part}: {line}");
    }
    let line = complaint(&path, &Hints { height_range: None, ..hints() });
    assert!(line.contains("--height-range") && !line.contains("--map-cell"), "{line}");
    let line = complaint(&path, &Hints { size: Some((3, 3)), ..hints() });
    assert!(line.contains("has 2 x 1 samples"), "{line}");

    let colour = png(1, 1, png::ColorType::Rgb, png::BitDepth::Eight, &[1, 2, 3]);
    let line = complaint(&folder.file("b.png", colour), &hints());
    assert!(line.contains("--encoding terrarium or --encoding mapbox"), "{line}");
    let line = complaint(&folder.file("c.png", &grey[..grey.len() - 25]), &hints());
    assert!(line.contains("row 0") || line.contains("truncated"), "{line}");
}

/// Goal: web tiles are heights, however their writer packed the colours.
/// Method: the same five cells as colours, colours with opacity and a palette.
#[test]
fn colours_that_stand_for_heights() {
    let folder = Folder::new();
    let colours = [[128_u8, 0, 0], [128, 1, 128], [127, 255, 0], [131, 7, 64], [0, 0, 0]];
    let none = f32::NAN;
    let terrarium = [0.0, 1.5, -1.0, 775.25, none];
    let mapbox = [828_860.8, 828_899.2, 825_504.0, 0.0, none];
    let said = |encoding| Hints { height_range: None, encoding: Some(encoding), ..hints() };

    let plain = png(5, 1, png::ColorType::Rgb, png::BitDepth::Eight, colours.as_flattened());
    let path = folder.file("plain.png", plain);
    let (grid, found) = read(&path, &said(Encoding::Terrarium)).unwrap();
    assert_values(&found, &terrarium, "colours");
    assert_eq!(grid.cell_m, Some((61.0, 93.0)));
    let line = complaint(&path, &said(Encoding::Mapbox));
    assert!(line.contains(&format!("{} m is no height", mapbox[0])), "{line}");

    let opaque: Vec<u8> = colours.iter().flat_map(|&[r, g, b]| [r, g, b, 255]).collect();
    let path = folder.file("a.png", png(5, 1, png::ColorType::Rgba, png::BitDepth::Eight, &opaque));
    assert_values(&read(&path, &said(Encoding::Terrarium)).unwrap().1, &terrarium, "opaque");
    let mut clear = opaque;
    clear[4 + 3] = 0;
    let path = folder.file("a.png", png(5, 1, png::ColorType::Rgba, png::BitDepth::Eight, &clear));
    let expected = [0.0, none, -1.0, 775.25, none];
    assert_values(&read(&path, &said(Encoding::Terrarium)).unwrap().1, &expected, "transparent");

    let mut palette = Vec::new();
    let mut encoder = png::Encoder::new(&mut palette, 5, 1);
    encoder.set_color(png::ColorType::Indexed);
    encoder.set_depth(png::BitDepth::Four);
    encoder.set_palette(colours.as_flattened());
    encoder.write_header().unwrap().write_image_data(&[0x01, 0x23, 0x40]).unwrap();
    let path = folder.file("palette.png", palette);
    assert_values(&read(&path, &said(Encoding::Terrarium)).unwrap().1, &terrarium, "palette");
    folder.file("palette.toml", "cell_m = 5.0\nencoding = \"terrarium\"\n");
    assert_values(&read(&path, &Hints::default()).unwrap().1, &terrarium, "beside it");

    // Terrain-RGB of 0, 0.1, 8848 and 500 m.
    let colours = [1_u8, 134, 160, 1, 134, 161, 2, 224, 64, 1, 154, 40, 0, 0, 0];
    let rgb = png(5, 1, png::ColorType::Rgb, png::BitDepth::Eight, &colours);
    let (_, found) = read(&folder.file("m.png", rgb), &said(Encoding::Mapbox)).unwrap();
    assert_values(&found, &[0.0, 0.1, 8848.0, 500.0, none], "Terrain-RGB");
}

#[test]
fn an_encoding_where_there_are_no_colours_is_refused() {
    let folder = Folder::new();
    let said = Hints { height_range: None, encoding: Some(Encoding::Terrarium), ..hints() };
    let grey = png(2, 1, GREY, png::BitDepth::Sixteen, &[0; 4]);
    let wide = png(1, 1, png::ColorType::Rgb, png::BitDepth::Sixteen, &[0; 6]);
    let text = "ncols 1\nnrows 1\nxllcorner 10\nyllcorner 20\ncellsize 5\n7\n";
    for (name, content) in
        [("grey.png", grey.as_slice()), ("wide.png", &wide), ("a.asc", text.as_bytes())]
    {
        let line = complaint(&folder.file(name, content), &said);
        assert!(line.contains("leave --encoding out"), "{line}");
    }
    let both = Hints { encoding: Some(Encoding::Mapbox), ..hints() };
    let line = complaint(&folder.file("grey.png", grey), &both);
    assert!(line.contains("leave --height-range"), "{line}");
    folder.file("wide.toml", "encoding = \"terrain\"\n");
    let line = complaint(&folder.file("wide.png", wide), &Hints::default());
    assert!(line.contains("line 1") && line.contains("mapbox"), "{line}");
}

/// Goal: options that exclude each other are refused, wherever the range is stated.
#[test]
fn a_range_of_heights_has_no_depths() {
    let folder = Folder::new();
    let path = folder.file("a.png", png(2, 1, GREY, png::BitDepth::Sixteen, &[0; 4]));
    for direction in [rasters::HeightDirection::Up, rasters::HeightDirection::Down] {
        let said = Hints { direction: Some(direction), ..hints() };
        let is_refused = read(&path, &said).is_err();
        assert_eq!(is_refused, direction == rasters::HeightDirection::Down, "{direction}");
    }
    folder.file("a.toml", "height_min_m = 0.0\nheight_max_m = 9.0\n");
    let direction = Some(rasters::HeightDirection::Down);
    let said = Hints { direction, height_range: None, ..hints() };
    assert!(complaint(&path, &said).contains("leave --heights-are depths out"));
}

/// Goal: the byte order names the source that stated it.
#[test]
fn the_byte_order_has_its_source() {
    let folder = Folder::new();
    let path = folder.file("a.r16", [0_u8; 4]);
    let said = Hints { size: Some((2, 1)), ..hints() };
    let source = |hints: &Hints| {
        let facts = rasters::open(&path, hints).expect("sound").facts();
        facts.iter().find(|fact| fact.name == "byte order").map(|fact| fact.source)
    };
    assert_eq!(source(&said), Some(rasters::FactSource::Guess));
    folder.file("a.toml", "byte_order = \"big\"\n");
    assert_eq!(source(&said), Some(rasters::FactSource::Sidecar));
    let byte_order = Some(rasters::ByteOrder::Big);
    let option = Some(rasters::FactSource::Option("--byte-order"));
    assert_eq!(source(&Hints { byte_order, ..said.clone() }), option);
}

/// Goal: samples that are ground in the opposite byte order get the advice to change that, and not
/// to call one of their heights NoData; a number that does mean NoData keeps its advice.
#[test]
fn samples_in_the_wrong_byte_order_name_that_option() {
    let folder = Folder::new();
    let hills = |index: u16| 60.0 + 25.0 * (f32::from(index) / 9.0).sin();
    #[expect(clippy::cast_possible_truncation, reason = "samples of 16 bits")]
    let shorts: Vec<i16> = (0..400).map(|index| hills(index) as i16).collect();
    let floats: Vec<f32> = (0..400).map(hills).collect();
    let whole: Vec<f32> = floats.iter().map(|height| height.round()).collect();
    let bytes = |floats: &[f32], is_big: bool| -> Vec<u8> {
        let bytes = |&f: &f32| if is_big { f.to_be_bytes() } else { f.to_le_bytes() };
        floats.iter().flat_map(bytes).collect()
    };
    let big: Vec<u8> = shorts.iter().flat_map(|sample| sample.to_be_bytes()).collect();
    let little: Vec<u8> = shorts.iter().flat_map(|sample| sample.to_le_bytes()).collect();
    let mut void = little.clone();
    void[100..102].copy_from_slice(&i16::MIN.to_le_bytes());
    let order = |byte_order: Option<&str>, format| Hints {
        cell_m: Some((5.0, 5.0)),
        size: Some((20, 20)),
        byte_order: byte_order.map(|order| order.parse().expect("an order")),
        format: Some(format),
        ..Hints::default()
    };
    for (content, byte_order, format, option) in [
        (&big, None, Format::Int16, "--byte-order big (byte_order = \"big\")"),
        (&little, Some("big"), Format::Int16, "--byte-order little"),
        (&bytes(&floats, true), None, Format::Raw32, "--byte-order big"),
        (&bytes(&whole, true), None, Format::Raw32, "--byte-order big"),
        (&bytes(&floats, false), Some("big"), Format::Raw32, "--byte-order little"),
        (&void, None, Format::Int16, "--nodata -32768"),
    ] {
        let path = folder.file("a.raw", content);
        let line = complaint(&path, &order(byte_order, format));
        assert!(line.contains(option), "{option}: {line}");
        let is_nodata = option.contains("--nodata");
        assert_eq!(line.contains("--nodata"), is_nodata, "{option}: {line}");
        assert_eq!(line.contains("--byte-order"), !is_nodata, "{option}: {line}");
    }
}

#[test]
fn the_file_beside_it() {
    let folder = Folder::new();
    let path = folder.file("a.png", png(2, 1, GREY, png::BitDepth::Sixteen, &[0, 0, 255, 255]));
    folder.file(
        "a.toml",
        "cell_m = [61.0, 93] # two\nheight_min_m = 85\nheight_max_m = 4181.0\nnodata = 0\n",
    );
    let (grid, found) = read(&path, &Hints::default()).unwrap();
    assert_eq!(grid.cell_m, Some((61.0, 93.0)));
    assert_values(&found, &[f32::NAN, 4181.0], "from the file");

    let said =
        Hints { cell_m: Some((5.0, 5.0)), height_range: Some((0.0, 1.0)), ..Hints::default() };
    let (grid, found) = read(&path, &said).unwrap();
    assert_eq!(grid.cell_m, Some((5.0, 5.0)));
    assert_values(&found, &[f32::NAN, 1.0], "options win");

    for (text, expected) in [
        ("cell = 5.0", "line 1"),
        ("\n\ncell_m = \"five\"", "line 3"),
        ("cell_m = 5.0\nheight_min_m = 3.0", "height_min_m and height_max_m"),
        ("cell_m = -5.0\nheight_min_m = 3.0\nheight_max_m = 9.0", "sizes are positive"),
        ("cell_m = 5.0\nheight_min_m = 9.0\nheight_max_m = 3.0", "the first is the lower"),
        ("cell_m = [5.0", "a.toml"),
        ("cell_m = 5.0\nheight_min_m = nan\nheight_max_m = 3.0", "heights from NaN"),
    ] {
        folder.file("a.toml", text);
        let line = complaint(&path, &Hints::default());
        assert!(line.contains(expected), "{text}: {line}");
    }
}

#[test]
fn raw_of_16_and_32_bits() {
    let folder = Folder::new();
    let said = Hints { size: Some((2, 2)), ..hints() };
    let unsigned = [0_u16, 16, 1600, 65_535].map(u16::to_le_bytes).concat();
    let floats = [0.5_f32, -3.25, f32::NAN, 1000.0].map(f32::to_le_bytes).concat();
    let expected = [0.0, 1.0, 100.0, 4095.9375];
    for name in ["a.r16", "a.raw", "A.RAW"] {
        let (_, found) = read(&folder.file(name, &unsigned), &said).unwrap();
        assert_values(&found, &expected, name);
    }
    let metres = Hints { height_range: None, ..said.clone() };
    for name in ["b.r32", "b.raw"] {
        let (_, found) = read(&folder.file(name, &floats), &metres).unwrap();
        assert_values(&found, &[0.5, -3.25, f32::NAN, 1000.0], name);
    }
    let path = folder.file("c.bin", &unsigned);
    let named = Hints { format: Some(Format::Raw16), ..said.clone() };
    assert_values(&read(&path, &named).unwrap().1, &expected, "format by hand");

    folder.file("d.toml", "width = 2\nheight = 2\ncell_m = 1.0\n");
    let spread = Hints { height_range: Some((0.0, 200.0)), ..Hints::default() };
    let floats = [0.0_f32, 0.25, 0.5, 1.0].map(f32::to_le_bytes).concat();
    let (_, found) = read(&folder.file("d.r32", &floats), &spread).unwrap();
    assert_values(&found, &[0.0, 50.0, 100.0, 200.0], "0 to 1 over the range");
}

#[test]
fn what_raw_lacks_is_named() {
    let folder = Folder::new();
    let square = folder.file("a.r16", [0; 18]);
    let line = complaint(&square, &hints());
    assert!(line.contains("--map-size 3x3 would fit"), "{line}");
    let line = complaint(&folder.file("b.r16", [0; 10]), &hints());
    assert!(line.contains("--map-size 1025x1025"), "{line}");
    let line = complaint(&square, &Hints { size: Some((3, 2)), ..hints() });
    assert!(line.contains("has 18 bytes, but 3 x 2 samples are 12 of 16 bits"), "{line}");
    let line = complaint(&square, &Hints { size: Some((3, 3)), ..Hints::default() });
    assert!(line.contains("--map-cell 5") && line.contains("--height-range"), "{line}");
    for size in [(0, 3), (usize::MAX, 2), (1 << 20, 1 << 20)] {
        let line = complaint(&square, &Hints { size: Some(size), ..hints() });
        assert!(line.contains("cells"), "{line}");
    }
}

#[test]
fn srtm_tiles() {
    let folder = Folder::new();
    let mut bytes: Vec<u8> = Vec::new();
    for row in 0..1201_i16 {
        for col in 0..1201_i16 {
            bytes.extend(if (row, col) == (3, 4) { i16::MIN } else { row - col }.to_be_bytes());
        }
    }
    let path = folder.file("n48W007.hgt", &bytes);
    assert!(complaint(&path, &Hints::default()).contains("EPSG:32629"));
    let auto = Hints { metres_per_degree: MetresPerDegree::Auto, ..Hints::default() };
    let (grid, found) = read(&path, &auto).unwrap();
    assert!((grid.easting(0) + 7.0).abs() < 1.0e-9 && (grid.northing(0) - 49.0).abs() < 1.0e-9);
    assert!((grid.easting(1200) + 6.0).abs() < 1.0e-9);
    assert_eq!(grid.crs.as_ref().unwrap().name(), "EPSG:4326");
    assert_values(&found[3 * 1201 + 3..][..3], &[0.0, f32::NAN, -2.0], "around the void");
    assert_values(&found[1201 * 1201 - 1..], &[0.0], "the last");

    let line = complaint(&folder.file("valley.hgt", &bytes), &auto);
    assert!(line.contains("N48E007.hgt"), "{line}");
    let line = complaint(&folder.file("N48E008.hgt", &bytes[..1000]), &auto);
    assert!(line.contains("has 1000 bytes"), "{line}");
}
