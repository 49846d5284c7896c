//! Inflows near an open edge: the edge is a wall behind them, so that their water flows inward.
//!
//! ```text
//!   edge ──┬──────┬──        banks: the ends of a valley's section along the edge
//!          │  ~~  │          an inflow whose middle lies between them, near the edge, and that is
//!          │ ~in~ │          no wider: the edge is a wall there, unless the ground is seen to fall
//!          │      │          towards it
//! ```
//!
//! Near is within 16 cells of the map or 4 of the simulation, and within a quarter of the map: in a
//! short channel both ends are near.
//!
//! Guarantees: follows from the inflows alone, which are part of the state.
//! Limits:     on ground without banks within 128 cells water leaves beside an inflow as anywhere
//!             else, and so it does in a level channel that is wider; an inflow with less than a
//!             tenth of the largest one's peak shuts no edge, as it may enter near an outlet.
//! Source:     own.

use crate::world::falls::ValleyMouth;
use thalweg_engine::grid::cells::{CellPlace, TILE_WIDTH_U32};
use thalweg_engine::grid::{Axis, TileKey};
use thalweg_engine::structure::inflow::CellInflow;

/// Cells of the map, and of the base level, from the edge: a source that a user puts at the edge of
/// a map is moved a few cells onto it, and spreads over a few more.
const NEAR: u32 = 16;
const NEAR_BASE: u32 = 4;
/// Part of a small map.
const PART: u32 = 4;
/// Part of the largest peak from which an inflow is a river.
const LEAST: f64 = 0.1;

/// The south-west and north-east cell of each inflow that counts, on the base level.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Fed(Vec<[CellPlace; 2]>);

impl Fed {
    /// Returns the rivers among some inflows.
    pub fn of(inflows: &[CellInflow]) -> Self {
        let peak = |inflow: &CellInflow| inflow.points.iter().map(|at| at.1).fold(0.0, f64::max);
        let largest = inflows.iter().map(peak).fold(0.0, f64::max);
        let is_river = |inflow: &&CellInflow| largest > 0.0 && peak(inflow) >= LEAST * largest;
        let corners = |inflow: &CellInflow| {
            let mut cells = inflow.cells.iter().copied();
            let first = cells.next()?;
            Some(cells.fold([first; 2], |[low, high], CellPlace { x, y }| {
                [
                    CellPlace { x: low.x.min(x), y: low.y.min(y) },
                    CellPlace { x: high.x.max(x), y: high.y.max(y) },
                ]
            }))
        };
        Self(inflows.iter().filter(is_river).filter_map(corners).collect())
    }

    /// Whether an inflow enters at the end of a valley; the map has this base level and this size
    /// in finest cells.
    pub fn is_at(
        &self,
        ValleyMouth { side, lines: [first, last], ends: [from, to] }: ValleyMouth,
        (base, (width, height)): (u8, (usize, usize)),
    ) -> bool {
        let size = if side.axis() == Axis::X { width } else { height };
        let quarter = u32::try_from(size.div_ceil(PART as usize)).unwrap_or(u32::MAX);
        let near = NEAR.max(NEAR_BASE << base).min(quarter);
        self.0.iter().any(|&[low, high]| {
            let (across, along) = match side.axis() {
                Axis::X => ([low.x, high.x], [low.y, high.y]),
                Axis::Y => ([low.y, high.y], [low.x, high.x]),
            };
            // Twice the middle, in finest cells, so that halves count.
            let twice = |[low, high]: [u32; 2]| (low + high + 1) << base;
            let is_between = (2 * from..2 * (to + 1)).contains(&twice(along));
            let middle = twice(across);
            let away = middle.abs_diff(middle.clamp(2 * first + 1, 2 * last + 1));
            let is_near = away < 2 * near;
            // An inflow at a point is spread over a few cells: up to NEAR_BASE cells beyond its
            // valley do not make it wider.
            let is_wider = (along[1] - along[0]) << base > to - from + (NEAR_BASE << base);
            is_between && is_near && !is_wider
        })
    }

