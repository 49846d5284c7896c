//! A whole run: from the words of the command line to the folder of results.
//!
//! Everything that can be wrong with the input is found, in this order, by parsing, by
//! [`Plan::resolve`], by the [survey](scenario::survey) of the heightmap, by the check of free
//! [memory] and by the test of the output folder; only then does the water run, in one level after
//! another ([`levels`]).
//!
//! Guarantees: a run that is stopped or fails after its first level keeps the results of the last
//!             whole one, and its page waits for no further one
//!             (`a_run_that_is_stopped_keeps_the_level_before`).
//! Limits:     a run that is killed leaves a page that waits for finer levels.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use kit::command::{Ending, parse, quoted};
use kit::device::DeviceName;
use kit::error::UserError;
use kit::interrupt;
use kit::output::Replacing;
use kit::progress::CommandProgress;
use kit::terminal::{self, say};
use kit::threads::on_threads;
use kit::words::short;
use kit::world::file::NewWorldFile;
use scenario::naming::named;
use scenario::plan::Plan;
use scenario::survey::{Survey, survey_watched};

use crate::args::Args;
use crate::levels::WantedLevels;
use crate::outcome::{FloodOutcome, RunLevels};
use crate::output::SettledReport;
use crate::output::folder::Folder;
use crate::output::stand::RunProgress;
use crate::vary::{VariedDraft, Vary};
use crate::{levels, memory, output, simulate, summary};

/// Runs the command `words`, the first of which is the program's name.
///
/// # Errors
///
/// If the input is wrong or the results cannot be written; the files of a level before stay.
pub fn run(words: Vec<OsString>) -> Result<Ending, UserError> {
    let command = command(&words);
    let Some(args) = parse::<Args>(words)? else { return Ok(Ending::Done) };
    trace(args.options.output.verbose, args.options.output.quiet);
    interrupt::listen(Some("stopping; Ctrl-C again ends at once"));
    let mut progress = CommandProgress::in_lines(args.options.output.quiet);
    let prepared = Prepared::of(&args, (command, String::new()), &mut progress)?;
    if args.options.output.check { prepared.check(progress) } else { prepared.run(progress) }
}

/// A run whose scenario and heightmap are sound.
#[derive(Debug)]
pub struct Prepared {
    /// One for each level.
    plans: Vec<Plan>,
    survey: Survey,
    asked: PreviewOptions,
}

impl Prepared {
    /// Reads the scenario and the heightmap that `args` name. A report repeats the command; the
    /// label precedes the text of the progress.
    ///
    /// # Errors
    ///
    /// If anything is wrong with them, or the user stops.
    pub fn of(
        args: &Args,
        (command, label): (String, String),
        progress: &mut CommandProgress,
    ) -> Result<Self, UserError> {
        let plan = Plan::resolve_watched(&named(&args.inputs, &args.options)?, progress)?;
        let survey = survey_watched(&plan, progress)?;
        tracing::info!(?survey, "the heightmap is sound");
        scenario::build::scale(&plan, &survey)?;
        let asked = PreviewOptions {
            command,
            label,
            device: args.device,
            is_quiet: args.options.output.quiet,
            replacing: args.options.output.replacing(),
            wanted: args.levels.wanted(),
            vary: args.levels.vary,
        };
        Ok(Self { plans: levels::plans(&plan, asked.wanted), survey, asked })
    }

    /// Returns the plan of the last level of the run.
    #[must_use]
    pub fn plan(&self) -> &Plan {
        self.asked.wanted.shown(&self.plans)
    }

    /// Tests that the results and the world can be written, and that the run fits the memory.
    ///
    /// # Errors
    ///
    /// If the results or the world cannot be written, or the run does not fit.
    pub fn claim(&self) -> Result<(), UserError> {
        let plan = self.plan();
        drop(Folder::claim(&plan.output.folder)?);
        let world = plan.output.world.as_ref();
        drop(world.map(|path| NewWorldFile::claim(path, self.asked.replacing)).transpose()?);
        memory::check(plan)
    }

