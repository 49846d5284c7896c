//! Facts of place and unit: keys, tables, sidecars and options that agree and contradict.

use std::path::Path;

use rasters::{Fact, FactSource, Hints, HorizontalUnit, RasterError, open};

use crate::tiff_file::{Content, Sample, TiffFile};
use crate::{Folder, complaint};

const SURVEY_FOOT: f64 = 1200.0 / 3937.0;

/// Metres of a unit of coordinates; `None` for degrees.
type Unit = Option<f64>;

/// A text of a reference system in a unit.
fn text(unit: Unit) -> String {
    let degrees = "GEOGCS[\"GCS_WGS_1984\",UNIT[\"Degree\",0.0174532925199433]]";
    match unit {
        None => degrees.to_owned(),
        Some(metres) => format!("PROJCS[\"Own_Grid\",{degrees},UNIT[\"Own\",{metres}]]"),
    }
}

fn aux(system: Option<Unit>, place: Option<[f64; 2]>) -> String {
    let system = system.map(|unit| format!("<SRS>{}</SRS>", text(unit))).unwrap_or_default();
    let place = place.map(|[west, north]| {
        format!("<GeoTransform>{west}, 10, 0, {north}, 0, -10</GeoTransform>")
    });
    format!("<PAMDataset>{system}{}</PAMDataset>", place.unwrap_or_default())
}

fn tiff(keys: &[[u16; 4]]) -> TiffFile {
    let count = u16::try_from(keys.len()).expect("few keys");
    let all = [&[[1, 1, 0, count]], keys].concat();
    let file = TiffFile::new(4, 3, Sample::F32, vec![1.0; 12]);
    file.with_tag(34_735, Content::Shorts(all.concat()))
}

/// Facts and remarks of a raster, its cell in metres and the unit of its coordinates.
fn look(
    path: &Path,
    hints: &Hints,
) -> Result<(Vec<Fact>, Vec<String>, f64, HorizontalUnit), RasterError> {
    let source = open(path, hints)?;
    let (cell_m, _) = source.grid().cell_m.expect("a cell size");
    Ok((source.facts(), source.remarks(), cell_m, source.grid().unit))
}

fn fact<'a>(facts: &'a [Fact], name: &str) -> &'a Fact {
    facts.iter().find(|fact| fact.name == name).unwrap_or_else(|| panic!("no {name}: {facts:?}"))
}

fn is_near(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1.0e-9 * b.abs()
}

/// Goal: whatever states the unit of coordinates, the most trusted source wins, an option beats
/// all, and every source that differs is in a note.
/// Method: all combinations of key, EPSG code, `.prj`, `.aux.xml` and `--map-cell`.
#[test]
fn units_are_taken_in_the_order_of_trust() {
    let codes: [Option<(u16, f64)>; 3] = [None, Some((32_632, 1.0)), Some((2263, SURVEY_FOOT))];
    let key_units = [None, Some((9001, 1.0)), Some((9002, 0.3048)), Some((9036, 1000.0))];
    let beside = [None, Some(Some(1.0)), Some(Some(SURVEY_FOOT)), Some(None)];
    for key in key_units {
        for code in codes {
            for prj in beside {
                for system in beside {
                    for said in [None, Some((7.0, 7.0))] {
                        check_unit(key, code, (prj, system), said);
                    }
                }
            }
        }
    }
}

