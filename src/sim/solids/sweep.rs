//! Walls that move take the water beside them along.
//!
//! ```text
//!   │  · ┃→ │  ·    │      q = u h      u of the wall across a closed face │ on its way,
//!   ┊  b ┃ a┊       ┊                   h beyond that face, of the side the wall is not in
//! ```
//!
//! A cell that a wall parts has one depth, the mean of both sides, *a* and *b*; its passages lead
//! to one of them. What it has too much, or too little, for the stage of that side is *held*:
//! heads leave it out. It changes by the difference of `u h` on both sides, and is taken anew
//! where the wall passes the centre, so that the passages change sides. What is held when the wall
//! goes on to the next cell goes over the face before it: `u (h + held / path left)`.
//!
//! A body that lies on both sides of a face moves water by its volume alone; so does one in a cell
//! that it covers, but for what that loses.
//!
//! Guarantees: a wall that stands moves nothing.
//! Limits:     one that goes to and fro gives back what it took along but for a part that goes with
//!             the square of its speed (`a_wall_that_shakes_pumps_little`); no faster than
//!             long waves in the water beside it; the velocity must be that of the
//!             poses, and counts for one cycle; where a wall ends in a cell nothing is held.
//! Source:     own.

use crate::body::Blocked;
use crate::body::merge::{SPEED, WHOLE};
use crate::flow::transfer::Dither;
use crate::grid::Axis;
use crate::sim::Simulation;
use crate::sim::solids::law::StepNumbers;
use crate::sim::solids::memory::CellMemory;
use crate::sim::solids::region::{NONE, Region, RegionCell, key_of, larger, place_of_key, smaller};
use crate::units::CEILING;

/// How many times the depth beside it a wall moves at most.
const MOST: f64 = 1.5;

/// A stream of numbers of its own.
const DRAWS: u64 = 0x5357_4545;

/// A face that something which moves blocks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sweep {
    /// Cells west or south of it, and east or north.
    pub cells: [u32; 2],
    /// Its axis.
    pub axis: u8,
    /// How far from it the solid is, cells: below 0 before it, 0 on both sides.
    pub lead: f64,
    /// How fast that moves across the face, m/s.
    pub speed: f64,
    /// Part of the face that it blocks.
    pub width: f64,
    /// From this height on, m above the datum.
    pub low: f64,
    /// Up to this one.
    pub high: f64,
    /// Unit discharge of the last step, m²/s.
    pub q: f64,
}

impl Region {
    /// Takes up all blocked faces between cells that solids touch; neighbours are the cells west
    /// and south of each.
    pub fn block_faces(&mut self, faces: &[Blocked], neighbours: &[[u32; 2]], unit_m: f64) {
        for same in faces.chunk_by(|a, b| a.axis == b.axis) {
            let mut behind = 0;
            for face in same {
                let key = key_of(face.place);
                while self.cells.get(behind).is_some_and(|cell| cell.key < key) {
                    behind += 1;
                }
                if self.cells.get(behind).is_none_or(|cell| cell.key != key) {
                    continue;
                }
                let before = neighbours[behind][usize::from(face.axis)];
                if before != NONE {
                    self.block([before as usize, behind], face, unit_m);
                }
            }
        }
        self.sweeps.sort_unstable_by_key(Sweep::face);
    }

    /// Takes up a blocked face between two cells that solids touch.
    fn block(&mut self, cells: [usize; 2], face: &Blocked, unit_m: f64) {
        let number = |cell: usize| u32::try_from(cell).expect("2³² cells at most");
        let Blocked { axis, lead, speed, open, .. } = *face;
        if cells.iter().any(|&cell| !self.cells[cell].is_touched) {
            return;
        }
        if open == 0 && lead != 0 {
            // Seen from the cell that holds it: its east or north side, or its west or south one.
            let (holder, sense) = if lead < 0 { (cells[0], 2) } else { (cells[1], 0) };
            let cell = &mut self.cells[holder];
            cell.closed |= u8::from(!cell.is_apart) << (sense + axis);
        }
        if speed != 0 {
            self.sweeps.push(Sweep {
                cells: cells.map(number),
                axis,
                lead: f64::from(lead) / f64::from(WHOLE),
                speed: f64::from(speed) * SPEED,
                width: 1.0 - f64::from(open) / f64::from(WHOLE),
                low: f64::from(face.low) * unit_m,
                high: f64::from(face.high) * unit_m,
                q: 0.0,
            });
        }
    }

    /// True where the way to a cell from the one on a side of it leads against the motion of what
    /// is there.
    #[must_use]
    pub fn is_against(&self, cell: u32, side: usize) -> bool {
        let found = self.sweeps.binary_search_by_key(&self.face(cell, side), Sweep::face);
        found.is_ok_and(|at| (self.sweeps[at].speed < 0.0) == (side < 2))
    }