    /// Prints the plan, the time and the memory of a run that can be done.
    fn check(&self, mut progress: CommandProgress) -> Result<Ending, UserError> {
        let start = Instant::now();
        self.claim()?;
        let (plan, survey) = (self.plan(), &self.survey);
        let forecast = simulate::forecast((plan, survey), self.asked.device, &mut progress)?;
        progress.finish();
        tracing::info!(?forecast, after_s = start.elapsed().as_secs_f64(), "tried");
        say(&summary::plan(plan, survey, &forecast));
        Ok(Ending::Done)
    }

    /// Runs it, level after level.
    ///
    /// # Errors
    ///
    /// If the results cannot be written, or the user stops before the first are; the files of a
    /// level before stay.
    pub fn run(self, progress: CommandProgress) -> Result<Ending, UserError> {
        memory::check(self.plan())?;
        preview(&self.plans, &self.survey, self.asked, progress)
    }
}

/// Options outside the plan.
#[derive(Debug)]
struct PreviewOptions {
    command: String,
    label: String,
    device: DeviceName,
    is_quiet: bool,
    replacing: Replacing,
    wanted: WantedLevels,
    vary: Option<Vary>,
}

fn preview(
    plans: &[Plan],
    survey: &Survey,
    asked: PreviewOptions,
    progress: CommandProgress,
) -> Result<Ending, UserError> {
    let plan = asked.wanted.shown(plans);
    let folder = Folder::claim(&plan.output.folder)?;
    let world = plan.output.world.as_ref().map(|path| NewWorldFile::claim(path, asked.replacing));
    let world = world.transpose()?;
    let placement = plan.map.drawn().placement()?;
    if !asked.is_quiet {
        progress.finish();
        say(&summary::intention(plan, survey));
    }
    let folder_path = folder.path().to_owned();
    let mut run =
        PreviewRun { survey, asked, folder: folder_path, placement, done: DoneLevels::default() };
    let ending = run.all(plans, world);
    if let (Err(_), Some(settled)) = (&ending, &run.done.settled) {
        // The page no longer waits for finer levels; the error itself is the one worth reporting.
        let _ = settled.write(&run.folder);
    }
    ending
}

/// A run, level after level.
struct PreviewRun<'a> {
    survey: &'a Survey,
    asked: PreviewOptions,
    folder: PathBuf,
    placement: String,
    done: DoneLevels,
}

/// Levels that are done, with their notes.
#[derive(Default)]
struct DoneLevels {
    levels: RunLevels,
    /// Page and figures of the last of them, while the written files wait for finer levels.
    settled: Option<SettledReport>,
    /// Notes on levels that could not be run.
    left_out: Vec<String>,
    /// Width of the cells of the world that was saved, m.
    saved_m: Mutex<Option<f64>>,
}

