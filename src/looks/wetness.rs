//! Wetness: ground that was under water, and dries.

use super::cells::{Rect, WindowCells, cells_of_tile};
use super::error::LooksError;
use crate::probe::{Surface, Window};
use std::collections::{BTreeMap, BTreeSet};
use thalweg_engine::units::SimTime;

/// Wetness below this counts as 0.
const LEAST: f32 = 1.0 / 256.0;

/// Wetness of ground found dry for the first time: the next step dries it.
const JUST_DRY: f32 = 1.0 - f32::EPSILON;

/// Options of wetting and drying.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WetnessOptions {
    /// Simulated time in which wetness falls to 1/e, s.
    pub dries_s: f64,
    /// Simulated time from one step of drying to the next, s; 0 for a step in each update.
    pub step_s: f64,
    /// Depth from which water is visible and wets, m.
    pub depth_m: f32,
}

impl Default for WetnessOptions {
    fn default() -> Self {
        Self { dries_s: 120.0, step_s: 2.0, depth_m: 0.003 }
    }
}

impl WetnessOptions {
    fn check(&self) -> Result<(), LooksError> {
        LooksError::unless_positive("dries_s", self.dries_s)?;
        LooksError::if_negative("step_s", self.step_s)?;
        LooksError::if_negative("depth_m", f64::from(self.depth_m))
    }
}

/// Wetness of the ground in the window of a surface: 1 in water, and less on ground that was wet,
/// by `e^(−Δt / dries_s)` of simulated time.
///
/// Rows go from south to north, cells from west to east, as in the surface.
///
/// Limits: a memory: a new plane, and ground that enters a window, begin with the present water
///         alone. The plane begins anew in a window of a different level, and if time has gone
///         back, as after an undo. Water that appears and disappears between two updates wets
///         nothing. The time of drying is that of the updates: it begins in the one in which a cell
///         is first dry, and a cell may dry one `step_s` too early.
/// Source: own.
#[derive(Debug, Clone)]
pub struct Wetness {
    options: WetnessOptions,
    window: Option<Window>,
    wetness: Vec<f32>,
    /// Tiles with ground that dries: row and column of the level.
    drying: BTreeSet<[usize; 2]>,
    time: SimTime,
    /// Simulated time that has not yet dried anything, s.
    undried_s: f64,
}

impl Wetness {
    /// Returns a plane of dry ground, before the first update.
    ///
    /// # Errors
    ///
    /// [`LooksError::Number`] if the time of drying is not above 0, or if another number is below
    /// 0.
    pub fn try_new(options: WetnessOptions) -> Result<Self, LooksError> {
        options.check()?;
        Ok(Self {
            options,
            window: None,
            wetness: Vec::new(),
            drying: BTreeSet::new(),
            time: SimTime::ZERO,
            undried_s: 0.0,
        })
    }

    /// Brings the plane up to date with a surface, from the parts that its updates since the last
    /// call have returned, and the time of its world. Returns the parts in which the wetness of a
    /// cell has changed, each in one tile of 64 × 64 cells: no part below running water. If nothing
    /// dries, and nothing has changed, nothing is done. In a window that has moved all cells are
    /// read, and parts are also returned that it did not show before: upload these parts, or, if
    /// cells have different places in the renderer's plane now, the whole plane.
    pub fn update(&mut self, surface: &Surface, changed: &[Window], time: SimTime) -> Vec<Window> {
        self.follow(&WindowCells::of(surface), changed, time)
    }

