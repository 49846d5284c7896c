//! Takes the water of touched cells out of the planes for a cycle, and puts it back.

use crate::sim::solids::region::{RegionCellId, SolidPassage, SolidRegion, larger};
use crate::sim::solids::sweep::Sweep;
use crate::sim::table::{LeafOwn, LeafTable, pick};
use crate::tile::{Ground, Resident, Water};
use crate::units::OUTSIDE;
use rayon::prelude::*;

/// Rounds in a cycle by which the surface around solids is extended below them.
const ROUNDS: usize = 4; // the next cycle extends the kept surface further

/// No flow through a face.
const NO_FLOW: f32 = f32::NAN;

impl SolidRegion {
    /// Takes the water of touched cells, with this number of tracers, out of the planes of all
    /// leaves that are awake: the kernel takes them for ground outside the world.
    pub(in crate::sim) fn lift(&mut self, leaves: &mut LeafTable, tracers: usize) {
        let (awake, own) = self.by_leaf.filtered(|leaf| !leaves.asleep[leaf]);
        if awake.is_empty() {
            return;
        }
        self.contents.clear();
        self.contents.resize_with(tracers, || vec![0; self.cells.len()].into());
        let cells = &self.cells;
        let planes =
            pick(&mut leaves.water, &awake).into_iter().zip(pick(&mut leaves.grounds, &awake));
        let lift = |(own, (water, ground)): (
            &[RegionCellId],
            (&mut Resident<Water>, &mut Resident<Ground>),
        )| {
            let water = &mut **water;
            let touched = || own.iter().map(|&at| &cells[at]).filter(|at| at.is_touched);
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
        let mut planes: Vec<&mut [i64]> =
            self.contents.iter_mut().map(|plane| &mut plane[..]).collect();
        for (own, (depths, contents)) in own.into_iter().zip(lifted) {
            let mut next = 0;
            for &at in own {
                let cell = &mut self.cells[at];
                if cell.is_touched {
                    cell.depth = depths[next];
                    // An action may take water between cycles, and planes do not know upper water.
                    cell.upper = cell.upper.min(cell.depth);
                    cell.held = cell.held.clamp(-cell.depth, cell.depth);
                    for (tracer, plane) in planes.iter_mut().enumerate() {
                        plane[at.index()] = contents[tracer * depths.len() + next];
                    }
                    next += 1;
                }
            }
        }
    }

    /// Recomputes the surface of open water, and extends it below solids.
    pub(super) fn carry_surfaces(&mut self, leaves: &LeafTable, unit_m: f64) {
        self.cells.par_iter_mut().with_min_len(1024).filter(|cell| !cell.is_touched).for_each(
            |cell| {
                let depth = leaves.water[cell.leaf].depth[usize::from(cell.cell)];
                let stage = f64::from(cell.bed + depth) * unit_m;
                cell.surface = if depth > 0 { stage } else { f64::NAN };
            },
        );
        let open = self.open_sides();
        for _ in 0..ROUNDS {
            self.carry_surface(&open, leaves, unit_m);
        }
    }

    /// Puts the water of touched cells back, with ground and flows, into the planes of all leaves
    /// that are awake.
    pub(super) fn lower(&self, sweeps: &[Sweep], leaves: &mut LeafTable) {
        let (awake, own) = self.by_leaf.filtered(|leaf| !leaves.asleep[leaf]);
        if awake.is_empty() {
            return;
        }
        let flows = flows(self, sweeps);
        let states = pick(&mut leaves.own, &awake);
        let planes =
            pick(&mut leaves.water, &awake).into_iter().zip(pick(&mut leaves.grounds, &awake));
        let lower =
            |((own, leaf), (water, ground)): (_, (&mut Resident<Water>, &mut Resident<Ground>))| {
                let (own, leaf): (&[RegionCellId], &mut LeafOwn) = (own, leaf);
                let water = &mut **water;
                let all = || own.iter().map(|&at| (at, &self.cells[at]));
                let touched = || all().filter(|(_, cell)| cell.is_touched);
                for (plane, lifted) in water.contents.iter_mut().zip(&self.contents) {
                    let plane: &mut [i64] = plane;
                    touched()
                        .for_each(|(at, cell)| plane[usize::from(cell.cell)] += lifted[at.index()]);
                }
                let (bed, depth): (&mut [i32], &mut [i32]) = (&mut ground.bed, &mut water.depth);
                for (_, cell) in touched() {
                    bed[usize::from(cell.cell)] = cell.bed;
                    depth[usize::from(cell.cell)] += cell.depth;
                    leaf.is_wet |= cell.depth > 0;
                    leaf.wet = None;
                }
                for (axis, plane) in [&mut water.flow_x, &mut water.flow_y].into_iter().enumerate()
                {
                    let plane: &mut [f32] = plane;
                    for (at, cell) in all().filter(|&(at, _)| !flows[at][axis].is_nan()) {
                        plane[usize::from(cell.cell)] = flows[at][axis];
                    }
                }
            };
        let own: Vec<(&[RegionCellId], &mut LeafOwn)> = own.into_iter().zip(states).collect();
        own.into_par_iter().zip(planes.collect::<Vec<_>>()).for_each(lower);
    }

    /// Reads the discharges of the planes for passages without a discharge of their own.
    pub(super) fn read_flows(&mut self, water: &[Resident<Water>]) {
        for passage in &mut self.passages {
            let [before, behind] = passage.nodes.map(|node| &self.cells[self.nodes[node].cell]);
            if passage.q.is_finite() {
                continue;
            }
            passage.q = 0.0;
            if passage.place.2 == 0 && !(behind.is_apart || before.is_apart) {
                let water = &water[behind.leaf];
                let plane = if passage.place.1 == 0 { &water.flow_x } else { &water.flow_y };
                passage.q = f64::from(plane[usize::from(behind.cell)]) * passage.width;
            }
        }
    }

    /// Extends the surface of open water below solids: each cell takes its own in the part that is
    /// open, and the mean of the cells around it for the rest. Water on both sides of a wall does
    /// not mix, except below a solid that has no water under it.
    fn carry_surface(&mut self, open: &[[bool; 4]], leaves: &LeafTable, unit_m: f64) {
        // In place: a cell reads the new surfaces of cells before it, so one thread goes over all.
        for (index, &open) in open.iter().enumerate() {
            let cell = self.cells[index];
            let node = &self.nodes[cell.node];
            if !cell.is_touched || leaves.asleep[cell.leaf] {
                continue;
            }
            let (mut sum, mut count) = (0.0, 0.0);
            let seeps = cell.is_apart && cell.depth == cell.upper;
            let sides = self.beside[index].into_iter().zip(open);
            for (beside, _) in
                sides.filter(|&(at, is_open)| at != RegionCellId::NONE && (is_open || seeps))
            {
                let surface = self.cells[beside].surface;
                if surface.is_finite() {
                    (sum, count) = (sum + surface, count + 1.0);
                }
            }
            let lower = cell.lower();
            let own = if cell.is_apart {
                if lower > 0 { node.floor + f64::from(lower) * unit_m } else { f64::NAN }
            } else if cell.depth > 0 {
                self.head(&cell, unit_m)
            } else {
                f64::NAN
            };
            self.cells[index].surface = match (count > 0.0, own.is_finite()) {
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

/// Returns the sums of the flows through passages and of the water that walls take along, by the
/// cell behind the face and its axis.
#[expect(clippy::cast_possible_truncation, reason = "planes hold f32")]
fn flows(region: &SolidRegion, sweeps: &[Sweep]) -> Vec<[f32; 2]> {
    let mut flows = vec![[NO_FLOW; 2]; region.cells.len()];
    let face = |passage: &SolidPassage| (passage.place.0, passage.place.1);
    for same in region.passages.chunk_by(|a, b| face(a) == face(b)) {
        let behind = region.nodes[same[0].nodes[1]].cell;
        let sum: f64 = same.iter().map(|passage| passage.q).sum();
        // `+ 0.0` turns a −0 into a 0: the flows in the planes are state, which has no −0.
        flows[behind][usize::from(same[0].place.1)] = sum as f32 + 0.0;
    }
    for sweep in sweeps {
        let shown = &mut flows[sweep.cells[1]][usize::from(sweep.axis)];
        *shown = if shown.is_nan() { 0.0 } else { *shown } + sweep.q as f32;
    }
    flows
}
