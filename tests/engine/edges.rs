//! Open edges: over which of them rivers leave, seas beyond them, and edits of their ground while
//! the world runs.

use crate::support::{in_memory, scale, terrain};
use thalweg::check::violations;
use thalweg::terrain::{Edit, Shape};
use thalweg::units::SimTime;
use thalweg::world::{
    Action, ColumnKind, Discharge, EdgeKind, EdgePlace, Inflow, InflowPlace, MapKinds, Stage,
    World, WorldBuilder,
};
use thalweg_engine::grid::cells::CellPlace;
use thalweg_engine::grid::{LeafId, Side, TileKey};
use thalweg_engine::sim::ledger::Account;
use thalweg_engine::sim::{Settings, Solver};

const CELL_M: f64 = 2.0;
/// Columns and rows; the hollow is in the third of the finest leaves.
const SIZE: (usize, usize) = if crate::QUICK { (192, 128) } else { (320, 192) };

/// Columns and rows of a coast, and their width.
const COAST: (usize, usize) = (96, 48);
const COAST_M: f64 = 10.0;

/// A pond at rest behind an edge towards which the ground rises.
fn pond(columns: ColumnKind, level: u8) -> World {
    let bed = |_, y: usize| 2.0 - 0.0021 * CELL_M * y as f64;
    let ground = terrain(SIZE.0, SIZE.1, CELL_M, scale(20, 0.0), bed);
    WorldBuilder::new(ground)
        .level(level)
        .columns(columns)
        .edge("south", EdgePlace::Side(Side::South), EdgeKind::Open)
        .initial_stage(|_| 2.5)
        .build()
        .expect("a good world")
}

/// Goal: an edit that opens an edge wakes the leaves whose ground it did not touch, too, and a save
/// between two cycles has them. Method: a hollow that falls towards the edge, two leaves away from
/// the west; the world is saved, loaded and runs on.
#[test]
fn an_edit_opens_an_edge_beyond_its_leaves() {
    for (columns, level) in [(ColumnKind::Flat, 0), (ColumnKind::SubGrid, 1)] {
        let mut world = pond(columns, level);
        let mut file = in_memory(&world);
        while world.run_cycle(SimTime::MAX).awake > 0 {
            assert!(world.time() < SimTime::from_seconds(600.0), "still water sleeps");
        }
        assert_eq!(world.water().ledger().expected(), world.water().stored());
        let before = world.water().stored();
        file.save(&world).expect("saved");
        let key = TileKey { level, x: 0, y: 0 };
        let west: LeafId = world.simulation().forest().find(key).expect("a leaf");
        // A pit alone is no valley: the line inward from it rises as before.
        let shape = Shape::Disc { centre_m: [320.0, 0.0], radius_m: 60.0, rim_m: 60.0 };
        world.edits().edit(&Edit::Lower { shape, by_m: 4.0 }).expect("a hollow");
        file.save(&world).expect("saved");
        let mut copy = file.load(Vec::new()).expect("a world");
        assert_eq!(copy.state_hash(), world.state_hash(), "{columns:?}");
        world.run_cycle(SimTime::MAX);
        assert!(!world.simulation().asleep()[west.index()], "{columns:?}: it sleeps");
        copy.run_cycle(SimTime::MAX);
        for _ in 0..20 {
            world.run_cycle(SimTime::MAX);
            copy.run_cycle(SimTime::MAX);
        }
        assert_eq!(copy.state_hash(), world.state_hash(), "{columns:?}: 20 cycles on");
        assert!(world.water().stored() < before, "{columns:?}: water leaves");
    }
}

/// Cells of a coast without data.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Gaps {
    None,
    /// The first columns.
    InTheSea,
    /// Rows in the north and south, in steps of eight columns: the land is a strip that widens and
    /// narrows.
    Sides,
}

impl Gaps {
    fn are_at(self, x: usize, y: usize) -> bool {
        let rows = 2 + x / 8 % 3;
        match self {
            Self::None => false,
            Self::InTheSea => x < 24,
            Self::Sides => !(rows..COAST.1 - rows).contains(&y),
        }
    }
}

