//! Leaves of a world, to read: their list, and the planes of each.

use crate::probe::LeafMaps;
use crate::world::World;
use std::collections::BTreeSet;
use thalweg_engine::grid::cells::CellPlace;
use thalweg_engine::grid::{LeafId, TileKey};
use thalweg_engine::sim::Simulation;
use thalweg_engine::tile::Ground;

/// Leaves of a world, to read: [`World::leaves`].
#[derive(Debug, Clone, Copy)]
pub struct LeavesView<'a> {
    simulation: &'a Simulation,
}

/// One leaf, to read: planes of 64 × 64 cells, rows from south to north.
///
/// Planes of a leaf that has slept for long may be packed: the first call that reads one unpacks it
/// (`src/guide/architecture.md`, *Memory of leaves that sleep*).
#[derive(Debug, Clone, Copy)]
pub struct LeafView<'a> {
    simulation: &'a Simulation,
    leaf: LeafId,
}

impl World {
    /// Returns the leaves as they are now, to read.
    ///
    /// # Examples
    ///
    /// ```
    /// use thalweg::prelude::*;
    /// let terrain = Terrain::from_heights([100, 64], 5.0, |_, _| 1.0)?;
    /// let world = WorldBuilder::new(terrain).initial_stage(|_| 1.5).build()?;
    /// let leaves = world.leaves();
    /// assert_eq!((leaves.len(), leaves.awake()), (2, 2));
    /// let leaf = leaves.at(CellPlace { x: 70, y: 3 }).expect("in the world");
    /// assert_eq!((leaf.key().x, world.scale().depth_m(leaf.depth()[0])), (1, 0.5));
    /// # Ok::<(), thalweg::Error>(())
    /// ```
    #[must_use]
    pub fn leaves(&self) -> LeavesView<'_> {
        LeavesView { simulation: &self.simulation }
    }
}

impl<'a> LeavesView<'a> {
    /// Returns the number of leaves.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "a world has leaves")]
    pub fn len(self) -> usize {
        self.keys().len()
    }

    /// Returns the number of leaves that the next cycle steps.
    #[must_use]
    pub fn awake(self) -> usize {
        self.simulation.asleep().iter().filter(|is_asleep| !**is_asleep).count()
    }

    /// Returns the tiles of all leaves, along the order of [`TileKey`].
    #[must_use]
    pub fn keys(self) -> &'a [TileKey] {
        self.simulation.forest().leaves()
    }

    /// Whether each leaf sleeps, in the order of the keys.
    #[must_use]
    pub fn asleep(self) -> &'a [bool] {
        self.simulation.asleep()
    }

    /// Returns all leaves, in the order of the keys.
    pub fn iter(self) -> impl ExactSizeIterator<Item = LeafView<'a>> {
        self.simulation.forest().ids().map(move |leaf| self.leaf(leaf))
    }

    /// Returns the leaf that contains a cell of the base level; `None` outside the world.
    #[must_use]
    pub fn at(self, place: CellPlace) -> Option<LeafView<'a>> {
        let (leaf, _) = self.simulation.forest().locate(place)?;
        Some(self.leaf(leaf))
    }

    /// Returns the leaf that is or contains a tile; `None` if finer leaves or no ground are there.
    #[must_use]
    pub fn covering(self, key: TileKey) -> Option<LeafView<'a>> {
        self.simulation.forest().covering(key).map(|leaf| self.leaf(leaf))
    }

    /// Returns the tiles of the leaves that a section passes.
    #[must_use]
    pub fn on_sections(self) -> BTreeSet<TileKey> {
        let faces = self.simulation.sections().all().iter().flat_map(|section| &section.faces);
        faces.flat_map(|(sides, _)| sides).map(|(leaf, _)| self.keys()[leaf.index()]).collect()
    }

    fn leaf(self, leaf: LeafId) -> LeafView<'a> {
        LeafView { simulation: self.simulation, leaf }
    }
}

impl<'a> LeafView<'a> {
    /// Returns the leaf's key.
    #[must_use]
    pub fn key(self) -> TileKey {
        self.simulation.forest().leaves()[self.leaf]
    }

    /// Returns the beds, vertical units, and tables of sub-grid columns.
    #[must_use]
    pub fn ground(self) -> &'a Ground {
        self.simulation.ground(self.leaf)
    }

    /// Returns the depths, vertical units over the whole cell.
    #[must_use]
    pub fn depth(self) -> &'a [i32] {
        &self.simulation.water(self.leaf).depth
    }

    /// Returns the flood maps; durations of a leaf that sleeps end with its last look until
    /// [`World::bring_maps_up_to_date`].
    #[must_use]
    pub fn maps(self) -> &'a LeafMaps {
        self.simulation.maps_of(self.leaf)
    }

    /// Whether it sleeps: nothing in it changes, and no cycle steps it.
    #[must_use]
    pub fn is_asleep(self) -> bool {
        self.simulation.asleep()[self.leaf]
    }
}
