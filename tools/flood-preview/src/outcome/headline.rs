//! The figures at the head of a report: one structure for the terminal, the page, the pictures and
//! `summary.json`.
//!
//! ```text
//! flooded by the event   as deep as the wet depth at some time, and not under water before
//! fast flow              the speed that 99 of 100 flooded cells do not reach, off open edges
//! deepest                the largest depth of a flooded cell that is no pit
//! a pit                  a cell of the map, or a simulated one, all of whose eight neighbours
//!                        stayed less than half as deep
//! ```
//!
//! A largest value over a map is often the worst cell of the numerics or of the heights: the last
//! one before an open edge, the one that a source fills, a pit of one cell. So pits do not count
//! for the deepest, cells of an inflow count for no extreme, and the true largest speed appears
//! beside the percentile.
//!
//! Limits: a side that is open in a part only is left out of the percentile over its whole length.

use super::FloodOutcome;
use super::before::CellBefore;

/// Share of the flooded cells that flow slower than the headline speed, percent.
pub const SPEED_PERCENTILE: usize = 99;
/// Hazard ratings at which classes begin above the lowest, m²/s: danger for some, most, all.
pub const HAZARDS_M2_S: [f32; 3] = [0.75, 1.25, 2.0];
/// Hazard rating from which most people are in danger, m²/s.
const DANGEROUS_M2_S: f32 = HAZARDS_M2_S[1];

/// A value and the cell of the maps that has it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HeadlineSpot {
    /// The value, in the unit of its map.
    pub value: f32,
    /// Column from the west and row from the north.
    pub cell: (usize, usize),
}

/// The figures of a run. Areas are counts of cells of the maps: [`FloodOutcome::area_m2`].
#[derive(Debug, Clone, PartialEq)]
pub struct Headline {
    /// Cells of the world.
    pub ground: usize,
    /// Cells flooded by the event.
    pub flooded: usize,
    /// Cells that were wet at some time, under water before or not.
    pub wet: usize,
    /// Cells under water before: at the start, the sea, permanent water.
    pub before: [usize; 3],
    /// Flooded cells by class of hazard: caution, danger for some, for most, for all.
    pub hazards: [usize; 4],
    /// Cells under water before in which most people are in danger.
    pub dangerous_before: usize,
    /// The deepest water over flooded ground, m.
    pub deepest: Option<HeadlineSpot>,
    /// The deepest water over cells under water before, m.
    pub deepest_before: Option<HeadlineSpot>,
    /// The speed that [`SPEED_PERCENTILE`] % of the flooded cells off open edges do not reach, m/s.
    pub fast: Option<HeadlineSpot>,
    /// The largest speed of all wet cells except cells of inflows, m/s.
    pub fastest: Option<HeadlineSpot>,
    /// The first arrival at flooded ground, s.
    pub first: Option<HeadlineSpot>,
}

impl Headline {
    /// Returns the number of flooded cells in which most people are in danger.
    #[must_use]
    pub fn dangerous(&self) -> usize {
        self.hazards[2] + self.hazards[3]
    }

    /// Returns the number of all cells under water before.
    #[must_use]
    pub fn before(&self) -> usize {
        self.before.iter().sum()
    }
}

impl FloodOutcome {
    /// Counts cells flooded by the event and cells under water before, and finds the extremes.
    #[must_use]
    pub fn headline(&self) -> Headline {
        self.counted.clone().unwrap_or_else(|| self.count())
    }

    fn count(&self) -> Headline {
        let cells = 0..self.bed_m.len();
        let is_ground = |cell: &usize| !self.bed_m[*cell].is_nan();
        let is_wet = |cell: &usize| self.max_depth_m[*cell] >= self.wet_depth_m;
        let is_dry_before = |cell: &usize| self.before[*cell] == CellBefore::Dry;
        let flooded: Vec<usize> = cells.clone().filter(|cell| self.is_flooded(*cell)).collect();
        let were = |kind: CellBefore| self.before.iter().filter(|before| **before == kind).count();
        let before: Vec<usize> = cells.clone().filter(|cell| !is_dry_before(cell)).collect();
        let is_dangerous = |cell: &&usize| self.hazard_m2_s[**cell] >= DANGEROUS_M2_S;
        Headline {
            ground: cells.clone().filter(is_ground).count(),
            flooded: flooded.len(),
            wet: cells.clone().filter(is_wet).count(),
            before: [CellBefore::Start, CellBefore::Sea, CellBefore::Permanent].map(were),
            hazards: self.hazards(&flooded),
            dangerous_before: before.iter().filter(is_dangerous).count(),
            deepest: self.deepest(&flooded),
            deepest_before: self.deepest(&before),
            fast: self.fast(&flooded),
            fastest: {
                let wet: Vec<usize> = cells.filter(is_wet).collect();
                self.largest(&self.max_speed_m_s, wet.iter())
            },
            first: self.first(&flooded),
        }
    }

