//! What the first plan knows of the speeds.

use crate::grid::TILE_CELLS;
use crate::grid::TILE_WIDTH;
use crate::sim::Simulation;
use crate::sim::Solver;

/// Largest speed that the first plan reckons with, m/s.
const SPEED_MOST: f64 = 1000.0;

impl Simulation {
    /// Speeds and wetness of the initial state, for the first plan.
    pub(super) fn look_at_the_start(&mut self) {
        let deepest = self.water.iter().flat_map(|w| w.depth.iter()).max().copied().unwrap_or(0);
        let depth_m = f64::from(deepest) * self.unit_m;
        let mut speed = 0.0_f64;
        for (leaf, water) in self.leaves.iter_mut().zip(&self.water) {
            leaf.is_wet = water.depth.iter().any(|&h| h != 0);
            for cell in 0..TILE_CELLS {
                // The deeper of the two cells of a face; of the rim of the leaf only its own.
                let over = |q: f32, beside: usize| {
                    let depth = water.depth[cell].max(water.depth[beside]);
                    f64::from(q.abs()) / (f64::from(depth.max(1)) * self.unit_m)
                };
                let west = if cell % TILE_WIDTH > 0 { cell - 1 } else { cell };
                let south = cell.checked_sub(TILE_WIDTH).unwrap_or(cell);
                let seen = over(water.flow_x[cell], west) + over(water.flow_y[cell], south);
                speed = speed.max(seen);
            }
        }
        let speed = speed.min(SPEED_MOST);
        self.speed = speed + self.wave_speed(depth_m) + self.viscous_speed();
    }

    /// What viscosity asks of the step, m/s.
    pub(super) fn viscous_speed(&self) -> f64 {
        match self.settings.solver {
            Solver::ShallowWater => self.settings.terms.viscous_speed(self.cell_width_m),
            Solver::Pipe => 0.0,
        }
    }
}
