//! Importing a heightmap row by row.

use crate::terrain::{BedLevel, Terrain};
use crate::units::elevation::{EXPONENTS, ScaleError};
use crate::units::{OUTSIDE, VerticalScale};
use std::fmt;

/// Columns or rows of a map at most.
pub const SIDE_MAX: usize = 1 << 20;

/// Cells of a map at most: 64 GiB of beds.
pub const CELLS_MAX: u64 = 1 << 34;

/// Options of a terrain from heights.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TerrainOptions {
    /// Columns of the heightmap.
    pub width: usize,
    /// Rows of the heightmap.
    pub height: usize,
    /// Width of its square cells, m.
    pub cell_width_m: f64,
    /// Vertical unit and datum.
    pub scale: VerticalScale,
    /// Beds are multiples of 2^−`bed_exponent` m, 0 to 24; of the vertical unit if that is coarser.
    pub bed_exponent: u8,
}

impl TerrainOptions {
    /// Step of imported beds, 2⁻¹⁰ m: no survey is finer, and such beds compress.
    pub const BED_EXPONENT: u8 = 10;

    /// Refuses an invalid map. Builders, writers and readers of files call this one function, so
    /// that every map that can be built can be saved, and every saved map can be opened.
    ///
    /// # Errors
    ///
    /// [`HeightmapError::Size`] for a map of fewer than 2 × 2 cells or absurdly many,
    /// [`HeightmapError::CellWidth`] for cells of no width, [`HeightmapError::BedExponent`] for
    /// beds finer than any vertical unit.
    pub fn check(&self) -> Result<(), HeightmapError> {
        let Self { width, height, cell_width_m, bed_exponent, .. } = *self;
        let sides = 2..=SIDE_MAX;
        let is_size = sides.contains(&width) && sides.contains(&height);
        if !is_size || width as u64 * height as u64 > CELLS_MAX {
            return Err(HeightmapError::Size { width, height });
        }
        if !(cell_width_m.is_finite() && (1.0e-4..=1.0e6).contains(&cell_width_m)) {
            return Err(HeightmapError::CellWidth(cell_width_m));
        }
        if bed_exponent > *EXPONENTS.end() {
            return Err(HeightmapError::BedExponent(bed_exponent));
        }
        Ok(())
    }

    /// Fills `beds` with a row of heights in metres, [`OUTSIDE`] for NaN; `row` counts from the
    /// north, and `beds` is as long as the map is wide.
    ///
    /// # Errors
    ///
    /// [`HeightmapError::RowLength`], and [`HeightmapError::Height`] names the place.
    pub fn beds(
        &self,
        row: usize,
        heights_m: &[f64],
        beds: &mut [i32],
    ) -> Result<(), HeightmapError> {
        let (found, expected) = (heights_m.len(), self.width);
        if found != expected {
            return Err(HeightmapError::RowLength { row, found, expected });
        }
        for (column, (bed, &metres)) in beds.iter_mut().zip(heights_m).enumerate() {
            *bed = match metres.is_nan() {
                true => OUTSIDE,
                false => self
                    .scale
                    .elevation(metres, self.bed_exponent)
                    .map_err(|reason| HeightmapError::Height { row, column, reason })?,
            };
        }
        Ok(())
    }
}

/// Why a heightmap is refused.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum HeightmapError {
    /// The map has no cells, or too many.
    Size {
        /// Columns.
        width: usize,
        /// Rows.
        height: usize,
    },
    /// The cell width is not a positive number.
    CellWidth(f64),
    /// Beds are to be finer than any vertical unit.
    BedExponent(u8),
    /// A row has a different length from the map's.
    RowLength {
        /// Row, from the north.
        row: usize,
        /// Values in it.
        found: usize,
        /// Values it should have.
        expected: usize,
    },
    /// The heights are more or fewer than the cells of the map.
    Count {
        /// Heights that were given.
        found: usize,
        /// Columns.
        width: usize,
        /// Rows.
        height: usize,
    },
    /// The rows are more or fewer than those of the map.
    RowCount {
        /// Rows received.
        found: usize,
        /// Rows expected.
        expected: usize,
    },
    /// A height is infinite or outside the vertical scale.
    Height {
        /// Row, from the north.
        row: usize,
        /// Column, from the west.
        column: usize,
        /// Reason.
        reason: ScaleError,
    },
    /// No cell has a height.
    AllNoData,
}

