//! Tracers on a card.

use crate::levels::run_odd;
use crate::support::{card, card_to_give_up, check_running, shrunk};
use gpu::GpuCard;
use std::cell::RefCell;
use std::collections::BTreeMap;
use thalweg::prelude::*;
use thalweg::terrain::Shape;
use thalweg::units::SimTime;
use thalweg::world::{
    Action, Amount, ColumnKind, CycleReport, EdgeKind, EdgePlace, Entry, FixedStep, MapKinds,
    Order, SaveFile, Settings, Side, SleepTolerance, Solver,
};
use thalweg_engine::store::backend::memory::Memory;
use thalweg_engine::structure::weather::Direction;
use thalweg_engine::units::hash::scramble;

/// The pipe and shallow water, with tracers of both orders.
const METHODS: [(Solver, Order); 4] = [
    (Solver::Pipe, Order::First),
    (Solver::Pipe, Order::Second),
    (Solver::ShallowWater, Order::First),
    (Solver::ShallowWater, Order::Second),
];

/// Names of the tracers.
pub const TRACERS: [&str; 2] = ["salt", "dye"];

/// A number from 0 to 1 for a place.
pub fn draw(x: u32, y: u32, what: u64) -> f64 {
    let bits = scramble(scramble(what << 32 | u64::from(x) << 16 | u64::from(y)));
    (bits >> 40) as f64 / f64::from(1 << 24)
}

/// Hills with a hole in them, in three leaves by two and a bit.
fn hills((solver, order): (Solver, Order)) -> WorldBuilder {
    let terrain = Terrain::from_heights([150, 130], 4.0, |x, y| {
        let (x, y) = (x as f64, y as f64);
        let is_hole = (x - 70.0).hypot(y - 66.0) < 5.0;
        let height = 30.0 + 0.02 * x + 2.0 * (0.13 * x).sin() * (0.09 * y).cos();
        if is_hole { f64::NAN } else { height }
    });
    WorldBuilder::new(terrain.expect("a good terrain"))
        .settings(Settings { solver, order, ..Settings::default() })
        .maps(MapKinds::ALL)
}

/// Two tracers: one all over in steps from 0 to 1, one in patches of few cells.
pub fn with_tracers(builder: WorldBuilder) -> WorldBuilder {
    builder.tracer(TRACERS[0], |place| f64::from(place.x / 8 % 5) / 4.0).tracer(
        TRACERS[1],
        |place| {
            let part = draw(place.x / 3, place.y / 3, 1);
            if part < 0.6 { 0.0 } else { draw(place.x, place.y, 2) }
        },
    )
}

/// Water of all depths, in patches.
fn patches(place: CellPlace) -> f64 {
    match draw(place.x / 9, place.y / 9, 3) {
        part if part < 0.3 => 0.0,
        part if part < 0.5 => 2.0e-5 * draw(place.x, place.y, 4),
        part => 4.0 * (part - 0.5),
    }
}

/// Runs a world with and without a card, and compares after every cycle; all content is where the
/// ledger says, and these accounts have moved some of each tracer.
#[track_caller]
pub fn check_tracers(
    world: impl Fn() -> World,
    cycles: u32,
    run: impl Fn(u32, &mut World) -> CycleReport,
    accounts: &[&str],
) -> Vec<CycleReport> {
    let books = RefCell::new(BTreeMap::new());
    let reports = check_running(world, cycles, |cycle, world| {
        let report = run(cycle, world);
        for tracer in TRACERS {
            let expected = world.water().tracer_ledger(tracer).map(|ledger| ledger.expected());
            let stored = world.water().tracer_stored(tracer);
            assert!(stored.is_some_and(|stored| stored > 0), "{tracer} after cycle {cycle}");
            assert_eq!(stored, expected, "{tracer} after cycle {cycle}");
            let ledger = world.water().tracer_ledger(tracer).expect("a tracer of the world");
            for account in ledger.accounts() {
                let key = (world.time().ticks(), tracer, account.name.clone());
                let own = (account.into, account.out);
                // The first has no card.
                let first = *books.borrow_mut().entry(key.clone()).or_insert(own);
                assert_eq!(first, own, "{key:?}");
            }
        }
        report
    });
    let moves = |tracer: &str, name: &str| {
        let books = books.borrow();
        books.iter().any(|((_, of, account), (into, out))| {
            *of == tracer && account == name && into + out > 0
        })
    };
    for (tracer, account) in TRACERS.iter().flat_map(|of| accounts.iter().map(move |at| (of, at))) {
        assert!(reports.is_empty() || moves(tracer, account), "{account} moves no {tracer}");
    }
    reports
}

