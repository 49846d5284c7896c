//! Filling one padded plane from the planes of a tile and its eight neighbours.
//!
//! The kernels of the water take their rows as they go ([`halo`](super::halo)); code that runs once
//! in a while, or on one plane only, fills the plane whole.
//!
//! Guarantees: both tiles at an edge see the same numbers.
//! Limits:     [`gather_plane`] takes neighbours of the same level; [`gather_covers`] coarser ones
//!             too, as they are: each cell of them fills all its finer ones.

use crate::grid::{TILE_WIDTH, TileKey};
use crate::tile::padded::{HALO, PaddedPlane, index};

/// One plane of each tile around a tile, from south-west to north-east, its own in the middle.
/// `None` is beyond the world.
pub type PlanesAround<'a, T> = [Option<&'a [T]>; 9];

/// Place of a tile in one of its own or a coarser level that contains it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlaceIn {
    /// Levels by which the tile is finer.
    levels: u8,
    /// Column and row, in the plane of the holder, of the tile's south-west cell.
    corner: [usize; 2],
}

impl PlaceIn {
    /// Place of a tile in itself.
    pub const SAME: Self = Self { levels: 0, corner: [0; 2] };

    /// Returns the place of `tile` in `holder`.
    ///
    /// # Panics
    ///
    /// If `tile` is not inside `holder`.
    #[must_use]
    pub fn of(tile: TileKey, holder: TileKey) -> Self {
        assert_eq!(tile.ancestor(holder.level), holder, "a tile in the one that holds it");
        let levels = holder.level - tile.level;
        let tiles = |own: u32, first: u32| (own - (first << levels)) as usize;
        let corner = [tiles(tile.x, holder.x), tiles(tile.y, holder.y)];
        Self { levels, corner: corner.map(|tiles| (tiles * TILE_WIDTH) >> levels) }
    }

    /// Returns the index, in the plane of the holder, of the cell that contains a cell of the tile.
    #[inline]
    #[must_use]
    pub fn cell(self, column: usize, row: usize) -> usize {
        let [x, y] = self.corner;
        (y + (row >> self.levels)) * TILE_WIDTH + x + (column >> self.levels)
    }
}

/// A plane that has the cells of a tile, or coarser cells over them.
#[derive(Debug, Clone, Copy)]
pub struct CoveringPlane<'a, T> {
    /// The plane of the tile that contains it.
    pub plane: &'a [T],
    /// Place of the tile in that plane.
    pub place: PlaceIn,
}

impl<'a, T> CoveringPlane<'a, T> {
    /// Returns the plane of the tile itself.
    #[must_use]
    pub fn same(plane: &'a [T]) -> Self {
        Self { plane, place: PlaceIn::SAME }
    }
}

/// One plane over each tile around a tile, in the order of [`PlanesAround`].
pub type CoversAround<'a, T> = [Option<CoveringPlane<'a, T>>; 9];

/// Fills a padded plane with all four cells of its halo; cells beyond the world get `outside`.
pub fn gather_plane<T: Copy>(
    padded: &mut PaddedPlane<T>,
    around: &PlanesAround<'_, T>,
    outside: T,
) {
    gather_covers(padded, &around.map(|source| source.map(CoveringPlane::same)), outside);
}

/// Fills a padded plane with all four cells of its halo from planes of its level or coarser ones;
/// cells beyond the world get `outside`.
pub fn gather_covers<T: Copy>(
    padded: &mut PaddedPlane<T>,
    around: &CoversAround<'_, T>,
    outside: T,
) {
    // Row and column of neighbours; first padded row or column, first of theirs, count.
    let thirds = [(-4, TILE_WIDTH - HALO, HALO), (0, 0, TILE_WIDTH), (64, 0, HALO)];
    for (place, source) in around.iter().enumerate() {
        let (first_row, from_row, rows) = thirds[place / 3];
        let (first_column, from_column, columns) = thirds[place % 3];
        for (row, from_row) in (first_row..).zip(from_row..from_row + rows) {
            let to = index(first_column, row);
            let to = &mut padded[to..to + columns];
            match source {
                Some(CoveringPlane { plane, place: PlaceIn::SAME }) => {
                    let from = from_row * TILE_WIDTH + from_column;
                    to.copy_from_slice(&plane[from..from + columns]);
                }
                Some(CoveringPlane { plane, place }) => {
                    for (to, column) in to.iter_mut().zip(from_column..) {
                        *to = plane[place.cell(column, from_row)];
                    }
                }
                None => to.fill(outside),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::TILE_CELLS;
    use crate::tile::padded::plane;

    #[test]
    fn the_frame_continues_the_plane_on_all_sides() {
        let tiles: Vec<Vec<i64>> = (0..9)
            .map(|tile| {
                let corner = |i: usize| (64 * (tile % 3) + i % 64, 64 * (tile / 3) + i / 64);
                let number = |(x, y): (usize, usize)| i64::try_from(1000 * y + x).expect("small");
                (0..TILE_CELLS).map(|i| number(corner(i))).collect()
            })
            .collect();
        let mut around: PlanesAround<'_, i64> = std::array::from_fn(|i| Some(&*tiles[i]));
        around[2] = None;
        let mut padded = plane(0_i64);
        gather_plane(&mut padded, &around, -7);
        for row in -4..68 {
            for column in -4..68 {
                let missing = column >= 64 && row < 0;
                let expected = 1000 * (64 + i64::from(row)) + 64 + i64::from(column);
                let got = padded[index(column, row)];
                assert_eq!(got, if missing { -7 } else { expected }, "column {column}, row {row}");
            }
        }
    }

    #[test]
    fn a_coarser_plane_fills_each_cell_below_it() {
        let key = |level, x, y| TileKey { level, x, y };
        let holder = key(3, 2, 1);
        let coarse: Vec<usize> = (0..TILE_CELLS).collect();
        for (tile, corner) in [
            (key(3, 2, 1), [0, 0]),
            (key(2, 5, 2), [32, 0]),
            (key(2, 4, 3), [0, 32]),
            (key(1, 11, 5), [48, 16]),
            (key(0, 17, 15), [8, 56]),
        ] {
            let levels = holder.level - tile.level;
            let cover = CoveringPlane { plane: &coarse, place: PlaceIn::of(tile, holder) };
            let mut around = [None; 9];
            (around[0], around[4], around[8]) = (Some(cover), Some(cover), Some(cover));
            let mut padded = plane(0);
            gather_covers(&mut padded, &around, 9999);
            let expected = |column: usize, row: usize| {
                (corner[1] + (row >> levels)) * TILE_WIDTH + corner[0] + (column >> levels)
            };
            for (column, row) in (0..64).flat_map(|y| (0..64).map(move |x| (x, y))) {
                assert_eq!(padded[index(column, row)], expected(column as usize, row as usize));
            }
            // The south-west neighbour ends, and the north-east one begins, at its corner.
            assert_eq!(padded[index(-1, -4)], expected(63, 60));
            assert_eq!(padded[index(67, 64)], expected(3, 0));
            assert_eq!(padded[index(-1, 64)], 9999);
        }
    }
}
