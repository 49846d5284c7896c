//! Ground that one run flooded, or both.
//!
//! ```text
//! agreement = cells that both flooded / cells that either flooded
//! ```
//!
//! *Flooded* is a cell as deep as the wet depth at some time. Cells that were under water before the
//! event in both runs (at the start, the sea, permanent water) are flooded by neither. Times of
//! arrival do not tell them: over a coarse cell that was wet from the start, ground that fills later
//! has time 0 too.
//!
//! Guarantees: where both runs had the same water before, new less gone cells are the difference of
//!             the flooded areas of their reports (`water_before_the_event_is_no_flood`).

/// Ground of a cell in a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ground {
    /// The cell was never as deep as the wet depth.
    Dry,
    /// The event flooded the cell.
    Flooded,
    /// The cell was wet, and under water before the event.
    Water,
}

impl Ground {
    /// Ground of a cell by its largest depth, m, which is NaN where there was no water.
    #[must_use]
    pub fn of(depth_m: f32, wet_depth_m: f32, was_water: bool) -> Self {
        match (depth_m >= wet_depth_m, was_water) {
            (false, _) => Self::Dry,
            (true, false) => Self::Flooded,
            (true, true) => Self::Water,
        }
    }
}

/// State of a cell in both runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flood {
    /// Neither run wetted the cell.
    Neither,
    /// The cell was under water before the event in both.
    Before,
    /// Both runs wetted the cell, and one at least flooded it.
    Both,
    /// The run wetted the cell, the reference did not.
    New,
    /// The reference wetted the cell, the run did not.
    Gone,
}

impl Flood {
    /// State of a cell by its ground in the reference and in the run.
    #[must_use]
    pub fn of(reference: Ground, run: Ground) -> Self {
        match (reference, run) {
            (Ground::Dry, Ground::Dry) => Self::Neither,
            (Ground::Dry, _) => Self::New,
            (_, Ground::Dry) => Self::Gone,
            (Ground::Water, Ground::Water) => Self::Before,
            _ => Self::Both,
        }
    }

    /// Value in `difference_flooded.tif`; NaN if neither run flooded the cell, or it was under water
    /// before the event in both.
    #[must_use]
    pub fn value(self) -> f32 {
        match self {
            Self::Neither | Self::Before => f32::NAN,
            Self::Both => 0.0,
            Self::New => 1.0,
            Self::Gone => -1.0,
        }
    }
}

/// Numbers of cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Extent {
    /// Cells that both runs flooded.
    pub both: usize,
    /// Cells that the run flooded, and the reference did not.
    pub new: usize,
    /// Cells that the reference flooded, and the run did not.
    pub gone: usize,
}

impl Extent {
    /// Counts cells.
    #[must_use]
    pub fn of(cells: &[Flood]) -> Self {
        let count = |state| cells.iter().filter(|cell| **cell == state).count();
        Self { both: count(Flood::Both), new: count(Flood::New), gone: count(Flood::Gone) }
    }

    /// Part of the cells of either run that are of both; `None` if there are none.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "cells are far below 2^53")]
    pub fn agreement(self) -> Option<f64> {
        let either = self.both + self.new + self.gone;
        (either > 0).then(|| self.both as f64 / either as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ground_is_counted_once() {
        let (never, film) = (f32::NAN, 0.04);
        let cells: Vec<Flood> = [
            ((never, false), (never, false)),
            // The sea that both left dry.
            ((never, true), (film, true)),
            ((film, false), (0.05, false)),
            ((never, false), (6.0, true)),
            ((3.0, false), (film, false)),
            ((0.05, true), (0.05, true)),
            ((5.0, true), (7.0, true)),
            ((0.1, false), (0.2, false)),
            ((0.1, true), (5.0, false)),
            ((3.0, false), (6.0, false)),
        ]
        .map(|(reference, run)| {
            let ground = |(depth_m, was_water)| Ground::of(depth_m, 0.05, was_water);
            let [reference, run] = [reference, run].map(ground);
            Flood::of(reference, run)
        })
        .into();
        let extent = Extent::of(&cells);
        assert_eq!(extent, Extent { both: 3, new: 2, gone: 1 });
        assert_eq!(extent.agreement(), Some(0.5));
        assert_eq!(Extent::default().agreement(), None);
        let values: Vec<f32> = cells.iter().map(|cell| cell.value()).collect();
        let known: Vec<f32> = values.iter().copied().filter(|value| !value.is_nan()).collect();
        assert_eq!(known, [1.0, 1.0, -1.0, 0.0, 0.0, 0.0]);
        assert!([0, 1, 5, 6].iter().all(|&cell| values[cell].is_nan()));
    }
}
