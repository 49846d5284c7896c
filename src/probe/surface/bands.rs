//! Bands: the rows of a window that lie in one row of tiles, each the work of one thread.
//!
//! ```text
//! write     each piece its own cells           all bands at once
//! derive    its cells and four rows around     every second band at once, then those between
//! ```
//!
//! Guarantees: planes are the same whatever the count of threads: no piece reads what another one
//!             writes at the same time, and shores and normals follow from wet cells and beds alone
//!             (`src/probe/surface/shore.rs`).
//! Source:     own.

use crate::grid::TILE_WIDTH;
use crate::probe::Window;
use crate::probe::surface::area::{Area, Tiles};
use crate::probe::surface::foam::Fading;
use crate::probe::surface::parts::Part;
use crate::probe::surface::piece::Piece;
use crate::probe::surface::planes::Planes;
use crate::probe::surface::shore::REACH;
use crate::probe::surface::state::State;
use rayon::prelude::*;
use std::ops::Range;

/// Rows around a piece that its shore and normals read: wet cells two beyond those two.
const MARGIN: usize = 2 * REACH;

/// The work in one band.
#[derive(Debug, Default)]
struct Band {
    pieces: Vec<Piece>,
    fading: Vec<Fading>,
}

/// The bands of a window, with the work in each.
#[derive(Debug)]
pub(super) struct Bands {
    rows: Vec<Range<usize>>,
    bands: Vec<Band>,
}

impl Bands {
    /// The bands of a window, without work.
    pub fn of(window: &Window) -> Self {
        let skip = window.corner.indices()[1] % TILE_WIDTH;
        let count = (skip + window.height).div_ceil(TILE_WIDTH);
        let edge = |band: usize| (band * TILE_WIDTH).saturating_sub(skip).min(window.height);
        let rows = (0..count).map(|band| edge(band)..edge(band + 1));
        Self { rows: rows.collect(), bands: (0..count).map(|_| Band::default()).collect() }
    }

    /// The band of an area that lies in one.
    fn band(&mut self, area: Area) -> &mut Band {
        let band = self.rows.partition_point(|rows| rows.end <= area.y[0]);
        &mut self.bands[band]
    }

    /// A part is to be written.
    pub fn add(&mut self, number: usize, part: &Part, tiles: &Tiles) {
        for area in tiles.pieces(part.area) {
            self.band(area).pieces.push(Piece::new(number, part, area));
        }
    }

    /// Foam is to fade in a part.
    pub fn add_fading(&mut self, number: usize, part: &Part, tiles: &Tiles) {
        for area in tiles.pieces(part.area) {
            self.band(area).fading.push(Fading { part: number, area, is_left: false });
        }
    }

    /// Does the work, on all threads.
    pub fn renew(
        &mut self,
        (planes, parts): (&mut Planes, &[Part]),
        state: &State<'_>,
        window: &Window,
        decay: f32,
    ) {
        let slabs = planes.slabs(&self.rows).into_par_iter().zip(&mut self.bands);
        slabs.with_max_len(1).for_each(|(mut slab, band)| {
            for piece in &mut band.pieces {
                slab.write(state, window, &parts[piece.part], piece);
            }
            for fading in &mut band.fading {
                fading.is_left = slab.fade(fading.area, decay);
            }
        });
        let width_m = state.query.cell_width_m(window.level);
        for parity in 0..2 {
            let rows = self.rows.iter().skip(parity).step_by(2);
            let rows = rows.map(|rows| {
                rows.start.saturating_sub(MARGIN)..(rows.end + MARGIN).min(window.height)
            });
            let rows: Vec<Range<usize>> = rows.collect();
            let bands: Vec<&mut Band> = self.bands.iter_mut().skip(parity).step_by(2).collect();
            let slabs = planes.slabs(&rows).into_par_iter().zip(bands);
            slabs.with_max_len(1).for_each(|(mut slab, band)| {
                for piece in &mut band.pieces {
                    piece.reached = slab.derive(piece, window, width_m);
                    piece.is_foamy = slab.froth(piece, decay);
                }
            });
        }
    }

    /// Lets the parts know what was written, and notes where.
    pub fn settle(self, parts: &mut [Part], tiles: &mut Tiles) {
        let all = || self.bands.iter();
        for piece in all().flat_map(|band| &band.pieces) {
            let part = &mut parts[piece.part];
            (part.is_new, part.is_foamy) = (false, false);
        }
        for fading in all().flat_map(|band| &band.fading) {
            parts[fading.part].is_foamy = false;
            tiles.note(fading.area);
        }
        for fading in all().flat_map(|band| &band.fading) {
            parts[fading.part].is_foamy |= fading.is_left;
        }
        for piece in self.bands.into_iter().flat_map(|band| band.pieces) {
            let part = &mut parts[piece.part];
            part.is_foamy |= piece.is_foamy;
            part.spans = piece.held;
            part.ground = piece.ground;
            piece.reached.into_iter().for_each(|area| tiles.note(area));
        }
    }
}
