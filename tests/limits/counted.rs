//! The most bytes that a run takes, by an allocator that counts.

use peak_alloc::PeakAlloc;
use std::sync::{Mutex, MutexGuard, PoisonError};

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

static TURN: Mutex<()> = Mutex::new(());

/// Held by each test from its beginning: all threads are counted, so none runs beside another.
pub fn turn() -> MutexGuard<'static, ()> {
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs something: what came of it, and the most bytes it took beside those in use before.
pub fn most_bytes<T>(run: impl FnOnce() -> T) -> (T, u64) {
    let before = ALLOCATOR.current_usage();
    ALLOCATOR.reset_peak_usage();
    let result = run();
    let most = ALLOCATOR.peak_usage().saturating_sub(before);
    (result, most as u64)
}
