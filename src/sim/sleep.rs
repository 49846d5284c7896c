//! Who is stepped: sleep and waking of leaves.
//!
//! A leaf sleeps when it and all its neighbours have been quiet for long; then its discharges
//! become 0 and its depths stay. Forcing, moving edges and restless neighbours wake it.
//!
//! Guarantees: no unit is lost between a leaf that sleeps and one that is awake: the faces between
//!             them are closed, and a difference of stage there wakes the sleeper.
//! Limits:     a film thinner than what a restless face needs waits at a sleeper's border.

use crate::flow::solver::StepSummary;
use crate::forest::NO_LEAF;
use crate::grid::TILE_WIDTH;
use crate::sim::Simulation;
use crate::units::SimTime;

impl Simulation {
    /// Decides which leaves are stepped in the cycle that ends at `end`, or earlier. Returns the
    /// largest speed for the Courant number among them, m/s: a lake that wakes has waves.
    pub(super) fn wake_and_sleep(&mut self, end: SimTime) -> f64 {
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
            let around = self.forest.around(index);
            let quiet = around.iter().filter(|&&leaf| leaf != NO_LEAF);
            let least = quiet.map(|&leaf| self.leaves[leaf as usize].quiet).min().unwrap_or(0);
            let sleeps = least >= self.settings.quiet_cycles;
            if sleeps && !self.asleep[index] {
                self.fall_asleep(index);
            }
            self.asleep[index] = sleeps;
            self.leaves[index].seen = StepSummary::default();
        }
        let awake = self.leaves.iter().zip(&self.asleep).filter(|(_, asleep)| !**asleep);
        let deepest = awake.map(|(leaf, _)| leaf.flow_depth_max).fold(0.0, f32::max);
        self.speed.max(self.wave_speed(f64::from(deepest)))
    }

    /// Speed of long waves on water of a depth in two dimensions, m/s.
    pub(super) fn wave_speed(&self, depth_m: f64) -> f64 {
        (2.0 * self.settings.gravity * depth_m).sqrt()
    }

    /// Stops all discharges of a leaf, those of its east and north rim, which its neighbours own,
    /// among them.
    fn fall_asleep(&mut self, index: usize) {
        self.water[index].stop();
        self.leaves[index].rim.iter_mut().for_each(|face| (face.q, face.expected) = (0.0, 0.0));
        let around = self.forest.around(index);
        let (east, north) = (around[5], around[7]);
        if east != NO_LEAF {
            let flow_x = &mut self.water[east as usize].flow_x;
            flow_x.iter_mut().step_by(TILE_WIDTH).for_each(|q| *q = 0.0);
        }
        if north != NO_LEAF {
            self.water[north as usize].flow_y[..TILE_WIDTH].fill(0.0);
        }
    }
}
