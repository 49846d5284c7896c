//! Sleep and waking of leaves: the choice of the leaves that are stepped.
//!
//! A leaf sleeps when it and all its neighbours have been idle for long; then its discharges become
//! 0 and its depths stay. Under a tolerance of sleep it need not be idle, but quiet
//! (`src/engine/sim/quiet.rs`). Forcing, moving edges and barriers, links and active neighbours
//! wake it. A dry leaf sleeps beside active ones, too, if no water is within 16 cells of it: most
//! leaves around a river are dry.
//!
//! Guarantees: no unit is lost between a leaf that sleeps and one that is awake: the faces between
//!             them are closed, and a difference of stage there wakes the sleeper.
//! Limits:     a film thinner than the minimum of an active face waits beside a sleeping leaf.

use crate::flow::solver::StepSummary;
use crate::forest::Neighbour;
use crate::grid::{LeafId, Side, TILE_WIDTH};
use crate::sim::boundary::BoundaryFace;
use crate::sim::forcing::CellClasses;
use crate::sim::links::PlacedLink;
use crate::sim::params::Params;
use crate::sim::state::SimulationState;
use crate::sim::table::{LeafOwn, LeafTable};
use crate::tile::wet_parts::STEPS_DRY;
use crate::units::SimTime;
use std::ops::Range;

/// Decides which leaves are stepped in the cycle that ends at `end`, or earlier: the active ones,
/// and all around them. Checks only leaves that are awake or have a reason to be.
pub(super) fn wake_and_sleep(state: &mut SimulationState, params: &Params, end: SimTime) {
    let mut active = forced(state, params, end);
    active.extend(state.link_sight(params).busy(&state.links));
    let mut given = given(state, &active);
    let SimulationState { leaves, activity, links, solids, stacks, .. } = state;
    leaves.stirred.clear();
    for &leaf in &active {
        leaves.own[leaf].idle = 0;
    }
    for &leaf in &activity.woken {
        // Acts may have made the water faster than it was in the last cycle.
        leaves.own[leaf].pace = None;
    }
    active.append(&mut activity.woken);
    active.extend(activity.awake.iter().flatten());
    active.retain(|&leaf| !leaves.may_sleep(leaf, params));
    let mut wakes = leaves.near(&active);
    let add_groups = |wakes: &mut Vec<LeafId>| {
        // A group of solids and a group of intervals may share a leaf, so that each wakes the
        // other.
        let mut count = 0;
        while count != wakes.len() {
            count = wakes.len();
            solids.wake_groups(wakes);
            stacks.wake_groups(wakes);
        }
    };
    add_groups(&mut wakes);
    // The condition holds for cycles of up to 8 steps. In 16 steps water could cross the 16 dry
    // cells between it and a leaf asleep.
    if 1_usize << params.settings.substeps_log2 <= STEPS_DRY {
        // `without_dry` searches both lists by bisection.
        active.sort_unstable();
        given.sort_unstable();
        wakes = leaves.without_dry(&wakes, &active, &given);
        add_groups(&mut wakes);
    }
    leaves.bring_ahead(&wakes);
    // Leaves that fall asleep change, too: their discharges end.
    leaves.mark(activity.awake.iter().flatten().chain(&wakes).copied());
    for &leaf in activity.awake.iter().flatten() {
        if wakes.binary_search(&leaf).is_err() {
            leaves.fall_asleep(leaf);
        }
    }
    for &leaf in &wakes {
        leaves.asleep[leaf] = false;
        (leaves.scratch[leaf].seen, leaves.scratch[leaf].steps) = (StepSummary::default(), 0);
    }
    links.rest(&leaves.asleep);
    solids.rest(&leaves.asleep);
    activity.list_awake(leaves, &wakes);
    // Levels step one after the other into the same planes, so the largest one counts.
    leaves.shrink_next(activity.awake.iter().map(Vec::len).max().unwrap_or(0));
    // A leaf that wakes has waves.
    for (awake, speed) in activity.awake.iter().zip(&mut activity.speeds) {
        let depths = awake.iter().map(|&leaf| leaves.own[leaf].flow_depth_max);
        *speed = speed.max(params.wave_speed(f64::from(depths.fold(0.0, f32::max))));
    }
}

/// Returns the leaves that something outside them keeps awake until `end`.
fn forced(state: &SimulationState, params: &Params, end: SimTime) -> Vec<LeafId> {
    let SimulationState { leaves, forcing, barriers, clock, .. } = state;
    let every = |is_forced: &dyn Fn(&LeafOwn) -> bool| -> Vec<LeafId> {
        let leaves = leaves.forest.ids().zip(&leaves.own).filter(|(_, leaf)| is_forced(leaf));
        leaves.map(|(leaf, _)| leaf).collect()
    };
    let mut forced = Vec::new();
    let rains = forcing.moving(true, clock.time, end);
    if !rains.is_empty() {
        forced = moved_by(&rains, leaves);
        if forced.len() == leaves.count() {
            return forced;
        }
    }
    if forcing.green_ampt.is_some() {
        // Green–Ampt does not pause: it takes water from any wet cell.
        forced.extend(every(&|leaf| leaf.is_wet));
    } else {
        let drained = moved_by(&forcing.moving(false, clock.time, end), leaves).into_iter();
        forced.extend(drained.filter(|&leaf| leaves.own[leaf].is_wet));
    }
    let tides: Vec<bool> = params.laws.iter().map(|law| law.moves(clock.time, end)).collect();
    if tides.contains(&true) {
        let moves = |law: u32| tides[law as usize];
        let feels = |face: &BoundaryFace| moves(face.law) || moves(face.sea.law);
        forced.extend(every(&|leaf| leaf.boundary.iter().any(feels)));
    }
    forced.extend(barriers.moving(clock.time, end));
    for inflow in &forcing.inflows {
        if inflow.rate.deposited(clock.time, end) > 0 {
            forced.extend(inflow.cells.iter().map(|&(leaf, _)| leaf));
        }
    }
    forced
}

