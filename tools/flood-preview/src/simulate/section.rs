//! Recorders of the water that passes sections and edges.

use kit::error::UserError;
use scenario::place::{EntryPlace, MapSide};
use scenario::plan::{EdgeCondition, Plan};
use thalweg::world::World;

use crate::outcome;

/// Puts the sections of a plan into its world.
///
/// # Errors
///
/// If a line is on `NoData`, or within one cell.
pub(super) fn put(world: &mut World, plan: &Plan) -> Result<(), UserError> {
    let refused = |error: thalweg::world::SectionError| UserError::from_sentence(error.to_string());
    let mut asked = plan.sections.iter().map(|section| section.asked.clone());
    asked.try_for_each(|asked| world.put_section(asked).map_err(refused))
}

/// Records the sections and edges of a run.
#[derive(Debug)]
pub(super) struct SectionRecorder {
    sections: Vec<outcome::SectionRecord>,
    edges: Vec<outcome::SectionRecord>,
}

impl SectionRecorder {
    /// Creates a recorder for a plan.
    pub fn new(plan: &Plan) -> Self {
        let sections = plan.sections.iter().map(|section| outcome::SectionRecord {
            name: section.asked.name.clone(),
            path: section.path.iter().map(|at| [at.x, at.y]).collect(),
            ..outcome::SectionRecord::default()
        });
        let open = plan.edges.iter().filter(|edge| edge.kind != EdgeCondition::Wall);
        let rivers = plan.inflows.iter();
        let rivers = rivers.filter(|inflow| matches!(inflow.place, EntryPlace::Edge { .. }));
        let names = open.map(|edge| &edge.name).chain(rivers.map(|inflow| &inflow.name));
        let mut edges: Vec<outcome::SectionRecord> = Vec::new();
        for name in names {
            // Parts of several sides may share an account.
            if edges.iter().all(|edge| edge.name != *name) {
                edges.push(outcome::SectionRecord { name: name.clone(), ..Default::default() });
            }
        }
        Self { sections: sections.collect(), edges }
    }

    /// Takes a reading.
    #[expect(clippy::cast_precision_loss, reason = "volumes to read; the sums are exact")]
    pub fn record(&mut self, world: &World) {
        let time_s = world.time().seconds();
        let m3 = |units: i128| units as f64 * world.water().unit_m3();
        for (own, read) in self.sections.iter_mut().zip(world.sections()) {
            own.note(time_s, m3(read.net()), read.stage_m);
            own.ways_m3 = [m3(read.to_right), m3(read.to_left)];
        }
        let accounts = world.water().ledger().accounts();
        for own in &mut self.edges {
            let account = accounts.iter().find(|account| account.name == own.name);
            let [out, into] = account.map_or([0; 2], |account| [account.out, account.into]);
            own.note(time_s, m3(out - into), None);
            own.ways_m3 = [m3(out), m3(into)];
        }
    }

    /// Returns the records of the sections and of the edges. Edges of `NoData` that no water
    /// crossed are left out: they have nothing to show, and most maps lack such edges.
    pub fn finish(mut self) -> (Vec<outcome::SectionRecord>, Vec<outcome::SectionRecord>) {
        self.sections
            .iter_mut()
            .chain(&mut self.edges)
            .for_each(outcome::SectionRecord::join_short_end);
        let inside = MapSide::ALL.into_iter().filter(|side| !side.is_of_frame());
        let inside: Vec<String> = inside.map(|side| format!("{side} edge")).collect();
        let is_crossed = |edge: &outcome::SectionRecord| edge.ways_m3.iter().any(|way| *way > 0.0);
        self.edges.retain(|edge| !inside.contains(&edge.name) || is_crossed(edge));
        (self.sections, self.edges)
    }
}
