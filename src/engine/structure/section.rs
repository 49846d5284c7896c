//! The cross-section of a culvert: its wetted part at a depth.
//!
//! ```text
//! circle   half chord at height y   √(y (D − y))
//!          area                     ∫ 2 √(y (D − y)) dy, by trapezoids
//!          wetted perimeter         Σ √(Δy² + Δchord²) on both sides
//! box      width w                  area w·y,  perimeter w + 2 y, when full 2 (w + h)
//! ```
//!
//! Guarantees: the same bits on every machine, without arcs and angles; areas and perimeters are
//!             those of the shape within 0.01 % when full.
//! Limits:     linear between the 64 depths of the table: at depths below a sixty-fourth of the
//!             height a circle is a triangle.
//! Source:     own.

use crate::structure::error::{Fault, Number};
use crate::units::maths;
use serde::{Deserialize, Serialize};

/// The inner diameter of a pipe.
pub const DIAMETER: Number = Number::new(("diameter", "its diameter"), SIZES_M, " m");

/// The inner width of a box.
pub const WIDTH: Number = Number::new(("box", "its width"), SIZES_M, " m");

/// The inner height of a box.
pub const HEIGHT: Number = Number::new(("box", "its height"), SIZES_M, " m");

/// The least and the largest size of a section, m.
const SIZES_M: [f64; 2] = [0.001, 100.0];

/// The shape of a culvert's cross-section.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Section {
    /// A pipe.
    Circle {
        /// Inner diameter, m.
        diameter_m: f64,
    },
    /// A rectangle.
    Box {
        /// Inner width, m.
        width_m: f64,
        /// Inner height, m.
        height_m: f64,
    },
}

impl Section {
    /// Checks the sizes.
    ///
    /// # Errors
    ///
    /// [`Fault::Number`] if a size is out of its range.
    pub fn check(&self) -> Result<(), Fault> {
        match *self {
            Self::Circle { diameter_m } => DIAMETER.check(diameter_m)?,
            Self::Box { width_m, height_m } => {
                WIDTH.check(width_m)?;
                HEIGHT.check(height_m)?
            }
        };
        Ok(())
    }

    /// Returns the height from the invert to the crown, m.
    #[must_use]
    pub fn height_m(&self) -> f64 {
        match *self {
            Self::Circle { diameter_m } => diameter_m,
            Self::Box { height_m, .. } => height_m,
        }
    }

    /// Returns the largest width of the section, m.
    #[must_use]
    pub fn width_m(&self) -> f64 {
        match *self {
            Self::Circle { diameter_m } => diameter_m,
            Self::Box { width_m, .. } => width_m,
        }
    }
}

/// Wetted part of a section at a depth.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Wetted {
    /// Area, m².
    pub area: f64,
    /// Wetted perimeter, m.
    pub perimeter: f64,
    /// Width of the surface, m; 0 in a full circle.
    pub width: f64,
}

impl Wetted {
    /// Returns the friction slope of a unit of discharge over n²: `1 / (A² R^(4/3))`; 0 if dry.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "a root in f32 is close enough")]
    pub fn resistance(&self) -> f64 {
        let radius = self.radius();
        if radius <= RADIUS_LEAST_M {
            return 0.0;
        }
        let inverse_root = f64::from(maths::inverse_cube_root(radius as f32));
        inverse_root / (self.area * self.area * radius) // R^(−4/3) = R^(−1/3) / R
    }

    /// Returns the hydraulic radius, m.
    #[must_use]
    pub fn radius(&self) -> f64 {
        if self.perimeter > 0.0 { self.area / self.perimeter } else { 0.0 }
    }
}

/// Hydraulic radius below which nothing flows, m.
const RADIUS_LEAST_M: f64 = 1.0e-9;

/// Number of depths of the table.
pub const STEPS: usize = 64;

/// Chords of a circle between two depths of the table.
const CHORDS: u32 = 64;

/// Wetted part at each of [`STEPS`] depths, from empty to full.
#[derive(Debug, Clone, PartialEq)]
pub struct SectionTable {
    height: f64,
    rows: Vec<Wetted>,
}

impl SectionTable {
    /// Creates the table of a shape.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "64 depths")]
    pub fn new(section: &Section) -> Self {
        let height = section.height_m();
        let rows = match *section {
            Section::Circle { diameter_m } => circle(diameter_m),
            Section::Box { width_m, height_m } => (0..=STEPS)
                .map(|step| {
                    let y = height_m * (step as f64 / STEPS as f64);
                    let lid = if step == STEPS { width_m } else { 0.0 };
                    let bottom = if step == 0 { 0.0 } else { width_m };
                    let perimeter = bottom + 2.0 * y + lid;
                    Wetted { area: width_m * y, perimeter, width: width_m }
                })
                .collect(),
        };
        Self { height, rows }
    }

