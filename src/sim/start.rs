//! What plans know of the speeds.

use crate::grid::{TILE_CELLS, TILE_WIDTH};
use crate::sim::Simulation;
use crate::tile::Water;

/// Largest speed that the first plan reckons with, m/s.
const SPEED_MOST: f64 = 1000.0;

impl Simulation {
    /// Speeds and wetness of the initial state, for the first plan.
    pub(super) fn look_at_the_start(&mut self) {
        let levels =
            self.state.leaves.forest.leaves().iter().map(|key| key.level).max().unwrap_or(0);
        self.state.activity.speeds = vec![0.0; usize::from(levels) + 1];
        let (unit_m, mut deepest) = (self.params.unit_m, vec![0; self.state.activity.speeds.len()]);
        for ((leaf, water), key) in self
            .state
            .leaves
            .own
            .iter_mut()
            .zip(&self.state.leaves.water)
            .zip(self.state.leaves.forest.leaves())
        {
            let level = usize::from(key.level);
            leaf.is_wet = water.depth.iter().any(|&h| h != 0);
            deepest[level] = water.depth.iter().copied().fold(deepest[level], i32::max);
            self.state.activity.speeds[level] =
                self.state.activity.speeds[level].max(fastest(water, unit_m));
        }
        for (level, deepest) in (0_u8..).zip(deepest) {
            if level < self.state.leaves.forest.base() {
                continue;
            }
            let depth_m = f64::from(deepest) * unit_m;
            let speed = self.state.activity.speeds[usize::from(level)].min(SPEED_MOST);
            let waves = self.params.wave_speed(depth_m) + self.params.viscous_speed(level);
            self.state.activity.speeds[usize::from(level)] = speed + waves;
        }
    }

    /// Width of the finest cells that are awake, m, and the speed that asks for the same steps
    /// there as what moves on all levels, m/s.
    pub(super) fn pace(&self) -> (f64, f64) {
        let (finest, _) = self.levels_awake().unwrap_or((self.state.leaves.forest.base(), 0));
        let mut pace = 0.0_f64;
        for (level, &speed) in (0_u8..).zip(&self.state.activity.speeds) {
            if level < finest {
                continue;
            }
            // Cells grow with the level, steps up to the K-th only.
            let spare = 1_u32
                << (level - finest - (level - finest).min(self.params.settings.substeps_log2));
            pace = pace.max(speed / f64::from(spare));
        }
        (self.params.width_of(finest), pace)
    }

    /// Adds what viscosity asks of the steps to the speeds of all levels.
    pub(super) fn add_viscous_speeds(&mut self) {
        for level in self.state.leaves.forest.base().. {
            let viscous = self.params.viscous_speed(level);
            let Some(speed) = self.state.activity.speeds.get_mut(usize::from(level)) else { break };
            *speed += viscous;
        }
    }
}

/// Largest sum of the speeds over the west and the south face of a cell, m/s.
fn fastest(water: &Water, unit_m: f64) -> f64 {
    let mut speed = 0.0_f64;
    for cell in 0..TILE_CELLS {
        // The deeper of the two cells of a face; of the rim of the leaf only its own.
        let over = |q: f32, beside: usize| {
            let depth = water.depth[cell].max(water.depth[beside]);
            f64::from(q.abs()) / (f64::from(depth.max(1)) * unit_m)
        };
        let west = if cell % TILE_WIDTH > 0 { cell - 1 } else { cell };
        let south = cell.checked_sub(TILE_WIDTH).unwrap_or(cell);
        let seen = over(water.flow_x[cell], west) + over(water.flow_y[cell], south);
        speed = speed.max(seen);
    }
    speed
}