/// A coast that rises from 6 m below its sea, in the west, to 4 m above it, in a tide of ±1 m that
/// takes two hours; the north and south are of that kind.
fn coast(
    sides: &EdgeKind,
    solver: Solver,
    ((columns, level), gaps): ((ColumnKind, u8), Gaps),
) -> World {
    let bed = |x: usize, y: usize| match gaps.are_at(x, y) {
        true => f64::NAN,
        false => -6.0 + 10.0 * (x as f64 + 0.5) / COAST.0 as f64,
    };
    let [place, beside] = match gaps {
        Gaps::InTheSea => [EdgePlace::NoData, EdgePlace::Side(Side::West)],
        Gaps::None | Gaps::Sides => [EdgePlace::Side(Side::West), EdgePlace::NoData],
    };
    let turn = |n: u32| std::f64::consts::TAU * f64::from(n) / 24.0;
    let tide = (0..24).map(|n| (300.0 * f64::from(n), -turn(n).cos())).collect();
    let mut builder = WorldBuilder::new(terrain(COAST.0, COAST.1, COAST_M, scale(20, 0.0), bed))
        .settings(Settings { solver, ..Settings::default() })
        .level(level)
        .columns(columns)
        .edges(EdgeKind::Wall)
        .edge("beside", beside, sides.clone())
        .edge("sea", place, EdgeKind::Stage(tide))
        .initial_stage(|_| -1.0);
    for side in [Side::South, Side::North] {
        builder = builder.edge(side.name(), EdgePlace::Side(side), sides.clone());
    }
    builder.build().expect("a good world")
}

/// Volume that came in over an edge in two hours, m³.
fn came_m3(world: &mut World, name: &str) -> f64 {
    world.run_until(SimTime::from_seconds(7200.0));
    let unit_m3 = world.water().unit_m3();
    assert_eq!(world.water().stored(), world.water().ledger().expected());
    account_of(world, name).expect("its account").into as f64 * unit_m3
}

fn account_of<'a>(world: &'a World, name: &str) -> Option<&'a Account> {
    world.water().ledger().accounts().iter().find(|account| account.name == name)
}

/// Goal: a tide brings through a coast with open sides what it brings between walls, as the sea
/// goes on beyond them, also if the sea, or what is beyond the sides, has no data. Method: two
/// hours of tide, both solvers, flat and sub-grid; and the same with trenches across both sides
/// near the stage edge, dug while the world runs, beyond which no sea is known.
#[test]
fn a_tide_pumps_nothing_through_open_sides() {
    let [finest, flat, sub_grid] =
        [(ColumnKind::Flat, 0), (ColumnKind::Flat, 1), (ColumnKind::SubGrid, 1)];
    let cases = [
        (Solver::Pipe, flat, Gaps::Sides),
        (Solver::ShallowWater, sub_grid, Gaps::InTheSea),
        (Solver::Pipe, finest, Gaps::None),
    ];
    for &(solver, kind, gaps) in &cases[..if crate::QUICK { 2 } else { 3 }] {
        let walled = came_m3(&mut coast(&EdgeKind::Wall, solver, (kind, gaps)), "sea");
        let mut open = coast(&EdgeKind::Open, solver, (kind, gaps));
        let came = came_m3(&mut open, "sea");
        let what = format!("{solver:?}, {kind:?}, gaps {gaps:?}: {came} for {walled} m³");
        assert!(walled > 5.0e4 && came > 0.95 * walled && came < 1.1 * walled, "{what}");
        for side in ["south", "north", "beside"] {
            let into = account_of(&open, side).map_or(0, |account| account.into);
            let into_m3 = into as f64 * open.water().unit_m3();
            assert!(into_m3 < 1.0e-3 * walled, "{what}, {into_m3} m³ in over {side}");
        }
        if gaps != Gaps::InTheSea {
            let mut dug = coast(&EdgeKind::Open, solver, (kind, gaps));
            dig_trenches(&mut dug, gaps);
            let came_dug = came_m3(&mut dug, "sea");
            assert!(came_dug > 2.0 * walled, "{what}, {came_dug} m³ beyond trenches");
        }
    }
}

/// Digs a trench across each side of the coast, 80 m from its sea.
fn dig_trenches(world: &mut World, gaps: Gaps) {
    let rows = (0..COAST.1).filter(|&y| !gaps.are_at(8, y));
    let (first, last) = (rows.clone().min().expect("ground"), rows.max().expect("ground"));
    for y_m in [first, last + 1].map(|row| COAST_M * row as f64) {
        let shape = Shape::Disc { centre_m: [80.0, y_m], radius_m: 30.0, rim_m: 1.0 };
        world.edits().edit(&Edit::Lower { shape, by_m: 12.0 }).expect("a trench");
    }
}

