//! The ground as a picture: colours by height, shaded by a sun in the north-west; water in the
//! colours of `flood-preview`'s classes of depth, in proportion to the wet part of a dot.
//!
//! A picture is drawn from the level whose cells are about its pixels, so it costs the same for a
//! world of any size.

use std::fmt::Write as _;
use std::io::{self, Write};

use kit::picture::colours::{PictureColour, depth_colour};
use kit::picture::png;
use kit::picture::relief::ReliefShading;
use kit::terminal::has_colours;
use thalweg::file::{Head, StoredBeds};
use thalweg::world::StoreError;

use crate::level::LevelRows;
use crate::water::Flooding;

/// Colours from the lowest ground to the highest.
const TINTS: [PictureColour; 6] = [
    [92, 132, 96],
    [148, 172, 112],
    [214, 204, 146],
    [190, 152, 108],
    [150, 118, 98],
    [244, 242, 238],
];
/// Least wet part of a dot of water, and the character of such a dot.
const WET_SHARE: f32 = 0.25;
const WATER: char = '≈';
/// Colour of places outside the world.
const OUTSIDE: PictureColour = [240, 242, 245];
/// Brightness of level ground.
const LEVEL_GROUND: f32 = 0.818;
/// Shades from darkest to brightest.
const SHADES: [char; 4] = ['░', '▒', '▓', '█'];

/// Longest side of a PNG, pixels, about; small worlds are enlarged to half of it.
const PNG_SIDE: usize = 1600;
/// Columns of a terminal's picture, and lines, each of two rows.
const COLUMNS: usize = 72;
const LINES: usize = 24;

/// Way in which a terminal shows a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Terminal {
    /// Characters alone.
    Plain,
    /// The 256 colours of xterm.
    Colours,
    /// Colours of red, green and blue.
    TrueColours,
}

impl Terminal {
    /// Returns the kind of standard output, by the environment; `None` if it is no terminal.
    #[must_use]
    pub fn here() -> Option<Self> {
        use std::io::IsTerminal;
        let depth = std::env::var("COLORTERM").unwrap_or_default();
        let terminal = match depth.as_str() {
            _ if !has_colours() => Self::Plain,
            "truecolor" | "24bit" => Self::TrueColours,
            _ => Self::Colours,
        };
        io::stdout().is_terminal().then_some(terminal)
    }
}

/// The ground of a world at one level.
#[derive(Debug)]
pub struct ReliefPicture {
    relief: ReliefShading,
    /// Heights over the range of the world, 0 to 1; NaN outside.
    share: Vec<f32>,
    /// Level of the picture.
    level: u8,
    /// Water of the picture, if the world has any.
    flooding: Option<Flooding>,
}

/// A dot of a picture.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Dot {
    colour: PictureColour,
    brightness: f32,
    is_wet: bool,
}

impl ReliefPicture {
    /// Returns the ground for a picture of about `columns` × `rows` pixels.
    ///
    /// # Errors
    ///
    /// Errors of reading the beds.
    pub fn new(stored: &StoredBeds<'_>, columns: usize, rows: usize) -> Result<Self, StoreError> {
        let head = stored.head();
        let level = level_for(head, columns, rows);
        let mut source = LevelRows::new(stored, level);
        let bed_m = source.plane()?;
        let cell_m = head.cell_width_m * f64::from(1_u32 << level);
        let relief = ReliefShading::new(&bed_m, source.width(), source.height(), cell_m, 1);
        let (low, high) = bed_m
            .iter()
            .filter(|bed| !bed.is_nan())
            .fold((f32::MAX, f32::MIN), |(low, high), &bed| (low.min(bed), high.max(bed)));
        let range = (high - low).max(1.0e-3);
        let share = bed_m.iter().map(|bed| (bed - low) / range).collect();
        Ok(Self { relief, share, level, flooding: None })
    }

    /// Returns the level that it shows.
    #[must_use]
    pub fn level(&self) -> u8 {
        self.level
    }

    /// Draws the water of the cells of its level over it.
    #[must_use]
    pub fn under(self, flooding: Flooding) -> Self {
        Self { flooding: Some(flooding), ..self }
    }

    /// Returns the picture for a PNG.
    ///
    /// # Errors
    ///
    /// Errors of reading the beds.
    pub fn for_png(stored: &StoredBeds<'_>) -> Result<Self, StoreError> {
        Self::new(stored, PNG_SIDE, PNG_SIDE)
    }

    /// Returns the picture for a terminal.
    ///
    /// # Errors
    ///
    /// Errors of reading the beds.
    pub fn for_terminal(stored: &StoredBeds<'_>) -> Result<Self, StoreError> {
        Self::new(stored, COLUMNS, 2 * LINES)
    }

