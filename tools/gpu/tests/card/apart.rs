//! Leaves that the processor steps beside those of a card: structures.

use crate::levels::METHODS;
use crate::support::{card, card_to_give_up, check_logged, maps_hash, shrunk};
use gpu::{CardEvents, Device};
use std::sync::atomic::{AtomicU64, Ordering};
use thalweg::body::{Body, BodyId, Motion, Pose, Solid};
use thalweg::prelude::*;
use thalweg::structure::Section;
use thalweg::units::SimTime;
use thalweg::world::{
    Barrier, ColumnKind, Culvert, CycleReport, Drain, EdgeKind, EdgePlace, FixedStep, Gap,
    MapKinds, Opening, Order, Pump, Settings, Side, Solver, Voids,
};
use thalweg_engine::grid::TileKey;
use thalweg_engine::structure::weather::Direction;

/// Hills that fall to the east, 4 m a cell, and a lake in the west, in leaves of level 1, those
/// with `x` below `fine` split.
fn hills([width, height]: [u32; 2], fine: u32, (solver, order): (Solver, Order)) -> WorldBuilder {
    let cells = [width, height].map(|leaves| 128 * leaves as usize);
    let terrain = Terrain::from_heights(cells, 4.0, |x, y| {
        let (x, y) = (x as f64, y as f64);
        let hills = (0.11 * x).sin() * (0.07 * y).cos() + 0.3 * (0.31 * x + 0.17 * y).sin();
        40.0 - 0.01 * x + 2.0 * hills
    });
    let tiles = (0..width * height).map(|i| TileKey { level: 1, x: i % width, y: i / width });
    let leaves = tiles.flat_map(|key| match key.x < fine {
        true => (0..4).map(|child| key.child(child)).collect(),
        false => vec![key],
    });
    let settings = Settings { solver, order, ..Settings::default() };
    let builder = WorldBuilder::new(terrain.expect("a good terrain")).settings(settings);
    let stage = |place: CellPlace| if place.x < 330 { 41.0 } else { 36.5 };
    builder.leaves(leaves.collect()).initial_stage(stage).maps(MapKinds::ALL)
}

/// A pipe of concrete that lies nowhere yet.
fn culvert() -> Culvert {
    Culvert {
        name: "culvert".to_owned(),
        from: [0.0; 2],
        to: [0.0; 2],
        from_invert_m: 0.0,
        to_invert_m: 0.0,
        section: Section::Circle { diameter_m: 1.5 },
        length_m: Some(30.0),
        manning_n: 0.013,
        inlet_loss: 0.5,
        outlet_loss: 1.0,
        has_flap: false,
    }
}

/// A wall, one with a gate that opens by itself, a culvert through the first, a pump and a drain,
/// within 40 m of a place in cells.
fn structures(builder: WorldBuilder, [x, y]: [f64; 2]) -> WorldBuilder {
    let at = |east_m: f64, north_m: f64| [4.0 * x + east_m, 4.0 * y + north_m];
    let opening = Opening::Series(vec![(0.0, 0.0), (8.0, 1.5)]);
    let gated = Barrier::wall("gated", vec![at(0.0, 0.0), at(0.0, 40.0)], 43.0);
    let culvert = Culvert {
        from: at(-10.0, -11.0),
        to: at(14.0, -10.0),
        from_invert_m: 36.0 - 0.01 * x,
        to_invert_m: 36.0 - 0.01 * x,
        ..culvert()
    };
    let pump = Pump {
        name: "pump".to_owned(),
        from: at(20.0, 10.0),
        to: Some(at(-20.0, 30.0)),
        curve: vec![(0.0, 0.8), (6.0, 0.2)],
        on_stage_m: 36.0,
        off_stage_m: 35.0,
        outlet_m: None,
    };
    let drain = Drain {
        name: "grate".to_owned(),
        place: at(-30.0, -30.0),
        area_m2: 0.3,
        ..Drain::default()
    };
    builder
        .barrier(Barrier::wall("wall", vec![at(0.0, -40.0), at(0.0, 0.0)], 43.0))
        .barrier(Barrier { gap: Some(Gap { sill_m: None, opening }), ..gated })
        .link(culvert)
        .link(pump)
        .link(Drain { perimeter_m: 2.0, ..drain })
}

/// Rain, evaporation, a spring, and an open edge to the east.
fn forced(builder: WorldBuilder) -> WorldBuilder {
    builder
        .edge("east", EdgePlace::Side(Side::East), EdgeKind::Open)
        .layer("rain", Direction::Into, &[(0.0, 2.0e-5)])
        .and_then(|b| b.layer("evaporation", Direction::Out, &[(0.0, 2.0e-6)]))
        .and_then(|b| b.inflow("spring", &[(0.0, 5.0)], &[CellPlace { x: 500, y: 300 }]))
        .expect("good numbers")
}

/// Now and then a step that is long or ends early.
fn run(cycle: u32, world: &mut World) -> CycleReport {
    match cycle % 4 {
        3 => world.run_cycle(FixedStep::try_new(3, 1).expect("a good length")),
        _ => world.run_cycle(SimTime::MAX),
    }
}

