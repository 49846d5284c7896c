//! Water as deep as a world lets it be: sums of two depths do not fit 32 bits, and nothing breaks.

use crate::support::{check_books, cycle, terrain};
use thalweg::check::violations;
use thalweg::terrain::Shape;
use thalweg::world::{Action, Amount, ColumnKind, EdgeKind, EdgePlace, Entry, World, WorldBuilder};
use thalweg_engine::grid::{Side, TileKey};
use thalweg_engine::sim::{Settings, Solver};

/// Highest and lowest stage of the worlds of these tests, m.
const CEILING_M: f64 = 1023.999;

/// 128 × 128 cells of 50 m of a valley at the bottom of all heights, with a river in the west.
fn deep(solver: Solver, columns: ColumnKind, east: EdgeKind) -> World {
    let ground = terrain(128, 128, 50.0, |x, y| {
        0.01 * x as f64 - CEILING_M + if y % 7 == 0 { 3.0 } else { 0.0 }
    });
    let river = EdgeKind::Inflow { discharge: vec![(0.0, 800.0)], entry: Entry::Normal };
    let builder = WorldBuilder::new(ground).columns(columns);
    let builder = match columns {
        ColumnKind::SubGrid => builder.leaves(vec![TileKey { level: 1, x: 0, y: 0 }]),
        ColumnKind::Flat => builder,
    };
    builder
        .settings(Settings { solver, ..Settings::default() })
        .edge("river", EdgePlace::Side(Side::West), river)
        .edge("east", EdgePlace::Side(Side::East), east)
        .tracer("dye", |_| 1.0)
        .build()
        .expect("a good world")
}

/// Goal: the largest pours that are accepted, by depth, by stage and one over the other, beside
/// edges of each kind: the world runs on, and not a unit is missing.
#[test]
fn the_deepest_pour_beside_an_edge_is_taken() {
    let everywhere = || Shape::rectangle([0.0, 0.0], [6400.0, 6400.0]);
    let beside = || Shape::rectangle([0.0, 0.0], [900.0, 6400.0]);
    let pours = [
        vec![Amount::DepthM(CEILING_M)],
        vec![Amount::DepthM(CEILING_M), Amount::DepthM(CEILING_M)],
        vec![Amount::StageM(CEILING_M)],
    ];
    let stage = || EdgeKind::Stage(vec![(0.0, CEILING_M)]);
    for (number, amounts) in pours.into_iter().enumerate() {
        for (solver, columns, east) in [
            (Solver::ShallowWater, ColumnKind::Flat, EdgeKind::Open),
            (Solver::Pipe, ColumnKind::Flat, stage()),
            (Solver::ShallowWater, ColumnKind::SubGrid, stage()),
            (Solver::Pipe, ColumnKind::SubGrid, EdgeKind::Open),
        ] {
            for area in [everywhere(), beside()] {
                let case = format!("pour {number}, {solver:?}, {columns:?}, {area:?}");
                let mut world = deep(solver, columns, east.clone());
                cycle(&mut world);
                for &amount in &amounts {
                    let pour = Action::AddWater { area: area.clone(), amount };
                    world.edits().act(pour).expect("a depth that is accepted");
                    (0..2).for_each(|_| cycle(&mut world));
                }
                let all = Amount::DepthM(CEILING_M);
                let draw = Action::RemoveWater { area: area.clone(), amount: all };
                let undo = world.edits().act(draw).expect("there is water").undo;
                world.edits().undo(undo).expect("just done");
                (0..2).for_each(|_| cycle(&mut world));
                check_books(&world);
                let found = violations(&world);
                assert!(found.is_empty(), "{case}: {found:#?}");
            }
        }
    }
}
