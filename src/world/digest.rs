//! Hashes of a world part by part and tile by tile, to find the first difference of two worlds.
//!
//! ```
//! use thalweg::prelude::*;
//! use thalweg::world::Difference;
//! let plain = Terrain::from_heights([200, 100], 2.0, |_, _| 0.0)?;
//! let build = || WorldBuilder::new(plain.clone()).initial_depth(|_| 0.1).build();
//! let (mut host, mut peer) = (build()?, build()?);
//! assert_eq!(host.digest().first_difference(&peer.digest()), None);
//!
//! let area = Shape::Disc { centre_m: [300.0, 50.0], radius_m: 10.0, rim_m: 0.0 };
//! peer.edits().act(Action::PushWater { area, by_m_s: [0.1, 0.0] })?;
//! let found = host.digest().first_difference(&peer.digest());
//! let tile = thalweg::world::TileKey { level: 0, x: 2, y: 0 };
//! assert_eq!(found, Some(Difference::Tile(tile)));
//! # Ok::<(), thalweg::Error>(())
//! ```
//!
//! Peers of a game exchange the hash ([`World::state_hash`]) cycle by cycle, and the digest once
//! their hashes differ: some bytes for each tile.
//!
//! Limits: the hashes of parts of the state outside the tiles are computed each time; a hash of a
//!         tile is kept until the tile changes.

use crate::world::World;
use serde::{Deserialize, Serialize};
use std::fmt;
use thalweg_engine::grid::TileKey;
use thalweg_engine::sim::state_hash::StatePart;
use thalweg_engine::units::hash::StateHasher;

/// Hashes of a world, part by part: [`World::digest`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StateDigest {
    hash: u64,
    parts: Vec<(StatePart, u64)>,
    tiles: Vec<(TileKey, u64)>,
}

/// First place where two worlds differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Difference {
    /// A part of the state outside the tiles.
    Part(StatePart),
    /// The tile is a leaf of only one of the two worlds.
    Leaves(TileKey),
    /// Water, ground or weather of a tile.
    Tile(TileKey),
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tile = |TileKey { level, x, y }: TileKey| {
            format!("tile {x}, {y} of level {level}, counted from the south-west corner")
        };
        match *self {
            Self::Part(part) => write!(f, "the worlds differ in their {part:?}"),
            Self::Leaves(key) => write!(f, "only one of the worlds has the leaf {}", tile(key)),
            Self::Tile(key) => write!(f, "the worlds differ in {}", tile(key)),
        }
    }
}

impl StateDigest {
    /// Returns the hash of all state: [`World::state_hash`].
    #[must_use]
    pub fn hash(&self) -> u64 {
        self.hash
    }

    /// Returns the hash of each tile that is a leaf, in the order of the leaves.
    #[must_use]
    pub fn tiles(&self) -> &[(TileKey, u64)] {
        &self.tiles
    }

    /// Returns the first place where two worlds differ: a tile if one does, because the rest of the
    /// state follows from the tiles; `None` if all is equal.
    #[must_use]
    pub fn first_difference(&self, other: &Self) -> Option<Difference> {
        let mut pairs = self.tiles.iter().zip(&other.tiles);
        if let Some(((key, _), (beside, _))) = pairs.find(|(own, others)| own != others) {
            let is_same = key == beside;
            return Some(if is_same {
                Difference::Tile(*key)
            } else {
                // Both lists ascend, so the world with the higher key here lacks the lower one.
                Difference::Leaves(*key.min(beside))
            });
        }
        let (own, others) = (&self.tiles, &other.tiles);
        let further = own.get(others.len()).or_else(|| others.get(own.len()));
        if let Some((key, _)) = further {
            return Some(Difference::Leaves(*key));
        }
        let lacks = |own: &Self, of: &Self| {
            own.parts.iter().find(|part| !of.parts.contains(part)).map(|(part, _)| *part)
        };
        lacks(self, other).or_else(|| lacks(other, self)).map(Difference::Part)
    }
}

impl World {
    /// Returns the hash of all state: equal for equal states on every machine, for any number of
    /// threads. Tiles that have not changed since the last call are not looked at.
    #[must_use]
    pub fn state_hash(&self) -> u64 {
        let (simulation, spent) = (self.simulation.state_hash(), self.structures().numbers_spent());
        if self.adaptive.is_none() && spent == 0 {
            return simulation;
        }
        let mut hash = StateHasher::new();
        hash.add(simulation);
        if let Some(adaptive) = &self.adaptive {
            adaptive.add_to(&mut hash);
        }
        // Worlds without such numbers have the hash that they had before this was counted.
        if spent > 0 {
            hash.add(spent);
        }
        hash.finish()
    }

    /// Returns hashes of the world, part by part and tile by tile, to compare it with another.
    #[must_use]
    pub fn digest(&self) -> StateDigest {
        let mut parts = self.simulation.part_hashes();
        let spent = self.structures().numbers_spent();
        if let Some((_, own)) = parts.iter_mut().find(|(part, _)| *part == StatePart::Links)
            && spent > 0
        {
            let mut hash = StateHasher::new();
            hash.add(*own);
            hash.add(spent);
            *own = hash.finish();
        }
        if let Some(adaptive) = &self.adaptive {
            let mut hash = StateHasher::new();
            adaptive.add_to(&mut hash);
            parts.push((StatePart::Plans, hash.finish()));
        }
        let keys = self.simulation.forest().leaves().iter().copied();
        let tiles = keys.zip(self.simulation.leaf_hashes()).collect();
        StateDigest { hash: self.state_hash(), parts, tiles }
    }
}
