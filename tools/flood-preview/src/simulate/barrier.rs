//! Recorder of flow over and under barriers.

use scenario::plan::BarrierPlan;
use thalweg::world::World;

use crate::outcome;

/// Records one barrier.
#[derive(Debug)]
pub(super) struct BarrierRecorder {
    barrier: outcome::BarrierPassage,
}

impl BarrierRecorder {
    /// Creates a recorder for a barrier.
    pub fn new(barrier: &BarrierPlan) -> Self {
        Self {
            barrier: outcome::BarrierPassage {
                name: barrier.name().to_owned(),
                path: barrier.path.iter().map(|at| [at.x, at.y]).collect(),
                length_m: barrier.asked.length_m(),
                crest_m: barrier.asked.crest_range_m(),
                ..outcome::BarrierPassage::default()
            },
        }
    }

    /// Takes a reading.
    pub fn record(&mut self, world: &World) {
        let barrier = &mut self.barrier;
        let Some(flow) = world.structures().barrier_flow(&barrier.name) else { return };
        let time = world.time().seconds();
        barrier.passage.note(time, flow.discharge_m3_s, flow.stage_m);
        if flow.overtopped > 0 {
            barrier.overtopped_s.get_or_insert(time);
        }
        barrier.breached_s = flow.breached_s;
    }

    /// Returns the record of the barrier.
    pub fn finish(self) -> outcome::BarrierPassage {
        self.barrier
    }
}
