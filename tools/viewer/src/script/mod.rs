//! Script in place of a person: scenes in a TOML file, one after another.
//!
//! ```toml
//! size = [640, 360]        # of the frames, pixels
//! frames_per_s = 10
//!
//! [[scene]]
//! for_s = 2.0              # of film
//! speed = 60.0             # simulated seconds for each second of film; 0: time stands
//! from = { centre = [2000.0, 1500.0], width_m = 3000.0 }
//! to = { width_m = 800.0, slope_deg = 45.0, azimuth_deg = 20.0 }
//! overlay = "speed"
//! keys = ["h"]             # pressed at its beginning
//! do = [{ water = { at = [1900.0, 1480.0], radius_m = 60.0, depth_m = 2.0 } }]
//! ```
//!
//! A view keeps each value that it does not give; the first view shows all of the map from above.
//! The camera moves gently from one view to the next. Frames do not depend on the machine's speed.

mod commands;
mod parse;
pub mod tour;

pub use commands::DYE;
pub use parse::{FilmScene, Script, ScriptCommand, ViewGiven, key};

use crate::picture::air::Air;
use crate::picture::camera::Camera;

/// View with all of its values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CameraStand {
    /// Place in the middle, m.
    pub centre_m: [f64; 2],
    /// Width of the view from left to right, m.
    pub width_m: f64,
    /// Angle at which the camera looks down, degrees: 90 from above.
    pub slope_deg: f64,
    /// Direction that is up on the screen, degrees from north towards west.
    pub azimuth_deg: f64,
    /// Factor by which heights are exaggerated.
    pub exaggeration: f64,
    /// Opening angle of tilted views from left to right, degrees; 0: parallel.
    pub lens_deg: f64,
    /// Light, wind and water.
    pub air: Air,
}

impl CameraStand {
    /// Returns the place of a camera.
    #[must_use]
    pub fn of(camera: &Camera, air: Air) -> Self {
        Self {
            centre_m: camera.centre_m,
            width_m: camera.metres_per_px * f64::from(camera.size_px[0]),
            slope_deg: camera.slope.to_degrees(),
            azimuth_deg: camera.azimuth.to_degrees(),
            exaggeration: camera.exaggeration,
            lens_deg: camera.lens.to_degrees(),
            air,
        }
    }

    /// Returns a copy with the values that a view gives.
    #[must_use]
    pub fn with(&self, given: &ViewGiven) -> Self {
        Self {
            centre_m: given.centre.unwrap_or(self.centre_m),
            width_m: given.width_m.unwrap_or(self.width_m),
            slope_deg: given.slope_deg.unwrap_or(self.slope_deg),
            azimuth_deg: given.azimuth_deg.unwrap_or(self.azimuth_deg),
            exaggeration: given.exaggeration.unwrap_or(self.exaggeration),
            lens_deg: given.lens_deg.unwrap_or(self.lens_deg),
            air: given.air(self.air),
        }
    }

    /// Returns the view part-way to another one: widths in equal ratios, gently at both ends.
    #[must_use]
    pub fn towards(&self, other: &Self, part: f64) -> Self {
        self.evenly_towards(other, part * part * (3.0 - 2.0 * part))
    }

    /// Returns the view part-way to another one: widths in equal ratios.
    #[must_use]
    pub fn evenly_towards(&self, other: &Self, part: f64) -> Self {
        let mix = |a: f64, b: f64| a + part * (b - a);
        Self {
            centre_m: [0, 1].map(|axis| mix(self.centre_m[axis], other.centre_m[axis])),
            width_m: mix(self.width_m.ln(), other.width_m.ln()).exp(),
            slope_deg: mix(self.slope_deg, other.slope_deg),
            azimuth_deg: mix(self.azimuth_deg, other.azimuth_deg),
            exaggeration: mix(self.exaggeration, other.exaggeration),
            lens_deg: mix(self.lens_deg, other.lens_deg),
            air: self.air.towards(&other.air, part),
        }
    }

    /// Moves a camera to this view, and sets the light.
    pub fn place(&self, camera: &mut Camera, air: &mut Air) {
        *air = self.air;
        camera.centre_m = self.centre_m;
        camera.metres_per_px = self.width_m / f64::from(camera.size_px[0]);
        camera.slope = self.slope_deg.to_radians();
        camera.azimuth = self.azimuth_deg.to_radians();
        camera.exaggeration = self.exaggeration;
        camera.lens = self.lens_deg.to_radians();
    }
}

/// Moment of the film.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FilmFrame {
    /// Index of the scene.
    pub scene: usize,
    /// Index of the frame in the scene, from 0.
    pub frame: u32,
    /// Number of frames of the scene.
    pub count: u32,
}

impl FilmFrame {
    /// Returns the part of the scene that is over at the end of this frame, 0 to 1.
    #[must_use]
    pub fn part(&self) -> f64 {
        f64::from(self.frame + 1) / f64::from(self.count)
    }
}

impl Script {
    /// Returns all frames in their order.
    #[must_use]
    pub fn moments(&self) -> Vec<FilmFrame> {
        let scenes = self.scene.iter().enumerate();
        let frames = scenes.flat_map(|(scene, what)| {
            let count = self.frames_of(what);
            (0..count).map(move |frame| FilmFrame { scene, frame, count })
        });
        frames.collect()
    }

    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked")]
    fn frames_of(&self, scene: &FilmScene) -> u32 {
        (scene.for_s * f64::from(self.frames_per_s)).round().max(1.0) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_view_says_what_it_says_and_the_rest_stays() {
        let camera = Camera::over([4000.0, 2000.0], [640.0, 360.0]);
        let all = CameraStand::of(&camera, Air::default());
        let given = ViewGiven { width_m: Some(500.0), ..ViewGiven::default() };
        let near = all.with(&given);
        assert_eq!((near.centre_m, near.width_m), (all.centre_m, 500.0));
        let (mut moved, mut air) = (camera, Air::default());
        all.towards(&near, 1.0).place(&mut moved, &mut air);
        assert!((moved.metres_per_px - 500.0 / 640.0).abs() < 1e-9);
        let half = all.towards(&near, 0.5);
        assert!((half.width_m - (all.width_m * 500.0).sqrt()).abs() < 1e-6);
    }

    #[test]
    fn moments_are_frames_in_order() {
        let text = "frames_per_s = 4\n[[scene]]\nfor_s = 0.5\n[[scene]]\nfor_s = 0.25\n";
        let script = Script::parse(text, "demo.toml").expect("a script");
        let moments = script.moments();
        assert_eq!(moments.len(), 3);
        assert_eq!(moments[1], FilmFrame { scene: 0, frame: 1, count: 2 });
        assert!((moments[2].part() - 1.0).abs() < 1e-12);
    }
}
