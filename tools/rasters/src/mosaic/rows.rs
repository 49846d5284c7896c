//! The rows of a mosaic.

use std::collections::BTreeMap;

use super::{MosaicPiece, Remark, add_remarks};
use crate::error::RasterError;
use crate::facts::Fact;
use crate::grid::Grid;
use crate::opening;
use crate::source::{RowSource, end_of_skip, expect_width, past_the_end};

/// Rows over all rasters that they cross.
pub(super) struct Mosaic {
    grid: Grid,
    pieces: Vec<MosaicPiece>,
    /// Pieces that no row has reached, the next one last.
    waiting: Vec<usize>,
    /// Sources that the next row may cross, by their order.
    open: BTreeMap<usize, OpenedMember>,
    scratch: Vec<f64>,
    next: usize,
    remarks: Vec<Remark>,
    facts: Vec<Fact>,
    scale: Option<(f64, f64)>,
}

/// A raster whose rows are read.
struct OpenedMember {
    source: Box<dyn RowSource>,
    /// Number of remarks before the first row, which the mosaic has of all rasters.
    early: usize,
}

impl Mosaic {
    pub(super) fn new(grid: Grid, pieces: Vec<MosaicPiece>, remarks: Vec<Remark>) -> Self {
        let mut waiting: Vec<usize> = (0..pieces.len()).collect();
        waiting.sort_by_key(|&index| std::cmp::Reverse(pieces[index].north));
        let scratch = vec![f64::NAN; pieces.iter().map(|p| p.grid.width).max().unwrap_or(0)];
        let (open, facts) = (BTreeMap::new(), Vec::new());
        Self { grid, pieces, waiting, open, scratch, next: 0, remarks, facts, scale: None }
    }

    /// Adds the facts of the first raster, which count for all, and the scale if all have one.
    pub(super) fn with_facts(mut self, facts: Vec<Fact>, scale: Option<(f64, f64)>) -> Self {
        (self.facts, self.scale) = (facts, scale);
        self
    }

    /// Opens the rasters that begin at the next row, or before it if rows were passed over.
    fn reach(&mut self) -> Result<(), RasterError> {
        while let Some(&index) = self.waiting.last()
            && self.pieces[index].north <= self.next
        {
            self.waiting.pop();
            let piece = &self.pieces[index];
            if piece.north + piece.grid.height <= self.next {
                continue;
            }
            let mut source = opening::open_one(&piece.path, &piece.hints)?;
            if *source.grid() != piece.grid {
                let what = "has changed since it was looked at: start again";
                return Err(RasterError::damaged(&piece.path, what));
            }
            let early = source.remarks().len();
            source.skip_rows(self.next - piece.north)?;
            self.open.insert(index, OpenedMember { source, early });
        }
        Ok(())
    }

    /// Closes the rasters that ended before the next row, and adds the remarks on all their rows.
    fn close(&mut self) {
        let (pieces, next, remarks) = (&self.pieces, self.next, &mut self.remarks);
        self.open.retain(|&index, OpenedMember { source, early }| {
            let MosaicPiece { path, north, grid, .. } = &pieces[index];
            let is_open = north + grid.height > next;
            if !is_open {
                add_remarks(remarks, path, source.remarks().split_off(*early));
            }
            is_open
        });
    }
}

impl RowSource for Mosaic {
    fn grid(&self) -> &Grid {
        &self.grid
    }

    fn remarks(&self) -> Vec<String> {
        self.remarks.iter().map(Remark::to_string).collect()
    }

    fn facts(&self) -> Vec<Fact> {
        self.facts.clone()
    }

    fn scale(&self) -> Option<(f64, f64)> {
        self.scale
    }

    fn next_row(&mut self, row: &mut [f64]) -> Result<(), RasterError> {
        expect_width(&self.grid, row);
        if self.next == self.grid.height {
            return Err(past_the_end(&self.grid));
        }
        self.reach()?;
        row.fill(f64::NAN);
        for (&index, OpenedMember { source, .. }) in &mut self.open {
            let MosaicPiece { west, grid, .. } = &self.pieces[index];
            let values = &mut self.scratch[..grid.width];
            source.next_row(values)?;
            for (cell, value) in row[*west..].iter_mut().zip(values) {
                if !value.is_nan() {
                    *cell = *value;
                }
            }
        }
        self.next += 1;
        self.close();
        Ok(())
    }

    fn skip_rows(&mut self, count: usize) -> Result<(), RasterError> {
        let end = end_of_skip(&self.grid, self.next, count)?;
        for (&index, OpenedMember { source, .. }) in &mut self.open {
            let MosaicPiece { north, grid, .. } = &self.pieces[index];
            source.skip_rows(end.min(north + grid.height) - self.next)?;
        }
        self.next = end;
        self.close();
        Ok(())
    }
}
