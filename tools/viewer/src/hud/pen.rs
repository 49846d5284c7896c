//! Contents of one frame of the display: shapes, words and the places of buttons.
//!
//! Guarantees: composing needs no window, so tests see the drawing itself.

use crate::hud::keys::KeyCommand;
use crate::hud::palette;
use ggez::graphics::{
    Canvas, Color, DrawParam, LinearColor, Mesh, MeshData, PxScale, Rect, Text, TextFragment,
    Vertex,
};
use ggez::{Context, GameResult};
use thalweg::glam::Vec2;

/// Width of a letter of ggez's font at size 1: all letters have the same width.
const LETTER: f32 = 1229.0 / 2320.0;

/// Place on the screen, px.
pub(super) type Px = [f32; 2];

/// Shapes, and words above them.
#[derive(Default)]
struct PenLayer {
    vertices: Vec<Vertex>,
    indices: Vec<u32>,
    words: Vec<PlacedWords>,
}

/// Line of words, placed by its top left corner.
#[derive(Debug, Clone)]
pub(super) struct PlacedWords {
    pub text: String,
    pub at: Px,
    pub size: f32,
    pub colour: Color,
}

/// Drawings gathered for a frame.
#[derive(Default)]
pub(super) struct Pen {
    layers: Vec<PenLayer>,
    /// Areas that hide the world: a press here does not reach it.
    pub panels: Vec<Rect>,
    /// Areas in which a press has an effect, and the effect.
    pub buttons: Vec<(Rect, KeyCommand)>,
}

/// Returns the width of a text, px.
pub(super) fn width(text: &str, size: f32) -> f32 {
    // Texts are short.
    text.chars().map(|_| LETTER * size).sum()
}

#[cfg(test)]
impl PlacedWords {
    pub fn area(&self) -> Rect {
        Rect::new(self.at[0], self.at[1], width(&self.text, self.size), self.size)
    }
}

/// Converts a number of the world to one of the screen.
#[expect(clippy::cast_possible_truncation, reason = "pixels need no more")]
pub(super) fn px(value: f64) -> f32 {
    value as f32
}

/// Converts a count to a number of the screen.
#[expect(clippy::cast_precision_loss, reason = "few things are drawn")]
pub(super) fn count(value: usize) -> f32 {
    value as f32
}

/// Converts a number from 0 to 255 to a byte.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "bounded here")]
pub(super) fn byte(value: f64) -> u8 {
    value.clamp(0.0, 255.0) as u8
}

impl Pen {
    /// Puts all later drawings above all earlier ones.
    pub fn over(&mut self) {
        self.layers.push(PenLayer::default());
    }

    fn layer(&mut self) -> &mut PenLayer {
        if self.layers.is_empty() {
            self.over();
        }
        self.layers.last_mut().expect("made above")
    }

    /// Draws a convex shape.
    pub fn convex(&mut self, corners: &[Px], colour: Color) {
        let linear = LinearColor::from(colour).into();
        let layer = self.layer();
        let first = layer.start();
        layer.vertices.extend(corners.iter().map(|at| vertex(*at, linear)));
        for next in 2..index(corners.len()) {
            layer.indices.extend([first, first + next - 1, first + next]);
        }
    }

    /// Draws a rectangle.
    pub fn fill(&mut self, area: Rect, colour: Color) {
        let (right, bottom) = (area.right(), area.bottom());
        let corners = [[area.x, area.y], [right, area.y], [right, bottom], [area.x, bottom]];
        self.convex(&corners, colour);
    }

    /// Draws a rectangle whose colour changes from left to right.
    pub fn blend(&mut self, area: Rect, left: Color, right: Color) {
        let [left, right] = [left, right].map(|colour| LinearColor::from(colour).into());
        let layer = self.layer();
        let first = layer.start();
        for (x, colour) in [(area.x, left), (area.right(), right)] {
            layer.vertices.push(vertex([x, area.y], colour));
            layer.vertices.push(vertex([x, area.bottom()], colour));
        }
        layer.indices.extend([0, 1, 2, 1, 2, 3].map(|corner| first + corner));
    }

    /// Draws a rectangle with round corners.
    pub fn round(&mut self, area: Rect, radius: f32, colour: Color) -> Vec<Px> {
        let corners = rounded(area, radius);
        self.convex(&corners, colour);
        corners
    }

    /// Draws a panel: a press on it does not reach the world below.
    pub fn panel(&mut self, area: Rect) {
        let corners = self.round(area, 6.0, palette::PANEL);
        self.stroke(&corners, 1.0, palette::RIM, true);
        self.panels.push(area);
    }

    /// Draws a line through points, with soft edges.
    pub fn stroke(&mut self, points: &[Px], wide: f32, colour: Color, is_closed: bool) {
        let count = points.len();
        if count < 2 {
            return;
        }
        let full: [f32; 4] = LinearColor::from(colour).into();
        let clear = [full[0], full[1], full[2], 0.0];
        let (inner, outer) = ((wide / 2.0 - 0.5).max(0.0), wide / 2.0 + 0.5);
        let offsets = [(-outer, clear), (-inner, full), (inner, full), (outer, clear)];
        let layer = self.layer();
        let first = layer.start();
        for at in 0..count {
            let before = if at > 0 {
                at - 1
            } else if is_closed {
                count - 1
            } else {
                0
            };
            let after = if at + 1 < count {
                at + 1
            } else if is_closed {
                0
            } else {
                at
            };
            let across = mitre(points[before], points[at], points[after]);
            for (offset, colour) in offsets {
                let place = [0, 1].map(|i| points[at][i] + offset * across[i]);
                layer.vertices.push(vertex(place, colour));
            }
        }
        let segments = if is_closed { count } else { count - 1 };
        for segment in 0..segments {
            let a = first + 4 * index(segment);
            let b = first + 4 * index((segment + 1) % count);
            for side in 0..3 {
                let (a, b) = (a + side, b + side);
                layer.indices.extend([a, a + 1, b, a + 1, b, b + 1]);
            }
        }
    }

