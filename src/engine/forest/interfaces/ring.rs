//! The coarse cells around a fine leaf.
//!
//! Guarantees: the ring's values of a coarse cell depend on its place in the world alone, so all
//!             fine leaves around it have the same.

use crate::forest::Neighbour;
use crate::forest::interfaces::ForestLeaves;
use crate::forest::interfaces::halo_cell::restricted;
use crate::grid::{Axis, LeafId, TILE_WIDTH};
use crate::tile::columns::CellSurface;
use crate::tile::columns::parts::ALL_QUARTERS;
use crate::tile::{CellLevels, FaceAt};
use crate::units::OUTSIDE;

/// Number of coarse cells along a side of a fine leaf.
pub const SPAN: i32 = 32;
/// Number of coarse cells beyond the leaf that are kept on each side.
const REACH: i32 = 3; // 2 for a halo of 4 fine cells, 1 beyond for interpolation
const WIDTH: usize = (SPAN + 2 * REACH) as usize;

/// Kind of leaf that owns a coarse cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CellOwner {
    /// Not available, or outside.
    Unknown,
    /// A cell of a coarser leaf.
    Coarse,
    /// Four cells of a leaf of the fine level.
    Fine,
}

/// One coarse cell.
#[derive(Debug, Clone, Copy)]
pub struct CoarseCell {
    /// Kind of leaf that owns the cell.
    pub kind: CellOwner,
    /// Present depth, vertical units.
    pub depth: i32,
    /// Surface of the cell.
    pub surface: CellSurface,
    /// Bed and stage at the start of the coarse step, vertical units: those of its discharges.
    start: CellLevels,
    /// Leaf and index of a cell of a coarser leaf.
    place: (LeafId, usize),
    /// Unit discharge over the west and the south face, m²/s.
    flow: [f32; 2],
    /// Velocity over the west and the south face, m/s; `None` if the face is closed, or is not
    /// between two coarse cells.
    pub velocity: [Option<f32>; 2],
    /// Class of Manning's n.
    pub class: u8,
    /// Quarters with ground: a bit for each, south-west first.
    pub quarters: u8,
}

const UNKNOWN: CoarseCell = CoarseCell {
    kind: CellOwner::Unknown,
    depth: 0,
    surface: CellSurface { stage: OUTSIDE, slope: 1.0, quantum: 0 },
    start: CellLevels::OUTSIDE,
    place: (LeafId::NONE, 0),
    flow: [0.0; 2],
    velocity: [None; 2],
    class: 0,
    quarters: ALL_QUARTERS,
};

impl CoarseCell {
    /// Returns the velocity over the face to the cell before this one.
    #[expect(clippy::cast_precision_loss, reason = "a velocity is a float")]
    fn velocity(
        &self,
        leaves: &ForestLeaves<'_>,
        axis: Axis,
        before: &Self,
        unit_m: f32,
    ) -> Option<f32> {
        if self.kind != CellOwner::Coarse || before.kind != CellOwner::Coarse {
            return None;
        }
        let (leaf, cell) = self.place;
        let face = FaceAt::Of { axis, cell };
        let opening = leaves.grounds[leaf].opening(face, before.start, self.start);
        (opening > 0).then(|| self.flow[axis] / (opening as f32 * unit_m))
    }
}

/// The coarse cells within reach of a fine leaf, counted from its south-west corner.
#[derive(Debug, Clone)]
pub struct Ring {
    cells: Vec<CoarseCell>,
}

impl Default for Ring {
    fn default() -> Self {
        Self { cells: vec![UNKNOWN; WIDTH * WIDTH] }
    }
}

/// Returns the third of a ring that contains column or row `at`.
fn third(at: i32) -> usize {
    match at {
        ..0 => 0,
        0..SPAN => 1,
        _ => 2,
    }
}

impl Ring {
    #[expect(clippy::cast_sign_loss, reason = "within the reach")]
    fn index(a: i32, b: i32) -> usize {
        ((b + REACH) * (SPAN + 2 * REACH) + a + REACH) as usize
    }

