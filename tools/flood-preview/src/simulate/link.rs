//! Recorder of flow through culverts, pumps and drains.

use scenario::plan::LinkPlan;
use thalweg::structure::Course;
use thalweg::world::World;

use crate::outcome;

/// Records one link.
#[derive(Debug)]
pub(super) struct LinkRecorder {
    link: outcome::LinkPassage,
    has_barrel: bool,
}

impl LinkRecorder {
    /// Creates a recorder for a link.
    pub fn new(link: &LinkPlan) -> Self {
        Self {
            link: outcome::LinkPassage {
                kind: link.kind(),
                name: link.name().to_owned(),
                path: link.path.iter().map(|at| [at.x, at.y]).collect(),
                ..outcome::LinkPassage::default()
            },
            has_barrel: link.has_barrel(),
        }
    }

    /// Takes a reading.
    pub fn record(&mut self, world: &World) {
        let link = &mut self.link;
        let Some(flow) = world.structures().link_flow(&link.name) else { return };
        let (time, discharge) = (world.time().seconds(), flow.discharge_m3_s);
        link.passage.note(time, discharge, [Some(flow.from_stage_m), flow.to_stage_m]);
        if flow.course != Course::Dry {
            link.began_s.get_or_insert(time);
        }
        // A pump is full whenever it runs.
        if flow.course == Course::Full && self.has_barrel {
            link.full_s.get_or_insert(time);
        }
    }

    /// Returns the record of the link.
    pub fn finish(self) -> outcome::LinkPassage {
        self.link
    }
}
