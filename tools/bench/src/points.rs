//! Floods at points: highest levels and first water, and the difference between two runs.

use crate::accuracy::case::percent;

/// Depth from which a point counts as wet, m.
pub const WET_M: f64 = 0.01;

/// Values of a run at a point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PointFlood {
    /// Highest stage, m; NaN if it never got wet.
    pub level_m: f64,
    /// Bed when it was wet last, m; NaN if it never was.
    pub bed_m: f64,
    /// Time of the first water, s; infinite if it never got wet.
    pub arrival_s: f64,
}

impl PointFlood {
    /// Values of a point that has not got wet yet.
    pub const DRY: Self = Self { level_m: f64::NAN, bed_m: f64::NAN, arrival_s: f64::INFINITY };

    /// Records a stage over a bed at a time; dry cells have no stage.
    pub fn look(&mut self, now_s: f64, bed_m: f64, stage_m: Option<f64>) {
        let Some(stage_m) = stage_m.filter(|stage_m| stage_m - bed_m >= WET_M) else { return };
        self.level_m = self.level_m.max(stage_m);
        (self.bed_m, self.arrival_s) = (bed_m, self.arrival_s.min(now_s));
    }

    /// Returns whether the point ever got wet.
    #[must_use]
    pub fn is_wet(&self) -> bool {
        self.arrival_s.is_finite()
    }
}

/// Difference of two runs over the points that get wet in both: largest, then mean.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Off {
    /// Difference of levels, m.
    pub level_m: [f64; 2],
    /// Differences of the level, parts of the level above the datum.
    pub level: [f64; 2],
    /// Differences of the depth, parts of the largest depth.
    pub depth: [f64; 2],
    /// Difference of arrivals, parts of the time since the beginning.
    pub arrival: [f64; 2],
    /// Points that are wet in one of the runs alone.
    pub odd: usize,
}

impl Off {
    /// Compares a run with the reference run.
    #[must_use]
    pub fn between(right: &[PointFlood], other: &[PointFlood]) -> Self {
        let both = || right.iter().zip(other).filter(|(a, b)| a.is_wet() && b.is_wet());
        let of = |part: &dyn Fn(&PointFlood, &PointFlood) -> f64| {
            let parts: Vec<f64> = both().map(|(a, b)| part(a, b).abs()).collect();
            let most = parts.iter().copied().fold(0.0, f64::max);
            [most, parts.iter().sum::<f64>() / parts.len() as f64]
        };
        let rise = |a: &PointFlood, b: &PointFlood| b.level_m - a.level_m;
        Self {
            level_m: of(&rise),
            level: of(&|a, b| rise(a, b) / a.level_m),
            depth: of(&|a, b| rise(a, b) / (a.level_m - a.bed_m).max(WET_M)),
            arrival: of(&|a, b| (b.arrival_s - a.arrival_s) / a.arrival_s.max(1.0)),
            odd: right.iter().zip(other).filter(|(a, b)| a.is_wet() != b.is_wet()).count(),
        }
    }
}

impl std::fmt::Display for Off {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let pair = |[most, mean]: [f64; 2]| format!("{} ({})", percent(mean), percent(most));
        write!(
            f,
            "mean (largest) differences: levels {:.3} m ({:.3} m), {}, in parts of depth {}, \
             arrivals {}; {} points wet in one run alone",
            self.level_m[1],
            self.level_m[0],
            pair(self.level),
            pair(self.depth),
            pair(self.arrival),
            self.odd
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_and_arrivals_are_compared_where_both_are_wet() {
        let seen = |looks: &[(f64, f64)]| {
            let mut seen = PointFlood::DRY;
            looks.iter().for_each(|&(now, stage)| seen.look(now, 8.0, Some(stage)));
            seen
        };
        let right = [seen(&[(5.0, 8.001), (10.0, 10.0)]), seen(&[(7.0, 9.0)]), PointFlood::DRY];
        let other = [seen(&[(5.0, 10.5), (12.0, 9.0)]), PointFlood::DRY, PointFlood::DRY];
        let off = Off::between(&right, &other);
        for (found, expected) in [
            (off.level_m, [0.5; 2]),
            (off.level, [0.05; 2]),
            (off.depth, [0.25; 2]),
            (off.arrival, [0.5; 2]),
        ] {
            assert!((found[0] - expected[0]).abs() < 1.0e-12, "{off:?}");
            assert!((found[1] - expected[1]).abs() < 1.0e-12, "{off:?}");
        }
        assert_eq!(off.odd, 1);
    }
}
