//! The contour of the water's edge.
//!
//! Marching squares over the centres of cells of one level. Between a wet and a dry centre the edge
//! is where the wet cell's stage meets the bed; if the dry bed is lower (a front on its way, a
//! brink) or outside the world, it is half way, on the face between the cells.
//!
//! Guarantees: lines never cross, water is to their left; a line ends only at the window's border;
//!             in a window over the whole world every line is closed.
//! Limits:     wet cells that share only a corner are separate, as water does not pass corners.
//! Source:     Lorensen & Cline (1987), in two dimensions.

use crate::probe::cursor::{Cursor, DischargeNeed};
use crate::probe::raster::Window;
use crate::probe::{Query, QueryError};
use rayon::prelude::*;
use thalweg_engine::grid::LeafId;

/// A line along the water's edge.
#[derive(Debug, Clone, PartialEq)]
pub struct Polyline {
    /// Points of the line, metres east and north of the world's south-west corner, water on the
    /// left.
    pub points_m: Vec<[f64; 2]>,
    /// True if the last point joins the first.
    pub is_closed: bool,
}

/// Stage at a centre, m above the datum.
#[derive(Debug, Clone, Copy)]
enum Centre {
    /// Water: depth beyond the least one, and the stage less that depth.
    Wet { over: f64, stage: f64 },
    /// Ground.
    Dry { bed: f64 },
    /// No ground.
    Outside,
}

/// The line between two neighbouring centres: the southern or western one, and whether the second
/// is north of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct ContourLink {
    row: usize,
    column: usize,
    is_upward: bool,
}

/// Centres of the window and one ring around it, rows from south to north.
struct ContourCentres {
    columns: usize,
    rows: usize,
    list: Vec<Centre>,
}

impl Query<'_> {
    /// Returns the edge of all water at least `depth_m` deep (and wet), between the centres of the
    /// cells of a window and of one ring of cells around it.
    ///
    /// # Errors
    ///
    /// [`QueryError::Depth`] if a depth is negative, infinite or not a number; else the errors of
    /// [`Query::surface`].
    pub fn water_edge(&self, window: Window, depth_m: f64) -> Result<Vec<Polyline>, QueryError> {
        window.check()?;
        self.wet_from(depth_m)?;
        let least = depth_m / self.scale.unit_m();
        let centres = self.centres(&window, least);
        let mut steps: Vec<(ContourLink, ContourLink)> = (0..centres.rows - 1)
            .into_par_iter()
            .flat_map_iter(|row| (0..centres.columns - 1).map(move |column| (row, column)))
            .flat_map_iter(|(row, column)| centres.steps(row, column).into_iter().flatten())
            .collect();
        // For the searches of `joined`, and so that threads do not change the order of lines.
        steps.sort_unstable();
        let width = self.cell_width_m(window.level);
        let (x, y) = window.cell(0, 0);
        #[expect(clippy::cast_precision_loss, reason = "below 2³³")]
        let corner = [x, y].map(|v| v as f64 - 0.5);
        let place = |link: ContourLink| {
            let at = centres.crossing(link);
            [0, 1].map(|axis| (corner[axis] + at[axis]) * width)
        };
        let line = |(links, is_closed): (Vec<ContourLink>, bool)| {
            let mut points_m: Vec<[f64; 2]> = links.into_iter().map(place).collect();
            // If water is exactly as deep as asked, its edge is in its centre, and several links
            // meet there.
            points_m.dedup();
            Polyline { points_m, is_closed }
        };
        Ok(joined(&steps).into_iter().map(line).collect())
    }

    fn centres(&self, window: &Window, least: f64) -> ContourCentres {
        let (columns, rows) = (window.width + 2, window.height + 2);
        let (west, south) = window.cell(0, 0);
        let row = |row: i64| {
            let mut cursor = Cursor::new(*self, LeafId::NONE, DischargeNeed::Unwanted);
            let range = west - 1..=west + i64::try_from(window.width).expect("2²⁸ at most");
            range.map(move |x| cursor.centre(window.level, x, south - 1 + row, least))
        };
        let count = i64::try_from(rows).expect("2²⁸ at most");
        let list = (0..count).into_par_iter().flat_map_iter(row).collect();
        ContourCentres { columns, rows, list }
    }
}

