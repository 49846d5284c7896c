//! Scripts in the form of their file.

use crate::hud::{Hud, Overlay};
use crate::picture::air::Air;
use ggez::winit::keyboard::{Key, NamedKey};
use kit::error::UserError;
use serde::Deserialize;
use std::path::Path;

/// Longest film, frames.
const FRAMES_MAX: f64 = 20_000.0;

/// Largest frame, pixels along a side.
const PIXELS_MAX: u32 = 4096;

/// Film.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Script {
    /// Columns and rows of a frame.
    #[serde(default = "usual_size")]
    pub size: [u32; 2],
    /// Frames for each second of film.
    #[serde(default = "usual_rate")]
    pub frames_per_s: u32,
    /// Samples for each pixel of a frame along each side: 2 is smooth, and takes four times as
    /// long.
    #[serde(default = "usual_samples")]
    pub samples: u8,
    /// Scenes of the script.
    #[serde(default)]
    pub scene: Vec<FilmScene>,
}

fn usual_size() -> [u32; 2] {
    [640, 360]
}

fn usual_samples() -> u8 {
    1
}

fn usual_rate() -> u32 {
    10
}

/// Part of a film.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FilmScene {
    /// Duration of the scene, s of film.
    pub for_s: f64,
    /// Simulated seconds for each second of film.
    #[serde(default)]
    pub speed: f64,
    /// View at the beginning; missing values are taken from the end of the last scene.
    #[serde(default)]
    pub from: ViewGiven,
    /// View at the end.
    #[serde(default)]
    pub to: ViewGiven,
    /// Overlay shown in colours.
    pub overlay: Option<String>,
    /// Whether the head-up display is shown.
    pub hud: Option<bool>,
    /// Keys that are pressed at the beginning of the scene.
    #[serde(default)]
    pub keys: Vec<String>,
    /// Actions at the beginning of the scene.
    #[serde(default, rename = "do")]
    pub commands: Vec<ScriptCommand>,
}

/// View with the values that a script gives.
#[derive(Debug, Clone, Copy, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ViewGiven {
    /// Place in the middle, m east and north of the map's south-west corner.
    pub centre: Option<[f64; 2]>,
    /// Width of the view from left to right, m.
    pub width_m: Option<f64>,
    /// Angle at which the camera looks down, degrees: 90 from above.
    pub slope_deg: Option<f64>,
    /// Direction that is up on the screen, degrees from north towards west.
    pub azimuth_deg: Option<f64>,
    /// Factor by which heights are exaggerated.
    pub exaggeration: Option<f64>,
    /// Opening angle of tilted views from left to right, degrees; 0: parallel.
    pub lens_deg: Option<f64>,
    /// Azimuth of the sun, degrees from north towards west.
    pub sun_azimuth_deg: Option<f64>,
    /// Height of the sun over the horizon, degrees.
    pub sun_height_deg: Option<f64>,
    /// Wind over the water, m/s.
    pub wind_m_s: Option<f64>,
    /// Turbidity of the water, 0 to 1.
    pub silt: Option<f64>,
    /// Distance in which the air takes two thirds of the light, km.
    pub sight_km: Option<f64>,
}

/// Action that a player would do with a brush. Places are metres as in views.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum ScriptCommand {
    /// Pours water.
    Water {
        /// Middle of the disc.
        at: [f64; 2],
        /// Radius of the disc.
        radius_m: f64,
        /// Depth to be added.
        depth_m: f64,
    },
    /// Takes water away.
    Drain {
        /// Middle of the disc.
        at: [f64; 2],
        /// Radius of the disc.
        radius_m: f64,
    },
    /// Raises the ground, or lowers it.
    Raise {
        /// Middle of the disc.
        at: [f64; 2],
        /// Radius of the disc.
        radius_m: f64,
        /// Change of the elevation; less than 0 lowers the ground.
        by_m: f64,
    },
    /// Builds a dam.
    Dam {
        /// Corners of the dam's line.
        points: Vec<[f64; 2]>,
        /// Elevation of its crest, m.
        crest_m: f64,
    },
    /// Lets water flow in.
    Source {
        /// Place of the inflow.
        at: [f64; 2],
        /// Discharge of the inflow.
        discharge_m3_s: f64,
    },
    /// Puts a gauge.
    Gauge {
        /// Place of the gauge.
        at: [f64; 2],
    },
    /// Colours the water.
    Dye {
        /// Middle of the disc.
        at: [f64; 2],
        /// Radius of the disc.
        radius_m: f64,
    },
    /// Drops a crate.
    Crate {
        /// Place of the crate.
        at: [f64; 2],
        /// Width of the crate.
        width_m: f64,
    },
    /// Inspects a place.
    Inspect {
        /// Inspected place.
        at: [f64; 2],
    },
    /// Takes the last command back.
    Undo {},
}

