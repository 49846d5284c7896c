//! Ends on two levels, tracers and threads.

use crate::support::{cycle, on_threads, pipe, report, seconds, stages, terrain};
use thalweg::check::violations;
use thalweg::world::{AdaptiveOptions, ColumnKind, Culvert, Drain, Pump, World, WorldBuilder};
use thalweg_engine::flow::tracer::ONE;
use thalweg_engine::grid::TileKey;
use thalweg_engine::grid::cells::CellPlace;
use thalweg_engine::sim::Solver;

/// 512 × 256 cells of 2 m with a hill in their middle: a basin in the west and one in the east.
fn basins() -> WorldBuilder {
    let hill = |x: usize, y: usize| {
        let rough = ((x * 7 + y * 13) % 5) as f64 * 0.01;
        if (200..440).contains(&x) { 12.0 } else { rough }
    };
    WorldBuilder::new(terrain(512, 256, 2.0, hill))
}

/// Leaves of level 2 in the west, of 1 in the middle and of 0 in the east.
fn three_levels() -> Vec<TileKey> {
    let key = |level, x, y| TileKey { level, x, y };
    let middle = (0..2).map(|y| key(1, 2, y));
    let east = (0..4).flat_map(|y| [key(0, 6, y), key(0, 7, y)]);
    [key(2, 0, 0)].into_iter().chain(middle).chain(east).collect()
}

/// A culvert, a pump back and a drain in the east, between places of different levels.
fn joined(builder: WorldBuilder) -> WorldBuilder {
    let culvert =
        Culvert { from: [391.0, 201.0], to: [901.0, 201.0], length_m: Some(100.0), ..pipe(1.5) };
    let pump = Pump {
        name: "pump".to_owned(),
        from: [951.0, 101.0],
        to: Some([101.0, 333.0]),
        curve: vec![(0.0, 0.8), (6.0, 0.2)],
        on_stage_m: 1.05,
        off_stage_m: 1.0,
        outlet_m: None,
    };
    let drain = Drain {
        name: "grate".to_owned(),
        place: [1001.0, 401.0],
        area_m2: 0.3,
        perimeter_m: 2.0,
        ..Drain::default()
    };
    builder.initial_stage(stages(300, 4.0, 1.1)).link(culvert).link(pump).link(drain)
}

fn salted(builder: WorldBuilder) -> WorldBuilder {
    let stripes = |place: CellPlace| if (place.x / 5).is_multiple_of(2) { 0.2 } else { 0.6 };
    builder.tracer("salt", |_| 0.3).tracer("dye", stripes)
}

/// Concentrations of a tracer stay within bounds, 2⁻²⁴, and its ledger is exact.
#[track_caller]
fn check_tracer(world: &World, name: &str, [least, most]: [i64; 2]) {
    let simulation = world.simulation();
    let tracer = simulation.tracers().find(name).expect("a tracer");
    for leaf in simulation.forest().ids() {
        let water = simulation.water(leaf);
        for (&content, &depth) in water.contents[tracer].iter().zip(&water.depth) {
            let depth = i64::from(depth);
            let is_within = (least * depth..=most * depth).contains(&content);
            assert!(is_within, "{name}: {content} in {depth} of {leaf:?}");
        }
    }
    let expected = world.water().tracer_ledger(name).expect("a tracer").expected();
    assert_eq!(world.water().tracer_stored(name), Some(expected), "{name}");
}

#[expect(clippy::cast_possible_truncation, reason = "below 2²⁴")]
fn whole(c: f64) -> i64 {
    (c * ONE as f64 + 0.5).floor() as i64
}

