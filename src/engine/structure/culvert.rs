//! A culvert or pipe between two places: free or full, in both directions.
//!
//! ```text
//! inlet control    critical    hw = y + (1 + k_in) A / 2T,  Q = A √(g A / T)       hw ≤ 1.2 D
//!                  orifice     Q = 0.6 A √(2 g (hw − D/2))                         hw ≥ 1.5 D
//!                  between them straight lines
//! outlet control   η₁ − z₂ − y = Q²/2g (k_in/A₁² + k_out/A² + 2 g n² L √(s₁ s))
//!                  s = 1/(A² R^(4/3)) of the water before, s₁, and behind
//!                  the largest Q over outlet depths y from that of the water there upwards
//! steady           the lesser of the two; over a drowned outlet the second alone
//!
//! dQ/dt = g A/L ΔH − (g A/L) r |Q| Q,      ΔH = η₁ − max(η₂, z₂),   r = ΔH/Q²  of the steady Q
//! Q' = 2 s / (1 + √(1 + 4 K Δt |s|)),      s = Q + Δt (g A/L) (ΔH + δ),   K = g A r/L
//! ```
//!
//! The largest Q at a given energy is the critical one (Bélanger), so a free outlet needs no depth
//! of its own. A full pipe over a free outlet ends a little below its crown for the same reason. L
//! is the length of the pipe, but at least so long that the two cells do not oscillate faster than
//! half a radian a step. δ is the change of ΔH in the last step, up to the change that this
//! discharge caused: 0 in a steady flow; it removes 1 − (ωΔt)² of the oscillation's square in each
//! step.
//!
//! Guarantees: no flow between equal stages at rest; a constant discharge is the steady one
//!             (`it_settles_at_the_steady_discharge`); oscillations of two cells never grow,
//!             however long the step (`two_small_cells_level_out`).
//! Limits:     no air, no water hammer, no jump within the barrel; water in the barrel is not
//!             stored.
//! Source:     Bodhaine (1968), USGS TWRI 3-A3, types 1 to 6; FHWA (2012), HDS-5, chapter 3; the
//!             implicit root as in the friction of shallow water; own where they meet.

use crate::structure::end::{
    Course, DrivenFlow, EndSpec, FlowLaw, LawStep, LinkSpec, LinkStages, LinkState,
};
use crate::structure::error::{Fault, Number};
use crate::structure::frame::StructureFrame;
use crate::structure::section::{STEPS, Section, SectionTable, Wetted};
use crate::units::plain::short;
use serde::{Deserialize, Serialize};

/// Length of a culvert.
pub const LENGTH: Number = Number::new(("length", "its length"), [0.001, 1.0e6], " m");

/// Manning's n of a culvert's walls.
pub const MANNING: Number =
    Number::new(("manning", "Manning's n"), [0.0, 1.0], ", usually 0.01 to 0.03");

/// Loss at the end where water enters a culvert.
pub const INLET_LOSS: Number =
    Number::new(("inlet_loss", "its inlet loss"), LOSSES, ", usually 0.2 to 1");

/// Loss at the end where water leaves a culvert.
pub const OUTLET_LOSS: Number =
    Number::new(("outlet_loss", "its outlet loss"), LOSSES, ", usually 0.2 to 1");

/// The least and the largest loss, in velocity heads.
const LOSSES: [f64; 2] = [0.0, 100.0];

/// A culvert or pipe between two places.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Culvert {
    /// Name of the culvert.
    pub name: String,
    /// Beginning of the culvert: m east and north of the world's south-west corner.
    #[serde(rename = "from_m", alias = "from")]
    pub from: [f64; 2],
    /// End of the culvert, likewise.
    #[serde(rename = "to_m", alias = "to")]
    pub to: [f64; 2],
    /// Elevation of the lowest point of the beginning, m.
    pub from_invert_m: f64,
    /// Elevation of the lowest point of the end, m.
    pub to_invert_m: f64,
    /// Cross-section of the culvert.
    pub section: Section,
    /// Length of the culvert, m; `None` for the straight line between its ends.
    #[serde(default)]
    pub length_m: Option<f64>,
    /// Manning's n of the walls, s/m^(1/3): 0.012 for smooth concrete, 0.024 for corrugated steel.
    pub manning_n: f64,
    /// Entrance loss, in velocity heads: 0.5 for a square edge, 0.2 for a rounded one.
    pub inlet_loss: f64,
    /// Exit loss, in velocity heads: 1 into still water.
    pub outlet_loss: f64,
    /// True if a flap valve stops flow from the end to the beginning.
    #[serde(default)]
    pub has_flap: bool,
}

