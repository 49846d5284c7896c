//! Colours and sizes of everything that is written over the picture.
//!
//! Panels are dark and nearly opaque, words light: they are legible over snow, sand and deep water.
//! (Colours are mixed in linear light: a tenth of snow through a panel would be a middle grey.)

use ggez::graphics::Color;

/// Background of words.
pub(super) const PANEL: Color = Color::new(0.055, 0.075, 0.105, 0.97);
/// Background of many words.
pub(super) const SHEET: Color = Color::new(0.055, 0.075, 0.105, 1.0);
/// Rim of a panel.
pub(super) const RIM: Color = Color::new(0.30, 0.37, 0.46, 0.9);
/// Background of a button.
pub(super) const BUTTON: Color = Color::new(0.15, 0.19, 0.25, 1.0);
/// Background of the button below the pointer.
pub(super) const BUTTON_NEAR: Color = Color::new(0.24, 0.31, 0.41, 1.0);
/// Background of the button of the tool in hand.
pub(super) const BUTTON_TAKEN: Color = Color::new(0.13, 0.42, 0.68, 1.0);
/// Colour of words.
pub(super) const WORDS: Color = Color::new(0.95, 0.97, 0.99, 1.0);
/// Colour of less important words.
pub(super) const FAINT: Color = Color::new(0.68, 0.75, 0.82, 1.0);
/// Colour of words and icons that have no effect now.
pub(super) const OFF: Color = Color::new(0.42, 0.47, 0.53, 1.0);
/// Colour of keys, and of words and marks that stand out.
pub(super) const KEY: Color = Color::new(1.0, 0.85, 0.45, 1.0);
/// Colour of a correct state.
pub(super) const GOOD: Color = Color::new(0.45, 0.88, 0.52, 1.0);
/// Colour of an error.
pub(super) const BAD: Color = Color::new(1.0, 0.47, 0.40, 1.0);
/// Colour of lines in charts.
pub(super) const GRID: Color = Color::new(0.30, 0.36, 0.43, 0.8);
/// Shade below bright lines on the ground.
pub(super) const SHADE: Color = Color::new(0.0, 0.0, 0.0, 0.65);
/// Colour of the brush on the ground.
pub(super) const BRUSH: Color = Color::new(1.0, 0.95, 0.70, 1.0);
/// Colour of barriers.
pub(super) const BARRIER: Color = Color::new(1.0, 0.72, 0.30, 1.0);
/// Colour of culverts, pumps and drains.
pub(super) const LINK: Color = Color::new(0.95, 0.60, 0.95, 1.0);
/// Colour of inflows.
pub(super) const INFLOW: Color = Color::new(0.35, 0.85, 1.0, 1.0);

/// Colours of the gauges in their order, in charts and on the ground.
pub(super) const GAUGES: [Color; 8] = [
    Color::new(1.0, 0.80, 0.25, 1.0),
    Color::new(0.40, 0.80, 1.0, 1.0),
    Color::new(1.0, 0.50, 0.40, 1.0),
    Color::new(0.45, 0.92, 0.55, 1.0),
    Color::new(0.88, 0.60, 1.0, 1.0),
    Color::new(0.98, 0.98, 0.98, 1.0),
    Color::new(0.95, 0.62, 0.78, 1.0),
    Color::new(0.72, 0.78, 0.35, 1.0),
];

/// Size of titles.
pub(super) const HEAD: f32 = 22.0;
/// Size of words.
pub(super) const BODY: f32 = 17.0;
/// Size of small words.
pub(super) const SMALL: f32 = 15.0;
/// Gap between parts.
pub(super) const GAP: f32 = 8.0;
/// Height of the strip at the top.
pub(super) const STRIP: f32 = 34.0;