    /// The cell behind the face on a side of one, and its axis.
    fn face(&self, cell: u32, side: usize) -> (u32, u8) {
        let behind = if side < 2 { cell } else { self.beside[cell as usize][side] };
        (behind, u8::from(side % 2 == 1))
    }

    /// Goes on with what cells held, and finds it anew in those whose passages changed sides.
    pub fn recall_held(&mut self, memory: &[CellMemory], unit_m: f64) {
        let mut moving: Vec<u32> = self.sweeps.iter().flat_map(|sweep| sweep.cells).collect();
        moving.sort_unstable();
        let mut known = memory.iter().peekable();
        let mut turned = Vec::new();
        for (index, cell) in (0_u32..).zip(&mut self.cells).filter(|(_, cell)| cell.closed != 0) {
            while known.next_if(|memory| memory.key < cell.key).is_some() {}
            let Some(known) = known.peek().filter(|memory| memory.key == cell.key) else {
                continue;
            };
            let opened = known.closed & !cell.closed;
            // Opposite sides are two bits apart.
            let is_turned = (opened << 2 | opened >> 2) & cell.closed != 0;
            if !is_turned {
                cell.held = known.held;
            } else if moving.binary_search(&index).is_ok() {
                turned.push((index as usize, opened));
            }
        }
        if turned.is_empty() {
            return;
        }
        let open = self.open_sides();
        let held: Vec<i32> = turned
            .iter()
            .map(|&(cell, opened)| self.excess(cell, open[cell], opened, unit_m))
            .collect();
        for ((cell, _), held) in turned.into_iter().zip(held) {
            self.cells[cell].held = held;
        }
    }

    /// How much more water a cell has than the stage on sides that opened would give it, vertical
    /// units.
    #[expect(clippy::cast_possible_truncation, reason = "bounded by its depth")]
    fn excess(&self, cell: usize, open: [bool; 4], opened: u8, unit_m: f64) -> i32 {
        let (mut sum, mut count) = (0.0, 0.0);
        let sides = (0..4).filter(|&side| open[side] && opened >> side & 1 == 1);
        for beside in sides.map(|side| self.beside[cell][side]).filter(|&beside| beside != NONE) {
            let beside = &self.cells[beside as usize];
            if !beside.is_apart {
                (sum, count) = (sum + self.head(beside, unit_m), count + 1.0);
            }
        }
        if count == 0.0 {
            return 0;
        }
        let own = &self.cells[cell];
        let stored = self.nodes[own.node as usize].stored(sum / count) / unit_m;
        let most = f64::from(own.depth);
        larger(-most, smaller(most - stored, most)) as i32
    }

    /// The head of a cell that has one, without what it holds, m above the datum.
    fn head(&self, cell: &RegionCell, unit_m: f64) -> f64 {
        let free = cell.lower().saturating_sub(cell.held).max(0);
        self.nodes[cell.node as usize].head_of(f64::from(free) * unit_m)
    }
}

impl Sweep {
    /// The cell behind it, and its axis.
    fn face(&self) -> (u32, u8) {
        (self.cells[1], self.axis)
    }

    /// Which of its cells the solid is in.
    fn holder(&self) -> usize {
        usize::from(self.lead > 0.0)
    }

    /// How far a solid has to go to leave its cell, at least what it goes in a step, cells.
    fn path(&self, numbers: &StepNumbers) -> f64 {
        larger(self.lead.abs(), self.speed.abs() * numbers.dt_s / numbers.cell_width_m)
    }
}

impl Region {
    /// Depth of a cell between the underside and the top of what blocks a face, m.
    fn depth_beside(&self, cell: u32, sweep: &Sweep, unit_m: f64) -> f64 {
        let cell = &self.cells[cell as usize];
        let floor = self.nodes[cell.node as usize].floor;
        larger(smaller(self.head(cell, unit_m), sweep.high) - larger(floor, sweep.low), 0.0)
    }

    /// Depth of the water that a wall takes over a face which it is on its way to, m: so that none
    /// is left on that side when it gets there. `None` where the cell is open on all sides.
    fn depth_left(&self, sweeps: &[Sweep], sweep: &Sweep, numbers: &StepNumbers) -> Option<f64> {
        let index = sweep.cells[sweep.holder()];
        let cell = &self.cells[index as usize];
        let path = sweep.path(numbers);
        if cell.closed & (cell.closed << 2 | cell.closed >> 2) == 0 {
            let own = self.depth_beside(index, sweep, numbers.unit_m);
            let held = f64::from(cell.held) * numbers.unit_m;
            return (cell.closed != 0).then_some(own + held / path);
        }
        // Both sides are closed: what is not behind the wall is ahead of it.
        let side = 2 * (1 - sweep.holder()) + usize::from(sweep.axis);
        let opposite = (side + 2) % 4;
        let other = sweeps.binary_search_by_key(&self.face(index, opposite), Sweep::face);
        let other = &sweeps[other.ok()?];
        let behind = self.depth_beside(other.cells[1 - other.holder()], other, numbers.unit_m);
        let all = f64::from(cell.depth - cell.upper) * numbers.unit_m;
        Some((all - other.lead.abs() * behind) / path)
    }
}

