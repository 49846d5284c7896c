//! Moments to which a person can return: in the world's file, and of this session.
//!
//! The session keeps its moments in a world file in a temporary folder. They are saved in the
//! background at even intervals of simulated time; if they get too many, every second one is
//! removed, and the interval doubles.
//!
//! Guarantees: the moments' size on disk is bounded, to about [`BYTES_MOST`] and one moment.
//! Limits:     a streamed world has only the moments of its file, to be looked at.

use std::sync::Arc;

use kit::world::water::HeldLevels;
use tempfile::TempDir;
use thalweg::criteria::Criterion;
use thalweg::units::SimTime;
use thalweg::world::{FileError, Limits, SaveFile, Saver, World};

/// Simulated time between two moments, s, before any is removed.
const EVERY_S: f64 = 30.0;

/// Largest number of moments of a session.
const MOMENTS_MOST: usize = 64;

/// Most bytes of the moments on disk.
const BYTES_MOST: u64 = 2 << 30;

/// Moment to which a person can return.
#[derive(Debug, Clone, Copy, PartialEq)]
struct SavePoint {
    time: SimTime,
    generation: u64,
    /// Whether the moment is in the world's own file.
    is_own: bool,
}

/// The moments of this session.
struct Scratch {
    saver: Saver,
    /// The moment that is being saved.
    saving: Option<SimTime>,
    _folder: TempDir,
}

/// All moments.
pub(super) struct History {
    moments: Vec<SavePoint>,
    times_s: Arc<Vec<f64>>,
    scratch: Option<Scratch>,
    /// Ticks between two moments.
    every: u64,
    /// Time at which the next moment is due; `None` if none can be kept.
    due: Option<SimTime>,
    /// Moment to which the world returned last: later ones belong to an abandoned run.
    branch: Option<SimTime>,
}

impl History {
    /// Lists the moments of the world's file; this session's first one is added in its first cycle.
    pub fn of(world: &World, file: Option<&SaveFile>) -> Self {
        let kept = file.and_then(|file| file.moments().ok()).unwrap_or_default();
        let own = |(generation, time)| SavePoint { time, generation, is_own: true };
        let mut history = Self {
            moments: kept.into_iter().map(own).collect(),
            times_s: Arc::default(),
            scratch: None,
            every: SimTime::from_seconds(EVERY_S).ticks(),
            due: world.terrain().is_some().then(|| world.time()),
            branch: None,
        };
        history.list();
        history
    }

    /// Returns the times of all moments, s.
    pub fn times_s(&self) -> Arc<Vec<f64>> {
        Arc::clone(&self.times_s)
    }

    fn list(&mut self) {
        self.moments.sort_by_key(|moment| (moment.time, !moment.is_own));
        let times_s = self.moments.iter().map(|moment| moment.time.seconds()).collect();
        if *self.times_s != times_s {
            self.times_s = Arc::new(times_s);
        }
    }

    /// Keeps the moment before a cycle, if it is due; returns the reason if none can be kept. If
    /// wall time must not matter it waits until the moment is kept.
    pub fn keep(&mut self, world: &World, waits: bool) -> Option<String> {
        let due = self.due?;
        let kept = self.poll(waits).and_then(|()| match world.time() >= due {
            true => self.begin(world, waits),
            false => Ok(()),
        });
        let error = kept.err()?;
        (self.scratch, self.due) = (None, None);
        self.moments.retain(|moment| moment.is_own);
        self.list();
        Some(format!("no moments are kept from now on: {error}"))
    }

    fn begin(&mut self, world: &World, waits: bool) -> Result<(), FileError> {
        if let Some(branch) = self.branch.take() {
            self.forget(|moment| moment.time > branch)?;
        }
        let is_first = self.scratch.is_none();
        if is_first {
            let folder = tempfile::Builder::new().prefix("thalweg-viewer-").tempdir();
            let folder = folder.map_err(|source| {
                FileError::Store(thalweg::world::StoreError::Io { doing: "make a folder", source })
            })?;
            let file = SaveFile::create(&folder.path().join("moments.thalweg"), world)?;
            // The file contains everything that this session had in memory.
            let file = file.limits(Limits::default().bytes(u64::MAX).cells(u64::MAX));
            let saver = self.kept(file, world.time())?;
            self.scratch = Some(Scratch { saver, saving: None, _folder: folder });
        } else if self.moments.iter().all(|moment| moment.time != world.time()) {
            self.save(world)?;
            if waits {
                self.poll(true)?;
            }
        }
        let next = (world.time().ticks() / self.every + 1) * self.every;
        self.due = Some(SimTime::from_ticks(next));
        Ok(())
    }

