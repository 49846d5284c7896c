//! Certainty of a run, from its last two levels: ranges of figures, and classes of cells.
//!
//! A figure `f` of a level that differs by `d` from that of the level before has this range:
//!
//! ```text
//! low = f − max(a·d, b·f)     high = f + max(c·d, e·f)
//!
//!                 8 × 8 and 4 × 4 cells a column       columns and cells four times as fine
//!                  a     b     c     e                  a     b     c     e
//! areas            0    0.45   0    0.10                0    0.30  0.5   0.10
//! deepest          0    0.25   0    0.50                0    0.15  0     0.40
//! at gauges        2    0.40   2    0.50                0.5  0.15  0.5   0.40
//! speeds           1.5  0.10   0    0.60                1.5  0.10  0     0.60
//! volumes          0.5  0.10   1    0.15                0.5  0.05  0.5   0.15
//! ```
//!
//! surely flooded: three times the wet depth or more in both levels; surely dry: flooded in
//! neither; the rest is unsure.
//!
//! The numbers are fitted to six events, with levels of 8, 4, 2 and 1 cells a column: rain on
//! Boscastle (10 m), Big Tujunga (30 m), a marsh (2 m) and a part of the Black Forest (75 m), the
//! dam break of Malpasset (20 m) and the sample (10 m). Left: ranges from 8 and 4, compared with 1;
//! right: ranges from 8 and 2, compared with 1, the next finer cells.
//!
//! Guarantees: a range contains its figure.
//! Limits:     errors that all levels share are in no range, and roughness and rain only if drafts
//!             [varied](super::varied) them; a figure of 0 has no range, nor has a figure of levels
//!             between which one is missing. If `a` or `c` is 0, that end of the range is a fixed
//!             part of the figure away, independent of the level before. Areas end at the whole
//!             map, and the greatest depth at the highest level that the water had anywhere.

use super::figure::{Figure, FigureRange};
use super::varied::{Drafts, Varied};
use super::{FloodOutcome, Headline};

/// Certainty of the outcome of a level.
#[derive(Debug, Clone, PartialEq)]
pub struct Sure {
    /// Ranges of the figures that have one.
    pub ranges: Vec<(Figure, FigureRange)>,
    /// Class of each cell of the maps: [`SURELY_DRY`], [`UNSURE`], [`SURELY_FLOODED`]; NaN outside
    /// the world, and in cells with water before the event.
    pub classes: Vec<f32>,
    /// True if two levels were compared; else drafts of one alone.
    pub is_of_levels: bool,
    /// Drafts that are in ranges and classes; `None` if roughness and water were not varied.
    pub varied: Option<Drafts>,
}

/// Class of a cell that neither level flooded.
pub const SURELY_DRY: f32 = 0.0;
/// Class of a cell on which levels or drafts differ, or with little water.
pub const UNSURE: f32 = 1.0;
/// Class of a cell that both levels flooded deep enough.
pub const SURELY_FLOODED: f32 = 2.0;

/// State of a cell that was under water before the event.
const WATER: u8 = 3;

/// Depth from which a level's flooded cell is believed, in wet depths: of cells with 5 cm in both
/// of two levels, 54 to 97 % were flooded in the requested cells, of cells with 15 cm 90 % or more.
pub const BELIEVED: f32 = 3.0;

/// Distances between the ends of a range and the figure of a level.
#[derive(Debug, Clone, Copy)]
struct RangeReach {
    /// Below and above it, in parts of its difference from the level before.
    of_difference: [f64; 2],
    /// Least distances, in parts of the figure.
    of_figure: [f64; 2],
}

/// Least ratio of the widths of the level before and of this one for the right half of the table.
pub const FAR: f64 = 3.0;

/// Width of the level before over this one's, from which nothing was fitted: a level was left out.
const TOO_FAR: f64 = 5.0;

impl RangeReach {
    /// Returns the row of the table for a figure.
    fn of(figure: Figure, is_far: bool) -> Self {
        let (of_difference, of_figure) = match (figure, is_far) {
            (Figure::Flooded | Figure::Dangerous, false) => ([0.0, 0.0], [0.45, 0.1]),
            (Figure::Flooded | Figure::Dangerous, true) => ([0.0, 0.5], [0.3, 0.1]),
            (Figure::Deepest, false) => ([0.0, 0.0], [0.25, 0.5]),
            (Figure::Deepest, true) => ([0.0, 0.0], [0.15, 0.4]),
            (Figure::Gauge(_), false) => ([2.0, 2.0], [0.4, 0.5]),
            (Figure::Gauge(_), true) => ([0.5, 0.5], [0.15, 0.4]),
            (Figure::Fast, _) => ([1.5, 0.0], [0.1, 0.6]),
            (Figure::Stored | Figure::Left, false) => ([0.5, 1.0], [0.1, 0.15]),
            (Figure::Stored | Figure::Left, true) => ([0.5, 0.5], [0.05, 0.15]),
        };
        Self { of_difference, of_figure }
    }

