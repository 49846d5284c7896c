//! Helpers of the tests of water and of bodies in it.

use std::fs;
use std::path::PathBuf;

pub mod ground;

/// A file that is gone with the test.
pub struct TempFile(pub PathBuf);

impl TempFile {
    pub fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("thalweg-{name}-{}", std::process::id()));
        let file = Self(path);
        let _ = fs::remove_file(&file.0);
        file
    }
}

impl Drop for TempFile {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

/// Runs `work` on a pool of `threads` threads and returns its result.
pub fn on_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
    pool.install(work)
}