impl Default for Culvert {
    /// Returns a pipe of 1 m of smooth concrete, with a square edge and into still water.
    fn default() -> Self {
        Self {
            name: String::new(),
            from: [0.0; 2],
            to: [0.0; 2],
            from_invert_m: 0.0,
            to_invert_m: 0.0,
            section: Section::Circle { diameter_m: 1.0 },
            length_m: None,
            manning_n: 0.012,
            inlet_loss: 0.5,
            outlet_loss: 1.0,
            has_flap: false,
        }
    }
}

impl LinkSpec for Culvert {
    fn kind(&self) -> &'static str {
        "culvert"
    }

    fn name(&self) -> &str {
        &self.name
    }

    fn ends(&self) -> Vec<EndSpec> {
        let height_m = Some(self.section.height_m());
        let end = |key, point_m, (elevation_key, invert_m)| EndSpec {
            key,
            point_m,
            elevation_m: Some(invert_m),
            elevation_key,
            elevation_noun: "its invert",
            is_sill: true,
            height_m,
        };
        vec![
            end("from", self.from, ("from_invert", self.from_invert_m)),
            end("to", self.to, ("to_invert", self.to_invert_m)),
        ]
    }

    fn check(&self) -> Result<(), Fault> {
        self.section.check()?;
        MANNING.check(self.manning_n)?;
        INLET_LOSS.check(self.inlet_loss)?;
        OUTLET_LOSS.check(self.outlet_loss)?;
        self.length_m.map_or(Ok(()), |length_m| LENGTH.check(length_m).map(|_| ()))
    }

    fn elevations_m(&self) -> Vec<(&'static str, Option<f64>)> {
        vec![("from_invert", Some(self.from_invert_m)), ("to_invert", Some(self.to_invert_m))]
    }

    fn words(&self, is_on_ground: [bool; 2]) -> String {
        let section = match self.section {
            Section::Circle { diameter_m } => format!("a pipe of {} m", short(diameter_m)),
            Section::Box { width_m, height_m } => {
                format!("a box of {} × {} m", short(width_m), short(height_m))
            }
        };
        let inverts = [self.from_invert_m, self.to_invert_m];
        let [from, to] = [0, 1].map(|end| match is_on_ground[end] {
            true => "the ground".to_owned(),
            false => format!("{} m", short(inverts[end])),
        });
        let length = self.length_m.map_or("straight".into(), |m| format!("{} m long", short(m)));
        let flap = if self.has_flap { ", with a flap" } else { "" };
        format!("{section}, {length}, from {from} to {to}{flap}")
    }

    fn lay(&mut self, end: usize, bed_m: f64) {
        *[&mut self.from_invert_m, &mut self.to_invert_m][end] = bed_m;
    }

    fn has_barrel(&self) -> bool {
        true
    }
}

impl Culvert {
    /// Returns the law of the culvert.
    pub(super) fn law(&self, frame: &StructureFrame<'_>) -> Result<CulvertLaw, Fault> {
        let Self { from, to, section, manning_n, inlet_loss, outlet_loss, has_flap, .. } = *self;
        let from_m = frame.above_datum_m("its invert", self.from_invert_m)?;
        let to_m = frame.above_datum_m("its invert", self.to_invert_m)?;
        let [dx, dy] = [to[0] - from[0], to[1] - from[1]];
        let fall = from_m - to_m;
        let straight = (dx * dx + dy * dy + fall * fall).sqrt();
        Ok(CulvertLaw::new(CulvertShape {
            section,
            length_m: LENGTH.check(self.length_m.unwrap_or(straight))?,
            manning_n,
            inlet_loss,
            outlet_loss,
            inverts_m: [from_m, to_m],
            has_flap,
            gravity: frame.gravity,
        }))
    }
}

