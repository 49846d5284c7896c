//! The cells of the map that have a height, found by reading it once.
//!
//! A map often has a frame of NoData: the frame is cut off, but for one cell all round, so that the
//! border of the data stays a border of NoData. Places that the scenario names stay on the map.
//!
//! Guarantees: memory is an eighth of a byte for each cell between the first and the last height
//!             of a row.

use std::path::Path;

use kit::error::UserError;
use kit::interrupt;
use kit::memory;
use kit::reading::ReadingWatch;
use rasters::{Cutout, Grid, RowSource};

use crate::heights::{HeightTally, MapHeights};

/// Bits in a word.
const BITS: usize = u64::BITS as usize;

/// The cells of a map that have a height.
#[derive(Debug, Clone, PartialEq)]
pub struct HeightCells {
    /// Lowest height, m.
    pub low_m: f64,
    /// Highest height, m.
    pub high_m: f64,
    /// Number of cells with a height.
    pub valid: usize,
    /// Notes on unlikely heights: one sentence each.
    pub notes: Vec<String>,
    width: usize,
    rows: Vec<RowBits>,
}

/// Cells of a row, a bit each, from the first word with a height to the last.
#[derive(Debug, Clone, Default, PartialEq)]
struct RowBits {
    first: usize,
    words: Vec<u64>,
}

impl RowBits {
    fn of(heights: &[f64]) -> Self {
        let mut words: Vec<u64> = heights
            .chunks(BITS)
            .map(|chunk| {
                let bit = |(index, height): (usize, &f64)| u64::from(!height.is_nan()) << index;
                chunk.iter().enumerate().map(bit).sum()
            })
            .collect();
        let first = words.iter().position(|word| *word != 0).unwrap_or(words.len());
        let end = words.iter().rposition(|word| *word != 0).map_or(first, |last| last + 1);
        words.truncate(end);
        Self { first, words: words.split_off(first.min(end)) }
    }

    fn word(&self, index: usize) -> u64 {
        let index = index.checked_sub(self.first);
        index.and_then(|index| self.words.get(index)).copied().unwrap_or(0)
    }

    /// Returns the column of the first height and the one behind the last height.
    fn span(&self) -> Option<(usize, usize)> {
        let (first, last) = (self.words.first()?, self.words.last()?);
        let start = self.first * BITS + first.trailing_zeros() as usize;
        let end = (self.first + self.words.len()) * BITS - last.leading_zeros() as usize;
        Some((start, end))
    }

    /// True if a cell of columns `start` to `end` has a height.
    fn any(&self, start: usize, end: usize) -> bool {
        (start / BITS..end.div_ceil(BITS)).any(|index| {
            let from = start.saturating_sub(index * BITS);
            let to = (end - index * BITS).min(BITS);
            let mask = (u64::MAX << from) & (u64::MAX >> (BITS - to));
            self.word(index) & mask != 0
        })
    }
}

impl HeightCells {
    /// Reads `source`, of the file at a path with a grid, to its end.
    ///
    /// # Errors
    ///
    /// If memory is insufficient; if the source cannot be read, contains a height that is not
    /// finite, a height that means NoData, or no height; if the user stops.
    pub(super) fn read(
        source: &mut dyn RowSource,
        file: (&Path, &Grid),
        watch: ReadingWatch<'_>,
    ) -> Result<Self, UserError> {
        let grid = source.grid().clone();
        let Grid { width, height, .. } = grid;
        memory::check_bytes(bytes_max((width, height)), memory::available(), memory::FEWER)?;
        let mut heights = vec![f64::NAN; width];
        let (mut found, mut rows) = (HeightTally::new(file, grid), Vec::with_capacity(height));
        found = found.scaled(source.scale());
        for row in 0..height {
            interrupt::check()?;
            source.next_row(&mut heights)?;
            found.count(row, &heights)?;
            rows.push(RowBits::of(&heights));
            watch.rows("looking at the map", row + 1, height);
        }
        let MapHeights { low_m, high_m, valid, notes } = found.finish()?;
        Ok(Self { low_m, high_m, valid, notes, width, rows })
    }

    /// True if the cell of a column and a row has a height.
    #[must_use]
    pub fn is_valid(&self, column: usize, row: usize) -> bool {
        column < self.width && self.rows.get(row).is_some_and(|row| row.any(column, column + 1))
    }

    /// Returns the rectangle around all heights and the cells of `places`, with one cell around
    /// them.
    pub(super) fn rectangle(&self, places: impl Iterator<Item = (usize, usize)>) -> Cutout {
        let spans =
            self.rows.iter().enumerate().filter_map(|(row, cells)| {
                cells.span().map(|(start, end)| (start, end, row, row + 1))
            });
        let places = places.map(|(column, row)| (column, column + 1, row, row + 1));
        let whole = (usize::MAX, 0, usize::MAX, 0);
        let (west, east, north, south) = spans.chain(places).fold(whole, |all, one| {
            (all.0.min(one.0), all.1.max(one.1), all.2.min(one.2), all.3.max(one.3))
        });
        let (west, north) = (west.saturating_sub(1), north.saturating_sub(1));
        let (east, south) = ((east + 1).min(self.width), (south + 1).min(self.rows.len()));
        Cutout { west, north, width: east - west, height: south - north }
    }