impl Simulation {
    /// Moves the water that walls take along in a step.
    pub(super) fn sweep(&mut self, region: &mut Region, numbers: &StepNumbers, tick: u64) {
        let mut sweeps = std::mem::take(&mut region.sweeps);
        let dither = Dither::new(
            self.params.settings.seed ^ DRAWS,
            self.state.leaves.forest.base(),
            0,
            0,
            tick,
        );
        for index in 0..sweeps.len() {
            let sweep = sweeps[index];
            let units = self.units_swept(region, &sweeps, &sweep, numbers, &dither);
            sweeps[index].q = match units {
                Some((units, level)) => {
                    self.take_along(region, &sweep, units, level);
                    f64::from(units) * numbers.cell_width_m * numbers.unit_m / numbers.dt_s
                }
                None => 0.0,
            };
        }
        region.sweeps = sweeps;
    }

    /// Units that a wall takes over a face in a step, and those that the water on its own side
    /// would.
    #[expect(clippy::cast_possible_truncation, reason = "bounded by the ceiling")]
    fn units_swept(
        &self,
        region: &Region,
        sweeps: &[Sweep],
        sweep: &Sweep,
        numbers: &StepNumbers,
        dither: &Dither,
    ) -> Option<(i32, i32)> {
        let cells = sweep.cells.map(|cell| region.cells[cell as usize]);
        let holder = sweep.holder();
        // What a body takes whole, it still leaves.
        let is_left = (sweep.speed > 0.0) == (holder == 0);
        let is_none = cells[1 - holder].is_apart || cells[holder].is_apart && !is_left;
        let sleeps = cells.iter().any(|cell| self.state.leaves.asleep[cell.leaf as usize]);
        if sweep.lead == 0.0 || is_none || sleeps {
            return None;
        }
        let [own, beyond] = [holder, 1 - holder]
            .map(|side| region.depth_beside(sweep.cells[side], sweep, numbers.unit_m));
        let left = is_left.then(|| region.depth_left(sweeps, sweep, numbers)).flatten();
        let most = MOST * larger(own, beyond);
        let depth = left.map_or(beyond, |left| larger(smaller(left, most), 0.0));
        let fastest = (numbers.gravity * beyond).sqrt();
        let speed = larger(-fastest, smaller(sweep.speed, fastest)) * sweep.width;
        let units_per_flow = numbers.dt_s / (numbers.cell_width_m * numbers.unit_m);
        let place = place_of_key(cells[1].key);
        let axis = [Axis::X, Axis::Y][usize::from(sweep.axis)];
        let (x, y) = (place.x.cast_signed(), place.y.cast_signed());
        let rounded =
            |depth: f64| dither.round_face(axis, x, y, (speed * depth * units_per_flow) as f32);
        let (wanted, level) = (rounded(depth), i64::from(rounded(own)));
        let (giver, taker) = if wanted > 0 { (0, 1) } else { (1, 0) };
        let below = cells[giver].depth - cells[giver].upper;
        let room = CEILING - cells[taker].bed.max(0) - cells[taker].depth;
        let units = wanted.abs().min(below).min(room.max(0) / 4);
        // What is cut short is cut on both sides.
        let level = if units == wanted.abs() {
            level
        } else {
            level * i64::from(units) / i64::from(wanted.abs())
        };
        Some((units * wanted.signum(), i32::try_from(level).unwrap_or(0)))
    }

    /// Moves what a wall takes over a face, and changes what its cell holds.
    fn take_along(&mut self, region: &mut Region, sweep: &Sweep, units: i32, level: i32) {
        if units == 0 && level == 0 {
            return;
        }
        if units != 0 {
            let nodes = sweep.cells.map(|cell| region.cells[cell as usize].node);
            let (from, to) = if units > 0 { (0, 1) } else { (1, 0) };
            self.hand_over(region, (nodes[from], nodes[to]), units.abs());
        }
        let cell = &mut region.cells[sweep.cells[sweep.holder()] as usize];
        if cell.closed != 0 {
            let (of_own, of_other) = if sweep.lead < 0.0 { (level, units) } else { (units, level) };
            let more = of_own.saturating_sub(of_other);
            cell.held = cell.held.saturating_add(more).clamp(-cell.depth, cell.depth);
        }
        for cell in sweep.cells.map(|cell| &region.cells[cell as usize]) {
            self.state.leaves.scratch[cell.leaf as usize].seen.faces.is_restless = true;
        }
    }

    /// A velocity is that of one cycle: who moves on tells so before the next.
    pub(super) fn stop_solids(&mut self, region: &mut Region) {
        self.state.solids.solids.faces.iter_mut().for_each(|face| face.speed = 0);
        if !region.sweeps.is_empty() {
            region.sweeps.clear();
            region.find_exits();
        }
    }
}
