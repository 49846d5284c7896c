//! Bores on wet ground.

use crate::support::{scale, terrain};
use thalweg::units::SimTime;
use thalweg::world::WorldBuilder;
use thalweg_engine::grid::cells::CellPlace;
use thalweg_engine::sim::{Order, Settings, Solver};

/// Goal: no waves stand behind a weak bore, of either order.
/// Method: a metre of water falls onto 0.9 m; between the fan and the bore it is level. Without the
/// thrust of compressed water the highest is 0.25 to 0.3 of the bore above that.
#[test]
fn water_behind_a_bore_is_level() {
    let (cell_m, ahead_m) = (0.05, 0.9);
    for order in [Order::First, Order::Second] {
        let settings = Settings {
            solver: Solver::ShallowWater,
            order,
            manning_n: vec![0.0],
            ..Settings::default()
        };
        let mut world = WorldBuilder::new(terrain(200, 2, cell_m, scale(20, 0.0), |_, _| 0.0))
            .settings(settings)
            .initial_depth(move |place| if place.x < 100 { 1.0 } else { ahead_m })
            .build()
            .expect("a good world");
        world.run_until(SimTime::from_seconds(0.559));
        let depth = |x: u32| world.water().depth_m(CellPlace { x, y: 0 }).expect("inside");
        let plateau_m = (105..115).map(depth).sum::<f64>() / 10.0;
        let most_m = (100..200).map(depth).fold(0.0, f64::max);
        let over = (most_m - plateau_m) / (plateau_m - ahead_m);
        println!("{order:?}: {plateau_m:.4} m, {:.2} % above it", 100.0 * over);
        assert!((plateau_m - 0.9494).abs() < 1.0e-3, "{plateau_m} m");
        assert!(over < 0.01, "{order:?}: {over} of the bore");
    }
}
