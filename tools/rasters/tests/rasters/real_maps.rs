//! Maps that others made, where they are at hand: `THALWEG_DATA`, or `../shared/data` beside the
//! workspace. Their sizes and ranges stand in the README there.

use rasters::{Hints, HorizontalUnit, MetresPerDegree, RowSource, open, resample};
use testkit::data;

use crate::complaint;

/// Lowest and highest value, and the number of NoData cells.
fn summary(source: &mut dyn RowSource) -> (f64, f64, usize) {
    let (width, height) = (source.grid().width, source.grid().height);
    let mut row = vec![0.0; width];
    let (mut low, mut high, mut voids) = (f64::MAX, f64::MIN, 0);
    for _ in 0..height {
        source.next_row(&mut row).unwrap();
        for &value in &row {
            if value.is_nan() {
                voids += 1;
            } else {
                (low, high) = (low.min(value), high.max(value));
            }
        }
    }
    (low, high, voids)
}

/// One map and what its README says of it.
struct Case {
    name: &'static str,
    hints: Hints,
    size: (usize, usize),
    cell_m: (f64, f64),
    /// Lowest and highest height, and how far off the README's rounding may be.
    range: (f64, f64, f64),
    voids: Option<usize>,
}

fn case(name: &'static str, size: (usize, usize), cell_m: f64, range: (f64, f64, f64)) -> Case {
    Case { name, hints: Hints::default(), size, cell_m: (cell_m, cell_m), range, voids: None }
}

fn cases() -> Vec<Case> {
    let nodata = |value: f64| Hints { nodata: Some(value.into()), ..Hints::default() };
    let auto = Hints { metres_per_degree: MetresPerDegree::Auto, ..Hints::default() };
    let game = Hints {
        cell_m: Some((61.0, 93.0)),
        height_range: Some((85.0, 85.0 + 65_535.0 / 16.0)),
        ..Hints::default()
    };
    vec![
        case("heightmaps/bigtujunga.tif", (1197, 643), 30.0, (315.0, 2295.0, 0.0)),
        Case {
            hints: auto.clone(),
            cell_m: (8.327, 10.274),
            ..case("heightmaps/enogeo.tif", (715, 844), 0.0, (178.0, 241.2, 0.1))
        },
        case("heightmaps/boscastle_10m.asc", (600, 300), 10.0, (0.0, 255.0, 0.0)),
        Case {
            voids: Some(35_152),
            ..case("heightmaps/tidal_marsh_2m.asc", (300, 452), 2.0, (-2.6, 8.5, 0.05))
        },
        Case {
            hints: game,
            cell_m: (61.0, 93.0),
            ..case("heightmaps/black_forest_2401_u16.png", (2401, 2401), 0.0, (85.0, 2854.0, 0.0))
        },
        Case {
            hints: auto,
            cell_m: (61.585, 92.667),
            voids: Some(48_446),
            ..case("heightmaps/rhine_alps_4801x3601.tif", (4801, 3601), 0.0, (26.0, 3370.0, 0.0))
        },
        Case {
            voids: Some(1_065_808),
            ..case("malpasset/malpasset_dem_10m.tif", (1724, 919), 10.0, (-20.0, 100.0, 0.0))
        },
        case("malpasset/malpasset_h0_20m.tif", (862, 459), 20.0, (0.0, 55.0, 0.01)),
        case("monai/Benchmark_2_Bathymetry.asc", (393, 244), 0.014, (-0.135, 0.125, 0.001)),
        Case {
            hints: nodata(999.0),
            voids: Some(2194),
            ..case("rain_on_channels/topo.asc", (208, 256), 0.01, (-0.5, 0.1, 0.001))
        },
        Case {
            voids: Some(1_379_915),
            ..case("ea_test5/ea5-10m.asc.gz", (1378, 1224), 10.0, (143.784, 399.897, 0.0005))
        },
    ]
}

