//! Scenarios that a comparison runs: all are checked before the first runs.
//!
//! ```text
//! valley.toml, options ─ checked ─ … ─ run ─ OUT/valley ─┐
//! levee.toml,  options ─ checked ─ … ─ run ─ OUT/levee  ─┴─ compared
//! ```
//!
//! Guarantees: no water flows before every scenario is parsed and resolved, its folder is tested,
//!             and its map is found to have the same grid as all the maps
//!             (`a_mistake_in_one_scenario_costs_no_run`). A run that fails or is stopped leaves
//!             the results that it has written, and nothing is compared.
//! Limits:     all plans are in memory while the first runs, with the rasters that they name.

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use kit::command::{Ending, quoted};
use kit::device::DeviceName;
use kit::error::UserError;
use kit::interrupt;
use kit::progress::CommandProgress;
use kit::terminal::{complain, say, shown};
use rasters::Grid;
use scenario::options::{Options, OutputArgs};

use super::args::{CompareArgs, CompareRunArgs, is_scenario};
use super::{compared, reading};
use crate::args::Args;
use crate::run::Prepared;

/// Answer to Ctrl-C.
pub const STOPPING: &str = "stopping; Ctrl-C again ends at once";

/// A run of a comparison.
#[derive(Debug)]
pub struct Input {
    /// The scenario or the folder, as it was given.
    path: PathBuf,
    /// Folder of its results.
    pub folder: PathBuf,
    /// The run, if it is still to be done.
    prepared: Option<Prepared>,
}

/// Reads and checks all runs of a comparison, under their names.
///
/// # Errors
///
/// If a scenario or a folder is wrong, results of two runs would be written over each other, or the
/// grids of two differ; nothing is written then.
pub fn checked(args: &CompareArgs, names: &[String]) -> Result<Vec<Input>, UserError> {
    let folders = folders(args, names)?;
    let count = args.inputs.iter().filter(|path| is_scenario(path)).count();
    let (mut inputs, mut number) = (Vec::new(), 0);
    for (path, folder) in args.inputs.iter().zip(folders) {
        let mut prepared = None;
        if is_scenario(path) {
            number += 1;
            let label = format!("run {number} of {count}: ");
            prepared = Some(prepare(path, &folder, label, args)?);
        }
        inputs.push(Input { path: path.clone(), folder, prepared });
    }
    check_worlds(&inputs)?;
    check_grids(&inputs)?;
    Ok(inputs)
}

/// Returns the folder of the results of each run.
fn folders(args: &CompareArgs, names: &[String]) -> Result<Vec<PathBuf>, UserError> {
    let mend = "give each a name of its own with --names, or another folder with --out";
    let mut taken: HashMap<String, &Path> = HashMap::new();
    let given = args.inputs.iter().filter(|path| !is_scenario(path));
    let given: Vec<PathBuf> = given.filter_map(|path| path.canonicalize().ok()).collect();
    let mut folders = Vec::new();
    for (path, name) in args.inputs.iter().zip(names) {
        if !is_scenario(path) {
            folders.push(path.clone());
            continue;
        }
        let own = folder_name(name)?;
        let folder = args.out.join(&own);
        if compared::is_file(&own) {
            let (path, folder) = (path.display(), folder.display());
            let what = format!(
                "the results of {path} would go to {folder}, a file that the comparison writes"
            );
            return Err(UserError::new(what, "name the runs with --names"));
        }
        let twin = taken.insert(own.to_lowercase(), path);
        if let Some(other) = twin {
            let [path, other] = [path, other].map(|path| path.display().to_string());
            let what =
                format!("the results of {other} and {path} would go to {}", folder.display());
            return Err(UserError::new(what, mend));
        }
        if folder.canonicalize().is_ok_and(|whole| given.contains(&whole)) {
            let [path, folder] = [path, &folder].map(|path| path.display().to_string());
            let what =
                format!("the results of {path} would replace {folder}, which is compared too");
            return Err(UserError::new(what, mend));
        }
        folders.push(folder);
    }
    Ok(folders)
}

/// Returns the name of a run as the name of a folder.
fn folder_name(name: &str) -> Result<String, UserError> {
    let is_plain = |letter: char| !"/\\:*?\"<>|".contains(letter) && !letter.is_control();
    let plain = |letter: char| if is_plain(letter) { letter } else { '-' };
    let own: String = name.chars().map(plain).collect();
    if own.trim_matches('.').is_empty() {
        let what = format!("a folder cannot be called `{name}`");
        return Err(UserError::new(what, "name the runs with --names"));
    }
    Ok(own)
}

