//! Choice of the simulated cells: the map's own, resampled ones, or coarser ones over these.
//!
//! Simulated cells wider than the map's always cover finer ones, of which their tables are made,
//! whether a cell size or a quality made them wider. With flat columns they are the finest
//! themselves, each as high as the mean of its ground.
//!
//! Only cells with a height count: a frame of NoData costs nothing.

use kit::error::UserError;
use kit::words::short;
use rasters::Grid;

use super::super::terms::{ColumnsChoice, Quality};
use super::cover::HeightCells;

/// Most heights of a square map; a larger one is resampled on import, unless every cell is
/// requested.
const HELD_CELLS_MAX: usize = 25_000_000;

/// Most cells of the rectangle around the heights, if few of its cells have a height.
const HELD_RECTANGLE_MAX: usize = 4 * HELD_CELLS_MAX;

/// Coarsest level that the engine has.
const LEVEL_MAX: u8 = thalweg::terrain::Terrain::LEVELS;

/// The cells of a world: those of the map or resampled ones, and how many of them are one simulated
/// cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ChosenCells {
    /// Size of the finest cells, m, if they are not those of the map.
    pub resample_m: Option<f64>,
    /// Number of times that these are doubled for the simulation.
    pub level: u8,
}

/// Returns the cells of a size that the user names. If it is larger than that of the map's cells,
/// the simulated cells cover finer ones, about as large as the map's and an exact part of them:
/// wider ones if these would need more memory than allowed, and no finer ones if columns are flat.
pub(super) fn asked_cells(
    asked: f64,
    input: &Grid,
    valid: usize,
    (cell_x, cell_y): (f64, f64),
    columns: ColumnsChoice,
) -> Result<ChosenCells, UserError> {
    if asked <= 0.0 {
        return Err(UserError::new(
            format!("the cell size is {asked} m"),
            "choose one above 0, like --cell-size 10",
        ));
    }
    let ratio = asked / cell_x.min(cell_y);
    if ratio < 0.999 {
        let own = format!("{} × {} m", short(cell_x), short(cell_y));
        return Err(UserError::new(
            format!("--cell-size {asked} m is finer than the map's cells of {own}"),
            "a finer grid holds no more detail; leave it out or choose a larger one",
        ));
    }
    let own = (cell_x * cell_y).sqrt();
    let is_held =
        |level: &u8| excess(input, valid) * (own / finest_m(asked, *level)).powi(2) <= 1.0;
    let level = match columns {
        ColumnsChoice::Flat => 0,
        ColumnsChoice::SubGrid => (1..=halvings(asked / own)).rev().find(is_held).unwrap_or(0),
    };
    let finest = finest_m(asked, level);
    let is_own = rasters::is_square(input) && (finest / own - 1.0).abs() <= SAME;
    Ok(ChosenCells { resample_m: (!is_own).then_some(finest), level })
}

/// Relative difference up to which two cell sizes are one.
const SAME: f64 = 1.0e-3;

/// Returns how often cells that are `ratio` times as wide as the map's are halved, until they are
/// as close to these as can be: at least once if they are wider at all.
fn halvings(ratio: f64) -> u8 {
    let is_closer = |level: &u8| finest_m(ratio, *level) < std::f64::consts::SQRT_2;
    let least = u8::from(ratio > 1.0 + SAME);
    (least..LEVEL_MAX).find(is_closer).unwrap_or(LEVEL_MAX)
}

/// Returns the width of the cells of which 2^`level` side by side are as wide as `cell_m`.
fn finest_m(cell_m: f64, level: u8) -> f64 {
    cell_m / f64::from(1_u32 << level)
}

/// Returns the ratio of a map's heights to the most that fit in memory. The rectangle around them
/// counts, because NoData takes memory as heights do.
#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
fn excess(input: &Grid, valid: usize) -> f64 {
    let of_rectangle = (input.width * input.height) as f64 / HELD_RECTANGLE_MAX as f64;
    of_rectangle.max(valid as f64 / HELD_CELLS_MAX as f64)
}

