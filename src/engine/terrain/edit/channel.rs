//! A channel along a polyline.
//!
//! Guarantees: a cell is in the channel if its centre is no farther than half the width from the
//!             line; so the cells that the line runs through are all in it, and water can run from
//!             one to the next.
//! Limits:     a channel is at least 1.5 cells wide: the guarantee needs that width; walls are as
//!             steep as cells are.

use crate::terrain::edit::shape::{COORDINATE_MOST_M, TerrainLattice, bounds, check, check_points};
use crate::terrain::edit::{EditError, PointM, Span};
use std::ops::Range;

/// Width of the narrowest channel, cells.
const CELLS_LEAST: f64 = 1.5;

/// A part of the line, and the distance along the line to its beginning.
#[derive(Debug, Clone, Copy)]
struct ChannelStretch {
    from: PointM,
    along: [f64; 2],
    length_m: f64,
    begins_m: f64,
}

/// A polyline with a width, laid over the cells.
#[derive(Debug)]
pub(super) struct ChannelLine {
    stretches: Vec<ChannelStretch>,
    half_m: f64,
    /// Cells that may be within reach of a stretch, by row.
    reaches: Vec<(Span, usize)>,
    length_m: f64,
}

impl ChannelLine {
    pub fn try_new(
        line: &[PointM],
        width_m: f64,
        lattice: &TerrainLattice,
    ) -> Result<Self, EditError> {
        check_points("a coordinate of the channel", line)?;
        check("the width of the channel", width_m, 0.0, COORDINATE_MOST_M)?;
        // So a channel contains each cell that its line runs through: the centre of such a cell is
        // up to half a diagonal, 0.707 cells, from the line, and half of the least width is 0.75
        // cells.
        let least_m = CELLS_LEAST * lattice.cell_width_m;
        if width_m < least_m {
            return Err(EditError::Narrow { width_m, least_m });
        }
        let mut stretches: Vec<ChannelStretch> = Vec::new();
        let mut begins_m = 0.0;
        for pair in line.windows(2) {
            let along = [0, 1].map(|i| pair[1][i] - pair[0][i]);
            let length_m = (along[0] * along[0] + along[1] * along[1]).sqrt();
            if length_m == 0.0 {
                continue;
            }
            stretches.push(ChannelStretch { from: pair[0], along, length_m, begins_m });
            begins_m += length_m;
        }
        if stretches.is_empty() {
            let found = line.len().min(1);
            return Err(EditError::Points { what: "the line of a channel", found, least: 2 });
        }
        let mut channel =
            Self { stretches, half_m: width_m / 2.0, reaches: Vec::new(), length_m: begins_m };
        channel.reaches = channel.reaches(lattice);
        if channel.reaches.is_empty() {
            let (low, high) = bounds(line);
            let half_m = channel.half_m;
            return Err(lattice.why_empty(low.map(|v| v - half_m), high.map(|v| v + half_m)));
        }
        Ok(channel)
    }

    fn reaches(&self, lattice: &TerrainLattice) -> Vec<(Span, usize)> {
        let mut reaches = Vec::new();
        for (index, stretch) in self.stretches.iter().enumerate() {
            let ends = [stretch.from[1], stretch.from[1] + stretch.along[1]];
            let (south, north) = (ends[0].min(ends[1]), ends[0].max(ends[1]));
            // Half a cell more: rounding shall not lose a cell here, `nearest` decides.
            let margin = self.half_m + 0.5 * lattice.cell_width_m;
            for row in lattice.rows(south - margin, north + margin) {
                let columns = stretch.columns(lattice.centre(row), margin, lattice);
                if !columns.is_empty() {
                    reaches.push((Span { row, columns }, index));
                }
            }
        }
        // By rows for `nearest`; then by stretches, so that the first of equally near ones counts.
        reaches.sort_unstable_by_key(|(span, stretch)| (span.row, *stretch));
        reaches
    }

    /// Returns the cells that may be in the channel.
    pub fn spans(&self) -> Vec<Span> {
        super::span::merged(self.reaches.iter().map(|(span, _)| span.clone()).collect())
    }

    /// Returns the place along the line, from 0 at its beginning to 1 at its end, that is nearest
    /// to a cell of the channel; `None` outside the channel.
    pub fn nearest(&self, column: usize, row: usize, lattice: &TerrainLattice) -> Option<f64> {
        let first = self.reaches.partition_point(|(span, _)| span.row < row);
        let here = self.reaches[first..].iter().take_while(|(span, _)| span.row == row);
        let centre = [lattice.centre(column), lattice.centre(row)];
        let mut best = (self.half_m * self.half_m, None);
        for (_, index) in here.filter(|(span, _)| span.columns.contains(&column)) {
            let (square, at_m) = self.stretches[*index].distance(centre);
            // The first stretch may be exactly half the width away; a later one must be nearer.
            if square < best.0 || (square <= best.0 && best.1.is_none()) {
                best = (square, Some(at_m));
            }
        }
        best.1.map(|at_m| at_m / self.length_m)
    }
}

impl ChannelStretch {
    /// Returns the columns of the row at `y_m` that may be within `margin` of the stretch.
    fn columns(&self, y_m: f64, margin: f64, lattice: &TerrainLattice) -> Range<usize> {
        // The part of the stretch no farther than `margin` from the row, from 0 to 1.
        let part = |y: f64| ((y - self.from[1]) / self.along[1]).clamp(0.0, 1.0);
        let (a, b) = if self.along[1] == 0.0 {
            (0.0, 1.0)
        } else {
            (part(y_m - margin), part(y_m + margin))
        };
        let [a, b] = [a, b].map(|part| self.from[0] + part * self.along[0]);
        lattice.columns(a.min(b) - margin, a.max(b) + margin)
    }

    /// Returns the square of the distance to a place, m², and the distance along the line to the
    /// nearest point, m.
    fn distance(&self, place: PointM) -> (f64, f64) {
        let to = [0, 1].map(|i| place[i] - self.from[i]);
        let dot = to[0] * self.along[0] + to[1] * self.along[1];
        let part = (dot / (self.length_m * self.length_m)).clamp(0.0, 1.0);
        let [dx, dy] = [0, 1].map(|i| to[i] - part * self.along[i]);
        (dx * dx + dy * dy, self.begins_m + part * self.length_m)
    }
}
