//! What plans know of the speeds.

use crate::grid::{TILE_CELLS, TILE_WIDTH};
use crate::sim::{Simulation, Solver};
use crate::tile::Water;

/// Largest speed that the first plan reckons with, m/s.
const SPEED_MOST: f64 = 1000.0;

impl Simulation {
    /// Speeds and wetness of the initial state, for the first plan.
    pub(super) fn look_at_the_start(&mut self) {
        let levels = self.leaves.forest.leaves().iter().map(|key| key.level).max().unwrap_or(0);
        self.speeds = vec![0.0; usize::from(levels) + 1];
        let (unit_m, mut deepest) = (self.unit_m, vec![0; self.speeds.len()]);
        for ((leaf, water), key) in
            self.leaves.own.iter_mut().zip(&self.leaves.water).zip(self.leaves.forest.leaves())
        {
            let level = usize::from(key.level);
            leaf.is_wet = water.depth.iter().any(|&h| h != 0);
            deepest[level] = water.depth.iter().copied().fold(deepest[level], i32::max);
            self.speeds[level] = self.speeds[level].max(fastest(water, unit_m));
        }
        for (level, deepest) in (0_u8..).zip(deepest) {
            if level < self.leaves.forest.base() {
                continue;
            }
            let depth_m = f64::from(deepest) * unit_m;
            let speed = self.speeds[usize::from(level)].min(SPEED_MOST);
            let waves = self.wave_speed(depth_m) + self.viscous_speed(level);
            self.speeds[usize::from(level)] = speed + waves;
        }
    }

    /// Width of the finest cells that are awake, m, and the speed that asks for the same steps
    /// there as what moves on all levels, m/s.
    pub(super) fn pace(&self) -> (f64, f64) {
        let (finest, _) = self.levels_awake().unwrap_or((self.leaves.forest.base(), 0));
        let mut pace = 0.0_f64;
        for (level, &speed) in (0_u8..).zip(&self.speeds) {
            if level < finest {
                continue;
            }
            // Cells grow with the level, steps up to the K-th only.
            let spare =
                1_u32 << (level - finest - (level - finest).min(self.settings.substeps_log2));
            pace = pace.max(speed / f64::from(spare));
        }
        (self.width_of(finest), pace)
    }

    /// Width of cells of `level`, m.
    pub(super) fn width_of(&self, level: u8) -> f64 {
        self.cell_width_m * f64::from(1_u32 << (level - self.leaves.forest.base()))
    }

    /// What a cycle did, without its [`CycleReport::cell_steps`].
    /// Adds what viscosity asks of the steps to the speeds of all levels.
    pub(super) fn add_viscous_speeds(&mut self) {
        for level in self.leaves.forest.base().. {
            let viscous = self.viscous_speed(level);
            let Some(speed) = self.speeds.get_mut(usize::from(level)) else { break };
            *speed += viscous;
        }
    }

    /// What viscosity asks of the step of `level`, m/s.
    pub(super) fn viscous_speed(&self, level: u8) -> f64 {
        match self.settings.solver {
            Solver::ShallowWater => self.settings.terms.viscous_speed(self.width_of(level)),
            Solver::Pipe => 0.0,
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
