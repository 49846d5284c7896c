//! Dam that is being drawn: a straight line with a level crest above the ground and water along it.

use crate::hud::DisplayView;
use thalweg::glam::DVec2;
use thalweg::world::Barrier;

/// Number of places along the line at which ground and water are sampled.
const LOOKS: u32 = 96;

/// Line with a crest.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct DamDraft {
    pub ends_m: [[f64; 2]; 2],
    /// Elevation of the crest, m.
    pub crest_m: f64,
}

impl DamDraft {
    /// Returns the dam that is `height_m` higher than the highest ground or water between two
    /// places; `None` if no part of it is in view.
    pub fn between(
        from_m: [f64; 2],
        to_m: [f64; 2],
        height_m: f64,
        view: &DisplayView,
    ) -> Option<Self> {
        let ends_m = [from_m, to_m];
        let seen = (0..=LOOKS).filter_map(|look| (view.elevation_m)(along(ends_m, look)));
        let highest_m = seen.reduce(f64::max)?;
        // Whole centimetres: the displayed crest is the built one.
        let crest_m = ((highest_m + height_m) * 100.0).ceil() / 100.0;
        Some(Self { ends_m, crest_m })
    }

    pub fn length_m(&self) -> f64 {
        let [from, to] = self.ends_m.map(DVec2::from);
        from.distance(to)
    }

    pub fn barrier(&self, name: &str) -> Barrier {
        Barrier::wall(name, self.ends_m.to_vec(), self.crest_m)
    }

    /// Returns the crest and the foot of the dam on the screen.
    pub fn outline_px(&self, view: &DisplayView) -> [Vec<[f32; 2]>; 2] {
        let places = (0..=LOOKS).step_by(4).map(|look| along(self.ends_m, look));
        let crest = places.clone().map(|[x, y]| (view.project)([x, y, self.crest_m]));
        let foot = places.map(|at_m| view.place_px(at_m));
        [crest.collect(), foot.collect()]
    }
}

fn along(ends_m: [[f64; 2]; 2], look: u32) -> [f64; 2] {
    let [from, to] = ends_m.map(DVec2::from);
    from.lerp(to, f64::from(look) / f64::from(LOOKS)).to_array()
}
