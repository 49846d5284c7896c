//! Help sheet of all keys.

use crate::hud::DisplayView;
use crate::hud::keys::{Binding, REST, SIGHT, TIME, TOOLS};
use crate::hud::palette::{self, HEAD, SMALL, STRIP};
use crate::hud::pen::{self, Pen};
use ggez::graphics::Rect;

/// Keys of the camera, which the window itself handles.
const CAMERA: &[(&str, &str)] = &[
    ("drag", "move the map"),
    ("right-drag", "turn and tilt"),
    ("wheel", "nearer, farther"),
    ("W A S D", "move (arrows too)"),
    ("Q E", "turn"),
];

/// Width of the column of keys, px.
const KEYS: f32 = 112.0;

/// Line of the sheet; a heading has no words.
type HelpRow = (String, &'static str);

pub(super) fn draw(pen: &mut Pen, view: &DisplayView) {
    let left = column(&[("Tools", TOOLS), ("Time", TIME)]);
    let mut right = vec![("Camera".to_owned(), "")];
    right.extend(CAMERA.iter().map(|(keys, words)| ((*keys).to_owned(), *words)));
    right.extend(column(&[("View", SIGHT), ("The rest", REST)]));
    let rows = pen::count(left.len().max(right.len()));
    let [wide, high] = view.size_px;
    let row = ((high - 130.0) / rows).clamp(15.0, 21.0);
    let size = SMALL.min(row - 1.0);
    let area_high = rows * row + 70.0;
    let area_wide = (wide - 16.0).min(880.0);
    // Below the strip.
    let top = ((high - area_high) / 2.0).max(STRIP + 4.0);
    let area = Rect::new((wide - area_wide) / 2.0, top, area_wide, area_high);
    pen.panel(area);
    pen.round(area, 6.0, palette::SHEET);
    pen.write([area.x + 24.0, area.y + 14.0], "Keys", HEAD, palette::WORDS);
    let end = [area.right() - 24.0, area.y + 18.0];
    pen.write_left(end, "H, F1 or Esc closes this", SMALL, palette::FAINT);
    let columns = [(area.x + 24.0, left), (area.x + area_wide / 2.0 + 16.0, right)];
    for (x, lines) in columns {
        let mut y = area.y + 52.0;
        for (keys, words) in lines {
            if words.is_empty() {
                pen.write([x, y], keys, size, palette::FAINT);
                let under = [[x, y + row - 2.0], [x + area_wide / 2.0 - 48.0, y + row - 2.0]];
                pen.stroke(&under, 1.0, palette::RIM, false);
            } else {
                draw_keys(pen, [x, y], &keys, (size, row));
                pen.write([x + KEYS, y], words, size, palette::WORDS);
            }
            y += row;
        }
    }
}

/// Draws keys side by side, as they look on a keyboard.
fn draw_keys(pen: &mut Pen, at: [f32; 2], keys: &str, (size, row): (f32, f32)) {
    let mut x = at[0];
    for key in keys.split(' ') {
        let cap = Rect::new(x, at[1] - 1.0, pen::width(key, size) + 10.0, row - 2.0);
        pen.round(cap, 3.0, palette::BUTTON);
        x = pen.write([x + 5.0, at[1]], key, size, palette::KEY) + 9.0;
    }
}

fn column(parts: &[(&str, &'static [Binding])]) -> Vec<HelpRow> {
    let mut rows = Vec::new();
    for (heading, bindings) in parts {
        rows.push(((*heading).to_owned(), ""));
        let listed = bindings.iter().filter(|binding| !binding.words.is_empty());
        rows.extend(listed.map(|binding| (shown(binding.keys), binding.words)));
    }
    rows
}

/// Returns the first two keys.
fn shown(keys: &[&str]) -> String {
    keys[..keys.len().min(2)].join(" ")
}