    /// Returns the range of a value that was `before` in the level before.
    fn range(self, value: f64, before: f64) -> FigureRange {
        let difference = (value - before).abs();
        let [below, above] = [0, 1].map(|end| {
            (self.of_difference[end] * difference).max(self.of_figure[end] * value.abs())
        });
        FigureRange { low: (value - below).max(0.0), high: value + above }
    }
}

/// Facts of a level for the comparison with the next finer one.
#[derive(Debug, Clone)]
pub(super) struct LevelFacts {
    figures: Vec<(Figure, f64)>,
    /// Depth up to the highest level of the water anywhere, at the place at which it is greatest,
    /// m.
    depth_most: f64,
    /// State of each cell: 0 dry, 1 flooded, 2 flooded deep enough to be believed, or [`WATER`].
    cells: Vec<u8>,
}

impl LevelFacts {
    /// Facts of an outcome.
    pub fn of(outcome: &FloodOutcome, headline: &Headline) -> Self {
        let believed_m = BELIEVED * outcome.wet_depth_m;
        let state = |cell: usize| match outcome.is_flooded(cell) {
            _ if outcome.was_water(cell) => WATER,
            false => 0,
            true => 1 + u8::from(outcome.max_depth_m[cell] >= believed_m),
        };
        Self {
            figures: figures(outcome, headline),
            depth_most: depth_most(outcome, headline),
            cells: (0..outcome.max_depth_m.len()).map(state).collect(),
        }
    }

    /// Returns true for cells that were flooded.
    pub fn flooded(&self) -> impl Iterator<Item = bool> {
        self.cells.iter().map(|state| (1..WATER).contains(state))
    }

    /// Returns true for cells that were under water at some time, before the event or in it.
    pub fn under_water(&self) -> impl Iterator<Item = bool> {
        self.cells.iter().map(|state| *state != 0)
    }

    /// Returns the number of cells.
    pub fn cells(&self) -> usize {
        self.cells.len()
    }

    /// Returns the figures with their values.
    pub fn figures(&self) -> &[(Figure, f64)] {
        &self.figures
    }

    /// Returns the certainty of the facts of a level from those of the level `before`, whose cells
    /// are `times` as wide, and from drafts; `None` without both. `bed_m` is NaN outside the world.
    pub fn sure(
        &self,
        before: Option<(&Self, f64)>,
        varied: Option<&Varied>,
        bed_m: &[f32],
    ) -> Option<Sure> {
        if before.is_none() && varied.is_none() {
            return None;
        }
        Some(Sure {
            ranges: self.ranges(before, varied, bed_m),
            classes: self.classes(before.map(|(before, _)| before), varied, bed_m),
            is_of_levels: before.is_some(),
            varied: varied.map(Varied::drafts),
        })
    }

    /// Returns the ranges of the figures. An area is at most the ground without the water that was
    /// there.
    #[expect(clippy::cast_precision_loss, reason = "cells are far below 2^53")]
    fn ranges(
        &self,
        before: Option<(&Self, f64)>,
        varied: Option<&Varied>,
        bed_m: &[f32],
    ) -> Vec<(Figure, FigureRange)> {
        let ground = self.cells.iter().zip(bed_m);
        let ground = ground.filter(|(state, bed)| **state != WATER && !bed.is_nan()).count() as f64;
        let range = |index: usize| {
            let (figure, value) = self.figures[index];
            let alone = FigureRange { low: value, high: value };
            let of_cells = match before {
                _ if value <= 0.0 => return None,
                Some((_, times)) if times >= TOO_FAR => return None,
                Some((before, times)) => {
                    RangeReach::of(figure, times >= FAR).range(value, before.figures[index].1)
                }
                None => alone,
            };
            let mut range = varied.map_or(of_cells, |varied| varied.range(figure, value, of_cells));
            if matches!(figure, Figure::Flooded | Figure::Dangerous) {
                range.high = range.high.min(ground.max(value));
            } else if figure == Figure::Deepest {
                range.high = range.high.min(self.depth_most.max(value));
            }
            Some((figure, range))
        };
        (0..self.figures.len()).filter_map(range).collect()
    }

