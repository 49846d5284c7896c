//! How sure a run is, from its last two levels: ranges of figures, and classes of cells.
//!
//! With a figure `f` of a level that differs by `d` from that of the level before:
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
//! dam break of Malpasset (20 m) and the sample (10 m). Left: where 8 and 4 lead, compared with 1;
//! right: where 8 and 2 lead, compared with 1, the next finer cells.
//!
//! Guarantees: a range holds its figure.
//! Limits:     what all levels lack, and what roughness and rain do, is in no range; a figure of 0
//!             has none, nor have those of levels with a missing one between them. Where the table
//!             has 0, a range is a fixed part of its figure, whatever the level before says.

use super::{Headline, Outcome};

/// A figure with a range. A gauge has its place in the outcome's list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Figure {
    /// Cells flooded by the event.
    Flooded,
    /// Flooded cells where most people are in danger.
    Dangerous,
    /// The deepest water over flooded ground, m.
    Deepest,
    /// The headline speed, m/s.
    Fast,
    /// Volume at the end, m³.
    Stored,
    /// Volume that left, m³.
    Left,
    /// The largest depth at a gauge, m.
    Gauge(usize),
}

/// Range of a figure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Range {
    /// Low end.
    pub low: f64,
    /// High end.
    pub high: f64,
}

/// How sure the outcome of a level is.
#[derive(Debug, Clone, PartialEq)]
pub struct Sure {
    ranges: Vec<(Figure, Range)>,
    /// Class of each cell of the maps: [`SURELY_DRY`], [`UNSURE`], [`SURELY_FLOODED`]; NaN outside
    /// the world, and where water was before the event.
    pub classes: Vec<f32>,
}

/// Class of a cell that neither level flooded.
pub const SURELY_DRY: f32 = 0.0;
/// Class of a cell of which the levels say little.
pub const UNSURE: f32 = 1.0;
/// Class of a cell that both levels flooded deep enough.
pub const SURELY_FLOODED: f32 = 2.0;

/// State of a cell that was under water before the event.
const WATER: u8 = 3;

/// Depth from which a level is believed that a cell is flooded, in wet depths: of cells with 5 cm
/// in both of two levels, 54 to 97 % were flooded in the cells asked for, of those with 15 cm 90 %
/// or more.
pub const BELIEVED: f32 = 3.0;

/// How far a figure may lie beside that of a level.
#[derive(Debug, Clone, Copy)]
struct Reach {
    /// Below and above it, in parts of its difference from the level before.
    of_difference: [f64; 2],
    /// At least, in parts of the figure.
    of_figure: [f64; 2],
}

/// Width of the level before over this one's, from which the right half of the table holds.
pub const FAR: f64 = 3.0;

/// Width of the level before over this one's, from which nothing was fitted: a level was left out.
const TOO_FAR: f64 = 5.0;

impl Reach {
    /// The row of the table for a figure.
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

    /// The range of a value that was `before` in the level before.
    fn range(self, value: f64, before: f64) -> Range {
        let difference = (value - before).abs();
        let [below, above] = [0, 1].map(|end| {
            (self.of_difference[end] * difference).max(self.of_figure[end] * value.abs())
        });
        Range { low: (value - below).max(0.0), high: value + above }
    }
}

/// Facts of a level with which the next finer one is compared.
#[derive(Debug, Clone)]
pub(super) struct Seen {
    figures: Vec<(Figure, f64)>,
    /// How each cell was: 0 dry, 1 flooded, 2 flooded deep enough to be believed, or [`WATER`].
    cells: Vec<u8>,
}

impl Seen {
    /// Facts of an outcome.
    pub fn of(outcome: &Outcome, headline: &Headline) -> Self {
        let believed_m = BELIEVED * outcome.wet_depth_m;
        let state = |cell: usize| match outcome.is_flooded(cell) {
            _ if outcome.was_water(cell) => WATER,
            false => 0,
            true => 1 + u8::from(outcome.max_depth_m[cell] >= believed_m),
        };
        Self {
            figures: figures(outcome, headline),
            cells: (0..outcome.max_depth_m.len()).map(state).collect(),
        }
    }