/// Returns the cell size to resample to if the map's own cells cannot be used: they are not square,
/// or too many to fit in memory.
pub(super) fn own_size(
    input: &Grid,
    valid: usize,
    (cell_x, cell_y): (f64, f64),
    quality: Quality,
) -> Option<f64> {
    let excess = excess(input, valid);
    let is_held = excess <= 1.0 || quality == Quality::Fine;
    if rasters::is_square(input) && is_held {
        return None;
    }
    let own = (cell_x * cell_y).sqrt();
    // The last cell of a side may extend beyond the map: half a percent is room for both sides.
    let excess = if is_held { 1.0 } else { 1.005 * excess };
    Some(own * excess.max(1.0).sqrt())
}

/// Returns the smallest level from `least` on that has an allowed number of cells, as long as any
/// cells are left.
pub(super) fn level(world: &Grid, least: u8, quality: Quality, count: impl Fn(u8) -> usize) -> u8 {
    let cells_max = quality.cells_max().unwrap_or(usize::MAX);
    let narrow = world.width.min(world.height);
    let is_enough = |level: &u8| count(*level) <= cells_max || narrow >> (level + 1) < 2;
    (least..LEVEL_MAX).find(is_enough).unwrap_or(LEVEL_MAX)
}

/// Returns the grid of the cells of a level over those of `world`: rows count from the south, as in
/// the engine, so the last cells in the east and the north may extend beyond it.
#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
pub(super) fn coarser(world: &Grid, level: u8) -> Grid {
    let size = 1_usize << level;
    let (width, height) = (world.width.div_ceil(size), world.height.div_ceil(size));
    let beyond = (height * size - world.height) as f64;
    Grid {
        width,
        height,
        north: world.north + beyond * world.step_y,
        step_x: world.step_x * size as f64,
        step_y: world.step_y * size as f64,
        cell_m: world.cell_m.map(|(x, y)| (x * size as f64, y * size as f64)),
        ..world.clone()
    }
}

