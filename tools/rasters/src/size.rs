//! Sizes of rasters, checked before memory is taken for them.

use std::path::Path;

use crate::error::RasterError;

/// Most columns or rows a raster may have: one row of `f64` is then 32 MiB.
const SIDE_MAX: usize = 1 << 22;
/// Most cells a raster may have.
const CELLS_MAX: usize = 1 << 36;

/// Returns columns and rows as lengths in memory; refuses sizes that no raster has, before anything
/// is allocated for them.
pub(crate) fn checked_size(
    path: &Path,
    width: u64,
    height: u64,
) -> Result<(usize, usize), RasterError> {
    if width == 0 || height == 0 {
        return Err(RasterError::damaged(
            path,
            format!("is {width} x {height} cells: a raster has at least one"),
        ));
    }
    let side = |length: u64| usize::try_from(length).ok().filter(|&length| length <= SIDE_MAX);
    if let (Some(columns), Some(rows)) = (side(width), side(height))
        && columns.checked_mul(rows).is_some_and(|cells| cells <= CELLS_MAX)
    {
        return Ok((columns, rows));
    }
    Err(RasterError::damaged(
        path,
        format!(
            "claims {width} x {height} cells; at most {SIDE_MAX} a side and {CELLS_MAX} together \
             are read: cut out the part you need, or fetch the file again if it is damaged"
        ),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_nobody_has() {
        for (width, height) in [(0, 5), (5, 0), (1 << 23, 1), (1, 1 << 40), (1 << 20, 1 << 20)] {
            assert!(checked_size(Path::new("a"), width, height).is_err(), "{width} x {height}");
        }
        assert!(checked_size(Path::new("a"), 20_000, 20_000).is_ok());
    }
}
