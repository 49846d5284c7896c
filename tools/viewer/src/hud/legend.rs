//! Legend of the colours, and the scale bar.

use crate::hud::keys::KeyCommand;
use crate::hud::palette::{self, BODY, GAP, SMALL};
use crate::hud::pen::{self, Pen};
use crate::hud::ramp::{self, Overlay};
use crate::hud::{DisplayView, tool_bar, words};
use ggez::graphics::{Color, Rect};

/// Width of the legend, px.
pub(super) const WIDE: f32 = 330.0;
/// Height of its head, px.
const HEAD: f32 = 32.0;

/// Height of the line for a cut, px.
const CUT: f32 = 24.0;

/// Draws the legend in the right corner above `bottom`, with the height of a cut if the window has
/// room for it. Returns its top.
pub(super) fn draw(
    pen: &mut Pen,
    view: &DisplayView,
    (overlay, cut_m): (Overlay, Option<f64>),
    bottom: f32,
) -> f32 {
    let swatches = swatches(view, overlay);
    let body = match (overlay, swatches.len()) {
        (Overlay::None, _) => 0.0,
        (Overlay::Depth | Overlay::Speed, _) => 50.0,
        (Overlay::Hazard, _) => 70.0,
        (_, rows) => pen::count(rows) * 22.0 + 6.0,
    };
    // The smallest windows have no room for it.
    let cut_m = cut_m.filter(|_| bottom - HEAD - body - CUT >= palette::STRIP);
    let high = HEAD + body + if cut_m.is_some() { CUT } else { 0.0 };
    let wide = WIDE.min(view.size_px[0] - 2.0 * GAP);
    let left = view.size_px[0] - wide - GAP;
    let area = Rect::new(left, bottom - high, wide, high);
    pen.panel(area);
    draw_head(pen, view, overlay, area);
    let top = area.y + HEAD;
    match overlay {
        Overlay::None => {}
        Overlay::Depth | Overlay::Speed | Overlay::Hazard => draw_ramp(pen, overlay, area),
        _ => {
            for (row, (value, text)) in swatches.into_iter().enumerate() {
                let y = top + pen::count(row) * 22.0;
                pen.fill(Rect::new(area.x + 14.0, y + 2.0, 30.0, 16.0), painted(overlay, value));
                pen.write([area.x + 56.0, y + 2.0], text, SMALL, palette::WORDS);
            }
        }
    }
    if let Some(cut_m) = cut_m {
        let text = format!("cut away above {cut_m:.2} m");
        let middle = [area.x + area.w / 2.0, area.bottom() - CUT];
        pen.write_amid(middle, text, SMALL, palette::WORDS);
    }
    area.y
}

/// Draws the overlay's name between two arrows.
fn draw_head(pen: &mut Pen, view: &DisplayView, overlay: Overlay, area: Rect) {
    let unit = overlay.unit();
    let unit = if unit.is_empty() { String::new() } else { format!(", {unit}") };
    let text = format!("Overlay: {}{unit}", overlay.name());
    pen.write_amid([area.x + area.w / 2.0, area.y + 7.0], text, BODY, palette::WORDS);
    let sides = [(area.x + 4.0, -1.0, false), (area.right() - 32.0, 1.0, true)];
    for (x, way, forward) in sides {
        let button = Rect::new(x, area.y + 3.0, 28.0, 26.0);
        let is_near = button.contains(view.pointer_px);
        let back = if is_near { palette::BUTTON_NEAR } else { palette::BUTTON };
        pen.round(button, 4.0, back);
        let (x, y) = (button.x + 14.0, button.y + 13.0);
        let corners = [[x - 4.0 * way, y - 6.0], [x + 5.0 * way, y], [x - 4.0 * way, y + 6.0]];
        pen.convex(&corners, palette::WORDS);
        pen.buttons.push((button, KeyCommand::Overlay { forward }));
    }
}

