//! A plane with an inflow at its top and an open edge at its foot.

use super::{GRAVITY, MANNING, ManningFlow};
use crate::suite::BenchError;
use crate::world::{RunPace, WorldPlan, column_depth_m, out_m3};
use thalweg::world::{EdgeKind, EdgePlace, WorldBuilder};
use thalweg_engine::grid::Side;
use thalweg_engine::grid::cells::CellPlace;
use thalweg_engine::sim::Settings;

const PLAN: WorldPlan =
    WorldPlan { width: 64, height: 8, cell_m: 10.0, exponent: 20, datum_m: 0.0 };

/// Returns the relative error of the discharge for the depth half-way down: `(h/h_normal)^(5/3)` of
/// the inflow, less 1, sign turned, so that it compares with the errors of face and ring.
pub fn error(flow: &ManningFlow) -> Result<(f64, String), BenchError> {
    let plan = WorldPlan { cell_m: flow.cell_m, ..PLAN };
    let terrain = plan.terrain(|x, _| (PLAN.width - 1 - x) as f64 * flow.cell_m * flow.slope)?;
    let width_m = plan.height as f64 * flow.cell_m;
    let inflow = flow.normal_q() * width_m;
    let sources: Vec<CellPlace> = (0..8).map(|y| CellPlace { x: 0, y }).collect();
    let depth_m = flow.depth_m;
    let mut world = WorldBuilder::new(terrain)
        .settings(Settings {
            solver: flow.solver,
            gravity: GRAVITY,
            manning_n: vec![MANNING],
            ..Settings::default()
        })
        .edge("outlet", EdgePlace::Side(Side::East), EdgeKind::Open)
        .initial_depth(move |_| depth_m)
        .inflow("source", &[(0.0, inflow)], &sources)?
        .build()?;
    // Until waves of depth have left: several crossings at the speed of the water, and the time
    // that friction takes.
    let u = flow.normal_q() / flow.depth_m;
    let crossing_s = plan.width as f64 * flow.cell_m / u;
    let friction_s = u / (GRAVITY * flow.slope);
    let window_s = crossing_s.max(4.0 * friction_s);
    let settled_s = 4.0 * crossing_s + 24.0 * friction_s;
    RunPace::Automatic.run(&mut world, settled_s);
    let (start_s, out_before) = (world.time().seconds(), out_m3(&world, "outlet"));
    let (mut depth, mut looks) = (0.0, 0);
    for look in 1..=50 {
        RunPace::Automatic.run(&mut world, settled_s + 0.02 * f64::from(look) * window_s);
        depth += (28..36).map(|x| column_depth_m(&world, x)).sum::<f64>() / 8.0;
        looks += 1;
    }
    let outflow = (out_m3(&world, "outlet") - out_before) / (world.time().seconds() - start_s);
    let ratio = depth / f64::from(looks) / flow.depth_m;
    let note = format!(", depth {ratio:.5} of normal, outflow {:.5} of inflow", outflow / inflow);
    Ok((ratio.powf(-5.0 / 3.0) - 1.0, note))
}
