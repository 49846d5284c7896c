//! Notices of the world or of the display, shown for five seconds each.

use crate::hud::pen::{self, Pen};
use crate::hud::{DisplayView, palette};
use ggez::graphics::{Color, Rect};

/// Time that a notice stays, and the part of it in which the notice fades, s.
const STAY_S: f64 = 5.0;
const FADE_S: f64 = 1.0;
/// Distance between words and the sides of their panel, px.
const MARGIN: f32 = 14.0;
/// Height of a line, px.
const ROW: f32 = palette::BODY + 4.0;
/// Largest number of notices that are shown.
const MOST: usize = 5;
/// Largest number of lines of a notice: a long one would hide its subject.
const LINES: usize = 3;

/// Sentences and the times at which each appeared.
#[derive(Debug, Default)]
pub(super) struct Notices {
    said: Vec<(String, f64)>,
    /// Notices since the last frame.
    new: Vec<String>,
}

impl Notices {
    pub fn say(&mut self, text: impl Into<String>) {
        self.new.push(text.into());
    }

    /// Begins a frame: removes old notices and shows the new ones from now on.
    pub fn tick(&mut self, now_s: f64) {
        self.said.retain(|(_, since_s)| now_s - since_s < STAY_S);
        for text in self.new.drain(..) {
            // A repeated sentence begins anew.
            self.said.retain(|(other, _)| *other != text);
            self.said.push((text, now_s));
        }
        let extra = self.said.len().saturating_sub(MOST);
        self.said.drain(..extra);
    }

    /// Writes the notices one above another into the middle between `left` and `right`, from
    /// `bottom` upwards.
    pub fn draw(
        &self,
        pen: &mut Pen,
        view: &DisplayView,
        (left, right): (f32, f32),
        mut bottom: f32,
    ) {
        let room = (f32::midpoint(left, right), right - left - 2.0 * MARGIN);
        for (text, since_s) in self.said.iter().rev() {
            let left_s = STAY_S - (view.now_s - since_s);
            let alpha = pen::px((left_s / FADE_S).clamp(0.0, 1.0));
            let mut lines = shortened(wrapped(text, room.1));
            // Lines without room below the strip are left out.
            let most = ((bottom - palette::STRIP - 16.0) / ROW).max(0.0);
            lines.truncate(usize::from(pen::byte(f64::from(most))));
            if lines.is_empty() {
                break;
            }
            bottom = block(pen, &lines, [room.0, bottom], (palette::WORDS, alpha)) - 6.0;
        }
    }
}

/// Returns the first lines, with a mark if more follow.
fn shortened(mut lines: Vec<String>) -> Vec<String> {
    if lines.len() > LINES {
        lines.truncate(LINES);
        lines[LINES - 1].push('…');
    }
    lines
}

/// Writes, in the middle, why the world has stopped.
pub(super) fn draw_broken(pen: &mut Pen, view: &DisplayView, why: &str) {
    let mut lines = vec!["The world goes no further:".to_owned()];
    lines.extend(wrapped(why, view.size_px[0] - 180.0));
    let foot = [view.size_px[0] / 2.0, view.size_px[1] * 0.3];
    block(pen, &lines, foot, (palette::BAD, 1.0));
}

/// Draws lines on a panel whose lower middle is `foot`. Returns its top.
fn block(pen: &mut Pen, lines: &[String], foot: [f32; 2], ink: (Color, f32)) -> f32 {
    let ((colour, alpha), size) = (ink, palette::BODY);
    let widths = lines.iter().map(|line| pen::width(line, size));
    let wide = widths.fold(0.0, f32::max) + 2.0 * MARGIN;
    let high = pen::count(lines.len()) * ROW + 10.0;
    let area = Rect::new(foot[0] - wide / 2.0, foot[1] - high, wide, high);
    pen.round(area, 6.0, Color { a: palette::PANEL.a * alpha, ..palette::PANEL });
    for (index, line) in lines.iter().enumerate() {
        let y = area.y + 6.0 + pen::count(index) * ROW;
        pen.write_amid([foot[0], y], &**line, size, Color { a: alpha, ..colour });
    }
    area.y
}

/// Breaks a text into lines of at most `most` pixels.
fn wrapped(text: &str, most: f32) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let line = lines.last_mut().expect("there is one");
        if !line.is_empty()
            && pen::width(line, palette::BODY) + pen::width(word, palette::BODY) > most
        {
            lines.push(word.to_owned());
        } else {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_ones_end_with_a_mark() {
        let lines = |count: usize| vec!["words".to_owned(); count];
        assert_eq!(shortened(lines(LINES)), lines(LINES));
        let cut = shortened(lines(LINES + 4));
        assert_eq!((cut.len(), &*cut[LINES - 1]), (LINES, "words…"));
    }

    #[test]
    fn notices_are_told_once_and_go() {
        let mut notices = Notices::default();
        for (text, now_s) in [("A", 0.0), ("B", 1.0), ("A", 2.0)] {
            notices.say(text);
            notices.tick(now_s);
        }
        let texts = |notices: &Notices| -> Vec<String> {
            notices.said.iter().map(|(text, _)| text.clone()).collect()
        };
        assert_eq!(texts(&notices), ["B", "A"]);
        notices.say("saved");
        notices.tick(6.5);
        assert_eq!(texts(&notices), ["A", "saved"]);
        notices.tick(9.0);
        assert_eq!(texts(&notices), ["saved"]);
        notices.tick(11.6);
        assert!(texts(&notices).is_empty());
        for index in 0..2 * MOST {
            notices.say(format!("{index}"));
        }
        notices.tick(12.0);
        assert_eq!(notices.said.len(), MOST);
    }

    #[test]
    fn long_ones_are_broken_between_words() {
        let lines = wrapped("one two three four", 10.0 * pen::width("x", palette::BODY));
        assert_eq!(lines, ["one two", "three four"]);
    }
}
