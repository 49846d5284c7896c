//! Questions to forests of one and of three levels.

mod areas;
mod below;
mod edges;
mod kept;
mod meshes;
mod places;

use crate::probe::made::{Made, WIDTH_M, all_levels, centre_m, one_level, three_levels};
use crate::probe::{Polyline, Window};
use thalweg_engine::grid::cells::CellPlace;
use thalweg_engine::grid::{TILE_CELLS, TILE_WIDTH};
use thalweg_engine::units::hash::scramble;

/// Vertical units in a metre.
const UNITS: f64 = 1_048_576.0;

/// Whole units at every centre, so that nothing is rounded.
fn bed_plane([x, y]: [f64; 2]) -> f64 {
    5000.0 * x + 3000.0 * y
}

fn stage_plane([x, y]: [f64; 2]) -> f64 {
    2.0e7 - 100.0 * x + 50.0 * y
}

fn metres(units: f64) -> f64 {
    100.0 + units / UNITS
}

/// A place no nearer to the boundary than a coarsest cell.
fn place(seed: u64) -> [f64; 2] {
    [seed * 2, seed * 2 + 1].map(|draw| {
        let draw = f64::from(u32::try_from(scramble(draw + 77) >> 32).expect("32 bits"));
        8.0 + 1008.0 * draw / 4_294_967_296.0
    })
}

#[track_caller]
fn check_near(found: f64, expected: f64, tolerance: f64, name: &str) {
    assert!((found - expected).abs() <= tolerance, "{name}: {found}, not {expected}");
}
