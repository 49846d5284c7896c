//! Steering: moves the camera to its target without jumps.

use crate::picture::camera::Camera;
use crate::session::ViewerSite;
use ggez::input::keyboard::KeyboardContext;
use ggez::input::mouse::MouseButton;
use ggez::winit::keyboard::{KeyCode, PhysicalKey};
use std::f64::consts::FRAC_PI_2;
use std::time::Duration;
use thalweg::glam::DVec2;

/// Slope of the tilted view, radians.
const ASLANT: f64 = 0.5;

/// Slope of the flattest view, radians.
const FLATTEST: f64 = 0.12;

/// Time in which the distance of the camera from its target shrinks to a third, s.
const EASE_S: f64 = 0.09;

/// Widths of the screen that a pressed key moves the view in a second.
const PAN_PER_S: f64 = 0.7;

#[derive(Debug, Clone, Copy, PartialEq)]
enum Drag {
    Map([f32; 2]),
    Turn([f32; 2]),
}

/// Target of the camera.
#[derive(Debug)]
pub struct Steering {
    slope: f64,
    azimuth: Option<f64>,
    exaggeration: f64,
    /// Zoom that remains to be done, and the pixel that it is centred on.
    closer: f64,
    at_px: [f32; 2],
    drag: Option<Drag>,
    whole: Option<([f64; 2], f64)>,
    /// Closest and farthest zoom, m for each pixel.
    range: [f64; 2],
}

impl Steering {
    /// Returns the steering of a view from above.
    #[must_use]
    pub fn new(site: &ViewerSite) -> Self {
        let longest = site.size_m[0].max(site.size_m[1]);
        Self {
            slope: FRAC_PI_2,
            azimuth: None,
            exaggeration: 1.0,
            closer: 0.0,
            at_px: [0.0; 2],
            drag: None,
            whole: None,
            range: [site.finest_m / 64.0, longest / 150.0],
        }
    }

    /// Switches between the view from above and the tilted one.
    pub fn tilt(&mut self) {
        self.slope = if self.slope > 1.5 { ASLANT } else { FRAC_PI_2 };
    }

    /// Turns by an angle, radians, from the camera's azimuth or its target.
    pub fn turn(&mut self, by: f64, camera: &Camera) {
        self.azimuth = Some(self.azimuth.unwrap_or(camera.azimuth) + by);
    }

    /// Draws heights higher by a factor.
    pub fn exaggerate(&mut self, factor: f64) {
        self.exaggeration = (self.exaggeration * factor).clamp(0.25, 16.0);
    }

    /// Shows the whole map, north up, with the present tilt.
    pub fn whole(&mut self, site: &ViewerSite, camera: &Camera) {
        let over = Camera::over(site.size_m, camera.size_px);
        self.whole = Some((over.centre_m, over.metres_per_px));
        self.azimuth = Some(0.0);
    }

    /// Zooms at a pixel by clicks of the wheel.
    pub fn zoom(&mut self, clicks: f32, at_px: [f32; 2]) {
        self.closer += f64::from(clicks) * 0.22;
        self.at_px = at_px;
        self.whole = None;
    }

    /// Begins a drag with a button.
    pub fn press(&mut self, button: MouseButton, at_px: [f32; 2]) {
        self.drag = Some(match button {
            MouseButton::Left => Drag::Map(at_px),
            _ => Drag::Turn(at_px),
        });
        self.whole = None;
    }

    /// Ends a drag.
    pub fn release(&mut self) {
        self.drag = None;
    }

    /// Follows the pointer.
    pub fn drag(&mut self, camera: &mut Camera, to_px: [f32; 2]) {
        match &mut self.drag {
            Some(Drag::Map(from)) => {
                camera.drag(*from, to_px);
                *from = to_px;
            }
            Some(Drag::Turn(from)) => {
                let [right, down] = [0, 1].map(|axis| f64::from(to_px[axis] - from[axis]));
                camera.azimuth += 0.006 * right;
                camera.slope = (camera.slope + 0.006 * down).clamp(FLATTEST, FRAC_PI_2);
                (self.azimuth, self.slope) = (None, camera.slope);
                *from = to_px;
            }
            None => {}
        }
    }

    /// Advances by wall time: applies the keys that are down, and moves towards the target.
    pub fn pass(
        &mut self,
        camera: &mut Camera,
        keys: &KeyboardContext,
        since: Duration,
        site: &ViewerSite,
    ) {
        let time = since.as_secs_f64().min(0.1);
        let part = 1.0 - (-time / EASE_S).exp();
        let held = |codes: &[KeyCode]| {
            let is_held =
                codes.iter().any(|code| keys.is_physical_key_pressed(&PhysicalKey::Code(*code)));
            f64::from(u8::from(is_held))
        };
        if !keys.active_modifiers.control_key() {
            let right = held(&[KeyCode::KeyD, KeyCode::ArrowRight])
                - held(&[KeyCode::KeyA, KeyCode::ArrowLeft]);
            let up = held(&[KeyCode::KeyW, KeyCode::ArrowUp])
                - held(&[KeyCode::KeyS, KeyCode::ArrowDown]);
            let turn = held(&[KeyCode::KeyQ]) - held(&[KeyCode::KeyE]);
            let step = PAN_PER_S * time * f64::from(camera.size_px[0]) * camera.metres_per_px;
            let by = camera.unturned([right * step, up * step]);
            camera.centre_m = (DVec2::from(camera.centre_m) + DVec2::from(by)).to_array();
            camera.azimuth += 1.2 * turn * time;
            if right != 0.0 || up != 0.0 || turn != 0.0 {
                (self.whole, self.azimuth) = (None, None);
            }
        }
        let closer = self.closer * part;
        self.closer -= closer;
        camera.zoom(closer.exp(), self.at_px, self.range);
        camera.slope += part * (self.slope - camera.slope);
        if (self.slope - camera.slope).abs() < 1e-3 {
            camera.slope = self.slope;
        }
        camera.exaggeration += part * (self.exaggeration - camera.exaggeration);
        if let Some(azimuth) = self.azimuth {
            camera.azimuth += part * (azimuth - camera.azimuth);
        }
        if let Some((centre, metres_per_px)) = self.whole {
            camera.centre_m = DVec2::from(camera.centre_m).lerp(centre.into(), part).to_array();
            camera.metres_per_px += part * (metres_per_px - camera.metres_per_px);
        }
        let centre = DVec2::from(camera.centre_m).clamp(DVec2::ZERO, site.size_m.into());
        camera.centre_m = centre.to_array();
    }
}
