//! Comparison of runs: `flood-preview compare A B …`.
//!
//! ```text
//! scenarios ─ run ─ folders ─ reading ─┬─ difference ─┬─ picture ─┐
//!                                      ├─ series ─────┼─ figures ─┼─ page, table, shell
//!                                      └──────────────┴─ settings ┘
//! ```
//!
//! The first run is the reference; each further run is compared with it, cell by cell and gauge by
//! gauge. A difference is the run's value less the reference's.
//!
//! | file | what |
//! | --- | --- |
//! | `comparison.html` | the whole comparison in a browser, without scripts |
//! | `comparison.json`, `comparison.csv` | its figures, in SI units |
//! | `difference_max_depth.png` | where water is deeper, shallower, new or gone |
//! | `difference_*.tif` | differences of the GeoTIFFs of the runs (see `difference`) |
//!
//! If several runs are compared with the reference, their number precedes the ending:
//! `difference_max_depth_2.tif`.
//!
//! Guarantees: files appear under their names only when all of them are complete; files of an
//!             earlier comparison in the same folder are removed. No folder that was given is
//!             changed. A comparison that is stopped leaves no file
//!             (`a_comparison_that_is_stopped_leaves_nothing`).
//! Limits:     results on equal grids alone: nothing is resampled.

mod args;
mod chart;
mod compared;
mod difference;
mod extent;
mod figures;
mod grids;
mod naming;
mod notes;
mod page;
mod picture;
mod reading;
mod scenarios;
mod series;
mod settings;
mod table;
mod words;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::{fs, io};

use kit::command::{Ending, parse};
use kit::error::UserError;
use kit::interrupt;
use kit::picture::png::Effort;
use kit::terminal::{say, shown};

use crate::output::delivery::{Delivery, unwritten};
use crate::output::folder::Folder;
use crate::output::relief::PlacedRelief;
use args::CompareArgs;
use compared::Compared;
use difference::RunComparison;
use naming::{CSV, JSON, PAGE, is_numbered, numbered};
use picture::DifferencePicture;
use reading::RunResults;

/// First word of the command line for a comparison.
pub const WORD: &str = "compare";

/// Runs the command `words`, whose second is [`WORD`].
///
/// # Errors
///
/// If a scenario is wrong or its run fails, if a folder contains no results, if two grids differ,
/// or if a file cannot be read or written; an older comparison then stays as it was.
pub fn run(words: Vec<OsString>) -> Result<Ending, UserError> {
    let own = OsString::from("flood-preview compare");
    let words = std::iter::once(own).chain(words.into_iter().skip(2));
    let Some(args) = parse::<CompareArgs>(words)? else { return Ok(Ending::Done) };
    interrupt::listen(Some(scenarios::STOPPING));
    let names = args.names()?;
    args.check_options()?;
    args.check_inputs()?;
    // The folders of the runs are inside this one.
    let folder = Folder::claim(&args.out)?;
    let mut inputs = scenarios::checked(&args, &names)?;
    if scenarios::run(&mut inputs, &args)? == Ending::Interrupted {
        return Ok(Ending::Interrupted);
    }
    let folders: Vec<PathBuf> = inputs.into_iter().map(|input| input.folder).collect();
    interrupt::listen(Some(scenarios::STOPPING));
    let runs = reading::all(&folders, &names)?;
    let mut delivery = Delivery::begin(folder.path())?;
    let (compared, pictures) = compare(runs, &mut delivery)?;
    interrupt::ignore();
    forget_older(&compared, folder.path(), &mut delivery)?;
    delivery.file(PAGE, |file| page::write(&compared, &pictures, file))?;
    delivery.file(JSON, |file| table::write_json(&compared, file))?;
    delivery.file(CSV, |file| table::write_csv(&compared, file))?;
    delivery.finish()?;
    if !args.is_quiet {
        say(&table::shell(&compared));
        say(&format!("open {}", shown(&folder.path().join(PAGE))));
    }
    Ok(Ending::Done)
}

/// Compares each run with the first, writes maps and pictures, and returns the pictures as PNG.
/// Planes of one run are dropped before the next run is read. Ctrl-C takes effect between two runs.
fn compare(
    runs: Vec<RunResults>,
    delivery: &mut Delivery,
) -> Result<(Compared, Vec<Vec<u8>>), UserError> {
    let (reference, others) = runs.split_first().expect("at least two runs");
    let relief = PlacedRelief::read(&reference.folder.join("report.html"));
    let (mut comparisons, mut pictures) = (Vec::new(), Vec::new());
    for (index, run) in (1..).zip(others) {
        interrupt::check()?;
        let number = (others.len() > 1).then_some(index);
        let write = || -> Result<(RunComparison, Vec<u8>), UserError> {
            let difference = difference::write([reference, run], number, delivery)?;
            let (runs, comparison) = ([reference, run], difference.comparison());
            let picture =
                DifferencePicture { runs, difference: &difference, comparison, relief: &relief };
            let (name, mut png) = (numbered(picture::STEM, number, "png"), Vec::new());
            let drawn = picture.draw().encode(&mut png, Effort::Usual);
            drawn.map_err(|error| unwritten(&delivery.path(&name), &error))?;
            delivery.file(name, |file| file.write_all(&png))?;
            Ok((comparison, png))
        };
        // If this ended halfway, files under different names would stay.
        let (comparison, png) = interrupt::hold(write)?;
        comparisons.push(comparison);
        pictures.push(png);
    }
    interrupt::check()?;
    let figures = figures::all(&runs, &comparisons);
    let settings = settings::differing(&runs);
    let notes = notes::all(&runs, relief.is_some());
    Ok((Compared { runs, comparisons, figures, settings, notes }, pictures))
}

/// Removes maps and pictures of an earlier comparison in the folder that this one lacks.
fn forget_older(
    compared: &Compared,
    folder: &Path,
    delivery: &mut Delivery,
) -> Result<(), UserError> {
    let kept: Vec<String> = compared.files().into_iter().flatten().collect();
    let refused = |error: io::Error| unwritten(folder, &error);
    for entry in fs::read_dir(folder).map_err(refused)? {
        let Ok(name) = entry.map_err(refused)?.file_name().into_string() else { continue };
        let is_own = compared::files().any(|(stem, ending)| is_numbered(&name, stem, ending));
        if is_own && !kept.contains(&name) {
            delivery.file_if(false, name, |_| Ok(()))?;
        }
    }
    Ok(())
}
