//! Drifters: particles that float along with the water.

use super::error::LooksError;
use crate::probe::Query;
use rayon::prelude::*;
use std::ops::Range;

/// Most cells that a drifter crosses in one step.
const CELLS_A_STEP: f64 = 0.5;

/// Most steps of half a cell of one advance.
const STEPS_MOST: f64 = 16_384.0;

/// Parts of a step that are tried if the whole one leads over dry ground.
const PARTS: [f64; 4] = [1.0, 0.5, 0.25, 0.125];

/// Fewest drifters for one thread.
const FEW: usize = 256;

/// State of a drifter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(u8)]
pub enum DriftState {
    /// On water.
    #[default]
    Afloat = 0,
    /// On dry ground, until water returns.
    Stranded = 1,
    /// Out of the world, for good.
    Gone = 2,
}

/// Particles that drift with the velocity of the water of any world: leaves, wood, foam, people.
///
/// | buffer | contains |
/// | --- | --- |
/// | [`Drifters::places_m`] | metres east and north of the world's south-west corner |
/// | [`Drifters::states`] | afloat, stranded, or gone out of the world |
/// | [`Drifters::stages_m`] | elevation of the water's surface, or of the dry bed, m |
/// | [`Drifters::depths_m`] | depth, m; 0 where it is dry |
/// | [`Drifters::velocities_m_s`] | velocity eastward and northward, m/s |
///
/// An advance consists of steps of at most half the width of the cells that a [`Query`] uses there:
/// cells of the leaf, or finest cells through sub-grid columns. Each step is made by the midpoint
/// rule (Runge–Kutta of second order) through the velocities of the query: at any level, through
/// interfaces between levels, over streamed and sub-grid worlds.
///
/// ```text
/// x' = x + Δt·v(x + ½Δt·v(x))
/// ```
///
/// Drifters run neither onto dry ground nor over it: if the middle or the end of a step is dry,
/// they move along the shore, less far, or stay. A drifter is stranded when the water leaves it,
/// and drifts on when the water returns.
///
/// Guarantees: in a uniform flow a drifter moves as far as the flow does, also through interfaces
///             between levels (`drifters_follow_a_uniform_flow_through_levels`); the same places
///             for any number of threads.
/// Limits:     the water does not change during an advance. Drifters meet neither each other nor
///             bodies; a closed edge of the world stops them only by the velocities beside it.
///             Water is checked at every quarter of a cell, faces are not, so thin walls, gates and
///             further closed faces stop a drifter only by the velocities beside them. Advances of
///             more than 16,384 steps use longer ones, which may lead over dry ground. Amounts that
///             stay to the unit are those of a [`VisualLayer`].
/// Source:     own.
///
/// ```
/// use thalweg::looks::{DriftState, Drifters};
/// use thalweg::prelude::*;
/// let terrain = Terrain::from_heights([64, 64], 5.0, |x, _| 0.1 * x as f64)?;
/// let world = WorldBuilder::new(terrain).initial_stage(|_| 3.0).build()?;
/// let mut drifters = Drifters::default();
/// drifters.try_add(&[[20.0, 20.0], [300.0, 20.0]])?;
/// drifters.advance(&world.query(), 1.0)?;
/// assert_eq!(drifters.states(), [DriftState::Afloat, DriftState::Stranded]);
/// assert!((drifters.stages_m()[0] - 3.0).abs() < 1.0e-5);
/// assert!(drifters.advance(&world.query(), -1.0).is_err());
/// # Ok::<(), thalweg::Error>(())
/// ```
///
/// [`VisualLayer`]: crate::world::VisualLayer
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Drifters {
    places_m: Vec<[f64; 2]>,
    states: Vec<DriftState>,
    stages_m: Vec<f32>,
    depths_m: Vec<f32>,
    velocities_m_s: Vec<[f32; 2]>,
}

/// One drifter at a moment.
#[derive(Debug, Clone, Copy)]
struct Drifter {
    place_m: [f64; 2],
    state: DriftState,
    stage_m: f64,
    depth_m: f64,
    velocity_m_s: [f64; 2],
}

