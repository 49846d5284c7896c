//! Backdrop on the maps: the user's picture below the water, darkened by the relief like white paper
//! is, or thin lines, outlines and dots over the water, with their names where there is room.
//!
//! Guarantees: the page's picture has a pixel for each of its map, whatever the size of the file;
//!             white paper gives the relief alone.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use kit::picture::colours::Colour;
use kit::picture::png::{self, Effort};
use scenario::plan::Content;
use scenario::shapes::{Shape, ShapeKind};
use serde_json::{Value, json};

use super::canvas::Canvas;
use super::lines::{draw_line, middle, on_map, whole};
use super::map::{OUTSIDE, Zoom, shaded};
use super::names::Names;
use crate::outcome::Outcome;

/// Colour of shapes.
const STROKE: Colour = [62, 70, 84];
/// Half the width of their lines, and the radius of their dots, pixels.
const HALF_WIDTH: f64 = 0.55;
const DOT: f64 = 2.6;
/// Space between a shape and its name, pixels.
const GAP: i32 = 6;
/// Most names on a picture, and on the page, where closer maps have room for more.
const NAMED: usize = 24;
const NAMED_ON_PAGE: usize = 120;

/// Colours of the paper below a map, one a pixel; `None` without a picture.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "pixels and cells are few")]
pub fn paper(outcome: &Outcome, zoom: Zoom) -> Option<Vec<Colour>> {
    let Content::Picture(picture) = &outcome.backdrop.as_ref()?.content else { return None };
    let grid = &outcome.grid;
    let cells = zoom.reduce as f64 / zoom.enlarge as f64;
    let size = [cells * grid.step_x, cells * grid.step_y];
    let (width, height) = (zoom.pixels(grid.width), zoom.pixels(grid.height));
    let pixels = (0..height).flat_map(|row| (0..width).map(move |column| (column, row)));
    let colour = |(column, row): (usize, usize)| {
        let corner =
            [grid.west + column as f64 * size[0], grid.north - row as f64 * size[1]];
        picture.mean(corner, size)
    };
    Some(pixels.map(colour).collect())
}

/// Colour of dry ground of some brightness on paper of a colour.
///
/// The page draws by the same rule (`page/map.js`).
#[must_use]
pub fn on_paper(brightness: f32, paper: Colour) -> Colour {
    if brightness.is_nan() {
        return OUTSIDE;
    }
    let white = shaded(brightness, None);
    let part = |axis: usize| (u16::from(white[axis]) * u16::from(paper[axis]) + 127) / 255;
    [0, 1, 2].map(|axis| u8::try_from(part(axis)).unwrap_or(u8::MAX))
}

/// Part of the light that paper of a colour gives back: what is seen of it through water.
#[must_use]
pub fn lightness([red, green, blue]: Colour) -> f32 {
    (0.3 * f32::from(red) + 0.59 * f32::from(green) + 0.11 * f32::from(blue)) / 255.0
}

/// The shapes of a backdrop.
fn shapes(outcome: &Outcome) -> &[Shape] {
    match outcome.backdrop.as_ref().map(|backdrop| &backdrop.content) {
        Some(Content::Shapes(shapes)) => shapes,
        _ => &[],
    }
}

/// Points of a line; those of an outline end where they began.
fn closed(shape: &Shape) -> Vec<[f64; 2]> {
    let mut path = shape.path.clone();
    if shape.kind == ShapeKind::Outline && path.first() != path.last() {
        path.extend(path.first().copied());
    }
    path
}

/// Draws the shapes over the map whose north-west corner is at `corner` and that ends at `end`.
pub fn draw(
    canvas: &mut Canvas,
    outcome: &Outcome,
    zoom: Zoom,
    (corner, end): ([i32; 2], [i32; 2]),
) {
    let from = corner.map(f64::from);
    let is_near = |[x, y]: [f64; 2]| {
        x >= from[0] && x <= f64::from(end[0]) && y >= from[1] && y <= f64::from(end[1])
    };
    for shape in shapes(outcome) {
        let path = on_map(&closed(shape), outcome, zoom, from);
        if let (ShapeKind::Point, [at]) = (shape.kind, &path[..]) {
            if is_near(*at) {
                canvas.disc(whole(at[0]), whole(at[1]), DOT, STROKE);
            }
            continue;
        }
        for ends in path.windows(2) {
            if let Some(ends) = within([ends[0], ends[1]], from, end.map(f64::from)) {
                draw_line(canvas, ends, HALF_WIDTH, STROKE);
            }
        }
    }
}