/// Goal: an edge that a higher stage makes a sea's has its sea beyond open sides at once. Method: a
/// coast whose stage is below its bed and rises over it while the world runs; undone, done again.
#[test]
fn a_stage_that_rises_over_the_coast_is_a_sea() {
    let mut worlds = [EdgeKind::Wall, EdgeKind::Open].map(|sides| {
        let bed = |x: usize, _| -6.0 + 0.1 * x as f64;
        WorldBuilder::new(terrain(COAST.0, COAST.1, COAST_M, scale(20, 0.0), bed))
            .edges(sides)
            .edge("sea", EdgePlace::Side(Side::West), EdgeKind::Stage(vec![(0.0, -7.0)]))
            .build()
            .expect("a good world")
    });
    let [walled, open] = worlds.each_mut().map(|world| {
        world.run_until(SimTime::from_seconds(60.0));
        let before = world.state_hash();
        // Slowly: a jump starts waves, which come in again and again.
        let stage = Stage::Series(vec![(0.0, -7.0), (5400.0, 0.0)]);
        let rises = Action::ChangeStage { edge: "sea".to_owned(), stage };
        let risen = world.edits().act(rises.clone()).expect("a stage");
        assert_eq!(violations(world), Vec::<String>::new());
        world.edits().undo(risen.undo).expect("undone");
        assert_eq!(violations(world), Vec::<String>::new());
        assert_eq!(world.state_hash(), before);
        world.edits().act(rises).expect("a stage");
        // Half way to the cells inland that tell a sea, far from the rim.
        let shape = Shape::Disc { centre_m: [245.0, 205.0], radius_m: 4.0, rim_m: 0.0 };
        world.edits().edit(&Edit::Lower { shape, by_m: 0.5 }).expect("a pit");
        assert_eq!(violations(world), Vec::<String>::new());
        came_m3(world, "sea")
    });
    assert!(walled > 5.0e4 && open > 0.9 * walled && open < 1.1 * walled, "{open}, {walled} m³");
}

/// Goal: a stage at the upstream edge of a river, or beside cells without data there, does not
/// close its open outlet. Method: a plain that falls by 1 in 1000, between walls and with open
/// sides, an hour.
#[test]
fn a_stage_upstream_dams_no_outlet() {
    for (sides, bare) in
        [(EdgeKind::Wall, 0), (EdgeKind::Open, 0), (EdgeKind::Wall, 1), (EdgeKind::Open, 1)]
    {
        let bed = |x: usize, _| if x < bare { f64::NAN } else { 10.0 - 0.01 * x as f64 };
        let place = if bare > 0 { EdgePlace::NoData } else { EdgePlace::Side(Side::West) };
        let mut world = WorldBuilder::new(terrain(100, 20, COAST_M, scale(20, 0.0), bed))
            .edges(sides.clone())
            .edge("river", place, EdgeKind::Stage(vec![(0.0, 12.0)]))
            .edge("outlet", EdgePlace::Side(Side::East), EdgeKind::Open)
            .build()
            .expect("a good world");
        world.run_until(SimTime::from_seconds(3600.0));
        let came = -left(&world, "river") as f64;
        let part = 1.0 - world.water().stored() as f64 / came;
        assert!(came > 0.0 && part > 0.5, "{sides:?}, {bare}: {part} of what came in left");
        assert!(left(&world, "outlet") > 0, "{sides:?}, {bare}");
    }
}

/// Volume that left over edges whose names end so, vertical units.
fn left(world: &World, name: &str) -> i128 {
    let accounts = world.water().ledger().accounts().iter();
    let accounts = accounts.filter(|account| account.name.ends_with(name));
    accounts.map(|account| account.out - account.into).sum()
}