/// Water at a place.
#[derive(Debug, Clone, Copy)]
struct DrifterSpot {
    is_wet: bool,
    top_m: f64,
    depth_m: f64,
    velocity_m_s: [f64; 2],
    cell_m: f64,
}

impl Drifters {
    /// Adds drifters at places; returns their indices. They are afloat and at rest until the next
    /// advance, which reads the water at their places; an advance of 0 s does only that.
    ///
    /// # Errors
    ///
    /// [`LooksError::Place`] if a coordinate is not a finite number; then no drifter is added.
    pub fn try_add(
        &mut self,
        places_m: &[impl Into<[f64; 2]> + Copy],
    ) -> Result<Range<usize>, LooksError> {
        let new: Vec<[f64; 2]> = places_m.iter().map(|&place| place.into()).collect();
        let is_place = |place: &[f64; 2]| place.iter().all(|at| at.is_finite());
        if let Some(index) = new.iter().position(|place| !is_place(place)) {
            return Err(LooksError::Place { index, place_m: new[index] });
        }
        let from = self.places_m.len();
        self.places_m.extend(new);
        let count = self.places_m.len();
        self.states.resize(count, DriftState::Afloat);
        self.stages_m.resize(count, 0.0);
        self.depths_m.resize(count, 0.0);
        self.velocities_m_s.resize(count, [0.0; 2]);
        Ok(from..count)
    }

    /// Lets all drift for a span of simulated time, through the water of a query, in parallel.
    ///
    /// # Errors
    ///
    /// [`LooksError::Seconds`] if a span is negative, infinite or not a number; then no drifter has
    /// moved.
    #[expect(clippy::cast_possible_truncation, reason = "what a renderer draws")]
    pub fn advance(&mut self, query: &Query<'_>, seconds: f64) -> Result<(), LooksError> {
        if !(seconds.is_finite() && seconds >= 0.0) {
            return Err(LooksError::Seconds(seconds));
        }
        let places = self.places_m.par_iter_mut().with_min_len(FEW).zip(&mut self.states);
        let numbers = self.stages_m.par_iter_mut().zip(&mut self.depths_m);
        let all = places.zip(numbers).zip(&mut self.velocities_m_s);
        all.for_each(|(((place_m, state), (stage_m, depth_m)), velocity_m_s)| {
            if *state == DriftState::Gone {
                return;
            }
            let drifter = drift(query, *place_m, seconds);
            (*place_m, *state) = (drifter.place_m, drifter.state);
            (*stage_m, *depth_m) = (drifter.stage_m as f32, drifter.depth_m as f32);
            *velocity_m_s = drifter.velocity_m_s.map(|part| part as f32);
        });
        Ok(())
    }

    /// Removes the drifters that are gone: the rest keep their order, not their indices.
    pub fn remove_gone(&mut self) {
        let stays: Vec<bool> = self.states.iter().map(|state| *state != DriftState::Gone).collect();
        let mut at = 0;
        for (index, _) in stays.iter().enumerate().filter(|(_, stays)| **stays) {
            self.places_m.swap(at, index);
            self.stages_m.swap(at, index);
            self.depths_m.swap(at, index);
            self.velocities_m_s.swap(at, index);
            self.states.swap(at, index);
            at += 1;
        }
        self.places_m.truncate(at);
        self.stages_m.truncate(at);
        self.depths_m.truncate(at);
        self.velocities_m_s.truncate(at);
        self.states.truncate(at);
    }

    /// Returns the places of the drifters, metres east and north of the world's south-west corner;
    /// of a drifter that is gone, its last place beyond the edge.
    #[must_use]
    pub fn places_m(&self) -> &[[f64; 2]] {
        &self.places_m
    }

    /// Returns the state of each drifter.
    #[must_use]
    pub fn states(&self) -> &[DriftState] {
        &self.states
    }

    /// Returns the elevation of the water's surface at each drifter, or of the bed if it is dry, m.
    #[must_use]
    pub fn stages_m(&self) -> &[f32] {
        &self.stages_m
    }

