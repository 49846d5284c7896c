//! Command line of a comparison as typed.

use std::path::PathBuf;

use clap::Parser;
use kit::error::UserError;

/// Compare results of finished runs: the first folder is the reference, and each other is compared
/// with it.
///
/// Results must lie on equal grids: runs of one map and one area, with any quality and cell size.
/// A difference is that of the run less that of the reference: it is positive where the run has
/// more water, or has it later.
#[derive(Debug, Clone, Parser)]
#[command(name = "flood-preview compare", version, max_term_width = 100)]
#[command(after_help = "\
Written are comparison.html (open it in a browser), comparison.json, comparison.csv, a picture of \
the difference in depth, and difference_*.tif. Files of the same name in the output folder are \
replaced.

Examples:
  flood-preview valley.toml --out without-levee
  flood-preview valley-with-levee.toml --out with-levee
  flood-preview compare without-levee with-levee")]
pub struct CompareArgs {
    /// Folders that flood-preview wrote, the reference first
    #[arg(value_name = "FOLDER", num_args = 2.., required = true)]
    pub folders: Vec<PathBuf>,

    /// Names of the runs on page and maps, in the order of the folders [default: those of the
    /// folders]
    #[arg(long, value_name = "NAME,NAME,..", value_delimiter = ',', allow_hyphen_values = true)]
    names: Option<Vec<String>>,

    /// Folder of the comparison
    #[arg(long, value_name = "FOLDER", default_value = "flood-preview-compare")]
    pub out: PathBuf,

    /// Say nothing unless something is wrong
    #[arg(short = 'q', long = "quiet")]
    pub is_quiet: bool,
}

impl CompareArgs {
    /// Name of each run: those asked for, or those of the folders, which are different.
    ///
    /// # Errors
    ///
    /// If there are not as many names as folders, or if one is empty or is there twice.
    pub fn names(&self) -> Result<Vec<String>, UserError> {
        let Some(names) = &self.names else { return Ok(self.names_of_folders()) };
        let names: Vec<String> = names.iter().map(|name| name.trim().to_owned()).collect();
        let (asked, folders) = (names.len(), self.folders.len());
        if asked != folders {
            let what = format!("--names has {asked} names, and there are {folders} folders");
            return Err(UserError::new(what, "give each folder a name, the reference first"));
        }
        if names.iter().any(String::is_empty) {
            let what = "--names has an empty name";
            return Err(UserError::new(what, "give each folder a name"));
        }
        if let Some(name) = twice(&names) {
            let what = format!("--names has `{name}` twice");
            return Err(UserError::new(what, "give each folder a name of its own"));
        }
        Ok(names)
    }

    /// Last parts of the paths if these are different, else the paths, with a number if need be.
    fn names_of_folders(&self) -> Vec<String> {
        let folders = || self.folders.iter();
        let last = folders().map(|path| {
            let whole = path.canonicalize().unwrap_or_default();
            let name = path.file_name().or(whole.file_name()).unwrap_or(path.as_os_str());
            name.to_string_lossy().into_owned()
        });
        let last: Vec<String> = last.collect();
        if twice(&last).is_none() {
            return last;
        }
        let paths: Vec<String> = folders().map(|path| path.display().to_string()).collect();
        if twice(&paths).is_none() {
            return paths;
        }
        (1..).zip(paths).map(|(number, path)| format!("{number}: {path}")).collect()
    }
}

/// The first name that is there twice.
fn twice(names: &[String]) -> Option<&String> {
    names.iter().enumerate().find_map(|(at, name)| names[..at].contains(name).then_some(name))
}

#[cfg(test)]
mod tests {
    use kit::command::parse;

    use super::*;

    fn names(line: &str) -> Result<Vec<String>, UserError> {
        let words = std::iter::once("flood-preview compare").chain(line.split(' '));
        let args = parse::<CompareArgs>(words.map(Into::into))?;
        args.expect("not a call for help").names()
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
        ] {
            assert_eq!(names(line).expect(line), expected, "{line}");
        }
    }

    #[test]
    fn mistakes_are_one_line() {
        for (line, what) in [
            ("a", "flood-preview compare --help"),
            ("a b --names x", "1 names, and there are 2 folders"),
            ("a b --names x,x", "`x` twice"),
            ("a b --names x,", "empty name"),
            ("a b --nmes x,y", "--names"),
        ] {
            let error = names(line).expect_err(line).to_string();
            assert!(error.contains(what) && !error.contains('\n'), "{line}: {error}");
        }
    }
}
