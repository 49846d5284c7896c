//! Marks on the ground: structures, inflows, gauges, and a preview of the tool in hand.

use crate::hud::dam::DamDraft;
use crate::hud::hand::{Hand, HandTool};
use crate::hud::palette::{self, SMALL};
use crate::hud::pen::{self, Pen, Px};
use crate::hud::{DisplayView, words};
use crate::session::{LineKind, NamedPlace, PlaceKind, StructureLine};
use ggez::graphics::{Color, Rect};
use thalweg::glam::Vec2;

/// Least width of the map on the screen at which names are written, px.
const NAMES_FROM_PX: f64 = 260.0;

/// Name that needs a place.
struct Label {
    at: Px,
    text: String,
    colour: Color,
    /// Whether the label belongs to a line: then above or below is better than beside it.
    is_line: bool,
}

/// Draws the marks. No name is written below one of the `panels`.
pub(super) fn draw(pen: &mut Pen, view: &DisplayView, panels: &[Rect]) {
    let mut labels = Vec::new();
    for place in view.state.places.iter() {
        labels.extend(draw_place(pen, view, place));
    }
    for line in view.state.lines.iter() {
        labels.extend(draw_line(pen, view, line));
    }
    let long_m = view.site.size_m[0].max(view.site.size_m[1]);
    if long_m / view.metres_per_px >= NAMES_FROM_PX {
        draw_labels(pen, view, &labels, panels);
    }
}

/// Returns the colour of a gauge: that of its line in the charts.
pub(super) fn gauge_colour(view: &DisplayView, name: &str) -> Color {
    let index = view.state.gauges.iter().position(|series| series.name == name).unwrap_or(0);
    palette::GAUGES[index % palette::GAUGES.len()]
}

fn draw_place(pen: &mut Pen, view: &DisplayView, place: &NamedPlace) -> Option<Label> {
    let at = view.place_px(place.at_m);
    if !view.is_near(at) {
        return None;
    }
    let colour = match place.kind {
        PlaceKind::Inflow => palette::INFLOW,
        PlaceKind::Gauge => gauge_colour(view, &place.name),
    };
    let [x, y] = at;
    match place.kind {
        PlaceKind::Inflow => {
            pen.disc(at, 7.5, palette::SHADE);
            pen.ring(at, 6.0, 2.5, colour);
            pen.disc(at, 2.0, colour);
        }
        PlaceKind::Gauge => {
            let shape = |r: f32| [[x, y - r], [x + r, y], [x, y + r], [x - r, y]];
            pen.convex(&shape(8.5), palette::SHADE);
            pen.convex(&shape(6.5), colour);
        }
    }
    Some(Label { at, text: place.name.clone(), colour, is_line: false })
}

fn draw_line(pen: &mut Pen, view: &DisplayView, line: &StructureLine) -> Option<Label> {
    let course = view.course_px(line);
    if !course.iter().any(|at| view.is_near(*at)) {
        return None;
    }
    let is_barrier = line.kind == LineKind::Barrier;
    let colour = if is_barrier { palette::BARRIER } else { palette::LINK };
    pen.marked(&course, if is_barrier { 3.0 } else { 2.0 }, colour, false);
    if !is_barrier {
        for at in &course {
            pen.disc(*at, 5.5, palette::SHADE);
            pen.disc(*at, 4.0, colour);
        }
    }
    let ends = course.first().zip(course.last())?;
    let at = middle(&course);
    let seen_px = Vec2::from(*ends.0).distance(Vec2::from(*ends.1));
    if is_barrier && seen_px < 12.0 {
        return None;
    }
    let mut text = line.name.clone();
    if line.discharge_m3_s.abs() >= 0.005 {
        text = format!("{text}  {} m³/s", words::number(line.discharge_m3_s));
    }
    Some(Label { at, text, colour, is_line: true })
}

/// Returns the place half way along a line.
fn middle(course: &[Px]) -> Px {
    let parts = || course.windows(2).map(|pair| (Vec2::from(pair[0]), Vec2::from(pair[1])));
    let mut left = parts().map(|(from, to)| from.distance(to)).sum::<f32>() / 2.0;
    for (from, to) in parts() {
        let here = from.distance(to);
        if left <= here {
            let part = if here > 0.0 { left / here } else { 0.0 };
            return from.lerp(to, part).to_array();
        }
        left -= here;
    }
    course.first().copied().unwrap_or_default()
}