    pub(super) fn follow(
        &mut self,
        cells: &WindowCells<'_>,
        changed: &[Window],
        time: SimTime,
    ) -> Vec<Window> {
        let window = cells.window;
        if time < self.time {
            (self.window, self.undried_s) = (None, 0.0);
        } else if self.window.is_some() {
            self.undried_s += time.seconds() - self.time.seconds();
        }
        self.time = time;
        let is_other = self.window != Some(window);
        let left = if self.undried_s >= self.options.step_s {
            let part = -std::mem::take(&mut self.undried_s) / self.options.dries_s;
            #[expect(clippy::cast_possible_truncation, reason = "a share in f32")]
            let left = part.exp() as f32;
            left
        } else {
            1.0
        };
        let mut kept = Some(Rect::whole(&window));
        let mut parts: Vec<_> = if is_other {
            kept = self.move_to(window);
            Rect::whole(&window).by_tiles(&window)
        } else {
            let parts = changed.iter().filter_map(|part| Rect::of(part, &window, 0));
            parts.flat_map(|rect| rect.by_tiles(&window)).collect()
        };
        let mut written: BTreeMap<[usize; 2], Rect> = BTreeMap::new();
        if left < 1.0 && !is_other {
            let drying = std::mem::take(&mut self.drying);
            let tiles = drying.into_iter().filter_map(|tile| Some((tile, tile_of(tile, &window)?)));
            let tiles: Vec<_> = tiles.collect();
            for (tile, rect) in tiles {
                // The whole tile is written here, so its changed parts need not be written again.
                parts.retain(|(other, _)| *other != tile);
                if self.write(cells, (tile, &rect), left) {
                    written.insert(tile, rect);
                }
            }
        }
        // In a window that stays, drying tiles have lost their share above. If the window has
        // moved, they were skipped there: without a share here, ground would stay wet while one
        // pans.
        let left = if is_other { left } else { 1.0 };
        for (tile, rect) in parts {
            let is_new = !kept.as_ref().is_some_and(|kept| kept.holds(&rect));
            if !self.write(cells, (tile, &rect), left) && !is_new {
                continue;
            }
            let all = written.remove(&tile).map_or(rect.clone(), |before| before.union(&rect));
            written.insert(tile, all);
        }
        written.into_values().map(|rect| rect.part_of(&window)).collect()
    }

    /// Wets a part of a tile, and leaves a share of the wetness on dry cells; returns whether any
    /// has changed.
    fn write(
        &mut self,
        cells: &WindowCells<'_>,
        (tile, rect): ([usize; 2], &Rect),
        left: f32,
    ) -> bool {
        let (mut dries, mut has_changed) = (false, false);
        for y in rect.y.clone() {
            let row = y * cells.window.width;
            let range = row + rect.x.start..row + rect.x.end;
            let depths = &cells.depth_m[range.clone()];
            for (wetness, depth_m) in self.wetness[range].iter_mut().zip(depths) {
                if *depth_m >= self.options.depth_m && *depth_m > 0.0 {
                    has_changed |= *wetness < 1.0;
                    *wetness = 1.0;
                } else if *wetness > 0.0 {
                    // A cell that has just fallen dry loses no share yet: it would lose one in
                    // tiles that are drying already and none in others, and their borders would
                    // show.
                    let less = if *wetness < 1.0 { *wetness * left } else { JUST_DRY };
                    has_changed |= less < *wetness;
                    // A number that only approaches 0 would keep its tile in `drying` for ever.
                    *wetness = if less < LEAST { 0.0 } else { less };
                    dries |= *wetness > 0.0;
                }
            }
        }
        if dries {
            self.drying.insert(tile);
        }
        has_changed
    }

    /// Covers another window, and keeps the part that both cover, which is returned.
    fn move_to(&mut self, window: Window) -> Option<Rect> {
        let mut wetness = vec![0.0; window.width * window.height];
        let kept = self.window.and_then(|old| Some((old, Rect::of(&old, &window, 0)?)));
        if let Some((old, rect)) = &kept {
            let ([own_x, own_y], [old_x, old_y]) = (window.corner.indices(), old.corner.indices());
            let count = rect.x.len();
            for y in rect.y.clone() {
                let from = (y + own_y - old_y) * old.width + rect.x.start + own_x - old_x;
                let to = y * window.width + rect.x.start;
                wetness[to..to + count].copy_from_slice(&self.wetness[from..from + count]);
            }
        }
        (self.window, self.wetness) = (Some(window), wetness);
        self.drying.clear();
        kept.map(|(_, rect)| rect)
    }

    /// Returns the wetness, 0 to 1.
    #[must_use]
    pub fn wetness(&self) -> &[f32] {
        &self.wetness
    }

    /// Returns the rectangle that the plane covers; `None` before the first update.
    #[must_use]
    pub fn window(&self) -> Option<Window> {
        self.window
    }
}

/// Returns the part of a tile, by its row and column in the level, that a window shows.
fn tile_of([row, column]: [usize; 2], window: &Window) -> Option<Rect> {
    let x = cells_of_tile(column, window.corner.x, &(0..window.width));
    let y = cells_of_tile(row, window.corner.y, &(0..window.height));
    (!x.is_empty() && !y.is_empty()).then_some(Rect { x, y })
}
