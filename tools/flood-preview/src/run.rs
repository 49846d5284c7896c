//! Doing it: from the words of the command line to the folder of results.
//!
//! Everything that can be wrong with the input is found, in this order, by parsing, by
//! [`Plan::resolve`], by the [survey](crate::survey) of the heightmap, by the [memory] that there
//! is and by the test of the output folder; only then does the water run.

use std::ffi::OsString;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Instant;

use kit::command::{Ending, parse, quoted};
use kit::error::UserError;
use kit::interrupt;
use kit::output::Replacing;
use kit::output::folder::Folder;
use kit::progress::Progress;
use kit::terminal::{self, say};
use kit::world::file::WorldFile;

use crate::args::Args;
use crate::scenario::file::Scenario;
use crate::scenario::plan::Plan;
use crate::scenario::{overlay, text};
use crate::survey::{Survey, survey_watched};
use crate::{memory, output, simulate, summary};

/// What a world file begins with.
const MAGIC: &[u8; 4] = b"\x89TLW";
/// What runs when nothing is named.
const SAMPLE: &str = "worlds/valley.toml";

/// Runs the command `words`, the first of which is the program's name.
///
/// # Errors
///
/// If the input is wrong, with nothing written, or if the results cannot be written.
pub fn run(words: Vec<OsString>) -> Result<Ending, UserError> {
    let command = command(&words);
    let Some(args) = parse::<Args>(words)? else { return Ok(Ending::Done) };
    trace(args.output.verbose, args.output.quiet);
    interrupt::listen("flood-preview", Some("stopping; Ctrl-C again ends at once"));
    let mut progress = Progress::in_lines(args.output.quiet, "flood-preview");
    let plan = Plan::resolve_watched(&scenario(&args)?, &mut progress)?;
    let survey = survey_watched(&plan, &mut progress)?;
    tracing::info!(?survey, "the heightmap is sound");
    simulate::scale(&plan, &survey)?;
    let asked = Asked { command, is_quiet: args.output.quiet, replacing: args.output.replacing() };
    if args.output.check {
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
    let forecast = simulate::forecast(plan, survey, &mut progress)?;
    progress.finish();
    tracing::info!(?forecast, after_s = start.elapsed().as_secs_f64(), "tried");
    say(&summary::plan(plan, survey, &forecast));
    Ok(Ending::Done)
}

/// What was typed and is no part of the plan.
struct Asked {
    command: String,
    is_quiet: bool,
    replacing: Replacing,
}

fn preview(
    plan: &Plan,
    survey: &Survey,
    asked: Asked,
    progress: Progress,
) -> Result<Ending, UserError> {
    let Asked { command, is_quiet, replacing } = asked;
    let folder = Folder::claim(&plan.output.folder)?;
    let world = plan.output.world.as_ref().map(|path| WorldFile::claim(path, replacing));
    let world = world.transpose()?;
    if !is_quiet {
        progress.finish();
        say(&summary::intention(plan, survey));
    }
    let placement = plan.map.drawn().placement()?;
    let outcome = simulate::simulate(plan, survey, command, progress, &|run| {
        interrupt::ignore();
        world.as_ref().map_or(Ok(()), |file| file.write(run, &placement))
    })?;
    let written = output::write_all(&outcome, folder.path())?;
    world.map_or(Ok(()), WorldFile::finish)?;
    if !is_quiet {
        say(&summary::result(&outcome, plan, &written));
    }
    Ok(if outcome.interrupted { Ending::Interrupted } else { Ending::Done })
}

/// The scenario of the named file or of the sample, with the command line laid over it.
///
/// # Errors
///
/// If more than one scenario or map is named, one cannot be read, or options contradict each other.
pub fn scenario(args: &Args) -> Result<Scenario, UserError> {
    if let Some(world) = args.inputs.iter().find(|path| is_world(path)) {
        return Err(is_no_map(world));
    }
    let (files, maps): (Vec<&PathBuf>, Vec<&PathBuf>) =
        args.inputs.iter().partition(|path| is_scenario(path));
    if files.len() > 1 || maps.len() > 1 {
        return Err(UserError::new(
            "two scenarios or two maps are named",
            "give at most one scenario.toml and one heightmap",
        ));
    }
    let mut scenario = match (files.first(), maps.first()) {
        (Some(path), _) => text::read(path)?,
        (None, Some(_)) => Scenario::default(),
        (None, None) => text::read(&sample()?)?,
    };
    if let Some(map) = maps.first() {
        scenario.map.file = Some((*map).clone());
    }
    overlay::lay_over(&mut scenario, args)?;
    Ok(scenario)
}

fn is_scenario(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("toml"))
}

/// True for a world file, by its name or its first bytes.
fn is_world(path: &Path) -> bool {
    let is_named = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("thalweg"));
    // What is no plain file would be read away from who reads it next.
    let holds_one = || {
        let mut first = [0; MAGIC.len()];
        let read = File::open(path).and_then(|mut file| file.read_exact(&mut first));
        read.is_ok() && first == *MAGIC
    };
    is_named || (path.is_file() && holds_one())
}

/// Says which commands go on with a world.
fn is_no_map(world: &Path) -> UserError {
    let words = |line: &str| {
        let words = line.split(' ').map(OsString::from);
        quoted(words.chain([world.as_os_str().to_owned()]))
    };
    UserError::new(
        format!("{} is a world, and no map", world.display()),
        format!(
            "go on with \"{} --for 1h\", look at it with \"{}\", or name the map that it was made \
             from",
            words("thalweg run"),
            words("viewer")
        ),
    )
}

/// The sample world: below the current folder, or where this program was built.
///
/// # Errors
///
/// If it is in neither place.
pub fn sample() -> Result<PathBuf, UserError> {
    let built = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(SAMPLE);
    let places = [PathBuf::from(SAMPLE), built];
    let found = places.into_iter().find(|path| path.is_file());
    found.ok_or_else(|| {
        UserError::new(
            format!("the sample world {SAMPLE} is not here"),
            "name a heightmap, like flood-preview dem.tif, or run in the project's folder",
        )
    })
}

/// The command that repeats this one, without the folder the program lies in.
fn command(words: &[OsString]) -> String {
    let name = OsString::from("flood-preview");
    quoted(std::iter::once(name).chain(words.iter().skip(1).cloned()))
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
