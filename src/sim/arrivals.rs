//! Water that arrives in the next cycle: what the choice of the steps knows of it beforehand.
//!
//! Steps follow the speeds of the last cycle. Where a source begins to run into cells that hold
//! little, those speeds say nothing: a step made for still ground would heap up in the source's
//! cells what has no time to leave. So each source asks for the steps of the flow that will leave
//! its cells, critical over their outline P:
//!
//! ```text
//! q = Q / P,  h_c = (q² / g)^(1/3),  h = 3/2 h_c,  speed = √(g h_c) + √(2 g h)
//! ```
//!
//! Links ask in the same way over the outline of the cell that they run into. An edge held at a
//! stage, and rain, ask for the waves of the depth that cells beside it, or under it, may reach.
//!
//! Guarantees: `+ − × ÷ √` decide, so the same state gives the same steps on every machine.
//! Limits:     cells that hold as much already do not ask: their speeds are known.
//! Source:     own; critical flow over a broad crest: Chow (1959), Open-Channel Hydraulics, §3-6.

use crate::forest::LeafIndex;
use crate::sim::Simulation;
use crate::sim::forcing::{Direction, Inflow};
use crate::sim::intake::share_intakes;
use crate::sim::links::{Link, LinkEnd};
use crate::sim::rim::EdgeLaw;
use crate::units::time::TICKS_PER_S;
use crate::units::{SimTime, maths};

/// Length of the step before the first one where water arrives, ticks: the first cycle of eight
/// steps then ends within a second.
pub(super) const BEFORE_THE_FIRST: u64 = TICKS_PER_S / 10;

/// A cell that water runs into, and how deep that flow will be.
struct Arrival {
    leaf: LeafIndex,
    cell: usize,
    depth_m: f64,
    speed_m_s: f64,
}

impl Simulation {
    /// Raises the speeds, with which the cycle that ends at `end` is planned, to those of the water
    /// that arrives until then; returns whether some arrives where less is.
    pub(super) fn expect_arrivals(&mut self, end: SimTime) -> bool {
        share_intakes(&mut self.state.leaves, &self.params, self.state.clock.time, end);
        let mut arrivals = Vec::new();
        for inflow in &self.state.forcing.inflows {
            arrivals.extend(self.inflow_arrives(inflow, end));
        }
        for link in self.state.links.all() {
            arrivals.extend(self.link_arrives(link));
        }
        self.edges_arrive(end, &mut arrivals);
        let mut has_news = false;
        for Arrival { leaf, cell, depth_m, speed_m_s } in arrivals {
            let leaf = leaf as usize;
            if f64::from(self.state.leaves.water[leaf].depth[cell]) * self.params.unit_m >= depth_m
            {
                continue;
            }
            let level = usize::from(self.state.leaves.forest.leaves()[leaf].level);
            self.state.activity.speeds[level] = self.state.activity.speeds[level].max(speed_m_s);
            has_news = true;
        }
        self.expect_rain(end);
        has_news
    }

    /// What an inflow brings to the cell that holds least.
    fn inflow_arrives(&self, inflow: &Inflow, end: SimTime) -> Option<Arrival> {
        let discharge = self.params.discharge_m3_s(&inflow.rate, self.state.clock.time, end);
        let depth = |&(leaf, cell): &(u32, u16)| {
            self.state.leaves.water[leaf as usize].depth[usize::from(cell)]
        };
        let &(leaf, cell) = inflow.cells.iter().min_by_key(|at| depth(at))?;
        let outline_m = f64::from(inflow.outline) * self.params.cell_width_m;
        self.arrival(discharge / outline_m, (leaf, usize::from(cell)))
    }

    /// What a link brings to its lower end.
    fn link_arrives(&self, link: &Link) -> Option<Arrival> {
        let to = link.to.as_ref()?;
        let discharge = self.state.link_sight(&self.params).wanted(link, 1.0).flow.discharge;
        let end: &LinkEnd = if discharge > 0.0 { to } else { &link.from };
        let width =
            self.params.width_of(self.state.leaves.forest.leaves()[end.leaf as usize].level);
        self.arrival(discharge.abs() / (4.0 * width), (end.leaf, usize::from(end.cell)))
    }

    /// What runs in over edges: rivers at the depth they come in with, tides at their stage.
    fn edges_arrive(&self, end: SimTime, arrivals: &mut Vec<Arrival>) {
        let stages: Vec<i32> = self.params.laws.iter().map(|law| law.stage_at(end)).collect();
        let has_water = |law: &EdgeLaw| !matches!(law, EdgeLaw::Open);
        if !self.params.laws.iter().any(has_water) {
            return;
        }
        for (leaf, own) in (0..).zip(&self.state.leaves.own) {
            for face in &own.rim {
                let cell = usize::from(face.cell);
                let depth_m = match &self.params.laws[face.law as usize] {
                    EdgeLaw::Open => continue,
                    EdgeLaw::Inflow(_) => f64::from(face.intake.depth_m),
                    EdgeLaw::Stage(_) => {
                        let dry = self.state.leaves.grounds[leaf as usize].dry_stage(cell);
                        f64::from(stages[face.law as usize].saturating_sub(dry))
                            * self.params.unit_m
                    }
                };
                let speed_m_s =
                    f64::from(face.intake.speed_m_s) + self.params.wave_speed(depth_m.max(0.0));
                arrivals.push(Arrival { leaf, cell, depth_m, speed_m_s });
            }
        }
    }

    /// What rain may add to the deepest water.
    fn expect_rain(&mut self, end: SimTime) {
        let rains =
            self.state.forcing.layers.iter().filter(|layer| layer.direction == Direction::Into);
        let units = rains.map(|layer| {
            let most =
                layer.rates.iter().map(|rate| rate.deposited(self.state.clock.time, end)).max();
            most.unwrap_or(0)
        });
        #[expect(clippy::cast_precision_loss, reason = "a depth")]
        let depth_m = units.sum::<u128>() as f64 * self.params.unit_m;
        if depth_m > RAIN_NOTICED_M {
            let waves = self.params.wave_speed(depth_m);
            self.state.activity.speeds.iter_mut().for_each(|speed| *speed = speed.max(waves));
        }
    }

    /// A unit discharge, m²/s, that will leave a cell as critical flow.
    #[expect(clippy::cast_possible_truncation, reason = "rounded to f32 on purpose")]
    fn arrival(&self, unit_discharge: f64, (leaf, cell): (LeafIndex, usize)) -> Option<Arrival> {
        let gravity = self.params.settings.gravity;
        let cube = (unit_discharge * unit_discharge / gravity) as f32;
        if cube.is_nan() || cube <= f32::MIN_POSITIVE {
            return None;
        }
        let critical_m = 1.0 / f64::from(maths::inverse_cube_root(cube));
        let depth_m = 1.5 * critical_m;
        let speed_m_s = (gravity * critical_m).sqrt() + self.params.wave_speed(depth_m);
        Some(Arrival { leaf, cell, depth_m, speed_m_s })
    }
}

/// Rain of a cycle that steps take notice of, m: its waves are quicker than what automatic steps
/// assume at least.
const RAIN_NOTICED_M: f64 = 0.05;
