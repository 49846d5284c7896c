//! Values below the pointer, in numbers.

use crate::hud::palette::{self, SMALL, STRIP};
use crate::hud::pen::{self, Pen};
use crate::hud::{DisplayView, words};
use crate::session::Inspected;
use ggez::graphics::Rect;

/// Width of the panel, px.
const WIDE: f32 = 262.0;
/// Height of a row, px.
const ROW: f32 = 20.0;

pub(super) fn draw(pen: &mut Pen, view: &DisplayView) {
    let Some(found) = view.state.inspected else { return };
    if view.pointer_m.is_none() || pen.panels.iter().any(|area| area.contains(view.pointer_px)) {
        return;
    }
    let rows = rows(view, &found);
    let high = pen::count(rows.len()) * ROW + 14.0;
    let area = place(view, [WIDE, high], &pen.panels);
    let rim = pen.round(area, 6.0, palette::PANEL);
    pen.stroke(&rim, 1.0, palette::RIM, true);
    for (index, (name, value)) in rows.into_iter().enumerate() {
        let y = area.y + 8.0 + pen::count(index) * ROW;
        pen.write([area.x + 12.0, y], name, SMALL, palette::FAINT);
        pen.write_left([area.right() - 12.0, y], value, SMALL, palette::WORDS);
    }
}

/// Returns the panel's place beside the pointer: in the window and outside the panels, if possible.
fn place(view: &DisplayView, [wide, high]: [f32; 2], panels: &[Rect]) -> Rect {
    let [x, y] = view.pointer_px;
    let (lefts, tops) = ([x + 20.0, x - 20.0 - wide], [y + 20.0, y - 20.0 - high]);
    let areas = tops.into_iter().flat_map(|top| lefts.map(|left| (left, top)));
    let areas = areas.map(|(left, top)| Rect::new(left, top, wide, high));
    let is_in = |area: &Rect| {
        area.x >= 0.0
            && area.y >= STRIP
            && area.right() <= view.size_px[0]
            && area.bottom() <= view.size_px[1]
    };
    let mut inside = areas.filter(is_in);
    let first = inside.clone().next();
    let free = inside.find(|area| !panels.iter().any(|panel| panel.overlaps(area)));
    free.or(first).unwrap_or_else(|| Rect::new(0.0, STRIP, wide, high))
}

fn rows(view: &DisplayView, found: &Inspected) -> Vec<(&'static str, String)> {
    let number = words::number;
    let metres = |value: f64| format!("{value:.2} m");
    let speed = found.velocity_m_s[0].hypot(found.velocity_m_s[1]);
    let cell_m = view.site.finest_m * f64::from(1_u32 << found.level.min(31));
    let map = view.site.map.as_ref().map(|map| ("map", words::on_map(map, found.at_m)));
    let mut rows: Vec<_> = map.into_iter().collect();
    rows.extend([
        ("place", format!("{:.0} m E, {:.0} m N", found.at_m[0], found.at_m[1])),
        ("bed", metres(found.bed_m)),
        ("depth", if found.depth_m > 0.0 { metres(found.depth_m) } else { "dry".to_owned() }),
    ]);
    if let Some(stage_m) = found.stage_m {
        let towards = words::direction(found.velocity_m_s);
        rows.push(("stage", metres(stage_m)));
        rows.push(("speed", format!("{} m/s {towards}", number(speed)).trim_end().to_owned()));
    }
    rows.push(("level", format!("{}, cells of {}", found.level, words::length(cell_m))));
    let state = if found.is_asleep { "asleep" } else { "awake" };
    rows.push(("tile", format!("{}, {}, {state}", found.tile[0], found.tile[1])));
    rows
}
