//! Takes the water of touched cells out of the planes for a cycle, and puts it back.

use crate::sim::Simulation;
use crate::sim::solids::region::NONE;
use crate::sim::solids::region::Passage;
use crate::sim::solids::region::Region;
use crate::sim::solids::region::larger;
use crate::units::OUTSIDE;
use crate::units::maths;

/// Rounds in a cycle by which the surface around solids goes on below them.
const ROUNDS: usize = 4;

impl Simulation {
    /// Takes the water of touched cells out: the kernel takes them for ground outside the world.
    pub(in crate::sim) fn lift_solids(&mut self) {
        let region = &mut self.solids.region;
        region.contents.clear();
        region.contents.resize(self.tracers.len(), vec![0; region.cells.len()]);
        for (index, cell) in region.cells.iter_mut().enumerate() {
            let (leaf, at) = (cell.leaf as usize, usize::from(cell.cell));
            if !cell.is_touched || self.asleep[leaf] {
                continue;
            }
            for (plane, lifted) in self.water[leaf].contents.iter_mut().zip(&mut region.contents) {
                lifted[index] = std::mem::take(&mut plane[at]);
            }
            let depth = &mut self.water[leaf].depth[at];
            cell.depth = std::mem::take(depth);
            cell.upper = cell.upper.min(cell.depth);
            self.grounds[leaf].bed[at] = OUTSIDE;
        }
    }

    /// Puts the water of touched cells back, and shows what flowed there.
    #[expect(clippy::cast_possible_truncation, reason = "speeds and depths")]
    pub(in crate::sim) fn lower_solids(&mut self) {
        if self.solids.region.cells.is_empty() {
            return;
        }
        let mut region = std::mem::take(&mut self.solids.region);
        for (index, cell) in region.cells.iter().enumerate() {
            let (leaf, at) = (cell.leaf as usize, usize::from(cell.cell));
            if !cell.is_touched || self.asleep[leaf] {
                continue;
            }
            for (plane, lifted) in self.water[leaf].contents.iter_mut().zip(&region.contents) {
                plane[at] += lifted[index];
            }
            self.grounds[leaf].bed[at] = cell.bed;
            self.water[leaf].depth[at] += cell.depth;
        }
        self.show_flows(&region);
        for group in region.groups.iter().filter(|group| !group.is_asleep) {
            for &leaf in &group.leaves {
                // The next plan reckons with what the kernel did not see.
                let faces = &mut self.leaves[leaf as usize].seen.faces;
                faces.speed_max = maths::max(faces.speed_max, group.fastest as f32);
                faces.flow_depth_max = maths::max(faces.flow_depth_max, group.deepest as f32);
            }
        }
        for cell in region.cells.iter_mut().filter(|cell| !cell.is_touched) {
            let depth = self.water[cell.leaf as usize].depth[usize::from(cell.cell)];
            let stage = f64::from(cell.bed + depth) * self.unit_m;
            cell.surface = if depth > 0 { stage } else { f64::NAN };
        }
        let open = region.open_sides();
        for _ in 0..ROUNDS {
            self.carry_surface(&mut region, &open);
        }
        self.solids.region = region;
    }

    /// Puts the sums of what flows through passages into the planes.
    #[expect(clippy::cast_possible_truncation, reason = "planes hold f32")]
    fn show_flows(&mut self, region: &Region) {
        let face = |passage: &Passage| (passage.place.0, passage.place.1);
        for same in region.passages.chunk_by(|a, b| face(a) == face(b)) {
            let behind = &region.cells[region.nodes[same[0].nodes[1] as usize].cell as usize];
            if self.asleep[behind.leaf as usize] {
                continue;
            }
            let sum: f64 = same.iter().map(|passage| passage.q).sum();
            let water = &mut self.water[behind.leaf as usize];
            let plane = if same[0].place.1 == 0 { &mut water.flow_x } else { &mut water.flow_y };
            plane[usize::from(behind.cell)] = sum as f32 + 0.0;
        }
    }

    /// Takes what the planes tell where a passage remembers nothing.
    pub(in crate::sim) fn read_flows(&mut self) {
        let region = &mut self.solids.region;
        for passage in &mut region.passages {
            let behind = &region.cells[region.nodes[passage.nodes[1] as usize].cell as usize];
            let before = &region.cells[region.nodes[passage.nodes[0] as usize].cell as usize];
            if passage.q.is_finite() {
                continue;
            }
            passage.q = 0.0;
            if passage.place.2 == 0 && !(behind.is_apart || before.is_apart) {
                let water = &self.water[behind.leaf as usize];
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
            if !cell.is_touched || self.asleep[cell.leaf as usize] {
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
                if lower > 0 { node.floor + f64::from(lower) * self.unit_m } else { f64::NAN }
            } else if cell.depth > 0 {
                node.head_of(f64::from(cell.depth) * self.unit_m)
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