    /// Returns the columns and rows that fill `columns` × `rows` pixels without a change of shape.
    fn fitted(&self, columns: usize, rows: usize) -> (usize, usize) {
        let ReliefShading { width, height, .. } = self.relief;
        if width * rows >= height * columns {
            (columns, (height * columns / width).max(1))
        } else {
            ((width * rows / height).max(1), rows)
        }
    }

    /// Returns a pixel of a picture of `size`; `None` outside.
    #[expect(clippy::cast_precision_loss, reason = "pixels are few")]
    fn pixel(&self, (x, y): (usize, usize), size: (usize, usize)) -> Option<Dot> {
        let ReliefShading { width, height, .. } = self.relief;
        let at =
            |i: usize, count: usize, cells: usize| (i as f64 + 0.5) / count as f64 * cells as f64;
        let brightness = self.relief.at(at(x, size.0, width), at(y, size.1, height));
        let cell = (2 * y + 1) * height / (2 * size.1) * width + (2 * x + 1) * width / (2 * size.0);
        let share = self.share[cell];
        let is_ground = !brightness.is_nan() && !share.is_nan();
        let wet = self.flooding.as_ref().map_or(0.0, |water| water.share[cell]);
        let depth = self.flooding.as_ref().map_or(0.0, |water| water.depth_m[cell]);
        let is_wet = wet >= WET_SHARE;
        let colour = between(&[tint(share), depth_colour(depth)], wet);
        let shaded = || shaded(colour, brightness / LEVEL_GROUND);
        is_ground.then(|| Dot { colour: shaded(), brightness, is_wet })
    }

    /// Writes it as PNG.
    ///
    /// # Errors
    ///
    /// Errors of the system.
    pub fn encode(&self, out: &mut dyn Write) -> io::Result<()> {
        let ReliefShading { width, height, .. } = self.relief;
        let side = width.max(height);
        let enlarge = if side < PNG_SIDE / 2 { (PNG_SIDE / 2).div_ceil(side) } else { 1 };
        let size = (width * enlarge, height * enlarge);
        let pixels = (0..size.1).flat_map(|y| (0..size.0).map(move |x| (x, y)));
        let colour = |at| self.pixel(at, size).map_or(OUTSIDE, |dot| dot.colour);
        let bytes: Vec<u8> = pixels.flat_map(colour).collect();
        png::write_rgb(out, size.into(), &bytes, png::Effort::Usual)
    }

    /// Draws it with characters, each two pixels high.
    #[must_use]
    pub fn text(&self, terminal: Terminal) -> String {
        let (columns, rows) = self.fitted(COLUMNS, 2 * LINES);
        let size = (columns, rows.next_multiple_of(2));
        let mut text = String::new();
        for y in (0..size.1).step_by(2) {
            for x in 0..columns {
                let [top, bottom] = [y, y + 1].map(|y| self.pixel((x, y), size));
                half_blocks(&mut text, terminal, top, bottom);
            }
            text.push_str(if terminal == Terminal::Plain { "\n" } else { "\x1b[0m\n" });
        }
        text
    }
}

/// Adds two pixels as one character.
fn half_blocks(text: &mut String, terminal: Terminal, top: Option<Dot>, bottom: Option<Dot>) {
    let background = |pixel: Option<Dot>| match pixel {
        Some(Dot { colour, .. }) => format!("\x1b[48;{}m", code(terminal, colour)),
        None => "\x1b[49m".to_owned(),
    };
    let _ = match (terminal, top, bottom) {
        (Terminal::Plain, ..) if [top, bottom].into_iter().flatten().any(|dot| dot.is_wet) => {
            text.push(WATER);
            Ok(())
        }
        (Terminal::Plain, ..) => {
            let (sum, count) = [top, bottom]
                .into_iter()
                .flatten()
                .fold((0.0, 0.0), |(sum, count), dot| (sum + dot.brightness, count + 1.0));
            text.push(if count > 0.0 { shade(sum / count) } else { ' ' });
            Ok(())
        }
        (_, None, None) => write!(text, "\x1b[49m "),
        (_, Some(Dot { colour, .. }), below) => {
            write!(text, "{}\x1b[38;{}m▀", background(below), code(terminal, colour))
        }
        (_, None, Some(Dot { colour, .. })) => {
            write!(text, "\x1b[49m\x1b[38;{}m▄", code(terminal, colour))
        }
    };
}

