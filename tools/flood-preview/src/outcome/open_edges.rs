//! Cells beside edges that water crosses: the last ones before an open edge are often the worst of
//! the numerics.
//!
//! Limits: a side that is open in a part only is marked over its whole length.

use scenario::place::MapSide;

use super::FloodOutcome;

/// Simulated cells beside an open edge that do not count for the headline speed.
const EDGE_CELLS: usize = 2;

impl FloodOutcome {
    /// Returns true for the cells beside an edge that water crosses.
    pub(super) fn beside_open_edges(&self) -> Vec<bool> {
        let width = self.grid.width;
        let is_open = |side| self.open_sides.contains(&side);
        let is_open_nodata = is_open(MapSide::NoData);
        let mut beside: Vec<bool> =
            self.bed_m.iter().map(|bed| is_open_nodata && bed.is_nan()).collect();
        for &cell in &self.holes {
            beside[cell] = is_open(MapSide::Holes);
        }
        let band = EDGE_CELLS * self.simulated_cell();
        for row in beside.chunks_mut(width.max(1)) {
            widen_row(row, band, [is_open(MapSide::West), is_open(MapSide::East)]);
        }
        widen_columns(&mut beside, width, band, [is_open(MapSide::North), is_open(MapSide::South)]);
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

/// Marks cells at most `band` cells after or before a marked one in a row, or after and before
/// its ends, where these are open.
fn widen_row(beside: &mut [bool], band: usize, open_ends: [bool; 2]) {
    let marked = beside.to_vec();
    let mut sweep = |line: &mut dyn Iterator<Item = usize>, is_open: bool| {
        let mut left = if is_open { band } else { 0 };
        for cell in line {
            beside[cell] |= counted_down(&mut left, marked[cell], band);
        }
    };
    sweep(&mut (0..marked.len()), open_ends[0]);
    sweep(&mut (0..marked.len()).rev(), open_ends[1]);
}

/// Widens columns as [`widen_row`] does rows: all of them at once, in the order of the plane in
/// memory.
fn widen_columns(beside: &mut [bool], width: usize, band: usize, open_ends: [bool; 2]) {
    let marked = beside.to_vec();
    let mut sweep = |rows: &mut dyn Iterator<Item = usize>, is_open: bool| {
        let mut left = vec![if is_open { band } else { 0 }; width];
        for row in rows {
            for (column, left) in left.iter_mut().enumerate() {
                let cell = row * width + column;
                beside[cell] |= counted_down(left, marked[cell], band);
            }
        }
    };
    let height = marked.len() / width.max(1);
    sweep(&mut (0..height), open_ends[0]);
    sweep(&mut (0..height).rev(), open_ends[1]);
}

/// True if a cell of a sweep is to be marked: `left` counts cells down from the last marked one.
fn counted_down(left: &mut usize, is_marked: bool, band: usize) -> bool {
    let is_near = !is_marked && *left > 0;
    *left = if is_marked { band } else { left.saturating_sub(1) };
    is_near
}
