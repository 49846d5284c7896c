//! `report.html`: one file that shows the run in a browser, without network or server.
//!
//! The page is a template, a style sheet and a script from `page/`, with the run's record
//! (see `record`) as JSON inside.
//!
//! Guarantees: nothing the user typed can become markup or script
//!             (`names_cannot_break_out`); the page may not load anything from elsewhere
//!             (its content security policy).

use std::io::{self, Write};

use crate::outcome::Outcome;

use super::record::record;

const TEMPLATE: &str = include_str!("page/page.html");
const STYLE: &str = include_str!("page/page.css");
const SCRIPT: [&str; 6] = [
    include_str!("page/wording.js"),
    include_str!("page/record.js"),
    include_str!("page/chart.js"),
    include_str!("page/map.js"),
    include_str!("page/tables.js"),
    include_str!("page/page.js"),
];

/// Writes the page.
///
/// # Errors
///
/// What writing to `target` reports.
pub fn write(outcome: &Outcome, target: &mut dyn Write) -> io::Result<()> {
    let mut rest = TEMPLATE;
    while let Some((before, after)) = rest.split_once("{{") {
        target.write_all(before.as_bytes())?;
        let (name, after) = after.split_once("}}").unwrap_or((after, ""));
        match name {
            "title" => target.write_all(escaped(&outcome.title).as_bytes())?,
            "style" => target.write_all(STYLE.as_bytes())?,
            "record" => write_record(outcome, target)?,
            "script" => {
                for part in SCRIPT {
                    target.write_all(part.as_bytes())?;
                }
            }
            other => return Err(io::Error::other(format!("page.html asks for {other}"))),
        }
        rest = after;
    }
    target.write_all(rest.as_bytes())
}

/// JSON in which no `<` is left, so that nothing in it can end the script element.
fn write_record(outcome: &Outcome, target: &mut dyn Write) -> io::Result<()> {
    let text = serde_json::to_string(&record(outcome))?;
    target.write_all(text.replace('<', "\\u003c").as_bytes())
}

/// Text for an HTML element.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
