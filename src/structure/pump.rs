//! A pump: a discharge by the height it lifts, on and off by the stage at its intake.
//!
//! Guarantees: between its two stages it goes on as it was.
//! Source:     own.

use serde::Serialize;

/// A pump as its law.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Pump {
    /// Heights it lifts, m, ascending, and discharges, m³/s: straight lines between, constant
    /// beyond.
    curve: Vec<(f64, f64)>,
    /// Stage at the intake from which it runs, m.
    on_m: f64,
    /// Stage at the intake below which it stops, m.
    off_m: f64,
    /// Elevation over which it lifts at least, m.
    outlet_m: Option<f64>,
}

impl Pump {
    /// A pump; `None` where its curve is empty or not in order of heights, a discharge is negative,
    /// or it stops above where it starts.
    #[must_use]
    pub fn try_new(
        curve: Vec<(f64, f64)>,
        [on_m, off_m]: [f64; 2],
        outlet_m: Option<f64>,
    ) -> Option<Self> {
        let is_sorted = curve.windows(2).all(|pair| pair[0].0 < pair[1].0);
        let is_good = curve.iter().all(|&(head, rate)| head.is_finite() && rate >= 0.0);
        let is_pump = !curve.is_empty() && is_sorted && is_good && off_m <= on_m;
        is_pump.then_some(Self { curve, on_m, off_m, outlet_m })
    }

    /// Whether it runs at a stage at the intake, after it did or did not.
    #[must_use]
    pub fn runs(&self, was_running: bool, stage_m: f64) -> bool {
        if was_running { stage_m >= self.off_m } else { stage_m >= self.on_m }
    }

    /// What it moves while it runs, m³/s, from a stage to another, m; without one over its outlet.
    #[must_use]
    pub fn discharge(&self, from_m: f64, to_m: Option<f64>) -> f64 {
        let over = match (to_m, self.outlet_m) {
            (Some(to), Some(outlet)) if outlet > to => outlet,
            (Some(to), _) => to,
            (None, Some(outlet)) => outlet,
            (None, None) => from_m,
        };
        let head = over - from_m;
        let next = self.curve.partition_point(|&(at, _)| at <= head);
        let after = self.curve[next.min(self.curve.len() - 1)];
        let before = self.curve[next.saturating_sub(1)];
        let span = after.0 - before.0;
        if span > 0.0 {
            before.1 + (after.1 - before.1) * ((head - before.0) / span)
        } else {
            before.1
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_is_read_between_its_points_and_held_beyond() {
        let curve = vec![(0.0, 3.0), (4.0, 2.0), (6.0, 0.0)];
        let pump = Pump::try_new(curve, [1.0, 0.5], Some(2.0)).expect("a good pump");
        for (from, to, expected) in [
            (0.0, Some(4.0), 2.0),
            (0.0, Some(1.0), 2.5),
            (0.0, None, 2.5),
            (1.0, Some(6.0), 1.0),
            (0.0, Some(60.0), 0.0),
            (9.0, Some(2.0), 3.0),
        ] {
            let got = pump.discharge(from, to);
            assert!((got - expected).abs() < 1.0e-12, "{from} to {to:?}: {got}, not {expected}");
        }
    }

    #[test]
    fn between_its_stages_it_goes_on_as_it_was() {
        let pump = Pump::try_new(vec![(0.0, 1.0)], [1.0, 0.5], None).expect("a good pump");
        let cases =
            [(false, 0.9, false), (false, 1.0, true), (true, 0.6, true), (true, 0.4, false)];
        for (before, stage, after) in cases {
            assert_eq!(pump.runs(before, stage), after, "{stage} m");
        }
        for curve in [vec![], vec![(1.0, 1.0), (1.0, 0.5)], vec![(0.0, -1.0)]] {
            assert_eq!(Pump::try_new(curve, [1.0, 0.5], None), None);
        }
        assert_eq!(Pump::try_new(vec![(0.0, 1.0)], [0.5, 1.0], None), None);
    }
}
