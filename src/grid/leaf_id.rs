//! The id of a leaf.

use std::ops::{Index, IndexMut};

/// A leaf: its place in the order of the forest. Columns with one value a leaf, slices and vectors,
/// are indexed by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LeafId(u32);

impl LeafId {
    /// Stands for "no leaf there".
    pub const NONE: Self = Self(u32::MAX);

    /// The leaf at a place in the order of the forest.
    ///
    /// # Panics
    ///
    /// If there cannot be such a leaf: a world has 2⁴⁰ cells at most, 4096 a leaf.
    #[inline(always)]
    #[must_use]
    pub const fn new(index: usize) -> Self {
        assert!(index < 1 << 28, "a world has 2⁴⁰ cells at most, and so 2²⁸ leaves");
        #[expect(clippy::cast_possible_truncation, reason = "checked above")]
        Self(index as u32)
    }

    /// The leaves of a forest of so many, in their order.
    pub fn all(count: usize) -> impl DoubleEndedIterator<Item = Self> + ExactSizeIterator + Clone {
        (0..count).map(Self::new)
    }

    /// Place of the leaf in the order of the forest.
    #[inline(always)]
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The leaf, if one is there.
    #[inline(always)]
    #[must_use]
    pub fn known(self) -> Option<Self> {
        (self != Self::NONE).then_some(self)
    }
}

impl<T> Index<LeafId> for [T] {
    type Output = T;

    #[inline(always)]
    fn index(&self, leaf: LeafId) -> &T {
        &self[leaf.index()]
    }
}

impl<T> IndexMut<LeafId> for [T] {
    #[inline(always)]
    fn index_mut(&mut self, leaf: LeafId) -> &mut T {
        &mut self[leaf.index()]
    }
}

impl<T> Index<LeafId> for Vec<T> {
    type Output = T;

    #[inline(always)]
    fn index(&self, leaf: LeafId) -> &T {
        &self[leaf.index()]
    }
}

impl<T> IndexMut<LeafId> for Vec<T> {
    #[inline(always)]
    fn index_mut(&mut self, leaf: LeafId) -> &mut T {
        &mut self[leaf.index()]
    }
}
