//! Waves that leave through an open edge, and the part of them that returns.
//!
//! Two channels run in step, one twice as long. A difference between the short and the long one is
//! the reflection of the open edge:
//!
//! ```text
//!  wall ~~~~/\~~~~~~~▶ open                    reflection = max |η_short − η_long| / max |η_long|
//!  wall ~~~~/\~~~~~~~▶~~~~~~~~~~~~~~~~~ open
//! ```
//!
//! `far` counts cells half a short wave off the edge and further alone: in the last ones the shape
//! of a wave differs while it leaves, before any reflection.
//!
//! Limits:     normal incidence.

use crate::suite::{Bench, BenchError, BenchResult, Context};
use crate::table::Measurement;
use crate::world::{RunPace, WorldPlan};
use rayon::prelude::*;
use std::f64::consts::PI;
use thalweg::world::{EdgeKind, EdgePlace, World, WorldBuilder};
use thalweg_engine::grid::Side;
use thalweg_engine::grid::cells::CellPlace;
use thalweg_engine::sim::Solver;

/// Height of the reflection of an open edge over the height that arrives.
pub const BENCH: Bench = Bench {
    ids: &["physics.open_edge", "physics.open_edge.far"],
    what: "reflected over incident wave height at an open edge, worst of several waves",
    is_long: false,
    measure,
};

/// Cells along the short channel; the waves are 20 and 40 cells long.
const LENGTH: usize = 200;
/// Half of the shorter wave.
const HALF_WAVE: usize = 10;

#[derive(Debug, Clone, Copy, PartialEq)]
enum WaveShape {
    Hump,
    Trough,
    Train,
}

/// One wave in one channel.
#[derive(Debug, Clone, Copy)]
struct EdgeWave {
    shape: WaveShape,
    /// Height of the wave that travels, over the depth.
    crest: f64,
    manning: f64,
    depth_m: f64,
    cell_m: f64,
    exponent: u8,
    pace: RunPace,
    solver: Solver,
}

fn measure(context: &Context) -> BenchResult {
    let cases = cases(context.solver);
    let reflected: Result<Vec<Reflected>, BenchError> = cases.par_iter().map(reflection).collect();
    let mut results: Vec<(EdgeWave, Reflected)> = cases.into_iter().zip(reflected?).collect();
    results.sort_by(|a, b| b.1.anywhere.total_cmp(&a.1.anywhere));
    let shown = if context.is_verbose { results.len() } else { 6 };
    let line = |(case, Reflected { anywhere, far }): &(EdgeWave, Reflected)| {
        format!("{anywhere:.4}, {far:.4} half a wave off the edge: {case}")
    };
    let lines: Vec<String> = results.iter().take(shown).map(line).collect();
    let worst = results.first().map_or(f64::NAN, |(_, all)| all.anywhere);
    let far = results.iter().map(|(_, all)| all.far).max_by(f64::total_cmp).unwrap_or(f64::NAN);
    let (least, count) = (results.last().map_or(f64::NAN, |(_, all)| all.anywhere), results.len());
    let note = format!("{count} waves, least {least:.4}; worst:\n{}", lines.join("\n"));
    Ok(vec![
        Measurement::new("physics.open_edge", worst, "1")
            .target("<= 0.02")
            .cells(LENGTH)
            .note(note),
        Measurement::new("physics.open_edge.far", far, "1").target("<= 0.02").cells(LENGTH),
    ])
}

/// Makes waves in a river and in a flume, at c·Δt/Δ = 0.25 and, some of them, 0.05.
fn cases(solver: Solver) -> Vec<EdgeWave> {
    let river = (10.0, 10.0, 20, 1, 4);
    let flume = (0.1, 0.1, 24, 1, 40);
    let mut cases = Vec::new();
    for (depth_m, cell_m, exponent, numerator, denominator) in [river, flume] {
        for shape in [WaveShape::Hump, WaveShape::Trough, WaveShape::Train] {
            for (crest, manning, finer) in
                [(0.01, 0.0, 1), (0.01, 0.03, 1), (0.05, 0.0, 1), (0.05, 0.03, 1), (0.05, 0.03, 5)]
            {
                let pace = RunPace::fixed(numerator, denominator * finer);
                let case =
                    EdgeWave { shape, crest, manning, depth_m, cell_m, exponent, pace, solver };
                cases.push(case);
            }
        }
    }
    cases
}

