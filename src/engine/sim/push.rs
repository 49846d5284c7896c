//! A push of the water: a velocity that is added between two cycles.
//!
//! ```text
//! q ← (q/h_f + ½ (w_l + w_r) Δu) h_f        w the part of each cell that the push reaches
//! ```
//!
//! Faces thinner than 2⁻¹⁶ m and faces of barriers keep their discharge. The next plan takes the
//! new speeds into account, so automatic steps become as short as they require.
//!
//! Guarantees: not a unit of volume moves; no face is pushed beyond [`PUSHED_SPEED_MOST`], faces
//!             that would be are counted.
//! Limits:     faces to the outside are not pushed.
//! Source:     own.

use crate::forest::Forest;
use crate::grid::cells::column_row;
use crate::grid::{Axis, LeafId, Side, TILE_WIDTH};
use crate::sim::barriers::Barriers;
use crate::sim::edits::SimulationEdit;
use crate::sim::reach::ActReach;
use crate::sim::state::SimulationState;
use crate::sim::table::LeafTable;
use crate::sim::touched::{LeafFaces, TouchedFaces};
use crate::tile::FaceAt;
use crate::units::{limits, maths};
use std::collections::BTreeSet;

/// Largest speed of a face after a push, m/s, except for faces that were faster before.
pub const PUSHED_SPEED_MOST: f64 = 50.0;

/// Faces of one leaf: its own by axis and cell, and the faces along the east and north side by axis
/// and place.
#[derive(Default)]
struct Closed {
    own: BTreeSet<(Axis, usize)>,
    far: BTreeSet<(Axis, usize)>,
}

/// Result of a push for some faces.
#[derive(Debug, Clone, Copy, Default)]
struct Pushed {
    held: usize,
    /// Largest speed by axis, m/s.
    speeds: [f64; 2],
    deepest: i32,
}

impl SimulationEdit<'_> {
    /// Adds a velocity, eastward and northward, m/s, to the water in `reach`; returns how many
    /// faces received less of it, because they would be too fast.
    pub fn push(&mut self, reach: &ActReach, by_m_s: [f64; 2]) -> usize {
        let SimulationState { leaves, barriers, activity, .. } = &mut *self.state;
        let push = Push { reach, by_m_s, barriers, unit_m: self.params.unit_m };
        let touched = reach.leaves();
        let cells = reach.cells().map(|(leaf, cell, _)| (leaf, cell));
        let faces = TouchedFaces::of(&leaves.forest, cells);
        let mut held = 0;
        for (leaf, faces) in faces.by_leaf() {
            let pushed = push.leaf(leaf, faces, leaves);
            held += pushed.held;
            if pushed.deepest == 0 {
                continue;
            }
            let own = &mut leaves.own[leaf];
            #[expect(clippy::cast_possible_truncation, reason = "a depth in metres")]
            let deepest_m = (f64::from(pushed.deepest) * push.unit_m) as f32;
            own.flow_depth_max = maths::max(own.flow_depth_max, deepest_m);
            // The two maxima may be at different cells: their sum bounds the sum of speeds at each
            // cell.
            let speed = pushed.speeds[0] + pushed.speeds[1];
            let pace = self.params.pace(speed, f64::from(own.flow_depth_max));
            let level = leaves.forest.leaves()[leaf].level;
            let viscous = self.params.viscous_speed(level);
            let most = &mut activity.speeds[usize::from(level)];
            *most = most.max(pace + viscous);
        }
        leaves.take_means(&faces.with_means(&leaves.forest));
        activity.wake(leaves, &touched);
        leaves.mark(faces.leaves());
        held
    }
}

/// A push of some water.
struct Push<'a> {
    reach: &'a ActReach,
    /// Velocity eastward and northward, m/s.
    by_m_s: [f64; 2],
    barriers: &'a Barriers,
    unit_m: f64,
}

