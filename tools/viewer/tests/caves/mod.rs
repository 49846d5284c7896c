//! A plateau with caves below it, beside a valley.

use thalweg::terrain::Terrain;
use thalweg::world::{CellPlace, Voids, World, WorldBuilder};

/// Ground of the plateau, and of the valley east of it, m.
pub const PLATEAU_M: f64 = 10.0;
pub const VALLEY_M: f64 = 0.0;

/// Cells of the hall, south-west and beyond the north-east one; its bed, ceiling and stage, m.
pub const HALL: [[u32; 2]; 2] = [[24, 16], [56, 48]];
pub const HALL_M: [f64; 2] = [2.0, 6.0];
pub const STAGE_M: f64 = 3.5;

/// The loft above a part of the hall, which is dry.
pub const LOFT: [[u32; 2]; 2] = [[24, 16], [40, 32]];
pub const LOFT_M: [f64; 2] = [7.0, 9.0];

/// A plateau of 96 m and a valley of 32 m, whose lake is 6 m deep. Below the plateau lie a hall,
/// half full, a loft above a part of it, and a gallery that leads away eastward.
pub fn world() -> World {
    let ground = |x: usize| if x < 96 { PLATEAU_M } else { VALLEY_M };
    let terrain = Terrain::from_heights([128, 64], 1.0, |x, _| ground(x)).expect("a map");
    let mut voids = Voids::new();
    for ([low, high], span_m) in
        [(HALL, HALL_M), (LOFT, LOFT_M), ([[56, 28], [88, 36]], [3.0, HALL_M[1]])]
    {
        voids.carve(CellPlace::from(low), CellPlace::from(high), span_m);
    }
    WorldBuilder::new(terrain)
        .voids(voids)
        .initial_stage(|place| if place.x < 96 { f64::NAN } else { 6.0 })
        .initial_stage_below(
            |place, [bed_m, _]| {
                if place.x < 56 && bed_m < 5.0 { STAGE_M } else { f64::NAN }
            },
        )
        .build()
        .expect("a good world")
}
