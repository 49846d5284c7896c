//! Whether two grids are equal, cell by cell.

use rasters::{Grid, HorizontalUnit};

/// Part of a cell by which corners of equal grids may differ through rounding.
const ROUNDING: f64 = 1.0e-6;

/// Returns each way in which `one` differs from `other`, in words; empty if their cells are the
/// same.
#[must_use]
pub fn unlike(one: &Grid, other: &Grid) -> Vec<String> {
    let mut ways = Vec::new();
    if (one.width, one.height) != (other.width, other.height) {
        let [own, wanted] = [one, other].map(|grid| format!("{} × {}", grid.width, grid.height));
        ways.push(format!("it has {own} cells, not {wanted}"));
    }
    let is_off = |a: f64, b: f64, step: f64| (a - b).abs() > ROUNDING * step;
    let cells = one.width.max(one.height).max(1);
    #[expect(clippy::cast_precision_loss, reason = "cells are far below 2^53")]
    let per_cell = |step: f64| step / cells as f64;
    if is_off(one.step_x, other.step_x, per_cell(other.step_x))
        || is_off(one.step_y, other.step_y, per_cell(other.step_y))
    {
        let [own, wanted] = [one, other].map(|grid| match is_off(grid.step_x, grid.step_y, 1.0) {
            true => format!("{} × {}", grid.step_x, grid.step_y),
            false => grid.step_x.to_string(),
        });
        let [own, wanted] = [(own, one), (wanted, other)].map(|(width, grid)| match grid.unit {
            HorizontalUnit::Unknown => width,
            unit => format!("{width} {unit}"),
        });
        ways.push(format!("its cells are {own} wide, not {wanted}"));
    }
    if is_off(one.west, other.west, other.step_x) || is_off(one.north, other.north, other.step_y) {
        let [own, wanted] = [one, other].map(|grid| format!("{}, {}", grid.west, grid.north));
        ways.push(format!("its north-west corner is at {own}, not {wanted}"));
    }
    let is_other = match (&one.crs, &other.crs) {
        (Some(own), Some(wanted)) => own.is_other_than(wanted),
        (None, None) => false,
        _ => true,
    };
    if is_other {
        let [own, wanted] = [one, other]
            .map(|grid| grid.crs.as_ref().map_or_else(|| "none".to_owned(), ToString::to_string));
        ways.push(format!("its reference system is {own}, not {wanted}"));
    }
    ways
}

#[cfg(test)]
mod tests {
    use rasters::Crs;

    use super::*;

    #[test]
    fn each_way_in_which_grids_differ_is_named() {
        let grid = Grid::metric((40, 30), (1000.0, 2000.0), 5.0);
        assert_eq!(unlike(&grid, &grid), [""; 0]);
        let nearly = Grid { west: 1000.0 + 1.0e-9, ..grid.clone() };
        assert_eq!(unlike(&nearly, &grid), [""; 0]);
        let crs = |epsg| Some(Crs::projected(epsg));
        for (other, expected) in [
            (Grid { width: 41, ..grid.clone() }, "it has 41 × 30 cells, not 40 × 30"),
            (Grid { north: 2005.0, ..grid.clone() }, "corner is at 1000, 2005, not 1000, 2000"),
            (
                Grid { step_x: 10.0, step_y: 10.0, ..grid.clone() },
                "its cells are 10 metres wide, not 5 metres",
            ),
            (Grid { step_y: 6.0, ..grid.clone() }, "its cells are 5 × 6 metres wide"),
            (Grid { crs: crs(27700), ..grid.clone() }, "system is EPSG:27700, not none"),
        ] {
            let ways = unlike(&other, &grid);
            assert!(ways.len() == 1 && ways[0].contains(expected), "{ways:?}");
        }
        let bare = Grid { unit: HorizontalUnit::Unknown, ..grid.clone() };
        let wider = Grid { step_x: 2.0, step_y: 2.0, ..bare.clone() };
        assert_eq!(unlike(&wider, &bare), ["its cells are 2 wide, not 5"]);
        let [one, other] = [27700, 32611].map(|epsg| Grid { crs: crs(epsg), ..grid.clone() });
        assert_eq!(unlike(&one, &other), ["its reference system is EPSG:27700, not EPSG:32611"]);
    }
}