impl fmt::Display for HeightmapError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Size { width, height } => write!(
                f,
                "a map of {width} x {height} cells cannot be simulated: give 2 to {SIDE_MAX} \
                 columns and rows, as many as fit the memory"
            ),
            Self::CellWidth(width) => {
                write!(
                    f,
                    "a cell width of {width} m makes no map: give a positive number of metres"
                )
            }
            Self::BedExponent(exponent) => write!(
                f,
                "beds in steps of 2^-{exponent} m are not offered: choose an exponent of 0 to {}",
                EXPONENTS.end()
            ),
            Self::RowLength { row, found, expected } => {
                write!(f, "row {row} has {found} heights where the map has {expected} columns")
            }
            Self::Count { found, width, height } => write!(
                f,
                "{found} heights do not fill a map of {width} x {height} cells: give one for each \
                 cell, row by row"
            ),
            Self::RowCount { found, expected } => {
                write!(f, "{found} rows came where the map has {expected}")
            }
            Self::Height { row, column, reason } => {
                write!(f, "height at column {column}, row {row} from the north-west: {reason}")
            }
            Self::AllNoData => write!(
                f,
                "no cell of the map has a height: check which value of the map means NoData"
            ),
        }
    }
}

impl std::error::Error for HeightmapError {}

/// A builder of a terrain from the rows of a heightmap, north row first.
///
/// # Examples
///
/// ```
/// use thalweg::terrain::{TerrainBuilder, TerrainOptions};
/// use thalweg::units::VerticalScale;
/// let scale = VerticalScale::choose(0.0, 3.0, 200.0).unwrap();
/// let options =
///     TerrainOptions { width: 3, height: 2, cell_width_m: 1.0, scale, bed_exponent: 10 };
/// let mut builder = TerrainBuilder::try_new(options).unwrap();
/// builder.push_row(&[3.0, f64::NAN, 3.0]).unwrap();
/// builder.push_row(&[1.0, 0.0, 1.0]).unwrap();
/// let terrain = builder.finish().unwrap();
/// assert_eq!(terrain.inside_count(), 5);
/// ```
#[derive(Debug)]
pub struct TerrainBuilder {
    options: TerrainOptions,
    bed: Vec<i32>,
    rows: usize,
    inside: usize,
}

impl TerrainBuilder {
    /// Starts a terrain.
    ///
    /// # Errors
    ///
    /// The errors of [`TerrainOptions::check`], and [`HeightmapError::Size`] if the memory is too
    /// small.
    pub fn try_new(options: TerrainOptions) -> Result<Self, HeightmapError> {
        options.check()?;
        let TerrainOptions { width, height, .. } = options;
        let mut bed = Vec::new();
        let count = width * height;
        // An error, because `vec!` would abort the process if memory is too small.
        if bed.try_reserve_exact(count).is_err() {
            return Err(HeightmapError::Size { width, height });
        }
        bed.resize(count, OUTSIDE);
        Ok(Self { options, bed, rows: 0, inside: 0 })
    }

    /// Adds the next row, from the north: heights in metres, NaN for cells without ground.
    ///
    /// # Errors
    ///
    /// [`HeightmapError`] names the place; the builder is then no longer usable.
    pub fn push_row(&mut self, heights_m: &[f64]) -> Result<(), HeightmapError> {
        let TerrainOptions { width, height, .. } = self.options;
        let row = self.rows;
        if row == height {
            return Err(HeightmapError::RowCount { found: row + 1, expected: height });
        }
        let from_south = height - 1 - row;
        let beds = &mut self.bed[from_south * width..(from_south + 1) * width];
        self.options.beds(row, heights_m, beds)?;
        self.inside += beds.iter().filter(|&&bed| bed != OUTSIDE).count();
        self.rows += 1;
        Ok(())
    }

    /// Returns the terrain with its pyramid.
    ///
    /// # Errors
    ///
    /// [`HeightmapError::RowCount`] if rows are missing, [`HeightmapError::AllNoData`] if no cell
    /// has ground.
    pub fn finish(self) -> Result<Terrain, HeightmapError> {
        let TerrainOptions { width, height, cell_width_m, scale, bed_exponent } = self.options;
        if self.rows != height {
            return Err(HeightmapError::RowCount { found: self.rows, expected: height });
        }
        if self.inside == 0 {
            return Err(HeightmapError::AllNoData);
        }
        let finest = BedLevel::new(0, width, height, self.bed);
        Ok(Terrain::new(scale, cell_width_m, bed_exponent, finest))
    }
}

