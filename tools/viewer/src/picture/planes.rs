//! Cells of a window as they were last sent, in planes that wrap around.
//!
//! A window that moves keeps its cells in place: cell (x, y) of the level is at (x mod width, y mod
//! height).

use super::camera::TILE;
use super::light::{self, LitGround};
use crate::session::{WetPatch, WindowPatch};
use half::f16;
use thalweg::probe::Window;

/// Depth that marks a place outside the world, m: −1000 in half precision.
pub const OUTSIDE: u16 = 0xe3d0;

/// Depths that are visible as water, m: from 0.003 to the greatest, in half precision, in which
/// numbers above 0 have the order of their bits.
const SEEN: std::ops::Range<u16> = 0x1a25..0x7c00;

/// Changes after which light is cast again: of a bed, and of all surfaces in turn, m.
const BED_MOST_M: f32 = 0.05;
const DRIFT_MOST_M: f32 = 1.0;

/// Index of a cell's wetness in the plane of light.
const WET: usize = 2;

/// Cells of one window in the form that a picture needs.
#[derive(Debug, Clone)]
pub struct WindowPlanes {
    /// Window that the planes cover.
    pub window: Window,
    /// Columns and rows of the planes: whole tiles, not fewer than the window's.
    pub size: [u32; 2],
    /// Elevation of the bed and of the visible surface, m; NaN outside the world.
    pub heights: Vec<[f32; 2]>,
    water: Vec<[u16; 4]>,
    normals: Vec<[i8; 4]>,
    dye: Vec<u8>,
    /// Whether some of it was dyed.
    pub is_dyed: bool,
    /// Whether each tile shows water.
    wet: Vec<bool>,
    /// Light of the sun and of the sky, wetness of the ground and openness of the water of each
    /// cell, × 255.
    light: Vec<[u8; 4]>,
    /// Distance that surfaces have moved since light was cast, m; infinite before the first time.
    drift_m: f32,
}

/// Rectangle of the planes that does not wrap, and its bytes.
#[derive(Debug)]
pub struct PlanePiece<'a> {
    /// First column and row of the piece in the planes.
    pub at: [u32; 2],
    /// Columns and rows of the piece.
    pub size: [u32; 2],
    /// Rows of each plane, one after another.
    pub heights: &'a [u8],
    /// Water of the piece, in the same layout.
    pub water: &'a [u8],
    /// Normals of the piece, in the same layout.
    pub normals: &'a [u8],
    /// Dye of the piece, in the same layout.
    pub dye: &'a [u8],
    /// Light of the piece, in the same layout.
    pub light: &'a [u8],
}

impl WindowPlanes {
    /// Returns empty planes, for a window and a little more, so that it can move.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "windows have 2048 cells along a side")]
    pub fn new(window: Window) -> Self {
        let whole = |cells: usize| (cells as u32).div_ceil(TILE) * TILE + 2 * TILE;
        let size = [whole(window.width), whole(window.height)];
        let count = (size[0] * size[1]) as usize;
        Self {
            window,
            size,
            heights: vec![[f32::NAN; 2]; count],
            water: vec![[OUTSIDE, 0, 0, 0]; count],
            normals: vec![[0; 4]; count],
            dye: vec![0; count],
            is_dyed: false,
            wet: vec![false; count / (TILE * TILE) as usize],
            light: vec![[255, 255, 0, 0]; count],
            drift_m: f32::INFINITY,
        }
    }

    /// Shows a different window of the same level.
    pub fn move_to(&mut self, window: Window) {
        if std::mem::replace(&mut self.window, window) != window {
            self.drift_m = f32::INFINITY;
        }
    }

    /// Takes in the wetness of the ground.
    pub fn wet(&mut self, patch: &WetPatch) {
        for (row, wetness) in (0..).zip(patch.wetness.chunks_exact(patch.cells.width)) {
            let from = self.place(patch.cells.corner.x, patch.cells.corner.y + row);
            let cells = self.light[from..from + patch.cells.width].iter_mut();
            cells.zip(wetness).for_each(|(light, wetness)| light[WET] = *wetness);
        }
    }

    /// True if light has to be cast again.
    #[must_use]
    pub fn is_stale(&self) -> bool {
        self.drift_m > DRIFT_MOST_M
    }

