//! Backdrops of the command line and of a scenario, on the page and on the pictures.
//!
//! Goal: colours and lines are where they lie on the map; a file that cannot be one is refused in
//!       one line before the run.
//! Method: a flat basin of 40 × 30 cells that stays dry, below four colours.

use std::fs::{self, File};
use std::path::Path;
use std::time::{Duration, Instant};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use tempfile::TempDir;
use testkit::{Program, grid};

const FLOOD: Program = Program(env!("CARGO_BIN_EXE_flood-preview"));

/// A run without a flood.
const DRY: &str = "dem.asc --rain 1mm/h --for 1min --frames 1 --backdrop";

/// Red, green, blue and yellow.
const COLOURS: [[u8; 3]; 4] = [[255, 0, 0], [0, 255, 0], [0, 0, 255], [255, 255, 0]];

/// A basin of 10 m cells at 5 m, its south-west corner at 1000, 2000.
fn folder() -> TempDir {
    testkit::folder(&[("dem.asc", grid((40, 30), 10.0, |_, _| "5"))])
}

/// Four colours, a quarter each, from 1000, 2300 to 1400, 2000.
fn write_colours(folder: &Path) {
    let pixels: Vec<u8> = (0..60)
        .flat_map(|row| (0..80).map(move |column| row / 30 * 2 + column / 40))
        .flat_map(|quarter: usize| COLOURS[quarter])
        .collect();
    let file = File::create(folder.join("photo.png")).expect("writable");
    let mut encoder = png::Encoder::new(file, 80, 60);
    encoder.set_color(png::ColorType::Rgb);
    encoder.write_header().and_then(|mut png| png.write_image_data(&pixels)).expect("a PNG");
    fs::write(folder.join("photo.pgw"), "5\n0\n0\n-5\n1002.5\n2297.5\n").expect("writable");
}

/// Pixels of a PNG, and its width.
fn decoded(bytes: &[u8]) -> (Vec<[u8; 3]>, usize) {
    let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().expect("a PNG");
    let mut pixels = vec![0; reader.output_buffer_size().expect("a size")];
    let info = reader.next_frame(&mut pixels).expect("pixels");
    pixels.truncate(info.buffer_size());
    let (pixels, _) = pixels.as_chunks::<3>();
    (pixels.to_vec(), info.width as usize)
}

fn record(folder: &Path) -> Value {
    let page = fs::read_to_string(folder.join("flood-preview-out/report.html")).expect("a page");
    let record = page.split("<script id=\"record\" type=\"application/json\">").nth(1);
    let record = record.and_then(|rest| rest.split("</script>").next()).expect("a record");
    serde_json::from_str(record).expect("JSON")
}

/// A shape as the page's record has it.
fn shape(name: &str, is_point: bool, path: Value) -> Value {
    let mut shape = serde_json::json!({"name": name, "is_point": is_point});
    shape["path"] = path;
    shape
}

#[test]
fn four_colours_lie_in_their_quarters() {
    let folder = folder();
    write_colours(folder.path());
    FLOOD.said(folder.path(), &format!("{DRY} photo.png"));
    let record = record(folder.path());
    let picture = record["backdrop"]["picture"].as_str().expect("a picture");
    let (pixels, width) = decoded(&STANDARD.decode(picture).expect("base64"));
    let height = pixels.len() / width;
    // Paler by a third.
    let paper = COLOURS.map(|colour| colour.map(|part| if part == 0 { 88 } else { 255 }));
    for (quarter, colour) in paper.iter().enumerate() {
        let (right, below) = (quarter % 2, quarter / 2);
        for (x, y) in [(2, 2), (25, 25), (48, 48), (48, 2)] {
            let column = (50 * right + x) * width / 100;
            let row = (50 * below + y) * height / 100;
            assert_eq!(pixels[row * width + column], *colour, "{column}, {row}");
        }
    }

    // On the map to hand round each colour, darkened by the relief of a plain, is a quarter.
    let map = fs::read(folder.path().join("flood-preview-out/max_depth.png")).expect("a map");
    let (pixels, width) = decoded(&map);
    let middles = paper.map(|colour| {
        let is_it = |pixel: &[u8; 3]| {
            pixel.iter().zip(colour).all(|(part, own)| {
                let light = f64::from(*part) / f64::from(own);
                (0.6..=1.0).contains(&light)
            })
        };
        let places = pixels.iter().enumerate().filter(|(_, pixel)| is_it(pixel));
        let places: Vec<(usize, usize)> = places.map(|(at, _)| (at % width, at / width)).collect();
        let count = places.len();
        // 40 × 30 cells are 720 × 540 pixels; the legend has some blue as well.
        assert!((97_000..=98_000).contains(&count), "{colour:?}: {count} pixels");
        let sum = places.iter().fold((0, 0), |sum, at| (sum.0 + at.0, sum.1 + at.1));
        (sum.0 / count, sum.1 / count)
    });
    let [north_west, north_east, south_west, south_east] = middles;
    for (a, b) in [(north_west, north_east), (south_west, south_east)] {
        assert!(b.0.abs_diff(a.0 + 360) < 9 && a.1.abs_diff(b.1) < 9, "{middles:?}");
    }
    assert!(south_west.1.abs_diff(north_west.1 + 270) < 9, "{middles:?}");
}

