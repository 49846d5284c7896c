//! Blocks: the four cells of a child tile that make one cell of its parent.

use crate::grid::cells::TILE_WIDTH;

/// Cells along each side of the quarter of a tile that one of its children covers.
pub const QUARTER_WIDTH: usize = TILE_WIDTH / 2;

/// Returns the cells of a tile that its child `quadrant` covers, each with its four cells within
/// the child: south-west, south-east, north-west, north-east; quadrants count in the same way.
pub fn blocks(quadrant: usize) -> impl Iterator<Item = (usize, [usize; 4])> {
    let first = (quadrant / 2 * TILE_WIDTH + quadrant % 2) * QUARTER_WIDTH;
    (0..QUARTER_WIDTH).flat_map(move |row| {
        (0..QUARTER_WIDTH).map(move |column| {
            let corner = 2 * (row * TILE_WIDTH + column);
            let four = [corner, corner + 1, corner + TILE_WIDTH, corner + TILE_WIDTH + 1];
            (first + row * TILE_WIDTH + column, four)
        })
    })
}

/// Returns the values of a plane in the four cells of a block.
#[inline]
#[must_use]
pub fn four_of<T: Copy>(plane: &[T], four: [usize; 4]) -> [T; 4] {
    four.map(|cell| plane[cell])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::cells::CellPlace;
    use crate::grid::{TILE_CELLS, TileKey};

    #[test]
    fn blocks_tile_the_parent_and_its_children() {
        let parent = TileKey { level: 1, x: 3, y: 2 };
        let mut seen = [false; TILE_CELLS];
        for quadrant in 0..4 {
            let child = parent.child(quadrant).corner();
            let mut fine = [false; TILE_CELLS];
            for (cell, four) in blocks(quadrant) {
                assert!(!std::mem::replace(&mut seen[cell], true));
                for (place, cell_of_child) in four.into_iter().enumerate() {
                    assert!(!std::mem::replace(&mut fine[cell_of_child], true));
                    let column = u32::try_from(cell_of_child % TILE_WIDTH).expect("64");
                    let row = u32::try_from(cell_of_child / TILE_WIDTH).expect("64");
                    let (x, y) = (child.x + column, child.y + row);
                    assert_eq!(TileKey::of_cell(1, CellPlace { x: x / 2, y: y / 2 }), parent);
                    assert_eq!(CellPlace { x: x / 2, y: y / 2 }.index_in_tile(), cell);
                    assert_eq!((x % 2 + 2 * (y % 2)) as usize, place);
                }
            }
            assert!(fine.iter().all(|&is_seen| is_seen));
        }
        assert!(seen.iter().all(|&is_seen| is_seen));
    }
}