impl PreviewRun<'_> {
    /// Runs these levels, and writes the results of each when it is done.
    fn all(&mut self, plans: &[Plan], world: Option<NewWorldFile>) -> Result<Ending, UserError> {
        let wanted = self.asked.wanted;
        self.done.left_out.extend(levels::idle(plans, wanted));
        let vary = self.asked.vary.filter(|vary| plans.iter().all(|p| vary.of(p).is_nothing()));
        self.done.left_out.extend(vary.map(|vary| vary.idle()));
        for (plan, behind) in plans.iter().zip((0..plans.len()).rev()) {
            let is_first = self.done.levels.is_empty();
            let may_end = behind == 0 || wanted.may_end(is_first);
            let mut outcome = match self.level(plan, may_end, world.as_ref()) {
                Ok(outcome) if is_first || !outcome.interrupted => outcome,
                // The whole event in coarser cells is worth more than a part of it in finer ones.
                Ok(_) => return self.stopped(world),
                Err(error) if error.is_stop() && !is_first => return self.stopped(world),
                Err(error) if behind > 0 && !error.is_stop() => {
                    let cell = short(plan.map.cell_m());
                    self.done.left_out.push(format!("a level in cells of {cell} m: {error}"));
                    continue;
                }
                Err(error) if !is_first => {
                    // The world belongs to the level whose results stay.
                    self.finish(world)?;
                    return Err(error);
                }
                Err(error) => return Err(error),
            };
            outcome.notes.extend(self.done.left_out.iter().cloned());
            let asked_m = plans.last().map_or(plan.map.cell_m(), |last| last.map.cell_m());
            self.done.levels.add(&mut outcome, (plan.map.cell_m(), asked_m));
            let shared = outcome.agreement().map(|(.., shared)| shared);
            let is_last = behind == 0 || outcome.interrupted || wanted.is_enough(shared);
            let drafts = if is_first && !outcome.interrupted { self.drafts(plan) } else { vec![] };
            if is_last && drafts.is_empty() {
                return self.ended(plan, &mut outcome, world);
            }
            let vary = drafts.first().and(self.asked.vary).map(|vary| vary.of(plan));
            let stand = match vary.filter(|_| is_last) {
                Some(vary) => RunProgress::Drafts(vary),
                None => RunProgress::Finer(vary),
            };
            let written = self.write_on_the_way(plan, &mut outcome, stand)?;
            self.tell(&summary::level(&outcome, &written));
            match self.vary(&drafts) {
                Err(error) if error.is_stop() => return self.stopped(world),
                Err(error) => {
                    let note = format!("roughness and water were not varied: {error}");
                    outcome.notes.push(note.clone());
                    self.done.left_out.push(note);
                }
                Ok(()) => {}
            }
            if !drafts.is_empty() {
                self.done.levels.tell(&mut outcome);
                if is_last {
                    return self.ended(plan, &mut outcome, world);
                }
                self.write_on_the_way(plan, &mut outcome, RunProgress::Finer(None))?;
            }
        }
        unreachable!("the last level ends a run");
    }

    /// Writes the results of a level that finer levels or drafts follow, and returns the files.
    fn write_on_the_way(
        &mut self,
        plan: &Plan,
        outcome: &mut FloodOutcome,
        stand: RunProgress,
    ) -> Result<Vec<PathBuf>, UserError> {
        let (folder, levels) = (&self.folder, &mut self.done.levels);
        let search = |outcome: &mut FloodOutcome| levels.search(outcome);
        let write = || output::write_on_the_way(outcome, (folder, stand), search);
        let written = interrupt::hold(|| on_threads(plan.numbers.threads, write))?;
        self.done.settled = Some(written.settled);
        interrupt::listen(Some(
            "stopping: the results of the last whole level stay; Ctrl-C again ends at once",
        ));
        Ok(written.paths)
    }

    /// Returns the requested drafts of the first level.
    fn drafts(&self, plan: &Plan) -> Vec<VariedDraft> {
        self.asked.vary.map(|vary| vary.of(plan).drafts(plan)).unwrap_or_default()
    }

    /// Runs the drafts of the first level, if any.
    fn vary(&mut self, drafts: &[VariedDraft]) -> Result<(), UserError> {
        let (Some(first), Some(vary)) = (drafts.first(), self.asked.vary) else { return Ok(()) };
        let vary = vary.of(&first.plan);
        let cell = short(first.plan.map.cell_m());
        self.tell(&format!("{} drafts in cells of {cell} m that vary {vary}", drafts.len()));
        let mut levels = std::mem::take(&mut self.done.levels);
        let outcomes = drafts.iter().map(|VariedDraft { thing, plan }| {
            let outcome = self.level(plan, false, None)?;
            interrupt::check()?;
            Ok((*thing, outcome))
        });
        let ending = levels.vary(vary, outcomes);
        self.done.levels = levels;
        ending
    }

    /// Runs one level. The world is saved of one that may be the last, and of one that is stopped.
    fn level(
        &self,
        plan: &Plan,
        may_end: bool,
        world: Option<&NewWorldFile>,
    ) -> Result<FloodOutcome, UserError> {
        let progress = CommandProgress::in_lines(self.asked.is_quiet).labelled(&self.asked.label);
        let command = (self.asked.command.clone(), self.asked.device);
        simulate::simulate(plan, self.survey, command, progress, &|run| {
            let Some(file) = world.filter(|_| may_end || interrupt::is_asked()) else {
                return Ok(());
            };
            interrupt::hold(|| file.write(run, &self.placement))?;
            *self.saved() = Some(plan.map.cell_m());
            Ok(())
        })
    }

    /// Writes the results of the last level.
    fn ended(
        &mut self,
        plan: &Plan,
        outcome: &mut FloodOutcome,
        world: Option<NewWorldFile>,
    ) -> Result<Ending, UserError> {
        interrupt::ignore();
        self.done.levels.search(outcome);
        let folder = &self.folder;
        let written = on_threads(plan.numbers.threads, || output::write_all(outcome, folder))?;
        self.done.settled = None;
        self.finish(world)?;
        self.tell(&summary::result(outcome, plan, &written.paths));
        Ok(if outcome.interrupted { Ending::Interrupted } else { Ending::Done })
    }

    /// Ends a run that was stopped after its first level: the results of the last whole one stay.
    fn stopped(&self, world: Option<NewWorldFile>) -> Result<Ending, UserError> {
        interrupt::ignore();
        self.done.settled.as_ref().map_or(Ok(()), |settled| settled.write(&self.folder))?;
        let is_asked = world.is_some();
        self.finish(world)?;
        let report = self.folder.join("report.html");
        self.tell(&summary::stopped(&self.done.levels, is_asked.then(|| *self.saved()), &report));
        Ok(Ending::Interrupted)
    }

    /// Gives a saved world its final name.
    fn finish(&self, world: Option<NewWorldFile>) -> Result<(), UserError> {
        let is_saved = self.saved().is_some();
        world.filter(|_| is_saved).map_or(Ok(()), NewWorldFile::finish)
    }

    fn saved(&self) -> MutexGuard<'_, Option<f64>> {
        self.done.saved_m.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tell(&self, text: &str) {
        if !self.asked.is_quiet {
            say(text);
        }
    }
}

