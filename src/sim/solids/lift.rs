//! Takes the water of touched cells out of the planes for a cycle, and puts it back.

use crate::forest::LeafIndex;
use crate::sim::Simulation;
use crate::sim::solids::region::{NONE, Passage, Region, RegionCell, larger};
use crate::sim::table::{LeafOwn, pick};
use crate::tile::{Ground, Water};
use crate::units::{OUTSIDE, maths};
use rayon::prelude::*;

/// Rounds in a cycle by which the surface around solids goes on below them.
const ROUNDS: usize = 4;

/// No flow through a face.
const NO_FLOW: f32 = f32::NAN;

/// The cells of a region leaf by leaf, so that all threads reach their planes, each its own.
#[derive(Debug, Default)]
pub struct ByLeaf {
    /// Leaves in their order, and where their cells begin.
    leaves: Vec<(LeafIndex, u32)>,
    cells: Vec<u32>,
}

impl ByLeaf {
    /// Cells of a region.
    #[must_use]
    pub fn of(cells: &[RegionCell]) -> Self {
        let number = |index: usize| u32::try_from(index).expect("2³² cells at most");
        let mut all: Vec<(LeafIndex, u32)> =
            cells.iter().zip(0..).map(|(cell, index)| (cell.leaf, index)).collect();
        all.par_sort_unstable();
        let mut leaves: Vec<(LeafIndex, u32)> = Vec::new();
        for (index, &(leaf, _)) in all.iter().enumerate() {
            if leaves.last().is_none_or(|last| last.0 != leaf) {
                leaves.push((leaf, number(index)));
            }
        }
        Self { leaves, cells: all.iter().map(|&(_, cell)| cell).collect() }
    }

    /// The leaves of which something holds, and the cells of each.
    fn filtered(&self, is_in: impl Fn(LeafIndex) -> bool) -> (Vec<LeafIndex>, Vec<&[u32]>) {
        let ends = self.leaves[1..].iter().map(|&(_, end)| end as usize).chain([self.cells.len()]);
        let all = self.leaves.iter().zip(ends).map(|(&(leaf, from), to)| (leaf, from as usize..to));
        all.filter(|(leaf, _)| is_in(*leaf)).map(|(leaf, own)| (leaf, &self.cells[own])).unzip()
    }
}

impl Simulation {
    /// Takes the water of touched cells out: the kernel takes them for ground outside the world.
    pub(in crate::sim) fn lift_solids(&mut self) {
        if self.state.solids.region.cells.is_empty() {
            return;
        }
        let region = &mut self.state.solids.region;
        region.contents.clear();
        region
            .contents
            .resize_with(self.state.tracers.len(), || vec![0; region.cells.len()].into());
        let (leaves, own) =
            region.by_leaf.filtered(|leaf| !self.state.leaves.asleep[leaf as usize]);
        let (cells, tracers) = (&region.cells, self.state.tracers.len());
        let planes = pick(&mut self.state.leaves.water, &leaves)
            .into_iter()
            .zip(pick(&mut self.state.leaves.grounds, &leaves));
        let lift = |(own, (water, ground)): (&[u32], (&mut Water, &mut Ground))| {
            let touched = || own.iter().map(|&at| &cells[at as usize]).filter(|at| at.is_touched);
            let (bed, depth): (&mut [i32], &mut [i32]) = (&mut ground.bed, &mut water.depth);
            let mut lifted = Vec::with_capacity(own.len());
            for cell in touched() {
                bed[usize::from(cell.cell)] = OUTSIDE;
                lifted.push(std::mem::take(&mut depth[usize::from(cell.cell)]));
            }
            let mut contents = Vec::with_capacity(tracers * lifted.len());
            for plane in &mut water.contents {
                let plane: &mut [i64] = plane;
                let all = touched().map(|cell| std::mem::take(&mut plane[usize::from(cell.cell)]));
                contents.extend(all);
            }
            (lifted, contents)
        };
        let lifted: Vec<(Vec<i32>, Vec<i64>)> =
            own.par_iter().copied().zip(planes.collect::<Vec<_>>()).map(lift).collect();
        for (own, (depths, contents)) in own.into_iter().zip(lifted) {
            let mut next = 0;
            for at in own.iter().map(|&at| at as usize) {
                let cell = &mut region.cells[at];
                if cell.is_touched {
                    cell.depth = depths[next];
                    cell.upper = cell.upper.min(cell.depth);
                    cell.held = cell.held.clamp(-cell.depth, cell.depth);
                    for (tracer, plane) in region.contents.iter_mut().enumerate() {
                        plane[at] = contents[tracer * depths.len() + next];
                    }
                    next += 1;
                }
            }
        }
    }

