//! Rivers that flow in over open edges and leave over them.

mod cut_off;
mod others;
mod rivers;
mod slant;

use crate::suite::{Bench, BenchError};
use crate::world::{check_books, out_m3};
use thalweg::units::SimTime;
use thalweg::world::World;
use thalweg_engine::sim::{Settings, Solver};

/// Measurements of open edges.
pub const BENCHES: &[Bench] = &[rivers::BENCH, slant::BENCH, cut_off::BENCH, others::BENCH];

const SIDES: [&str; 4] = ["west", "east", "south", "north"];

/// Both solvers, with their names.
const SOLVERS: [(&str, Solver); 2] =
    [("shallow water", Solver::ShallowWater), ("pipe", Solver::Pipe)];

fn settings(solver: Solver, manning_n: f64) -> Settings {
    Settings { solver, manning_n: vec![manning_n], ..Settings::default() }
}

/// Runs a world for a time, and compares its water with its ledger.
fn run(world: &mut World, seconds: f64) -> Result<(), BenchError> {
    let until = SimTime::from_seconds(seconds);
    while world.time() < until {
        world.run_cycle(until);
    }
    check_books(world)
}

/// Returns the volume that left over the edge `open` of each side, m³.
///
/// # Errors
///
/// If no water left: then no part of it leaves uphill either.
fn out_by_side(world: &World) -> Result<[f64; 4], BenchError> {
    let out = SIDES.map(|side| out_m3(world, &format!("open {side}")));
    match out.iter().sum::<f64>() > 0.0 {
        true => Ok(out),
        false => Err("no water left over any edge".into()),
    }
}
