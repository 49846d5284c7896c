//! Leaves of several levels on a card: the same state hash after every cycle.

use crate::support::{card_to_give_up, check, check_running, shrunk};
use std::cell::RefCell;
use std::collections::BTreeSet;
use thalweg::criteria::{Criterion, Observer, ObserverOptions, Scale};
use thalweg::prelude::*;
use thalweg::units::SimTime;
use thalweg::world::{
    AdaptiveOptions, ColumnKind, CycleReport, EdgeKind, EdgePlace, FixedStep, MapKinds, Order,
    Settings, Side, Solver,
};
use thalweg_engine::grid::TileKey;
use thalweg_engine::structure::weather::Direction;
use thalweg_engine::units::hash::scramble;

/// The pipe, and shallow water of both orders.
pub const METHODS: [(Solver, Order); 3] = [
    (Solver::Pipe, Order::Second),
    (Solver::ShallowWater, Order::First),
    (Solver::ShallowWater, Order::Second),
];

/// The methods of the longer tests: a quick run leaves out the one in the middle.
pub fn methods() -> impl Iterator<Item = (Solver, Order)> {
    METHODS.into_iter().filter(|(_, order)| cfg!(full_card) || *order == Order::Second)
}

/// Hills on a slope, in 256 × 256 cells: one coarse leaf in each quarter but for some, of four.
fn hills((solver, order): (Solver, Order), fine: [bool; 4]) -> WorldBuilder {
    let terrain = Terrain::from_heights([256, 256], 5.0, |x, y| {
        let (x, y) = (x as f64, y as f64);
        let hills = (0.11 * x).sin() * (0.07 * y).cos() + 0.3 * (0.31 * x + 0.17 * y).sin();
        40.0 + 0.02 * x + 3.0 * hills
    });
    let settings = Settings { solver, order, ..Settings::default() };
    let builder = WorldBuilder::new(terrain.expect("a good terrain")).settings(settings);
    builder.leaves(quarters(fine))
}

/// Quarters of 256 × 256 cells: each four fine leaves or a coarse one.
pub fn quarters(fine: [bool; 4]) -> Vec<TileKey> {
    let quarters = (0..4).map(|i| TileKey { level: 1, x: i % 2, y: i / 2 });
    let leaves = quarters.zip(fine).flat_map(|(key, is_fine)| match is_fine {
        true => (0..4).map(|child| key.child(child)).collect(),
        false => vec![key],
    });
    leaves.collect()
}

/// Goal: two levels side by side, the fine one on any side of the coarse one. Method: a lake that
/// breaks loose over the boundary between them.
#[track_caller]
fn check_two_levels(method: (Solver, Order), fine: [bool; 4]) {
    let world = || {
        let stage = |place: CellPlace| if place.x < 110 { 46.0 } else { f64::NAN };
        let builder = hills(method, fine).maps(MapKinds::NONE).initial_stage(stage);
        builder.build().expect("a good world")
    };
    check(world, shrunk(30));
}

/// Fine leaves to the east, to the west and south, in one quarter, and in two over against each
/// other.
pub const MIXES: [[bool; 4]; 4] = [
    [false, true, false, true],
    [true, true, true, false],
    [false, false, true, false],
    [true, false, false, true],
];

#[test]
fn two_levels_of_the_pipe_have_the_same_bits() {
    MIXES.into_iter().for_each(|fine| check_two_levels(METHODS[0], fine));
}

#[test]
fn two_levels_of_first_order_have_the_same_bits() {
    MIXES.into_iter().for_each(|fine| check_two_levels(METHODS[1], fine));
}

#[test]
fn two_levels_of_second_order_have_the_same_bits() {
    MIXES.into_iter().for_each(|fine| check_two_levels(METHODS[2], fine));
}

