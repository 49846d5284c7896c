//! A value that is here, or away in a place that brings it back.
//!
//! ```text
//!                here, its own ◄── written ─── here, a copy of its place
//!                      │                        ▲            │
//!                   let go                     read       released
//!                      └──────────► away ───────┘ ◄──────────┘
//! ```
//!
//! A read of a [`Resident`] gets the value by [`Deref`]: if it is away, its [`AwayPlace`] brings
//! it, once for all threads that need it. A write gets the value by [`DerefMut`], and its place is
//! dropped. So code that reads and writes does not depend on where a value was.
//!
//! Guarantees: a value that was released returns as its place gives it, and a value that was
//!             written since is never replaced.
//! Limits:     each access looks once whether the value is here: loops take slices before they
//!             begin. A copy that is read over and over is released at ever longer intervals.

use crate::units::Volume;
use std::fmt::Debug;
use std::ops::{Deref, DerefMut};
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, OnceLock};

/// Reason for which a value is brought.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BringReason {
    /// A step will need it.
    Ahead,
    /// A reader waits for it.
    Now,
    /// A reader of a copy, which releases it at once.
    Copy,
    /// A reader of its planes, which releases it at once: a place may leave out values that follow
    /// from the planes.
    Planes,
}

/// Place of a value while it is away.
pub trait AwayPlace<T>: Debug + Send + Sync + RefUnwindSafe + UnwindSafe {
    /// Brings the value: the very same each time.
    fn bring(&self, demand: BringReason) -> T;

    /// True if steps change the value at its place: it is never brought for them.
    fn is_stepped(&self) -> bool {
        false
    }

    /// Returns the sums of the planes of the value that are summed, in their order; empty if no
    /// plane is summed.
    fn sums(&self) -> &[Volume] {
        &[]
    }
}

/// A value that is here, or away: one of the two at least.
///
/// # Examples
///
/// ```
/// use std::sync::Arc;
/// use thalweg_tiles::tile::resident::{AwayPlace, BringReason, Resident};
///
/// #[derive(Debug)]
/// struct Seven;
///
/// impl AwayPlace<i32> for Seven {
///     fn bring(&self, _: BringReason) -> i32 {
///         7
///     }
/// }
///
/// let mut number = Resident::new(7);
/// number.let_go(Arc::new(Seven));
/// assert!(!number.is_here());
/// assert_eq!((*number, number.is_here()), (7, true));
/// *number += 1;
/// assert_eq!((*number, number.place().is_none()), (8, true));
/// ```
#[derive(Debug)]
pub struct Resident<T> {
    here: OnceLock<Box<T>>,
    /// Place of the same value, unless the value was written since.
    place: Option<Arc<dyn AwayPlace<T>>>,
    /// Turns for which a copy stays that a reader waited for, and turns left.
    stay: AtomicU8,
    left: AtomicU8,
}

impl<T> Resident<T> {
    /// Returns a value that is here.
    #[must_use]
    pub fn new(value: T) -> Self {
        let here = OnceLock::from(Box::new(value));
        Self { here, place: None, stay: AtomicU8::new(0), left: AtomicU8::new(0) }
    }

    /// True if the value is in memory.
    #[must_use]
    pub fn is_here(&self) -> bool {
        self.here.get().is_some()
    }

    /// True if a step finds the value: in memory, or at a place that steps it.
    #[must_use]
    pub fn is_ready(&self) -> bool {
        self.is_here() || self.place.as_ref().is_some_and(|place| place.is_stepped())
    }

    /// Returns the place of the same value, if any.
    #[must_use]
    pub fn place(&self) -> Option<&Arc<dyn AwayPlace<T>>> {
        self.place.as_ref()
    }

    /// Brings the value, before a reader waits for it.
    pub fn bring_ahead(&self) {
        if !self.is_here() {
            self.bring(BringReason::Ahead);
        }
    }

    /// Releases the value, which this place has from now on.
    pub fn let_go(&mut self, place: Arc<dyn AwayPlace<T>>) {
        (self.here, self.place) = (OnceLock::new(), Some(place));
    }

    /// Releases a copy of the value at its place, if it has a place and its turns are over; returns
    /// whether the value is away now.
    pub fn release(&mut self) -> bool {
        if self.place.is_none() {
            return false;
        }
        let left = *self.left.get_mut();
        *self.left.get_mut() = left.saturating_sub(1);
        if left == 0 {
            self.here = OnceLock::new();
        }
        left == 0
    }

    /// Releases a copy of the value at its place, if it has a place.
    pub fn release_at_once(&mut self) {
        if self.place.is_some() {
            self.here = OnceLock::new();
        }
    }

