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
//!             whose depths differ from cell to cell takes about three bytes a cell, 48 unpacked.

use crate::world::actions::tile_amounts::TileAmount;
use std::borrow::Cow;
use thalweg_engine::grid::TileKey;

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
    pub fn of(amounts: &[TileAmount]) -> Self {
        let tracers = amounts.first().map_or(0, |amount| amount.contents.len());
        let mut plain = Vec::new();
        for leaf in amounts.chunk_by(|a, b| a.key == b.key) {
            let TileKey { level, x, y } = leaf[0].key;
            for number in [i64::from(level), x.into(), y.into(), leaf.len() as i64] {
                put(&mut plain, number);
            }
            put_steps(&mut plain, leaf.iter().map(|own| own.cell as i64));
            put_steps(&mut plain, leaf.iter().map(|own| own.units.into()));
            for tracer in 0..tracers {
                put_steps(&mut plain, leaf.iter().map(|own| own.contents[tracer]));
            }
        }
        Self {
            bytes: lz4_flex::block::compress(&plain).into(),
            plain: plain.len(),
            count: amounts.len(),
            tracers,
        }
    }

    /// Returns the amounts, in their order.
    pub fn list(&self) -> Vec<TileAmount> {
        let plain = lz4_flex::block::decompress(&self.bytes, self.plain).expect("packed here");
        let mut rest = AmountReader { bytes: &plain };
        let mut all = Vec::with_capacity(self.count);
        while all.len() < self.count {
            let [level, x, y, count] = std::array::from_fn(|_| rest.number());
            let narrow = |number: i64| u32::try_from(number).expect("packed here");
            let key = TileKey {
                level: u8::try_from(level).expect("packed here"),
                x: narrow(x),
                y: narrow(y),
            };
            let from = all.len();
            rest.steps(count, |_, cell| {
                let cell = usize::try_from(cell).expect("packed here");
                all.push(TileAmount { key, cell, units: 0, contents: vec![0; self.tracers] });
            });
            let own = &mut all[from..];
            rest.steps(count, |at, units| {
                own[at].units = i32::try_from(units).expect("packed here");
            });
            for tracer in 0..self.tracers {
                rest.steps(count, |at, content| own[at].contents[tracer] = content);
            }
        }
        all
    }
}

/// Amounts of an action: as a list while it is done, packed while they wait for an undo.
#[derive(Debug, Clone)]
pub(super) enum Amounts {
    /// Amounts one after the other.
    Listed(Vec<TileAmount>),
    /// Amounts by leaf.
    Packed(PackedAmounts),
}

impl Amounts {
    /// Returns the amounts, in their order.
    pub fn list(&self) -> Cow<'_, [TileAmount]> {
        match self {
            Self::Listed(amounts) => Cow::Borrowed(amounts),
            Self::Packed(packed) => Cow::Owned(packed.list()),
        }
    }

    /// Packs the amounts.
    pub fn pack(&mut self) {
        if let Self::Listed(amounts) = self {
            *self = Self::Packed(PackedAmounts::of(amounts));
        }
    }

    /// Lists the amounts.
    pub fn unpack(&mut self) {
        if let Self::Packed(packed) = self {
            *self = Self::Listed(packed.list());
        }
    }

    /// Returns the number of cells that have amounts.
    pub fn count(&self) -> usize {
        match self {
            Self::Listed(amounts) => amounts.len(),
            Self::Packed(packed) => packed.count,
        }
    }

    /// Returns the bytes that the amounts count for, the same number on every machine. Packed ones
    /// take no more, except for a few; listed ones take 24 more each on a machine of 64 bits.
    pub fn bytes(&self) -> usize {
        match self {
            Self::Listed(amounts) => amounts.iter().map(|own| 24 + 8 * own.contents.len()).sum(),
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

    /// Reads `count` numbers that were written as steps: each with its index.
    fn steps(&mut self, count: i64, mut take: impl FnMut(usize, i64)) {
        let count = usize::try_from(count).expect("packed here");
        let (mut at, mut last) = (0, 0_i64);
        while at < count {
            let [step, times] = std::array::from_fn(|_| self.number());
            for _ in 0..times {
                last = last.wrapping_add(step);
                take(at, last);
                at += 1;
            }
        }
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
            let amount = |i: usize| TileAmount {
                key: key(u32::try_from(i / 300).expect("small")),
                cell: if seed.is_multiple_of(3) { below(1, i, 4096) } else { i % 300 },
                units: [i32::MAX, 0, -7, i32::MIN + 9][below(3, i, 4)],
                contents: (0..seed % 4)
                    .map(|tracer| [i64::MIN, i64::MAX, 0, 5][below(4 + tracer, i, 4)])
                    .collect(),
            };
            let amounts: Vec<TileAmount> = (0..below(9, 0, 1000)).map(amount).collect();
            let packed = PackedAmounts::of(&amounts);
            assert_eq!(packed.list(), amounts, "seed {seed}");
        }
        let even = |i: usize| TileAmount {
            key: key(u32::try_from(i / 4096).expect("small")),
            cell: i % 4096,
            units: 900,
            contents: Vec::new(),
        };
        let amounts: Vec<TileAmount> = (0..1 << 18).map(even).collect();
        let packed = PackedAmounts::of(&amounts);
        let bytes = packed.bytes.len();
        assert!(bytes < 16 * 64, "{bytes} bytes for 64 leaves");
        assert_eq!(Amounts::Packed(packed.clone()).bytes(), packed.plain);
        assert!(packed.plain < 24 * 64, "{} bytes counted for 64 leaves", packed.plain);
    }
}