/// Goal: what fine leaves on two sides of one coarse cell may draw from it. Method: a hill at the
/// place where four quarters meet, one of them coarse; a pool on the cells of that one at the top,
/// some of which runs off into the quarter itself, in steps long enough to take all of it.
#[track_caller]
fn check_corner((solver, order): (Solver, Order), coarse: usize) {
    let mut fine = [true; 4];
    fine[coarse] = false;
    let is_coarse = move |place: CellPlace| {
        usize::from(place.x >= 128) + 2 * usize::from(place.y >= 128) == coarse
    };
    let far = |x: f64, y: f64| (x - 127.5).hypot(y - 127.5);
    let world = || {
        let terrain =
            Terrain::from_heights([256, 256], 5.0, |x, y| 50.0 - 0.1 * far(x as f64, y as f64));
        let is_pool = move |place: CellPlace| {
            is_coarse(place) && far(f64::from(place.x), f64::from(place.y)) < 9.0
        };
        let pool = move |place: CellPlace| if is_pool(place) { 0.3 } else { 0.0 };
        let away = |bit: usize| if coarse & bit == 0 { -0.1 } else { 0.1 };
        let velocity = (away(1), away(2));
        let settings = Settings { solver, order, ..Settings::default() };
        let builder = WorldBuilder::new(terrain.expect("a good terrain")).settings(settings);
        let builder = builder.leaves(quarters(fine)).initial_depth(pool);
        builder.initial_velocity(move |_| velocity).build().expect("a good world")
    };
    let long = FixedStep::try_new(48, 1).expect("a good length");
    check_running(world, 2, |_, world| world.run_cycle(long));
}

#[test]
fn corners_that_fine_leaves_draw_from_have_the_same_bits() {
    (0..4).for_each(|coarse| check_corner(METHODS[0], coarse));
}

/// Leaves of all levels from 0 to `coarsest` that cover 4 × 2 tiles of the coarsest, ever finer
/// around a place.
pub fn mix(coarsest: u8) -> Vec<TileKey> {
    let scaled = (1 << coarsest) / 4;
    let place = TileKey { level: 0, x: scaled, y: scaled };
    let tiles = (0..8).map(|i| TileKey { level: coarsest, x: i % 4, y: i / 4 });
    let mut leaves: Vec<TileKey> = tiles.collect();
    // A leaf is split where a place lies within its own width of it.
    for _ in 0..coarsest {
        let is_split = |key: &TileKey| {
            let near = place.ancestor(key.level);
            key.level > 0 && near.x.abs_diff(key.x) <= 1 && near.y.abs_diff(key.y) <= 1
        };
        let (split, kept): (Vec<_>, Vec<_>) = leaves.into_iter().partition(is_split);
        leaves = kept;
        leaves.extend(split.iter().flat_map(|key| (0..4).map(|child| key.child(child))));
    }
    let levels: BTreeSet<u8> = leaves.iter().map(|leaf| leaf.level).collect();
    assert!(levels.into_iter().eq(0..=coarsest), "{leaves:?}");
    leaves
}