    /// Returns a copy of the value; a value that is away stays there.
    #[must_use]
    pub fn copied(&self) -> T
    where
        T: Clone,
    {
        match (self.here.get(), &self.place) {
            (None, Some(place)) => place.bring(BringReason::Copy),
            _ => T::clone(self),
        }
    }

    /// Looks at the planes of the value; one that is away stays there.
    pub fn look_at_planes<R>(&self, look: impl FnOnce(&T) -> R) -> R {
        match (self.here.get(), &self.place) {
            (None, Some(place)) => look(&place.bring(BringReason::Planes)),
            _ => look(self),
        }
    }

    /// Returns the value itself.
    #[must_use]
    pub fn into_inner(self) -> T {
        self.bring_ahead();
        *self.here.into_inner().expect("brought")
    }

    #[cold]
    fn bring(&self, demand: BringReason) -> &T {
        self.here.get_or_init(|| {
            if demand == BringReason::Now {
                // Twice as long and a turn each time, so that waits become rare.
                let stay = self.stay.load(Ordering::Relaxed).saturating_mul(2).saturating_add(1);
                // Relaxed: `get_or_init` lets one thread in, and `release` has the value to itself.
                self.stay.store(stay, Ordering::Relaxed);
                self.left.store(stay, Ordering::Relaxed);
            }
            Box::new(self.place.as_ref().expect("here or away").bring(demand))
        })
    }

    /// Makes the value the only one.
    #[cold]
    fn own(&mut self) {
        // Before the place is dropped, which may be the only one that has the value.
        self.bring_if_away();
        self.place = None;
        (self.stay, self.left) = (AtomicU8::new(0), AtomicU8::new(0));
    }

    fn bring_if_away(&self) {
        if !self.is_here() {
            self.bring(BringReason::Now);
        }
    }
}

impl<T> Deref for Resident<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        match self.here.get() {
            Some(value) => value,
            None => self.bring(BringReason::Now),
        }
    }
}

impl<T> DerefMut for Resident<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        if self.place.is_some() {
            self.own();
        }
        self.here.get_mut().expect("here, where no place has it")
    }
}

impl<T> From<T> for Resident<T> {
    fn from(value: T) -> Self {
        Self::new(value)
    }
}

/// A value that is away stays there.
impl<T: Clone> Clone for Resident<T> {
    fn clone(&self) -> Self {
        let (stay, left) = (AtomicU8::new(0), AtomicU8::new(0));
        Self { here: self.here.clone(), place: self.place.clone(), stay, left }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicUsize;

    #[derive(Debug, Default)]
    struct Counted {
        brought: AtomicUsize,
        waits: AtomicUsize,
    }

    impl AwayPlace<Vec<i32>> for Counted {
        fn bring(&self, demand: BringReason) -> Vec<i32> {
            self.brought.fetch_add(1, Ordering::Relaxed);
            self.waits.fetch_add(usize::from(demand == BringReason::Now), Ordering::Relaxed);
            vec![1, 2, 3]
        }
    }

    fn counts(place: &Counted) -> [usize; 2] {
        [&place.brought, &place.waits].map(|count| count.load(Ordering::Relaxed))
    }

    #[test]
    fn many_threads_bring_a_value_once() {
        let place = Arc::new(Counted::default());
        let mut value = Resident::new(vec![0]);
        value.let_go(Arc::<Counted>::clone(&place));
        std::thread::scope(|scope| {
            (0..8).for_each(|_| {
                scope.spawn(|| assert_eq!(*value, [1, 2, 3]));
            });
        });
        assert_eq!(counts(&place), [1, 1]);
    }

    #[test]
    fn a_value_that_was_written_has_no_place() {
        let place = Arc::new(Counted::default());
        let mut value = Resident::new(vec![0]);
        value.let_go(Arc::<Counted>::clone(&place));
        value.push(4);
        assert!(!value.release(), "nowhere else");
        value.release_at_once();
        assert_eq!((&*value, Arc::strong_count(&place)), (&vec![1, 2, 3, 4], 1));
        assert_eq!(value.into_inner(), [1, 2, 3, 4]);
    }

    #[test]
    fn what_is_read_over_and_over_stays_longer_each_time() {
        let place = Arc::new(Counted::default());
        let mut value = Resident::new(vec![0]);
        value.let_go(Arc::<Counted>::clone(&place));
        for _ in 0..1000 {
            assert_eq!(value.len(), 3);
            value.release();
        }
        let [brought, waits] = counts(&place);
        assert!(brought == waits && (8..=12).contains(&waits), "{waits} waits in 1,000 turns");
        let copy = value.copied();
        assert_eq!((copy, counts(&place)[1]), (vec![1, 2, 3], waits));
        value.release_at_once();
        let copy = value.clone();
        value.bring_ahead();
        assert!(value.is_here() && !copy.is_here());
        assert_eq!(counts(&place), [waits + 1, waits]);
    }
}