    /// True for cells that were flooded.
    pub fn flooded(&self) -> impl Iterator<Item = bool> {
        self.cells.iter().map(|state| (1..WATER).contains(state))
    }

    /// How sure the facts of a level are beside those of the level `before`, whose cells are
    /// `times` as wide; `bed_m` is NaN outside the world.
    pub fn beside(&self, before: &Self, times: f64, bed_m: &[f32]) -> Sure {
        let class = |((now, before), bed): ((&u8, &u8), &f32)| match (now, before) {
            _ if bed.is_nan() => f32::NAN,
            (&WATER, _) => f32::NAN,
            (0, 0) => SURELY_DRY,
            (2, 2 | &WATER) => SURELY_FLOODED,
            _ => UNSURE,
        };
        let figures = self.figures.iter().zip(&before.figures);
        let range = |(&(figure, value), &(_, before)): (&(Figure, f64), &(Figure, f64))| {
            (figure, Reach::of(figure, times >= FAR).range(value, before))
        };
        let figures = figures.filter(|((_, value), _)| *value > 0.0 && times < TOO_FAR);
        Sure {
            ranges: figures.map(range).collect(),
            classes: self.cells.iter().zip(&before.cells).zip(bed_m).map(class).collect(),
        }
    }
}

/// All figures that get a range. A depth or speed of nothing is 0.
#[expect(clippy::cast_precision_loss, reason = "cells are far below 2^53, volumes are rounded")]
fn figures(outcome: &Outcome, headline: &Headline) -> Vec<(Figure, f64)> {
    let ledger = &outcome.ledger;
    let spot = |spot: Option<super::Spot>| spot.map_or(0.0, |spot| f64::from(spot.value));
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
    /// Range of a figure; `None` if it has none.
    #[must_use]
    pub fn range(&self, figure: Figure) -> Option<Range> {
        self.ranges.iter().find(|(known, _)| *known == figure).map(|(_, range)| *range)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
            let reach = Reach::of(figure, is_far);
            let (alike, unlike) = (reach.range(10.0, 10.0), reach.range(10.0, 90.0));
            for range in [alike, unlike] {
                assert!(range.low < 10.0 && range.high > 10.0 && range.low >= 0.0, "{figure:?}");
            }
            assert!(unlike.low <= alike.low && unlike.high >= alike.high, "{figure:?}");
        }
        let depth = Reach::of(Figure::Gauge(0), false).range(2.0, 2.75);
        assert_eq!(depth, Range { low: 0.5, high: 3.5 });
        let area = Reach::of(Figure::Flooded, true).range(100.0, 180.0);
        assert_eq!(area, Range { low: 70.0, high: 140.0 });
    }

    #[test]
    fn cells_are_sure_if_both_levels_say_so() {
        let seen = |cells: &[u8]| Seen { figures: Vec::new(), cells: cells.to_vec() };
        let now = seen(&[0, 0, 1, 1, 2, 2, 2, WATER]);
        let before = seen(&[0, 1, 1, 0, 2, 0, 2, WATER]);
        let mut bed_m = [0.0; 8];
        bed_m[6] = f32::NAN;
        let sure = now.beside(&before, 2.0, &bed_m);
        let expected = [SURELY_DRY, UNSURE, UNSURE, UNSURE, SURELY_FLOODED, UNSURE];
        let bits =
            |classes: &[f32]| classes.iter().map(|class| class.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&sure.classes[..6]), bits(&expected));
        assert!(sure.classes[6..].iter().all(|class| class.is_nan()));
        let counted = |times: f64| {
            let one = |value: f64| Seen { figures: vec![(Figure::Fast, value)], cells: Vec::new() };
            one(2.0).beside(&one(1.0), times, &[]).range(Figure::Fast).is_some()
        };
        assert_eq!([2.0, 4.0, 8.0].map(counted), [true, true, false]);
    }
}
