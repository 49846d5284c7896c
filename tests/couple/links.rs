//! Culverts, pumps and drains between basins.

use crate::support::{cycle, in_memory, moved, pipe, report, seconds, stages, two_basins};
use thalweg::check::violations;
use thalweg::structure::Course;
use thalweg::units::SimTime;
use thalweg::world::{Action, Culvert, Drain, EdgeKind, EdgePlace, Pump, World, WorldBuilder};
use thalweg_engine::grid::Side;
use thalweg_engine::grid::cells::CellPlace;
use thalweg_engine::sim::Solver;

/// Goal: a full pipe between two lakes passes its textbook discharge within 5 %, whatever the head.
/// Method: the lakes are held at their edges; the heads are those of the cells at its ends, the
/// discharge what came in over the western edge.
#[test]
fn a_full_pipe_passes_its_textbook_discharge() {
    let (diameter, length, n) = (1.0_f64, 35.0, 0.013);
    let area = std::f64::consts::PI * diameter * diameter / 4.0;
    let friction = 2.0 * 9.81 * n * n * length / (diameter / 4.0).powf(4.0 / 3.0);
    for solver in [Solver::Pipe, Solver::ShallowWater] {
        let every = if crate::QUICK { 2 } else { 1 };
        for head_m in [0.2, 1.0, 3.0, 8.0].into_iter().step_by(every) {
            let low_m = 3.0;
            let held = |stage_m: f64| EdgeKind::Stage(vec![(0.0, stage_m)]);
            let mut world = two_basins()
                .solver(solver)
                .edge("west", EdgePlace::Side(Side::West), held(low_m + head_m))
                .edge("east", EdgePlace::Side(Side::East), held(low_m))
                .initial_stage(stages(20, low_m + head_m, low_m))
                .link(pipe(diameter))
                .build()
                .expect("a good world");
            world.run_until(seconds(900.0));
            let net = |world: &_| {
                let (into, out) = moved(world, "west");
                into - out
            };
            let (before, start_s) = (net(&world), world.time().seconds());
            let (mut head, mut looks) = (0.0, 0.0);
            while world.time() < seconds(1200.0) {
                cycle(&mut world);
                let report = report(&world);
                assert_eq!(report.course, Course::Full);
                head += report.from_stage_m - report.to_stage_m.expect("an end");
                looks += 1.0;
            }
            let got = (net(&world) - before) / (world.time().seconds() - start_s);
            let head: f64 = head / looks;
            let exact = area * (2.0 * 9.81 * head / (1.5 + friction)).sqrt();
            println!("{solver:?}: {head:.3} m of {head_m}: {got:.3} m³/s, {:.4}", got / exact);
            assert!((got / exact - 1.0).abs() < 0.05, "{solver:?}: {head} m: {got}, not {exact}");
        }
    }
}

/// How far cells of level basins may be from the mean, m: what goes round in one of them makes
/// such swings of 0.07 mm for hours.
const LEVEL_M: f64 = 1.0e-4;
/// Time from which both basins must be level, s.
const LEVEL_S: f64 = 7200.0;

