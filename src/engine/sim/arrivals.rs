//! The part of the water arriving in the next cycle that the choice of the steps takes into
//! account.
//!
//! Steps follow the speeds of the last cycle. If a source begins to run into cells with little
//! water, those speeds are too small: with a step made for still ground water would pile up in the
//! source's cells that has no time to leave. So each source sets the steps for the flow that will
//! leave its cells, critical over their outline P:
//!
//! ```text
//! q = Q / P,  h_c = (q² / g)^(1/3),  h = 3/2 h_c,  speeds √(g h_c) and √(2 g h)
//! ```
//!
//! Links do so over the outline of the cell that they run into. An edge with a given stage, and
//! rain, set the steps for the waves of the depth that cells beside it, or under it, may reach.
//!
//! Guarantees: `+ − × ÷ √` decide, so the same state gives the same steps on every machine.
//! Limits:     cells that are already as deep as that flow are skipped: their speeds are in the
//!             plan.
//! Source:     own; critical flow over a broad crest: Chow (1959), Open-Channel Hydraulics, §3-6.

use crate::grid::LeafId;
use crate::sim::boundary::BoundaryLaw;
use crate::sim::forcing::{Forcing, LaidInflow};
use crate::sim::intake::share_intakes;
use crate::sim::links::{LinkEnd, LinkSight, PlacedLink};
use crate::sim::params::Params;
use crate::sim::settings::StepsOf;
use crate::sim::state::SimulationState;
use crate::sim::table::LeafTable;
use crate::structure::weather::Direction;
use crate::units::time::TICKS_PER_S;
use crate::units::{SimTime, maths};
use std::collections::BTreeMap;

/// Length of the step before the first one where water arrives, ticks: the first cycle of eight
/// steps then ends within a second.
// The first step may be longer by a quarter, 0.125 s: eight of them are a second.
pub(super) const BEFORE_THE_FIRST: u64 = TICKS_PER_S / 10;

/// A cell that receives water, and the depth of that flow.
struct Arrival {
    leaf: LeafId,
    cell: usize,
    depth_m: f64,
    speed_m_s: f64,
}

/// Raises the speeds with which the cycle that ends at `end` is planned to those of the water that
/// arrives until then; returns whether this is the first cycle of a run and water arrives in a cell
/// that has less. After the first, water is read only if a speed may rise, the fastest arrival
/// first: else a card would return the planes of all leaves at the edge in every cycle.
pub(super) fn expect_arrivals(
    state: &mut SimulationState,
    params: &Params,
    end: SimTime,
    is_first: bool,
) -> bool {
    let from = state.clock.time;
    share_intakes(&mut state.leaves, params, from, end);
    let mut arrivals: Vec<Arrival> = Vec::new();
    let is_by_leaf = params.settings.steps == StepsOf::Leaf;
    for inflow in &state.forcing.inflows {
        let known = (!is_first && !is_by_leaf).then_some(&state.activity.speeds[..]);
        let arrival = inflow_arrives(inflow, (&state.leaves, known), params, (from, end));
        let Some(arrival) = arrival else { continue };
        if is_by_leaf {
            arrivals.extend(in_each_leaf(inflow, &state.leaves, arrival));
        } else {
            arrivals.push(arrival);
        }
    }
    for link in state.links.all() {
        arrivals.extend(link_arrives(link, &state.link_sight(params)));
    }
    arrivals.extend(edges_arrive(&state.leaves, params, end));
    let rain = rain_arrives(&state.forcing, params, (from, end));
    if is_by_leaf {
        arrive_at_leaves(&mut state.leaves, params, &arrivals, rain);
    }
    let SimulationState { leaves, activity, .. } = state;
    let level = |leaf: LeafId| usize::from(leaves.forest.leaves()[leaf].level);
    arrivals.retain(|own| is_first || own.speed_m_s > activity.speeds[level(own.leaf)]);
    arrivals.sort_by(|a, b| b.speed_m_s.total_cmp(&a.speed_m_s));
    let mut has_news = false;
    for Arrival { leaf, cell, depth_m, speed_m_s } in arrivals {
        let speed = &mut activity.speeds[level(leaf)];
        if !is_first && speed_m_s <= *speed {
            continue;
        }
        if f64::from(leaves.water[leaf].depth[cell]) * params.unit_m >= depth_m {
            continue;
        }
        *speed = speed.max(speed_m_s);
        has_news = true;
    }
    if let Some(waves) = rain {
        state.activity.speeds.iter_mut().for_each(|speed| *speed = speed.max(waves));
    }
    is_first && has_news
}

