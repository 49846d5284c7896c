//! What is going on: how far files are read; then simulated time, speed, wet area and time left.
//!
//! Guarantees: a bar where standard error is a terminal, else a line at most every ten seconds;
//!             nothing when told to be quiet.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::reading::Watching;
use crate::words::{area, time};

/// Steps of the bar for the whole of a part.
const LENGTH: u32 = 10_000;

/// Time between two lines where there is no terminal.
const LINE_EVERY: Duration = Duration::from_secs(10);

/// How often the bar moves.
const SHOW_EVERY: Duration = Duration::from_millis(250);

/// State of a run after a cycle.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Moment {
    /// Simulated time, s.
    pub time_s: f64,
    /// Cells times steps that were computed since the start.
    pub cell_steps: u64,
    /// Area under water, m².
    pub wet_m2: f64,
}

/// The display of one command, part after part.
#[derive(Debug)]
pub struct Progress {
    display: Display,
    /// What is being done.
    part: &'static str,
    /// Since when.
    start: Instant,
    /// When it was shown last.
    shown: Instant,
}

#[derive(Debug)]
enum Display {
    Bar(ProgressBar),
    Lines,
    Nothing,
}

impl Progress {
    /// A display that shows nothing yet, and never does if `is_quiet`.
    #[must_use]
    pub fn new(is_quiet: bool) -> Self {
        let display = if is_quiet {
            Display::Nothing
        } else if std::io::stderr().is_terminal() {
            let style =
                ProgressStyle::with_template("{bar:16} {percent:>3} %  {eta} left  {wide_msg}")
                    .unwrap_or_else(|_| ProgressStyle::default_bar());
            let target = ProgressDrawTarget::stderr_with_hz(5);
            Display::Bar(
                ProgressBar::with_draw_target(Some(LENGTH.into()), target).with_style(style),
            )
        } else {
            Display::Lines
        };
        let now = Instant::now();
        Self { display, part: "", start: now, shown: now }
    }

    /// Begins a part of the work.
    pub fn begin(&mut self, part: &'static str) {
        if self.part == part {
            return;
        }
        self.part = part;
        self.start = Instant::now();
        if let Display::Bar(bar) = &self.display {
            bar.reset();
            bar.set_message(part);
        }
    }

    /// True where it is time to show anew.
    #[must_use]
    pub fn is_due(&self) -> bool {
        let every = match self.display {
            Display::Bar(_) => SHOW_EVERY,
            Display::Lines => LINE_EVERY,
            Display::Nothing => return false,
        };
        self.shown.elapsed() >= every
    }

    /// Shows where a run of `duration_s` is.
    pub fn run(&mut self, moment: Moment, duration_s: f64) {
        let words = words(moment, self.start.elapsed().as_secs_f64());
        self.show((moment.time_s / duration_s).clamp(0.0, 1.0), words);
    }

    fn show(&mut self, share: f64, words: String) {
        self.shown = Instant::now();
        match &self.display {
            Display::Bar(bar) => {
                bar.set_message(words);
                bar.set_position(whole(share * f64::from(LENGTH)));
            }
            Display::Lines => {
                let line = line(share, &words, self.start.elapsed());
                crate::terminal::complain("flood-preview", line);
            }
            Display::Nothing => {}
        }
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        if let Display::Bar(bar) = &self.display {
            bar.finish_and_clear();
        }
    }
}

impl Watching for Progress {
    fn rows(&mut self, what: &'static str, done: usize, all: usize) {
        self.begin(what);
        if self.is_due() {
            self.show(part(done, all), what.to_owned());
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.finish();
    }
}

#[expect(clippy::cast_precision_loss, reason = "a share of the rows")]
fn part(done: usize, all: usize) -> f64 {
    done as f64 / all.max(1) as f64
}

/// A line where there is no terminal.
fn line(share: f64, words: &str, elapsed: Duration) -> String {
    let left_s = elapsed.as_secs_f64() * (1.0 - share) / share.max(1.0e-4);
    format!("{:.0} %, {} left: {words}", 100.0 * share, time(left_s.round()))
}

/// The moment in words, `wall_s` seconds after the start.
#[expect(clippy::cast_precision_loss, reason = "a speed to three digits")]
fn words(moment: Moment, wall_s: f64) -> String {
    let wall_s = wall_s.max(1.0e-3);
    format!(
        "{}  {:.0} × real time  {:.0} Mcells/s  {} wet",
        time(moment.time_s.floor()),
        moment.time_s / wall_s,
        moment.cell_steps as f64 / wall_s / 1.0e6,
        area(moment.wet_m2),
    )
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to LENGTH")]
fn whole(position: f64) -> u64 {
    position as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_in_words() {
        let moment = Moment { time_s: 3600.5, cell_steps: 500_000_000, wet_m2: 25_000.0 };
        let expected = "1 h  360 × real time  50 Mcells/s  2.50 ha wet";
        assert_eq!(words(moment, 10.0), expected);
        assert_eq!(area(0.5), "0.50 m²");
        assert_eq!(area(5.0e6), "5.00 km²");
    }

    #[test]
    fn a_line_says_how_long_it_takes_still() {
        let line = line(0.25, "reading the map", Duration::from_secs(30));
        assert_eq!(line, "25 %, 1 min 30 s left: reading the map");
    }

    /// Goal: a log gets a line every ten seconds, not every row.
    #[test]
    fn lines_keep_their_distance() {
        let now = Instant::now();
        let old = now.checked_sub(LINE_EVERY).expect("the machine runs for longer");
        let mut progress = Progress { display: Display::Lines, part: "", start: old, shown: now };
        assert!(!progress.is_due());
        progress.shown = old;
        assert!(progress.is_due());
        progress.rows("reading the map", 1, 2);
        assert!(!progress.is_due());
        progress.display = Display::Nothing;
        progress.shown = old;
        assert!(!progress.is_due());
    }
}