/// [`check_logged`], with leaves apart in most cycles.
#[track_caller]
fn check_apart(
    world: impl Fn() -> World,
    cycles: u32,
    run: impl Fn(u32, &mut World) -> CycleReport,
) {
    let (_, events) = check_logged(world, cycles, run);
    let is_most = |events: &CardEvents| 2 * events.apart > u64::from(cycles);
    assert!(events.as_ref().is_none_or(is_most), "{events:?}");
}

/// Methods of a quick run, since cycles with leaves apart are slow: without the one in the
/// middle.
fn methods() -> impl Iterator<Item = (Solver, Order)> {
    METHODS.into_iter().filter(|(_, order)| cfg!(full_card) || *order == Order::Second)
}

/// Goal: structures in the middle of leaves of one level. Method: all kinds of them where a lake
/// breaks loose, with rain and an open edge.
#[test]
fn structures_among_leaves_of_one_level_have_the_same_bits() {
    for method in methods() {
        let world = || {
            let builder = structures(forced(hills([6, 4], 0, method)), [320.0, 320.0]);
            builder.build().expect("a good world")
        };
        check_apart(world, shrunk(24), run);
    }
}

/// Goal: structures beside other levels and an open edge: leaves hang on those apart. Method: the
/// same structures in coarse leaves, in fine ones, where the two meet, and near the edge.
#[test]
fn structures_among_leaves_of_two_levels_have_the_same_bits() {
    let places = [[450.0, 330.0], [100.0, 330.0], [256.0, 380.0], [700.0, 330.0]];
    let all = places.into_iter().zip([METHODS[0], METHODS[2], METHODS[2], METHODS[0]]);
    // The last two have leaves of the other kinds, too.
    for (place, method) in all.skip(if !cfg!(full_card) { 2 } else { 0 }) {
        let world = || {
            let builder = structures(forced(hills([6, 5], 2, method)), place);
            builder.build().expect("a good world")
        };
        check_apart(world, shrunk(18), run);
    }
}

/// Goal: structures among sub-grid columns, of one level and of two, in water that carries
/// something. Method: those of the other tests, in a world whose coarse leaves have tables, with
/// two tracers.
#[test]
fn structures_among_sub_grid_columns_have_the_same_bits() {
    for (fine, place) in [(2, [450.0, 330.0]), (0, [320.0, 320.0])] {
        // A quick run leaves out worlds that the first is like.
        for method in methods().skip(usize::from(!cfg!(full_card))) {
            if !cfg!(full_card) && fine == 0 {
                continue;
            }
            let world = || {
                let builder = structures(forced(hills([6, 4], fine, method)), place);
                let stripes =
                    |place: CellPlace| if (place.x / 5).is_multiple_of(2) { 0.2 } else { 0.6 };
                let builder = builder.tracer("salt", |_| 0.3).tracer("dye", stripes);
                builder.columns(ColumnKind::SubGrid).build().expect("a good world")
            };
            check_apart(world, shrunk(12), run);
        }
    }
}

/// Leaves of the finest level with a gallery below the ground that fills.
fn gallery(method: (Solver, Order)) -> WorldBuilder {
    let mut voids = Voids::new();
    let [low, high] = [[180, 200], [210, 203]].map(CellPlace::from);
    voids.carve(low, high, [30.0, 32.0]);
    let half = |place: CellPlace| if place.x < 195 { 31.5 } else { f64::NAN };
    let builder = forced(hills([4, 3], 4, method)).voids(voids);
    builder.initial_stage_below(move |place, _| half(place))
}

/// Puts a box into the lake, at a place along x, m.
fn put_box(world: &mut World, x: f64) {
    let boxed = Body {
        id: BodyId(1),
        solid: Solid::cuboid([14.0, 10.0, 6.0]).expect("a box"),
        pose: Pose::at([x, 600.0, 39.5]),
        motion: Motion::default(),
        mass_kg: None,
    };
    world.structures_mut().put_bodies(vec![boxed]).expect("in the world");
}

/// Goal: a game that moves bodies in every frame does not wait for all planes in every frame.
/// Method: a box that moves before each cycle; planes are read of leaves that it comes to.
#[test]
fn bodies_that_move_make_no_checkpoint() {
    let Some(turn) = card() else { return };
    let world = || forced(hills([4, 3], 4, METHODS[0])).build().expect("a good world");
    let (mut plain, mut carded) = (world(), world());
    let card = turn.card();
    let log = card.log();
    carded.set_card(Some(Box::new(card)));
    let mut awake = 0;
    for cycle in 0..8 {
        for world in [&mut plain, &mut carded] {
            put_box(world, 600.0 + 2.0 * f64::from(cycle));
            awake += world.run_cycle(SimTime::MAX).awake as u64;
        }
    }
    let events = log.events();
    assert_eq!((events.apart, events.cycles), (8, 8));
    assert!(events.read < awake / 8, "{} leaves awake in all: {events:?}", awake / 2);
    assert_eq!(plain.state_hash(), carded.state_hash());
    assert_eq!(maps_hash(&plain), maps_hash(&carded));
}

