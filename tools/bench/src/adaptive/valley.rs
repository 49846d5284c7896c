//! A valley of 16 km × 16 km at one metre: a river throughout, four observers.

use crate::adaptive::{observer, quantile};
use crate::machine;
use crate::suite::{Bench, BenchError, BenchResult, Context};
use crate::table::Measurement;
use crate::world::{WorldPlan, check_books, place};
use std::time::Instant;
use thalweg::criteria::{Criterion, Place, Places, Rectangle};
use thalweg::terrain::Terrain;
use thalweg::units::SimTime;
use thalweg::world::{AdaptiveOptions, ColumnKind, EdgeKind, EdgePlace, World, WorldBuilder};
use thalweg_engine::grid::Side;
use thalweg_engine::grid::cells::CellPlace;
use thalweg_engine::sim::{Settings, Solver};

/// The valley of the issue.
pub const BENCH: Bench = Bench {
    ids: &["forest.valley.realtime", "forest.valley.peak_mib"],
    what: "a 16 km × 16 km valley at 1 m with four observers and a river",
    is_long: true,
    measure,
};

const WHOLE: RiverValley = RiverValley { side_m: 16_384, cell_m: 1 };
/// Amplitude of the bends, m, and their length over 2π.
const SWING_M: f64 = 0.09 * 16_384.0;
const BEND_M: f64 = 0.06 * 16_384.0;
/// Fall of the valley's floor to the south.
const SLOPE: f64 = 0.0008;
/// Width and depth of the river at the beginning, m.
const WIDTH_M: f64 = 300.0;
const DEPTH_M: f64 = 2.5;
const MANNING: f64 = 0.035;
const WARM_S: f64 = 20.0;
const MEASURED_S: f64 = 30.0;

/// A square valley with a river that runs from the north to the south.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RiverValley {
    /// Width and height of the valley, m.
    pub side_m: usize,
    /// Width of its finest cells, m.
    pub cell_m: usize,
}

impl RiverValley {
    /// Returns the map of the valley.
    #[must_use]
    pub fn plan(self) -> WorldPlan {
        let (side, cell_m) = (self.side_m / self.cell_m, self.cell_m as f64);
        WorldPlan { width: side, height: side, cell_m, exponent: 20, datum_m: 100.0 }
    }

    /// Returns the middle of the river in a row, m from the west.
    #[must_use]
    pub fn middle_m(self, y: f64) -> f64 {
        0.5 * self.side_m as f64 + SWING_M * (y / BEND_M).sin()
    }

    fn bed_m(self, x: f64, y: f64) -> f64 {
        let from = (x - self.middle_m(y)).abs();
        let bank = from - 0.5 * WIDTH_M;
        let floor = SLOPE * y;
        if bank < 0.0 {
            floor + 0.3 * (2.0 * from / WIDTH_M).powi(2)
        } else {
            let hills = 0.5 * (x * 0.05).sin() * (y * 0.04).cos();
            floor + 0.3 + (0.2 * bank).min(4.0) + 0.01 * bank + hills
        }
    }

    /// Makes the valley, its river in normal flow; `inflow` from the north is given over time, in
    /// parts of the normal flow. It leaves in the south, booked under that name.
    ///
    /// # Errors
    ///
    /// If the terrain or the series is invalid.
    pub fn builder(self, inflow: &[(f64, f64)]) -> Result<WorldBuilder, BenchError> {
        self.river(WorldBuilder::new(self.terrain()?), inflow)
    }

    /// Makes the ground of the valley.
    ///
    /// # Errors
    ///
    /// If the terrain is invalid.
    pub fn terrain(self) -> Result<Terrain, BenchError> {
        let middle = |i: usize| (i as f64 + 0.5) * self.cell_m as f64;
        self.plan().terrain(|x, y| self.bed_m(middle(x), middle(y)))
    }

    /// Adds the river of [`RiverValley::builder`] to a builder that has the ground of the valley.
    ///
    /// # Errors
    ///
    /// If the series is invalid.
    pub fn river(
        self,
        builder: WorldBuilder,
        inflow: &[(f64, f64)],
    ) -> Result<WorldBuilder, BenchError> {
        let cell_m = self.cell_m as f64;
        let (velocity, discharge) = normal();
        let inflow: Vec<_> = inflow.iter().map(|&(time, part)| (time, part * discharge)).collect();
        let top = self.plan().height - 2;
        let first_m = self.middle_m(top as f64 * cell_m) - 0.5 * WIDTH_M + 10.0;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a column")]
        let first = (first_m / cell_m) as usize;
        let cells: Vec<_> = (0..280 / self.cell_m).map(|i| place(first + i, top)).collect();
        let in_river = move |p: CellPlace| {
            let [x, y] = [p.x, p.y].map(|i| f64::from(i) * cell_m);
            (x - self.middle_m(y)).abs() < 0.5 * WIDTH_M
        };
        let builder = builder
            .edge("south", EdgePlace::Side(Side::South), EdgeKind::Open)
            .initial_stage(move |p| {
                let stage = SLOPE * cell_m * f64::from(p.y) + DEPTH_M;
                if in_river(p) { stage } else { f64::NAN }
            })
            .initial_velocity(move |p| (0.0, if in_river(p) { -velocity } else { 0.0 }))
            .inflow("river", &inflow, &cells)?;
        Ok(builder)
    }

