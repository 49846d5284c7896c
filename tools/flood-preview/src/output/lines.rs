//! Structures on a map: a barrier is a dark line with a light outline, a link a thinner one with a
//! dot at each end, or one dot, a section one with an arrow in the direction of positive discharge,
//! a tunnel a dashed one, a bridge the outline of its deck; each with its name.

use kit::picture::colours::PictureColour;
use rasters::Grid;

use super::canvas::{INK, MapCanvas, WHITE};
use super::map::Zoom;
use super::names::Names;
use crate::outcome::FloodOutcome;

/// Names are written on the map up to this many; beyond, only lines and dots are drawn.
const NAMED: usize = 24;
const RIM: f64 = 1.4;
/// Rim of a deck or a tunnel, narrower to leave the water below visible beside it.
const RIM_OF_ROCK: f64 = 0.5;
/// Half the width of a dashed line and of an outline, pixels.
const DASHED: f64 = 1.0;
const OUTLINE: f64 = 0.8;
/// Width of the line of a link or a section, pixels.
const THIN: f64 = 0.9;
/// Dashes of a tunnel and the gaps between them, pixels.
const DASHES: [f64; 2] = [8.0, 6.0];
/// Space between the middle of a line and its name, pixels.
const GAP: i32 = 8;
/// Length of an arrow and of its head, pixels.
const ARROW: f64 = 18.0;
const HEAD: f64 = 6.0;
/// Longest piece of a line that is drawn at once, pixels.
const PIECE: f64 = 24.0;

/// A structure on the map.
struct DrawnStructure<'a> {
    name: &'a str,
    /// Corners of the lines, pixels.
    lines: Vec<Vec<[f64; 2]>>,
    /// Place of its name, and the distance of the name from it.
    middle: Option<[f64; 2]>,
    gap: i32,
    half_width: f64,
    rim: f64,
    /// Radius of the dots at its ends.
    dot: Option<f64>,
}

impl DrawnStructure<'_> {
    /// Draws it, or `is_rim` the light outline below it.
    fn draw(&self, canvas: &mut MapCanvas, is_rim: bool) {
        let (rim, colour) = if is_rim { (self.rim, WHITE) } else { (0.0, INK) };
        for line in &self.lines {
            for ends in line.windows(2) {
                draw_line(canvas, [ends[0], ends[1]], self.half_width + rim, colour);
            }
            if let (Some(radius), Some(first), Some(last)) = (self.dot, line.first(), line.last()) {
                draw_piece(canvas, *first, *first, radius + rim, colour);
                draw_piece(canvas, *last, *last, radius + rim, colour);
            }
        }
    }
}

