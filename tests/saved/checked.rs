//! One validation for building, setting, saving and loading: what can be built and set can be
//! saved, and what is saved can be loaded.

use crate::support::{check_saved, loaded, terrain, terrain_in_memory};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use thalweg::criteria::{Criterion, Observer, ObserverOptions, Scale};
use thalweg::terrain::{TerrainBuilder, TerrainOptions};
use thalweg::units::{SimTime, VerticalScale};
use thalweg::world::{
    AdaptiveOptions, ColumnKind, SaveFile, Saver, StreamOptions, World, WorldBuilder,
};
use thalweg_engine::flow::terms::{Terms, Viscosity};
use thalweg_engine::grid::TileKey;
use thalweg_engine::grid::cells::CellPlace;
use thalweg_engine::sim::{Order, Settings, Solver};

/// A basin of 70 × 40 cells with water in its western half.
fn basin() -> WorldBuilder {
    WorldBuilder::new(terrain([70, 40], 10, |x, y| 0.01 * (x + y) as f64))
        .initial_depth(|place| if place.x < 35 { 1.0 } else { 0.1 })
}

/// Goal: a world whose optional terms rest, because it was switched to the pipe, is saved and
/// loaded, and goes on in both solvers; the same where it is built so.
#[test]
fn terms_that_rest_beside_the_pipe_are_saved_and_loaded() {
    let none = Terms::NONE;
    let cases = [
        Terms { viscosity: Viscosity::Constant(0.5), ..none },
        Terms { viscosity: Viscosity::Smagorinsky(0.2), ..none },
        Terms { wind_m_s: [12.0, -3.0], ..none },
        Terms { coriolis_per_s: 1.0e-4, ..none },
    ];
    for terms in cases {
        let case = format!("{terms:?}");
        let settings = Settings { terms, ..Settings::default() };
        let build = |solver| -> World {
            let settings = Settings { solver, ..settings.clone() };
            basin().settings(settings).build().unwrap_or_else(|error| panic!("{case}: {error}"))
        };
        let mut world = build(Solver::ShallowWater);
        world.run_cycle(SimTime::MAX);
        world.set_solver(Solver::Pipe, Order::Second);
        check_saved(&mut world, Vec::new, &case);
        assert_eq!(world.settings().terms, terms, "{case}: they rest");
        world.set_solver(Solver::ShallowWater, Order::First);
        check_saved(&mut world, Vec::new, &case);
        check_saved(&mut build(Solver::Pipe), Vec::new, &format!("{case}, built"));
    }
}

/// Goal: a step of beds that no file holds is refused where it is asked for; all others are saved
/// and loaded.
#[test]
fn beds_that_no_file_holds_are_refused_when_asked_for() {
    let scale = VerticalScale::try_new(20, 0.0).expect("a good scale");
    for bed_exponent in 0..=u8::MAX {
        let options =
            TerrainOptions { width: 3, height: 3, cell_width_m: 2.0, scale, bed_exponent };
        match TerrainBuilder::try_new(options) {
            Ok(_) => {
                let ground = terrain([3, 3], bed_exponent, |x, y| 0.37 * (x * y) as f64);
                let mut world = WorldBuilder::new(ground).build().expect("a good world");
                check_saved(&mut world, Vec::new, &format!("beds of 2^-{bed_exponent} m"));
            }
            Err(error) => {
                assert!(bed_exponent > 24, "{bed_exponent}: {error}");
                assert!(error.to_string().contains("choose an exponent of 0 to 24"), "{error}");
            }
        }
    }
}

/// Goal: more accounts or tracers than a file holds are refused when the world is built; as many
/// as it holds are saved and loaded, over edges between levels too.
#[test]
fn more_names_than_a_file_holds_are_refused_when_built() {
    let name = |number: usize| format!("number {number}");
    let accounts = |count: usize| {
        (0..count).try_fold(basin(), |builder, number| {
            builder.inflow(&name(number), &[(0.0, 0.1)], &[CellPlace { x: 3, y: 3 }])
        })
    };
    let key = |level, x, y| TileKey { level, x, y };
    let fine = (0..2).flat_map(|y| (2..4).map(move |x| key(0, x, y)));
    let leaves: Vec<TileKey> = fine.chain([key(1, 0, 0)]).collect();
    let tracers = |count: usize| {
        let lake = WorldBuilder::new(terrain([256, 128], 10, |_, _| 0.0))
            .leaves(leaves.clone())
            .initial_depth(|place| if place.x < 64 { 1.0 } else { 0.5 });
        (0..count).fold(lake, |lake, number| lake.tracer(&name(number), |_| 0.5))
    };
    for (builder, most) in [(accounts(4097).expect("good series"), "4096"), (tracers(257), "256")] {
        let error = builder.build().map(drop).expect_err("too many names").to_string();
        assert!(error.contains(most) && !error.contains('\n'), "{error}");
    }
    let many = accounts(4096).expect("good series");
    for builder in [many, tracers(256)] {
        let mut most = builder.build().expect("as many as a file holds");
        most.run_cycle(SimTime::from_seconds(0.01));
        assert_eq!(loaded(&most, Vec::new()).expect("a world").state_hash(), most.state_hash());
    }
}

