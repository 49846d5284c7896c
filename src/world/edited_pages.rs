//! Edits of beds that stay in their file: worked out on pages, all that follows from them too,
//! before any page changes.
//!
//! Guarantees: every coarse bed is the one that a terrain in memory would have
//!             (`tests/engine/streamed.rs`); an edit whose pages cannot be read changes nothing.
//! Limits:     a coarse cell that is partly outside the world reads all finest beds below it.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use thalweg_engine::grid::cells::CellPlace;
use thalweg_engine::grid::{TILE_WIDTH, TileKey};
use thalweg_engine::stream::{PageKind, Pager};
use thalweg_engine::terrain::edit::{EditBase, coarser};
use thalweg_engine::terrain::pyramid::{mean_bed, mean_of_ground};
use thalweg_engine::terrain::{Changed, EditError, EditPlan, Span};
use thalweg_engine::tile::CowPlane;
use thalweg_engine::units::OUTSIDE;

/// Looks at the finest beds of a world in its file.
pub(super) fn with_base<T>(pager: &Pager, look: impl FnOnce(&EditBase<'_>) -> T) -> T {
    let head = pager.head();
    let row = |row: usize, columns: Range<usize>, out: &mut Vec<i32>| {
        let mut from = columns.start;
        while from < columns.end {
            let to = columns.end.min((from / TILE_WIDTH + 1) * TILE_WIDTH);
            let tile = tile_of(0, from, row);
            let page = pager.beds(PageKind::GroundBeds.of(tile)).map_err(|e| unread(&e))?;
            let first = row % TILE_WIDTH * TILE_WIDTH;
            out.extend_from_slice(&page[first + from % TILE_WIDTH..][..to - from]);
            from = to;
        }
        Ok(())
    };
    look(&EditBase {
        size: (head.width, head.height),
        cell_width_m: head.cell_width_m,
        scale: head.scale,
        bed_exponent: head.bed_exponent,
        row: &row,
    })
}

/// Makes a planned edit, on all levels.
pub(super) fn apply(pager: &Pager, plan: &EditPlan) -> Result<Changed, EditError> {
    let mut pages = EditedPages { pager, planes: BTreeMap::new(), changed: BTreeSet::new() };
    let mut spans = Vec::new();
    for (Span { row, columns }, new) in plan.rows() {
        let mut changed: Option<Range<usize>> = None;
        for (x, &bed) in columns.clone().zip(new) {
            if pages.bed(0, x, *row)? != bed {
                pages.put(0, x, *row, bed)?;
                changed = Some(changed.map_or(x, |range| range.start)..x + 1);
            }
        }
        spans.extend(changed.map(|columns| Span { row: *row, columns }));
    }
    let mut cells = spans.clone();
    // Levels follow from fine to coarse, because each is computed from the edited one below it.
    for level in 1..=pager.head().coarsest {
        cells = coarser(&cells, 1);
        for Span { row, columns } in &cells {
            for x in columns.clone() {
                let bed = pages.coarse_bed(level, x, *row)?;
                pages.put(level, x, *row, bed)?;
            }
        }
    }
    let EditedPages { planes, changed, .. } = pages;
    // Packed depths refer to the old beds, which are put aside for them: this is the last step that
    // may fail.
    pager.put_aside(changed.iter().copied()).map_err(|error| unread(&error))?;
    pager.edit(planes.into_iter().filter(|(tile, _)| changed.contains(tile)));
    Ok(Changed::of(spans))
}

fn unread(error: &impl ToString) -> EditError {
    EditError::Page { reason: error.to_string() }
}

fn tile_of(level: u8, x: usize, y: usize) -> TileKey {
    let number = |i: usize| u32::try_from(i / TILE_WIDTH).expect("2¹⁴ tiles a side");
    TileKey { level, x: number(x), y: number(y) }
}

/// Pages under an edit.
struct EditedPages<'a> {
    pager: &'a Pager,
    planes: BTreeMap<TileKey, CowPlane<i32>>,
    changed: BTreeSet<TileKey>,
}

impl EditedPages<'_> {
    /// Returns the page that contains a cell, and the place of the cell in it.
    fn page(
        &mut self,
        level: u8,
        x: usize,
        y: usize,
    ) -> Result<(TileKey, &mut CowPlane<i32>, usize), EditError> {
        let tile = tile_of(level, x, y);
        let plane = match self.planes.entry(tile) {
            std::collections::btree_map::Entry::Occupied(plane) => plane.into_mut(),
            std::collections::btree_map::Entry::Vacant(place) => {
                let page = self.pager.beds(PageKind::GroundBeds.of(tile));
                place.insert(page.map_err(|error| unread(&error))?)
            }
        };
        Ok((tile, plane, y % TILE_WIDTH * TILE_WIDTH + x % TILE_WIDTH))
    }

    fn bed(&mut self, level: u8, x: usize, y: usize) -> Result<i32, EditError> {
        let (_, plane, cell) = self.page(level, x, y)?;
        Ok(plane[cell])
    }

    fn put(&mut self, level: u8, x: usize, y: usize, bed: i32) -> Result<(), EditError> {
        let (tile, plane, cell) = self.page(level, x, y)?;
        if plane[cell] != bed {
            plane[cell] = bed;
            self.changed.insert(tile);
        }
        Ok(())
    }

    /// Whether a part of a coarse cell with ground is outside.
    fn is_part(&self, level: u8, x: usize, y: usize) -> Result<bool, EditError> {
        let tile = tile_of(level, x, y);
        if !self.pager.is_ragged(tile) {
            return Ok(false);
        }
        let page = self.pager.beds(PageKind::Beds.of(tile)).map_err(|error| unread(&error))?;
        let [x, y] = [x, y].map(|i| u32::try_from(i).expect("2²⁰ cells a side"));
        Ok(page[CellPlace { x, y }.index_in_tile()] == OUTSIDE)
    }

    /// Returns the bed that follows from the beds below a coarse cell.
    fn coarse_bed(&mut self, level: u8, x: usize, y: usize) -> Result<i32, EditError> {
        if self.bed(level, x, y)? == OUTSIDE {
            return Ok(OUTSIDE);
        }
        if !self.is_part(level, x, y)? {
            let mut children = [0; 4];
            for (i, child) in children.iter_mut().enumerate() {
                *child = self.bed(level - 1, 2 * x + i % 2, 2 * y + i / 2)?;
            }
            return Ok(mean_bed(children));
        }
        // The children may have unequal parts of ground, so a mean of their means would be wrong.
        let (width, height) = self.pager.head().size(0);
        let range = |at: usize, end: usize| (at << level).min(end)..((at + 1) << level).min(end);
        let mut beds = Vec::new();
        for y in range(y, height) {
            for x in range(x, width) {
                beds.push(self.bed(0, x, y)?);
            }
        }
        Ok(mean_of_ground(beds.into_iter()))
    }
}
