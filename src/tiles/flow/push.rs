//! The push form: content is moved to the cells where its footprint lands.
//!
//! ```text
//!           ┌─────┬─────┐      a cell shifted by (s_x, s_y), at most 3 cells each way, covers
//!           │  ┌──┼──┐  │      parts of up to four: (1 − f_x)(1 − f_y), f_x (1 − f_y), …
//!           ├──┼──┼──┤  │
//!    ┌──┐   │  └──┼──┘  │      f: what the shift has beyond whole cells
//!    │  │   └─────┴─────┘
//!    └──┘
//! ```
//!
//! The content is split in integers, first along x, then along y: `⌊C f⌋` moves on, the rest does
//! not. Each part then walks to its cell through faces, as near to the straight line as they allow.
//! A closed face stops it in that direction for that step, so it slides along the other. A tile
//! moves the content of its own cells; a part of that lands in its halo, and the tiles there add it
//! to their own content.
//!
//! Guarantees: the sum of content is exact within every stretch of open faces
//!             (`nothing_passes_a_closed_face_and_nothing_is_lost`): nothing passes a wall; shifts
//!             by whole cells move a shape as it is.
//! Limits:     content is not tied to the water: it thickens where the flow converges. A shift by
//!             parts of a cell smears as first order does: move seldom and far. Contents from 0 to
//!             2⁶² in sum.
//! Source:     own; areas of overlap as in particle-in-cell methods, Harlow (1964).

use crate::grid::{Axis, TILE_CELLS};
use crate::tile::halo_plane::{CoversAround, gather_covers};
use crate::tile::padded::{PaddedPlane, STRIDE, index, plane};
use crate::units::OUTSIDE;

/// Farthest that content moves at once, cells each way.
pub const REACH: i32 = 3;

/// Shifts are counted in 2⁻²⁴ cells.
pub const CELL: i32 = 1 << FRACTION_BITS;

const FRACTION_BITS: u32 = 24;

/// Planes of a tile and its eight neighbours, which may be parts of coarser ones.
#[derive(Debug, Clone, Copy)]
pub struct PushAround<'a> {
    /// Bed of cells, vertical units.
    pub bed: CoversAround<'a, i32>,
    /// Depth of cells, vertical units.
    pub depth: CoversAround<'a, i32>,
    /// Faces that are closed at any depth of the water: west (`X`) or south (`Y`) ones of a column
    /// and row, at most four cells beyond the tile.
    pub closed: &'a [(Axis, i32, i32)],
}

/// The planes of a push on a padded tile.
#[derive(Debug, Clone)]
pub struct PaddedPush {
    /// Content of the tile's 64 × 64 cells, not negative.
    pub content: Box<[i64]>,
    /// Shifts of the cells eastward and northward, 2⁻²⁴ cells, within ± [`REACH`] cells.
    pub shifts: [Box<[i32]>; 2],
    bed: PaddedPlane<i32>,
    depth: PaddedPlane<i32>,
    /// Bits of [`closes`] for the faces of cells that are closed.
    closed: PaddedPlane<u8>,
    landed: PaddedPlane<i64>,
}

impl Default for PaddedPush {
    fn default() -> Self {
        Self::new()
    }
}

impl PaddedPush {
    /// Returns planes without content.
    #[must_use]
    pub fn new() -> Self {
        Self {
            content: vec![0; TILE_CELLS].into(),
            shifts: [(); 2].map(|()| vec![0; TILE_CELLS].into()),
            bed: plane(OUTSIDE),
            depth: plane(0),
            closed: plane(0),
            landed: plane(0),
        }
    }

    /// Moves the content of the tile by its shifts, and calls `land` for each target: column and
    /// row of a cell of the padded tile, at most [`REACH`] cells beyond the tile, and the content
    /// that lands there.
    pub fn advance(&mut self, around: &PushAround<'_>, mut land: impl FnMut(i32, i32, i64)) {
        if self.content.iter().all(|&content| content == 0) {
            return;
        }
        gather_covers(&mut self.bed, &around.bed, OUTSIDE);
        gather_covers(&mut self.depth, &around.depth, 0);
        self.closed.fill(0);
        for &(axis, column, row) in around.closed {
            self.closed[index(column, row)] |= closes(axis);
        }
        self.landed.fill(0);
        for (cell, (column, row)) in (0..64).flat_map(|y| (0..64).map(move |x| (x, y))).enumerate()
        {
            if self.content[cell] != 0 {
                self.push(cell, column, row);
            }
        }
        for row in -REACH..64 + REACH {
            for column in -REACH..64 + REACH {
                let content = self.landed[index(column, row)];
                if content != 0 {
                    land(column, row, content);
                }
            }
        }
    }

