//! A watch: something of which a game asks to be told.

use serde::{Deserialize, Serialize};

/// A watch: something of which a game is told when it changes sides of a threshold.
///
/// Depths and stages are those that [`World::query`](crate::world::World::query) gives: of the
/// finest cells where columns are sub-grid. Whatever is over its threshold stays so until it is
/// more than the hysteresis below it, so that waves about the threshold are no stream of events.
///
/// A watch is the game's: it is no part of the state, and in no file. It is serialisable, so that a
/// game can keep it with its own save.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", rename_all_fields = "kebab-case")]
#[non_exhaustive]
pub enum Watch {
    /// A place gets wet or dry.
    Place {
        /// Where, metres east and north of the world's south-west corner.
        at_m: [f64; 2],
        /// Depth from which on it is wet, m: 0.001 or more.
        depth_m: f64,
        /// So much less than that is dry, m.
        #[serde(default)]
        hysteresis_m: f64,
    },
    /// A gauge passes a stage. A dry one is below every stage.
    Gauge {
        /// Where, metres east and north of the world's south-west corner.
        at_m: [f64; 2],
        /// The stage, m.
        stage_m: f64,
        /// More than so much below that it has fallen, m.
        #[serde(default)]
        hysteresis_m: f64,
    },
    /// The footprint of a building passes a depth: the largest one of a cell that it touches.
    Footprint {
        /// Corners, metres, either way round; the first may be repeated at the end.
        corners_m: Vec<[f64; 2]>,
        /// Depth from which on it is flooded, m: 0.001 or more.
        depth_m: f64,
        /// So much less than that is drained, m.
        #[serde(default)]
        hysteresis_m: f64,
    },
    /// A barrier is overtopped or breaks. One that is taken away is neither; one that is put again
    /// under its name is watched again.
    Barrier {
        /// Name of the barrier.
        name: String,
        /// Where water stood over the crest it must fall this far below it, m, along all of the
        /// line.
        #[serde(default)]
        hysteresis_m: f64,
    },
}

/// Number of a watch; later ones have higher numbers, and none is given twice by one world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct WatchId(pub(super) u64);

impl WatchId {
    /// The number, from 1.
    #[must_use]
    pub fn number(self) -> u64 {
        self.0
    }
}
