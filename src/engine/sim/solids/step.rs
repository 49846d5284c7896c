//! The solids' part of a step: heads, whole transfers, and water without room.

use crate::flow::transfer::Dither;
use crate::grid::Axis;
use crate::sim::bounds::{NodePassage, highest, share_out};
use crate::sim::params::Params;
use crate::sim::quiet::Quiet;
use crate::sim::solids::field::SolidField;
use crate::sim::solids::group::{OwnNode, SolidGroup};
use crate::sim::solids::heads::Problem;
use crate::sim::solids::law::{DischargeLine, line};
use crate::sim::solids::region::{
    FULL_WITHIN, NodeId, PassageId, SolidNode, SolidRegion, larger, place_of_key, smaller,
};
use crate::sim::solids::sweep::{DRAWS, sweep};
use crate::sim::step_numbers::{
    BUSY_UNITS, DAMPING_LEAST, DAMPING_S, DAMPING_SPEED, IDLE_PART, STILL_UNITS, StepNumbers,
};
use crate::sim::table::LeafTable;
use crate::tile::{Resident, Water};
use crate::units::{CEILING, SimTime, limits};
use rayon::prelude::*;

/// Part of the water of an open cell that solids' passages may take in a step.
const OPEN_PART: i32 = 2;

/// Upper bound of the passages that lead to the water of a cell: six to each of its two on each
/// side.
const PASSAGES_MOST: i64 = 64; // 6 × 2 × 4 = 48 at most

/// All data that groups read in a step.
struct SolidScene<'a> {
    region: &'a SolidRegion,
    water: &'a [Resident<Water>],
    numbers: StepNumbers,
    dither: Dither,
    /// Bounds of quiet water, under a tolerance of sleep.
    quiet: Option<Quiet>,
}

impl SolidField {
    /// Moves water around, over and under solids, for a step of the base level.
    pub(in crate::sim) fn step(
        &mut self,
        leaves: &mut LeafTable,
        params: &Params,
        from: SimTime,
        to: SimTime,
    ) {
        if self.groups.is_empty() {
            return;
        }
        let level = params.base;
        let numbers = StepNumbers::of(params, from, to);
        let Self { region, groups, sweeps, .. } = self;
        let (seed, tick) = (params.settings.seed, from.ticks());
        // Walls move water first, so that the heads are computed with the water at its new place.
        sweep(sweeps, region, leaves, &numbers, &Dither::new(seed ^ DRAWS, level, 0, 0, tick));
        let dither = Dither::new(seed, level, 0, 0, tick);
        let quiet = params.quiet(level);
        let scene = SolidScene { region, water: &leaves.water, numbers, dither, quiet };
        groups.par_iter_mut().with_min_len(8).for_each(|group| {
            group.is_asleep = group.leaves.iter().any(|&leaf| leaves.asleep[leaf]);
            if !group.is_asleep {
                group.step(&scene);
            }
        });
        // One after the other: two groups may have cells in one leaf, whose planes they change.
        for group in groups.iter_mut().filter(|group| !group.is_asleep) {
            group.put_flows(region, leaves);
            group.find_room(region, leaves, (params.unit_m, quiet.as_ref()));
            for &leaf in &group.leaves {
                leaves.scratch[leaf].seen.faces.is_active |= group.is_active;
            }
        }
    }
}

impl SolidRegion {
    /// Returns the units that a node takes until its head is `most`, m above the datum; a quarter
    /// of that at once.
    #[expect(clippy::cast_possible_truncation, reason = "bounded by the ceiling")]
    fn spare_below(&self, node: NodeId, most: f64, water: &[Resident<Water>], unit_m: f64) -> i32 {
        let own = &self.cells[self.nodes[node].cell];
        let depth =
            if own.is_touched { own.depth } else { water[own.leaf].depth[usize::from(own.cell)] };
        let most = (most / unit_m).min(f64::from(CEILING));
        let room = most - f64::from(own.bed) - f64::from(depth);
        (room / 4.0).max(0.0) as i32
    }
}

impl SolidScene<'_> {
    /// Returns the units that each passage may bring to a node, so that all together leave the
    /// water of its cell below the ceiling.
    fn room(&self, node: &SolidNode) -> i64 {
        let cell = &self.region.cells[node.cell];
        let depth = if cell.is_touched {
            cell.depth
        } else {
            self.water[cell.leaf].depth[usize::from(cell.cell)]
        };
        let stage = i64::from(cell.bed) + i64::from(depth);
        let over = i64::from(cell.high) + i64::from(cell.upper);
        let above = if node.is_upper { stage.max(over) } else { stage };
        (i64::from(CEILING) - above).max(0) / PASSAGES_MOST
    }
}

