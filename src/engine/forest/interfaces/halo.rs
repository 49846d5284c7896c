//! The halo of a fine leaf in coarser ones: fine cells and faces computed from the coarse cells.
//!
//! ```text
//!         coarse c      │ fine f         along the edge first: c and its neighbours there,
//!    ┌────────┬─────────┼──────┐         ¾ and ¼, so that both stand in the fine row
//!    │        │  halo   │  f   │         then across: a third f, two thirds c: f's centre and
//!    │    c   ├─────────┼──────┤         c's lie 1½ fine cells apart, the halo cell one
//!    └────────┴─────────┴──────┘         elsewhere bilinear between coarse cells
//! ```
//!
//! Stage and depth are interpolated alike, and the bed is their difference, so that over a slope
//! the halo has the bed of the slope. If one of two cells is dry, or the face between them closed,
//! the halo has the values of its coarse cell. A quarter of a coarse cell without ground is
//! outside. A face has the velocity of the coarse faces around, the mean if it is between two; but
//! the velocity of water that runs towards the fine leaf is extrapolated from upstream. A face
//! between the levels has a discharge of its own.
//!
//! Guarantees: a level lake stays level; depths and velocities are between those from which they
//!             are computed; every fine leaf has the same halo.
//! Limits:     volume in the halo belongs to no leaf: only the transfers across the edge count.
//! Source:     own.

use crate::flow::transport::limited;
use crate::forest::Neighbour;
use crate::forest::interfaces::ForestLeaves;
use crate::forest::interfaces::ring::{CellOwner, CoarseCell, Ring};
use crate::grid::{Axis, LeafId, TILE_WIDTH};
use crate::tile::columns::CellSurface;
use crate::tile::padded::{Padded, index};
use crate::tile::{CellLevels, FaceAt};
use crate::units::{CEILING, OUTSIDE};
use std::ops::Range;

/// Surface and depth at one place, vertical units.
#[derive(Debug, Clone, Copy, PartialEq)]
struct HaloColumn {
    surface: CellSurface,
    depth: i32,
}

impl HaloColumn {
    /// Column beyond the world.
    const OUTSIDE: Self =
        Self { surface: CellSurface { stage: OUTSIDE, slope: 1.0, quantum: 0 }, depth: 0 };

    fn stage(self) -> i32 {
        self.surface.stage
    }

    /// Returns the column as if it were flat.
    fn standing(self) -> CellLevels {
        CellLevels { bed: self.stage() - self.depth, stage: self.stage(), depth: self.depth }
    }

    /// Returns the column `part`th of the way to `other`; the column itself if no water connects
    /// the two.
    fn towards(self, other: Self, part: i32) -> Self {
        // The division truncates, so the result is never beyond either of the two.
        let between = |a: i32, b: i32| a + (b - a) / part;
        let (own, there) = (self.stage(), other.stage());
        let at = |stage: i32| CellSurface { stage, ..self.surface };
        // A difference that one unit of depth could make is ignored: a lake stays level, and a
        // column that has no room for a unit stays dry.
        let quanta = (self.surface.quantum, other.surface.quantum);
        let is_noise = (own - there).abs() <= quanta.0.max(quanta.1);
        // If the two stages may be one, that of the finer quantum is taken.
        let level = if quanta.1 <= quanta.0 { there } else { own };
        if self.depth == 0 || other.depth == 0 {
            let surface = if is_noise && other.depth > 0 { at(level) } else { self.surface };
            return Self { surface, depth: self.depth };
        }
        if self.standing().opening(other.standing()) == 0 {
            return self;
        }
        let stage = if is_noise { level } else { between(own, there) };
        Self { surface: at(stage), depth: between(self.depth, other.depth) }
    }
}

/// Computes the halo of one leaf.
#[derive(Debug, Clone, Copy)]
pub struct Halo<'a> {
    /// All leaves.
    pub leaves: &'a ForestLeaves<'a>,
    /// The leaf.
    pub leaf: LeafId,
    /// Coarse cells around the leaf.
    pub ring: &'a Ring,
    /// Metres per vertical unit.
    pub unit_m: f32,
    /// Squares of Manning's n by class.
    pub n2: &'a [f32],
}

/// Cell of a halo: column and row.
type HaloPlace = (i32, i32);

/// Returns the third of a halo that contains column or row `at`.
fn third(at: i32) -> usize {
    match at {
        ..0 => 0,
        0..64 => 1,
        _ => 2,
    }
}

/// Returns the columns or rows of a halo in a third.
fn range(third: usize) -> Range<i32> {
    match third {
        0 => -4..0,
        1 => 0..64,
        _ => 64..68,
    }
}

/// Returns the index of a place in a row of 64 of the leaf that contains it.
fn within(at: i32) -> usize {
    // Right for negative numbers as well: −1 is cell 63 of the leaf before.
    (at & 63).unsigned_abs() as usize
}

