//! A plane of cells over a part of the map, and its refinement.
//!
//! Places are **local metres**: `x` grows east and `y` grows south from the north-west corner of
//! the finished map, so row 0 is in the north. Work is done on a lattice with a margin around the
//! map, through which rivers enter and leave; the margin is cut off at the end.

/// Size and place of the cells of a lattice.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CellLattice {
    /// Cells from west to east.
    pub width: usize,
    /// Cells from north to south.
    pub height: usize,
    /// Cell width, m.
    pub step_m: f64,
    /// Local `x` of the lattice's west side, m.
    pub west_m: f64,
    /// Local `y` of the lattice's north side, m.
    pub north_m: f64,
}

/// The four neighbours that share a side, as steps east and south.
pub const SIDES: [(isize, isize); 4] = [(-1, 0), (1, 0), (0, 1), (0, -1)];

/// The eight neighbours; the first four share a side.
pub const AROUND: [(isize, isize); 8] =
    [(-1, 0), (1, 0), (0, 1), (0, -1), (-1, -1), (1, -1), (-1, 1), (1, 1)];

impl CellLattice {
    /// Returns the number of cells.
    #[must_use]
    pub fn count(&self) -> usize {
        self.width * self.height
    }

    /// Returns the centre of a cell, local metres.
    #[must_use]
    pub fn centre(&self, cell: usize) -> (f64, f64) {
        let (column, row) = (cell % self.width, cell / self.width);
        (
            self.west_m + (column as f64 + 0.5) * self.step_m,
            self.north_m + (row as f64 + 0.5) * self.step_m,
        )
    }

    /// Returns the cell that contains a place, if the place is on the lattice.
    #[must_use]
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "checked to lie between 0 and the lattice's size"
    )]
    pub fn cell_at(&self, x: f64, y: f64) -> Option<usize> {
        let column = ((x - self.west_m) / self.step_m).floor();
        let row = ((y - self.north_m) / self.step_m).floor();
        let inside =
            column >= 0.0 && row >= 0.0 && column < self.width as f64 && row < self.height as f64;
        inside.then(|| row as usize * self.width + column as usize)
    }

    /// Returns the neighbour of `cell` one `step` away, if it is on the lattice.
    #[must_use]
    pub fn beside(&self, cell: usize, step: (isize, isize)) -> Option<usize> {
        let column = (cell % self.width).checked_add_signed(step.0)?;
        let row = (cell / self.width).checked_add_signed(step.1)?;
        (column < self.width && row < self.height).then(|| row * self.width + column)
    }

    /// Returns the neighbours of `cell` that are on the lattice, each with the index of its step.
    pub fn around(
        &self,
        cell: usize,
        steps: &[(isize, isize)],
    ) -> impl Iterator<Item = (usize, usize)> {
        let (column, row) = (cell % self.width, cell / self.width);
        steps.iter().enumerate().filter_map(move |(index, step)| {
            let column = column.checked_add_signed(step.0).filter(|c| *c < self.width)?;
            let row = row.checked_add_signed(step.1).filter(|r| *r < self.height)?;
            Some((index, row * self.width + column))
        })
    }

    /// Returns whether the cell touches the lattice's border.
    #[must_use]
    pub fn is_rim(&self, cell: usize) -> bool {
        let (column, row) = (cell % self.width, cell / self.width);
        column == 0 || row == 0 || column + 1 == self.width || row + 1 == self.height
    }

    /// Returns all cells whose centres are within `reach_m` of a place in both directions.
    pub fn cells_near(&self, x: f64, y: f64, reach_m: f64) -> impl Iterator<Item = usize> {
        let columns = span(x - self.west_m, reach_m, self.step_m, self.width);
        let rows = span(y - self.north_m, reach_m, self.step_m, self.height);
        let width = self.width;
        rows.flat_map(move |row| columns.clone().map(move |column| row * width + column))
    }

    /// Returns a copy of the lattice with cells half as wide.
    #[must_use]
    pub fn halved(&self) -> Self {
        Self { width: self.width * 2, height: self.height * 2, step_m: self.step_m / 2.0, ..*self }
    }
}

/// Returns the indices along one axis whose centres are within `reach_m` of `place_m`.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "clamped to 0 ..= count first"
)]
fn span(place_m: f64, reach_m: f64, step_m: f64, count: usize) -> std::ops::Range<usize> {
    let bound = |m: f64| (m / step_m - 0.5).ceil().clamp(0.0, count as f64) as usize;
    bound(place_m - reach_m)..bound(place_m + reach_m)
}

/// Doubles the resolution of a plane: each fine cell is a blend of the four coarse centres around.
#[must_use]
pub fn refine(coarse: &CellLattice, plane: &[f64]) -> Vec<f64> {
    let fine = coarse.halved();
    let pair = |i: usize, count: usize| {
        let near = i / 2;
        let far =
            if i.is_multiple_of(2) { near.saturating_sub(1) } else { (near + 1).min(count - 1) };
        (near, far)
    };
    (0..fine.count())
        .map(|cell| {
            let (c0, c1) = pair(cell % fine.width, coarse.width);
            let (r0, r1) = pair(cell / fine.width, coarse.height);
            let at = |row: usize, column: usize| plane[row * coarse.width + column];
            let upper = 0.75 * at(r0, c0) + 0.25 * at(r0, c1);
            let lower = 0.75 * at(r1, c0) + 0.25 * at(r1, c1);
            0.75 * upper + 0.25 * lower
        })
        .collect()
}

/// Replaces every value by a weighted mean of itself and its four neighbours, `rounds` times.
#[must_use]
pub fn smooth(lattice: &CellLattice, mut plane: Vec<f64>, weight: f64, rounds: usize) -> Vec<f64> {
    let (width, height) = (lattice.width, lattice.height);
    for _ in 0..rounds {
        let old = plane.clone();
        for row in 0..height {
            let line = |row: usize| &old[row * width..(row + 1) * width];
            let (here, north, south) =
                (line(row), line(row.saturating_sub(1)), line((row + 1).min(height - 1)));
            for column in 0..width {
                let (west, east) = (column.saturating_sub(1), (column + 1).min(width - 1));
                let sum = (here[west] + here[east]) + (south[column] + north[column]);
                plane[row * width + column] = here[column] + weight * (sum - 4.0 * here[column]);
            }
        }
    }
    plane
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: CellLattice =
        CellLattice { width: 5, height: 3, step_m: 10.0, west_m: -10.0, north_m: 0.0 };

    #[test]
    fn centres_and_cells_agree() {
        for cell in 0..SMALL.count() {
            let (x, y) = SMALL.centre(cell);
            assert_eq!(SMALL.cell_at(x, y), Some(cell));
        }
        assert_eq!(SMALL.cell_at(-11.0, 5.0), None);
        assert_eq!(SMALL.cell_at(5.0, 30.0), None);
    }

    #[test]
    fn cells_near_a_place_are_clipped_to_the_lattice() {
        let near: Vec<usize> = SMALL.cells_near(-5.0, 5.0, 11.0).collect();
        assert_eq!(near, [0, 1, 5, 6]);
    }

    #[test]
    fn refining_keeps_the_mean_of_a_plane() {
        let plane: Vec<f64> = (0..15).map(|i| f64::from(i * i % 7)).collect();
        let fine = refine(&SMALL, &plane);
        let mean = |p: &[f64]| p.iter().sum::<f64>() / p.len() as f64;
        assert!((mean(&fine) - mean(&plane)).abs() < 1.0e-12);
    }
}