/// Goal: with open edges a river leaves downhill alone, also where it comes in beside one. Method:
/// a channel of three cells across the map at 30°; water enters in its third row from the north.
#[test]
fn a_river_leaves_downhill_alone() {
    let (width, height) = (192, 128);
    let lean = 0.5774;
    let away = move |x: usize, y: usize| (x as f64 - 60.0 - lean * y as f64) * 0.866;
    let bed = move |x: usize, y: usize| {
        let bank = if away(x, y).abs() <= 1.5 { 0.0 } else { 3.0 };
        0.001 * CELL_M * (0.866 * y as f64 + 0.5 * x as f64) + bank
    };
    let row = height - 3;
    let sources: Vec<CellPlace> = (0..width)
        .filter(|&x| away(x, row).abs() <= 1.5)
        .map(|x| CellPlace { x: u32::try_from(x).expect("small"), y: 125 })
        .collect();
    for solver in [Solver::Pipe, Solver::ShallowWater] {
        let ground = terrain(width, height, CELL_M, scale(20, 0.0), bed);
        let mut world = WorldBuilder::new(ground)
            .settings(Settings { solver, ..Settings::default() })
            .edges(EdgeKind::Open)
            .inflow("river", &[(0.0, 4.0)], &sources)
            .expect("good")
            .build()
            .expect("a good world");
        while world.time() < SimTime::from_seconds(900.0) {
            world.run_cycle(SimTime::from_seconds(900.0));
        }
        let ledger = world.water().ledger();
        assert_eq!(ledger.expected(), world.water().stored());
        assert!(left(&world, " south") > 0, "{solver:?}: it arrives at its outlet");
        for side in [" north", " east", " west"] {
            assert_eq!(left(&world, side), 0, "{solver:?}: left over the edge{side}");
        }
    }
}

/// Goal: walls along cells without data hold on wide cells that reach the frame of the map, and
/// water leaves over a side only if the lowest ground reaches it. Method: a basin whose ground ends
/// a row before a side but for some cells, which lie higher than its water, as high as the basin,
/// or lower in a narrow mouth; a map that whole wide cells cover, and one of a row more.
#[test]
fn wide_cells_whose_ground_ends_before_the_frame_have_walls() {
    for (solver, level) in
        [Solver::Pipe, Solver::ShallowWater].into_iter().flat_map(|s| [0, 1, 2].map(|l| (s, l)))
    {
        let toes = [(2.0, 8, false), (0.0, 8, true), (-0.5, 3, true)];
        let sides = [(Side::South, 64), (Side::North, 64), (Side::North, 65)];
        for ((toe_m, width, leaves), (side, height)) in
            toes.into_iter().flat_map(|toe| sides.map(|side| (toe, side)))
        {
            let from_side = move |y: usize| if side == Side::South { y } else { height - 1 - y };
            let bed = |x: usize, y: usize| match ((40..40 + width).contains(&x), from_side(y)) {
                (true, 0..4) => toe_m,
                (false, 0) => f64::NAN,
                _ => 0.0,
            };
            let mut world = WorldBuilder::new(terrain(128, height, CELL_M, scale(20, 0.0), bed))
                .settings(Settings { solver, ..Settings::default() })
                .level(level)
                .columns(ColumnKind::SubGrid)
                .edges(EdgeKind::Wall)
                .edge("outlet", EdgePlace::Side(side), EdgeKind::Open)
                .initial_depth(move |place| match from_side((place.y << level) as usize) > 8 {
                    true => 1.0,
                    false => 0.0,
                })
                .build()
                .expect("a good world");
            world.run_until(SimTime::from_seconds(60.0));
            let case = format!("{solver:?}, level {level}, {toe_m} m, {side:?} of {height}");
            assert_eq!(left(&world, "outlet") > 0, leaves, "{case}");
        }
    }
}

/// Goal: maps show water that comes in over an edge as fast on wide cells as on the map's, about.
/// Method: a flood tide of 1.5 m in half an hour over a rough beach, with creeks narrower than the
/// wide cells.
#[test]
fn water_that_comes_in_is_as_fast_on_wide_cells() {
    let bed = |x: usize, y: usize| {
        let creek = if x % 16 < 3 { -0.6 } else { 0.0 };
        0.02 * y as f64 + creek + 0.1 * ((7 * x + 3 * y) % 5) as f64
    };
    let tide = vec![(0.0, 0.0), (1800.0, 1.5)];
    for solver in [Solver::Pipe, Solver::ShallowWater] {
        let fastest = [0, 1, 2, 3].map(|level| {
            let mut world = WorldBuilder::new(terrain(128, 96, CELL_M, scale(20, 0.0), bed))
                .settings(Settings { solver, ..Settings::default() })
                .level(level)
                .columns(ColumnKind::SubGrid)
                .maps(MapKinds::ALL)
                .edge("sea", EdgePlace::Side(Side::South), EdgeKind::Stage(tide.clone()))
                .build()
                .expect("a good world");
            world.run_until(SimTime::from_seconds(1200.0));
            let [width, height] = [128, 96].map(|cells: u32| cells >> level);
            let places = (0..height).flat_map(|y| (0..width).map(move |x| CellPlace { x, y }));
            let speed = |place| {
                let (maps, cell) = world.maps().at(place).expect("a cell");
                maps.speed_max().expect("kept")[cell]
            };
            places.map(speed).fold(0.0, f32::max)
        });
        let is_alike = |speed: &f32| (0.1..3.0 * fastest[0]).contains(speed);
        assert!(fastest[0] < 3.0 && fastest.iter().all(is_alike), "{solver:?}: {fastest:?}");
    }
}

