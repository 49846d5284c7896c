//! Rectangles of cells within a window.

use crate::probe::Window;
use thalweg_engine::grid::cells::{CellPlace, TILE_WIDTH_U32};
use thalweg_engine::grid::{TILE_WIDTH, TileKey};

/// Columns and rows of a window, from the first to before the last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct WindowArea {
    pub x: [usize; 2],
    pub y: [usize; 2],
}

impl WindowArea {
    /// Returns the part of the window over a tile of any level; `None` if it is empty.
    pub fn of(window: &Window, key: TileKey) -> Option<Self> {
        let [x, y] =
            [(window.corner.x, window.width, key.x), (window.corner.y, window.height, key.y)].map(
                |(corner, count, tile)| within(window.level, (corner, count), (key.level, tile)),
            );
        Some(Self { x: x?, y: y? })
    }

    /// Returns a copy with `margin` more cells on each side, within the window.
    pub fn with_margin(self, margin: usize, window: &Window) -> Self {
        let wider = |[from, to]: [usize; 2], count: usize| {
            [from.saturating_sub(margin), (to + margin).min(count)]
        };
        Self { x: wider(self.x, window.width), y: wider(self.y, window.height) }
    }

    /// Returns the smallest area that contains both.
    pub fn union(self, other: Self) -> Self {
        let join = |a: [usize; 2], b: [usize; 2]| [a[0].min(b[0]), a[1].max(b[1])];
        Self { x: join(self.x, other.x), y: join(self.y, other.y) }
    }

    /// Returns the area that both have in common, if any.
    fn common(self, other: Self) -> Option<Self> {
        let meet = |a: [usize; 2], b: [usize; 2]| [a[0].max(b[0]), a[1].min(b[1])];
        let (x, y) = (meet(self.x, other.x), meet(self.y, other.y));
        (x[0] < x[1] && y[0] < y[1]).then_some(Self { x, y })
    }

    /// Returns the area as a window of its own.
    pub fn window(self, of: &Window) -> Window {
        let at = |corner: u32, step: usize| corner + u32::try_from(step).expect("in a window");
        Window {
            level: of.level,
            corner: CellPlace { x: at(of.corner.x, self.x[0]), y: at(of.corner.y, self.y[0]) },
            width: self.x[1] - self.x[0],
            height: self.y[1] - self.y[0],
        }
    }
}

/// Returns the range of a row or column of cells that one row or column of a tile covers.
fn within(
    level: u8,
    (corner, count): (u32, usize),
    (of_tile, tile): (u8, u32),
) -> Option<[usize; 2]> {
    // Places have 32 bits, but the end of the last tile is beyond them.
    let from = u64::from(tile) * u64::from(TILE_WIDTH_U32);
    let (from, to) = if of_tile >= level {
        let shift = of_tile - level;
        (from << shift, (from + u64::from(TILE_WIDTH_U32)) << shift)
    } else {
        let shift = level - of_tile;
        (from >> shift, (from + u64::from(TILE_WIDTH_U32)).div_ceil(1 << shift))
    };
    let corner = u64::from(corner);
    let [from, to] = [from, to].map(|v| v.saturating_sub(corner).min(count as u64));
    let place = |v: u64| usize::try_from(v).expect("at most the window's count");
    (from < to).then(|| [place(from), place(to)])
}

/// The tiles of a window's own level, and the area written in each.
#[derive(Debug, Default)]
pub(super) struct WindowTiles {
    /// Columns and rows of the window before its first whole tile.
    skip: [usize; 2],
    columns: usize,
    written: Vec<Option<WindowArea>>,
}

impl WindowTiles {
    pub fn of(window: &Window) -> Self {
        let skip = [window.corner.x, window.corner.y].map(|v| v as usize % TILE_WIDTH);
        let count = |axis: usize, cells: usize| (skip[axis] + cells).div_ceil(TILE_WIDTH);
        let (columns, rows) = (count(0, window.width), count(1, window.height));
        Self { skip, columns, written: vec![None; columns * rows] }
    }

    /// Returns the parts of an area that are in one tile each.
    pub fn pieces(&self, area: WindowArea) -> impl Iterator<Item = WindowArea> + use<> {
        let (skip, columns) = (self.skip, self.columns);
        self.numbers(area).filter_map(move |tile| tile_area(skip, columns, tile).common(area))
    }

    /// Notes that an area was written.
    pub fn note(&mut self, area: WindowArea) {
        for tile in self.numbers(area) {
            if let Some(part) = tile_area(self.skip, self.columns, tile).common(area) {
                let written = &mut self.written[tile];
                *written = Some(written.map_or(part, |before| before.union(part)));
            }
        }
    }

    /// Returns the parts written since the last call.
    pub fn take(&mut self, window: &Window) -> Vec<Window> {
        let written = self.written.iter_mut().filter_map(Option::take);
        written.map(|area| area.window(window)).collect()
    }

    /// Returns the tiles that an area touches.
    fn numbers(&self, area: WindowArea) -> impl Iterator<Item = usize> + use<> {
        let tiles = |axis: usize, [from, to]: [usize; 2]| {
            (self.skip[axis] + from) / TILE_WIDTH..(self.skip[axis] + to).div_ceil(TILE_WIDTH)
        };
        let (columns, across) = (self.columns, tiles(0, area.x));
        tiles(1, area.y).flat_map(move |y| across.clone().map(move |x| y * columns + x))
    }
}

/// Returns a tile of a window, as if the window had no end.
fn tile_area(skip: [usize; 2], columns: usize, tile: usize) -> WindowArea {
    let span = |axis: usize, at: usize| {
        let from = (at * TILE_WIDTH).saturating_sub(skip[axis]);
        [from, (at + 1) * TILE_WIDTH - skip[axis]]
    };
    WindowArea { x: span(0, tile % columns), y: span(1, tile / columns) }
}