/// Returns the finest level whose cells do not outnumber the pixels by more than half again.
fn level_for(head: &Head, columns: usize, rows: usize) -> u8 {
    let fits = |level: &u8| {
        let (width, height) = head.size(*level);
        2 * width <= 3 * columns && 2 * height <= 3 * rows
    };
    (0..head.coarsest).find(fits).unwrap_or(head.coarsest)
}

/// Returns the colour of a height.
fn tint(share: f32) -> PictureColour {
    between(&TINTS, share)
}

/// Returns the colour at a share of the way along some colours.
fn between(colours: &[PictureColour], share: f32) -> PictureColour {
    let last = u16::try_from(colours.len() - 1).unwrap_or(1);
    let place = share.clamp(0.0, 1.0) * f32::from(last);
    let first = index(place, usize::from(last) - 1);
    let part = place - f32::from(u16::try_from(first).unwrap_or(0));
    let (low, high) = (colours[first], colours[first + 1]);
    let mixed = |i: usize| byte(f32::from(low[i]) * (1.0 - part) + f32::from(high[i]) * part);
    [mixed(0), mixed(1), mixed(2)]
}

fn shaded(colour: PictureColour, brightness: f32) -> PictureColour {
    colour.map(|part| byte(f32::from(part) * brightness))
}

/// Returns the character of a brightness: from deep shadow to full light.
fn shade(brightness: f32) -> char {
    SHADES[index((brightness - 0.62) / 0.08, 3)]
}

/// Returns a colour in the code of a terminal.
fn code(terminal: Terminal, [red, green, blue]: PictureColour) -> String {
    if terminal == Terminal::TrueColours {
        return format!("2;{red};{green};{blue}");
    }
    let step = |part: u8| (u16::from(part) + 25) / 51;
    format!("5;{}", 16 + 36 * step(red) + 6 * step(green) + step(blue))
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped")]
fn byte(value: f32) -> u8 {
    (value + 0.5).clamp(0.0, 255.0) as u8
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a cast saturates")]
fn index(place: f32, most: usize) -> usize {
    (place as usize).min(most)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a cone of 10 × 6 cells whose west column is outside.
    fn cone() -> ReliefPicture {
        let bed = |i: usize| match i % 10 {
            0 => f32::NAN,
            x => 10.0 - (x as f32 - 5.0).hypot((i / 10) as f32 - 3.0),
        };
        let bed: Vec<f32> = (0..60).map(bed).collect();
        let relief = ReliefShading::new(&bed, 10, 6, 1.0, 1);
        let share = bed.iter().map(|z| (z - 4.0) / 6.0).collect();
        ReliefPicture { relief, share, level: 0, flooding: None }
    }

    #[test]
    fn a_picture_keeps_its_shape() {
        let text = cone().text(Terminal::Plain);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 22);
        assert!(lines.iter().all(|line| line.chars().count() == 72 && line.starts_with("       ")));
        assert!(lines[10].chars().skip(8).all(|c| SHADES.contains(&c)), "{text}");
        let coloured = cone().text(Terminal::Colours);
        assert!(
            coloured.contains("\x1b[48;5;") && coloured.lines().all(|l| l.ends_with("\x1b[0m"))
        );
        let (mut png, mut again) = (Vec::new(), Vec::new());
        cone().encode(&mut png).expect("memory");
        cone().encode(&mut again).expect("memory");
        assert!(png.starts_with(b"\x89PNG") && png == again);
    }

    #[test]
    fn water_is_blue_and_the_darker_the_deeper() {
        let wet = |depth: f32| {
            let row = |value: f32| (0..60).map(|i| if i / 10 == 2 { value } else { 0.0 }).collect();
            let share = if depth > 0.0 { 1.0 } else { 0.0 };
            cone().under(Flooding { depth_m: row(depth), share: row(share) })
        };
        let text = wet(1.0).text(Terminal::Plain);
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[8].trim_start().chars().all(|c| c == WATER), "{text}");
        assert!(!lines[2].contains(WATER), "{text}");
        let dot = |depth| wet(depth).pixel((5, 2), (10, 6)).expect("ground");
        let [dry, shallow, deep] = [0.0, 0.1, 6.0].map(dot);
        assert!(!dry.is_wet && shallow.is_wet && deep.is_wet);
        let sum = |dot: Dot| dot.colour.iter().map(|&part| u16::from(part)).sum::<u16>();
        assert!(
            sum(shallow) > sum(deep) && deep.colour[2] > deep.colour[0],
            "{shallow:?} {deep:?}"
        );
    }

    #[test]
    fn tints_run_from_the_first_to_the_last() {
        assert_eq!((tint(0.0), tint(1.0)), (TINTS[0], TINTS[5]));
        assert_eq!(tint(0.4), TINTS[2]);
    }
}