    /// Draws a line between two points.
    pub fn line(&mut self, from: Px, to: Px, wide: f32, colour: Color) {
        self.stroke(&[from, to], wide, colour, false);
    }

    /// Draws a line that is visible on any ground.
    pub fn marked(&mut self, points: &[Px], wide: f32, colour: Color, is_closed: bool) {
        self.stroke(points, wide + 2.5, palette::SHADE, is_closed);
        self.stroke(points, wide, colour, is_closed);
    }

    /// Draws a round spot.
    pub fn disc(&mut self, centre: Px, radius: f32, colour: Color) {
        let rim = circle(centre, radius);
        self.convex(&rim, colour);
        self.stroke(&rim, 1.0, colour, true);
    }

    /// Draws a circle.
    pub fn ring(&mut self, centre: Px, radius: f32, wide: f32, colour: Color) {
        self.stroke(&circle(centre, radius), wide, colour, true);
    }

    /// Writes words from their top left corner. Returns their right end.
    pub fn write(&mut self, at: Px, text: impl Into<String>, size: f32, colour: Color) -> f32 {
        let text = text.into();
        let end = at[0] + width(&text, size);
        if !text.is_empty() {
            self.layer().words.push(PlacedWords { text, at, size, colour });
        }
        end
    }

    /// Writes words that end at a place.
    pub fn write_left(&mut self, end: Px, text: impl Into<String>, size: f32, colour: Color) {
        let text = text.into();
        self.write([end[0] - width(&text, size), end[1]], text, size, colour);
    }

    /// Writes words centred on a place, left and right.
    pub fn write_amid(&mut self, middle: Px, text: impl Into<String>, size: f32, colour: Color) {
        let text = text.into();
        self.write([middle[0] - width(&text, size) / 2.0, middle[1]], text, size, colour);
    }

    /// Returns the words of each layer, in their order.
    #[cfg(test)]
    pub fn words(&self) -> impl Iterator<Item = &[PlacedWords]> {
        self.layers.iter().map(|layer| &*layer.words)
    }

    /// Draws everything, `scale` times as large.
    pub fn finish(&self, ctx: &mut Context, canvas: &mut Canvas, scale: f32) -> GameResult {
        for layer in &self.layers {
            if !layer.indices.is_empty() {
                let shapes = MeshData { vertices: &layer.vertices, indices: &layer.indices };
                canvas.draw(&Mesh::from_data(ctx, shapes), DrawParam::default().scale([scale; 2]));
            }
            for words in &layer.words {
                let fragment =
                    TextFragment::new(&*words.text).scale(PxScale::from(words.size * scale));
                let mut text = Text::new(fragment);
                text.set_wrap(false);
                // Letters are sharp only on whole pixels.
                let at = words.at.map(|side| (side * scale).round());
                canvas.draw(&text, DrawParam::default().dest(at).color(words.colour));
            }
        }
        Ok(())
    }
}

impl PenLayer {
    fn start(&self) -> u32 {
        index(self.vertices.len())
    }
}

fn index(count: usize) -> u32 {
    u32::try_from(count).expect("few corners are drawn")
}

fn vertex(position: Px, color: [f32; 4]) -> Vertex {
    Vertex { position, uv: [0.0; 2], color }
}

/// Returns the vector across a line at a corner, long enough to keep the line's width there.
fn mitre(before: Px, at: Px, after: Px) -> Px {
    let [before, at, after] = [before, at, after].map(Vec2::from);
    let [a, b] = [at - before, after - at].map(|way| way.perp().normalize_or_zero());
    let both = a + b;
    let square = both.length_squared();
    if square < 1.0e-6 {
        return if a == Vec2::ZERO { b.to_array() } else { a.to_array() };
    }
    // The end of a line has one neighbour; a sharp corner is cut off.
    let long = if square < 1.5 { 1.0 / square.sqrt() } else { 2.0 / square };
    (both * long).to_array()
}

fn rounded(area: Rect, radius: f32) -> Vec<Px> {
    let centres = [
        [area.right() - radius, area.bottom() - radius],
        [area.x + radius, area.bottom() - radius],
        [area.x + radius, area.y + radius],
        [area.right() - radius, area.y + radius],
    ];
    let quarter = std::f32::consts::FRAC_PI_2;
    let mut corners = Vec::with_capacity(20);
    for (turn, centre) in centres.into_iter().enumerate() {
        for step in 0..5 {
            let (sin, cos) = ((count(turn) + count(step) / 4.0) * quarter).sin_cos();
            corners.push([centre[0] + radius * cos, centre[1] + radius * sin]);
        }
    }
    corners
}

/// Returns the corners of a circle.
pub(super) fn circle(centre: Px, radius: f32) -> Vec<Px> {
    let corners = usize::from(byte(f64::from(10.0 + radius)).min(64));
    let turn = |corner: usize| std::f32::consts::TAU * count(corner) / count(corners);
    let at = |(sin, cos): (f32, f32)| [centre[0] + radius * cos, centre[1] + radius * sin];
    (0..corners).map(|corner| at(turn(corner).sin_cos())).collect()
}