#[test]
fn a_line_and_a_place_are_drawn_with_their_names() {
    let folder = folder();
    let json = r#"{"type": "FeatureCollection", "features": [
        {"type": "Feature", "properties": {"name": "Mill Lane"},
         "geometry": {"type": "LineString", "coordinates": [[1100, 2200], [1300, 2200]]}},
        {"type": "Feature", "properties": {"name": "School"},
         "geometry": {"type": "Point", "coordinates": [1200, 2100]}},
        {"type": "Feature", "properties": {"name": "far away"},
         "geometry": {"type": "Point", "coordinates": [9000, 2100]}}]}"#;
    fs::write(folder.path().join("streets.geojson"), json).expect("writable");
    let scenario = "[map]\nfile = \"dem.asc\"\n[[rain]]\nrate = \"1mm/h\"\n[run]\nfor = \"1min\"\n\
                    [output]\nframes = 1\nbackdrop = \"streets.geojson\"\n";
    fs::write(folder.path().join("s.toml"), scenario).expect("writable");
    let map = folder.path().join("flood-preview-out/max_depth.png");
    FLOOD.said(folder.path(), "dem.asc --rain 1mm/h --for 1min --frames 1 --title x");
    let (bare, _) = decoded(&fs::read(&map).expect("a map"));
    FLOOD.said(folder.path(), "s.toml --title x");
    let backdrop = &record(folder.path())["backdrop"];
    let lane = shape("Mill Lane", false, serde_json::json!([[10.0, 10.0], [30.0, 10.0]]));
    let school = shape("School", true, serde_json::json!([[20.0, 20.0]]));
    assert_eq!(backdrop["shapes"], serde_json::json!([lane, school]));
    assert!(backdrop["picture"].is_null() && backdrop["name"] == "streets.geojson");
    // What differs from the map without them lies about the lane, 360 pixels long, and the school
    // 180 pixels below, with their names.
    let (drawn, width) = decoded(&fs::read(&map).expect("a map"));
    let stroke = [62, 70, 84];
    let rows: Vec<(usize, usize)> = (0..drawn.len())
        .filter(|&at| drawn[at] != bare[at])
        .filter(|&at| drawn[at].iter().zip(stroke).all(|(a, b)| a.abs_diff(b) < 90))
        .map(|at| (at % width, at / width))
        .collect();
    let in_row = |row: usize| rows.iter().filter(|at| at.1 == row).count();
    let lane = (0..1000).max_by_key(|row| in_row(*row)).expect("a row");
    // The name of the lane begins beside its middle.
    assert!((320..=365).contains(&in_row(lane)), "{} pixels in row {lane}", in_row(lane));
    assert!((178..=182).any(|below| in_row(lane + below) > 2), "no school below row {lane}");
}

