//! A lake whose levels change again and again, its shores among them.

use crate::adaptive::observer;
use crate::suite::{Bench, BenchError, BenchResult, Context};
use crate::table::Measurement;
use crate::world::{WorldPlan, check_books};
use thalweg::criteria::{Criterion, Scale};
use thalweg::units::SimTime;
use thalweg::world::{AdaptiveOptions, ColumnKind, World, WorldBuilder};
use thalweg_engine::grid::TILE_CELLS;
use thalweg_engine::sim::Settings;

/// The shore of a lake under regrids.
pub const BENCH: Bench = Bench {
    ids: &["forest.lake_regrid.stage_mm", "forest.lake_regrid.speed"],
    what: "a lake of 1 km², 5 m deep, whose levels change by three, a hundred times",
    is_long: true,
    measure,
};

/// The lake's map.
pub const WHOLE: WorldPlan =
    WorldPlan { width: 1536, height: 1536, cell_m: 1.0, exponent: 20, datum_m: 0.0 };
/// Stage of the lake, m.
pub const STAGE_M: f64 = 5.0;
/// Coarsest level of its leaves.
pub const COARSEST: u8 = 3;
/// Half the width of the level floor, m: with its banks the lake covers 1 km².
const HALF_M: f64 = 470.0;
const CHANGES: usize = 100;
/// Simulated time between two changes, s.
const BETWEEN_S: f64 = 6.0;

/// Makes a square basin, banks 1:3 in the west and south, 1:20 in the east and north.
#[must_use]
pub fn bed_m(x: usize, y: usize) -> f64 {
    let middle = WHOLE.width as f64 / 2.0;
    let bank = |at: usize| {
        let from = at as f64 + 0.5 - middle;
        if from < 0.0 { (-from - HALF_M) / 3.0 } else { (from - HALF_M) / 20.0 }
    };
    bank(x).max(bank(y)).clamp(0.0, 12.0)
}

/// The lake; all its leaves are of one level, or on their way to it.
#[derive(Debug)]
pub struct ShoreLake {
    /// World of the lake.
    pub world: World,
    scale: Scale,
}

/// Differences of stages from the lake's own, m.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StageDifferences {
    /// Mean difference, in the part that no bank reaches.
    pub mean: f64,
    /// Largest difference of a single cell there.
    pub open: f64,
    /// Largest difference of a cell that is deeper than 0.5 m.
    pub shore: f64,
}

impl ShoreLake {
    /// Builds the lake at rest on finest cells, with plans after every cycle; `with` adds to the
    /// world before it is built.
    ///
    /// # Errors
    ///
    /// If the world cannot be built.
    pub fn build(with: impl FnOnce(WorldBuilder) -> WorldBuilder) -> Result<Self, BenchError> {
        let builder = WorldBuilder::new(WHOLE.terrain(bed_m)?);
        let scale = builder.extent(COARSEST)?;
        let builder = builder
            .columns(ColumnKind::Flat)
            .adaptive(AdaptiveOptions {
                coarsest: COARSEST,
                interval_cycles: 1,
                min_age_cycles: 0,
                ahead_cycles: 0,
                leaves_a_cycle: u32::MAX,
                criteria: vec![everywhere(&scale)?],
                ..AdaptiveOptions::default()
            })
            .initial_stage(|_| STAGE_M);
        Ok(Self { world: with(builder).build()?, scale })
    }

    /// Requests the finest cells everywhere.
    ///
    /// # Errors
    ///
    /// No error occurs for a lake.
    pub fn refine(&mut self) -> Result<(), BenchError> {
        let all = everywhere(&self.scale)?;
        self.coarsen()?;
        self.world.criteria_mut().ok_or("an adaptive world")?.push(all);
        Ok(())
    }

    /// Requests nothing: all leaves become coarse.
    ///
    /// # Errors
    ///
    /// No error occurs for a lake.
    pub fn coarsen(&mut self) -> Result<(), BenchError> {
        self.world.criteria_mut().ok_or("an adaptive world")?.clear();
        Ok(())
    }

