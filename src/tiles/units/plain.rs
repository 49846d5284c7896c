//! Text for people, without any character that a terminal obeys.
//!
//! Names of structures, tracers, files and reference systems are read from files, and files may be
//! from anybody. A terminal that gets such a name unchanged may clear its screen, set its title or
//! write from right to left. All printed text passes through here, which shows such characters as
//! their numbers:
//!
//! ```
//! use thalweg_tiles::units::plain::plain;
//! assert_eq!(plain("dam\u{1b}[2J\nall is well").to_string(), r"dam\u{1b}[2J\nall is well");
//! assert_eq!(plain("Öland, 太湖").to_string(), "Öland, 太湖");
//! ```
//!
//! Guarantees: no control character (C0, DEL, C1), no mark that turns the direction of writing, no
//!             separator of lines and no character without width but the joiners of scripts is left
//!             in the text; errors of the library that carry names are written through [`Plain`]
//!             (`tests/couple/hostile_names.rs`).
//! Limits:     letters that look alike are left unchanged.

use std::fmt;
use std::fmt::Write;

/// True if a terminal, or a reader's eye, obeys a character and does not show it.
#[must_use]
pub fn is_obeyed(c: char) -> bool {
    // The joiners of scripts, U+200C and U+200D, stand between these and are left: without them
    // words of Persian or Hindi would be spelt wrongly.
    let is_mark = matches!(
        c,
        '\u{ad}'
            | '\u{61c}'
            | '\u{180e}'
            | '\u{200b}'
            | '\u{200e}'
            | '\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e007f}'
    );
    c.is_control() || is_mark
}

/// Returns a text that is shown in one line.
#[must_use]
pub fn plain(text: &str) -> Shown<'_> {
    Shown(text)
}

/// Returns texts in one line, with commas between them.
#[must_use]
pub fn plain_list<T: AsRef<str>>(texts: &[T]) -> String {
    let shown: Vec<String> = texts.iter().map(|text| plain(text.as_ref()).to_string()).collect();
    shown.join(", ")
}

/// Returns a text of several lines, each shown as [`plain`] shows it.
#[must_use]
pub fn plain_lines(text: &str) -> String {
    let lines: Vec<String> = text.split('\n').map(|line| plain(line).to_string()).collect();
    lines.join("\n")
}

/// Returns a number with at most four decimals, without trailing zeros.
#[must_use]
pub fn short(value: f64) -> String {
    let text = format!("{value:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// A text that is shown in one line.
#[derive(Debug, Clone, Copy)]
pub struct Shown<'a>(&'a str);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Plain(f).write_str(self.0)
    }
}

/// A writer that shows in one line all characters that a terminal would obey.
#[derive(Debug)]
pub struct Plain<W>(pub W);

impl<W: Write> Write for Plain<W> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let mut rest = text;
        while let Some((at, c)) = rest.char_indices().find(|(_, c)| is_obeyed(*c)) {
            self.0.write_str(&rest[..at])?;
            match c {
                '\n' => self.0.write_str("\\n")?,
                '\r' => self.0.write_str("\\r")?,
                '\t' => self.0.write_str("\\t")?,
                _ => write!(self.0, "\\u{{{:x}}}", u32::from(c))?,
            }
            rest = &rest[at + c.len_utf8()..];
        }
        self.0.write_str(rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Goal: of all characters, no obeyed one passes, and every one that is not obeyed does.
    #[test]
    fn what_is_obeyed_is_shown() {
        for c in '\0'..=char::MAX {
            let shown = plain(&String::from(c)).to_string();
            assert!(!shown.chars().any(is_obeyed), "{:x}", u32::from(c));
            assert_eq!(shown.chars().eq([c]), !is_obeyed(c), "{:x}", u32::from(c));
        }
        let obeyed = "\u{1b}\u{7f}\u{9b}\u{85}\u{202e}\u{2066}\u{2028}\u{feff}\u{e0041}";
        assert!(obeyed.chars().all(is_obeyed));
        assert!(!"aÖ太\u{300}\u{200d}\u{a0} ≈".chars().any(is_obeyed));
    }

    #[test]
    fn lines_stay_lines() {
        assert_eq!(plain_lines("a\tb\n\u{1b}[0mc\n"), "a\\tb\n\\u{1b}[0mc\n");
        assert_eq!(plain_list(&["a\n", "b"]), "a\\n, b");
    }
}
