//! Colours and sizes of all that is written over the picture.
//!
//! Panels are dark and nearly opaque, words light: they can be read over snow, sand and deep water.
//! (Colours are mixed as light is: a tenth of snow through a panel would be a middle grey.)

use ggez::graphics::Color;

/// Behind words.
pub(super) const PANEL: Color = Color::new(0.055, 0.075, 0.105, 0.97);
/// Behind many words.
pub(super) const SHEET: Color = Color::new(0.055, 0.075, 0.105, 1.0);
/// Round a panel.
pub(super) const RIM: Color = Color::new(0.30, 0.37, 0.46, 0.9);
/// Behind a button.
pub(super) const BUTTON: Color = Color::new(0.15, 0.19, 0.25, 1.0);
/// Behind the button below the pointer.
pub(super) const BUTTON_NEAR: Color = Color::new(0.24, 0.31, 0.41, 1.0);
/// Behind the button of what is in hand.
pub(super) const BUTTON_TAKEN: Color = Color::new(0.13, 0.42, 0.68, 1.0);
/// Words.
pub(super) const WORDS: Color = Color::new(0.95, 0.97, 0.99, 1.0);
/// Words that matter less.
pub(super) const FAINT: Color = Color::new(0.68, 0.75, 0.82, 1.0);
/// Words and icons that do nothing now.
pub(super) const OFF: Color = Color::new(0.42, 0.47, 0.53, 1.0);
/// Keys, and what is well.
pub(super) const KEY: Color = Color::new(1.0, 0.85, 0.45, 1.0);
/// All is well.
pub(super) const GOOD: Color = Color::new(0.45, 0.88, 0.52, 1.0);
/// Something is wrong.
pub(super) const BAD: Color = Color::new(1.0, 0.47, 0.40, 1.0);
/// Lines in charts.
pub(super) const GRID: Color = Color::new(0.30, 0.36, 0.43, 0.8);
/// Below bright lines on the ground.
pub(super) const SHADE: Color = Color::new(0.0, 0.0, 0.0, 0.65);
/// The brush on the ground.
pub(super) const BRUSH: Color = Color::new(1.0, 0.95, 0.70, 1.0);
/// Barriers.
pub(super) const BARRIER: Color = Color::new(1.0, 0.72, 0.30, 1.0);
/// Culverts, pumps and drains.
pub(super) const LINK: Color = Color::new(0.95, 0.60, 0.95, 1.0);
/// Inflows.
pub(super) const INFLOW: Color = Color::new(0.35, 0.85, 1.0, 1.0);

/// Gauges, one after another: in charts and on the ground.
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
/// Between things.
pub(super) const GAP: f32 = 8.0;
/// Height of the strip at the top.
pub(super) const STRIP: f32 = 34.0;
