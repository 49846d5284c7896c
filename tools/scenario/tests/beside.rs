//! Rasters beside the map: remarks on them, bands and tiles of rain, dates of bands.

use std::fs;
use std::path::Path;

use scenario::plan::Plan;
use scenario::text;
use tempfile::TempDir;

/// A GeoTIFF of 10 × 20 cells of 10 m, whose bands have one value each, and GDAL's metadata.
fn tiff(west: f64, bands: &[f32], items: &str) -> Vec<u8> {
    tiff_of(west, bands, items, &[])
}

/// Such a GeoTIFF with kinds of its last samples: 1 and 2 are opacities.
fn tiff_of(west: f64, bands: &[f32], items: &str, kinds: &[u16]) -> Vec<u8> {
    let (width, height, count) = (10_u16, 20_u16, u16::try_from(bands.len()).expect("few"));
    let samples: Vec<u8> = bands.iter().flat_map(|value| value.to_le_bytes()).collect();
    let samples = samples.repeat(usize::from(width * height));
    let shorts = |values: &[u16]| values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<_>>();
    let doubles = |values: &[f64]| values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<_>>();
    let length = u32::try_from(samples.len()).expect("small").to_le_bytes().to_vec();
    let items = format!("<GDALMetadata>{items}</GDALMetadata>\0").into_bytes();
    let mut tags: Vec<(u16, u16, Vec<u8>)> = vec![
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
        (338, 3, shorts(kinds)),
        (339, 3, shorts(&vec![3; bands.len()])),
        (33_550, 12, doubles(&[10.0, 10.0, 0.0])),
        (33_922, 12, doubles(&[0.0, 0.0, 0.0, west, 200.0, 0.0])),
        (42_112, 2, items),
    ];
    tags.retain(|(.., bytes)| !bytes.is_empty());
    let word = |value: usize| u32::try_from(value).expect("small").to_le_bytes();
    let mut far = Vec::new();
    let far_from = 8 + samples.len();
    let mut directory = shorts(&[u16::try_from(tags.len()).expect("few")]);
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

/// Goal: a raster of initial water whose NoData value nothing declares is refused, and the advice
/// of the refusal helps; a value without a raster has no NoData.
#[test]
fn undeclared_nodata_of_initial_water_is_refused_and_mended() {
    let folder = folder();
    for void in ["-9999", "9999", "-999", "-3.4e38", "-32768"] {
        let value: f32 = void.parse().expect("a number");
        put(folder.path(), "w.tif", &tiff(0.0, &[value], ""));
        for key in ["stage", "depth"] {
            let keys = format!("[initial]\n{key} = \"w.tif\"");
            let wrong = plan(folder.path(), &keys).expect_err(void);
            assert!(wrong.contains("nodata = ") && wrong.contains("[initial]"), "{wrong}");
            assert!(!wrong.contains('\n'), "{wrong}");
            plan(folder.path(), &format!("{keys}\nnodata = {void}")).expect(void);
        }
    }
    put(folder.path(), "w.tif", &tiff(0.0, &[-0.5], ""));
    let wrong = plan(folder.path(), "[initial]\ndepth = \"w.tif\"").expect_err("below 0");
    assert!(wrong.contains("below 0: correct it") && wrong.contains("nodata = -0.5"), "{wrong}");
    for keys in ["stage = 5", "depth = 1", ""] {
        let wrong = plan(folder.path(), &format!("[initial]\n{keys}\nnodata = 0"));
        assert!(wrong.is_err_and(|wrong| wrong.contains("leave it out")), "{keys}");
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

/// Depth of each band of the rain of a plan, mm, and its start, h.
fn bands_of(plan: &Plan) -> Vec<(f64, f64)> {
    let band = |rain: &scenario::plan::RainPlan| {
        let rate = rain.weights.as_ref().and_then(|field| field.at(55.0, 100.0)).expect("rain");
        let points = &rain.rate.points;
        let lasts = points[1].0 - points[0].0;
        let round = |value: f64| (value * 1000.0).round() / 1000.0;
        (round(rate * lasts * 1000.0), round(points[0].0 / 3600.0))
    };
    plan.rains.iter().map(band).collect()
}

/// Goal: sums from the beginning do not rain again with each band, and nothing is guessed.
/// Method: 30 mm in six bands of 5, 10, … 30, which would fall as 105.
#[test]
fn sums_of_rain_from_the_beginning_fall_once() {
    let rising: &[f32] = &[5.0, 10.0, 15.0, 20.0, 25.0, 30.0];
    let (from_start, each_step) = ("sums = \"from-start\"", "sums = \"each-step\"");
    for (unit, bands, keys, expected) in [
        ("mm", rising, "", Err("each from the beginning, or each in its own step")),
        ("mm", rising, "", Err("(5, 10, 15, 20, 25, 30 mm on average)")),
        ("mm", rising, "", Err("--rain-sums (`sums` under [[rain]]): from-start or each-step")),
        ("mm", rising, from_start, Ok(vec![5.0; 6])),
        ("mm", rising, each_step, Ok(vec![5.0, 10.0, 15.0, 20.0, 25.0, 30.0])),
        ("mm", &[0.0, 0.0, 8.0, 9.0], from_start, Ok(vec![0.0, 0.0, 8.0, 1.0])),
        ("mm", &[5.0, 9.0, 2.0, 2.0, 4.0], from_start, Ok(vec![5.0, 4.0, 2.0, 0.0, 2.0])),
        ("mm", &[5.0, 9.0, 2.0, 2.0, 4.0], "", Ok(vec![5.0, 9.0, 2.0, 2.0, 4.0])),
        ("mm/h", rising, "", Ok(vec![5.0, 10.0, 15.0, 20.0, 25.0, 30.0])),
        ("mm/h", rising, from_start, Err("rates have no sums")),
    ] {
        let folder = folder();
        let items: String =
            (0..bands.len()).map(|band| item("UNITTYPE", Some(band), unit)).collect();
        put(folder.path(), "rain.tif", &tiff(0.0, bands, &items));
        let keys = format!("[[rain]]\nrate = \"rain.tif\"\nstep = \"1h\"\n{keys}");
        match (plan(folder.path(), &keys), expected) {
            (Ok(plan), Ok(expected)) => {
                let depths: Vec<f64> = bands_of(&plan).iter().map(|band| band.0).collect();
                assert_eq!(depths, expected, "{unit} {bands:?} {keys}");
                let is_anew = plan.notes.iter().any(|note| note.contains("anew with band 3"));
                let is_said = keys.contains("from-start") && bands[0] > bands[2];
                assert_eq!(is_anew, is_said, "{:?}", plan.notes);
            }
            (Err(refused), Err(expected)) => assert!(refused.contains(expected), "{refused}"),
            (found, expected) => panic!("{keys}: {expected:?}, not {:?}", found.err()),
        }
    }
    let refused = plan(folder().path(), &format!("[[rain]]\nrate = \"9 mm/h\"\n{from_start}"));
    let refused = refused.expect_err("no raster");
    assert!(refused.contains("`sums` (--rain-sums) and no raster"), "{refused}");
}

/// Goal: sums that begin anew each day are asked for, and fall once: also where the first sum of a
/// day is above the last of the day before.
#[test]
fn sums_of_rain_that_begin_each_day_fall_once() {
    let sums: &[f32] =
        &[1.0, 3.0, 4.0, 6.0, 1.0, 2.0, 4.0, 5.0, 7.0, 8.0, 9.0, 9.0, 2.0, 3.0, 4.0, 4.0];
    let items: String = (0..sums.len()).map(|band| item("UNITTYPE", Some(band), "mm")).collect();
    let folder = folder();
    put(folder.path(), "rain.tif", &tiff(0.0, sums, &items));
    let keys = "[[rain]]\nrate = \"rain.tif\"\nstep = \"6h\"\n";
    let refused = plan(folder.path(), keys).expect_err("unclear");
    assert!(refused.contains("rises, and falls back at the start of a day"), "{refused}");
    assert!(refused.contains("--rain-sums (`sums` under [[rain]]): from-start or"), "{refused}");
    let told = plan(folder.path(), &format!("{keys}sums = \"from-start\"")).expect("told");
    let depths: Vec<f64> = bands_of(&told).iter().map(|band| band.0).collect();
    let fallen = [1.0, 2.0, 1.0, 2.0, 1.0, 1.0, 2.0, 1.0, 7.0, 1.0, 1.0, 0.0, 2.0, 1.0, 1.0, 0.0];
    assert_eq!(depths, fallen);
    let note = "begin anew with band 5, 9, 13";
    assert!(told.notes.iter().any(|found| found.contains(note)), "{:?}", told.notes);
    let each = plan(folder.path(), &format!("{keys}sums = \"each-step\"")).expect("told");
    let depths: Vec<f64> = bands_of(&each).iter().map(|band| band.0).collect();
    assert_eq!(depths, sums.iter().map(|depth| f64::from(*depth)).collect::<Vec<f64>>());
}

/// Goal: a sum that falls in one place and rises in another is no sum from the beginning.
#[test]
fn sums_that_fall_in_places_are_refused() {
    let folder = folder();
    put(folder.path(), "tiles/west.tif", &tiff(0.0, &[5.0, 10.0, 15.0], ""));
    put(folder.path(), "tiles/east.tif", &tiff(100.0, &[5.0, 10.0, 7.0], ""));
    let keys = "unit = \"mm\"\nstep = \"1h\"\nsums = \"from-start\"";
    let refused = plan(folder.path(), &format!("[[rain]]\nrate = \"tiles/\"\n{keys}"));
    let refused = refused.expect_err("no sums");
    assert!(refused.contains("band 3 has less rain than band 2 in some places"), "{refused}");
}

/// Goal: an opacity is no band of rain, and one between bands is refused.
#[test]
fn opacities_are_no_bands_of_rain() {
    let step = "\nstep = \"1h\"";
    for (bands, kinds, keys, expected) in [
        (&[1.0, 255.0][..], &[2][..], "", Ok(1)),
        (&[1.0, 255.0], &[1], step, Ok(1)),
        (&[1.0, 2.0, 255.0], &[0, 2], step, Ok(2)),
        (&[1.0, 2.0, 3.0], &[0, 0], step, Ok(3)),
        (&[1.0, 255.0, 3.0], &[2, 0], step, Err("its band 2 of 3 as an opacity")),
    ] {
        let folder = folder();
        put(folder.path(), "rain.tif", &tiff_of(0.0, bands, "", kinds));
        let keys = format!("[[rain]]\nrate = \"rain.tif\"\nunit = \"mm/h\"{keys}");
        match (plan(folder.path(), &keys), expected) {
            (Ok(plan), Ok(expected)) => {
                assert_eq!(plan.rains.len(), expected, "{bands:?}");
                for (band, rain) in bands.iter().zip(&plan.rains) {
                    let rate = rain.weights.as_ref().and_then(|field| field.at(55.0, 100.0));
                    let off = rate.expect("rain") * 3.6e6 - f64::from(*band);
                    assert!(off.abs() < 1.0e-4, "{bands:?}: {rate:?}");
                }
            }
            (Err(refused), Err(expected)) => assert!(refused.contains(expected), "{refused}"),
            (found, expected) => panic!("{bands:?}: {expected:?}, not {:?}", found.err()),
        }
    }
}

/// Goal: the unit that a VRT states is that of its rain.
#[test]
fn the_unit_of_a_vrt_is_that_of_its_rain() {
    for (of_vrt, of_raster, expected) in [
        ("mm/d", "", Ok(2.0 / 24.0)),
        ("mm/h", "mm/h", Ok(2.0)),
        ("", "mm/d", Ok(2.0 / 24.0)),
        ("", "", Ok(2.0)),
        ("mm/d", "mm/h", Err("rain in mm/d and rain in mm/h")),
    ] {
        let folder = folder();
        let unit = item("UNITTYPE", Some(0), of_raster);
        put(folder.path(), "one.tif", &tiff(0.0, &[2.0], &unit));
        let vrt = format!(
            "<VRTDataset rasterXSize=\"10\" rasterYSize=\"20\"><GeoTransform>0, 10, 0, 200, 0, \
             -10</GeoTransform><VRTRasterBand band=\"1\"><UnitType>{of_vrt}</UnitType>\
             <SimpleSource><SourceFilename relativeToVRT=\"1\">one.tif</SourceFilename>\
             </SimpleSource></VRTRasterBand></VRTDataset>"
        );
        put(folder.path(), "all.vrt", vrt.as_bytes());
        match (plan(folder.path(), "[[rain]]\nrate = \"all.vrt\""), expected) {
            (Ok(plan), Ok(expected)) => {
                let rate = plan.rains[0].weights.as_ref().and_then(|field| field.at(55.0, 100.0));
                let off = rate.expect("rain") * 3.6e6 - expected;
                assert!(off.abs() < 1.0e-5, "{of_vrt} {of_raster}: {rate:?}");
                let is_unstated = plan.notes.iter().any(|note| note.contains("does not state"));
                let is_silent = of_vrt.is_empty() && of_raster.is_empty();
                assert_eq!(is_unstated, is_silent, "{of_vrt} {of_raster}: {:?}", plan.notes);
            }
            (Err(refused), Err(expected)) => assert!(refused.contains(expected), "{refused}"),
            (found, expected) => panic!("{of_vrt}: {expected:?}, not {:?}", found.err()),
        }
    }
}

/// Goal: depths whose time names the end of their period fall before that time.
/// Method: bands of 06:00, 07:00 and 09:00 UTC, a hydrograph from 00:00 UTC on.
#[test]
fn depths_fall_before_the_end_of_their_period() {
    let hours = [6, 7, 9];
    let of_bands = |text: &dyn Fn(usize) -> String| -> String { (0..3).map(text).collect() };
    let netcdf = of_bands(&|band| item("NETCDF_DIM_time", Some(band), &hours[band].to_string()))
        + &item("time#units", None, "hours since 2020-01-01");
    let grib = of_bands(&|band| {
        let seconds = 1_577_836_800 + 3600 * hours[band];
        item("GRIB_VALID_TIME", Some(band), &seconds.to_string())
    });
    let (unit, end, begin) = ("unit = \"mm\"", "stamps = \"end\"", "stamps = \"begin\"");
    let sums = "sums = \"from-start\"";
    let (before, after) = ([5.0, 6.0, 7.0], [6.0, 7.0, 9.0]);
    let falling: &[f32] = &[3.0, 1.0, 2.0];
    for (items, bands, keys, starts_h, note) in [
        (&grib, falling, vec![unit], before, "depths of GRIB end"),
        (&grib, falling, vec![unit, begin], after, "until the next"),
        (&grib, falling, vec!["unit = \"mm/h\""], after, "until the next"),
        (&netcdf, falling, vec![unit], after, "`stamps` under [[rain]]"),
        (&netcdf, falling, vec![unit, end], before, "until its time"),
        (&netcdf, &[1.0, 2.0, 3.0], vec![unit, sums], before, "sums from the beginning end"),
    ] {
        let folder = folder();
        put(folder.path(), "rain.tif", &tiff(0.0, bands, items));
        put(folder.path(), "q.csv", b"2020-01-01T00:00Z,2m3/s\n2020-01-01T12:00Z,2m3/s\n");
        let inflow = "[[inflow]]\ndischarge = \"q.csv\"\nat = [55, 55]";
        let keys = keys.join("\n");
        let keys = format!("[[rain]]\nrate = \"rain.tif\"\n{keys}\n{inflow}\n");
        let plan = plan(folder.path(), &keys).expect(&keys);
        let starts: Vec<f64> = bands_of(&plan).iter().map(|band| band.1).collect();
        assert_eq!(starts, starts_h, "{keys}");
        assert!(plan.notes.iter().any(|found| found.contains(note)), "{keys}: {:?}", plan.notes);
    }
    let folder = folder();
    put(folder.path(), "rain.tif", &tiff(0.0, falling, &grib));
    let keys = format!("[[rain]]\nrate = \"rain.tif\"\nstep = \"1h\"\n{unit}\n{end}");
    let refused = plan(folder.path(), &keys).expect_err("two times");
    assert!(refused.contains("leave --rain-stamps (`stamps`) out"), "{refused}");
}

/// Goal: classes of land are water by name only.
#[test]
fn permanent_water_of_several_values_needs_classes() {
    let cells = |values: [u8; 2]| -> String {
        let head = "ncols 20\nnrows 20\nxllcorner 0\nyllcorner 0\ncellsize 10\n";
        head.to_owned() + &format!("{} {} ", values[0], values[1]).repeat(200)
    };
    for (values, classes, expected) in [
        ([0, 1], "", Ok([0.0, 1.0])),
        ([10, 80], "\nwater_classes = \"80\"", Ok([0.0, 1.0])),
        ([10, 80], "", Err("values 10 and 80")),
        ([1, 255], "", Err("--water-classes")),
    ] {
        let folder = folder();
        put(folder.path(), "cover.asc", cells(values).as_bytes());
        let keys = format!("[output]\npermanent_water = \"cover.asc\"{classes}");
        match (plan(folder.path(), &keys), expected) {
            (Ok(plan), Ok(expected)) => {
                let field = plan.before.permanent.expect("a raster");
                for (x, expected) in [5.0, 15.0].into_iter().zip(expected) {
                    let found = field.at(x, 100.0).expect("a cell");
                    assert!((found - expected).abs() < 1.0e-9, "{keys}: {found} at {x}");
                }
            }
            (Err(refused), Err(expected)) => assert!(refused.contains(expected), "{refused}"),
            (found, expected) => panic!("{keys}: {expected:?}, not {:?}", found.err()),
        }
    }
}

/// Goal: an error on a raster beside the map does not send the user to options of the map.
#[test]
fn errors_beside_the_map_name_no_option_of_the_map_alone() {
    let folder = folder();
    put(folder.path(), "bad.tif", &tiff(0.0, &[0.5], ""));
    let bad = "<PAMDataset><PAMRasterBand band=\"1\"><NoDataValue>x</NoDataValue>\
               </PAMRasterBand></PAMDataset>";
    put(folder.path(), "bad.tif.aux.xml", bad.as_bytes());
    put(folder.path(), "bare.r16", &[0; 8]);
    let band = "<VRTRasterBand><SimpleSource><SourceFilename relativeToVRT=\"1\">bad.tif\
                </SourceFilename></SimpleSource></VRTRasterBand>";
    let vrt = format!(
        "<VRTDataset rasterXSize=\"10\" rasterYSize=\"20\"><GeoTransform>0, 10, 0, 200, 0, \
         -10</GeoTransform>{band}{band}</VRTDataset>"
    );
    put(folder.path(), "two.vrt", vrt.as_bytes());
    for (keys, option, what) in [
        ("[ground]\nmanning = \"bad.tif\"", "--nodata", "roughness"),
        ("[ground]\nmanning = \"bare.r16\"", "--map-size", "roughness"),
        ("[ground]\nmanning = \"two.vrt\"", "--band", "roughness"),
        ("[[rain]]\nrate = \"9 mm/h\"\nweights = \"two.vrt\"", "--band", "rain weights"),
    ] {
        let refused = plan(folder.path(), keys).expect_err(keys);
        let mend = format!("act on the map only: change the {what} in its own file");
        assert!(refused.contains(option) && refused.contains(&mend), "{refused}");
    }
}