    /// Moves the content of one cell.
    fn push(&mut self, cell: usize, column: i32, row: i32) {
        let [x, y] = [self.shifts[0][cell], self.shifts[1][cell]];
        debug_assert!(x.abs() <= REACH * CELL && y.abs() <= REACH * CELL, "shift {x}, {y}");
        let ((dx, part_x), (dy, part_y)) = (whole_and_part(x), whole_and_part(y));
        let [near, far] = split(self.content[cell], part_x);
        for (dx, content) in [(dx, near), (dx + 1, far)] {
            let [near, far] = split(content, part_y);
            for (dy, content) in [(dy, near), (dy + 1, far)] {
                // After a shift of whole cells nothing is left for the cell beyond, so a walk is of
                // REACH cells at most and stays within the halo.
                if content != 0 {
                    let (column, row) = self.walk(column, row, dx, dy);
                    self.landed[index(column, row)] += content;
                }
            }
        }
    }

    /// Returns the cell where a walk of `dx` and `dy` cells ends.
    fn walk(&self, mut column: i32, mut row: i32, dx: i32, dy: i32) -> (i32, i32) {
        let (length_x, length_y) = (dx.abs(), dy.abs());
        let (mut done_x, mut done_y) = (0, 0);
        while done_x < length_x || done_y < length_y {
            // The axis that lags behind the straight line; x if both do alike.
            // The middles of the next steps, (done + ½)/length, are compared by cross products.
            let lags = (2 * done_x + 1) * length_y <= (2 * done_y + 1) * length_x;
            let cell = index(column, row);
            if done_x < length_x && (lags || done_y == length_y) {
                done_x += 1;
                let [before, behind] = if dx > 0 { [cell, cell + 1] } else { [cell - 1, cell] };
                let is_open = self.is_open(Axis::X, before, behind);
                column += if is_open { dx.signum() } else { 0 };
            } else {
                done_y += 1;
                let [before, behind] =
                    if dy > 0 { [cell, cell + STRIDE] } else { [cell - STRIDE, cell] };
                row += if self.is_open(Axis::Y, before, behind) { dy.signum() } else { 0 };
            }
        }
        (column, row)
    }

    /// True if the water is above the higher bed of two cells, and nothing else closes the face
    /// between them, the west or south one of `behind`.
    fn is_open(&self, axis: Axis, before: usize, behind: usize) -> bool {
        let Self { bed, depth, .. } = self;
        let stage = (bed[before] + depth[before]).max(bed[behind] + depth[behind]);
        stage > bed[before].max(bed[behind]) && self.closed[behind] & closes(axis) == 0
    }
}

/// Returns the bit of a closed west or south face.
fn closes(axis: Axis) -> u8 {
    match axis {
        Axis::X => 1,
        Axis::Y => 2,
    }
}

/// Splits a shift into whole cells, rounded down, and the rest.
fn whole_and_part(shift: i32) -> (i32, i64) {
    // If a shift is negative, both round down, too: −0.25 cells are −1 cell and 0.75 of one.
    (shift >> FRACTION_BITS, i64::from(shift & (CELL - 1)))
}