/// Draws the structures of `outcome` over the map whose north-west corner is at `left, top`.
#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
pub fn draw(
    canvas: &mut MapCanvas,
    names: &mut Names,
    outcome: &FloodOutcome,
    zoom: Zoom,
    (left, top): (i32, i32),
) {
    let pixels = |path: &[[f64; 2]]| on_map(path, outcome, zoom, [left, top].map(f64::from));
    let Grid { width, height, west, north, step_x, step_y, .. } = outcome.grid;
    let corner = |x: usize, y: usize| [west + x as f64 * step_x, north - y as f64 * step_y];
    let corners = pixels(&[corner(0, 0), corner(width, height)]);
    let one = |line: Vec<[f64; 2]>, half_width, dot, name| {
        let middle = middle(&line);
        DrawnStructure { name, middle, gap: GAP, lines: vec![line], half_width, rim: RIM, dot }
    };
    let barriers = outcome.barriers.iter().map(|barrier| {
        // A barrier may reach beyond the map.
        let parts = parts_within(&pixels(&barrier.path), corners[0], corners[1]);
        let longest = parts.iter().max_by(|a, b| length(a).total_cmp(&length(b)));
        let named = longest.cloned().unwrap_or_default();
        DrawnStructure { lines: parts, ..one(named, 1.6, None, &*barrier.name) }
    });
    let sections = outcome.sections.iter();
    let sections = sections.map(|own| {
        let mut drawn = one(pixels(&own.path), THIN, None, &*own.name);
        drawn.lines.extend(arrow(&drawn.lines[0]));
        drawn.gap = GAP + whole(ARROW);
        drawn
    });
    let links = outcome.links.iter();
    let links = links.map(|link| one(pixels(&link.path), THIN, Some(2.8), &*link.name));
    let rocks = outcome.rocks.iter().map(|rock| {
        let (name, line) = (&*rock.name, pixels(&rock.path));
        let middle = middle(&line);
        let (lines, half_width) = match rock.outline.is_empty() {
            true => (dashes(&line), DASHED),
            false => (vec![pixels(&rock.outline)], OUTLINE),
        };
        DrawnStructure { name, middle, gap: GAP, lines, half_width, rim: RIM_OF_ROCK, dot: None }
    });
    let all: Vec<DrawnStructure<'_>> = rocks.chain(barriers).chain(links).chain(sections).collect();
    for is_rim in [true, false] {
        all.iter().for_each(|drawn| drawn.draw(canvas, is_rim));
    }
    if all.len() > NAMED {
        return;
    }
    for DrawnStructure { name, middle, gap, .. } in &all {
        if let Some(place) = middle {
            names.write(canvas, place.map(whole), *gap, name);
        }
    }
}

/// A line that the legend explains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineKey {
    /// The deck of a bridge.
    Deck,
    /// A tunnel.
    Tunnel,
    /// The arrow of a section.
    Section,
}

impl LineKey {
    /// Returns the words beside the key.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::Deck => "Deck of a bridge",
            Self::Tunnel => "Tunnel",
            Self::Section => "Discharge is positive",
        }
    }
}

/// Returns the keys that the legend of `outcome` has.
pub fn keys(outcome: &FloodOutcome) -> impl Iterator<Item = LineKey> {
    let has_rock = |kind: &str| outcome.rocks.iter().any(|rock| rock.kind == kind);
    let all = [
        (has_rock("bridge"), LineKey::Deck),
        (has_rock("tunnel"), LineKey::Tunnel),
        (!outcome.sections.is_empty(), LineKey::Section),
    ];
    all.into_iter().filter_map(|(is_there, key)| is_there.then_some(key))
}

/// Draws a key of the legend, in a box.
pub fn draw_key(canvas: &mut MapCanvas, key: LineKey, [west, north, width, height]: [i32; 4]) {
    let [x, y, width, height] = [west, north, width, height].map(f64::from);
    let (x_end, y_end, middle) = (x + width, y + height, y + 0.5 * height);
    let across = [[x, middle], [x_end, middle]];
    let (lines, half_width) = match key {
        LineKey::Deck => {
            (vec![vec![[x, y], [x_end, y], [x_end, y_end], [x, y_end], [x, y]]], OUTLINE)
        }
        LineKey::Tunnel => (dashes(&across), DASHED),
        // A line to the north, whose right is the east.
        LineKey::Section => {
            let line = vec![[x + 6.0, y_end], [x + 6.0, y]];
            (arrow(&line).into_iter().chain([line]).collect(), THIN)
        }
    };
    let (name, middle, rim) = ("", None, RIM_OF_ROCK);
    DrawnStructure { name, middle, gap: 0, lines, half_width, rim, dot: None }.draw(canvas, false);
}

/// Returns the dashes of a line.
fn dashes(line: &[[f64; 2]]) -> Vec<Vec<[f64; 2]>> {
    let mut all = Vec::new();
    // Whether a dash is being drawn, and how much of it or of the gap is left.
    let (mut part, mut left, mut dash) =
        (0, DASHES[0], line.first().map_or(vec![], |at| vec![*at]));
    for ends in line.windows(2) {
        let along = [0, 1].map(|i| ends[1][i] - ends[0][i]);
        let length = along[0].hypot(along[1]);
        let mut gone = 0.0;
        while length - gone > left {
            gone += left;
            let at = [0, 1].map(|i| ends[0][i] + along[i] * gone / length);
            dash.push(at);
            if part == 0 {
                all.push(std::mem::take(&mut dash));
            }
            (part, dash) = (1 - part, vec![at]);
            left = DASHES[part];
        }
        left -= length - gone;
        if part == 0 {
            dash.push(ends[1]);
        }
    }
    if part == 0 && dash.len() > 1 {
        all.push(dash);
    }
    all
}

