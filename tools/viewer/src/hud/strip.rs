//! The strip at the top: the world's title, its time, its speed and its state.

use crate::hud::clock::ClockRequest;
use crate::hud::keys::KeyCommand;
use crate::hud::palette::{self, BODY, GAP, SMALL, STRIP};
use crate::hud::pen::{self, Pen, Px};
use crate::hud::{DisplayView, words};
use ggez::graphics::{Color, Rect};

/// Width and height of the strip's buttons, px.
const SIDE: f32 = 26.0;

/// Room for a tick mark, which shows that no water is lost.
const BALANCED: &str = " ";

/// Part of the right half: its words, their colour and their rank, 0 for the most important.
struct StripPart {
    text: String,
    colour: Color,
    rank: u8,
}

pub(super) fn draw(pen: &mut Pen, view: &DisplayView, clock: &ClockRequest) {
    let area = Rect::new(0.0, 0.0, view.size_px[0], STRIP);
    pen.fill(area, palette::PANEL);
    pen.line([0.0, STRIP], [view.size_px[0], STRIP], 1.0, palette::RIM);
    pen.panels.push(area);
    let title_end = draw_title(pen, view);
    let left = draw_time(pen, view, clock, title_end);
    let help = Rect::new(view.size_px[0] - SIDE - 4.0, 4.0, SIDE, SIDE);
    button(pen, view, help, KeyCommand::Help);
    pen.write_amid([help.x + SIDE / 2.0, 8.0], "?", BODY, palette::KEY);
    draw_figures(pen, view, left + 2.0 * GAP, help.x - GAP);
}

/// Draws the strip of a small window: only the title and the time.
pub(super) fn draw_small(pen: &mut Pen, view: &DisplayView) {
    let area = Rect::new(0.0, 0.0, view.size_px[0], STRIP);
    pen.fill(area, palette::PANEL);
    pen.panels.push(area);
    draw_title(pen, view);
    let time = words::clock(view.state.time.seconds());
    pen.write_left([view.size_px[0] - 12.0, 8.0], time, BODY, palette::WORDS);
}

fn draw_title(pen: &mut Pen, view: &DisplayView) -> f32 {
    let most = if view.size_px[0] < 1000.0 { 14 } else { 26 };
    let mut title: String = view.site.title.chars().take(most).collect();
    if view.site.title.chars().count() > most {
        title.push('…');
    }
    let end = pen.write([12.0, 8.0], title, BODY, palette::WORDS);
    if view.state.figures.is_unsaved {
        pen.disc([end + 10.0, STRIP / 2.0], 3.5, palette::KEY);
    }
    end + 22.0
}

/// Draws pause, step, speed and the simulated time. Returns their right end.
fn draw_time(pen: &mut Pen, view: &DisplayView, clock: &ClockRequest, left: f32) -> f32 {
    let at = |index: f32| Rect::new(left + index * (SIDE + 4.0), 4.0, SIDE, SIDE);
    let ink = palette::WORDS;
    let pause = button(pen, view, at(0.0), KeyCommand::Pause);
    if clock.is_running {
        for x in [-4.0, 4.0] {
            pen.fill(Rect::new(pause[0] + x - 2.0, pause[1] - 7.0, 4.0, 14.0), ink);
        }
    } else {
        play(pen, pause, palette::GOOD);
    }
    let step = button(pen, view, at(1.0), KeyCommand::Step);
    play(pen, [step[0] - 3.0, step[1]], ink);
    pen.fill(Rect::new(step[0] + 5.0, step[1] - 7.0, 3.0, 14.0), ink);
    let minus = button(pen, view, at(2.0), KeyCommand::Speed { up: false });
    pen.fill(Rect::new(minus[0] - 6.0, minus[1] - 1.0, 12.0, 2.0), ink);
    let speed = format!("×{}", words::short(clock.speed));
    let middle = at(3.0).x + 20.0;
    pen.write_amid([middle, 8.0], speed, BODY, ink);
    let plus = Rect { x: middle + 24.0, ..at(3.0) };
    let plus_at = button(pen, view, plus, KeyCommand::Speed { up: true });
    pen.fill(Rect::new(plus_at[0] - 6.0, plus_at[1] - 1.0, 12.0, 2.0), ink);
    pen.fill(Rect::new(plus_at[0] - 1.0, plus_at[1] - 6.0, 2.0, 12.0), ink);
    let time = words::clock(view.state.time.seconds());
    let end = pen.write([plus.right() + 10.0, 8.0], time, BODY, palette::WORDS);
    // The words after it keep their place when the seconds change.
    end.max(plus.right() + 10.0 + pen::width("59 min 59 s", BODY))
}

fn play(pen: &mut Pen, at: Px, colour: Color) {
    let [x, y] = at;
    pen.convex(&[[x - 5.0, y - 7.0], [x + 7.0, y], [x - 5.0, y + 7.0]], colour);
}

/// Draws a square button. Returns its middle.
fn button(pen: &mut Pen, view: &DisplayView, area: Rect, command: KeyCommand) -> Px {
    let is_near = area.contains(view.pointer_px);
    let back = if is_near { palette::BUTTON_NEAR } else { palette::BUTTON };
    pen.round(area, 4.0, back);
    pen.buttons.push((area, command));
    [area.x + area.w / 2.0, area.y + area.h / 2.0]
}

/// Draws as many of the remaining parts as fit, the most important ones first.
fn draw_figures(pen: &mut Pen, view: &DisplayView, left: f32, right: f32) {
    let mut parts = parts(view);
    let wide = |part: &StripPart| pen::width(&part.text, SMALL) + 2.0 * GAP;
    while parts.iter().map(wide).sum::<f32>() > right - left {
        let least = (0..parts.len()).max_by_key(|index| parts[*index].rank);
        let Some(least) = least else { return };
        parts.remove(least);
    }
    let mut end = right;
    for part in parts.iter().rev() {
        if part.text == BALANCED {
            let hook = [[end - 12.0, 17.0], [end - 8.0, 22.0], [end, 11.0]];
            pen.stroke(&hook, 2.5, part.colour, false);
        } else {
            pen.write_left([end, 10.0], &*part.text, SMALL, part.colour);
        }
        end -= wide(part);
    }
}

fn parts(view: &DisplayView) -> Vec<StripPart> {
    let figures = &view.state.figures;
    let part = |rank, colour, text| StripPart { text, colour, rank };
    let mut parts = Vec::new();
    let has_times = view.fps > 0.0;
    if has_times && figures.is_running && figures.reached_speed < 0.9 * figures.speed {
        let reached = words::short(figures.reached_speed);
        parts.push(part(2, palette::KEY, format!("reaches ×{reached}")));
    }
    let water = words::volume(figures.stored_m3);
    parts.push(part(1, palette::WORDS, format!("water {water}")));
    let (state, colour) = match figures.is_balanced {
        true => (BALANCED, palette::GOOD),
        false => ("NOT BALANCED", palette::BAD),
    };
    parts.push(part(0, colour, state.to_owned()));
    let leaves = format!("awake {} of {}", figures.awake, figures.leaves);
    parts.push(part(5, palette::FAINT, leaves));
    if has_times {
        let simulation = format!("sim {:.1} ms", figures.simulation_ms);
        parts.push(part(4, palette::FAINT, simulation));
        let frame = format!("frame {:.1} ms, {:.0} fps", view.frame_ms, view.fps);
        parts.push(part(3, palette::FAINT, frame));
    }
    parts
}
