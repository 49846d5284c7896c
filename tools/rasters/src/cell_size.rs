//! The size of a cell on the ground, to be compared and shown.

use std::fmt;

/// Size of a cell in metres, west to east and north to south; shown to 0.1 mm.
#[derive(Debug, Clone, Copy)]
pub struct CellSize(pub (f64, f64));

impl PartialEq for CellSize {
    /// Compares to 0.1 %.
    fn eq(&self, other: &Self) -> bool {
        let off = |a: f64, b: f64| (a - b).abs() > 1.0e-3 * b;
        !(off(self.0.0, other.0.0) || off(self.0.1, other.0.1))
    }
}

impl fmt::Display for CellSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (x, y) = self.0;
        let short = |metres: f64| {
            let places = usize::from(metres < 1000.0) * 4 + usize::from(metres < 0.1) * 4;
            let text = format!("{metres:.places$}");
            match text.contains('.') {
                true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
                false => text,
            }
        };
        match short(x) == short(y) {
            true => write!(f, "{} m", short(x)),
            false => write!(f, "{} x {} m", short(x), short(y)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_of_cells_in_words() {
        for (cell, words) in [
            ((3.048, 3.048), "3.048 m"),
            ((0.005, 0.005), "0.005 m"),
            ((30.0, 20.5), "30 x 20.5 m"),
            ((2000.0, 2000.0), "2000 m"),
        ] {
            assert_eq!(CellSize(cell).to_string(), words);
        }
    }
}
