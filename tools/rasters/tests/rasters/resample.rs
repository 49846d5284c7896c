//! Area means onto square cells.

use proptest::prelude::*;
use rasters::{Grid, HorizontalUnit, MemorySource, is_square, read_all, resample};

use crate::assert_values;

fn grid(width: usize, height: usize, cell_m: (f64, f64)) -> Grid {
    Grid {
        width,
        height,
        west: 1000.0,
        north: 2000.0,
        step_x: cell_m.0 / 4.0,
        step_y: cell_m.1 / 2.0,
        cell_m: Some(cell_m),
        unit: HorizontalUnit::Degree,
        crs: None,
    }
}

fn resampled(grid: Grid, values: &[f32], cell_m: f64) -> (Grid, Vec<f32>) {
    let source = MemorySource::try_new(grid, values.to_vec()).unwrap();
    read_all(resample(Box::new(source), cell_m).unwrap().as_mut()).unwrap()
}

const NONE: f32 = f32::NAN;

#[test]
fn means_by_hand() {
    for (what, width, cell_m, values, to, expected) in [
        ("2 x 2 to one", 2, (5.0, 5.0), &[1.0, 2.0, 3.0, 6.0][..], 10.0, &[3.0][..]),
        ("one to 2 x 2", 1, (10.0, 10.0), &[7.0], 5.0, &[7.0; 4]),
        ("oblong to square", 2, (5.0, 10.0), &[1.0, 3.0], 10.0, &[2.0]),
        ("finer in one direction", 1, (5.0, 10.0), &[4.0], 5.0, &[4.0, 4.0]),
        ("1.5 cells", 3, (2.0, 3.0), &[0.0, 3.0, 9.0], 3.0, &[1.0, 7.0]),
        ("half is enough", 2, (5.0, 10.0), &[NONE, 3.0], 10.0, &[3.0]),
        ("a third is not", 3, (1.0, 3.0), &[NONE, NONE, 3.0], 3.0, &[NONE]),
        ("more than half a cell out", 5, (1.0, 3.0), &[1.0, 1.0, 1.0, 4.0, 6.0], 3.0, &[1.0, 5.0]),
        ("less than half a cell out", 4, (1.0, 3.0), &[1.0, 1.0, 1.0, 4.0], 3.0, &[1.0, 4.0]),
        ("a strip of NoData out", 4, (1.0, 3.0), &[1.0, 1.0, 1.0, NONE], 3.0, &[1.0, NONE]),
        ("smaller than one cell", 1, (4.0, 4.0), &[5.0], 5.0, &[5.0]),
    ] {
        let height = values.len() / width;
        let (to_grid, found) = resampled(grid(width, height, cell_m), values, to);
        assert_values(&found, expected, what);
        assert_eq!(to_grid.cell_m, Some((to, to)), "{what}");
        assert!(is_square(&to_grid));
        // The same metres per unit as before, and the same corner.
        assert!((to_grid.step_x - to / 4.0).abs() < 1.0e-12, "{what}: {}", to_grid.step_x);
        assert!((to_grid.step_y - to / 2.0).abs() < 1.0e-12, "{what}: {}", to_grid.step_y);
        assert_eq!((to_grid.west, to_grid.north), (1000.0, 2000.0), "{what}");
    }
}

#[test]
fn the_same_cells_pass_unchanged() {
    let values = [0.1, NONE, -0.0, f32::MIN_POSITIVE];
    for cell_m in [(10.0, 10.0), (10.005, 9.995)] {
        let (to_grid, found) = resampled(grid(2, 2, cell_m), &values, 10.0);
        assert_eq!(to_grid, grid(2, 2, cell_m));
        assert_values(&found, &values, "unchanged");
    }
}

/// A row that is left over by whole new cells makes one of its own, and rounding makes none.
#[test]
fn the_last_partial_row_is_kept() {
    for (count, from, to, expected) in [
        (10, 3.0, 10.0, 3),
        (31, 1.0, 10.0, 4),
        (39, 1.0, 10.0, 4),
        (40, 1.0, 10.0, 4),
        (3601, 1.0 / 3.0, 1.0, 1201),
        (3600, 1.0 / 3.0, 1.0, 1200),
        (1000, 4.999_999, 10.0, 500),
        (1000, 5.000_000_1, 10.0, 500),
    ] {
        for (width, height) in [(count, 2), (2, count)] {
            let values = vec![7.0; width * height];
            let (to_grid, found) = resampled(grid(width, height, (from, from)), &values, to);
            let along = if width == count { to_grid.width } else { to_grid.height };
            assert_eq!(along, expected, "{count} cells of {from} to {to}");
            assert!(found.iter().all(|value| (value - 7.0).abs() < 1.0e-6), "{count}");
        }
    }
}

#[test]
fn requests_that_make_no_sense() {
    for (cell_m, to, expected) in [
        (Some((5.0, 5.0)), 0.0, "--cell-size"),
        (Some((5.0, 5.0)), -1.0, "--cell-size"),
        (Some((5.0, 5.0)), f64::NAN, "--cell-size"),
        (Some((5.0, 5.0)), f64::INFINITY, "--cell-size"),
        (Some((5.0, 5.0)), 1.0e-9, "choose larger"),
        (Some((5.0, 5.0)), 1.0e-300, "choose larger"),
        (None, 5.0, "--map-cell"),
    ] {
        let grid = Grid { cell_m, ..grid(2, 2, (5.0, 5.0)) };
        let source = MemorySource::try_new(grid, vec![0.0; 4]).unwrap();
        let Err(error) = resample(Box::new(source), to) else {
            panic!("{cell_m:?} to {to} passed");
        };
        assert!(error.to_string().contains(expected), "{error}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Where the new cells tile the old extent, the volume under the surface stays.
    #[test]
    fn volume_is_kept(
        (width, height) in (1_usize..20, 1_usize..20),
        (across, down) in (1_usize..20, 1_usize..20),
        seed in 0_usize..1000,
    ) {
        // Old cells such that `across` by `down` new cells of 1 m cover them exactly.
        let cell_m = (across as f64 / width as f64, down as f64 / height as f64);
        let values: Vec<f32> = (0..width * height)
            .map(|i| ((i * 7919 + seed * 104_729) % 1000) as f32)
            .collect();
        let (to_grid, found) = resampled(grid(width, height, cell_m), &values, 1.0);
        prop_assert_eq!((to_grid.width, to_grid.height), (across, down));
        let sum = |values: &[f32]| values.iter().map(|&v| f64::from(v)).sum::<f64>();
        let (before, after) = (sum(&values) * cell_m.0 * cell_m.1, sum(&found));
        prop_assert!((before - after).abs() <= 1.0e-6 * before.max(1.0), "{before} {after}");
    }

    /// A mean lies between the smallest and the largest value.
    #[test]
    fn means_stay_in_range(
        width in 1_usize..12,
        values in proptest::collection::vec(-500.0_f32..3000.0, 1..100),
        cell_m in (0.5_f64..9.0, 0.5_f64..9.0),
        to in 0.3_f64..30.0,
    ) {
        let width = width.min(values.len());
        let height = values.len() / width;
        let values = &values[..width * height];
        let (_, found) = resampled(grid(width, height, cell_m), values, to);
        let (low, high) = values
            .iter()
            .fold((f32::MAX, f32::MIN), |(low, high), &v| (low.min(v), high.max(v)));
        for value in found.iter().filter(|value| !value.is_nan()) {
            prop_assert!((low - 0.001..=high + 0.001).contains(value), "{value}");
        }
    }
}