/// Goal: links between levels lose nothing, of water and of what it carries, and keep it bounded.
#[test]
fn ends_on_two_levels_are_exact() {
    // The other solver's turn comes in full runs.
    let quick = if crate::QUICK { 1 } else { 2 };
    for solver in [Solver::ShallowWater, Solver::Pipe].into_iter().take(quick) {
        let builder = salted(joined(basins().solver(solver).leaves(three_levels())));
        let mut world = builder.build().expect("a good world");
        let mut passed = [0.0; 3];
        while world.time() < seconds(60.0) {
            cycle(&mut world);
            for (passed, link) in passed.iter_mut().zip(world.structures().links()) {
                *passed +=
                    world.structures().link_flow(link.name()).expect("a link").discharge_m3_s.abs();
            }
        }
        assert!(passed.iter().all(|&passed| passed > 0.0), "{passed:?}");
        check_tracer(&world, "salt", [whole(0.3); 2]);
        check_tracer(&world, "dye", [whole(0.2), whole(0.6)]);
        let found = violations(&world);
        assert!(found.is_empty(), "{found:#?}");
    }
}

/// Goal: a pipe from a coarse cell passes what one from a fine cell does, but for how far the water
/// falls towards its mouth.
#[test]
fn levels_do_not_change_the_discharge() {
    let discharge = |leaves: Option<Vec<TileKey>>| {
        let builder = basins().initial_stage(stages(300, 4.0, 3.0));
        let builder = match leaves {
            Some(leaves) => builder.leaves(leaves),
            None => builder,
        };
        let ends = Culvert { from: [391.0, 201.0], to: [901.0, 201.0], ..pipe(1.0) };
        let mut world = builder.link(ends).build().expect("a good world");
        world.run_until(seconds(90.0));
        report(&world).discharge_m3_s
    };
    let (mixed, fine) = (discharge(Some(three_levels())), discharge(None));
    assert!((mixed / fine - 1.0).abs() < 0.03, "{mixed} m³/s, {fine} on fine cells");
}

/// Goal: leaves that change find the ends again, keep them fine, and lose nothing.
#[test]
fn leaves_that_change_keep_the_ends() {
    let quick = if crate::QUICK { 1 } else { 2 };
    for kind in [ColumnKind::SubGrid, ColumnKind::Flat].into_iter().take(quick) {
        let options = AdaptiveOptions {
            coarsest: 2,
            budget_cells: 40 * 4096,
            interval_cycles: 2,
            min_age_cycles: 4,
            ..AdaptiveOptions::default()
        };
        let builder = salted(joined(basins().columns(kind).adaptive(options)));
        let mut world = builder.build().expect("a good world");
        let late = Drain {
            name: "late".to_owned(),
            place: [601.0, 31.0],
            area_m2: 0.5,
            perimeter_m: 3.0,
            ..Drain::default()
        };
        let mut changes = 0;
        for step in 0..if crate::QUICK { 30 } else { 60 } {
            if step == 20 {
                world.structures_mut().put_link(late.clone()).expect("a good drain");
            }
            let before = world.simulation().forest().leaves().to_vec();
            cycle(&mut world);
            changes += usize::from(before != world.simulation().forest().leaves());
        }
        assert!(changes > 0, "{kind:?}: no leaf changed");
        for (leaf, link) in
            world.simulation().links().all().iter().map(|link| (link.from.leaf, link))
        {
            let level = world.simulation().forest().leaves()[leaf].level;
            assert_eq!(level, 0, "{kind:?}: link {}", link.number);
        }
        check_tracer(&world, "salt", [whole(0.3); 2]);
        check_tracer(&world, "dye", [whole(0.2), whole(0.6)]);
        let found = violations(&world);
        assert!(found.is_empty(), "{kind:?}: {found:#?}");
    }
}

#[test]
fn threads_do_not_change_a_bit() {
    let hashes = [1, 2].map(|threads| {
        on_threads(threads, || {
            let builder = salted(joined(basins().leaves(three_levels())));
            let mut world = builder.build().expect("a good world");
            world.run_until(seconds(20.0));
            world.state_hash()
        })
    });
    assert_eq!(hashes[0], hashes[1]);
}
