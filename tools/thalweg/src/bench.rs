//! Times to open a world, to load, save and check it, and to simulate it, on this machine.
//!
//! The world itself is only read; saves go to a file beside it that is removed afterwards.

use std::fmt;
use std::path::PathBuf;
use std::time::Instant;

use kit::error::UserError;
use kit::output::Replacing;
use kit::output::partial::Partial;
use kit::progress::CommandProgress;
use kit::terminal::shown;
use kit::world;
use kit::world::water::{load, refused};
use serde::Serialize;
use thalweg::file::Store;
use thalweg::units::SimTime;
use thalweg::world::{FileError, SaveFile};

use crate::args::{BenchArgs, VerifyArgs};
use crate::verify;

/// Cycles that run between the first save and the second.
const CYCLES: u32 = 10;

/// Measurements of a world.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MeasuredTimes {
    /// The file.
    #[serde(serialize_with = "crate::naming::file")]
    pub world: PathBuf,
    /// Bytes of the file.
    pub file_bytes: u64,
    /// Leaves.
    pub leaves: usize,
    /// Time to open it and read its head, ms.
    pub open_ms: f64,
    /// Time to load it, s.
    pub load_s: f64,
    /// Time to save all of it in a new file, s.
    pub save_all_s: f64,
    /// Bytes of that file.
    pub save_all_bytes: u64,
    /// Cycles that ran then.
    pub cycles: u32,
    /// Leaves that they changed.
    pub changed_leaves: usize,
    /// Time to save these, s.
    pub save_changed_s: f64,
    /// Bytes by which the file grew.
    pub save_changed_bytes: u64,
    /// Cells times steps in a second of the cycles.
    pub cell_steps_per_s: f64,
    /// Time to check all of it, s.
    pub verify_s: f64,
    /// Data checked in a second, MB.
    pub verify_mb_per_s: f64,
    /// Whether nothing is damaged.
    pub clean: bool,
}

/// Measures the times of a world.
///
/// # Errors
///
/// If the world has no water or is damaged, or nothing can be written beside it.
#[expect(clippy::cast_precision_loss, reason = "rates to three digits")]
pub fn bench(args: &BenchArgs, progress: &CommandProgress) -> Result<MeasuredTimes, UserError> {
    let path = &args.world;
    let failed = |error: FileError| refused(path, &error);
    let stored = |error| world::refused(path, &error);
    let clock = Instant::now();
    let mut file = SaveFile::of(world::open(path)?).limits(args.limit.limits());
    thalweg::file::read_head(file.store()).map_err(stored)?;
    let open_ms = 1.0e3 * clock.elapsed().as_secs_f64();
    let file_bytes = file.store().file_bytes().map_err(stored)?;
    progress.spin("loading");
    let clock = Instant::now();
    let mut loaded = load(path, &mut file)?;
    let load_s = clock.elapsed().as_secs_f64();

    progress.spin("saving all");
    let partial = Partial::begin(&path.with_extension("bench"), Replacing::Allowed)?;
    let clock = Instant::now();
    let store = Store::create(&partial.path()).map_err(stored)?;
    let mut copy = SaveFile::of(store);
    copy.save(&loaded).map_err(failed)?;
    let save_all_s = clock.elapsed().as_secs_f64();
    let save_all_bytes = copy.store().file_bytes().map_err(stored)?;
    progress.spin("running");
    let (clock, mut cell_steps) = (Instant::now(), 0);
    for _ in 0..CYCLES {
        cell_steps += loaded.run_cycle(SimTime::MAX).cell_steps;
    }
    let cell_steps_per_s = cell_steps as f64 / clock.elapsed().as_secs_f64();
    progress.spin("saving what has changed");
    let changed_leaves = copy.changed_leaves(&loaded);
    let clock = Instant::now();
    copy.save(&loaded).map_err(failed)?;
    let save_changed_s = clock.elapsed().as_secs_f64();
    let grown = copy.store().file_bytes().map_err(stored)?;
    let leaves = loaded.leaves().len();
    drop((loaded, copy, file, partial));

    let clock = Instant::now();
    let report = verify::verify(&VerifyArgs { world: path.clone(), limit: args.limit }, progress)?;
    let verify_s = clock.elapsed().as_secs_f64();
    progress.finish();
    Ok(MeasuredTimes {
        world: path.clone(),
        file_bytes,
        leaves,
        open_ms,
        load_s,
        save_all_s,
        save_all_bytes,
        cycles: CYCLES,
        changed_leaves,
        save_changed_s,
        save_changed_bytes: grown.saturating_sub(save_all_bytes),
        cell_steps_per_s,
        verify_s,
        verify_mb_per_s: file_bytes as f64 / 1.0e6 / verify_s.max(1.0e-9),
        clean: report.clean,
    })
}

impl fmt::Display for MeasuredTimes {
    #[expect(clippy::cast_precision_loss, reason = "MB to one digit")]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mb = |bytes: u64| bytes as f64 / 1.0e6;
        let Self { leaves, cycles, changed_leaves, .. } = self;
        writeln!(f, "{}: {:.1} MB, {leaves} leaves", shown(&self.world), mb(self.file_bytes))?;
        writeln!(f, "  open     {:>9.2} ms", self.open_ms)?;
        writeln!(f, "  load     {:>9.3} s", self.load_s)?;
        let (all_s, all) = (self.save_all_s, mb(self.save_all_bytes));
        writeln!(f, "  save     {all_s:>9.3} s   all of it: {all:.1} MB")?;
        let (part_s, part) = (self.save_changed_s, mb(self.save_changed_bytes));
        writeln!(
            f,
            "           {part_s:>9.3} s   what {cycles} cycles changed: {changed_leaves} of \
             {leaves} leaves; the file grew by {part:.1} MB"
        )?;
        writeln!(
            f,
            "  run      {:>9.1} million cell steps a second",
            self.cell_steps_per_s / 1.0e6
        )?;
        let clean = if self.clean { "nothing is damaged" } else { "DAMAGED: see thalweg verify" };
        let rate = self.verify_mb_per_s;
        write!(f, "  verify   {:>9.3} s   {rate:.0} MB/s, {clean}", self.verify_s)
    }
}
