//! Water that moves in a step, with its contents.
//!
//! Open water changes before the kernels step. They read velocities of shallow water as discharge
//! over opening, so those keep their velocity: entering water brings its momentum by itself
//! ([`rims`](super::rims)). The pipe cuts discharges if openings shrink in a step: if they grew
//! before it, discharges grow with them, and so stay; after it the growth is subtracted.

use crate::flow::solver::Solver;
use crate::flow::tracer::share;
use crate::forest::Neighbour;
use crate::grid::{Axis, LeafId, Side, TILE_WIDTH};
use crate::sim::cell_store::CellStore;
use crate::sim::stacks::grown::Grown;
use crate::sim::stacks::mouths::StackMouth;
use crate::sim::stacks::net::{Now, StackNet};
use crate::sim::table::LeafTable;

/// A face between two open cells of one level.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct OpenFace {
    /// The cell whose west or south face it is.
    behind: (LeafId, usize),
    /// The cell before it.
    before: (LeafId, usize),
    /// Whether it is a south face.
    is_south: bool,
}

impl OpenFace {
    /// Returns the face on a side of a cell.
    fn of(leaves: &LeafTable, (leaf, cell): (LeafId, usize), side: Side) -> Option<Self> {
        let (along, at) = match side {
            Side::West | Side::East => (1, cell % TILE_WIDTH),
            Side::South | Side::North => (TILE_WIDTH, cell / TILE_WIDTH),
        };
        let is_last = at == if side.is_far() { TILE_WIDTH - 1 } else { 0 };
        let (beyond, step) = match leaves.forest.across(leaf, side) {
            _ if !is_last => (leaf, along),
            Neighbour::Same(beyond) => (beyond, along * (TILE_WIDTH - 1)),
            _ => return None,
        };
        // Over a side the cell is at the opposite end of its row or column.
        let other = (beyond, if side.is_far() != is_last { cell + step } else { cell - step });
        let is_south = matches!(side, Side::South | Side::North);
        Some(match side.is_far() {
            true => Self { behind: other, before: (leaf, cell), is_south },
            false => Self { behind: (leaf, cell), before: other, is_south },
        })
    }

    /// Returns how open it is, vertical units.
    fn opening(self, leaves: &LeafTable) -> i32 {
        let [a, b] = [self.before, self.behind].map(|(leaf, cell)| {
            let ground = &leaves.grounds[leaf];
            (ground.stage(cell, leaves.water[leaf].depth[cell]), ground.dry_stage(cell))
        });
        a.0.max(b.0).saturating_sub(a.1.max(b.1))
    }

    /// Scales the discharge with the opening, so that its velocity stays; returns the growth.
    #[expect(clippy::cast_precision_loss, reason = "a part")]
    fn keep_velocity(
        self,
        leaves: &mut LeafTable,
        before: i32,
        solver: Solver,
    ) -> Option<(LeafId, Grown)> {
        let after = self.opening(leaves);
        let is_kept = solver == Solver::Pipe && after <= before;
        if before <= 0 || after == before || is_kept {
            return None;
        }
        let water = &mut leaves.water[self.behind.0];
        let flow = if self.is_south { &mut water.flow_y } else { &mut water.flow_x };
        let q = flow[self.behind.1];
        if q == 0.0 {
            return None;
        }
        // `+ 0.0` turns a −0 into a 0.
        flow[self.behind.1] = q * (after.max(0) as f32 / before as f32) + 0.0;
        let axis = if self.is_south { Axis::Y } else { Axis::X };
        let cell = u16::try_from(self.behind.1).expect("4096 cells");
        Some((self.behind.0, Grown { axis, cell, opened: [before, after] }))
    }
}

