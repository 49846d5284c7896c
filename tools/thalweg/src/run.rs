//! A whole command: from the words of the command line to the printed text.

use std::ffi::OsString;
use std::fmt::Display;

use kit::command::{Ending, parse};
use kit::error::UserError;
use kit::progress::CommandProgress;
use kit::terminal;
use serde::Serialize;

use crate::args::{Args, ToolCommand};
use crate::{advance, bench, compact, diff, export, import, info, schema, verify};

/// Runs the command `words`, the first of which is the program's name.
///
/// # Errors
///
/// If the input is wrong or the result cannot be written; no file is then left.
pub fn run(words: Vec<OsString>) -> Result<Ending, UserError> {
    let Some(args) = parse::<Args>(words)? else { return Ok(Ending::Done) };
    let progress = CommandProgress::new(args.quiet);
    let (is_json, mut ending) = (args.json, Ending::Done);
    match &args.command {
        ToolCommand::Import(args) => tell(is_json, &import::import(args, &progress)?)?,
        ToolCommand::Info(args) => {
            let info = info::info(args, is_json)?;
            if let Some(picture) = &info.picture {
                terminal::draw(&format!("{picture}\n"));
            }
            tell(is_json, &info)?;
        }
        ToolCommand::Export(args) => tell(is_json, &export::export(args, &progress)?)?,
        ToolCommand::Bench(args) => tell(is_json, &bench::bench(args, &progress)?)?,
        ToolCommand::Run(args) => {
            let report = advance::advance(args, &progress)?;
            if report.interrupted {
                ending = Ending::Interrupted;
            }
            tell(is_json, &report)?;
        }
        ToolCommand::Compact(args) => tell(is_json, &compact::compact(args, &progress)?)?,
        ToolCommand::Diff(args) => {
            let report = diff::diff(args, &progress)?;
            if !report.equal {
                ending = Ending::Otherwise;
            }
            tell(is_json, &report)?;
        }
        ToolCommand::Schema(args) => terminal::draw(&format!("{}\n", schema::schema(args.text)?)),
        ToolCommand::Verify(args) => {
            let report = verify::verify(args, &progress)?;
            if !report.clean {
                ending = Ending::Otherwise;
            }
            tell(is_json, &report)?;
        }
    }
    Ok(ending)
}

/// Prints a report, as text or as JSON.
fn tell(is_json: bool, report: &(impl Display + Serialize)) -> Result<(), UserError> {
    if !is_json {
        terminal::say(&report.to_string());
        return Ok(());
    }
    let text = serde_json::to_string(report)
        .map_err(|error| UserError::from_sentence(format!("cannot print the report: {error}")))?;
    terminal::say_json(&text);
    Ok(())
}
