//! Cells beside edges that water crosses: the last ones before an open edge are often the worst of
//! the numerics.
//!
//! Limits: a side that is open in a part only is marked over its whole length.

use scenario::place::Side;

use super::Outcome;

/// Simulated cells beside an open edge that do not count for the headline speed.
const EDGE_CELLS: usize = 2;

impl Outcome {
    /// True for the cells beside an edge that water crosses.
    pub(super) fn beside_open_edges(&self) -> Vec<bool> {
        let (width, height) = (self.grid.width, self.grid.height);
        let is_open = |side| self.open_sides.contains(&side);
        let is_open_nodata = is_open(Side::NoData);
        let mut beside: Vec<bool> =
            self.bed_m.iter().map(|bed| is_open_nodata && bed.is_nan()).collect();
        for &cell in &self.holes {
            beside[cell] = is_open(Side::Holes);
        }
        let band = EDGE_CELLS * self.simulated_cell();
        for row in 0..height {
            let cells: Vec<usize> = (row * width..(row + 1) * width).collect();
            widen(&mut beside, &cells, band, [is_open(Side::West), is_open(Side::East)]);
        }
        for column in 0..width {
            let cells: Vec<usize> = (column..width * height).step_by(width).collect();
            widen(&mut beside, &cells, band, [is_open(Side::North), is_open(Side::South)]);
        }
        beside
    }

    /// Returns the width of a simulated cell in cells of the maps.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a ratio of widths of cells, a power of two"
    )]
    pub(super) fn simulated_cell(&self) -> usize {
        let ratio = match (&self.coarse, self.grid.cell_m) {
            (Some(coarse), Some((drawn_m, _))) => (coarse.cell_m / drawn_m).round() as usize,
            _ => 1,
        };
        ratio.max(1)
    }
}

/// Marks what lies at most `band` cells after or before a marked one in the line `cells`, or after
/// and before its ends, where these are open.
fn widen(beside: &mut [bool], cells: &[usize], band: usize, open_ends: [bool; 2]) {
    let marked: Vec<bool> = cells.iter().map(|&cell| beside[cell]).collect();
    let mut sweep = |line: &mut dyn Iterator<Item = usize>, is_open: bool| {
        let mut left = if is_open { band } else { 0 };
        for index in line {
            if marked[index] {
                left = band;
            } else if left > 0 {
                beside[cells[index]] = true;
                left -= 1;
            }
        }
    };
    sweep(&mut (0..cells.len()), open_ends[0]);
    sweep(&mut (0..cells.len()).rev(), open_ends[1]);
}
