//! Looks of cells made by hand, and of forests.

mod drift;
mod falling;
mod waves;
mod wet;

use super::cells::WindowCells;
use crate::probe::Window;
use thalweg_engine::grid::cells::CellPlace;
use thalweg_engine::units::hash::scramble;

/// Width of the finest cells, m.
const WIDTH_M: f64 = 2.0;

/// Planes of a window, by hand.
#[derive(Clone)]
struct Planes {
    window: Window,
    bed_m: Vec<f32>,
    depth_m: Vec<f32>,
    velocity_m_s: [Vec<f32>; 2],
    stage_m: Vec<f32>,
    foam: Vec<f32>,
}

/// Bed, depth, velocity and foam of a cell.
type Values = (f32, f32, [f32; 2], f32);

fn window(x: u32, y: u32, width: usize, height: usize) -> Window {
    Window { level: 0, corner: CellPlace { x, y }, width, height }
}

impl Planes {
    /// Planes by column and row among all cells of the level.
    fn new(window: Window, of: impl Fn(u32, u32) -> Values) -> Self {
        let none = || vec![0.0; window.width * window.height];
        let mut planes = Self {
            window,
            bed_m: none(),
            depth_m: none(),
            velocity_m_s: [none(), none()],
            stage_m: none(),
            foam: none(),
        };
        for y in 0..u32::try_from(window.height).expect("few") {
            for x in 0..u32::try_from(window.width).expect("few") {
                let at = [window.corner.x + x, window.corner.y + y];
                planes.set(at, of(at[0], at[1]));
            }
        }
        planes
    }

    fn set(&mut self, [x, y]: [u32; 2], (bed_m, depth_m, velocity, foam): Values) {
        let Window { corner, width, .. } = self.window;
        let at = (y - corner.y) as usize * width + (x - corner.x) as usize;
        (self.bed_m[at], self.depth_m[at], self.foam[at]) = (bed_m, depth_m, foam);
        self.stage_m[at] = if depth_m > 0.0 { bed_m + depth_m } else { f32::NAN };
        for (plane, part) in self.velocity_m_s.iter_mut().zip(velocity) {
            plane[at] = if depth_m > 0.0 { part } else { 0.0 };
        }
    }

    fn cells(&self) -> WindowCells<'_> {
        WindowCells {
            window: self.window,
            bed_m: &self.bed_m,
            depth_m: &self.depth_m,
            stage_m: &self.stage_m,
            velocity_m_s: self.velocity_m_s.each_ref().map(Vec::as_slice),
            foam: &self.foam,
        }
    }
}

/// A number from 0 to 1.
fn draw(seed: u64) -> f32 {
    let [high, low] = [scramble(seed) >> 48, 65_536].map(|v| u32::try_from(v).expect("16 bits"));
    #[expect(clippy::cast_precision_loss, reason = "16 bits")]
    let part = high as f32 / low as f32;
    part
}

#[track_caller]
fn check_near(found: f64, expected: f64, share: f64, name: &str) {
    let tolerance = share * expected.abs().max(1.0e-12);
    assert!((found - expected).abs() <= tolerance, "{name}: {found}, not {expected}");
}
