//! Time line of the kept moments: a press on one returns to it.

use crate::hud::keys::KeyCommand;
use crate::hud::palette::{self, GAP, SMALL};
use crate::hud::pen::{self, Pen};
use crate::hud::{DisplayView, words};
use ggez::graphics::Rect;

/// Draws the time line, if it has moments. Returns the lower end of the room above it.
pub(super) fn draw(pen: &mut Pen, view: &DisplayView) -> f32 {
    let (moments, bottom) = (&view.state.moments_s, view.size_px[1] - GAP);
    let (Some(first), Some(last)) = (moments.first(), moments.last()) else { return bottom };
    let now_s = view.state.time.seconds();
    let (first, last) = (first.min(now_s), last.max(now_s));
    let area = Rect::new(GAP, bottom - 40.0, view.size_px[0] - 2.0 * GAP, 40.0);
    pen.panel(area);
    let ends = [words::clock(first), words::clock(last)];
    let y = area.y + 12.0;
    let left = pen.write([area.x + 12.0, y], &*ends[0], SMALL, palette::FAINT) + 20.0;
    pen.write_left([area.right() - 12.0, y], &*ends[1], SMALL, palette::FAINT);
    let right = area.right() - 32.0 - pen::width(&ends[1], SMALL);
    let span_s = (last - first).max(1.0e-6);
    let x_of = |moment: f64| left + pen::px((moment - first) / span_s) * (right - left);
    let y = area.y + 20.0;
    pen.line([left, y], [right, y], 4.0, palette::GRID);
    pen.line([left, y], [x_of(now_s), y], 4.0, palette::BUTTON_TAKEN);
    let is_near = area.contains(view.pointer_px);
    let far = |moment: f64| (x_of(moment) - view.pointer_px[0]).abs();
    let nearest = (0..moments.len()).min_by(|a, b| far(moments[*a]).total_cmp(&far(moments[*b])));
    let nearest = nearest.filter(|index| is_near && far(moments[*index]) < 24.0);
    // Many are small.
    let dots = ((right - left) / pen::count(moments.len()) / 4.0).clamp(1.5, 4.0);
    for (index, moment) in moments.iter().enumerate() {
        let is_chosen = nearest == Some(index);
        let radius = if is_chosen { 7.0 } else { dots };
        pen.disc([x_of(*moment), y], radius, if is_chosen { palette::KEY } else { palette::WORDS });
    }
    let x = x_of(now_s);
    pen.convex(&[[x - 6.0, y - 17.0], [x + 6.0, y - 17.0], [x, y - 7.0]], palette::GOOD);
    if let Some(index) = nearest {
        let x = x_of(moments[index]);
        pen.buttons.push((Rect::new(x - 24.0, area.y, 48.0, area.h), KeyCommand::GoTo(index)));
        let text = format!("back to {}", words::clock(moments[index]));
        let wide = pen::width(&text, SMALL) + 16.0;
        let tip_x = (x - wide / 2.0).clamp(GAP, (view.size_px[0] - GAP - wide).max(GAP));
        let tip = Rect::new(tip_x, area.y - 28.0, wide, 24.0);
        pen.panel(tip);
        pen.write([tip.x + 8.0, tip.y + 4.0], text, SMALL, palette::WORDS);
    }
    area.y - GAP
}
