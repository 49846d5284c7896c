//! The faces between a leaf that is stepped and one that sleeps.

use crate::forest::Beside;
use crate::forest::edges::{bounds, halves, quarter_beyond};
use crate::grid::{Axis, LeafId, Side, TILE_WIDTH};
use crate::sim::leaf::StepContext;
use crate::sim::table::LeafWork;
use crate::tile::{FaceAt, Ground, Water};
use crate::units::limits;

impl StepContext<'_> {
    /// Closes the faces to leaves that sleep. Returns true where water there would move: then this
    /// leaf is not idle, and that wakes them.
    pub(super) fn close_borders(&self, leaf: &mut LeafWork<'_>) -> bool {
        let id = leaf.id;
        let mut is_uneven = false;
        for side in Side::ALL {
            match self.leaves.forest.beside(id)[side.place()] {
                Beside::Same(other) if self.asleep[other] => {
                    close(side, leaf);
                    let own = |i| (id, side.cell_along(i));
                    let there = |i| (other, side.opposite().cell_along(i));
                    let face = |i| (id, FaceAt::along(side, i));
                    if matches!(side, Side::East | Side::North) {
                        is_uneven |= (0..TILE_WIDTH)
                            .any(|i| self.is_uneven(face(i), own(i), there(i), leaf.new));
                    }
                }
                Beside::Coarser(other) if self.asleep[other] => {
                    close(side, leaf);
                    let half = bounds::half_of(&self.leaves, id, side);
                    let there = |i| (other, side.opposite().cell_along(half + i / 2));
                    let own = |i| (id, side.cell_along(i));
                    let face = |i| (id, FaceAt::along(side, i));
                    is_uneven |= (0..TILE_WIDTH)
                        .filter(|&i| self.is_ground(there(i), quarter_beyond(side, i)))
                        .any(|i| self.is_uneven(face(i), own(i), there(i), leaf.new));
                }
                Beside::Finer(pair) => {
                    for (half, finer) in halves(pair) {
                        if self.asleep[finer] {
                            let there = |i| (finer, side.opposite().cell_along(i));
                            let own = |i| (id, side.cell_along(32 * half + i / 2));
                            let face = |i| (finer, FaceAt::along(side.opposite(), i));
                            let quarter = |i| quarter_beyond(side.opposite(), i);
                            is_uneven |= (0..TILE_WIDTH)
                                .filter(|&i| self.is_ground(own(i), quarter(i)))
                                .any(|i| self.is_uneven(face(i), own(i), there(i), leaf.new));
                        }
                    }
                }
                _ => {}
            }
        }
        is_uneven
    }

    /// True where a quarter of a cell of a leaf has ground.
    fn is_ground(&self, (leaf, cell): (LeafId, usize), quarter: usize) -> bool {
        self.leaves.grounds[leaf].has_quarter(cell, quarter)
    }

    /// True where the stages of a cell of this leaf and a cell beyond differ by more than sleep
    /// allows over the face of a leaf between them; leaf and cell of both.
    fn is_uneven(
        &self,
        (owner, face): (LeafId, FaceAt),
        own: (LeafId, usize),
        there: (LeafId, usize),
        new: &Water,
    ) -> bool {
        let [here, beyond] = [(own, new), (there, &self.leaves.water[there.0])]
            .map(|((leaf, cell), water)| (&self.leaves.grounds[leaf], cell, water.depth[cell]));
        let surface = |(ground, cell, depth): (&Ground, usize, i32)| ground.surface(cell, depth);
        let standing = |(ground, cell, depth): (&Ground, usize, i32)| ground.standing(cell, depth);
        let (a, b) = (surface(here), surface(beyond));
        let opening = self.leaves.grounds[owner].opening(face, standing(here), standing(beyond));
        #[expect(clippy::cast_precision_loss, reason = "compared with a threshold")]
        let is_open = opening as f32 * self.step.face.unit_m >= limits::DEPTH_DRY_M;
        let most = limits::SLEEP_STAGE_DIFFERENCE + a.quantum.max(b.quantum);
        let is_uneven = is_open && (a.stage - b.stage).abs() > most;
        is_uneven && !self.is_held((owner, face), a.stage.max(b.stage))
    }

    /// True where a barrier lets nothing pass a face of a leaf up to a stage.
    fn is_held(&self, (owner, face): (LeafId, FaceAt), stage: i32) -> bool {
        let Some(views) = self.barriers.faces_in(owner) else { return false };
        let (axis, column, row) = match face {
            FaceAt::Of { axis, cell } => (axis, cell % TILE_WIDTH, cell / TILE_WIDTH),
            FaceAt::Far { axis: Axis::X, i } => (Axis::X, TILE_WIDTH, i),
            FaceAt::Far { axis: Axis::Y, i } => (Axis::Y, i, TILE_WIDTH),
        };
        let at = (axis as usize, i32::try_from(column), i32::try_from(row));
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
        Side::East => leaf.scratch.crossed.stop(Axis::X),
        Side::North => leaf.scratch.crossed.stop(Axis::Y),
    }
}
