//! The first look at the heightmap: one pass over its rows, nothing kept but the answers.
//!
//! Guarantees: after it, heights are known to be finite, some cell is inside the world, and every
//!             gauge and every point inflow stands on one.

use rasters::Grid;

use crate::refusal::Refusal;
use crate::scenario::place::{Place, Point};
use crate::scenario::plan::Plan;

/// What the heightmap holds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Survey {
    /// Lowest bed, m.
    pub low_m: f64,
    /// Highest bed, m.
    pub high_m: f64,
    /// Number of cells that are not NoData.
    pub valid: usize,
}

/// Reads the heightmap once.
///
/// # Errors
///
/// If it cannot be read to its end, holds nothing but NoData or a height that is not finite, or
/// if a gauge or a point inflow lies on NoData.
pub fn survey(plan: &Plan) -> Result<Survey, Refusal> {
    survey_watched(plan, &mut |_| ())
}

/// The same; `watch` is told the rows read.
///
/// # Errors
///
/// As [`survey`].
pub fn survey_watched(plan: &Plan, watch: &mut dyn FnMut(usize)) -> Result<Survey, Refusal> {
    let mut source = plan.map.open()?;
    let grid = source.grid().clone();
    let places = places(plan, &grid);
    let mut next = places.iter().peekable();
    let mut row = vec![f64::NAN; grid.width];
    let mut survey = Survey { low_m: f64::INFINITY, high_m: f64::NEG_INFINITY, valid: 0 };
    for index in 0..grid.height {
        source.next_row(&mut row)?;
        for (col, height) in row.iter().enumerate().filter(|(_, height)| !height.is_nan()) {
            if height.is_infinite() {
                return Err(Refusal::new(
                    format!("{}: row {index}, column {col} is infinite", shown(plan)),
                    "correct it, or mark it as NoData",
                ));
            }
            survey.low_m = survey.low_m.min(*height);
            survey.high_m = survey.high_m.max(*height);
            survey.valid += 1;
        }
        watch(index + 1);
        while let Some((what, at, (col, _))) = next.next_if(|(_, _, cell)| cell.1 == index) {
            if row[*col].is_nan() {
                return Err(Refusal::new(
                    format!("{what} at {at} lies on NoData, outside the world"),
                    "move it to a cell of the map that has a height",
                ));
            }
        }
    }
    if survey.valid == 0 {
        return Err(Refusal::new(
            format!("{} holds nothing but NoData", shown(plan)),
            "choose another map, or say with --nodata which value means NoData",
        ));
    }
    Ok(survey)
}

fn shown(plan: &Plan) -> String {
    plan.map.path.display().to_string()
}

/// What it is, where it lies, and its column and row; in the order of rows.
type Spot = (String, Point, (usize, usize));

fn places(plan: &Plan, grid: &Grid) -> Vec<Spot> {
    let gauges = plan.gauges.iter().map(|gauge| (format!("gauge `{}`", gauge.name), gauge.at));
    let inflows = plan.inflows.iter().filter_map(|inflow| match &inflow.place {
        Place::At(at) => Some((format!("inflow `{}`", inflow.name), *at)),
        Place::Polygon(_) | Place::Edge { .. } => None,
    });
    let spots = gauges.chain(inflows);
    let spots = spots.filter_map(|(what, at)| Some((what, at, grid.cell_at(at.x, at.y)?)));
    let mut spots: Vec<Spot> = spots.collect();
    spots.sort_by_key(|(_, _, cell)| cell.1);
    spots
}