    /// Class of each cell, by this level, the one before and the drafts, if any.
    fn classes(&self, before: Option<&Self>, varied: Option<&Varied>, bed_m: &[f32]) -> Vec<f32> {
        let class = |cell: usize| {
            let now = self.cells[cell];
            let before = before.map(|before| before.cells[cell]);
            let [all, none] = varied.map_or([true; 2], |varied| varied.is_flooded(cell));
            match (now, before) {
                _ if bed_m[cell].is_nan() => f32::NAN,
                (WATER, _) => f32::NAN,
                (0, None | Some(0)) if none => SURELY_DRY,
                (2, None | Some(2 | WATER)) if all => SURELY_FLOODED,
                _ => UNSURE,
            }
        };
        (0..self.cells.len()).map(class).collect()
    }
}

/// Returns the depth at the deepest place for a stage equal to the highest stage anywhere, m.
fn depth_most(outcome: &FloodOutcome, headline: &Headline) -> f64 {
    let Some(super::HeadlineSpot { cell: (column, row), .. }) = headline.deepest else {
        return f64::INFINITY;
    };
    let wet = outcome.bed_m.iter().zip(&outcome.max_depth_m);
    let wet = wet.filter(|(_, depth)| **depth >= outcome.wet_depth_m);
    let highest = wet.map(|(bed, depth)| bed + depth).fold(f32::NEG_INFINITY, f32::max);
    f64::from(highest - outcome.bed_m[row * outcome.grid.width + column])
}

/// Returns all figures that get a range. A depth or speed of nothing is 0.
#[expect(clippy::cast_precision_loss, reason = "cells are far below 2^53, volumes are rounded")]
fn figures(outcome: &FloodOutcome, headline: &Headline) -> Vec<(Figure, f64)> {
    let ledger = &outcome.ledger;
    let spot = |spot: Option<super::HeadlineSpot>| spot.map_or(0.0, |spot| f64::from(spot.value));
    let left = ledger.total_out().unwrap_or(0) as f64 * ledger.unit_m3;
    let mut figures = vec![
        (Figure::Flooded, headline.flooded as f64),
        (Figure::Dangerous, headline.dangerous() as f64),
        (Figure::Deepest, spot(headline.deepest)),
        (Figure::Fast, spot(headline.fast)),
        (Figure::Stored, ledger.stored_m3()),
        (Figure::Left, left),
    ];
    let peaks = outcome.gauges.iter().map(|gauge| {
        let known = gauge.depth_m.iter().filter(|depth| depth.is_finite());
        f64::from(known.fold(0.0_f32, |most, depth| most.max(*depth)))
    });
    figures.extend(peaks.enumerate().map(|(index, peak)| (Figure::Gauge(index), peak)));
    figures
}

impl Sure {
    /// Returns the range of a figure; `None` if it has none.
    #[must_use]
    pub fn range(&self, figure: Figure) -> Option<FigureRange> {
        self.ranges.iter().find(|(known, _)| *known == figure).map(|(_, range)| *range)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vary::{Thing, Vary};

    fn seen_of(figures: Vec<(Figure, f64)>, cells: &[u8]) -> LevelFacts {
        LevelFacts { figures, depth_most: f64::INFINITY, cells: cells.to_vec() }
    }

    #[test]
    fn a_range_holds_its_figure_and_reaches_further_where_levels_differ() {
        let figures = [
            Figure::Flooded,
            Figure::Dangerous,
            Figure::Deepest,
            Figure::Fast,
            Figure::Stored,
            Figure::Left,
            Figure::Gauge(3),
        ];
        for (figure, is_far) in figures.into_iter().flat_map(|f| [(f, false), (f, true)]) {
            let reach = RangeReach::of(figure, is_far);
            let (alike, unlike) = (reach.range(10.0, 10.0), reach.range(10.0, 90.0));
            for range in [alike, unlike] {
                assert!(range.low < 10.0 && range.high > 10.0 && range.low >= 0.0, "{figure:?}");
            }
            assert!(unlike.low <= alike.low && unlike.high >= alike.high, "{figure:?}");
        }
        let depth = RangeReach::of(Figure::Gauge(0), false).range(2.0, 2.75);
        assert_eq!(depth, FigureRange { low: 0.5, high: 3.5 });
        let area = RangeReach::of(Figure::Flooded, true).range(100.0, 180.0);
        assert_eq!(area, FigureRange { low: 70.0, high: 140.0 });
    }

    #[test]
    fn cells_are_sure_if_both_levels_say_so() {
        let seen = |cells: &[u8]| seen_of(Vec::new(), cells);
        let now = seen(&[0, 0, 1, 1, 2, 2, 2, WATER]);
        let before = seen(&[0, 1, 1, 0, 2, 0, 2, WATER]);
        let mut bed_m = [0.0; 8];
        bed_m[6] = f32::NAN;
        let sure = now.sure(Some((&before, 2.0)), None, &bed_m).expect("two levels");
        let expected = [SURELY_DRY, UNSURE, UNSURE, UNSURE, SURELY_FLOODED, UNSURE];
        let bits =
            |classes: &[f32]| classes.iter().map(|class| class.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&sure.classes[..6]), bits(&expected));
        assert!(sure.classes[6..].iter().all(|class| class.is_nan()));
        let counted = |times: f64| {
            let one = |value: f64| seen_of(vec![(Figure::Fast, value)], &[]);
            let sure = one(2.0).sure(Some((&one(1.0), times)), None, &[]).expect("two levels");
            sure.range(Figure::Fast).is_some()
        };
        assert_eq!([2.0, 4.0, 8.0].map(counted), [true, true, false]);
    }