/// Returns the leaves with a cell in which one of these layers moves water, by its classes that
/// move some.
fn moved_by(layers: &[(usize, Vec<bool>)], leaves: &LeafTable) -> Vec<LeafId> {
    if layers.is_empty() {
        return Vec::new();
    }
    let is_moved = |leaf: &LeafId| {
        layers.iter().any(|(layer, moves)| match &leaves.classes[*leaf][*layer] {
            None => moves[0],
            Some(CellClasses::One(class)) => moves[usize::from(*class)],
            // Perhaps no cell is of a class that moves water: then the leaf is awake in vain.
            Some(CellClasses::Marked(_) | CellClasses::Each(_)) => true,
        })
    };
    leaves.forest.ids().filter(is_moved).collect()
}

/// Returns the leaves that may receive water in the next cycle by a way that is not a face:
/// `forced` ones, edited ones, and leaves with ends of links, with bodies or with stacked columns.
fn given(state: &SimulationState, forced: &[LeafId]) -> Vec<LeafId> {
    let SimulationState { activity, links, solids, stacks, .. } = state;
    let mut given = forced.to_vec();
    given.extend(&activity.woken);
    given.extend(links.all().iter().flat_map(PlacedLink::ends).map(|end| end.leaf));
    given.extend(solids.groups.iter().flat_map(|group| &group.leaves));
    given.extend(stacks.grouped());
    given
}

impl LeafTable {
    /// Returns the leaves of `wakes` that water may reach before the cycle ends, and the `active`
    /// ones: a leaf that is dry, beside dry parts only, has the same bits asleep. All lists ascend.
    ///
    /// A leaf beside a different level is kept, and one beside the leaves of `given`, or beside a
    /// leaf at the world's edge: water may enter anywhere there.
    fn without_dry(&self, wakes: &[LeafId], active: &[LeafId], given: &[LeafId]) -> Vec<LeafId> {
        let is_in = |list: &[LeafId], leaf: LeafId| list.binary_search(&leaf).is_ok();
        let is_plain = |leaf: LeafId| {
            self.own[leaf].boundary.is_empty()
                && self.own[leaf].stack.is_none()
                && !is_in(given, leaf)
        };
        let reaches = |(place, beside): (usize, &Neighbour)| match *beside {
            Neighbour::Nothing => false,
            Neighbour::Coarser(_) | Neighbour::Finer(_) => true,
            // The faces to leaves asleep are closed.
            Neighbour::Same(beside) if !is_in(wakes, beside) => false,
            Neighbour::Same(beside) if !is_plain(beside) => true,
            // The place from there.
            Neighbour::Same(beside) => {
                self.own[beside].is_wet && self.wet_parts(beside).is_near(8 - place)
            }
        };
        let stays_dry = |leaf: LeafId| {
            !self.own[leaf].is_wet
                && !is_in(active, leaf)
                && is_plain(leaf)
                && !self.forest.beside(leaf).iter().enumerate().any(reaches)
        };
        wakes.iter().copied().filter(|&leaf| !stays_dry(leaf)).collect()
    }

    /// Returns true if a leaf has been idle for long enough.
    fn may_sleep(&self, leaf: LeafId, params: &Params) -> bool {
        let LeafOwn { idle, flow_depth_max, .. } = self.own[leaf];
        idle >= params.idle_before_sleep(self.forest.leaves()[leaf].level, flow_depth_max)
    }

    /// Puts a leaf to sleep: stops all its discharges, also over the sides that its neighbours own.
    fn fall_asleep(&mut self, leaf: LeafId) {
        self.water[leaf].stop();
        if let Some(stack) = &mut self.own[leaf].stack {
            stack.flows.clear();
            // A stack without intervals was kept only for flows over the faces of the leaf.
            if stack.is_empty() {
                self.own[leaf].stack = None;
            }
        }
        self.own[leaf].boundary.iter_mut().for_each(|face| (face.q, face.expected) = (0.0, 0.0));
        if let Some(interfaces) = &mut self.interfaces[leaf] {
            interfaces.stop();
        }
        self.asleep[leaf] = true;
        for side in Side::ALL {
            for faces in self.forest.faces(leaf, side) {
                // A leaf has the discharges of its west and south faces; those to the east and
                // north are in the planes of the leaf beyond. If the leaf beyond a west or south
                // face is finer, it has them, in rows beside its planes.
                if side.is_far() {
                    self.stop_along(faces.beyond, side, faces.cells_beyond());
                } else if let Some(interfaces) =
                    self.interfaces[faces.beyond].as_mut().filter(|_| faces.is_finer())
                {
                    interfaces.stop_beyond(side.opposite());
                }
            }
        }
    }

    /// Stops the discharges of the leaf beyond `side`, over that side.
    fn stop_along(&mut self, leaf: LeafId, side: Side, cells: Range<usize>) {
        let water = &mut self.water[leaf];
        if side == Side::East {
            cells.for_each(|i| water.flow_x[i * TILE_WIDTH] = 0.0);
        } else {
            water.flow_y[cells].fill(0.0);
        }
    }
}