/// Ground as no valley has it, on such leaves: terraces and pits of up to 12 m, holes in the map.
pub fn badlands(method: (Solver, Order), seed: u64, coarsest: u8) -> WorldBuilder {
    let draw = move |x: u64, y: u64, what: u64| -> f64 {
        let bits = scramble(scramble(seed << 40 | what << 32 | x << 16 | y));
        (bits >> 40) as f64 / f64::from(1 << 24)
    };
    let height = move |x: usize, y: usize| {
        let (x, y) = (x as u64, y as u64);
        let block = |size: u64, what: u64| draw(x / size, y / size, what);
        if block(16, 0) < 0.03 {
            return f64::NAN;
        }
        let terrace = 3.0 * f64::floor(4.0 * block(17, 1));
        let pit = if block(3, 2) < 0.1 { 8.0 * block(3, 3) } else { 0.0 };
        20.0 + terrace - pit + 0.02 * draw(x, y, 5) + 0.03 * x as f64
    };
    let depth = move |place: CellPlace| {
        let (x, y) = (u64::from(place.x), u64::from(place.y));
        match draw(x / 9, y / 9, 6) {
            part if part < 0.5 => 0.0,
            part if part < 0.7 => 2.0e-5 * draw(x, y, 7),
            part if part < 0.9 => 30.0 * (part - 0.7),
            _ => draw(x, y, 8),
        }
    };
    let velocity = move |place: CellPlace| {
        let (x, y) = (u64::from(place.x) / 9, u64::from(place.y) / 9);
        (20.0 * draw(x, y, 9) - 10.0, 20.0 * draw(x, y, 10) - 10.0)
    };
    let (solver, order) = method;
    let settings = Settings { solver, order, seed, ..Settings::default() };
    let cells = [4, 2].map(|tiles| (64 * tiles) << coarsest);
    WorldBuilder::new(Terrain::from_heights(cells, 4.0, height).expect("a good terrain"))
        .settings(settings)
        .leaves(mix(coarsest))
        .manning_classes(vec![0.0, 0.03, 0.2], |place| (place.x / 5 % 3) as u8)
        .initial_depth(depth)
        .initial_velocity(velocity)
}

/// A cycle as the water bears it, and others that end early, until one has an odd count of steps.
pub fn run_odd(world: &mut World) -> CycleReport {
    let mut last = world.run_cycle(SimTime::MAX);
    for halves in 3..9 {
        let ticks = last.ticks / u64::from(last.steps) * halves / 2;
        last = world.run_cycle(SimTime::from_ticks(world.time().ticks() + ticks));
        if last.steps % 2 == 1 {
            break;
        }
    }
    last
}

/// Goal: three levels side by side, allowances that bind, holes in the map, clamps and limits.
/// Method: badlands, now and then in steps of half a second, whatever the water bears, and with an
/// odd count of steps, after which levels stand in different buffers.
#[track_caller]
pub fn check_badlands(columns: ColumnKind, method: (Solver, Order), seed: u64, cycles: u32) {
    let long = FixedStep::try_new(4, 1).expect("a good length");
    let world = || {
        let builder = badlands(method, seed, 2).columns(columns).maps(MapKinds::ALL);
        builder.build().expect("a good world")
    };
    let reports = check_running(world, cycles, |cycle, world| match cycle % 3 {
        0 => world.run_cycle(long),
        1 => world.run_cycle(SimTime::MAX),
        _ => run_odd(world),
    });
    assert!(
        reports.is_empty() || reports.iter().any(|report| report.steps % 2 == 1),
        "{reports:?}"
    );
    let clamped: u64 = reports.iter().map(|report| report.clamped).sum();
    let limited: u64 = reports.iter().map(|report| report.limited).sum();
    assert!(reports.is_empty() || (clamped > 0 && limited > 0), "{clamped}, {limited}");
}

#[test]
fn badlands_on_three_levels_have_the_same_bits() {
    for (seed, method) in (1..).zip(methods()) {
        check_badlands(ColumnKind::Flat, method, seed, shrunk(12).max(3));
    }
}

/// Goal: forcing and flood maps on several levels. Method: rain by classes, evaporation that dries
/// cells, infiltration by two classes of ground, a river and a spring over badlands.
#[track_caller]
pub fn check_weather(columns: ColumnKind, method: (Solver, Order), cycles: u32) {
    let world = || {
        let rain = [vec![(0.0, 4.0e-5), (300.0, 0.0)], vec![(0.0, 1.0e-4)], vec![(0.0, 0.0)]];
        let soils = [vec![(0.0, 1.0e-6)], vec![(0.0, 3.0e-5)]];
        let river = CellPlace { x: 130, y: 90 };
        badlands(method, 4, 1)
            .columns(columns)
            .maps(MapKinds::ALL)
            .layer_classes("rain", Direction::Into, &rain, |place| ((place.x / 9) % 3) as u16)
            .and_then(|b| b.layer("evaporation", Direction::Out, &[(0.0, 2.0e-6)]))
            .and_then(|b| {
                let soil = |place: CellPlace| u16::from(place.x + place.y > 150);
                b.layer_classes("soil", Direction::Ground, &soils, soil)
            })
            .and_then(|b| b.inflow("river", &[(0.0, 50.0), (900.0, 0.0)], &[river]))
            .and_then(|b| b.inflow("spring", &[(0.0, 0.3)], &[CellPlace { x: 5, y: 5 }]))
            .expect("good series")
            .build()
            .expect("a good world")
    };
    check(world, shrunk(cycles));
}