/// Numbers of the law of a culvert.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CulvertShape {
    /// Cross-section of the culvert.
    pub section: Section,
    /// Length of the culvert, m.
    pub length_m: f64,
    /// Manning's n of the walls, s/m^(1/3).
    pub manning_n: f64,
    /// Loss at the end where water enters, in velocity heads.
    pub inlet_loss: f64,
    /// Loss at the end where water leaves, in velocity heads.
    pub outlet_loss: f64,
    /// Elevation of the lowest point of each end, m.
    pub inverts_m: [f64; 2],
    /// True if water passes from the first end to the second only.
    pub has_flap: bool,
    /// Gravitational acceleration, m/s².
    pub gravity: f64,
}

/// A steady discharge.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Steady {
    /// Discharge from the first end to the second, m³/s.
    pub discharge: f64,
    /// Kind of flow.
    pub course: Course,
    /// Mean area of the water in the culvert, m².
    area: f64,
    /// Fall from the higher stage to the lower one, or to the invert if that is higher, m.
    head: f64,
}

/// A culvert as its law.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CulvertLaw {
    shape: CulvertShape,
    #[serde(skip)]
    table: SectionTable,
    /// Head over the invert, m, and discharge over the head's power 3/2, of critical depths at the
    /// inlet.
    #[serde(skip)]
    critical: Vec<(f64, f64)>,
}

/// Heads, in diameters, between which the flow at an inlet changes from critical to orifice flow.
const ORIFICE_HEADS: [f64; 2] = [1.2, 1.5];

/// Coefficient of the orifice of an inlet.
const ORIFICE: f64 = 0.6;

/// Height of the lower stage over the higher crown, in section heights, from which the inlet is
/// drowned too.
const DROWNED: f64 = 0.25;

/// Difference of stages, m; below it the resistance is that of this difference.
const HEAD_LEAST_M: f64 = 1.0e-4;

/// Least sum of losses, in velocity heads.
const LOSS_LEAST: f64 = 1.0e-3;

/// Least area of the water in a culvert in computations, as a part of the full area.
const AREA_PART: f64 = 1.0 / 16.0;

/// Square of the largest angle of an oscillation between two cells in a step.
const SWING: f64 = 0.25;

/// Speed in a culvert from which the leaves at its ends do not sleep, m/s.
const BUSY_SPEED: f64 = 1.0e-4;

impl FlowLaw for CulvertLaw {
    fn advance(&self, before: LinkState, water: &LinkStages, step: &LawStep) -> LinkState {
        LinkState { flow: self.flow(before.flow, water, step), is_running: false }
    }

    fn giver(&self, water: &LinkStages) -> usize {
        usize::from(water.stages_m[0] < water.stages_m[1])
    }

    fn is_busy(&self, state: LinkState, water: &LinkStages, head_m: f64) -> bool {
        let [a, b] = water.stages_m;
        let up = self.giver(water);
        let is_driven = (a - b).abs() > head_m && water.stages_m[up] - water.sills_m[up] > head_m;
        state.flow.discharge.abs() > BUSY_SPEED * self.area_m2()
            || (is_driven && self.steady(water).discharge != 0.0)
    }

    fn course(&self, water: &LinkStages) -> Course {
        self.steady(water).course
    }
}

impl CulvertLaw {
    /// Creates the law of a culvert, whose numbers are checked.
    #[must_use]
    pub fn new(shape: CulvertShape) -> Self {
        let table = SectionTable::new(&shape.section);
        let mut critical = vec![(0.0, 0.0)];
        // The full row is left out: a full circle has no surface, so no critical depth.
        for row in 1..STEPS {
            let Wetted { area, width, .. } = table.row(row);
            let mean = area / width;
            let head = table.depth_m(row) + 0.5 * (1.0 + shape.inlet_loss) * mean;
            let discharge = area * (shape.gravity * mean).sqrt();
            // Over head^(3/2) it is constant in a box, so straight lines between rows are enough.
            critical.push((head, discharge / (head * head.sqrt())));
        }
        // Below the first depth, as at that depth.
        critical[0].1 = critical[1].1;
        Self { shape, table, critical }
    }