/// Returns the corners of a line in pixels.
#[expect(clippy::cast_precision_loss, reason = "factors of at most a few hundred")]
pub(super) fn on_map(
    path: &[[f64; 2]],
    outcome: &FloodOutcome,
    zoom: Zoom,
    corner: [f64; 2],
) -> Vec<[f64; 2]> {
    let grid = &outcome.grid;
    let pixels = zoom.enlarge as f64 / zoom.reduce as f64;
    let place = |[x, y]: [f64; 2]| {
        let cells = [(x - grid.west) / grid.step_x, (grid.north - y) / grid.step_y];
        [corner[0] + cells[0] * pixels, corner[1] + cells[1] * pixels]
    };
    path.iter().copied().map(place).collect()
}

/// Returns the part of a piece of a line within a rectangle (Liang and Barsky 1984).
pub(super) fn within(
    [a, b]: [[f64; 2]; 2],
    low: [f64; 2],
    high: [f64; 2],
) -> Option<[[f64; 2]; 2]> {
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
    let at = |part: f64| match part < 1.0 {
        true => [0, 1].map(|axis| a[axis] + part * (b[axis] - a[axis])),
        false => b,
    };
    (enters < leaves).then(|| [at(enters), at(leaves)])
}

/// Returns the parts of a line within a rectangle.
fn parts_within(line: &[[f64; 2]], low: [f64; 2], high: [f64; 2]) -> Vec<Vec<[f64; 2]>> {
    let mut parts: Vec<Vec<[f64; 2]>> = Vec::new();
    for ends in line.windows(2) {
        let Some([from, to]) = within([ends[0], ends[1]], low, high) else { continue };
        match parts.last_mut().filter(|part| part.last() == Some(&from)) {
            Some(part) => part.push(to),
            None => parts.push(vec![from, to]),
        }
    }
    parts
}

/// Draws a straight line.
pub(super) fn draw_line(
    canvas: &mut MapCanvas,
    [from, to]: [[f64; 2]; 2],
    half_width: f64,
    colour: PictureColour,
) {
    let along = [to[0] - from[0], to[1] - from[1]];
    let pieces = (along[0].hypot(along[1]) / PIECE).ceil().max(1.0);
    let at = |part: f64| [from[0] + part * along[0], from[1] + part * along[1]];
    let mut part = 0.0;
    while part < pieces {
        draw_piece(canvas, at(part / pieces), at((part + 1.0) / pieces), half_width, colour);
        part += 1.0;
    }
}