    /// Whether faces of a leaf may become walls or cease to be walls if these inflows change to
    /// `others`; `reach` is the distance, in finest cells, that falls read along an edge.
    pub fn touches(&self, others: &Self, (leaf, base): (TileKey, u8), reach: u32) -> bool {
        let width = TILE_WIDTH_U32 << leaf.level;
        let near = |at: u32, [low, high]: [u32; 2]| {
            let from = at * width;
            low << base < from.saturating_add(width + reach)
                && from < ((high + 1) << base).saturating_add(reach)
        };
        let gone = self.0.iter().filter(|own| !others.0.contains(own));
        let mut changed = gone.chain(others.0.iter().filter(|own| !self.0.contains(own)));
        changed.any(|[low, high]| near(leaf.x, [low.x, high.x]) && near(leaf.y, [low.y, high.y]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use thalweg_engine::grid::Side;

    const MAP: (usize, usize) = (100, 100);

    fn inflow([x, y]: [u32; 2], size: u32, peak: f64) -> CellInflow {
        let row = |y: u32| (x..x + size).map(move |x| CellPlace { x, y });
        let cells = (y..y + size).flat_map(row).collect();
        CellInflow { name: "river".into(), points: vec![(0.0, 0.0), (9.0, peak)], cells }
    }

    /// Returns the end of a valley, of one column or row.
    fn mouth(side: Side, line: u32, ends: [u32; 2]) -> ValleyMouth {
        ValleyMouth { side, lines: [line; 2], ends }
    }

    fn fed(x: u32, y: u32) -> Fed {
        Fed::of(&[inflow([x, y], 1, 5.0)])
    }

    /// Goal: an inflow counts within 16 finest cells of the edge, four of the base level, or a
    /// quarter of the map, and between the banks, on each side and at each level.
    #[test]
    fn an_inflow_counts_near_the_edge_between_the_banks() {
        for (side, line, near, far) in [
            (Side::West, 0, (15, 40), (16, 40)),
            (Side::East, 99, (84, 40), (83, 40)),
            (Side::South, 0, (40, 15), (40, 16)),
            (Side::North, 99, (40, 84), (40, 83)),
        ] {
            for (x, y) in [near, far] {
                let is_near = (x, y) == near;
                assert_eq!(
                    fed(x, y).is_at(mouth(side, line, [30, 40]), (0, MAP)),
                    is_near,
                    "{side:?}: {x}, {y}"
                );
                assert!(
                    !fed(x, y).is_at(mouth(side, line, [41, 60]), (0, MAP)),
                    "{side:?}: beyond the bank"
                );
            }
        }
        assert!(fed(3, 10).is_at(mouth(Side::West, 0, [40, 43]), (2, MAP)));
        assert!(!fed(4, 10).is_at(mouth(Side::West, 0, [40, 43]), (2, MAP)));
        assert!(
            fed(3, 5).is_at(mouth(Side::West, 0, [40, 47]), (3, (400, 100))),
            "four base cells"
        );
        assert!(!fed(4, 5).is_at(mouth(Side::West, 0, [40, 47]), (3, (400, 100))));
        assert!(!Fed::default().is_at(mouth(Side::West, 0, [0, 99]), (0, MAP)));
        let short = (20, 100);
        assert!(fed(4, 40).is_at(mouth(Side::West, 0, [30, 40]), (0, short)));
        assert!(!fed(5, 40).is_at(mouth(Side::West, 0, [30, 40]), (0, short)));
        assert!(!fed(10, 40).is_at(mouth(Side::East, 19, [30, 40]), (0, short)));
    }

    /// Goal: an inflow over more than a valley, an inflow without water and a small inflow beside a
    /// large one enter at no edge.
    #[test]
    fn an_inflow_that_is_no_river_comes_in_nowhere() {
        let is_at = |inflows: &[CellInflow], west: u32| {
            Fed::of(inflows).is_at(mouth(Side::South, 0, [west, west + 9]), (0, MAP))
        };
        assert!(is_at(&[inflow([0, 0], 10, 5.0)], 0));
        assert!(!is_at(&[inflow([0, 0], 16, 5.0)], 0), "six cells wider");
        assert!(!is_at(&[inflow([0, 0], 90, 5.0)], 40), "all of the map");
        assert!(!is_at(&[inflow([4, 4], 1, 0.0)], 0), "no water");
        let [river, brook] = [inflow([50, 4], 1, 5.0), inflow([4, 4], 1, 0.4)];
        assert!(is_at(&[river.clone(), brook.clone()], 45));
        assert!(!is_at(&[river.clone(), brook], 0), "a brook");
        assert!(is_at(&[river, inflow([4, 4], 1, 0.6)], 0));
    }
}
