//! `report.html`: one file that shows the run in a browser, without network or server.
//!
//! The first screen has the answer in three sentences (see `answer`) and the map; figures, limits,
//! tables and charts follow. The page is a template and a style sheet from `page/`. All figures,
//! tables and pictures are written into it here, so they are there without scripts and on paper; a
//! script from `page/` adds the map that moves, and the charts, from the run's record (see
//! `record`), which is JSON inside the page.
//!
//! Guarantees: nothing the user typed can become markup or script
//!             (`text_cannot_break_out_of_the_report`); the page may not load anything from
//!             elsewhere (its content security policy).

mod answer;
mod facts;
mod faults;
pub(crate) mod markup;
mod observed;
mod place;
mod stills;
mod tables;

use std::io::{self, Write};

use kit::picture::png::Effort;

use crate::outcome::FloodOutcome;

use super::record::record;
use super::stand::RunProgress;
use markup::escaped;
use stills::StillPicture;

const TEMPLATE: &str = include_str!("page/page.html");
/// Style sheet of every page.
pub(crate) const STYLE: &str = include_str!("page/page.css");
const SCRIPT: [&str; 8] = [
    include_str!("page/wording.js"),
    include_str!("page/record.js"),
    include_str!("page/chart.js"),
    include_str!("page/names.js"),
    include_str!("page/graticule.js"),
    include_str!("page/map.js"),
    include_str!("page/panel.js"),
    include_str!("page/page.js"),
];

/// Parts of a page that take long, and are the same whether finer levels follow or not.
#[derive(Debug)]
pub struct PageContent {
    /// The maps as pictures.
    pub pictures: Vec<StillPicture>,
    /// The run's record: JSON in which no `<` is left, so that nothing in it can end the script
    /// element.
    record: String,
}

impl PageContent {
    /// Draws the maps of `outcome`, as quickly as can be if drafts or levels follow.
    ///
    /// # Errors
    ///
    /// If one is too large for a PNG.
    pub fn of(outcome: &FloodOutcome, stand: RunProgress) -> io::Result<Self> {
        let effort = if stand.is_on_the_way() { Effort::Quick } else { Effort::Usual };
        let (pictures, record) = rayon::join(
            || stills::pictures(outcome, effort),
            || serde_json::to_string(&record(outcome)).map(|text| text.replace('<', "\\u003c")),
        );
        Ok(Self { pictures: pictures?, record: record? })
    }
}

/// Writes the page with its content.
///
/// # Errors
///
/// Errors of writing to `target`.
pub fn write(
    outcome: &FloodOutcome,
    content: &PageContent,
    stand: RunProgress,
    target: &mut dyn Write,
) -> io::Result<()> {
    let mut rest = TEMPLATE;
    while let Some((before, after)) = rest.split_once("{{") {
        target.write_all(before.as_bytes())?;
        let (name, after) = after.split_once("}}").unwrap_or((after, ""));
        match name {
            "record" => target.write_all(content.record.as_bytes())?,
            "pictures" => stills::write(&content.pictures, target)?,
            "script" => {
                for part in SCRIPT {
                    target.write_all(part.as_bytes())?;
                }
            }
            name => target.write_all(part(name, outcome, stand)?.as_bytes())?,
        }
        rest = after;
    }
    target.write_all(rest.as_bytes())
}

/// Returns the text for a name in the template.
fn part(name: &str, outcome: &FloodOutcome, stand: RunProgress) -> io::Result<String> {
    let hidden = |is_empty: bool| if is_empty { "hidden" } else { "" }.to_owned();
    Ok(match name {
        "title" => escaped(&outcome.title),
        "style" => STYLE.to_owned(),
        "lead" => facts::lead(outcome),
        "level" if stand.is_on_the_way() => facts::level(outcome, stand),
        "renewal" if stand.is_on_the_way() => facts::renewal(),
        "level" | "renewal" => String::new(),
        "answer" => {
            let limits = facts::limits(outcome, stand).len();
            answer::answer(outcome, stand, limits)
        }
        "facts" => facts::facts(outcome),
        "limits" => facts::limits(outcome, stand).concat(),
        "no-faults" => hidden(outcome.faults.is_empty()),
        "faults" => faults::faults(outcome),
        "no-gauges" => hidden(outcome.gauges.is_empty()),
        "gauges" => tables::gauges(outcome),
        "no-sections" => hidden(outcome.sections.is_empty()),
        "sections" => tables::sections(&outcome.sections),
        "no-edges" => hidden(outcome.edges.is_empty()),
        "edges" => tables::edges(&outcome.edges),
        "outlets" => tables::outlets(&outcome.outlets),
        "no-barriers" => hidden(outcome.barriers.is_empty()),
        "barriers" => tables::barriers(&outcome.barriers),
        "no-links" => hidden(outcome.links.is_empty()),
        "links" => tables::links(&outcome.links),
        "balances" => outcome.ledger.balance().to_string(),
        "balance" => tables::balance(&outcome.ledger),
        "ledger" => tables::ledger(&outcome.ledger),
        "unit" => tables::unit(&outcome.ledger),
        "settings" => tables::settings(outcome),
        "below" => below(outcome).to_owned(),
        "command" => escaped(&outcome.command),
        "version" => env!("CARGO_PKG_VERSION").to_owned(),
        "wall" => super::wording::clock(outcome.wall_s),
        other => return Err(io::Error::other(format!("page.html asks for {other}"))),
    })
}

/// Returns the names of the maps below the ground, if the run has any.
fn below(outcome: &FloodOutcome) -> &'static str {
    let names = ",\n    <code>max_depth_below.tif</code>, <code>max_stage_below.tif</code>";
    if outcome.below.is_some() { names } else { "" }
}
