//! A gate inside a tile, along its side, across its corner, beside different levels, on the world's
//! edge.

use crate::bodies::channel::flat;
use crate::suite::{Bench, BenchError, BenchResult, Context};
use crate::table::Measurement;
use thalweg::units::SimTime;
use thalweg::world::{AdaptiveOptions, Barrier, ColumnKind, Gap, Opening, WorldBuilder};
use thalweg_engine::sim::Solver;

/// A gate inside a tile, on sides and corners, and beside levels.
pub const BENCH: Bench = Bench {
    ids: &["bodies.gate_at_edge"],
    what: "largest deviation of a gate's discharge from that inside a tile: sides, corners, levels",
    is_long: false,
    measure,
};

const WIDTH: usize = 192;
const RUN_S: f64 = 20.0;

/// Returns the discharge of a gate of 20 m in a wall along `x`, its middle at `y`, m³/s.
fn discharge(solver: Solver, [x, y]: [f64; 2], is_adaptive: bool) -> Result<f64, BenchError> {
    let [low, high] = [(y - 10.0).max(0.0), (y + 10.0).min(WIDTH as f64)];
    let gap = Gap { sill_m: None, opening: Opening::Fixed(0.4) };
    let gate = Barrier { gap: Some(gap), ..Barrier::wall("gate", vec![[x, low], [x, high]], 10.0) };
    let wall = Barrier::wall("wall", vec![[x, 0.0], [x, WIDTH as f64]], 10.0);
    let mut builder = WorldBuilder::new(flat(WIDTH, WIDTH, 1.0)?)
        .solver(solver)
        .initial_depth(move |at| if f64::from(at.x) + 0.5 < x { 2.0 } else { 0.1 })
        .barrier(wall)
        .barrier(gate);
    if is_adaptive {
        builder = builder
            .columns(ColumnKind::Flat)
            .adaptive(AdaptiveOptions { coarsest: 1, ..AdaptiveOptions::default() });
    }
    let mut world = builder.build()?;
    world.run_until(SimTime::from_seconds(RUN_S));
    let flow = world.structures().barrier_flow("gate").ok_or("the gate is gone")?;
    Ok(flow.discharge_m3_s / (high - low))
}

fn measure(_: &Context) -> BenchResult {
    let (mut worst, mut notes) = (0.0_f64, Vec::new());
    for solver in [Solver::Pipe, Solver::ShallowWater] {
        let inside = discharge(solver, [96.0, 96.0], false)?;
        for (what, place, is_adaptive) in [
            ("along a side", [64.0, 96.0], false),
            ("across a side", [96.0, 64.0], false),
            ("on a corner", [64.0, 128.0], false),
            ("a cell off a corner", [65.0, 129.0], false),
            ("with coarser leaves around", [64.0, 64.0], true),
        ] {
            let part = discharge(solver, place, is_adaptive)? / inside - 1.0;
            worst = worst.max(part.abs());
            notes.push(format!("{what} {part:+.4}"));
        }
        // At the world's edge water flows from one side only: it is compared with the same there.
        let edge = discharge(solver, [96.0, 10.0], false)?;
        let part = discharge(solver, [64.0, 10.0], false)? / edge - 1.0;
        worst = worst.max(part.abs());
        notes.push(format!("on the world's edge {part:+.4}, {solver:?}"));
    }
    let note = notes.join("; ");
    let cells = WIDTH * WIDTH;
    let measurement = Measurement::new("bodies.gate_at_edge", worst, "1").target("<= 0.02");
    Ok(vec![measurement.cells(cells).note(note)])
}
