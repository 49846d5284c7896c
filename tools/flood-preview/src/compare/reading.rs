//! Results of a finished run, read from the folder that `flood-preview` wrote.
//!
//! Guarantees: all runs are on one grid, or no results are returned.
//! Limits:     a folder whose run is not finished may be written anew while it is read: a note
//!             reports it. Areas of maps in degrees are those of `--metres-per-degree auto`.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use kit::error::UserError;
use rasters::{Grid, Hints, MetresPerDegree, RasterError, RasterValues, RowSource};
use serde_json::Value;

use super::grids::unlike;
use super::series::{self, RunSeries, distinct};
use crate::output::geotiffs::BEFORE;

/// File that identifies a folder of results.
const SUMMARY: &str = "summary.json";

/// Columns that are read of gauges: depth and stage, m.
const OF_GAUGES: [&str; 2] = ["depth_m", "stage_m"];
/// Column that is read of sections: discharge, m³/s.
const OF_SECTIONS: [&str; 1] = ["discharge_m3_s"];

/// Wet depth of results that do not state it, m.
const WET_DEPTH_M: f64 = 0.05;

/// State of a run, as its results state it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResultState {
    /// The whole event was simulated.
    Whole,
    /// Finer levels follow.
    GoingOn,
    /// The whole event was simulated, but not on the finer levels that were requested.
    CutShort,
    /// The run was stopped before the end of the event.
    Stopped,
}

/// Results of a run.
#[derive(Debug)]
pub struct RunResults {
    /// Name on page and maps.
    pub name: String,
    /// The folder.
    pub folder: PathBuf,
    /// Content of `summary.json`.
    summary: Value,
    /// Grid of the GeoTIFFs.
    pub grid: Grid,
    /// Depth and stage at the gauges, m.
    pub gauges: Vec<RunSeries>,
    /// Discharge through the sections, m³/s.
    pub sections: Vec<RunSeries>,
}

impl RunResults {
    /// Reads all but the maps.
    fn read(name: String, folder: &Path) -> Result<Self, UserError> {
        let summary = read_summary(folder)?;
        let grid = open(&folder.join("max_depth.tif"))?.grid().clone();
        let gauges = series::read(&folder.join("gauges.csv"), &OF_GAUGES)?;
        let sections = series::read(&folder.join("sections.csv"), &OF_SECTIONS)?;
        Ok(Self { name, folder: folder.to_owned(), summary, grid, gauges, sections })
    }

    /// Returns a figure of `summary.json` by its JSON pointer, like `/volumes_m3/stored`.
    #[must_use]
    pub fn number(&self, pointer: &str) -> Option<f64> {
        self.summary.pointer(pointer)?.as_f64()
    }

    /// Returns the sum of the figures of an object of `summary.json`.
    #[must_use]
    pub fn sum(&self, pointer: &str) -> Option<f64> {
        let entries = self.summary.pointer(pointer)?.as_object()?;
        entries.values().map(Value::as_f64).sum()
    }

    /// Returns a text of `summary.json`; empty if the key is missing.
    #[must_use]
    pub fn text(&self, pointer: &str) -> &str {
        self.summary.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
    }

    /// Returns the state of the run.
    #[must_use]
    pub fn state(&self) -> ResultState {
        let says = |key: &str| self.summary[key] == true;
        if says("is_interrupted") {
            ResultState::Stopped
        } else if says("is_going_on") {
            ResultState::GoingOn
        } else if says("is_cut_short") {
            ResultState::CutShort
        } else {
            ResultState::Whole
        }
    }

    /// Returns the width of the cells that were simulated last, m.
    #[must_use]
    pub fn simulated_cell_m(&self) -> Option<f64> {
        let last = self.summary["levels"].as_array().and_then(|levels| levels.last());
        last.map_or_else(|| self.number("/settings/cell_m"), |level| level["cell_m"].as_f64())
    }

    /// Returns the width of the simulated cells of a run if only its first level was requested, m;
    /// `None` if finer levels were requested, or if the run had no coarser levels.
    #[must_use]
    pub fn first_look_m(&self) -> Option<f64> {
        let is_asked = self.text("/command").split_whitespace().any(|word| word == "--now");
        let finest_m = self.number("/settings/finest_cell_m")?;
        self.simulated_cell_m().filter(|cell_m| is_asked && *cell_m > finest_m)
    }

    /// Returns the settings of the run.
    #[must_use]
    pub fn settings(&self) -> &Value {
        &self.summary["settings"]
    }

    /// True if the results state which ground was under water before the event.
    #[must_use]
    pub fn knows_before(&self) -> bool {
        self.number("/under_water_before/m2") == Some(0.0) || self.folder.join(BEFORE).exists()
    }

    /// Returns true for each cell that was under water before the event; if the results do not
    /// state this ([`Self::knows_before`]), for each cell with the time of arrival 0.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Self::plane`].
    pub fn water_before(&self) -> Result<Vec<bool>, UserError> {
        if self.folder.join(BEFORE).exists() {
            let kinds = self.plane(BEFORE)?;
            Ok(kinds.iter().map(|kind| !kind.is_nan()).collect())
        } else if self.knows_before() {
            Ok(vec![false; self.grid.width * self.grid.height])
        } else {
            let arrival_s = self.plane("arrival.tif")?;
            Ok(arrival_s.iter().map(|time_s| *time_s <= 0.0).collect())
        }
    }

