//! Uniform flow down a plane without ends: it begins everywhere in its normal depth and velocity,
//! and the effects of the ends do not reach the cells that count.

use super::mesh::{LeafCell, LevelMesh, cells};
use crate::accuracy::scheme::{Scheme, run_to};
use crate::suite::BenchError;
use exact::GRAVITY;
use thalweg::world::{EdgeKind, EdgePlace, World, WorldBuilder};
use thalweg_engine::grid::Side;

/// A uniform flow.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Uniform {
    /// Normal depth, m.
    pub depth_m: f64,
    /// Fall of the bed, m/m.
    pub slope: f64,
    /// Manning's n, s/m^(1/3).
    pub manning_n: f64,
    /// Direction of the flow, degrees from the east.
    pub degrees: f64,
}

/// Deviation of a flow from uniform.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Deviation {
    /// Largest |h/h₀ − 1|.
    pub depth: f64,
    /// Place of that, m.
    pub at: [f64; 2],
    /// Largest unit discharge over a west or south face that the flow runs along, in parts of q₀.
    pub cross: f64,
    /// Cells that count.
    pub cells: usize,
}

impl Uniform {
    /// Returns Manning's velocity, m/s.
    #[must_use]
    pub fn speed_m_s(&self) -> f64 {
        self.slope.sqrt() * self.depth_m.powf(2.0 / 3.0) / self.manning_n
    }

    fn direction(&self) -> [f64; 2] {
        let (sin, cos) = self.degrees.to_radians().sin_cos();
        // Whole quarters of a turn have a plain 0 across.
        [cos, sin].map(|part| if part.abs() < 1.0e-9 { 0.0 } else { part })
    }

    /// Returns the seconds until waves from the ends arrive `away_m` from the end whose wave is
    /// first.
    #[must_use]
    pub fn time_to_cross(&self, away_m: f64) -> f64 {
        away_m / (self.speed_m_s() + (GRAVITY * self.depth_m).sqrt())
    }

    /// Runs the flow.
    ///
    /// # Errors
    ///
    /// If the world cannot be built, or runs out of range.
    pub fn run(&self, mesh: &LevelMesh, scheme: Scheme, end_s: f64) -> Result<World, BenchError> {
        let (depth_m, [cos, sin]) = (self.depth_m, self.direction());
        let slope = self.slope;
        let speed = self.speed_m_s();
        let middle = [0.5 * f64::from(mesh.size.0), 0.5 * f64::from(mesh.size.1)];
        let bed = |[x, y]: [f64; 2]| -slope * ((x - middle[0]) * cos + (y - middle[1]) * sin);
        let mut builder = WorldBuilder::new(mesh.terrain(22, bed)?)
            .settings(scheme.settings(self.manning_n))
            .leaves(mesh.leaves.clone())
            .initial_depth(move |_| depth_m)
            .initial_velocity(move |_| (speed * cos, speed * sin));
        // Where the ground falls, water leaves: before a wall it would pile up to a bore that
        // outruns waves.
        let falls =
            [(Side::West, -cos), (Side::East, cos), (Side::South, -sin), (Side::North, sin)];
        for (side, _) in falls.into_iter().filter(|(_, fall)| *fall > 0.0) {
            builder = builder.edge("foot", EdgePlace::Side(side), EdgeKind::Open);
        }
        let mut world = builder.build()?;
        run_to(&mut world, end_s);
        Ok(world)
    }

    /// Returns whether no wave from the ends has arrived at a cell after `time_s`; walls along the
    /// flow send none.
    fn is_free(&self, mesh: &LevelMesh, cell: &LeafCell, scheme: Scheme, time_s: f64) -> bool {
        let wave = (GRAVITY * self.depth_m).sqrt();
        let ends = [f64::from(mesh.size.0), f64::from(mesh.size.1)];
        (0..2).all(|axis| {
            let u = self.speed_m_s() * self.direction()[axis];
            // Waves of the pipe do not drift with the water, and its floods outrun them.
            let [east, west] = match scheme {
                Scheme::Pipe => [wave.max(5.0 / 3.0 * u), wave.max(-5.0 / 3.0 * u)],
                Scheme::First | Scheme::Second => [wave + u, wave - u],
            };
            // Fronts are smeared.
            let margin = 0.08 * ends[axis];
            u == 0.0
                || (cell.at[axis] > east.max(0.0) * time_s + margin
                    && ends[axis] - cell.at[axis] > west.max(0.0) * time_s + margin)
        })
    }

    /// Returns the deviation from uniform flow of cells that no wave from an end has reached.
    ///
    /// # Errors
    ///
    /// If no cell is left.
    pub fn deviation(
        &self,
        mesh: &LevelMesh,
        world: &World,
        scheme: Scheme,
    ) -> Result<Deviation, BenchError> {
        let time_s = world.time().seconds();
        let q = self.speed_m_s() * self.depth_m;
        let mut most = Deviation::default();
        for cell in cells(world).filter(|cell| self.is_free(mesh, cell, scheme, time_s)) {
            most.cells += 1;
            let depth = (cell.depth_m / self.depth_m - 1.0).abs();
            if depth > most.depth {
                (most.depth, most.at) = (depth, cell.at);
            }
            for axis in 0..2 {
                if self.direction()[axis] == 0.0 {
                    most.cross = most.cross.max(cell.flow[axis].abs() / q);
                }
            }
        }
        if most.cells == 0 {
            return Err("waves from the ends arrived everywhere".into());
        }
        Ok(most)
    }
}