impl StackNet {
    /// Moves the transfers of the passages, out of nodes and planes and into them.
    pub(super) fn flow(&mut self, leaves: &mut LeafTable, solver: Solver) {
        let mut now = std::mem::take(&mut self.now);
        let faces = self.openings(leaves, &now);
        if now.contents.is_empty() {
            self.flow_water(&mut now, leaves);
        } else {
            self.flow_with_contents(&mut now, leaves);
        }
        now.grown.clear();
        for (face, before) in faces {
            let grown = face.keep_velocity(leaves, before, solver);
            now.grown.extend(grown.filter(|_| solver == Solver::Pipe));
        }
        self.now = now;
    }

    /// Returns the faces of open water that changes, each once, and how open they are.
    fn openings(&self, leaves: &LeafTable, now: &Now) -> Vec<(OpenFace, i32)> {
        let mut faces = Vec::new();
        for &node in &now.open {
            if self.passages_of(node).iter().any(|&at| now.moved[at as usize] != 0) {
                let mouth = self.mouth_of(node, now);
                let place = (mouth.leaf, usize::from(mouth.cell));
                let face = |side| OpenFace::of(leaves, place, side);
                faces.extend(Side::ALL.into_iter().filter_map(face));
            }
        }
        faces.sort_unstable();
        faces.dedup();
        faces.into_iter().map(|face| (face, face.opening(leaves))).collect()
    }

    fn flow_water(&self, now: &mut Now, leaves: &mut LeafTable) {
        let Now { awake, depth, moved, open, mouths, .. } = now;
        for at in awake.iter().flat_map(|&slot| self.slots[slot].passages.clone()) {
            let units = moved[at];
            if units != 0 {
                let [a, b] = self.passages[at].ends.map(|node| node as usize);
                depth[a] -= units;
                depth[b] += units;
            }
        }
        for &node in &*open {
            let faces = self.passages_of(node).iter();
            let came: i32 = faces.map(|&at| self.into(at, node, moved)).sum();
            if came != 0 {
                let mouth = &mouths[node - self.covered];
                leaves.water[mouth.leaf].depth[usize::from(mouth.cell)] += came;
            }
        }
    }

    /// Moves water and contents: a node gives from its water at the start of the step, face after
    /// face, and its inflow is added when all have given.
    fn flow_with_contents(&self, now: &mut Now, leaves: &mut LeafTable) {
        let tracers = now.contents.len();
        let mut came: Vec<(u32, i32, Vec<i64>)> = Vec::new();
        let Now { awake, depth, moved, contents, mouths, .. } = now;
        let mouth = |node: u32| {
            let StackMouth { leaf, cell, .. } = mouths[node as usize - self.covered];
            (leaf, usize::from(cell))
        };
        for at in awake.iter().flat_map(|&slot| self.slots[slot].passages.clone()) {
            let units = moved[at];
            if units == 0 {
                continue;
            }
            let [a, b] = self.passages[at].ends;
            let (giver, taker) = if units > 0 { (a, b) } else { (b, a) };
            let own = &self.nodes[giver as usize];
            let units = units.abs();
            let carried: Vec<i64> = if own.is_open {
                let (leaf, cell) = mouth(giver);
                CellStore::open(&mut leaves.water[leaf], cell).take_all(units)
            } else {
                let held = depth[giver as usize];
                (0..tracers)
                    .map(|tracer| {
                        let content = &mut contents[tracer][giver as usize];
                        let carried = share(*content, units, held);
                        *content -= carried;
                        carried
                    })
                    .collect()
            };
            depth[giver as usize] -= units;
            came.push((taker, units, carried));
        }
        for (taker, units, carried) in came {
            let own = &self.nodes[taker as usize];
            depth[taker as usize] += units;
            if own.is_open {
                let (leaf, cell) = mouth(taker);
                let mut store = CellStore::open(&mut leaves.water[leaf], cell);
                store.give(units, |tracer| carried[tracer]);
            } else {
                for (tracer, content) in carried.into_iter().enumerate() {
                    contents[tracer][taker as usize] += content;
                }
            }
        }
    }
}
