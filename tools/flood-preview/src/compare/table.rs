//! `comparison.json`, `comparison.csv` and the lines on the screen: the figures of a comparison.
//!
//! ```text
//! figure,at,unit,run,value,reference,difference
//! flooded area,,m2,with levee,41200,51200,-10000
//! newly flooded,,m2,with levee,300,,
//! largest depth,bridge,m,with levee,0.52,0.31,0.21
//! ```
//!
//! ```text
//! { "version": …, "reference": { "name": "bare", "folder": …, "is_whole": true, … },
//!   "runs": [{ "name": "with levee", …, "files": ["difference_max_depth.tif", …],
//!              "figures": [{ "figure": "flooded area", "at": null, "unit": "m2",
//!                            "value": 41200.0, "reference": 51200.0, "difference": -10000.0 }] }],
//!   "settings": [{ "setting": "barrier levee", "values": ["none", "crest 12 m"] }],
//!   "notes": [] }
//! ```
//!
//! Values of a setting are those of the reference and of the runs, in their order.
//!
//! Guarantees: an unavailable figure is `null` or an empty field, never a number with a special
//!             meaning.

use std::fmt::Write as _;
use std::io::{self, Write};

use serde_json::{Value, json};
use thalweg::units::plain::plain;

use super::compared::Compared;
use super::figures::{ComparedFigure, FigureKind};
use super::reading::{ResultState, RunResults};
use super::settings::DifferingSetting;
use super::words;

/// Space between columns on the screen, letters.
const GAP: usize = 2;

/// Returns the SI unit of a kind of figure, in plain letters.
fn unit(kind: FigureKind) -> &'static str {
    match kind {
        FigureKind::Area => "m2",
        FigureKind::Length => "m",
        FigureKind::Volume => "m3",
        FigureKind::Time => "s",
        FigureKind::Discharge => "m3/s",
        FigureKind::Part => "1",
    }
}

/// Writes all figures as JSON.
///
/// # Errors
///
/// Errors of writing to `target`.
pub fn write_json(compared: &Compared, target: &mut dyn Write) -> io::Result<()> {
    let files = compared.files();
    let runs = (1..).zip(compared.others()).zip(files).map(|((index, run), files)| {
        let figure = |figure: &ComparedFigure| {
            json!({
                "figure": figure.name,
                "at": (!figure.at.is_empty()).then_some(&figure.at),
                "unit": unit(figure.kind),
                "value": figure.values[index],
                "reference": figure.values[0],
                "difference": figure.difference(index),
            })
        };
        let mut value = described(run);
        value["files"] = json!(files);
        value["figures"] = compared.figures.iter().map(figure).collect();
        value
    });
    let whole = json!({
        "version": env!("CARGO_PKG_VERSION"),
        "reference": described(compared.reference()),
        "runs": runs.collect::<Vec<Value>>(),
        "settings": compared.settings.iter().map(setting).collect::<Vec<Value>>(),
        "notes": compared.notes,
    });
    serde_json::to_writer_pretty(&mut *target, &whole)?;
    writeln!(target)
}

/// Returns a setting that is not the same in all runs.
fn setting(DifferingSetting { name, values }: &DifferingSetting) -> Value {
    json!({"setting": name, "values": values})
}

/// Returns a run by its name, folder, title and state.
fn described(run: &RunResults) -> Value {
    let state = run.state();
    json!({
        "name": run.name,
        "folder": run.folder.to_string_lossy(),
        "title": run.text("/title"),
        "version": run.text("/version"),
        "simulated_s": run.number("/simulated_s"),
        "cell_m": run.simulated_cell_m(),
        "is_whole": state == ResultState::Whole,
        "is_going_on": state == ResultState::GoingOn,
        "is_interrupted": state == ResultState::Stopped,
        "is_cut_short": state == ResultState::CutShort,
    })
}

/// Writes all figures as a table, a line for each figure of each run.
///
/// # Errors
///
/// Errors of writing to `target`.
pub fn write_csv(compared: &Compared, target: &mut dyn Write) -> io::Result<()> {
    let mut table = csv::Writer::from_writer(target);
    table.write_record(["figure", "at", "unit", "run", "value", "reference", "difference"])?;
    let number = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
    for (index, run) in (1..).zip(compared.others()) {
        for figure in &compared.figures {
            table.write_record([
                figure.name,
                &figure.at,
                unit(figure.kind),
                &run.name,
                &number(figure.values[index]),
                &number(figure.values[0]),
                &number(figure.difference(index)),
            ])?;
        }
    }
    table.flush()
}

/// Returns headings and rows of the table for readers: a figure, its value in the reference, and
/// for each further run its value and the difference.
#[must_use]
pub fn rows(compared: &Compared) -> (Vec<String>, Vec<Vec<String>>) {
    let reference = &compared.reference().name;
    let mut headings = vec!["Figure".to_owned(), reference.clone()];
    let is_one = compared.others().len() == 1;
    for run in compared.others() {
        let difference = match is_one {
            true => "difference".to_owned(),
            false => format!("{} − {reference}", run.name),
        };
        headings.extend([run.name.clone(), difference]);
    }
    let row = |figure: &ComparedFigure| {
        let kind = figure.kind;
        let name = match &*figure.at {
            "" => figure.name.to_owned(),
            at => format!("{at}: {}", figure.name),
        };
        let mut cells = vec![name, words::value(kind, figure.values[0])];
        for index in 1..figure.values.len() {
            cells.push(words::value(kind, figure.values[index]));
            cells.push(words::difference(kind, figure.difference(index)));
        }
        cells
    };
    (headings, compared.figures.iter().map(row).collect())
}

/// Returns the table, the settings that differ and the notes for the screen.
#[must_use]
pub fn shell(compared: &Compared) -> String {
    let (headings, rows) = rows(compared);
    let clean = |row: Vec<String>| -> Vec<String> {
        row.iter().map(|cell| plain(cell).to_string()).collect()
    };
    let lines: Vec<Vec<String>> = std::iter::once(headings).chain(rows).map(clean).collect();
    let widths: Vec<usize> = (0..lines[0].len())
        .map(|column| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0))
        .collect();
    let mut text = String::new();
    for line in &lines {
        let mut row = String::new();
        for (column, (cell, width)) in line.iter().zip(&widths).enumerate() {
            let pad = " ".repeat(width - cell.chars().count());
            let _ = match column {
                0 => write!(row, "{cell}{pad}"),
                _ => write!(row, "{}{pad}{cell}", " ".repeat(GAP)),
            };
        }
        let _ = writeln!(text, "{row}");
    }
    for DifferingSetting { name, values } in &compared.settings {
        let pairs = compared.runs.iter().zip(values);
        let words = pairs.map(|(run, value)| format!("{}: {value}", run.name));
        let words = words.collect::<Vec<_>>().join(" | ");
        let _ = writeln!(text, "  differs: {}  {}", plain(name), plain(&words));
    }
    for note in &compared.notes {
        let _ = writeln!(text, "  note: {}", plain(note));
    }
    text.trim_end().to_owned()
}
