//! Colours of the overlays: the picture paints with them, the legend shows them.
//!
//! ```text
//! depth      m         0 … 5         pale blue to violet, in the classes of the report's maps
//! speed      m/s       0 … 4         violet, green, yellow, red
//! hazard     m²/s      0 … 4         depth · (speed + ½): green, yellow, orange, red
//! level                0 … 8         one colour each
//! sleeping             0, 1          asleep, awake
//! residency            0, 1          page in the file, page kept
//! ```
//!
//! Colours are red, green and blue in sRGB, 0 to 1, and are mixed in sRGB between two stops. Depths
//! have one colour for each class, which begins at its stop.
//!
//! Source: hazard: Defra/Environment Agency (2008), supplementary note to FD2320/TR2, without
//! debris factor: below 0.75 low, to 1.25 danger for some, to 2 for most, above for all.

use kit::picture::colours::{DEPTH_COLOURS, DEPTHS_M, FILM, PictureColour};

/// Quantity that colours the picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Overlay {
    /// No overlay: the natural look.
    #[default]
    None,
    /// Depth.
    Depth,
    /// Speed.
    Speed,
    /// Depth and speed together: the danger to people.
    Hazard,
    /// Level of the leaf.
    Level,
    /// Whether the leaf is asleep.
    Sleeping,
    /// Whether the page of the leaf's terrain is in memory.
    Residency,
}

impl Overlay {
    /// All overlays, in the order of the keys.
    pub const ALL: [Self; 7] = [
        Self::None,
        Self::Depth,
        Self::Speed,
        Self::Hazard,
        Self::Level,
        Self::Sleeping,
        Self::Residency,
    ];

    /// Words of the overlays in scripts, in the order of [`Overlay::ALL`].
    pub const WORDS: [&'static str; 7] =
        ["none", "depth", "speed", "hazard", "level", "sleeping", "residency"];

    /// Returns the name of the overlay.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Depth => "depth",
            Self::Speed => "speed",
            Self::Hazard => "hazard",
            Self::Level => "level of detail",
            Self::Sleeping => "sleeping",
            Self::Residency => "page kept",
        }
    }

    /// Returns the overlay of a name, in the one-word spelling of scripts.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::WORDS
            .into_iter()
            .zip(Self::ALL)
            .find(|(word, _)| *word == name)
            .map(|(_, found)| found)
    }

    /// Returns the row of the overlay in [`rows`], from 1; 0 for [`Overlay::None`].
    #[must_use]
    pub const fn row(self) -> u8 {
        self as u8
    }

    /// Returns the number at the end of the overlay's row.
    #[must_use]
    pub fn most(self) -> f32 {
        self.stops().last().map_or(1.0, |stop| stop.0)
    }

    /// Returns the unit of the overlay's numbers.
    #[must_use]
    pub const fn unit(self) -> &'static str {
        match self {
            Self::Depth => "m",
            Self::Speed => "m/s",
            Self::Hazard => "m²/s",
            Self::None | Self::Level | Self::Sleeping | Self::Residency => "",
        }
    }

    /// Returns the overlay's numbers, ascending, with their colours; empty for [`Overlay::None`].
    #[must_use]
    pub const fn stops(self) -> &'static [Stop] {
        match self {
            Self::None => &[],
            Self::Depth => DEPTH,
            Self::Speed => SPEED,
            Self::Hazard => HAZARD,
            Self::Level => LEVEL,
            Self::Sleeping => SLEEPING,
            Self::Residency => RESIDENCY,
        }
    }

    /// True if a colour applies from its stop up to the next one.
    #[must_use]
    pub const fn is_in_classes(self) -> bool {
        matches!(self, Self::Depth)
    }

    /// Returns the next overlay, or the one before.
    #[must_use]
    pub fn next(self, is_forward: bool) -> Self {
        let count = Self::ALL.len();
        let index = Self::ALL.iter().position(|other| *other == self).unwrap_or(0);
        Self::ALL[(index + if is_forward { 1 } else { count - 1 }) % count]
    }
}

/// Number and its colour.
pub type Stop = (f32, [f32; 3]);

/// Depth, m: the classes of the report's maps, and one for shallower water.
pub const DEPTH: &[Stop] = &[
    (0.0, shares(FILM)),
    (DEPTHS_M[0], shares(DEPTH_COLOURS[0])),
    (DEPTHS_M[1], shares(DEPTH_COLOURS[1])),
    (DEPTHS_M[2], shares(DEPTH_COLOURS[2])),
    (DEPTHS_M[3], shares(DEPTH_COLOURS[3])),
    (DEPTHS_M[4], shares(DEPTH_COLOURS[4])),
    (DEPTHS_M[5], shares(DEPTH_COLOURS[5])),
    (DEPTHS_M[6], shares(DEPTH_COLOURS[6])),
];

/// Converts a colour to parts of 1.
const fn shares([red, green, blue]: PictureColour) -> [f32; 3] {
    [red as f32 / 255.0, green as f32 / 255.0, blue as f32 / 255.0]
}

/// Speed, m/s.
pub const SPEED: &[Stop] = &[
    (0.0, [0.27, 0.13, 0.46]),
    (0.25, [0.23, 0.33, 0.58]),
    (0.5, [0.13, 0.57, 0.55]),
    (1.0, [0.40, 0.80, 0.36]),
    (2.0, [0.99, 0.91, 0.20]),
    (4.0, [0.95, 0.35, 0.13]),
];