/// Returns the command that repeats this one, without the program's folder, and without the device:
/// results are the same on any.
fn command(words: &[OsString]) -> String {
    const DEVICE: &str = "--device";
    let mut kept = vec![OsString::from("flood-preview")];
    let mut rest = words.iter().skip(1);
    while let Some(word) = rest.next() {
        if word == DEVICE {
            rest.next();
        } else if !word.to_string_lossy().starts_with("--device=") {
            kept.push(word.clone());
        }
    }
    quoted(kept)
}

/// Sends the program's traces to standard error; twice verbose sends more. The first command of a
/// process decides.
fn trace(verbose: u8, is_quiet: bool) {
    use tracing::level_filters::LevelFilter;

    let level = match verbose {
        _ if is_quiet => LevelFilter::ERROR,
        0 => LevelFilter::WARN,
        1 => LevelFilter::INFO,
        2 => LevelFilter::DEBUG,
        _ => LevelFilter::TRACE,
    };
    let _ = tracing_subscriber::fmt()
        .with_max_level(level)
        .with_writer(|| terminal::Log)
        .with_ansi(false)
        .without_time()
        .try_init();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_of_a_report_names_no_device() {
        for device in ["", "--device gpu ", "--device=auto "] {
            let line = format!("/bin/flood-preview {device}a.tif --rain 40mm/h");
            let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            assert_eq!(command(&words), "flood-preview a.tif --rain 40mm/h");
        }
    }
}