#[test]
fn every_map_is_what_its_readme_says() {
    let Some(folder) = data("") else { return };
    for case in cases() {
        let name = case.name;
        let mut source = open(&folder.join(name), &case.hints).unwrap_or_else(|e| panic!("{e}"));
        let grid = source.grid().clone();
        assert_eq!((grid.width, grid.height), case.size, "{name}");
        let (x, y) = grid.cell_m.expect("`open` fills it");
        let near = |a: f64, b: f64| (a - b).abs() < 1.0e-3;
        assert!(near(x, case.cell_m.0) && near(y, case.cell_m.1), "{name}: {x} x {y} m");
        let (low, high, voids) = summary(source.as_mut());
        let (low_said, high_said, off) = case.range;
        assert!((low - low_said).abs() <= off, "{name}: lowest {low}");
        assert!((high - high_said).abs() <= off, "{name}: highest {high}");
        if let Some(expected) = case.voids {
            assert_eq!(voids, expected, "{name}: voids");
        }
    }
}

#[test]
fn coordinates_and_systems() {
    let Some(folder) = data("") else { return };
    let source = open(&folder.join("heightmaps/bigtujunga.tif"), &Hints::default()).unwrap();
    let grid = source.grid();
    assert_eq!(grid.crs.as_ref().unwrap().name(), "EPSG:32611");
    assert_eq!(grid.unit, HorizontalUnit::Metre);
    assert!(
        (grid.west - 376_313.655).abs() < 1.0e-3 && (grid.north - 3_807_917.828).abs() < 1.0e-3
    );
    let source = open(&folder.join("ea_test5/ea5-10m.asc.gz"), &Hints::default()).unwrap();
    assert!((source.grid().west - 231_335.0).abs() < 1.0e-6);
    assert!((source.grid().north - 842_125.0).abs() < 1.0e-6);
}

/// Goal: inputs whose horizontal meaning is easily lost have the right cells, unit and place.
#[test]
fn awkward_maps_have_their_place() {
    let Some(folder) = data("awkward/maps") else { return };
    const FOOT: f64 = 1200.0 / 3937.0;
    for (name, cell_m, unit, corner) in [
        ("spcs_compound_ft.tif", 32.808_333_3 * FOOT, "US survey feet", (980_000.0, 200_000.0)),
        ("ftprj.asc", 10.0 * FOOT, "US survey feet", (499_995.0, 5_199_995.0)),
        ("tfw.tif", 10.0, "an unknown unit", (500_000.0, 5_200_000.0)),
        // Its keys and its text agree on US survey feet.
        ("g_esripe.tif", 10.0 * FOOT, "US survey feet", (500_000.0, 5_200_000.0)),
    ] {
        let source = open(&folder.join(name), &Hints::default()).unwrap_or_else(|e| panic!("{e}"));
        let grid = source.grid();
        let (x, y) = grid.cell_m.expect("`open` fills it");
        assert!((x - cell_m).abs() < 1.0e-6 && (x - y).abs() < 1.0e-9, "{name}: {x} x {y} m");
        assert_eq!(grid.unit.to_string(), unit, "{name}");
        assert!((grid.west - corner.0).abs() < 1.0e-6, "{name}: {}", grid.west);
        assert!((grid.north - corner.1).abs() < 1.0e-6, "{name}: {}", grid.north);
    }
}

#[test]
fn maps_that_need_a_word_more_say_which() {
    let Some(folder) = data("") else { return };
    for (name, expected) in [
        ("heightmaps/enogeo.tif", "gdalwarp -t_srs EPSG:32617"),
        ("heightmaps/rhine_alps_4801x3601.tif", "--metres-per-degree auto"),
        ("heightmaps/black_forest_2401_u16.png", "--map-cell 5"),
        ("README.md", "no raster"),
        ("swashes", "is a folder"),
    ] {
        let line = complaint(&folder.join(name), &Hints::default());
        assert!(line.contains(expected), "{name}: {line}");
    }
}

/// Means over a real map: same lowest and highest within its range, and hardly another mean.
#[test]
fn a_coarser_valley() {
    let Some(folder) = data("") else { return };
    let path = folder.join("heightmaps/bigtujunga.tif");
    let fine = open(&path, &Hints::default()).unwrap();
    let mut coarse = resample(fine, 100.0).unwrap();
    // 1197 x 643 cells of 30 m are 35,910 x 19,290 m; the last column is a tenth of a cell.
    assert_eq!((coarse.grid().width, coarse.grid().height), (360, 193));
    let (low, high, voids) = summary(coarse.as_mut());
    assert!(low >= 315.0 && high <= 2295.0 && voids == 0, "{low} {high} {voids}");
    assert!(low < 330.0 && high > 2250.0, "{low} {high}");
}
