//! Ground that one run flooded, or both.
//!
//! ```text
//! agreement = cells that both flooded / cells that either flooded
//! ```
//!
//! A cell is *flooded* if it is as deep as the wet depth at some time. Cells that were under water
//! before the event in both runs (at the start, the sea, permanent water) are flooded by neither.
//! Times of arrival do not identify them: over a coarse cell that was wet from the start, ground
//! that fills later has time 0 too.
//!
//! Guarantees: if both runs had the same water before, new less gone cells are the difference of
//!             the flooded areas of their reports (`water_before_the_event_is_no_flood`).

/// A cell in a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FloodedGround {
    /// Whether the cell was as deep as the wet depth at some time.
    pub is_wet: bool,
    /// Whether the cell was under water before the event.
    pub was_water: bool,
}

/// State of a cell in both runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FloodChange {
    /// Neither run wetted the cell.
    Neither,
    /// The cell was under water before the event in both, and wet in one at least.
    Before,
    /// Both runs wetted the cell.
    Both,
    /// The run wetted the cell, the reference did not.
    New,
    /// The reference wetted the cell, the run did not.
    Gone,
}

impl FloodChange {
    /// Returns the state of a cell from the ground of the reference and of the run.
    #[must_use]
    pub fn of(reference: FloodedGround, run: FloodedGround) -> Self {
        let was_water = reference.was_water && run.was_water;
        match (reference.is_wet, run.is_wet) {
            (false, false) => Self::Neither,
            _ if was_water => Self::Before,
            (false, true) => Self::New,
            (true, false) => Self::Gone,
            (true, true) => Self::Both,
        }
    }

    /// Returns the value in `difference_flooded.tif`; NaN if neither run flooded the cell, or it
    /// was under water before the event in both.
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
pub struct FloodedExtent {
    /// Cells that both runs flooded.
    pub both: usize,
    /// Cells that the run flooded, and the reference did not.
    pub new: usize,
    /// Cells that the reference flooded, and the run did not.
    pub gone: usize,
}

impl FloodedExtent {
    /// Counts cells.
    #[must_use]
    pub fn of(cells: &[FloodChange]) -> Self {
        let count = |state| cells.iter().filter(|cell| **cell == state).count();
        Self {
            both: count(FloodChange::Both),
            new: count(FloodChange::New),
            gone: count(FloodChange::Gone),
        }
    }

    /// Returns the part of the cells of either run that both share; `None` if neither has any.
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
        let (dry, wet) = ((false, false), (true, false));
        let (sea, dry_sea) = ((true, true), (false, true));
        let cells: Vec<FloodChange> = [
            (dry, dry),
            (dry_sea, dry_sea),
            (dry, wet),
            (dry, sea),
            (wet, dry),
            (sea, sea),
            (sea, dry_sea),
            (wet, wet),
            (sea, wet),
            (wet, wet),
        ]
        .map(|(reference, run)| {
            let ground = |(is_wet, was_water)| FloodedGround { is_wet, was_water };
            FloodChange::of(ground(reference), ground(run))
        })
        .into();
        let extent = FloodedExtent::of(&cells);
        assert_eq!(extent, FloodedExtent { both: 3, new: 2, gone: 1 });
        assert_eq!(extent.agreement(), Some(0.5));
        assert_eq!(FloodedExtent::default().agreement(), None);
        let values: Vec<f32> = cells.iter().map(|cell| cell.value()).collect();
        let known: Vec<f32> = values.iter().copied().filter(|value| !value.is_nan()).collect();
        assert_eq!(known, [1.0, 1.0, -1.0, 0.0, 0.0, 0.0]);
        assert!([0, 1, 5, 6].iter().all(|&cell| values[cell].is_nan()));
    }
}
