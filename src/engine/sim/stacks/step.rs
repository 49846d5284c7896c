//! A step of all intervals that are awake.

use crate::flow::transfer::Dither;
use crate::grid::cells::column_row;
use crate::grid::{Axis, LeafId};
use crate::sim::params::Params;
use crate::sim::passage::{EndWater, FaceWater, PassageLaw, PassageWalls};
use crate::sim::quiet::Quiet;
use crate::sim::stacks::heads::Search;
use crate::sim::stacks::net::{Now, StackNet, StackNode};
use crate::sim::stacks::pieces::{SlotPiece, parts};
use crate::sim::step_numbers::{
    BUSY_UNITS, DAMPING_LEAST, DAMPING_S, DAMPING_SPEED, IDLE_PART, STILL_UNITS, StepNumbers,
};
use crate::sim::table::LeafTable;
use crate::units::{CEILING, SimTime, limits};
use rayon::prelude::*;

/// Number of the random stream of these draws.
// "STACKS", mixed into the seed: the kernels draw at the same faces in the same step.
const DRAWS: u64 = 0x5354_4143_4b53;

/// All data that faces read in a step.
#[derive(Clone, Copy)]
pub(super) struct StackScene<'a> {
    pub net: &'a StackNet,
    pub numbers: StepNumbers,
    /// Draws of the step.
    pub dither: &'a Dither,
    /// Bounds of quiet water, under a tolerance of sleep.
    pub quiet: Option<Quiet>,
}

/// A passage after a step.
#[derive(Debug, Clone, Copy, Default)]
struct SteppedPassage {
    q: f64,
    units: i32,
    is_active: bool,
    /// Speed for the next plan, m/s.
    speed: f64,
}

/// Faces after a step.
#[derive(Debug, Clone)]
struct SteppedFaces {
    piece: SlotPiece,
    is_active: bool,
    speed: f64,
}

impl StackNet {
    /// Moves water between intervals, and between them and open water, for a step of the base
    /// level.
    pub(in crate::sim) fn step(
        &mut self,
        leaves: &mut LeafTable,
        params: &Params,
        from: SimTime,
        to: SimTime,
    ) {
        if self.is_empty() || self.now.awake.is_empty() {
            return;
        }
        let numbers = StepNumbers::of(params, from, to);
        let unit_m = numbers.unit_m;
        let mut now = std::mem::take(&mut self.now);
        self.look(leaves, &mut now, numbers.unit_m);
        let (seed, tick) = (params.settings.seed ^ DRAWS, from.ticks());
        let dither = &Dither::new(seed, params.base, 0, 0, tick);
        let quiet = params.quiet(params.base);
        self.now.awake = std::mem::take(&mut now.awake);
        let scene = StackScene { net: self, numbers, dither, quiet };
        scene.sum_inflows(&mut now);
        scene.set_laws(&mut now);
        let most = self.highest(&now, unit_m);
        let Now { laws, depth, head, .. } = &mut now;
        Search { net: self, laws, depth, most, numbers }.find(head);
        let seen = scene.pass(&mut now);
        let wanted = now.moved.clone();
        self.bound(&mut now);
        scene.cut(&wanted, &mut now);
        now.awake = std::mem::take(&mut self.now.awake);
        self.now = now;
        self.note(&seen, leaves, params);
        self.flow(leaves, params.settings.solver);
    }

    /// Reads depths of open water, stages and present heads.
    fn look(&self, leaves: &LeafTable, now: &mut Now, unit_m: f64) {
        for &node in &now.open {
            let own = &self.nodes[node];
            let mouth = &mut now.mouths[node - self.covered];
            let cell = usize::from(mouth.cell);
            let (ground, depth) =
                (&leaves.grounds[mouth.leaf], leaves.water[mouth.leaf].depth[cell]);
            let is_dry_beyond = depth == 0 && mouth.place() != own.place();
            // The ground of a dry cell elsewhere is no stage: it may be higher than the node's own.
            now.stage[node] = if is_dry_beyond { own.bed } else { ground.stage(cell, depth) };
            // An open cell may be over sub-grid columns: its room, as a stage.
            let full = depth.max(CEILING - ground.dry_stage(cell));
            // Rounded down: nodes that share the water together take no more than there is.
            (now.depth[node], mouth.full) = (depth / mouth.shared, full / mouth.shared);
            now.head[node] = f64::from(now.stage[node]) * unit_m;
        }
        for node in now.awake.iter().flat_map(|&slot| self.slots[slot].intervals.clone()) {
            let (own, depth) = (&self.nodes[node], now.depth[node]);
            now.stage[node] = own.bed + depth;
            let low = f64::from(own.bed + depth) * unit_m;
            let is_full = self.is_full(node, depth);
            now.head[node] = if is_full { now.head[node].max(low) } else { low };
        }
    }