    /// Goal: the likely flooded area is at most the whole ground. Method: 19 of 20 cells flooded.
    #[test]
    fn an_area_ends_at_the_whole_map() {
        let mut cells = vec![1; 22];
        (cells[0], cells[1], cells[2]) = (0, WATER, 1);
        let mut bed_m = [0.0; 22];
        bed_m[2] = f32::NAN;
        let level = seen_of(vec![(Figure::Flooded, 19.0)], &cells);
        let sure = level.sure(Some((&level, 2.0)), None, &bed_m).expect("two levels");
        let range = sure.range(Figure::Flooded).expect("a range");
        assert!((range.high - 20.0).abs() < 1.0e-9 && range.low < 19.0, "{range:?}");
    }

    /// Goal: drafts widen ranges, and make cells unsure that they flood or leave dry.
    #[test]
    fn drafts_make_less_sure() {
        let seen = |value: f64, cells: &[u8]| seen_of(vec![(Figure::Deepest, value)], cells);
        let level = seen(2.0, &[0, 0, 2, 2, 1, 2]);
        let mut varied = Varied::new(&level.figures, level.cells.len(), Vary::default(), 40.0);
        let add = |varied: &mut Varied, draft: &LevelFacts| {
            varied.add(Thing::Water, &level.figures, &draft.figures, draft.under_water());
        };
        add(&mut varied, &seen(1.0, &[0, 0, 0, 1, 1, WATER]));
        add(&mut varied, &seen(3.0, &[0, 1, 2, 2, 2, WATER]));
        let bed_m = [0.0; 6];
        let alone = level.sure(None, Some(&varied), &bed_m).expect("drafts");
        let expected = [SURELY_DRY, UNSURE, UNSURE, SURELY_FLOODED, UNSURE, SURELY_FLOODED];
        let bits =
            |classes: &[f32]| classes.iter().map(|class| class.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&alone.classes), bits(&expected));
        assert_eq!(alone.range(Figure::Deepest), Some(FigureRange { low: 1.0, high: 3.0 }));
        assert!(!alone.is_of_levels && alone.varied.is_some_and(|drafts| drafts.runs == 2));
        let before = Some((&level, 2.0));
        let [with, without] = [Some(&varied), None].map(|varied| {
            let sure = level.sure(before, varied, &bed_m).expect("two levels");
            sure.range(Figure::Deepest).expect("a range")
        });
        assert!(with.low < without.low && with.high > without.high, "{with:?} {without:?}");
        assert!(level.sure(None, None, &bed_m).is_none());
    }

    /// Goal: no likely depth is above the highest level of the water; a figure above it stays.
    #[test]
    fn the_greatest_depth_ends_at_the_highest_level() {
        for (depth_most, expected) in [(12.0, 12.0), (9.0, 10.0), (f64::INFINITY, 15.0)] {
            let level = LevelFacts { depth_most, ..seen_of(vec![(Figure::Deepest, 10.0)], &[2]) };
            let before = seen_of(vec![(Figure::Deepest, 10.0)], &[2]);
            let sure = level.sure(Some((&before, 2.0)), None, &[0.0]).expect("two levels");
            let high = sure.range(Figure::Deepest).expect("a range").high;
            assert!((high - expected).abs() < 1.0e-9, "{depth_most}: {high}");
        }
    }
}
