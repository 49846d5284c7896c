//! Heights over time, and by a stage: tides, gates that open, rules for them.

use crate::units::SimTime;
use serde::Serialize;

/// A stage over time, vertical units: straight lines between points, constant beyond them.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StageSeries {
    /// Moments and stages, in order of time; not empty.
    points: Vec<(SimTime, i32)>,
}

impl StageSeries {
    /// Returns the bytes that the series occupies.
    #[must_use]
    pub fn bytes(&self) -> usize {
        size_of_val(&self.points[..])
    }

    /// Returns a series through `points`, which must be in order of time; `None` if they are not,
    /// or if `points` is empty.
    #[must_use]
    pub fn new(points: Vec<(SimTime, i32)>) -> Option<Self> {
        let is_sorted = points.windows(2).all(|pair| pair[0].0 < pair[1].0);
        (is_sorted && !points.is_empty()).then_some(Self { points })
    }

    /// Returns the highest stage of all times.
    #[must_use]
    pub fn highest(&self) -> i32 {
        self.points.iter().map(|(_, stage)| *stage).max().expect("not empty")
    }

    /// Returns the stage at `time`.
    #[must_use]
    pub fn at(&self, time: SimTime) -> i32 {
        between(&self.points, time, |from, to| i128::from(to.since(from)))
    }
}

/// Returns the height at `place` on straight lines between points in order, constant beyond them;
/// `span` returns the distance from one place to a later one.
fn between<T: Copy + PartialOrd>(
    points: &[(T, i32)],
    place: T,
    span: impl Fn(T, T) -> i128,
) -> i32 {
    let next = points.partition_point(|(at, _)| *at <= place);
    let after = points[next.min(points.len() - 1)];
    let before = points[next.saturating_sub(1)];
    let whole = span(before.0, after.0);
    // Beyond either end `before` and `after` are the same point.
    if whole == 0 {
        return before.1;
    }
    let rise = i128::from(after.1) - i128::from(before.1);
    // A rise below 2³² times a span of up to 2⁶² ticks does not fit 64 bits.
    let part = rise * span(before.0, place) / whole;
    i32::try_from(i128::from(before.1) + part).expect("between two heights")
}

/// A height by a stage, vertical units: straight lines between points, constant beyond them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StageRule {
    /// Stages and heights, in order of the stage; not empty.
    points: Vec<(i32, i32)>,
}

impl StageRule {
    /// Returns a rule through `points`, which must be in order of the stage; `None` if they are
    /// not, or if `points` is empty.
    #[must_use]
    pub fn new(points: Vec<(i32, i32)>) -> Option<Self> {
        let is_sorted = points.windows(2).all(|pair| pair[0].0 < pair[1].0);
        (is_sorted && !points.is_empty()).then_some(Self { points })
    }

    /// Returns the height at a stage.
    #[must_use]
    pub fn at(&self, stage: i32) -> i32 {
        between(&self.points, stage, |from, to| i128::from(to) - i128::from(from))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_go_through_their_points() {
        let rule = StageRule::new(vec![(-10, 0), (0, 5), (4, -3)]).expect("in order");
        let found: Vec<i32> = [-20, -10, -5, 0, 1, 3, 4, 9].map(|stage| rule.at(stage)).into();
        assert_eq!(found, [0, 0, 2, 5, 3, -1, -3, -3]);
        assert_eq!(StageRule::new(vec![(0, 1), (0, 2)]), None);
        assert_eq!(StageRule::new(Vec::new()), None);
        let series =
            StageSeries::new(vec![(SimTime::from_ticks(4), 1), (SimTime::from_ticks(8), 9)]);
        let at = |ticks| series.as_ref().map(|series| series.at(SimTime::from_ticks(ticks)));
        assert_eq!([at(0), at(4), at(6), at(99)], [Some(1), Some(1), Some(5), Some(9)]);
    }
}
