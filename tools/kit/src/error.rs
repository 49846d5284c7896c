//! Errors that refuse a run: one line with the mistake, its place, and the way to mend it.

use std::fmt;
use std::io::ErrorKind;

use rasters::RasterError;
use thalweg::units::plain::plain;

/// Error in words for the user, printed in place of a result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserError {
    sentence: String,
    is_stop: bool,
}

impl UserError {
    /// Makes an error: `what` names the mistake and its place; `mend` is the way to put it right.
    pub fn new(what: impl fmt::Display, mend: impl fmt::Display) -> Self {
        Self::from_sentence(format!("{what}: {mend}"))
    }

    /// Makes an error from a complete sentence.
    pub fn from_sentence(sentence: impl Into<String>) -> Self {
        Self { sentence: sentence.into(), is_stop: false }
    }

    /// Makes the error of a program that the user stopped before anything was written.
    #[must_use]
    pub fn stopped() -> Self {
        Self { sentence: "stopped; nothing was written".to_owned(), is_stop: true }
    }

    /// Adds the part of the work that the error belongs to, and its effect.
    #[must_use]
    pub fn of(self, part: impl fmt::Display, effect: impl fmt::Display) -> Self {
        Self { sentence: format!("{part}: {}{effect}", self.sentence), ..self }
    }

    /// Returns true if the user stopped the program.
    #[must_use]
    pub fn is_stop(&self) -> bool {
        self.is_stop
    }
}

impl fmt::Display for UserError {
    /// Writes one line without characters that a terminal obeys, even if a library or a file put
    /// some into the message.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words: Vec<&str> = self.sentence.split_whitespace().collect();
        plain(&words.join(" ")).fmt(f)
    }
}

impl std::error::Error for UserError {}

impl From<RasterError> for UserError {
    fn from(error: RasterError) -> Self {
        match &error {
            RasterError::Io { source, .. } if source.kind() == ErrorKind::NotFound => {
                Self::new(&error, "check the name and the folder")
            }
            _ => Self::from_sentence(error.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_one_line() {
        let error = UserError::new("line 1:\n  bad", "write\r\n\tgood");
        assert_eq!(error.to_string(), "line 1: bad: write good");
        let part = UserError::stopped().of("a.toml", "; b.toml was not run");
        assert_eq!(part.to_string(), "a.toml: stopped; nothing was written; b.toml was not run");
        assert!(part.is_stop());
    }
}