/// Goal: NoData that the ground encloses has an edge of its own, on cells of each width, and other
/// NoData keeps its. Method: a slope with a house, whose courtyard is ground, and a corner without
/// data that reaches the frame; water leaves where an edge is open.
#[test]
fn holes_have_an_edge_of_their_own() {
    let is_in = |x: usize, y: usize, low: usize, width: usize| {
        (low..low + width).contains(&x) && (low..low + width).contains(&y)
    };
    let bed = |x: usize, y: usize| match x + y < 20 || is_in(x, y, 32, 24) && !is_in(x, y, 40, 8) {
        true => f64::NAN,
        false => 0.02 * (x + y) as f64,
    };
    for (solver, level) in
        [Solver::Pipe, Solver::ShallowWater].into_iter().flat_map(|s| [0, 1, 2].map(|l| (s, l)))
    {
        for is_open in [[false, false], [false, true], [true, false], [true, true]] {
            let kind = |is_open| if is_open { EdgeKind::Open } else { EdgeKind::Wall };
            let mut world = WorldBuilder::new(terrain(96, 96, CELL_M, scale(20, 0.0), bed))
                .settings(Settings { solver, ..Settings::default() })
                .level(level)
                .columns(ColumnKind::SubGrid)
                .edge("rim", EdgePlace::NoData, kind(is_open[0]))
                .edge("house", EdgePlace::Holes, kind(is_open[1]))
                .initial_depth(|_| 0.5)
                .build()
                .expect("a good world");
            let count = world.water().holes();
            assert_eq!((count.holes, count.cells), (1, 24 * 24 - 8 * 8));
            world.run_until(SimTime::from_seconds(60.0));
            let left = ["rim", "house"].map(|name| left(&world, name) > 0);
            assert_eq!(left, is_open, "{solver:?}, level {level}");
            // Water in the courtyard leaves over the house alone.
            let yard = CellPlace { x: 43 >> level, y: 43 >> level };
            let depth_m = world.water().depth_m(yard).expect("ground");
            assert_eq!(depth_m < 0.4, is_open[1], "{solver:?}, level {level}: {depth_m}");
        }
    }
}

/// Goal: where the ground does not say which way a river flows, an inflow at an edge does, whether
/// it is there from the start, is put later or is taken back. Method: a level channel between
/// banks, with an inflow three cells from its north end; its undo has the hash before it.
#[test]
fn an_inflow_at_the_end_of_a_level_channel_comes_in() {
    let (width, height) = (64, 128);
    let bed = |x: usize, _| if (24..40).contains(&x) { 0.0 } else { 3.0 };
    let cells: Vec<CellPlace> = (24..40).map(|x| CellPlace { x, y: 124 }).collect();
    let inflow = Inflow {
        name: "river".into(),
        place: InflowPlace::Area(Shape::Rectangle { low_m: [48.0, 248.0], high_m: [80.0, 252.0] }),
        discharge: Discharge::Constant(20.0),
        tracers: Vec::new(),
    };
    for (solver, level) in [(Solver::Pipe, 0), (Solver::ShallowWater, 0), (Solver::ShallowWater, 1)]
    {
        let builder = || {
            WorldBuilder::new(terrain(width, height, CELL_M, scale(20, 0.0), bed))
                .level(level)
                .settings(Settings { solver, ..Settings::default() })
                .edges(EdgeKind::Open)
        };
        let run = |world: &mut World| {
            world.run_until(SimTime::from_seconds(300.0));
            assert!(left(world, " south") > 0, "{solver:?}, {level}: it arrives");
            left(world, " north")
        };
        let mut later = builder().build().expect("a good world");
        let before = later.state_hash();
        let put = later.edits().act(Action::PutInflow(inflow.clone())).expect("put");
        let with_river = later.state_hash();
        assert_eq!(violations(&later), Vec::<String>::new());
        later.edits().undo(put.undo).expect("undone");
        assert_eq!(violations(&later), Vec::<String>::new());
        assert_eq!(later.state_hash(), before);
        later.edits().act(Action::PutInflow(inflow.clone())).expect("put again");
        assert_eq!(later.state_hash(), with_river);
        assert_eq!(run(&mut later), 0, "{solver:?}, {level}: put later");
        if level == 0 {
            let discharge = [(0.0, 20.0)];
            let world = builder().inflow("river", &discharge, &cells).expect("good").build();
            assert_eq!(run(&mut world.expect("a good world")), 0, "{solver:?}: from the start");
        }
    }
}

