//! Whole steps on the card against the processor.

use crate::arithmetic::Routes;
use crate::card::GpuCard;
use crate::device::{Device, WITH_CONTENTS};
use crate::failure::{Failure, Mismatch};
use thalweg::Error;
use thalweg::prelude::*;
use thalweg::units::SimTime;
use thalweg::world::{ColumnKind, MapKinds, Settings, Solver};
use thalweg_engine::grid::TileKey;
use thalweg_engine::sim::Order;
use thalweg_engine::structure::weather::Direction;
use thalweg_engine::units::hash::{StateHasher, scramble};

/// Cycles of each method in each place.
const CYCLES: u64 = 3;

/// Returns a card whose steps give the states of the processor, or the first method that differs.
///
/// # Errors
///
/// The device is lost, or refuses a kernel.
pub fn tested(device: &Device, routes: Routes) -> Result<Result<GpuCard, Mismatch>, Failure> {
    let methods = [
        ("steps of the pipe", Solver::Pipe, Order::Second),
        ("steps of shallow water of first order", Solver::ShallowWater, Order::First),
        ("steps of shallow water of second order", Solver::ShallowWater, Order::Second),
    ];
    let first = GpuCard::with_routes(device.clone(), routes)?;
    let carried = [
        ("tracers of first order", Solver::Pipe, Order::First),
        ("tracers of second order", Solver::Pipe, Order::Second),
    ];
    let has_room = device.limits.max_storage_buffers_per_shader_stage >= WITH_CONTENTS;
    let places: [WorldMaker; 3] = [landscape, ruins, draft];
    let cases = methods.into_iter().flat_map(|method| places.map(|place| (method, place)));
    let carried =
        carried.into_iter().filter(|_| has_room).map(|method| (method, lagoon as WorldMaker));
    for ((operation, solver, order), place) in cases.chain(carried) {
        let card = first.another()?;
        let log = card.log();
        let settings = Settings { solver, order, ..Settings::default() };
        let world = || place(settings.clone()).expect("the places of the test are sound");
        let (mut plain, mut carded) = (world(), world());
        carded.set_card(Some(Box::new(card)));
        let long = FixedStep::try_new(4, 1).expect("4 s");
        for world in [&mut plain, &mut carded] {
            world.run_cycle(SimTime::MAX);
            // Longer than is stable: speeds and outflows are limited.
            world.run_cycle(long);
            world.run_cycle(SimTime::MAX);
        }
        let events = log.events();
        if let Some(failure) = events.lost {
            return Err(failure);
        }
        assert_eq!(events.cycles, CYCLES, "the card can do the places of the test");
        let [expected, got] = [&plain, &carded].map(|world| halves(hash(world)));
        if expected != got {
            return Ok(Err(Mismatch { operation, operands: [0; 4], got, expected }));
        }
    }
    Ok(Ok(first))
}

/// Returns the hash of the state and of all flood maps.
fn hash(world: &World) -> u64 {
    let mut hash = StateHasher::new();
    hash.add(world.state_hash());
    for maps in world.simulation().maps() {
        maps.hash(maps.kinds(), &mut hash).expect("kinds that are kept");
    }
    hash.finish()
}

#[expect(clippy::cast_possible_truncation, reason = "halves")]
fn halves(hash: u64) -> [u32; 2] {
    [hash as u32, (hash >> 32) as u32]
}

/// A maker of a world with the given settings.
type WorldMaker = fn(Settings) -> Result<World, Error>;

/// Makes a front that runs over dry ground, a film on a slope, a fall from a cliff, and a basin of
/// 300 m, each of them partly in each of four leaves.
fn landscape(settings: Settings) -> Result<World, Error> {
    Ok(hills(settings)?.build()?)
}

/// Makes that landscape in cells of four, which are sub-grid columns.
fn draft(settings: Settings) -> Result<World, Error> {
    Ok(hills(settings)?.level(1).columns(ColumnKind::SubGrid).build()?)
}

