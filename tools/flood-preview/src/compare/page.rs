//! `comparison.html`: a comparison in a browser, without network, server or scripts.
//!
//! Guarantees: nothing the user typed can become markup (`names_cannot_break_out_of_the_page`);
//!             the page may neither run a script nor load anything (its content security policy).

use std::fmt::Write as _;
use std::io::{self, Write};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::chart::{Chart, LINES};
use super::compared::Compared;
use super::difference::RunComparison;
use super::figures::{FigureKind, names};
use super::picture::{self, LegendKey};
use super::reading::{ResultState, RunResults};
use super::series::RunSeries;
use super::settings::DifferingSetting;
use super::{table, words};
use crate::output::page::STYLE;
use crate::output::page::markup::{contents, escaped};
use crate::output::wording;

const TEMPLATE: &str = include_str!("page.html");
const OWN_STYLE: &str = include_str!("page.css");

/// Writes the page, with the pictures of the differences as PNG.
///
/// # Errors
///
/// Errors of writing to `target`.
pub fn write(compared: &Compared, pictures: &[Vec<u8>], target: &mut dyn Write) -> io::Result<()> {
    let mut rest = TEMPLATE;
    while let Some((before, after)) = rest.split_once("{{") {
        target.write_all(before.as_bytes())?;
        let (name, after) = after.split_once("}}").unwrap_or((after, ""));
        let part = match name {
            "title" => escaped(&title(compared)),
            "style" => format!("{STYLE}{OWN_STYLE}"),
            "lead" => escaped(&lead(compared)),
            "limits" => limits(compared),
            "comparisons" => comparisons(compared, pictures),
            "figures" => figures(compared),
            "charts" => charts(compared),
            "settings" => settings(compared),
            "runs" => runs(compared),
            "files" => files(compared),
            "version" => env!("CARGO_PKG_VERSION").to_owned(),
            other => return Err(io::Error::other(format!("page.html asks for {other}"))),
        };
        target.write_all(part.as_bytes())?;
        rest = after;
    }
    target.write_all(rest.as_bytes())
}

fn title(compared: &Compared) -> String {
    let names: Vec<&str> = compared.others().iter().map(|run| &*run.name).collect();
    format!("{} compared with {}", names.join(", "), compared.reference().name)
}

fn lead(compared: &Compared) -> String {
    let reference = compared.reference();
    let mut text = format!("The reference is “{}”", reference.name);
    if let Some((cell, _)) = reference.grid.cell_m {
        let _ = write!(text, "; maps in cells of {}", wording::length(cell));
    }
    if let Some(crs) = &reference.grid.crs {
        let _ = write!(text, ", {crs}");
    }
    text + ". A difference is that of the run less that of the reference."
}

fn limits(compared: &Compared) -> String {
    let is_grave = compared.runs.iter().filter(|run| run.state() != ResultState::Whole).count();
    let mut items = String::new();
    for (index, note) in compared.notes.iter().enumerate() {
        let class = if index < is_grave { " class=\"grave\"" } else { "" };
        let _ = write!(items, "<li{class}>{}</li>", escaped(note));
    }
    items
        + "<li>Each run has the limits that its own report names: a difference smaller than these \
           says little.</li>"
}

/// Returns the figures and picture of each run but the reference.
fn comparisons(compared: &Compared, pictures: &[Vec<u8>]) -> String {
    let mut html = String::new();
    let runs = compared.others().iter().zip(&compared.comparisons).zip(pictures);
    for (number, ((run, comparison), png)) in (1..).zip(runs) {
        let name = escaped(&run.name);
        let reference = escaped(&compared.reference().name);
        let _ = write!(
            html,
            "<section aria-labelledby=\"run-{number}\"><h2 id=\"run-{number}\">{name} against \
             {reference}</h2>{}<div class=\"card pictures\"><figure><img decoding=\"async\" \
             alt=\"Map: {}. {}\" src=\"data:image/png;base64,{}\"></figure>{}</div></section>",
            facts(compared, number, comparison),
            picture::TITLE,
            escaped(&described(compared, comparison)),
            STANDARD.encode(png),
            keys(compared.reference())
        );
    }
    html
}