fn draw_piece(
    canvas: &mut MapCanvas,
    a: [f64; 2],
    b: [f64; 2],
    half_width: f64,
    colour: PictureColour,
) {
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

/// Returns an arrow from the middle of a line to its right, rows growing to the south: its shaft
/// with both sides of its head.
fn arrow(line: &[[f64; 2]]) -> Option<Vec<[f64; 2]>> {
    let (from, [along_x, along_y]) = half_way(line)?;
    let right = [-along_y, along_x];
    let place = |ahead: f64, aside: f64| {
        [from[0] + ahead * right[0] + aside * along_x, from[1] + ahead * right[1] + aside * along_y]
    };
    let (tip, back) = (place(ARROW, 0.0), ARROW - HEAD);
    Some(vec![from, tip, place(back, HEAD), tip, place(back, -HEAD)])
}

/// Returns the middle of a line.
pub(super) fn middle(line: &[[f64; 2]]) -> Option<[f64; 2]> {
    half_way(line).map(|(place, _)| place).or(line.last().copied())
}

/// Returns the length of a line.
fn length(line: &[[f64; 2]]) -> f64 {
    line.windows(2).map(|ends| (ends[1][0] - ends[0][0]).hypot(ends[1][1] - ends[0][1])).sum()
}

/// Returns the middle of a line, and the direction of the line there; `None` if it has no length.
fn half_way(line: &[[f64; 2]]) -> Option<([f64; 2], [f64; 2])> {
    let mut rest = 0.5 * length(line);
    for ends in line.windows(2) {
        let own = length(ends);
        if rest <= own && own > 0.0 {
            let part = rest / own;
            let along = [0, 1].map(|i| ends[1][i] - ends[0][i]);
            let place = [0, 1].map(|i| ends[0][i] + part * along[i]);
            return Some((place, along.map(|along| along / own)));
        }
        rest -= own;
    }
    None
}

/// Returns the pixel of a position.
#[expect(clippy::cast_possible_truncation, reason = "a place on a map of a few thousand pixels")]
pub(super) fn whole(value: f64) -> i32 {
    value as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dashes_go_on_around_a_corner() {
        let line = [[0.0, 0.0], [10.0, 0.0], [10.0, 30.0]];
        let all = dashes(&line);
        let expected = [
            vec![[0.0, 0.0], [8.0, 0.0]],
            vec![[10.0, 4.0], [10.0, 12.0]],
            vec![[10.0, 18.0], [10.0, 26.0]],
        ];
        assert_eq!(all, expected);
        let all = dashes(&[[0.0, 0.0], [5.0, 0.0], [5.0, 1.0]]);
        assert_eq!(all, [vec![[0.0, 0.0], [5.0, 0.0], [5.0, 1.0]]]);
        assert!(dashes(&[]).is_empty());
    }

    #[test]
    fn a_line_is_cut_at_the_sides_of_a_map() {
        let cut = |line: &[[f64; 2]]| parts_within(line, [0.0, 0.0], [20.0, 10.0]);
        let inside = [[3.0, 4.0], [8.0, 4.0], [8.0, 9.0]];
        assert_eq!(cut(&inside), [inside.to_vec()]);
        let out_and_back = [[4.0, 5.0], [4.0, 15.0], [12.0, 15.0], [12.0, 5.0]];
        let halves = [vec![[4.0, 5.0], [4.0, 10.0]], vec![[12.0, 10.0], [12.0, 5.0]]];
        assert_eq!(cut(&out_and_back), halves);
        assert_eq!(cut(&[[-10.0, 5.0], [30.0, 5.0]]), [vec![[0.0, 5.0], [20.0, 5.0]]]);
        assert!(cut(&[[-1.0, 0.0], [-1.0, 12.0], [30.0, 12.0]]).is_empty());
    }

    #[test]
    fn the_middle_lies_half_way_along_the_line() {
        let line = [[0.0, 0.0], [10.0, 0.0], [10.0, 30.0]];
        let [x, y] = middle(&line).expect("a line");
        assert!((x - 10.0).abs() < 1.0e-9 && (y - 10.0).abs() < 1.0e-9, "{x}, {y}");
        assert_eq!(middle(&[[3.0, 4.0]]), Some([3.0, 4.0]));
        assert_eq!(middle(&[]), None);
    }

    #[test]
    fn an_arrow_points_to_the_right_of_its_line() {
        // The line leads north, up the picture: the east is to the right.
        let north = arrow(&[[5.0, 40.0], [5.0, 20.0]]).expect("a line");
        assert_eq!(north[..2], [[5.0, 30.0], [23.0, 30.0]]);
        assert_eq!((north[2], north[4]), ([17.0, 24.0], [17.0, 36.0]));
        let east = arrow(&[[0.0, 7.0], [10.0, 7.0]]).expect("a line");
        assert_eq!(east[1..2], [[5.0, 25.0]]);
        assert_eq!(arrow(&[[3.0, 4.0], [3.0, 4.0]]), None);
    }
}