/// Makes that landscape with two tracers, one all over and one in patches, which the rain brings
/// and evaporation removes.
fn lagoon(settings: Settings) -> Result<World, Error> {
    let patches = |place: CellPlace| match scramble(u64::from(place.x << 16 | place.y)) % 3 {
        0 => f64::from(place.x) / 128.0,
        _ => 0.0,
    };
    let builder = hills(settings)?.layer("evaporation", Direction::Out, &[(0.0, 2.0e-6)])?;
    let builder = builder.tracer("salt", |place| f64::from(place.y / 8 % 5) / 4.0);
    let builder = builder.tracer("dye", patches).tracer_source("salt", "film", 0.035);
    Ok(builder.build()?)
}

fn hills(settings: Settings) -> Result<WorldBuilder, Error> {
    let terrain = Terrain::from_heights([80, 76], 5.0, |x, y| {
        let (x, y) = (x as f64, y as f64);
        let hills = (0.31 * x).sin() * (0.23 * y).cos() + 0.2 * (1.7 * x + 0.9 * y).sin();
        let cliff = if (x - 40.0).hypot(y - 50.0) < 12.0 { 25.0 } else { 0.0 };
        let basin = if (x - 62.0).hypot(y - 66.0) < 8.0 { 300.0 } else { 0.0 };
        50.0 + 0.05 * x + 2.0 * hills + cliff - basin
    })?;
    let stage = |place: CellPlace| match (place.x, place.y) {
        (x, _) if x < 20 => 56.0,
        (x, y) if x > 52 && y > 56 => 54.0,
        (x, y) if (34..46).contains(&x) && (44..56).contains(&y) => 78.0,
        _ => f64::NAN,
    };
    let builder = WorldBuilder::new(terrain).settings(settings).maps(MapKinds::ALL);
    Ok(builder.initial_stage(stage).rain("film", &[(0.0, 3.0e-5)])?)
}

/// Makes walls at angles to the grid on steps of 2 m, with gaps in the map; water of all depths
/// among them, some of it fast, over ground of three roughnesses: in leaves of three levels.
fn ruins(settings: Settings) -> Result<World, Error> {
    let number = |x: u64, y: u64, what: u64| {
        let word = scramble(scramble(what << 40 | x << 20 | y));
        (word >> 40) as f64 / f64::from(1 << 24)
    };
    let terrain = Terrain::from_heights([512, 256], 4.0, move |x, y| {
        let (x, y) = (x as u64, y as u64);
        if number(x / 12, y / 12, 0) < 0.05 {
            return f64::NAN;
        }
        let is_wall = (x + 2 * y) % 19 < 4 && (2 * x + 400 - y) % 17 < 8;
        let wall = if is_wall { 8.0 } else { 0.0 };
        let noise = 10.0_f64.powf(-4.0 * number(x / 20, y / 20, 1)) * number(x, y, 2);
        10.0 + wall + 2.0 * (5.0 * number(x / 13, y / 13, 3)).floor() + noise
    })?;
    let number_at = move |place: CellPlace, size: u32, what: u64| {
        number(u64::from(place.x / size), u64::from(place.y / size), what)
    };
    let depth = move |place: CellPlace| match number_at(place, 7, 4) {
        part if part < 0.4 => 0.0,
        part if part < 0.7 => 2.0e-5 * number_at(place, 1, 5),
        part if part < 0.9 => 20.0 * (part - 0.7),
        _ => number_at(place, 1, 6),
    };
    let velocity = move |place: CellPlace| {
        (24.0 * number_at(place, 7, 7) - 12.0, 24.0 * number_at(place, 7, 8) - 12.0)
    };
    let tile = |level, x, y| TileKey { level, x, y };
    let fine = [0, 1].into_iter().flat_map(|y| (0..4).map(move |i| tile(1, 3, y).child(i)));
    let leaves = [tile(2, 0, 0), tile(1, 2, 0), tile(1, 2, 1)].into_iter().chain(fine);
    let world = WorldBuilder::new(terrain)
        .leaves(leaves.collect())
        .settings(settings)
        .maps(MapKinds::ALL)
        .manning_classes(vec![0.0, 0.03, 0.2], |place| (place.x / 5 % 3) as u8)
        .initial_depth(depth)
        .initial_velocity(velocity);
    Ok(world.build()?)
}