/// Goal: bodies and intervals below the ground. Method: a box held in the lake that is moved now
/// and then, and a gallery, in leaves of the finest level.
#[test]
fn bodies_and_intervals_have_the_same_bits() {
    for method in methods().skip(usize::from(!cfg!(full_card))) {
        let world = || {
            let mut world = gallery(method).build().expect("a good world");
            put_box(&mut world, 600.0);
            world
        };
        check_apart(world, shrunk(24), |cycle, world| {
            if cycle % 3 == 2 {
                put_box(world, 600.0 + 4.0 * f64::from(cycle));
            }
            run(cycle, world)
        });
    }
}

/// Goal: leaves apart that fall asleep beside others that move, and wake again. Method: a still
/// pond with a culvert, whose leaves sleep until a wave from the far end arrives.
#[test]
#[cfg_attr(not(full_card), ignore = "long: see src/guide/card.md")]
fn leaves_apart_fall_asleep_and_wake_with_the_same_bits() {
    let world = || {
        let terrain = Terrain::from_heights([448, 192], 4.0, |_, _| 10.0);
        let settings = Settings { sleep_after_cycles: 1, ..Settings::default() };
        let culvert = Culvert {
            from: [430.0, 390.0],
            to: [470.0, 390.0],
            from_invert_m: 10.0,
            to_invert_m: 10.0,
            ..culvert()
        };
        let far = |x: u32| f64::from(x.abs_diff(440)) / 8.0;
        let stage = move |place: CellPlace| 12.0 + 0.6 * (-far(place.x) * far(place.x)).exp();
        let builder = WorldBuilder::new(terrain.expect("a good terrain")).settings(settings);
        builder.initial_stage(stage).link(culvert).build().expect("a good world")
    };
    let (reports, events) = check_logged(world, 80, |_, world| world.run_cycle(SimTime::MAX));
    let Some(events) = events else { return };
    println!("{} of {} cycles with leaves apart", events.apart, events.cycles);
    assert!(events.apart > 0 && events.apart < events.cycles, "{events:?}");
    assert!(reports.iter().any(|report| report.awake < 21), "some leaves sleep");
}

/// Gives a device up when so many phases have begun.
struct GivesUp {
    device: Device,
    phases: AtomicU64,
    after: u64,
}

impl tracing::Subscriber for GivesUp {
    fn enabled(&self, metadata: &tracing::Metadata<'_>) -> bool {
        metadata.name() == "phase"
    }
    fn new_span(&self, _: &tracing::span::Attributes<'_>) -> tracing::span::Id {
        if self.phases.fetch_add(1, Ordering::Relaxed) == self.after {
            self.device.give_up();
        }
        tracing::span::Id::from_u64(1)
    }
    fn record(&self, _: &tracing::span::Id, _: &tracing::span::Record<'_>) {}
    fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}
    fn event(&self, _: &tracing::Event<'_>) {}
    fn enter(&self, _: &tracing::span::Id) {}
    fn exit(&self, _: &tracing::span::Id) {}
}

/// Goal: a card that is lost where the processor has stepped leaves apart meanwhile loses nothing.
/// Method: the device is given up in the third cycle, when the processor begins its first phase,
/// one in the middle, or the last, while water runs through a gallery and a box moves in a lake.
#[test]
fn a_card_that_is_lost_beside_leaves_apart_loses_nothing() {
    let world = || gallery(METHODS[0]).build().expect("a good world");
    let ran = |cycle: u32, world: &mut World| {
        put_box(world, 600.0 + 4.0 * f64::from(cycle));
        world.run_cycle(SimTime::MAX);
    };
    for after in [0, 7, 15] {
        let Some(turn) = card_to_give_up() else { return };
        let card = turn.card();
        let (log, device) = (card.log(), turn.device().clone());
        let (mut plain, mut carded) = (world(), world());
        carded.set_card(Some(Box::new(card)));
        for cycle in 0..2 {
            [&mut plain, &mut carded].into_iter().for_each(|world| ran(cycle, world));
        }
        assert_eq!((log.events().apart, log.events().lost), (2, None));
        let gives_up = GivesUp { device, phases: AtomicU64::new(0), after };
        tracing::subscriber::with_default(gives_up, || {
            tracing::callsite::rebuild_interest_cache();
            ran(2, &mut carded);
        });
        ran(2, &mut plain);
        assert!(log.events().lost.is_some(), "after {after} phases: {:?}", log.events());
        assert_eq!(plain.state_hash(), carded.state_hash(), "lost after {after} phases");
        for cycle in 3..6 {
            [&mut plain, &mut carded].into_iter().for_each(|world| ran(cycle, world));
        }
        assert_eq!(plain.state_hash(), carded.state_hash(), "three cycles after the loss");
        assert_eq!(maps_hash(&plain), maps_hash(&carded));
        assert_eq!(log.events().apart, 2);
    }
}
