//! Helpers of the tests of water and of bodies in it.

use std::fs;
use std::path::PathBuf;
use thalweg::criteria::Criterion;
use thalweg::units::SimTime;
use thalweg::world::{SaveFile, World};

pub mod ground;
pub mod memory;

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

/// A world that was saved in memory and loaded.
#[track_caller]
pub fn reloaded(world: &World, criteria: Vec<Box<dyn Criterion>>) -> World {
    memory::in_memory(world).load(criteria).expect("what was saved loads")
}

/// A world that was saved on the disk and loaded from there.
#[track_caller]
pub fn from_disk(name: &str, world: &World) -> World {
    let path = TempFile::new(name);
    drop(SaveFile::create(&path.0, world).expect("a new file"));
    SaveFile::read(&path.0).expect("a file").load(Vec::new()).expect("what was saved loads")
}

/// A time after the beginning, s.
pub fn seconds(s: f64) -> SimTime {
    SimTime::from_seconds(s)
}

/// Volumes that an account moved in and out, m³.
pub fn moved(world: &World, name: &str) -> (f64, f64) {
    let account = world.water().ledger().accounts().iter().find(|a| a.name == name);
    let account = account.expect("an account of that name");
    (account.into as f64 * world.water().unit_m3(), account.out as f64 * world.water().unit_m3())
}

/// Runs `work` on a pool of `threads` threads and returns its result.
pub fn on_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
    pool.install(work)
}