/// Goal: two basins and a pipe level out, to the unit, all cells swinging less and less, and sleep.
/// Method: behind a short wide pipe they sleep late, since what it stirs goes round for hours; so
/// long they are watched in release alone.
#[test]
fn two_basins_and_a_pipe_level_out() {
    let late = if crate::QUICK { (4_000, false) } else { (20_000, true) };
    for (diameter_m, length_m, (cycles, sleeps)) in
        [(0.8, None, (20_000, true)), (2.0, Some(5.0), late)]
    {
        let pipe = Culvert { length_m, ..pipe(diameter_m) };
        let builder = two_basins().initial_stage(stages(20, 3.0, 1.5)).link(pipe);
        let mut world = builder.build().expect("a good world");
        let columns = (0..18).chain(22..40);
        let cells: Vec<_> =
            columns.flat_map(|x| (0..10).map(move |y| CellPlace { x, y })).collect();
        // How far any cell is from the mean.
        let swing = |world: &World| {
            let depth = |place: &CellPlace| world.water().depth_m(*place).expect("inside");
            let mean_m = cells.iter().map(depth).sum::<f64>() / cells.len() as f64;
            cells.iter().fold(0.0, |most: f64, place| most.max((depth(place) - mean_m).abs()))
        };
        // The widest of a window, against that of the window before.
        let (mut before, mut widest, mut window_s) = (f64::INFINITY, 0.0_f64, 600.0);
        let mut is_asleep = false;
        for _ in 0..cycles {
            is_asleep = world.run_cycle(seconds(1.0e6)).awake == 0;
            assert_eq!(world.water().stored(), world.water().ledger().expected());
            let now = swing(&world);
            let is_late = world.time() > seconds(LEVEL_S);
            assert!(now < LEVEL_M || !is_late, "{now} m at {} s", world.time().seconds());
            widest = widest.max(now);
            if world.time() > seconds(window_s) {
                assert!(widest <= LEVEL_M.max(1.01 * before), "{widest} m after {before} m");
                (before, widest, window_s) = (widest, 0.0, window_s + 600.0);
            }
            if is_asleep {
                break;
            }
        }
        assert!(swing(&world) < LEVEL_M, "{} m", swing(&world));
        assert!(is_asleep || !sleeps, "{:?}", report(&world));
        assert!(!is_asleep || report(&world).discharge_m3_s == 0.0, "it rests");
        println!("{diameter_m} m, {} s: asleep {is_asleep}", world.time().seconds());
    }
}

/// Goal: a flap valve lets nothing back, and what it let through stays.
#[test]
fn a_flap_lets_water_through_one_way() {
    for (west_m, east_m, flows) in [(3.0, 1.0, true), (1.0, 3.0, false)] {
        let flap = Culvert { has_flap: true, ..pipe(1.0) };
        let builder = two_basins().initial_stage(stages(20, west_m, east_m)).link(flap);
        let mut world = builder.build().expect("a good world");
        let mut passed = 0.0;
        while world.time() < seconds(300.0) {
            cycle(&mut world);
            let discharge = report(&world).discharge_m3_s;
            assert!(discharge >= 0.0, "{discharge} m³/s back");
            passed += discharge;
        }
        assert_eq!(passed > 0.0, flows, "{west_m} m and {east_m} m");
    }
}

/// Goal: a pump that wants more than there is does not make steps ever shorter. Method: a basin is
/// emptied by one that never stops, and fed with a hundredth of what it wants; the last steps.
#[test]
fn a_pump_that_runs_dry_does_not_stop_time() {
    let pump = Pump {
        name: "pump".to_owned(),
        from: [82.5, 27.5],
        to: Some([117.5, 27.5]),
        curve: vec![(0.0, 20.0), (8.0, 10.0)],
        on_stage_m: 0.5,
        off_stage_m: -1.0,
        outlet_m: None,
    };
    let cells: Vec<_> = (0..10).map(|y| CellPlace { x: 0, y }).collect();
    let mut world = two_basins()
        .solver(Solver::ShallowWater)
        .initial_stage(stages(20, 0.6, 0.0))
        .inflow("spring", &[(0.0, 0.2)], &cells)
        .map(|builder| builder.link(pump))
        .and_then(WorldBuilder::build)
        .expect("a good world");
    let mut mean_step_s = 0.0;
    for _ in 0..2000 {
        let before = world.time().seconds();
        let cycle = world.run_cycle(SimTime::MAX);
        mean_step_s = (cycle.time.seconds() - before) / f64::from(cycle.steps);
    }
    let report = report(&world);
    println!("{mean_step_s} s a step, {:?}", report.discharge_m3_s);
    assert!(report.discharge_m3_s > 0.0 && mean_step_s > 0.1, "{mean_step_s} s a step");
}

