//! Two basins joined by a flooded tunnel in the rock: the case of `bodies.u_tube` with intervals.

use crate::bodies::u_tube::{RISE_M, STILL_M, TUNNEL_M, lines_of, swing_in};
use crate::suite::{Bench, BenchError, BenchResult, Context};
use crate::world::{WorldPlan, place};
use thalweg::world::{Voids, WorldBuilder};
use thalweg_engine::sim::Settings;

/// The swing of the water in a U-tube of intervals.
pub const BENCH: Bench = Bench {
    ids: &["stacks.u_tube", "stacks.u_tube_kept", "stacks.u_tube_long", "stacks.u_tube_long_kept"],
    what: "two basins joined by a tunnel of 40 and of 160 intervals: period over the textbook's, \
           amplitude kept after three periods",
    is_long: false,
    measure,
};

/// Ground above the tunnel, m.
const HILL_M: f64 = 20.0;

fn swing(length: usize) -> Result<[f64; 2], BenchError> {
    let plan = WorldPlan { width: length + 2, height: 2, cell_m: 1.0, exponent: 20, datum_m: 0.0 };
    let is_basin = move |x: usize| x == 0 || x == length + 1;
    let mut voids = Voids::new();
    voids.carve(place(1, 0), place(length + 1, 2), [0.0, TUNNEL_M]);
    let stage = move |x: usize| match x {
        0 => STILL_M + RISE_M,
        x if is_basin(x) => STILL_M,
        _ => f64::NAN,
    };
    let world = WorldBuilder::new(plan.terrain(|x, _| if is_basin(x) { 0.0 } else { HILL_M })?)
        .settings(Settings { manning_n: vec![0.0], ..Settings::default() })
        .initial_stage(move |place| stage(place.x as usize))
        .voids(voids)
        .initial_stage_below(|_, _| STILL_M)
        .build()?;
    swing_in(world, length)
}

fn measure(_: &Context) -> BenchResult {
    lines_of(&BENCH, swing)
}
