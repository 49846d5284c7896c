//! A watch: a request for events about one thing.

use serde::{Deserialize, Serialize};

/// A watch: a request for an event whenever something changes sides of a threshold.
///
/// Depths and stages are those that [`World::query`](crate::world::World::query) returns: of the
/// finest cells if columns are sub-grid. A watched value above its threshold counts as above until
/// it is more than the hysteresis below it, so that waves about the threshold cause no stream of
/// events.
///
/// A watch belongs to the game: it is not part of the state, and no file contains it. It is
/// serialisable, so that a game can keep it with its own save.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
#[non_exhaustive]
pub enum Watch {
    /// A place becomes wet or dry.
    Place {
        /// Place, metres east and north of the world's south-west corner.
        #[serde(alias = "at-m")]
        at_m: [f64; 2],
        /// Depth from which on the place is wet, m: 0.001 or more.
        #[serde(alias = "depth-m")]
        depth_m: f64,
        /// Hysteresis, m: the place is dry again if it is below `depth_m` by more than this.
        #[serde(alias = "hysteresis-m", default)]
        hysteresis_m: f64,
    },
    /// A gauge passes a stage. A dry gauge is below every stage.
    Gauge {
        /// Place, metres east and north of the world's south-west corner.
        #[serde(alias = "at-m")]
        at_m: [f64; 2],
        /// The stage, m.
        #[serde(alias = "stage-m")]
        stage_m: f64,
        /// Hysteresis, m: the gauge has fallen if it is below `stage_m` by more than this.
        #[serde(alias = "hysteresis-m", default)]
        hysteresis_m: f64,
    },
    /// The footprint of a building passes a depth: the largest depth of a cell that it touches.
    Footprint {
        /// Corners, metres, clockwise or counterclockwise; the first may be repeated at the end.
        #[serde(alias = "corners-m")]
        corners_m: Vec<[f64; 2]>,
        /// Depth from which on the footprint is flooded, m: 0.001 or more.
        #[serde(alias = "depth-m")]
        depth_m: f64,
        /// Hysteresis, m: the footprint is drained if it is below `depth_m` by more than this.
        #[serde(alias = "hysteresis-m", default)]
        hysteresis_m: f64,
    },
    /// A barrier is overtopped or breaks. After its removal it is neither; a barrier placed again
    /// under its name is watched again.
    Barrier {
        /// Name of the barrier.
        name: String,
        /// Hysteresis, m: water that was over the crest must fall this far below it, along the
        /// whole line, before the barrier counts as not overtopped.
        #[serde(alias = "hysteresis-m", default)]
        hysteresis_m: f64,
    },
}

/// Number of a watch; later watches have higher numbers, and a world gives each number once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WatchId(pub(super) u64);

impl WatchId {
    /// Returns the number, from 1.
    #[must_use]
    pub fn number(self) -> u64 {
        self.0
    }
}