/// Writes each name beside its mark at a free place; leaves out names without room.
fn draw_labels(pen: &mut Pen, view: &DisplayView, labels: &[Label], panels: &[Rect]) {
    let marks =
        labels.iter().map(|label| Rect::new(label.at[0] - 6.0, label.at[1] - 6.0, 12.0, 12.0));
    let mut taken: Vec<Rect> = marks.chain(panels.iter().copied()).collect();
    let seen = |area: &Rect| {
        area.x >= 0.0
            && area.y >= palette::STRIP
            && area.right() <= view.size_px[0]
            && area.bottom() <= view.size_px[1]
    };
    for label in labels {
        let (wide, high) = (pen::width(&label.text, SMALL) + 8.0, SMALL + 4.0);
        let [x, y] = label.at;
        let mut around = [
            [x + 10.0, y - high / 2.0],
            [x - 10.0 - wide, y - high / 2.0],
            [x - wide / 2.0, y - 10.0 - high],
            [x - wide / 2.0, y + 10.0],
        ];
        if label.is_line {
            around.rotate_left(2);
        }
        let areas = around.into_iter().map(|[x, y]| Rect::new(x, y, wide, high));
        let is_free = |area: &Rect| seen(area) && !taken.iter().any(|other| other.overlaps(area));
        if let Some(area) = areas.into_iter().find(is_free) {
            pen.round(area, 3.0, Color { a: 0.93, ..palette::PANEL });
            pen.write([area.x + 4.0, area.y + 2.0], &*label.text, SMALL, label.colour);
            taken.push(area);
        }
    }
}

/// Draws the brush on the ground, or the dam that is being drawn.
pub(super) fn draw_hand(pen: &mut Pen, view: &DisplayView, hand: &Hand, panels: &[Rect]) {
    let is_covered = panels.iter().any(|area| area.contains(view.pointer_px));
    let Some(at_m) = view.pointer_m.filter(|_| !is_covered || hand.held.is_some()) else { return };
    if let (HandTool::Dam, Some(held)) = (hand.tool, hand.held) {
        draw_draft(pen, view, DamDraft::between(held.from_m, at_m, hand.amount(), view));
    }
    match hand.tool {
        tool if tool.has_size() => {
            let rim = ground_circle(view, at_m, hand.radius_m);
            pen.marked(&rim, 2.0, palette::BRUSH, true);
        }
        HandTool::Crate => {
            let half = hand.amount() / 2.0;
            let corners = [(-half, -half), (half, -half), (half, half), (-half, half)];
            let corners = corners.map(|(x, y)| view.place_px([at_m[0] + x, at_m[1] + y]));
            pen.marked(&corners, 2.0, palette::BRUSH, true);
        }
        HandTool::Remove => {
            pen.marked(&pen::circle(view.pointer_px, 12.0), 1.5, palette::BAD, true);
        }
        HandTool::Dam | HandTool::Gauge => {
            pen.marked(&pen::circle(view.pointer_px, 5.0), 1.5, palette::BRUSH, true);
        }
        _ => {}
    }
}

/// Returns a circle on the ground as it appears on the screen.
fn ground_circle(view: &DisplayView, centre_m: [f64; 2], radius_m: f64) -> Vec<Px> {
    let corner = |step: u8| {
        let (sin, cos) = (f64::from(step) * std::f64::consts::TAU / 64.0).sin_cos();
        view.place_px([centre_m[0] + radius_m * cos, centre_m[1] + radius_m * sin])
    };
    (0..64).map(corner).collect()
}

fn draw_draft(pen: &mut Pen, view: &DisplayView, draft: Option<DamDraft>) {
    let Some(draft) = draft else { return };
    let [crest, foot] = draft.outline_px(view);
    for pair in crest.windows(2).zip(foot.windows(2)) {
        let ([a, b], [c, d]) = ([pair.0[0], pair.0[1]], [pair.1[0], pair.1[1]]);
        pen.convex(&[a, b, d, c], Color { a: 0.45, ..palette::BARRIER });
    }
    pen.marked(&crest, 3.0, palette::BARRIER, false);
    let long = words::length(draft.length_m());
    let text = format!("{long} long, crest at {} m", words::number(draft.crest_m));
    let wide = pen::width(&text, SMALL) + 12.0;
    let [x, y] = middle(&crest);
    let area = Rect::new(x - wide / 2.0, y - 36.0, wide, 22.0);
    pen.round(area, 4.0, palette::PANEL);
    pen.write([area.x + 6.0, area.y + 3.0], text, SMALL, palette::WORDS);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_way_along_a_bent_line() {
        let course = [[0.0, 0.0], [10.0, 0.0], [10.0, 30.0]];
        let [x, y] = middle(&course);
        assert!((x - 10.0).abs() < 1.0e-5 && (y - 10.0).abs() < 1.0e-5, "{x} {y}");
    }
}
