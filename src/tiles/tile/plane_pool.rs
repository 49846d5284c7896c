//! Planes that wait to be written again.
//!
//! In the cycle after a save began, the step writes all leaves that are awake while the save shares
//! their planes, 192 KiB a leaf. Memory that is new to the process arrives page by page, each a
//! call of the operating system: longer than the copy itself. So the end of a save gives its planes
//! back, the next save takes them, and a save in the background makes some before the first.
//!
//! Guarantees: no more than [`POOL_BYTES`] wait, over all worlds of a process together; old
//!             contents of a plane are never read.
//! Limits:     planes of a whole tile only.

use crate::grid::TILE_CELLS;
use crate::tile::MapKinds;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

/// Bytes of planes that wait at most: the planes of 682 leaves.
pub const POOL_BYTES: usize = 128 << 20;

/// Bytes of planes that wait, of all kinds.
static BYTES: AtomicUsize = AtomicUsize::new(0);

/// Returns the bytes of planes that wait to be written again.
#[must_use]
pub fn pooled_bytes() -> usize {
    BYTES.load(Ordering::Relaxed)
}

/// Makes planes for `leaves` leaves, within [`POOL_BYTES`]: the planes that a world with `tracers`
/// tracers and flood maps of these kinds copies or renews in the cycle after a save began.
pub fn prepare(leaves: usize, tracers: usize, maps: MapKinds) {
    const WATER_BYTES: usize = 12;
    let count = |number: u64| usize::try_from(number).expect("some planes of a leaf");
    let bytes = WATER_BYTES + count(maps.bytes_a_cell()) + 8 * tracers;
    let leaves = leaves.min(POOL_BYTES / (TILE_CELLS * bytes));
    // Depth and largest depth; discharges, and planes of the maps; durations; contents.
    i32::pool().prepare((1 + usize::from(maps.has(MapKinds::DEPTH))) * leaves);
    f32::pool().prepare((2 + count(maps.float_planes())) * leaves);
    f64::pool().prepare(usize::from(maps.has(MapKinds::DURATION)) * leaves);
    i64::pool().prepare(tracers * leaves);
}

/// Frees all planes that wait.
pub fn clear() {
    u8::pool().clear();
    i32::pool().clear();
    i64::pool().clear();
    f32::pool().clear();
    f64::pool().clear();
}

/// The planes of one kind of number that wait.
#[derive(Debug)]
pub struct PlanePool<T>(Mutex<Vec<Arc<[T]>>>);

impl<T: PlaneNumber> PlanePool<T> {
    const BYTES: usize = TILE_CELLS * size_of::<T>();

    /// Returns an empty pool.
    pub(super) const fn new() -> Self {
        Self(Mutex::new(Vec::new()))
    }

    /// Takes one of the planes.
    pub(super) fn take(&self) -> Option<Arc<[T]>> {
        // A poisoned lock is taken: no panic can leave the list in the middle of a push or pop.
        let plane = self.0.lock().unwrap_or_else(PoisonError::into_inner).pop()?;
        // After the plane is out: for a moment the count is too high, but never too low.
        BYTES.fetch_sub(Self::BYTES, Ordering::Relaxed);
        Some(plane)
    }

    /// Keeps a plane of a tile, if room is left for it.
    pub(super) fn give(&self, plane: Arc<[T]>) {
        let with = |bytes: usize| Some(bytes + Self::BYTES).filter(|&bytes| bytes <= POOL_BYTES);
        // Counted before the plane is kept: two threads cannot both take the last room. Relaxed is
        // enough for a count; the mutex hands over the plane.
        if BYTES.fetch_update(Ordering::Relaxed, Ordering::Relaxed, with).is_ok() {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).push(plane);
        }
    }

    /// Makes planes until `count` wait, while room is left.
    fn prepare(&self, count: usize) {
        let waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner).len();
        for _ in waiting..count {
            if BYTES.load(Ordering::Relaxed) + Self::BYTES > POOL_BYTES {
                return;
            }
            // Written, so that its memory is there.
            let plane = vec![T::default(); TILE_CELLS];
            self.give(plane.into());
        }
    }

    fn clear(&self) {
        while self.take().is_some() {}
    }
}

/// A number that planes contain.
pub trait PlaneNumber: Copy + Default + Send + Sync + 'static {
    /// Returns the planes of such numbers that wait.
    fn pool() -> &'static PlanePool<Self>;

    /// Returns a plane of zeros, shared by all its users.
    fn zeros() -> Arc<[Self]>;
}

macro_rules! numbers {
    ($($number:ty),*) => {$(
        impl PlaneNumber for $number {
            fn pool() -> &'static PlanePool<Self> {
                static POOL: PlanePool<$number> = PlanePool::new();
                &POOL
            }

            fn zeros() -> Arc<[Self]> {
                // The static keeps a share, so the count of shares is never 1, and nobody writes to
                // the zeros.
                static ZEROS: LazyLock<Arc<[$number]>> =
                    LazyLock::new(|| vec![<$number>::default(); TILE_CELLS].into());
                Arc::clone(&ZEROS)
            }
        }
    )*};
}

numbers!(u8, i32, i64, f32, f64);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn planes_wait_within_the_bound() {
        let pool = PlanePool::<i64>::new();
        pool.prepare(3);
        pool.prepare(2);
        assert_eq!(pool.0.lock().expect("one thread").len(), 3);
        pool.prepare(usize::MAX);
        assert!(pooled_bytes() <= POOL_BYTES, "{} bytes", pooled_bytes());
        let count = pool.0.lock().expect("one thread").len();
        assert!((3..=POOL_BYTES / (8 * TILE_CELLS)).contains(&count), "{count} planes");
        pool.clear();
        assert!(pool.take().is_none());
    }
}
