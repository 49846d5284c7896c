//! Who is stepped: sleep and waking of leaves.
//!
//! A leaf sleeps when it and all its neighbours have been quiet for long; then its discharges
//! become 0 and its depths stay. Forcing, moving edges and restless neighbours wake it.
//!
//! Guarantees: no unit is lost between a leaf that sleeps and one that is awake: the faces between
//!             them are closed, and a difference of stage there wakes the sleeper.
//! Limits:     a film thinner than what a restless face needs waits at a sleeper's border.

use crate::flow::solver::StepSummary;
use crate::forest::Beside;
use crate::forest::LeafIndex;
use crate::forest::edges::halves;
use crate::forest::edges::opposite;
use crate::forest::edges::place_of;
use crate::grid::Side;
use crate::grid::TILE_WIDTH;
use crate::sim::Simulation;
use crate::units::SimTime;
use std::ops::Range;

impl Simulation {
    /// Decides which leaves are stepped in the cycle that ends at `end`, or earlier.
    pub(super) fn wake_and_sleep(&mut self, end: SimTime) {
        let (rains, drains) =
            (self.forcing.rains(self.time, end), self.forcing.drains(self.time, end));
        let flows: Vec<bool> =
            self.forcing.inflows.iter().map(|i| i.rate.deposited(self.time, end) > 0).collect();
        let tides: Vec<bool> = self.laws.iter().map(|law| law.moves(self.time, end)).collect();
        for leaf in &mut self.leaves {
            let is_fed = leaf.shares.iter().any(|share| flows[share.inflow as usize]);
            let meets_tide = leaf.rim.iter().any(|face| tides[face.law as usize]);
            if rains || is_fed || meets_tide || (drains && leaf.is_wet) {
                leaf.quiet = 0;
            }
        }
        for index in 0..self.leaves.len() {
            let least = self.least_quiet(index);
            let sleeps = least >= self.settings.quiet_cycles;
            if sleeps && !self.asleep[index] {
                self.fall_asleep(index);
            }
            self.asleep[index] = sleeps;
            self.leaves[index].seen = StepSummary::default();
        }
        self.list_awake();
        // What wakes has waves.
        for level in 0..self.awake.len() {
            let awake = self.awake[level].iter().map(|&leaf| &self.leaves[leaf as usize]);
            let deepest = awake.map(|leaf| leaf.flow_depth_max).fold(0.0, f32::max);
            self.speeds[level] = self.speeds[level].max(self.wave_speed(f64::from(deepest)));
        }
    }

    /// Least quiet of a leaf and all around it, cycles.
    fn least_quiet(&self, index: usize) -> u32 {
        let quiet = |leaf: LeafIndex| self.leaves.get(leaf as usize).map(|leaf| leaf.quiet);
        let of = |beside: &Beside| match *beside {
            Beside::Nothing => None,
            Beside::Same(leaf) | Beside::Coarser(leaf) => quiet(leaf),
            Beside::Finer(pair) => halves(pair).filter_map(|(_, leaf)| quiet(leaf)).min(),
        };
        self.forest.beside(index).iter().filter_map(of).min().unwrap_or(0)
    }

    /// Lists who is awake, by level.
    pub(super) fn list_awake(&mut self) {
        let levels = self.speeds.len();
        let clear = |lists: &mut Vec<Vec<LeafIndex>>| {
            lists.resize(levels, Vec::new());
            lists.iter_mut().for_each(Vec::clear);
        };
        clear(&mut self.awake);
        clear(&mut self.lenders);
        for (index, key) in (0..).zip(self.forest.leaves()) {
            if self.asleep[index as usize] {
                continue;
            }
            let level = usize::from(key.level);
            self.awake[level].push(index);
            let edges = &self.edges[index as usize];
            if edges.as_ref().is_some_and(|edges| edges.shown.is_some()) {
                self.lenders[level].push(index);
            }
        }
    }

    /// Speed of long waves on water of a depth in two dimensions, m/s.
    pub(super) fn wave_speed(&self, depth_m: f64) -> f64 {
        (2.0 * self.settings.gravity * depth_m).sqrt()
    }

    /// Stops all discharges of a leaf, those of its rim that its neighbours own among them.
    fn fall_asleep(&mut self, index: usize) {
        self.water[index].stop();
        self.leaves[index].rim.iter_mut().for_each(|face| (face.q, face.expected) = (0.0, 0.0));
        if let Some(edges) = &mut self.edges[index] {
            edges.stop();
        }
        for side in Side::ALL {
            let is_far = matches!(side, Side::East | Side::North);
            match self.forest.beside(index)[place_of(side)] {
                Beside::Same(other) if is_far => self.stop_along(other, side, 0..TILE_WIDTH),
                Beside::Coarser(other) if is_far => {
                    let key = self.forest.leaves()[index];
                    let along = if side == Side::East { key.y } else { key.x };
                    let half = 32 * (along & 1) as usize;
                    self.stop_along(other, side, half..half + 32);
                }
                Beside::Finer(pair) => {
                    for (_, finer) in halves(pair) {
                        if is_far {
                            self.stop_along(finer, side, 0..TILE_WIDTH);
                        } else if let Some(edges) = &mut self.edges[finer as usize] {
                            edges.stop_beyond(opposite(side));
                        }
                    }
                }
                _ => {}
            }
        }
    }

    /// Stops the discharges of the leaf that lies beyond `side`, over that side.
    fn stop_along(&mut self, leaf: LeafIndex, side: Side, cells: Range<usize>) {
        let water = &mut self.water[leaf as usize];
        if side == Side::East {
            cells.for_each(|i| water.flow_x[i * TILE_WIDTH] = 0.0);
        } else {
            water.flow_y[cells].fill(0.0);
        }
    }
}