/// The part of a piece of a line within a rectangle (Liang and Barsky 1984).
fn within([a, b]: [[f64; 2]; 2], low: [f64; 2], high: [f64; 2]) -> Option<[[f64; 2]; 2]> {
    let (mut enters, mut leaves) = (0.0_f64, 1.0_f64);
    for axis in [0, 1] {
        let along = b[axis] - a[axis];
        for (toward, room) in [(-along, a[axis] - low[axis]), (along, high[axis] - a[axis])] {
            if toward == 0.0 && room < 0.0 {
                return None;
            }
            if toward < 0.0 {
                enters = enters.max(room / toward);
            } else if toward > 0.0 {
                leaves = leaves.min(room / toward);
            }
        }
    }
    let at = |part: f64| [0, 1].map(|axis| a[axis] + part * (b[axis] - a[axis]));
    (enters < leaves).then(|| [at(enters), at(leaves)])
}

/// Writes the names of the first shapes, where there is room beside what is named already.
pub fn name(canvas: &mut Canvas, names: &mut Names, outcome: &Outcome, zoom: Zoom, corner: [i32; 2]) {
    let named = shapes(outcome).iter().filter_map(|shape| Some((shape, shape.name.as_ref()?)));
    for (shape, name) in named.take(NAMED) {
        let path = on_map(&shape.path, outcome, zoom, corner.map(f64::from));
        if let Some(place) = middle(&path) {
            names.write_if_free(canvas, place.map(whole), GAP, name);
        }
    }
}

/// The backdrop as the page draws it, on maps of a zoom; `null` if there is none.
///
/// # Panics
///
/// If a picture of the size of the page's map cannot be encoded in memory.
#[must_use]
pub fn record(outcome: &Outcome, zoom: Zoom) -> Value {
    let Some(backdrop) = &outcome.backdrop else { return Value::Null };
    let name = backdrop.path.file_name().unwrap_or_default().to_string_lossy();
    let picture = paper(outcome, zoom).map(|pixels| {
        let size = [outcome.grid.width, outcome.grid.height].map(|cells| zoom.pixels(cells));
        let mut file = Vec::new();
        png::write_rgb(&mut file, size, pixels.as_flattened(), Effort::Usual)
            .expect("a picture of the page's size is encoded in memory");
        STANDARD.encode(file)
    });
    let mut left = NAMED_ON_PAGE;
    let grid = &outcome.grid;
    let hundredth = |value: f64| (value * 100.0).round() / 100.0;
    let shape = |shape: &Shape| {
        let name = shape.name.as_ref().filter(|_| left > 0);
        left -= usize::from(name.is_some());
        // In cells from the north-west corner, as the page's lines are.
        let place = |[x, y]: [f64; 2]| {
            [(x - grid.west) / grid.step_x, (grid.north - y) / grid.step_y].map(hundredth)
        };
        let path: Vec<[f64; 2]> = closed(shape).into_iter().map(place).collect();
        json!({"name": name, "is_point": shape.kind == ShapeKind::Point, "path": path})
    };
    let shapes: Vec<Value> = shapes(outcome).iter().map(shape).collect();
    json!({"name": name, "picture": picture, "shapes": shapes})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_paper_is_the_relief_alone() {
        for brightness in [0.4, 0.8, 1.0, f32::NAN] {
            assert_eq!(on_paper(brightness, [255; 3]), shaded(brightness, None));
        }
        assert_eq!(on_paper(1.0, [255, 51, 0]), [255, 51, 0]);
        assert!((lightness([255; 3]) - 1.0).abs() < 1.0e-6 && lightness([0; 3]) < 1.0e-6);
    }

    #[test]
    fn lines_are_cut_at_the_map() {
        let (low, high) = ([0.0, 0.0], [10.0, 10.0]);
        for (line, expected) in [
            ([[2.0, 2.0], [8.0, 8.0]], Some([[2.0, 2.0], [8.0, 8.0]])),
            ([[-10.0, 5.0], [30.0, 5.0]], Some([[0.0, 5.0], [10.0, 5.0]])),
            ([[5.0, 20.0], [5.0, 5.0]], Some([[5.0, 10.0], [5.0, 5.0]])),
            ([[-5.0, 0.0], [-1.0, 9.0]], None),
            ([[11.0, 5.0], [11.0, 6.0]], None),
        ] {
            assert_eq!(within(line, low, high), expected, "{line:?}");
        }
    }
}
