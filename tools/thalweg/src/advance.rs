//! Continued simulation of the water of a world.
//!
//! The world is loaded, runs cycle after cycle, is saved in the background at an interval, and at
//! the end in the foreground. Cycles end at every whole minute of the world's time. Moments that
//! are kept on the way are saved in the foreground; a run can continue from each.
//!
//! Guarantees: a run in parts that end at whole minutes, or at Ctrl-C, ends in the state of a run
//!             at once (`a_run_in_two_halves_is_one_run` in `tests/all/water.rs`).
//! Limits:     criteria are inputs that no file keeps: if leaves change, coarse leaves get finer if
//!             a front or a step of stage arrives, and none gets coarser.

use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Instant;

use kit::device::Seat;
use kit::error::UserError;
use kit::interrupt;
use kit::progress::CommandProgress;
use kit::terminal::{complain, shown};
use kit::threads::on_threads;
use kit::words::time;
use kit::world::water::{HeldLevels, load, no_water, refused};
use kit::world::{self, rescue};
use scenario::quantity::Seconds;
use serde::Serialize;
use thalweg::criteria::Criterion;
use thalweg::units::{SimTime, TICKS_PER_S};
use thalweg::world::{FileError, SaveFile, Saver, TILE_CELLS, World};

use crate::args::WorldRunArgs;
use crate::water::{cubic_metres, shown_hash};

/// Ticks between the moments at which cycles end.
const MINUTE: u64 = 60 * TICKS_PER_S;

/// Answer to Ctrl-C: the run ends after the cycle.
const STOPPING: &str = "saving after this cycle; Ctrl-C again ends at once, unsaved";

/// Latest time that can be requested, s.
const LATEST_S: f64 = 1.0e10;

/// Result of a run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Advanced {
    /// The file.
    #[serde(serialize_with = "crate::naming::file")]
    pub world: PathBuf,
    /// Simulated time at which it began, s.
    pub from_s: f64,
    /// Simulated time of the last save, s.
    pub time_s: f64,
    /// Whether the run was stopped before its end.
    pub interrupted: bool,
    /// Number of the last commit.
    pub generation: u64,
    /// Saves on the way and the last.
    pub saves: u64,
    /// Moments that were kept.
    pub kept: u64,
    /// Cycles done.
    pub cycles: u64,
    /// Cells times steps done.
    pub cell_steps: u64,
    /// Time of the cycles on this machine, s.
    pub seconds: f64,
    /// Volume on the ground, m³.
    pub volume_m3: f64,
    /// Whether the volume equals the ledger's, to the unit.
    pub balanced: bool,
    /// Hash of all state, 16 hexadecimal digits.
    pub state_hash: String,
}

/// Loads the last moment up to `latest` that is kept in a file.
fn load_moment(path: &Path, file: &mut SaveFile, latest: SimTime) -> Result<World, UserError> {
    let failed = |error: FileError| refused(path, &error);
    let moments = file.moments().map_err(failed)?;
    let Some((generation, _)) = moments.iter().rev().find(|(_, time)| *time <= latest) else {
        let first = moments.first().map(|(_, at)| time(at.seconds()));
        let (asked, what) = (time(latest.seconds()), path.display());
        return Err(match first {
            Some(first) => UserError::new(
                format!("{what} keeps no moment up to {asked}"),
                format!("choose --from {first} or later; thalweg info lists them"),
            ),
            None => UserError::new(
                format!("{what} keeps no moments"),
                "leave --from out, or run it from its beginning with --keep-every",
            ),
        });
    };
    let summary = file.summary().map_err(failed)?.ok_or_else(|| no_water(path))?;
    let criteria: Vec<Box<dyn Criterion>> =
        if summary.is_adaptive { vec![Box::new(HeldLevels)] } else { Vec::new() };
    file.load_at(*generation, criteria).map_err(failed)
}

/// Continues the simulation of the water of a world.
///
/// # Errors
///
/// If the world has no water, is in use or is damaged, or the last save fails: the save before it
/// remains.
pub fn advance(args: &WorldRunArgs, progress: &CommandProgress) -> Result<Advanced, UserError> {
    check(args)?;
    on_threads(args.threads.map(usize::from), || run_on(args, progress))
}

