//! Events: changes of which a game is told.

use crate::world::watch::request::WatchId;
use serde::{Deserialize, Serialize};
use thalweg_engine::units::SimTime;

/// Something that was watched has changed sides of its threshold.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// Which watch tells it.
    pub watch: WatchId,
    /// End of the cycle in which it was seen.
    pub at: SimTime,
    /// The change.
    pub what: EventKind,
}

/// Change of something that is watched.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", rename_all_fields = "kebab-case")]
#[non_exhaustive]
pub enum EventKind {
    /// A place got wet.
    Wetted {
        /// Depth, m.
        depth_m: f64,
    },
    /// A place fell dry.
    Dried {
        /// Depth, m: less than the threshold by more than the hysteresis.
        depth_m: f64,
    },
    /// A gauge reached its stage.
    Rose {
        /// Stage, m.
        stage_m: f64,
    },
    /// A gauge fell below its stage.
    Fell {
        /// Stage, m; `None` where it is dry.
        stage_m: Option<f64>,
    },
    /// A footprint reached its depth.
    Flooded {
        /// Largest depth, m.
        depth_m: f64,
    },
    /// A footprint fell below its depth.
    Drained {
        /// Largest depth, m.
        depth_m: f64,
    },
    /// Water stands over the crest of a barrier.
    Overtopped,
    /// Water stands over the crest of a barrier no more.
    Contained,
    /// A barrier breaks.
    Breached {
        /// When its breach began.
        began: SimTime,
    },
    /// A barrier that was broken is whole: it was put anew, taken away, or its breach undone.
    Restored,
}

/// Side of its threshold on which a watch has seen what it watches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Watched {
    /// Wet, at its stage or above, flooded or overtopped.
    pub is_over: bool,
    /// A barrier is broken; of other watches never.
    pub is_breached: bool,
}