impl Cursor<'_> {
    fn centre(&mut self, level: u8, x: i64, y: i64, least: f64) -> Centre {
        let sum = self.cell(level, x, y);
        let Some(bed) = sum.bed_mean() else { return Centre::Outside };
        let depth =
            if self.is_interpolated(level, x, y) { sum.depth_at() } else { sum.depth_mean() };
        match sum.stage_mean() {
            Some(stage) if depth > 0.0 && depth >= least => {
                Centre::Wet { over: depth - least, stage: stage - least }
            }
            _ => Centre::Dry { bed },
        }
    }
}

impl ContourCentres {
    fn at(&self, row: usize, column: usize) -> Centre {
        self.list[row * self.columns + column]
    }

    /// Returns the one or two steps of an edge through the square north-east of a centre, from link
    /// to link.
    fn steps(&self, row: usize, column: usize) -> [Option<(ContourLink, ContourLink)>; 2] {
        let link = |row, column, is_upward| ContourLink { row, column, is_upward };
        // The sides of the square, and its corners, going round to the left.
        let sides = [
            link(row, column, false),
            link(row, column + 1, true),
            link(row + 1, column, false),
            link(row, column, true),
        ];
        let corners = [(row, column), (row, column + 1), (row + 1, column + 1), (row + 1, column)];
        let wet = corners.map(|(row, column)| matches!(self.at(row, column), Centre::Wet { .. }));
        let mut steps = [None; 2];
        let mut found = 0;
        for i in 0..4 {
            if wet[i] && !wet[(i + 1) % 4] {
                // Back round the wet corners to where they began.
                let begin = (1..4).map(|back| (i + 4 - back) % 4).find(|&side| !wet[side]);
                let begin = begin.expect("the corner beyond is dry");
                steps[found] = Some((sides[i], sides[begin]));
                found += 1;
            }
        }
        steps
    }

    /// Returns the place where the edge crosses a link, in cells from the first centre.
    fn crossing(&self, link: ContourLink) -> [f64; 2] {
        let ContourLink { row, column, is_upward } = link;
        let first = self.at(row, column);
        let second = if is_upward { self.at(row + 1, column) } else { self.at(row, column + 1) };
        let part = match (first, second) {
            (Centre::Wet { over, stage }, Centre::Dry { bed }) => reach(over, stage, bed),
            (Centre::Dry { bed }, Centre::Wet { over, stage }) => 1.0 - reach(over, stage, bed),
            _ => 0.5,
        };
        #[expect(clippy::cast_precision_loss, reason = "below 2³³")]
        let [x, y] = [column as f64, row as f64];
        if is_upward { [x, y + part] } else { [x + part, y] }
    }
}

/// Returns the distance that water reaches from a wet centre towards a dry one, 0 to 1.
fn reach(over: f64, stage: f64, bed: f64) -> f64 {
    if bed > stage { over / (over + (bed - stage)) } else { 0.5 }
}

/// Joins steps, sorted by their beginnings, into chains: open ones first, then rings.
fn joined(steps: &[(ContourLink, ContourLink)]) -> Vec<(Vec<ContourLink>, bool)> {
    let mut ends: Vec<ContourLink> = steps.iter().map(|step| step.1).collect();
    ends.sort_unstable();
    let is_head = |step: &(ContourLink, ContourLink)| ends.binary_search(&step.0).is_err();
    let find = |link: ContourLink| steps.binary_search_by_key(&link, |step| step.0).ok();
    let heads = (0..steps.len()).filter(|&i| is_head(&steps[i]));
    let mut is_done = vec![false; steps.len()];
    let mut chains = Vec::new();
    for start in heads.chain(0..steps.len()) {
        let mut chain = vec![steps[start].0];
        let mut at = Some(start);
        while let Some(step) = at.filter(|&step| !is_done[step]) {
            is_done[step] = true;
            chain.push(steps[step].1);
            at = find(steps[step].1);
        }
        if chain.len() > 1 {
            let is_closed = chain.first() == chain.last();
            chain.truncate(chain.len() - usize::from(is_closed));
            chains.push((chain, is_closed));
        }
    }
    chains
}