    /// Returns settings with the valley's roughness.
    #[must_use]
    pub fn settings(self, solver: Solver) -> Settings {
        Settings { solver, manning_n: vec![MANNING], ..Settings::default() }
    }
}

/// Returns the velocity and discharge of the river at its normal depth, m/s and m³/s.
#[must_use]
pub fn normal() -> (f64, f64) {
    let velocity = DEPTH_M.powf(2.0 / 3.0) * SLOPE.sqrt() / MANNING;
    (velocity, velocity * DEPTH_M * WIDTH_M)
}

fn observed(context: &Context) -> Result<World, BenchError> {
    let builder = WHOLE.builder(&[(0.0, 1.0)])?;
    let scale = builder.extent(5)?;
    let side = WHOLE.side_m as f64;
    let mut criteria: Vec<Box<dyn Criterion>> = Vec::new();
    for part in [0.125, 0.375, 0.625, 0.875] {
        let y = part * side;
        let radii = [(0, 500.0), (1, 700.0), (2, 1000.0)];
        criteria.push(observer([WHOLE.middle_m(y), y], &radii, &scale)?);
    }
    // The river itself is at least 2 m fine.
    let pieces = 1024;
    let river = |piece: i32| {
        let [south, north] = [piece, piece + 1].map(|i| f64::from(i) * side / f64::from(pieces));
        let (a, b) = (WHOLE.middle_m(south), WHOLE.middle_m(north));
        let (west, east) = (a.min(b) - 0.5 * WIDTH_M, a.max(b) + 0.5 * WIDTH_M);
        Place { area: Rectangle { west, south, east, north }, level: 1 }
    };
    let river: Vec<Place> = (0..pieces).map(river).collect();
    criteria.push(Box::new(Places::try_new(&river, -1.0, &scale)?));
    let world = builder
        .settings(WHOLE.settings(context.solver))
        .columns(ColumnKind::Flat)
        .adaptive(AdaptiveOptions {
            coarsest: 5,
            budget_cells: 12 << 20,
            criteria,
            ..AdaptiveOptions::default()
        })
        .build()?;
    Ok(world)
}

/// Returns the counts of wet cells, cells of leaves, and leaves that are awake, by level.
fn awake(world: &World) -> Vec<(usize, usize, usize)> {
    let simulation = world.simulation();
    let mut levels = vec![(0, 0, 0); 6];
    for (leaf, key) in simulation.forest().iter() {
        if !simulation.asleep()[leaf] {
            let level = &mut levels[usize::from(key.level)];
            let wet = simulation.water(leaf).depth.iter().filter(|&&h| h > 0).count();
            *level = (level.0 + wet, level.1 + 4096, level.2 + 1);
        }
    }
    levels
}

fn measure(context: &Context) -> BenchResult {
    let mut world = observed(context)?;
    world.run_until(SimTime::from_seconds(WARM_S));
    let (mut times, mut steps) = (Vec::new(), 0);
    let end = SimTime::from_seconds(WARM_S + MEASURED_S);
    let clock = Instant::now();
    while world.time() < end {
        let cycle = Instant::now();
        steps += world.run_cycle(end).steps;
        times.push(1.0e3 * cycle.elapsed().as_secs_f64());
    }
    let realtime = MEASURED_S / clock.elapsed().as_secs_f64();
    let peak =
        machine::peak_mib().ok_or_else(|| BenchError::Skipped("no peak of memory".into()))?;
    check_books(&world)?;
    let levels = awake(&world);
    let (wet, cells) = levels.iter().fold((0, 0), |sum, l| (sum.0 + l.0, sum.1 + l.1));
    let along = (100..WHOLE.side_m - 100).step_by(50);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a column")]
    let depth = |y: usize| {
        world.water().depth_m(place(WHOLE.middle_m(y as f64) as usize, y)).unwrap_or(0.0)
    };
    let shallowest = along.map(depth).fold(f64::INFINITY, f64::min);
    let note = format!(
        "{} leaves; awake, by level (wet cells, cells, leaves): {levels:?}; {wet} wet and {cells} \
         in all; {steps} finest steps; {shallowest:.2} m deep at least along its middle; cycles: \
         median {:.1} ms, longest {:.1} ms; triad {:.1} GB/s",
        world.simulation().forest().leaves().len(),
        quantile(&mut times, 0.5),
        quantile(&mut times, 1.0),
        context.triad_bytes_per_s() / 1.0e9
    );
    Ok(vec![
        Measurement::new("forest.valley.realtime", realtime, "s/s")
            .target(">= 1")
            .cells(cells)
            .note(note),
        Measurement::new("forest.valley.peak_mib", peak, "MiB")
            .target("<= 2048")
            .cells(WHOLE.plan().cells())
            .note("of this process from its start: run it alone"),
    ])
}
