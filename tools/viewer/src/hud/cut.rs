//! Height above which the picture is cut away, as the person chooses it.

use crate::hud::words;
use crate::session::{ViewerCommand, ViewerSite};

/// The least step of the height, m.
const STEP_LEAST_M: f64 = 0.25;

/// Height, and whether the picture is cut there.
#[derive(Debug, Clone, Copy)]
pub(super) struct PictureCut {
    height_m: f64,
    step_m: f64,
    is_on: bool,
}

impl PictureCut {
    /// Returns a cut, still off, in the middle of the relief, or a step below level ground.
    pub fn new(site: &ViewerSite) -> Self {
        let [low, high] = site.bed_m;
        let step_m = words::round_down((high - low) / 40.0).max(STEP_LEAST_M);
        let middle_m = (f64::midpoint(low, high) / step_m).floor() * step_m;
        Self { height_m: middle_m.min(high - step_m), step_m, is_on: false }
    }

    /// Cuts the picture, or shows all of it again.
    pub fn toggle(&mut self) -> ViewerCommand {
        self.is_on = !self.is_on;
        ViewerCommand::Cut(self.height_m())
    }

    /// Cuts a step higher or lower; if the picture is not cut, at the last height.
    pub fn step(&mut self, up: bool) -> ViewerCommand {
        if self.is_on {
            self.height_m += if up { self.step_m } else { -self.step_m };
        }
        self.is_on = true;
        ViewerCommand::Cut(self.height_m())
    }

    /// Returns the height of the cut, m; `None` if the picture is not cut.
    pub fn height_m(&self) -> Option<f64> {
        self.is_on.then_some(self.height_m)
    }
}
