//! Request for a structure of rock or air.

use std::fmt::Display;

use kit::error::UserError;
use kit::words::short;

use crate::place::MapPoint;
use crate::plan::MapPlan;

/// A structure that is being resolved.
#[derive(Clone, Copy)]
pub(super) struct RockRequest<'a> {
    pub kind: &'static str,
    pub name: &'a str,
    pub map: &'a MapPlan,
}

impl RockRequest<'_> {
    pub fn wrong(&self, what: impl Display, mend: impl Display) -> UserError {
        UserError::new(format!("{} `{}`: {what}", self.kind, self.name), mend)
    }

    /// Returns the reason of the engine or of a reader for a refusal.
    pub fn refused(&self, error: impl Display) -> UserError {
        refused((self.kind, self.name), error)
    }

    /// Refuses cells that are simulated together.
    pub fn check_level(&self) -> Result<(), UserError> {
        if self.map.level == 0 {
            return Ok(());
        }
        Err(self.wrong(
            format!("cells of {} m are simulated together", short(self.map.cell_m())),
            "simulate the cells of the map alone, with quality = \"fine\" (--quality fine) and no \
             cell_size, or flat ones of that width, with columns = \"flat\" (--columns flat), or \
             leave all tunnels, bridges, meshes and voxels out",
        ))
    }

    /// Returns metres from the world's south-west corner to a place of the map.
    pub fn metres_to(&self, key: &str, at: MapPoint) -> Result<[f64; 2], UserError> {
        self.map.check_inside(&format!("{} `{}`: its `{key}`", self.kind, self.name), at)?;
        Ok(self.map.metres_to(at))
    }
}

/// Returns the engine's reason to refuse a structure.
pub(super) fn refused((kind, name): (&str, &str), error: impl Display) -> UserError {
    UserError::from_sentence(format!("{kind} `{name}`: {error}"))
}
