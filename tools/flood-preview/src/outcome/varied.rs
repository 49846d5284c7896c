//! Effect of roughness and water on a result, from drafts in coarse cells.
//!
//! From the figure `f₀` of a level and those of drafts in the same cells, with roughness or water
//! varied one at a time, a figure may fall by the part `v` of itself, and rise likewise:
//!
//! ```text
//! v = √(Σ max(0, 1 − f/f₀)²)     over things, each with the lowest of its drafts
//! ```
//!
//! A range of cells ([`sure`](super::sure)) that reaches `l` below the figure `f` of a finer level
//! then reaches `√(l² + (v·f)²)`: errors of cells, roughness and water are taken as independent.
//!
//! Limits: a figure that is 0 without variation has no effect that could be counted in parts; the
//!         effect is that of coarse cells.

use super::figure::{Figure, FigureRange};
use crate::vary::{Thing, Vary};

/// Drafts of a run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Drafts {
    /// Parts by which they vary.
    pub vary: Vary,
    /// Width of their cells, m.
    pub cell_m: f64,
    /// Number of them.
    pub runs: usize,
}

/// Effect of varied roughness and water.
#[derive(Debug, Clone)]
pub(super) struct Varied {
    drafts: Drafts,
    figures: Vec<Effect>,
    /// Number of drafts that flooded each cell of the maps.
    flooded: Vec<u8>,
}

/// Greatest changes of a figure, in parts of it.
#[derive(Debug, Clone, Copy)]
struct Effect {
    figure: Figure,
    /// Fall and rise by roughness, then by water.
    parts: [[f64; 2]; 2],
}

impl Varied {
    /// Returns a record without drafts, varied by `vary`, beside a level with these figures, a
    /// number of cells of the maps and simulated cells of a width in metres.
    pub(super) fn new(figures: &[(Figure, f64)], cells: usize, vary: Vary, cell_m: f64) -> Self {
        let effect = |figure| Effect { figure, parts: [[0.0; 2]; 2] };
        Self {
            drafts: Drafts { vary, cell_m, runs: 0 },
            figures: figures.iter().map(|(figure, _)| effect(*figure)).collect(),
            flooded: vec![0; cells],
        }
    }

    /// Adds a draft, which differs from the level in one thing: figures of both, and whether each
    /// cell was under water in it, before the event or later.
    pub(super) fn add(
        &mut self,
        thing: Thing,
        level: &[(Figure, f64)],
        draft: &[(Figure, f64)],
        flooded: impl Iterator<Item = bool>,
    ) {
        self.drafts.runs += 1;
        let pairs = level.iter().zip(draft);
        for (effect, ((_, value), (_, varied))) in self.figures.iter_mut().zip(pairs) {
            if *value > 0.0 {
                let change = varied / value - 1.0;
                let [fall, rise] = &mut effect.parts[thing as usize];
                (*fall, *rise) = (fall.max(-change), rise.max(change));
            }
        }
        for (count, is_flooded) in self.flooded.iter_mut().zip(flooded) {
            *count += u8::from(is_flooded);
        }
    }

    /// Returns the drafts.
    pub(super) fn drafts(&self) -> Drafts {
        self.drafts
    }

    /// Returns the range of a value, which without variation would be the one given.
    pub(super) fn range(&self, figure: Figure, value: f64, range: FigureRange) -> FigureRange {
        let known = self.figures.iter().find(|effect| effect.figure == figure);
        let parts = known.map_or([[0.0; 2]; 2], |effect| effect.parts);
        let reach = |end: usize, of_cells: f64| {
            let squares = parts.iter().map(|ends| (ends[end] * value).powi(2));
            squares.sum::<f64>() + of_cells.powi(2)
        };
        let below = reach(0, value - range.low).sqrt();
        FigureRange {
            low: (value - below).max(0.0),
            high: value + reach(1, range.high - value).sqrt(),
        }
    }

    /// Returns whether all drafts flooded a cell, and whether none did.
    pub(super) fn is_flooded(&self, cell: usize) -> [bool; 2] {
        let count = usize::from(self.flooded[cell]);
        [count == self.drafts.runs, count == 0]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the figures of a level with one figure.
    fn figures(value: f64) -> [(Figure, f64); 1] {
        [(Figure::Deepest, value)]
    }

    /// Returns the effect of drafts of a level, each with its figure and the cells that it flooded.
    fn varied(level: f64, drafts: &[(Thing, f64, [bool; 4])]) -> Varied {
        let level = figures(level);
        let mut varied = Varied::new(&level, 4, Vary::default(), 40.0);
        for (thing, value, flooded) in drafts {
            varied.add(*thing, &level, &figures(*value), flooded.iter().copied());
        }
        varied
    }

    /// Goal: reaches of cells, roughness and water are joined by the module's formula.
    #[test]
    fn reaches_are_those_of_independent_errors() {
        let drafts = [
            (Thing::Roughness, 1.4, [false, false, true, true]),
            (Thing::Roughness, 2.2, [false, true, true, true]),
            (Thing::Water, 1.2, [false, true, true, true]),
            (Thing::Water, 2.6, [true, true, true, true]),
        ];
        let varied = varied(2.0, &drafts);
        // Falls of 0.3 and 0.4, rises of 0.1 and 0.3 of the figure, now 10.
        let range = varied.range(Figure::Deepest, 10.0, FigureRange { low: 10.0, high: 12.0 });
        assert!((range.low - 5.0).abs() < 1.0e-9, "{range:?}");
        assert!((range.high - 10.0 - 14.0_f64.sqrt()).abs() < 1.0e-9, "{range:?}");
        let cells = [0, 1, 2, 3].map(|cell| varied.is_flooded(cell));
        assert_eq!(cells, [[false, false], [false, false], [true, false], [true, false]]);
        assert_eq!(varied.drafts().runs, 4);
    }

    /// Goal: a figure of 0 has no effect, and a range never reaches below 0.
    #[test]
    fn nothing_has_no_parts() {
        let none = varied(0.0, &[(Thing::Water, 3.0, [false; 4])]);
        let range = FigureRange { low: 1.0, high: 3.0 };
        assert_eq!(none.range(Figure::Deepest, 2.0, range), range);
        assert_eq!(none.is_flooded(0), [false, true]);
        let all = [(Thing::Water, 0.0, [false; 4]), (Thing::Roughness, 0.0, [false; 4])];
        let range = FigureRange { low: 1.0, high: 2.0 };
        assert_eq!(
            varied(1.0, &all).range(Figure::Deepest, 2.0, range),
            FigureRange { low: 0.0, high: 2.0 }
        );
    }
}
