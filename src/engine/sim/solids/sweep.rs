//! Walls that move take the water beside them along.
//!
//! ```text
//!   │  · ┃→ │  ·    │      q = u h      u of the wall across a closed face │ on its way,
//!   ┊  b ┃ a┊       ┊                   h beyond that face, of the side the wall is not in
//! ```
//!
//! A cell that a wall divides has one depth, the mean of both sides, *a* and *b*; its passages lead
//! to one of them. The excess or deficit of the cell for the stage of that side is *held*: heads
//! leave it out. It changes by the difference of `u h` on both sides, and is recomputed when the
//! wall passes the centre, so that the passages change sides. When the wall moves on to the next
//! cell the held water moves over the face before it: `u (h + held / path left)`.
//!
//! A body that is on both sides of a face moves water by its volume alone; so does one in a cell
//! that it covers, except for the water that the cell loses.
//!
//! Guarantees: a wall at rest moves nothing.
//! Limits:     a wall that moves to and fro gives back the water that it took along except for a
//!             part in proportion to the square of its speed (`a_wall_that_shakes_pumps_little`);
//!             no faster than long waves in the water beside it; the velocity must be that of the
//!             poses, and counts for one cycle; if a wall ends in a cell nothing is held.
//! Source:     own.

use crate::body::Blocked;
use crate::body::merge::{SPEED, WHOLE};
use crate::flow::transfer::Dither;
use crate::grid::Axis;
use crate::sim::solids::region::{
    RegionCellId, SolidRegion, key_of, larger, place_of_key, smaller,
};
use crate::sim::step_numbers::StepNumbers;
use crate::sim::table::LeafTable;
use crate::units::CEILING;

/// Most water that a wall moves, as a multiple of the depth beside it.
const MOST: f64 = 1.5;

/// Number of the random stream of these draws.
// "SWEE", mixed into the seed: passages draw at the same faces in the same step.
pub(super) const DRAWS: u64 = 0x5357_4545;

/// A face that a moving solid blocks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sweep {
    /// Cells west or south of it, and east or north.
    pub cells: [RegionCellId; 2],
    /// Axis across the face.
    pub axis: u8,
    /// Distance of the solid from the face, cells: below 0 before the face, 0 on both sides.
    pub lead: f64,
    /// Speed of the solid across the face, m/s.
    pub speed: f64,
    /// Blocked part of the face.
    pub width: f64,
    /// Lower end of the blocked part, m above the datum.
    pub low: f64,
    /// Upper end of the blocked part, m above the datum.
    pub high: f64,
    /// Unit discharge of the last step, m²/s.
    pub q: f64,
}

impl SolidRegion {
    /// Closes sides of cells if a face between two that solids touch is blocked; returns the faces
    /// that a moving solid blocks, in the order of the cells behind them.
    pub(super) fn block_faces(&mut self, faces: &[Blocked], unit_m: f64) -> Vec<Sweep> {
        let mut sweeps = Vec::new();
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
                let before = self.beside[behind][usize::from(face.axis)];
                if before != RegionCellId::NONE {
                    sweeps.extend(self.block([before, RegionCellId::new(behind)], face, unit_m));
                }
            }
        }
        // The faces came by axis; `is_against` and `depth_left` search by the cell behind.
        sweeps.sort_unstable_by_key(Sweep::face);
        sweeps
    }

    /// Adds a blocked face between two cells, if solids touch both.
    fn block(&mut self, cells: [RegionCellId; 2], face: &Blocked, unit_m: f64) -> Option<Sweep> {
        let Blocked { axis, lead, speed, open, .. } = *face;
        if cells.iter().any(|&cell| !self.cells[cell].is_touched) {
            return None;
        }
        if open == 0 && lead != 0 {
            // Seen from its holder: its east or north side, or its west or south one.
            let (holder, sense) = if lead < 0 { (cells[0], 2) } else { (cells[1], 0) };
            let cell = &mut self.cells[holder];
            cell.closed |= u8::from(!cell.is_apart) << (sense + axis);
        }
        (speed != 0).then(|| Sweep {
            cells,
            axis,
            lead: f64::from(lead) / f64::from(WHOLE),
            speed: f64::from(speed) * SPEED,
            width: 1.0 - f64::from(open) / f64::from(WHOLE),
            low: f64::from(face.low) * unit_m,
            high: f64::from(face.high) * unit_m,
            q: 0.0,
        })
    }

    /// Returns true if the way to a cell from the one on a side of it leads against the motion of
    /// the solid there.
    #[must_use]
    pub(super) fn is_against(&self, sweeps: &[Sweep], cell: RegionCellId, side: usize) -> bool {
        let found = sweeps.binary_search_by_key(&self.face(cell, side), Sweep::face);
        found.is_ok_and(|at| (sweeps[at].speed < 0.0) == (side < 2))
    }

    /// Returns the cell behind the face on a side of one, and its axis.
    fn face(&self, cell: RegionCellId, side: usize) -> (RegionCellId, u8) {
        let behind = if side < 2 { cell } else { self.beside[cell][side] };
        (behind, u8::from(side % 2 == 1))
    }
}

impl Sweep {
    /// Returns the cell behind it, and its axis.
    fn face(&self) -> (RegionCellId, u8) {
        (self.cells[1], self.axis)
    }

    /// Returns which of its cells the solid is in.
    fn holder(&self) -> usize {
        usize::from(self.lead > 0.0)
    }

    /// Returns the way of a solid to the side of its cell, at least its way in a step, cells.
    fn path(&self, numbers: &StepNumbers) -> f64 {
        // If the path is the way of one step, all held water leaves within this step.
        larger(self.lead.abs(), self.speed.abs() * numbers.dt_s / numbers.cell_width_m)
    }
}

