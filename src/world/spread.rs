//! The number of cells over which an inflow at a point enters.
//!
//! A discharge Q that rises in a square of side B leaves it as critical flow over its outline. Its
//! head stays small beside its width, as shallow water needs, from the B on at which the critical
//! depth is a tenth of it:
//!
//! ```text
//! h_c = (q² / g)^(1/3),  q = Q / (4 B),  h_c ≤ B / 10    ⟺    10⁶ Q⁴ ≤ 256 g² B¹⁰,   B² = n Δ²
//! ```
//!
//! The n cells are those nearest to the point that water from there reaches: across sides, over no
//! barrier, on no ground higher than the point's by more than the head of the flow.
//!
//! Guarantees: the same cells on every machine; the first is that of the point.
//! Limits:     in a hollow with fewer cells within reach, only these cells are used.
//! Source:     own.

use crate::world::Barrier;
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};
use thalweg_engine::grid::cells::CellPlace;
use thalweg_engine::structure::inflow::{CELLS_MOST, CellInflow};
use thalweg_engine::structure::path::cuts;
use thalweg_engine::units::VerticalScale;

/// Distance from the point within which cells are searched, in sides of the square.
const REACH: f64 = 3.0;

/// Surroundings over which an inflow at a point spreads.
pub(super) struct InflowSurroundings<'a> {
    /// Width of a cell, m.
    pub cell_width_m: f64,
    /// Vertical unit.
    pub scale: VerticalScale,
    /// m/s².
    pub gravity: f64,
    /// The lowest bed of a cell of the base level, vertical units; `None` if it has no bed.
    pub bed: &'a dyn Fn(CellPlace) -> Option<i32>,
    /// Barriers of the world.
    pub barriers: &'a [Barrier],
}

impl InflowSurroundings<'_> {
    /// Spreads a source at a point over as many cells as its largest discharge needs.
    pub fn spread(&self, source: &mut CellInflow) {
        let &[point] = &source.cells[..] else { return };
        let largest = source.points.iter().map(|point| point.1).fold(0.0, f64::max);
        if let Some(bed) = (self.bed)(point) {
            source.cells = self.around(point, bed, largest);
        }
    }

    /// Returns the number of cells that a discharge needs.
    fn count(&self, discharge: f64) -> usize {
        // Products round alike on every machine; powers of the mathematics library do not.
        let fourth = |x: f64| (x * x) * (x * x);
        let square_m2 = self.cell_width_m * self.cell_width_m;
        let needed = 1.0e6 * fourth(discharge) / (256.0 * self.gravity * self.gravity);
        let is_enough = |count: usize| {
            #[expect(clippy::cast_precision_loss, reason = "65,536 at most")]
            let area_m2 = count as f64 * square_m2;
            // The area is B², so its fifth power is B¹⁰.
            fourth(area_m2) * area_m2 >= needed
        };
        // CELLS_MOST is never tested, so it is the answer if more cells would be needed.
        let (mut low, mut high) = (0, CELLS_MOST);
        while high - low > 1 {
            let middle = usize::midpoint(low, high);
            if is_enough(middle) { high = middle } else { low = middle }
        }
        high
    }

    fn around(&self, point: CellPlace, bed: i32, discharge: f64) -> Vec<CellPlace> {
        let count = self.count(discharge);
        #[expect(clippy::cast_precision_loss, reason = "65,536 at most")]
        let side = (count as f64).sqrt();
        // Critical flow has the head 3/2 h_c, and h_c is a tenth of the side at most.
        let head_m = 0.15 * side * self.cell_width_m;
        let highest = bed.saturating_add(self.scale.depth_units(head_m).unwrap_or(i32::MAX));
        let distance2 = |place: CellPlace| {
            let [dx, dy] = [place.x.abs_diff(point.x), place.y.abs_diff(point.y)].map(u64::from);
            dx * dx + dy * dy
        };
        let lines = self.lines();
        let mut found = Vec::with_capacity(count);
        let mut seen = BTreeSet::from([(point.x, point.y)]);
        // Between equal distances row and column decide, so that the order does not depend on the
        // heap.
        let mut next = BinaryHeap::from([Reverse((0, point.y, point.x))]);
        while let Some(Reverse((_, y, x))) = next.pop() {
            let place = CellPlace { x, y };
            found.push(place);
            if found.len() == count {
                break;
            }
            for beside in beside(place) {
                let distance2 = distance2(beside);
                #[expect(clippy::cast_precision_loss, reason = "a few hundred cells")]
                let is_near = distance2 as f64 <= REACH * REACH * side * side;
                let is_low = || (self.bed)(beside).is_some_and(|bed| bed <= highest);
                let is_open = || !lines.iter().any(|line| is_cut(line, place, beside));
                if is_near && !seen.contains(&(beside.x, beside.y)) && is_low() && is_open() {
                    seen.insert((beside.x, beside.y));
                    next.push(Reverse((distance2, beside.y, beside.x)));
                }
            }
        }
        found
    }

    /// Lines of the barriers, in cells.
    fn lines(&self) -> Vec<Vec<[f64; 2]>> {
        let cells = |[x, y]: [f64; 2]| [x / self.cell_width_m, y / self.cell_width_m];
        let line = |barrier: &Barrier| barrier.path_m.iter().copied().map(cells).collect();
        self.barriers.iter().map(line).collect()
    }
}

