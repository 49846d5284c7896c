//! The first reading of the heights of the world, which keeps only its results.
//!
//! Guarantees: after a survey, all heights are finite, at least one cell is inside the world, and
//!             every gauge and every point inflow is on such a cell.

use kit::error::UserError;
use kit::interrupt;
use kit::reading::{ReadingWatch, silent};
use rasters::Grid;

use crate::heights::{HeightTally, MapHeights};
use crate::place::{EntryPlace, MapPoint};
use crate::plan::{HeightCells, Plan};

/// Facts of the heightmap.
#[derive(Debug, Clone, PartialEq)]
pub struct Survey {
    /// Lowest bed, m.
    pub low_m: f64,
    /// Highest bed, m.
    pub high_m: f64,
    /// Number of cells that are not NoData.
    pub valid: usize,
    /// Notes on the heights that are not in the plan: one sentence each.
    pub notes: Vec<String>,
}

/// Surveys the heights of the world; reads them if the plan did not, as for a resampled map.
///
/// # Errors
///
/// If the heightmap cannot be read to its end, contains only NoData or a height that is not finite,
/// if a gauge or a point inflow is on NoData, or if the user stops.
pub fn survey(plan: &Plan) -> Result<Survey, UserError> {
    survey_watched(plan, &mut silent())
}

/// Surveys the heightmap and reports to `watch` the rows read.
///
/// # Errors
///
/// The errors of [`survey`].
pub fn survey_watched(plan: &Plan, watch: ReadingWatch<'_>) -> Result<Survey, UserError> {
    let places = places(plan, &plan.map.world);
    if let (Some(cover), None) = (&plan.map.cover, plan.map.resample_m) {
        let is_valid = |(col, row): (usize, usize)| cover.is_valid(col, row);
        places.iter().try_for_each(|(what, at, cell)| check(what, *at, is_valid(*cell)))?;
        let HeightCells { low_m, high_m, valid, .. } = *cover;
        return Ok(Survey { low_m, high_m, valid, notes: Vec::new() });
    }
    let mut source = plan.map.open()?;
    let grid = source.grid().clone();
    let mut next = places.iter().peekable();
    let mut row = vec![f64::NAN; grid.width];
    let mut heights = HeightTally::new(plan.map.file(), grid.clone()).scaled(source.scale());
    for index in 0..grid.height {
        interrupt::check()?;
        source.next_row(&mut row)?;
        heights.count(index, &row)?;
        watch.rows("looking at the cells", index + 1, grid.height);
        while let Some((what, at, (col, _))) = next.next_if(|(_, _, cell)| cell.1 == index) {
            check(what, *at, !row[*col].is_nan())?;
        }
    }
    let MapHeights { low_m, high_m, valid, notes } = heights.finish()?;
    // Some remarks need all the rows. The plan has all notes if it read the map.
    let mut notes = if plan.map.cover.is_none() { notes } else { Vec::new() };
    let remarks = source.remarks().into_iter();
    notes.extend(remarks.filter(|remark| !plan.map.remarks.contains(remark)));
    Ok(Survey { low_m, high_m, valid, notes })
}

/// Refuses a place without ground.
fn check(what: &str, at: MapPoint, is_ground: bool) -> Result<(), UserError> {
    if is_ground {
        return Ok(());
    }
    Err(UserError::new(
        format!("{what} at {at} lies on NoData, outside the world"),
        "move it to a cell of the map that has a height",
    ))
}

/// Kind of a place, its position, and its column and row; in the order of rows.
type SurveyedPlace = (String, MapPoint, (usize, usize));

fn places(plan: &Plan, grid: &Grid) -> Vec<SurveyedPlace> {
    let gauges = plan.gauges.iter().map(|gauge| (format!("gauge `{}`", gauge.name), gauge.at));
    let inflows = plan.inflows.iter().filter_map(|inflow| match &inflow.place {
        EntryPlace::At(at) => Some((format!("inflow `{}`", inflow.name), *at)),
        EntryPlace::Polygon(_) | EntryPlace::Edge { .. } => None,
    });
    let spots = gauges.chain(inflows);
    let spots = spots.filter_map(|(what, at)| Some((what, at, grid.cell_at(at.x, at.y)?)));
    let mut spots: Vec<SurveyedPlace> = spots.collect();
    spots.sort_by_key(|(_, _, cell)| cell.1);
    spots
}