#[test]
fn weather_on_two_levels_has_the_same_bits() {
    check_weather(ColumnKind::Flat, METHODS[0], 30);
    check_weather(ColumnKind::Flat, METHODS[2], 30);
}

/// Goal: open edges and a tide at the sides of leaves of several levels. Method: badlands that
/// water leaves on three sides, with a tide on the fourth.
#[track_caller]
pub fn check_edges(columns: ColumnKind, method: (Solver, Order), seed: u64, cycles: u32) {
    let world = || {
        let tide = [(0.0, 24.0), (20.0, 27.0), (40.0, 22.0)];
        badlands(method, seed, 2)
            .columns(columns)
            .maps(MapKinds::ALL)
            .edges(EdgeKind::Open)
            .edge("tide", EdgePlace::Side(Side::West), EdgeKind::Stage(tide.to_vec()))
            .build()
            .expect("a good world")
    };
    check(world, cycles);
}

#[test]
fn edges_on_three_levels_have_the_same_bits() {
    for (seed, method) in (11..).zip(methods()) {
        check_edges(ColumnKind::Flat, method, seed, shrunk(24));
    }
}

/// Goal: leaves of all levels fall asleep and wake beside others of other levels. Method: small
/// waves in a deep lake run from two corners towards leaves that sleep.
#[track_caller]
fn check_sleep(method: (Solver, Order)) {
    let world = || {
        let far = |place: CellPlace| CellPlace { x: 511 - place.x, y: 255 - place.y };
        let height = |place: CellPlace| if place.x < 9 && place.y < 9 { 0.004 } else { 0.0 };
        let stage = move |place: CellPlace| 50.0 + height(place) + height(far(place));
        let terrain = Terrain::from_heights([512, 256], 5.0, |x, y| {
            40.0 + 3.0 * (0.11 * x as f64).sin() * (0.07 * y as f64).cos()
        });
        let (solver, order) = method;
        let settings = Settings { solver, order, sleep_after_cycles: 1, ..Settings::default() };
        WorldBuilder::new(terrain.expect("a good terrain"))
            .settings(settings)
            .leaves(mix(1))
            .maps(MapKinds::NONE)
            .initial_stage(stage)
            .build()
            .expect("a good world")
    };
    let awake: Vec<_> = check(world, 18).iter().map(|report| report.awake).collect();
    let (fell, woke) =
        (awake.windows(2).any(|n| n[1] < n[0]), awake.windows(2).any(|n| n[1] > n[0]));
    assert!(awake.is_empty() || (fell && woke), "{awake:?}");
    println!("{method:?}: {awake:?}");
}

#[test]
fn sleep_on_two_levels_has_the_same_bits() {
    check_sleep(METHODS[0]);
    check_sleep(METHODS[2]);
}

/// Observers of the finest levels, elsewhere in each cycle of some.
pub fn observers(jump: u32, world: &Scale) -> Vec<Box<dyn Criterion>> {
    let draw = |what: u64| {
        let bits = scramble(scramble(u64::from(jump) << 8 | what));
        (bits >> 40) as f64 / f64::from(1 << 24)
    };
    let observer = |i: u64| {
        let options = ObserverOptions {
            position_m: [4.0 * 1024.0 * draw(2 * i), 4.0 * 512.0 * draw(2 * i + 1)],
            velocity_m_s: [0.0; 2],
            look_ahead_s: 0.0,
            radii_m: vec![(0, 60.0), (1, 300.0)],
            priority: 0.0,
        };
        Box::new(Observer::try_new(&options, world).expect("a good observer")) as Box<dyn Criterion>
    };
    (0..3).map(observer).collect()
}

