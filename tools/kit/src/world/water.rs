//! Loading the water of a world, and the one-line error if it cannot be loaded.

use std::path::Path;

use thalweg::criteria::{Criterion, LeafFacts, Request, Scale};
use thalweg::world::{FileError, SaveFile, World};

use crate::error::UserError;

/// Step of stage between the cells of a coarse leaf from which it gets finer, m.
const STAGE_STEP_M: f32 = 0.05;

/// Criterion that keeps the level of each leaf, except of coarse leaves that water enters.
#[derive(Debug, Clone)]
pub struct HeldLevels;

impl Criterion for HeldLevels {
    fn request(&self, leaf: &LeafFacts, world: &Scale) -> Request {
        let own = leaf.key.level;
        let level = match leaf {
            LeafFacts { has_front: true, .. } => world.base(),
            LeafFacts { stage_step_m, .. } if *stage_step_m > STAGE_STEP_M => own.saturating_sub(1),
            _ => own,
        };
        Request::level(level.max(world.base()), 0.0)
    }
}

/// Loads the world of a file.
///
/// # Errors
///
/// If the file has no water, or is not as it was saved.
pub fn load(path: &Path, file: &mut SaveFile) -> Result<World, UserError> {
    let world = loaded(file).map_err(|error| refused(path, &error))?;
    world.ok_or_else(|| no_water(path))
}

/// Loads a world with its water. Returns `None` if the file has no water.
///
/// # Errors
///
/// If the file is not as it was saved.
pub fn loaded(file: &mut SaveFile) -> Result<Option<World>, FileError> {
    let Some(summary) = file.summary()? else { return Ok(None) };
    let criteria: Vec<Box<dyn Criterion>> =
        if summary.is_adaptive { vec![Box::new(HeldLevels)] } else { Vec::new() };
    file.load(criteria).map(Some)
}

/// Makes the one-line error for the water of a world that cannot be read or written.
#[must_use]
pub fn refused(path: &Path, error: &FileError) -> UserError {
    match error {
        FileError::Store(error) => super::refused(path, error),
        FileError::NoWater => no_water(path),
        _ => UserError::from_sentence(format!("{}: {error}", path.display())),
    }
}

/// Makes the error for a world without water, with the way to add some.
#[must_use]
pub fn no_water(path: &Path) -> UserError {
    UserError::new(
        format!("{} holds a terrain and no water", path.display()),
        "let water run on the map with flood-preview MAP --world NEW.thalweg",
    )
}
