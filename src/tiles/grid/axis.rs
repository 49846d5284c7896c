//! The two axes of the grid.

use std::ops::{Index, IndexMut};

/// An axis: the direction normal to a face, in which water crosses it. Arrays of two, one value for
/// each axis, are indexed by an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Axis {
    /// The axis of west and east faces: water crosses them eastward or westward.
    X,
    /// The axis of south and north faces: water crosses them northward or southward.
    Y,
}

impl Axis {
    /// Both axes, in the order of state.
    pub const ALL: [Self; 2] = [Self::X, Self::Y];

    /// Returns the other axis.
    #[inline(always)]
    #[must_use]
    pub fn across(self) -> Self {
        match self {
            Self::X => Self::Y,
            Self::Y => Self::X,
        }
    }
}

impl<T> Index<Axis> for [T; 2] {
    type Output = T;

    #[inline(always)]
    fn index(&self, axis: Axis) -> &T {
        &self[axis as usize]
    }
}

impl<T> IndexMut<Axis> for [T; 2] {
    #[inline(always)]
    fn index_mut(&mut self, axis: Axis) -> &mut T {
        &mut self[axis as usize]
    }
}
