//! Rasters beside the map: remarks on them, bands and tiles of rain, dates of bands.

use std::fs;
use std::path::Path;

use scenario::plan::Plan;
use scenario::text;
use tempfile::TempDir;

/// A GeoTIFF of 10 × 20 cells of 10 m, whose bands have one value each, and GDAL's metadata.
fn tiff(west: f64, bands: &[f32], items: &str) -> Vec<u8> {
    let (width, height, count) = (10_u16, 20_u16, u16::try_from(bands.len()).expect("few"));
    let samples: Vec<u8> = bands.iter().flat_map(|value| value.to_le_bytes()).collect();
    let samples = samples.repeat(usize::from(width * height));
    let shorts = |values: &[u16]| values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<_>>();
    let doubles = |values: &[f64]| values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<_>>();
    let length = u32::try_from(samples.len()).expect("small").to_le_bytes().to_vec();
    let items = format!("<GDALMetadata>{items}</GDALMetadata>\0").into_bytes();
    let tags: [(u16, u16, Vec<u8>); 14] = [
        (256, 3, shorts(&[width])),
        (257, 3, shorts(&[height])),
        (258, 3, shorts(&vec![32; bands.len()])),
        (259, 3, shorts(&[1])),
        (262, 3, shorts(&[1])),
        (273, 4, 8_u32.to_le_bytes().to_vec()),
        (277, 3, shorts(&[count])),
        (278, 3, shorts(&[height])),
        (279, 4, length),
        (284, 3, shorts(&[1])),
        (339, 3, shorts(&vec![3; bands.len()])),
        (33_550, 12, doubles(&[10.0, 10.0, 0.0])),
        (33_922, 12, doubles(&[0.0, 0.0, 0.0, west, 200.0, 0.0])),
        (42_112, 2, items),
    ];
    let word = |value: usize| u32::try_from(value).expect("small").to_le_bytes();
    let mut far = Vec::new();
    let far_from = 8 + samples.len();
    let mut directory = shorts(&[14]);
    for (tag, kind, bytes) in tags {
        let size = [1, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8][usize::from(kind)];
        directory.extend(shorts(&[tag, kind]));
        directory.extend(word(bytes.len() / size));
        if bytes.len() > 4 {
            directory.extend(word(far_from + far.len()));
            far.extend(bytes);
            far.resize(far.len().next_multiple_of(8), 0);
        } else {
            directory.extend([bytes.as_slice(), &[0; 4]].concat()[..4].to_vec());
        }
    }
    directory.extend([0; 4]);
    let header = [b"II*\0".as_slice(), &word(far_from + far.len())].concat();
    [header, samples, far, directory].concat()
}

/// The text of one item of the metadata, of a band counted from 0 or of the file.
fn item(name: &str, band: Option<usize>, text: &str) -> String {
    let band = band.map(|band| format!(" sample=\"{band}\"")).unwrap_or_default();
    let role = match name {
        "UNITTYPE" => " role=\"unittype\"",
        "DESCRIPTION" => " role=\"description\"",
        _ => "",
    };
    format!("<Item name=\"{name}\"{band}{role}>{text}</Item>")
}

fn folder() -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let head = "ncols 20\nnrows 20\nxllcorner 0\nyllcorner 0\ncellsize 10\n";
    put(folder.path(), "a.asc", format!("{head}{}", "7 ".repeat(400)).as_bytes());
    folder
}

fn put(folder: &Path, name: &str, bytes: &[u8]) {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().expect("a folder")).expect("writable");
    fs::write(path, bytes).expect("writable");
}

fn plan(folder: &Path, keys: &str) -> Result<Plan, String> {
    put(folder, "a.toml", format!("[map]\nfile = \"a.asc\"\n{keys}").as_bytes());
    let scenario = text::read(&folder.join("a.toml")).map_err(|error| error.to_string())?;
    Plan::resolve(&scenario).map_err(|error| error.to_string())
}

