//! Ground that one run flooded, or both.
//!
//! ```text
//! agreement = cells that both flooded / cells that either flooded
//! ```
//!
//! *Flooded* is a cell with a time of arrival: as deep as the wet depth at some time. Cells that
//! were so at the start of both runs, whose time of arrival is 0, do not count.
//!
//! Limits: a sea without water at the start, and permanent water that the event fills, count here,
//!         though not in the flooded area of a run: its GeoTIFFs do not tell them apart.

/// State of a cell in both runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flood {
    /// Neither run flooded the cell.
    Neither,
    /// The cell was under water at the start of both.
    Before,
    /// Both runs flooded the cell.
    Both,
    /// The run flooded the cell, the reference did not.
    New,
    /// The reference flooded the cell, the run did not.
    Gone,
}

impl Flood {
    /// State of a cell by its times of arrival in the reference and in the run, s; NaN is never.
    #[must_use]
    pub fn of(reference_s: f32, run_s: f32) -> Self {
        match (reference_s.is_nan(), run_s.is_nan()) {
            (true, true) => Self::Neither,
            (true, false) => Self::New,
            (false, true) => Self::Gone,
            (false, false) if reference_s <= 0.0 && run_s <= 0.0 => Self::Before,
            (false, false) => Self::Both,
        }
    }

    /// Value in `difference_flooded.tif`; NaN if neither run flooded the cell.
    #[must_use]
    pub fn value(self) -> f32 {
        match self {
            Self::Neither => f32::NAN,
            Self::Before | Self::Both => 0.0,
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
        let never = f32::NAN;
        let cells: Vec<Flood> = [
            (never, never),
            (never, 0.0),
            (never, 60.0),
            (30.0, never),
            (0.0, 0.0),
            (0.0, 5.0),
            (30.0, 60.0),
            (60.0, 30.0),
        ]
        .map(|(reference_s, run_s)| Flood::of(reference_s, run_s))
        .into();
        let extent = Extent::of(&cells);
        assert_eq!(extent, Extent { both: 3, new: 2, gone: 1 });
        assert_eq!(extent.agreement(), Some(0.5));
        assert_eq!(Extent::default().agreement(), None);
        let values: Vec<f32> = cells.iter().map(|cell| cell.value()).collect();
        assert!(values[0].is_nan());
        assert_eq!(values[1..], [1.0, 1.0, -1.0, 0.0, 0.0, 0.0, 0.0]);
    }
}
