//! Surfaces: the planes that a renderer draws, kept up to date only where tiles change.
//!
//! ```text
//!  every cycle   leaves that changed ──► bed, depth, stage, velocity   in their cells
//!                and two cells around ──► stage of the shore, normals
//!                                     ──► foam: comes at once, goes over seconds
//! ```
//!
//! | plane | contains |
//! | --- | --- |
//! | bed | m; NaN outside the world |
//! | depth | m; 0 where it is dry or outside the world |
//! | stage | m; in a dry cell within two cells of wet ones their mean; NaN farther away |
//! | velocity | m/s eastward and northward, as flood maps have it |
//! | foam | 0 to 1, see `src/probe/surface/foam.rs` |
//! | normals | of the bed, and of the surface seen from above |
//!
//! Stage − bed thus is a depth with a sign, and its zero is the shore.
//!
//! If leaves are finer than the window, their cells are averaged, so that depths keep the volume;
//! if they are coarser, they are interpolated as in [`Query`]. Below sub-grid columns, windows of
//! the finest level and of the two above it show the finest cells of the terrain, with the depths
//! that the stages of the columns make there; coarser windows interpolate.
//!
//! Guarantees: after any updates bed, depth, stage, velocity and normals are those of a surface
//!             made anew (`updates_come_to_the_same_as_a_new_surface`), on any count of threads; in
//!             leaves of the window's level, and in the finest cells below sub-grid columns, bed,
//!             depth and stage of wet cells are those of [`Query::surface`] to the bit, elsewhere
//!             within 10⁻⁶ of their size (`planes_are_those_of_a_query`,
//!             `finest_cells_are_seen_below_columns`).
//! Limits:     foam has a memory: a new surface begins without foam. At the border of the window
//!             slopes are one-sided, and water beyond it makes no shore. A window that moves is
//!             copied. Meshes have the vertices of leaves, with sub-grid columns too.
//! Source:     own.
//!
//! [`Query`]: crate::probe::Query
//! [`Query::surface`]: crate::probe::Query::surface

mod area;
mod bands;
mod below;
mod coarser;
mod finer;
mod foam;
pub mod mesh;
mod normals;
mod parts;
mod patch;
mod piece;
mod planes;
mod shore;
mod state;
#[cfg(test)]
mod tests;
mod write;

use crate::probe::{QueryError, Window};
pub use patch::SurfacePatch;
pub(crate) use state::{BELOW_MOST, SurfaceState};
use thalweg_engine::grid::TileKey;
use thalweg_engine::units::SimTime;

use area::{WindowArea, WindowTiles};
use bands::Bands;
use parts::SurfacePart;
use planes::SurfacePlanes;

/// Planes of a rectangle of a world, for drawing: see [the module](self).
///
/// [`Surface::update`] brings it up to date with its world. One surface follows one world.
#[derive(Debug)]
pub struct Surface {
    window: Window,
    planes: SurfacePlanes,
    tiles: WindowTiles,
    parts: Vec<SurfacePart>,
    /// The leaves from which the parts were listed.
    leaves: Vec<TileKey>,
    /// The state in the planes.
    seen: Option<(u64, SimTime)>,
    /// Whether the window of the planes has changed since the parts were listed.
    is_moved: bool,
    /// Depth from which cells count as wet, m, if it has been set.
    wet_m: Option<f64>,
}

impl Surface {
    /// Returns a surface that is empty before its first update.
    ///
    /// # Errors
    ///
    /// [`QueryError::Window`] for a rectangle without cells or with more than 2²⁸,
    /// [`QueryError::Level`] for a level beyond 20.
    pub fn try_new(window: Window) -> Result<Self, QueryError> {
        window.check()?;
        Ok(Self {
            window,
            planes: SurfacePlanes::empty(&window),
            tiles: WindowTiles::of(&window),
            parts: Vec::new(),
            leaves: Vec::new(),
            seen: None,
            is_moved: true,
            wet_m: None,
        })
    }