/// Goal: a pump starts at one stage and stops at another, by its curve, and what it lifts is there.
#[test]
fn a_pump_runs_between_its_stages() {
    let pump = Pump {
        name: "pump".to_owned(),
        from: [82.5, 27.5],
        to: Some([117.5, 27.5]),
        curve: vec![(0.0, 2.0), (4.0, 1.0), (8.0, 0.0)],
        on_stage_m: 2.0,
        off_stage_m: 1.7,
        outlet_m: Some(4.0),
    };
    // 4500 m² hold 1.9 m; a spring brings back what the pump took, more slowly.
    let cells: Vec<_> = (0..10).map(|y| CellPlace { x: 0, y }).collect();
    let mut world = two_basins()
        .initial_stage(stages(20, 1.9, 1.0))
        .inflow("spring", &[(0.0, 0.4)], &cells)
        .map(|builder| builder.link(pump))
        .and_then(WorldBuilder::build)
        .expect("a good world");
    let (mut starts, mut stops, mut was_running) = (0, 0, false);
    while world.time() < seconds(8000.0) {
        cycle(&mut world);
        let report = report(&world);
        let is_running = report.discharge_m3_s > 0.0;
        let stage = report.from_stage_m;
        match (was_running, is_running) {
            (false, true) => {
                assert!(stage > 1.9, "it starts at {stage} m");
                starts += 1;
            }
            (true, false) => {
                assert!(stage < 1.75, "it stops at {stage} m");
                stops += 1;
            }
            _ => {}
        }
        if is_running {
            let head = report.to_stage_m.expect("an end").max(4.0) - stage;
            let curve = if head < 4.0 { 2.0 - 0.25 * head } else { 1.0 - 0.25 * (head - 4.0) };
            let got = report.discharge_m3_s;
            assert!((got - curve).abs() < 0.05, "{head} m: {got} m³/s, not {curve}");
        }
        was_running = is_running;
    }
    assert!(starts >= 2 && stops >= 2, "{starts} starts, {stops} stops");
    assert!(violations(&world).is_empty());
}

/// Goal: a drain empties its basin out of the world, booked under its name, and then lets it sleep;
/// what it takes from a deep lake is what its orifice does.
#[test]
fn a_drain_is_booked() {
    let gully = Drain {
        name: "grate".to_owned(),
        place: [42.5, 27.5],
        area_m2: 2.0,
        perimeter_m: 30.0,
        ..Drain::default()
    };
    let drain = Drain { rim_m: Some(0.5), ..gully };
    let builder = two_basins().initial_stage(stages(20, 2.5, 1.0)).link(drain);
    let mut world = builder.build().expect("a good world");
    let start = world.water().stored();
    world.run_until(seconds(60.0));
    let before = moved(&world, "grate").1;
    world.run_until(seconds(70.0));
    let rate = (moved(&world, "grate").1 - before) / 10.0;
    let exact = 0.67 * 2.0 * (2.0 * 9.81 * (report(&world).from_stage_m - 0.5)).sqrt();
    assert!((rate / exact - 1.0).abs() < 0.02, "{rate} m³/s, not {exact}");
    let mut cycles = 0;
    while world.run_cycle(seconds(1.0e6)).awake > 0 {
        assert_eq!(world.water().stored(), world.water().ledger().expected());
        cycles += 1;
        assert!(cycles < 50_000, "{:?}", report(&world));
    }
    let gone = (start - world.water().stored()) as f64 * world.water().unit_m3();
    assert!((moved(&world, "grate").1 - gone).abs() < 1.0e-6);
    // 900 cells of 5 m × 18 × 10 stood 2 m above the rim.
    assert!((gone / (2.0 * 18.0 * 10.0 * 25.0) - 1.0).abs() < 0.01, "{gone} m³");
}

