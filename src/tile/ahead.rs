//! Memory that is asked for before it is read.
//!
//! Guarantees: changes no value.
//! Limits:     does nothing but on x86-64.

/// Lets the processor fetch a value while it does something else.
#[inline(always)]
pub fn fetch<T>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    for byte in [0, size_of::<T>() - 1] {
        use std::arch::x86_64::_MM_HINT_T0;
        use std::arch::x86_64::_mm_prefetch;
        // SAFETY: within the value; and a fetch never faults.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(value).cast::<i8>().add(byte)) }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}
