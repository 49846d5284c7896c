//! An allocator that counts the bytes in use: two additions for each piece of memory.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

#[derive(Debug)]
struct CountingAllocator;

static NOW: AtomicUsize = AtomicUsize::new(0);

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

// SAFETY: all calls are passed on to the system's allocator unchanged; counting allocates nothing.
unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        NOW.fetch_add(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller's promises about `layout` are the system allocator's.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        NOW.fetch_add(layout.size(), Ordering::Relaxed);
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        NOW.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: `at` is from the system's allocator, with this layout.
        unsafe { System.dealloc(at, layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        NOW.fetch_add(size, Ordering::Relaxed);
        NOW.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: `at` is from the system's allocator, with this layout, and `size` is the caller's
        // promise.
        unsafe { System.realloc(at, layout, size) }
    }
}

/// Returns the bytes in use now.
#[must_use]
pub fn bytes_now() -> f64 {
    NOW.load(Ordering::Relaxed) as f64
}
