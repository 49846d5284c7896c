//! Actions of a script as commands to the world.

use super::ScriptCommand;
use crate::session::ViewerCommand;
use thalweg::terrain::{Edit, Shape};
use thalweg::world::{Action, Amount, Barrier, Discharge, Inflow, InflowPlace};

/// Share of a brush's radius over which it fades out.
const SOFT: f64 = 0.4;

/// Tracer that commands colour water with.
pub const DYE: &str = "dye";

fn disc(centre_m: [f64; 2], radius_m: f64) -> Shape {
    Shape::Disc { centre_m, radius_m, rim_m: SOFT * radius_m }
}

impl ScriptCommand {
    /// Converts the action to a command to the world; `number` is unique among all commands.
    #[must_use]
    pub fn to_session(&self, number: u64) -> ViewerCommand {
        let action = match *self {
            Self::Water { at, radius_m, depth_m } => {
                Action::AddWater { area: disc(at, radius_m), amount: Amount::DepthM(depth_m) }
            }
            Self::Drain { at, radius_m } => {
                Action::RemoveWater { area: disc(at, radius_m), amount: Amount::DepthM(1e3) }
            }
            Self::Raise { at, radius_m, by_m } => {
                let shape = disc(at, radius_m);
                Action::EditTerrain(if by_m < 0.0 {
                    Edit::Lower { shape, by_m: -by_m }
                } else {
                    Edit::Raise { shape, by_m }
                })
            }
            Self::Dam { ref points, crest_m } => {
                let name = format!("dam {number}");
                Action::PutBarrier(Barrier::wall(&name, points.clone(), crest_m))
            }
            Self::Source { at, discharge_m3_s } => Action::PutInflow(Inflow {
                name: format!("source {number}"),
                place: InflowPlace::Point(at),
                discharge: Discharge::Constant(discharge_m3_s),
                tracers: Vec::new(),
            }),
            Self::Dye { at, radius_m } => Action::ColourWater {
                area: disc(at, radius_m),
                tracer: DYE.to_owned(),
                concentration: 1.0,
            },
            Self::Gauge { at } => return ViewerCommand::PutGauge { at_m: at },
            Self::Crate { at, width_m } => {
                return ViewerCommand::DropCrate { at_m: at, width_m, stroke: number };
            }
            Self::Inspect { at } => return ViewerCommand::Inspect(Some(at)),
            Self::Undo {} => return ViewerCommand::Undo,
        };
        ViewerCommand::Act { action: Box::new(action), stroke: number }
    }
}
