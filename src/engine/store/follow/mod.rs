//! Following a world that runs elsewhere: its commits as frames over any stream.
//!
//! ```text
//! server   writer ── commit ── commit ── …           client
//!            Reader → Feed ── frames ──→ stream ──→ Mirror → Store
//!                      ↑ Ask: what, and since which commit │
//!                      └───────────────────────────────────┘
//! ```
//!
//! A client sends a request (an *ask*): the part that it [`Follow`]s, and the commit that it has. A
//! [`Feed`] answers with the differences of the newest commit, and then with the differences of
//! each later one. A [`Mirror`] turns them into a store whose last commit has the number of the
//! writer's commit and its followed extents. If a frame does not continue the mirror's commit, the
//! client sends a new request.
//!
//! ```
//! use thalweg_engine::store::follow::{Applied, Feed, Follow, Mirror};
//! use thalweg_engine::store::{Key, Store, backend::memory::Memory};
//! let mut store = Store::create_on(Box::new(Memory::default()))?;
//! let empty = Store::create_on(Box::new(Memory::default()))?;
//! let mut mirror = Mirror::new(empty, Follow::default())?;
//! let mut feed = Feed::new(store.reader(), &mirror.ask());
//!
//! store.put(Key::head(1), b"a valley")?;
//! store.commit()?;
//! let mut stream = Vec::new();
//! assert!(feed.write_next(&mut stream)?);
//! assert!(!feed.write_next(&mut stream)?, "there is no newer commit");
//! assert_eq!(mirror.read_next(&mut &stream[..])?, Applied::Commit(2));
//!
//! let mut text = Vec::new();
//! assert!(mirror.store().get(Key::head(1), &mut text)?);
//! assert_eq!(text, b"a valley");
//! # Ok::<(), thalweg_engine::store::follow::FollowError>(())
//! ```
//!
//! Guarantees: a mirror's commit is the writer's, whole or not at all: frames that are lost,
//!             doubled, swapped, cut off or damaged are refused, and a new request repairs the
//!             mirror (`tests/store/follow.rs`); nothing is committed before all of it makes its
//!             sum, a commit is bounded by [`Limits`](crate::store::Limits), and no frame keeps a
//!             mirror from following a good server later (`a_forged_frame_does_not_end_a_mirror`);
//!             neither side keeps more of a world in memory than a frame and a list of changes.
//! Limits:     the module opens no connection; the server decides which clients may connect, and a
//!             client accepts any world that its server sends: checksums find accidents, not
//!             attacks. So follow over TLS: `src/guide/following.md` describes how. A feed keeps
//!             the commit that it sent last: while a feed is not called, the writer cannot use that
//!             commit's space again.
//! Source:     own; every byte in `src/guide/following.md`.

mod ask;
mod error;
mod feed;
#[cfg(test)]
mod forged;
mod frame;
mod mirror;
mod walk;

pub use ask::Ask;
pub use error::FollowError;
pub use feed::Feed;
pub use mirror::{Applied, Mirror};

use crate::grid::cells::TILE_WIDTH_U32;
use crate::store::{Key, Layer};
use std::ops::{Range, RangeInclusive};

/// The format of frames and requests that this build writes, and the newest that it reads.
const VERSION: u32 = 1;

/// Part of a world that is followed; all of it by default. Records that belong to no tile are
/// always followed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Follow {
    /// Tiles that have a cell in this area; all tiles if it is `None`.
    pub area: Option<Area>,
    /// Tiles of these levels.
    pub levels: RangeInclusive<u8>,
    /// Layers of these tiles.
    pub layers: Layers,
}

/// A rectangle of cells of level 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Area {
    /// Columns, from the west.
    pub columns: Range<u32>,
    /// Rows, from the south.
    pub rows: Range<u32>,
}

/// A set of layers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layers([u64; 4]);

impl Layers {
    /// All layers, including layers of later builds.
    pub const ALL: Self = Self([u64::MAX; 4]);

    /// Makes a set of these layers.
    #[must_use]
    pub fn of(layers: &[Layer]) -> Self {
        let mut words = [0; 4];
        for layer in layers {
            let number = layer.number();
            words[usize::from(number / 64)] |= 1 << (number % 64);
        }
        Self(words)
    }

    /// Whether a layer is in the set.
    #[must_use]
    pub fn contains(self, layer: Layer) -> bool {
        let number = layer.number();
        self.0[usize::from(number / 64)] >> (number % 64) & 1 != 0
    }
}

impl Default for Follow {
    fn default() -> Self {
        Self { area: None, levels: 0..=u8::MAX, layers: Layers::ALL }
    }
}

impl Follow {
    /// Whether the extent under a key is followed. Layers of later builds are treated as layers of
    /// tiles.
    #[must_use]
    pub fn has(&self, key: Key) -> bool {
        let is_whole = [Layer::Head, Layer::Setup, Layer::Run, Layer::Facts, Layer::Solids];
        if is_whole.contains(&key.layer) {
            return true;
        }
        self.layers.contains(key.layer)
            && self.levels.contains(&key.tile.level)
            && self.area.as_ref().is_none_or(|area| area.touches(key))
    }
}

impl Area {
    fn touches(&self, key: Key) -> bool {
        // The level may be any number that a file contains.
        // Cut at 64: such a tile is wider than any area, and `from + width` is at most 2¹⁰².
        let width = u128::from(TILE_WIDTH_U32) << key.tile.level.min(64);
        let overlaps = |place: u32, cells: &Range<u32>| {
            let from = u128::from(place) * width;
            from < u128::from(cells.end) && from + width > u128::from(cells.start)
        };
        let is_empty = self.columns.is_empty() || self.rows.is_empty();
        !is_empty && overlaps(key.tile.x, &self.columns) && overlaps(key.tile.y, &self.rows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::TileKey;

    #[test]
    fn an_area_has_the_tiles_that_touch_it() {
        let area = Some(Area { columns: 64..130, rows: 0..1 });
        let follow =
            Follow { area, levels: 0..=2, layers: Layers::of(&[Layer::Water, Layer::of(200)]) };
        let has = |layer, level, x, y| follow.has(Key::of_tile(layer, TileKey { level, x, y }));
        let found: Vec<u32> = (0..9).filter(|&x| has(Layer::Water, 0, x, 0)).collect();
        assert_eq!(found, [1, 2]);
        assert!(!has(Layer::Water, 0, 1, 1));
        assert!(has(Layer::Water, 1, 0, 0) && has(Layer::Water, 1, 1, 0));
        assert!(!has(Layer::Water, 1, 2, 0) && !has(Layer::Water, 3, 0, 0));
        assert!(!has(Layer::Bed, 0, 1, 0) && has(Layer::of(200), 0, 1, 0));
        assert!(follow.has(Key::head(3)) && has(Layer::Run, 7, 0, 0));
        let far = Follow { levels: 0..=255, ..follow };
        let far = |x| far.has(Key::of_tile(Layer::Water, TileKey { level: 255, x, y: 0 }));
        assert!(far(0) && !far(1) && !far(u32::MAX));
        let none = Follow { area: Some(Area { columns: 70..70, rows: 0..9 }), ..Follow::default() };
        assert!(!none.has(Key::of_tile(Layer::Bed, TileKey { level: 0, x: 1, y: 0 })));
    }
}
