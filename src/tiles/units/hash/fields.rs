//! The fields of a state as words of its hash.
//!
//! A type declares its state once, by deriving `Serialize`; `#[serde(skip)]` leaves out a field
//! that follows from the rest. Names of fields, types and variants are not part of the hash.
//!
//! Guarantees: a list begins with its length, so no two values of one type give the same words.
//! Limits:     lists of unknown length are refused.

use crate::units::hash::StateHasher;
use serde::Serialize;
use serde::ser::{
    SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
    SerializeTupleStruct, SerializeTupleVariant, Serializer,
};
use std::fmt;

impl StateHasher {
    /// Adds all fields of a value, in their order.
    ///
    /// # Panics
    ///
    /// If the type refuses to be serialised, which no derived one does.
    pub fn add_fields<T: Serialize + ?Sized>(&mut self, value: &T) {
        value.serialize(self).expect("the hash takes every field");
    }
}

/// A list or a structure whose fields are being added.
pub struct Fields<'a>(&'a mut StateHasher);

impl Fields<'_> {
    fn add<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), fmt::Error> {
        value.serialize(&mut *self.0)
    }
}

/// Functions that add a number as a word.
macro_rules! words {
    ($($function:ident $number:ty),*) => {
        $(
            fn $function(self, number: $number) -> Result<(), fmt::Error> {
                self.add(u64::from(number));
                Ok(())
            }
        )*
    };
}

/// Functions that add a signed number as a word.
macro_rules! signed_words {
    ($($function:ident $number:ty),*) => {
        $(
            fn $function(self, number: $number) -> Result<(), fmt::Error> {
                self.add(i64::from(number).cast_unsigned());
                Ok(())
            }
        )*
    };
}

impl<'a> Serializer for &'a mut StateHasher {
    type Ok = ();
    type Error = fmt::Error;
    type SerializeSeq = Fields<'a>;
    type SerializeTuple = Fields<'a>;
    type SerializeTupleStruct = Fields<'a>;
    type SerializeTupleVariant = Fields<'a>;
    type SerializeMap = Fields<'a>;
    type SerializeStruct = Fields<'a>;
    type SerializeStructVariant = Fields<'a>;

    words!(serialize_bool bool, serialize_u8 u8, serialize_u16 u16, serialize_u32 u32);
    words!(serialize_u64 u64, serialize_char char);
    signed_words!(serialize_i8 i8, serialize_i16 i16, serialize_i32 i32, serialize_i64 i64);

    fn serialize_i128(self, number: i128) -> Result<(), fmt::Error> {
        self.add_wide(number);
        Ok(())
    }

    fn serialize_u128(self, number: u128) -> Result<(), fmt::Error> {
        self.add_wide(number.cast_signed());
        Ok(())
    }

    fn serialize_f32(self, number: f32) -> Result<(), fmt::Error> {
        self.add(u64::from(number.to_bits()));
        Ok(())
    }

    fn serialize_f64(self, number: f64) -> Result<(), fmt::Error> {
        self.add(number.to_bits());
        Ok(())
    }

    fn serialize_str(self, text: &str) -> Result<(), fmt::Error> {
        self.add_text(text);
        Ok(())
    }

    fn serialize_bytes(self, bytes: &[u8]) -> Result<(), fmt::Error> {
        self.collect_seq(bytes)
    }

    fn serialize_none(self) -> Result<(), fmt::Error> {
        self.serialize_bool(false)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), fmt::Error> {
        // Without this word `Some(false)` would be the same as `None`.
        self.add(1);
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<(), fmt::Error> {
        Ok(())
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<(), fmt::Error> {
        Ok(())
    }

    fn serialize_unit_variant(
        self,
        _: &'static str,
        variant: u32,
        _: &'static str,
    ) -> Result<(), fmt::Error> {
        self.serialize_u32(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<(), fmt::Error> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        variant: u32,
        _: &'static str,
        value: &T,
    ) -> Result<(), fmt::Error> {
        self.add(u64::from(variant));
        value.serialize(self)
    }

    fn serialize_seq(self, count: Option<usize>) -> Result<Fields<'a>, fmt::Error> {
        self.add(count.ok_or(fmt::Error)? as u64);
        Ok(Fields(self))
    }

    fn serialize_tuple(self, _: usize) -> Result<Fields<'a>, fmt::Error> {
        // The length of a tuple follows from its type, so it is no part of the hash.
        Ok(Fields(self))
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Fields<'a>, fmt::Error> {
        Ok(Fields(self))
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        variant: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Fields<'a>, fmt::Error> {
        self.add(u64::from(variant));
        Ok(Fields(self))
    }

    fn serialize_map(self, count: Option<usize>) -> Result<Fields<'a>, fmt::Error> {
        self.add(count.ok_or(fmt::Error)? as u64);
        Ok(Fields(self))
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Fields<'a>, fmt::Error> {
        Ok(Fields(self))
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        variant: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Fields<'a>, fmt::Error> {
        self.add(u64::from(variant));
        Ok(Fields(self))
    }

