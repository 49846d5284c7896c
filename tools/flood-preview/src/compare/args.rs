//! Command line of a comparison as typed.

use std::path::{Path, PathBuf};

use clap::Parser;
use kit::device::DeviceName;
use kit::error::UserError;
use scenario::terms::Quality;

use super::compared;
use crate::args::LevelArgs;
use crate::vary::Vary;

/// Compare scenarios, which are run first, or results of finished runs: the first is the reference,
/// and each other is compared with it.
///
/// All scenarios are checked before the first is run; each gets a folder of its name in the folder
/// of the comparison. Results must lie on equal grids: runs of one map and one area, with any
/// quality and cell size. A difference is that of the run less that of the reference: it is
/// positive where the run has more water, or has it later.
#[derive(Debug, Clone, Parser)]
#[command(name = "flood-preview compare", version, max_term_width = 100)]
#[command(after_help = "\
Written are comparison.html (open it in a browser), comparison.json, comparison.csv, a picture of \
the difference in depth, and difference_*.tif. Files of the same name in the output folder are \
replaced.

Examples:
  flood-preview compare valley.toml valley-with-levee.toml --quality draft
  flood-preview compare without-levee with-levee
  flood-preview compare without-levee dike.toml wall.toml --names none,dike,wall --now")]
pub struct CompareArgs {
    /// Scenarios (.toml) and folders that flood-preview wrote, the reference first
    #[arg(value_name = "SCENARIO|FOLDER", num_args = 2.., required = true)]
    pub inputs: Vec<PathBuf>,

    /// Names of the runs on page and maps, in the order in which they are given [default: those of
    /// the scenarios and folders]
    #[arg(long, value_name = "NAME,NAME,..", value_delimiter = ',', allow_hyphen_values = true)]
    names: Option<Vec<String>>,

    /// Folder of the comparison, and of the runs of its scenarios
    #[arg(long, value_name = "FOLDER", default_value = "flood-preview-compare")]
    pub out: PathBuf,

    /// Say nothing unless something is wrong
    #[arg(short = 'q', long = "quiet")]
    pub is_quiet: bool,

    /// Options of the runs of scenarios.
    #[command(flatten)]
    pub runs: CompareRunArgs,
}

/// Options that hold for all runs of scenarios.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(next_help_heading = "Runs of scenarios")]
pub struct CompareRunArgs {
    /// draft (300,000 cells), normal (2.5 million) or fine (every cell) [default: that of the
    /// scenario, or normal]
    #[arg(long, value_name = "QUALITY")]
    pub quality: Option<Quality>,

    /// Number of threads [default: all cores]; the results do not depend on it
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub threads: Option<i64>,

    /// Device that steps the water, with the same results [default: auto]
    #[arg(long, value_name = "DEVICE", value_enum)]
    pub device: Option<DeviceName>,

    /// Replace the worlds that scenarios save, if there are any
    #[arg(long)]
    pub force: bool,

    /// How far the runs are refined.
    #[command(flatten)]
    pub levels: LevelArgs,
}

impl CompareRunArgs {
    /// Returns each option that was typed, with its value.
    #[must_use]
    pub fn typed(&self) -> Vec<(&'static str, Option<String>)> {
        let LevelArgs { now, until, only_last, vary } = self.levels;
        let value = |name, value: Option<String>| value.map(|value| (name, Some(value)));
        let word = |name, is_typed: bool| is_typed.then_some((name, None));
        let all = [
            value("--quality", self.quality.map(|quality| quality.to_string())),
            value("--threads", self.threads.map(|threads| threads.to_string())),
            self.device.map(|_| ("--device", None)),
            word("--force", self.force),
            word("--now", now),
            value("--until", until.map(|percent| percent.to_string())),
            word("--only-last", only_last),
            value("--vary", vary.map(Vary::typed)),
        ];
        all.into_iter().flatten().collect()
    }
}

/// True if a path ends as a scenario file does; a folder may have any name.
#[must_use]
pub fn is_scenario(path: &Path) -> bool {
    let is_named = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("toml"));
    is_named && !path.is_dir()
}

impl CompareArgs {
    /// Returns the name of each run: as typed, or of its scenario or folder; all names differ.
    ///
    /// # Errors
    ///
    /// If the numbers of names and of runs differ, or if a name is empty or repeated.
    pub fn names(&self) -> Result<Vec<String>, UserError> {
        let Some(names) = &self.names else { return Ok(self.own_names()) };
        let names: Vec<String> = names.iter().map(|name| name.trim().to_owned()).collect();
        let (asked, runs) = (names.len(), self.inputs.len());
        if asked != runs {
            let what = format!("--names has {asked} names, and there are {runs} runs");
            return Err(UserError::new(what, "give each run a name, the reference first"));
        }
        if names.iter().any(String::is_empty) {
            let what = "--names has an empty name";
            return Err(UserError::new(what, "give each run a name"));
        }
        if let Some(name) = twice(&names) {
            let what = format!("--names has `{name}` twice");
            return Err(UserError::new(what, "give each run a name of its own"));
        }
        Ok(names)
    }