fn check_unit(
    key: Option<(u16, f64)>,
    code: Option<(u16, f64)>,
    (prj, system): (Option<Unit>, Option<Unit>),
    cell_m: Option<(f64, f64)>,
) {
    let what = format!("{key:?} {code:?} {prj:?} {system:?} {cell_m:?}");
    let folder = Folder::new();
    let mut keys = vec![[1025, 0, 1, 1]];
    if key.is_some() || code.is_some() {
        keys.insert(0, [1024, 0, 1, 1]);
        keys.push([3072, 0, 1, code.map_or(32_767, |(code, _)| code)]);
    }
    keys.extend(key.map(|(unit, _)| [3076, 0, 1, unit]));
    let path = folder.file("a.tif", tiff(&keys).bytes());
    prj.map(|unit| folder.file("a.prj", text(unit)));
    system.map(|unit| folder.file("a.tif.aux.xml", aux(Some(unit), None)));
    let sources: Vec<(FactSource, Unit)> = [
        key.map(|(_, metres)| (FactSource::File("geo-key 3076"), Some(metres))),
        code.map(|(code, metres)| (FactSource::Epsg(code), Some(metres))),
        prj.map(|unit| (FactSource::Prj, unit)),
        system.map(|unit| (FactSource::AuxXml, unit)),
    ]
    .into_iter()
    .flatten()
    .collect();
    let (source, unit) = sources.first().copied().unwrap_or((FactSource::Guess, Some(1.0)));
    let hints = Hints { cell_m, ..Hints::default() };
    if unit.is_none() && cell_m.is_none() {
        assert!(complaint(&path, &hints).contains("in degrees"), "{what}");
        return;
    }
    let (facts, remarks, cell, found) = look(&path, &hints).expect(&what);
    let own_m = 10.0 * unit.unwrap_or(f64::NAN);
    assert!(is_near(cell, cell_m.map_or(own_m, |(x, _)| x)), "{what}: {cell}");
    if source != FactSource::Guess {
        let metres = found.metres();
        assert!(metres.is_some() == unit.is_some(), "{what}: {found}");
        assert!(metres.zip(unit).is_none_or(|(a, b)| is_near(a, b)), "{what}: {found}");
        let settled = fact(&facts, "unit of coordinates");
        let others: Vec<FactSource> =
            settled.contradicted.iter().map(|(other, _)| *other).collect();
        let expected: Vec<FactSource> =
            sources.iter().filter(|(_, other)| *other != unit).map(|(other, _)| *other).collect();
        assert_eq!((settled.source, &others), (source, &expected), "{what}");
        for other in others {
            let name = format!("({other})");
            assert!(remarks.iter().any(|line| line.contains(&name)), "{what}: {remarks:?}");
        }
    }
    let size = fact(&facts, "cell size");
    let by = if cell_m.is_some() { FactSource::Option("--map-cell") } else { source };
    assert_eq!(size.source, by, "{what}");
    let is_overruled = cell_m.is_some() && unit.is_some();
    let names_option = remarks.iter().any(|line| line.contains("(--map-cell)"));
    assert_eq!(names_option, is_overruled, "{what}: {remarks:?}");
}

/// Goal: tags, then `.aux.xml`, then the world file place a raster, and others are in a note.
#[test]
#[expect(clippy::float_cmp, reason = "places are copied, and sums of whole numbers")]
fn places_are_taken_in_the_order_of_trust() {
    let (same, other) = ([500.0, 900.0], [505.0, 895.0]);
    for tags in [None, Some(same)] {
        for sidecar in [None, Some(same), Some(other)] {
            for world in [None, Some(same), Some(other)] {
                let what = format!("{tags:?} {sidecar:?} {world:?}");
                let folder = Folder::new();
                let mut file = tiff(&[[1025, 0, 1, 1]]);
                if tags.is_none() {
                    file.tags.clear();
                }
                let path = folder.file("a.tif", file.bytes());
                sidecar.map(|place| folder.file("a.tif.aux.xml", aux(None, Some(place))));
                world.map(|[west, north]| {
                    let centre = (west + 5.0, north - 5.0);
                    folder.file("a.tfw", format!("10\n0\n0\n-10\n{}\n{}\n", centre.0, centre.1))
                });
                let sources = [
                    tags.map(|place| (FactSource::File("tag 33922"), place)),
                    sidecar.map(|place| (FactSource::AuxXml, place)),
                    world.map(|place| (FactSource::WorldFile, place)),
                ];
                let sources: Vec<_> = sources.into_iter().flatten().collect();
                let Some(&(source, place)) = sources.first() else {
                    assert!(complaint(&path, &Hints::default()).contains("--map-cell"), "{what}");
                    continue;
                };
                let opened = open(&path, &Hints::default()).expect(&what);
                let grid = opened.grid();
                assert_eq!([grid.west, grid.north], place, "{what}");
                assert_eq!(grid.cell_m, Some((10.0, 10.0)), "{what}");
                let facts = opened.facts();
                let settled = fact(&facts, "place");
                let others: Vec<_> = settled.contradicted.iter().map(|(other, _)| *other).collect();
                let differ = sources.iter().filter(|(_, other)| *other != place);
                let expected: Vec<_> = differ.map(|(other, _)| *other).collect();
                assert_eq!((settled.source, &others), (source, &expected), "{what}");
                assert_eq!(opened.remarks().len(), usize::from(!others.is_empty()), "{what}");
            }
        }
    }
}

