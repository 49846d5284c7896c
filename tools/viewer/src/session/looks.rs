//! Falls, spray and wet ground of the window that is shown.

use thalweg::looks::{EmitterOptions, Emitters, FallOptions, Falls, Wetness, WetnessOptions};
use thalweg::probe::{Surface, Window};
use thalweg::units::SimTime;

use crate::session::message::{Looks, WetPatch};

/// Looks of a surface, as the library computes them.
pub(super) struct Sights {
    falls: Falls,
    emitters: Emitters,
    wetness: Wetness,
}

impl Sights {
    /// Returns the looks of a surface whose cells of level 0 are `finest_m` wide.
    pub fn new(finest_m: f64) -> Self {
        let good = "the defaults are good, and so is the width of a world's cells";
        Self {
            falls: Falls::try_new(finest_m, FallOptions::default()).expect(good),
            emitters: Emitters::try_new(finest_m, EmitterOptions::default()).expect(good),
            wetness: Wetness::try_new(WetnessOptions::default()).expect(good),
        }
    }

    /// Updates the looks from the changed parts of the surface.
    pub fn changes(&mut self, surface: &Surface, changed: &[Window], time: SimTime) -> Looks {
        self.falls.update(surface, changed);
        self.emitters.update(surface, &self.falls, changed);
        let dried = self.wetness.update(surface, changed, time);
        Looks {
            emitters: self.emitters.all().to_vec(),
            vertices: self.falls.vertices().to_vec(),
            sheets: self.falls.sheets().to_vec(),
            wetness: self.patches(&dried),
        }
    }

    /// Returns the wetness of parts of the window.
    pub fn patches(&self, parts: &[Window]) -> Vec<WetPatch> {
        let window = self.wetness.window();
        let patch = |cells: &Window| Some(self.patch(window?, *cells));
        parts.iter().filter_map(patch).collect()
    }

    fn patch(&self, window: Window, cells: Window) -> WetPatch {
        let column = (cells.corner.x - window.corner.x) as usize;
        let row = (cells.corner.y - window.corner.y) as usize;
        let rows = (row..row + cells.height).flat_map(|y| {
            let from = y * window.width + column;
            &self.wetness.wetness()[from..from + cells.width]
        });
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 1")]
        let wetness = rows.map(|wetness| (255.0 * wetness + 0.5) as u8).collect();
        WetPatch { cells, wetness }
    }
}
