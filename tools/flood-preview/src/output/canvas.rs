//! A picture of RGB pixels with the few strokes a map needs: boxes, smooth shapes and lettering.
//!
//! Guarantees: drawing beyond the border is cut off, never a panic.
//! Limits:     lettering has the Latin alphabets only; any further character becomes `?`.

use std::io::{self, Write};

use kit::picture::colours::PictureColour;
use kit::picture::png::{self, Effort};
use noto_sans_mono_bitmap::{FontWeight, RasterHeight, RasterizedChar, get_raster};

/// White.
pub const WHITE: PictureColour = [255, 255, 255];
/// Nearly black: lettering.
pub const INK: PictureColour = [28, 34, 43];
/// Grey: secondary lettering.
pub const FAINT: PictureColour = [96, 105, 118];

/// Samples per pixel side for smooth outlines.
const SAMPLES: i32 = 4;

/// Style of lettering.
#[derive(Debug, Clone, Copy)]
pub struct Lettering {
    /// Line height, pixels.
    pub size: RasterHeight,
    /// Stroke.
    pub weight: FontWeight,
    /// Colour of the letters.
    pub colour: PictureColour,
}

/// Headings.
pub const HEADING: Lettering =
    Lettering { size: RasterHeight::Size24, weight: FontWeight::Bold, colour: INK };
/// Names of groups.
pub const STRONG: Lettering =
    Lettering { size: RasterHeight::Size16, weight: FontWeight::Bold, colour: INK };
/// Running text.
pub const PLAIN: Lettering =
    Lettering { size: RasterHeight::Size16, weight: FontWeight::Regular, colour: INK };
/// Remarks.
pub const REMARK: Lettering =
    Lettering { size: RasterHeight::Size16, weight: FontWeight::Regular, colour: FAINT };

impl Lettering {
    /// Returns the width of `text`, pixels.
    #[must_use]
    pub fn width(&self, text: &str) -> i32 {
        let glyphs = i32::try_from(text.chars().count()).unwrap_or(i32::MAX);
        glyphs.saturating_mul(self.glyph_width())
    }

    /// Breaks `text` at spaces into lines of at most `width` pixels; longer words are broken too.
    #[must_use]
    pub fn wrapped(&self, text: &str, width: i32) -> Vec<String> {
        let room = usize::try_from(width / self.glyph_width()).unwrap_or(0).max(1);
        let mut lines: Vec<String> = Vec::new();
        for word in text.split_whitespace() {
            let letters: Vec<char> = word.chars().collect();
            for piece in letters.chunks(room) {
                match lines.last_mut() {
                    Some(line) if line.chars().count() + 1 + piece.len() <= room => {
                        line.push(' ');
                        line.extend(piece);
                    }
                    _ => lines.push(piece.iter().collect()),
                }
            }
        }
        lines
    }

    fn glyph_width(&self) -> i32 {
        glyph('0', self).map_or(1, |glyph| pixels(glyph.width()))
    }
}

/// A rectangle of RGB pixels.
#[derive(Debug, Clone, PartialEq)]
pub struct MapCanvas {
    width: usize,
    height: usize,
    pixels: Vec<PictureColour>,
}

impl MapCanvas {
    /// Returns a canvas of one colour.
    #[must_use]
    pub fn new(width: usize, height: usize, colour: PictureColour) -> Self {
        Self { width, height, pixels: vec![colour; width * height] }
    }

    /// Lays `colour` over one pixel with `cover` of 255.
    pub fn blend(&mut self, x: i32, y: i32, colour: PictureColour, cover: u8) {
        let (Ok(x), Ok(y)) = (usize::try_from(x), usize::try_from(y)) else {
            return;
        };
        if x < self.width && y < self.height {
            let pixel = &mut self.pixels[y * self.width + x];
            for (old, new) in pixel.iter_mut().zip(colour) {
                *old = mix(*old, new, cover);
            }
        }
    }

    /// Fills a box.
    pub fn fill(&mut self, x: i32, y: i32, width: i32, height: i32, colour: PictureColour) {
        for row in y..y + height {
            for column in x..x + width {
                self.blend(column, row, colour, 255);
            }
        }
    }

    /// Draws the outline of a box, one pixel wide, inside it.
    pub fn outline(&mut self, x: i32, y: i32, width: i32, height: i32, colour: PictureColour) {
        self.fill(x, y, width, 1, colour);
        self.fill(x, y + height - 1, width, 1, colour);
        self.fill(x, y, 1, height, colour);
        self.fill(x + width - 1, y, 1, height, colour);
    }

