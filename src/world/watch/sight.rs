//! The world as watches see it: the place of a watched thing, and its side of the threshold.

use crate::probe::Query;
use crate::probe::kept::{AreaCells, LeafAt};
use crate::world::cells::WorldCells;
use crate::world::watch::event::{EventKind, Watched};
use crate::world::watch::request::Watch;
use std::collections::BTreeSet;
use thalweg_engine::forest::Forest;
use thalweg_engine::structure::Barrier;
use thalweg_engine::units::SimTime;

/// A world between two cycles.
#[derive(Debug, Clone, Copy)]
pub(in crate::world) struct WatchSight<'a> {
    pub cells: WorldCells<'a>,
    pub query: Query<'a>,
    pub barriers: &'a [Barrier],
}

/// Place of a watched thing.
#[derive(Debug, Clone)]
pub(in crate::world) enum WatchTarget {
    /// A point.
    Point,
    /// A footprint.
    Area(AreaCells),
    /// The index of a barrier, if it exists, and its faces.
    Barrier(Option<usize>, Vec<u32>),
}

/// Reading of a watch.
#[derive(Debug, Clone, Copy)]
pub(in crate::world) struct WatchReading {
    is_over: bool,
    /// Depth or stage, m.
    value_m: Option<f64>,
    /// Time at which the breach of a barrier began.
    breach: Option<SimTime>,
}

impl WatchTarget {
    /// Finds the same leaves again in a forest; returns false if one is gone, and for barriers,
    /// whose faces must be found anew.
    pub fn find_again(&mut self, forest: &Forest) -> bool {
        match self {
            Self::Point => true,
            Self::Area(area) => area.find_again(forest),
            Self::Barrier(..) => false,
        }
    }
}

/// Returns true if a value is at a threshold or above, or was and is no further below it than the
/// hysteresis.
fn is_over(value_m: f64, (threshold_m, hysteresis_m): (f64, f64), was_over: bool) -> bool {
    value_m >= if was_over { threshold_m - hysteresis_m } else { threshold_m }
}

impl WatchSight<'_> {
    /// Finds the place of a watch, and the leaves that its reading depends on; `None` without
    /// ground.
    pub fn find(&self, watch: &Watch) -> Option<(WatchTarget, Vec<LeafAt>)> {
        match watch {
            Watch::Place { at_m, .. } | Watch::Gauge { at_m, .. } => {
                Some((WatchTarget::Point, self.query.keep_point(*at_m)?))
            }
            Watch::Footprint { corners_m, .. } => {
                let closing = usize::from(corners_m.first() == corners_m.last());
                let corners_m = &corners_m[..corners_m.len() - closing];
                let (area, leaves) = self.query.keep_area(corners_m)?;
                Some((WatchTarget::Area(area), leaves))
            }
            Watch::Barrier { name, .. } => Some(self.find_barrier(name)),
        }
    }

    fn find_barrier(&self, name: &str) -> (WatchTarget, Vec<LeafAt>) {
        let index = self.barriers.iter().position(|barrier| barrier.name == *name);
        let (mut faces, mut leaves) = (Vec::new(), BTreeSet::new());
        for (at, face) in (0..).zip(self.cells.simulation.barriers().faces()) {
            if Some(face.barrier) == index {
                faces.push(at);
                leaves.extend([face.before.0, face.behind.0]);
            }
        }
        let keys = self.cells.simulation.forest().leaves();
        let leaves = leaves.into_iter().map(|id| LeafAt { key: keys[id], id });
        (WatchTarget::Barrier(index, faces), leaves.collect())
    }

    /// Returns the time at which the breach of a barrier began; `None` if the target is not a
    /// barrier.
    pub fn breach(&self, target: &WatchTarget) -> Option<SimTime> {
        let WatchTarget::Barrier(Some(index), _) = target else { return None };
        self.cells.simulation.barriers().all()[*index].state.begun
    }

    /// Reads a watched thing that was on this side of its threshold.
    pub fn read(&self, watch: &Watch, target: &WatchTarget, was: Watched) -> WatchReading {
        let mut reading =
            WatchReading { is_over: false, value_m: None, breach: self.breach(target) };
        match (watch, target) {
            (Watch::Place { at_m, depth_m, hysteresis_m }, _) => {
                let depth = self.query.depth_and_stage_m(*at_m).map_or(0.0, |(depth, _)| depth);
                reading.value_m = Some(depth);
                reading.is_over = is_over(depth, (*depth_m, *hysteresis_m), was.is_over);
            }
            (Watch::Gauge { at_m, stage_m, hysteresis_m }, _) => {
                let stage = self.query.depth_and_stage_m(*at_m).and_then(|(_, stage)| stage);
                reading.value_m = stage;
                let at = (*stage_m, *hysteresis_m);
                reading.is_over = stage.is_some_and(|stage| is_over(stage, at, was.is_over));
            }
            (Watch::Footprint { depth_m, hysteresis_m, .. }, WatchTarget::Area(area)) => {
                let depth = self.query.depth_max_m(area);
                reading.value_m = Some(depth);
                reading.is_over = is_over(depth, (*depth_m, *hysteresis_m), was.is_over);
            }
            (Watch::Barrier { hysteresis_m, .. }, WatchTarget::Barrier(_, faces)) => {
                let below = self.cells.scale().depth_units(*hysteresis_m).unwrap_or(i32::MAX);
                let below = if was.is_over { below } else { 0 };
                let simulation = self.cells.simulation;
                let (barriers, leaves) = (simulation.barriers(), simulation.leaves());
                let mut faces = faces.iter().map(|&face| barriers.face(face));
                reading.is_over = faces.any(|face| face.is_overtopped(leaves, below));
            }
            (Watch::Footprint { .. } | Watch::Barrier { .. }, _) => {
                unreachable!("a watch finds what is of its kind")
            }
        }
        reading
    }
}

impl WatchReading {
    /// Returns the side of the threshold.
    pub fn watched(&self) -> Watched {
        Watched { is_over: self.is_over, is_breached: self.breach.is_some() }
    }

    /// Returns the changes since the watch was on a side, breaches first.
    pub fn events(&self, watch: &Watch, was: Watched) -> impl Iterator<Item = EventKind> {
        let breach = (was.is_breached != self.breach.is_some()).then_some(match self.breach {
            Some(began) => EventKind::Breached { began },
            None => EventKind::Restored,
        });
        let (value_m, is_over) = (self.value_m, self.is_over);
        let depth_m = value_m.unwrap_or(0.0);
        let passed = (was.is_over != is_over).then_some(match watch {
            Watch::Place { .. } if is_over => EventKind::Wetted { depth_m },
            Watch::Place { .. } => EventKind::Dried { depth_m },
            Watch::Gauge { stage_m, .. } if is_over => {
                EventKind::Rose { stage_m: value_m.unwrap_or(*stage_m) }
            }
            Watch::Gauge { .. } => EventKind::Fell { stage_m: value_m },
            Watch::Footprint { .. } if is_over => EventKind::Flooded { depth_m },
            Watch::Footprint { .. } => EventKind::Drained { depth_m },
            Watch::Barrier { .. } if is_over => EventKind::Overtopped,
            Watch::Barrier { .. } => EventKind::Contained,
        });
        breach.into_iter().chain(passed)
    }
}
