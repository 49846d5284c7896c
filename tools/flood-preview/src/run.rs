//! Doing it: from the words of the command line to the folder of results.
//!
//! Everything that can be wrong with the input is found, in this order, by parsing, by
//! [`Plan::resolve`], by the [survey](scenario::survey) of the heightmap, by the [memory] that
//! there is and by the test of the output folder; only then does the water run.

use std::ffi::OsString;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use kit::command::{Ending, parse, quoted};
use kit::device::DeviceName;
use kit::error::UserError;
use kit::interrupt;
use kit::output::Replacing;
use kit::progress::Progress;
use kit::terminal::{self, say};
use kit::words::short;
use kit::world::file::WorldFile;
use scenario::naming::named;
use scenario::plan::Plan;
use scenario::survey::{Survey, survey_watched};

use crate::args::Args;
use crate::levels::Wanted;
use crate::outcome::{Levels, Outcome};
use crate::output::Settled;
use crate::output::folder::Folder;
use crate::{levels, memory, output, simulate, summary};

/// Runs the command `words`, the first of which is the program's name.
///
/// # Errors
///
/// If the input is wrong, with nothing written, or if the results cannot be written.
pub fn run(words: Vec<OsString>) -> Result<Ending, UserError> {
    let command = command(&words);
    let Some(args) = parse::<Args>(words)? else { return Ok(Ending::Done) };
    trace(args.options.output.verbose, args.options.output.quiet);
    interrupt::listen(Some("stopping; Ctrl-C again ends at once"));
    let mut progress = Progress::in_lines(args.options.output.quiet);
    let plan = Plan::resolve_watched(&named(&args.inputs, &args.options)?, &mut progress)?;
    let survey = survey_watched(&plan, &mut progress)?;
    tracing::info!(?survey, "the heightmap is sound");
    scenario::build::scale(&plan, &survey)?;
    let asked = Asked {
        command,
        device: args.device,
        is_quiet: args.options.output.quiet,
        replacing: args.options.output.replacing(),
        wanted: args.levels.wanted(),
    };
    if args.options.output.check {
        return check(&plan, &survey, &asked, progress);
    }
    memory::check(&plan)?;
    preview(&plan, &survey, asked, progress)
}

/// Says what a run would do and take, after it is known that it can be done.
fn check(
    plan: &Plan,
    survey: &Survey,
    asked: &Asked,
    mut progress: Progress,
) -> Result<Ending, UserError> {
    let start = Instant::now();
    drop(Folder::claim(&plan.output.folder)?);
    let world = plan.output.world.as_ref();
    drop(world.map(|path| WorldFile::claim(path, asked.replacing)).transpose()?);
    memory::check(plan)?;
    let forecast = simulate::forecast((plan, survey), asked.device, &mut progress)?;
    progress.finish();
    tracing::info!(?forecast, after_s = start.elapsed().as_secs_f64(), "tried");
    say(&summary::plan(plan, survey, &forecast));
    Ok(Ending::Done)
}

/// Options that are no part of the plan.
struct Asked {
    command: String,
    device: DeviceName,
    is_quiet: bool,
    replacing: Replacing,
    wanted: Wanted,
}

fn preview(
    plan: &Plan,
    survey: &Survey,
    asked: Asked,
    progress: Progress,
) -> Result<Ending, UserError> {
    let folder = Folder::claim(&plan.output.folder)?;
    let world = plan.output.world.as_ref().map(|path| WorldFile::claim(path, asked.replacing));
    let world = world.transpose()?;
    let run = Run { survey, asked, folder, placement: plan.map.drawn().placement()? };
    if !run.asked.is_quiet {
        progress.finish();
        say(&summary::intention(plan, survey));
    }
    run.all(&levels::plans(plan, run.asked.wanted), world)
}

/// A run, level after level.
struct Run<'a> {
    survey: &'a Survey,
    asked: Asked,
    folder: Folder,
    placement: String,
}

impl Run<'_> {
    /// Runs these levels, and writes the results of each as it comes.
    fn all(&self, plans: &[Plan], world: Option<WorldFile>) -> Result<Ending, UserError> {
        let (mut levels, mut left_out) = (Levels::default(), Vec::new());
        let mut settled = Settled::default();
        let has_world = AtomicBool::new(false);
        for (plan, behind) in plans.iter().zip((0..plans.len()).rev()) {
            let is_first = levels.is_empty();
            let made = self.level(plan, behind == 0, (world.as_ref(), &has_world));
            let mut outcome = match made {
                Ok(outcome) if is_first || !outcome.interrupted => outcome,
                // The whole event in coarser cells says more than a part of it in finer ones.
                Ok(_) => break,
                Err(_) if interrupt::is_asked() && !is_first => break,
                Err(error) if behind > 0 && !interrupt::is_asked() => {
                    left_out.push(not_run(plan, &error));
                    continue;
                }
                Err(error) => return Err(error),
            };
            outcome.notes.append(&mut left_out);
            levels.add(&mut outcome, plan.map.cell_m());
            let shared = outcome.agreement().map(|(.., shared)| shared);
            let is_enough = self.asked.wanted.is_enough(shared);
            if behind > 0 && !is_enough && !outcome.interrupted {
                let write = || output::write_on_the_way(&outcome, self.folder.path());
                let written = interrupt::hold(write)?;
                self.tell(&summary::level(&outcome, &written.paths));
                settled = written.settled;
                continue;
            }
            interrupt::ignore();
            let written = output::write_all(&outcome, self.folder.path())?;
            world
                .filter(|_| has_world.load(Ordering::Relaxed))
                .map_or(Ok(()), WorldFile::finish)?;
            self.tell(&summary::result(&outcome, plan, &written.paths));
            return Ok(if outcome.interrupted { Ending::Interrupted } else { Ending::Done });
        }
        interrupt::ignore();
        settled.write(self.folder.path())?;
        let has_world = world.filter(|_| has_world.load(Ordering::Relaxed));
        let has_world = has_world.map(WorldFile::finish).transpose()?.is_some();
        self.tell(&summary::stopped(&levels, has_world));
        Ok(Ending::Interrupted)
    }

    /// Runs one level. The world is kept of the last, and of one that is stopped.
    fn level(
        &self,
        plan: &Plan,
        is_last: bool,
        (world, has_world): (Option<&WorldFile>, &AtomicBool),
    ) -> Result<Outcome, UserError> {
        let progress = Progress::in_lines(self.asked.is_quiet);
        let command = (self.asked.command.clone(), self.asked.device);
        simulate::simulate(plan, self.survey, command, progress, &|run| {
            if !is_last && !interrupt::is_asked() {
                return Ok(());
            }
            interrupt::ignore();
            let Some(file) = world else { return Ok(()) };
            file.write(run, &self.placement).inspect(|()| has_world.store(true, Ordering::Relaxed))
        })
    }

    fn tell(&self, text: &str) {
        if !self.asked.is_quiet {
            say(text);
        }
    }
}

/// Says that a level could not be run, and why.
fn not_run(plan: &Plan, error: &UserError) -> String {
    format!("cells of {} m were left out before these: {error}", short(plan.map.cell_m()))
}

/// The command that repeats this one, without the folder the program lies in, and without the
/// device: results are the same on any.
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

/// Sends what the program traces to standard error; twice verbose says more. The first command of a
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