/// Hazard, m²/s.
pub const HAZARD: &[Stop] = &[
    (0.0, [0.60, 0.84, 0.58]),
    (0.75, [0.99, 0.93, 0.38]),
    (1.25, [0.99, 0.62, 0.18]),
    (2.0, [0.86, 0.14, 0.13]),
    (4.0, [0.45, 0.04, 0.30]),
];

/// Levels.
pub const LEVEL: &[Stop] = &[
    (0.0, [0.99, 0.91, 0.40]),
    (1.0, [0.66, 0.86, 0.36]),
    (2.0, [0.29, 0.76, 0.43]),
    (3.0, [0.12, 0.61, 0.60]),
    (4.0, [0.20, 0.46, 0.72]),
    (5.0, [0.34, 0.32, 0.68]),
    (6.0, [0.50, 0.20, 0.58]),
    (7.0, [0.66, 0.14, 0.34]),
    (8.0, [0.92, 0.38, 0.30]),
];

/// Sleeping: 0 asleep, 1 awake.
pub const SLEEPING: &[Stop] = &[(0.0, [0.36, 0.42, 0.62]), (1.0, [0.99, 0.66, 0.20])];

/// Residency: 0 a page only in the file, 1 a page that is kept in memory.
pub const RESIDENCY: &[Stop] = &[(0.0, [0.56, 0.36, 0.36]), (1.0, [0.36, 0.80, 0.56])];

/// Returns the colour of a number: the last one beyond the stops, grey for [`Overlay::None`].
#[must_use]
pub fn colour(overlay: Overlay, value: f32) -> [f32; 3] {
    let stops = overlay.stops();
    let (Some(first), Some(last)) = (stops.first(), stops.last()) else { return [0.5; 3] };
    if value <= first.0 || value.is_nan() {
        return first.1;
    }
    for pair in stops.windows(2) {
        let ((low, below), (high, above)) = (pair[0], pair[1]);
        if value < high {
            let part = if overlay.is_in_classes() { 0.0 } else { (value - low) / (high - low) };
            return [0, 1, 2].map(|i| below[i] + part * (above[i] - below[i]));
        }
    }
    last.1
}

/// Returns the rows of a texture: for each overlay but [`Overlay::None`] the colours from 0 to
/// [`Overlay::most`], evenly spaced.
#[must_use]
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 255")]
pub fn rows() -> Vec<[[u8; 4]; 256]> {
    let texel = |overlay: Overlay, index: u8| {
        let value = f32::from(index) / 255.0 * overlay.most();
        let [red, green, blue] = colour(overlay, value).map(|part| (part * 255.0).round() as u8);
        [red, green, blue, 255]
    };
    let row = |overlay: &Overlay| {
        let mut row = [[0; 4]; 256];
        for index in 0..=u8::MAX {
            row[usize::from(index)] = texel(*overlay, index);
        }
        row
    };
    Overlay::ALL[1..].iter().map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use kit::picture::colours::depth_colour;

    #[test]
    fn stops_ascend_and_keep_their_colours() {
        for overlay in Overlay::ALL {
            for pair in overlay.stops().windows(2) {
                assert!(pair[0].0 < pair[1].0, "{overlay:?}");
            }
            for (value, expected) in overlay.stops() {
                let shown = colour(overlay, *value);
                let is_near = (0..3).all(|i| (shown[i] - expected[i]).abs() < 1.0e-6);
                assert!(is_near, "{overlay:?} at {value}: {shown:?}");
            }
        }
    }

    #[test]
    fn between_and_beyond_the_stops() {
        let half = colour(Overlay::Speed, 0.125);
        assert!((half[0] - 0.25).abs() < 1.0e-6, "{half:?}");
        let near = |a: [f32; 3], b: [f32; 3]| (0..3).all(|i| (a[i] - b[i]).abs() < 1.0e-6);
        // A depth has the same colour as on the report's maps.
        for depth in [0.05, 0.07, 0.29, 0.3, 0.99, 4.9, 5.0, 80.0] {
            let on_maps = shares(depth_colour(depth));
            assert!(near(colour(Overlay::Depth, depth), on_maps), "{depth} m");
        }
        assert!(near(colour(Overlay::Depth, 99.0), colour(Overlay::Depth, 10.0)));
        assert!(near(colour(Overlay::Depth, f32::NAN), colour(Overlay::Depth, 0.0)));
        assert!(near(colour(Overlay::None, 1.0), [0.5; 3]));
    }

    #[test]
    fn rows_hold_the_colours_of_the_stops() {
        let rows = rows();
        for overlay in Overlay::ALL {
            let name = overlay.stops().first().map(|_| &rows[usize::from(overlay.row()) - 1]);
            let Some(row) = name else { continue };
            for (value, expected) in overlay.stops() {
                // Classes begin within a texel: look behind it.
                let value = if overlay.is_in_classes() { value * 1.25 } else { *value };
                let value = value.min(overlay.most());
                let index = usize::from(crate::hud::pen::byte(f64::from(
                    (value / overlay.most() * 255.0).round(),
                )));
                for (shown, expected) in row[index].iter().zip(expected) {
                    // At worst half a texel away from the stop.
                    let apart = (f32::from(*shown) / 255.0 - expected).abs();
                    assert!(apart < 0.08, "{overlay:?} at {value}: {apart}");
                }
            }
        }
        assert_eq!(Overlay::named("residency"), Some(Overlay::Residency));
        assert_eq!(Overlay::named("Depths"), None);
    }

    #[test]
    fn overlays_go_round() {
        let mut overlay = Overlay::None;
        for _ in Overlay::ALL {
            assert_eq!(overlay.next(true).next(false), overlay);
            overlay = overlay.next(true);
        }
        assert_eq!(overlay, Overlay::None);
    }
}
