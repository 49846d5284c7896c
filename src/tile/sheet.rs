//! A plane of one tile that several may hold, until one of them writes.
//!
//! A world that is saved while it runs hands out its planes as they are; a step that writes into
//! one of them then takes a copy of its own. So a snapshot costs a count for each plane, and what
//! nobody holds is written in place.
//!
//! Limits:     the first access to write asks whether somebody else holds the plane: loops take the
//!             slice before they begin.

use std::ops::Deref;
use std::ops::DerefMut;
use std::sync::Arc;

/// Numbers of the cells of a tile, row by row from the south-west.
///
/// # Examples
///
/// ```
/// use thalweg::tile::Sheet;
/// let mut depth: Sheet<i32> = vec![0; 4096].into();
/// let before = depth.clone();
/// depth[7] = 5;
/// assert_eq!((before[7], depth[7]), (0, 5));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sheet<T>(Arc<[T]>);

impl<T> Deref for Sheet<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.0
    }
}

impl<T: Clone> DerefMut for Sheet<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        Arc::make_mut(&mut self.0)
    }
}

impl<T> From<Vec<T>> for Sheet<T> {
    fn from(values: Vec<T>) -> Self {
        Self(values.into())
    }
}

impl<T> From<Box<[T]>> for Sheet<T> {
    fn from(values: Box<[T]>) -> Self {
        Self(values.into())
    }
}

impl<T: Clone> From<&[T]> for Sheet<T> {
    fn from(values: &[T]) -> Self {
        Self(values.into())
    }
}

impl<T, const N: usize> From<[T; N]> for Sheet<T> {
    fn from(values: [T; N]) -> Self {
        Self(values.into())
    }
}

impl<T> FromIterator<T> for Sheet<T> {
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Self {
        Self(values.into_iter().collect())
    }
}

impl<'a, T> IntoIterator for &'a Sheet<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

impl<'a, T: Clone> IntoIterator for &'a mut Sheet<T> {
    type Item = &'a mut T;
    type IntoIter = std::slice::IterMut<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter_mut()
    }
}