/// Runs on, on the threads of the caller.
fn run_on(args: &WorldRunArgs, progress: &CommandProgress) -> Result<Advanced, UserError> {
    let path = &args.world;
    progress.spin("loading the world");
    let mut file = SaveFile::of(world::open_alone(path)?).limits(args.limit.limits());
    let mut world = match args.from {
        None => load(path, &mut file)?,
        Some(Seconds(latest)) => load_moment(path, &mut file, SimTime::from_seconds(latest))?,
    };
    let from = world.time();
    let until = match (args.until, args.duration) {
        (Some(until), _) => SimTime::from_seconds(until.0),
        (None, Some(span)) => from.after(SimTime::from_seconds(span.0).ticks()),
        (None, None) => from,
    }
    .min(SimTime::MAX);
    check_end(args, from, until)?;
    interrupt::listen(Some(STOPPING));
    let failed = |error: FileError| refused(path, &error);
    let every = SimTime::from_seconds(args.save_every.0);
    let mut course =
        WorldRunState::new(path, progress, from..until, Seat::take(&mut world, args.device));
    if args.from.is_some() {
        // The file's state is a different end of the run, and is kept.
        file.keep().map_err(failed)?;
        (file, _) = course.save(file, &world)?;
    }
    let keep_every = args.keep_every.map(|span| SimTime::from_seconds(span.0).ticks().max(1));
    let mut kept = 0;
    loop {
        let mark =
            keep_every.map(|ticks| SimTime::from_ticks((world.time().ticks() / ticks + 1) * ticks));
        let stop = mark.unwrap_or(until).min(until);
        let mut saver = file.in_background().map_err(failed)?.every(every);
        course.run(&mut world, &mut saver, stop);
        if let Some(saved) = saver.wait() {
            course.note(saved);
        }
        file = course.at_hand(saver.finish().map_err(failed)?, &world)?;
        if mark == Some(world.time()) {
            (file, _) = course.save(file, &world)?;
            file.keep().map_err(failed)?;
            kept += 1;
        }
        if world.time() >= until || interrupt::is_asked() {
            break;
        }
    }
    progress.spin("saving the world");
    let (_, generation) = course.save(file, &world)?;
    progress.finish();
    if let Some(path) = &course.moved {
        return Err(rescue::moved(&args.world, path));
    }
    Ok(Advanced {
        world: path.clone(),
        from_s: from.seconds(),
        time_s: world.time().seconds(),
        interrupted: world.time() < until,
        generation,
        saves: course.saves + 1,
        kept,
        cycles: course.cycles,
        cell_steps: course.cell_steps,
        seconds: course.seconds,
        volume_m3: cubic_metres(world.water().stored(), world.water().unit_m3()),
        balanced: world.water().stored() == world.water().ledger().expected(),
        state_hash: shown_hash(&world),
    })
}

fn check(args: &WorldRunArgs) -> Result<(), UserError> {
    if args.until.is_none() && args.duration.is_none() {
        return Err(UserError::new(
            "how long the water is to run is not said",
            "add --until 2h, or --for 30min",
        ));
    }
    let spans =
        [("--until", args.until), ("--for", args.duration), ("--keep-every", args.keep_every)];
    for (name, span) in spans.into_iter().chain([("--save-every", Some(args.save_every))]) {
        if let Some(span) = span.filter(|span| !(span.0 > 0.0 && span.0 <= LATEST_S)) {
            return Err(UserError::new(
                format!("{name} is {} s", span.0),
                "choose more than 0 s, and less than 300 years",
            ));
        }
    }
    Ok(())
}

/// Refuses a run that ends before it begins. The end that a world has reached is reached again.
fn check_end(args: &WorldRunArgs, from: SimTime, until: SimTime) -> Result<(), UserError> {
    if from < until || (from == until && args.from.is_none()) {
        return Ok(());
    }
    let (from, until) = (time(from.seconds()), time(until.seconds()));
    Err(match args.from {
        Some(_) => UserError::new(
            format!("the moment at {from} is not before the end of the run"),
            "choose a later --until",
        ),
        None => UserError::new(
            format!("{} is at {from} already, and --until {until} is past", args.world.display()),
            "choose a later --until, add --for 30min, or go back with --from to a moment that \
             --keep-every kept",
        ),
    })
}

/// State of a run in progress.
struct WorldRunState<'a> {
    path: &'a Path,
    /// Path of the saved world since its file has lost its name.
    moved: Option<PathBuf>,
    /// The name is lost, and nothing is saved elsewhere yet.
    lost: Option<FileError>,
    progress: &'a CommandProgress,
    from: SimTime,
    until: SimTime,
    /// Device that steps the water.
    seat: Seat,
    saves: u64,
    cycles: u64,
    cell_steps: u64,
    seconds: f64,
}

impl<'a> WorldRunState<'a> {
    fn new(
        path: &'a Path,
        progress: &'a CommandProgress,
        span: Range<SimTime>,
        seat: Seat,
    ) -> Self {
        let (from, until) = (span.start, span.end);
        let (moved, lost) = (None, None);
        let (saves, cycles, cell_steps, seconds) = (0, 0, 0, 0.0);
        Self { path, moved, lost, progress, from, until, seat, saves, cycles, cell_steps, seconds }
    }

