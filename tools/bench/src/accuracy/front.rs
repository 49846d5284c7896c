//! A dam that vanishes at once, along the grid and at 45° to it, onto water.

use crate::accuracy::scheme::{DepthPair, Scheme, channel, profile, run_to, square};
use crate::suite::BenchError;
use crate::world::{WorldPlan, places};
use exact::Stoker;
use std::f64::consts::FRAC_1_SQRT_2;
use thalweg::world::{World, WorldBuilder};
use thalweg_engine::grid::cells::CellPlace;

/// One dam break.
#[derive(Debug, Clone, Copy)]
pub struct Front {
    /// Exact solution, with the depths of both sides.
    pub exact: Stoker,
    /// Depth behind the dam, m.
    pub behind_m: f64,
    /// Length of the channel, and side of the square, m; the dam is in the middle.
    pub length_m: f64,
    /// Moment of the comparison, s.
    pub end_s: f64,
}

impl Front {
    /// Returns depths along a channel, by the distance from the dam.
    ///
    /// # Errors
    ///
    /// If the world is refused.
    pub fn aligned(self, cells: usize, scheme: Scheme) -> Result<Vec<DepthPair>, BenchError> {
        let (plan, half_m) = (channel(cells, self.length_m), 0.5 * self.length_m);
        let along = move |cell: CellPlace| (f64::from(cell.x) + 0.5) * plan.cell_m - half_m;
        let world = self.run(plan, scheme, along)?;
        Ok(profile(&world, half_m, |x_m| self.depth_m(x_m)))
    }

    /// Returns depths in a square with the dam on its diagonal, by the distance from it: of cells
    /// within `across_m` of the dam, whose x and y differ by less than `apart_m`.
    ///
    /// # Errors
    ///
    /// If the world is refused.
    pub fn oblique(
        self,
        side: usize,
        scheme: Scheme,
        (across_m, apart_m): (f64, f64),
    ) -> Result<Vec<DepthPair>, BenchError> {
        let (plan, side_m) = (square(side, self.length_m), self.length_m);
        let across = move |cell: CellPlace| {
            let sum = f64::from(cell.x) + f64::from(cell.y) + 1.0;
            (sum * plan.cell_m - side_m) * FRAC_1_SQRT_2
        };
        let world = self.run(plan, scheme, across)?;
        let is_seen = |cell: &CellPlace| {
            let apart = (f64::from(cell.x) - f64::from(cell.y)) * plan.cell_m;
            across(*cell).abs() < across_m && apart.abs() < apart_m
        };
        let pair = |cell| {
            let x_m = across(cell);
            let depth_m = world.water().depth_m(cell).unwrap_or(f64::NAN);
            DepthPair { x_m, depth_m, exact_m: self.depth_m(x_m) }
        };
        Ok(places(&world).filter(is_seen).map(pair).collect())
    }

    /// Returns the exact depth at a distance from the dam, m.
    fn depth_m(self, x_m: f64) -> f64 {
        self.exact.at(x_m, self.end_s).depth_m
    }

    /// Returns the end of a run from water behind the dam, where `across` is negative, and ahead of
    /// it.
    fn run(
        self,
        plan: WorldPlan,
        scheme: Scheme,
        across: impl Fn(CellPlace) -> f64 + Send + Sync + 'static,
    ) -> Result<World, BenchError> {
        let (behind_m, ahead_m) = (self.behind_m, self.exact.bore().ahead_m());
        let depth = move |cell| if across(cell) < 0.0 { behind_m } else { ahead_m };
        let mut world = WorldBuilder::new(plan.terrain(|_, _| 0.0)?)
            .settings(scheme.settings(0.0))
            .initial_depth(depth)
            .build()?;
        run_to(&mut world, self.end_s);
        Ok(world)
    }
}
