//! Features: what a world can do, how it is used, and what must hold.

use crate::scene::Scene;
use crate::{changed, drawn, forced, kept, parts, put, read, told};
use thalweg::Error;
use thalweg::world::WorldBuilder;

/// Something that a world can do.
pub struct Feature {
    pub name: &'static str,
    /// Property that the test checks beside what must hold in every world, in the table's words.
    pub holds: &'static str,
    /// Adds what a world is built with.
    pub set_up: fn(WorldBuilder) -> Result<WorldBuilder, Error>,
    /// Uses it for some cycles, and checks what must hold.
    pub run: fn(&mut Scene) -> Result<(), Error>,
}

/// A world that needs nothing to be built.
pub fn as_it_is(builder: WorldBuilder) -> Result<WorldBuilder, Error> {
    Ok(builder)
}

/// All features, in the order of the table.
pub fn features() -> impl Iterator<Item = &'static Feature> {
    let all = [
        forced::FEATURES,
        put::FEATURES,
        changed::FEATURES,
        read::FEATURES,
        told::FEATURES,
        parts::FEATURES,
        kept::FEATURES,
        drawn::FEATURES,
    ];
    all.into_iter().flatten()
}
