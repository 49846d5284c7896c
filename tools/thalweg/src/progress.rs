//! What is going on: a bar with its time left.
//!
//! Guarantees: nothing is drawn where standard error is not a terminal, or when told to be quiet.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Steps of the bar.
const LENGTH: u32 = 10_000;

/// The bar of one command.
#[derive(Debug)]
pub struct Progress {
    bar: ProgressBar,
}

impl Progress {
    /// A bar that is not drawn yet; an invisible one if `is_quiet`.
    #[must_use]
    pub fn new(is_quiet: bool) -> Self {
        let target = if is_quiet {
            ProgressDrawTarget::hidden()
        } else {
            ProgressDrawTarget::stderr_with_hz(5) // hides itself where there is no terminal
        };
        Self { bar: ProgressBar::with_draw_target(Some(LENGTH.into()), target) }
    }

    /// Begins a part of the work; whoever does it calls what is returned with the share done.
    pub fn begin(&self, what: &'static str) -> impl FnMut(f64) + use<'_> {
        self.style("{bar:16} {percent:>3} %  {eta} left  {wide_msg}");
        self.bar.reset();
        self.bar.disable_steady_tick();
        self.bar.set_message(what);
        |share| self.bar.set_position(whole(share.clamp(0.0, 1.0) * f64::from(LENGTH)))
    }

    /// Says where it is.
    pub fn tell(&self, words: String) {
        self.bar.set_message(words);
    }

    /// Begins a part of the work of which no share is known.
    pub fn spin(&self, what: &'static str) {
        self.style("{spinner} {wide_msg}");
        self.bar.set_message(what);
        self.bar.enable_steady_tick(Duration::from_millis(200));
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }

    fn style(&self, template: &str) {
        let style = ProgressStyle::with_template(template);
        self.bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.finish();
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to LENGTH")]
fn whole(position: f64) -> u64 {
    position as u64
}