    /// Puts the water of touched cells back, and shows what flowed there.
    #[expect(clippy::cast_possible_truncation, reason = "speeds and depths")]
    pub(in crate::sim) fn lower_solids(&mut self) {
        let mut region = std::mem::take(&mut self.state.solids.region);
        if region.cells.is_empty() {
            // What is driven where nothing is touched has moved for a cycle, too.
            self.stop_solids(&mut region);
            self.state.solids.region = region;
            return;
        }
        self.lower(&region);
        for group in region.groups.iter().filter(|group| !group.is_asleep) {
            for &leaf in &group.leaves {
                // The next plan reckons with what the kernel did not see.
                let faces = &mut self.state.leaves.scratch[leaf as usize].seen.faces;
                faces.speed_max = maths::max(faces.speed_max, group.fastest as f32);
                faces.flow_depth_max = maths::max(faces.flow_depth_max, group.deepest as f32);
            }
        }
        let (water, unit_m) = (&self.state.leaves.water, self.params.unit_m);
        region.cells.par_iter_mut().with_min_len(1024).filter(|cell| !cell.is_touched).for_each(
            |cell| {
                let depth = water[cell.leaf as usize].depth[usize::from(cell.cell)];
                let stage = f64::from(cell.bed + depth) * unit_m;
                cell.surface = if depth > 0 { stage } else { f64::NAN };
            },
        );
        let open = region.open_sides();
        for _ in 0..ROUNDS {
            self.carry_surface(&mut region, &open);
        }
        self.stop_solids(&mut region);
        self.state.solids.region = region;
    }

    /// Puts water, ground and flows into the planes of all leaves that are awake.
    fn lower(&mut self, region: &Region) {
        let flows = flows(region);
        let (leaves, own) =
            region.by_leaf.filtered(|leaf| !self.state.leaves.asleep[leaf as usize]);
        let states = pick(&mut self.state.leaves.own, &leaves);
        let planes = pick(&mut self.state.leaves.water, &leaves)
            .into_iter()
            .zip(pick(&mut self.state.leaves.grounds, &leaves));
        let lower = |((own, leaf), (water, ground)): (_, (&mut Water, &mut Ground))| {
            let (own, leaf): (&[u32], &mut LeafOwn) = (own, leaf);
            let all = || own.iter().map(|&at| (at as usize, &region.cells[at as usize]));
            let touched = || all().filter(|(_, cell)| cell.is_touched);
            for (plane, lifted) in water.contents.iter_mut().zip(&region.contents) {
                let plane: &mut [i64] = plane;
                touched().for_each(|(at, cell)| plane[usize::from(cell.cell)] += lifted[at]);
            }
            let (bed, depth): (&mut [i32], &mut [i32]) = (&mut ground.bed, &mut water.depth);
            for (_, cell) in touched() {
                bed[usize::from(cell.cell)] = cell.bed;
                depth[usize::from(cell.cell)] += cell.depth;
                leaf.is_wet |= cell.depth > 0;
            }
            for (axis, plane) in [&mut water.flow_x, &mut water.flow_y].into_iter().enumerate() {
                let plane: &mut [f32] = plane;
                for (at, cell) in all().filter(|&(at, _)| !flows[at][axis].is_nan()) {
                    plane[usize::from(cell.cell)] = flows[at][axis];
                }
            }
        };
        let own: Vec<(&[u32], &mut LeafOwn)> = own.into_iter().zip(states).collect();
        own.into_par_iter().zip(planes.collect::<Vec<_>>()).for_each(lower);
    }