impl Terrain {
    /// Returns a terrain of `[width, height]` cells whose heights in metres are those of a
    /// function: column from the west, row from the south, as the engine counts; NaN for cells
    /// without ground. Water may rise to 100 m above its highest place.
    ///
    /// # Errors
    ///
    /// The errors of [`TerrainBuilder`]; [`HeightmapError::Height`] names the highest place if the
    /// range of heights is too large.
    ///
    /// # Examples
    ///
    /// ```
    /// use thalweg::terrain::Terrain;
    /// // A valley that falls to the south.
    /// let valley = |x: usize, y: usize| 0.2 * y as f64 + (x as f64 - 8.0).abs();
    /// let terrain = Terrain::from_heights([16, 12], 10.0, valley)?;
    /// assert_eq!(terrain.inside_count(), 192);
    /// # Ok::<(), thalweg::terrain::HeightmapError>(())
    /// ```
    pub fn from_heights(
        [width, height]: [usize; 2],
        cell_width_m: f64,
        height_m: impl Fn(usize, usize) -> f64,
    ) -> Result<Self, HeightmapError> {
        Self::from_heights_over(f64::INFINITY, ([width, height], cell_width_m), height_m)
    }

    /// Returns a terrain as [`Terrain::from_heights`] does, with a vertical scale that reaches down
    /// to a lowest place, m, below the ground.
    pub fn from_heights_over(
        lowest_m: f64,
        ([width, height], cell_width_m): ([usize; 2], f64),
        height_m: impl Fn(usize, usize) -> f64,
    ) -> Result<Self, HeightmapError> {
        let bed_exponent = TerrainOptions::BED_EXPONENT;
        // Any scale: the size is checked before a height is asked for, and the final scale follows
        // from the heights.
        let scale = VerticalScale::choose(0.0, 1.0, 0.0).expect("a metre");
        let options = TerrainOptions { width, height, cell_width_m, scale, bed_exponent };
        options.check()?;
        let row = |y: usize| (0..width).map(|x| height_m(x, y)).collect::<Vec<f64>>();
        let rows: Vec<Vec<f64>> = (0..height).rev().map(row).collect();
        let (mut low_m, mut high_m, mut highest) = (f64::INFINITY, f64::NEG_INFINITY, (0, 0));
        for (row, heights_m) in rows.iter().enumerate() {
            for (column, &metres) in heights_m.iter().enumerate().filter(|(_, m)| !m.is_nan()) {
                low_m = low_m.min(metres);
                if metres > high_m {
                    (high_m, highest) = (metres, (row, column));
                }
            }
        }
        if low_m > high_m {
            return Err(HeightmapError::AllNoData);
        }
        let (row, column) = highest;
        let scale = VerticalScale::choose(low_m.min(lowest_m), high_m, HEADROOM_M)
            .map_err(|reason| HeightmapError::Height { row, column, reason })?;
        let mut builder = TerrainBuilder::try_new(TerrainOptions { scale, ..options })?;
        rows.iter().try_for_each(|row| builder.push_row(row))?;
        builder.finish()
    }

    /// Makes a terrain of heights in metres, as `f32`, `u16` or another number: row by row from
    /// south to north, each from west to east. NaN is outside the map. The vertical unit is chosen
    /// as by [`Terrain::from_heights`].
    ///
    /// # Errors
    ///
    /// [`HeightmapError::Count`] if the number of heights is not that of the cells; else the errors
    /// of [`Terrain::from_heights`].
    ///
    /// # Examples
    ///
    /// ```
    /// use thalweg::terrain::Terrain;
    /// let terrain = Terrain::from_slice([3, 2], 10.0, &[2_u16, 1, 2, 3, 2, 3])?;
    /// assert_eq!(terrain.inside_count(), 6);
    /// # Ok::<(), thalweg::terrain::HeightmapError>(())
    /// ```
    pub fn from_slice<H: Copy + Into<f64>>(
        size: [usize; 2],
        cell_width_m: f64,
        heights_m: &[H],
    ) -> Result<Self, HeightmapError> {
        let ([width, height], found) = (size, heights_m.len());
        if width.checked_mul(height) != Some(found) {
            return Err(HeightmapError::Count { found, width, height });
        }
        Self::from_heights(size, cell_width_m, |x, y| heights_m[y * width + x].into())
    }
}

