//! Measured and published numbers: their tables and places, and the error of a run.

use crate::suite::BenchError;
use rasters::Grid;
use std::path::Path;
use thalweg_engine::grid::cells::CellPlace;

/// Returns columns of the lines of a text table that have numbers in all of them: words are apart
/// by blanks or commas.
///
/// # Errors
///
/// If the file cannot be read or has no such line.
pub fn columns<const N: usize>(
    path: &Path,
    wanted: [usize; N],
) -> Result<Vec<[f64; N]>, BenchError> {
    let text = std::fs::read_to_string(path)?;
    let row = |line: &str| {
        let is_gap = |c: char| c.is_whitespace() || c == ',';
        let words: Vec<&str> = line.split(is_gap).filter(|word| !word.is_empty()).collect();
        let mut numbers = [0.0; N];
        for (number, &column) in numbers.iter_mut().zip(&wanted) {
            *number = words.get(column)?.parse().ok()?;
        }
        Some(numbers)
    };
    let rows: Vec<_> = text.lines().filter_map(row).collect();
    if rows.is_empty() {
        return Err(format!("{} has no line of numbers", path.display()).into());
    }
    Ok(rows)
}

/// Returns the cell of the world that contains a point of its raster.
///
/// # Errors
///
/// If the point is off the raster.
pub fn cell_of(grid: &Grid, [x, y]: [f64; 2]) -> Result<CellPlace, BenchError> {
    let found = grid.cell_at(x, y);
    let (column, row) = found.ok_or_else(|| format!("({x}, {y}) lies off the map"))?;
    let south = grid.height - 1 - row;
    Ok(CellPlace { x: u32::try_from(column)?, y: u32::try_from(south)? })
}

/// Returns the mean of the sizes of `differences`.
#[must_use]
pub fn mean_absolute(differences: &[f64]) -> f64 {
    differences.iter().map(|difference| difference.abs()).sum::<f64>() / differences.len() as f64
}

/// Returns the root of the mean square of `differences`.
#[must_use]
pub fn root_mean_square(differences: &[f64]) -> f64 {
    let squares: f64 = differences.iter().map(|difference| difference * difference).sum();
    (squares / differences.len() as f64).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_of_blanks_and_commas_are_read_and_words_skipped() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("table");
        std::fs::write(&path, "time, stage (cm)\n0,1.5,2\n\n 1\t-3e-1 4\n2 x 3\n").expect("a file");
        let rows = columns(&path, [0, 1]).expect("two rows");
        assert_eq!(rows, [[0.0, 1.5], [1.0, -0.3]]);
        assert!(columns(&path, [7]).is_err());
    }

    #[test]
    fn differences_have_their_size() {
        assert!((mean_absolute(&[1.0, -3.0]) - 2.0).abs() < 1.0e-12);
        assert!((root_mean_square(&[1.0, -7.0]) - 5.0).abs() < 1.0e-12);
    }
}