    /// True if the event flooded a cell: wet at some time, and not under water before.
    pub(super) fn is_flooded(&self, cell: usize) -> bool {
        self.before[cell] == CellBefore::Dry && self.max_depth_m[cell] >= self.wet_depth_m
    }

    /// True if a cell was under water before the event: it does not count as flooded, even if it is
    /// dry in the run, as the sea of a map without water is.
    #[must_use]
    pub fn was_water(&self, cell: usize) -> bool {
        self.before[cell] != CellBefore::Dry
    }

    /// Returns the cells of inflows and the cells beside them, rising: their depth is that of the
    /// water that is poured in.
    fn beside_inflows(&self) -> Vec<usize> {
        let width = self.grid.width;
        let beside = self.inflow_cells.iter().flat_map(|cell| {
            let (column, row) = (cell % width, cell / width);
            let rows = row.saturating_sub(1)..(row + 2).min(self.grid.height);
            rows.flat_map(move |row| {
                (column.saturating_sub(1)..(column + 2).min(width))
                    .map(move |column| row * width + column)
            })
        });
        let mut cells: Vec<usize> = beside.collect();
        cells.sort_unstable();
        cells.dedup();
        cells
    }

    /// Returns the part of the flooded ground that the water first reached in the last tenth of the
    /// run, 0 to 1.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "cells are far below 2^53")]
    pub fn late_part(&self) -> f64 {
        let late_s = 0.9 * self.simulated_s;
        let flooded = (0..self.bed_m.len()).filter(|cell| self.is_flooded(*cell));
        let (late, all) = flooded.fold((0_usize, 0_usize), |(late, all), cell| {
            (late + usize::from(f64::from(self.arrival_s[cell]) >= late_s), all + 1)
        });
        late as f64 / all.max(1) as f64
    }

    /// Returns the area of a number of cells of the maps, m²; `None` if the cell size is missing.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "cells are far below 2^53")]
    pub fn area_m2(&self, cells: usize) -> Option<f64> {
        self.grid.cell_m.map(|(x, y)| cells as f64 * x * y)
    }

    /// Counts cells by their class of hazard.
    fn hazards(&self, cells: &[usize]) -> [usize; 4] {
        let mut counts = [0; 4];
        for &cell in cells {
            let hazard = self.hazard_m2_s[cell];
            counts[HAZARDS_M2_S.iter().filter(|&&limit| hazard >= limit).count()] += 1;
        }
        counts
    }

    /// Finds the largest value of a plane over some cells, except cells of an inflow.
    fn largest<'a>(
        &self,
        plane: &[f32],
        cells: impl Iterator<Item = &'a usize>,
    ) -> Option<HeadlineSpot> {
        let known = cells.filter(|cell| !plane[**cell].is_nan());
        let known = known.filter(|cell| !self.is_inflow(**cell));
        let larger = |most: &'a usize, next: &'a usize| {
            if plane[*next] > plane[*most] { next } else { most }
        };
        Some(self.spot(plane, *known.reduce(larger)?))
    }

    /// Returns the first of some cells to be reached. A cell over a coarse one that was wet from
    /// the start has that one's time, 0, and does not count.
    fn first<'a>(&self, cells: &'a [usize]) -> Option<HeadlineSpot> {
        let known = cells.iter().filter(|cell| self.arrival_s[**cell] > 0.0);
        let time = |cell: &usize| self.arrival_s[*cell];
        let earlier = |first: &'a usize, next: &'a usize| match time(next) < time(first) {
            true => next,
            false => first,
        };
        Some(self.spot(&self.arrival_s, *known.reduce(earlier)?))
    }

    /// Returns the speed that one in a hundred of some cells reaches, away from open edges.
    fn fast(&self, cells: &[usize]) -> Option<HeadlineSpot> {
        let (at_edge, poured) = (self.beside_open_edges(), self.beside_inflows());
        let counts = |cell: &&usize| {
            !at_edge[**cell]
                && !self.max_speed_m_s[**cell].is_nan()
                && poured.binary_search(cell).is_err()
        };
        let mut cells: Vec<usize> = cells.iter().filter(counts).copied().collect();
        let rank = cells.len().checked_sub(1)? * SPEED_PERCENTILE / 100;
        let speed = |cell: &usize| self.max_speed_m_s[*cell];
        let by_speed = |a: &usize, b: &usize| speed(a).total_cmp(&speed(b)).then(a.cmp(b));
        let (_, cell, _) = cells.select_nth_unstable_by(rank, by_speed);
        Some(self.spot(&self.max_speed_m_s, *cell))
    }

    fn is_inflow(&self, cell: usize) -> bool {
        self.inflow_cells.binary_search(&cell).is_ok()
    }

    /// Finds the deepest of some cells that is no pit.
    fn deepest(&self, cells: &[usize]) -> Option<HeadlineSpot> {
        let simulated = self.simulated_cell();
        let is_pit = |cell| self.is_pit(cell, 1) || self.is_pit(cell, simulated);
        let depth_m = &self.max_depth_m;
        let poured = self.beside_inflows();
        let known = cells.iter().filter(|cell| !depth_m[**cell].is_nan());
        let mut deepest: Option<usize> = None;
        for &cell in known.filter(|cell| poured.binary_search(cell).is_err()) {
            let is_deeper = deepest.is_none_or(|most| depth_m[cell] > depth_m[most]);
            // Few cells are deeper than all before: for the rest their neighbours do not matter.
            if is_deeper && !is_pit(cell) {
                deepest = Some(cell);
            }
        }
        Some(self.spot(depth_m, deepest?))
    }

    fn spot(&self, plane: &[f32], cell: usize) -> HeadlineSpot {
        let width = self.grid.width;
        HeadlineSpot { value: plane[cell], cell: (cell % width, cell / width) }
    }
}