    /// Sets the depth from which cells count as wet: films of rain, which gather in the lowest
    /// finest cells below sub-grid columns, then make no shores. Without it cells count as wet from
    /// 2⁻¹⁶ m on.
    ///
    /// # Errors
    ///
    /// [`QueryError::Depth`] if a depth is negative, not a number or above 1 m.
    pub fn wet_from(self, depth_m: f64) -> Result<Self, QueryError> {
        if !(0.0..=1.0).contains(&depth_m) {
            return Err(QueryError::Depth(depth_m));
        }
        Ok(Self { wet_m: Some(depth_m), ..self })
    }

    /// Shows another rectangle from the next update on. Cells that both show, at one level, are
    /// kept and copied to their new place; the rest is empty until then. That update returns the
    /// parts that it wrote, not the copied ones: a renderer that keeps textures uploads whole
    /// planes after a move.
    ///
    /// # Errors
    ///
    /// The errors of [`Surface::try_new`]; then nothing has changed.
    pub fn move_to(&mut self, window: Window) -> Result<(), QueryError> {
        window.check()?;
        if window == self.window {
            return Ok(());
        }
        self.planes.move_to(&self.window, &window);
        // Cells at least two cells within both windows are as in a new surface.
        let (old, level) = (self.window, self.window.level);
        let stays = |part: &SurfacePart| {
            level == window.level && [&old, &window].iter().all(|both| is_within(both, part.key))
        };
        let before = std::mem::take(&mut self.parts);
        let mut parts = parts::list(&window, &self.leaves);
        parts::keep(&mut parts, before, stays);
        (self.parts, self.window) = (parts, window);
        self.tiles = WindowTiles::of(&window);
        self.is_moved = true;
        Ok(())
    }

    /// Clears the surface: the next update writes all cells. For use with a different world.
    pub fn forget(&mut self) {
        self.planes = SurfacePlanes::empty(&self.window);
        self.parts.clear();
        self.leaves.clear();
        self.seen = None;
        self.is_moved = true;
    }

    /// Returns the rectangle that the surface shows.
    #[must_use]
    pub fn window(&self) -> Window {
        self.window
    }

    /// Returns the bed, m; NaN outside the world.
    #[must_use]
    pub fn bed_m(&self) -> &[f32] {
        &self.planes.bed_m
    }

    /// Returns the depth, m; 0 if it is dry or outside the world.
    #[must_use]
    pub fn depth_m(&self) -> &[f32] {
        &self.planes.depth_m
    }

    /// Returns the stage, m; within two cells of water that of the wet cells around, NaN farther
    /// away.
    #[must_use]
    pub fn stage_m(&self) -> &[f32] {
        &self.planes.stage_m
    }

    /// Returns the velocity eastward and northward, m/s; 0 if it is dry.
    #[must_use]
    pub fn velocity_m_s(&self) -> [&[f32]; 2] {
        self.planes.velocity.each_ref().map(Vec::as_slice)
    }

    /// Returns the foam, from 0 to 1.
    #[must_use]
    pub fn foam(&self) -> &[f32] {
        &self.planes.foam
    }

    /// Returns the unit vectors upright on the bed: east, north, up, times 127; the fourth number
    /// is 0.
    #[must_use]
    pub fn bed_normal(&self) -> &[[i8; 4]] {
        &self.planes.bed_normal
    }

    /// Returns the unit vectors upright on the surface seen from above: on the water if it is wet,
    /// else on the bed.
    #[must_use]
    pub fn normal(&self) -> &[[i8; 4]] {
        &self.planes.normal
    }

