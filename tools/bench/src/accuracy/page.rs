//! The guide's page on accuracy, written from the cases that ran.
//!
//! ```text
//! FOLDER/validation.md   a table of all numbers, a section for each case
//! FOLDER/plots/*.svg     its pictures, and errors of all cases against cells
//! ```
//!
//! Guarantees: the same results give the same bytes; they contain no time, no machine and no path.

use crate::accuracy::case::{
    Case, CaseRow, Curve, Division, Ink, Plot, Refinement, percent, with_unit,
};
use crate::accuracy::plot::svg;
use std::error::Error;
use std::path::Path;

const INTRODUCTION: &str = "\
# Validation

The shallow-water solver against exact solutions and measurements. This page and its plots are
written by

```text
cargo run --release -p bench -- accuracy --guide src/guide
```

Errors are relative L1 norms of depth, `Σ|h − exact| / Σ exact` over cell centres, unless a row says
otherwise; *order* is the power of the cell width with which they fall from the coarsest to the
finest. Steps are automatic, settings are the defaults, vertical units are 2⁻²⁴ m where the range
allows. The exact solutions stand in `tools/exact/`, the cases in `tools/bench/src/accuracy/`.
The figure in bold is the one that the target is for.
";

/// Errors on the plot of all cases.
const CONVERGENCE: &str = "convergence.svg";

/// Writes the page and its plots.
///
/// # Errors
///
/// If a file cannot be written, or `mod.rs` of the folder leaves a plot out.
pub fn write(folder: &Path, cases: &[Case]) -> Result<(), Box<dyn Error>> {
    let plots = folder.join("plots");
    std::fs::create_dir_all(&plots)?;
    let convergence = convergence(cases);
    let all = || cases.iter().flat_map(|case| &case.plots).chain(&convergence);
    for plot in all() {
        std::fs::write(plots.join(plot.file), svg(plot)?)?;
    }
    std::fs::write(folder.join("validation.md"), text(cases, convergence.as_ref()))?;
    let including = std::fs::read_to_string(folder.join("mod.rs")).unwrap_or_default();
    match all().find(|plot| !including.contains(plot.file)) {
        Some(plot) if !including.is_empty() => {
            let line = format!("#[doc = include_str!(\"plots/{}\")]", plot.file);
            Err(format!("mod.rs beside the page leaves a plot out, add: {line}").into())
        }
        _ => Ok(()),
    }
}

/// Returns the page.
#[must_use]
pub fn text(cases: &[Case], convergence: Option<&Plot>) -> String {
    let mut page = INTRODUCTION.to_owned();
    page += "\n## All numbers\n\n";
    page += "| id | cells | result | order | target | |\n| --- | --- | --- | --- | --- | --- |\n";
    for row in cases.iter().flat_map(|case| &case.rows) {
        page += &line(row);
    }
    for case in cases {
        page += &section(case);
    }
    if let Some(plot) = convergence {
        page += "\n## Errors against cells\n\n";
        page += &format!("{} (`src/guide/plots/{}`).\n", plot.caption, plot.file);
    }
    page
}

/// Returns a line of the table.
fn line(row: &CaseRow) -> String {
    let CaseRow { measurement, refinement } = row;
    let target = measurement.target.map_or_else(String::new, |target| {
        target.split_once(' ').map_or_else(String::new, |(sense, number)| {
            let sense = if sense == "<=" { "≤" } else { "≥" };
            let number = number.parse().unwrap_or(f64::NAN);
            format!("{sense} {}", target_number(number, measurement.unit))
        })
    });
    let verdict = match measurement.is_met() {
        Some(true) => "met",
        Some(false) => "**missed**",
        None => "",
    };
    let (cells, result, order) = match refinement {
        Some(refinement) => refined(refinement, measurement.value),
        None => {
            let cells =
                if measurement.cells == 0 { String::new() } else { measurement.cells.to_string() };
            (cells, with_unit(measurement.value, measurement.unit), String::new())
        }
    };
    format!("| `{}` | {cells} | {result} | {order} | {target} | {verdict} |\n", measurement.id)
}