/// Returns the parts of a content that stay and move on: the second is `⌊content · part / 2²⁴⌋`.
fn split(content: i64, part: i64) -> [i64; 2] {
    // Content times part may have 86 bits. `high` stands for whole multiples of 2²⁴, so its share
    // is exact and only the share of `low` is rounded.
    let (high, low) = (content >> FRACTION_BITS, content & i64::from(CELL - 1));
    let far = high * part + ((low * part) >> FRACTION_BITS);
    [content - far, far]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tile::halo_plane::{CoveringPlane, PlaceIn};
    use crate::units::hash::scramble;

    /// 3 × 3 tiles that repeat periodically, each with the remaining eight around it.
    struct Torus {
        bed: Vec<Vec<i32>>,
        depth: Vec<Vec<i32>>,
        shift_x: Vec<Vec<i32>>,
        shift_y: Vec<Vec<i32>>,
        content: Vec<Vec<i64>>,
    }

    const WIDTH: usize = 192;

    /// Returns the tile of a cell and its index in the tile; the cell may be a turn beyond the end.
    fn at(x: usize, y: usize) -> (usize, usize) {
        let (x, y) = (x % WIDTH, y % WIDTH);
        (y / 64 * 3 + x / 64, y % 64 * 64 + x % 64)
    }

    impl Torus {
        fn new() -> Self {
            let zeros = || vec![vec![0; 4096]; 9];
            let depth = vec![vec![1 << 20; 4096]; 9];
            let content = vec![vec![0; 4096]; 9];
            Self { bed: zeros(), depth, shift_x: zeros(), shift_y: zeros(), content }
        }

        fn step(&mut self) {
            let mut padded = PaddedPush::new();
            let mut content = vec![vec![0; 4096]; 9];
            for tile in 0..9 {
                let corner = [tile % 3 * 64 + WIDTH, tile / 3 * 64 + WIDTH];
                let nine =
                    |i: usize| at(corner[0] + i % 3 * 64 - 64, corner[1] + i / 3 * 64 - 64).0;
                let cover = |plane| Some(CoveringPlane { plane, place: PlaceIn::SAME });
                let around = PushAround {
                    bed: std::array::from_fn(|i| cover(&*self.bed[nine(i)])),
                    depth: std::array::from_fn(|i| cover(&*self.depth[nine(i)])),
                    closed: &[],
                };
                padded.content.copy_from_slice(&self.content[tile]);
                padded.shifts[0].copy_from_slice(&self.shift_x[tile]);
                padded.shifts[1].copy_from_slice(&self.shift_y[tile]);
                padded.advance(&around, |column, row, landed| {
                    let go = |from: usize, by: i32| {
                        from.checked_add_signed(by as isize).expect("a turn beyond 0")
                    };
                    let (tile, i) = at(go(corner[0], column), go(corner[1], row));
                    content[tile][i] += landed;
                });
            }
            self.content = content;
        }

        fn is_open(&self, a: (usize, usize), b: (usize, usize)) -> bool {
            let of = |(tile, i): (usize, usize)| (self.bed[tile][i], self.depth[tile][i]);
            let ((za, ha), (zb, hb)) = (of(a), of(b));
            (za + ha).max(zb + hb) > za.max(zb)
        }

        /// Returns for each cell the number of its stretch of open faces.
        fn stretches(&self) -> Vec<usize> {
            let mut number = vec![usize::MAX; WIDTH * WIDTH];
            for start in 0..number.len() {
                let mut ahead = if number[start] == usize::MAX { vec![start] } else { Vec::new() };
                while let Some(cell) = ahead.pop() {
                    number[cell] = start;
                    let (x, y) = (cell % WIDTH, cell / WIDTH);
                    let beside = [(x + 1, y), (x + WIDTH - 1, y), (x, y + 1), (x, y + WIDTH - 1)];
                    for (nx, ny) in beside {
                        let next = ny % WIDTH * WIDTH + nx % WIDTH;
                        let is_new = number[next] == usize::MAX;
                        if is_new && self.is_open(at(x, y), at(nx, ny)) {
                            ahead.push(next);
                        }
                    }
                }
            }
            number
        }

        /// Content by stretch.
        fn sums(&self, stretches: &[usize]) -> Vec<i64> {
            let mut sums = vec![0; stretches.len()];
            for (cell, &stretch) in stretches.iter().enumerate() {
                let (tile, i) = at(cell % WIDTH, cell / WIDTH);
                sums[stretch] += self.content[tile][i];
            }
            sums
        }
    }

    /// Goal: content is exact at shifts of three cells, on both sides of every wall.
    /// Method: seeded walls, dry cells, plateaus and shifts; sums over each stretch of open faces.
    #[test]
    fn nothing_passes_a_closed_face_and_nothing_is_lost() {
        for seed in 0..4 {
            let mut state = seed << 30;
            let mut draw = |most: u64| {
                state = scramble(state + 1);
                i32::try_from((state >> 20) % most).expect("small")
            };
            let mut torus = Torus::new();
            for (x, y) in (0..WIDTH * WIDTH).map(|cell| (cell % WIDTH, cell / WIDTH)) {
                let (tile, i) = at(x, y);
                let is_wall = x % 23 == 7 || y % 19 == 3 || (x + y) % 31 == 0 || draw(9) == 0;
                torus.bed[tile][i] = if is_wall { 1 << 28 } else { draw(1 << 19) };
                torus.depth[tile][i] = if is_wall || draw(7) == 0 { 0 } else { 1 << 20 };
                torus.shift_x[tile][i] = draw(6 * CELL as u64 + 1) - 3 * CELL;
                torus.shift_y[tile][i] = draw(6 * CELL as u64 + 1) - 3 * CELL;
                torus.content[tile][i] = i64::from(draw(1 << 30)) << draw(20);
            }
            let stretches = torus.stretches();
            let before = torus.sums(&stretches);
            assert!(before.iter().filter(|&&sum| sum > 0).count() > 50, "seed {seed}: few rooms");
            for step in 0..10 {
                torus.step();
                assert!(torus.sums(&stretches) == before, "seed {seed}, step {step}");
            }
        }
    }

    #[test]
    fn a_uniform_flow_moves_a_blob_by_its_shift() {
        for (x, y) in [(3 * CELL, -3 * CELL), (-CELL, 0), (CELL / 2, CELL / 4), (-CELL / 8, 40)] {
            let mut torus = Torus::new();
            torus.shift_x.iter_mut().for_each(|plane| plane.fill(x));
            torus.shift_y.iter_mut().for_each(|plane| plane.fill(y));
            let blob = |dx: usize, dy: usize| ((dx + 2 * dy + 1) as i64) << 40;
            let (west, south) = (61, 62);
            for (dx, dy) in (0..25).map(|i| (i % 5, i / 5)) {
                let (tile, i) = at(west + dx, south + dy);
                torus.content[tile][i] = blob(dx, dy);
            }
            // The sum of content times place moves by content times shift.
            let moment = |torus: &Torus| {
                let cells = (0..WIDTH * WIDTH).map(|cell| (cell % WIDTH, cell / WIDTH));
                cells.fold([0_i128; 3], |sum, (x, y)| {
                    let (tile, i) = at(x, y);
                    let content = i128::from(torus.content[tile][i]);
                    [sum[0] + content, sum[1] + content * x as i128, sum[2] + content * y as i128]
                })
            };
            let before = moment(&torus);
            torus.step();
            let after = moment(&torus);
            assert_eq!(after[0], before[0]);
            for (axis, shift) in [(1, x), (2, y)] {
                let moved = (after[axis] - before[axis]) * i128::from(CELL);
                assert_eq!(moved, before[0] * i128::from(shift), "shift {x}, {y}");
            }
            if x % CELL == 0 && y % CELL == 0 {
                let shifted = |start: usize, by: i32| {
                    usize::try_from(start as i64 + i64::from(by / CELL)).expect("far from 0")
                };
                for (dx, dy) in (0..25).map(|i| (i % 5, i / 5)) {
                    let (tile, i) = at(shifted(west + dx, x), shifted(south + dy, y));
                    assert_eq!(torus.content[tile][i], blob(dx, dy), "{dx}, {dy}");
                }
            }
        }
    }

    #[test]
    fn a_walk_slides_along_a_wall_and_round_its_end() {
        // A wall in column 10 up to row 20.
        let end_of = |row: usize, shift: (i32, i32)| {
            let mut torus = Torus::new();
            for y in 0..21 {
                let (tile, i) = at(10, y);
                (torus.bed[tile][i], torus.depth[tile][i]) = (1 << 28, 0);
            }
            let (tile, i) = at(9, row);
            torus.content[tile][i] = 5;
            (torus.shift_x[tile][i], torus.shift_y[tile][i]) = (shift.0 * CELL, shift.1 * CELL);
            torus.step();
            let found = (0..WIDTH * WIDTH).find(|cell| {
                let (tile, i) = at(cell % WIDTH, cell / WIDTH);
                torus.content[tile][i] == 5
            });
            found.map(|cell| (cell % WIDTH, cell / WIDTH))
        };
        assert_eq!(end_of(5, (3, 2)), Some((9, 7)));
        assert_eq!(end_of(5, (3, 0)), Some((9, 5)));
        assert_eq!(end_of(20, (2, 2)), Some((10, 22)));
        assert_eq!(end_of(5, (-3, -3)), Some((6, 2)));
    }
}