fn painted(overlay: Overlay, value: f32) -> Color {
    let [r, g, b] = ramp::colour(overlay, value);
    Color::new(r, g, b, 1.0)
}

/// Draws a ramp with equally spaced stops and their numbers.
fn draw_ramp(pen: &mut Pen, overlay: Overlay, area: Rect) {
    let stops = overlay.stops();
    let (left, wide) = (area.x + 22.0, area.w - 44.0);
    let in_classes = overlay.is_in_classes();
    let step = wide / pen::count(stops.len() - usize::from(!in_classes));
    let top = area.y + HEAD + 2.0;
    for (index, (value, _)) in stops.iter().enumerate().filter(|_| in_classes) {
        let class = Rect::new(left + pen::count(index) * step, top, step, 16.0);
        pen.fill(class, painted(overlay, *value));
    }
    for (index, pair) in stops.windows(2).enumerate().filter(|_| !in_classes) {
        let x = left + pen::count(index) * step;
        // Many narrow parts mix the colours on the screen as the ramp does.
        for part in 0..8_u8 {
            let at = |part: u8| pair[0].0 + f32::from(part) / 8.0 * (pair[1].0 - pair[0].0);
            let narrow = Rect::new(x + f32::from(part) * step / 8.0, top, step / 8.0, 16.0);
            pen.blend(narrow, painted(overlay, at(part)), painted(overlay, at(part + 1) - 1.0e-4));
        }
    }
    for (index, (value, _)) in stops.iter().enumerate() {
        let x = left + pen::count(index) * step;
        pen.line([x, top + 16.0], [x, top + 21.0], 1.0, palette::WORDS);
        let is_last = index + 1 == stops.len();
        let text = words::short(f64::from(*value)) + if is_last { "+" } else { "" };
        pen.write_amid([x, top + 23.0], text, SMALL, palette::WORDS);
    }
    if overlay == Overlay::Hazard {
        let text = "danger: some 0.75, most 1.25, all 2";
        pen.write_amid([area.x + area.w / 2.0, top + 44.0], text, 14.0, palette::FAINT);
    }
}

/// Returns the values with a colour of their own.
fn swatches(view: &DisplayView, overlay: Overlay) -> Vec<(f32, String)> {
    match overlay {
        Overlay::Level => {
            let present = |level: &u8| view.state.leaves.iter().any(|leaf| leaf.level == *level);
            let levels = (view.site.base..=view.site.coarsest).filter(present);
            let text = |level: u8| {
                let cell_m = view.site.finest_m * f64::from(1_u32 << level.min(31));
                format!("level {level}, cells of {}", words::length(cell_m))
            };
            levels.map(|level| (f32::from(level), text(level))).collect()
        }
        Overlay::Sleeping => vec![(1.0, "awake".into()), (0.0, "asleep: costs nothing".into())],
        Overlay::Residency => {
            let size = view.state.figures.resident_bytes / (1 << 20);
            let memory = if size > 0 { format!("page kept, {size} MiB") } else { "kept".into() };
            vec![(1.0, memory), (0.0, "in the file alone".into())]
        }
        _ => Vec::new(),
    }
}

/// Draws a bar of a round length, in the left corner above `bottom`.
pub(super) fn draw_scale(pen: &mut Pen, view: &DisplayView, bottom: f32) {
    let metres = words::round_down(140.0 * view.metres_per_px);
    let long = pen::px(metres / view.metres_per_px);
    let area = Rect::new(tool_bar::WIDE + 2.0 * GAP, bottom - 32.0, long + 24.0, 32.0);
    pen.panel(area);
    let (left, y) = (area.x + 12.0, area.y + 25.0);
    let bar = [[left, y - 6.0], [left, y], [left + long, y], [left + long, y - 6.0]];
    pen.stroke(&bar, 2.0, palette::WORDS, false);
    let text = words::length(metres);
    pen.write_amid([left + long / 2.0, area.y + 5.0], text, SMALL, palette::WORDS);
}
