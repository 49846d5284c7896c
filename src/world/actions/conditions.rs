//! Conditions of the whole world that change while it runs: wind, the stage of an edge, and the
//! roughness of a class of cells.

use crate::world::actions::inflow::from_now;
use crate::world::edges::EdgeKind;
use crate::world::{ActionError, Structures, StructuresMut, World, WorldError};
use serde::{Deserialize, Serialize};
use thalweg_engine::sim::edits::SimulationEdit;
use thalweg_engine::sim::settings::Settings;
use thalweg_engine::structure::{Fault, StructureKind};

/// Stage of an edge from now on, m above the map's datum.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Stage {
    /// A constant stage for ever.
    Constant(f64),
    /// Seconds from now and stages, straight lines between the points; the first stage applies
    /// until the first point, and the last one for ever.
    Series(Vec<(f64, f64)>),
}

/// A condition: the state that a change leads to.
#[derive(Debug, Clone)]
pub(super) enum ConditionRecord {
    /// Velocity of the wind, m/s.
    Wind([f64; 2]),
    /// Number of an edge, and seconds from the beginning and stages.
    Stage(usize, EdgeKind),
    /// Manning's n of a class.
    Roughness(usize, f64),
}

impl ConditionRecord {
    /// Returns the points that the condition counts for.
    pub(super) fn points(&self) -> usize {
        match self {
            Self::Stage(_, EdgeKind::Stage(points)) => points.len(),
            Self::Wind(_) | Self::Stage(..) | Self::Roughness(..) => 1,
        }
    }
}

impl Structures<'_> {
    /// Checks the wind of a request.
    pub(super) fn to_blow(self, wind_m_s: [f64; 2]) -> Result<ConditionRecord, ActionError> {
        let mut settings = self.world.settings().clone();
        settings.terms.wind_m_s = wind_m_s;
        check(&settings)?;
        Ok(ConditionRecord::Wind(wind_m_s))
    }

    /// Checks the stage of a request at an edge.
    pub(super) fn to_stage(
        self,
        name: &str,
        stage: &Stage,
    ) -> Result<ConditionRecord, ActionError> {
        let World { setup, site, .. } = self.world;
        let error = |fault| ActionError::from(StructureKind::Boundary.error(name, fault));
        let has_stage = |kind: &EdgeKind| matches!(kind, EdgeKind::Stage(_));
        let mut found = setup.edges.iter().enumerate().filter(|(_, edge)| edge.name == name);
        let (number, edge) = found.next().ok_or_else(|| {
            let known = setup.edges.iter().filter(|edge| has_stage(&edge.kind));
            error(Fault::Unknown { known: known.map(|edge| edge.name.clone()).collect() })
        })?;
        if found.next().is_some() {
            return Err(error(Fault::Name));
        }
        if !has_stage(&edge.kind) {
            let mend = "it has no stage: build the world with EdgeKind::Stage there";
            return Err(error(Fault::Other(mend.to_owned())));
        }
        let points = match stage {
            Stage::Constant(stage_m) => vec![(0.0, *stage_m)],
            Stage::Series(points) => {
                let what = "a time of the stage, s from now,";
                from_now(what, points, self.world.time().seconds())?
            }
        };
        let kind = EdgeKind::Stage(points);
        site.check_edge(number, &kind).map_err(|reason| match reason {
            WorldError::Structure(reason) => ActionError::Structure(reason),
            WorldError::Stage { reason, .. } => ActionError::Stage(reason),
            reason => error(Fault::Other(reason.to_string())),
        })?;
        Ok(ConditionRecord::Stage(number, kind))
    }

    /// Checks the roughness of a request.
    pub(super) fn to_roughen(self, class: u8, n: f64) -> Result<ConditionRecord, ActionError> {
        let mut settings = self.world.settings().clone();
        let classes = settings.manning_n.len();
        let Some(own) = settings.manning_n.get_mut(usize::from(class)) else {
            let (what, high) = ("the class of roughness", (classes - 1) as f64);
            return Err(ActionError::Number { what, value: f64::from(class), low: 0.0, high });
        };
        *own = n;
        check(&settings)?;
        Ok(ConditionRecord::Roughness(class.into(), n))
    }
}

fn check(settings: &Settings) -> Result<(), ActionError> {
    settings.check().map_err(ActionError::Settings)
}

impl StructuresMut<'_> {
    /// Changes a condition to the state of a record; returns the earlier state.
    pub(super) fn set_condition(&mut self, record: ConditionRecord) -> ConditionRecord {
        let World { simulation, setup, site, .. } = &mut *self.world;
        match record {
            ConditionRecord::Wind(wind_m_s) => ConditionRecord::Wind(simulation.edit_repeatably(
                0,
                wind_m_s,
                |edit, wind_m_s| edit.set_wind(wind_m_s),
            )),
            ConditionRecord::Stage(number, kind) => {
                let edge = &mut setup.edges[number];
                let before = std::mem::replace(&mut edge.kind, kind.clone());
                if let Some((index, law)) = site.set_edge(number, kind) {
                    let bytes = law.bytes();
                    simulation
                        .edit_repeatably(bytes, law, move |edit, law| edit.set_law(index, law));
                    if site.follow_stages() {
                        // The sea of a stage continues along the rim and along outlines, so faces
                        // of any leaf may be at a different sea now.
                        simulation.renew_falls(|_| true, &*site);
                    }
                }
                ConditionRecord::Stage(number, before)
            }
            ConditionRecord::Roughness(class, n) => {
                let set = |edit: &mut SimulationEdit<'_>, (class, n)| edit.set_roughness(class, n);
                ConditionRecord::Roughness(class, simulation.edit_repeatably(0, (class, n), set))
            }
        }
    }
}