#[test]
fn files_that_cannot_be_one_are_refused_before_the_run() {
    let folder = folder();
    write_colours(folder.path());
    let write = |name: &str, text: &str| {
        fs::write(folder.path().join(name), text).expect("writable");
    };
    let copy = |name: &str, world: &str| {
        let photo = fs::read(folder.path().join("photo.png")).expect("a photo");
        fs::write(folder.path().join(format!("{name}.png")), photo).expect("writable");
        write(&format!("{name}.pgw"), world);
    };
    copy("far", "5\n0\n0\n-5\n9002.5\n2297.5\n");
    copy("turned", "3\n4\n4\n-3\n1002.5\n2297.5\n");
    copy("other", "5\n0\n0\n-5\n1002.5\n2297.5\n");
    fs::copy(folder.path().join("photo.png"), folder.path().join("bare.png")).expect("writable");
    let utm = |zone: u8| {
        format!(
            "PROJCS[\"WGS 84 / UTM zone {zone}N\",GEOGCS[\"WGS 84\",DATUM[\"WGS_1984\",\
             SPHEROID[\"WGS 84\",6378137,298.257223563]],PRIMEM[\"Greenwich\",0],\
             UNIT[\"degree\",0.0174532925199433]],PROJECTION[\"Transverse_Mercator\"],\
             PARAMETER[\"latitude_of_origin\",0],PARAMETER[\"central_meridian\",9],\
             PARAMETER[\"scale_factor\",0.9996],PARAMETER[\"false_easting\",500000],\
             PARAMETER[\"false_northing\",0],UNIT[\"metre\",1],AUTHORITY[\"EPSG\",\"326{zone}\"]]"
        )
    };
    write("other.prj", &utm(33));
    write("dem.prj", &utm(32));
    write("roads.shp", "x");
    write("none.geojson", "{\"type\": \"FeatureCollection\", \"features\": []}");
    write("far.geojson", "{\"type\": \"Point\", \"coordinates\": [8.5, 47.1]}");
    write("broken.geojson", "{");
    let crs = "\"crs\": {\"properties\": {\"name\": \"urn:ogc:def:crs:EPSG::32633\"}}";
    write("utm.geojson", &format!("{{\"type\": \"Point\", \"coordinates\": [1100, 2100], {crs}}}"));
    let url = "http://www.opengis.net/def/crs/EPSG/0/25833";
    let crs = format!("\"crs\": {{\"properties\": {{\"name\": \"{url}\"}}}}");
    write("url.geojson", &format!("{{\"type\": \"Point\", \"coordinates\": [1100, 2100], {crs}}}"));
    write("page.svg", "<svg/>");
    for (file, words) in [
        ("bare.png", "bare.png: does not say where it lies: put a world file beside it (bare.pgw)"),
        ("far.png", "it has to overlap the map"),
        ("turned.png", "is turned or mirrored by its world file"),
        ("other.png", "is in EPSG:32633, the map in EPSG:32632"),
        ("missing.png", "missing.png"),
        ("page.svg", "is no picture that can be read (PNG, JPEG, GeoTIFF)"),
        ("roads.shp", "ogr2ogr -f GeoJSON roads.geojson roads.shp"),
        ("none.geojson", "has no points, lines or polygons"),
        ("far.geojson", "meets the map"),
        ("broken.geojson", "is no GeoJSON"),
        ("utm.geojson", "is in EPSG:32633, the map in EPSG:32632"),
        ("url.geojson", "is in EPSG:25833, the map in EPSG:32632"),
    ] {
        FLOOD.mistaken(folder.path(), &format!("{DRY} {file}"), &[words]);
    }
}

/// Goal: lines that cannot be thinned, as each is of two points, end in an error; before, the
/// program thinned them for ever.
#[test]
fn lines_of_two_points_that_are_too_many_are_refused() {
    let folder = folder();
    let lines: Vec<String> = (0..31_000)
        .map(|line| {
            let (x, y) = (1000.0 + f64::from(line % 390), 2000.0 + f64::from(line / 390));
            format!("[[{x},{y}],[{},{y}]]", x + 10.0)
        })
        .collect();
    let json = format!("{{\"type\": \"MultiLineString\", \"coordinates\": [{}]}}", lines.join(","));
    fs::write(folder.path().join("lines.geojson"), json).expect("writable");
    let mut child = FLOOD.spawn(folder.path(), &format!("{DRY} lines.geojson"));
    let start = Instant::now();
    while child.try_wait().expect("a child").is_none() {
        if start.elapsed() > Duration::from_secs(60) {
            child.kill().expect("it runs");
            panic!("still thinning after a minute");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let output = child.wait_with_output().expect("it ended");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    for words in ["lines.geojson has 31000 shapes here: choose fewer", "60000 points in all"] {
        assert!(said.contains(words), "{said}");
    }
    assert_eq!(said.trim_end().lines().count(), 1, "{said}");
}