/// Cycles of four seconds at most.
fn run_shortly(_: u32, world: &mut World) -> CycleReport {
    let end = world.time().after(SimTime::from_seconds(4.0).ticks());
    world.run_cycle(end)
}

/// Goal: the water carries tracers with the bits of the processor. Method: patches of water that
/// run together on hills, closed all around, now and then in steps that the water does not bear.
#[track_caller]
fn check_walls(method: (Solver, Order), cycles: u32) {
    let long = FixedStep::try_new(4, 1).expect("a good length");
    let world = || {
        let builder = with_tracers(hills(method)).initial_depth(patches);
        builder.build().expect("a good world")
    };
    let run = |cycle, world: &mut World| match cycle % 4 {
        3 => world.run_cycle(long),
        _ => world.run_cycle(SimTime::MAX),
    };
    check_tracers(world, shrunk(cycles), run, &[]);
}

#[test]
fn tracers_between_walls_have_the_same_bits() {
    METHODS.into_iter().for_each(|method| check_walls(method, 36));
}

/// Rain by classes, evaporation, a loss to the ground, Green and Ampt, two springs in one cell: of
/// which those that bring water bring tracers.
fn weather(builder: WorldBuilder) -> WorldBuilder {
    let rain = [vec![(0.0, 1.0e-4)], vec![(0.0, 3.3e-4), (15.0, 0.0)], vec![(0.0, 0.0)]];
    let soils = [vec![(0.0, 1.0e-6)], vec![(0.0, 1.0e-4)]];
    let spring = [CellPlace { x: 30, y: 20 }];
    let builder = builder
        .layer_classes("rain", Direction::Into, &rain, |place| (place.x / 9 % 3) as u16)
        .and_then(|b| b.layer("evaporation", Direction::Out, &[(0.0, 2.0e-6)]))
        .and_then(|b| {
            let soil = |place: CellPlace| u16::from(place.x + place.y > 100);
            b.layer_classes("loss", Direction::Ground, &soils, soil)
        })
        .and_then(|b| b.inflow("spring", &[(0.0, 5.0)], &spring))
        .and_then(|b| b.inflow("well", &[(0.0, 0.7)], &spring))
        .and_then(|b| b.green_ampt(3.0e-5, 0.1));
    builder
        .expect("good numbers")
        .tracer_source(TRACERS[0], "rain", 0.000_001_3)
        .tracer_source(TRACERS[1], "rain", 0.7)
        .tracer_source(TRACERS[0], "spring", 1.0)
        .tracer_source(TRACERS[1], "well", 0.123_456_789)
}

/// Goal: all that comes and goes inside a world moves tracers, and books them, as on the processor.
/// Method: the weather on hills with pools, of which parts dry up.
#[test]
fn weather_moves_tracers_with_the_same_bits() {
    for method in [METHODS[0], METHODS[3]] {
        let world = || {
            let builder = with_tracers(weather(hills(method)));
            builder.initial_depth(|place| patches(place) / 9.0).build().expect("a good world")
        };
        let moving = ["rain", "evaporation", "loss"];
        check_tracers(world, shrunk(36), run_shortly, &moving);
    }
}

/// Open edges, a tide, and a river in two parts: of which those that bring water bring tracers.
fn edges(builder: WorldBuilder, (discharge, entry): (f64, Entry)) -> WorldBuilder {
    let discharge = vec![(0.0, discharge), (20.0, 0.0), (30.0, discharge)];
    let river = EdgeKind::Inflow { discharge, entry };
    let tide = vec![(0.0, 33.0), (8.0, 36.0), (16.0, 32.0)];
    builder
        .edges(EdgeKind::Open)
        .edge("tide", EdgePlace::Side(Side::East), EdgeKind::Stage(tide))
        .edge("river", EdgePlace::Side(Side::West), river)
        .tracer_source(TRACERS[0], "tide", 0.25)
        .tracer_source(TRACERS[1], "tide", 0.9)
        .tracer_source(TRACERS[0], "river", 1.0)
        .tracer_source(TRACERS[1], "river", 0.000_2)
}