/// Room for water above the highest place of [`Terrain::from_heights`], m.
const HEADROOM_M: f64 = 100.0;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heights_of_a_slice_lie_where_they_stand() {
        let terrain = Terrain::from_slice([3, 2], 10.0, &[0_u16, 1, 2, 10, 11, 12]).expect("good");
        let finest = terrain.level(0).expect("level 0");
        let bed = |x, y| terrain.scale().metres(finest.bed(x, y)).to_string();
        assert_eq!((bed(0, 0), bed(2, 0), bed(2, 1)), ("0".into(), "2".into(), "12".into()));
        let floats = Terrain::from_slice([3, 2], 10.0, &[0.0_f32, 1.0, 2.0, 10.0, 11.0, 12.0]);
        assert_eq!(floats.expect("good").level(0).expect("level 0").bed(1, 1), finest.bed(1, 1));
        for (size, heights) in [([3, 2], 5), ([3, 2], 7), ([usize::MAX, 2], 6), ([0, 0], 0)] {
            let error = Terrain::from_slice(size, 10.0, &vec![1.0; heights]).expect_err("bad");
            let expected = if heights == 0 { "cannot be simulated" } else { "one for each cell" };
            assert!(error.to_string().contains(expected), "{error}");
        }
    }

    #[test]
    fn heights_from_a_function_lie_where_they_were_asked() {
        let height =
            |x: usize, y: usize| if (x, y) == (2, 0) { f64::NAN } else { (x + 10 * y) as f64 };
        let terrain = Terrain::from_heights([3, 2], 10.0, height).expect("good");
        let finest = terrain.level(0).expect("level 0");
        let bed = |x, y| terrain.scale().metres(finest.bed(x, y)).to_string();
        assert_eq!((bed(0, 0), bed(1, 0), bed(2, 1)), ("0".into(), "1".into(), "12".into()));
        assert_eq!(finest.bed(2, 0), OUTSIDE);
        for (height, expected) in [
            (f64::NAN, "no cell of the map has a height"),
            (1.0e9, "column 1, row 0"),
            (f64::INFINITY, "column 1, row 0"),
        ] {
            let only = |x, y| if (x, y) == (1, 1) || height.is_nan() { height } else { 0.0 };
            let error = Terrain::from_heights([2, 2], 1.0, only).expect_err("bad heights");
            assert!(error.to_string().contains(expected), "{height}: {error}");
        }
    }

    fn options(width: usize, height: usize) -> TerrainOptions {
        let scale = VerticalScale::choose(0.0, 100.0, 200.0).expect("in range");
        TerrainOptions { width, height, cell_width_m: 10.0, scale, bed_exponent: 10 }
    }

    #[track_caller]
    fn check(width: usize, height: usize, rows: &[&[f64]], expected: &str) {
        let error = TerrainBuilder::try_new(options(width, height))
            .and_then(|mut builder| {
                rows.iter().try_for_each(|row| builder.push_row(row))?;
                builder.finish()
            })
            .expect_err("bad input");
        assert!(error.to_string().contains(expected), "{error}");
    }

    #[test]
    fn bad_maps_are_refused_with_their_place() {
        check(0, 0, &[], "0 x 0");
        check(1, 1, &[], "1 x 1");
        check(2, 2, &[&[1.0, 2.0]], "1 rows came where the map has 2");
        check(2, 2, &[&[1.0]], "row 0 has 1 heights");
        check(2, 2, &[[f64::NAN; 2].as_slice(); 2], "no cell of the map has a height");
        check(2, 2, &[&[1.0, 2.0], &[3.0, f64::INFINITY]], "column 1, row 1");
        check(2, 2, &[&[1.0, 9.0e4]], "column 1, row 0");
        check(2, 2, &[[1.0, 2.0].as_slice(); 3], "3 rows came");
    }

    #[test]
    fn the_first_row_is_the_northernmost() {
        let mut builder = TerrainBuilder::try_new(options(2, 2)).expect("good");
        builder.push_row(&[10.0, 20.0]).expect("good");
        builder.push_row(&[30.0, f64::NAN]).expect("good");
        let terrain = builder.finish().expect("good");
        let finest = terrain.level(0).expect("level 0");
        let bed = |x, y| terrain.scale().metres(finest.bed(x, y)).to_string();
        assert_eq!((bed(0, 0), bed(1, 1)), ("30".to_owned(), "20".to_owned()));
        assert_eq!(finest.bed(1, 0), OUTSIDE);
    }
}