fn is_cut(line: &[[f64; 2]], from: CellPlace, to: CellPlace) -> bool {
    let centre = |place: CellPlace| [place.x, place.y].map(|at| 2 * i64::from(at) + 1);
    cuts(line, centre(from), centre(to))
}

/// Returns the cells across the sides of one.
fn beside(CellPlace { x, y }: CellPlace) -> impl Iterator<Item = CellPlace> {
    let west = x.checked_sub(1).map(|x| CellPlace { x, y });
    let south = y.checked_sub(1).map(|y| CellPlace { x, y });
    let rest = [CellPlace { x: x + 1, y }, CellPlace { x, y: y + 1 }];
    west.into_iter().chain(south).chain(rest)
}

/// Counts the faces of the outline of these cells.
pub(super) fn outline(cells: &[CellPlace]) -> u32 {
    let own: BTreeSet<(u32, u32)> = cells.iter().map(|place| (place.x, place.y)).collect();
    let inner = |&(x, y): &(u32, u32)| {
        [(x + 1, y), (x, y + 1)].iter().filter(|place| own.contains(place)).count()
    };
    let inner: usize = own.iter().map(inner).sum();
    // Each cell has four faces; a face between two cells counts twice here and is no outline.
    u32::try_from(4 * own.len() - 2 * inner).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use thalweg_engine::units::VerticalScale;

    fn around(
        discharge: f64,
        cell_width_m: f64,
        bed: &dyn Fn(CellPlace) -> Option<i32>,
        barriers: &[Barrier],
    ) -> Vec<CellPlace> {
        let scale = VerticalScale::try_new(20, 0.0).expect("a scale");
        let around = InflowSurroundings { cell_width_m, scale, gravity: 9.81, bed, barriers };
        let cells = vec![CellPlace { x: 50, y: 50 }];
        let points = vec![(0.0, 0.0), (60.0, discharge)];
        let mut source = CellInflow { name: "spring".to_owned(), points, cells };
        around.spread(&mut source);
        source.cells
    }

    #[test]
    fn a_point_takes_the_cells_that_its_discharge_needs() {
        // B = (1000 Q² / (16 g))^(1/5): 0.76, 4.8, 12.1 and 23 m.
        for (discharge, width_m, count) in [
            (0.2, 1.0, 1),
            (20.0, 1.0, 24),
            (200.0, 1.0, 146),
            (1000.0, 1.0, 527),
            (200.0, 10.0, 2),
            (1000.0, 10.0, 6),
            (0.0, 1.0, 1),
        ] {
            let cells = around(discharge, width_m, &|_| Some(0), &[]);
            assert_eq!(cells.len(), count, "{discharge} m³/s on cells of {width_m} m");
            assert_eq!(cells[0], CellPlace { x: 50, y: 50 });
        }
    }

    /// Goal: water rises only where it would flow by itself. Method: a bank three metres high at
    /// one side, the end of the ground at another, a levee at a third.
    #[test]
    fn a_point_spreads_over_no_bank_and_no_barrier() {
        let bed = |place: CellPlace| match place {
            CellPlace { y: 53.., .. } => Some(3 << 20),
            CellPlace { x: ..47, .. } => None,
            _ => Some(0),
        };
        let levee = Barrier {
            name: "levee".to_owned(),
            path_m: vec![[52.5, 0.0], [52.5, 60.0]],
            crest_m: vec![5.0],
            gap: None,
            breach: None,
            weir_coefficient: 0.62,
            contraction: 0.61,
        };
        let cells = around(20.0, 1.0, &bed, &[levee]);
        assert_eq!(cells.len(), 24);
        for CellPlace { x, y } in cells {
            assert!((47..=52).contains(&x) && y < 53, "{x}, {y}");
        }
    }

    #[test]
    fn outlines_count_faces_to_others() {
        let cell = |(x, y)| CellPlace { x, y };
        for (cells, faces) in [
            (vec![(3, 3)], 4),
            (vec![(3, 3), (4, 3)], 6),
            (vec![(3, 3), (4, 3), (3, 4), (4, 4)], 8),
            (vec![(3, 3), (5, 3)], 8),
        ] {
            let cells: Vec<CellPlace> = cells.into_iter().map(cell).collect();
            assert_eq!(outline(&cells), faces, "{cells:?}");
        }
    }
}