/// Goal: a link that is put or taken away while the world runs acts from the next cycle on, wakes
/// leaves that sleep, and leaves its account.
#[test]
fn links_come_and_go() {
    let builder = two_basins().initial_stage(stages(20, 3.0, 1.5));
    let mut world = builder.build().expect("a good world");
    while world.run_cycle(seconds(1.0e5)).awake > 0 {}
    let name = pipe(1.0).name;
    assert_eq!(world.structures_mut().put_link(pipe(1.0)), Ok(None));
    assert!(world.run_cycle(seconds(2.0e5)).awake > 0, "a pipe wakes what it joins");
    assert!(world.structures().link_flow(&name).expect("it is there").discharge_m3_s > 0.0);
    // Another of its name takes its place, at rest, of whatever kind; a bad one does not.
    let drain = Drain {
        name: name.clone(),
        place: [7.5, 7.5],
        area_m2: 1.0,
        perimeter_m: 4.0,
        ..Drain::default()
    };
    assert_eq!(world.structures_mut().put_link(drain.clone()), Ok(Some(pipe(1.0).into())));
    assert_eq!(world.structures().link_flow(&name).expect("it is there").course, Course::Dry);
    assert!(world.structures_mut().put_link(pipe(-1.0)).is_err());
    assert!(world.structures().links().eq([&drain.clone().into()]));
    assert_eq!(world.structures_mut().remove_link(&name), Ok(drain.into()));
    let said = world.structures_mut().remove_link(&name).expect_err("it is gone").to_string();
    assert!(said.contains("there is no link at all"), "{said}");
    assert_eq!(
        (world.structures().link_flow(&name), world.structures().links().count()),
        (None, 0)
    );
    assert_eq!(world.structures_mut().put_link(pipe(0.5)), Ok(None));
    let said = world.structures_mut().remove_link("no").expect_err("none such").to_string();
    assert_eq!(said, format!("no: there is no such link: choose one of {name}"));
    cycle(&mut world);
    assert!(violations(&world).is_empty());
}

/// Goal: the undo of a link that is gone, or whose number another link has now, changes no other
/// link. Method: `a` is put and taken back, so that `b` gets its number; the table says how the
/// ways of `a` are used then.
#[test]
fn an_undo_of_a_link_leaves_the_others() {
    let drain = |name: &str, place: [f64; 2]| {
        let size = Drain { area_m2: 0.5, perimeter_m: 2.0, ..Drain::default() };
        Action::PutLink(Drain { name: name.to_owned(), place, ..size }.into())
    };
    let a = || drain("a", [25.0, 25.0]);
    let b = || drain("b", [125.0, 25.0]);
    let names = |world: &World| -> Vec<String> {
        world.structures().links().map(|link| link.name().to_owned()).collect()
    };
    for runs in [false, true] {
        let builder = two_basins().initial_stage(stages(20, 3.0, 3.0));
        let mut world = builder.build().expect("a good world");
        let back = world.edits().act(a()).expect("a drain").undo;
        let forth = world.edits().undo(back.clone()).expect("it is there").undo;
        world.edits().act(b()).expect("a drain");
        assert_eq!(names(&world), ["b"]);
        if runs {
            cycle(&mut world);
        }
        // It is gone, so there is nothing to do.
        world.edits().undo(back.clone()).expect("nothing to do");
        assert_eq!(names(&world), ["b"], "runs: {runs}");
        let again = world.edits().undo(forth.clone()).expect("its name is free").undo;
        assert_eq!(names(&world), ["b", "a"], "runs: {runs}");
        assert!(violations(&world).is_empty(), "{:?}", violations(&world));
        world.edits().undo(forth).expect_err("`a` has its name");
        cycle(&mut world);
        for name in ["a", "b"] {
            let flow = world.structures().link_flow(name).expect("it is there");
            assert!(flow.discharge_m3_s > 0.0, "{name}: {flow:?}");
        }
        assert_eq!(world.water().stored(), world.water().ledger().expected());
        let mut file = in_memory(&world);
        file.save(&world).expect("saved");
        let loaded = file.load(Vec::new()).expect("a good file");
        assert_eq!(loaded.state_hash(), world.state_hash());
        assert_eq!(names(&loaded), ["b", "a"]);
        // Each way back of `a` takes away `a` alone.
        for way in [again, back] {
            world.edits().undo(way).expect("at most there");
            assert_eq!(names(&world), ["b"], "runs: {runs}");
        }
        assert!(violations(&world).is_empty(), "{:?}", violations(&world));
    }
}