    /// Runs to a moment, until Ctrl-C, or until the file has lost its name.
    fn run(&mut self, world: &mut World, saver: &mut Saver, stop: SimTime) {
        let start = Instant::now();
        self.progress.begin("running");
        let before = self.seconds;
        while world.time() < stop && self.lost.is_none() && !interrupt::is_asked() {
            let minute = SimTime::from_ticks((world.time().ticks() / MINUTE + 1) * MINUTE);
            let report = world.run_cycle(minute.min(stop));
            self.seat.tell(world);
            self.cycles += 1;
            self.cell_steps += report.cell_steps;
            self.seconds = before + start.elapsed().as_secs_f64();
            if let Some(saved) = saver.keep(world) {
                self.note(saved);
            }
            if self.progress.is_due() {
                let [done, all] = [world.time(), self.until].map(|at| at.since(self.from));
                let share =
                    SimTime::from_ticks(done).seconds() / SimTime::from_ticks(all).seconds();
                self.progress.show(share, self.words(world, report.awake));
            }
        }
    }

    /// Notes that a save has ended: if it failed the world runs on, and the next may succeed.
    fn note(&mut self, saved: Result<u64, FileError>) {
        match saved {
            Ok(_) => self.saves += 1,
            Err(error) if rescue::is_lost(&error) => self.lost = Some(error),
            Err(error) => {
                let error = refused(self.path, &error);
                let what = "a save on the way failed, the run goes on";
                complain(format!("{what}: {error}"));
            }
        }
    }

    /// Saves in the foreground; elsewhere, if the file has lost its name. Returns the number of the
    /// commit.
    fn save(&mut self, mut file: SaveFile, world: &World) -> Result<(SaveFile, u64), UserError> {
        match file.save(world) {
            Ok(generation) => return Ok((file, generation)),
            Err(error) if rescue::is_lost(&error) => self.lost = Some(error),
            Err(error) => return Err(refused(self.path, &error)),
        }
        let file = self.at_hand(file, world)?;
        let generation = file.store().generation();
        Ok((file, generation))
    }

    /// Returns the file to continue with: a new one, with the world as it is, if this has lost its
    /// name.
    fn at_hand(&mut self, file: SaveFile, world: &World) -> Result<SaveFile, UserError> {
        let Some(lost) = self.lost.take() else { return Ok(file) };
        let own = self.moved.as_deref().unwrap_or(self.path);
        let rescued = rescue::rescue(&file, (own, world), &lost)?;
        complain(rescue::moved(own, &rescued.path));
        self.moved = Some(rescued.path);
        Ok(rescued.file)
    }

    #[expect(clippy::cast_precision_loss, reason = "a speed to three digits")]
    fn words(&self, world: &World, awake: usize) -> String {
        let wall_s = self.seconds.max(1.0e-3);
        let simulated_s = world.time().seconds() - self.from.seconds();
        format!(
            "{}  {:.0} × real time  {:.0} Mcells/s  {:.2} Mcells awake",
            time(world.time().seconds().floor()),
            simulated_s / wall_s,
            self.cell_steps as f64 / wall_s / 1.0e6,
            (awake * TILE_CELLS) as f64 / 1.0e6,
        )
    }
}

impl fmt::Display for Advanced {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let world = shown(&self.world);
        let (from, to) = (time(self.from_s), time(self.time_s));
        if self.interrupted {
            writeln!(f, "stopped early: go on with the same command")?;
        }
        if self.cycles == 0 && !self.interrupted {
            writeln!(f, "{world} is at {to} already: nothing was left to run")?;
        }
        let speed = (self.time_s - self.from_s) / self.seconds.max(1.0e-3);
        writeln!(
            f,
            "{world}: from {from} to {to} in {:.1} s ({speed:.0} × real time), {} cycles",
            self.seconds, self.cycles
        )?;
        let balance =
            if self.balanced { "to the unit" } else { "BUT NOT TO THE UNIT: report this" };
        writeln!(f, "  volume   {:.1} m³, as the ledger says {balance}", self.volume_m3)?;
        writeln!(f, "  saved    commit {}; saves: {}", self.generation, self.saves)?;
        if self.kept > 0 {
            let plural = if self.kept == 1 { "" } else { "s" };
            writeln!(f, "  kept     {} moment{plural}: go on from one with --from", self.kept)?;
        }
        write!(f, "  state    {}", self.state_hash)
    }
}
