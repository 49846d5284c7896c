//! Common parts of all kinds of links: their ends, the water there, and the traits of a kind.

use crate::structure::error::Fault;
use serde::Serialize;

/// The specification of a kind of link.
pub trait LinkSpec {
    /// Returns the key of the kind in a scenario, which is also its word in reports.
    fn kind(&self) -> &'static str;

    /// Returns the name of the link.
    fn name(&self) -> &str;

    /// Returns the beginning of the link and, if it is within the world, the end.
    fn ends(&self) -> Vec<EndSpec>;

    /// Checks those numbers that do not depend on the ground.
    ///
    /// # Errors
    ///
    /// [`Fault`] names the number that is out of its range.
    fn check(&self) -> Result<(), Fault>;

    /// Returns the elevations that the link may give, m, with their keys in a scenario.
    fn elevations_m(&self) -> Vec<(&'static str, Option<f64>)>;

    /// Describes the link in words. The elevation of an end on the ground may not be set yet.
    fn words(&self, is_on_ground: [bool; 2]) -> String;

    /// Sets the elevation of an end to the bed, for a kind that needs the elevation.
    fn lay(&mut self, _end: usize, _bed_m: f64) {}

    /// Whether the link has a barrel that may run full.
    fn has_barrel(&self) -> bool {
        false
    }
}

/// An end of a link as specified.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EndSpec {
    /// Key of the end in a scenario.
    pub key: &'static str,
    /// Position of the end: m east and north of the world's south-west corner.
    pub point_m: [f64; 2],
    /// Elevation that controls the water at the end, m: an invert, a rim, an outlet, or the stage
    /// at which a pump stops; `None` on the ground.
    pub elevation_m: Option<f64>,
    /// Key of that elevation in a scenario.
    pub elevation_key: &'static str,
    /// Noun of that elevation in sentences.
    pub elevation_noun: &'static str,
    /// True if water below that elevation stays.
    pub is_sill: bool,
    /// Height of the end, m, if the end must not be more than that above the ground.
    pub height_m: Option<f64>,
}

/// The law of a kind of link: its behaviour in a step.
pub trait FlowLaw {
    /// Returns the state after a step between these stages.
    fn advance(&self, before: LinkState, water: &LinkStages, step: &LawStep) -> LinkState;

    /// Returns the end from which water would flow.
    fn giver(&self, _water: &LinkStages) -> usize {
        0
    }

    /// True if the actual or possible flow is so large that the leaves at the ends must not sleep;
    /// heads up to `head_m` do not count.
    fn is_busy(&self, state: LinkState, water: &LinkStages, head_m: f64) -> bool;

    /// Returns how water passes, if any does.
    fn course(&self, water: &LinkStages) -> Course;
}

/// Water at both ends of a link; for a link that leads out of the world, that of its first end
/// twice.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LinkStages {
    /// Stages, m.
    pub stages_m: [f64; 2],
    /// Elevations above which water enters, m: the invert, or the ground over it.
    pub sills_m: [f64; 2],
    /// Whether the link leads out of the world.
    pub leads_out: bool,
}

impl LinkStages {
    /// Returns the height of the water above the sill of the first end, m.
    #[must_use]
    pub fn head_m(&self) -> f64 {
        self.stages_m[0] - self.sills_m[0]
    }

    /// Returns the stage at the second end, m; `None` out of the world.
    #[must_use]
    pub fn receiving_m(&self) -> Option<f64> {
        (!self.leads_out).then_some(self.stages_m[1])
    }
}

/// Kind of flow through a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Course {
    /// No flow.
    #[default]
    Dry,
    /// Flow with a free surface in at least a part of the link.
    Free,
    /// Flow that fills the link from end to end.
    Full,
}

/// Flow through a link.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct DrivenFlow {
    /// Discharge from the first end to the second, m³/s.
    pub discharge: f64,
    /// The head that drove the flow, m; `None` if the link was at rest.
    pub drive: Option<f64>,
}

/// State of a link.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct LinkState {
    /// Flow through the link.
    pub flow: DrivenFlow,
    /// True if a pump runs.
    pub is_running: bool,
}

impl LinkState {
    /// Creates the state of a discharge that no head drives, m³/s.
    #[must_use]
    pub fn moving(discharge: f64) -> Self {
        Self { flow: DrivenFlow { discharge, drive: None }, is_running: false }
    }
}

/// A step of a link between two cells.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LawStep {
    /// Length of the step, s.
    pub dt_s: f64,
    /// Areas of the two cells, m².
    pub areas_m2: [f64; 2],
    /// Time scale at which still water settles, s; infinite without such damping.
    pub damping_s: f64,
}
