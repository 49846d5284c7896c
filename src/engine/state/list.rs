//! Lists of fields that are state, and functions that go over them.
//!
//! ```text
//! record = bits of its flags and options (one byte, where it has some), then field by field
//! ```
//!
//! A flag is its bit and nothing more; an option is its bit and, if the bit is set, its value.

use crate::grid::{Side, TILE_WIDTH};
use crate::tile::{Carry, CowPlane, Water};
use crate::units::Volume;
use crate::units::hash::StateHasher;

/// A sink for the fields of a state, one after the other.
pub trait StateSink {
    /// Takes the bytes of a number.
    fn bytes(&mut self, bytes: &[u8]);

    /// Takes the depths of a leaf, vertical units.
    fn depths(&mut self, plane: &[i32]);

    /// Takes a plane of integers.
    fn ints(&mut self, plane: &[i32]);

    /// Takes a plane of floats.
    fn floats(&mut self, plane: &[f32]);

    /// Takes the content of the next tracer, 2⁻²⁴ vertical units.
    fn content(&mut self, plane: &[i64]);
}

/// A source of the fields of a state, in the order in which a [`StateSink`] took them.
pub trait StateSource {
    /// Error of a field that cannot be given.
    type Error;

    /// Returns the error of a number that encodes nothing.
    fn broken(&self) -> Self::Error;

    /// Gives the bytes of a number.
    ///
    /// # Errors
    ///
    /// If no more bytes are left; likewise for the methods below.
    fn bytes<const N: usize>(&mut self) -> Result<[u8; N], Self::Error>;

    /// Gives the depths of a leaf.
    fn depths(&mut self) -> Result<CowPlane<i32>, Self::Error>;

    /// Gives a plane of integers.
    fn ints(&mut self) -> Result<CowPlane<i32>, Self::Error>;

    /// Gives a plane of floats.
    fn floats(&mut self) -> Result<CowPlane<f32>, Self::Error>;

    /// Gives the contents of all tracers.
    fn contents(&mut self) -> Result<Vec<CowPlane<i64>>, Self::Error>;

    /// Sets the count of tracers.
    fn set_tracers(&mut self, tracers: u16);

    /// Returns the count of tracers.
    fn tracers(&self) -> u16;
}

/// Something that is state.
pub trait StateField: Sized {
    /// Count of its bits in the record that lists it.
    const BITS: usize = 0;

    /// Returns the bits of this value.
    fn bits(&self) -> u8 {
        0
    }

    /// Puts the value into a sink, apart from its bits.
    fn put(&self, sink: &mut impl StateSink);

    /// Takes a value from a source; `bits` has its bits in the lowest places.
    ///
    /// # Errors
    ///
    /// Errors of the source, and a number that encodes nothing.
    fn take<S: StateSource>(source: &mut S, bits: u8) -> Result<Self, S::Error>;
}

/// Implements [`StateField`] for a type by the list of its fields, which must be whole.
#[macro_export]
macro_rules! fields_of {
    ($name:ident { $($field:ident),* $(,)? }) => {
        impl $crate::state::StateField for $name {
            fn put(&self, sink: &mut impl $crate::state::StateSink) {
                use $crate::state::list::RecordBits;
                let Self { $($field),* } = self;
                let mut bits = RecordBits::default();
                $(bits.add($field);)*
                bits.put(sink);
                $($crate::state::StateField::put($field, sink);)*
            }

            fn take<S: $crate::state::StateSource>(
                source: &mut S,
                _: u8,
            ) -> Result<Self, S::Error> {
                use $crate::state::list::TakenRecord;
                let mut taken = TakenRecord::default();
                $(taken.expect(|all: &Self| &all.$field);)*
                taken.take(source)?;
                Ok(Self { $($field: taken.field(source)?),* })
            }
        }
    };
}