/// Goal: tracers go over the edges of the world, and come in with tides and rivers, as on the
/// processor. Method: rivers slow and swift, a tide and open edges around hills, with weather.
#[test]
fn edges_move_tracers_with_the_same_bits() {
    for (method, river) in [
        (METHODS[1], (40.0, Entry::Normal)),
        (METHODS[2], (340.0, Entry::Normal)),
        (METHODS[3], (340.0, Entry::Depth(0.05))),
    ] {
        let world = || {
            let builder = edges(with_tracers(weather(hills(method))), river);
            builder.initial_depth(patches).build().expect("a good world")
        };
        let moving = ["rain", "evaporation", "loss", "tide", "river"];
        check_tracers(world, shrunk(36), run_shortly, &moving);
    }
}

/// Goal: tracers in sub-grid columns of one level, likewise. Method: the same on cells of four.
#[test]
#[cfg_attr(not(full_card), ignore = "long: see src/guide/card.md")]
fn columns_carry_tracers_with_the_same_bits() {
    for method in [METHODS[1], METHODS[3]] {
        let world = || {
            let river = (340.0, Entry::Normal);
            let builder = edges(with_tracers(weather(hills(method))), river);
            let builder = builder.level(1).columns(ColumnKind::SubGrid);
            builder.initial_depth(patches).build().expect("a good world")
        };
        let moving = ["rain", "evaporation", "loss", "tide", "river"];
        check_tracers(world, shrunk(18), run_shortly, &moving);
    }
}

/// Small waves in a deep lake that run from two corners towards leaves that sleep.
fn lake((solver, order): (Solver, Order), sleep_tolerance: Option<SleepTolerance>) -> World {
    let terrain = Terrain::from_heights([256, 256], 5.0, |x, y| {
        40.0 + 2.0 * (0.11 * x as f64).sin() * (0.07 * y as f64).cos()
    });
    let height = |place: CellPlace| if place.x < 6 && place.y < 6 { 0.004 } else { 0.0 };
    let far = |place: CellPlace| CellPlace { x: 255 - place.x, y: 255 - place.y };
    let sleep_after_cycles = 1;
    let settings =
        Settings { solver, order, sleep_tolerance, sleep_after_cycles, ..Settings::default() };
    with_tracers(WorldBuilder::new(terrain.expect("a good terrain")))
        .settings(settings)
        .initial_stage(move |place| 50.0 + height(place) + height(far(place)))
        .build()
        .expect("a good world")
}

/// Goal: leaves asleep keep their tracers, show them to those awake, and wake with them. Method: a
/// lake with waves, also under a tolerance.
#[test]
#[cfg_attr(not(full_card), ignore = "long: see src/guide/card.md")]
fn leaves_asleep_keep_their_tracers() {
    let tolerance = SleepTolerance { stage_m: 0.003, time_s: 1.0 };
    for (method, tolerance) in
        [(METHODS[1], None), (METHODS[3], None), (METHODS[1], Some(tolerance))]
    {
        let run = |_, world: &mut World| world.run_cycle(SimTime::MAX);
        let reports = check_tracers(|| lake(method, tolerance), 18, run, &[]);
        let awake: Vec<_> = reports.iter().map(|report| report.awake).collect();
        println!("{method:?}, {tolerance:?}: {awake:?}");
        let fell = awake.windows(2).any(|n| n[1] < n[0]);
        let woke = awake.windows(2).any(|n| n[1] > n[0]);
        assert!(awake.is_empty() || (fell && (woke || tolerance.is_some())), "{awake:?}");
    }
}