impl Push<'_> {
    /// Pushes faces that a leaf owns.
    fn leaf(&self, leaf: LeafId, faces: &LeafFaces, leaves: &mut LeafTable) -> Pushed {
        let openings = leaves.openings_of(leaf, faces);
        let (closed, mut pushed) = (self.closed(leaf), Pushed::default());
        let mut parts = Vec::with_capacity(faces.count());
        faces.each(|face| {
            parts.push(match face {
                FaceAt::Of { axis, cell } if !closed.own.contains(&(axis, cell)) => self
                    .part_before(&leaves.forest, leaf, axis, cell)
                    .map_or(0.0, |before| f64::midpoint(before, self.reach.of(leaf, cell))),
                FaceAt::Far { axis, i } if !closed.far.contains(&(axis, i)) => {
                    self.part_along(&leaves.forest, leaf, axis, i)
                }
                _ => 0.0,
            });
        });
        leaves.change_flows(leaf, faces, |at, face, q| {
            if parts[at] > 0.0 {
                let axis = face.axis();
                let by = parts[at] * self.by_m_s[axis];
                *q = self.pushed(*q, by, (axis, openings[at]), &mut pushed);
            }
        });
        pushed
    }

    /// Returns the discharge of a face `h_f` units open after a push.
    #[expect(clippy::cast_possible_truncation, reason = "rounded to f32 on purpose")]
    fn pushed(&self, q: f32, by: f64, (axis, h_f): (Axis, i32), pushed: &mut Pushed) -> f32 {
        let depth_m = f64::from(h_f) * self.unit_m;
        if depth_m < f64::from(limits::DEPTH_DRY_M) {
            return q;
        }
        let speed = f64::from(q) / depth_m;
        // A face that was faster before is not slowed to the bound.
        let most = PUSHED_SPEED_MOST.max(speed.abs());
        let wanted = speed + by;
        let new = wanted.clamp(-most, most);
        pushed.held += usize::from(wanted.abs() > most);
        pushed.speeds[axis] = pushed.speeds[axis].max(new.abs());
        pushed.deepest = pushed.deepest.max(h_f);
        // −0 + 0 is 0: planes have no −0, because hashes compare bits.
        (new * depth_m) as f32 + 0.0
    }

    /// Returns the faces of barriers, and those that they seal.
    fn closed(&self, leaf: LeafId) -> Closed {
        let mut closed = Closed::default();
        for face in self.barriers.faces_in(leaf).into_iter().flatten() {
            if let Some(cell) = face.own_cell() {
                closed.own.insert((face.axis, cell));
            }
            let (across, along) = match face.axis {
                Axis::X => (face.column, face.row),
                Axis::Y => (face.row, face.column),
            };
            // Column or row 64 is the first beyond the east or north side.
            if let (64, Ok(i)) = (across, usize::try_from(along)) {
                closed.far.insert((face.axis, i));
            }
        }
        closed
    }

    /// Returns the part of the cell west or south of a leaf's cell that is in the reach; `None` if
    /// the face between them is a finer leaf's, or leads outside.
    fn part_before(&self, forest: &Forest, leaf: LeafId, axis: Axis, cell: usize) -> Option<f64> {
        let (column, row) = column_row(cell);
        let (is_first, step) = [(column == 0, 1), (row == 0, TILE_WIDTH)][axis];
        if !is_first {
            return Some(self.reach.of(leaf, cell - step));
        }
        let side = [Side::West, Side::South][axis];
        let faces = forest.faces(leaf, side).find(|faces| !faces.is_finer())?;
        let along = [cell / TILE_WIDTH, cell % TILE_WIDTH][axis];
        Some(self.reach.of(faces.beyond, faces.there(along)))
    }

    /// Returns the part of both cells of face `i` to the coarser leaf east or north of a leaf that
    /// is in the reach.
    fn part_along(&self, forest: &Forest, leaf: LeafId, axis: Axis, i: usize) -> f64 {
        let side = [Side::East, Side::North][axis];
        forest.coarser(leaf, side).map_or(0.0, |faces| {
            let beyond = self.reach.of(faces.beyond, faces.there(i));
            f64::midpoint(self.reach.of(leaf, faces.own(i)), beyond)
        })
    }
}
