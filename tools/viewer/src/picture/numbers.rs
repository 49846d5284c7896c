//! Settings of a frame in the form of the shaders' numbers.

use super::camera::Camera;
use super::layer::WindowLayer;
use super::pipelines::{LookNumbers, ViewNumbers};
use super::{PictureFrame, SUN_SHARE, waves};
use crate::session::ViewerSite;

/// Least length of ripples on the screen, pixels; they are at most twice as long.
const RIPPLE_PX: f64 = 90.0;

/// Length after which the noise of the ground repeats, m.
const NOISE_M: f64 = 1024.0 * 105.0;

/// Colour of dyed water, linear light.
const DYE: [f32; 3] = [0.62, 0.02, 0.22];

/// Returns the south-west corner of a layer's window, m.
pub fn corner_m(layer: &WindowLayer, site: &ViewerSite) -> [f64; 2] {
    let window = layer.planes.window;
    [window.corner.x, window.corner.y].map(|cell| f64::from(cell) * cell_m(layer, site))
}

/// Returns the width of a layer's cells, m.
pub fn cell_m(layer: &WindowLayer, site: &ViewerSite) -> f64 {
    site.finest_m * f64::from(1_u32 << layer.planes.window.level)
}

/// Returns the numbers of a layer, with its opacity; linear if the target takes linear light.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "what a graphics card reckons in"
)]
pub fn of(
    layer: &WindowLayer,
    site: &ViewerSite,
    frame: &PictureFrame,
    (opacity, is_linear): (f32, bool),
) -> ViewNumbers {
    let window = layer.planes.window;
    let [width, height] = layer.planes.size;
    let cell_m = cell_m(layer, site);
    let corner = corner_m(layer, site);
    let camera = &frame.camera;
    let reach_m = site.size_m[0].hypot(site.size_m[1]) * 2.0
        + 4.0 * (site.bed_m[1] - site.bed_m[0]).abs() * camera.exaggeration
        + camera.metres_per_px * f64::from(camera.size_px[0]);
    // Ripples of a power of two of metres, and some twice as long, each with its share.
    let octave = (RIPPLE_PX * camera.metres_per_px).log2();
    let ripple_m = octave.floor().exp2();
    // The texture repeats after eight ripples; places are given within that.
    let texture_m = 8.0 * ripple_m;
    let in_ripples = corner.map(|v| (v / texture_m / 2.0).fract() * 2.0);
    let (look, eye) = look(frame, corner);
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
        range: [site.bed_m[0] as f32, site.bed_m[1] as f32, frame.colouring.most.max(1e-6), 0.0],
        sun: with(frame.air.toward_sun(), f64::from(SUN_SHARE)),
        eye: eye.map(|number| number as f32),
        ripple: [
            in_ripples[0] as f32,
            in_ripples[1] as f32,
            texture_m as f32,
            octave.fract() as f32,
        ],
        dye: [DYE[0], DYE[1], DYE[2], f32::from(u8::from(layer.planes.is_dyed))],
        look,
    }
}

/// Returns the numbers that a map does not need, and the eye.
fn look(frame: &PictureFrame, corner: [f64; 2]) -> (LookNumbers, [f64; 4]) {
    let (camera, air) = (&frame.camera, &frame.air);
    let narrowing = camera.narrowing();
    let forward = camera.forward();
    let middle_m = [
        camera.centre_m[0] - corner[0],
        camera.centre_m[1] - corner[1],
        camera.elevation_m * camera.exaggeration,
    ];
    let [x, y, z] = [0, 1, 2].map(|axis| middle_m[axis] * narrowing - forward[axis]);
    // Half of the screen over the distance of the eye.
    let [right, up] = screen(camera).map(|half| half.map(|part| part * narrowing));
    let variance = air.slope_variance();
    let [large, small] = waves::SHARES.map(|share| share * variance);
    let [in_large, in_small] =
        waves::PATCHES_M.map(|width| corner.map(|at| (at / f64::from(width)).fract()));
    let in_noise = corner.map(|at| at % NOISE_M);
    let look = LookNumbers {
        ahead: with(forward, camera.tilt_part()),
        right: with(right, camera.metres_per_px),
        up: with(up, camera.exaggeration),
        light: with(air.sunlight(), 1.0 / air.sight_m),
        waves: with([large, small, variance - large - small], air.silt),
        patches: with([in_large[0], in_large[1], in_small[0]], in_small[1]),
        corner: with([in_noise[0], in_noise[1], 0.0], 0.0),
    };
    (look, [x, y, z, narrowing])
}

/// Returns the vectors from the middle of the screen to its right and its upper side, m.
fn screen(camera: &Camera) -> [[f64; 3]; 2] {
    let half = camera.size_px.map(|side| 0.5 * f64::from(side) * camera.metres_per_px);
    let (sin, cos) = camera.slope.sin_cos();
    let [right_x, right_y] = camera.unturned([half[0], 0.0]);
    let [up_x, up_y] = camera.unturned([0.0, half[1] * sin]);
    [[right_x, right_y, 0.0], [up_x, up_y, half[1] * cos]]
}

#[expect(clippy::cast_possible_truncation, reason = "what a graphics card reckons in")]
fn with([x, y, z]: [f64; 3], w: f64) -> [f32; 4] {
    [x, y, z, w].map(|number| number as f32)
}
