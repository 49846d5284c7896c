//! Filling one padded plane from the planes of a tile and its eight neighbours.
//!
//! The kernels of the water take their rows as they go ([`halo`](super::halo)); what runs once in a
//! while, or on one plane only, fills it whole.
//!
//! Guarantees: both tiles at an edge see the same numbers.
//! Limits:     neighbours of the same level.

use crate::grid::TILE_WIDTH;
use crate::tile::padded::{HALO, Plane, index};

/// One plane of each tile around a tile, from south-west to north-east, its own in the middle.
/// `None` is beyond the world.
pub type PlanesAround<'a, T> = [Option<&'a [T]>; 9];

/// Fills a padded plane with all four cells of its halo; cells beyond the world get `outside`.
pub fn gather_plane<T: Copy>(padded: &mut Plane<T>, around: &PlanesAround<'_, T>, outside: T) {
    // Row and column of neighbours; first padded row or column, first of theirs, count.
    let thirds = [(-4, TILE_WIDTH - HALO, HALO), (0, 0, TILE_WIDTH), (64, 0, HALO)];
    for (place, source) in around.iter().enumerate() {
        let (first_row, from_row, rows) = thirds[place / 3];
        let (first_column, from_column, columns) = thirds[place % 3];
        for (row, from_row) in (first_row..).zip(from_row..from_row + rows) {
            let to = index(first_column, row);
            let to = &mut padded[to..to + columns];
            match source {
                Some(source) => {
                    let from = from_row * TILE_WIDTH + from_column;
                    to.copy_from_slice(&source[from..from + columns]);
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
}
