//! The figures at the head of a report, each with the place it belongs to.
//!
//! A largest value over a map is often the worst cell of the numerics: the last one before an open
//! edge, or the one that a source fills. So the headline speed is a percentile over the flooded
//! cells, and cells at open edges do not count.
//!
//! Limits: a side that is open in a part only is left out over its whole length.

use scenario::place::Side;

use super::Outcome;

/// Share of the flooded cells that flow slower than the headline speed, percent.
pub const SPEED_PERCENTILE: usize = 99;
/// Simulated cells beside an open edge that do not count for the headline speed.
const EDGE_CELLS: usize = 2;

/// A value and the cell of the maps that has it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spot {
    /// The value, in the unit of its map.
    pub value: f32,
    /// Column from the west and row from the north.
    pub cell: (usize, usize),
}

impl Outcome {
    /// The largest speed that is reached by one in a hundred flooded cells, off open edges, m/s;
    /// `None` where no such cell was flooded.
    #[must_use]
    pub fn fast_flow(&self) -> Option<Spot> {
        let at_edge = self.beside_open_edges();
        let counts = |cell: &usize| {
            let is_flooded = self.max_depth_m[*cell] >= self.wet_depth_m;
            is_flooded && !at_edge[*cell] && !self.max_speed_m_s[*cell].is_nan()
        };
        let mut cells: Vec<usize> = (0..at_edge.len()).filter(counts).collect();
        let rank = cells.len().checked_sub(1)? * SPEED_PERCENTILE / 100;
        let speed = |cell: &usize| self.max_speed_m_s[*cell];
        let by_speed = |a: &usize, b: &usize| speed(a).total_cmp(&speed(b)).then(a.cmp(b));
        let (_, cell, _) = cells.select_nth_unstable_by(rank, by_speed);
        Some(self.spot(&self.max_speed_m_s, *cell))
    }

    /// The deepest water over ground that was dry at the start, m.
    #[must_use]
    pub fn deepest_on_dry_ground(&self) -> Option<Spot> {
        self.deepest_of(|cell| self.arrival_s[cell] > 0.0)
    }

    /// The deepest water anywhere, m; `None` where there is no ground.
    #[must_use]
    pub fn deepest(&self) -> Option<Spot> {
        self.deepest_of(|_| true)
    }

    fn deepest_of(&self, counts: impl Fn(usize) -> bool) -> Option<Spot> {
        let depth = |cell: &usize| self.max_depth_m[*cell];
        let cells = (0..self.max_depth_m.len()).filter(|cell| !depth(cell).is_nan());
        let cells = cells.filter(|cell| counts(*cell));
        let deeper = |most: usize, next| if depth(&next) > depth(&most) { next } else { most };
        Some(self.spot(&self.max_depth_m, cells.reduce(deeper)?))
    }

    fn spot(&self, plane: &[f32], cell: usize) -> Spot {
        let width = self.grid.width;
        Spot { value: plane[cell], cell: (cell % width, cell / width) }
    }

