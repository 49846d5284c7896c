//! The map itself: classes of one layer over the shaded bed, one colour a pixel, which covers the
//! ground in proportion to the wet part of the pixel. Water before the event has one colour. Water
//! below the ground is hatched in the same colours. The picture of a backdrop is the paper on which
//! the bed is shaded; white paper gives the relief alone.

use kit::picture::colours::PictureColour;
use kit::picture::relief::ReliefShading;
use rasters::Grid;
use scenario::plan::BackdropContent;

use super::canvas::{MapCanvas, WHITE, pixels};
use super::layer::MapLayer;
use crate::outcome::{FloodOutcome, PARTS, painted};

/// Longest side of a map, pixels.
pub const SIDE_MAX: usize = 1600;
/// Small maps are enlarged until their longest side has this many pixels.
pub const SIDE_MIN: usize = 700;

/// Colour outside the world.
pub const OUTSIDE: PictureColour = [240, 242, 245];
/// Steps of brightness: fewer than an eye can distinguish, and a third of the file's size.
const SHADES: f32 = 64.0;

/// Steps of a channel from one colour of ground on paper to the next.
const STEP: u16 = 8;

/// Stripes of water below the ground: pixels from one stripe to the next, and the drawn ones of
/// them.
const STRIPES: [i32; 2] = [6, 3];

/// Ratio of cells to pixels: `reduce × reduce` cells are one, or one is `enlarge × enlarge`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Zoom {
    /// Cells per pixel side.
    pub reduce: usize,
    /// Pixels per (reduced) cell side.
    pub enlarge: usize,
}

impl Zoom {
    /// Returns the zoom for a grid of `width × height` cells.
    #[must_use]
    pub fn of(width: usize, height: usize) -> Self {
        let side = width.max(height).max(1);
        let reduce = side.div_ceil(SIDE_MAX);
        let enlarge = if reduce > 1 { 1 } else { SIDE_MIN.div_ceil(side) };
        Self { reduce, enlarge }
    }

    /// Pixels of a side of `cells`.
    #[must_use]
    pub fn pixels(self, cells: usize) -> usize {
        cells.div_ceil(self.reduce) * self.enlarge
    }

    /// Returns the pixel that contains the centre of a cell, along one side.
    #[must_use]
    pub fn centre(self, cell: usize) -> i32 {
        pixels((2 * cell + 1) * self.enlarge / (2 * self.reduce))
    }

    /// Returns metres per pixel if a cell is `cell_m` wide.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "factors of at most a few hundred")]
    pub fn pixel_m(self, cell_m: f64) -> f64 {
        cell_m * self.reduce as f64 / self.enlarge as f64
    }
}

/// Returns the side of a cell, m; 1 if the grid has none (then nothing on the map depends on it).
#[must_use]
pub fn cell_m(grid: &Grid) -> f64 {
    grid.cell_m.map_or(1.0, |(x, _)| x)
}

/// The shaded bed of a run at one zoom: shared by all its maps.
#[derive(Debug, Clone)]
pub struct ShadedGround {
    /// Ratio of cells to pixels.
    pub zoom: Zoom,
    /// Pixels to the east.
    width: usize,
    /// Brightness of every pixel, smooth between cells; NaN outside.
    brightness: Vec<f32>,
    /// Colours of the paper, one a pixel, if a picture is below the water.
    paper: Option<Vec<PictureColour>>,
}

impl ShadedGround {
    /// Shades the bed of `outcome`.
    #[must_use]
    pub fn new(outcome: &FloodOutcome) -> Self {
        let Grid { width, height, .. } = outcome.grid;
        let zoom = Zoom::of(width, height);
        let cell_m = cell_m(&outcome.grid);
        let relief = ReliefShading::new(&outcome.bed_m, width, height, cell_m, zoom.reduce);
        #[expect(clippy::cast_precision_loss, reason = "pixels are few")]
        let place = |pixel: usize| (pixel as f64 + 0.5) / zoom.enlarge as f64;
        let (width, height) = (zoom.pixels(width), zoom.pixels(height));
        let pixels = (0..width * height).map(|pixel| (pixel % width, pixel / width));
        Self {
            zoom,
            width,
            brightness: pixels.map(|(x, y)| relief.at(place(x), place(y))).collect(),
            paper: paper(outcome, zoom),
        }
    }

    /// Draws `layer` of `outcome` over the bed with its north-west corner at `left, top`.
    pub fn draw(
        &self,
        canvas: &mut MapCanvas,
        (left, top): (i32, i32),
        outcome: &FloodOutcome,
        layer: &MapLayer<'_>,
    ) {
        let Zoom { reduce: factor, enlarge } = self.zoom;
        let size = (outcome.grid.width, outcome.grid.height);
        let limits = layer.scale.limits();
        let was_water = |cell: usize| outcome.was_water(cell);
        let bed_m = &outcome.bed_m;
        let paint = painted(layer.plane, bed_m, size, factor, &limits, was_water);
        let below = layer.below;
        let hatched = below.map(|plane| painted(plane, bed_m, size, factor, &limits, |_| false));
        let keys = layer.keys();
        let columns = self.width / enlarge;
        for (y, (row, line)) in (top..).zip(self.brightness.chunks(self.width).enumerate()) {
            for (x, (column, &brightness)) in (left..).zip(line.iter().enumerate()) {
                let cell = row / enlarge * columns + column / enlarge;
                let below = self.paper.as_ref().map(|paper| paper[row * self.width + column]);
                let ground = below
                    .map_or_else(|| shaded(brightness, None), |below| on_paper(brightness, below));
                canvas.blend(x, y, ground, 255);
                let brightness = brightness * below.map_or(1.0, lightness);
                let mut lay = |code: u16| {
                    let Some(code) = code.checked_sub(1) else { return };
                    let (colour, _) = keys[usize::from(code / PARTS)];
                    let colour = shaded(brightness, Some(colour));
                    canvas.blend(x, y, colour, cover(code % PARTS + 1));
                };
                lay(paint[cell]);
                if let Some(hatched) = hatched.as_ref().filter(|_| is_striped(x - left, y - top)) {
                    lay(hatched[cell]);
                }
            }
        }
    }
}

