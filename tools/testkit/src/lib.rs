//! Scaffolding that the tests of the tools share: fresh folders, small maps, and a program that is
//! run there.

use std::fmt::Display;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// A fresh folder with some files, which goes when it is dropped.
///
/// # Panics
///
/// Where it cannot be written.
#[must_use]
pub fn folder<C: AsRef<[u8]>>(files: &[(&str, C)]) -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    put(folder.path(), files);
    folder
}

/// Writes some files into a folder.
///
/// # Panics
///
/// Where it cannot be written.
pub fn put<C: AsRef<[u8]>>(folder: &Path, files: &[(&str, C)]) {
    for (name, content) in files {
        fs::write(folder.join(name), content).expect("writable");
    }
}

/// An ESRI ASCII grid with its south-west corner at 1000, 2000; `value` of a column and a row.
#[must_use]
pub fn grid<V: Display>(
    (width, height): (usize, usize),
    cell_m: f64,
    value: impl Fn(usize, usize) -> V,
) -> String {
    let mut text = format!(
        "ncols {width}\nnrows {height}\nxllcorner 1000\nyllcorner 2000\ncellsize {cell_m}\n\
         NODATA_value -9999\n"
    );
    for row in 0..height {
        let cells: Vec<String> = (0..width).map(|col| value(col, row).to_string()).collect();
        text += &(cells.join(" ") + "\n");
    }
    text
}

/// Names and lengths of what lies in a folder.
///
/// # Panics
///
/// Where it cannot be read.
#[must_use]
pub fn listing(folder: &Path) -> Vec<(String, u64)> {
    let entries = fs::read_dir(folder).expect("a readable folder").map(|entry| entry.expect("one"));
    let length = |entry: &fs::DirEntry| entry.metadata().expect("metadata").len();
    let mut names: Vec<_> = entries
        .map(|entry| (entry.file_name().to_string_lossy().into_owned(), length(&entry)))
        .collect();
    names.sort();
    names
}

/// Names of what lies in a folder.
///
/// # Panics
///
/// Where it cannot be read.
#[must_use]
pub fn names(folder: &Path) -> Vec<String> {
    listing(folder).into_iter().map(|(name, _)| name).collect()
}

/// Presses Ctrl-C for a program.
///
/// # Panics
///
/// Where there is no `kill`.
pub fn interrupt(child: &Child) {
    let asked = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(asked.expect("kill starts").success());
}

/// A program that is tested: `Program(env!("CARGO_BIN_EXE_…"))`.
#[derive(Debug, Clone, Copy)]
pub struct Program(pub &'static str);

impl Program {
    /// The program with the words of a line, in a folder.
    #[must_use]
    pub fn command(self, folder: &Path, line: &str) -> Command {
        let mut command = Command::new(self.0);
        command.args(line.split_whitespace()).current_dir(folder);
        command
    }

    /// Starts the program, whose outputs are kept.
    ///
    /// # Panics
    ///
    /// Where it does not start.
    #[must_use]
    pub fn spawn(self, folder: &Path, line: &str) -> Child {
        let mut command = self.command(folder, line);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts")
    }

    /// Runs the program to its end.
    ///
    /// # Panics
    ///
    /// Where it does not start.
    #[must_use]
    pub fn run(self, folder: &Path, line: &str) -> Output {
        self.command(folder, line).output().expect("the program starts")
    }

    /// Output of a line that succeeds.
    ///
    /// # Panics
    ///
    /// Where it fails.
    #[track_caller]
    pub fn said(self, folder: &Path, line: &str) -> String {
        let output = self.run(folder, line);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{line}: {stderr}");
        String::from_utf8(output.stdout).expect("text")
    }

    /// Output of a line that succeeds without a complaint.
    ///
    /// # Panics
    ///
    /// Where it fails, or says something on standard error.
    #[track_caller]
    pub fn done(self, folder: &Path, line: &str) -> String {
        let output = self.run(folder, line);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && stderr.is_empty(), "{line}: {stderr}");
        String::from_utf8(output.stdout).expect("text")
    }

    /// The one JSON object that a line with `--json` prints.
    ///
    /// # Panics
    ///
    /// Where it fails, complains, or prints something else.
    #[track_caller]
    pub fn json(self, folder: &Path, line: &str) -> Value {
        let text = self.done(folder, &format!("{line} --json"));
        serde_json::from_str(&text).expect("one JSON object")
    }

    /// Expects that a line is mistaken: exit code 2, nothing printed but one line of this program
    /// with each of `words`, and nothing changed in the folder.
    ///
    /// # Panics
    ///
    /// Where it is not.
    #[track_caller]
    pub fn mistaken(self, folder: &Path, line: &str, words: &[&str]) {
        let before = listing(folder);
        let wrong = self.unlike_a_mistake(folder, line, words);
        assert!(wrong.is_none(), "{}", wrong.unwrap_or_default());
        assert_eq!(listing(folder), before, "{line}");
    }

    /// Expects that all `cases` are mistaken, each a line and words; all of those that are not are
    /// shown.
    ///
    /// # Panics
    ///
    /// Where one is not.
    #[track_caller]
    pub fn all_mistaken(self, folder: &Path, cases: &[(&str, &[&str])]) {
        let before = listing(folder);
        let wrong =
            cases.iter().filter_map(|(line, words)| self.unlike_a_mistake(folder, line, words));
        let wrong: Vec<String> = wrong.collect();
        assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
        assert_eq!(listing(folder), before);
    }

    /// Fault in the program's complaint about a line, if there is one.
    #[must_use]
    pub fn unlike_a_mistake(self, folder: &Path, line: &str, words: &[&str]) -> Option<String> {
        let output = self.run(folder, line);
        let stderr = String::from_utf8_lossy(&output.stderr);
        let name = Path::new(self.0).file_stem().unwrap_or_default().to_string_lossy();
        let is_one_line = stderr.trim_end().lines().count() == 1
            && stderr.starts_with(&format!("{name}: "))
            && !stderr.contains("panicked");
        let code = output.status.code();
        let missing: Vec<_> = words.iter().filter(|word| !stderr.contains(**word)).collect();
        let is_told =
            code == Some(2) && output.stdout.is_empty() && is_one_line && missing.is_empty();
        (!is_told).then(|| format!("{line}\n  {code:?}, lacks {missing:?}: {stderr}"))
    }
}