    /// Casts light on all cells of the window.
    pub fn cast_light(&mut self, cell_m: f32, toward_sun: [f32; 3]) {
        let Window { corner, width, height, .. } = self.window;
        let (mut tops, mut is_wet, mut places) = (Vec::new(), Vec::new(), Vec::new());
        for (y, x) in (0..height).flat_map(|y| (0..width).map(move |x| (y, x))) {
            #[expect(clippy::cast_possible_truncation, reason = "2048 at most")]
            let place = self.place(corner.x + x as u32, corner.y + y as u32);
            let top = self.heights[place][1];
            tops.push(if top.is_nan() { -1e4 } else { top });
            is_wet.push(SEEN.contains(&self.water[place][0]));
            places.push(place);
        }
        let size = [width, height];
        let ground = LitGround { size, cell_m, tops_m: &tops, is_wet: &is_wet };
        for (place, [sun, sky, open]) in places.iter().zip(light::cast(&ground, toward_sun)) {
            let light = &mut self.light[*place];
            *light = [sun, sky, light[WET], open];
        }
        self.drift_m = 0.0;
    }

    /// Returns the light of all planes.
    #[must_use]
    pub fn light(&self) -> &[u8] {
        bytemuck::cast_slice(&self.light)
    }

    /// Returns the index of the tile that contains a cell of the level.
    fn tile(&self, x: u32, y: u32) -> usize {
        let [columns, rows] = self.size.map(|cells| cells / TILE);
        (y / TILE % rows * columns + x / TILE % columns) as usize
    }

    /// True if water is possible between the first cells of a tile, given by its south-west cell,
    /// and the first cells of the next tiles.
    #[must_use]
    pub fn is_wet(&self, x: u32, y: u32) -> bool {
        [(0, 0), (TILE, 0), (0, TILE), (TILE, TILE)]
            .into_iter()
            .any(|(east, north)| self.wet[self.tile(x + east, y + north)])
    }

    /// Adds foam to the water around the foot of a fall, inside the window.
    #[expect(clippy::cast_possible_truncation, reason = "a few cells")]
    pub fn churn(&mut self, [x, y]: [u32; 2], fall_m: f32, cell_m: f32) {
        let reach = ((3.0 + 3.5 * fall_m) / cell_m).clamp(1.0, 20.0) as i32;
        if !self.shows(x, y) {
            return;
        }
        let top_m = self.heights[self.place(x, y)][1] + 0.2;
        let cells = (-reach..=reach).flat_map(|dy| (-reach..=reach).map(move |dx| (dx, dy)));
        for (dx, dy) in cells {
            let (Some(x), Some(y)) = (x.checked_add_signed(dx), y.checked_add_signed(dy)) else {
                continue;
            };
            let place = self.place(x, y);
            if self.shows(x, y)
                && SEEN.contains(&self.water[place][0])
                && self.heights[place][1] < top_m
            {
                let away = (dx as f32).hypot(dy as f32) / (reach as f32 + 1.0);
                let foam = f16::from_f32((1.05 - away).clamp(0.0, 0.95)).to_bits();
                self.water[place][3] = self.water[place][3].max(foam);
            }
        }
    }

    /// True if a window of the same level fits into these planes.
    #[must_use]
    pub fn fits(&self, window: &Window) -> bool {
        window.level == self.window.level
            && window.width <= self.size[0] as usize
            && window.height <= self.size[1] as usize
    }

    /// True for a cell of the window.
    fn shows(&self, x: u32, y: u32) -> bool {
        let Window { corner, width, height, .. } = self.window;
        let [x, y] = [x.wrapping_sub(corner.x), y.wrapping_sub(corner.y)];
        (x as usize) < width && (y as usize) < height
    }

    /// Returns the index of a cell of the level.
    fn place(&self, x: u32, y: u32) -> usize {
        ((y % self.size[1]) * self.size[0] + x % self.size[0]) as usize
    }

