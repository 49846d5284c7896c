//! Features: what a world can do, how it is used, and what must hold.

use crate::scene::Scene;
use crate::{changed, drawn, forced, kept, parts, put, read};
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
    let (first, last) = ([forced::FEATURES, put::FEATURES], [kept::FEATURES, drawn::FEATURES]);
    let last = [parts::FEATURES].into_iter().chain(last);
    let all = first.into_iter().chain([changed::FEATURES, read::FEATURES]).chain(last);
    all.flatten()
}
