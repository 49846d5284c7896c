//! The folder the user opens: GeoTIFFs, maps, report, gauges and ledger.
//!
//! | file | what |
//! | --- | --- |
//! | `max_depth.tif`, `max_stage.tif` | largest depth and water level, for a GIS |
//! | `max_speed.tif`, `hazard.tif` | largest values of these |
//! | `arrival.tif`, `duration.tif`, `final_depth.tif` | when, how long, and what is left |
//! | `before.tif` | ground that was under water before the event |
//! | `max_depth_below.tif`, `max_stage_below.tif` | the same under decks and in tunnels |
//! | `max_depth.png`, `max_speed.png`, `hazard.png`, `arrival.png` | maps to hand round |
//! | `report.html` | the whole run in a browser |
//! | `summary.json` | the run in figures, with its settings, in SI units |
//! | `gauges.csv` | all samples of all gauges |
//! | `sections.csv` | discharge, level and volume at all sections |
//! | `observed.csv` | observed readings of gauges and sections, and the simulated values |
//! | `edges.csv` | discharge and volume at all edges that are no walls |
//! | `barriers.csv`, `barriers.json` | what passed each barrier, over time and in all |
//! | `links.csv`, `links.json` | what passed each culvert, pump and drain |
//! | `terrain_faults.csv` | faults of the heightmap, and the event's water there |
//! | `ledger.json` | volumes in exact units |
//!
//! Tables of gauges, sections, observed series, edges, barriers, links and faults, and maps below
//! the ground and of water before, are written if the run has any; files of an earlier run are
//! removed.
//!
//! Guarantees: files appear under their names only when all of them are complete (`delivery`); of
//!             a level that finer ones follow, the page comes first, and then the rest.

mod backdrop;
mod barriers;
mod books;
pub(crate) mod canvas;
pub(crate) mod delivery;
pub(crate) mod faults;
mod figures;
pub(crate) mod folder;
pub(crate) mod geotiffs;
mod layer;
mod lines;
mod links;
pub(crate) mod map;
pub(crate) mod names;
mod observed;
mod packing;
pub(crate) mod page;
mod passages;
mod record;
pub(crate) mod relief;
pub mod scale;
mod sections;
mod series;
pub(crate) mod sheet;
pub mod stand;
pub(crate) mod wording;

use std::fs;
use std::path::{Path, PathBuf};

use kit::error::UserError;

use crate::outcome::FloodOutcome;
use crate::output::delivery::{Delivery, unwritten};
use crate::output::stand::RunProgress;

const REPORT: &str = "report.html";
const SUMMARY: &str = "summary.json";

/// Note of a run that ended in its drafts.
const NOT_VARIED: &str = "not varied, as the run was stopped, or failed, before that";

/// Writes everything into `folder`, which is made if it does not exist; files of an earlier run are
/// replaced.
///
/// # Errors
///
/// If the folder or a file in it cannot be written; older files then stay as they were.
///
/// # Panics
///
/// If the planes of `outcome` do not fit its grid, or its frames are not
/// [`DepthFrame::reduced`](crate::outcome::DepthFrame::reduced).
pub fn write_all(outcome: &FloodOutcome, folder: &Path) -> Result<WrittenFiles, UserError> {
    check_shape(outcome);
    let content = content(outcome, RunProgress::Last, folder)?;
    let mut delivery = Delivery::begin(folder)?;
    delivery.file(REPORT, |file| page::write(outcome, &content, RunProgress::Last, file))?;
    write_files(outcome, &content, RunProgress::Last, &mut delivery)?;
    Ok(WrittenFiles { paths: delivery.finish()?, settled: SettledReport::default() })
}

/// Writes everything of a level that finer levels or drafts follow, as given by `stand`: the page
/// first, and again with the rest after `complete` has added slow parts. The page renews itself
/// until it is written again, with the next level or by [`SettledReport::write`].
///
/// # Errors
///
/// Returns the errors of [`write_all`]; the page alone may be of this level then, and no longer
/// renews itself.
///
/// # Panics
///
/// Panics if [`write_all`] does.
pub fn write_on_the_way(
    outcome: &mut FloodOutcome,
    (folder, stand): (&Path, RunProgress),
    complete: impl FnOnce(&mut FloodOutcome),
) -> Result<WrittenFiles, UserError> {
    check_shape(outcome);
    let content = content(outcome, stand, folder)?;
    // A reader who waits for an answer looks at the page: it need not wait for the rest.
    let mut delivery = Delivery::begin(folder)?;
    delivery.file(REPORT, |file| page::write(outcome, &content, stand, file))?;
    delivery.finish()?;
    complete(outcome);
    let settled = SettledReport::of(outcome, &content, (folder, stand))?;
    let rest = || {
        let mut delivery = Delivery::begin(folder)?;
        delivery.file(REPORT, |file| page::write(outcome, &content, stand, file))?;
        write_files(outcome, &content, stand, &mut delivery)?;
        delivery.finish()
    };
    match rest() {
        Ok(paths) => Ok(WrittenFiles { paths, settled }),
        Err(error) => {
            // The page of before must not wait for a finer level; the caller may have the files of
            // a whole level before. The error itself is the one worth reporting.
            let _ = write_page_alone(outcome, &content, folder);
            Err(error)
        }
    }
}