/// Whether a pixel shows water below the ground, if its cell has any. The page draws by the same
/// rule (`page/map.js`).
#[must_use]
pub fn is_striped(x: i32, y: i32) -> bool {
    (x + y).rem_euclid(STRIPES[0]) < STRIPES[1]
}

/// Returns the cover, of 255, of a colour on a number of parts of a pixel.
fn cover(parts: u16) -> u8 {
    u8::try_from(255 * u32::from(parts) / u32::from(PARTS)).unwrap_or(u8::MAX)
}

/// Returns the colour of ground of some brightness, or of a class over it.
///
/// The page draws by the same rule (`page/map.js`).
#[must_use]
pub fn shaded(brightness: f32, class: Option<PictureColour>) -> PictureColour {
    if brightness.is_nan() {
        return OUTSIDE;
    }
    let steps = (brightness * SHADES).round() / SHADES;
    match class {
        None => [255.0, 253.0, 247.0].map(|white| channel(white * steps)),
        Some(colour) => colour.map(|c| channel(f32::from(c) * (0.86 + 0.16 * steps))),
    }
}

/// Returns the colours of the paper below a map, one a pixel; `None` without a picture.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "pixels and cells are few")]
pub fn paper(outcome: &FloodOutcome, zoom: Zoom) -> Option<Vec<PictureColour>> {
    let BackdropContent::Picture(picture) = &outcome.backdrop.as_ref()?.content else {
        return None;
    };
    let grid = &outcome.grid;
    let cells = zoom.reduce as f64 / zoom.enlarge as f64;
    let size = [cells * grid.step_x, cells * grid.step_y];
    let (width, height) = (zoom.pixels(grid.width), zoom.pixels(grid.height));
    let pixels = (0..height).flat_map(|row| (0..width).map(move |column| (column, row)));
    let colour = |(column, row): (usize, usize)| {
        let corner = [grid.west + column as f64 * size[0], grid.north - row as f64 * size[1]];
        picture.mean(corner, size)
    };
    Some(pixels.map(colour).collect())
}

/// Returns the colour of dry ground of some brightness on paper of a colour.
///
/// The page draws by the same rule (`page/map.js`), but in all steps of a channel: here 32 keep the
/// files of photographs small.
#[must_use]
fn on_paper(brightness: f32, paper: PictureColour) -> PictureColour {
    if brightness.is_nan() {
        return OUTSIDE;
    }
    let white = shaded(brightness, None);
    if paper == WHITE {
        return white;
    }
    let part = |axis: usize| u16::from(white[axis]) * u16::from(paper[axis]) / 255;
    let stepped = |axis: usize| (part(axis) + STEP / 2) / STEP * STEP;
    [0, 1, 2].map(|axis| u8::try_from(stepped(axis)).unwrap_or(u8::MAX))
}

/// Returns the part of the light that paper of a colour reflects: its visible share through water.
#[must_use]
fn lightness([red, green, blue]: PictureColour) -> f32 {
    (0.3 * f32::from(red) + 0.59 * f32::from(green) + 0.11 * f32::from(blue)) / 255.0
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a conversion to u8 saturates"
)]
fn channel(value: f32) -> u8 {
    value.round() as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_paper_is_the_relief_alone() {
        for brightness in [0.4, 0.8, 1.0, f32::NAN] {
            assert_eq!(on_paper(brightness, [255; 3]), shaded(brightness, None));
        }
        assert_eq!(on_paper(1.0, [255, 51, 0]), [255, 48, 0]);
        assert!((lightness([255; 3]) - 1.0).abs() < 1.0e-6 && lightness([0; 3]) < 1.0e-6);
    }

    #[test]
    fn maps_have_a_readable_size() {
        for (width, height, reduce, enlarge) in [
            (1, 1, 1, 700),
            (3, 2, 1, 234),
            (100, 60, 1, 7),
            (699, 10, 1, 2),
            (700, 700, 1, 1),
            (1600, 900, 1, 1),
            (1601, 900, 2, 1),
            (10, 20_000, 13, 1),
        ] {
            let zoom = Zoom::of(width, height);
            assert_eq!(zoom, Zoom { reduce, enlarge }, "{width} × {height}");
            assert!(zoom.pixels(width.max(height)) <= SIDE_MAX);
            assert!(zoom.pixels(width.max(height)) >= SIDE_MIN);
        }
    }
}