    /// Saves a moment: in the background, unless the file does not contain this world yet.
    fn save(&mut self, world: &World) -> Result<(), FileError> {
        let Some(scratch) = &mut self.scratch else { return Ok(()) };
        match scratch.saver.save(world) {
            Ok(true) => scratch.saving = Some(world.time()),
            // A save is under way: its moment is the one that is kept.
            Ok(false) => {}
            Err(FileError::Elsewhere) => {
                let Some(Scratch { saver, _folder, .. }) = self.scratch.take() else {
                    return Ok(());
                };
                let mut file = saver.finish()?;
                file.save(world)?;
                let saver = self.kept(file, world.time())?;
                self.scratch = Some(Scratch { saver, saving: None, _folder });
            }
            Err(error) => return Err(error),
        }
        Ok(())
    }

    /// Keeps the last commit of a file as a moment, and continues in the background.
    fn kept(&mut self, mut file: SaveFile, time: SimTime) -> Result<Saver, FileError> {
        file.keep()?;
        let generation = file.store().generation();
        self.moments.push(SavePoint { time, generation, is_own: false });
        self.list();
        file.in_background()
    }

    /// Checks whether a moment that was being saved is complete.
    fn poll(&mut self, waits: bool) -> Result<(), FileError> {
        let Some(scratch) = &mut self.scratch else { return Ok(()) };
        let Some(time) = scratch.saving else { return Ok(()) };
        let ended = if waits { scratch.saver.wait() } else { scratch.saver.ended() };
        let Some(saved) = ended else { return Ok(()) };
        saved?;
        let Some(Scratch { saver, _folder, .. }) = self.scratch.take() else { return Ok(()) };
        let file = saver.finish()?;
        let bytes = file.store().file_bytes()?;
        let saver = self.kept(file, time)?;
        self.scratch = Some(Scratch { saver, saving: None, _folder });
        let count = self.moments.iter().filter(|moment| !moment.is_own).count();
        if count > MOMENTS_MOST || bytes > BYTES_MOST {
            self.every *= 2;
            let every = self.every;
            self.forget(|moment| !moment.time.ticks().is_multiple_of(every))?;
        }
        Ok(())
    }

    /// Removes moments of this session.
    fn forget(&mut self, is_old: impl Fn(&SavePoint) -> bool) -> Result<(), FileError> {
        self.poll(true)?;
        let Some(Scratch { saver, _folder, .. }) = self.scratch.take() else { return Ok(()) };
        let mut file = saver.finish()?;
        let old: Vec<SavePoint> =
            self.moments.iter().filter(|own| !own.is_own && is_old(own)).copied().collect();
        for moment in &old {
            file.forget(moment.generation)?;
        }
        self.moments.retain(|moment| !old.contains(moment));
        self.list();
        self.scratch = Some(Scratch { saver: file.in_background()?, saving: None, _folder });
        Ok(())
    }

    /// Returns the world of a moment.
    pub fn world_at(
        &mut self,
        index: usize,
        (now, file): (&World, Option<&mut SaveFile>),
    ) -> Result<World, String> {
        let words = |error: FileError| error.to_string();
        self.poll(true).map_err(words)?;
        let Some(moment) = self.moments.get(index).copied() else {
            let count = self.moments.len();
            return Err(format!("there is no moment {index}: there are {count}"));
        };
        if now.terrain().is_none() {
            return Err("a streamed world does not go back: open it without --stream".to_owned());
        }
        let criteria: Vec<Box<dyn Criterion>> =
            if now.budget_cells().is_some() { vec![Box::new(HeldLevels)] } else { Vec::new() };
        let world = if moment.is_own {
            let file = file.ok_or_else(|| "the world has no file any more".to_owned())?;
            file.load_at(moment.generation, criteria).map_err(words)?
        } else {
            let gone = || "the moments of this session are gone".to_owned();
            let Scratch { saver, _folder, .. } = self.scratch.take().ok_or_else(gone)?;
            let mut file = saver.finish().map_err(words)?;
            let world = file.load_at(moment.generation, criteria);
            let saver = file.in_background().map_err(words)?;
            self.scratch = Some(Scratch { saver, saving: None, _folder });
            world.map_err(words)?
        };
        self.branch = Some(moment.time);
        self.due = self
            .due
            .map(|_| SimTime::from_ticks((moment.time.ticks() / self.every + 1) * self.every));
        Ok(world)
    }
}
