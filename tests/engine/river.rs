//! Rivers on an even slope.

use crate::support::{noise, scale, terrain};
use rayon::prelude::*;
use thalweg::units::SimTime;
use thalweg::world::{ColumnKind, EdgeKind, EdgePlace, World, WorldBuilder};
use thalweg_engine::grid::Side;
use thalweg_engine::grid::cells::CellPlace;
use thalweg_engine::sim::{Settings, Solver};

const CELL_M: f64 = 2.0;
/// Cells across and along.
const CELLS: [usize; 2] = [16, 160];
const SLOPE: f64 = 0.002;
const DEPTH_M: f64 = 2.5;
const MANNING: f64 = 0.035;

/// A channel between walls, at its normal depth but for waves of 30 cm from cell to cell.
fn rough_river(solver: Solver, columns: ColumnKind) -> World {
    let level = u8::from(columns == ColumnKind::SubGrid);
    let [width, height] = CELLS.map(|cells| cells << level);
    let cell_m = CELL_M / f64::from(1_u32 << level);
    let bed = |_, y: usize| SLOPE * cell_m * (y as f64 + 0.5);
    let speed = DEPTH_M.powf(2.0 / 3.0) * SLOPE.sqrt() / MANNING;
    let [across, along] = CELLS.map(|cells| u32::try_from(cells).expect("a small world"));
    let cells: Vec<_> = (0..across).map(|x| CellPlace { x, y: along - 2 }).collect();
    let discharge = speed * DEPTH_M * CELL_M * CELLS[0] as f64;
    let wave = |p: CellPlace| 0.6 * noise(5, i64::from(p.x), i64::from(p.y)) - 0.3;
    WorldBuilder::new(terrain(width, height, cell_m, scale(20, 0.0), bed))
        .level(level)
        .columns(columns)
        .settings(Settings { solver, manning_n: vec![MANNING], ..Settings::default() })
        .edge("south", EdgePlace::Side(Side::South), EdgeKind::Open)
        .initial_depth(move |p| DEPTH_M + wave(p))
        .initial_velocity(move |_| (0.0, -speed))
        .inflow("river", &[(0.0, discharge)], &cells)
        .expect("inside the world")
        .build()
        .expect("a good world")
}

/// Goal: waves from cell to cell, higher than what the bed falls between them, die away and do not
/// hold the river back. Method: what leaves over what comes in, from the second minute on.
#[test]
fn waves_do_not_hold_a_river_back() {
    let cases = [Solver::Pipe, Solver::ShallowWater]
        .map(|solver| [ColumnKind::Flat, ColumnKind::SubGrid].map(|columns| (solver, columns)));
    let every = if crate::QUICK { 3 } else { 1 };
    cases.as_flattened().par_iter().step_by(every).for_each(|&(solver, columns)| {
        let mut world = rough_river(solver, columns);
        let mut at = |minute: u32| {
            world.run_until(SimTime::from_seconds(60.0 * f64::from(minute)));
            let accounts = world.water().ledger().accounts();
            ["river", "south"].map(|name| {
                let account = accounts.iter().find(|a| a.name == name).expect("an account");
                (account.into - account.out) as f64
            })
        };
        let marks: Vec<[f64; 2]> = (1..=8).map(&mut at).collect();
        let part = |pair: &[[f64; 2]]| (pair[0][1] - pair[1][1]) / (pair[1][0] - pair[0][0]);
        let parts: Vec<f64> = marks.windows(2).map(part).collect();
        let worst = parts.iter().map(|part| (part - 1.0).abs()).fold(0.0, f64::max);
        assert!(worst < 0.1, "{solver:?}, {columns:?}: {parts:.3?}");
        let last = parts[parts.len() - 1];
        assert!((last - 1.0).abs() < 0.01, "{solver:?}, {columns:?}: {parts:.3?}");
    });
}