    /// Fills the points of the box `x, y, width, height` for which `holds` is true, with smooth
    /// outlines.
    pub fn shape(
        &mut self,
        (x, y, width, height): (i32, i32, i32, i32),
        colour: PictureColour,
        holds: impl Fn(f64, f64) -> bool,
    ) {
        let place = |pixel: i32, sample: i32| {
            f64::from(pixel) + (f64::from(sample) + 0.5) / f64::from(SAMPLES)
        };
        for row in y..y + height {
            for column in x..x + width {
                let mut hits = 0;
                for sample in 0..SAMPLES * SAMPLES {
                    let (i, j) = (sample % SAMPLES, sample / SAMPLES);
                    hits += i32::from(holds(place(column, i), place(row, j)));
                }
                let cover = u8::try_from(255 * hits / (SAMPLES * SAMPLES)).unwrap_or(255);
                self.blend(column, row, colour, cover);
            }
        }
    }

    /// Fills a disc.
    pub fn disc(&mut self, centre_x: i32, centre_y: i32, radius: f64, colour: PictureColour) {
        let (x, y) = (f64::from(centre_x) + 0.5, f64::from(centre_y) + 0.5);
        #[expect(clippy::cast_possible_truncation, reason = "a marker of a few pixels")]
        let reach = radius.ceil() as i32 + 1;
        let area = (centre_x - reach, centre_y - reach, 2 * reach + 1, 2 * reach + 1);
        self.shape(area, colour, |px, py| (px - x).hypot(py - y) <= radius);
    }

    /// Writes one line of text with its top left corner at `x, y`.
    pub fn write(&mut self, x: i32, y: i32, text: &str, lettering: &Lettering) {
        let step = lettering.glyph_width();
        let mut left = x;
        for letter in text.chars() {
            if let Some(glyph) = glyph(plain(letter), lettering) {
                for (row, covers) in (y..).zip(glyph.rows()) {
                    for (column, &cover) in (left..).zip(covers) {
                        self.blend(column, row, lettering.colour, cover);
                    }
                }
            }
            left += step;
        }
    }

    /// Writes text with a light outline, so that it can be read on any ground.
    pub fn write_haloed(&mut self, x: i32, y: i32, text: &str, lettering: &Lettering) {
        let halo = Lettering { colour: WHITE, ..*lettering };
        for (dx, dy) in [(-1, 0), (1, 0), (0, -1), (0, 1), (-1, -1), (1, 1), (-1, 1), (1, -1)] {
            self.write(x + dx, y + dy, text, &halo);
        }
        self.write(x, y, text, lettering);
    }

    /// Encodes the picture as PNG.
    ///
    /// # Errors
    ///
    /// Errors of writing to `target`.
    pub fn encode(&self, target: &mut dyn Write, effort: Effort) -> io::Result<()> {
        png::write_rgb(target, [self.width, self.height], self.pixels.as_flattened(), effort)
    }
}

fn mix(old: u8, new: u8, cover: u8) -> u8 {
    let (old, new, cover) = (u32::from(old), u32::from(new), u32::from(cover));
    let mixed = (old * (255 - cover) + new * cover + 127) / 255;
    u8::try_from(mixed).unwrap_or(255)
}

fn glyph(letter: char, lettering: &Lettering) -> Option<RasterizedChar> {
    get_raster(letter, lettering.weight, lettering.size)
        .or_else(|| get_raster('?', lettering.weight, lettering.size))
}

/// Returns the letter of the font nearest to `letter`.
fn plain(letter: char) -> char {
    match letter {
        '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
        '\u{2018}' | '\u{2019}' => '\'',
        '\u{201c}' | '\u{201d}' => '"',
        '\u{2026}' => '.',
        _ if letter.is_whitespace() => ' ',
        _ => letter,
    }
}

/// Returns a size in pixels.
#[must_use]
pub fn pixels(size: usize) -> i32 {
    i32::try_from(size).unwrap_or(i32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drawing_beyond_the_rim_is_cut_off() {
        let mut canvas = MapCanvas::new(4, 3, WHITE);
        canvas.fill(-5, -5, 100, 6, INK);
        canvas.disc(3, 2, 9.0, FAINT);
        canvas.write_haloed(-3, -8, "é\u{4e16}\u{1f4a7}…", &PLAIN);
        assert_eq!(canvas.pixels.len(), 4 * 3);
    }

    #[test]
    fn letters_leave_ink() {
        let mut canvas = MapCanvas::new(40, 24, WHITE);
        canvas.write(0, 0, "Hm²", &STRONG);
        let dark = canvas.pixels.iter().filter(|pixel| pixel[0] < 100).count();
        assert!((20..400).contains(&dark), "{dark} dark pixels");
    }

    #[test]
    fn text_is_broken_at_spaces() {
        let width = PLAIN.width("seven 7");
        assert_eq!(
            PLAIN.wrapped("one two three fourteenth", width),
            ["one two", "three", "fourtee", "nth"]
        );
        assert!(PLAIN.wrapped("", width).is_empty());
    }
}
