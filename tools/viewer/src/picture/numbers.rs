//! Settings of a frame as the numbers that shaders read.

use super::layer::Layer;
use super::pipelines::ViewNumbers;
use super::{Frame, SUN_SHARE};
use crate::session::Site;

/// Ripples are so long on the screen, at least, pixels; at most twice that.
const RIPPLE_PX: f64 = 90.0;

/// Colour of dyed water, linear light.
const DYE: [f32; 3] = [0.62, 0.02, 0.22];

/// South-west corner of a layer's window, m.
pub fn corner_m(layer: &Layer, site: &Site) -> [f64; 2] {
    let window = layer.planes.window;
    [window.corner.x, window.corner.y].map(|cell| f64::from(cell) * cell_m(layer, site))
}

/// Width of a layer's cells, m.
fn cell_m(layer: &Layer, site: &Site) -> f64 {
    site.finest_m * f64::from(1_u32 << layer.planes.window.level)
}

/// The numbers of a layer, with its opacity; linear where the target takes linear light.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "what a graphics card reckons in"
)]
pub fn of(
    layer: &Layer,
    site: &Site,
    frame: &Frame,
    (opacity, is_linear): (f32, bool),
    spacing: u32,
) -> ViewNumbers {
    let window = layer.planes.window;
    let [width, height] = layer.planes.size;
    let cell_m = cell_m(layer, site);
    let corner = corner_m(layer, site);
    let camera = &frame.camera;
    let reach_m = site.size_m[0].hypot(site.size_m[1]) * 2.0
        + 4.0 * (site.bed_m[1] - site.bed_m[0]).abs() * camera.exaggeration
        + camera.metres_per_px * f64::from(camera.size_px[0]);
    // Ripples of a power of two of metres, and those twice as long, each with its share.
    let octave = (RIPPLE_PX * camera.metres_per_px).log2();
    let ripple_m = octave.floor().exp2();
    // The texture repeats after eight ripples; places are given within that.
    let texture_m = 8.0 * ripple_m;
    let in_ripples = corner.map(|v| (v / texture_m / 2.0).fract() * 2.0);
    let toward_sun = [-0.5, 0.5, std::f32::consts::FRAC_1_SQRT_2];
    let (sin, cos) = camera.slope.sin_cos();
    let back = camera.unturned([0.0, -cos]);
    ViewNumbers {
        matrix: camera.matrix(corner, reach_m),
        window: [window.width as f32, window.height as f32, cell_m as f32, frame.ripple_s],
        place: [
            (window.corner.x % width) as f32,
            (window.corner.y % height) as f32,
            1.0 / width as f32,
            1.0 / height as f32,
        ],
        blend: [
            frame.part,
            opacity,
            f32::from(frame.colouring.overlay),
            f32::from(u8::from(is_linear)),
        ],
        range: [
            site.bed_m[0] as f32,
            site.bed_m[1] as f32,
            frame.colouring.most.max(1e-6),
            spacing as f32,
        ],
        sun: [toward_sun[0], toward_sun[1], toward_sun[2], SUN_SHARE],
        eye: [back[0] as f32, back[1] as f32, sin as f32, (cell_m / camera.metres_per_px) as f32],
        ripple: [
            in_ripples[0] as f32,
            in_ripples[1] as f32,
            texture_m as f32,
            octave.fract() as f32,
        ],
        dye: [DYE[0], DYE[1], DYE[2], f32::from(u8::from(layer.planes.is_dyed))],
    }
}