/// Goal: pictures and bare samples lie where the files beside them place them, in their unit.
#[test]
fn pictures_have_the_place_of_their_world_file() {
    let folder = Folder::new();
    let path = folder.file("a.r32", [0_u8; 48]);
    folder.file("a.prj", text(Some(0.3048)));
    folder.file("a.wld", "10\n0\n0\n-10\n505\n895\n");
    let hints = Hints { size: Some((4, 3)), ..Hints::default() };
    let (facts, remarks, cell, unit) = look(&path, &hints).expect("placed");
    assert!(is_near(cell, 3.048) && unit.to_string() == "feet", "{cell} {unit}");
    assert_eq!(fact(&facts, "place").source, FactSource::WorldFile);
    assert!(remarks[0].contains("--height-unit"), "{remarks:?}");
    let ranged = Hints { height_range: Some((0.0, 9.0)), ..hints.clone() };
    let (_, remarks, ..) = look(&path, &ranged).expect("placed");
    assert!(remarks.is_empty(), "{remarks:?}");
    folder.file("a.wld", "10\n0\n0\n10\n505\n875\n");
    let grid = open(&path, &hints).expect("from the south").grid().clone();
    assert_eq!((grid.west, grid.north, grid.height), (500.0, 900.0, 3));
}

/// Goal: grids of text have the unit of the `.prj` beside them, and carry its system on.
#[test]
fn grids_of_text_have_the_unit_of_their_prj() {
    let header = "ncols 2\nnrows 2\nxllcorner 500000\nyllcorner 5200000\ncellsize 10\n1 2\n3 4\n";
    let folder = Folder::new();
    let path = folder.file("a.asc", header);
    folder.file("a.prj", text(Some(SURVEY_FOOT)));
    let (facts, _, cell, unit) = look(&path, &Hints::default()).expect("in feet");
    assert!(is_near(cell, 10.0 * SURVEY_FOOT), "{cell}");
    assert_eq!(unit.to_string(), "US survey feet");
    let names =
        ["cell size", "unit of coordinates", "reference system", "place", "NoData", "height unit"];
    assert_eq!(facts.iter().map(|fact| fact.name).collect::<Vec<_>>(), names);

    // What is written has the unit and the name of what was read.
    let grid = open(&path, &Hints::default()).expect("in feet").grid().clone();
    let out = folder.path().join("out.tif");
    let band = rasters::RasterBand::ELEVATION;
    rasters::write_geotiff(&out, &grid, band, |_, row| row.fill(3.0)).expect("writable");
    let (_, remarks, cell, unit) = look(&out, &Hints::default()).expect("in feet");
    assert!(is_near(cell, 10.0 * SURVEY_FOOT) && unit.to_string() == "US survey feet", "{cell}");
    let written = open(&out, &Hints::default()).expect("in feet").grid().crs.clone();
    assert_eq!(written.map(|crs| crs.name().to_owned()).as_deref(), Some("Own_Grid"));
    assert!(remarks.is_empty(), "{remarks:?}");

    folder.file("a.prj", text(None));
    let line = complaint(&path, &Hints::default());
    assert!(line.contains("in degrees") && line.contains("--map-cell"), "{line}");
    folder.file("a.prj", "nothing of the kind");
    let (_, remarks, cell, _) = look(&path, &Hints::default()).expect("in metres");
    assert!(is_near(cell, 10.0) && remarks[0].contains("a.prj describes no"), "{remarks:?}");
}

