//! Programs under test.

use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use serde_json::Value;
use thalweg_engine::units::plain::is_obeyed;

use crate::listing;

/// A name that clears the screen, sets the title, forges a line and turns the direction of writing.
pub const HOSTILE: &str = "a\u{1b}[2J\u{1b}]0;b\u{7}\n\u{9b}1m\u{202e}\u{2066}\u{7f}\r\u{85}c";

/// Returns a text as TOML writes it in a string, with numbers for all but plain letters.
#[must_use]
pub fn toml_escaped(text: &str) -> String {
    let shown = |c: char| match c.is_ascii_graphic() && c != '"' && c != '\\' {
        true => c.to_string(),
        false => format!("\\U{:08x}", u32::from(c)),
    };
    text.chars().map(shown).collect()
}

/// Sends Ctrl-C to a program.
///
/// # Panics
///
/// If `kill` is missing.
pub fn interrupt(child: &Child) {
    let asked = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(asked.expect("kill starts").success());
}

/// A program that is tested: `Program(env!("CARGO_BIN_EXE_…"))`.
#[derive(Debug, Clone, Copy)]
pub struct Program(pub &'static str);

impl Program {
    /// Returns the program with the words of a line, in a folder.
    #[must_use]
    pub fn command(self, folder: &Path, line: &str) -> Command {
        let mut command = Command::new(self.0);
        command.args(line.split_whitespace()).current_dir(folder);
        command
    }

    /// Starts the program and captures its outputs.
    ///
    /// # Panics
    ///
    /// If it does not start.
    #[must_use]
    pub fn spawn(self, folder: &Path, line: &str) -> Child {
        let mut command = self.command(folder, line);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts")
    }

    /// Runs the program to its end.
    ///
    /// # Panics
    ///
    /// If it does not start.
    #[must_use]
    pub fn run(self, folder: &Path, line: &str) -> Output {
        self.command(folder, line).output().expect("the program starts")
    }

    /// Returns the output of a line that succeeds.
    ///
    /// # Panics
    ///
    /// If it fails.
    #[track_caller]
    pub fn said(self, folder: &Path, line: &str) -> String {
        let output = self.run(folder, line);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{line}: {stderr}");
        String::from_utf8(output.stdout).expect("text")
    }

    /// Returns the output of a line that succeeds without a complaint.
    ///
    /// # Panics
    ///
    /// If it fails, or prints something on standard error.
    #[track_caller]
    pub fn done(self, folder: &Path, line: &str) -> String {
        let output = self.run(folder, line);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && stderr.is_empty(), "{line}: {stderr}");
        String::from_utf8(output.stdout).expect("text")
    }

    /// Returns the one JSON object that a line with `--json` prints.
    ///
    /// # Panics
    ///
    /// If it fails, complains, or prints something else.
    #[track_caller]
    pub fn json(self, folder: &Path, line: &str) -> Value {
        let text = self.done(folder, &format!("{line} --json"));
        serde_json::from_str(&text).expect("one JSON object")
    }

    /// Checks that a line is mistaken: exit code 2, nothing printed but one line of this program
    /// with each of `words`, and nothing changed in the folder.
    ///
    /// # Panics
    ///
    /// If one of these is untrue.
    #[track_caller]
    pub fn mistaken(self, folder: &Path, line: &str, words: &[&str]) {
        let before = listing(folder);
        let wrong = self.unlike_a_mistake(folder, line, words);
        assert!(wrong.is_none(), "{}", wrong.unwrap_or_default());
        assert_eq!(listing(folder), before, "{line}");
    }

    /// Checks that all `cases` are mistaken, each a line and words; the message shows every case
    /// that is not.
    ///
    /// # Panics
    ///
    /// If one is not.
    #[track_caller]
    pub fn all_mistaken(self, folder: &Path, cases: &[(&str, &[&str])]) {
        let before = listing(folder);
        let wrong =
            cases.iter().filter_map(|(line, words)| self.unlike_a_mistake(folder, line, words));
        let wrong: Vec<String> = wrong.collect();
        assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
        assert_eq!(listing(folder), before);
    }

    /// Returns the fault in the program's complaint about a line, if any.
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
        let unknown = Advice { program: self, name: &name, line }.unknown(&stderr);
        (!is_told || !unknown.is_empty()).then(|| {
            format!("{line}\n  {code:?}, lacks {missing:?}, names unknown {unknown:?}: {stderr}")
        })
    }

    /// Options and commands that the program has after a command, which may be empty.
    fn help(self, command: &str) -> String {
        let words = [command, "--help"].into_iter().filter(|word| !word.is_empty());
        let output = Command::new(self.0).args(words).output().expect("the program starts");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// Returns the text that a line prints on both outputs, after a check that it ends with `code`
    /// and that a terminal obeys nothing of it, even if names contain [`HOSTILE`].
    ///
    /// # Panics
    ///
    /// If it ends differently, or would command a terminal.
    #[track_caller]
    pub fn plain(self, folder: &Path, line: &str, code: i32) -> String {
        let output = self.run(folder, line);
        let [out, err] = [output.stdout, output.stderr]
            .map(|bytes| String::from_utf8(bytes).expect("nothing but UTF-8"));
        assert_eq!(output.status.code(), Some(code), "{line:?}: {err:?}");
        let is_bad = |c: char| c != '\n' && is_obeyed(c);
        for text in [&out, &err] {
            assert!(!text.contains(is_bad), "{line:?}: {text:?}");
            // Text after a line end in a name is no line of its own.
            assert!(!text.lines().any(|line| line.starts_with("\\u{9b}1m")), "{text:?}");
        }
        if code == 2 {
            assert_eq!(err.trim_end().lines().count(), 1, "{line:?}: {err:?}");
        }
        out + &err
    }
}

