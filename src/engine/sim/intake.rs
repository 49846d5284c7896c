//! Rivers that enter over an edge: the distribution of their discharge over its faces, and the
//! depth and speed of the water that enters.
//!
//! At the start of a cycle the discharge Q is given a stage η over the beds along the edge: the
//! stage of normal flow on the fall S of the ground behind it, or the given one:
//!
//! ```text
//! Q = √S Σ w K(η),   K = a h^(2/3) / n      a what a face opens, h its flow depth, w its width
//! part = K(max(η, stage)) / Σ w K           q = −Q part
//! ```
//!
//! So the deep places of a cross section take most, and if the water behind is higher than the
//! river would be, it enters over all of its width. A face brings the velocity q / max(a(η), h):
//! the river's velocity, or less if the water behind is deeper. Supercritical flow so enters with
//! its own depth and velocity; subcritical flow takes its depth from the water behind. A
//! [`fluid`](crate::flow::fluid) with viscosity enters at the normal depth of its own law without
//! the yield stress, and deeper if the fluid behind is deeper; its shares are the shares of water.
//!
//! Guarantees: parts add up to one, and are computed from the state of the cycle's start in the
//!             order of leaves, so they do not depend on threads. The water that enters is booked.
//! Limits:     the fall of the ground counts from 10⁻⁴ to 10 %; on flatter ground the river enters
//!             as on the least. Random draws round the inflow of a step: the sum is that of the
//!             hydrograph within a few units a face.
//! Source:     normal flow: Manning; shares by conveyance: Chow (1959), Open-Channel Hydraulics,
//!             §6-3.

use crate::flow::fluid::Fluid;
use crate::grid::LeafId;
use crate::sim::boundary::{BoundaryEntry, BoundaryLaw, Intake};
use crate::sim::params::Params;
use crate::sim::settings::Settings;
use crate::sim::table::LeafTable;
use crate::tile::Ground;
use crate::units::{CEILING, SimTime, maths};

/// Smallest and largest fall of the ground in the computation of normal flow.
// Normal depth grows as S^(−3/10), without a bound if the fall S goes to 0.
const SLOPES: [f64; 2] = [1.0e-4, 0.1];

/// Rounds in which fall and stage are fitted to each other.
const ROUNDS: usize = 3;

/// One face of an edge.
struct InflowFace<'a> {
    leaf: LeafId,
    /// Index of the face among the boundary faces of its leaf.
    face: usize,
    ground: &'a Ground,
    cell: usize,
    table: u32,
    sill: i32,
    width_m: f64,
    n: f64,
    /// Fall of the ground inward.
    fall: f64,
}

impl InflowFace<'_> {
    /// Returns the opening of the face and its flow depth with water at a stage on both sides, m.
    fn opening(&self, stage: i32, unit_m: f64) -> [f64; 2] {
        match &self.ground.columns {
            None => [f64::from(stage.saturating_sub(self.sill).max(0)) * unit_m; 2],
            Some(columns) => {
                let opening = columns.boundary.at(self.table as usize, stage);
                [f64::from(opening.area.max(0)), f64::from(opening.conveying)].map(|h| h * unit_m)
            }
        }
    }

    /// Returns the conveyance of a metre of it with water at a stage, m²/s.
    #[expect(clippy::cast_possible_truncation, reason = "rounded to f32 on purpose")]
    fn conveyance(&self, stage: i32, unit_m: f64) -> f64 {
        let [area, depth] = self.opening(stage, unit_m);
        if area <= 0.0 || depth <= 0.0 {
            return 0.0;
        }
        // h · h^(−1/3) is h^(2/3), with the same bits on every machine.
        area * depth * f64::from(maths::inverse_cube_root(depth as f32)) / self.n
    }
}

/// Faces of an edge, and their joint conveyance.
struct EdgeSection<'a> {
    sites: Vec<InflowFace<'a>>,
    unit_m: f64,
    /// A fluid with viscosity, whose yield stress does not count, and gravity, m/s².
    fluid: Option<(Fluid, f64)>,
}