impl Script {
    /// Reads a script from a file.
    ///
    /// # Errors
    ///
    /// If the file cannot be read or is not a valid script.
    pub fn read(path: &Path) -> Result<Self, UserError> {
        let name = path.display().to_string();
        let text = std::fs::read_to_string(path).map_err(|error| {
            UserError::new(
                format!("{name} cannot be read: {error}"),
                "check the name and the folder",
            )
        })?;
        Self::parse(&text, &name)
    }

    /// Parses the text of a file of this name.
    ///
    /// # Errors
    ///
    /// If the text is not a valid script.
    pub fn parse(text: &str, name: &str) -> Result<Self, UserError> {
        let script: Self = toml::from_str(text).map_err(|error| {
            let line = error.span().map_or(1, |span| 1 + text[..span.start].matches('\n').count());
            UserError::new(
                format!("{name}, line {line}: {}", error.message()),
                "correct the line: key = value, texts in quotes, one [[scene]] after the other",
            )
        })?;
        script.check(name)?;
        Ok(script)
    }

    fn check(&self, name: &str) -> Result<(), UserError> {
        let refuse =
            |what: String, mend: &str| Err(UserError::new(format!("{name}: {what}"), mend));
        if !self.size.iter().all(|side| (64..=PIXELS_MAX).contains(side)) {
            return refuse(format!("size is {:?}", self.size), "choose 64 to 4096 pixels each way");
        }
        if !(1..=120).contains(&self.frames_per_s) {
            let found = self.frames_per_s;
            return refuse(format!("frames_per_s is {found}"), "choose 1 to 120");
        }
        if !(1..=2).contains(&self.samples) {
            return refuse(format!("samples is {}", self.samples), "choose 1 or 2");
        }
        if self.scene.is_empty() {
            return refuse("there is no [[scene]]".to_owned(), "write at least one");
        }
        let frames_max = FRAMES_MAX / f64::from(self.frames_per_s);
        for (index, scene) in (1..).zip(&self.scene) {
            if !(scene.for_s > 0.0 && scene.for_s <= frames_max) {
                let what = format!("scene {index} lasts {} s", scene.for_s);
                return refuse(what, "choose more than 0 s, and 20000 frames at most");
            }
            if !(0.0..=1e5).contains(&scene.speed) {
                let what = format!("scene {index} has a speed of {}", scene.speed);
                return refuse(what, "choose 0 to 100000");
            }
            let overlay = scene.overlay.as_deref();
            if let Some(other) = overlay.filter(|name| Overlay::named(name).is_none()) {
                let what = format!("scene {index} has the overlay {other:?}");
                return refuse(what, &format!("choose one of {}", Overlay::WORDS.join(", ")));
            }
            if let Some(other) = scene.keys.iter().find(|name| !Hud::knows(&key(name))) {
                let what = format!("scene {index} presses the key {other:?}, which does nothing");
                return refuse(what, "press F1 in the viewer for a list of all keys");
            }
            for view in [&scene.from, &scene.to] {
                if let Some(wrong) = view.fault() {
                    return refuse(format!("scene {index} has {wrong}"), "choose one in range");
                }
            }
        }
        Ok(())
    }
}