/// A flood over badlands, whose leaves follow observers on four levels.
pub fn followed(method: (Solver, Order), seed: u64) -> WorldBuilder {
    let builder = badlands(method, seed, 2).maps(MapKinds::ALL).columns(ColumnKind::Flat);
    rained_on(builder.adaptive(FOLLOWING))
}

/// Leaves that follow observers at once.
pub const FOLLOWING: AdaptiveOptions = AdaptiveOptions {
    coarsest: 3,
    budget_cells: 1 << 19,
    interval_cycles: 1,
    min_age_cycles: 2,
    ahead_cycles: 0,
    leaves_a_cycle: 12,
    criteria: Vec::new(),
};

/// A little rain.
pub fn rained_on(builder: WorldBuilder) -> WorldBuilder {
    builder.rain("rain", &[(0.0, 2.0e-5)]).expect("one point")
}

/// Goal: leaves change between cycles. Method: a flood whose leaves follow observers that jump.
#[track_caller]
pub fn check_following(world: impl Fn() -> World, cycles: u32) {
    let forests = RefCell::new(BTreeSet::new());
    let reports = check_running(world, cycles, |cycle, world| {
        follow(cycle, world);
        let report = world.run_cycle(SimTime::MAX);
        forests.borrow_mut().insert(world.simulation().forest().leaves().to_vec());
        report
    });
    let forests = forests.into_inner();
    let levels = forests
        .iter()
        .map(|leaves| leaves.iter().map(|leaf| leaf.level).collect::<BTreeSet<_>>().len());
    let (least, most) = (levels.clone().min(), levels.max());
    println!("{} forests of {least:?} to {most:?} levels", forests.len());
    assert!(reports.is_empty() || forests.len() > 2 && least < most, "{least:?}, {most:?}");
}

/// Goal: kernels that a cycle in the middle is the first to need. Method: a card for which nothing
/// was built; rain that begins after some cycles, and an observer who comes later.
#[test]
fn kernels_that_are_needed_later_are_built_later() {
    let Some(turn) = card_to_give_up() else { return };
    let card = turn.card();
    let log = card.log();
    let world = || {
        let options = AdaptiveOptions {
            coarsest: 1,
            interval_cycles: 1,
            min_age_cycles: 1,
            ..Default::default()
        };
        let builder = badlands(METHODS[0], 3, 0).columns(ColumnKind::Flat).adaptive(options);
        let rain = [(0.0, 0.0), (2.0, 0.0), (2.5, 1.0e-4)];
        builder.rain("rain", &rain).expect("good points").build().expect("a good world")
    };
    let (mut plain, mut carded) = (world(), world());
    carded.set_card(Some(Box::new(card)));
    let mut seen = BTreeSet::new();
    for cycle in 0..14 {
        for world in [&mut plain, &mut carded] {
            if cycle == 10 {
                let near = looks_at(world, WEST, 300.0);
                *world.criteria_mut().expect("an adaptive world") = vec![near];
            }
            world.run_cycle(SimTime::MAX);
        }
        assert_eq!(plain.state_hash(), carded.state_hash(), "after cycle {cycle}");
        let levels: BTreeSet<_> =
            carded.simulation().forest().leaves().iter().map(|leaf| leaf.level).collect();
        seen.insert((carded.time().seconds() > 2.5, levels.len()));
    }
    assert_eq!((log.events().cycles, log.events().lost), (14, None));
    assert!(seen.contains(&(false, 1)) && seen.contains(&(true, 2)), "{seen:?}");
}

/// A place in the west, m.
const WEST: [f64; 2] = [20.0, 256.0];

