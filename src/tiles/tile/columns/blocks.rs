//! Pieces of tables side by side, as kernels read them.

use crate::tile::columns::Openings;
use crate::tile::columns::openings::OpeningPiece;
use crate::tile::columns::stages::StagePiece;
use std::sync::Arc;

/// Count of cells or faces whose pieces are stored side by side.
// Sixteen numbers of four bytes fill a cache line of 64 bytes.
pub const BLOCK: usize = 16;

/// Pieces of neighbouring cells of a row.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
pub struct StageBlock {
    from: [f32; BLOCK],
    to: [f32; BLOCK],
    deficit: [f32; BLOCK],
    rise: [f32; BLOCK],
    quantum: [i32; BLOCK],
}

impl StageBlock {
    /// Empty pieces.
    // `to` is not above `from`, so this piece contains no depth: the first read looks the table up.
    pub const NONE: Self = Self {
        from: [0.0; BLOCK],
        to: [0.0; BLOCK],
        deficit: [0.0; BLOCK],
        rise: [0.0; BLOCK],
        quantum: [0; BLOCK],
    };

    /// Returns piece `i`.
    #[inline(always)]
    #[must_use]
    pub fn at(&self, i: usize) -> StagePiece {
        StagePiece {
            from: self.from[i],
            to: self.to[i],
            deficit: self.deficit[i],
            rise: self.rise[i],
            quantum: self.quantum[i],
        }
    }

    /// Sets a piece.
    pub fn put(&mut self, i: usize, piece: StagePiece) {
        let StagePiece { from, to, deficit, rise, quantum } = piece;
        (self.from[i], self.to[i]) = (from, to);
        (self.deficit[i], self.rise[i], self.quantum[i]) = (deficit, rise, quantum);
    }
}

/// Pieces of neighbouring faces of a row, and the values of their tables that a step reads.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
pub struct OpeningBlock {
    /// Lowest sills, vertical units.
    pub sill: [i32; BLOCK],
    /// Falls of the ground, vertical units.
    pub fall: [i32; BLOCK],
    from: [f32; BLOCK],
    to: [f32; BLOCK],
    area: [f32; BLOCK],
    area_rise: [f32; BLOCK],
    conveying: [f32; BLOCK],
    conveying_rise: [f32; BLOCK],
}

/// Returns empty pieces for `count` faces.
#[must_use]
pub fn blocks_of(tables: &Openings, count: usize) -> Arc<[OpeningBlock]> {
    let zeros = [0.0; BLOCK];
    let block = |i: usize| OpeningBlock {
        sill: std::array::from_fn(|at| tables.faces[BLOCK * i + at].sill),
        fall: std::array::from_fn(|at| tables.faces[BLOCK * i + at].fall),
        from: zeros,
        to: zeros,
        area: zeros,
        area_rise: zeros,
        conveying: zeros,
        conveying_rise: zeros,
    };
    (0..count / BLOCK).map(block).collect()
}

impl OpeningBlock {
    /// Returns piece `i`.
    #[inline(always)]
    #[must_use]
    pub fn at(&self, i: usize) -> OpeningPiece {
        OpeningPiece {
            from: self.from[i],
            to: self.to[i],
            area: self.area[i],
            area_rise: self.area_rise[i],
            conveying: self.conveying[i],
            conveying_rise: self.conveying_rise[i],
        }
    }

    /// Sets a piece.
    pub fn put(&mut self, i: usize, piece: OpeningPiece) {
        let OpeningPiece { from, to, area, area_rise, conveying, conveying_rise } = piece;
        (self.from[i], self.to[i]) = (from, to);
        (self.area[i], self.area_rise[i]) = (area, area_rise);
        (self.conveying[i], self.conveying_rise[i]) = (conveying, conveying_rise);
    }
}