/// Returns the legend of a picture, for windows in which the picture's own is too small to read.
fn keys(reference: &RunResults) -> String {
    let mut html = "<ul class=\"legend keys\">".to_owned();
    for LegendKey { colour: [red, green, blue], is_striped, label } in picture::legend(reference) {
        let class = if is_striped { " class=\"striped\"" } else { "" };
        let _ = write!(
            html,
            "<li><i{class} style=\"color:rgb({red} {green} {blue})\"></i>{}</li>",
            escaped(&label)
        );
    }
    html + "</ul>"
}

/// Returns a description of the picture in words.
fn described(compared: &Compared, comparison: &RunComparison) -> String {
    let area = |cells| words::value(FigureKind::Area, compared.reference().area_m2(cells));
    let [rise, fall] = comparison.extremes_m;
    format!(
        "Newly flooded: {}. No longer flooded: {}. The largest depth rises by up to {} and falls \
         by up to {}",
        area(comparison.extent.new),
        area(comparison.extent.gone),
        words::value(FigureKind::Length, Some(rise)),
        words::value(FigureKind::Length, Some(fall.abs())),
    )
}

/// Returns the figures at the head of a comparison.
fn facts(compared: &Compared, run: usize, comparison: &RunComparison) -> String {
    let reference = &compared.reference().name;
    let named = |name: &str| {
        let found = compared.figures.iter().find(|figure| figure.name == name);
        found
            .map_or((None, None, None), |own| (own.values[run], own.values[0], own.difference(run)))
    };
    let mut html = "<dl class=\"facts\">".to_owned();
    let mut fact = |name: &str, value: &str, remark: &str| {
        let [name, value, remark] = [name, value, remark].map(escaped);
        let _ = write!(html, "<div><dt>{name}</dt><dd><b>{value}</b> {remark}</dd></div>");
    };
    for (title, name, kind) in [
        ("Flooded area", "flooded area", FigureKind::Area),
        ("Danger for most or all", "danger for most or all", FigureKind::Area),
        ("Deepest on dry ground", "deepest on dry ground", FigureKind::Length),
    ] {
        let (own, wanted, difference) = named(name);
        let was = words::value(kind, wanted);
        let remark = format!("{reference}: {was}; {}", words::difference(kind, difference));
        fact(title, &words::value(kind, own), &remark);
    }
    let area = |cells| words::value(FigureKind::Area, compared.reference().area_m2(cells));
    let extent = comparison.extent;
    fact("Newly flooded", &area(extent.new), "flooded by this run alone");
    fact("No longer flooded", &area(extent.gone), &format!("flooded by {reference} alone"));
    let agreement = words::value(FigureKind::Part, extent.agreement());
    fact("Index of agreement", &agreement, "of the ground flooded by either, flooded by both");
    html + "</dl>"
}

/// Returns a table with a caption, in a box that scrolls sideways, by keyboard too.
fn captioned(caption: &str, class: &str, headings: &[String], rows: &[Vec<String>]) -> String {
    let (caption, contents) = (escaped(caption), contents(headings, rows));
    format!(
        "<div class=\"scroll\" role=\"region\" aria-label=\"Table: {caption}\" tabindex=\"0\">\
         <table class=\"ledger{class}\"><caption>{caption}</caption>{contents}</table></div>"
    )
}

fn figures(compared: &Compared) -> String {
    let (headings, rows) = table::rows(compared);
    captioned("Figures of the runs", "", &headings, &rows)
}

fn settings(compared: &Compared) -> String {
    if compared.settings.is_empty() {
        return "<p>All settings of the runs are the same.</p>".to_owned();
    }
    let headings: Vec<String> = std::iter::once("Setting".to_owned())
        .chain(compared.runs.iter().map(|run| run.name.clone()))
        .collect();
    let row = |DifferingSetting { name, values }: &DifferingSetting| {
        [std::slice::from_ref(name), &**values].concat()
    };
    let rows: Vec<Vec<String>> = compared.settings.iter().map(row).collect();
    captioned("Settings that differ, the reference first", " texts", &headings, &rows)
}