    /// Measures the stages of all wet cells.
    #[must_use]
    pub fn stages(&self) -> StageDifferences {
        let (simulation, scale) = (self.world.simulation(), self.world.scale());
        let (mut open, mut shore) = (0.0_f64, 0.0_f64);
        let (mut sum, mut area) = (0.0_f64, 0.0_f64);
        for (leaf, key) in simulation.forest().iter() {
            let (ground, water) = (simulation.ground(leaf), simulation.water(leaf));
            for cell in (0..TILE_CELLS).filter(|&cell| water.depth[cell] > 0) {
                let depth_m = scale.depth_m(water.depth[cell]);
                let bed_m = scale.metres(ground.bed[cell]);
                let off = (bed_m + depth_m - STAGE_M).abs();
                if bed_m == 0.0 {
                    let cells = f64::from(1_u32 << (2 * key.level));
                    (sum, area) = (sum + cells * (depth_m - STAGE_M), area + cells);
                    open = open.max(off);
                }
                if depth_m > 0.5 {
                    shore = shore.max(off);
                }
            }
        }
        StageDifferences { mean: (sum / area).abs(), open, shore }
    }

    /// Returns the largest speed, m/s, of every fourth cell of every fourth row.
    fn fastest(&self) -> f64 {
        let columns = || (0..WHOLE.width).step_by(4);
        let places = (0..WHOLE.height).step_by(4).flat_map(|y| columns().map(move |x| (x, y)));
        let speed = |(x, y)| self.world.water().speed_m_s(crate::world::place(x, y)).unwrap_or(0.0);
        places.map(speed).fold(0.0, f64::max)
    }
}

/// Makes an observer that covers all of the lake.
fn everywhere(scale: &Scale) -> Result<Box<dyn Criterion>, BenchError> {
    observer([WHOLE.width as f64 / 2.0; 2], &[(0, 2000.0)], scale)
}

fn measure(context: &Context) -> BenchResult {
    let settings = Settings { solver: context.solver, ..Settings::default() };
    let mut lake = ShoreLake::build(|builder| builder.settings(settings))?;
    let (mut worst, mut halves, mut until) = ([0.0_f64; 4], [0.0_f64; 2], 0.0);
    for change in 0..CHANGES {
        if change % 2 == 1 {
            lake.refine()?;
        } else {
            lake.coarsen()?;
        }
        until += BETWEEN_S;
        let mut cycle = 0;
        while lake.world.time().seconds() < until {
            lake.world.run_cycle(SimTime::from_seconds(until));
            cycle += 1;
            if cycle % 4 != 1 {
                continue;
            }
            let StageDifferences { mean, open, shore } = lake.stages();
            let now = [mean, open, shore, lake.fastest()];
            worst.iter_mut().zip(now).for_each(|(worst, now)| *worst = worst.max(now));
            let half = &mut halves[usize::from(change >= CHANGES / 2)];
            *half = half.max(now[0]);
        }
    }
    check_books(&lake.world)?;
    let note = format!(
        "levels 0 and 3 in turn every {BETWEEN_S} s, {CHANGES} changes; where no bank reaches the \
         mean stage is {:.1} mm off at most in the first half, {:.1} mm in the second, single \
         cells {:.0} mm; at the shore, in cells deeper than 0.5 m, {:.0} mm",
        1.0e3 * halves[0],
        1.0e3 * halves[1],
        1.0e3 * worst[1],
        1.0e3 * worst[2]
    );
    Ok(vec![
        Measurement::new("forest.lake_regrid.stage_mm", 1.0e3 * worst[0], "mm")
            .target("<= 15")
            .cells(WHOLE.cells())
            .note(note),
        Measurement::new("forest.lake_regrid.speed", worst[3], "m/s")
            .target("<= 0.5")
            .cells(WHOLE.cells()),
    ])
}
