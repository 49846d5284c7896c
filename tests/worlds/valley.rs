//! The ground of all worlds: in the west a rough valley with a river that runs into a lake, in the
//! east a dry plain where leaves sleep.

#[path = "../common/ground.rs"]
mod ground;

use ground::terrain_of;
use thalweg::terrain::{Shape, Terrain, TerrainOptions};
use thalweg::units::VerticalScale;
use thalweg::world::{CellPlace, EdgeKind, WorldBuilder};
use thalweg_engine::sim::Settings;
use thalweg_engine::units::hash::scramble;

/// Cells of the finest level.
pub const SIZE: [u32; 2] = [384, 128];
/// Width of a finest cell, m.
pub const CELL_M: f64 = 2.0;
/// Vertical units in a metre.
pub const UNITS_PER_M: f64 = 1_048_576.0;
/// Middle of the lake, m.
pub const LAKE_M: [f64; 2] = [181.0, 91.0];
/// A place in the river above the lake, m.
pub const RIVER_M: [f64; 2] = [41.0, 109.0];
/// A dry place on the northern slope, m.
pub const BANK_M: [f64; 2] = [101.0, 221.0];
/// A place in the plain, m.
pub const PLAIN_M: [f64; 2] = [641.0, 127.0];
const LAKE_RADIUS_M: f64 = 60.0;

/// A number from 0 to 1 for a place.
fn noise(x: usize, y: usize) -> f64 {
    (scramble(scramble(x as u64) ^ (y as u64).rotate_left(32)) >> 11) as f64 / 9.008e15
}

/// Where the river runs, m north.
fn course_m(x_m: f64) -> f64 {
    91.0 + 20.0 * (x_m / 40.0).sin()
}

/// How far a point is from the middle of the lake, in radii.
fn from_lake(at_m: [f64; 2]) -> f64 {
    (at_m[0] - LAKE_M[0]).hypot(at_m[1] - LAKE_M[1]) / LAKE_RADIUS_M
}

fn bed_m(x: usize, y: usize) -> f64 {
    let at_m = [x, y].map(|i| (i as f64 + 0.5) * CELL_M);
    let across_m = (at_m[1] - course_m(at_m[0])).abs();
    let bowl = |part: f64| (1.0 - part * part).max(0.0);
    let rise = 0.1 * (at_m[0] - 200.0).clamp(0.0, 60.0);
    let slopes = 6.0 - 0.006 * at_m[0] + 0.03 * across_m.min(120.0) + rise;
    let rough = 0.3 * noise(x / 8, y / 8) + 0.1 * noise(x, y);
    slopes + rough - 1.2 * bowl(across_m / 8.0) - 3.0 * bowl(from_lake(at_m))
}

pub fn terrain() -> Terrain {
    let scale = VerticalScale::try_new(20, 0.0).expect("a good scale");
    let [width, height] = SIZE.map(|count| count as usize);
    let options = TerrainOptions { width, height, cell_width_m: CELL_M, scale, bed_exponent: 10 };
    terrain_of(options, bed_m)
}

/// Centre of a finest cell, m.
pub fn centre_m(place: CellPlace) -> [f64; 2] {
    [place.x, place.y].map(|i| (f64::from(i) + 0.5) * CELL_M)
}

/// The finest cell at a point.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a place of a test")]
pub fn cell_at(point_m: [f64; 2]) -> CellPlace {
    let [x, y] = point_m.map(|metres| (metres / CELL_M) as u32);
    CellPlace { x, y }
}

/// A disc with a hard margin.
pub fn disc(centre_m: [f64; 2], radius_m: f64) -> Shape {
    Shape::Disc { centre_m, radius_m, rim_m: 0.0 }
}

/// Water in the river and in the lake, an open edge all round, and leaves that soon sleep.
pub fn flooded(builder: WorldBuilder) -> WorldBuilder {
    builder
        .settings(Settings { sleep_after_cycles: 2, substeps_log2: 1, ..Settings::default() })
        .edges(EdgeKind::Open)
        .initial_stage(|place| if from_lake(centre_m(place)) < 1.0 { 4.5 } else { f64::NAN })
        .initial_depth(|place| {
            let [x_m, y_m] = centre_m(place);
            if (y_m - course_m(x_m)).abs() < 6.0 && x_m < LAKE_M[0] { 0.8 } else { f64::NAN }
        })
}