    fn is_human_readable(&self) -> bool {
        false
    }
}

impl SerializeMap for Fields<'_> {
    type Ok = ();
    type Error = fmt::Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), fmt::Error> {
        self.add(key)
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), fmt::Error> {
        self.add(value)
    }

    fn end(self) -> Result<(), fmt::Error> {
        Ok(())
    }
}

/// Serialisers that all but maps need.
macro_rules! structure {
    ($($which:ident $function:ident $($name:ty)?),*) => {
        $(
            impl $which for Fields<'_> {
                type Ok = ();
                type Error = fmt::Error;

                fn $function<T: Serialize + ?Sized>(
                    &mut self,
                    $(_: $name,)?
                    value: &T,
                ) -> Result<(), fmt::Error> {
                    self.add(value)
                }

                fn end(self) -> Result<(), fmt::Error> {
                    Ok(())
                }
            }
        )*
    };
}

structure!(SerializeSeq serialize_element, SerializeTuple serialize_element);
structure!(SerializeTupleStruct serialize_field);
structure!(SerializeTupleVariant serialize_field, SerializeStruct serialize_field &'static str);
structure!(SerializeStructVariant serialize_field &'static str);

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Serialize)]
    struct Gate {
        sill: Option<i32>,
        points: Vec<(f64, u16)>,
        rule: Rule,
        #[serde(skip)]
        _found: u8,
    }

    #[derive(Serialize)]
    enum Rule {
        Shut,
        Open(bool),
        By { stage: f32 },
    }

    fn hash_of(gate: &Gate) -> u64 {
        let mut hash = StateHasher::new();
        hash.add_fields(gate);
        hash.finish()
    }

    #[test]
    fn every_field_counts_and_its_name_does_not() {
        let shut = |found| Gate { sill: None, points: Vec::new(), rule: Rule::Shut, _found: found };
        let by = |stage| Gate { rule: Rule::By { stage }, ..shut(0) };
        let mut all = vec![
            hash_of(&shut(0)),
            hash_of(&Gate { sill: Some(0), ..shut(0) }),
            hash_of(&Gate { sill: Some(-1), ..shut(0) }),
            hash_of(&Gate { points: vec![(0.0, 0)], ..shut(0) }),
            hash_of(&Gate { points: vec![(0.0, 0), (0.0, 0)], ..shut(0) }),
            hash_of(&Gate { points: vec![(0.0, 1)], ..shut(0) }),
            hash_of(&Gate { rule: Rule::Open(false), ..shut(0) }),
            hash_of(&Gate { rule: Rule::Open(true), ..shut(0) }),
            hash_of(&by(0.0)),
            hash_of(&by(-0.0)),
        ];
        all.sort_unstable();
        assert!(all.windows(2).all(|pair| pair[0] != pair[1]), "{all:x?}");
        assert_eq!(hash_of(&shut(0)), hash_of(&shut(1)));
        let words = |lists: (Vec<Option<u64>>, Vec<Option<u64>>)| {
            let mut hash = StateHasher::new();
            hash.add_fields(&lists);
            hash.finish()
        };
        assert_ne!(words((vec![None], vec![None])), words((vec![], vec![Some(0)])));
        #[derive(Serialize)]
        struct Other(Option<i32>, Vec<(f64, u16)>, u32);
        let mut other = StateHasher::new();
        other.add_fields(&Other(None, Vec::new(), 0));
        assert_eq!(other.finish(), hash_of(&shut(0)), "the same fields by other names");
    }
}
