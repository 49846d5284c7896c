//! The solvers that are compared, and the measure of errors.

use crate::world::{WorldPlan, column_depth_m};
use thalweg::units::SimTime;
use thalweg::world::World;
use thalweg_engine::sim::{Order, Settings, Solver};

/// A solver and its order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scheme {
    /// Shallow water, second order: the promised scheme.
    Second,
    /// Shallow water, first order.
    First,
    /// The pipe method.
    Pipe,
}

impl Scheme {
    /// Returns the settings of this scheme for one roughness.
    #[must_use]
    pub fn settings(self, manning_n: f64) -> Settings {
        let (solver, order) = match self {
            Self::Second => (Solver::ShallowWater, Order::Second),
            Self::First => (Solver::ShallowWater, Order::First),
            Self::Pipe => (Solver::Pipe, Order::First),
        };
        Settings { solver, order, manning_n: vec![manning_n], ..Settings::default() }
    }
}

/// Rows of a channel that represents one dimension.
pub const CHANNEL_ROWS: usize = 2;

/// Makes a channel between walls, in the finest vertical units.
#[must_use]
pub fn channel(cells: usize, length_m: f64) -> WorldPlan {
    let cell_m = length_m / cells as f64;
    WorldPlan { width: cells, height: CHANNEL_ROWS, cell_m, exponent: 24, datum_m: 0.0 }
}

/// Makes a square between walls, in the finest vertical units.
#[must_use]
pub fn square(side: usize, side_m: f64) -> WorldPlan {
    WorldPlan { width: side, height: side, ..channel(side, side_m) }
}

/// Runs a world up to a moment, with steps as long as the Courant number allows.
pub fn run_to(world: &mut World, seconds: f64) {
    world.run_until(SimTime::from_seconds(seconds));
}

/// Depth in one place, computed and exact, m.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DepthPair {
    /// Place along the channel, m.
    pub x_m: f64,
    /// Computed depth.
    pub depth_m: f64,
    /// Exact depth.
    pub exact_m: f64,
}

/// Returns depths along a channel, the mean of its rows, beside exact ones at the cells' centres;
/// places count from `origin_m` east of the west end.
#[must_use]
pub fn profile(world: &World, origin_m: f64, exact_m: impl Fn(f64) -> f64) -> Vec<DepthPair> {
    let columns = 0..u32::try_from(world.size().0).expect("2²⁰ columns at most");
    let pair = |x: u32| {
        let x_m = (f64::from(x) + 0.5) * world.cell_width_m() - origin_m;
        DepthPair { x_m, depth_m: column_depth_m(world, x), exact_m: exact_m(x_m) }
    };
    columns.map(pair).collect()
}

/// Returns Σ |computed − exact| / Σ exact.
#[must_use]
pub fn relative_l1<'a>(pairs: impl IntoIterator<Item = &'a DepthPair>) -> f64 {
    let (mut error, mut sum) = (0.0, 0.0);
    for pair in pairs {
        error += (pair.depth_m - pair.exact_m).abs();
        sum += pair.exact_m;
    }
    error / sum
}