/// Goal: leaves asleep show their tracers, and wake with them, though no card ever stepped them.
/// Method: that lake gets a card once some of its leaves sleep, and takes an odd count of steps
/// until its waves wake them.
#[test]
fn leaves_that_slept_before_the_card_came_show_their_tracers() {
    let Some(turn) = card() else { return };
    let [mut plain, mut carded] = [lake(METHODS[1], None), lake(METHODS[1], None)];
    let run = |world: &mut World| world.run_cycle(SimTime::MAX).awake;
    (0..4).for_each(|_| assert_eq!(run(&mut plain), run(&mut carded)));
    let card = turn.card();
    let log = card.log();
    carded.set_card(Some(Box::new(card)));
    let odd = [&mut plain, &mut carded].map(|world| run_odd(world).steps);
    assert!(odd[0] == odd[1] && odd[0] % 2 == 1, "{odd:?}");
    let (mut awake, done) = (Vec::new(), log.events().cycles);
    for cycle in 0..14 {
        awake.push(run(&mut plain));
        assert_eq!(awake.last(), Some(&run(&mut carded)), "cycle {cycle}");
        assert_eq!(plain.state_hash(), carded.state_hash(), "cycle {cycle}");
    }
    assert_eq!(log.events().cycles, done + 14, "{:?}", log.events());
    assert!(awake.windows(2).any(|n| n[1] > n[0]), "none wakes: {awake:?}");
}

/// Goal: an inflow brings tracers with what fits below the ceiling alone. Method: two torrents into
/// one cell between walls, the first of which fills it.
#[test]
fn inflows_up_to_the_ceiling_bring_what_fits() {
    let steps = FixedStep::try_new(16, 1).expect("a good length");
    let world = || {
        let terrain = Terrain::from_heights([20, 20], 4.0, |_, _| 30.0);
        let cell = [CellPlace { x: 10, y: 10 }];
        with_tracers(WorldBuilder::new(terrain.expect("a good terrain")))
            .settings(Settings { solver: Solver::Pipe, ..Settings::default() })
            .initial_depth(|_| 1.0)
            .inflow("first", &[(0.0, 1.0e6)], &cell)
            .and_then(|b| b.inflow("second", &[(0.0, 1.0e6)], &cell))
            .expect("good series")
            .tracer_source(TRACERS[0], "first", 1.0)
            .tracer_source(TRACERS[1], "second", 1.0)
            .build()
            .expect("a good world")
    };
    check_tracers(world, 3, |_, world| world.run_cycle(steps), &[]);
}

/// A disc in the hills.
fn disc(x_m: f64) -> Shape {
    Shape::Disc { centre_m: [x_m, 240.0], radius_m: 60.0, rim_m: 20.0 }
}

/// Goal: actions find tracers on the card, and the card finds those that they change; copies keep
/// theirs. Method: water that is coloured, poured and taken between cycles, and copies of the world
/// that are looked at cycles later.
#[test]
fn actions_and_copies_find_the_tracers() {
    let Some(turn) = card() else { return };
    for method in [METHODS[1], METHODS[3]] {
        let card = turn.card();
        let log = card.log();
        let mut worlds = [(); 2].map(|()| {
            with_tracers(hills(method)).initial_depth(patches).build().expect("a good world")
        });
        worlds[1].set_card(Some(Box::new(card)));
        for round in 0..3 {
            let copies = worlds.each_ref().map(|world| world.simulation().clone());
            let tracer = TRACERS[round % 2].to_owned();
            let area = disc(150.0 + 80.0 * round as f64);
            let action = match round {
                0 => Action::ColourWater { area, tracer, concentration: 0.4 },
                1 => Action::AddWater { area, amount: Amount::DepthM(0.5) },
                _ => Action::RemoveWater { area, amount: Amount::DepthM(0.5) },
            };
            for world in &mut worlds {
                world.edits().act(action.clone()).expect("in the world");
                (0..3).for_each(|_| _ = world.run_cycle(SimTime::MAX));
                for tracer in TRACERS {
                    let ledger = world.water().tracer_ledger(tracer).expect("a tracer");
                    assert_eq!(world.water().tracer_stored(tracer), Some(ledger.expected()));
                }
            }
            let hashes = worlds.each_ref().map(World::state_hash);
            assert_eq!(hashes[0], hashes[1], "round {round}");
            let [before, beside] = copies.map(|copy| copy.state_hash());
            assert_eq!(before, beside, "the copy of round {round}");
        }
        assert_eq!(log.events().cycles, 9, "{:?}", log.events());
    }
}