    /// Takes in a patch.
    pub fn put(&mut self, patch: &WindowPatch) {
        let cells = patch.cells;
        let is_wet = |water: &[u16; 4]| SEEN.contains(&water[0]);
        let tile = self.tile(cells.corner.x, cells.corner.y);
        self.is_dyed |= !patch.dye.is_empty();
        let is_all = cells.width * cells.height == (TILE * TILE) as usize;
        self.wet[tile] = (self.wet[tile] && !is_all) || patch.water.iter().any(is_wet);
        let mut drift_m = 0.0;
        for row in 0..cells.height {
            #[expect(clippy::cast_possible_truncation, reason = "64 rows")]
            let from = self.place(cells.corner.x, cells.corner.y + row as u32);
            let (to, read) = (from + cells.width, row * cells.width..(row + 1) * cells.width);
            let changes = self.heights[from..to].iter().zip(&patch.heights[read.clone()]);
            drift_m = changes.map(drift).fold(drift_m, f32::max);
            self.heights[from..to].copy_from_slice(&patch.heights[read.clone()]);
            self.normals[from..to].copy_from_slice(&patch.normals[read.clone()]);
            self.water[from..to].copy_from_slice(&patch.water[read.clone()]);
            match patch.dye.get(read.clone()) {
                Some(dye) => self.dye[from..to].copy_from_slice(dye),
                None => self.dye[from..to].fill(0),
            }
            for (water, heights) in self.water[from..to].iter_mut().zip(&patch.heights[read]) {
                if heights[0].is_nan() {
                    water[0] = OUTSIDE;
                }
            }
        }
        self.drift_m += drift_m;
    }

    /// Returns the rows of the planes that contain a patch: whole rows of its columns are gathered
    /// into `bytes`.
    pub fn piece<'a>(&self, cells: Window, bytes: &'a mut [Vec<u8>; 5]) -> PlanePiece<'a> {
        bytes.iter_mut().for_each(Vec::clear);
        #[expect(clippy::cast_possible_truncation, reason = "64 rows")]
        for row in 0..cells.height {
            let from = self.place(cells.corner.x, cells.corner.y + row as u32);
            let range = from..from + cells.width;
            // An invalid height would spoil its neighbours: the card never receives one.
            let solid = |heights: &[f32; 2]| heights.map(|h| if h.is_nan() { 0.0 } else { h });
            let heights = self.heights[range.clone()].iter().map(solid);
            heights.for_each(|pair| bytes[0].extend_from_slice(bytemuck::bytes_of(&pair)));
            bytes[1].extend_from_slice(bytemuck::cast_slice(&self.water[range.clone()]));
            bytes[2].extend_from_slice(bytemuck::cast_slice(&self.normals[range.clone()]));
            bytes[3].extend_from_slice(&self.dye[range.clone()]);
            bytes[4].extend_from_slice(bytemuck::cast_slice(&self.light[range]));
        }
        let [heights, water, normals, dye, light] = bytes.each_ref().map(|bytes| &bytes[..]);
        #[expect(clippy::cast_possible_truncation, reason = "64 cells")]
        let size = [cells.width as u32, cells.height as u32];
        let at = [cells.corner.x % self.size[0], cells.corner.y % self.size[1]];
        PlanePiece { at, size, heights, water, normals, dye, light }
    }

    /// Returns the elevation of the visible surface at a place, m, between four cells; `cell_m` is
    /// the width of the level's cells. `None` outside of the window and of the world.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "in the window")]
    pub fn surface_m(&self, [x, y]: [f64; 2], cell_m: f64) -> Option<f64> {
        let Window { corner, width, height, .. } = self.window;
        let local =
            [x / cell_m - 0.5 - f64::from(corner.x), y / cell_m - 0.5 - f64::from(corner.y)];
        let most = [width, height].map(|cells| cells as f64 - 1.0);
        let is_in = (0..2).all(|axis| local[axis] >= -0.5 && local[axis] <= most[axis] + 0.5);
        if !is_in {
            return None;
        }
        let local = [0, 1].map(|axis| local[axis].clamp(0.0, most[axis]));
        let part = local.map(|v| v - v.floor());
        let at = |dx: f64, dy: f64| {
            let cell = [(local[0].floor() + dx).min(most[0]), (local[1].floor() + dy).min(most[1])];
            let place = self.place(corner.x + cell[0] as u32, corner.y + cell[1] as u32);
            f64::from(self.heights[place][1])
        };
        let mix = |a: f64, b: f64, t: f64| a + t * (b - a);
        let south = mix(at(0.0, 0.0), at(1.0, 0.0), part[0]);
        let north = mix(at(0.0, 1.0), at(1.0, 1.0), part[0]);
        let height = mix(south, north, part[1]);
        if height.is_nan() { None } else { Some(height) }
    }
}

