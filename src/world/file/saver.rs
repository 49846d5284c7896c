//! Saving while the world runs: a snapshot at a cycle's end, written by a thread of its own.
//!
//! ```text
//! game's thread     cycle ── cycle ── save: planes shared ── cycle ── cycle ── …
//! saver's thread                      encode ── write ── sync ── superblock ── sync
//! ```
//!
//! A snapshot contains the planes of the changed leaves in their present state; a step that writes
//! into one of them copies it first. So a save costs the run a list, and in the next cycle the
//! copies. The saver's thread allocates memory for the copies before the first save, and gives it
//! back after each: see [pool](thalweg_engine::tile::plane_pool).
//!
//! Guarantees: a commit is one moment of the world; one save is under way at a time; the world's
//!             state does not depend on it.

use crate::world::file::snapshot::Snapshot;
use crate::world::{FileError, SaveFile, World};
use crossbeam_channel::{Receiver, Sender, TryRecvError, unbounded};
use std::io;
use std::thread::JoinHandle;
use thalweg_engine::store::StoreError;
use thalweg_engine::tile::{MapKinds, plane_pool};
use thalweg_engine::units::SimTime;

/// Result of a save: the number of its commit.
type SaveResult = Result<u64, FileError>;

/// Job for the saver's thread.
enum Job {
    /// Planes for `leaves` leaves of a world with `tracers` tracers, and flood maps of these kinds.
    Prepare { leaves: usize, tracers: usize, maps: MapKinds },
    /// A save.
    Save(Box<(SaveFile, Snapshot)>),
}

/// Saves a world in the background.
///
/// # Examples
///
/// ```no_run
/// # use thalweg::world::{FileError, SaveFile, World};
/// # use thalweg::units::SimTime;
/// # fn game(mut world: World) -> Result<(), FileError> {
/// let file = SaveFile::create("river.thalweg".as_ref(), &world)?;
/// let mut saver = file.in_background()?.every(SimTime::from_seconds(60.0));
/// while world.time() < SimTime::from_seconds(3600.0) {
///     world.run_cycle(SimTime::MAX);
///     if let Some(saved) = saver.keep(&world) {
///         saved?; // or: tell the player, and save elsewhere
///     }
/// }
/// let mut file = saver.finish()?;
/// file.save(&world)?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Saver {
    /// The file, while no save is under way.
    file: Option<SaveFile>,
    to: Sender<Job>,
    from: Receiver<(SaveFile, SaveResult)>,
    thread: Option<JoinHandle<()>>,
    every: Option<SimTime>,
    /// Time of the world at the last snapshot.
    last: Option<SimTime>,
}

impl SaveFile {
    /// Starts a thread that saves in the background from now on.
    ///
    /// # Errors
    ///
    /// [`FileError::Store`] if the operating system gives no thread.
    pub fn in_background(self) -> Result<Saver, FileError> {
        let (to, jobs) = unbounded();
        let (done, from) = unbounded();
        let work = move || {
            while let Ok(job) = jobs.recv() {
                let (mut file, snapshot) = match job {
                    Job::Prepare { leaves, tracers, maps } => {
                        plane_pool::prepare(leaves, tracers, maps);
                        continue;
                    }
                    Job::Save(save) => *save,
                };
                let saved = file.write_alone(&snapshot);
                // Before the notification: a world that knows its save has ended shares no plane
                // with it any more, and finds the planes that became spare.
                snapshot.give_back();
                if done.send((file, saved)).is_err() {
                    break;
                }
            }
            plane_pool::clear();
        };
        let thread = std::thread::Builder::new().name("thalweg-saver".to_owned()).spawn(work);
        let thread = thread.map_err(|source| StoreError::Io { doing: "save aside", source })?;
        let thread = Some(thread);
        Ok(Saver { file: Some(self), to, from, thread, every: None, last: None })
    }
}

impl Saver {
    /// Saves each time this span of the world's time has passed; see [`Saver::keep`].
    #[must_use]
    pub fn every(mut self, span: SimTime) -> Self {
        self.every = Some(span);
        self
    }

    /// Prepares the first save of a world, as [`Saver::keep`] does: allocates memory for the copies
    /// of leaves that are awake, 48 to 224 KiB each, 128 MiB at most.
    pub fn prepare(&self, world: &World) {
        let leaves = world.simulation.awake().count();
        let tracers = world.simulation.tracers().len();
        // If the thread has ended, the next save reports it.
        let _ = self.to.send(Job::Prepare { leaves, tracers, maps: world.setup.maps });
    }

    /// Begins a save if one is due, and returns the result of a save that has ended since; call it
    /// between cycles.
    pub fn keep(&mut self, world: &World) -> Option<SaveResult> {
        let ended = self.ended();
        if self.last.is_none() {
            self.prepare(world);
        }
        let last = *self.last.get_or_insert(world.time());
        let is_time = self.every.is_some_and(|every| world.time().since(last) >= every.ticks());
        if is_time {
            match self.save(world) {
                Ok(_) => {}
                Err(error) => return Some(Err(error)),
            }
        }
        ended
    }

    /// Begins to save a world in its present state; returns false if a save is already under way.
    ///
    /// # Errors
    ///
    /// [`FileError::Elsewhere`] if the file does not contain this world yet, [`FileError::Broken`]
    /// if the world cannot be saved.
    pub fn save(&mut self, world: &World) -> Result<bool, FileError> {
        let Some(file) = &self.file else { return Ok(false) };
        if !file.holds(world) {
            return Err(FileError::Elsewhere);
        }
        // The file is taken only now: if an error occurred before, it is still here.
        let snapshot = file.snapshot(world)?;
        let Some(file) = self.file.take() else { return Ok(false) };
        self.last = Some(world.time());
        self.to.send(Job::Save(Box::new((file, snapshot)))).map_err(|_| gone())?;
        Ok(true)
    }

    /// Returns the result of the save under way, if it has ended.
    pub fn ended(&mut self) -> Option<SaveResult> {
        match self.from.try_recv() {
            Ok((file, saved)) => {
                self.file = Some(file);
                Some(saved)
            }
            Err(TryRecvError::Empty) => None,
            Err(TryRecvError::Disconnected) => Some(Err(gone())),
        }
    }

    /// Waits for the save under way and returns its result; `None` if no save is under way.
    pub fn wait(&mut self) -> Option<SaveResult> {
        if self.file.is_some() {
            return None;
        }
        match self.from.recv() {
            Ok((file, saved)) => {
                self.file = Some(file);
                Some(saved)
            }
            Err(_) => Some(Err(gone())),
        }
    }

    /// Waits for the save under way and returns the file. [`Saver::wait`] returns the result of
    /// that save; if it failed, the next save includes its changes.
    ///
    /// # Errors
    ///
    /// [`FileError::Store`] if the thread has ended.
    pub fn finish(mut self) -> Result<SaveFile, FileError> {
        let _ = self.wait();
        self.file.take().ok_or_else(gone)
    }
}

/// Returns the error of a thread that has ended: it panicked.
fn gone() -> FileError {
    let source = io::Error::other("its thread has ended; the last commit stands");
    FileError::Store(StoreError::Io { doing: "save aside", source })
}

impl Drop for Saver {
    /// Waits for the save under way.
    fn drop(&mut self) {
        let (closed, _) = unbounded();
        // Without a sender the loop of the thread ends, after the job that it has.
        self.to = closed;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
