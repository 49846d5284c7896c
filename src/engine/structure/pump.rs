//! A pump: a discharge as a function of the lift, switched on and off by the stage at its intake.
//!
//! Guarantees: between its two stages the pump stays on or off, as it was.
//! Source:     own.

use crate::structure::end::{Course, EndSpec, FlowLaw, LawStep, LinkSpec, LinkStages, LinkState};
use crate::structure::error::{Fault, Number};
use crate::structure::frame::StructureFrame;
use crate::units::plain::short;
use serde::{Deserialize, Serialize};

/// A height in the curve of a pump.
pub const LIFT: Number = Number::new(("curve", "a height of its curve"), [-1.0e4, 1.0e4], " m");

/// A discharge in the curve of a pump.
pub const RATE: Number = Number::new(("curve", "a discharge of its curve"), [0.0, 1.0e5], " m³/s");

/// A pump from one place to another, or out of the world.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Pump {
    /// Name of the pump.
    pub name: String,
    /// Intake of the pump: m east and north of the world's south-west corner.
    #[serde(rename = "from_m", alias = "from")]
    pub from: [f64; 2],
    /// Outlet of the pump, likewise; `None` out of the world.
    #[serde(rename = "to_m", alias = "to", default)]
    pub to: Option<[f64; 2]>,
    /// Lifts, m, ascending, and discharges, m³/s: linear between the points, constant beyond.
    pub curve: Vec<(f64, f64)>,
    /// Stage at the intake from which the pump runs, m.
    pub on_stage_m: f64,
    /// Stage at the intake below which the pump stops, m.
    pub off_stage_m: f64,
    /// Elevation to which the pump lifts at least, m; if `None`, a pump out of the world has no
    /// lift.
    #[serde(default)]
    pub outlet_m: Option<f64>,
}

impl LinkSpec for Pump {
    fn kind(&self) -> &'static str {
        "pump"
    }

    fn name(&self) -> &str {
        &self.name
    }

    fn ends(&self) -> Vec<EndSpec> {
        let end = |key, point_m, elevation_m, (elevation_key, elevation_noun)| EndSpec {
            key,
            point_m,
            elevation_m,
            elevation_key,
            elevation_noun,
            is_sill: false,
            height_m: None,
        };
        let stop = ("off", "the stage it stops below");
        let from = end("from", self.from, Some(self.off_stage_m), stop);
        let to = self.to.map(|to| end("to", to, self.outlet_m, ("outlet", "its outlet")));
        [from].into_iter().chain(to).collect()
    }

    fn check(&self) -> Result<(), Fault> {
        for &(lift_m, rate) in &self.curve {
            LIFT.check(lift_m)?;
            RATE.check(rate)?;
        }
        let falls = self.curve.windows(2).position(|pair| pair[0].0 >= pair[1].0);
        match falls {
            _ if self.curve.is_empty() => Err(Fault::Curve { point: None }),
            Some(first) => Err(Fault::Curve { point: Some(first + 2) }),
            None => Ok(()),
        }
    }

    fn elevations_m(&self) -> Vec<(&'static str, Option<f64>)> {
        let stages = [("on", self.on_stage_m), ("off", self.off_stage_m)];
        let stages = stages.into_iter().map(|(key, stage_m)| (key, Some(stage_m)));
        stages.chain([("outlet", self.outlet_m)]).collect()
    }

    fn words(&self, _: [bool; 2]) -> String {
        let most = short(self.curve.iter().map(|(_, rate)| *rate).fold(0.0, f64::max));
        let upto = if self.curve.len() > 1 { "up to " } else { "" };
        let to = if self.to.is_some() { "" } else { " out of the map" };
        let (on, off) = (short(self.on_stage_m), short(self.off_stage_m));
        format!("{upto}{most} m³/s{to}, on from a stage of {on} m, off below {off} m")
    }
}

impl Pump {
    /// Returns the law of the pump.
    pub(super) fn law(&self, frame: &StructureFrame<'_>) -> Result<PumpLaw, Fault> {
        let on_m = frame.above_datum_m("the stage it runs from", self.on_stage_m)?;
        let off_m = frame.above_datum_m("the stage it stops below", self.off_stage_m)?;
        let outlet_m =
            self.outlet_m.map(|metres| frame.above_datum_m("its outlet", metres)).transpose()?;
        PumpLaw::try_new(self.curve.clone(), [on_m, off_m], outlet_m).ok_or_else(|| {
            let Self { on_stage_m, off_stage_m, .. } = self;
            Fault::Other(format!(
                "it stops below {off_stage_m} m but runs from {on_stage_m} m only: choose a stage \
                 to stop at that is not above"
            ))
        })
    }
}

/// The law of a pump.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PumpLaw {
    /// Lifts, m, ascending, and discharges, m³/s: linear between the points, constant beyond.
    curve: Vec<(f64, f64)>,
    /// Stage at the intake from which the pump runs, m.
    on_m: f64,
    /// Stage at the intake below which the pump stops, m.
    off_m: f64,
    /// Elevation to which the pump lifts at least, m.
    outlet_m: Option<f64>,
}

impl FlowLaw for PumpLaw {
    fn advance(&self, before: LinkState, water: &LinkStages, _: &LawStep) -> LinkState {
        let is_running = self.runs(before.is_running, water.stages_m[0]);
        let rate = || self.discharge(water.stages_m[0], water.receiving_m());
        LinkState { is_running, ..LinkState::moving(if is_running { rate() } else { 0.0 }) }
    }

    fn is_busy(&self, state: LinkState, water: &LinkStages, head_m: f64) -> bool {
        self.runs(state.is_running, water.stages_m[0])
            && water.head_m() > head_m
            && self.discharge(water.stages_m[0], water.receiving_m()) > 0.0
    }

    fn course(&self, _: &LinkStages) -> Course {
        Course::Full
    }
}

impl PumpLaw {
    /// Creates a pump; `None` if the curve is empty or not in order of heights, if a discharge is
    /// negative, or if the pump stops above the stage from which it runs.
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

    /// Whether the pump runs at a stage at the intake, given whether it ran before.
    #[must_use]
    pub fn runs(&self, was_running: bool, stage_m: f64) -> bool {
        if was_running { stage_m >= self.off_m } else { stage_m >= self.on_m }
    }

    /// Returns the discharge while the pump runs, m³/s, from a stage to another, m; without a
    /// second stage, over the outlet.
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
        // Beyond the ends of the curve both points are the same one.
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
        let pump = PumpLaw::try_new(curve, [1.0, 0.5], Some(2.0)).expect("a good pump");
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
        let pump = PumpLaw::try_new(vec![(0.0, 1.0)], [1.0, 0.5], None).expect("a good pump");
        let cases =
            [(false, 0.9, false), (false, 1.0, true), (true, 0.6, true), (true, 0.4, false)];
        for (before, stage, after) in cases {
            assert_eq!(pump.runs(before, stage), after, "{stage} m");
        }
        for curve in [vec![], vec![(1.0, 1.0), (1.0, 0.5)], vec![(0.0, -1.0)]] {
            assert_eq!(PumpLaw::try_new(curve, [1.0, 0.5], None), None);
        }
        assert_eq!(PumpLaw::try_new(vec![(0.0, 1.0)], [0.5, 1.0], None), None);
    }
}
