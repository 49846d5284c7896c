//! Changes of actions and of their ways back.

use crate::world::Link;
use crate::world::actions::conditions::ConditionRecord;
use crate::world::actions::inflow::InflowRecord;
use crate::world::actions::packed_amounts::{Amounts, POINT_BYTES};
use crate::world::actions::tile_amounts::volume_of;
use crate::world::actions::weather::WeatherRecord;
use crate::world::stacks::StackRecord;
use crate::world::structures::PlacedBarrier;
use thalweg_engine::sim::edits::{CellMovement, TileCells};
use thalweg_engine::structure::{Barrier, LinkState, Opening};
use thalweg_engine::terrain::{EditPlan, Shape};
use thalweg_engine::units::Volume;

/// Bytes of a change in addition to its lists.
const CHANGE_BYTES: usize = 128;

/// Points that a structure counts for in addition to its lists: names, sections and numbers.
const STRUCTURE_POINTS: usize = 64;

/// Change to carry out.
#[derive(Debug, Clone)]
pub(super) enum WorldChange {
    Cells(CellsRecord),
    Push {
        area: Shape,
        by_m_s: [f64; 2],
    },
    Terrain(EditPlan),
    Barrier {
        name: String,
        placed: Option<Box<PlacedBarrier>>,
    },
    /// `number` is that of the action: a different link may have it by the time of an undo.
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

/// Change of the water of cells, or of its content: before it is made, and the way back from it.
#[derive(Debug, Clone)]
pub(super) struct CellsRecord {
    pub movement: CellMovement,
    /// Whether the change is subtracted from the side on which the opposite change was booked.
    pub is_undo: bool,
    pub amounts: Amounts,
    /// Volume requested, vertical units × finest cells; of a content, 2⁻²⁴ of them.
    pub asked: Volume,
}

impl CellsRecord {
    /// Returns a first change of these cells, which moves all of their volume.
    pub fn of(movement: CellMovement, tiles: Vec<TileCells>) -> Self {
        let asked = volume_of(movement, &tiles);
        Self { movement, is_undo: false, amounts: Amounts::Listed(tiles), asked }
    }

    /// Returns the volume that enters the world with all of the requested volume.
    pub fn volume(&self) -> Volume {
        if self.movement == CellMovement::Draw { -self.asked } else { self.asked }
    }

    /// Returns true if its volumes are of a content.
    pub fn is_of_content(&self) -> bool {
        matches!(self.movement, CellMovement::Content(_))
    }

    /// Returns the opposite change.
    pub fn inverse(self) -> Self {
        let is_undo = !self.is_undo;
        let movement = match self.movement {
            CellMovement::Pour => CellMovement::Draw,
            CellMovement::Draw => CellMovement::Pour,
            CellMovement::Content(_) => {
                let mut tiles = self.amounts.into_tiles();
                let contents = tiles.iter_mut().flat_map(|tile| &mut tile.contents).flatten();
                contents.for_each(|content| *content = -*content);
                let amounts = Amounts::Listed(tiles);
                return Self { is_undo, amounts, asked: -self.asked, ..self };
            }
        };
        Self { movement, is_undo, ..self }
    }
}

impl WorldChange {
    /// Returns the amounts of cells of the change, if it is one of cells.
    pub fn amounts(&mut self) -> Option<&mut Amounts> {
        match self {
            Self::Cells(record) => Some(&mut record.amounts),
            _ => None,
        }
    }

    /// Returns the bytes that the change takes as a way back; the same number on every machine.
    pub fn bytes(&self) -> usize {
        let points = |points: usize| POINT_BYTES * points;
        CHANGE_BYTES
            + match self {
                Self::Cells(record) => record.amounts.bytes(),
                Self::Push { area: Shape::Polygon { corners_m }, .. } => points(corners_m.len()),
                Self::Push { .. } => POINT_BYTES,
                Self::Condition(record) => points(record.points()),
                Self::Terrain(plan) => plan.bytes(),
                Self::Barrier { placed, .. } => {
                    placed.as_ref().map_or(0, |placed| points(barrier_points(&placed.barrier)))
                }
                Self::Link { placed, .. } => {
                    points(STRUCTURE_POINTS + placed.as_ref().map_or(0, |(link, _)| curve(link)))
                }
                Self::Inflow(record) => record.bytes(),
                Self::Weather(record) => record.bytes(),
                Self::Stack(record) => record.bytes(),
            }
    }
}

/// Returns the points that a barrier counts for: its line, and the series of its gap and breach.
fn barrier_points(barrier: &Barrier) -> usize {
    let opening = match barrier.gap.as_ref().map(|gap| &gap.opening) {
        Some(Opening::Series(points) | Opening::Rule { points, .. }) => points.len(),
        Some(Opening::Fixed(_)) | None => 0,
    };
    let breach = barrier.breach.as_ref();
    let breach = breach.map_or(0, |breach| breach.width_m.len() + breach.bottom_m.len());
    STRUCTURE_POINTS + 4 * barrier.path_m.len() + opening + breach
}

/// Returns the points of a pump's curve.
fn curve(link: &Link) -> usize {
    match link {
        Link::Pump(pump) => pump.curve.len(),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::{EdgeKind, Gap, Pump};

    /// Goal: each list of a structure counts, so that no list is kept without a count.
    #[test]
    fn lists_count() {
        let list = |count: u32| (0..count).map(|i| (f64::from(i), 1.0)).collect::<Vec<_>>();
        let stage =
            |count| WorldChange::Condition(ConditionRecord::Stage(0, EdgeKind::Stage(list(count))));
        let barrier = |opening: Opening| {
            let mut barrier = Barrier::wall("a", vec![[0.0; 2], [9.0, 0.0]], 3.0);
            barrier.gap = Some(Gap { sill_m: None, opening });
            barrier_points(&barrier) * POINT_BYTES
        };
        let at_m = [1.0, 1.0];
        let pump = |count| {
            let pump = Pump {
                name: "a".to_owned(),
                from: at_m,
                to: None,
                curve: list(count),
                on_stage_m: 1.0,
                off_stage_m: 0.5,
                outlet_m: None,
            };
            let placed = Some((Link::Pump(pump), LinkState::default()));
            WorldChange::Link { name: "a".to_owned(), number: 0, placed }.bytes()
        };
        let cases = [
            [10, 1000].map(|count| stage(count).bytes()),
            [10, 1000].map(|count| barrier(Opening::Series(list(count)))),
            [10, 1000].map(|count| barrier(Opening::Rule { at_m, points: list(count) })),
            [10, 1000].map(pump),
        ];
        for [few, many] in cases {
            assert_eq!(many - few, 990 * POINT_BYTES);
        }
    }
}