    /// Returns the cell in coarse column `a` and row `b`.
    #[inline]
    #[must_use]
    pub fn at(&self, a: i32, b: i32) -> &CoarseCell {
        &self.cells[Self::index(a, b)]
    }

    /// Reads the coarse cells around `leaf`, and those beside them; a vertical unit is `unit_m`.
    pub fn fill(&mut self, leaves: &ForestLeaves<'_>, leaf: LeafId, asleep: &[bool], unit_m: f32) {
        self.cells.fill(UNKNOWN);
        for (place, beside) in leaves.forest.beside(leaf).iter().enumerate() {
            if !beside.is_coarser() {
                continue;
            }
            // Two cells deep, and one more all round.
            let range = |third: usize| match third {
                0 => -REACH..1,
                1 => -1..SPAN + 1,
                _ => SPAN - 1..SPAN + REACH,
            };
            for b in range(place / 3) {
                for a in range(place % 3) {
                    // Ranges of adjacent places overlap: cells that are known are not looked up
                    // again.
                    if self.at(a, b).kind == CellOwner::Unknown {
                        self.cells[Self::index(a, b)] = look_up(leaves, leaf, asleep, (a, b));
                    }
                }
            }
        }
        for b in 1 - REACH..SPAN + REACH {
            for a in 1 - REACH..SPAN + REACH {
                let before = [self.at(a - 1, b), self.at(a, b - 1)];
                let velocity = Axis::ALL
                    .map(|axis| self.at(a, b).velocity(leaves, axis, before[axis], unit_m));
                self.cells[Self::index(a, b)].velocity = velocity;
            }
        }
    }
}

/// Returns the coarse cell in column `a` and row `b` from the corner of `leaf`.
fn look_up(
    leaves: &ForestLeaves<'_>,
    leaf: LeafId,
    asleep: &[bool],
    (a, b): (i32, i32),
) -> CoarseCell {
    let place = 3 * third(b) + third(a);
    let corner = leaves.forest.leaves()[leaf].corner();
    // Column and row within the leaf there: fine for a leaf of the own level, else coarse.
    let within = |origin: u32, at: i32, scale: i32| {
        ((origin / 2).wrapping_add_signed(at) as usize * scale.unsigned_abs() as usize) % TILE_WIDTH
    };
    match leaves.forest.beside(leaf)[place] {
        Neighbour::Same(other) => {
            let cell = within(corner.y, b, 2) * TILE_WIDTH + within(corner.x, a, 2);
            let (ground, water) = (&leaves.grounds[other], &leaves.water[other]);
            let halo = restricted(ground, water, cell, 0);
            CoarseCell {
                kind: if halo.bed == OUTSIDE { CellOwner::Unknown } else { CellOwner::Fine },
                depth: halo.depth,
                surface: CellSurface { stage: halo.stage, slope: 1.0, quantum: 0 },
                ..UNKNOWN
            }
        }
        Neighbour::Coarser(other) => {
            let cell = within(corner.y, b, 1) * TILE_WIDTH + within(corner.x, a, 1);
            coarse_cell(leaves, other, asleep[other], cell)
        }
        Neighbour::Nothing | Neighbour::Finer(_) => UNKNOWN,
    }
}

fn coarse_cell(
    leaves: &ForestLeaves<'_>,
    leaf: LeafId,
    is_asleep: bool,
    cell: usize,
) -> CoarseCell {
    let (ground, water) = (&leaves.grounds[leaf], &leaves.water[leaf]);
    let depth_start = water.depth[cell];
    let coarse_view = leaves.interfaces_of(leaf).coarse_view.as_ref().filter(|_| !is_asleep);
    let depth = coarse_view.map_or(depth_start, |coarse_view| coarse_view.present[cell]);
    CoarseCell {
        kind: CellOwner::Coarse,
        depth,
        surface: ground.surface(cell, depth),
        start: ground.standing(cell, depth_start),
        place: (leaf, cell),
        flow: [water.flow_x[cell], water.flow_y[cell]],
        velocity: [None; 2],
        class: ground.roughness.as_ref().map_or(0, |classes| classes[cell]),
        quarters: ground.parts().map_or(ALL_QUARTERS, |parts| parts.quarters(cell)),
    }
}