/// Goal: observers that a load forgets stand in the report of each cycle, whatever is saved and
/// loaded meanwhile, until the game looks at them. Method: two observers; loaded with both, one and
/// none; the file of a world without is the same as ever.
#[test]
fn observers_that_a_load_forgets_are_reported() {
    let ground = || terrain([256, 128], 10, |x, _| 0.01 * x as f64);
    let observers = |count: usize| -> Vec<Box<dyn Criterion>> {
        let world = Scale::try_new(0, 1, 2.0, CellPlace { x: 256, y: 128 }).expect("good");
        let observer = |number: usize| -> Box<dyn Criterion> {
            let options = ObserverOptions {
                position_m: [100.0 * number as f64, 50.0],
                velocity_m_s: [0.0; 2],
                look_ahead_s: 0.0,
                radii_m: vec![(0, 80.0)],
                priority: 0.0,
            };
            Box::new(Observer::try_new(&options, &world).expect("a good observer"))
        };
        (0..count).map(observer).collect()
    };
    let adaptive = |criteria| {
        let options = AdaptiveOptions { coarsest: 1, criteria, ..AdaptiveOptions::default() };
        WorldBuilder::new(ground()).adaptive(options).build().expect("a good world")
    };
    let missing = |world: &mut World| world.run_cycle(SimTime::from_seconds(1.0)).missing_criteria;
    let mut world = adaptive(observers(2));
    assert_eq!(missing(&mut world), 0);
    let mut all = loaded(&world, observers(2)).expect("a world");
    assert_eq!(missing(&mut all), 0);
    let mut one = loaded(&world, observers(1)).expect("a world");
    assert_eq!((missing(&mut one), missing(&mut one)), (1, 1));
    let none = loaded(&one, Vec::new()).expect("a world");
    let mut again = loaded(&none, Vec::new()).expect("a world");
    assert_eq!(missing(&mut again), 2, "saved and loaded without any");
    again.criteria_mut().expect("leaves change").extend(observers(1));
    assert_eq!(missing(&mut again), 0, "the game has looked");
    assert_eq!(missing(&mut loaded(&again, Vec::new()).expect("a world")), 1);
    let mut bare = loaded(&adaptive(Vec::new()), Vec::new()).expect("a world");
    assert_eq!(missing(&mut bare), 0);
    let mut still = WorldBuilder::new(ground()).build().expect("a good world");
    assert_eq!(missing(&mut still), 0);
}

/// Goal: the class of each cell is read once, when the world is built, so that one without a value
/// is refused then, not when a leaf shows it.
#[test]
fn classes_are_asked_for_once() {
    let options = || AdaptiveOptions {
        coarsest: 1,
        budget_cells: 1 << 20,
        interval_cycles: 1,
        min_age_cycles: 0,
        ahead_cycles: 0,
        leaves_a_cycle: 4,
        criteria: Vec::new(),
    };
    let ground = || terrain([256, 128], 10, |x, _| 0.01 * x as f64);
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    let class = move |place: CellPlace| {
        count.fetch_add(1, Ordering::Relaxed);
        u8::from(place.x % 2 == 1)
    };
    let mut world = WorldBuilder::new(ground())
        .manning_classes(vec![0.02, 0.05], class)
        .initial_depth(|_| 0.5)
        .columns(ColumnKind::Flat)
        .adaptive(options())
        .build()
        .expect("a good world");
    let once = asked.load(Ordering::Relaxed);
    assert_eq!(once, 256 * 128, "each cell once");
    for _ in 0..4 {
        world.run_cycle(SimTime::MAX);
    }
    check_saved(&mut world, Vec::new, "classes");
    assert_eq!(asked.load(Ordering::Relaxed), once, "never again");
    // A coarse leaf shows every second cell: the others have classes too.
    let class = |place: CellPlace| if place.x == 40 { 7 } else { 0 };
    let builder = WorldBuilder::new(ground()).manning_classes(vec![0.02], class);
    let error = builder
        .columns(ColumnKind::Flat)
        .adaptive(options())
        .build()
        .map(drop)
        .expect_err("no such class")
        .to_string();
    assert!(error.contains("roughness class 7 has no value"), "{error}");
}

/// Goal: a budget that is refused changes nothing.
#[test]
fn a_budget_that_is_refused_changes_nothing() {
    let file = terrain_in_memory(&terrain([1024, 512], 10, |x, _| 0.01 * x as f64));
    let budget_cells = 8 << 12;
    let options = AdaptiveOptions { coarsest: 3, budget_cells, ..AdaptiveOptions::default() };
    // Room for as many cells as it begins with, and a few more; not for all of its finest tiles.
    let budget_bytes = 56 << 20;
    let builder = file.builder(StreamOptions { budget_bytes });
    let builder = builder.expect("a terrain").columns(ColumnKind::Flat).adaptive(options);
    let wet = |p: CellPlace| if p.x < 40 { 0.5 } else { 0.0 };
    let mut world = builder.initial_depth(wet).build().expect("a good world");
    for _ in 0..20 {
        world.run_cycle(SimTime::MAX);
    }
    let before = world.state_hash();
    for (cells, remedy) in [(0, "allow at least"), (u64::MAX, "choose fewer cells")] {
        let error = world.set_budget(cells).expect_err("no such budget").to_string();
        assert!(error.contains(remedy), "{error}");
        assert_eq!(world.state_hash(), before, "{cells} cells");
    }
}

/// Goal: a game may put a world, its file and its saver where several threads look at them.
#[test]
fn worlds_files_and_savers_are_shared_between_threads() {
    fn shared<T: Send + Sync + 'static>() {}
    shared::<World>();
    shared::<SaveFile>();
    shared::<Saver>();
}
