//! Output of the tools: one way to standard output and one to standard error.
//!
//! Names and texts are read from files, and a terminal obeys control characters. So every text is
//! printed here, through [`thalweg::units::plain`]; only the output that a tool has made itself, a
//! picture or the help in colours, is printed unchanged.
//!
//! Guarantees: no control character but the end of a line, and no mark that turns the direction of
//!             writing, is printed by [`say`], [`say_json`], [`complain`] and [`Log`]; colours are
//!             drawn on a terminal alone, and not if `NO_COLOR` is set
//!             (`tools/thalweg/tests/all/terminal.rs`).

use std::env;
use std::fmt::{Display, Write as _};
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::sync::OnceLock;

use thalweg::units::{plain::is_obeyed, plain::plain, plain::plain_lines};

/// Name of the program at the beginning of its messages.
static PROGRAM: OnceLock<&str> = OnceLock::new();

/// Sets the name of the program that begins lines on standard error; the first name stays.
pub(crate) fn set_program(program: &'static str) {
    let _ = PROGRAM.set(program);
}

/// Prints lines to standard output. Errors are ignored: a reader that closed it needs no more.
pub fn say(text: &str) {
    let _ = writeln!(io::stdout(), "{}", plain_lines(text));
}

/// Prints JSON to standard output, with the numbers of the characters that a terminal obeys.
pub fn say_json(text: &str) {
    let _ = writeln!(io::stdout(), "{}", plain_json(text));
}

/// Prints a text that the program has made to standard output, unchanged.
pub fn draw(text: &str) {
    let _ = write!(io::stdout(), "{text}");
}

/// Prints the help, or another text of clap that the user requested.
pub fn say_help(error: &clap::Error) {
    let text = error.render();
    if has_colours() {
        draw(&format!("{}\n", text.ansi().to_string().trim_end()));
    } else {
        say(text.to_string().trim_end());
    }
}

/// Prints one line of the program to standard error.
pub fn complain(what: impl Display) {
    let program = PROGRAM.get().unwrap_or(&"thalweg");
    let _ = writeln!(io::stderr(), "{program}: {}", plain(&what.to_string()));
}

/// Returns the name of a file for display in one line.
#[must_use]
pub fn shown(path: &Path) -> String {
    plain(&path.to_string_lossy()).to_string()
}

/// Returns true if standard output shows colours: on a terminal, unless the environment forbids it.
#[must_use]
pub fn has_colours() -> bool {
    let variable = |name| env::var_os(name).unwrap_or_default();
    let is_plain = !variable("NO_COLOR").is_empty() || variable("TERM") == "dumb";
    io::stdout().is_terminal() && !is_plain
}

/// Standard error, for traces.
#[derive(Debug, Clone, Copy, Default)]
pub struct Log;

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = plain_lines(&String::from_utf8_lossy(bytes));
        io::stderr().write_all(text.as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}

/// Returns JSON without characters that a terminal obeys: they occur in its strings only, which may
/// contain their numbers instead.
fn plain_json(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if is_obeyed(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                let _ = write!(shown, "\\u{unit:04x}");
            }
        } else {
            shown.push(c);
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_says_the_same() {
        let name = "a\u{1b}[2J\u{9b}\u{202e}\u{e0041}\u{7f}\nö";
        let text = serde_json::to_string(name).expect("a string");
        let shown = plain_json(&text);
        assert!(!shown.chars().any(is_obeyed), "{shown}");
        assert_eq!(serde_json::from_str::<String>(&shown).expect("JSON"), name);
    }
}
