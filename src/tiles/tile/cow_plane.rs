//! A plane of one tile that several owners may share, until one of them writes.
//!
//! A world that is saved while it runs shares its planes as they are; a step that writes into one
//! of them then takes a copy of its own. So a snapshot costs a count for each plane, and an
//! unshared plane is written in place. Copies use memory from the [pool](super::plane_pool) of
//! planes.
//!
//! Limits:     the first access to write checks whether the plane is shared: loops take the slice
//!             before they begin.

use crate::grid::TILE_CELLS;
use crate::tile::plane_pool::PlaneNumber;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

/// Numbers of the cells of a tile, row by row from the south-west.
///
/// # Examples
///
/// ```
/// use thalweg_tiles::tile::CowPlane;
/// let mut depth: CowPlane<i32> = vec![0; 4096].into();
/// let before = depth.clone();
/// depth[7] = 5;
/// assert_eq!((before[7], depth[7]), (0, 5));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CowPlane<T>(Arc<[T]>);

impl<T> Deref for CowPlane<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.0
    }
}

impl<T: PlaneNumber> DerefMut for CowPlane<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        // Another thread may drop its share meanwhile: the copy was superfluous then. A count of 1
        // stays, as nobody else can reach the plane to share it.
        if Arc::strong_count(&self.0) > 1 {
            let mut own = pooled(self.0.len());
            sole(&mut own).copy_from_slice(&self.0);
            self.0 = own;
        }
        sole(&mut self.0)
    }
}

impl<T: PlaneNumber> CowPlane<T> {
    /// Returns a plane of zeros of a whole tile, shared until it is written.
    #[must_use]
    pub fn zeros() -> Self {
        Self(T::zeros())
    }

    /// Makes the plane unshared, to be written as a whole: if it was shared, its numbers are
    /// arbitrary from then on.
    pub fn renew(&mut self) {
        if Arc::strong_count(&self.0) > 1 {
            self.0 = pooled(self.0.len());
        }
    }

    /// Releases the plane: an unshared one returns to the pool.
    pub fn give_back(mut self) {
        if self.0.len() == TILE_CELLS && Arc::get_mut(&mut self.0).is_some() {
            T::pool().give(self.0);
        }
    }
}

/// Returns an unshared plane of arbitrary numbers.
fn pooled<T: PlaneNumber>(len: usize) -> Arc<[T]> {
    let kept = if len == TILE_CELLS { T::pool().take() } else { None };
    kept.unwrap_or_else(|| std::iter::repeat_n(T::default(), len).collect())
}

/// Returns the numbers of an unshared plane.
fn sole<T>(plane: &mut Arc<[T]>) -> &mut [T] {
    Arc::get_mut(plane).expect("one holder, who is asked")
}

impl<T> From<Vec<T>> for CowPlane<T> {
    fn from(values: Vec<T>) -> Self {
        Self(values.into())
    }
}

impl<T> From<Box<[T]>> for CowPlane<T> {
    fn from(values: Box<[T]>) -> Self {
        Self(values.into())
    }
}

impl<T: Clone> From<&[T]> for CowPlane<T> {
    fn from(values: &[T]) -> Self {
        Self(values.into())
    }
}

impl<T, const N: usize> From<[T; N]> for CowPlane<T> {
    fn from(values: [T; N]) -> Self {
        Self(values.into())
    }
}

impl<T> FromIterator<T> for CowPlane<T> {
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Self {
        Self(values.into_iter().collect())
    }
}

impl<'a, T> IntoIterator for &'a CowPlane<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

impl<'a, T: PlaneNumber> IntoIterator for &'a mut CowPlane<T> {
    type Item = &'a mut T;
    type IntoIter = std::slice::IterMut<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter_mut()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tile::plane_pool::PlanePool;

    /// A number whose planes only this test has.
    #[derive(Debug, Clone, Copy, PartialEq, Default)]
    struct Own(u8);

    impl PlaneNumber for Own {
        fn pool() -> &'static PlanePool<Self> {
            static POOL: PlanePool<Own> = PlanePool::new();
            &POOL
        }

        fn zeros() -> Arc<[Self]> {
            vec![Self(0); TILE_CELLS].into()
        }
    }

    /// A plane that is given back is the next copy, with any old contents; a shared one is not.
    #[test]
    fn what_is_given_back_is_written_again() {
        let mut plane: CowPlane<Own> = vec![Own(1); TILE_CELLS].into();
        let held = plane.clone();
        let other: CowPlane<Own> = vec![Own(2); TILE_CELLS].into();
        let places = [plane.as_ptr(), other.as_ptr()];
        held.clone().give_back();
        other.give_back();
        plane[3] = Own(4);
        assert_eq!([held.as_ptr(), plane.as_ptr()], places);
        assert_eq!((held[3], plane[3], plane[4]), (Own(1), Own(4), Own(1)));
        // The old one is shared no more: the next copy uses its memory.
        held.give_back();
        let again = plane.clone();
        plane[5] = Own(6);
        assert_eq!((plane.as_ptr(), plane[3], again[5]), (places[0], Own(4), Own(1)));
    }

    #[test]
    fn a_plane_that_is_held_stays_as_it_was() {
        for len in [9, TILE_CELLS] {
            let mut plane: CowPlane<i32> = (0..).take(len).collect();
            let held = plane.clone();
            plane[7] = -1;
            assert_eq!((held[7], plane[7], plane[8]), (7, -1, 8), "{len} cells");
            let again = plane.clone();
            plane.renew();
            plane.fill(3);
            assert_eq!((again[7], plane.len(), plane[8]), (-1, len, 3), "{len} cells");
        }
    }

    #[test]
    fn what_nobody_holds_is_renewed_and_written_in_place() {
        let mut plane: CowPlane<u8> = vec![1; TILE_CELLS].into();
        let place = plane.as_ptr();
        plane.renew();
        plane[3] = 2;
        assert_eq!((plane.as_ptr(), plane[3], plane[4]), (place, 2, 1));
    }
}