    /// True for the cells beside an edge that water crosses.
    fn beside_open_edges(&self) -> Vec<bool> {
        let (width, height) = (self.grid.width, self.grid.height);
        let is_open = |side| self.open_sides.contains(&side);
        let mut beside: Vec<bool> = match is_open(Side::NoData) {
            true => self.bed_m.iter().map(|bed| bed.is_nan()).collect(),
            false => vec![false; width * height],
        };
        let band = self.edge_band();
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

    /// Cells of the maps over [`EDGE_CELLS`] simulated ones.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a ratio of widths of cells, a power of two"
    )]
    fn edge_band(&self) -> usize {
        let ratio = match (&self.coarse, self.grid.cell_m) {
            (Some(coarse), Some((drawn_m, _))) => (coarse.cell_m / drawn_m).round() as usize,
            _ => 1,
        };
        EDGE_CELLS * ratio.max(1)
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

#[cfg(test)]
mod tests {
    use rasters::Grid;

    use super::*;

    /// 40 × 30 cells of 1 m under water 1 m deep that flows at 1 m/s.
    fn outcome() -> Outcome {
        let grid = Grid::metric((40, 30), (0.0, 30.0), 1.0);
        let plane = |value: f32| vec![value; 40 * 30];
        Outcome {
            title: String::new(),
            command: String::new(),
            settings: Vec::new(),
            notes: Vec::new(),
            output_grid: grid.clone(),
            grid,
            open_sides: Vec::new(),
            coarse: None,
            wet_depth_m: 0.05,
            depth_classes_m: Vec::new(),
            inputs: serde_json::Value::Null,
            bed_m: plane(0.0),
            max_depth_m: plane(1.0),
            max_speed_m_s: plane(1.0),
            hazard_m2_s: plane(1.5),
            arrival_s: plane(60.0),
            duration_s: plane(60.0),
            final_depth_m: plane(1.0),
            below: None,
            frames: Vec::new(),
            gauges: Vec::new(),
            barriers: Vec::new(),
            links: Vec::new(),
            rocks: Vec::new(),
            ledger: super::super::Ledger::default(),
            simulated_s: 120.0,
            wall_s: 1.0,
            interrupted: false,
        }
    }

    #[test]
    fn one_wild_cell_is_no_headline() {
        let mut outcome = outcome();
        outcome.max_speed_m_s[15 * 40 + 20] = 30.0;
        assert_eq!(outcome.fast_flow().map(|spot| spot.value), Some(1.0));
        // A stream of more than one in a hundred cells is.
        outcome.max_speed_m_s[10 * 40 + 5..10 * 40 + 25].fill(3.0);
        let found = outcome.fast_flow().expect("water");
        assert!((found.value - 3.0).abs() < 1.0e-6 && found.cell.1 == 10, "{found:?}");
    }

    #[test]
    fn open_edges_do_not_count_and_walls_do() {
        for (side, is_beside) in [
            (Side::West, (|column, _| column < 2) as fn(usize, usize) -> bool),
            (Side::East, |column, _| column >= 38),
            (Side::North, |_, row| row < 2),
            (Side::South, |_, row| row >= 28),
            (Side::NoData, |column, row| (8..=13).contains(&column) && (8..=12).contains(&row)),
        ] {
            let mut outcome = outcome();
            for index in 0..40 * 30 {
                let (column, row) = (index % 40, index / 40);
                if (10..=11).contains(&column) && row == 10 {
                    outcome.bed_m[index] = f32::NAN;
                    outcome.max_depth_m[index] = f32::NAN;
                    outcome.max_speed_m_s[index] = f32::NAN;
                } else if is_beside(column, row) {
                    outcome.max_speed_m_s[index] = 9.0;
                }
            }
            let speed = |outcome: &Outcome| outcome.fast_flow().expect("water").value;
            assert!(speed(&outcome) > 8.0, "a wall in the {side}");
            outcome.open_sides = vec![side];
            assert!(speed(&outcome) < 2.0, "open in the {side}");
        }
    }

    #[test]
    fn cells_over_coarse_ones_are_left_out_as_wide() {
        let mut outcome = outcome();
        outcome.open_sides = vec![Side::West];
        outcome.coarse = Some(super::super::Coarse { cell_m: 4.0, words: String::new() });
        let beside = outcome.beside_open_edges();
        assert!(beside[7] && !beside[8]);
    }

    #[test]
    fn a_lake_of_the_start_is_no_flood() {
        let mut outcome = outcome();
        outcome.max_depth_m[3] = 40.0;
        outcome.arrival_s[3] = 0.0;
        outcome.max_depth_m[45] = 2.0;
        let dry = outcome.deepest_on_dry_ground().expect("a flood");
        assert_eq!((dry.cell, outcome.deepest().expect("water").cell), ((5, 1), (3, 0)));
        outcome.max_depth_m.fill(f32::NAN);
        assert_eq!((outcome.deepest(), outcome.fast_flow()), (None, None));
    }
}