impl SolidGroup {
    /// Moves the transfers of its passages, and notes their discharges and the heads of its nodes.
    fn put_flows(&self, region: &mut SolidRegion, leaves: &mut LeafTable) {
        for ((&passage, &q), &units) in self.passages.iter().zip(&self.flows).zip(&self.moved) {
            let passage = &mut region.passages[passage];
            passage.q = q;
            let [before, behind] = passage.nodes;
            match units {
                0 => {}
                1.. => region.hand_over([before, behind], units, leaves),
                _ => region.hand_over([behind, before], -units, leaves),
            }
        }
    }

    /// Sets the heads of its nodes, and finds room for water that has none under solids. A rest
    /// keeps it awake: under a tolerance of sleep a rest above the tolerance.
    fn find_room(
        &mut self,
        region: &mut SolidRegion,
        leaves: &mut LeafTable,
        (unit_m, quiet): (f64, Option<&Quiet>),
    ) {
        for (at, &node) in self.nodes.iter().enumerate() {
            region.nodes[node].head = self.heads[at];
            let SolidNode { cell, is_upper, .. } = region.nodes[node];
            let own = region.cells[cell];
            if is_upper || !own.is_apart {
                continue;
            }
            let excess = own.lower() - (own.low - own.bed);
            if excess <= FULL_WITHIN {
                continue;
            }
            let is_active = quiet.is_none_or(|quiet| quiet.is_beyond(excess));
            let exit = self.exits[at];
            if own.upper > 0 {
                // The water above takes it.
                region.cells[cell].upper += excess;
            } else if exit != OwnNode::NONE && own.low - own.bed <= FULL_WITHIN {
                let to = self.nodes[exit];
                let units = excess.min(region.spare_below(to, self.most, &leaves.water, unit_m));
                if units > 0 {
                    region.hand_over([node, to], units, leaves);
                    self.is_active |= is_active;
                }
            } else {
                self.is_active |= is_active;
            }
        }
    }

    /// Computes the transfers of its passages in a step.
    fn step(&mut self, scene: &SolidScene<'_>) {
        let numbers = &scene.numbers;
        let unit_m = numbers.unit_m;
        let mut nodes: Vec<SolidNode> = Vec::with_capacity(self.nodes.len());
        let mut depths = Vec::with_capacity(self.nodes.len());
        self.most = f64::NEG_INFINITY;
        let (mut lowest, mut fastest) = (f64::INFINITY, 0.0_f64);
        for (at, &node) in self.nodes.iter().enumerate() {
            let mut node = scene.region.nodes[node];
            let cell = &scene.region.cells[node.cell];
            let units = match (cell.is_touched, node.is_upper) {
                (false, _) => scene.water[cell.leaf].depth[usize::from(cell.cell)],
                (true, true) => cell.upper,
                (true, false) => cell.depth - cell.upper,
            };
            let depth = f64::from(units.saturating_sub(cell.held).max(0)) * unit_m;
            self.held[at] = units;
            if cell.is_apart && !node.is_upper {
                let room = cell.low - cell.bed;
                if (units - room).abs() <= FULL_WITHIN {
                    // Just full: what rounding left over or short is neither pressure nor a gap.
                    node.low = node.floor + depth;
                }
                self.heads[at] = if units >= room - FULL_WITHIN {
                    larger(self.heads[at], node.low)
                } else {
                    node.floor + depth
                };
                if units > 0 {
                    // Free water counts at its present stage, full water at least up to its roof.
                    let stands = smaller(node.floor + depth, node.low);
                    self.most = larger(stands, self.most);
                }
                if units - room > FULL_WITHIN {
                    // The excess is taken for the way by which the solid came down in this step.
                    fastest = larger((f64::from(units - room) * unit_m) / numbers.dt_s, fastest);
                }
            } else {
                self.heads[at] = node.head_of(depth);
                if units > 0 {
                    self.most = larger(self.heads[at], self.most);
                }
            }
            lowest = smaller(node.floor, lowest);
            nodes.push(node);
            depths.push(depth);
        }
        // Bounded: a solid that is moved faster than water makes room waits for it, and the rest is
        // no speed.
        let impact = fastest * fastest / (2.0 * numbers.gravity); // its velocity head
        self.most = highest(larger(self.most, lowest), lowest, impact);
        for head in &mut self.heads {
            *head = smaller(*head, larger(self.most, lowest));
        }
        let lines = self.lines(scene, &nodes);
        let ratio = numbers.ratio();
        let (nodes, lines, depths) = (&nodes, &lines, &depths);
        self.find_heads(&Problem { nodes, lines, depths, ratio, most: self.most });
        self.discharge(scene, lines);
        self.limit(scene);
    }

