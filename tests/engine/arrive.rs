//! Water that comes into dry ground: no deeper than what flows there afterwards.

use crate::streamed::file_of;
use crate::support::{TempFile, fractal, reloaded, scale, terrain};
use thalweg::check::violations;
use thalweg::units::SimTime;
use thalweg::world::{
    AdaptiveOptions, ColumnKind, EdgeKind, EdgePlace, Entry, SaveFile, StreamOptions, World,
    WorldBuilder,
};
use thalweg_engine::grid::Side;
use thalweg_engine::grid::cells::CellPlace;
use thalweg_engine::sim::{Settings, Solver};

const SOLVERS: [Solver; 2] = [Solver::Pipe, Solver::ShallowWater];

/// A plane that falls to the east, with walls at its sides and an open end.
fn plane((width, height): (u32, u32), cell_m: f64, slope: f64, solver: Solver) -> WorldBuilder {
    let bed = |x: usize, _| 50.0 + slope * cell_m * (width as usize - x) as f64;
    WorldBuilder::new(terrain(width as usize, height as usize, cell_m, scale(20, 50.0), bed))
        .settings(Settings { solver, ..Settings::default() })
        .edge("end", EdgePlace::Side(Side::East), EdgeKind::Open)
}

/// The deepest water, m.
fn deepest(world: &World, (width, height): (u32, u32)) -> f64 {
    let cells = (0..height).flat_map(|y| (0..width).map(move |x| CellPlace { x, y }));
    cells.filter_map(|place| world.water().depth_m(place)).fold(0.0, f64::max)
}

/// Runs to `end_s`, stopping each `chunk_s`; the deepest of all moments, and of the last.
fn run(world: &mut World, size: (u32, u32), end_s: f64, chunk_s: f64) -> [f64; 2] {
    let (mut most, mut stop_s) = (0.0_f64, chunk_s.min(end_s));
    let end = SimTime::from_seconds(end_s);
    while world.time() < end {
        let stop = SimTime::from_seconds(stop_s);
        world.run_cycle(stop);
        most = most.max(deepest(world, size));
        if world.time() >= stop {
            stop_s = (stop_s + chunk_s).min(end_s);
        }
    }
    [most, deepest(world, size)]
}

const SIZE: (u32, u32) = (96, 64);
const SPRING: CellPlace = CellPlace { x: 24, y: 32 };
const WIDE: ((u32, u32), CellPlace) = ((192, 160), CellPlace { x: 72, y: 80 });

