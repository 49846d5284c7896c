//! Boxes in the water of a bench.

use crate::suite::BenchError;
use thalweg::body::{Body, BodyId, Motion, Pose, Solid};
use thalweg::glam::{DQuat, DVec2};

/// Makes a box that is fixed: its lengths, its middle, and its turn about the vertical.
///
/// # Errors
///
/// If the lengths are invalid.
pub fn held(
    id: u64,
    lengths: impl Into<[f64; 3]>,
    position: impl Into<[f64; 3]>,
    radians: f64,
) -> Result<Body, BenchError> {
    let pose = Pose { rotation: DQuat::from_rotation_z(radians), ..Pose::at(position) };
    let (solid, motion) = (Solid::cuboid(lengths)?, Motion::default());
    Ok(Body { id: BodyId(id), solid, pose, motion, mass_kg: None })
}

/// Makes boxes side by side along a line from `from` to `to`, with the thickness and height of
/// `lengths`, on ground at 0 m: `count` in all, without the one at `missing`.
///
/// # Errors
///
/// If the lengths are invalid.
pub fn row(
    [from, to]: [[f64; 2]; 2],
    count: u32,
    [thick_m, high_m]: [f64; 2],
    missing: Option<u32>,
) -> Result<Vec<Body>, BenchError> {
    let along = DVec2::from(to) - DVec2::from(from);
    let (length, angle) = (along.length() / f64::from(count), along.to_angle());
    let there = (0..count).filter(|&index| Some(index) != missing);
    there
        .map(|index| {
            let part = (f64::from(index) + 0.5) / f64::from(count);
            let at = DVec2::from(from) + part * along;
            held(u64::from(index), [length, thick_m, high_m], at.extend(0.5 * high_m), angle)
        })
        .collect()
}
