//! East is as west: a world and its mirror image run the same, wherever the borders of tiles lie.

use crate::support::{scale, terrain};
use thalweg::units::SimTime;
use thalweg::world::{EdgeKind, EdgePlace, World, WorldBuilder};
use thalweg_engine::grid::Side;
use thalweg_engine::grid::cells::CellPlace;
use thalweg_engine::sim::Solver;
use thalweg_engine::sim::schedule::FixedStep;

/// A sloping plain with open edges and a wave in its midst, as it is or mirrored.
fn world(solver: Solver, width: u32, is_mirrored: bool) -> World {
    let place = move |x: u32| if is_mirrored { width - 1 - x } else { x };
    let ground = terrain(width as usize, 40, 2.0, scale(20, 0.0), |x, y| {
        let x = place(u32::try_from(x).expect("a small map"));
        0.004 * f64::from(x) + 0.002 * y as f64
    });
    let stage = move |p: CellPlace| {
        let (dx, dy) = (f64::from(place(p.x)) - 30.0, f64::from(p.y) - 12.0);
        1.5 + (-(dx * dx + dy * dy) / 60.0).exp()
    };
    WorldBuilder::new(ground)
        .solver(solver)
        .edges(EdgeKind::Open)
        .initial_stage(stage)
        .build()
        .expect("a good world")
}

/// Goal: edges take and bring water in the same way on both sides of a tile's border: the east edge
/// of 129 columns lies in the first column of a tile, that of 128 in the last.
/// Method: depths of a world and its mirror image within the noise of rounding.
#[test]
fn a_mirrored_world_runs_mirrored() {
    let solvers = [Solver::Pipe, Solver::ShallowWater];
    let cases = solvers.into_iter().flat_map(|solver| [(solver, 129), (solver, 128)]);
    for (solver, width) in cases.step_by(if crate::QUICK { 3 } else { 1 }) {
        let mut worlds = [world(solver, width, false), world(solver, width, true)];
        let frame = FixedStep::try_new(1, 10).expect("a fraction");
        for _ in 0..300 {
            worlds.iter_mut().for_each(|world| {
                world.run_cycle(frame);
            });
        }
        let mut worst = 0.0_f64;
        for (x, y) in (0..40).flat_map(|y| (0..width).map(move |x| (x, y))) {
            let depth =
                |world: &World, x| world.water().depth_m(CellPlace { x, y }).expect("inside");
            let difference = depth(&worlds[0], x) - depth(&worlds[1], width - 1 - x);
            worst = worst.max(difference.abs());
        }
        println!("{solver:?}, {width} columns: {worst:.1e} m");
        assert!(worst < 2.0e-4, "{solver:?}, {width} columns: {worst} m");
    }
}

/// Goal: water that leaves over an edge takes its momentum along, and does not speed up the rest: a
/// river leaves at its normal depth.
/// Method: 10 m deep on a slope of 10⁻³, n = 0.03, after 3000 s, its edge cells in the last column
/// of a tile and in the first.
#[test]
fn a_deep_river_leaves_at_its_normal_depth() {
    for width in [65_usize, 64].into_iter().take(if crate::QUICK { 1 } else { 2 }) {
        let fall = |x: usize| (width - x) as f64 * 0.01;
        let ground = terrain(width, 4, 10.0, scale(20, 0.0), |x, _| fall(x));
        let sources: Vec<CellPlace> = (0..4).map(|y| CellPlace { x: 0, y }).collect();
        let q = 0.001_f64.sqrt() * 10.0_f64.powf(5.0 / 3.0) / 0.03;
        let mut world = WorldBuilder::new(ground)
            .solver(Solver::ShallowWater)
            .manning(0.03)
            .edge("foot", EdgePlace::Side(Side::East), EdgeKind::Open)
            .initial_depth(|_| 10.0)
            .inflow("river", &[(0.0, q * 40.0)], &sources)
            .and_then(WorldBuilder::build)
            .expect("a good world");
        world.run_until(SimTime::from_seconds(3000.0));
        for x in (8..).take(width - 8) {
            let depth = world.water().depth_m(CellPlace { x, y: 2 }).expect("inside");
            assert!((depth - 10.0).abs() < 0.2, "{width} columns, column {x}: {depth} m");
        }
    }
}
