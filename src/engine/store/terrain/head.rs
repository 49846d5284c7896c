//! Head of a world: its size, its vertical unit and its range of heights, in 48 bytes.

use crate::grid::{TILE_WIDTH, TileKey};
use crate::store::{Extents, Key, Layer, Store, StoreError};
use crate::terrain::{HeightmapError, Terrain, TerrainOptions};
use crate::units::{CEILING, OUTSIDE, VerticalScale};

/// Key of the record in the head.
pub const RECORD: Key = part(0);
/// Part of the head with the position of the world on the globe: a text of the tools.
pub const GEOREFERENCE: Key = part(1);
/// Part of the head that lists the finest tiles with ground.
pub const GROUND_TILES: Key = part(2);
/// Part of the head with the progress of an unfinished terrain; a complete world does not have it.
pub const UNFINISHED: Key = part(3);

const fn part(part: u16) -> Key {
    Key { layer: Layer::Head, tile: TileKey { level: 0, x: 0, y: 0 }, part }
}

/// The record that this build writes, and the newest that it reads.
const VERSION: u16 = 1;

/// Bytes of the record.
const BYTES: usize = 48;

/// Head of a world.
///
/// Little-endian, from byte 0: version (u16), exponent of the vertical unit (u8), exponent of the
/// step of beds (u8), width and height (u32), cell width and datum (f64, m), lowest and highest bed
/// (i32), cells with ground (u64), coarsest level (u8), three bytes of zero.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Head {
    /// Columns of the finest level.
    pub width: usize,
    /// Rows of the finest level.
    pub height: usize,
    /// Width of the finest cells, m.
    pub cell_width_m: f64,
    /// Vertical unit and datum.
    pub scale: VerticalScale,
    /// Beds are multiples of 2^−`bed_exponent` m.
    pub bed_exponent: u8,
    /// Lowest finest bed, vertical units.
    pub low: i32,
    /// Highest finest bed, vertical units.
    pub high: i32,
    /// Finest cells with ground.
    pub inside: u64,
    /// Coarsest level of the pyramid.
    pub coarsest: u8,
}

impl Head {
    /// Returns the head of a terrain of which no row has arrived.
    pub(super) fn before_rows(options: &TerrainOptions) -> Self {
        let TerrainOptions { width, height, cell_width_m, scale, bed_exponent } = *options;
        Self {
            width,
            height,
            cell_width_m,
            scale,
            bed_exponent,
            // Every bed is below `OUTSIDE` and above its negative: the first one replaces both.
            low: OUTSIDE,
            high: -OUTSIDE,
            inside: 0,
            coarsest: coarsest(width, height),
        }
    }

    /// Returns the columns and rows of a level.
    #[must_use]
    pub fn size(&self, level: u8) -> (usize, usize) {
        (self.width.div_ceil(1 << level), self.height.div_ceil(1 << level))
    }

    /// Whether this is the head of the same map as `other`, with a range of beds that contains the
    /// range of `other`.
    #[must_use]
    pub fn is_wider_than(&self, other: &Self) -> bool {
        self.low <= other.low
            && other.high <= self.high
            && Self { low: self.low, high: self.high, ..*other } == *self
    }

    /// Whether a tile is on the map, at least in part.
    #[must_use]
    pub fn has(&self, tile: TileKey) -> bool {
        if tile.level > self.coarsest {
            return false;
        }
        let (width, height) = self.size(tile.level);
        let within = |at: u32, cells: usize| (at as usize) < cells.div_ceil(TILE_WIDTH);
        within(tile.x, width) && within(tile.y, height)
    }

    /// Returns the bytes of memory of the whole terrain: the beds of all levels, and bits of the
    /// finest cells while a world is built on it.
    #[must_use]
    pub fn terrain_bytes(&self) -> u64 {
        let cells = |level| {
            let (width, height) = self.size(level);
            width as u64 * height as u64
        };
        (0..=self.coarsest).map(|level| 4 * cells(level)).sum::<u64>() + cells(0) / 4
    }

    /// Returns the step of the finest beds, vertical units.
    #[must_use]
    pub fn bed_step(&self) -> i32 {
        // If beds would be finer than a unit, they are multiples of one unit.
        1 << self.scale.exponent().saturating_sub(self.bed_exponent)
    }

    pub(super) fn to_bytes(self) -> Vec<u8> {
        let side = |count: usize| u32::try_from(count).expect("at most 2^20");
        let mut out = Vec::with_capacity(BYTES);
        out.extend(VERSION.to_le_bytes());
        out.extend([self.scale.exponent(), self.bed_exponent]);
        out.extend(side(self.width).to_le_bytes());
        out.extend(side(self.height).to_le_bytes());
        out.extend(self.cell_width_m.to_le_bytes());
        out.extend(self.scale.datum_m().to_le_bytes());
        out.extend(self.low.to_le_bytes());
        out.extend(self.high.to_le_bytes());
        out.extend(self.inside.to_le_bytes());
        out.extend([self.coarsest, 0, 0, 0]);
        out
    }

