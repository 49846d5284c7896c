//! Doubts about NoData that the rows of a raster raise while they are read.
//!
//! A NoData value like 0 may be a height, too: the sea of a coast then has no cells. The value is
//! in doubt if it is among the heights, or if heights beside its cells are nearly the same.

/// Farther from 0 no NoData value can be taken for a height, m.
const HEIGHT_MAX_M: f64 = 9000.0;

/// A height beside a cell without one is the same up to this difference, m.
const SAME_M: f64 = 1.0;

/// Number of such heights that is no accident.
const BESIDE_MIN: usize = 3;

/// Doubts about the NoData of a raster.
#[derive(Debug, Default)]
pub(crate) struct Doubts {
    /// Height that the declared value would be, m, if it can be one.
    declared_m: Option<f64>,
    low_m: f64,
    high_m: f64,
    /// Cells with the declared value, and heights beside them that are nearly the same.
    declared: usize,
    beside: usize,
    /// Cells that are infinite though NoData is not declared so.
    infinite: usize,
    /// The row before.
    above: Vec<CellContent>,
}

/// A cell of a row.
#[derive(Debug, Clone, Copy, PartialEq)]
enum CellContent {
    Declared,
    Height(f64),
    Nothing,
}

impl Doubts {
    /// Starts without doubts about a declared value that would be so high, m.
    pub(crate) fn of(declared_m: Option<f64>) -> Self {
        let declared_m = declared_m.filter(|height| height.abs() <= HEIGHT_MAX_M);
        Self { declared_m, low_m: f64::INFINITY, high_m: f64::NEG_INFINITY, ..Self::default() }
    }

    /// Returns true if the rows have to be examined.
    pub(crate) fn is_curious(&self) -> bool {
        self.declared_m.is_some()
    }

    /// Counts a cell that is infinite.
    pub(crate) fn count_infinite(&mut self) {
        self.infinite += 1;
    }

    /// Examines a row: `is_declared` marks the cells with the declared value, and NaN the cells
    /// without a height.
    pub(crate) fn look(&mut self, is_declared: &[bool], heights: &[f64]) {
        let Some(declared_m) = self.declared_m else { return };
        let cells = is_declared.iter().zip(heights).map(|(is_declared, height)| match height {
            _ if *is_declared => CellContent::Declared,
            height if height.is_nan() => CellContent::Nothing,
            height => CellContent::Height(*height),
        });
        let cells: Vec<CellContent> = cells.collect();
        for (column, cell) in cells.iter().enumerate() {
            let neighbours =
                [column.checked_sub(1).and_then(|west| cells.get(west)), self.above.get(column)];
            for neighbour in neighbours.into_iter().flatten() {
                let height = match (*cell, *neighbour) {
                    (CellContent::Declared, CellContent::Height(height))
                    | (CellContent::Height(height), CellContent::Declared) => height,
                    _ => continue,
                };
                self.beside += usize::from((height - declared_m).abs() <= SAME_M);
            }
            match cell {
                CellContent::Declared => self.declared += 1,
                CellContent::Height(height) => {
                    (self.low_m, self.high_m) = (self.low_m.min(*height), self.high_m.max(*height));
                }
                CellContent::Nothing => {}
            }
        }
        self.above = cells;
    }

    /// Discards the row before: rows were passed over.
    pub(crate) fn jump(&mut self) {
        self.above.clear();
    }

    /// Returns a sentence for each doubt.
    pub(crate) fn sentences(&self) -> Vec<String> {
        let mut sentences = Vec::new();
        if self.infinite > 0 {
            let count = self.infinite;
            sentences.push(format!("{count} cells are infinite: they are taken as NoData"));
        }
        let declared_m = self.declared_m.filter(|_| self.declared > 0);
        if let Some(value) = declared_m {
            let is_among = self.low_m < value && value < self.high_m;
            if is_among || self.beside >= BESIDE_MIN {
                sentences.push(format!(
                    "{} cells are NoData because they are {} m, which can be a height: the \
                     others lie from {:.2} to {:.2} m, and {} sides of those cells meet heights \
                     within {SAME_M} m of it. If they are ground or sea, say --nodata none",
                    self.declared,
                    rounded(value),
                    self.low_m,
                    self.high_m,
                    self.beside
                ));
            }
        }
        sentences
    }
}

/// Rounds a height to the centimetre: a conversion from feet leaves many more digits.
fn rounded(height_m: f64) -> f64 {
    (100.0 * height_m).round() / 100.0 + 0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    const N: f64 = f64::NAN;

    #[test]
    fn a_value_that_can_be_a_height_is_doubted() {
        for (what, declared_m, rows, is_doubted) in [
            ("sea", 0.0, [[0.0, 0.2, 3.0], [0.0, 0.4, 4.0], [0.0, 0.9, 5.0]], true),
            (
                "a frame far below",
                0.0,
                [[0.0, 90.0, 93.0], [0.0, 94.0, 94.0], [0.0, 95.0, 95.0]],
                false,
            ),
            ("among heights", 0.0, [[0.0, -9.0, 7.0], [9.0, 9.0, 9.0], [9.0, 9.0, 9.0]], true),
            (
                "one cell of low ground",
                0.0,
                [[0.0, 0.9, 7.0], [9.0, 9.0, 9.0], [9.0, N, 9.0]],
                false,
            ),
            ("no cell has it", 0.0, [[1.0, 0.9, 7.0], [-9.0, 9.0, 9.0], [9.0, N, 9.0]], false),
            ("no height", -9999.0, [[-9999.0, 1.0, 2.0], [1.0, 1.0, 1.0], [1.0, 1.0, 1.0]], false),
        ] {
            let mut doubts = Doubts::of(Some(declared_m));
            for row in rows {
                let is_declared = row.map(|height| (height - declared_m).abs() < 1.0e-9);
                doubts.look(&is_declared, &row);
            }
            assert_eq!(!doubts.sentences().is_empty(), is_doubted, "{what}");
        }
    }

    /// Goal: the doubted height is shown to the centimetre.
    #[test]
    fn doubted_heights_are_rounded() {
        for (declared_m, words) in
            [(13.411_200_000_000_001, "are 13.41 m"), (0.0, "are 0 m"), (-0.001, "are 0 m")]
        {
            let mut doubts = Doubts::of(Some(declared_m));
            doubts.look(&[false, true, false], &[-20.0, N, 20.0]);
            let sentences = doubts.sentences().join(" ");
            assert!(sentences.contains(words), "{sentences}");
        }
    }
}
