//! Backdrop on the maps: thin lines, outlines and dots over the water, with their names if they
//! have room; and its part of the page's record, pictures too. On the maps a picture is the paper
//! of the ground (`map`).
//!
//! Guarantees: the page's picture has a pixel for each pixel of its map, independent of the file's
//!             size.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use kit::picture::colours::PictureColour;
use kit::picture::png::{self, Effort};
use scenario::plan::BackdropContent;
use scenario::shapes::{MapShape, ShapeKind};
use serde_json::{Value, json};

use super::canvas::MapCanvas;
use super::lines::{draw_line, middle, on_map, whole, within};
use super::map::{Zoom, paper};
use super::names::Names;
use crate::outcome::FloodOutcome;

/// Colour of shapes.
const STROKE: PictureColour = [62, 70, 84];
/// Half the width of their lines, and the radius of their dots, pixels.
const HALF_WIDTH: f64 = 0.55;
const DOT: f64 = 2.6;
/// Space between a shape and its name, pixels.
const GAP: i32 = 6;
/// Most names on a picture, and on the page, whose closer maps have room for more.
const NAMED: usize = 24;
const NAMED_ON_PAGE: usize = 120;

/// Returns the shapes of a backdrop.
fn shapes(outcome: &FloodOutcome) -> &[MapShape] {
    match outcome.backdrop.as_ref().map(|backdrop| &backdrop.content) {
        Some(BackdropContent::Shapes(shapes)) => shapes,
        _ => &[],
    }
}

/// Returns the points of a line; an outline ends at its first point.
fn closed(shape: &MapShape) -> Vec<[f64; 2]> {
    let mut path = shape.path.clone();
    if shape.kind == ShapeKind::Outline && path.first() != path.last() {
        path.extend(path.first().copied());
    }
    path
}

/// Draws the shapes over the map whose north-west corner is at `corner` and that ends at `end`.
pub fn draw(
    canvas: &mut MapCanvas,
    outcome: &FloodOutcome,
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

/// Writes the names of the first shapes, if they do not cover names drawn before.
pub fn name(
    canvas: &mut MapCanvas,
    names: &mut Names,
    outcome: &FloodOutcome,
    zoom: Zoom,
    corner: [i32; 2],
) {
    let named = shapes(outcome).iter().filter_map(|shape| Some((shape, shape.name.as_ref()?)));
    for (shape, name) in named.take(NAMED) {
        let path = on_map(&shape.path, outcome, zoom, corner.map(f64::from));
        if let Some(place) = middle(&path) {
            names.write_if_free(canvas, place.map(whole), GAP, name);
        }
    }
}

/// Returns the backdrop as the page draws it, on maps of a zoom; `null` if the run has no backdrop.
///
/// # Panics
///
/// If a picture of the size of the page's map cannot be encoded in memory.
#[must_use]
pub fn record(outcome: &FloodOutcome, zoom: Zoom) -> Value {
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
    let shape = |shape: &MapShape| {
        let name = shape.name.as_ref().filter(|_| left > 0);
        left -= usize::from(name.is_some());
        // Places are in cells from the north-west corner, as the page's lines are.
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