/// Goal: a citation of ArcGIS decides, whatever geographic keys stand beside it.
#[test]
fn texts_of_arcgis_in_citations_are_read() {
    for (unit, cell_m) in [(1.0, 10.0), (SURVEY_FOOT, 10.0 * SURVEY_FOOT)] {
        let citation = format!("ESRI PE String = {}|", text(Some(unit)));
        let length = u16::try_from(citation.len()).expect("short");
        let keys = [
            [1024, 0, 1, 32_767],
            [1025, 0, 1, 1],
            [1026, 34_737, length, 0],
            [2048, 0, 1, 4326],
            [2054, 0, 1, 9102],
        ];
        let folder = Folder::new();
        let file = tiff(&keys).with_tag(34_737, Content::Text(citation));
        let path = folder.file("a.tif", file.bytes());
        let (facts, _, cell, _) = look(&path, &Hints::default()).expect("projected");
        assert!(is_near(cell, cell_m), "{cell}");
        assert_eq!(fact(&facts, "reference system").value, "Own_Grid");
        assert_eq!(fact(&facts, "unit of coordinates").source, FactSource::File("ESRI PE string"));
    }
}

/// Goal: unit and direction of heights count wherever a system states them, and not only in the
/// system that describes the plane.
#[test]
fn heights_of_every_system_count() {
    let plane = text(Some(1.0));
    let feet = "VERTCS[\"NAVD\",UNIT[\"Foot_US\",0.3048006]]";
    let depths = "VERTCS[\"MSL_Depth\",PARAMETER[\"Direction\",-1.0],UNIT[\"Meter\",1.0]]";
    for (vertical, height_m) in [(feet, SURVEY_FOOT), (depths, -1.0), ("", 1.0)] {
        let both = format!("{plane},{vertical}").trim_end_matches(',').to_owned();
        let compound = match vertical {
            "" => plane.clone(),
            _ => format!("COMPD_CS[\"Both\",{plane},{vertical}]"),
        };
        let xml = format!("<PAMDataset><SRS>{compound}</SRS></PAMDataset>");
        let cited = format!("ESRI PE String = {both}|");
        let length = u16::try_from(cited.len()).expect("short");
        let keys = [[1024, 0, 1, 1], [1025, 0, 1, 1], [1026, 34_737, length, 0]];
        let header = "ncols 2\nnrows 1\nxllcorner 500000\nyllcorner 5200000\ncellsize 10\n1 1\n";
        let coded = [[1024, 0, 1, 1], [1025, 0, 1, 1], [3072, 0, 1, 26_911]];
        for (what, name, bytes, beside) in [
            ("keys and .aux.xml", "a.tif", tiff(&coded).bytes(), vec![("a.tif.aux.xml", &xml)]),
            (".aux.xml", "a.asc", header.into(), vec![("a.asc.aux.xml", &xml)]),
            (".prj", "a.asc", header.into(), vec![("a.prj", &both)]),
            (
                ".prj without heights and .aux.xml",
                "a.asc",
                header.into(),
                vec![("a.prj", &plane), ("a.asc.aux.xml", &xml)],
            ),
            (
                "ESRI string",
                "a.tif",
                tiff(&keys).with_tag(34_737, Content::Text(cited)).bytes(),
                Vec::new(),
            ),
        ] {
            let folder = Folder::new();
            let path = folder.file(name, bytes);
            beside.into_iter().for_each(|(name, text)| drop(folder.file(name, text)));
            let mut source = open(&path, &Hints::default()).expect(what);
            let mut row = vec![0.0; source.grid().width];
            source.next_row(&mut row).expect(what);
            assert!(is_near(row[0], height_m), "{what}: {} and not {height_m}", row[0]);
            let (factor, offset) = source.scale().expect(what);
            assert!(is_near(factor, height_m) && is_near(offset, 0.0), "{what}: {factor}");

            // What is written is in metres, and is read as such.
            let out = folder.path().join("out.tif");
            let grid = source.grid().clone();
            let band = rasters::RasterBand::ELEVATION;
            rasters::write_geotiff(&out, &grid, band, |_, row| row.fill(3.0)).expect("writable");
            let mut written = open(&out, &Hints::default()).expect(what);
            written.next_row(&mut row).expect(what);
            assert!(is_near(row[0], 3.0), "{what}, written: {}", row[0]);
        }
    }
}

