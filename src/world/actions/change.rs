//! Changes of actions, and of their ways back.

use crate::sim::ledger::AccountSide;
use crate::structure::LinkState;
use crate::terrain::{EditPlan, Shape};
use crate::units::Volume;
use crate::world::Link;
use crate::world::actions::conditions::ConditionRecord;
use crate::world::actions::inflow::InflowRecord;
use crate::world::actions::packed_amounts::{Amounts, POINT_BYTES};
use crate::world::actions::weather::WeatherRecord;
use crate::world::stacks::StackRecord;
use crate::world::structures::PlacedBarrier;

/// Bytes of a change beside what is counted of it.
const CHANGE_BYTES: usize = 128;

/// Points that a structure counts for, at least: sections, curves and rules.
const STRUCTURE_POINTS: usize = 64;

/// Change to carry out.
#[derive(Debug, Clone)]
pub(super) enum What {
    Water(WaterRecord),
    Concentration(ConcentrationRecord),
    Push {
        area: Shape,
        by_m_s: [f64; 2],
    },
    Terrain(EditPlan),
    Barrier {
        name: String,
        placed: Option<Box<PlacedBarrier>>,
    },
    /// `number` is that of the action: another link may have it by the time of an undo.
    Link {
        name: String,
        number: u32,
        placed: Option<(Link, LinkState)>,
    },
    Inflow(InflowRecord),
    Weather(WeatherRecord),
    Condition(ConditionRecord),
    Stack(StackRecord),
}

/// Water to be moved, or that was.
#[derive(Debug, Clone)]
pub(super) struct WaterRecord {
    /// Where it is booked, or taken off again.
    pub side: AccountSide,
    /// Into the cells; else out of them.
    pub pours: bool,
    pub tile_amounts: Amounts,
    /// All that is wanted, vertical units × finest cells.
    pub asked: Volume,
}

/// Content to be changed, or that was.
#[derive(Debug, Clone)]
pub(super) struct ConcentrationRecord {
    pub tracer: usize,
    pub tile_amounts: Amounts,
    /// Whether the change takes off a booked volume.
    pub is_undo: bool,
}

impl What {
    /// Amounts of cells that the change has, if it is one of water or of a tracer.
    pub fn amounts(&mut self) -> Option<&mut Amounts> {
        match self {
            Self::Water(record) => Some(&mut record.tile_amounts),
            Self::Concentration(record) => Some(&mut record.tile_amounts),
            _ => None,
        }
    }

    /// Bytes that the change takes as a way back; the same number on every machine.
    pub fn bytes(&self) -> usize {
        let points = |points: usize| POINT_BYTES * points;
        CHANGE_BYTES
            + match self {
                Self::Water(record) => record.tile_amounts.bytes(),
                Self::Concentration(record) => record.tile_amounts.bytes(),
                Self::Push { area: Shape::Polygon { corners_m }, .. } => points(corners_m.len()),
                Self::Push { .. } | Self::Condition(_) => POINT_BYTES,
                Self::Terrain(plan) => plan.bytes(),
                Self::Barrier { placed, .. } => placed
                    .as_ref()
                    .map_or(0, |placed| points(4 * placed.barrier.path_m.len() + STRUCTURE_POINTS)),
                Self::Link { .. } => points(STRUCTURE_POINTS),
                Self::Inflow(record) => record.bytes(),
                Self::Weather(record) => record.bytes(),
                Self::Stack(record) => record.bytes(),
            }
    }
}
