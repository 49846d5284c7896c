//! Column of tools, and the effect of the one in hand.

use crate::hud::hand::{Hand, HandTool};
use crate::hud::icons::{self, Icon};
use crate::hud::keys::{KeyCommand, key_of};
use crate::hud::palette::{self, BODY, GAP, SMALL, STRIP};
use crate::hud::pen::{self, Pen};
use crate::hud::{DisplayView, words};
use ggez::graphics::{Color, Rect};

/// Width of the column, px.
pub(super) const WIDE: f32 = 52.0;

/// Draws the column; the hint ends before `right`.
pub(super) fn draw(pen: &mut Pen, view: &DisplayView, hand: &Hand, right: f32) {
    let top = STRIP + GAP;
    let rows = pen::count(HandTool::ALL.len()) + 1.0;
    // Small windows have smaller buttons.
    let side = ((view.size_px[1] - top - 60.0) / rows).clamp(26.0, 44.0);
    let column = Rect::new(GAP, top, side + 8.0, rows * side + 8.0);
    pen.panel(column);
    let cell = |row: f32| Rect::new(column.x + 4.0, column.y + 4.0 + row * side, side, side - 2.0);
    let mut near = None;
    for (row, tool) in HandTool::ALL.into_iter().enumerate() {
        let area = cell(pen::count(row));
        let is_near = area.contains(view.pointer_px);
        let back = match (tool == hand.tool, is_near) {
            (true, _) => palette::BUTTON_TAKEN,
            (false, true) => palette::BUTTON_NEAR,
            (false, false) => palette::BUTTON,
        };
        pen.round(area, 4.0, back);
        let is_off = tool == HandTool::Dye && view.site.tracers.is_empty();
        let ink = if is_off { palette::OFF } else { palette::WORDS };
        let middle = [area.x + area.w / 2.0 - 3.0, area.y + area.h / 2.0];
        icons::draw(pen, Icon::Tool(tool), middle, side / 44.0, ink);
        let corner = [area.right() - 10.0, area.bottom() - 15.0];
        pen.write(corner, key_of(tool), 14.0, palette::KEY);
        pen.buttons.push((area, KeyCommand::Take(tool)));
        if is_near {
            near = Some((area, tool));
        }
    }
    draw_back(pen, view, cell(pen::count(HandTool::ALL.len())));
    if let Some((area, tool)) = near {
        let has_none = tool == HandTool::Dye && view.site.tracers.is_empty();
        let why = if has_none { ": this world has no tracer" } else { "" };
        let text = format!("{}  ({}){why}", tool.name(), key_of(tool));
        tip(pen, [area.right() + 10.0, area.y + area.h / 2.0], &text);
    } else {
        draw_hint(pen, hand, [column.right() + GAP, top], right);
    }
}

/// Draws undo and redo, side by side in a cell.
fn draw_back(pen: &mut Pen, view: &DisplayView, area: Rect) {
    let figures = &view.state.figures;
    let ways = [
        (KeyCommand::Undo, Icon::Undo, figures.undos),
        (KeyCommand::Redo, Icon::Redo, figures.redos),
    ];
    for (index, (command, icon, left)) in ways.into_iter().enumerate() {
        let wide = area.w / 2.0;
        let half = Rect::new(area.x + pen::count(index) * wide, area.y, wide - 1.0, area.h);
        let is_near = half.contains(view.pointer_px);
        let back = if is_near { palette::BUTTON_NEAR } else { palette::BUTTON };
        pen.round(half, 4.0, back);
        let ink = if left > 0 { palette::WORDS } else { palette::OFF };
        let middle = [half.x + half.w / 2.0, half.y + half.h / 2.0];
        icons::draw(pen, icon, middle, area.w / 44.0, ink);
        pen.buttons.push((half, command));
        if is_near {
            let text = if index == 0 { "Take back  (Z)" } else { "Do again  (Y)" };
            tip(pen, [area.right() + 10.0, area.y + area.h / 2.0], text);
        }
    }
}

fn tip(pen: &mut Pen, at: [f32; 2], text: &str) {
    let area = Rect::new(at[0], at[1] - 14.0, pen::width(text, BODY) + 20.0, 28.0);
    pen.panel(area);
    pen.write([area.x + 10.0, area.y + 5.0], text, BODY, palette::WORDS);
}

/// Draws the tool in hand, its size and its amount, with their keys.
fn draw_hint(pen: &mut Pen, hand: &Hand, [left, top]: [f32; 2], right: f32) {
    if hand.tool == HandTool::Look {
        return;
    }
    let mut parts = vec![(hand.tool.name().to_owned(), palette::WORDS)];
    if hand.tool.has_size() {
        parts.push((format!("radius {}", words::length(hand.radius_m)), palette::FAINT));
        parts.push(("[ ]".to_owned(), palette::KEY));
    }
    if let Some((unit, what)) = hand.tool.amount() {
        let text = format!("{} {unit} {what}", words::short(hand.amount()));
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        parts.push((text, palette::FAINT));
        parts.push(("{ }".to_owned(), palette::KEY));
    }
    if let Some(how) = how(hand.tool) {
        parts.push((how.to_owned(), palette::FAINT));
    }
    let wide = |parts: &[(String, Color)]| -> f32 {
        12.0 + parts.iter().map(|(text, _)| pen::width(text, SMALL) + 12.0).sum::<f32>()
    };
    while left + wide(&parts) > right && parts.len() > 1 {
        parts.pop();
    }
    let area = Rect::new(left, top, wide(&parts), 28.0);
    pen.panel(area);
    let mut x = area.x + 12.0;
    for (text, colour) in parts {
        x = pen.write([x, area.y + 7.0], text, SMALL, colour) + 12.0;
    }
}

/// Returns an instruction for a tool whose use is not obvious.
const fn how(tool: HandTool) -> Option<&'static str> {
    match tool {
        HandTool::Dam => Some("press, drag, release"),
        HandTool::Push => Some("drag along"),
        HandTool::Gauge => Some("press where to measure"),
        HandTool::Remove => Some("press on a dam, a culvert, a source or a crate"),
        _ => None,
    }
}