/// Goal: files hold the tracers that stand on the card, and those go there again from them. Method:
/// hills with weather, with a card and without, saved and opened after some cycles, twice.
#[test]
fn worlds_with_tracers_are_saved_and_opened() {
    let Some(turn) = card() else { return };
    let world = || {
        let builder = with_tracers(weather(hills(METHODS[3])));
        builder.initial_depth(patches).build().expect("a good world")
    };
    let mut worlds = [world(), world()];
    let save_file = |world: &World| {
        SaveFile::create_on(Box::new(Memory::default()), world).expect("room in memory")
    };
    let mut files = worlds.each_ref().map(save_file);
    for round in 0..2 {
        let card = turn.card();
        let log = card.log();
        worlds[1].set_card(Some(Box::new(card)));
        for cycle in 0..4 {
            worlds.iter_mut().for_each(|world| _ = run_shortly(cycle, world));
        }
        assert_eq!((log.events().cycles, log.events().lost), (4, None), "round {round}");
        let opened = worlds.iter().zip(&mut files).map(|(world, file)| {
            file.save(world).expect("room in memory");
            file.load(Vec::new()).expect("what was saved")
        });
        let opened: Vec<World> = opened.collect();
        let hashes = worlds.iter().chain(&opened).map(World::state_hash).collect::<Vec<_>>();
        assert_eq!(hashes, [hashes[0]; 4], "round {round}");
        worlds = opened.try_into().expect("two");
    }
}

/// Goal: a card that is lost loses no tracer. Method: a device that is destroyed after some cycles.
#[test]
fn a_card_that_is_lost_loses_no_tracer() {
    let Some(turn) = card_to_give_up() else { return };
    let card = turn.card();
    let log = card.log();
    let [mut plain, mut carded] = [(); 2].map(|()| {
        with_tracers(hills(METHODS[1])).initial_depth(patches).build().expect("a good world")
    });
    carded.set_card(Some(Box::new(card)));
    (0..5).for_each(|_| _ = carded.run_cycle(SimTime::MAX));
    turn.device().give_up();
    (0..2).for_each(|_| _ = carded.run_cycle(SimTime::MAX));
    (0..7).for_each(|_| _ = plain.run_cycle(SimTime::MAX));
    assert_eq!(plain.state_hash(), carded.state_hash());
    let events = log.events();
    assert!(events.cycles == 5 && events.lost.is_some(), "{events:?}");
}

/// Goal: a world may have more tracers than two. Method: nine.
#[test]
fn many_tracers_have_the_same_bits() {
    let world = || {
        let more = (2..9).map(|i: u32| (i.to_string(), i));
        let all = more.fold(with_tracers(hills(METHODS[1])), |builder, (name, i)| {
            builder.tracer(&name, move |place| draw(place.x / i, place.y, u64::from(i)))
        });
        all.initial_depth(patches).build().expect("a good world")
    };
    check_tracers(world, 3, |_, world| world.run_cycle(SimTime::MAX), &[]);
}

/// Goal: a device that binds too few buffers for contents does all worlds without. Method: a limit
/// of 18.
#[test]
fn tracers_beyond_a_card_are_left_to_the_processor() {
    let Some(turn) = card() else { return };
    let mut device = turn.device().clone();
    device.limits.max_storage_buffers_per_shader_stage = 18;
    let narrow = || {
        GpuCard::with_routes(device.clone(), turn.card().routes()).expect("enough for other worlds")
    };
    let run = |builder: WorldBuilder| {
        let (card, mut world) = (narrow(), builder.build().expect("a good world"));
        let log = card.log();
        world.set_card(Some(Box::new(card)));
        world.run_cycle(SimTime::MAX);
        let events = log.events();
        assert_eq!(events.lost, None);
        (events.cycles, events.refused)
    };
    let builder = || hills(METHODS[1]).initial_depth(patches);
    let too_few = "tracers, on a device that binds fewer than 20 storage buffers";
    assert_eq!(run(with_tracers(builder())), (0, Some(too_few.to_owned())));
    assert_eq!(run(builder()), (1, None));
}