    /// Returns the head of these bytes, or the reason why they are invalid.
    pub(super) fn of_bytes(bytes: &[u8]) -> Result<Self, &'static str> {
        let version = bytes.first_chunk().map(|two| u16::from_le_bytes(*two));
        if version.is_some_and(|version| version > VERSION) {
            return Err("it is of a newer form than this build reads: open it with a newer one");
        }
        let bytes: &[u8; BYTES] = bytes.try_into().map_err(|_| "it has not its 48 bytes")?;
        let four = |at: usize| bytes[at..].first_chunk().copied().expect("within the record");
        let eight = |at: usize| bytes[at..].first_chunk().copied().expect("within the record");
        let side = |at| usize::try_from(u32::from_le_bytes(four(at))).unwrap_or(usize::MAX);
        let datum_m = f64::from_le_bytes(eight(20));
        let scale = VerticalScale::try_new(bytes[2], datum_m)
            .map_err(|_| "its vertical unit or its datum is invalid")?;
        let head = Self {
            width: side(4),
            height: side(8),
            cell_width_m: f64::from_le_bytes(eight(12)),
            scale,
            bed_exponent: bytes[3],
            low: i32::from_le_bytes(four(28)),
            high: i32::from_le_bytes(four(32)),
            inside: u64::from_le_bytes(eight(36)),
            coarsest: bytes[44],
        };
        head.fault().map_or(Ok(head), Err)
    }

    /// Returns the reason why the head is invalid, if it is.
    fn fault(&self) -> Option<&'static str> {
        let Self { width, height, cell_width_m, scale, bed_exponent, .. } = *self;
        let options = TerrainOptions { width, height, cell_width_m, scale, bed_exponent };
        match options.check() {
            Ok(()) => {}
            Err(HeightmapError::Size { .. }) => return Some("no map has as many columns and rows"),
            Err(HeightmapError::CellWidth(_)) => return Some("no cell has such a width"),
            Err(_) => return Some("its step of beds is invalid"),
        }
        if self.coarsest != coarsest(width, height) {
            return Some("its count of levels does not fit its size");
        }
        let cells = width * height;
        // `CEILING` itself is the mark of cells outside.
        let beds = 1 - CEILING..CEILING;
        if self.low > self.high || !beds.contains(&self.low) || !beds.contains(&self.high) {
            return Some("its range of heights is invalid");
        }
        if !(1..=cells as u64).contains(&self.inside) {
            return Some("its count of cells with ground is 0, or above that of its cells");
        }
        None
    }
}

/// Returns the coarsest level of a pyramid over this many cells.
fn coarsest(mut width: usize, mut height: usize) -> u8 {
    for level in 0..Terrain::LEVELS {
        if width <= 2 || height <= 2 {
            return level;
        }
        (width, height) = (width.div_ceil(2), height.div_ceil(2));
    }
    Terrain::LEVELS
}

/// Reads the head of the world in a store.
///
/// # Errors
///
/// [`StoreError::Damaged`] if the head is missing or invalid; errors of reading the store.
pub fn read_head(store: &dyn Extents) -> Result<Head, StoreError> {
    let damaged = |what| StoreError::Damaged { key: Some(RECORD), what };
    let mut bytes = Vec::new();
    if !store.get(RECORD, &mut bytes)? {
        return Err(damaged("it is missing: the file holds no terrain"));
    }
    Head::of_bytes(&bytes).map_err(damaged)
}

/// Writes the position of the world on the globe, as a text in the format of the caller.
///
/// # Errors
///
/// Errors of writing the store.
pub fn write_georeference(text: &str, store: &mut Store) -> Result<(), StoreError> {
    store.put(GEOREFERENCE, text.as_bytes())
}

/// Returns the text of [`write_georeference`], if it was written.
///
/// # Errors
///
/// [`StoreError::Damaged`] if it is not a text; errors of reading the store.
pub fn read_georeference(store: &dyn Extents) -> Result<Option<String>, StoreError> {
    let mut bytes = Vec::new();
    if !store.get(GEOREFERENCE, &mut bytes)? {
        return Ok(None);
    }
    let damaged = |_| StoreError::Damaged { key: Some(GEOREFERENCE), what: "it is no text" };
    String::from_utf8(bytes).map(Some).map_err(damaged)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head() -> Head {
        Head {
            width: 130,
            height: 70,
            cell_width_m: 2.5,
            scale: VerticalScale::try_new(20, 100.0).expect("good"),
            bed_exponent: 10,
            low: -1024,
            high: 4096,
            inside: 130 * 70,
            coarsest: 6,
        }
    }

    #[test]
    fn a_head_comes_back() {
        let bytes = head().to_bytes();
        assert_eq!(bytes.len(), BYTES);
        assert_eq!(Head::of_bytes(&bytes), Ok(head()));
        assert_eq!((head().size(6), head().bed_step()), ((3, 2), 1024));
    }

    #[test]
    fn what_is_no_head_is_refused() {
        let cases: &[(usize, u8, &str)] = &[
            (0, 2, "newer"),
            (2, 30, "vertical unit"),
            (3, 40, "step of beds"),
            (4, 2, "levels"),
            (7, 1, "columns and rows"),
            (19, 0xff, "width"),
            (27, 0x7f, "datum"),
            (31, 0x7f, "range of heights"),
            (37, 0xff, "cells with ground"),
            (44, 5, "levels"),
        ];
        for &(at, byte, what) in cases {
            let mut bytes = head().to_bytes();
            bytes[at] = byte;
            if at == 27 {
                bytes[26] = 0xf0; // infinite
            }
            let fault = Head::of_bytes(&bytes).expect_err("no head");
            assert!(fault.contains(what), "byte {at}: {fault}");
        }
        for count in [0, 1, 2, 47] {
            assert!(Head::of_bytes(&head().to_bytes()[..count]).is_err(), "{count} bytes");
        }
    }
}