/// Goal: a range of heights that would change nothing is refused.
#[test]
fn a_range_of_heights_is_for_pictures_without_a_place() {
    let folder = Folder::new();
    for sample in [Sample::U16, Sample::F32] {
        for is_placed in [true, false] {
            let mut file = TiffFile::new(2, 1, sample, vec![0.0, 1.0]);
            if !is_placed {
                file.tags.clear();
            }
            let path = folder.file("a.tif", file.bytes());
            let hints = Hints { cell_m: Some((10.0, 10.0)), ..Hints::default() };
            assert!(open(&path, &hints).is_ok(), "{sample:?} {is_placed}");
            let said = Hints { height_range: Some((0.0, 9.0)), ..hints };
            if !is_placed && sample == Sample::U16 {
                assert!(open(&path, &said).is_ok(), "{sample:?}");
            } else {
                let line = complaint(&path, &said);
                assert!(line.contains("leave --height-range"), "{sample:?} {is_placed}: {line}");
            }
        }
    }
}

/// The first height of a raster, and the raster.
fn first(path: &Path, hints: &Hints) -> (f64, Vec<Fact>) {
    let mut source = open(path, hints).expect("readable");
    let mut row = vec![0.0; source.grid().width];
    source.next_row(&mut row).expect("a row");
    (row[0], source.facts())
}

/// Goal: unit and direction of heights count in rasters without a place, too.
#[test]
fn heights_of_rasters_without_a_place_count() {
    let folder = Folder::new();
    let hints = Hints { cell_m: Some((10.0, 10.0)), ..Hints::default() };
    for (key, height_m) in [([4099, 0, 1, 9002], 0.3048), ([4096, 0, 1, 5715], -1.0)] {
        let mut file = tiff(&[[1024, 0, 1, 1], [3072, 0, 1, 32_611], key]);
        file.tags.retain(|(tag, _)| !matches!(tag, 33_550 | 33_922));
        let path = folder.file("a.tif", file.bytes());
        assert!(is_near(first(&path, &hints).0, height_m), "{key:?}");
    }
    let path = folder.file("b.r32", 1.0_f32.to_le_bytes().repeat(12));
    folder.file("b.prj", format!("{},VERTCS[\"D\",UNIT[\"Foot\",0.3048]]", text(Some(1.0))));
    let hints = Hints { size: Some((4, 3)), ..hints };
    assert!(is_near(first(&path, &hints).0, 0.3048));
}

/// Goal: EPSG's heights in metres, up, are a fact, which a less trusted text does not overrule.
#[test]
fn heights_of_epsg_win_over_a_text() {
    let folder = Folder::new();
    let keys = [[1024, 0, 1, 1], [3072, 0, 1, 32_611], [4096, 0, 1, 5703]];
    let path = folder.file("a.tif", tiff(&keys).bytes());
    let depths = "VERTCS[\"D\",PARAMETER[\"Direction\",-1.0],UNIT[\"Foot\",0.3048]]";
    folder.file("a.prj", format!("{},{depths}", text(Some(1.0))));
    let (height_m, facts) = first(&path, &Hints::default());
    assert!(is_near(height_m, 1.0), "{height_m}");
    let unit = fact(&facts, "height unit");
    assert_eq!((unit.source, unit.contradicted[0].0), (FactSource::Epsg(5703), FactSource::Prj));
}

