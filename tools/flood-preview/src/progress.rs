//! What is going on: a bar with simulated time, speed, wet area and the time that is left.
//!
//! Guarantees: nothing is drawn where standard error is not a terminal, or when told to be quiet.

use std::time::Instant;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::scenario::plan::settings::time;

/// Steps of the bar for the whole run.
const LENGTH: u32 = 10_000;

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

/// The bar of one run.
#[derive(Debug)]
pub struct Progress {
    bar: ProgressBar,
    duration_s: f64,
    start: Instant,
}

impl Progress {
    /// A bar for a run of `duration_s` simulated seconds; an invisible one if `is_quiet`.
    #[must_use]
    pub fn new(duration_s: f64, is_quiet: bool) -> Self {
        let target = if is_quiet {
            ProgressDrawTarget::hidden()
        } else {
            ProgressDrawTarget::stderr_with_hz(5) // hides itself where there is no terminal
        };
        let style = ProgressStyle::with_template("{bar:16} {percent:>3} %  {eta} left  {wide_msg}")
            .unwrap_or_else(|_| ProgressStyle::default_bar());
        let bar = ProgressBar::with_draw_target(Some(LENGTH.into()), target).with_style(style);
        Self { bar, duration_s, start: Instant::now() }
    }

    /// Shows where the run is.
    pub fn show(&self, moment: Moment) {
        let share = (moment.time_s / self.duration_s).clamp(0.0, 1.0);
        self.bar.set_message(words(moment, self.start.elapsed().as_secs_f64()));
        self.bar.set_position(whole(share * f64::from(LENGTH)));
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
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

/// An area in m², ha or km², to three digits or so.
#[must_use]
pub fn area(square_metres: f64) -> String {
    match square_metres {
        a if a < 100.0 => format!("{a:.2} m²"),
        a if a < 1.0e4 => format!("{a:.0} m²"),
        a if a < 1.0e6 => format!("{:.2} ha", a / 1.0e4),
        a => format!("{:.2} km²", a / 1.0e6),
    }
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
}
