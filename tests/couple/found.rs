//! Faults that a second look at structures found, each once.

use crate::support::{check_books, depth, reloaded, seconds, terrain};
use thalweg::units::SimTime;
use thalweg::world::{
    AdaptiveOptions, Barrier, Breach, ColumnKind, Drain, Gap, Opening, Trigger, World, WorldBuilder,
};
use thalweg_engine::grid::TileKey;
use thalweg_engine::grid::cells::CellPlace;
use thalweg_engine::sim::Solver;

/// A coarse leaf in the west of 256 × 128 cells, and fine ones in the east.
fn mixed() -> WorldBuilder {
    let fine = (0..2).flat_map(|y| (2..4).map(move |x| TileKey { level: 0, x, y }));
    let leaves = [TileKey { level: 1, x: 0, y: 0 }].into_iter().chain(fine).collect();
    WorldBuilder::new(terrain(256, 128, 1.0, |_, _| 0.0)).leaves(leaves)
}

/// Goal: volume stays exact where a wall runs along, or across, the edge between two levels, and
/// nothing passes it. Method: walls beside the edge at x = 128 m and across it, water on one side.
#[test]
fn walls_at_edges_between_levels_hold_and_lose_nothing() {
    for solver in [Solver::Pipe, Solver::ShallowWater] {
        let quick = if crate::QUICK { 3 } else { 1 };
        let along = [(128.6, 2.0), (128.6, 0.0), (127.4, 2.0), (127.4, 0.0), (129.1, 2.0)];
        for (x, west) in along.into_iter().step_by(quick) {
            let is_west = move |at: CellPlace| f64::from(at.x) + 0.5 < x;
            let wall = Barrier::wall("w", vec![[x, 0.0], [x, 128.0]], 10.0);
            let builder =
                mixed().solver(solver).barrier(wall).initial_depth(move |at| match is_west(at) {
                    true => west,
                    false => 1.0,
                });
            let mut world = builder.build().expect("a good world");
            for _ in 0..40 {
                world.run_cycle(SimTime::MAX);
                check_books(&world);
            }
        }
        for y in [20.6, 20.1, 64.6, 63.4].into_iter().step_by(quick) {
            let wall = Barrier::wall("w", vec![[0.0, y], [256.0, y]], 10.0);
            // No coarse cell that the line divides has water.
            let is_wet = move |at: CellPlace| f64::from(at.y / 2 * 2) > y;
            let depth_m = move |at| if is_wet(at) { 2.0 } else { 0.0 };
            let builder = mixed().solver(solver).barrier(wall);
            let mut world = builder.initial_depth(depth_m).build().expect("a good world");
            world.run_until(seconds(30.0));
            check_books(&world);
            let rows = 0..128_u32;
            // Coarse cells belong to the side of their centres.
            let is_south = |row: &u32| f64::from(row / 2 * 2 + 2) < y;
            let south: f64 = rows
                .filter(is_south)
                .flat_map(|row| (0..256).map(move |x| (x, row)))
                .map(|(x, row)| depth(&world, x, row))
                .sum();
            assert!(south.abs() < 1.0e-12, "{solver:?} y {y}: {south} m³");
            assert!(world.structures().barrier_flow("w").expect("it stands").sealed > 0);
        }
    }
}

/// Goal: a wall that is put through leaves of several levels loses nothing, before leaves have
/// followed it or where the budget does not let them.
#[test]
fn a_wall_through_many_levels_loses_nothing() {
    let cases = [(0, 30 * 4096), (8, 1 << 30), (0, 1 << 30)];
    let count = if crate::QUICK { 1 } else { 3 };
    for (ahead_cycles, budget_cells) in cases.into_iter().take(count) {
        let options =
            AdaptiveOptions { coarsest: 3, ahead_cycles, budget_cells, ..Default::default() };
        let cells: Vec<_> = (0..4).map(|y| CellPlace { x: 300, y: y + 250 }).collect();
        let mut world = WorldBuilder::new(terrain(1024, 512, 1.0, |_, _| 0.0))
            .initial_depth(|at| if at.x < 200 { 2.0 } else { 0.5 })
            .inflow("source", &[(0.0, 1.0)], &cells)
            .expect("good")
            .columns(ColumnKind::Flat)
            .adaptive(options)
            .build()
            .expect("a good world");
        (0..20).for_each(|_| _ = world.run_cycle(SimTime::MAX));
        let line = vec![[10.3, 5.2], [1000.7, 500.1]];
        world.structures_mut().put_barrier(Barrier::wall("w", line, 10.0)).expect("good");
        for _ in 0..15 {
            world.run_cycle(SimTime::MAX);
            check_books(&world);
        }
    }
}

/// Goal: a breach that is there at once wakes the water behind it.
#[test]
fn a_sudden_breach_wakes_the_water() {
    let trigger = Trigger::Stage { at_m: [300.0, 32.0], stage_m: 0.3 };
    let (width_m, bottom_m) = (vec![(0.0, 10.0)], vec![(0.0, 0.0)]);
    let breach = Some(Breach { along_m: 32.0, trigger, width_m, bottom_m });
    let wall = |name: &str, x: f64| Barrier::wall(name, vec![[x, 0.0], [x, 64.0]], 10.0);
    let cells: Vec<_> = (0..64).map(|y| CellPlace { x: 300, y }).collect();
    let mut world = WorldBuilder::new(terrain(384, 64, 1.0, |_, _| 0.0))
        .initial_depth(|at| if at.x < 30 { 3.0 } else { 0.0 })
        .inflow("source", &[(0.0, 0.0), (300.0, 20.0)], &cells)
        .expect("good")
        .barrier(Barrier { breach, ..wall("a", 30.0) })
        .barrier(wall("b", 256.0))
        .build()
        .expect("a good world");
    world.run_until(seconds(400.0));
    let begun =
        world.structures().barrier_flow("a").expect("it stands").breached_s.expect("it began");
    assert!((100.0..350.0).contains(&begun), "{begun} s");
    assert!(depth(&world, 100, 32) > 0.1, "{} m", depth(&world, 100, 32));
}

