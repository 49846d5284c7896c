//! What was typed, in one line.

use std::ffi::OsString;

/// Clap's message without its prefix and its paragraphs on usage, for `program`.
#[must_use]
pub fn one_line(message: &str, program: &str) -> String {
    let lines = message.lines().map(str::trim);
    let wanted = lines
        .filter(|line| !line.is_empty())
        .take_while(|line| !line.starts_with("Usage:") && !line.starts_with("For more"))
        .map(|line| line.strip_prefix("error: ").unwrap_or(line));
    let text = wanted.collect::<Vec<_>>().join("; ");
    format!("{text} ({program} --help lists all options)")
}

/// The command as it can be typed again, quoted where a shell needs it.
pub fn quoted(words: impl IntoIterator<Item = OsString>) -> String {
    let quoted = words.into_iter().map(|word| rasters::quoted(&word));
    quoted.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_can_be_typed_again() {
        let words = ["flood-preview", "my map.tif", "--inflow", "1,2=q.csv", "it's"];
        let expected = r"flood-preview 'my map.tif' --inflow 1,2=q.csv 'it'\''s'";
        assert_eq!(quoted(words.map(Into::into)), expected);
    }
}
