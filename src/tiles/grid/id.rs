//! Ids: numbers of things that cannot be mixed up.

/// Makes the id of a kind of thing: its place among all of them. Columns with one value for each
/// thing, slices and vectors, are indexed by it.
///
/// ```text
/// id! {
///     /// A node of a net.
///     pub struct NodeId: u32, "a net has 2³² nodes at most";
/// }
/// ```
#[macro_export]
macro_rules! id {
    ($(#[$doc:meta])* $seen:vis struct $name:ident: $number:ty, $bound:literal;) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        $seen struct $name($number);

        impl $name {
            /// The id of no thing.
            pub const NONE: Self = Self(<$number>::MAX);

            /// Returns the id of a place in the order of all.
            ///
            /// # Panics
            ///
            /// If the place is at or beyond the largest number of the id's type.
            #[inline(always)]
            #[must_use]
            #[expect(clippy::cast_possible_truncation, reason = "checked in the line before")]
            pub const fn new(index: usize) -> Self {
                assert!(index < <$number>::MAX as usize, $bound);
                Self(index as $number)
            }

            /// Returns the first `count` ids, in their order.
            pub fn all(
                count: usize,
            ) -> impl DoubleEndedIterator<Item = Self> + ExactSizeIterator + Clone {
                (0..count).map(Self::new)
            }

            /// Returns the place in the order of all.
            #[inline(always)]
            #[must_use]
            pub const fn index(self) -> usize {
                self.0 as usize
            }

            /// Returns the id, or `None` for `NONE`.
            #[inline(always)]
            #[must_use]
            pub fn known(self) -> Option<Self> {
                (self != Self::NONE).then_some(self)
            }
        }

        impl<T> std::ops::Index<$name> for [T] {
            type Output = T;

            #[inline(always)]
            fn index(&self, id: $name) -> &T {
                &self[id.index()]
            }
        }

        impl<T> std::ops::IndexMut<$name> for [T] {
            #[inline(always)]
            fn index_mut(&mut self, id: $name) -> &mut T {
                &mut self[id.index()]
            }
        }

        impl<T> std::ops::Index<$name> for Vec<T> {
            type Output = T;

            #[inline(always)]
            fn index(&self, id: $name) -> &T {
                &self[id.index()]
            }
        }

        impl<T> std::ops::IndexMut<$name> for Vec<T> {
            #[inline(always)]
            fn index_mut(&mut self, id: $name) -> &mut T {
                &mut self[id.index()]
            }
        }
    };
}

pub use id;

id! {
    /// A leaf, by its place in the order of the forest.
    pub struct LeafId: u32, "2³² − 1 leaves at most";
}
