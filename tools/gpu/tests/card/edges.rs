//! The boundary of the world on a card has the bits of the processor.

use crate::support::check;
use thalweg::prelude::*;
use thalweg::world::{EdgeKind, EdgePlace, MapKinds, Settings, Side, Solver};

/// A slope with hills and a hole in it, in two leaves by two and a bit.
fn slope() -> WorldBuilder {
    let terrain = Terrain::from_heights([140, 130], 4.0, |x, y| {
        let (x, y) = (x as f64, y as f64);
        let is_hole = (x - 70.0).hypot(y - 66.0) < 9.0;
        let height = 30.0 + 0.03 * x + 2.0 * (0.13 * x).sin() * (0.09 * y).cos();
        if is_hole { f64::NAN } else { height }
    });
    let settings = Settings { solver: Solver::Pipe, ..Settings::default() };
    WorldBuilder::new(terrain.expect("a good terrain")).settings(settings).maps(MapKinds::ALL)
}

/// Goal: open edges on all sides, around a hole, and corners. Method: water that runs off over
/// them all, with rain.
#[test]
fn open_edges_have_the_same_bits() {
    let world = || {
        slope()
            .edges(EdgeKind::Open)
            .initial_stage(|place| if place.x > 50 { 36.0 } else { f64::NAN })
            .rain("rain", &[(0.0, 1.0e-5)])
            .expect("a good series")
            .build()
            .expect("a good world")
    };
    check(world, 40);
}

/// Goal: edges held at a stage that rises and falls. Method: a tide of 2 m in the west, all else
/// open.
#[test]
fn tides_have_the_same_bits() {
    let world = || {
        let tide = vec![(0.0, 31.0), (60.0, 33.0), (120.0, 31.0), (600.0, 32.0)];
        slope()
            .edge("tide", EdgePlace::Side(Side::West), EdgeKind::Stage(tide))
            .edge("north", EdgePlace::Side(Side::North), EdgeKind::Open)
            .build()
            .expect("a good world")
    };
    check(world, 40);
}