/// Raises the pace of leaves to that of the water that arrives in them, and of rain, m/s.
#[expect(clippy::cast_possible_truncation, reason = "a speed")]
fn arrive_at_leaves(
    leaves: &mut LeafTable,
    params: &Params,
    arrivals: &[Arrival],
    rain: Option<f64>,
) {
    let raise = |pace: &mut Option<f32>, speed_m_s: f64| {
        // A leaf with an unknown pace takes the shortest steps already, so nothing is raised.
        *pace = pace.map(|own| maths::max(own, speed_m_s as f32));
    };
    for &Arrival { leaf, cell, depth_m, speed_m_s } in arrivals {
        let is_deeper = f64::from(leaves.water[leaf].depth[cell]) * params.unit_m >= depth_m;
        if !leaves.asleep[leaf] && !is_deeper {
            raise(&mut leaves.own[leaf].pace, speed_m_s);
        }
    }
    // Leaves asleep keep their pace: they are not stepped, nor marked as changed.
    let Some(waves) = rain else { return };
    for (own, _) in leaves.own.iter_mut().zip(&leaves.asleep).filter(|(_, asleep)| !**asleep) {
        raise(&mut own.pace, waves);
    }
}

/// Returns an arrival of an inflow in each of its leaves, at the cell with the least water.
fn in_each_leaf(inflow: &LaidInflow, leaves: &LeafTable, arrival: Arrival) -> Vec<Arrival> {
    let mut shallowest: BTreeMap<LeafId, (i32, usize)> = BTreeMap::new();
    for &(leaf, cell) in &inflow.cells {
        let cell = usize::from(cell);
        let own = (leaves.water[leaf].depth[cell], cell);
        let least = shallowest.entry(leaf).or_insert(own);
        *least = own.min(*least);
    }
    let of_leaf = |(leaf, (_, cell))| Arrival { leaf, cell, ..arrival };
    shallowest.into_iter().map(of_leaf).collect()
}

/// Returns the arrival of an inflow at the cell with the least water; `None` if it is slower than
/// these speeds of all levels.
fn inflow_arrives(
    inflow: &LaidInflow,
    (leaves, known): (&LeafTable, Option<&[f64]>),
    params: &Params,
    (from, end): (SimTime, SimTime),
) -> Option<Arrival> {
    let discharge = params.discharge_m3_s(&inflow.rate, from, end);
    let outline_m = f64::from(inflow.outline) * params.cell_width_m;
    let (depth_m, speed_m_s) = critical(discharge / outline_m, params)?;
    let is_slow = |&(leaf, _): &(LeafId, u16)| {
        let level = usize::from(leaves.forest.leaves()[leaf].level);
        known.is_some_and(|speeds| speed_m_s <= speeds[level])
    };
    if inflow.cells.iter().all(is_slow) {
        return None;
    }
    let depth = |&(leaf, cell): &(LeafId, u16)| leaves.water[leaf].depth[usize::from(cell)];
    let &(leaf, cell) = inflow.cells.iter().min_by_key(|at| depth(at))?;
    Some(Arrival { leaf, cell: usize::from(cell), depth_m, speed_m_s })
}