/// Makes a struct whose fields are state.
#[macro_export]
macro_rules! record {
    ($(#[$about:meta])* pub struct $name:ident {
        $($(#[$doc:meta])* pub $field:ident: $kind:ty,)*
    }) => {
        $(#[$about])*
        #[derive(Debug, Clone, PartialEq)]
        pub struct $name {
            $($(#[$doc])* pub $field: $kind,)*
        }

        $crate::fields_of!($name { $($field),* });
    };
}

/// Bits of a record, from its first field on.
#[derive(Debug, Default)]
pub struct RecordBits {
    bits: u8,
    count: usize,
}

impl RecordBits {
    /// Adds the bits of a field.
    pub fn add<T: StateField>(&mut self, field: &T) {
        // A field without bits may follow the eighth bit: shifting a byte by 8 would overflow.
        if T::BITS > 0 {
            self.bits |= field.bits() << self.count;
        }
        self.count += T::BITS;
        assert!(self.count <= 8, "the bits of a record fit a byte");
    }

    /// Puts the bits into a sink, if any.
    pub fn put(&self, sink: &mut impl StateSink) {
        if self.count > 0 {
            sink.bytes(&[self.bits]);
        }
    }
}

/// A record that is taken from a source.
#[derive(Debug, Default)]
pub struct TakenRecord {
    bits: u8,
    count: usize,
}

impl TakenRecord {
    /// Counts the bits of a field.
    pub fn expect<R, T: StateField>(&mut self, _: impl Fn(&R) -> &T) {
        self.count += T::BITS;
    }

    /// Takes the bits of all fields.
    ///
    /// # Errors
    ///
    /// Errors of the source, and bits that no field has.
    pub fn take<S: StateSource>(&mut self, source: &mut S) -> Result<(), S::Error> {
        assert!(self.count <= 8, "the bits of a record fit a byte");
        if self.count > 0 {
            [self.bits] = source.bytes()?;
        }
        let is_known = self.count == 8 || self.bits >> self.count == 0;
        is_known.then_some(()).ok_or_else(|| source.broken())
    }

    /// Takes the next field.
    ///
    /// # Errors
    ///
    /// Takes the next field, as [`StateField::take`].
    pub fn field<T: StateField, S: StateSource>(&mut self, source: &mut S) -> Result<T, S::Error> {
        let bits = self.bits;
        self.bits = if T::BITS < 8 { self.bits >> T::BITS } else { 0 };
        T::take(source, bits)
    }
}

/// Numbers are their bytes, the lowest first.
macro_rules! numbers {
    ($($number:ty),*) => {
        $(
            impl StateField for $number {
                fn put(&self, sink: &mut impl StateSink) {
                    sink.bytes(&self.to_le_bytes());
                }

                fn take<S: StateSource>(source: &mut S, _: u8) -> Result<Self, S::Error> {
                    source.bytes().map(Self::from_le_bytes)
                }
            }
        )*
    };
}

numbers!(u16, u32, i32, i64, i128, f32);

impl StateField for bool {
    const BITS: usize = 1;

    fn bits(&self) -> u8 {
        u8::from(*self)
    }

    fn put(&self, _: &mut impl StateSink) {}

    fn take<S: StateSource>(_: &mut S, bits: u8) -> Result<Self, S::Error> {
        Ok(bits & 1 == 1)
    }
}

impl<T: StateField> StateField for Option<T> {
    const BITS: usize = 1;

    fn bits(&self) -> u8 {
        u8::from(self.is_some())
    }

    fn put(&self, sink: &mut impl StateSink) {
        const { assert!(T::BITS == 0, "an option of something that has bits of its own") };
        if let Some(value) = self {
            value.put(sink);
        }
    }

    fn take<S: StateSource>(source: &mut S, bits: u8) -> Result<Self, S::Error> {
        (bits & 1 == 1).then(|| T::take(source, 0)).transpose()
    }
}

impl<T: StateField> StateField for Box<T> {
    const BITS: usize = T::BITS;

    fn bits(&self) -> u8 {
        (**self).bits()
    }

    fn put(&self, sink: &mut impl StateSink) {
        (**self).put(sink);
    }

    fn take<S: StateSource>(source: &mut S, bits: u8) -> Result<Self, S::Error> {
        T::take(source, bits).map(Self::new)
    }
}

impl<T: StateField, const N: usize> StateField for [Option<T>; N] {
    const BITS: usize = N;

    fn bits(&self) -> u8 {
        (0..).zip(self).fold(0, |bits, (at, value)| bits | value.bits() << at)
    }

    fn put(&self, sink: &mut impl StateSink) {
        self.iter().for_each(|value| value.put(sink));
    }

    fn take<S: StateSource>(source: &mut S, bits: u8) -> Result<Self, S::Error> {
        const { assert!(N <= 8, "the bits of a record fit a byte") };
        let mut all = [const { None }; N];
        for (at, value) in all.iter_mut().enumerate() {
            *value = StateField::take(source, bits >> at)?;
        }
        Ok(all)
    }
}

/// One number for each face along a side.
macro_rules! rows {
    ($($number:ty),*) => {
        $(
            impl StateField for [$number; TILE_WIDTH] {
                fn put(&self, sink: &mut impl StateSink) {
                    self.iter().for_each(|number| number.put(sink));
                }

                fn take<S: StateSource>(source: &mut S, _: u8) -> Result<Self, S::Error> {
                    let mut row = [Default::default(); TILE_WIDTH];
                    for number in &mut row {
                        *number = StateField::take(source, 0)?;
                    }
                    Ok(row)
                }
            }
        )*
    };
}

rows!(f32, i64);

/// One value for each tracer, without their count.
macro_rules! per_tracer {
    ($($value:ty),*) => {
        $(
            impl StateField for Vec<$value> {
                fn put(&self, sink: &mut impl StateSink) {
                    self.iter().for_each(|value| value.put(sink));
                }

                fn take<S: StateSource>(source: &mut S, _: u8) -> Result<Self, S::Error> {
                    (0..source.tracers()).map(|_| StateField::take(source, 0)).collect()
                }
            }
        )*
    };
}

per_tracer!(Volume, [i64; TILE_WIDTH]);

impl StateField for Side {
    fn put(&self, sink: &mut impl StateSink) {
        // Two bytes: the file format has a zero after the side of a boundary face.
        u16::from(*self as u8).put(sink);
    }

    fn take<S: StateSource>(source: &mut S, _: u8) -> Result<Self, S::Error> {
        let side = usize::from(u16::take(source, 0)?);
        Self::ALL.get(side).copied().ok_or_else(|| source.broken())
    }
}

impl StateField for CowPlane<i32> {
    fn put(&self, sink: &mut impl StateSink) {
        sink.ints(self);
    }

    fn take<S: StateSource>(source: &mut S, _: u8) -> Result<Self, S::Error> {
        source.ints()
    }
}

impl StateField for Water {
    fn put(&self, sink: &mut impl StateSink) {
        let Self { depth, flow_x, flow_y, contents } = self;
        sink.depths(depth);
        sink.floats(flow_x);
        sink.floats(flow_y);
        contents.iter().for_each(|content| sink.content(content));
    }

    fn take<S: StateSource>(source: &mut S, _: u8) -> Result<Self, S::Error> {
        let (depth, flow_x) = (source.depths()?, source.floats()?);
        Ok(Self { depth, flow_x, flow_y: source.floats()?, contents: source.contents()? })
    }
}

fields_of!(Carry { water, infiltrated, contents });

/// A count of tracers, which governs all that follows it in a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TracerCount(pub u16);

impl StateField for TracerCount {
    fn put(&self, sink: &mut impl StateSink) {
        self.0.put(sink);
    }

    fn take<S: StateSource>(source: &mut S, _: u8) -> Result<Self, S::Error> {
        let count = u16::take(source, 0)?;
        source.set_tracers(count);
        Ok(Self(count))
    }
}

impl StateSink for StateHasher {
    fn bytes(&mut self, bytes: &[u8]) {
        for word in bytes.chunks(8) {
            // Zeros fill up a short word. No two states become the same words by this, because the
            // list fixes the length of each number.
            let mut whole = [0; 8];
            whole[..word.len()].copy_from_slice(word);
            self.add(u64::from_le_bytes(whole));
        }
    }

    fn depths(&mut self, plane: &[i32]) {
        self.ints(plane);
    }

    fn ints(&mut self, plane: &[i32]) {
        add_pairs(self, plane.iter().map(|cell| cell.cast_unsigned()));
    }

    fn floats(&mut self, plane: &[f32]) {
        add_pairs(self, plane.iter().map(|cell| cell.to_bits()));
    }

    fn content(&mut self, plane: &[i64]) {
        plane.iter().for_each(|cell| self.add(cell.cast_unsigned()));
    }
}

/// Adds numbers of 32 bits, two in a word.
fn add_pairs(hash: &mut StateHasher, mut numbers: impl Iterator<Item = u32>) {
    while let Some(low) = numbers.next() {
        let high = numbers.next().unwrap_or(0);
        hash.add(u64::from(high) << 32 | u64::from(low));
    }
}
