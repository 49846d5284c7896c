//! Parts that the swinging waters share: the shore, and the error of its place.

use crate::accuracy::case::CaseRow;
use crate::accuracy::ladder::Ladder;
use crate::accuracy::scheme::{DepthPair, relative_l1};
use crate::table::Measurement;

/// Depth of the water at the shore, as a part of the depth in the middle at rest.
pub const SHORE: f64 = 0.01;

/// Number of periods that a bowl runs.
pub const PERIODS: f64 = 3.0;

/// Parts of the last period after which the shore is measured.
pub const LOOKS: [f64; 4] = [0.25, 0.5, 0.75, 1.0];

/// Results of a run.
#[derive(Debug)]
pub struct BowlSwing {
    /// Depths at the end.
    pub pairs: Vec<DepthPair>,
    /// Largest error of the shore in the last period, cells.
    pub shore_cells: f64,
}

impl BowlSwing {
    /// Returns the relative error of depth at the end.
    #[must_use]
    pub fn error(&self) -> f64 {
        relative_l1(&self.pairs)
    }
}

/// Returns the error of a cell's wetness, m: its distance from the exact shore if it is wet beyond
/// it or dry within it, else 0.
#[must_use]
pub fn shore_error_m(is_wet: bool, inside_m: f64) -> f64 {
    if is_wet == (inside_m > 0.0) { 0.0 } else { inside_m.abs() }
}

/// Ids of a bowl's rows: depth, order, shore.
#[derive(Debug, Clone, Copy)]
pub struct Ids(pub [&'static str; 3]);

/// Returns the rows of a bowl: the depth at the end with its target, its order over `span`, the
/// shore.
#[must_use]
pub fn rows(
    ladder: &Ladder<BowlSwing>,
    ids: Ids,
    target: &'static str,
    span: (usize, usize),
) -> Vec<CaseRow> {
    let [depth, order, shore] = ids.0;
    let refinement = ladder.refinement(BowlSwing::error);
    let (coarse, fine) = span;
    let cells = |side| refinement.cells(side);
    let observed = refinement.order_between(coarse, fine);
    let from_to = format!("of depth, from {} to {} cells", cells(coarse), cells(fine));
    let shores = ladder.refinement(|swing| swing.shore_cells);
    let shores: Vec<String> =
        shores.points.iter().map(|&(side, off)| format!("{}: {off:.2}", cells(side))).collect();
    let note = format!("the worst of four looks in the last period; {} cells", shores.join(", "));
    let order = Measurement::new(order, observed, "").target(">= 0.8").note(from_to);
    let shore = Measurement::new(shore, ladder.promised().shore_cells, "cells").target("<= 1");
    vec![ladder.row(depth, BowlSwing::error).target(target), order.into(), shore.note(note).into()]
}
