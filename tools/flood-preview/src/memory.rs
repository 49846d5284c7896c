//! Memory that a run takes, and free memory: a run that does not fit is refused beforehand.
//!
//! ```text
//! bytes = program + terrain · finest cells + leaves · simulated cells + maps · finest cells
//!       + frames + pictures
//! ```
//!
//! Guarantees: none if the system does not report how much memory is free (`/proc/meminfo`): every
//!             run is then tried.
//! Limits:     bytes for a cell are fitted to a few runs, and rasters beside the map do not count.

use kit::error::UserError;
use kit::memory::FEWER;
use scenario::plan::Plan;

use crate::outcome::factor;

/// Bytes for a cell, as measured by the largest resident set of whole runs.
struct PerCell {
    /// Program, threads and report.
    program: f64,
    /// Bytes for each finest cell of the map's rectangle: beds of all levels, planes of the
    /// results.
    finest: f64,
    /// Bytes for each simulated cell that has a height, if it is one of the finest.
    flat: f64,
    /// Bytes for each simulated cell that has several finest ones below it.
    column: f64,
    /// Bytes for each simulated cell if open water may be on coarser ones.
    adaptive: f64,
}

/// Fitted to the largest resident sets of two runs, 76 MB for 180,000 cells of level 0 and 221 MB
/// for 192,000 cells of level 1 over 770,000 finest ones, both with 48 frames.
const PER_CELL: PerCell =
    PerCell { program: 15.0e6, finest: 80.0, flat: 64.0, column: 560.0, adaptive: 60.0 };

/// Returns the memory that a run takes at most, bytes.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "an estimate")]
pub fn needed(plan: &Plan) -> f64 {
    let (width, height) = plan.map.size();
    let simulated = plan.map.simulated_cells() as f64;
    let of_leaf = if plan.map.level == 0 { PER_CELL.flat } else { PER_CELL.column };
    let of_maps = if plan.is_adaptive { PER_CELL.adaptive } else { 0.0 };
    let factor = factor(width, height);
    let frame = (width.div_ceil(factor) * height.div_ceil(factor)) as f64;
    PER_CELL.program
        + PER_CELL.finest * (width * height) as f64
        + (of_leaf + of_maps) * simulated
        + 4.0 * frame * plan.output.frames as f64
}

/// Refuses a run that does not fit.
///
/// # Errors
///
/// If it needs more memory than is free.
pub fn check(plan: &Plan) -> Result<(), UserError> {
    let mend = match plan.map.level {
        0 => FEWER.to_owned(),
        _ => format!("{FEWER}, or flat ones without tables with --columns flat"),
    };
    kit::memory::check_bytes(needed(plan), kit::memory::available(), &mend)
}