/// Returns a target without needless digits.
fn target_number(number: f64, unit: &str) -> String {
    let (number, unit) = if unit == "1" { (100.0 * number, "%") } else { (number, unit) };
    let digits = format!("{number:.6}");
    let digits = digits.trim_end_matches('0').trim_end_matches('.');
    format!("{digits} {unit}").trim_end().to_owned()
}

/// Returns cells, errors and order of a refinement, the promised error in bold.
fn refined(refinement: &Refinement, promised: f64) -> (String, String, String) {
    let join = |words: Vec<String>| words.join(", ");
    let points = &refinement.points;
    let cells = points.iter().map(|&(side, _)| refinement.cells(side)).collect();
    let error = |&(_, error): &(usize, f64)| {
        let text = percent(error);
        if error.total_cmp(&promised).is_eq() { format!("**{text}**") } else { text }
    };
    let errors = points.iter().map(error).collect();
    (join(cells), join(errors), format!("{:.2}", refinement.order()))
}

/// Returns the description of a case, its side results and its pictures.
fn section(case: &Case) -> String {
    let mut text = format!("\n## {}\n\n{}\n", case.title, case.about);
    for row in &case.rows {
        let note = row.measurement.note.lines();
        // The first line of a refined row repeats the table.
        let remarks: Vec<&str> = note.skip(usize::from(row.refinement.is_some())).collect();
        if !remarks.is_empty() {
            text += &format!("\n- `{}`: {}.\n", row.measurement.id, remarks.join("; "));
        }
    }
    for plot in &case.plots {
        text += &format!("\n{} (`src/guide/plots/{}`).\n", plot.caption, plot.file);
    }
    text
}

/// Plots errors of all refined rows against cells; `None` if no row is refined.
fn convergence(cases: &[Case]) -> Option<Plot> {
    let curve = |row: &CaseRow| {
        let refinement = row.refinement.as_ref()?;
        let points = refinement.points.iter().map(|&(side, error)| (side as f64, error));
        let name = row.measurement.id.trim_start_matches("accuracy.");
        Some(Curve::new(name, Ink::LineDots, points))
    };
    let curves: Vec<Curve> = cases.iter().flat_map(|case| &case.rows).filter_map(curve).collect();
    (!curves.is_empty()).then_some(Plot {
        file: CONVERGENCE,
        caption: "Errors of all cases against cells along a side",
        axes: ["cells along a side", "relative error"],
        division: Division::Logarithmic,
        curves,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Measurement;

    fn case() -> Case {
        let refinement = Refinement { dimensions: 2, points: vec![(100, 0.04), (200, 0.01)] };
        let plain = Measurement::new("accuracy.x.front", 1.25, "cells").target("<= 1");
        Case {
            title: "A case",
            about: "What it is.",
            rows: vec![
                CaseRow::refined("accuracy.x", 200, refinement).target("<= 0.02").remark("more"),
                plain.into(),
            ],
            plots: Vec::new(),
        }
    }

    #[test]
    fn lines_say_what_was_measured_and_promised() {
        let [refined, plain] = [&case().rows[0], &case().rows[1]].map(line);
        let expected = "| `accuracy.x` | 100², 200² | 4.00 %, **1.00 %** | 2.00 | ≤ 2 % | met |\n";
        assert_eq!(refined, expected);
        let expected = "| `accuracy.x.front` |  | 1.250 cells |  | ≤ 1 cells | **missed** |\n";
        assert_eq!(plain, expected);
    }

    #[test]
    fn the_page_is_written_with_its_plots() {
        let folder = tempfile::tempdir().expect("a folder");
        write(folder.path(), &[case()]).expect("written");
        let page = std::fs::read_to_string(folder.path().join("validation.md")).expect("there");
        assert!(page.contains("## A case") && page.contains("`accuracy.x`: more."), "{page}");
        assert!(folder.path().join("plots").join(CONVERGENCE).exists());
        std::fs::write(folder.path().join("mod.rs"), "nothing").expect("written");
        assert!(write(folder.path(), &[case()]).is_err(), "a plot is left out");
    }
}
