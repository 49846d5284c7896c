//! Infiltration after Green and Ampt on a card has the bits of the processor.

use crate::support::check_running;
use thalweg::prelude::*;
use thalweg::units::SimTime;
use thalweg::world::{MapKinds, Order, Settings, Solver};
use thalweg_engine::structure::weather::Direction;

/// Goal: what soaks in has the same bits, in ground that is dry and in ground that has taken more
/// than in a step, where it takes all water and where it takes a part, beside layers that bring
/// water, take it and give it to the same ground. Method: pools and films on hills, in clay, in
/// loam and in gravel, on leaves two by two, of which parts lie outside the world.
#[test]
fn infiltration_has_the_same_bits() {
    for (method, (conductivity_m_s, suction_m)) in [
        ((Solver::Pipe, Order::Second), (1.0e-7, 0.3)),
        ((Solver::ShallowWater, Order::First), (3.0e-5, 0.1)),
        ((Solver::ShallowWater, Order::Second), (1.0e-2, 1.0e-4)),
    ] {
        let world = || {
            let terrain = Terrain::from_heights([100, 90], 5.0, |x, y| {
                let (x, y) = (x as f64, y as f64);
                let is_hole = (x - 60.0).hypot(y - 50.0) < 6.0;
                let height = 20.0 + 0.5 * (0.2 * x).sin() * (0.3 * y).cos();
                if is_hole { f64::NAN } else { height }
            });
            let soils = [vec![(0.0, 1.0e-6)], vec![(0.0, 1.0e-3), (2.0, 0.0)]];
            let (solver, order) = method;
            WorldBuilder::new(terrain.expect("a good terrain"))
                .settings(Settings { solver, order, ..Settings::default() })
                .maps(MapKinds::ALL)
                .initial_depth(|place| if place.x % 13 < 4 { 0.4 } else { 1.0e-4 })
                .layer("rain", Direction::Into, &[(0.0, 1.0e-5)])
                .and_then(|b| b.layer("evaporation", Direction::Out, &[(0.0, 1.0e-7)]))
                .and_then(|b| {
                    let soil = |place: CellPlace| u16::from(place.x > 40);
                    b.layer_classes("loss", Direction::Ground, &soils, soil)
                })
                .and_then(|b| b.inflow("spring", &[(0.0, 0.5)], &[CellPlace { x: 30, y: 20 }]))
                .and_then(|b| b.green_ampt(conductivity_m_s, suction_m))
                .expect("good numbers")
                .build()
                .expect("a good world")
        };
        check_running(world, 12, |_, world| {
            let end = world.time().after(SimTime::from_seconds(1.0).ticks());
            world.run_cycle(end)
        });
    }
}
