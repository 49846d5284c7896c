//! The map: a river leaves a narrow valley for a flood plain, with a town in its bend.

use std::error::Error;
use std::f64::consts::TAU;
use thalweg::terrain::{Shape, Terrain};
use thalweg::world::{
    Action, CellPlace, Discharge, EdgeKind, EdgePlace, Inflow, InflowPlace, MapKinds, Side, World,
    WorldBuilder,
};

/// Place, m east and north of the map's south-west corner.
pub type CityPoint = [f64; 2];

/// Columns and rows of the map, and the width of its cells, m.
pub const SIZE: [u32; 2] = [128, 64];
const CELL_M: f64 = 7.5;
/// The map's width and height, m.
pub const MAP_M: CityPoint = [960.0, 480.0];

/// The old town in the bend, farms, and the plant up the river.
pub const TOWN: [CityPoint; 14] = [
    [515.0, 208.0],
    [540.0, 222.0],
    [566.0, 216.0],
    [592.0, 230.0],
    [500.0, 240.0],
    [526.0, 252.0],
    [552.0, 256.0],
    [580.0, 262.0],
    [606.0, 258.0],
    [515.0, 284.0],
    [545.0, 290.0],
    [575.0, 298.0],
    [602.0, 296.0],
    [590.0, 332.0],
];
pub const FARMS: [CityPoint; 4] = [[700.0, 130.0], [770.0, 140.0], [430.0, 110.0], [820.0, 410.0]];
pub const PLANT: CityPoint = [385.0, 360.0];
/// Intake of the town's drinking water, below the plant's outfall.
pub const INTAKE: CityPoint = [560.0, 136.0];
/// Part of effluent above which people dislike the water.
pub const FOUL: f64 = 0.02;
const OUTFALL_X: f64 = 407.0;
/// Places at which the brook leaves the hills and meets the river.
const BROOK: [CityPoint; 2] = [[592.0, 445.0], [652.0, 215.0]];
/// River and brook in most of the year, m³/s.
pub const RIVER: f64 = 15.0;
pub const RILL: f64 = 1.0;

/// Returns a smooth step from 0 to 1.
fn smooth(part: f64) -> f64 {
    let t = part.clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

/// Returns the river's middle, north of the map's south edge, m.
fn river_m(x: f64) -> f64 {
    240.0 - 105.0 * smooth((x - 230.0) / 170.0) * (TAU * (x - 430.0) / 480.0).sin()
}

fn from_river_m([x, y]: CityPoint) -> f64 {
    let slope = (river_m(x + 1.0) - river_m(x - 1.0)) / 2.0;
    (y - river_m(x)).abs() / (1.0 + slope * slope).sqrt()
}

fn from_brook_m(at: CityPoint) -> f64 {
    from_line_m(at, BROOK)
}

/// Returns the distance of a place from the straight line between two places.
pub fn from_line_m([x, y]: CityPoint, [[ax, ay], [bx, by]]: [CityPoint; 2]) -> f64 {
    let (dx, dy) = (bx - ax, by - ay);
    let square = (dx * dx + dy * dy).max(1.0e-6);
    let along = (((x - ax) * dx + (y - ay) * dy) / square).clamp(0.0, 1.0);
    (x - ax - along * dx).hypot(y - ay - along * dy)
}

/// Returns knolls and hollows, `width_m` wide, -1 to 1.
fn rough([x, y]: CityPoint, width_m: f64) -> f64 {
    let wave = |a: f64, b: f64, turn: f64| (TAU * ((a * x + b * y) / width_m + turn)).sin();
    let patches = wave(1.0, 0.3, 0.1) * wave(-0.2, 0.9, 0.6);
    0.7 * patches + 0.3 * wave(1.9, 1.3, 0.3) * wave(-1.4, 2.1, 0.8)
}

/// Returns the ground, m: hills that open to the east, a plain, and the beds of river and brook.
pub fn height_m(at: CityPoint) -> f64 {
    let [x, y] = at;
    let away_m = from_river_m(at);
    let plain = 0.002 * (MAP_M[0] - x) + 0.002 * away_m.min(150.0) + 0.15 * rough(at, 120.0);
    let valley_m = 36.0 + 150.0 * smooth((x - 190.0) / 220.0);
    let beside_m = ((y - 240.0).abs() - valley_m).max(0.0);
    let rises_m = 70.0 * smooth(beside_m / 190.0);
    let hill = rises_m * (1.0 + 0.11 * rough(at, 260.0));
    let river = 1.3 * smooth((17.0 - away_m) / 8.0);
    let brook = 0.7 * smooth((9.0 - from_brook_m(at)) / 5.0) * (1.0 - smooth(hill / 4.0));
    10.0 + plain + hill - river.max(brook)
}

/// Returns the world at the beginning: a little water in the river's bed, and the plant's outfall.
pub fn world() -> Result<World, Box<dyn Error>> {
    let middle = |x: usize, y: usize| [x, y].map(|n| (n as f64 + 0.5) * CELL_M);
    let size = SIZE.map(|n| n as usize);
    let terrain = Terrain::from_heights(size, CELL_M, |x, y| height_m(middle(x, y)))?;
    let depth_m = move |place: CellPlace| {
        let [column, row] = place.indices();
        let at = middle(column, row);
        if from_river_m(at) < 12.0 { 0.5 } else { 0.0 }
    };
    let mut world = WorldBuilder::new(terrain)
        .maps(MapKinds::FOOTPRINT | MapKinds::VELOCITY)
        .manning(0.04)
        .wet_depth_m(0.05)
        .edge("down the valley", EdgePlace::Side(Side::East), EdgeKind::Open)
        .initial_depth(depth_m)
        .tracer("effluent", |_| 0.0)
        .build()?;
    world.edits().act_for_good(Action::PutInflow(Inflow {
        name: "outfall".to_owned(),
        place: InflowPlace::Point([OUTFALL_X, river_m(OUTFALL_X)]),
        discharge: Discharge::Constant(0.3),
        tracers: vec![("effluent".to_owned(), 0.2)],
    }))?;
    bring(&mut world, RIVER, RILL)?;
    Ok(world)
}

/// Sets river and brook from now on: as usual, or a flood that rises, stays and falls.
pub fn bring(world: &mut World, river: f64, brook: f64) -> Result<(), Box<dyn Error>> {
    let wave = |base: f64, peak: f64| {
        Discharge::Series(vec![(0.0, base), (40.0, peak), (210.0, peak), (270.0, base)])
    };
    let head = Shape::disc([5.0, river_m(5.0)], 16.0, 0.0);
    let inflow = |name: &str, place, discharge| {
        Action::PutInflow(Inflow { name: name.to_owned(), place, discharge, tracers: Vec::new() })
    };
    world.edits().act_all([
        inflow("river", InflowPlace::Area(head), wave(RIVER, river)),
        inflow("brook", InflowPlace::Point(BROOK[0]), wave(RILL, brook)),
    ])?;
    Ok(())
}

pub fn is_foul(world: &World, at: CityPoint) -> bool {
    let place = world.place_at(at);
    place.and_then(|place| world.water().concentration("effluent", place)) > Some(FOUL)
}
