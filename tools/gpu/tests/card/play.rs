//! Acts of players and games in every frame of a world with a card.

use crate::support::{card_to_give_up, maps_hash};
use std::ops::Range;
use thalweg::prelude::*;
use thalweg::terrain::Shape;
use thalweg::world::{
    Action, Amount, Discharge, EdgeKind, EdgePlace, FixedStep, Inflow, InflowPlace, MapKinds, Rate,
    Settings, Side, Solver, Stage, Weather,
};
use thalweg_engine::structure::weather::Direction;

/// A slope with hills, a sea at its foot, rain and soil, dye, and all maps.
fn shore() -> World {
    let terrain = Terrain::from_heights([380, 250], 4.0, |x, y| {
        let (x, y) = (x as f64, y as f64);
        30.0 + 0.03 * x + 2.0 * (0.13 * x).sin() * (0.09 * y).cos()
    });
    let settings = Settings { solver: Solver::ShallowWater, ..Settings::default() };
    WorldBuilder::new(terrain.expect("a good terrain"))
        .settings(Settings { manning_n: vec![0.03, 0.05], ..settings })
        .maps(MapKinds::ALL)
        .edge("sea", EdgePlace::Side(Side::West), EdgeKind::Stage(vec![(0.0, 32.0)]))
        .initial_stage(|_| 33.0)
        .layer("rain", Direction::Into, &[(0.0, 1.0e-6)])
        .and_then(|builder| builder.layer("soil", Direction::Ground, &[(0.0, 1.0e-7)]))
        .expect("good series")
        .tracer("dye", |_| 0.0)
        .build()
        .expect("a good world")
}

/// Everything that may happen in a frame: a place moves over the map at which water is poured,
/// pushed, coloured and drawn, a storm follows it, a river swells, a tide rises, and crops grow.
fn act(number: u32, world: &mut World) {
    let east_m = 300.0 + 6.0 * f64::from(number);
    let disc = |north_m: f64| {
        let centre_m = [east_m, north_m];
        Shape::Disc { centre_m, radius_m: 30.0, rim_m: 10.0 }
    };
    let discharge = Discharge::Constant(2.0 + f64::from(number));
    // From the sixth frame on there is another, with an account of its own.
    let river = Inflow {
        name: if number.is_multiple_of(2) || number < 5 { "river" } else { "brook" }.to_owned(),
        place: InflowPlace::Point([700.0, 700.0]),
        discharge,
        tracers: vec![("dye".to_owned(), 0.5)],
    };
    let storm = Weather {
        layer: "rain".to_owned(),
        area: Some(disc(600.0)),
        rates: vec![Rate::Constant(1.0e-5 * f64::from(number % 3))],
    };
    let acts = [
        Action::AddWater { area: disc(400.0), amount: Amount::DepthM(0.1) },
        Action::PushWater { area: disc(400.0), by_m_s: [0.5, -0.3] },
        Action::ColourWater { area: disc(420.0), tracer: "dye".to_owned(), concentration: 0.8 },
        Action::RemoveWater { area: disc(300.0), amount: Amount::DepthM(0.05) },
        Action::PutInflow(river),
        Action::ChangeWeather(storm),
        Action::ChangeStage {
            edge: "sea".to_owned(),
            stage: Stage::Constant(32.0 + 0.01 * f64::from(number)),
        },
        Action::ChangeRoughness { class: 0, manning_n: 0.03 + 0.001 * f64::from(number) },
    ];
    for act in acts {
        world.edits().act(act).expect("in the world");
    }
}

fn run(world: &mut World) -> u64 {
    world.run_cycle(FixedStep::try_new(1, 60).expect("a good length")).awake as u64
}

/// Frames of both worlds, a sixtieth of a second each; returns how many leaves were awake in them.
fn frames(numbers: Range<u32>, worlds: [&mut World; 2]) -> u64 {
    let mut awake = 0;
    for world in worlds {
        let frame = |number| {
            act(number, world);
            run(world)
        };
        awake = numbers.clone().map(frame).sum();
    }
    awake
}

/// Goal: a game whose players do something in every frame does not wait for all planes in every
/// frame, and a card that is lost costs nothing. Method: planes are read of leaves that are
/// touched; the device is given up after some frames, or in one, between the acts and the cycle;
/// all of them run again.
#[test]
fn frames_of_a_game_make_no_checkpoint() {
    for is_within in [false, true] {
        let Some(turn) = card_to_give_up() else { return };
        let (card, mut plain, mut carded) = (turn.card(), shore(), shore());
        let log = card.log();
        carded.set_card(Some(Box::new(card)));
        let awake = frames(0..10, [&mut plain, &mut carded]);
        let events = log.events();
        println!("{awake} leaves awake in all: {events:?}");
        assert_eq!(events.cycles, 10, "{events:?}");
        // Of a leaf there are three parts.
        assert!(events.read < 2 * awake / 3, "{awake} leaves awake in all: {events:?}");
        if is_within {
            [&mut plain, &mut carded].into_iter().for_each(|world| act(10, world));
        }
        turn.device().give_up();
        assert_eq!(plain.state_hash(), carded.state_hash(), "read after the loss");
        if is_within {
            assert_eq!(run(&mut plain), run(&mut carded));
        }
        frames(11..14, [&mut plain, &mut carded]);
        assert_eq!(plain.state_hash(), carded.state_hash(), "three frames later");
        assert_eq!(maps_hash(&plain), maps_hash(&carded));
        assert_eq!(carded.water().stored(), carded.water().ledger().expected());
        assert!(log.events().lost.is_some() && log.events().cycles == 10, "{:?}", log.events());
    }
}
