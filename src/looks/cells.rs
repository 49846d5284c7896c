//! The cells of a surface, and lists of things in them that are kept up to date by tiles.
//!
//! Guarantees: after any updates a list is that of all cells read anew, if every part in which a
//!             cell has changed was given.
//! Limits:     after a change of the window all cells are read.

use crate::probe::{Surface, Window};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::ops::Range;
use thalweg_engine::grid::TILE_WIDTH;
use thalweg_engine::grid::cells::CellPlace;

/// Cells of a window, row by row from the south-west.
#[derive(Debug, Clone, Copy)]
pub(super) struct WindowCells<'a> {
    pub window: Window,
    pub bed_m: &'a [f32],
    pub depth_m: &'a [f32],
    pub stage_m: &'a [f32],
    pub velocity_m_s: [&'a [f32]; 2],
    pub foam: &'a [f32],
}

/// A cell of a window: column, row, and place in the planes.
#[derive(Debug, Clone, Copy)]
pub(super) struct WindowCell {
    pub x: usize,
    pub y: usize,
    pub at: usize,
}

impl<'a> WindowCells<'a> {
    pub fn of(surface: &'a Surface) -> Self {
        Self {
            window: surface.window(),
            bed_m: surface.bed_m(),
            depth_m: surface.depth_m(),
            stage_m: surface.stage_m(),
            velocity_m_s: surface.velocity_m_s(),
            foam: surface.foam(),
        }
    }

    /// Returns the cell beside another one, if the window has it.
    pub fn beside(&self, cell: WindowCell, [east, north]: [isize; 2]) -> Option<WindowCell> {
        let x = cell.x.checked_add_signed(east).filter(|x| *x < self.window.width)?;
        let y = cell.y.checked_add_signed(north).filter(|y| *y < self.window.height)?;
        Some(WindowCell { x, y, at: y * self.window.width + x })
    }

    /// Returns the cell with a column and row among all cells of the level, if the window has it.
    pub fn find(&self, number: [u32; 2]) -> Option<WindowCell> {
        let Window { corner, width, height, .. } = self.window;
        let x = number[0].checked_sub(corner.x).map(|x| x as usize).filter(|x| *x < width)?;
        let y = number[1].checked_sub(corner.y).map(|y| y as usize).filter(|y| *y < height)?;
        Some(WindowCell { x, y, at: y * width + x })
    }

    /// Returns the elevation seen from above: the stage if it is wet, else the bed, m.
    pub fn top_m(&self, at: usize) -> f32 {
        if self.depth_m[at] > 0.0 { self.stage_m[at] } else { self.bed_m[at] }
    }

    /// Returns the column and row among all cells of the level.
    #[expect(clippy::cast_possible_truncation, reason = "a window ends below 2³²")]
    pub fn number(&self, cell: WindowCell) -> [u32; 2] {
        [self.window.corner.x + cell.x as u32, self.window.corner.y + cell.y as u32]
    }
}

/// Columns and rows of a window.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Rect {
    pub x: Range<usize>,
    pub y: Range<usize>,
}

impl Rect {
    /// Returns a part of a window, and `margin` more cells on each side, within the window.
    pub fn of(part: &Window, window: &Window, margin: usize) -> Option<Self> {
        if part.level != window.level {
            return None;
        }
        let range = |from: u32, count: usize, corner: u32, all: usize| {
            let low = i64::from(from) - i64::from(corner);
            let high = low + i64::try_from(count).unwrap_or(i64::MAX >> 1);
            let end = i64::try_from(all).unwrap_or(i64::MAX);
            let place = |v: i64| usize::try_from(v.clamp(0, end)).expect("in the window");
            let is_in = low < end && high > 0;
            let margin = i64::try_from(margin).unwrap_or(0);
            if is_in { place(low - margin)..place(high + margin) } else { 0..0 }
        };
        let x = range(part.corner.x, part.width, window.corner.x, window.width);
        let y = range(part.corner.y, part.height, window.corner.y, window.height);
        (!x.is_empty() && !y.is_empty()).then_some(Self { x, y })
    }

    pub fn whole(window: &Window) -> Self {
        Self { x: 0..window.width, y: 0..window.height }
    }

    /// Returns the smallest rectangle that contains both.
    pub fn union(&self, other: &Self) -> Self {
        let join = |a: &Range<usize>, b: &Range<usize>| a.start.min(b.start)..a.end.max(b.end);
        Self { x: join(&self.x, &other.x), y: join(&self.y, &other.y) }
    }

    /// True if all of `other` is in this rectangle.
    pub fn holds(&self, other: &Self) -> bool {
        self.union(other) == *self
    }

