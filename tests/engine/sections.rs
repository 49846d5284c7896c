//! Sections against the volumes on both sides of them, and against the ledger.

use crate::adaptive::jump;
use crate::levels::{hilly, hilly_sub_grid, random_mix};
use crate::support::{fractal, in_memory, noise, scale, shrunk, terrain};
use std::collections::BTreeSet;
use thalweg::structure::Barrier;
use thalweg::terrain::Shape;
use thalweg::units::{SimTime, Volume};
use thalweg::world::{
    Action, AdaptiveOptions, Amount, ColumnKind, Culvert, EdgeKind, EdgePlace, SectionLine, World,
    WorldBuilder,
};
use thalweg_engine::grid::Side;
use thalweg_engine::grid::cells::{CellPlace, column_row};
use thalweg_engine::sim::{Order, Settings, Solver};

/// Volume in the cells whose centres lie to the left of the line from one point to another, m, with
/// what is under way to them from finer leaves, and with what leaves whose middle lies there carry.
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
        let half = thalweg_engine::grid::TILE_CELLS / 2 + thalweg_engine::grid::TILE_WIDTH / 2;
        let carried = Volume::from(simulation.leaves().own[leaf].carry.water);
        sum += if is_left(half) { carried } else { 0 };
        let Some(interfaces) = &simulation.leaves().interfaces[leaf] else { continue };
        for (side, register) in Side::ALL.into_iter().zip(&interfaces.registers) {
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

/// Columns and rows of the valley, and the width of its cells, m.
const VALLEY: [usize; 2] = [1024, 512];
const CELL_M: f64 = 2.0;
/// The line through the valley from the south to the north: the east is to its right. It lies on
/// edges of the coarsest leaves, which no change of levels moves.
const MIDDLE: [[f64; 2]; 2] = [[1024.0, 0.0], [1024.0, 1024.0]];
/// Account of the inflow to the left of the line; all others are to its right.
const WEST_SPRING: &str = "west spring";

/// Leaves of a valley.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Leaves {
    Finest,
    Mixed,
    Changing,
}

/// A valley with an inflow on both sides of the line and an open edge in the east, a hole of
/// `NoData` and a wall that crosses the line, over which the water of the west breaks.
fn valley(solver: Solver, leaves: Leaves, columns: ColumnKind) -> World {
    let [width, height] = match leaves {
        Leaves::Finest => [640, 128],
        Leaves::Mixed | Leaves::Changing => VALLEY,
    };
    let ground = terrain(width, height, CELL_M, scale(20, 0.0), |x, y| {
        let is_hole = (500..530).contains(&x) && y < 8;
        let bed = 8.0 * fractal(5, x as f64 * 0.5, y as f64 * 0.5) - 0.01 * x as f64;
        if is_hole { f64::NAN } else { bed }
    });
    let place = |x| [CellPlace { x, y: 100 }];
    let builder = WorldBuilder::new(ground)
        .settings(Settings { solver, ..Settings::default() })
        .columns(columns)
        .edge("east", EdgePlace::Side(Side::East), EdgeKind::Open)
        .initial_depth(|place| if place.x < 515 { 4.0 } else { 0.5 })
        .inflow(WEST_SPRING, &[(0.0, 30.0)], &place(400))
        .and_then(|builder| builder.inflow("east spring", &[(0.0, 20.0)], &place(600)))
        .expect("good inflows");
    let builder = match leaves {
        Leaves::Finest => builder,
        Leaves::Mixed => builder.leaves(random_mix(6, 4, 2, 2)),
        Leaves::Changing => builder.adaptive(AdaptiveOptions {
            coarsest: 3,
            budget_cells: 1 << 20,
            interval_cycles: 1,
            min_age_cycles: 2,
            ahead_cycles: 0,
            leaves_a_cycle: 12,
            criteria: Vec::new(),
        }),
    };
    let mut world = builder.build().expect("a good world");
    let wall = Barrier::wall("wall", [[1000.0, 20.0], [1050.0, 230.0]], 2.0);
    world.structures_mut().put_barrier(wall).expect("a good wall");
    world
}

/// A valley, its section, and what is expected to the right of it.
struct Books {
    world: World,
    /// Water to the right when the section was put, less what accounts had brought by then.
    base: Volume,
    what: String,
}

