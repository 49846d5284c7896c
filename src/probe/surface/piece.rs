//! Pieces: the record of what a part wrote within one tile of a window.

use crate::probe::surface::area::WindowArea;
use crate::probe::surface::parts::{LaidGround, NO_SPAN, SurfacePart, WetSpan};
use std::ops::Range;
use thalweg_engine::grid::TILE_WIDTH;

/// Record of the cells written of a part within one tile of the window.
#[derive(Debug, Clone)]
pub(super) struct WrittenPiece {
    /// Number of the part.
    pub part: usize,
    pub area: WindowArea,
    /// Whether the bed differs from before.
    pub has_new_bed: bool,
    /// Columns of its rows that are or were wet.
    pub spans: [WetSpan; TILE_WIDTH],
    /// Columns of its rows that are wet now, for the part.
    pub held: [WetSpan; TILE_WIDTH],
    /// The ground that is in the planes now, for the part.
    pub ground: Option<LaidGround>,
    /// Area in which shores or normals changed.
    pub reached: Option<WindowArea>,
    pub is_foamy: bool,
}

impl WrittenPiece {
    pub fn new(number: usize, part: &SurfacePart, area: WindowArea) -> Self {
        let width = u8::try_from(area.x[1] - area.x[0]).expect("a tile's width at most");
        let span = if part.is_new { [0, width] } else { NO_SPAN };
        Self {
            part: number,
            area,
            has_new_bed: part.is_new,
            spans: [span; TILE_WIDTH],
            held: part.spans,
            ground: part.ground.clone(),
            reached: None,
            is_foamy: false,
        }
    }

    /// Extends the span of a row by these columns; returns it.
    pub fn widen(&mut self, row: usize, [from, to]: WetSpan) -> Range<usize> {
        let [first, last] = self.spans[row];
        let [from, to] = [first.min(from), last.max(to)];
        self.spans[row] = [from, to];
        usize::from(from.min(to))..usize::from(to)
    }

    /// Stores a new ground; returns whether the bed differs from before.
    pub fn lay(&mut self, ground: LaidGround) -> bool {
        self.has_new_bed |= !self.ground.as_ref().is_some_and(|laid| laid.is_same(&ground));
        self.ground = Some(ground);
        self.has_new_bed
    }

    /// Returns the columns of a row, by number in the piece, that are wet or were.
    pub fn span(&self, row: usize) -> Range<usize> {
        let [from, to] = self.spans[row].map(usize::from);
        from.min(to)..to
    }
}