impl SolidRegion {
    /// Returns the depth of a cell between the underside and the top of the blocking solid, m.
    fn depth_beside(&self, cell: RegionCellId, sweep: &Sweep, unit_m: f64) -> f64 {
        let cell = &self.cells[cell];
        let floor = self.nodes[cell.node].floor;
        larger(smaller(self.head(cell, unit_m), sweep.high) - larger(floor, sweep.low), 0.0)
    }

    /// Returns the depth of the water that a wall takes over a face towards which it moves, m: so
    /// that none is left on that side when it gets there. `None` if the cell is open on all sides.
    fn depth_left(&self, sweeps: &[Sweep], sweep: &Sweep, numbers: &StepNumbers) -> Option<f64> {
        let index = sweep.cells[sweep.holder()];
        let cell = &self.cells[index];
        let path = sweep.path(numbers);
        // Opposite sides are two bits apart.
        if cell.closed & (cell.closed << 2 | cell.closed >> 2) == 0 {
            let own = self.depth_beside(index, sweep, numbers.unit_m);
            let held = f64::from(cell.held) * numbers.unit_m;
            return (cell.closed != 0).then_some(own + held / path);
        }
        // Both sides are closed: water that is not behind the wall is ahead of it.
        let side = 2 * (1 - sweep.holder()) + usize::from(sweep.axis);
        let opposite = (side + 2) % 4;
        let other = sweeps.binary_search_by_key(&self.face(index, opposite), Sweep::face);
        let other = &sweeps[other.ok()?];
        let behind = self.depth_beside(other.cells[1 - other.holder()], other, numbers.unit_m);
        let all = f64::from(cell.depth - cell.upper) * numbers.unit_m;
        Some((all - other.lead.abs() * behind) / path)
    }
}

/// Moves the water that walls take along in a step, with the draws of [`DRAWS`].
pub(super) fn sweep(
    sweeps: &mut [Sweep],
    region: &mut SolidRegion,
    leaves: &mut LeafTable,
    numbers: &StepNumbers,
    dither: &Dither,
) {
    // One after the other: each sees the depths that the ones before it have left.
    for index in 0..sweeps.len() {
        let sweep = sweeps[index];
        let sleeps = |&cell: &RegionCellId| leaves.asleep[region.cells[cell].leaf];
        let swept = if sweep.cells.iter().any(sleeps) {
            None
        } else {
            region.units_swept(sweeps, &sweep, numbers, dither)
        };
        sweeps[index].q = match swept {
            Some(Swept { units, level }) => {
                region.take_along(&sweep, units, level, leaves);
                f64::from(units) * numbers.cell_width_m * numbers.unit_m / numbers.dt_s
            }
            None => 0.0,
        };
    }
}

/// Water that a wall takes over a face in a step, vertical units.
struct Swept {
    units: i32,
    /// Units if the water had the depth on the wall's own side.
    level: i32,
}

impl SolidRegion {
    /// Returns the water that a wall takes over a face in a step.
    #[expect(clippy::cast_possible_truncation, reason = "bounded by the ceiling")]
    fn units_swept(
        &self,
        sweeps: &[Sweep],
        sweep: &Sweep,
        numbers: &StepNumbers,
        dither: &Dither,
    ) -> Option<Swept> {
        let cells = sweep.cells.map(|cell| self.cells[cell]);
        let holder = sweep.holder();
        // What a body takes whole, it still leaves.
        let is_left = (sweep.speed > 0.0) == (holder == 0);
        let is_none = cells[1 - holder].is_apart || cells[holder].is_apart && !is_left;
        if sweep.lead == 0.0 || is_none {
            return None;
        }
        let [own, beyond] = [holder, 1 - holder]
            .map(|side| self.depth_beside(sweep.cells[side], sweep, numbers.unit_m));
        let left = is_left.then(|| self.depth_left(sweeps, sweep, numbers)).flatten();
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
        // The same draw rounds both, so that equal depths on both sides of the wall hold nothing.
        let (wanted, level) = (rounded(depth), i64::from(rounded(own)));
        let (giver, taker) = if wanted > 0 { (0, 1) } else { (1, 0) };
        let below = cells[giver].depth - cells[giver].upper;
        let room = CEILING - cells[taker].bed.max(0) - cells[taker].depth;
        let units = wanted.abs().min(below).min(room.max(0) / 4);
        // A cut applies to both sides.
        let level = if units == wanted.abs() {
            level
        } else {
            level * i64::from(units) / i64::from(wanted.abs())
        };
        let level = i32::try_from(level).unwrap_or(0);
        Some(Swept { units: units * wanted.signum(), level })
    }

    /// Moves the water that a wall takes over a face, and updates the held water of its cell.
    fn take_along(&mut self, sweep: &Sweep, units: i32, level: i32, leaves: &mut LeafTable) {
        if units == 0 && level == 0 {
            return;
        }
        if units != 0 {
            let [before, behind] = sweep.cells.map(|cell| self.cells[cell].node);
            let nodes = if units > 0 { [before, behind] } else { [behind, before] };
            self.hand_over(nodes, units.abs(), leaves);
        }
        let cell = &mut self.cells[sweep.cells[sweep.holder()]];
        if cell.closed != 0 {
            let (of_own, of_other) = if sweep.lead < 0.0 { (level, units) } else { (units, level) };
            let more = of_own.saturating_sub(of_other);
            cell.held = cell.held.saturating_add(more).clamp(-cell.depth, cell.depth);
        }
        for cell in sweep.cells.map(|cell| &self.cells[cell]) {
            leaves.scratch[cell.leaf].seen.faces.is_active = true;
        }
    }
}
