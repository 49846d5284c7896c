//! Amounts of cells as a way back keeps them: packed, by leaf.
//!
//! ```text
//! amounts   leaf │ cells          │ units            │ content of each tracer
//!           key  │ 0 1 2 … 4095   │ 900 900 900 …    │ 0 0 0 …
//! steps          │ 0, then 1 × 4095 │ 900, then 0 × 4095 │ 0 × 4096        value × how often
//! ```
//!
//! Each column is written as the steps from one number to the next, each step with its count, and
//! the result is then compressed.
//!
//! Guarantees: the amounts are restored exactly, in their order (`amounts_come_back_as_they_were`).
//!             The count of bytes is that of the steps, the same on every machine; long inputs
//!             compress differently on machines of 32 bits and of 64 bits.
//! Limits:     water added at one depth counts for about twenty bytes a leaf, and takes ten; water
//!             whose depths differ from cell to cell takes about three bytes a cell, six unpacked.

use crate::world::actions::tile_amounts::on_leaves;
use std::borrow::Cow;
use thalweg_engine::grid::TileKey;
use thalweg_engine::sim::Simulation;
use thalweg_engine::sim::edits::TileCells;

/// Bytes of a point of a line or a series, or of an interval.
pub(super) const POINT_BYTES: usize = 16;

/// Amounts of cells, packed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PackedAmounts {
    bytes: Box<[u8]>,
    /// Bytes before the compression, which are counted: they decide which ways back are removed.
    plain: usize,
    count: usize,
    tracers: usize,
}

impl PackedAmounts {
    /// Packs some amounts.
    pub fn of(tiles: &[TileCells]) -> Self {
        let tracers = tiles.first().map_or(0, |tile| tile.contents.len());
        let mut plain = Vec::new();
        for TileCells { key: TileKey { level, x, y }, cells, units, contents } in tiles {
            for number in [(*level).into(), (*x).into(), (*y).into(), cells.len() as i64] {
                put(&mut plain, number);
            }
            put_steps(&mut plain, cells.iter().map(|&cell| cell.into()));
            put_steps(&mut plain, units.iter().map(|&units| units.into()));
            for contents in contents {
                put_steps(&mut plain, contents.iter().copied());
            }
        }
        Self {
            bytes: lz4_flex::block::compress(&plain).into(),
            plain: plain.len(),
            count: tiles.iter().map(|tile| tile.cells.len()).sum(),
            tracers,
        }
    }

    /// Returns the amounts, in their order.
    pub fn list(&self) -> Vec<TileCells> {
        let plain = lz4_flex::block::decompress(&self.bytes, self.plain).expect("packed here");
        let mut rest = AmountReader { bytes: &plain };
        let mut all = Vec::new();
        while !rest.bytes.is_empty() {
            let [level, x, y, count] = std::array::from_fn(|_| rest.number());
            let narrow = |number: i64| u32::try_from(number).expect("packed here");
            let key = TileKey {
                level: u8::try_from(level).expect("packed here"),
                x: narrow(x),
                y: narrow(y),
            };
            all.push(TileCells {
                key,
                cells: rest.column(count, |cell| u16::try_from(cell).expect("packed here")),
                units: rest.column(count, |units| i32::try_from(units).expect("packed here")),
                contents: (0..self.tracers).map(|_| rest.column(count, |own| own)).collect(),
            });
        }
        all
    }
}

/// Amounts of an action: as a list while it is done, packed while they wait for an undo.
#[derive(Debug, Clone)]
pub(super) enum Amounts {
    /// Amounts by tile.
    Listed(Vec<TileCells>),
    /// Packed cells of tiles, in few bytes.
    Packed(PackedAmounts),
}

impl Amounts {
    /// Returns the amounts, in their order.
    pub fn list(&self) -> Cow<'_, [TileCells]> {
        match self {
            Self::Listed(tiles) => Cow::Borrowed(tiles),
            Self::Packed(packed) => Cow::Owned(packed.list()),
        }
    }

    /// Returns the amounts without their wrapping.
    pub fn into_tiles(self) -> Vec<TileCells> {
        match self {
            Self::Listed(tiles) => tiles,
            Self::Packed(packed) => packed.list(),
        }
    }

    /// Packs the amounts.
    pub fn pack(&mut self) {
        if let Self::Listed(tiles) = self {
            *self = Self::Packed(PackedAmounts::of(tiles));
        }
    }

    /// Lists the amounts on the present leaves.
    pub fn place(&mut self, simulation: &Simulation) {
        let amounts = std::mem::replace(self, Self::Listed(Vec::new()));
        *self = Self::Listed(on_leaves(simulation, amounts.into_tiles()));
    }

    /// Returns the number of cells that have amounts.
    pub fn count(&self) -> usize {
        match self {
            Self::Listed(tiles) => tiles.iter().map(|tile| tile.cells.len()).sum(),
            Self::Packed(packed) => packed.count,
        }
    }

    /// Returns the bytes that the amounts count for, the same number on every machine and more than
    /// they take, listed or packed, except for a few.
    pub fn bytes(&self) -> usize {
        match self {
            Self::Listed(tiles) => {
                tiles.iter().map(|own| own.cells.len() * (24 + 8 * own.contents.len())).sum()
            }
            Self::Packed(packed) => packed.plain,
        }
    }
}

