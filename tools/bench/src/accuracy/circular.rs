//! A circular dam break: the water does not depend on the grid, nor should the solution.
//!
//! 0.5 m of water within 2 m of the middle of a square of 10 m fall onto 0.1 m; 0.9 s.
//!
//! ```text
//! circular            Σ |h − h̄(r)| / Σ h      h̄ the mean of all cells at a radius
//! circular.front      (largest − smallest)/mean radius of the bore in 360 directions
//! circular.symmetry   rms of h − h turned by 90°, over that of two runs with different draws
//! ```
//!
//! Limits:     a spread about the mean; the mean itself is not compared.

use crate::accuracy::case::{Case, CaseRow};
use crate::accuracy::ladder::Ladder;
use crate::accuracy::scheme::{Scheme, run_to, square};
use crate::suite::{Bench, BenchError};
use crate::table::Measurement;
use crate::world::places;
use thalweg::world::WorldBuilder;
use thalweg_engine::grid::cells::CellPlace;
use thalweg_engine::sim::Settings;

/// Roundness of the dam break.
pub const BENCH: Bench = Bench {
    ids: &["accuracy.circular", "accuracy.circular.front", "accuracy.circular.symmetry"],
    what: "circular dam break: spread of depth at equal radius, 400² cells",
    is_long: false,
    measure: |context| Ok(context.show(case()?)),
};

const SIDES: [usize; 4] = [100, 200, 400, 800];
const PROMISED: usize = 400;
const SIDE_M: f64 = 10.0;
const RADIUS_M: f64 = 2.0;
const BEHIND_M: f64 = 0.5;
const AHEAD_M: f64 = 0.1;
const END_S: f64 = 0.9;
/// Radius within which cells count, m: the bore has not reached the walls.
const WITHIN_M: f64 = 4.8;
/// Depth at the front, m: about half the bore.
const FRONT_M: f64 = 0.13;

fn case() -> Result<Case, BenchError> {
    let ladder =
        Ladder::climb(2, SIDES, PROMISED, |side, scheme| Pond::run(side, scheme.settings(0.0)))?;
    let pond = ladder.promised();
    let other = Pond::run(PROMISED, Settings { seed: 2, ..Scheme::Second.settings(0.0) })?;
    let (turned, noise) = (pond.difference(&pond.turned()), pond.difference(&other));
    let ratio = turned.rms_m / noise.rms_m;
    let note = format!(
        "turned: rms {:.2e} m, largest {:.2e} m\nother draws: rms {:.2e} m, largest {:.2e} m",
        turned.rms_m, turned.largest_m, noise.rms_m, noise.largest_m
    );
    let symmetry: CaseRow =
        Measurement::new("accuracy.circular.symmetry", ratio, "times the noise")
            .target("<= 1.5")
            .cells(PROMISED * PROMISED)
            .note(note)
            .into();
    Ok(Case {
        title: "Circular dam break",
        about: "0.5 m of water within 2 m of the middle fall onto 0.1 m; after 0.9 s cells at \
                equal radius should be alike: the relative L1 distance of depth from its mean at \
                a radius, the spread of the bore's radius, and the four-fold symmetry against \
                the noise of rounding.",
        rows: vec![
            ladder.row("accuracy.circular", Pond::spread).target("<= 0.01"),
            ladder.row("accuracy.circular.front", Pond::front_spread).target("<= 0.01"),
            symmetry,
        ],
        plots: Vec::new(),
    })
}

/// Depths at the end, row by row from the south.
struct Pond {
    side: usize,
    depths_m: Vec<f64>,
}

/// Differences between two ponds.
struct PondDifference {
    rms_m: f64,
    largest_m: f64,
}

impl Pond {
    fn run(side: usize, settings: Settings) -> Result<Self, BenchError> {
        let plan = square(side, SIDE_M);
        let depth = move |cell: CellPlace| {
            if radius_m(side, cell) < RADIUS_M { BEHIND_M } else { AHEAD_M }
        };
        let mut world = WorldBuilder::new(plan.terrain(|_, _| 0.0)?)
            .settings(settings)
            .initial_depth(depth)
            .build()?;
        run_to(&mut world, END_S);
        let depths_m =
            places(&world).map(|cell| world.water().depth_m(cell).unwrap_or(f64::NAN)).collect();
        Ok(Self { side, depths_m })
    }

    /// Returns the radius and depth of all cells that count, m.
    fn places(&self) -> impl Iterator<Item = (f64, f64)> {
        let cell = |index: usize| {
            let [x, y] = [index % self.side, index / self.side].map(u32::try_from);
            CellPlace { x: x.unwrap_or(u32::MAX), y: y.unwrap_or(u32::MAX) }
        };
        let all = self.depths_m.iter().enumerate();
        all.map(move |(index, &depth_m)| (radius_m(self.side, cell(index)), depth_m))
            .filter(|place| place.0 < WITHIN_M)
    }

