//! The key of an extent.

use crate::grid::TileKey;
use std::cmp::Ordering;
use std::fmt;

/// Layer: the content of an extent. Layers are ordered by their numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Layer {
    /// Description of the world: records of their own form, by part.
    Head,
    /// Mean beds of the ground in the cells of a tile.
    Bed,
    /// Cells of a tile that are partly outside the world.
    Parts,
    /// Setup of a world, as text.
    Setup,
    /// State of a run except its leaves, as text.
    Run,
    /// Properties of the leaves of a world whose leaves change.
    Facts,
    /// The state of a leaf: its water, and in further parts the content of each tracer.
    Water,
    /// The flood maps of a leaf.
    Maps,
    /// Classes of the cells of a tile: of roughness, and in further parts of forcing.
    Classes,
    /// Solids, and the water among them.
    Solids,
    /// Tables of the sub-grid columns of a tile: made from the beds, and made again if they are
    /// missing.
    Tables,
    /// A layer of a later build: it is listed, checked and copied like any layer.
    Other(OtherLayer),
}

/// The number of a layer of a later build.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OtherLayer(u8);

impl Layer {
    /// All layers of this build, in the order of their numbers from 0 on.
    pub const ALL: [Self; 11] = [
        Self::Head,
        Self::Bed,
        Self::Parts,
        Self::Setup,
        Self::Run,
        Self::Facts,
        Self::Water,
        Self::Maps,
        Self::Classes,
        Self::Solids,
        Self::Tables,
    ];

    /// Returns the layer of a number.
    #[must_use]
    pub fn of(number: u8) -> Self {
        let known = Self::ALL.get(usize::from(number)).copied();
        known.unwrap_or(Self::Other(OtherLayer(number)))
    }

    /// Whether the layer is part of the ground of a world, from which leaves are made.
    #[must_use]
    pub fn is_ground(self) -> bool {
        matches!(self, Self::Bed | Self::Parts | Self::Tables)
    }

    /// Returns the number of the layer.
    #[must_use]
    pub fn number(self) -> u8 {
        match self {
            Self::Head => 0,
            Self::Bed => 1,
            Self::Parts => 2,
            Self::Setup => 3,
            Self::Run => 4,
            Self::Facts => 5,
            Self::Water => 6,
            Self::Maps => 7,
            Self::Classes => 8,
            Self::Solids => 9,
            Self::Tables => 10,
            Self::Other(OtherLayer(number)) => number,
        }
    }
}

/// The key of an extent: its layer, its tile, and its part.
///
/// Keys are ordered by layer, level, position along a Morton curve, and part: neighbouring tiles
/// are close to each other in the directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Key {
    /// Layer of the extent.
    pub layer: Layer,
    /// The tile; level 0 and the first tile if the layer has no tiles.
    pub tile: TileKey,
    /// Number of the part.
    pub part: u16,
}

impl Key {
    /// Returns the key of part 0 of a tile in a layer.
    #[must_use]
    pub fn of_tile(layer: Layer, tile: TileKey) -> Self {
        Self { layer, tile, part: 0 }
    }

    /// Returns the key of a part of the head.
    #[must_use]
    pub fn head(part: u16) -> Self {
        Self { layer: Layer::Head, tile: TileKey { level: 0, x: 0, y: 0 }, part }
    }

    fn rank(self) -> (Layer, u8, u64, u16) {
        // The level may be any number that a file contains, so it is not used in a shift.
        (self.layer, self.tile.level, self.tile.morton_on_level(), self.part)
    }
}

impl PartialOrd for Key {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Key {
    fn cmp(&self, other: &Self) -> Ordering {
        self.rank().cmp(&other.rank())
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let TileKey { level, x, y } = self.tile;
        match self.layer {
            Layer::Head => write!(f, "part {} of the head", self.part),
            Layer::Bed => write!(f, "the beds of tile {x}, {y} of level {level}"),
            Layer::Parts => {
                write!(f, "the cells outside in part of tile {x}, {y} of level {level}")
            }
            Layer::Setup => write!(f, "part {} of the setup of the world", self.part),
            Layer::Run => write!(f, "part {} of the record of the run", self.part),
            Layer::Solids => write!(f, "part {} of what is known of solids", self.part),
            Layer::Facts => write!(f, "part {} of what is known of leaves", self.part),
            Layer::Water if self.part == 0 => {
                write!(f, "the water of tile {x}, {y} of level {level}")
            }
            Layer::Water => {
                write!(f, "tracer {} of tile {x}, {y} of level {level}", self.part - 1)
            }
            Layer::Maps => write!(f, "the flood maps of tile {x}, {y} of level {level}"),
            Layer::Classes => {
                write!(f, "classes {} of tile {x}, {y} of level {level}", self.part)
            }
            Layer::Tables => write!(f, "tables {} of tile {x}, {y} of level {level}", self.part),
            Layer::Other(OtherLayer(number)) => {
                let part = self.part;
                write!(f, "part {part} of layer {number} of tile {x}, {y} of level {level}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layers_have_their_numbers_and_order_by_them() {
        let layers: Vec<Layer> = (0..=u8::MAX).map(Layer::of).collect();
        assert!(layers.is_sorted_by(|a, b| a < b));
        assert!((0..=u8::MAX).all(|number| Layer::of(number).number() == number));
        assert_eq!(layers[..Layer::ALL.len()], Layer::ALL);
    }

    #[test]
    fn keys_follow_a_z() {
        let key = |x, y| Key::of_tile(Layer::Bed, TileKey { level: 1, x, y });
        let order = [key(0, 0), key(1, 0), key(0, 1), key(1, 1), key(2, 0), key(0, 2), key(3, 3)];
        assert!(order.is_sorted());
        assert!(Key::head(7) < order[0]);
        let far = |level| Key::of_tile(Layer::Bed, TileKey { level, x: u32::MAX, y: u32::MAX });
        assert!(far(1) < far(u8::MAX) && key(3, 3) < far(1));
    }
}