    /// Returns the leaf of the water of a node.
    fn leaf_of(&self, node: usize) -> LeafId {
        match node.checked_sub(self.covered) {
            Some(open) => self.now.mouths[open].leaf,
            None => self.nodes[node].leaf,
        }
    }

    /// Returns the depth from which an interval is full, vertical units.
    pub(super) fn full_from(&self, own: &StackNode) -> i32 {
        let capacity = own.ceiling - own.bed;
        capacity - self.band.min(capacity / 2)
    }

    /// Returns true if an interval is full, within the band.
    pub(super) fn is_full(&self, node: usize, depth: i32) -> bool {
        let own = &self.nodes[node];
        !own.is_open && depth >= self.full_from(own)
    }

    /// Reports to leaves the results of their faces, for sleep and for the next plan.
    #[expect(clippy::cast_possible_truncation, reason = "a speed")]
    fn note(&self, seen: &[SteppedFaces], leaves: &mut LeafTable, params: &Params) {
        for seen in seen {
            let SlotPiece { slot, ref range } = seen.piece;
            let pace = params.pace(seen.speed, 0.0) as f32;
            let mut note = |leaf: LeafId| {
                let scratch = &mut leaves.scratch[leaf];
                scratch.seen.faces.is_active |= seen.is_active;
                scratch.pace_at_ends = scratch.pace_at_ends.max(pace);
            };
            note(self.slots[slot].leaf);
            // Flow over its west and south sides keeps its neighbours awake, too.
            if seen.is_active {
                let own = self.slots[slot].leaf;
                let ends = self.passages[range.clone()].iter().flat_map(|passage| passage.ends);
                let beyond = ends.map(|node| self.leaf_of(node as usize));
                beyond.filter(|leaf| *leaf != own).for_each(note);
            }
        }
    }
}

