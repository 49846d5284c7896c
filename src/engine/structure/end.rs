//! Common parts of all kinds of links: their ends, the water there, and what a kind must say.

use crate::structure::error::Fault;
use serde::Serialize;

/// A kind of link: its specification, in the file of its kind.
pub trait Kind {
    /// Section of the kind in a scenario, and its word in reports.
    fn kind(&self) -> &'static str;

    /// Name of the link.
    fn name(&self) -> &str;

    /// Where it begins and, within the world, ends.
    fn ends(&self) -> Vec<End>;

    /// Checks its numbers, as far as they need no ground.
    ///
    /// # Errors
    ///
    /// [`Fault`] says which one is out of its range.
    fn check(&self) -> Result<(), Fault>;

    /// Elevations that it may name, m, with their keys in a scenario.
    fn elevations_m(&self) -> Vec<(&'static str, Option<f64>)>;

    /// Description of the link, in words. Ends may lie on ground that is not known yet.
    fn words(&self, is_on_ground: [bool; 2]) -> String;

    /// Lays an end on the ground, where its elevation has to be known.
    fn lay(&mut self, _end: usize, _bed_m: f64) {}

    /// Whether the link has a barrel that may run full.
    fn has_barrel(&self) -> bool {
        false
    }
}

/// An end of a link as specified.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct End {
    /// Key of the end in a scenario.
    pub key: &'static str,
    /// Where it is: m east and north of the world's south-west corner.
    pub point_m: [f64; 2],
    /// Elevation that decides over its water, m: an invert, a rim, an outlet, or the stage at which
    /// a pump stops; `None` on the ground.
    pub elevation_m: Option<f64>,
    /// Key of that elevation in a scenario.
    pub elevation_key: &'static str,
    /// Noun of that elevation in sentences.
    pub elevation_noun: &'static str,
    /// Water below that elevation stays.
    pub is_sill: bool,
    /// Height of the end, m, where it must not hang so far above the ground.
    pub height_m: Option<f64>,
}

/// A kind of link as its law: what it does in a step.
pub trait Law {
    /// The state after a step between these stages.
    fn advance(&self, before: LinkState, water: &Stages, step: &Step) -> LinkState;

    /// Which end would give water.
    fn giver(&self, _water: &Stages) -> usize {
        0
    }

    /// True where so much flows, or would, that the leaves at its ends must not sleep; heads below
    /// `head_m` count as none.
    fn is_busy(&self, state: LinkState, water: &Stages, head_m: f64) -> bool;

    /// How water passes where some does.
    fn course(&self, water: &Stages) -> Course;
}

/// Water at both ends of a link; of one that leads out of the world twice that of its first.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stages {
    /// Stages, m.
    pub stages_m: [f64; 2],
    /// Elevations above which water enters, m: the invert, or the ground over it.
    pub sills_m: [f64; 2],
    /// Whether the link leads out of the world.
    pub leads_out: bool,
}

impl Stages {
    /// How high water stands above the sill of the first end, m.
    #[must_use]
    pub fn head_m(&self) -> f64 {
        self.stages_m[0] - self.sills_m[0]
    }

    /// Stage at the second end, m; `None` out of the world.
    #[must_use]
    pub fn receiving_m(&self) -> Option<f64> {
        (!self.leads_out).then_some(self.stages_m[1])
    }
}

/// How water passes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Course {
    /// Nothing does.
    #[default]
    Dry,
    /// With a surface, somewhere.
    Free,
    /// Full from end to end.
    Full,
}

/// Flow through a link.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct Flow {
    /// m³/s, from the first end to the second.
    pub discharge: f64,
    /// The head that drove it, m; none where it was at rest.
    pub drive: Option<f64>,
}

/// State of a link.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct LinkState {
    /// Flow through the link.
    pub flow: Flow,
    /// A pump runs.
    pub is_running: bool,
}

impl LinkState {
    /// A discharge that no head drives, m³/s.
    #[must_use]
    pub fn moving(discharge: f64) -> Self {
        Self { flow: Flow { discharge, drive: None }, is_running: false }
    }
}

/// A step of a link between two cells.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    /// Length of the step, s.
    pub dt_s: f64,
    /// Areas of the two cells, m².
    pub areas_m2: [f64; 2],
    /// Time scale at which still water settles, s; endless where it does not.
    pub damping_s: f64,
}