/// Goal: the first moments of an inflow are no flood. Method: each discharge, cell width, slope and
/// solver, into dry ground, whatever the stops of the output.
#[test]
fn water_that_comes_into_dry_ground_stands_no_deeper_than_it_flows() {
    let is_quick = crate::QUICK;
    let discharges: &[f64] = if is_quick { &[200.0] } else { &[20.0, 200.0, 1000.0] };
    let slopes: &[f64] = if is_quick { &[0.01] } else { &[0.001, 0.01] };
    let chunks: &[f64] = if is_quick { &[1.0e9] } else { &[0.5, 7.0, 1.0e9] };
    let mut wrong = Vec::new();
    for &discharge in discharges {
        for cell_m in [1.0, 10.0] {
            for &slope in slopes {
                for solver in SOLVERS {
                    for &chunk_s in chunks {
                        // A square of 23 cells needs room to its walls.
                        let is_wide = discharge > 500.0 && cell_m < 5.0;
                        let (size, spring) = if is_wide { WIDE } else { (SIZE, SPRING) };
                        let builder = plane(size, cell_m, slope, solver);
                        let builder = builder.inflow("spring", &[(0.0, discharge)], &[spring]);
                        let mut world = builder.and_then(WorldBuilder::build).expect("good");
                        let case = format!(
                            "{discharge} m³/s, cells of {cell_m} m, slope {slope}, {solver:?}, \
                             stops each {chunk_s} s"
                        );
                        let first = world.run_cycle(SimTime::from_seconds(chunk_s.min(1.0e6)));
                        assert!(first.time.seconds() <= 1.0, "{case}: {:?}", first.time);
                        let end_s = if cell_m > 5.0 { 400.0 } else { 60.0 };
                        let [most, last] = run(&mut world, size, end_s, chunk_s);
                        // The pipe's water first needs a head that accelerates it, and then none:
                        // it has no velocity head.
                        let ratio = if solver == Solver::Pipe { 1.3 } else { 1.1 };
                        if !(last > 0.1 && most <= ratio * last) {
                            wrong.push(format!("{case}: {most:.3} m, then {last:.3} m"));
                        }
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Goal: a river comes in over an edge as it flows on. Method: uniform flow of three Froude numbers
/// down a plane; the first cell against the middle, where no edge is felt.
#[test]
fn a_river_comes_in_over_an_edge_at_the_depth_it_flows_at() {
    let (depth_m, n) = (1.0_f64, 0.033);
    let mut wrong = Vec::new();
    for froude in [0.3, 0.8, 2.0] {
        for cell_m in [1.0, 10.0] {
            if froude > 1.0 && cell_m < 5.0 {
                continue;
            }
            for solver in SOLVERS {
                let velocity = froude * (9.81 * depth_m).sqrt();
                let slope = (n * velocity).powi(2) / depth_m.powf(4.0 / 3.0);
                let size = (if crate::QUICK { 60 } else { 120 }, 4);
                let builder = plane(size, cell_m, slope, solver).settings(Settings {
                    solver,
                    manning_n: vec![n],
                    ..Settings::default()
                });
                let discharge = vec![(0.0, velocity * depth_m * 4.0 * cell_m)];
                let river = EdgeKind::Inflow { discharge, entry: Entry::Normal };
                let builder = builder.edge("river", EdgePlace::Side(Side::West), river);
                let mut world = builder.build().expect("a good world");
                let length_m = f64::from(size.0) * cell_m;
                let end_s = 5.0 * length_m / velocity + 30.0;
                run(&mut world, size, end_s, 1.0e9);
                let at = |x| world.water().depth_m(CellPlace { x, y: 2 }).expect("a cell");
                let (first, middle) = (at(0), at(size.0 / 2));
                let case = format!("Froude {froude}, cells of {cell_m} m, {solver:?}");
                // Swift shallow water: see the limits of `sim::river_faces`. The pipe rolls there.
                let near =
                    if froude > 1.0 && solver == Solver::ShallowWater { 0.05 } else { 0.035 };
                if (first / middle - 1.0).abs() > near || (middle / depth_m - 1.0).abs() > 0.05 {
                    wrong.push(format!("{case}: {first:.3} m at the edge, {middle:.3} m within"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Goal: a river over an edge is booked to the unit, on every kind of world, saved and loaded too.
#[test]
fn a_river_over_an_edge_is_booked_on_every_kind_of_world() {
    let file = TempFile::new("river-over-an-edge");
    for (kind, level, is_adaptive) in [
        ("one level", 0, false),
        ("adaptive", 0, true),
        ("sub-grid", 1, true),
        ("streamed", 0, true),
    ] {
        // A quick run takes the solvers in turn.
        let quick = SOLVERS[usize::from(level) ^ usize::from(kind == "streamed")];
        for solver in SOLVERS.into_iter().filter(|&s| !crate::QUICK || s == quick) {
            let bed = |x: usize, y: usize| {
                let valley = 0.05 * (y as f64 - 128.0).abs().min(60.0);
                60.0 - 0.02 * x as f64 + valley + fractal(7, x as f64, y as f64)
            };
            let columns = if level > 0 { ColumnKind::SubGrid } else { ColumnKind::Flat };
            let last = 256 >> level;
            let place = EdgePlace::Part(Side::West, last * 3 / 8..last * 5 / 8);
            let discharge = vec![(0.0, 0.0), (60.0, 90.0), (600.0, 30.0)];
            let river = EdgeKind::Inflow { discharge, entry: Entry::Normal };
            let ground = terrain(256, 256, 2.0, scale(20, 50.0), bed);
            let (_path, store) = file_of("river-streamed", &ground);
            let builder = match kind {
                "streamed" => {
                    let options = StreamOptions { budget_bytes: 256 << 20 };
                    store.builder(options).expect("a terrain")
                }
                _ => WorldBuilder::new(ground),
            };
            let mut builder = builder
                .level(level)
                .columns(columns)
                .settings(Settings { solver, ..Settings::default() })
                .edges(EdgeKind::Open)
                .edge("river", place, river);
            if is_adaptive {
                builder = builder.adaptive(AdaptiveOptions {
                    coarsest: level + 2,
                    ..AdaptiveOptions::default()
                });
            }
            let mut world = builder.build().expect("a good world");
            let end_s = if crate::QUICK { 75.0 } else { 200.0 };
            world.run_until(SimTime::from_seconds(end_s));
            assert_eq!(violations(&world), Vec::<String>::new(), "{kind}, {solver:?}");
            let account =
                world.water().ledger().accounts().iter().find(|account| account.name == "river");
            let into_m3 = account.expect("an account").into as f64 * world.water().unit_m3();
            // 2,700 m³ in the first minute, then 90 m³/s falling by a ninth of a m³/s².
            let after_s = end_s - 60.0;
            let whole_m3 = 2700.0 + after_s * (90.0 - after_s / 18.0);
            let ratio = into_m3 / whole_m3;
            assert!((ratio - 1.0).abs() < 1.0e-4, "{kind}, {solver:?}: {into_m3} of {whole_m3} m³");
            drop(std::fs::remove_file(&file.0));
            SaveFile::create(&file.0, &world).expect("saved");
            let mut loaded =
                SaveFile::open(&file.0).expect("opened").load(Vec::new()).expect("good");
            assert_eq!(world.state_hash(), loaded.state_hash(), "{kind}, {solver:?}");
            for _ in 0..3 {
                world.run_cycle(SimTime::MAX);
                loaded.run_cycle(SimTime::MAX);
            }
            assert_eq!(world.state_hash(), loaded.state_hash(), "{kind}, {solver:?}, gone on");
        }
    }
}

/// Goal: a swift river that stops within a cycle, and comes again, brings what its table says and
/// takes nothing back; a world that was reopened in between goes on to the same bits.
#[test]
fn a_swift_river_that_stops_and_comes_again_takes_nothing_back() {
    let (depth_m, n, size) = (1.0_f64, 0.033, (60, 4));
    let velocity = 2.0 * (9.81 * depth_m).sqrt();
    let slope = (n * velocity).powi(2) / depth_m.powf(4.0 / 3.0);
    let m3_s = velocity * depth_m * 4.0 * 10.0;
    // It ends above 0, within a cycle, and twice.
    let discharge = vec![(0.0, m3_s), (20.0, m3_s), (20.001, 0.0), (31.0, 0.0), (31.001, m3_s)];
    let discharge = [discharge, vec![(43.003, m3_s)]].concat();
    for solver in SOLVERS {
        let river = EdgeKind::Inflow { discharge: discharge.clone(), entry: Entry::Normal };
        let settings = Settings { solver, manning_n: vec![n], ..Settings::default() };
        let builder = plane(size, 10.0, slope, solver).settings(settings);
        let builder = builder.edge("river", EdgePlace::Side(Side::West), river);
        let mut world = builder.build().expect("a good world");
        let into = |world: &World| {
            let accounts = world.water().ledger().accounts().iter();
            accounts.filter(|account| account.name == "river").map(|account| account.into).sum()
        };
        let (mut before, mut copies): (i128, Vec<World>) = (0, Vec::new());
        while world.time() < SimTime::from_seconds(60.0) {
            for world in copies.iter_mut().chain([&mut world]) {
                world.run_cycle(SimTime::from_seconds(60.0));
            }
            let now = into(&world);
            assert!(now >= before, "{solver:?}: {now} after {before} at {:?}", world.time());
            before = now;
            assert_eq!(violations(&world), Vec::<String>::new(), "{solver:?}");
            if world.time().seconds() > 10.0 * (copies.len() + 1) as f64 {
                copies.push(reloaded(&world, Vec::new()));
            }
            for copy in &copies {
                assert_eq!(copy.state_hash(), world.state_hash(), "{solver:?}, reopened");
            }
        }
        assert!(copies.len() >= 3);
        let ratio = before as f64 * world.water().unit_m3() / (32.0025 * m3_s);
        assert!((ratio - 1.0).abs() < 0.01, "{solver:?}: {ratio} of what the table says");
    }
}

/// Goal: an impossible inflow is refused with the remedy.
#[test]
fn rivers_that_cannot_be_are_refused() {
    let cases = [
        (EdgePlace::NoData, Entry::Normal, 5.0, "no cells"),
        (EdgePlace::Side(Side::West), Entry::Slope(0.0), 5.0, "0.0001 to 1"),
        (EdgePlace::Side(Side::West), Entry::Slope(f64::NAN), 5.0, "0.0001 to 1"),
        (EdgePlace::Side(Side::West), Entry::Depth(-1.0), 5.0, "above 0"),
        (EdgePlace::Side(Side::West), Entry::Normal, -5.0, "negative"),
    ];
    for (place, entry, discharge, words) in cases {
        let river = EdgeKind::Inflow { discharge: vec![(0.0, discharge)], entry };
        let builder = plane((70, 20), 1.0, 0.01, Solver::Pipe).edge("river", place, river);
        let said = builder.build().expect_err(words).to_string();
        assert!(said.contains(words), "{said}");
    }
}