#[cfg(test)]
mod tests {
    use scenario::place::MapSide;

    use super::super::sample::outcome;
    use super::*;

    fn value(spot: Option<HeadlineSpot>) -> f32 {
        spot.expect("water").value
    }

    #[track_caller]
    fn near(found: f32, expected: f32) {
        assert!((found - expected).abs() < 1.0e-6, "{found}, not {expected}");
    }

    #[test]
    fn one_wild_cell_is_no_fast_flow_and_the_fastest() {
        let mut outcome = outcome();
        outcome.max_speed_m_s[15 * 40 + 20] = 30.0;
        let headline = outcome.headline();
        near(value(headline.fast), 1.0);
        assert_eq!(headline.fastest, Some(HeadlineSpot { value: 30.0, cell: (20, 15) }));
        // A stream of more than one in a hundred cells is reported.
        outcome.max_speed_m_s[10 * 40 + 5..10 * 40 + 25].fill(3.0);
        let found = outcome.headline().fast.expect("water");
        near(found.value, 3.0);
        assert_eq!(found.cell.1, 10);
    }

    #[test]
    fn open_edges_do_not_count_and_walls_do() {
        for (side, is_beside) in [
            (MapSide::West, (|column, _| column < 2) as fn(usize, usize) -> bool),
            (MapSide::East, |column, _| column >= 38),
            (MapSide::North, |_, row| row < 2),
            (MapSide::South, |_, row| row >= 28),
            (MapSide::NoData, |column, row| (8..=13).contains(&column) && (8..=12).contains(&row)),
            (MapSide::Holes, |column, row| (8..=13).contains(&column) && (8..=12).contains(&row)),
        ] {
            let mut outcome = outcome();
            if side == MapSide::Holes {
                outcome.holes = vec![10 * 40 + 10, 10 * 40 + 11];
            }
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
            let speed = |outcome: &FloodOutcome| value(outcome.headline().fast);
            assert!(speed(&outcome) > 8.0, "a wall in the {side}");
            outcome.open_sides = vec![side];
            assert!(speed(&outcome) < 2.0, "open in the {side}");
            // NoData that the ground encloses is open by itself.
            if !side.is_of_frame() {
                outcome.open_sides = vec![MapSide::NoData, MapSide::Holes];
                outcome.open_sides.retain(|open| *open != side);
                assert!(speed(&outcome) > 8.0, "only others than {side} are open");
            }
        }
    }

    #[test]
    fn cells_over_coarse_ones_are_left_out_as_wide() {
        let mut outcome = outcome();
        outcome.open_sides = vec![MapSide::West];
        outcome.coarse = Some(super::super::Coarse { cell_m: 4.0, words: String::new() });
        let beside = outcome.beside_open_edges();
        assert!(beside[7] && !beside[8]);
    }

