//! A house of a cellar and three storeys: poured in from above, and flooded from the street.
//!
//! ```text
//!   │ second      ┌──┐│      floors of 10 × 10 cells of 1 m; a hole in each, with a lip of 5 cm
//!   │▓▓▓▓▓▓▓▓▓▓▓▓▓┘  ││      around it, through which water falls
//!   │ first  ┌──┐     │
//!   │▓▓▓▓▓▓▓▓┘  └▓▓▓▓▓│
//!  ═╪ ground          │      a door of one cell, its sill 15 cm above the street
//!   │▓▓▓▓▓▓▓▓▓▓▓▓▓┐  ▓│
//!   │ cellar      └──┘│
//! ```

use crate::suite::{Bench, BenchError, BenchResult, Context};
use crate::table::Measurement;
use crate::world::{WorldPlan, check_books, place};
use thalweg::units::SimTime;
use thalweg::world::{EdgeKind, EdgePlace, Voids, World, WorldBuilder};
use thalweg_engine::grid::Side;
use thalweg_engine::sim::{Settings, Solver};

/// Water in a house.
pub const BENCH: Bench = Bench {
    ids: &["stacks.house_floors", "stacks.house_below", "stacks.house_door"],
    what: "a house of three storeys: largest difference of a floor's water from its lip, in mm, \
           after it was poured full; water that comes in under the door's sill; discharge of the \
           door over that of a weir, with either solver the worse",
    is_long: false,
    measure,
};

/// Beds and ceilings of cellar and storeys, m, and the height of the lips around holes.
const FLOORS_M: [[f64; 2]; 4] = [[-3.0, -0.3], [0.15, 2.8], [3.0, 5.8], [6.0, 8.8]];
const LIP_M: f64 = 0.05;
/// The house's south-west cell and its width in cells.
const WEST: usize = 12;
const SOUTH: usize = 2;
const SIZE: usize = 10;
/// The hole from each storey down to the one below: column and row in the house.
const HOLES: [(usize, usize); 3] = [(8, 1), (1, 8), (8, 8)];
const ROOF_M: f64 = 10.0;

/// Returns whether a cell of the house is a lip around the hole of a storey, counted from the
/// ground floor.
fn is_lip(storey: usize, x: usize, y: usize) -> bool {
    let (hole_x, hole_y) = HOLES[storey];
    x.abs_diff(hole_x) <= 1 && y.abs_diff(hole_y) <= 1
}

fn voids() -> Voids {
    let mut voids = Voids::new();
    for (x, y) in (0..SIZE).flat_map(|x| (0..SIZE).map(move |y| (x, y))) {
        let at = place(WEST + x, SOUTH + y);
        // A hole joins two storeys: their intervals are one.
        let mut spans = vec![FLOORS_M[0]];
        for storey in 0..3 {
            let [bed, ceiling] = FLOORS_M[storey + 1];
            if HOLES[storey] == (x, y) {
                let last = spans.len() - 1;
                spans[last][1] = ceiling;
            } else {
                spans.push([bed + if is_lip(storey, x, y) { LIP_M } else { 0.0 }, ceiling]);
            }
        }
        voids.extend(spans.into_iter().map(|span| (at, span)));
    }
    // The door.
    voids.carve(place(WEST - 1, SOUTH + 5), place(WEST, SOUTH + 6), [FLOORS_M[1][0], 2.2]);
    voids
}

fn house(solver: Solver, street_m: Option<f64>, poured_m: f64) -> Result<World, BenchError> {
    let plan = WorldPlan { width: 26, height: 14, cell_m: 1.0, exponent: 20, datum_m: -8.0 };
    let in_walls = |x: usize, y: usize| {
        (WEST - 1..=WEST + SIZE).contains(&x) && (SOUTH - 1..=SOUTH + SIZE).contains(&y)
    };
    let settings = Settings { manning_n: vec![0.02], solver, ..Settings::default() };
    let mut builder =
        WorldBuilder::new(plan.terrain(|x, y| if in_walls(x, y) { ROOF_M } else { 0.0 })?)
            .settings(settings)
            .voids(voids())
            .initial_stage(move |at| {
                let is_dry = in_walls(at.x as usize, at.y as usize);
                if is_dry { f64::NAN } else { street_m.unwrap_or(f64::NAN) }
            })
            .initial_stage_below(move |_, [bed_m, _]| {
                if bed_m > FLOORS_M[3][0] - 0.01 { bed_m + poured_m } else { f64::NAN }
            });
    if let Some(stage_m) = street_m {
        let stage = EdgeKind::Stage(vec![(0.0, stage_m)]);
        builder = builder.edge("street", EdgePlace::Side(Side::West), stage);
    }
    Ok(builder.build()?)
}

/// Returns the largest difference, m, of the water on the storeys from their lips: of the ground
/// floor from the door's sill if that is lower.
fn floors() -> Result<f64, BenchError> {
    let mut world = house(Solver::Pipe, None, 0.5)?;
    world.run_until(SimTime::from_seconds(3600.0));
    check_books(&world)?;
    let mut worst = 0.0_f64;
    for (storey, [bed_m, _]) in (1..).zip([FLOORS_M[2], FLOORS_M[3]]) {
        for (x, y) in (0..SIZE).flat_map(|x| (0..SIZE).map(move |y| (x, y))) {
            if is_lip(storey, x, y) {
                continue;
            }
            let own = world.stacks().intervals_at(place(WEST + x, SOUTH + y));
            let own = own.iter().find(|own| (own.bed_m - bed_m).abs() < 1.0e-3);
            let own = own.ok_or("a floor is gone")?;
            worst = worst.max((own.head_m - bed_m - LIP_M).abs());
        }
    }
    Ok(worst)
}

/// Returns the volume that flows in from a street at a stage in a time, m³, and the discharge then,
/// m³/s.
fn flooded(solver: Solver, stage_m: f64) -> Result<[f64; 2], BenchError> {
    let mut world = house(solver, Some(stage_m), 0.0)?;
    // Before the water on the ground floor slows the inflow at the door.
    world.run_until(SimTime::from_seconds(10.0));
    let before = world.stacks().volume_m3();
    world.run_until(SimTime::from_seconds(30.0));
    check_books(&world)?;
    let after = world.stacks().volume_m3();
    Ok([after, (after - before) / 20.0])
}

fn measure(_: &Context) -> BenchResult {
    let floors_mm = 1.0e3 * floors()?;
    let (mut below, mut door) = (0.0_f64, 1.0_f64);
    let weir = 1.705 * (0.40_f64 - 0.15).powf(1.5);
    for solver in [Solver::Pipe, Solver::ShallowWater] {
        below = below.max(flooded(solver, 0.14)?[0]);
        let ratio = flooded(solver, 0.40)?[1] / weir;
        if (ratio - 1.0).abs() > (door - 1.0).abs() {
            door = ratio;
        }
    }
    Ok(vec![
        Measurement::new(BENCH.ids[0], floors_mm, "mm").target("<= 5"),
        Measurement::new(BENCH.ids[1], below, "m3").target("<= 0"),
        Measurement::new(BENCH.ids[2], door, "x").target("0.95..1.05"),
    ])
}
