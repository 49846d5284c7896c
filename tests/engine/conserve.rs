//! P1 and P2: not a unit is lost, and still water stays still.

use crate::support::{fractal, scale, shrunk, terrain};
use thalweg::units::SimTime;
use thalweg::world::{EdgeKind, EdgePlace, World, WorldBuilder};
use thalweg_engine::grid::Side;
use thalweg_engine::grid::cells::CellPlace;
use thalweg_engine::sim::{Order, Settings, Solver};
use thalweg_engine::structure::weather::Direction;

const SWE: Solver = Solver::ShallowWater;

/// A rough valley with a hole in it, rain in showers, a river, thirsty ground, three kinds of edge.
pub fn busy(seed: u64, solver: Solver) -> WorldBuilder {
    let ground = terrain(100, 90, 5.0, scale(20, 100.0), |x, y| {
        let hole = (x as f64 - 70.0).powi(2) + (y as f64 - 40.0).powi(2) < 60.0;
        let valley = 90.0 + 0.02 * y as f64 + 0.004 * (x as f64 - 40.0).powi(2);
        if hole { f64::NAN } else { valley + 6.0 * fractal(seed, x as f64, y as f64) }
    });
    let showers = [(0.0, 2.0e-5), (300.0, 0.0), (900.0, 4.0e-5), (1200.0, 0.0), (4000.0, 1.0e-5)];
    let river = [(0.0, 0.0), (600.0, 40.0), (5000.0, 5.0), (9000.0, 60.0)];
    let sources: Vec<CellPlace> = (38..41).map(|x| CellPlace { x, y: 88 }).collect();
    WorldBuilder::new(ground)
        .settings(Settings { solver, manning_n: vec![0.04], ..Settings::default() })
        .edges(EdgeKind::Open)
        .edge(
            "sea",
            EdgePlace::Side(Side::South),
            EdgeKind::Stage(vec![(0.0, 92.0), (3000.0, 94.5)]),
        )
        .edge("cliff", EdgePlace::Side(Side::East), EdgeKind::Wall)
        .initial_stage(|place| if place.y < 30 { 93.0 } else { f64::NAN })
        .rain("rain", &showers)
        .expect("sorted")
        .layer("evaporation", Direction::Out, &[(0.0, 5.0e-8)])
        .expect("one point")
        .layer_classes(
            "infiltration",
            Direction::Ground,
            &[vec![(0.0, 1.0e-6)], vec![(0.0, 8.0e-6)]],
            |place| u16::from(place.x > 50),
        )
        .expect("two classes")
        .inflow("river", &river, &sources)
        .expect("sorted")
}

fn busy_world(seed: u64, solver: Solver) -> World {
    busy(seed, solver).build().expect("a good world")
}

/// Goal: P1 over 25,000 steps of each solver with everything that brings or takes water, and with
/// a change of solver every hundred cycles.
/// Method: equality of integers after every sixteenth cycle.
#[test]
fn stored_is_initial_plus_in_minus_out() {
    for course in [[Solver::Pipe; 2], [SWE; 2], [Solver::Pipe, SWE]] {
        let mut world = busy_world(11, course[0]);
        let (mut steps, mut cycles) = (0, 0);
        while steps < shrunk(25_000, 1_000) {
            world.set_solver(course[cycles / 100 % 2], Order::Second);
            let report = world.run_cycle(SimTime::MAX);
            steps += u64::from(report.steps);
            cycles += 1;
            if cycles % 16 == 0 {
                let case = format!("{course:?}, after {steps} steps");
                assert_eq!(world.water().stored(), world.water().ledger().expected(), "{case}");
            }
        }
        assert_eq!(
            world.water().stored(),
            world.water().ledger().expected(),
            "{course:?}, {steps} steps"
        );
        let flows = |name: &str| {
            let account = world.water().ledger().accounts().iter().find(|a| a.name == name);
            account.map(|a| (a.into > 0, a.out > 0)).expect("an account of that name")
        };
        assert_eq!(flows("rain"), (true, false));
        assert_eq!(flows("river"), (true, false));
        assert_eq!(flows("infiltration"), (false, true));
        assert_eq!(flows("evaporation"), (false, true));
        assert!(flows("edge nodata").1, "water leaves through the hole");
        assert!(flows("sea").0 || flows("sea").1, "the sea moves");
    }
}

/// Goal: P2. A lake among islands at 1500 m does not move by a unit.
#[test]
fn a_lake_at_rest_stays_at_rest() {
    [Solver::Pipe, SWE].into_iter().for_each(check_lake_at_rest);
}

fn check_lake_at_rest(solver: Solver) {
    let ground = terrain(140, 120, 10.0, scale(20, 1500.0), |x, y| {
        1482.0 + 50.0 * fractal(3, x as f64, y as f64)
    });
    let mut world = WorldBuilder::new(ground)
        .settings(Settings { solver, sleep_after_cycles: u32::MAX, ..Settings::default() })
        .edge("shore", EdgePlace::Side(Side::West), EdgeKind::Stage(vec![(0.0, 1500.0)]))
        .initial_stage(|_| 1500.0)
        .build()
        .expect("a good world");
    let depths = |world: &World| -> Vec<i32> {
        let simulation = world.simulation();
        simulation.forest().ids().flat_map(|leaf| simulation.water(leaf).depth.to_vec()).collect()
    };
    let before = depths(&world);
    let wet = before.iter().filter(|&&h| h > 0).count();
    let dry = 140 * 120 - wet;
    assert!(wet > 5_000 && dry > 5_000, "islands and water: {wet} wet, {dry} dry");
    let mut steps = 0;
    while steps < shrunk(10_000, 400) {
        let report = world.run_cycle(SimTime::MAX);
        assert!(report.awake > 0, "asleep proves nothing");
        steps += u64::from(report.steps);
    }
    assert!(depths(&world) == before, "{solver:?}: a unit moved within {steps} steps");
    assert!(world.water().ledger().accounts().iter().all(|a| a.into == 0 && a.out == 0));
}