    /// Returns the depth at each drifter, m; 0 if it is dry.
    #[must_use]
    pub fn depths_m(&self) -> &[f32] {
        &self.depths_m
    }

    /// Returns the velocity at each drifter, eastward and northward, m/s; 0 if it is dry.
    #[must_use]
    pub fn velocities_m_s(&self) -> &[[f32; 2]] {
        &self.velocities_m_s
    }
}

/// Returns the water at a place; `None` outside the world.
fn spot(query: &Query<'_>, place_m: [f64; 2]) -> Option<DrifterSpot> {
    let (sample, cell_m) = query.sample_and_width_m(place_m)?;
    Some(DrifterSpot {
        is_wet: sample.is_wet(),
        top_m: sample.surface_m(),
        depth_m: sample.depth_m,
        velocity_m_s: sample.velocity_m_s,
        cell_m,
    })
}

/// Returns one drifter after a span.
fn drift(query: &Query<'_>, from_m: [f64; 2], seconds: f64) -> Drifter {
    let drifter = |place_m, spot: DrifterSpot| Drifter {
        place_m,
        state: if spot.is_wet { DriftState::Afloat } else { DriftState::Stranded },
        stage_m: spot.top_m,
        depth_m: spot.depth_m,
        velocity_m_s: spot.velocity_m_s,
    };
    let gone = |place_m| Drifter {
        place_m,
        state: DriftState::Gone,
        stage_m: 0.0,
        depth_m: 0.0,
        velocity_m_s: [0.0; 2],
    };
    let Some(mut here) = spot(query, from_m) else { return gone(from_m) };
    let (mut place_m, mut left_s) = (from_m, seconds);
    let least_s = seconds / STEPS_MOST;
    while here.is_wet && left_s > 0.0 {
        let [u, v] = here.velocity_m_s;
        let speed = u.hypot(v);
        if speed <= 0.0 {
            break;
        }
        let most_s = (CELLS_A_STEP * here.cell_m / speed).max(least_s).min(left_s);
        // If no way is free, a shorter one may be.
        let way = PARTS
            .iter()
            .find_map(|part| free_way(query, (place_m, &here), (part * least_s, part * most_s)));
        let Some((step_s, to_m, there)) = way else { break };
        let Some(there) = there else { return gone(to_m) };
        (place_m, here) = (to_m, there);
        left_s -= step_s;
    }
    drifter(place_m, here)
}

/// Returns a step of at most `seconds` from a place, by the midpoint rule straight on, else along
/// the shore by the greater or the smaller part of the velocity: its seconds, its end, and the
/// water there; `None` if its middle or its end is dry.
fn free_way(
    query: &Query<'_>,
    (from_m, here): ([f64; 2], &DrifterSpot),
    (least_s, most_s): (f64, f64),
) -> Option<(f64, [f64; 2], Option<DrifterSpot>)> {
    let moved =
        |velocity: [f64; 2], span_s: f64| [0, 1].map(|axis| from_m[axis] + velocity[axis] * span_s);
    let [u, v] = here.velocity_m_s;
    let reach_m = (CELLS_A_STEP * here.cell_m).max(u.hypot(v) * most_s);
    let aside = if u.abs() >= v.abs() { [[u, 0.0], [0.0, v]] } else { [[0.0, v], [u, 0.0]] };
    let ways = [([u, v], true), (aside[0], false), (aside[1], false)];
    for (way, is_straight) in ways.into_iter().filter(|(way, _)| way[0].hypot(way[1]) > 0.0) {
        let middle_m = moved(way, 0.5 * most_s);
        let Some(middle) = spot(query, middle_m) else { return Some((most_s, middle_m, None)) };
        if !middle.is_wet {
            continue;
        }
        // In shallows ahead water may be much faster than here.
        let velocity = if is_straight { middle.velocity_m_s } else { way };
        let reached_s = reach_m / velocity[0].hypot(velocity[1]);
        let step_s = most_s.min(reached_s.max(least_s));
        let to_m = moved(velocity, step_s);
        let there = spot(query, to_m);
        if there.is_none_or(|there| there.is_wet) {
            return Some((step_s, to_m, there));
        }
    }
    None
}
