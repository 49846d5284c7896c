//! Copies of a world.
//!
//! ```text
//! world ──► copy      the same state: terrain and planes are shared until one of the two writes
//!   │         │
//!   ▼         ▼       each goes on by itself
//! ```

use crate::world::actions::{UndoLog, WaysBack};
use crate::world::packed::Residence;
use crate::world::{World, WorldError};

impl World {
    /// Returns an independent world in the state of this one: to try a dam, to go back to, to read
    /// on another thread while this one runs. It continues as this one does, to the bit.
    ///
    /// Terrain and planes are shared until one of the two writes them, so a copy costs the time and
    /// the bytes of the leaves' lists; the first edit of ground copies the terrain, and the stored
    /// tables of the tiles that it touches. Bodies, watches and criteria are cloned. A cycle under
    /// way stays with this world: the copy is in the state before it. For a
    /// [`SaveFile`](crate::world::SaveFile) the copy is a different world, which it saves whole. A
    /// way back belongs to this world; a [`Surface`](crate::probe::Surface) continues with one of
    /// the two. Counters of packed planes ([`World::residency`]) belong to the world that packed
    /// them.
    ///
    /// # Errors
    ///
    /// [`WorldError::Streamed`]: beds that stay in a file have one world that edits them. Save it
    /// in another file, and open that.
    ///
    /// # Panics
    ///
    /// If the world is broken.
    ///
    /// # Examples
    ///
    /// ```
    /// use thalweg::prelude::*;
    /// use thalweg::world::Amount;
    /// let terrain = Terrain::from_heights([64, 64], 5.0, |x, _| 0.1 * x as f64)?;
    /// let world = WorldBuilder::new(terrain).initial_stage(|_| 3.0).build()?;
    /// let mut copy = world.try_clone()?;
    /// let disc = Shape::disc([50.0, 50.0], 20.0, 0.0);
    /// copy.edits().act(Action::AddWater { area: disc, amount: Amount::DepthM(0.5) })?;
    /// assert_ne!(copy.state_hash(), world.state_hash());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn try_clone(&self) -> Result<Self, WorldError> {
        assert!(
            !self.is_broken,
            "the world is broken, and so would its copy be: load its last save"
        );
        if self.site.relief().in_file().is_some() {
            return Err(WorldError::Streamed { what: "a copy of itself" });
        }
        let residence = Residence { residency: self.residence.residency, ..Residence::default() };
        Ok(Self {
            simulation: self.simulation.clone(),
            site: self.site.clone(),
            adaptive: self.adaptive.clone(),
            bodies: self.bodies.clone(),
            setup: self.setup.clone(),
            edited: self.edited.clone(),
            budget_bytes: self.budget_bytes,
            saved: Default::default(),
            followed: 0,
            undo_log: UndoLog::default(),
            ways_back: WaysBack::new(self.ways_back.most_bytes()),
            residence,
            under_way: None,
            watches: self.watches.clone(),
            is_broken: false,
        })
    }
}