    /// Takes what the planes tell where a passage remembers nothing.
    pub(in crate::sim) fn read_flows(&mut self) {
        let region = &mut self.state.solids.region;
        for passage in &mut region.passages {
            let behind = &region.cells[region.nodes[passage.nodes[1] as usize].cell as usize];
            let before = &region.cells[region.nodes[passage.nodes[0] as usize].cell as usize];
            if passage.q.is_finite() {
                continue;
            }
            passage.q = 0.0;
            if passage.place.2 == 0 && !(behind.is_apart || before.is_apart) {
                let water = &self.state.leaves.water[behind.leaf as usize];
                let plane = if passage.place.1 == 0 { &water.flow_x } else { &water.flow_y };
                passage.q = f64::from(plane[usize::from(behind.cell)]) * passage.width;
            }
        }
    }

    /// Carries the surface of open water on below solids: each cell takes its own as far as it is
    /// open, and the mean of those around it for the rest. What a wall parts does not mix: only
    /// below a solid that has no water under it.
    fn carry_surface(&self, region: &mut Region, open: &[[bool; 4]]) {
        for (index, &open) in open.iter().enumerate() {
            let cell = region.cells[index];
            let node = &region.nodes[cell.node as usize];
            if !cell.is_touched || self.state.leaves.asleep[cell.leaf as usize] {
                continue;
            }
            let (mut sum, mut count) = (0.0, 0.0);
            let seeps = cell.is_apart && cell.depth == cell.upper;
            let sides = region.beside[index].into_iter().zip(open);
            for (beside, _) in sides.filter(|&(at, is_open)| at != NONE && (is_open || seeps)) {
                let surface = region.cells[beside as usize].surface;
                if surface.is_finite() {
                    (sum, count) = (sum + surface, count + 1.0);
                }
            }
            let lower = cell.depth - cell.upper;
            let own = if cell.is_apart {
                if lower > 0 {
                    node.floor + f64::from(lower) * self.params.unit_m
                } else {
                    f64::NAN
                }
            } else if cell.depth > 0 {
                node.head_of(
                    f64::from(cell.lower().saturating_sub(cell.held).max(0)) * self.params.unit_m,
                )
            } else {
                f64::NAN
            };
            region.cells[index].surface = match (count > 0.0, own.is_finite()) {
                (true, true) => {
                    let around = sum / count;
                    larger((1.0 - cell.share) * own + cell.share * around, node.floor)
                }
                (true, false) if cell.is_apart => sum / count,
                (_, _) => own,
            };
        }
    }
}

/// The sums of what flows through passages and what walls take along, by the cell behind the face
/// and its axis.
#[expect(clippy::cast_possible_truncation, reason = "planes hold f32")]
fn flows(region: &Region) -> Vec<[f32; 2]> {
    let mut flows = vec![[NO_FLOW; 2]; region.cells.len()];
    let face = |passage: &Passage| (passage.place.0, passage.place.1);
    for same in region.passages.chunk_by(|a, b| face(a) == face(b)) {
        let behind = region.nodes[same[0].nodes[1] as usize].cell as usize;
        let sum: f64 = same.iter().map(|passage| passage.q).sum();
        flows[behind][usize::from(same[0].place.1)] = sum as f32 + 0.0;
    }
    for sweep in &region.sweeps {
        let shown = &mut flows[sweep.cells[1] as usize][usize::from(sweep.axis)];
        *shown = if shown.is_nan() { 0.0 } else { *shown } + sweep.q as f32;
    }
    flows
}