/// Goal: an inflow shuts no edge to which its channel falls, nor one of a plain. Method: the same
/// inflow three cells from the north end of a channel that falls to the north by 0.002, and of
/// level ground without banks: its water leaves there.
#[test]
fn an_inflow_before_an_outlet_shuts_nothing() {
    let cells: Vec<CellPlace> = (24..40).map(|x| CellPlace { x, y: 124 }).collect();
    for (bank_m, fall) in [(3.0, 0.002), (0.0, 0.0)] {
        let bed = |x: usize, y: usize| {
            let bank_m = if (24..40).contains(&x) { 0.0 } else { bank_m };
            bank_m - fall * CELL_M * y as f64
        };
        let mut world = WorldBuilder::new(terrain(64, 128, CELL_M, scale(20, 0.0), bed))
            .edges(EdgeKind::Open)
            .inflow("river", &[(0.0, 20.0)], &cells)
            .expect("good")
            .build()
            .expect("a good world");
        world.run_until(SimTime::from_seconds(300.0));
        assert!(left(&world, " north") > 0, "banks of {bank_m} m, fall {fall}");
    }
}

/// Goal: an open edge of a sea whose floor rises gently towards it lets waves out. Method: a hump
/// of 30 cm on still water before it, and a wall behind: all of the hump leaves.
#[test]
fn waves_leave_over_a_floor_that_rises() {
    let (width, height) = (24, 160);
    let hump = |place: CellPlace| if (60..80).contains(&place.y) { 0.3 } else { 0.0 };
    for solver in [Solver::Pipe, Solver::ShallowWater] {
        let floor = |_, y: usize| -3.0 - 0.0005 * CELL_M * y as f64;
        let mut world = WorldBuilder::new(terrain(width, height, CELL_M, scale(20, 0.0), floor))
            .settings(Settings { solver, ..Settings::default() })
            .edge("south", EdgePlace::Side(Side::South), EdgeKind::Open)
            .initial_stage(hump)
            .build()
            .expect("a good world");
        world.run_until(SimTime::from_seconds(240.0));
        let part = left(&world, "south") as f64 / (0.3 * ((20 * width) << 20) as f64);
        assert!((part - 1.0).abs() < 0.05, "{solver:?}: {part} of the hump left");
    }
}

/// Goal: rain leaves a level plain over all its edges, over each as much. Method: half an hour of
/// 60 mm/h on a square.
#[test]
fn a_level_plain_drains_over_all_edges() {
    let width = 64;
    for solver in [Solver::Pipe, Solver::ShallowWater] {
        let ground = terrain(width, width, CELL_M, scale(20, 0.0), |_, _| 1.0);
        let mut world = WorldBuilder::new(ground)
            .settings(Settings { solver, ..Settings::default() })
            .edges(EdgeKind::Open)
            .rain("rain", &[(0.0, 60.0e-3 / 3600.0)])
            .and_then(WorldBuilder::build)
            .expect("a good world");
        world.run_until(SimTime::from_seconds(1800.0));
        let rain = 0.030 * ((width * width) << 20) as f64;
        let parts =
            [" west", " east", " south", " north"].map(|side| left(&world, side) as f64 / rain);
        let mean = parts.iter().sum::<f64>() / 4.0;
        assert!(mean > 0.1, "{solver:?}: {parts:?}");
        assert!(parts.iter().all(|part| (part / mean - 1.0).abs() < 0.02), "{solver:?}: {parts:?}");
    }
}
