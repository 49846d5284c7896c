//! Sections against the volumes on both sides of them.

use crate::levels::{hilly, hilly_sub_grid};
use crate::support::{noise, scale, terrain};
use thalweg::grid::cells::{CellPlace, column_row};
use thalweg::sim::{Order, Settings, Solver};
use thalweg::units::{SimTime, Volume};
use thalweg::world::{SectionLine, World, WorldBuilder};

/// Volume in the cells whose centres lie to the left of the line from one point to another, m, with
/// what is under way to them from finer leaves.
fn left_of(world: &World, [from, to]: [[f64; 2]; 2]) -> Volume {
    let simulation = world.simulation();
    let base = simulation.forest().base();
    let mut sum = 0;
    for (leaf, key) in simulation.forest().iter() {
        let width = world.cell_width_m() * f64::from(1_u32 << (key.level - base));
        let cells = Volume::from(1_i64 << (2 * key.level));
        let corner = key.corner();
        let is_left = |cell: usize| {
            let (column, row) = column_row(cell);
            let [x, y] =
                [corner.x + column, corner.y + row].map(|at| (f64::from(at) + 0.5) * width);
            (to[0] - from[0]) * (y - from[1]) - (to[1] - from[1]) * (x - from[0]) >= 0.0
        };
        let water = simulation.water(leaf);
        let depths = water.depth.iter().enumerate().filter(|(cell, _)| is_left(*cell));
        sum += depths.map(|(_, &depth)| Volume::from(depth)).sum::<Volume>() * cells;
        let Some(interfaces) = &simulation.leaves().interfaces[leaf] else { continue };
        for (side, register) in thalweg::grid::Side::ALL.into_iter().zip(&interfaces.registers) {
            let Some(register) = register else { continue };
            let gained = register.gained.iter().enumerate();
            let own = gained.filter(|(i, _)| is_left(side.cell_along(*i)));
            let quarter = Volume::from(1_i64 << (2 * (key.level - 1)));
            sum += own.map(|(_, &gained)| Volume::from(gained)).sum::<Volume>() * quarter;
        }
    }
    sum
}

/// Runs a closed world with lines across it, and compares each with the volumes beside it after
/// every cycle.
fn check(mut world: World, lines: &[[[f64; 2]; 2]], seconds: f64, what: &str) {
    for (i, line) in lines.iter().enumerate() {
        let name = format!("line {i}");
        world.put_section(SectionLine { name, points_m: line.to_vec() }).expect("a good line");
    }
    let before: Vec<Volume> = lines.iter().map(|&line| left_of(&world, line)).collect();
    let (mut most, mut cycles) = (vec![0; lines.len()], 0);
    while world.time().seconds() < seconds {
        world.run_cycle(SimTime::from_seconds(seconds));
        cycles += 1;
        for (i, section) in world.sections().enumerate() {
            let gained = left_of(&world, lines[i]) - before[i];
            assert_eq!(section.net(), -gained, "{what}: line {i} after {cycles} cycles");
            most[i] = most[i].max(gained.abs());
        }
    }
    assert!(most.iter().all(|&moved| moved > 0), "{what}: {most:?} in {cycles} cycles");
}

/// Lines across a world from edge to edge: along both axes, at an angle, and through corners.
fn across(world: &World) -> Vec<[[f64; 2]; 2]> {
    let (columns, rows) = world.size();
    let [w, h] = [columns, rows].map(|cells| cells as f64 * world.cell_width_m());
    vec![
        [[0.52 * w, h], [0.52 * w, 0.0]],
        [[0.0, 0.47 * h], [w, 0.47 * h]],
        [[0.3 * w, 0.0], [0.71 * w, h]],
        [[w, 0.2 * h], [0.0, 0.83 * h]],
    ]
}

/// Goal: a line across a closed basin counts what the cells beyond it gain, to the unit. Method: a
/// dam break over rough ground with a wall of NoData, both solvers, lines at four angles.
#[test]
fn a_section_counts_what_the_cells_beyond_it_gain() {
    for solver in [Solver::Pipe, Solver::ShallowWater] {
        let bed = |x: usize, y: usize| match (x, y) {
            (60..=62, 0..=40) => f64::NAN,
            _ => noise(7, x as i64, y as i64),
        };
        let deep = |place: CellPlace| if place.x < 50 { 6.0 } else { 0.0 };
        let settings = Settings { solver, order: Order::Second, ..Settings::default() };
        let world = WorldBuilder::new(terrain(150, 90, 5.0, scale(20, 0.0), bed))
            .settings(settings)
            .initial_depth(deep)
            .build()
            .expect("a good world");
        let lines = across(&world);
        check(world, &lines, 40.0, &format!("{solver:?}"));
    }
}

/// Goal: the same through leaves of several levels, over flat and over sub-grid columns.
#[test]
fn a_section_counts_through_levels_and_sub_grid_columns() {
    for (solver, seed) in [(Solver::Pipe, 3), (Solver::ShallowWater, 4)] {
        for (kind, builder) in
            [("flat", hilly(seed, solver, 2)), ("sub-grid", hilly_sub_grid(seed, solver, 2))]
        {
            let deep = |place: CellPlace| if place.x < 530 { 3.0 } else { 0.0 };
            let world = builder.initial_depth(deep).build().expect("a good world");
            let lines = across(&world);
            check(world, &lines, 20.0, &format!("{kind}, {solver:?}"));
        }
    }
}

/// Goal: counting changes no state; a name that is there, and one that is not, are said.
#[test]
fn a_section_is_no_state() {
    let build = || {
        let deep = |place: CellPlace| if place.x < 20 { 2.0 } else { 0.0 };
        let ground = terrain(50, 30, 5.0, scale(20, 0.0), |_, _| 0.0);
        WorldBuilder::new(ground).initial_depth(deep).build().expect("a good world")
    };
    let (mut plain, mut counted) = (build(), build());
    let line = SectionLine { name: "a".into(), points_m: vec![[100.0, 0.0], [100.0, 150.0]] };
    counted.put_section(line.clone()).expect("a good line");
    let twice = counted.put_section(line).expect_err("it is there");
    assert!(twice.to_string().contains("is there already"), "{twice}");
    for world in [&mut plain, &mut counted] {
        world.run_until(SimTime::from_seconds(5.0));
    }
    assert_eq!(plain.state_hash(), counted.state_hash());
    // West is to the left of a line to the north.
    let read = counted.section("a").expect("it was put");
    assert!(read.net() > 0 && read.discharge_m3_s > 0.0 && read.to_left == 0, "{read:?}");
    let copy = counted.try_clone().expect("in memory");
    assert_eq!(copy.section("a").map(|read| read.net()), Some(read.net()));
    assert!(counted.remove_section("a") && !counted.remove_section("a"));
}