/// Goal: what is remarkable about a raster beside the map is a note, once.
#[test]
fn remarks_on_rasters_beside_the_map_are_notes() {
    let folder = folder();
    put(folder.path(), "two.tif", &tiff(0.0, &[0.5, 0.7], ""));
    let unit = item("UNITTYPE", Some(0), "ft");
    put(folder.path(), "feet.tif", &tiff(0.0, &[1.0], &unit));
    put(folder.path(), "infinite.tif", &tiff(0.0, &[f32::INFINITY], ""));
    for (keys, note) in [
        ("[ground]\nmanning = \"two.tif\"", "2 bands"),
        ("[initial]\ndepth = \"feet.tif\"", "converted to metres"),
        ("[initial]\nstage = \"feet.tif\"", "converted to metres"),
        ("[initial]\ndepth = \"infinite.tif\"", "cells are infinite"),
        ("[output]\npermanent_water = \"two.tif\"", "2 bands"),
        ("[[rain]]\nrate = \"infinite.tif\"\nunit = \"mm/h\"", "cells are infinite"),
        ("[[rain]]\nrate = \"9 mm/h\"\nweights = \"two.tif\"", "2 bands"),
    ] {
        let notes = plan(folder.path(), keys).expect(keys).notes;
        let count = notes.iter().filter(|found| found.contains(note)).count();
        assert_eq!(count, 1, "{keys}: {notes:?}");
        let advice = notes.iter().find(|found| found.contains("--band"));
        let acts = advice.is_none_or(|advice| advice.contains("act on the map only"));
        assert!(acts, "{keys}: {notes:?}");
    }
}

/// Goal: all bands of tiles of rain fall, and tiles that differ are refused.
#[test]
fn tiles_of_rain_have_the_same_bands() {
    let named = |hour: usize| item("DESCRIPTION", Some(1), &format!("2020-01-01T{hour:02}:00"));
    let unit = |unit: &str| item("UNITTYPE", Some(0), unit);
    let step = "\nstep = \"1h\"";
    for (west, east, keys, expected) in [
        (tiff(0.0, &[1.0, 2.0], ""), tiff(100.0, &[3.0, 4.0], ""), step, ""),
        (tiff(0.0, &[1.0], ""), tiff(100.0, &[3.0], ""), "", ""),
        (tiff(0.0, &[1.0, 2.0], ""), tiff(100.0, &[3.0], ""), step, "of the same mosaic has 1:"),
        (
            tiff(0.0, &[1.0, 2.0], &named(1)),
            tiff(100.0, &[3.0, 4.0], &named(2)),
            step,
            "another time or name of band 2",
        ),
        (
            tiff(0.0, &[1.0], &unit("mm/h")),
            tiff(100.0, &[3.0], &unit("mm/d")),
            "",
            "rain in mm/d and rain in mm/h",
        ),
        (tiff(0.0, &[1.0], ""), tiff(100.0, &[3.0], &unit("mm/d")), "", "is not stated"),
        (
            tiff(0.0, &[1.0], &unit("mm/h")),
            tiff(100.0, &[3.0], &unit("mm/d")),
            "\nunit = \"mm/h\"",
            "",
        ),
    ] {
        let folder = folder();
        put(folder.path(), "tiles/west.tif", &west);
        put(folder.path(), "tiles/east.tif", &east);
        let found = plan(folder.path(), &format!("[[rain]]\nrate = \"tiles/\"{keys}"));
        if !expected.is_empty() {
            let Err(refused) = found else { panic!("not refused: {expected}") };
            assert!(refused.contains(expected) && !refused.contains("--band"), "{refused}");
            continue;
        }
        let rains = found.expect("sound").rains;
        assert_eq!(rains.len(), if keys == step { 2 } else { 1 });
        for (band, rain) in (0_u8..).zip(&rains) {
            let field = rain.weights.as_ref().expect("a raster");
            for (x, mm_h) in [(55.0, 1.0), (155.0, 3.0)] {
                let rate = field.at(x, 100.0).expect("rain") * 3.6e6;
                assert!((rate - mm_h - f64::from(band)).abs() < 1.0e-4, "{x}: {rate} mm/h");
            }
        }
    }
}