    /// Returns the depth from which a cell counts as flooded, m.
    #[must_use]
    pub fn wet_depth_m(&self) -> f64 {
        self.number("/wet_depth_m").filter(|wet_m| *wet_m > 0.0).unwrap_or(WET_DEPTH_M)
    }

    /// Gauges or sections of `summary.json` under names that differ, as in the tables.
    pub fn listed(&self, key: &str) -> impl Iterator<Item = (String, &Value)> {
        let mut taken = HashSet::new();
        let list = self.summary[key].as_array().map_or([].as_slice(), Vec::as_slice);
        list.iter().map(move |entry| {
            (distinct(entry["name"].as_str().unwrap_or_default(), &mut taken), entry)
        })
    }

    /// Returns the area of a number of cells of the GeoTIFFs, m².
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "cells are far below 2^53")]
    pub fn area_m2(&self, cells: usize) -> Option<f64> {
        self.grid.cell_m.map(|(x, y)| cells as f64 * x * y)
    }

    /// Returns the values of a GeoTIFF, NaN for cells without a value.
    ///
    /// # Errors
    ///
    /// If it cannot be read, or if its grid differs from the first one's.
    pub fn plane(&self, file_name: &str) -> Result<Vec<f32>, UserError> {
        let path = self.folder.join(file_name);
        let (grid, values) = rasters::read_all(&mut *open(&path)?)?;
        match &*unlike(&grid, &self.grid) {
            [] => Ok(values),
            ways => Err(UserError::new(
                format!(
                    "{} and max_depth.tif beside it differ: {}",
                    path.display(),
                    ways.join(", ")
                ),
                "its results are of several runs: run it again",
            )),
        }
    }
}

/// Reads the results in some folders, the reference first.
///
/// # Errors
///
/// If a folder contains no results, or has a different grid from the reference's.
pub fn all(folders: &[PathBuf], names: &[String]) -> Result<Vec<RunResults>, UserError> {
    let pairs = folders.iter().zip(names);
    let runs = pairs.map(|(folder, name)| RunResults::read(name.clone(), folder));
    let runs = runs.collect::<Result<Vec<_>, _>>()?;
    let grids = runs.iter().map(|run| (&*run.folder, &run.grid));
    check_grids(&grids.collect::<Vec<_>>())?;
    Ok(runs)
}

/// Returns the grid of the maps in a folder of results.
///
/// # Errors
///
/// If the folder has no results.
pub fn grid(folder: &Path) -> Result<Grid, UserError> {
    Ok(RunResults::read(String::new(), folder)?.grid)
}

/// Refuses grids that are not that of the first; each has the path that it is of.
///
/// # Errors
///
/// The error gives all ways in which the first of these differs.
pub fn check_grids(grids: &[(&Path, &Grid)]) -> Result<(), UserError> {
    let Some((reference, wanted)) = grids.first() else { return Ok(()) };
    for (own, grid) in grids {
        let ways = unlike(grid, wanted);
        if !ways.is_empty() {
            let [own, reference] = [own, reference].map(|path| path.display());
            return Err(UserError::new(
                format!("{own} does not lie on the grid of {reference}: {}", ways.join(", ")),
                "run both on the same map, with the same --area, and compare again",
            ));
        }
    }
    Ok(())
}

fn read_summary(folder: &Path) -> Result<Value, UserError> {
    let shown = folder.display();
    if folder.is_file() {
        let name = folder.file_stem().unwrap_or_default().to_string_lossy();
        return Err(UserError::new(
            format!(
                "{shown} is a file, and compare takes scenarios (.toml) and folders of results"
            ),
            format!(
                "run it first, flood-preview {shown} --out {name}-results, and compare \
                 {name}-results"
            ),
        ));
    }
    if !folder.is_dir() {
        return Err(UserError::new(format!("there is no folder {shown}"), "check its name"));
    }
    let path = folder.join(SUMMARY);
    let text = fs::read_to_string(&path).map_err(|error| {
        UserError::new(
            format!("{shown} is no folder of results, {SUMMARY} in it cannot be read: {error}"),
            "give the folder of a run, with report.html and summary.json",
        )
    })?;
    let summary: Option<Value> = serde_json::from_str(&text).ok();
    summary.filter(|summary| summary["volumes_m3"].is_object()).ok_or_else(|| {
        let what = format!("{} is no summary of a run", path.display());
        UserError::new(what, "give the folder of a run, or run it again")
    })
}

/// Opens a GeoTIFF of results.
fn open(path: &Path) -> Result<Box<dyn RowSource>, UserError> {
    let plain = Hints { values: RasterValues::Others, ..Hints::default() };
    let degrees = Hints { metres_per_degree: MetresPerDegree::Auto, ..plain.clone() };
    let opened = rasters::open(path, &plain).or_else(|error| match error {
        RasterError::Unsupported { .. } => rasters::open(path, &degrees),
        error => Err(error),
    });
    opened.map_err(|error| match error {
        RasterError::Io { .. } if !path.exists() => {
            let what = format!("{} is missing", path.display());
            UserError::new(what, "the results are not whole: run it again")
        }
        error => error.into(),
    })
}
