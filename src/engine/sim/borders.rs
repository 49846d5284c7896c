//! The faces between a leaf that is stepped and one that sleeps.

use crate::forest::faces::Faces;
use crate::forest::interfaces::quarter_beyond;
use crate::grid::{Axis, LeafId, Side, TILE_WIDTH};
use crate::sim::leaf::StepContext;
use crate::sim::table::LeafWork;
use crate::tile::{FaceAt, Ground, Water};
use crate::units::limits;
use std::cmp::Ordering;

impl StepContext<'_> {
    /// Closes the faces to leaves that sleep. If water there would move, this leaf is not idle.
    /// Returns true if it would by more than a tolerance of sleep allows: that wakes them.
    pub(super) fn close_borders(&self, leaf: &mut LeafWork<'_>) -> bool {
        let id = leaf.id;
        let exact = (limits::DEPTH_DRY_M, limits::SLEEP_STAGE_DIFFERENCE);
        let quiet = self.quiet.as_ref().map(|quiet| (quiet.film_m, quiet.fall_most));
        let (mut moves, mut wakes) = (false, false);
        for side in Side::ALL {
            for faces in self.leaves.forest.faces(id, side) {
                if !self.asleep[faces.beyond] {
                    continue;
                }
                if !faces.is_finer() {
                    close(side, leaf);
                }
                // Two leaves of one level have the same faces. The kernel has checked those on the
                // west and south; it allows less than a tolerance of sleep.
                let is_other_level = faces.coarseness.is_ne();
                let is_beyond = |bounds: (f32, i32)| {
                    let new = &*leaf.new;
                    (0..TILE_WIDTH).any(|i| self.is_uneven((id, &faces), i, new, bounds))
                };
                if is_other_level || side.is_far() {
                    moves |= is_beyond(exact);
                }
                wakes |= quiet.is_some_and(is_beyond);
            }
        }
        leaf.scratch.is_idle &= !moves;
        if quiet.is_some() { wakes } else { moves }
    }

    /// Returns true if the stages of a cell of this leaf and of the one beyond face `i` differ by
    /// more than sleep allows: by more than `most` units if the face is open by `least_m` metres or
    /// more.
    fn is_uneven(
        &self,
        (id, faces): (LeafId, &Faces),
        i: usize,
        new: &Water,
        (least_m, most): (f32, i32),
    ) -> bool {
        let (own, there) = ((id, faces.own(i)), (faces.beyond, faces.there(i)));
        // The finer of two leaves has the face; of a coarse cell a quarter is at it.
        let (owner, side, coarse) = match faces.coarseness {
            Ordering::Equal => (id, faces.side, None),
            Ordering::Greater => (id, faces.side, Some(there)),
            Ordering::Less => (faces.beyond, faces.side.opposite(), Some(own)),
        };
        let is_wall = |(leaf, cell): (LeafId, usize)| {
            !self.leaves.grounds[leaf].has_quarter(cell, quarter_beyond(side, i))
        };
        if coarse.is_some_and(is_wall) {
            return false;
        }
        let face = FaceAt::along(side, i);
        let [here, beyond] = [(own, new), (there, &self.leaves.water[there.0])]
            .map(|((leaf, cell), water)| (&*self.leaves.grounds[leaf], cell, water.depth[cell]));
        let surface = |(ground, cell, depth): (&Ground, usize, i32)| ground.surface(cell, depth);
        let standing = |(ground, cell, depth): (&Ground, usize, i32)| ground.standing(cell, depth);
        let (a, b) = (surface(here), surface(beyond));
        let opening = self.leaves.grounds[owner].opening(face, standing(here), standing(beyond));
        #[expect(clippy::cast_precision_loss, reason = "compared with a threshold")]
        let opening_m = opening as f32 * self.step.face.unit_m;
        let is_open = opening_m >= least_m;
        let held = match self.step.fluid.is_none() || !is_open {
            true => 0,
            // The stages of cells half as wide are as close again.
            false if faces.coarseness.is_lt() => self.held_fall(opening_m) / 2,
            false => self.held_fall(opening_m),
        };
        // One unit of depth may raise the stage of a sub-grid column by its quantum, so no transfer
        // could even out a smaller difference.
        let most = most.saturating_add(a.quantum.max(b.quantum)).saturating_add(held);
        let is_uneven = is_open && (a.stage - b.stage).abs() > most;
        is_uneven && !self.is_held((owner, face), a.stage.max(b.stage))
    }

    /// Returns the fall of the stage that the yield stress of the fluid supports over a face of
    /// this leaf.
    fn held_fall(&self, opening_m: f32) -> i32 {
        self.step.fluid.held_fall(opening_m, &self.step.face)
    }

    /// Returns true if a barrier lets nothing pass a face of a leaf up to a stage.
    fn is_held(&self, (owner, face): (LeafId, FaceAt), stage: i32) -> bool {
        let Some(views) = self.barriers.faces_in(owner) else { return false };
        let (axis, column, row) = match face {
            FaceAt::Of { axis, cell } => (axis, cell % TILE_WIDTH, cell / TILE_WIDTH),
            FaceAt::Far { axis: Axis::X, i } => (Axis::X, TILE_WIDTH, i),
            FaceAt::Far { axis: Axis::Y, i } => (Axis::Y, i, TILE_WIDTH),
        };
        let at = (axis, i32::try_from(column), i32::try_from(row));
        let found = views.iter().find(|view| (view.axis, Ok(view.column), Ok(view.row)) == at);
        found.is_some_and(|view| {
            view.face.is_none_or(|face| self.lowest(self.barriers.face(face)) >= stage)
        })
    }
}

/// Stops the discharges of a leaf's own faces along a side.
fn close(side: Side, leaf: &mut LeafWork<'_>) {
    match side {
        Side::West => (0..TILE_WIDTH).for_each(|i| leaf.new.flow_x[i * TILE_WIDTH] = 0.0),
        Side::South => leaf.new.flow_y[..TILE_WIDTH].fill(0.0),
        Side::East => leaf.scratch.transfers.stop(Axis::X),
        Side::North => leaf.scratch.transfers.stop(Axis::Y),
    }
}
