//! Events: changes that are reported to a game.

use crate::world::watch::request::WatchId;
use serde::{Deserialize, Serialize};
use thalweg_engine::units::SimTime;

/// Event of a watch: the watched thing has changed sides of its threshold.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Event {
    /// Watch that reports the event.
    pub watch: WatchId,
    /// End of the cycle after which it was observed.
    #[serde(rename = "at_ticks", alias = "at")]
    pub at: SimTime,
    /// The change.
    pub what: EventKind,
}

/// Change of a watched thing.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum EventKind {
    /// A place became wet.
    Wetted {
        /// Depth, m.
        #[serde(alias = "depth-m")]
        depth_m: f64,
    },
    /// A place fell dry.
    Dried {
        /// Depth, m: less than the threshold by more than the hysteresis.
        #[serde(alias = "depth-m")]
        depth_m: f64,
    },
    /// A gauge reached its stage.
    Rose {
        /// Stage, m.
        #[serde(alias = "stage-m")]
        stage_m: f64,
    },
    /// A gauge fell below its stage.
    Fell {
        /// Stage, m; `None` if it is dry.
        #[serde(alias = "stage-m")]
        stage_m: Option<f64>,
    },
    /// A footprint reached its depth.
    Flooded {
        /// Largest depth, m.
        #[serde(alias = "depth-m")]
        depth_m: f64,
    },
    /// A footprint fell below its depth.
    Drained {
        /// Largest depth, m.
        #[serde(alias = "depth-m")]
        depth_m: f64,
    },
    /// Water is over the crest of a barrier.
    Overtopped,
    /// Water is no longer over the crest of a barrier.
    Contained,
    /// A barrier breaks.
    Breached {
        /// Time at which its breach began.
        #[serde(rename = "began_ticks", alias = "began")]
        began: SimTime,
    },
    /// A broken barrier is whole: it was placed anew, removed, or its breach undone.
    Restored,
}

/// Side of its threshold on which a watch last observed the watched thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Watched {
    /// True if wet, at its stage or above, flooded or overtopped.
    pub is_over: bool,
    /// True if a barrier is broken; always false for watches of a different kind.
    pub is_breached: bool,
}
