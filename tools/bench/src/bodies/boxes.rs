//! Boxes that stand in the water of a bench.

use crate::suite::BenchError;
use thalweg::body::{Body, BodyId, Motion, Point, Pose, Solid};

/// A turn about the vertical, anticlockwise, as a quaternion.
#[must_use]
pub fn yaw(radians: f64) -> [f64; 4] {
    let (sin, cos) = (0.5 * radians).sin_cos();
    [0.0, 0.0, sin, cos]
}

/// A box that is held: its lengths, its middle, and how it is turned about the vertical.
///
/// # Errors
///
/// Where the lengths are none.
pub fn held(id: u64, lengths: Point, position: Point, radians: f64) -> Result<Body, BenchError> {
    let pose = Pose { position, rotation: yaw(radians) };
    let (solid, motion) = (Solid::cuboid(lengths)?, Motion::default());
    Ok(Body { id: BodyId(id), solid, pose, motion, mass_kg: None })
}

/// Boxes side by side along a line from `from` to `to`, as thick and as high as `lengths` says, on
/// ground at 0 m: `count` in all, without that at `missing`.
///
/// # Errors
///
/// Where the lengths are none.
pub fn row(
    [from, to]: [[f64; 2]; 2],
    count: u32,
    [thick_m, high_m]: [f64; 2],
    missing: Option<u32>,
) -> Result<Vec<Body>, BenchError> {
    let along = [to[0] - from[0], to[1] - from[1]];
    let length = along[0].hypot(along[1]) / f64::from(count);
    let angle = along[1].atan2(along[0]);
    let there = (0..count).filter(|&index| Some(index) != missing);
    there
        .map(|index| {
            let part = (f64::from(index) + 0.5) / f64::from(count);
            let [x, y] = std::array::from_fn(|i| from[i] + part * along[i]);
            held(u64::from(index), [length, thick_m, high_m], [x, y, 0.5 * high_m], angle)
        })
        .collect()
}