/// Reads and checks a scenario whose results go to a folder.
fn prepare(
    path: &Path,
    folder: &Path,
    label: String,
    args: &CompareArgs,
) -> Result<Prepared, UserError> {
    let CompareRunArgs { quality, threads, device, force, levels } = args.runs.clone();
    let mut words = vec!["flood-preview".into(), path.as_os_str().to_owned()];
    words.extend(["--out".into(), folder.as_os_str().to_owned()]);
    // The command leaves the device out, as the command of any run does.
    let typed = args.runs.typed().into_iter().filter(|(name, _)| *name != "--device");
    words.extend(typed.map(|(name, value)| match value {
        None => OsString::from(name),
        Some(value) => format!("{name}={value}").into(),
    }));
    let mut options = Options::default();
    (options.run.quality, options.run.threads) = (quality, threads);
    options.output = OutputArgs { force, quiet: args.is_quiet, ..OutputArgs::default() };
    options.output.table.folder = Some(folder.to_owned());
    let device = device.unwrap_or(DeviceName::Auto);
    let own = Args { inputs: vec![path.to_owned()], device, levels, options };
    let mut progress = CommandProgress::in_lines(args.is_quiet).labelled(&label);
    let prepared = Prepared::of(&own, (quoted(words), label), &mut progress);
    let claimed = prepared.and_then(|prepared| prepared.claim().map(|()| prepared));
    claimed.map_err(|error| named(error, path))
}

/// Returns an error of a scenario with the scenario's path added.
fn named(error: UserError, path: &Path) -> UserError {
    let name = path.display().to_string();
    if error.is_stop() || error.to_string().contains(&name) { error } else { error.of(name, "") }
}

/// Refuses worlds that would replace one another.
fn check_worlds(inputs: &[Input]) -> Result<(), UserError> {
    let mut taken: HashMap<&Path, &Path> = HashMap::new();
    for Input { path, prepared, .. } in inputs {
        let world = prepared.as_ref().and_then(|prepared| prepared.plan().output.world.as_deref());
        let Some(world) = world else { continue };
        if let Some(other) = taken.insert(world, path) {
            let [path, other, world] = [path, other, world].map(|path| path.display());
            return Err(UserError::new(
                format!("{other} and {path} would save their worlds as {world}"),
                "give `world` of each another name, or leave it out",
            ));
        }
    }
    Ok(())
}

/// Refuses maps whose grid differs from the first map's.
fn check_grids(inputs: &[Input]) -> Result<(), UserError> {
    let grid = |input: &Input| match &input.prepared {
        Some(prepared) => Ok(prepared.plan().map.input.clone()),
        None => reading::grid(&input.folder),
    };
    let grids = inputs.iter().map(grid).collect::<Result<Vec<Grid>, _>>()?;
    let paths = inputs.iter().map(|input| &*input.path);
    reading::check_grids(&paths.zip(&grids).collect::<Vec<_>>())
}

/// Runs the scenarios, in their order.
///
/// # Errors
///
/// If a run fails or is stopped before it has results; the error names the run and the files that
/// stay.
pub fn run(inputs: &mut [Input], args: &CompareArgs) -> Result<Ending, UserError> {
    let count = inputs.iter().filter(|input| input.prepared.is_some()).count();
    let mut done: Vec<PathBuf> = Vec::new();
    for Input { path, folder, prepared } in inputs {
        let Some(prepared) = prepared.take() else { continue };
        let which = format!("{}, run {} of {count}", path.display(), done.len() + 1);
        let stays = match done.as_slice() {
            [] => String::new(),
            _ => format!("; {} of {count} runs are done, in {}", done.len(), args.out.display()),
        };
        interrupt::listen(Some(STOPPING));
        interrupt::check().map_err(|error| error.of(&which, &stays))?;
        if !args.is_quiet {
            say(&format!("run {} of {count}: {}", done.len() + 1, shown(path)));
        }
        let ending = prepared.run(CommandProgress::in_lines(args.is_quiet));
        let ending = ending
            .map_err(|error| error.of(&which, format!("; no comparison is written{stays}")))?;
        if ending == Ending::Interrupted {
            let folder = folder.display();
            complain(format!(
                "{which} was stopped: its results so far are in {folder}; no comparison is \
                 written{stays}"
            ));
            return Ok(ending);
        }
        done.push(folder.clone());
    }
    Ok(Ending::Done)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_runs_are_names_of_folders() {
        for (name, expected) in [
            ("levee", Some("levee")),
            ("with a levee", Some("with a levee")),
            ("a/run.toml", Some("a-run.toml")),
            ("../../run", Some("..-..-run")),
            ("1: a", Some("1- a")),
            ("..", None),
            (".", None),
        ] {
            assert_eq!(folder_name(name).ok().as_deref(), expected, "{name}");
        }
    }
}