/// Returns the arrival of a link's water at its lower end.
fn link_arrives(link: &PlacedLink, sight: &LinkSight<'_>) -> Option<Arrival> {
    let to = link.to.as_ref()?;
    let discharge = sight.wanted(link, 1.0).flow.discharge;
    let end: &LinkEnd = if discharge > 0.0 { to } else { &link.from };
    let LinkSight { leaves, params, .. } = sight;
    let width = params.width_of(leaves.forest.leaves()[end.leaf].level);
    // The discharge spreads from one cell over its four faces.
    let (depth_m, speed_m_s) = critical(discharge.abs() / (4.0 * width), params)?;
    Some(Arrival { leaf: end.leaf, cell: usize::from(end.cell), depth_m, speed_m_s })
}

/// Returns the arrivals over the boundary: rivers at the depth with which they enter, tides at
/// their stage.
fn edges_arrive(leaves: &LeafTable, params: &Params, end: SimTime) -> Vec<Arrival> {
    let mut arrivals = Vec::new();
    let stages: Vec<i32> = params.laws.iter().map(|law| law.stage_at(end)).collect();
    let has_water = |law: &BoundaryLaw| !matches!(law, BoundaryLaw::Open);
    if !params.laws.iter().any(has_water) {
        return arrivals;
    }
    for (leaf, own) in leaves.forest.ids().zip(&leaves.own) {
        for face in &own.boundary {
            let cell = usize::from(face.cell);
            let depth_m = match &params.laws[face.law as usize] {
                BoundaryLaw::Open => continue,
                BoundaryLaw::Inflow(_) => f64::from(face.intake.depth_m),
                BoundaryLaw::Stage(_) => {
                    let dry = leaves.grounds[leaf].dry_stage(cell);
                    f64::from(stages[face.law as usize].saturating_sub(dry)) * params.unit_m
                }
            };
            let (speed_m_s, depth_m) = (f64::from(face.intake.speed_m_s), depth_m.max(0.0));
            let speed_m_s =
                params.pace(speed_m_s, depth_m).max(params.pace_at_end(speed_m_s, depth_m));
            arrivals.push(Arrival { leaf, cell, depth_m, speed_m_s });
        }
    }
    arrivals
}

/// Returns the speed of the waves on the depth that rain may add to the deepest water, m/s, if
/// steps take it into account.
fn rain_arrives(
    forcing: &Forcing,
    params: &Params,
    (from, end): (SimTime, SimTime),
) -> Option<f64> {
    let rains = forcing.layers.iter().filter(|layer| layer.direction == Direction::Into);
    let units = rains.map(|layer| {
        let most = layer.rates.iter().map(|rate| rate.deposited(from, end)).max();
        most.unwrap_or(0)
    });
    #[expect(clippy::cast_precision_loss, reason = "a depth")]
    let depth_m = units.sum::<u128>() as f64 * params.unit_m;
    (depth_m > RAIN_NOTICED_M).then(|| params.wave_speed(depth_m))
}

/// Returns depth, m, and speed, m/s, of a unit discharge, m²/s, that will leave a cell as critical
/// flow.
#[expect(clippy::cast_possible_truncation, reason = "rounded to f32 on purpose")]
fn critical(unit_discharge: f64, params: &Params) -> Option<(f64, f64)> {
    let gravity = params.settings.gravity;
    let cube = (unit_discharge * unit_discharge / gravity) as f32;
    // `inverse_cube_root` needs a normal number.
    if cube.is_nan() || cube <= f32::MIN_POSITIVE {
        return None;
    }
    let critical_m = 1.0 / f64::from(maths::inverse_cube_root(cube));
    // The depth before a broad crest is the whole head of the critical flow over it:
    // h_c + v²/(2 g) with v² = g h_c.
    let depth_m = 1.5 * critical_m;
    let speed_m_s = params.pace((gravity * critical_m).sqrt(), depth_m);
    Some((depth_m, speed_m_s))
}

/// Depth of the rain of a cycle from which steps take it into account, m. Waves on less are slower
/// than 1 m/s; automatic steps assume 1.4 m/s at least.
// The longest automatic step is `STEP_MOST_S_PER_M`, half a second for a metre of cell: with a
// Courant number of 0.7 that is the step for a pace of 1.4 m/s, with the pipe's 0.8 for 1.6 m/s.
const RAIN_NOTICED_M: f64 = 0.05;
