//! The surface in a window: planes of cells, compared tile by tile with what they were.

use thalweg::probe::{QueryError, Window};
use thalweg::world::World;

use crate::session::canvas::tiles;

/// Planes of a window, rows from south to north; NaN outside the world.
#[derive(Clone)]
pub(super) struct Planes {
    window: Window,
    bed_m: Vec<f32>,
    depth_m: Vec<f32>,
    stage_m: Vec<f32>,
    velocity_m_s: [Vec<f32>; 2],
    foam: Vec<f32>,
    bed_normal: Vec<[i8; 4]>,
    normal: Vec<[i8; 4]>,
}

impl Planes {
    pub fn try_new(window: Window) -> Result<Self, QueryError> {
        let count = window.width * window.height;
        let plane = || vec![f32::NAN; count];
        Ok(Self {
            window,
            bed_m: plane(),
            depth_m: plane(),
            stage_m: plane(),
            velocity_m_s: [plane(), plane()],
            foam: vec![0.0; count],
            bed_normal: vec![[0; 4]; count],
            normal: vec![[0; 4]; count],
        })
    }

    pub fn move_to(&mut self, window: Window) -> Result<(), QueryError> {
        *self = Self::try_new(window)?;
        Ok(())
    }

    /// Brings all up to date; tells what has changed.
    pub fn update(&mut self, world: &World) -> Vec<Window> {
        let query = world.query();
        let (Ok(surface), Ok(flow)) = (query.surface(self.window), query.flow(self.window)) else {
            return Vec::new();
        };
        let before = self.clone();
        (self.bed_m, self.depth_m, self.stage_m) =
            (surface.bed_m, surface.depth_m, surface.stage_m);
        self.velocity_m_s = [flow.east_m_s, flow.north_m_s];
        let width_m = query.cell_width_m(self.window.level);
        self.bed_normal = normals(&self.bed_m, self.window.width, width_m);
        let tops: Vec<f32> =
            self.bed_m.iter().zip(&self.stage_m).map(|(bed, stage)| bed.max(*stage)).collect();
        self.normal = normals(&tops, self.window.width, width_m);
        let is_changed = |cells: &Window| {
            let column = (cells.corner.x - self.window.corner.x) as usize;
            let row = (cells.corner.y - self.window.corner.y) as usize;
            (row..row + cells.height).any(|y| {
                let first = y * self.window.width + column;
                let own = first..first + cells.width;
                let differ = |now: &[f32], then: &[f32]| {
                    let pairs = now[own.clone()].iter().zip(&then[own.clone()]);
                    pairs.into_iter().any(|(now, then)| now.to_bits() != then.to_bits())
                };
                differ(&self.bed_m, &before.bed_m)
                    || differ(&self.depth_m, &before.depth_m)
                    || differ(&self.velocity_m_s[0], &before.velocity_m_s[0])
                    || differ(&self.velocity_m_s[1], &before.velocity_m_s[1])
            })
        };
        tiles(self.window).into_iter().filter(is_changed).collect()
    }

    pub fn window(&self) -> Window {
        self.window
    }
    pub fn bed_m(&self) -> &[f32] {
        &self.bed_m
    }
    pub fn depth_m(&self) -> &[f32] {
        &self.depth_m
    }
    pub fn stage_m(&self) -> &[f32] {
        &self.stage_m
    }
    pub fn velocity_m_s(&self) -> [&[f32]; 2] {
        [&self.velocity_m_s[0], &self.velocity_m_s[1]]
    }
    pub fn foam(&self) -> &[f32] {
        &self.foam
    }
    pub fn bed_normal(&self) -> &[[i8; 4]] {
        &self.bed_normal
    }
    pub fn normal(&self) -> &[[i8; 4]] {
        &self.normal
    }
}

/// Unit normals of a plane of elevations, × 127.
#[expect(clippy::cast_possible_truncation, reason = "−127 to 127")]
fn normals(plane: &[f32], width: usize, width_m: f64) -> Vec<[i8; 4]> {
    let height = plane.len() / width;
    let slope = |low: usize, high: usize, cells: usize| {
        let rise = plane[high] - plane[low];
        if rise.is_nan() { 0.0 } else { rise / (cells.max(1) as f32 * width_m as f32) }
    };
    (0..plane.len())
        .map(|cell| {
            let (x, y) = (cell % width, cell / width);
            let (west, east) = (x.saturating_sub(1), (x + 1).min(width - 1));
            let (south, north) = (y.saturating_sub(1), (y + 1).min(height - 1));
            let east_up = slope(y * width + west, y * width + east, east - west);
            let north_up = slope(south * width + x, north * width + x, north - south);
            let length = (east_up * east_up + north_up * north_up + 1.0).sqrt();
            [-east_up, -north_up, 1.0, 0.0].map(|part| (part / length * 127.0).round() as i8)
        })
        .collect()
}