    /// Returns the rectangle as a window of its own.
    #[expect(clippy::cast_possible_truncation, reason = "a window ends below 2³²")]
    pub fn part_of(&self, window: &Window) -> Window {
        let Window { level, corner, .. } = *window;
        let corner =
            CellPlace { x: corner.x + self.x.start as u32, y: corner.y + self.y.start as u32 };
        Window { level, corner, width: self.x.len(), height: self.y.len() }
    }

    /// Returns the parts in one tile of the level each, with the tile's row and column.
    pub fn by_tiles(&self, window: &Window) -> Vec<([usize; 2], Self)> {
        let pieces = |range: &Range<usize>, corner: u32| {
            let (range, first) = (range.clone(), corner as usize);
            let tiles = (range.start + first) / TILE_WIDTH..=(range.end - 1 + first) / TILE_WIDTH;
            tiles.map(move |tile| (tile, cells_of_tile(tile, corner, &range)))
        };
        pieces(&self.y, window.corner.y)
            .flat_map(|(row, y)| {
                pieces(&self.x, window.corner.x)
                    .map(move |(column, x)| ([row, column], Self { x, y: y.clone() }))
            })
            .collect()
    }
}

/// Returns the columns, or rows, of a tile in a range of a window whose corner is at `corner`.
pub(super) fn cells_of_tile(tile: usize, corner: u32, range: &Range<usize>) -> Range<usize> {
    let (first, corner) = (tile * TILE_WIDTH, corner as usize);
    // The end of the last tile is beyond numbers of 32 bits; its last cell is not.
    let end = (first + TILE_WIDTH - 1).checked_sub(corner).map_or(0, |last| last + 1);
    first.saturating_sub(corner).max(range.start)..end.min(range.end)
}

/// Something in a cell.
pub(super) trait InCell: Clone + PartialEq + Send + Sync {
    /// Returns the column and row of the cell among those of its level.
    fn cell(&self) -> [u32; 2];
}

/// Things in the cells of a window, by tiles: rows and columns of tiles in order, and in each tile
/// the cells in order.
#[derive(Debug, Clone)]
pub(super) struct TiledList<T> {
    window: Option<Window>,
    tiles: BTreeMap<[usize; 2], Vec<T>>,
}

impl<T: InCell> TiledList<T> {
    /// Returns an empty list, of no window.
    pub fn new() -> Self {
        Self { window: None, tiles: BTreeMap::new() }
    }

    /// Reads again the cells that have changed and `margin` cells around; returns whether the list
    /// has changed.
    pub fn update(
        &mut self,
        cells: &WindowCells<'_>,
        (changed, margin): (&[Window], usize),
        find: impl Fn(&WindowCells<'_>, WindowCell, &mut Vec<T>) + Sync,
    ) -> bool {
        let window = cells.window;
        let is_other = self.window != Some(window);
        let rects: Vec<Rect> = if is_other {
            self.tiles.clear();
            self.window = Some(window);
            vec![Rect::whole(&window)]
        } else {
            changed.iter().filter_map(|part| Rect::of(part, &window, margin)).collect()
        };
        let rects: Vec<_> = rects.iter().flat_map(|rect| rect.by_tiles(&window)).collect();
        let look = |(tile, rect): ([usize; 2], Rect)| {
            let mut found = Vec::new();
            for y in rect.y.clone() {
                for x in rect.x.clone() {
                    let at = y * window.width + x;
                    if cells.depth_m[at] > 0.0 {
                        find(cells, WindowCell { x, y, at }, &mut found);
                    }
                }
            }
            (tile, rect, found)
        };
        let found: Vec<_> = rects.into_par_iter().map(look).collect();
        let mut has_changed = is_other;
        for (tile, rect, found) in found {
            has_changed |= self.replace(tile, &rect, &found);
        }
        has_changed
    }

    /// Replaces the things in a part of a tile by those found there.
    fn replace(&mut self, tile: [usize; 2], rect: &Rect, found: &[T]) -> bool {
        let Some(Window { corner, .. }) = self.window else { return false };
        let is_within = |thing: &T| {
            let [x, y] = thing.cell();
            let local = [x.wrapping_sub(corner.x) as usize, y.wrapping_sub(corner.y) as usize];
            rect.x.contains(&local[0]) && rect.y.contains(&local[1])
        };
        if found.is_empty() && !self.tiles.contains_key(&tile) {
            return false;
        }
        let all = self.tiles.entry(tile).or_default();
        if all.iter().filter(|thing| is_within(thing)).eq(found.iter()) {
            return false;
        }
        all.retain(|thing| !is_within(thing));
        all.extend_from_slice(found);
        // Stable: several things of one cell stay in the order in which they were found, as if all
        // cells were read anew.
        all.sort_by_key(|thing| {
            let [x, y] = thing.cell();
            [y, x]
        });
        if all.is_empty() {
            self.tiles.remove(&tile);
        }
        true
    }

    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.tiles.values().flatten()
    }
}