/// Removes the old page and writes the page in its place: a full disk may have no room for two.
fn write_page_alone(
    outcome: &FloodOutcome,
    content: &page::PageContent,
    folder: &Path,
) -> Result<(), UserError> {
    let path = folder.join(REPORT);
    fs::remove_file(&path).map_err(|error| unwritten(&path, &error))?;
    let mut delivery = Delivery::begin(folder)?;
    delivery.file(REPORT, |file| page::write(outcome, content, RunProgress::Unwritten, file))?;
    delivery.finish().map(drop)
}

fn content(
    outcome: &FloodOutcome,
    stand: RunProgress,
    folder: &Path,
) -> Result<page::PageContent, UserError> {
    let content = page::PageContent::of(outcome, stand);
    content.map_err(|error| unwritten(&folder.join(REPORT), &error))
}

/// Files of a run that were written.
#[derive(Debug, Default)]
pub struct WrittenFiles {
    /// Files, the report first.
    pub paths: Vec<PathBuf>,
    /// Page and figures for a run that ends with this level.
    pub settled: SettledReport,
}

/// The page and the figures of a level after which the run was stopped.
#[derive(Debug, Default)]
pub struct SettledReport {
    report: Vec<u8>,
    summary: Vec<u8>,
}

impl SettledReport {
    /// Draws both for a run that ends before the drafts or levels that follow.
    fn of(
        outcome: &mut FloodOutcome,
        content: &page::PageContent,
        (folder, stand): (&Path, RunProgress),
    ) -> Result<Self, UserError> {
        let mut settled = Self::default();
        if let Some(vary) = stand.drafts() {
            outcome.notes.push(format!("{NOT_VARIED}: {vary}"));
        }
        let ended = stand.ended_early();
        let drawn = page::write(outcome, content, ended, &mut settled.report);
        let counted = figures::write(outcome, ended, &mut settled.summary);
        if stand.drafts().is_some() {
            outcome.notes.pop();
        }
        drawn.map_err(|error| unwritten(&folder.join(REPORT), &error))?;
        counted.map_err(|error| unwritten(&folder.join(SUMMARY), &error))?;
        Ok(settled)
    }

    /// Replaces the page and the figures of a run whose finer levels follow.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`write_all`].
    pub fn write(&self, folder: &Path) -> Result<(), UserError> {
        let mut delivery = Delivery::begin(folder)?;
        delivery.file(REPORT, |file| file.write_all(&self.report))?;
        delivery.file(SUMMARY, |file| file.write_all(&self.summary))?;
        delivery.finish().map(drop)
    }
}

/// Writes all files but the page.
fn write_files(
    outcome: &FloodOutcome,
    content: &page::PageContent,
    stand: RunProgress,
    delivery: &mut Delivery,
) -> Result<(), UserError> {
    for picture in &content.pictures {
        delivery.file(picture.file_name, |file| file.write_all(&picture.png))?;
    }
    if outcome.sure.is_none() {
        delivery.file_if(false, layer::CERTAINTY, |_| Ok(()))?;
    }
    geotiffs::write(outcome, delivery)?;
    delivery.file(SUMMARY, |file| figures::write(outcome, stand, file))?;
    delivery.file("ledger.json", |file| books::write(&outcome.ledger, file))?;
    let FloodOutcome { gauges, sections, edges, barriers, links, .. } = outcome;
    delivery.file_if(!gauges.is_empty(), "gauges.csv", |file| series::write(gauges, file))?;
    let is_any = !sections.is_empty();
    delivery.file_if(is_any, "sections.csv", |file| sections::write_sections(sections, file))?;
    let is_any = observed::is_any(outcome);
    delivery.file_if(is_any, observed::FILE, |file| observed::write(outcome, file))?;
    let is_any = !edges.is_empty();
    delivery.file_if(is_any, "edges.csv", |file| sections::write_edges(edges, file))?;
    let is_any = !barriers.is_empty();
    delivery.file_if(is_any, "barriers.csv", |file| barriers::write_series(barriers, file))?;
    delivery.file_if(is_any, "barriers.json", |file| barriers::write_list(barriers, file))?;
    let is_any = !links.is_empty();
    delivery.file_if(is_any, "links.csv", |file| links::write_series(links, file))?;
    delivery.file_if(is_any, "links.json", |file| links::write_list(links, file))?;
    let is_any = !outcome.faults.is_empty();
    delivery.file_if(is_any, "terrain_faults.csv", |file| faults::write_table(outcome, file))
}

/// Asserts that all planes have the grid's shape.
fn check_shape(outcome: &FloodOutcome) {
    let cells = outcome.grid.width * outcome.grid.height;
    assert_eq!(outcome.before.len(), cells, "before has a state for every cell");
    let below = outcome.below.iter().flat_map(|below| {
        [("max_depth_m below", &below.max_depth_m), ("max_stage_m below", &below.max_stage_m)]
    });
    let planes = [
        ("bed_m", &outcome.bed_m),
        ("max_depth_m", &outcome.max_depth_m),
        ("max_speed_m_s", &outcome.max_speed_m_s),
        ("hazard_m2_s", &outcome.hazard_m2_s),
        ("arrival_s", &outcome.arrival_s),
        ("duration_s", &outcome.duration_s),
        ("final_depth_m", &outcome.final_depth_m),
    ];
    for (name, plane) in planes.into_iter().chain(below) {
        assert_eq!(plane.len(), cells, "{name} has a value for every cell");
    }
}