/// Volume that has come to the east of a channel of 4 m within coarse cells, with a gate or
/// without.
fn through_channel(gate: Option<Barrier>) -> f64 {
    let bed = |_: usize, y: usize| if (66..70).contains(&y) { 7.0 } else { 10.0 };
    let builder = WorldBuilder::new(terrain(512, 128, 1.0, bed))
        .level(3)
        .columns(ColumnKind::SubGrid)
        .initial_stage(|at| if at.x < 32 { 9.0 } else { 7.2 });
    let mut world = gate.into_iter().fold(builder, WorldBuilder::barrier).build().expect("good");
    let east = |world: &World| -> f64 {
        (32..64).flat_map(|x| (0..16).map(move |y| (x, y))).map(|(x, y)| depth(world, x, y)).sum()
    };
    let before = east(&world);
    world.run_until(seconds(60.0));
    check_books(&world);
    east(&world) - before
}

/// Goal: between sub-grid columns a gate opens the channel within its cells: one that is wide open
/// passes most of what passes without it, one that is shut nothing.
#[test]
fn a_gate_opens_a_channel_within_coarse_cells() {
    let gate = |open_m| {
        let gap = Gap { sill_m: None, opening: Opening::Fixed(open_m) };
        let line = vec![[256.0, 0.0], [256.0, 128.0]];
        Some(Barrier { gap: Some(gap), ..Barrier::wall("g", line, 15.0) })
    };
    let [free, open, half, shut] = [None, gate(5.0), gate(0.5), gate(0.0)].map(through_channel);
    assert!(open > 0.6 * free && open < 1.2 * free, "{open} of {free}");
    assert!(half > 0.1 * free && half < 0.8 * open, "{half}, {open}");
    assert!(shut.abs() < 1.0e-12, "{shut}");
}

/// Goal: a structure on no ground is refused at the call, not when the world is opened again.
#[test]
fn structures_on_nodata_are_refused_whatever_the_leaves() {
    let is_hole = |x: usize| (300..303).contains(&x);
    let bed = move |x: usize, y: usize| if is_hole(x) && is_hole(y) { f64::NAN } else { 1.0 };
    let mut world = WorldBuilder::new(terrain(512, 512, 1.0, bed))
        .columns(ColumnKind::SubGrid)
        .adaptive(AdaptiveOptions { coarsest: 3, ..AdaptiveOptions::default() })
        .build()
        .expect("a good world");
    (0..10).for_each(|_| _ = world.run_cycle(SimTime::MAX));
    let wall = Barrier::wall("w", vec![[100.0, 301.6], [400.0, 301.6]], 10.0);
    let said = world.structures_mut().put_barrier(wall).expect_err("a hole").to_string();
    assert!(said.contains("which has no ground"), "{said}");
    let place = [301.5, 301.5];
    let drain =
        Drain { name: "d".to_owned(), place, area_m2: 1.0, perimeter_m: 1.0, ..Drain::default() };
    let said = world.structures_mut().put_link(drain).expect_err("a hole").to_string();
    assert!(said.contains("NoData"), "{said}");
}

/// Goal: names are told apart, and lines far off the map stop no program.
#[test]
fn names_and_far_lines_are_refused() {
    let ground = || terrain(64, 64, 1.0, |_, _| 0.0);
    let wall = |x: f64| Barrier::wall("w", vec![[30.0, 0.0], [x, 64.0]], 10.0);
    let twice = WorldBuilder::new(ground()).barrier(wall(30.0)).barrier(wall(40.0)).build();
    assert!(twice.expect_err("twice").to_string().contains("two barriers of this name"));
    for x in [1.0e12, f64::INFINITY, f64::NAN, -1.0e300] {
        let builder = WorldBuilder::new(ground())
            .columns(ColumnKind::Flat)
            .adaptive(AdaptiveOptions::default());
        let said = builder.barrier(wall(x)).build().expect_err("far off").to_string();
        assert!(said.starts_with("w: ") && said.contains("is far off the map"), "{said}");
    }
    let drain = |name: &str| Drain {
        name: name.to_owned(),
        place: [5.5, 5.5],
        area_m2: 1.0,
        perimeter_m: 1.0,
        ..Drain::default()
    };
    let mut world = WorldBuilder::new(ground()).link(drain("d")).build().expect("good");
    assert!(
        world
            .structures_mut()
            .put_link(drain(""))
            .expect_err("its name")
            .to_string()
            .contains("no name")
    );
    let twice = WorldBuilder::new(ground()).link(drain("d")).link(drain("d")).build();
    assert!(twice.expect_err("twice").to_string().contains("two links of this name"));
    let mut refused = 0;
    for number in 0..4200 {
        let name = format!("drain {number}");
        match world.structures_mut().put_link(drain(&name)) {
            Ok(before) => {
                assert_eq!(
                    (before, world.structures_mut().remove_link(&name)),
                    (None, Ok(drain(&name).into()))
                );
            }
            Err(_) => refused += 1,
        }
    }
    assert!((100..200).contains(&refused), "{refused}");
    reloaded(&world, Vec::new());
}