/// Returns the move of a cell's surface, m: infinite if its bed has moved or was unknown.
fn drift((old, new): (&[f32; 2], &[f32; 2])) -> f32 {
    if new[0].is_nan() {
        return 0.0;
    }
    let bed = (old[0] - new[0]).abs();
    if bed <= BED_MOST_M { (old[1] - new[1]).abs() } else { f32::INFINITY }
}

#[cfg(test)]
mod tests {
    use super::*;
    use thalweg::world::CellPlace;

    fn patch(x: u32, y: u32, value: f32) -> WindowPatch {
        let cells = Window { level: 1, corner: CellPlace { x, y }, width: 64, height: 64 };
        let count = 64 * 64;
        WindowPatch {
            cells,
            heights: vec![[value; 2]; count],
            water: vec![[0; 4]; count],
            normals: vec![[0; 4]; count],
            dye: Vec::new(),
        }
    }

    fn window(x: u32, y: u32) -> Window {
        Window { level: 1, corner: CellPlace { x, y }, width: 128, height: 128 }
    }

    #[test]
    fn a_window_that_moves_keeps_what_stays_in_it() {
        let mut planes = WindowPlanes::new(window(0, 0));
        for (x, y, value) in [(0, 0, 1.0), (64, 0, 2.0), (0, 64, 3.0), (64, 64, 4.0)] {
            planes.put(&patch(x, y, value));
        }
        assert_eq!(planes.surface_m([2.0 * 96.0, 2.0 * 96.0], 2.0), Some(4.0));
        assert!(planes.fits(&window(64, 64)));
        planes.window = window(64, 64);
        // Three tiles enter the view, one remains.
        for (x, y, value) in [(128, 64, 5.0), (64, 128, 6.0), (128, 128, 7.0)] {
            planes.put(&patch(x, y, value));
        }
        assert_eq!(planes.surface_m([2.0 * 96.0, 2.0 * 96.0], 2.0), Some(4.0));
        assert_eq!(planes.surface_m([2.0 * 180.0, 2.0 * 180.0], 2.0), Some(7.0));
        assert_eq!(planes.surface_m([2.0 * 127.5 + 1.0, 2.0 * 96.0], 2.0), Some(4.5));
        assert_eq!(planes.surface_m([10.0, 10.0], 2.0), None, "out of the window");
    }

    #[test]
    fn what_is_outside_the_world_says_so_and_has_no_nan() {
        let mut planes = WindowPlanes::new(window(0, 0));
        let mut outside = patch(0, 0, 1.0);
        outside.heights[0] = [f32::NAN; 2];
        planes.put(&outside);
        let mut bytes = Default::default();
        let piece = planes.piece(outside.cells, &mut bytes);
        let heights: Vec<f32> = bytemuck::pod_collect_to_vec(piece.heights);
        assert_eq!(heights[..4], [0.0, 0.0, 1.0, 1.0]);
        let water: Vec<u16> = bytemuck::pod_collect_to_vec(piece.water);
        assert_eq!((water[0], water[4]), (OUTSIDE, 0));
    }

    #[test]
    fn wetness_goes_to_its_cells_alone() {
        let mut planes = WindowPlanes::new(window(64, 0));
        let corner = CellPlace { x: 130, y: 70 };
        let cells = Window { level: 1, corner, width: 3, height: 2 };
        planes.wet(&WetPatch { cells, wetness: (1..7).collect() });
        let wetness = |x: u32, y: u32| planes.light[planes.place(x, y)][WET];
        assert_eq!([wetness(130, 70), wetness(132, 70), wetness(130, 71)], [1, 3, 4]);
        assert_eq!(planes.light.iter().filter(|light| light[WET] > 0).count(), 6);
        assert!(planes.is_stale());
        planes.cast_light(2.0, [-0.5, 0.5, 0.7]);
        assert!(!planes.is_stale());
        assert_eq!(planes.light[planes.place(132, 71)][WET], 6, "light leaves wetness as it is");
    }
}