    /// Refuses a run that is given twice, and a folder of the comparison that is one of the runs.
    ///
    /// # Errors
    ///
    /// The error names the first.
    pub fn check_inputs(&self) -> Result<(), UserError> {
        // A path that does not exist is refused when it is read.
        let mut whole: Vec<(PathBuf, &Path)> = Vec::new();
        for path in &self.inputs {
            let Ok(own) = path.canonicalize() else { continue };
            if let Some((_, other)) = whole.iter().find(|(before, _)| *before == own) {
                let [other, path] = [other, &**path].map(|path| path.display().to_string());
                let what = match other == path {
                    true => format!("{path} is given twice"),
                    false => format!("{other} and {path} are one run"),
                };
                let mend = "a run does not differ from itself: give another, or leave it out";
                return Err(UserError::new(what, mend));
            }
            whole.push((own, path));
        }
        let Ok(out) = self.out.canonicalize() else { return Ok(()) };
        for (own, run) in whole.iter().filter(|(own, _)| own.is_dir()) {
            let name = own.file_name().unwrap_or_default().to_string_lossy();
            let what = if *own == out {
                format!("the comparison would be written into {}, a run of it", run.display())
            } else if own.parent() == Some(&*out) && compared::is_file(&name) {
                format!("the comparison would write a file where {} is, a run of it", run.display())
            } else {
                continue;
            };
            return Err(UserError::new(what, "choose another folder with --out"));
        }
        Ok(())
    }

    /// Refuses options for runs if the comparison runs no scenario.
    ///
    /// # Errors
    ///
    /// The error names the first such option.
    pub fn check_options(&self) -> Result<(), UserError> {
        let has_runs = self.inputs.iter().any(|path| is_scenario(path));
        match self.runs.typed().first() {
            Some((option, _)) if !has_runs => Err(UserError::new(
                format!("{option} is for runs of scenarios, and only folders of results are given"),
                format!("leave {option} out, or give scenarios (.toml)"),
            )),
            _ => Ok(()),
        }
    }

    /// Returns the last parts of the paths if these are different, else the paths, with a number if
    /// need be; scenarios without their ending.
    fn own_names(&self) -> Vec<String> {
        let inputs = || self.inputs.iter();
        let last = inputs().map(|path| {
            let whole = path.canonicalize().unwrap_or_default();
            let name = if is_scenario(path) { path.file_stem() } else { path.file_name() };
            let name = name.or(whole.file_name()).unwrap_or(path.as_os_str());
            name.to_string_lossy().into_owned()
        });
        let last: Vec<String> = last.collect();
        if twice(&last).is_none() {
            return last;
        }
        let paths: Vec<String> = inputs().map(|path| path.display().to_string()).collect();
        if twice(&paths).is_none() {
            return paths;
        }
        (1..).zip(paths).map(|(number, path)| format!("{number}: {path}")).collect()
    }
}

/// Returns the first name that occurs twice.
fn twice(names: &[String]) -> Option<&String> {
    names.iter().enumerate().find_map(|(at, name)| names[..at].contains(name).then_some(name))
}

#[cfg(test)]
mod tests {
    use kit::command::parse;

    use super::*;

    fn typed(line: &str) -> Result<CompareArgs, UserError> {
        let words = std::iter::once("flood-preview compare").chain(line.split(' '));
        Ok(parse::<CompareArgs>(words.map(Into::into))?.expect("not a call for help"))
    }

    fn names(line: &str) -> Result<Vec<String>, UserError> {
        typed(line)?.names()
    }

    #[test]
    fn the_definition_is_sound() {
        use clap::CommandFactory;
        CompareArgs::command().debug_assert();
    }

    #[test]
    fn runs_have_names_that_differ() {
        for (line, expected) in [
            ("x/bare y/levee", ["bare", "levee"]),
            ("x/out y/out", ["x/out", "y/out"]),
            ("x/out x/out", ["1: x/out", "2: x/out"]),
            ("x y --names none,a-levee", ["none", "a-levee"]),
            ("x/bare.toml y/levee.TOML", ["bare", "levee"]),
            ("a/run.toml b/run.toml", ["a/run.toml", "b/run.toml"]),
            ("levee levee.toml", ["levee", "levee.toml"]),
        ] {
            assert_eq!(names(line).expect(line), expected, "{line}");
        }
    }

    #[test]
    fn mistakes_are_one_line() {
        for (line, what) in [
            ("a", "flood-preview compare --help"),
            ("a b --names x", "1 names, and there are 2 runs"),
            ("a b --names x,x", "`x` twice"),
            ("a b --names x,", "empty name"),
            ("a b --nmes x,y", "--names"),
            ("a.toml b --now --until 95%", "--until"),
            ("a.toml b --until 95", "like 95%"),
            ("a.toml b --quality best", "write draft, normal or fine"),
        ] {
            let error = names(line).expect_err(line).to_string();
            assert!(error.contains(what) && !error.contains('\n'), "{line}: {error}");
        }
    }

    #[test]
    fn options_of_runs_need_a_run() {
        for option in [
            "--now",
            "--until=95%",
            "--only-last",
            "--quality=draft",
            "--threads=2",
            "--force",
            "--vary=water=5%",
        ] {
            let name = option.split('=').next().unwrap_or_default();
            let folders = typed(&format!("a b {option}")).expect(option).check_options();
            let error = folders.expect_err(option).to_string();
            assert!(error.starts_with(&format!("{name} is for runs")), "{option}: {error}");
            let runs = typed(&format!("a.toml b {option}")).expect(option);
            assert_eq!(runs.check_options(), Ok(()), "{option}");
            let words: Vec<String> = runs
                .runs
                .typed()
                .into_iter()
                .map(|(name, value)| {
                    value.map_or_else(|| name.to_owned(), |value| format!("{name}={value}"))
                })
                .collect();
            assert_eq!(words, [option]);
        }
        assert_eq!(typed("a b --quiet").expect("sound").check_options(), Ok(()));
        assert!(typed("a b --device cpu").expect("sound").check_options().is_err());
    }
}