/// Returns the number of cells of a level that contain a height. Without a `cover` all count;
/// `input` is the grid of the cover.
pub(super) fn simulated_count(
    world: &Grid,
    level: u8,
    input: &Grid,
    cover: Option<&HeightCells>,
) -> usize {
    let cells = coarser(world, level);
    let Some(cover) = cover else { return cells.width * cells.height };
    let beyond = (cells.north - world.north) / input.step_y;
    let size = (cells.step_x / input.step_x, cells.step_y / input.step_y);
    cover.cells((cells.width, cells.height), size, beyond)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid(width: usize, height: usize, cell_m: (f64, f64)) -> Grid {
        Grid { cell_m: Some(cell_m), ..Grid::metric((width, height), (0.0, 0.0), 1.0) }
    }

    #[test]
    fn quality_limits_the_cells() {
        let cases = [
            (500, Quality::Draft, 0),
            (2000, Quality::Draft, 2),
            (2000, Quality::Normal, 1),
            (2000, Quality::Fine, 0),
            (5000, Quality::Draft, 4),
        ];
        for (width, quality, expected) in cases {
            let grid = grid(width, width, (1.0, 1.0));
            let count = |level| simulated_count(&grid, level, &grid, None);
            assert_eq!(level(&grid, 0, quality, count), expected, "{width} {quality}");
        }
    }

    /// Goal: cells of a named size cover finer ones if they are wider than the map's, however many
    /// they are; the finer ones are the map's own if a power of two leads there.
    #[test]
    fn wider_cells_lie_over_finer_ones() {
        let (square, oblong) = ((10.0, 10.0), (4.0, 9.0));
        let cases = [
            (100, square, 10.0, ColumnsChoice::SubGrid, (None, 0)),
            (100, square, 20.0, ColumnsChoice::SubGrid, (None, 1)),
            (100, square, 40.0, ColumnsChoice::SubGrid, (None, 2)),
            (9000, square, 40.0, ColumnsChoice::SubGrid, (Some(20.0), 1)), // too many to hold
            (20_000, square, 20.0, ColumnsChoice::SubGrid, (Some(20.0), 0)),
            (100, square, 40.0, ColumnsChoice::Flat, (Some(40.0), 0)),
            (100, square, 10.0, ColumnsChoice::Flat, (None, 0)),
            (100, square, 12.0, ColumnsChoice::SubGrid, (Some(6.0), 1)),
            (100, square, 30.0, ColumnsChoice::SubGrid, (Some(7.5), 2)),
            (100, square, 50.0, ColumnsChoice::SubGrid, (Some(12.5), 2)),
            (100, square, 1.0e6, ColumnsChoice::SubGrid, (Some(1.0e6 / 256.0), 8)),
            (100, oblong, 6.0, ColumnsChoice::SubGrid, (Some(6.0), 0)),
            (100, oblong, 12.0, ColumnsChoice::SubGrid, (Some(6.0), 1)),
        ];
        for (width, cell, asked, columns, (resample_m, level)) in cases {
            let map = grid(width, width, cell);
            let found = asked_cells(asked, &map, width * width, cell, columns);
            assert_eq!(found, Ok(ChosenCells { resample_m, level }), "{width} {cell:?} {asked}");
        }
    }

    /// Goal: cells that extend beyond a map are cells of its simulation, and begin at its
    /// south-west corner as the engine's do.
    #[test]
    fn coarser_cells_cover_all_of_a_map() {
        let map = Grid::metric((21, 13), (100.0, 1000.0), 5.0);
        let cells = coarser(&map, 2);
        assert_eq!((cells.width, cells.height, cells.step_x), (6, 4, 20.0));
        let south = |grid: &Grid| grid.north - grid.height as f64 * grid.step_y;
        assert_eq!((cells.west, south(&cells)), (map.west, south(&map)));
    }

    #[test]
    fn maps_are_resampled_where_their_cells_do_not_serve() {
        let oblong = (4.0, 9.0);
        let cases = [
            (1000, (5.0, 5.0), Quality::Normal, None),
            (5000, (5.0, 5.0), Quality::Draft, None), // by level
            (1000, oblong, Quality::Normal, Some(6.0)),
            (1000, oblong, Quality::Fine, Some(6.0)),
            (5000, oblong, Quality::Normal, Some(6.0)),
            (20_000, (5.0, 5.0), Quality::Normal, Some(5.0 * 16.08_f64.sqrt())),
            (20_000, (5.0, 5.0), Quality::Draft, Some(5.0 * 16.08_f64.sqrt())),
            (20_000, (5.0, 5.0), Quality::Fine, None),
        ];
        for (width, cell, quality, expected) in cases {
            let got = own_size(&grid(width, width, cell), width * width, cell, quality);
            let is_same = match (got, expected) {
                (Some(got), Some(expected)) => (got - expected).abs() < 1.0e-9,
                (got, expected) => got.is_none() && expected.is_none(),
            };
            assert!(is_same, "{width} {cell:?} {quality}: {got:?}, expected {expected:?}");
        }
    }

    #[test]
    fn nodata_does_not_count() {
        let frame = grid(9000, 9000, (1.0, 1.0));
        assert_eq!(own_size(&frame, 1_000_000, (1.0, 1.0), Quality::Normal), None);
        let huge = grid(20_000, 20_000, (1.0, 1.0));
        let coarser = own_size(&huge, 1_000_000, (1.0, 1.0), Quality::Normal);
        assert!(coarser.is_some_and(|cell_m| (2.0..2.01).contains(&cell_m)), "{coarser:?}");
        assert_eq!(level(&frame, 0, Quality::Normal, |level| 1_000_000 >> (2 * level)), 0);
    }
}
