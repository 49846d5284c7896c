//! Progress: how far a part of the work is, and the time left.
//!
//! Guarantees: a bar if standard error is a terminal; else nothing, or a line at most every ten
//!             seconds; nothing if quiet was requested. The time left is that of `WorkPace`.

use std::io::IsTerminal;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::pace::WorkPace;
use crate::reading::ReadingWatcher;
use crate::terminal::complain;
use crate::words::time;

/// Steps of the bar for the whole of a part.
const LENGTH: u32 = 10_000;

/// Time between two lines if standard error is no terminal.
const LINE_EVERY: Duration = Duration::from_secs(10);

/// Time between two updates of the bar.
const SHOW_EVERY: Duration = Duration::from_millis(250);

/// The display of one command, part after part.
#[derive(Debug)]
pub struct CommandProgress {
    display: ProgressDisplay,
    /// Words before the name of each part: which of several commands it is.
    label: String,
    part: Mutex<WorkPart>,
}

#[derive(Debug)]
enum ProgressDisplay {
    Bar(ProgressBar),
    Lines,
    Nothing,
}

/// A part of the work.
#[derive(Debug)]
struct WorkPart {
    /// Name of the work.
    what: &'static str,
    /// Since when.
    start: Instant,
    /// Time of the last display.
    shown: Instant,
    /// Speed of the work so far.
    pace: WorkPace,
}

impl WorkPart {
    fn new(what: &'static str, start: Instant) -> Self {
        Self { what, start, shown: start, pace: WorkPace::default() }
    }
}

impl CommandProgress {
    /// Makes a display that shows nothing yet, and never does if `is_quiet` or if standard error is
    /// no terminal.
    #[must_use]
    pub fn new(is_quiet: bool) -> Self {
        let display = if is_quiet || !std::io::stderr().is_terminal() {
            ProgressDisplay::Nothing
        } else {
            let target = ProgressDrawTarget::stderr_with_hz(5);
            ProgressDisplay::Bar(ProgressBar::with_draw_target(Some(LENGTH.into()), target))
        };
        let now = Instant::now();
        Self { display, label: String::new(), part: Mutex::new(WorkPart::new("", now)) }
    }

    /// Makes a display in lines: prints the progress if standard error is no terminal, unless
    /// `is_quiet`.
    #[must_use]
    pub fn in_lines(is_quiet: bool) -> Self {
        let mut own = Self::new(is_quiet);
        if !is_quiet && matches!(own.display, ProgressDisplay::Nothing) {
            own.display = ProgressDisplay::Lines;
        }
        own
    }

    /// Puts words, like `run 1 of 2: `, before the name of each part.
    #[must_use]
    pub fn labelled(mut self, label: &str) -> Self {
        label.clone_into(&mut self.label);
        self
    }

    /// Begins a part of the work, if it has not begun.
    pub fn begin(&self, what: &'static str) {
        let mut part = self.part();
        if part.what == what {
            return;
        }
        let shown = part.shown;
        *part = WorkPart { shown, ..WorkPart::new(what, Instant::now()) };
        if let ProgressDisplay::Bar(bar) = &self.display {
            style(bar, "{bar:16} {percent:>3} %  {wide_msg}");
            bar.disable_steady_tick();
            bar.reset();
            bar.set_message(format!("{}{what}", self.label));
        }
    }

    /// Begins a part of the work; its worker calls the returned function with the share done.
    pub fn watch(&self, what: &'static str) -> impl FnMut(f64) + use<'_> {
        self.begin(what);
        move |share| {
            if self.is_due() {
                self.show(share, what.to_owned());
            }
        }
    }

    /// Begins a part of the work whose share done is unknown.
    pub fn spin(&self, what: &'static str) {
        self.part().what = what;
        if let ProgressDisplay::Bar(bar) = &self.display {
            style(bar, "{spinner} {wide_msg}");
            bar.set_message(format!("{}{what}", self.label));
            bar.enable_steady_tick(Duration::from_millis(200));
        }
    }

    /// Returns true if it is time to update the display.
    #[must_use]
    pub fn is_due(&self) -> bool {
        let every = match self.display {
            ProgressDisplay::Bar(_) => SHOW_EVERY,
            ProgressDisplay::Lines => LINE_EVERY,
            ProgressDisplay::Nothing => return false,
        };
        self.part().shown.elapsed() >= every
    }

    /// Returns the time since the part began, s.
    #[must_use]
    pub fn elapsed_s(&self) -> f64 {
        self.part().start.elapsed().as_secs_f64()
    }

    /// Shows how much of the part is done.
    pub fn show(&self, share: f64, words: String) {
        let share = share.clamp(0.0, 1.0);
        let elapsed_s = self.elapsed_s();
        let left = {
            let mut part = self.part();
            part.shown = Instant::now();
            part.pace.left_s(elapsed_s, share).map(|left_s| format!("{} left", time(left_s)))
        };
        match &self.display {
            ProgressDisplay::Bar(bar) => {
                let words = left.map_or_else(|| words.clone(), |left| left + "  " + &words);
                bar.set_message(format!("{}{words}", self.label));
                bar.set_position(whole(share * f64::from(LENGTH)));
            }
            ProgressDisplay::Lines => complain(line(&self.label, share, left.as_deref(), &words)),
            ProgressDisplay::Nothing => {}
        }
    }

    /// Removes the bar.
    pub fn finish(&self) {
        if let ProgressDisplay::Bar(bar) = &self.display {
            bar.finish_and_clear();
        }
    }

    fn part(&self) -> MutexGuard<'_, WorkPart> {
        self.part.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ReadingWatcher for CommandProgress {
    fn rows(&mut self, what: &'static str, done: usize, all: usize) {
        self.watch(what)(part(done, all));
    }
}

impl Drop for CommandProgress {
    fn drop(&mut self) {
        self.finish();
    }
}

fn style(bar: &ProgressBar, template: &str) {
    let style = ProgressStyle::with_template(template);
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
}

#[expect(clippy::cast_precision_loss, reason = "a share of the rows")]
fn part(done: usize, all: usize) -> f64 {
    done as f64 / all.max(1) as f64
}

/// Writes a line for outputs that are no terminal.
fn line(label: &str, share: f64, left: Option<&str>, words: &str) -> String {
    let left = left.map_or_else(String::new, |left| format!(", {left}"));
    format!("{label}{:.0} %{left}: {words}", 100.0 * share)
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to LENGTH")]
fn whole(position: f64) -> u64 {
    position as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_how_long_it_takes_still() {
        for (label, left, expected) in [
            ("", Some("1 min 30 s left"), "25 %, 1 min 30 s left: reading the map"),
            ("", None, "25 %: reading the map"),
            ("run 1 of 2: ", None, "run 1 of 2: 25 %: reading the map"),
        ] {
            assert_eq!(line(label, 0.25, left, "reading the map"), expected);
        }
    }

    /// Goal: a log gets a line every ten seconds, not every row.
    #[test]
    fn lines_keep_their_distance() {
        let now = Instant::now();
        let old = now.checked_sub(LINE_EVERY).expect("the machine runs for longer");
        let mut progress = CommandProgress::new(true);
        progress.display = ProgressDisplay::Lines;
        assert!(!progress.is_due());
        progress.part().shown = old;
        assert!(progress.is_due());
        progress.rows("reading the map", 1, 2);
        assert!(!progress.is_due());
        progress.display = ProgressDisplay::Nothing;
        progress.part().shown = old;
        assert!(!progress.is_due());
    }
}
