//! Structures on a map: a barrier is a dark line with a light outline, a link a thinner one with a
//! dot at each end, or one dot; each with its name.

use kit::picture::colours::Colour;

use super::canvas::{Canvas, INK, WHITE};
use super::map::Zoom;
use super::names::Names;
use crate::outcome::Outcome;

/// Names are written on the map up to this many; beyond, only lines and dots are drawn.
const NAMED: usize = 24;
const RIM: f64 = 1.4;
/// Longest piece of a line that is drawn at once, pixels.
const PIECE: f64 = 24.0;

/// A structure on the map.
struct Drawn<'a> {
    name: &'a str,
    /// Corners of the line, pixels.
    line: Vec<[f64; 2]>,
    half_width: f64,
    /// Radius of the dots at its ends.
    dot: Option<f64>,
}

impl Drawn<'_> {
    fn draw(&self, canvas: &mut Canvas, rim: f64, colour: Colour) {
        for ends in self.line.windows(2) {
            draw_line(canvas, [ends[0], ends[1]], self.half_width + rim, colour);
        }
        if let (Some(radius), Some(first), Some(last)) =
            (self.dot, self.line.first(), self.line.last())
        {
            draw_piece(canvas, *first, *first, radius + rim, colour);
            draw_piece(canvas, *last, *last, radius + rim, colour);
        }
    }
}

/// Draws the structures of `outcome` over the map whose north-west corner is at `left, top`.
pub fn draw(
    canvas: &mut Canvas,
    names: &mut Names,
    outcome: &Outcome,
    zoom: Zoom,
    (left, top): (i32, i32),
) {
    let pixels = |path: &[[f64; 2]]| on_map(path, outcome, zoom, [left, top].map(f64::from));
    let barriers = outcome.barriers.iter().map(|barrier| {
        let (name, line) = (&*barrier.name, pixels(&barrier.path));
        Drawn { name, line, half_width: 1.6, dot: None }
    });
    let links = outcome.links.iter().map(|link| {
        let (name, line) = (&*link.name, pixels(&link.path));
        Drawn { name, line, half_width: 0.9, dot: Some(2.8) }
    });
    let all: Vec<Drawn<'_>> = barriers.chain(links).collect();
    for (rim, colour) in [(RIM, WHITE), (0.0, INK)] {
        all.iter().for_each(|drawn| drawn.draw(canvas, rim, colour));
    }
    if all.len() > NAMED {
        return;
    }
    for Drawn { name, line, .. } in &all {
        if let Some(place) = middle(line) {
            names.write(canvas, place.map(whole), 8, name);
        }
    }
}

/// Corners of a line in pixels.
#[expect(clippy::cast_precision_loss, reason = "factors of at most a few hundred")]
fn on_map(path: &[[f64; 2]], outcome: &Outcome, zoom: Zoom, corner: [f64; 2]) -> Vec<[f64; 2]> {
    let grid = &outcome.grid;
    let pixels = zoom.enlarge as f64 / zoom.reduce as f64;
    let place = |[x, y]: [f64; 2]| {
        let cells = [(x - grid.west) / grid.step_x, (grid.north - y) / grid.step_y];
        [corner[0] + cells[0] * pixels, corner[1] + cells[1] * pixels]
    };
    path.iter().copied().map(place).collect()
}

fn draw_line(canvas: &mut Canvas, [from, to]: [[f64; 2]; 2], half_width: f64, colour: Colour) {
    let along = [to[0] - from[0], to[1] - from[1]];
    let pieces = (along[0].hypot(along[1]) / PIECE).ceil().max(1.0);
    let at = |part: f64| [from[0] + part * along[0], from[1] + part * along[1]];
    let mut part = 0.0;
    while part < pieces {
        draw_piece(canvas, at(part / pieces), at((part + 1.0) / pieces), half_width, colour);
        part += 1.0;
    }
}

fn draw_piece(canvas: &mut Canvas, a: [f64; 2], b: [f64; 2], half_width: f64, colour: Colour) {
    let (low, high) = ([a[0].min(b[0]), a[1].min(b[1])], [a[0].max(b[0]), a[1].max(b[1])]);
    let [x, y] = low.map(|at| whole((at - half_width).floor()));
    let [x_end, y_end] = high.map(|at| whole((at + half_width).ceil()));
    let along = [b[0] - a[0], b[1] - a[1]];
    let square = (along[0] * along[0] + along[1] * along[1]).max(f64::MIN_POSITIVE);
    canvas.shape((x, y, x_end - x, y_end - y), colour, |px, py| {
        let part = ((px - a[0]) * along[0] + (py - a[1]) * along[1]) / square;
        let part = part.clamp(0.0, 1.0);
        let (dx, dy) = (px - a[0] - part * along[0], py - a[1] - part * along[1]);
        dx.hypot(dy) <= half_width
    });
}

/// The middle of a line.
fn middle(line: &[[f64; 2]]) -> Option<[f64; 2]> {
    let length = |ends: &[[f64; 2]]| (ends[1][0] - ends[0][0]).hypot(ends[1][1] - ends[0][1]);
    let mut rest = 0.5 * line.windows(2).map(length).sum::<f64>();
    for ends in line.windows(2) {
        let own = length(ends);
        if rest <= own && own > 0.0 {
            let part = rest / own;
            return Some([0, 1].map(|i| ends[0][i] + part * (ends[1][i] - ends[0][i])));
        }
        rest -= own;
    }
    line.last().copied()
}

#[expect(clippy::cast_possible_truncation, reason = "a place on a map of a few thousand pixels")]
fn whole(value: f64) -> i32 {
    value as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_lies_half_way_along_the_line() {
        let line = [[0.0, 0.0], [10.0, 0.0], [10.0, 30.0]];
        let [x, y] = middle(&line).expect("a line");
        assert!((x - 10.0).abs() < 1.0e-9 && (y - 10.0).abs() < 1.0e-9, "{x}, {y}");
        assert_eq!(middle(&[[3.0, 4.0]]), Some([3.0, 4.0]));
        assert_eq!(middle(&[]), None);
    }
}