    /// Returns the shape of the culvert.
    #[must_use]
    pub fn shape(&self) -> &CulvertShape {
        &self.shape
    }

    /// Returns the area when full, m².
    #[must_use]
    pub fn area_m2(&self) -> f64 {
        self.table.full().area
    }

    /// Returns the steady discharge between these stages.
    #[must_use]
    pub fn steady(&self, water: &LinkStages) -> Steady {
        let [a, b] = water.stages_m;
        if a >= b {
            self.between(water, [0, 1])
        } else if self.shape.has_flap {
            Steady::default()
        } else {
            let steady = self.between(water, [1, 0]);
            Steady { discharge: 0.0 - steady.discharge, ..steady }
        }
    }

    /// Returns the flow after a step between these stages.
    #[must_use]
    pub fn flow(&self, before: DrivenFlow, water: &LinkStages, step: &LawStep) -> DrivenFlow {
        let rise = water.stages_m[0] - water.stages_m[1];
        let is_still = rise.abs() < HEAD_LEAST_M;
        // Between equal stages the steady discharge is 0, from which no resistance follows.
        let lifted = self.lifted(water);
        let steady = self.steady(if is_still { &lifted } else { water });
        if steady.discharge == 0.0 {
            return DrivenFlow::default();
        }
        let resistance = steady.head / (steady.discharge * steady.discharge);
        let drive = match (is_still, rise < 0.0) {
            (true, _) => rise,
            (false, false) => steady.head,
            (false, true) => -steady.head,
        };
        let gravity_area = self.shape.gravity * steady.area;
        let spread = 1.0 / step.areas_m2[0] + 1.0 / step.areas_m2[1];
        // Two cells swing with ω² = (g A/L) (1/A₁ + 1/A₂): `least` is L at (ω Δt)² = SWING.
        let least = gravity_area * step.dt_s * step.dt_s * spread / SWING;
        let length = if self.shape.length_m > least { self.shape.length_m } else { least };
        let pull = step.dt_s * gravity_area / length;
        // At most the change of head that this discharge caused.
        let most = before.discharge.abs() * step.dt_s * spread;
        let change = before.drive.map_or(0.0, |before| (drive - before).clamp(-most, most));
        let s = before.discharge + pull * (drive + change);
        let next = 2.0 * s / (1.0 + (1.0 + 4.0 * pull * resistance * s.abs()).sqrt());
        let next = if is_still { next / (1.0 + step.dt_s / step.damping_s) } else { next };
        let is_shut = self.shape.has_flap && next < 0.0;
        DrivenFlow { discharge: if is_shut { 0.0 } else { next + 0.0 }, drive: Some(drive) }
    }

    /// Returns a copy of the water whose stages differ by the least difference that the resistance
    /// is computed for.
    fn lifted(&self, water: &LinkStages) -> LinkStages {
        let [a, b] = water.stages_m;
        let stages_m = if a >= b || self.shape.has_flap {
            [b + HEAD_LEAST_M, b]
        } else {
            [a, a + HEAD_LEAST_M]
        };
        LinkStages { stages_m, ..*water }
    }