    /// Returns the lines of its passages.
    fn lines(&self, scene: &SolidScene<'_>, nodes: &[SolidNode]) -> Vec<DischargeLine> {
        let of = |(&passage, &[a, b]): (&PassageId, &[OwnNode; 2])| {
            let passage = &scene.region.passages[passage];
            let heads = [self.heads[a], self.heads[b]];
            let ends = [&nodes[a], &nodes[b]];
            let n2 = ends.map(|node| f64::from(scene.region.cells[node.cell].n2));
            line(passage, ends, heads, 0.5 * (n2[0] + n2[1]), &scene.numbers)
        };
        self.passages.iter().zip(&self.ends).map(of).collect()
    }

    /// Computes discharges from the heads, and the whole units they move.
    #[expect(clippy::cast_possible_truncation, reason = "rounded and bounded in `round_face`")]
    fn discharge(&mut self, scene: &SolidScene<'_>, lines: &[DischargeLine]) {
        let StepNumbers { dt_s, cell_width_m, unit_m, gravity, .. } = scene.numbers;
        let units_per_flow = dt_s / (cell_width_m * unit_m);
        let (rough, still) =
            (f64::from(limits::SLEEP_STAGE_DIFFERENCE) * unit_m, STILL_UNITS * unit_m);
        self.is_active = false;
        (self.fastest, self.deepest) = (0.0, 0.0);
        for (at, &passage) in self.passages.iter().enumerate() {
            let line = &lines[at];
            let [a, b] = self.ends[at];
            let heads = [self.heads[a], self.heads[b]];
            let mut q = line.bounded(heads);
            let fall = (heads[0] - heads[1]).abs();
            if line.area > 0.0 {
                let speed = q.abs() / line.area;
                let passage = &scene.region.passages[passage];
                if passage.lip.is_infinite() {
                    let high = larger(heads[0], heads[1]);
                    self.fastest = larger(speed, self.fastest);
                    self.deepest = larger(high - passage.sill, self.deepest);
                }
                let slow = DAMPING_SPEED * (gravity * line.area).sqrt();
                if speed < slow && fall <= rough {
                    // As the kernels settle; nothing else here takes from slow eddies.
                    q *= 1.0 - larger(smaller(dt_s / DAMPING_S, 1.0), DAMPING_LEAST);
                    if fall <= still && (q * units_per_flow).abs() < 0.05 {
                        q = 0.0; // less than a unit in 20 steps
                    }
                }
                // Thin films may creep: what is not rough moves them no faster.
                // A long wave of height `rough` moves water at ½ `rough` √(g/h).
                let creep = 0.5 * rough * (gravity / line.area).sqrt();
                let is_fast = match &scene.quiet {
                    Some(quiet) => {
                        let high = larger(heads[0], heads[1]);
                        let depth_m = smaller(high, passage.lip) - passage.sill;
                        quiet.is_passing(speed, depth_m, fall / unit_m)
                    }
                    None => speed > larger(IDLE_PART * slow, creep) || fall > rough,
                };
                self.is_active |= is_fast && (q * units_per_flow).abs() >= BUSY_UNITS;
            }
            let (key, axis, _) = scene.region.passages[passage].place;
            let place = place_of_key(key);
            let axis = [Axis::X, Axis::Y][usize::from(axis)];
            let (x, y) = (place.x.cast_signed(), place.y.cast_signed());
            self.flows[at] = q + 0.0;
            self.moved[at] = scene.dither.round_face(axis, x, y, (q * units_per_flow) as f32);
        }
    }

    /// Cuts transfers to the water of their donors, and to the room of their takers.
    fn limit(&mut self, scene: &SolidScene<'_>) {
        let wanted = std::mem::take(&mut self.moved);
        let mut moved = wanted.clone();
        for (at, own) in OwnNode::all(self.nodes.len()).zip(&self.nodes) {
            let cell = &scene.region.cells[scene.region.nodes[*own].cell];
            let held = self.held[at];
            let has = if cell.is_touched { held } else { held / OPEN_PART };
            let passages = self
                .holds_of(at)
                .iter()
                .map(|hold| NodePassage { at: hold.passage.index(), is_before: hold.is_before });
            share_out(has, &mut moved, passages);
        }
        for (at, ends) in self.ends.iter().enumerate() {
            let wanted = wanted[at];
            if wanted == 0 {
                continue;
            }
            let taker = ends[usize::from(wanted > 0)];
            let room = scene.room(&scene.region.nodes[self.nodes[taker]]);
            let units = i64::from(moved[at].unsigned_abs()).min(room);
            let units = i32::try_from(units).expect("a part of the transfer");
            if units != wanted.abs() {
                self.flows[at] *= f64::from(units) / f64::from(wanted.abs());
            }
            moved[at] = units * wanted.signum();
        }
        self.moved = moved;
    }
}
