//! Flight: the camera's places over time, for measurements.
//!
//! Each line of its file has the seconds since the window opened and the numbers of a
//! [`CameraStand`]:
//!
//! ```text
//! seconds  x  y  width_m  slope_deg  azimuth_deg  exaggeration
//! ```
//!
//! Between two lines the camera moves evenly; after the last the window closes.

use crate::picture::air::Air;
use crate::picture::camera::LENS;
use crate::script::CameraStand;
use kit::error::UserError;
use std::fs;
use std::path::Path;

/// Places of the camera, each with its time.
#[derive(Debug, Clone, PartialEq)]
pub struct Tour {
    stands: Vec<(f64, CameraStand)>,
}

impl Tour {
    /// Reads a flight from a file.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, or a line does not consist of seven numbers.
    pub fn read(path: &Path) -> Result<Self, UserError> {
        let shown = path.display();
        let text = fs::read_to_string(path).map_err(|error| {
            UserError::new(format!("{shown}: {error}"), "check the name and the folder")
        })?;
        let stands = text.lines().map(line).collect::<Option<_>>();
        let stands = stands.ok_or_else(|| {
            UserError::new(
                format!("{shown} is no tour"),
                "write seven numbers in each line: seconds, x, y, width, slope, azimuth, \
                 exaggeration",
            )
        })?;
        Ok(Self { stands })
    }

    /// Returns the camera's place at a time; `None` after the end.
    #[must_use]
    pub fn at(&self, at_s: f64) -> Option<CameraStand> {
        let next = self.stands.iter().position(|(time_s, _)| *time_s > at_s)?;
        let (to_s, to) = &self.stands[next];
        let (from_s, from) = &self.stands[next.saturating_sub(1)];
        let part = if to_s > from_s { (at_s - from_s) / (to_s - from_s) } else { 0.0 };
        Some(from.evenly_towards(to, part))
    }
}

fn line(line: &str) -> Option<(f64, CameraStand)> {
    let numbers: Option<Vec<f64>> = line.split_whitespace().map(|word| word.parse().ok()).collect();
    let [at_s, x, y, width_m, slope_deg, azimuth_deg, exaggeration] = numbers?[..] else {
        return None;
    };
    let (lens_deg, air, centre_m) = (LENS.to_degrees(), Air::default(), [x, y]);
    let stand =
        CameraStand { centre_m, width_m, slope_deg, azimuth_deg, exaggeration, lens_deg, air };
    Some((at_s, stand))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_camera_goes_evenly_and_stops() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("tour.txt");
        fs::write(&path, "0 0 50 100 90 0 1\n2 10 50 100 45 0 1\n").expect("room");
        let tour = Tour::read(&path).expect("a tour");
        let half = tour.at(1.0).expect("on its way");
        assert!((half.centre_m[0] - 5.0).abs() < 1.0e-9 && (half.slope_deg - 67.5).abs() < 1.0e-9);
        let [x, y] = tour.at(0.0).expect("at its beginning").centre_m;
        assert!(x.abs() < 1.0e-9 && (y - 50.0).abs() < 1.0e-9);
        assert_eq!(tour.at(2.0), None);
        fs::write(&path, "0 0 50 100 90 0\n").expect("room");
        let error = Tour::read(&path).expect_err("six numbers").to_string();
        assert!(error.contains("seven numbers"), "{error}");
    }
}