/// An observer who looks so far.
pub fn looks_at(world: &World, position_m: [f64; 2], radius_m: f64) -> Box<dyn Criterion> {
    let options = ObserverOptions {
        position_m,
        velocity_m_s: [0.0; 2],
        look_ahead_s: 0.0,
        radii_m: vec![(0, radius_m)],
        priority: 0.0,
    };
    Box::new(Observer::try_new(&options, &world.extent()).expect("a good observer"))
}

/// Goal: worlds of one level become ones of several, and those of one of another. Method: for two
/// cycles each no observer, then one who looks at the west, then one who looks at all.
#[track_caller]
pub fn check_one_and_several(builder: impl Fn() -> WorldBuilder) {
    let world = || {
        let options = AdaptiveOptions {
            coarsest: 1,
            budget_cells: 1 << 19,
            interval_cycles: 1,
            min_age_cycles: 1,
            ahead_cycles: 0,
            leaves_a_cycle: 12,
            criteria: Vec::new(),
        };
        builder().adaptive(options).build().expect("a good world")
    };
    let seen = RefCell::new(Vec::new());
    check_running(world, 10, |cycle, world| {
        let radius_m = [None, Some(300.0), Some(5000.0), Some(300.0)][cycle as usize / 2 % 4];
        let observer = radius_m.map(|radius_m| looks_at(world, WEST, radius_m));
        *world.criteria_mut().expect("an adaptive world") = observer.into_iter().collect();
        let report = world.run_cycle(SimTime::MAX);
        let levels: BTreeSet<_> =
            world.simulation().forest().leaves().iter().map(|leaf| leaf.level).collect();
        seen.borrow_mut().push(levels.into_iter().collect::<Vec<_>>());
        report
    });
    let seen = seen.into_inner();
    println!("{seen:?}");
    for levels in [&[0][..], &[1], &[0, 1]] {
        assert!(seen.is_empty() || seen.iter().any(|seen| seen == levels), "{levels:?}: {seen:?}");
    }
}

#[test]
fn one_level_and_several_have_the_same_bits() {
    check_one_and_several(|| badlands(METHODS[0], 3, 0).columns(ColumnKind::Flat));
}

/// Every third cycle observers elsewhere.
pub fn follow(cycle: u32, world: &mut World) {
    if cycle.is_multiple_of(3) {
        let new = observers(cycle, &world.extent());
        *world.criteria_mut().expect("an adaptive world") = new;
    }
}

#[test]
fn leaves_that_follow_have_the_same_bits() {
    let cycles = shrunk(36).max(7);
    for method in methods() {
        check_following(|| followed(method, 7).build().expect("a good world"), cycles);
    }
}

/// Goal: a card that is lost loses nothing of interfaces. Method: it is destroyed when all planes
/// are on it.
#[test]
fn a_card_that_is_lost_loses_no_level() {
    let Some(turn) = card_to_give_up() else { return };
    let card = turn.card();
    let log = card.log();
    let world = || badlands(METHODS[2], 5, 1).build().expect("a good world");
    let (mut plain, mut carded) = (world(), world());
    carded.set_card(Some(Box::new(card)));
    let run = |worlds: [&mut World; 2], cycles: u32| {
        for world in worlds {
            (0..cycles).for_each(|_| {
                world.run_cycle(SimTime::MAX);
            });
        }
    };
    run([&mut plain, &mut carded], 3);
    let odd = [&mut plain, &mut carded].map(run_odd);
    assert_eq!((odd[0].steps % 2, log.events().lost), (1, None), "{odd:?}");
    turn.device().give_up();
    assert_eq!(plain.state_hash(), carded.state_hash(), "read after the loss");
    run([&mut plain, &mut carded], 2);
    assert_eq!(plain.state_hash(), carded.state_hash(), "2 cycles later");
    assert_eq!(carded.water().stored(), carded.water().ledger().expected());
}