impl StackScene<'_> {
    /// Returns the inflows of the intervals of slots that are awake, in one list.
    #[expect(clippy::cast_possible_truncation, reason = "rounded to f32 on purpose")]
    fn sum_inflows(&self, now: &mut Now) {
        let net = self.net;
        let pieces = net.intervals_awake();
        let Now { inflow, q, .. } = now;
        let all = parts(inflow, &pieces).into_iter().zip(&pieces).collect::<Vec<_>>();
        all.into_par_iter().for_each(|(inflow, piece)| {
            for (own, node) in inflow.iter_mut().zip(piece.range.clone()) {
                *own = [f32::NAN; 4];
                for &at in net.passages_of(node) {
                    let passage = &net.passages[at as usize];
                    let is_behind = passage.ends[1] as usize == node;
                    let side = usize::from(passage.axis == Axis::Y) + if is_behind { 0 } else { 2 };
                    let into = if is_behind { q[at as usize] } else { -q[at as usize] };
                    let before = if own[side].is_nan() { 0.0 } else { own[side] };
                    own[side] = before + into as f32;
                }
                // Nothing enters over a closed side: water turns in from the strongest open side,
                // or from above if the stage falls.
                let open = own.iter().filter(|side| !side.is_nan());
                let turns = open.clone().copied().fold(-open.sum::<f32>(), f32::max);
                own.iter_mut().filter(|side| side.is_nan()).for_each(|side| *side = turns);
            }
        });
    }

    /// Computes the laws of all faces of slots that are awake.
    fn set_laws(&self, now: &mut Now) {
        let pieces = self.net.passages_awake();
        let mut laws = std::mem::take(&mut now.laws);
        let all = parts(&mut laws, &pieces).into_iter().zip(&pieces).collect::<Vec<_>>();
        all.into_par_iter().for_each(|(laws, piece)| {
            for (law, at) in laws.iter_mut().zip(piece.range.clone()) {
                *law = self.law(at, now);
            }
        });
        now.laws = laws;
    }

    fn law(&self, at: usize, now: &Now) -> PassageLaw {
        let (net, unit_m) = (self.net, self.numbers.unit_m);
        let Now { depth, stage, inflow, .. } = now;
        let passage = &net.passages[at];
        let ends = passage.ends.map(|node| node as usize);
        let [sill, roof] = net.opening(at, now);
        if roof <= sill {
            return PassageLaw::default();
        }
        let water = |node: usize| {
            let (own, stage) = (&net.nodes[node], stage[node]);
            let is_full = net.is_full(node, depth[node]);
            let stage = if is_full { own.ceiling } else { stage };
            EndWater {
                stage: f64::from(stage) * unit_m,
                depth: f64::from(stage - own.bed) * unit_m,
            }
        };
        let along = usize::from(passage.axis == Axis::Y);
        // Open nodes come behind all intervals, for which alone `inflow` has entries.
        let straight = |node: usize, side: usize| Some(f64::from(inflow.get(node)?[side]));
        let face = FaceWater {
            ends: ends.map(water),
            sill: f64::from(sill) * unit_m,
            roof: f64::from(roof) * unit_m,
            width: 1.0,
            walls: PassageWalls::Thick,
            is_stream: false,
            n2: f64::from(passage.n2),
            q: now.q[at],
            straight: [straight(ends[0], along), straight(ends[1], along + 2)],
        };
        PassageLaw::of(&face, &self.numbers)
    }

    /// Computes the discharges under the heads, and their whole units.
    fn pass(&self, now: &mut Now) -> Vec<SteppedFaces> {
        let pieces = self.net.passages_awake();
        let Now { laws, head, q, moved, .. } = now;
        let all = parts(q, &pieces).into_iter().zip(parts(moved, &pieces));
        let all: Vec<_> = all.zip(pieces).collect();
        all.into_par_iter()
            .map(|((q, moved), piece)| {
                let mut seen = SteppedFaces { piece, is_active: false, speed: 0.0 };
                for (i, at) in seen.piece.range.clone().enumerate() {
                    let passed = self.passed(seen.piece.slot, at, &laws[at], head);
                    (q[i], moved[i]) = (passed.q, passed.units);
                    seen.is_active |= passed.is_active;
                    seen.speed = seen.speed.max(passed.speed);
                }
                seen
            })
            .collect()
    }

    #[expect(clippy::cast_possible_truncation, reason = "rounded and bounded in `round_face`")]
    fn passed(&self, slot: usize, at: usize, law: &PassageLaw, head: &[f64]) -> SteppedPassage {
        if law.push == 0.0 {
            return SteppedPassage::default();
        }
        let StepNumbers { dt_s, unit_m, gravity, .. } = self.numbers;
        let units_per_flow = self.numbers.ratio() / unit_m;
        let passage = &self.net.passages[at];
        let heads = passage.ends.map(|node| head[node as usize]);
        let mut q = law.carried(heads, gravity).0;
        let over = heads.map(|head| head.max(law.sill));
        let fall = (over[0] - over[1]).abs();
        let speed = q.abs() / law.depth;
        let rough = f64::from(limits::SLEEP_STAGE_DIFFERENCE) * unit_m;
        let wave = (gravity * law.depth).sqrt();
        let slow = DAMPING_SPEED * wave;
        if speed < slow && fall <= rough {
            // As the kernels settle.
            q *= 1.0 - (dt_s / DAMPING_S).clamp(DAMPING_LEAST, 1.0);
            if fall <= STILL_UNITS * unit_m && (q * units_per_flow).abs() < 0.05 {
                q = 0.0;
            }
        }
        // Thin films may creep: what is not rough moves them no faster.
        // A long wave of height `rough` moves water at ½ `rough` √(g/h).
        let creep = 0.5 * rough * gravity / wave;
        let is_fast = match &self.quiet {
            Some(quiet) => quiet.is_passing(speed, law.depth, fall / unit_m),
            None => speed > (IDLE_PART * slow).max(creep) || fall > rough,
        };
        let slot = &self.net.slots[slot];
        let (column, row) = column_row(usize::from(passage.cell));
        let (x, y) = (slot.corner.x + column, slot.corner.y + row);
        // Faces one above the other draw apart.
        let x = x.wrapping_add((passage.sill.cast_unsigned()).wrapping_mul(0x9e37_79b9));
        let wanted = (q * units_per_flow) as f32;
        SteppedPassage {
            q: q + 0.0,
            units: self.dither.round_face(passage.axis, x.cast_signed(), y.cast_signed(), wanted),
            is_active: is_fast && (q * units_per_flow).abs() >= BUSY_UNITS,
            speed,
        }
    }

    /// Cuts discharges with their transfers.
    fn cut(&self, wanted: &[i32], now: &mut Now) {
        for piece in self.net.passages_awake() {
            for at in piece.range {
                if now.moved[at] != wanted[at] {
                    now.q[at] *= f64::from(now.moved[at]) / f64::from(wanted[at]);
                    now.q[at] += 0.0;
                }
            }
        }
    }
}