/// Goal: cells of web Mercator in feet have their unit and the stretch of their latitude.
/// Method: cells of 10 m and of 10 m in feet, at 5 200 000 m north, 42.26°, where
/// the radii of the ellipsoid make 0.73986 m of a metre.
#[test]
fn mercator_in_feet_is_stretched() {
    let folder = Folder::new();
    let cell = |unit: u16, metres: f64| {
        let mut file = tiff(&[[1024, 0, 1, 1], [3072, 0, 1, 3857], [3076, 0, 1, unit]]);
        file.tags.retain(|(tag, _)| !matches!(tag, 33_550 | 33_922));
        let (step, north) = (10.0 / metres, 5.2e6 / metres);
        let file = file
            .with_tag(33_550, Content::Doubles(vec![step, step, 0.0]))
            .with_tag(33_922, Content::Doubles(vec![0.0, 0.0, 0.0, 500.0, north, 0.0]));
        let path = folder.file("a.tif", file.bytes());
        let source = open(&path, &Hints::default()).expect("placed");
        let remark = rasters::remark_on_cells(&path, source.grid()).expect("a remark on Mercator");
        (source.grid().cell_m.expect("a cell size"), remark)
    };
    let ((x, y), remark) = cell(9001, 1.0);
    let ((feet_x, feet_y), of_feet) = cell(9002, 0.3048);
    assert!((x / 10.0 - 0.739_86).abs() < 1.0e-5, "{x}");
    assert!((feet_x / x - 1.0).abs() < 1.0e-6 && (feet_y / y - 1.0).abs() < 1.0e-6, "{feet_x} {x}");
    assert_eq!(remark, of_feet);
}

/// Goal: keys that name no system leave the name to a `.prj` of the same unit.
#[test]
fn keys_without_a_name_yield_to_a_prj() {
    for (key, name) in [
        ([3076, 0, 1, 9001], "EPSG:32611"),
        ([4096, 0, 1, 5703], "EPSG:32611"),
        ([3072, 0, 1, 26_911], "EPSG:26911"),
    ] {
        let folder = Folder::new();
        let path = folder.file("a.tif", tiff(&[[1024, 0, 1, 1], key]).bytes());
        folder.file("a.prj", "PROJCS[\"WGS_1984_UTM_Zone_11N\",UNIT[\"Meter\",1.0]]");
        let crs = open(&path, &Hints::default()).expect("placed").grid().crs.clone();
        assert_eq!(crs.expect("a system").name(), name, "{key:?}");
    }
}

/// Goal: a `.hgt` tile has the heights of its `.prj`, and shows its byte order.
#[test]
fn tiles_have_the_heights_of_their_prj() {
    let folder = Folder::new();
    let path = folder.file("N48E007.hgt", 100_i16.to_be_bytes().repeat(1201 * 1201));
    folder.file("N48E007.prj", format!("{},VERTCS[\"D\",UNIT[\"Foot\",0.3048]]", text(None)));
    let metres_per_degree = rasters::MetresPerDegree::Auto;
    let (height_m, facts) = first(&path, &Hints { metres_per_degree, ..Hints::default() });
    assert!(is_near(height_m, 30.48), "{height_m}");
    assert_eq!(fact(&facts, "byte order").to_string(), "big-endian (SRTM's order)");
}

/// Goal: facts that the `.toml` file states are shown as its own, and those of options as theirs.
#[test]
fn facts_of_the_toml_file_are_its_own() {
    let folder = Folder::new();
    let path = folder.file("a.r16", 300_u16.to_le_bytes().repeat(12));
    let size = "cell_m = 5.0\nwidth = 4\nheight = 3\n";
    let range = "height_min_m = 0.0\nheight_max_m = 9.0\nnodata = \"none,7\"\n";
    folder.file("a.toml", format!("{size}{range}"));
    let said = Hints {
        height_range: Some((0.0, 18.0)),
        nodata: Some("7,8".parse().expect("sound")),
        ..Hints::default()
    };
    let options = [FactSource::Option("--height-range"), FactSource::Option("--nodata")];
    for (hints, sources, height_m) in
        [(Hints::default(), [FactSource::Sidecar; 2], 9.0), (said, options, 18.0)]
    {
        let (found_m, facts) = first(&path, &hints);
        assert!(is_near(found_m, height_m * 300.0 / 65_535.0), "{found_m}");
        assert!(facts.iter().any(Fact::is_spread), "{facts:?}");
        let found =
            ["scale", "offset", "height unit", "NoData"].map(|name| fact(&facts, name).source);
        assert_eq!(found, [sources[0], sources[0], sources[0], sources[1]]);
    }
}