    /// Returns the steady discharge from end `up` to end `down`, positive.
    fn between(&self, water: &LinkStages, [up, down]: [usize; 2]) -> Steady {
        let [high, low] = [water.stages_m[up], water.stages_m[down]];
        let [z_up, z_down] = [self.shape.inverts_m[up], self.shape.inverts_m[down]];
        let head_in = high - water.sills_m[up];
        let depth_in = high - z_up;
        // `!(… > 0)`: NaN counts as dry.
        if !(head_in > 0.0 && depth_in > 0.0) {
            return Steady::default();
        }
        let tail = if low > z_down { low - z_down } else { 0.0 };
        let (through, depth_out) = self.outlet_control(depth_in, high - z_down, tail);
        let enters = self.inlet_control(head_in);
        let height = self.table.height_m();
        // In a falling culvert the outlet drowns first: the inlet control still applies.
        let crown = height + if z_up > z_down { z_up } else { z_down };
        let drowned = (low - crown) / (DROWNED * height);
        // While the tail rises from the higher crown by a quarter of the height, the discharge goes
        // in a straight line from inlet to outlet control, so that it does not jump.
        let discharge = if enters >= through || drowned >= 1.0 {
            through
        } else if drowned > 0.0 {
            enters + drowned * (through - enters)
        } else {
            enters
        };
        let end = if low > z_down { low } else { z_down };
        let is_full = depth_in >= height && depth_out >= FULL_OUTLET * height;
        let area = self.table.at(0.5 * (depth_in.min(height) + depth_out)).area;
        let least = AREA_PART * self.area_m2();
        let course = match (discharge > 0.0, is_full && enters >= through || drowned >= 1.0) {
            (false, _) => Course::Dry,
            (true, true) => Course::Full,
            (true, false) => Course::Free,
        };
        Steady {
            discharge,
            course,
            area: if area > least { area } else { least },
            head: high - end,
        }
    }

    /// Returns the discharge through an inlet under a head over it, m³/s.
    fn inlet_control(&self, head: f64) -> f64 {
        let height = self.table.height_m();
        let [free, full] = ORIFICE_HEADS.map(|part| part * height);
        if head <= free {
            return self.critical_discharge(head);
        }
        let orifice = |head: f64| {
            let above = head - 0.5 * height;
            ORIFICE * self.area_m2() * (2.0 * self.shape.gravity * above).sqrt()
        };
        if head >= full {
            return orifice(head);
        }
        let (least, most) = (self.critical_discharge(free), orifice(full));
        least + (most - least) * ((head - free) / (full - free))
    }

    /// Returns the discharge at critical depth behind an inlet, m³/s.
    fn critical_discharge(&self, head: f64) -> f64 {
        // The head is at most 1.2 heights; the table ends at 1.47 heights or more.
        let next = self.critical.partition_point(|&(at, _)| at <= head);
        let after = self.critical[next.min(STEPS - 1)];
        let before = self.critical[next.min(STEPS - 1) - 1];
        let part = (head - before.0) / (after.0 - before.0);
        (before.1 + (after.1 - before.1) * part) * head * head.sqrt()
    }

    /// Returns the largest discharge that the losses allow, m³/s, and the depth at the outlet, m.
    /// The water is `depth_in` deep over the inlet; its stage is `energy` above the outlet's
    /// invert; the receiving water has the depth `tail`.
    fn outlet_control(&self, depth_in: f64, energy: f64, tail: f64) -> (f64, f64) {
        let height = self.table.height_m();
        let before = self.table.at(depth_in);
        let through = |depth: f64, wetted: Wetted| self.discharge(energy - depth, before, wetted);
        if tail >= height {
            return (through(tail, self.table.full()), height);
        }
        let mut most = (through(tail, self.table.at(tail)), tail);
        for row in 1..=STEPS {
            let depth = self.table.depth_m(row);
            if depth > tail {
                let discharge = through(depth, self.table.row(row));
                if discharge > most.0 {
                    most = (discharge, depth);
                }
            }
        }
        most
    }

    /// Returns the discharge that loses `head` between two sections, m³/s.
    fn discharge(&self, head: f64, before: Wetted, behind: Wetted) -> f64 {
        let resistances = before.resistance() * behind.resistance();
        if !(head > 0.0 && resistances > 0.0) {
            return 0.0;
        }
        let CulvertShape { gravity, manning_n, length_m, inlet_loss, outlet_loss, .. } = self.shape;
        let square = |area: f64| 1.0 / (area * area);
        let friction = 2.0 * gravity * manning_n * manning_n * length_m * resistances.sqrt();
        let ends = inlet_loss * square(before.area) + outlet_loss * square(behind.area);
        let loss = ends + friction;
        let least = LOSS_LEAST * square(behind.area);
        (2.0 * gravity * head / if loss > least { loss } else { least }).sqrt()
    }
}

/// Ratio of the depth at the outlet to the height from which a barrel counts as full.
const FULL_OUTLET: f64 = 0.8;

#[cfg(test)]
mod tests;