/// Writes a number, seven bits a byte; small numbers of either sign take the fewest bytes.
#[expect(clippy::cast_possible_truncation, reason = "seven bits at a time")]
fn put(out: &mut Vec<u8>, number: i64) {
    // The sign moves into the lowest bit, so that −1 takes one byte and not ten.
    let mut rest = ((number << 1) ^ (number >> 63)).cast_unsigned();
    while rest >= 0x80 {
        out.push((rest & 0x7f) as u8 | 0x80);
        rest >>= 7;
    }
    out.push(rest as u8);
}

/// Writes the steps from number to number, the first from 0, each with its count of repeats.
fn put_steps(out: &mut Vec<u8>, numbers: impl Iterator<Item = i64>) {
    let (mut last, mut step, mut count) = (0_i64, 0, 0);
    for number in numbers {
        // The step between two i64 may not fit an i64: it wraps here, and wraps back on reading.
        let next = number.wrapping_sub(last);
        last = number;
        if count > 0 && next != step {
            put(out, step);
            put(out, count);
            count = 0;
        }
        (step, count) = (next, count + 1);
    }
    if count > 0 {
        put(out, step);
        put(out, count);
    }
}

/// Reader of the numbers that [`put`] wrote.
struct AmountReader<'a> {
    bytes: &'a [u8],
}

impl AmountReader<'_> {
    /// Reads the next number.
    fn number(&mut self) -> i64 {
        let (mut number, mut shift) = (0_u64, 0);
        loop {
            let (&byte, rest) = self.bytes.split_first().expect("packed here");
            self.bytes = rest;
            number |= u64::from(byte & 0x7f) << shift;
            shift += 7;
            if byte < 0x80 {
                return (number >> 1).cast_signed() ^ -(number & 1).cast_signed();
            }
        }
    }

    /// Reads `count` numbers that were written as steps, and narrows each.
    fn column<T>(&mut self, count: i64, narrow: impl Fn(i64) -> T) -> Vec<T> {
        let count = usize::try_from(count).expect("packed here");
        let (mut column, mut last) = (Vec::with_capacity(count), 0_i64);
        while column.len() < count {
            let [step, times] = std::array::from_fn(|_| self.number());
            for _ in 0..times {
                last = last.wrapping_add(step);
                column.push(narrow(last));
            }
        }
        column
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use thalweg_engine::units::hash::scramble;

    /// Goal: amounts of any kind are restored, and amounts of one depth take few bytes. Method:
    /// random leaves, cells in order or not, units and contents up to their limits.
    #[test]
    fn amounts_come_back_as_they_were() {
        let key = |x: u32| TileKey { level: u8::try_from(x % 5).expect("small"), x, y: u32::MAX };
        for seed in 0..200_u64 {
            let draw = |salt: u64, i: usize| scramble(seed << 40 ^ salt << 32 ^ i as u64);
            let below = |salt: u64, i: usize, most: u64| {
                usize::try_from(draw(salt, i) % most).expect("small")
            };
            let cell = |i: usize| if seed.is_multiple_of(3) { below(1, i, 4096) } else { i % 300 };
            let count = below(9, 0, 1000);
            let tile = |from: usize| {
                let own = || from..count.min(from + 300);
                let content = |tracer, i| [i64::MIN, i64::MAX, 0, 5][below(4 + tracer, i, 4)];
                TileCells {
                    key: key(u32::try_from(from / 300).expect("small")),
                    cells: own().map(|i| u16::try_from(cell(i)).expect("small")).collect(),
                    units: own().map(|i| [i32::MAX, 0, -7, i32::MIN + 9][below(3, i, 4)]).collect(),
                    contents: (0..seed % 4)
                        .map(|tracer| own().map(|i| content(tracer, i)).collect())
                        .collect(),
                }
            };
            let amounts: Vec<TileCells> = (0..count).step_by(300).map(tile).collect();
            let packed = PackedAmounts::of(&amounts);
            assert_eq!(packed.list(), amounts, "seed {seed}");
        }
        let even = |x: u32| TileCells {
            key: key(x),
            cells: (0..4096).collect(),
            units: vec![900; 4096],
            contents: Vec::new(),
        };
        let amounts: Vec<TileCells> = (0..64).map(even).collect();
        let packed = PackedAmounts::of(&amounts);
        let bytes = packed.bytes.len();
        assert!(bytes < 16 * 64, "{bytes} bytes for 64 leaves");
        assert_eq!(Amounts::Packed(packed.clone()).bytes(), packed.plain);
        assert!(packed.plain < 24 * 64, "{} bytes counted for 64 leaves", packed.plain);
    }
}
