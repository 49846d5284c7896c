//! Sub-grid columns on a card.

use crate::support::{check_running, of_release};
use thalweg::prelude::*;
use thalweg::units::hash::scramble;
use thalweg::units::SimTime;
use thalweg::world::{ColumnKind, FixedStep, MapKinds, Order, Settings, Solver};

/// The pipe, and shallow water of both orders.
const METHODS: [(Solver, Order); 3] = [
    (Solver::Pipe, Order::Second),
    (Solver::ShallowWater, Order::First),
    (Solver::ShallowWater, Order::Second),
];

/// A number from 0 to 1 for a place.
fn draw(x: usize, y: usize, what: u64) -> f64 {
    let bits = scramble(scramble(what << 32 | (x as u64) << 16 | y as u64));
    (bits >> 40) as f64 / f64::from(1 << 24)
}

/// Rough ground with brooks, levees and houses narrower than the cells of its level, holes and a
/// ragged border.
fn ground(cells: [usize; 2], level: u8, (solver, order): (Solver, Order)) -> WorldBuilder {
    let height = |x: usize, y: usize| {
        if draw(x / 7, y / 7, 0) < 0.03 {
            return f64::NAN;
        }
        let (a, b) = (x as f64, y as f64);
        let hills = 2.0 * (0.05 * a).sin() * (0.04 * b).cos() + 0.02 * a;
        let brook = if (y + (0.1 * a).sin() as usize) % 23 < 2 { -1.5 } else { 0.0 };
        let levee = if x % 41 == 0 && y % 60 > 3 { 1.0 } else { 0.0 };
        let house = if x % 29 < 6 && y % 31 < 9 { 5.0 } else { 0.0 };
        30.0 + hills + brook + levee + house + 0.3 * draw(x, y, 1)
    };
    let terrain = Terrain::from_heights(cells, 2.0, height).expect("a good terrain");
    let settings = Settings { solver, order, ..Settings::default() };
    WorldBuilder::new(terrain).settings(settings).level(level).columns(ColumnKind::SubGrid)
}

/// Goal: columns have the same bits whatever the water does. Method: rough ground on which some
/// water stands and runs, closed all around, now and then in steps of half a second.
#[test]
fn rough_ground_has_the_same_bits() {
    let long = FixedStep::try_new(4, 1).expect("a good length");
    for method in METHODS {
        let world = || {
            let depth = |place: CellPlace| match draw(place.x as usize / 9, place.y as usize / 9, 2) {
                part if part < 0.4 => 0.0,
                part if part < 0.7 => 1.0e-3 * part,
                part => 3.0 * (part - 0.6),
            };
            let builder = ground([300, 290], 1, method).maps(MapKinds::ALL);
            builder.initial_depth(depth).build().expect("a good world")
        };
        let reports = check_running(world, of_release(60), |cycle, world| match cycle % 4 {
            3 => world.run_cycle(long),
            _ => world.run_cycle(SimTime::MAX),
        });
        let clamped: u64 = reports.iter().map(|report| report.clamped).sum();
        let limited: u64 = reports.iter().map(|report| report.limited).sum();
        println!("{method:?}: {clamped} clamped, {limited} limited");
    }
}
