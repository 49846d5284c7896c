//! A barrier as asked for, in metres and seconds.

use serde::{Deserialize, Serialize};

/// A line that water passes only over its crest, through its gap or through its breach.
///
/// A levee and a weir have a crest; a sluice gate has a gap that opens and shuts, and a crest where
/// its leaf ends; a bridge deck has a gap up to its underside, and its top as crest. Where two
/// barriers share a face the later one stands, so a gate is drawn over the levee it stands in.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Barrier {
    /// Name of the barrier; no two barriers share one.
    pub name: String,
    /// Corners of its line: metres from the map's south-west corner.
    pub path_m: Vec<[f64; 2]>,
    /// Elevation of its crest at each corner, m, or one for all.
    pub crest_m: Vec<f64>,
    /// Gap of the barrier.
    #[serde(default)]
    pub gap: Option<Gap>,
    /// Breach of the barrier.
    #[serde(default)]
    pub breach: Option<Breach>,
    /// Coefficient of discharge `C_d` over its crest: 0.62 where it is sharp, 0.58 where it is
    /// broad.
    #[serde(default = "sharp")]
    pub weir_coefficient: f64,
    /// Coefficient of contraction `C_c` behind its gap.
    #[serde(default = "contracted")]
    pub contraction: f64,
}

fn sharp() -> f64 {
    0.62
}

fn contracted() -> f64 {
    0.61
}

/// A gap in a barrier, as long as the barrier is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Gap {
    /// Elevation of its bottom, m; the ground where that is higher, or where none is given.
    #[serde(default)]
    pub sill_m: Option<f64>,
    /// How far its top is above the bottom.
    pub opening: Opening,
}

/// How far a gap is open, m.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Opening {
    /// For ever.
    Fixed(f64),
    /// Over time: seconds and metres, straight lines between the points.
    Series(Vec<(f64, f64)>),
    /// By the stage at a place: elevations and metres, straight lines between the points. The gap
    /// moves when the rule differs by a millimetre or more; it is shut while the place is dry.
    #[serde(rename_all = "kebab-case")]
    Rule {
        /// Where the stage is looked at, metres from the map's south-west corner.
        at_m: [f64; 2],
        /// Elevations of the stage and openings.
        points: Vec<(f64, f64)>,
    },
}

/// A part of a barrier that goes: its middle, and how it grows from the moment that it begins.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Breach {
    /// Metres from the beginning of the line to its middle.
    pub along_m: f64,
    /// Trigger of the breach.
    pub trigger: Trigger,
    /// Seconds since then and its width, m; straight lines between the points.
    pub width_m: Vec<(f64, f64)>,
    /// Seconds since then and the elevation of its bottom, m.
    pub bottom_m: Vec<(f64, f64)>,
}

/// Trigger of a breach.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Trigger {
    /// A moment, s.
    Time(f64),
    /// A stage at a place.
    #[serde(rename_all = "kebab-case")]
    Stage {
        /// Metres from the map's south-west corner.
        at_m: [f64; 2],
        /// Elevation of the stage, m.
        stage_m: f64,
    },
}

impl Breach {
    /// A breach of an embankment of `height_m` from `crest_m` down, behind which `volume_m3` of
    /// water stands, as such breaches were seen to grow: to its final mean width in its time of
    /// formation, both rounded.
    ///
    /// Source: Froehlich (2008), J. Hydraul. Eng. 134, for overtopping:
    /// `B = 0.27·1.3·V^0.32·h^0.04`, `t = 63.2 √(V/(g h²))`.
    #[must_use]
    pub fn of_embankment(
        along_m: f64,
        trigger: Trigger,
        (crest_m, height_m): (f64, f64),
        volume_m3: f64,
    ) -> Self {
        let centimetres = |metres: f64| (metres * 100.0).round() / 100.0;
        let width_m = centimetres(0.351 * volume_m3.powf(0.32) * height_m.powf(0.04));
        let time_s = (63.2 * (volume_m3 / (9.81 * height_m * height_m)).sqrt()).round().max(1.0);
        Self {
            along_m,
            trigger,
            width_m: vec![(0.0, 0.0), (time_s, width_m)],
            bottom_m: vec![(0.0, crest_m), (time_s, centimetres(crest_m - height_m))],
        }
    }
}

impl Barrier {
    /// A wall with a level crest.
    #[must_use]
    pub fn wall(name: &str, path_m: Vec<[f64; 2]>, crest_m: f64) -> Self {
        Self {
            name: name.to_owned(),
            path_m,
            crest_m: vec![crest_m],
            gap: None,
            breach: None,
            weir_coefficient: sharp(),
            contraction: contracted(),
        }
    }
}