impl ViewGiven {
    /// Returns a complaint about values that make no view.
    fn fault(&self) -> Option<String> {
        let range = |name: &str, value: Option<f64>, low: f64, high: f64| {
            let value = value.filter(|value| !(low..=high).contains(value))?;
            Some(format!("{name} = {value}, not between {low} and {high}"))
        };
        let centre = self.centre.filter(|place| !place.iter().all(|v| v.is_finite()));
        centre
            .map(|place| format!("centre = {place:?}"))
            .or_else(|| range("width_m", self.width_m, 0.1, 1e7))
            .or_else(|| range("slope_deg", self.slope_deg, 6.0, 90.0))
            .or_else(|| range("azimuth_deg", self.azimuth_deg, -720.0, 720.0))
            .or_else(|| range("exaggeration", self.exaggeration, 0.1, 50.0))
            .or_else(|| range("lens_deg", self.lens_deg, 0.0, 100.0))
            .or_else(|| range("sun_azimuth_deg", self.sun_azimuth_deg, -720.0, 720.0))
            .or_else(|| range("sun_height_deg", self.sun_height_deg, 1.0, 90.0))
            .or_else(|| range("wind_m_s", self.wind_m_s, 0.0, 20.0))
            .or_else(|| range("silt", self.silt, 0.0, 1.0))
            .or_else(|| range("sight_km", self.sight_km, 0.1, 1000.0))
    }

    /// Returns light and air, with the values that are given.
    #[must_use]
    pub fn air(&self, before: Air) -> Air {
        let angle = |given: Option<f64>, before: f64| given.map_or(before, f64::to_radians);
        Air {
            sun_azimuth: angle(self.sun_azimuth_deg, before.sun_azimuth),
            sun_height: angle(self.sun_height_deg, before.sun_height),
            wind_m_s: self.wind_m_s.unwrap_or(before.wind_m_s),
            silt: self.silt.unwrap_or(before.silt),
            sight_m: self.sight_km.map_or(before.sight_m, |km| 1e3 * km),
        }
    }
}

/// Returns a key by its name: a character, or one of a few words.
#[must_use]
pub fn key(name: &str) -> Key {
    match name.to_ascii_lowercase().as_str() {
        "tab" => Key::Named(NamedKey::Tab),
        "space" => Key::Named(NamedKey::Space),
        "esc" | "escape" => Key::Named(NamedKey::Escape),
        "f1" => Key::Named(NamedKey::F1),
        _ => Key::Character(name.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_script_is_refused_with_its_line() {
        for (text, expected) in [
            ("[[scene]]\nfor_s = 1\nsped = 3\n", "demo.toml, line 3: unknown field `sped`"),
            ("[[scene]]\nfor_s = 'a'\n", "demo.toml, line 2: invalid type"),
            ("size = [640, 9]\n[[scene]]\nfor_s = 1\n", "demo.toml: size is [640, 9]"),
            ("frames_per_s = 0\n[[scene]]\nfor_s = 1\n", "frames_per_s is 0"),
            ("frames_per_s = 10\n", "there is no [[scene]]"),
            ("[[scene]]\nfor_s = -1\n", "scene 1 lasts -1 s"),
            ("[[scene]]\nfor_s = 1\nfrom = { slope_deg = 5 }\n", "scene 1 has slope_deg = 5"),
            ("[[scene]]\nfor_s = 1\noverlay = 'sped'\n", "scene 1 has the overlay \"sped\""),
            ("[[scene]]\nfor_s = 1\nkeys = ['tabb']\n", "scene 1 presses the key \"tabb\""),
            ("[[scene]]\nfor_s = 1\ndo = [{ flood = {} }]\n", "line 3: unknown variant `flood`"),
        ] {
            let error = Script::parse(text, "demo.toml").expect_err(text).to_string();
            assert!(error.contains(expected), "{error}");
            assert!(!error.contains('\n'), "{error}");
        }
    }

    #[test]
    fn commands_are_read() {
        let text = "[[scene]]\nfor_s = 1\ndo = [{ crate = { at = [1, 2], width_m = 3 } }, \
                    { undo = {} }]\n";
        let script = Script::parse(text, "demo.toml").expect("a script");
        let expected =
            [ScriptCommand::Crate { at: [1.0, 2.0], width_m: 3.0 }, ScriptCommand::Undo {}];
        assert_eq!(script.scene[0].commands, expected);
    }
}
