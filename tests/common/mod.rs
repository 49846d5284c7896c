//! Helpers of the tests of water and of bodies in it.

/// Runs `work` on a pool of `threads` threads and returns its result.
pub fn on_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
    pool.install(work)
}