    /// Returns the height from the invert to the crown, m.
    #[must_use]
    pub fn height_m(&self) -> f64 {
        self.height
    }

    /// Returns the wetted part of a full section.
    #[must_use]
    pub fn full(&self) -> Wetted {
        self.rows[STEPS]
    }

    /// Returns the depth of a row, m.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "64 depths")]
    pub fn depth_m(&self, row: usize) -> f64 {
        self.height * (row as f64 / STEPS as f64)
    }

    /// Returns a row.
    #[must_use]
    pub fn row(&self, row: usize) -> Wetted {
        self.rows[row]
    }

    /// Returns the wetted part at a depth, m; beyond the ends of the table, that of the end.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "bounded here")]
    #[expect(clippy::cast_precision_loss, reason = "64 depths")]
    pub fn at(&self, depth_m: f64) -> Wetted {
        let place = depth_m / self.height * STEPS as f64;
        if place >= STEPS as f64 {
            return self.full();
        }
        // NaN fails both comparisons, and so counts as dry.
        let below = if place > 0.0 { place as usize } else { 0 };
        let part = if place > 0.0 { place - below as f64 } else { 0.0 };
        let (a, b) = (self.rows[below], self.rows[below + 1]);
        let between = |a: f64, b: f64| a + part * (b - a);
        Wetted {
            area: between(a.area, b.area),
            perimeter: between(a.perimeter, b.perimeter),
            width: between(a.width, b.width),
        }
    }
}

/// Computes the rows of a circle, chord by chord.
#[expect(clippy::cast_precision_loss, reason = "64 depths")]
fn circle(diameter: f64) -> Vec<Wetted> {
    let fine = STEPS as f64 * f64::from(CHORDS);
    let step = diameter / fine;
    let (mut wetted, mut half_before) = (Wetted::default(), 0.0);
    let mut rows = vec![wetted];
    for row in 0..STEPS {
        for chord in 1..=CHORDS {
            // Counted, not added up: the last place is exactly 1, with a chord of exactly 0.
            let place = (row as f64 * f64::from(CHORDS) + f64::from(chord)) / fine;
            let y = diameter * place;
            let half = (y * (diameter * (1.0 - place))).sqrt();
            let across = half - half_before;
            wetted.area += step * (half + half_before);
            wetted.perimeter += 2.0 * (step * step + across * across).sqrt();
            wetted.width = 2.0 * half;
            half_before = half;
        }
        rows.push(wetted);
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::PI;

    /// Goal: the wetted part of a circle is that of its angle, at depths of the table and between.
    #[test]
    fn a_circle_is_round() {
        let d = 1.7;
        let table = SectionTable::new(&Section::Circle { diameter_m: d });
        for (part, most) in [(0.05_f64, 1.0e-2), (0.2, 1.0e-3), (0.51, 1.0e-3), (0.9, 1.0e-3)] {
            let wetted = table.at(part * d);
            let angle = 2.0 * (1.0 - 2.0 * part).acos();
            let area = d * d / 8.0 * (angle - angle.sin());
            let width = d * (0.5 * angle).sin();
            let close = |got: f64, exact: f64| (got / exact - 1.0).abs() < most;
            assert!(close(wetted.area, area), "{part}: {} m², not {area}", wetted.area);
            let arc = 0.5 * d * angle;
            assert!(close(wetted.perimeter, arc), "{part}: {} m, not {arc}", wetted.perimeter);
            assert!(close(wetted.width, width), "{part}: {} m, not {width}", wetted.width);
        }
        let full = table.at(9.0);
        assert!((full.area / (PI * d * d / 4.0) - 1.0).abs() < 1.0e-4, "{full:?}");
        assert!((full.perimeter / (PI * d) - 1.0).abs() < 1.0e-4, "{full:?}");
        let exact = 1.0 / (full.area * full.area * (d / 4.0).powf(4.0 / 3.0));
        assert!((full.resistance() / exact - 1.0).abs() < 1.0e-3, "{}", full.resistance());
    }

    #[test]
    fn a_box_has_corners_and_a_lid() {
        let table = SectionTable::new(&Section::Box { width_m: 2.0, height_m: 1.0 });
        let half = table.at(0.5);
        assert!((half.area - 1.0).abs() < 1.0e-12 && (half.perimeter - 3.0).abs() < 1.0e-12);
        assert!((table.full().perimeter - 6.0).abs() < 1.0e-12);
        assert_eq!(table.at(-1.0), table.row(0));
        assert!(table.at(f64::NAN) == table.row(0), "no number is dry");
    }
}
