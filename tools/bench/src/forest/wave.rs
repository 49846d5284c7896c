//! A low wave over deep water, and its difference from a run on a uniformly fine grid.

use super::mesh::{LeafCell, LevelMesh, cells};
use crate::accuracy::scheme::{Scheme, run_to};
use crate::suite::BenchError;
use exact::GRAVITY;
use thalweg::world::{World, WorldBuilder};

/// Depth of the still water, m.
const DEPTH_M: f64 = 1.0;
/// Height of the wave, m.
const HEIGHT_M: f64 = 0.01;

/// A wave `0.01 m · exp(−4 (x/length)²)` that runs one way.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Wave {
    /// Length of the wave, m: fine cells.
    pub length_m: f64,
    /// A point of its crest at the beginning, m.
    pub from_m: [f64; 2],
    /// Direction of the run, degrees from the east.
    pub degrees: f64,
    /// Duration of the run, s.
    pub end_s: f64,
}

/// Depths of a uniformly fine run.
#[derive(Debug)]
pub struct Reference {
    size: (usize, usize),
    depth_m: Vec<f64>,
}

/// Largest errors in parts of the wave's height, by level.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct WaveErrors(pub [f64; 4]);

impl WaveErrors {
    /// Returns the largest error of all levels but the finest.
    #[must_use]
    pub fn coarse(&self) -> f64 {
        self.0[1..].iter().copied().fold(0.0, f64::max)
    }
}

/// Returns the speed of a low wave, m/s.
#[must_use]
pub fn celerity_m_s() -> f64 {
    (GRAVITY * DEPTH_M).sqrt()
}

impl Wave {
    /// Returns the rise of the water above rest at a place at the beginning, m: the mean over a
    /// cell that is `width_m` wide.
    fn rise_m(&self, at: [f64; 2], width_m: f64) -> f64 {
        let (sin, cos) = self.degrees.to_radians().sin_cos();
        // Gauss–Legendre, two points in each direction.
        let part = 0.5 * width_m / 3.0_f64.sqrt();
        let rise = |dx: f64, dy: f64| {
            let along = (at[0] + dx - self.from_m[0]) * cos + (at[1] + dy - self.from_m[1]) * sin;
            HEIGHT_M * (-4.0 * (along / self.length_m).powi(2)).exp()
        };
        0.25 * (rise(-part, -part) + rise(part, -part) + rise(-part, part) + rise(part, part))
    }

    fn run(&self, mesh: &LevelMesh, scheme: Scheme) -> Result<World, BenchError> {
        let (sin, cos) = self.degrees.to_radians().sin_cos();
        let wave = *self;
        let own = mesh.clone();
        let rise = move |place| {
            let (at, width_m) = own.centre(place);
            wave.rise_m(at, width_m)
        };
        let other = rise.clone();
        let mut world = WorldBuilder::new(mesh.terrain(24, |_| 0.0)?)
            .settings(scheme.settings(0.0))
            .leaves(mesh.leaves.clone())
            .initial_depth(move |place| DEPTH_M + rise(place))
            .initial_velocity(move |place| {
                let depth = DEPTH_M + other(place);
                let speed = 2.0 * ((GRAVITY * depth).sqrt() - celerity_m_s());
                (speed * cos, speed * sin)
            })
            .build()?;
        run_to(&mut world, self.end_s);
        Ok(world)
    }

    /// Runs the wave on a uniformly fine grid of the size of `mesh`.
    ///
    /// # Errors
    ///
    /// If the world cannot be built.
    pub fn reference(&self, mesh: &LevelMesh, scheme: Scheme) -> Result<Reference, BenchError> {
        let size = (mesh.size.0 as usize, mesh.size.1 as usize);
        let world = self.run(&mesh.uniform(0), scheme)?;
        let mut depth_m = vec![0.0; size.0 * size.1];
        for cell in cells(&world) {
            let (x, y) = cell.corner();
            depth_m[y * size.0 + x] = cell.depth_m;
        }
        Ok(Reference { size, depth_m })
    }

    /// Returns the largest errors of a run on `mesh` in the rows that count.
    ///
    /// # Errors
    ///
    /// If the world cannot be built.
    pub fn errors(
        &self,
        mesh: &LevelMesh,
        scheme: Scheme,
        reference: &Reference,
        rows: &std::ops::Range<f64>,
    ) -> Result<WaveErrors, BenchError> {
        let world = self.run(mesh, scheme)?;
        let mut errors = WaveErrors::default();
        let east = reference.size.0 as f64;
        let counts = |at: [f64; 2]| rows.contains(&at[1]) && at[0] < east;
        for cell in cells(&world).filter(|cell| counts(cell.at)) {
            let most = &mut errors.0[usize::from(cell.level)];
            let error = cell.depth_m - reference.depth_m(&cell);
            *most = most.max(error.abs() / HEIGHT_M);
        }
        Ok(errors)
    }
}

impl Reference {
    /// Returns the mean depth over a cell, m; rows repeat.
    fn depth_m(&self, cell: &LeafCell) -> f64 {
        let ((west, south), count) = (cell.corner(), cell.width());
        let mut sum = 0.0;
        for (x, y) in (0..count).flat_map(|y| (0..count).map(move |x| (x, y))) {
            let row = (south + y) % self.size.1;
            sum += self.depth_m[row * self.size.0 + west + x];
        }
        sum / (count * count) as f64
    }
}