/// Advice of a program on a command line.
struct Advice<'a> {
    program: Program,
    name: &'a str,
    line: &'a str,
}

impl Advice<'_> {
    /// Returns the options and commands in a complaint that the program does not have, in its
    /// command of the line or in one that the complaint names. Options of foreign programs, which
    /// follow their names, and options that were typed are left out.
    fn unknown(&self, complaint: &str) -> Vec<String> {
        let ends = |c: char| c.is_whitespace() || "()\"'`;:,=".contains(c);
        let words: Vec<&str> =
            complaint.split(ends).map(|word| word.trim_end_matches(['.', '?'])).collect();
        let main = self.program.help("");
        let has_command = |word: &str| main.lines().any(|line| line.trim_start().starts_with(word));
        let typed = self.line.split(' ').next().unwrap_or_default();
        let is_command = |word: &&str| !word.is_empty() && word.chars().all(char::is_alphabetic);
        let has_commands = main.contains("\nCommands:");
        let named = words.windows(2).filter(|pair| pair[0] == self.name).map(|pair| pair[1]);
        let named: Vec<&str> = named.filter(|_| has_commands).filter(is_command).collect();
        let mut unknown: Vec<String> = Vec::new();
        let missing = named.iter().filter(|name| !has_command(name));
        unknown.extend(missing.map(|name| (*name).to_owned()));
        let commands = named.into_iter().chain([typed]).filter(|_| has_commands);
        let commands = commands.filter(is_command).filter(|name| has_command(name));
        let help = commands.fold(main.clone(), |help, name| help + &self.program.help(name));
        let mut other = false;
        for word in words {
            other = (other || FOREIGN.contains(&word)) && word != self.name;
            let is_option = word.starts_with("--") && word.len() > 2 && !self.line.contains(word);
            let is_known =
                || help.split(|c: char| !c.is_alphanumeric() && c != '-').any(|w| w == word);
            if is_option && !other && !is_known() {
                unknown.push(word.to_owned());
            }
        }
        unknown
    }
}

/// Programs with options of their own.
const FOREIGN: [&str; 8] = [
    "gdal_translate",
    "gdal_rasterize",
    "gdalwarp",
    "ogr2ogr",
    "pdal",
    "flood-preview",
    "thalweg",
    "viewer",
];
