//! A command from its words to its exit code.

use std::env;
use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Command, Parser};

use crate::error::UserError;
use crate::spelling::nearest;
use crate::terminal::{complain, say_help, set_program};

/// Exit code of a command that completed and found damage, or a difference.
const EXIT_OTHERWISE: u8 = 1;
/// Exit code for anything the user has to mend.
const EXIT_MISTAKEN: u8 = 2;
/// Exit code of a command that was stopped from outside: 128 + SIGINT.
pub const EXIT_INTERRUPTED: u8 = 130;

/// End of a command without an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// The command completed.
    Done,
    /// The command completed: a world is damaged, or two differ.
    Otherwise,
    /// The command was stopped; the results so far are written.
    Interrupted,
}

/// Runs the command that was typed for `program`, prints its error, and returns the exit code.
pub fn main(
    program: &'static str,
    run: impl FnOnce(Vec<OsString>) -> Result<Ending, UserError>,
) -> ExitCode {
    set_program(program);
    hush_drivers();
    let code = match run(env::args_os().collect()) {
        Ok(Ending::Done) => return ExitCode::SUCCESS,
        Ok(Ending::Otherwise) => EXIT_OTHERWISE,
        Ok(Ending::Interrupted) => EXIT_INTERRUPTED,
        Err(error) => {
            complain(&error);
            if error.is_stop() { EXIT_INTERRUPTED } else { EXIT_MISTAKEN }
        }
    };
    ExitCode::from(code)
}

/// Silences a layer of Mesa's drivers, which looks for the card of the desktop and complains on
/// standard error without a desktop.
fn hush_drivers() {
    let has_folder = |folder: OsString| Path::new(&folder).is_absolute();
    // The layer also serves users that choose a card by these variables.
    let is_chosen = ["MESA_VK_DEVICE_SELECT", "DRI_PRIME"].map(env::var_os) != [None, None];
    if !is_chosen && !env::var_os("XDG_RUNTIME_DIR").is_some_and(has_folder) {
        // SAFETY: the program begins, and no other thread of it runs yet.
        unsafe { env::set_var("NODEVICE_SELECT", "1") };
    }
}

/// Parses a command line that begins with the program's name. Prints help or version if the line
/// requests one of them, and returns `None`.
///
/// # Errors
///
/// If the words do not parse: in one line, without the usage that clap adds.
pub fn parse<A: Parser>(words: impl IntoIterator<Item = OsString>) -> Result<Option<A>, UserError> {
    let words: Vec<OsString> = words.into_iter().collect();
    let error = match A::try_parse_from(&words) {
        Ok(args) => return Ok(Some(args)),
        Err(error) => error,
    };
    match error.kind() {
        ErrorKind::DisplayHelp
        | ErrorKind::DisplayVersion
        | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            say_help(&error);
            Ok(None)
        }
        _ => {
            let mut command = A::command();
            command.build();
            let sub = words.iter().skip(1).find_map(|word| command.find_subcommand(word));
            let command = sub.unwrap_or(&command);
            let all = if command.has_subcommands() { "commands" } else { "options" };
            let text = mistake(&error, command);
            let name = command.get_bin_name().unwrap_or_else(|| command.get_name());
            Err(UserError::from_sentence(format!("{text} ({name} --help lists all {all})")))
        }
    }
}

/// Clap's message; of a mistyped option with the option that may be meant, if one is near enough.
fn mistake(error: &clap::Error, command: &Command) -> String {
    let typed = match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(typed)) if error.kind() == ErrorKind::UnknownArgument => typed,
        _ => return one_line(&error.to_string()),
    };
    let text = one_line(&error.to_string());
    let text = text.split("; tip: ").next().unwrap_or_default();
    let word = typed.trim_start_matches('-');
    let options = command.get_arguments().filter(|arg| !arg.is_hide_set());
    let near = nearest(word, options.filter_map(clap::Arg::get_long));
    let is_option = typed.starts_with("--");
    near.filter(|_| is_option)
        .map_or_else(|| text.to_owned(), |near| format!("{text}; did you mean --{near}?"))
}

/// Reasons why a word is not a number, each with advice.
const NUMBERS: [(&str, &str); 3] = [
    ("invalid float literal", "write a number, like 12.5"),
    ("invalid digit found in string", "write a whole number, like 4"),
    ("cannot parse integer from empty string", "write a whole number, like 4"),
];

/// Clap's message without its prefix and its paragraphs on usage.
fn one_line(message: &str) -> String {
    let lines = message.lines().map(str::trim);
    let wanted = lines
        .filter(|line| !line.is_empty())
        .take_while(|line| !line.starts_with("Usage:") && !line.starts_with("For more"))
        .map(|line| line.strip_prefix("error: ").unwrap_or(line));
    let line = wanted.collect::<Vec<_>>().join("; ").replace(":; ", ": ");
    NUMBERS.iter().fold(line, |line, (reason, advice)| line.replace(reason, advice))
}

/// Returns the command as it can be typed again, quoted if a shell needs it.
pub fn quoted(words: impl IntoIterator<Item = OsString>) -> String {
    let quoted = words.into_iter().map(|word| rasters::quoted(&word));
    quoted.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A command line.
    #[derive(Debug, Parser)]
    #[command(name = "flood")]
    struct Args {
        #[arg(long)]
        edge: Option<f64>,
        #[arg(long)]
        rain_for: Option<u8>,
        map: String,
    }

    /// Goal: an option is proposed only if it is near; before, `--damage` got `--edge`.
    #[test]
    fn mistakes_say_what_may_be_meant() {
        for (line, expected) in [
            ("flood a --damage", "unexpected argument '--damage' found (flood --help"),
            ("flood a --edgs 1", "'--edgs' found; did you mean --edge? (flood --help"),
            ("flood a --rainfor 1", "did you mean --rain-for?"),
            ("flood a -x", "unexpected argument '-x' found (flood --help"),
            ("flood a --edge x", "'--edge <EDGE>': write a number, like 12.5 (flood --help"),
            ("flood a --rain-for x", "write a whole number, like 4"),
            ("flood", "were not provided: <MAP> (flood --help"),
        ] {
            let said = parse::<Args>(line.split(' ').map(Into::into)).expect_err(line).to_string();
            assert!(said.contains(expected), "{line}: {said}");
        }
    }

    #[test]
    fn the_command_can_be_typed_again() {
        let words = ["flood-preview", "my map.tif", "--inflow", "1,2=q.csv", "it's"];
        let expected = r"flood-preview 'my map.tif' --inflow 1,2=q.csv 'it'\''s'";
        assert_eq!(quoted(words.map(Into::into)), expected);
    }
}