impl std::fmt::Display for EdgeWave {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let shape = match self.shape {
            WaveShape::Hump => "hump",
            WaveShape::Trough => "trough",
            WaveShape::Train => "wave train",
        };
        let Self { crest, manning, depth_m, pace, .. } = self;
        write!(f, "{shape} of {crest} of {depth_m} m, n = {manning}, {pace}")
    }
}

impl EdgeWave {
    /// Returns the stage above still water, over the depth, `x` cells from the wall. Half of it
    /// travels each way, and the wall sends the second half after the first.
    fn stage(&self, x: f64) -> f64 {
        match self.shape {
            WaveShape::Hump => 2.0 * self.crest * (-(x / 10.0).powi(2)).exp(),
            WaveShape::Trough => -2.0 * self.crest * (-(x / 10.0).powi(2)).exp(),
            WaveShape::Train if x < 60.0 => {
                let envelope = (PI * x / 120.0).cos().powi(2);
                2.0 * self.crest * envelope * (2.0 * PI * x / 20.0).cos()
            }
            WaveShape::Train => 0.0,
        }
    }

    fn channel(&self, width: usize) -> Result<World, BenchError> {
        let Self { depth_m, cell_m, exponent, .. } = *self;
        let terrain =
            WorldPlan { width, height: 2, cell_m, exponent, datum_m: 0.0 }.terrain(|_, _| 0.0)?;
        let case = *self;
        let depth = move |place: CellPlace| depth_m * (1.0 + case.stage(f64::from(place.x) + 0.5));
        Ok(WorldBuilder::new(terrain)
            .solver(self.solver)
            .manning(self.manning)
            .edge("sea", EdgePlace::Side(Side::East), EdgeKind::Open)
            .initial_depth(depth)
            .build()?)
    }
}

/// Reflected waves, over the waves that arrived.
#[derive(Debug, Clone, Copy)]
struct Reflected {
    /// Reflection in any cell.
    anywhere: f64,
    /// Reflection half a short wave off the edge and further.
    far: f64,
}

/// Runs both channels until the reflection has reached the wall.
fn reflection(case: &EdgeWave) -> Result<Reflected, BenchError> {
    let (mut short, mut long) = (case.channel(LENGTH)?, case.channel(2 * LENGTH)?);
    let crossing_s = LENGTH as f64 * case.cell_m / (9.81 * case.depth_m).sqrt();
    let (mut reflected, mut far, mut incident) = (0.0_f64, 0.0_f64, 0.0_f64);
    while short.time().seconds() < 2.0 * crossing_s {
        let next = short.time().seconds() + 0.01 * crossing_s;
        case.pace.run(&mut short, next);
        case.pace.run(&mut long, next);
        for x in (0..).take(LENGTH) {
            let place = CellPlace { x, y: 0 };
            let depth = |world: &World| world.water().depth_m(place).expect("inside both channels");
            let apart = (depth(&short) - depth(&long)).abs();
            reflected = reflected.max(apart);
            far = if (x as usize) < LENGTH - HALF_WAVE { far.max(apart) } else { far };
        }
        // Waves that arrive at the edge, in the channel that has no edge there.
        let edge = CellPlace { x: 199, y: 0 };
        let arriving = long.water().depth_m(edge).expect("inside the long channel") - case.depth_m;
        incident = incident.max(arriving.abs());
    }
    Ok(Reflected { anywhere: reflected / incident, far: far / incident })
}
