//! Which cells are simulated: the map's own, resampled ones, or coarser ones over those.
//!
//! Only cells that hold a height count: a frame of NoData costs nothing.

use kit::error::UserError;
use kit::words::short;
use rasters::Grid;

use super::super::terms::Quality;
use super::cover::HeightCells;

/// A square map with more heights is resampled on import, unless every cell is wanted.
const HELD_CELLS_MAX: usize = 25_000_000;

/// Most cells of the rectangle around them, where few of them hold a height.
const HELD_RECTANGLE_MAX: usize = 4 * HELD_CELLS_MAX;

/// Coarsest level that the engine has.
const LEVEL_MAX: u8 = thalweg::terrain::Terrain::LEVELS;

/// The cell size to resample to where the user names one.
pub(super) fn asked_size(
    asked: f64,
    input: &Grid,
    (cell_x, cell_y): (f64, f64),
) -> Result<Option<f64>, UserError> {
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
    Ok((ratio > 1.001 || !rasters::is_square(input)).then_some(asked))
}

/// The cell size to resample to where the map's own cells do not serve: they are not square, or
/// there are more than can be held.
#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
pub(super) fn own_size(
    input: &Grid,
    valid: usize,
    (cell_x, cell_y): (f64, f64),
    quality: Quality,
) -> Option<f64> {
    // Maps are held as rectangles, whatever they hold.
    let of_rectangle = (input.width * input.height) as f64 / HELD_RECTANGLE_MAX as f64;
    let excess = of_rectangle.max(valid as f64 / HELD_CELLS_MAX as f64);
    let is_held = excess <= 1.0 || quality == Quality::Fine;
    if rasters::is_square(input) && is_held {
        return None;
    }
    let own = (cell_x * cell_y).sqrt();
    // The last cell of a side may reach over the map: half a percent is room for both sides.
    let excess = if is_held { 1.0 } else { 1.005 * excess };
    Some(own * excess.max(1.0).sqrt())
}

/// Smallest level whose number of cells is allowed, as long as there are cells left.
pub(super) fn level(world: &Grid, quality: Quality, count: impl Fn(u8) -> usize) -> u8 {
    let cells_max = quality.cells_max().unwrap_or(usize::MAX);
    let narrow = world.width.min(world.height);
    let is_enough = |level: &u8| count(*level) <= cells_max || narrow >> (level + 1) < 2;
    (0..LEVEL_MAX).find(is_enough).unwrap_or(LEVEL_MAX)
}

/// Number of whole cells of a level that hold a height somewhere. Without a `cover` all count; the
/// cells of `input` are those of the cover.
pub(super) fn simulated_count(
    world: &Grid,
    level: u8,
    input: &Grid,
    cover: Option<&HeightCells>,
) -> usize {
    let size = (world.width >> level, world.height >> level);
    let Some(cover) = cover else { return size.0 * size.1 };
    let factor = f64::from(1_u32 << level);
    cover.cells(size, (factor * world.step_x / input.step_x, factor * world.step_y / input.step_y))
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
            assert_eq!(level(&grid, quality, count), expected, "{width} {quality}");
        }
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
        assert_eq!(level(&frame, Quality::Normal, |level| 1_000_000 >> (2 * level)), 0);
    }
}
