//! Bands: the rows of a window in one row of tiles, each the work of one thread.
//!
//! ```text
//! write     each piece its own cells           all bands at once
//! derive    its cells and four rows around     every second band at once, then those between
//! ```
//!
//! Guarantees: planes are the same for any number of threads: no piece reads cells that another one
//!             writes at the same time, and shores and normals follow from wet cells and beds alone
//!             (`src/probe/surface/shore.rs`).
//! Source:     own.

use crate::probe::Window;
use crate::probe::surface::area::{WindowArea, WindowTiles};
use crate::probe::surface::foam::Fading;
use crate::probe::surface::parts::SurfacePart;
use crate::probe::surface::piece::WrittenPiece;
use crate::probe::surface::planes::SurfacePlanes;
use crate::probe::surface::shore::REACH;
use crate::probe::surface::state::SurfaceState;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::ops::Range;
use thalweg_engine::grid::TILE_WIDTH;

/// Rows around a piece that its shore and normals read: the shore extends two rows beyond the
/// piece, and reads wet cells two rows beyond those.
const MARGIN: usize = 2 * REACH;

/// The work in one band.
#[derive(Debug)]
struct SurfaceBand {
    rows: Range<usize>,
    pieces: Vec<WrittenPiece>,
    fading: Vec<Fading>,
}

/// The bands of a window that have work, by their numbers from the south.
#[derive(Debug)]
pub(super) struct Bands<'a> {
    window: &'a Window,
    tiles: &'a WindowTiles,
    bands: BTreeMap<usize, SurfaceBand>,
}

impl<'a> Bands<'a> {
    /// Returns bands without work on a window.
    pub fn of(window: &'a Window, tiles: &'a WindowTiles) -> Self {
        Self { window, tiles, bands: BTreeMap::new() }
    }

    /// Returns the band of an area that is in one band.
    fn band(&mut self, area: WindowArea) -> &mut SurfaceBand {
        let (skip, height) = (self.window.corner.indices()[1] % TILE_WIDTH, self.window.height);
        let edge = |band: usize| (band * TILE_WIDTH).saturating_sub(skip).min(height);
        let band = (skip + area.y[0]) / TILE_WIDTH;
        self.bands.entry(band).or_insert_with(|| {
            let rows = edge(band)..edge(band + 1);
            SurfaceBand { rows, pieces: Vec::new(), fading: Vec::new() }
        })
    }

    /// Adds a part to be written.
    pub fn add(&mut self, number: usize, part: &SurfacePart) {
        for area in self.tiles.pieces(part.area) {
            self.band(area).pieces.push(WrittenPiece::new(number, part, area));
        }
    }

    /// Adds a part in which foam is to fade.
    pub fn add_fading(&mut self, number: usize, part: &SurfacePart) {
        for area in self.tiles.pieces(part.area) {
            self.band(area).fading.push(Fading { part: number, area, is_left: false });
        }
    }

    /// Does the work, on all threads.
    pub fn renew(
        &mut self,
        planes: &mut SurfacePlanes,
        parts: &[SurfacePart],
        state: &SurfaceState<'_>,
        decay: f32,
    ) {
        let window = self.window;
        let rows: Vec<Range<usize>> = self.bands.values().map(|band| band.rows.clone()).collect();
        let bands: Vec<&mut SurfaceBand> = self.bands.values_mut().collect();
        let slabs = planes.slabs(&rows).into_par_iter().zip(bands);
        slabs.with_max_len(1).for_each(|(mut slab, band)| {
            let mut cursor = None;
            for piece in &mut band.pieces {
                slab.write(state, window, &parts[piece.part], piece, &mut cursor);
            }
            for fading in &mut band.fading {
                fading.is_left = slab.fade(fading.area, decay);
            }
        });
        let width_m = state.query.cell_width_m(window.level);
        // Between two bands of one parity there is a whole band of 64 rows, more than two margins:
        // slabs do not overlap.
        for parity in 0..2 {
            let bands = self.bands.iter_mut().filter(|(number, _)| *number % 2 == parity);
            let bands: Vec<&mut SurfaceBand> = bands.map(|(_, band)| band).collect();
            let rows = bands.iter().map(|SurfaceBand { rows, .. }| {
                rows.start.saturating_sub(MARGIN)..(rows.end + MARGIN).min(window.height)
            });
            let rows: Vec<Range<usize>> = rows.collect();
            let slabs = planes.slabs(&rows).into_par_iter().zip(bands);
            slabs.with_max_len(1).for_each(|(mut slab, band)| {
                for piece in &mut band.pieces {
                    piece.reached = slab.derive(piece, window, width_m);
                    piece.is_foamy = slab.froth(piece, decay);
                }
            });
        }
    }

    /// Notes in the parts the areas written; returns where planes changed.
    pub fn settle(self, parts: &mut [SurfacePart]) -> Vec<WindowArea> {
        let all = || self.bands.values();
        // All flags are cleared before any is set: a part has a piece in each tile that it touches.
        for piece in all().flat_map(|band| &band.pieces) {
            let part = &mut parts[piece.part];
            (part.is_new, part.is_foamy) = (false, false);
        }
        for fading in all().flat_map(|band| &band.fading) {
            parts[fading.part].is_foamy = false;
        }
        let mut changed = Vec::new();
        for fading in all().flat_map(|band| &band.fading) {
            parts[fading.part].is_foamy |= fading.is_left;
            changed.push(fading.area);
        }
        for piece in self.bands.into_values().flat_map(|band| band.pieces) {
            let part = &mut parts[piece.part];
            part.is_foamy |= piece.is_foamy;
            part.spans = piece.held;
            part.ground = piece.ground;
            changed.extend(piece.reached);
        }
        changed
    }
}