    /// Returns a copy of a part of the planes, velocities side by side, for the thread that draws;
    /// `None` if the part is not within the window, or is of a different level. All parts that an
    /// update returns are within it.
    ///
    /// ```
    /// use thalweg::prelude::*;
    /// use thalweg::probe::{Surface, SurfacePatch, Window};
    /// let terrain = Terrain::from_heights([64, 64], 5.0, |x, _| 0.1 * x as f64)?;
    /// let mut world = WorldBuilder::new(terrain).initial_stage(|_| 3.0).build()?;
    /// let corner = CellPlace { x: 0, y: 0 };
    /// let mut surface =
    ///     Surface::try_new(Window { level: 0, corner, width: 64, height: 64 })?;
    /// let (send, receive) = std::sync::mpsc::channel::<Vec<SurfacePatch>>();
    /// let drawn = std::thread::spawn(move || receive.iter().flatten().count());
    /// let mut frame = |world: &World| {
    ///     let parts = surface.update(world);
    ///     send.send(parts.into_iter().filter_map(|part| surface.patch(part)).collect())
    /// };
    /// frame(&world)?;
    /// world.run_cycle(SimTime::from_seconds(1.0));
    /// frame(&world)?;
    /// drop(send);
    /// assert!(drawn.join().is_ok_and(|patches| patches > 0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn patch(&self, part: Window) -> Option<SurfacePatch> {
        patch::cut(&self.planes, &self.window, part)
    }

    /// True if the rectangle has cells in a tile.
    pub(crate) fn shows(&self, key: TileKey) -> bool {
        WindowArea::of(&self.window, key).is_some()
    }

    /// Brings the planes up to date; returns the parts that were written.
    pub(crate) fn follow(&mut self, state: &SurfaceState<'_>) -> Vec<Window> {
        let query = match self.wet_m {
            Some(depth_m) => state.query.wet_from(depth_m).expect("a metre has units"),
            None => state.query,
        };
        let state = &SurfaceState { query, ..*state };
        let now = (state.revision, state.time);
        if self.seen == Some(now) && !self.is_moved {
            return Vec::new();
        }
        // If this state is earlier than the last one, as after undoing, nothing is kept.
        if self.seen.is_some_and(|seen| seen.0 > state.revision) {
            self.forget();
        }
        let gone = self.relist(state);
        let passed_s = self.seen.map_or(0.0, |(_, time)| state.time.seconds() - time.seconds());
        let decay = foam::decay(passed_s);
        let revision = self.seen.map_or(0, |(revision, _)| revision);
        let mut bands = Bands::of(&self.window, &self.tiles);
        for (number, part) in self.parts.iter().enumerate() {
            if part.has_changed(state, self.window.level, revision) {
                bands.add(number, part);
            } else if part.is_foamy && decay < 1.0 {
                bands.add_fading(number, part);
            }
        }
        bands.renew(&mut self.planes, &self.parts, state, decay);
        let changed = bands.settle(&mut self.parts);
        changed.into_iter().for_each(|area| self.tiles.note(area));
        // After the new parts are written: if a leaf has changed its level, foam on water that is
        // still there stays.
        gone.into_iter().for_each(|area| self.planes.dry(area));
        self.seen = Some(now);
        self.tiles.take(&self.window)
    }

    /// Lists the parts anew if leaves or the window have changed; returns the areas that no longer
    /// have any part.
    fn relist(&mut self, state: &SurfaceState<'_>) -> Vec<WindowArea> {
        let leaves = state.query.forest.leaves();
        if !self.is_moved && self.leaves == leaves {
            return Vec::new();
        }
        let mut parts = parts::list(&self.window, leaves);
        let gone = parts::keep(&mut parts, std::mem::take(&mut self.parts), |_| true);
        let areas = gone.into_iter().filter_map(|key| WindowArea::of(&self.window, key));
        let gone: Vec<WindowArea> = areas.collect();
        for &area in &gone {
            self.planes.clear(area);
            self.tiles.note(area);
        }
        self.parts = parts;
        self.leaves.clear();
        self.leaves.extend_from_slice(leaves);
        self.is_moved = false;
        gone
    }
}

/// True if a window shows a whole tile and two cells around it.
fn is_within(window: &Window, key: TileKey) -> bool {
    let Some(area) = WindowArea::of(window, key) else { return false };
    let (cells, from) = if key.level >= window.level {
        let shift = key.level - window.level;
        (64 << shift, [key.x, key.y].map(|v| (u64::from(v) * 64) << shift))
    } else {
        let shift = window.level - key.level;
        ((64 >> shift).max(1), [key.x, key.y].map(|v| (u64::from(v) * 64) >> shift))
    };
    let corner = [window.corner.x, window.corner.y];
    let spans = [(area.x, window.width), (area.y, window.height)];
    (0..2).all(|axis| {
        let ([low, high], count) = spans[axis];
        let is_whole = high - low == cells && u64::from(corner[axis]) <= from[axis];
        // Shores and normals depend on cells up to two away.
        is_whole && low >= 2 && high + 2 <= count
    })
}