impl Halo<'_> {
    /// Fills the halo inside coarser leaves.
    pub fn fill(&self, padded: &mut Padded) {
        for place in 0..9 {
            if !self.is_coarse_place(place) {
                continue;
            }
            for row in range(place / 3) {
                for column in range(place % 3) {
                    let cell = self.cell((column, row));
                    let at = index(column, row);
                    (padded.bed[at], padded.depth[at]) = (cell.standing().bed, cell.depth);
                    padded.columns.stage[at] = cell.stage();
                    padded.columns.slope[at] = cell.surface.slope;
                    padded.columns.quantum[at] = cell.surface.quantum;
                    if padded.roughness_uniform.is_none() {
                        let class = self.coarse((column, row)).class;
                        padded.roughness[at] = self.n2[usize::from(class)];
                    }
                }
            }
        }
        // After all cells, because a face reads the depths on both of its sides.
        for place in 0..9 {
            if !self.is_coarse_place(place) {
                continue;
            }
            for row in range(place / 3) {
                for column in range(place % 3) {
                    let at = index(column, row);
                    padded.flow_x[at] = self.discharge(padded, Axis::X, (column, row));
                    padded.flow_y[at] = self.discharge(padded, Axis::Y, (column, row));
                }
            }
        }
    }

    fn is_coarse_place(&self, place: usize) -> bool {
        self.leaves.forest.beside(self.leaf)[place].is_coarser()
    }

    fn beside(&self, (column, row): HaloPlace) -> Neighbour {
        self.leaves.forest.beside(self.leaf)[3 * third(row) + third(column)]
    }

    /// Returns the coarse cell that contains a cell of the halo.
    fn coarse(&self, (column, row): HaloPlace) -> &CoarseCell {
        // The shift rounds down: column −1 is in coarse column −1.
        self.ring.at(column >> 1, row >> 1)
    }

    /// Returns a cell of a leaf of the fine level.
    fn fine(&self, cell: HaloPlace) -> Option<HaloColumn> {
        let Neighbour::Same(leaf) = self.beside(cell) else { return None };
        let at = within(cell.1) * TILE_WIDTH + within(cell.0);
        let ground = &self.leaves.grounds[leaf];
        let depth = self.leaves.water[leaf].depth[at];
        ground.is_inside(at).then(|| HaloColumn { surface: ground.surface(at, depth), depth })
    }

    /// Returns a cell of the halo.
    fn cell(&self, (column, row): HaloPlace) -> HaloColumn {
        let (a, b) = (column >> 1, row >> 1);
        if self.ring.at(a, b).quarters >> (2 * (row & 1) + (column & 1)) & 1 == 0 {
            return HaloColumn::OUTSIDE;
        }
        // Towards the neighbours to which the fine cell is nearer.
        let step = |at: i32| if at & 1 == 0 { -1 } else { 1 };
        let (step_x, step_y) = (step(column), step(row));
        let column_of = |cell: &CoarseCell| HaloColumn { surface: cell.surface, depth: cell.depth };
        let own = column_of(self.ring.at(a, b));
        let (beside_x, beside_y) = (self.ring.at(a + step_x, b), self.ring.at(a, b + step_y));
        let drawn = |to: &CoarseCell| match to.kind {
            CellOwner::Unknown => own,
            CellOwner::Coarse | CellOwner::Fine => own.towards(column_of(to), 4),
        };
        let (to_x, to_y) = (drawn(beside_x), drawn(beside_y));
        let across =
            |along: HaloColumn, cell| self.fine(cell).map_or(along, |fine| along.towards(fine, 3));
        if beside_x.kind == CellOwner::Fine {
            across(to_y, (column + step_x, row))
        } else if beside_y.kind == CellOwner::Fine {
            across(to_x, (column, row + step_y))
        } else {
            // Linearly extrapolated stages and depths may leave their range.
            let stage = to_x.stage().saturating_add(to_y.stage() - own.stage());
            let stage = stage.clamp(-CEILING, CEILING);
            let depth = to_x.depth.saturating_add(to_y.depth - own.depth);
            HaloColumn { surface: CellSurface { stage, ..own.surface }, depth }
        }
    }

    /// Returns the cell before `cell` along an axis, or `step` cells behind.
    fn stepped((column, row): HaloPlace, axis: Axis, step: i32) -> HaloPlace {
        if axis == Axis::X { (column + step, row) } else { (column, row + step) }
    }

    /// Returns the unit discharge over the west or south face of a halo cell, m²/s.
    fn discharge(&self, padded: &Padded, axis: Axis, cell: HaloPlace) -> f32 {
        let before = Self::stepped(cell, axis, -1);
        if before.0 < -4 || before.1 < -4 {
            // Behind the halo: this value is not read.
            return 0.0;
        }
        let across = if axis == Axis::X { cell.1 } else { cell.0 };
        if let Neighbour::Same(leaf) = self.beside(before) {
            return self.leaves.beyond(leaf, axis, within(across));
        }
        let along = if axis == Axis::X { cell.0 } else { cell.1 };
        let u = if along & 1 == 0 {
            self.coarse_velocity(axis, cell)
        } else {
            let behind = Self::stepped(cell, axis, 1);
            self.velocity_between(padded, axis, (before, behind))
        };
        // `+ 0.0` turns a −0 into a 0.
        u * self.flow_depth(padded, axis, cell, before) + 0.0
    }

    /// Returns the velocity over a face that is on a face between coarse cells or between the
    /// levels, m/s.
    fn velocity(&self, padded: &Padded, axis: Axis, cell: HaloPlace) -> f32 {
        let before = Self::stepped(cell, axis, -1);
        let across = if axis == Axis::X { cell.1 } else { cell.0 };
        let q = match (self.beside(before), self.beside(cell)) {
            (Neighbour::Same(leaf), Neighbour::Coarser(_)) => {
                self.leaves.beyond(leaf, axis, within(across))
            }
            (Neighbour::Coarser(_), Neighbour::Same(leaf)) => {
                let water = &self.leaves.water[leaf];
                let at = within(cell.1) * TILE_WIDTH + within(cell.0);
                if axis == Axis::X { water.flow_x[at] } else { water.flow_y[at] }
            }
            _ => return self.coarse_velocity(axis, cell),
        };
        let h_f = self.flow_depth(padded, axis, cell, before);
        if h_f > 0.0 { q / h_f } else { 0.0 }
    }

    /// Returns the velocity over a face in the middle of a coarse cell, m/s; the arguments are the
    /// cells whose faces are those of the coarse cell. Towards a fine leaf it is extrapolated, with
    /// a limited slope, from the face upstream: a mean would delay bores at the edge.
    fn velocity_between(
        &self,
        padded: &Padded,
        axis: Axis,
        (before, behind): (HaloPlace, HaloPlace),
    ) -> f32 {
        let ends = [before, behind].map(|cell| self.velocity(padded, axis, cell));
        let is_fine = |cell| matches!(self.beside(cell), Neighbour::Same(_));
        let (upstream, ends) = if ends[0] > 0.0 && is_fine(behind) {
            (Self::stepped(before, axis, -2), [ends[0], ends[1]])
        } else if ends[1] < 0.0 && is_fine(Self::stepped(before, axis, -1)) {
            (Self::stepped(behind, axis, 2), [ends[1], ends[0]])
        } else {
            return 0.5 * (ends[0] + ends[1]);
        };
        let upstream = self.ring.at(upstream.0 >> 1, upstream.1 >> 1).velocity[axis];
        let slope = upstream.map_or(0.0, |u| limited(ends[0] - u, ends[1] - ends[0]));
        ends[0] + 0.5 * slope
    }

    /// Returns the velocity over the coarse face that contains the west or south face of a cell,
    /// moved along the edge to the cell's row, m/s.
    fn coarse_velocity(&self, axis: Axis, cell: HaloPlace) -> f32 {
        let (a, b) = (cell.0 >> 1, cell.1 >> 1);
        let across = if axis == Axis::X { cell.1 } else { cell.0 };
        let step = if across & 1 == 0 { -1 } else { 1 };
        let beside = Self::stepped((a, b), axis.across(), step);
        let at = |(a, b): HaloPlace| self.ring.at(a, b).velocity[axis];
        let Some(own) = at((a, b)) else { return 0.0 };
        // The centre of a fine row is a quarter of a coarse cell away from that of its coarse row.
        at(beside).map_or(own, |other| own + 0.25 * (other - own))
    }

    /// Returns h_f over the west or south face of `cell`, with `before` on its other side, m: at
    /// least one of the two is in the halo.
    #[expect(clippy::cast_precision_loss, reason = "a depth in metres")]
    fn flow_depth(&self, padded: &Padded, axis: Axis, cell: HaloPlace, before: HaloPlace) -> f32 {
        let standing = |cell: HaloPlace| match self.beside(cell) {
            Neighbour::Coarser(_) => {
                let at = index(cell.0, cell.1);
                let (bed, depth) = (padded.bed[at], padded.depth[at]);
                CellLevels { bed, stage: bed + depth, depth }
            }
            _ => self.fine(cell).map_or(CellLevels::OUTSIDE, HaloColumn::standing),
        };
        let (l, r) = (standing(before), standing(cell));
        // The face belongs to the cell behind it, or is on the far side of the one before.
        let across = within(if axis == Axis::X { cell.1 } else { cell.0 });
        let opening = match (self.beside(before), self.beside(cell)) {
            (_, Neighbour::Same(leaf)) => {
                let cell = within(cell.1) * TILE_WIDTH + within(cell.0);
                self.leaves.grounds[leaf].opening(FaceAt::Of { axis, cell }, l, r)
            }
            (Neighbour::Same(leaf), _) => {
                self.leaves.grounds[leaf].opening(FaceAt::Far { axis, i: across }, l, r)
            }
            _ => l.opening(r),
        };
        opening as f32 * self.unit_m
    }
}