/// Goal: every option that overrules a key of the `.toml` file leaves a note that names both, and
/// one that says the same leaves none.
#[test]
fn options_that_overrule_the_toml_file_are_in_a_note() {
    let folder = Folder::new();
    let path = folder.file("a.r16", 300_u16.to_be_bytes().repeat(12));
    folder.file(
        "a.toml",
        "cell_m = 5.0\nwidth = 4\nheight = 3\nheight_min_m = 0.0\nheight_max_m = 9.0\n\
         nodata = \"none,7\"\nbyte_order = \"big\"\n",
    );
    let own = || Hints {
        cell_m: Some((5.0, 5.0)),
        size: Some((4, 3)),
        height_range: Some((0.0, 9.0)),
        nodata: Some("none,7".parse().expect("sound")),
        byte_order: Some(rasters::ByteOrder::Big),
        ..Hints::default()
    };
    let (cell_m, size) = (Some((7.0, 7.0)), Some((3, 4)));
    let height_range = Some((0.0, 18.0));
    let nodata = Some("8".parse().expect("sound"));
    let byte_order = Some(rasters::ByteOrder::Little);
    for (hints, names, note) in [
        (own(), &[][..], None),
        (Hints::default(), &[], None),
        (
            Hints { cell_m, ..own() },
            &["cell size"],
            Some("the cell size is 7 m (--map-cell), and not 5 m (.toml)"),
        ),
        (
            Hints { size, ..own() },
            &["size"],
            Some("the size is 3 x 4 (--map-size), and not 4 x 3 (.toml)"),
        ),
        (
            Hints { height_range, ..own() },
            &["scale"],
            Some("(--height-range), and not 0.0001373311970702678 (.toml)"),
        ),
        (
            Hints { nodata, ..own() },
            &["NoData"],
            Some("the NoData is 8 (--nodata), and not none,7 (.toml)"),
        ),
        (
            Hints { byte_order, ..own() },
            &["byte order"],
            Some("the byte order is little-endian (--byte-order), and not big-endian (.toml)"),
        ),
    ] {
        let (facts, remarks, ..) = look(&path, &hints).expect("readable");
        let contradicted: Vec<_> =
            facts.iter().filter(|fact| !fact.contradicted.is_empty()).map(|f| f.name).collect();
        assert_eq!(contradicted, names, "{remarks:?}");
        assert_eq!(remarks.len(), usize::from(note.is_some()), "{remarks:?}");
        assert!(note.is_none_or(|note| remarks[0].ends_with(note)), "{remarks:?}");
        let is_own = hints != Hints::default();
        let source = fact(&facts, "byte order").source;
        assert_eq!(source == FactSource::Sidecar, !is_own, "{source}");
    }
}

/// Goal: the meaning of colours and the cells of a picture by its `.toml` file and by options.
#[test]
fn options_on_colours_overrule_the_toml_file_with_a_note() {
    let folder = Folder::new();
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, 4, 3);
    encoder.set_color(png::ColorType::Rgb);
    let mut writer = encoder.write_header().expect("sound");
    writer.write_image_data(&[128; 36]).expect("sound");
    writer.finish().expect("sound");
    let path = folder.file("a.png", bytes);
    folder.file("a.toml", "cell_m = 5.0\nencoding = \"terrarium\"\n");
    for (said, source, count) in [
        (None, FactSource::Sidecar, 0),
        (Some("terrarium"), FactSource::Option("--encoding"), 0),
        (Some("mapbox"), FactSource::Option("--encoding"), 1),
    ] {
        let encoding = said.map(|text| text.parse().expect("sound"));
        let (facts, remarks, ..) =
            look(&path, &Hints { encoding, ..Hints::default() }).expect("readable");
        assert_eq!(fact(&facts, "encoding").source, source);
        assert_eq!(remarks.len(), count, "{remarks:?}");
        let note = "the encoding is mapbox (--encoding), and not terrarium (.toml)";
        assert!(remarks.iter().all(|remark| remark.ends_with(note)), "{remarks:?}");
    }
}