fn runs(compared: &Compared) -> String {
    let headings = ["Run", "Title", "Folder", "Simulated", "Cells", "State"].map(str::to_owned);
    let row = |run: &RunResults| {
        let state = match run.state() {
            ResultState::Whole => "whole",
            ResultState::GoingOn => "still going on, or killed",
            ResultState::CutShort => "ended before its last level",
            ResultState::Stopped => "stopped early",
        };
        vec![
            run.name.clone(),
            run.text("/title").to_owned(),
            run.folder.display().to_string(),
            words::value(FigureKind::Time, run.number("/simulated_s")),
            run.simulated_cell_m().map_or_else(|| "–".into(), wording::length),
            state.to_owned(),
        ]
    };
    let rows: Vec<Vec<String>> = compared.runs.iter().map(row).collect();
    captioned("Runs compared, the reference first", " texts", &headings, &rows)
}

/// Charts of all gauges and sections, each with the lines of all runs.
fn charts(compared: &Compared) -> String {
    let gauges = charts_of(compared, |run| &run.gauges, ["Depth at gauge", "m"]);
    let sections = charts_of(compared, |run| &run.sections, ["Discharge through section", "m³/s"]);
    let mut html = String::new();
    for (id, title, charts) in [
        ("gauges", "Gauges: depth over time", gauges),
        ("sections", "Sections: discharge over time", sections),
    ] {
        if !charts.is_empty() {
            let _ = writeln!(
                html,
                "<section class=\"card\" aria-labelledby=\"{id}-name\"><h2 id=\"{id}-name\">{title}\
                 </h2>{}<div class=\"gauges\">{charts}</div></section>",
                legend(compared)
            );
        }
    }
    html
}

fn charts_of(
    compared: &Compared,
    series: impl Fn(&RunResults) -> &Vec<RunSeries>,
    [what, unit]: [&'static str; 2],
) -> String {
    let mut html = String::new();
    for name in names(compared.runs.iter().map(|run| series(run).as_slice())) {
        let of = |run| series(run).iter().find(|own: &&RunSeries| own.name == name);
        let lines: Vec<Option<&RunSeries>> = compared.runs.iter().map(of).collect();
        let missing: Vec<&str> = compared
            .runs
            .iter()
            .zip(&lines)
            .filter(|(_, line)| line.is_none())
            .map(|(run, _)| &*run.name)
            .collect();
        let label =
            format!("{what} {name} over time, {unit}, in all runs; the table has the largest");
        let chart = Chart { label, lines, column: 0 }.html();
        let remark = match &*missing {
            [] if chart.is_empty() => "no readings".to_owned(),
            [] => unit.to_owned(),
            missing => format!("{unit}; not in {}", missing.join(", ")),
        };
        let _ = write!(
            html,
            "<figure><figcaption>{} <span class=\"faint\">{}</span></figcaption>{chart}</figure>",
            escaped(&name),
            escaped(&remark)
        );
    }
    html
}

/// Returns the legend that names the run of each line.
fn legend(compared: &Compared) -> String {
    let mut html = "<ul class=\"lines\">".to_owned();
    for (index, run) in compared.runs.iter().enumerate() {
        let _ = write!(
            html,
            "<li><svg width=\"44\" height=\"10\" aria-hidden=\"true\"><path class=\"run run-{}\" \
             d=\"M0 5H44\"/></svg>{}</li>",
            index % LINES,
            escaped(&run.name)
        );
    }
    html + "</ul>"
}

fn files(compared: &Compared) -> String {
    let mut html = "<ul>".to_owned();
    for (run, names) in compared.others().iter().zip(compared.files()) {
        let names: Vec<String> =
            names.iter().map(|name| format!("<code>{}</code>", escaped(name))).collect();
        let _ = write!(html, "<li>{}: {}</li>", escaped(&run.name), names.join(", "));
    }
    html + "</ul>"
}
