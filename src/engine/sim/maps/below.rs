//! The highest water in the intervals of a leaf so far.
//!
//! Guarantees: an interval is identified by its bed and its ceiling: one that is dug anew, or
//!             wider, begins with the water at its first look. Nothing else is lost or kept.
//! Limits:     one look a cycle, as of all flood maps; largest depth and highest surface alone. All
//!             of it stays in memory, as intervals do, even if the planes of a sleeping leaf do
//!             not.

use crate::state::stack::IntervalState;
use std::sync::Arc;

/// The highest water in an interval so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HighestWater {
    /// Index of the cell.
    pub cell: u16,
    /// Lowest place, vertical units above the datum.
    pub bed: i32,
    /// Highest place, vertical units above the datum.
    pub ceiling: i32,
    /// Largest depth, vertical units.
    pub depth_max: i32,
    /// Highest stage, or head if it was full, vertical units above the datum; the bed if it was
    /// never wet.
    pub surface_max: i32,
}

impl HighestWater {
    /// Returns the present water of an interval.
    #[must_use]
    pub fn of(own: &IntervalState) -> Self {
        let IntervalState { cell, bed, ceiling, depth, .. } = *own;
        Self { cell, bed, ceiling, depth_max: depth, surface_max: own.surface() }
    }

    /// Returns true if the maxima belong to this interval.
    fn is_of(&self, own: &IntervalState) -> bool {
        (self.cell, self.bed, self.ceiling) == (own.cell, own.bed, own.ceiling)
    }

    /// Returns the higher water of the two.
    fn with(self, now: Self) -> Self {
        Self {
            depth_max: self.depth_max.max(now.depth_max),
            surface_max: self.surface_max.max(now.surface_max),
            ..now
        }
    }
}

/// The highest water of the intervals of a leaf, by cell and bed; copies share it until one is
/// written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BelowMaps(Option<Arc<Vec<HighestWater>>>);

impl BelowMaps {
    /// Returns all maxima.
    #[must_use]
    pub fn all(&self) -> &[HighestWater] {
        self.0.as_ref().map_or(&[], |maxima| maxima)
    }

    /// Returns the highest water in an interval so far, with the present water included.
    #[must_use]
    pub fn of(&self, own: &IntervalState) -> HighestWater {
        let (maxima, now) = (self.all(), HighestWater::of(own));
        let key = |seen: &HighestWater| (seen.cell, seen.bed);
        let found = maxima.binary_search_by_key(&(own.cell, own.bed), key);
        let seen = found.ok().map(|at| maxima[at]).filter(|seen| seen.is_of(own));
        seen.map_or(now, |seen| seen.with(now))
    }

    /// Looks at the present intervals.
    pub(crate) fn look(&mut self, intervals: &[IntervalState]) {
        let known = self.all();
        // Intervals seldom change, so most looks need neither a search nor a new list.
        let is_same = known.len() == intervals.len()
            && known.iter().zip(intervals).all(|(seen, own)| seen.is_of(own));
        if !is_same {
            let maxima: Vec<HighestWater> = intervals.iter().map(|own| self.of(own)).collect();
            self.0 = (!maxima.is_empty()).then(|| Arc::new(maxima));
        } else if let Some(maxima) = &mut self.0 {
            for (seen, own) in Arc::make_mut(maxima).iter_mut().zip(intervals) {
                *seen = seen.with(HighestWater::of(own));
            }
        }
    }
}

impl From<Vec<HighestWater>> for BelowMaps {
    fn from(maxima: Vec<HighestWater>) -> Self {
        Self((!maxima.is_empty()).then(|| Arc::new(maxima)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::stack::NO_HEAD;

    fn interval(cell: u16, [bed, ceiling]: [i32; 2], depth: i32, head: i32) -> IntervalState {
        IntervalState { cell, bed, ceiling, depth, head }
    }

    #[test]
    fn maxima_stay_until_their_interval_is_another() {
        let mut maps = BelowMaps::default();
        let maxima = |maps: &BelowMaps| -> Vec<[i32; 2]> {
            maps.all().iter().map(|seen| [seen.depth_max, seen.surface_max]).collect()
        };
        let (low, high) = ([0, 10], [20, 30]);
        maps.look(&[interval(3, low, 10, 15), interval(3, high, 4, NO_HEAD)]);
        let before = maps.clone();
        maps.look(&[interval(3, low, 2, NO_HEAD), interval(3, high, 5, NO_HEAD)]);
        assert_eq!(maxima(&maps), [[10, 15], [5, 25]]);
        assert_eq!(maxima(&before), [[10, 15], [4, 24]], "a copy is as it was");
        // One more, one wider: each begins anew, the one between stays.
        let now = [interval(2, low, 1, NO_HEAD), interval(3, low, 0, NO_HEAD)];
        let now = [now[0], now[1], interval(3, [20, 31], 3, NO_HEAD)];
        assert_eq!(maps.of(&now[2]).depth_max, 3, "before the look");
        maps.look(&now);
        assert_eq!(maxima(&maps), [[1, 1], [10, 15], [3, 23]]);
        maps.look(&[]);
        assert_eq!(maps, BelowMaps::default());
        maps.look(&now);
        assert_eq!(maxima(&maps), [[1, 1], [0, 0], [3, 23]], "closed and dug again");
    }
}
