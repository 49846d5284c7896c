//! Errors of bodies.

use std::collections::BTreeSet;
use std::fmt;
use thalweg_engine::body::{Body, LoadParams};

/// Most bodies of a world.
const BODIES_MOST: usize = 1 << 20;

/// Heaviest body, kg.
const MASS_MOST: f64 = 1.0e15;

/// Why bodies are invalid.
#[derive(Debug, Clone, PartialEq)]
pub enum BodyError {
    /// Too many of them.
    Count(usize),
    /// Two have one number.
    Twice(u64),
    /// Invalid position or rotation.
    Pose(u64, thalweg_engine::body::Pose),
    /// Invalid velocity.
    Motion(u64, thalweg_engine::body::Motion),
    /// Invalid mass, kg.
    Mass(u64, f64),
    /// Invalid parameters of loads.
    Params(LoadParams),
}

impl fmt::Display for BodyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Count(count) => write!(
                f,
                "{count} bodies are too many: put {BODIES_MOST} at most, those near the water first"
            ),
            Self::Twice(id) => {
                write!(f, "body {id} was put twice: give each body a number of its own")
            }
            Self::Pose(id, pose) => write!(
                f,
                "body {id} is nowhere: position {:?} m, rotation {:?}; give finite numbers and a \
                 quaternion of length 1",
                pose.position.to_array(),
                pose.rotation.to_array()
            ),
            Self::Motion(id, motion) => write!(
                f,
                "body {id} moves at {:?} m/s and {:?} rad/s: give finite numbers up to 10,000",
                motion.linear.to_array(),
                motion.angular.to_array()
            ),
            Self::Mass(id, mass) => write!(
                f,
                "body {id} has a mass of {mass} kg: give one above 0, up to {MASS_MOST:e}, or none \
                 for a body that is held"
            ),
            Self::Params(params) => write!(
                f,
                "loads cannot be found with {params:?}: give finite numbers, none below 0, and a \
                 density and a gravity above it"
            ),
        }
    }
}

impl std::error::Error for BodyError {}

/// Checks all bodies that are put.
pub(super) fn check(bodies: &[Body]) -> Result<(), BodyError> {
    if bodies.len() > BODIES_MOST {
        return Err(BodyError::Count(bodies.len()));
    }
    let mut seen = BTreeSet::new();
    for Body { id, pose, motion, mass_kg, .. } in bodies {
        let id = id.0;
        if !seen.insert(id) {
            return Err(BodyError::Twice(id));
        }
        if !pose.is_good() {
            return Err(BodyError::Pose(id, *pose));
        }
        if !motion.is_good() {
            return Err(BodyError::Motion(id, *motion));
        }
        if let Some(mass) = mass_kg.filter(|mass| !(*mass > 0.0 && *mass <= MASS_MOST)) {
            return Err(BodyError::Mass(id, mass));
        }
    }
    Ok(())
}