/// Goal: a VRT of several bands of rain is refused without an option of the map.
#[test]
fn a_vrt_of_several_bands_is_no_rain() {
    let folder = folder();
    put(folder.path(), "two.tif", &tiff(0.0, &[1.0, 2.0], ""));
    let band = |number: usize| {
        format!(
            "<VRTRasterBand band=\"{number}\"><SimpleSource><SourceFilename \
             relativeToVRT=\"1\">two.tif</SourceFilename><SourceBand>{number}</SourceBand>\
             </SimpleSource></VRTRasterBand>"
        )
    };
    for (bands, is_rain) in [(vec![2], true), (vec![1, 2], false)] {
        let bands: String = bands.into_iter().map(band).collect();
        let vrt = format!(
            "<VRTDataset rasterXSize=\"10\" rasterYSize=\"20\"><GeoTransform>0, 10, 0, 200, 0, \
             -10</GeoTransform>{bands}</VRTDataset>"
        );
        put(folder.path(), "all.vrt", vrt.as_bytes());
        match plan(folder.path(), "[[rain]]\nrate = \"all.vrt\"\nunit = \"mm/h\"") {
            Ok(plan) => {
                assert!(is_rain && plan.rains.len() == 1);
                let rate = plan.rains[0].weights.as_ref().and_then(|field| field.at(55.0, 100.0));
                assert!((rate.expect("rain") * 3.6e6 - 2.0).abs() < 1.0e-4, "{rate:?}");
            }
            Err(refused) => {
                assert!(!is_rain && refused.contains("gdal_translate"), "{refused}");
                assert!(!refused.contains("--band"), "{refused}");
            }
        }
    }
}

/// Goal: dates of bands count among those of tables, or a note says that they do not.
/// Method: bands from 2020-01-01 06:00 UTC on, a hydrograph from 03:00 UTC on.
#[test]
fn dates_of_bands_count_from_the_earliest_of_all() {
    let steps = |since: &str| {
        let steps = [0, 1].map(|band| item("NETCDF_DIM_time", Some(band), &(band + 6).to_string()));
        steps.concat() + &item("time#units", None, since)
    };
    let valid = |band: usize| {
        item("GRIB_VALID_TIME", Some(band), &(1_577_858_400 + 3600 * band).to_string())
    };
    let name = |band: usize| {
        item("DESCRIPTION", Some(band), &format!("rain 2020-01-01T{:02}:00+01:00", band + 7))
    };
    let (utc, noleap) = ("hours since 2020-01-01", item("time#calendar", None, "noleap"));
    for (items, keys, start_h, note) in [
        (steps(utc), "", 3.0, "times count from 2020-01-01 03:00:00"),
        (steps("hours since 2020-01-01 01:00 +01:00"), "", 3.0, "times count from"),
        (valid(0) + &valid(1), "", 3.0, "times count from"),
        (name(0) + &name(1), "", 3.0, "times count from"),
        (steps("hours since the start"), "", 0.0, "since `the start`"),
        (steps(utc) + &noleap, "", 0.0, "calendar noleap"),
        (steps(utc), "step = \"1h\"", 0.0, "do not count beside the step"),
    ] {
        let folder = folder();
        put(folder.path(), "rain.tif", &tiff(0.0, &[1.0, 2.0], &items));
        put(folder.path(), "q.csv", b"2020-01-01T03:00Z,2m3/s\n2020-01-01T04:00Z,2m3/s\n");
        let inflow = "[[inflow]]\ndischarge = \"q.csv\"\nat = [55, 55]";
        let rain = format!("[[rain]]\nrate = \"rain.tif\"\n{keys}\n{inflow}\n");
        let plan = plan(folder.path(), &rain).expect(&items);
        let found_h = plan.rains[0].rate.points[0].0 / 3600.0;
        assert!((found_h - start_h).abs() < 1.0e-6, "{items}: {found_h} h");
        let has_note = plan.notes.iter().any(|found| found.contains(note));
        assert!(has_note, "{items}: {:?}", plan.notes);
    }
}
