//! A tile of beds to and from bytes, its partly outside cells, and the set of tiles with ground.

use crate::grid::cells::{TILE_WIDTH_U32, column_row};
use crate::grid::{TILE_CELLS, TILE_WIDTH, TileKey};
use crate::store::codec::encode_ints;
use crate::store::terrain::head::Head;
use crate::store::{Key, Layer};
use crate::terrain::BedLevel;
use crate::units::{CEILING, OUTSIDE};

/// A plane of beds.
pub type StoredPlane = [i32; TILE_CELLS];

/// A bit for each cell of a tile: whether it is partly outside the world.
pub type PartBits = [u8; TILE_CELLS / 8];

/// Whether the bit of a cell is set.
#[must_use]
pub fn is_set(bits: &[u8], at: usize) -> bool {
    bits.get(at / 8).is_some_and(|byte| byte >> (at % 8) & 1 == 1)
}

/// Sets the bit of a cell.
pub(super) fn set(bits: &mut [u8], at: usize) {
    bits[at / 8] |= 1 << (at % 8);
}

/// Returns the extents of a tile; empty if it has no ground.
pub(super) fn extents(beds: &BedLevel, tile: TileKey) -> Vec<(Key, Vec<u8>)> {
    let corner = tile.corner();
    let place = |cell| {
        let (column, row) = column_row(cell);
        ((corner.x + column) as usize, (corner.y + row) as usize)
    };
    let (mut plane, mut parts) = ([OUTSIDE; TILE_CELLS], [0; TILE_CELLS / 8]);
    for (cell, bed) in plane.iter_mut().enumerate() {
        let (x, y) = place(cell);
        *bed = beds.ground_bed(x, y);
        if beds.is_part(x, y) {
            set(&mut parts, cell);
        }
    }
    let mut extents = Vec::new();
    if plane.iter().any(|&bed| bed != OUTSIDE) {
        let mut bytes = Vec::new();
        encode_ints(&plane, &mut bytes);
        extents.push((Key::of_tile(Layer::Bed, tile), bytes));
    }
    if parts.iter().any(|&byte| byte != 0) {
        extents.push((Key::of_tile(Layer::Parts, tile), parts.to_vec()));
    }
    extents
}

/// Returns the partly outside cells from these bytes.
pub(super) fn decode_parts(bytes: &[u8]) -> Result<PartBits, &'static str> {
    bytes.try_into().map_err(|_| "it is not a bit for each of 64 × 64 cells")
}

/// Returns the reason why a plane is not valid for beds of this world, if it is not.
pub(super) fn fault(head: &Head, tile: TileKey, plane: &StoredPlane) -> Option<&'static str> {
    let (width, height) = head.size(tile.level);
    let within = |at: u32, end: usize| end.saturating_sub(at as usize * TILE_WIDTH).min(TILE_WIDTH);
    let (columns, rows) = (within(tile.x, width), within(tile.y, height));
    // Means on coarser levels may lie between the steps.
    let step = if tile.level == 0 { head.bed_step() } else { 1 };
    for (row, beds) in plane.chunks_exact(TILE_WIDTH).enumerate() {
        let inside = if row < rows { columns } else { 0 };
        if beds[inside..].iter().any(|&bed| bed != OUTSIDE) {
            return Some("it has ground beyond the map");
        }
        // `unsigned_abs`: `abs` overflows for the smallest i32, which a forged plane may have.
        let is_bed = |bed: i32| bed.unsigned_abs() < CEILING.unsigned_abs() && bed % step == 0;
        if beds[..inside].iter().any(|&bed| bed != OUTSIDE && !is_bed(bed)) {
            return Some("it has an invalid bed: out of range, or between the steps of beds");
        }
    }
    plane.iter().all(|&bed| bed == OUTSIDE).then_some("it has no ground")
}

/// The set of tiles of a world with ground: a bit for each of the finest ones, row by row from the
/// south-west.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct GroundTiles {
    columns: usize,
    rows: usize,
    bits: Vec<u8>,
}

impl GroundTiles {
    /// Creates an empty set for a world.
    pub fn none(head: &Head) -> Self {
        let (columns, rows) = tile_count(head, 0);
        Self { columns, rows, bits: vec![0; (columns * rows).div_ceil(8)] }
    }

    /// Adds a finest tile.
    pub fn add(&mut self, tile: TileKey) {
        set(&mut self.bits, tile.y as usize * self.columns + tile.x as usize);
    }

    /// Whether the world has such a finest tile.
    pub fn is_within(&self, tile: TileKey) -> bool {
        (tile.x as usize) < self.columns && (tile.y as usize) < self.rows
    }

    /// Whether a tile, of any level, has ground.
    pub fn has(&self, tile: TileKey) -> bool {
        let range = |at: u32, end: usize| {
            let at = at as usize;
            (at << tile.level).min(end)..((at + 1) << tile.level).min(end)
        };
        let columns = range(tile.x, self.columns);
        range(tile.y, self.rows)
            .any(|y| columns.clone().any(|x| is_set(&self.bits, y * self.columns + x)))
    }

    /// Returns the bits of the tiles, the first the lowest of a byte: at most 516 KiB.
    pub fn bytes(&self) -> &[u8] {
        &self.bits
    }

    /// Returns the set of tiles of these bytes in a world.
    pub fn of_bytes(head: &Head, bytes: &[u8]) -> Result<Self, &'static str> {
        let none = Self::none(head);
        let is_whole = bytes.len() == none.bits.len();
        is_whole
            .then(|| Self { bits: bytes.to_vec(), ..none })
            .ok_or("it is not a bit for each finest tile")
    }
}

/// Returns the columns and rows of tiles of a level.
pub(super) fn tile_count(head: &Head, level: u8) -> (usize, usize) {
    let (width, height) = head.size(level);
    (width.div_ceil(TILE_WIDTH), height.div_ceil(TILE_WIDTH))
}

/// Returns all tiles of a level, along a Morton curve.
pub(super) fn tiles(head: &Head, level: u8) -> Vec<TileKey> {
    let (width, height) = head.size(level);
    let count = |cells: usize| u32::try_from(cells).expect("2^20").div_ceil(TILE_WIDTH_U32);
    let row = |y| (0..count(width)).map(move |x| TileKey { level, x, y });
    let mut tiles: Vec<TileKey> = (0..count(height)).flat_map(row).collect();
    tiles.sort_unstable();
    tiles
}