impl EdgeSection<'_> {
    /// Returns the conveyance of all faces with water at a stage, m³/s.
    fn conveyance(&self, stage: i32) -> f64 {
        self.sites.iter().map(|site| site.width_m * site.conveyance(stage, self.unit_m)).sum()
    }

    /// Returns the discharge of all faces over the root of the fall, with water at a stage, m³/s.
    fn carried(&self, stage: i32, fall: f64) -> f64 {
        let Some((fluid, gravity)) = &self.fluid else { return self.conveyance(stage) };
        let discharge = |site: &InflowFace<'_>| {
            let [area, depth] = site.opening(stage, self.unit_m);
            if area <= 0.0 || depth <= 0.0 {
                return 0.0;
            }
            site.width_m * area * fluid.normal_speed(depth, fall, site.n, *gravity)
        };
        self.sites.iter().map(discharge).sum::<f64>() / fall.sqrt()
    }

    /// Returns the lowest stage that conveys a discharge on a fall.
    fn stage_of(&self, discharge: f64, fall: f64) -> i32 {
        let wanted = discharge / fall.sqrt();
        let lowest = self.lowest();
        let (mut low, mut high) = (lowest, CEILING);
        // `low` carries less than wanted, and `high` enough, unless even the ceiling does not.
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if self.carried(middle, fall) < wanted {
                low = middle;
            } else {
                high = middle;
            }
        }
        high
    }

    /// Returns the lowest bed along it.
    fn lowest(&self) -> i32 {
        self.sites.iter().map(|site| site.sill).min().unwrap_or(0)
    }

    /// Returns the fall of the ground behind it: its root is the mean weighted by conveyance.
    fn fall(&self, stage: i32) -> f64 {
        let [mut sum, mut all] = [0.0; 2];
        for site in &self.sites {
            let weight = site.width_m * site.conveyance(stage, self.unit_m);
            sum += weight * site.fall.max(0.0).sqrt();
            all += weight;
        }
        let root = if all > 0.0 { sum / all } else { 0.0 };
        (root * root).clamp(SLOPES[0], SLOPES[1])
    }

    /// Returns the stage of the river along it.
    fn stage(&self, discharge: f64, entry: BoundaryEntry) -> i32 {
        match entry {
            BoundaryEntry::Depth(depth) => self.lowest().saturating_add(depth).min(CEILING),
            BoundaryEntry::Slope(slope) => self.stage_of(discharge, slope.clamp(SLOPES[0], 1.0)),
            BoundaryEntry::Normal => {
                let mut fall = SLOPES[0].max(1.0e-3);
                for _ in 0..ROUNDS {
                    fall = self.fall(self.stage_of(discharge, fall));
                }
                self.stage_of(discharge, fall)
            }
        }
    }
}

/// Distributes the rivers that enter between two moments over their faces.
pub(super) fn share_intakes(leaves: &mut LeafTable, params: &Params, from: SimTime, to: SimTime) {
    for (law, inflow) in (0..).zip(&params.laws) {
        let BoundaryLaw::Inflow(inflow) = inflow else { continue };
        let discharge = params.discharge_m3_s(&inflow.discharge, from, to);
        for (leaf, face, intake) in intakes(leaves, params, law, (discharge, inflow.entry)) {
            leaves.own[leaf].boundary[face].intake = intake;
        }
    }
}

/// Returns the intake of each face of a law: leaf, index of the face, and intake.
#[expect(clippy::cast_possible_truncation, reason = "rounded to f32 on purpose")]
fn intakes(
    leaves: &LeafTable,
    params: &Params,
    law: u32,
    (discharge, entry): (f64, BoundaryEntry),
) -> Vec<(LeafId, usize, Intake)> {
    let unit_m = params.unit_m;
    let Settings { fluid, gravity, .. } = params.settings;
    // Below the yield stress there is no uniform flow, and on a gentle fall it would be 100 m deep.
    let fluid = Fluid { yield_stress_pa: 0.0, ..fluid };
    let fluid = fluid.resists().then_some((fluid, gravity));
    let section = EdgeSection { sites: faces_of(leaves, params, law), unit_m, fluid };
    let stage = if discharge > 0.0 { section.stage(discharge, entry) } else { CEILING };
    let conveyance = |site: &InflowFace<'_>| {
        let depth = leaves.water[site.leaf].depth[site.cell];
        let own = site.ground.stage(site.cell, depth);
        let stage = if depth > 0 { stage.max(own) } else { stage };
        site.conveyance(stage, unit_m)
    };
    let parts: Vec<f64> = section.sites.iter().map(conveyance).collect();
    let each = section.sites.iter().zip(&parts);
    let all: f64 = each.map(|(site, part)| site.width_m * part).sum();
    let intake = |(site, part): (&InflowFace<'_>, &f64)| {
        if all <= 0.0 || discharge <= 0.0 {
            return (site.leaf, site.face, Intake::default());
        }
        let part_per_m = part / all;
        let depth_m = site.opening(stage, unit_m)[0];
        let speed = if depth_m > 0.0 { discharge * part_per_m / depth_m } else { 0.0 };
        let (part_per_m, depth_m) = (part_per_m as f32, depth_m as f32);
        (site.leaf, site.face, Intake { part_per_m, depth_m, speed_m_s: speed as f32 })
    };
    section.sites.iter().zip(&parts).map(intake).collect()
}

/// Returns the faces of a law, in the order of leaves.
fn faces_of<'a>(leaves: &'a LeafTable, params: &Params, law: u32) -> Vec<InflowFace<'a>> {
    let mut sites = Vec::new();
    for (leaf, own) in leaves.forest.ids().zip(&leaves.own) {
        let ground = &leaves.grounds[leaf];
        for (index, face) in own.boundary.iter().enumerate().filter(|f| f.1.law == law) {
            let cell = usize::from(face.cell);
            let class = ground.roughness.as_ref().map_or(0, |plane| usize::from(plane[cell]));
            sites.push(InflowFace {
                leaf,
                face: index,
                ground,
                cell,
                table: face.table,
                sill: face.sill(ground),
                width_m: params.width_of(leaves.forest.leaves()[leaf].level),
                n: params.settings.manning_n[class].max(N_LEAST),
                fall: -f64::from(face.slope),
            });
        }
    }
    sites
}

/// Smallest Manning's n in the computation of normal flow, s/m^(1/3): glass.
const N_LEAST: f64 = 0.01;