impl Books {
    fn new(mut world: World, what: String) -> Self {
        let name = "middle".to_owned();
        world.put_section(SectionLine { name, points_m: line(&world) }).expect("a good line");
        let base = right_of(&world) - brought(&world);
        Self { world, base, what }
    }

    /// Initial water, sources and what passed the section, less what left, is what is there.
    fn check(&self, when: &str) {
        let net = self.world.section("middle").expect("it was put").net();
        let expected = self.base + brought(&self.world) + net;
        assert_eq!(right_of(&self.world), expected, "{}: {when}", self.what);
    }

    fn cycle(&mut self, when: &str) {
        self.world.run_cycle(SimTime::MAX);
        self.check(when);
    }
}

fn line(world: &World) -> Vec<[f64; 2]> {
    let north = world.size().1 as f64 * CELL_M;
    MIDDLE.map(|[x, y]| [x, y.min(north)]).to_vec()
}

/// Volume to the right of the line; with that to its left it is all water.
fn right_of(world: &World) -> Volume {
    world.water().stored() - left_of(world, MIDDLE)
}

/// Returns what the accounts to the right of the line have brought, less what they took out.
fn brought(world: &World) -> Volume {
    let accounts = world.water().ledger().accounts().iter();
    let right = accounts.filter(|account| account.name != WEST_SPRING);
    right.map(|account| account.into - account.out).sum()
}

/// Goal: beyond a line from edge to edge, the water is that of the beginning, with sources and what
/// passed the section, less what left over edges: to the unit, after every cycle. Method: a valley
/// with sources on both sides, a wall across the line, an action and its undo, a save and a load.
#[test]
fn a_section_agrees_with_the_ledger() {
    let all = [Leaves::Finest, Leaves::Mixed, Leaves::Changing];
    let kinds = [ColumnKind::Flat, ColumnKind::SubGrid];
    let cases = all.into_iter().flat_map(|leaves| kinds.map(|columns| (leaves, columns)));
    let cases = cases.filter(|case| *case != (Leaves::Finest, ColumnKind::SubGrid));
    for (number, (leaves, columns)) in cases.enumerate() {
        // In a quick run each case has one solver, in turn.
        let solvers = [Solver::ShallowWater, Solver::Pipe].into_iter().cycle().skip(number % 2);
        let count = if crate::QUICK { 1 } else { 2 };
        solvers.take(count).for_each(|solver| agree(solver, leaves, columns));
    }
}

fn agree(solver: Solver, leaves: Leaves, columns: ColumnKind) {
    let what = format!("{solver:?}, {leaves:?}, {columns:?}");
    let mut books = Books::new(valley(solver, leaves, columns), what);
    let mut levels = BTreeSet::new();
    for cycle in 0..shrunk(40, 12) {
        if leaves == Leaves::Changing && cycle % 4 == 0 {
            jump(&mut books.world, 3, cycle);
        }
        books.cycle(&format!("cycle {cycle}"));
        levels.insert(books.world.simulation().forest().leaves().to_vec());
    }
    assert_eq!(levels.len() > 1, leaves == Leaves::Changing, "{}", books.what);

    let area = Shape::Disc { centre_m: [1180.0, 120.0], radius_m: 30.0, rim_m: 5.0 };
    let amount = Amount::VolumeM3(2000.0);
    let done = books.world.edits().act(Action::AddWater { area, amount }).expect("good");
    books.check("after an action");
    books.cycle("a cycle after an action");
    books.world.edits().undo(done.undo).expect("it can be undone");
    books.check("after an undo");
    books.cycle("a cycle after an undo");

    let net = books.world.section("middle").expect("it was put").net();
    assert!(net > 0, "{}: {net}", books.what);
    let mut file = in_memory(&books.world);
    file.save(&books.world).expect("saved");
    let loaded = file.load(Vec::new()).expect("a world");
    assert_eq!(loaded.sections().len(), 0, "no file has sections");
    books.check("after a save");
    let mut loaded = Books::new(loaded, format!("{}, loaded", books.what));
    assert_eq!(loaded.world.section("middle").map(|read| read.net()), Some(0));
    for cycle in 0..4 {
        loaded.cycle(&format!("cycle {cycle}"));
    }
    let out = loaded.world.water().ledger().accounts().iter().find(|own| own.name == "east");
    assert!(out.is_some_and(|east| east.out > 0), "{}: water leaves", loaded.what);
}