    /// Returns the relative L1 distance of depth from its mean at a radius, straight lines between
    /// the means of rings as wide as a cell.
    fn spread(&self) -> f64 {
        let cell_m = SIDE_M / self.side as f64;
        let mut rings = vec![(0.0, 0.0, 0.0); self.side];
        for (radius_m, depth_m) in self.places() {
            let ring = &mut rings[whole(radius_m / cell_m)];
            *ring = (ring.0 + 1.0, ring.1 + radius_m, ring.2 + depth_m);
        }
        let means: Vec<(f64, f64)> =
            rings.iter().filter(|ring| ring.0 > 0.0).map(|r| (r.1 / r.0, r.2 / r.0)).collect();
        let (mut apart, mut sum) = (0.0, 0.0);
        for (radius_m, depth_m) in self.places() {
            apart += (depth_m - between(&means, radius_m)).abs();
            sum += depth_m;
        }
        apart / sum
    }

    /// Returns the largest less the smallest radius of the front over their mean.
    fn front_spread(&self) -> f64 {
        let radii: Vec<f64> =
            (0..360).map(|degrees| self.front_m(f64::from(degrees).to_radians())).collect();
        let least = radii.iter().copied().fold(f64::INFINITY, f64::min);
        let most = radii.iter().copied().fold(0.0, f64::max);
        (most - least) / (radii.iter().sum::<f64>() / radii.len() as f64)
    }

    /// Returns the radius of the front in a direction, m: from outside, where the depth passes its
    /// limit.
    fn front_m(&self, direction: f64) -> f64 {
        let (sin, cos) = direction.sin_cos();
        let step_m = 0.1 * SIDE_M / self.side as f64;
        let mut radius_m = WITHIN_M;
        while radius_m > 0.0 && self.depth_m(radius_m * cos, radius_m * sin) < FRONT_M {
            radius_m -= step_m;
        }
        radius_m
    }

    /// Returns the depth at a place counted from the middle, linear between the centres of four
    /// cells, m.
    fn depth_m(&self, x_m: f64, y_m: f64) -> f64 {
        let cell = |at_m: f64| (at_m + 0.5 * SIDE_M) * self.side as f64 / SIDE_M - 0.5;
        let (x, y) = (cell(x_m), cell(y_m));
        let at = |dx, dy| self.depths_m[(whole(y) + dy) * self.side + whole(x) + dx];
        let (right, up) = (x.fract(), y.fract());
        let south = at(0, 0) * (1.0 - right) + at(1, 0) * right;
        let north = at(0, 1) * (1.0 - right) + at(1, 1) * right;
        south * (1.0 - up) + north * up
    }

    /// Returns a copy of the pond, turned by a right angle.
    fn turned(&self) -> Self {
        let last = self.side - 1;
        let at = |index: usize| {
            let (x, y) = (index % self.side, index / self.side);
            self.depths_m[x * self.side + last - y]
        };
        Self { side: self.side, depths_m: (0..self.depths_m.len()).map(at).collect() }
    }

    fn difference(&self, other: &Self) -> PondDifference {
        let apart = || self.depths_m.iter().zip(&other.depths_m).map(|(a, b)| (a - b).abs());
        let squares: f64 = apart().map(|apart| apart * apart).sum();
        let rms_m = (squares / self.depths_m.len() as f64).sqrt();
        PondDifference { rms_m, largest_m: apart().fold(0.0, f64::max) }
    }
}

/// Returns the distance of a cell's centre from the middle, m.
fn radius_m(side: usize, cell: CellPlace) -> f64 {
    let from_middle = |c: u32| ((f64::from(c) + 0.5) / side as f64 - 0.5) * SIDE_M;
    from_middle(cell.x).hypot(from_middle(cell.y))
}

/// Returns the whole part of a number that is not negative.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "counts of cells")]
fn whole(number: f64) -> usize {
    number as usize
}

/// Interpolates linearly between points in order; constant beyond them.
fn between(points: &[(f64, f64)], x: f64) -> f64 {
    let next = points.partition_point(|point| point.0 <= x).clamp(1, points.len() - 1);
    let (before, after) = (points[next - 1], points[next]);
    let part = ((x - before.0) / (after.0 - before.0)).clamp(0.0, 1.0);
    before.1 + part * (after.1 - before.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A cone is as round as can be, a ridge is not.
    #[test]
    fn round_things_have_no_spread() {
        let pond = |depth: fn(f64, f64) -> f64| {
            let place = |c: usize| (c as f64 + 0.5) * 0.1 - 5.0;
            let depths = (0..10_000).map(|i| depth(place(i % 100), place(i / 100)));
            Pond { side: 100, depths_m: depths.collect() }
        };
        let cone = pond(|x, y| (0.5 - 0.1 * x.hypot(y)).max(0.1));
        assert!(cone.spread() < 1.0e-3, "{}", cone.spread());
        assert!(cone.front_spread() < 2.0e-3, "{}", cone.front_spread());
        assert!(cone.difference(&cone.turned()).largest_m < 1.0e-12);
        let ridge = pond(|x, _| (0.5 - 0.1 * x.abs()).max(0.1));
        assert!(ridge.spread() > 0.1 && ridge.difference(&ridge.turned()).largest_m > 0.1);
    }
}
