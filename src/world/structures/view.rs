//! The structures of a world, to read and to change.

use crate::world::World;

/// Barriers, links, inflows and bodies of a world, to read: [`World::structures`].
#[derive(Debug, Clone, Copy)]
pub struct Structures<'a> {
    pub(in crate::world) world: &'a World,
}

/// Barriers, links and bodies of a world, to be put and taken away between two cycles, without a
/// way back: [`World::structures_mut`]. [`Edits::act`](crate::world::Edits::act) puts barriers,
/// links and inflows with one.
#[derive(Debug)]
pub struct StructuresMut<'a> {
    pub(in crate::world) world: &'a mut World,
}

impl World {
    /// Returns the barriers, links, inflows and bodies, to read.
    #[must_use]
    pub fn structures(&self) -> Structures<'_> {
        Structures { world: self }
    }

    /// Returns barriers, links and bodies, to add and remove between cycles: one that is under way
    /// ends first.
    pub fn structures_mut(&mut self) -> StructuresMut<'_> {
        self.finish_cycle();
        StructuresMut { world: self }
    }
}