/// Goal: no cell alone decides the level of a section: not a dry or a full pit in a flood, nor a
/// deep pit beside it; a lake has its own level, to the bit, and dry ground none.
#[test]
fn one_cell_decides_no_level() {
    let line = vec![[100.0, 0.0], [100.0, 100.0]];
    let is_pit = |place: CellPlace| (place.x, place.y) == (20, 9);
    let level = |bed: &dyn Fn(CellPlace) -> f64, stage: &dyn Fn(CellPlace) -> f64| {
        let places: Vec<CellPlace> =
            (0..20).flat_map(|y| (0..40).map(move |x| CellPlace { x, y })).collect();
        let ground = terrain(40, 20, 5.0, scale(20, 0.0), |x, y| bed(places[40 * y + x]));
        let depths: Vec<f64> = places.iter().map(|&at| (stage(at) - bed(at)).max(0.0)).collect();
        let depth = move |at: CellPlace| depths[(40 * at.y + at.x) as usize];
        let mut world = WorldBuilder::new(ground).initial_depth(depth).build().expect("a world");
        let points_m = line.clone();
        world.put_section(SectionLine { name: "a".into(), points_m }).expect("a good line");
        world.section("a").expect("it was put").stage_m
    };
    let pit = |place: CellPlace| if is_pit(place) { -8.0 } else { 1.0 };
    assert_eq!(level(&pit, &|_| 1.5), Some(1.5), "a lake");
    assert_eq!(level(&pit, &|_| 0.5), None, "a pool in a pit");
    assert_eq!(level(&pit, &|_| -9.0), None, "dry ground");
    for (own, what) in [(-8.0, "a dry pit"), (0.5, "a pool in the pit"), (1.5, "a full pit")] {
        let read = level(&pit, &|place| if is_pit(place) { own } else { 1.5 });
        assert_eq!(read, Some(1.5), "{what}");
    }
    // A spring that stands a metre above the flood in one cell of twenty.
    let read = level(&|_| 1.0, &|place| if is_pit(place) { 2.5 } else { 1.5 });
    let share = 1.5_f64.powf(1.5) / (1.5_f64.powf(1.5) + 19.0 * 0.5_f64.powf(1.5));
    assert!(read.is_some_and(|read| (read - 1.5 - share).abs() < 1.0e-3), "{read:?}");
    // A channel of three cells below slopes with a film of 1 mm.
    let valley = |place: CellPlace| match place.y.abs_diff(10) {
        0 | 1 => 0.0,
        away => f64::from(away),
    };
    let read = level(&valley, &|place| (valley(place) + 1.0e-3).max(0.9));
    assert!(read.is_some_and(|read| (read - 0.9).abs() < 0.01), "{read:?}");
}

/// Goal: water in a culvert passes below a section uncounted, as the docs say, and is all that the
/// ground beyond it gains. Method: a wall on the line that no water overtops, a pipe through it.
#[test]
fn a_culvert_passes_below_a_section() {
    for solver in [Solver::Pipe, Solver::ShallowWater] {
        let deep = |place: CellPlace| if place.x < 20 { 2.0 } else { 0.0 };
        let mut world = WorldBuilder::new(terrain(40, 20, 5.0, scale(20, 0.0), |_, _| 0.0))
            .settings(Settings { solver, ..Settings::default() })
            .initial_depth(deep)
            .build()
            .expect("a good world");
        let line = [[100.0, 0.0], [100.0, 100.0]];
        let wall = Barrier::wall("wall", line, 5.0);
        world.structures_mut().put_barrier(wall).expect("a good wall");
        let (name, from, to) = ("pipe".to_owned(), [82.0, 52.0], [118.0, 52.0]);
        let pipe = Culvert { name, from, to, ..Culvert::default() };
        world.structures_mut().put_link(pipe).expect("a good pipe");
        let points_m = line.to_vec();
        world.put_section(SectionLine { name: "wall".into(), points_m }).expect("a good line");
        let left = left_of(&world, line);
        world.run_until(SimTime::from_seconds(60.0));
        let gained = left - left_of(&world, line);
        let read = world.section("wall").expect("it was put");
        assert!(gained > 0 && read.to_right == 0 && read.to_left == 0, "{solver:?}: {read:?}");
        // The level is the higher one of both sides.
        assert!(read.stage_m.is_some_and(|stage| stage > 1.0), "{solver:?}: {read:?}");
    }
}
