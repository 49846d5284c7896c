//! A channel with a barrier across it, run to a steady flow.

use crate::suite::BenchError;
use thalweg::terrain::{Terrain, TerrainBuilder, TerrainOptions};
use thalweg::units::{SimTime, VerticalScale};
use thalweg::world::{Barrier, EdgeKind, EdgePlace, WorldBuilder};
use thalweg_engine::grid::Side;
use thalweg_engine::grid::cells::CellPlace;
use thalweg_engine::sim::{Settings, Solver};

/// Cells along the channel, of 1 m.
const LENGTH: usize = 100;
/// Cells across it.
pub const WIDTH: usize = 8;
/// Time until it is steady, s.
const RUN_S: f64 = 400.0;
/// Time over which means are taken after that, s.
const MEAN_S: u32 = 100;

/// Makes flat ground.
///
/// # Errors
///
/// If the heights are invalid.
pub fn flat(width: usize, height: usize, cell_width_m: f64) -> Result<Terrain, BenchError> {
    let scale = VerticalScale::choose(0.0, 20.0, 50.0)?;
    let options = TerrainOptions { width, height, cell_width_m, scale, bed_exponent: 10 };
    let mut terrain = TerrainBuilder::try_new(options)?;
    (0..height).try_for_each(|_| terrain.push_row(&vec![0.0; width]))?;
    Ok(terrain.finish()?)
}

/// Returns the place of the barrier.
#[must_use]
pub fn across() -> Vec<[f64; 2]> {
    let x = (LENGTH / 2) as f64;
    vec![[x, 0.0], [x, WIDTH as f64]]
}

/// A steady flow past a barrier.
#[derive(Debug, Clone, Copy)]
pub struct SteadyDischarge {
    /// Discharge per metre of its length, m²/s.
    pub discharge_m2_s: f64,
    /// Stage upstream and downstream, m above the ground.
    pub stage_m: [f64; 2],
}

/// Lets a discharge per metre of width flow past a barrier, from a stage upstream to a fixed stage
/// at the channel's end.
///
/// # Errors
///
/// If no steady flow passes.
pub fn steady(
    solver: Solver,
    barrier: Barrier,
    inflow_m2_s: f64,
    [up_m, tail_m]: [f64; 2],
) -> Result<SteadyDischarge, BenchError> {
    let height = u32::try_from(WIDTH)?;
    let cells: Vec<_> = (0..height).map(|y| CellPlace { x: 0, y }).collect();
    let settings = Settings { manning_n: vec![0.01], solver, ..Settings::default() };
    let name = barrier.name.clone();
    let middle = u32::try_from(LENGTH / 2)?;
    let mut world = WorldBuilder::new(flat(LENGTH, WIDTH, 1.0)?)
        .settings(settings)
        .initial_depth(move |at| if at.x < middle { up_m } else { tail_m })
        .inflow("source", &[(0.0, inflow_m2_s * WIDTH as f64)], &cells)?
        .edge("tail", EdgePlace::Side(Side::East), EdgeKind::Stage(vec![(0.0, tail_m)]))
        .barrier(barrier)
        .build()?;
    world.run_until(SimTime::from_seconds(RUN_S));
    // Waves run to and fro for long: means.
    let (mut discharge, mut stages) = (0.0, [0.0; 2]);
    for second in 1..=MEAN_S {
        world.run_until(SimTime::from_seconds(RUN_S + f64::from(second)));
        let flow = world.structures().barrier_flow(&name).ok_or("the barrier is gone")?;
        let [Some(up), Some(down)] = flow.stage_m else {
            return Err(BenchError::Failed("a side of the barrier is dry".into()));
        };
        let part = 1.0 / f64::from(MEAN_S);
        discharge += part * flow.discharge_m3_s;
        stages = [stages[0] + part * up, stages[1] + part * down];
    }
    let discharge_m2_s = discharge / WIDTH as f64;
    if (discharge_m2_s / inflow_m2_s - 1.0).abs() > 0.03 {
        let words = format!("{discharge_m2_s} m²/s passes where {inflow_m2_s} comes: not steady");
        return Err(BenchError::Failed(words.into()));
    }
    Ok(SteadyDischarge { discharge_m2_s, stage_m: stages })
}