    /// Returns the chosen cells, counted from the corner of a rectangle that contains them all.
    pub(super) fn within(mut self, cutout: Cutout) -> Self {
        let shifted = |row: RowBits| {
            let mut words = vec![0_u64; cutout.width.div_ceil(BITS)];
            let (skip, shift) = (cutout.west / BITS, cutout.west % BITS);
            for (index, word) in words.iter_mut().enumerate() {
                *word = row.word(skip + index) >> shift;
                if shift > 0 {
                    *word |= row.word(skip + index + 1) << (BITS - shift);
                }
            }
            RowBits { first: 0, words }
        };
        let rows = self.rows.into_iter().skip(cutout.north).take(cutout.height);
        self.rows = rows.map(shifted).collect();
        self.width = cutout.width;
        self
    }

    /// Returns the number of cells that contain a height, of a grid of `columns` × `rows` cells.
    /// Its north-west corner is `beyond` cells of the map north of the map's, and its cells are
    /// `size` of the map's wide and high.
    #[must_use]
    pub fn cells(&self, (columns, rows): (usize, usize), size: (f64, f64), beyond: f64) -> usize {
        let lines = (0..rows).map(|row| {
            let (north, south) = part(row, (size.1, beyond), self.rows.len());
            let lines = &self.rows[north..south];
            let holds = |column: &usize| {
                let (west, east) = part(*column, (size.0, 0.0), self.width);
                lines.iter().any(|line| line.any(west, east))
            };
            let is_empty = lines.iter().all(|line| line.words.is_empty());
            if is_empty { 0 } else { (0..columns).filter(holds).count() }
        });
        lines.sum()
    }
}

/// Returns the most bytes that a cover of a width and a height takes.
#[expect(clippy::cast_precision_loss, reason = "an estimate")]
fn bytes_max((width, height): (usize, usize)) -> f64 {
    let row = size_of::<RowBits>() + width.div_ceil(BITS) * size_of::<u64>();
    height as f64 * row as f64
}

/// Returns the map's cells, from and to, that cell `index` of `size` touches, if the first begins
/// `beyond` cells of the map before it; never an empty range.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "bounded by 0 and count"
)]
fn part(index: usize, (size, beyond): (f64, f64), count: usize) -> (usize, usize) {
    let slack = 1.0e-6;
    let start =
        (index as f64 * size - beyond + slack).floor().clamp(0.0, (count - 1) as f64) as usize;
    let end = ((index + 1) as f64 * size - beyond - slack).ceil().min(count as f64) as usize;
    (start, end.max(start + 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use kit::reading::silent;
    use rasters::MemorySource;

    const NONE: f32 = f32::NAN;

    fn cover(width: usize, values: Vec<f32>) -> HeightCells {
        let grid = Grid::metric((width, values.len() / width), (0.0, 0.0), 1.0);
        let mut source = MemorySource::try_new(grid.clone(), values).expect("a raster");
        HeightCells::read(&mut source, (Path::new("a.tif"), &grid), &mut silent()).expect("sound")
    }

    /// Goal: a map whose cells alone do not fit is refused before it is read, and not aborted.
    #[test]
    fn bits_that_do_not_fit_are_refused() {
        let largest = bytes_max((1 << 18, 1 << 18));
        let refused = memory::check_bytes(largest, Some(4.0e9), memory::FEWER)
            .expect_err("too large")
            .to_string();
        assert!(refused.contains("8.6 GB") && refused.contains("--area"), "{refused}");
        let fits = memory::check_bytes(bytes_max((1 << 16, 1 << 16)), Some(4.0e9), memory::FEWER);
        assert_eq!(fits, Ok(()));
    }

    #[test]
    fn a_frame_is_found_and_one_cell_of_it_stays() {
        let width = 200;
        let mut values = vec![NONE; width * 9];
        for (column, row) in [(70, 4), (71, 4), (129, 5)] {
            values[row * width + column] = column as f32;
        }
        let cover = cover(width, values);
        assert_eq!((cover.low_m, cover.high_m, cover.valid), (70.0, 129.0, 3));
        let cutout = cover.rectangle([].into_iter());
        assert_eq!(cutout, Cutout { west: 69, north: 3, width: 62, height: 4 });
        let with_place = cover.rectangle([(10, 8)].into_iter());
        assert_eq!(with_place, Cutout { west: 9, north: 3, width: 122, height: 6 });
        let inner = cover.within(cutout);
        let valid = |column, row| inner.is_valid(column, row);
        assert!(valid(1, 1) && valid(2, 1) && valid(60, 2));
        assert!(!valid(0, 1) && !valid(3, 1) && !valid(60, 1) && !valid(62, 1) && !valid(1, 4));
    }

    #[test]
    fn cells_of_any_size_are_counted_where_they_hold_a_height() {
        let mut values = vec![NONE; 8 * 4];
        for (column, row) in [(0, 0), (1, 0), (5, 3), (7, 3)] {
            values[row * 8 + column] = 1.0;
        }
        let cover = cover(8, values);
        for (size, beyond, grid, expected) in [
            ((1.0, 1.0), 0.0, (8, 4), 4),
            ((2.0, 2.0), 0.0, (4, 2), 3),
            ((4.0, 4.0), 0.0, (2, 1), 2),
            ((8.0, 4.0), 0.0, (1, 1), 1),
            ((1.5, 1.5), 0.0, (6, 3), 5),
            ((0.5, 0.5), 0.0, (16, 8), 16),
            // A row of cells with one row of the map, and one of three.
            ((3.0, 3.0), 2.0, (3, 2), 3),
        ] {
            assert_eq!(cover.cells(grid, size, beyond), expected, "{size:?}");
        }
    }
}