    /// Goal: water before the event is counted by its kind, and does not count as flooded.
    /// Method: a lake over 40 cells, a sea over 80, a river over 30 that stays dry in part.
    #[test]
    fn water_before_the_event_is_no_flood() {
        let mut outcome = outcome();
        outcome.before[..40].fill(CellBefore::Start);
        outcome.before[40..120].fill(CellBefore::Sea);
        outcome.before[120..150].fill(CellBefore::Permanent);
        outcome.max_depth_m[..40].fill(40.0);
        outcome.max_depth_m[140..150].fill(0.0);
        outcome.hazard_m2_s[140..150].fill(0.0);
        outcome.max_depth_m[1000..1100].fill(0.04);
        outcome.hazard_m2_s[1000..1100].fill(0.0);
        outcome.max_depth_m[500..503].fill(2.0);
        outcome.hazard_m2_s[200..300].fill(3.0);
        outcome.hazard_m2_s[300..350].fill(1.0);
        outcome.hazard_m2_s[350..360].fill(0.5);
        outcome.arrival_s[..40].fill(0.0);
        outcome.arrival_s[700] = 7.0;
        let headline = outcome.headline();
        assert_eq!((headline.ground, headline.flooded, headline.wet), (1200, 950, 1090));
        assert_eq!((headline.before, headline.before()), ([40, 80, 30], 150));
        assert_eq!(headline.hazards, [10, 50, 790, 100]);
        assert_eq!((headline.dangerous(), headline.dangerous_before), (890, 140));
        near(value(headline.deepest), 2.0);
        near(value(headline.deepest_before), 40.0);
        near(value(headline.first), 7.0);
        assert_eq!(outcome.area_m2(headline.flooded), Some(950.0));
    }

    /// Goal: a pit of one cell and the cell of an inflow are no headline; a hole of two cells is.
    #[test]
    fn pits_and_inflows_make_no_headline() {
        let pit = 12 * 40 + 7;
        for (name, inflow_cells, deep, expected) in [
            ("a pit", vec![], vec![(pit, 9.0)], 1.0),
            ("a pit in a corner", vec![], vec![(0, 9.0)], 1.0),
            ("a hole", vec![], vec![(pit, 9.0), (pit + 41, 5.0)], 9.0),
            ("a pit in a hole", vec![], vec![(pit, 9.0), (pit + 41, 4.0)], 4.0),
            ("an inflow", vec![pit], vec![(pit, 1.5)], 1.0),
            ("beside an inflow", vec![pit], vec![(pit, 1.5), (pit + 41, 1.4)], 1.0),
        ] {
            let mut outcome = FloodOutcome { inflow_cells, ..outcome() };
            for (cell, depth_m) in deep {
                outcome.max_depth_m[cell] = depth_m;
                outcome.max_speed_m_s[cell] = depth_m;
            }
            let found = outcome.headline();
            let deepest = found.deepest.expect("water");
            near(deepest.value, expected);
            let is_inflow = name == "an inflow";
            assert_eq!(value(found.fastest) > 1.2, !is_inflow, "{name}");
        }
    }

    /// Goal: a pit of one simulated cell is one however many cells of the map it covers.
    /// Method: simulated cells of 4 × 4 cells of the map, the deep ones from the south-west corner.
    #[test]
    fn pits_are_as_wide_as_simulated_cells() {
        let coarse = |cell_m: f64| super::super::Coarse { cell_m, words: String::new() };
        for (name, cell_m, columns, expected) in [
            ("a pit of a simulated cell", 4.0, 8..12, 1.0),
            ("a hole of two", 4.0, 8..16, 9.0),
            ("a hole across two", 4.0, 10..14, 9.0),
            ("a pit of a cell of the map", 4.0, 9..10, 1.0),
            ("a hole of fine cells", 1.0, 8..12, 9.0),
        ] {
            let mut outcome = FloodOutcome { coarse: Some(coarse(cell_m)), ..outcome() };
            let rows = if columns.len() == 1 { 13..14 } else { 12..16 };
            for northing in rows {
                for column in columns.clone() {
                    outcome.max_depth_m[(29 - northing) * 40 + column] = 9.0;
                }
            }
            let deepest = value(outcome.headline().deepest);
            assert!((deepest - expected).abs() < 1.0e-6, "{name}: {deepest} m");
        }
    }

    #[test]
    fn what_is_reached_in_the_last_tenth_is_late() {
        let mut outcome = outcome();
        outcome.simulated_s = 100.0;
        outcome.arrival_s.fill(50.0);
        outcome.arrival_s[..120].fill(95.0);
        assert!((outcome.late_part() - 0.1).abs() < 1.0e-12);
        outcome.before[..60].fill(CellBefore::Sea);
        assert!((outcome.late_part() - 60.0 / 1140.0).abs() < 1.0e-12);
        outcome.max_depth_m.fill(0.0);
        assert!(outcome.late_part() <= 0.0, "nothing was flooded");
    }

    #[test]
    fn a_dry_map_has_no_extremes() {
        let mut outcome = outcome();
        outcome.max_depth_m.fill(0.0);
        let headline = outcome.headline();
        assert_eq!((headline.flooded, headline.deepest, headline.first), (0, None, None));
        assert_eq!((headline.fast, headline.fastest), (None, None));
    }
}
